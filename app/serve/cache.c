/* One lock, and one list of calls, from which lanes take what waits and others what was made. */
#include "serve/cache.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* How long something brief is good for. */
static const double timestamp = 2;

static void wake(const struct app_cache *cache)
{
    /* Full: the server has enough to wake up by. */
    if (write(cache->wakeup, "", 1) < 0 && errno != EAGAIN)
        errno = 0;
}

int app_cache_open(struct app_cache *cache, int wakeup, struct app_message *message)
{
    pthread_condattr_t attributes;

    *cache = (struct app_cache){.wakeup = wakeup};
    int failed = pthread_condattr_init(&attributes);
    if (!failed)
        failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!failed)
        failed = pthread_mutex_init(&cache->lock, NULL);
    for (int i = 0; !failed && i < APP_LANES; i++)
        failed = pthread_cond_init(&cache->ready[i], &attributes);
    pthread_condattr_destroy(&attributes);
    return failed ? app_fail(message, CKG_ERR_SYSTEM, "no threads: %s", strerror(failed)) : CKG_OK;
}

/* --- calls --- */

/* Nobody asks for it any more. The cache is locked. */
static void drop(struct app_cache *cache, struct app_api_call *call)
{
    struct app_api_call **at = &cache->calls;

    while (*at != call)
        at = &(*at)->next;
    *at = call->next;
    free(call->in);
    app_text_free(&call->out);
    free(call);
}

static int is_same(const struct app_api_call *a, const struct app_api_call *b)
{
    return a->action == b->action && a->study == b->study && !a->in == !b->in &&
           (!a->in || !strcmp(a->in, b->in));
}

/* A change is made once for each who asks for it. */
static int is_change(const struct app_api_call *call)
{
    return call->action->lane == APP_LANE_WRITES;
}

/* What came of it is worth keeping for others. */
static int is_kept(const struct app_api_call *call)
{
    return call->state == APP_CALL_DONE && !call->status && !is_change(call);
}

/* 1 when the call is as good as one that is made now; of those under way one that nobody waits for is given
 * up. */
static int will_do(const struct app_api_call *call, const struct app_api_call *wanted)
{
    const int newer = call->version >= wanted->version;

    if (is_change(call) || !is_same(call, wanted))
        return 0;
    if (call->state != APP_CALL_DONE)
        return call->state == APP_CALL_QUEUED || (newer && call->waiters);
    return is_kept(call) && newer &&
           (!(call->action->traits & APP_BRIEF) || app_clock() - call->made < timestamp);
}

/* A new one behind the others; NULL: there are too many, or no memory. The cache is locked. */
static struct app_api_call *add_call(struct app_cache *cache, const struct app_api_call *wanted)
{
    struct app_api_call *call = calloc(1, sizeof *call);
    struct app_api_call **end = &cache->calls;
    int queued = 0;

    for (; *end; end = &(*end)->next)
        queued += (*end)->state == APP_CALL_QUEUED;
    if (call)
        *call = (struct app_api_call){
            .action = wanted->action, .study = wanted->study, .in = wanted->in ? app_copy(wanted->in) : NULL};
    if (!call || queued >= APP_CALLS_MOST || !call->in != !wanted->in) {
        if (call)
            free(call->in);
        free(call);
        return NULL;
    }
    *end = call;
    pthread_cond_signal(&cache->ready[call->action->lane]);
    return call;
}

struct app_api_call *app_cache_call(struct app_cache *cache, const struct app_api_call *wanted)
{
    pthread_mutex_lock(&cache->lock);
    struct app_api_call *call = cache->calls;
    while (call && !will_do(call, wanted))
        call = call->next;
    if (!call)
        call = add_call(cache, wanted);
    if (call) {
        call->waiters++;
        if (call->state == APP_CALL_QUEUED && call->version < wanted->version)
            call->version = wanted->version;
    }
    pthread_mutex_unlock(&cache->lock);
    return call;
}

int app_cache_is_done(struct app_cache *cache, struct app_api_call *call)
{
    pthread_mutex_lock(&cache->lock);
    const int done = call->state == APP_CALL_DONE;
    pthread_mutex_unlock(&cache->lock);
    return done;
}

void app_cache_leave(struct app_cache *cache, struct app_api_call *call)
{
    pthread_mutex_lock(&cache->lock);
    if (!--call->waiters && call->state != APP_CALL_RUNNING && !is_kept(call))
        drop(cache, call);
    pthread_mutex_unlock(&cache->lock);
}

/* The first that waits. The cache is locked. */
static struct app_api_call *take_first(struct app_cache *cache, enum app_lane lane)
{
    struct app_api_call *call = cache->calls;

    while (call && (call->state != APP_CALL_QUEUED || call->action->lane != lane))
        call = call->next;
    if (call)
        call->state = APP_CALL_RUNNING;
    return call;
}

/* Until something stirs, or it is due. The cache is locked. */
static void wait_for(struct app_cache *cache, enum app_lane lane)
{
    const struct timespec due = {.tv_sec = (time_t)cache->due, .tv_nsec = (long)(fmod(cache->due, 1) * 1e9)};

    if (lane == APP_LANE_QUICK)
        pthread_cond_timedwait(&cache->ready[lane], &cache->lock, &due);
    else
        pthread_cond_wait(&cache->ready[lane], &cache->lock);
}

/* 1 when the poller has something else to do. The cache is locked. */
static int is_due(const struct app_cache *cache, enum app_lane lane)
{
    return lane == APP_LANE_QUICK && app_clock() >= cache->due;
}

