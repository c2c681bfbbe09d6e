/*
 * The Gaussian process: likelihood and posterior against 50-digit values (tests/reference/make_gp.py), one
 * observation more or less against conditioning anew, and the process without data.
 *
 * The bounds are first-order: with a factor of K + E, |E| <= eps|K|, every answer is off by at most eps times
 * a scale that the reference gives. The log likelihood is right to 1e-9 besides wherever there is noise.
 * Measured with gcc 12 on AVX-512: at most 1.4 (likelihood), 1.3 (m), 1.0 (mean) and 1.6 (variance) units of
 * eps·scale; 3e-13 relative for the likelihoods with noise.
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

#include "model/gp.h"
#include "posterior/posterior.h"
#include "reference/gp.inc"
#include "support/near.h"
#include "support/process.h"
#include "support/test.h"

enum { CASES = sizeof gp_cases / sizeof gp_cases[0] };

static const int identity[5] = {0, 1, 2, 3, 4};

/*
 * The largest errors in units of eps·scale: likelihood, m, mean, variance; and the likelihood's relative one
 * under noise.
 */
static double worst[5];

static void note(int kind, double got, double want, double scale)
{
    const double error = got == want ? 0 : fabs(got - want) / scale;

    if (!(error <= worst[kind]))
        worst[kind] = error;
}

static void check_posterior(const struct gp_case *c, const struct ckg__gp *gp, struct ckg__arena *arena)
{
    struct ckg__view view;
    double cov[9];

    assert_int_equal(ckg__view_make(&view, gp, 3, c->points, 3, arena), CKG_OK);
    ckg__view_covariance(gp, &view, &view, 0, 3, cov, 3);
    for (int p = 0; p < 3; p++) {
        note(2, view.mean[p], c->mean[p], DBL_EPSILON * c->mean_scale);
        note(3, view.var[p], c->var[p], DBL_EPSILON * c->variance_scale);
    }
    note(3, cov[1], c->cov, DBL_EPSILON * c->variance_scale);
    note(3, cov[3], c->cov, DBL_EPSILON * c->variance_scale);
}

static const int rows[64] = {0}; /* which designs they are of matters nothing here */

static struct ckg__series series_of(const struct gp_case *c)
{
    return (struct ckg__series){.n = c->n,
                                .likelihood = &ckg__likelihood_normal,
                                .design = (int *)rows,
                                .y = (double *)c->y,
                                .known = (double *)c->known,
                                .count = (double *)c->count,
                                .estimated = c->noise == 0,
                                .extra = c->extra,
                                .within = c->within,
                                .constant = c->constant};
}

static void test_matches_reference(void **state)
{
    struct ckg__arena arena;
    struct ckg__gp gp = {0};

    (void)state;
    ckg__arena_init(&arena);
    for (int i = 0; i < CASES; i++) {
        const struct gp_case *c = &gp_cases[i];
        const struct ckg__series series = series_of(c);
        const enum ckg__kernel kernel = (enum ckg__kernel)c->kernel;
        const struct ckg__gp_inputs inputs = {kernel, c->d,    c->d,         c->n, identity,  c->X,
                                              c->n,   &series, c->precision, NULL, c->linear, NULL};
        assert_int_equal(ckg__gp_reserve(&gp, c->d, c->n), CKG_OK);
        assert_int_equal(ckg__gp_set(&gp, &inputs, c->theta, &arena), CKG_OK);
        assert_true(gp.nugget == CKG__NUGGET);
        note(0, gp.log_likelihood, c->log_likelihood, DBL_EPSILON * c->likelihood_scale);
        if (c->noise != 2)
            note(4, gp.log_likelihood, c->log_likelihood, fabs(c->log_likelihood));
        note(1, gp.mean, c->m, DBL_EPSILON * c->m_scale);
        check_posterior(c, &gp, &arena);
    }
    ckg__gp_free(&gp);
    ckg__arena_free(&arena);
    print_message(
        "in eps·scale: likelihood %.2g, m %.2g, mean %.2g, variance %.2g; relative under noise %.2g\n",
        worst[0], worst[1], worst[2], worst[3], worst[4]);
    for (int kind = 0; kind < 4; kind++)
        assert_true(worst[kind] <= 8);
    assert_true(worst[4] <= 1e-9);
}

static void assert_same_process(const struct ckg__gp *a, const struct ckg__gp *b, double bound)
{
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++) {
        for (int j = 0; j <= i; j++)
            assert_near(a->L[i * a->capacity + j], b->L[i * b->capacity + j], bound);
        assert_near(a->beta[i], b->beta[i], bound * 10);
        assert_near(a->alpha[i], b->alpha[i], bound * 1000);
    }
}

/* Row i of the process, unscaled. */
static const double *row(const struct process *p, int i, double *u)
{
    for (int k = 0; k < p->inputs.D; k++)
        u[k] = p->X[k * PROCESS_MAX_N + i];
    return u;
}

