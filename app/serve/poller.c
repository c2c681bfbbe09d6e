/*
 * The poller looks at every study twice a second: the store is asked for what has a higher revision than the
 * last that was seen, in one short reading, and what changed goes into the cache. Calls that need no models
 * are its own too.
 */
#include "serve/poller.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/page_parts.h"

static const double interval = 0.4;

/* A definition that was changed has no revision, and a study that was in trouble may be well again. */
enum { LOOKS_BETWEEN_CHECKS = 5 };

/* A store of the command line. */
struct store_ref {
    const char *url;
    struct app_store *store; /* NULL: it could not be opened */
};

/* A study of the cache, by its index there. */
struct followed {
    struct app_api_study study;
    struct store_ref *ref; /* where it is, or NULL: the record has its own store */
};

struct poller {
    struct app_cache *cache;
    int files; /* of the command line */
    int stores;
    struct store_ref *store;
    struct followed studies[APP_STUDIES_MOST];
    unsigned looks;
};

static struct app_cached_study *cached_at(const struct poller *poller, const struct followed *f)
{
    return poller->cache->studies[f - poller->studies];
}

/* --- looking --- */

/* Opens the study anew; what was open stays where that fails. */
static int open_study(const struct poller *poller, struct followed *f)
{
    struct app_study_address place = cached_at(poller, f)->place;
    struct app_study fresh;

    if (f->ref && !f->ref->store)
        return app_fail(&f->study.message, CKG_ERR_SYSTEM, "the store cannot be read at the moment");
    place.shared = f->ref ? f->ref->store : NULL;
    const int status = app_study_open(&fresh, &place, APP_LOOK, &f->study.message);
    if (status)
        return status;
    app_api_close(&f->study);
    f->study.record = fresh;
    f->study.open = 1;
    return CKG_OK;
}

/* *changed: whether the store has another definition than what is open, or the study at last. */
static int check_definition(const struct followed *f, int *changed)
{
    const struct app_study *n = &f->study.record;
    struct app_study_record record = {0};

    *changed = !n->id;
    if (!n->id)
        return CKG_OK;
    const int status = app_store_study_find(n->store, n->definition.name, &record, n->message);
    if (!status)
        *changed = !n->stored || strcmp(n->stored, record.definition) != 0;
    app_study_record_free(&record);
    return status;
}

/* Brings what is open up to date; CKG_ERR_STATE: it is to be opened anew. */
static int follow(const struct poller *poller, struct followed *f)
{
    int changed = 0;
    int status = f->study.open ? app_study_sync(&f->study.record) : CKG_ERR_SYSTEM;

    if (!status && poller->looks % LOOKS_BETWEEN_CHECKS == 0)
        status = check_definition(f, &changed);
    return status ? status : changed ? CKG_ERR_STATE : CKG_OK;
}

/* What a study is called that could never be read. */
static const char *name_of(const struct app_study_address *place)
{
    return place->name ? place->name : place->file ? place->file : "a study";
}

/* Puts into the cache how the study stands. Without memory it is tried again at the next look. */
static void look_at(const struct poller *poller, struct followed *f)
{
    const struct app_cached_study *p = cached_at(poller, f);
    const int64_t before = f->study.open ? f->study.record.id : -1;
    struct app_text summary = {0};
    int status = follow(poller, f);
    int anew = 0;

    /* Another problem, or a store that comes and goes: from the beginning, but not at every look. */
    if (status == CKG_ERR_STATE || !p->version || (status && poller->looks % LOOKS_BETWEEN_CHECKS == 0)) {
        status = open_study(poller, f);
        anew = !status && (before || f->study.record.id);
    } else if (status && !f->study.open)
        return;

    const struct app_study *n = f->study.open ? &f->study.record : NULL;
    struct app_study_update update = {.name = n ? n->definition.name : name_of(&p->place), .record = n};
    app_summary_write(p, n, update.name, status ? f->study.message.text : NULL, &summary);
    update.summary = summary.data;
    update.anew = anew;
    if (!summary.failed)
        app_cache_update(poller->cache, (int)(f - poller->studies), &update);
    app_text_free(&summary);
}

/* --- studies --- */

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
    const int next = poller->cache->count;
    const struct app_study_address place = {.store = naming->ref->url, .name = name};

    for (int i = 0; i < next; i++)
        if (poller->studies[i].ref == naming->ref && !strcmp(poller->cache->studies[i]->place.name, name))
            return CKG_OK;
    const int status = app_cache_add(poller->cache, &place, number_of(naming, name), naming->message);
    if (!status)
        poller->studies[next].ref = naming->ref;
    return status;
}

/* Nothing of it is read any more until it can be opened again. */
static void clear_store(struct poller *poller, struct store_ref *ref)
{
    for (int i = 0; i < poller->cache->count; i++)
        if (poller->studies[i].ref == ref)
            app_api_close(&poller->studies[i].study);
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
    for (int i = 0; i < poller->cache->count; i++)
        app_api_close(&poller->studies[i].study);
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
    if (poller->store)
        return poller;
    free_poller(poller);
    return NULL;
}

static void look_at_everything(struct poller *poller)
{
    for (int i = 0; poller->looks % LOOKS_BETWEEN_CHECKS == 0 && i < poller->stores; i++)
        look_through(poller, &poller->store[i]);
    for (int i = 0; i < poller->cache->count && !poller->cache->stopping; i++)
        look_at(poller, &poller->studies[i]);
    poller->looks++;
    app_cache_set_looked(poller->cache, interval);
}

static void make_call(struct poller *poller, struct app_api_call *call)
{
    struct app_api_study *study = &poller->studies[call->study].study;
    const int status = study->open ? app_action_call(call->action, study, call->in, &call->out)
                                   : CKG_ERR_SYSTEM;

    app_cache_done(poller->cache, call, study, status, 0);
}

void *app_poller_work(void *context)
{
    const struct app_poller *options = context;
    struct app_cache *cache = options->cache;
    struct poller *poller = new_poller(options);

    if (!poller)
        app_cache_stop(cache);
    while (!cache->stopping) {
        struct app_api_call *call = app_cache_next(cache, APP_LANE_QUICK);
        if (call)
            make_call(poller, call);
        else
            look_at_everything(poller);
    }
    if (poller)
        free_poller(poller);
    return NULL;
}

/* --- before the threads --- */

int app_poller_begin(struct app_poller *poller, struct app_message *message)
{
    struct app_study record;
    struct app_store *store;
    int status = CKG_OK;

    /* Every file is a problem, every store is there. */
    for (int i = 0; !status && i < poller->cache->count; i++) {
        status = app_study_open(&record, &poller->cache->studies[i]->place, APP_LOOK, message);
        if (!status)
            app_study_close(&record);
    }
    for (int i = 0; !status && i < poller->stores; i++) {
        status = app_store_open(&store, poller->store[i], 0, message);
        if (!status)
            app_store_close(store);
    }
    return status == CKG_ERR_NOT_FOUND ? CKG_ERR_INVALID : status;
}
