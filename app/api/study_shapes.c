/* A study as JSON: where it stands, its trials, what it recommends. */
#include "api/shapes.h"

#include "base/timestamp.h"
#include "actions/outage.h"

/* --- trials --- */

void app_trial_add(const struct app_definition *d, const struct app_trial *t, struct app_text *out)
{
    app_json_print(out, "trial:%d state:%s parameters:", t->number, app_state_name(t->state));
    app_design_write(d, t->x, out);

    app_json_member(out, "values");
    app_outcomes_write(d, app_trial_values(t), t->measured, out);
    app_json_print(out, "feasible:%i origin:%s chosen_by:%s reason:%s seconds:%g why:%s", t->feasible,
                   t->origin, t->chosen_by, t->reason, t->seconds, t->why);

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
    app_json_print(out, "starts:%d worker:%s log:%s answer:%s extra:", t->starts, t->evaluator, t->log,
                   t->answer);
    app_text_print(out, "%s", t->extra ? t->extra : "{}");
    app_json_add_string(out, "notes", t->notes);
}

/* --- where it stands --- */

/* The best trial that was measured feasible, as an object that is open; NULL: null. */
static const struct app_trial *open_best(const struct app_study *n, const char *key, struct app_text *out)
{
    const struct app_trial *best = app_study_best(n);

    if (best)
        app_json_print(out, "%s:{trial:%d", key, best->number);
    else
        app_json_add_string(out, key, NULL);
    return best;
}

/* The trial on one side of a change, null where there is none. */
static void add_side(const char *key, const struct app_trial *t, struct app_text *out)
{
    app_json_member(out, key);
    if (!t) {
        app_text_print(out, "null");
        return;
    }
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "state", app_state_name(t->state));
    app_json_member(out, "parameters");
    app_text_print(out, "%s", t->parameters);
    app_json_member(out, "values");
    app_text_print(out, "%s", t->outcomes ? t->outcomes : "{}");
    app_json_add_string(out, "why", t->why);
    app_json_add_string(out, "notes", t->notes);
    app_json_close(out, '}');
}

void app_trial_history_add(const struct app_trial_history *h, struct app_text *out)
{
    static const char *const keys[APP_SIDES] = {"before", "after", "put_aside"};
    char timestamp[32];

    app_json_open(out, "history", '[');
    for (int i = 0; i < h->count; i++) {
        const struct app_change *c = &h->touched[i].change;
        app_json_print(out, "{change:%d kind:%s command:%s who:%s made:%s", c->number, c->kind, c->command,
                       c->who, app_timestamp_utc(c->made, timestamp));
        app_json_print(out, "undone:%s undone_by:%s", app_timestamp_utc(c->undone, timestamp), c->undone_by);
        for (int side = 0; side < APP_SIDES; side++)
            add_side(keys[side], h->touched[i].side[side], out);
        app_json_close(out, '}');
    }
    app_json_close(out, ']');
}

void app_progress_add(const struct app_study *n, struct app_text *out)
{
    app_json_print(out, "budget:%g evaluations:%d", app_known(n->definition.budget), app_study_ended(n));
}

void app_best_feasible_add(const struct app_study *n, struct app_text *out)
{
    const struct app_trial *best = open_best(n, "best_feasible", out);

    if (best)
        app_json_print(out, "objective:%g}", app_trial_value(best, 0));
}

/* The failures in a row for which a run pauses, or null. */
static void add_pause(const struct app_study *n, struct app_text *out)
{
    struct app_outage outage;

    if (!app_outage_find(n, &outage)) {
        app_json_add_string(out, "outage", NULL);
        return;
    }
    app_json_print(out, "outage:{trials:[");
    for (int i = 0; i < n->count; i++)
        if (app_outage_has(&outage, &n->trials[i]))
            app_json_add_integer(out, NULL, n->trials[i].number);
    app_json_print(out, "] why:%s}", outage.why);
}

void app_pause_add(const struct app_pause *pause, struct app_text *out)
{
    char timestamp[32];

    if (pause->paused == APP_NOT_PAUSED)
        app_json_add_string(out, "paused_by_user", NULL);
    else
        app_json_print(out, "paused_by_user:{by:%s since:%s stopped:%i}", pause->by[0] ? pause->by : NULL,
                       app_timestamp_utc(pause->since, timestamp), pause->paused == APP_STOPPED);
}

