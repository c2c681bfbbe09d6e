/*
 * Linux tells all of this in /proc; elsewhere the answers are "not known", and a lost worker is found by its
 * silence alone.
 */
#include "evaluate/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

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
    char host[100] = "";
    char boot[40] = "";
    char space[64] = "";

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
    char path[64];
    char text[1024];

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

/* 1 for a number that can be one process of a user's: not 0 or -1, which mean many, not the system's first.
 */
static int is_number(int64_t process)
{
    return process > 1 && process <= INT_MAX;
}

int app_process_gone(int64_t process, int64_t born)
{
    char state;
    int64_t now = 0;

    if (process < 1 || process > INT_MAX)
        return 1;
    if (kill((pid_t)process, 0) && errno == ESRCH)
        return 1;
    return born && look_up(process, &state, &now) && (state == 'Z' || state == 'X' || now != born);
}

void app_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

int app_has_children(void)
{
    siginfo_t info;

    return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
}

void app_worker_word(char word[48], int64_t process, int64_t born)
{
    snprintf(word, 48, "%lld-%lld", (long long)process, (long long)born);
}

void app_run_word(char word[80], int64_t process, int64_t born, const void *run)
{
    char worker[48];

    app_worker_word(worker, process, born);
    snprintf(word, 80, "%s-%p", worker, run);
}

/* Whose evaluation a process belongs to. */
struct family {
    const char *worker; /* NULL: of any worker that is gone */
    const char *study;  /* NULL: any */
    int trial;          /* 0: any */
};

/* The variable's value in an environment as /proc shows it, NULL for none. */
static const char *find_variable(const char *text, size_t length, const char *name)
{
    const size_t size = strlen(name);

    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        if (!strncmp(text + at, name, size) && text[at + size] == '=')
            return text + at + size + 1;
    return NULL;
}

static int is_lost(const char *worker)
{
    long long process, born;

    return sscanf(worker, "%lld-%lld", &process, &born) == 2 && process > 0 &&
           app_process_gone(process, born);
}

/* 1 when the word is the family's, or that of one of its runs. */
static int is_word_of(const char *word, const char *family)
{
    const size_t length = strlen(family);

    return !strncmp(word, family, length) && (!word[length] || word[length] == '-');
}

/* The environment of a process is read into so many bytes. */
enum { ENVIRONMENT = 1 << 18 };

/* 1 when the process carries the family's marks in its environment, which is read into `text`. */
static int belongs(pid_t process, const struct family *family, char *text)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/environ", (int)process);
    const size_t length = read_start(path, text, ENVIRONMENT);
    const char *worker = find_variable(text, length, "CKG_WORKER");
    const char *study = find_variable(text, length, "CKG_STUDY");
    const char *trial = find_variable(text, length, "CKG_TRIAL");

    return worker && study && trial && (!family->trial || strtol(trial, NULL, 10) == family->trial) &&
           (!family->study || !strcmp(study, family->study)) &&
           (family->worker ? is_word_of(worker, family->worker) : is_lost(worker));
}

/* How long what was killed may take to go, in seconds. */
enum { PATIENCE = 5 };

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int wait_until_gone(int64_t process, int64_t born)
{
    const double start = app_clock();

    while (!app_process_gone(process, born)) {
        if (app_clock() - start > PATIENCE)
            return 0;
        nap();
    }
    return 1;
}

/* --- children --- */

static int is_spared(pid_t process, int count, const pid_t *spare)
{
    for (int i = 0; i < count; i++)
        if (spare[i] == process)
            return 1;
    return 0;
}

/* What to do with a child; 1: it is gone by this. */
typedef int child_visit(void *context, pid_t child);

/* Visits our children, those aside that are spared; how many are gone by that. */
static int visit_children(int count, const pid_t *spare, child_visit *visit, void *context)
{
    char path[64];
    char text[65536];
    int gone = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    read_start(path, text, sizeof text);
    for (char *at = text, *next; *at; at = next) {
        const pid_t child = (pid_t)strtol(at, &next, 10);
        if (next == at)
            break;
        if (child > 0 && !is_spared(child, count, spare))
            gone += visit(context, child);
    }
    return gone;
}

static int reap_child(void *context, pid_t child)
{
    (void)context;

    return waitpid(child, NULL, WNOHANG) == child;
}

void app_reap_children(int count, const pid_t *spare)
{
    visit_children(count, spare, reap_child, NULL);
}

/* Which children are to die: of a family, read into `text`; or any, where that is NULL. */
struct doomed {
    struct family family;
    char *text;
};

