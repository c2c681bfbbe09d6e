/*
 * How long a suggestion takes: milliseconds by stage for n = 20 … 2,000 observations, with one OpenBLAS
 * Cholesky factorisation of n = 1,024 in the same run for scale, and the speed-up from a second thread.
 *
 *     build/bench/speed [--min N] [--max N] [--repeat R] [--policy auto] [--samples S] [--only d,K]
 *                       [--noise SD[,SD]]
 *
 * Each figure is the smallest of R suggestions. Every timed suggestion refits its hyperparameters from the
 * last optimum, as happens after each evaluation up to n = 100; "append" is the total when no fit is due,
 * which is the usual case beyond that. With --samples, the objective has noise and S hyperparameter samples
 * are averaged over. With --noise, the objective has noise of that known standard deviation, and the
 * constraints have the second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "options.h"
#include "timing.h"

/* A smooth test problem of any dimension: a rippled bowl under waves that must stay below a level. */
static void evaluate(int d, int K, const double *x, double *values)
{
    values[0] = 0;
    for (int i = 0; i < d; i++)
        values[0] += (x[i] - 0.4) * (x[i] - 0.4) * 4 + 0.5 * sin(6 * x[i] + i);
    for (int k = 1; k <= K; k++) {
        values[k] = -0.3;
        for (int i = 0; i < d; i++)
            values[k] += sin(3 * x[i] + 1.3 * k + i) / sqrt(d);
    }
}

/* What a study is made for. */
struct setting {
    const char *policy;
    int samples;
    double noise[2]; /* known, of the objective and of the constraints; 0: none */
};

static int set_noise(ckg_problem *problem, const char *name, double sd)
{
    return ckg_problem_set_noise(problem, name, sd > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE, sd);
}

static ckg_study *make_study(int d, int K, int n, int threads, const struct setting *set)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    char name[16];
    int status = ckg_problem_new(&problem);

    /* The problem. */
    for (int i = 0; !status && i < d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        status = ckg_problem_add_real(problem, name, 0, 1, CKG_LINEAR);
    }
    for (int k = 0; !status && k < K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        status = ckg_problem_add_constraint(problem, name, -INFINITY, 0);
        if (!status)
            status = set_noise(problem, name, set->noise[1]);
    }
    if (!status && !set->samples)
        status = set_noise(problem, "objective", set->noise[0]);

    /* A study without an initial design. */
    options.policy = set->policy;
    options.threads = threads;
    options.initial = 0;
    options.samples = set->samples ? set->samples : 1;
    if (status || ckg_study_new(&study, problem, &options))
        fail("study");
    ckg_problem_free(problem);

    /* n designs at random, evaluated. */
    double *cube = malloc((size_t)n * (size_t)d * sizeof *cube);
    double values[21];
    struct ckg__rng rng;
    ckg__rng_seed(&rng, 7, 0, 0);
    for (int i = 0; i < n * d; i++)
        cube[i] = ckg__rng_uniform(&rng);
    for (int i = 0; i < n; i++) {
        int trial;
        evaluate(d, K, cube + (size_t)i * (size_t)d, values);
        for (int j = 0; j <= K; j++) {
            const double sd = j ? set->noise[1] : set->samples ? 0.3 : set->noise[0];
            values[j] += sd > 0 ? sd * ckg__rng_normal(&rng) : 0;
        }
        if (ckg_study_add(study, cube + (size_t)i * (size_t)d, &trial) ||
            ckg_study_tell(study, trial, values))
            fail("data");
    }
    free(cube);
    return study;
}

static void print_stages(const ckg_timing *t)
{
    printf(" %9.2f %9.2f %8.2f %8.2f %8.2f %10.2f", 1e3 * t->fit, 1e3 * t->recommend, 1e3 * t->screen,
           1e3 * t->inner, 1e3 * t->refine, 1e3 * t->total);
}

/* Two lines: the stages with one thread, and with two. */
static void row(int d, int K, int n, int repeat, const struct setting *set, double unit)
{
    ckg_study *study = make_study(d, K, n, 1, set);

    fastest(study, 1, 1);
    const ckg_timing one = fastest(study, 1, repeat);
    const ckg_timing without = fastest(study, 0, repeat);
    ckg_study_free(study);
    study = make_study(d, K, n, 2, set);
    fastest(study, 1, 1);
    const ckg_timing two = fastest(study, 1, repeat);
    ckg_study_free(study);
    printf("%3d %3d %6d", d, K, n);
    print_stages(&one);
    printf(" %10.2f %9.2f\n%14s", one.total / unit, 1e3 * without.total, "two threads");
    print_stages(&two);
    printf(" %9.2fx\n", one.total / two.total);
    fflush(stdout);
}

static void print_head(const struct setting *set, double unit)
{
    printf("policy %s%s%s, milliseconds; one OpenBLAS Cholesky of n = 1,024: %.2f ms\n", set->policy,
           set->samples ? ", sampled hyperparameters" : "",
           set->noise[0] > 0 || set->noise[1] > 0 ? ", known noise" : "", 1e3 * unit);
    printf("%3s %3s %6s %9s %9s %8s %8s %8s %10s %10s %9s\n", "d", "K", "n", "fit", "recommend", "screen",
           "inner", "refine", "total", "/Cholesky", "append");
}

int main(int argc, char **argv)
{
    static const int shapes[][2] = {{2, 1}, {2, 3}, {9, 1}, {20, 5}};
    static const int sizes[] = {20, 50, 100, 200, 500, 1000, 2000};
    struct setting set = {"auto", 0, {0, 0}};
    const char *only = "";
    const char *noise = "";
    int least = 0;
    int most = 2000;
    int repeat = 5;
    int only_d = 0;
    int only_K = 0;
    const struct bench_option options[] = {
        {"min", BENCH_INTEGER, &least},      {"max", BENCH_INTEGER, &most},
        {"repeat", BENCH_INTEGER, &repeat},  {"samples", BENCH_INTEGER, &set.samples},
        {"policy", BENCH_WORD, &set.policy}, {"only", BENCH_WORD, &only},
        {"noise", BENCH_WORD, &noise},       {0},
    };

    bench_options_read(argc, argv, options);
    sscanf(only, "%d,%d", &only_d, &only_K);
    sscanf(noise, "%lf,%lf", &set.noise[0], &set.noise[1]);

    /* The unit, then a pair of lines for every shape and size. */
    const double unit = cholesky_seconds();
    print_head(&set, unit);
    for (size_t shape = 0; shape < 4; shape++)
        for (size_t i = 0; i < 7; i++)
            if (sizes[i] >= least && sizes[i] <= most &&
                (!only_d || (shapes[shape][0] == only_d && shapes[shape][1] == only_K)))
                row(shapes[shape][0], shapes[shape][1], sizes[i], sizes[i] > 500 ? 1 : repeat, &set, unit);

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %.0f MB\n", (double)usage.ru_maxrss / 1024);
    return 0;
}
