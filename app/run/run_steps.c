/*
 * A free place takes up a trial, or gets a new one; what ends becomes a result. A trial is "running" in the
 * store before its process begins.
 */
#include "run/run_steps.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/machine.h"

/*
 * Seconds: between looks at what other processes do, also where the store tells of that, between tries for
 * the lock, each from the first to when nothing has changed for long; between looks for a request to stop
 * while a design is chosen.
 */
static const double look = 0.5;
static const double last_look = 10;
static const double rare_look = 3;
static const double rarest_look = 60;
static const double retry = 0.02;
static const double last_retry = 0.5;
static const double glimpse = 0.01;

/* --- asked to stop --- */

/* Whether a suggestion under way is still wanted; the engine asks this far more often than need be. */
static int is_unwanted(void *context)
{
    struct app_slots *slots = ((struct app_run_study *)context)->slots;
    const double now = app_clock();

    if (now - slots->looked >= glimpse) {
        slots->looked = now;
        app_slots_listen(slots);
        if (slots->tick)
            slots->tick(slots->context);
    }
    return slots->interrupts > 0;
}

/* --- what has ended --- */

/* Ends what the evaluation of the trial in that place has left behind; NULL and 0: what any has. */
static void end_family(struct app_run_study *r, const struct app_slot *slot, int trial)
{
    struct app_slots *slots = r->slots;

    if (!slots->alone) {
        app_kill_marked(r->word, r->n->definition.name, trial);
        return;
    }

    const int others = slots->running > (slot && slot->number);
    const int spared = app_slots_leaders(slots, slot);
    app_kill_children(others || slots->inherited ? r->word : NULL, trial, spared, slots->leaders);
}

/* The state of a trial whose process has ended. */
static enum app_state state_after(const struct app_run_study *r, int number, int failed)
{
    const struct app_trial *t = &r->n->trials[number - 1];

    if (!failed)
        return APP_COMPLETE;
    return t->failures < r->n->definition.evaluate.retries ? APP_PENDING : APP_FAILED_TRIAL;
}

/* What is not in the store may have taken days: let the user keep it. */
static void save_answer(struct app_run_study *r, int number, const char *outcomes, int status)
{
    const struct app_message first = *r->n->message;

    app_fail(r->n->message, status,
             "%s (trial %d answered %s: record that with `ckg tell`, or it will be evaluated again)",
             first.text, number, outcomes);
}

/* An ended process becomes a result: values, a failure, or another try. */
static int conclude(struct app_run_study *r, struct app_slot *slot)
{
    const struct app_definition *d = &r->n->definition;
    const struct app_trial *t = &r->n->trials[slot->number - 1];
    struct app_child *p = &slot->process;
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    struct app_answer_rest rest;
    struct app_text outcomes = {0};
    struct app_message why;
    int stored = APP_NOT_STORED;
    int count;

    /* What it answered, or why that is no answer, with all that it said. */
    const long short_before = app_memory_failures();
    const int failed = app_child_result(p, d, slot->number, measured, &count, &rest, &why);
    char *log = failed ? app_child_log(p) : NULL;
    char *answer = failed ? app_answer_text(&p->answer) : NULL;
    if (!failed)
        app_outcomes_write(d, count, measured, &outcomes);

    /* Into the store, with all of it or not at all. */
    const int lacks = app_memory_failures() != short_before;
    const struct app_trial result = {
        .number = slot->number,
        .starts = t->starts,
        .parameters = t->parameters,
        .state = state_after(r, slot->number, failed),
        .outcomes = outcomes.data,
        .why = failed ? why.text : NULL,
        .log = log,
        .answer = answer,
        .extra = rest.extra.data,
        .notes = rest.notes.data,
        .seconds = p->ended - p->started,
        .failures = failed != 0,
    };
    if (result.state == APP_PENDING)
        end_family(r, slot, slot->number); /* the next try may begin at once, and elsewhere */
    int status = lacks ? app_no_memory(r->n->message) : app_run_finish(r, &result, &stored);
    p->unkept = status && !stored;
    if (p->unkept && outcomes.data)
        save_answer(r, slot->number, outcomes.data, status);

    app_answer_rest_free(&rest);
    app_text_free(&outcomes);
    free(answer);
    free(log);
    return status;
}

