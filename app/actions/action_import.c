/*
 * From rows to designs and trials. Both kinds of file become JSON objects of names and values first, so that
 * there is one way on from there.
 */
#include "actions/action_import.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"

/* What a trial's row may say beside parameters and outcomes. */
static const char *const facts[] = {"trial",     "state",  "origin",   "seconds", "why",
                                    "chosen_by", "reason", "feasible", "log"};

enum { FACTS = sizeof facts / sizeof *facts, WRITTEN = 7 /* of them, in this order */ };

/* One row: the three kinds of names are kept apart, since a parameter may be called "state". */
struct row {
    int line;
    json_t *facts, *parameters, *values; /* objects */
    int unknown;                         /* names that were left out */
};

typedef int take_row(void *context, const struct row *row, struct app_message *message);

struct reader {
    const struct app_definition *definition;
    const char *path;
    int lenient; /* names that the definition does not know are left out */
    take_row *take;
    void *context;
    struct app_message *message;
};

static int is_fact(const char *name)
{
    for (int i = 0; i < FACTS; i++)
        if (!strcmp(facts[i], name))
            return 1;
    return 0;
}

static int row_make(struct row *row, int line)
{
    *row = (struct row){
        .line = line, .facts = json_object(), .parameters = json_object(), .values = json_object()};
    return row->facts && row->parameters && row->values;
}

static void row_free(struct row *row)
{
    json_decref(row->facts);
    json_decref(row->parameters);
    json_decref(row->values);
}

static int refuse_name(struct reader *r, int line, const char *name)
{
    return app_fail(r->message, CKG_ERR_INVALID,
                    "%s:%d: the study has no parameter, objective or constraint '%s'; --lenient skips it",
                    r->path, line, name);
}

/* --- CSV --- */

/* What a column holds. */
struct column {
    enum { IGNORED, FACT, PARAMETER, FIXED, OUTCOME, SD } kind;
    int index;
};

/* 1 when an earlier column has the same name. */
static int is_repeated(const struct app_csv_row *head, int at)
{
    for (int k = 0; k < at; k++)
        if (!strcmp(head->field[k], head->field[at]))
            return 1;
    return 0;
}

static int is_repeated_later(const struct app_csv_row *head, int at)
{
    for (int k = at + 1; k < head->count; k++)
        if (!strcmp(head->field[k], head->field[at]))
            return 1;
    return 0;
}

/* The outcome whose standard deviations the column holds, or -1. */
static int sd_of(const struct app_definition *d, const char *name)
{
    for (int j = 0; j <= app_constraints(d); j++) {
        const size_t length = strlen(app_outcome_name(d, j));
        if (!strncmp(name, app_outcome_name(d, j), length) && !strcmp(name + length, ".sd"))
            return j;
    }
    return -1;
}

/* 1 when the study has a parameter, an outcome, a fixed value or an extra column of that name. */
static int is_named(const struct app_definition *d, const char *name)
{
    return ckg_problem_parameter_find(d->problem, name) >= 0 ||
           ckg_problem_outcome_find(d->problem, name) >= 0 || app_fixed_find(d, name) ||
           app_carried_find(d, name) >= 0;
}

/*
 * A name that is a fact and a parameter's or outcome's at once is the fact in its first column and the other
 * in its second; one that could be standard deviations is the other in its first.
 */
