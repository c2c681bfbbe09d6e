/* Local steps; see trust_region.h. */
#include "search/trust_region.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/maths.h"
#include "search/region.h"

/*
 * Successes in a row that double the region's length, and failures that halve it: half as many as there are
 * parameters, within bounds; and the smallest length.
 */
enum { SUCCESSES = 2, FAILURES = 2, MOST = 5 };
static const double largest = 1.6;
static const double smallest = 1e-6;

/* Trials up to so many times the region's sides count as near it. */
static const double reach = 2;

struct local {
    struct ckg__scope scope; /* first: to_outer finds the rest by it */
    struct ckg__region region;
    struct ckg_problem problem;                               /* the study's, over the region's ranges */
    struct ckg__parameter parameters[CKG_MAX_PARAMETERS];     /* (d) of the problem */
    double low[CKG_MAX_PARAMETERS], side[CKG_MAX_PARAMETERS]; /* the region in the study's cube */
    double log_side[CKG_MAX_PARAMETERS];
    struct ckg__data data; /* the trials in and near it; designs are the study's */
    struct ckg__arena own; /* of the data */
    struct ckg__models models;
};

/* --- its life --- */

static void local_free(void *kept)
{
    struct local *l = kept;

    ckg__models_free(&l->models);
    ckg__arena_free(&l->own);
    ckg__free(l);
}

static void local_release(void *kept)
{
    struct local *l = kept;

    if (l->models.revision)
        ckg__models_release(&l->models);
}

/* Models that are fitted like the study's, from where those stand. */
static void follow(struct local *l, const struct ckg__models *study)
{
    l->models.kernel = study->kernel;
    l->models.choose_kernel = study->choose_kernel;
    l->models.method = study->method;
    l->models.samples = study->samples;
    l->models.warp = study->warp;
    l->models.failures = study->failures;
    l->models.seed = study->seed;
    l->models.lead = study;
    l->models.lead_sides = l->log_side;
}

static int local_new(const struct ckg__search *search, struct local **out)
{
    struct local *l = ckg__alloc_zero(1, sizeof *l);

    *out = l;
    if (!l)
        return CKG_ERR_NOMEM;
    ckg__arena_init(&l->own);
    l->problem = *search->scope->problem;
    memcpy(l->parameters, search->scope->problem->parameters,
           (size_t)search->scope->problem->d * sizeof *l->parameters);
    l->problem.parameters = l->parameters;
    l->data.problem = &l->problem;
    return CKG_OK;
}

/* --- where it is --- */

/* Parameter i ranges over [low, high] of the study's cube; an integer over the steps around that, u within.
 */
static void set_range(const struct ckg__parameter *q, double u, double low, double high, struct local *l,
                      int i)
{
    struct ckg__parameter *to = &l->parameters[i];
    const double range = q->high - q->low;

    if (ckg__is_stepped(q)) {
        const double here = ckg__step_from_unit(q, u);
        double from = ckg__step_from_unit(q, low);
        double end = ckg__step_from_unit(q, high);

        /* The steps around it, and one on either side at least. */
        from -= ckg__step_to_unit(q, from) > low;
        end += ckg__step_to_unit(q, end) < high;
        from = fmax(0, fmin(from, here - 1));
        end = fmin(q->steps, fmax(end, here + 1));
        to->low = ckg__step_value(q, from);
        to->high = to->bound = ckg__step_value(q, end);
        to->first = q->first + from;
        to->steps = end - from;
        low = ckg__step_to_unit(q, from);
        high = ckg__step_to_unit(q, end);
    } else if (q->scale == CKG_LOG) {
        to->low = q->low * ckg__exp(low * (ckg__log(q->high) - ckg__log(q->low)));
        to->high = q->low * ckg__exp(high * (ckg__log(q->high) - ckg__log(q->low)));
    } else {
        to->low = q->low + low * range;
        to->high = q->low + high * range;
    }
    l->low[i] = low;
    l->side[i] = high - low;
    l->log_side[i] = ckg__log(high - low);
}

/* The ranges around the centre u (D): sides are longer where the objective varies less. */
static void lay_ranges(const struct ckg__search *search, const double *u, struct local *l)
{
    const struct ckg_problem *problem = search->scope->problem;
    double half[CKG_MAX_PARAMETERS];

    ckg__region_sides(problem, ckg__gp_inverse_lengthscales(search->scope->models->belief[0].gp[0]),
                      l->region.length, half);
    for (int i = 0; i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        const double at = u[q->offset];

        l->low[i] = 0;
        l->side[i] = 1;
        l->log_side[i] = 0;
        if (q->kind != CKG_CATEGORICAL)
            set_range(q, at, fmax(0, at - half[i]), fmin(1, at + half[i]), l, i);
    }
}

/* v (D) ← a point u (D) of the study's cube in the region's, where it may lie outside of [0, 1]. */
static void from_study(const struct local *l, const double *u, double *v)
{
    memcpy(v, u, (size_t)l->problem.D * sizeof *v);
    for (int i = 0; i < l->problem.d; i++)
        if (l->parameters[i].kind != CKG_CATEGORICAL) {
            const int k = l->parameters[i].offset;
            v[k] = (u[k] - l->low[i]) / l->side[i];
        }
}

static void to_outer(const struct ckg__scope *scope, double *u)
{
    const struct local *l = (const struct local *)(const void *)scope;

    for (int i = 0; i < l->problem.d; i++)
        if (l->parameters[i].kind != CKG_CATEGORICAL) {
            const int k = l->parameters[i].offset;
            u[k] = fmin(fmax(l->low[i] + u[k] * l->side[i], 0), 1);
        }
}

