/* ckg report: the study on one page. */
#include <stdio.h>

#include "base/file.h"
#include "command.h"
#include "show/report.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "where to: FILE.html"},
    {0},
};

static int make(struct app_notebook *n, const char *path)
{
    struct app_show show;
    struct app_text page = {0};
    int status = app_show_open(&show, n);
    if (status)
        return status;
    status = app_report_make(&show, &page);
    if (!status)
        status = app_write_file(path, page.data, page.length, n->message);
    app_text_free(&page);
    app_show_close(&show);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    const char *path = app_option(arguments, "output");
    struct app_message message;
    struct app_notebook n;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    if (!path)
        return app_wrong(arguments, "where to? -o FILE.html");
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    const int failed = make(&n, path);
    if (failed)
        status = app_report_failure(&message, failed);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_report = {
    .name = "report",
    .usage = "STUDY -o FILE.html",
    .title = "the study on one page of HTML that opens from disk",
    .about = "The recommendation, convergence, feasibility maps, slices, predicted against measured, the "
             "models and every trial. The page needs no "
             "other file and\n"
             "no script, and follows the reader's choice of light or dark.",
    .traits = APP_TAKES_STUDY | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
