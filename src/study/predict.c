/*
 * Predictions in the user's units. Over several beliefs a prediction is their mixture: mean of means,
 * variance = mean of variances + variance of means.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "study/study.h"

/* Mean and variance of process `place` at u under belief b, in model units. */
static int outcome_at(ckg_study *s, int b, int place, const double *u, double *mean, double *var)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
    struct ckg__view view;
    const int status = ckg__view_make(&view, s->models.belief[b].gp[place], 1, u, 1, &s->results);

    if (!status) {
        *mean = view.mean[0];
        *var = view.var[0];
    }
    ckg__arena_release(&s->results, mark);
    return status;
}

/* 1 when outcome j has been measured; before that its model is the prior, which is nobody's knowledge. */
static int is_known(const ckg_study *s, int j)
{
    return ckg__models_of(&s->models, j)->series.n > 0;
}

/* Takes back what would be said of outcomes that were never measured, and of all constraints together. */
static void withhold_unknown(const ckg_study *s, double *mean, double *sd, double *probability,
                             double *feasible)
{
    for (int j = 0; j < s->problem->outcomes; j++) {
        if (is_known(s, j))
            continue;
        mean[j] = sd[j] = NAN;
        if (j)
            probability[j - 1] = *feasible = NAN;
    }
}

/* How likely an outcome is to be within its own limits, and its factor in the probability of all. */
struct judgement {
    double alone, factor;
};

/* That of outcome j under belief b, where its process has this mean and variance. */
static struct judgement judge(const ckg_study *s, int b, int j, double mean, double var)
{
    double alone = 0;
    double together = 0;

    if (!j)
        return (struct judgement){1, 1};
    const struct ckg__limits of_all = ckg__belief_limits(&s->models.belief[b], s->models.surrogate[j].place);
    struct ckg__limits own = of_all;
    ckg__models_limits(&s->models, j, &own.lower, &own.upper);
    ckg__log_feasible(1, &mean, &var, &own, &alone, NULL, NULL);

    /* Constraints that repeat one another count once, by the narrowest limits of them all. */
    if (ckg__models_shared(&s->models, j))
        return (struct judgement){exp(alone), 1};
    ckg__log_feasible(1, &mean, &var, &of_all, &together, NULL, NULL);
    return (struct judgement){exp(alone), exp(together)};
}

int ckg__study_predict_at(ckg_study *s, const double *u, double *mean, double *sd, double *probability,
                          double *feasible)
{
    const int beliefs = s->models.beliefs;
    const int outcomes = s->models.outcomes;
    const int told = s->problem->outcomes;
    double product[CKG__MAX_SAMPLES];

    for (int b = 0; b < beliefs; b++)
        product[b] = 1;

    /* Each outcome: the moments of the mixture over the beliefs, and how likely its limits are met. */
    for (int j = 0; j < outcomes; j++) {
        const int place = s->models.surrogate[j].place;
        double first = 0;
        double second = 0;
        double within = 0;
        double probable = 0;
        for (int b = 0; b < beliefs; b++) {
            struct judgement own;
            double one;
            double var;
            if (outcome_at(s, b, place, u, &one, &var))
                return CKG_ERR_NOMEM;
            own = judge(s, b, j, one, var);
            first += one / beliefs;
            second += one * one / beliefs;
            within += var / beliefs;
            probable += own.alone / beliefs;
            product[b] *= own.factor;
        }
        const double between = beliefs > 1 && second > first * first ? second - first * first : 0;
        if (j < told)
            ckg__models_moments(&s->models, j, first, sqrt(within + between), &mean[j], &sd[j]);
        if (j && j < told)
            probability[j - 1] = probable;
    }

    /* All of them together, belief by belief. */
    *feasible = 0;
    for (int b = 0; b < beliefs; b++)
        *feasible += product[b] / beliefs;
    withhold_unknown(s, mean, sd, probability, feasible);
    return CKG_OK;
}

int ckg__study_utility_at(ckg_study *s, const double *u, double penalty, double *utility)
{
    *utility = penalty;
    for (int b = 0; b < s->models.beliefs; b++) {
        const struct ckg__belief *belief = &s->models.belief[b];
        double gain = 0;
        double log_pf = 0;
        for (int j = 0; j < belief->outcomes; j++) {
            double mean, var;
            if (outcome_at(s, b, j, u, &mean, &var))
                return CKG_ERR_NOMEM;
            if (j) {
                const struct ckg__limits limits = ckg__belief_limits(belief, j);
                ckg__log_feasible(1, &mean, &var, &limits, &log_pf, NULL, NULL);
            } else {
                gain = mean - penalty;
            }
        }
        *utility += gain * exp(log_pf) / s->models.beliefs;
    }
    return CKG_OK;
}

