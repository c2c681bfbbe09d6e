/*
 * Series and scalings. Pooling is exact: the likelihood of the pooled rows is that of all values, computed by
 * a naive Cholesky in long double of their full covariance. The scaling goes there and back, and follows any
 * change of the user's units. Measured: likelihoods agree to 8e-13 relative.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "model/series.h"
#include "model/gp_private.h"
#include "model/likelihood.h"
#include "support/near.h"
#include "support/test.h"

enum { VALUES = 18, DESIGNS = 6 };

/* A study's worth of data on one real parameter, an objective (maximised) and constraints. */
struct fixture {
    ckg_problem *problem;
    struct ckg__data data;
    struct ckg__arena arena;
    struct ckg__rng rng;
    struct ckg__scaling scaling;
    struct ckg__series series;
};

static void setup(struct fixture *f, enum ckg_goal goal)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(ckg_problem_new(&f->problem), CKG_OK);
    assert_int_equal(ckg_problem_add_real(f->problem, "x", 0, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_set_objective(f->problem, "f", goal), CKG_OK);
    ckg__data_init(&f->data, f->problem);
    ckg__arena_init(&f->arena);
    ckg__rng_seed(&f->rng, 11, 0, 0);
}

static void teardown(struct fixture *f)
{
    ckg__data_free(&f->data);
    ckg_problem_free(f->problem);
    ckg__arena_free(&f->arena);
}

static void measure(struct fixture *f, double x, int outcome, double value, double sd)
{
    const struct ckg_measurement m = {outcome, value, sd};
    int trial;

    assert_int_equal(ckg__data_add(&f->data, &x, &trial), CKG_OK);
    assert_int_equal(ckg__data_tell(&f->data, trial, 1, &m), CKG_OK);
}

static void build(struct fixture *f, int outcome, double warp)
{
    const struct ckg__series_source source = {outcome, warp, f->data.trials, 0, NULL};

    assert_int_equal(ckg__series_build(&f->data, &source, &f->arena, &f->scaling, &f->series), CKG_OK);
}

/* --- pooling --- */

/* A kind of value i, by its noise: an sd, 0 without noise, or CKG_SD_DEFAULT. */
static double noise_estimated(int i)
{
    (void)i;
    return CKG_SD_DEFAULT;
}

static double noise_known(int i)
{
    return 0.2 + 0.15 * (i % 5);
}

static double noise_mixed(int i)
{
    return i < DESIGNS / 2 ? 0 : i % 2 ? CKG_SD_DEFAULT : 0.2 + 0.1 * (i % 3);
}

/* Values 0, 1, … go round the designs; with a heavy tail when `tail`. */
static void fill(struct fixture *f, double (*sd)(int i), int tail)
{
    for (int i = 0; i < VALUES; i++) {
        const int design = i < DESIGNS ? i : ckg__rng_below(&f->rng, DESIGNS - 1);
        const double x = (design + 0.3) / DESIGNS,
                     value = 3 + 2 * sin(7 * x) + 0.4 * ckg__rng_normal(&f->rng);
        measure(f, x, 0, tail ? exp(value) : value, sd(i));
    }
}

/* Which of the design's pools a value goes to: 0 estimated, 1 known, 2 without noise. */
static int kind(const struct ckg_measurement *m)
{
    return m->sd < 0 ? 0 : m->sd > 0 ? 1 : 2;
}

/* The covariance of all values: values of one pool share its nugget, each has its own noise. */
static void full_covariance(const struct fixture *f, double ell, double s2, double sigma2,
                            long double K[VALUES][VALUES])
{
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            const struct ckg__trial *a = &f->data.trial[i], *b = &f->data.trial[j];
            const long double delta = ((long double)f->data.u[a->design] - f->data.u[b->design]) / ell;
            const long double slope = expl(ckg__scaling_log_slope(&f->scaling, a->measured->value));
            K[i][j] = s2 * expl(-delta * delta / 2);
            if (a->design == b->design && kind(a->measured) == kind(b->measured))
                K[i][j] += (long double)s2 * CKG__NUGGET;
            if (i == j)
                K[i][j] += a->measured->sd < 0 ? sigma2 : a->measured->sd * slope * (a->measured->sd * slope);
        }
}

