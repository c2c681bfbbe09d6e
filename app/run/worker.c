/*
 * The loop of a worker. The steps of its studies share one set of places and one connection to the store.
 * Trouble with the store holds everything back but the evaluations that run: their answers go into the spool,
 * and the store is tried again until it is there.
 */
#include "run/worker.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/visible.h"
#include "evaluate/machine.h"
#include "actions/outage.h"
#include "study/study_work.h"
#include "run/run_steps.h"
#include "run/deliver.h"

/*
 * Seconds: between heartbeats, also where nothing runs that could be taken for lost; between looks for
 * studies that have appeared or changed and for answers that others left, and between looks at studies where
 * there is nothing to do, from the first to when nothing has happened for long; between all of these where
 * the store tells of changes. The first and the longest wait for a store that is away, and how long one that
 * does not answer at all is waited for at the start.
 */
static const double heartbeat = 10;
static const double idle_heartbeat = 25;
static const double search = 5;
static const double idle = 2;
static const double longest_idle = 30;
static const double idle_and_told = 240;
static const double first_wait = 0.25;
static const double longest_wait = 10;
static const double arrival = 60;

/*
 * A call may wait so long for a store that has just gone, so that a cut connection is no trouble: but the
 * evaluations and those who ask us to stop want to be heard.
 */
static const double patience = 0.5;

/* A study that this worker has a problem file for. */
struct study {
    const struct app_evaluator *evaluator;
    struct app_notebook notebook;
    struct app_message message; /* the notebook's */
    struct app_message said;    /* the last that was said of it, "": nothing */
    struct app_steps steps;
    int open;
    int leaving; /* it is closed when nothing of it runs any longer */
    int unfit;   /* it needs what this worker has not */
    int paused;  /* it was said that evaluations fail */
};

struct worker {
    const struct app_worker_orders *orders;
    struct app_store *store; /* NULL: it is away */
    struct app_places places;
    struct app_worker self;
    char machine[256];
    struct app_text about; /* what others are told of us */
    struct app_spool spool;
    int count;
    struct study *studies; /* (count) */
    int turn;              /* which of them is first */
    double beaten;
    double search;      /* when to look for studies again */
    double changed;     /* when something last happened */
    double again, wait; /* when a store that is away is tried again, and how long after that */
};

/* --- saying --- */

/* A line about a study, once. */
static void say_once(const struct worker *w, struct study *s, const char *text)
{
    if (!strcmp(s->said.text, text))
        return;
    s->said = (struct app_message){{0}};
    app_fail(&s->said, 0, "%s", text);
    if (w->orders->shown != APP_PROGRESS_NONE || s->steps.broken)
        app_warn("%s: %s\n", s->evaluator->study, text);
}

/* --- studies --- */

/* 1 when the label is one that the worker was given. */
static int has_label(const struct worker *w, const struct app_need *need)
{
    const size_t length = strlen(need->name);

    for (int i = 0; i < w->orders->label_count; i++) {
        const char *label = w->orders->labels[i];
        if (!strncmp(label, need->name, length) && label[length] == '=' &&
            !strcmp(label + length + 1, need->value))
            return 1;
    }
    return 0;
}

/* 1 when the study needs nothing that this worker has not; else it is said. */
static int is_fit(const struct worker *w, struct study *s)
{
    const struct app_evaluate *e = &s->notebook.definition.evaluate;
    struct app_message why;

    for (int i = 0; i < e->needs_count; i++)
        if (!has_label(w, &e->needs[i])) {
            app_fail(&why, 0, "it needs --label %s=%s, which this worker has not; it is left alone",
                     e->needs[i].name, e->needs[i].value);
            say_once(w, s, why.text);
            return 0;
        }
    return 1;
}

static void close_study(struct study *s)
{
    assert(!s->steps.running);
    if (s->open) {
        app_steps_end(&s->steps);
        app_notebook_close(&s->notebook);
    }
    s->open = 0;
    s->leaving = 0;
}

