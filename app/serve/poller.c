/*
 * The poller looks at every study twice a second: the store is asked for what has a higher revision than the
 * last that was seen, in one short reading, and what changed goes into the cache. Calls that need no models
 * are its own too.
 */
#include "serve/poller.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "api/shapes.h"
#include "serve/pages.h"

static const double interval = 0.4;

/* A definition that was changed has no revision, and a study that was in trouble may be well again. */
enum { LOOKS_BETWEEN_CHECKS = 5 };

/* A store of the command line. */
struct store_ref {
    const char *url;
    struct app_store *store; /* NULL: it could not be opened */
};

/* What the poller has of one study. */
struct study_state {
    struct app_api_study study;
    int index;             /* in the cache */
    struct store_ref *ref; /* where it is, or NULL: the notebook has its own store */
    int64_t revision;      /* of what is in the cache, with how many trials */
    int count;
    struct app_hold hold;
    int budget;
    int cached;        /* 1: something is */
    char trouble[256]; /* that is in the cache; empty: none */
};

struct poller {
    struct app_cache *cache;
    int files; /* of the command line */
    int stores;
    struct store_ref *store;
    int count;
    struct study_state *studies[APP_STUDIES_MOST];
    unsigned looks;
};

/* --- what goes into the cache --- */

static void free_update(struct app_study_update *u)
{
    for (int i = 0; i < u->changed; i++)
        free(u->lines[i].text);
    free(u->lines);
    free(u->at);
    for (int i = 0; i < APP_STUDY_TEXTS; i++)
        free(u->text[i]);
}

/* The trials that are newer than the revision, as lines. */
static int write_lines(const struct app_notebook *n, int64_t since, int first, struct app_study_update *u)
{
    u->lines = calloc((size_t)n->count + 1, sizeof *u->lines);
    u->at = calloc((size_t)n->count + 1, sizeof *u->at);
    if (!u->lines || !u->at)
        return 0;
    for (int i = 0; i < n->count; i++) {
        struct app_text line = {0};
        if (i < first && n->trials[i].revision <= since)
            continue;
        app_trial_write(&n->definition, &n->trials[i], &line);
        app_text_print(&line, "\n");
        if (line.failed) {
            app_text_free(&line);
            return 0;
        }
        u->at[u->changed] = i;
        u->lines[u->changed++] = (struct app_line){n->trials[i].revision, line.data};
    }
    return 1;
}

/* What a study is called that cannot be read. */
static const char *name_of(const struct app_study_place *place)
{
    return place->name ? place->name : place->file ? place->file : "a study";
}

/* Puts into the cache how the study stands. Without memory it is tried again at the next look. */
static void update(struct poller *poller, struct study_state *o, int anew, const char *trouble)
{
    const struct app_notebook *n = o->study.open ? &o->study.notebook : NULL;
    struct app_study_update u = {.anew = anew};
    const struct app_cached_study *cached = poller->cache->studies[o->index];
    const struct app_seen seen = {n, n ? n->definition.name : name_of(&cached->place), cached->id, trouble};
    int good = app_seen_write(&seen, u.text);

    if (n && good)
        good = write_lines(n, anew ? -1 : o->revision, anew ? 0 : o->count, &u);
    u.revision = n ? n->revision : o->revision;
    u.count = n ? n->count : o->count;
    good = good && !app_cache_update(poller->cache, o->index, &u);
    if (good) {
        o->cached = 1;
        o->revision = u.revision;
        o->count = u.count;
        o->hold = n ? n->hold : o->hold;
        o->budget = n ? n->definition.budget : o->budget;
        snprintf(o->trouble, sizeof o->trouble, "%.255s", trouble ? trouble : "");
    }
    free_update(&u);
}

/* --- looking --- */

/* Opens the study anew; what was open stays where that fails. */
static int open_study(struct poller *poller, struct study_state *o)
{
    const struct app_study_place *place = &poller->cache->studies[o->index]->place;
    struct app_notebook fresh;
    int status;

    if (o->ref && !o->ref->store)
        return app_fail(&o->study.message, CKG_ERR_SYSTEM, "the store cannot be read at the moment");
    status = o->ref ? app_notebook_look(&fresh, o->ref->store, o->ref->url, place->name, &o->study.message)
                    : app_notebook_open(&fresh, place, APP_STORED, &o->study.message);
    if (status)
        return status;
    app_api_close(&o->study);
    o->study.notebook = fresh;
    o->study.open = 1;
    return CKG_OK;
}