static void factor(long double K[VALUES][VALUES])
{
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j <= i; j++) {
            long double sum = K[i][j];
            for (int k = 0; k < j; k++)
                sum -= K[i][k] * K[j][k];
            K[i][j] = i == j ? sqrtl(sum) : sum / K[j][j];
        }
}

static void solve(long double L[VALUES][VALUES], long double *b)
{
    for (int i = 0; i < VALUES; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[i][k] * b[k];
        b[i] /= L[i][i];
    }
}

/* y of a value before it is rounded. */
static double unrounded(const struct ckg__scaling *s, double value)
{
    return (ckg__scaling_warp(s, value) - s->centre) / s->scale;
}

/* Gives the rows their means as they are before rounding, which must be all that sets them apart. */
static void unround_rows(struct fixture *f)
{
    for (int row = 0; row < f->series.n; row++) {
        const int row_kind = f->series.known[row] < 0 ? 0 : f->series.known[row] > 0 ? 1 : 2;
        double weights = 0, sum = 0;
        for (int i = 0; i < VALUES; i++) {
            const struct ckg_measurement *m = f->data.trial[i].measured;
            const double sd = m->sd * exp(ckg__scaling_log_slope(&f->scaling, m->value)),
                         weight = m->sd > 0 ? 1 / (sd * sd) : 1;
            if (f->data.trial[i].design != f->series.design[row] || kind(m) != row_kind)
                continue;
            weights += weight;
            sum += weight * unrounded(&f->scaling, m->value);
        }
        assert_near(f->series.y[row], sum / weights, ldexp(1.01, -33));
        f->series.y[row] = sum / weights;
    }
}

/* log p(all values), with the best mean under its prior of precision 1, which goes to *mean. */
static long double full_likelihood(const struct fixture *f, double ell, double s2, double sigma2,
                                   long double *mean)
{
    long double K[VALUES][VALUES], y[VALUES], ones[VALUES], across = 0, total = 1, sum;

    full_covariance(f, ell, s2, sigma2, K);
    factor(K);
    for (int i = 0; i < VALUES; i++) {
        y[i] = unrounded(&f->scaling, f->data.trial[i].measured->value);
        ones[i] = 1;
    }
    solve(K, y);
    solve(K, ones);
    for (int i = 0; i < VALUES; i++) {
        across += y[i] * ones[i];
        total += ones[i] * ones[i];
    }
    *mean = across / total;
    sum = *mean * *mean;
    for (int i = 0; i < VALUES; i++) {
        const long double rest = y[i] - *mean * ones[i];
        sum += rest * rest + 2 * logl(K[i][i]) + logl(2 * acosl(-1));
    }
    return -sum / 2;
}

static void check_pooling(double (*sd)(int i), int tail, double warp)
{
    struct fixture f;
    struct ckg__gp gp = {0};
    double X[3 * DESIGNS];
    const double ell = 0.4, s2 = 1.3, sigma2 = 0.07, theta[3] = {log(ell), log(sigma2), log(s2)};
    const int group = 0;
    long double mean;

    setup(&f, tail ? CKG_MINIMIZE : CKG_MAXIMIZE);
    fill(&f, sd, tail);
    build(&f, 0, warp);
    unround_rows(&f);
    for (int i = 0; i < f.series.n; i++)
        X[i] = f.data.u[f.series.design[i]];
    const struct ckg__gp_inputs inputs = {CKG__RBF,   1,         1,   f.series.n, &group, X,
                                          f.series.n, &f.series, 1.0, NULL,       0,      NULL};
    assert_int_equal(ckg__gp_reserve(&gp, 1, f.series.n), CKG_OK);
    assert_int_equal(ckg__gp_set(&gp, &inputs, theta, &f.arena), CKG_OK);
    const double want = (double)full_likelihood(&f, exp(theta[0]), exp(theta[2]), exp(theta[1]), &mean);
    print_message("%d values, %d rows: %.3g\n", VALUES, f.series.n, relative_error(gp.log_likelihood, want));
    assert_true(f.series.n < VALUES);
    assert_near(gp.log_likelihood, want, 1e-10 * fmax(1, fabs(want)));
    assert_near(gp.mean, mean, 1e-10);
    ckg__gp_free(&gp);
    teardown(&f);
}