/* The store has it, or it is begun. */
static int begin_study(const struct worker *w, const struct study *s, struct app_message *message)
{
    const struct app_study_place place = {.file = s->evaluator->path, .store = w->orders->url};
    struct app_notebook notebook;
    const int status = app_notebook_open(&notebook, &place, APP_WRITE, message);

    if (!status)
        app_notebook_close(&notebook);
    return status;
}

/* CKG_OK also where the store has no such study yet, or it is not for this worker. */
static int open_study(struct worker *w, struct study *s)
{
    const struct app_run_host host = {.shown = w->orders->shown};
    int status = app_notebook_join(&s->notebook, w->store, w->orders->url, s->evaluator->path, &s->message);

    if (status == CKG_ERR_NOT_FOUND && w->orders->begin) {
        status = begin_study(w, s, &s->message);
        if (!status)
            status = app_notebook_join(&s->notebook, w->store, w->orders->url, s->evaluator->path,
                                       &s->message);
    }
    if (status)
        return status == CKG_ERR_NOT_FOUND ? CKG_OK : status;
    s->unfit = !is_fit(w, s);
    if (s->unfit) {
        app_notebook_close(&s->notebook);
        return CKG_OK;
    }

    /* Its steps, over the places of all. */
    s->notebook.threads = w->orders->threads;
    s->steps = (struct app_steps){.n = &s->notebook,
                                  .places = &w->places,
                                  .worker = &w->self,
                                  .spool = &w->spool,
                                  .patient = 1,
                                  .no_more = w->orders->drain,
                                  .least_ahead = !w->orders->slots};
    app_steps_begin(&s->steps, &host);
    s->steps.progress.named = 1;
    s->open = 1;
    return app_outage_begin(&s->steps.outage, &s->notebook, &s->steps.progress);
}

/* 1 when it goes on in another way than when it was opened, as with a raised budget. */
static int has_changed(const struct worker *w, const struct study *s)
{
    struct app_study_record record = {0};
    struct app_message unheard;
    const int found = !w->store->table->study_find(w->store, s->evaluator->study, &record, &unheard);
    const int changed = found && strcmp(record.definition, s->notebook.kept) != 0;

    app_study_record_free(&record);
    return changed;
}

/*
 * Who is told of changes need not look for them as often, nor who has not seen any for long: a thousand that
 * are idle must not be a load.
 */
static double pause_of(const struct worker *w, double least)
{
    const double quiet = app_clock() - w->changed;

    return w->places.news >= 0 ? app_pause(&w->self, 0, idle_and_told, idle_and_told)
                               : app_pause(&w->self, quiet, least, longest_idle);
}

/* Opens what has appeared, and opens anew what has changed. At the start what is wrong is an error. */
static int look_for_studies(struct worker *w, int at_start, struct app_message *message)
{
    for (int i = 0; i < w->count; i++) {
        struct study *s = &w->studies[i];

        if (s->open && !s->steps.running && !s->steps.broken && app_steps_over(&s->steps) &&
            has_changed(w, s))
            close_study(s);
        if (s->open || s->unfit)
            continue;
        const int status = open_study(w, s);
        if (status && at_start)
            return app_fail(message, status, "%s", s->message.text);
        if (status && s->open)
            app_steps_break(&s->steps, status, 0);
        else if (status)
            say_once(w, s, s->message.text);
    }
    w->search = app_clock() + pause_of(w, search);
    return CKG_OK;
}

/* Failures in a row hold a study back until a person has looked, and that is said; what held it may be over.
 */
static void mind_pause(const struct worker *w, struct study *s)
{
    struct app_text line = {0};

    if (!s->open || s->steps.outage.paused == s->paused)
        return;
    s->paused = s->steps.outage.paused;
    app_text_print(&line, "%s", s->paused ? "paused: " : "goes on");
    if (s->paused)
        app_pause_write(&s->notebook, &line);
    if (line.data)
        say_once(w, s, line.data);
    app_text_free(&line);
}

