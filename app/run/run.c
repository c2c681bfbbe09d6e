/*
 * The loop of a run. A free place first takes up a trial that somebody left, else it asks for a new design,
 * holding the turn so that designs are chosen one after the other and each knows of those before it. Then
 * everything waits in one poll: pipes and ends of the children, requests to stop, the clock. Whatever
 * happens, what the store says is true: a trial is "running" before its process begins, and its result is in
 * the store before anything else is done with it. Trouble with the store or with starting a process ends the
 * run, but what runs may end first: it may have cost days, and the trouble may be over by then.
 *
 * Failures in a row that look like an outage (run/outage.h) pause the run: nothing new is started, and it
 * ends with what runs.
 */
#include "run/run.h"

#include <assert.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "evaluate/child.h"
#include "evaluate/machine.h"
#include "notebook/stop.h"
#include "notebook/work.h"
#include "run/outage.h"

/*
 * Seconds: between heartbeats, between looks at what other processes do, between drawings of the block,
 * between tries for the turn, between looks for a request to stop while a design is chosen.
 */
static const double heartbeat = 10;
static const double look = 0.5;
static const double redraw = 1;
static const double retry = 0.02;
static const double glimpse = 0.01;

/* So many seconds clocks of two machines may differ without a word. */
static const double usual_difference = 5;

/* A place where one evaluation runs; number 0: free. */
struct slot {
    int number;
    struct app_child process;
};

struct run {
    struct app_notebook *n;
    const struct app_store_table *store;
    struct app_worker worker;
    char machine[256];
    char word[80]; /* what our evaluations carry in their environment */
    int alone;     /* the process is ours */
    int inherited; /* and had children before the first evaluation */
    struct app_guard guard;
    int stop; /* where requests to stop come from, -1: nowhere */
    int parallel;
    int running;
    struct slot *slots;
    struct pollfd *fds;
    pid_t *leaders;
    struct app_progress progress;
    int interrupts; /* how often we were asked to stop; the second time running evaluations are killed */
    int exhausted;  /* no design is left to be evaluated */
    int watching;   /* the run may end before its budget */
    int unseen;     /* trials have ended since that was last looked at */
    struct app_stop_watch watch;
    int waiting; /* the turn is another's */
    int puzzled; /* it was said that another machine's clock is ahead of ours */
    int freed;   /* a place has become free since the places were last filled */
    struct app_outage outage;
    double beaten;
    double drawn;
    double looked; /* for requests to stop, while a design is chosen */
    int broken;    /* a status; its message is the notebook's, empty when it was said already */
};

/* Each byte says how urgent it is. Who has closed the other end asks for nothing any more. */
static void read_requests(struct run *r)
{
    char bytes[64];
    ssize_t got;

    while (r->stop >= 0 && (got = read(r->stop, bytes, sizeof bytes)) >= 0) {
        for (ssize_t i = 0; i < got; i++)
            r->interrupts += bytes[i] == APP_STOP_FINISH ? 1 : 2;
        if (!got)
            r->stop = -1;
    }
}

/* Whether a suggestion under way is still wanted; the engine asks this far more often than need be. */
static int is_unwanted(void *context)
{
    struct run *r = context;
    const double now = app_clock();

    if (now - r->looked >= glimpse) {
        r->looked = now;
        read_requests(r);
    }
    return r->interrupts > 0;
}

/* --- trouble --- */

/* The run ends with this, after what runs; `others`: how many evaluations that are. */
static void break_off(struct run *r, int status, int others)
{
    struct app_message *m = r->n->message;
    const int first = !r->broken;

    if (!status)
        return;
    r->broken = status;
    if (!r->interrupts)
        r->interrupts = 1;

    /* Where nothing runs the end is near, and it is said there. */
    if (!others && first)
        return;

    /* Else it is said now, with what happens to the evaluations that run. */
    if (others && first && r->interrupts < 2) {
        const struct app_message why = *m;
        app_fail(m, status, "%.900s; finishing %d running evaluation%s, Ctrl-C kills %s", why.text, others,
                 others > 1 ? "s" : "", others > 1 ? "them" : "it");
    }
    app_progress_say(&r->progress, r->n, m->text);
    m->text[0] = 0;
}

/* --- results --- */

/* Writes the result of the trial into the store and shows it. *stored 0: that did not work. */
static int store_result(struct run *r, const struct app_record *result, int *stored)
{
    int kept;
    int status = r->store->finish(r->n->store, r->n->study, result, r->worker.id, &kept, r->n->message);

    *stored = !status;
    r->unseen = 1;
    if (!status)
        status = app_notebook_sync(r->n);
    if (!status)
        app_progress_ended(&r->progress, r->n, result->number);
    return status;
}

