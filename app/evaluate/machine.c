/* Linux tells all of this in /proc; elsewhere the answers are "not known", and a lost worker is found by its silence alone. */
#include "evaluate/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The beginning of a file, with a zero behind it; the number of bytes, 0 when it cannot be read. */
static size_t read_start(const char *path, char *buffer, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;
    while (file >= 0 && length < size - 1 && (got = read(file, buffer + length, size - 1 - length)) > 0)
        length += (size_t)got;
    if (file >= 0)
        close(file);
    buffer[length] = 0;
    return length;
}

void app_machine_name(char name[256])
{
    char host[100] = "", boot[40] = "", space[64] = "";
    gethostname(host, sizeof host - 1);
    read_start("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    boot[strcspn(boot, "\n")] = 0;
    const ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = 0;
    snprintf(name, 256, "%s %s %s", host, boot, space);
}

/* State letter and time of birth; 0 when there is no such process. */
static int look_up(int64_t process, char *state, int64_t *born)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
    if (!read_start(path, text, sizeof text))
        return 0;
    char *at = strrchr(text, ')'); /* the name in brackets may hold anything */
    if (!at || !at[1])
        return 0;
    *state = at[2];
    at += 2;
    for (int field = 3; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    *born = at ? strtoll(at, NULL, 10) : 0;
    return 1;
}

int64_t app_process_born(int64_t process)
{
    char state;
    int64_t born = 0;
    return look_up(process, &state, &born) ? born : 0;
}

int app_process_gone(int64_t process, int64_t born)
{
    char state;
    int64_t now = 0;
    if (kill((pid_t)process, 0) && errno == ESRCH)
        return 1;
    return born && look_up(process, &state, &now) && (state == 'Z' || state == 'X' || now != born);
}

void app_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

/* 1 when the process's environment has the line CKG_TRIAL=trial. */
static int belongs(pid_t process, int trial)
{
    char path[64], wanted[32];
    enum { SIZE = 262144 };
    char *text = malloc(SIZE);
    int found = 0;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    snprintf(wanted, sizeof wanted, "CKG_TRIAL=%d", trial);
    const size_t length = text ? read_start(path, text, SIZE) : 0;
    for (size_t at = 0; at < length && !found; at += strlen(text + at) + 1)
        found = trial ? !strcmp(text + at, wanted) : !strncmp(text + at, "CKG_TRIAL=", 10);
    free(text);
    return found;
}

static int is_spared(pid_t process, int count, const pid_t *spare)
{
    for (int i = 0; i < count; i++)
        if (spare[i] == process)
            return 1;
    return 0;
}

/* One look at our children; how many were killed. */
static int kill_once(int trial, int count, const pid_t *spare)
{
    char path[64], text[65536];
    int killed = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    read_start(path, text, sizeof text);
    for (char *at = text, *next; *at; at = next) {
        const pid_t child = (pid_t)strtol(at, &next, 10);
        if (next == at)
            break;
        if (child <= 0 || is_spared(child, count, spare) || !belongs(child, trial))
            continue;
        kill(child, SIGKILL);
        killed += waitpid(child, NULL, 0) == child;
    }
    return killed;
}

void app_kill_orphans(int trial, int count, const pid_t *spare)
{
    enum { GENERATIONS = 64 };
    for (int i = 0; i < GENERATIONS && kill_once(trial, count, spare); i++)
        ; /* the children of the dead are ours now */
}
