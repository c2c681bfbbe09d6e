/*
 * A reserve of memory for jansson, which takes a failed allocation for a syntax error, or aborts: it lasts
 * for what a command reads at a time.
 */
#ifndef CKG_APP_RESERVE_H
#define CKG_APP_RESERVE_H

/* jansson allocates through this file from here on. */
void app_json_use_reserve(void);

/* Frees what json_dumps made. */
void app_json_free(void *text);

#endif
