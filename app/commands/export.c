/* ckg export: the trials, exactly, as CSV or JSON lines. */
#include "base/file.h"
#include "command.h"
#include "table/table.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "write into this file instead of standard output"},
    {0},
};

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    struct app_text out = {0};
    const char *path = app_option(arguments, "output");
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    if (!arguments->json)
        app_trials_write_csv(&n, &out);
    for (int i = 0; arguments->json && i < n.count; i++) {
        app_trial_write(&n.definition, &n.trials[i], &out);
        app_text_add(&out, "\n", 1);
    }
    const int failed = out.failed ? app_fail(&message, CKG_ERR_NOMEM, "out of memory")
                                  : app_write_file(path ? path : "-", out.data ? out.data : "", out.length,
                                                   &message);
    app_text_free(&out);
    app_notebook_close(&n);
    return failed ? app_report_failure(&message, failed) : APP_DONE;
}

const struct app_command app_command_export = {
    .name = "export",
    .usage = "STUDY [-o FILE]",
    .title = "the trials as CSV, or with --json as one object per line, every digit kept",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON,
    .options = options,
    .run = run,
};
