/* The threads behind a server's front. */
#ifndef CKG_APP_CLERK_H
#define CKG_APP_CLERK_H

#include "serve/board.h"

/* Stores of which all studies are shown, also those that come later. */
struct app_clerk {
    struct app_board *board;
    int stores;
    const char *const *store; /* (stores) URLs */
};

/* Until the board stops; started as threads with a struct app_clerk, or with the board. */
void *app_clerk_work(void *clerk);
void *app_modeller_work(void *board);
void *app_hand_work(void *board);

/* Looks at everything for the first time, so that what is wrong with the command line is said at once. */
int app_clerk_begin(struct app_clerk *clerk, struct app_message *message);

#endif