static int read_head(struct reader *r, const struct app_csv_row *head, struct column *columns)
{
    const struct app_definition *d = r->definition;

    for (int k = 0; k < head->count; k++) {
        /* What the name could mean. */
        const char *name = head->field[k];
        const int parameter = ckg_problem_parameter_find(d->problem, name);
        const int outcome = ckg_problem_outcome_find(d->problem, name);
        const int sd = sd_of(d, name);
        const int again = is_repeated(head, k);
        const int later = is_repeated_later(head, k);

        /* The first meaning that is still free; a name without one is refused or ignored. */
        if (is_fact(name) && !again && (!is_named(d, name) || later))
            columns[k] = (struct column){FACT, k};
        else if (parameter >= 0 && (!again || is_fact(name)))
            columns[k] = (struct column){PARAMETER, parameter};
        else if (app_fixed_find(d, name) && (!again || is_fact(name)))
            columns[k] = (struct column){FIXED, 0};
        else if (app_carried_find(d, name) >= 0 && (!again || is_fact(name)))
            columns[k] = (struct column){IGNORED, 0};
        else if (outcome >= 0 && (!again || is_fact(name)))
            columns[k] = (struct column){OUTCOME, outcome};
        else if (sd >= 0 && (!again || is_named(d, name)))
            columns[k] = (struct column){SD, sd};
        else if (again)
            return app_fail(r->message, CKG_ERR_INVALID, "%s:%d: the column '%s' appears twice", r->path,
                            head->line, name);
        else if (!r->lenient)
            return refuse_name(r, head->line, name);
        else
            columns[k] = (struct column){IGNORED, 0};
    }
    return CKG_OK;
}

static int read_number(const char *text, double *out)
{
    char *stop;

    *out = strtod(text, &stop);
    return stop != text && !*stop && isfinite(*out) && !strpbrk(text, "xXnN");
}

/* A fixed parameter has the value that it has, where the field is not empty. */
static int put_fixed(struct reader *r, struct row *row, const char *name, const char *text)
{
    const struct app_fixed *fixed = app_fixed_find(r->definition, name);
    double value, other;
    const int same = !strcmp(text, fixed->value.text) ||
                     (fixed->value.type == APP_NUMBER && read_number(text, &value) &&
                      read_number(fixed->value.text, &other) && value == other);

    return same ? CKG_OK
                : app_fail(r->message, CKG_ERR_INVALID, "%s:%d: parameter '%s' is fixed at %s, not '%s'",
                           r->path, row->line, name, fixed->value.text, text);
}

static int put_field(struct reader *r, struct row *row, const char *name, const struct column *column,
                     const char *text)
{
    const struct app_definition *d = r->definition;
    const int answer = column->kind == OUTCOME && ckg_problem_yesno(d->problem, column->index) == 1;
    const int category = column->kind == PARAMETER &&
                         ckg_problem_parameter_kind(d->problem, column->index) == CKG_CATEGORICAL;
    double value = 0;
    int failed = 0;

    if (column->kind == IGNORED || column->kind == SD || (!*text && column->kind != PARAMETER))
        return CKG_OK;
    if (column->kind == FIXED)
        return put_fixed(r, row, name, text);
    if (!*text)
        return app_fail(r->message, CKG_ERR_INVALID, "%s:%d: parameter '%s' has no value", r->path, row->line,
                        name);
    if (answer && app_answer_word(text) < 0)
        return app_fail(r->message, CKG_ERR_INVALID,
                        "%s:%d: %s = '%s' is not true or false, yes or no, 1 or 0", r->path, row->line, name,
                        text);
    if (column->kind != FACT && !category && !answer && !read_number(text, &value))
        return app_fail(r->message, CKG_ERR_INVALID, "%s:%d: %s = '%s' is not a finite number%s", r->path,
                        row->line, name, text,
                        column->kind == OUTCOME ? "; leave the field empty where it was not measured" : "");
    if (column->kind == FACT)
        failed = json_object_set_new(row->facts, name, json_string(text));
    else if (column->kind == PARAMETER)
        failed = json_object_set_new(row->parameters, name, category ? json_string(text) : json_real(value));
    else
        failed = json_object_set_new(row->values, name, answer ? json_string(text) : json_real(value));
    return failed ? app_fail(r->message, CKG_ERR_INVALID, "%s:%d: '%s' is not UTF-8 text", r->path, row->line,
                             name)
                  : CKG_OK;
}

