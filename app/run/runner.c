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
static const double idle_and_reported = 240;
static const double redraw = 1;

/*
 * A call may wait so long for a store that has just gone, so that a cut connection is no trouble: but the
 * evaluations and those who ask us to stop want to be heard.
 */
static const double patience = 0.5;

void app_runner_be_brief(struct app_runner *w)
{
    const struct app_asking asking = {app_slots_give_up, &w->slots};

    app_store_set_patience(w->store, patience, &asking);
}

double app_runner_pause(const struct app_runner *w, double least)
{
    const double quiet = app_clock() - w->changed;

    /*
     * Who is told of changes need not look for them as often, nor who has not seen any for long: a thousand
     * that are idle must not be a load.
     */
    return w->slots.news >= 0 ? app_outage(&w->self.worker, 0, idle_and_reported, idle_and_reported)
                              : app_outage(&w->self.worker, quiet, least, longest_idle);
}

/* --- saying --- */

static int count_answer(void *context, const struct app_spooled *answer)
{
    (void)answer;
    ++*(int *)context;
    return CKG_OK;
}

/* How many answers the store has not got, where there are any. */
static void say_left(const struct app_runner *w)
{
    const int solo = w->options->study != NULL;
    struct app_run_study *first = w->studies;
    struct app_text line = {0};
    int count = 0;

    if (w->self.spool.folder && (!solo || first->broken))
        app_spool_each(&w->self.spool, count_answer, &count);
    if (count)
        app_text_print(&line, "%d answer%s %s in %s for the store; the next %s here delivers %s", count,
                       count > 1 ? "s" : "", count > 1 ? "wait" : "waits", w->self.spool.folder,
                       solo ? "run or worker" : "worker", count > 1 ? "them" : "it");
    if (line.data && solo)
        app_progress_say(&first->progress, first->n, line.data);
    else if (line.data)
        app_warn("%s\n", line.data);
    app_text_free(&line);
}

/* Says what a run waits for, when that has changed. */
static void note(struct app_run_study *r)
{
    static const char *const notes[] = {
        [APP_PAUSED] = "paused by a person; `ckg resume` goes on",
        [APP_OUTAGE] = "paused, as evaluations fail; finishing those that run",
        [APP_OFFLINE] = "the store is away; trying again",
        [APP_FINISHING] = "finishing the running evaluations; Ctrl-C again kills them",
        [APP_KILLING] = "killing the running evaluations",
    };
    const char *text = notes[app_run_phase(r)];
    char line[128];

    if (!text)
        text = !r->running && !r->waiting ? "waiting for other programs" : "";

    if (strcmp(text, r->progress.note) == 0)
        return;
    snprintf(r->progress.note, sizeof r->progress.note, "%s", text);
    if (r->slots->interrupts == 1 && (!r->broken || r->away) && r->running &&
        r->progress.kind != APP_PROGRESS_BLOCK) {
        snprintf(line, sizeof line, "interrupted: finishing %d running evaluation%s; Ctrl-C again kills %s",
                 r->running, r->running > 1 ? "s" : "", r->running > 1 ? "them" : "it");
        app_progress_say(&r->progress, r->n, line);
    }
    app_progress_draw(&r->progress, r->n);
}

/* --- studies --- */

void app_runner_close(struct app_run_study *s)
{
    assert(!s->running);
    if (s->state >= APP_STUDY_OPEN) {
        app_steps_end(s);
        if (s->n == &s->record)
            app_study_close(&s->record);
    }
    s->state = APP_STUDY_CLOSED;
}

/* Failures in a row hold a worker's study back until a person has looked; that is said, and when it is over.
 */
static void mind_outage(struct app_run_study *s)
{
    struct app_text line = {0};

    if (s->options->study || s->outage.paused == s->said_outage)
        return;
    s->said_outage = s->outage.paused;
    app_text_print(&line, "%s", s->said_outage ? "paused: " : "goes on");
    if (s->said_outage)
        app_outage_text(s->n, &line);
    if (line.data)
        app_run_say(s, line.data);
    app_text_free(&line);
}

