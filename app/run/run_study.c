/*
 * What is next: first a trial that somebody left, else a new design, which whoever holds the lock asks for,
 * so that designs are chosen one after the other and each knows of those before it. What becomes of it:
 * whatever happens, what the store says is true, and its result is in the store before anything else is done
 * with it.
 *
 * Trouble with the store or with starting a process ends a run, but what runs may end first: it may have cost
 * days, and the trouble may be over by then. While a server is away, or for a worker, nothing ends, and the
 * spool keeps answers. Failures in a row that look like an outage (run/run_outage.h) pause the run: nothing
 * new is started, and it ends with what runs.
 */
#include "run/run_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evaluate/machine.h"
#include "present/statement.h"

/* So many seconds clocks of two machines may differ without a word. */
static const double usual_difference = 5;

/* --- this process --- */

int app_run_enrol(struct app_run_self *self, struct app_store *store, struct app_message *message)
{
    app_machine_name(self->machine);
    self->worker.machine = self->machine;
    self->worker.process = getpid();
    self->worker.born = app_process_born(getpid());
    return app_store_worker_add(store, &self->worker, message);
}

void app_run_leave(struct app_run_self *self, struct app_store *store)
{
    if (self->worker.id && store)
        app_store_worker_remove(store, &self->worker);
    self->worker.id = 0;
    app_spool_close(&self->spool);
}

void app_run_open_spool(struct app_run_self *self, const char *url)
{
    struct app_message unheard;

    if (!*app_store_file(url))
        app_spool_open(&self->spool, NULL, url, &self->worker, &unheard);
}

int app_run_beat(struct app_run_self *self, struct app_store *store, struct app_message *message)
{
    const int status = app_store_heartbeat(store, &self->worker, message);

    return status == CKG_ERR_NOT_FOUND ? app_store_worker_add(store, &self->worker, message) : status;
}

/* --- phases --- */

enum app_phase app_run_phase(const struct app_run_study *r)
{
    const int interrupts = r->slots->interrupts;

    return interrupts > 1                             ? APP_KILLING
           : interrupts || (r->broken && !r->away)    ? APP_FINISHING
           : r->broken                                ? APP_OFFLINE
           : r->outage.paused                         ? APP_OUTAGE
           : r->n->pause.paused || app_run_stopped(r) ? APP_PAUSED
           : r->outage.probe                          ? APP_PROBING
                                                      : APP_WORKING;
}

struct app_run_may app_run_may(const struct app_run_study *r)
{
    static const struct app_run_may may[] = {
        [APP_WORKING] = {1, 1, 1, 0}, [APP_PROBING] = {1, 0, 1, 0}, [APP_PAUSED] = {0, 0, 1, 0},
        [APP_OUTAGE] = {0, 0, 1, 0},  [APP_OFFLINE] = {0, 0, 0, 0}, [APP_FINISHING] = {0, 0, 0, 0},
        [APP_KILLING] = {0, 0, 0, 1},
    };

    return may[app_run_phase(r)];
}

int app_run_stopped(const struct app_run_study *r)
{
    return r->n->pause.stopped != r->stopped;
}

static int budget_of(const struct app_run_study *r)
{
    return r->budget ? r->budget : r->n->definition.budget;
}

/* The budget has room for it, and it is worth it. */
int app_run_wants(const struct app_run_study *r)
{
    return !r->options->drain && !r->exhausted && !r->watch.reached && app_study_spent(r->n) < budget_of(r);
}

int app_run_over(const struct app_run_study *r)
{
    if (r->running)
        return 0;
    if (app_run_phase(r) >= APP_OUTAGE || app_run_stopped(r))
        return 1;

    /* What another process has is ours, should that die. */
    for (int i = 0; i < r->n->count; i++)
        if (r->n->trials[i].queued &&
            (r->n->trials[i].state == APP_RUNNING || r->n->trials[i].state == APP_PENDING))
            return 0;
    return !app_run_wants(r);
}

