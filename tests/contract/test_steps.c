/*
 * Fine steps cost nothing: with a thousand values for each parameter, and the optimum on a slanted edge of
 * what is feasible, where one parameter cannot move alone, the best value of the lattice is found as it would
 * be without steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { EVALUATIONS = 30, STEPS = 1000 };

static void evaluate(const double *x, double *values)
{
    values[0] = 0;
    for (int i = 0; i < 2; i++)
        values[0] += (1 + i) * pow(x[i] - 0.3 - 0.1 * i, 2) + 0.05 * sin(9 * x[i] + i);
    values[1] = 0.9 - x[0] - x[1] + 0.1 * sin(5 * x[0]);
}

static double best_of_lattice(void)
{
    double best = INFINITY;

    for (int i = 0; i <= STEPS; i++)
        for (int k = 0; k <= STEPS; k++) {
            const double x[2] = {(double)i / STEPS, (double)k / STEPS};
            double values[2];
            evaluate(x, values);
            if (values[1] <= 0)
                best = fmin(best, values[0]);
        }
    return best;
}

/* The best feasible value after all evaluations. */
static double hunt(uint64_t seed)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    double best = INFINITY;

    must(ckg_problem_new(&problem));
    for (int i = 0; i < 2; i++) {
        must(ckg_problem_add_real(problem, i ? "b" : "a", 0, 1, CKG_LINEAR));
        must(ckg_problem_set_step(problem, i ? "b" : "a", 1.0 / STEPS));
    }
    must(ckg_problem_add_constraint(problem, "limit", -INFINITY, 0));
    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.seed = seed;
    ckg_study *study = study_of(problem, &options);
    for (int t = 0; t < EVALUATIONS; t++) {
        ckg_suggestion *a;
        double values[2];

        must(ckg_study_ask(study, &a));
        evaluate(a->x, values);
        assert_true(rint(STEPS * a->x[0]) / STEPS == a->x[0] && rint(STEPS * a->x[1]) / STEPS == a->x[1]);
        if (values[1] <= 0)
            best = fmin(best, values[0]);
        must(ckg_study_tell(study, a->trial, values));
        ckg_suggestion_free(a);
    }
    ckg_study_free(study);
    return best;
}

static void test_fine_steps_cost_nothing(void **state)
{
    const int seeds = test_scale(10, 2);
    const double optimum = best_of_lattice();
    int found = 0;

    (void)state;
    for (int seed = 1; seed <= seeds; seed++) {
        const double best = hunt((uint64_t)seed);

        assert_true(best >= optimum - 1e-12);
        found += best <= optimum + 1e-4;
    }
    print_message("the optimum to 1e-4 with %d of %d seeds\n", found, seeds);
    assert_true(found >= 8 * seeds / 10);
}

int main(void)
{
    return RUN_TESTS(test_fine_steps_cost_nothing);
}
