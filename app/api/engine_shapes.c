/* What the engine says as JSON: predictions and scores of designs, the fitted models. */
#include "api/shapes.h"

void app_prediction_write(const struct app_definition *d, const struct app_prediction *p,
                          struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_member(out, "parameters");
    app_design_write(d, p->x, out);

    app_json_open(out, "outcomes", '{');
    for (int j = 0; j <= app_constraints(d); j++) {
        app_json_open(out, app_outcome_name(d, j), '{');
        app_json_add_number(out, "mean", p->mean[j]);
        app_json_add_number(out, "sd", p->sd[j]);
        if (p->noise_sd)
            app_json_add_number(out, "noise_sd", p->noise_sd[j]);
        app_json_close(out, '}');
    }
    app_json_close(out, '}');

    app_json_add_number(out, "probability_feasible", p->probability_feasible);
    app_json_add_number(out, "utility", p->utility);
    app_json_close(out, '}');
}

void app_score_write(const struct app_definition *d, const char *policy, const double *x, double value,
                     struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_member(out, "parameters");
    app_design_write(d, x, out);
    app_json_add_string(out, "policy", policy);
    app_json_add_number(out, "value", value);
    app_json_close(out, '}');
}

static void add_model(const struct app_definition *d, const char *key, const ckg_model_info *m,
                      struct app_text *out)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"signal_sd", m->signal_sd},           {"noise_sd", m->noise_sd}, {"mean", m->mean},
                   {"log_likelihood", m->log_likelihood}, {"warp", m->warp},         {"nugget", m->nugget}};

    app_json_open(out, key, '{');
    app_json_add_string(out, "kernel", m->kernel);
    app_json_add_numbers(out, "lengthscales", app_dimension(d), m->lengthscales);
    app_json_add_integer(out, "observations", m->observations);
    app_json_add_integer(out, "samples", m->samples);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        app_json_add_number(out, numbers[i].key, numbers[i].value);
    app_json_add_string(out, "fit", m->fit);
    app_json_add_string(out, "scale", m->scale);
    app_json_add_integer(out, "absurd", m->absurd);
    app_json_add_number(out, "widening", m->widening);
    app_json_add_truth(out, "linear", m->linear);
    app_json_add_truth(out, "noise_varies", m->noise_varies);
    app_json_add_number(out, "noise_low", m->noise_low);
    app_json_add_number(out, "noise_high", m->noise_high);
    app_json_add_string(out, "repeats", m->repeats ? app_outcome_name(d, m->repeats) : NULL);
    app_json_close(out, '}');
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
    app_json_add_number(out, penalty_key(d), penalty);
    app_json_close(out, '}');
}

void app_importance_write(const struct app_definition *d, const struct app_importance *im,
                          struct app_text *out)
{
    app_json_open(out, NULL, '{');
    for (int j = 0; j < im->outcomes; j++) {
        const struct app_effect *effect = app_importance_of(im, j);

        app_json_open(out, app_outcome_name(d, j), '{');
        for (int i = 0; i < im->d; i++) {
            app_json_open(out, app_parameter_name(d, i), '{');
            app_json_add_number(out, "total", effect[i].total);
            app_json_add_number(out, "low", effect[i].low);
            app_json_add_number(out, "high", effect[i].high);
            app_json_close(out, '}');
        }
        app_json_close(out, '}');
    }
    app_json_close(out, '}');
}