/* --- trouble --- */

void app_run_say(struct app_run_study *r, const char *text)
{
    if (!strcmp(r->said.text, text))
        return;
    r->said = (struct app_message){{0}};
    app_fail(&r->said, 0, "%s", text);
    if (r->options->study || r->progress.kind != APP_PROGRESS_NONE || r->broken)
        app_progress_say(&r->progress, r->n, text);
}

void app_run_break(struct app_run_study *r, int status, int others)
{
    struct app_message *m = r->n->message;
    const struct app_message why = *m;
    const int first = !r->broken;

    if (status == CKG_ERR_CANCELLED)
        m->text[0] = 0; /* as was asked */
    if (!status || status == CKG_ERR_CANCELLED)
        return;
    r->broken = status;
    r->away = !r->options->study || (r->self->spool.folder && app_store_lost(r->n->store));
    if (r->away)
        return;
    if (!r->slots->interrupts)
        r->slots->interrupts = 1;

    /* Where nothing runs the end is near, and it is said there. */
    if (!others && first)
        return;

    /* Else it is said now, with what happens to the evaluations that run. The same again is no news. */
    const int known = !first && !strcmp(why.text, r->said.text);
    r->said = why;
    if (others && first && r->slots->interrupts < 2)
        app_fail(m, status, "%.900s; finishing %d running evaluation%s, Ctrl-C kills %s", why.text, others,
                 others > 1 ? "s" : "", others > 1 ? "them" : "it");
    if (!known)
        app_progress_say(&r->progress, r->n, m->text);
    m->text[0] = 0;
}

