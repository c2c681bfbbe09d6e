/*
 * What more evaluations are expected to gain.
 *
 * One more: the largest value of the knowledge gradient. Without noise and with a feasible design in hand
 * that is the expected improvement (policy/policy_auto.c).
 *
 * All there is to know, A: joint draws of all outcomes say what the truth might be. In each, the best
 * feasible point is compared with what is recommended now.
 *
 * The rest of the budget, q evaluations: q/(q + 2d) of 0.95·A + 0.05·B, where B is A if every outcome had
 * length-scales half as long as its model has it: a model that gathered its data in one place is sure of
 * what it has not seen, and its A is 0 while it is blind. At least the gain of one more evaluation, and
 * without noise half of what the last few evaluations gained. bench/results/stopping.txt has what comes true
 * of it.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "base/sized.h"
#include "study/study.h"
#include "search/draws.h"
#include "policy/policy.h"

/* Beliefs that are looked through; draws in all, and of each belief at least; points everywhere, around x_r,
 * and at the ends of ranges. */
enum { LOOKS = 4, DRAWS = 64, FEWEST = 8, FILLING = 64, NEAR = 12, FACES = 16 };

/* How likely outcomes are to be rougher than their models have it, and by how much shorter their scales. */
static const double doubted = 0.05;
static const double shorter = 0.5;

/* What is compared with, and where one more evaluation would be made. */
struct reference {
    double *u;      /* (D) what is recommended */
    double *next;   /* (D) */
    double known;   /* its objective, model units, where it is a fact; else NAN */
    double penalty; /* M, model units */
    int assumed;    /* 1: that it is feasible is taken for granted */
};

/* A value in model units as the user sees it, but larger is better. */
static double in_units(const ckg_study *s, double y)
{
    const struct ckg__scaling *scaling = &s->models.surrogate[0].scaling;
    double value, sd;

    ckg__scaling_moments(scaling, y, 0, &value, &sd);
    return scaling->sign * value;
}

/* What is recommended now. */
static int find_reference(ckg_study *s, struct ckg__search *search, struct reference *r)
{
    const ckg_recommend_options rule = CKG_RECOMMEND_OPTIONS_INIT;
    const size_t D = (size_t)s->problem->D;
    const int best = ckg__study_incumbent(s);

    /* By the rule for recommendations. */
    r->u = ckg__arena_doubles(&s->results, D);
    r->next = ckg__arena_doubles(&s->results, D);
    r->known = NAN;
    r->assumed = 0;
    if (!r->u || !r->next)
        return CKG_ERR_NOMEM;
    const int status = ckg__study_choose(s, &rule, search, r->u, &r->penalty);
    if (status || best < 0)
        return status;

    /* Or a fact. */
    memcpy(r->u, s->data.u + (size_t)s->data.trial[best].design * D, D * sizeof *r->u);
    r->known = search->objective[best];
    return CKG_OK;
}

/* --- by one more --- */

/* Half the effort of a suggestion: this is asked for after every evaluation. */
static void look_lightly(struct ckg__search_size *size)
{
    size->candidates /= 2;
    size->inner = size->inner > 1 ? size->inner / 2 : 1;
    size->refine = size->refine > 1 ? 1 : size->refine;
}

static int gain_of_one(ckg_study *s, struct ckg__search *search, const struct reference *r, double *one)
{
    struct ckg__choice choice = {.u = r->next, .value = NAN};

    memcpy(r->next, r->u, (size_t)s->problem->D * sizeof *r->next);
    look_lightly(&search->size);
    const int status = ckg__policy_next_gain(search, !isnan(r->known), &choice);
    if (status)
        return status;

    /* From what is recommended upwards, on the scale of the model. */
    const struct ckg__lookahead *first = &search->lookahead[0];
    const double from = isnan(r->known) ? first->view[0].mean[first->r] : r->known;
    const double value = choice.by->unit == CKG__UNIT_LOG_OBJECTIVE ? ckg__exp(choice.value) : choice.value;
    *one = choice.found && value > 0 ? in_units(s, from + value) - in_units(s, from) : 0;
    return CKG_OK;
}

/* --- by knowing everything --- */

/* Points first, first + step, … of the lookahead, `count` of them, into U (D×m) from column `at` on. */
static void take_points(const struct ckg__search *search, const struct ckg__lookahead *lookahead, int first,
                        int step, int count, int m, int at, double *U)
{
    for (int k = 0; k < search->scope->problem->D; k++)
        for (int p = 0; p < count; p++)
            U[(size_t)k * (size_t)m + (size_t)(at + p)] =
                lookahead->U[(size_t)k * (size_t)lookahead->room + (size_t)(first + p * step)];
}

/*
 * Where the outcomes are drawn, D×*m: some of the lookahead's space-filling points and of those around its
 * x_r, faces, where the next evaluation would be, and last what is recommended.
 */
