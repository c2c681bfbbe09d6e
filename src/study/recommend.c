/*
 * Recommending: from the x_r of every belief to the one design that is best under their average, by the
 * utility or by the mean among designs that are probably feasible.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/maths.h"
#include "design/allowed.h"
#include "linalg/logarithm.h"
#include "study/study.h"
#include "search/ascent.h"
#include "policy/measurement.h"

enum { STARTS = 3, AGAIN = 3 };

/* Beside the rules that callers know: the least expected violation of the limits. */
enum { LEAST_VIOLATION = -1 };
_Static_assert((int)LEAST_VIOLATION != (int)CKG_RULE_UTILITY &&
                   (int)LEAST_VIOLATION != (int)CKG_RULE_PROBABILITY,
               "it is none of theirs");

/* Where no design is feasible with this probability, none is likely to be. */
static const double unlikely = 0.1;

/* What is maximised. */
struct goal {
    ckg_study *study;
    int rule;
    double penalty;   /* common M, model units */
    double log_p;     /* log of the wanted probability */
    double stiffness; /* of the penalty for falling short of it */
    double width;     /* the cliff's, for first steps */
};

/* Adds belief b's (μ − M)·PF in logarithms to a running log-sum-exp over the beliefs. */
static int add_belief(const struct goal *goal, int b, int m, const double *U, struct ckg__arena *arena,
                      double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__belief belief = goal->study->stated->belief[b];
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)ckg__belief_coordinates(&belief);
    double *one = b ? ckg__arena_doubles(arena, points) : value;
    double *slope = b ? ckg__arena_doubles(arena, size) : gradient;

    if (!one || !slope)
        return CKG_ERR_NOMEM;
    belief.penalty = goal->penalty;
    if (ckg__belief_log_utility_batch(&belief, m, U, m, arena, one, slope))
        return CKG_ERR_NOMEM;
    for (size_t p = 0; b && p < points; p++) {
        const double share = ckg__log_join(&value[p], one[p]);
        for (size_t at = p; at < size; at += points)
            gradient[at] = share == 1  ? slope[at]
                           : share > 0 ? gradient[at] + share * (slope[at] - gradient[at])
                                       : gradient[at];
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* Mean of the means, and the log of the averaged PF, with gradients. */
static int mean_and_feasible(const struct goal *goal, int m, const double *U, struct ckg__arena *arena,
                             double *mean, double *dmean, double *log_pf, double *dlog_pf)
{
    const struct ckg__surrogates *models = goal->study->stated;
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)goal->study->problem->D;
    double *one, *slope;

    if (CKG__TAKE(arena, CKG__ROOM(one, 2 * points), CKG__ROOM(slope, size)))
        return CKG_ERR_NOMEM;

    memset(mean, 0, points * sizeof *mean);
    memset(dmean, 0, size * sizeof *dmean);
    for (size_t p = 0; p < points; p++)
        log_pf[p] = -INFINITY;
    memset(dlog_pf, 0, size * sizeof *dlog_pf);
    for (int b = 0; b < models->beliefs; b++) {
        /* The mean, averaged. */
        if (ckg__posterior_mean(models->belief[b].gp[0], m, U, m, arena, one, slope))
            return CKG_ERR_NOMEM;
        for (size_t i = 0; i < size; i++)
            dmean[i] += slope[i] / models->beliefs;
        for (size_t p = 0; p < points; p++)
            mean[p] += one[p] / models->beliefs;

        /* The probability, averaged in logarithms. */
        memset(one, 0, points * sizeof *one);
        memset(slope, 0, size * sizeof *slope);
        if (ckg__belief_log_feasible_batch(&models->belief[b], m, U, m, arena, one, slope))
            return CKG_ERR_NOMEM;
        for (size_t p = 0; p < points; p++)
            ckg__log_add(&log_pf[p], one[p] - ckg__log(models->beliefs), goal->study->problem->D, m,
                         dlog_pf + p, slope + p);
    }
    return CKG_OK;
}

