/* ckg pause: whoever evaluates the study holds back. */
#include "base/visible.h"
#include "command.h"
#include "commands/pausing.h"

static const struct app_option options[] = {
    {"stop", 0, NULL, "runs end too, once what they evaluate has ended", 0},
    {0},
};

static int run(const struct app_arguments *a, struct app_study *n)
{
    return app_pause_and_say(a, n, app_option(a, "stop") ? APP_STOPPED : APP_PAUSED_BY_USER);
}

const struct app_work app_command_pause = {
    .usage = "STUDY [--stop]",
    .about = "Within a second every run and worker, wherever it is, starts nothing new for the study; what\n"
             "is being evaluated ends first. They wait until `ckg resume`. With --stop runs end, and the\n"
             "next `ckg run` goes on. Asking, telling and mending trials work as ever.",
    .traits = APP_TAKES_STUDY | APP_AS_STORED | APP_HAS_JSON,
    .options = options,
    .run_study = run,
};
