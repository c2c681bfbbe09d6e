/* Designs and values, read with every check and written exactly. */
#include "definition/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- designs --- */

/* By its text; a spreadsheet may have made 8.0 of 8. */
static int find_category(const struct app_parameter *p, const char *text)
{
    char *end;
    char shortest[32];
    const int found = ckg_problem_category_find(p->problem, p->index, text);
    const double number = strtod(text, &end);

    return found >= 0 || end == text || *end
               ? found
               : ckg_problem_category_find(p->problem, p->index, app_number(number, shortest));
}

/* One parameter's value from JSON; whether a number is in range the problem says of the whole design. */
static int read_value(const struct app_parameter *p, const json_t *value, double *out,
                      struct app_message *message)
{
    char buffer[32];
    const int categorical = p->kind == CKG_CATEGORICAL;
    const char *text = app_typed_text(value, buffer);

    if (!value)
        return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is missing", p->name);
    if (categorical ? !text : !json_is_number(value))
        return app_fail(message, CKG_ERR_INVALID, "parameter '%s' must be a %s", p->name,
                        categorical ? "string" : "number");
    *out = categorical ? find_category(p, text) : json_number_value(value);
    if (categorical && *out < 0)
        return app_fail(message, CKG_ERR_INVALID, "parameter '%s': '%s' is not one of its values", p->name,
                        text);
    return CKG_OK;
}

/* A name that is no parameter's may be a fixed one's, with its value, or go with a design of the list. */
static int check_fixed(const struct app_definition *d, const char *name, const json_t *value,
                       struct app_message *message)
{
    char buffer[32];
    const struct app_fixed *fixed = app_fixed_find(d, name);
    const char *text = app_typed_text(value, buffer);

    if (app_carried_find(d, name) >= 0)
        return CKG_OK;
    if (!strcmp(name, "measure") && json_is_array(value) && ckg_problem_separate(d->problem) == 1)
        return CKG_OK;
    if (!fixed)
        return app_fail(message, CKG_ERR_INVALID, "there is no parameter '%s'", name);
    if (!app_typed_is(value, fixed->value.text))
        return app_fail(message, CKG_ERR_INVALID, "parameter '%s' is fixed at %s, not %s", name,
                        fixed->value.text, text ? text : "that");
    return CKG_OK;
}

int app_design_read_any(const struct app_definition *d, const json_t *object, double *x,
                        struct app_message *message)
{
    const char *name;
    json_t *value;

    /* Every parameter's value. */
    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);
        const int status = read_value(&p, json_object_get(object, p.name), &x[i], message);

        if (status)
            return status;
    }

    /* Nothing else. */
    json_object_foreach((json_t *)object, name, value)
    {
        if (ckg_problem_parameter_find(d->problem, name) < 0 && check_fixed(d, name, value, message))
            return CKG_ERR_INVALID;
    }
    return CKG_OK;
}

int app_design_read(const struct app_definition *d, const json_t *object, double *x,
                    struct app_message *message)
{
    const int status = app_design_read_any(d, object, x, message);

    if (status)
        return status;
    return ckg_problem_check_design(d->problem, x)
               ? app_fail(message, CKG_ERR_INVALID, "%s", ckg_error_message())
               : CKG_OK;
}

/* The parameter's value is on its steps, but for rounding. */
static int check_step(const struct app_parameter *p, double x, struct app_message *message)
{
    const double k = p->step > 0 ? (x - p->low) / p->step : 0;
    const double last = p->step > 0 ? floor((p->high - p->low) / p->step + 1e-9) : 0;
    const double below = fmin(floor(k), last);
    char given[32];
    char low[32];
    char high[32];

    if (fabs(k - rint(k)) <= 1e-9 * fmax(1, fabs(k)) && rint(k) <= last)
        return CKG_OK;
    app_number_short(p->low + below * p->step, low);
    app_number_short(p->low + (below + 1) * p->step, high);
    return app_fail(message, CKG_ERR_INVALID, "parameter '%s': %s is not on its steps; the nearest %s %s%s%s",
                    p->name, app_number(x, given), below < last ? "are" : "is", low,
                    below < last ? " and " : "", below < last ? high : "");
}

