/* The report's tables: models, trials, facts. */
#include <math.h>

#include "base/memory.h"
#include "base/markup.h"
#include "report/report.h"
#include "figure/draw/ticks.h"

void app_report_selection(const struct app_show *s, struct app_text *out)
{
    if (s->outcomes.others)
        app_text_print(out,
                       "<p class=\"note\">Of %d constraints, these are the %s%d%s; <code>ckg recommend "
                       "--json</code>, <code>ckg model</code> and <code>ckg export</code> give all of "
                       "them.</p>\n",
                       app_constraints(s->definition), s->recommendation ? "" : "first ",
                       s->outcomes.count - 1,
                       s->recommendation ? " that the recommendation comes nearest to breaking" : "");
}

/* --- models --- */

static const char *const model_rows[] = {
    "kernel",    "fit",  "scale",          "observations",           "signal sd",
    "noise sd",  "mean", "log likelihood", "hyperparameter samples", "absurd values",
    "widened by"};
enum { MODEL_WORDS = 3, MODEL_ROWS = sizeof model_rows / sizeof *model_rows };

/* What stands in the row for a model: words first, then numbers. */
static const char *model_text(const ckg_model_info *m, int row, char text[64])
{
    const char *const words[MODEL_WORDS] = {m->kernel, m->fit, m->scale};
    const double numbers[MODEL_ROWS - MODEL_WORDS] = {m->observations, m->signal_sd,      m->noise_sd,
                                                      m->mean,         m->log_likelihood, m->samples,
                                                      m->outliers,     m->inflation};

    if (row < MODEL_WORDS)
        return m->observations ? words[row] : "–";
    return app_number_nice(numbers[row - MODEL_WORDS], 4, text);
}

static void add_outcome_heads(const struct app_show *s, struct app_text *out)
{
    for (int i = 0; i < s->outcomes.count; i++) {
        app_text_print(out, "<th>");
        app_report_name(out, app_outcome_name(s->definition, s->outcomes.outcome[i]));
        app_text_print(out, "</th>");
    }
}

/* One entry for each outcome; parameter >= 0: its lengthscale. */
static int add_model_row(const struct app_show *s, int row, int parameter, struct app_text *out)
{
    for (int i = 0; i < s->outcomes.count; i++) {
        ckg_model_info model;
        const int status = ckg_study_model(s->engine, s->outcomes.outcome[i], &model);
        char text[64];
        if (status)
            return app_study_fail(s->record, status);
        app_text_print(out, "<td>%s</td>",
                       parameter < 0 ? model_text(&model, row, text)
                                     : app_number_nice(model.lengthscales[parameter], 4, text));
    }
    app_text_print(out, "</tr>\n");
    return CKG_OK;
}

/* Which constraints repeat another one, in a sentence; nothing where none does. */
static int add_repeats(const struct app_show *s, struct app_text *out)
{
    enum { NAMED = 40 };
    int count = 0;

    for (int j = 1; j <= app_constraints(s->definition); j++) {
        ckg_model_info model;
        const int status = ckg_study_model(s->engine, j, &model);
        if (status)
            return app_study_fail(s->record, status);
        if (!model.duplicate_of || ++count > NAMED)
            continue;
        app_text_print(out, count > 1 ? "; " : "<p>A constraint that repeats another counts once with it: ");
        app_report_name(out, app_outcome_name(s->definition, j));
        app_text_print(out, model.is_duplicate ? " repeats " : " nearly repeats ");
        app_report_name(out, app_outcome_name(s->definition, model.duplicate_of));
    }

    if (count > NAMED)
        app_text_print(out, "; and %d more", count - NAMED);
    if (count)
        app_text_print(out, ".</p>\n");
    return CKG_OK;
}

int app_report_models(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;

    /* What they are. */
    app_text_print(out,
                   "<section id=\"models\"><h2>Models</h2>\n<p>One Gaussian process for each outcome. "
                   "Lengthscales are fractions of a parameter's range: the shorter one is, the faster the "
                   "outcome changes along that parameter.</p>\n");
    int status = add_repeats(s, out);

    /* A column for each outcome: lengthscales, then the rest. */
    app_report_selection(s, out);
    app_text_print(out, "<div class=\"wide\"><table><thead><tr><th></th>");
    add_outcome_heads(s, out);
    app_text_print(out, "</tr></thead><tbody>\n");
    for (int i = 0; !status && i < app_dimension(d); i++) {
        app_text_print(out, "<tr><td>lengthscale of ");
        app_report_name(out, app_parameter_name(d, i));
        app_text_print(out, "</td>");
        status = add_model_row(s, 0, i, out);
    }
    for (int row = 0; !status && row < MODEL_ROWS; row++) {
        app_text_print(out, "<tr><td>%s</td>", model_rows[row]);
        status = add_model_row(s, row, -1, out);
    }

    app_text_print(
        out,
        "</tbody></table></div>\n<p class=\"note\">Signal, noise and mean are in the "
        "outcome's units, whatever the scale that is modelled: the outcome as it is (linear), "
        "its logarithm (log), or with its tails drawn in (asinh). Where there are several "
        "hyperparameter samples, the first is shown. Standard deviations of a model that was "
        "too sure of its latest predictions are widened by the factor in the last row.</p>\n</section>\n");
    return status;
}

