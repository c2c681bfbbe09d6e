/* A list, since few other machines share a store. */
#include "store/heartbeats.h"

#include <stdlib.h>

#include "base/clock.h"

static struct app_heartbeat *find(const struct app_heartbeats *s, int64_t worker)
{
    for (int i = 0; i < s->count; i++)
        if (s->seen[i].worker == worker)
            return &s->seen[i];
    return NULL;
}

/* Room for one more. */
static int grow(struct app_heartbeats *s)
{
    if (s->count < s->capacity)
        return 1;

    const int capacity = 2 * s->capacity + 8;
    struct app_heartbeat *seen = realloc(s->seen, (size_t)capacity * sizeof *seen);
    if (!seen)
        return 0;
    s->seen = seen;
    s->capacity = capacity;
    return 1;
}

const struct app_heartbeat *app_heartbeats_note(struct app_heartbeats *s, int64_t worker, double heartbeat)
{
    struct app_heartbeat *seen = find(s, worker);

    if (!seen && grow(s)) {
        seen = &s->seen[s->count++];
        *seen = (struct app_heartbeat){.worker = worker, .heartbeat = heartbeat, .since = app_clock()};
    }
    if (seen && seen->heartbeat != heartbeat)
        *seen = (struct app_heartbeat){worker, heartbeat, app_clock(), 1};
    return seen;
}

void app_heartbeats_free(struct app_heartbeats *s)
{
    free(s->seen);
    *s = (struct app_heartbeats){0};
}
