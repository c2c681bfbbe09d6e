/* What is built in as JSON: policies with their parameters, test problems with their optima. */
#include "api/shapes.h"

#include <math.h>
#include <stdio.h>

static void add_setting(const ckg_policy_parameter *p, struct app_text *out)
{
    const int fixed = p->usual.per_parameter == 0 && p->usual.sampled == 0;
    char text[96];

    /* null where it depends on the problem; the text says how */
    app_json_print(out, "{name:%s default:%g default_text:%s low:%g high:%g integer:%i help:%s}", p->name,
                   fixed ? p->usual.value : (double)NAN,
                   ckg_policy_parameter_default_text(p, text, sizeof text), p->low, p->high, p->integer,
                   p->help);
}

void app_policy_write(const ckg_policy_info *p, struct app_text *out)
{
    app_json_print(out, "{name:%s title:%s reference:%s value:%s parameters:[", p->name, p->title,
                   p->reference, p->value);
    for (int i = 0; i < p->count; i++)
        add_setting(&p->parameters[i], out);
    app_json_print(out, "]}");
}

void app_problem_write(const struct app_problem *p, struct app_text *out)
{
    /* What is asked. */
    app_json_print(out, "{name:%s title:%s reference:%s goal:%s dimension:%d constraints:%d parameters:{",
                   p->name, p->title, p->reference, "minimize", p->d, p->K);
    for (int i = 0; i < p->d; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i + 1);
        app_json_print(out, "%s:{low:%g high:%g}", name, p->low[i], p->high[i]);
    }
    app_json_print(out, "} objective:%s constraint_formulas:[", p->formula[0]);
    for (int k = 1; k <= p->K; k++)
        app_json_add_string(out, NULL, p->formula[k]);

    /* What the answer is. */
    app_json_print(out, "] optimum:%g", p->optimum);
    app_json_add_numbers(out, "best", p->d, p->best);
    app_json_print(out, "feasible_share:%g}", p->share);
}

void app_problem_values_write(const struct app_problem *p, const double *values, struct app_text *out)
{
    app_json_print(out, "{f:%g", values[0]);
    for (int k = 1; k <= p->K; k++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", k);
        app_json_add_number(out, name, values[k]);
    }
    app_json_close(out, '}');
}
