/* One lock, a queue for each duty, and what is kept of what was made. */
#include "serve/board.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* How long something brief is good for. */
static const double moment = 2;

static void ring(const struct app_board *b)
{
    /* Full: the front has enough to wake up by. */
    if (write(b->bell, "", 1) < 0 && errno != EAGAIN)
        errno = 0;
}

int app_board_open(struct app_board *b, int bell, struct app_message *message)
{
    pthread_condattr_t attributes;

    *b = (struct app_board){.bell = bell};
    int failed = pthread_condattr_init(&attributes);
    if (!failed)
        failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (!failed)
        failed = pthread_mutex_init(&b->lock, NULL);
    for (int i = 0; !failed && i < APP_DUTIES; i++)
        failed = pthread_cond_init(&b->stir[i], &attributes);
    pthread_condattr_destroy(&attributes);
    return failed ? app_fail(message, CKG_ERR_SYSTEM, "no threads: %s", strerror(failed)) : CKG_OK;
}

/* --- errands --- */

static void free_errand(struct app_errand *e)
{
    free(e->text);
    app_text_free(&e->out);
    free(e);
}

/* The board is locked. */
static void let_go(struct app_errand *e)
{
    if (e && !--e->holders)
        free_errand(e);
}

static int is_same(const struct app_errand *a, const struct app_errand *b)
{
    return a->product == b->product && a->study == b->study && a->number == b->number &&
           !a->text == !b->text && (!a->text || !strcmp(a->text, b->text));
}

/* 1 when what was made is as good as made now. */
static int is_fresh(const struct app_errand *e, uint64_t version)
{
    return e->version >= version && (!e->product->brief || app_clock() - e->made < moment);
}

/* One that was made, is being made or waits to be; NULL: none will do. The board is locked. */
static struct app_errand *find_errand(struct app_board *b, const struct app_errand *wanted)
{
    struct app_pinned *p = b->studies[wanted->study];
    struct app_errand *running = b->running[wanted->product->whose];

    for (int i = 0; i < APP_ERRANDS_KEPT; i++)
        if (p->kept[i] && is_same(p->kept[i], wanted) && is_fresh(p->kept[i], wanted->version))
            return p->kept[i];

    /* One that nobody waits for is given up. */
    if (running && running->waiters && is_same(running, wanted) && running->version >= wanted->version)
        return running;
    for (struct app_errand *e = b->queue[wanted->product->whose]; e; e = e->next)
        if (is_same(e, wanted)) {
            e->version = wanted->version > e->version ? wanted->version : e->version;
            return e;
        }
    return NULL;
}

/* A new one at the end of its queue; NULL: there are too many, or no memory. The board is locked. */
static struct app_errand *add_errand(struct app_board *b, const struct app_errand *wanted)
{
    struct app_errand *e = b->queued < APP_ERRANDS_MOST ? calloc(1, sizeof *e) : NULL;
    struct app_errand **end = &b->queue[wanted->product->whose];

    if (!e)
        return NULL;
    e->product = wanted->product;
    e->study = wanted->study;
    e->number = wanted->number;
    e->version = wanted->version;
    e->text = wanted->text ? app_copy(wanted->text) : NULL;
    if (wanted->text && !e->text) {
        free(e);
        return NULL;
    }

    while (*end)
        end = &(*end)->next;
    *end = e;
    e->holders = 1;
    b->queued++;
    pthread_cond_signal(&b->stir[e->product->whose]);
    return e;
}

struct app_errand *app_board_ask(struct app_board *b, const struct app_errand *wanted)
{
    pthread_mutex_lock(&b->lock);
    struct app_errand *e = wanted->product->steers ? NULL : find_errand(b, wanted);
    if (!e)
        e = add_errand(b, wanted);
    if (e) {
        e->holders++;
        e->waiters++;
    }
    pthread_mutex_unlock(&b->lock);
    return e;
}

int app_board_ready(struct app_board *b, struct app_errand *e)
{
    pthread_mutex_lock(&b->lock);
    const int done = e->done;
    pthread_mutex_unlock(&b->lock);
    return done;
}

void app_board_leave(struct app_board *b, struct app_errand *e)
{
    pthread_mutex_lock(&b->lock);
    e->waiters--;
    let_go(e);
    pthread_mutex_unlock(&b->lock);
}

