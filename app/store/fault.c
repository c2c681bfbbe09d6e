/*
 * CKG_FAULT=kill:N ends the process by SIGKILL at the N-th place passed, CKG_FAULT=full:N lets the database
 * fail there. Places are counted from 1 in each process.
 */
#include "store/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int app_fault(void)
{
    static atomic_long passed;
    const char *fault = getenv("CKG_FAULT");
    const char *number = fault ? strchr(fault, ':') : NULL;
    if (!number || ++passed != strtol(number + 1, NULL, 10))
        return 0;
    if (!strncmp(fault, "kill", 4))
        raise(SIGKILL);
    return 1;
}
