/* ckg discard: trials set aside, so that neither models nor the budget know of them. */
#include "command.h"
#include "commands/corrected.h"
#include "commands/selection.h"

static const struct app_option options[] = {
    APP_SELECTION_OPTIONS,
    {"restore", 0, NULL, "take discarded trials in again, as they were", 0},
    {"note", 0, "TEXT", "why, for the history", 0},
    {0},
};

static int run(const struct app_arguments *a, struct app_study *n)
{
    if (app_option(a, "restore"))
        return app_correction(a, n, "restore", app_correction_restore, "taken in again");
    return app_correction(a, n, "discard", app_correction_discard,
                          "discarded: the models do not see such trials, and the budget does not count them");
}

const struct app_work app_command_discard = {
    .usage = "STUDY TRIAL… | STUDY --failed [--since T]",
    .about = "A discarded trial stays in the study with all that was said of it, but the models do not see\n"
             "it and it does not count towards the budget. TRIAL is a number or a range like 3-7.\n"
             "`ckg undo` takes the last change back.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = app_selection_check,
    .run_study = run,
};
