/*
 * The lanes of calls. One thread makes what needs models, one call after the other, from a few studies that
 * it keeps open; it gives way to whatever else the machine has to do. Several make changes, each of them one
 * short transaction in a study that is opened for it: one may have to wait until a run has chosen its next
 * design. All stop when nobody waits for the result any more.
 */
#include "serve/calls.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "serve/cache.h"

/* The call that is being made. */
struct lane {
    struct app_cache *cache;
    struct app_api_call *call;
};

static int is_unwanted(void *context)
{
    const struct lane *lane = context;

    return app_cache_is_unwanted(lane->cache, lane->call);
}

static int open_study(struct lane *lane, struct app_api_study *study)
{
    const struct app_cached_study *cached = lane->cache->studies[lane->call->study];
    const int status = app_study_open(&study->record, &cached->place, APP_LOOK, &study->message);

    if (status)
        return status;
    study->open = 1;
    study->from = "ckg serve";
    snprintf(study->trials_at, sizeof study->trials_at, "/study/%d/trial/", cached->id);
    app_study_set_interrupt(&study->record, is_unwanted, lane);
    return CKG_OK;
}

/* --- models --- */

/* A study that is kept open, as it was at that version. */
struct slot {
    struct app_api_study study;
    int index; /* in the cache */
    int generation;
    uint64_t version;
    double used;
};

enum { SLOTS = 4 };

/* The slot with that study, or the one that was used longest ago. */
static struct slot *choose_slot(struct slot *slots, int index)
{
    struct slot *slot = slots;

    for (int i = 1; i < SLOTS; i++)
        if (slots[i].used < slot->used)
            slot = &slots[i];
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].study.open && slots[i].index == index)
            slot = &slots[i];
    if (slot->index != index)
        app_api_close(&slot->study);
    slot->index = index;
    slot->used = app_clock();
    return slot;
}

/* The study at least as new as the call wants it. */
static int prepare(struct lane *lane, struct slot *slot)
{
    struct app_api_study *study = &slot->study;
    int status = CKG_OK;

    pthread_mutex_lock(&lane->cache->lock);
    const int generation = lane->cache->studies[slot->index]->generation;
    const uint64_t version = lane->cache->studies[slot->index]->version;
    pthread_mutex_unlock(&lane->cache->lock);

    /* Another problem, or one that has not begun yet, is opened anew. */
    if (study->open && (slot->generation != generation || !study->record.id))
        app_api_close(study);
    if (study->open && slot->version >= lane->call->version)
        return CKG_OK;
    if (study->open) {
        app_api_forget(study);
        status = app_study_sync(&study->record);
        if (status)
            app_api_close(study);
    }
    if (!study->open)
        status = open_study(lane, study);
    study->record.threads = 1;
    slot->generation = generation;
    slot->version = version;
    return status;
}

void *app_calls_models(void *cache)
{
    struct lane lane = {.cache = cache};
    struct slot slots[SLOTS] = {0};

    /* On Linux this is the thread's own; without it all is the same, but less modest. */
    if (setpriority(PRIO_PROCESS, 0, 19))
        lane.call = NULL;
    while ((lane.call = app_cache_next(cache, APP_LANE_MODELS))) {
        struct slot *slot = choose_slot(slots, lane.call->study);
        int status = prepare(&lane, slot);
        if (!status)
            status = app_action_call(lane.call->action, &slot->study, lane.call->in, &lane.call->out);
        const int cut_short = status == CKG_ERR_CANCELLED || status == CKG_ERR_NOMEM;
        app_cache_done(cache, lane.call, &slot->study, status, slot->version);
        if (cut_short)
            app_api_close(&slot->study);
    }
    for (int i = 0; i < SLOTS; i++)
        app_api_close(&slots[i].study);
    return NULL;
}

/* --- changes --- */

/* The study as the store has it; what can be its beginning begins it by its problem file. */
static int open_to_change(struct lane *lane, struct app_api_study *study)
{
    int status = open_study(lane, study);

    if (!status && lane->call->action->traits & APP_BEGINS)
        status = app_study_begin(&study->record);
    if (status)
        return status;
    return study->record.id ? CKG_OK
                            : app_fail(&study->message, CKG_ERR_STATE, "the study has not begun yet");
}

void *app_calls_writes(void *cache)
{
    struct lane lane = {.cache = cache};

    while ((lane.call = app_cache_next(cache, APP_LANE_WRITES))) {
        struct app_api_study study = {0};
        struct app_store *store = NULL;
        int status = open_to_change(&lane, &study);

        if (!status)
            status = app_action_call(lane.call->action, &study, lane.call->in, &lane.call->out);
        if (!status) {
            store = study.record.store;
            status = app_store_is_intact(store, &study.message);
        }
        app_cache_done(cache, lane.call, &study, status, 0);
        app_api_close(&study);
    }
    return NULL;
}
