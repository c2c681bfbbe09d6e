/*
 * Scalable constrained Bayesian optimisation (Eriksson and Poloczek 2021): constrained Thompson sampling
 * inside a trust region, whose life is in region.h, on models of transformed outcomes (search/transform.h) of
 * the region's trials alone. A transform changes with every trial, so the data are laid out anew for every
 * search, and fits start from the optimum of the study's models. The kernel is the Matérn 5/2, as published:
 * a transformed outcome is not as smooth as the outcome.
 *
 * The region is a box around the best design, its sides proportional to the length-scales of the objective's
 * model, their geometric mean the region's length. Candidates are scrambled Sobol points of the box; beyond
 * 20 parameters each of them moves about 20 coordinates and leaves the others at the centre.
 *
 * Departures: a joint draw costs the cube of the number of candidates, so there are fewer than the 2,000 …
 * 5,000 published. Beyond 10 parameters half of them move fewer coordinates still, which in 20 dimensions
 * makes up for that. Every max(3, d)-th trial scouts: it is `cts` over all designs on the study's own models,
 * for a region that settles in one feasible part finds no other. The objective's and the constraints'
 * transforms are in units of the data, so that the user's units change nothing.
 */
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "base/rng.h"
#include "design/allowed.h"
#include "design/sequence.h"
#include "policy/thompson.h"
#include "policy/policy.h"
#include "search/regional.h"

/* The published numbers, but for the candidates and the scout. */
/* clang-format off */
#define SETTINGS(X) \
    X(candidates, {.per_parameter = 100, .least = 500, .most = 1000}, 1, 10000, 1, \
      "designs of the draw, whose cost grows with the cube") \
    X(length, {.value = 0.8}, 1e-6, 4, 0, "side of the trust region at first, in the unit cube") \
    X(length_min, {.value = 0x1p-7}, 1e-6, 4, 0, "length below which a new region begins") \
    X(length_max, {.value = 1.6}, 1e-6, 4, 0, "largest length") \
    X(successes, {.per_parameter = 0.1, .least = 3}, 1, 1000, 1, \
      "successes in a row that double the length") \
    X(failures, {.per_parameter = 1, .least = 4}, 1, 1000, 1, "failures in a row that halve the length") \
    X(scout, {.per_parameter = 1, .least = 3}, 0, 100000, 1, \
      "every so many trials one is drawn over all designs by the study's models; 0: none")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

enum { MOVED = 20, MANY = 10 };

/* --- the models --- */

struct kept {
    struct ckg__regional regional;
    int first; /* trial of the region that the models know */
};

/*
 * The region's trials with room for other values; what was measured with noise has noise to be estimated, as
 * its scale is another.
 */
static int copy_trials(const struct ckg__data *data, struct ckg__regional *r)
{
    if (ckg__regional_begin(data, r))
        return CKG_ERR_NOMEM;
    for (int t = r->region.first; t < data->trials; t++) {
        struct ckg__trial *trial = ckg__regional_add(&data->trial[t], r);
        const struct ckg_measurement *from = trial->measured;
        if (CKG__TAKE(&r->own, CKG__ROOM(trial->measured, trial->count + 1)))
            return CKG_ERR_NOMEM;
        for (int i = 0; i < trial->count; i++)
            trial->measured[i] = (struct ckg_measurement){
                from[i].outcome, from[i].value, ckg__data_exact(data, &from[i]) ? 0 : CKG_SD_DEFAULT};
    }
    return CKG_OK;
}

