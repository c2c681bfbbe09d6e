/*
 * New designs, as trials of the store: one for a process that evaluates, several for whoever asks. They are
 * chosen in memory, each knowing of those before it, and added together: the store has all of them or none.
 * Trials are added by who holds the lock; designs for people are chosen before, so that no run waits for
 * that, and chosen again where others have added trials meanwhile.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "study/record.h"

/* --- the lock --- */

int app_study_lock(struct app_study *n)
{
    int taken = 0;
    int status = CKG_OK;

    for (int wait = 0; !status && !taken && wait < 6000; wait++) {
        if (n->interrupt && n->interrupt(n->context))
            return app_fail(n->message, CKG_ERR_CANCELLED, "cancelled while another program had the lock");
        if (wait)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        status = app_store_lock(n->store, n->id, &taken, n->message);
    }
    if (!status && !taken)
        status = app_fail(n->message, CKG_ERR_SYSTEM,
                          "%s: another program has been choosing a design for a minute; try again", n->url);
    if (status)
        return status;

    /* Whoever cannot use it does not keep it. */
    status = app_study_sync(n);
    if (status)
        app_study_unlock(n);
    return status;
}

void app_study_unlock(struct app_study *n)
{
    app_store_unlock(n->store, n->id);
}

/* The user's own designs need no models. */
int app_study_is_prepared(struct app_study *n)
{
    int due = -1;

    if (n->engine && !n->stale && ckg_study_is_prepared(n->engine))
        return 1;
    return !app_study_due(n, &due) && due >= 0;
}

int app_study_prepare(struct app_study *n)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    if (status)
        return status;
    status = ckg_study_prepare(engine);
    return status ? app_study_fail(n, status) : CKG_OK;
}

int app_is_initial(const ckg_suggestion *s)
{
    return !strcmp(s->path, "design") || !strcmp(s->path, "repeat");
}

/* --- choosing --- */

static int begin(struct app_asked *a, const struct app_study *n, int count)
{
    *a = (struct app_asked){.first = n->count + 1};
    a->suggestion = app_pool_new(&a->pool, (size_t)count, sizeof *a->suggestion);
    a->trial = app_pool_new(&a->pool, (size_t)count, sizeof *a->trial);
    return a->suggestion && a->trial ? CKG_OK : app_no_memory(n->message);
}

void app_asked_free(struct app_asked *a)
{
    for (int i = 0; i < a->count; i++)
        ckg_suggestion_free(a->suggestion[i]);
    app_pool_free(&a->pool);
    *a = (struct app_asked){0};
}

/* The engine's suggestion, and what its trial is to be. */
static int suggest(struct app_study *n, ckg_suggestion **out, struct app_trial *t)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    if (status)
        return status;
    status = ckg_study_ask(engine, out);
    if (status)
        return app_study_fail(n, status);

    const ckg_suggestion *s = *out;
    t->x = s->x;
    t->wants.given = ckg_problem_separate(n->definition.problem) == 1;
    for (int i = 0; i < s->measures; i++)
        t->wants.has[s->measure[i]] = 1;
    t->origin = app_is_initial(s) ? "design" : "policy";
    t->chosen_by = s->chosen_by;
    t->reason = s->reason;
    return CKG_OK;
}

/* The next design is a trial of the record, so that the one after it knows of it, and of no store yet. */
static int choose(struct app_study *n, int64_t worker, int queued, struct app_asked *a)
{
    const struct app_definition *d = &n->definition;
    struct app_trial *t = &a->trial[a->count];
    int due;
    int status = app_study_due(n, &due);

    *t = (struct app_trial){.number = a->first + a->count,
                            .state = worker ? APP_RUNNING : APP_PENDING,
                            .origin = "user",
                            .chosen_by = "user",
                            .queued = queued,
                            .seconds = NAN,
                            .asked = NAN,
                            .ended = NAN,
                            .starts = worker != 0};

    /* The user's own designs come first. */
    if (!status && due >= 0)
        t->x = d->own + (size_t)due * (size_t)app_dimension(d);
    else if (!status)
        status = suggest(n, &a->suggestion[a->count], t);
    if (status)
        return status;
    a->count++;
    return app_trial_encode(d, t, &a->pool) ? app_study_take(n, t) : app_no_memory(n->message);
}

