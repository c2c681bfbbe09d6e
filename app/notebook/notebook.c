/* The study of the command line: found, kept in step with its store, told to the engine. */
#include "notebook/notebook.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <unistd.h>

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

/* --- where it is --- */

static int make_url(struct app_notebook *n, const struct app_study_place *place)
{
    n->url = app_store_url(place->store, place->file);
    return n->url ? CKG_OK : no_memory(n->message);
}

/* The folder that the file is in, from the root. */
static int make_folder(struct app_notebook *n, const char *file)
{
    struct app_text folder = {0};
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];

    if (slash && slash != file)
        app_text_add(&folder, file, (size_t)(slash - file));
    else
        app_text_add(&folder, slash ? "/" : ".", 1);
    if (folder.failed)
        return no_memory(n->message);
    const char *real = realpath(folder.data, path);
    n->folder = real ? app_copy(path) : NULL;
    app_text_free(&folder);
    return n->folder ? CKG_OK : app_fail(n->message, CKG_ERR_SYSTEM, "%s: %s", file, strerror(errno));
}

static uint64_t random_seed(void)
{
    uint64_t seed = 0;
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const int got = file >= 0 && read(file, &seed, sizeof seed) == (ssize_t)sizeof seed;

    if (file >= 0)
        close(file);
    if (!got) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        seed = (uint64_t)t.tv_nsec * 1000003u + (uint64_t)t.tv_sec + (uint64_t)getpid();
    }
    return seed >> 11; /* below 2^53, so that every reader of JSON keeps it */
}

/* --- the record in the store --- */

/* The same problem as the store's, or one line that says what differs and what to do. */
static int check_same(struct app_notebook *n, const struct app_study_record *record)
{
    struct app_definition old;
    struct app_message difference;
    int status = app_definition_parse(&old, record->definition, strlen(record->definition),
                                      "the store's definition", n->message);

    if (status)
        return status;
    status = app_definition_same(&old, &n->definition, &difference);
    app_definition_free(&old);
    if (status)
        app_fail(n->message, status,
                 "%s: %.600s; a changed problem needs a new study: `ckg export --store '%s' --study '%s' "
                 ">old.csv`, change `name`,"
                 " then `ckg import %s old.csv`",
                 n->file, difference.text, n->url, n->definition.name, n->file);
    return status;
}

/* Makes the store's record follow the file. */
static int update_record(struct app_notebook *n, const struct app_study_record *old)
{
    struct app_text definition = {0};

    app_definition_write(&n->definition, n->seed, &definition);
    int status = definition.failed ? no_memory(n->message) : CKG_OK;
    if (!status && (strcmp(definition.data, old->definition) != 0 || strcmp(n->folder, old->folder) != 0 ||
                    n->seed != old->seed)) {
        const struct app_study_record record = {
            .id = old->id, .definition = definition.data, .folder = n->folder, .seed = n->seed};
        status = n->store->table->study_update(n->store, &record, n->message);
    }
    app_text_free(&definition);
    return status;
}

static int create_record(struct app_notebook *n, struct app_study_record *out)
{
    struct app_text definition = {0};
    const uint64_t seed = n->definition.has_seed ? n->definition.seed : random_seed();

    app_definition_write(&n->definition, seed, &definition);
    int status = definition.failed ? no_memory(n->message) : CKG_OK;
    if (!status) {
        const struct app_study_record record = {
            .name = n->definition.name, .definition = definition.data, .folder = n->folder, .seed = seed};
        status = n->store->table->study_create(n->store, &record, out, n->message);
    }
    app_text_free(&definition);
    return status;
}