/* value → [value, sd]. */
static int put_sd(struct reader *r, struct row *row, int outcome, const char *text)
{
    const char *name = app_outcome_name(r->definition, outcome);
    json_t *value = json_object_get(row->values, name);
    double sd;

    if (!*text)
        return CKG_OK;
    if (!read_number(text, &sd) || !value)
        return app_fail(r->message, CKG_ERR_INVALID, "%s:%d: %s.sd = '%s' is %s", r->path, row->line, name,
                        text, value ? "not a finite number" : "given without a value");
    json_t *pair = json_pack("[Of]", value, sd);
    return pair && !json_object_set_new(row->values, name, pair) ? CKG_OK : app_no_memory(r->message);
}

static int read_csv_row(struct reader *r, const struct app_csv *csv, const struct column *columns,
                        const struct app_csv_row *from)
{
    const struct app_csv_row *head = &csv->row[0];
    struct row row;

    if (from->count != head->count)
        return app_fail(r->message, CKG_ERR_INVALID, "%s:%d: %d fields, but the header has %d%s", r->path,
                        from->line, from->count, head->count,
                        from->count > head->count && csv->separator == ','
                            ? "; numbers with decimal commas need semicolons between the columns"
                            : "");
    int status = row_make(&row, from->line) ? CKG_OK : app_no_memory(r->message);
    for (int k = 0; !status && k < head->count; k++)
        status = put_field(r, &row, head->field[k], &columns[k], from->field[k]);
    for (int k = 0; !status && k < head->count; k++)
        if (columns[k].kind == SD)
            status = put_sd(r, &row, columns[k].index, from->field[k]);
    if (!status)
        status = r->take(r->context, &row, r->message);
    row_free(&row);
    return status;
}

/* Every parameter has a column; all that have none are named. */
static int check_columns(struct reader *r, const struct app_csv_row *head, const struct column *columns)
{
    struct app_text missing = {0};
    int count = 0;

    for (int i = 0; i < app_dimension(r->definition); i++) {
        int found = 0;
        for (int k = 0; k < head->count; k++)
            found = found || (columns[k].kind == PARAMETER && columns[k].index == i);
        if (!found)
            app_text_print(&missing, "%s'%s'", count++ ? ", " : "", app_parameter_name(r->definition, i));
    }

    const int status = count ? app_fail(r->message, CKG_ERR_INVALID, "%s:%d: there is no column %.600s",
                                        r->path, head->line, missing.data ? missing.data : "of a parameter")
                             : CKG_OK;
    app_text_free(&missing);
    return status;
}

/* Decimal commas become points in the columns that hold numbers. */
static int read_points(struct reader *r, struct app_csv *csv, const struct column *columns)
{
    const struct app_csv_row *head = &csv->row[0];
    unsigned char *numeric = calloc((size_t)head->count, 1);

    if (!numeric)
        return app_no_memory(r->message);
    for (int k = 0; k < head->count; k++)
        numeric[k] = columns[k].kind == OUTCOME || columns[k].kind == SD ||
                     (columns[k].kind == FACT && !strcmp(head->field[k], "seconds")) ||
                     (columns[k].kind == PARAMETER &&
                      ckg_problem_parameter_kind(r->definition->problem, columns[k].index) !=
                          CKG_CATEGORICAL);
    const int status = app_csv_points(csv, numeric, r->path, r->message);
    free(numeric);
    return status;
}

static int read_csv(struct reader *r, const char *text, size_t length)
{
    struct app_csv csv;
    struct column *columns = NULL;
    int status = app_csv_read(&csv, text, length, r->path, r->message);

    for (int i = 0; !status && i < csv.rows; i++)
        for (int k = 0; k < csv.row[i].count; k++)
            app_csv_unguard(csv.row[i].field[k]);
    if (!status && csv.rows) {
        columns = calloc((size_t)csv.row[0].count, sizeof *columns);
        status = columns ? read_head(r, &csv.row[0], columns) : app_no_memory(r->message);
    }
    if (!status && csv.rows > 1)
        status = check_columns(r, &csv.row[0], columns);
    if (!status && csv.rows > 1)
        status = read_points(r, &csv, columns);
    for (int i = 1; !status && i < csv.rows; i++)
        status = read_csv_row(r, &csv, columns, &csv.row[i]);
    free(columns);
    app_csv_free(&csv);
    return status;
}

