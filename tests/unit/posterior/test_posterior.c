/*
 * The posterior at points: batches and their gradients against views and differences, covariances with a
 * point, and joint samples against the mean and covariance they are drawn from. (Values against 50 digits:
 * tests/unit/model/test_gp.c.)
 *
 * Measured: gradients agree with five-point differences to 2e-11 of the largest component (rbf), 4e-10
 * (Matérn 3/2).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "linalg/dense.h"
#include "posterior/posterior.h"
#include "support/near.h"
#include "support/process.h"
#include "support/test.h"

enum { D = 3, N = 18, POINTS = 11 };

/* A batch with room for all it gives, and the point it is set against. */
struct batch {
    double mean[POINTS], var[POINTS], dmean[D * POINTS], dvar[D * POINTS], cov[POINTS], dcov[D * POINTS];
    double weights[N];
    struct ckg__view point;
};

static const double against[D] = {0.35, 0.6, 0.15};

static void run_batch(struct process *p, const double *U, struct batch *b)
{
    struct ckg__batch out = {b->mean, b->var, b->dmean, b->dvar};

    assert_int_equal(ckg__view_make(&b->point, &p->gp, 1, against, 1, &p->arena), CKG_OK);
    for (int i = 0; i < p->gp.n; i++)
        b->weights[i] = b->point.V[i * b->point.ld];
    ckg__dense()->solve_lower_transposed(p->gp.n, 1, p->gp.L, p->gp.capacity, b->weights, 1);
    struct ckg__against a = {&b->point, b->weights, b->cov, b->dcov};
    assert_int_equal(ckg__posterior_batch(&p->gp, POINTS, U, POINTS, &p->arena, &out, &a), CKG_OK);
}

/*
 * What a difference is taken of: mean, variance, or covariance with `against`, at one point moved along one
 * coordinate.
 */
struct along {
    struct process *p;
    const struct ckg__view *point;
    double u[D];
    int k, what;
};

static double value_along(void *context, double step)
{
    struct along *a = context;
    struct ckg__arena_mark mark = ckg__arena_mark(&a->p->arena);
    struct ckg__view view;
    double moved[D], cov;

    memcpy(moved, a->u, sizeof moved);
    moved[a->k] += step;
    assert_int_equal(ckg__view_make(&view, &a->p->gp, 1, moved, 1, &a->p->arena), CKG_OK);
    ckg__view_covariance(&a->p->gp, &view, a->point, 0, 1, &cov, 1);
    const double value = a->what == 0 ? view.mean[0] : a->what == 1 ? view.var[0] : cov;
    ckg__arena_release(&a->p->arena, mark);
    return value;
}

/* The largest error of the three gradients, relative to the largest component (or 1). */
static double gradient_error(struct process *p, const struct batch *b, const double *U, double h)
{
    const double *const gradients[] = {b->dmean, b->dvar, b->dcov};
    double worst = 0, largest = 1;

    for (int what = 0; what < 3; what++)
        for (int at = 0; at < D * POINTS; at++) {
            const double *u = U + at % POINTS;
            struct along a = {p, &b->point, {u[0], u[POINTS], u[2 * POINTS]}, at / POINTS, what};
            const double slope = difference(value_along, &a, h);
            largest = fmax(largest, fabs(slope));
            worst = fmax(worst, fabs(gradients[what][at] - slope));
        }
    return worst / largest;
}

static void check_gradients(enum ckg__kernel kernel, int linear, enum process_noise noise, double h,
                            double bound)
{
    struct process p;
    struct batch b;
    double U[D * POINTS];

    process_make(&p, kernel, D, N, noise, 31);
    p.inputs.linear = linear;
    process_set(&p);
    random_points(&p.rng, D, POINTS, U);
    run_batch(&p, U, &b);
    const double error = gradient_error(&p, &b, U, h);
    print_message("%s%s, noise %d: %.2g\n", ckg__kernel_names[kernel], linear ? " and a trend" : "",
                  (int)noise, error);
    assert_true(error <= bound);
    process_free(&p);
}

