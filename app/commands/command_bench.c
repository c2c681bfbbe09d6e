/* ckg bench: replicated experiments on the built-in problems and on problem files. */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_figure.h"
#include "bench/user_problem.h"
#include "command.h"
#include "commands/picture.h"
#include "run/milestones.h"

static const struct app_option options[] = {
    {"problem", 0, "LIST",
     "problems, separated by commas: built-in ones, which `ckg problems` lists, or problem files", 0},
    {"real", 0, NULL,
     "evaluate designs of problem files by their commands, not by the models of their trials", 0},
    {"noise", 0, "LIST", "standard deviations of noise that is added to the objective; default: 0", 0},
    {"policy", 0, "LIST", "policies; default: auto", 0},
    {"replications", 0, "N", "how often each experiment is repeated; default: 30", 0},
    {"initial", 0, "N", "evaluations of the initial design; default: 10, or what the first problem file says",
     0},
    {"evaluations", 0, "N", "evaluations in all; default: 110, or the first problem file's budget", 0},
    {"seed", 0, "N", "of the first replication, counted up for the others; default: 1", 0},
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

enum { WORD = 512 };

/* A list of an option: its entries (APP_BENCH_MAX), of that size each. */
struct list {
    const char *option;
    const char *otherwise; /* what the option is when it is not given */
    int *count;
    void *entries;
    size_t size;
    int (*read)(const struct app_arguments *a, const char *word, void *entry);
};

/* One word into the next entry, unless it is there already. */
static int read_word(const struct app_arguments *a, const struct list *list, const char *word)
{
    char *entries = list->entries;
    char *entry = entries + (size_t)*list->count * list->size;

    if (*list->count == APP_BENCH_MAX)
        return app_wrong(a, "--%s has more than %d entries", list->option, APP_BENCH_MAX);
    const int status = list->read(a, word, entry);
    if (status)
        return status;

    for (char *other = entries; other < entry; other += list->size)
        if (!memcmp(other, entry, list->size))
            return app_wrong(a, "--%s lists '%s' twice", list->option, word);
    ++*list->count;
    return CKG_OK;
}

static int read_list(const struct app_arguments *a, const struct list *list)
{
    const char *given = app_option(a, list->option);
    const char *at = given ? given : list->otherwise;
    int status = CKG_OK;

    while (!status && *at) {
        const size_t length = strcspn(at, ",");
        char word[WORD];
        snprintf(word, sizeof word, "%.*s", (int)(length < WORD ? length : WORD - 1), at);
        status = read_word(a, list, word);
        at += length + (at[length] == ',');
    }
    return status;
}

static int is_file(const char *word)
{
    const char *dot = strrchr(word, '.');

    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json"));
}

static int read_file(const struct app_arguments *a, const char *word, const struct app_problem **entry)
{
    struct app_user_problem *own;
    int status = app_user_problem_open(&own, word, app_option(a, "real") != NULL, a->threads, a->message);

    if (status)
        return status;
    if (app_problem_named(own->problem.name)) {
        status = app_wrong(a, "'%s' is also a built-in problem; give the file another name",
                           own->problem.name);
        app_user_problem_free(own);
        return status;
    }
    *entry = &own->problem;
    return CKG_OK;
}

static int read_problem(const struct app_arguments *a, const char *word, void *entry)
{
    const struct app_problem *problem = app_problem_named(word);

    if (is_file(word))
        return read_file(a, word, entry);
    memcpy(entry, &problem, sizeof problem);
    return problem ? CKG_OK : app_refuse_problem(a, word);
}

static int read_noise(const struct app_arguments *a, const char *word, void *entry)
{
    char *stop;
    const double noise = strtod(word, &stop);

    *(double *)entry = noise + 0.0; /* -0 is 0 */
    if (stop == word || *stop || !(noise >= 0) || isinf(noise))
        return app_wrong(a, "--noise must list numbers from 0 up, not '%s'", word);
    return CKG_OK;
}

static int read_policy(const struct app_arguments *a, const char *word, void *entry)
{
    ckg_policy_info info;
    const int status = app_find_policy(a, word, &info);

    if (!status)
        snprintf(entry, sizeof((struct app_plan *)0)->policy[0], "%s", info.name);
    return status;
}

static int read_evaluation(const struct app_arguments *a, const char *word, void *entry)
{
    char *stop;
    const long value = strtol(word, &stop, 10);

    *(int *)entry = (int)value;
    if (stop == word || *stop || value < 1 || value > INT_MAX)
        return app_wrong(a, "--at must list positive integers, not '%s'", word);
    return CKG_OK;
}

/* --- what it can do --- */

/* The first problem that is a file; NULL: none is. */
static const struct app_user_problem *first_own(const struct app_plan *plan)
{
    for (int i = 0; i < plan->problems; i++)
        if (app_user_problem_of(plan->problem[i]))
            return app_user_problem_of(plan->problem[i]);
    return NULL;
}

static int read_numbers(const struct app_arguments *a, struct app_plan *plan)
{
    const struct app_user_problem *own = first_own(plan);
    const int initial = own ? app_initial_size(&own->record.definition) : 10;
    const int evaluations = own ? own->record.definition.budget : 110;
    int seed = 0;
    int status = app_option_integer(a, "replications", 1, 9999, 30, &plan->replications);

    if (!status)
        status = app_option_integer(a, "initial", 1, 100000, initial > 0 ? initial : 1, &plan->initial);
    if (!status)
        status = app_option_integer(a, "evaluations", 1, 100000, evaluations, &plan->evaluations);
    if (!status)
        status = app_option_integer(a, "seed", 0, 2000000000, 1, &seed);
    if (!status && plan->evaluations < plan->initial)
        status = app_wrong(a, "%d evaluations are fewer than the initial design of %d", plan->evaluations,
                           plan->initial);
    plan->seed = (uint64_t)seed;
    return status;
}

/* What --model says, in the words of the command line, for the folder's record. */
static void write_settings(const struct app_arguments *a, struct app_text *out)
{
    for (int i = 0; i < a->repeated; i++)
        app_text_print(out, "%s%s", i ? " " : "", a->each[i]);
}

/* Which trials the files' models know: with others the results would be others. */
static void write_files(const struct app_arguments *a, const struct app_plan *plan, struct app_text *out)
{
    for (int i = 0; i < plan->problems; i++) {
        const struct app_user_problem *own = app_user_problem_of(plan->problem[i]);

        if (own)
            app_text_print(out, "%s%s: %s, %d trials", out->length ? "; " : "", own->problem.name,
                           app_option(a, "real") ? "the command" : "models", own->record.count);
    }
}

/* No two files have one name, nor noise that they deny, which would mislead every policy. */
static int check_file(const struct app_arguments *a, const struct app_plan *plan, int index)
{
    const struct app_problem *p = plan->problem[index];
    double sd;

    for (int i = 0; i < index; i++)
        if (!strcmp(plan->problem[i]->name, p->name))
            return app_wrong(a, "two problem files are called '%s'", p->name);
    for (int i = 0; i < plan->noises; i++)
        if (plan->noise[i] > 0 && ckg_problem_noise(p->own, 0, &sd) == CKG_NOISE_NONE)
            return app_wrong(a, "--noise %g: the problem file %s says that its objective has none",
                             plan->noise[i], p->name);
    return CKG_OK;
}

/* The experiments, by the lists and numbers of the line. */
static int read_plan(const struct app_arguments *a, struct app_plan *plan)
{
    const struct list lists[] = {
        {"problem", "", &plan->problems, plan->problem, sizeof *plan->problem, read_problem},
        {"noise", "0", &plan->noises, plan->noise, sizeof *plan->noise, read_noise},
        {"policy", "auto", &plan->policies, plan->policy, sizeof *plan->policy, read_policy},
    };
    int status = CKG_OK;

    for (size_t k = 0; !status && k < sizeof lists / sizeof *lists; k++)
        status = read_list(a, &lists[k]);
    if (!status)
        status = read_numbers(a, plan);
    for (int i = 0; !status && i < plan->problems; i++)
        if (app_user_problem_of(plan->problem[i]))
            status = check_file(a, plan, i);
    if (!status && app_option(a, "real") && !first_own(plan))
        status = app_wrong(a, "--real is for problem files, and none is given");
    return status;
}

/* Does it, with the models' settings and a record of what it was done on. */
static int run_plan_with(const struct app_arguments *a, struct app_plan *plan)
{
    struct app_definition settings = {0};
    struct app_text models = {0};
    struct app_text files = {0};
    int status = app_models_apply(a, &settings);

    write_settings(a, &models);
    write_files(a, plan, &files);
    if (!status && (models.failed || files.failed))
        status = app_no_memory(a->message);
    plan->settings = a->repeated ? &settings : NULL;
    plan->settings_text = models.data;
    plan->files_text = files.data;
    if (!status)
        status = app_bench_run(plan, a->message);

    app_definition_free(&settings);
    app_text_free(&models);
    app_text_free(&files);
    return status;
}

/* Those that this process may run on. */
static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static int run_plan(const struct app_arguments *a)
{
    struct app_plan plan = {
        .folder = app_option(a, "out"), .quiet = a->quiet, .threads = a->threads ? a->threads : processors()};

    if (!plan.folder)
        return app_wrong(a, "--out FOLDER is missing");
    if (!app_option(a, "problem"))
        return app_wrong(a, "--problem LIST is missing");

    int status = read_plan(a, &plan);
    if (!status)
        status = run_plan_with(a, &plan);
    for (int i = 0; i < plan.problems; i++)
        app_user_problem_free(app_user_problem_of(plan.problem[i]));
    return status;
}

static int summarize(const struct app_arguments *a, const char *folder)
{
    int at[APP_BENCH_MAX];
    int count = 0;
    const struct list list = {"at", "", &count, at, sizeof *at, read_evaluation};
    struct app_results results;
    struct app_text out = {0};
    int status = read_list(a, &list);

    if (!status)
        status = app_results_read(&results, folder, a->message);
    if (status)
        return status;
    app_bench_summary(&results, count, at, a->json, &out);
    app_pool_free(&results.pool);
    return out.length ? app_print(a, &out) : CKG_OK;
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
    status = table ? app_results_draw(&results, table, 0, &file, a->message)
                   : app_page_make(&results, &file, a->message);
    app_pool_free(&results.pool);
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

const struct app_work app_command_bench = {
    .usage = "--problem LIST --out FOLDER … | --summary FOLDER | --plot FOLDER -o FILE",
    .about = "In replication r every policy starts from the same initial design and meets the same\n"
             "noise. FOLDER gets one CSV file per problem, noise and policy. If it is killed, the same\n"
             "command continues and ends with the same bytes; only timing.csv differs from run to run.\n"
             "\n"
             "A problem file is tried on what the models of its trials predict: evaluate some designs\n"
             "first. With --real its command evaluates every design, and the recommended ones too; then\n"
             "costs are counted from the best feasible trial so far.",
    .traits = APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .run = run,
};