/* --- JSON lines --- */

static int is_parameter(const struct app_definition *d, const char *name)
{
    return ckg_problem_parameter_find(d->problem, name) >= 0 || app_fixed_find(d, name) ||
           app_carried_find(d, name) >= 0;
}

/* {"parameters": {…}, "values": {…}, "state": …}, the form of `ckg trials --json`. */
static int split_nested(struct reader *r, struct row *row, json_t *object)
{
    const char *name;
    json_t *value;
    json_t *values = json_object_get(object, "values");

    json_object_foreach(json_object_get(object, "parameters"), name,
                        value) if (is_parameter(r->definition, name))
        json_object_set(row->parameters, name, value);
    else if (!r->lenient) return refuse_name(r, row->line, name);
    json_object_foreach(values, name, value) if (ckg_problem_outcome_find(r->definition->problem, name) >= 0)
        json_object_set(row->values, name, value);
    else if (!r->lenient) return refuse_name(r, row->line, name);
    json_object_foreach(object, name, value) if (is_fact(name)) json_object_set(row->facts, name, value);
    return CKG_OK;
}

/* {"wire": 0.3, "weight": 1.9}. */
static int split_flat(struct reader *r, struct row *row, json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach(object, name, value) if (is_parameter(r->definition, name))
        json_object_set(row->parameters, name, value);
    else if (ckg_problem_outcome_find(r->definition->problem, name) >= 0)
        json_object_set(row->values, name, value);
    else if (is_fact(name)) json_object_set(row->facts, name, value);
    else if (!r->lenient) return refuse_name(r, row->line, name);
    return CKG_OK;
}

static int read_json_line(struct reader *r, int line, const char *text, size_t length)
{
    struct row row;

    json_error_t error;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);

    if (!object)
        return app_fail(r->message, CKG_ERR_INVALID, "%s:%d:%d: %s", r->path, line, error.column, error.text);
    int status = row_make(&row, line) ? CKG_OK : app_no_memory(r->message);
    if (!status && !json_is_object(object))
        status = app_fail(r->message, CKG_ERR_INVALID, "%s:%d: expected a JSON object", r->path, line);
    const int nested = json_is_object(json_object_get(object, "parameters"));
    if (!status)
        status = nested ? split_nested(r, &row, object) : split_flat(r, &row, object);
    if (!status)
        status = r->take(r->context, &row, r->message);
    row_free(&row);
    json_decref(object);
    return status;
}

static int read_json_lines(struct reader *r, const char *text, size_t length)
{
    int status = CKG_OK;

    for (int line = 1; !status && length; line++) {
        const char *newline = memchr(text, '\n', length);
        const size_t part = newline ? (size_t)(newline - text) : length;
        size_t start = 0;
        while (start < part && isspace((unsigned char)text[start]))
            start++;
        if (start < part)
            status = read_json_line(r, line, text + start, part - start);
        text += part + (newline != NULL);
        length -= part + (newline != NULL);
    }
    return status;
}

static int read_text(struct reader *r, const char *text, size_t length)
{
    size_t start = 0;

    if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) { /* a byte-order mark */
        text += 3;
        length -= 3;
    }
    while (start < length && isspace((unsigned char)text[start]))
        start++;
    return start < length && text[start] == '{' ? read_json_lines(r, text, length)
                                                : read_csv(r, text, length);
}

/* --- points --- */

struct points {
    const struct app_definition *definition;
    const char *path;
    double *X;
    int count, capacity;
};

