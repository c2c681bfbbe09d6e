/*
 * By how much limits are expected to be broken: against the integral of max(0, excess) over the normal
 * density by Simpson's rule, slopes and gradients against differences. The integral runs over 12 standard
 * deviations in 20,000 steps: its own error is below 1e-10 of the standard deviation.
 */
#include <math.h>
#include <string.h>

#include <ckg/status.h>

#include "surrogate/belief.h"
#include "support/near.h"
#include "support/scene.h"
#include "support/test.h"

static double broken_by(const struct ckg__limits *limits, double y)
{
    return fmax(0, fmax(y - limits->upper, limits->lower - y));
}

/* E of it, y normal. */
static double integral(const struct ckg__limits *limits, double mean, double sd)
{
    enum { STEPS = 20000 };
    const double h = 24.0 / STEPS;
    double sum = 0;

    for (int i = 0; i <= STEPS; i++) {
        const double z = -12 + i * h;
        const double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * broken_by(limits, mean + sd * z) * exp(-z * z / 2);
    }
    return sum * h / 3 / sqrt(2 * acos(-1));
}

static double violation(const struct ckg__limits *limits, double mean, double var)
{
    double in_mean, in_var;

    return ckg__limits_expected_violation(limits, mean, var, &in_mean, &in_var);
}

static const struct ckg__limits cases[] = {
    {.lower = -INFINITY, .upper = 1}, {.lower = 0.5, .upper = INFINITY}, {.lower = -0.3, .upper = 0.4}};

static void test_value_against_the_integral(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++)
        for (double mean = -3; mean <= 3; mean += 0.37)
            for (double sd = 0.01; sd < 3; sd *= 2.3)
                assert_near(violation(&cases[c], mean, sd * sd), integral(&cases[c], mean, sd), 2e-6 * sd);
}

static void test_slopes_against_differences(void **state)
{
    const double h = 1e-5;

    (void)state;
    for (int c = 0; c < 3; c++)
        for (double mean = -2; mean <= 2; mean += 0.31) {
            const double var = 0.2;
            double in_mean, in_var;

            ckg__limits_expected_violation(&cases[c], mean, var, &in_mean, &in_var);
            const double up = violation(&cases[c], mean + h, var) - violation(&cases[c], mean - h, var);
            const double wide = violation(&cases[c], mean, var + h) - violation(&cases[c], mean, var - h);
            assert_near(in_mean, up / (2 * h), 1e-8);
            assert_near(in_var, wide / (2 * h), 1e-8);
        }
}

/* What chance decides counts by how likely it is to fail: between 0 and 1, whatever its size. */
static void test_chance(void **state)
{
    const struct ckg__limits limits = {.lower = 0, .upper = INFINITY, .chance = 1};

    (void)state;
    assert_near(violation(&limits, 0, 0.5), 0.5, 1e-12);
    assert_true(violation(&limits, -1000, 0.5) <= 1);
    assert_true(violation(&limits, -1, 0.5) > violation(&limits, 1, 0.5));
}

static int violation_of(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    memset(value, 0, (size_t)m * sizeof *value);
    memset(gradient, 0, SCENE_D * (size_t)m * sizeof *gradient);
    return ckg__belief_expected_violation_batch(&s->belief, m, U, m, &s->arena, value, gradient);
}

static void test_gradient(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++) {
        struct scene s;
        scene_make(&s, (enum ckg__kernel)kernel, -1, (uint64_t)(1 + kernel));
        assert_true(scene_gradient_error(&s, violation_of, 30) < 1e-6);
        scene_free(&s);
    }
}

int main(void)
{
    return RUN_TESTS(test_value_against_the_integral, test_slopes_against_differences, test_chance,
                     test_gradient);
}