static void test_pooling_is_exact_with_estimated_noise(void **state)
{
    (void)state;
    check_pooling(noise_estimated, 0, 0);
    check_pooling(noise_estimated, 1, 2);
}

static void test_pooling_is_exact_with_known_noise(void **state)
{
    (void)state;
    check_pooling(noise_known, 0, 0);
    check_pooling(noise_known, 1, 2);
}

static void test_pooling_is_exact_with_mixed_noise(void **state)
{
    (void)state;
    check_pooling(noise_mixed, 0, 0);
    check_pooling(noise_mixed, 1, 2);
}

/* One row for each design and kind of noise, and what it says. */
static void test_rows(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, CKG_MAXIMIZE);
    measure(&f, 0.5, 0, 1, CKG_SD_DEFAULT);
    measure(&f, 0.1, 0, 7, 0);
    measure(&f, 0.5, 0, 2, CKG_SD_DEFAULT);
    measure(&f, 0.5, 0, 3, 0.5);
    measure(&f, 0.5, 0, 4, 0.25);
    build(&f, 0, 0);
    assert_int_equal(f.series.n, 3);
    assert_int_equal(f.series.estimated, 1);
    assert_true(f.series.known[0] == -1 && f.series.count[0] == 2 && f.series.design[0] == 0);
    assert_true(f.series.known[2] == 0 && f.series.design[2] == 1);
    const double pooled = (3 / 0.25 + 4 / 0.0625) / (1 / 0.25 + 1 / 0.0625),
                 square = f.scaling.scale * f.scaling.scale;
    assert_near(f.series.y[0], ckg__scaling_apply(&f.scaling, 1.5), 1e-15);
    assert_near(f.series.y[1], ckg__scaling_apply(&f.scaling, pooled), 1e-15);
    assert_near(f.series.known[1], 1 / (1 / 0.25 + 1 / 0.0625) / square, 1e-15);
    assert_near(f.series.typical_known, 0.5 * (0.25 + 0.0625) / square, 1e-15);
    assert_near(f.series.extra, 1, 0);
    assert_near(f.series.within, 0.5 / square, 1e-15);
    teardown(&f);
}

/* What the problem says of an outcome's noise holds where the measurement says nothing. */
static void test_noise_of_the_problem(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, CKG_MAXIMIZE);
    measure(&f, 0.5, 0, 1, CKG_SD_DEFAULT);
    measure(&f, 0.7, 0, 3, CKG_SD_DEFAULT);
    assert_int_equal(ckg_problem_set_noise(f.problem, "f", CKG_NOISE_KNOWN, 0.5), CKG_OK);
    build(&f, 0, 0);
    assert_near(f.series.known[1], 0.25 / (f.scaling.scale * f.scaling.scale), 1e-15);
    assert_int_equal(ckg_problem_set_noise(f.problem, "f", CKG_NOISE_NONE, 0), CKG_OK);
    build(&f, 0, 0);
    assert_true(f.series.known[0] == 0 && f.series.known[1] == 0 && !f.series.estimated);
    teardown(&f);
}

/* --- the scaling --- */

static double value_of(void *context, double step)
{
    const struct ckg__scaling *s = ((void **)context)[0];
    const double *at = ((void **)context)[1];

    return unrounded(s, *at + step);
}

/* y back to a value, by the formula of data.h turned around. */
static double undo(const struct ckg__scaling *s, double y)
{
    double t = s->centre + s->scale * y;

    if (s->warp > 0)
        t = s->warp_centre + s->warp_scale * sinh(s->warp * t) / s->warp;
    return s->sign * t;
}

static const struct ckg__scaling scalings[] = {
    {1, 0, 0, 1, 3, 2, 0, 0},
    {-1, 0, 0, 1, -3, 0.5, 0, 0},
    {1, 1.5, 2, 4, 0.3, 0.8, 0, 0},
    {-1, 4, -7, 0.2, -0.1, 1.2, 0, 0},
};

enum { SCALINGS = sizeof scalings / sizeof scalings[0] };

