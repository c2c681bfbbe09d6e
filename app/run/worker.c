/*
 * What a runner runs: the study that it was given; or those of a store that it has problem files for, opened
 * as they appear there, and closed.
 */
#include "run/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actions/action_pause.h"
#include "base/json.h"
#include "base/visible.h"

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

    for (int i = 0; i < w->options->label_count; i++) {
        const char *label = w->options->labels[i];
        if (!strncmp(label, need->name, length) && label[length] == '=' &&
            !strcmp(label + length + 1, need->value))
            return 1;
    }
    return 0;
}

/* 1 when the study needs nothing that this worker has not; else it is said. */
static int is_fit(const struct app_runner *w, struct app_run_study *s)
{
    const struct app_evaluate *e = &s->n->definition.evaluate;
    struct app_message why;

    for (int i = 0; i < e->needs.count; i++)
        if (!has_label(w, &e->needs.pair[i])) {
            app_fail(&why, 0, "skipped: this worker lacks --label %s=%s", e->needs.pair[i].name,
                     e->needs.pair[i].value);
            app_run_say(s, why.text);
            return 0;
        }
    return 1;
}

/* The study of a problem file. CKG_OK also where the store has none yet, or it is not for this worker. */
static int open_study(struct app_runner *w, struct app_run_study *s)
{
    const struct app_study_address slot = {.file = s->evaluator->path, .store = w->url, .shared = w->store};
    struct app_study *n = s->n;
    int status = app_study_open(n, &slot, APP_EVALUATE, &s->message);

    if (!status && (n->id || w->options->begin))
        status = app_study_begin(n);
    if (status || !n->id) {
        app_study_close(n);
        return status;
    }
    if (n->note.text[0])
        app_warn("%s\n", n->note.text);
    if (!is_fit(w, s)) {
        s->state = APP_STUDY_UNFIT;
        app_study_close(n);
        return CKG_OK;
    }
    s->n->threads = w->options->threads;
    app_steps_begin(s);
    return CKG_OK;
}

/* 1 when it goes on in another way than when it was opened, as with a raised budget. */
static int has_changed(const struct app_runner *w, const struct app_run_study *s)
{
    struct app_study_record record = {0};
    struct app_message unheard;
    const int found = !app_store_study_find(w->store, s->evaluator->study, &record, &unheard);
    const int changed = found && strcmp(record.definition, s->n->stored) != 0;

    app_study_record_free(&record);
    return changed;
}

/* As it was before it was opened. */
static void reset(struct app_runner *w, struct app_run_study *s, const struct app_evaluator *evaluator)
{
    const struct app_runner_options *o = w->options;
    const struct app_message said = s->said;

    *s = (struct app_run_study){.n = o->study ? o->study : &s->record,
                                .slots = &w->slots,
                                .self = &w->self,
                                .options = o,
                                .evaluator = evaluator,
                                .said = said,
                                .progress = {.kind = o->shown,
                                             .name = evaluator ? evaluator->study : NULL,
                                             .say = o->say,
                                             .context = o->context}};
}

/* Opens what has appeared, and opens anew what has changed. At the start what is wrong is an error. */
static int look_for_studies(struct app_runner *w, int at_start, struct app_message *message)
{
    for (int i = 0; i < w->count; i++) {
        struct app_run_study *s = &w->studies[i];

        if (s->state == APP_STUDY_OPEN && !s->running && !s->broken && app_run_over(s) && has_changed(w, s))
            app_runner_close(s);
        if (s->state != APP_STUDY_CLOSED)
            continue;
        reset(w, s, s->evaluator);
        const int status = open_study(w, s);
        if (status && at_start)
            return app_fail(message, status, "%s", s->message.text);
        if (status)
            app_run_say(s, s->message.text);
    }
    w->search = app_clock() + app_runner_pause(w, search);
    return CKG_OK;
}

void app_runner_look(struct app_runner *w)
{
    struct app_message unheard;

    look_for_studies(w, 0, &unheard);
}

/* --- begin and end --- */

static int is_wanted(const struct app_runner_options *o, const char *study)
{
    for (int i = 0; i < o->study_count; i++)
        if (!strcmp(o->studies[i], study))
            return 1;
    return !o->study_count;
}

/* The study that is given, or one for each problem file that is wanted. */
static int list_studies(struct app_runner *w, struct app_message *message)
{
    const struct app_evaluators *e = w->options->evaluators;
    const int count = e ? e->count : 0;

    w->studies = calloc((size_t)count + 1, sizeof *w->studies);
    if (!w->studies)
        return app_no_memory(message);
    if (w->options->study)
        reset(w, &w->studies[w->count++], NULL);
    for (int i = 0; i < count; i++)
        if (is_wanted(w->options, e->each[i].study))
            reset(w, &w->studies[w->count++], &e->each[i]);
    return CKG_OK;
}

