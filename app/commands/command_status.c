/* ckg status: where a study stands, and what is to be gained by going on. */
#include <stdio.h>

#include "base/visible.h"
#include "command.h"
#include "api/shapes.h"
#include "actions/workers.h"
#include "present/numbers.h"
#include "actions/outage.h"
#include "present/statement.h"

static void print_text(const struct app_notebook *n)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    const struct app_outcome objective = app_outcome_at(d, 0);
    int tally[APP_STATES];
    char number[32];

    /* How far it is. */
    app_notebook_tally(n, tally);
    app_say("%s: %d", d->name, tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL]);
    if (d->budget && ckg_problem_separate(d->problem) != 1)
        app_say(" of %d", d->budget);
    app_say(" evaluations");
    app_say(" (%d complete, %d failed), %d running, %d pending", tally[APP_COMPLETE], tally[APP_FAILED_TRIAL],
            tally[APP_RUNNING], tally[APP_PENDING]);
    if (tally[APP_DISCARDED])
        app_say(", %d discarded", tally[APP_DISCARDED]);
    app_say("\n");
    if (ckg_problem_separate(d->problem) == 1)
        app_say("cost so far: %g of %d\n", app_notebook_cost(n), d->budget);

    /* How it chooses, and where it is kept. */
    if (n->study || d->has_seed)
        app_say("policy %s, seed %llu, %s\n", d->policy, (unsigned long long)n->seed, n->url);
    else
        app_say("policy %s, seed not drawn yet, %s\n", d->policy, n->url);

    for (int i = 0; i < ckg_problem_rules(d->problem); i++)
        app_say("rule %s\n", ckg_problem_rule(d->problem, i));

    if (best)
        app_say("best feasible: trial %d, %s = %s\n", best->number, objective.name,
                app_value_text(&objective, app_trial_value(best, 0), 6, number));
    else
        app_say("nothing feasible has been measured yet\n");
}

/* Why a run would not simply go on. */
static void print_pause(const struct app_notebook *n)
{
    struct app_pause pause;
    struct app_text line = {0};

    if (app_hold_write(&n->hold, &line))
        app_say("%s; `ckg resume` goes on\n", line.data ? line.data : "paused");
    line.length = 0;
    if (app_pause_find(n, &pause)) {
        app_pause_write(n, &line);
        app_say("paused: %s\n", line.data ? line.data : "");
    }
    app_text_free(&line);
}

/* What a person should know of the answers so far. */
static void print_unmeasured(const struct app_notebook *n)
{
    struct app_text line = {0};
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    if (tally[APP_COMPLETE] && app_notebook_unmeasured(n, 0, &line) && line.data)
        app_say("%s\n", line.data);
    app_text_free(&line);
}

/* What going on is expected to gain, and whether a run would. */
static void print_gain(const struct app_notebook *n, const struct app_stop_watch *watch)
{
    struct app_text line = {0};

    app_text_print(&line, "expected gain: ");
    app_gain_text(n, &watch->gain, &line);
    if (watch->reached) {
        app_text_print(&line, "\nstopped: ");
        app_stop_text(n, watch, &line);
    }
    app_say("%s\n", line.data ? line.data : "");
    app_text_free(&line);
}

/* The trials that the worker evaluates, as "trials 7, 9"; nothing: none. */
static void write_held(const struct app_crew *crew, int64_t worker, struct app_text *out)
{
    int count = 0;

    for (int i = 0; i < crew->held_count; i++)
        count += crew->held[i].worker == worker;
    app_text_print(out, "%s", !count ? "idle here" : count > 1 ? "trials" : "trial");
    count = 0;
    for (int i = 0; i < crew->held_count; i++)
        if (crew->held[i].worker == worker)
            app_text_print(out, "%s %d", count++ ? "," : "", crew->held[i].number);
}

/* Who is at work, a line each, and how fast designs are chosen. */
static void print_crew(const struct app_notebook *n, const struct app_crew *crew)
{
    for (int i = 0; i < crew->count; i++) {
        const struct app_member *m = &crew->member[i];
        struct app_text line = {0};

        app_text_print(&line, "worker %lld on %s (process %lld", (long long)m->id, m->host,
                       (long long)m->process);
        if (m->slots)
            app_text_print(&line, ", %d slot%s", m->slots, m->slots > 1 ? "s" : "");
        app_text_print(&line, "): ");
        write_held(crew, m->id, &line);
        if (!m->alive)
            app_text_print(&line, ", gone; whoever is next takes over");
        else if (m->silent >= 1)
            app_text_print(&line, ", last heard of %.0f s ago", m->silent);
        if (line.data)
            app_say("%s\n", line.data);
        app_text_free(&line);
    }
    if (crew->count && app_notebook_pace(n) > 0)
        app_say("suggestions: %.3g a minute\n", app_notebook_pace(n));
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    struct app_stop_watch watch = {0};
    struct app_text line = {0};
    struct app_crew crew;
    int status = app_crew_find(n, &crew);

    if (!status)
        status = app_stop_standing(n, &watch);

    /* For people or for programs. */
    if (!status && a->json) {
        app_status_write(n, &watch.gain, watch.reached, &crew, &line);
        status = app_print(a, &line);
    } else if (!status) {
        print_text(n);
        print_pause(n);
        print_unmeasured(n);
        print_gain(n, &watch);
        print_crew(n, &crew);
    }
    app_crew_free(&crew);
    app_stop_forget(&watch);
    return status;
}

const struct app_work app_command_status = {
    .usage = "STUDY",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .run_study = run,
};
