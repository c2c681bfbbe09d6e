/* The slots of a process that evaluates, for the steps of all its studies, and how it is asked to stop. */
#ifndef CKG_APP_SLOTS_H
#define CKG_APP_SLOTS_H

#include <poll.h>

#include "evaluate/child.h"
#include "evaluate/guard.h"

struct app_run_study;

/* A slot where one evaluation runs; number 0: free. */
struct app_slot {
    struct app_run_study *of;
    int number;
    struct app_child process;
};

/* The slots of a process, and how it is asked to stop. */
struct app_slots {
    int count, running;
    struct app_slot *slot; /* (count) */
    struct pollfd *fds;
    pid_t *leaders;
    struct app_guard guard;
    int alone;      /* the process is ours */
    int inherited;  /* and had children before the first evaluation */
    int freed;      /* a slot has become free since this was last 0 */
    int stop;       /* where requests to stop come from, -1: nowhere */
    int news;       /* can be read when others have changed something in the store; -1: it does not tell */
    int interrupts; /* how often we were asked to stop; the second time running evaluations are killed */
    double hurried; /* when we were first asked to end soon, by app_clock; 0: never */
    double looked;  /* for requests to stop, while a design is chosen */
    /* Called while a design is chosen, a hundred times a second: signs of life. NULL: nobody needs any. */
    void (*tick)(void *context);
    void *context;
};

/* Makes the slots; CKG_ERR_NOMEM: there are none. */
int app_slots_make(struct app_slots *slots, int count, struct app_message *message);
/* Looks after orphans to come, where the process is ours. */
void app_slots_begin(struct app_slots *slots);
void app_slots_end(struct app_slots *slots);

/* Takes in the requests to stop. */
void app_slots_listen(struct app_slots *slots);

/* Until a request, something with an evaluation, or the time `until` by app_clock. */
void app_slots_wait(struct app_slots *slots, double until);

/* Takes leave of orphans that have ended. */
void app_slots_reap(struct app_slots *slots);

/*
 * Our children that are to stay: of all slots but that one, and who starts guards; into slots->leaders; how
 * many.
 */
int app_slots_leaders(struct app_slots *slots, const struct app_slot *but);

/* 1 when a store that does not answer is not to be waited for: struct app_asking's, of the slots. */
int app_slots_give_up(void *slots);

#endif
