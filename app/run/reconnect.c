/* A store that was away: a new connection, what came meanwhile, and what was half done as the old one broke.
 */
#include <math.h>
#include <string.h>

#include "run/runner.h"

void app_runner_deliver(struct app_runner *w)
{
    for (int i = 0; i < w->count; i++) {
        struct app_run_study *s = &w->studies[i];
        if (s->state >= APP_STUDY_OPEN && !s->broken)
            app_run_break(s, app_run_deliver(s), s->running);
    }
}

/* The study by the new connection: still there, and up to date. */
static int resume(struct app_runner *w, struct app_run_study *s)
{
    struct app_study_record record = {0};

    s->n->store = w->store;
    int status = app_store_study_find(w->store, s->n->definition.name, &record, s->n->message);
    if (!status && record.id != s->n->id)
        status = app_fail(s->n->message, CKG_ERR_STATE, "the store is another one");
    if (!status)
        status = app_study_sync(s->n);
    app_study_record_free(&record);
    return status;
}

/* All of them; what is wrong with one alone is no trouble of the store. */
static int resume_all(struct app_runner *w)
{
    int status = CKG_OK;

    for (int i = 0; i < w->count; i++) {
        struct app_run_study *s = &w->studies[i];
        if (s->state != APP_STUDY_OPEN)
            continue;
        const int resumed = resume(w, s);
        s->broken = CKG_OK;
        app_run_break(s, resumed, s->running);
        if (resumed == CKG_ERR_STATE && s->away)
            s->state = APP_STUDY_LEAVING;
        else if (resumed != CKG_ERR_STATE && resumed)
            status = resumed;
    }
    return status;
}

/* A trial that is ours in the store and that no place has: its claim was made as the store went away. */
struct forgotten {
    const struct app_runner *runner;
    const struct app_run_study *study;
    int number; /* 0: there is none */
};

static int take_forgotten(void *context, const struct app_lease *lease)
{
    struct forgotten *f = context;
    int found = lease->worker.id != f->runner->self.worker.id || f->number;

    for (int i = 0; !found && i < f->runner->slots.count; i++) {
        const struct app_slot *slot = &f->runner->slots.slot[i];
        found = slot->number == lease->number && slot->of == f->study;
    }
    if (!found)
        f->number = lease->number;
    return CKG_OK;
}

/* Such trials wait for whoever is free. */
static void hand_back_forgotten(struct app_runner *w, struct app_run_study *s)
{
    struct forgotten f = {.runner = w, .study = s};
    struct app_message unheard;

    do {
        f.number = 0;
        if (app_store_leases(w->store, s->n->id, take_forgotten, &f, &unheard))
            return;
        if (f.number)
            app_run_hand_back(s, f.number);
    } while (f.number && !app_study_sync(s->n));
}

void app_runner_reconnect(struct app_runner *w)
{
    struct app_message why;
    struct app_store *store;
    const struct app_asking asking = {app_slots_give_up, &w->slots};

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
    const int unheard = app_run_beat(&w->self, w->store, &why);
    if (resume_all(w) || unheard)
        return;

    /* All is well, as far as one can see. */
    w->again = INFINITY;
    w->lost = 0;
    w->beaten = app_clock();
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].state == APP_STUDY_OPEN && w->studies[i].said.text[0])
            app_run_say(&w->studies[i], "goes on");
    app_runner_deliver(w);
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].state == APP_STUDY_OPEN && !w->studies[i].broken)
            hand_back_forgotten(w, &w->studies[i]);
}