/* --- the store --- */

/* Brings answers of before into the store; trouble is that of the store. */
static void deliver(struct worker *w)
{
    for (int i = 0; i < w->count; i++) {
        struct study *s = &w->studies[i];
        if (s->open && !s->steps.broken)
            app_steps_break(&s->steps, app_deliver(&w->spool, &s->steps), s->steps.running);
    }
}

/* What has happened to a study: it waits for the store, or its problem was changed and it is closed. */
static void mind_trouble(struct worker *w, struct study *s)
{
    if (!s->open || !s->steps.broken)
        return;
    say_once(w, s, s->message.text);
    s->leaving |= s->steps.broken == CKG_ERR_STATE;
    if (s->leaving && !s->steps.running)
        close_study(s);
    else if (!s->leaving && w->again == INFINITY) {
        w->wait = first_wait;
        w->again = app_clock() + w->wait;
    }
}

/* A heartbeat; a worker that was forgotten, for it was silent for long, begins anew. */
static int give_sign(struct worker *w, struct app_message *message)
{
    int status = w->store->table->heartbeat(w->store, &w->self, message);

    if (status == CKG_ERR_NOT_FOUND)
        status = w->store->table->worker_add(w->store, &w->self, message);
    w->spool.worker = w->self;
    return status;
}

/* The study by the new connection: still there, and up to date. */
static int resume(struct worker *w, struct study *s)
{
    struct app_study_record record = {0};

    s->notebook.store = w->store;
    int status = w->store->table->study_find(w->store, s->evaluator->study, &record, &s->message);
    if (!status && record.id != s->notebook.study)
        status = app_fail(&s->message, CKG_ERR_STATE, "the store is another one");
    if (!status)
        status = app_notebook_sync(&s->notebook);
    app_study_record_free(&record);
    return status;
}

/* A trial that is ours in the store and that no place has: its claim was made as the store went away. */
struct forgotten {
    const struct worker *worker;
    const struct study *study;
    int number; /* 0: there is none */
};

static int take_forgotten(void *context, const struct app_lease *lease)
{
    struct forgotten *f = context;
    int found = lease->worker.id != f->worker->self.id || f->number;

    for (int i = 0; !found && i < f->worker->places.count; i++) {
        const struct app_place *place = &f->worker->places.place[i];
        found = place->number == lease->number && place->of == &f->study->steps;
    }
    if (!found)
        f->number = lease->number;
    return CKG_OK;
}

/* Such trials wait for whoever is free. */
static void hand_back_forgotten(struct worker *w, struct study *s)
{
    struct forgotten f = {.worker = w, .study = s};
    struct app_message unheard;

    do {
        f.number = 0;
        if (w->store->table->leases(w->store, s->notebook.study, take_forgotten, &f, &unheard))
            return;
        if (f.number)
            app_work_hand_back(&s->notebook, &w->self, f.number);
    } while (f.number && !app_notebook_sync(&s->notebook));
}

/* Connects anew, and goes on where it stopped. */
static void reconnect(struct worker *w)
{
    struct app_message why;
    struct app_store *store;
    const struct app_asking asking = {app_places_give_up, &w->places};
    int status = app_store_open_while(&store, w->orders->url, 0, &asking, &why);

    /* Not yet. */
    w->wait = fmin(2 * w->wait, longest_wait);
    w->again = app_clock() + w->wait;
    if (status)
        return;

    /* The new one instead of the old. */
    w->store->table->close(w->store);
    w->store = store;
    store->table->set_patience(store, patience, &asking);
    status = give_sign(w, &why);
    for (int i = 0; i < w->count; i++) {
        struct study *s = &w->studies[i];
        if (!s->open || s->leaving)
            continue;
        const int resumed = resume(w, s);
        if (resumed == CKG_ERR_STATE)
            s->leaving = 1;
        else if (resumed)
            status = resumed;
        s->steps.broken = resumed;
    }
    if (status)
        return;

    /* All is well, as far as one can see. */
    w->again = INFINITY;
    w->beaten = app_clock();
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && w->studies[i].said.text[0] && !w->studies[i].leaving)
            say_once(w, &w->studies[i], "goes on");
    deliver(w);
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && !w->studies[i].leaving && !w->studies[i].steps.broken)
            hand_back_forgotten(w, &w->studies[i]);
}

