/*
 * Maximising an acquisition: every candidate is looked at, the best few climb by gradient (or, without one,
 * by shrinking random steps), and the best of all that is free walks to better lattice neighbours.
 */
#include "search/maximise.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/rng.h"
#include "linalg/logarithm.h"
#include "search/ascent.h"
#include "search/choice.h"

enum { CHUNK = 32, STARTS = 4, GROUPS = 2, STEPS = 8, STEP_ROUNDS = 8 };

void ckg__log_add(double *value, double one, int D, int stride, double *gradient, const double *slope)
{
    const double share = ckg__log_join(value, one);
    for (int k = 0; gradient && k < D; k++)
        gradient[(size_t)k * (size_t)stride] += share * (slope[(size_t)k * (size_t)stride] -
                                                         gradient[(size_t)k * (size_t)stride]);
}

int ckg__acquisition_at(const struct ckg__search *search, const struct ckg__acquisition *a, int m,
                        const double *U, int ldu, struct ckg__arena *arena, double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)search->scope->problem->D;
    const int lookaheads = search->lookaheads;
    double *one = ckg__arena_doubles(arena, points + 1);
    double *slope = gradient ? ckg__arena_doubles(arena, size + 1) : NULL;

    assert(m >= 0 && ldu >= m && lookaheads > 0);
    int status = one && (slope || !gradient) ? CKG_OK : CKG_ERR_NOMEM;

    /* The acquisition in each lookahead, the first straight into the result. */
    for (int o = 0; !status && o < lookaheads; o++) {
        struct ckg__arena_mark inner = ckg__arena_mark(arena);
        status = a->at(a->context, o, m, U, ldu, arena, o ? one : value, o ? slope : gradient);
        ckg__arena_release(arena, inner);

        /* The later ones are added to it. */
        for (size_t p = 0; !status && o && a->logarithm && p < points; p++)
            ckg__log_add(&value[p], one[p], search->scope->problem->D, m, gradient ? gradient + p : NULL,
                         gradient ? slope + p : NULL);
        for (size_t p = 0; !status && o && !a->logarithm && p < points; p++)
            value[p] += one[p];
        for (size_t i = 0; !status && o && !a->logarithm && gradient && i < size; i++)
            gradient[i] += slope[i];
    }

    /* Their sum becomes their mean. */
    for (size_t p = 0; !status && lookaheads > 1 && p < points; p++)
        value[p] = a->logarithm ? value[p] - ckg__log(lookaheads) : value[p] / lookaheads;
    for (size_t i = 0; !status && lookaheads > 1 && !a->logarithm && gradient && i < size; i++)
        gradient[i] /= lookaheads;

    ckg__arena_release(arena, mark);
    return status;
}

struct stage {
    struct ckg__search *search;
    const struct ckg__acquisition *acquisition;
    int candidates;
    double *U, *value;           /* D×candidates; (candidates) */
    double *start, *start_value; /* STARTS × D; (STARTS) */
};

static int screen_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    const int first = index * CHUNK;
    const int left = stage->candidates - first;
    return ckg__acquisition_at(stage->search, stage->acquisition, left < CHUNK ? left : CHUNK,
                               stage->U + first, stage->candidates, &stage->search->arena[worker],
                               stage->value + first, NULL);
}

static int climbed(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                   double *value, double *gradient)
{
    const struct stage *stage = context;
    (void)which;
    return ckg__acquisition_at(stage->search, stage->acquisition, m, U, m, arena, value, gradient);
}

static int compared(void *context, int m, const double *U, int ldu, struct ckg__arena *arena, double *value)
{
    const struct stage *stage = context;
    return ckg__acquisition_at(stage->search, stage->acquisition, m, U, ldu, arena, value, NULL);
}

