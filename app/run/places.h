/* The places of a process that evaluates, for the steps of all its studies, and how it is asked to stop. */
#ifndef CKG_APP_PLACES_H
#define CKG_APP_PLACES_H

#include <poll.h>

#include "evaluate/child.h"
#include "evaluate/guard.h"

struct app_run_study;

/* A place where one evaluation runs; number 0: free. */
struct app_place {
    struct app_run_study *of;
    int number;
    struct app_child process;
};

/* The places of a process, and how it is asked to stop. */
struct app_places {
    int count, running;
    struct app_place *place; /* (count) */
    struct pollfd *fds;
    pid_t *leaders;
    struct app_guard guard;
    int alone;      /* the process is ours */
    int inherited;  /* and had children before the first evaluation */
    int freed;      /* a place has become free since this was last 0 */
    int stop;       /* where requests to stop come from, -1: nowhere */
    int news;       /* can be read when others have changed something in the store; -1: it does not tell */
    int interrupts; /* how often we were asked to stop; the second time running evaluations are killed */
    double hurried; /* when we were first asked to end soon, by app_clock; 0: never */
    double looked;  /* for requests to stop, while a design is chosen */
    /* Called while a design is chosen, a hundred times a second: signs of life. NULL: nobody needs any. */
    void (*tick)(void *context);
    void *context;
};

/* Makes the places; CKG_ERR_NOMEM: there are none. */
int app_places_make(struct app_places *places, int count, struct app_message *message);
/* Looks after orphans to come, where the process is ours. */
void app_places_begin(struct app_places *places);
void app_places_end(struct app_places *places);

/* Takes in the requests to stop. */
void app_places_listen(struct app_places *places);

/* Until a request, something with an evaluation, or the time `until` by app_clock. */
void app_places_wait(struct app_places *places, double until);

/* Takes leave of orphans that have ended. */
void app_places_reap(struct app_places *places);

/*
 * Our children that are to stay: of all places but that one, and who starts guards; into places->leaders; how
 * many.
 */
int app_places_leaders(struct app_places *places, const struct app_place *but);

/* 1 when a store that does not answer is not to be waited for: struct app_asking's, of the places. */
int app_places_give_up(void *places);

#endif
