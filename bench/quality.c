/*
 * How good the answers are: opportunity cost (OC) of the recommendation on the paper's three problems, with
 * and without noise.
 *
 *     build/bench/quality [--evaluations 50] [--initial 10] [--seeds 30] [--first-seed 1] [--policy auto]
 *                         [--problem NAME] [--noise 0|1] [--fit auto] [--kernel auto] [--threads N]
 *                         [--steep K] [--absurd V] [--outcome J] [--untold] [--verbose]
 *
 * OC = f(x_r) − f*, scored on the true function, feasible when every c <= 0 without tolerance; an infeasible
 * recommendation scores |f*| (the paper's M = 0). Nothing is dropped. The interval of the mean is Student's
 * t.
 * --policy all: every policy in turn. --problem: any problem that `ckg problems` lists. --steep: the study is
 * told exp(K·f), scored as ever. --untold: it is not told which outcomes have no noise. --absurd: for
 * outcome J of one early design it is told V.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "bench/replicate.h"
#include "bench/spread.h"
#include "options.h"

static const char *const problems[] = {"mystery", "new-branin", "test-function-2"};

enum { PROBLEMS = sizeof problems / sizeof *problems };

struct settings {
    int evaluations;
    int initial;
    int seeds;
    int first_seed;
    int threads;
    int verbose;
    int untold;
    const char *policy;
    const char *problem;
    const char *fit;
    const char *kernel;
    double noise;
    double steep;
    double outliers;
    int outcome;
};

/* What a replication comes to. */
struct outcome {
    double cost;
    double seconds; /* of a suggestion by the policy, mean */
    double last;    /* of the last one */
    int feasible;
    int fallbacks;
};

struct cell {
    const struct settings *settings;
    const struct app_problem *problem;
    double noise;
    struct outcome *outcomes; /* (seeds) */
};

/* A replication under way. */
struct watch {
    const struct cell *cell;
    int replication;
    struct outcome *outcome;
};

/* Scores the recommendation after the last evaluation. */
static int conclude(struct watch *w, const struct app_step *step)
{
    const struct settings *set = w->cell->settings;
    struct app_score score;
    const int status = app_score(w->cell->problem, step->study, &score);

    if (status)
        return status;
    w->outcome->cost = score.cost;
    w->outcome->feasible = score.feasible;
    if (set->verbose)
        printf("  seed %d oc %.3g best %.3g x %.6f %.6f pf %.3f%s\n", set->first_seed + w->replication,
               score.cost, step->best - w->cell->problem->optimum, score.recommendation->x[0],
               score.recommendation->x[1], score.recommendation->probability_feasible,
               score.feasible ? "" : " INFEASIBLE");
    ckg_recommendation_free(score.recommendation);
    return CKG_OK;
}

static int look(void *context, const struct app_step *step)
{
    struct watch *w = context;
    const struct settings *set = w->cell->settings;
    const ckg_suggestion *s = step->suggestion;

    w->outcome->fallbacks += !strcmp(s->path, "cei-fallback");
    if (step->evaluation > set->initial)
        w->outcome->seconds += s->seconds.total / (set->evaluations - set->initial);
    w->outcome->last = s->seconds.total;
    if (set->verbose > 1)
        printf("  %d %d %-12s %.6g %.6g value %.3g f %.6g c %.3g\n", w->replication, step->evaluation - 1,
               s->path, s->x[0], s->x[1], s->value, step->telling[0], step->telling[1]);
    return step->evaluation < set->evaluations ? CKG_OK : conclude(w, step);
}

static int replicate(void *context, int index, struct app_message *message)
{
    const struct cell *cell = context;
    const struct settings *set = cell->settings;
    struct watch watch = {cell, index, &cell->outcomes[index]};
    const struct app_experiment experiment = {
        .problem = cell->problem,
        .noise = cell->noise,
        .untold = set->untold,
        .policy = set->policy,
        .fit = set->fit,
        .kernel = set->kernel,
        .initial = set->initial,
        .evaluations = set->evaluations,
        .seed = (uint64_t)(set->first_seed + index),
        .steep = set->steep,
        .outliers = set->outliers,
        .absurd_outcome = set->outcome,
    };

    return app_replicate(&experiment, look, &watch, message);
}