/* Until something stirs, or that time comes; 0: it has. Negative: it never does. The board is locked. */
static int wait_for(struct app_board *b, enum app_duty whose, double until)
{
    const struct timespec end = {.tv_sec = (time_t)until,
                                 .tv_nsec = (long)((until - (double)(time_t)until) * 1e9)};

    if (until < 0)
        return !pthread_cond_wait(&b->stir[whose], &b->lock);
    return pthread_cond_timedwait(&b->stir[whose], &b->lock, &end) != ETIMEDOUT;
}

/* The first of the queue that somebody waits for. The board is locked. */
static struct app_errand *take_first(struct app_board *b, enum app_duty whose)
{
    struct app_errand *e;

    while ((e = b->queue[whose])) {
        b->queue[whose] = e->next;
        b->queued--;
        e->next = NULL;
        if (e->waiters)
            return e;
        let_go(e);
    }
    return NULL;
}

/* The board is locked. */
static int is_hurried(const struct app_board *b, enum app_duty whose)
{
    return whose == APP_CLERKS && b->hurried;
}

struct app_errand *app_board_next(struct app_board *b, enum app_duty whose, double seconds)
{
    const double until = seconds < 0 ? -1 : app_clock() + seconds;
    struct app_errand *e = NULL;

    pthread_mutex_lock(&b->lock);
    while (!b->stopping && !is_hurried(b, whose) && !(e = take_first(b, whose)) && wait_for(b, whose, until))
        ;
    if (b->stopping)
        let_go(e);
    else if (!e || !e->product->steers)
        b->running[whose] = e;
    const int over = b->stopping;
    pthread_mutex_unlock(&b->lock);
    return over ? NULL : e;
}

int app_board_looked(struct app_board *b)
{
    pthread_mutex_lock(&b->lock);
    const int looked = b->looked;
    pthread_mutex_unlock(&b->lock);
    return looked;
}

void app_board_look(struct app_board *b)
{
    pthread_mutex_lock(&b->lock);
    b->looked = 1;
    ring(b);
    pthread_mutex_unlock(&b->lock);
}

int app_board_hurried(struct app_board *b)
{
    pthread_mutex_lock(&b->lock);
    const int hurried = b->hurried;
    b->hurried = 0;
    pthread_mutex_unlock(&b->lock);
    return hurried;
}

int app_board_unwanted(struct app_board *b, const struct app_errand *e)
{
    pthread_mutex_lock(&b->lock);
    const int unwanted = b->stopping || !e->waiters;
    pthread_mutex_unlock(&b->lock);
    return unwanted;
}

/* In the place of an older one of the same, or of whatever has been there longest. The board is locked. */
static void keep(struct app_pinned *p, struct app_errand *e)
{
    int place = -1;

    for (int i = 0; i < APP_ERRANDS_KEPT; i++)
        if (p->kept[i] && is_same(p->kept[i], e))
            place = i;
    if (place < 0)
        place = p->turn++ % APP_ERRANDS_KEPT;
    let_go(p->kept[place]);
    p->kept[place] = e;
}

void app_board_done(struct app_board *b, struct app_errand *e, uint64_t version)
{
    pthread_mutex_lock(&b->lock);
    struct app_pinned *p = b->studies[e->study];

    e->done = 1;
    e->made = app_clock();
    e->version = version ? version : p->version;
    if (b->running[e->product->whose] == e)
        b->running[e->product->whose] = NULL;

    /* Who has changed something sees it soon. */
    if (e->product->steers && !e->status) {
        b->hurried = 1;
        pthread_cond_signal(&b->stir[APP_CLERKS]);
    }
    if (!e->status && !e->product->steers)
        keep(p, e);
    else
        let_go(e);
    ring(b);
    pthread_mutex_unlock(&b->lock);
}

/* --- studies --- */

static void free_place(struct app_study_place *place)
{
    free((char *)place->file);
    free((char *)place->store);
    free((char *)place->name);
}

static void free_lines(struct app_line *lines, int from, int to)
{
    for (int i = from; i < to; i++)
        free(lines[i].text);
}

