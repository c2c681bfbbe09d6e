/* One pass after the other: the store is looked at, places are filled, then everything waits in one poll. */
#include "run/runner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actions/outage.h"
#include "base/visible.h"
#include "present/statement.h"

/*
 * Seconds: between heartbeats, also where nothing runs that could be taken for lost; between looks at studies
 * where there is nothing to do, from the first to when nothing has happened for long, and where the store
 * tells of changes; between drawings of the block.
 */
static const double heartbeat = 10;
static const double idle_heartbeat = 25;
static const double idle = 2;
static const double longest_idle = 30;
static const double idle_and_told = 240;
static const double redraw = 1;

/*
 * A call may wait so long for a store that has just gone, so that a cut connection is no trouble: but the
 * evaluations and those who ask us to stop want to be heard.
 */
static const double patience = 0.5;

void app_runner_be_brief(struct app_runner *w)
{
    const struct app_asking asking = {app_places_give_up, &w->places};

    app_store_set_patience(w->store, patience, &asking);
}

double app_runner_pause(const struct app_runner *w, double least)
{
    const double quiet = app_clock() - w->changed;

    /*
     * Who is told of changes need not look for them as often, nor who has not seen any for long: a thousand
     * that are idle must not be a load.
     */
    return w->places.news >= 0 ? app_pause(&w->self, 0, idle_and_told, idle_and_told)
                               : app_pause(&w->self, quiet, least, longest_idle);
}

/* --- saying --- */

void app_runner_say(const struct app_runner *w, struct app_runner_study *s, const char *text)
{
    if (!strcmp(s->said.text, text))
        return;
    s->said = (struct app_message){{0}};
    app_fail(&s->said, 0, "%s", text);
    if (w->solo)
        app_progress_say(&s->steps.progress, s->n, text);
    else if (w->shown != APP_PROGRESS_NONE || s->steps.broken)
        app_warn("%s: %s\n", s->name, text);
}

static int count_answer(void *context, const struct app_spooled *answer)
{
    (void)answer;
    ++*(int *)context;
    return CKG_OK;
}

void app_runner_left(const struct app_runner *w, struct app_text *out)
{
    int count = 0;

    if (w->spool.folder)
        app_spool_each(&w->spool, count_answer, &count);
    if (count)
        app_text_print(out, "%d answer%s %s in %s for the store; the next %s here delivers %s", count,
                       count > 1 ? "s" : "", count > 1 ? "wait" : "waits", w->spool.folder,
                       w->solo ? "run or worker" : "worker", count > 1 ? "them" : "it");
}

/* Says what a run waits for, when that has changed. */
static void note(struct app_steps *r)
{
    static const char *const notes[] = {
        [APP_PAUSED] = "paused by a person; `ckg resume` goes on",
        [APP_OUTAGE] = "paused, as evaluations fail; finishing those that run",
        [APP_OFFLINE] = "the store is away; trying again",
        [APP_FINISHING] = "finishing the running evaluations; Ctrl-C again kills them",
        [APP_KILLING] = "killing the running evaluations",
    };
    const char *text = notes[app_steps_phase(r)];
    char line[128];

    if (!text)
        text = !r->running && !r->waiting ? "waiting for other programs" : "";

    if (strcmp(text, r->progress.note) == 0)
        return;
    snprintf(r->progress.note, sizeof r->progress.note, "%s", text);
    if (r->places->interrupts == 1 && (!r->broken || r->away) && r->running &&
        r->progress.kind != APP_PROGRESS_BLOCK) {
        snprintf(line, sizeof line, "interrupted: finishing %d running evaluation%s; Ctrl-C again kills %s",
                 r->running, r->running > 1 ? "s" : "", r->running > 1 ? "them" : "it");
        app_progress_say(&r->progress, r->n, line);
    }
    app_progress_draw(&r->progress, r->n);
}

/* --- studies --- */

void app_runner_close(struct app_runner_study *s)
{
    assert(!s->steps.running);
    if (s->open) {
        app_steps_end(&s->steps);
        if (s->n == &s->notebook)
            app_notebook_close(&s->notebook);
    }
    s->open = 0;
    s->leaving = 0;
}

/* Failures in a row hold a study back until a person has looked, and that is said; what held it may be over.
 */
static void mind_pause(const struct app_runner *w, struct app_runner_study *s)
{
    struct app_text line = {0};

    if (!s->open || w->solo || s->steps.outage.paused == s->paused)
        return;
    s->paused = s->steps.outage.paused;
    app_text_print(&line, "%s", s->paused ? "paused: " : "goes on");
    if (s->paused)
        app_outage_text(s->n, &line);
    if (line.data)
        app_runner_say(w, s, line.data);
    app_text_free(&line);
}

/* What has happened to a study: it waits for the store, or its problem was changed and it is closed. */
static void mind_trouble(struct app_runner *w, struct app_runner_study *s)
{
    if (!s->open || !s->steps.broken || !s->steps.away)
        return;
    if (!(w->lost > 0))
        w->lost = app_clock();
    if (app_clock() - w->lost >= w->unsaid)
        app_runner_say(w, s, s->n->message->text);
    s->leaving |= s->steps.broken == CKG_ERR_STATE;
    if (s->leaving && !s->steps.running)
        app_runner_close(s);
    else if (!s->leaving && w->again == INFINITY) {
        w->wait = app_first_wait;
        w->again = app_clock() + w->wait;
    }
}

/* --- the loop --- */

