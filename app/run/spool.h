/*
 * Answers that are not in a store yet, as files of a folder of this machine: written and synced before the
 * store hears of them, removed when it has them. So an answer outlives the store's absence, and the death of
 * the process that measured it: whoever next works for the same store here delivers it.
 */
#ifndef CKG_APP_SPOOL_H
#define CKG_APP_SPOOL_H

#include "store/store.h"

struct app_spool {
    char *folder;
    char *store;                     /* the store, without what is secret in its URL */
    const struct app_worker *worker; /* who writes into it */
    int count;                       /* files written so far */
};

/* An answer that waits; its texts are borrowed. */
struct app_spooled {
    const char *path;
    const char *study;
    struct app_worker worker; /* who measured it */
    struct app_trial result;  /* with the trial's design, and which evaluation of it this was */
};

/*
 * The folder, made where there is none; NULL: the user's own ($XDG_STATE_HOME/ckg/spool). The worker must
 * live as long.
 */
int app_spool_open(struct app_spool *spool, const char *folder, const char *url,
                   const struct app_worker *worker, struct app_message *message);
void app_spool_close(struct app_spool *spool);

/*
 * Writes the answer, down to the disk, at *path, which the caller frees: that file is removed once the store
 * has it.
 */
int app_spool_put(struct app_spool *spool, const char *study, const struct app_trial *result, char **path,
                  struct app_message *message);

/* Visits the answers for this store, but for those of other processes of this machine that live. */
typedef int app_spool_visit(void *context, const struct app_spooled *answer);
int app_spool_each(const struct app_spool *spool, app_spool_visit *visit, void *context);

#endif
