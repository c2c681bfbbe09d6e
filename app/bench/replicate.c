/* Ask, evaluate, tell, look. */
#include "bench/replicate.h"

#include <math.h>

#include "base/clock.h"

double app_cost(const struct app_problem *p, int feasible, double value)
{
    const double cost = (feasible ? value : p->infeasible) - p->optimum;

    return p->own && ckg_problem_goal(p->own) == CKG_MAXIMIZE ? -cost : cost;
}

int app_score(const struct app_problem *p, ckg_study *study, struct app_score *out)
{
    double values[1 + CKG_MAX_CONSTRAINTS];
    const int status = ckg_study_recommend(study, NULL, &out->recommendation);

    if (status)
        return status;
    out->feasible = app_problem_evaluate(p, out->recommendation->x, values) &&
                    app_problem_feasible(p, values);
    out->cost = app_cost(p, out->feasible, values[0]);
    return CKG_OK;
}

/* What is told of an evaluation (from 0) whose true values are known. */
static void add_noise(const struct app_experiment *e, int evaluation, const double *truth, double *telling)
{
    const struct app_problem *p = e->problem;

    for (int k = 0; k <= p->K; k++) {
        const double sd = k ? p->constraint_noise : e->noise;
        telling[k] = truth[k];
        if (sd > 0)
            telling[k] += sd * app_problem_noise(e->seed, (uint64_t)evaluation, (uint64_t)k);
    }
}

/* What is kept from one evaluation to the next. */
struct progress {
    double best; /* the smallest true f of a feasible design */
    int spoilt;  /* 1: the absurd value was told */
};

/*
 * 1 when the absurd value makes no design look better than it is in the end: a large objective of one that is
 * infeasible or not the best, a small one of one that is infeasible, a constraint on its own side of 0.
 */
static int is_harmless(const struct app_experiment *e, const double *truth, double best)
{
    const int feasible = app_problem_feasible(e->problem, truth);

    if (e->absurd_outcome)
        return (e->outliers > 0) == (truth[e->absurd_outcome] > 0);
    return !feasible || (e->outliers > 0 && truth[0] > best);
}

/* Another view of what is told of evaluation i, where the experiment wants one. */
static void distort(const struct app_experiment *e, int i, const double *truth, struct progress *progress,
                    double *telling)
{
    const uint64_t turn = 1 + e->seed % (uint64_t)(e->initial > 1 ? e->initial - 1 : 1);

    if (e->steep > 0)
        telling[0] = exp(e->steep * telling[0]);
    if (e->outliers != 0 && !progress->spoilt && (uint64_t)i >= turn &&
        is_harmless(e, truth, progress->best)) {
        telling[e->absurd_outcome] = e->outliers;
        progress->spoilt = 1;
    }
}

/* The best feasible design so far, by the problem's goal. */
static void note_best(const struct app_experiment *e, const double *truth, struct progress *progress)
{
    const struct app_problem *p = e->problem;

    if (app_problem_feasible(p, truth) &&
        (!isfinite(progress->best) || app_cost(p, 1, truth[0]) < app_cost(p, 1, progress->best)))
        progress->best = truth[0];
}

/* What was measured: all of it, or what is a number. */
static int tell(const struct app_experiment *e, ckg_study *study, int trial, const double *telling)
{
    ckg_measurement measured[1 + CKG_MAX_CONSTRAINTS];
    int count = 0;

    for (int k = 0; k <= e->problem->K; k++)
        if (!isnan(telling[k]))
            measured[count++] = (ckg_measurement){k, telling[k], CKG_SD_DEFAULT};
    return ckg_study_tell_measured(study, trial, count, measured);
}

/* One evaluation, the i-th from 0. */
static int make_step(const struct app_experiment *e, ckg_study *study, int i, struct progress *progress,
                     app_step_visit *visit, void *context)
{
    double truth[1 + CKG_MAX_CONSTRAINTS];
    double telling[1 + CKG_MAX_CONSTRAINTS];
    ckg_suggestion *suggestion;

    /* Ask. */
    const double start = app_clock();
    int status = ckg_study_ask(study, &suggestion);
    const double seconds = app_clock() - start;
    if (status)
        return status;

    /* Evaluate. */
    const int evaluated = app_problem_evaluate(e->problem, suggestion->x, truth);
    if (evaluated) {
        add_noise(e, i, truth, telling);
        distort(e, i, truth, progress, telling);
        note_best(e, truth, progress);
    }

    /* Tell, and let the caller look. */
    status = evaluated ? tell(e, study, suggestion->trial, telling)
                       : ckg_study_tell_failed(study, suggestion->trial);
    if (!status) {
        const struct app_step step = {
            .evaluation = i + 1,
            .study = study,
            .suggestion = suggestion,
            .seconds = seconds,
            .truth = truth,
            .telling = telling,
            .best = progress->best,
        };
        status = visit(context, &step);
    }
    ckg_suggestion_free(suggestion);
    return status;
}

/* The noise of every outcome is to be estimated. */
static int forget_noise(ckg_problem *problem)
{
    int status = CKG_OK;

    for (int j = 0; !status && j <= ckg_problem_constraints(problem); j++)
        status = ckg_problem_set_noise(problem, ckg_problem_outcome_name(problem, j), CKG_NOISE_AUTO, 0);
    return status;
}

int app_replicate(const struct app_experiment *e, app_step_visit *visit, void *context,
                  struct app_message *message)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *built_in = e->problem->own ? NULL : app_problem_describe(e->problem, e->noise > 0);
    const ckg_problem *problem = e->problem->own ? e->problem->own : built_in;
    ckg_study *study = NULL;
    struct progress progress = {.best = INFINITY};

    options.policy = e->policy;
    options.initial = e->initial;
    options.seed = e->seed;
    options.budget = e->evaluations;
    if (e->fit)
        options.fit = e->fit;
    if (e->kernel)
        options.kernel = e->kernel;
    if (e->adjust)
        e->adjust(e->settings, &options);

    int status = problem ? CKG_OK : CKG_ERR_NOMEM;
    if (!status && e->untold && built_in)
        status = forget_noise(built_in);
    if (!status)
        status = ckg_study_new(&study, problem, &options);
    for (int i = 0; !status && i < e->evaluations; i++)
        status = make_step(e, study, i, &progress, visit, context);

    if (status)
        app_fail(message, status, "%s", ckg_error_message());
    ckg_study_free(study);
    ckg_problem_free(built_in);
    return status;
}
