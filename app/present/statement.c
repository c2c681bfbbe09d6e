/* How far a study is, what is expected of it, and what holds it back. */
#include "present/statement.h"

#include <math.h>
#include <string.h>

#include "actions/workers.h"
#include "base/timestamp.h"
#include "present/numbers.h"

/* --- what is expected --- */

/* Why nothing is known yet. */
static void add_why(const struct app_study *n, struct app_text *out)
{
    struct app_text missing = {0};

    app_text_print(out, "not known yet");
    if (app_study_unmeasured(n, 0, &missing) && missing.data)
        app_text_print(out, ": %s", missing.data);
    else if (!app_study_best(n))
        app_text_print(out, ": nothing feasible has been measured");
    else
        app_text_print(out, ": too few evaluations");
    app_text_free(&missing);
}

void app_gain_text(const struct app_study *n, const ckg_gain *gain, struct app_text *out)
{
    if (isnan(gain->next)) {
        add_why(n, out);
        return;
    }
    app_text_print(out, "%.2g by one more evaluation", gain->next);
    if (gain->left < 0)
        return;
    if (gain->left > 1)
        app_text_print(out, ", %.2g by the %d that are left", gain->remaining, gain->left);
    else
        app_text_print(out, gain->left ? ", the last that is left" : "; the budget is spent");
}

void app_prospects_text(const struct app_study *n, int needed, const ckg_gain *gain, struct app_text *out)
{
    const char *unit = app_outcome_at(&n->definition, 0).label.unit;
    const double more = gain->left > 0 ? gain->remaining : gain->next;

    if (needed)
        app_text_print(out, "within 1 %% of the best, of the range measured, after %d evaluation%s\n", needed,
                       needed == 1 ? "" : "s");
    if (isnan(gain->next))
        return;
    app_text_print(out, "%s is expected to gain ",
                   gain->left > 0 ? "the rest of the budget" : "one more evaluation");
    if (!(more > 0))
        app_text_print(out, "nothing\n");
    else if (unit)
        app_text_print(out, "%.2g %s\n", more, unit);
    else
        app_text_print(out, "%.2g\n", more);
}

void app_stop_text(const struct app_study *n, const struct app_stop_watch *w, struct app_text *out)
{
    const struct app_stop_rule *stop = &n->definition.stop;
    char number[32];

    app_text_print(out, "the %d evaluation%s left %s expected to gain %.2g, less than ", w->gain.left,
                   w->gain.left == 1 ? "" : "s", w->gain.left == 1 ? "is" : "are", w->gain.remaining);
    if (stop->percent)
        app_text_print(out, "%s%% (%.2g)", app_number(stop->gain, number),
                       app_stop_bar(&n->definition, &w->gain));
    else
        app_text_print(out, "%s", app_number(stop->gain, number));
    if (stop->patience > 1)
        app_text_print(out, ", and so it was said %d times in a row", stop->patience);
}

/* --- what holds it back --- */

int app_pause_text(const struct app_pause *pause, struct app_text *out)
{
    char timestamp[32];

    if (pause->paused == APP_NOT_PAUSED)
        return 0;
    app_text_print(out, "%s by %s", pause->paused == APP_STOPPED ? "stopped" : "paused",
                   pause->by[0] ? pause->by : "somebody");
    if (app_timestamp(pause->since, timestamp))
        app_text_print(out, " since %s", timestamp);
    return 1;
}

/* The failures, and why they failed. */
static void add_failures(const struct app_outage *outage, struct app_text *out)
{
    enum { LONGEST = 400 };
    const int whole = (int)strnlen(outage->why, LONGEST);

    app_text_print(out, "the %s %d evaluations failed%s (trial", outage->nothing_yet ? "first" : "last",
                   outage->count, outage->alike ? " alike" : "");
    if (outage->count > 1)
        app_text_print(out, "s %d to %d", outage->first, outage->last);
    else
        app_text_print(out, " %d", outage->first);
    app_text_print(out, ", %s%.*s)", outage->alike ? "" : "the last one: ", whole, outage->why);
}

