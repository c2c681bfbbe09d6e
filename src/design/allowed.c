/*
 * Points that fill what the rules leave. Where the rules leave much, a Sobol sequence without those that
 * break one. Where they leave little, walks from allowed points: along a random line, to a random point of it
 * within the box, and nearer and nearer until it is allowed (the shrinking of slice sampling, Neal 2003; hit
 * and run, Smith 1984); or to another value of an integer or a category, the reals following.
 */
#include "design/allowed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "design/sequence.h"
#include "problem/rules.h"

enum { CHUNK = 32, PER_POINT = 8, SHRINKS = 60, LHS_TRIES = 20, POOL = 160, PER_DESIGN = 8, STARTS = 64 };

/* --- walks --- */

/* The reals of u (D) moved by t along the direction (D), from `from`; within the box. */
static void move(const ckg_problem *problem, const double *lower, const double *upper, const double *from,
                 const double *direction, double t, double *u)
{
    for (int i = 0; i < problem->d; i++) {
        const int k = problem->parameters[i].offset;
        if (ckg__is_real(&problem->parameters[i]))
            u[k] = fmin(fmax(from[k] + t * direction[i], lower ? lower[k] : 0), upper ? upper[k] : 1);
    }
}

/* direction (d): along one real, or along all of them; how far the box reaches both ways. */
static void choose_line(const ckg_problem *problem, struct ckg__rng *rng, const double *lower,
                        const double *upper, const double *u, double *direction, double *back, double *forth)
{
    const int one = ckg__rng_uniform(rng) < 0.5 ? ckg__rng_below(rng, problem->d) : -1;

    *back = -INFINITY;
    *forth = INFINITY;
    for (int i = 0; i < problem->d; i++) {
        const int k = problem->parameters[i].offset;
        const double normal = ckg__rng_normal(rng);

        direction[i] = !ckg__is_real(&problem->parameters[i]) || (one >= 0 && i != one) ? 0 : normal;
        if (direction[i] == 0)
            continue;
        const double low = ((lower ? lower[k] : 0) - u[k]) / direction[i];
        const double high = ((upper ? upper[k] : 1) - u[k]) / direction[i];
        *back = fmax(*back, fmin(low, high));
        *forth = fmin(*forth, fmax(low, high));
    }
}

/* A step over the reals; `from` (D) is scratch. */
static void step_reals(const ckg_problem *problem, struct ckg__rng *rng, const double *lower,
                       const double *upper, double *u, double *from)
{
    double direction[CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS];
    double back, forth;

    choose_line(problem, rng, lower, upper, u, direction, &back, &forth);
    if (!(back < forth) || !isfinite(back) || !isfinite(forth))
        return;
    memcpy(from, u, (size_t)problem->D * sizeof *u);
    for (int i = 0; i < SHRINKS; i++) {
        const double t = back + (forth - back) * ckg__rng_uniform(rng);
        move(problem, lower, upper, from, direction, t, u);
        if (ckg__allowed(problem, u, x))
            return;
        *(t < 0 ? &back : &forth) = t;
    }
    memcpy(u, from, (size_t)problem->D * sizeof *u);
}

/* Another value of a discrete parameter at x: any, or one beside it. */
static double other_value(const struct ckg__parameter *q, struct ckg__rng *rng, double x)
{
    const double values = ckg__parameter_values(q);
    const double at = ckg__step_number(q, x);
    const double beside = at + (ckg__rng_uniform(rng) < 0.5 ? -1 : 1);

    if (q->kind != CKG_CATEGORICAL && ckg__rng_uniform(rng) < 0.5 && beside >= 0 && beside < values)
        return ckg__step_value(q, beside);
    return ckg__step_value(q, fmin(floor(ckg__rng_uniform(rng) * values), values - 1));
}

