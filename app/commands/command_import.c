/* ckg import: trials made elsewhere, or in an older study. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "table/table.h"

static const struct app_option options[] = {
    {"lenient", 0, NULL, "skip columns that the study does not know and designs outside its ranges", 0},
    {0},
};

/* --- checking --- */

static int try_one(ckg_study *engine, const struct app_trial *t)
{
    int index;
    const int status = ckg_study_add(engine, t->x, &index);

    if (status)
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

/* --- adding --- */

/* The trial as the store keeps it; its texts are in `design` and `outcomes`. 0 without memory. */
static int make_record(const struct app_definition *d, const struct app_trial *t, struct app_text *design,
                       struct app_text *outcomes, struct app_record *out)
{
    app_design_write(d, t->x, design);
    if (t->state == APP_COMPLETE)
        app_outcomes_write(d, t->count, t->measured, outcomes);
    *out = (struct app_record){.state = app_state_name(t->state),
                               .origin = t->origin,
                               .parameters = design->data,
                               .outcomes = outcomes->data,
                               .why = t->why,
                               .seconds = t->seconds,
                               .failures = t->state == APP_FAILED_TRIAL};
    return !design->failed && !outcomes->failed;
}

static int add_all(struct app_notebook *n, const struct app_imported *from)
{
    struct app_record *records = calloc((size_t)from->count + 1, sizeof *records);
    struct app_text *texts = calloc(2 * (size_t)from->count + 1, sizeof *texts);
    int made = records && texts;
    int status;

    for (int i = 0; made && i < from->count; i++)
        made = make_record(&n->definition, &from->trials[i], &texts[2 * i], &texts[2 * i + 1], &records[i]);
    if (made)
        status = n->store->table->add(n->store, n->study, n->count + 1, from->count, records, 0, n->message);
    else
        status = app_fail(n->message, CKG_ERR_NOMEM, "out of memory");

    for (int i = 0; texts && i < 2 * from->count; i++)
        app_text_free(&texts[i]);
    free(texts);
    free(records);
    return status;
}

/* --- the command --- */

static void print_summary(const struct app_imported *imported)
{
    printf("%d trial%s imported", imported->count, imported->count == 1 ? "" : "s");
    if (imported->unfinished)
        printf(", %d without a result skipped", imported->unfinished);
    if (imported->unknown)
        printf(", %d outside the study's ranges skipped", imported->unknown);
    printf("\n");
}

static int check(const struct app_arguments *a)
{
    return a->count ? CKG_OK : app_wrong(a, "which file? Give its name, or - for standard input");
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    const char *path = a->rest[0];
    struct app_imported imported = {0};
    int status = app_trials_read(&n->definition, path, app_option(a, "lenient") != NULL, &imported,
                                 n->message);

    if (!status)
        status = app_notebook_turn(n);
    if (!status)
        status = try_on_engine(n, &imported, path);
    if (!status)
        status = add_all(n, &imported);
    if (!status && !a->quiet)
        print_summary(&imported);
    app_imported_free(&imported);
    return status;
}

const struct app_work app_command_import = {
    .usage = "STUDY FILE",
    .about = "FILE is CSV with a header, or one JSON object per line; - is standard input. A column\n"
             "NAME.sd holds the standard deviation of NAME's noise, and an empty field means not\n"
             "measured. Either all trials are added or none. They count towards the budget.",
    .traits = APP_TAKES_STUDY | APP_BEGINS_STUDY | APP_HAS_THREADS,
    .words = 1,
    .options = options,
    .check = check,
    .run_study = run,
};