static int kill_child(void *context, pid_t child)
{
    const struct doomed *doomed = context;

    /* One that has ended meanwhile may have left children, which are ours since then. */
    if (reap_child(NULL, child))
        return 1;
    if (doomed->text && !belongs(child, &doomed->family, doomed->text))
        return 0;

    /* Another user's, a setuid program say, cannot be killed, and may live for days: it is left alone. */
    if (kill(child, SIGKILL))
        return 0;
    const int64_t born = app_process_born(child);
    return wait_until_gone(child, born) && reap_child(NULL, child);
}

void app_kill_children(const char *worker, int trial, int count, const pid_t *spare)
{
    struct doomed doomed = {.family = {.worker = worker, .trial = trial},
                            .text = worker ? malloc(ENVIRONMENT) : NULL};
    const double start = app_clock();

    if (worker && !doomed.text) {
        app_memory_failed();
        return;
    }

    /* The children of the dead are ours now; some fork as fast as they are killed. */
    while (visit_children(count, spare, kill_child, &doomed) && app_clock() - start <= PATIENCE)
        ;
    free(doomed.text);
}

/* --- what was left --- */

/* 1 when the process's number means the same process to it and to us. */
static int shares_numbers(pid_t process)
{
    char path[64];
    char ours[64];
    char theirs[64];

    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)process);
    const ssize_t a = readlink("/proc/self/ns/pid", ours, sizeof ours);
    const ssize_t b = readlink(path, theirs, sizeof theirs);
    return a > 0 && a == b && !memcmp(ours, theirs, (size_t)a);
}

/* One look at every process; how many of the family were killed. What cannot be looked at may have stayed. */
static int kill_everywhere(const struct family *family, char *text, int *stayed)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    int killed = 0;

    if (!folder && errno != ENOENT)
        *stayed = 1;
    while (folder && (entry = readdir(folder))) {
        const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
        if (process <= 0 || process == getpid() || !belongs(process, family, text) ||
            !shares_numbers(process))
            continue;
        const int64_t born = app_process_born(process);
        kill(process, SIGKILL);
        killed++;
        *stayed |= !wait_until_gone(process, born);
    }
    if (folder)
        closedir(folder);
    return killed;
}

static int kill_family(const struct family *family)
{
    const double start = app_clock();
    char *text = malloc(ENVIRONMENT);
    int stayed = !text;

    if (!text)
        app_memory_failed();
    while (!stayed && kill_everywhere(family, text, &stayed))
        stayed |= app_clock() - start > PATIENCE;
    free(text);
    return !stayed;
}

/*
 * 1 when the process is the one that a store's row means: its number may be anybody's by now, and a damaged
 * row may hold any number. It was born when the row says, is not ours, and leads a group, as every evaluation
 * does.
 */
static int is_proved(int64_t process, int64_t born)
{
    return is_number(process) && born > 0 && process != getpid() && app_process_born(process) == born &&
           getpgid((pid_t)process) == (pid_t)process;
}

void app_guard_name(char name[16], int64_t process)
{
    snprintf(name, 16, "ckgg %lld", (long long)process);
}

/* How many processes are called so; each gets the signal, 0: none. */
static int count_called(const char *name, int number)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    char path[64];
    char comm[32];
    int count = 0;

    while (folder && (entry = readdir(folder))) {
        const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
        if (process <= 0)
            continue;
        snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
        read_start(path, comm, sizeof comm);
        comm[strcspn(comm, "\n")] = 0;
        if (strcmp(comm, name) != 0 || !shares_numbers(process))
            continue;
        kill(process, number);
        count++;
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Guards end when their run has; those that do not are killed. 0 when some of them will not go. */
static int wait_for_guards(const char *worker)
{
    const double start = app_clock();
    char name[16];

    app_guard_name(name, strtoll(worker, NULL, 10));
    for (;;) {
        const double waited = app_clock() - start;

        if (!count_called(name, waited > PATIENCE ? SIGKILL : 0))
            return 1;
        if (waited > 2 * PATIENCE)
            return 0;
        nap();
    }
}

int app_kill_left(const char *worker, int64_t process, int64_t born)
{
    if (!wait_for_guards(worker))
        return 0;
    if (is_proved(process, born) && !app_process_gone(process, born)) {
        kill((pid_t)-process, SIGKILL);
        if (!wait_until_gone(process, born))
            return 0;
    }
    return kill_family(&(struct family){.worker = worker});
}

void app_kill_marked(const char *worker, const char *study, int trial)
{
    kill_family(&(struct family){.worker = worker, .study = study, .trial = trial});
}

void app_kill_strays(const char *study)
{
    kill_family(&(struct family){.study = study});
}
