/*
 * Draws of x*. All outcomes are drawn jointly at the points of the discretisation and at points of the box's
 * faces, edges and corners, where optima often lie and space-filling points never do: the best of the
 * feasible ones is x*, to the spacing of the points. Then, twice, fresh points are laid around it and drawn
 * given the values that the same draw has at its nearest neighbours: the draw is continued, not replaced.
 * Cost: a Cholesky of all points per outcome, and small ones per draw.
 */
#include "search/optima.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/dense.h"

enum { FACES = 64, KNOWN = 32, FRESH = 24, REFINEMENTS = 2, NEAR = 4, ROOM = KNOWN + REFINEMENTS * FRESH };

struct stage {
    struct ckg__search *search;
    struct ckg__optima *optima;
    int draws;
};

/* --- points --- */

static int make_points(const struct ckg__search *search, int o, struct ckg__optima *optima)
{
    const struct ckg__lookahead *lookahead = &search->lookahead[o];
    const size_t D = (size_t)search->scope->problem->D;
    const size_t had = (size_t)lookahead->m;
    const int faces = ckg__problem_has_reals(search->scope->problem);

    optima->m = lookahead->m + (faces ? FACES : 0);
    optima->U = ckg__arena_doubles(search->results, D * (size_t)optima->m);
    if (!optima->U)
        return CKG_ERR_NOMEM;
    for (size_t k = 0; k < D; k++)
        memcpy(optima->U + k * (size_t)optima->m, lookahead->U + k * (size_t)lookahead->room,
               had * sizeof *optima->U);
    return faces ? ckg__search_faces(search, (uint64_t)o, lookahead->x_r, FACES, optima->U + had, optima->m)
                 : CKG_OK;
}

/* --- joint draws --- */

/* 1: the first is better, a feasible design with a larger objective before a less violating one. */
static int beats(double violation, double value, double than_violation, double than_value)
{
    return violation < than_violation || (violation == 0 && than_violation == 0 && value > than_value);
}

/* The winner of every draw, and the tallies. */
static void judge(const struct ckg__lookahead *lookahead, struct ckg__optima *optima)
{
    const int m = optima->m;
    const int r = lookahead->r;
    const double *value[CKG__MAX_OUTCOMES];

    memset(optima->wins, 0, (size_t)m * sizeof *optima->wins);
    memset(optima->better, 0, (size_t)m * sizeof *optima->better);
    for (int s = 0; s < optima->total; s++) {
        double least = INFINITY;
        double best = -INFINITY;
        int winner = 0;

        /* The draw's outcomes, and by how much x_r violates its constraints. */
        ckg__draws_outcomes(&optima->drawn, s, value);
        const double at_r = ckg__belief_violation(lookahead->belief, value, r);

        /* Its best design, and which ones are better than x_r. */
        for (int p = 0; p < m; p++) {
            const double outside = ckg__belief_violation(lookahead->belief, value, p);
            optima->better[p] += outside == 0 && beats(outside, value[0][p], at_r, value[0][r]);
            if (!beats(outside, value[0][p], least, best))
                continue;
            least = outside;
            best = value[0][p];
            winner = p;
        }

        /* The tally. */
        optima->winner[s] = winner;
        optima->wins[winner]++;
        optima->found[s] = least == 0;
    }
}

/* --- refining one x* --- */

/* A draw continued: its points, known ones first, and per outcome what it has there. */
struct local {
    int count;
    double *U;         /* D×ROOM */
    double *value;     /* outcomes × ROOM */
    double *box;       /* 2×D, within which the points may lie */
    double *direction; /* (D) */
};

static int local_take(struct local *local, size_t D, size_t outcomes, struct ckg__arena *arena)
{
    local->count = 0;
    return CKG__TAKE(arena, CKG__ROOM(local->U, D * ROOM), CKG__ROOM(local->value, outcomes * ROOM),
                     CKG__ROOM(local->box, 2 * D), CKG__ROOM(local->direction, D));
}

static double squared_distance(const struct ckg__optima *optima, int D, int p, int q)
{
    double sum = 0;
    for (int k = 0; k < D; k++) {
        const double *row = optima->U + (size_t)k * (size_t)optima->m;
        const double step = row[p] - row[q];
        sum += step * step;
    }
    return sum;
}

