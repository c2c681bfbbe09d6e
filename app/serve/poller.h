/* What looks at the stores. */
#ifndef CKG_APP_POLLER_H
#define CKG_APP_POLLER_H

#include "serve/cache.h"

/* Stores of which all studies are shown, also those that come later. */
struct app_poller {
    struct app_cache *cache;
    int stores;
    const char *const *store; /* (stores) URLs */
};

/* A thread, until the cache stops. */
void *app_poller_work(void *poller);

/* Looks at everything for the first time, so that what is wrong with the command line is said at once. */
int app_poller_begin(struct app_poller *poller, struct app_message *message);

#endif
