/*
 * Whether what is said of further evaluations comes true, and what ending a run by it costs: the stated gain
 * of the rest of the budget against the true one, on problems whose functions are known.
 *
 *     build/bench/stopping [--evaluations 110] [--initial 10] [--seeds 30] [--first-seed 1] [--bar 0.01]
 *                          [--patience 5] [--problem NAME] [--noise 0|1] [--threads N] [--trace]
 *
 * A run ends where the stated gain of the rest was below `bar`, as a share of the objective of what is
 * recommended, in `patience` evaluations in a row (the rule of `stop:` in a problem file). The run then goes
 * on to its budget all the same, and the true gain of that is the difference of the opportunity costs of both
 * recommendations. It must be at most twice the stated gain in nine of ten runs that were ended.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "bench/replicate.h"
#include "options.h"

struct settings {
    int evaluations;
    int initial;
    int seeds;
    int first_seed;
    int patience;
    int threads;
    int trace;
    double bar;
    double noise;
    const char *problem;
};

/* What a run comes to. */
struct outcome {
    int ended;        /* after so many evaluations; 0: at its budget */
    double stated;    /* gain of the rest, where it was ended */
    double then;      /* opportunity cost there */
    double cost;      /* and at the budget */
    double asking;    /* seconds, mean of a suggestion */
    double expecting; /* and of its gain */
};

struct cell {
    const struct settings *settings;
    const struct app_problem *problem;
    double noise;
    struct outcome *outcomes; /* (seeds) */
};

/* A run under way. */
struct watch {
    const struct cell *cell;
    int replication;
    int below; /* evaluations in a row whose stated gain was below the bar */
    struct outcome *outcome;
};

static void trace(const struct watch *w, const struct app_step *step, const ckg_gain *gain,
                  const struct app_score *score, double seconds)
{
    printf("trace %s %g %d %d %.6g %.6g %.6g %.6g %d %.6g %.9g %.9g %s %.2f %.2f %.6g\n",
           w->cell->problem->name, w->cell->noise, w->cell->settings->first_seed + w->replication,
           step->evaluation, gain->next, gain->remaining, gain->perfect_information, score->cost,
           score->feasible, step->best - w->cell->problem->optimum, score->recommendation->mean[0],
           score->recommendation->probability_feasible, step->suggestion->path, 1e3 * step->seconds,
           1e3 * seconds, gain->perfect_information_rough);
}

/* The stated gain after an evaluation, and the rule. */
static int look(void *context, const struct app_step *step)
{
    struct watch *w = context;
    const struct settings *set = w->cell->settings;
    const int left = set->evaluations - step->evaluation;
    struct app_score score = {0};
    ckg_gain gain;

    if (step->evaluation < set->initial)
        return CKG_OK;

    /* What is said. */
    const double clock = app_clock();
    int status = ckg_study_expected_gain(step->study, &gain);
    const double seconds = app_clock() - clock;
    if (status)
        return status;
    w->outcome->asking += step->seconds / (set->evaluations - set->initial);
    w->outcome->expecting += seconds / (set->evaluations - set->initial);

    /* Whether the run ends here. */
    w->below = gain.remaining < set->bar * fabs(gain.objective) ? w->below + 1 : 0;
    const int ends = w->below == set->patience && !w->outcome->ended && left > 0;

    /* What is recommended there, and at the end. */
    if (!ends && left && !set->trace)
        return CKG_OK;
    status = app_score(w->cell->problem, step->study, &score);
    if (status)
        return status;
    if (set->trace)
        trace(w, step, &gain, &score, seconds);
    if (ends) {
        w->outcome->ended = step->evaluation;
        w->outcome->stated = gain.remaining;
        w->outcome->then = score.cost;
    }
    w->outcome->cost = score.cost;
    ckg_recommendation_free(score.recommendation);
    return CKG_OK;
}

