/* ckg bench: replicated experiments on the built-in problems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/figure.h"
#include "command.h"
#include "commands/picture.h"

static const struct app_option options[] = {
    {"problem", 0, "LIST", "problems, separated by commas; `ckg problems` lists them", 0},
    {"noise", 0, "LIST", "standard deviations of the objective's noise; default: 0", 0},
    {"policy", 0, "LIST", "policies; default: ckg", 0},
    {"replications", 0, "N", "how often each experiment is repeated; default: 30", 0},
    {"initial", 0, "N", "evaluations of the initial design; default: 10", 0},
    {"evaluations", 0, "N", "evaluations in all; default: 110", 0},
    {"seed", 0, "N", "of the first replication, the next has the next; default: 1", 0},
    {"out", 0, "FOLDER", "where the results go", 0},
    {"summary", 0, "FOLDER", "print a table of the results", 0},
    {"at", 0, "LIST", "with --summary: after how many evaluations", 0},
    {"plot", 0, "FOLDER", "draw the results", 0},
    {"output", 'o', "FILE",
     "with --plot: FILE.svg, FILE.png where ckg was built with cairo, or FILE.html with the summary beside "
     "the figure",
     0},
    {0},
};

/* --- lists --- */

enum { WORD = 64 };

/* Takes one word of a list into whatever it fills. */
typedef int take_word(const struct app_arguments *a, const char *word, void *context);

/* The option's list word by word; `otherwise` when it is not given, NULL: then there is nothing to take. */
static int read_list(const struct app_arguments *a, const char *option, const char *otherwise,
                     take_word *take, void *context)
{
    const char *list = app_option(a, option) ? app_option(a, option) : otherwise;
    int status = CKG_OK;

    while (!status && list && *list) {
        const size_t length = strcspn(list, ",");
        char word[WORD];
        snprintf(word, sizeof word, "%.*s", (int)(length < WORD ? length : WORD - 1), list);
        status = take(a, word, context);
        list += length + (list[length] == ',');
    }
    return status;
}

/* Where the next entry of a list goes; `known` says whether it is in it already. */
static int take_place(const struct app_arguments *a, const char *word, int known, int *count)
{
    if (known)
        return app_wrong(a, "'%s' is listed twice", word);
    if (*count == APP_BENCH_MAX)
        return app_wrong(a, "'%s' is one too many: a list has at most %d entries", word, APP_BENCH_MAX);
    ++*count;
    return CKG_OK;
}

static int take_problem(const struct app_arguments *a, const char *word, void *context)
{
    struct app_plan *plan = context;
    const struct app_problem *problem = app_problem_named(word);
    int known = 0;

    if (!problem)
        return app_wrong(a, "there is no problem '%s'; `ckg problems` lists them", word);
    for (int i = 0; i < plan->problems; i++)
        known |= plan->problem[i] == problem;
    const int status = take_place(a, word, known, &plan->problems);
    if (!status)
        plan->problem[plan->problems - 1] = problem;
    return status;
}

static int take_noise(const struct app_arguments *a, const char *word, void *context)
{
    struct app_plan *plan = context;
    char *stop;
    const double noise = strtod(word, &stop);
    int known = 0;

    if (stop == word || *stop || !(noise >= 0) || isinf(noise))
        return app_wrong(a, "--noise is a list of numbers that are not negative, not '%s'", word);
    for (int i = 0; i < plan->noises; i++)
        known |= plan->noise[i] == noise;
    const int status = take_place(a, word, known, &plan->noises);
    if (!status)
        plan->noise[plan->noises - 1] = noise;
    return status;
}

static int take_policy(const struct app_arguments *a, const char *word, void *context)
{
    struct app_plan *plan = context;
    ckg_policy_info info;
    int known = 0;
    int status = app_find_policy(a, word, &info);

    for (int i = 0; !status && i < plan->policies; i++)
        known |= !strcmp(plan->policy[i], info.name);
    if (!status)
        status = take_place(a, word, known, &plan->policies);
    if (!status)
        snprintf(plan->policy[plan->policies - 1], sizeof plan->policy[0], "%s", info.name);
    return status;
}

