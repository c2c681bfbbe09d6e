/*
 * The run sends a request over a socket: how many words and variables there are and how many bytes they take,
 * with four descriptors; then the bytes: the folder, the words, the variables, a zero behind each. The guard
 * answers over the fourth descriptor: first the number of the process or an errno, then how it ended.
 */
#include "evaluate/guard.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "evaluate/machine.h"
#include "evaluate/spawn.h"

enum { FILES = 4, REPORT = 3 };

struct head {
    size_t bytes;
    int words, variables;
};

struct answer {
    int error; /* an errno, 0: it runs */
    pid_t pid;
};

/* --- bytes over a socket --- */

static int send_all(int socket, const char *bytes, size_t length)
{
    while (length) {
        const ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return 0;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 1;
}

static int receive_all(int socket, void *bytes, size_t length)
{
    char *at = bytes;

    while (length) {
        const ssize_t got = recv(socket, at, length, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        at += got;
        length -= (size_t)got;
    }
    return 1;
}

/* The head with the descriptors; 0 when nobody is there. */
static int send_head(int socket, const struct head *head, const int files[FILES])
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(FILES * sizeof(int))] = {0};
    struct iovec part = {(void *)head, sizeof *head};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    ssize_t sent;

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(FILES * sizeof(int));
    memcpy(CMSG_DATA(rights), files, FILES * sizeof(int));
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof *head;
}

static int receive_head(int socket, struct head *head, int files[FILES])
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(FILES * sizeof(int))];
    struct iovec part = {head, sizeof *head};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got;

    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (got < 0 && errno == EINTR);

    const struct cmsghdr *rights = got == sizeof *head ? CMSG_FIRSTHDR(&message) : NULL;
    if (!rights || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(FILES * sizeof(int)))
        return 0;
    memcpy(files, CMSG_DATA(rights), FILES * sizeof(int));
    return 1;
}

/* --- a guard --- */

static void on_child(int number)
{
    (void)number; /* it interrupts a poll */
}

/* As from waitpid. */
static int status_of(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED   ? (info->si_status & 0xFF) << 8
           : info->si_code == CLD_DUMPED ? info->si_status | 0x80
                                         : info->si_status;
}

/* Takes leave of orphans that have ended. 1 when the leader has, which stays: its number is not another's
 * then. */