/* What has happened to a study: it waits for the store, or its problem was changed and it is closed. */
static void mind_trouble(struct app_runner *w, struct app_run_study *s)
{
    const double unsaid = w->options->study ? APP_STORE_PATIENCE : 0;

    if (!s->broken || !s->away)
        return;
    if (!(w->lost > 0))
        w->lost = app_clock();
    if (app_clock() - w->lost >= unsaid)
        app_run_say(s, s->n->message->text);
    if (s->broken == CKG_ERR_STATE)
        s->state = APP_STUDY_LEAVING;
    if (s->state == APP_STUDY_LEAVING && !s->running)
        app_runner_close(s);
    else if (s->state == APP_STUDY_OPEN && w->again == INFINITY) {
        w->wait = app_first_wait;
        w->again = app_clock() + w->wait;
    }
}

/* --- the loop --- */

/* The first study behind that one (NULL: of all) that is open; NULL: there is none. */
static struct app_run_study *next_open(const struct app_runner *w, const struct app_run_study *s)
{
    for (int i = s ? (int)(s - w->studies) + 1 : 0; i < w->count; i++)
        if (w->studies[i].state >= APP_STUDY_OPEN)
            return &w->studies[i];
    return NULL;
}

/* 1 when nothing waits that we could take up. */
static int is_drained(const struct app_run_study *s)
{
    for (int i = 0; i < s->n->count; i++)
        if (s->n->trials[i].queued && s->n->trials[i].state == APP_PENDING)
            return app_run_phase(s) == APP_OUTAGE || app_run_phase(s) == APP_PAUSED;
    return 1;
}

static int is_done(const struct app_runner *w)
{
    const struct app_runner_options *o = w->options;

    if (w->slots.running)
        return 0;
    if (w->slots.interrupts)
        return 1;
    if (!o->drain && !o->until_idle && !o->study)
        return 0;
    for (const struct app_run_study *s = next_open(w, NULL); s; s = next_open(w, s))
        if (s->broken || !(o->drain ? is_drained(s) : app_run_over(s)))
            return 0;
    return 1;
}

/* Only who has something can lose it. */
static double beat_every(const struct app_runner *w)
{
    return w->slots.running ? heartbeat : app_outage(&w->self.worker, 0, idle_heartbeat, idle_heartbeat);
}

/* When to do something, whatever happens, but for the heartbeat. */
static double next_time(const struct app_runner *w)
{
    double until = fmin(w->search, w->again);

    if (w->slots.hurried > 0 && w->slots.interrupts < 2)
        until = fmin(until, w->slots.hurried + w->options->grace);
    for (const struct app_run_study *s = next_open(w, NULL); s; s = next_open(w, s))
        until = fmin(until, app_run_over(s) ? app_clock() + app_runner_pause(w, idle) : app_steps_look(s));
    return until;
}