static int take_point(void *context, const struct row *row, struct app_message *message)
{
    struct points *p = context;
    const size_t d = (size_t)app_dimension(p->definition);
    struct app_message why;

    if (p->count == p->capacity) {
        const int capacity = 2 * p->capacity + 64;
        double *grown = realloc(p->X, (size_t)capacity * d * sizeof *grown);
        if (!grown)
            return app_no_memory(message);
        p->X = grown;
        p->capacity = capacity;
    }
    const int status = app_design_read(p->definition, row->parameters, p->X + (size_t)p->count * d, &why);
    if (status)
        return app_fail(message, status, "%s:%d: %s", p->path, row->line, why.text);
    p->count++;
    return CKG_OK;
}

int app_points_read(const struct app_definition *d, const char *path, double **X, int *count,
                    struct app_message *message)
{
    struct points points = {.definition = d, .path = path};
    struct reader r = {.definition = d,
                       .path = path,
                       .lenient = 1,
                       .take = take_point,
                       .context = &points,
                       .message = message};
    char *text;
    size_t length;

    *X = NULL;
    int status = app_read_file(strcmp(path, "-") ? path : "/dev/stdin", &text, &length, message);
    if (!status)
        status = read_text(&r, text, length);
    free(text);
    if (status)
        free(points.X);
    else
        *X = points.X;
    *count = status ? 0 : points.count;
    return status;
}

/* --- trials --- */

struct trials {
    const struct app_definition *definition;
    const char *path;
    int lenient, capacity;
    struct app_imported *out;
};

static const char *fact(const struct row *row, const char *name)
{
    return json_string_value(json_object_get(row->facts, name));
}

/* Seconds stand as a number in JSON and as text in CSV. */
static double seconds_of(const struct row *row)
{
    const json_t *value = json_object_get(row->facts, "seconds");
    double seconds = json_is_number(value) ? json_number_value(value) : NAN;

    if (json_is_string(value) && !read_number(json_string_value(value), &seconds))
        seconds = NAN;
    return seconds >= 0 ? seconds : NAN;
}

/* A design that is still to be evaluated, as it is. */
static int queue_trial(const struct trials *to, struct app_trial *t, struct app_message *why)
{
    const int status = app_design_check(to->definition, t->x, why);

    if (status)
        return status;
    t->state = APP_PENDING;
    t->queued = 1;
    t->count = 0;
    t->feasible = -1;
    t->origin = "user";
    t->chosen_by = "user";
    to->out->queued++;
    return CKG_OK;
}

/* The text in the trials' pool; 0 without memory. */
static int keep(const struct trials *to, const char *text, const char **out)
{
    *out = text ? app_pool_copy(&to->out->pool, text) : NULL;
    return !text || *out;
}

/* What the row says beside its design. CKG_ERR_STATE: it is of a discarded trial. */
static int fill_trial(const struct trials *to, const struct row *row, struct app_trial *t,
                      struct app_message *why)
{
    const char *word = fact(row, "state");
    const char *origin = fact(row, "origin");
    const char *why_failed = fact(row, "why");
    const enum app_state state = app_state_named(word);

    if (word && state == APP_STATES)
        return app_fail(why, CKG_ERR_INVALID,
                        "a state must be complete, failed, running, pending or discarded, not '%s'", word);
    if (state == APP_DISCARDED)
        return CKG_ERR_STATE;
    if (state == APP_COMPLETE && !t->count)
        return app_fail(why, CKG_ERR_INVALID, "a complete trial needs a value");
    if (state == APP_FAILED_TRIAL && t->count)
        return app_fail(why, CKG_ERR_INVALID, "a failed trial has no values");
    if (state == APP_PENDING || state == APP_RUNNING || (!word && !t->count))
        return queue_trial(to, t, why);