/* Checks the designs of a public call and brings the models up to date. */
static int begin(ckg_study *s, int count, const double *X, const char *caller)
{
    ckg__error_clear();
    if (!s || count < 0 || (count && !X))
        return ckg__fail(CKG_ERR_INVALID, "%s: needs a study and designs", caller);
    for (int p = 0; p < count; p++)
        if (ckg__problem_check_design(s->problem, X + (size_t)p * (size_t)s->problem->d))
            return CKG_ERR_INVALID;
    ckg__interrupt_begin(&s->interrupt);
    return CKG_OK;
}

/* The smallest penalty over the beliefs, in model units: the M of averages. */
static double common_penalty(const ckg_study *s)
{
    double penalty = INFINITY;
    for (int b = 0; b < s->models.beliefs; b++)
        penalty = fmin(penalty, s->models.belief[b].penalty);
    return penalty;
}

/* A utility in model units as the user would see it. */
static double utility_in_units(const ckg_study *s, double utility)
{
    double value, sd;
    ckg__scaling_moments(&s->models.surrogate[0].scaling, utility, 0, &value, &sd);
    return value;
}

static int predict_one(ckg_study *s, const double *x, double *mean, double *sd, double *probability,
                       double *utility)
{
    double all_mean[1 + CKG_MAX_CONSTRAINTS];
    double all_sd[1 + CKG_MAX_CONSTRAINTS];
    double each[CKG_MAX_CONSTRAINTS + 1];
    double feasible;
    double worth;
    double *u = ckg__arena_doubles(&s->results, (size_t)s->problem->D);

    if (!u)
        return CKG_ERR_NOMEM;
    ckg__problem_to_unit(s->problem, x, u);
    int status = ckg__study_predict_at(s, u, all_mean, all_sd, each, &feasible);
    if (!status && utility)
        status = ckg__study_utility_at(s, u, common_penalty(s), &worth);
    if (status)
        return status;
    const size_t bytes = (size_t)s->problem->outcomes * sizeof *mean;
    if (mean)
        memcpy(mean, all_mean, bytes);
    if (sd)
        memcpy(sd, all_sd, bytes);
    if (probability)
        *probability = feasible;
    if (utility)
        *utility = isnan(all_mean[0]) || isnan(feasible) ? NAN : utility_in_units(s, worth);
    return CKG_OK;
}

/* What is believed; and M, where a utility is asked for. */
static int begin_predictions(ckg_study *s, int priced, struct ckg__search *search)
{
    const int status = ckg__study_believe(s, NULL, ckg__clock(), search);
    return status || !priced ? status : ckg__policy_price(NULL, search);
}

int ckg_study_predict(ckg_study *s, int count, const double *X, double *mean, double *sd, double *probability,
                      double *utility)
{
    struct ckg__search search;

    int status = begin(s, count, X, "ckg_study_predict");
    if (status)
        return status;
    const size_t d = (size_t)s->problem->d;
    const size_t outcomes = (size_t)s->problem->outcomes;
    status = begin_predictions(s, utility != NULL, &search);
    for (size_t p = 0; !status && p < (size_t)count && !ckg__interrupted(&s->interrupt); p++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
        status = predict_one(s, X + p * d, mean ? mean + p * outcomes : NULL, sd ? sd + p * outcomes : NULL,
                             probability ? probability + p : NULL, utility ? utility + p : NULL);
        ckg__arena_release(&s->results, mark);
    }
    return ckg__study_end_search(s, status);
}

/* The row that a scoring call means, after the checks that such calls share. */
static int begin_score(ckg_study *s, const char *policy, int count, const double *X, const double *value,
                       const char *caller, const struct ckg__policy **row)
{
    const int status = begin(s, count, X, caller);
    if (status)
        return status;
    *row = policy ? ckg__policy_find(policy) : s->policy;
    if (!*row)
        return ckg__fail(CKG_ERR_NOT_FOUND, "no policy is called '%s'", policy);
    return value ? CKG_OK : ckg__fail(CKG_ERR_INVALID, "%s: value is NULL", caller);
}

/* Begins the row's search, with the designs X (count × d) as points *U (D×count). */
static int search_at(ckg_study *s, const struct ckg__policy *row, int count, const double *X,
                     struct ckg__search *search, double **U)
{
    const size_t d = (size_t)s->problem->d;
    const size_t D = (size_t)s->problem->D;
    const size_t n = (size_t)count;
    const int status = ckg__study_begin_search(s, row, search);
    double *u = status ? NULL : ckg__arena_doubles(&s->results, D);
    *U = status ? NULL : ckg__arena_doubles(&s->results, D * n + 1);
    if (status || !u || !*U)
        return status ? status : CKG_ERR_NOMEM;
    for (size_t p = 0; p < n; p++) {
        ckg__problem_to_unit(s->problem, X + p * d, u);
        ckg__point_put((int)D, u, *U, count, (int)p);
    }
    return CKG_OK;
}

