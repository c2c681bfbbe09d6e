/* What can be made of a study, a row each: JSON by the shapes of the commands, pages by those of the report.
 */
#include <math.h>
#include <string.h>

#include "api/shapes.h"
#include "actions/workers.h"
#include "present/numbers.h"
#include "actions/models.h"
#include "actions/frontier.h"
#include "base/timestamp.h"
#include "actions/action_history.h"
#include "actions/action_stop.h"
#include "serve/desk.h"
#include "serve/pages.h"
#include "base/markup.h"
#include "report/report.h"

/* --- the desk --- */

void app_desk_forget(struct app_desk *desk)
{
    if (desk->shown)
        app_show_close(&desk->show);
    desk->shown = 0;
}

void app_desk_clear(struct app_desk *desk)
{
    app_desk_forget(desk);
    if (desk->open)
        app_notebook_close(&desk->notebook);
    desk->open = 0;
}

int app_desk_show(struct app_desk *desk)
{
    enum { TABLE = 500 };

    if (desk->shown)
        return CKG_OK;
    const int status = app_show_open(&desk->show, &desk->notebook);
    if (status)
        return status;
    desk->show.trials_at = desk->trials_at;
    desk->show.latest = TABLE;
    desk->shown = 1;
    return CKG_OK;
}

/* --- JSON --- */

/* The trial of that number; NULL: there is none. */
static const struct app_trial *find_trial(const struct app_notebook *n, int number)
{
    if (number >= 1 && number <= n->count)
        return &n->trials[number - 1];
    app_fail(n->message, CKG_ERR_NOT_FOUND, "there is no trial %d; the last is %d", number, n->count);
    return NULL;
}

static int make_trial(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    const struct app_trial *t = find_trial(&desk->notebook, e->number);

    if (!t)
        return CKG_ERR_NOT_FOUND;
    app_json_open(out, NULL, '{');
    app_trial_add_whole(&desk->notebook.definition, t, out);
    const int status = app_history_write(&desk->notebook, t->number, 1, out);
    app_json_close(out, '}');
    return status;
}

static int make_status(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    struct app_stop_watch watch = {0};
    struct app_crew crew;
    int status = app_crew_find(&desk->notebook, &crew);

    (void)e;
    if (!status)
        status = app_stop_standing(&desk->notebook, &watch);
    if (!status)
        app_status_write(&desk->notebook, &watch.gain, watch.reached, &crew, out);
    app_crew_free(&crew);
    app_stop_forget(&watch);
    return status;
}

static int make_recommendation(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    ckg_recommendation *r;
    const int status = app_notebook_recommend(&desk->notebook, NULL, &r);

    (void)e;
    if (status)
        return status;
    app_recommendation_write(&desk->notebook, r, out);
    ckg_recommendation_free(r);
    return CKG_OK;
}

static int make_model(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    struct app_fitted fitted;
    const int status = app_fitted_find(&fitted, &desk->notebook);

    (void)e;
    if (!status)
        app_models_write(&desk->notebook.definition, fitted.models, fitted.penalty, out);
    app_fitted_free(&fitted);
    return status;
}

static int make_importance(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    struct app_importance importance;
    ckg_study *engine;
    int status = app_notebook_engine(&desk->notebook, &engine);

    (void)e;
    if (!status)
        status = app_importance_find(&importance, &desk->notebook, engine, 0, NULL);
    if (status)
        return status;
    app_importance_write(&desk->notebook.definition, &importance, out);
    app_importance_free(&importance);
    return CKG_OK;
}

