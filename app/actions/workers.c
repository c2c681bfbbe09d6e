/* The workers of a store and the trials that they have, gathered. */
#include "actions/workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "evaluate/machine.h"

/* What is gathered, and where we are. */
struct gathering {
    struct app_workers *workers;
    struct app_message *message;
    char machine[256];
};

/* --- trials --- */

static int take_lease(void *context, const struct app_lease *lease)
{
    struct gathering *g = context;
    struct app_workers *workers = g->workers;
    struct app_assigned *assigned = realloc(workers->assigned,
                                            ((size_t)workers->assigned_count + 1) * sizeof *assigned);

    if (!assigned)
        return app_no_memory(g->message);
    workers->assigned = assigned;
    assigned[workers->assigned_count++] = (struct app_assigned){lease->worker.id, lease->number, lease->left};
    return CKG_OK;
}

static int has_trial(const struct app_workers *workers, int64_t worker)
{
    for (int i = 0; i < workers->assigned_count; i++)
        if (workers->assigned[i].worker == worker)
            return 1;
    return 0;
}

/* --- workers --- */

/* The list of its labels, as it stands in what it says of itself. */
static char *labels_of(const char *about)
{
    json_t *object = about ? json_loads(about, 0, NULL) : NULL;
    json_t *list = json_object_get(object, "labels");
    struct app_text out = {0};

    if (json_is_array(list)) {
        app_json_open(&out, NULL, '[');
        for (size_t i = 0; i < json_array_size(list); i++)
            app_json_add_string(&out, NULL, json_string_value(json_array_get(list, i)));
        app_json_close(&out, ']');
    }
    json_decref(object);
    return out.data;
}

/* Of our own machine it is known; of another, by its silence. */
static int is_alive(const struct gathering *g, const struct app_worker_seen *seen)
{
    if (!strcmp(seen->worker.machine, g->machine))
        return !app_process_gone(seen->worker.process, seen->worker.born);
    return seen->silent <= APP_STORE_SILENCE;
}

static int take_worker(void *context, const struct app_worker_seen *seen)
{
    struct gathering *g = context;
    struct app_workers *workers = g->workers;
    const int alive = is_alive(g, seen);

    /* Only who lives, or has something. */
    if (!alive && !has_trial(workers, seen->worker.id))
        return CKG_OK;
    struct app_member *member = realloc(workers->member, ((size_t)workers->count + 1) * sizeof *member);
    if (!member)
        return app_no_memory(g->message);
    workers->member = member;

    member += workers->count++;
    *member = (struct app_member){
        .id = seen->worker.id,
        .process = seen->worker.process,
        .slots = seen->worker.slots,
        .labels = labels_of(seen->worker.about),
        .age = seen->age,
        .silent = seen->silent,
        .alive = alive,
    };
    snprintf(member->host, sizeof member->host, "%.*s", (int)strcspn(seen->worker.machine, " "),
             seen->worker.machine);
    return CKG_OK;
}

int app_workers_find(const struct app_study *n, struct app_workers *out)
{
    struct gathering g = {.workers = out, .message = n->message};

    *out = (struct app_workers){0};
    if (!n->id)
        return CKG_OK;
    app_machine_name(g.machine);
    const int status = app_store_leases(n->store, n->id, take_lease, &g, n->message);
    return status ? status : app_store_workers(n->store, take_worker, &g, n->message);
}

const char *app_workers_worker(const struct app_workers *workers, const struct app_trial *t, char *buffer)
{
    for (int i = 0; i < workers->assigned_count; i++)
        for (int k = 0; workers->assigned[i].number == t->number && k < workers->count; k++)
            if (workers->member[k].id == workers->assigned[i].worker) {
                snprintf(buffer, 96, "%s %lld", workers->member[k].host,
                         (long long)workers->member[k].process);
                return buffer;
            }
    return t->evaluator;
}

void app_workers_free(struct app_workers *workers)
{
    for (int i = 0; i < workers->count; i++)
        free(workers->member[i].labels);
    free(workers->member);
    free(workers->assigned);
    *workers = (struct app_workers){0};
}

/* --- pace --- */

double app_study_pace(const struct app_study *n)
{
    enum { MOST = 20 };
    double first = NAN;
    double last = NAN;
    int count = 0;

    for (int i = n->count - 1; i >= 0 && count < MOST; i--) {
        const struct app_trial *t = &n->trials[i];
        if (isnan(t->asked) || !strcmp(t->origin, "user"))
            continue;
        last = isnan(last) ? t->asked : fmax(last, t->asked);
        first = isnan(first) ? t->asked : fmin(first, t->asked);
        count++;
    }
    return count > 1 && last > first ? 60 * (count - 1) / (last - first) : NAN;
}