/* --- what it knows --- */

/* How far v (D) is from the middle of the region, in half sides. */
static double farness(const struct local *l, const double *v)
{
    double far = 0;
    for (int i = 0; i < l->problem.d; i++)
        if (l->parameters[i].kind != CKG_CATEGORICAL)
            far = fmax(far, 2 * fabs(v[l->parameters[i].offset] - 0.5));
    return far;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * The trials in and near the region: at least as many designs as a quadratic function has coefficients, or
 * six for each parameter where that is less.
 */
static int copy_trials(const struct ckg__data *data, struct local *l)
{
    const size_t D = (size_t)l->problem.D;
    const size_t designs = (size_t)data->designs;
    const size_t d = (size_t)l->problem.d;
    const size_t wanted = (d + 1) * (d > 10 ? 12 : d > 2 ? d + 2 : 4) / 2;
    double *far = ckg__arena_doubles(&l->own, 2 * designs + 1);
    l->data.newest = ckg__arena_ints(&l->own, designs + 1);
    l->data.u = ckg__arena_doubles(&l->own, designs * D + 1);
    l->data.trial = ckg__arena_get(&l->own, (size_t)data->trials + 1, sizeof *l->data.trial);

    assert(designs > 0);
    if (!far || !l->data.u || !l->data.trial || !l->data.newest)
        return CKG_ERR_NOMEM;

    /* Every design in the region's cube, and how far it is. */
    double *sorted = far + designs;
    for (size_t i = 0; i < designs; i++) {
        from_study(l, data->u + i * D, l->data.u + i * D);
        sorted[i] = far[i] = farness(l, l->data.u + i * D);
    }
    qsort(sorted, designs, sizeof *sorted, by_size);
    const double near = fmax(reach, sorted[(wanted < designs ? wanted : designs) - 1]);

    /* The trials of those that are near. */
    l->data.trials = 0;
    for (size_t i = 0; i < designs; i++)
        l->data.newest[i] = -1;
    for (int t = 0; t < data->trials; t++)
        if (far[data->trial[t].design] <= near) {
            l->data.trial[l->data.trials] = data->trial[t];
            ckg__data_chain(&l->data, l->data.trials++);
        }
    l->data.designs = data->designs;
    l->data.x = data->x;
    l->data.alike = data->alike;
    l->data.unlike = data->unlike;
    l->data.slot = data->slot;
    l->data.slots = data->slots;
    return CKG_OK;
}

/* --- the search --- */

/* Noise would make the region follow luck; a list of designs has no neighbourhoods to range over. */
static int is_due(const struct ckg__search *search)
{
    const int every = search->effort.global_every;

    return every > 1 && !search->everywhere && !search->scope->problem->designs &&
           ckg__problem_has_reals(search->scope->problem) && !ckg__models_noisy(search->scope->models);
}

/* The models, made where there are none yet. */
static int make_models(const struct ckg__search *search, struct local *l)
{
    int status = CKG_OK;

    if (!l->models.data)
        status = ckg__models_init(&l->models, &l->data, search->pool, search->arena);
    if (status)
        ckg__models_free(&l->models);
    return status;
}

/* The models of the trials near the region, conditioned on what is pending there. */
static int update_models(const struct ckg__search *search, struct local *l)
{
    int pending = 0;
    int status = make_models(search, l);

    if (status)
        return status;
    follow(l, search->scope->models);
    l->models.revision = 0;
    for (int t = 0; t < l->data.trials; t++)
        pending += l->data.trial[t].state == CKG_PENDING;
    status = ckg__models_update(&l->models, search->revision, pending);
    return status ? status : ckg__models_condition(&l->models, 0);
}

static int narrow(const struct ckg__search *search, const struct ckg__scope **scope)
{
    const int d = search->scope->problem->d;
    const struct ckg__region_rule rule = {.length = search->effort.region,
                                          .length_max = largest,
                                          .successes = SUCCESSES,
                                          .failures = d / 2 < FAILURES ? FAILURES
                                                      : d / 2 > MOST   ? MOST
                                                                       : d / 2,
                                          .initial = search->initial,
                                          .every = search->effort.global_every,
                                          .finer = 1};
    const struct ckg__arena_mark start = {NULL, 0};
    struct local *l = *search->kept;

    *scope = search->scope;
    if (!is_due(search))
        return CKG_OK;
    int status = l ? CKG_OK : local_new(search, &l);
    *search->kept = l;
    if (status)
        return status;

    /* The region; where it is no turn of its own, or has no centre, the search stays what it is. */
    ckg__arena_release(&l->own, start);
    status = ckg__region_replay(search->scope->data, &rule, &l->own, &l->region);
    if (status || l->region.centre < 0 || !l->region.local)
        return status;
    memcpy(l->problem.outcome, search->scope->problem->outcome, sizeof l->problem.outcome);
    l->region.length = fmax(l->region.length, smallest);
    lay_ranges(search, search->scope->data->u + (size_t)l->region.centre * (size_t)search->scope->problem->D,
               l);

    /* What happened in it, and the models of that. */
    status = copy_trials(search->scope->data, l);
    if (!status)
        status = update_models(search, l);

    /* No time for them: the search stays what it is. */
    if (status == CKG_ERR_CANCELLED && !ckg__interrupted(ckg__pool_watched(search->pool)))
        return CKG_OK;
    if (status)
        return status;

    l->scope = (struct ckg__scope){&l->problem, &l->data, &l->models, search->scope, to_outer};
    *scope = &l->scope;
    return CKG_OK;
}

const struct ckg__scope_source ckg__trust_region = {narrow, local_release, local_free};
