/*
 * The modeller makes what needs models, one errand after the other, from notebooks of its own. It gives way
 * to whatever else the machine has to do, and stops when nobody waits for the result any more.
 */
#include "serve/clerk.h"

#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "serve/desk.h"

enum { DESKS = 4 };

struct room {
    struct app_board *board;
    struct app_desk desks[DESKS];
    double used[DESKS];
    struct app_errand *errand; /* that is being done */
};

static int is_unwanted(void *context)
{
    const struct room *room = context;

    return app_board_unwanted(room->board, room->errand);
}

/* The desk with that study, or the one that was used longest ago. */
static struct app_desk *choose_desk(struct room *room, int study)
{
    int oldest = 0;

    for (int i = 0; i < DESKS; i++) {
        if (room->desks[i].open && room->desks[i].study == study)
            oldest = i;
        if (room->desks[i].open && room->desks[i].study == study)
            break;
        if (room->used[i] < room->used[oldest])
            oldest = i;
    }
    struct app_desk *desk = &room->desks[oldest];
    room->used[oldest] = app_clock();
    if (desk->study != study)
        app_desk_clear(desk);
    desk->study = study;
    return desk;
}

static int open_desk(struct room *room, struct app_desk *desk)
{
    const struct app_study_place *place = &room->board->studies[desk->study]->place;
    const int status = app_notebook_open(&desk->notebook, place, APP_STORED, &desk->message);

    if (status)
        return status;
    desk->open = 1;
    desk->id = room->board->studies[desk->study]->id;
    desk->notebook.threads = 1;
    app_notebook_set_interrupt(&desk->notebook, is_unwanted, room);
    snprintf(desk->trials_at, sizeof desk->trials_at, "/study/%d/trial/",
             room->board->studies[desk->study]->id);
    return CKG_OK;
}

/* The study at least as new as the errand wants it. */
static int prepare(struct room *room, struct app_desk *desk)
{
    struct app_board *board = room->board;
    int status = CKG_OK;

    pthread_mutex_lock(&board->lock);
    const int generation = board->studies[desk->study]->generation;
    const uint64_t version = board->studies[desk->study]->version;
    pthread_mutex_unlock(&board->lock);

    /* Another problem, or one that has not begun yet, is opened anew. */
    if (desk->open && (desk->generation != generation || !desk->notebook.study))
        app_desk_clear(desk);
    if (desk->open && desk->version < room->errand->version) {
        app_desk_forget(desk);
        status = app_notebook_sync(&desk->notebook);
        if (status)
            app_desk_clear(desk);
    } else if (desk->open)
        return CKG_OK;
    if (!desk->open)
        status = open_desk(room, desk);
    desk->generation = generation;
    desk->version = version;
    return status;
}

static void do_errand(struct room *room, struct app_errand *e)
{
    struct app_desk *desk = choose_desk(room, e->study);

    room->errand = e;
    e->status = prepare(room, desk);
    if (!e->status)
        e->status = e->product->make(desk, e, &e->out);
    if (!e->status && e->out.failed)
        e->status = app_fail(&desk->message, CKG_ERR_NOMEM, "out of memory");

    /* What was cut short is not to be built upon. */
    e->message = desk->message;
    e->revision = desk->open ? desk->notebook.revision : 0;
    if (e->status == CKG_ERR_CANCELLED || e->status == CKG_ERR_NOMEM)
        app_desk_clear(desk);
    app_board_done(room->board, e, desk->version);
}

void *app_modeller_work(void *context)
{
    struct room room = {.board = context};
    struct app_errand *e;

    /* On Linux this is the thread's own; without it all is the same, but less modest. */
    if (setpriority(PRIO_PROCESS, 0, 19))
        room.errand = NULL;
    while ((e = app_board_next(room.board, APP_MODELLERS, -1)))
        do_errand(&room, e);
    for (int i = 0; i < DESKS; i++)
        app_desk_clear(&room.desks[i]);
    return NULL;
}
