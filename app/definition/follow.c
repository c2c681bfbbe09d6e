/* A definition of one's own that goes on as the store's. */
#include "definition/definition.h"

#include <string.h>

static int has_need(const struct app_evaluate *e, const struct app_need *need)
{
    for (int i = 0; i < e->needs.count; i++)
        if (!strcmp(e->needs.pair[i].name, need->name) && !strcmp(e->needs.pair[i].value, need->value))
            return 1;
    return 0;
}

/* What the other needs is needed here too. */
static int join_needs(struct app_definition *d, const struct app_evaluate *from)
{
    struct app_evaluate *to = &d->evaluate;
    const size_t most = (size_t)to->needs.count + (size_t)from->needs.count;
    struct app_need *needs = app_pool_new(&d->pool, most, sizeof *needs);

    if (!needs)
        return 0;
    for (int i = 0; i < to->needs.count; i++)
        needs[i] = to->needs.pair[i];
    to->needs.pair = needs;
    for (int i = from->needs.count - 1; i >= 0; i--)
        if (!has_need(to, &from->needs.pair[i]))
            needs[to->needs.count++] = from->needs.pair[i];
    return 1;
}

int app_definition_follow(struct app_definition *d, struct app_definition *kept, struct app_message *message)
{
    const int joined = join_needs(d, &kept->evaluate);

    /* How far, from which designs, and whether to stop before. */
    d->budget = kept->budget;
    d->initial = kept->initial;
    d->own_count = kept->own_count;
    d->own = kept->own;
    d->stop = kept->stop;
    d->evaluate.ahead = kept->evaluate.ahead;

    /* How designs are chosen. */
    d->policy = kept->policy;
    d->was_ckg = kept->was_ckg;
    d->settings_count = kept->settings_count;
    d->settings = kept->settings;
    d->has_seed = kept->has_seed;
    d->seed = kept->seed;
    d->failures = kept->failures;
    memcpy(d->model, kept->model, sizeof d->model);

    app_pool_join(&d->pool, &kept->pool);
    app_definition_free(kept);
    return joined ? CKG_OK : app_fail(message, CKG_ERR_NOMEM, "out of memory");
}