/* The objective's values become their normal scores, larger being better. */
static int transform_objective(const struct ckg__data *data, struct ckg__regional *r)
{
    const size_t most = (size_t)r->data.trials + 1;
    double *value, *score;

    if (CKG__TAKE(&r->own, CKG__ROOM(value, most), CKG__ROOM(score, most)))
        return CKG_ERR_NOMEM;
    for (int pass = 0; pass < 2; pass++) {
        int n = 0;
        for (int t = 0; t < r->data.trials; t++)
            for (int i = 0; i < r->data.trial[t].count; i++) {
                struct ckg_measurement *m = &r->data.trial[t].measured[i];
                if (m->outcome != 0)
                    continue;
                if (pass)
                    m->value = score[n];
                else
                    value[n] = data->problem->goal == CKG_MINIMIZE ? -m->value : m->value;
                n++;
            }
        if (!pass && ckg__copula(n, value, &r->own, score))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* An answer is one already. */
static double transform(const struct ckg__regional *r, int j, double value)
{
    return ckg__is_answer(&r->problem, j) ? value : ckg__bilog_apply(&r->region.bilog[j], value);
}

static void transform_constraints(const struct ckg__data *data, struct ckg__regional *r)
{
    for (int j = 0; j < data->problem->outcomes; j++) {
        const double min = data->problem->outcome[j].min;
        const double max = data->problem->outcome[j].max;
        r->problem.outcome[j].noise = CKG_NOISE_AUTO;
        r->problem.outcome[j].min = j && isfinite(min) ? transform(r, j, min) : min;
        r->problem.outcome[j].max = j && isfinite(max) ? transform(r, j, max) : max;
    }
    for (int t = 0; t < r->data.trials; t++)
        for (int i = 0; i < r->data.trial[t].count; i++) {
            struct ckg_measurement *m = &r->data.trial[t].measured[i];
            if (m->outcome)
                m->value = transform(r, m->outcome, m->value);
        }
}

/* The trials' outcomes transformed, and the models of these; *r is of the region as the trials have made it.
 */
static int update(const struct ckg__search *search, struct kept *kept)
{
    struct ckg__regional *r = &kept->regional;
    int status = copy_trials(search->scope->data, r);

    if (!status)
        status = transform_objective(search->scope->data, r);
    if (status)
        return status;
    transform_constraints(search->scope->data, r);

    /* Another rule may have another region. */
    if (kept->first != r->region.first)
        r->models.revision = 0;
    kept->first = r->region.first;
    if (r->region.scouting)
        return CKG_OK;
    r->scope = *search->scope;
    r->scope.outer = search->scope;
    r->scope.models = &r->models;
    return ckg__regional_update(search, r);
}

/* Models with a Matérn 5/2 kernel, of data with a goal of their own; one hyperparameter sample is used. */
static int keep_models(const struct ckg__search *search)
{
    const int had = *search->kept != NULL;
    const int status = ckg__regional_keep(search, sizeof(struct kept));
    struct kept *kept = *search->kept;

    if (status || had)
        return status;
    kept->first = -1;
    kept->regional.problem.goal = CKG_MAXIMIZE;
    kept->regional.models.kernel = CKG__MATERN52;
    kept->regional.models.choose_kernel = 0;
    kept->regional.models.warp = 0;
    if (kept->regional.models.samples > CKG__CHAINS)
        kept->regional.models.samples = CKG__CHAINS;
    return CKG_OK;
}

/* The region and its models; while it scouts, the study's models serve. */
static int narrow(const struct ckg__search *search, const struct ckg__scope **scope)
{
    const int d = search->scope->problem->d;
    const struct settings *set = search->settings;
    struct ckg__region_rule rule = {
        .length = set->length,
        .length_min = set->length_min,
        .length_max = set->length_max,
        .successes = (int)set->successes,
        .failures = (int)set->failures,
        .initial = search->initial,
        .fresh = search->initial ? search->initial : ckg__design_size(d),
        .scout = (int)set->scout,
    };

    ckg__region_settle(&rule);
    int status = keep_models(search);
    struct kept *kept = *search->kept;

    if (!status)
        status = ckg__regional_replay(search, &rule, &kept->regional);
    if (!status)
        status = update(search, kept);
    *scope = status || kept->regional.region.scouting ? search->scope : &kept->regional.scope;
    return status;
}

static const struct ckg__scope_source region_scope = {narrow, ckg__regional_release, ckg__regional_free};

/* --- where it is --- */

static const struct ckg__region *region_of(const struct ckg__search *search)
{
    const struct kept *kept = *search->kept;
    return &kept->regional.region;
}

struct box {
    /* per parameter; nothing for a categorical */
    double centre[CKG_MAX_PARAMETERS], half[CKG_MAX_PARAMETERS];
    const double *u; /* (D) the centre */
};

static void lay_box(const struct ckg__search *search, const double *u, double length, struct box *box)
{
    const struct ckg_problem *problem = search->scope->problem;
    const double *inv_ell = ckg__gp_inverse_lengthscales(search->lookahead[0].belief->gp[0]);

    box->u = u;
    for (int i = 0; i < problem->d; i++)
        box->centre[i] = u[problem->parameters[i].offset];
    ckg__region_sides(problem, inv_ell, length, box->half);
}

/* rows ← the distinct designs of the region's complete trials; their number. */
static int complete_designs(const struct ckg__search *search, int *rows, char *seen)
{
    const struct ckg__data *data = search->scope->data;
    int n = 0;

    memset(seen, 0, (size_t)data->designs);
    for (int t = region_of(search)->first; t < data->trials; t++)
        if (data->trial[t].state == CKG_COMPLETE && !seen[data->trial[t].design] &&
            ckg__data_allowed(data, data->trial[t].design)) {
            seen[data->trial[t].design] = 1;
            rows[n++] = data->trial[t].design;
        }
    return n;
}

/*
 * The design of the region's trials with the best posterior mean among those of feasible means, or the least
 * violation by means.
 */
static int mean_centre(const struct ckg__search *search, const double **u)
{
    const struct ckg__data *data = search->scope->data;
    const struct ckg__belief *belief = search->lookahead[0].belief;
    const size_t D = (size_t)search->scope->problem->D;
    struct ckg__arena *arena = search->results;
    int *rows;
    char *seen;
    double *U;
    const double *mean[CKG__MAX_OUTCOMES];
    double best = INFINITY;
    double best_value = -INFINITY;

    if (CKG__TAKE(arena, CKG__ROOM(rows, (size_t)data->designs + 1),
                  CKG__ROOM(seen, (size_t)data->designs + 1), CKG__ROOM(U, D * (size_t)data->designs + 1)))
        return CKG_ERR_NOMEM;

    /* What the belief says of the designs. */
    const int n = complete_designs(search, rows, seen);
    ckg__point_columns((int)D, data->u, n, rows, U);
    for (int j = 0; j < belief->outcomes; j++) {
        struct ckg__view view;
        if (ckg__view_make(&view, belief->gp[j], n, U, n, arena))
            return CKG_ERR_NOMEM;
        mean[j] = view.mean;
    }

    /* The least violation, and the best mean where that is equal. */
    for (int i = 0; i < n; i++) {
        const double violation = ckg__belief_violation(belief, mean, i);
        if (violation < best || (violation == best && mean[0][i] > best_value)) {
            best = violation;
            best_value = mean[0][i];
            *u = data->u + (size_t)rows[i] * D;
        }
    }
    return CKG_OK;
}

/*
 * The centre; without any complete design the middle of the cube, from where a region of its length is as
 * good as any.
 */
static int find_centre(const struct ckg__search *search, const double **u)
{
    const int D = search->scope->problem->D;
    double *middle = ckg__arena_doubles(search->results, (size_t)D);
    double cube[CKG_MAX_PARAMETERS];

    if (!middle)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < search->scope->problem->d; i++)
        cube[i] = 0.5;
    ckg__problem_on_lattice(search->scope->problem, cube, middle);
    *u = region_of(search)->centre < 0
             ? middle
             : search->scope->data->u + (size_t)region_of(search)->centre * (size_t)D;
    return region_of(search)->noisy && region_of(search)->centre >= 0 ? mean_centre(search, u) : CKG_OK;
}

/* --- candidates --- */

/* Point c (d) of the cube as a design u (D) of the box: parameters that do not move stay at the centre. */
static void place(const struct ckg_problem *problem, const struct box *box, const double *c,
                  const char *moves, double *u)
{
    memcpy(u, box->u, (size_t)problem->D * sizeof *u);
    for (int i = 0; i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        if (!moves[i])
            continue;
        if (q->kind == CKG_CATEGORICAL) {
            const int to = (int)(c[i] * q->count);
            for (int v = 0; v < q->count; v++)
                u[q->offset + v] = v == to ? 0.70710678118654752440 : 0;
            continue;
        }
        const double low = fmax(0, box->centre[i] - box->half[i]);
        const double high = fmin(1, box->centre[i] + box->half[i]);
        const double to = low + c[i] * (high - low);
        u[q->offset] = ckg__is_real(q) ? to : ckg__step_to_unit(q, ckg__step_from_unit(q, to));
    }
}

/*
 * Which parameters of a candidate move: each with probability MOVED/d, one at least. Beyond MANY parameters
 * every second candidate moves fewer, down to one: where all coordinates move at once, hardly any candidate
 * is near the centre.
 */
static void choose_moves(int d, int index, struct ckg__rng *rng, char *moves)
{
    const double published = fmin(1, (double)MOVED / d);
    const double fewer = d > MANY && index % 2 ? ckg__pow(d, -ckg__rng_uniform(rng)) : 1;
    int any = 0;

    for (int i = 0; i < d; i++) {
        moves[i] = published * fewer >= 1 || ckg__rng_uniform(rng) < published * fewer;
        any |= moves[i];
    }
    if (!any)
        moves[ckg__rng_below(rng, d)] = 1;
}

static int inside(const struct ckg_problem *problem, const struct box *box, const double *u)
{
    for (int i = 0; i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        if (q->kind != CKG_CATEGORICAL && fabs(u[q->offset] - box->centre[i]) > box->half[i] * (1 + 1e-9))
            return 0;
    }
    return 1;
}

static void keep(const double *u, int D, int most, int *count, double *U)
{
    ckg__point_put(D, u, U, most, *count);
    ++*count;
}

/* At most `most` free designs of a list that are in the box, beginning anywhere. */
static int from_list(const struct ckg__search *search, const struct box *box, struct ckg__rng *rng, int most,
                     double *U)
{
    const struct ckg_problem *problem = search->scope->problem;
    const int start = ckg__rng_below(rng, problem->designs);
    double x[CKG_MAX_PARAMETERS];
    int count = 0;

    for (int i = 0; i < problem->designs && count < most; i++) {
        const double *u = problem->U + (size_t)((start + i) % problem->designs) * (size_t)problem->D;
        if (inside(problem, box, u) && !ckg__search_taken(search, u, x))
            keep(u, problem->D, most, &count, U);
    }
    return count;
}

/* lower, upper (D) ← the box. */
static void box_bounds(const struct ckg_problem *problem, const struct box *box, double *lower, double *upper)
{
    for (int k = 0; k < problem->D; k++) {
        lower[k] = 0;
        upper[k] = 1;
    }
    for (int i = 0; i < problem->d; i++) {
        const struct ckg__parameter *q = &problem->parameters[i];
        if (q->kind == CKG_CATEGORICAL)
            continue;
        lower[q->offset] = fmax(0, box->centre[i] - box->half[i]);
        upper[q->offset] = fmin(1, box->centre[i] + box->half[i]);
    }
}

/*
 * Where rules leave little of the box, walks from the centre and from the designs that are there, up to half
 * of `most`.
 */
static int walk_box(const struct ckg__search *search, const struct box *box, struct ckg__rng *rng, int most,
                    double *U, int *count)
{
    const struct ckg_problem *problem = search->scope->problem;
    const size_t D = (size_t)problem->D;
    double *lower = ckg__arena_doubles(search->results, 3 * D);
    double *u = lower ? lower + 2 * D : NULL;
    double x[CKG_MAX_PARAMETERS];
    const int had = *count;
    int status = lower ? CKG_OK : CKG_ERR_NOMEM;

    if (!status)
        box_bounds(problem, box, lower, lower + D);
    for (int i = 0; !status && i < most / 2 && *count < most / 2; i++) {
        const int from = i % (had + 1);

        if (from < had)
            ckg__point_get(problem->D, U, most, from, u);
        else
            memcpy(u, box->u, D * sizeof *u);
        if (!ckg__allowed_nearest(problem, lower, lower + D, u, NULL))
            continue;
        status = ckg__allowed_walk(problem, rng, lower, lower + D, u, search->results);
        if (!status && !ckg__search_taken(search, u, x))
            keep(u, problem->D, most, count, U);
    }
    return status;
}

/* Free designs of the box at Sobol points. */
static int from_box(const struct ckg__search *search, const struct box *box, struct ckg__rng *rng, int most,
                    double *U, int *count)
{
    const struct ckg_problem *problem = search->scope->problem;
    struct ckg__arena_mark mark = ckg__arena_mark(search->results);
    double *cube, *u;
    double x[CKG_MAX_PARAMETERS];
    char moves[CKG_MAX_PARAMETERS];

    if (CKG__TAKE(search->results, CKG__ROOM(cube, (size_t)most * (size_t)problem->d),
                  CKG__ROOM(u, (size_t)problem->D)))
        return CKG_ERR_NOMEM;
    *count = 0;
    ckg__design_sobol(ckg__rng_next(rng), 0, most, problem->d, cube);
    for (int p = 0; p < most; p++) {
        choose_moves(problem->d, p, rng, moves);
        place(problem, box, cube + (size_t)p * (size_t)problem->d, moves, u);
        if (!ckg__search_taken(search, u, x))
            keep(u, problem->D, most, count, U);
    }
    const int status = ckg__ruled(problem) && *count < most / 2 ? walk_box(search, box, rng, most, U, count)
                                                                : CKG_OK;
    ckg__arena_release(search->results, mark);
    return status;
}

/*
 * The candidates U (D×*count); the box grows until it holds a free design, for on a lattice a small
 * one may hold none.
 */
static int lay_candidates(struct ckg__search *search, double **out, int *count)
{
    const struct ckg_problem *problem = search->scope->problem;
    const struct settings *set = search->settings;
    const int most = (int)set->candidates;
    const double *centre;
    struct box box;
    struct ckg__rng rng;
    double *U = ckg__arena_doubles(search->results, (size_t)problem->D * (size_t)most);
    int status = U ? find_centre(search, &centre) : CKG_ERR_NOMEM;

    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_REGION_CANDIDATES);
    *out = U;
    *count = 0;
    for (double length = region_of(search)->length; !status && !*count && length < 16 * CKG__REGION_STRETCH;
         length *= 2) {
        lay_box(search, centre, length, &box);
        if (problem->designs)
            *count = from_list(search, &box, &rng, most, U);
        else
            status = from_box(search, &box, &rng, most, U, count);
    }
    for (int k = 1; !status && k < problem->D && *count < most; k++)
        memmove(U + (size_t)k * (size_t)*count, U + (size_t)k * (size_t)most, (size_t)*count * sizeof *U);
    return status;
}

