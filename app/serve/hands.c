/*
 * Hands change studies, one errand at a time each, several hands beside each other: one may have to wait
 * until a run has chosen its next design. Nothing is kept between errands, and nothing is held while one
 * computes; every change is one short transaction, as of the command of its name.
 */
#include "serve/clerk.h"

#include "serve/desk.h"

struct hand {
    struct app_board *board;
    const struct app_errand *errand;
};

static int is_unwanted(void *context)
{
    const struct hand *hand = context;

    return app_board_unwanted(hand->board, hand->errand);
}

/* The study as the store has it; what can be its beginning begins it by its problem file. */
static int open_desk(struct app_desk *desk, const struct hand *hand)
{
    const struct app_study_place *place = &hand->board->studies[hand->errand->study]->place;
    int status = app_notebook_open(&desk->notebook, place, APP_STORED, &desk->message);

    if (!status && !desk->notebook.study && hand->errand->product->begins) {
        app_notebook_close(&desk->notebook);
        status = app_notebook_open(&desk->notebook, place, APP_WRITE, &desk->message);
    }
    if (status)
        return status;
    desk->open = 1;
    desk->study = hand->errand->study;
    app_notebook_set_interrupt(&desk->notebook, is_unwanted, (void *)hand);
    return desk->notebook.study ? CKG_OK
                                : app_fail(&desk->message, CKG_ERR_STATE, "the study has not begun yet");
}

static void do_errand(struct app_board *board, struct app_errand *e)
{
    struct hand hand = {board, e};
    struct app_desk desk = {0};
    int status = open_desk(&desk, &hand);

    if (!status)
        status = e->product->make(&desk, e, &e->out);
    if (!status && e->out.failed)
        status = app_fail(&desk.message, CKG_ERR_NOMEM, "out of memory");
    if (!status)
        status = desk.notebook.store->table->kept(desk.notebook.store, &desk.message);

    e->status = status;
    e->message = desk.message;
    e->revision = desk.open ? desk.notebook.revision : 0;
    app_desk_clear(&desk);
    app_board_done(board, e, 0);
}

void *app_hand_work(void *board)
{
    struct app_errand *e;

    while ((e = app_board_next(board, APP_HANDS, -1)))
        do_errand(board, e);
    return NULL;
}
