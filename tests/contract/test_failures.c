/*
 * What a study says of evaluations that may fail: honest with three trials and with three hundred. Problems
 * without constraints, so that the probability of feasibility is that of success.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { GRID = 21, DESIGNS = GRID * GRID };

static ckg_study *study_without_constraints(const char *fit)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 0, 0);

    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.seed = 7;
    options.fit = fit;
    return study_of(problem, &options);
}

static void tell(ckg_study *s, double a, double b, int succeeds)
{
    const double x[2] = {a, b};
    const double value = (a - 0.3) * (a - 0.3) + b;
    int trial;

    must(ckg_study_add(s, x, &trial));
    must(succeeds ? ckg_study_tell(s, trial, &value) : ckg_study_tell_failed(s, trial));
}

/* Points that fill the square evenly, each succeeding or not by a rule. */
static void tell_evenly(ckg_study *s, int count, int (*succeeds)(int t, double a, double b))
{
    for (int t = 0; t < count; t++) {
        const double a = fmod(0.5 + t * 0.75487766624669276, 1);
        const double b = fmod(0.5 + t * 0.56984029099805327, 1);
        tell(s, a, b, succeeds(t, a, b));
    }
}

static double probability_at(ckg_study *s, double a, double b)
{
    const double x[2] = {a, b};
    double p;

    must(ckg_study_predict(s, 1, x, NULL, NULL, &p, NULL));
    return p;
}

/* The smallest and the largest probability on a grid, and the mean. */
static void range(ckg_study *s, double *least, double *most, double *mean)
{
    static double X[2 * DESIGNS], p[DESIGNS];

    for (int i = 0; i < DESIGNS; i++) {
        X[2 * i] = (double)(i % GRID) / (GRID - 1);
        X[2 * i + 1] = (double)(i / GRID) / (GRID - 1);
    }
    must(ckg_study_predict(s, DESIGNS, X, NULL, NULL, p, NULL));
    *least = INFINITY;
    *most = *mean = 0;
    for (int i = 0; i < DESIGNS; i++) {
        *least = fmin(*least, p[i]);
        *most = fmax(*most, p[i]);
        *mean += p[i] / DESIGNS;
    }
}

/* One failure in three trials makes nobody sure of anything, near them or far. */
static void test_three_trials(void **state)
{
    static const char *const fits[] = {"auto", "ml", "map", "sample"};

    (void)state;
    for (int f = 0; f < 4; f++)
        for (int apart = 0; apart < 2; apart++) {
            ckg_study *s = study_without_constraints(fits[f]);
            const double reach = apart ? 0.4 : 0.02;
            double least, most, mean;
            tell(s, 0.1, 0.1, 1);
            tell(s, 0.1 + reach, 0.1, 1);
            tell(s, 0.1, 0.1 + reach, 0);
            range(s, &least, &most, &mean);
            print_message("%s, %g apart: %.3f … %.3f, far away %.3f\n", fits[f], reach, least, most,
                          probability_at(s, 1, 1));
            assert_true(least > 0.05 && most < 0.97);
            assert_true(probability_at(s, 1, 1) > 0.25 && probability_at(s, 1, 1) < 0.85);

            /* Where it failed less than where it did not. */
            assert_true(probability_at(s, 0.1, 0.1 + reach) < probability_at(s, 0.1, 0.1));
            ckg_study_free(s);
        }
}

static int one_in_ten_fails(int t, double a, double b)
{
    (void)a;
    (void)b;
    return t % 10 != 3;
}

static int most_fail(int t, double a, double b)
{
    (void)a;
    (void)b;
    return t % 5 == 3;
}

/* Failures without a pattern: their rate, everywhere, and the surer the more there are. */
static void test_base_rate(void **state)
{
    (void)state;
    for (int count = 20; count <= test_scale(300, 100); count *= count < 100 ? 5 : 3)
        for (int rare = 0; rare < 2; rare++) {
            ckg_study *s = study_without_constraints("auto");
            const double rate = rare ? 0.9 : 0.2;
            const double room = 2.5 * sqrt(rate * (1 - rate) / count);
            double least, most, mean;
            tell_evenly(s, count, rare ? one_in_ten_fails : most_fail);
            range(s, &least, &most, &mean);
            print_message("%d trials, %g succeed: %.3f … %.3f, mean %.3f\n", count, rate, least, most, mean);
            assert_true(fabs(mean - rate) < room);
            assert_true(least > rate - 2.5 * room && most < fmin(rate + 2.5 * room, 0.995));
            ckg_study_free(s);
        }
}

static int left_of_an_edge(int t, double a, double b)
{
    (void)t;
    return a + 0.3 * b < 0.6;
}

/* Failures for good beyond an edge: sure on either side, open at the edge. */
static void test_an_edge(void **state)
{
    (void)state;
    for (int count = 30; count <= test_scale(300, 90); count *= count < 90 ? 3 : 2) {
        ckg_study *s = study_without_constraints("auto");
        tell_evenly(s, count, left_of_an_edge);
        const double good = probability_at(s, 0.15, 0.5);
        const double bad = probability_at(s, 0.85, 0.5);
        const double edge = probability_at(s, 0.45, 0.5);
        print_message("%d trials: %.4f, at the edge %.3f, beyond %.4f\n", count, good, edge, bad);
        assert_true(good > (count > 90 ? 0.98 : 0.95) && bad < (count > 90 ? 0.02 : 0.05));
        assert_true(edge > 0.1 && edge < 0.9);
        ckg_study_free(s);
    }
}

/* The recommendation keeps away from where evaluations fail, and says how sure it is. */
static void test_recommendation(void **state)
{
    ckg_study *s = study_without_constraints("auto");
    ckg_recommendation *r;

    (void)state;
    tell_evenly(s, 40, left_of_an_edge);
    must(ckg_study_recommend(s, NULL, &r));
    print_message("recommended %.3f %.3f, %.4f\n", r->x[0], r->x[1], r->probability_feasible);
    assert_true(left_of_an_edge(0, r->x[0], r->x[1]));
    assert_true(r->probability_feasible > 0.8);
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

/* Many evaluations of one design, of which some failed: about their share. */
static void test_one_design(void **state)
{
    ckg_study *s = study_without_constraints("auto");

    (void)state;
    for (int t = 0; t < 40; t++)
        tell(s, 0.5, 0.5, t % 4 != 1);
    tell(s, 0.2, 0.2, 1);
    const double p = probability_at(s, 0.5, 0.5);
    print_message("30 of 40 succeeded: %.3f\n", p);
    assert_true(fabs(p - 0.75) < 0.05);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_three_trials, test_base_rate, test_an_edge, test_recommendation, test_one_design);
}
