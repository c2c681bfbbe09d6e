/*
 * The table of designs to choose from, read: which columns are parameters, what they range over where the
 * file does not say, and the list itself.
 */
#include "definition/design_list.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include "base/csv.h"

enum { MOST_DESIGNS = 20000, LONGEST_CELL = 200, LARGEST_FILE = 16 << 20 };

/* Only the first is heard. */
static int refuse(struct app_reader *r, const struct app_choice *c, int line, const char *what)
{
    if (!r->status)
        r->status = app_fail(r->message, CKG_ERR_INVALID, "%s:%d: %s", c->file, line, what);
    return r->status;
}

static int complain(struct app_reader *r, const struct app_choice *c, int row, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static int complain(struct app_reader *r, const struct app_choice *c, int row, const char *format, ...)
{
    struct app_message what;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    if (c->at)
        return app_node_complain(r, c->at[row], "%s", what.text);
    return refuse(r, c, c->line[row], what.text);
}

static struct app_value *cell_at(const struct app_choice *c, int row, int column)
{
    return &c->cell[(size_t)row * (size_t)c->columns + (size_t)column];
}

/* Room for a table of this size. */
static int make_room(struct app_reader *r, int rows, int columns, struct app_choice *out)
{
    const size_t cells = (size_t)rows * (size_t)columns;

    out->rows = rows;
    out->columns = columns;
    out->name = app_pool_new(&out->pool, (size_t)columns, sizeof *out->name);
    out->cell = app_pool_new(&out->pool, cells, sizeof *out->cell);
    out->line = app_pool_new(&out->pool, (size_t)rows, sizeof *out->line);
    return out->name && out->cell && out->line ? CKG_OK : app_node_no_memory(r);
}

static int check_size(struct app_reader *r, const yaml_node_t *node, int rows, int columns)
{
    if (rows < 2)
        return app_node_complain(r, node, "there must be at least 2 designs to choose from, not %d",
                                 rows < 0 ? 0 : rows);
    if (rows > MOST_DESIGNS)
        return app_node_complain(r, node, "there may be at most %d designs to choose from, not %d",
                                 MOST_DESIGNS, rows);
    if (columns > CKG_MAX_PARAMETERS)
        return app_node_complain(r, node, "there may be at most %d columns, not %d", CKG_MAX_PARAMETERS,
                                 columns);
    return CKG_OK;
}

/* --- from a CSV --- */

/* 1 for a short line of UTF-8 text without control characters. */
static int is_plain(const char *text)
{
    json_t *string = strlen(text) <= LONGEST_CELL && app_node_is_one_line(text) ? json_string(text) : NULL;
    const int plain = string != NULL;

    json_decref(string);
    return plain;
}

/* 007, and digits that a number would not keep, are names. */
static int is_code(const char *text)
{
    const char *digits = text + strspn(text, "+-");
    const size_t count = strspn(digits, "0123456789");

    return (digits[0] == '0' && count > 1) || (count > 15 && !digits[count]);
}

/* What a cell is when nobody put it in quotes; numbers are written as short as they read back the same. */
static int take_cell(struct app_reader *r, struct app_choice *c, int row, int column, const char *text)
{
    const char *name = c->name[column];
    struct app_value *cell = cell_at(c, row, column);
    char shortest[32];
    double number;
    const int decimal = !is_code(text) && app_is_decimal(text, &number);

    if (!*text)
        return complain(r, c, row, "'%.200s' is empty", name);
    if (!is_plain(text))
        return complain(r, c, row, "'%.200s' must be one line of UTF-8 text of at most %d bytes", name,
                        LONGEST_CELL);
    if (decimal && !isfinite(number))
        return complain(r, c, row, "'%.200s' is too large for a number", name);
    cell->type = decimal                                           ? APP_NUMBER
                 : !strcmp(text, "true") || !strcmp(text, "false") ? APP_BOOLEAN
                                                                   : APP_TEXT;
    cell->text = app_pool_copy(&c->pool, decimal ? app_number(number == 0 ? 0 : number, shortest) : text);
    return cell->text ? CKG_OK : app_node_no_memory(r);
}

static int take_names(struct app_reader *r, const struct app_csv_row *head, struct app_choice *out)
{
    struct app_message what = {""};

    for (int k = 0; k < head->count && !*what.text; k++) {
        const char *name = head->field[k];

        if (!*name || !is_plain(name))
            app_fail(&what, 0, "column %d needs a name, one line of UTF-8 text of at most %d bytes", k + 1,
                     LONGEST_CELL);
        for (int i = 0; i < k && !*what.text; i++)
            if (!strcmp(head->field[i], name))
                app_fail(&what, 0, "the column '%.200s' appears twice", name);
        out->name[k] = app_pool_copy(&out->pool, name);
        if (!out->name[k])
            return app_node_no_memory(r);
    }
    return *what.text ? refuse(r, out, head->line, what.text) : r->status;
}

static int take_rows(struct app_reader *r, const struct app_csv *csv, struct app_choice *out)
{
    take_names(r, &csv->row[0], out);
    for (int i = 0; !r->status && i < out->rows; i++) {
        const struct app_csv_row *row = &csv->row[i + 1];

        out->line[i] = row->line;
        if (row->count != out->columns)
            return complain(r, out, i, "%d fields, but the header has %d", row->count, out->columns);
        for (int k = 0; !r->status && k < out->columns; k++)
            take_cell(r, out, i, k, row->field[k]);
    }
    return r->status;
}

/* The CSV's path from the problem file's folder. */
static char *beside(struct app_pool *pool, const char *problem, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(problem, '/');

    return app_pool_print(pool, "%.*s%s", slash ? (int)(slash - problem) + 1 : 0, problem, name);
}

/* An ordinary file of a size that a list of designs may have. */
static int check_file(const char *path, struct app_message *why)
{
    struct stat facts;

    if (stat(path, &facts))
        return app_fail(why, CKG_ERR_INVALID, "%s: %s", path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return app_fail(why, CKG_ERR_INVALID, "%s: not a file", path);
    if (facts.st_size > LARGEST_FILE)
        return app_fail(why, CKG_ERR_INVALID, "%s: larger than 16 MiB", path);
    return CKG_OK;
}

static int read_file(struct app_reader *r, const yaml_node_t *node, struct app_choice *out)
{
    struct app_csv csv = {0};
    struct app_message why;
    char *text = NULL;
    size_t length = 0;
    const char *path = beside(&out->pool, r->path, app_node_text(node));

    out->file = app_node_text(node);
    if (!path)
        return app_node_no_memory(r);
    int status = check_file(path, &why);
    if (!status)
        status = app_read_file(path, &text, &length, &why);
    if (status)
        status == CKG_ERR_NOMEM ? app_node_no_memory(r) : app_node_complain(r, node, "%s", why.text);
    else
        r->status = app_csv_read(&csv, text, length, out->file, r->message);
    if (!r->status && !check_size(r, node, csv.rows - 1, csv.rows ? csv.row[0].count : 0) &&
        !make_room(r, csv.rows - 1, csv.row[0].count, out))
        take_rows(r, &csv, out);
    app_csv_free(&csv);
    free(text);
    return r->status;
}

/* --- from the problem file --- */

/* One design; its columns are those of the first. */
static int read_row(struct app_reader *r, const yaml_node_t *node, int row, struct app_choice *out)
{
    /* As many values as the first design has. */
    if (app_node_pairs(node) != out->columns)
        return app_node_complain(r, node, "this design has %d values, and the first one has %d",
                                 app_node_pairs(node), out->columns);
    for (int pair = 0; app_reader_has_pair(r, node, pair); pair++) {
        const yaml_node_t *key = app_reader_key(r, node, pair);
        char number[32];

        /* Each under a name of the first design, whose names are taken as they come. */
        if (!row && app_node_line(r, key, "a name", APP_LONGEST_NAME, &out->name[pair]))
            return r->status;
        const int column = app_choice_find(out, app_node_text(key));
        if (column < 0)
            return app_node_complain(r, key, "the first design has no '%.200s'", app_node_text(key));

        /* The value. */
        struct app_value *cell = cell_at(out, row, column);
        if (app_node_typed(r, app_reader_value(r, node, pair), number, cell))
            return r->status;
        cell->text = app_pool_copy(&out->pool, cell->text);
        if (!cell->text)
            app_node_no_memory(r);
    }
    return r->status;
}

static int read_list(struct app_reader *r, const yaml_node_t *node, struct app_choice *out)
{
    const int rows = app_node_items(node);

    for (int i = 0; i < rows; i++)
        if (app_reader_item(r, node, i)->type != YAML_MAPPING_NODE)
            return app_node_expect(r, app_reader_item(r, node, i), "a design {name: value, …}");
    const int columns = rows ? app_node_pairs(app_reader_item(r, node, 0)) : 0;
    if (check_size(r, node, rows, columns) || make_room(r, rows, columns, out))
        return r->status;
    out->at = app_pool_new(&out->pool, (size_t)rows, sizeof *out->at);
    if (!out->at)
        return app_node_no_memory(r);
    for (int i = 0; app_reader_has_item(r, node, i); i++) {
        out->at[i] = app_reader_item(r, node, i);
        read_row(r, out->at[i], i, out);
    }
    return r->status;
}

int app_choice_read(struct app_reader *r, const yaml_node_t *node, struct app_choice *out)
{
    *out = (struct app_choice){0};
    if (node->type == YAML_SEQUENCE_NODE)
        return read_list(r, node, out);
    if (!app_node_is_text(node) || app_node_is_nothing(node) || !*app_node_text(node))
        return app_node_expect(r, node, "the name of a CSV file, or a list of designs");
    return read_file(r, node, out);
}

/* --- columns --- */

int app_choice_find(const struct app_choice *c, const char *name)
{
    for (int k = 0; k < c->columns; k++)
        if (c->name[k] && !strcmp(c->name[k], name))
            return k;
    return -1;
}

int app_choice_range(const struct app_choice *c, int column, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < c->rows; i++) {
        const struct app_value *cell = cell_at(c, i, column);
        const double value = strtod(cell->text, NULL);

        if (cell->type != APP_NUMBER)
            return 0;
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
    return 1;
}

/* The rows (at most `most` of them) in which the column's different values first stand; how many values. */
static int find_values(const struct app_choice *c, int column, int most, int *first)
{
    int count = 0;

    for (int i = 0; i < c->rows && count <= most; i++) {
        int k = 0;
        while (k < count && k < most &&
               strcmp(cell_at(c, first[k], column)->text, cell_at(c, i, column)->text) != 0)
            k++;
        if (k == count && count < most)
            first[count] = i;
        count += k == count;
    }
    return count;
}

/* --- parameters that the file does not declare --- */

/* A copy of the cell that stays. */
static int keep_cell(struct app_reader *r, const struct app_choice *c, int row, int column,
                     struct app_value *out)
{
    *out = *cell_at(c, row, column);
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
    const int count = find_values(c, column, CKG_MAX_CATEGORIES, first);

    /* Not too many, not too few. */
    if (count > CKG_MAX_CATEGORIES)
        return complain(r, c, first[CKG_MAX_CATEGORIES - 1],
                        "'%.200s' has more than %d different values, too many for a categorical",
                        c->name[column], CKG_MAX_CATEGORIES);
    if (count < 2)
        return complain(r, c, 0, "'%.200s' is the same everywhere; a categorical needs 2 values",
                        c->name[column]);

    /* Their texts for the library, with their types for the program. */
    struct app_value *kept = app_reader_new(r, count, sizeof *kept);
    *values = kept;
    for (int v = 0; !r->status && v < count; v++) {
        keep_cell(r, c, first[v], column, &kept[v]);
        texts[v] = kept[v].text;
    }
    return !r->status && ckg_problem_add_categorical(r->out->problem, c->name[column], count, texts)
               ? complain(r, c, 0, "%s", ckg_error_message())
               : r->status;
}

/* 1 when every number of the column is whole. */
static int is_whole(const struct app_choice *c, int column)
{
    for (int i = 0; i < c->rows; i++) {
        const double value = strtod(cell_at(c, i, column)->text, NULL);

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
    const int values = find_values(c, column, CKG_MAX_CATEGORIES, first);

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
    return status ? complain(r, c, 0, "%s", ckg_error_message()) : CKG_OK;
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
    const struct app_value *cell = cell_at(c, row, column);
    const int categorical = p.kind == CKG_CATEGORICAL;

    if (!categorical && cell->type != APP_NUMBER)
        return complain(r, c, row, "%.200s = '%.200s' is not a number", p.name, cell->text);
    *out = categorical ? ckg_problem_category_find(p.problem, i, cell->text) : strtod(cell->text, NULL);
    return categorical && *out < 0
               ? complain(r, c, row, "'%.200s' is not one of the values of '%.200s'", cell->text, p.name)
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
        return c->at ? complain(r, c, row, "the same design as number %d of the list", i + 1)
                     : complain(r, c, row, "the same design as in line %d", c->line[i]);
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
            complain(r, c, row, "%s", ckg_error_message());
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
            if (strcmp(cell_at(c, row, column)->text, fixed->value.text) != 0)
                return complain(r, c, row, "parameter '%.200s' is fixed at %.200s", fixed->name,
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