/* The study as it is given to a command. */
static void add_study(const struct app_study *n, struct app_text *out)
{
    if (n->file)
        app_text_print(out, "%s", n->file);
    else
        app_text_print(out, "--store '%s' --study '%s'", n->url, n->definition.name);
}

/* A command with the study and the trials, in backquotes. */
static void add_command(const struct app_study *n, const struct app_outage *outage, const char *command,
                        struct app_text *out)
{
    enum { MOST_NAMED = 40 };
    int count = 0;

    app_text_print(out, "`ckg %s ", command);
    add_study(n, out);
    for (int i = outage->first - 1; i < outage->last; i++)
        if (app_outage_has(outage, &n->trials[i]) && count++ < MOST_NAMED)
            app_text_print(out, " %d", n->trials[i].number);
    app_text_print(out, count > MOST_NAMED ? " …`" : "`");
}

void app_outage_text(const struct app_study *n, struct app_text *out)
{
    struct app_outage outage;

    /* After a retry there may be too few failures for an outage by the rule: then those that are left. */
    if (!app_outage_find(n, &outage))
        outage = app_outage_streak(n);
    if (!outage.count) {
        app_text_print(out, "evaluations fail");
        return;
    }
    add_failures(&outage, out);

    app_text_print(out, "; once the cause is mended, `ckg run ");
    add_study(n, out);
    app_text_print(out, "` tries trial %d again%s; ", outage.first,
                   outage.count > 1 ? " and, if that works, the others" : "");
    add_command(n, &outage, "discard", out);
    app_text_print(
        out,
        " sets %s aside; where the designs are at fault, a larger `pause_after` goes on, and 0 never pauses",
        outage.count > 1 ? "them" : "it");
}

/* --- how it stands --- */

/* How far it is; budget 0: it has none, or outcomes have costs that it is spent on. */
static void add_progress(const char *name, int budget, const int tally[APP_STATES], struct app_text *out)
{
    app_text_print(out, "%s: %d", name, tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL]);
    if (budget)
        app_text_print(out, " of %d", budget);
    app_text_print(out, " evaluations (%d complete, %d failed), %d running, %d pending", tally[APP_COMPLETE],
                   tally[APP_FAILED_TRIAL], tally[APP_RUNNING], tally[APP_PENDING]);
    if (tally[APP_DISCARDED])
        app_text_print(out, ", %d discarded", tally[APP_DISCARDED]);
}

/* How it chooses, and where it is kept. */
static void add_ways(const struct app_study *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    if (n->id || d->has_seed)
        app_text_print(out, "policy %s, seed %llu, %s\n", d->policy, (unsigned long long)n->seed, n->url);
    else
        app_text_print(out, "policy %s, seed not drawn yet, %s\n", d->policy, n->url);
    for (int i = 0; i < ckg_problem_rules(d->problem); i++)
        app_text_print(out, "rule %s\n", ckg_problem_rule(d->problem, i));
}

static void add_best(const struct app_study *n, struct app_text *out)
{
    const struct app_trial *best = app_study_best(n);
    const struct app_outcome objective = app_outcome_at(&n->definition, 0);
    char number[32];

    if (best)
        app_text_print(out, "best feasible: trial %d, %s = %s\n", best->number, objective.name,
                       app_value_text(&objective, app_trial_value(best, 0), 6, number));
    else
        app_text_print(out, "nothing feasible has been measured yet\n");
}

/* Why a run would not simply go on. */
static void add_pause(const struct app_study *n, struct app_text *out)
{
    struct app_outage outage;

    if (app_pause_text(&n->pause, out))
        app_text_print(out, "; `ckg resume` goes on\n");
    if (app_outage_find(n, &outage)) {
        app_text_print(out, "paused: ");
        app_outage_text(n, out);
        app_text_print(out, "\n");
    }
}