static int make_frontier(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    struct app_notebook *n = &desk->notebook;
    struct app_frontier frontier;
    ckg_study *engine;
    int status = app_notebook_engine(n, &engine);

    (void)e;
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

/* The design of the errand's text. */
static int read_design(struct app_notebook *n, const char *text, double *x)
{
    json_error_t error;
    json_t *object = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;

    if (!json_is_object(object)) {
        json_decref(object);
        return app_fail(n->message, CKG_ERR_INVALID, "`at` must be a design as a JSON object");
    }
    const int status = app_design_read(&n->definition, object, x, n->message);
    json_decref(object);
    return status;
}

static int make_prediction(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    struct app_notebook *n = &desk->notebook;
    double x[CKG_MAX_PARAMETERS];
    double mean[CKG_MAX_CONSTRAINTS + 1];
    double sd[CKG_MAX_CONSTRAINTS + 1];
    double noise_sd[CKG_MAX_CONSTRAINTS + 1];
    struct app_prediction p = {.x = x, .mean = mean, .sd = sd, .noise_sd = noise_sd};
    ckg_study *engine;
    int status = read_design(n, e->text, x);

    if (!status)
        status = app_notebook_engine(n, &engine);
    if (status)
        return status;
    status = ckg_study_predict(engine, 1, x, mean, sd, &p.probability_feasible, &p.utility);
    if (!status)
        status = ckg_study_predict_noise(engine, 1, x, noise_sd);
    if (status)
        return app_notebook_fail(n, status);
    app_prediction_write(&n->definition, &p, out);
    return CKG_OK;
}

/* --- pages --- */

static int make_section(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    const int status = app_desk_show(desk);

    return status ? status : app_report_sections[e->number].make(&desk->show, out);
}

/* As `ckg report` writes it, for a reader who keeps it. */
static int make_report(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    const int status = app_desk_show(desk);

    (void)e;
    if (status)
        return status;
    struct app_show whole = desk->show;
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
    add_row(out, t->state == APP_RUNNING ? "is evaluated by" : "evaluated by",
            app_crew_worker(crew, t, name));
    add_row(out, "asked for", app_moment_utc(t->asked, text));
    add_row(out, "its result came", app_moment_utc(t->ended, text));
    if (!isnan(t->seconds))
        add_row(out, "seconds", app_number_short(t->seconds, text));
}

/* The head of the page: where one is. */
static void open_trial_page(const struct app_desk *desk, int number, struct app_text *out)
{
    const char *name = desk->notebook.definition.name;
    struct app_text attributes = {0};

    app_text_print(&attributes, "data-study=\"%d\" data-trial=\"%d\"", desk->id, number);
    app_page_open(out, name, attributes.data);
    app_text_free(&attributes);
    app_text_print(out, "<header><nav><a href=\"/\">All studies</a><a href=\"/study/%d#trials\">", desk->id);
    app_markup(out, name);
    app_text_print(out,
                   "</a></nav><h1>Trial %d</h1></header>\n<main id=\"main\">\n<div "
                   "id=\"drawn\">\n",
                   number);
}

static int make_trial_page(struct app_desk *desk, const struct app_errand *e, struct app_text *out)
{
    const struct app_definition *d = &desk->notebook.definition;
    const struct app_trial *t = find_trial(&desk->notebook, e->number);
    struct app_text said = {0};
    struct app_crew crew;

    if (!t)
        return CKG_ERR_NOT_FOUND;
    int status = app_crew_find(&desk->notebook, &crew);
    if (!status)
        status = app_history_write(&desk->notebook, t->number, 0, &said);
    if (status) {
        app_text_free(&said);
        app_crew_free(&crew);
        return status;
    }

    open_trial_page(desk, t->number, out);

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

#define JSON "application/json"
#define LINES "application/x-ndjson"
#define HTML "text/html; charset=utf-8"

static const struct app_product products[] = {
    {.name = "trials", .type = JSON, .make = make_trial},
    {.name = "status", .type = JSON, .whose = APP_MODELLERS, .brief = 1, .make = make_status},
    {.name = "recommend", .type = JSON, .whose = APP_MODELLERS, .make = make_recommendation},
    {.name = "model", .type = JSON, .whose = APP_MODELLERS, .make = make_model},
    {.name = "importance", .type = JSON, .whose = APP_MODELLERS, .make = make_importance},
    {.name = "frontier", .type = LINES, .whose = APP_MODELLERS, .make = make_frontier},
    {.name = "predict", .type = JSON, .whose = APP_MODELLERS, .argument = "at", .make = make_prediction},
};

const struct app_product app_product_trial_page = {.name = "trial", .type = HTML, .make = make_trial_page};
const struct app_product app_product_section = {
    .name = "part", .type = HTML, .whose = APP_MODELLERS, .make = make_section};
const struct app_product app_product_report = {
    .name = "report", .type = HTML, .whose = APP_MODELLERS, .bare = 1, .make = make_report};

const struct app_product *app_product_named(const char *name)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (!strcmp(products[i].name, name))
            return &products[i];
    for (const struct app_product *p = app_products_drawn; p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}