/* --- the policy --- */

/* The next point of a new region's initial design, a Latin hypercube of its own. */
static int from_fresh_design(const struct ckg__search *search, struct ckg__choice *choice)
{
    static const struct ckg__way way = {"restart", "restart",
                                        "The trust region has shrunk away; this design begins a new one."};
    const struct ckg_problem *problem = search->scope->problem;
    const struct ckg__region *region = region_of(search);
    const size_t D = (size_t)problem->D;
    double *design = ckg__arena_doubles(search->results, (size_t)region->initial * D);
    double x[CKG_MAX_PARAMETERS];
    struct ckg__rng rng;

    if (!design)
        return CKG_ERR_NOMEM;
    ckg__rng_seed(&rng, search->seed, (uint64_t)region->restarts, CKG__FOR_REGION_RESTARTS);
    const int status = ckg__allowed_design(problem, &rng, region->initial, design, search->results,
                                           ckg__pool_watched(search->pool));
    if (status)
        return status;
    memcpy(choice->u, design + (size_t)(search->scope->data->trials - region->first) * D, D * sizeof *design);
    choice->way = &way;
    choice->value = NAN;
    choice->found = !ckg__search_taken(search, choice->u, x);
    return CKG_OK;
}

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    struct ckg__thompson draw;
    int best;

    if (search->scope->data->trials - region_of(search)->first < region_of(search)->initial)
        return from_fresh_design(search, choice);
    if (region_of(search)->scouting)
        return ckg__cts_suggest(search, choice);
    return ckg__thompson_choose(search, lay_candidates, choice, &draw, &best);
}

static int score(struct ckg__search *search, int count, const double *U, double *value)
{
    return region_of(search)->scouting ? ckg__cts_score(search, count, U, value)
                                       : ckg__thompson_values(search, lay_candidates, count, U, value);
}

const struct ckg__policy ckg__policy_scbo = {
    .name = "scbo",
    .title = "constrained Thompson sampling in a trust region",
    .reference = "Eriksson and Poloczek 2021, Scalable constrained Bayesian optimization",
    .value = "one joint draw of the transformed outcomes; below its objective where it is infeasible",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_ONE_BELIEF,
    .narrow = &region_scope,
    .prepare = ckg__cts_size,
    .suggest = suggest,
    .stalled = ckg__choice_stalled,
    .fallback = ckg__search_explore,
    .score = score};