static void test_scaling_round_trip_and_slope(void **state)
{
    (void)state;
    for (int i = 0; i < SCALINGS; i++)
        for (double value = -20; value <= 20; value += 0.37) {
            const struct ckg__scaling *s = &scalings[i];
            void *context[2] = {(void *)s, &value};
            const double slope = difference(value_of, context, 1e-3), y = ckg__scaling_apply(s, value);
            /* y is rounded to 2^-32 */
            assert_near(undo(s, y), value, ldexp(1, -32) / fabs(slope) + 1e-13 * (1 + fabs(value)));
            assert_near(exp(ckg__scaling_log_slope(s, value)), fabs(slope), 1e-6 * fabs(slope));
            assert_true(slope * s->sign > 0);
        }
}

static void quadrature_moments(const struct ckg__scaling *s, double y_mean, double y_sd, double *mean,
                               double *sd)
{
    const double h = 1e-2, pivot = undo(s, y_mean);
    double total = 0, first = 0, second = 0;

    for (double z = -14; z <= 14; z += h) {
        const double w = exp(-z * z / 2), v = undo(s, y_mean + y_sd * z) - pivot;
        total += w;
        first += w * v;
        second += w * v * v;
    }
    first /= total;
    *mean = pivot + first;
    *sd = sqrt(second / total - first * first);
}

static void test_moments_match_quadrature(void **state)
{
    static const double means[] = {-1.5, 0, 0.4, 2}, sds[] = {1e-3, 0.1, 0.5, 1};

    (void)state;
    for (int i = 0; i < SCALINGS; i++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                const double spread = scalings[i].warp * scalings[i].scale * sds[b];
                double mean, sd, want_mean, want_sd;
                if (spread > 2) /* log-normal so wide that the quadrature does not reach its tail */
                    continue;
                ckg__scaling_moments(&scalings[i], means[a], sds[b], &mean, &sd);
                quadrature_moments(&scalings[i], means[a], sds[b], &want_mean, &want_sd);
                assert_near(mean, want_mean, 1e-9 * (fabs(want_mean) + want_sd));
                assert_near(sd, want_sd, 1e-9 * want_sd);
            }
}

/* --- the user's units --- */

static void fill_in_units(struct fixture *f, double unit, double shift, enum ckg_goal goal)
{
    setup(f, goal);
    for (int i = 0; i < VALUES; i++) {
        const double x = (i % 11 + 0.5) / 11, value = exp(1.2 * ckg__rng_normal(&f->rng));
        measure(f, x, 0, unit * value + shift, i % 3 ? CKG_SD_DEFAULT : fabs(unit) * 0.1);
    }
}

static void assert_same_series(const struct fixture *f, const struct fixture *g, double sign, double bound)
{
    assert_int_equal(f->series.n, g->series.n);
    for (int i = 0; i < f->series.n; i++) {
        /* y is rounded to 2^-32, and may fall to either side */
        assert_near(f->series.y[i], sign * g->series.y[i],
                    bound * (1 + fabs(g->series.y[i])) + ldexp(1.01, -32));
        assert_near(f->series.known[i], g->series.known[i], bound * (1 + g->series.known[i]));
    }
    assert_near(f->series.within, g->series.within, bound * g->series.within);
    assert_near(f->series.constant, g->series.constant, bound * VALUES * 10);
    assert_near(f->series.typical_known, g->series.typical_known, bound);
}

/* The same data in another unit and from another zero give the same series, warped or not. */
static void check_units(double unit, double shift, enum ckg_goal goal, double sign, double warp)
{
    struct fixture f, g;
    /* a shift of many units leaves fewer digits of the values */
    const double bound = 1e-13 * (1 + fabs(shift / unit));

    fill_in_units(&f, unit, shift, goal);
    fill_in_units(&g, 1, 0, CKG_MAXIMIZE);
    build(&f, 0, warp);
    build(&g, 0, warp);
    assert_same_series(&f, &g, sign, bound);
    teardown(&f);
    teardown(&g);
}

static void test_units_do_not_matter(void **state)
{
    (void)state;
    for (double warp = 0; warp <= 4; warp += 2)
        for (double unit = 1e-12; unit < 2e12; unit *= 1e3) {
            check_units(unit, 0, CKG_MAXIMIZE, 1, warp);
            check_units(unit, -35 * unit, CKG_MAXIMIZE, 1, warp);
            check_units(unit, 1e5 * unit, CKG_MAXIMIZE, 1, warp);
            check_units(-unit, 3 * unit, CKG_MINIMIZE, 1, warp);
            check_units(unit, 3 * unit, CKG_MINIMIZE, -1, warp);
        }
}

