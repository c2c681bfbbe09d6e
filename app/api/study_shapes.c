/* A study as JSON: where it stands, its trials, what it recommends. */
#include "api/shapes.h"

#include "base/timestamp.h"
#include "actions/outage.h"

/* --- trials --- */

void app_trial_add(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    app_json_add_integer(out, "trial", t->number);
    app_json_add_string(out, "state", app_state_name(t->state));

    app_json_member(out, "parameters");
    app_design_write(d, t->x, out);

    app_json_member(out, "values");
    app_outcomes_write(d, t->state == APP_DISCARDED ? t->kept : t->count, t->measured, out);

    app_json_add_truth(out, "feasible", t->feasible);
    app_json_add_string(out, "origin", t->origin);
    app_json_add_string(out, "chosen_by", t->chosen_by);
    app_json_add_string(out, "reason", t->reason);
    app_json_add_number(out, "seconds", t->seconds);
    app_json_add_string(out, "why", t->why);

    /* What it is to measure, where outcomes have costs. */
    if (ckg_problem_separate(d->problem) == 1) {
        app_json_member(out, "measure");
        app_wants_write(d, &t->wants, out);
        app_json_add_number(out, "cost", app_trial_cost(d, t));
    }
}

void app_trial_write(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_trial_add(d, t, out);
    app_json_close(out, '}');
}

void app_trial_add_whole(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    app_trial_add(d, t, out);
    app_json_add_integer(out, "starts", t->starts);
    app_json_add_string(out, "worker", t->worker);
    app_json_add_string(out, "log", t->log);
    app_json_add_string(out, "answer", t->answer);
    app_json_member(out, "extra");
    app_text_print(out, "%s", t->extra ? t->extra : "{}");
    app_json_add_string(out, "notes", t->notes);
}

/* --- where it stands --- */

/* The best trial that was measured feasible, as an object that is open and has its number; NULL: null. */
static const struct app_trial *open_best(const struct app_notebook *n, const char *key, struct app_text *out)
{
    const struct app_trial *best = app_notebook_best(n);

    if (!best)
        app_json_add_string(out, key, NULL);
    else {
        app_json_open(out, key, '{');
        app_json_add_integer(out, "trial", best->number);
    }
    return best;
}

static void add_best_feasible(const struct app_notebook *n, struct app_text *out)
{
    const struct app_trial *best = open_best(n, "best_feasible", out);

    if (!best)
        return;
    app_json_add_number(out, "objective", app_trial_value(best, 0));
    app_json_close(out, '}');
}

/* The failures in a row for which a run pauses, or null. */
static void add_pause(const struct app_notebook *n, struct app_text *out)
{
    struct app_pause pause;

    if (!app_pause_find(n, &pause)) {
        app_json_add_string(out, "paused", NULL);
        return;
    }
    app_json_open(out, "paused", '{');
    app_json_open(out, "trials", '[');
    for (int i = 0; i < n->count; i++)
        if (app_pause_has(&pause, &n->trials[i]))
            app_json_add_integer(out, NULL, n->trials[i].number);
    app_json_close(out, ']');
    app_json_add_string(out, "why", pause.why);
    app_json_close(out, '}');
}

void app_hold_add(const struct app_hold *hold, struct app_text *out)
{
    char moment[32];

    if (hold->held == APP_NOT_HELD) {
        app_json_add_string(out, "held", NULL);
        return;
    }
    app_json_open(out, "held", '{');
    app_json_add_string(out, "by", hold->by[0] ? hold->by : NULL);
    app_json_add_string(out, "since", app_moment_utc(hold->since, moment));
    app_json_add_truth(out, "stopped", hold->held == APP_STOPPED);
    app_json_close(out, '}');
}

void app_hold_write_study(const struct app_notebook *n, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "study", n->definition.name);
    if (n->definition.budget)
        app_json_add_integer(out, "budget", n->definition.budget);
    else
        app_json_add_string(out, "budget", NULL);
    app_hold_add(&n->hold, out);
    app_json_close(out, '}');
}

