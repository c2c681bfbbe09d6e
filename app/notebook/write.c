/* Trials and recommendations as JSON, in the shapes that scripts rely on. */
#include "notebook/notebook.h"

static void write_string_or_null(struct app_text *out, const char *string)
{
    if (string)
        app_json_string(out, string);
    else
        app_text_print(out, "null");
}

void app_trial_write(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    app_text_print(out, "{\"trial\": %d, \"state\": \"%s\", \"parameters\": ", t->number,
                   app_state_name(t->state));
    app_design_write(d, t->x, out);
    app_text_print(out, ", \"values\": ");
    app_outcomes_write(d, t->count, t->measured, out);
    app_text_print(out, ", \"feasible\": %s, \"origin\": \"%s\", \"seconds\": ",
                   t->feasible < 0 ? "null"
                   : t->feasible   ? "true"
                                   : "false",
                   t->origin);
    app_json_number(out, t->seconds);
    app_text_print(out, ", \"why\": ");
    write_string_or_null(out, t->why);
    app_text_print(out, "}");
}

static void write_best(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    int first = 1;
    app_text_print(out, "{\"trial\": %d, \"parameters\": ", t->number);
    app_design_write(d, t->x, out);
    app_text_print(out, ", \"objective\": ");
    app_json_number(out, app_trial_value(t, 0));
    app_text_print(out, ", \"constraints\": {");
    for (int j = 1; j <= d->K; j++) {
        app_json_key(out, d->outcomes[j].name, &first);
        app_json_number(out, app_trial_value(t, j));
    }
    app_text_print(out, "}}");
}

void app_recommendation_write(const struct app_notebook *n, const ckg_recommendation *r, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    int first = 1;
    app_text_print(out, "{\"parameters\": ");
    app_design_write(d, r->x, out);
    app_text_print(out, ", \"objective\": {\"mean\": ");
    app_json_number(out, r->mean[0]);
    app_text_print(out, ", \"sd\": ");
    app_json_number(out, r->sd[0]);
    app_text_print(out, "}, \"utility\": ");
    app_json_number(out, r->utility);
    app_text_print(out, ", \"probability_feasible\": ");
    app_json_number(out, r->probability_feasible);
    app_text_print(out, ", \"constraints\": {");
    for (int j = 1; j <= d->K; j++) {
        app_json_key(out, d->outcomes[j].name, &first);
        app_text_print(out, "{\"mean\": ");
        app_json_number(out, r->mean[j]);
        app_text_print(out, ", \"sd\": ");
        app_json_number(out, r->sd[j]);
        app_text_print(out, ", \"probability\": ");
        app_json_number(out, r->probability[j - 1]);
        app_text_print(out, "}");
    }
    app_text_print(out, "}, \"evaluations\": %d, \"best_evaluated\": ", r->evaluations);
    if (best)
        write_best(d, best, out);
    else
        app_text_print(out, "null");
    app_text_print(out, "}");
}
