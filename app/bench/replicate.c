/* Ask, evaluate, tell, look. */
#include "bench/replicate.h"

#include <math.h>

#include "base/clock.h"

double app_cost(const struct app_problem *p, int feasible, double value)
{
    return (feasible ? value : p->infeasible) - p->optimum;
}

int app_score(const struct app_problem *p, ckg_study *study, struct app_score *out)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    const int status = ckg_study_recommend(study, NULL, &out->recommendation);

    if (status)
        return status;
    p->evaluate(out->recommendation->x, values);
    out->feasible = app_problem_feasible(p, values);
    out->cost = app_cost(p, out->feasible, values[0]);
    return CKG_OK;
}

/* What is told of an evaluation (from 0) whose true values are known. */
static void add_noise(const struct app_experiment *e, int evaluation, const double *truth, double *told)
{
    const struct app_problem *p = e->problem;

    for (int k = 0; k <= p->K; k++) {
        const double sd = k ? p->constraint_noise : e->noise;
        told[k] = truth[k];
        if (sd > 0)
            told[k] += sd * app_problem_noise(e->seed, (uint64_t)evaluation, (uint64_t)k);
    }
}

/* One evaluation, the i-th from 0; `best` is kept up to date. */
static int make_step(const struct app_experiment *e, ckg_study *study, int i, double *best,
                     app_step_visit *visit, void *context)
{
    double truth[1 + APP_PROBLEM_CONSTRAINTS];
    double told[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_suggestion *suggestion;

    /* Ask. */
    const double start = app_clock();
    int status = ckg_study_ask(study, &suggestion);
    const double seconds = app_clock() - start;
    if (status)
        return status;

    /* Evaluate. */
    e->problem->evaluate(suggestion->x, truth);
    if (app_problem_feasible(e->problem, truth))
        *best = fmin(*best, truth[0]);
    add_noise(e, i, truth, told);

    /* Tell, and let the caller look. */
    status = ckg_study_tell(study, suggestion->trial, told);
    if (!status) {
        const struct app_step step = {
            .evaluation = i + 1,
            .study = study,
            .suggestion = suggestion,
            .seconds = seconds,
            .truth = truth,
            .told = told,
            .best = *best,
        };
        status = visit(context, &step);
    }
    ckg_suggestion_free(suggestion);
    return status;
}

int app_replicate(const struct app_experiment *e, app_step_visit *visit, void *context,
                  struct app_message *message)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = app_problem_describe(e->problem, e->noise > 0);
    ckg_study *study = NULL;
    double best = INFINITY;

    options.policy = e->policy;
    options.initial = e->initial;
    options.seed = e->seed;
    if (e->fit)
        options.fit = e->fit;
    if (e->kernel)
        options.kernel = e->kernel;

    int status = problem ? ckg_study_new(&study, problem, &options) : CKG_ERR_NOMEM;
    for (int i = 0; !status && i < e->evaluations; i++)
        status = make_step(e, study, i, &best, visit, context);

    if (status)
        app_fail(message, status, "%s", ckg_error_message());
    ckg_study_free(study);
    ckg_problem_free(problem);
    return status;
}
