/*
 * A run hands out its tasks with one atomic word, the ticket: the number of the run in its upper half, the
 * tasks not yet claimed in its lower half. Claiming a task is one compare-and-swap of the ticket; the caller
 * of a run waits for the tasks, never for the workers, so that a worker that sleeps through a short run costs
 * nothing.
 *
 * A run's parameters are read before the swap. They are rewritten only when the ticket holds no tasks, and a
 * ticket never comes twice, so that a swap that succeeds proves that what was read belongs to the claimed
 * task.
 *
 * There is one place for the pool's run and one per worker for the run that its task shares out. Who shares
 * takes tasks of its own run alone, so that scratch is used as a stack; who has nothing to do takes from any
 * run, the shared ones first, as somebody waits for them.
 *
 * Runs are short and follow each other closely: whoever waits looks at the atomic words for some tens of
 * microseconds before it sleeps. The caller of a run that may be interrupted sleeps for 10 ms at most, then
 * looks whether it is.
 */
#include "base/threads.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum { SPIN_ROUNDS = 600, LOOKS_PER_ROUND = 64, CACHE_LINE = 64, NAP_NANOSECONDS = 10000000 };

/* Between two looks: who waits leaves the processor to a thread that shares its core. */
#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

struct worker {
    struct ckg__pool *pool;
    pthread_t thread;
    int number;
};

struct run {
    _Alignas(CACHE_LINE) _Atomic uint64_t ticket;
    _Alignas(CACHE_LINE) atomic_int unfinished; /* tasks of this run that have not returned */
    _Alignas(CACHE_LINE) _Atomic(ckg__task) task;
    _Atomic(void *) context;
    atomic_int count;
    _Atomic double work; /* multiply-adds of one task */
};

struct ckg__pool {
    struct run *runs; /* (threads + 1) the workers' shared ones, then the pool's */
    atomic_int stopping;
    struct ckg__interrupt *interrupt; /* NULL: runs are never given up */
    int threads, started;             /* workers in all, the caller counted; threads running */
    int sleeping;                     /* threads waiting for `wake`, under the mutex */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct worker *workers;
};

struct claim {
    struct run *run;
    ckg__task task;
    void *context;
    int index;
    double work;
};

static uint32_t unclaimed(uint64_t ticket)
{
    return (uint32_t)ticket;
}

static int has_tasks(struct run *run)
{
    return unclaimed(atomic_load_explicit(&run->ticket, memory_order_acquire)) > 0;
}