static void check_append(enum ckg__kernel kernel, int linear, enum process_noise noise)
{
    enum { D = 3, N = 20, FIRST = 17 };
    struct process whole, part;
    double u[D];

    process_make(&whole, kernel, D, N, noise, 5);
    process_make(&part, kernel, D, N, noise, 5);
    whole.inputs.linear = part.inputs.linear = linear;
    whole.inputs.mean_precision = part.inputs.mean_precision = INFINITY; /* an append leaves m as it is */
    part.inputs.n = FIRST;
    process_set(&whole);
    process_set(&part);
    for (int i = FIRST; i < N; i++) {
        const double variance = whole.gp.row_noise[i];
        assert_int_equal(ckg__gp_append(&part.gp, -1, row(&part, i, u), part.y[i], variance), CKG_OK);
    }
    assert_same_process(&part.gp, &whole.gp, 1e-12);
    process_free(&whole);
    process_free(&part);
}

static void test_append_equals_set(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++) {
        for (int linear = 0; linear < 2; linear++) {
            check_append((enum ckg__kernel)kernel, linear, ESTIMATED);
            check_append((enum ckg__kernel)kernel, linear, KNOWN);
        }
    }
    check_append(CKG__MATERN32, 0, EXACT);
}

/* The mean of the process before stays: what is appended is explained against it. */
static void test_append_keeps_the_mean(void **state)
{
    struct process p;
    double u[2];

    (void)state;
    process_make(&p, CKG__RBF, 2, 9, ESTIMATED, 6);
    const double mean = p.gp.mean;
    assert_true(mean != 0);
    assert_int_equal(ckg__gp_append(&p.gp, -1, row(&p, 0, u), 5.0, 0.1), CKG_OK);
    assert_true(p.gp.mean == mean);
    process_free(&p);
}

static void test_truncate_undoes_append(void **state)
{
    enum { D = 2, N = 11 };
    struct process p, untouched;
    const double u[D] = {0.3, 0.8};

    (void)state;
    process_make(&p, CKG__MATERN52, D, N, ESTIMATED, 7);
    process_make(&untouched, CKG__MATERN52, D, N, ESTIMATED, 7);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ckg__gp_append(&p.gp, -1, u, 0.5 + i, 0.02), CKG_OK);
    ckg__gp_truncate(&p.gp, N + 9);
    assert_int_equal(p.gp.n, N + 3);
    ckg__gp_truncate(&p.gp, N);
    assert_same_process(&p.gp, &untouched.gp, 0);
    process_free(&p);
    process_free(&untouched);
}

/* The same design without noise again and again: the floor under the pivot keeps the factor. */
static void test_append_of_a_repeated_design(void **state)
{
    struct process p;
    double u[2];

    (void)state;
    process_make(&p, CKG__RBF, 2, 6, EXACT, 8);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ckg__gp_append(&p.gp, -1, row(&p, 3, u), p.y[3], 0), CKG_OK);
    for (int i = 0; i < p.gp.n; i++)
        assert_true(isfinite(p.gp.alpha[i]) && p.gp.L[i * p.gp.capacity + i] > 0);
    process_free(&p);
}

static void test_append_without_room(void **state)
{
    struct process p;
    const double u[1] = {0.5};

    (void)state;
    process_make(&p, CKG__RBF, 1, 3, ESTIMATED, 9);
    while (p.gp.n < p.gp.capacity)
        assert_int_equal(ckg__gp_append(&p.gp, -1, u, 0.0, 0.1), CKG_OK);
    assert_int_equal(ckg__gp_append(&p.gp, -1, u, 0.0, 0.1), CKG_ERR_NUMERIC);
    assert_int_equal(p.gp.n, p.gp.capacity);
    process_free(&p);
}

static void check_without_data(double mean_precision)
{
    struct process p;
    struct ckg__view view;
    const double U[2] = {0.25, 0.5};

    process_make(&p, CKG__MATERN32, 1, 4, ESTIMATED, 10);
    p.inputs.n = 0;
    p.series.extra = p.series.within = p.series.constant = 0;
    p.inputs.mean_precision = mean_precision;
    process_set(&p);
    assert_true(p.gp.mean == 0);
    assert_true(p.gp.log_likelihood == 0);
    assert_int_equal(ckg__view_make(&view, &p.gp, 2, U, 2, &p.arena), CKG_OK);
    assert_true(view.mean[0] == 0 && view.mean[1] == 0 && view.var[0] == p.gp.k.s2);
    assert_int_equal(ckg__gp_append(&p.gp, -1, U, 2.0, 0), CKG_OK);
    assert_int_equal(ckg__view_make(&view, &p.gp, 2, U, 2, &p.arena), CKG_OK);
    assert_near(view.mean[0], 2.0, 1e-9);
    process_free(&p);
}

static void test_without_data(void **state)
{
    (void)state;
    check_without_data(1);
    check_without_data(INFINITY);
}

/* A flat prior of m, as maximum likelihood has it. */
static void test_without_data_nor_prior_of_the_mean(void **state)
{
    (void)state;
    check_without_data(0);
}

