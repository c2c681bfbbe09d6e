/*
 * What C adds to the library for Python: whether a signal, such as that of Ctrl-C, wants a long call to end.
 *
 * The library asks thousands of times a second, without the interpreter's lock. To look at signals is to take
 * that lock, which waits up to 5 ms for another thread of Python. So it is done 40 times a second, and only
 * on the thread that handles signals.
 */
#include <ckg/ckg.h>

#include <time.h>

#ifdef PYCKG_STORE
#include "bridge/study.h"
#endif

struct pyckg_watch {
    int signals; /* 1: this thread handles signals */
    double next; /* when to look again, on the monotonic clock */
};

static int pyckg_handle_signals(void *watch);

static double monotonic_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int pyckg_interrupted(void *context)
{
    struct pyckg_watch *watch = context;

    if (!watch->signals)
        return 0;

    const double now = monotonic_seconds();
    if (now < watch->next)
        return 0;
    watch->next = now + 0.025;
    return pyckg_handle_signals(watch);
}
