/*
 * Constrained expected improvement: against 80-digit values (tests/reference/make_cei.py) on processes
 * without data, whose posterior is what one says it is, down to an EI of exp(−2e10); gradients against
 * differences.
 *
 * z is a rounded quotient, so log EI is off by eps·z² at least; measured: 1 eps·(1 + |value|). Gradients
 * agree with five-point differences to 7e-8 of the largest component.
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

#include "acquisition/cei.h"
#include "reference/cei.inc"
#include "support/near.h"
#include "support/scene.h"
#include "support/test.h"

enum { ROWS = sizeof cei_rows / sizeof cei_rows[0] };

static double value_of(const double *row, double *gradient)
{
    struct process p[2];
    struct ckg__belief belief = {
        .outcomes = 2, .gp = {&p[0].gp, &p[1].gp}, .lower = {0, row[5]}, .upper = {0, row[6]}};
    const double u = 0.5;
    double value, of_views;

    process_make_empty(&p[0], row[0], row[1], 0);
    process_make_empty(&p[1], row[3], row[4], 0);
    assert_int_equal(ckg__cei_batch(&belief, row[2], 1, &u, 1, &p[0].arena, &value, gradient), CKG_OK);
    assert_int_equal(ckg__cei_batch(&belief, row[2], 1, &u, 1, &p[0].arena, &of_views, NULL), CKG_OK);
    assert_near(of_views, value, 4 * DBL_EPSILON * (1 + fabs(value)));
    process_free(&p[0]);
    process_free(&p[1]);
    return value;
}

static void test_matches_reference(void **state)
{
    double worst = 0;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double gradient;
        const double value = value_of(cei_rows[i], &gradient), want = cei_rows[i][7];
        const double error = fabs(value - want) / (DBL_EPSILON * (1 + fabs(want)));
        assert_true(isfinite(value) && gradient == 0);
        worst = fmax(worst, error);
    }
    print_message("%d rows: %.2g eps\n", (int)ROWS, worst);
    assert_true(worst <= 8);
}

/* While nothing is feasible there is no best, and log PF stands alone. */
static void test_without_a_best(void **state)
{
    double row[8], gradient, log_pf = 0;

    (void)state;
    memcpy(row, cei_rows[0], sizeof row);
    row[2] = -INFINITY;
    const struct ckg__limits limits = {.lower = row[5], .upper = row[6]};
    ckg__log_feasible(1, &row[3], &row[4], &limits, &log_pf, NULL, NULL);
    assert_near(value_of(row, &gradient), log_pf, 1e-15);
}

/* --- gradients --- */

static double best;

static int cei_of(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    return ckg__cei_batch(&s->belief, best, m, U, m, &s->arena, value, gradient);
}

static void test_gradient_matches_differences(void **state)
{
    static const double bests[] = {-INFINITY, -3, 0.5, 2, 30};

    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int i = 0; i < 5; i++) {
            struct scene s;
            best = bests[i];
            scene_make(&s, (enum ckg__kernel)kernel, 0, 51);
            const double error = scene_gradient_error(&s, cei_of, 30);
            print_message("%s, best %g: %.2g\n", ckg__kernel_names[kernel], best, error);
            assert_true(error <= 1e-6);
            scene_free(&s);
        }
}

/* --- a probability that counts as more than it is --- */

/* log min(e^favour·p, 1) of every constraint, from its own probability; −INFINITY: log PF alone. */
static void test_favour_of_the_boundary(void **state)
{
    int capped = 0;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const double *row = cei_rows[i];
        struct process p[2];
        struct ckg__belief belief = {
            .outcomes = 2, .gp = {&p[0].gp, &p[1].gp}, .lower = {0, row[5]}, .upper = {0, row[6]}};
        const struct ckg__limits plain = {.lower = row[5], .upper = row[6]};
        const double u = 0.5;
        double log_p = 0;
        double value[2];
        double gradient;

        process_make_empty(&p[0], row[0], row[1], 0);
        process_make_empty(&p[1], row[3], row[4], 0);
        ckg__log_feasible(1, &row[3], &row[4], &plain, &log_p, NULL, NULL);
        for (int favoured = 0; favoured < 2; favoured++) {
            belief.favour = favoured ? log(2) : 0;
            assert_int_equal(
                ckg__cei_batch(&belief, row[2], 1, &u, 1, &p[0].arena, &value[favoured], &gradient), CKG_OK);
        }
        const double want = value[0] - log_p + fmin(log_p + log(2), 0);
        assert_near(value[1], want, 16 * DBL_EPSILON * (1 + fabs(log_p) + fabs(want)));
        capped += log_p + log(2) >= 0;
        process_free(&p[0]);
        process_free(&p[1]);
    }
    assert_true(capped > 0 && capped < ROWS);
}

static void test_gradient_with_favour(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++) {
        struct scene s;
        best = 0.5;
        scene_make(&s, (enum ckg__kernel)kernel, 0, 51);
        s.belief.favour = log(1.5);
        const double error = scene_gradient_error(&s, cei_of, 30);
        print_message("%s: %.2g\n", ckg__kernel_names[kernel], error);
        assert_true(error <= 1e-6);
        scene_free(&s);
    }
}

static int cei_at_data(struct process *p, double best_value, double *value, double *gradient)
{
    const struct ckg__belief belief = {.outcomes = 1, .gp = {&p->gp}};

    return ckg__cei_batch(&belief, best_value, PROCESS_EXACT, p->X, PROCESS_MAX_N, &p->arena, value,
                          gradient);
}

static void test_at_an_exact_observation(void **state)
{
    (void)state;
    check_at_exact_observations(cei_at_data, 1);
}

int main(void)
{
    return RUN_TESTS(test_matches_reference, test_without_a_best, test_gradient_matches_differences,
                     test_favour_of_the_boundary, test_gradient_with_favour, test_at_an_exact_observation);
}
