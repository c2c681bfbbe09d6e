/* The pool: every task runs once, results do not depend on the number of threads, failures leak nothing. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/threads.h"
#include "support/test.h"

enum { MAX_TASKS = 257, MAX_THREADS = 4, SHORT_RUNS = 2000, PAUSED_RUNS = 20 };

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int threads_allowed = -1; /* how many more threads the system starts; negative: as many as asked for */

/* Stands before the system's function, which cannot be made to fail in another way for root too. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    create_function create;

    if (threads_allowed == 0)
        return EAGAIN;
    if (threads_allowed > 0)
        threads_allowed--;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, start, argument);
}

struct job {
    double results[MAX_TASKS];
    int runs[MAX_TASKS];
    int per_worker[MAX_THREADS];
    int pause_microseconds;
};

static void pause_for(int microseconds)
{
    nanosleep(&(struct timespec){0, microseconds * 1000L}, NULL);
}

static void draw_task(void *context, int index, int worker)
{
    struct job *job = context;
    struct ckg__rng rng;
    double sum = 0;

    ckg__rng_seed(&rng, 11, (uint64_t)index, 0);
    for (int i = 0; i < 100; i++)
        sum += sin(ckg__rng_normal(&rng));
    if (job->pause_microseconds > 0)
        pause_for(job->pause_microseconds);
    job->results[index] = sum;
    job->runs[index]++;
    job->per_worker[worker]++;
}

/* Every task of `count` ran exactly once, by workers that exist. */
static void check_job(const struct job *job, int count, int threads)
{
    int total = 0;

    for (int i = 0; i < MAX_TASKS; i++)
        assert_int_equal(job->runs[i], i < count);
    for (int worker = 0; worker < MAX_THREADS; worker++) {
        total += job->per_worker[worker];
        if (worker >= threads)
            assert_int_equal(job->per_worker[worker], 0);
    }
    assert_int_equal(total, count);
}

static struct ckg__pool *new_pool(int threads)
{
    struct ckg__pool *pool;

    assert_int_equal(ckg__pool_new(&pool, threads), CKG_OK);
    return pool;
}

static void test_same_results_at_any_number_of_threads(void **state)
{
    static const int counts[] = {0, 1, 2, 3, 64, MAX_TASKS};
    struct job serial = {0};

    (void)state;
    for (int i = 0; i < MAX_TASKS; i++)
        draw_task(&serial, i, 0);
    for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
        struct ckg__pool *pool = new_pool(threads);

        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            struct job job = {0};

            ckg__pool_run(pool, counts[c], draw_task, &job);
            check_job(&job, counts[c], threads);
            assert_memory_equal(job.results, serial.results, (size_t)counts[c] * sizeof(double));
        }
        ckg__pool_free(pool);
    }
}

static void count_task(void *context, int index, int worker)
{
    (void)worker;
    ((int *)context)[index]++;
}

/*
 * Runs that follow each other at once, with contexts that come and go: a worker that is late may not touch
 * the next one.
 */
static void test_many_short_runs(void **state)
{
    struct ckg__pool *pool = new_pool(MAX_THREADS);

    (void)state;
    for (int run = 0; run < SHORT_RUNS; run++) {
        int count = 2 + run % 7, runs[8] = {0};

        ckg__pool_run(pool, count, count_task, runs);
        for (int i = 0; i < 8; i++)
            assert_int_equal(runs[i], i < count);
    }
    ckg__pool_free(pool);
}

struct sharing {
    struct ckg__pool *pool;
    int parts[MAX_TASKS][8];
};

/* Shares its own part of the work out, twice, and sees it done each time. */
static void share_task(void *context, int index, int worker)
{
    struct sharing *sharing = context;
    const struct ckg__workers workers = {sharing->pool, worker, NULL, NULL};
    int *parts = sharing->parts[index];

    for (int round = 1; round <= 2; round++) {
        ckg__workers_run(&workers, 2 + index % 7, 1, count_task, parts);
        for (int i = 0; i < 8; i++)
            if (parts[i] != (i < 2 + index % 7 ? round : 0))
                parts[7] = -100;
    }
}

