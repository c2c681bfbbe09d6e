/*
 * What batches cost: q designs chosen before any of their results is known, against one after another, at the
 * same number of evaluations.
 *
 *     build/bench/batch --out FILE.csv [--seeds 30] [--first-seed 1] [--cell NAME] [--q Q] [--way NAME]
 *                       [--policy auto]
 *
 * Cells are the paper's three problems without and with noise, and two functions of five parameters made the
 * way COCO's constrained suite makes its own: convex, with linear constraints of which one is active at an
 * optimum that is known by its gradient. Ways differ in what is assumed of designs under way. In a cell
 * `-async` the q are under way at all times: a result comes in, a design goes out.
 *
 * Each run appends its line to FILE.csv, and one that is there already is not made again. Seeds come first,
 * so that every cell has as many as there is time for; a seed gives the same initial design, and evaluation i
 * the same noise, whatever q and way. scripts/tables.py makes the tables.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ckg/ckg.h>

#include "options.h"
#include "problems/problems.h"

enum { CHECKS = 2, MOST = 16, COCO_D = 5, COCO_K = 2 };

/* --- the cells --- */

/* Where the optimum is, the same for both; and the slopes of the constraint that is not active. */
static const double coco_best[COCO_D] = {1.3, -2.1, 0.4, 2.6, -0.9};
static const double coco_other[COCO_D] = {0.5, 1, -0.7, 0.3, 0.8};

/* Where the objective alone would be smallest. */
static const double coco_low[COCO_D] = {2.8, -3.4, 1.9, 1.2, -2.3};

/* c1, whose slopes are those of the objective at the optimum turned round, and c2, by how far it holds there.
 */
static void coco_constraints(const double *x, const double *slope, double *values)
{
    double length = 0;

    values[1] = 0;
    values[2] = -2;
    for (int i = 0; i < COCO_D; i++) {
        values[1] -= slope[i] * (x[i] - coco_best[i]);
        values[2] += coco_other[i] * (x[i] - coco_best[i]);
        length += slope[i] * slope[i];
    }
    values[1] *= 5 / sqrt(length);
}

/* Σ w_i z_i² for weights from 1 to 100. */
static void ellipsoid(const double *x, double *values)
{
    double slope[COCO_D];

    values[0] = 0;
    for (int i = 0; i < COCO_D; i++) {
        const double weight = pow(100, i / (COCO_D - 1.0));
        values[0] += weight * pow(x[i] - coco_low[i], 2);
        slope[i] = 2 * weight * (coco_best[i] - coco_low[i]);
    }
    coco_constraints(x, slope, values);
}

/* Σ |z_i|^p_i for powers from 2 to 6. */
static void powers(const double *x, double *values)
{
    double slope[COCO_D];

    values[0] = 0;
    for (int i = 0; i < COCO_D; i++) {
        const double power = 2 + 4 * i / (COCO_D - 1.0);
        const double from = coco_best[i] - coco_low[i];
        values[0] += pow(fabs(x[i] - coco_low[i]), power);
        slope[i] = copysign(power * pow(fabs(from), power - 1), from);
    }
    coco_constraints(x, slope, values);
}

#define COCO_BOX .low = {-5, -5, -5, -5, -5}, .high = {5, 5, 5, 5, 5}

static struct app_problem coco[] = {
    {.name = "ellipsoid", .d = COCO_D, .K = COCO_K, COCO_BOX, .evaluate = ellipsoid},
    {.name = "powers", .d = COCO_D, .K = COCO_K, COCO_BOX, .evaluate = powers},
};

struct cell {
    const char *name;
    const char *problem;
    double noise;
    int async;
    int initial;
    int check[CHECKS]; /* evaluations after the initial ones, until the recommendation is looked at */
};

static const struct cell cells[] = {
    {"mystery", "mystery", 0, 0, 10, {24, 40}},
    {"new-branin", "new-branin", 0, 0, 10, {24, 40}},
    {"test-function-2", "test-function-2", 0, 0, 10, {24, 40}},
    {"mystery-noise", "mystery", 1, 0, 10, {24, 40}},
    {"new-branin-noise", "new-branin", 1, 0, 10, {24, 40}},
    {"test-function-2-noise", "test-function-2", 1, 0, 10, {24, 40}},
    {"ellipsoid", "ellipsoid", 0, 0, 12, {48, 80}},
    {"powers", "powers", 0, 0, 12, {48, 80}},
    {"mystery-async", "mystery", 0, 1, 10, {24, 40}},
    {"new-branin-async", "new-branin", 0, 1, 10, {24, 40}},
    {"test-function-2-async", "test-function-2", 0, 1, 10, {24, 40}},
    {"mystery-noise-async", "mystery", 1, 1, 10, {24, 40}},
};