static void test_gradients_match_differences(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++) {
        for (int linear = 0; linear < 2; linear++) {
            check_gradients((enum ckg__kernel)kernel, linear, ESTIMATED, 1e-3, 1e-7);
            check_gradients((enum ckg__kernel)kernel, linear, KNOWN, 1e-3, 1e-7);
        }
    }
    check_gradients(CKG__MATERN52, 0, EXACT, 1e-3, 1e-7);
    check_gradients(CKG__MATERN52, 1, EXACT, 1e-3, 1e-7);
}

/* A function of one point through its mean, its variance and its covariances with others. */
struct pulled {
    struct process *p;
    const struct ckg__view *points;
    double u[D];
    int k;
};

static const double in_mean = 0.7;
static const double in_var = -1.3;
static const double in_cov[POINTS] = {0.4, -0.9, 0.25, 1.1};

static double pulled_along(void *context, double step)
{
    struct pulled *a = context;
    struct ckg__arena_mark mark = ckg__arena_mark(&a->p->arena);
    struct ckg__view view;
    double moved[D], cov[POINTS];

    memcpy(moved, a->u, sizeof moved);
    moved[a->k] += step;
    assert_int_equal(ckg__view_make(&view, &a->p->gp, 1, moved, 1, &a->p->arena), CKG_OK);
    ckg__view_covariance(&a->p->gp, a->points, &view, 0, 1, cov, POINTS);
    double value = in_mean * view.mean[0] + in_var * view.var[0];
    for (int p = 0; p < POINTS; p++)
        value += in_cov[p] * cov[p];
    ckg__arena_release(&a->p->arena, mark);
    return value;
}

static void test_pull_matches_differences(void **state)
{
    (void)state;
    for (int sort = 0; sort < 2 * CKG__KERNELS; sort++) {
        struct process p;
        struct ckg__view points, at;
        double U[D * POINTS], gradient[D];

        process_make(&p, (enum ckg__kernel)(sort / 2), D, N, ESTIMATED, 39);
        p.inputs.linear = sort % 2;
        process_set(&p);
        random_points(&p.rng, D, POINTS, U);
        assert_int_equal(ckg__view_make(&points, &p.gp, POINTS, U, POINTS, &p.arena), CKG_OK);
        assert_int_equal(ckg__view_make(&at, &p.gp, 1, against, 1, &p.arena), CKG_OK);
        assert_int_equal(ckg__view_pull(&p.gp, &points, &at, in_mean, in_var, in_cov, &p.arena, gradient),
                         CKG_OK);
        for (int k = 0; k < D; k++) {
            struct pulled a = {&p, &points, {against[0], against[1], against[2]}, k};
            assert_near(gradient[k], difference(pulled_along, &a, 1e-3), 1e-6);
        }
        process_free(&p);
    }
}

/* With and without `against`, alone and in a batch, and by views: the same numbers. */
static void test_batch_equals_views(void **state)
{
    struct process p;
    struct batch b, alone;
    struct ckg__view view;
    double U[D * POINTS], mean[POINTS], dmean[D * POINTS], cov[POINTS];

    (void)state;
    process_make(&p, CKG__MATERN52, D, N, ESTIMATED, 32);
    random_points(&p.rng, D, POINTS, U);
    run_batch(&p, U, &b);
    struct ckg__batch out = {alone.mean, alone.var, alone.dmean, alone.dvar};
    assert_int_equal(ckg__posterior_batch(&p.gp, POINTS, U, POINTS, &p.arena, &out, NULL), CKG_OK);
    assert_memory_equal(b.mean, alone.mean, sizeof b.mean);
    assert_memory_equal(b.var, alone.var, sizeof b.var);
    assert_memory_equal(b.dmean, alone.dmean, sizeof b.dmean);
    assert_memory_equal(b.dvar, alone.dvar, sizeof b.dvar);
    assert_int_equal(ckg__posterior_mean(&p.gp, POINTS, U, POINTS, &p.arena, mean, dmean), CKG_OK);
    assert_int_equal(ckg__view_make(&view, &p.gp, POINTS, U, POINTS, &p.arena), CKG_OK);
    ckg__view_covariance(&p.gp, &view, &b.point, 0, 1, cov, POINTS);
    for (int i = 0; i < POINTS; i++) {
        assert_near(mean[i], b.mean[i], 1e-13);
        assert_near(view.mean[i], b.mean[i], 1e-13);
        assert_near(view.var[i], b.var[i], 1e-13);
        assert_near(cov[i], b.cov[i], 1e-13);
        for (int k = 0; k < D; k++)
            assert_near(dmean[k * POINTS + i], b.dmean[k * POINTS + i], 1e-12);
    }
    process_free(&p);
}

