/* A recommendation in words. */
#include "present/recommended.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/markup.h"
#include "present/nearest.h"
#include "present/numbers.h"

void app_recommended_heading(const ckg_recommendation *r, struct app_text *out)
{
    app_text_print(out, "recommended after %d evaluation%s", r->evaluations, r->evaluations == 1 ? "" : "s");
    if (r->trial >= 0)
        app_text_print(out, ", the design of trial %d", r->trial + 1);
}

/* --- its outcomes --- */

/* 1 when there was no time for the models: what was measured is all that is known of it. */
static int is_hurried(const ckg_recommendation *r)
{
    return !r->measured && !isnan(r->mean[0]) && isnan(r->sd[0]);
}

/* 1 when that outcome was measured at the design, without noise: the others need not have been. */
static int is_fact(const ckg_recommendation *r, int outcome)
{
    return r->measured || r->sd[outcome] == 0;
}

const char *app_recommended_ground(const struct app_definition *d, const ckg_recommendation *r)
{
    const int outcomes = 1 + app_constraints(d);
    int facts = 0;

    for (int j = 0; j < outcomes; j++)
        facts += is_fact(r, j);
    if (r->measured || is_hurried(r))
        return "measured";
    return facts && facts < outcomes ? "measured, and predicted where there is a ±" : "predicted";
}

void app_recommended_outcome(const struct app_definition *d, const ckg_recommendation *r, int j,
                             struct app_recommended_outcome *out)
{
    const struct app_outcome o = app_outcome_at(d, j);
    const int fact = is_fact(r, j);
    char text[64];

    out->value[0] = out->met[0] = '\0';
    if (isnan(r->mean[j])) {
        strcpy(out->value, "not measured yet");
        return;
    }

    /* Its value; an answer that is predicted is a probability alone. */
    if (fact || is_hurried(r))
        strcpy(out->value, app_value_text(&o, r->mean[j], 6, text));
    else if (!o.yesno)
        strcpy(out->value, app_estimate_text(&o, r->mean[j], r->sd[j], text));

    /* Whether its limits are met. */
    const int met = o.yesno ? r->mean[j] > 0.5 : r->mean[j] >= o.min && r->mean[j] <= o.max;
    if (fact)
        strcpy(out->met, !j ? "" : met ? "met" : "not met");
    else if (j && !isnan(r->probability[j - 1]))
        snprintf(out->met, sizeof out->met, "%s with probability %s", o.yesno ? "yes" : "met",
                 app_probability_text(r->probability[j - 1], text));
}

/* --- whether it is feasible --- */

/* 1 when the probability also says whether the evaluation would succeed at all. */
static int counts_failures(const struct app_study *n, const ckg_recommendation *r)
{
    int tally[APP_STATES];

    app_study_tally(n, tally);
    return r->probability_feasible < 1 && tally[APP_FAILED_TRIAL] && !strcmp(n->definition.failures, "model");
}

void app_recommended_feasible(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    struct app_text why = {0};
    char probability[32];

    if (r->measured)
        app_text_print(out, "feasible, as measured in trial %d", r->trial + 1);
    else if (is_hurried(r))
        app_text_print(out,
                       "it measured feasible; what the models say of it takes longer than the time limit");
    else if (!isnan(r->probability_feasible))
        app_text_print(out, "feasible with probability %s%s",
                       app_probability_text(r->probability_feasible, probability),
                       counts_failures(n, r) ? ", including that its evaluation succeeds" : "");
    else {
        app_study_unmeasured(n, 1, &why);
        app_text_print(out, "whether it is feasible is not known: %s",
                       why.data ? why.data : "there are too few values to say");
    }
    app_text_free(&why);
}

void app_recommended_best(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    const struct app_trial *best = app_study_best(n);
    const struct app_outcome objective = app_outcome_at(&n->definition, 0);
    char number[32];

    if (best)
        app_text_print(out, "best feasible design evaluated: trial %d, %s = %s", best->number, objective.name,
                       app_value_text(&objective, app_trial_value(best, 0), 6, number));
    else
        app_text_print(out, "no design evaluated so far %s feasible",
                       isnan(r->probability_feasible) ? "is known to be" : "was");
}

/* --- advice --- */

