/* ckg import: trials made elsewhere, or in an older study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"
#include "actions/action_edit.h"
#include "command.h"
#include "actions/action_import.h"

static const struct app_option options[] = {
    {"lenient", 0, NULL, "skip columns that the study does not know and designs outside its ranges", 0},
    {"again", 0, NULL, "import rows that are already there too, as repetitions", 0},
    {0},
};

/* --- checking --- */

static int try_one(ckg_study *engine, const struct app_trial *t)
{
    int index;
    const int status = ckg_study_add(engine, t->x, &index);

    if (status || t->state == APP_PENDING)
        return status;
    return t->state == APP_COMPLETE ? ckg_study_tell_measured(engine, index, t->count, t->measured)
                                    : ckg_study_tell_failed(engine, index);
}

/* The engine must take every trial before any is written. */
static int try_on_engine(struct app_notebook *n, const struct app_imported *from, const char *path)
{
    ckg_study *engine;
    int status = app_notebook_engine(n, &engine);

    for (int i = 0; !status && i < from->count; i++)
        if (try_one(engine, &from->trials[i]))
            status = app_fail(n->message, CKG_ERR_INVALID, "%s:%d: %s", path, from->trials[i].number,
                              ckg_error_message());
    return status;
}

/* --- what is there already --- */

/* A row without a result is there already where its design is, whatever became of it. */
static int same_trial(const struct app_definition *d, const struct app_trial *row, const struct app_trial *t)
{
    const int values = app_trial_values(t);
    const int failed = t->state == APP_FAILED_TRIAL || (t->state == APP_DISCARDED && !t->kept && t->why);
    int same = row->state == APP_PENDING ||
               ((row->state == APP_FAILED_TRIAL ? failed : values > 0) && row->count == values);

    for (int i = 0; same && i < app_dimension(d); i++)
        same = row->x[i] == t->x[i];
    for (int k = 0; same && k < row->count; k++)
        same = row->measured[k].outcome == t->measured[k].outcome &&
               row->measured[k].value == t->measured[k].value && row->measured[k].sd == t->measured[k].sd;
    return same;
}

/*
 * Rows that repeat a trial of the study are left out of `from`; each trial stands for one row, so a file with
 * repetitions of its own is recognised as a whole. How many there are, -1 without memory.
 */
static int leave_out_known(const struct app_notebook *n, struct app_imported *from)
{
    char *taken = calloc((size_t)n->count + 1, 1);
    int left = 0;
    int known = 0;

    for (int i = 0; taken && i < from->count; i++) {
        int t = 0;
        while (t < n->count && (taken[t] || !same_trial(&n->definition, &from->trials[i], &n->trials[t])))
            t++;
        if (t == n->count) {
            from->trials[left++] = from->trials[i];
            continue;
        }
        taken[t] = 1;
        known++;
    }
    if (taken)
        from->count = left;
    from->queued = 0;
    for (int i = 0; i < from->count; i++)
        from->queued += from->trials[i].state == APP_PENDING;
    free(taken);
    return taken ? known : -1;
}

/* --- adding --- */

/* All of them as one change. */
static int add_all(const struct app_arguments *a, struct app_notebook *n, const struct app_imported *from)
{
    struct app_edit edit = {.notebook = n};
    int status = CKG_OK;

    for (int i = 0; !status && i < from->count; i++) {
        struct app_trial *t =
            &from->trials[i]; /* its texts, the origin too, are read when the change is made */

        t->number = n->count + i + 1;
        t->failures = t->state == APP_FAILED_TRIAL;
        status = app_edit_trial(&edit, t);
    }
    if (!status && from->count)
        status = app_edit_make(&edit, "import", a->line, NULL);
    app_edit_free(&edit);
    return status;
}

/* --- the command --- */

/* What was evaluated elsewhere is known in any case; what is queued must still fit into the budget. */
static int check_budget(const struct app_notebook *n, const struct app_imported *from)
{
    const int after = app_notebook_spent(n) + from->count;

    if (!from->queued || !n->definition.budget || after <= n->definition.budget)
        return CKG_OK;
    return app_fail(n->message, CKG_ERR_STATE,
                    "with the %d design%s to be queued there would be %d trials, and the budget is %d; raise "
                    "`budget` in the problem file",
                    from->queued, from->queued == 1 ? "" : "s", after, n->definition.budget);
}

