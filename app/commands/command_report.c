/* ckg report: the study on one page. */
#include "command.h"
#include "commands/picture.h"
#include "report/report.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "the file to write: FILE.html", 1},
    {0},
};

static int run(const struct app_arguments *a, struct app_study *n)
{
    struct app_show show;
    struct app_text page = {0};
    int status = app_show_open(&show, n);

    if (status)
        return status;
    status = app_report_make(&show, &page);
    app_show_close(&show);
    return app_picture_write(a, status, &page);
}

const struct app_work app_command_report = {
    .usage = "STUDY -o FILE.html",
    .about = "The recommendation, convergence, feasibility maps, slices, predicted against measured,\n"
             "the models and every trial. The page needs no other file and no script, and follows the\n"
             "reader's choice of light or dark.",
    .traits = APP_TAKES_STUDY | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .run_study = run,
};
