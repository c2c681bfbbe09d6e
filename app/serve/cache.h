/*
 * What the threads of a server share. The poller (poller.c) looks at the stores and keeps here a summary of
 * each study. The server answers from that at once; for anything else it leaves a call, which a thread of the
 * call's lane (poller.c, calls.c) makes, and waits for its end. Nobody computes, reads a store or writes to
 * the network while holding the lock.
 */
#ifndef CKG_APP_CACHE_H
#define CKG_APP_CACHE_H

#include <pthread.h>
#include <stdint.h>

#include "api/api.h"
#include "base/pool.h"

/* Of calls, so many wait at most, and so many results are kept for each study. */
enum { APP_STUDIES_MOST = 1000, APP_CALLS_MOST = 128, APP_CALLS_KEPT = 24 };

/* --- calls --- */

/* An action on a study that somebody waits for. The lock guards all but the first three, which never change.
 */
struct app_api_call {
    const struct app_action *action;
    int study; /* its index */
    char *in;  /* the input, as JSON, or NULL */

    enum { APP_CALL_QUEUED, APP_CALL_RUNNING, APP_CALL_DONE } state;
    int waiters;
    uint64_t version; /* of the study, at least; as it was made where it is done */
    int64_t revision;
    double made;
    int status; /* of the library */
    struct app_text out;
    struct app_message message;
    struct app_api_call *next;
};

/* --- studies --- */

/* The name and the summary are the cache's; there are both once it has a version. */
struct app_cached_study {
    struct app_pool pool; /* has the place */
    struct app_study_address place;
    int id; /* by which it is asked for */
    char *name;
    char *summary;    /* as app_summary_write has it */
    int generation;   /* how often it was opened anew */
    uint64_t version; /* the cache's sequence at its last change */
    int64_t revision;
    int count; /* of trials */
};

struct app_cache {
    pthread_mutex_t lock;
    pthread_cond_t ready[APP_LANES];
    struct app_api_call *calls; /* that wait, run, or may be asked for again, the oldest first */
    double due;                 /* when the poller is to look at everything again */
    _Atomic int filled;         /* 1: it has looked at everything once, so that every study is here */
    _Atomic int stopping;       /* 1: all threads end soon */
    int wakeup;                 /* a descriptor: a byte for the server, for each change */
    uint64_t sequence;
    int count;
    struct app_cached_study *studies[APP_STUDIES_MOST];
};

int app_cache_open(struct app_cache *cache, int wakeup, struct app_message *message);
void app_cache_close(struct app_cache *cache);

/*
 * A study more, by its place, which is copied, and its number, 0 or one that is taken: the next that is free.
 * CKG_ERR_STATE: there are too many.
 */
int app_cache_add(struct app_cache *cache, const struct app_study_address *place, int id,
                  struct app_message *message);

/* All threads end soon. */
void app_cache_stop(struct app_cache *cache);

/* --- the server's side --- */

/* The call, done or under way, of a state of the study as it is now; NULL: too much is waiting already. */
struct app_api_call *app_cache_call(struct app_cache *cache, const struct app_api_call *wanted);

/* 1 when it is done. From then on it may be read by who holds it. */
int app_cache_is_done(struct app_cache *cache, struct app_api_call *call);

/* Nobody waits for it on this connection any more. */
void app_cache_leave(struct app_cache *cache, struct app_api_call *call);

/* --- the poller's side --- */

/* How a study stands: texts are copied, the record may be NULL; anew 1: it was opened anew. */
struct app_study_update {
    const char *name, *summary;
    const struct app_study *record;
    int anew;
};

/* Nothing happens where it is as it was. CKG_ERR_NOMEM: it stays so. */
int app_cache_update(struct app_cache *cache, int study, const struct app_study_update *update);

/* Everything has been looked at, and is to be again after so many seconds, or once something was changed. */
void app_cache_set_looked(struct app_cache *cache, double seconds);

/* --- the other threads' side --- */

/* The next call; NULL: all is to stop, or to the lane of the poller, it is to look at everything. */
struct app_api_call *app_cache_next(struct app_cache *cache, enum app_lane lane);

/* 1 when nobody wants it any more: for the record's interrupt. */
int app_cache_is_unwanted(struct app_cache *cache, const struct app_api_call *call);

/*
 * What came of it: with the study's message where that is not CKG_OK, of the study at that version, 0: the
 * newest. What it has changed is soon in the cache.
 */
void app_cache_done(struct app_cache *cache, struct app_api_call *call, const struct app_api_study *study,
                    int status, uint64_t version);

#endif
