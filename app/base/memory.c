/* Two counters. */
#include "base/memory.h"

#include <stdatomic.h>

#include <ckg/status.h>

static atomic_long all;
static _Thread_local long mine;

void app_memory_failed(void)
{
    all++;
    mine++;
}

int app_memory_note(int status)
{
    if (status == CKG_ERR_NOMEM)
        app_memory_failed();
    return status;
}

long app_memory_failures(void)
{
    return mine;
}

long app_memory_failures_of_all(void)
{
    return all;
}
