/*
 * The comparison of Wang Lin et al. (arXiv 2512.17569) done again: outcomes measured one at a time by what
 * they are worth for their cost, against all at once, at the same total cost.
 *
 *     build/bench/decoupled --out FILE.csv [--seeds 30] [--first-seed 1] [--problem NAME] [--costs NAME]
 *                           [--policy NAME]
 *     build/bench/decoupled --out FILE.csv --summary
 *
 * Each run appends its lines to FILE.csv when it ends, and one that is there already is not made again:
 * killed and started again the program goes on. Seeds come first, so that every cell has as many as there is
 * time for. 6 initial designs, measured in full; then as much as `evaluations` single evaluations would cost
 * if all outcomes cost the same. Nothing has noise. The opportunity cost is scored on the true functions at
 * each tenth of the way, as everywhere here: 0 − f* where what is recommended is infeasible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/clock.h"
#include "options.h"
#include "problems/problems.h"

enum { INITIAL = 6, CHECKS = 10, MOST = 16 };

/* A problem with some constraints more that always hold by far, as the authors have them. */
struct variant {
    const char *name;
    const char *base;
    int redundant;
    int evaluations; /* of single outcomes after the initial design */
};

static const struct variant variants[] = {
    {"mystery", "mystery", 0, 100},
    {"mystery-redundant", "mystery", 1, 100},
    {"mystery-nine", "mystery", 8, 240},
    {"new-branin", "new-branin", 0, 100},
    {"test-function-2", "test-function-2", 0, 100},
    {"test-function-2-redundant", "test-function-2", 1, 100},
};

static const double redundant_value = -100;

/* What outcomes cost: 1, but for the objective and the first constraint. */
struct costs {
    const char *name;
    double objective, constraint;
};

static const struct costs costs[] = {{"equal", 1, 1}, {"objective-10", 10, 1}, {"constraint-10", 1, 10}};

/* How the next step is chosen; coupled: all outcomes at once, whatever they cost. */
struct way {
    const char *name;
    const char *policy;
    int coupled;
};

static const struct way ways[] = {
    {"ckg", "auto", 1}, {"dckg", "auto", 0}, {"cei", "cei", 1}, {"cei+", "cei", 0}, {"pesc", "pesc", 0}};

enum {
    VARIANTS = sizeof variants / sizeof *variants,
    COSTS = sizeof costs / sizeof *costs,
    WAYS = sizeof ways / sizeof *ways
};

struct settings {
    const char *out, *problem, *costs, *policy;
    int seeds, first_seed, summary;
};

/* One run: which, and where it stands. */
struct run {
    const struct variant *variant;
    const struct costs *costs;
    const struct way *way;
    int seed;
    const struct app_problem *base;
    int outcomes;
    double price[MOST];
    double full, budget;
    ckg_study *study;
    double oc[CHECKS + 1];
    int feasible[CHECKS + 1];
    int measured[MOST]; /* how often each outcome was, after the initial design */
    double seconds;
};

static void must(int status)
{
    if (!status)
        return;
    fprintf(stderr, "decoupled: %s\n", ckg_error_message());
    exit(1);
}

/* --- one run --- */

/* The true values of a design. */
static void truth(const struct run *run, const double *x, double *value)
{
    run->base->evaluate(x, value);
    for (int j = run->base->K + 1; j < run->outcomes; j++)
        value[j] = redundant_value;
}