/* 1 when the discrete coordinates of u (D) lie within lower … upper. */
static int within(const ckg_problem *problem, const double *lower, const double *upper, const double *u)
{
    for (int i = 0; lower && i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        if (q->kind != CKG_CATEGORICAL &&
            (u[q->offset] < lower[q->offset] - 1e-9 || u[q->offset] > upper[q->offset] + 1e-9))
            return 0;
    }
    return 1;
}

/* A step over one discrete parameter, or two at once; the reals follow where they must. */
static void step_lattice(const ckg_problem *problem, struct ckg__rng *rng, const double *lower,
                         const double *upper, const int *discrete, int count, double *u, double *from)
{
    double x[CKG_MAX_PARAMETERS];
    const int moves = count > 1 && ckg__rng_uniform(rng) < 0.4 ? 2 : 1;

    memcpy(from, u, (size_t)problem->D * sizeof *u);
    ckg__problem_from_unit(problem, u, x);
    for (int m = 0; m < moves; m++) {
        const int i = discrete[ckg__rng_below(rng, count)];
        x[i] = other_value(&problem->parameters[i], rng, x[i]);
    }
    ckg__problem_to_unit(problem, x, u);

    /* The reals are not to change by the way through the user's units. */
    for (int i = 0; i < problem->d; i++)
        if (ckg__is_real(&problem->parameters[i]))
            u[problem->parameters[i].offset] = from[problem->parameters[i].offset];
    if (!within(problem, lower, upper, u) || !ckg__allowed_nearest(problem, lower, upper, u, NULL))
        memcpy(u, from, (size_t)problem->D * sizeof *u);
}

/* The discrete parameters; how many. */
static int find_discrete(const ckg_problem *problem, int *discrete)
{
    int count = 0;

    for (int i = 0; i < problem->d; i++)
        if (!ckg__is_real(&problem->parameters[i]))
            discrete[count++] = i;
    return count;
}

void ckg__allowed_step(const ckg_problem *problem, struct ckg__rng *rng, double *u, double *scratch)
{
    int discrete[CKG_MAX_PARAMETERS];
    const int count = find_discrete(problem, discrete);

    if (count)
        step_lattice(problem, rng, NULL, NULL, discrete, count, u, scratch);
}

/* The walk with scratch (D). */
static void walk(const ckg_problem *problem, struct ckg__rng *rng, const double *lower, const double *upper,
                 int steps, double *u, double *scratch)
{
    int discrete[CKG_MAX_PARAMETERS];
    const int count = find_discrete(problem, discrete);

    for (int s = 0; s < steps; s++)
        if (count && (count == problem->d || ckg__rng_uniform(rng) < 0.5))
            step_lattice(problem, rng, lower, upper, discrete, count, u, scratch);
        else
            step_reals(problem, rng, lower, upper, u, scratch);
}