static void print_cell(const struct cell *cell, double *costs)
{
    const int n = cell->settings->seeds;
    struct outcome sum = {0};

    for (int r = 0; r < n; r++) {
        const struct outcome *o = &cell->outcomes[r];
        costs[r] = o->cost;
        sum.seconds += o->seconds;
        sum.last += o->last;
        sum.feasible += o->feasible;
        sum.fallbacks += o->fallbacks;
    }
    const struct app_spread cost = app_spread_of(costs, n);
    printf("%-16s %5g  %9.3g ± %-8.2g %9.3g %9.3g %10d %9d %10.2f %8.2f\n", cell->problem->name, cell->noise,
           cost.mean, n > 1 ? cost.half : 0.0, cost.median, cost.largest, n - sum.feasible, sum.fallbacks,
           1e3 * sum.seconds / n, 1e3 * sum.last / n);
    fflush(stdout);
}

static void run_cell(const struct settings *set, const struct app_problem *p, double noise)
{
    struct cell cell = {set, p, noise, calloc((size_t)set->seeds, sizeof *cell.outcomes)};
    double *costs = calloc((size_t)set->seeds, sizeof *costs);
    struct app_message message = {"out of memory"};

    if (!cell.outcomes || !costs || app_parallel(set->seeds, set->threads, replicate, &cell, &message)) {
        fprintf(stderr, "quality: %s\n", message.text);
        exit(1);
    }
    print_cell(&cell, costs);
    free(cell.outcomes);
    free(costs);
}

static const struct app_problem *problem_named(const char *name)
{
    const struct app_problem *problem = app_problem_named(name);

    if (!problem) {
        fprintf(stderr, "quality: there is no problem %s\n", name);
        exit(2);
    }
    return problem;
}

static void run_policy(const struct settings *all, const char *policy)
{
    struct settings set = *all;

    set.policy = policy;
    printf("policy %s, %d initial + %d evaluations, seeds %d … %d\n", set.policy, set.initial,
           set.evaluations - set.initial, set.first_seed, set.first_seed + set.seeds - 1);
    printf("%-16s %5s  %9s   %-8s %9s %9s %10s %9s %10s %8s\n", "problem", "noise", "mean OC", "95 %",
           "median", "largest", "infeasible", "fallbacks", "ms/suggest", "last");
    for (int i = 0; i < (set.problem ? 1 : PROBLEMS); i++)
        for (int noise = 0; noise < 2; noise++)
            if (set.noise < 0 || set.noise == noise)
                run_cell(&set, problem_named(set.problem ? set.problem : problems[i]), noise);
}

int main(int argc, char **argv)
{
    struct settings set = {50, 10, 30, 1, 2, 0, 0, "auto", NULL, "auto", "auto", -1, 0, 0, 0};
    const struct bench_option options[] = {
        {"evaluations", BENCH_INTEGER, &set.evaluations},
        {"initial", BENCH_INTEGER, &set.initial},
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"threads", BENCH_INTEGER, &set.threads},
        {"policy", BENCH_WORD, &set.policy},
        {"problem", BENCH_WORD, &set.problem},
        {"fit", BENCH_WORD, &set.fit},
        {"kernel", BENCH_WORD, &set.kernel},
        {"noise", BENCH_REAL, &set.noise},
        {"steep", BENCH_REAL, &set.steep},
        {"absurd", BENCH_REAL, &set.outliers},
        {"outcome", BENCH_INTEGER, &set.outcome},
        {"untold", BENCH_FLAG, &set.untold},
        {"verbose", BENCH_FLAG, &set.verbose},
        {0},
    };
    ckg_policy_info policy;

    bench_options_read(argc, argv, options);
    if (strcmp(set.policy, "all") != 0)
        run_policy(&set, set.policy);
    for (int i = 0; !strcmp(set.policy, "all") && !ckg_policy_at(i, &policy); i++)
        run_policy(&set, policy.name);
    return 0;
}