/*
 * The winner of draw s and its nearest neighbours with their values; how far the nearest few are is returned.
 */
static double gather(const struct ckg__belief *belief, const struct ckg__optima *optima, int s,
                     struct local *local, double *distance)
{
    const int m = optima->m;
    const int D = ckg__belief_coordinates(belief);
    const int known = m < KNOWN ? m : KNOWN;
    double reach = 0;
    int apart = 0;

    for (int p = 0; p < m; p++)
        distance[p] = squared_distance(optima, D, optima->winner[s], p);
    for (int i = 0; i < known; i++) {
        int nearest = 0;
        for (int p = 1; p < m; p++)
            nearest = distance[p] < distance[nearest] ? p : nearest;
        if (distance[nearest] > 0 && apart < NEAR) {
            reach += sqrt(distance[nearest]);
            apart++;
        }
        distance[nearest] = INFINITY;
        for (int k = 0; k < D; k++)
            local->U[(size_t)k * ROOM + (size_t)i] = optima->U[(size_t)k * (size_t)m + (size_t)nearest];
        for (int j = 0; j < belief->outcomes; j++)
            local->value[j * ROOM + i] = ckg__draws_of(&optima->drawn, j, s)[nearest];
    }
    local->count = known;
    return apart ? reach / apart : 0;
}

/* Fresh points within `reach` of x (D), in the reals. */
static void lay_fresh(int D, const double *x, double reach, struct ckg__rng *rng, struct local *local)
{
    const double *lower = local->box;
    const double *upper = local->box + D;

    for (int p = local->count; p < local->count + FRESH; p++) {
        double square = 0;
        for (int k = 0; k < D; k++) {
            local->direction[k] = lower[k] < upper[k] ? ckg__rng_normal(rng) : 0;
            square += local->direction[k] * local->direction[k];
        }
        const double length = reach * sqrt(ckg__rng_uniform(rng) / square);
        for (int k = 0; k < D; k++)
            local->U[(size_t)k * ROOM + (size_t)p] = fmin(fmax(x[k] + length * local->direction[k], lower[k]),
                                                          upper[k]);
    }
}

/*
 * Draws outcome j at the fresh points given the known ones; *drawn is 0 where the covariance has no factor.
 */
