/* The trials of a study: kept in step with its store, told to the engine. */
#include "study/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int app_study_fail(struct app_study *record, int status)
{
    return app_fail(record->message, status, "%s", ckg_error_message());
}

/* --- trials --- */

static int grow(struct app_study *n)
{
    if (n->count < n->capacity)
        return CKG_OK;
    const int capacity = 2 * n->capacity + 32;
    struct app_trial *trials = realloc(n->trials, (size_t)capacity * sizeof *trials);
    if (!trials)
        return app_no_memory(n->message);
    n->trials = trials;
    n->capacity = capacity;
    return CKG_OK;
}

/* The engine's word for the state. */
static int engine_state(enum app_state state)
{
    static const int states[APP_STATES] = {[APP_PENDING] = CKG_PENDING,
                                           [APP_RUNNING] = CKG_PENDING,
                                           [APP_COMPLETE] = CKG_COMPLETE,
                                           [APP_FAILED_TRIAL] = CKG_FAILED,
                                           [APP_DISCARDED] = CKG_CANCELLED};

    return states[state];
}

int app_same_design(int d, const double *a, const double *b)
{
    int same = 1;

    for (int i = 0; same && i < d; i++)
        same = a[i] == b[i];
    return same;
}

static int same_values(int count, const ckg_measurement *a, const ckg_measurement *b)
{
    for (int i = 0; i < count; i++)
        if (a[i].outcome != b[i].outcome || a[i].value != b[i].value || a[i].sd != b[i].sd)
            return 0;
    return 1;
}

/* 1 when what the engine knows of the trial is true, or only waits for a result. */
static int still_holds(const struct app_study *n, const ckg_trial *known, const struct app_trial *t)
{
    const int state = engine_state(t->state);

    if (state == CKG_CANCELLED && (known->state == CKG_PENDING || known->state == CKG_CANCELLED))
        return 1;
    if (!app_same_design(app_dimension(&n->definition), known->x, t->x))
        return 0;
    if (known->state == CKG_PENDING)
        return 1;
    return known->state == state && known->count == t->count &&
           same_values(t->count, known->measured, t->measured);
}

/*
 * A design for the engine: a discarded trial keeps its place among the trials, but its own design may lie
 * outside of what the problem allows now. Any other does as well, for the engine looks at none of it.
 */
static const double *design_for_engine(const struct app_study *n, const struct app_trial *t)
{
    const ckg_problem *problem = n->definition.problem;

    if (t->state != APP_DISCARDED || !ckg_problem_check_design(problem, t->x))
        return t->x;
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].state != APP_DISCARDED || !ckg_problem_check_design(problem, n->trials[i].x))
            return n->trials[i].x;
    return t->x;
}

/* What the trial is to measure. */
static int tell_wants(const struct app_study *n, ckg_study *engine, int trial, const struct app_wants *wants)
{
    int outcomes[1 + CKG_MAX_CONSTRAINTS];
    int count = 0;

    for (int j = 0; j <= app_constraints(&n->definition); j++)
        if (wants->has[j])
            outcomes[count++] = j;
    return wants->given && count ? ckg_study_want(engine, trial, count, outcomes) : CKG_OK;
}

int app_study_tell(struct app_study *n, ckg_study *engine, const struct app_trial *t)
{
    const int index = t->number - 1;
    ckg_trial known;
    int status = CKG_OK;
    int given;

    if (index >= ckg_study_trials(engine)) {
        status = ckg_study_add(engine, design_for_engine(n, t), &given);
        if (!status)
            status = tell_wants(n, engine, index, &t->wants);
    }
    if (!status)
        status = ckg_study_trial(engine, index, &known);
    if (!status && known.state == CKG_PENDING && t->state == APP_COMPLETE)
        status = ckg_study_tell_measured(engine, index, t->count, t->measured);
    if (!status && known.state == CKG_PENDING && t->state == APP_FAILED_TRIAL)
        status = ckg_study_tell_failed(engine, index);
    if (!status && known.state == CKG_PENDING && t->state == APP_DISCARDED)
        status = ckg_study_cancel(engine, index);
    return status ? app_study_fail(n, status) : CKG_OK;
}

/* The engine hears of a trial; where it was told something else before, it will be made anew. */
static int tell_engine(struct app_study *n, const struct app_trial *t)
{
    ckg_trial known;

    if (!n->engine || n->stale)
        return CKG_OK;
    if (t->number <= ckg_study_trials(n->engine)) {
        const int status = ckg_study_trial(n->engine, t->number - 1, &known);

        if (status)
            return app_study_fail(n, status);
        n->stale = !still_holds(n, &known, t);
    }
    return n->stale ? CKG_OK : app_study_tell(n, n->engine, t);
}