static void free_pinned(struct app_pinned *p)
{
    for (int i = 0; i < APP_ERRANDS_KEPT; i++)
        let_go(p->kept[i]);
    free_lines(p->lines, 0, p->count);
    free(p->lines);
    free_place(&p->place);
    free(p->name);
    free(p->summary);
    free(p->row);
    free(p->head);
    free(p);
}

static int copy_place(struct app_study_place *out, const struct app_study_place *place)
{
    out->file = place->file ? app_copy(place->file) : NULL;
    out->store = place->store ? app_copy(place->store) : NULL;
    out->name = place->name ? app_copy(place->name) : NULL;
    return !place->file == !out->file && !place->store == !out->store && !place->name == !out->name;
}

/* That number, or the next one that is free. The board is locked. */
static int free_number(const struct app_board *b, int id)
{
    int taken = 1;

    for (id = id > 0 ? id : 1; taken; id += taken) {
        taken = 0;
        for (int i = 0; i < b->count; i++)
            taken |= b->studies[i]->id == id;
    }
    return id;
}

int app_board_add(struct app_board *b, const struct app_study_place *place, int id,
                  struct app_message *message)
{
    struct app_pinned *p = calloc(1, sizeof *p);

    if (!p || !copy_place(&p->place, place)) {
        if (p)
            free_pinned(p);
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
    }
    pthread_mutex_lock(&b->lock);
    const int room = b->count < APP_STUDIES_MOST;
    if (room) {
        p->id = free_number(b, id);
        b->studies[b->count++] = p;
    }
    pthread_mutex_unlock(&b->lock);
    if (!room)
        free_pinned(p);
    return room ? CKG_OK : app_fail(message, CKG_ERR_STATE, "more than %d studies", APP_STUDIES_MOST);
}

/* A text that takes the place of another. */
static void replace(char **old, char **new)
{
    free(*old);
    *old = *new;
    *new = NULL;
}

/* The lines as they are now; 0 without memory. The board is locked. */
static int pin_lines(struct app_pinned *p, struct app_finding *f)
{
    if (f->count > p->count) {
        struct app_line *grown = realloc(p->lines, (size_t)f->count * sizeof *grown);
        if (!grown)
            return 0;
        memset(grown + p->count, 0, (size_t)(f->count - p->count) * sizeof *grown);
        p->lines = grown;
    }
    free_lines(p->lines, f->count, p->count);
    p->count = f->count;
    for (int i = 0; i < f->changed; i++) {
        struct app_line *line = &p->lines[f->at[i]];
        line->revision = f->lines[i].revision;
        replace(&line->text, &f->lines[i].text);
    }
    return 1;
}

int app_board_pin(struct app_board *b, int study, struct app_finding *f)
{
    pthread_mutex_lock(&b->lock);
    struct app_pinned *p = b->studies[study];
    const int pinned = pin_lines(p, f);

    if (pinned) {
        replace(&p->name, &f->name);
        replace(&p->summary, &f->summary);
        replace(&p->row, &f->row);
        replace(&p->head, &f->head);
        p->revision = f->revision;
        p->generation += f->anew;
        p->version = ++b->sequence;
        ring(b);
    }
    pthread_mutex_unlock(&b->lock);
    return pinned ? CKG_OK : CKG_ERR_NOMEM;
}

/* --- the end --- */

void app_board_stop(struct app_board *b)
{
    pthread_mutex_lock(&b->lock);
    b->stopping = 1;
    for (int i = 0; i < APP_DUTIES; i++)
        pthread_cond_broadcast(&b->stir[i]);
    ring(b);
    pthread_mutex_unlock(&b->lock);
}

int app_board_stopping(struct app_board *b)
{
    pthread_mutex_lock(&b->lock);
    const int stopping = b->stopping;
    pthread_mutex_unlock(&b->lock);
    return stopping;
}

void app_board_close(struct app_board *b)
{
    for (int whose = 0; whose < APP_DUTIES; whose++) {
        while (b->queue[whose]) {
            struct app_errand *e = b->queue[whose];
            b->queue[whose] = e->next;
            let_go(e);
        }
        pthread_cond_destroy(&b->stir[whose]);
    }
    for (int i = 0; i < b->count; i++)
        free_pinned(b->studies[i]);
    pthread_mutex_destroy(&b->lock);
}
