/* ckg retry: trials to be evaluated again. */
#include "command.h"
#include "commands/corrected.h"
#include "commands/selection.h"

static const struct app_option options[] = {
    APP_SELECTION_OPTIONS,
    {"note", 0, "TEXT", "why, for the history", 0},
    {0},
};

static int run(const struct app_arguments *a, struct app_study *n)
{
    return app_correction(a, n, "retry", app_correction_retry,
                          n->definition.evaluate.count
                              ? "pending again, for `ckg run` to evaluate before anything new"
                              : "pending again, and `ckg tell` brings the result");
}

const struct app_work app_command_retry = {
    .usage = "STUDY TRIAL… | STUDY --failed [--since T]",
    .about = "The trials are pending again, with the same numbers and designs, and `ckg run` evaluates them\n"
             "before anything new; without a command in the problem file `ckg tell` brings their results.\n"
             "What they were is kept in their history. Discarded trials may be tried again too. TRIAL is a\n"
             "number or a range like 3-7.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = app_selection_check,
    .run_study = run,
};
