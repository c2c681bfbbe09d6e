/* Calls that make pages, or parts of them: sections as in the report, the report, a trial. */
#include "serve/pages.h"

#include <math.h>
#include <string.h>

#include "actions/action_history.h"
#include "actions/workers.h"
#include "base/markup.h"
#include "base/timestamp.h"
#include "present/numbers.h"
#include "report/report.h"

static int section(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int status = app_api_view(study);
    const int number = (int)json_integer_value(json_object_get(in, "section"));

    return status ? status : app_report_sections[number - 1].make(&study->view, out);
}

/* As `ckg report` writes it, for a reader who keeps it. */
static int report(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const int status = app_api_view(study);

    (void)in;
    if (status)
        return status;
    struct app_show whole = study->view;
    whole.trials_at = NULL;
    whole.latest = 0;
    return app_report_make(&whole, out);
}

/* A line of the table, unless there is nothing to say. */
static void add_row(struct app_text *out, const char *what, const char *text)
{
    if (!text || !*text)
        return;
    app_text_print(out, "<tr><td>");
    app_markup(out, what);
    app_text_print(out, "</td><td class=\"why\">");
    app_markup(out, text);
    app_text_print(out, "</td></tr>\n");
}

/* A text of several lines under its heading, unless there is none. */
static void add_block(struct app_text *out, const char *heading, const char *text)
{
    if (!text || !*text)
        return;
    app_text_print(out, "<section><h2>%s</h2>\n<div class=\"wide\"><pre>", heading);
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        struct app_text one = {0};
        app_text_add(&one, line, length);
        app_markup(out, one.data ? one.data : "");
        app_text_free(&one);
        line += length + (line[length] == '\n');
        app_text_print(out, "\n");
    }
    app_text_print(out, "</pre></div></section>\n");
}

static void add_values(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    struct app_text text = {0};
    char number[32];

    for (int i = 0; i < app_dimension(d); i++) {
        text.length = 0;
        app_design_write_text(d, i, t->x[i], &text);
        add_row(out, app_parameter_at(d, i).title, text.data);
    }
    for (int j = 0; j <= app_constraints(d); j++) {
        const double value = app_trial_told(t, j);
        add_row(out, app_outcome_title(d, j), isnan(value) ? "not measured" : app_number(value, number));
    }
    app_text_free(&text);
}

static void add_facts(const struct app_trial *t, const struct app_crew *crew, struct app_text *out)
{
    static const char *const feasible[] = {"not known", "no", "yes"};
    char text[32];
    char name[96];

    add_row(out, "state", app_state_name(t->state));
    add_row(out, "feasible", feasible[t->feasible + 1]);
    add_row(out, "why", t->why);
    add_row(out, "origin", t->origin);
    add_row(out, "chosen by", t->chosen_by);
    add_row(out, "why this design", t->reason);
    add_row(out, t->state == APP_RUNNING ? "is evaluated by" : "evaluated by",
            app_crew_worker(crew, t, name));
    add_row(out, "asked for", app_moment_utc(t->asked, text));
    add_row(out, "its result came", app_moment_utc(t->ended, text));
    if (!isnan(t->seconds))
        add_row(out, "seconds", app_number_short(t->seconds, text));
}

/* The head of the page: where one is. */
static void open_trial_page(const struct app_api_study *study, int number, struct app_text *out)
{
    const char *name = study->notebook.definition.name;

    app_page_open(out, name, study->id, "trial", number);
    app_text_print(out, "<header><nav><a href=\"/\">All studies</a><a href=\"/study/%d#trials\">", study->id);
    app_markup(out, name);
    app_text_print(out,
                   "</a></nav><h1>Trial %d</h1></header>\n<main id=\"main\">\n<div "
                   "id=\"drawn\">\n",
                   number);
}

static int trial_page(struct app_api_study *study, json_t *in, struct app_text *out)
{
    const struct app_definition *d = &study->notebook.definition;
    struct app_notebook *n = &study->notebook;
    const struct app_trial *t = app_api_trial(n, json_object_get(in, "trial"));
    struct app_text said = {0};
    struct app_crew crew;

    if (!t)
        return CKG_ERR_NOT_FOUND;
    int status = app_crew_find(&study->notebook, &crew);
    if (!status)
        status = app_history_write(&study->notebook, t->number, 0, &said);
    if (status) {
        app_text_free(&said);
        app_crew_free(&crew);
        return status;
    }

    open_trial_page(study, t->number, out);

    /* What it is, what it gave, and what was said of it. */
    app_text_print(out, "<section><h2>Design and values</h2>\n<div class=\"wide\"><table><tbody>\n");
    add_facts(t, &crew, out);
    add_values(d, t, out);
    app_text_print(out, "</tbody></table></div></section>\n");
    add_block(out, "Notes", t->notes);
    add_block(out, "The end of its standard error", t->log);
    add_block(out, "Its whole answer", t->answer);
    add_block(out, "Beyond the outcomes", t->extra);
    add_block(out, "What was said of it", said.data);
    app_text_print(out, "</div>\n");
    app_page_close(out);
    app_text_free(&said);
    app_crew_free(&crew);
    return CKG_OK;
}

/* --- the rows --- */

#define PAGE(what) .name = #what, .type = APP_TYPE_HTML, .run = what

const struct app_action app_call_section = {PAGE(section), .lane = APP_LANE_MODELS,
                                            .takes = {{"section", APP_IS_COUNT, NULL}}};
const struct app_action app_call_report = {PAGE(report), .lane = APP_LANE_MODELS, .traits = APP_BARE};
const struct app_action app_call_trial_page = {PAGE(trial_page), .takes = {{"trial", APP_IS_COUNT, NULL}}};
