/*
 * What it costs to know only whether a design is feasible: the paper's problems with their constraints as
 * numbers, and as one answer, yes or no, for all of them.
 *
 *     build/bench/yesno [--seeds 30] [--first-seed 1] [--evaluations 50] [--row 0] [--problem NAME]
 *
 * Without noise, 10 initial designs, the same for every row of a seed. Prints the opportunity cost of the
 * recommendation after 20, 30, 40 and 50 evaluations (or as many as there are), as the paper has it, for each
 * seed as it ends, infeasible ones with a `!`; then for each row the mean, its 95 % interval by Student's t
 * and the median after the last one. `--row` runs one of the rows alone, counted from 1.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "bench/replicate.h"
#include "bench/spread.h"
#include "options.h"

enum { FIRST = 20, EVERY = 10, INITIAL = 10 };

static const struct row {
    const char *name, *policy;
    int answers;
    double improve; /* of the policy auto; NAN: as it is */
} rows[] = {
    {"auto, numbers", "auto", 0, NAN},     {"auto", "auto", 1, NAN},
    {"auto improve=0", "auto", 1, 0},      {"cei", "cei", 1, NAN},
    {"svmcbo", "svmcbo", 1, NAN},          {"random", "random", 1, NAN},
    {"svmcbo, numbers", "svmcbo", 0, NAN},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const char *const problems[] = {"mystery", "test-function-2", "new-branin"};

enum { PROBLEMS = sizeof problems / sizeof *problems };

/* The problem with one answer for all of its constraints. */
static int answer(const struct app_problem *p, const double *x, double *values)
{
    const struct app_problem *with = p->context;
    double all[1 + APP_PROBLEM_CONSTRAINTS];

    with->evaluate(x, all);
    values[0] = all[0];
    values[1] = app_problem_feasible(with, all);
    return 1;
}

static ckg_problem *describe(const struct app_problem *p)
{
    char name[16];
    ckg_problem *out;

    if (ckg_problem_new(&out))
        exit(1);
    for (int i = 0; i < p->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        ckg_problem_add_real(out, name, p->low[i], p->high[i], CKG_LINEAR);
    }
    ckg_problem_set_objective(out, "f", CKG_MINIMIZE);
    ckg_problem_set_noise(out, "f", CKG_NOISE_NONE, 0);
    ckg_problem_add_yesno(out, "ok");
    return out;
}

static void adjust(const void *settings, ckg_options *options)
{
    options->settings = settings;
    options->settings_count = 1;
}

/* A run: what is asked for, and its last cost. */
struct watch {
    const struct app_problem *problem;
    double cost;
};

/* Prints the cost after so many evaluations. */
static int look(void *context, const struct app_step *step)
{
    struct watch *w = context;
    struct app_score score;

    if (step->evaluation < FIRST || step->evaluation % EVERY)
        return CKG_OK;
    const int status = app_score(w->problem, step->study, &score);
    if (status)
        return status;
    printf(" %.4g%s", score.cost, score.feasible ? "" : "!");
    w->cost = score.cost;
    ckg_recommendation_free(score.recommendation);
    return CKG_OK;
}

/* The cost in the end. */
static double run(const struct app_problem *with, const struct row *row, int seed, int evaluations)
{
    const ckg_setting improve = {"improve", row->improve};
    struct app_problem asked = *with;
    ckg_problem *own = NULL;
    struct app_message message;
    struct watch watch = {&asked, NAN};

    if (row->answers) {
        own = describe(with);
        asked.K = 1;
        asked.own = own;
        asked.evaluate_own = answer;
        asked.context = (void *)with;
    }
    const struct app_experiment e = {.problem = &asked,
                                     .policy = row->policy,
                                     .adjust = isnan(row->improve) ? NULL : adjust,
                                     .settings = &improve,
                                     .initial = INITIAL,
                                     .evaluations = evaluations,
                                     .seed = (uint64_t)seed};
    printf("%s | %s | %d |", with->name, row->name, seed);
    if (app_replicate(&e, look, &watch, &message))
        printf(" %s", message.text);
    printf("\n");
    fflush(stdout);
    ckg_problem_free(own);
    return watch.cost;
}

static void summarise(const char *problem, const struct row *row, double *costs, int seeds)
{
    const struct app_spread cost = app_spread_of(costs, seeds);

    printf("%-16s %-16s %9.3g ± %-8.2g %9.3g %9.3g\n", problem, row->name, cost.mean, cost.half, cost.median,
           cost.largest);
}

int main(int argc, char **argv)
{
    int seeds = 30;
    int first = 1;
    int evaluations = 50;
    int only = 0;
    const char *problem = NULL;
    const struct bench_option options[] = {{"seeds", BENCH_INTEGER, &seeds},
                                           {"first-seed", BENCH_INTEGER, &first},
                                           {"evaluations", BENCH_INTEGER, &evaluations},
                                           {"row", BENCH_INTEGER, &only},
                                           {"problem", BENCH_WORD, &problem},
                                           {0}};

    bench_options_read(argc, argv, options);
    double *costs = calloc((size_t)PROBLEMS * (size_t)ROWS * (size_t)seeds, sizeof *costs);
    if (!costs)
        return 1;

    /* Seed by seed. */
    for (int s = 0; s < seeds; s++)
        for (int i = 0; i < PROBLEMS; i++)
            for (int r = 0; r < ROWS; r++)
                if ((!only || only == r + 1) && (!problem || !strcmp(problem, problems[i])))
                    costs[(i * ROWS + r) * seeds + s] = run(app_problem_named(problems[i]), &rows[r],
                                                            first + s, evaluations);

    /* What they come to. */
    printf("%-16s %-16s %9s   %-8s %9s %9s\n", "problem", "policy", "mean OC", "95 %", "median", "largest");
    for (int i = 0; i < PROBLEMS; i++)
        for (int r = 0; r < ROWS; r++)
            if ((!only || only == r + 1) && (!problem || !strcmp(problem, problems[i])))
                summarise(problems[i], &rows[r], costs + (i * ROWS + r) * seeds, seeds);
    free(costs);
    return 0;
}