/* The process of the place is gone, and its family with it. */
static void empty(struct app_run_study *r, struct app_slot *slot)
{
    const int number = slot->number;

    assert(number > 0 && r->running > 0);
    app_child_free(&slot->process);
    slot->number = 0;
    r->slots->freed = 1;
    r->slots->running--;
    r->running--;
    end_family(r, slot, number);
}

static int complain_of_start(struct app_run_study *r, const char *why)
{
    return app_fail(r->n->message, CKG_ERR_SYSTEM,
                    "the evaluation cannot be started: %.800s; mend that, then run the same command again",
                    why);
}

/* Before the first success, a command that a shell does not find is a slip, and no result of a design. */
static int never_began(struct app_run_study *r, const struct app_slot *slot)
{
    struct app_message why;
    int tally[APP_STATES];

    app_study_tally(r->n, tally);
    if (tally[APP_COMPLETE] || !app_child_not_found(&slot->process, &why))
        return 0;
    complain_of_start(r, why.text);
    return 1;
}

/* 1 when an evaluation of ours is there. */
static int is_ours(const struct app_run_study *r, const struct app_slot *slot)
{
    return slot->number && slot->of == r;
}

/* What the cluster does not take waits for another run; the reason is the same for all of it. */
static void take_back_refused(struct app_run_study *r)
{
    struct app_message why = {""};

    for (int i = 0; i < r->slots->count; i++) {
        struct app_slot *slot = &r->slots->slot[i];
        const int number = slot->number;
        if (!is_ours(r, slot) || !slot->process.refused)
            continue;
        app_fail(&why, 0, "%s", slot->process.fault);
        empty(r, slot);
        app_run_hand_back(r, number);
    }
    if (why.text[0])
        app_run_break(r, complain_of_start(r, why.text), r->running);
}

void app_steps_reap(struct app_run_study *r)
{
    struct app_message news;

    take_back_refused(r);
    for (int i = 0; i < r->slots->count; i++) {
        struct app_slot *slot = &r->slots->slot[i];
        if (!is_ours(r, slot) || !app_child_reap(&slot->process))
            continue;

        /* What is cut off, or never began, is another's to take only when nothing of it runs any longer. */
        const int number = slot->number;
        const int cut_off = slot->process.killed && !slot->process.timed_out;
        const int unbegun = !cut_off && never_began(r, slot);
        if (!cut_off)
            app_run_break(r, unbegun ? CKG_ERR_SYSTEM : conclude(r, slot), r->running - 1);
        empty(r, slot);
        if (cut_off || unbegun)
            app_run_hand_back(r, number);
    }

    /* What the cluster has to say. */
    if (r->jobs && app_jobs_news(r->jobs, &news))
        app_progress_say(&r->progress, r->n, news.text);

    /* Do they fail too often? What a second evaluation shows counts even where the run is to end. */
    if (!r->broken && (!r->slots->interrupts || r->outage.probe))
        app_run_break(r, app_run_outage_judge(r), r->running);
}

/* --- starting --- */

static int has_ended(const void *record, int trial)
{
    const struct app_study *n = record;

    return trial <= n->count && n->trials[trial - 1].state != APP_PENDING &&
           n->trials[trial - 1].state != APP_RUNNING;
}

/* With a cluster: its jobs are looked after, and what an earlier run left of them is. */
static int begin_jobs(struct app_run_study *r)
{
    if (r->jobs || !r->n->definition.evaluate.cluster.scheduler)
        return CKG_OK;
    const int status = app_jobs_begin(&r->jobs, &r->n->definition, r->n->folder, r->word, r->n->message);
    if (!status)
        app_jobs_tidy(r->jobs, has_ended, r->n);
    return status;
}

static int start(struct app_run_study *r, struct app_slot *slot, int number)
{
    const struct app_trial *t = &r->n->trials[number - 1];
    const struct app_order order = {.definition = &r->n->definition,
                                    .folder = r->n->folder,
                                    .worker = r->word,
                                    .trial = number,
                                    .again = t->starts > 1,
                                    .x = t->x,
                                    .wants = &t->wants};
    int status = begin_jobs(r);

    if (!status)
        status = app_child_start(&slot->process,
                                 &(struct app_launcher){.guard = &r->slots->guard, .jobs = r->jobs}, &order,
                                 r->n->message);

    if (status) {
        app_run_hand_back(r, number);
        return status;
    }
    slot->of = r;
    slot->number = number;
    r->slots->running++;
    r->running++;
    app_child_serve(&slot->process);
    return app_store_started(r->n->store, r->n->id, number, r->self->worker.id, slot->process.pid,
                             app_process_born(slot->process.pid), r->n->message);
}