/* The trials that the worker evaluates. */
static void add_held(const struct app_crew *crew, int64_t worker, struct app_text *out)
{
    app_json_open(out, "trials", '[');
    for (int i = 0; i < crew->held_count; i++)
        if (crew->held[i].worker == worker)
            app_json_add_integer(out, NULL, crew->held[i].number);
    app_json_close(out, ']');
}

static void add_workers(const struct app_crew *crew, struct app_text *out)
{
    app_json_open(out, "workers", '[');
    for (int i = 0; i < crew->count; i++) {
        const struct app_member *m = &crew->member[i];

        app_json_open(out, NULL, '{');
        app_json_add_integer(out, "worker", m->id);
        app_json_add_string(out, "host", m->host);
        app_json_add_integer(out, "process", m->process);
        app_json_add_integer(out, "slots", m->slots);
        app_json_member(out, "labels");
        app_text_print(out, "%s", m->labels ? m->labels : "[]");
        app_json_add_truth(out, "alive", m->alive);
        app_json_add_number(out, "seconds", m->age);
        app_json_add_number(out, "silent", m->silent);
        add_held(crew, m->id, out);
        app_json_close(out, '}');
    }
    app_json_close(out, ']');
}

/* Which trial is whose, and for how long without a further sign of it. */
static void add_leases(const struct app_crew *crew, struct app_text *out)
{
    app_json_open(out, "leases", '[');
    for (int i = 0; i < crew->held_count; i++) {
        app_json_open(out, NULL, '{');
        app_json_add_integer(out, "trial", crew->held[i].number);
        app_json_add_integer(out, "worker", crew->held[i].worker);
        app_json_add_number(out, "left", crew->held[i].left);
        app_json_close(out, '}');
    }
    app_json_close(out, ']');
}

void app_status_write(const struct app_notebook *n, const ckg_gain *gain, int stopped,
                      const struct app_crew *crew, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "study", d->name);
    app_json_add_string(out, "store", n->url);

    /* How far it is. */
    if (d->budget)
        app_json_add_integer(out, "budget", d->budget);
    else
        app_json_add_string(out, "budget", NULL);
    app_json_add_integer(out, "evaluations", tally[APP_COMPLETE] + tally[APP_FAILED_TRIAL]);
    app_json_add_integer(out, "complete", tally[APP_COMPLETE]);
    app_json_add_integer(out, "failed", tally[APP_FAILED_TRIAL]);
    app_json_add_integer(out, "running", tally[APP_RUNNING]);
    app_json_add_integer(out, "pending", tally[APP_PENDING]);
    app_json_add_integer(out, "discarded", tally[APP_DISCARDED]);
    if (ckg_problem_separate(d->problem) == 1)
        app_json_add_number(out, "spent", app_notebook_cost(n));

    /* How it chooses; a seed that the file does not give is drawn when the study begins. */
    app_json_add_string(out, "policy", d->policy);
    app_json_member(out, "seed");
    if (n->study || d->has_seed)
        app_text_print(out, "%llu", (unsigned long long)n->seed);
    else
        app_text_print(out, "null");

    /* What its designs obey, where anything. */
    if (ckg_problem_rules(d->problem)) {
        app_json_open(out, "rules", '[');
        for (int i = 0; i < ckg_problem_rules(d->problem); i++)
            app_json_add_string(out, NULL, ckg_problem_rule(d->problem, i));
        app_json_close(out, ']');
    }

    add_best_feasible(n, out);
    add_pause(n, out);
    app_hold_add(&n->hold, out);

    /* What going on is expected to gain. */
    app_json_open(out, "expected_gain", '{');
    app_json_add_number(out, "one", gain->one);
    app_json_add_number(out, "rest", gain->rest);
    app_json_close(out, '}');
    app_json_add_truth(out, "stopped", stopped);

    /* Who is at work. */
    add_workers(crew, out);
    add_leases(crew, out);
    app_json_add_number(out, "suggestions_per_minute", app_notebook_pace(n));
    app_json_close(out, '}');
}

/* --- a changed problem --- */

static void add_numbers(struct app_text *out, const char *key, int count, const int *numbers)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_integer(out, NULL, numbers[i]);
    app_json_close(out, ']');
}