int ckg__allowed_walk(const ckg_problem *problem, struct ckg__rng *rng, const double *lower,
                      const double *upper, double *u, struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *scratch = ckg__arena_doubles(arena, (size_t)problem->D);
    const int steps = 8 + (problem->d < 16 ? 2 * problem->d : 32);

    if (!scratch)
        return CKG_ERR_NOMEM;
    walk(problem, rng, lower, upper, steps, u, scratch);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- filling --- */

static void put(int D, const double *u, double *U, int ldu, int p)
{
    for (int k = 0; k < D; k++)
        U[(size_t)k * (size_t)ldu + (size_t)p] = u[k];
}

static void get(int D, const double *U, int ldu, int p, double *u)
{
    for (int k = 0; k < D; k++)
        u[k] = U[(size_t)k * (size_t)ldu + (size_t)p];
}

/* What is allowed of a Sobol sequence, until there are `count`; how many. u (D) is scratch. */
static int from_sequence(const ckg_problem *problem, struct ckg__rng *rng, int count, double *U, int ldu,
                         double *u)
{
    double cube[CHUNK * CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS];
    const uint64_t seed = ckg__rng_next(rng);
    int found = 0;

    for (int p = 0; p < PER_POINT * count && found < count; p++) {
        if (p % CHUNK == 0)
            ckg__design_sobol(seed, p, CHUNK, problem->d, cube);
        ckg__problem_on_lattice(problem, cube + (size_t)(p % CHUNK) * (size_t)problem->d, u);
        if (ckg__allowed(problem, u, x))
            put(problem->D, u, U, ldu, found++);
    }
    return found;
}

/* u (D) ← the design x (d), if it is one of the problem's and allowed there. */
static int begin_at(const ckg_problem *problem, const double *x, double *u)
{
    double back[CKG_MAX_PARAMETERS];

    for (int i = 0; i < problem->d; i++)
        if (x[i] < problem->parameters[i].low || x[i] > problem->parameters[i].high)
            return 0;
    ckg__problem_to_unit(problem, x, u);
    ckg__problem_snap(problem, u);
    return ckg__allowed(problem, u, back) || ckg__allowed_nearest(problem, NULL, NULL, u, NULL);
}

/* starts (STARTS × D) ← allowed points that are known; how many. */
static int gather_starts(const ckg_problem *problem, int hints, const double *hint, double *starts)
{
    const size_t d = (size_t)problem->d;
    const struct ckg__known *known = &problem->known;
    const int each = known->count > STARTS / 2 ? known->count / (STARTS / 2) : 1;
    int count = 0;

    for (int h = hints - 1; h >= 0 && count < STARTS / 2; h--)
        count += begin_at(problem, hint + (size_t)h * d, starts + (size_t)count * (size_t)problem->D);
    for (int h = 0; h < known->count && count < STARTS; h += each)
        count += begin_at(problem, known->x + (size_t)h * d, starts + (size_t)count * (size_t)problem->D);
    return count;
}

/*
 * Points found + 1 … count by walks from the starts, then from points that are there, the new ones too; how
 * many there are.
 */
static int by_walks(const ckg_problem *problem, struct ckg__rng *rng, int starts, const double *start,
                    int count, double *U, int ldu, int found, double *u, double *scratch)
{
    const int D = problem->D;
    const int steps = 2 + problem->d / 4;
    const int had = found;

    for (; found < count && starts + had > 0; found++) {
        const int from = found - had;

        if (from < starts)
            memcpy(u, start + (size_t)from * (size_t)D, (size_t)D * sizeof *u);
        else
            get(D, U, ldu, from - starts, u);
        walk(problem, rng, NULL, NULL, steps, u, scratch);
        put(D, u, U, ldu, found);
    }
    return found;
}

/* Points of those that are all there are. */
static void from_complete(const ckg_problem *problem, struct ckg__rng *rng, int count, double *U, int ldu,
                          double *u)
{
    for (int p = 0; p < count; p++) {
        const int at = ckg__rng_below(rng, problem->known.count);
        ckg__problem_to_unit(problem, problem->known.x + (size_t)at * (size_t)problem->d, u);
        put(problem->D, u, U, ldu, p);
    }
}

int ckg__allowed_fill(const ckg_problem *problem, struct ckg__rng *rng, int hints, const double *hint,
                      int count, double *U, int ldu, struct ckg__arena *arena, int *found)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t D = (size_t)problem->D;
    double *u, *start;

    if (CKG__TAKE(arena, CKG__ROOM(u, 2 * D), CKG__ROOM(start, STARTS * D)))
        return CKG_ERR_NOMEM;
    *found = 0;
    if (problem->known.complete) {
        from_complete(problem, rng, count, U, ldu, u);
        *found = count;
    } else {
        *found = from_sequence(problem, rng, count, U, ldu, u);
    }

    /* Walks for the rest. */
    if (*found < count) {
        const int starts = gather_starts(problem, hints, hint, start);
        *found = by_walks(problem, rng, starts, start, count, U, ldu, *found, u, u + D);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- an initial design --- */

/* What is allowed of a Latin hypercube of n points: U (n × D), *count of them. */
static int from_hypercube(const ckg_problem *problem, struct ckg__rng *rng, int n, double *U, double *cube,
                          int *order, struct ckg__interrupt *interrupt, int *count)
{
    const size_t d = (size_t)problem->d;
    double x[CKG_MAX_PARAMETERS];

    *count = 0;
    if (ckg__design_lhs(rng, n, problem->d, LHS_TRIES, cube, cube + (size_t)n * d, order, interrupt))
        return CKG_ERR_CANCELLED;
    for (int p = 0; p < n; p++) {
        double *u = U + (size_t)*count * (size_t)problem->D;
        ckg__problem_from_cube(problem, cube + (size_t)p * d, u);
        *count += ckg__allowed(problem, u, x);
    }
    return CKG_OK;
}

static double squared_distance(int D, const double *u, const double *U, int ldu, int p)
{
    double sum = 0;
    for (int k = 0; k < D; k++)
        sum += ckg__square(u[k] - U[(size_t)k * (size_t)ldu + (size_t)p]);
    return sum;
}

/* U (n × D) from `count` on ← of the pool (D×m) those that are farthest from what is there. */
static int add_farthest(int D, int n, int count, double *U, int m, const double *pool, double *nearest,
                        struct ckg__interrupt *interrupt)
{
    const double work = (double)m * D;

    for (int p = 0; p < m; p++)
        nearest[p] = INFINITY;
    for (int i = 0; i < count; i++) {
        if (ckg__interrupted_by(interrupt, work))
            return CKG_ERR_CANCELLED;
        for (int p = 0; p < m; p++)
            nearest[p] = fmin(nearest[p], squared_distance(D, U + (size_t)i * (size_t)D, pool, m, p));
    }
    for (; count < n; count++) {
        double *u = U + (size_t)count * (size_t)D;
        int far = 0;

        if (ckg__interrupted_by(interrupt, work))
            return CKG_ERR_CANCELLED;

        for (int p = 1; p < m; p++)
            far = nearest[p] > nearest[far] ? p : far;
        get(D, pool, m, far, u);
        for (int p = 0; p < m; p++)
            nearest[p] = fmin(nearest[p], squared_distance(D, u, pool, m, p));
    }
    return CKG_OK;
}

/* U (n × D) from `count` on ← points of the pool (D×m) as they come. */
static void add_next(int D, int n, int count, double *U, int m, const double *pool)
{
    for (int p = 0; count < n; p++, count++)
        get(D, pool, m, p, U + (size_t)count * (size_t)D);
}

int ckg__allowed_design(const ckg_problem *problem, struct ckg__rng *rng, int n, double *U,
                        struct ckg__arena *arena, struct ckg__interrupt *interrupt)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int wanted = PER_DESIGN * n > POOL ? PER_DESIGN * n : POOL;
    const int many = (double)wanted * n * problem->D > CKG__LHS_WORK;
    const int m = many ? n : wanted;
    double *cube, *pool, *nearest;
    int *order;
    int found;
    int count;

    if (CKG__TAKE(arena, CKG__ROOM(cube, 2 * (size_t)n * (size_t)problem->d),
                  CKG__ROOM(pool, (size_t)m * (size_t)problem->D), CKG__ROOM(nearest, m),
                  CKG__ROOM(order, 2 * (size_t)n)))
        return CKG_ERR_NOMEM;

    /* What is allowed of a hypercube. */
    int status = from_hypercube(problem, rng, n, U, cube, order, interrupt, &count);

    /* The farthest of many for the rest. */
    if (!status && count < n) {
        status = ckg__allowed_fill(problem, rng, 0, NULL, m, pool, m, arena, &found);
        assert(status || found == m);
    }
    if (!status && many)
        add_next(problem->D, n, count, U, m, pool);
    else if (!status && count < n)
        status = add_farthest(problem->D, n, count, U, m, pool, nearest, interrupt);
    ckg__arena_release(arena, mark);
    return status;
}
