/*
 * Where each belief would recommend: x_r = argmax (μ − M)·PF, and the discretisation around it.
 *
 * The utility stands on a cliff where PF falls, and a plain quasi-Newton search stops short on it. So: log
 * form, several starts from the best base points, then restarts with fresh memory and a first step of the
 * cliff's own width.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "search/ascent.h"

enum { STARTS = 4, GROUPS = 2 };

struct stage {
    struct ckg__search *search;
    double *log_u;       /* (lookaheads × base) */
    double *start;       /* (lookaheads × STARTS × D) */
    double *start_value; /* (lookaheads × STARTS) */
    int groups;
};

/* --- the starts of x_r, one lookahead a task --- */

/* The base points of largest log utility, apart from each other, as starts; the first for those missing. */
static void choose_starts(const struct ckg__search *search, const struct ckg__lookahead *o,
                          const double *log_u, double *start)
{
    static const double apart = 0.02;
    const int D = search->scope->problem->D;
    int chosen[STARTS];

    const int n = ckg__best_apart(D, search->base, o->U, o->room, log_u, apart, STARTS, chosen);
    for (int s = 0; s < STARTS; s++)
        ckg__point_get(D, o->U, o->room, chosen[s < n ? s : 0], start + (size_t)s * (size_t)D);
}

static int start_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    struct ckg__search *search = stage->search;
    struct ckg__lookahead *o = &search->lookahead[index];
    const int base = search->base;
    double *log_u = stage->log_u + (size_t)index * (size_t)base;
    struct ckg__view at_base[CKG__MAX_OUTCOMES];

    (void)worker;
    for (int j = 0; j < o->belief->outcomes; j++) {
        at_base[j] = o->view[j];
        at_base[j].m = base;
    }
    ckg__belief_log_feasible(o->belief, at_base, log_u);
    for (int p = 0; p < base; p++) {
        const double gain = o->view[0].mean[p] - o->belief->penalty;
        o->gain[p] = gain;
        /* a given M may lie above every mean: then the least bad gain comes first */
        log_u[p] = gain > 0 ? log_u[p] + ckg__log(gain) : -1e300 + gain;
    }
    choose_starts(search, o, log_u,
                  stage->start + (size_t)index * STARTS * (size_t)search->scope->problem->D);
    return CKG_OK;
}

/* --- climbing to x_r, a group of starts of one lookahead a task --- */

static int log_utility(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                       double *value, double *gradient)
{
    (void)which;
    return ckg__belief_log_utility_batch(context, m, U, m, arena, value, gradient);
}

static int log_utilities(void *context, int m, const double *U, int ldu, struct ckg__arena *arena,
                         double *value)
{
    const struct ckg__belief *belief = context;
    double *gradient = ckg__arena_doubles(arena, (size_t)m * (size_t)ckg__gp_coordinates(belief->gp[0]));
    return gradient ? ckg__belief_log_utility_batch(belief, m, U, ldu, arena, value, gradient)
                    : CKG_ERR_NOMEM;
}

static struct ckg__ascent utility_of(struct ckg__belief *belief)
{
    return (struct ckg__ascent){belief, log_utility, log_utilities};
}

static int ascend_task(void *context, int index, int worker)
{
    static const struct ckg__lbfgs_options options = {6, 25, 0.02, 1e-7, 1e-9};
    struct stage *stage = context;
    struct ckg__search *search = stage->search;
    const int o = index / stage->groups;
    const int per_group = STARTS / stage->groups;
    const int first = o * STARTS + index % stage->groups * per_group;
    const struct ckg__ascent ascent = utility_of(search->lookahead[o].belief);

    return ckg__ascend_reals(search, &ascent, &options, per_group,
                             stage->start + (size_t)first * (size_t)search->scope->problem->D,
                             stage->start_value + first, &search->arena[worker]);
}

/* --- polishing x_r and laying the local points, one lookahead a task --- */

