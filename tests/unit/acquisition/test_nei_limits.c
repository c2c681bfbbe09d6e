/*
 * Noisy expected improvement where its value is known without draws, or hard to hold: equality with cEI
 * without noise, nothing feasible, gradients against differences, the ends of the range.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <ckg/status.h>

#include "acquisition/cei.h"
#include "acquisition/nei.h"
#include "support/near.h"
#include "support/noisy.h"
#include "support/scale.h"
#include "support/test.h"

enum { D = NOISY_D };

/* --- cEI --- */

static double best_measured(const struct noisy *m)
{
    double best = -INFINITY;
    for (int d = 0; d < m->n; d++) {
        const double u[D] = {m->U[d], m->U[NOISY_MOST + d]};
        int feasible = 1;
        double mean, slope[D];
        struct ckg__arena *arena = (struct ckg__arena *)&m->scratch;
        for (int j = 1; j < m->belief.outcomes; j++)
            feasible &= m->p[j].y[d] >= m->belief.lower[j] && m->p[j].y[d] <= m->belief.upper[j];
        assert_int_equal(ckg__posterior_mean(&m->p[0].gp, 1, u, 1, arena, &mean, slope), CKG_OK);
        best = feasible ? fmax(best, mean) : best;
    }
    return best;
}

static void test_without_noise_it_is_cei(void **state)
{
    enum { COUNT = 40 };

    (void)state;
    for (int K = 0; K < NOISY_OUTCOMES; K++)
        for (int kernel = 0; kernel < 2; kernel++) {
            const struct noisy_sort sort = {.kernel = kernel ? CKG__MATERN52 : CKG__RBF, .K = K, .n = 20};
            struct noisy m;
            double U[D * COUNT], value[COUNT], gradient[D * COUNT], cei[COUNT], slope[D * COUNT], worst = 0;
            noisy_make(&m, &sort, 60 + (uint64_t)K);
            noisy_draw(&m, 64, NOISY_MOST, 0);
            random_points(&m.p[0].rng, D, COUNT, U);
            const double best = best_measured(&m);
            assert_true(best > -INFINITY && m.nei.feasible);
            assert_int_equal(ckg__nei_batch(&m.nei, COUNT, U, COUNT, &m.scratch, value, gradient), CKG_OK);
            assert_int_equal(ckg__cei_batch(&m.belief, best, COUNT, U, COUNT, &m.scratch, cei, slope),
                             CKG_OK);
            for (int q = 0; q < COUNT; q++) {
                const double u[D] = {U[q], U[COUNT + q]};
                worst = fmax(worst, fmax(fabs(value[q] - cei[q]), fabs(noisy_value(&m, u) - cei[q])) /
                                        (1 + fabs(cei[q])));
                assert_near(gradient[q], slope[q], 1e-9 * (1 + fabs(slope[q])));
            }
            print_message("K = %d: %.2g\n", K, worst);
            assert_true(worst <= 1e-9);
            noisy_free(&m);
        }
}

/* As noise vanishes, so does the difference, though every value is drawn. */
static void test_little_noise_is_nearly_none(void **state)
{
    enum { COUNT = 30 };
    static const double sds[] = {1e-2, 1e-3, 1e-4};

    (void)state;
    for (int K = 0; K < NOISY_OUTCOMES; K++) {
        double error[3] = {0};
        for (int i = 0; i < 3; i++) {
            const struct noisy_sort noisy = {
                .kernel = CKG__MATERN52, .K = K, .n = 12, .sd = {sds[i], sds[i], sds[i]}};
            struct noisy m;
            noisy_make(&m, &noisy, 70 + (uint64_t)K);
            noisy_draw(&m, 256, NOISY_MOST, 0);
            assert_int_equal(m.nei.draws, 256);
            const double best = best_measured(&m);
            for (int q = 0; q < COUNT; q++) {
                double u[D], cei, slope[D];
                random_points(&m.p[0].rng, D, 1, u);
                assert_int_equal(ckg__cei_batch(&m.belief, best, 1, u, 1, &m.scratch, &cei, slope), CKG_OK);
                if (cei > -20)
                    error[i] = fmax(error[i], fabs(noisy_value(&m, u) - cei) / (1 + fabs(cei)));
            }
            noisy_free(&m);
        }
        print_message("K = %d: %.2g, %.2g, %.2g at sd 1e-2, 1e-3, 1e-4\n", K, error[0], error[1], error[2]);
        assert_true(error[2] < error[0] && error[2] <= 1e-2);
    }
}

/* Where no draw has a feasible design, log PF stands alone. */
static void test_nothing_feasible(void **state)
{
    const struct noisy_sort sort = {.kernel = CKG__RBF, .K = 2, .n = 8, .sd = {0.1, 0.1, 0.1}, .shift = -50};
    struct noisy m;
    const double u[D] = {0.3, 0.8};
    double cei, slope[D];

    (void)state;
    noisy_make(&m, &sort, 80);
    m.belief.lower[2] = -60; /* still an interval */
    noisy_draw(&m, 64, NOISY_MOST, 0);
    assert_int_equal(m.nei.feasible, 0);
    assert_true(m.nei.alone);
    assert_int_equal(ckg__cei_batch(&m.belief, -INFINITY, 1, u, 1, &m.scratch, &cei, slope), CKG_OK);
    assert_true(isfinite(cei) && cei < -700);
    assert_near(noisy_value(&m, u), cei, 1e-12 * fabs(cei));
    noisy_free(&m);
}

