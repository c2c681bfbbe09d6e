/* Frames of pages, the list of studies, and what is quick to know of one. */
#include "serve/pages.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "api/shapes.h"
#include "present/numbers.h"
#include "present/statement.h"
#include "base/timestamp.h"
#include "actions/outage.h"
#include "base/markup.h"
#include "report/report.h"

/* --- frames --- */

void app_page_open(struct app_text *out, const char *name, int study, const char *kind, int number)
{
    app_text_print(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                        "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
                        "name=\"color-scheme\" content=\"light dark\">\n<title>");
    app_markup(out, name);
    app_text_print(
        out, " – ckg</title>\n<link rel=\"stylesheet\" href=\"/uplot.css\">\n<link "
             "rel=\"stylesheet\" href=\"/style.css\">\n<script defer src=\"/uplot.js\"></script>\n<script "
             "type=\"module\" src=\"/live.js\"></script>\n</head>\n<body");
    if (study)
        app_text_print(out, " data-study=\"%d\"", study);
    if (kind)
        app_text_print(out, " data-%s=\"%d\"", kind, number);
    app_text_print(out, ">\n<a class=\"skip\" href=\"#main\">Skip to content</a>\n");
}

void app_page_close(struct app_text *out)
{
    app_text_print(out,
                   "</main>\n<footer><span id=\"live\" role=\"status\"></span> ckg %s · <a "
                   "href=\"/api/v1/openapi.json\">API</a></footer>\n</body>\n</html>\n",
                   ckg_version());
}

/* --- all studies --- */

/* The cache is locked. */
static void add_table(const struct app_cache *cache, struct app_text *out)
{
    app_text_print(out, "<div class=\"wide\" id=\"studies\"><table><thead><tr><th>study</th><th "
                        "class=\"left\">state</th><th>evaluations</th><th>best feasible</th><th title=\"of "
                        "the recommended design being feasible\">probability"
                        "</th><th class=\"left\">best so far</th><th class=\"left\">last "
                        "result</th></tr></thead>"
                        "<tbody>\n");
    for (int i = 0; i < cache->count; i++)
        if (cache->studies[i]->version)
            app_text_print(out, "%s", cache->studies[i]->text[APP_STUDY_ROW]);
    app_text_print(out, "</tbody></table></div>\n");
}

void app_page_table(struct app_cache *cache, int study, struct app_text *out)
{
    (void)study;
    pthread_mutex_lock(&cache->lock);
    add_table(cache, out);
    pthread_mutex_unlock(&cache->lock);
}

void app_page_index(struct app_cache *cache, int study, struct app_text *out)
{
    app_page_open(out, "Studies", 0, "index", 1);
    app_text_print(out, "<header><h1>Studies</h1></header>\n<main id=\"main\">\n");
    app_page_table(cache, study, out);
    app_page_close(out);
}

/* --- one study --- */

/* A section of the page: drawn by a module (files/study.js has them), or as in the report. */
struct section {
    const char *id, *link, *heading;
    int drawn_here; /* 1: by a module */
};

static const struct section sections[] = {
    {"recommendation", "Recommendation", "Recommendation", 0},
    {"convergence", "Convergence", "Convergence", 1},
    {"importance", "What matters", "What matters", 0},
    {"frontier", "What safety costs", "What safety costs", 1},
    {"maps", "Map", "Map of two parameters", 1},
    {"slices", "Slices", "Slices", 1},
    {"parallel", "Parallel coordinates", "Parallel coordinates", 1},
    {"trials", "Trials", "Trials", 1},
    {"timeline", "Timeline", "Timeline", 1},
    {"checks", "Checks", "Predicted against measured", 1},
    {"study", "Study", "Study", 0},
    {"models", "Models", "Models", 0},
    {0},
};

static void add_links(struct app_text *out)
{
    app_text_print(out, "<nav class=\"sections\" aria-label=\"sections\">");
    for (const struct section *s = sections; s->id; s++)
        app_text_print(out, "<a href=\"#%s\">%s</a>", s->id, s->link);
    app_text_print(out, "</nav>\n");
}

static void add_section(const struct section *s, struct app_text *out)
{
    app_text_print(out,
                   "<section id=\"%s\" data-%s=\"%s\" aria-busy=\"true\" aria-label=\"%s\"><h2>%s</h2>\n<p "
                   "class=\"note one-moment\">One moment …</p></section>\n",
                   s->id, s->drawn_here ? "view" : "part", s->id, s->heading, s->heading);
}

