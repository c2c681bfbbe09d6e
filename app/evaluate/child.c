/* posix_spawn, pipes, and the end of a process group. */
#include "evaluate/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "evaluate/command_line.h"
#include "evaluate/results.h"
#include "evaluate/spawn.h"
#include "evaluate/workspace.h"

/* The same number on every architecture; older headers do not have it. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* Seconds: from the request to end, SIGTERM, to SIGKILL; between looks where the system does not tell the
 * end. */
static const double grace = 2;
static const double glance = 0.02;

/* --- starting --- */

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* theirs[0..2]: the child's ends; our own do not block. */
static int make_pipes(struct app_child *p, int theirs[3])
{
    int *const ours[3] = {&p->in, &p->out, &p->err};

    for (int i = 0; i < 3; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC))
            return 0;
        theirs[i] = ends[i ? 1 : 0];
        *ours[i] = ends[i ? 0 : 1];
        fcntl(*ours[i], F_SETFL, O_NONBLOCK);
    }
    return 1;
}

/* Something to poll for the end of a child of our own. */
static void watch_end(struct app_child *p)
{
    p->end = (int)syscall(SYS_pidfd_open, p->pid, 0);
}

/* Under the guard where there is one. 0 or an errno. */
static int launch(struct app_child *p, struct app_guard *guard, char **words, char **environment,
                  const char *folder, const int theirs[3])
{
    int error = guard && guard->pid
                    ? app_guard_spawn(guard, words, environment, folder, theirs, &p->pid, &p->end)
                    : APP_NO_GUARD;

    p->guarded = error != APP_NO_GUARD;
    if (p->guarded)
        return error;

    error = app_spawn(&p->pid, words, environment, folder, theirs);
    if (!error)
        watch_end(p);
    return error;
}

static int complain(struct app_message *message, const char *folder, const char *program, int error)
{
    struct stat info;

    if (stat(folder, &info) || !S_ISDIR(info.st_mode))
        return app_fail(message, CKG_ERR_SYSTEM,
                        "the working folder %s no longer exists; restore it, then run the same command again",
                        folder);
    const int scarce = error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
    return app_fail(message, CKG_ERR_SYSTEM,
                    "the evaluation '%s' cannot be started: %s; %s, then run the same command again", program,
                    strerror(error),
                    scarce ? "lower `parallel` or raise the limits (`ulimit -a`)" : "fix `command`");
}

static int start_process(struct app_child *p, const struct app_launcher *by, const struct app_order *order,
                         struct app_message *message)
{
    const struct app_definition *d = order->definition;
    struct app_pool pool = {0};
    int theirs[3] = {-1, -1, -1};
    int error = ENOMEM;

    /* Where it runs. */
    const int status = app_workspace_open(d, order->folder, p->place, order->x, message);
    if (status)
        return status;

    /* What it is told: arguments, environment, standard input. */
    char **words = app_command_line(&pool, d, order->folder, order->wants, order->x);
    words = app_command_line_after(&pool, d, words);
    char **environment = app_environment_make(&pool, d, order->trial, order->worker, order->wants);
    app_design_write(d, order->x, &p->input);
    app_text_add(&p->input, "\n", 1);

    /* The process, with pipes to it, and something to poll for its end. */
    if (words && environment && !p->input.failed)
        error = make_pipes(p, theirs) ? launch(p, by->guard, words, environment, p->place, theirs) : errno;
    for (int i = 0; i < 3; i++)
        shut(&theirs[i]);

    /* Its time begins. */
    p->started = app_clock();
    if (d->evaluate.timeout > 0)
        p->deadline = p->started + d->evaluate.timeout;

    app_pool_free(&pool);
    return error ? complain(message, p->place, d->evaluate.command[0], error) : CKG_OK;
}

/* --- while it runs --- */

static int poll_process(const struct app_child *p, struct pollfd *fds)
{
    int count = 0;

    if (p->end >= 0)
        fds[count++] = (struct pollfd){.fd = p->end, .events = POLLIN};
    if (p->in >= 0)
        fds[count++] = (struct pollfd){.fd = p->in, .events = POLLOUT};
    if (p->out >= 0)
        fds[count++] = (struct pollfd){.fd = p->out, .events = POLLIN};
    if (p->err >= 0)
        fds[count++] = (struct pollfd){.fd = p->err, .events = POLLIN};
    return count;
}

/* write without SIGPIPE: that is held back in this thread, and taken off where it was raised. */
static ssize_t write_quietly(int fd, const char *bytes, size_t length)
{
    sigset_t broken_pipe;
    sigset_t waiting;
    sigset_t before;

    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&waiting);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);

    const ssize_t sent = write(fd, bytes, length);
    const int error = errno;

    if (sent < 0 && error == EPIPE && !sigismember(&waiting, SIGPIPE))
        sigtimedwait(&broken_pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return sent;
}