/* Our children that are to stay: of all places but that one, and who starts guards; into r->leaders; how
 * many. */
static int leaders(struct run *r, const struct slot *but)
{
    int count = 0;

    if (r->guard.pid)
        r->leaders[count++] = r->guard.pid;
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number && &r->slots[i] != but)
            r->leaders[count++] = r->slots[i].process.pid;
    return count;
}

/* Ends what the evaluation of the trial in that place has left behind; NULL and 0: what any has. */
static void end_family(struct run *r, const struct slot *slot, int trial)
{
    if (!r->alone) {
        app_kill_marked(r->word, r->n->definition.name, trial);
        return;
    }

    const int others = r->running > (slot && slot->number);
    const int spared = leaders(r, slot);
    app_kill_children(others || r->inherited ? r->word : NULL, trial, spared, r->leaders);
}

/* The state of a trial whose process has ended. */
static const char *state_after(const struct run *r, int number, int failed)
{
    const struct app_trial *t = &r->n->trials[number - 1];

    if (!failed)
        return "complete";
    return t->failures < r->n->definition.evaluate.retries ? "pending" : "failed";
}

/* What is not in the store may have taken days: let the user keep it. */
static void save_answer(struct run *r, int number, const char *outcomes, int status)
{
    const struct app_message first = *r->n->message;

    app_fail(r->n->message, status,
             "%s (trial %d answered %s: record that with `ckg tell`, or it will be evaluated again)",
             first.text, number, outcomes);
}

