/*
 * Local steps. One model of everything cannot be right everywhere, the less so the more parameters there are.
 * So some trials look in a trust region around the best design in hand, through models of the trials in and
 * near it (region.h: the region grows with successes and shrinks with failures). A look that improves on the
 * best is followed by one of the same sort, any other by one of the other sort.
 *
 * A local search is an ordinary search on a smaller problem, whose parameters range over the region and whose
 * data are those trials. Whatever a policy does, it does there in the same way.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/sorted.h"
#include "search/regional.h"

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
    struct ckg__regional regional;                        /* first: to_outer finds the rest by it */
    struct ckg__parameter parameters[CKG_MAX_PARAMETERS]; /* (d) of the problem, over the region's ranges */
    double low[CKG_MAX_PARAMETERS], side[CKG_MAX_PARAMETERS]; /* the region in the study's cube */
    double log_side[CKG_MAX_PARAMETERS];
};

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

    memcpy(l->parameters, problem->parameters, (size_t)problem->d * sizeof *l->parameters);
    l->regional.problem.parameters = l->parameters;

    ckg__region_sides(problem, ckg__gp_inverse_lengthscales(search->scope->models->belief[0].gp[0]),
                      l->regional.region.length, half);
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
    memcpy(v, u, (size_t)l->regional.problem.D * sizeof *v);
    for (int i = 0; i < l->regional.problem.d; i++)
        if (l->parameters[i].kind != CKG_CATEGORICAL) {
            const int k = l->parameters[i].offset;
            v[k] = (u[k] - l->low[i]) / l->side[i];
        }
}

static void to_outer(const struct ckg__scope *scope, double *u)
{
    const struct local *l = (const struct local *)(const void *)scope;

    for (int i = 0; i < l->regional.problem.d; i++)
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
    for (int i = 0; i < l->regional.problem.d; i++)
        if (l->parameters[i].kind != CKG_CATEGORICAL)
            far = fmax(far, 2 * fabs(v[l->parameters[i].offset] - 0.5));
    return far;
}

/*
 * The trials in and near the region: at least as many designs as a quadratic function has coefficients, or
 * six for each parameter where that is less.
 */
static int copy_trials(const struct ckg__data *data, struct local *l)
{
    const size_t D = (size_t)l->regional.problem.D;
    const size_t designs = (size_t)data->designs;
    const size_t d = (size_t)l->regional.problem.d;
    const size_t wanted = (d + 1) * (d > 10 ? 12 : d > 2 ? d + 2 : 4) / 2;
    double *far, *u;

    assert(designs > 0);
    if (CKG__TAKE(&l->regional.own, CKG__ROOM(far, 2 * designs + 1), CKG__ROOM(u, designs * D + 1)) ||
        ckg__regional_begin(data, &l->regional))
        return CKG_ERR_NOMEM;

    /* Every design in the region's cube, and how far it is. */
    double *sorted = far + designs;
    for (size_t i = 0; i < designs; i++) {
        from_study(l, data->u + i * D, u + i * D);
        sorted[i] = far[i] = farness(l, u + i * D);
    }
    ckg__sort(sorted, (int)designs);
    const double near = fmax(reach, sorted[(wanted < designs ? wanted : designs) - 1]);

    /* The trials of those that are near. */
    for (int t = 0; t < data->trials; t++)
        if (far[data->trial[t].design] <= near)
            ckg__regional_add(&data->trial[t], &l->regional);
    l->regional.data.u = u;
    l->regional.data.alike = data->alike;
    l->regional.data.unlike = data->unlike;
    return CKG_OK;
}

/* --- the search --- */

/* Noise would make the region follow luck; a list of designs has no neighbourhoods to range over. */
static int is_due(const struct ckg__search *search)
{
    const int every = search->size.global_every;

    return every > 1 && !search->everywhere && !search->scope->problem->designs &&
           ckg__problem_has_reals(search->scope->problem) && !ckg__surrogates_noisy(search->scope->models);
}

static int narrow(const struct ckg__search *search, const struct ckg__scope **scope)
{
    const int d = search->scope->problem->d;
    const struct ckg__region_rule rule = {.length = search->size.region,
                                          .length_max = largest,
                                          .successes = SUCCESSES,
                                          .failures = d / 2 < FAILURES ? FAILURES
                                                      : d / 2 > MOST   ? MOST
                                                                       : d / 2,
                                          .initial = search->initial,
                                          .every = search->size.global_every,
                                          .finer = 1};

    *scope = search->scope;
    if (!is_due(search))
        return CKG_OK;
    if (ckg__regional_keep(search, sizeof(struct local)))
        return CKG_ERR_NOMEM;

    /* The region; where it is no turn of its own, or has no centre, the search stays what it is. */
    struct local *l = *search->kept;
    int status = ckg__regional_replay(search, &rule, &l->regional);
    if (status || l->regional.region.centre < 0 || !l->regional.region.local)
        return status;
    memcpy(l->regional.problem.outcome, search->scope->problem->outcome, sizeof l->regional.problem.outcome);
    l->regional.region.length = fmax(l->regional.region.length, smallest);
    lay_ranges(search,
               search->scope->data->u + (size_t)l->regional.region.centre * (size_t)search->scope->problem->D,
               l);

    /* What happened in it, and the models of that. */
    status = copy_trials(search->scope->data, l);
    l->regional.models.lead_sides = l->log_side;
    l->regional.models.revision = 0;
    if (!status)
        status = ckg__regional_update(search, &l->regional);

    /* No time for them: the search stays what it is. */
    if (status == CKG_ERR_CANCELLED && !ckg__interrupted(ckg__pool_watched(search->pool)))
        return CKG_OK;
    if (status)
        return status;

    l->regional.scope = (struct ckg__scope){&l->regional.problem, &l->regional.data, &l->regional.models,
                                            search->scope, to_outer};
    *scope = &l->regional.scope;
    return CKG_OK;
}

const struct ckg__scope_source ckg__trust_region = {narrow, ckg__regional_release, ckg__regional_free};