/* What is assumed of designs under way. */
struct way {
    const char *name;
    int count;
    ckg_setting settings[2];
    int again; /* 1: each of a batch is taken back and chosen again, knowing the others */
    int asked; /* 1: only where it is asked for by name */
};

static const struct way ways[] = {
    {"mean", 0, {{0}}, 0, 0},
    {"again", 0, {{0}}, 1, 1},
    {"ahead", 1, {{"improve", 0}}, 0, 1},
};

static const int sizes[] = {1, 4, 8};

enum {
    CELLS = sizeof cells / sizeof *cells,
    WAYS = sizeof ways / sizeof *ways,
    SIZES = sizeof sizes / sizeof *sizes,
    COCO = sizeof coco / sizeof *coco
};

struct settings {
    const char *out, *cell, *way, *policy;
    int seeds, first_seed, q;
};

/* --- one run --- */

struct run {
    const struct cell *cell;
    const struct way *way;
    const char *policy;
    int q, seed;
    const struct app_problem *problem;
    ckg_study *study;
    int telling, asked;
    int under_way;
    int trial[MOST];
    double oc[CHECKS];
    double seconds; /* of the processor, for the designs after the initial ones */
};

static void must(int status)
{
    if (!status)
        return;
    fprintf(stderr, "batch: %s\n", ckg_error_message());
    exit(1);
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const struct app_problem *find_problem(const char *name)
{
    double values[1 + COCO_K];

    for (int i = 0; i < COCO; i++)
        if (!strcmp(coco[i].name, name)) {
            coco[i].evaluate(coco_best, values);
            coco[i].optimum = values[0];

            /* What is infeasible counts as the centre of the box, which is. */
            coco[i].evaluate((const double[COCO_D]){0}, values);
            coco[i].infeasible = values[0];
            return &coco[i];
        }
    return app_problem_named(name);
}

static void begin(struct run *run)
{
    ckg_options options = CKG_OPTIONS_INIT;

    run->problem = find_problem(run->cell->problem);
    ckg_problem *problem = app_problem_describe(run->problem, run->cell->noise > 0);
    options.policy = run->policy;
    options.settings = run->way->settings;
    options.settings_count = run->way->count;
    options.seed = (uint64_t)run->seed;
    options.initial = run->cell->initial;
    options.budget = run->cell->initial + run->cell->check[CHECKS - 1];
    must(problem ? CKG_OK : CKG_ERR_NOMEM);
    must(ckg_study_new(&run->study, problem, &options));
    ckg_problem_free(problem);
}

/* One more design is under way. */
static void ask(struct run *run)
{
    const double clock = processor_seconds();
    ckg_suggestion *suggestion;

    must(ckg_study_ask(run->study, &suggestion));
    run->seconds += run->asked++ < run->cell->initial ? 0 : processor_seconds() - clock;
    run->trial[run->under_way++] = suggestion->trial;
    ckg_suggestion_free(suggestion);
}

/* Each design of the batch is chosen again, given the others. */
static void ask_again(struct run *run)
{
    for (int i = 0; i < run->q; i++) {
        must(ckg_study_cancel(run->study, run->trial[0]));
        run->under_way--;
        run->asked--;
        memmove(run->trial, run->trial + 1, (size_t)run->under_way * sizeof *run->trial);
        ask(run);
    }
}

/* The recommendation, scored on the truth. */
static void check(struct run *run, int at)
{
    const struct app_problem *p = run->problem;
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_recommendation *recommendation;

    must(ckg_study_recommend(run->study, NULL, &recommendation));
    app_problem_evaluate(p, recommendation->x, values);
    run->oc[at] = (app_problem_feasible(p, values) ? values[0] : p->infeasible) - p->optimum;
    ckg_recommendation_free(recommendation);
}

/* The oldest result comes in. */
static void tell(struct run *run)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_trial trial;

    must(ckg_study_trial(run->study, run->trial[0], &trial));
    app_problem_evaluate(run->problem, trial.x, values);
    values[0] += run->cell->noise * app_problem_noise((uint64_t)run->seed, (uint64_t)run->telling, 0);
    must(ckg_study_tell(run->study, run->trial[0], values));
    run->under_way--;
    memmove(run->trial, run->trial + 1, (size_t)run->under_way * sizeof *run->trial);
    run->telling++;

    for (int i = 0; i < CHECKS; i++)
        if (run->telling == run->cell->initial + run->cell->check[i])
            check(run, i);
}