/* The starts of one group by gradient. */
static int ascend(struct stage *stage, int first, int count, struct ckg__arena *arena)
{
    const struct ckg_problem *problem = stage->search->scope->problem;
    const struct ckg__lbfgs_options options = {10, 30 + 2 * problem->d, 0.02, 1e-5, 1e-7};
    const struct ckg__ascent ascent = {stage, climbed, compared};

    return ckg__ascend_reals(stage->search, &ascent, &options, count,
                             stage->start + (size_t)first * (size_t)problem->D, stage->start_value + first,
                             arena);
}

/*
 * The best start goes on. Constraints that are known well make a corner of cliffs of their optimum: the more
 * parameters, the longer the way into it, with fresh memory at every turn.
 */
static int ascend_on(struct stage *stage)
{
    struct ckg__search *search = stage->search;
    const struct ckg__ascend_again again = {.times = 3,
                                            .evaluations = 30 + 10 * search->scope->problem->d,
                                            .width = search->lookahead[0].width,
                                            .enough = 1e-3};
    const struct ckg__ascent ascent = {stage, climbed, compared};
    int best = 0;

    if (!stage->acquisition->gradients || !(again.width > 0))
        return CKG_OK;
    for (int s = 1; s < STARTS; s++)
        best = stage->start_value[s] > stage->start_value[best] ? s : best;
    return ckg__ascend_again(search, &ascent, &again,
                             stage->start + (size_t)best * (size_t)search->scope->problem->D,
                             &stage->start_value[best], search->results);
}

/*
 * One start by random steps within its free box, in batches whose reach shrinks when nothing better is found.
 */
static int wander(struct stage *stage, int s, struct ckg__arena *arena)
{
    const struct ckg_problem *problem = stage->search->scope->problem;
    const int D = problem->D;
    double *u = stage->start + (size_t)s * (size_t)D;
    double *U = ckg__arena_doubles(arena, (size_t)D * STEPS);
    double value[STEPS];
    double reach = 0.05;
    double *lower = ckg__arena_doubles(arena, 3 * (size_t)D);
    double *upper = lower ? lower + D : NULL;
    double *v = lower ? lower + 2 * D : NULL;
    struct ckg__rng rng;

    if (!U || !lower)
        return CKG_ERR_NOMEM;
    ckg__problem_free_box(problem, u, lower, upper);
    ckg__rng_seed(&rng, stage->search->seed, stage->search->stream, CKG__FOR_ASCENTS_BY_STEPS + (uint64_t)s);
    for (int round = 0; round < STEP_ROUNDS && !ckg__search_late(stage->search); round++) {
        /* A batch of steps. */
        for (int p = 0; p < STEPS; p++)
            for (int k = 0; k < D; k++)
                U[k * STEPS + p] = fmin(fmax(u[k] + reach * ckg__rng_normal(&rng), lower[k]), upper[k]);
        ckg__search_bring_back(stage->search, u, STEPS, U, STEPS, v);
        const int status = ckg__acquisition_at(stage->search, stage->acquisition, STEPS, U, STEPS, arena,
                                               value, NULL);
        if (status)
            return status;

        /* The best of them, if it is one; else nearer by. */
        int best = 0;
        for (int p = 1; p < STEPS; p++)
            best = value[p] > value[best] ? p : best;
        if (value[best] > stage->start_value[s]) {
            stage->start_value[s] = value[best];
            ckg__point_get(D, U, STEPS, best, u);
        } else {
            reach *= 0.4;
        }
    }
    return CKG_OK;
}

static int ascend_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    struct ckg__arena *arena = &stage->search->arena[worker];
    const int count = STARTS / GROUPS;
    const int first = index * count;
    int status = CKG_OK;

    if (stage->acquisition->gradients)
        status = ascend(stage, first, count, arena);
    for (int s = first; !status && !stage->acquisition->gradients && s < first + count; s++)
        status = wander(stage, s, arena);
    return status;
}

