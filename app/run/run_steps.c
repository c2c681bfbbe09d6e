/*
 * The steps of a run. A free place first takes up a trial that somebody left, else it asks for a new design,
 * holding the turn so that designs are chosen one after the other and each knows of those before it. Whatever
 * happens, what the store says is true: a trial is "running" before its process begins, and its result is in
 * the store before anything else is done with it. Trouble with the store or with starting a process ends the
 * run, but what runs may end first: it may have cost days, and the trouble may be over by then. While a
 * server is away, or where the run is patient, nothing ends, and the spool keeps answers.
 *
 * Failures in a row that look like an outage (run/outage.h) pause the run: nothing new is started, and it
 * ends with what runs.
 */
#include "run/run_steps.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/machine.h"
#include "present/statement.h"
#include "study/study_work.h"

/*
 * Seconds: between looks at what other processes do, also where the store tells of that, between tries for
 * the turn, each from the first to when nothing has changed for long; between looks for a request to stop
 * while a design is chosen.
 */
static const double look = 0.5;
static const double last_look = 10;
static const double rare_look = 3;
static const double rarest_look = 60;
static const double retry = 0.02;
static const double last_retry = 0.5;
static const double glimpse = 0.01;

/* So many seconds clocks of two machines may differ without a word. */
static const double usual_difference = 5;

/* --- phases --- */

/* What is allowed beside taking leave of what has ended, which always is. */
static const struct {
    unsigned claim : 1, choose : 1, sync : 1, kill : 1;
} may[] = {
    [APP_WORKING] = {1, 1, 1, 0}, [APP_PROBING] = {1, 0, 1, 0}, [APP_PAUSED] = {0, 0, 1, 0},
    [APP_OUTAGE] = {0, 0, 1, 0},  [APP_OFFLINE] = {0, 0, 0, 0}, [APP_FINISHING] = {0, 0, 0, 0},
    [APP_KILLING] = {0, 0, 0, 1},
};

enum app_phase app_steps_phase(const struct app_steps *r)
{
    const int interrupts = r->places->interrupts;

    return interrupts > 1                            ? APP_KILLING
           : interrupts || (r->broken && !r->away)   ? APP_FINISHING
           : r->broken                               ? APP_OFFLINE
           : r->outage.paused                        ? APP_OUTAGE
           : r->n->hold.held || app_steps_stopped(r) ? APP_PAUSED
           : r->outage.probe                         ? APP_PROBING
                                                     : APP_WORKING;
}

/* --- asked to stop --- */

/* Whether a suggestion under way is still wanted; the engine asks this far more often than need be. */
static int is_unwanted(void *context)
{
    struct app_places *places = ((struct app_steps *)context)->places;
    const double now = app_clock();

    if (now - places->looked >= glimpse) {
        places->looked = now;
        app_places_listen(places);
        if (places->tick)
            places->tick(places->context);
    }
    return places->interrupts > 0;
}

/* --- trouble --- */

void app_steps_break(struct app_steps *r, int status, int others)
{
    struct app_message *m = r->n->message;
    const int first = !r->broken;

    if (!status)
        return;
    r->broken = status;
    r->away = r->patient || (r->spool && app_store_lost(r->n->store));
    if (r->away)
        return;
    if (!r->places->interrupts)
        r->places->interrupts = 1;

    /* Where nothing runs the end is near, and it is said there. */
    if (!others && first)
        return;

    /* Else it is said now, with what happens to the evaluations that run. The same again is no news. */
    const struct app_message why = *m;
    const int known = !first && !strcmp(why.text, r->trouble.text);
    r->trouble = why;
    if (others && first && r->places->interrupts < 2)
        app_fail(m, status, "%.900s; finishing %d running evaluation%s, Ctrl-C kills %s", why.text, others,
                 others > 1 ? "s" : "", others > 1 ? "them" : "it");
    if (!known)
        app_progress_say(&r->progress, r->n, m->text);
    m->text[0] = 0;
}

/* --- results --- */

/* Another has answered first: people may want to know both. */
static void say_beside(struct app_steps *r, int number)
{
    char line[160];

    snprintf(line, sizeof line,
             "trial %d was given up and evaluated again, and has that answer: this one is in its notes",
             number);
    app_progress_say(&r->progress, r->n, line);
}

/*
 * Writes the result of the trial into the spool, then into the store, and shows it. *kept 0: it is in
 * neither.
 */