/* --- gradients --- */

struct along {
    struct noisy *m;
    double u[D];
    int k;
};

static double value_along(void *context, double step)
{
    struct along a = *(struct along *)context;
    a.u[a.k] += step;
    return noisy_value(a.m, a.u);
}

static void test_gradient_matches_differences(void **state)
{
    enum { COUNT = 12 };

    (void)state;
    for (int s = 0; s < NOISY_SORTS; s++) {
        struct noisy m;
        double U[D * COUNT], value[COUNT], gradient[D * COUNT], worst = 0;
        noisy_make(&m, &noisy_sorts[s], 300 + (uint64_t)s);
        noisy_draw(&m, 32, NOISY_MOST, 1);
        random_points(&m.p[0].rng, D, COUNT, U);
        assert_int_equal(ckg__nei_batch(&m.nei, COUNT, U, COUNT, &m.scratch, value, gradient), CKG_OK);
        for (int q = 0; q < COUNT; q++) {
            double largest = 1, error = 0;
            for (int k = 0; k < D; k++) {
                struct along a = {&m, {U[q], U[COUNT + q]}, k};
                const double slope = difference(value_along, &a, 2e-4);
                largest = fmax(largest, fabs(slope));
                error = fmax(error, fabs(slope - gradient[k * COUNT + q]));
                assert_near(value_along(&a, 0), value[q], 1e-9 * (1 + fabs(value[q])));
            }
            worst = fmax(worst, error / largest);
        }
        print_message("%-26s %.2g\n", noisy_sorts[s].name, worst);
        assert_true(worst <= 1e-5);
        noisy_free(&m);
    }
}

/* --- the ends --- */

static void assert_all_finite(struct noisy *m, int count, const double *U)
{
    double value[64], gradient[D * 64];
    assert_true(count <= 64);
    assert_int_equal(ckg__nei_batch(&m->nei, count, U, count, &m->scratch, value, gradient), CKG_OK);
    for (int q = 0; q < count; q++)
        assert_true(isfinite(value[q]) && isfinite(gradient[q]) && isfinite(gradient[count + q]));
}

/*
 * On top of the designs, far from them, after one observation, with twenty constraints, and with noise from
 * none to overwhelming.
 */
static void test_finite_everywhere(void **state)
{
    static const double sds[] = {0, 1e-9, 2e-6, 1e-3, 1, 1e3, 1e6};
    enum { COUNT = 40 };

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int n = 0; n <= 12; n += n == 1 ? 11 : 1) {
            const struct noisy_sort sort = {
                .kernel = CKG__RBF, .K = 2, .n = n, .sd = {sds[i], sds[i], sds[(i + 2) % 7]}};
            struct noisy m;
            double U[D * COUNT];
            noisy_make(&m, &sort, 90 + (uint64_t)i);
            random_points(&m.p[0].rng, D, COUNT, U);
            for (int d = 0; d < n; d++)
                for (int k = 0; k < D; k++)
                    U[k * COUNT + d] = m.U[k * NOISY_MOST + d] + (d % 2) * 1e-6;
            noisy_draw(&m, 32, NOISY_MOST, 0);
            assert_all_finite(&m, COUNT, U);
            m.belief.outcomes = 21;
            for (int j = 3; j < 21; j++) {
                m.belief.gp[j] = m.belief.gp[1 + j % 2];
                m.belief.lower[j] = j % 2 ? -INFINITY : 0.1 * j;
                m.belief.upper[j] = j % 2 ? -0.1 * j : INFINITY;
            }
            noisy_draw(&m, 32, NOISY_MOST, 0);
            assert_all_finite(&m, COUNT, U);
            m.belief.outcomes = 3;
            noisy_free(&m);
        }
}

/* Improvements that no double holds: the logarithm does, and its slope points home. */
static void test_far_tails(void **state)
{
    const struct noisy_sort sort = {.kernel = CKG__RBF, .K = 1, .n = 12, .sd = {0.05, 0.05}};
    struct noisy m;
    double value, gradient[D], least = 0;

    (void)state;
    noisy_make(&m, &sort, 95);
    for (int i = 0; i < m.p[0].series.n; i++)
        m.p[0].y[i] *= 40;
    process_set(&m.p[0]);
    noisy_draw(&m, 64, NOISY_MOST, 0);
    for (int q = 0; q < 200; q++) {
        double u[D];
        random_points(&m.p[0].rng, D, 1, u);
        assert_int_equal(ckg__nei_batch(&m.nei, 1, u, 1, &m.scratch, &value, gradient), CKG_OK);
        assert_true(isfinite(value) && isfinite(gradient[0]) && isfinite(gradient[1]));
        least = fmin(least, value);
        if (value < -745) {
            const double length = hypot(gradient[0], gradient[1]), step = 1e-7 / length;
            const double moved[D] = {u[0] + step * gradient[0], u[1] + step * gradient[1]};
            assert_true(length > 0 && noisy_value(&m, moved) > value);
        }
    }
    print_message("least %.3g\n", least);
    assert_true(least < -1e4);
    noisy_free(&m);
}

int main(void)
{
    return RUN_TESTS(test_without_noise_it_is_cei, test_little_noise_is_nearly_none, test_nothing_feasible,
                     test_gradient_matches_differences, test_finite_everywhere, test_far_tails);
}