/* --- trials --- */

static void add_trial_heads(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;

    app_text_print(out,
                   "<thead><tr><th>trial</th><th class=\"left\">state</th><th class=\"left\">feasible</th>");
    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, "<th>");
        app_report_name(out, app_parameter_name(d, i));
        app_text_print(out, "</th>");
    }
    add_outcome_heads(s, out);
    app_text_print(
        out, "<th class=\"left\">origin</th><th>seconds</th><th class=\"left\">why</th></tr></thead>\n");
}

static void add_measured(const struct app_show *s, const struct app_trial *t, int outcome,
                         struct app_text *out)
{
    char text[64];

    for (int i = 0; i < t->count; i++) {
        const ckg_measurement *m = &t->measured[i];
        if (m->outcome != outcome)
            continue;
        app_report_outcome(out, app_outcome_at(s->definition, outcome), m->value);
        if (m->sd != CKG_SD_DEFAULT)
            app_text_print(out, " ± %s", app_number_nice(m->sd, 2, text));
    }
}

static void add_trial(const struct app_show *s, const struct app_trial *t, struct app_text *out)
{
    const struct app_definition *d = s->definition;
    static const char *const feasible[] = {"<span class=\"off\">–</span>", "<span class=\"no\">△ no</span>",
                                           "<span class=\"yes\">● yes</span>"};
    char text[64];

    if (s->trials_at)
        app_text_print(out, "<tr><td><a href=\"%s%d\">%d</a></td>", s->trials_at, t->number, t->number);
    else
        app_text_print(out, "<tr><td>%d</td>", t->number);
    app_text_print(out, "<td class=\"left\">%s</td><td class=\"left\">%s</td>", app_state_name(t->state),
                   feasible[t->feasible + 1]);

    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, "<td>");
        app_report_value(out, app_parameter_at(d, i), t->x[i]);
        app_text_print(out, "</td>");
    }

    for (int i = 0; i < s->outcomes.count; i++) {
        app_text_print(out, "<td>");
        add_measured(s, t, s->outcomes.outcome[i], out);
        app_text_print(out, "</td>");
    }

    app_text_print(out, "<td class=\"left\">%s</td><td>%s</td><td class=\"why\">", t->origin,
                   isnan(t->seconds) ? "" : app_number_nice(t->seconds, 3, text));
    app_markup(out, t->why ? t->why : "");
    app_text_print(out, "</td></tr>\n");
}

int app_report_trials(const struct app_show *s, struct app_text *out)
{
    const struct app_study *n = s->record;
    const int first = s->latest && n->count > s->latest ? n->count - s->latest : 0;

    app_text_print(out, "<section id=\"trials\"><h2>Trials</h2>\n");
    if (n->count) {
        app_report_selection(s, out);
        if (first)
            app_text_print(out, "<p class=\"note\">The last %d of %d.</p>\n", s->latest, n->count);
        app_text_print(out, "<div class=\"wide\"><table>");
        add_trial_heads(s, out);
        app_text_print(out, "<tbody>\n");
        for (int i = first; i < n->count; i++)
            add_trial(s, &n->trials[i], out);
        app_text_print(out, "</tbody></table></div>\n");
    } else
        app_text_print(out, "<p>There are none yet.</p>\n");
    app_text_print(out, "</section>\n");
    return CKG_OK;
}

/* --- facts --- */

static void add_description(const struct app_label *label, struct app_text *out)
{
    if (!label->description)
        return;
    app_text_print(out, "<br>");
    app_markup(out, label->description);
}

static void add_parameter(struct app_parameter p, struct app_text *out)
{
    char low[64];
    char high[64];

    app_text_print(out, "<tr><td>");
    app_report_name(out, p.title);
    app_text_print(out, "</td><td class=\"left\">%s</td><td class=\"why\">", app_kind_names[p.kind]);

    if (p.kind != CKG_CATEGORICAL)
        app_text_print(out, "%s … %s%s", app_number_nice(p.low, 6, low), app_number_nice(p.high, 6, high),
                       p.scale == CKG_LOG ? ", logarithmic" : "");
    if (p.kind == CKG_REAL ? p.step > 0 : p.step > 1)
        app_text_print(out, " in steps of %s", app_number(p.step, low));
    for (int k = 0; p.kind == CKG_CATEGORICAL && k < p.count; k++) {
        app_text_print(out, k ? ", " : "");
        app_markup(out, ckg_problem_category(p.problem, p.index, k));
    }
    add_description(&p.label, out);
    app_text_print(out, "</td></tr>\n");
}

static void add_fixed(const struct app_fixed *f, struct app_text *out)
{
    app_text_print(out, "<tr><td>");
    app_report_name(out, f->label.title ? f->label.title : f->name);
    app_text_print(out, "</td><td class=\"left\">fixed</td><td class=\"why\">");
    app_markup(out, f->value.text);
    add_description(&f->label, out);
    app_text_print(out, "</td></tr>\n");
}

