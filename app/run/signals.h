/*
 * Signals of the process as requests to a run: for a program that does nothing but run. One at a time, since
 * a process has only one handler per signal.
 */
#ifndef CKG_APP_SIGNALS_H
#define CKG_APP_SIGNALS_H

#include <signal.h>

#include "run/run.h"

enum { APP_SIGNALS = 5 };

struct app_signals {
    int stop; /* for app_runner_options */
    struct sigaction before[APP_SIGNALS];
};

/*
 * From here on SIGINT asks to finish, SIGTERM, SIGHUP and SIGQUIT for what `terminate` says. What the process
 * was started with to ignore, by nohup or in the background of a script, stays ignored.
 */
int app_signals_listen(struct app_signals *signals, enum app_stop terminate, struct app_message *message);

/* What follows the run can be interrupted as any program can. */
void app_signals_forget(struct app_signals *signals);

#endif
