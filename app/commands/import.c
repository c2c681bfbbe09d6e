/* ckg import: trials made elsewhere, or in an older study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "table/table.h"

static const struct app_option options[] = {
    {"lenient", 0, NULL, "leave out columns that the study does not know and designs outside its ranges"},
    {0},
};

/* The engine must take every trial before any is written. */
static int try_on_engine(struct app_notebook *n, const struct app_imported *from, const char *path)
{
    ckg_study *engine;
    int status = app_notebook_engine(n, &engine);
    for (int i = 0; !status && i < from->count; i++) {
        const struct app_trial *t = &from->trials[i];
        int index, refused = ckg_study_add(engine, t->x, &index);
        if (!refused)
            refused = t->state == APP_COMPLETE ? ckg_study_tell_measured(engine, index, t->count, t->measured)
                                               : ckg_study_tell_failed(engine, index);
        if (refused)
            status = app_fail(n->message, CKG_ERR_INVALID, "%s:%d: %s", path, t->number, ckg_error_message());
    }
    return status;
}

static int add_all(struct app_notebook *n, const struct app_imported *from)
{
    struct app_record *records = calloc((size_t)from->count + 1, sizeof *records);
    struct app_text *texts = calloc(2 * (size_t)from->count + 1, sizeof *texts);
    int failed = !records || !texts;
    for (int i = 0; !failed && i < from->count; i++) {
        const struct app_trial *t = &from->trials[i];
        struct app_text *design = &texts[2 * i], *outcomes = &texts[2 * i + 1];
        app_design_write(&n->definition, t->x, design);
        if (t->state == APP_COMPLETE)
            app_outcomes_write(&n->definition, t->count, t->measured, outcomes);
        failed = design->failed || outcomes->failed;
        records[i] = (struct app_record){.state = app_state_name(t->state),
                                         .origin = t->origin,
                                         .parameters = design->data,
                                         .outcomes = outcomes->data,
                                         .why = t->why,
                                         .seconds = t->seconds,
                                         .failures = t->state == APP_FAILED_TRIAL};
    }
    const int status = failed ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory")
                              : n->store->table->add(n->store, n->study, n->count + 1, from->count, records,
                                                     0, n->message);
    for (int i = 0; texts && i < 2 * from->count; i++)
        app_text_free(&texts[i]);
    free(texts);
    free(records);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    struct app_imported imported = {0};
    if (arguments->count != 1)
        return app_wrong(arguments, "one file is needed, or - for standard input");
    int status = app_open(&n, arguments, APP_WRITE, &message);
    if (status)
        return status;
    int failed = app_trials_read(&n.definition, arguments->rest[0], app_option(arguments, "lenient") != NULL,
                                 &imported, &message);
    if (!failed)
        failed = app_notebook_turn(&n);
    if (!failed)
        failed = try_on_engine(&n, &imported, arguments->rest[0]);
    if (!failed)
        failed = add_all(&n, &imported);
    if (failed)
        status = app_report_failure(&message, failed);
    else if (!arguments->quiet) {
        printf("%d trial%s imported", imported.count, imported.count == 1 ? "" : "s");
        if (imported.unfinished)
            printf(", %d without a result left out", imported.unfinished);
        if (imported.unknown)
            printf(", %d outside the study's ranges left out", imported.unknown);
        printf("\n");
    }
    app_imported_free(&imported);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_import = {
    .name = "import",
    .usage = "STUDY FILE",
    .title = "adds trials from a file of `ckg export`, or any table of parameters and outcomes",
    .about = "FILE is CSV with a header, or one JSON object per line; - is standard input. A column NAME.sd "
             "holds the standard deviation of NAME's\n"
             "noise, an empty field means not measured. All trials are added, or none. They count towards "
             "the budget.",
    .traits = APP_TAKES_STUDY | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