/* The best mean, falling short of the wanted probability punished by a quadratic in log PF. */
static int punished_mean(const struct goal *goal, int m, const double *U, struct ckg__arena *arena,
                         double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)goal->study->problem->D;
    double *log_pf, *slope;

    if (CKG__TAKE(arena, CKG__ROOM(log_pf, points), CKG__ROOM(slope, size)) ||
        mean_and_feasible(goal, m, U, arena, value, gradient, log_pf, slope))
        return CKG_ERR_NOMEM;
    for (size_t p = 0; p < points; p++) {
        const double missing = goal->log_p - log_pf[p];
        if (!(missing > 0))
            continue;
        value[p] -= goal->stiffness * missing * missing;
        for (size_t at = p; at < size; at += points)
            gradient[at] += 2 * goal->stiffness * missing * slope[at];
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* Minus the expected violation, averaged. */
static int mended(const struct goal *goal, int m, const double *U, struct ckg__arena *arena, double *value,
                  double *gradient)
{
    const struct ckg__surrogates *models = &goal->study->models;
    const size_t points = (size_t)m;
    const size_t size = points * (size_t)goal->study->problem->D;

    memset(value, 0, points * sizeof *value);
    memset(gradient, 0, size * sizeof *gradient);
    for (int b = 0; b < models->beliefs; b++)
        if (ckg__belief_expected_violation_batch(&models->belief[b], m, U, m, arena, value, gradient))
            return CKG_ERR_NOMEM;
    for (size_t p = 0; p < points; p++)
        value[p] /= -models->beliefs;
    for (size_t i = 0; i < size; i++)
        gradient[i] /= -models->beliefs;
    return CKG_OK;
}

static int goal_batch(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                      double *value, double *gradient)
{
    const struct goal *goal = context;

    (void)which;
    if (ckg__interrupted(&goal->study->interrupt))
        return CKG_ERR_CANCELLED;
    if (goal->rule == CKG_RULE_PROBABILITY)
        return punished_mean(goal, m, U, arena, value, gradient);
    if (goal->rule == LEAST_VIOLATION)
        return mended(goal, m, U, arena, value, gradient);
    int status = CKG_OK;
    for (int b = 0; !status && b < goal->study->stated->beliefs; b++)
        status = add_belief(goal, b, m, U, arena, value, gradient);
    return status;
}

/* Values of the goal at the columns of U (D×m), in chunks. */
static int values_at(void *context, int m, const double *U, int ldu, struct ckg__arena *arena, double *value)
{
    enum { CHUNK = 32 };
    struct goal *goal = context;
    const int D = goal->study->problem->D;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *part, *gradient;
    int status = CKG__TAKE(arena, CKG__ROOM(part, CHUNK * (size_t)D), CKG__ROOM(gradient, CHUNK * (size_t)D));

    for (int first = 0; !status && first < m; first += CHUNK) {
        const int count = m - first < CHUNK ? m - first : CHUNK;
        for (int k = 0; k < D; k++)
            memcpy(part + (size_t)k * (size_t)count, U + (size_t)k * (size_t)ldu + (size_t)first,
                   (size_t)count * sizeof *part);
        status = goal_batch(goal, count, part, NULL, arena, value + first, gradient);
    }
    ckg__arena_release(arena, mark);
    return status;
}

static const struct ckg__lbfgs_options patient = {6, 40, 0.01, 1e-8, 1e-12};

/* Climbs the goal from u (D) over the reals, and again so many times; *value is reached. */
static int ascend(struct goal *goal, const struct ckg__search *search, int again, double *u, double *value)
{
    const struct ckg__ascent ascent = {goal, goal_batch, values_at};
    const struct ckg__ascend_again more = {
        .times = again, .evaluations = 40, .width = goal->width, .enough = 1e-10};
    struct ckg__arena *arena = &search->arena[0];

    const int status = ckg__ascend_reals(search, &ascent, &patient, 1, u, value, arena);
    return status ? status : ckg__ascend_again(search, &ascent, &more, u, value, arena);
}

/* Steps to better lattice neighbours, the reals following. */
static int ascend_lattice(struct goal *goal, const struct ckg__search *search, double *u, double *value)
{
    static const struct ckg__ascend_lattice steps = {
        .rounds = 6, .neighbours = 48, .purpose = CKG__FOR_STEPS_OF_RECOMMENDATION, .follow = &patient};
    const struct ckg__ascent ascent = {goal, goal_batch, values_at};

    return ckg__ascend_lattice(search, &ascent, &steps, u, value, &search->arena[0]);
}

/* U (D×m) ← the base points and every x_r. */
static void lay_points(const struct ckg__search *search, double *U, int m)
{
    for (int k = 0; k < search->scope->problem->D; k++)
        memcpy(U + (size_t)k * (size_t)m, search->U + (size_t)k * (size_t)search->base,
               (size_t)search->base * sizeof *U);
    for (int o = 0; o < search->lookaheads; o++)
        ckg__point_put(search->scope->problem->D, search->lookahead[o].x_r, U, m, search->base + o);
}

/* The best of every x_r and of the base points, then uphill from the best few of them. */
static int best_anywhere(struct goal *goal, struct ckg__search *search, double *u)
{
    const int D = search->scope->problem->D;
    const int m = search->base + search->lookaheads;
    const int reals = ckg__problem_has_reals(search->scope->problem);
    double *U, *value, *v;
    double best = -INFINITY;
    int chosen[STARTS];

    if (CKG__TAKE(search->results, CKG__ROOM(U, (size_t)D * (size_t)m), CKG__ROOM(value, (size_t)m),
                  CKG__ROOM(v, (size_t)D)))
        return CKG_ERR_NOMEM;

    /* Where to begin. */
    lay_points(search, U, m);
    int status = values_at(goal, m, U, m, &search->arena[0], value);
    const int starts = status ? 0 : ckg__best_apart(D, m, U, m, value, 0, STARTS, chosen);

    /* Uphill. */
    for (int i = 0; !status && i < starts; i++) {
        double reached = value[chosen[i]];
        ckg__point_get(D, U, m, chosen[i], v);
        if (reals && isfinite(reached))
            status = ascend(goal, search, AGAIN, v, &reached);
        if (!status && (i == 0 || reached > best)) {
            best = reached;
            memcpy(u, v, (size_t)D * sizeof *u);
        }
    }
    return status ? status : ascend_lattice(goal, search, u, &best);
}

/* 1 when the distinct design is on the steps and in the list, where there are such. */
static int is_offered(const ckg_study *s, int design)
{
    return ckg__problem_offers(s->problem, s->data.x + (size_t)design * (size_t)s->problem->d);
}

/* evaluated (designs) ← 1 where the objective was measured or, where outcomes are measured apart, any
 * outcome. */
static void mark_evaluated(const ckg_study *s, int *evaluated)
{
    memset(evaluated, 0, (size_t)s->data.designs * sizeof *evaluated);
    for (int t = 0; t < s->data.trials; t++)
        for (int i = 0; i < s->data.trial[t].count; i++)
            evaluated[s->data.trial[t].design] |= s->problem->separate ||
                                                  s->data.trial[t].measured[i].outcome == 0;
}

/*
 * The best by the goal among designs with a measured objective; those that lie between the steps, or outside
 * the list, only where there is no other.
 */
static int best_evaluated(struct goal *goal, double *u)
{
    ckg_study *s = goal->study;
    const int D = s->problem->D;
    const int n = s->data.designs;
    double *U, *value;
    int *known;
    int best = -1;

    if (CKG__TAKE(&s->results, CKG__ROOM(U, (size_t)D * (size_t)n + 1), CKG__ROOM(value, (size_t)n + 1),
                  CKG__ROOM(known, (size_t)n + 1)))
        return CKG_ERR_NOMEM;
    mark_evaluated(s, known);
    ckg__point_columns(D, s->data.u, n, NULL, U);
    const int status = values_at(goal, n, U, n, &s->arena[0], value);
    if (status)
        return status;
    for (int any = 0; any < 2 && best < 0; any++)
        for (int i = 0; i < n; i++)
            if (known[i] && ckg__data_allowed(&s->data, i) && (any || is_offered(s, i)) &&
                (best < 0 || value[i] > value[best]))
                best = i;
    if (best < 0)
        return ckg__fail(CKG_ERR_STATE,
                         "nothing to recommend: every design that was evaluated breaks a rule");
    ckg__point_get(D, U, n, best, u);
    return CKG_OK;
}

/*
 * The best of what is best anywhere and of the designs that were evaluated at least in part: of those more is
 * known than the search for the best finds by itself, that a constraint holds for instance.
 */
static int best_in_part(struct goal *goal, struct ckg__search *search, double *u)
{
    const size_t D = (size_t)search->scope->problem->D;
    double *both = ckg__arena_doubles(search->results, 2 * D);
    double *evaluated = ckg__arena_doubles(search->results, D);
    double value[2] = {0};

    int status = both && evaluated ? best_anywhere(goal, search, u) : CKG_ERR_NOMEM;
    if (!status)
        status = best_evaluated(goal, evaluated);
    if (!status) {
        ckg__point_put((int)D, u, both, 2, 0);
        ckg__point_put((int)D, evaluated, both, 2, 1);
        status = values_at(goal, 2, both, 2, &search->arena[0], value);
    }
    if (!status && value[1] > value[0])
        memcpy(u, evaluated, D * sizeof *u);
    return status;
}

/*
 * Stiffer and stiffer; at last the log of the probability is met to 1e-6 or the design is the most probable
 * there is.
 */
static int by_probability(struct goal *goal, struct ckg__search *search, int evaluated_only, double *u)
{
    const double wanted = goal->log_p;
    int status;

    goal->log_p = wanted + 1e-7;
    goal->stiffness = 1e8;
    if (evaluated_only)
        return best_evaluated(goal, u);
    if (!ckg__problem_has_reals(goal->study->problem))
        return best_anywhere(goal, search, u);
    goal->stiffness = 1e2;
    status = best_anywhere(goal, search, u);
    for (int i = 0; !status && i < 3; i++) {
        double value;
        goal->stiffness *= 100;
        status = ascend(goal, search, 1, u, &value);
        if (!status)
            status = ascend_lattice(goal, search, u, &value);
    }
    return status;
}

static ckg_recommendation *recommendation_new(int d, int K)
{
    const size_t numbers = (size_t)d + 2 * (1 + (size_t)K) + (size_t)K;
    const size_t header = (sizeof(ckg_recommendation) + 63) / 64 * 64;
    char *block = ckg__alloc(header + numbers * sizeof(double), 1);

    if (!block)
        return NULL;
    ckg_recommendation *out = (ckg_recommendation *)(void *)block;
    double *at = (double *)(void *)(block + header);
    *out = (ckg_recommendation){.dimension = d,
                                .constraints = K,
                                .x = at,
                                .mean = at + d,
                                .sd = at + d + 1 + K,
                                .probability = at + d + 2 * (1 + K)};
    return out;
}

void ckg_recommendation_free(ckg_recommendation *recommendation)
{
    ckg__free(recommendation);
}

/*
 * x (d) ← the design at u (D). Between the cube and the user's units a design on a rule's limit may be
 * rounded to the other side: an evaluated one is given as it was evaluated, another one moves by as little.
 */
static void design_at(const ckg_study *s, double *u, double *x)
{
    const size_t D = (size_t)s->problem->D;
    const size_t d = (size_t)s->problem->d;

    for (size_t i = 0; i < (size_t)s->data.designs; i++)
        if (!memcmp(u, s->data.u + i * D, D * sizeof *u) && ckg__data_allowed(&s->data, (int)i) &&
            (ckg__ruled(s->problem) || !is_offered(s, (int)i))) {
            memcpy(x, s->data.x + i * d, d * sizeof *x);
            return;
        }
    if (ckg__ruled(s->problem))
        ckg__allowed_nearest(s->problem, NULL, NULL, u, NULL);
    ckg__problem_from_unit(s->problem, u, x);
}

/* How many trials have ended, and the best of them. */
static void count_evaluations(const ckg_study *s, ckg_recommendation *out)
{
    out->evaluations = ckg__study_ended(s);
    out->best_trial = ckg__data_best(&s->data);
}

static int describe(ckg_study *s, double *u, double penalty, ckg_recommendation *out)
{
    double utility, unused;

    design_at(s, u, (double *)out->x);
    ckg__problem_to_unit(s->problem, out->x, u);
    int status = ckg__study_predict_at(s, u, (double *)out->mean, (double *)out->sd,
                                       (double *)out->probability, &out->probability_feasible);
    if (!status)
        status = ckg__study_utility_at(s, u, penalty, &utility);
    if (status)
        return status;
    ckg__scaling_moments(&s->models.surrogate[0].scaling, utility, 0, &out->utility, &unused);
    if (isnan(out->probability_feasible))
        out->utility = NAN;
    ckg__scaling_moments(&s->models.surrogate[0].scaling, penalty, 0, &out->penalty, &unused);
    count_evaluations(s, out);
    return CKG_OK;
}

/* The last trial that evaluated the design that is recommended, or -1. */
static int trial_of(const ckg_study *s, const double *x)
{
    const int design = ckg__data_find(&s->data, x);
    int found = -1;

    for (int t = 0; design >= 0 && t < s->data.trials; t++)
        if (s->data.trial[t].design == design && s->data.trial[t].state == CKG_COMPLETE)
            found = t;
    return found;
}

/* 1 when the utility of what is recommended, by what is stated of it, beats the objective in hand. */
static int promises_more(const ckg_study *s, const ckg_recommendation *out, int count,
                         const struct ckg_measurement *facts)
{
    int more = 0;

    for (int i = 0; i < count; i++)
        if (!facts[i].outcome)
            more = ckg_problem_better(s->problem, out->utility, facts[i].value);
    return more;
}

/*
 * A feasible design whose outcomes are known exactly is a fact, and is recommended as measured. Designs that
 * were only predicted to be better were feasible in 87 of 100 cases where the models had said 0.99
 * (bench/results/coco.md): a search stops where the models err in its favour. What is in hand is not given
 * away for that.
 */
static void prefer_exact(const ckg_study *s, ckg_recommendation *out)
{
    const int best = ckg__study_incumbent(s);
    const struct ckg__trial *trial = &s->data.trial[best < 0 ? 0 : best];
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];

    if (best < 0)
        return;
    memcpy((double *)out->x, s->data.x + (size_t)trial->design * (size_t)s->problem->d,
           (size_t)s->problem->d * sizeof *out->x);
    ckg__study_state_facts(s, ckg__data_facts(&s->data, trial, facts), facts, out);
}

