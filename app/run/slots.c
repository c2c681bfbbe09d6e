/* Places for evaluations: one poll over their pipes and ends, requests to stop, news of the store, and the
 * clock. */
#include "run/slots.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "evaluate/machine.h"
#include "run/run.h"

int app_slots_make(struct app_slots *slots, int count, struct app_message *message)
{
    slots->count = count;
    slots->slot = calloc((size_t)count + 1, sizeof *slots->slot);
    slots->leaders = calloc((size_t)count + 1, sizeof *slots->leaders);
    slots->fds = calloc(APP_CHILD_FDS * (size_t)count + 2, sizeof *slots->fds);
    return slots->slot && slots->leaders && slots->fds ? CKG_OK : app_no_memory(message);
}

void app_slots_begin(struct app_slots *slots)
{
    if (!slots->alone)
        return;
    slots->inherited = app_has_children();
    app_adopt_orphans();
    app_guard_begin(&slots->guard);
}

void app_slots_end(struct app_slots *slots)
{
    app_guard_end(&slots->guard);
    free(slots->slot);
    free(slots->leaders);
    free(slots->fds);
}

/* Each byte says how urgent it is. Who has closed the other end asks for nothing any more. */
void app_slots_listen(struct app_slots *slots)
{
    char bytes[64];
    ssize_t got;

    while (slots->stop >= 0 && (got = read(slots->stop, bytes, sizeof bytes)) >= 0) {
        for (ssize_t i = 0; i < got; i++) {
            slots->interrupts += bytes[i] == APP_STOP_KILL ? 2 : 1;
            if (bytes[i] == APP_STOP_SOON && !(slots->hurried > 0))
                slots->hurried = app_clock();
        }
        if (!got)
            slots->stop = -1;
    }
}

void app_slots_wait(struct app_slots *slots, double until)
{
    const double now = app_clock();
    int count = 2;

    /* What can happen: a request, news from the store, or something with an evaluation. */
    slots->fds[0] = (struct pollfd){.fd = slots->stop, .events = POLLIN};
    slots->fds[1] = (struct pollfd){.fd = slots->news, .events = POLLIN};
    for (int i = 0; i < slots->count; i++) {
        if (!slots->slot[i].number)
            continue;
        until = fmin(until, app_child_watch(&slots->slot[i].process, now));
        count += app_child_poll(&slots->slot[i].process, slots->fds + count);
    }
    poll(slots->fds, (nfds_t)count, (int)ceil(1e3 * fmax(until - now, 0)));

    app_slots_listen(slots);
    for (int i = 0; i < slots->count; i++)
        if (slots->slot[i].number)
            app_child_serve(&slots->slot[i].process);
}

/* Evaluations that may end first want their results kept. */
int app_slots_give_up(void *context)
{
    struct app_slots *slots = context;

    app_slots_listen(slots);
    return slots->interrupts > (slots->running > 0);
}

int app_slots_leaders(struct app_slots *slots, const struct app_slot *but)
{
    int count = 0;

    if (slots->guard.pid)
        slots->leaders[count++] = slots->guard.pid;
    for (int i = 0; i < slots->count; i++)
        if (slots->slot[i].number && &slots->slot[i] != but)
            slots->leaders[count++] = slots->slot[i].process.pid;
    return count;
}

void app_slots_reap(struct app_slots *slots)
{
    if (slots->alone)
        app_reap_children(app_slots_leaders(slots, NULL), slots->leaders);
}
