/* ckg change: takes over what the problem file changed, as a change like others. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "command.h"
#include "present/trial_text.h"
#include "definition/difference.h"
#include "api/shapes.h"

static const struct app_option options[] = {
    {"yes", 'y', NULL, "do not ask", 0},
    {0},
};

/* --- what it says --- */

/* What the change does to the trials, a line each. */
static void write_effects(const struct app_notebook *n, const struct app_adapted *adapted,
                          struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    if (adapted->aside) {
        app_text_print(out, "  ");
        app_trials_named(adapted->aside, adapted->aside_number, out);
        app_text_print(out, " outside the ranges: set aside, out of sight of the models and the budget\n");
    }
    if (adapted->back) {
        app_text_print(out, "  ");
        app_trials_named(adapted->back, adapted->back_number, out);
        app_text_print(out, " inside the ranges again: taken in\n");
    }
    for (int j = 1; j <= app_constraints(d); j++) {
        int measured = 0;
        for (int i = 0; i < adapted->count; i++)
            for (int k = 0; k < adapted->trials[i].count; k++)
                measured += adapted->trials[i].measured[k].outcome == j;
        if (adapted->count && !measured)
            app_text_print(out, "  %s has not been measured yet: until then nobody knows what is feasible\n",
                           app_outcome_name(d, j));
    }
    if (adapted->feasible_before != adapted->feasible_after)
        app_text_print(out, "  feasible trials: %d instead of %d\n", adapted->feasible_after,
                       adapted->feasible_before);
    if (!out->length)
        app_text_print(out, "  the trials stay as they are\n");
}

static void write_text(const struct app_notebook *n, const struct app_difference *difference,
                       const struct app_adapted *adapted, struct app_text *out)
{
    struct app_text effects = {0};

    app_text_print(out, "%s changes:\n  ", n->file);
    app_difference_write(difference, "\n  ", out);
    write_effects(n, adapted, &effects);
    app_text_print(out, "\nwhat that does:\n%s", effects.data ? effects.data : "");
    app_text_free(&effects);
}

/* --- whether it is wanted --- */

/* Asks on a terminal; elsewhere nothing is taken over unasked. */
static int ask(const struct app_arguments *a, const struct app_notebook *n)
{
    char answer[16] = "";

    if (app_option(a, "yes"))
        return CKG_OK;
    if (!isatty(STDIN_FILENO))
        return app_fail(n->message, CKG_ERR_STATE, "nothing was changed; --yes takes it over");
    app_say("take it over? [y/N] ");
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return CKG_OK;
    return app_fail(n->message, CKG_ERR_STATE, "nothing was changed");
}

/* --- the command --- */

/* What the file says, compared with what the store has. */
static int compare(const struct app_arguments *a, const struct app_notebook *n, struct app_definition *now,
                   struct app_difference *difference)
{
    const int status = app_definition_read(now, a->place.file, n->message);

    memset(difference, 0, sizeof *difference);
    if (status)
        return status;
    app_difference_find(difference, &n->definition, now);
    if (difference->refused.text[0])
        return app_fail(
            n->message, CKG_ERR_INVALID,
            "%s: %.600s; that needs a new study: `ckg export --store '%s' --study '%s' >old.csv`, "
            "change `name`, then `ckg import %s old.csv`",
            a->place.file, difference->refused.text, n->url, now->name, a->place.file);
    return CKG_OK;
}

/* Says what changes, asks, and changes it. */
static int take_over(const struct app_arguments *a, struct app_notebook *n, struct app_definition *now,
                     const struct app_difference *difference)
{
    struct app_edit edit = {.notebook = n};
    struct app_adapted adapted = {0};
    struct app_text text = {0};
    int status = app_notebook_adapt(n, now, &edit, &adapted);

    /* What it is about. */
    if (!status && a->json)
        app_change_write(difference, &adapted, &text);
    else if (!status)
        write_text(n, difference, &adapted, &text);
    if (!status && !a->json && !a->quiet)
        app_say("%s", text.data ? text.data : "");
    if (!status)
        status = ask(a, n);

    /* The problem and its trials, all at once. */
    if (!status && text.failed)
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    if (!status)
        status = app_edit_make_problem(&edit, a->line);
    if (!status && a->json)
        app_say("%s\n", text.data);
    else if (!status && !a->quiet)
        app_say("taken over; `ckg undo` takes it back\n");

    app_text_free(&text);
    app_adapted_free(&adapted);
    app_edit_free(&edit);
    return status;
}

static int check(const struct app_arguments *a)
{
    return a->place.file ? CKG_OK : app_wrong(a, "which problem file? Changes are taken over from one");
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    struct app_definition now = {0};
    struct app_difference difference;

    if (!n->study)
        return app_fail(n->message, CKG_ERR_STATE,
                        "%s: the study has not begun, so there is nothing to change", a->place.file);

    /* Nobody chooses a design meanwhile. */
    int status = app_notebook_turn(n);
    if (status)
        return status;
    status = compare(a, n, &now, &difference);
    if (!status && !difference.count && !a->quiet)
        app_say("%s: nothing has changed that would have to be taken over\n", a->place.file);
    else if (!status && difference.count)
        status = take_over(a, n, &now, &difference);
    app_difference_free(&difference);
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
