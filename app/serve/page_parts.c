/* The summary that the cache keeps of each study, and the calls that only addresses of the server make. */
#include "serve/page_parts.h"

#include <math.h>

#include "actions/outage.h"
#include "api/shapes.h"
#include "base/markup.h"
#include "base/timestamp.h"
#include "present/statement.h"
#include "report/report.h"

/* --- the summary --- */

/* Whether the budget is one of costs, which is so where outcomes can be measured separately. */
static int has_costs(const struct app_study *n)
{
    return ckg_problem_separate(n->definition.problem) == 1;
}

/* Where outcomes have costs, what is left may pay for nothing any more. */
static int is_spent(const struct app_study *n, const int tally[APP_STATES])
{
    const int budget = n->definition.budget;

    if (has_costs(n))
        return budget && !tally[APP_PENDING] && app_study_spent(n) >= budget;
    return budget && app_study_ended(n) >= budget;
}

static const char *state_of(const struct app_study *n, const int tally[APP_STATES])
{
    const int begun = app_study_ended(n) + tally[APP_PENDING];
    struct app_outage pause;

    if (n->pause.paused)
        return "paused";
    if (tally[APP_RUNNING])
        return "running";
    if (app_outage_find(n, &pause))
        return "paused";
    return is_spent(n, tally) ? "done" : begun ? "waiting" : "not begun";
}

/* When the last result came, NAN: none has. */
static double last_result(const struct app_study *n)
{
    double last = NAN;

    for (int i = 0; i < n->count; i++)
        last = fmax(last, n->trials[i].ended);
    return last;
}

/* Each trial that was better than all feasible ones before it, with its objective. */
static void add_improvements(const struct app_study *n, struct app_text *out)
{
    double best = NAN;

    app_json_open(out, "improvements", '[');
    for (int i = 0; i < n->count; i++) {
        if (!app_trial_improves(n->definition.problem, &n->trials[i], best))
            continue;
        best = app_trial_value(&n->trials[i], 0);
        app_json_print(out, "[%d %g]", n->trials[i].number, best);
    }
    app_json_close(out, ']');
}

/* How far it is, and what it has found. */
static void add_progress(const struct app_study *n, struct app_text *out)
{
    int tally[APP_STATES];
    char timestamp[32];

    app_study_tally(n, tally);
    app_json_add_string(out, "state", state_of(n, tally));
    app_progress_add(n, out);
    if (has_costs(n))
        app_json_add_number(out, "spent", app_study_cost(n));
    for (int i = 0; i < APP_STATES; i++)
        app_json_add_integer(out, app_state_name((enum app_state)i), tally[i]);
    app_best_feasible_add(n, out);
    add_improvements(n, out);
    app_pause_add(&n->pause, out);
    app_json_add_string(out, "last_result", app_timestamp_utc(last_result(n), timestamp));
}

void app_summary_write(const struct app_cached_study *p, const struct app_study *n, const char *name,
                       const char *trouble, struct app_text *out)
{
    app_json_print(out, "{id:%d study:%s revision:%lld trials:%d", p->id, name,
                   n ? (long long)n->revision : 0LL, n ? n->count : 0);
    if (n)
        add_progress(n, out);
    app_json_print(out, "trouble:%s}", trouble);
}

/* --- calls --- */

/* As `ckg trials --json` has them. */
static int trials(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_study *n = &study->record;
    const json_t *since = json_object_get(in, "since");

    for (int i = 0; i < n->count; i++) {
        if (since && n->trials[i].revision <= json_integer_value(since))
            continue;
        app_trial_write(&n->definition, &n->trials[i], out);
        app_text_print(out, "\n");
    }
    return CKG_OK;
}

/* What it is about, and who has paused it. */
static int head(struct app_api_study *study, json_t *in, struct app_text *out)
{
    struct app_text paused = {0};

    (void)in;
    app_report_lead(&study->record, out);
    if (app_pause_text(&study->record.pause, &paused) && paused.data) {
        app_text_print(out, "<p>");
        app_markup(out, paused.data);
        app_text_print(out, "</p>\n");
    }
    out->failed |= paused.failed;
    app_text_free(&paused);
    return CKG_OK;
}

static int section(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int status = app_api_view(study);
    const int number = (int)json_integer_value(json_object_get(in, "section"));

    return status ? status : app_report_section(&app_report_sections[number - 1], &study->view, out);
}

const struct app_action app_call_trials = {.name = "trials",
                                           .type = APP_TYPE_LINES,
                                           .argument = "since",
                                           .takes = {{"since", APP_IS_REVISION, NULL}},
                                           .run = trials};
const struct app_action app_call_head = {.name = "head", .type = APP_TYPE_HTML, .run = head};
const struct app_action app_call_section = {.name = "section",
                                            .type = APP_TYPE_HTML,
                                            .lane = APP_LANE_MODELS,
                                            .takes = {{"section", APP_IS_COUNT, NULL}},
                                            .run = section};
const struct app_action app_call_report = {.name = "report",
                                           .type = APP_TYPE_HTML,
                                           .lane = APP_LANE_MODELS,
                                           .traits = APP_BARE,
                                           .run = app_api_report};
