/*
 * Guards: who ends what evaluations started when the run itself can no longer do so. A run that is killed
 * (SIGKILL, out of memory) says nothing; daemons of its evaluations would live for ever, and such as have
 * cleared their environment could never be told from other processes.
 *
 * So a run has one process beside it, begun while it is small, which starts nothing but guards: for each
 * evaluation one, the parent of the evaluation and, as the system lets it, of every orphan below it. A guard
 * kills all of these when the evaluation has ended, or when the run has. It knows by a socket that closes.
 */
#ifndef CKG_APP_GUARD_H
#define CKG_APP_GUARD_H

#include <sys/types.h>

/* The process that starts guards; pid 0: there is none, and evaluations are children of the run. */
struct app_guard {
    pid_t pid;
    int socket;
};

/* Begins one, where the system has what it takes. For a process that exists for its run alone. */
void app_guard_begin(struct app_guard *guard);

/* Ends it; guards end with their evaluations. */
void app_guard_end(struct app_guard *guard);

/*
 * As app_spawn, under a guard. *watch is a descriptor that can be read when the evaluation has ended; closing
 * it ends the guard and whatever it guards. APP_NO_GUARD: there is no guard any longer.
 */
enum { APP_NO_GUARD = -1 };
int app_guard_spawn(struct app_guard *guard, char *const *words, char *const *environment, const char *folder,
                    const int files[3], pid_t *pid, int *watch);

/*
 * 1: the evaluation has ended, with *status as from waitpid, and all that it had started is dead. 0: it runs.
 * -1: the guard was killed; the evaluation is a child of the run now.
 */
int app_guard_hear(int watch, int *status);

#endif
