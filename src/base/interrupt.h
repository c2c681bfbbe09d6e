/*
 * Whether the caller of a long computation still wants its result, and until when. The caller's callback is
 * called on the caller's own thread alone; the workers see what it answered.
 *
 * Who works long says how much it has done: the callback is asked once so much work is done, so that nobody
 * waits long for an end, and the callback costs nothing beside the work.
 */
#ifndef CKG_BASE_INTERRUPT_H
#define CKG_BASE_INTERRUPT_H

#include <pthread.h>
#include <stdatomic.h>

/* So many multiply-adds are done between two questions: a millisecond or two, on a slow machine twenty. */
enum { CKG__INTERRUPT_WORK = 20000000 };

/* So many more may be done when time is up, rather than to give up what is nearly there. */
enum { CKG__OVERDUE_WORK = 50000000 };

struct ckg__interrupt {
    int (*callback)(void *context); /* not 0: give up; NULL: nobody asks for that */
    void *context;
    pthread_t caller;
    atomic_int raised; /* 1 once the callback has said so */
    double done;       /* multiply-adds since it was asked, on the caller's thread */
    /*
     * On ckg__clock, 0 for none; changed between runs of tasks alone. By the limit the whole computation is
     * to have ended. When the deadline has passed, the stage under way is given up, soon: a small one may
     * end.
     */
    double limit, deadline;
    atomic_llong overdue; /* multiply-adds since the deadline passed */
};

/* Seconds on a clock that only goes forward. */
double ckg__clock(void);

/* A computation begins on this thread, which is to end within so many seconds; 0: whenever it does. */
void ckg__interrupt_begin(struct ckg__interrupt *interrupt, double seconds);

/* The stage that begins may last for this share of the time that is left; 0: it ends by itself. */
void ckg__interrupt_stage(struct ckg__interrupt *interrupt, double share);

/*
 * 1 when the computation is to end as soon as it can, whatever it leaves unfinished; interrupt may be NULL.
 */
int ckg__interrupted(struct ckg__interrupt *interrupt);

/*
 * The same for whoever is about to do so many multiply-adds; the callback is not asked every time. 1 also
 * once the deadline has passed, and CKG__OVERDUE_WORK after it.
 */
int ckg__interrupted_by(struct ckg__interrupt *interrupt, double work);

/* 1 when the limit has passed, which is why a stage may have been given up. */
int ckg__interrupt_expired(const struct ckg__interrupt *interrupt);

/* The computation is over: 1 when it was interrupted. */
int ckg__interrupt_end(struct ckg__interrupt *interrupt);

#endif
