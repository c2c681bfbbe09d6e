/*
 * Whether the caller of a long computation still wants its result. The caller's callback is called on the
 * caller's own thread alone; the workers see what it answered.
 */
#ifndef CKG_BASE_INTERRUPT_H
#define CKG_BASE_INTERRUPT_H

#include <pthread.h>
#include <stdatomic.h>

struct ckg__interrupt {
    int (*callback)(void *context); /* not 0: give up; NULL: nobody asks for that */
    void *context;
    pthread_t caller;
    atomic_int raised; /* 1 once the callback has said so */
};

/* A computation begins on this thread. */
void ckg__interrupt_begin(struct ckg__interrupt *interrupt);

/*
 * 1 when the computation is to end as soon as it can, whatever it leaves unfinished; interrupt may be NULL.
 */
int ckg__interrupted(struct ckg__interrupt *interrupt);

/* The computation is over: 1 when it was interrupted. */
int ckg__interrupt_end(struct ckg__interrupt *interrupt);

#endif
