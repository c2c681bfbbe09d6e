/*
 * The databases that this program can keep studies in: a line each, with the NAME of the row app_sql_NAME of
 * store/sql.h and what its URLs look like. A path alone is the first's, and so is the default store of a
 * problem file, which has that file's path with another ending.
 */
#ifndef CKG_APP_DRIVERS_H
#define CKG_APP_DRIVERS_H

#define APP_STORE_ENDING ".db"

#define APP_SQL_DRIVERS(FIRST, NEXT)                                                                         \
    FIRST(sqlite, "sqlite:PATH")                                                                             \
    NEXT(postgresql, "postgresql://HOST/DATABASE")

#endif
