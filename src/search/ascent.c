/* Local search over mixed designs; see ascent.h. */
#include "search/ascent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "design/allowed.h"

/* A climb over fine steps takes so many times more rounds: most of its steps are not the longest it could
 * take. */
enum { FINE_ROUNDS = 4 };

/*
 * Rules while climbing: the value of a point is that of the nearest allowed point, and its slope is taken
 * along the limits that hold that one. So a climb that runs into a rule slides along it, and a top on a
 * rule's limit is a top like any other. Where no allowed point is found the value is −INFINITY.
 */
struct fenced {
    const struct ckg_problem *problem;
    ckg__batch_function values_and_slopes;
    void *context;
    const double *lower, *upper; /* (starts × D) */
};

/* What is looked at in a batch: the nearest points, and how they move. */
struct nearest {
    double *U; /* D×m */
    double *u; /* (D) */
    struct ckg__tangent *tangent;
    char *found;
};

static int nearest_take(struct nearest *n, size_t D, size_t m, struct ckg__arena *arena)
{
    return CKG__TAKE(arena, CKG__ROOM(n->U, D * m), CKG__ROOM(n->u, D), CKG__ROOM(n->tangent, m),
                     CKG__ROOM(n->found, m));
}

static int fenced_batch(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                        double *value, double *gradient)
{
    const struct fenced *fenced = context;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = fenced->problem->D;
    struct nearest n;

    if (nearest_take(&n, (size_t)D, (size_t)m, arena))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < m; p++) {
        const size_t start = (size_t)which[p] * (size_t)D;
        ckg__point_get(D, U, m, p, n.u);
        n.found[p] = (char)ckg__allowed_nearest(fenced->problem, fenced->lower + start, fenced->upper + start,
                                                n.u, &n.tangent[p]);
        ckg__point_put(D, n.u, n.U, m, p);
    }
    const int status = fenced->values_and_slopes(fenced->context, m, n.U, which, arena, value, gradient);
    for (int p = 0; !status && p < m; p++) {
        if (n.found[p])
            ckg__tangent_apply(&n.tangent[p], gradient + p, m);
        else
            value[p] = -INFINITY;
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* The tops as the allowed points that they stand for. */
static void settle(const struct fenced *fenced, int starts, double *X)
{
    const size_t D = (size_t)fenced->problem->D;

    for (size_t s = 0; s < (size_t)starts; s++)
        ckg__allowed_nearest(fenced->problem, fenced->lower + s * D, fenced->upper + s * D, X + s * D, NULL);
}

/* A function whose values are −INFINITY once it is late, but for the first. */
struct timed {
    const struct ckg__search *search;
    ckg__batch_function values_and_slopes;
    void *context;
    int rounds;
};

static int timed_batch(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                       double *value, double *gradient)
{
    struct timed *timed = context;

    if (!timed->rounds++ || !(ckg__clock() > timed->search->deadline))
        return timed->values_and_slopes(timed->context, m, U, which, arena, value, gradient);
    for (int p = 0; p < m; p++)
        value[p] = -INFINITY;
    memset(gradient, 0, (size_t)m * (size_t)timed->search->scope->problem->D * sizeof *gradient);
    return CKG_OK;
}

/* Climbing on a lattice point is staying where one is in all but the reals: the box holds the rest fixed. */
int ckg__ascend_function(const struct ckg__search *search, ckg__batch_function values_and_slopes,
                         void *context, const struct ckg__lbfgs_options *options, int starts, double *X,
                         double *value, struct ckg__arena *arena)
{
    const struct ckg_problem *problem = search->scope->problem;
    struct timed timed = {search, values_and_slopes, context, 0};
    const int hurried = isfinite(search->deadline);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t D = (size_t)problem->D;
    const size_t size = (size_t)starts * D;
    double *lower = ckg__arena_doubles(arena, size);
    double *upper = ckg__arena_doubles(arena, size);
    ckg__batch_function function = hurried ? timed_batch : values_and_slopes;
    void *about = hurried ? &timed : context;
    struct fenced fenced = {problem, function, about, lower, upper};

    assert(starts > 0);

    if (!lower || !upper)
        return CKG_ERR_NOMEM;
    for (size_t s = 0; s < (size_t)starts; s++)
        ckg__problem_free_box(problem, X + s * D, lower + s * D, upper + s * D);
    const int ruled = ckg__ruled(problem);
    const int status = ckg__multistart(ruled ? fenced_batch : function, ruled ? &fenced : about, problem->D,
                                       starts, lower, upper, options, X, value, arena);
    if (!status && ruled)
        settle(&fenced, starts, X);
    ckg__arena_release(arena, mark);
    return status;
}

int ckg__ascend_reals(const struct ckg__search *search, const struct ckg__ascent *ascent,
                      const struct ckg__lbfgs_options *options, int starts, double *X, double *value,
                      struct ckg__arena *arena)
{
    return ckg__ascend_function(search, ascent->values_and_slopes, ascent->context, options, starts, X, value,
                                arena);
}

int ckg__ascend_again(const struct ckg__search *search, const struct ckg__ascent *ascent,
                      const struct ckg__ascend_again *how, double *u, double *value, struct ckg__arena *arena)
{
    const struct ckg__lbfgs_options options = {6, how->evaluations, fmin(0.3 * how->width, 1e-2), 1e-8,
                                               1e-12};
    double gained = INFINITY;
    int status = CKG_OK;

    for (int i = 0; i < how->times && gained > how->enough && !ckg__search_late(search); i++) {
        double reached;
        status = ckg__ascend_reals(search, ascent, &options, 1, u, &reached, arena);
        if (status)
            break;
        gained = reached - *value;
        *value = gained > 0 ? reached : *value;
    }
    return status;
}

/* v (D) and its value ← the best of the neighbours of u (D) that may be stepped to; *found is 0: none. */
static int best_neighbour(const struct ckg__search *search, const struct ckg__ascent *ascent,
                          const struct ckg__ascend_lattice *how, int round, const double *u,
                          struct ckg__arena *arena, double *v, double *value, int *found)
{
    const int D = search->scope->problem->D;
    const int most = how->neighbours;
    double x[CKG_MAX_PARAMETERS], values[CKG__MOST_NEIGHBOURS];
    double *U = ckg__arena_doubles(arena, (size_t)most * (size_t)D);
    int best = -1;

    if (!U)
        return CKG_ERR_NOMEM;
    int count = 0;
    int status = ckg__search_neighbours(search, u, how->purpose + (uint64_t)round, most, U, most, arena,
                                        &count);
    if (!status && count)
        status = ascent->values(ascent->context, count, U, most, arena, values);
    for (int p = 0; !status && p < count; p++) {
        ckg__point_get(D, U, most, p, v);
        if ((best < 0 || values[p] > values[best]) && !(how->free_only && ckg__search_taken(search, v, x)))
            best = p;
    }
    *found = best >= 0;
    if (*found) {
        ckg__point_get(D, U, most, best, v);
        *value = values[best];
    }
    return status;
}

int ckg__ascend_lattice(const struct ckg__search *search, const struct ckg__ascent *ascent,
                        const struct ckg__ascend_lattice *how, double *u, double *value,
                        struct ckg__arena *arena)
{
    const struct ckg_problem *problem = search->scope->problem;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *v = ckg__arena_doubles(arena, (size_t)problem->D);
    int status = v ? CKG_OK : CKG_ERR_NOMEM;
    const int fine = ckg__problem_fine(problem) > 0;
    const int rounds = search->enumerated ? 0 : fine ? FINE_ROUNDS * how->rounds : how->rounds;

    assert(how->neighbours <= CKG__MOST_NEIGHBOURS);
    for (int round = 0; !status && round < rounds && !ckg__search_late(search); round++) {
        double reached = -INFINITY;
        int found;

        /* A step, the reals following. */
        status = best_neighbour(search, ascent, how, round, u, arena, v, &reached, &found);
        if (!status && found && how->follow && ckg__problem_has_reals(problem))
            status = ckg__ascend_reals(search, ascent, how->follow, 1, v, &reached, arena);

        /* Taken where it leads up; among fine steps another look may find what this one missed. */
        if (status || !found || (!fine && !(reached > *value)))
            break;
        if (!(reached > *value))
            continue;
        *value = reached;
        memcpy(u, v, (size_t)problem->D * sizeof *u);
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* 1 when point p is one of those chosen, or nearer than `apart` to one. */
static int is_near(int D, const double *U, int ldu, int p, const int *chosen, int count, double apart)
{
    for (int i = 0; i < count; i++) {
        double far = 0;
        if (chosen[i] == p)
            return 1;
        for (int k = 0; apart > 0 && k < D; k++) {
            const double *row = U + (size_t)k * (size_t)ldu;
            far = fmax(far, fabs(row[p] - row[chosen[i]]));
        }
        if (apart > 0 && far < apart)
            return 1;
    }
    return 0;
}

int ckg__best_apart(int D, int count, const double *U, int ldu, const double *value, double apart, int wanted,
                    int *chosen)
{
    int n = 0;

    assert(ldu >= count && wanted > 0);
    while (n < wanted) {
        int best = -1;
        for (int p = 0; p < count; p++)
            if ((best < 0 || value[p] > value[best]) && !is_near(D, U, ldu, p, chosen, n, apart))
                best = p;
        if (best < 0)
            break;
        chosen[n++] = best;
    }
    return n;
}
