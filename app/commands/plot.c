/* ckg plot: a figure of the study. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "command.h"
#include "show/plot.h"

static const struct app_option options[] = {
    {"output", 'o', "FILE", "where to: FILE.svg, or FILE.png where ckg was built with cairo"},
    {"kind", 'k', "KIND", "sheet (standard), convergence, map, slices or acquisition"},
    {"x", 'x', "NAME", "the parameter along x; standard: those with the shortest lengthscales"},
    {"y", 'y', "NAME", "the parameter along y"},
    {"policy", 0, "NAME", "whose acquisition; standard: the study's policy"},
    {0},
};

static const struct app_plot *find_kind(const char *name)
{
    for (int i = 0; app_plots[i]; i++)
        if (!name || !strcmp(app_plots[i]->name, name))
            return app_plots[i];
    return NULL;
}

/*
 * The parameter that an option names, -1 when it is not given; 0 and a complaint when there is none of that
 * name.
 */
static int find_parameter(const struct app_arguments *a, const struct app_definition *d, const char *option,
                          int *out)
{
    const char *name = app_option(a, option);
    *out = name ? app_definition_parameter(d, name) : -1;
    if (!name || *out >= 0)
        return 1;
    app_wrong(a, "--%s: there is no parameter '%s'", option, name);
    return 0;
}

static int make(const struct app_plot *plot, const struct app_canvas_table *table, struct app_notebook *n,
                const struct app_plot_options *how, const char *path)
{
    struct app_show show;
    struct app_text file = {0};
    int status = app_show_open(&show, n);
    if (status)
        return status;
    status = app_plot_make(plot, table, 0, &show, how, &file);
    if (!status)
        status = app_write_file(path, file.data, file.length, n->message);
    app_text_free(&file);
    app_show_close(&show);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    const char *path = app_option(arguments, "output"), *kind = app_option(arguments, "kind");
    const struct app_plot *plot = find_kind(kind);
    const struct app_canvas_table *table = path ? app_canvas_for(path) : NULL;
    struct app_plot_options how = {.policy = app_option(arguments, "policy")};
    struct app_message message;
    struct app_notebook n;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    if (!path)
        return app_wrong(arguments, "where to? -o FILE.svg");
    if (!table)
        return app_wrong(arguments, "'%s' does not end in .svg or .png", path);
    if (table->lacking)
        return app_wrong(arguments, "%s", table->lacking);
    if (!plot)
        return app_wrong(arguments, "there is no kind '%s'", kind);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    if (!find_parameter(arguments, &n.definition, "x", &how.x) ||
        !find_parameter(arguments, &n.definition, "y", &how.y))
        status = APP_WRONG;
    else if (how.x >= 0 && how.x == how.y)
        status = app_wrong(arguments, "--x and --y name the same parameter");
    if (!status) {
        const int failed = make(plot, table, &n, &how, path);
        if (failed)
            status = app_report_failure(&message, failed);
    }
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_plot = {
    .name = "plot",
    .usage = "STUDY -o FILE.svg|FILE.png",
    .title = "convergence, feasibility map, slices or acquisition as a figure",
    .about =
        "convergence: the best feasible value, and what would have been recommended, after each evaluation.\n"
        "map:         predicted objective and probability of being feasible over two parameters, the others "
        "as recommended.\n"
        "slices:      every outcome along each parameter, through the recommendation, with ±2 standard "
        "deviations.\n"
        "acquisition: what the policy thinks of evaluating a design next, over one (--x) or two parameters.\n"
        "sheet:       the first three of them.",
    .traits = APP_TAKES_STUDY | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
