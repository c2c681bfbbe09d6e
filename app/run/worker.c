/* A worker: studies that it has problem files for are opened as they appear in the store, and closed. */
#include "run/worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/visible.h"
#include "run/runner.h"
#include "study/study_work.h"

/*
 * Seconds: between looks for studies that have appeared or changed and for answers that others left; how long
 * a store that does not answer at all is waited for at the start.
 */
static const double search = 5;
static const double arrival = 60;

/* --- studies --- */

/* 1 when the label is one that the worker was given. */
static int has_label(const struct app_runner *w, const struct app_need *need)
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
static int is_fit(const struct app_runner *w, struct app_runner_study *s)
{
    const struct app_evaluate *e = &s->notebook.definition.evaluate;
    struct app_message why;

    for (int i = 0; i < e->needs.count; i++)
        if (!has_label(w, &e->needs.pair[i])) {
            app_fail(&why, 0, "it needs --label %s=%s, which this worker has not; it is left alone",
                     e->needs.pair[i].name, e->needs.pair[i].value);
            app_runner_say(w, s, why.text);
            return 0;
        }
    return 1;
}

/* The store has it, or it is begun. */
static int begin_study(const struct app_runner *w, const struct app_runner_study *s,
                       struct app_message *message)
{
    const struct app_study_place place = {.file = s->evaluator->path, .store = w->orders->url};
    struct app_notebook notebook;
    const int status = app_notebook_open(&notebook, &place, APP_WRITE, message);

    if (!status)
        app_notebook_close(&notebook);
    return status;
}

/* CKG_OK also where the store has no such study yet, or it is not for this worker. */
static int open_study(struct app_runner *w, struct app_runner_study *s)
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
static int has_changed(const struct app_runner *w, const struct app_runner_study *s)
{
    struct app_study_record record = {0};
    struct app_message unheard;
    const int found = !app_store_study_find(w->store, s->name, &record, &unheard);
    const int changed = found && strcmp(record.definition, s->notebook.kept) != 0;

    app_study_record_free(&record);
    return changed;
}

/* Opens what has appeared, and opens anew what has changed. At the start what is wrong is an error. */
static int look_for_studies(struct app_runner *w, int at_start, struct app_message *message)
{
    for (int i = 0; i < w->count; i++) {
        struct app_runner_study *s = &w->studies[i];

        if (s->open && !s->steps.running && !s->steps.broken && app_steps_over(&s->steps) &&
            has_changed(w, s))
            app_runner_close(s);
        if (s->open || s->unfit)
            continue;
        const int status = open_study(w, s);
        if (status && at_start)
            return app_fail(message, status, "%s", s->message.text);
        if (status && s->open)
            app_steps_break(&s->steps, status, 0);
        else if (status)
            app_runner_say(w, s, s->message.text);
    }
    w->search = app_clock() + app_runner_pause(w, search);
    return CKG_OK;
}

static void look_again(struct app_runner *w)
{
    struct app_message unheard;

    look_for_studies(w, 0, &unheard);
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
static int list_studies(struct app_runner *w, struct app_message *message)
{
    const struct app_evaluators *e = w->orders->evaluators;

    w->studies = calloc((size_t)e->count + 1, sizeof *w->studies);
    if (!w->studies)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    for (int i = 0; i < e->count; i++) {
        struct app_runner_study *s = &w->studies[w->count];
        if (!is_wanted(w->orders, e->each[i].study))
            continue;
        *s = (struct app_runner_study){.name = e->each[i].study, .n = &s->notebook, .evaluator = &e->each[i]};
        w->count++;
    }
    return CKG_OK;
}

/* What others are told of us. */
static void describe(struct app_runner *w)
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
static int wait_for_store(struct app_runner *w, int status, double start, double *wait,
                          const struct app_message *why)
{
    const int first = *wait == app_first_wait;

    if (status != CKG_ERR_SYSTEM || app_places_give_up(&w->places))
        return 0;
    const enum app_away away = app_store_away(w->orders->url);
    if ((away == APP_AWAY_NOT && !first) || (away == APP_AWAY_SILENT && app_clock() - start >= arrival))
        return 0;
    if (first && away != APP_AWAY_NOT)
        app_warn("%s; waiting for it\n", why->text);
    app_places_wait(&w->places, app_clock() + *wait);
    *wait = fmin(2 * *wait, APP_LONGEST_WAIT);
    return 1;
}

static int open_store(struct app_runner *w, struct app_message *message)
{
    const struct app_asking asking = {app_places_give_up, &w->places};
    const double start = app_clock();
    double wait = app_first_wait;
    int status;

    do
        status = app_store_open_while(&w->store, w->orders->url, w->orders->begin, &asking, message);
    while (wait_for_store(w, status, start, &wait, message));
    return status;
}

/* The studies that are there already; a store that goes away meanwhile is waited for too. */
static int find_studies(struct app_runner *w, struct app_message *message)
{
    const double start = app_clock();
    double wait = app_first_wait;
    int status;

    do
        status = look_for_studies(w, 1, message);
    while (wait_for_store(w, status, start, &wait, message));
    return status;
}

static int begin(struct app_runner *w, struct app_message *message)
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
    app_store_set_patience(w->store, APP_STORE_PATIENCE, &asking);
    app_worker_here(&w->self, w->machine);
    describe(w);
    status = app_store_worker_add(w->store, &w->self, message);
    if (!status)
        status = app_spool_open(&w->spool, orders->spool, orders->url, message);
    w->spool.worker = w->self;

    /* And for what. */
    if (!status) {
        app_places_begin(&w->places);
        status = find_studies(w, message);
    }
    app_runner_be_brief(w);
    w->beaten = app_clock();
    w->changed = app_clock();
    return status;
}

/* What it works for, in a line. */
static void say_studies(const struct app_runner *w)
{
    struct app_text line = {0};
    int count = 0;

    if (w->orders->shown != APP_PROGRESS_LINES)
        return;
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open)
            app_text_print(&line, "%s%s", count++ ? ", " : "", w->studies[i].name);
    if (count)
        app_say("working for %s, %d at once\n", line.data ? line.data : "", w->orders->slots);
    else
        app_say("the store has no study for this worker yet\n");
    fflush(stdout);
    app_text_free(&line);
}

static void end(struct app_runner *w)
{
    for (int i = 0; i < w->count; i++)
        app_runner_close(&w->studies[i]);
    if (w->store) {
        if (w->self.id)
            app_store_worker_remove(w->store, &w->self);
        app_store_close(w->store);
    }
    app_places_end(&w->places);
    app_spool_close(&w->spool);
    app_text_free(&w->about);
    free(w->studies);
}

/* Answers that the store has not got. */
static void say_left(const struct app_runner *w)
{
    struct app_text line = {0};

    app_runner_left(w, &line);
    if (line.data)
        app_warn("%s\n", line.data);
    app_text_free(&line);
}

int app_worker_work(const struct app_worker_orders *orders, struct app_message *message)
{
    struct app_runner w = {
        .url = orders->url,
        .shown = orders->shown,
        .drain = orders->drain,
        .until_idle = orders->until_idle,
        .grace = orders->grace,
        .look = look_again,
        .orders = orders,
        .places = {.alone = 1, .stop = orders->stop, .news = -1},
        .again = INFINITY,
    };
    const int status = begin(&w, message);

    if (!status) {
        say_studies(&w);
        app_runner_deliver(&w);
        app_runner_loop(&w);
        say_left(&w);
    }
    end(&w);
    return status;
}
