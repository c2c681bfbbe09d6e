/* Asking the caller, on the caller's thread. */
#include "base/interrupt.h"

#include <stddef.h>
#include <time.h>

double ckg__clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ckg__interrupt_begin(struct ckg__interrupt *interrupt, double seconds)
{
    interrupt->caller = pthread_self();
    interrupt->done = 0;
    interrupt->limit = seconds > 0 ? ckg__clock() + seconds : 0;
    interrupt->deadline = 0;
    atomic_store(&interrupt->overdue, 0);
    atomic_store(&interrupt->raised, 0);
}

void ckg__interrupt_stage(struct ckg__interrupt *interrupt, double share)
{
    if (!interrupt)
        return;
    const double now = share > 0 && interrupt->limit > 0 ? ckg__clock() : 0;

    atomic_store(&interrupt->overdue, 0);
    interrupt->deadline = now > 0 ? interrupt->limit - (1 - share) * (interrupt->limit - now) : 0;
}

/* 1 when the callback, asked now, wants no result. */
static int ask(struct ckg__interrupt *interrupt)
{
    interrupt->done = 0;
    if (!interrupt->callback(interrupt->context))
        return 0;
    atomic_store(&interrupt->raised, 1);
    return 1;
}

static int is_caller(const struct ckg__interrupt *interrupt)
{
    return pthread_equal(pthread_self(), interrupt->caller);
}

int ckg__interrupted(struct ckg__interrupt *interrupt)
{
    if (!interrupt || !interrupt->callback)
        return 0;
    if (atomic_load_explicit(&interrupt->raised, memory_order_relaxed))
        return 1;
    return is_caller(interrupt) && ask(interrupt);
}

/* 1 when too much has been done since the deadline. */
static int is_overdue(struct ckg__interrupt *interrupt, double work)
{
    const long long more = (long long)work;

    return interrupt->deadline > 0 && ckg__clock() > interrupt->deadline &&
           atomic_fetch_add(&interrupt->overdue, more) + more > CKG__OVERDUE_WORK;
}

/* The work is counted before it is done, so that what lies between two questions is never more. */
int ckg__interrupted_by(struct ckg__interrupt *interrupt, double work)
{
    if (!interrupt)
        return 0;
    if (atomic_load_explicit(&interrupt->raised, memory_order_relaxed))
        return 1;
    if (interrupt->callback && is_caller(interrupt)) {
        const int due = interrupt->done + work > CKG__INTERRUPT_WORK;
        if (due && ask(interrupt))
            return 1;
        interrupt->done += work;
    }
    return is_overdue(interrupt, work);
}

int ckg__interrupt_expired(const struct ckg__interrupt *interrupt)
{
    return interrupt->limit > 0 && ckg__clock() > interrupt->limit;
}

int ckg__interrupt_end(struct ckg__interrupt *interrupt)
{
    interrupt->limit = interrupt->deadline = 0;
    return atomic_exchange(&interrupt->raised, 0);
}
