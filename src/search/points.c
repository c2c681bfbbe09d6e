/*
 * Where to look: space-filling points, the data, the neighbourhood of x_r, lattice neighbours.
 *
 * Near a constrained optimum PF falls from 1 to 0 over a width w = sd_k/|∇μ_k|, often 1e-4 of the box: points
 * that know of no such scale find every candidate worthless. So the discretisation holds points at 0.3 … 30 w
 * around x_r.
 */
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/rng.h"
#include "design/allowed.h"
#include "design/sequence.h"
#include "search/search.h"

/* The same over what the rules leave; a local search may find nothing of it, and looks everywhere then. */
static int fill_allowed(const struct ckg__search *search, uint64_t purpose, int count, double *U, int ldu,
                        struct ckg__arena *arena, int *found)
{
    struct ckg__rng rng;

    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_WALKS + purpose);
    return ckg__allowed_fill(search->scope->problem, &rng, search->scope->data->designs,
                             search->scope->data->x, count, U, ldu, arena, found);
}

int ckg__search_fill(const struct ckg__search *search, uint64_t purpose, int count, double *U, int ldu,
                     struct ckg__arena *arena)
{
    if (ckg__ruled(search->scope->problem)) {
        int found = 0;
        const int status = fill_allowed(search, purpose, count, U, ldu, arena, &found);
        if (status || found == count)
            return status;
    }

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg_problem *problem = search->scope->problem;
    const int d = problem->d;
    const int D = problem->D;
    double *cube, *u;