void app_pause_write_study(const struct app_study *n, struct app_text *out)
{
    app_json_print(out, "{study:%s budget:%g", n->definition.name, app_known(n->definition.budget));
    app_pause_add(&n->pause, out);
    app_json_close(out, '}');
}

/* Those who are at work, with the trials that each evaluates. */
static void add_workers(const struct app_workers *workers, struct app_text *out)
{
    app_json_open(out, "workers", '[');
    for (int i = 0; i < workers->count; i++) {
        const struct app_member *m = &workers->member[i];

        app_json_print(out, "{worker:%lld host:%s process:%lld slots:%d labels:", (long long)m->id, m->host,
                       (long long)m->process, m->slots);
        app_text_print(out, "%s", m->labels ? m->labels : "[]");
        app_json_print(out, "alive:%i seconds:%g silent:%g trials:[", m->alive, m->age, m->silent);
        for (int k = 0; k < workers->assigned_count; k++)
            if (workers->assigned[k].worker == m->id)
                app_json_add_integer(out, NULL, workers->assigned[k].number);
        app_json_print(out, "]}");
    }
    app_json_close(out, ']');
}

/* Which trial is whose, and for how long without a further sign of it. */
static void add_leases(const struct app_workers *workers, struct app_text *out)
{
    app_json_open(out, "leases", '[');
    for (int i = 0; i < workers->assigned_count; i++)
        app_json_print(out, "{trial:%d worker:%lld left:%g}", workers->assigned[i].number,
                       (long long)workers->assigned[i].worker, workers->assigned[i].left);
    app_json_close(out, ']');
}

/* What its designs obey, where anything. */
static void add_rules(const ckg_problem *problem, struct app_text *out)
{
    if (!ckg_problem_rules(problem))
        return;
    app_json_open(out, "rules", '[');
    for (int i = 0; i < ckg_problem_rules(problem); i++)
        app_json_add_string(out, NULL, ckg_problem_rule(problem, i));
    app_json_close(out, ']');
}

void app_status_write(const struct app_study *n, const ckg_gain *gain, int stopped,
                      const struct app_workers *workers, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    int tally[APP_STATES];

    /* How far it is. */
    app_study_tally(n, tally);
    app_json_print(out, "{study:%s store:%s", d->name, n->url);
    app_progress_add(n, out);
    app_json_print(out, "complete:%d failed:%d running:%d pending:%d discarded:%d", tally[APP_COMPLETE],
                   tally[APP_FAILED_TRIAL], tally[APP_RUNNING], tally[APP_PENDING], tally[APP_DISCARDED]);
    if (ckg_problem_separate(d->problem) == 1)
        app_json_add_number(out, "spent", app_study_cost(n));

    /* How it chooses; a seed that the file does not give is drawn when the study begins. */
    app_json_print(out, "policy:%s seed:", d->policy);
    if (n->id || d->has_seed)
        app_text_print(out, "%llu", (unsigned long long)n->seed);
    else
        app_text_print(out, "null");
    add_rules(d->problem, out);

    app_best_feasible_add(n, out);
    add_pause(n, out);
    app_pause_add(&n->pause, out);

    /* What going on is expected to gain, and who is at work. */
    app_json_print(out, "expected_gain:{next:%g remaining:%g} stopped:%i", gain->next, gain->remaining,
                   stopped);
    add_workers(workers, out);
    add_leases(workers, out);
    app_json_print(out, "suggestions_per_minute:%g}", app_study_pace(n));
}

/* --- a changed problem --- */

static void add_integers(struct app_text *out, const char *key, int count, const int *numbers)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_integer(out, NULL, numbers[i]);
    app_json_close(out, ']');
}

