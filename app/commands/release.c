/* The waiting is by our own clock, since the other machine's may be set to anything. */
#include "commands/release.h"

#include <stdio.h>
#include <time.h>

#include "base/visible.h"

/* A heartbeat may lie so many seconds in our future without a word: clocks differ a little. */
static const double usual_difference = 5;

static int is_doubtful(const struct app_elsewhere *e)
{
    return e->trial && !e->heard && (e->age >= APP_STORE_SILENCE || e->age < -usual_difference);
}

static void say(const struct app_elsewhere *e)
{
    if (e->age < 0)
        app_warn("trial %d belongs to a run on %s, whose clock is %.0f s ahead of ours; ", e->trial, e->host,
                 -e->age);
    else
        app_warn("trial %d belongs to a run on %s, last heard of %.0f s ago by its clock; ", e->trial,
                 e->host, e->age);
    app_warn("waiting %d s for a sign of life\n", APP_STORE_SILENCE);
}

int app_release(const struct app_arguments *a, struct app_notebook *n, int number)
{
    struct app_elsewhere elsewhere;
    int said = a->quiet;
    int status = app_notebook_release(n, number, &elsewhere);

    while (status == CKG_ERR_STATE && is_doubtful(&elsewhere)) {
        if (!said)
            say(&elsewhere);
        said = 1;
        nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
        status = app_notebook_release(n, number, &elsewhere);
    }
    return status;
}
