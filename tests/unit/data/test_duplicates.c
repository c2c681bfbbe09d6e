/* Which constraints repeat which, by their values alone. */
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "data/duplicates.h"
#include "study/study.h"
#include "support/studies.h"
#include "support/test.h"
#include "support/near.h"

enum { D = 2, TRIALS = 12 };

/* A study of K constraints c <= 0 without any trial. */
static ckg_study *study_of_many(int K)
{
    return study_of(box_problem(D, 0, 1, K, 0), NULL);
}

/* Trial t gets these values (1+K); NAN: not measured. */
static void tell(ckg_study *s, int t, const double *values)
{
    const double x[D] = {fmod((t + 0.5) * sqrt(2), 1), fmod((t + 0.5) * sqrt(5), 1)};
    ckg_measurement measured[1 + CKG_MAX_CONSTRAINTS];
    int count = 0;
    int trial;

    for (int j = 0; j < s->problem->outcomes; j++)
        if (!isnan(values[j]))
            measured[count++] = (ckg_measurement){j, values[j], CKG_SD_DEFAULT};
    must(ckg_study_add(s, x, &trial));
    must(ckg_study_tell_measured(s, trial, count, measured));
}

static double wave(int t, int k)
{
    return sin(1.7 * t + k) + 0.3 * cos(5.1 * t * (k + 1));
}

static void find(ckg_study *s, struct ckg__repeat *repeat)
{
    must(ckg__repeats_find(&s->data, &s->results, repeat));
}

static void test_lines(void **state)
{
    ckg_study *s = study_of_many(5);
    struct ckg__repeat r[6];

    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        const double c = wave(t, 1);
        tell(s, t, (const double[]){0, c, wave(t, 2), 2 * c, 7 - 1e-4 * c, c + 1e-4 * wave(t, 3)});
    }
    find(s, r);
    assert_true(!r[1].of && !r[2].of);
    assert_true(r[3].of == 1 && r[3].exact && r[3].implied);
    assert_near(r[3].factor, 2, 1e-14);
    assert_near(r[3].shift, 0, 1e-14);

    /* 7 − 1e-4·c₁ <= 0 says that c₁ >= 7e4, which c₁ <= 0 rules out: those two stay apart. */
    assert_int_equal(r[4].of, 0);

    /* Nearly. */
    assert_true(r[5].of == 1 && !r[5].exact && !r[5].implied);
    ckg_study_free(s);
}

static void test_limits(void **state)
{
    struct ckg__repeat r = {.of = 1, .exact = 1, .shift = 3, .factor = -2, .unit = 1};
    ckg_problem *p = box_problem(D, 0, 1, 1, 0);
    double lower;
    double upper;

    (void)state;
    must(ckg_problem_add_constraint(p, "low", 3 + 1e-12, INFINITY));
    must(ckg_problem_add_constraint(p, "both", -1, 3 + 1e-6));
    ckg__repeat_limits(p, &r, 2, &lower, &upper);
    assert_true(lower == -INFINITY && upper == 0);
    ckg__repeat_limits(p, &r, 3, &lower, &upper);
    assert_near(lower, -5e-7, 1e-15);
    assert_near(upper, 2, 1e-15);
    ckg_problem_free(p);
}

/* Penalty values that all constraints share, constants and few different values make none alike. */
static void test_what_proves_nothing(void **state)
{
    ckg_study *s = study_of_many(6);
    struct ckg__repeat r[7];

    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        const double bad = t == 3 ? 1e9 : 0;
        const double step = t % 4;
        tell(s, t, (const double[]){0, wave(t, 1) + bad, wave(t, 2) + bad, -1, -1, step, 2 * step});
    }
    find(s, r);
    for (int j = 1; j <= 6; j++)
        assert_int_equal(r[j].of, 0);
    ckg_study_free(s);
}

/* A penalty value that is repeated like the others does not hide a repetition. */
static void test_outliers(void **state)
{
    ckg_study *s = study_of_many(2);
    struct ckg__repeat r[3];

    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        const double c = t == 3 ? 1e9 : wave(t, 1);
        tell(s, t, (const double[]){0, c, 3 * c});
    }
    find(s, r);
    assert_true(r[2].of == 1 && r[2].exact);
    ckg_study_free(s);
}

/* Where both were measured every value counts, and no other. */
static void test_missing_values(void **state)
{
    ckg_study *s = study_of_many(3);
    struct ckg__repeat r[4];

    (void)state;
    for (int t = 0; t < TRIALS; t++) {
        const double c = wave(t, 1);
        tell(s, t, (const double[]){0, c, t < 7 ? 2 * c : NAN, t % 2 ? 5 * c : t == 8 ? 5 * c + 1 : NAN});
    }
    find(s, r);
    assert_true(r[2].of == 1 && r[2].exact);
    assert_int_equal(r[3].of, 0);
    ckg_study_free(s);
}

/* Of many that differ none repeats another, however little there is to tell them apart. */
/* c1 a number that is 0 or 1, the others answers: a, a again, a but once, its opposite, a where it was asked.
 */
static void test_answers(void **state)
{
    enum { FEWEST = 5, ENOUGH = 2 * FEWEST };
    ckg_problem *p = box_problem(D, 0, 1, 1, 0.5);
    struct ckg__repeat r[7];

    (void)state;
    for (int k = 0; k < 5; k++)
        must(ckg_problem_add_yesno(p, (const char *const[]){"a", "b", "c", "d", "e"}[k]));
    ckg_study *s = study_of(p, NULL);
    for (int t = 0; t < ENOUGH; t++) {
        const double a = t % 2;
        find(s, r);
        for (int j = 1; j < 7; j++)
            assert_int_equal(r[j].of, 0);
        tell(s, t, (const double[]){0, a, a, a, t == 3 ? 0 : a, 1 - a, t == 4 ? NAN : a});
    }
    find(s, r);
    assert_true(!r[1].of && !r[2].of && !r[4].of && !r[5].of);
    assert_true(r[3].of == 2 && r[3].exact && r[3].implied && r[3].factor == 1 && r[3].shift == 0);

    /* One more no of the last, which is one short so far; and a difference ends it. */
    assert_int_equal(r[6].of, 0);
    tell(s, ENOUGH, (const double[]){0, 0, 0, 0, 0, 1, 0});
    find(s, r);
    assert_true(r[6].of == 2 && r[6].exact);
    tell(s, ENOUGH + 1, (const double[]){0, 1, 1, 0, 1, 0, 1});
    find(s, r);
    assert_true(!r[3].of && r[6].of == 2);
    ckg_study_free(s);
}

static void test_no_false_alarm(void **state)
{
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 1, 0, 0);
    for (int n = 4; n <= 10; n++) {
        ckg_study *s = study_of_many(CKG_MAX_CONSTRAINTS);
        struct ckg__repeat r[1 + CKG_MAX_CONSTRAINTS];
        for (int t = 0; t < n; t++) {
            double values[1 + CKG_MAX_CONSTRAINTS];
            for (int j = 0; j <= CKG_MAX_CONSTRAINTS; j++)
                values[j] = ckg__rng_normal(&rng);
            tell(s, t, values);
        }
        find(s, r);
        for (int j = 0; j <= CKG_MAX_CONSTRAINTS; j++)
            assert_int_equal(r[j].of, 0);
        ckg_study_free(s);
    }
}

int main(void)
{
    return RUN_TESTS(test_lines, test_limits, test_what_proves_nothing, test_outliers, test_missing_values,
                     test_answers, test_no_false_alarm);
}