/* --- the loop --- */

/* 1 when nothing waits that this worker could take up. */
static int is_drained(const struct study *s)
{
    const struct app_notebook *n = &s->notebook;

    for (int i = 0; i < n->count; i++)
        if (n->trials[i].queued && n->trials[i].state == APP_PENDING)
            return s->steps.outage.paused || s->notebook.hold.held;
    return 1;
}

static int is_done(const struct worker *w)
{
    if (w->places.running)
        return 0;
    if (w->places.interrupts)
        return 1;
    if (!w->orders->drain && !w->orders->until_idle)
        return 0;
    for (int i = 0; i < w->count; i++) {
        const struct study *s = &w->studies[i];
        if (s->open && (s->steps.broken || !(w->orders->drain ? is_drained(s) : app_steps_over(&s->steps))))
            return 0;
    }
    return 1;
}

/* Only who has something can lose it. */
static double beat_every(const struct worker *w)
{
    return w->places.running ? heartbeat : app_pause(&w->self, 0, idle_heartbeat, idle_heartbeat);
}

/* When to do something, whatever happens, but for the heartbeat. */
static double next_time(const struct worker *w)
{
    double until = fmin(w->search, w->again);

    if (w->places.hurried > 0 && w->places.interrupts < 2)
        until = fmin(until, w->places.hurried + w->orders->grace);
    for (int i = 0; i < w->count; i++) {
        const struct study *s = &w->studies[i];
        if (s->open && app_steps_over(&s->steps))
            until = fmin(until, app_clock() + pause_of(w, idle));
        else if (s->open)
            until = fmin(until, app_steps_look(&s->steps));
    }
    return until;
}

/* The heartbeat, and the orphans that have ended. */
static void keep_alive(struct worker *w)
{
    const double now = app_clock();
    struct app_message unheard;

    if (now - w->beaten >= beat_every(w)) {
        give_sign(w, &unheard);
        app_places_reap(&w->places);
        w->beaten = now;
    }
}

/* The heartbeat alone, while a design is chosen. */
static void tick(void *context)
{
    struct worker *w = context;
    struct app_message unheard;

    if (app_clock() - w->beaten < heartbeat)
        return;
    w->store->table->heartbeat(w->store, &w->self, &unheard);
    w->beaten = app_clock();
}

/* Who was to end soon has had time enough. */
static void mind_grace(struct worker *w)
{
    if (w->places.hurried > 0 && app_clock() - w->places.hurried >= w->orders->grace &&
        w->places.interrupts < 2)
        w->places.interrupts = 2;
}

/* 1 when what others do matters here: there is a place for it. */
static int is_curious(const struct worker *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && app_steps_look(&w->studies[i].steps) < INFINITY)
            return 1;
    return w->places.running < w->places.count;
}

/* From here on the store tells of changes, where it can and they matter here; 1 when there are some. */
static int listen_to_store(struct worker *w)
{
    w->places.news = -1;
    if (w->again < INFINITY || w->places.interrupts || !is_curious(w))
        return 0;
    w->places.news = w->store->table->listen(w->store, 0);
    for (int i = 0; i < w->count && w->places.news >= 0; i++)
        if (w->studies[i].open)
            w->places.news = w->store->table->listen(w->store, w->studies[i].notebook.study);
    if (!w->store->table->heard(w->store))
        return 0;

    /* It may be a study that has appeared, or goes on in another way. */
    w->changed = app_clock();
    for (int i = 0; i < w->count; i++)
        if (!w->studies[i].open || app_steps_over(&w->studies[i].steps))
            w->search = 0;
    return 1;
}

