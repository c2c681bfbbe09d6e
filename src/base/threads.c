/*
 * The pool hands out its tasks with one atomic word, the ticket: the number of the run in its upper half, the tasks not yet
 * claimed in its lower half. Claiming a task is one compare-and-swap of the ticket; the caller of a run waits for the tasks,
 * never for the workers, so that a worker that sleeps through a short run costs nothing.
 *
 * A run's parameters are read before the swap. They are rewritten only when the ticket holds no tasks, and a ticket never
 * comes twice, so that a swap that succeeds proves that what was read belongs to the claimed task.
 *
 * Runs are short and follow each other closely: whoever waits looks at the atomic word for some tens of microseconds before
 * it sleeps.
 */
#include "base/threads.h"

#include "base/alloc.h"
#include "base/error.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SPIN_ROUNDS = 100, LOOKS_PER_ROUND = 64, CACHE_LINE = 64 };

struct worker {
    struct ckg__pool *pool;
    pthread_t thread;
    int number;
};

struct ckg__pool {
    _Alignas(CACHE_LINE) _Atomic uint64_t ticket;
    _Alignas(CACHE_LINE) atomic_int unfinished; /* tasks of this run that have not returned */
    _Alignas(CACHE_LINE) _Atomic(ckg__task) task;
    _Atomic(void *) context;
    atomic_int count;
    atomic_int stopping;
    int threads, started; /* workers in all, the caller counted; threads running */
    int sleeping;         /* workers waiting for `wake`, under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    struct worker *workers;
};

struct claim {
    ckg__task task;
    void *context;
    int index;
};

static uint32_t unclaimed(uint64_t ticket)
{
    return (uint32_t)ticket;
}

static int claim_task(struct ckg__pool *pool, struct claim *claim)
{
    uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);

    while (unclaimed(ticket) > 0) {
        claim->task = atomic_load_explicit(&pool->task, memory_order_relaxed);
        claim->context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        claim->index = atomic_load_explicit(&pool->count, memory_order_relaxed) - (int)unclaimed(ticket);
        if (atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket - 1, memory_order_acq_rel, memory_order_acquire))
            return 1;
    }
    return 0;
}

/* Runs tasks until none is left to claim. Whoever finishes the last one wakes the caller, who may be asleep. */
static void work(struct ckg__pool *pool, int number)
{
    struct claim claim;

    while (claim_task(pool, &claim)) {
        claim.task(claim.context, claim.index, number);
        if (atomic_fetch_sub_explicit(&pool->unfinished, 1, memory_order_acq_rel) == 1 && number > 0) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static int has_work(struct ckg__pool *pool)
{
    return unclaimed(atomic_load_explicit(&pool->ticket, memory_order_acquire)) > 0 || atomic_load(&pool->stopping);
}

static int all_finished(struct ckg__pool *pool)
{
    return atomic_load_explicit(&pool->unfinished, memory_order_acquire) == 0;
}

/* Looks for a while, yielding the processor between looks, as there may be more threads than processors. */
static int spin_until(int (*condition)(struct ckg__pool *), struct ckg__pool *pool)
{
    for (int round = 0; round < SPIN_ROUNDS; round++) {
        for (int look = 0; look < LOOKS_PER_ROUND; look++)
            if (condition(pool))
                return 1;
        sched_yield();
    }
    return 0;
}

static void wait_for_work(struct ckg__pool *pool)
{
    if (spin_until(has_work, pool))
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->sleeping++;
    while (!has_work(pool))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    pool->sleeping--;
    pthread_mutex_unlock(&pool->mutex);
}

static void wait_for_finish(struct ckg__pool *pool)
{
    if (spin_until(all_finished, pool))
        return;
    pthread_mutex_lock(&pool->mutex);
    while (!all_finished(pool))
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;

    while (!atomic_load(&worker->pool->stopping)) {
        work(worker->pool, worker->number);
        wait_for_work(worker->pool);
    }
    return NULL;
}

/* Workers take no signals: those are the application's, and its own threads are to get them. */
static int start_worker(struct ckg__pool *pool, int number)
{
    struct worker *worker = &pool->workers[number - 1];
    sigset_t all, before;
    int error;

    worker->pool = pool;
    worker->number = number;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&worker->thread, NULL, worker_main, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return ckg__fail(CKG_ERR_SYSTEM, "cannot start thread %d of %d", number + 1, pool->threads);
    pool->started++;
    return CKG_OK;
}

static int start_workers(struct ckg__pool *pool)
{
    int status = CKG_OK;

    if (pool->threads == 1)
        return CKG_OK;
    pool->workers = ckg__alloc_zero((size_t)pool->threads - 1, sizeof *pool->workers);
    if (!pool->workers)
        return CKG_ERR_NOMEM;
    for (int number = 1; number < pool->threads && status == CKG_OK; number++)
        status = start_worker(pool, number);
    return status;
}

/* POSIX lets these fail; with default attributes and static initialisers they cannot. */
static void init_locks(struct ckg__pool *pool)
{
    pool->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool->wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool->done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

int ckg__pool_new(struct ckg__pool **out, int threads)
{
    struct ckg__pool *pool;
    int status;

    *out = NULL;
    if (threads < 1)
        return ckg__fail(CKG_ERR_INVALID, "a pool needs at least one thread, not %d", threads);
    pool = ckg__alloc_zero(1, sizeof *pool);
    if (!pool)
        return CKG_ERR_NOMEM;
    pool->threads = threads;
    init_locks(pool);
    status = start_workers(pool);
    if (status != CKG_OK) {
        ckg__pool_free(pool);
        return status;
    }
    *out = pool;
    return CKG_OK;
}

void ckg__pool_free(struct ckg__pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->stopping, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    ckg__free(pool->workers);
    ckg__free(pool);
}

int ckg__pool_threads(const struct ckg__pool *pool)
{
    return pool->threads;
}

/* The ticket changes under the mutex, so that no worker falls asleep between its last look and the broadcast. */
static void publish(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    uint64_t run = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> 32) + 1;

    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->count, count, memory_order_relaxed);
    atomic_store_explicit(&pool->unfinished, count, memory_order_relaxed);
    pthread_mutex_lock(&pool->mutex);
    atomic_store_explicit(&pool->ticket, run << 32 | (uint32_t)count, memory_order_release);
    if (pool->sleeping > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

void ckg__pool_run(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    if (pool->threads == 1 || count <= 1) {
        for (int index = 0; index < count; index++)
            task(context, index, 0);
        return;
    }
    publish(pool, count, task, context);
    work(pool, 0);
    wait_for_finish(pool);
}