static void print_summary(const struct app_imported *imported, int known)
{
    const int told = imported->count - imported->queued;

    if (known && !imported->count) {
        app_say("%d row%s already there; nothing imported (--again imports %s as %s)\n", known,
                known == 1 ? " is" : "s are", known == 1 ? "it" : "them",
                known == 1 ? "a repetition" : "repetitions");
        return;
    }
    app_say("%d trial%s imported", told, told == 1 ? "" : "s");
    if (imported->queued)
        app_say(", %d design%s queued", imported->queued, imported->queued == 1 ? "" : "s");
    if (known)
        app_say(", %d already there skipped (--again imports %s too)", known, known == 1 ? "it" : "them");
    if (imported->discarded)
        app_say(", %d discarded skipped", imported->discarded);
    if (imported->unknown)
        app_say(", %d outside the study's ranges skipped", imported->unknown);
    app_say("\n");
}

/* Outcomes that no row has may be a column that was forgotten. */
static void print_lacking(const struct app_notebook *n, const struct app_imported *imported)
{
    const struct app_definition *d = &n->definition;

    for (int j = 0; imported->count && j <= app_constraints(d); j++) {
        int found = 0;
        for (int i = 0; !found && i < imported->count; i++)
            found = imported->trials[i].state != APP_COMPLETE ||
                    !isnan(app_trial_value(&imported->trials[i], j));
        if (!found)
            app_warn("no row has a value of '%s': it counts as not measured there\n", app_outcome_name(d, j));
    }
}

/* Says how many of the designs break a rule: they are data all the same. */
static void warn_of_rules(const struct app_notebook *n, const struct app_imported *imported, const char *path)
{
    const ckg_problem *problem = n->definition.problem;
    int first = 0;
    int count = 0;

    for (int i = 0; ckg_problem_rules(problem) && i < imported->count; i++)
        if (ckg_problem_check_rules(problem, imported->trials[i].x)) {
            first = count++ ? first : imported->trials[i].number;
        }
    if (count)
        app_warn("%s:%d: %d design%s a rule; the models learn from %s, but never recommend %s\n", path, first,
                 count, count == 1 ? " breaks" : "s break", count == 1 ? "it" : "them",
                 count == 1 ? "it" : "them");
}

static int check(const struct app_arguments *a)
{
    return a->count ? CKG_OK : app_wrong(a, "which file? Give its name, or - for standard input");
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    const char *path = a->rest[0];
    struct app_imported imported = {0};
    int known = 0;
    int status = app_trials_read(&n->definition, path, app_option(a, "lenient") != NULL, &imported,
                                 n->message);

    if (!status)
        status = app_notebook_turn(n);
    if (!status && !app_option(a, "again")) {
        known = leave_out_known(n, &imported);
        status = known < 0 ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory") : CKG_OK;
    }
    if (!status)
        status = check_budget(n, &imported);
    if (!status)
        status = try_on_engine(n, &imported, path);
    if (!status)
        warn_of_rules(n, &imported, path);
    if (!status)
        status = add_all(a, n, &imported);
    if (!status && !a->quiet) {
        print_summary(&imported, known);
        print_lacking(n, &imported);
    }
    app_pool_free(&imported.pool);
    return status;
}

const struct app_work app_command_import = {
    .usage = "STUDY FILE",
    .about =
        "FILE is CSV with a header, or one JSON object per line; - is standard input. A column\n"
        "NAME.sd holds the standard deviation of NAME's noise, and an empty field means not\n"
        "measured. Semicolons or tabs may separate the columns, and decimal commas are read then. A row\n"
        "without any result is a design of your own: it is queued, and `ckg run` evaluates it before its\n"
        "next suggestion. Rows that the study has already are skipped. Either all others are added or\n"
        "none; `ckg undo` takes them back. They count towards the budget.",
    .traits = APP_TAKES_STUDY | APP_BEGINS_STUDY | APP_HAS_THREADS,
    .words = 1,
    .options = options,
    .check = check,
    .run_study = run,
};
