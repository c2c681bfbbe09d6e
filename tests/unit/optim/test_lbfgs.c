/*
 * The bounded L-BFGS: known optima, first-principles optimality, hard starts, and evaluations against SciPy's
 * L-BFGS-B.
 */
#include "optim/lbfgs.h"
#include "support/test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MAX_DIM 30
#define LANES 8

typedef double function(int dim, const double *x, double *g, void *context);

struct quadratic {
    double A[MAX_DIM][MAX_DIM], centre[MAX_DIM];
};

struct reference {
    function *function;
    int dim;
    double lower, upper;
    int evaluations, evaluations_all;
    double f, x0[MAX_DIM], x[MAX_DIM];
};

static _Alignas(64) char arena[LANES][64 * 1024];

static struct ckg__lbfgs_options usual(void)
{
    return (struct ckg__lbfgs_options){
        .memory = 10, .max_evaluations = 1000, .first_step = 0.2, .gradient_tolerance = 1e-6};
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static double clamp(double x, double lower, double upper)
{
    return fmin(fmax(x, lower), upper);
}

static void fill(double *x, int dim, double value)
{
    for (int i = 0; i < dim; i++)
        x[i] = value;
}

/* cmocka's own comparison is in float. */
static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", a, tolerance, b);
}

static struct ckg__lbfgs *make(int lane, int dim, const double *lower, const double *upper,
                               const struct ckg__lbfgs_options *options)
{
    assert_true(ckg__lbfgs_size(dim, options->memory) <= sizeof arena[lane]);
    memset(arena[lane], 0xff, sizeof arena[lane]);
    return ckg__lbfgs_init(arena[lane], dim, lower, upper, options);
}

/*
 * Minimises; checks that every point is in the box, the count, and that the best is the least that was told.
 */
static const double *minimise(struct ckg__lbfgs *o, function *fun, void *context, int dim,
                              const double *lower, const double *upper, const double *x0, double *f_best)
{
    double g[MAX_DIM], f, least = INFINITY;
    int told = 0, more;
    const double *best;

    ckg__lbfgs_start(o, x0);
    do {
        const double *x = ckg__lbfgs_point(o);

        for (int i = 0; i < dim; i++)
            assert_true(x[i] >= lower[i] && x[i] <= upper[i]);
        f = fun(dim, x, g, context);
        told++;
        least = fmin(least, f);
        more = ckg__lbfgs_tell(o, f, g);
    } while (more);
    best = ckg__lbfgs_best(o, f_best);
    assert_int_equal(ckg__lbfgs_evaluations(o), told);
    assert_true(*f_best == least);
    assert_true(fun(dim, best, g, context) == least);
    return best;
}

static double projected_gradient(int dim, const double *x, const double *g, const double *lower,
                                 const double *upper)
{
    double largest = 0.0;

    for (int i = 0; i < dim; i++)
        largest = fmax(largest, fabs(clamp(x[i] - g[i], lower[i], upper[i]) - x[i]));
    return largest;
}

/* ½ (x − c)ᵀA(x − c). */
static double general_quadratic(int dim, const double *x, double *g, void *context)
{
    const struct quadratic *q = context;
    double f = 0.0;

    for (int i = 0; i < dim; i++) {
        g[i] = 0.0;
        for (int j = 0; j < dim; j++)
            g[i] += q->A[i][j] * (x[j] - q->centre[j]);
        f += 0.5 * g[i] * (x[i] - q->centre[i]);
    }
    return f;
}

/* The functions of tests/reference/make_lbfgs.py, where their formulas stand. */
static double quadratic(int dim, const double *x, double *g, void *context)
{
    double f = 0.0, before = 0.0;

    (void)context;
    for (int i = 0; i < dim; i++) {
        double r = x[i] - 0.5 - 0.8 * cos(2.0 * i), step = i > 0 ? before - r : 0.0;

        f += 0.5 * (1.0 + i) * r * r + 5.0 * step * step;
        g[i] = (1.0 + i) * r - 10.0 * step;
        if (i > 0)
            g[i - 1] += 10.0 * step;
        before = r;
    }
    return f;
}

