/* The threads that make calls, each until the cache stops. */
#ifndef CKG_APP_CALLS_H
#define CKG_APP_CALLS_H

/* One for all calls that need models, and one of several that change studies; both take the cache. */
void *app_calls_models(void *cache);
void *app_calls_writes(void *cache);

#endif