/* *changed: whether the store has another definition than what is open, or the study at last. */
static int check_definition(const struct study_state *o, int *changed)
{
    const struct app_notebook *n = &o->study.notebook;
    struct app_study_record record = {0};

    *changed = !n->study;
    if (!n->study)
        return CKG_OK;
    const int status = app_store_study_find(n->store, n->definition.name, &record, n->message);
    if (!status)
        *changed = !n->kept || strcmp(n->kept, record.definition) != 0;
    app_study_record_free(&record);
    return status;
}

/* Brings what is open up to date; CKG_ERR_STATE: it is to be opened anew. */
static int follow(const struct poller *poller, struct study_state *o)
{
    int changed = 0;
    int status = app_notebook_sync(&o->study.notebook);

    if (!status && poller->looks % LOOKS_BETWEEN_CHECKS == 0)
        status = check_definition(o, &changed);
    return status ? status : changed ? CKG_ERR_STATE : CKG_OK;
}

/* 1 when the study is not as it is in the cache. */
static int has_moved(const struct study_state *o, const struct app_notebook *n)
{
    return n->revision != o->revision || n->count != o->count || n->definition.budget != o->budget ||
           n->hold.held != o->hold.held || n->hold.stopped != o->hold.stopped ||
           strcmp(n->hold.by, o->hold.by) != 0;
}

static void look_at(struct poller *poller, struct study_state *o)
{
    const int due = poller->looks % LOOKS_BETWEEN_CHECKS == 0;
    const int64_t before = o->study.open ? o->study.notebook.study : -1;
    int status = o->study.open ? follow(poller, o) : CKG_ERR_SYSTEM;
    int anew = 0;

    /* Another problem, or a store that comes and goes: from the beginning, but not at every look. */
    if (status == CKG_ERR_STATE || (status && (due || !o->cached))) {
        status = open_study(poller, o);
        anew = !status && (before || o->study.notebook.study);
    } else if (status && !o->study.open)
        return;

    /* Whatever differs from what is in the cache. */
    const char *trouble = status ? o->study.message.text : "";
    const struct app_notebook *n = o->study.open ? &o->study.notebook : NULL;
    const int moved = n && has_moved(o, n);
    if (!o->cached || anew || moved || strncmp(trouble, o->trouble, sizeof o->trouble - 1) != 0)
        update(poller, o, anew, *trouble ? trouble : NULL);
}

/* --- studies --- */

/* A folder for each study of the cache that has none yet. */
static int add_states(struct poller *poller, struct store_ref *ref)
{
    while (poller->count < poller->cache->count) {
        struct study_state *o = calloc(1, sizeof *o);
        if (!o)
            return CKG_ERR_NOMEM;
        o->index = poller->count;
        o->study.id = poller->cache->studies[poller->count]->id;
        o->ref = ref;
        poller->studies[poller->count++] = o;
    }
    return CKG_OK;
}

/* A name that a store has. */
struct naming {
    struct poller *poller;
    struct store_ref *ref;
    struct app_message *message;
};

/*
 * The number of a study that is not in the cache yet, which is the same whenever the server is started in the
 * same way: by its id in the store, and the store's place on the command line. 0: any.
 */
static int number_of(const struct naming *naming, const char *name)
{
    const struct poller *poller = naming->poller;
    struct app_study_record record = {0};
    struct app_message unheard;
    const int found = !app_store_study_find(naming->ref->store, name, &record, &unheard);
    const int64_t words = poller->files + poller->stores;
    const int64_t number = (record.id - 1) * words + poller->files + (naming->ref - poller->store) + 1;

    app_study_record_free(&record);
    return found && number > 0 && number < 1000000000 ? (int)number : 0;
}

