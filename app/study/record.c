/* The trials of a study: kept in step with its store, told to the engine. */
#include "study/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[APP_STATES] = {"pending", "running", "complete", "failed", "discarded"};

const char *app_state_name(enum app_state state)
{
    return state_names[state];
}

static int no_memory(struct app_message *message)
{
    return app_fail(message, CKG_ERR_NOMEM, "out of memory");
}

int app_notebook_fail(struct app_notebook *notebook, int status)
{
    return app_fail(notebook->message, status, "%s", ckg_error_message());
}

/* --- trials --- */

void app_trial_free(struct app_trial *t)
{
    free(t->x);
    free(t->measured);
    free(t->why);
    free(t->log);
    free(t->answer);
    free(t->extra);
    free(t->notes);
    free(t->chosen_by);
    free(t->reason);
    free(t->worker);
}

static json_t *read_object(struct app_notebook *n, int number, const char *text)
{
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object || !json_is_object(object)) {
        app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is damaged: %s", n->url, number,
                 object ? "not an object" : error.text);
        json_decref(object);
        return NULL;
    }
    return object;
}

static int read_design(struct app_notebook *n, const struct app_record *r, struct app_trial *t)
{
    struct app_message why;
    json_t *object = read_object(n, r->number, r->parameters);

    t->x = calloc((size_t)app_dimension(&n->definition), sizeof *t->x);
    if (!object || !t->x) {
        json_decref(object);
        return object ? no_memory(n->message) : CKG_ERR_SYSTEM;
    }
    /* One that was set aside may lie outside ranges that were changed since. */
    const int status = (t->state == APP_DISCARDED ? app_design_read_any
                                                  : app_design_read)(&n->definition, object, t->x, &why);
    app_wants_read(&n->definition, object, &t->wants);
    json_decref(object);
    return status ? app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is damaged: %s", n->url, r->number,
                             why.text)
                  : CKG_OK;
}

/* A complete trial has a value: nothing else is ever stored, and the engine would refuse it. */
static int check_told(const struct app_notebook *n, const struct app_trial *t)
{
    return t->state == APP_COMPLETE && !t->count
               ? app_fail(n->message, CKG_ERR_SYSTEM,
                          "%s: trial %d is damaged: it is complete without a value", n->url, t->number)
               : CKG_OK;
}

static int read_outcomes(struct app_notebook *n, const struct app_record *r, struct app_trial *t)
{
    struct app_message why;

    free(t->measured);
    t->measured = NULL;
    t->count = 0;
    t->kept = 0;
    t->feasible = -1;
    if (!r->outcomes)
        return check_told(n, t);
    json_t *object = read_object(n, r->number, r->outcomes);
    t->measured = calloc((size_t)app_constraints(&n->definition) + 1, sizeof *t->measured);
    if (!object || !t->measured) {
        json_decref(object);
        return object ? no_memory(n->message) : CKG_ERR_SYSTEM;
    }
    int *count = t->state == APP_DISCARDED ? &t->kept : &t->count;
    const int status = app_outcomes_read(&n->definition, object, t->measured, count, &why);
    json_decref(object);
    t->feasible = app_feasible(&n->definition, t->x, t->count, t->measured);
    return status ? app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is damaged: %s", n->url, r->number,
                             why.text)
                  : check_told(n, t);
}

static int replace_text(char **to, const char *from)
{
    free(*to);
    *to = from ? app_copy(from) : NULL;
    return !from || *to;
}