static int look(pid_t leader, int *status)
{
    siginfo_t info;

    for (;;) {
        info = (siginfo_t){0};
        if (waitid(P_PID, (id_t)leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
            *status = status_of(&info);
            return 1;
        }
        info = (siginfo_t){0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || !info.si_pid)
            return 0;
        if (info.si_pid != leader)
            waitpid(info.si_pid, NULL, 0);
    }
}

/* Waits until the leader has ended, or the run has; 1: the leader. SIGCHLD is blocked but while it waits. */
static int watch(int report, pid_t leader, int *status)
{
    struct pollfd fd = {.fd = report, .events = POLLIN};
    sigset_t open;

    sigprocmask(SIG_SETMASK, NULL, &open);
    sigdelset(&open, SIGCHLD);
    while (!look(leader, status))
        if (ppoll(&fd, 1, NULL, &open) > 0)
            return 0;
    return 1;
}

/* Until the run has closed its end. */
static void wait_for_run(int report)
{
    char unused;

    while (recv(report, &unused, 1, 0) < 0 && errno == EINTR)
        ;
}

/* Guards the process to its end, and lets nothing of it remain. */
static void guard(int report, pid_t leader)
{
    int status = 0;
    const int ended = watch(report, leader, &status);

    kill(-leader, SIGKILL);
    app_kill_children(NULL, 0, 1, &leader);
    if (ended && send_all(report, (const char *)&status, sizeof status))
        wait_for_run(report);
    app_kill_children(NULL, 0, 0, NULL);
}

/* The strings one after the other, as a list; *text is behind them then. */
static char **list(char **text, int count)
{
    char **out = calloc((size_t)count + 1, sizeof *out);

    for (int i = 0; out && i < count; i++) {
        out[i] = *text;
        *text += strlen(*text) + 1;
    }
    return out;
}

/* A guard from its beginning; it does not return. */
static void begin_guard(const struct head *head, char *text, const int files[FILES])
{
    struct sigaction action = {.sa_handler = on_child};
    struct answer answer = {.error = ENOMEM};
    sigset_t child;

    /* The end of a child interrupts a poll, and nothing else. */
    sigemptyset(&action.sa_mask);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    sigaction(SIGCHLD, &action, NULL);
    app_adopt_orphans();

    /* The evaluation. */
    const char *folder = text;
    text += strlen(text) + 1;
    char **words = list(&text, head->words);
    char **environment = words ? list(&text, head->variables) : NULL;
    if (environment)
        answer.error = app_spawn(&answer.pid, words, environment, folder, files);
    for (int i = 0; i < REPORT; i++)
        close(files[i]);

    if (send_all(files[REPORT], (const char *)&answer, sizeof answer) && !answer.error)
        guard(files[REPORT], answer.pid);
    _exit(0);
}

/* --- who starts guards --- */

/* Whatever the run has open is none of its business, nor what the run prints to. */
static void close_others(int socket)
{
    enum { MANY = 1024 }; /* where the system does not say which there are */
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    for (int file = STDERR_FILENO + 1; !folder && file < MANY; file++)
        if (file != socket)
            close(file);
    while (folder && (entry = readdir(folder))) {
        const int file = (int)strtol(entry->d_name, NULL, 10);
        if (file > STDERR_FILENO && file != socket && file != dirfd(folder))
            close(file);
    }
    if (folder)
        closedir(folder);

    const int nothing = open("/dev/null", O_RDWR);
    for (int file = 0; nothing >= 0 && file <= STDERR_FILENO; file++)
        dup2(nothing, file);
    if (nothing > STDERR_FILENO)
        close(nothing);
}

/* Handlers are the run's; what is ignored stays so, for the evaluations too. */
static void forget_handlers(void)
{
    struct sigaction action;

    for (int number = 1; number < NSIG; number++)
        if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
            signal(number, SIG_DFL);
    signal(SIGCHLD, SIG_IGN); /* guards need no farewell */
}

static void on_hangup(int number)
{
    (void)number; /* there is still something to end */
}

/*
 * The system sends SIGHUP to what a dead run leaves, if some of it was stopped then. A handler is not
 * inherited by evaluations, for which the signal is what it was for the run.
 */
static void outlive_hangup(void)
{
    struct sigaction action;

    if (sigaction(SIGHUP, NULL, &action) || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, NULL);
}

/* Request by request, until the run has closed its end. */
static void serve(int socket)
{
    struct head head;
    int files[FILES];

    while (receive_head(socket, &head, files)) {
        char *text = malloc(head.bytes);
        const int whole = text && receive_all(socket, text, head.bytes);
        const pid_t child = whole ? fork() : -1;

        if (!child) {
            close(socket);
            begin_guard(&head, text, files);
        }
        if (child < 0)
            send_all(files[REPORT], (const char *)&(struct answer){.error = errno}, sizeof(struct answer));
        for (int i = 0; i < FILES; i++)
            close(files[i]);
        free(text);
        if (!whole)
            return;
    }
}

void app_guard_begin(struct app_guard *g)
{
    sigset_t all;
    sigset_t before;
    char name[16];
    int ends[2];

    *g = (struct app_guard){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return;

    /* No signal meets a handler of the run's in between. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    app_guard_name(name, getpid());
    g->pid = fork();
    if (!g->pid) {
        setpgid(0, 0);
        prctl(PR_SET_NAME, name);
        forget_handlers();
        outlive_hangup();
        sigprocmask(SIG_SETMASK, &before, NULL);
        close_others(ends[1]);
        serve(ends[1]);
        _exit(0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);

    close(ends[1]);
    g->socket = ends[0];
    if (g->pid < 0) {
        g->pid = 0;
        close(g->socket);
    }
}

void app_guard_end(struct app_guard *g)
{
    if (!g->pid)
        return;
    close(g->socket);
    while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *g = (struct app_guard){.socket = -1};
}

/* --- the run's side --- */

static int add_strings(struct app_text *text, char *const *strings)
{
    int count = 0;

    for (; strings[count]; count++)
        app_text_add(text, strings[count], strlen(strings[count]) + 1);
    return count;
}

/* Sends the request; the guard's answer into *answer. 0: there is no guard any longer. */
static int request(const struct app_guard *g, const struct head *head, const struct app_text *text,
                   const int files[FILES], int report, struct answer *answer)
{
    const int sent = send_head(g->socket, head, files) && send_all(g->socket, text->data, text->length);

    close(files[REPORT]);
    return sent && receive_all(report, answer, sizeof *answer);
}

int app_guard_spawn(struct app_guard *g, char *const *words, char *const *environment, const char *folder,
                    const int files[3], pid_t *pid, int *watch_end)
{
    struct app_text text = {0};
    struct answer answer = {0};
    int ends[2];

    assert(g->pid);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;

    /* What to start. */
    app_text_add(&text, folder, strlen(folder) + 1);
    struct head head = {0};
    head.words = add_strings(&text, words);
    head.variables = add_strings(&text, environment);
    head.bytes = text.length;
    if (text.failed) {
        app_text_free(&text);
        close(ends[0]);
        close(ends[1]);
        return ENOMEM;
    }

    /* Who is asked, and what comes of it. */
    const int all[FILES] = {files[0], files[1], files[2], ends[1]};
    const int heard = request(g, &head, &text, all, ends[0], &answer);
    app_text_free(&text);
    if (!heard)
        app_guard_end(g);
    if (!heard || answer.error) {
        close(ends[0]);
        return heard ? answer.error : APP_NO_GUARD;
    }
    *pid = answer.pid;
    *watch_end = ends[0];
    return 0;
}

int app_guard_hear(int report, int *status)
{
    const ssize_t got = recv(report, status, sizeof *status, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    return got == sizeof *status ? 1 : -1;
}