void app_page_study(struct app_cache *cache, int study, struct app_text *out)
{
    /* The head as the poller has it. */
    pthread_mutex_lock(&cache->lock);
    const struct app_cached_study *p = cache->studies[study];
    const int id = p->id;
    app_page_open(out, p->text[APP_STUDY_NAME], id, NULL, 0);
    app_text_print(out,
                   "<header><nav aria-label=\"pages\"><a href=\"/\">All studies</a><a "
                   "href=\"/study/%d/report\" download=\"report.html\">Download report</a></nav>\n<div "
                   "id=\"head\">%s</div>\n",
                   id, p->text[APP_STUDY_HEAD]);
    pthread_mutex_unlock(&cache->lock);

    /* What is quick to know, and the sections: modules fill both. */
    app_text_print(
        out,
        "<div id=\"tiles\" data-view=\"tiles\"></div></header>\n<main id=\"main\">\n<noscript><p>Without "
        "scripts, <a href=\"/study/%d/report\">the report</a> has all of it.</p></noscript>\n",
        id);
    add_links(out);
    for (const struct section *s = sections; s->id; s++)
        add_section(s, out);
    app_page_close(out);
}

/* The lab's form, which a module fills. */
void app_page_lab(struct app_cache *cache, int study, struct app_text *out)
{
    pthread_mutex_lock(&cache->lock);
    const struct app_cached_study *p = cache->studies[study];
    const char *name = p->text[APP_STUDY_NAME];
    app_page_open(out, name, p->id, "lab", 1);
    app_text_print(out, "<header><nav aria-label=\"pages\"><a href=\"/study/%d\">", p->id);
    app_markup(out, name);
    app_text_print(out,
                   "</a></nav><h1>Results</h1></header>\n<main id=\"main\">\n<noscript><p>The form needs "
                   "scripts; <code>ckg tell</code> does not.</p></noscript>\n");
    pthread_mutex_unlock(&cache->lock);
    app_page_close(out);
}

/* --- what is quick to know --- */

/* What counts towards the budget: evaluations, or what they cost. */
static double spent_of(const struct app_notebook *n, const int tally[APP_STATES])
{
    return ckg_problem_separate(n->definition.problem) == 1 ? app_notebook_cost(n)
                                                            : tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL];
}

/* Where outcomes have costs, what is left may pay for nothing any more. */
static int is_spent(const struct app_notebook *n, const int tally[APP_STATES])
{
    if (!n->definition.budget)
        return 0;
    return ckg_problem_separate(n->definition.problem) == 1
               ? !tally[APP_PENDING] && app_notebook_spent(n) >= n->definition.budget
               : spent_of(n, tally) >= n->definition.budget;
}

static const char *state_of(const struct app_notebook *n, const int tally[APP_STATES])
{
    const int ended = tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL];
    struct app_pause pause;

    if (n->hold.held)
        return "paused";
    if (tally[APP_RUNNING])
        return "running";
    if (app_pause_find(n, &pause))
        return "paused";
    if (is_spent(n, tally))
        return "done";
    return ended || tally[APP_PENDING] ? "waiting" : "not begun";
}

/* When the last result came, NAN: none has. */
static double last_result(const struct app_notebook *n)
{
    double last = NAN;

    for (int i = 0; i < n->count; i++)
        last = fmax(last, n->trials[i].ended);
    return last;
}

/* How far it is, and what it has found. */
static void add_progress(const struct app_notebook *n, struct app_text *out)
{
    int tally[APP_STATES];
    char moment[32];

    app_notebook_tally(n, tally);
    app_json_add_string(out, "state", state_of(n, tally));
    app_progress_add(n, out);
    if (ckg_problem_separate(n->definition.problem) == 1)
        app_json_add_number(out, "spent", app_notebook_cost(n));
    for (int i = 0; i < APP_STATES; i++)
        app_json_add_integer(out, app_state_name((enum app_state)i), tally[i]);
    app_best_feasible_add(n, out);
    app_hold_add(&n->hold, out);
    app_json_add_string(out, "last_result", app_moment_utc(last_result(n), moment));
}

static void add_summary(const struct app_seen *s, struct app_text *out)
{
    app_json_print(out, "{id:%d study:%s revision:%lld trials:%d", s->id, s->name,
                   s->notebook ? (long long)s->notebook->revision : 0LL,
                   s->notebook ? s->notebook->count : 0);
    if (s->notebook)
        add_progress(s->notebook, out);
    app_json_print(out, "trouble:%s}", s->trouble);
}

