/* ckg bench: replicated experiments on the built-in problems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/figure.h"
#include "command.h"

static const struct app_option options[] = {
    {"problem", 0, "LIST", "problems, separated by commas; `ckg problems` lists them"},
    {"noise", 0, "LIST", "standard deviations of the objective's noise; standard: 0"},
    {"policy", 0, "LIST", "policies; standard: ckg"},
    {"replications", 0, "N", "standard: 30"},
    {"initial", 0, "N", "evaluations of the initial design; standard: 10"},
    {"evaluations", 0, "N", "evaluations in all; standard: 110"},
    {"seed", 0, "N", "of the first replication, the next has the next; standard: 1"},
    {"out", 0, "FOLDER", "where the results go"},
    {"summary", 0, "FOLDER", "print what the results say"},
    {"at", 0, "LIST", "with --summary: after how many evaluations"},
    {"plot", 0, "FOLDER", "draw the results"},
    {"output", 'o', "FILE",
     "with --plot: FILE.svg, FILE.png where ckg was built with cairo, or FILE.html with the summary beside "
     "the figure"},
    {0},
};

/* The next word of a list; NULL at its end. *list moves on. */
static const char *next_word(const char **list, char word[64])
{
    const size_t length = strcspn(*list, ",");
    if (!**list)
        return NULL;
    snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), *list);
    *list += length + ((*list)[length] == ',');
    return word;
}

static int read_problems(const struct app_arguments *a, struct app_plan *plan)
{
    const char *list = app_option(a, "problem");
    char word[64];
    if (!list)
        return app_wrong(a, "which problems? --problem LIST");
    while (next_word(&list, word)) {
        const struct app_problem *problem = app_problem_named(word);
        if (!problem)
            return app_wrong(a, "there is no problem '%s'; `ckg problems` lists them", word);
        for (int i = 0; i < plan->problems; i++)
            if (plan->problem[i] == problem)
                return app_wrong(a, "the problem '%s' stands twice", word);
        if (plan->problems == APP_BENCH_MAX)
            return app_wrong(a, "too many problems");
        plan->problem[plan->problems++] = problem;
    }
    return APP_DONE;
}

static int read_noises(const struct app_arguments *a, struct app_plan *plan)
{
    const char *list = app_option(a, "noise");
    char word[64], *stop;
    if (!list)
        list = "0";
    while (next_word(&list, word)) {
        const double noise = strtod(word, &stop);
        if (stop == word || *stop || !(noise >= 0) || isinf(noise))
            return app_wrong(a, "--noise is a list of numbers from 0 on, not '%s'", word);
        for (int i = 0; i < plan->noises; i++)
            if (plan->noise[i] == noise)
                return app_wrong(a, "the noise %s stands twice", word);
        if (plan->noises == APP_BENCH_MAX)
            return app_wrong(a, "too many values of --noise");
        plan->noise[plan->noises++] = noise;
    }
    return APP_DONE;
}

static int read_policies(const struct app_arguments *a, struct app_plan *plan)
{
    const char *list = app_option(a, "policy");
    char word[64];
    ckg_policy_info info;
    if (!list)
        list = "ckg";
    while (next_word(&list, word)) {
        if (ckg_policy_named(word, &info))
            return app_wrong(a, "%s; `ckg policies` lists them", ckg_error_message());
        for (int i = 0; i < plan->policies; i++)
            if (!strcmp(plan->policy[i], info.name))
                return app_wrong(a, "the policy '%s' stands twice", word);
        if (plan->policies == APP_BENCH_MAX)
            return app_wrong(a, "too many policies");
        snprintf(plan->policy[plan->policies++], sizeof plan->policy[0], "%s", info.name);
    }
    return APP_DONE;
}

static int run_plan(const struct app_arguments *a)
{
    static struct app_plan plan; /* several kilobytes */
    struct app_message message;
    int seed;
    plan.folder = app_option(a, "out");
    plan.quiet = a->quiet;
    if (!plan.folder)
        return app_wrong(a, "where do the results go? --out FOLDER");
    if (!app_option_whole(a, "replications", 1, 9999, 30, &plan.replications) ||
        !app_option_whole(a, "initial", 1, 100000, 10, &plan.initial) ||
        !app_option_whole(a, "evaluations", 1, 100000, 110, &plan.evaluations) ||
        !app_option_whole(a, "seed", 0, 2000000000, 1, &seed))
        return APP_WRONG;
    if (plan.evaluations < plan.initial)
        return app_wrong(a, "%d evaluations cannot hold an initial design of %d", plan.evaluations,
                         plan.initial);
    plan.seed = (uint64_t)seed;
    plan.threads = a->threads ? a->threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    int status = read_problems(a, &plan);
    if (!status)
        status = read_noises(a, &plan);
    if (!status)
        status = read_policies(a, &plan);
    if (status)
        return status;
    const int failed = app_bench_run(&plan, &message);
    return failed ? app_report_failure(&message, failed) : APP_DONE;
}

static int summarize(const struct app_arguments *a, const char *folder)
{
    struct app_message message;
    const char *list = app_option(a, "at");
    int at[APP_BENCH_MAX], count = 0;
    char word[64], *stop;
    while (list && next_word(&list, word)) {
        const long value = strtol(word, &stop, 10);
        if (stop == word || *stop || value < 1 || count == APP_BENCH_MAX)
            return app_wrong(a, "--at is a list of whole numbers, not '%s'", word);
        at[count++] = (int)value;
    }
    const int failed = app_summary_print(folder, count, at, a->json, &message);
    return failed ? app_report_failure(&message, failed) : APP_DONE;
}

static int make_picture(const char *folder, const char *path, const struct app_canvas_table *table,
                        struct app_message *message)
{
    struct app_results results;
    struct app_text file = {0};
    int status = app_results_read(&results, folder, message);
    if (status)
        return status;
    status = table ? app_figure_make(&results, table, 0, &file, message)
                   : app_page_make(&results, &file, message);
    if (!status)
        status = app_write_file(path, file.data, file.length, message);
    app_text_free(&file);
    app_results_free(&results);
    return status;
}

static int draw(const struct app_arguments *a, const char *folder)
{
    const char *path = app_option(a, "output"), *dot = path ? strrchr(path, '.') : NULL;
    const struct app_canvas_table *table = path ? app_canvas_for(path) : NULL;
    struct app_message message;
    if (!path)
        return app_wrong(a, "where to? -o FILE.svg");
    if (!table && (!dot || strcasecmp(dot, ".html") != 0))
        return app_wrong(a, "'%s' does not end in .svg, .png or .html", path);
    if (table && table->lacking)
        return app_wrong(a, "%s", table->lacking);
    const int failed = make_picture(folder, path, table, &message);
    return failed ? app_report_failure(&message, failed) : APP_DONE;
}

static int run(const struct app_arguments *arguments)
{
    const char *folder = app_option(arguments, "summary"), *plot = app_option(arguments, "plot");
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    if (plot)
        return draw(arguments, plot);
    return folder ? summarize(arguments, folder) : run_plan(arguments);
}

const struct app_command app_command_bench = {
    .name = "bench",
    .usage = "--problem LIST --out FOLDER … | --summary FOLDER | --plot FOLDER -o FILE",
    .title = "replicated experiments on the built-in problems",
    .about = "Every policy starts replication r from the same initial design and meets the same noise. "
             "FOLDER gets one CSV file per problem, noise and\n"
             "policy. Killed and started again it goes on, and ends with the same bytes; only timing.csv "
             "differs from run to run.",
    .traits = APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
