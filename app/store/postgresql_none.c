/* In place of store/postgresql.c where libpq is not installed: says so. */
#include <ckg/status.h>

#include "store/sql.h"

static int none_open(void **out, const char *url, int create, const struct app_asking *asking,
                     struct app_message *message)
{
    (void)create;
    (void)asking;
    *out = NULL;
    return app_fail(message, CKG_ERR_INVALID,
                    "%s: this program was built without PostgreSQL (libpq); build it where that is installed "
                    "(Debian: libpq-dev), or use a file: sqlite:PATH",
                    url);
}

const struct app_sql_driver app_sql_postgresql = {
    .scheme = "postgresql:",
    .alias = "postgres:",
    .open = none_open,
};