/* Which limit is the hardest, and how near to it one comes. */
static void add_hardest(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    const struct app_outcome o = app_outcome_at(&n->definition, r->most_violated);
    char number[64];

    app_text_print(out,
                   "no design is likely to be feasible; this one is expected to break the limits least\n"
                   "the hardest limit is %s ",
                   o.name);
    app_limits_text(&o, out);
    if (o.yesno)
        app_text_print(out, ", with probability %s at best\n",
                       app_probability_text(r->mean[r->most_violated], number));
    else
        app_text_print(out, ": it comes as near as %s\n",
                       app_estimate_text(&o, r->mean[r->most_violated], r->sd[r->most_violated], number));
}

void app_recommended_advice(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    enum { FEW = 3 };

    if (r->most_violated)
        add_hardest(n, r, out);
    if (!r->measured && r->evaluations < FEW) /* few results make bold models */
        app_text_print(out, "after %s this is hardly more than a guess\n",
                       r->evaluations == 1 ? "one evaluation" : "two evaluations");
    if (r->trial < 0)
        app_text_print(out,
                       "the recommended design has not been evaluated: evaluate it before relying on it\n");
}

/* --- all of it --- */

/* The name on its line, up to where its value stands. */
static void add_name(const char *name, struct app_text *out)
{
    app_text_print(out, "  ");
    app_columns_add(out, name, 20);
    app_text_print(out, " ");
}

static int add_design(struct app_study *n, const ckg_recommendation *r, int exact, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    double shown[CKG_MAX_PARAMETERS];
    int status = CKG_OK;

    memcpy(shown, r->x, (size_t)app_dimension(d) * sizeof *shown);
    if (!exact)
        status = app_design_shorten(n, r->x, shown);
    for (int i = 0; !status && i < app_dimension(d); i++) {
        add_name(app_parameter_at(d, i).title, out);
        app_design_write_text(d, i, shown[i], out);
        app_text_print(out, "\n");
    }

    /* What every design has in common, and what is carried along with this one. */
    for (int i = 0; i < d->fixed_count; i++) {
        add_name(d->fixed[i].label.title ? d->fixed[i].label.title : d->fixed[i].name, out);
        app_text_print(out, "%s (fixed)\n", d->fixed[i].value.text);
    }
    for (int i = 0; i < d->carried_count && app_listed(d, r->x) >= 0; i++) {
        add_name(d->carried[i].name, out);
        app_text_print(out, "%s\n", app_carried_text(d, i, r->x));
    }
    return status;
}

/* Outcome j: what it is, whether its limits are met, and which they are. */
static void add_outcome(const struct app_definition *d, const ckg_recommendation *r, int j,
                        struct app_text *out)
{
    const struct app_outcome o = app_outcome_at(d, j);
    struct app_recommended_outcome said;

    app_recommended_outcome(d, r, j, &said);
    add_name(app_outcome_at(d, j).title, out);
    app_text_print(out, "%s%s%s", said.value, *said.value && *said.met ? ", " : "", said.met);
    if (j) {
        app_text_print(out, " (");
        app_limits_text(&o, out);
        app_text_print(out, ")");
    }
    app_text_print(out, "\n");
}

/* The objective and the constraints that matter, and the others in one line. */
static void add_outcomes(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    struct app_nearest shown;
    char probability[32];

    app_nearest_choose(&shown, n, r->mean, r->sd);
    for (int i = 0; i < shown.count; i++)
        add_outcome(&n->definition, r, shown.outcome[i], out);

    const double least = app_nearest_others(&shown, &n->definition, r->probability);
    if (shown.others && isnan(least))
        app_text_print(out, "  %d others, not measured yet\n", shown.others);
    else if (shown.others)
        app_text_print(out,
                       "  %d others, farther from their limits; the least sure is met with probability %s\n",
                       shown.others, app_probability_text(least, probability));
}

int app_recommended_text(struct app_study *n, const ckg_recommendation *r, int exact, struct app_text *out)
{
    /* The design. */
    app_recommended_heading(r, out);
    app_text_print(out, ":\n");
    const int status = add_design(n, r, exact, out);

    /* What is known of it. */
    app_text_print(out, "%s:\n", app_recommended_ground(&n->definition, r));
    add_outcomes(n, r, out);
    app_recommended_feasible(n, r, out);
    app_text_print(out, "\n");
    app_recommended_best(n, r, out);
    app_text_print(out, "\n");
    app_recommended_advice(n, r, out);
    return status;
}
