/*
 * Setting the thread's error message. The first failure's text stays: whoever passes a status on does not
 * overwrite it.
 */
#ifndef CKG_BASE_ERROR_H
#define CKG_BASE_ERROR_H

#include <ckg/status.h>

/*
 * Records the formatted line, unless one is recorded already, and returns status, so that `return
 * ckg__fail(...)` reads well.
 */
int ckg__fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The out-of-memory failure, with its standard line; returns CKG_ERR_NOMEM. */
int ckg__fail_nomem(void);

/* Every public function that can fail calls this first. */
void ckg__error_clear(void);

#endif
