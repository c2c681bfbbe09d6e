/*
 * What is said of evaluations that may fail, and what comes true: problems whose best designs fail.
 *
 *     build/bench/failures [--seeds 100] [--first-seed 1] [--evaluations 40] [--policy NAME]
 *                          [--problem NAME] [--threads 2]
 *
 * Every problem is a bowl over the unit square with one ordinary constraint, without noise, 10 initial
 * designs. `disc` and `edge` fail for good in a region that holds the best feasible design, so that the
 * search is drawn towards it; `chance` fails one time in four wherever it is evaluated. Asked for
 * recommendations after 10, 20, 30 and all evaluations, and for predictions at 100 random designs each time.
 * "Holds" means feasible, and the evaluation succeeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/parallel.h"
#include "options.h"

enum { MARKS = 4, RANDOM = 100, BINS = 9, POLICIES = 2 };

static const double edges[BINS + 1] = {0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1};

/* --- problems --- */

/* A bowl whose floor is at (0.6, 0.55), with ripples; feasible where the second value is at most 0. */
static void bowl(const double *x, double *values)
{
    values[0] = pow(x[0] - 0.6, 2) + pow(x[1] - 0.55, 2) + 0.03 * sin(11 * x[0]) * cos(8 * x[1]);
    values[1] = x[0] + 0.6 * x[1] - 1.05 + 0.1 * sin(6 * x[1]);
}

static double in_disc(const double *x)
{
    return pow(x[0] - 0.6, 2) + pow(x[1] - 0.55, 2) < 0.04;
}

static double beyond_edge(const double *x)
{
    return x[0] - 0.4 * x[1] + 0.05 * sin(9 * x[1]) > 0.3;
}

static double by_chance(const double *x)
{
    (void)x;
    return 0.25;
}

static const struct task {
    const char *name;
    double (*fails)(const double *x); /* with which probability */
} tasks[] = {{"disc", in_disc}, {"edge", beyond_edge}, {"chance", by_chance}};

enum { TASKS = sizeof tasks / sizeof *tasks };

/* Random numbers that are the same everywhere (splitmix64), in [0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* --- replications --- */

struct settings {
    int seeds;
    int first_seed;
    int evaluations;
    int threads;
    const char *policy;
    const char *problem;
};

/* Statements of one stated probability: how many, what they promised in all, how many held. */
struct bin {
    double count, stated, held;
};

/* What a replication comes to. */
struct outcome {
    struct bin recommended[MARKS][BINS];
    struct bin random[BINS];
    int failing[MARKS]; /* 1: the recommendation is where evaluations fail for good */
    double failing_stated[MARKS];
    double cost;  /* of the last recommendation, where it holds */
    double score; /* logarithmic, of random designs: 0 for certainty that comes true */
    int failed;   /* evaluations */
    double seconds;
};

struct cell {
    const struct settings *settings;
    const struct task *task;
    const char *policy;
    struct outcome *outcomes; /* (seeds) */
};

static void check(int status)
{
    if (status) {
        fprintf(stderr, "failures: %s\n", ckg_error_message());
        exit(1);
    }
}

static void add(struct bin *bins, double stated, double held)
{
    int b = 0;

    while (b + 1 < BINS && stated >= edges[b + 1])
        b++;
    bins[b].count++;
    bins[b].stated += stated;
    bins[b].held += held;
}

/* With which probability the design holds. */
static double holds(const struct task *task, const double *x)
{
    double values[2];

    bowl(x, values);
    return values[1] <= 0 ? 1 - task->fails(x) : 0;
}