    /* Who chose it, and what came of it. */
    const int suggested = origin && (!strcmp(origin, "design") || !strcmp(origin, "policy"));
    t->state = state == APP_FAILED_TRIAL ? APP_FAILED_TRIAL : APP_COMPLETE;
    t->seconds = seconds_of(row);
    t->feasible = app_feasible(to->definition, t->x, t->count, t->measured);
    if (t->state == APP_COMPLETE)
        why_failed = NULL;
    else if (!why_failed)
        why_failed = "not said";
    return keep(to, suggested ? origin : "user", &t->origin) &&
                   keep(to, suggested ? fact(row, "chosen_by") : "user", &t->chosen_by) &&
                   keep(to, suggested ? fact(row, "reason") : NULL, &t->reason) &&
                   keep(to, why_failed, &t->why)
               ? CKG_OK
               : app_no_memory(why);
}

static int grow(struct trials *to)
{
    struct app_imported *out = to->out;

    if (out->count < to->capacity)
        return 1;
    to->capacity = 2 * to->capacity + 64;
    struct app_trial *grown = app_pool_new(&out->pool, (size_t)to->capacity, sizeof *grown);
    for (int i = 0; grown && i < out->count; i++)
        grown[i] = out->trials[i];
    out->trials = grown ? grown : out->trials;
    return grown != NULL;
}

static int take_trial(void *context, const struct row *row, struct app_message *message)
{
    struct trials *to = context;
    struct app_message why;
    struct app_pool *pool = &to->out->pool;
    double *x = app_pool_new(pool, (size_t)app_dimension(to->definition), sizeof *x);
    ckg_measurement *measured = app_pool_new(pool, (size_t)app_constraints(to->definition) + 1,
                                             sizeof *measured);
    struct app_trial t = {.number = row->line, .seconds = NAN, .x = x, .measured = measured};
    int status = x && measured && grow(to) ? CKG_OK : app_no_memory(&why);
    int outside = 0;

    /* The design; a lenient import passes over one outside the ranges. */
    if (!status) {
        status = app_design_read(to->definition, row->parameters, x, &why);
        outside = status == CKG_ERR_INVALID && to->lenient;
    }

    /* Its outcomes and how it went. */
    if (!status)
        status = app_outcomes_read(to->definition, row->values, measured, &t.count, &why);
    if (!status)
        status = fill_trial(to, row, &t, &why);

    /* A trial that can be read is taken. */
    if (!status) {
        to->out->trials[to->out->count++] = t;
        return CKG_OK;
    }

    /* Otherwise it is counted among those left out, or is an error. */
    to->out->unknown += outside;
    to->out->discarded += status == CKG_ERR_STATE;
    return outside || status == CKG_ERR_STATE
               ? CKG_OK
               : app_fail(message, status, "%s:%d: %s", to->path, row->line, why.text);
}

int app_trials_parse(const struct app_definition *d, const char *text, size_t length, const char *path,
                     int lenient, struct app_imported *out, struct app_message *message)
{
    struct trials trials = {.definition = d, .path = path, .lenient = lenient, .out = out};
    struct reader r = {.definition = d,
                       .path = path,
                       .lenient = lenient,
                       .take = take_trial,
                       .context = &trials,
                       .message = message};

    *out = (struct app_imported){0};
    const int status = read_text(&r, text, length);
    if (status) {
        app_pool_free(&out->pool);
        *out = (struct app_imported){0};
    }
    return status;
}

int app_trials_read(const struct app_definition *d, const char *path, int lenient, struct app_imported *out,
                    struct app_message *message)
{
    char *text;
    size_t length;

    *out = (struct app_imported){0};
    int status = app_read_file(strcmp(path, "-") ? path : "/dev/stdin", &text, &length, message);
    if (!status)
        status = app_trials_parse(d, text, length, path, lenient, out, message);
    free(text);
    return status;
}

/* --- writing --- */

