/*
 * The loop of a run. A free place first takes up a trial that somebody left, else it asks for a new design,
 * holding the turn so that designs are chosen one after the other and each knows of those before it. Then
 * everything waits in one poll: pipes of the children, signals, the clock. Signals only write a byte into a
 * pipe. Whatever happens, what the store says is true: a trial is "running" before its process begins, and
 * its result is in the store before anything else is done with it. Trouble with the store or with starting a
 * process ends the run, but what runs may end first: it may have cost days, and the trouble may be over by
 * then.
 */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evaluate/machine.h"
#include "evaluate/process.h"

/*
 * Seconds: between heartbeats, between looks at what other processes do, between drawings of the block,
 * between tries for the turn.
 */
static const double heartbeat = 10, look = 0.5, redraw = 1, retry = 0.02;

/* A place where one evaluation runs; number 0: free. */
struct slot {
    int number;
    struct app_process process;
};

struct run {
    struct app_notebook *n;
    const struct app_store_table *store;
    struct app_worker worker;
    char machine[256], word[48];
    int inherited; /* we had children before the first evaluation */
    int parallel, running;
    struct slot *slots;
    struct pollfd *fds;
    pid_t *leaders;
    struct app_progress progress;
    int interrupts; /* how often we were asked to stop; the second time running evaluations are killed */
    int exhausted;  /* no design is left to be evaluated */
    int waiting;    /* the turn is another's */
    int freed;      /* a place has become free since the places were last filled */
    double beaten, drawn;
    int broken; /* a status; its message is the notebook's, empty when it was said already */
};

/* --- signals --- */

static int signal_pipe[2] = {-1, -1};

static void on_signal(int number)
{
    const int saved = errno;
    const char byte = (char)number;
    if (write(signal_pipe[1], &byte, 1) < 0)
        errno = saved; /* full: enough is waiting to be read */
    errno = saved;
}

static const int heard[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { HEARD = sizeof heard / sizeof *heard };

/* What we were started with to ignore, by nohup or in the background of a script, stays ignored. */
static int listen_to_signals(struct run *r, const struct sigaction before[HEARD])
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK))
        return app_fail(r->n->message, CKG_ERR_SYSTEM, "no pipe for signals: %s", strerror(errno));
    sigemptyset(&action.sa_mask);
    signal(SIGPIPE, SIG_IGN); /* a child that does not read its input, or nobody that reads our lines */
    for (int i = 0; i < HEARD; i++)
        if (heard[i] == SIGCHLD || before[i].sa_handler != SIG_IGN)
            sigaction(heard[i], &action, NULL);
    return CKG_OK;
}

/* What follows the run can be interrupted as any program can. */
static void stop_listening(const struct sigaction before[HEARD])
{
    for (int i = 0; i < HEARD; i++)
        sigaction(heard[i], &before[i], NULL);
    for (int i = 0; i < 2; i++) {
        if (signal_pipe[i] >= 0)
            close(signal_pipe[i]);
        signal_pipe[i] = -1;
    }
}

/* SIGTERM and a closed terminal leave no time to wait for what runs. */
static void read_signals(struct run *r)
{
    char bytes[64];
    ssize_t got;
    while ((got = read(signal_pipe[0], bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < got; i++)
            r->interrupts += bytes[i] == SIGINT ? 1 : bytes[i] == SIGCHLD ? 0 : 2;
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
    if (!others && first)
        return; /* the end is near, where it is said */
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
    if (!status)
        status = app_notebook_sync(r->n);
    if (!status)
        app_progress_ended(&r->progress, r->n, result->number);
    return status;
}

/* An ended process becomes a result: values, a failure, or another try. */
static int conclude(struct run *r, struct slot *slot)
{
    const struct app_definition *d = &r->n->definition;
    const struct app_trial *t = &r->n->trials[slot->number - 1];
    struct app_process *p = &slot->process;
    struct app_message why;
    struct app_text outcomes = {0};
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    int count, stored = 0;
    const int failed = app_process_result(p, d, slot->number, measured, &count, &why);
    char *log = failed ? app_process_log(p) : NULL;
    if (!failed)
        app_outcomes_write(d, count, measured, &outcomes);
    const struct app_record result = {.number = slot->number,
                                      .state = !failed                             ? "complete"
                                               : t->failures < d->evaluate.retries ? "pending"
                                                                                   : "failed",
                                      .outcomes = outcomes.data,
                                      .why = failed ? why.text : NULL,
                                      .log = log,
                                      .seconds = p->ended - p->started,
                                      .failures = failed != 0};
    int status = outcomes.failed ? app_fail(r->n->message, CKG_ERR_NOMEM, "out of memory")
                                 : store_result(r, &result, &stored);
    if (!stored && outcomes.data) { /* it may have taken days: let the user keep it */
        const struct app_message first = *r->n->message;
        app_fail(r->n->message, status, "%s (trial %d answered %s: `ckg tell` it, or it is evaluated again)",
                 first.text, slot->number, outcomes.data);
    }
    app_text_free(&outcomes);
    free(log);
    return status;
}

static struct slot *slot_of(struct run *r, pid_t pid)
{
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number && r->slots[i].process.pid == pid)
            return &r->slots[i];
    return NULL;
}

static int leaders(struct run *r)
{
    int count = 0;
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number)
            r->leaders[count++] = r->slots[i].process.pid;
    return count;
}

