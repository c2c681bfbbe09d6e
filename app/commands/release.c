/* Says what is waited for. */
#include "commands/release.h"

#include "base/visible.h"

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
    return app_notebook_release_patiently(n, number, a->quiet ? NULL : say);
}
