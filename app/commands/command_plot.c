/* ckg plot: a figure of the study. */
#include <string.h>

#include "command.h"
#include "commands/names.h"
#include "commands/picture.h"
#include "figure/figure.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "the file to write: FILE.svg, or FILE.png where ckg was built with cairo", 1},
    {"kind", 'k', "KIND",
     "sheet (default), convergence, map, slices, importance, frontier, acquisition or residuals", 0},
    {"x", 'x', "NAME", "the parameter along x; default for both: the two that matter most", 0},
    {"y", 'y', "NAME", "the parameter along y", 0},
    {"policy", 0, "NAME", "whose acquisition to show; default: the study's policy", 0},
    {0},
};

/* The kind that is asked for; NULL: there is none of that name. */
static const struct app_figure_kind *find_kind(const struct app_arguments *a)
{
    const char *name = app_option(a, "kind");

    return name ? app_figure_kind_named(name) : app_figure_kinds[0];
}

/* The parameter that an option names, -1 when it is not given. */
static int find_parameter(const struct app_arguments *a, const struct app_definition *d, const char *option,
                          int *out)
{
    const char *name = app_option(a, option);
    char hint[APP_MEANT];

    *out = name ? ckg_problem_parameter_find(d->problem, name) : -1;
    return name && *out < 0 ? app_wrong(a, "--%s: there is no parameter '%s'%s", option, name,
                                        app_names_meant(APP_PARAMETERS, d, name, "", hint))
                            : CKG_OK;
}

static int read_options(const struct app_arguments *a, const struct app_definition *d,
                        struct app_figure_options *out)
{
    out->policy = app_option(a, "policy");
    int status = find_parameter(a, d, "x", &out->x);
    if (!status)
        status = find_parameter(a, d, "y", &out->y);
    if (!status && out->x >= 0 && out->x == out->y)
        status = app_wrong(a, "--x and --y name the same parameter");
    return status;
}

static int check(const struct app_arguments *a)
{
    const struct app_canvas_table *table;
    char hint[APP_MEANT];

    if (!find_kind(a))
        return app_wrong(a, "there is no kind '%s'%s", app_option(a, "kind"),
                         app_names_meant(APP_FIGURES, NULL, app_option(a, "kind"), "", hint));
    return app_picture_table(a, 0, &table);
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    const struct app_canvas_table *table = NULL;
    struct app_figure_options how = APP_FIGURE_OPTIONS_INIT;
    struct app_figure figure;
    struct app_show show;
    struct app_text file = {0};

    /* What is asked for. */
    int status = app_picture_table(a, 0, &table);
    if (!status)
        status = read_options(a, &n->definition, &how);
    if (!status)
        status = app_show_open(&show, n);
    if (status)
        return status;

    status = app_figure_make(&figure, find_kind(a), &show, &how);
    if (!status && !app_figure_draw(&figure, table, 0, 0, &file))
        status = app_no_memory(show.record->message);
    app_figure_free(&figure);
    app_show_close(&show);
    return app_picture_write(a, status, &file);
}

const struct app_work app_command_plot = {
    .usage = "STUDY -o FILE.svg|FILE.png",
    .about =
        "convergence: the best feasible value, and what would have been recommended, after each evaluation\n"
        "map:         predicted objective and probability of feasibility over two parameters\n"
        "slices:      every outcome along each parameter, ±2 standard deviations\n"
        "importance:  how much each parameter matters for each outcome\n"
        "frontier:    the best predicted objective by the probability of being feasible\n"
        "acquisition: the policy's value of evaluating a design next, over one (--x) or two parameters\n"
        "residuals:   each value as its model predicts it from all the others, against what was measured\n"
        "sheet:       the first three of these\n"
        "\n"
        "Parameters that are not shown are as recommended.",
    .traits = APP_TAKES_STUDY | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .check = check,
    .run_study = run,
};
