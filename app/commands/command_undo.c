/* ckg undo: the last change that a person made to the study, taken back. */
#include "base/visible.h"
#include "command.h"
#include "api/shapes.h"
#include "base/timestamp.h"
#include "actions/action_retry.h"

static const struct app_option options[] = {
    {"yes", 'y', NULL, "also where a run has evaluated the trial since: that result goes into the history",
     0},
    {0},
};

static int print(const struct app_arguments *a, const struct app_last_change *last)
{
    char moment[32];
    struct app_text line = {0};

    if (a->json)
        app_undone_write(last, &line);
    else {
        app_text_print(&line, "undone: ckg ");
        app_text_add_line(&line, last->command.data);
        app_text_print(&line, " (%s, %s); ", last->who.data,
                       app_moment(last->made, moment) ? moment : "some time ago");
        if (last->left > 1)
            app_text_print(&line, "%d earlier change%s can be undone", last->left - 1,
                           last->left > 2 ? "s" : "");
        else
            app_text_print(&line, "nothing is left to undo");
        if (last->definition.length && a->place.file)
            app_text_print(&line,
                           "\n%s still has the change: change it back, or `ckg change` takes it over again",
                           a->place.file);
    }
    return app_print(a, &line);
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    struct app_last_change last;
    int status = app_notebook_undo(n, app_option(a, "yes") != NULL, &last);

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
