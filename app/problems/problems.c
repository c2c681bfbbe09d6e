/* The registry. */
#include "problems/problems.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PROBLEMS(ROW)                                                                                        \
    ROW(mystery)                                                                                             \
    ROW(new_branin)                                                                                          \
    ROW(test_function_2)                                                                                     \
    ROW(test_function_2_printed)                                                                             \
    ROW(gramacy)                                                                                             \
    ROW(gardner_1)                                                                                           \
    ROW(gardner_2)                                                                                           \
    ROW(hartmann6)                                                                                           \
    ROW(ackley10)                                                                                            \
    ROW(spring)                                                                                              \
    ROW(keane10)                                                                                             \
    ROW(mystery_noisy_constraints)

#define DECLARATION(NAME) extern const struct app_problem app_problem_##NAME;
#define ENTRY(NAME) &app_problem_##NAME,

PROBLEMS(DECLARATION)

const struct app_problem *const app_problems[] = {PROBLEMS(ENTRY) NULL};

const struct app_problem *app_problem_named(const char *name)
{
    for (int i = 0; app_problems[i]; i++)
        if (!strcmp(app_problems[i]->name, name))
            return app_problems[i];
    return NULL;
}

int app_problem_evaluate(const struct app_problem *p, const double *x, double *values)
{
    if (p->own)
        return p->evaluate_own(p, x, values);
    p->evaluate(x, values);
    return 1;
}

/* The same for a problem with limits of its own. */
static int keeps_limits(const struct app_problem *p, const double *values)
{
    for (int k = 1; k <= p->K; k++) {
        double min = 0;
        double max = 0;
        ckg_problem_limits(p->own, k, &min, &max);
        if (!(values[k] >= min && values[k] <= max))
            return 0;
    }
    return 1;
}

int app_problem_feasible(const struct app_problem *p, const double *values)
{
    if (p->own)
        return keeps_limits(p, values);
    for (int k = 1; k <= p->K; k++)
        if (values[k] > 0)
            return 0;
    return 1;
}

ckg_problem *app_problem_describe(const struct app_problem *p, int noisy)
{
    ckg_problem *out;
    char name[16];
    int status = ckg_problem_new(&out);

    for (int i = 0; !status && i < p->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        status = ckg_problem_add_real(out, name, p->low[i], p->high[i], CKG_LINEAR);
    }
    if (!status)
        status = ckg_problem_set_objective(out, "f", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_set_noise(out, "f", noisy ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0);
    for (int k = 1; !status && k <= p->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        status = ckg_problem_add_constraint(out, name, -INFINITY, 0);
        if (!status)
            status = ckg_problem_set_noise(out, name,
                                           p->constraint_noise > 0 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0);
    }
    if (!status)
        return out;
    ckg_problem_free(out);
    return NULL;
}

double app_problem_noise(uint64_t seed, uint64_t evaluation, uint64_t outcome)
{
    const double two_pi = 6.28318530717958647692;
    double u[2];

    for (int i = 0; i < 2; i++) {
        uint64_t z = seed * 0x9e3779b97f4a7c15u + evaluation * 2 + (uint64_t)i + 1 + (outcome << 32);
        z *= 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        u[i] = ((double)(z >> 11) + 0.5) / 9007199254740992.0;
    }
    return sqrt(-2 * log(u[0])) * cos(two_pi * u[1]);
}
