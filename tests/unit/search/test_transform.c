/*
 * The transforms of a trust region: normal scores by known quantiles, the bilog by its formula, both whatever
 * the units. Quantiles of the normal distribution to 16 digits are from published tables.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "base/rng.h"
#include "base/sorted.h"
#include "search/transform.h"
#include "support/near.h"

static struct ckg__arena arena;

/* --- normal scores --- */

static void test_scores_are_quantiles_of_ranks(void **state)
{
    /* (rank − ½)/10: 0.05, 0.15, 0.25, 0.35, 0.45 and their mirror images */
    static const double quantile[] = {-1.6448536269514727, -1.0364333894937896, -0.6744897501960817,
                                      -0.3853204664075676, -0.1256613468550740};
    static const double value[10] = {3, -1e9, 7, 0.5, 4, 1e150, 0.25, 3.5, 2, 100};
    static const int rank[10] = {4, 0, 7, 2, 6, 9, 1, 5, 3, 8};
    double score[10];

    (void)state;
    assert_int_equal(ckg__copula(10, value, &arena, score), CKG_OK);
    for (int i = 0; i < 10; i++)
        /* (rank − ½)/n itself is rounded */
        assert_near(score[i], rank[i] < 5 ? quantile[rank[i]] : -quantile[9 - rank[i]], 2e-15);
}

static void test_equal_values_share_their_average_rank(void **state)
{
    static const double value[4] = {5, 1, 5, 5}, same[3] = {2, 2, 2};
    double score[4];

    (void)state;
    assert_int_equal(ckg__copula(4, value, &arena, score), CKG_OK);
    assert_near(score[1], -1.1503493803760079, 4e-16); /* Φ⁻¹(1/8) */
    for (int i = 0; i < 4; i += 2)
        assert_near(score[i], 0.31863936396437514, 2e-16); /* Φ⁻¹(5/8) */
    assert_int_equal(ckg__copula(3, same, &arena, score), CKG_OK);
    assert_true(score[0] == 0 && score[1] == 0 && score[2] == 0);
    assert_int_equal(ckg__copula(1, value, &arena, score), CKG_OK);
    assert_true(score[0] == 0);
    assert_int_equal(ckg__copula(0, value, &arena, score), CKG_OK);
}

/* Another unit and origin make no tie and break none, not even where they cost digits. */
static void test_scores_do_not_know_units(void **state)
{
    enum { N = 200 };
    double value[N], other[N], score[N], again[N];
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 5, 0, 0);
    for (int i = 0; i < N; i++)
        value[i] = i % 5 ? ckg__rng_normal(&rng) : value[i ? i - 1 : 0] + (i % 2 ? 1e-15 : 0);
    value[0] = 0.3;
    for (int i = 0; i < N; i++)
        other[i] = 1e5 + 1e-3 * value[i];
    assert_int_equal(ckg__copula(N, value, &arena, score), CKG_OK);
    assert_int_equal(ckg__copula(N, other, &arena, again), CKG_OK);
    assert_memory_equal(score, again, sizeof score);
}

/* --- bilog --- */

static void test_one_limit(void **state)
{
    const struct ckg__bilog upper = {-INFINITY, 2, 0.5}, lower = {-1, INFINITY, 4};

    (void)state;
    assert_true(ckg__bilog_apply(&upper, 2) == 0 && ckg__bilog_apply(&lower, -1) == 0);
    assert_near(ckg__bilog_apply(&upper, 4), 1.6094379124341003, 4e-16); /* log 5 */
    assert_near(ckg__bilog_apply(&upper, 0), -1.6094379124341003, 4e-16);
    assert_near(ckg__bilog_apply(&lower, 3), 0.6931471805599453, 2e-16);   /* log 2 */
    assert_near(ckg__bilog_apply(&lower, -9), -1.0986122886681098, 4e-16); /* −log 3 */
    assert_near(ckg__bilog_apply(&upper, 2 + 1e-12), 2e-12, 1e-15);
    assert_near(ckg__bilog_violation(&upper, 4), 1.6094379124341003, 4e-16);
    assert_near(ckg__bilog_violation(&lower, -9), 1.0986122886681098, 4e-16);
    assert_true(ckg__bilog_violation(&upper, 2) == 0 && ckg__bilog_violation(&lower, 50) == 0);
    assert_true(ckg__bilog_distance(&upper, -1) == 3 && ckg__bilog_distance(&lower, -4) == 3);
}

