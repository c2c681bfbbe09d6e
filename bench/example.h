/*
 * The one-dimensional example of the figures, after the paper's Figure 2, which gives no formulas; these are
 * ours. Maximised over [0, 1].
 */
#ifndef CKG_BENCH_EXAMPLE_H
#define CKG_BENCH_EXAMPLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <ckg/ckg.h>

enum { EXAMPLE_GRID = 401 };

static double example_objective(double x)
{
    return 1.6 * exp(-40 * (x - 0.66) * (x - 0.66)) + 0.9 * exp(-60 * (x - 0.2) * (x - 0.2)) +
           0.25 * cos(14 * x) - 0.3 * x;
}

/* Feasible where it is at most 0. */
static double example_constraint(double x)
{
    return cos(9.4 * x - 0.4) - 0.1;
}

static void example_check(int status)
{
    if (status) {
        fprintf(stderr, "%s\n", ckg_error_message());
        exit(1);
    }
}

/* noise 0: none, which the study knows; else its known standard deviation. */
static ckg_study *example_study(const char *policy, int initial, double noise, int seed)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;

    example_check(ckg_problem_new(&problem));
    example_check(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    example_check(ckg_problem_set_objective(problem, "objective", CKG_MAXIMIZE));
    example_check(ckg_problem_add_constraint(problem, "c", -INFINITY, 0));
    example_check(
        ckg_problem_set_noise(problem, "objective", noise > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE, noise));
    example_check(ckg_problem_set_noise(problem, "c", noise > 0 ? CKG_NOISE_KNOWN : CKG_NOISE_NONE, noise));
    options.policy = policy;
    options.fit = "map";
    options.warp = 0;
    options.initial = initial;
    options.seed = (uint64_t)seed;
    example_check(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

static void example_tell(ckg_study *study, int trial, double x)
{
    const double values[] = {example_objective(x), example_constraint(x)};

    example_check(ckg_study_tell(study, trial, values));
}

/* Five evaluated designs. */
static void example_fill(ckg_study *study)
{
    static const double data[] = {0.06, 0.3, 0.47, 0.75, 0.94};

    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        int trial;
        example_check(ckg_study_add(study, &data[i], &trial));
        example_tell(study, trial, data[i]);
    }
}

#endif
