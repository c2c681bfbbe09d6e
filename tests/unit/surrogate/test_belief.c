/*
 * Probability of feasibility and utility: one limit and two against 80-digit values
 * (tests/reference/make_belief.py) into the far tails, slopes against those and against differences,
 * gradients of log PF and log utility against differences.
 *
 * The bounds: z itself is rounded, by eps·|z|, which moves log PF by eps·|z|·φ/Φ and the slopes by eps·(1 +
 * z²) of themselves. Gradients agree with five-point differences to 5e-8 of the largest component.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "surrogate/belief.h"
#include "reference/belief.inc"
#include "support/near.h"
#include "support/scene.h"
#include "support/test.h"

/* Columns of the rows. */
enum { MEAN, VAR, LOWER, UPPER, LOG_PF, IN_MEAN, IN_VAR };

static void feasible(double mean, double var, double floor, double lower, double upper, double *out)
{
    out[0] = 0;
    const struct ckg__limits limits = {.lower = lower, .upper = upper, .floor = floor};
    ckg__log_feasible(1, &mean, &var, &limits, &out[0], &out[1], &out[2]);
}

/* The row's answers within these bounds, and the same of its mirror image. */
static void check_row(const double *row, double off_value, double off_in_mean, double off_in_var)
{
    double got[3], mirrored[3];

    feasible(row[MEAN], row[VAR], 0, row[LOWER], row[UPPER], got);
    feasible(-row[MEAN], row[VAR], 0, -row[UPPER], -row[LOWER], mirrored);
    for (int i = 0; i < 3; i++)
        assert_true(isfinite(got[i]) && isfinite(mirrored[i]));
    assert_near(got[0], row[LOG_PF], off_value);
    assert_near(got[1], row[IN_MEAN], off_in_mean);
    assert_near(got[2], row[IN_VAR], off_in_var);
    assert_near(mirrored[0], row[LOG_PF], off_value);
    assert_near(-mirrored[1], row[IN_MEAN], off_in_mean);
    assert_near(mirrored[2], row[IN_VAR], off_in_var);
}

static void check_one_limit(const double *row)
{
    const double s = sqrt(row[VAR]), z = (row[MEAN] - row[LOWER]) / s, mills = s * row[IN_MEAN],
                 off = 8 * DBL_EPSILON * (1 + z * z);

    check_row(row, 8 * DBL_EPSILON * (fabs(row[LOG_PF]) + (1 + fabs(z)) * mills) + DBL_MIN,
              off * mills / s + DBL_MIN, off * (1 + fabs(z)) * mills / (s * s) + DBL_MIN);
}

static void test_one_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof one_limit_rows / sizeof *one_limit_rows; i++)
        check_one_limit(one_limit_rows[i]);
}

/* φ(z)/PF, near enough for a bound. */
static double density_within(const double *row, double z)
{
    const double log_root_two_pi = 0.9189385332046727;

    return exp(-z * z / 2 - log_root_two_pi - row[LOG_PF]);
}

static void check_two_limits(const double *row)
{
    const double s = sqrt(row[VAR]), a = (row[LOWER] - row[MEAN]) / s, b = (row[UPPER] - row[MEAN]) / s;
    const double at_a = density_within(row, a), at_b = density_within(row, b), steep = 1 + at_a + at_b;
    const double nearest = fmin(fabs(a), fabs(b));
    /* mean and limits are rounded: b is off by eps·|mean|/s, and φ's logarithm by b times that */
    const double off = 16 * DBL_EPSILON * (1 + (fabs(row[MEAN]) + 0.5) / s) * (1 + nearest * nearest);

    check_row(row, off * steep + 8 * DBL_EPSILON * fabs(row[LOG_PF]),
              off * (at_a + at_b + 1e-300) / s * steep,
              off * (1 + fabs(a) * at_a + fabs(b) * at_b) / (s * s) * steep);
}

static void test_two_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof two_limits_rows / sizeof *two_limits_rows; i++)
        check_two_limits(two_limits_rows[i]);
}

