/*
 * ckg tell: the result of a trial that was asked for; with --replace also what corrects or completes one that
 * was told before.
 */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "actions/action_edit.h"
#include "command.h"
#include "commands/assignments.h"
#include "commands/corrected.h"
#include "evaluate/answer.h"
#include "actions/action_tell.h"

static const struct app_option options[] = {
    {"failed", 0, "WHY", "the evaluation failed, for this reason", 0},
    {"from-answer", 0, NULL, "the values that its failed evaluation answered, as it is kept", 0},
    {"replace", 0, NULL, "correct what was told before; what is not named stays", 0},
    {"at", 0, "NAME=VALUE…", "the design that was really made, where it is not the one asked for", APP_LIST},
    {"note", 0, "TEXT", "a remark for the history", 0},
    {0},
};

/* --- the line --- */

/* The values in what the trial's failed evaluation printed. */
static int read_answer(const struct app_study *n, const struct app_trial *t, struct app_telling *telling)
{
    struct app_answer answer = {0};
    struct app_answer_rest rest;
    struct app_message why;

    if (!t->answer)
        return app_fail(n->message, CKG_ERR_STATE,
                        "no answer of trial %d is kept; write NAME=VALUE… instead of --from-answer",
                        t->number);
    app_answer_feed(&answer, t->answer, strlen(t->answer));
    app_answer_end(&answer);
    const int status = app_answer_read(&answer, &n->definition, t->number, telling->measured, &telling->count,
                                       &rest, &why);
    app_answer_rest_free(&rest);
    app_answer_free(&answer);
    if (status)
        return app_fail(n->message, status, "trial %d: %.600s; `ckg trials` shows it, for you to tell",
                        t->number, why.text);

    for (int i = 0; i < telling->count; i++)
        telling->named[telling->measured[i].outcome] = 1;
    telling->names = telling->count;
    return CKG_OK;
}

/* Values of outcomes; behind --at parameters, or where the line goes on with values, outcomes too. */
static int read_words(const struct app_arguments *a, const struct app_study *n, json_t *values, json_t *at)
{
    int status = values && at ? CKG_OK : app_no_memory(n->message);

    for (int i = 1; !status && i < a->count; i++) {
        status = app_assign(&n->definition, a->rest[i], NULL, values, n->message);
        if (status == CKG_ERR_NOT_FOUND)
            status = app_fail(n->message, CKG_ERR_INVALID,
                              "'%s' is not NAME=VALUE with the name of the objective or of a constraint",
                              a->rest[i]);
    }
    for (int i = 0; !status && i < a->listed; i++) {
        status = app_assign(&n->definition, a->list[i], at, values, n->message);
        if (status == CKG_ERR_NOT_FOUND)
            status = app_fail(n->message, CKG_ERR_INVALID,
                              "--at: '%s' is not NAME=VALUE with the name of a parameter", a->list[i]);
    }
    return status;
}

/* All that the line says of the trial; something must be. */
static int read_line(const struct app_arguments *a, const struct app_study *n, int number,
                     struct app_telling *telling)
{
    json_t *values = json_object();
    json_t *at = json_object();
    int status = app_option(a, "from-answer") ? read_answer(n, &n->trials[number - 1], telling) : CKG_OK;

    telling->why = app_option(a, "failed");
    if (!status)
        status = read_words(a, n, values, at);
    if (!status)
        status = app_telling_read(n, values, json_object_size(at) ? at : NULL, telling);
    json_decref(values);
    json_decref(at);
    return status ? status : app_telling_check(n, telling);
}

/* --- the command --- */

static int check(const struct app_arguments *a)
{
    if (!a->count)
        return app_wrong(a, "which trial?");
    if (app_option(a, "failed") && app_option(a, "from-answer"))
        return app_wrong(a, "either --failed or --from-answer");
    if (app_option(a, "failed") && a->count > 1)
        return app_wrong(a, "a failed trial has no values");
    return CKG_OK;
}

/* Checks the line against the trial and makes the change. */
static int record(const struct app_arguments *a, struct app_study *n, int number)
{
    struct app_telling telling;
    int status = app_telling_new(&telling, n, number);

    if (status)
        return status;
    telling.replace = app_option(a, "replace") || app_option(a, "from-answer");
    telling.note = app_option(a, "note");

    /* What is said, of a trial that does not run. */
    status = read_line(a, n, number, &telling);
    if (!status)
        status = app_release(a, n, number);
    if (!status)
        status = app_telling_record(n, number, &telling, a->line);
    app_telling_free(&telling);
    return status;
}

/* The first trial without a value of some outcome may be a slip. */
static void warn(const struct app_study *n, int number)
{
    struct app_text line = {0};

    if (app_study_lacking(n, number, &line) && line.data)
        app_warn("%s\n", line.data);
    app_text_free(&line);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    int number = 0;
    int status = app_study_find(n, a->rest[0], &number);

    if (!status)
        status = record(a, n, number);
    if (!status && !a->quiet) {
        warn(n, number);
        status = app_print_trial(a, n, &n->trials[number - 1]);
    }
    return status;
}

const struct app_work app_command_tell = {
    .usage = "STUDY TRIAL [--replace] NAME=VALUE… [--at NAME=VALUE…] | STUDY TRIAL [--replace] --failed WHY "
             "| STUDY TRIAL --from-answer",
    .about =
        "A value may be [value, sd] where the noise of that one measurement is known. An outcome\n"
        "that is not named counts as not measured, and may be told later in the same way. With\n"
        "--replace a value that was told is corrected: what is not named stays as it is, and\n"
        "NAME=null takes a value away. --at gives the parameters of the design that was really made.\n"
        "All that a failed evaluation printed is kept: --from-answer takes the values from there, where\n"
        "they can be trusted after all.\n"
        "`ckg trials STUDY TRIAL` shows all that was ever said, `ckg undo` takes the last change back.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .words = APP_ANY_WORDS,
    .options = options,
    .check = check,
    .run_study = run,
};