/*
 * Where outcomes are measured apart, a constraint that holds by a wide margin is not measured at the best
 * designs: what is in hand need not be known in full.
 */
static int prefer_sure(ckg_study *s, double penalty, ckg_recommendation *out)
{
    const size_t D = (size_t)s->problem->D;
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    double *u = ckg__arena_doubles(&s->results, D);
    int best = -1;

    /* What is in hand, and better than what is promised. */
    int status = u ? ckg__measured_for_sure(s->stated, &s->results, &best) : CKG_ERR_NOMEM;
    if (status || best < 0)
        return status;
    const struct ckg__trial *trial = &s->data.trial[best];
    const int count = ckg__study_exact_facts(s, trial, facts);
    if (!count || promises_more(s, out, count, facts))
        return CKG_OK;

    /* The models speak of the rest. */
    memcpy(u, s->data.u + (size_t)trial->design * D, D * sizeof *u);
    status = describe(s, u, penalty, out);
    if (!status)
        ckg__study_state_facts(s, count, facts, out);
    return status;
}

/* --- where nothing is likely to be feasible --- */

/* By how much constraint j is expected to be broken at u (D), averaged over the beliefs, in model units. */
static int violation_of(ckg_study *s, int j, const double *u, double *violation)
{
    const struct ckg__surrogates *models = &s->models;
    const int place = models->surrogate[j].place;

    *violation = 0;
    for (int b = 0; b < models->beliefs; b++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
        struct ckg__limits limits = ckg__belief_limits(&models->belief[b], place);
        struct ckg__view view;
        double unused[2];

        if (ckg__view_make(&view, models->belief[b].gp[place], 1, u, 1, &s->results))
            return CKG_ERR_NOMEM;
        ckg__surrogates_limits(models, j, &limits.lower, &limits.upper);
        *violation += ckg__limits_expected_violation(&limits, view.mean[0], view.var[0], &unused[0],
                                                     &unused[1]) /
                      models->beliefs;
        ckg__arena_release(&s->results, mark);
    }
    return CKG_OK;
}