/* Until something happens, or it is time to look. A sign of life that is due meanwhile needs no look. */
static void wait_for_something(struct worker *w)
{
    double until = 0;

    do {
        keep_alive(w);
        if (w->places.freed || listen_to_store(w))
            return;
        until = until > 0 ? until : next_time(w);
        app_places_wait(&w->places, fmin(until, w->beaten + beat_every(w)));
    } while (!w->places.running && !w->places.interrupts && app_clock() < until);
}

/* Every study makes a step, another being the first every time. */
static void make_steps(struct worker *w)
{
    w->turn = w->count ? (w->turn + 1) % w->count : 0;
    for (int k = 0; k < w->count; k++) {
        struct study *s = &w->studies[(w->turn + k) % w->count];

        if (s->open) {
            app_steps_go(&s->steps);
            w->changed = fmax(w->changed, s->steps.changed);
        }
        mind_pause(w, s);
        mind_trouble(w, s);
    }
}

static void loop(struct worker *w)
{
    struct app_message unheard;

    for (;;) {
        /* The store is there, and so is what has appeared in it. */
        w->places.freed = 0;
        mind_grace(w);
        if (app_clock() >= w->again)
            reconnect(w);
        if (w->again == INFINITY && app_clock() >= w->search && !w->places.interrupts) {
            look_for_studies(w, 0, &unheard);
            deliver(w);
        }
        make_steps(w);

        if (is_done(w))
            return;
        wait_for_something(w);
        for (int i = 0; i < w->count; i++)
            if (w->studies[i].open)
                app_steps_reap(&w->studies[i].steps);
    }
}

/* --- begin and end --- */

static int is_wanted(const struct app_worker_orders *orders, const char *study)
{
    for (int i = 0; i < orders->study_count; i++)
        if (!strcmp(orders->studies[i], study))
            return 1;
    return !orders->study_count;
}

/* A study for each problem file that the orders want. */
static int list_studies(struct worker *w, struct app_message *message)
{
    const struct app_evaluators *e = w->orders->evaluators;

    w->studies = calloc((size_t)e->count + 1, sizeof *w->studies);
    if (!w->studies)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    for (int i = 0; i < e->count; i++)
        if (is_wanted(w->orders, e->each[i].study))
            w->studies[w->count++] = (struct study){.evaluator = &e->each[i]};
    return CKG_OK;
}

/* What others are told of us. */
static void describe(struct worker *w)
{
    app_json_open(&w->about, NULL, '{');
    app_json_open(&w->about, "labels", '[');
    for (int i = 0; i < w->orders->label_count; i++)
        app_json_add_string(&w->about, NULL, w->orders->labels[i]);
    app_json_close(&w->about, ']');
    app_json_close(&w->about, '}');
    w->self.slots = w->orders->slots;
    w->self.about = w->about.failed ? NULL : w->about.data;
}

/*
 * At the start: 1 when the store is to be tried again after this trouble. A server that is on its way is
 * waited for, as one that went away is, and that is said; one that does not answer, for a minute: it may be
 * restarting or overrun, or the address wrong. What else is wrong may have been its end, once.
 */
static int wait_for_store(struct worker *w, int status, double start, double *wait,
                          const struct app_message *why)
{
    const int first = *wait == first_wait;

    if (status != CKG_ERR_SYSTEM || app_places_give_up(&w->places))
        return 0;
    const enum app_away away = app_store_away(w->orders->url);
    if ((away == APP_AWAY_NOT && !first) || (away == APP_AWAY_SILENT && app_clock() - start >= arrival))
        return 0;
    if (first && away != APP_AWAY_NOT)
        app_warn("%s; waiting for it\n", why->text);
    app_places_wait(&w->places, app_clock() + *wait);
    *wait = fmin(2 * *wait, longest_wait);
    return 1;
}

