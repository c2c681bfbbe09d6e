/* Numbers as eight bytes, the highest first, as they travel; texts as store/utf8.h writes them. */
#include "store/postgresql_values.h"

#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

#include "store/utf8.h"

/* Types of PostgreSQL, by the numbers that its catalogue gives them. */
enum { TYPE_BOOL = 16, TYPE_INT8 = 20, TYPE_INT2 = 21, TYPE_INT4 = 23, TYPE_TEXT = 25, TYPE_FLOAT8 = 701 };

/* Eight bytes, the highest first, as they travel. */
static void write_bits(uint64_t bits, char out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = (char)(bits >> (56 - 8 * i));
}

static uint64_t read_bits(const char *bytes, int count)
{
    uint64_t bits = (signed char)bytes[0] < 0 ? UINT64_MAX : 0;

    for (int i = 0; i < count; i++)
        bits = bits << 8 | (unsigned char)bytes[i];
    return bits;
}

void app_pg_unbind(struct app_pg_bound *b, int count)
{
    for (int i = 0; i < count; i++)
        free(b->texts[i]);
}

int app_pg_bind(struct app_pg_bound *b, int i, const struct app_sql_value *value)
{
    static const Oid types[] = {
        [APP_SQL_INTEGER] = TYPE_INT8, [APP_SQL_REAL] = TYPE_FLOAT8, [APP_SQL_TEXT] = TYPE_TEXT};
    const enum app_sql_type type = value->type == APP_SQL_NULL ? value->otherwise : value->type;
    uint64_t bits = (uint64_t)value->integer;

    b->types[i] = types[type];
    b->values[i] = NULL;
    b->texts[i] = NULL;
    b->lengths[i] = 8;
    b->formats[i] = 1;
    if (value->type == APP_SQL_TEXT) {
        if (app_utf8_differs(value->text)) {
            b->texts[i] = app_utf8_write(value->text);
            if (!b->texts[i])
                return 0;
        }
        b->values[i] = b->texts[i] ? b->texts[i] : value->text;
        b->lengths[i] = (int)strlen(b->values[i]);
    } else if (value->type != APP_SQL_NULL) {
        if (value->type == APP_SQL_REAL)
            memcpy(&bits, &value->real, sizeof bits);
        write_bits(bits, b->numbers[i]);
        b->values[i] = b->numbers[i];
    }
    return 1;
}

/* The column of the row; *text is to be freed. 0: out of memory. */
static int read_column(const PGresult *result, int row, int column, struct app_sql_value *out, char **text)
{
    const Oid type = PQftype(result, column);
    const char *bytes = PQgetvalue(result, row, column);
    uint64_t bits;

    *out = (struct app_sql_value){0};
    *text = NULL;
    if (PQgetisnull(result, row, column))
        return 1;

    if (type == TYPE_INT8 || type == TYPE_INT4 || type == TYPE_INT2 || type == TYPE_BOOL) {
        out->type = APP_SQL_INTEGER;
        out->integer = (int64_t)read_bits(bytes, PQgetlength(result, row, column));
        out->real = (double)out->integer;
    } else if (type == TYPE_FLOAT8) {
        out->type = APP_SQL_REAL;
        bits = read_bits(bytes, 8);
        memcpy(&out->real, &bits, sizeof bits);
        out->integer = out->real > -9e18 && out->real < 9e18 ? (int64_t)out->real : 0;
    } else {
        out->type = APP_SQL_TEXT;
        out->text = bytes;
        if (app_utf8_differed(bytes))
            out->text = *text = app_utf8_read(bytes);
    }
    return out->type != APP_SQL_TEXT || out->text;
}

int app_pg_give_rows(const PGresult *result, app_sql_row *row, void *context, struct app_message *message)
{
    const int count = PQnfields(result) < APP_PG_PARAMETERS ? PQnfields(result) : APP_PG_PARAMETERS;
    int status = CKG_OK;

    for (int i = 0; !status && i < PQntuples(result); i++) {
        struct app_sql_value columns[APP_PG_PARAMETERS] = {{0}};
        char *texts[APP_PG_PARAMETERS] = {NULL};

        for (int k = 0; !status && k < count; k++)
            if (!read_column(result, i, k, &columns[k], &texts[k]))
                status = app_no_memory(message);
        if (!status)
            status = row(context, columns, message);
        for (int k = 0; k < count; k++)
            free(texts[k]);
    }
    return status;
}
