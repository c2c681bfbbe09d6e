/* ckg resume: a study that was paused goes on. */
#include "command.h"
#include "commands/pausing.h"

static int run(const struct app_arguments *a, struct app_study *n)
{
    return app_pause_and_say(a, n, APP_NOT_PAUSED);
}

const struct app_work app_command_resume = {
    .usage = "STUDY",
    .about = "Runs and workers that wait since `ckg pause` go on within a second.",
    .traits = APP_TAKES_STUDY | APP_AS_STORED | APP_HAS_JSON,
    .run_study = run,
};
