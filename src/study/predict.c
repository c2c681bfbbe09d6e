/*
 * Predictions in the user's units. Over several beliefs a prediction is their mixture: mean of means,
 * variance = mean of variances + variance of means.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sorted.h"
#include "base/maths.h"
#include "base/sized.h"
#include "study/study.h"

/* What every process says at a point, in model units: mean and variance (beliefs × processes). */
struct latent_views {
    double *mean, *var;
};

static int look(ckg_study *s, const double *u, struct latent_views *at)
{
    const size_t processes = (size_t)s->stated->processes;
    const size_t size = (size_t)s->stated->beliefs * processes;

    if (CKG__TAKE(&s->results, CKG__ROOM(at->mean, size), CKG__ROOM(at->var, size)))
        return CKG_ERR_NOMEM;
    for (size_t i = 0; i < size; i++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
        const struct ckg__gp *gp = s->stated->belief[i / processes].gp[i % processes];
        struct ckg__view view;
        if (ckg__view_make(&view, gp, 1, u, 1, &s->results))
            return CKG_ERR_NOMEM;
        at->mean[i] = view.mean[0];
        at->var[i] = view.var[0];
        ckg__arena_release(&s->results, mark);
    }
    return CKG_OK;
}

/* 1 when outcome j has been measured; before that its model is the prior, which is nobody's knowledge. */
static int is_known(const ckg_study *s, int j)
{
    return ckg__surrogates_of(s->stated, j)->series.n > 0;
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

/* What is doubted of outcome j under belief b where it is stated. */
static double roughness_of(const ckg_study *s, int b, int j)
{
    const struct ckg__surrogate *surrogate = ckg__surrogates_of(s->stated, j);

    return surrogate->roughness[surrogate->samples > 1 ? b : 0];
}

/* log_p (processes) ← how likely each is to be within its limits, under belief b. */
static void judge(const ckg_study *s, int b, const struct latent_views *at, double *log_p)
{
    const struct ckg__belief *belief = &s->stated->belief[b];
    const size_t first = (size_t)b * (size_t)belief->outcomes;

    for (int i = 0; i < belief->outcomes; i++)
        log_p[i] = 0;
    for (int j = 1; j < s->stated->outcomes; j++) {
        const int i = s->stated->surrogate[j].place;
        const size_t place = first + (size_t)i;
        if (ckg__surrogates_shared(s->stated, j))
            continue;
        struct ckg__limits limits = ckg__belief_limits(belief, i);
        limits.roughness = roughness_of(s, b, j);
        ckg__log_feasible(1, &at->mean[place], &at->var[place], &limits, &log_p[i], NULL, NULL);
    }
}

/* The probability of feasibility: of each group of constraints the least likely counts. */
static double probability_of_all(const struct ckg__belief *belief, const double *log_p)
{
    double product = 1;
    int next;

    for (int i = 1; i < belief->outcomes; i = next) {
        double worst = log_p[i];
        next = ckg__belief_after(belief, i);
        for (int k = i + 1; k < next; k++)
            worst = fmin(worst, log_p[k]);
        product *= ckg__exp(worst);
    }
    return product;
}

/* How likely outcome j is to meet its own limits under belief b, of which others may be narrower. */
static double probability_of_one(const ckg_study *s, int b, int j, const struct latent_views *at)
{
    const int place = s->stated->surrogate[j].place;
    const size_t i = (size_t)b * (size_t)s->stated->processes + (size_t)place;
    double log_p = 0;

    if (!j)
        return 1;
    struct ckg__limits limits = ckg__belief_limits(&s->stated->belief[b], place);
    ckg__surrogates_limits(s->stated, j, &limits.lower, &limits.upper);
    limits.roughness = roughness_of(s, b, j);
    ckg__log_feasible(1, &at->mean[i], &at->var[i], &limits, &log_p, NULL, NULL);
    return ckg__exp(log_p);
}

/* Outcome j: the moments of the mixture over the beliefs, and how likely its own limits are met. */
static void mix(const ckg_study *s, const struct latent_views *at, int j, double *mean, double *sd,
                double *probability)
{
    const struct ckg__surrogates *models = s->stated;
    const int beliefs = models->beliefs;
    double first = 0;
    double second = 0;
    double within = 0;

    *probability = 0;
    for (int b = 0; b < beliefs; b++) {
        const size_t i = (size_t)b * (size_t)models->processes + (size_t)models->surrogate[j].place;
        const double one = at->mean[i];
        first += one / beliefs;
        second += one * one / beliefs;
        within += ckg__inflated(at->var[i], roughness_of(s, b, j), NULL) / beliefs;
        *probability += probability_of_one(s, b, j, at) / beliefs;
    }
    const double between = beliefs > 1 && second > first * first ? second - first * first : 0;
    ckg__surrogates_moments(models, j, first, sqrt(within + between), mean, sd);
}

int ckg__study_predict_at(ckg_study *s, const double *u, double *mean, double *sd, double *probability,
                          double *feasible)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
    double log_p[CKG__MAX_OUTCOMES];
    struct latent_views at;
    double unused;

    if (look(s, u, &at))
        return CKG_ERR_NOMEM;

    /* Each outcome by itself. */
    for (int j = 0; j < s->problem->outcomes; j++)
        mix(s, &at, j, &mean[j], &sd[j], j ? &probability[j - 1] : &unused);

    /* All constraints together, belief by belief. */
    *feasible = 0;
    for (int b = 0; b < s->stated->beliefs; b++) {
        judge(s, b, &at, log_p);
        *feasible += probability_of_all(&s->stated->belief[b], log_p) / s->stated->beliefs;
    }
    withhold_unknown(s, mean, sd, probability, feasible);
    ckg__arena_release(&s->results, mark);
    return CKG_OK;
}

