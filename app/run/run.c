/* A run: the runner's loop with one study, which is the caller's, until that is done. */
#include "run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "present/statement.h"
#include "run/runner.h"
#include "study/study_work.h"

/*
 * Where answers wait while the server is away. Where there is no such place, the run ends when the server has
 * been away for half a minute, and says what was answered; a file does not go away.
 */
static void open_spool(struct app_runner *w)
{
    struct app_message unheard;

    if (*app_store_file(w->url) || app_spool_open(&w->spool, NULL, w->url, &unheard))
        return;
    w->spool.worker = w->self;
    w->studies->steps.spool = &w->spool;
    app_runner_be_brief(w);
}

static int begin(struct app_runner *w, const struct app_run_host *host)
{
    struct app_runner_study *s = w->studies;
    struct app_notebook *n = s->n;
    int status = app_places_make(&w->places, n->definition.evaluate.parallel, n->message);

    if (status)
        return status;

    /* Who we are, whom we look after, and what dead runs have left. */
    app_worker_here(&w->self, w->machine);
    w->self.slots = w->places.count;
    app_places_begin(&w->places);
    app_steps_begin(&s->steps, host);
    s->open = 1;
    app_store_set_patience(w->store, APP_STORE_PATIENCE,
                           &(struct app_asking){app_places_give_up, &w->places});
    status = app_store_worker_add(w->store, &w->self, n->message);
    w->beaten = app_clock();
    w->changed = app_clock();
    if (!status)
        open_spool(w);
    return status;
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

/* What waits for the store is said where that has not come back. */
static void say_left(const struct app_runner *w, struct app_steps *r)
{
    struct app_text line = {0};

    if (r->broken)
        app_runner_left(w, &line);
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

enum app_run_end app_run(struct app_notebook *n, const struct app_run_host *host)
{
    struct app_runner_study study = {.name = n->definition.name, .n = n};
    struct app_runner w = {.url = n->url,
                           .shown = host->shown,
                           .solo = 1,
                           .until_idle = 1,
                           .unsaid = APP_STORE_PATIENCE,
                           .store = n->store,
                           .places = {.alone = host->alone, .stop = host->stop, .news = -1},
                           .count = 1,
                           .studies = &study,
                           .search = INFINITY,
                           .again = INFINITY};
    struct app_steps *steps = &study.steps;
    int stopped = 0;

    *steps = (struct app_steps){
        .n = n, .places = &w.places, .worker = &w.self, .to_the_end = host->to_the_end};
    steps->broken = n->hold.held == APP_STOPPED ? app_notebook_hold(n, APP_NOT_HELD) : CKG_OK;
    if (!steps->broken)
        steps->broken = begin(&w, host);
    if (!steps->broken) {
        app_progress_draw(&steps->progress, n);
        app_steps_break(steps, app_outage_begin(&steps->outage, n, &steps->progress), 0);
        app_runner_deliver(&w);
        app_runner_loop(&w);
        assert(!w.places.running);
        stopped = say_stopped(steps);
        say_left(&w, steps);
        app_progress_end(&steps->progress, n);
    }

    app_runner_close(&study);
    if (w.self.id)
        app_store_worker_remove(n->store, &w.self);
    app_store_set_patience(n->store, APP_STORE_PATIENCE, &(struct app_asking){NULL, NULL});
    app_places_end(&w.places);
    app_spool_close(&w.spool);
    return steps->broken && !steps->away ? APP_RUN_BROKEN
           : w.places.interrupts         ? APP_RUN_INTERRUPTED
           : steps->outage.paused        ? APP_RUN_PAUSED
           : app_steps_stopped(steps)    ? APP_RUN_ENDED
           : stopped                     ? APP_RUN_STOPPED
                                         : APP_RUN_SPENT;
}