void app_change_write(const struct app_changed *changed, struct app_text *out)
{
    app_json_print(out, "{changes:[");
    for (int i = 0; i < changed->difference.count; i++)
        app_json_add_string(out, NULL, changed->difference.line[i].data);
    app_json_close(out, ']');
    add_integers(out, "set_aside", changed->aside, changed->aside_number);
    add_integers(out, "taken_in", changed->back, changed->back_number);
    app_json_print(out, "feasible_before:%d feasible_after:%d}", changed->feasible_before,
                   changed->feasible_after);
}

void app_undone_write(const struct app_last_change *undone, struct app_text *out)
{
    char timestamp[32];

    app_json_print(out, "{change:%d command:%s who:%s made:%s left:%d problem:%i}", undone->number,
                   undone->command.data, undone->who.data, app_timestamp_utc(undone->made, timestamp),
                   undone->left - 1, undone->definition.length > 0);
}

/* --- the recommendation --- */

static void add_best_evaluated(const struct app_study *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = open_best(n, "best_evaluated", out);

    if (!best)
        return;
    app_json_member(out, "parameters");
    app_design_write(d, best->x, out);

    app_json_print(out, "objective:%g constraints:{", app_trial_value(best, 0));
    for (int j = 1; j <= app_constraints(d); j++)
        app_outcome_add(d, j, app_trial_value(best, j), out);
    app_json_print(out, "}}");
}

/* Where no design is likely to be feasible: the hardest limit, and how near to it one comes; else null. */
static void add_hardest(const struct app_definition *d, const ckg_recommendation *r, struct app_text *out)
{
    const int j = r->most_violated;
    const struct app_outcome o = app_outcome_at(d, j);

    if (!j)
        app_json_add_string(out, "most_violated", NULL);
    else if (o.yesno)
        app_json_print(out, "most_violated:{constraint:%s mean:%g sd:%g limit:%i}", o.name, r->mean[j],
                       r->sd[j], 1);
    else
        app_json_print(out, "most_violated:{constraint:%s mean:%g sd:%g limit:%g}", o.name, r->mean[j],
                       r->sd[j], r->mean[j] < o.min ? o.min : o.max);
}

void app_recommendation_write(const struct app_study *n, const ckg_recommendation *r, struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    /* The design, and what is predicted of it. */
    app_json_print(out, "{parameters:");
    app_design_write(d, r->x, out);
    app_json_print(out, "objective:{mean:%g sd:%g} utility:%g probability_feasible:%g constraints:{",
                   r->mean[0], r->sd[0], r->utility, r->probability_feasible);
    for (int j = 1; j <= app_constraints(d); j++)
        app_json_print(out, "%s:{mean:%g sd:%g probability:%g}", app_outcome_name(d, j), r->mean[j], r->sd[j],
                       r->probability[j - 1]);

    /* What it rests on. */
    app_json_print(out, "} evaluations:%d", r->evaluations);
    add_best_evaluated(n, out);
    app_json_print(out, "trial:%g", app_known(r->trial + 1));
    add_hardest(d, r, out);
    app_json_close(out, '}');
}

void app_frontier_write(const struct app_study *n, double probability, const ckg_recommendation *r,
                        struct app_text *out)
{
    app_json_print(out, "{probability:%g recommendation:", probability);
    if (r)
        app_recommendation_write(n, r, out);
    else
        app_text_print(out, "null");
    app_json_close(out, '}');
}

/* --- stores --- */

void app_study_seen_write(const struct app_study_seen *s, int budget, struct app_text *out)
{
    app_json_print(out, "{study:%s budget:%d complete:%d failed:%d running:%d pending:%d discarded:%d",
                   s->name, budget, s->complete, s->failed, s->running, s->pending, s->discarded);
    app_json_print(out, "created:%g last_result:%g}", s->created, s->ended);
}

void app_verification_write(const struct app_study *n, const struct app_verification *c, struct app_text *out)
{
    app_json_print(out, "{store:%s whole:%i trials:%d can_be_saved:%g findings:[", n->url, !c->damaged,
                   c->trials, c->unknown ? (double)NAN : n->count);
    for (int i = 0; i < c->count; i++) {
        const struct app_finding *f = &c->findings[i];
        app_json_print(out, "{part:%s number:%g damaged:%i text:%s}", f->part, app_known(f->number),
                       !f->harmless, f->text);
    }
    app_json_print(out, "]}");
}
