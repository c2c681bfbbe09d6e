/*
 * Expected gains, and the end of a run. Of each evaluation the gain is kept with a number that stands for the
 * trials it follows from, so that it is found again, and is not mistaken for that of other trials.
 */
#include "actions/action_stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct app_stop_mark {
    uint64_t trials; /* what it follows from; 0: it is not known */
    ckg_gain gain;
};

/* --- what is expected --- */

/* As things stand; what is not known is NAN. */
static int find_gain(struct app_study *n, ckg_gain *out)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    if (status)
        return status;
    status = ckg_study_expected_gain(engine, out);
    return status ? app_study_fail(n, status) : CKG_OK;
}

double app_stop_bar(const struct app_definition *d, const ckg_gain *gain)
{
    if (!(d->stop.gain > 0))
        return NAN;
    return d->stop.percent ? d->stop.gain / 100 * fabs(gain->objective) : d->stop.gain;
}

/* --- when it is too little --- */

/* The number of the m-th trial that has ended, by their numbers. */
static int number_of_ended(const struct app_study *n, int m)
{
    int i = 0;

    for (int ended = 0; i < n->count && ended < m; i++)
        ended += app_trial_ended(&n->trials[i]);
    return i;
}

/* FNV-1a over some bytes. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001B3u;
    return hash;
}

/* Stands for the first trials up to that number: their states, designs and values. */
static uint64_t stamp(const struct app_study *n, int number)
{
    uint64_t hash = 0xCBF29CE484222325u;

    for (int i = 0; i < number; i++) {
        const struct app_trial *t = &n->trials[i];
        const int state = app_trial_ended(t) || t->state == APP_DISCARDED ? (int)t->state : -1;

        hash = mix(hash, &state, sizeof state);
        hash = mix(hash, t->x, (size_t)app_dimension(&n->definition) * sizeof *t->x);
        for (int k = 0; state >= 0 && k < t->count; k++) {
            hash = mix(hash, &t->measured[k].outcome, sizeof t->measured[k].outcome);
            hash = mix(hash, &t->measured[k].value, sizeof t->measured[k].value);
        }
    }
    return hash ? hash : 1;
}

/* Room for the marks of so many evaluations. */
static int reserve(struct app_study *n, struct app_stop_watch *w, int count)
{
    if (count <= w->room)
        return CKG_OK;
    const int room = 2 * count + 32;
    struct app_stop_mark *marks = realloc(w->marks, (size_t)room * sizeof *marks);
    if (!marks)
        return app_no_memory(n->message);
    memset(marks + w->room, 0, (size_t)(room - w->room) * sizeof *marks);
    w->marks = marks;
    w->room = room;
    return CKG_OK;
}

/* A study that is brought from one evaluation to the next. */
struct replay {
    struct app_study *n;
    ckg_study *engine;
    int telling; /* the trials up to this number */
};

/* Brings it to the trial of that number. */
static int advance(struct replay *r, int number)
{
    int status = CKG_OK;

    for (; !status && r->telling < number; r->telling++)
        status = app_study_tell(r->n, r->engine, &r->n->trials[r->telling]);
    return status;
}

/* 1 when nothing is under way. */
static int is_settled(const struct app_study *n)
{
    int tally[APP_STATES];

    app_study_tally(n, tally);
    return !tally[APP_RUNNING] && !tally[APP_PENDING];
}

/* The gain after m evaluations: the record's own engine serves where that is all there is. */
static int gain_after(struct replay *r, int m, ckg_gain *out)
{
    if (m == app_study_ended(r->n) && is_settled(r->n))
        return find_gain(r->n, out);
    const int status = advance(r, number_of_ended(r->n, m));
    if (status)
        return status;
    const int failed = ckg_study_expected_gain(r->engine, out);
    return failed ? app_study_fail(r->n, failed) : CKG_OK;
}

/* The mark of m evaluations as it stands; NULL: there is none. */
static const struct app_stop_mark *find_mark(const struct app_study *n, const struct app_stop_watch *w, int m)
{
    const struct app_stop_mark *mark = &w->marks[m - 1];

    return mark->trials == stamp(n, number_of_ended(n, m)) ? mark : NULL;
}

static int is_below(const struct app_study *n, const ckg_gain *gain)
{
    return gain->left > 0 && gain->remaining < app_stop_bar(&n->definition, gain);
}

/* Marks of the evaluations from `first` to `last`, where they are missing. */
static int make_marks(struct app_study *n, struct app_stop_watch *w, int first, int last,
                      int (*interrupt)(void *), void *context)
{
    struct replay replay = {.n = n};
    int status = CKG_OK;

    for (int m = first; !status && m <= last; m++) {
        if (find_mark(n, w, m))
            continue;
        if (!replay.engine)
            status = app_study_new_engine(n, &replay.engine);
        if (!status && interrupt)
            ckg_study_set_interrupt(replay.engine, interrupt, context);
        if (!status)
            status = gain_after(&replay, m, &w->marks[m - 1].gain);
        w->marks[m - 1].trials = status ? 0 : stamp(n, number_of_ended(n, m));
    }
    ckg_study_free(replay.engine);
    return status;
}

int app_stop_look(struct app_study *n, struct app_stop_watch *w, int (*interrupt)(void *), void *context)
{
    const int ended = app_study_ended(n);
    const int patience = n->definition.stop.patience;
    int status = reserve(n, w, ended + 1);

    w->reached = 0;
    w->gain = (ckg_gain){.next = NAN, .remaining = NAN};
    if (status || !ended)
        return status;

    /* As things stand; only then what was said before. */
    status = make_marks(n, w, ended, ended, interrupt, context);
    if (status)
        return status;
    w->gain = w->marks[ended - 1].gain;
    if (!is_below(n, &w->gain) || ended < patience)
        return CKG_OK;
    status = make_marks(n, w, ended - patience + 1, ended, interrupt, context);

    /* All of them in a row. */
    w->reached = !status;
    for (int m = ended - patience + 1; w->reached && m <= ended; m++)
        w->reached = is_below(n, &w->marks[m - 1].gain);
    return status;
}

int app_stop_standing(struct app_study *n, struct app_stop_watch *w)
{
    *w = (struct app_stop_watch){.gain = {.next = NAN, .remaining = NAN}};
    const int status = n->definition.stop.gain > 0 ? app_stop_look(n, w, n->interrupt, n->context)
                                                   : find_gain(n, &w->gain);

    if (status == CKG_ERR_CANCELLED || status == CKG_ERR_NOMEM || status == CKG_ERR_SYSTEM)
        return status;
    if (status)
        w->gain = (ckg_gain){.next = NAN, .remaining = NAN};
    n->message->text[0] = 0;
    return CKG_OK;
}

void app_stop_forget(struct app_stop_watch *w)
{
    free(w->marks);
    *w = (struct app_stop_watch){0};
}
