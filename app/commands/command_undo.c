/* ckg undo: the last change that a person made to the study, taken back. */
#include "api/shapes.h"
#include "command.h"
#include "present/trial_text.h"

static const struct app_option options[] = {
    {"yes", 'y', NULL, "also where a run has evaluated the trial since: that result goes into the history",
     0},
    {0},
};

static int print(const struct app_arguments *a, const struct app_last_change *last)
{
    struct app_text out = {0};

    if (a->json)
        app_undone_write(last, &out);
    else
        app_undone_text(last, a->place.file, &out);
    return app_print(a, &out);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    struct app_last_change last;
    int status = app_study_undo(n, app_option(a, "yes") != NULL, &last);

    if (!status && !a->quiet)
        status = print(a, &last);
    app_last_free(&last);
    return status;
}

const struct app_work app_command_undo = {
    .usage = "STUDY [--yes]",
    .about = "A change is what one command of a person did: tell, discard, retry, import, change. Each\n"
             "`ckg undo` takes the last one back that is left, down to the first; the study is then what\n"
             "it was, also in what it asks for next. What `ckg run` evaluated and `ckg ask` asked for is\n"
             "no change, and stays. What was undone stays in the history of the trials.",
    .traits = APP_TAKES_STUDY | APP_AS_STORED | APP_HAS_JSON,
    .options = options,
    .run_study = run,
};
