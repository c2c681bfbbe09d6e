/* The report's first section: what to build, and the best design that was evaluated beside it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "present/numbers.h"
#include "present/recommended.h"
#include "present/statement.h"
#include "base/markup.h"
#include "report/report.h"
#include "figure/draw/ticks.h"

void app_report_name(struct app_text *out, const char *name)
{
    app_text_print(out, "<span class=\"name\" title=\"");
    app_markup(out, name);
    app_text_print(out, "\">");
    app_markup(out, name);
    app_text_print(out, "</span>");
}

/* The number with so many digits, all of them when it is pointed at. */
static void add_number(struct app_text *out, double value, int digits)
{
    char shown[64];
    char exact[32];

    app_number_nice(value, digits, shown);
    if (isfinite(value) && value != 0)
        app_text_print(out, "<span title=\"%s\">%s</span>", app_number(value, exact), shown);
    else
        app_text_print(out, "%s", shown);
}

void app_report_number(struct app_text *out, double value)
{
    add_number(out, value, 5);
}

void app_report_outcome(struct app_text *out, struct app_outcome o, double value)
{
    if (o.yesno && (value == 0 || value == 1))
        app_text_print(out, "%s", value > 0 ? "yes" : "no");
    else
        add_number(out, value, app_value_digits(&o, value, 5));
}

void app_report_value(struct app_text *out, struct app_parameter p, double value)
{
    if (p.kind == CKG_CATEGORICAL)
        app_report_name(out, ckg_problem_category(p.problem, p.index, (int)value));
    else
        app_report_number(out, value);
}

void app_report_limits(struct app_text *out, struct app_outcome o)
{
    char low[32];
    char high[32];

    app_number(o.tolerance > 0 ? o.equal : o.min, low);
    app_number(o.tolerance > 0 ? o.tolerance : o.max, high);
    if (o.yesno)
        app_text_print(out, "= yes");
    else if (o.tolerance > 0)
        app_text_print(out, "= %s ± %s", low, high);
    else if (isinf(o.min))
        app_text_print(out, "≤ %s", high);
    else if (isinf(o.max))
        app_text_print(out, "≥ %s", low);
    else
        app_text_print(out, "%s … %s", low, high);
}

/* A sentence of the program's, escaped and freed. */
static void add_sentence(struct app_text *words, const char *open, const char *close, struct app_text *out)
{
    if (!words->length)
        return;
    app_text_print(out, "%s", open);
    app_markup(out, words->data);
    app_text_print(out, "%s", close);
    app_text_free(words);
}

/* What the rest of the budget is expected to gain. */
static void add_gain(const struct app_show *s, struct app_text *out)
{
    struct app_text words = {0};
    ckg_gain gain;
    char number[64];

    if (app_memory_note(ckg_study_expected_gain(s->engine, &gain)))
        return;
    const double expected = gain.left < 0 ? gain.next : gain.remaining;
    app_text_print(out, "<div class=\"tile\"><span class=\"what\">expected gain of going on</span><b>%s",
                   isnan(expected) ? "not known yet" : app_number_nice(expected, 2, number));
    app_gain_text(s->record, &gain, &words);
    app_text_print(out, "</b><span class=\"what\">");
    app_markup(out, words.data ? words.data : "");
    app_text_print(out, "</span></div>\n");
    app_text_free(&words);
}

static void add_tiles(const struct app_show *s, struct app_text *out)
{
    const ckg_recommendation *r = s->recommendation;
    struct app_recommended_outcome objective;
    struct app_text words = {0};
    char probability[32];

    app_recommended_outcome(s->definition, r, 0, &objective);
    app_text_print(out, "<div class=\"tiles\">\n<div class=\"tile\"><span class=\"what\">");
    app_report_name(out, app_outcome_name(s->definition, 0));
    app_text_print(out, "</span><b>%s</b><span class=\"what\">of the recommended design, %s</span></div>\n",
                   objective.value, app_recommended_ground(s->definition, r));

    app_text_print(out, "<div class=\"tile\"><span class=\"what\">probability of being feasible</span><b>");
    app_markup(out, r->measured ? "feasible" : app_probability_text(r->probability_feasible, probability));
    app_recommended_feasible(s->record, r, &words);
    add_sentence(&words, "</b><span class=\"what said\">", "</span></div>\n", out);

    app_text_print(out, "<div class=\"tile\"><span class=\"what\">best feasible design evaluated</span><b>");
    if (s->best) {
        const struct app_outcome o = app_outcome_at(s->definition, 0);
        app_report_outcome(out, o, app_trial_value(s->best, 0));
        app_text_print(out, "</b><span class=\"what\">trial %d</span></div>\n", s->best->number);
    } else
        app_text_print(out,
                       "none</b><span class=\"what\">nothing feasible has been measured yet</span></div>\n");
    add_gain(s, out);
    app_text_print(out, "</div>\n");
}

/* What the list of designs says of the two beside their parameters. */
static void add_carried(const struct app_show *s, int column, struct app_text *out)
{
    const struct app_definition *d = s->definition;
    const char *text = app_carried_text(d, column, s->recommendation->x);
    const char *best = s->best ? app_carried_text(d, column, s->best->x) : NULL;

    app_text_print(out, "<tr><td>");
    app_report_name(out, d->carried[column].name);
    app_text_print(out, "</td><td>");
    app_report_name(out, text ? text : "");
    if (s->best) {
        app_text_print(out, "</td><td>");
        app_report_name(out, best ? best : "");
    }
    app_text_print(out, "</td></tr>\n");
}