void app_change_write(const struct app_difference *difference, const struct app_adapted *adapted,
                      struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_open(out, "changes", '[');
    for (int i = 0; i < difference->count; i++)
        app_json_add_string(out, NULL, difference->line[i].data);
    app_json_close(out, ']');
    add_numbers(out, "set_aside", adapted->aside, adapted->aside_number);
    add_numbers(out, "taken_in", adapted->back, adapted->back_number);
    app_json_add_integer(out, "feasible_before", adapted->feasible_before);
    app_json_add_integer(out, "feasible_after", adapted->feasible_after);
    app_json_close(out, '}');
}

void app_undone_write(const struct app_last_change *undone, struct app_text *out)
{
    char moment[32];

    app_json_open(out, NULL, '{');
    app_json_add_integer(out, "change", undone->number);
    app_json_add_string(out, "command", undone->command.data);
    app_json_add_string(out, "who", undone->who.data);
    app_json_add_string(out, "made", app_moment_utc(undone->made, moment));
    app_json_add_integer(out, "left", undone->left - 1);
    app_json_add_truth(out, "problem", undone->definition.length > 0);
    app_json_close(out, '}');
}

/* --- the recommendation --- */

static void add_best_evaluated(const struct app_notebook *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = open_best(n, "best_evaluated", out);

    if (!best)
        return;
    app_json_member(out, "parameters");
    app_design_write(d, best->x, out);

    app_json_add_number(out, "objective", app_trial_value(best, 0));
    app_json_open(out, "constraints", '{');
    for (int j = 1; j <= app_constraints(d); j++)
        app_outcome_add(d, j, app_trial_value(best, j), out);
    app_json_close(out, '}');
    app_json_close(out, '}');
}

/* Where no design is likely to be feasible: the hardest limit, and how near to it one comes; else null. */
static void add_hardest(const struct app_definition *d, const ckg_recommendation *r, struct app_text *out)
{
    if (!r->hardest) {
        app_json_add_string(out, "hardest", NULL);
        return;
    }
    const struct app_outcome o = app_outcome_at(d, r->hardest);

    app_json_open(out, "hardest", '{');
    app_json_add_string(out, "constraint", o.name);
    app_json_add_number(out, "mean", r->mean[r->hardest]);
    app_json_add_number(out, "sd", r->sd[r->hardest]);
    if (o.yesno)
        app_json_add_truth(out, "limit", 1);
    else
        app_json_add_number(out, "limit", r->mean[r->hardest] < o.min ? o.min : o.max);
    app_json_close(out, '}');
}

void app_recommendation_write(const struct app_notebook *n, const ckg_recommendation *r, struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    /* The design. */
    app_json_open(out, NULL, '{');
    app_json_member(out, "parameters");
    app_design_write(d, r->x, out);

    /* What is predicted of it. */
    app_json_open(out, "objective", '{');
    app_json_add_number(out, "mean", r->mean[0]);
    app_json_add_number(out, "sd", r->sd[0]);
    app_json_close(out, '}');
    app_json_add_number(out, "utility", r->utility);
    app_json_add_number(out, "probability_feasible", r->probability_feasible);

    app_json_open(out, "constraints", '{');
    for (int j = 1; j <= app_constraints(d); j++) {
        app_json_open(out, app_outcome_name(d, j), '{');
        app_json_add_number(out, "mean", r->mean[j]);
        app_json_add_number(out, "sd", r->sd[j]);
        app_json_add_number(out, "probability", r->probability[j - 1]);
        app_json_close(out, '}');
    }
    app_json_close(out, '}');

    /* What it rests on. */
    app_json_add_integer(out, "evaluations", r->evaluations);
    add_best_evaluated(n, out);
    app_json_member(out, "trial");
    if (r->trial >= 0)
        app_text_print(out, "%d", r->trial + 1);
    else
        app_text_print(out, "null");
    add_hardest(d, r, out);
    app_json_close(out, '}');
}

void app_frontier_write(const struct app_notebook *n, double probability, const ckg_recommendation *r,
                        struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_number(out, "probability", probability);
    app_json_member(out, "recommendation");
    if (r)
        app_recommendation_write(n, r, out);
    else
        app_text_print(out, "null");
    app_json_close(out, '}');
}
