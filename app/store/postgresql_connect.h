/* Connections to a server of PostgreSQL. */
#ifndef CKG_APP_POSTGRESQL_CONNECT_H
#define CKG_APP_POSTGRESQL_CONNECT_H

#include <libpq-fe.h>

#include "store/sql.h"

/*
 * A connection for the URL, as PQconnectdb makes it: NULL without memory, to be asked for its status
 * otherwise. It is given up when nobody wants it any longer.
 */
PGconn *app_pg_connect(const char *url, const struct app_asking *asking);

/* Why there is none: APP_AWAY_… of store/store.h. */
int app_pg_away(const char *url);

#endif