static int grow(struct app_notebook *n)
{
    if (n->count < n->capacity)
        return CKG_OK;
    const int capacity = 2 * n->capacity + 32;
    struct app_trial *trials = realloc(n->trials, (size_t)capacity * sizeof *trials);
    if (!trials)
        return no_memory(n->message);
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

static int same_design(int d, const double *a, const double *b)
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
static int still_holds(const struct app_notebook *n, const ckg_trial *known, const struct app_trial *t)
{
    const int state = engine_state(t->state);

    if (state == CKG_CANCELLED && (known->state == CKG_PENDING || known->state == CKG_CANCELLED))
        return 1;
    if (!same_design(app_dimension(&n->definition), known->x, t->x))
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
static const double *design_for_engine(const struct app_notebook *n, const struct app_trial *t)
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
static int tell_wants(const struct app_notebook *n, ckg_study *engine, int trial,
                      const struct app_wants *wants)
{
    int outcomes[1 + CKG_MAX_CONSTRAINTS];
    int count = 0;

    for (int j = 0; j <= app_constraints(&n->definition); j++)
        if (wants->has[j])
            outcomes[count++] = j;
    return wants->given && count ? ckg_study_want(engine, trial, count, outcomes) : CKG_OK;
}

int app_notebook_tell(struct app_notebook *n, ckg_study *engine, const struct app_trial *t)
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
    return status ? app_notebook_fail(n, status) : CKG_OK;
}

/* The engine hears of a trial; where it was told something else before, it will be made anew. */
static int tell_engine(struct app_notebook *n, const struct app_trial *t)
{
    ckg_trial known;

    if (!n->engine || n->stale)
        return CKG_OK;
    if (t->number <= ckg_study_trials(n->engine)) {
        const int status = ckg_study_trial(n->engine, t->number - 1, &known);

        if (status)
            return app_notebook_fail(n, status);
        n->stale = !still_holds(n, &known, t);
    }
    return n->stale ? CKG_OK : app_notebook_tell(n, n->engine, t);
}

static int read_state(struct app_notebook *n, const struct app_record *r, enum app_state *out)
{
    int state = 0;

    while (state < APP_STATES && strcmp(r->state, state_names[state]) != 0)
        state++;
    *out = (enum app_state)state;
    return state < APP_STATES
               ? CKG_OK
               : app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is damaged: its state is '%s'", n->url,
                          r->number, r->state);
}

/* Of the machine's name people know the first word; 0 without memory. */
static int read_worker(const char *evaluator, char **out)
{
    const char *process = evaluator ? strrchr(evaluator, ' ') : NULL;
    struct app_text name = {0};

    if (!process)
        return replace_text(out, NULL);
    app_text_print(&name, "%.*s%s", (int)strcspn(evaluator, " "), evaluator, process);
    free(*out);
    *out = name.data;
    return !name.failed;
}

/* All that a record says of its trial. */
static int read_trial(struct app_notebook *n, const struct app_record *r, struct app_trial *t)
{
    int status = read_state(n, r, &t->state);

    if (!status)
        status = read_design(n, r, t);
    if (status)
        return status;

    t->number = r->number;
    t->revision = r->revision;
    t->asked = r->asked;
    t->ended = r->ended;
    t->queued = r->queued;
    t->seconds = r->seconds;
    t->starts = r->starts;
    t->failures = r->failures;
    memset(t->origin, 0, sizeof t->origin);
    strncpy(t->origin, r->origin, sizeof t->origin - 1);

    const int copied = replace_text(&t->why, r->why) && replace_text(&t->log, r->log) &&
                       replace_text(&t->answer, r->answer) && replace_text(&t->extra, r->extra) &&
                       replace_text(&t->notes, r->notes) && replace_text(&t->chosen_by, r->chosen_by) &&
                       replace_text(&t->reason, r->reason) && read_worker(r->evaluator, &t->worker);
    return copied ? read_outcomes(n, r, t) : no_memory(n->message);
}

/*
 * Where outcomes are measured one at a time, whether a design is feasible follows from all its trials: those
 * with the design of this one say what they say together, the latest value of each outcome.
 */
static void join_facts(struct app_notebook *n, const struct app_trial *latest)
{
    ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    unsigned char known[1 + CKG_MAX_CONSTRAINTS] = {0};
    const int d = app_dimension(&n->definition);
    int count = 0;

    if (ckg_problem_separate(n->definition.problem) != 1)
        return;
    for (int i = n->count - 1; i >= 0; i--)
        for (int k = 0; same_design(d, n->trials[i].x, latest->x) && k < n->trials[i].count; k++)
            if (!known[n->trials[i].measured[k].outcome]++)
                facts[count++] = n->trials[i].measured[k];
    const int feasible = app_feasible(&n->definition, latest->x, count, facts);
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].state == APP_COMPLETE && same_design(d, n->trials[i].x, latest->x))
            n->trials[i].feasible = feasible;
}