/* The constraint that is expected to be broken by most at u (D). */
static int find_most_violated(ckg_study *s, const double *u, int *most_violated)
{
    double most = 0;
    int status = CKG_OK;

    *most_violated = 0;
    for (int j = 1; !status && j < s->problem->outcomes; j++) {
        double violation;
        status = violation_of(s, j, u, &violation);
        if (!status && violation > most) {
            most = violation;
            *most_violated = j;
        }
    }
    return status;
}

/*
 * 1 when nothing measured feasible, and what would be recommended is not likely to be feasible either; not
 * before there are enough evaluations to say so.
 */
static int is_hopeless(const ckg_study *s, const ckg_recommendation *out)
{
    return ckg__data_best(&s->data) < 0 && out->probability_feasible < unlikely &&
           out->evaluations >= s->problem->d + 2;
}

/*
 * Where no design is likely to be feasible, utilities compare chances that hardly differ from none, and a
 * design that breaks its limits by far may come first. Then the one that breaks them least is recommended,
 * unless it turns out that it has a chance.
 */
static int settle_for_least(ckg_study *s, const ckg_recommend_options *o, struct ckg__search *search,
                            const double *u, double penalty, ckg_recommendation *out)
{
    struct goal goal = {.study = s, .rule = LEAST_VIOLATION, .width = 0.1};
    const size_t D = (size_t)s->problem->D;
    double *least = ckg__arena_doubles(&s->results, D);

    if (!least)
        return CKG_ERR_NOMEM;
    int status = o->evaluated_only ? best_evaluated(&goal, least) : best_anywhere(&goal, search, least);
    if (!status)
        status = describe(s, least, penalty, out);
    if (!status && is_hopeless(s, out))
        return find_most_violated(s, least, &out->most_violated);
    memcpy(least, u, D * sizeof *u);
    return status ? status : describe(s, least, penalty, out);
}

