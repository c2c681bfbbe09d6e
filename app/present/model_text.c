/* Models, effects and predictions as sentences and bars. */
#include "present/model_text.h"

#include <math.h>
#include <string.h>

#include "actions/effects.h"
#include "actions/models.h"
#include "base/markup.h"
#include "present/nearest.h"
#include "present/numbers.h"

/* --- models --- */

/* The scale in words. */
static const char *scale_of(const ckg_model_info *m)
{
    if (!strcmp(m->scale, "log"))
        return "logarithm";
    if (!strcmp(m->scale, "probit"))
        return "probit (yes or no)";
    return strcmp(m->scale, "asinh") ? "as it is" : "asinh (tails drawn in)";
}

/*
 * The kernel, how it was fitted, on which scale, to how much, and whether there is a linear part beside it;
 * and whether it counts together with another.
 */
static void add_kind(const struct app_definition *d, const char *name, const ckg_model_info *m,
                     struct app_text *out)
{
    app_text_print(out, "%s: kernel %s, fit %s", name, m->kernel, m->fit);
    if (m->samples > 1)
        app_text_print(out, " (the first of %d samples)", m->samples);
    app_text_print(out, ", scale %s, %d observation%s%s\n", scale_of(m), m->observations,
                   m->observations == 1 ? "" : "s", m->linear ? ", linear part" : "");
    if (m->duplicate_of)
        app_text_print(out, "  %s %s: the two count once\n", m->is_duplicate ? "repeats" : "nearly repeats",
                       app_outcome_name(d, m->duplicate_of));
}

static void add_model(const struct app_definition *d, const char *name, const ckg_model_info *m,
                      struct app_text *out)
{
    if (!m->observations) {
        app_text_print(out, "%s: not measured yet\n", name);
        return;
    }

    add_kind(d, name, m, out);
    if (!strcmp(m->scale, "probit"))
        app_text_print(out, "  yes with probability %.3g where nothing is known, signal sd %.4g", m->mean,
                       m->signal_sd);
    else
        app_text_print(out, "  mean %.5g, signal sd %.4g, noise sd %.4g", m->mean, m->signal_sd, m->noise_sd);
    app_text_print(out, ", log likelihood %.6g\n", m->log_likelihood);
    if (m->noise_varies)
        app_text_print(out, "  the noise varies over the space: from sd %.4g to %.4g at the designs\n",
                       m->noise_low, m->noise_high);
    if (m->outliers)
        app_text_print(out, "  absurdly far out, and counted as nearer: the values at %d design%s\n",
                       m->outliers, m->outliers > 1 ? "s" : "");
    if (m->inflation > 1)
        app_text_print(
            out,
            "  too sure of its latest predictions: standard deviations are widened by a factor of %.3g\n",
            m->inflation);

    app_text_print(out, "  lengthscales in the unit cube:");
    for (int i = 0; i < app_dimension(d); i++)
        app_text_print(out, " %s %.3g", app_parameter_name(d, i), m->lengthscales[i]);
    app_text_print(out, "\n");
}

int app_models_text(struct app_study *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    struct app_fitted fitted;
    const int status = app_fitted_find(&fitted, n);

    for (int j = 0; !status && j <= app_constraints(d); j++)
        add_model(d, app_outcome_at(d, j).title, &fitted.models[j], out);
    if (!status && !isnan(fitted.penalty))
        app_text_print(out, "penalty M: %.6g\n", fitted.penalty);
    app_fitted_free(&fitted);
    return status;
}

/* --- importance --- */

static const double negligible = 0.01;

/* A bar of that share of 20 blocks, in halves. */
static void add_bar(double share, struct app_text *out)
{
    const int halves = (int)lround(40 * share);

    for (int i = 0; i < halves / 2; i++)
        app_text_print(out, "█");
    app_text_print(out, "%s\n", halves % 2 ? "▌" : "");
}

/* One outcome, the parameters that matter most first; those that hardly do in one line. */
static void add_effects(const struct app_definition *d, const struct app_importance *im, int outcome,
                        struct app_text *out)
{
    const int count = app_dimension(d);
    const struct app_effect *effect = app_importance_of(im, outcome);
    int order[CKG_MAX_PARAMETERS];
    int column = 0;
    int shown = 0;

    app_text_print(out, "%s%s\n", app_outcome_name(d, outcome),
                   isnan(effect[0].total) ? ": not measured yet" : ":");
    if (isnan(effect[0].total))
        return;

    app_importance_order(effect, count, order);
    while (shown < count && (!shown || effect[order[shown]].total >= negligible))
        shown++;
    for (int k = 0; k < shown; k++)
        column = (int)fmax(column, app_columns(app_parameter_name(d, order[k])));

    for (int k = 0; k < shown; k++) {
        const struct app_effect *e = &effect[order[k]];
        app_text_print(out, "  ");
        app_columns_add(out, app_parameter_name(d, order[k]), column);
        app_text_print(out, "  %.2f  (%.2f … %.2f)  ", e->total, e->low, e->high);
        add_bar(e->total, out);
    }
    if (shown < count)
        app_text_print(out, "  %d other%s: below %g\n", count - shown, count - shown > 1 ? "s" : "",
                       negligible);
}

int app_importance_text(struct app_study *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    struct app_importance im;
    struct app_nearest shown;
    ckg_recommendation *r = NULL;
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    /* The objective and the constraints that matter. */
    if (status)
        return status;
    status = ckg_study_recommend(engine, NULL, &r);
    if (status && status != CKG_ERR_STATE)
        return app_study_fail(n, status);
    app_nearest_choose(&shown, n, r ? r->mean : NULL, r ? r->sd : NULL);
    ckg_recommendation_free(r);

    status = app_importance_find(&im, n, engine, shown.count, shown.outcome);
    if (status)
        return status;
    for (int i = 0; i < shown.count; i++)
        add_effects(d, &im, shown.outcome[i], out);
    if (shown.others)
        app_text_print(out, "and %d other constraints, which --json has\n", shown.others);
    app_importance_free(&im);
    return CKG_OK;
}

/* --- predictions --- */

void app_prediction_text(const struct app_definition *d, const struct app_prediction *p, struct app_text *out)
{
    char number[64];

    app_design_write(d, p->x, out);
    app_text_print(out, " ");
    for (int j = 0; j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);

        if (isnan(p->mean[j]))
            app_text_print(out, " %s not measured yet,", o.name);
        else if (o.yesno)
            app_text_print(out, " %s with probability %s,", o.name, app_probability_text(p->mean[j], number));
        else
            app_text_print(out, " %s %s,", o.name, app_estimate_text(&o, p->mean[j], p->sd[j], number));
    }
    if (isnan(p->probability_feasible))
        app_text_print(out, " whether it is feasible is not known");
    else
        app_text_print(out, " feasible with probability %s",
                       app_probability_text(p->probability_feasible, number));
}