int app_notebook_take(struct app_notebook *n, const struct app_record *r)
{
    struct app_trial fresh = {0};

    /* It is a trial already known, or the next one. */
    if (r->number < 1 || r->number > n->count + 1)
        return app_fail(n->message, CKG_ERR_SYSTEM,
                        "%s: the store is damaged: trial %d is missing; `ckg check` says what can be saved",
                        n->url, n->count + 1);

    /* What it says now, all of it: a trial may have been changed in any way. */
    int status = grow(n);
    if (!status)
        status = read_trial(n, r, &fresh);
    if (status) {
        app_trial_free(&fresh);
        return status;
    }
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

int app_notebook_salvage(struct app_notebook *n, const struct app_record *r)
{
    struct app_trial fresh = {0};
    int status = grow(n);

    if (!status)
        status = read_trial(n, r, &fresh);
    if (status)
        app_trial_free(&fresh);
    else
        n->trials[n->count++] = fresh;
    return status;
}

static int take_record(void *context, const struct app_record *record)
{
    return app_notebook_take(context, record);
}

/* Trials that were taken back are forgotten; a changed problem cannot be followed, another budget can. */
static int check_standing(struct app_notebook *n)
{
    struct app_standing standing;
    const int status = app_store_standing(n->store, n->study, &standing, n->message);

    if (status)
        return status;
    if (standing.redefined != n->redefined)
        return app_fail(n->message, CKG_ERR_STATE,
                        "%s: another program has changed the problem; run the same command again", n->url);
    for (; n->count > standing.last; n->stale = 1)
        app_trial_free(&n->trials[--n->count]);

    n->hold = standing.hold;
    if (standing.budget && standing.budget != n->definition.budget) {
        n->definition.budget = standing.budget;
        n->stale = 1; /* policies may look ahead to the end of it */
    }
    return CKG_OK;
}

int app_notebook_sync(struct app_notebook *n)
{
    if (!n->study)
        return CKG_OK;
    const int status = check_standing(n);
    return status ? status
                  : app_store_trials_since(n->store, n->study, n->revision, take_record, n, n->message);
}

/* --- the engine --- */

int app_notebook_new_engine(struct app_notebook *n, ckg_study **out)
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
    return status ? app_notebook_fail(n, status) : CKG_OK;
}

void app_notebook_set_interrupt(struct app_notebook *n, int (*interrupt)(void *), void *context)
{
    n->interrupt = interrupt;
    n->context = context;
    if (n->engine)
        ckg_study_set_interrupt(n->engine, interrupt, context);
}

int app_notebook_engine(struct app_notebook *n, ckg_study **out)
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
    int status = app_notebook_new_engine(n, &n->engine);
    for (int i = 0; !status && i < n->count; i++)
        status = app_notebook_tell(n, n->engine, &n->trials[i]);
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

double app_notebook_cost(const struct app_notebook *n)
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
static int spent_cost(const struct app_notebook *n)
{
    const double cost = app_notebook_cost(n);
    const int budget = n->definition.budget;

    if (budget && cost + cheapest(n->definition.problem) > budget * (1 + 1e-9))
        return cost > budget ? (int)ceil(cost) : budget;
    return (int)floor(cost);
}

int app_notebook_spent(const struct app_notebook *n)
{
    int tally[APP_STATES];

    if (ckg_problem_separate(n->definition.problem) == 1)
        return spent_cost(n);
    app_notebook_tally(n, tally);
    return n->count - tally[APP_DISCARDED];
}

int app_notebook_room(const struct app_notebook *n, int wanted)
{
    const int budget = n->definition.budget;
    const int spent = app_notebook_spent(n);

    if (!budget ||
        (ckg_problem_separate(n->definition.problem) == 1 ? spent < budget : spent + wanted <= budget))
        return CKG_OK;
    if (ckg_problem_separate(n->definition.problem) == 1)
        return app_fail(n->message, CKG_ERR_STATE,
                        "the budget of %d is spent: the trials cost %g already; raise %s", budget,
                        app_notebook_cost(n), n->file ? "`budget` in the problem file" : "the budget");
    const int left = budget > spent ? budget - spent : 0;
    return app_fail(n->message, CKG_ERR_STATE,
                    "%d more trial%s would exceed the budget of %d: %d %s left; raise %s", wanted,
                    wanted == 1 ? "" : "s", budget, left, left == 1 ? "is" : "are",
                    n->file ? "`budget` in the problem file" : "the budget");
}

void app_notebook_tally(const struct app_notebook *n, int tally[APP_STATES])
{
    memset(tally, 0, APP_STATES * sizeof *tally);
    for (int i = 0; i < n->count; i++)
        tally[n->trials[i].state]++;
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

double app_trial_told(const struct app_trial *t, int outcome)
{
    return value_among(t, t->state == APP_DISCARDED ? t->kept : t->count, outcome);
}

int app_trial_improves(const ckg_problem *problem, const struct app_trial *t, double best)
{
    return t->state == APP_COMPLETE && t->feasible == 1 &&
           ckg_problem_better(problem, app_trial_value(t, 0), best);
}

const struct app_trial *app_notebook_best(const struct app_notebook *n)
{
    const struct app_trial *best = NULL;

    for (int i = 0; i < n->count; i++) {
        const struct app_trial *t = &n->trials[i];

        if (app_trial_improves(n->definition.problem, t, best ? app_trial_value(best, 0) : NAN))
            best = t;
    }
    return best;
}
