/*
 * Clocks that tests can set, preloaded in front of the system's. CKG_TEST_CLOCK_SPEED: how much faster the
 * clock goes that cannot be set; CKG_TEST_CLOCK_STEP: a file with the seconds by which the wall clock is
 * ahead, read anew whenever that is asked for. The process's children have the system's clocks again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int clock_function(clockid_t, struct timespec *);

static clock_function *real_clock;
static double speed = 1;
static const char *step_path;
static struct timespec start;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CKG_TEST_CLOCK_SPEED");

    real_clock = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
    real_clock(CLOCK_MONOTONIC, &start);
    speed = text ? atof(text) : 1;
    step_path = getenv("CKG_TEST_CLOCK_STEP");
    unsetenv("LD_PRELOAD");
}

static long step(void)
{
    char text[32] = "";
    const int file = step_path ? open(step_path, O_RDONLY | O_CLOEXEC) : -1;

    if (file >= 0) {
        if (read(file, text, sizeof text - 1) < 0)
            text[0] = 0;
        close(file);
    }
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    if (!real_clock)
        real_clock = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
    const int failed = real_clock(clock, out);

    if (!failed && clock == CLOCK_REALTIME)
        out->tv_sec += step();
    if (!failed && clock == CLOCK_MONOTONIC && start.tv_sec) {
        const double passed = (double)(out->tv_sec - start.tv_sec) +
                              1e-9 * (double)(out->tv_nsec - start.tv_nsec);
        const double now = (double)start.tv_sec + speed * passed;
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
