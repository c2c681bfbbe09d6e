/* The registry of policies. */
#include "suggest/policy.h"

#include <string.h>

static const struct ckg__policy *const rows[] = {&ckg__policy_ckg, &ckg__policy_cei};

const struct ckg__policy *ckg__policy_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i]->name, name))
            return rows[i];
    return NULL;
}
