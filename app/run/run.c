/*
 * The loop of a run: places are filled, then everything waits in one poll: pipes and ends of the children,
 * requests to stop, the clock.
 */
#include "run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "present/statement.h"
#include "study/study_work.h"
#include "run/run_steps.h"

/* Seconds: between heartbeats, between drawings of the block. */
static const double heartbeat = 10;
static const double redraw = 1;

struct run {
    struct app_steps steps;
    struct app_places places;
    struct app_worker worker;
    char machine[256];
    double beaten;
    double drawn;
};

/* Until something happens or has to be done. */
static void wait_for_something(struct run *r)
{
    struct app_notebook *n = r->steps.n;
    double until = fmin(r->beaten + heartbeat, app_steps_look(&r->steps));

    /* The store tells of changes, where it can and they matter here. */
    r->places.news = -1;
    if (app_steps_look(&r->steps) < INFINITY) {
        r->places.news = n->store->table->listen(n->store, n->study);
        if (n->store->table->heard(n->store))
            return;
    }

    if (r->steps.progress.kind == APP_PROGRESS_BLOCK)
        until = fmin(until, r->drawn + redraw);
    app_places_wait(&r->places, until);
}

/* A sign of life where it is time; 1 when it was. When a result comes is early enough to complain. */
static int give_sign(struct run *r, int *status)
{
    const struct app_notebook *n = r->steps.n;
    struct app_message unheard;
    const int due = app_clock() - r->beaten >= heartbeat;

    if (!due)
        return 0;
    *status = n->store->table->heartbeat(n->store, &r->worker, &unheard);
    r->beaten = app_clock();
    return 1;
}

/* The same while a design is chosen. */
static void tick(void *context)
{
    int unheard;

    give_sign(context, &unheard);
}

/* The heartbeat, the orphans that have ended meanwhile, and the block. */
static void keep_alive(struct run *r)
{
    struct app_notebook *n = r->steps.n;
    const double now = app_clock();
    struct app_message unheard;
    int status;

    if (give_sign(r, &status)) {
        if (status == CKG_ERR_NOT_FOUND)
            n->store->table->worker_add(n->store, &r->worker, &unheard);
        app_places_reap(&r->places);
    }
    if (now - r->drawn >= redraw) {
        app_progress_draw(&r->steps.progress, n);
        r->drawn = now;
    }
}

/* Says what it waits for, when that has changed. */
static void note(struct app_steps *r)
{
    const char *text = r->places->interrupts && r->running
                           ? "finishing the running evaluations; Ctrl-C again kills them"
                       : r->outage.paused           ? "paused, as evaluations fail; finishing those that run"
                       : r->n->hold.held            ? "paused by a person; `ckg resume` goes on"
                       : !r->running && !r->waiting ? "waiting for other programs"
                                                    : "";
    char line[128];

    if (strcmp(text, r->progress.note) == 0)
        return;
    snprintf(r->progress.note, sizeof r->progress.note, "%s", text);
    if (r->places->interrupts == 1 && !r->broken && r->running && r->progress.kind != APP_PROGRESS_BLOCK) {
        snprintf(line, sizeof line, "interrupted: finishing %d running evaluation%s; Ctrl-C again kills %s",
                 r->running, r->running > 1 ? "s" : "", r->running > 1 ? "them" : "it");
        app_progress_say(&r->progress, r->n, line);
    }
    app_progress_draw(&r->progress, r->n);
}

static void loop(struct run *r)
{
    for (;;) {
        r->places.freed = 0;
        app_steps_go(&r->steps);
        if (app_steps_over(&r->steps))
            return;

        note(&r->steps);
        keep_alive(r);
        if (!r->places.freed)
            wait_for_something(r);
        app_steps_reap(&r->steps);
    }
}

/* --- begin and end --- */

static int begin(struct run *r, const struct app_run_host *host)
{
    struct app_notebook *n = r->steps.n;
    const int status = app_places_make(&r->places, n->definition.evaluate.parallel, n->message);

    if (status)
        return status;

    /* Who we are, whom we look after, and what dead runs have left. */
    app_worker_here(&r->worker, r->machine);
    r->worker.slots = r->places.count;
    app_places_begin(&r->places);
    app_steps_begin(&r->steps, host);
    r->beaten = app_clock();
    r->places.tick = tick;
    r->places.context = r;
    n->store->table->set_patience(n->store, APP_STORE_PATIENCE,
                                  &(struct app_asking){app_places_give_up, &r->places});
    return n->store->table->worker_add(n->store, &r->worker, n->message);
}

/* Says why the run ends before its budget, and how it goes on; 1 when it does. */
static int say_stopped(struct app_steps *r)
{
    const int budget = r->n->definition.budget;
    struct app_text line = {0};
    int tally[APP_STATES];

    if (!r->watch.reached || r->broken || r->places->interrupts || r->outage.paused || app_steps_stopped(r) ||
        app_notebook_spent(r->n) >= budget)
        return 0;
    app_notebook_tally(r->n, tally);
    app_text_print(
        &line, "stopped after %d of %d evaluations: ", tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL], budget);
    app_stop_text(r->n, &r->watch, &line);
    app_text_print(&line, "; `ckg run --no-stop` goes on all the same");
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
    return 1;
}

enum app_run_end app_run(struct app_notebook *n, const struct app_run_host *host)
{
    struct run r = {.places = {.alone = host->alone, .stop = host->stop, .news = -1}};
    struct app_steps *steps = &r.steps;
    int stopped = 0;

    *steps = (struct app_steps){
        .n = n, .places = &r.places, .worker = &r.worker, .to_the_end = host->to_the_end};
    steps->broken = n->hold.held == APP_STOPPED ? app_notebook_hold(n, APP_NOT_HELD) : CKG_OK;
    if (!steps->broken)
        steps->broken = begin(&r, host);
    if (!steps->broken) {
        app_progress_draw(&steps->progress, n);
        app_steps_break(steps, app_outage_begin(&steps->outage, n, &steps->progress), 0);
        loop(&r);
        assert(!r.places.running);
        stopped = say_stopped(steps);
        app_progress_end(&steps->progress, n);
    }

    app_steps_end(steps);
    if (r.worker.id)
        n->store->table->worker_remove(n->store, &r.worker);
    n->store->table->set_patience(n->store, APP_STORE_PATIENCE, &(struct app_asking){NULL, NULL});
    app_places_end(&r.places);
    return steps->broken              ? APP_RUN_BROKEN
           : r.places.interrupts      ? APP_RUN_INTERRUPTED
           : steps->outage.paused     ? APP_RUN_PAUSED
           : app_steps_stopped(steps) ? APP_RUN_ENDED
           : stopped                  ? APP_RUN_STOPPED
                                      : APP_RUN_SPENT;
}
