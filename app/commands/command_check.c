/* ckg check: whether a study's store is whole, what is damaged, and what can be saved. */
#include "actions/action_import.h"
#include "api/shapes.h"
#include "base/file.h"
#include "base/memory.h"
#include "command.h"
#include "present/statement.h"

static const struct app_option options[] = {
    {"save", 0, "FILE", "write the trials that are whole to this file, as `ckg export` does", 0},
    {0},
};

static int print(const struct app_arguments *a, const struct app_study *n, const struct app_verification *c)
{
    struct app_text out = {0};

    if (a->quiet && !a->json)
        return CKG_OK;
    if (a->json)
        app_verification_write(n, c, &out);
    else
        app_verification_text(n, c, &out);
    return app_print(a, &out);
}

/* One line that says what to do. */
static int complain(const struct app_arguments *a, const struct app_study *n,
                    const struct app_verification *c)
{
    const char *file = app_option(a, "save");

    if (c->unknown)
        return app_fail(a->message, CKG_ERR_SYSTEM,
                        "%s is damaged, and so is the problem; with the problem file in place of the store, "
                        "`ckg check FILE.yaml` says what can be saved",
                        n->url);
    if (file)
        return app_fail(
            a->message, CKG_ERR_SYSTEM,
            "%s is damaged; %d of %d trials are in %.300s: restore the store from a backup, or move it "
            "away and `ckg import` that file into a new one",
            n->url, n->count, c->trials, file);
    return app_fail(
        a->message, CKG_ERR_SYSTEM,
        "%s is damaged; restore it from a backup, or save %d of %d trials with `ckg check … --save "
        "FILE.csv`",
        n->url, n->count, c->trials);
}

static int save(const struct app_arguments *a, const struct app_study *n, const struct app_verification *c)
{
    struct app_text out = {0};

    if (c->unknown)
        return CKG_OK;
    app_trials_write_csv(n, &out);
    return app_write_text(app_option(a, "save"), &out, a->message);
}

static int run(const struct app_arguments *a)
{
    struct app_study record;
    struct app_verification verification;
    int status = app_verification_make(&verification, &record, &a->place, a->message);

    if (status)
        return status;
    if (app_memory_failures_of_all()) /* what could not be read for that is not damaged */
        status = app_no_memory(a->message);
    if (!status)
        status = print(a, &record, &verification);
    if (!status && app_option(a, "save"))
        status = save(a, &record, &verification);
    if (!status && verification.damaged)
        status = complain(a, &record, &verification);
    app_study_close(&record);
    app_verification_free(&verification);
    return status;
}

const struct app_work app_command_check = {
    .usage = "STUDY [--save FILE]",
    .about = "Every trial, every change and the problem itself are kept with a checksum, so that what a bad\n"
             "disk or a bad copy altered is refused and never computed with. This command looks at all of\n"
             "it, at the database itself, and at who is said to evaluate what. It goes on behind what is\n"
             "damaged, and --save writes every trial that is whole. The exit status is 1 where anything is\n"
             "damaged, also when the rest was saved. Nothing in the store is changed; only one of an older\n"
             "ckg is brought up to date first, as by every command.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .options = options,
    .run = run,
};