int app_design_check(const struct app_definition *d, const double *x, struct app_message *message)
{
    if (ckg_problem_check_design(d->problem, x))
        return app_fail(message, CKG_ERR_INVALID, "%s", ckg_error_message());
    const int list = ckg_problem_designs(d->problem) > 0;
    if (list && app_listed(d, x) < 0)
        return app_fail(message, CKG_ERR_INVALID, "this is not one of the designs to choose from");
    for (int i = 0; !list && i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);

        if (p.kind != CKG_CATEGORICAL && check_step(&p, x[i], message))
            return CKG_ERR_INVALID;
    }
    return ckg_problem_check_rules(d->problem, x)
               ? app_fail(message, CKG_ERR_INVALID, "%s", ckg_error_message())
               : CKG_OK;
}

void app_design_write_text(const struct app_definition *d, int i, double value, struct app_text *out)
{
    if (ckg_problem_parameter_kind(d->problem, i) == CKG_CATEGORICAL)
        app_text_print(out, "%s", ckg_problem_category(d->problem, i, (int)value));
    else
        app_json_number(out, value);
}

void app_design_write(const struct app_definition *d, const double *x, struct app_text *out)
{
    app_text_add(out, "{", 1);
    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);

        if (p.kind == CKG_CATEGORICAL)
            app_typed_add(out, p.name, &p.label.values[(int)x[i]]);
        else
            app_json_add_number(out, p.name, x[i]);
    }
    for (int i = 0; i < d->fixed_count; i++)
        app_typed_add(out, d->fixed[i].name, &d->fixed[i].value);
    const int row = d->carried_count ? app_listed(d, x) : -1;
    for (int i = 0; row >= 0 && i < d->carried_count; i++)
        app_typed_add(out, d->carried[i].name, &d->carried[i].value[row]);
    app_text_add(out, "}", 1);
}

/* --- what is to be measured --- */

void app_wants_read(const struct app_definition *d, const json_t *object, struct app_wants *out)
{
    const json_t *list = ckg_problem_separate(d->problem) == 1 ? json_object_get(object, "measure") : NULL;
    size_t i;
    json_t *name;

    *out = (struct app_wants){.given = json_array_size(list) > 0};
    json_array_foreach((json_t *)list, i, name)
    {
        const int j = json_is_string(name) ? ckg_problem_outcome_find(d->problem, json_string_value(name))
                                           : -1;
        if (j >= 0)
            out->has[j] = 1;
    }
}

/* 1 when the outcome is wanted. */
static int is_wanted(const struct app_wants *wants, int j)
{
    return !wants->given || wants->has[j];
}

void app_wants_write(const struct app_definition *d, const struct app_wants *wants, struct app_text *out)
{
    app_json_open(out, NULL, '[');
    for (int j = 0; j <= app_constraints(d); j++)
        if (is_wanted(wants, j))
            app_json_add_string(out, NULL, app_outcome_name(d, j));
    app_json_close(out, ']');
}

void app_wants_words(const struct app_definition *d, const struct app_wants *wants, struct app_text *out)
{
    int count = 0;

    for (int j = 0; j <= app_constraints(d); j++)
        if (is_wanted(wants, j))
            app_text_print(out, "%s%s", count++ ? "," : "", app_outcome_name(d, j));
}

double app_wants_cost(const struct app_definition *d, const struct app_wants *wants)
{
    double sum = 0;

    for (int j = 0; j <= app_constraints(d); j++)
        sum += is_wanted(wants, j) ? ckg_problem_cost(d->problem, j) : 0;
    return sum;
}

void app_task_write(const struct app_definition *d, const double *x, const struct app_wants *wants,
                    struct app_text *out)
{
    app_design_write(d, x, out);
    if (!wants->given || !out->length)
        return;

    /* Another member, where the object had ended. */
    out->length--;
    app_json_member(out, "measure");
    app_wants_write(d, wants, out);
    app_text_add(out, "}", 1);
}

/* --- outcomes --- */

/* [value, sd] */
static int is_pair(const json_t *value)
{
    return json_is_array(value) && json_array_size(value) == 2 && json_is_number(json_array_get(value, 0)) &&
           json_is_number(json_array_get(value, 1));
}

