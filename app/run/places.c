/* Places for evaluations: one poll over their pipes and ends, requests to stop, news of the store, and the
 * clock. */
#include "run/places.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "evaluate/machine.h"
#include "run/run.h"

int app_places_make(struct app_places *places, int count, struct app_message *message)
{
    places->count = count;
    places->place = calloc((size_t)count + 1, sizeof *places->place);
    places->leaders = calloc((size_t)count + 1, sizeof *places->leaders);
    places->fds = calloc(APP_CHILD_FDS * (size_t)count + 2, sizeof *places->fds);
    return places->place && places->leaders && places->fds
               ? CKG_OK
               : app_fail(message, CKG_ERR_NOMEM, "out of memory");
}

void app_places_begin(struct app_places *places)
{
    if (!places->alone)
        return;
    places->inherited = app_has_children();
    app_adopt_orphans();
    app_guard_begin(&places->guard);
}

void app_places_end(struct app_places *places)
{
    app_guard_end(&places->guard);
    free(places->place);
    free(places->leaders);
    free(places->fds);
}

/* Each byte says how urgent it is. Who has closed the other end asks for nothing any more. */
void app_places_listen(struct app_places *places)
{
    char bytes[64];
    ssize_t got;

    while (places->stop >= 0 && (got = read(places->stop, bytes, sizeof bytes)) >= 0) {
        for (ssize_t i = 0; i < got; i++) {
            places->interrupts += bytes[i] == APP_STOP_KILL ? 2 : 1;
            if (bytes[i] == APP_STOP_SOON && !(places->hurried > 0))
                places->hurried = app_clock();
        }
        if (!got)
            places->stop = -1;
    }
}

void app_places_wait(struct app_places *places, double until)
{
    const double now = app_clock();
    int count = 2;

    /* What can happen: a request, news from the store, or something with an evaluation. */
    places->fds[0] = (struct pollfd){.fd = places->stop, .events = POLLIN};
    places->fds[1] = (struct pollfd){.fd = places->news, .events = POLLIN};
    for (int i = 0; i < places->count; i++) {
        if (!places->place[i].number)
            continue;
        until = fmin(until, app_child_watch(&places->place[i].process, now));
        count += app_child_poll(&places->place[i].process, places->fds + count);
    }
    poll(places->fds, (nfds_t)count, (int)ceil(1e3 * fmax(until - now, 0)));

    app_places_listen(places);
    for (int i = 0; i < places->count; i++)
        if (places->place[i].number)
            app_child_serve(&places->place[i].process);
}

/* Evaluations that may end first want their results kept. */
int app_places_give_up(void *context)
{
    struct app_places *places = context;

    app_places_listen(places);
    return places->interrupts > (places->running > 0);
}

int app_places_leaders(struct app_places *places, const struct app_place *but)
{
    int count = 0;

    if (places->guard.pid)
        places->leaders[count++] = places->guard.pid;
    for (int i = 0; i < places->count; i++)
        if (places->place[i].number && &places->place[i] != but)
            places->leaders[count++] = places->place[i].process.pid;
    return count;
}

void app_places_reap(struct app_places *places)
{
    if (places->alone)
        app_reap_children(app_places_leaders(places, NULL), places->leaders);
}
