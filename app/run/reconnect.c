/* A store that was away: a new connection, what came meanwhile, and what was half done as the old one broke.
 */
#include <math.h>
#include <string.h>

#include "run/deliver.h"
#include "run/runner.h"
#include "study/study_work.h"

int app_runner_beat(struct app_runner *w, struct app_message *message)
{
    int status = app_store_heartbeat(w->store, &w->self, message);

    if (status == CKG_ERR_NOT_FOUND)
        status = app_store_worker_add(w->store, &w->self, message);
    w->spool.worker = w->self;
    return status;
}

void app_runner_deliver(struct app_runner *w)
{
    for (int i = 0; w->spool.folder && i < w->count; i++) {
        struct app_runner_study *s = &w->studies[i];
        if (s->open && !s->steps.broken)
            app_steps_break(&s->steps, app_deliver(&w->spool, &s->steps), s->steps.running);
    }
}

/* The study by the new connection: still there, and up to date. */
static int resume(struct app_runner *w, struct app_runner_study *s)
{
    struct app_study_record record = {0};

    s->n->store = w->store;
    int status = app_store_study_find(w->store, s->name, &record, s->n->message);
    if (!status && record.id != s->n->study)
        status = app_fail(s->n->message, CKG_ERR_STATE, "the store is another one");
    if (!status)
        status = app_notebook_sync(s->n);
    app_study_record_free(&record);
    return status;
}

/* All of them; what is wrong with one alone is no trouble of the store. */
static int resume_all(struct app_runner *w)
{
    int status = CKG_OK;

    for (int i = 0; i < w->count; i++) {
        struct app_runner_study *s = &w->studies[i];
        if (!s->open || s->leaving)
            continue;
        const int resumed = resume(w, s);
        s->steps.broken = CKG_OK;
        app_steps_break(&s->steps, resumed, s->steps.running);
        if (resumed == CKG_ERR_STATE)
            s->leaving = s->steps.away;
        else if (resumed)
            status = resumed;
    }
    return status;
}

/* A trial that is ours in the store and that no place has: its claim was made as the store went away. */
struct forgotten {
    const struct app_runner *runner;
    const struct app_runner_study *study;
    int number; /* 0: there is none */
};

static int take_forgotten(void *context, const struct app_lease *lease)
{
    struct forgotten *f = context;
    int found = lease->worker.id != f->runner->self.id || f->number;

    for (int i = 0; !found && i < f->runner->places.count; i++) {
        const struct app_place *place = &f->runner->places.place[i];
        found = place->number == lease->number && place->of == &f->study->steps;
    }
    if (!found)
        f->number = lease->number;
    return CKG_OK;
}

/* Such trials wait for whoever is free. */
static void hand_back_forgotten(struct app_runner *w, struct app_runner_study *s)
{
    struct forgotten f = {.runner = w, .study = s};
    struct app_message unheard;

    do {
        f.number = 0;
        if (app_store_leases(w->store, s->n->study, take_forgotten, &f, &unheard))
            return;
        if (f.number)
            app_work_hand_back(s->n, &w->self, f.number);
    } while (f.number && !app_notebook_sync(s->n));
}

void app_runner_reconnect(struct app_runner *w)
{
    struct app_message why;
    struct app_store *store;
    const struct app_asking asking = {app_places_give_up, &w->places};

    /* Not yet. */
    w->wait = fmin(2 * w->wait, APP_LONGEST_WAIT);
    const int away = app_store_open_while(&store, w->url, 0, &asking, &why);
    w->again = app_clock() + w->wait;
    if (away)
        return;

    /* The new one instead of the old. */
    app_store_close(w->store);
    w->store = store;
    app_runner_be_brief(w);
    const int unheard = app_runner_beat(w, &why);
    if (resume_all(w) || unheard)
        return;

    /* All is well, as far as one can see. */
    w->again = INFINITY;
    w->lost = 0;
    w->beaten = app_clock();
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && w->studies[i].said.text[0] && !w->studies[i].leaving)
            app_runner_say(w, &w->studies[i], "goes on");
    app_runner_deliver(w);
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && !w->studies[i].leaving && !w->studies[i].steps.broken)
            hand_back_forgotten(w, &w->studies[i]);
}
