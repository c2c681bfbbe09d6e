/* The schedulers there are. */
#include "evaluate/scheduler.h"

#include <string.h>

extern const struct app_scheduler app_scheduler_slurm;

static const struct app_scheduler *const schedulers[] = {&app_scheduler_slurm};

const struct app_scheduler *app_scheduler_find(const char *name)
{
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++)
        if (!strcmp(schedulers[i]->name, name))
            return schedulers[i];
    return NULL;
}