/* A design's value as it may be typed, with all digits when it is pointed at. */
static void add_shown(struct app_text *out, struct app_parameter p, double shown, double exact)
{
    char number[32];

    if (p.kind == CKG_CATEGORICAL) {
        app_report_value(out, p, exact);
        return;
    }
    app_text_print(out, "<span title=\"%s\">", app_number(exact, number));
    app_text_print(out, "%s</span>", app_number(shown, number));
}

/* All digits of the recommended design, to be copied. */
static void add_exact(const struct app_show *s, struct app_text *out)
{
    struct app_text design = {0};

    app_design_write(s->definition, s->recommendation->x, &design);
    app_text_print(out, "<details><summary>exact, for copying</summary><pre id=\"exact\">");
    app_markup(out, design.data ? design.data : "");
    app_text_print(out, "</pre></details>\n");
    app_text_free(&design);
}

static int add_design(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;
    double shown[CKG_MAX_PARAMETERS];
    double best[CKG_MAX_PARAMETERS];
    int status = app_design_shorten(s->record, s->recommendation->x, shown);

    if (!status && s->best)
        status = app_design_shorten(s->record, s->best->x, best);
    if (status)
        return status;

    app_text_print(out, "<div class=\"wide\"><table><thead><tr><th>parameter</th><th>recommended</th>");
    if (s->best)
        app_text_print(out, "<th>best evaluated (trial %d)</th>", s->best->number);
    app_text_print(out, "</tr></thead><tbody>\n");

    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, "<tr><td>");
        app_report_name(out, app_parameter_at(d, i).title);
        app_text_print(out, "</td><td>");
        add_shown(out, app_parameter_at(d, i), shown[i], s->recommendation->x[i]);
        if (s->best) {
            app_text_print(out, "</td><td>");
            add_shown(out, app_parameter_at(d, i), best[i], s->best->x[i]);
        }
        app_text_print(out, "</td></tr>\n");
    }
    for (int i = 0; i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];

        app_text_print(out, "<tr><td>");
        app_report_name(out, fixed->label.title ? fixed->label.title : fixed->name);
        app_text_print(out, "</td><td>");
        app_report_name(out, fixed->value.text);
        app_text_print(out, s->best ? "</td><td>fixed</td></tr>\n" : ", fixed</td></tr>\n");
    }
    for (int i = 0; i < d->carried_count; i++)
        add_carried(s, i, out);

    app_text_print(out, "</tbody></table></div>\n");
    add_exact(s, out);
    return CKG_OK;
}

/* A row: what is wanted, what is known of the design, whether the limit is met, what was measured. */
static void add_outcome(const struct app_show *s, int j, struct app_text *out)
{
    const struct app_definition *d = s->definition;
    struct app_recommended_outcome said;

    app_recommended_outcome(d, s->recommendation, j, &said);
    app_text_print(out, "<tr><td>");
    app_report_name(out, app_outcome_at(d, j).title);
    app_text_print(out, "</td><td>");
    if (j)
        app_report_limits(out, app_outcome_at(d, j));
    else
        app_text_print(out, "%s", ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "large" : "small");
    app_text_print(out, "</td><td>%s</td><td>", said.value);
    app_markup(out, said.met);
    if (s->best) {
        app_text_print(out, "</td><td>");
        app_report_outcome(out, app_outcome_at(d, j), app_trial_value(s->best, j));
    }
    app_text_print(out, "</td></tr>\n");
}

static void add_outcomes(const struct app_show *s, struct app_text *out)
{
    char least[32];

    app_text_print(out,
                   "<div class=\"wide\"><table><thead><tr><th>outcome</th><th>wanted</th><th>%s</th>"
                   "<th>limit</th>",
                   app_recommended_ground(s->definition, s->recommendation));
    if (s->best)
        app_text_print(out, "<th>measured in trial %d</th>", s->best->number);
    app_text_print(out, "</tr></thead><tbody>\n");
    for (int i = 0; i < s->outcomes.count; i++)
        add_outcome(s, s->outcomes.outcome[i], out);

    /* One for all the others. */
    if (s->outcomes.others) {
        const double one = app_nearest_others(&s->outcomes, s->definition, s->recommendation->probability);
        app_text_print(out, "<tr><td>%d others</td><td></td><td></td><td>least ", s->outcomes.others);
        app_markup(out, app_probability_text(one, least));
        app_text_print(out, "%s</td></tr>\n", s->best ? "</td><td>" : "");
    }

    app_text_print(out, "</tbody></table></div>\n");
    app_report_selection(s, out);
}

/* What a reader should know before building on it. */
static void add_advice(const struct app_show *s, struct app_text *out)
{
    struct app_text words = {0};

    app_recommended_advice(s->record, s->recommendation, &words);
    for (char *line = words.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        app_text_print(out, "<p class=\"note said\">");
        app_markup(out, line);
        app_text_print(out, "</p>\n");
    }
    app_text_free(&words);
}

int app_report_recommendation(const struct app_show *s, struct app_text *out)
{
    app_text_print(out, "<section id=\"recommendation\"><h2>Recommendation</h2>\n");
    if (s->recommendation) {
        struct app_text heading = {0};
        app_recommended_heading(s->recommendation, &heading);
        add_sentence(&heading, "<p class=\"said\">", "</p>\n", out);
        add_tiles(s, out);
        const int status = add_design(s, out);
        if (status)
            return status;
        add_outcomes(s, out);
        add_advice(s, out);
    } else {
        app_text_print(out, "<p>There is none yet: ");
        app_report_name(out, app_outcome_name(s->definition, 0));
        app_text_print(out, " has not been measured.</p>\n");
    }
    app_text_print(out, "</section>\n");
    return CKG_OK;
}
