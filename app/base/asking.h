/* How somebody who waits is asked whether he still wants what he waits for. */
#ifndef CKG_APP_ASKING_H
#define CKG_APP_ASKING_H

#include <stddef.h>

/* Zeroes: it is always wanted. */
struct app_asking {
    int (*is_unwanted)(void *context); /* 1: give up */
    void *context;
};

static inline int app_is_unwanted(const struct app_asking *asking)
{
    return asking && asking->is_unwanted && asking->is_unwanted(asking->context);
}

#endif