static double rosenbrock(int dim, const double *x, double *g, void *context)
{
    double f = 0.0;

    (void)context;
    fill(g, dim, 0.0);
    for (int i = 0; i + 1 < dim; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];

        f += 100.0 * a * a + b * b;
        g[i] -= 400.0 * a * x[i] + 2.0 * b;
        g[i + 1] += 200.0 * a;
    }
    return f;
}

static double wood(int dim, const double *x, double *g, void *context)
{
    double a = x[1] - x[0] * x[0], b = x[3] - x[2] * x[2], c = x[1] + x[3] - 2.0, d = x[1] - x[3];
    double u = 1.0 - x[0], v = 1.0 - x[2];

    (void)dim;
    (void)context;
    g[0] = -400.0 * a * x[0] - 2.0 * u;
    g[1] = 200.0 * a + 20.0 * c + 0.2 * d;
    g[2] = -360.0 * b * x[2] - 2.0 * v;
    g[3] = 180.0 * b + 20.0 * c - 0.2 * d;
    return 100.0 * a * a + u * u + 90.0 * b * b + v * v + 10.0 * c * c + 0.1 * d * d;
}

static double logistic(int dim, const double *x, double *g, void *context)
{
    double f = 0.0;

    (void)context;
    for (int j = 0; j < dim; j++) {
        f += 0.025 * x[j] * x[j];
        g[j] = 0.05 * x[j];
    }
    for (int i = 0; i < 20; i++) {
        double sign = cos(2.0 * i) > 0.0 ? 1.0 : -1.0, margin = 0.0;

        for (int j = 0; j < dim; j++)
            margin += sign * sin(1.0 + 3.0 * i + 7.0 * j) * x[j];
        f += log1p(exp(-margin));
        for (int j = 0; j < dim; j++)
            g[j] -= sign * sin(1.0 + 3.0 * i + 7.0 * j) / (1.0 + exp(margin));
    }
    return f;
}

static double styblinski(int dim, const double *x, double *g, void *context)
{
    double f = 0.0;

    (void)context;
    for (int i = 0; i < dim; i++) {
        f += 0.5 * x[i] * (x[i] * (x[i] * x[i] - 16.0) + 5.0);
        g[i] = 2.0 * x[i] * x[i] * x[i] - 16.0 * x[i] + 2.5;
    }
    return f;
}

static double cliff(int dim, const double *x, double *g, void *context)
{
    double f = 0.0, u = -16.0 * dim;

    (void)context;
    for (int i = 0; i < dim; i++)
        u += 40.0 * x[i];
    for (int i = 0; i < dim; i++) {
        double r = x[i] - 0.5 - 0.6 * cos(i);

        f += 5.0 * r * r;
        g[i] = 10.0 * r + 40.0 / (1.0 + exp(-u));
    }
    return f + (u > 0.0 ? u + log1p(exp(-u)) : log1p(exp(u)));
}

/* Inverts a symmetric positive 8 × 8 matrix in place; returns the logarithm of its determinant. */
static double invert(double K[8][8])
{
    double logdet = 0.0;

    for (int k = 0; k < 8; k++) {
        double pivot = K[k][k];

        logdet += log(pivot);
        K[k][k] = 1.0;
        for (int j = 0; j < 8; j++)
            K[k][j] /= pivot;
        for (int i = 0; i < 8; i++) {
            double factor = K[i][k];

            if (i == k)
                continue;
            K[i][k] = 0.0;
            for (int j = 0; j < 8; j++)
                K[i][j] -= factor * K[k][j];
        }
    }
    return logdet;
}