/* Likelihoods on different scales are compared by the sum of log dy/dv. */
static void test_jacobian(void **state)
{
    struct fixture f;

    (void)state;
    for (double warp = 0; warp <= 2; warp += 2) {
        double sum = 0;
        setup(&f, CKG_MINIMIZE);
        fill(&f, noise_estimated, 1);
        build(&f, 0, warp);
        for (int i = 0; i < VALUES; i++)
            sum += ckg__scaling_log_slope(&f.scaling, f.data.trial[i].measured->value);
        assert_near(f.series.jacobian, sum, 1e-12);
        teardown(&f);
    }
}

/* --- tails and outcomes without spread --- */

static double tail_of(struct fixture *f, int outcome, int count, const double *values)
{
    double tail;
    int decades;

    for (int i = 0; i < count; i++)
        measure(f, (i + 0.5) / count, outcome, values[i], CKG_SD_DEFAULT);
    const struct ckg__series_source source = {outcome, 0, f->data.trials, 0, NULL};
    assert_int_equal(ckg__series_shape(&f->data, &source, &f->arena, &tail, &decades), CKG_OK);
    return tail;
}

static void check_tail(double unit, double want, int count, const double *values)
{
    struct fixture f;
    double scaled[16];

    for (int i = 0; i < count; i++)
        scaled[i] = unit * values[i];
    setup(&f, CKG_MAXIMIZE);
    assert_near(tail_of(&f, 0, count, scaled), want, 1e-14 * want);
    teardown(&f);
}

static void test_tail(void **state)
{
    const double heavy[] = {3, 1, 2, 1000, 5, 4, 7, 6, 8}, constant[] = {2, 2, 2, 2, 2}, few[] = {1, 2, 1e9};

    (void)state;
    for (double unit = 1e-12; unit < 2e12; unit *= 1e6) {
        check_tail(unit, (1000 - 5) / (7.0 - 3), 9, heavy); /* median 5, quartiles 3 and 7 */
        check_tail(-unit, (1000 - 5) / (7.0 - 3), 9, heavy);
    }
    check_tail(1, 0, 5, constant);
    check_tail(1, 0, 3, few);
}

/*
 * A constraint's deviations are counted from its limit, or from the median where that lies between two
 * limits.
 */
static void test_tail_of_a_constraint(void **state)
{
    static const struct {
        double min, max, want;
    } cases[] = {{-INFINITY, 9, 991 / 4.0},
                 {3, INFINITY, 997 / 4.0},
                 {6, 9, 994 / 4.0},
                 {1, 9, 995 / 4.0},
                 {0, 4, 996 / 4.0}};
    const double values[] = {3, 1, 2, 1000, 5, 4, 7, 6, 8};
    struct fixture f;

    (void)state;
    for (int i = 0; i < 5; i++) {
        setup(&f, CKG_MAXIMIZE);
        assert_int_equal(ckg_problem_add_constraint(f.problem, "c", cases[i].min, cases[i].max), CKG_OK);
        assert_near(tail_of(&f, 1, 9, values), cases[i].want, 1e-12);
        build(&f, 1, 2);
        assert_near(f.scaling.warp_scale, 4, 1e-14);
        teardown(&f);
    }
}

static void check_constant(double value, double min, double max, double scale, double warp)
{
    struct fixture f;

    setup(&f, CKG_MAXIMIZE);
    assert_int_equal(ckg_problem_add_constraint(f.problem, "c", min, max), CKG_OK);
    for (int i = 0; i < 5; i++) {
        measure(&f, i / 5.0, 0, value, CKG_SD_DEFAULT);
        measure(&f, i / 5.0, 1, value, CKG_SD_DEFAULT);
    }
    for (int outcome = 0; outcome < 2; outcome++) {
        build(&f, outcome, warp);
        assert_int_equal(f.series.n, 5);
        assert_near(f.scaling.scale, outcome ? scale : 1, 1e-15 * scale);
        for (int i = 0; i < 5; i++)
            assert_near(f.series.y[i], 0, 1e-15 * (1 + fabs(value) / f.scaling.scale));
        assert_near(ckg__scaling_apply(&f.scaling, value), 0, 1e-15 * (1 + fabs(value) / f.scaling.scale));
    }
    teardown(&f);
}

