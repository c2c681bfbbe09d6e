/*
 * Who of other machines is alive. Their clocks and ours may differ by any amount, and each may be set while a
 * run goes on; so no two clocks are compared. A heartbeat is alive while it changes, and how long it has not
 * is measured by our own clock, which only goes forward, from when we first saw it.
 */
#ifndef CKG_APP_HEARTBEATS_H
#define CKG_APP_HEARTBEATS_H

#include <stdint.h>

struct app_heartbeats {
    int count, capacity;
    struct app_heartbeat {
        int64_t worker;
        double heartbeat; /* as it was last seen */
        double since;     /* when it was first seen so, by app_clock */
        int changed;      /* 1: it was another before */
    } * seen;             /* (count) */
};

/* A worker's heartbeat is seen now; its sighting, NULL without memory. */
const struct app_heartbeat *app_heartbeats_note(struct app_heartbeats *heartbeats, int64_t worker,
                                                double heartbeat);

void app_heartbeats_free(struct app_heartbeats *heartbeats);

#endif
