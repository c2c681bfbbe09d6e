/* Values as libpq takes them and gives them back: in binary, so that numbers stay what they are bit for bit.
 */
#ifndef CKG_APP_POSTGRESQL_VALUES_H
#define CKG_APP_POSTGRESQL_VALUES_H

#include <libpq-fe.h>

#include "store/sql.h"

/* The most parameters of a statement, and columns of a row. */
enum { APP_PG_PARAMETERS = 24 };

/* The parameters of a statement, as libpq takes them. */
struct app_pg_bound {
    Oid types[APP_PG_PARAMETERS];
    const char *values[APP_PG_PARAMETERS];
    int lengths[APP_PG_PARAMETERS];
    int formats[APP_PG_PARAMETERS];
    char numbers[APP_PG_PARAMETERS][8];
    char *texts[APP_PG_PARAMETERS]; /* to be freed */
};

/* The parameter at i; 0: out of memory. What the first `count` of them own is freed by the second. */
int app_pg_bind(struct app_pg_bound *bound, int i, const struct app_sql_value *value);
void app_pg_unbind(struct app_pg_bound *bound, int count);

/* Gives every row of the result to `row`. */
int app_pg_give_rows(const PGresult *result, app_sql_row *row, void *context, struct app_message *message);

#endif