/*
 * Both branches meet in the middle with one slope, and outside each limit the one-sided form holds but for a
 * constant.
 */
static void test_two_limits(void **state)
{
    const struct ckg__bilog b = {1, 5, 0.5};
    const double size = ckg__bilog_apply(&b, 5), h = 1e-6;

    (void)state;
    assert_near(size, 1.6094379124341003, 4e-16);
    assert_true(ckg__bilog_apply(&b, 1) == -size);
    assert_true(fabs(ckg__bilog_apply(&b, 3)) <= 4e-16);
    const double left = (ckg__bilog_apply(&b, 3) - ckg__bilog_apply(&b, 3 - h)) / h;
    const double right = (ckg__bilog_apply(&b, 3 + h) - ckg__bilog_apply(&b, 3)) / h;
    assert_near(left, 0.4, 1e-6); /* 1/(unit·(1 + 2/unit)) */
    assert_near(right, 0.4, 1e-6);
    assert_near(ckg__bilog_apply(&b, 7) - size, 1.6094379124341003, 1e-15);
    assert_near(ckg__bilog_apply(&b, -1) + size, -1.6094379124341003, 1e-15);
    for (double v = -10; v < 15; v += 0.01)
        assert_true(ckg__bilog_apply(&b, v + 0.01) > ckg__bilog_apply(&b, v));
    assert_true(ckg__bilog_violation(&b, 3) == 0 && ckg__bilog_distance(&b, 4.5) == 0.5 &&
                ckg__bilog_distance(&b, 0) == 1);
}

static void test_any_legal_value_is_finite(void **state)
{
    static const double values[] = {-1e150, -1, 0, 1e-300, 1e150};

    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            const struct ckg__bilog one = {-INFINITY, values[k], 1e-300},
                                    two = {values[k], values[k] + 1, 1e-300};
            assert_true(isfinite(ckg__bilog_apply(&one, values[i])) &&
                        isfinite(ckg__bilog_apply(&two, values[i])));
            assert_true(isfinite(ckg__bilog_violation(&one, values[i])));
        }
}

static void test_unit(void **state)
{
    static const double distance[] = {0, 1, 2, 7, 1e9}, most_zero[] = {0, 0, 0, 3}, zero[] = {0, 0};

    (void)state;
    assert_true(ckg__bilog_unit(5, distance) == 2);
    assert_true(ckg__bilog_unit(4, distance) == 1.5);
    assert_true(ckg__bilog_unit(4, most_zero) == 3);
    assert_true(ckg__bilog_unit(2, zero) == 1);
    assert_true(ckg__bilog_unit(0, zero) == 1);
}

static void test_sorted_insert(void **state)
{
    enum { N = 300 };
    double sorted[N];
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 6, 0, 0);
    for (int n = 0; n < N; n++) {
        ckg__sorted_insert(sorted, n, ckg__rng_below(&rng, 50));
        for (int i = 1; i <= n; i++)
            assert_true(sorted[i - 1] <= sorted[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_quantiles_of_ranks),
        cmocka_unit_test(test_equal_values_share_their_average_rank),
        cmocka_unit_test(test_scores_do_not_know_units),
        cmocka_unit_test(test_one_limit),
        cmocka_unit_test(test_two_limits),
        cmocka_unit_test(test_any_legal_value_is_finite),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_sorted_insert),
    };

    ckg__arena_init(&arena);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ckg__arena_free(&arena);
    return failed;
}
