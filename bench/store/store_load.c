/*
 * store_load URL WORKERS TRIALS: how fast a store is under load. A study with so many trials that wait; so
 * many processes that claim one and finish it, until none is left. Prints claims with finishes a second, and
 * the milliseconds of a trial that one process adds as its own, starts and finishes, as `ckg run` does.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/clock.h"
#include "store/store.h"

static struct app_message message;

static void must(int status)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", message.text);
    exit(1);
}

static int nobody_is_gone(int64_t process, int64_t born)
{
    (void)process;
    (void)born;
    return 0;
}

static void add(struct app_store *store, int64_t study, int first, int count, int64_t worker)
{
    enum { MOST = 100 };
    struct app_trial records[MOST];

    for (int i = 0; i < count; i++)
        records[i] = (struct app_trial){
            .state = worker ? APP_RUNNING : APP_PENDING,
            .origin = "policy",
            .queued = 1,
            .parameters = "{\"wire\": 0.3125, \"coils\": 7, \"alloy\": \"steel\"}",
            .seconds = NAN,
            .starts = worker != 0};
    must(app_store_add(store, study, first, count, records, worker, &message));
}

static void finish(struct app_store *store, int64_t study, const struct app_worker *worker, int number)
{
    const struct app_trial result = {.number = number,
                                     .state = APP_COMPLETE,
                                     .outcomes = "{\"weight\": 1.90625, \"stress\": -0.25}",
                                     .seconds = 1,
                                     .starts = 1};
    int kept;

    must(app_store_finish(store, study, &result, worker->id, &kept, &message));
}

/* One trial; 0: there was none. */
static int evaluate(struct app_store *store, int64_t study, const struct app_worker *worker)
{
    struct app_claim claim;

    must(app_store_claim(store, study, worker, nobody_is_gone, &claim, &message));
    if (claim.number)
        finish(store, study, worker, claim.number);
    return claim.number;
}

/* One as `ckg run` has it: the turn, the trial as this worker's, its process, its result. */
static void evaluate_new(struct app_store *store, int64_t study, const struct app_worker *worker, int number)
{
    int taken;

    must(app_store_lock(store, study, &taken, &message));
    add(store, study, number, 1, worker->id);
    app_store_unlock(store, study);
    must(app_store_started(store, study, number, worker->id, getpid(), 1, &message));
    finish(store, study, worker, number);
}

static struct app_worker begin(struct app_store **store, const char *url)
{
    struct app_worker worker = {.machine = "load", .process = getpid(), .born = 1};

    must(app_store_open(store, url, 1, &message));
    must(app_store_worker_add(*store, &worker, &message));
    return worker;
}

/* The processes wait for each other, so that opening the store is not counted. */
static void work(const char *url, int64_t study, int ready, int go)
{
    struct app_store *store;
    const struct app_worker worker = begin(&store, url);
    char byte = 0;

    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) < 0)
        exit(1);
    while (evaluate(store, study, &worker))
        ;
    app_store_close(store);
    exit(0);
}

/* Seconds of all trials by so many processes. */
static double run(const char *url, int64_t study, int workers)
{
    int ready[2];
    int go[2];
    int failed = 0;
    int status;
    char byte;

    if (pipe(ready) || pipe(go))
        exit(1);
    for (int i = 0; i < workers; i++)
        if (!fork()) {
            close(go[1]);
            work(url, study, ready[1], go[0]);
        }
    close(go[0]);
    for (int i = 0; i < workers; i++)
        if (read(ready[0], &byte, 1) != 1)
            exit(1);

    const double start = app_clock();
    close(go[1]);
    while (wait(&status) > 0)
        failed |= status;
    if (failed)
        exit(1);
    return app_clock() - start;
}

int main(int argc, char **argv)
{
    enum { ALONE = 100, BATCH = 100 };
    struct app_study_record record = {.name = "load", .definition = "{}", .folder = "/", .seed = 1};
    struct app_study_record study;
    struct app_store *store;

    if (argc != 4)
        return 2;
    const int workers = atoi(argv[2]);
    const int trials = atoi(argv[3]) / BATCH * BATCH;
    const struct app_worker worker = begin(&store, argv[1]);
    must(app_store_study_create(store, &record, &study, &message));

    /* One after the other by one process; the last claims what waits, for who reads the server's log. */
    const double start = app_clock();
    for (int i = 1; i < ALONE; i++)
        evaluate_new(store, study.id, &worker, i);
    const double alone = app_clock() - start;
    add(store, study.id, ALONE, 1, 0);
    evaluate(store, study.id, &worker);

    /* All that wait by all. */
    for (int i = 0; i < trials; i += BATCH)
        add(store, study.id, ALONE + i + 1, BATCH, 0);
    app_store_close(store);
    const double seconds = run(argv[1], study.id, workers);
    printf("%d workers: %.0f claims with finishes a second; added, started and finished by one: %.2f ms a "
           "trial\n",
           workers, trials / seconds, 1e3 * alone / (ALONE - 1));
    app_study_record_free(&study);
    return 0;
}
