/* The tables of an SQL store, version by version. */
#ifndef CKG_APP_SCHEMA_H
#define CKG_APP_SCHEMA_H

#include "store/sql.h"

/*
 * Brings the database to this program's version, from nothing where `create` is 1; refuses what is newer or
 * not a store.
 */
int app_schema_open(struct app_sql *sql, int create, struct app_message *message);

#endif