/* A study given by its file. */
static int open_by_file(struct app_notebook *n, const char *file, enum app_access access)
{
    struct app_study_record record = {0};

    n->seed = n->definition.has_seed ? n->definition.seed : 1;
    int status = app_store_open(&n->store, n->url, access == APP_WRITE, n->message);
    if (!status)
        status = n->store->table->study_find(n->store, n->definition.name, &record, n->message);
    if (status == CKG_ERR_NOT_FOUND && access == APP_READ)
        return CKG_OK;
    if (status == CKG_ERR_NOT_FOUND && n->store)
        status = create_record(n, &record);
    if (!status) {
        n->file = app_copy(file);
        status = n->file ? check_same(n, &record) : no_memory(n->message);
    }
    if (!status) {
        n->study = record.id;
        n->redefined = record.redefined;
        n->seed = n->definition.has_seed ? n->definition.seed : record.seed;
        status = access == APP_WRITE ? update_record(n, &record) : CKG_OK;
    }
    app_study_record_free(&record);
    return status;
}

static int list_name(void *context, const char *name)
{
    struct app_text *names = context;
    app_text_print(names, "%s'%s'", names->length ? ", " : "", name);
    return CKG_OK;
}

/* A study given by its name. */
static int open_by_name(struct app_notebook *n, const char *name)
{
    struct app_study_record record = {0};
    struct app_text names = {0};
    int status = app_store_open(&n->store, n->url, 0, n->message);

    if (!status)
        status = n->store->table->study_find(n->store, name, &record, n->message);
    if (status == CKG_ERR_NOT_FOUND && n->store &&
        !n->store->table->study_names(n->store, list_name, &names, n->message))
        app_fail(n->message, status, "%s: there is no study '%s'%s%s", n->url, name,
                 names.length ? "; it has " : "", names.length ? names.data : "");
    app_text_free(&names);
    if (status)
        return status == CKG_ERR_NOT_FOUND ? CKG_ERR_INVALID : status;
    status = app_definition_parse(&n->definition, record.definition, strlen(record.definition),
                                  "the store's definition", n->message);
    n->study = record.id;
    n->redefined = record.redefined;
    n->seed = record.seed;
    n->folder = record.folder;
    record.folder = NULL;
    app_study_record_free(&record);
    return status;
}

int app_notebook_open(struct app_notebook *n, const struct app_study_place *place, enum app_access access,
                      struct app_message *message)
{
    *n = (struct app_notebook){.message = message};
    int status = CKG_OK;
    if (place->file) {
        status = app_definition_read(&n->definition, place->file, message);
        if (!status)
            status = make_folder(n, place->file);
    }
    if (!status)
        status = make_url(n, place);
    if (!status)
        status = place->file ? open_by_file(n, place->file, access) : open_by_name(n, place->name);
    if (!status)
        status = app_notebook_sync(n);
    if (status)
        app_notebook_close(n);
    return status;
}

static void free_trial(struct app_trial *t)
{
    free(t->x);
    free(t->measured);
    free(t->why);
    free(t->log);
    free(t->answer);
    free(t->extra);
    free(t->notes);
}

void app_notebook_close(struct app_notebook *n)
{
    for (int i = 0; i < n->count; i++)
        free_trial(&n->trials[i]);
    free(n->trials);
    ckg_study_free(n->engine);
    if (n->store)
        n->store->table->close(n->store);
    app_definition_free(&n->definition);
    free(n->folder);
    free(n->url);
    free(n->file);
    *n = (struct app_notebook){.message = n->message};
}

/* --- trials --- */

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
    const int status = app_design_read(&n->definition, object, t->x, &why);
    json_decref(object);
    return status ? app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is damaged: %s", n->url, r->number,
                             why.text)
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
        return CKG_OK;
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
                  : CKG_OK;
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

int app_notebook_tell(struct app_notebook *n, ckg_study *engine, const struct app_trial *t)
{
    const int index = t->number - 1;
    ckg_trial known;
    int status = CKG_OK;
    int given;

    if (index >= ckg_study_trials(engine))
        status = ckg_study_add(engine, t->x, &given);
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
                       replace_text(&t->notes, r->notes);
    return copied ? read_outcomes(n, r, t) : no_memory(n->message);
}

