/* Prints a recommendation: the design, what is predicted of it, and the best design evaluated. */
#include "commands/recommendation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "api/shapes.h"
#include "present/numbers.h"
#include "present/nearest.h"

/* What is printed of a recommendation, and how. */
struct sheet {
    struct app_notebook *n;
    const ckg_recommendation *r;
    int exact; /* 1: all digits of the design */
};

static void print_limits(struct app_outcome o)
{
    struct app_text text = {0};

    app_limits_text(&o, &text);
    app_say("%s", text.data ? text.data : "");
    app_text_free(&text);
}

/* The name, then blanks up to its column; a character of several bytes is one column here. */
static void print_name(const char *name)
{
    int bytes = 20;

    for (const char *c = name; *c; c++)
        bytes += ((unsigned char)*c & 0xC0) == 0x80;
    app_say("  %-*s ", bytes, name);
}

/* The design, with as few digits as will do. */
static int print_design(const struct sheet *sheet)
{
    const struct app_definition *d = &sheet->n->definition;
    const size_t size = (size_t)app_dimension(d) * sizeof(double);
    double shown[CKG_MAX_PARAMETERS];
    struct app_text text = {0};
    int status = CKG_OK;

    memcpy(shown, sheet->r->x, size);
    if (!sheet->exact)
        status = app_design_shorten(sheet->n, sheet->r->x, shown);
    for (int i = 0; !status && i < app_dimension(d); i++) {
        print_name(app_parameter_at(d, i).title);
        text.length = 0;
        app_design_write_text(d, i, shown[i], &text);
        app_say("%s\n", text.data ? text.data : "");
    }
    app_text_free(&text);

    /* What every design has in common. */
    for (int i = 0; !status && i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];

        print_name(fixed->label.title ? fixed->label.title : fixed->name);
        app_say("%s (fixed)\n", fixed->text);
    }
    for (int i = 0; !status && i < d->carried_count && app_listed(d, sheet->r->x) >= 0; i++) {
        print_name(d->carried[i].name);
        app_say("%s\n", app_carried_text(d, i, sheet->r->x));
    }
    return status;
}

/* 1 when there was no time for the models: what was measured is all that is known of it. */
static int is_hurried(const ckg_recommendation *r)
{
    return !r->measured && !isnan(r->mean[0]) && isnan(r->sd[0]);
}

/* What an outcome is: a fact, a prediction, or not known. */
/* 1 when that outcome was measured at the design, without noise: the others need not have been. */
static int is_fact(const ckg_recommendation *r, int j)
{
    return r->measured || r->sd[j] == 0;
}

/* 1 when some of it are facts, and some predictions. */
static int is_mixed(const struct sheet *sheet)
{
    int facts = 0;
    const int outcomes = 1 + app_constraints(&sheet->n->definition);

    for (int j = 0; j < outcomes; j++)
        facts += is_fact(sheet->r, j);
    return facts && facts < outcomes;
}

static void print_outcome(const struct sheet *sheet, int j)
{
    const struct app_outcome o = app_outcome_at(&sheet->n->definition, j);
    const ckg_recommendation *r = sheet->r;
    const int fact = is_fact(r, j);
    char number[32];
    char probability[32];

    print_name(app_outcome_title(&sheet->n->definition, j));
    if (isnan(r->mean[j]))
        app_say("not measured yet");
    else if (fact)
        app_say("%s%s", app_value_text(&o, r->mean[j], 6, number), j ? ", met" : "");
    else if (is_hurried(r))
        app_say("%s", app_value_text(&o, r->mean[j], 6, number));
    else if (!o.yesno)
        app_say("%s ± %.2g", app_value_text(&o, r->mean[j], 6, number), r->sd[j]);
    if (o.yesno && !isnan(r->mean[j]) && !fact)
        app_say("yes with probability %s", app_probability_text(r->probability[j - 1], probability));
    else if (j && !isnan(r->probability[j - 1]) && !fact)
        app_say(", met with probability %s", app_probability_text(r->probability[j - 1], probability));
    if (j) {
        app_say(" (");
        print_limits(o);
        app_say(")");
    }
    app_say("\n");
}

static void print_prediction(const struct sheet *sheet)
{
    const struct app_definition *d = &sheet->n->definition;
    const ckg_recommendation *r = sheet->r;
    struct app_nearest shown;
    char probability[32];

    /* The objective, and the constraints that matter. */
    app_say("%s:\n", r->measured || is_hurried(r) ? "measured"
                     : is_mixed(sheet)            ? "measured, and predicted where there is a ±"
                                                  : "predicted");
    app_nearest_choose(&shown, sheet->n, r->mean, r->sd);
    for (int i = 0; i < shown.count; i++)
        print_outcome(sheet, shown.outcome[i]);

    /* The others in one line. */
    const double least = app_nearest_others(&shown, d, r->probability);
    if (shown.others && isnan(least))
        app_say("  %d others, not measured yet\n", shown.others);
    else if (shown.others)
        app_say("  %d others, farther from their limits; the least sure is met with probability %s\n",
                shown.others, app_probability_text(least, probability));
}

