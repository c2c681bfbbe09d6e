/* Evaluating, for Python's own functions: the steps of a run (app/run/run_study.h), one at a time. */
#include <stdlib.h>

#include "bridge/inside.h"

/* Python says which failures it expects, and where its evaluations run. */
static const struct app_runner_options python = {.keeps_on = 1, .stop = -1};

/* It shows its own progress too, and what people should know of a result comes back with it. */
static void swallow(void *context, const char *line)
{
    (void)context;
    (void)line;
}

/* This process is known to the store as one that evaluates. */
static int enrol(pyckg_study *b)
{
    struct app_study *n = &b->study.record;

    if (b->self.worker.id)
        return CKG_OK;
    b->slots = (struct app_slots){.stop = -1, .news = -1};
    b->run = (struct app_run_study){.n = n,
                                    .slots = &b->slots,
                                    .self = &b->self,
                                    .options = &python,
                                    .progress = {.say = swallow},
                                    .stopped = n->pause.stopped};
    const int status = app_run_enrol(&b->self, n->store, &b->study.message);
    if (!status)
        app_run_open_spool(&b->self, n->url);
    return status;
}

void pyckg_leave(pyckg_study *b)
{
    app_run_leave(&b->self, b->study.record.store);
    app_stop_forget(&b->run.watch);
    free(b->taken);
    b->taken = NULL;
    b->taken_count = 0;
}

/* Which of those taken it is, -1: none. */
static int find_taken(const pyckg_study *b, int number)
{
    for (int i = 0; i < b->taken_count; i++)
        if (b->taken[i] == number)
            return i;
    return -1;
}

static int note_taken(pyckg_study *b, int number)
{
    int *grown = realloc(b->taken, ((size_t)b->taken_count + 1) * sizeof *grown);

    if (!grown) {
        app_run_hand_back(&b->run, number);
        return app_no_memory(&b->study.message);
    }
    b->taken = grown;
    b->taken[b->taken_count++] = number;
    return CKG_OK;
}

static void forget_taken(pyckg_study *b, int number)
{
    const int at = find_taken(b, number);

    if (at >= 0)
        b->taken[at] = b->taken[--b->taken_count];
}

/* What is to be said to who asks for work, and gets none. */
static int find_reason(const pyckg_study *b)
{
    const struct app_run_study *r = &b->run;

    return r->n->pause.paused || r->waiting || !app_run_over(r) ? PYCKG_WAITING
           : r->watch.reached                                   ? PYCKG_STOPPED
           : r->exhausted                                       ? PYCKG_EXHAUSTED
                                                                : PYCKG_SPENT;
}

int pyckg_study_take(pyckg_study *b, int budget, int *number, int *work)
{
    struct app_run_study *r = &b->run;
    int status = pyckg_begin(b);

    *number = 0;
    if (!status)
        status = enrol(b);

    /* Between two calls anything may have happened: other trials, other limits. */
    r->budget = budget;
    r->unseen = 1;
    r->exhausted = 0;
    r->waiting = 0;
    if (!status)
        status = app_run_deliver(r);
    if (!status)
        status = app_run_sync(r);
    if (!status)
        status = app_run_take(r, number);
    if (!status && *number)
        status = note_taken(b, *number);
    *work = *number ? PYCKG_TAKEN : status ? PYCKG_WAITING : find_reason(b);
    return status;
}

static int check_taken(pyckg_study *b, int number)
{
    return find_taken(b, number) >= 0 ? CKG_OK
                                      : app_fail(&b->study.message, CKG_ERR_STATE,
                                                 "trial %d is not this process's to finish", number);
}

int pyckg_study_finish(pyckg_study *b, int number, int count, const ckg_measurement *measured,
                       const char *why, const char *log, double seconds)
{
    struct app_study *n = &b->study.record;
    struct app_text values = {0};
    int stored = APP_NOT_STORED;
    int status = pyckg_check_open(b);

    if (!status)
        status = check_taken(b, number);
    if (!status && !why)
        status = pyckg_write_values(b, count, measured, &values);
    if (!status) {
        const struct app_trial *t = &n->trials[number - 1];
        const struct app_trial result = {.number = number,
                                         .starts = t->starts,
                                         .parameters = t->parameters,
                                         .state = why ? APP_FAILED_TRIAL : APP_COMPLETE,
                                         .outcomes = values.data,
                                         .why = why,
                                         .log = log,
                                         .seconds = seconds,
                                         .failures = why != NULL};
        status = app_run_finish(&b->run, &result, &stored);
    }
    app_text_free(&values);
    if (stored != APP_NOT_STORED || !status)
        forget_taken(b, number);
    if (status && stored != APP_NOT_STORED) {
        const struct app_message why = b->study.message;
        app_fail(
            &b->study.message, status,
            "%.600s; the answer of trial %d waits in %.200s for the store, and the next run here brings it",
            why.text, number, b->self.spool.folder);
    }
    if (!status && stored == APP_STORED_BESIDE)
        app_fail(&b->study.message, 0,
                 "trial %d was given up and evaluated again, and has that answer: this one is in its notes",
                 number);
    if (!status && stored == APP_NOT_STORED)
        status = app_fail(&b->study.message, CKG_ERR_STATE, "trial %d is not this process's to finish",
                          number);
    return status;
}

int pyckg_study_hand_back(pyckg_study *b, int number)
{
    int status = pyckg_check_open(b);

    if (!status)
        status = app_api_check_stored(&b->study.record);
    if (status || find_taken(b, number) < 0)
        return status;
    forget_taken(b, number);
    app_run_hand_back(&b->run, number);
    return app_study_sync(&b->study.record);
}

int pyckg_study_heartbeat(pyckg_study *b)
{
    const int status = pyckg_check_open(b);

    return status || !b->self.worker.id ? status
                                        : app_run_beat(&b->self, b->study.record.store, &b->study.message);
}