struct app_api_call *app_cache_next(struct app_cache *cache, enum app_lane lane)
{
    struct app_api_call *call = NULL;

    pthread_mutex_lock(&cache->lock);
    while (!cache->stopping && !is_due(cache, lane) && !(call = take_first(cache, lane)))
        wait_for(cache, lane);
    pthread_mutex_unlock(&cache->lock);
    return call;
}

void app_cache_set_looked(struct app_cache *cache, double seconds)
{
    pthread_mutex_lock(&cache->lock);
    cache->due = app_clock() + seconds;
    pthread_mutex_unlock(&cache->lock);
    if (!cache->filled) {
        cache->filled = 1;
        wake(cache);
    }
}

int app_cache_is_unwanted(struct app_cache *cache, const struct app_api_call *call)
{
    pthread_mutex_lock(&cache->lock);
    const int unwanted = cache->stopping || !call->waiters;
    pthread_mutex_unlock(&cache->lock);
    return unwanted;
}

/* Makes room for a result: an older one of the same goes, and the oldest of too many. The cache is locked. */
static void make_room(struct app_cache *cache, const struct app_api_call *fresh)
{
    struct app_api_call *oldest = NULL;
    struct app_api_call *next;
    int count = 0;

    for (struct app_api_call *call = cache->calls; call; call = next) {
        next = call->next;
        if (call == fresh || call->study != fresh->study || call->waiters || !is_kept(call))
            continue;
        if (is_same(call, fresh)) {
            drop(cache, call);
            continue;
        }
        oldest = oldest ? oldest : call;
        count++;
    }
    if (count >= APP_CALLS_KEPT)
        drop(cache, oldest);
}

void app_cache_done(struct app_cache *cache, struct app_api_call *call, const struct app_api_study *study,
                    int status, uint64_t version)
{
    pthread_mutex_lock(&cache->lock);
    call->state = APP_CALL_DONE;
    call->status = status;
    call->message = study->message;
    call->revision = study->open ? study->record.revision : 0;
    call->made = app_clock();
    call->version = version ? version : cache->studies[call->study]->version;

    /* Who has changed something sees it soon. */
    if (is_change(call) && !call->status) {
        cache->due = 0;
        pthread_cond_signal(&cache->ready[APP_LANE_QUICK]);
    }
    if (is_kept(call))
        make_room(cache, call);
    else if (!call->waiters)
        drop(cache, call);
    wake(cache);
    pthread_mutex_unlock(&cache->lock);
}

/* --- studies --- */

static void free_study(struct app_cached_study *p)
{
    app_pool_free(&p->pool);
    free(p->name);
    free(p->summary);
    free(p);
}

static int keep_place(struct app_cached_study *p, const struct app_study_address *place)
{
    p->place = (struct app_study_address){.file = place->file, .store = place->store, .name = place->name};
    return app_pool_keep(&p->pool, &p->place.file) && app_pool_keep(&p->pool, &p->place.store) &&
           app_pool_keep(&p->pool, &p->place.name);
}

/* That number, or the next one that is free. The cache is locked. */
static int free_number(const struct app_cache *cache, int id)
{
    int taken = 1;

    for (id = id > 0 ? id : 1; taken; id += taken) {
        taken = 0;
        for (int i = 0; i < cache->count; i++)
            taken |= cache->studies[i]->id == id;
    }
    return id;
}

int app_cache_add(struct app_cache *cache, const struct app_study_address *place, int id,
                  struct app_message *message)
{
    struct app_cached_study *p = calloc(1, sizeof *p);

    if (!p || !keep_place(p, place)) {
        if (p)
            free_study(p);
        return app_no_memory(message);
    }
    pthread_mutex_lock(&cache->lock);
    const int room = cache->count < APP_STUDIES_MOST;
    if (room) {
        p->id = free_number(cache, id);
        cache->studies[cache->count++] = p;
    }
    pthread_mutex_unlock(&cache->lock);
    if (!room)
        free_study(p);
    return room ? CKG_OK : app_fail(message, CKG_ERR_STATE, "more than %d studies", APP_STUDIES_MOST);
}

/* Puts a copy in the place of a text; 0 without memory. */
static int replace(char **text, const char *new)
{
    char *copy = app_copy(new);

    if (!copy)
        return 0;
    free(*text);
    *text = copy;
    return 1;
}

int app_cache_update(struct app_cache *cache, int study, const struct app_study_update *update)
{
    struct app_cached_study *p = cache->studies[study];
    const struct app_study *n = update->record;
    int good = 1;

    pthread_mutex_lock(&cache->lock);
    if (update->anew || !p->version || strcmp(p->summary, update->summary) != 0) {
        good = replace(&p->name, update->name) && replace(&p->summary, update->summary);
        if (good) {
            p->revision = n ? n->revision : p->revision;
            p->count = n ? n->count : p->count;
            p->generation += update->anew;
            p->version = ++cache->sequence;
            wake(cache);
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return good ? CKG_OK : CKG_ERR_NOMEM;
}

/* --- the end --- */

void app_cache_stop(struct app_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    cache->stopping = 1;
    for (int i = 0; i < APP_LANES; i++)
        pthread_cond_broadcast(&cache->ready[i]);
    wake(cache);
    pthread_mutex_unlock(&cache->lock);
}

void app_cache_close(struct app_cache *cache)
{
    while (cache->calls)
        drop(cache, cache->calls);
    for (int lane = 0; lane < APP_LANES; lane++)
        pthread_cond_destroy(&cache->ready[lane]);
    for (int i = 0; i < cache->count; i++)
        free_study(cache->studies[i]);
    pthread_mutex_destroy(&cache->lock);
}