static ckg_problem *describe(const struct run *run)
{
    const struct app_problem *base = run->base;
    ckg_problem *problem;
    char name[16];

    must(ckg_problem_new(&problem));
    for (int i = 0; i < base->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        must(ckg_problem_add_real(problem, name, base->low[i], base->high[i], CKG_LINEAR));
    }
    must(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", CKG_NOISE_NONE, 0));
    for (int j = 1; j < run->outcomes; j++) {
        snprintf(name, sizeof name, "c%d", j);
        must(ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        must(ckg_problem_set_noise(problem, name, CKG_NOISE_NONE, 0));
    }
    for (int j = 0; !run->way->coupled && j < run->outcomes; j++)
        must(ckg_problem_set_cost(problem, ckg_problem_outcome_name(problem, j), run->price[j]));
    return problem;
}

static void prepare(struct run *run)
{
    ckg_options options = CKG_OPTIONS_INIT;

    /* What it costs. */
    run->base = app_problem_named(run->variant->base);
    run->outcomes = 1 + run->base->K + run->variant->redundant;
    run->full = 0;
    for (int j = 0; j < run->outcomes; j++) {
        run->price[j] = j == 0 ? run->costs->objective : j == 1 ? run->costs->constraint : 1;
        run->full += run->price[j];
    }
    run->budget = run->full * run->variant->evaluations / run->outcomes;

    /* The study. */
    ckg_problem *problem = describe(run);
    options.policy = run->way->policy;
    options.seed = (uint64_t)run->seed;
    options.initial = INITIAL;
    if (!run->way->coupled)
        options.budget = (int)(INITIAL * run->full + run->budget);
    must(ckg_study_new(&run->study, problem, &options));
    ckg_problem_free(problem);
}

/* Asks, measures what is wanted, tells; returns what that cost. */
static double step(struct run *run, int initial)
{
    double value[MOST];
    ckg_measurement measured[MOST];
    ckg_suggestion *suggestion;
    double cost = 0;

    const double clock = app_clock();
    must(ckg_study_ask(run->study, &suggestion));
    run->seconds += app_clock() - clock;
    truth(run, suggestion->x, value);
    for (int i = 0; i < suggestion->measures; i++) {
        const int j = suggestion->measure[i];
        measured[i] = (ckg_measurement){j, value[j], CKG_SD_DEFAULT};
        cost += run->price[j];
        run->measured[j] += !initial;
    }
    must(ckg_study_tell_measured(run->study, suggestion->trial, suggestion->measures, measured));
    ckg_suggestion_free(suggestion);
    return cost;
}

/* The recommendation, scored on the truth. */
static void check(struct run *run, int at)
{
    ckg_recommendation *recommendation;
    double value[MOST];

    must(ckg_study_recommend(run->study, NULL, &recommendation));
    truth(run, recommendation->x, value);
    run->feasible[at] = 1;
    for (int j = 1; j < run->outcomes; j++)
        run->feasible[at] &= value[j] <= 0;
    run->oc[at] = (run->feasible[at] ? value[0] : run->base->infeasible) - run->base->optimum;
    ckg_recommendation_free(recommendation);
}

static void make(struct run *run)
{
    double spent = 0;
    int checked = 0;

    prepare(run);
    for (int i = 0; i < INITIAL; i++)
        step(run, 1);
    check(run, checked++);

    /* As long as the cheapest outcome can be paid for; a check as soon as another tenth is spent. */
    while (checked <= CHECKS) {
        const double cost = run->way->coupled ? run->full : 1;
        const int paid = spent + cost <= run->budget * (1 + 1e-12);
        if (paid)
            spent += step(run, 0);
        while (checked <= CHECKS && (!paid || spent >= run->budget * checked / CHECKS - 1e-9))
            check(run, checked++);
    }
    ckg_study_free(run->study);
}

/* --- the file --- */

static void name_run(const struct run *run, char *name, size_t size)
{
    snprintf(name, size, "%s,%s,%s,%d,", run->variant->name, run->costs->name, run->way->name, run->seed);
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

/* Its line: opportunity costs and feasibility at each tenth, seconds of asking, how often each was measured.
 */
static void keep(const char *file, const struct run *run)
{
    FILE *out = fopen(file, "a");
    char name[128];

    if (!out) {
        fprintf(stderr, "decoupled: cannot write %s\n", file);
        exit(1);
    }
    name_run(run, name, sizeof name);
    fprintf(out, "%s", name);
    for (int i = 0; i <= CHECKS; i++)
        fprintf(out, "%.9g:%d ", run->oc[i], run->feasible[i]);
    fprintf(out, ",%.2f,", run->seconds);
    for (int j = 0; j < run->outcomes; j++)
        fprintf(out, "%d ", run->measured[j]);
    fprintf(out, "\n");
    fclose(out);
}

static int is_wanted(const char *wanted, const char *name)
{
    return !wanted || !strcmp(wanted, name);
}

static void run_all(const struct settings *set)
{
    for (int seed = set->first_seed; seed < set->first_seed + set->seeds; seed++)
        for (int v = 0; v < VARIANTS; v++)
            for (int c = 0; c < COSTS; c++)
                for (int w = 0; w < WAYS; w++) {
                    struct run run = {
                        .variant = &variants[v], .costs = &costs[c], .way = &ways[w], .seed = seed};
                    const int other = !set->policy && !strcmp(ways[w].name, "pesc");
                    if (other || !is_wanted(set->problem, variants[v].name) ||
                        !is_wanted(set->costs, costs[c].name) || !is_wanted(set->policy, ways[w].name) ||
                        is_made(set->out, &run))
                        continue;
                    make(&run);
                    keep(set->out, &run);
                }
}

/* --- the table --- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The opportunity costs of a cell at `at` tenths into oc; returns how many. */
static int read_cell(const char *file, const struct run *cell, int at, double *oc, int most, int *infeasible)
{
    FILE *in = fopen(file, "r");
    char wanted[128];
    char line[1024];
    int count = 0;

    snprintf(wanted, sizeof wanted, "%s,%s,%s,", cell->variant->name, cell->costs->name, cell->way->name);
    *infeasible = 0;
    while (in && count < most && fgets(line, sizeof line, in)) {
        char *next = strncmp(line, wanted, strlen(wanted)) ? NULL : strchr(line + strlen(wanted), ',');
        double value = NAN;
        int feasible = 0;
        for (int i = 0; next && i <= at; i++) {
            value = strtod(next + 1, &next);
            feasible = (int)strtol(next + 1, &next, 10);
        }
        if (!next)
            continue;
        *infeasible += !feasible;
        oc[count++] = value;
    }
    if (in)
        fclose(in);
    return count;
}

static void print_cell(const char *file, const struct run *cell)
{
    enum { RUNS = 1000 };
    static const int shown[] = {2, 5, CHECKS};
    static double oc[RUNS];
    int infeasible;

    for (int i = 0; i < 3; i++) {
        const int at = shown[i];
        const int n = read_cell(file, cell, at, oc, RUNS, &infeasible);
        double mean = 0;
        double square = 0;
        if (!n)
            return;
        for (int r = 0; r < n; r++)
            mean += oc[r] / n;
        for (int r = 0; r < n; r++)
            square += (oc[r] - mean) * (oc[r] - mean);
        qsort(oc, (size_t)n, sizeof *oc, by_size);
        printf("%-26s %-14s %-5s %5d%% %5d %10.3g ± %-10.2g %10.3g %8d\n", cell->variant->name,
               cell->costs->name, cell->way->name, 100 * at / CHECKS, n, mean,
               n > 1 ? 1.96 * sqrt(square / (n - 1) / n) : NAN, 0.5 * (oc[n / 2] + oc[(n - 1) / 2]),
               infeasible);
    }
}

static void summarise(const struct settings *set)
{
    printf("%-26s %-14s %-5s %6s %5s %10s   %-10s %10s %8s\n", "problem", "costs", "way", "spent", "runs",
           "mean OC", "95 %", "median", "infeas.");
    for (int v = 0; v < VARIANTS; v++)
        for (int c = 0; c < COSTS; c++)
            for (int w = 0; w < WAYS; w++) {
                const struct run cell = {.variant = &variants[v], .costs = &costs[c], .way = &ways[w]};
                if (is_wanted(set->problem, variants[v].name) && is_wanted(set->costs, costs[c].name) &&
                    is_wanted(set->policy, ways[w].name))
                    print_cell(set->out, &cell);
            }
}

int main(int argc, char **argv)
{
    struct settings set = {.seeds = 30, .first_seed = 1};
    const struct bench_option options[] = {
        {"out", BENCH_WORD, &set.out},         {"problem", BENCH_WORD, &set.problem},
        {"costs", BENCH_WORD, &set.costs},     {"policy", BENCH_WORD, &set.policy},
        {"seeds", BENCH_INTEGER, &set.seeds},  {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"summary", BENCH_FLAG, &set.summary}, {0},
    };

    bench_options_read(argc, argv, options);
    if (!set.out) {
        fprintf(stderr, "decoupled: needs --out FILE.csv\n");
        return 2;
    }
    if (set.summary)
        summarise(&set);
    else
        run_all(&set);
    return 0;
}