/* The record as a trial of this study. */
static int decode(struct app_study *n, const struct app_trial *trial, struct app_trial *out)
{
    struct app_message why;
    const int status = app_trial_decode(&n->definition, trial, out, &why);

    if (status == CKG_ERR_NOMEM)
        return app_no_memory(n->message);
    return status
               ? app_fail(n->message, status, "%s: trial %d is damaged: %s", n->url, trial->number, why.text)
               : CKG_OK;
}

/*
 * Where outcomes are measured one at a time, whether a design is feasible follows from all its trials: those
 * with the design of this one say what they say together, the latest value of each outcome.
 */
static void join_facts(struct app_study *n, const struct app_trial *latest)
{
    ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    unsigned char known[1 + CKG_MAX_CONSTRAINTS] = {0};
    const int d = app_dimension(&n->definition);
    int count = 0;

    if (ckg_problem_separate(n->definition.problem) != 1)
        return;
    for (int i = n->count - 1; i >= 0; i--)
        for (int k = 0; app_same_design(d, n->trials[i].x, latest->x) && k < n->trials[i].count; k++)
            if (!known[n->trials[i].measured[k].outcome]++)
                facts[count++] = n->trials[i].measured[k];
    const int feasible = app_feasible(&n->definition, latest->x, count, facts);
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].state == APP_COMPLETE && app_same_design(d, n->trials[i].x, latest->x))
            n->trials[i].feasible = feasible;
}

int app_study_take(struct app_study *n, const struct app_trial *r)
{
    struct app_trial fresh;

    /* It is a trial already known, or the next one. */
    if (r->number < 1 || r->number > n->count + 1)
        return app_fail(n->message, CKG_ERR_SYSTEM,
                        "%s: the store is damaged: trial %d is missing; `ckg check` says what can be saved",
                        n->url, n->count + 1);

    /* What it says now, all of it: a trial may have been changed in any way. */
    int status = grow(n);
    if (!status)
        status = decode(n, r, &fresh);
    if (status)
        return status;
    if (r->number > n->count)
        n->count++;
    else
        app_trial_free(&n->trials[r->number - 1]);
    n->trials[r->number - 1] = fresh;

    /* The engine hears of it too. */
    join_facts(n, &fresh);
    status = tell_engine(n, &n->trials[r->number - 1]);

    /* The next sync starts from here. */
    if (!status && r->revision > n->revision)
        n->revision = r->revision;
    return status;
}

int app_study_salvage(struct app_study *n, const struct app_trial *r)
{
    int status = grow(n);

    if (!status)
        status = decode(n, r, &n->trials[n->count]);
    n->count += !status;
    return status;
}

static int take_record(void *context, const struct app_trial *trial)
{
    return app_study_take(context, trial);
}

/* Trials that were taken back are forgotten; a changed problem cannot be followed, another budget can. */
static int check_standing(struct app_study *n)
{
    struct app_study_state standing;
    const int status = app_store_study_state(n->store, n->id, &standing, n->message);

    if (status)
        return status;
    if (standing.redefined != n->redefined)
        return app_fail(n->message, CKG_ERR_STATE,
                        "%s: another program has changed the problem; run the same command again", n->url);
    for (; n->count > standing.last; n->stale = 1)
        app_trial_free(&n->trials[--n->count]);

    n->pause = standing.pause;
    if (standing.budget && standing.budget != n->definition.budget) {
        n->definition.budget = standing.budget;
        n->stale = 1; /* policies may look ahead to the end of it */
    }
    return CKG_OK;
}

int app_study_sync(struct app_study *n)
{
    if (!n->id)
        return CKG_OK;
    const int status = check_standing(n);
    return status ? status : app_store_trials_since(n->store, n->id, n->revision, take_record, n, n->message);
}

/* --- the engine --- */

int app_study_new_engine(struct app_study *n, ckg_study **out)
{
    const struct app_definition *d = &n->definition;
    ckg_options options = CKG_OPTIONS_INIT;

    options.policy = d->policy;
    options.settings_count = d->settings_count;
    options.settings = d->settings;
    options.seed = n->seed;
    options.threads = n->threads;
    options.initial = d->initial;
    options.failures = d->failures;
    options.budget = d->budget;
    app_model_apply(d, &options);
    int status = ckg_study_new(out, d->problem, &options);
    if (!status && n->interrupt)
        status = ckg_study_set_interrupt(*out, n->interrupt, n->context);
    return status ? app_study_fail(n, status) : CKG_OK;
}

void app_study_set_interrupt(struct app_study *n, int (*interrupt)(void *), void *context)
{
    n->interrupt = interrupt;
    n->context = context;
    if (n->engine)
        ckg_study_set_interrupt(n->engine, interrupt, context);
}

int app_study_engine(struct app_study *n, ckg_study **out)
{
    /* What holds no longer is forgotten with all that was thought about it. */
    if (n->stale) {
        ckg_study_free(n->engine);
        n->engine = NULL;
        n->stale = 0;
    }
    *out = n->engine;
    if (n->engine)
        return CKG_OK;

    /* Models follow from trials and seed alone, so an engine made now knows what one made earlier would. */
    int status = app_study_new_engine(n, &n->engine);
    for (int i = 0; !status && i < n->count; i++)
        status = app_study_tell(n, n->engine, &n->trials[i]);
    if (status) {
        ckg_study_free(n->engine);
        n->engine = NULL;
    }
    *out = n->engine;
    return status;
}

