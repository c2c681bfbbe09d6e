/*
 * An evaluation, wherever it runs: as a process of this machine, or as a job of a cluster (evaluate/jobs.h).
 * As a process it has its own group, JSON on its standard input, its answer on standard output, the end of
 * its standard error kept. Nothing here blocks; the caller polls the descriptors and the clock. It is waited
 * for by its own number, so that other children of the process are nobody's concern, and no signal of the
 * process is touched.
 */
#ifndef CKG_APP_CHILD_H
#define CKG_APP_CHILD_H

#include <poll.h>
#include <sys/types.h>

#include "base/clock.h"
#include "evaluate/answer.h"
#include "evaluate/guard.h"

enum { APP_LOG_BYTES = 4096, APP_CHILD_FDS = 4 };

struct app_child;
struct app_jobs;
struct app_job;

/* Where evaluations run: on this machine, under a guard or with NULL without; or as jobs of a cluster. */
struct app_launcher {
    struct app_guard *guard;
    struct app_jobs *jobs; /* NULL: there is no cluster */
};

/* What is to be evaluated. */
struct app_order {
    const struct app_definition *definition;
    const char *folder; /* where the command runs */
    const char *worker; /* ours by app_run_word */
    int trial;
    int again;                     /* 1: it was begun before, so a job of it may live */
    const double *x;               /* (d) */
    const struct app_wants *wants; /* what to measure */
};

/* A way to run evaluations; the functions below are its. */
struct app_way {
    int (*start)(struct app_child *process, const struct app_launcher *by, const struct app_order *order,
                 struct app_message *message);
    int (*poll)(const struct app_child *process, struct pollfd *fds);
    void (*serve)(struct app_child *process);
    double (*watch)(struct app_child *process, double now);
    void (*kill)(struct app_child *process);
    int (*reap)(struct app_child *process);
    void (*free)(struct app_child *process);
};

extern const struct app_way app_job_way;

struct app_child {
    const struct app_way *way; /* NULL: none */
    pid_t pid;                 /* 0: none */
    int guarded;               /* it runs under a guard, not as a child of ours */
    int orphan;                /* it did, but the guard was killed */
    int end;                   /* can be read when it has ended; -1 where the system cannot tell so */
    int in, out, err;          /* our ends, -1 when closed */
    struct app_text input;
    size_t written;
    struct app_answer answer;
    char log[APP_LOG_BYTES]; /* the last bytes of standard error, as a ring */
    size_t logged;
    double started, ended, deadline; /* by app_clock; deadline INFINITY: none */
    int timed_out, killed;
    int beyond; /* it is another user's by now and cannot be killed: it is left to itself */
    int status; /* as from waitpid, when it ended */
    const struct app_definition *definition;
    char *place; /* the folder in which it runs */
    int failed;  /* 1: it gave no answer; -1: that was not looked at */
    int unknown; /* somebody else in the process has waited for it, and has its status */

    /* as a job */
    struct app_job *job;
    int refused;     /* the cluster does not take it, so it never ends; why is in `fault` */
    int unkept;      /* set by the caller where its result is not in the store, so that its files stay */
    char fault[256]; /* why it failed where that is not by its exit status; "" otherwise */
};

/* Starts what is ordered. CKG_ERR_SYSTEM: it cannot be started at all. */
int app_child_start(struct app_child *process, const struct app_launcher *by, const struct app_order *order,
                    struct app_message *message);

/* What to poll for, at most APP_CHILD_FDS entries; how many. */
int app_child_poll(const struct app_child *process, struct pollfd *fds);

/* Reads and writes what can be without waiting. */
void app_child_serve(struct app_child *process);

/* Enforces the time limit; when to look again. */
double app_child_watch(struct app_child *process, double now);

/* Kills the whole group at once. */
void app_child_kill(struct app_child *process);

/*
 * 1 when the leader has ended, or cannot be made to: its group is killed, what is left of its output read,
 * everything closed. 0: it still runs.
 */
int app_child_reap(struct app_child *process);

/*
 * Outcomes by the process that has ended, and what else it answered, or CKG_ERR_INVALID and why it failed.
 * The rest is the caller's to free, whatever comes of it.
 */
int app_child_result(struct app_child *process, const struct app_definition *definition, int trial,
                     ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                     struct app_message *why);

/*
 * 1 when it ended as shells do that cannot find or run a command (status 127 or 126), with what that says in
 * the message.
 */
int app_child_not_found(const struct app_child *process, struct app_message *why);

/* More of what it wrote on standard output, or on standard error. */
void app_child_take(struct app_child *process, int is_output, const char *bytes, size_t length);

/* The end of its standard error as valid text, NULL for nothing; the caller frees it. */
char *app_child_log(const struct app_child *process);

void app_child_free(struct app_child *process);

#endif
