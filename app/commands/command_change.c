/* ckg change: takes over what the problem file changed, as a change like others. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "command.h"
#include "present/trial_text.h"
#include "api/shapes.h"

static const struct app_option options[] = {
    {"yes", 'y', NULL, "do not ask", 0},
    {0},
};

/* --- what it says --- */

/* What the change does to the trials, a line each. */
static void write_effects(const struct app_study *n, const struct app_changed *changed, struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    if (changed->aside) {
        app_text_print(out, "  ");
        app_trials_named(changed->aside, changed->aside_number, out);
        app_text_print(out, " outside the ranges: set aside, out of sight of the models and the budget\n");
    }
    if (changed->back) {
        app_text_print(out, "  ");
        app_trials_named(changed->back, changed->back_number, out);
        app_text_print(out, " inside the ranges again: taken in\n");
    }
    for (int j = 1; j <= app_constraints(d); j++) {
        int measured = 0;
        for (int i = 0; i < changed->count; i++)
            for (int k = 0; k < changed->trials[i].count; k++)
                measured += changed->trials[i].measured[k].outcome == j;
        if (changed->count && !measured)
            app_text_print(out, "  %s has not been measured yet: until then nobody knows what is feasible\n",
                           app_outcome_name(d, j));
    }
    if (changed->feasible_before != changed->feasible_after)
        app_text_print(out, "  feasible trials: %d instead of %d\n", changed->feasible_after,
                       changed->feasible_before);
    if (!out->length)
        app_text_print(out, "  the trials stay as they are\n");
}

static void write_text(const struct app_study *n, const struct app_changed *changed, struct app_text *out)
{
    struct app_text effects = {0};

    app_text_print(out, "%s changes:\n  ", n->file);
    app_difference_write(&changed->difference, "\n  ", out);
    write_effects(n, changed, &effects);
    app_text_print(out, "\nwhat that does:\n%s", effects.data ? effects.data : "");
    app_text_free(&effects);
}

/* --- whether it is wanted --- */

/* Asks on a terminal; elsewhere nothing is taken over unasked. */
static int ask(const struct app_arguments *a, struct app_message *message)
{
    char answer[16] = "";

    if (app_option(a, "yes"))
        return CKG_OK;
    if (!isatty(STDIN_FILENO))
        return app_fail(message, CKG_ERR_STATE, "nothing was changed; --yes takes it over");
    app_say("take it over? [y/N] ");
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return CKG_OK;
    return app_fail(message, CKG_ERR_STATE, "nothing was changed");
}

/* What is asked, and how it is said; with --json once it is done. */
struct question {
    const struct app_arguments *a;
    struct app_text text;
};

static int agree(void *context, const struct app_study *n, const struct app_changed *changed)
{
    struct question *q = context;

    if (q->a->json)
        app_change_write(changed, &q->text);
    else
        write_text(n, changed, &q->text);
    if (!q->a->json && !q->a->quiet)
        app_say("%s", q->text.data ? q->text.data : "");
    const int status = ask(q->a, n->message);
    return status || !q->text.failed ? status : app_no_memory(n->message);
}

/* --- the command --- */

static int check(const struct app_arguments *a)
{
    return a->place.file ? CKG_OK : app_wrong(a, "which problem file? Changes are taken over from one");
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    struct question question = {.a = a};
    const struct app_changing how = {.command = a->line, .agrees = agree, .context = &question};
    struct app_definition now = {0};
    struct app_changed changed = {0};

    if (!n->id)
        return app_fail(n->message, CKG_ERR_STATE,
                        "%s: the study has not begun, so there is nothing to change", a->place.file);
    int status = app_definition_read(&now, a->place.file, n->message);
    if (!status)
        status = app_change(n, &now, &how, &changed);

    if (!status && !changed.difference.count && !a->quiet)
        app_say("%s: nothing has changed that would have to be taken over\n", a->place.file);
    else if (!status && a->json && changed.difference.count)
        app_say("%s\n", question.text.data);
    else if (!status && !a->quiet)
        app_say("taken over; `ckg undo` takes it back\n");
    app_text_free(&question.text);
    app_changed_free(&changed);
    app_definition_free(&now);
    return status;
}

const struct app_work app_command_change = {
    .usage = "STUDY [--yes]",
    .about =
        "Change the problem file first. The command says what changes and what that does to the trials,\n"
        "asks, and takes it over: limits, noise, the goal, names of outcomes, new constraints (not\n"
        "measured so far) and constraints that are gone (their values stay beside the trials), ranges,\n"
        "scales, steps, values of categories, and new parameters, whose value so far the file gives\n"
        "with `was: VALUE`. Trials outside new ranges are set aside. `ckg undo` takes it back.",
    .traits = APP_TAKES_STUDY | APP_AS_STORED | APP_HAS_JSON,
    .options = options,
    .check = check,
    .run_study = run,
};