static void make(struct run *run)
{
    begin(run);
    for (int i = 0; i < run->cell->initial; i++) {
        ask(run);
        tell(run);
    }

    /* A batch goes out and comes in; or as soon as a result is in, the next design goes out. */
    const int end = run->cell->initial + run->cell->check[CHECKS - 1];
    while (run->telling < end) {
        while (run->under_way < run->q && run->asked < end)
            ask(run);
        if (run->way->again && run->q > 1)
            ask_again(run);
        do
            tell(run);
        while (run->under_way && !run->cell->async);
    }
    ckg_study_free(run->study);
}

/* --- the file --- */

static void name_run(const struct run *run, char *name, size_t size)
{
    snprintf(name, size, "%s,%s,%s,%d,%d,", run->cell->name, run->policy, run->way->name, run->q, run->seed);
}

/* 1 when the file has the run. */
static int is_made(const char *file, const struct run *run)
{
    FILE *in = fopen(file, "r");
    char wanted[128];
    char line[1024];
    int found = 0;

    name_run(run, wanted, sizeof wanted);
    while (in && !found && fgets(line, sizeof line, in))
        found = !strncmp(line, wanted, strlen(wanted)) && strchr(line, '\n');
    if (in)
        fclose(in);
    return found;
}

/* Its line: opportunity costs at each check, milliseconds of a suggestion. */
static void keep(const char *file, const struct run *run)
{
    FILE *out = fopen(file, "a");
    char name[128];

    if (!out) {
        fprintf(stderr, "batch: cannot write %s\n", file);
        exit(1);
    }
    name_run(run, name, sizeof name);
    fprintf(out, "%s", name);
    for (int i = 0; i < CHECKS; i++)
        fprintf(out, "%.4g ", run->oc[i]);
    fprintf(out, ",%.3f\n", 1e3 * run->seconds / run->cell->check[CHECKS - 1]);
    fclose(out);
}

static int is_wanted(const char *wanted, const char *name)
{
    return !wanted || !strcmp(wanted, name);
}

/* All ways are the same while nothing is under way. */
static int is_repeated(const struct run *run)
{
    return run->q == 1 && (run->way != ways || run->cell->async);
}

static void run_seed(const struct settings *set, int seed)
{
    for (int c = 0; c < CELLS; c++)
        for (int k = 0; k < SIZES; k++)
            for (int w = 0; w < WAYS; w++) {
                struct run run = {
                    .cell = &cells[c], .way = &ways[w], .policy = set->policy, .q = sizes[k], .seed = seed};
                if (is_repeated(&run) || (ways[w].asked && !set->way) ||
                    !is_wanted(set->cell, cells[c].name) || !is_wanted(set->way, ways[w].name) ||
                    (set->q && set->q != sizes[k]) || is_made(set->out, &run))
                    continue;
                make(&run);
                keep(set->out, &run);
            }
}

int main(int argc, char **argv)
{
    struct settings set = {.seeds = 30, .first_seed = 1, .policy = "auto"};
    const struct bench_option options[] = {
        {"out", BENCH_WORD, &set.out},        {"cell", BENCH_WORD, &set.cell},
        {"way", BENCH_WORD, &set.way},        {"policy", BENCH_WORD, &set.policy},
        {"seeds", BENCH_INTEGER, &set.seeds}, {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"q", BENCH_INTEGER, &set.q},         {0},
    };

    bench_options_read(argc, argv, options);
    if (!set.out) {
        fprintf(stderr, "batch: needs --out FILE.csv\n");
        return 2;
    }
    for (int seed = set.first_seed; seed < set.first_seed + set.seeds; seed++)
        run_seed(&set, seed);
    return 0;
}
