/* ckg export: the trials, exactly, as CSV or JSON lines. */
#include "base/file.h"
#include "command.h"
#include "api/shapes.h"
#include "actions/action_import.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "write to this file instead of standard output", 0},
    {0},
};

static int run(const struct app_arguments *a, struct app_study *n)
{
    const char *path = app_option(a, "output") ? app_option(a, "output") : "-";
    struct app_text out = {0};

    if (!a->json)
        app_trials_write_csv(n, &out);
    for (int i = 0; a->json && i < n->count; i++) {
        app_trial_write(&n->definition, &n->trials[i], &out);
        app_text_add(&out, "\n", 1);
    }
    return app_write_text(path, &out, n->message);
}

const struct app_work app_command_export = {
    .usage = "STUDY [-o FILE]",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .options = options,
    .run_study = run,
};
