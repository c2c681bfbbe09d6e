/* ckg importance: what each parameter matters for each outcome. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"
#include "command.h"
#include "api/shapes.h"
#include "actions/effects.h"
#include "base/markup.h"
#include "present/nearest.h"

static const double negligible = 0.01;

/* The name, then blanks up to that column. */
static void print_name(const char *name, int column)
{
    app_say("  %s%*s", name, app_columns(name) < column ? column - app_columns(name) : 0, "");
}

/* A bar of that share of 20 blocks, in halves. */
static void print_bar(double share)
{
    const int halves = (int)lround(40 * share);

    for (int i = 0; i < halves / 2; i++)
        app_say("█");
    app_say("%s\n", halves % 2 ? "▌" : "");
}

/* One outcome, the parameters that matter most first; those that hardly do in one line. */
static void print_outcome(const struct app_definition *d, const struct app_importance *im, int outcome)
{
    const int count = app_dimension(d);
    const struct app_effect *effect = app_importance_of(im, outcome);
    int order[CKG_MAX_PARAMETERS];
    int column = 0;
    int shown = 0;

    app_say("%s%s\n", app_outcome_name(d, outcome), isnan(effect[0].total) ? ": not measured yet" : ":");
    if (isnan(effect[0].total))
        return;

    app_importance_order(effect, count, order);
    while (shown < count && (!shown || effect[order[shown]].total >= negligible))
        shown++;
    for (int k = 0; k < shown; k++)
        column = app_columns(app_parameter_name(d, order[k])) > column
                     ? app_columns(app_parameter_name(d, order[k]))
                     : column;

    for (int k = 0; k < shown; k++) {
        const struct app_effect *e = &effect[order[k]];
        print_name(app_parameter_name(d, order[k]), column);
        app_say("  %.2f  (%.2f … %.2f)  ", e->total, e->low, e->high);
        print_bar(e->total);
    }
    if (shown < count)
        app_say("  %d other%s: below %g\n", count - shown, count - shown > 1 ? "s" : "", negligible);
}

/* The objective and the constraints that matter. */
static int print_text(struct app_notebook *n, ckg_study *engine)
{
    const struct app_definition *d = &n->definition;
    struct app_importance im;
    struct app_nearest shown;
    ckg_recommendation *r = NULL;
    int status = ckg_study_recommend(engine, NULL, &r);

    if (status && status != CKG_ERR_STATE)
        return app_notebook_fail(n, status);
    app_nearest_choose(&shown, n, r ? r->mean : NULL, r ? r->sd : NULL);
    ckg_recommendation_free(r);

    status = app_importance_find(&im, n, engine, shown.count, shown.outcome);
    if (status)
        return status;
    for (int i = 0; i < shown.count; i++)
        print_outcome(d, &im, shown.outcome[i]);
    if (shown.others)
        app_say("and %d other constraints, which --json has\n", shown.others);
    app_importance_free(&im);
    return CKG_OK;
}

static int print_json(const struct app_arguments *a, struct app_notebook *n, ckg_study *engine)
{
    struct app_importance im;
    struct app_text line = {0};
    const int status = app_importance_find(&im, n, engine, 0, NULL);

    if (status)
        return status;
    app_importance_write(&n->definition, &im, &line);
    app_importance_free(&im);
    return app_print(a, &line);
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    ckg_study *engine;
    const int status = app_notebook_engine(n, &engine);

    if (status)
        return status;
    return a->json ? print_json(a, n, engine) : print_text(n, engine);
}

const struct app_work app_command_importance = {
    .usage = "STUDY",
    .about = "For every outcome, the share of its variation over all designs that would be left if all\n"
             "other parameters were known (total effects, Sobol's indices): 0, it does not depend on the\n"
             "parameter; 1, on nothing else. Parameters that act together count for each of them, so the\n"
             "sum may exceed 1. In brackets, where nine of ten functions lie that the models hold possible.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .run_study = run,
};
