/* A list, since few other machines share a store. */
#include "store/heartbeats.h"

#include <stdlib.h>

#include "base/clock.h"

static struct app_sighting *find(const struct app_sightings *s, int64_t worker)
{
    for (int i = 0; i < s->count; i++)
        if (s->seen[i].worker == worker)
            return &s->seen[i];
    return NULL;
}

/* Room for one more. */
static int grow(struct app_sightings *s)
{
    if (s->count < s->capacity)
        return 1;

    const int capacity = 2 * s->capacity + 8;
    struct app_sighting *seen = realloc(s->seen, (size_t)capacity * sizeof *seen);
    if (!seen)
        return 0;
    s->seen = seen;
    s->capacity = capacity;
    return 1;
}

const struct app_sighting *app_sightings_note(struct app_sightings *s, int64_t worker, double heartbeat)
{
    struct app_sighting *seen = find(s, worker);

    if (!seen && grow(s)) {
        seen = &s->seen[s->count++];
        *seen = (struct app_sighting){.worker = worker, .heartbeat = heartbeat, .since = app_clock()};
    }
    if (seen && seen->heartbeat != heartbeat)
        *seen = (struct app_sighting){worker, heartbeat, app_clock(), 1};
    return seen;
}

void app_sightings_free(struct app_sightings *s)
{
    free(s->seen);
    *s = (struct app_sightings){0};
}
