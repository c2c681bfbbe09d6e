/*
 * `choose_from`: which columns of the table are parameters, what they range over where the file does not say,
 * and the list itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/design_list.h"

/* --- parameters that the file does not declare --- */

/* A copy of the cell that stays. */
static int keep_cell(struct app_reader *r, const struct app_choice *c, int row, int column,
                     struct app_value *out)
{
    *out = *app_choice_cell(c, row, column);
    out->text = app_pool_copy(&r->out->pool, out->text);
    return out->text ? CKG_OK : app_node_no_memory(r);
}

static int add_fixed(struct app_reader *r, const struct app_choice *c, int column)
{
    struct app_fixed *fixed = &r->out->fixed[r->out->fixed_count++];

    fixed->name = app_pool_copy(&r->out->pool, c->name[column]);
    return fixed->name ? keep_cell(r, c, 0, column, &fixed->value) : app_node_no_memory(r);
}

int app_choice_categorical(struct app_reader *r, const struct app_choice *c, int column,
                           const struct app_value **values)
{
    int first[CKG_MAX_CATEGORIES];
    const char *texts[CKG_MAX_CATEGORIES];
    const int count = app_choice_values(c, column, CKG_MAX_CATEGORIES, first);

    /* Not too many, not too few. */
    if (count > CKG_MAX_CATEGORIES)
        return app_choice_complain(r, c, first[CKG_MAX_CATEGORIES - 1],
                                   "'%.200s' has more than %d different values, too many for a categorical",
                                   c->name[column], CKG_MAX_CATEGORIES);
    if (count < 2)
        return app_choice_complain(r, c, 0, "'%.200s' is the same everywhere; a categorical needs 2 values",
                                   c->name[column]);

    /* Their texts for the library, with their types for the program. */
    struct app_value *kept = app_reader_new(r, count, sizeof *kept);
    *values = kept;
    for (int v = 0; !r->status && v < count; v++) {
        keep_cell(r, c, first[v], column, &kept[v]);
        texts[v] = kept[v].text;
    }
    return !r->status && ckg_problem_add_categorical(r->out->problem, c->name[column], count, texts)
               ? app_choice_complain(r, c, 0, "%s", ckg_error_message())
               : r->status;
}

/* 1 when every number of the column is whole. */
static int is_whole(const struct app_choice *c, int column)
{
    for (int i = 0; i < c->rows; i++) {
        const double value = strtod(app_choice_cell(c, i, column)->text, NULL);

        if (value != floor(value) || fabs(value) > 9007199254740992.0)
            return 0;
    }
    return 1;
}

/*
 * A column that nobody declared: fixed where it has one value, a number where all are, a categorical where
 * texts come again. What is called id, and texts that are all different, only name the designs.
 */
static int infer(struct app_reader *r, const struct app_choice *c, int column)
{
    double low;
    double high;
    int first[CKG_MAX_CATEGORIES];
    const char *name = c->name[column];
    const int numbers = app_choice_range(c, column, &low, &high);
    const int values = app_choice_values(c, column, CKG_MAX_CATEGORIES, first);

    if (!strcmp(name, "id"))
        return CKG_OK;
    if (values == 1)
        return add_fixed(r, c, column);
    if (!numbers)
        return values < c->rows && values <= CKG_MAX_CATEGORIES
                   ? app_choice_categorical(r, c, column, &r->out->parameter[app_dimension(r->out)].values)
                   : CKG_OK;
    const int status = is_whole(c, column)
                           ? ckg_problem_add_integer(r->out->problem, name, low, high)
                           : ckg_problem_add_real(r->out->problem, name, low, high, CKG_LINEAR);
    return status ? app_choice_complain(r, c, 0, "%s", ckg_error_message()) : CKG_OK;
}

int app_choice_parameters(struct app_reader *r, const yaml_node_t *node, const struct app_choice *c)
{
    app_reader_variables(r, c->columns);
    for (int k = 0; !r->status && k < c->columns; k++)
        infer(r, c, k);
    return app_dimension(r->out) ? r->status
                                 : app_node_complain(r, node,
                                                     "none of the columns can be a parameter: each is the "
                                                     "same everywhere, called id, or a text that is "
                                                     "different everywhere");
}

/* --- the list --- */