static double likelihood(int dim, const double *x, double *g, void *context)
{
    double K[8][8], W[8][8], y[8], a[8] = {0.0}, f = 0.0;

    (void)context;
    for (int i = 0; i < 8; i++) {
        y[i] = sin(5.0 * i / 7.0) + 0.1 * cos(40.0 * i / 7.0);
        for (int j = 0; j < 8; j++) {
            K[i][j] = exp(x[1] - 0.5 * (i - j) * (i - j) / 49.0 * exp(-2.0 * x[0]));
            W[i][j] = K[i][j] + (i == j ? exp(x[2]) : 0.0);
        }
    }
    f = 0.5 * invert(W);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            a[i] += W[i][j] * y[j];
            f += 0.5 * y[i] * W[i][j] * y[j];
        }
    for (int i = 0; i < dim; i++) {
        f += 0.05 * x[i] * x[i];
        g[i] = 0.1 * x[i];
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            double w = 0.5 * (W[i][j] - a[i] * a[j]);

            g[0] += w * K[i][j] * (i - j) * (i - j) / 49.0 * exp(-2.0 * x[0]);
            g[1] += w * K[i][j];
            g[2] += i == j ? w * exp(x[2]) : 0.0;
        }
    return f;
}

/* Σ xᵢ downhill behind the barrier −µ log(1 − Σ xᵢ²): nothing is defined at or beyond the sphere. */
static double barrier(int dim, const double *x, double *g, void *context)
{
    double room = 1.0, sum = 0.0, mu = *(const double *)context;

    for (int i = 0; i < dim; i++) {
        room -= x[i] * x[i];
        sum += x[i];
    }
    for (int i = 0; i < dim; i++)
        g[i] = room > 0.0 ? -1.0 + 2.0 * mu * x[i] / room : NAN;
    return room > 0.0 ? -sum - mu * log(room) : NAN;
}

static double linear(int dim, const double *x, double *g, void *context)
{
    const double *slope = context;
    double f = 0.0;

    for (int i = 0; i < dim; i++) {
        g[i] = slope[i];
        f += slope[i] * x[i];
    }
    return f;
}

static const struct reference references[] = {
#include "../../reference/lbfgs.inc"
};

static void random_quadratic(struct quadratic *q, int dim, uint64_t *state)
{
    double R[MAX_DIM][MAX_DIM];

    for (int i = 0; i < dim; i++) {
        q->centre[i] = 2.0 * uniform(state) - 0.5;
        for (int j = 0; j < dim; j++)
            R[i][j] = uniform(state) - 0.5;
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            q->A[i][j] = i == j ? 0.05 : 0.0;
            for (int k = 0; k < dim; k++)
                q->A[i][j] += R[i][k] * R[j][k];
        }
}

/* The optimum in the unit cube by cyclic coordinate descent, exact for a convex quadratic. */
static void descend_coordinates(const struct quadratic *q, int dim, double *x)
{
    double moved = 1.0;

    fill(x, dim, 0.5);
    while (moved > 1e-13) {
        moved = 0.0;
        for (int i = 0; i < dim; i++) {
            double g = 0.0, to;

            for (int j = 0; j < dim; j++)
                g += q->A[i][j] * (x[j] - q->centre[j]);
            to = clamp(x[i] - g / q->A[i][i], 0.0, 1.0);
            moved = fmax(moved, fabs(to - x[i]));
            x[i] = to;
        }
    }
}

static void test_quadratics(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[MAX_DIM], upper[MAX_DIM], x0[MAX_DIM], exact[MAX_DIM], g[MAX_DIM], f;
    struct quadratic q;
    uint64_t seed = 1;

    (void)state;
    options.gradient_tolerance = 1e-9;
    fill(lower, MAX_DIM, 0.0);
    fill(upper, MAX_DIM, 1.0);
    for (int dim = 1; dim <= MAX_DIM; dim++)
        for (int repeat = 0; repeat < 5; repeat++) {
            struct ckg__lbfgs *o = make(0, dim, lower, upper, &options);
            const double *x;

            random_quadratic(&q, dim, &seed);
            for (int i = 0; i < dim; i++)
                x0[i] = 3.0 * uniform(&seed) - 1.0;
            descend_coordinates(&q, dim, exact);
            x = minimise(o, general_quadratic, &q, dim, lower, upper, x0, &f);
            general_quadratic(dim, x, g, &q);
            assert_true(projected_gradient(dim, x, g, lower, upper) < 1e-7);
            for (int i = 0; i < dim; i++)
                assert_near(x[i], exact[i], 1e-6);
        }
}