/* As far out as the variance's floor lets it come: sd 1e-7 of the signal's, limits a few of those away. */
static void test_two_limits_under_the_floor_of_the_variance(void **state)
{
    double one[3], two[3], worst[2] = {0};

    (void)state;
    for (double mean = 0.01; mean < 20; mean *= 10) {
        feasible(-mean, 1e-14, 1e-14, 0, INFINITY, one);
        feasible(-mean, 1e-14, 1e-14, 0, 3, two);
        print_message("z = %g: slope %.6g, with one limit %.6g\n", -mean / 1e-7, two[1], one[1]);
        for (int i = 0; i < 2; i++)
            worst[i] = fmax(worst[i], relative_error(two[i], one[i]));
    }
    assert_true(worst[0] <= 1e-12);
    assert_true(worst[1] <= 1e-6);
}

/* --- slopes by differences --- */

struct point {
    double mean, var, lower, upper;
    int in_var;
};

static double log_pf_along(void *context, double step)
{
    const struct point *p = context;
    double out[3];

    feasible(p->mean + (p->in_var ? 0 : step), p->var + (p->in_var ? step : 0), 0, p->lower, p->upper, out);
    return out[0];
}

static void test_slopes_match_differences(void **state)
{
    static const double limits[][2] = {{-INFINITY, 0.3}, {0.3, INFINITY}, {-0.5, 0.3}, {0.2, 7}};

    (void)state;
    for (double mean = -6; mean <= 6; mean += 0.7)
        for (double var = 0.2; var < 10; var *= 3)
            for (int i = 0; i < 4; i++) {
                struct point p = {mean, var, limits[i][0], limits[i][1], 0};
                double out[3];
                feasible(mean, var, 0, p.lower, p.upper, out);
                const double in_mean = difference(log_pf_along, &p, 1e-3 * sqrt(var));
                p.in_var = 1;
                const double in_var = difference(log_pf_along, &p, 1e-3 * var);
                assert_near(out[1], in_mean, 1e-8 * (1 + fabs(in_mean)));
                assert_near(out[2], in_var, 1e-8 * (1 + fabs(in_var)));
            }
}

/* log PF of several constraints adds up; without slopes it is the same. */
static void test_adds_to_what_is_there(void **state)
{
    const double mean[3] = {0.1, -2, 5}, var[3] = {1, 0.2, 3};
    double with[3] = {-1, -2, -3}, without[3] = {-1, -2, -3}, in_mean[3], in_var[3], alone[3];

    (void)state;
    const struct ckg__limits limits = {.lower = -1, .upper = 1};
    ckg__log_feasible(3, mean, var, &limits, with, in_mean, in_var);
    ckg__log_feasible(3, mean, var, &limits, without, NULL, NULL);
    for (int p = 0; p < 3; p++) {
        feasible(mean[p], var[p], 0, -1, 1, alone);
        assert_true(with[p] == without[p]);
        assert_near(with[p], alone[0] - 1 - p, 1e-14);
    }
}

static void check_floor(double lower, double upper)
{
    double below[3], at[3];

    feasible(0.3, 1e-9, 0.04, lower, upper, below);
    feasible(0.3, 0.04, 0.039, lower, upper, at);
    assert_near(below[0], at[0], 1e-14);
    assert_near(below[1], at[1], 1e-13);
    assert_true(at[2] != 0);
    assert_true(below[2] == 0);
}

/* A variance below the floor counts as the floor: it has no slope of its own. */
static void test_floor_of_the_variance(void **state)
{
    (void)state;
    check_floor(-INFINITY, 0.5);
    check_floor(0.1, INFINITY);
}

static void test_floor_of_the_variance_with_two_limits(void **state)
{
    (void)state;
    check_floor(0.1, 0.5);
}

/* What var counts as under the doubt, by the same variance without, and by how much it grows with var. */
static void check_roughness(double var, double roughness, double counts_as, double slope, double lower,
                            double upper)
{
    const struct ckg__limits limits = {.lower = lower, .upper = upper, .roughness = roughness};
    const double mean = 0.3;
    double log_pf = 0, in_mean, in_var, plain[3];

    ckg__log_feasible(1, &mean, &var, &limits, &log_pf, &in_mean, &in_var);
    feasible(mean, counts_as, 0, lower, upper, plain);
    assert_near(log_pf, plain[0], 1e-14);
    assert_near(in_mean, plain[1], 1e-13);
    assert_near(in_var, slope * plain[2], 1e-13);
}