static void test_tasks_that_share_their_work(void **state)
{
    static struct sharing sharing;

    (void)state;
    for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
        sharing.pool = new_pool(threads);
        for (int run = 0; run < 100; run++) {
            const int count = 1 + run % 5;

            memset(sharing.parts, 0, sizeof sharing.parts);
            ckg__pool_run(sharing.pool, count, share_task, &sharing);
            for (int t = 0; t < count; t++)
                for (int i = 0; i < 8; i++)
                    assert_int_equal(sharing.parts[t][i], i < 2 + t % 7 ? 2 : 0);
        }
        ckg__pool_free(sharing.pool);
    }
}

/* Without a team the parts come one after the other. */
static void test_no_workers(void **state)
{
    int parts[8] = {0};

    (void)state;
    assert_int_equal(ckg__workers_run(NULL, 5, 1, count_task, parts), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(parts[i], i < 5);
}

/* Long enough between runs for the workers to fall asleep, and tasks long enough for the caller to. */
static void test_runs_with_sleeping_workers(void **state)
{
    struct ckg__pool *pool = new_pool(MAX_THREADS);

    (void)state;
    for (int run = 0; run < PAUSED_RUNS; run++) {
        struct job job = {.pause_microseconds = 1000};

        pause_for(2000);
        ckg__pool_run(pool, MAX_THREADS, draw_task, &job);
        check_job(&job, MAX_THREADS, MAX_THREADS);
    }
    pause_for(2000);
    ckg__pool_free(pool);
}

static void test_pool_that_never_ran_is_freed(void **state)
{
    (void)state;
    ckg__pool_free(new_pool(MAX_THREADS));
    ckg__pool_free(new_pool(1));
    ckg__pool_free(NULL);
}

static int refuse_nth(size_t bytes, void *context)
{
    (void)bytes;
    return (*(int *)context)-- != 0;
}

static void test_system_refuses_a_thread(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < MAX_THREADS - 1; allowed++) {
        struct ckg__pool *pool;
        int status;

        ckg__error_clear();
        threads_allowed = allowed;
        status = ckg__pool_new(&pool, MAX_THREADS);
        threads_allowed = -1;
        assert_int_equal(status, CKG_ERR_SYSTEM);
        assert_null(pool);
        assert_non_null(strstr(ckg_error_message(), "cannot start thread"));
    }
}

static void test_no_threads_or_no_memory(void **state)
{
    struct ckg__pool *pool;

    (void)state;
    ckg__error_clear();
    assert_int_equal(ckg__pool_new(&pool, 0), CKG_ERR_INVALID);
    assert_null(pool);
    for (int nth = 0; nth < 2; nth++) {
        int left = nth, status;

        ckg__error_clear();
        ckg__alloc_set_hook(refuse_nth, &left);
        status = ckg__pool_new(&pool, 3);
        ckg__alloc_set_hook(NULL, NULL);
        assert_int_equal(status, CKG_ERR_NOMEM);
        assert_null(pool);
        assert_string_equal(ckg_error_message(), "out of memory");
    }
}

#if defined(__linux__)
/* A job that was given one processor of many has one. */
static void test_processors_that_are_allowed(void **state)
{
    cpu_set_t all, one;
    int first = 0;
    (void)state;

    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(ckg__processors(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(ckg__processors(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}
#else
static void test_processors_that_are_allowed(void **state)
{
    (void)state;
    assert_true(ckg__processors() >= 1);
}
#endif

int main(void)
{
    return RUN_TESTS(test_processors_that_are_allowed, test_same_results_at_any_number_of_threads,
                     test_many_short_runs, test_tasks_that_share_their_work, test_no_workers,
                     test_runs_with_sleeping_workers, test_pool_that_never_ran_is_freed,
                     test_system_refuses_a_thread, test_no_threads_or_no_memory);
}
