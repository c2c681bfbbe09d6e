/*
 * The paper's test problems, minimised, with their known optima. Test function 2 has the factor exp(−x2⁷) that the printed text
 * lost.
 */
#ifndef CKG_BENCH_PROBLEMS_H
#define CKG_BENCH_PROBLEMS_H

#include <math.h>

#include <ckg/ckg.h>

struct bench_problem {
    const char *name;
    int d, K;
    double low[2], high[2];
    double optimum;                                  /* f* */
    double x_best[2];
    void (*evaluate)(const double *x, double *values); /* values: f, c_1 … c_K; feasible when every c <= 0 */
};

static void bench_mystery(const double *x, double *v)
{
    const double pi = 3.14159265358979323846;
    v[0] = 2 + 0.01 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2) + 2 * pow(2 - x[1], 2) + 7 * sin(0.5 * x[0]) * sin(0.7 * x[0] * x[1]);
    v[1] = -sin(x[0] - x[1] - pi / 8);
}

static void bench_new_branin(const double *x, double *v)
{
    const double pi = 3.14159265358979323846;
    v[0] = -pow(x[0] - 10, 2) - pow(x[1] - 15, 2);
    v[1] = pow(x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6, 2) + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 5;
}

static void bench_test_function_2(const double *x, double *v)
{
    v[0] = -pow(x[0] - 1, 2) - pow(x[1] - 0.5, 2);
    v[1] = (pow(x[0] - 3, 2) + pow(x[1] + 2, 2)) * exp(-pow(x[1], 7)) - 12;
    v[2] = 10 * x[0] + x[1] - 7;
    v[3] = pow(x[0] - 0.5, 2) + pow(x[1] - 0.5, 2) - 0.2;
}

static const struct bench_problem bench_problems[] = {
    {"mystery", 2, 1, {0, 0}, {5, 5}, -1.174274, {2.744951, 2.352252}, bench_mystery},
    {"new-branin", 2, 1, {-5, 0}, {10, 15}, -268.788505, {3.273024, 0.048870}, bench_new_branin},
    {"test-function-2", 2, 3, {0, 0}, {1, 1}, -0.748308, {0.201692, 0.833185}, bench_test_function_2},
};

enum { BENCH_PROBLEMS = 3 };

/* The problem for the library; noise 0: none anywhere; else the objective's is to be estimated and the constraints have none. */
static inline ckg_problem *bench_describe(const struct bench_problem *p, double noise)
{
    static const char *const names[] = {"x1", "x2"}, *const limits[] = {"c1", "c2", "c3"};
    ckg_problem *out;
    int status = ckg_problem_new(&out);
    for (int i = 0; !status && i < p->d; i++)
        status = ckg_problem_add_real(out, names[i], p->low[i], p->high[i], CKG_LINEAR);
    if (!status)
        status = ckg_problem_set_objective(out, "f", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_set_noise(out, "f", noise > 0 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0);
    for (int k = 0; !status && k < p->K; k++) {
        status = ckg_problem_add_constraint(out, limits[k], -INFINITY, 0);
        if (!status)
            status = ckg_problem_set_noise(out, limits[k], CKG_NOISE_NONE, 0);
    }
    return status ? NULL : out;
}

#endif