    if (CKG__TAKE(arena, CKG__ROOM(cube, (size_t)count * (size_t)d), CKG__ROOM(u, (size_t)D)))
        return CKG_ERR_NOMEM;
    struct ckg__rng rng;
    ckg__rng_seed(&rng, search->seed, search->stream, purpose);
    ckg__design_sobol(ckg__rng_next(&rng), 0, count, d, cube);
    for (int p = 0; p < count; p++) {
        if (problem->designs)
            ckg__problem_numbered(problem, ckg__rng_below(&rng, problem->designs), u);
        else
            ckg__problem_from_cube(problem, cube + (size_t)p * (size_t)d, u);
        ckg__point_put(D, u, U, ldu, p);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* The largest finite problem whose designs are all looked at; steps of two parameters at once. */
enum { ENUMERATE = 512, FINE_PAIRS = 24, PAIRS = 12 };

/* The best design, where it is known without noise; −1: none is. */
static int best_row(const struct ckg__search *search)
{
    const int best = ckg__surrogates_noisy(search->scope->models) ? -1 : ckg__data_best(search->scope->data);

    return best < 0 ? -1 : search->scope->data->trial[best].design;
}

/*
 * The designs that were evaluated, thinned evenly to `most` with the newest and the best kept; those that
 * break a rule are left out.
 */
static int data_points(const struct ckg__search *search, int most, int *rows)
{
    const int n = search->scope->data->designs;
    const int count = n < most ? n : most;
    const int best = count < n ? best_row(search) : -1;
    double x[CKG_MAX_PARAMETERS];
    int kept = 0;

    for (int i = 0; i < count; i++) {
        const int row = best >= 0 && i == count - 1 ? best : n - 1 - (int)((long)i * n / count);
        const double *u = search->scope->data->u + (size_t)row * (size_t)search->scope->problem->D;
        if (!ckg__ruled(search->scope->problem) || ckg__allowed(search->scope->problem, u, x))
            rows[kept++] = row;
    }
    return kept;
}

int ckg__search_points(struct ckg__search *search)
{
    const struct ckg_problem *problem = search->scope->problem;
    const int D = problem->D;
    const struct ckg__known *known = &problem->known;
    const double size = known->complete ? known->count : ckg__problem_size(problem);

    search->enumerated = size > 0 && size <= ENUMERATE;
    const int filling = search->enumerated ? (int)size : search->size.base;
    const int most = search->enumerated ? 0 : search->size.data;
    int *rows;
    double *u;
    if (CKG__TAKE(search->results, CKG__ROOM(search->U, (size_t)D * (size_t)(filling + most)),
                  CKG__ROOM(rows, (size_t)most + 1), CKG__ROOM(u, (size_t)D)))
        return CKG_ERR_NOMEM;
    const int from_data = most ? data_points(search, most, rows) : 0;
    search->base = filling + from_data;
    for (int i = 0; i < from_data; i++) {
        memcpy(u, search->scope->data->u + (size_t)rows[i] * (size_t)D, (size_t)D * sizeof *u);
        if (!search->scope->to_outer)
            ckg__problem_snap(problem, u);
        ckg__point_put(D, u, search->U, search->base, filling + i);
    }
    if (!search->enumerated)
        return ckg__search_fill(search, CKG__FOR_BASE_POINTS, filling, search->U, search->base,
                                search->results);
    for (int i = 0; i < filling; i++) {
        ckg__problem_numbered(problem, known->complete ? known->number[i] : i, u);
        ckg__point_put(D, u, search->U, search->base, i);
    }
    return CKG_OK;
}

/* A random direction in the reals. */
static void random_direction(const struct ckg_problem *problem, struct ckg__rng *rng, double *direction)
{
    for (int k = 0; k < problem->D; k++)
        direction[k] = 0;
    for (int i = 0; i < problem->d; i++)
        if (ckg__is_real(&problem->parameters[i]))
            direction[problem->parameters[i].offset] = ckg__rng_normal(rng);
}

/* Directions of interest at x_r: gradients of the outcomes' means (outcomes × D), reals alone. */
static int mean_gradients(const struct ckg__search *search, const struct ckg__lookahead *lookahead,
                          struct ckg__arena *arena, double *gradients)
{
    const struct ckg_problem *problem = search->scope->problem;
    const int D = problem->D;
    double mean;

    for (int j = 0; j < lookahead->belief->outcomes; j++) {
        double *g = gradients + (size_t)j * (size_t)D;
        if (ckg__posterior_mean(lookahead->belief->gp[j], 1, lookahead->x_r, 1, arena, &mean, g))
            return CKG_ERR_NOMEM;
        for (int i = 0; i < problem->d; i++)
            for (int k = 0; !ckg__is_real(&problem->parameters[i]) && k < problem->parameters[i].width; k++)
                g[problem->parameters[i].offset + k] = 0;
    }
    return CKG_OK;
}

static double length(int D, const double *v)
{
    double sum = 0;
    for (int k = 0; k < D; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

/*
 * Column p of U ← x_r + reach·direction/|direction|, within the box; what the direction leaves alone stays.
 */
static void step_from(const double *x_r, int D, double reach, const double *direction, double *U, int ldu,
                      int p)
{
    const double norm = length(D, direction);
    for (int k = 0; k < D; k++) {
        const double to = x_r[k] + (norm > 0 ? reach * direction[k] / norm : 0);
        U[(size_t)k * (size_t)ldu + (size_t)p] = direction[k] == 0 ? x_r[k] : to < 0 ? 0 : to > 1 ? 1 : to;
    }
}

/* A slope below this, in model units over the unit cube, is none. */
static const double flat = 1e-4;

/*
 * Directions and reaches for radial points: along the outcomes' gradients and at random, 0.3 … 30 widths
 * away.
 */
static void radial_points(const struct ckg__search *search, const struct ckg__lookahead *lookahead,
                          const double *gradients, struct ckg__rng *rng, int count, double *direction,
                          double *U, int ldu)
{
    const int D = search->scope->problem->D;
    const int outcomes = lookahead->belief->outcomes;

    for (int p = 0; p < count; p++) {
        const int along = p % (2 * outcomes + 2);
        const double reach = lookahead->width * 0.3 * ckg__pow(100, (p + 0.5) / count);
        const double sign = along % 2 ? -1 : 1;
        if (along < 2 * outcomes)
            memcpy(direction, gradients + (size_t)(along / 2) * (size_t)D, (size_t)D * sizeof *direction);
        /* at an optimum of its own a mean's gradient is rounding, and no direction */
        if (along >= 2 * outcomes || !(length(D, direction) > flat))
            random_direction(search->scope->problem, rng, direction);
        step_from(lookahead->x_r, D, sign * reach, direction, U, ldu, p);
    }
}

/*
 * Random directions within the cliff's edge: what leads along the gradients of the active constraints is
 * taken out.
 */
static void edge_points(const struct ckg__search *search, const struct ckg__lookahead *lookahead,
                        const double *gradients, struct ckg__rng *rng, int count, double *direction,
                        double *U, int ldu)
{
    const int D = search->scope->problem->D;

    for (int p = 0; p < count; p++) {
        random_direction(search->scope->problem, rng, direction);
        for (int j = 1; j < lookahead->belief->outcomes; j++) {
            const double *g = gradients + (size_t)j * (size_t)D;
            const double norm = length(D, g);
            double along = 0;
            for (int k = 0; k < D; k++)
                along += direction[k] * g[k];
            for (int k = 0; lookahead->active[j] && norm > flat && k < D; k++)
                direction[k] -= along * g[k] / (norm * norm);
        }
        if (!(length(D, direction) > flat)) /* no edge to follow: x_r is a corner of constraints */
            random_direction(search->scope->problem, rng, direction);
        step_from(lookahead->x_r, D, 0.004 * ckg__pow(100, (p + 0.5) / count), direction, U, ldu, p);
    }
}

/* How many standard deviations a point on the edge keeps from a limit. */
static const double edge_margin = 2.5;

/*
 * One Newton step of m points towards the edge of constraint j, for those beyond it and, where it is active
 * at x_r, those before it.
 */
static int slide_to_edge(const struct ckg__search *search, const struct ckg__lookahead *lookahead, int j,
                         int m, double *U, int ldu, struct ckg__arena *arena)
{
    const struct ckg_problem *problem = search->scope->problem;
    const struct ckg__limits limits = ckg__belief_limits(lookahead->belief, j);
    const size_t D = (size_t)problem->D;
    const size_t points = (size_t)m;
    double *room = ckg__arena_doubles(arena, points * (2 + 2 * D));

    if (!room)
        return CKG_ERR_NOMEM;
    struct ckg__batch batch = {room, room + points, room + 2 * points, room + (2 + D) * points};
    if (ckg__posterior_batch(lookahead->belief->gp[j], m, U, ldu, arena, &batch, NULL))
        return CKG_ERR_NOMEM;

    for (size_t p = 0; p < points; p++) {
        /* How far the point is beyond the edge, which keeps a margin from the limit. */
        const double s = sqrt(batch.var[p] + limits.floor + limits.chance);
        const double mean = batch.mean[p];
        const int upper = limits.upper - mean < mean - limits.lower;
        const double excess = upper ? mean - (limits.upper - edge_margin * s)
                                    : (limits.lower + edge_margin * s) - mean;

        /* The slope in the reals, where there is one to follow. */
        double square = 0;
        for (int i = 0; i < problem->d; i++)
            if (ckg__is_real(&problem->parameters[i]))
                square += ckg__square(batch.dmean[(size_t)problem->parameters[i].offset * points + p]);
        if (!(square > 0) || (excess < 0 && !lookahead->active[j]))
            continue;

        /* Newton's step down it. */
        for (int i = 0; i < problem->d; i++) {
            if (!ckg__is_real(&problem->parameters[i]))
                continue;
            double *u = &U[(size_t)problem->parameters[i].offset * (size_t)ldu + p];
            const double slope = batch.dmean[(size_t)problem->parameters[i].offset * points + p];
            const double to = *u - (upper ? 1 : -1) * excess * slope / square;
            *u = to < 0 ? 0 : to > 1 ? 1 : to;
        }
    }
    return CKG_OK;
}

void ckg__search_bring_back(const struct ckg__search *search, const double *from, int count, double *U,
                            int ldu, double *u)
{
    const struct ckg_problem *problem = search->scope->problem;
    double x[CKG_MAX_PARAMETERS];

    for (int p = 0; ckg__ruled(problem) && p < count; p++) {
        ckg__point_get(problem->D, U, ldu, p, u);
        if (ckg__allowed(problem, u, x))
            continue;
        ckg__allowed_return(problem, from, u);
        ckg__point_put(problem->D, u, U, ldu, p);
    }
}

int ckg__search_faces(const struct ckg__search *search, uint64_t set, const double *from, int count,
                      double *U, int ldu)
{
    const struct ckg_problem *problem = search->scope->problem;
    double *u = ckg__arena_doubles(search->results, (size_t)problem->D);
    struct ckg__rng rng;

    if (!u || ckg__search_fill(search, CKG__FOR_FACES + set, count, U, ldu, search->results))
        return CKG_ERR_NOMEM;
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_FACES_SIDES + set);
    for (int i = 0; i < problem->d; i++)
        for (int p = 0; ckg__is_real(&problem->parameters[i]) && p < count; p++) {
            double *at = &U[(size_t)problem->parameters[i].offset * (size_t)ldu + (size_t)p];
            if (ckg__rng_uniform(&rng) < 0.5)
                *at = *at < 0.5 ? 0 : 1;
        }
    ckg__search_bring_back(search, from, count, U, ldu, u);
    return CKG_OK;
}

int ckg__search_around(const struct ckg__search *search, const struct ckg__lookahead *lookahead,
                       uint64_t purpose, int count, double *U, int ldu, struct ckg__arena *arena)
{
    enum { SLIDES = 3 };
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = search->scope->problem->D;
    const int outcomes = lookahead->belief->outcomes;
    const int radial = count / 2;
    const int edge = count - radial;
    double *gradients, *direction;
    if (CKG__TAKE(arena, CKG__ROOM(gradients, (size_t)outcomes * (size_t)D),
                  CKG__ROOM(direction, (size_t)D)) ||
        mean_gradients(search, lookahead, arena, gradients))
        return CKG_ERR_NOMEM;
    struct ckg__rng rng;
    ckg__rng_seed(&rng, search->seed, search->stream, purpose);
    radial_points(search, lookahead, gradients, &rng, radial, direction, U, ldu);
    edge_points(search, lookahead, gradients, &rng, edge, direction, U + radial, ldu);
    for (int i = 0; edge && i < SLIDES; i++)
        for (int j = 1; j < outcomes; j++)
            if (slide_to_edge(search, lookahead, j, edge, U + radial, ldu, arena))
                return CKG_ERR_NOMEM;
    ckg__search_bring_back(search, lookahead->x_r, count, U, ldu, direction);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/*
 * A stepped parameter's value at u, in the cube, moved on turn number `turn`: by one up or down, then
 * farther. On a log scale far is a matter of the cube.
 */
static double step_along(const struct ckg__parameter *q, double u, int turn, struct ckg__rng *rng)
{
    const double sign = turn % 2 ? -1 : 1;
    const double from = ckg__step_from_unit(q, u);
    const double reach = turn < 2 ? 1 : floor(ckg__pow(q->steps, ckg__rng_uniform(rng)));
    double to = from + sign * reach;

    if (turn >= 2 && q->scale == CKG_LOG)
        to = ckg__step_from_unit(q, u + sign * reach / q->steps);
    if (to == from)
        to += sign;
    return to < 0 || to > q->steps ? NAN : ckg__step_to_unit(q, to);
}

/*
 * From column `count` on, steps of two fine parameters at once: along the edge of what is feasible both must
 * move. How many columns there are then.
 */
static int pair_steps(const struct ckg_problem *problem, const double *u, struct ckg__rng *rng, int most,
                      double *U, int ldu, int count)
{
    const int d = problem->d;

    for (int turn = 0; turn < FINE_PAIRS && count < most; turn++) {
        double moved = 0;

        ckg__point_put(problem->D, u, U, ldu, count);
        for (int k = 0, i = ckg__rng_below(rng, d); k < d && moved < 2; k++, i = (i + 1) % d) {
            const struct ckg__parameter *q = &problem->parameters[i];
            if (!ckg__is_fine(q) || (moved == 1 && d - k > 2 && ckg__rng_uniform(rng) < 0.5))
                continue;
            const double to = step_along(q, u[q->offset], 2 + ckg__rng_below(rng, 2), rng);
            moved = isnan(to) ? INFINITY : moved + 1;
            U[(size_t)q->offset * (size_t)ldu + (size_t)count] = to;
        }
        count += moved == 2;
    }
    return count;
}

/* Steps of one parameter each, and of two fine ones, whatever the rules say. */
static int lattice_neighbours(const struct ckg__search *search, const double *u, uint64_t purpose, int most,
                              double *U, int ldu)
{
    const struct ckg_problem *problem = search->scope->problem;
    const int d = problem->d;
    struct ckg__rng rng;
    int discrete = 0;
    int count = 0;

    /* Only a lattice has neighbours. */
    for (int i = 0; i < d; i++)
        discrete += !ckg__is_real(&problem->parameters[i]);
    if (!discrete || problem->designs)
        return 0;

    /* The parameters in turn, each moved alone. */
    ckg__rng_seed(&rng, search->seed, search->stream, purpose);
    for (int turn = 0; turn < 4 * d && count < most; turn++) {
        const struct ckg__parameter *q = &problem->parameters[turn % d];
        double *at = U + (size_t)q->offset * (size_t)ldu + (size_t)count;
        if (ckg__is_real(q))
            continue;
        ckg__point_put(problem->D, u, U, ldu, count);
        if (ckg__is_stepped(q)) {
            *at = step_along(q, u[q->offset], turn / d, &rng);
            if (isnan(*at))
                continue;
        } else {
            const int to = ckg__rng_below(&rng, q->count);
            for (int v = 0; v < q->count; v++)
                at[(size_t)v * (size_t)ldu] = v == to ? 0.70710678118654752440 : 0;
        }
        count++;
    }
    return ckg__problem_fine(problem) > 1 ? pair_steps(problem, u, &rng, most, U, ldu, count) : count;
}

/*
 * Of the neighbours those that obey the rules, if need be with their reals moved; then some that are steps of
 * two parameters at once, for a rule may tie them together. v (2D) is scratch.
 */
static int allowed_neighbours(const struct ckg__search *search, const double *u, uint64_t purpose, int most,
                              int count, double *U, int ldu, double *v)
{
    const struct ckg_problem *problem = search->scope->problem;
    const int room = count + (most - count < PAIRS ? most - count : PAIRS);
    double x[CKG_MAX_PARAMETERS];
    struct ckg__rng rng;
    int kept = 0;

    for (int p = 0; p < count; p++) {
        ckg__point_get(problem->D, U, ldu, p, v);
        if (ckg__allowed_nearest(problem, NULL, NULL, v, NULL))
            ckg__point_put(problem->D, v, U, ldu, kept++);
    }
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_WALKS + purpose);
    for (int p = 0; p < PAIRS && kept < room && ckg__allowed(problem, u, x); p++) {
        memcpy(v, u, (size_t)problem->D * sizeof *v);
        ckg__allowed_step(problem, &rng, v, v + problem->D);
        ckg__point_put(problem->D, v, U, ldu, kept++);
    }
    return kept;
}

int ckg__search_neighbours(const struct ckg__search *search, const double *u, uint64_t purpose, int most,
                           double *U, int ldu, struct ckg__arena *arena, int *count)
{
    *count = lattice_neighbours(search, u, purpose, most, U, ldu);
    if (!*count || !ckg__ruled(search->scope->problem))
        return CKG_OK;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *v = ckg__arena_doubles(arena, 2 * (size_t)search->scope->problem->D);
    if (!v)
        return CKG_ERR_NOMEM;
    *count = allowed_neighbours(search, u, purpose, most, *count, U, ldu, v);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__search_taken(const struct ckg__search *search, const double *u, double *x)
{
    if (!ckg__allowed(search->scope->problem, u, x))
        return 1;
    const int design = ckg__data_find(search->scope->data, x);
    if (design < 0)
        return 0;
    if (!search->apart)
        return ckg__data_pending(search->scope->data, design) ||
               ckg__data_settled(search->scope->data, design);

    /* Where outcomes are measured apart, a design is free while one of them is. */
    int open = 0;
    for (int unit = 0; !open && unit < ckg__problem_units(search->scope->problem); unit++) {
        const struct ckg__set set = ckg__problem_unit(search->scope->problem, unit);
        open = ckg__data_open(search->scope->data, design, &set);
    }
    return !open;
}
