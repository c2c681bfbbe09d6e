/* Rows, designs and seconds of a replication, as it goes on. */
#include "bench/protocol.h"

#include <math.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/user_problem.h"
#include "bench/replicate.h"

void app_replication_free(struct app_replication *replication)
{
    for (int kind = 0; kind < APP_PROTOCOL_KINDS; kind++)
        app_text_free(&replication->text[kind]);
}

/* --- lines --- */

void app_protocol_header(enum app_protocol_kind kind, const struct app_problem *problem, struct app_text *out)
{
    if (kind == APP_PROTOCOL_ROWS)
        app_text_print(out, "problem,noise,policy,replication,evaluation,oc_recommended,oc_best_feasible,"
                            "recommended_feasible\n");
    if (kind == APP_PROTOCOL_TIMING)
        app_text_print(out, "problem,noise,policy,replication,evaluation,seconds\n");
    if (kind != APP_PROTOCOL_DESIGNS)
        return;

    app_text_print(out, "replication,evaluation,right_region");
    for (int i = 1; i <= problem->d; i++)
        app_text_print(out, ",x%d", i);
    for (int i = 1; i <= problem->d; i++)
        app_text_print(out, ",recommended_x%d", i);
    app_text_print(out, "\n");
}

struct protocol {
    const struct app_plan *plan;
    const struct app_cell *cell;
    const struct app_components *components;
    int replication;
    double
        scoring; /* seconds that the last recommendation took: it shares its fit with the next suggestion */
    struct app_replication *out;
};

static void start_line(const struct protocol *r, struct app_text *out, int evaluation)
{
    app_text_print(out, "%s,%g,%s,%d,%d,", r->cell->problem->name, r->cell->noise, r->cell->policy,
                   r->replication, evaluation);
}

/* The design evaluated and the one recommended, NULL for none. */
static void write_designs(const struct protocol *r, int evaluation, int right, const double *x,
                          const double *recommended)
{
    struct app_text *out = &r->out->text[APP_PROTOCOL_DESIGNS];

    app_text_print(out, "%d,%d,%d", r->replication, evaluation, right);
    for (int i = 0; i < r->cell->problem->d; i++) {
        app_text_print(out, ",");
        app_json_number(out, x[i]);
    }
    for (int i = 0; i < r->cell->problem->d; i++) {
        app_text_print(out, ",");
        if (recommended)
            app_json_number(out, recommended[i]);
    }
    app_text_print(out, "\n");
}

/* --- steps --- */

/* Scores the recommendation as it stands. */
static int write_score(const struct protocol *r, const struct app_step *step)
{
    const struct app_problem *p = r->cell->problem;
    struct app_text *rows = &r->out->text[APP_PROTOCOL_ROWS];
    struct app_score score;
    const int status = app_score(p, step->study, &score);

    if (status)
        return status;
    start_line(r, rows, step->evaluation);
    app_json_number(rows, score.cost);
    app_text_print(rows, ",");
    app_json_number(rows, app_cost(p, isfinite(step->best), step->best));
    app_text_print(rows, ",%d\n", score.feasible);
    write_designs(r, step->evaluation, app_components_right(r->components, score.recommendation->x),
                  step->suggestion->x, score.recommendation->x);
    ckg_recommendation_free(score.recommendation);
    return CKG_OK;
}

static int keep(void *context, const struct app_step *step)
{
    struct protocol *r = context;
    struct app_text *timing = &r->out->text[APP_PROTOCOL_TIMING];
    int status = CKG_OK;

    if (step->evaluation > r->plan->initial) {
        start_line(r, timing, step->evaluation);
        app_text_print(timing, "%.6f\n", r->scoring + step->seconds);
    }

    const double start = app_clock();
    if (step->evaluation >= r->plan->initial)
        status = write_score(r, step);
    else
        write_designs(r, step->evaluation, 0, step->suggestion->x, NULL);
    r->scoring = app_clock() - start;
    return status;
}

static void adjust(const void *settings, ckg_options *options)
{
    app_model_apply(settings, options);
}

int app_protocol_make(const struct app_plan *plan, const struct app_cell *cell,
                      const struct app_components *components, int replication, struct app_replication *out,
                      struct app_message *message)
{
    struct protocol r = {plan, cell, components, replication, 0, out};
    const struct app_experiment experiment = {
        .problem = cell->problem,
        .noise = cell->noise,
        .policy = cell->policy,
        .adjust = plan->settings ? adjust : NULL,
        .settings = plan->settings,
        .initial = plan->initial,
        .evaluations = plan->evaluations,
        .seed = plan->seed + (uint64_t)replication - 1,
    };

    struct app_message why;

    *out = (struct app_replication){0};
    int status = app_replicate(&experiment, keep, &r, &why);
    if (status)
        return app_fail(message, status, "%s, noise %g, %s, replication %d: %.700s", cell->problem->name,
                        cell->noise, cell->policy, replication, why.text);
    const struct app_user_problem *own = app_user_problem_of(cell->problem);
    if (own && own->trouble.text[0])
        return app_fail(message, CKG_ERR_SYSTEM, "%s: %.700s", cell->problem->name, own->trouble.text);
    for (int kind = 0; !status && kind < APP_PROTOCOL_KINDS; kind++)
        if (out->text[kind].failed)
            status = app_no_memory(message);
    return status;
}