/* Another machine's run is waited for; where its clock is far ahead, it is said once how long. */
static void say_ahead(struct app_run_study *r, const struct app_remote_run *e)
{
    struct app_text line = {0};

    if (r->said_ahead || !e->trial || e->age > -usual_difference)
        return;
    r->said_ahead = 1;
    app_text_print(
        &line,
        "trial %d belongs to a run on %s, whose clock is %.0f s ahead of ours; if nothing is heard "
        "of it for %d s, the trial is taken over",
        e->trial, e->host, -e->age, APP_STORE_SILENCE);
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* Why nothing new is started, or that it is again; once. */
static void say_paused(struct app_run_study *r)
{
    struct app_text line = {0};

    if (r->said_pause == r->n->pause.paused)
        return;
    r->said_pause = r->n->pause.paused;
    if (app_pause_text(&r->n->pause, &line))
        app_text_print(&line, r->said_pause == APP_STOPPED ? "" : "; `ckg resume` goes on");
    else
        app_text_print(&line, "goes on");
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* --- results --- */

/* What a person sees of a result that the store has been given; another may have answered first. */
static void show(struct app_run_study *r, int number, int stored, int is_late)
{
    struct app_text line = {0};

    if (stored == APP_STORED)
        app_progress_ended(&r->progress, r->n, number);
    else if (stored == APP_STORED_BESIDE)
        app_text_print(&line,
                       is_late ? "an answer to trial %d came late, as it has another: it is in its notes"
                               : "trial %d was given up and evaluated again, and has that answer: this one "
                                 "is in its notes",
                       number);
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
}

/* Into the store, which `worker` evaluated it for; then its file in the spool is no longer needed. */
static int bring(struct app_run_study *r, const struct app_trial *result, int64_t worker, const char *path,
                 int is_late, int *stored)
{
    int taken;
    int status = app_store_finish(r->n->store, r->n->id, result, worker, &taken, r->n->message);

    if (status)
        return status;
    if (path)
        unlink(path);
    *stored = taken;
    r->unseen = 1;
    status = app_study_sync(r->n);
    if (!status)
        show(r, result->number, taken, is_late);
    return status;
}

int app_run_finish(struct app_run_study *r, const struct app_trial *result, int *stored)
{
    char *path = NULL;
    int status = CKG_OK;

    /* First where it is safe, whatever becomes of the store; without that, all the more into the store. */
    if (r->self->spool.folder)
        status = app_spool_put(&r->self->spool, r->n->definition.name, result, &path, r->n->message);
    *stored = path ? APP_STORED : APP_NOT_STORED;
    if (!r->broken || !r->away)
        status = bring(r, result, r->self->worker.id, path, 0, stored);
    free(path);
    return status;
}

void app_run_hand_back(struct app_run_study *r, int number)
{
    const struct app_trial back = {.number = number, .state = APP_PENDING, .seconds = NAN};
    struct app_message unheard; /* the store may be what is broken */
    int stored;

    app_store_finish(r->n->store, r->n->id, &back, r->self->worker.id, &stored, &unheard);
}

/* --- answers that were left --- */

/* 1 when it is an answer to this trial as it stands in the store: with the same design. */
static int is_of(const struct app_study *n, const struct app_trial *result)
{
    return result->number <= n->count &&
           !strcmp(n->trials[result->number - 1].parameters, result->parameters);
}

/* There is no such trial any longer: the answer is for people. */
static int set_aside(struct app_run_study *r, const struct app_spooled *answer)
{
    struct app_text to = {0};
    struct app_text line = {0};

    app_text_print(&to, "%s.unused", answer->path);
    app_text_print(&line, "an answer to trial %d is not used, as the trial is another by now: it is in %s",
                   answer->result.number, to.data ? to.data : "");
    const int made = to.data && line.data && !rename(answer->path, to.data);
    if (made)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
    app_text_free(&to);
    return made ? CKG_OK : app_no_memory(r->n->message);
}

/* A failure of a trial that is another's by now is nobody's any longer; what was measured is kept somewhere.
 */
static int deliver_one(void *context, const struct app_spooled *answer)
{
    struct app_run_study *r = context;
    int stored;

    if (strcmp(answer->study, r->n->definition.name) != 0)
        return CKG_OK;
    return is_of(r->n, &answer->result)
               ? bring(r, &answer->result, answer->worker.id, answer->path, 1, &stored)
               : set_aside(r, answer);
}

int app_run_deliver(struct app_run_study *r)
{
    return r->self->spool.folder ? app_spool_each(&r->self->spool, deliver_one, r) : CKG_OK;
}

/* --- what is next --- */

int app_run_sync(struct app_run_study *r)
{
    int status = app_study_sync(r->n);

    if (r->n->revision != r->seen || r->running)
        r->changed = app_clock();
    r->seen = r->n->revision;
    say_paused(r);
    if (!status && !r->options->keeps_on)
        status = app_run_outage_judge(r);
    return status;
}

/* Looks whether the rest of the budget is worth it, when there is something new to go by. */
static int watch_gain(struct app_run_study *r)
{
    const int watching = r->n->definition.stop.gain > 0 && !r->options->to_the_end;

    if (!watching || !r->unseen)
        return CKG_OK;
    const int status = app_stop_look(r->n, &r->watch, r->n->interrupt, r->n->context);

    r->unseen = 0;
    app_progress_gain(&r->progress, &r->watch.gain);
    return status;
}

/*
 * What a lost worker left running is killed before its trial is evaluated again. Where its answer is in the
 * spool, that is brought, and there is nothing to evaluate; *number is the trial otherwise.
 */
static int inherit(struct app_run_study *r, const struct app_claim *claim, int *number)
{
    struct app_study *n = r->n;
    char lost[48];
    int status = CKG_OK;

    app_worker_word(lost, claim->worker_process, claim->worker_born);
    if (claim->lost && !app_kill_left(lost, claim->process, claim->born))
        status = app_fail(n->message, CKG_ERR_SYSTEM,
                          "processes that a lost run left of trial %d cannot be killed; kill them, then run "
                          "the same command again",
                          claim->number);
    if (!status)
        status = app_study_sync(n);
    if (!status && claim->lost)
        status = app_run_deliver(r);

    if (status)
        app_run_hand_back(r, claim->number);
    else if (n->trials[claim->number - 1].state == APP_RUNNING)
        *number = claim->number;
    return status;
}

/* A trial that nobody evaluates any longer; *found 0: there is none. */
static int claim(struct app_run_study *r, int *found, int *number)
{
    struct app_claim claim;
    const int status = app_store_claim(r->n->store, r->n->id, &r->self->worker, app_process_gone, &claim,
                                       r->n->message);

    *found = !status && claim.number;
    if (*found)
        return inherit(r, &claim, number);
    say_ahead(r, &claim.remote);
    return status;
}

/* The lock, and all that is known; *taken 0: without it. */
static int take_lock(struct app_study *n, int *taken)
{
    int status = app_store_lock(n->store, n->id, taken, n->message);

    if (status || !*taken)
        return status;
    status = app_study_sync(n);
    if (status)
        app_study_unlock(n);
    return status;
}

/* Fits the models while others may have the lock. Whoever finds that taken need not fit anything yet. */
static int take_lock_prepared(struct app_run_study *r, int *taken)
{
    enum { PREPARATIONS = 3 };
    int status = take_lock(r->n, taken);

    for (int i = 0; !status && *taken && i < PREPARATIONS; i++) {
        if (app_study_spent(r->n) >= budget_of(r) || app_study_is_prepared(r->n))
            break;
        app_study_unlock(r->n);
        status = app_study_prepare(r->n);
        if (!status)
            status = take_lock(r->n, taken);
    }
    return status;
}

/*
 * A new design, as a trial of that worker's (its id), 0: for whoever is free first, where the budget has
 * room. A lock that was lost with a connection may have been another's meanwhile: then it is for a next time.
 */
static int choose(struct app_run_study *r, int64_t worker, int *number)
{
    struct app_asked asked = {0};
    int taken = 0;
    int status = take_lock_prepared(r, &taken);

    /* The lock is ours, and the design too if there is to be one. */
    if (!status && taken) {
        if (app_study_spent(r->n) < budget_of(r))
            status = app_study_suggest(r->n, 1, worker, 1, &asked);
        *number = asked.count ? asked.first : 0;
        if (status == CKG_ERR_STATE && !app_study_sync(r->n)) {
            status = CKG_OK;
            *number = 0;
            taken = 0;
        }
        app_study_unlock(r->n);
        app_asked_free(&asked);
    }

    /* Since when the lock is another's, if it is. */
    if (!status && !taken) {
        r->waiting = 1;
        r->waits = r->waits > 0 ? r->waits : app_clock();
    }
    if (status != CKG_ERR_EXHAUSTED)
        return status;
    r->exhausted = 1;
    r->n->message->text[0] = 0;
    return CKG_OK;
}

int app_run_take(struct app_run_study *r, int *number)
{
    int status = CKG_OK;
    int found = 1;

    /* Of those that are to show whether an outage is over, one at a time. */
    *number = 0;
    if (!app_run_may(r).claim || (r->outage.probe && r->running))
        return CKG_OK;
    while (!status && found && !*number)
        status = claim(r, &found, number);
    if (status || *number)
        return status;

    status = watch_gain(r);
    if (!status && app_run_may(r).choose && app_run_wants(r))
        status = choose(r, r->self->worker.id, number);
    if (status || !*number)
        return status;

    /* Choosing a design can take long: is it still wanted? */
    app_slots_listen(r->slots);
    if (app_run_may(r).claim)
        return CKG_OK;
    app_run_hand_back(r, *number);
    *number = 0;
    return app_study_sync(r->n);
}

int app_run_choose_ahead(struct app_run_study *r)
{
    int number = 0;
    int status = watch_gain(r);

    if (!status && app_run_may(r).choose && app_run_wants(r))
        status = choose(r, 0, &number);
    r->chosen_ahead = !status && number;
    return status;
}
