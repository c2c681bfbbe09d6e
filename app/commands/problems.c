/* ckg problems: the test problems that are built in, as a list, as a problem file, as an evaluation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bench/figure.h"
#include "command.h"
#include "problems/problems.h"

static const struct app_option options[] = {
    {"evaluate", 0, NULL,
     "read {\"x1\": …, \"x2\": …} from standard input and answer with the values, as an evaluation does"},
    {"output", 'o', "FILE",
     "draw a problem of two parameters: FILE.svg, or FILE.png where ckg was built with cairo"},
    {0},
};

static int print_json(const struct app_problem *p)
{
    struct app_text out = {0};
    app_text_print(&out, "{\"name\": \"%s\", \"title\": ", p->name);
    app_json_string(&out, p->title);
    app_text_print(&out, ", \"reference\": ");
    app_json_string(&out, p->reference);
    app_text_print(&out,
                   ", \"goal\": \"minimize\", \"dimension\": %d, \"constraints\": %d, \"parameters\": {",
                   p->d, p->K);
    for (int i = 0; i < p->d; i++) {
        app_text_print(&out, "%s\"x%d\": {\"low\": ", i ? ", " : "", i + 1);
        app_json_number(&out, p->low[i]);
        app_text_print(&out, ", \"high\": ");
        app_json_number(&out, p->high[i]);
        app_text_print(&out, "}");
    }
    app_text_print(&out, "}, \"objective\": ");
    app_json_string(&out, p->formula[0]);
    app_text_print(&out, ", \"constraint_formulas\": [");
    for (int k = 1; k <= p->K; k++) {
        app_text_print(&out, k > 1 ? ", " : "");
        app_json_string(&out, p->formula[k]);
    }
    app_text_print(&out, "], \"optimum\": ");
    app_json_number(&out, p->optimum);
    app_text_print(&out, ", \"best\": [");
    for (int i = 0; i < p->d; i++) {
        app_text_print(&out, i ? ", " : "");
        app_json_number(&out, p->best[i]);
    }
    app_text_print(&out, "], \"feasible_share\": ");
    app_json_number(&out, p->share);
    app_text_print(&out, "}");
    return app_print(&out);
}

static void print_text(const struct app_problem *p, int quiet)
{
    printf("%-24s %s\n", p->name, p->title);
    if (quiet)
        return;
    printf("%24s d = %d, K = %d, smallest feasible value %g, %.3g %% feasible\n", "", p->d, p->K, p->optimum,
           100 * p->share);
    printf("%24s f  = %s\n", "", p->formula[0]);
    for (int k = 1; k <= p->K; k++)
        printf("%24s c%d = %s <= 0\n", "", k, p->formula[k]);
    printf("%24s %s\n", "", p->reference);
}

/* A problem file that `ckg run` can work on at once. */
static void print_file(const struct app_problem *p)
{
    printf("# %s: f = %s\n", p->name, p->formula[0]);
    printf("name: %s\ngoal: minimize\nbudget: 50\nparameters:\n", p->name);
    for (int i = 0; i < p->d; i++)
        printf("  x%d: {type: real, low: %g, high: %g}\n", i + 1, p->low[i], p->high[i]);
    printf("objective: {name: f, noise: none}\nconstraints:\n");
    for (int k = 1; k <= p->K; k++)
        printf("  c%d: {max: 0, noise: none}   # %s\n", k, p->formula[k]);
    printf("evaluate:\n  command: [ckg, problems, %s, --evaluate]\n", p->name);
}

static int read_point(const struct app_problem *p, double *x)
{
    json_error_t error;
    json_t *object = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    int good = json_is_object(object);
    for (int i = 0; good && i < p->d; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i + 1);
        const json_t *value = json_object_get(object, name);
        good = json_is_number(value);
        x[i] = json_number_value(value);
    }
    json_decref(object);
    return good;
}

static int evaluate(const struct app_arguments *arguments, const struct app_problem *p)
{
    double x[APP_PROBLEM_DIMENSION], values[1 + APP_PROBLEM_CONSTRAINTS];
    struct app_text out = {0};
    if (!read_point(p, x))
        return app_wrong(arguments, "standard input is not an object with x1 … x%d", p->d);
    p->evaluate(x, values);
    app_text_print(&out, "{\"f\": ");
    app_json_number(&out, values[0]);
    for (int k = 1; k <= p->K; k++) {
        app_text_print(&out, ", \"c%d\": ", k);
        app_json_number(&out, values[k]);
    }
    app_text_print(&out, "}");
    return app_print(&out);
}

static int draw(const struct app_arguments *arguments, const struct app_problem *p, const char *path)
{
    const struct app_canvas_table *table = app_canvas_for(path);
    struct app_message message;
    struct app_text file = {0};
    if (!table)
        return app_wrong(arguments, "'%s' does not end in .svg or .png", path);
    if (table->lacking)
        return app_wrong(arguments, "%s", table->lacking);
    int status = app_region_make(p, table, &file, &message);
    if (!status)
        status = app_write_file(path, file.data, file.length, &message);
    app_text_free(&file);
    return status ? app_report_failure(&message, status) : APP_DONE;
}

static int run(const struct app_arguments *arguments)
{
    const char *picture = app_option(arguments, "output");
    const struct app_problem *one = arguments->count ? app_problem_named(arguments->rest[0]) : NULL;
    int status = APP_DONE;
    if (arguments->count > 1)
        return app_wrong(arguments, "one problem at a time");
    if (arguments->count && !one)
        return app_wrong(arguments, "there is no problem '%s'", arguments->rest[0]);
    if (app_option(arguments, "evaluate"))
        return one ? evaluate(arguments, one) : app_wrong(arguments, "which problem is to be evaluated?");
    if (picture)
        return one ? draw(arguments, one, picture) : app_wrong(arguments, "which problem is to be drawn?");
    if (one && arguments->json)
        return print_json(one);
    if (one)
        print_file(one);
    for (int i = 0; !one && !status && app_problems[i]; i++)
        if (arguments->json)
            status = print_json(app_problems[i]);
        else
            print_text(app_problems[i], arguments->quiet);
    return status;
}

const struct app_command app_command_problems = {
    .name = "problems",
    .usage = "[NAME [--evaluate | -o FILE]]",
    .title = "test problems that are built in; with a name, its problem file",
    .about = "`ckg problems mystery > mystery.yaml && ckg run mystery.yaml` solves one of them.",
    .traits = APP_HAS_JSON,
    .options = options,
    .run = run,
};
