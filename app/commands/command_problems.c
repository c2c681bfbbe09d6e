/* ckg problems: the test problems that are built in, as a list, as a problem file, as an evaluation. */
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"
#include "bench/bench_figure.h"
#include "command.h"
#include "commands/picture.h"
#include "api/shapes.h"

static const struct app_option options[] = {
    {"evaluate", 0, NULL,
     "read {\"x1\": …, \"x2\": …} from standard input and answer with the values, as an evaluation does", 0},
    {"output", 'o', "FILE",
     "draw a problem of two parameters: FILE.svg, or FILE.png where ckg was built with cairo", 0},
    {0},
};

/* --- printed --- */

static void print_text(const struct app_problem *p, int quiet)
{
    app_say("%-24s %s\n", p->name, p->title);
    if (quiet)
        return;

    app_say("%24s d = %d, K = %d, smallest feasible value %g, %.3g %% feasible\n", "", p->d, p->K, p->optimum,
            100 * p->share);
    app_say("%24s f  = %s\n", "", p->formula[0]);
    for (int k = 1; k <= p->K; k++)
        app_say("%24s c%d = %s <= 0\n", "", k, p->formula[k]);
    app_say("%24s %s\n", "", p->reference);
}

/* A problem file that `ckg run` can work on at once. */
static void print_file(const struct app_problem *p)
{
    app_say("# %s: f = %s\n", p->name, p->formula[0]);
    app_say("name: %s\ngoal: minimize\nbudget: 50\nparameters:\n", p->name);
    for (int i = 0; i < p->d; i++)
        app_say("  x%d: {type: real, low: %g, high: %g}\n", i + 1, p->low[i], p->high[i]);

    app_say("objective: {name: f, noise: none}\nconstraints:\n");
    for (int k = 1; k <= p->K; k++)
        app_say("  c%d: {max: 0, noise: none}   # %s\n", k, p->formula[k]);
    app_say("evaluate:\n  command: [ckg, problems, %s, --evaluate]\n", p->name);
}

static int print_json(const struct app_arguments *a, const struct app_problem *p)
{
    struct app_text line = {0};

    app_problem_write(p, &line);
    return app_print(a, &line);
}

static int print_all(const struct app_arguments *a)
{
    int status = CKG_OK;

    for (int i = 0; !status && app_problems[i]; i++)
        if (a->json)
            status = print_json(a, app_problems[i]);
        else
            print_text(app_problems[i], a->quiet);
    return status;
}

/* --- evaluated and drawn --- */

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

static int evaluate(const struct app_arguments *a, const struct app_problem *p)
{
    double x[APP_PROBLEM_DIMENSION];
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    struct app_text line = {0};

    if (!read_point(p, x))
        return app_wrong(a, "standard input is not a JSON object with numbers x1 … x%d", p->d);
    p->evaluate(x, values);
    app_problem_values_write(p, values, &line);
    return app_print(a, &line);
}

static int draw(const struct app_arguments *a, const struct app_problem *p)
{
    const struct app_canvas_table *table;
    struct app_text file = {0};
    int status = app_picture_table(a, 0, &table);

    if (status)
        return status;
    status = app_region_draw(p, table, &file, a->message);
    return app_picture_write(a, status, &file);
}

/* --- the command --- */

static int run(const struct app_arguments *a)
{
    const struct app_problem *one = a->count ? app_problem_named(a->rest[0]) : NULL;
    const int to_evaluate = app_option(a, "evaluate") != NULL;
    const int to_draw = app_option(a, "output") != NULL;

    if (a->count && !one)
        return app_refuse_problem(a, a->rest[0]);
    if (!one && (to_evaluate || to_draw))
        return app_wrong(a, "which problem? Give its name");

    if (!one)
        return print_all(a);
    if (to_evaluate)
        return evaluate(a, one);
    if (to_draw)
        return draw(a, one);
    if (a->json)
        return print_json(a, one);
    print_file(one);
    return CKG_OK;
}

const struct app_work app_command_problems = {
    .usage = "[NAME [--evaluate | -o FILE]]",
    .about = "`ckg problems mystery > mystery.yaml && ckg run mystery.yaml` solves one of them.",
    .traits = APP_HAS_JSON,
    .words = 1,
    .options = options,
    .run = run,
};