static int store_result(struct app_steps *r, const struct app_trial *result, int *kept)
{
    char *path = NULL;
    int unsafe = CKG_OK;
    int taken;

    /* First where it is safe, whatever becomes of the store; without that, all the more into the store. */
    if (r->spool)
        unsafe = app_spool_put(r->spool, r->n->definition.name, result, &path, r->n->message);
    *kept = path != NULL;
    if (r->broken && r->away) {
        free(path);
        return unsafe;
    }

    int status = app_store_finish(r->n->store, r->n->study, result, r->worker->id, &taken, r->n->message);
    if (status)
        free(path);
    else {
        *kept = 1;
        app_spool_drop(path);
        status = app_notebook_sync(r->n);
    }
    r->unseen = 1;
    if (!status && taken == APP_KEPT_BESIDE)
        say_beside(r, result->number);
    else if (!status)
        app_progress_ended(&r->progress, r->n, result->number);
    return status;
}

/* Ends what the evaluation of the trial in that place has left behind; NULL and 0: what any has. */
static void end_family(struct app_steps *r, const struct app_place *place, int trial)
{
    struct app_places *places = r->places;

    if (!places->alone) {
        app_kill_marked(r->word, r->n->definition.name, trial);
        return;
    }

    const int others = places->running > (place && place->number);
    const int spared = app_places_leaders(places, place);
    app_kill_children(others || places->inherited ? r->word : NULL, trial, spared, places->leaders);
}

/* The state of a trial whose process has ended. */
static enum app_state state_after(const struct app_steps *r, int number, int failed)
{
    const struct app_trial *t = &r->n->trials[number - 1];

    if (!failed)
        return APP_COMPLETE;
    return t->failures < r->n->definition.evaluate.retries ? APP_PENDING : APP_FAILED_TRIAL;
}

/* What is not in the store may have taken days: let the user keep it. */
static void save_answer(struct app_steps *r, int number, const char *outcomes, int status)
{
    const struct app_message first = *r->n->message;

    app_fail(r->n->message, status,
             "%s (trial %d answered %s: record that with `ckg tell`, or it will be evaluated again)",
             first.text, number, outcomes);
}

