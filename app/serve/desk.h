/*
 * A study as one thread of the server has it: a notebook of its own, so a copy of the data, and what has been
 * found out from it. A store is read in short transactions, and nothing is computed within one.
 */
#ifndef CKG_APP_DESK_H
#define CKG_APP_DESK_H

#include "serve/board.h"
#include "figure/view.h"

struct app_desk {
    int study;       /* its index on the board */
    int id;          /* its number there */
    int open, shown; /* 1: there is a notebook; there is a show of it */
    int generation;  /* as on the board */
    uint64_t version;
    struct app_notebook notebook;
    struct app_show show;
    char trials_at[40];
    struct app_message message;
};

/* Nothing is open from then on. */
void app_desk_clear(struct app_desk *desk);

/* The show of the notebook as it is; it lasts until the notebook is synced. */
int app_desk_show(struct app_desk *desk);
void app_desk_forget(struct app_desk *desk);

/* --- what can be made --- */

extern const struct app_product app_product_trial_page, app_product_section, app_product_report;

/* What pages draw by themselves, in drawn.c; the last has no name. */
extern const struct app_product app_products_drawn[];

/* What programs may ask of a study, by the last part of its path; NULL: there is no such thing. */
const struct app_product *app_product_named(const char *name);

/* The same of what changes a study (steer.c). */
const struct app_product *app_action_named(const char *name);

#endif
