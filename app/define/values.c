/* Designs and values, read with every check and written exactly. */
#include "define/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- designs --- */

static int check_number(const struct app_parameter *p, double value, double *out, struct app_message *message)
{
    char buffer[32];
    if (!(value >= p->low && value <= p->high))
        return app_fail(message, CKG_ERR_INVALID, "%s = %s is not between %g and %g", p->name,
                        app_number(value, buffer), p->low, p->high);
    if (p->kind == CKG_INTEGER && value != floor(value))
        return app_fail(message, CKG_ERR_INVALID, "%s = %s is not an integer", p->name,
                        app_number(value, buffer));
    *out = value;
    return CKG_OK;
}

static int check_category(const struct app_parameter *p, const char *value, double *out,
                          struct app_message *message)
{
    const int index = app_parameter_category(p, value);
    if (index < 0)
        return app_fail(message, CKG_ERR_INVALID, "%s = %s is not one of its values", p->name, value);
    *out = index;
    return CKG_OK;
}

int app_design_read_text(const struct app_parameter *p, const char *text, double *out,
                         struct app_message *message)
{
    char *stop;
    if (p->kind == CKG_CATEGORICAL)
        return check_category(p, text, out, message);
    const double value = strtod(text, &stop);
    if (stop == text || *stop || strpbrk(text, "xXnN"))
        return app_fail(message, CKG_ERR_INVALID, "%s = '%s' is not a number", p->name, text);
    return check_number(p, value, out, message);
}

int app_design_read(const struct app_definition *d, const json_t *object, double *x,
                    struct app_message *message)
{
    const char *name;
    json_t *ignored;
    for (int i = 0; i < d->d; i++) {
        const struct app_parameter *p = &d->parameters[i];
        const json_t *value = json_object_get(object, p->name);
        int status;
        if (!value)
            status = app_fail(message, CKG_ERR_INVALID, "parameter '%s' is missing", p->name);
        else if (p->kind == CKG_CATEGORICAL && json_is_string(value))
            status = check_category(p, json_string_value(value), &x[i], message);
        else if (p->kind != CKG_CATEGORICAL && json_is_number(value))
            status = check_number(p, json_number_value(value), &x[i], message);
        else
            status = app_fail(message, CKG_ERR_INVALID, "parameter '%s' must be a %s", p->name,
                              p->kind == CKG_CATEGORICAL ? "string" : "number");
        if (status)
            return status;
    }
    json_object_foreach((json_t *)object, name, ignored) if (app_definition_parameter(d, name) <
                                                             0) return app_fail(message, CKG_ERR_INVALID,
                                                                                "there is no parameter '%s'",
                                                                                name);
    return CKG_OK;
}

void app_design_write_text(const struct app_parameter *p, double value, struct app_text *out)
{
    if (p->kind == CKG_CATEGORICAL)
        app_text_add(out, p->values[(int)value], strlen(p->values[(int)value]));
    else
        app_json_number(out, value);
}

void app_design_write(const struct app_definition *d, const double *x, struct app_text *out)
{
    app_text_add(out, "{", 1);
    for (int i = 0; i < d->d; i++) {
        const struct app_parameter *p = &d->parameters[i];
        if (p->kind == CKG_CATEGORICAL)
            app_json_add_string(out, p->name, p->values[(int)x[i]]);
        else
            app_json_add_number(out, p->name, x[i]);
    }
    app_text_add(out, "}", 1);
}

/* --- outcomes --- */

static int check_value(const char *name, double value, double sd, struct app_message *message)
{
    if (!isfinite(value) || fabs(value) > 1e150)
        return app_fail(message, CKG_ERR_INVALID, "the value of '%s' is not a finite number below 1e150",
                        name);
    if (sd != CKG_SD_DEFAULT && !(isfinite(sd) && sd >= 0))
        return app_fail(message, CKG_ERR_INVALID,
                        "the standard deviation of '%s' is not a number, or negative", name);
    return CKG_OK;
}

int app_outcome_read(const struct app_definition *d, int outcome, const json_t *value, ckg_measurement *out,
                     int *given, struct app_message *message)
{
    const char *name = d->outcomes[outcome].name;
    *given = !json_is_null(value);
    *out = (ckg_measurement){.outcome = outcome, .sd = CKG_SD_DEFAULT};
    if (json_is_null(value))
        return CKG_OK;
    if (json_is_number(value))
        out->value = json_number_value(value);
    else if (json_is_array(value) && json_array_size(value) == 2 &&
             json_is_number(json_array_get(value, 0)) && json_is_number(json_array_get(value, 1))) {
        out->value = json_number_value(json_array_get(value, 0));
        out->sd = json_number_value(json_array_get(value, 1));
        if (out->sd < 0)
            return check_value(name, out->value, NAN, message);
    } else
        return app_fail(message, CKG_ERR_INVALID, "the value of '%s' is not a number, [number, sd] or null",
                        name);
    return check_value(name, out->value, out->sd, message);
}

int app_outcomes_read(const struct app_definition *d, const json_t *object, ckg_measurement *measured,
                      int *count, struct app_message *message)
{
    const char *name;
    json_t *value;
    *count = 0;
    json_object_foreach((json_t *)object, name,
                        value) if (app_definition_outcome(d, name) <
                                   0) return app_fail(message, CKG_ERR_INVALID,
                                                      "there is no objective or constraint '%s'", name);
    for (int j = 0; j <= d->K; j++) {
        int given = 0;
        value = json_object_get(object, d->outcomes[j].name);
        const int status = value ? app_outcome_read(d, j, value, &measured[*count], &given, message) : CKG_OK;
        if (status)
            return status;
        *count += given;
    }
    return CKG_OK;
}

void app_outcomes_write(const struct app_definition *d, int count, const ckg_measurement *measured,
                        struct app_text *out)
{
    app_text_add(out, "{", 1);
    for (int i = 0; i < count; i++) {
        const ckg_measurement *m = &measured[i];
        const char *name = d->outcomes[m->outcome].name;
        if (m->sd != CKG_SD_DEFAULT)
            app_json_add_numbers(out, name, 2, (const double[]){m->value, m->sd});
        else
            app_json_add_number(out, name, m->value);
    }
    app_text_add(out, "}", 1);
}

int app_outcomes_feasible(const struct app_definition *d, int count, const ckg_measurement *measured)
{
    int met = 0;
    for (int i = 0; i < count; i++) {
        const struct app_outcome *o = &d->outcomes[measured[i].outcome];
        if (measured[i].value < o->min || measured[i].value > o->max)
            return 0;
        met += measured[i].outcome > 0;
    }
    return count && met == d->K ? 1 : -1;
}
