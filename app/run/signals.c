/* A handler that writes a byte into a pipe. */
#include "run/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <ckg/status.h>

static const int heard[APP_SIGNALS] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* The handler's end of the pipe: a handler is given nothing but its number. */
static volatile sig_atomic_t entrance = -1;

/* What SIGTERM and a closed terminal ask for: mostly they leave no time to wait for what runs. */
static volatile sig_atomic_t hasty = APP_STOP_KILL;

static void on_signal(int number)
{
    const int saved = errno;
    const char request = number == SIGINT ? APP_STOP_FINISH : (char)hasty;

    if (write(entrance, &request, 1) < 0)
        errno = saved; /* full: enough is waiting to be read */
    errno = saved;
}

int app_signals_listen(struct app_signals *signals, enum app_stop terminate, struct app_message *message)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return app_fail(message, CKG_ERR_SYSTEM, "cannot make a pipe for signals: %s", strerror(errno));
    signals->stop = ends[0];
    entrance = ends[1];
    hasty = terminate;

    /* A child that does not read its input, or nobody that reads our lines. */
    signal(SIGPIPE, SIG_IGN);

    /* Where the end of a child is ignored, its exit status is lost. */
    sigemptyset(&action.sa_mask);
    sigemptyset(&usual.sa_mask);
    for (int i = 0; i < APP_SIGNALS; i++) {
        sigaction(heard[i], NULL, &signals->before[i]);
        if (heard[i] == SIGCHLD)
            sigaction(heard[i], &usual, NULL);
        else if (signals->before[i].sa_handler != SIG_IGN)
            sigaction(heard[i], &action, NULL);
    }
    return CKG_OK;
}

void app_signals_forget(struct app_signals *signals)
{
    for (int i = 0; i < APP_SIGNALS; i++)
        sigaction(heard[i], &signals->before[i], NULL);
    close(entrance);
    close(signals->stop);
    entrance = -1;
    signals->stop = -1;
}
