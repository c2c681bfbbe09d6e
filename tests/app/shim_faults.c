/*
 * Faults at system calls, preloaded in front of the system's library. CKG_SHIM=N:WHAT makes the N-th call go
 * wrong, counted over all calls below in one process (not in those that it forks), by
 *   fail   an error that the call may have: no descriptors, no memory, no space, a disk that answers no more
 *   again  EINTR, where the call may be interrupted
 *   short  half of what was to be read or written
 *   kill   SIGKILL, before the call
 *   full   ENOSPC at this and every later call that takes space
 * CKG_SHIM_GATE=PATH: a process that this one forked starts nothing until that file is there.
 * CKG_SHIM_LOG=PATH: a file that gets a line "N CALL WHAT" when that happens. Without CKG_SHIM every call
 * writes its line there, with what may happen to it: "fail,again". The process's children have the system's
 * own calls again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum what { NOTHING, FAIL, AGAIN, SHORT, KILL, FULL };

static atomic_long passed;
static long place;
static enum what what;
static const char *log_path;
static const char *gate;
static pid_t ours; /* 0: not begun */

/* --- set-up --- */

/* The system's own function. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(const char *call, const char *how)
{
    char line[100];
    const int length = snprintf(line, sizeof line, "%ld %s %s\n", (long)passed, call, how);
    const int file = log_path ? NEXT(open)(log_path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

    if (file >= 0 && NEXT(write)(file, line, (size_t)length) < 0)
        abort();
    if (file >= 0)
        NEXT(close)(file);
}

__attribute__((constructor)) static void begin(void)
{
    static const char *const words[] = {"", "fail", "again", "short", "kill", "full"};
    const char *text = getenv("CKG_SHIM");
    const char *colon = text ? strchr(text, ':') : NULL;

    log_path = getenv("CKG_SHIM_LOG");
    gate = getenv("CKG_SHIM_GATE");
    place = text ? atol(text) : 0;
    for (int i = 1; colon && i < 6; i++)
        if (!strcmp(colon + 1, words[i]))
            what = (enum what)i;
    unsetenv("LD_PRELOAD");
    ours = getpid();
}

/* --- going wrong --- */

/* What may become of this call. */
static void list(const char *call, int can, int space)
{
    char ways[60];

    snprintf(ways, sizeof ways, "kill%s%s%s%s", can & 1 << FAIL ? ",fail" : "",
             can & 1 << AGAIN ? ",again" : "", can & 1 << SHORT ? ",short" : "", space ? ",full" : "");
    note(call, ways);
}

/* What becomes of this call; `can` has a bit for every way in which it may go wrong. */
static enum what meet(const char *call, int can, int space)
{
    static const char *const words[] = {"", "fail", "again", "short", "kill", "full"};

    if (!ours || getpid() != ours)
        return NOTHING;
    const long now = ++passed;
    if (!place)
        list(call, can, space);
    if (what == FULL)
        return now >= place && place && space ? FAIL : NOTHING;
    if (now != place || (what != KILL && !(can & 1 << what)))
        return NOTHING;
    note(call, words[what]);
    if (what == KILL)
        raise(SIGKILL);
    return what;
}

/* 1 when the call fails, with errno set. */
static int fails(const char *call, int can, int error)
{
    const enum what now = meet(call, can, error == ENOSPC);

    if (now == NOTHING || now == SHORT)
        return 0;
    errno = now == AGAIN ? EINTR : error;
    return 1;
}

enum {
    MAY_FAIL = 1 << FAIL,
    MAY_WAIT = 1 << FAIL | 1 << AGAIN,
    MAY_MOVE = 1 << FAIL | 1 << AGAIN | 1 << SHORT
};

/* --- files --- */