static int lay_points(const struct ckg__search *search, int o, const struct reference *r, int *m, double **U)
{
    const struct ckg__lookahead *lookahead = &search->lookahead[o];
    const int D = search->scope->problem->D;
    const int reals = ckg__problem_has_reals(search->scope->problem);
    const int thinned = search->enumerated ? (search->base + FILLING - 1) / FILLING : 1;
    const int filling = search->enumerated            ? (search->base - 1) / thinned + 1
                        : search->size.base < FILLING ? search->size.base
                                                      : FILLING;
    const int apart = (lookahead->r - search->base) / NEAR;
    const int near = apart ? NEAR : 0;
    const int faces = reals && !search->scope->problem->designs ? FACES : 0;

    *m = filling + near + faces + 2;
    *U = ckg__arena_doubles(search->results, (size_t)D * (size_t)*m);
    if (!*U)
        return CKG_ERR_NOMEM;
    take_points(search, lookahead, 0, thinned, filling, *m, 0, *U);
    take_points(search, lookahead, search->base, apart, near, *m, filling, *U);
    ckg__point_put(D, r->next, *U, *m, *m - 2);
    ckg__point_put(D, r->u, *U, *m, *m - 1);
    return faces ? ckg__search_faces(search, 0, r->u, faces, *U + filling + near, *m) : CKG_OK;
}

/* Room for `count` draws under the lookahead. */
static int take_draws(const struct ckg__search *search, int o, int count, const struct reference *r,
                      struct ckg__draws *draws)
{
    double *U;
    int m;
    const int status = lay_points(search, o, r, &m, &U);

    return status ? status
                  : ckg__draws_take(draws, search->lookahead[o].belief, count, m, U, search->results);
}

/* How likely what is recommended, the last point of the draws, is to be feasible. */
static double feasible_in(const struct ckg__draws *draws, const struct ckg__belief *belief)
{
    struct ckg__view last[CKG__MAX_OUTCOMES];
    double log_pf;

    for (int j = 0; j < belief->outcomes; j++)
        last[j] = (struct ckg__view){
            .m = 1, .mean = draws->view[j].mean + draws->m - 1, .var = draws->view[j].var + draws->m - 1};
    ckg__belief_log_feasible(belief, last, &log_pf);
    return ckg__exp(log_pf);
}

/*
 * How much better than what is recommended the best of a draw is, in the objective's units, on average over
 * the draws. Whether what is recommended is feasible is not left to the draws: it may lie so near to a limit
 * that what is added to their variance for numerical reasons would decide.
 */
static double mean_gain(const ckg_study *s, const struct ckg__draws *draws, const struct ckg__belief *belief,
                        const struct reference *r)
{
    const double feasible = isnan(r->known) && !r->assumed ? feasible_in(draws, belief) : 1;
    double sum = 0;

    for (int i = 0; i < draws->count; i++) {
        const double here = isnan(r->known) ? ckg__draws_of(draws, 0, i)[draws->m - 1] : r->known;
        double best;
        if (ckg__draws_best(draws, belief, i, &best) < 0)
            continue;
        if (best > here)
            sum += feasible * (in_units(s, best) - in_units(s, here));
        if (best > r->penalty)
            sum += (1 - feasible) * (in_units(s, best) - in_units(s, r->penalty));
    }
    return sum / draws->count;
}

/* The gain of knowing everything, averaged over the lookaheads of the search. */
static int gain_of_all(ckg_study *s, struct ckg__search *search, const struct reference *r, double *all)
{
    const int each = DRAWS / search->lookaheads > FEWEST ? DRAWS / search->lookaheads : FEWEST;
    struct ckg__draws *draws = ckg__arena_get(&s->results, (size_t)search->lookaheads, sizeof *draws);
    int status = draws ? CKG_OK : CKG_ERR_NOMEM;

    /* What might be true. */
    for (int o = 0; !status && o < search->lookaheads; o++)
        status = take_draws(search, o, each, r, &draws[o]);
    if (!status)
        status = ckg__draws_make(search, CKG__DRAWS_GAIN, draws);

    /* How much better than what is recommended the best would be then. */
    *all = 0;
    for (int o = 0; !status && o < search->lookaheads; o++)
        *all += mean_gain(s, &draws[o], search->lookahead[o].belief, r) / search->lookaheads;
    return status;
}

/*
 * The same if every outcome were rougher than its model has it: what might wait where nobody looked. That
 * what is recommended is feasible is not doubted.
 */
static int gain_in_roughness(ckg_study *s, const struct ckg__search *search, const struct reference *r,
                             double *roughness)
{
    struct reference granted = *r;
    struct ckg__lookahead lookahead = search->lookahead[0];
    struct ckg__search doubtful = *search;
    struct ckg__belief *belief = ckg__arena_get(&s->results, 1, sizeof *belief);
    const int status = belief ? ckg__surrogates_roughen(&s->models, shorter, belief) : CKG_ERR_NOMEM;

    lookahead.belief = belief;
    doubtful.lookaheads = 1;
    doubtful.lookahead = &lookahead;
    granted.assumed = 1;
    return status ? status : gain_of_all(s, &doubtful, &granted, roughness);
}

