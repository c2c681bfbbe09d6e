/*
 * Constrained expected improvement as a policy, in logarithms: the best of the candidates, then gradient ascent from the best few. While no
 * design was measured feasible it maximises the probability of feasibility. Under several hyperparameter samples the improvements are
 * averaged.
 */
#include <math.h>
#include <string.h>

#include "acquisition/cei.h"
#include "base/error.h"
#include "suggest/policy.h"

enum { CHUNK = 32, STARTS = 4, GROUPS = 2, NEIGHBOURS = 24, ROUNDS = 4 };

struct stage {
    struct ckg__search *search;
    int *status;
    double *best;  /* (outlooks) incumbents */
    int candidates;
    double *U, *value; /* D×candidates; (candidates) */
    double *start, *start_value; /* STARTS × D; (STARTS) */
};

/* log of the average over outlooks of exp(value), and its gradient, over a batch. */
static int log_average(void *context, int m, const double *U, const int *which, struct ckg__arena *arena, double *value, double *gradient)
{
    const struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    const size_t points = (size_t)m, size = points * (size_t)search->problem->D;
    (void)which;
    if (search->outlooks == 1)
        return ckg__cei_batch(search->outlook[0].belief, stage->best[0], m, U, m, arena, value, gradient);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *one = ckg__arena_doubles(arena, points), *slope = ckg__arena_doubles(arena, size);
    if (!one || !slope)
        return CKG_ERR_NOMEM;
    for (int o = 0; o < search->outlooks; o++) {
        if (ckg__cei_batch(search->outlook[o].belief, stage->best[o], m, U, m, arena, o ? one : value, o ? slope : gradient))
            return CKG_ERR_NOMEM;
        for (size_t p = 0; o && p < points; p++) {
            const double top = fmax(value[p], one[p]), both = top + log(exp(value[p] - top) + exp(one[p] - top));
            const double share = isfinite(top) ? exp(one[p] - both) : 0;
            for (size_t at = p; at < size; at += points)
                gradient[at] += share * (slope[at] - gradient[at]);
            value[p] = isfinite(top) ? both : top;
        }
    }
    for (size_t p = 0; p < points; p++)
        value[p] -= log(search->outlooks);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* Values of one chunk of candidates, without gradients. */
static int screen_chunk(struct stage *stage, int first, int count, struct ckg__arena *arena)
{
    const struct ckg__search *search = stage->search;
    double *one = ckg__arena_doubles(arena, (size_t)count), *sum = stage->value + first;
    if (!one)
        return CKG_ERR_NOMEM;
    for (int o = 0; o < search->outlooks; o++) {
        const struct ckg__belief *belief = search->outlook[o].belief;
        struct ckg__view view[CKG__MAX_OUTCOMES];
        for (int j = 0; j < belief->outcomes; j++)
            if (ckg__view_make(&view[j], belief->gp[j], count, stage->U + first, stage->candidates, arena))
                return CKG_ERR_NOMEM;
        ckg__cei_views(belief, stage->best[o], view, o ? one : sum);
        for (int p = 0; o && p < count; p++) {
            const double top = fmax(sum[p], one[p]);
            sum[p] = isfinite(top) ? top + log(exp(sum[p] - top) + exp(one[p] - top)) : top;
        }
    }
    for (int p = 0; p < count; p++)
        sum[p] -= log(search->outlooks);
    return CKG_OK;
}

static void screen_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    struct ckg__arena *arena = &stage->search->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int first = index * CHUNK, left = stage->candidates - first;
    stage->status[index] = screen_chunk(stage, first, left < CHUNK ? left : CHUNK, arena);
    ckg__arena_release(arena, mark);
}

static void climb_task(void *context, int index, int worker)
{
    static const struct ckg__lbfgs_options options = {5, 30, 0.02, 1e-5, 1e-7};
    struct stage *stage = context;
    const struct ckg_problem *problem = stage->search->problem;
    struct ckg__arena *arena = &stage->search->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = problem->D, count = STARTS / GROUPS, first = index * count;
    double *X = stage->start + (size_t)first * (size_t)D;
    double *box = ckg__arena_doubles(arena, 2 * (size_t)count * (size_t)D), *upper = box ? box + (size_t)count * (size_t)D : NULL;
    for (int s = 0; box && s < count; s++)
        ckg__problem_free_box(problem, X + (size_t)s * (size_t)D, box + (size_t)s * (size_t)D, upper + (size_t)s * (size_t)D);
    stage->status[index] = !box ? CKG_ERR_NOMEM : ckg__multistart(log_average, stage, D, count, box, upper, &options, X, stage->start_value + first, arena);
    ckg__arena_release(arena, mark);
}

/* The STARTS best candidates, best first. */
static void choose_starts(struct stage *stage)
{
    const int D = stage->search->problem->D;
    int chosen[STARTS];
    for (int s = 0; s < STARTS; s++) {
        int best = -1;
        for (int c = 0; c < stage->candidates; c++) {
            int seen = 0;
            for (int i = 0; i < s; i++)
                seen |= chosen[i] == c;
            if (!seen && (best < 0 || stage->value[c] > stage->value[best]))
                best = c;
        }
        chosen[s] = best < 0 ? chosen[0] : best;
        stage->start_value[s] = stage->value[chosen[s]];
        for (int k = 0; k < D; k++)
            stage->start[(size_t)s * (size_t)D + (size_t)k] = stage->U[(size_t)k * (size_t)stage->candidates + (size_t)chosen[s]];
    }
}

