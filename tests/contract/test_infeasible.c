/*
 * Where no design is likely to be feasible, the recommendation breaks the limits least, and names the hardest
 * one; checked against the true functions on a grid. Where designs are feasible nothing of that is said.
 */
#include <math.h>

#include <ckg/ckg.h>

#include "support/near.h"
#include "support/studies.h"
#include "support/test.h"

enum { OUTCOMES = 3, TOLD = 20, GRID = 41 };

/* A toy on [0, 1]², with limits from below on both constraints. */
struct toy {
    void (*evaluate)(const double *x, double *values);
    double least[OUTCOMES];
    enum ckg_noise noise;
    int most_violated; /* 0: feasible designs exist */
};

/* A can: its area and its volume, 800 at most. */
static void can(const double *x, double *values)
{
    const double r = 1 + 2.5 * x[0];
    const double h = 1 + 19 * x[1];

    values[0] = 6.283 * r * (r + h);
    values[1] = 3.1416 * r * r * h;
    values[2] = 1;
}

/* Each limit can be met, but not both: one wants x[0] large, the other small. */
static void conflict(const double *x, double *values)
{
    values[0] = x[1];
    values[1] = x[0] - 0.3 * pow(x[1] - 0.5, 2);
    values[2] = 4 - 5 * x[0] - x[1];
}

static ckg_study *new_study(const struct toy *toy, int told)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "y", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_constraint(p, "first", toy->least[1], INFINITY));
    must(ckg_problem_add_constraint(p, "second", toy->least[2], INFINITY));
    set_all_noise(p, toy->noise, 0);
    o.threads = 1;
    o.initial = 4;
    ckg_study *s = study_of(p, &o);
    for (int t = 0; t < told; t++) {
        const double x[] = {fmod(0.3 + 0.618034 * t, 1), fmod(0.7 + 0.414214 * t, 1)};
        double values[OUTCOMES];

        toy->evaluate(x, values);
        for (int j = 0; toy->noise != CKG_NOISE_NONE && j < OUTCOMES; j++)
            values[j] *= 1 + 0.001 * sin(77.0 * t + j);
        tell_at(s, x, values);
    }
    return s;
}

/* By how much the limits are broken, in units of how much each constraint varies. */
static double violation(const struct toy *toy, const double *x, const double *spread)
{
    double values[OUTCOMES];
    double sum = 0;

    toy->evaluate(x, values);
    for (int j = 1; j < OUTCOMES; j++)
        sum += fmax(0, toy->least[j] - values[j]) / spread[j];
    return sum;
}

/* Standard deviations of the constraints over the designs told. */
static void find_spread(const struct toy *toy, double *spread)
{
    for (int j = 1; j < OUTCOMES; j++) {
        double sum = 0, square = 0, values[OUTCOMES];
        for (int t = 0; t < TOLD; t++) {
            const double x[] = {fmod(0.3 + 0.618034 * t, 1), fmod(0.7 + 0.414214 * t, 1)};
            toy->evaluate(x, values);
            sum += values[j] / TOLD;
            square += values[j] * values[j] / TOLD;
        }
        spread[j] = sqrt(fmax(square - sum * sum, 1e-12));
    }
}

static const struct toy toys[] = {
    {can, {0, 5000, 0}, CKG_NOISE_NONE, 1},       {can, {0, 5000, 0}, CKG_NOISE_AUTO, 1},
    {conflict, {0, 0.9, 2.5}, CKG_NOISE_NONE, 0}, {can, {0, 300, 0}, CKG_NOISE_NONE, 0},
    {can, {0, 300, 0}, CKG_NOISE_AUTO, 0},
};

static void test_the_least_violation(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const struct toy *toy = &toys[i];
        ckg_study *s = new_study(toy, TOLD);
        ckg_recommendation *r;
        double spread[OUTCOMES];
        double least = INFINITY;
        double most = 0;

        find_spread(toy, spread);
        for (int k = 0; k < GRID * GRID; k++) {
            const double x[] = {(k % GRID) / (GRID - 1.0), (k / GRID) / (GRID - 1.0)};
            least = fmin(least, violation(toy, x, spread));
            most = fmax(most, violation(toy, x, spread));
        }
        must(ckg_study_recommend(s, NULL, &r));
        assert_true(least > 0 && r->probability_feasible < 0.1);
        assert_true(r->most_violated > 0);
        assert_true(!toy->most_violated || r->most_violated == toy->most_violated);
        assert_true(violation(toy, r->x, spread) <= least + 0.03 * (most - least));
        ckg_recommendation_free(r);

        /* And of the designs that were evaluated the one that does. */
        ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
        how.evaluated_only = 1;
        must(ckg_study_recommend(s, &how, &r));
        assert_true(r->most_violated > 0 && r->trial >= 0);
        for (int t = 0; t < TOLD; t++) {
            ckg_trial trial;
            must(ckg_study_trial(s, t, &trial));
            assert_true(violation(toy, r->x, spread) <= violation(toy, trial.x, spread) + 0.03 * most);
        }
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

static void test_nothing_of_that_where_designs_are_feasible(void **state)
{
    (void)state;
    for (int i = 3; i < 5; i++) {
        ckg_study *s = new_study(&toys[i], TOLD);
        ckg_recommendation *r;

        must(ckg_study_recommend(s, NULL, &r));
        assert_int_equal(r->most_violated, 0);
        assert_true(r->probability_feasible > 0.5);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* Which trial is recommended, and whether that is a fact. */
static void test_the_trial(void **state)
{
    ckg_study *s = new_study(&toys[3], TOLD);
    ckg_recommendation *r;

    (void)state;
    must(ckg_study_recommend(s, NULL, &r));
    assert_int_equal(r->trial, ckg_study_best(s));
    assert_int_equal(r->measured, 1);
    ckg_recommendation_free(r);
    ckg_study_free(s);

    s = new_study(&toys[4], TOLD);
    must(ckg_study_recommend(s, NULL, &r));
    assert_int_equal(r->measured, 0);
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_the_least_violation, test_nothing_of_that_where_designs_are_feasible,
                     test_the_trial);
}