/* An ended process becomes a result: values, a failure, or another try. */
static int conclude(struct run *r, struct slot *slot)
{
    const struct app_definition *d = &r->n->definition;
    struct app_child *p = &slot->process;
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    struct app_answer_rest rest;
    struct app_text outcomes = {0};
    struct app_message why;
    int stored = 0;
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
    const struct app_record result = {
        .number = slot->number,
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
    if (!strcmp(result.state, "pending"))
        end_family(r, slot, slot->number); /* the next try may begin at once, and elsewhere */
    int status = lacks ? app_fail(r->n->message, CKG_ERR_NOMEM, "out of memory")
                       : store_result(r, &result, &stored);
    if (!stored && outcomes.data)
        save_answer(r, slot->number, outcomes.data, status);

    app_answer_rest_free(&rest);
    app_text_free(&outcomes);
    free(answer);
    free(log);
    return status;
}

/* The process of the slot is gone, and its family with it. */
static void empty(struct run *r, struct slot *slot)
{
    const int number = slot->number;

    assert(number > 0 && r->running > 0);
    app_child_free(&slot->process);
    slot->number = 0;
    r->freed = 1;
    r->running--;
    end_family(r, slot, number);
}

/* A trial that we cut off waits for the next run. */
static void hand_back(struct run *r, int number)
{
    app_work_hand_back(r->n, &r->worker, number);
}

/* Before the first success, a command that a shell does not find is a slip, and no result of a design. */
static int never_began(struct run *r, const struct slot *slot)
{
    struct app_message why;
    int tally[APP_STATES];

    app_notebook_tally(r->n, tally);
    if (tally[APP_COMPLETE] || !app_child_not_found(&slot->process, &why))
        return 0;
    app_fail(r->n->message, 0,
             "the evaluation cannot be started: %.800s; mend that, then run the same command again",
             why.text);
    return 1;
}

/* Takes leave of every evaluation that has ended. */
static void reap(struct run *r)
{
    for (int i = 0; i < r->parallel; i++) {
        struct slot *slot = &r->slots[i];
        if (!slot->number || !app_child_reap(&slot->process))
            continue;

        /* What is cut off, or never began, is another's to take only when nothing of it runs any longer. */
        const int number = slot->number;
        const int cut_off = slot->process.killed && !slot->process.timed_out;
        const int unbegun = !cut_off && never_began(r, slot);
        if (!cut_off)
            break_off(r, unbegun ? CKG_ERR_SYSTEM : conclude(r, slot), r->running - 1);
        empty(r, slot);
        if (cut_off || unbegun)
            hand_back(r, number);
    }

    /* Do they fail too often? What a second evaluation shows counts even where the run is to end. */
    if (!r->interrupts || (r->outage.probe && !r->broken))
        break_off(r, app_outage_judge(&r->outage, r->n, &r->progress), r->running);
}

/* --- starting --- */

static int start(struct run *r, struct slot *slot, int number)
{
    const struct app_trial *t = &r->n->trials[number - 1];
    int status = app_child_start(&slot->process, &r->guard, &r->n->definition, r->n->folder, r->word, number,
                                 t->x, r->n->message);

    if (status) {
        hand_back(r, number);
        return status;
    }
    slot->number = number;
    r->running++;
    app_child_serve(&slot->process);
    return r->store->started(r->n->store, r->n->study, number, r->worker.id, slot->process.pid,
                             app_process_born(slot->process.pid), r->n->message);
}

/* Another machine's run is waited for; where its clock is far ahead, it is said once how long. */
static void say_ahead(struct run *r, const struct app_elsewhere *e)
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
static int take_up(struct run *r, struct slot *slot, int *started)
{
    struct app_claim claim;
    int status = r->store->claim(r->n->store, r->n->study, &r->worker, app_process_gone, &claim,
                                 r->n->message);

    *started = !status && claim.number;
    if (!*started) {
        say_ahead(r, &claim.elsewhere);
        return status;
    }

    status = app_work_inherit(r->n, &r->worker, &claim);
    return status ? status : start(r, slot, claim.number);
}

static int start_new(struct run *r, struct slot *slot, int *started)
{
    int number;
    int taken;
    const int status = app_work_choose(r->n, &r->worker, r->n->definition.budget, &taken, &number);

    r->waiting = !status && !taken;
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
    read_requests(r);
    *started = !r->interrupts;
    if (*started)
        return start(r, slot, number);
    hand_back(r, number);
    return app_notebook_sync(r->n);
}

/* 1 when nothing may be started: the study is paused, or the one evaluation that may run does. */
static int is_held(const struct run *r)
{
    return r->interrupts || r->outage.paused || (r->outage.probe && r->running);
}

/* 1 when there may be another design: the budget has room for it, and it is worth it. */
static int wants_more(const struct run *r)
{
    return !r->exhausted && !r->watch.reached && app_notebook_spent(r->n) < r->n->definition.budget;
}

/* Looks whether the rest of the budget is worth it, when there is something new to go by. */
static int watch_gain(struct run *r)
{
    if (!r->watching || !r->unseen)
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
static int fill(struct run *r)
{
    int status = CKG_OK;
    int started = 1;

    r->waiting = 0;
    for (int i = 0; !status && started && !is_held(r) && i < r->parallel; i++) {
        if (r->slots[i].number)
            continue;
        status = take_up(r, &r->slots[i], &started);
        if (!status && !started && !r->outage.probe && wants_more(r))
            status = start_new(r, &r->slots[i], &started);
        read_requests(r);
    }
    return status;
}

/* --- waiting --- */

/* 1 when there is nothing left to do here or elsewhere. */
static int over(const struct run *r)
{
    if (r->running)
        return 0;
    if (r->broken || r->interrupts || r->outage.paused)
        return 1;

    /* What another process has is ours, should that die. */
    for (int i = 0; i < r->n->count; i++)
        if (r->n->trials[i].queued &&
            (r->n->trials[i].state == APP_RUNNING || r->n->trials[i].state == APP_PENDING))
            return 0;
    return !wants_more(r);
}

static void kill_all(struct run *r)
{
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number && !r->slots[i].process.killed)
            app_child_kill(&r->slots[i].process);
}

/* Until something happens or has to be done. */
static void wait_for_something(struct run *r)
{
    const double now = app_clock();
    double until = r->beaten + heartbeat;
    int count = 1;

    /* What can happen: a request, or something with an evaluation. */
    r->fds[0] = (struct pollfd){.fd = r->stop, .events = POLLIN};
    for (int i = 0; i < r->parallel; i++) {
        if (!r->slots[i].number)
            continue;
        until = fmin(until, app_child_watch(&r->slots[i].process, now));
        count += app_child_poll(&r->slots[i].process, r->fds + count);
    }

    /* When there is something to do anyway. */
    if (r->running < r->parallel && !r->interrupts)
        until = fmin(until, now + (r->waiting ? retry : look));
    if (r->progress.kind == APP_PROGRESS_BLOCK)
        until = fmin(until, r->drawn + redraw);

    poll(r->fds, (nfds_t)count, (int)ceil(1e3 * fmax(until - now, 0)));

    read_requests(r);
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number)
            app_child_serve(&r->slots[i].process);
}

/* The heartbeat, the orphans that have ended meanwhile, and the block. */
static void keep_alive(struct run *r)
{
    const double now = app_clock();
    struct app_message unheard; /* when a result comes is early enough to complain */

    if (now - r->beaten >= heartbeat) {
        r->store->heartbeat(r->n->store, &r->worker, &unheard);
        if (r->alone)
            app_reap_children(leaders(r, NULL), r->leaders);
        r->beaten = now;
    }
    if (now - r->drawn >= redraw) {
        app_progress_draw(&r->progress, r->n);
        r->drawn = now;
    }
}