static int take_record(void *context, const struct app_record *r)
{
    struct app_notebook *n = context;
    struct app_trial fresh = {0};

    /* It is a trial already known, or the next one. */
    if (r->number < 1 || r->number > n->count + 1)
        return app_fail(n->message, CKG_ERR_SYSTEM, "%s: trial %d is missing", n->url, n->count + 1);

    /* What it says now, all of it: a trial may have been changed in any way. */
    int status = grow(n);
    if (!status)
        status = read_trial(n, r, &fresh);
    if (status) {
        free_trial(&fresh);
        return status;
    }
    if (r->number > n->count)
        n->count++;
    else
        free_trial(&n->trials[r->number - 1]);
    n->trials[r->number - 1] = fresh;

    /* The engine hears of it too. */
    status = tell_engine(n, &fresh);

    /* The next sync starts from here. */
    if (!status && r->revision > n->revision)
        n->revision = r->revision;
    return status;
}

/* Trials that were taken back are forgotten; a changed problem cannot be followed. */
static int check_standing(struct app_notebook *n)
{
    int64_t redefined;
    int last;
    const int status = n->store->table->standing(n->store, n->study, &last, &redefined, n->message);

    if (status)
        return status;
    if (redefined != n->redefined)
        return app_fail(n->message, CKG_ERR_STATE,
                        "%s: another program has changed the problem; run the same command again", n->url);
    for (; n->count > last; n->stale = 1)
        free_trial(&n->trials[--n->count]);
    return CKG_OK;
}

int app_notebook_sync(struct app_notebook *n)
{
    if (!n->study)
        return CKG_OK;
    const int status = check_standing(n);
    return status
               ? status
               : n->store->table->trials_since(n->store, n->study, n->revision, take_record, n, n->message);
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
    const int status = ckg_study_new(out, d->problem, &options);
    return status ? app_notebook_fail(n, status) : CKG_OK;
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

/* --- suggesting --- */

int app_notebook_turn(struct app_notebook *n)
{
    int taken = 0;
    int status = CKG_OK;

    for (int wait = 0; !status && !taken && wait < 6000; wait++) {
        if (wait)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        status = n->store->table->turn_take(n->store, n->study, &taken, n->message);
    }
    if (!status && !taken)
        status = app_fail(n->message, CKG_ERR_SYSTEM,
                          "%s: another program has been choosing a design for a minute; try again", n->url);
    return status ? status : app_notebook_sync(n);
}

void app_notebook_turn_give(struct app_notebook *n)
{
    n->store->table->turn_give(n->store, n->study);
}

int app_notebook_suggest(struct app_notebook *n, int64_t worker, ckg_suggestion **out, int *number)
{
    ckg_study *engine;
    struct app_text design = {0};
    const int due = app_notebook_due(n);

    /* The user's own designs come first. */
    *out = NULL;
    if (due >= 0)
        return app_notebook_add(n, n->definition.own + (size_t)due * (size_t)app_dimension(&n->definition),
                                worker, worker != 0, number);

    /* The engine chooses a design. */
    int status = app_notebook_engine(n, &engine);
    if (status)
        return status;
    status = ckg_study_ask(engine, out);
    if (status)
        return app_notebook_fail(n, status);

    /* The store records it as a trial, held by the worker if there is one. */
    app_design_write(&n->definition, (*out)->x, &design);
    const struct app_record record = {.state = worker ? "running" : "pending",
                                      .origin = !strcmp((*out)->path, "design") ? "design" : "policy",
                                      .queued = worker != 0,
                                      .parameters = design.data,
                                      .seconds = NAN,
                                      .starts = worker != 0};
    status = design.failed
                 ? no_memory(n->message)
                 : n->store->table->add(n->store, n->study, n->count + 1, 1, &record, worker, n->message);
    app_text_free(&design);

    /* The notebook reads it back, and so knows its number. */
    if (!status)
        status = app_notebook_sync(n);
    *number = n->count;

    /* Nothing was suggested unless it was recorded. */
    if (status) {
        ckg_suggestion_free(*out);
        *out = NULL;
    }
    return status;
}

/* --- at a glance --- */

int app_notebook_spent(const struct app_notebook *n)
{
    int tally[APP_STATES];

    app_notebook_tally(n, tally);
    return n->count - tally[APP_DISCARDED];
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