/* The parameters; a child that does not want them closes its end, which is its right. */
static void write_input(struct app_child *p)
{
    while (p->in >= 0 && p->written < p->input.length) {
        const ssize_t sent = write_quietly(p->in, p->input.data + p->written, p->input.length - p->written);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent < 0)
            break;
        p->written += (size_t)sent;
    }
    shut(&p->in);
}

static void keep_log(struct app_child *p, const char *bytes, size_t length)
{
    for (size_t i = length > APP_LOG_BYTES ? length - APP_LOG_BYTES : 0; i < length; i++)
        p->log[(p->logged + i) % APP_LOG_BYTES] = bytes[i];
    p->logged += length;
}

void app_child_take(struct app_child *p, int is_output, const char *bytes, size_t length)
{
    if (is_output)
        app_answer_feed(&p->answer, bytes, length);
    else
        keep_log(p, bytes, length);
}

/* Reads up to `most` bytes; the descriptor is closed at its end. */
static void read_output(struct app_child *p, int *fd, size_t most)
{
    char block[65536];

    while (*fd >= 0 && most) {
        const ssize_t got = read(*fd, block, sizeof block < most ? sizeof block : most);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            shut(fd);
            return;
        }
        app_child_take(p, fd == &p->out, block, (size_t)got);
        most -= (size_t)got;
    }
}

static void serve_process(struct app_child *p)
{
    enum { AT_ONCE = 1 << 20 }; /* so that no evaluation keeps the others waiting */

    if (p->in >= 0)
        write_input(p);
    read_output(p, &p->out, AT_ONCE);
    read_output(p, &p->err, AT_ONCE);
}

/* To the whole group; where that is another user's by now, it is beyond our reach. */
static void send_signal(struct app_child *p, int number)
{
    p->beyond = kill(-p->pid, number) && errno == EPERM;
}

static void kill_process(struct app_child *p)
{
    p->killed = 1;
    send_signal(p, SIGKILL);
}

static double watch_process(struct app_child *p, double now)
{
    if (now >= p->deadline) {
        if (p->timed_out)
            kill_process(p);
        else
            send_signal(p, SIGTERM);
        p->timed_out = 1;
        p->deadline = p->beyond ? now : now + grace;
    }
    return p->end >= 0 ? p->deadline : fmin(p->deadline, now + glance);
}

/* --- when it has ended --- */

static void shut_all(struct app_child *p)
{
    shut(&p->end);
    shut(&p->in);
    shut(&p->out);
    shut(&p->err);
}

static void read_rest(struct app_child *p)
{
    enum { LEFT = 1 << 20 }; /* what a pipe can hold; a process outside the group may write for ever */

    read_output(p, &p->out, LEFT);
    read_output(p, &p->err, LEFT);
    app_answer_end(&p->answer);
}

/* What the guard says of the leader: 1 when it has ended. A guard that was killed leaves it to us. */
static int ask_guard(struct app_child *p)
{
    const int heard = app_guard_hear(p->end, &p->status);

    if (heard < 0) {
        p->guarded = 0;
        p->orphan = 1;
        shut(&p->end);
        watch_end(p);
    }
    return heard > 0;
}

/* 1 when the leader, a child of our own, has ended; its group ends with it. */
static int ask_system(struct app_child *p)
{
    siginfo_t info = {0};

    /* It stays unreaped for now, so that its number cannot be another's. */
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT)) {
        p->unknown = !p->orphan || kill(p->pid, 0);
        return p->unknown; /* an orphan may be ours in a moment */
    }
    if (!info.si_pid)
        return 0;
    kill(-p->pid, SIGKILL);
    waitpid(p->pid, &p->status, 0);
    return 1;
}

static int reap_process(struct app_child *p)
{
    assert(p->pid > 0);
    int ended = p->guarded && ask_guard(p);
    if (!p->guarded)
        ended = ask_system(p);
    if (!ended && !p->beyond)
        return 0;

    p->ended = app_clock();
    read_rest(p);
    shut_all(p);
    return 1;
}

static void free_process(struct app_child *p)
{
    shut_all(p);
}

static const struct app_way process_way = {
    .start = start_process,
    .poll = poll_process,
    .serve = serve_process,
    .watch = watch_process,
    .kill = kill_process,
    .reap = reap_process,
    .free = free_process,
};

/* --- whichever way --- */