/* Steps from u to better free lattice neighbours. */
static int climb_lattice(struct stage *stage, double *u, double *value)
{
    const struct ckg__search *search = stage->search;
    const int D = search->problem->D;
    struct ckg__arena *arena = search->results;
    double *U = ckg__arena_doubles(arena, NEIGHBOURS * (size_t)D), *gradient = ckg__arena_doubles(arena, NEIGHBOURS * (size_t)D);
    double *v = ckg__arena_doubles(arena, (size_t)D), *x = ckg__arena_doubles(arena, (size_t)search->problem->d), values[NEIGHBOURS];
    if (!U || !gradient || !v || !x)
        return CKG_ERR_NOMEM;
    for (int round = 0; round < ROUNDS; round++) {
        const double before = *value;
        const int count = search->enumerated ? 0 : ckg__search_neighbours(search, u, 7000 + (uint64_t)round, NEIGHBOURS, U, NEIGHBOURS);
        for (int k = 1; k < D && count; k++)
            memmove(U + (size_t)k * (size_t)count, U + (size_t)k * NEIGHBOURS, (size_t)count * sizeof *U);
        if (!count || log_average(stage, count, U, NULL, arena, values, gradient))
            return count ? CKG_ERR_NOMEM : CKG_OK;
        for (int p = 0; p < count; p++) {
            for (int k = 0; k < D; k++)
                v[k] = U[(size_t)k * (size_t)count + (size_t)p];
            if (values[p] > *value && !ckg__search_taken(search, v, x)) {
                *value = values[p];
                memcpy(u, v, (size_t)D * sizeof *u);
            }
        }
        if (!(*value > before))
            break;
    }
    return CKG_OK;
}

static int stage_take(struct stage *stage)
{
    struct ckg__search *search = stage->search;
    const size_t D = (size_t)search->problem->D;
    stage->best = ckg__arena_doubles(search->results, (size_t)search->outlooks);
    stage->status = ckg__arena_ints(search->results, (size_t)stage->candidates / CHUNK + 1 + GROUPS);
    stage->value = ckg__arena_doubles(search->results, (size_t)stage->candidates + 1);
    stage->start = ckg__arena_doubles(search->results, STARTS * D);
    stage->start_value = ckg__arena_doubles(search->results, STARTS);
    int status = stage->best && stage->status && stage->value && stage->start && stage->start_value ? CKG_OK : CKG_ERR_NOMEM;
    for (int o = 0; !status && o < search->outlooks; o++)
        status = ckg__search_incumbent(search, search->outlook[o].belief, search->results, &stage->best[o]);
    return status;
}

/* The best start that is free, or else the best candidate (those are free). */
static void pick(struct stage *stage, struct ckg__choice *choice)
{
    const int D = stage->search->problem->D;
    double x[CKG_MAX_PARAMETERS];
    int best = -1, top = 0;
    for (int s = 0; s < STARTS; s++)
        if ((best < 0 || stage->start_value[s] > stage->start_value[best]) &&
            !ckg__search_taken(stage->search, stage->start + (size_t)s * (size_t)D, x))
            best = s;
    for (int c = 1; c < stage->candidates; c++)
        top = stage->value[c] > stage->value[top] ? c : top;
    choice->value = best < 0 ? stage->value[top] : stage->start_value[best];
    for (int k = 0; k < D; k++)
        choice->u[k] = best < 0 ? stage->U[(size_t)k * (size_t)stage->candidates + (size_t)top] : stage->start[(size_t)best * (size_t)D + (size_t)k];
}

int ckg__cei_suggest(struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    struct stage stage = {.search = search};
    double clock = ckg__clock();
    int status = ckg__search_candidates(search, &stage.U, &stage.candidates);
    *found = 0;
    choice->path = "cei";
    choice->candidates = stage.candidates;
    if (status || !stage.candidates)
        return status;
    status = stage_take(&stage);
    if (!status)
        status = ckg__search_run(search, (stage.candidates + CHUNK - 1) / CHUNK, screen_task, &stage, stage.status);
    choice->screen = ckg__clock() - clock;
    clock = ckg__clock();
    if (!status)
        choose_starts(&stage);
    if (!status && ckg__problem_has_reals(search->problem) && !ckg__search_late(search))
        status = ckg__search_run(search, GROUPS, climb_task, &stage, stage.status);
    if (status)
        return status;
    pick(&stage, choice);
    status = climb_lattice(&stage, choice->u, &choice->value);
    choice->inner = 0;
    choice->refine = ckg__clock() - clock;
    *found = !status;
    return status;
}

static int cei_score(struct ckg__search *search, int count, const double *U, double *value)
{
    struct stage stage = {.search = search, .candidates = count};
    double *gradient = ckg__arena_doubles(search->results, (size_t)count * (size_t)search->problem->D + 1);
    if (!gradient || stage_take(&stage))
        return CKG_ERR_NOMEM;
    return log_average(&stage, count, U, NULL, search->results, value, gradient);
}

const struct ckg__policy ckg__policy_cei = {"cei", "constrained expected improvement, in logarithms",
                                            "Schonlau, Welch and Jones 1998; Ament et al. 2023", ckg__cei_suggest, cei_score};
