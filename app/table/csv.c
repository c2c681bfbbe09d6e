/* One pass over the text. */
#include "table/csv.h"

#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

struct parser {
    const char *at, *end, *path;
    int line;
    struct app_csv *out;
    struct app_message *message;
};

static int no_memory(struct parser *p)
{
    return app_fail(p->message, CKG_ERR_NOMEM, "out of memory");
}

/* What stands between quotes; the closing one is passed. */
static int read_quoted(struct parser *p, struct app_text *field)
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
        app_text_add(field, p->at, 1);
    }
    return app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a quote is not closed", p->path, opened);
}

static int ends_field(const struct parser *p)
{
    return p->at == p->end || *p->at == ',' || *p->at == '\n' || *p->at == '\r';
}

static int read_field(struct parser *p, char **out)
{
    struct app_text field = {0};
    const int quoted = p->at < p->end && *p->at == '"';
    int status = CKG_OK;

    app_text_add(&field, "", 0);
    if (quoted)
        status = read_quoted(p, &field);
    if (!status && quoted && !ends_field(p))
        status = app_fail(p->message, CKG_ERR_INVALID, "%s:%d: expected a comma after a quoted field",
                          p->path, p->line);
    for (; !status && !ends_field(p); p->at++)
        app_text_add(&field, p->at, 1);
    if (!status && field.failed)
        status = no_memory(p);
    if (!status && strlen(field.data) != field.length)
        status = app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a zero byte is not text", p->path, p->line);
    *out = field.data;
    return status;
}

static int add_field(struct app_csv_row *row, char *field)
{
    char **grown = realloc(row->field, ((size_t)row->count + 1) * sizeof *grown);

    if (!grown) {
        free(field);
        return 0;
    }
    row->field = grown;
    row->field[row->count++] = field;
    return 1;
}

static int read_row(struct parser *p)
{
    struct app_csv_row *grown = realloc(p->out->row, ((size_t)p->out->rows + 1) * sizeof *grown);

    if (!grown)
        return no_memory(p);
    p->out->row = grown;
    struct app_csv_row *row = &grown[p->out->rows++];
    *row = (struct app_csv_row){.line = p->line};

    /* Its fields. */
    for (;;) {
        char *field;
        const int status = read_field(p, &field);
        if (status) {
            free(field);
            return status;
        }
        if (!add_field(row, field))
            return no_memory(p);
        if (p->at == p->end || *p->at != ',')
            break;
        p->at++;
    }

    /* Its end. */
    if (p->at < p->end && *p->at == '\r')
        p->at++;
    if (p->at < p->end && *p->at != '\n')
        return app_fail(p->message, CKG_ERR_INVALID, "%s:%d: a carriage return inside a line", p->path,
                        p->line);
    return CKG_OK;
}

int app_csv_read(struct app_csv *out, const char *text, size_t length, const char *path,
                 struct app_message *message)
{
    struct parser p = {
        .at = text, .end = text + length, .path = path, .line = 1, .out = out, .message = message};
    int status = CKG_OK;

    *out = (struct app_csv){0};
    if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
        p.at += 3;
    while (!status && p.at < p.end) {
        if (*p.at == '\n' || *p.at == '\r') {
            p.line += *p.at++ == '\n';
            continue;
        }
        status = read_row(&p);
    }
    if (status)
        app_csv_free(out);
    return status;
}

void app_csv_free(struct app_csv *csv)
{
    for (int i = 0; i < csv->rows; i++) {
        for (int k = 0; k < csv->row[i].count; k++)
            free(csv->row[i].field[k]);
        free(csv->row[i].field);
    }
    free(csv->row);
    *csv = (struct app_csv){0};
}

void app_csv_field(struct app_text *out, const char *field, int *first)
{
    const int quoted = strpbrk(field, ",\"\r\n") != NULL || (!*field && *first);

    if (!*first)
        app_text_add(out, ",", 1);
    *first = 0;
    if (quoted)
        app_text_add(out, "\"", 1);
    for (; *field; field++)
        app_text_add(out, *field == '"' ? "\"\"" : field, *field == '"' ? 2 : 1);
    if (quoted)
        app_text_add(out, "\"", 1);
}