static double sd_in(const struct app_trial *t, int outcome)
{
    const int count = app_trial_values(t);

    for (int i = 0; i < count; i++)
        if (t->measured[i].outcome == outcome && t->measured[i].sd != CKG_SD_DEFAULT)
            return t->measured[i].sd;
    return NAN;
}

/* Which outcomes (1 + K) have a column of standard deviations: those that some trial gave one for. */
static void find_sds(const struct app_study *n, int *has)
{
    for (int j = 0; j <= app_constraints(&n->definition); j++) {
        has[j] = 0;
        for (int i = 0; i < n->count && !has[j]; i++)
            has[j] = !isnan(sd_in(&n->trials[i], j));
    }
}

static void number_field(struct app_text *out, double value, int *first)
{
    char buffer[32];

    app_csv_field(out, isnan(value) ? "" : app_number(value, buffer), first);
}

/* An outcome's value; an answer as true or false, which other programs read as such. */
static void value_field(const struct app_definition *d, int j, double value, struct app_text *out, int *first)
{
    if (ckg_problem_yesno(d->problem, j) == 1 && !isnan(value))
        app_csv_field(out, value > 0 ? "true" : "false", first);
    else
        number_field(out, value, first);
}

static void write_head(const struct app_study *n, const int *has_sd, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    int first = 1;

    for (int i = 0; i < WRITTEN; i++)
        app_csv_field(out, facts[i], &first);
    for (int i = 0; i < app_dimension(d); i++)
        app_csv_field(out, app_parameter_name(d, i), &first);
    for (int i = 0; i < d->fixed_count; i++)
        app_csv_field(out, d->fixed[i].name, &first);
    for (int i = 0; i < d->carried_count; i++)
        app_csv_field(out, d->carried[i].name, &first);
    for (int j = 0; j <= app_constraints(d); j++)
        app_csv_field(out, app_outcome_name(d, j), &first);
    for (int j = 0; j <= app_constraints(d); j++) {
        struct app_text name = {0};
        app_text_print(&name, "%s.sd", app_outcome_name(d, j));
        if (has_sd[j] && name.data)
            app_csv_field(out, name.data, &first);
        app_text_free(&name);
    }
    app_text_add(out, "\n", 1);
}

static void write_trial(const struct app_study *n, const struct app_trial *t, const int *has_sd,
                        struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    int first = 1;

    number_field(out, t->number, &first);
    app_csv_field(out, app_state_name(t->state), &first);
    app_csv_field(out, t->origin, &first);
    number_field(out, t->seconds, &first);
    app_csv_field(out, t->why ? t->why : "", &first);
    app_csv_field(out, t->chosen_by ? t->chosen_by : "", &first);
    app_csv_field(out, t->reason ? t->reason : "", &first);
    for (int i = 0; i < app_dimension(d); i++) {
        struct app_text value = {0};
        app_design_write_text(d, i, t->x[i], &value);
        app_csv_field(out, value.data ? value.data : "", &first);
        app_text_free(&value);
    }
    for (int i = 0; i < d->fixed_count; i++)
        app_csv_field(out, d->fixed[i].value.text, &first);
    for (int i = 0; i < d->carried_count; i++)
        app_csv_field(out, app_carried_text(d, i, t->x) ? app_carried_text(d, i, t->x) : "", &first);
    for (int j = 0; j <= app_constraints(d); j++)
        value_field(d, j, app_trial_measured(t, j), out, &first);
    for (int j = 0; j <= app_constraints(d); j++)
        if (has_sd[j])
            number_field(out, sd_in(t, j), &first);
    app_text_add(out, "\n", 1);
}

void app_trials_write_csv(const struct app_study *n, struct app_text *out)
{
    int has_sd[CKG_MAX_CONSTRAINTS + 1];

    find_sds(n, has_sd);
    write_head(n, has_sd, out);
    for (int i = 0; i < n->count; i++)
        write_trial(n, &n->trials[i], has_sd, out);
}