/* An ended process becomes a result: values, a failure, or another try. */
static int conclude(struct app_steps *r, struct app_place *place)
{
    const struct app_definition *d = &r->n->definition;
    struct app_child *p = &place->process;
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    struct app_answer_rest rest;
    struct app_text outcomes = {0};
    struct app_text design = {0};
    struct app_message why;
    int kept = 0;
    int count;

    /* What it answered, or why that is no answer, with all that it said. */
    const long short_before = app_memory_failures();
    const int failed = app_child_result(p, d, place->number, measured, &count, &rest, &why);
    char *log = failed ? app_child_log(p) : NULL;
    char *answer = failed ? app_answer_text(&p->answer) : NULL;
    if (!failed)
        app_outcomes_write(d, count, measured, &outcomes);
    app_task_write(d, r->n->trials[place->number - 1].x, &r->n->trials[place->number - 1].wants, &design);

    /* Into the store, with all of it or not at all. */
    const int lacks = app_memory_failures() != short_before;
    const struct app_trial result = {
        .number = place->number,
        .starts = r->n->trials[place->number - 1].starts,
        .parameters = design.data,
        .state = state_after(r, place->number, failed),
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
        end_family(r, place, place->number); /* the next try may begin at once, and elsewhere */
    int status = lacks ? app_fail(r->n->message, CKG_ERR_NOMEM, "out of memory")
                       : store_result(r, &result, &kept);
    p->unkept = !kept;
    if (!kept && outcomes.data)
        save_answer(r, place->number, outcomes.data, status);

    app_answer_rest_free(&rest);
    app_text_free(&outcomes);
    app_text_free(&design);
    free(answer);
    free(log);
    return status;
}

/* The process of the place is gone, and its family with it. */
static void empty(struct app_steps *r, struct app_place *place)
{
    const int number = place->number;

    assert(number > 0 && r->running > 0);
    app_child_free(&place->process);
    place->number = 0;
    r->places->freed = 1;
    r->places->running--;
    r->running--;
    end_family(r, place, number);
}

/* A trial that we cut off waits for the next run. */
static void hand_back(struct app_steps *r, int number)
{
    app_work_hand_back(r->n, r->worker, number);
}

/* Before the first success, a command that a shell does not find is a slip, and no result of a design. */
static int never_began(struct app_steps *r, const struct app_place *place)
{
    struct app_message why;
    int tally[APP_STATES];

    app_notebook_tally(r->n, tally);
    if (tally[APP_COMPLETE] || !app_child_not_found(&place->process, &why))
        return 0;
    app_fail(r->n->message, 0,
             "the evaluation cannot be started: %.800s; mend that, then run the same command again",
             why.text);
    return 1;
}

/* 1 when an evaluation of ours is there. */
static int is_ours(const struct app_steps *r, const struct app_place *place)
{
    return place->number && place->of == r;
}

/* What the cluster does not take waits for another run; the reason is the same for all of it. */
static void take_back_refused(struct app_steps *r)
{
    struct app_message why = {""};

    for (int i = 0; i < r->places->count; i++) {
        struct app_place *place = &r->places->place[i];
        const int number = place->number;
        if (!is_ours(r, place) || !place->process.refused)
            continue;
        app_fail(&why, 0, "%s", place->process.fault);
        empty(r, place);
        hand_back(r, number);
    }
    if (why.text[0])
        app_steps_break(r,
                        app_fail(r->n->message, CKG_ERR_SYSTEM,
                                 "the evaluation cannot be started: %.800s; mend that, then run the same "
                                 "command again",
                                 why.text),
                        r->running);
}

void app_steps_reap(struct app_steps *r)
{
    struct app_message news;

    take_back_refused(r);
    for (int i = 0; i < r->places->count; i++) {
        struct app_place *place = &r->places->place[i];
        if (!is_ours(r, place) || !app_child_reap(&place->process))
            continue;

        /* What is cut off, or never began, is another's to take only when nothing of it runs any longer. */
        const int number = place->number;
        const int cut_off = place->process.killed && !place->process.timed_out;
        const int unbegun = !cut_off && never_began(r, place);
        if (!cut_off)
            app_steps_break(r, unbegun ? CKG_ERR_SYSTEM : conclude(r, place), r->running - 1);
        empty(r, place);
        if (cut_off || unbegun)
            hand_back(r, number);
    }

    /* What the cluster has to say. */
    if (r->jobs && app_jobs_news(r->jobs, &news))
        app_progress_say(&r->progress, r->n, news.text);

    /* Do they fail too often? What a second evaluation shows counts even where the run is to end. */
    if (!r->broken && (!r->places->interrupts || r->outage.probe))
        app_steps_break(r, app_outage_judge(&r->outage, r->n, &r->progress), r->running);
}

/* --- starting --- */

static int has_ended(const void *notebook, int trial)
{
    const struct app_notebook *n = notebook;

    return trial <= n->count && n->trials[trial - 1].state != APP_PENDING &&
           n->trials[trial - 1].state != APP_RUNNING;
}

/* With a cluster: its jobs are looked after, and what an earlier run left of them is. */
static int begin_jobs(struct app_steps *r)
{
    if (r->jobs || !r->n->definition.evaluate.cluster.scheduler)
        return CKG_OK;
    const int status = app_jobs_begin(&r->jobs, &r->n->definition, r->n->folder, r->word, r->n->message);
    if (!status)
        app_jobs_tidy(r->jobs, has_ended, r->n);
    return status;
}

static int start(struct app_steps *r, struct app_place *place, int number)
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
        status = app_child_start(&place->process,
                                 &(struct app_launcher){.guard = &r->places->guard, .jobs = r->jobs}, &order,
                                 r->n->message);

    if (status) {
        hand_back(r, number);
        return status;
    }
    place->of = r;
    place->number = number;
    r->places->running++;
    r->running++;
    app_child_serve(&place->process);
    return app_store_started(r->n->store, r->n->study, number, r->worker->id, place->process.pid,
                             app_process_born(place->process.pid), r->n->message);
}

