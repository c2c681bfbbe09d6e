/* ckg undo: the last change that a person made to the study, taken back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/who.h"
#include "command.h"
#include "commands/moment.h"

static const struct app_option options[] = {
    {"yes", 'y', NULL, "also where a run has evaluated the trial since: that result goes into the history",
     0},
    {0},
};

/* The last change that holds, and how many do. */
struct last {
    int left;
    int number;
    struct app_text command, who;
    struct app_text definition; /* of before, empty where the problem stays */
    double made;
};

static int see(void *context, const struct app_change *change)
{
    struct last *last = context;

    if (!isnan(change->undone))
        return CKG_OK;
    last->left++;
    last->number = change->number;
    last->made = change->made;
    last->command.length = 0;
    last->who.length = 0;
    last->definition.length = 0;
    app_text_print(&last->command, "%s", change->command);
    app_text_print(&last->who, "%s", change->who);
    if (change->definition_before)
        app_text_print(&last->definition, "%s", change->definition_before);
    return CKG_OK;
}

static int print(const struct app_arguments *a, const struct last *last)
{
    char moment[32];
    struct app_text line = {0};

    if (a->json) {
        app_json_open(&line, NULL, '{');
        app_json_add_integer(&line, "change", last->number);
        app_json_add_string(&line, "command", last->command.data);
        app_json_add_string(&line, "who", last->who.data);
        app_json_add_string(&line, "made", app_moment_utc(last->made, moment));
        app_json_add_integer(&line, "left", last->left - 1);
        app_json_close(&line, '}');
    } else {
        app_text_print(&line, "undone: ckg %s (%s, %s); ", last->command.data, last->who.data,
                       app_moment(last->made, moment));
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

/* Takes it back, unless that would put a result aside that nobody spoke of. */
static int undo(const struct app_arguments *a, struct app_notebook *n, const struct last *last)
{
    char who[300];
    int moved;

    app_who(who);
    const int status = n->store->table->undo(n->store, n->study, last->number, who,
                                             app_option(a, "yes") != NULL, &moved, n->message);
    if (!status && moved && !app_option(a, "yes"))
        return app_fail(n->message, CKG_ERR_STATE,
                        "trial %d got a result after `ckg %.300s`; `ckg undo --yes` takes that back all the "
                        "same, and keeps the result in the trial's history",
                        moved, last->command.data);
    return status;
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    struct last last = {0};
    int status = n->study ? n->store->table->changes(n->store, n->study, see, &last, n->message) : CKG_OK;

    if (!status && (last.command.failed || last.who.failed || last.definition.failed))
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    if (!status && !last.number)
        status = app_fail(n->message, CKG_ERR_STATE, "there is nothing to undo");

    /* Nobody chooses a design meanwhile. */
    if (!status)
        status = app_notebook_turn(n);
    if (!status && last.definition.length)
        status = app_notebook_check_back(n, last.definition.data);
    if (!status)
        status = undo(a, n, &last);
    if (!status && !a->quiet)
        status = print(a, &last);
    app_text_free(&last.command);
    app_text_free(&last.who);
    app_text_free(&last.definition);
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
