/* ckg model: the fitted hyperparameters of every outcome. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"
#include "api/shapes.h"
#include "actions/models.h"

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
static void print_kind(const struct app_definition *d, const char *name, const ckg_model_info *m)
{
    app_say("%s: kernel %s, fit %s", name, m->kernel, m->fit);
    if (m->samples > 1)
        app_say(" (the first of %d samples)", m->samples);
    app_say(", scale %s, %d observation%s%s\n", scale_of(m), m->observations, m->observations == 1 ? "" : "s",
            m->linear ? ", linear part" : "");
    if (m->repeats)
        app_say("  %s %s: the two count once\n", m->shared ? "repeats" : "nearly repeats",
                app_outcome_name(d, m->repeats));
}

static void print_model(const struct app_definition *d, const char *name, const ckg_model_info *m)
{
    if (!m->observations) {
        app_say("%s: not measured yet\n", name);
        return;
    }

    print_kind(d, name, m);
    if (!strcmp(m->scale, "probit"))
        app_say("  yes with probability %.3g where nothing is known, signal sd %.4g, log likelihood %.6g\n",
                m->mean, m->signal_sd, m->log_likelihood);
    else
        app_say("  mean %.5g, signal sd %.4g, noise sd %.4g, log likelihood %.6g\n", m->mean, m->signal_sd,
                m->noise_sd, m->log_likelihood);
    if (m->noise_varies)
        app_say("  the noise varies over the space: from sd %.4g to %.4g at the designs\n", m->noise_low,
                m->noise_high);
    if (m->absurd)
        app_say("  absurdly far out, and counted as nearer: the values at %d design%s\n", m->absurd,
                m->absurd > 1 ? "s" : "");

    if (m->widening > 1)
        app_say("  too sure of its latest predictions: standard deviations are widened by a factor of %.3g\n",
                m->widening);

    app_say("  lengthscales in the unit cube:");
    for (int i = 0; i < app_dimension(d); i++)
        app_say(" %s %.3g", app_parameter_name(d, i), m->lengthscales[i]);
    app_say("\n");
}

static void print_text(const struct app_definition *d, const ckg_model_info *models, double penalty)
{
    for (int j = 0; j <= app_constraints(d); j++)
        print_model(d, app_outcome_title(d, j), &models[j]);
    if (!isnan(penalty))
        app_say("penalty M: %.6g\n", penalty);
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    const struct app_definition *d = &n->definition;
    struct app_fitted fitted;
    struct app_text line = {0};
    int status = app_fitted_find(&fitted, n);

    if (!status && a->json) {
        app_models_write(d, fitted.models, fitted.penalty, &line);
        status = app_print(a, &line);
    } else if (!status)
        print_text(d, fitted.models, fitted.penalty);
    app_fitted_free(&fitted);
    return status;
}

const struct app_work app_command_model = {
    .usage = "STUDY",
    .about =
        "With --json: the model of each outcome by the outcome's name, and the penalty M as `penalty`, or\n"
        "as `penalty_M` where an outcome is called `penalty`.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .run_study = run,
};