/* The process of the slot is gone, and its family with it. */
static void empty(struct run *r, struct slot *slot)
{
    const int number = slot->number;
    app_process_free(&slot->process);
    slot->number = 0;
    r->freed = 1;
    r->running--;
    const int others = leaders(r);
    app_kill_children(others || r->inherited ? r->word : NULL, number, others, r->leaders);
}

/*
 * A trial that we cut off waits for the next run. The store may be what is broken, so nothing is said of it
 * here.
 */
static void hand_back(struct run *r, int number)
{
    const struct app_record back = {.number = number, .state = "pending", .seconds = NAN};
    struct app_message unheard;
    int kept;
    r->store->finish(r->n->store, r->n->study, &back, r->worker.id, &kept, &unheard);
}

static void say_goodbye(struct run *r, struct slot *slot, int status)
{
    struct app_process *p = &slot->process;
    app_process_finish(p, status);
    if (p->killed && !p->timed_out)
        hand_back(r, slot->number);
    else
        break_off(r, conclude(r, slot), r->running - 1);
    empty(r, slot);
}

/*
 * Takes leave of every child that has ended. It is left unreaped until its group is killed: until then its
 * number cannot be another's.
 */
static void reap(struct run *r)
{
    siginfo_t info = {0};
    while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid) {
        struct slot *slot = slot_of(r, info.si_pid);
        int status = 0;
        if (slot)
            kill(-info.si_pid, SIGKILL);
        waitpid(info.si_pid, &status, 0);
        if (slot)
            say_goodbye(r, slot, status);
        info.si_pid = 0;
    }
}

/* --- starting --- */

static int start(struct run *r, struct slot *slot, int number)
{
    const struct app_trial *t = &r->n->trials[number - 1];
    int status = app_process_start(&slot->process, &r->n->definition, r->n->folder, r->word, number, t->x,
                                   r->n->message);
    if (status) {
        hand_back(r, number);
        return status;
    }
    slot->number = number;
    r->running++;
    app_process_serve(&slot->process);
    return r->store->started(r->n->store, r->n->study, number, r->worker.id, slot->process.pid,
                             app_process_born(slot->process.pid), r->n->message);
}

/* A trial that nobody evaluates any longer; what its lost worker left running is killed first. */
static int take_up(struct run *r, struct slot *slot, int *started)
{
    struct app_claim claim;
    char lost[48];
    int status = r->store->claim(r->n->store, r->n->study, &r->worker, app_process_gone, &claim,
                                 r->n->message);
    *started = !status && claim.number;
    if (!*started)
        return status;
    app_worker_word(lost, claim.worker_process, claim.worker_born);
    if (claim.lost && !app_kill_left(lost, claim.process, claim.born)) {
        hand_back(r, claim.number);
        return app_fail(
            r->n->message, CKG_ERR_SYSTEM,
            "what a lost run left of trial %d cannot be ended; end it, then the same command goes on",
            claim.number);
    }
    status = app_notebook_sync(r->n);
    return status ? status : start(r, slot, claim.number);
}

static int start_new(struct run *r, struct slot *slot, int *started)
{
    ckg_suggestion *suggestion = NULL;
    int number = 0, taken;
    int status = r->store->turn_take(r->n->store, r->n->study, &taken, r->n->message);
    r->waiting = !status && !taken;
    *started = 0;
    if (status || !taken)
        return status;
    status = app_notebook_sync(r->n);
    if (!status && r->n->count < r->n->definition.budget)
        status = app_notebook_suggest(r->n, r->worker.id, &suggestion, &number);
    r->store->turn_give(r->n->store, r->n->study);
    ckg_suggestion_free(suggestion);
    if (status == CKG_ERR_EXHAUSTED) {
        r->exhausted = 1;
        return CKG_OK;
    }
    if (status || !number)
        return status;
    read_signals(r); /* choosing a design can take long */
    *started = !r->interrupts;
    if (r->interrupts)
        hand_back(r, number);
    return r->interrupts ? app_notebook_sync(r->n) : start(r, slot, number);
}

/* Fills the free places. */
static int fill(struct run *r)
{
    int status = CKG_OK, started = 1;
    r->waiting = 0;
    for (int i = 0; !status && started && !r->interrupts && i < r->parallel; i++) {
        if (r->slots[i].number)
            continue;
        status = take_up(r, &r->slots[i], &started);
        if (!status && !started && !r->exhausted && r->n->count < r->n->definition.budget)
            status = start_new(r, &r->slots[i], &started);
        read_signals(r);
    }
    return status;
}

/* --- waiting --- */