static int claim_task(struct run *run, struct claim *claim)
{
    uint64_t ticket = atomic_load_explicit(&run->ticket, memory_order_acquire);

    claim->run = run;
    while (unclaimed(ticket) > 0) {
        claim->task = atomic_load_explicit(&run->task, memory_order_relaxed);
        claim->context = atomic_load_explicit(&run->context, memory_order_relaxed);
        claim->work = atomic_load_explicit(&run->work, memory_order_relaxed);
        claim->index = atomic_load_explicit(&run->count, memory_order_relaxed) - (int)unclaimed(ticket);
        if (atomic_compare_exchange_weak_explicit(&run->ticket, &ticket, ticket - 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return 1;
    }
    return 0;
}

static int claim_any(struct ckg__pool *pool, struct claim *claim)
{
    for (int i = 0; i <= pool->threads; i++)
        if (claim_task(&pool->runs[i], claim))
            return 1;
    return 0;
}

static void wake_all(struct ckg__pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    if (pool->sleeping > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

/*
 * 1 when the task is to be left out: that of an interrupted run, or one that shares the work of a task which
 * is to give up.
 */
static int is_unwanted(struct ckg__pool *pool, const struct claim *claim)
{
    return claim->run == &pool->runs[pool->threads] ? ckg__interrupted(pool->interrupt)
                                                    : ckg__interrupted_by(pool->interrupt, claim->work);
}

/* Whoever finishes the last task of a run wakes its caller, who may be asleep. */
static void perform(struct ckg__pool *pool, const struct claim *claim, int number)
{
    if (!is_unwanted(pool, claim))
        claim->task(claim->context, claim->index, number);
    if (atomic_fetch_sub_explicit(&claim->run->unfinished, 1, memory_order_acq_rel) == 1)
        wake_all(pool);
}

/* What a thread waits for: tasks, or with a run the end of that run. */
struct wait {
    struct ckg__pool *pool;
    struct run *run; /* NULL: a worker between runs */
    int helps;       /* 1: tasks of other runs are welcome meanwhile */
    int naps;        /* 1: sleeps a short while only, whether it is over or not */
};

static int is_over(const struct wait *wait)
{
    if (wait->run && atomic_load_explicit(&wait->run->unfinished, memory_order_acquire) == 0)
        return 1;
    for (int i = 0; wait->helps && i <= wait->pool->threads; i++)
        if (has_tasks(&wait->pool->runs[i]))
            return 1;
    return !wait->run && atomic_load(&wait->pool->stopping);
}

/* Until woken, or for a short while; under the mutex. */
static void sleep_until_woken(const struct wait *wait)
{
    struct ckg__pool *pool = wait->pool;
    struct timespec end;

    if (!wait->naps) {
        pthread_cond_wait(&pool->wake, &pool->mutex);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += NAP_NANOSECONDS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&pool->wake, &pool->mutex, &end);
}

/*
 * Looks for a while, yielding the processor between looks, as there may be more threads than processors; then
 * sleeps.
 */
static void wait_until_over(const struct wait *wait)
{
    struct ckg__pool *pool = wait->pool;

    for (int round = 0; round < SPIN_ROUNDS; round++) {
        for (int look = 0; look < LOOKS_PER_ROUND; look++) {
            if (is_over(wait))
                return;
            RELAX();
        }
        sched_yield();
    }
    pthread_mutex_lock(&pool->mutex);
    pool->sleeping++;
    for (int slept = 0; !is_over(wait) && !(wait->naps && slept); slept = 1)
        sleep_until_woken(wait);
    pool->sleeping--;
    pthread_mutex_unlock(&pool->mutex);
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    const struct wait wait = {.pool = worker->pool, .helps = 1};
    struct claim claim;

    while (!atomic_load(&worker->pool->stopping)) {
        while (claim_any(worker->pool, &claim))
            perform(worker->pool, &claim, worker->number);
        wait_until_over(&wait);
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
    pool->runs = ckg__alloc_zero((size_t)threads + 1, sizeof *pool->runs);
    status = pool->runs ? start_workers(pool) : CKG_ERR_NOMEM;
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
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    ckg__free(pool->workers);
    ckg__free(pool->runs);
    ckg__free(pool);
}

void ckg__pool_watch(struct ckg__pool *pool, struct ckg__interrupt *interrupt)
{
    pool->interrupt = interrupt;
}

struct ckg__interrupt *ckg__pool_watched(const struct ckg__pool *pool)
{
    return pool->interrupt;
}

/* The ticket changes under the mutex, so that nobody falls asleep between the last look and the broadcast. */
static void publish(struct ckg__pool *pool, struct run *run, int count, double work, ckg__task task,
                    void *context)
{
    uint64_t number = (atomic_load_explicit(&run->ticket, memory_order_relaxed) >> 32) + 1;

    atomic_store_explicit(&run->task, task, memory_order_relaxed);
    atomic_store_explicit(&run->context, context, memory_order_relaxed);
    atomic_store_explicit(&run->count, count, memory_order_relaxed);
    atomic_store_explicit(&run->work, work, memory_order_relaxed);
    atomic_store_explicit(&run->unfinished, count, memory_order_relaxed);
    pthread_mutex_lock(&pool->mutex);
    atomic_store_explicit(&run->ticket, number << 32 | (uint32_t)count, memory_order_release);
    if (pool->sleeping > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

/* On the caller's thread alone. */
static void run_alone(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    for (int index = 0; index < count && !ckg__interrupted(pool->interrupt); index++)
        task(context, index, 0);
}

static int can_be_raised(const struct ckg__pool *pool)
{
    return pool->interrupt && pool->interrupt->callback;
}

/* The caller takes tasks like every worker; when there are none left it waits for those under way. */
static void run_together(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    struct run *run = &pool->runs[pool->threads];
    const struct wait wait = {.pool = pool, .run = run, .helps = 1, .naps = can_be_raised(pool)};
    struct claim claim;

    publish(pool, run, count, 0, task, context);
    do {
        while (claim_any(pool, &claim))
            perform(pool, &claim, 0);
        wait_until_over(&wait);
        ckg__interrupted(pool->interrupt);
    } while (atomic_load_explicit(&run->unfinished, memory_order_acquire) > 0);
}

int ckg__pool_run(struct ckg__pool *pool, int count, ckg__task task, void *context)
{
    assert(count >= 0);

    if (pool->threads == 1 || count <= 1)
        run_alone(pool, count, task, context);
    else
        run_together(pool, count, task, context);
    return ckg__interrupted(pool->interrupt) ? CKG_ERR_CANCELLED : CKG_OK;
}

static struct ckg__interrupt *interrupt_of(const struct ckg__workers *workers)
{
    return !workers ? NULL : workers->pool ? workers->pool->interrupt : workers->alone;
}

static int quits(const struct ckg__workers *workers)
{
    return ckg__interrupted_by(interrupt_of(workers), 0);
}

/* One after the other, on the thread of the task that asks for it. */
static int share_with_nobody(const struct ckg__workers *workers, int count, double work, ckg__task task,
                             void *context)
{
    struct ckg__interrupt *interrupt = interrupt_of(workers);

    for (int index = 0; index < count; index++) {
        if (ckg__interrupted_by(interrupt, work))
            return 1;
        task(context, index, workers ? workers->worker : 0);
    }
    return 0;
}

int ckg__workers_run(const struct ckg__workers *workers, int count, double work, ckg__task task,
                     void *context)
{
    assert(count >= 0 && work >= 0);

    struct claim claim;

    if (!workers || !workers->pool || workers->pool->threads == 1 || count <= 1)
        return share_with_nobody(workers, count, work, task, context);
    struct run *run = &workers->pool->runs[workers->worker];
    const struct wait wait = {.pool = workers->pool, .run = run};
    publish(workers->pool, run, count, work, task, context);
    while (claim_task(run, &claim))
        perform(workers->pool, &claim, workers->worker);
    wait_until_over(&wait);

    /* What makes others leave a task out is still so. */
    return quits(workers);
}