/* --- by the rest of the budget --- */

/* The best objective measured feasible in the first `trials` trials, larger better; −INFINITY: none. */
static double best_of_first(const ckg_study *s, int trials)
{
    struct ckg__data first = s->data;

    first.trials = trials;
    const int best = ckg__data_best(&first);
    if (best < 0)
        return -INFINITY;
    for (int i = 0; i < s->data.trial[best].count; i++)
        if (s->data.trial[best].measured[i].outcome == 0)
            return s->models.surrogate[0].scaling.sign * s->data.trial[best].measured[i].value;
    return -INFINITY;
}

/* What the last fifth of the trials gained, without noise, or as many as are left; 0 where nothing is known.
 */
static double gained_lately(const ckg_study *s, const struct reference *r, int left)
{
    const int fifth = s->data.trials / 5;
    const int before = s->data.trials - (left < fifth ? left : fifth);
    const double then = best_of_first(s, before);

    if (isnan(r->known) || isinf(then))
        return 0;
    return best_of_first(s, s->data.trials) - then;
}

static double gain_of_rest(const ckg_study *s, const struct reference *r, const ckg_gain *gain)
{
    const double q = gain->left;
    const double found = q / (q + 2 * s->problem->d);
    const double there = (1 - doubted) * gain->perfect_information +
                         doubted * gain->perfect_information_rough;

    if (gain->left < 1)
        return gain->left < 0 ? NAN : 0;
    return fmax(fmax(gain->next, found * there), 0.5 * gained_lately(s, r, gain->left));
}

/* How many the budget still pays for; with costs, how often everything could be measured. */
static int evaluations_left(const ckg_study *s)
{
    const double left = s->problem->separate ? floor((s->budget - ckg__data_spent(&s->data)) /
                                                     ckg__problem_full_price(s->problem))
                                             : s->budget - ckg__study_ended(s);

    return left > 0 ? (int)left : 0;
}

/* --- all of it --- */

/* 1 when there is something to go by. */
static int is_known(const ckg_study *s)
{
    int known = ckg__data_best(&s->data) >= 0 && ckg__study_ended(s) >= s->initial;

    for (int j = 0; known && j < s->problem->outcomes; j++)
        known = ckg__data_measured(&s->data, j);
    return known;
}

/* The objective of what is recommended, in the user's units. */
static int objective_at(ckg_study *s, const struct reference *r, double *objective)
{
    double mean[1 + CKG_MAX_CONSTRAINTS];
    double sd[1 + CKG_MAX_CONSTRAINTS];
    double probability[CKG_MAX_CONSTRAINTS + 1];
    double feasible;

    const int status = ckg__study_predict_at(s, r->u, mean, sd, probability, &feasible);
    if (!status)
        *objective = mean[0];
    return status;
}

/* A search for a recommendation, through a few of the beliefs where there are many. */
static int begin_search(ckg_study *s, struct ckg__search *search)
{
    const int status = ckg__study_believe(s, NULL, ckg__clock(), search);

    search->looks = LOOKS;
    return status ? status : ckg__policy_begin(NULL, search);
}

static int expect(ckg_study *s, ckg_gain *gain)
{
    struct ckg__search search;
    struct reference reference;

    int status = begin_search(s, &search);
    if (!status)
        status = find_reference(s, &search, &reference);
    if (!status)
        status = gain_of_one(s, &search, &reference, &gain->next);
    if (!status)
        status = gain_of_all(s, &search, &reference, &gain->perfect_information);
    if (!status)
        status = gain_in_roughness(s, &search, &reference, &gain->perfect_information_rough);
    if (!status)
        gain->remaining = gain_of_rest(s, &reference, gain);
    return status ? status : objective_at(s, &reference, &gain->objective);
}

int ckg_study_expected_gain_sized(ckg_study *s, ckg_gain *out, size_t size)
{
    ckg_gain gain;
    int status = CKG_OK;

    /* Every byte of it, so that two answers can be compared as they are. */
    memset(&gain, 0, sizeof gain);
    gain.next = gain.remaining = gain.perfect_information = gain.perfect_information_rough = gain.objective =
        NAN;
    gain.left = -1;
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_expected_gain: a NULL argument");
    if (s->budget > 0)
        gain.left = evaluations_left(s);
    if (is_known(s)) {
        ckg__interrupt_begin(&s->interrupt, 0);
        status = ckg__study_end_search(s, expect(s, &gain));
    }
    if (!status)
        ckg__fill_sized(out, size, &gain, sizeof gain);
    return status;
}
