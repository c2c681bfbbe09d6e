/*
 * What the threads of a server share. The poller (poller.c) looks at the stores and keeps here what is quick
 * to know of each study. The server answers from that at once; for anything else it leaves a call, which a
 * thread of the call's lane (calls.c) makes, and waits for its end. Nobody computes, reads a store or writes
 * to the network while holding the lock.
 */
#ifndef CKG_APP_CACHE_H
#define CKG_APP_CACHE_H

#include <pthread.h>
#include <stdint.h>

#include "api/api.h"

enum { APP_STUDIES_MOST = 1000, APP_CALLS_MOST = 128, APP_CALLS_KEPT = 24 };

/* --- calls --- */

/* An action on a study that somebody waits for. The lock guards all but the first three, which never change.
 */
struct app_api_call {
    const struct app_action *action;
    int study; /* its index */
    char *in;  /* the input, as JSON, or NULL */

    int holders, waiters;
    int done;
    uint64_t version; /* of the study, at least; as it was made where it is done */
    int64_t revision;
    double made;
    int status; /* of the library */
    struct app_text out;
    struct app_message message;
    struct app_api_call *next; /* in its queue */
};

/* --- studies --- */

/* A trial as a line of JSON. */
struct app_line {
    int64_t revision;
    char *text;
};

/* What pages and programs get of it: an object of JSON; HTML in the list of studies, and on its own page. */
enum app_study_text { APP_STUDY_NAME, APP_STUDY_SUMMARY, APP_STUDY_ROW, APP_STUDY_HEAD, APP_STUDY_TEXTS };

/* Texts are the cache's; there are all of them once it has a version. */
struct app_cached_study {
    struct app_study_place place;
    int id; /* by which it is asked for */
    char *text[APP_STUDY_TEXTS];
    int generation;   /* how often it was opened anew */
    uint64_t version; /* the cache's sequence at its last change */
    int64_t revision;
    int count;
    struct app_line *lines; /* (count) */
    struct app_api_call *kept[APP_CALLS_KEPT];
    int turn; /* whose place among the kept is next */
};

struct app_cache {
    pthread_mutex_t lock;
    pthread_cond_t ready[APP_LANES];
    struct app_api_call *queue[APP_LANES];
    struct app_api_call *running[APP_LANES]; /* that others may share; NULL: none */
    int queued;
    int hurried; /* 1: the poller is to look at everything now */
    int filled;  /* 1: it has looked at everything once */
    int wakeup;  /* a descriptor: a byte for the server, for each change */
    int stopping;
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
int app_cache_add(struct app_cache *cache, const struct app_study_place *place, int id,
                  struct app_message *message);

/* What the poller found out of a study: the texts and lines become the cache's. */
struct app_study_update {
    char *text[APP_STUDY_TEXTS];
    int64_t revision;
    int anew; /* 1: the study was opened anew */
    int count;
    int changed;            /* how many lines there are */
    int *at;                /* (changed) trials by their index */
    struct app_line *lines; /* (changed) */
};
int app_cache_update(struct app_cache *cache, int study, struct app_study_update *update);

/* All threads end soon. */
void app_cache_stop(struct app_cache *cache);
int app_cache_is_stopping(struct app_cache *cache);

/* --- the server's side --- */

/* 1 when every study that there is, is in the cache. */
int app_cache_is_filled(struct app_cache *cache);

/* The call, done or under way, of a state of the study as it is now; NULL: too much is waiting already. */
struct app_api_call *app_cache_call(struct app_cache *cache, const struct app_api_call *wanted);

/* 1 when it is done. From then on it may be read by who holds it. */
int app_cache_is_done(struct app_cache *cache, struct app_api_call *call);

/* Nobody waits for it on this connection any more. */
void app_cache_leave(struct app_cache *cache, struct app_api_call *call);

/* --- the other threads' side --- */

/*
 * The next call; NULL: none has come for so many seconds (negative: ever), all is to stop, or the poller is
 * to look at everything.
 */
struct app_api_call *app_cache_next(struct app_cache *cache, enum app_lane lane, double seconds);

/* 1 when the poller is to look at everything now; not any more from then on. */
int app_cache_take_hurried(struct app_cache *cache);

/* The poller has looked at everything. */
void app_cache_set_filled(struct app_cache *cache);

/* 1 when nobody wants it any more: for the notebook's interrupt. */
int app_cache_is_unwanted(struct app_cache *cache, const struct app_api_call *call);

/*
 * What came of it: with the study's message where that is not CKG_OK, of the study at that version, 0: the
 * newest. What it has changed is soon in the cache.
 */
void app_cache_done(struct app_cache *cache, struct app_api_call *call, const struct app_api_study *study,
                    int status, uint64_t version);

#endif
