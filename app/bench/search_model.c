/*
 * Pattern search on the predicted means from many starts: the trials, what is recommended with several
 * probabilities, and random designs. A step changes one parameter; steps are halved when none helps.
 */
#include "bench/search_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM = 40, STARTS = 24, HALVINGS = 18 };

/* A design with what the models say of it: how far it breaks limits, and the objective to minimize. */
struct start {
    double x[CKG_MAX_PARAMETERS];
    double excess, value;
};

struct search {
    ckg_study *engine;
    const ckg_problem *problem;
    int d, K;
    int count;
    struct start start[STARTS]; /* the best so far, sorted */
};

/* 1 when the first is the better one: less broken limits first. */
static int is_better(const struct start *a, const struct start *b)
{
    return a->excess != b->excess ? a->excess < b->excess : a->value < b->value;
}

static int look(const struct search *s, struct start *at)
{
    double mean[1 + CKG_MAX_CONSTRAINTS];
    const int status = ckg_study_predict(s->engine, 1, at->x, mean, NULL, NULL, NULL);

    if (status)
        return status;
    at->value = ckg_problem_goal(s->problem) == CKG_MAXIMIZE ? -mean[0] : mean[0];
    at->excess = 0;
    for (int k = 1; k <= s->K; k++) {
        double min;
        double max;
        ckg_problem_limits(s->problem, k, &min, &max);
        at->excess += fmax(fmax(min - mean[k], mean[k] - max), 0);
    }
    return CKG_OK;
}

/* The value of a parameter a step further, on its scale and lattice. */
static double moved(const struct search *s, int i, double value, double step)
{
    double low;
    double high;

    ckg_problem_parameter_range(s->problem, i, &low, &high);
    const double lattice = ckg_problem_parameter_step(s->problem, i);
    double to = ckg_problem_parameter_scale(s->problem, i) == CKG_LOG ? value * pow(high / low, step)
                                                                      : value + step * (high - low);
    if (lattice > 0) {
        const double steps = round((to - value) / lattice);
        to = value + (steps != 0 ? steps : step > 0 ? 1 : -1) * lattice;
    }
    return fmin(fmax(to, low), high);
}

/* Tries one value of one parameter, and takes it where that is better. */
static int try_value(const struct search *s, int i, double value, struct start *best, int *improved)
{
    struct start next = *best;

    next.x[i] = value;
    if (value == best->x[i] || ckg_problem_check_design(s->problem, next.x) ||
        ckg_problem_check_rules(s->problem, next.x))
        return CKG_OK;
    const int status = look(s, &next);
    if (!status && is_better(&next, best)) {
        *best = next;
        *improved = 1;
    }
    return status;
}

static int try_parameter(const struct search *s, int i, double step, struct start *best, int *improved)
{
    int status = CKG_OK;

    if (ckg_problem_parameter_kind(s->problem, i) == CKG_CATEGORICAL) {
        for (int k = 0; !status && k < ckg_problem_categories(s->problem, i); k++)
            status = try_value(s, i, k, best, improved);
        return status;
    }
    status = try_value(s, i, moved(s, i, best->x[i], step), best, improved);
    return status ? status : try_value(s, i, moved(s, i, best->x[i], -step), best, improved);
}

/* A finite list has no neighbours: its designs are starts. */
static int descend(const struct search *s, struct start *best)
{
    double step = 0.2;
    int status = CKG_OK;

    for (int halvings = 0; !status && halvings < HALVINGS && !ckg_problem_designs(s->problem);) {
        int improved = 0;
        for (int i = 0; !status && i < s->d; i++)
            status = try_parameter(s, i, step, best, &improved);
        if (!improved) {
            step /= 2;
            halvings++;
        }
    }
    return status;
}

/* --- starts --- */

static int add_start(struct search *s, const double *x)
{
    struct start one;
    int at = s->count < STARTS ? s->count : STARTS - 1;

    memcpy(one.x, x, (size_t)s->d * sizeof *x);
    if (ckg_problem_check_rules(s->problem, x))
        return CKG_OK;
    const int status = look(s, &one);
    if (status || (s->count == STARTS && !is_better(&one, &s->start[at])))
        return status;
    for (; at > 0 && is_better(&one, &s->start[at - 1]); at--)
        s->start[at] = s->start[at - 1];
    s->start[at] = one;
    s->count += s->count < STARTS;
    return CKG_OK;
}

static int add_recommended(struct search *s)
{
    static const double chances[] = {0.05, 0.25, 0.5, 0.9};
    int status = CKG_OK;

    for (size_t i = 0; !status && i < sizeof chances / sizeof *chances; i++) {
        ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
        ckg_recommendation *r;
        how.rule = CKG_RULE_PROBABILITY;
        how.probability = chances[i];
        status = ckg_study_recommend(s->engine, &how, &r);
        if (!status)
            status = add_start(s, r->x);
        ckg_recommendation_free(status ? NULL : r);
    }
    return status;
}

/* Designs of the space-filling policy, from a study of their own. */
static int add_random(struct search *s)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *study;

    options.policy = "sobol";
    options.initial = 0;
    int status = ckg_study_new(&study, s->problem, &options);
    for (int i = 0; !status && i < RANDOM; i++) {
        ckg_suggestion *suggestion;
        status = ckg_study_ask(study, &suggestion);
        if (status)
            break;
        status = add_start(s, suggestion->x);
        ckg_suggestion_free(suggestion);
    }
    ckg_study_free(study);
    return status == CKG_ERR_EXHAUSTED ? CKG_OK : status;
}

static int add_listed(struct search *s)
{
    int status = CKG_OK;

    for (int t = 0; !status && t < ckg_study_trials(s->engine); t++) {
        ckg_trial trial;
        status = ckg_study_trial(s->engine, t, &trial);
        if (!status)
            status = add_start(s, trial.x);
    }
    for (int i = 0; !status && i < ckg_problem_designs(s->problem); i++)
        status = add_start(s, ckg_problem_design(s->problem, i));
    return status;
}

int app_search_model(ckg_study *engine, double *optimum)
{
    struct start best = {.excess = INFINITY};
    struct search *s = calloc(1, sizeof *s);

    if (!s)
        return CKG_ERR_NOMEM;
    s->engine = engine;
    s->problem = ckg_study_problem(engine);
    s->d = ckg_problem_dimension(s->problem);
    s->K = ckg_problem_constraints(s->problem);

    /* Where to begin, and the best that comes of it. */
    int status = add_listed(s);
    if (!status)
        status = add_recommended(s);
    if (!status)
        status = add_random(s);
    for (int i = 0; !status && i < s->count; i++) {
        status = descend(s, &s->start[i]);
        if (!status && is_better(&s->start[i], &best))
            best = s->start[i];
    }

    if (!status && best.excess > 0)
        status = CKG_ERR_STATE;
    else
        *optimum = ckg_problem_goal(s->problem) == CKG_MAXIMIZE ? -best.value : best.value;
    free(s);
    return status;
}
