/* What the engine says as JSON: predictions and scores of designs, the fitted models. */
#include "api/shapes.h"

void app_prediction_write(const struct app_definition *d, const struct app_prediction *p,
                          struct app_text *out)
{
    app_json_print(out, "{parameters:");
    app_design_write(d, p->x, out);
    app_json_open(out, "outcomes", '{');
    for (int j = 0; j <= app_constraints(d); j++) {
        app_json_print(out, "%s:{mean:%g sd:%g", app_outcome_name(d, j), p->mean[j], p->sd[j]);
        if (p->noise_sd)
            app_json_add_number(out, "noise_sd", p->noise_sd[j]);
        app_json_close(out, '}');
    }
    app_json_print(out, "} probability_feasible:%g utility:%g}", p->probability_feasible, p->utility);
}

void app_score_write(const struct app_definition *d, const char *policy, const double *x, double value,
                     struct app_text *out)
{
    app_json_print(out, "{parameters:");
    app_design_write(d, x, out);
    app_json_print(out, "policy:%s value:%g}", policy, value);
}

static void add_model(const struct app_definition *d, const char *key, const ckg_model_info *m,
                      struct app_text *out)
{
    app_json_print(out, "%s:{kernel:%s", key, m->kernel);
    app_json_add_numbers(out, "lengthscales", app_dimension(d), m->lengthscales);
    app_json_print(out,
                   "observations:%d samples:%d signal_sd:%g noise_sd:%g mean:%g log_likelihood:%g warp:%g "
                   "nugget:%g",
                   m->observations, m->samples, m->signal_sd, m->noise_sd, m->mean, m->log_likelihood,
                   m->warp, m->nugget);
    app_json_print(out, "fit:%s scale:%s outliers:%d inflation:%g linear:%i", m->fit, m->scale, m->outliers,
                   m->inflation, m->linear);
    app_json_print(out, "noise_varies:%i noise_low:%g noise_high:%g duplicate_of:%s}", m->noise_varies,
                   m->noise_low, m->noise_high,
                   m->duplicate_of ? app_outcome_name(d, m->duplicate_of) : NULL);
}

/* What M is called where an outcome has its name. */
static const char *penalty_key(const struct app_definition *d)
{
    static const char *const keys[] = {"penalty", "penalty_M", "penalty_M_"};
    int i = 0;

    while (i < 2 && ckg_problem_outcome_find(d->problem, keys[i]) >= 0)
        i++;
    return keys[i];
}

void app_models_write(const struct app_definition *d, const ckg_model_info *models, double penalty,
                      struct app_text *out)
{
    app_json_open(out, NULL, '{');
    for (int j = 0; j <= app_constraints(d); j++)
        add_model(d, app_outcome_name(d, j), &models[j], out);
    app_json_print(out, "%s:%g}", penalty_key(d), penalty);
}

void app_importance_write(const struct app_definition *d, const struct app_importance *im,
                          struct app_text *out)
{
    app_json_open(out, NULL, '{');
    for (int j = 0; j < im->outcomes; j++) {
        const struct app_effect *effect = app_importance_of(im, j);

        app_json_open(out, app_outcome_name(d, j), '{');
        for (int i = 0; i < im->d; i++)
            app_json_print(out, "%s:{total:%g low:%g high:%g}", app_parameter_name(d, i), effect[i].total,
                           effect[i].low, effect[i].high);
        app_json_close(out, '}');
    }
    app_json_close(out, '}');
}
