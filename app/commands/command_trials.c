/* ckg trials: every trial with its state, parameters, values and feasibility. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"
#include "actions/action_history.h"
#include "base/timestamp.h"
#include "present/trial_table.h"
#include "api/shapes.h"

/* --- for people --- */

/* A text of several lines under its title. */
static void print_block(const char *title, const char *text)
{
    if (text && *text)
        app_say("%s:\n%s%s", title, text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* What the list has no room for. */
static void print_details(const struct app_trial *t)
{
    char moment[32];

    if (app_moment(t->asked, moment))
        app_say("asked for %s", moment);
    if (app_moment(t->ended, moment))
        app_say(", its result came %s", moment);
    app_say("\n");
    if (!isnan(t->seconds))
        app_say("%.3g s\n", t->seconds);
    if (t->reason)
        app_say("chosen by %s: %s\n", t->chosen_by, t->reason);
    if (t->evaluator)
        app_say("evaluated by %s\n", t->evaluator);
    if (t->starts > 1)
        app_say("started %d times\n", t->starts);
    print_block("notes", t->notes);
    print_block("beyond the outcomes", t->extra);
    print_block("its whole answer", t->answer);
    if (t->answer && t->state == APP_FAILED_TRIAL)
        app_say("(`ckg tell STUDY %d --from-answer` takes the values from there)\n", t->number);
    print_block("the end of its standard error", t->log);
}

/* --- the command --- */

static int print_one(const struct app_arguments *a, struct app_notebook *n, const struct app_trial *t)
{
    struct app_text line = {0};

    if (a->json) {
        app_json_open(&line, NULL, '{');
        app_trial_add_whole(&n->definition, t, &line);
        const int status = app_history_write(n, t->number, 1, &line);
        app_json_close(&line, '}');
        if (!status)
            return app_print(a, &line);
        app_text_free(&line);
        return status;
    }

    const int status = app_history_write(n, t->number, 0, &line);
    if (!status) {
        app_trial_table_print(n, t->number - 1, 1);
        print_details(t);
        print_block("what was said of it", line.data);
    }
    app_text_free(&line);
    return status;
}

static int print_all(const struct app_arguments *a, const struct app_notebook *n)
{
    int status = CKG_OK;

    if (!a->json && n->count)
        app_trial_table_print(n, 0, n->count);
    for (int i = 0; a->json && !status && i < n->count; i++) {
        struct app_text line = {0};
        app_trial_write(&n->definition, &n->trials[i], &line);
        status = app_print(a, &line);
    }
    return status;
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    char *stop;

    if (!a->count)
        return print_all(a, n);

    const long number = strtol(a->rest[0], &stop, 10);
    if (*stop || number < 1)
        return app_wrong(a, "'%s' is not the number of a trial", a->rest[0]);
    if (number > n->count)
        return app_wrong(a, "there is no trial %ld; the last is %d", number, n->count);
    return print_one(a, n, &n->trials[number - 1]);
}

const struct app_work app_command_trials = {
    .usage = "STUDY [TRIAL]",
    .about =
        "With a number: that trial alone, with notes, the whole answer of its evaluation, the end of its\n"
        "standard error, and all that was ever said of it: by whom, when, and what it was before.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = 1,
    .run_study = run,
};
