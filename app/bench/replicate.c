/*
 * One replication: ask, evaluate, tell, and after every evaluation from the initial design on score the
 * recommendation on the true functions.
 */
#include <math.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/plan.h"

const char app_rows_header[] =
    "problem,noise,policy,replication,evaluation,oc_recommended,oc_best_feasible,recommended_feasible\n";
const char app_timing_header[] = "problem,noise,policy,replication,evaluation,seconds\n";

void app_designs_header(const struct app_problem *problem, struct app_text *out)
{
    app_text_print(out, "replication,evaluation,right_region");
    for (int i = 1; i <= problem->d; i++)
        app_text_print(out, ",x%d", i);
    for (int i = 1; i <= problem->d; i++)
        app_text_print(out, ",recommended_x%d", i);
    app_text_print(out, "\n");
}

struct state {
    const struct app_plan *plan;
    const struct app_cell *cell;
    const struct app_components *components;
    int replication;
    ckg_study *study;
    double best; /* the smallest feasible value evaluated, true */
    struct app_replication *out;
};

static void start_line(const struct state *s, struct app_text *out, int evaluation)
{
    app_text_print(out, "%s,%g,%s,%d,%d,", s->cell->problem->name, s->cell->noise, s->cell->policy,
                   s->replication, evaluation);
}

/* Opportunity cost as the paper has it, for a problem that is minimised. */
static double cost(const struct app_problem *p, int feasible, double value)
{
    return (feasible ? value : p->infeasible) - p->optimum;
}

static void write_designs(const struct state *s, int evaluation, int right, const double *x,
                          const double *recommended)
{
    struct app_text *out = &s->out->designs;
    app_text_print(out, "%d,%d,%d", s->replication, evaluation, right);
    for (int i = 0; i < s->cell->problem->d; i++) {
        app_text_print(out, ",");
        app_json_number(out, x[i]);
    }
    for (int i = 0; i < s->cell->problem->d; i++) {
        app_text_print(out, ",");
        if (recommended)
            app_json_number(out, recommended[i]);
    }
    app_text_print(out, "\n");
}

/* Scores the recommendation after `evaluation` evaluations, the last of them at x. */
static int score(const struct state *s, int evaluation, const double *x)
{
    const struct app_problem *p = s->cell->problem;
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_recommendation *r;
    const int status = ckg_study_recommend(s->study, NULL, &r);
    if (status)
        return status;
    p->evaluate(r->x, values);
    const int feasible = app_problem_feasible(p, values);
    start_line(s, &s->out->rows, evaluation);
    app_json_number(&s->out->rows, cost(p, feasible, values[0]));
    app_text_print(&s->out->rows, ",");
    app_json_number(&s->out->rows, cost(p, isfinite(s->best), s->best));
    app_text_print(&s->out->rows, ",%d\n", feasible);
    write_designs(s, evaluation, app_components_right(s->components, r->x), x, r->x);
    ckg_recommendation_free(r);
    return CKG_OK;
}

static int evaluate(struct state *s, int evaluation, const ckg_suggestion *suggestion)
{
    const struct app_problem *p = s->cell->problem;
    const uint64_t seed = s->plan->seed + (uint64_t)s->replication - 1;
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    p->evaluate(suggestion->x, values);
    if (app_problem_feasible(p, values))
        s->best = fmin(s->best, values[0]);
    if (s->cell->noise > 0)
        values[0] += s->cell->noise * app_problem_noise(seed, (uint64_t)evaluation - 1, 0);
    for (int k = 1; p->constraint_noise > 0 && k <= p->K; k++)
        values[k] += p->constraint_noise * app_problem_noise(seed, (uint64_t)evaluation - 1, (uint64_t)k);
    return ckg_study_tell(s->study, suggestion->trial, values);
}

/*
 * One evaluation. The recommendation after it shares its fit with the next suggestion, so the two are timed
 * together.
 */
static int step(struct state *s, int evaluation, double *seconds)
{
    const int scored = evaluation >= s->plan->initial;
    ckg_suggestion *suggestion;
    double start = app_clock();
    int status = ckg_study_ask(s->study, &suggestion);
    *seconds += app_clock() - start;
    if (status)
        return status;
    if (evaluation > s->plan->initial) {
        start_line(s, &s->out->timing, evaluation);
        app_text_print(&s->out->timing, "%.6f\n", *seconds);
    }
    *seconds = 0;
    status = evaluate(s, evaluation, suggestion);
    start = app_clock();
    if (!status && scored)
        status = score(s, evaluation, suggestion->x);
    else if (!status)
        write_designs(s, evaluation, 0, suggestion->x, NULL);
    *seconds = app_clock() - start;
    ckg_suggestion_free(suggestion);
    return status;
}

int app_replicate(const struct app_plan *plan, const struct app_cell *cell,
                  const struct app_components *components, int replication, struct app_replication *out,
                  struct app_message *message)
{
    struct state s = {.plan = plan,
                      .cell = cell,
                      .components = components,
                      .replication = replication,
                      .best = INFINITY,
                      .out = out};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = app_problem_describe(cell->problem, cell->noise > 0);
    double seconds = 0;
    *out = (struct app_replication){{0}, {0}, {0}};
    options.policy = cell->policy;
    options.initial = plan->initial;
    options.seed = plan->seed + (uint64_t)replication - 1;
    int status = problem ? ckg_study_new(&s.study, problem, &options) : CKG_ERR_NOMEM;
    for (int e = 1; !status && e <= plan->evaluations; e++)
        status = step(&s, e, &seconds);
    if (status)
        app_fail(message, status, "%s, noise %g, %s, replication %d: %s", cell->problem->name, cell->noise,
                 cell->policy, replication, ckg_error_message());
    else if (out->rows.failed || out->designs.failed || out->timing.failed)
        status = app_fail(message, CKG_ERR_NOMEM, "out of memory");
    ckg_study_free(s.study);
    ckg_problem_free(problem);
    return status;
}