static int draw_fresh(const struct ckg__gp *gp, double jitter, int j, struct ckg__rng *rng,
                      struct local *local, struct ckg__arena *arena, int *drawn)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t known = (size_t)local->count;
    const size_t m = known + FRESH;
    double *L, *z;
    double *value = local->value + (size_t)j * ROOM;
    double added;
    struct ckg__view view;

    if (CKG__TAKE(arena, CKG__ROOM(L, m * m), CKG__ROOM(z, m)) ||
        ckg__view_make(&view, gp, (int)m, local->U, ROOM, arena))
        return CKG_ERR_NOMEM;
    *drawn = !ckg__view_factor(gp, &view, jitter, L, &added);
    for (size_t p = 0; p < known; p++)
        z[p] = value[p] - view.mean[p];
    if (*drawn)
        ckg__dense()->solve_lower((int)known, 1, L, (int)m, z, 1);
    for (size_t p = known; *drawn && p < m; p++) {
        z[p] = ckg__rng_normal(rng);
        value[p] = view.mean[p] + ckg__dense()->dot((int)p + 1, L + p * m, z);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* x (D) ← the best point of the draw so far. */
static void best_point(const struct ckg__belief *belief, const struct local *local, int D, double *x)
{
    const double *value[CKG__MAX_OUTCOMES];
    double least = INFINITY;
    double top = -INFINITY;
    int best = 0;

    for (int j = 0; j < belief->outcomes; j++)
        value[j] = local->value + (size_t)j * ROOM;
    for (int p = 0; p < local->count; p++) {
        const double outside = ckg__belief_violation(belief, value, p);
        if (!beats(outside, local->value[p], least, top))
            continue;
        least = outside;
        top = local->value[p];
        best = p;
    }
    ckg__point_get(D, local->U, ROOM, best, x);
}

static int refine_task(void *context, int index, int worker)
{
    const struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    struct ckg__arena *arena = &search->arena[worker];
    const int o = index / stage->draws;
    const int s = index % stage->draws;
    const struct ckg__optima *optima = &stage->optima[o];
    const struct ckg__belief *belief = search->lookahead[o].belief;
    const int D = search->scope->problem->D;
    double *x = optima->x + (size_t)s * (size_t)D;
    double *distance = ckg__arena_doubles(arena, (size_t)optima->m);
    struct local local;
    struct ckg__rng rng;

    if (!distance || local_take(&local, (size_t)D, (size_t)belief->outcomes, arena))
        return CKG_ERR_NOMEM;

    /* The best of the points already drawn around the draw's winner. */
    double reach = gather(belief, optima, s, &local, distance);
    best_point(belief, &local, D, x);

    /* Only a feasible optimum can be moved, and only in real parameters. */
    if (!optima->found[s] || !ckg__problem_has_reals(search->scope->problem))
        return CKG_OK;

    /* Fresh points around the best so far, closer each time. */
    ckg__rng_seed(&rng, search->seed, search->stream,
                  CKG__FOR_REFINED_OPTIMA + 1024 * (uint64_t)o + (uint64_t)s);
    int status = CKG_OK;
    int drawn = reach > 0;
    for (int round = 0; !status && drawn && round < REFINEMENTS; round++, reach /= 5) {
        ckg__problem_free_box(search->scope->problem, x, local.box, local.box + D);
        lay_fresh(D, x, reach, &rng, &local);
        ckg__search_bring_back(search, x, FRESH, local.U + local.count, ROOM, local.direction);

        /* The draw, continued to them. */
        for (int j = 0; !status && drawn && j < belief->outcomes; j++)
            status = draw_fresh(belief->gp[j], optima->drawn.jitter[j], j, &rng, &local, arena, &drawn);

        /* The best of all, fresh ones included. */
        local.count += drawn ? FRESH : 0;
        best_point(belief, &local, D, x);
    }
    return status;
}

/* --- all of them --- */

static int optima_take(const struct ckg__search *search, int o, int draws, int total,
                       struct ckg__optima *optima)
{
    struct ckg__arena *arena = search->results;
    *optima = (struct ckg__optima){.draws = draws, .total = total};
    if (make_points(search, o, optima))
        return CKG_ERR_NOMEM;
    const size_t m = (size_t)optima->m;
    if (CKG__TAKE(arena, CKG__ROOM(optima->found, (size_t)total),
                  CKG__ROOM(optima->x, (size_t)draws * (size_t)search->scope->problem->D),
                  CKG__ROOM(optima->wins, m), CKG__ROOM(optima->better, m),
                  CKG__ROOM(optima->winner, (size_t)total)))
        return CKG_ERR_NOMEM;
    return ckg__draws_take(&optima->drawn, search->lookahead[o].belief, total, optima->m, optima->U, arena);
}

int ckg__search_optima(struct ckg__search *search, int draws, int total, struct ckg__optima *optima)
{
    const size_t lookaheads = (size_t)search->lookaheads;
    struct stage stage = {search, optima, draws};
    struct ckg__draws *drawn = ckg__arena_get(search->results, lookaheads, sizeof *drawn);
    int status = drawn ? CKG_OK : CKG_ERR_NOMEM;

    /* The points, and all outcomes drawn at them. */
    for (size_t o = 0; !status && o < lookaheads; o++) {
        status = optima_take(search, (int)o, draws, total > draws ? total : draws, &optima[o]);
        drawn[o] = optima[o].drawn;
    }
    if (!status)
        status = ckg__draws_make(search, CKG__DRAWS_OPTIMA, drawn);

    /* The best point of each draw. */
    for (size_t o = 0; !status && o < lookaheads; o++) {
        optima[o].drawn = drawn[o];
        judge(&search->lookahead[o], &optima[o]);
    }

    /* And what the draw has around it. */
    if (!status)
        status = ckg__search_run(search, search->lookaheads * draws, refine_task, &stage);
    return status;
}