/* 1 when nothing waits that we could take up. */
static int is_drained(const struct app_runner_study *s)
{
    for (int i = 0; i < s->n->count; i++)
        if (s->n->trials[i].queued && s->n->trials[i].state == APP_PENDING)
            return app_steps_phase(&s->steps) == APP_OUTAGE || app_steps_phase(&s->steps) == APP_PAUSED;
    return 1;
}

static int is_done(const struct app_runner *w)
{
    if (w->places.running)
        return 0;
    if (w->places.interrupts)
        return 1;
    if (!w->drain && !w->until_idle)
        return 0;
    for (int i = 0; i < w->count; i++) {
        const struct app_runner_study *s = &w->studies[i];
        if (s->open && (s->steps.broken || !(w->drain ? is_drained(s) : app_steps_over(&s->steps))))
            return 0;
    }
    return 1;
}

/* Only who has something can lose it. */
static double beat_every(const struct app_runner *w)
{
    return w->places.running ? heartbeat : app_pause(&w->self, 0, idle_heartbeat, idle_heartbeat);
}

/* When to do something, whatever happens, but for the heartbeat. */
static double next_time(const struct app_runner *w)
{
    double until = fmin(w->search, w->again);

    if (w->places.hurried > 0 && w->places.interrupts < 2)
        until = fmin(until, w->places.hurried + w->grace);
    for (int i = 0; i < w->count; i++) {
        const struct app_runner_study *s = &w->studies[i];
        if (s->open && app_steps_over(&s->steps))
            until = fmin(until, app_clock() + app_runner_pause(w, idle));
        else if (s->open)
            until = fmin(until, app_steps_look(&s->steps));
    }
    return until;
}

/* The heartbeat, the orphans that have ended, and the block. */
static void keep_alive(struct app_runner *w)
{
    const double now = app_clock();
    struct app_message unheard;

    if (now - w->beaten >= beat_every(w)) {
        app_runner_beat(w, &unheard);
        app_places_reap(&w->places);
        w->beaten = now;
    }
    if (w->solo && now - w->drawn >= redraw) {
        app_progress_draw(&w->studies->steps.progress, w->studies->n);
        w->drawn = now;
    }
}

/* The heartbeat alone, while a design is chosen. */
static void tick(void *context)
{
    struct app_runner *w = context;
    struct app_message unheard;

    if (app_clock() - w->beaten < heartbeat)
        return;
    app_store_heartbeat(w->store, &w->self, &unheard);
    w->beaten = app_clock();
}

/* Who was to end soon has had time enough. */
static void mind_grace(struct app_runner *w)
{
    if (w->places.hurried > 0 && app_clock() - w->places.hurried >= w->grace && w->places.interrupts < 2)
        w->places.interrupts = 2;
}

/* 1 when what others do matters here: there is a place for it. */
static int is_curious(const struct app_runner *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->studies[i].open && app_steps_look(&w->studies[i].steps) < INFINITY)
            return 1;
    return w->places.running < w->places.count;
}

/* From here on the store tells of changes, where it can and they matter here; 1 when there are some. */
static int listen_to_store(struct app_runner *w)
{
    w->places.news = -1;
    if (w->again < INFINITY || w->places.interrupts || !is_curious(w))
        return 0;
    if (w->look)
        w->places.news = app_store_listen(w->store, 0);
    for (int i = 0; i < w->count && (w->solo || w->places.news >= 0); i++)
        if (w->studies[i].open)
            w->places.news = app_store_listen(w->store, w->studies[i].n->study);
    if (!app_store_heard(w->store))
        return 0;

    /* It may be a study that has appeared, or goes on in another way. */
    w->changed = app_clock();
    for (int i = 0; w->look && i < w->count; i++)
        if (!w->studies[i].open || app_steps_over(&w->studies[i].steps))
            w->search = 0;
    return 1;
}

/* Until something happens, or it is time to look. A sign of life that is due meanwhile needs no look. */
static void wait_for_something(struct app_runner *w)
{
    const int draws = w->solo && w->studies->steps.progress.kind == APP_PROGRESS_BLOCK;
    double until = 0;

    do {
        keep_alive(w);
        if (w->places.freed || listen_to_store(w))
            return;
        until = until > 0 ? until : next_time(w);
        const double soon = draws ? w->drawn + redraw : INFINITY;
        app_places_wait(&w->places, fmin(until, fmin(soon, w->beaten + beat_every(w))));
    } while (!w->places.running && !w->places.interrupts && app_clock() < until);
}

/* Every study makes a step, another being the first every time. */
static void make_steps(struct app_runner *w)
{
    w->turn = w->count ? (w->turn + 1) % w->count : 0;
    for (int k = 0; k < w->count; k++) {
        struct app_runner_study *s = &w->studies[(w->turn + k) % w->count];

        if (s->open) {
            app_steps_go(&s->steps);
            w->changed = fmax(w->changed, s->steps.changed);
        }
        mind_pause(w, s);
        mind_trouble(w, s);
    }
}

void app_runner_loop(struct app_runner *w)
{
    w->places.tick = tick;
    w->places.context = w;
    for (;;) {
        /* The store is there, and so is what has appeared in it. */
        w->places.freed = 0;
        mind_grace(w);
        if (app_clock() >= w->again)
            app_runner_reconnect(w);
        if (w->look && w->again == INFINITY && app_clock() >= w->search && !w->places.interrupts) {
            w->look(w);
            app_runner_deliver(w);
        }
        make_steps(w);

        if (is_done(w))
            return;
        if (w->solo)
            note(&w->studies->steps);
        wait_for_something(w);
        for (int i = 0; i < w->count; i++)
            if (w->studies[i].open)
                app_steps_reap(&w->studies[i].steps);
    }
}
