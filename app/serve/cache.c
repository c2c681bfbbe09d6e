/* One lock, a queue for each lane, and what is kept of what was made. */
#include "serve/cache.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* How long something brief is good for. */
static const double moment = 2;

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

static int read_flag(struct app_cache *cache, const int *flag)
{
    pthread_mutex_lock(&cache->lock);
    const int value = *flag;
    pthread_mutex_unlock(&cache->lock);
    return value;
}

/* --- calls --- */

static void free_call(struct app_api_call *call)
{
    free(call->in);
    app_text_free(&call->out);
    free(call);
}

/* The cache is locked. */
static void let_go(struct app_api_call *call)
{
    if (call && !--call->holders)
        free_call(call);
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

/* 1 when what was made is as good as made now. */
static int is_fresh(const struct app_api_call *call, uint64_t version)
{
    return call->version >= version &&
           (!(call->action->traits & APP_BRIEF) || app_clock() - call->made < moment);
}

/* One that was made, is being made or waits to be; NULL: none will do. The cache is locked. */
static struct app_api_call *find_call(struct app_cache *cache, const struct app_api_call *wanted)
{
    struct app_cached_study *p = cache->studies[wanted->study];
    struct app_api_call *running = cache->running[wanted->action->lane];

    for (int i = 0; i < APP_CALLS_KEPT; i++)
        if (p->kept[i] && is_same(p->kept[i], wanted) && is_fresh(p->kept[i], wanted->version))
            return p->kept[i];

    /* One that nobody waits for is given up. */
    if (running && running->waiters && is_same(running, wanted) && running->version >= wanted->version)
        return running;
    for (struct app_api_call *call = cache->queue[wanted->action->lane]; call; call = call->next)
        if (is_same(call, wanted)) {
            call->version = wanted->version > call->version ? wanted->version : call->version;
            return call;
        }
    return NULL;
}

/* A new one at the end of its queue; NULL: there are too many, or no memory. The cache is locked. */
static struct app_api_call *add_call(struct app_cache *cache, const struct app_api_call *wanted)
{
    struct app_api_call *call = cache->queued < APP_CALLS_MOST ? calloc(1, sizeof *call) : NULL;
    struct app_api_call **end = &cache->queue[wanted->action->lane];

    if (!call)
        return NULL;
    call->action = wanted->action;
    call->study = wanted->study;
    call->version = wanted->version;
    call->in = wanted->in ? app_copy(wanted->in) : NULL;
    if (wanted->in && !call->in) {
        free(call);
        return NULL;
    }

    while (*end)
        end = &(*end)->next;
    *end = call;
    call->holders = 1;
    cache->queued++;
    pthread_cond_signal(&cache->ready[call->action->lane]);
    return call;
}

struct app_api_call *app_cache_call(struct app_cache *cache, const struct app_api_call *wanted)
{
    pthread_mutex_lock(&cache->lock);
    struct app_api_call *call = is_change(wanted) ? NULL : find_call(cache, wanted);
    if (!call)
        call = add_call(cache, wanted);
    if (call) {
        call->holders++;
        call->waiters++;
    }
    pthread_mutex_unlock(&cache->lock);
    return call;
}

int app_cache_is_done(struct app_cache *cache, struct app_api_call *call)
{
    return read_flag(cache, &call->done);
}

void app_cache_leave(struct app_cache *cache, struct app_api_call *call)
{
    pthread_mutex_lock(&cache->lock);
    call->waiters--;
    let_go(call);
    pthread_mutex_unlock(&cache->lock);
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

/* The first of the queue that somebody waits for. The cache is locked. */
static struct app_api_call *take_first(struct app_cache *cache, enum app_lane lane)
{
    struct app_api_call *call;

    while ((call = cache->queue[lane])) {
        cache->queue[lane] = call->next;
        cache->queued--;
        call->next = NULL;
        if (call->waiters)
            return call;
        let_go(call);
    }
    return NULL;
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
    if (lane != APP_LANE_WRITES)
        cache->running[lane] = call;
    pthread_mutex_unlock(&cache->lock);
    return call;
}

int app_cache_is_filled(struct app_cache *cache)
{
    return read_flag(cache, &cache->filled);
}

void app_cache_set_looked(struct app_cache *cache, double seconds)
{
    pthread_mutex_lock(&cache->lock);
    cache->due = app_clock() + seconds;
    if (!cache->filled)
        wake(cache);
    cache->filled = 1;
    pthread_mutex_unlock(&cache->lock);
}

int app_cache_is_unwanted(struct app_cache *cache, const struct app_api_call *call)
{
    pthread_mutex_lock(&cache->lock);
    const int unwanted = cache->stopping || !call->waiters;
    pthread_mutex_unlock(&cache->lock);
    return unwanted;
}

/* In the place of an older one of the same, or of whatever has been there longest. The cache is locked. */
static void keep(struct app_cached_study *p, struct app_api_call *call)
{
    int place = -1;

    for (int i = 0; i < APP_CALLS_KEPT; i++)
        if (p->kept[i] && is_same(p->kept[i], call))
            place = i;
    if (place < 0)
        place = p->turn++ % APP_CALLS_KEPT;
    let_go(p->kept[place]);
    p->kept[place] = call;
}

void app_cache_done(struct app_cache *cache, struct app_api_call *call, const struct app_api_study *study,
                    int status, uint64_t version)
{
    pthread_mutex_lock(&cache->lock);
    struct app_cached_study *p = cache->studies[call->study];

    call->status = status;
    call->message = study->message;
    call->revision = study->open ? study->notebook.revision : 0;
    call->done = 1;
    call->made = app_clock();
    call->version = version ? version : p->version;
    if (cache->running[call->action->lane] == call)
        cache->running[call->action->lane] = NULL;

    /* Who has changed something sees it soon. */
    if (is_change(call) && !call->status) {
        cache->due = 0;
        pthread_cond_signal(&cache->ready[APP_LANE_QUICK]);
    }
    if (!call->status && !is_change(call))
        keep(p, call);
    else
        let_go(call);
    wake(cache);
    pthread_mutex_unlock(&cache->lock);
}

/* --- studies --- */

static void free_place(struct app_study_place *place)
{
    free((char *)place->file);
    free((char *)place->store);
    free((char *)place->name);
}

static void free_study(struct app_cached_study *p)
{
    for (int i = 0; i < APP_CALLS_KEPT; i++)
        let_go(p->kept[i]);
    free_place(&p->place);
    free(p->name);
    free(p->summary);
    free(p);
}

static int copy_place(struct app_study_place *out, const struct app_study_place *place)
{
    out->file = place->file ? app_copy(place->file) : NULL;
    out->store = place->store ? app_copy(place->store) : NULL;
    out->name = place->name ? app_copy(place->name) : NULL;
    return !place->file == !out->file && !place->store == !out->store && !place->name == !out->name;
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

int app_cache_add(struct app_cache *cache, const struct app_study_place *place, int id,
                  struct app_message *message)
{
    struct app_cached_study *p = calloc(1, sizeof *p);

    if (!p || !copy_place(&p->place, place)) {
        if (p)
            free_study(p);
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
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
    const struct app_notebook *n = update->notebook;
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

int app_cache_is_stopping(struct app_cache *cache)
{
    return read_flag(cache, &cache->stopping);
}

void app_cache_close(struct app_cache *cache)
{
    for (int lane = 0; lane < APP_LANES; lane++) {
        while (cache->queue[lane]) {
            struct app_api_call *call = cache->queue[lane];
            cache->queue[lane] = call->next;
            let_go(call);
        }
        pthread_cond_destroy(&cache->ready[lane]);
    }
    for (int i = 0; i < cache->count; i++)
        free_study(cache->studies[i]);
    pthread_mutex_destroy(&cache->lock);
}