static void test_rosenbrock(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[MAX_DIM], upper[MAX_DIM], x0[MAX_DIM], f;

    (void)state;
    fill(lower, MAX_DIM, -INFINITY);
    fill(upper, MAX_DIM, INFINITY);
    fill(x0, MAX_DIM, 0.0);
    for (int dim = 2; dim <= 10; dim++) {
        struct ckg__lbfgs *o = make(0, dim, lower, upper, &options);
        const double *x = minimise(o, rosenbrock, NULL, dim, lower, upper, x0, &f);

        for (int i = 0; i < dim; i++)
            assert_near(x[i], 1.0, 1e-5);
        assert_true(ckg__lbfgs_evaluations(o) < 150);
    }
}

static void test_corner(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[5] = {0.0, 0.0, -2.0, -INFINITY, 0.0}, upper[5] = {1.0, 1.0, 3.0, 0.3, INFINITY};
    double slope[5] = {1.0, -1e-3, 20.0, -1.0, 0.5}, x0[5] = {0.5, 0.5, 0.5, 0.0, 0.5}, f;
    struct ckg__lbfgs *o = make(0, 5, lower, upper, &options);
    const double *x = minimise(o, linear, slope, 5, lower, upper, x0, &f);

    (void)state;
    for (int i = 0; i < 5; i++)
        assert_true(x[i] == (slope[i] > 0.0 ? lower[i] : upper[i]));
    assert_true(ckg__lbfgs_evaluations(o) <= 15);
}

static void test_fixed_coordinates(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[4] = {-5.0, 0.25, -5.0, -5.0}, upper[4] = {5.0, 0.25, 5.0, 5.0}, x0[4] = {0.0}, g[4], f;
    struct ckg__lbfgs *o = make(0, 4, lower, upper, &options);
    const double *x = minimise(o, rosenbrock, NULL, 4, lower, upper, x0, &f);

    (void)state;
    assert_true(x[1] == 0.25);
    rosenbrock(4, x, g, NULL);
    assert_true(projected_gradient(4, x, g, lower, upper) <= 1e-6);

    o = make(0, 4, x0, x0, &options);
    minimise(o, rosenbrock, NULL, 4, x0, x0, upper, &f);
    assert_int_equal(ckg__lbfgs_evaluations(o), 1);
}

/* At the optimum all xᵢ are equal and r = |x| solves √d = 2µr/(1 − r²). */
static void test_barrier(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[MAX_DIM], upper[MAX_DIM], x0[MAX_DIM], f;

    (void)state;
    fill(lower, MAX_DIM, 0.0);
    fill(upper, MAX_DIM, 1.0);
    fill(x0, MAX_DIM, 0.1);
    for (int dim = 1; dim <= 10; dim += 3)
        for (double mu = 1.0; mu > 1e-4; mu *= 0.1) {
            struct ckg__lbfgs *o = make(0, dim, lower, upper, &options);
            const double *x = minimise(o, barrier, &mu, dim, lower, upper, x0, &f);
            double root = sqrt(dim), r = (sqrt(mu * mu + dim) - mu) / root;

            for (int i = 0; i < dim; i++)
                assert_near(x[i], r / root, 1e-6);
            assert_true(ckg__lbfgs_evaluations(o) < 40);
        }
}