/* The best so far as a small line, from trial to trial. */
static void add_spark(const struct app_notebook *n, struct app_text *out)
{
    const int sign = ckg_problem_goal(n->definition.problem) == CKG_MAXIMIZE ? 1 : -1;
    const struct app_trial *best = app_notebook_best(n);
    double first = NAN;
    double now = NAN;

    for (int i = 0; i < n->count && isnan(first); i++)
        if (n->trials[i].feasible == 1)
            first = app_trial_value(&n->trials[i], 0);
    const double span = best && !isnan(first) ? fabs(app_trial_value(best, 0) - first) : NAN;
    if (!(span > 0) || isinf(span))
        return;

    app_text_print(out, "<svg class=\"spark\" viewBox=\"0 0 100 20\" role=\"img\" aria-label=\"the best so "
                        "far, from trial to trial\"><path class=\"s-best\" fill=\"none\" d=\"");
    for (int i = 0; i < n->count; i++) {
        const double value = n->trials[i].feasible == 1 ? app_trial_value(&n->trials[i], 0) : NAN;
        if (isnan(value) || sign * value <= sign * now)
            continue;
        const double x = 2 + 96.0 * i / n->count;
        const double y = 18 - 16 * fabs(value - first) / span;
        app_text_print(out, isnan(now) ? "M%.1f %.1f" : "H%.1fV%.1f", x, y);
        now = value;
    }
    app_text_print(out, "H98\"/></svg>");
}

/* The cells behind the name. */
static void add_cells(const struct app_notebook *n, const char *trouble, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    const struct app_outcome objective = app_outcome_at(d, 0);
    int tally[APP_STATES];
    char text[32];

    app_notebook_tally(n, tally);
    app_text_print(out, "<td class=\"left\">");
    app_markup(out, trouble ? trouble : state_of(n, tally));
    const double spent = spent_of(n, tally);
    app_text_print(out, "</td><td>%s", app_number_short(spent, text));
    if (d->budget)
        app_text_print(out, " of %d<progress max=\"%d\" value=\"%.9g\"></progress>", d->budget, d->budget,
                       spent);

    /* What it has found. */
    app_text_print(out, "</td><td>%s</td><td class=\"chance\"></td><td class=\"left\">",
                   best ? app_value_text(&objective, app_trial_value(best, 0), 6, text) : "–");
    add_spark(n, out);
    const char *last = app_moment_utc(last_result(n), text);
    app_text_print(out, "</td><td class=\"left\">%s</td>", last ? last : "–");
}

static void add_row(const struct app_seen *s, struct app_text *out)
{
    app_text_print(out, "<tr data-study=\"%d\"><td><a href=\"/study/%d\">", s->id, s->id);
    app_report_name(out, s->name);
    app_text_print(out, "</a></td>");
    if (s->notebook)
        add_cells(s->notebook, s->trouble, out);
    else {
        app_text_print(out, "<td class=\"why\" colspan=\"6\">");
        app_markup(out, s->trouble);
        app_text_print(out, "</td>");
    }
    app_text_print(out, "</tr>\n");
}

/* How it stands, in a line. */
static void add_state(const struct app_notebook *n, struct app_text *out)
{
    const struct app_outcome objective = app_outcome_at(&n->definition, 0);
    const struct app_trial *best = app_notebook_best(n);
    struct app_text held = {0};
    int tally[APP_STATES];
    char number[32];

    app_notebook_tally(n, tally);
    app_text_print(out, "<p>");
    if (app_hold_text(&n->hold, &held))
        app_markup(out, held.data);
    else
        app_text_print(out, "%s", state_of(n, tally));
    app_text_free(&held);
    if (best) {
        app_text_print(out, " · best feasible: trial %d, ", best->number);
        app_markup(out, objective.name);
        app_text_print(out, " = %s", app_value_text(&objective, app_trial_value(best, 0), 6, number));
    } else
        app_text_print(out, " · nothing feasible has been measured yet");
    app_text_print(out, "</p>\n");
}

static void add_head(const struct app_seen *s, struct app_text *out)
{
    if (s->notebook) {
        app_report_lead(s->notebook, out);
        add_state(s->notebook, out);
    } else {
        app_text_print(out, "<h1>");
        app_report_name(out, s->name);
        app_text_print(out, "</h1>\n");
    }
    if (s->trouble) {
        app_text_print(out, "<p class=\"no\">");
        app_markup(out, s->trouble);
        app_text_print(out, "</p>\n");
    }
}

int app_seen_write(const struct app_seen *s, char *texts[APP_STUDY_TEXTS])
{
    static void (*const add[APP_STUDY_TEXTS])(const struct app_seen *, struct app_text *) = {
        [APP_STUDY_SUMMARY] = add_summary, [APP_STUDY_ROW] = add_row, [APP_STUDY_HEAD] = add_head};
    int good = (texts[APP_STUDY_NAME] = app_copy(s->name)) != NULL;

    for (int i = 0; good && i < APP_STUDY_TEXTS; i++) {
        struct app_text text = {0};
        if (!add[i])
            continue;
        add[i](s, &text);
        good = !text.failed;
        texts[i] = text.data;
    }
    return good;
}
