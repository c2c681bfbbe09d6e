/*
 * Stepwise reduction of the volume of improvement as a policy (policy/cited/sur.h has the formula). The
 * volume shrinks towards the best design as the search goes on, so its points come from nested boxes around
 * x_r, each a quarter as wide as the one before, and are weighted by the density with which all boxes
 * together give a point; of these, those that count are drawn.
 */
#include <assert.h>
#include <math.h>

#include "policy/cited/sur.h"
#include "base/error.h"
#include "base/maths.h"
#include "design/allowed.h"
#include "linalg/logarithm.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__LOCAL_CLIMB_SETTINGS(X) \
    X(points, {.value = 64, .sampled = 16}, 4, 10000, 1, \
      "points that the volume is summed over, under each hyperparameter sample")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

/* Boxes, the cube among them; points laid in each for one that is drawn; streams of numbers of an outlook. */
enum { BOXES = 5, LAID = 2, STREAMS = 16 };
_Static_assert((int)BOXES < (int)STREAMS, "every box has a stream, and the draw has one");

/* The boxes of one outlook, from the cube inwards; only reals are confined. */
struct boxes {
    const struct ckg_problem *problem;
    int count;
    double low[BOXES][CKG_MAX_PARAMETERS], high[BOXES][CKG_MAX_PARAMETERS];
    double log_density[BOXES]; /* of a point of the box, at which it is laid */
};

static struct boxes boxes_around(const struct ckg_problem *problem, const double *x_r)
{
    struct boxes b = {.problem = problem, .count = BOXES};

    /* What rules leave has no such boxes: there the points are laid in all of it alike. */
    if (ckg__ruled(problem) || !ckg__problem_has_reals(problem))
        b.count = 1;
    for (int l = 0; l < b.count; l++) {
        const double half = 0.5 * ckg__pow(4, -l);
        for (int i = 0; i < problem->d; i++) {
            const double centre = x_r[problem->parameters[i].offset];
            if (!ckg__is_real(&problem->parameters[i]))
                continue;
            b.low[l][i] = l ? fmax(0, centre - half) : 0;
            b.high[l][i] = l ? fmin(1, centre + half) : 1;
            b.log_density[l] -= ckg__log(b.high[l][i] - b.low[l][i]);
        }
    }
    return b;
}

/* Brings a point of the cube (D) into box l. */
static void squeeze(const struct boxes *b, int l, double *u)
{
    for (int i = 0; l && i < b->problem->d; i++) {
        double *coordinate = &u[b->problem->parameters[i].offset];
        if (ckg__is_real(&b->problem->parameters[i]))
            *coordinate = b->low[l][i] + *coordinate * (b->high[l][i] - b->low[l][i]);
    }
}

/* log of the density with which points are laid at u (D), all boxes together. */
static double log_density(const struct boxes *b, const double *u)
{
    double sum = -INFINITY;

    for (int l = 0; l < b->count; l++) {
        int within = 1;
        for (int i = 0; within && i < b->problem->d; i++) {
            const double coordinate = u[b->problem->parameters[i].offset];
            within = !ckg__is_real(&b->problem->parameters[i]) ||
                     (coordinate >= b->low[l][i] && coordinate <= b->high[l][i]);
        }
        if (within)
            ckg__log_join(&sum, b->log_density[l] - ckg__log(b->count));
    }
    return sum;
}

/* Points in all boxes, and their weights. */
static int lay_points(struct ckg__search *search, int o, struct ckg__sur_points *out)
{
    const struct settings *set = search->settings;
    const struct boxes boxes = boxes_around(search->scope->problem, search->outlook[o].x_r);
    const int each = LAID * (int)set->points * BOXES / boxes.count;
    const int count = each * boxes.count;
    const int D = search->scope->problem->D;
    double *U = ckg__arena_doubles(search->results, (size_t)D * (size_t)count);
    double *log_weight = ckg__arena_doubles(search->results, (size_t)count);
    double *u = ckg__arena_doubles(search->results, (size_t)D);
    int status = U && log_weight && u ? CKG_OK : CKG_ERR_NOMEM;

    for (int l = 0; !status && l < boxes.count; l++) {
        status = ckg__search_fill(search, CKG__FOR_VOLUMES + (uint64_t)(STREAMS * o + l), each, U + l * each,
                                  count, search->results);
        for (int p = l * each; !status && p < (l + 1) * each; p++) {
            ckg__point_get(D, U, count, p, u);
            squeeze(&boxes, l, u);
            ckg__point_put(D, u, U, count, p);
            log_weight[p] = -log_density(&boxes, u) - ckg__log(count);
        }
    }
    *out = (struct ckg__sur_points){count, U, log_weight};
    return status;
}

/* Every design of a small finite problem, all alike. */
static int all_designs(struct ckg__search *search, struct ckg__sur_points *out)
{
    double *log_weight = ckg__arena_doubles(search->results, (size_t)search->base);

    if (!log_weight)
        return CKG_ERR_NOMEM;
    for (int p = 0; p < search->base; p++)
        log_weight[p] = -ckg__log(search->base);
    *out = (struct ckg__sur_points){search->base, search->U, log_weight};
    return CKG_OK;
}

/* The volume under outlook o. */
static int make_one(struct ckg__search *search, int o, struct ckg__sur *sur)
{
    const struct settings *set = search->settings;
    struct ckg__sur_points points;
    struct ckg__rng rng;

    *sur = (struct ckg__sur){.belief = search->outlook[o].belief,
                             .finite = !ckg__problem_has_reals(search->scope->problem)};
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_VOLUMES + (uint64_t)(STREAMS * o + BOXES));
    int status = ckg__search_incumbent(search, sur->belief, search->results, &sur->best);
    if (!status)
        status = search->enumerated ? all_designs(search, &points) : lay_points(search, o, &points);
    if (!status)
        status = ckg__sur_draw(sur, &points, (int)set->points, ckg__rng_uniform(&rng), search->results,
                               &search->arena[0]);
    return status;
}

static int at(void *context, int outlook, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct ckg__sur *sur = context;

    return ckg__sur_batch(&sur[outlook], m, U, ldu, arena, value, gradient);
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    struct ckg__sur *sur = ckg__arena_get(search->results, (size_t)search->outlooks, sizeof *sur);
    int status = sur ? CKG_OK : CKG_ERR_NOMEM;

    for (int o = 0; !status && o < search->outlooks; o++)
        status = make_one(search, o, &sur[o]);
    *acquisition = (struct ckg__acquisition){sur, at, 1, 1};
    return status;
}

const struct ckg__policy ckg__policy_sur = {
    .name = "sur",
    .title = "stepwise reduction of the volume of feasible improvement",
    .reference = "Picheny 2014",
    .value = "log of the expected reduction of the volume where a feasible improvement may lie, of the box",
    CKG__TABLE(parameters),
    CKG__LOCAL_CLIMB,
    .acquire = acquire};