/* What others are told of us. */
static void describe(struct app_runner *w)
{
    w->self.worker.slots = w->slots.count;
    if (w->options->study)
        return;
    app_json_open(&w->about, NULL, '{');
    app_json_open(&w->about, "labels", '[');
    for (int i = 0; i < w->options->label_count; i++)
        app_json_add_string(&w->about, NULL, w->options->labels[i]);
    app_json_close(&w->about, ']');
    app_json_close(&w->about, '}');
    w->self.worker.about = w->about.failed ? NULL : w->about.data;
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

    if (status != CKG_ERR_SYSTEM || app_slots_give_up(&w->slots))
        return 0;
    const enum app_away away = app_store_away(w->url);
    if ((away == APP_AWAY_NOT && !first) || (away == APP_AWAY_SILENT && app_clock() - start >= arrival))
        return 0;
    if (first && away != APP_AWAY_NOT)
        app_warn("%s; waiting for it\n", why->text);
    app_slots_wait(&w->slots, app_clock() + *wait);
    *wait = fmin(2 * *wait, APP_LONGEST_WAIT);
    return 1;
}

/* The store, and what is waited for there: a server may go away before the studies are found too. */
static int wait_while_away(struct app_runner *w,
                           int (*reach)(struct app_runner *w, struct app_message *message),
                           struct app_message *message)
{
    const double start = app_clock();
    double wait = app_first_wait;
    int status;

    do
        status = reach(w, message);
    while (wait_for_store(w, status, start, &wait, message));
    return status;
}

static int open_store(struct app_runner *w, struct app_message *message)
{
    const struct app_asking asking = {app_slots_give_up, &w->slots};

    return app_store_open_while(&w->store, w->url, w->options->begin, &asking, message);
}

static int find_studies(struct app_runner *w, struct app_message *message)
{
    return look_for_studies(w, 1, message);
}

/* The store, of a worker or of the study. */
static int reach_store(struct app_runner *w, struct app_message *message)
{
    struct app_study *n = w->options->study;
    int status = CKG_OK;

    w->store = n ? n->store : NULL;
    if (!n)
        status = wait_while_away(w, open_store, message);
    if (status == CKG_ERR_NOT_FOUND) {
        const struct app_message why = *message;
        return app_fail(message, CKG_ERR_INVALID, "%.900s; --begin makes it, and the studies", why.text);
    }
    if (!status)
        app_store_set_patience(w->store, APP_STORE_PATIENCE,
                               &(struct app_asking){app_slots_give_up, &w->slots});
    return status;
}

/* What it works for, in a line. */
static void say_studies(const struct app_runner *w)
{
    struct app_text line = {0};
    int count = 0;

    if (w->options->shown != APP_PROGRESS_LINES)
        return;
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].state >= APP_STUDY_OPEN)
            app_text_print(&line, "%s%s", count++ ? ", " : "", w->studies[i].evaluator->study);
    if (count)
        app_say("working for %s, %d at once\n", line.data ? line.data : "", w->options->slots);
    else
        app_say("the store has no study for this worker yet\n");
    fflush(stdout);
    app_text_free(&line);
}

/* From here on its studies make their steps; a run that is begun anew ends what ended those before it. */
static int open_studies(struct app_runner *w, struct app_message *message)
{
    struct app_study *n = w->options->study;
    int status = CKG_OK;

    w->search = INFINITY;
    if (!n)
        status = wait_while_away(w, find_studies, message);
    else if (n->pause.paused == APP_STOPPED)
        status = app_study_pause(n, APP_NOT_PAUSED);
    if (!status && n)
        app_steps_begin(w->studies);
    else if (!status)
        say_studies(w);
    return status;
}

int app_runner_begin(struct app_runner *w, struct app_message *message)
{
    const struct app_runner_options *o = w->options;
    int status = list_studies(w, message);

    w->changed = app_clock();

    /* With what, where, and who we are there. */
    if (!status)
        status = app_slots_make(&w->slots, o->study ? o->study->definition.evaluate.parallel : o->slots,
                                message);
    if (!status)
        status = reach_store(w, message);
    if (status)
        return status;
    describe(w);
    status = app_run_enrol(&w->self, w->store, message);
    if (!status && !o->study)
        status = app_spool_open(&w->self.spool, o->spool, w->url, &w->self.worker, message);
    else if (!status)
        app_run_open_spool(&w->self, w->url);

    /* And for what. */
    if (!status) {
        app_slots_begin(&w->slots);
        status = open_studies(w, message);
    }
    if (w->self.spool.folder)
        app_runner_be_brief(w);
    w->beaten = app_clock();
    w->changed = app_clock();
    return status;
}

void app_runner_end(struct app_runner *w)
{
    for (int i = 0; i < w->count; i++)
        app_runner_close(&w->studies[i]);
    app_run_leave(&w->self, w->store);
    if (!w->options->study)
        app_store_close(w->store);
    else if (w->store)
        app_store_set_patience(w->store, APP_STORE_PATIENCE, &(struct app_asking){NULL, NULL});
    app_slots_end(&w->slots);
    app_text_free(&w->about);
    free(w->studies);
}