/* Another machine's run is waited for; where its clock is far ahead, it is said once how long. */
static void say_ahead(struct app_steps *r, const struct app_elsewhere *e)
{
    struct app_text line = {0};

    if (r->puzzled || !e->trial || e->age > -usual_difference)
        return;
    r->puzzled = 1;
    app_text_print(
        &line,
        "trial %d belongs to a run on %s, whose clock is %.0f s ahead of ours; if nothing is heard "
        "of it for %d s, the trial is taken over",
        e->trial, e->host, -e->age, APP_STORE_SILENCE);
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* A trial that nobody evaluates any longer. */
static int take_up(struct app_steps *r, struct app_place *place, int *started)
{
    struct app_claim claim;
    int status = app_store_claim(r->n->store, r->n->study, r->worker, app_process_gone, &claim,
                                 r->n->message);

    *started = !status && claim.number;
    if (!*started) {
        say_ahead(r, &claim.elsewhere);
        return status;
    }

    status = app_work_inherit(r->n, r->worker, &claim);
    return status ? status : start(r, place, claim.number);
}

/* Since when the turn is another's, if it is. */
static void note_turn(struct app_steps *r, int status, int taken)
{
    if (status || taken)
        return;
    r->waiting = 1;
    if (!(r->waits > 0))
        r->waits = app_clock();
}

static int start_new(struct app_steps *r, struct app_place *place, int *started)
{
    int number;
    int taken;
    const int status = app_work_choose(r->n, r->worker, r->n->definition.budget, &taken, &number);

    note_turn(r, status, taken);
    *started = 0;
    if (status == CKG_ERR_EXHAUSTED) {
        r->exhausted = 1;
        return CKG_OK;
    }
    if (status == CKG_ERR_CANCELLED) {
        r->n->message->text[0] = 0; /* as was asked */
        return CKG_OK;
    }
    if (status || !number)
        return status;

    /* Choosing a design can take long: is it still wanted? */
    app_places_listen(r->places);
    *started = may[app_steps_phase(r)].claim;
    if (*started)
        return start(r, place, number);
    hand_back(r, number);
    return app_notebook_sync(r->n);
}

/* 1 when a trial may be taken up; of those that are to show something, one at a time. */
static int may_claim(const struct app_steps *r)
{
    return may[app_steps_phase(r)].claim && !(r->outage.probe && r->running);
}

/* 1 when a design may be chosen, and there may be one. */
static int may_choose(const struct app_steps *r)
{
    return may[app_steps_phase(r)].choose && app_steps_want(r);
}

/* The budget has room for it, and it is worth it. */
int app_steps_want(const struct app_steps *r)
{
    return !r->no_more && !r->exhausted && !r->watch.reached &&
           app_notebook_spent(r->n) < r->n->definition.budget;
}

/* Looks whether the rest of the budget is worth it, when there is something new to go by. */
static int watch_gain(struct app_steps *r)
{
    const int watching = r->n->definition.stop.gain > 0 && !r->to_the_end;

    if (!watching || !r->unseen)
        return CKG_OK;
    const int status = app_stop_look(r->n, &r->watch, is_unwanted, r);

    r->unseen = 0;
    app_progress_gain(&r->progress, &r->watch.gain);
    if (status != CKG_ERR_CANCELLED)
        return status;
    r->n->message->text[0] = 0; /* as was asked */
    return CKG_OK;
}

/* Fills the free places. */
static int fill(struct app_steps *r)
{
    int status = CKG_OK;
    int started = 1;

    for (int i = 0; !status && started && may_claim(r) && i < r->places->count; i++) {
        struct app_place *place = &r->places->place[i];
        if (place->number)
            continue;
        status = take_up(r, place, &started);
        if (!status && !started && may_choose(r))
            status = start_new(r, place, &started);
        app_places_listen(r->places);
    }
    return status;
}

/* How many designs wait for somebody to evaluate them. */
static int waiting_designs(const struct app_notebook *n)
{
    int count = 0;

    for (int i = 0; i < n->count; i++)
        count += n->trials[i].queued && n->trials[i].state == APP_PENDING;
    return count;
}

/* How many should. */
static int wanted_ahead(const struct app_steps *r)
{
    const int ahead = r->n->definition.evaluate.ahead;

    return ahead > r->least_ahead ? ahead : r->least_ahead;
}

/* Chooses a design ahead, for whoever is free first; one at a time, for results may come meanwhile. */
static int choose_ahead(struct app_steps *r)
{
    int number;
    int taken;

    if (!may_choose(r) || r->places->freed || waiting_designs(r->n) >= wanted_ahead(r))
        return CKG_OK;
    const int status = app_work_choose(r->n, NULL, r->n->definition.budget, &taken, &number);

    note_turn(r, status, taken);
    r->chosen_ahead = !status && number;
    if (status == CKG_ERR_EXHAUSTED)
        r->exhausted = 1;
    else if (status != CKG_ERR_CANCELLED)
        return status;
    r->n->message->text[0] = 0;
    return CKG_OK;
}

/* --- one pass --- */

int app_steps_stopped(const struct app_steps *r)
{
    return r->n->hold.stopped != r->stopped;
}

int app_steps_over(const struct app_steps *r)
{
    if (r->running)
        return 0;
    if (app_steps_phase(r) >= APP_OUTAGE || app_steps_stopped(r))
        return 1;

    /* What another process has is ours, should that die. */
    for (int i = 0; i < r->n->count; i++)
        if (r->n->trials[i].queued &&
            (r->n->trials[i].state == APP_RUNNING || r->n->trials[i].state == APP_PENDING))
            return 0;
    return !app_steps_want(r);
}

double app_pause(const struct app_worker *worker, double quiet, double least, double most)
{
    const double shares = 0.6180339887498949 * (double)(worker->id % 10000);

    return fmin(fmax(quiet / 10, least), most) * (0.9 + 0.2 * (shares - floor(shares)));
}

double app_steps_look(const struct app_steps *r)
{
    const double now = app_clock();
    const int busy = r->places->running == r->places->count;

    if (!may[app_steps_phase(r)].sync)
        return INFINITY;
    if (r->chosen_ahead)
        return 0; /* perhaps there is room for another */
    if (r->n->hold.held)
        return app_clock() + (r->places->news >= 0 ? rare_look : look);
    if (busy && !(wanted_ahead(r) && app_steps_want(r)))
        return INFINITY;
    if (r->waiting)
        return now + app_pause(r->worker, now - r->waits, retry, last_retry);
    return now + (r->places->news >= 0 ? app_pause(r->worker, now - r->changed, rare_look, rarest_look)
                                       : app_pause(r->worker, now - r->changed, look, last_look));
}

/* Why nothing new is started, or that it is again; once. */
static void say_held(struct app_steps *r)
{
    struct app_text line = {0};

    if (r->told == r->n->hold.held)
        return;
    r->told = r->n->hold.held;
    if (app_hold_text(&r->n->hold, &line))
        app_text_print(&line, r->told == APP_STOPPED ? "" : "; `ckg resume` goes on");
    else
        app_text_print(&line, "goes on");
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* Ends all evaluations of the study; they wait for another run. */
static void kill_all(struct app_steps *r)
{
    for (int i = 0; i < r->places->count; i++)
        if (is_ours(r, &r->places->place[i]) && !r->places->place[i].process.killed)
            app_child_kill(&r->places->place[i].process);
}

void app_steps_go(struct app_steps *r)
{
    /* Every free place gets an evaluation, while that is worth it. */
    int status = may[app_steps_phase(r)].sync ? watch_gain(r) : CKG_OK;
    r->waiting = 0;
    if (!status)
        status = fill(r);
    r->chosen_ahead = 0;
    if (!status)
        status = choose_ahead(r);
    if (!r->waiting)
        r->waits = 0;
    app_steps_break(r, status, r->running);

    /* A second request to stop ends what runs; what has ended becomes a result. */
    if (may[app_steps_phase(r)].kill)
        kill_all(r);
    app_steps_reap(r);

    /* What other processes did, where that can change what is to be done here. */
    if (!may[app_steps_phase(r)].sync)
        return;
    const int looks = r->places->running < r->places->count || wanted_ahead(r);
    status = looks ? app_notebook_sync(r->n) : CKG_OK;
    if (r->n->revision != r->seen || r->running)
        r->changed = app_clock();
    r->seen = r->n->revision;
    say_held(r);
    if (!status)
        status = app_outage_judge(&r->outage, r->n, &r->progress);
    app_steps_break(r, status, r->running);
}

/* --- begin and end --- */

void app_steps_begin(struct app_steps *r, const struct app_run_host *host)
{
    r->unseen = 1;
    r->changed = app_clock();
    r->stopped = r->n->hold.stopped;
    app_run_word(r->word, r->worker->process, r->worker->born, r);
    app_kill_strays(r->n->definition.name);

    app_progress_begin(&r->progress, host->shown, r->n);
    r->progress.say = host->say;
    r->progress.context = host->context;
    app_notebook_set_interrupt(r->n, is_unwanted, r);
    begin_jobs(r); /* what keeps it from that is said where the first one is to start */
}

void app_steps_end(struct app_steps *r)
{
    assert(!r->running);
    if (*r->word)
        end_family(r, NULL, 0);
    app_jobs_end(r->jobs);
    app_notebook_set_interrupt(r->n, NULL, NULL);
    app_stop_forget(&r->watch);
}
