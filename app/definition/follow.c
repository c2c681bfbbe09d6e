/* A definition of one's own that goes on as the store's. */
#include "definition/definition.h"

#include <stdlib.h>
#include <string.h>

/* Exchanges a member of two definitions, so that each is freed once. */
#define EXCHANGE(a, b, member)                                                                               \
    do {                                                                                                     \
        char bytes[sizeof((a)->member)];                                                                     \
        memcpy(bytes, &(a)->member, sizeof bytes);                                                           \
        memcpy(&(a)->member, &(b)->member, sizeof bytes);                                                    \
        memcpy(&(b)->member, bytes, sizeof bytes);                                                           \
    } while (0)

static int has_need(const struct app_evaluate *e, const struct app_need *need)
{
    for (int i = 0; i < e->needs_count; i++)
        if (!strcmp(e->needs[i].name, need->name) && !strcmp(e->needs[i].value, need->value))
            return 1;
    return 0;
}

/* What the other needs is needed here too; it loses it. */
static int join_needs(struct app_evaluate *to, struct app_evaluate *from)
{
    const size_t most = (size_t)to->needs_count + (size_t)from->needs_count;
    struct app_need *needs = from->needs_count ? realloc(to->needs, most * sizeof *needs) : to->needs;

    if (from->needs_count && !needs)
        return 0;
    to->needs = needs;
    for (int i = from->needs_count - 1; i >= 0; i--)
        if (!has_need(to, &from->needs[i])) {
            to->needs[to->needs_count++] = from->needs[i];
            from->needs[i] = from->needs[--from->needs_count];
        }
    return 1;
}

int app_definition_follow(struct app_definition *d, struct app_definition *kept, struct app_message *message)
{
    const int joined = join_needs(&d->evaluate, &kept->evaluate);

    /* How far, from which designs, and whether to stop before. */
    EXCHANGE(d, kept, budget);
    EXCHANGE(d, kept, initial);
    EXCHANGE(d, kept, own_count);
    EXCHANGE(d, kept, own);
    EXCHANGE(d, kept, stop);
    EXCHANGE(d, kept, evaluate.ahead);

    /* How designs are chosen. */
    EXCHANGE(d, kept, policy);
    EXCHANGE(d, kept, settings_count);
    EXCHANGE(d, kept, settings);
    EXCHANGE(d, kept, has_seed);
    EXCHANGE(d, kept, seed);
    EXCHANGE(d, kept, failures);
    EXCHANGE(d, kept, model);

    app_definition_free(kept);
    return joined ? CKG_OK : app_fail(message, CKG_ERR_NOMEM, "out of memory");
}
