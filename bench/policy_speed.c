/*
 * Milliseconds per suggestion of every policy, including the fit, on one thread, at n = 20, 50, 100, 200
 * observations of mystery (d = 2, K = 1) and of a problem with d = 9, K = 1; at n = 50 also in units of one
 * OpenBLAS Cholesky factorisation with n = 1,024 in the same run.
 *
 *     build/bench/policy_speed [--repeat R] [--policy NAME] [--max N]
 *
 * The objective has no noise, or a known one (σ = 1 on mystery, a tenth of its spread on the other), with
 * MAP hyperparameters in both cases. Each figure is the smallest of R suggestions, each of which refits.
 */
#include "options.h"
#include "problems/problems.h"
#include "timing.h"

static void bowl(const double *x, double *v)
{
    v[0] = 0;
    v[1] = -0.3;
    for (int i = 0; i < 9; i++) {
        v[0] += (x[i] - 0.4) * (x[i] - 0.4) * 4 + 0.5 * sin(6 * x[i] + i);
        v[1] += sin(3 * x[i] + i) / 3;
    }
}

struct shape {
    const char *name;
    int d;
    double high, noise;
    void (*evaluate)(const double *x, double *values);
};

static void mystery(const double *x, double *values)
{
    app_problem_named("mystery")->evaluate(x, values);
}

static const struct shape shapes[] = {{"mystery", 2, 5, 1, mystery}, {"bowl-9", 9, 1, 0.1, bowl}};

static ckg_study *make_study(const struct shape *shape, const char *policy, int n, int noisy)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    char name[16];
    double x[9];
    double values[2];
    int status = ckg_problem_new(&problem);

    /* The problem. */
    for (int i = 0; !status && i < shape->d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        status = ckg_problem_add_real(problem, name, 0, shape->high, CKG_LINEAR);
    }
    if (!status)
        status = ckg_problem_add_constraint(problem, "c", -INFINITY, 0);
    if (!status)
        status = ckg_problem_set_noise(problem, "c", CKG_NOISE_NONE, 0);
    if (!status)
        status = ckg_problem_set_noise(problem, "objective", noisy ? CKG_NOISE_KNOWN : CKG_NOISE_NONE,
                                       noisy ? shape->noise : 0);

    /* A study without an initial design. */
    options.policy = policy;
    options.fit = "map";
    options.initial = 0;
    if (status || ckg_study_new(&study, problem, &options))
        fail("study");
    ckg_problem_free(problem);

    /* n designs at random. */
    struct ckg__rng rng;
    ckg__rng_seed(&rng, 7, 0, 0);
    for (int i = 0; i < n; i++) {
        int trial;
        for (int k = 0; k < shape->d; k++)
            x[k] = shape->high * ckg__rng_uniform(&rng);
        shape->evaluate(x, values);
        values[0] += noisy ? shape->noise * ckg__rng_normal(&rng) : 0;
        if (ckg_study_add(study, x, &trial) || ckg_study_tell(study, trial, values))
            fail("data");
    }
    return study;
}

static void row(const struct shape *shape, const char *policy, int noisy, int repeat, int most, double unit)
{
    static const int sizes[] = {20, 50, 100, 200};
    double at_50 = NAN;

    printf("%-8s %-8s %5s", policy, shape->name, noisy ? "known" : "none");
    for (int i = 0; i < 4; i++) {
        if (sizes[i] > most) {
            printf(" %9s", "");
            continue;
        }
        ckg_study *study = make_study(shape, policy, sizes[i], noisy);
        fastest(study, 1, 1);
        const double total = fastest(study, 1, repeat).total;
        printf(" %9.2f", 1e3 * total);
        at_50 = sizes[i] == 50 ? total / unit : at_50;
        ckg_study_free(study);
    }
    printf(" %12.3f\n", at_50);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int repeat = 9;
    int most = 200;
    const char *only = NULL;
    ckg_policy_info policy;
    const struct bench_option options[] = {
        {"repeat", BENCH_INTEGER, &repeat},
        {"policy", BENCH_WORD, &only},
        {"max", BENCH_INTEGER, &most},
        {0},
    };

    bench_options_read(argc, argv, options);
    const double unit = cholesky_seconds();
    printf("milliseconds per suggestion, one thread; one OpenBLAS Cholesky of n = 1,024: %.2f ms\n",
           1e3 * unit);
    printf("%-8s %-8s %5s %9s %9s %9s %9s %12s\n", "policy", "problem", "noise", "n = 20", "n = 50",
           "n = 100", "n = 200", "50/Cholesky");
    for (int i = 0; !ckg_policy_at(i, &policy); i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int noisy = 0; noisy < 2; noisy++)
                if (!only || !strcmp(only, policy.name))
                    row(&shapes[s], policy.name, noisy, repeat, most, unit);
    return 0;
}