/* Doubt multiplies a variance, up to what the values vary by; what is larger by itself stays. */
static void test_roughness(void **state)
{
    static const double limits[][2] = {{-INFINITY, 0.5}, {0.1, INFINITY}, {0.1, 0.5}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        check_roughness(0.2, 2.25, 0.45, 2.25, limits[i][0], limits[i][1]);
        check_roughness(0.2, 0.5, 0.1, 0.5, limits[i][0], limits[i][1]);
        check_roughness(0.6, 4, 1, 0, limits[i][0], limits[i][1]);
        check_roughness(2, 4, 2, 1, limits[i][0], limits[i][1]);
        check_roughness(2, 0.5, 1, 0.5, limits[i][0], limits[i][1]);
    }
}

/* --- whole beliefs --- */

static int log_feasible_of(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    memset(value, 0, (size_t)m * sizeof *value);
    memset(gradient, 0, SCENE_D * (size_t)m * sizeof *gradient);
    return ckg__belief_log_feasible_batch(&s->belief, m, U, m, &s->arena, value, gradient);
}

static int log_utility_of(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    return ckg__belief_log_utility_batch(&s->belief, m, U, m, &s->arena, value, gradient);
}

static void check_gradients(scene_function function, const char *name)
{
    static const double shifts[] = {0, 2, 40};

    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int i = 0; i < 3; i++) {
            struct scene s;
            scene_make(&s, (enum ckg__kernel)kernel, shifts[i], 41);
            const double error = scene_gradient_error(&s, function, 30);
            print_message("%s, %s, limits moved by %g: %.2g\n", name, ckg__kernel_names[kernel], shifts[i],
                          error);
            assert_true(error <= 1e-6);
            scene_free(&s);
        }
}

static void test_gradient_of_log_feasible(void **state)
{
    (void)state;
    check_gradients(log_feasible_of, "log PF");
}

static void test_gradient_of_log_utility(void **state)
{
    (void)state;
    check_gradients(log_utility_of, "log utility");
}

/* Views give the batch's log PF, and the utility is the product. */
static void test_views_and_utility(void **state)
{
    enum { M = 9 };
    struct scene s;
    struct ckg__view views[SCENE_OUTCOMES];
    double U[SCENE_D * M], batch[M], of_views[M], utility[M], gradient[SCENE_D * M];

    (void)state;
    scene_make(&s, CKG__RBF, 0, 42);
    random_points(&s.process[0].rng, SCENE_D, M, U);
    for (int j = 0; j < SCENE_OUTCOMES; j++)
        assert_int_equal(ckg__view_make(&views[j], s.belief.gp[j], M, U, M, &s.arena), CKG_OK);
    assert_int_equal(log_feasible_of(&s, M, U, batch, gradient), CKG_OK);
    assert_int_equal(log_utility_of(&s, M, U, utility, gradient), CKG_OK);
    ckg__belief_log_feasible(&s.belief, views, of_views);
    for (int p = 0; p < M; p++) {
        assert_near(of_views[p], batch[p], 1e-11);
        assert_true(batch[p] < 0);
        assert_near(utility[p], log(views[0].mean[p] - s.belief.penalty) + batch[p], 1e-11);
    }
    s.belief.penalty = 1e3;
    assert_int_equal(log_utility_of(&s, M, U, utility, gradient), CKG_OK);
    for (int p = 0; p < M; p++)
        assert_true(utility[p] == -INFINITY);
    scene_free(&s);
}

int main(void)
{
    return RUN_TESTS(test_one_limit, test_two_limits, test_two_limits_under_the_floor_of_the_variance,
                     test_slopes_match_differences, test_adds_to_what_is_there, test_floor_of_the_variance,
                     test_floor_of_the_variance_with_two_limits, test_roughness,
                     test_gradient_of_log_feasible, test_gradient_of_log_utility, test_views_and_utility);
}