static int replicate(void *context, int index, struct app_message *message)
{
    const struct cell *cell = context;
    const struct settings *set = cell->settings;
    struct watch watch = {.cell = cell, .replication = index, .outcome = &cell->outcomes[index]};
    const struct app_experiment experiment = {
        .problem = cell->problem,
        .noise = cell->noise,
        .policy = "auto",
        .initial = set->initial,
        .evaluations = set->evaluations,
        .seed = (uint64_t)(set->first_seed + index),
    };

    return app_replicate(&experiment, look, &watch, message);
}

/* Of all runs so far: how many there were, were ended, and were told the truth. */
struct tally {
    int runs, ended, honest;
};

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count ? 0.5 * (values[count / 2] + values[(count - 1) / 2]) : NAN;
}

static void print_cell(const struct cell *cell, double *values, struct tally *all)
{
    const int n = cell->settings->seeds;
    struct tally tally = {.runs = n};
    double after = 0, asking = 0, expecting = 0, most = 0;

    for (int r = 0; r < n; r++) {
        const struct outcome *o = &cell->outcomes[r];
        asking += o->asking / n;
        expecting += o->expecting / n;
        if (!o->ended)
            continue;
        after += o->ended;
        tally.honest += o->then - o->cost <= 2 * o->stated;
        most = fmax(most, o->then - o->cost);
        values[tally.ended++] = o->stated;
    }
    printf("%-24s %5g %6d of %-4d %8.0f %12.3g %12.3g %8d of %-4d %9.1f %9.1f\n", cell->problem->name,
           cell->noise, tally.ended, n, tally.ended ? after / tally.ended : NAN, median(values, tally.ended),
           most, tally.honest, tally.ended, 1e3 * asking, 1e3 * expecting);
    fflush(stdout);
    all->runs += tally.runs;
    all->ended += tally.ended;
    all->honest += tally.honest;
}

static void run_cell(const struct settings *set, const struct app_problem *p, double noise,
                     struct tally *tally)
{
    struct cell cell = {set, p, noise, calloc((size_t)set->seeds, sizeof *cell.outcomes)};
    double *values = calloc((size_t)set->seeds, sizeof *values);
    struct app_message message = {"out of memory"};

    if (!cell.outcomes || !values || app_parallel(set->seeds, set->threads, replicate, &cell, &message)) {
        fprintf(stderr, "stopping: %s\n", message.text);
        exit(1);
    }
    print_cell(&cell, values, tally);
    free(cell.outcomes);
    free(values);
}

int main(int argc, char **argv)
{
    static const char *const problems[] = {"mystery", "new-branin", "test-function-2",
                                           "gramacy", "gardner-1",  "gardner-2"};
    struct settings set = {110, 10, 30, 1, 5, 2, 0, 0.01, -1, NULL};
    const struct bench_option options[] = {
        {"evaluations", BENCH_INTEGER, &set.evaluations},
        {"initial", BENCH_INTEGER, &set.initial},
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"patience", BENCH_INTEGER, &set.patience},
        {"threads", BENCH_INTEGER, &set.threads},
        {"trace", BENCH_FLAG, &set.trace},
        {"bar", BENCH_REAL, &set.bar},
        {"noise", BENCH_REAL, &set.noise},
        {"problem", BENCH_WORD, &set.problem},
        {0},
    };
    struct tally tally = {0};

    bench_options_read(argc, argv, options);
    printf("bar %g of the objective of what is recommended, patience %d, %d initial + %d evaluations, seeds "
           "%d … %d\n",
           set.bar, set.patience, set.initial, set.evaluations - set.initial, set.first_seed,
           set.first_seed + set.seeds - 1);
    printf("%-24s %5s %14s %8s %12s %12s %16s %9s %9s\n", "problem", "noise", "ended early", "after",
           "stated gain", "largest true", "true <= 2 stated", "ms/ask", "ms/gain");
    for (int i = 0; i < (int)(sizeof problems / sizeof *problems); i++)
        for (int noise = 0; noise < 2; noise++)
            if ((!set.problem || !strcmp(set.problem, problems[i])) && (set.noise < 0 || set.noise == noise))
                run_cell(&set, app_problem_named(problems[i]), noise, &tally);
    printf("ended early %d of %d; of those the true gain was at most twice the stated one in %d\n",
           tally.ended, tally.runs, tally.honest);
    return 0;
}
