/*
 * Clocks that tests can set, preloaded in front of the system's. CKG_TEST_CLOCK_SPEED: how much faster the
 * clock goes that cannot be set, from CKG_TEST_CLOCK_START on, or from the process's start; it stands still
 * where it has come so many seconds further as the file CKG_TEST_CLOCK_UNTIL says, as long as there is one.
 * CKG_TEST_CLOCK_STEP: a file with the seconds by which the wall clock is ahead. Files are read anew whenever
 * their clock is asked for. The process's children have the system's clocks again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_function(clockid_t, struct timespec *);

static clock_function *real_clock;
static double speed = 1;
static const char *step_path;
static const char *until_path;
static double start;

static double seconds_of(struct timespec at)
{
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CKG_TEST_CLOCK_SPEED");
    const char *from = getenv("CKG_TEST_CLOCK_START");
    struct timespec now;

    real_clock = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
    real_clock(CLOCK_MONOTONIC, &now);
    start = from ? atof(from) : seconds_of(now);
    speed = text ? atof(text) : 1;
    step_path = getenv("CKG_TEST_CLOCK_STEP");
    until_path = getenv("CKG_TEST_CLOCK_UNTIL");
    unsetenv("LD_PRELOAD");
}

/* The number in a file; `without` where there is none. */
static double number_in(const char *path, double without)
{
    char text[32] = "";
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (file < 0)
        return without;
    if (read(file, text, sizeof text - 1) < 0)
        text[0] = 0;
    close(file);
    return atof(text);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!real_clock)
        real_clock = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
    const int failed = real_clock(clock, out);

    if (!failed && clock == CLOCK_REALTIME)
        out->tv_sec += (time_t)number_in(step_path, 0);
    if (!failed && clock == CLOCK_MONOTONIC && start > 0) {
        const double passed = speed * (seconds_of(*out) - start);
        const double now = start + fmin(passed, number_in(until_path, passed));
        out->tv_sec = (time_t)now;
        out->tv_nsec = (long)(1e9 * (now - (double)out->tv_sec));
    }
    return failed;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
