/* A short call of another program, as a scheduler's: waited for, with all that it says. */
#ifndef CKG_APP_CALL_H
#define CKG_APP_CALL_H

#include "base/text.h"

struct app_call {
    int status; /* as from waitpid */
    struct app_text out, err;
};

/*
 * Runs the words with that input, `patience` seconds at most; environment NULL: ours. CKG_OK: it has ended.
 * CKG_ERR_STATE: it was killed, being late; CKG_ERR_SYSTEM: it cannot be started. Free it whatever comes.
 */
int app_call(struct app_call *call, char *const *words, char *const *environment, const char *input,
             double patience, struct app_message *message);

/* 1 when it has ended with exit status 0. */
int app_call_worked(const struct app_call *call);

void app_call_free(struct app_call *call);

#endif