/* The STARTS best candidates, best first; the best again for those missing. */
static void choose_starts(struct stage *stage)
{
    const int D = stage->search->scope->problem->D;
    int chosen[STARTS];

    const int n = ckg__best_apart(D, stage->candidates, stage->U, stage->candidates, stage->value, 0, STARTS,
                                  chosen);
    for (int s = 0; s < STARTS; s++) {
        const int c = chosen[s < n ? s : 0];
        stage->start_value[s] = stage->value[c];
        ckg__point_get(D, stage->U, stage->candidates, c, stage->start + (size_t)s * (size_t)D);
    }
}

static int stage_take(struct stage *stage)
{
    struct ckg__search *search = stage->search;
    return CKG__TAKE(search->results, CKG__ROOM(stage->value, stage->candidates + 1),
                     CKG__ROOM(stage->start, STARTS * search->scope->problem->D),
                     CKG__ROOM(stage->start_value, STARTS));
}

/* Nearer to a pending design than this, in the unit cube, is the same one. */
static const double hair = 1e-6;

/* 1 when the design at u may be evaluated, and is no pending one up to rounding. */
static int is_free(const struct ckg__search *search, const double *u)
{
    const struct ckg__data *data = search->scope->data;
    const size_t D = (size_t)search->scope->problem->D;
    double x[CKG_MAX_PARAMETERS];

    for (int i = 0; i < data->designs; i++)
        if (ckg__data_pending(data, i) &&
            ckg__point_distance((int)D, u, data->u + (size_t)i * D, 1, 0) < hair)
            return 0;
    return !ckg__search_taken(search, u, x);
}

/* The best start that is free, or else the best candidate (those are free). */
static void pick(struct stage *stage, struct ckg__choice *choice)
{
    const int D = stage->search->scope->problem->D;
    int best = -1;
    int top = 0;

    for (int s = 0; s < STARTS; s++)
        if ((best < 0 || stage->start_value[s] > stage->start_value[best]) &&
            is_free(stage->search, stage->start + (size_t)s * (size_t)D))
            best = s;
    for (int c = 1; c < stage->candidates; c++)
        top = stage->value[c] > stage->value[top] ? c : top;
    choice->value = best < 0 ? stage->value[top] : stage->start_value[best];
    for (int k = 0; k < D; k++)
        choice->u[k] = best < 0 ? stage->U[(size_t)k * (size_t)stage->candidates + (size_t)top]
                                : stage->start[(size_t)best * (size_t)D + (size_t)k];
}

int ckg__acquisition_maximise(struct ckg__search *search, const struct ckg__acquisition *a,
                              struct ckg__choice *choice)
{
    static const struct ckg__ascend_lattice steps = {
        .rounds = 4, .neighbours = 24, .purpose = CKG__FOR_STEPS_OF_ACQUISITION, .free_only = 1};
    struct stage stage = {.search = search, .acquisition = a};
    const struct ckg__ascent ascent = {&stage, climbed, compared};
    double clock = ckg__clock();

    /* Every candidate. */
    int status = ckg__search_candidates(search, &stage.U, &stage.candidates);
    choice->candidates = stage.candidates;
    if (status || !stage.candidates)
        return status;
    status = stage_take(&stage);
    if (!status)
        status = ckg__search_run(search, (stage.candidates + CHUNK - 1) / CHUNK, screen_task, &stage);
    choice->seconds.screen = ckg__clock() - clock;

    /* Uphill from the best few. */
    clock = ckg__clock();
    if (!status)
        choose_starts(&stage);
    ckg__search_secure(search);
    if (!status && ckg__problem_has_reals(search->scope->problem) && !ckg__search_late(search))
        status = ckg__search_run(search, GROUPS, ascend_task, &stage);
    if (!status && ckg__problem_has_reals(search->scope->problem) && !ckg__search_late(search))
        status = ascend_on(&stage);
    if (status)
        return status;

    /* The best of all that is free, and its lattice neighbours. */
    pick(&stage, choice);
    status = ckg__ascend_lattice(search, &ascent, &steps, choice->u, &choice->value, search->results);
    choice->seconds.inner = 0;
    choice->seconds.refine = ckg__clock() - clock;
    choice->found = !status;
    return status;
}
