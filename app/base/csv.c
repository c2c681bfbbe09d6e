/* One pass over a copy of the text, in which each field is put together where it stands. */
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

struct parser {
    char *at, *end;
    char stop; /* what ended the field, 0: the text */
    const char *path;
    int line;
    char **field; /* the next */
    struct app_csv *out;
    struct app_message *message;
};

/* What stands between quotes; the closing one is passed. */
static int read_quoted(struct parser *p, char **to)
{
    const int opened = p->line;

    for (p->at++; p->at < p->end; p->at++) {
        if (*p->at == '"' && p->at + 1 < p->end && p->at[1] == '"')
            p->at++;
        else if (*p->at == '"') {
            p->at++;
            return CKG_OK;
        }
        p->line += *p->at == '\n';
        *(*to)++ = *p->at;
    }
    return app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a quote is not closed", p->path, opened);
}

static int ends_field(const struct parser *p)
{
    return p->at == p->end || *p->at == p->out->separator || *p->at == '\n' || *p->at == '\r';
}

/* A field, and what ends it, which is passed. */
static int read_field(struct parser *p)
{
    char *start = p->at;
    char *to = p->at;
    const int quoted = p->at < p->end && *p->at == '"';
    const int status = quoted ? read_quoted(p, &to) : CKG_OK;

    if (status)
        return status;
    if (quoted && !ends_field(p))
        return app_fail(p->message, CKG_ERR_INVALID, "%s:%d: expected a separator after a quoted field",
                        p->path, p->line);
    while (!ends_field(p))
        *to++ = *p->at++;
    p->stop = *p->at;
    p->at += p->at < p->end;
    *to = 0;
    *p->field++ = start;
    return strlen(start) == (size_t)(to - start)
               ? CKG_OK
               : app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a zero byte is not text", p->path, p->line);
}

static int read_row(struct parser *p)
{
    struct app_csv_row *row = &p->out->row[p->out->rows++];
    int status = CKG_OK;

    *row = (struct app_csv_row){.line = p->line, .field = p->field};
    do {
        status = read_field(p);
        row->count++;
    } while (!status && p->stop == p->out->separator);

    if (!status && p->stop == '\r' && p->at < p->end && *p->at != '\n')
        return app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a carriage return inside a line", p->path,
                        p->line);
    p->line += p->stop == '\n';
    return status;
}

/* What separates the fields of the first line that has any. */
static char find_separator(const char *at, const char *end)
{
    int semicolons = 0;
    int tabs = 0;
    int quoted = 0;

    while (at < end && (*at == '\n' || *at == '\r'))
        at++;
    for (; at < end && (quoted || (*at != '\n' && *at != '\r')); at++) {
        quoted ^= *at == '"';
        if (!quoted && *at == ',')
            return ',';
        semicolons += !quoted && *at == ';';
        tabs += !quoted && *at == '\t';
    }
    return semicolons ? ';' : tabs ? '\t' : ',';
}

/* The copy, and room for as many rows and fields as there can be. */
static int make_room(struct parser *p, const char *text, size_t length)
{
    struct app_pool *pool = &p->out->pool;
    size_t rows = 1;
    size_t fields = 1;

    for (size_t i = 0; i < length; i++) {
        rows += text[i] == '\n';
        fields += text[i] == '\n' || text[i] == p->out->separator;
    }
    p->at = app_pool_new(pool, length + 1, 1);
    p->field = app_pool_new(pool, fields, sizeof *p->field);
    p->out->row = app_pool_new(pool, rows, sizeof *p->out->row);
    if (!p->at || !p->field || !p->out->row)
        return app_no_memory(p->message);
    memcpy(p->at, text, length);
    p->end = p->at + length;
    return CKG_OK;
}

int app_csv_read(struct app_csv *out, const char *text, size_t length, const char *path,
                 struct app_message *message)
{
    const size_t mark = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    struct parser p = {.path = path, .line = 1, .out = out, .message = message};

    *out = (struct app_csv){.separator = find_separator(text + mark, text + length)};
    int status = make_room(&p, text + mark, length - mark);
    while (!status && p.at < p.end) {
        if (*p.at == '\n' || *p.at == '\r')
            p.line += *p.at++ == '\n';
        else
            status = read_row(&p);
    }
    if (status)
        app_csv_free(out);
    return status;
}

/* --- decimal commas --- */

/* 1 when the text is a number but for a comma in place of its point. */
static int has_decimal_comma(const char *text)
{
    const char *comma = strchr(text, ',');

    return comma && strspn(text, "+-0123456789,eE") == strlen(text) && !strchr(comma + 1, ',') &&
           comma > text && comma[1] >= '0' && comma[1] <= '9';
}

/* The first field of the numeric columns that has the character; NULL: none. */
static const struct app_csv_row *find_sign(const struct app_csv *csv, const unsigned char *numeric, char sign,
                                           int *column)
{
    for (int i = 1; i < csv->rows; i++)
        for (int k = 0; k < csv->row[i].count && k < csv->row[0].count; k++)
            if (numeric[k] && strchr(csv->row[i].field[k], sign)) {
                *column = k;
                return &csv->row[i];
            }
    return NULL;
}

int app_csv_points(struct app_csv *csv, const unsigned char *numeric, const char *path,
                   struct app_message *message)
{
    int at = 0;
    int other = 0;
    const struct app_csv_row *comma = find_sign(csv, numeric, ',', &at);
    const struct app_csv_row *point = find_sign(csv, numeric, '.', &other);

    /* Where it is not clear what a comma means, nothing is guessed. */
    if (!comma)
        return CKG_OK;
    if (point || csv->separator == ',')
        return app_fail(message, CKG_ERR_INVALID, "%s:%d: %s = '%s' has a comma%s; write numbers with points",
                        path, comma->line, csv->row[0].field[at], comma->field[at],
                        point ? ", while others have a point" : "");

    /* In all fields of these columns. */
    for (int i = 1; i < csv->rows; i++)
        for (int k = 0; k < csv->row[i].count && k < csv->row[0].count; k++)
            if (numeric[k] && has_decimal_comma(csv->row[i].field[k]))
                *strchr(csv->row[i].field[k], ',') = '.';
    return CKG_OK;
}

void app_csv_free(struct app_csv *csv)
{
    app_pool_free(&csv->pool);
    *csv = (struct app_csv){0};
}

/* --- what spreadsheets take for formulas --- */

/* 1 for a text that is a number, whatever sign it begins with. */
static int is_number(const char *text)
{
    char *stop;

    strtod(text, &stop);
    return stop != text && !*stop;
}

/* 1 when what follows the apostrophes would be run rather than shown. */
static int is_formula(const char *field)
{
    const char *start = field + strspn(field, "'");

    return *start && strchr("=+-@\t\r", *start) && !is_number(start);
}

void app_csv_unguard(char *field)
{
    if (*field == '\'' && is_formula(field))
        memmove(field, field + 1, strlen(field));
}

/* --- writing --- */

void app_csv_field(struct app_text *out, const char *field, int *first)
{
    const int formula = is_formula(field);
    const int quoted = formula || strpbrk(field, ",\"\r\n") != NULL || (!*field && *first);

    if (!*first)
        app_text_add(out, ",", 1);
    *first = 0;
    if (quoted)
        app_text_add(out, "\"", 1);
    if (formula)
        app_text_add(out, "'", 1);
    for (; *field; field++)
        app_text_add(out, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    if (quoted)
        app_text_add(out, "\"", 1);
}