static ckg_study *study_of(const char *policy, uint64_t seed)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;

    check(ckg_problem_new(&problem));
    check(ckg_problem_add_real(problem, "a", 0, 1, CKG_LINEAR));
    check(ckg_problem_add_real(problem, "b", 0, 1, CKG_LINEAR));
    check(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    check(ckg_problem_add_constraint(problem, "c", -INFINITY, 0));
    check(ckg_problem_set_noise(problem, "f", CKG_NOISE_NONE, 0));
    check(ckg_problem_set_noise(problem, "c", CKG_NOISE_NONE, 0));
    options.policy = policy;
    options.initial = 10;
    options.threads = 1;
    options.seed = seed;
    check(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

/* A design that was evaluated is what it was then, whatever would come of it another time. */
static double holds_again(const struct cell *cell, const ckg_study *study, const ckg_recommendation *r)
{
    ckg_trial trial;

    if (r->best_trial >= 0) {
        check(ckg_study_trial(study, r->best_trial, &trial));
        if (trial.x[0] == r->x[0] && trial.x[1] == r->x[1])
            return 1;
    }
    return holds(cell->task, r->x);
}

/* The recommendation and random designs: what is said of them, and what is true. */
static void question(const struct cell *cell, ckg_study *study, int mark, uint64_t *random,
                     struct outcome *out)
{
    ckg_recommendation *r;
    double X[2 * RANDOM];
    double stated[RANDOM];
    double values[2];

    /* The recommendation. */
    check(ckg_study_recommend(study, NULL, &r));
    const double held = holds_again(cell, study, r);
    add(out->recommended[mark], r->probability_feasible, held);
    out->failing[mark] = cell->task->fails(r->x) == 1;
    out->failing_stated[mark] = r->probability_feasible;
    bowl(r->x, values);
    out->cost = held > 0 ? values[0] : NAN;
    ckg_recommendation_free(r);

    /* Anywhere. */
    for (int i = 0; i < 2 * RANDOM; i++)
        X[i] = uniform(random);
    check(ckg_study_predict(study, RANDOM, X, NULL, NULL, stated, NULL));
    for (int p = 0; p < RANDOM; p++) {
        const double truth = holds(cell->task, X + (size_t)2 * (size_t)p);
        const double said = fmin(fmax(stated[p], 1e-6), 1 - 1e-6);
        add(out->random, stated[p], truth);
        out->score -= (truth * log(said) + (1 - truth) * log1p(-said)) / (RANDOM * MARKS);
    }
}

static int replicate(void *context, int index, struct app_message *message)
{
    const struct cell *cell = context;
    const int evaluations = cell->settings->evaluations;
    const int seed = cell->settings->first_seed + index;
    struct outcome *out = &cell->outcomes[index];
    uint64_t random = (uint64_t)seed * 1000003;
    ckg_study *study = study_of(cell->policy, (uint64_t)seed);

    (void)message;
    for (int n = 1, mark = 0; n <= evaluations; n++) {
        ckg_suggestion *s;
        double values[2];
        check(ckg_study_ask(study, &s));
        out->seconds += s->seconds.total / evaluations;

        /* It fails, or it is measured. */
        bowl(s->x, values);
        if (uniform(&random) < cell->task->fails(s->x)) {
            out->failed++;
            check(ckg_study_tell_failed(study, s->trial));
        } else {
            check(ckg_study_tell(study, s->trial, values));
        }
        ckg_suggestion_free(s);
        if ((n % 10 == 0 || n == evaluations) && mark < MARKS)
            question(cell, study, mark++, &random, out);
    }
    ckg_study_free(study);
    return CKG_OK;
}

/* --- what it says --- */

static void print_bins(const char *title, const struct bin *bins)
{
    printf("  %-28s", title);
    for (int b = 0; b < BINS; b++)
        if (bins[b].count > 0)
            printf(" %6.0f: %.3f %.3f |", bins[b].count, bins[b].stated / bins[b].count,
                   bins[b].held / bins[b].count);
        else
            printf(" %21s |", "");
    printf("\n");
}

static void add_bins(struct bin *to, const struct bin *from)
{
    for (int b = 0; b < BINS; b++) {
        to[b].count += from[b].count;
        to[b].stated += from[b].stated;
        to[b].held += from[b].held;
    }
}

static void print_cell(const struct cell *cell)
{
    struct bin early[BINS] = {{0}};
    struct bin last[BINS] = {{0}};
    struct bin random[BINS] = {{0}};
    double cost = 0;
    double score = 0;
    double failed = 0;
    double seconds = 0;
    int costs = 0;

    /* Over the seeds. */
    const int n = cell->settings->seeds;
    for (int r = 0; r < n; r++) {
        const struct outcome *o = &cell->outcomes[r];
        for (int mark = 0; mark < MARKS; mark++)
            add_bins(mark + 1 < MARKS ? early : last, o->recommended[mark]);
        add_bins(random, o->random);
        cost += isnan(o->cost) ? 0 : o->cost;
        costs += !isnan(o->cost);
        score += o->score / n;
        failed += (double)o->failed / n;
        seconds += o->seconds / n;
    }
    printf("%s, %s: %.1f of %d evaluations failed; mean objective of the last recommendations that hold "
           "%.4f; log score at random %.3f; %.0f ms\n",
           cell->task->name, cell->policy, failed, cell->settings->evaluations, cost / costs, score,
           1e3 * seconds);

    /* Recommendations in the failing region, and what was said of them. */
    for (int mark = 0; mark < MARKS; mark++) {
        int count = 0;
        printf("  recommended where evaluations fail, question %d:", mark + 1);
        for (int r = 0; r < n; r++)
            if (cell->outcomes[r].failing[mark]) {
                count++;
                printf(" %.3f", cell->outcomes[r].failing_stated[mark]);
            }
        printf("%s%d of %d\n", count ? ", " : " ", count, n);
    }

    /* Reliability. */
    print_bins("recommended, before the last", early);
    print_bins("recommended, last", last);
    print_bins("random designs", random);
    fflush(stdout);
}

static void run_cell(const struct settings *set, const struct task *task, const char *policy)
{
    struct cell cell = {set, task, policy, calloc((size_t)set->seeds, sizeof *cell.outcomes)};
    struct app_message message = {"out of memory"};

    if (!cell.outcomes || app_parallel(set->seeds, set->threads, replicate, &cell, &message)) {
        fprintf(stderr, "failures: %s\n", message.text);
        exit(1);
    }
    print_cell(&cell);
    free(cell.outcomes);
}

int main(int argc, char **argv)
{
    static const char *const policies[POLICIES] = {"auto", "cei"};
    struct settings set = {100, 1, 40, 2, NULL, NULL};
    const struct bench_option options[] = {
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"evaluations", BENCH_INTEGER, &set.evaluations},
        {"threads", BENCH_INTEGER, &set.threads},
        {"policy", BENCH_WORD, &set.policy},
        {"problem", BENCH_WORD, &set.problem},
        {0},
    };

    bench_options_read(argc, argv, options);
    printf("seeds %d … %d, %d evaluations. Reliability: statements, mean stated, share that held; stated up "
           "to 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999, 1\n",
           set.first_seed, set.first_seed + set.seeds - 1, set.evaluations);
    for (int i = 0; i < TASKS; i++)
        for (int k = 0; k < POLICIES; k++)
            if ((!set.problem || !strcmp(set.problem, tasks[i].name)) &&
                (!set.policy || !strcmp(set.policy, policies[k])))
                run_cell(&set, &tasks[i], policies[k]);
    return 0;
}
