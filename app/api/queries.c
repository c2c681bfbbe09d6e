/* What may be asked of a study, a row each, in the shapes of the commands' --json. */
#include <math.h>

#include "actions/action_stop.h"
#include "actions/frontier.h"
#include "actions/models.h"
#include "actions/workers.h"
#include "api/api.h"
#include "api/shapes.h"
#include "definition/typed.h"
#include "present/numbers.h"

/* --- as the commands have it --- */

static int trial(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_trial *t = app_api_trial(&study->record,
                                              json_integer_value(json_object_get(in, "trial")));
    struct app_trial_history history;

    if (!t)
        return CKG_ERR_NOT_FOUND;
    const int status = app_trial_history_find(&study->record, t->number, &history);
    app_json_open(out, NULL, '{');
    app_trial_add_whole(&study->record.definition, t, out);
    app_trial_history_add(&history, out);
    app_json_close(out, '}');
    app_trial_history_free(&history);
    return status;
}

static int tell_status(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_stop_watch watch = {0};
    struct app_workers workers;
    int status = app_workers_find(&study->record, &workers);

    (void)in;
    if (!status)
        status = app_stop_standing(&study->record, &watch);
    if (!status)
        app_status_write(&study->record, &watch.gain, watch.reached, &workers, out);
    app_workers_free(&workers);
    app_stop_forget(&watch);
    return status;
}

static int recommend(struct app_api_study *study, json_t *in, struct app_text *out)
{
    ckg_recommendation *r;
    const int status = app_study_recommend(&study->record, NULL, &r);

    (void)in;
    if (status)
        return status;
    app_recommendation_write(&study->record, r, out);
    ckg_recommendation_free(r);
    return CKG_OK;
}

static int find_model(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_fitted fitted;
    const int status = app_fitted_find(&fitted, &study->record);

    (void)in;
    if (!status)
        app_models_write(&study->record.definition, fitted.models, fitted.penalty, out);
    app_fitted_free(&fitted);
    return status;
}

static int find_importance(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_importance importance;
    ckg_study *engine;
    int status = app_study_engine(&study->record, &engine);

    (void)in;
    if (!status)
        status = app_importance_find(&importance, &study->record, engine, 0, NULL);
    if (status)
        return status;
    app_importance_write(&study->record.definition, &importance, out);
    app_importance_free(&importance);
    return CKG_OK;
}

static int find_frontier(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_study *n = &study->record;
    struct app_frontier frontier;
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    (void)in;
    if (!status)
        status = app_frontier_find(&frontier, n, engine);
    if (status)
        return status;
    for (int k = 0; k < APP_FRONTIER; k++) {
        app_frontier_write(n, app_frontier_chances[k], frontier.at[k], out);
        app_text_print(out, "\n");
    }
    app_frontier_free(&frontier);
    return CKG_OK;
}

static int predict(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_study *n = &study->record;
    double x[CKG_MAX_PARAMETERS];
    double mean[CKG_MAX_CONSTRAINTS + 1];
    double sd[CKG_MAX_CONSTRAINTS + 1];
    double noise_sd[CKG_MAX_CONSTRAINTS + 1];
    struct app_prediction p = {.x = x, .mean = mean, .sd = sd, .noise_sd = noise_sd};
    ckg_study *engine;
    int status = app_design_read(&n->definition, json_object_get(in, "at"), x, n->message);

    if (!status)
        status = app_study_engine(n, &engine);
    if (status)
        return status;
    status = ckg_study_predict(engine, 1, x, mean, sd, &p.probability_feasible, &p.utility);
    if (!status)
        status = ckg_study_predict_noise(engine, 1, x, noise_sd);
    if (status)
        return app_study_fail(n, status);
    app_prediction_write(&n->definition, &p, out);
    return CKG_OK;
}

/* --- the problem --- */

/* What it is called, with its unit. */
static void open_named(const char *name, const char *title, const struct app_label *label,
                       struct app_text *out)
{
    app_json_print(out, "{name:%s title:%s unit:%s description:%s", name, title, label->unit,
                   label->description);
}

/* With its range, or its values as designs have them. */
static void add_parameter(const struct app_definition *d, int index, struct app_text *out)
{
    const struct app_parameter p = app_parameter_at(d, index);

    open_named(p.name, p.title, &p.label, out);
    app_json_add_string(out, "type", app_kind_names[p.kind]);
    if (p.kind != CKG_CATEGORICAL) {
        app_json_print(out, "low:%g high:%g scale:%s step:%g}", p.low, p.high,
                       p.scale == CKG_LOG ? "log" : "linear", p.step > 0 ? p.step : (double)NAN);
        return;
    }
    app_json_open(out, "values", '[');
    for (int i = 0; i < p.count; i++)
        app_typed_add(out, NULL, &p.label.values[i]);
    app_json_print(out, "]}");
}

static int problem(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_definition *d = &study->record.definition;

    (void)in;
    app_json_print(out, "{study:%s goal:%s parameters:[", d->name,
                   ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "maximize" : "minimize");
    for (int i = 0; i < app_dimension(d); i++)
        add_parameter(d, i, out);
    app_json_print(out, "] outcomes:[");
    for (int j = 0; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);
        open_named(o.name, o.title, &o.label, out);
        app_json_print(out, "yesno:%i min:%g max:%g}", o.yesno, o.yesno ? (double)NAN : o.min,
                       o.yesno ? (double)NAN : o.max);
    }
    app_json_print(out, "]}");
    return CKG_OK;
}

/* --- when trials were evaluated --- */

/* Lists over all trials: a trial's number is its place among them. */
static int times(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_study *n = &study->record;
    struct app_workers workers;
    char name[96];
    const int status = app_workers_find(n, &workers);

    (void)in;
    app_json_print(out, "{asked:[");
    for (int i = 0; i < n->count; i++)
        app_json_add_number(out, NULL, n->trials[i].asked);
    app_json_print(out, "] ended:[");
    for (int i = 0; i < n->count; i++)
        app_json_add_number(out, NULL, n->trials[i].ended);
    app_json_print(out, "] worker:[");
    for (int i = 0; !status && i < n->count; i++)
        app_json_add_string(out, NULL, app_workers_worker(&workers, &n->trials[i], name));
    app_json_print(out, "]}");
    app_workers_free(&workers);
    return status;
}

/* --- the rows --- */

#define MODELS .lane = APP_LANE_MODELS

const struct app_action app_queries[] = {
    {.name = "trials",
     .type = APP_TYPE_JSON,
     .takes = {{"trial", APP_IS_COUNT, "which trial?"}},
     .run = trial},
    {.name = "problem", .type = APP_TYPE_JSON, .run = problem},
    {.name = "times", .type = APP_TYPE_JSON, .traits = APP_BRIEF, .run = times},
    {.name = "status", .type = APP_TYPE_JSON, MODELS, .traits = APP_BRIEF, .run = tell_status},
    {.name = "recommend", .type = APP_TYPE_JSON, MODELS, .run = recommend},
    {.name = "model", .type = APP_TYPE_JSON, MODELS, .run = find_model},
    {.name = "importance", .type = APP_TYPE_JSON, MODELS, .run = find_importance},
    {.name = "frontier", .type = APP_TYPE_LINES, MODELS, .run = find_frontier},
    {.name = "predict",
     .type = APP_TYPE_JSON,
     MODELS,
     .argument = "at",
     .takes = {{"at", APP_IS_OBJECT, "`at` must be a design as a JSON object"}},
     .run = predict},
    {0},
};