static void test_bad_start(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[2] = {0.0, 0.0}, upper[2] = {1.0, 1.0}, x0[2] = {0.25, 2.0}, g[2] = {1.0, 1.0}, f;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    struct ckg__lbfgs *o = make(0, 2, lower, upper, &options);
    const double *x;

    (void)state;
    for (int k = 0; k < 3; k++) {
        ckg__lbfgs_start(o, x0);
        assert_int_equal(ckg__lbfgs_tell(o, bad[k], g), 0);
        x = ckg__lbfgs_best(o, &f);
        assert_true(x[0] == 0.25 && x[1] == 1.0);
        assert_memory_equal(&f, &bad[k], sizeof f);
        assert_int_equal(ckg__lbfgs_tell(o, 0.0, g), 0);
        assert_int_equal(ckg__lbfgs_evaluations(o), 1);
    }
    g[1] = NAN;
    ckg__lbfgs_start(o, x0);
    assert_int_equal(ckg__lbfgs_tell(o, 3.0, g), 0);
    ckg__lbfgs_best(o, &f);
    assert_true(f == 3.0);
}

static void test_flat(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[3], upper[3], slope[3] = {0.0, 0.0, 0.0}, x0[3] = {0.1, 0.5, 1.0}, f;
    struct ckg__lbfgs *o;

    (void)state;
    fill(lower, 3, 0.0);
    fill(upper, 3, 1.0);
    options.gradient_tolerance = 0.0;
    o = make(0, 3, lower, upper, &options);
    minimise(o, linear, slope, 3, lower, upper, x0, &f);
    assert_int_equal(ckg__lbfgs_evaluations(o), 1);
}

/* A gradient that f contradicts ends after two line searches, not at the limit of evaluations. */
static void test_wrong_gradient(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[2] = {0.0, 0.0}, upper[2] = {1.0, 1.0}, x0[2] = {0.5, 0.5}, g[2] = {1.0, 1.0}, f;
    struct ckg__lbfgs *o = make(0, 2, lower, upper, &options);

    (void)state;
    ckg__lbfgs_start(o, x0);
    while (ckg__lbfgs_tell(o, -ckg__lbfgs_point(o)[0] - ckg__lbfgs_point(o)[1], g))
        ;
    ckg__lbfgs_best(o, &f);
    assert_true(f == -1.0);
    assert_true(ckg__lbfgs_evaluations(o) < 30);
}

static void test_limits(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[2] = {-5.0, -5.0}, upper[2] = {5.0, 5.0}, x0[2] = {-1.2, 1.0}, f, before = INFINITY;

    (void)state;
    for (int limit = 1; limit <= 20; limit++) {
        struct ckg__lbfgs *o;

        options.max_evaluations = limit;
        o = make(0, 2, lower, upper, &options);
        minimise(o, rosenbrock, NULL, 2, lower, upper, x0, &f);
        assert_int_equal(ckg__lbfgs_evaluations(o), limit);
        assert_true(f <= before);
        before = f;
    }
}

static void test_value_tolerance(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[10], upper[10], x0[10], f;
    int strict;
    struct ckg__lbfgs *o;

    (void)state;
    fill(lower, 10, -5.0);
    fill(upper, 10, 5.0);
    fill(x0, 10, -1.0);
    o = make(0, 10, lower, upper, &options);
    minimise(o, rosenbrock, NULL, 10, lower, upper, x0, &f);
    strict = ckg__lbfgs_evaluations(o);
    options.value_tolerance = 1e-4;
    o = make(0, 10, lower, upper, &options);
    minimise(o, rosenbrock, NULL, 10, lower, upper, x0, &f);
    assert_true(ckg__lbfgs_evaluations(o) < strict);
    assert_true(f < 1e-2);
}

/*
 * Eight starts in lock step give the bits that they give one by one, and so does an optimiser that is used
 * again.
 */