/* Points filled in ranges, and points that stand apart in a wider array. */
static void test_view_in_parts(void **state)
{
    struct process p;
    struct ckg__view whole, parts;
    double wide[D * (POINTS + 5)], U[D * POINTS];

    (void)state;
    process_make(&p, CKG__RBF, D, N, ESTIMATED, 33);
    random_points(&p.rng, D, POINTS, U);
    for (int k = 0; k < D; k++)
        memcpy(wide + k * (POINTS + 5), U + k * POINTS, POINTS * sizeof *U);
    assert_int_equal(ckg__view_make(&whole, &p.gp, POINTS, U, POINTS, &p.arena), CKG_OK);
    assert_int_equal(ckg__view_take(&parts, &p.gp, POINTS, &p.arena), CKG_OK);
    for (int first = 0; first < POINTS; first += 4)
        ckg__view_fill(&parts, &p.gp, wide, POINTS + 5, first, first + 4 < POINTS ? 4 : POINTS - first);
    for (int i = 0; i < POINTS; i++) {
        assert_near(parts.mean[i], whole.mean[i], 1e-13);
        assert_near(parts.var[i], whole.var[i], 1e-13);
    }
    process_free(&p);
}

/*
 * Rows are the points of the second view from `first` on, columns those of the first; the diagonal is the
 * variance.
 */
static void test_covariance(void **state)
{
    struct process p;
    struct ckg__view a, b;
    double U[D * POINTS], V[D * 4], C[3 * POINTS], transposed[POINTS * 4], own[POINTS * POINTS];

    (void)state;
    process_make(&p, CKG__RBF, D, N, KNOWN, 34);
    random_points(&p.rng, D, POINTS, U);
    random_points(&p.rng, D, 4, V);
    assert_int_equal(ckg__view_make(&a, &p.gp, POINTS, U, POINTS, &p.arena), CKG_OK);
    assert_int_equal(ckg__view_make(&b, &p.gp, 4, V, 4, &p.arena), CKG_OK);
    ckg__view_covariance(&p.gp, &a, &b, 1, 3, C, POINTS);
    ckg__view_covariance(&p.gp, &b, &a, 0, POINTS, transposed, 4);
    ckg__view_covariance(&p.gp, &a, &a, 0, POINTS, own, POINTS);
    for (int i = 0; i < POINTS; i++) {
        for (int j = 0; j < 3; j++)
            assert_near(C[j * POINTS + i], transposed[i * 4 + j + 1], 1e-14);
        assert_near(own[i * POINTS + i], a.var[i], 1e-14);
    }
    process_free(&p);
}

/* Where an exact observation stands there is no variance left, and never a negative one. */
static void test_variance_at_observations(void **state)
{
    struct process p;
    struct ckg__view view;

    (void)state;
    process_make(&p, CKG__RBF, D, N, EXACT, 35);
    assert_int_equal(ckg__view_make(&view, &p.gp, N, p.X, PROCESS_MAX_N, &p.arena), CKG_OK);
    for (int i = 0; i < N; i++) {
        assert_true(view.var[i] >= 0 && view.var[i] <= 2 * CKG__NUGGET * p.gp.k.s2);
        assert_near(view.mean[i], p.y[i], 1e-5);
    }
    process_free(&p);
}