/* What going on is expected to gain, and whether a run would. */
static void add_gain(const struct app_study *n, const struct app_stop_watch *watch, struct app_text *out)
{
    app_text_print(out, "expected gain: ");
    app_gain_text(n, &watch->gain, out);
    if (watch->reached) {
        app_text_print(out, "\nstopped: ");
        app_stop_text(n, watch, out);
    }
    app_text_print(out, "\n");
}

/* The trials that the worker evaluates, as "trials 7, 9"; nothing: none. */
static void add_assigned(const struct app_workers *workers, int64_t worker, struct app_text *out)
{
    int count = 0;

    for (int i = 0; i < workers->assigned_count; i++)
        count += workers->assigned[i].worker == worker;
    app_text_print(out, "%s", !count ? "idle here" : count > 1 ? "trials" : "trial");
    count = 0;
    for (int i = 0; i < workers->assigned_count; i++)
        if (workers->assigned[i].worker == worker)
            app_text_print(out, "%s %d", count++ ? "," : "", workers->assigned[i].number);
}

/* Who is at work, a line each, and how fast designs are chosen. */
static void add_workers(const struct app_study *n, const struct app_workers *workers, struct app_text *out)
{
    for (int i = 0; i < workers->count; i++) {
        const struct app_member *m = &workers->member[i];

        app_text_print(out, "worker %lld on %s (process %lld", (long long)m->id, m->host,
                       (long long)m->process);
        if (m->slots)
            app_text_print(out, ", %d slot%s", m->slots, m->slots > 1 ? "s" : "");
        app_text_print(out, "): ");
        add_assigned(workers, m->id, out);
        if (!m->alive)
            app_text_print(out, ", gone; whoever is next takes over");
        else if (m->silent >= 1)
            app_text_print(out, ", last heard of %.0f s ago", m->silent);
        app_text_print(out, "\n");
    }
    if (workers->count && app_study_pace(n) > 0)
        app_text_print(out, "suggestions: %.3g a minute\n", app_study_pace(n));
}

int app_status_text(struct app_study *n, struct app_text *out)
{
    struct app_stop_watch watch = {0};
    struct app_workers workers;
    const int separate = ckg_problem_separate(n->definition.problem) == 1;
    int tally[APP_STATES];
    int status = app_workers_find(n, &workers);

    if (!status)
        status = app_stop_standing(n, &watch);
    app_study_tally(n, tally);
    add_progress(n->definition.name, separate ? 0 : n->definition.budget, tally, out);
    if (separate)
        app_text_print(out, "\ncost so far: %g of %d", app_study_cost(n), n->definition.budget);
    app_text_print(out, "\n");
    add_ways(n, out);
    add_best(n, out);
    add_pause(n, out);

    /* What a person should know of the answers so far. */
    if (tally[APP_COMPLETE] && app_study_unmeasured(n, 0, out))
        app_text_print(out, "\n");
    add_gain(n, &watch, out);
    add_workers(n, &workers, out);
    app_workers_free(&workers);
    app_stop_forget(&watch);
    return status;
}

void app_study_seen_text(const struct app_study_seen *s, int budget, struct app_text *out)
{
    const int tally[APP_STATES] = {[APP_COMPLETE] = s->complete,
                                   [APP_FAILED_TRIAL] = s->failed,
                                   [APP_RUNNING] = s->running,
                                   [APP_PENDING] = s->pending,
                                   [APP_DISCARDED] = s->discarded};
    char timestamp[32];

    add_progress(s->name, budget, tally, out);
    if (app_timestamp(s->ended, timestamp))
        app_text_print(out, ", last result %s", timestamp);
}

void app_verification_text(const struct app_study *n, const struct app_verification *c, struct app_text *out)
{
    for (int i = 0; i < c->count; i++) {
        const struct app_finding *f = &c->findings[i];

        app_text_print(out, "%s", f->part);
        if (f->number)
            app_text_print(out, " %d", f->number);
        app_text_print(out, ": %s\n", f->text);
    }
    if (!c->damaged)
        app_text_print(out, "%s is whole: %d trial%s, every checksum right\n", n->url, c->trials,
                       c->trials == 1 ? "" : "s");
}
