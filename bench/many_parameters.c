/*
 * What a trust region is for: problems of 10 and 20 parameters, solved by `scbo` and by `cts`, which draws
 * over the whole box.
 *
 *     build/bench/many_parameters [--seeds 5] [--first-seed 1] [--evaluations 300] [--policy NAME]
 *                                 [--problem NAME] [--threads 2] [--verbose]
 *
 * Ackley's function with two constraints as in Eriksson and Poloczek (2021), and Levy's with the same.
 * Without noise; 2(d+1) initial designs count as evaluations. A run has solved its problem when the best
 * feasible design evaluated is at the problem's level or below.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/replicate.h"
#include "bench/spread.h"
#include "options.h"

enum { MARKS = 5 };

static const double pi = 3.14159265358979323846;

/* --- problems --- */

/*
 * A half-space and a ball that hold the optimum at 0, on the boundary of the one. Feasible are 2·10⁻⁵ of the
 * box in 10 dimensions and 4·10⁻¹² in 20.
 */
static void limit(int d, const double *x, double *values)
{
    double squares = 0;
    double sum = 0;

    for (int i = 0; i < d; i++) {
        squares += x[i] * x[i];
        sum += x[i];
    }
    values[1] = sum;
    values[2] = sqrt(squares) - 5;
}

static void ackley(int d, const double *x, double *values)
{
    double squares = 0;
    double waves = 0;

    for (int i = 0; i < d; i++) {
        squares += x[i] * x[i];
        waves += cos(2 * pi * x[i]);
    }
    values[0] = -20 * exp(-0.2 * sqrt(squares / d)) - exp(waves / d) + 20 + exp(1);
    limit(d, x, values);
}

static void ackley_10(const double *x, double *values)
{
    ackley(10, x, values);
}

static void ackley_20(const double *x, double *values)
{
    ackley(20, x, values);
}

static double squared(double v)
{
    return v * v;
}

/* Its optimum moved from 1 to 0. */
static void levy_20(const double *x, double *values)
{
    enum { D = 20 };
    const double first = 1 + x[0] / 4;
    const double last = 1 + x[D - 1] / 4;

    values[0] = squared(sin(pi * first)) + squared(last - 1) * (1 + squared(sin(2 * pi * last)));
    for (int i = 0; i + 1 < D; i++) {
        const double w = 1 + x[i] / 4;
        values[0] += squared(w - 1) * (1 + 10 * squared(sin(pi * w + 1)));
    }
    limit(D, x, values);
}