int ckg_study_score(ckg_study *s, const char *policy, int count, const double *X, double *value)
{
    const struct ckg__policy *row;
    struct ckg__search search;
    double *U;
    int status = begin_score(s, policy, count, X, value, "ckg_study_score", &row);

    if (status)
        return status;
    status = search_at(s, row, count, X, &search, &U);
    if (!status)
        status = ckg__policy_score(row, &search, count, U, value);
    for (int p = 0; !status && p < count; p++)
        value[p] = ckg__policy_in_units(row, &s->models, value[p]);
    return ckg__study_end_search(s, status);
}

int ckg_study_score_outcomes(ckg_study *s, const char *policy, int count, const double *X, double *value)
{
    const struct ckg__policy *row;
    struct ckg__search search;
    double *U;
    int status = begin_score(s, policy, count, X, value, "ckg_study_score_outcomes", &row);

    if (status)
        return status;
    if (!row->score_outcomes)
        return ckg__fail(CKG_ERR_INVALID, "the values of policy %s are no sum over outcomes", row->name);
    status = search_at(s, row, count, X, &search, &U);
    if (!status)
        status = row->score_outcomes(&search, count, U, value);
    return ckg__study_end_search(s, status);
}

/* How the model's hyperparameters were found, in the words of ckg_options.fit. */
static const char *fit_name(const ckg_study *s, const struct ckg__surrogate *model)
{
    if (model->samples > 1)
        return "sample";
    return s->models.method == CKG__FIT_ML ? "ml" : "map";
}

/* No number describes a model that has seen no value. */
static void forget_fit(ckg_model_info *info, int d, double *lengthscales)
{
    info->signal_sd = info->noise_sd = info->mean = info->log_likelihood = info->nugget = NAN;
    for (int i = 0; i < d; i++)
        lengthscales[i] = NAN;
}

static const char *scale_name(const struct ckg__scaling *scaling)
{
    if (scaling->warp == CKG__LOGARITHM)
        return "log";
    return scaling->warp > 0 ? "asinh" : "linear";
}

int ckg_study_model_sized(ckg_study *s, int outcome, ckg_model_info *out, size_t size)
{
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_model: a NULL argument");
    if (outcome < 0 || outcome >= s->problem->outcomes)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", outcome);

    /* What the fit found. */
    ckg__interrupt_begin(&s->interrupt);
    const int status = ckg__models_update(&s->models, s->revision, 0);
    if (status)
        return ckg__study_end_search(s, status);
    const struct ckg__repeat *repeat = &s->models.surrogate[outcome].repeat;
    struct ckg__surrogate *model = ckg__models_of(&s->models, outcome);
    const struct ckg__gp_summary fit = ckg__gp_describe(model->gp[0]);
    const double *inv_ell = ckg__gp_inverse_lengthscales(model->gp[0]);

    /* In the outcome's units. */
    double mean, signal_sd, noise_sd, unused;
    ckg__models_moments(&s->models, outcome, fit.mean, sqrt(fit.signal), &mean, &signal_sd);
    ckg__models_moments(&s->models, outcome, fit.mean, sqrt(fit.noise), &unused, &noise_sd);
    for (int i = 0; i < s->problem->d; i++)
        model->lengthscales[i] = 1 / inv_ell[s->problem->parameters[i].offset];
    ckg_model_info info = {
        .kernel = ckg__kernel_names[fit.kernel],
        .observations = fit.rows,
        .samples = model->samples,
        .lengthscales = model->lengthscales,
        .signal_sd = signal_sd,
        .noise_sd = noise_sd,
        .mean = mean,
        .log_likelihood = fit.log_likelihood,
        .warp = model->scaling.warp > 0 ? model->scaling.warp : 0,
        .nugget = fit.nugget,
        .fit = fit_name(s, model),
        .scale = scale_name(&model->scaling),
        .absurd = model->series.absurd,
        .repeats = repeat->of,
        .shared = repeat->of && repeat->exact,
    };
    if (!is_known(s, outcome))
        forget_fit(&info, s->problem->d, model->lengthscales);
    ckg__fill_sized(out, size, &info, sizeof info);
    return ckg__study_end_search(s, CKG_OK);
}

/* M as it was set, or as found from what is known of the objective. */
static double penalty_in_units(const ckg_study *s)
{
    if (!isnan(s->models.fixed_penalty))
        return s->models.fixed_penalty;
    return is_known(s, 0) ? utility_in_units(s, common_penalty(s)) : NAN;
}

int ckg_study_penalty(ckg_study *s, double *out)
{
    int status = begin(s, 0, NULL, "ckg_study_penalty");

    if (status || !out)
        return status ? status : ckg__fail(CKG_ERR_INVALID, "ckg_study_penalty: out is NULL");
    struct ckg__search search;
    const struct ckg__policy *policy = ckg__policy_default();
    status = ckg__study_believe(s, policy, ckg__clock(), &search);
    if (!status)
        status = ckg__policy_price(policy, &search);
    if (!status)
        *out = penalty_in_units(s);
    return ckg__study_end_search(s, status);
}