int ckg__study_utility_at(ckg_study *s, const double *u, double penalty, double *utility)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
    double log_p[CKG__MAX_OUTCOMES];
    struct latent_views at;

    if (look(s, u, &at))
        return CKG_ERR_NOMEM;
    *utility = penalty;
    for (int b = 0; b < s->stated->beliefs; b++) {
        const double gain = at.mean[(size_t)b * (size_t)s->stated->processes] - penalty;
        judge(s, b, &at, log_p);
        *utility += gain * ckg__exp(ckg__belief_join(&s->stated->belief[b], log_p)) / s->stated->beliefs;
    }
    ckg__arena_release(&s->results, mark);
    return CKG_OK;
}

/* Checks the designs of a public call, and listens to interrupts from here on. */
static int begin(ckg_study *s, int count, const double *X, const char *caller)
{
    ckg__error_clear();
    if (!s || count < 0 || (count && !X))
        return ckg__fail(CKG_ERR_INVALID, "%s: needs a study and designs", caller);
    for (int p = 0; p < count; p++)
        if (ckg__problem_check_design(s->problem, X + (size_t)p * (size_t)s->problem->d))
            return CKG_ERR_INVALID;
    ckg__interrupt_begin(&s->interrupt, 0);
    return CKG_OK;
}

/* A utility in model units as the user would see it. */
static double utility_in_units(const ckg_study *s, double utility)
{
    double value, sd;
    ckg__scaling_moments(&s->models.surrogate[0].scaling, utility, 0, &value, &sd);
    return value;
}