int ckg__study_choose(ckg_study *s, const ckg_recommend_options *o, struct ckg__search *search, double *u,
                      double *penalty)
{
    /* What is looked for: M and the width of the cliff are the smallest of all beliefs. */
    struct goal goal = {.study = s,
                        .rule = o->rule,
                        .penalty = ckg__search_common_penalty(search),
                        .log_p = ckg__log(o->probability),
                        .width = 0.1};
    for (int b = 0; b < search->lookaheads; b++)
        goal.width = fmin(goal.width, search->lookahead[b].width);
    *penalty = goal.penalty;

    /* Where. */
    if (o->rule == CKG_RULE_PROBABILITY)
        return by_probability(&goal, search, o->evaluated_only, u);
    if (o->evaluated_only)
        return best_evaluated(&goal, u);
    if (s->problem->separate)
        return best_in_part(&goal, search, u);
    if (s->stated->beliefs > 1)
        return best_anywhere(&goal, search, u);
    memcpy(u, search->lookahead[0].x_r, (size_t)s->problem->D * sizeof *u);
    return CKG_OK;
}

static int recommend(ckg_study *s, const ckg_recommend_options *o, ckg_recommendation *out)
{
    struct ckg__search search;
    double penalty = NAN;
    int status = ckg__study_begin_search(s, NULL, &search);
    double *u = status ? NULL : ckg__arena_doubles(&s->results, (size_t)s->problem->D);

    if (!status && !u)
        status = CKG_ERR_NOMEM;

    /*
     * Where: a wanted probability is one that is stated, a utility what the policies believe. Where outcomes
     * are measured apart, it is weighed against what is known of designs in part, and stated too.
     */
    const int wanted = o->rule == CKG_RULE_PROBABILITY || s->problem->separate;
    if (!status && wanted)
        status = ckg__study_calibrate(s);
    if (!status)
        status = ckg__study_choose(s, o, &search, u, &penalty);

    /* What is stated of it; a fact needs no opinion. */
    if (!status && !wanted && ckg__study_incumbent(s) < 0)
        status = ckg__study_calibrate(s);
    if (!status)
        status = describe(s, u, penalty, out);
    if (!status && o->rule == CKG_RULE_UTILITY && !search.size.paper && is_hopeless(s, out))
        status = settle_for_least(s, o, &search, u, penalty, out);
    if (!status && o->rule == CKG_RULE_UTILITY && !search.size.paper) {
        if (s->problem->separate)
            status = prefer_sure(s, penalty, out);
        else
            prefer_exact(s, out);
    }
    if (!status)
        out->trial = trial_of(s, out->x);
    return status;
}