/* 1 when the probability also says whether the evaluation would succeed at all. */
static int counts_failures(const struct app_notebook *n, const ckg_recommendation *r)
{
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    return r->probability_feasible < 1 && tally[APP_FAILED_TRIAL] && !strcmp(n->definition.failures, "model");
}

/* Where nothing is likely to be feasible: which limit is the hardest, and how near to it one comes. */
static void print_hardest(const struct sheet *sheet)
{
    const ckg_recommendation *r = sheet->r;
    const struct app_outcome o = app_outcome_at(&sheet->n->definition, r->hardest);
    char number[32];

    app_say("no design is likely to be feasible; this one is expected to break the limits least\n");
    app_say("the hardest limit is %s ", o.name);
    print_limits(o);
    if (o.yesno) {
        app_say(", with probability %s at best\n", app_probability_text(r->mean[r->hardest], number));
        return;
    }
    app_say(": it comes as near as %s ± %.2g\n", app_value_text(&o, r->mean[r->hardest], 6, number),
            r->sd[r->hardest]);
}

/* How likely it is to be feasible, or why nobody can say. */
static void print_feasible(const struct sheet *sheet)
{
    const ckg_recommendation *r = sheet->r;
    struct app_text why = {0};
    char probability[32];

    if (r->measured) {
        app_say("feasible, as measured in trial %d\n", r->trial + 1);
        return;
    }
    if (is_hurried(r)) {
        app_say("it measured feasible; what the models say of it takes longer than the time limit\n");
        return;
    }
    if (!isnan(r->probability_feasible)) {
        app_say("feasible with probability %s%s\n",
                app_probability_text(r->probability_feasible, probability),
                counts_failures(sheet->n, r) ? ", including that its evaluation succeeds" : "");
        return;
    }
    app_notebook_unmeasured(sheet->n, 1, &why);
    app_say("whether it is feasible is not known: %s\n",
            why.data ? why.data : "there are too few values to say");
    app_text_free(&why);
}

/* What was evaluated, beside what is recommended. */
static void print_evaluated(const struct sheet *sheet)
{
    const struct app_definition *d = &sheet->n->definition;
    const struct app_trial *best = app_notebook_best(sheet->n);
    const struct app_outcome objective = app_outcome_at(d, 0);
    char number[32];

    if (best)
        app_say("best feasible design evaluated: trial %d, %s = %s\n", best->number, objective.name,
                app_value_text(&objective, app_trial_value(best, 0), 6, number));
    else
        app_say("no design evaluated so far %s feasible\n",
                isnan(sheet->r->probability_feasible) ? "is known to be" : "was");
    if (sheet->r->trial < 0)
        app_say("the recommended design has not been evaluated: evaluate it before relying on it\n");
}

/* Few results make bold models. */
static void print_caution(const ckg_recommendation *r)
{
    enum { FEW = 3 };

    if (!r->measured && r->evaluations < FEW)
        app_say("after %s this is hardly more than a guess\n",
                r->evaluations == 1 ? "one evaluation" : "two evaluations");
}

static int print_text(const struct sheet *sheet)
{
    const ckg_recommendation *r = sheet->r;

    app_say("recommended after %d evaluation%s", r->evaluations, r->evaluations == 1 ? "" : "s");
    if (r->trial >= 0)
        app_say(", the design of trial %d", r->trial + 1);
    app_say(":\n");
    const int status = print_design(sheet);
    if (status)
        return status;

    print_prediction(sheet);
    print_feasible(sheet);
    if (r->hardest)
        print_hardest(sheet);
    print_caution(r);
    print_evaluated(sheet);
    return CKG_OK;
}

int app_recommend_print(const struct app_arguments *a, struct app_notebook *n,
                        const ckg_recommend_options *how)
{
    ckg_recommendation *r;
    struct app_text line = {0};
    int status = app_notebook_recommend(n, how, &r);

    if (status)
        return status;
    if (a->json) {
        app_recommendation_write(n, r, &line);
        status = app_print(a, &line);
    } else
        status = print_text(&(struct sheet){n, r, app_option(a, "exact") != NULL});
    ckg_recommendation_free(r);
    return status;
}
