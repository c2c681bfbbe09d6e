/* What is built in as JSON: policies with their parameters, test problems with their optima. */
#include "api/shapes.h"

#include <math.h>
#include <stdio.h>

static void add_setting(const ckg_policy_parameter *p, struct app_text *out)
{
    const int fixed = p->usual.per_parameter == 0 && p->usual.sampled == 0;
    char text[96];

    app_json_open(out, NULL, '{');
    app_json_add_string(out, "name", p->name);
    /* null where it depends on the problem; the text says how */
    app_json_add_number(out, "default", fixed ? p->usual.value : NAN);
    app_json_add_string(out, "default_text", ckg_policy_parameter_default_text(p, text, sizeof text));
    app_json_add_number(out, "low", p->low);
    app_json_add_number(out, "high", p->high);
    app_json_add_truth(out, "integer", p->integer);
    app_json_add_string(out, "help", p->help);
    app_json_close(out, '}');
}

void app_policy_write(const ckg_policy_info *p, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "name", p->name);
    app_json_add_string(out, "title", p->title);
    app_json_add_string(out, "reference", p->reference);
    app_json_add_string(out, "value", p->value);
    app_json_open(out, "parameters", '[');
    for (int i = 0; i < p->count; i++)
        add_setting(&p->parameters[i], out);
    app_json_close(out, ']');
    app_json_close(out, '}');
}

/* x1: {low, high}, … */
static void add_box(const struct app_problem *p, struct app_text *out)
{
    app_json_open(out, "parameters", '{');
    for (int i = 0; i < p->d; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i + 1);
        app_json_open(out, name, '{');
        app_json_add_number(out, "low", p->low[i]);
        app_json_add_number(out, "high", p->high[i]);
        app_json_close(out, '}');
    }
    app_json_close(out, '}');
}

void app_problem_write(const struct app_problem *p, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "name", p->name);
    app_json_add_string(out, "title", p->title);
    app_json_add_string(out, "reference", p->reference);

    /* What is asked. */
    app_json_add_string(out, "goal", "minimize");
    app_json_add_integer(out, "dimension", p->d);
    app_json_add_integer(out, "constraints", p->K);
    add_box(p, out);
    app_json_add_string(out, "objective", p->formula[0]);
    app_json_open(out, "constraint_formulas", '[');
    for (int k = 1; k <= p->K; k++)
        app_json_add_string(out, NULL, p->formula[k]);
    app_json_close(out, ']');

    /* What the answer is. */
    app_json_add_number(out, "optimum", p->optimum);
    app_json_add_numbers(out, "best", p->d, p->best);
    app_json_add_number(out, "feasible_share", p->share);
    app_json_close(out, '}');
}

void app_problem_values_write(const struct app_problem *p, const double *values, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_number(out, "f", values[0]);
    for (int k = 1; k <= p->K; k++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", k);
        app_json_add_number(out, name, values[k]);
    }
    app_json_close(out, '}');
}