/* The width over which PF falls at x_r: the smallest sd/|∇μ| over constraints, within [1e-7, 0.1]. */
static int cliff_width(const struct ckg__search *search, struct ckg__lookahead *o, struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = search->scope->problem->D;
    struct ckg__batch batch;
    double mean, var;
    double *gradients = ckg__arena_doubles(arena, 2 * (size_t)D);

    if (!gradients)
        return CKG_ERR_NOMEM;
    batch = (struct ckg__batch){&mean, &var, gradients, gradients + D};

    /* The narrowest over the constraints. */
    o->width = 0.1;
    for (int j = 1; j < o->belief->outcomes; j++) {
        if (ckg__posterior_batch(o->belief->gp[j], 1, o->x_r, 1, arena, &batch, NULL))
            return CKG_ERR_NOMEM;

        /* How steep its mean is, how uncertain, and how far from its limits. */
        double slope = 0;
        for (int k = 0; k < D; k++)
            slope += gradients[k] * gradients[k];
        const struct ckg__limits limits = ckg__belief_limits(o->belief, j);
        const double sd = sqrt((var > limits.floor ? var : limits.floor) + limits.chance);
        const double to_limit = fmin(fabs(mean - limits.lower), fabs(mean - limits.upper));

        /* A constraint that is far from binding makes no cliff here. */
        o->active[j] = slope > 0 && to_limit < 12 * sd;
        if (o->active[j])
            o->width = fmin(o->width, sd / sqrt(slope));
    }

    /* Not so narrow that it is lost in rounding. */
    o->width = fmax(o->width, 1e-7);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* soft ← the belief with variances of constraints between two limits so many times as large; 1 where it has
 * such constraints. */
static int soften(const struct ckg__belief *belief, double times, struct ckg__belief *soft)
{
    int bands = 0;

    *soft = *belief;
    for (int j = 1; j < belief->outcomes; j++)
        if (isfinite(belief->upper[j] - belief->lower[j])) {
            soft->roughness[j] = times * fmax(belief->roughness[j], 1);
            bands++;
        }
    return bands > 0;
}

/*
 * Where the models are sure of a thin band, no step along it leads anywhere: its edges are cliffs on both
 * sides. So they are soft first and harden on the way; x_r is then the better of both.
 */
static int ascend_along_bands(const struct ckg__search *search, struct ckg__lookahead *o,
                              struct ckg__arena *arena)
{
    static const struct ckg__lbfgs_options options = {6, 40, 0.02, 1e-8, 1e-12};
    const size_t D = (size_t)search->scope->problem->D;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__belief soft;
    double *u = ckg__arena_doubles(arena, D);
    double reached = -INFINITY;
    int status = u ? CKG_OK : CKG_ERR_NOMEM;

    if (u)
        memcpy(u, o->x_r, D * sizeof *u);
    for (double times = 1e8; !status && times >= 1 && soften(o->belief, times, &soft); times /= 100) {
        const struct ckg__ascent ascent = utility_of(times > 1 ? &soft : o->belief);
        status = ckg__ascend_reals(search, &ascent, &options, 1, u, &reached, arena);
    }
    if (!status && reached > o->log_utility) {
        memcpy(o->x_r, u, D * sizeof *u);
        o->log_utility = reached;
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* Steps to better lattice neighbours, the reals following; then the reals again, up to the cliff. */
static int polish(const struct ckg__search *search, struct ckg__lookahead *o, struct ckg__arena *arena)
{
    static const struct ckg__lbfgs_options follow = {6, 15, 0.02, 1e-6, 1e-8};
    static const struct ckg__ascend_lattice steps = {
        .rounds = 6, .neighbours = 48, .purpose = CKG__FOR_STEPS_OF_X_R, .follow = &follow};
    const struct ckg__ascend_again again = {.times = 3, .evaluations = 30, .width = o->width, .enough = 1e-9};
    const struct ckg__ascent ascent = utility_of(o->belief);

    int status = ckg__ascend_lattice(search, &ascent, &steps, o->x_r, &o->log_utility, arena);
    if (!status && ckg__problem_has_reals(search->scope->problem))
        status = ascend_along_bands(search, o, arena);
    if (!status && ckg__problem_has_reals(search->scope->problem))
        status = ckg__ascend_again(search, &ascent, &again, o->x_r, &o->log_utility, arena);
    return status;
}

/* x_r into the discretisation, and the local points before it. */
static int lay_local(const struct ckg__search *search, struct ckg__lookahead *o, uint64_t purpose,
                     struct ckg__arena *arena)
{
    const int D = search->scope->problem->D;
    const int base = search->base;
    const int local = ckg__problem_has_reals(search->scope->problem) ? search->size.local : 0;

    if (local && ckg__search_around(search, o, purpose, local, o->U + base, o->room, arena))
        return CKG_ERR_NOMEM;
    o->r = base + local;
    o->m = o->r + 1;
    ckg__point_put(D, o->x_r, o->U, o->room, o->r);
    for (int j = 0; j < o->belief->outcomes; j++) {
        if (ckg__view_fill(&o->view[j], o->belief->gp[j], o->U, o->room, base, local + 1))
            return CKG_ERR_CANCELLED;
        o->view[j].m = o->m;
    }
    for (int p = base; p < o->m; p++)
        o->gain[p] = o->view[0].mean[p] - o->belief->penalty;
    return CKG_OK;
}

static int polish_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    struct ckg__search *search = stage->search;
    struct ckg__lookahead *o = &search->lookahead[index];
    struct ckg__arena *arena = &search->arena[worker];
    const int D = search->scope->problem->D;
    const double *value = stage->start_value + (size_t)index * STARTS;
    int best = 0;

    for (int s = 1; s < STARTS; s++)
        best = value[s] > value[best] ? s : best;
    memcpy(o->x_r, stage->start + ((size_t)index * STARTS + (size_t)best) * (size_t)D,
           (size_t)D * sizeof *o->x_r);
    o->log_utility = value[best];
    int status = cliff_width(search, o, arena);
    if (!status)
        status = polish(search, o, arena);
    if (!status)
        status = cliff_width(search, o, arena);
    if (!status)
        status = lay_local(search, o, CKG__FOR_POINTS_AROUND_X_R + (uint64_t)index, arena);
    return status;
}

static int stage_take(struct stage *stage, struct ckg__search *search)
{
    const size_t lookaheads = (size_t)search->lookaheads;
    const size_t D = (size_t)search->scope->problem->D;

    stage->search = search;
    stage->groups = search->lookaheads == 1 ? GROUPS : 1;
    return CKG__TAKE(search->results, CKG__ROOM(stage->log_u, lookaheads * (size_t)search->base),
                     CKG__ROOM(stage->start, lookaheads * STARTS * D),
                     CKG__ROOM(stage->start_value, lookaheads * STARTS));
}

int ckg__search_recommend(struct ckg__search *search)
{
    const int constraints = search->lookahead[0].belief->outcomes - 1;
    struct stage stage;

    assert(search->lookahead[0].U && search->lookahead[0].view[0].mean); /* ckg__search_penalty came before */

    /* What the beliefs say of the constraints at the base points; of the objective they have said it. */
    int status = stage_take(&stage, search);
    if (!status && constraints)
        status = ckg__search_view_base(search, 1, constraints);

    /* From the best of them uphill, over the cliff's edge and back, and points around the place. */
    if (!status)
        status = ckg__search_run(search, search->lookaheads, start_task, &stage);
    if (!status)
        status = ckg__search_run(search, search->lookaheads * stage.groups, ascend_task, &stage);
    if (!status)
        status = ckg__search_run(search, search->lookaheads, polish_task, &stage);
    return status;
}