static void test_constant_outcomes(void **state)
{
    (void)state;
    check_constant(5, -INFINITY, 7, 2, 0);
    check_constant(5, 1, 7, 2, 0);
    check_constant(5, 4.5, 70, 0.5, 0);
    check_constant(5, 5, INFINITY, 1, 0); /* on its limit: no distance to take */
    check_constant(0, -INFINITY, 3e-9, 3e-9, 0);
    check_constant(0.1, -INFINITY, 1e12, 1e12 - 0.1, 0);
    check_constant(1e12 / 3, -INFINITY, 1e12, 2e12 / 3, 0);
    check_constant(5, -INFINITY, 7, 1, 2);
}

static void test_no_values_and_one(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, CKG_MINIMIZE);
    for (double warp = 0; warp < 3; warp += 2) {
        build(&f, 0, warp);
        assert_int_equal(f.series.n, 0);
        assert_true(f.scaling.scale == 1 && f.series.extra == 0 && f.series.constant == 0 &&
                    f.series.jacobian == 0);
    }
    measure(&f, 0.5, 0, 1e7, CKG_SD_DEFAULT);
    build(&f, 0, 0);
    assert_int_equal(f.series.n, 1);
    assert_true(f.series.y[0] == 0 && f.scaling.scale == 1);
    teardown(&f);
}

/* Later trials do not count: the series is that of the data as they were. */
static void test_first_trials_alone(void **state)
{
    struct fixture f, g;

    (void)state;
    setup(&f, CKG_MINIMIZE);
    setup(&g, CKG_MINIMIZE);
    fill(&f, noise_mixed, 1);
    fill(&g, noise_mixed, 1);
    measure(&f, 0.77, 0, 1e6, CKG_SD_DEFAULT);
    measure(&f, 0.3 / DESIGNS, 0, -1e6, CKG_SD_DEFAULT);
    const struct ckg__series_source source = {0, 2, VALUES, 0, NULL};
    double tail, want;
    int decades;
    assert_int_equal(ckg__series_shape(&f.data, &source, &f.arena, &tail, &decades), CKG_OK);
    assert_int_equal(ckg__series_shape(&g.data, &source, &g.arena, &want, &decades), CKG_OK);
    assert_true(tail == want);
    assert_int_equal(ckg__series_build(&f.data, &source, &f.arena, &f.scaling, &f.series), CKG_OK);
    build(&g, 0, 2);
    assert_memory_equal(&f.scaling, &g.scaling, sizeof f.scaling);
    assert_same_series(&f, &g, 1, 0);
    teardown(&f);
    teardown(&g);
}

/* Failed trials are −1 and complete ones 1 of the latent constraint; pending ones are nothing. */
static void test_latent_success(void **state)
{
    struct fixture f;
    const double x = 0.9;
    int trial;

    (void)state;
    setup(&f, CKG_MINIMIZE);
    measure(&f, 0.1, 0, 3, CKG_SD_DEFAULT);
    measure(&f, 0.2, 0, 4, 0.1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ckg__data_add(&f.data, &x, &trial), CKG_OK);
    f.data.trial[trial].state = CKG_FAILED;
    build(&f, f.problem->outcomes, 0);
    assert_int_equal(f.series.n, 3);
    assert_true(f.series.y[0] == 1 && f.series.y[1] == 1 && f.series.y[2] == -1);
    assert_true(f.scaling.sign == 1 && f.scaling.centre == 0 && f.scaling.scale == 1);
    assert_true(ckg__series_has(&f.series, CKG__UNSCALED) && !f.series.estimated);
    teardown(&f);
}

int main(void)
{
    return RUN_TESTS(test_pooling_is_exact_with_estimated_noise, test_pooling_is_exact_with_known_noise,
                     test_pooling_is_exact_with_mixed_noise, test_rows, test_noise_of_the_problem,
                     test_scaling_round_trip_and_slope, test_moments_match_quadrature,
                     test_units_do_not_matter, test_jacobian, test_tail, test_tail_of_a_constraint,
                     test_constant_outcomes, test_no_values_and_one, test_first_trials_alone,
                     test_latent_success);
}
