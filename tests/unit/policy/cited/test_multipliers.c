/*
 * Multipliers on the toy problem of Gramacy et al. 2016, where one constraint binds: with F = x1 + x2 and c1
 * on its limit at the optimum (0.195123, 0.404665), λ1 = −1/∂c1/∂x1 = 0.8597, λ2 = 0. With slack variables
 * they converge to that. Without, they cannot: the Lagrangian rewards what a constraint has to spare, and
 * with the true multiplier a design far inside, (0.5, 1), has a smaller one than the optimum; so λ1 stays
 * below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/study.h"
#include "policy/cited/multipliers.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;

enum { EVALUATIONS = 50 };

__attribute__((noinline)) static void evaluate(const double *x, double *values)
{
    values[0] = x[0] + x[1];
    values[1] = 1.5 - x[0] - 2 * x[1] - 0.5 * sin(2 * pi * (x[0] * x[0] - 2 * x[1]));
    values[2] = x[0] * x[0] + x[1] * x[1] - 1.5;
}

static ckg_study *toy(const char *policy)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x1", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "x2", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_constraint(p, "c1", -INFINITY, 0));
    must(ckg_problem_add_constraint(p, "c2", -INFINITY, 0));
    for (int j = 0; j < 3; j++)
        must(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), CKG_NOISE_NONE, 0));
    options.policy = policy;
    options.seed = 1;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    return s;
}

/* λ_j in the units of objective and constraint. */
static double multiplier(const ckg_study *s, const struct ckg__lagrangian *l, int j)
{
    return l->term[j].lambda * s->models.surrogate[0].scaling.scale / s->models.surrogate[j].scaling.scale;
}

static const double truth = 0.8597;

/* A study by the policy, which finds the optimum; its multipliers then. */
static void learn_toy(const char *policy, int slack, double lambda[2])
{
    ckg_study *s = toy(policy);
    struct ckg__search search;
    struct ckg__lagrangian l;
    double values[3];
    double best = INFINITY;

    for (int n = 0; n < EVALUATIONS; n++) {
        ckg_suggestion *suggestion;

        must(ckg_study_ask(s, &suggestion));
        evaluate(suggestion->x, values);
        if (values[1] <= 0 && values[2] <= 0)
            best = fmin(best, values[0]);
        must(ckg_study_tell(s, suggestion->trial, values));
        ckg_suggestion_free(suggestion);
    }
    assert_true(best < 0.5997880520 + 0.02);
    must(ckg__study_begin_search(s, s->policy, &search));
    must(ckg__multipliers_learn(&search, &s->models.belief[0], slack, &l));
    for (int j = 0; j < 2; j++)
        lambda[j] = multiplier(s, &l, j + 1);
    must(ckg__study_end_search(s, CKG_OK));
    ckg_study_free(s);
}

static void test_with_slack_they_are_the_true_ones(void **state)
{
    double lambda[2];

    (void)state;
    learn_toy("alslack", 1, lambda);
    assert_true(fabs(lambda[0] - truth) < 0.02);
    assert_true(lambda[1] == 0);
}

static void test_without_slack_they_stay_below(void **state)
{
    const double inside[] = {0.5, 1};
    const double best[] = {0.195122689, 0.404665363};
    double lambda[2];
    double value[2][3];

    /* With the true multiplier the Lagrangian is smaller far inside. */
    (void)state;
    evaluate(inside, value[0]);
    evaluate(best, value[1]);
    assert_true(value[0][0] + truth * value[0][1] < value[1][0] + truth * value[1][1] - 0.1);
    learn_toy("al", 0, lambda);
    assert_true(lambda[0] > 0.2 && lambda[0] < truth);
    assert_true(lambda[1] == 0);
}

int main(void)
{
    return RUN_TESTS(test_with_slack_they_are_the_true_ones, test_without_slack_they_stay_below);
}