static void test_lock_step(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[6], upper[6], x0[LANES][6], g[6], alone[LANES][6], f;
    struct ckg__lbfgs *o[LANES];
    int more[LANES], counts[LANES], running = LANES;
    uint64_t seed = 7;

    (void)state;
    fill(lower, 6, -2.0);
    fill(upper, 6, 0.9);
    o[0] = make(0, 6, lower, upper, &options);
    for (int k = 0; k < LANES; k++) {
        for (int i = 0; i < 6; i++)
            x0[k][i] = 2.0 * uniform(&seed) - 1.0;
        memcpy(alone[k], minimise(o[0], rosenbrock, NULL, 6, lower, upper, x0[k], &f), sizeof alone[k]);
        counts[k] = ckg__lbfgs_evaluations(o[0]);
    }
    for (int k = 0; k < LANES; k++) {
        o[k] = make(k, 6, lower, upper, &options);
        ckg__lbfgs_start(o[k], x0[k]);
        more[k] = 1;
    }
    while (running > 0)
        for (int k = 0; k < LANES; k++)
            if (more[k]) {
                double value = rosenbrock(6, ckg__lbfgs_point(o[k]), g, NULL);

                more[k] = ckg__lbfgs_tell(o[k], value, g);
                running -= !more[k];
            }
    for (int k = 0; k < LANES; k++) {
        assert_memory_equal(ckg__lbfgs_best(o[k], &f), alone[k], sizeof alone[k]);
        assert_int_equal(ckg__lbfgs_evaluations(o[k]), counts[k]);
    }
}

static void test_memory_sizes(void **state)
{
    struct ckg__lbfgs_options options = usual();
    double lower[5], upper[5], x0[5], f;

    (void)state;
    fill(lower, 5, -5.0);
    fill(upper, 5, 5.0);
    fill(x0, 5, -1.0);
    for (options.memory = 1; options.memory <= 30; options.memory++) {
        const double *x = minimise(make(0, 5, lower, upper, &options), rosenbrock, NULL, 5, lower, upper, x0,
                                   &f);

        for (int i = 0; i < 5; i++)
            assert_near(x[i], 1.0, 1e-5);
    }
}

/* From the first start the optimum is SciPy's; the evaluations are compared over eight starts. */
static void compare_with_scipy(const struct reference *r, int *first, int *all)
{
    struct ckg__lbfgs_options options = usual();
    double lower[MAX_DIM], upper[MAX_DIM], x0[MAX_DIM], f;

    fill(lower, r->dim, r->lower);
    fill(upper, r->dim, r->upper);
    *all = 0;
    for (int k = 0; k < 8; k++) {
        struct ckg__lbfgs *o = make(0, r->dim, lower, upper, &options);
        const double *x;

        for (int i = 0; i < r->dim; i++)
            x0[i] = clamp(r->x0[i] + 0.3 * sin(k * (i + 1.0)), r->lower, r->upper);
        x = minimise(o, r->function, NULL, r->dim, lower, upper, x0, &f);
        *all += ckg__lbfgs_evaluations(o);
        if (k > 0)
            continue;
        *first = ckg__lbfgs_evaluations(o);
        assert_near(f, r->f, 1e-9 * fmax(1.0, fabs(r->f)));
        for (int i = 0; i < r->dim; i++)
            assert_near(x[i], r->x[i], 1e-6);
    }
}

static void test_scipy(void **state)
{
    int ours = 0, theirs = 0;

    (void)state;
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
        const struct reference *r = &references[k];
        int first, all;

        compare_with_scipy(r, &first, &all);
        print_message(
            "problem %zu, %d dimensions: %d evaluations, SciPy %d; from eight starts %d, SciPy %d\n", k,
            r->dim, first, r->evaluations, all, r->evaluations_all);
        ours += all;
        theirs += r->evaluations_all;
    }
    print_message("in all: %d evaluations, SciPy %d\n", ours, theirs);
    assert_true(ours <= 1.1 * theirs);
}

int main(void)
{
    return RUN_TESTS(test_quadratics, test_rosenbrock, test_corner, test_fixed_coordinates, test_barrier,
                     test_bad_start, test_flat, test_wrong_gradient, test_limits, test_value_tolerance,
                     test_lock_step, test_memory_sizes, test_scipy);
}