static const struct task {
    const char *name;
    int d;
    double level; /* what counts as solved; the optimum is 0 */
    void (*evaluate)(const double *x, double *values);
} tasks[] = {
    {"ackley-10", 10, 0.5, ackley_10},
    {"ackley-20", 20, 3, ackley_20},
    {"levy-20", 20, 1, levy_20},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

static struct app_problem make_problem(const struct task *task)
{
    struct app_problem out = {.name = task->name, .d = task->d, .K = 2, .evaluate = task->evaluate};

    for (int i = 0; i < task->d; i++) {
        out.low[i] = -5;
        out.high[i] = 10;
    }
    return out;
}

/* --- replications --- */

struct settings {
    int seeds;
    int first_seed;
    int evaluations;
    int threads;
    int verbose;
    const char *policy;
    const char *problem;
};

/* What a replication comes to. */
struct outcome {
    double best[MARKS]; /* after a fifth, two fifths, … of the evaluations */
    double seconds;     /* of suggestions by the policy, in all */
    double longest;
    int suggested;
};

struct cell {
    const struct settings *settings;
    const struct app_problem *problem;
    const char *policy;
    struct outcome *outcomes; /* (seeds) */
};

/* A replication under way. */
struct watch {
    const struct settings *settings;
    int seed;
    struct outcome *outcome;
};

static int look(void *context, const struct app_step *step)
{
    const struct watch *w = context;
    const struct settings *set = w->settings;
    const ckg_suggestion *s = step->suggestion;

    if (strcmp(s->path, "design") != 0) {
        w->outcome->suggested++;
        w->outcome->seconds += s->seconds.total;
        w->outcome->longest = fmax(w->outcome->longest, s->seconds.total);
    }
    for (int mark = 0; mark < MARKS; mark++)
        if (step->evaluation == set->evaluations * (mark + 1) / MARKS)
            w->outcome->best[mark] = step->best;
    if (set->verbose && (step->evaluation % 10 == 0 || !strcmp(s->path, "restart")))
        printf("  seed %d, %d evaluations: %-8s f %.4g c %.3g %.3g best %.4g, %.0f ms (fit %.0f)\n", w->seed,
               step->evaluation, s->path, step->truth[0], step->truth[1], step->truth[2], step->best,
               1e3 * s->seconds.total, 1e3 * s->seconds.fit);
    return CKG_OK;
}

static int replicate(void *context, int index, struct app_message *message)
{
    const struct cell *cell = context;
    const int seed = cell->settings->first_seed + index;
    struct watch watch = {cell->settings, seed, &cell->outcomes[index]};
    const struct app_experiment experiment = {
        .problem = cell->problem,
        .policy = cell->policy,
        .initial = -1,
        .evaluations = cell->settings->evaluations,
        .seed = (uint64_t)seed,
    };

    return app_replicate(&experiment, look, &watch, message);
}

/* --- what it says --- */

static void print_cell(const struct cell *cell, double level, double *best)
{
    const int n = cell->settings->seeds;
    struct app_spread spread = {0};
    double seconds = 0;
    double longest = 0;
    int solved = 0;

    /* How far the best feasible design has come. */
    printf("%-10s %-5s", cell->problem->name, cell->policy);
    for (int mark = 0; mark < MARKS; mark++) {
        for (int r = 0; r < n; r++)
            best[r] = cell->outcomes[r].best[mark];
        spread = app_spread_of(best, n);
        printf(" %9.3g", spread.median);
    }

    /* How it ended, and how long that took. */
    for (int r = 0; r < n; r++) {
        const struct outcome *o = &cell->outcomes[r];
        solved += best[r] <= level;
        seconds += o->seconds / (o->suggested ? o->suggested : 1) / n;
        longest = fmax(longest, o->longest);
    }
    printf(" %9.3g %9.3g %6g %3d of %d %8.0f %8.0f\n", spread.smallest, spread.largest, level, solved, n,
           1e3 * seconds, 1e3 * longest);
    fflush(stdout);
}

static void run_cell(const struct settings *set, const struct task *task, const char *policy)
{
    const struct app_problem problem = make_problem(task);
    struct cell cell = {set, &problem, policy, calloc((size_t)set->seeds, sizeof *cell.outcomes)};
    double *best = calloc((size_t)set->seeds, sizeof *best);
    struct app_message message = {"out of memory"};

    if (!cell.outcomes || !best || app_parallel(set->seeds, set->threads, replicate, &cell, &message)) {
        fprintf(stderr, "trust_region: %s\n", message.text);
        exit(1);
    }
    print_cell(&cell, task->level, best);
    free(cell.outcomes);
    free(best);
}

static void print_head(const struct settings *set)
{
    printf("%d evaluations, 2(d + 1) of them the initial design; seeds %d … %d; best feasible value, median "
           "over the seeds\n",
           set->evaluations, set->first_seed, set->first_seed + set->seeds - 1);
    printf("%-10s %-5s", "problem", "by");
    for (int mark = 0; mark < MARKS; mark++)
        printf(" %9d", set->evaluations * (mark + 1) / MARKS);
    printf(" %9s %9s %6s %8s %8s %8s\n", "smallest", "largest", "level", "solved", "ms", "longest");
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"scbo", "cts"};
    struct settings set = {5, 1, 300, 2, 0, NULL, NULL};
    const struct bench_option options[] = {
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"evaluations", BENCH_INTEGER, &set.evaluations},
        {"threads", BENCH_INTEGER, &set.threads},
        {"policy", BENCH_WORD, &set.policy},
        {"problem", BENCH_WORD, &set.problem},
        {"verbose", BENCH_FLAG, &set.verbose},
        {0},
    };

    bench_options_read(argc, argv, options);
    print_head(&set);
    for (int i = 0; i < TASKS; i++)
        for (int k = 0; k < 2; k++)
            if ((!set.problem || !strcmp(set.problem, tasks[i].name)) &&
                (!set.policy || !strcmp(set.policy, policies[k])))
                run_cell(&set, &tasks[i], policies[k]);
    return 0;
}