#define OPENING(name)                                                                                        \
    int name(const char *path, int flags, ...)                                                               \
    {                                                                                                        \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                      \
        va_end(more);                                                                                        \
        if (fails(#name, MAY_WAIT, flags & O_CREAT ? ENOSPC : EMFILE))                                       \
            return -1;                                                                                       \
        return NEXT(name)(path, flags, mode);                                                                \
    }

OPENING(open)
OPENING(open64)

FILE *fopen(const char *path, const char *mode)
{
    return fails("fopen", MAY_FAIL, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

/* A stream that has met an error says so from then on. */
static void mark(FILE *stream)
{
    stream->_flags |= 0x20;
}

size_t fread(void *to, size_t size, size_t count, FILE *stream)
{
    if (!fails("fread", MAY_FAIL, EIO))
        return NEXT(fread)(to, size, count, stream);
    mark(stream);
    return 0;
}

int fflush(FILE *stream)
{
    if (!stream || !__fpending(stream) || !fails("fflush", MAY_FAIL, ENOSPC))
        return NEXT(fflush)(stream);
    mark(stream);
    return EOF;
}

/* How much of `size` is moved. */
static size_t half(enum what now, size_t size)
{
    return now == SHORT && size > 1 ? size / 2 : size;
}

/* A call that moves bytes: `now` is what it meets, -1 when it fails. */
static int moves(const char *call, int error, size_t *size)
{
    const enum what now = meet(call, MAY_MOVE, error == ENOSPC);

    *size = half(now, *size);
    if (now == NOTHING || now == SHORT)
        return 1;
    errno = now == AGAIN ? EINTR : error;
    return 0;
}

ssize_t read(int file, void *to, size_t size)
{
    return moves("read", EIO, &size) ? NEXT(read)(file, to, size) : -1;
}

ssize_t write(int file, const void *from, size_t size)
{
    return moves("write", ENOSPC, &size) ? NEXT(write)(file, from, size) : -1;
}

ssize_t pread64(int file, void *to, size_t size, off64_t at)
{
    return moves("pread", EIO, &size) ? NEXT(pread64)(file, to, size, at) : -1;
}

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at)
{
    return moves("pwrite", ENOSPC, &size) ? NEXT(pwrite64)(file, from, size, at) : -1;
}

int fsync(int file)
{
    return fails("fsync", MAY_WAIT, EIO) ? -1 : NEXT(fsync)(file);
}

int fdatasync(int file)
{
    return fails("fdatasync", MAY_WAIT, EIO) ? -1 : NEXT(fdatasync)(file);
}

int ftruncate64(int file, off64_t size)
{
    return fails("ftruncate", MAY_WAIT, EIO) ? -1 : NEXT(ftruncate64)(file, size);
}

int rename(const char *from, const char *to)
{
    return fails("rename", MAY_FAIL, EIO) ? -1 : NEXT(rename)(from, to);
}

int unlink(const char *path)
{
    return fails("unlink", MAY_FAIL, EIO) ? -1 : NEXT(unlink)(path);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
    if (file >= 0 && fails("mmap", MAY_FAIL, ENOMEM))
        return MAP_FAILED;
    return NEXT(mmap64)(at, size, protection, flags, file, offset);
}

/* Locks alone, which are not waited for, so that no signal interrupts them. */
int fcntl64(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);

    const int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
                      command == F_OFD_SETLK;
    if (locks && fails("fcntl", MAY_FAIL, EIO))
        return -1;
    return NEXT(fcntl64)(file, command, argument);
}

/* --- processes --- */

int pipe2(int ends[2], int flags)
{
    return fails("pipe", MAY_FAIL, EMFILE) ? -1 : NEXT(pipe2)(ends, flags);
}

pid_t fork(void)
{
    return fails("fork", MAY_FAIL, EAGAIN) ? -1 : NEXT(fork)();
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
    return fails("socketpair", MAY_FAIL, EMFILE) ? -1 : NEXT(socketpair)(domain, type, protocol, ends);
}

ssize_t send(int socket, const void *from, size_t size, int flags)
{
    return moves("send", EPIPE, &size) ? NEXT(send)(socket, from, size, flags) : -1;
}

ssize_t recv(int socket, void *to, size_t size, int flags)
{
    return moves("recv", ECONNRESET, &size) ? NEXT(recv)(socket, to, size, flags) : -1;
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    return fails("sendmsg", MAY_WAIT, EPIPE) ? -1 : NEXT(sendmsg)(socket, message, flags);
}

int poll(struct pollfd *files, nfds_t count, int wait)
{
    return fails("poll", 1 << AGAIN, EINTR) ? -1 : NEXT(poll)(files, count, wait);
}

int posix_spawnp(pid_t *pid, const char *program, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *words, char *const *environment)
{
    const enum what now = meet("posix_spawnp", MAY_FAIL, 0);

    while (gate && getpid() != ours && access(gate, F_OK))
        usleep(1000);

    return now == FAIL ? EAGAIN : NEXT(posix_spawnp)(pid, program, actions, attributes, words, environment);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    const enum what now = meet("pthread_create", MAY_FAIL, 0);

    return now == FAIL ? EAGAIN : NEXT(pthread_create)(thread, attributes, start, argument);
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    return fails("waitid", 1 << AGAIN, EINTR) ? -1 : NEXT(waitid)(type, id, info, options);
}
