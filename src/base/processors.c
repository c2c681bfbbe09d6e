/* How many processors there are for this process (threads.h). */
#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "base/threads.h"

#include <sched.h>
#include <unistd.h>

#if defined(__linux__)
/* Those that it may run on: a batch system or taskset leaves a job fewer than the machine has. */
static long allowed(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}
#else
static long allowed(void)
{
    return 0;
}
#endif

int ckg__processors(void)
{
    const long may = allowed();
    const long processors = may > 0 ? may : sysconf(_SC_NPROCESSORS_ONLN);

    return processors < 1 ? 1 : (int)processors;
}
