/* The report's first section: what to build, and the best design that was evaluated beside it. */
#include <math.h>

#include "show/markup.h"
#include "show/report.h"
#include "show/ticks.h"

void app_report_name(struct app_text *out, const char *name)
{
    app_text_print(out, "<span class=\"name\" title=\"");
    app_markup(out, name);
    app_text_print(out, "\">");
    app_markup(out, name);
    app_text_print(out, "</span>");
}

void app_report_number(struct app_text *out, double value)
{
    char shown[64];
    char exact[32];

    app_number_nice(value, 5, shown);
    if (isfinite(value) && value != 0)
        app_text_print(out, "<span title=\"%s\">%s</span>", app_number(value, exact), shown);
    else
        app_text_print(out, "%s", shown);
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
    char low[64];
    char high[64];

    app_number_nice(o.min, 6, low);
    app_number_nice(o.max, 6, high);
    if (isinf(o.min))
        app_text_print(out, "≤ %s", high);
    else if (isinf(o.max))
        app_text_print(out, "≥ %s", low);
    else
        app_text_print(out, "%s … %s", low, high);
}

/* A probability: near 0 and 1 it matters how near. */
static void add_probability(struct app_text *out, double p)
{
    char text[64];

    if (isnan(p))
        app_text_print(out, "not known");
    else if (p > 0.9999)
        app_text_print(out, "&gt; 0.9999");
    else if (p < 0.0001)
        app_text_print(out, "&lt; 0.0001");
    else
        app_text_print(out, "%s", app_number_nice(p, p > 0.99 ? 4 : 3, text));
}

static void add_prediction(struct app_text *out, double mean, double sd)
{
    char spread[64];

    if (isnan(mean)) {
        app_text_print(out, "not measured yet");
        return;
    }
    app_report_number(out, mean);
    app_text_print(out, " ± %s", app_number_nice(sd, 2, spread));
}

/* What the probability of being feasible is of, or why there is none. */
static void add_what_it_means(const struct app_show *s, struct app_text *out)
{
    struct app_text why = {0};

    if (isnan(s->recommendation->probability_feasible)) {
        app_notebook_unmeasured(s->notebook, 1, &why);
        app_markup(out, why.data ? why.data : "");
        app_text_free(&why);
    } else
        app_text_print(out, "%s",
                       app_constraints(s->definition) ? "of meeting all constraints at once"
                                                      : "there are no constraints");
}

static void add_tiles(const struct app_show *s, struct app_text *out)
{
    const ckg_recommendation *r = s->recommendation;

    app_text_print(out, "<div class=\"tiles\">\n<div class=\"tile\"><span class=\"what\">predicted ");
    app_report_name(out, app_outcome_name(s->definition, 0));
    app_text_print(out, "</span><b>");
    add_prediction(out, r->mean[0], r->sd[0]);
    app_text_print(out,
                   "</b><span class=\"what\">of the recommended design, ± standard deviation</span></div>\n");

    app_text_print(out, "<div class=\"tile\"><span class=\"what\">probability of being feasible</span><b>");
    add_probability(out, r->probability_feasible);
    app_text_print(out, "</b><span class=\"what\">");
    add_what_it_means(s, out);
    app_text_print(out, "</span></div>\n");

    app_text_print(out, "<div class=\"tile\"><span class=\"what\">best feasible design evaluated</span><b>");
    if (s->best) {
        app_report_number(out, app_trial_value(s->best, 0));
        app_text_print(out, "</b><span class=\"what\">trial %d</span></div>\n</div>\n", s->best->number);
    } else
        app_text_print(
            out,
            "none</b><span class=\"what\">nothing feasible has been measured yet</span></div>\n</div>\n");
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

static void add_design(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;

    app_text_print(out, "<div class=\"wide\"><table><thead><tr><th>parameter</th><th>recommended</th>");
    if (s->best)
        app_text_print(out, "<th>best evaluated (trial %d)</th>", s->best->number);
    app_text_print(out, "</tr></thead><tbody>\n");

    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, "<tr><td>");
        app_report_name(out, app_parameter_title(d, i));
        app_text_print(out, "</td><td>");
        app_report_value(out, app_parameter_at(d, i), s->recommendation->x[i]);
        if (s->best) {
            app_text_print(out, "</td><td>");
            app_report_value(out, app_parameter_at(d, i), s->best->x[i]);
        }
        app_text_print(out, "</td></tr>\n");
    }
    for (int i = 0; i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];

        app_text_print(out, "<tr><td>");
        app_report_name(out, fixed->label.title ? fixed->label.title : fixed->name);
        app_text_print(out, "</td><td>");
        app_report_name(out, fixed->text);
        app_text_print(out, s->best ? "</td><td>fixed</td></tr>\n" : ", fixed</td></tr>\n");
    }
    for (int i = 0; i < d->carried_count; i++)
        add_carried(s, i, out);

    app_text_print(out, "</tbody></table></div>\n");
}

static void add_outcomes(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;

    /* The head. */
    app_text_print(out, "<div "
                        "class=\"wide\"><table><thead><tr><th>outcome</th><th>wanted</th><th>predicted</"
                        "th><th>probability</th>");
    if (s->best)
        app_text_print(out, "<th>measured in trial %d</th>", s->best->number);
    app_text_print(out, "</tr></thead><tbody>\n");

    /* A row for each that is shown: what is wanted, what is predicted, what was measured. */
    for (int i = 0; i < s->outcomes.count; i++) {
        const int j = s->outcomes.outcome[i];
        app_text_print(out, "<tr><td>");
        app_report_name(out, app_outcome_title(d, j));
        app_text_print(out, "</td><td>");
        if (j)
            app_report_limits(out, app_outcome_at(d, j));
        else
            app_text_print(out, "%s", ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "large" : "small");
        app_text_print(out, "</td><td>");
        add_prediction(out, s->recommendation->mean[j], s->recommendation->sd[j]);
        app_text_print(out, "</td><td>");
        if (j)
            add_probability(out, s->recommendation->probability[j - 1]);
        if (s->best) {
            app_text_print(out, "</td><td>");
            app_report_number(out, app_trial_value(s->best, j));
        }
        app_text_print(out, "</td></tr>\n");
    }

    /* One for all the others. */
    if (s->outcomes.others) {
        app_text_print(out, "<tr><td>%d others</td><td></td><td></td><td>least ", s->outcomes.others);
        add_probability(out, app_nearest_others(&s->outcomes, d, s->recommendation->probability));
        app_text_print(out, "%s</td></tr>\n", s->best ? "</td><td>" : "");
    }

    app_text_print(out, "</tbody></table></div>\n");
    app_report_selection(s, out);
}

int app_report_recommendation(const struct app_show *s, struct app_text *out)
{
    app_text_print(out, "<section id=\"recommendation\"><h2>Recommendation</h2>\n");
    if (s->recommendation) {
        add_tiles(s, out);
        add_design(s, out);
        add_outcomes(s, out);
        app_text_print(out, "<p class=\"note\">The recommended design need not have been evaluated: of all "
                            "designs it has the best predicted utility, given what was measured so far. "
                            "Evaluate it before you rely on it.</p>\n");
    } else {
        app_text_print(out, "<p>There is none yet: ");
        app_report_name(out, app_outcome_name(s->definition, 0));
        app_text_print(out, " has not been measured.</p>\n");
    }
    app_text_print(out, "</section>\n");
    return CKG_OK;
}