/* What can be said without the models of the best trial that measured feasible. */
static int recommend_measured(ckg_study *s, ckg_recommendation *out)
{
    const int best = ckg__data_best(&s->data);
    const int K = s->problem->outcomes - 1;

    ckg__error_clear();
    if (best < 0)
        return ckg__fail(CKG_ERR_STATE,
                         "no recommendation within the time limit of %g s, and no evaluated design was "
                         "feasible; allow more time",
                         s->time_limit);
    const struct ckg__trial *trial = &s->data.trial[best];

    /* The design; what is not known of it. */
    memcpy((double *)out->x, s->data.x + (size_t)trial->design * (size_t)s->problem->d,
           (size_t)s->problem->d * sizeof *out->x);
    for (int j = 0; j <= K; j++)
        ((double *)out->mean)[j] = ((double *)out->sd)[j] = NAN;
    for (int j = 0; j < K; j++)
        ((double *)out->probability)[j] = NAN;
    out->probability_feasible = out->utility = out->penalty = NAN;

    /* And what is. */
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    const int count = ckg__data_facts(&s->data, trial, facts);
    count_evaluations(s, out);
    for (int i = 0; i < count; i++)
        ((double *)out->mean)[facts[i].outcome] = facts[i].value;
    prefer_exact(s, out);
    out->trial = best;
    return CKG_OK;
}

