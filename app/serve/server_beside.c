/*
 * A server beside a run: a process of its own, so that whatever befalls it the run goes on. It is no child of
 * the run, which looks after its children, and it is in a session of its own, so that Ctrl-C reaches the run
 * alone; it looks three times a second whether the run is still there.
 */
#include "serve/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "evaluate/machine.h"

/* How long to wait for its first word. */
static const double patience = 10;

/* Serves, with nothing of the run's but the way to say where; returns never. */
static void serve(struct app_server *s)
{
    struct app_message message = {{0}};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int i = 0; nowhere >= 0 && i < 3; i++)
        dup2(nowhere, i);
    const int status = app_serve(s, &message);
    if (status && write(s->said, message.text, strlen(message.text)) < 0)
        _exit(2);
    _exit(status != CKG_OK);
}

/* All that is said before the other end is closed, or until that takes too long. */
static void listen_to(int said, struct app_text *out)
{
    const double until = app_clock() + patience;
    char bytes[512];
    ssize_t got = 1;

    while (got > 0) {
        struct pollfd fd = {.fd = said, .events = POLLIN};
        const double left = until - app_clock();
        if (left <= 0 || poll(&fd, 1, (int)(1e3 * left)) <= 0)
            break;
        got = read(said, bytes, sizeof bytes);
        if (got > 0)
            app_text_add(out, bytes, (size_t)got);
    }
    while (out->length && out->data[out->length - 1] == '\n')
        out->data[--out->length] = 0;
}

int app_serve_beside(struct app_server *s, struct app_text *said, struct app_message *message)
{
    int pipe[2];

    s->process = getpid();
    s->born = app_process_born(getpid());
    if (pipe2(pipe, O_CLOEXEC))
        return app_fail(message, CKG_ERR_SYSTEM, "no server: %s", strerror(errno));
    const pid_t child = fork();
    if (!child) {
        if (setsid() < 0 || fork())
            _exit(0);
        close(pipe[0]);
        s->said = pipe[1];
        serve(s);
    }
    close(pipe[1]);
    if (child > 0) {
        waitpid(child, NULL, 0);
        listen_to(pipe[0], said);
    }
    close(pipe[0]);
    return child > 0 ? CKG_OK : app_fail(message, CKG_ERR_SYSTEM, "no server: %s", strerror(errno));
}