/* Says what it waits for, when that has changed. */
static void note(struct run *r)
{
    const char *text = r->interrupts && r->running
                           ? "finishing the running evaluations; Ctrl-C again kills them"
                       : r->outage.paused           ? "paused, as evaluations fail; finishing those that run"
                       : !r->running && !r->waiting ? "waiting for other programs"
                                                    : "";
    char line[128];

    if (strcmp(text, r->progress.note) == 0)
        return;
    snprintf(r->progress.note, sizeof r->progress.note, "%s", text);
    if (r->interrupts == 1 && !r->broken && r->running && r->progress.kind != APP_PROGRESS_BLOCK) {
        snprintf(line, sizeof line, "interrupted: finishing %d running evaluation%s; Ctrl-C again kills %s",
                 r->running, r->running > 1 ? "s" : "", r->running > 1 ? "them" : "it");
        app_progress_say(&r->progress, r->n, line);
    }
    app_progress_draw(&r->progress, r->n);
}

static void loop(struct run *r)
{
    for (;;) {
        /* Every free place gets an evaluation, while that is worth it. */
        r->freed = 0;
        int status = r->interrupts ? CKG_OK : watch_gain(r);
        if (!status && !r->interrupts)
            status = fill(r);
        break_off(r, status, r->running);

        /* A second request to stop ends what runs; what has ended becomes a result. */
        if (r->interrupts > 1)
            kill_all(r);
        reap(r);

        /* What other processes did, where that can change what is to be done here. */
        status = r->running < r->parallel && !r->interrupts ? app_notebook_sync(r->n) : CKG_OK;
        if (!status && !r->interrupts)
            status = app_outage_judge(&r->outage, r->n, &r->progress);
        break_off(r, status, r->running);
        if (over(r))
            return;

        note(r);
        keep_alive(r);
        if (!r->freed)
            wait_for_something(r);
        reap(r);
    }
}

/* --- begin and end --- */

static int make_places(struct run *r)
{
    r->parallel = r->n->definition.evaluate.parallel;
    r->slots = calloc((size_t)r->parallel, sizeof *r->slots);
    r->leaders = calloc((size_t)r->parallel + 1, sizeof *r->leaders);
    r->fds = calloc(APP_CHILD_FDS * (size_t)r->parallel + 1, sizeof *r->fds);
    return r->slots && r->leaders && r->fds ? CKG_OK
                                            : app_fail(r->n->message, CKG_ERR_NOMEM, "out of memory");
}

static int begin(struct run *r, const struct app_run_host *host)
{
    const int status = make_places(r);

    if (status)
        return status;

    /* Who we are. */
    app_worker_here(&r->worker, r->machine);
    app_run_word(r->word, r->worker.process, r->worker.born, r);

    /* Whom we look after: the orphans to come where the process is ours, and what dead runs have left. */
    if (r->alone) {
        r->inherited = app_has_children();
        app_adopt_orphans();
        app_guard_begin(&r->guard);
    }
    app_kill_strays(r->n->definition.name);

    app_progress_begin(&r->progress, host->shown, r->n);
    r->progress.say = host->say;
    r->progress.context = host->context;
    r->beaten = app_clock();
    return r->store->worker_add(r->n->store, &r->worker, r->n->message);
}

/* Says why the run ends before its budget, and how it goes on; 1 when it does. */
static int say_stopped(struct run *r)
{
    const int budget = r->n->definition.budget;
    struct app_text line = {0};
    int tally[APP_STATES];

    if (!r->watch.reached || r->broken || r->interrupts || r->outage.paused ||
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
    struct run r = {
        .n = n,
        .store = n->store->table,
        .alone = host->alone,
        .stop = host->stop,
        .watching = n->definition.stop.gain > 0 && !host->to_the_end,
        .unseen = 1,
    };
    int stopped = 0;

    app_notebook_set_interrupt(n, is_unwanted, &r);
    r.broken = begin(&r, host);
    if (!r.broken) {
        app_progress_draw(&r.progress, n);
        break_off(&r, app_outage_begin(&r.outage, n, &r.progress), 0);
        loop(&r);
        assert(!r.running);
        end_family(&r, NULL, 0);
        r.store->worker_remove(n->store, &r.worker);
        stopped = say_stopped(&r);
        app_progress_end(&r.progress, n);
    }

    app_guard_end(&r.guard);
    app_notebook_set_interrupt(n, NULL, NULL);
    free(r.slots);
    free(r.leaders);
    free(r.fds);
    app_stop_forget(&r.watch);
    return r.broken          ? APP_RUN_BROKEN
           : r.interrupts    ? APP_RUN_INTERRUPTED
           : r.outage.paused ? APP_RUN_PAUSED
           : stopped         ? APP_RUN_STOPPED
                             : APP_RUN_SPENT;
}