int ckg_recommend_options_init(ckg_recommend_options *options, int version)
{
    ckg__error_clear();
    if (!options || version != CKG_RECOMMEND_OPTIONS_VERSION)
        return ckg__fail(CKG_ERR_INVALID, "ckg_recommend_options_init: there is no version %d", version);
    *options = (ckg_recommend_options)CKG_RECOMMEND_OPTIONS_INIT;
    return CKG_OK;
}

static int check_options(const ckg_recommend_options *o)
{
    if (o->version != CKG_RECOMMEND_OPTIONS_VERSION)
        return ckg__fail(CKG_ERR_INVALID,
                         "recommend: there is no version %d of the options; start from "
                         "CKG_RECOMMEND_OPTIONS_INIT",
                         o->version);
    if (o->rule != CKG_RULE_UTILITY && o->rule != CKG_RULE_PROBABILITY)
        return ckg__fail(CKG_ERR_INVALID, "recommend: unknown rule %d", o->rule);
    if (o->rule == CKG_RULE_PROBABILITY && !(o->probability > 0 && o->probability < 1))
        return ckg__fail(CKG_ERR_INVALID, "recommend: the probability must be above 0 and below 1, not %g",
                         o->probability);
    return CKG_OK;
}

/* The objective was measured, and every constraint too where a probability is asked for. */
static int check_measured(const ckg_study *s, const ckg_recommend_options *o)
{
    if (!ckg__data_measured(&s->data, 0))
        return ckg__fail(CKG_ERR_STATE, "nothing to recommend: the objective '%s' has not been measured yet",
                         s->problem->outcome[0].name);
    for (int j = 1; o->rule == CKG_RULE_PROBABILITY && j < s->problem->outcomes; j++)
        if (!ckg__data_measured(&s->data, j))
            return ckg__fail(
                CKG_ERR_STATE,
                "no design is known to be feasible with any probability: the constraint '%s' has "
                "not been measured yet",
                s->problem->outcome[j].name);
    return CKG_OK;
}

/* 1 when the budget is spent and its last evaluation had a policy of its own. */
static int finally_spent(const ckg_study *s)
{
    if (s->final_policy && s->problem->separate)
        return ckg__data_spent(&s->data) >= s->budget;
    return s->final_policy && ckg__study_ended(s) >= s->budget;
}

int ckg_study_recommend(ckg_study *s, const ckg_recommend_options *options, ckg_recommendation **out)
{
    ckg_recommend_options defaults = CKG_RECOMMEND_OPTIONS_INIT;

    /* What is asked for must make sense. */
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_recommend: a NULL argument");
    *out = NULL;
    defaults.evaluated_only = finally_spent(s);
    int status = check_options(options ? options : &defaults);

    /* There must be something to go by. */
    if (!status)
        status = check_measured(s, options ? options : &defaults);
    if (status)
        return status;

    /* The search, which may be interrupted. */
    ckg__interrupt_begin(&s->interrupt, s->time_limit);
    ckg_recommendation *result = recommendation_new(s->problem->d, s->problem->outcomes - 1);
    status = result ? recommend(s, options ? options : &defaults, result) : CKG_ERR_NOMEM;
    if (status && result && ckg__interrupt_expired(&s->interrupt) && !ckg__interrupted(&s->interrupt))
        status = recommend_measured(s, result);
    status = ckg__study_end_search(s, status);

    /* A recommendation or none, never half of one. */
    if (status) {
        ckg_recommendation_free(result);
        return status;
    }
    *out = result;
    return CKG_OK;
}
