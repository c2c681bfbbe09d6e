/* Asking the caller, on the caller's thread. */
#include "base/interrupt.h"

#include <stddef.h>

void ckg__interrupt_begin(struct ckg__interrupt *interrupt)
{
    interrupt->caller = pthread_self();
    atomic_store(&interrupt->raised, 0);
}

int ckg__interrupted(struct ckg__interrupt *interrupt)
{
    if (!interrupt || !interrupt->callback)
        return 0;
    if (atomic_load_explicit(&interrupt->raised, memory_order_relaxed))
        return 1;
    if (!pthread_equal(pthread_self(), interrupt->caller) || !interrupt->callback(interrupt->context))
        return 0;

    atomic_store(&interrupt->raised, 1);
    return 1;
}

int ckg__interrupt_end(struct ckg__interrupt *interrupt)
{
    return atomic_exchange(&interrupt->raised, 0);
}