/* Numbers of evaluations. */
struct points {
    int count;
    int at[APP_BENCH_MAX];
};

static int take_point(const struct app_arguments *a, const char *word, void *context)
{
    struct points *points = context;
    char *stop;
    const long value = strtol(word, &stop, 10);

    if (stop == word || *stop || value < 1)
        return app_wrong(a, "--at is a list of positive integers, not '%s'", word);
    const int status = take_place(a, word, 0, &points->count);
    if (!status)
        points->at[points->count - 1] = (int)value;
    return status;
}

/* --- what it can do --- */

static int read_numbers(const struct app_arguments *a, struct app_plan *plan)
{
    int seed = 0;
    int status = app_option_integer(a, "replications", 1, 9999, 30, &plan->replications);

    if (!status)
        status = app_option_integer(a, "initial", 1, 100000, 10, &plan->initial);
    if (!status)
        status = app_option_integer(a, "evaluations", 1, 100000, 110, &plan->evaluations);
    if (!status)
        status = app_option_integer(a, "seed", 0, 2000000000, 1, &seed);
    if (!status && plan->evaluations < plan->initial)
        status = app_wrong(a, "%d evaluations are fewer than the initial design of %d", plan->evaluations,
                           plan->initial);
    plan->seed = (uint64_t)seed;
    return status;
}

static int run_plan(const struct app_arguments *a)
{
    static struct app_plan plan; /* several kilobytes */
    int status;

    /* What to do, and where. */
    plan.folder = app_option(a, "out");
    plan.quiet = a->quiet;
    plan.threads = a->threads ? a->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (!plan.folder)
        return app_wrong(a, "--out FOLDER is missing");
    if (!app_option(a, "problem"))
        return app_wrong(a, "--problem LIST is missing");

    /* The experiments. */
    status = read_numbers(a, &plan);
    if (!status)
        status = read_list(a, "problem", NULL, take_problem, &plan);
    if (!status)
        status = read_list(a, "noise", "0", take_noise, &plan);
    if (!status)
        status = read_list(a, "policy", "ckg", take_policy, &plan);
    return status ? status : app_bench_run(&plan, a->message);
}

static int summarize(const struct app_arguments *a, const char *folder)
{
    struct points points = {0};
    const int status = read_list(a, "at", NULL, take_point, &points);

    return status ? status : app_summary_print(folder, points.count, points.at, a->json, a->message);
}

static int draw(const struct app_arguments *a, const char *folder)
{
    const struct app_canvas_table *table;
    struct app_results results;
    struct app_text file = {0};
    int status = app_picture_table(a, 1, &table);

    if (!status)
        status = app_results_read(&results, folder, a->message);
    if (status)
        return status;
    status = table ? app_figure_make(&results, table, 0, &file, a->message)
                   : app_page_make(&results, &file, a->message);
    app_results_free(&results);
    return app_picture_write(a, status, &file);
}

static int run(const struct app_arguments *a)
{
    const char *summary = app_option(a, "summary");
    const char *plot = app_option(a, "plot");

    if (plot)
        return draw(a, plot);
    return summary ? summarize(a, summary) : run_plan(a);
}

const struct app_command app_command_bench = {
    .name = "bench",
    .usage = "--problem LIST --out FOLDER … | --summary FOLDER | --plot FOLDER -o FILE",
    .title = "run replicated experiments on the built-in problems",
    .about = "In replication r every policy starts from the same initial design and meets the same noise. "
             "FOLDER gets one\n"
             "CSV file per problem, noise and policy. If it is killed, the same command continues and ends "
             "with the same\n"
             "bytes; only timing.csv differs from run to run.",
    .traits = APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
