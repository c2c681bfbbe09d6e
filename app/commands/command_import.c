/* ckg import: trials made elsewhere, or in an older study. */
#include "actions/action_import.h"
#include "base/visible.h"
#include "command.h"
#include "present/trial_text.h"

static const struct app_option options[] = {
    {"lenient", 0, NULL, "skip columns that the study does not know and designs outside its ranges", 0},
    {"again", 0, NULL, "import rows that are already there too, as repetitions", 0},
    {0},
};

static int check(const struct app_arguments *a)
{
    return a->count ? CKG_OK : app_wrong(a, "which file? Give its name, or - for standard input");
}

static void warn(const struct app_study *n, const struct app_imported *from, const char *path)
{
    struct app_text warnings = {0};

    app_imported_warnings(&n->definition, from, path, &warnings);
    if (warnings.length)
        app_warn("%s", warnings.data);
    app_text_free(&warnings);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    const char *path = a->rest[0];
    struct app_imported imported = {0};
    struct app_text said = {0};
    int status = app_trials_read(&n->definition, path, app_option(a, "lenient") != NULL, &imported,
                                 n->message);

    /* What there is to know of the rows, by the lines that they stand on. */
    if (!status)
        status = app_imported_check(n, &imported, app_option(a, "again") != NULL, path);
    if (!status && !a->quiet)
        warn(n, &imported, path);

    if (!status)
        status = app_imported_add(n, &imported, a->line);
    if (!status && !a->quiet) {
        app_imported_text(&imported, &said);
        status = app_print(a, &said);
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
