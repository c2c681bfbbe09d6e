/*
 * A pool of worker threads that runs `count` independent tasks. Which worker runs a task is not determined,
 * so a task writes only to places that belong to its index (results) or its worker (scratch): then the
 * results are the same bits for any number of threads.
 */
#ifndef CKG_BASE_THREADS_H
#define CKG_BASE_THREADS_H

#include "base/interrupt.h"

struct ckg__arena;
struct ckg__pool;

/* How many processors this process may run on, at least 1. */
int ckg__processors(void);

typedef void (*ckg__task)(void *context, int index, int worker);

/*
 * A pool of `threads` workers, the caller of ckg__pool_run being worker 0; threads == 1 starts none. *out
 * NULL on failure.
 */
int ckg__pool_new(struct ckg__pool **out, int threads);
void ckg__pool_free(struct ckg__pool *pool);

/* What the pool's runs look at, borrowed; NULL: nothing. */
void ckg__pool_watch(struct ckg__pool *pool, struct ckg__interrupt *interrupt);
struct ckg__interrupt *ckg__pool_watched(const struct ckg__pool *pool);

/*
 * Runs task(context, i, worker) for i in 0 … count−1 and returns when all are done; or CKG_ERR_CANCELLED,
 * without a message, when that was interrupted and some may never have begun. A task may not call it, but may
 * call ckg__team_run.
 */
int ckg__pool_run(struct ckg__pool *pool, int count, ckg__task task, void *context);

/*
 * The workers that a task of a run may share its own work with: those that have nothing else to do help. A
 * task that belongs to such a shared piece shares no further.
 */
struct ckg__workers {
    struct ckg__pool *pool;       /* NULL: a team of one */
    int worker;                   /* the number that the task was given */
    struct ckg__arena *arena;     /* (threads) the workers' scratch */
    struct ckg__interrupt *alone; /* what a team of one looks at */
};

/*
 * The same for a part of a task, each task of so many multiply-adds; team NULL: one after the other, on
 * worker 0. 1 when that was given up, by an interrupt or a deadline: some tasks have not run.
 */
int ckg__workers_run(const struct ckg__workers *workers, int count, double work, ckg__task task,
                     void *context);

#endif