static void add_outcome(const struct app_definition *d, int j, struct app_text *out)
{
    const struct app_outcome o = app_outcome_at(d, j);
    char sd[64];

    app_text_print(out, "<tr><td>");
    app_report_name(out, o.title);
    app_text_print(out, "</td><td class=\"left\">%s</td><td class=\"left\">", j ? "constraint" : "objective");
    if (j)
        app_report_limits(out, o);
    else
        app_text_print(out, "%s", ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "maximize" : "minimize");

    if (o.yesno)
        app_text_print(out, ", an answer");
    else if (o.noise == CKG_NOISE_KNOWN)
        app_text_print(out, ", noise of standard deviation %s", app_number_nice(o.sd, 4, sd));
    else
        app_text_print(out, ", noise %s",
                       o.noise == CKG_NOISE_NONE      ? "none"
                       : o.noise == CKG_NOISE_VARYING ? "estimated, varying over the space"
                                                      : "estimated");
    if (o.positive)
        app_text_print(out, ", positive");
    add_description(&o.label, out);
    app_text_print(out, "</td></tr>\n");
}

static void add_fact(struct app_text *out, const char *what, const char *text)
{
    app_text_print(out, "<tr><td>%s</td><td class=\"why\">", what);
    app_markup(out, text);
    app_text_print(out, "</td></tr>\n");
}

static void add_number_fact(struct app_text *out, const char *what, double value)
{
    char text[32];

    add_fact(out, what, app_number(value, text));
}

static void add_command(int count, char *const *command, struct app_text *out)
{
    app_text_print(out, "<tr><td>command</td><td class=\"why\">");
    for (int i = 0; i < count; i++) {
        app_text_print(out, "%s<code>", i ? " " : "");
        app_markup(out, command[i]);
        app_text_print(out, "</code>");
    }
    app_text_print(out, "</td></tr>\n");
}

static void add_commands(const struct app_evaluate *e, struct app_text *out)
{
    if (!e->part_count)
        add_command(e->count, e->command, out);
    for (int i = 0; i < e->part_count; i++)
        add_command(e->parts[i].count, e->parts[i].command, out);
}

/* The settings of the models that are not left to the library. */
static void add_model_facts(const struct app_definition *d, struct app_text *out)
{
    ckg_option_info info;

    for (int i = 0; !ckg_option_at(i, &info); i++)
        if (d->model[i])
            add_fact(out, info.name, d->model[i]);
}

static void add_study_facts(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;
    double penalty;

    app_text_print(out, "<div class=\"wide\"><table><tbody>\n");
    if (s->record->file)
        add_fact(out, "problem file", s->record->file);
    if (s->record->url)
        add_fact(out, "store", s->record->url);

    /* How it chooses. */
    add_fact(out, "policy", d->policy);
    for (int i = 0; i < d->settings_count; i++)
        add_number_fact(out, d->settings[i].name, d->settings[i].value);
    add_number_fact(out, "seed", (double)s->record->seed);
    if (d->budget)
        add_number_fact(out, "budget", d->budget);
    if (d->initial >= 0)
        add_number_fact(out, "initial designs", d->initial);
    add_fact(out, "failures", d->failures);
    add_model_facts(d, out);

    if (s->recommendation && !app_memory_note(ckg_study_penalty(s->engine, &penalty)))
        add_number_fact(out, "penalty M", penalty);
    if (d->evaluate.count)
        add_commands(&d->evaluate, out);

    add_fact(out, "ckg", ckg_version());
    app_text_print(out, "</tbody></table></div>\n");
}

static void add_rules(const struct app_definition *d, struct app_text *out)
{
    for (int i = 0; i < ckg_problem_rules(d->problem); i++) {
        app_text_print(out, i ? ", <code>" : "<p>No design that is chosen breaks a rule: <code>");
        app_markup(out, ckg_problem_rule(d->problem, i));
        app_text_print(out, "</code>");
    }
    if (ckg_problem_rules(d->problem))
        app_text_print(out, ".</p>\n");
}

int app_report_facts(const struct app_show *s, struct app_text *out)
{
    const struct app_definition *d = s->definition;

    app_text_print(out, "<section id=\"study\"><h2>Study</h2>\n<div "
                        "class=\"wide\"><table><thead><tr><th>name</th><th class=\"left\">kind</th>"
                        "<th class=\"left\">range, limits</th></tr></thead><tbody>\n");
    for (int i = 0; i < app_dimension(d); i++)
        add_parameter(app_parameter_at(d, i), out);
    for (int i = 0; i < d->fixed_count; i++)
        add_fixed(&d->fixed[i], out);
    for (int j = 0; j <= app_constraints(d); j++)
        add_outcome(d, j, out);
    app_text_print(out, "</tbody></table></div>\n");
    add_rules(d, out);
    add_study_facts(s, out);
    app_text_print(out, "</section>\n");
    return CKG_OK;
}