/* The value of parameter i in a row. */
static int read_cell(struct app_reader *r, const struct app_choice *c, int row, int i, double *out)
{
    const struct app_parameter p = app_parameter_at(r->out, i);
    const int column = app_choice_find(c, p.name);
    const struct app_value *cell = app_choice_cell(c, row, column);
    const int categorical = p.kind == CKG_CATEGORICAL;

    if (!categorical && cell->type != APP_NUMBER)
        return app_choice_complain(r, c, row, "%.200s = '%.200s' is not a number", p.name, cell->text);
    *out = categorical ? ckg_problem_category_find(p.problem, i, cell->text) : strtod(cell->text, NULL);
    return categorical && *out < 0
               ? app_choice_complain(r, c, row, "'%.200s' is not one of the values of '%.200s'", cell->text,
                                     p.name)
               : CKG_OK;
}

/* Designs must differ: what a name is passed on with must be one of them. */
static int check_new(struct app_reader *r, const struct app_choice *c, int row, const double *X)
{
    const size_t d = (size_t)app_dimension(r->out);
    const double *x = X + (size_t)row * d;

    for (int i = 0; i < row; i++) {
        size_t k = 0;
        while (k < d && X[(size_t)i * d + k] == x[k])
            k++;
        if (k < d)
            continue;
        return c->at ? app_choice_complain(r, c, row, "the same design as number %d of the list", i + 1)
                     : app_choice_complain(r, c, row, "the same design as in line %d", c->line[i]);
    }
    return CKG_OK;
}

static int read_rows(struct app_reader *r, const struct app_choice *c, double *X)
{
    const int d = app_dimension(r->out);

    for (int row = 0; !r->status && row < c->rows; row++) {
        double *x = X + (size_t)row * (size_t)d;

        for (int i = 0; !r->status && i < d; i++)
            read_cell(r, c, row, i, &x[i]);
        if (!r->status && ckg_problem_check_design(r->out->problem, x))
            app_choice_complain(r, c, row, "%s", ckg_error_message());
        if (!r->status)
            check_new(r, c, row, X);
    }
    return r->status;
}

/* Every parameter has a column, and a fixed one has its value wherever it has one. */
static int check_columns(struct app_reader *r, const yaml_node_t *node, const struct app_choice *c)
{
    for (int i = 0; i < app_dimension(r->out); i++)
        if (app_choice_find(c, app_parameter_name(r->out, i)) < 0)
            return app_node_complain(r, node, "there is no column '%.200s' for the parameter",
                                     app_parameter_name(r->out, i));
    for (int i = 0; i < r->out->fixed_count; i++) {
        const struct app_fixed *fixed = &r->out->fixed[i];
        const int column = app_choice_find(c, fixed->name);

        for (int row = 0; column >= 0 && row < c->rows; row++)
            if (strcmp(app_choice_cell(c, row, column)->text, fixed->value.text) != 0)
                return app_choice_complain(r, c, row, "parameter '%.200s' is fixed at %.200s", fixed->name,
                                           fixed->value.text);
    }
    return CKG_OK;
}

/* The columns that are no parameters, with the design of each row. */
static int carry(struct app_reader *r, const struct app_choice *c)
{
    struct app_definition *out = r->out;

    out->carried = app_reader_new(r, c->columns, sizeof *out->carried);
    for (int k = 0; !r->status && k < c->columns; k++) {
        if (ckg_problem_parameter_find(out->problem, c->name[k]) >= 0 || app_fixed_find(out, c->name[k]))
            continue;

        /* A column of its own. */
        struct app_carried *to = &out->carried[out->carried_count++];
        to->name = app_pool_copy(&out->pool, c->name[k]);
        to->value = app_reader_new(r, c->rows, sizeof *to->value);
        if (!to->name)
            app_node_no_memory(r);
        for (int i = 0; !r->status && i < c->rows; i++)
            keep_cell(r, c, i, k, &to->value[i]);
    }
    return r->status;
}

int app_choice_apply(struct app_reader *r, const yaml_node_t *node, struct app_choice *c)
{
    double *X = app_pool_new(&c->pool, (size_t)c->rows * (size_t)app_dimension(r->out), sizeof *X);

    if (!X)
        return app_node_no_memory(r);
    if (check_columns(r, node, c) || read_rows(r, c, X) ||
        app_reader_check(r, node, ckg_problem_set_designs(r->out->problem, c->rows, X)))
        return r->status;
    return carry(r, c);
}
