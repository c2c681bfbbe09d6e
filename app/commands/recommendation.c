/* Prints a recommendation: the design, what is predicted of it, and the best design evaluated. */
#include "commands/recommendation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json/shapes.h"
#include "show/nearest.h"

static void print_limits(struct app_outcome o)
{
    if (!isinf(o.min))
        printf(">= %g", o.min);
    if (!isinf(o.max))
        printf("%s<= %g", isinf(o.min) ? "" : " and ", o.max);
}

/* The name, then blanks up to its column; a character of several bytes is one column here. */
static void print_name(const char *name)
{
    int bytes = 20;

    for (const char *c = name; *c; c++)
        bytes += ((unsigned char)*c & 0xC0) == 0x80;
    printf("  %-*s ", bytes, name);
}

static void print_design(const struct app_definition *d, const double *x)
{
    char number[32];

    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);
        print_name(p.title);
        printf("%s\n", p.kind == CKG_CATEGORICAL ? ckg_problem_category(p.problem, p.index, (int)x[i])
                                                 : app_number(x[i], number));
    }
    for (int i = 0; i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];

        print_name(fixed->label.title ? fixed->label.title : fixed->name);
        printf("%s (fixed)\n", fixed->text);
    }
    for (int i = 0; i < d->carried_count && app_listed(d, x) >= 0; i++) {
        print_name(d->carried[i].name);
        printf("%s\n", app_carried_text(d, i, x));
    }
}

static void print_prediction(const struct app_notebook *n, const ckg_recommendation *r)
{
    const struct app_definition *d = &n->definition;
    struct app_nearest shown;

    /* The objective, and the constraints that matter. */
    app_nearest_choose(&shown, n, r->mean, r->sd);
    print_name(app_outcome_title(d, 0));
    printf("%.6g ± %.2g\n", r->mean[0], r->sd[0]);
    for (int i = 1; i < shown.count; i++) {
        const int j = shown.outcome[i];
        print_name(app_outcome_title(d, j));
        if (isnan(r->mean[j]))
            printf("not measured yet (");
        else
            printf("%.6g ± %.2g, met with probability %.4g (", r->mean[j], r->sd[j], r->probability[j - 1]);
        print_limits(app_outcome_at(d, j));
        printf(")\n");
    }

    /* The others in one line. */
    const double least = app_nearest_others(&shown, d, r->probability);
    if (shown.others && isnan(least))
        printf("  %d others, not measured yet\n", shown.others);
    else if (shown.others)
        printf("  %d others, farther from their limits; the least sure is met with probability %.4g\n",
               shown.others, least);
}

/* 1 when the probability also says whether the evaluation would succeed at all. */
static int counts_failures(const struct app_notebook *n, const ckg_recommendation *r)
{
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    return r->probability_feasible < 1 && tally[APP_FAILED_TRIAL] && !strcmp(n->definition.failures, "model");
}

/* How likely it is to be feasible, or why nobody can say. */
static void print_feasible(const struct app_notebook *n, const ckg_recommendation *r)
{
    struct app_text why = {0};

    if (!isnan(r->probability_feasible)) {
        printf("feasible with probability %.4g%s\n", r->probability_feasible,
               counts_failures(n, r) ? ", including that its evaluation succeeds" : "");
        return;
    }
    app_notebook_unmeasured(n, 1, &why);
    printf("whether it is feasible is not known: %s\n",
           why.data ? why.data : "a constraint was not measured");
    app_text_free(&why);
}

static void print_text(const struct app_notebook *n, const ckg_recommendation *r)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    char number[32];

    printf("recommended after %d evaluation%s:\n", r->evaluations, r->evaluations == 1 ? "" : "s");
    print_design(d, r->x);

    printf("predicted:\n");
    print_prediction(n, r);
    print_feasible(n, r);

    if (best)
        printf("best feasible design evaluated: trial %d, %s = %s\n", best->number, app_outcome_name(d, 0),
               app_number(app_trial_value(best, 0), number));
    else
        printf("no design evaluated so far %s feasible\n",
               isnan(r->probability_feasible) ? "is known to be" : "was");
}

int app_recommend_print(const struct app_arguments *a, struct app_notebook *n,
                        const ckg_recommend_options *how)
{
    ckg_study *engine;
    ckg_recommendation *r;
    struct app_text line = {0};
    int status = app_notebook_engine(n, &engine);

    if (status)
        return status;
    status = ckg_study_recommend(engine, how, &r);
    if (status)
        return app_notebook_fail(n, status);

    if (a->json) {
        app_recommendation_write(n, r, &line);
        status = app_print(a, &line);
    } else
        print_text(n, r);
    ckg_recommendation_free(r);
    return status;
}