/* The heartbeat, the orphans that have ended, and the block. */
static void keep_alive(struct app_runner *w)
{
    const double now = app_clock();
    struct app_message unheard;

    if (now - w->beaten >= beat_every(w)) {
        app_run_beat(&w->self, w->store, &unheard);
        app_slots_reap(&w->slots);
        w->beaten = now;
    }
    if (w->options->study && now - w->drawn >= redraw) {
        app_progress_draw(&w->studies->progress, w->studies->n);
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
    app_store_heartbeat(w->store, &w->self.worker, &unheard);
    w->beaten = app_clock();
}

/* Who was to end soon has had time enough. */
static void mind_grace(struct app_runner *w)
{
    const double hurried = w->slots.hurried;

    if (hurried > 0 && app_clock() - hurried >= w->options->grace && w->slots.interrupts < 2)
        w->slots.interrupts = 2;
}

/* 1 when what others do matters here: there is a place for it. */
static int wants_news(const struct app_runner *w)
{
    for (const struct app_run_study *s = next_open(w, NULL); s; s = next_open(w, s))
        if (app_steps_look(s) < INFINITY)
            return 1;
    return w->slots.running < w->slots.count;
}

/* From here on the store tells of changes, where it can and they matter here; 1 when there are some. */
static int listen_to_store(struct app_runner *w)
{
    const int solo = w->options->study != NULL;

    w->slots.news = -1;
    if (w->again < INFINITY || w->slots.interrupts || !wants_news(w))
        return 0;
    if (!solo)
        w->slots.news = app_store_listen(w->store, 0);
    for (struct app_run_study *s = next_open(w, NULL); s && (solo || w->slots.news >= 0); s = next_open(w, s))
        w->slots.news = app_store_listen(w->store, s->n->id);
    if (!app_store_heard(w->store))
        return 0;

    /* It may be a study that has appeared, or goes on in another way. */
    w->changed = app_clock();
    for (int i = 0; !solo && i < w->count; i++)
        if (w->studies[i].state < APP_STUDY_OPEN || app_run_over(&w->studies[i]))
            w->search = 0;
    return 1;
}

/* Until something happens, or it is time to look. A sign of life that is due meanwhile needs no look. */
static void wait_for_something(struct app_runner *w)
{
    const int draws = w->options->study && w->studies->progress.kind == APP_PROGRESS_BLOCK;
    double until = 0;

    do {
        keep_alive(w);
        if (w->slots.freed || listen_to_store(w))
            return;
        until = until > 0 ? until : next_time(w);
        const double soon = draws ? w->drawn + redraw : INFINITY;
        app_slots_wait(&w->slots, fmin(until, fmin(soon, w->beaten + beat_every(w))));
    } while (!w->slots.running && !w->slots.interrupts && app_clock() < until);
}

/* Every study makes a step, another being the first every time. */
static void make_steps(struct app_runner *w)
{
    w->first_study = w->count ? (w->first_study + 1) % w->count : 0;
    for (int k = 0; k < w->count; k++) {
        struct app_run_study *s = &w->studies[(w->first_study + k) % w->count];

        if (s->state < APP_STUDY_OPEN)
            continue;
        app_steps_go(s);
        w->changed = fmax(w->changed, s->changed);
        mind_outage(s);
        mind_trouble(w, s);
    }
}

static void loop(struct app_runner *w)
{
    w->slots.tick = tick;
    w->slots.context = w;
    for (;;) {
        /* The store is there, and so is what has appeared in it. */
        w->slots.freed = 0;
        mind_grace(w);
        if (app_clock() >= w->again)
            app_runner_reconnect(w);
        if (w->again == INFINITY && app_clock() >= w->search && !w->slots.interrupts) {
            app_runner_look(w);
            app_runner_deliver(w);
        }
        make_steps(w);

        if (is_done(w))
            return;
        if (w->options->study)
            note(w->studies);
        wait_for_something(w);
        for (struct app_run_study *s = next_open(w, NULL); s; s = next_open(w, s))
            app_steps_reap(s);
    }
}

/* --- the end --- */

/* Says why the run ends before its budget, and how it goes on; 1 when it does. */
static int say_stopped(struct app_run_study *r)
{
    const int budget = r->n->definition.budget;
    struct app_text line = {0};

    if (!r->watch.reached || r->broken || r->slots->interrupts || r->outage.paused || app_run_stopped(r) ||
        app_study_spent(r->n) >= budget)
        return 0;
    app_text_print(&line, "stopped after %d of %d evaluations: ", app_study_ended(r->n), budget);
    app_stop_text(r->n, &r->watch, &line);
    app_text_print(&line, "; use `ckg run --no-stop` to continue anyway");
    if (line.data)
        app_progress_say(&r->progress, r->n, line.data);
    app_text_free(&line);
    return 1;
}

/* How the run of one study has ended, which is said. */
static enum app_run_end conclude(const struct app_runner *w, struct app_run_study *s)
{
    const int stopped = say_stopped(s);

    say_left(w);
    app_progress_end(&s->progress, s->n);
    return s->broken && !s->away ? APP_RUN_BROKEN
           : w->slots.interrupts ? APP_RUN_INTERRUPTED
           : s->outage.paused    ? APP_RUN_PAUSED
           : app_run_stopped(s)  ? APP_RUN_ENDED
           : stopped             ? APP_RUN_STOPPED
                                 : APP_RUN_SPENT;
}

int app_runner_work(const struct app_runner_options *options, enum app_run_end *end,
                    struct app_message *message)
{
    struct app_runner w = {.options = options,
                           .url = options->study ? options->study->url : options->url,
                           .slots = {.alone = options->alone, .stop = options->stop, .news = -1},
                           .again = INFINITY};
    const int status = app_runner_begin(&w, message);

    *end = status ? APP_RUN_BROKEN : APP_RUN_SPENT;
    if (!status) {
        app_runner_deliver(&w);
        loop(&w);
        assert(!w.slots.running);
        if (options->study)
            *end = conclude(&w, w.studies);
        else
            say_left(&w);
    }
    app_runner_end(&w);
    return status;
}