/* 1 when there is nothing left to do here or elsewhere. */
static int over(const struct run *r)
{
    if (r->running)
        return 0;
    if (r->broken || r->interrupts)
        return 1;
    for (int i = 0; i < r->n->count; i++)
        if (r->n->trials[i].queued &&
            (r->n->trials[i].state == APP_RUNNING || r->n->trials[i].state == APP_PENDING))
            return 0; /* another process has it; should that die, it is ours */
    return r->exhausted || r->n->count >= r->n->definition.budget;
}

static void kill_all(struct run *r)
{
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number && !r->slots[i].process.killed)
            app_process_kill(&r->slots[i].process);
}

/* Until something happens or has to be done. */
static void wait_for_something(struct run *r)
{
    const double now = app_clock();
    double until = r->beaten + heartbeat;
    int count = 1;
    r->fds[0] = (struct pollfd){.fd = signal_pipe[0], .events = POLLIN};
    for (int i = 0; i < r->parallel; i++) {
        if (!r->slots[i].number)
            continue;
        until = fmin(until, app_process_watch(&r->slots[i].process, now));
        count += app_process_poll(&r->slots[i].process, r->fds + count);
    }
    if (r->running < r->parallel && !r->interrupts)
        until = fmin(until, now + (r->waiting ? retry : look));
    if (r->progress.kind == APP_PROGRESS_BLOCK)
        until = fmin(until, r->drawn + redraw);
    poll(r->fds, (nfds_t)count, (int)ceil(1e3 * fmax(until - now, 0)));
    read_signals(r);
    for (int i = 0; i < r->parallel; i++)
        if (r->slots[i].number)
            app_process_serve(&r->slots[i].process);
}

static void keep_alive(struct run *r)
{
    const double now = app_clock();
    struct app_message unheard; /* when a result comes is early enough to complain */
    if (now - r->beaten >= heartbeat) {
        r->store->heartbeat(r->n->store, &r->worker, &unheard);
        r->beaten = now;
    }
    if (now - r->drawn >= redraw) {
        app_progress_draw(&r->progress, r->n);
        r->drawn = now;
    }
}

static void note(struct run *r)
{
    const char *text = r->interrupts && r->running  ? "finishing what runs; Ctrl-C again kills it"
                       : !r->running && !r->waiting ? "waiting for other programs"
                                                    : "";
    if (strcmp(text, r->progress.note) == 0)
        return;
    snprintf(r->progress.note, sizeof r->progress.note, "%s", text);
    if (r->interrupts == 1 && !r->broken && r->running && r->progress.kind != APP_PROGRESS_BLOCK)
        fprintf(stderr, "interrupted: finishing %d running evaluation%s; Ctrl-C again kills %s\n", r->running,
                r->running > 1 ? "s" : "", r->running > 1 ? "them" : "it");
    app_progress_draw(&r->progress, r->n);
}

static void loop(struct run *r)
{
    for (;;) {
        r->freed = 0;
        int status = r->interrupts ? CKG_OK : fill(r);
        break_off(r, status, r->running);
        reap(r);
        if (r->interrupts > 1)
            kill_all(r);
        status = r->running < r->parallel && !r->interrupts ? app_notebook_sync(r->n) : CKG_OK;
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

static int begin(struct run *r, enum app_progress_kind shown, const struct sigaction before[HEARD])
{
    r->parallel = r->n->definition.evaluate.parallel;
    r->slots = calloc((size_t)r->parallel, sizeof *r->slots);
    r->leaders = calloc((size_t)r->parallel, sizeof *r->leaders);
    r->fds = calloc(APP_PROCESS_FDS * (size_t)r->parallel + 1, sizeof *r->fds);
    if (!r->slots || !r->leaders || !r->fds)
        return app_fail(r->n->message, CKG_ERR_NOMEM, "out of memory");
    app_machine_name(r->machine);
    r->worker = (struct app_worker){
        .machine = r->machine, .process = getpid(), .born = app_process_born(getpid())};
    app_worker_word(r->word, r->worker.process, r->worker.born);
    r->inherited = app_has_children();
    app_adopt_orphans();
    app_kill_strays(r->n->definition.name);
    app_progress_begin(&r->progress, shown, r->n);
    r->beaten = app_clock();
    const int status = listen_to_signals(r, before);
    return status ? status : r->store->worker_add(r->n->store, &r->worker, r->n->message);
}

enum app_run_end app_run(struct app_notebook *n, enum app_progress_kind shown)
{
    struct run r = {.n = n, .store = n->store->table};
    struct sigaction before[HEARD];
    for (int i = 0; i < HEARD; i++)
        sigaction(heard[i], NULL, &before[i]);
    r.broken = begin(&r, shown, before);
    if (!r.broken) {
        app_progress_draw(&r.progress, n);
        loop(&r);
        app_kill_children(r.inherited ? r.word : NULL, 0, 0, NULL);
        r.store->worker_remove(n->store, &r.worker);
        app_progress_end(&r.progress, n);
    }
    stop_listening(before);
    free(r.slots);
    free(r.leaders);
    free(r.fds);
    return r.broken ? APP_RUN_BROKEN : r.interrupts ? APP_RUN_INTERRUPTED : APP_RUN_SPENT;
}