/* --- at a glance --- */

double app_trial_cost(const struct app_definition *d, const struct app_trial *t)
{
    struct app_wants all = t->wants;

    if (ckg_problem_separate(d->problem) != 1)
        return NAN;
    if (t->state == APP_DISCARDED)
        return 0;

    /* What was measured of one that nobody asked for, or beyond what was asked for. */
    all.given = t->wants.given || t->count;
    for (int i = 0; i < t->count; i++)
        all.has[t->measured[i].outcome] = 1;
    return app_wants_cost(d, &all);
}

double app_study_cost(const struct app_study *n)
{
    double sum = ckg_problem_separate(n->definition.problem) == 1 ? 0 : NAN;

    for (int i = 0; i < n->count; i++)
        sum += app_trial_cost(&n->definition, &n->trials[i]);
    return sum;
}

/* What the cheapest step costs: an outcome, or a group. */
static double cheapest(const ckg_problem *p)
{
    double least = INFINITY;

    for (int j = 0; j <= ckg_problem_constraints(p); j++) {
        double cost = ckg_problem_cost(p, j);
        for (int k = 0; ckg_problem_group(p, j) >= 0 && k <= ckg_problem_constraints(p); k++)
            cost += k != j && ckg_problem_group(p, k) == ckg_problem_group(p, j) ? ckg_problem_cost(p, k) : 0;
        least = fmin(least, cost);
    }
    return least;
}

/* The same in whole units of cost. */
static int spent_cost(const struct app_study *n)
{
    const double cost = app_study_cost(n);
    const int budget = n->definition.budget;

    if (budget && cost + cheapest(n->definition.problem) > budget * (1 + 1e-9))
        return cost > budget ? (int)ceil(cost) : budget;
    return (int)floor(cost);
}

int app_study_spent(const struct app_study *n)
{
    int tally[APP_STATES];

    if (ckg_problem_separate(n->definition.problem) == 1)
        return spent_cost(n);
    app_study_tally(n, tally);
    return n->count - tally[APP_DISCARDED];
}

int app_study_room(const struct app_study *n, int wanted)
{
    const int budget = n->definition.budget;
    const int spent = app_study_spent(n);

    if (!budget ||
        (ckg_problem_separate(n->definition.problem) == 1 ? spent < budget : spent + wanted <= budget))
        return CKG_OK;
    if (ckg_problem_separate(n->definition.problem) == 1)
        return app_fail(n->message, CKG_ERR_STATE,
                        "the budget of %d is spent: the trials cost %g already; raise %s", budget,
                        app_study_cost(n), n->file ? "`budget` in the problem file" : "the budget");
    const int left = budget > spent ? budget - spent : 0;
    return app_fail(n->message, CKG_ERR_STATE,
                    "%d more trial%s would exceed the budget of %d: %d %s left; raise %s", wanted,
                    wanted == 1 ? "" : "s", budget, left, left == 1 ? "is" : "are",
                    n->file ? "`budget` in the problem file" : "the budget");
}

void app_study_tally(const struct app_study *n, int tally[APP_STATES])
{
    memset(tally, 0, APP_STATES * sizeof *tally);
    for (int i = 0; i < n->count; i++)
        tally[n->trials[i].state]++;
}

int app_trial_ended(const struct app_trial *t)
{
    return t->state == APP_COMPLETE || t->state == APP_FAILED_TRIAL;
}

int app_study_ended(const struct app_study *n)
{
    int ended = 0;

    for (int i = 0; i < n->count; i++)
        ended += app_trial_ended(&n->trials[i]);
    return ended;
}

/* Among its first `count` values. */
static double value_among(const struct app_trial *t, int count, int outcome)
{
    for (int i = 0; i < count; i++)
        if (t->measured[i].outcome == outcome)
            return t->measured[i].value;
    return NAN;
}

double app_trial_value(const struct app_trial *t, int outcome)
{
    return value_among(t, t->count, outcome);
}

double app_trial_measured(const struct app_trial *t, int outcome)
{
    return value_among(t, app_trial_values(t), outcome);
}

int app_trial_improves(const ckg_problem *problem, const struct app_trial *t, double best)
{
    return t->state == APP_COMPLETE && t->feasible == 1 &&
           ckg_problem_better(problem, app_trial_value(t, 0), best);
}

const struct app_trial *app_study_best(const struct app_study *n)
{
    const struct app_trial *best = NULL;

    for (int i = 0; i < n->count; i++) {
        const struct app_trial *t = &n->trials[i];

        if (app_trial_improves(n->definition.problem, t, best ? app_trial_value(best, 0) : NAN))
            best = t;
    }
    return best;
}