/* At x, whose utility is by that M. */
static int predict_one(ckg_study *s, const double *x, double M, double *mean, double *sd, double *probability,
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
        status = ckg__study_utility_at(s, u, M, &worth);
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

/* What is believed, and what is stated of it; and M, where a utility is asked for. */
static int begin_predictions(ckg_study *s, int priced, struct ckg__search *search)
{
    int status = ckg__study_believe(s, NULL, ckg__clock(), search);

    if (!status && priced)
        status = ckg__policy_price(NULL, search);
    return status ? status : ckg__study_calibrate(s);
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
    const double M = status ? NAN : ckg__search_common_penalty(&search);
    for (size_t p = 0; !status && p < (size_t)count && !ckg__interrupted(&s->interrupt); p++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
        status = predict_one(s, X + p * d, M, mean ? mean + p * outcomes : NULL,
                             sd ? sd + p * outcomes : NULL, probability ? probability + p : NULL,
                             utility ? utility + p : NULL);
        ckg__arena_release(&s->results, mark);
    }
    return ckg__study_end_search(s, status);
}

/* noise_sd (1+K) ← of one more evaluation at u, from what the processes say there: averaged over the beliefs.
 */
static void noise_at(const ckg_study *s, const double *u, const struct latent_views *at, double *noise_sd)
{
    const struct ckg__surrogates *models = s->stated;
    double unused;

    for (int j = 0; j < s->problem->outcomes; j++) {
        double mean = 0;
        double var = 0;
        for (int b = 0; b < models->beliefs; b++) {
            const size_t i = (size_t)b * (size_t)models->processes + (size_t)models->surrogate[j].place;
            const struct ckg__gp *gp = models->belief[b].gp[models->surrogate[j].place];
            double one;
            ckg__posterior_noise(gp, 1, u, 1, &at->mean[i], &at->var[i], &(struct ckg__noise){.var = &one});
            mean += at->mean[i] / models->beliefs;
            var += fmax(one - ckg__gp_nugget_variance(gp), 0) / models->beliefs;
        }
        ckg__surrogates_moments(models, j, mean, sqrt(var), &unused, &noise_sd[j]);
        if (!is_known(s, j))
            noise_sd[j] = NAN;
    }
}

int ckg_study_predict_noise(ckg_study *s, int count, const double *X, double *noise_sd)
{
    struct ckg__search search;
    struct latent_views at;

    int status = begin(s, count, X, "ckg_study_predict_noise");
    if (status || !noise_sd)
        return status ? status : ckg__fail(CKG_ERR_INVALID, "ckg_study_predict_noise: noise_sd is NULL");
    status = begin_predictions(s, 0, &search);
    for (size_t p = 0; !status && p < (size_t)count && !ckg__interrupted(&s->interrupt); p++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&s->results);
        double *u = ckg__arena_doubles(&s->results, (size_t)s->problem->D);
        status = u ? CKG_OK : CKG_ERR_NOMEM;
        if (!status) {
            ckg__problem_to_unit(s->problem, X + p * (size_t)s->problem->d, u);
            status = look(s, u, &at);
        }
        if (!status)
            noise_at(s, u, &at, noise_sd + p * (size_t)s->problem->outcomes);
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
    search.apart = row->acting && ckg__study_measures_apart(s, row);
    if (!status)
        status = ckg__policy_score(row, &search, count, U, value);
    for (int p = 0; !status && p < count; p++)
        value[p] = ckg__policy_in_units(ckg__policy_acting(row, &search), &s->models, value[p]);
    return ckg__study_end_search(s, status);
}

int ckg_study_score_policy(ckg_study *s, const char *policy, const char **out)
{
    const struct ckg__policy *row;
    struct ckg__search search;
    const double none = 0;
    int status = begin_score(s, policy, 0, NULL, &none, "ckg_study_score_policy", &row);

    if (status || !out)
        return status ? status : ckg__fail(CKG_ERR_INVALID, "ckg_study_score_policy: out is NULL");
    if (row->acting) {
        status = ckg__study_believe(s, row, ckg__clock(), &search);
        search.apart = ckg__study_measures_apart(s, row);
        if (!status)
            status = ckg__policy_price(row, &search);
    }
    if (!status)
        *out = ckg__policy_acting(row, &search)->name;
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
        return ckg__fail(CKG_ERR_INVALID, "policy %s has no value for a single outcome", row->name);
    status = search_at(s, row, count, X, &search, &U);
    if (!status)
        status = ckg__policy_score_outcomes(row, &search, count, U, value);
    for (int i = 0; !status && i < count * s->problem->outcomes; i++)
        value[i] = ckg__policy_in_units(row, &s->models, value[i]);
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
    info->inflation = info->noise_low = info->noise_high = NAN;
    for (int i = 0; i < d; i++)
        lengthscales[i] = NAN;
}

static const char *scale_name(const struct ckg__surrogate *model)
{
    const struct ckg__scaling *scaling = &model->scaling;

    if (ckg__series_has(&model->series, CKG__UNSCALED))
        return model->series.likelihood->name;
    if (scaling->warp == CKG__LOGARITHM)
        return "log";
    return scaling->warp > 0 ? "asinh" : "linear";
}

/* Of an answer: the signal in the process's own unit, in which chance has the variance 1. */
static void describe_own_unit(const struct ckg__gp_summary *fit, ckg_model_info *info)
{
    info->signal_sd = sqrt(fit->signal);
    info->noise_sd = info->noise_low = info->noise_high = NAN;
}

/* Over the hyperparameter samples. */
static double mean_inflation(const struct ckg__surrogate *model)
{
    double sum = 0;
    for (int i = 0; i < model->samples; i++)
        sum += model->inflation[i];
    return sum / model->samples;
}

/* The factors on the noise's variance, where it varies, at the quietest, the middle and the loudest design.
 */
static int spread_of_noise(ckg_study *s, const struct ckg__series *series, double factor[3])
{
    double *sorted = ckg__arena_doubles(&s->results, (size_t)series->n + 1);
    int count = 0;

    factor[0] = factor[1] = factor[2] = 1;
    if (!sorted)
        return CKG_ERR_NOMEM;
    for (int i = 0; series->relative && i < series->n; i++)
        if (series->known[i] < 0)
            sorted[count++] = series->relative[i];
    if (!count)
        return CKG_OK;
    ckg__sort(sorted, count);
    factor[0] = sorted[0];
    factor[1] = sorted[count / 2];
    factor[2] = sorted[count - 1];
    return CKG_OK;
}

/* The sd in the outcome's units of noise of that variance in model units, where the outcome has that mean. */
static double noise_in_units(const ckg_study *s, int outcome, double mean, double var)
{
    double unused;
    double sd;

    ckg__surrogates_moments(&s->models, outcome, mean, sqrt(var), &unused, &sd);
    return sd;
}

int ckg_study_model_sized(ckg_study *s, int outcome, ckg_model_info *out, size_t size)
{
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_model: a NULL argument");
    if (outcome < 0 || outcome >= s->problem->outcomes)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", outcome);

    /* What the fit found. */
    ckg__interrupt_begin(&s->interrupt, 0);
    const int status = ckg__surrogates_update(&s->models, s->revision, 0);
    if (status)
        return ckg__study_end_search(s, status);
    s->stated = &s->models;
    const struct ckg__repeat *repeat = &s->models.surrogate[outcome].repeat;
    struct ckg__surrogate *model = ckg__surrogates_of(&s->models, outcome);
    const struct ckg__gp_summary fit = ckg__gp_describe(model->gp[0]);
    const double *inv_ell = ckg__gp_inverse_lengthscales(model->gp[0]);

    /* In the outcome's units. */
    double mean, signal_sd, factor[3];
    if (spread_of_noise(s, &model->series, factor))
        return ckg__study_end_search(s, CKG_ERR_NOMEM);
    ckg__surrogates_moments(&s->models, outcome, fit.mean, sqrt(fit.signal), &mean, &signal_sd);
    for (int i = 0; i < s->problem->d; i++)
        model->lengthscales[i] = 1 / inv_ell[s->problem->parameters[i].offset];
    ckg_model_info info = {
        .kernel = ckg__kernel_names[fit.kernel],
        .observations = fit.rows,
        .samples = model->samples,
        .lengthscales = model->lengthscales,
        .signal_sd = signal_sd,
        .noise_sd = noise_in_units(s, outcome, fit.mean, factor[1] * fit.noise),
        .mean = mean,
        .log_likelihood = fit.log_likelihood,
        .warp = model->scaling.warp > 0 ? model->scaling.warp : 0,
        .nugget = fit.nugget,
        .fit = fit_name(s, model),
        .scale = scale_name(model),
        .outliers = model->series.outlier,
        .duplicate_of = repeat->of,
        .is_duplicate = repeat->of && repeat->exact,
        .inflation = mean_inflation(model),
        .linear = fit.linear,
        .noise_varies = model->series.relative != NULL,
        .noise_low = noise_in_units(s, outcome, fit.mean, factor[0] * fit.noise),
        .noise_high = noise_in_units(s, outcome, fit.mean, factor[2] * fit.noise),
    };
    if (ckg__series_has(&model->series, CKG__STANDS_IN))
        describe_own_unit(&fit, &info);
    if (!is_known(s, outcome))
        forget_fit(&info, s->problem->d, model->lengthscales);
    ckg__fill_sized(out, size, &info, sizeof info);
    return ckg__study_end_search(s, CKG_OK);
}

/* M as it was set, or as found from what is known of the objective. */
static double penalty_in_units(const ckg_study *s, const struct ckg__search *search)
{
    if (!isnan(s->penalty))
        return s->penalty;
    return is_known(s, 0) ? utility_in_units(s, ckg__search_common_penalty(search)) : NAN;
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
        *out = penalty_in_units(s, &search);
    return ckg__study_end_search(s, status);
}