/* Fills the free places. */
static int fill(struct app_run_study *r)
{
    int status = CKG_OK;
    int number = 1;

    for (int i = 0; !status && number && i < r->slots->count; i++) {
        struct app_slot *slot = &r->slots->slot[i];
        if (slot->number)
            continue;
        status = app_run_take(r, &number);
        if (!status && number)
            status = start(r, slot, number);
        app_slots_listen(r->slots);
    }
    return status;
}

/* How many designs wait for somebody to evaluate them. */
static int waiting_designs(const struct app_study *n)
{
    int count = 0;

    for (int i = 0; i < n->count; i++)
        count += n->trials[i].queued && n->trials[i].state == APP_PENDING;
    return count;
}

/* How many should; who has no place for evaluations is there to choose. */
static int wanted_ahead(const struct app_run_study *r)
{
    const int ahead = r->n->definition.evaluate.ahead;

    return ahead || r->slots->count ? ahead : 1;
}

/* One design at a time, for results may come meanwhile. */
static int choose_ahead(struct app_run_study *r)
{
    r->chosen_ahead = 0;
    return r->slots->freed || waiting_designs(r->n) >= wanted_ahead(r) ? CKG_OK : app_run_choose_ahead(r);
}

/* --- one pass --- */

double app_outage(const struct app_worker *worker, double quiet, double least, double most)
{
    const double shares = 0.6180339887498949 * (double)(worker->id % 10000);

    return fmin(fmax(quiet / 10, least), most) * (0.9 + 0.2 * (shares - floor(shares)));
}

double app_steps_look(const struct app_run_study *r)
{
    const double now = app_clock();
    const int busy = r->slots->running == r->slots->count;

    if (!app_run_may(r).sync)
        return INFINITY;
    if (r->chosen_ahead)
        return 0; /* perhaps there is room for another */
    if (r->n->pause.paused)
        return app_clock() + (r->slots->news >= 0 ? rare_look : look);
    if (busy && !(wanted_ahead(r) && app_run_wants(r)))
        return INFINITY;
    if (r->waiting)
        return now + app_outage(&r->self->worker, now - r->waits, retry, last_retry);
    return now + (r->slots->news >= 0 ? app_outage(&r->self->worker, now - r->changed, rare_look, rarest_look)
                                      : app_outage(&r->self->worker, now - r->changed, look, last_look));
}

/* Ends all evaluations of the study; they wait for another run. */
static void kill_all(struct app_run_study *r)
{
    for (int i = 0; i < r->slots->count; i++)
        if (is_ours(r, &r->slots->slot[i]) && !r->slots->slot[i].process.killed)
            app_child_kill(&r->slots->slot[i].process);
}

void app_steps_go(struct app_run_study *r)
{
    /* Every free place gets an evaluation, while that is worth it. */
    r->waiting = 0;
    int status = fill(r);
    if (!status)
        status = choose_ahead(r);
    if (!r->waiting)
        r->waits = 0;
    app_run_break(r, status, r->running);

    /* A second request to stop ends what runs; what has ended becomes a result. */
    if (app_run_may(r).kill)
        kill_all(r);
    app_steps_reap(r);

    /* What other processes did, where that can change what is to be done here. */
    if (!app_run_may(r).sync)
        return;
    if (r->slots->running < r->slots->count || wanted_ahead(r))
        app_run_break(r, app_run_sync(r), r->running);
    else
        r->changed = app_clock();
}

/* --- begin and end --- */

void app_steps_begin(struct app_run_study *r)
{
    r->state = APP_STUDY_OPEN;
    r->unseen = 1;
    r->changed = app_clock();
    r->stopped = r->n->pause.stopped;
    app_run_word(r->word, r->self->worker.process, r->self->worker.born, r);
    app_kill_strays(r->n->definition.name);

    app_progress_begin(&r->progress, r->n);
    app_study_set_interrupt(r->n, is_unwanted, r);
    begin_jobs(r); /* what keeps it from that is said where the first one is to start */
    app_progress_draw(&r->progress, r->n);
    app_run_break(r, app_run_outage_begin(r), 0);
}

void app_steps_end(struct app_run_study *r)
{
    assert(!r->running);
    if (*r->word)
        end_family(r, NULL, 0);
    app_jobs_end(r->jobs);
    app_study_set_interrupt(r->n, NULL, NULL);
    app_stop_forget(&r->watch);
}