static void test_without_data(void **state)
{
    struct process p;
    struct batch b;
    double U[D * POINTS];

    (void)state;
    process_make(&p, CKG__MATERN32, D, N, ESTIMATED, 36);
    p.inputs.n = 0;
    process_set(&p);
    random_points(&p.rng, D, POINTS, U);
    run_batch(&p, U, &b);
    for (int i = 0; i < POINTS; i++)
        assert_true(b.mean[i] == 0 && b.var[i] == p.gp.k.s2 && b.dmean[i] == 0 && b.dvar[i] == 0);
    assert_true(gradient_error(&p, &b, U, 1e-4) <= 1e-7);
    process_free(&p);
}

/* --- samples --- */

enum { DRAWS = 20000, AT = 5 };

static double samples[DRAWS * AT];

static void check_samples(struct process *p, const struct ckg__view *view, const double *C)
{
    for (int i = 0; i < AT; i++) {
        double sum = 0;
        for (int s = 0; s < DRAWS; s++)
            sum += samples[s * AT + i] - view->mean[i];
        assert_near(sum / DRAWS, 0, 4.5 * sqrt(C[i * AT + i] / DRAWS) + 1e-12);
        for (int j = 0; j <= i; j++) {
            double product = 0;
            for (int s = 0; s < DRAWS; s++)
                product += (samples[s * AT + i] - view->mean[i]) * (samples[s * AT + j] - view->mean[j]);
            const double error = sqrt((C[i * AT + i] * C[j * AT + j] + C[i * AT + j] * C[i * AT + j]) /
                                      DRAWS);
            assert_near(product / DRAWS, C[i * AT + j], 4.5 * error + 10 * p->gp.nugget * p->gp.k.s2);
        }
    }
}

static void test_samples_have_mean_and_covariance(void **state)
{
    struct process p;
    struct ckg__view view;
    struct ckg__rng rng;
    double U[D * AT], C[AT * AT];

    (void)state;
    for (int n = 0; n <= 12; n += 6) {
        process_make(&p, CKG__MATERN52, D, 12, ESTIMATED, 37);
        p.inputs.n = n;
        process_set(&p);
        random_points(&p.rng, D, AT, U);
        ckg__rng_seed(&rng, 3, (uint64_t)n, 0);
        assert_int_equal(ckg__view_make(&view, &p.gp, AT, U, AT, &p.arena), CKG_OK);
        ckg__view_covariance(&p.gp, &view, &view, 0, AT, C, AT);
        assert_int_equal(ckg__posterior_sample(&p.gp, &view, &rng, DRAWS, &p.arena, samples, NULL), CKG_OK);
        check_samples(&p, &view, C);
        process_free(&p);
    }
}

/* Points that coincide have no factor of their own: the nugget lends them one, and their draws agree. */
static void test_samples_at_equal_points(void **state)
{
    struct process p;
    struct ckg__view view;
    double U[D * AT];

    (void)state;
    process_make(&p, CKG__RBF, D, N, ESTIMATED, 38);
    for (int i = 0; i < D * AT; i++)
        U[i] = 0.4;
    assert_int_equal(ckg__view_make(&view, &p.gp, AT, U, AT, &p.arena), CKG_OK);
    assert_int_equal(ckg__posterior_sample(&p.gp, &view, &p.rng, 200, &p.arena, samples, NULL), CKG_OK);
    for (int s = 0; s < 200; s++)
        for (int i = 1; i < AT; i++)
            assert_near(samples[s * AT + i], samples[s * AT], 1e-3);
    process_free(&p);
}

int main(void)
{
    return RUN_TESTS(test_gradients_match_differences, test_pull_matches_differences, test_batch_equals_views,
                     test_view_in_parts, test_covariance, test_variance_at_observations, test_without_data,
                     test_samples_have_mean_and_covariance, test_samples_at_equal_points);
}