int app_child_start(struct app_child *p, const struct app_launcher *by, const struct app_order *order,
                    struct app_message *message)
{
    *p = (struct app_child){.way = by->jobs ? &app_job_way : &process_way,
                            .end = -1,
                            .in = -1,
                            .out = -1,
                            .err = -1,
                            .deadline = INFINITY,
                            .answer = {.parts = order->definition->evaluate.part_count > 0},
                            .definition = order->definition,
                            .place = app_workspace_path(order->definition, order->folder, order->trial),
                            .failed = -1};
    const int status = p->place ? p->way->start(p, by, order, message) : app_no_memory(message);

    if (status)
        app_child_free(p);
    return status;
}

int app_child_poll(const struct app_child *p, struct pollfd *fds)
{
    return p->way->poll(p, fds);
}

void app_child_serve(struct app_child *p)
{
    p->way->serve(p);
}

double app_child_watch(struct app_child *p, double now)
{
    return p->way->watch(p, now);
}

void app_child_kill(struct app_child *p)
{
    p->way->kill(p);
}

int app_child_reap(struct app_child *p)
{
    return p->way->reap(p);
}

/* "exit status 2", and behind it the last line of standard error, which mostly says why. */
static int complain_of_exit(const struct app_child *p, struct app_message *why)
{
    enum { LONGEST = 300 };
    const int status = WEXITSTATUS(p->status);
    char *log = app_child_log(p);
    char *line = log;
    size_t length = log ? strlen(log) : 0;

    while (length && strchr(" \t\r\n", log[length - 1]))
        log[--length] = 0;
    for (size_t i = 0; i < length; i++)
        if (log[i] == '\n' || log[i] == '\r')
            line = log + i + 1;
    int shown = length ? (int)(log + length - line) : 0;
    if (shown > LONGEST)
        for (shown = LONGEST; shown && ((unsigned char)line[shown] & 0xC0) == 0x80; shown--)
            ; /* not inside a character */
    app_fail(why, 0, shown ? "exit status %d: %.*s" : "exit status %d", status, shown, shown ? line : "");
    free(log);
    return CKG_ERR_INVALID;
}

int app_child_not_found(const struct app_child *p, struct app_message *why)
{
    enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

    if (p->fault[0])
        return 0;
    if (p->unknown || p->timed_out || !WIFEXITED(p->status) ||
        (WEXITSTATUS(p->status) != NOT_EXECUTABLE && WEXITSTATUS(p->status) != NOT_FOUND))
        return 0;
    complain_of_exit(p, why);
    return 1;
}

/* By how it ended; then by what it wrote. */
static int read_result(struct app_child *p, const struct app_definition *d, int trial,
                       ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                       struct app_message *why)
{
    if (p->fault[0])
        return app_fail(why, CKG_ERR_INVALID, "%s", p->fault);
    if (p->unknown)
        return app_fail(why, CKG_ERR_INVALID,
                        "its exit status is unknown: another part of this program has collected it");
    if (p->timed_out)
        return app_fail(why, CKG_ERR_INVALID,
                        p->beyond ? "timed out after %g s; process %ld belongs to another user, cannot be "
                                    "killed and may still run"
                                  : "timed out after %g s",
                        d->evaluate.timeout, (long)p->pid);
    if (WIFSIGNALED(p->status))
        return app_fail(why, CKG_ERR_INVALID, "killed by signal %d (%s)", WTERMSIG(p->status),
                        strsignal(WTERMSIG(p->status)));
    if (WEXITSTATUS(p->status))
        return complain_of_exit(p, why);
    const int status = app_results_take(d, p->place, &p->answer, why);
    return status ? status : app_answer_read(&p->answer, d, trial, measured, count, rest, why);
}

int app_child_result(struct app_child *p, const struct app_definition *d, int trial,
                     ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                     struct app_message *why)
{
    *count = 0;
    *rest = (struct app_answer_rest){0};
    const int status = read_result(p, d, trial, measured, count, rest, why);

    p->failed = trial ? status != CKG_OK : -1; /* who has no number is nobody's trial */
    return status;
}

char *app_child_log(const struct app_child *p)
{
    struct app_text out = {0};
    const size_t kept = p->logged < APP_LOG_BYTES ? p->logged : APP_LOG_BYTES;
    char text[APP_LOG_BYTES];

    if (!kept)
        return NULL;
    for (size_t i = 0; i < kept; i++)
        text[i] = p->log[(p->logged - kept + i) % APP_LOG_BYTES];
    app_text_add_valid(&out, text, kept);
    if (out.failed)
        app_text_free(&out);
    return out.data;
}

void app_child_free(struct app_child *p)
{
    if (p->way)
        p->way->free(p);
    if (p->place && !p->unkept)
        app_workspace_close(p->definition, p->place, p->failed);
    free(p->place);
    app_text_free(&p->input);
    app_answer_free(&p->answer);
    *p = (struct app_child){.end = -1, .in = -1, .out = -1, .err = -1};
}