int app_answer_word(const char *word)
{
    static const char *const words[2][3] = {{"no", "false", "0"}, {"yes", "true", "1"}};

    for (int answer = 0; answer < 2; answer++)
        for (int i = 0; i < 3; i++)
            if (!strcasecmp(word, words[answer][i]))
                return answer;
    return -1;
}

/* true or false, 1 or 0, or a word that says so. */
static int read_answer(const char *name, const json_t *value, double *out, struct app_message *message)
{
    const double number = json_is_number(value) ? json_number_value(value) : -1;
    const int answer = json_is_boolean(value)  ? json_is_true(value)
                       : json_is_string(value) ? app_answer_word(json_string_value(value))
                       : number == 0           ? 0
                       : number == 1           ? 1
                                               : -1;

    if (answer < 0)
        return app_fail(message, CKG_ERR_INVALID, "the value of '%s' is not true or false, yes or no, 1 or 0",
                        name);
    *out = answer;
    return CKG_OK;
}

int app_outcome_read(const struct app_definition *d, int outcome, const json_t *value, ckg_measurement *out,
                     int *given, struct app_message *message)
{
    const char *name = app_outcome_name(d, outcome);

    *given = !json_is_null(value);
    *out = (ckg_measurement){.outcome = outcome, .sd = CKG_SD_DEFAULT};
    if (json_is_null(value))
        return CKG_OK;
    if (ckg_problem_yesno(d->problem, outcome) == 1)
        return read_answer(name, value, &out->value, message);

    if (json_is_number(value))
        out->value = json_number_value(value);
    else if (is_pair(value)) {
        out->value = json_number_value(json_array_get(value, 0));
        out->sd = json_number_value(json_array_get(value, 1));
        if (out->sd < 0) /* where -1 would mean something else */
            return app_fail(message, CKG_ERR_INVALID,
                            "outcome '%s': the standard deviation must not be negative", name);
    } else
        return app_fail(message, CKG_ERR_INVALID, "the value of '%s' is not a number, [number, sd] or null",
                        name);

    return ckg_problem_check_measured(d->problem, 1, out)
               ? app_fail(message, CKG_ERR_INVALID, "%s", ckg_error_message())
               : CKG_OK;
}

int app_outcomes_read(const struct app_definition *d, const json_t *object, ckg_measurement *measured,
                      int *count, struct app_message *message)
{
    const char *name;
    json_t *value;

    *count = 0;
    json_object_foreach((json_t *)object, name, value)
    {
        if (ckg_problem_outcome_find(d->problem, name) < 0)
            return app_fail(message, CKG_ERR_INVALID, "there is no objective or constraint '%s'", name);
    }

    for (int j = 0; j <= app_constraints(d); j++) {
        int given = 0;
        value = json_object_get(object, app_outcome_name(d, j));
        const int status = value ? app_outcome_read(d, j, value, &measured[*count], &given, message) : CKG_OK;

        if (status)
            return status;
        *count += given;
    }
    return CKG_OK;
}

void app_outcome_add(const struct app_definition *d, int outcome, double value, struct app_text *out)
{
    if (ckg_problem_yesno(d->problem, outcome) == 1 && !isnan(value))
        app_json_add_boolean(out, app_outcome_name(d, outcome), value > 0);
    else
        app_json_add_number(out, app_outcome_name(d, outcome), value);
}

void app_outcomes_write(const struct app_definition *d, int count, const ckg_measurement *measured,
                        struct app_text *out)
{
    app_text_add(out, "{", 1);
    for (int i = 0; i < count; i++) {
        const ckg_measurement *m = &measured[i];
        const char *name = app_outcome_name(d, m->outcome);
        if (m->sd != CKG_SD_DEFAULT)
            app_json_add_numbers(out, name, 2, (const double[]){m->value, m->sd});
        else
            app_outcome_add(d, m->outcome, m->value, out);
    }
    app_text_add(out, "}", 1);
}

int app_feasible(const struct app_definition *d, const double *x, int count, const ckg_measurement *measured)
{
    return count && ckg_problem_rules(d->problem) && ckg_problem_check_rules(d->problem, x)
               ? 0
               : ckg_problem_feasible(d->problem, count, measured);
}
