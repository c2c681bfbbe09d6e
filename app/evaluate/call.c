/* What it says goes into files in memory, so that nothing waits for anything but its end. */
#include "evaluate/call.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/clock.h"
#include "evaluate/spawn.h"

extern char **environ;

/* As much of what it says is kept. */
enum { MOST = 1 << 22 };

/* Three files in memory, the first with the input; 0 when there are none to be had. */
static int open_files(int files[3], const char *input)
{
    int opened = 1;

    for (int i = 0; i < 3; i++) {
        files[i] = memfd_create("ckg", MFD_CLOEXEC);
        opened &= files[i] >= 0;
    }
    for (size_t left = opened && input ? strlen(input) : 0; left;) {
        const ssize_t wrote = write(files[0], input, left);
        if (wrote <= 0)
            return 0;
        input += wrote;
        left -= (size_t)wrote;
    }
    return opened && lseek(files[0], 0, SEEK_SET) == 0;
}

static void read_back(int file, struct app_text *out)
{
    char block[65536];
    ssize_t got;

    lseek(file, 0, SEEK_SET);
    while (out->length < MOST && (got = read(file, block, sizeof block)) > 0)
        app_text_add(out, block, (size_t)got);
    app_text_add(out, "", 0);
}

/* 1: it has ended; 0: it was too late for that, and is dead. */
static int wait_for(pid_t pid, double patience, int *status)
{
    const double start = app_clock();
    pid_t got;

    while ((got = waitpid(pid, status, WNOHANG)) == 0) {
        if (app_clock() - start > patience) {
            kill(-pid, SIGKILL);
            while (waitpid(pid, status, 0) < 0 && errno == EINTR)
                ;
            return 0;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return got == pid;
}

int app_call(struct app_call *call, char *const *words, char *const *environment, const char *input,
             double patience, struct app_message *message)
{
    int files[3] = {-1, -1, -1};
    int status = CKG_OK;
    pid_t pid = 0;

    /* Started where we are. */
    *call = (struct app_call){0};
    const int error = open_files(files, input)
                          ? app_spawn(&pid, words, environment ? environment : environ, ".", files)
                          : errno;
    if (error)
        status = app_fail(message, CKG_ERR_SYSTEM, "`%s` cannot be run: %s", words[0], strerror(error));

    /* Ended, by itself or by us. */
    if (!status && !wait_for(pid, patience, &call->status))
        status = app_fail(message, CKG_ERR_STATE, "`%s` has not ended within %g s", words[0], patience);

    /* And what it has said. */
    if (!status) {
        read_back(files[1], &call->out);
        read_back(files[2], &call->err);
        if (call->out.failed || call->err.failed)
            status = app_no_memory(message);
    }
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    return status;
}

int app_call_worked(const struct app_call *call)
{
    return WIFEXITED(call->status) && WEXITSTATUS(call->status) == 0;
}

void app_call_free(struct app_call *call)
{
    app_text_free(&call->out);
    app_text_free(&call->err);
}