/* Why not all of them can be had, and how many can. */
static int refuse(struct app_study *n, int status, int chosen, int wanted)
{
    if (status == CKG_ERR_EXHAUSTED)
        return app_fail(n->message, status, "%d designs were asked for, and %d %s left", wanted, chosen,
                        chosen == 1 ? "is" : "are");
    if (status == CKG_ERR_STATE)
        return app_fail(
            n->message, status, "%d designs were asked for, and the budget of %d pays for %d; raise %s",
            wanted, n->definition.budget, chosen, n->file ? "`budget` in the problem file" : "the budget");
    return status;
}

/* The record forgets trials that no store has; the engine knows of them. */
static void withdraw(struct app_study *n, const struct app_asked *a)
{
    while (n->count >= a->first)
        app_trial_free(&n->trials[--n->count]);
}

/* So does the engine. */
static void forget(struct app_study *n, const struct app_asked *a)
{
    withdraw(n, a);
    n->stale |= a->count > 0;
}

/* So many designs, all of them or none; where outcomes have costs, only their choice shows what they cost. */
static int choose_all(struct app_study *n, int count, int64_t worker, int queued, struct app_asked *a)
{
    int status = begin(a, n, count);

    for (int i = 0; !status && i < count; i++) {
        if (i > 0)
            status = app_study_room(n, 1);
        if (!status)
            status = choose(n, worker, queued, a);
        if (status && i > 0)
            status = refuse(n, status, i, count);
    }
    if (status)
        forget(n, a);
    return status;
}

/* The record reads them back, with what others may have added behind them. */
static int add(struct app_study *n, const struct app_asked *a, int64_t worker)
{
    const int status = app_store_add(n->store, n->id, a->first, a->count, a->trial, worker, n->message);

    if (status)
        forget(n, a);
    return status ? status : app_study_sync(n);
}

int app_study_suggest(struct app_study *n, int count, int64_t worker, int queued, struct app_asked *out)
{
    int status = choose_all(n, count, worker, queued, out);

    if (!status)
        status = add(n, out, worker);
    if (status)
        app_asked_free(out);
    return status;
}

/* --- for whoever asks --- */

/* Chosen without the lock, they are added if nobody has added another trial meanwhile; *added 0: some have.
 */
static int ask_freely(struct app_study *n, int count, struct app_asked *out, int *added)
{
    int status = app_study_sync(n);

    *added = 0;
    if (!status)
        status = app_study_room(n, count);
    if (!status)
        status = choose_all(n, count, 0, 0, out);
    if (status)
        return status;
    withdraw(n, out);
    status = app_study_lock(n);
    if (!status) {
        *added = n->count == out->first - 1;
        if (*added)
            status = add(n, out, 0);
        app_study_unlock(n);
    }
    n->stale |= !*added;
    return status;
}

/* As a run does it. */
static int ask_in_lock(struct app_study *n, int count, struct app_asked *out)
{
    int status = app_study_lock(n);

    if (status)
        return status;
    status = app_study_room(n, count);
    if (!status)
        status = app_study_suggest(n, count, 0, 0, out);
    app_study_unlock(n);
    return status;
}

int app_study_ask(struct app_study *n, int count, struct app_asked *out)
{
    enum { TRIES = 3 };
    int added = 0;
    int status = CKG_OK;

    *out = (struct app_asked){0};
    for (int i = 0; !status && !added && i < TRIES; i++) {
        status = ask_freely(n, count, out, &added);
        if (status || !added)
            app_asked_free(out);
    }

    /* Others are too quick for that. */
    return status || added ? status : ask_in_lock(n, count, out);
}