static int take_name(void *context, const char *name)
{
    const struct naming *naming = context;
    struct poller *poller = naming->poller;
    const struct app_study_place place = {.store = naming->ref->url, .name = name};

    for (int i = 0; i < poller->count; i++)
        if (poller->studies[i]->ref == naming->ref && !strcmp(poller->cache->studies[i]->place.name, name))
            return CKG_OK;
    const int status = app_cache_add(poller->cache, &place, number_of(naming, name), naming->message);
    return status ? status : add_states(poller, naming->ref);
}

/* Nothing of it is read any more until it can be opened again. */
static void clear_store(struct poller *poller, struct store_ref *ref)
{
    for (int i = 0; i < poller->count; i++)
        if (poller->studies[i]->ref == ref)
            app_api_close(&poller->studies[i]->study);
    if (ref->store)
        app_store_close(ref->store);
    ref->store = NULL;
}

/* The studies of a store, new ones too. */
static void look_through(struct poller *poller, struct store_ref *ref)
{
    struct app_message message;
    struct naming naming = {poller, ref, &message};
    int status = ref->store ? CKG_OK : app_store_open(&ref->store, ref->url, 0, &message);

    if (!status)
        status = app_store_study_names(ref->store, take_name, &naming, &message);
    if (status)
        clear_store(poller, ref);
}

/* --- the thread --- */

static void free_poller(struct poller *poller)
{
    for (int i = 0; i < poller->count; i++) {
        app_api_close(&poller->studies[i]->study);
        free(poller->studies[i]);
    }
    for (int i = 0; i < poller->stores; i++)
        if (poller->store[i].store)
            app_store_close(poller->store[i].store);
    free(poller->store);
    free(poller);
}

static struct poller *new_poller(const struct app_poller *options)
{
    struct poller *poller = calloc(1, sizeof *poller);

    if (!poller)
        return NULL;
    poller->cache = options->cache;
    poller->files = options->cache->count;
    poller->store = calloc((size_t)options->stores + 1, sizeof *poller->store);
    for (int i = 0; poller->store && i < options->stores; i++)
        poller->store[poller->stores++].url = options->store[i];

    /* The studies of problem files are in the cache already. */
    if (!poller->store || add_states(poller, NULL)) {
        free_poller(poller);
        return NULL;
    }
    return poller;
}

static void make_call(struct poller *poller, struct app_api_call *call)
{
    struct app_api_study *study = &poller->studies[call->study]->study;
    const int status = study->open ? app_action_call(call->action, study, call->in, &call->out)
                                   : CKG_ERR_SYSTEM;

    app_cache_done(poller->cache, call, study, status, 0);
}

void *app_poller_work(void *context)
{
    const struct app_poller *options = context;
    struct app_cache *cache = options->cache;
    struct poller *poller = new_poller(options);
    double next = 0;

    if (!poller)
        app_cache_stop(cache);
    while (!app_cache_is_stopping(cache)) {
        const double now = app_clock();
        if (app_cache_take_hurried(cache) || now >= next) {
            for (int i = 0; poller->looks % LOOKS_BETWEEN_CHECKS == 0 && i < poller->stores; i++)
                look_through(poller, &poller->store[i]);
            for (int i = 0; i < poller->count && !app_cache_is_stopping(cache); i++)
                look_at(poller, poller->studies[i]);
            if (!poller->looks++)
                app_cache_set_filled(cache);
            next = app_clock() + interval;
        }
        struct app_api_call *call = app_cache_next(cache, APP_LANE_QUICK, next > now ? next - now : 0);
        if (call)
            make_call(poller, call);
    }
    if (poller)
        free_poller(poller);
    return NULL;
}

/* --- before the threads --- */

int app_poller_begin(struct app_poller *poller, struct app_message *message)
{
    struct app_notebook notebook;
    struct app_store *store;
    int status = CKG_OK;

    /* Every file is a problem, every store is there. */
    for (int i = 0; !status && i < poller->cache->count; i++) {
        status = app_notebook_open(&notebook, &poller->cache->studies[i]->place, APP_STORED, message);
        if (!status)
            app_notebook_close(&notebook);
    }
    for (int i = 0; !status && i < poller->stores; i++) {
        status = app_store_open(&store, poller->store[i], 0, message);
        if (!status)
            app_store_close(store);
    }
    return status == CKG_ERR_NOT_FOUND ? CKG_ERR_INVALID : status;
}