static int open_store(struct worker *w, struct app_message *message)
{
    const struct app_asking asking = {app_places_give_up, &w->places};
    const double start = app_clock();
    double wait = first_wait;
    int status;

    do
        status = app_store_open_while(&w->store, w->orders->url, w->orders->begin, &asking, message);
    while (wait_for_store(w, status, start, &wait, message));
    return status;
}

/* The studies that are there already; a store that goes away meanwhile is waited for too. */
static int find_studies(struct worker *w, struct app_message *message)
{
    const double start = app_clock();
    double wait = first_wait;
    int status;

    do
        status = look_for_studies(w, 1, message);
    while (wait_for_store(w, status, start, &wait, message));
    return status;
}

static int begin(struct worker *w, struct app_message *message)
{
    const struct app_worker_orders *orders = w->orders;
    const struct app_asking asking = {app_places_give_up, &w->places};
    int status = list_studies(w, message);

    w->changed = app_clock();

    /* With what, where, and who we are there. */
    if (!status)
        status = app_places_make(&w->places, orders->slots, message);
    if (!status)
        status = open_store(w, message);
    if (status == CKG_ERR_NOT_FOUND) {
        const struct app_message why = *message;
        return app_fail(message, CKG_ERR_INVALID, "%.900s; --begin makes it, and the studies", why.text);
    }
    if (status)
        return status;
    w->store->table->set_patience(w->store, APP_STORE_PATIENCE, &asking);
    app_worker_here(&w->self, w->machine);
    describe(w);
    status = w->store->table->worker_add(w->store, &w->self, message);
    if (!status)
        status = app_spool_open(&w->spool, orders->spool, orders->url, message);
    w->spool.worker = w->self;

    /* And for what. */
    if (!status) {
        app_places_begin(&w->places);
        status = find_studies(w, message);
    }
    w->store->table->set_patience(w->store, patience, &asking);
    w->beaten = app_clock();
    w->changed = app_clock();
    return status;
}

/* What it works for, in a line. */
static void say_studies(const struct worker *w)
{
    struct app_text line = {0};
    int count = 0;

    if (w->orders->shown != APP_PROGRESS_LINES)
        return;
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open)
            app_text_print(&line, "%s%s", count++ ? ", " : "", w->studies[i].evaluator->study);
    if (count)
        app_say("working for %s, %d at once\n", line.data ? line.data : "", w->orders->slots);
    else
        app_say("the store has no study for this worker yet\n");
    fflush(stdout);
    app_text_free(&line);
}

static int count_answer(void *context, const struct app_spooled *answer)
{
    (void)answer;
    ++*(int *)context;
    return CKG_OK;
}

/* Answers that the store has not got. */
static void say_left(struct worker *w)
{
    int count = 0;

    app_spool_each(&w->spool, count_answer, &count);
    if (count)
        app_warn("%d answer%s %s in %s for the store; the next worker here delivers %s\n", count,
                 count > 1 ? "s" : "", count > 1 ? "wait" : "waits", w->spool.folder,
                 count > 1 ? "them" : "it");
}

static void end(struct worker *w)
{
    for (int i = 0; i < w->count; i++)
        close_study(&w->studies[i]);
    if (w->store) {
        if (w->self.id)
            w->store->table->worker_remove(w->store, &w->self);
        w->store->table->close(w->store);
    }
    app_places_end(&w->places);
    app_spool_close(&w->spool);
    app_text_free(&w->about);
    free(w->studies);
}

int app_worker_work(const struct app_worker_orders *orders, struct app_message *message)
{
    struct worker w = {
        .orders = orders,
        .places = {.alone = 1, .stop = orders->stop, .news = -1, .tick = tick, .context = &w},
        .again = INFINITY,
    };
    const int status = begin(&w, message);

    if (!status) {
        say_studies(&w);
        deliver(&w);
        loop(&w);
        say_left(&w);
    }
    end(&w);
    return status;
}