static void test_nugget_grows_or_gives_up(void **state)
{
    struct process p;

    (void)state;
    process_make(&p, CKG__RBF, 1, 12, EXACT, 11);
    p.theta[0] = log(1e6); /* K is all ones up to rounding */
    process_set(&p);
    assert_true(p.gp.nugget >= CKG__NUGGET && p.gp.nugget <= 1.01 * CKG__NUGGET_MAX);
    p.X[0] = NAN;
    assert_int_equal(ckg__gp_set(&p.gp, &p.inputs, p.theta, &p.arena), CKG_ERR_NUMERIC);
    process_free(&p);
}

/* Two coordinates of one group share a lengthscale. */
static void test_groups_share_a_lengthscale(void **state)
{
    struct process p;

    (void)state;
    process_make(&p, CKG__RBF, 3, 6, ESTIMATED, 12);
    p.group[2] = 1;
    p.inputs.d = 2;
    process_set(&p);
    assert_true(p.gp.inv_ell[1] == p.gp.inv_ell[2]);
    assert_near(p.gp.inv_ell[0], exp(-p.theta[0]), 1e-15);
    assert_near(p.gp.noise, exp(p.theta[2]), 1e-15);
    assert_near(p.gp.k.s2, exp(p.theta[3]), 1e-14);
    process_free(&p);
}

/* What one further evaluation is expected to carry. */
static void test_future_noise(void **state)
{
    static const enum process_noise kinds[] = {ESTIMATED, KNOWN, EXACT};
    struct process p;

    (void)state;
    for (int i = 0; i < 3; i++) {
        process_make(&p, CKG__RBF, 2, 6, kinds[i], 13);
        const double noise = kinds[i] == ESTIMATED ? exp(p.theta[2])
                             : kinds[i] == KNOWN   ? p.series.typical_known
                                                   : 0;
        assert_near(p.gp.future, noise + p.gp.k.s2 * p.gp.nugget, 1e-16);
        process_free(&p);
    }
}

/* By how much the rows before each row were off, in their own standard deviations; and that a factor on all
 * variances, with the means left where they are, makes it honest. */
/* An outcome that is linear is known everywhere once there are more data than slopes. */
static void test_a_linear_outcome_is_known_everywhere(void **state)
{
    enum { D = 5, N = 9 };
    static const double slopes[D] = {0.7, -1.4, 0.2, 0, 2.1};
    const double u[D] = {3, -2, 0.5, 4, -3};
    struct process p;
    struct ckg__view view;

    (void)state;
    process_make(&p, CKG__RBF, D, N, EXACT, 14);
    for (int i = 0; i < N; i++) {
        p.y[i] = 0.3;
        for (int k = 0; k < D; k++)
            p.y[i] += slopes[k] * p.X[k * PROCESS_MAX_N + i];
    }
    double want = 0.3;
    for (int k = 0; k < D; k++)
        want += slopes[k] * u[k];

    p.inputs.linear = 1;
    p.inputs.mean_precision = 1e-6;
    p.theta[D + 1] = -20;
    process_set(&p);
    assert_int_equal(ckg__view_make(&view, &p.gp, 1, u, 1, &p.arena), CKG_OK);
    assert_near(view.mean[0], want, 1e-3);
    assert_true(view.var[0] < 1e-6);
    process_free(&p);
}

static void test_surprise(void **state)
{
    enum { N = 14, LAST = 5 };
    static const enum process_noise kinds[] = {ESTIMATED, EXACT};
    struct process p;

    (void)state;
    for (int i = 0; i < 2; i++) {
        double sum = 0;
        process_make(&p, i ? CKG__MATERN32 : CKG__RBF, 2, N, kinds[i], 29);
        p.inputs.mean_precision = INFINITY;
        process_set(&p);
        const double surprise = ckg__gp_surprise(&p.gp, LAST);

        /* Row by row, from the rows before it. */
        for (int row = N - LAST; row < N; row++) {
            const double u[2] = {p.X[row], p.X[PROCESS_MAX_N + row]};
            struct ckg__view view;
            p.inputs.n = row;
            process_set(&p);
            assert_int_equal(ckg__view_make(&view, &p.gp, 1, u, 1, &p.arena), CKG_OK);
            const double noise = kinds[i] == EXACT ? 0 : p.gp.noise / p.count[row];
            sum += pow(p.y[row] - view.mean[0], 2) / (view.var[0] + noise + p.gp.k.s2 * p.gp.nugget);
        }
        assert_near(surprise, sum / LAST, 1e-8 * surprise);

        /* All variances times that. */
        p.inputs.n = N;
        p.theta[2] += log(surprise);
        p.theta[3] += log(surprise);
        process_set(&p);
        assert_near(ckg__gp_surprise(&p.gp, LAST), 1, 1e-9);
        process_free(&p);
    }
}

int main(void)
{
    return RUN_TESTS(test_matches_reference, test_append_equals_set, test_append_keeps_the_mean,
                     test_truncate_undoes_append, test_append_of_a_repeated_design, test_append_without_room,
                     test_without_data, test_without_data_nor_prior_of_the_mean,
                     test_nugget_grows_or_gives_up, test_groups_share_a_lengthscale, test_future_noise,
                     test_a_linear_outcome_is_known_everywhere, test_surprise);
}
