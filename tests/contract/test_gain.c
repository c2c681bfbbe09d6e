/*
 * What more evaluations are expected to gain. One more: against the improvement computed from predictions on
 * a grid, without noise, and against the values of `ckg` on a grid, with noise. All there is to know: against
 * the true optimum, once the models have seen everything. Units, threads, pending trials and rebuilding
 * change nothing; what is not known is NAN.
 *
 * A grid of 61² points misses the maximum by a little, and the search for it may be beaten by the grid: the
 * two agree within a tenth without noise (0.4 % was measured) and a quarter with it (7 %).
 */
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/near.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { BUDGET = 40, TOLD = 14, GRID = 61 };

static const double limit = 0.3;

struct setting {
    enum ckg_noise noise;
    double unit;   /* of the objective */
    double origin; /* added to it */
    enum ckg_goal goal;
    int threads;
    int budget;
};

static const struct setting exact = {CKG_NOISE_NONE, 1, 0, CKG_MINIMIZE, 1, BUDGET};
static const struct setting noisy = {CKG_NOISE_AUTO, 1, 0, CKG_MINIMIZE, 1, BUDGET};

static void evaluate(const struct setting *set, int t, const double *x, double *values)
{
    values[0] = pow(x[0] - 0.3, 2) + pow(x[1] - 0.6, 2) + 0.2 * sin(7 * x[0] + 3 * x[1]);
    values[1] = 0.4 - x[0] * x[1] + 0.1 * cos(6 * x[0]);
    if (set->noise != CKG_NOISE_NONE)
        values[0] += 0.05 * sin(101.0 * t);
    values[0] = (set->goal == CKG_MAXIMIZE ? -1 : 1) * (set->origin + set->unit * values[0]);
}

static ckg_study *new_study(const struct setting *set)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 1, limit);

    set_all_noise(p, CKG_NOISE_NONE, 0);
    must(ckg_problem_set_objective(p, "objective", set->goal));
    must(ckg_problem_set_noise(p, "objective", set->noise, 0));
    o.initial = 8;
    o.warp = 0;
    o.budget = set->budget;
    o.threads = set->threads;
    return study_of(p, &o);
}

static void tell_designs(ckg_study *s, const struct setting *set, int from, int to, double side)
{
    for (int t = from; t < to; t++) {
        const double x[] = {side * fmod(0.3 + 0.618034 * t, 1), side * fmod(0.7 + 0.414214 * t, 1)};
        double values[2];

        evaluate(set, t, x, values);
        tell_at(s, x, values);
    }
}

static ckg_gain gain_of(ckg_study *s)
{
    ckg_gain gain;

    must(ckg_study_expected_gain(s, &gain));
    return gain;
}

static ckg_gain gain_after(const struct setting *set, int told)
{
    ckg_study *s = new_study(set);

    tell_designs(s, set, 0, told, 1);
    const ckg_gain gain = gain_of(s);
    ckg_study_free(s);
    return gain;
}

/* --- one more --- */

static double improvement(double mean, double sd, double best)
{
    const double z = (best - mean) / sd;

    return sd * (exp(-z * z / 2) / sqrt(2 * acos(-1)) + z * erfc(-z / sqrt(2)) / 2);
}

static void test_one_more_without_noise(void **state)
{
    ckg_study *s = new_study(&exact);
    ckg_trial best;
    double most = 0;

    (void)state;
    tell_designs(s, &exact, 0, TOLD, 1);
    must(ckg_study_trial(s, ckg_study_best(s), &best));
    for (int i = 0; i < GRID * GRID; i++) {
        const double x[] = {(i % GRID) / (GRID - 1.0), (i / GRID) / (GRID - 1.0)};
        double mean[2], sd[2], feasible;

        must(ckg_study_predict(s, 1, x, mean, sd, &feasible, NULL));
        if (sd[0] > 0)
            most = fmax(most, feasible * improvement(mean[0], sd[0], best.measured[0].value));
    }
    const ckg_gain gain = gain_of(s);
    assert_true(most > 0);
    assert_near(gain.next, most, 0.1 * most);
    ckg_study_free(s);
}

static void test_one_more_with_noise(void **state)
{
    enum { SIDE = 21 };
    ckg_study *s = new_study(&noisy);
    double X[2 * SIDE * SIDE];
    double value[SIDE * SIDE];
    double most = 0;

    (void)state;
    tell_designs(s, &noisy, 0, TOLD, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        X[2 * i] = (i % SIDE) / (SIDE - 1.0);
        X[2 * i + 1] = (i / SIDE) / (SIDE - 1.0);
    }
    must(ckg_study_score(s, "ckg", SIDE * SIDE, X, value));
    for (int i = 0; i < SIDE * SIDE; i++)
        most = fmax(most, value[i]);
    assert_near(gain_of(s).next, most, 0.4 * most);
    ckg_study_free(s);
}

/* --- all there is --- */

static void test_order(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++)
        for (int told = 10; told < 30; told += test_scale(5, 15)) {
            const ckg_gain gain = gain_after(noise ? &noisy : &exact, told);

            assert_true(gain.next >= 0 && gain.perfect_information >= 0 &&
                        gain.perfect_information_rough >= 0);
            assert_true(gain.remaining >= gain.next);
            assert_int_equal(gain.left, BUDGET - told);
        }
}

/* The best that a feasible design can be, on a fine grid. */
static double true_optimum(void)
{
    enum { SIDE = 1001 };
    double best = INFINITY;

    for (int i = 0; i < SIDE * SIDE; i++) {
        const double x[] = {(i % SIDE) / (SIDE - 1.0), (i / SIDE) / (SIDE - 1.0)};
        double values[2];

        evaluate(&exact, 0, x, values);
        if (values[1] <= limit)
            best = fmin(best, values[0]);
    }
    return best;
}

/* Who has looked everywhere knows what is still to be gained, with the budget of a few evaluations too. */
static void test_a_model_that_has_seen_everything(void **state)
{
    const ckg_gain gain = gain_after(&exact, 39);
    const double truth = gain.objective - true_optimum();

    (void)state;
    assert_true(truth > 0.01);
    assert_near(gain.perfect_information, truth, 0.2 * truth);
    assert_near(gain.perfect_information_rough, truth, 0.3 * truth);
}

/* Who has looked at one corner does not. */
static void test_a_model_that_has_seen_one_corner(void **state)
{
    ckg_study *corner = new_study(&exact);
    const double x[] = {0.95, 0.95};
    double values[2];

    (void)state;
    tell_designs(corner, &exact, 0, 24, 0.3);
    evaluate(&exact, 0, x, values);
    tell_at(corner, x, values); /* feasible */
    const ckg_gain blind = gain_of(corner);
    assert_true(blind.perfect_information_rough > 0.3 &&
                blind.perfect_information_rough >= blind.perfect_information);
    assert_true(blind.remaining > 0.05 * 0.7 * blind.perfect_information_rough);
    ckg_study_free(corner);
}

/* --- the rest of the budget --- */

static void test_budget(void **state)
{
    struct setting set = exact;
    const ckg_gain long_way = gain_after(&set, TOLD);

    (void)state;
    set.budget = TOLD + 1;
    const ckg_gain last = gain_after(&set, TOLD);
    assert_true(last.remaining <= long_way.remaining && last.remaining >= last.next);
    set.budget = TOLD;
    assert_true(gain_after(&set, TOLD).remaining == 0);
    set.budget = 0;
    assert_true(isnan(gain_after(&set, TOLD).remaining) && gain_after(&set, TOLD).left == -1);
}

/* --- what changes nothing --- */

static void assert_same_gain(const ckg_gain *a, const ckg_gain *b, double unit)
{
    assert_near(a->next, b->next / unit, 1e-6 * a->next);
    assert_near(a->remaining, b->remaining / unit, 1e-6 * a->remaining);
    assert_near(a->perfect_information, b->perfect_information / unit, 1e-6 * a->perfect_information);
}

static void test_units_and_goal(void **state)
{
    const ckg_gain plain = gain_after(&exact, TOLD);
    struct setting set = exact;

    (void)state;
    set.unit = 1024;
    set.origin = 4096;
    ckg_gain other = gain_after(&set, TOLD);
    assert_same_gain(&plain, &other, 1024);

    set = exact;
    set.goal = CKG_MAXIMIZE;
    other = gain_after(&set, TOLD);
    assert_same_gain(&plain, &other, 1);
    assert_near(other.objective, -plain.objective, 1e-9);
}

static void test_threads_pending_and_rebuilding(void **state)
{
    const ckg_gain plain = gain_after(&noisy, TOLD);
    struct setting set = noisy;
    ckg_suggestion *suggestion;

    (void)state;
    set.threads = 3;
    ckg_study *s = new_study(&set);
    for (int t = 0; t < TOLD; t++) {
        tell_designs(s, &set, t, t + 1, 1);
        if (t % 4 == 0)
            gain_of(s); /* asking on the way changes nothing */
    }
    const ckg_gain before = gain_of(s);
    assert_memory_equal(&before, &plain, sizeof plain);

    /* A pending trial is not made yet; only the points to look at may differ. */
    must(ckg_study_ask(s, &suggestion));
    ckg_suggestion_free(suggestion);
    assert_int_equal(gain_of(s).left, plain.left);
    assert_near(gain_of(s).perfect_information, plain.perfect_information, 0.5 * plain.perfect_information);
    ckg_study_free(s);
}

/* --- what is not known --- */

static void assert_unknown(ckg_study *s)
{
    const ckg_gain gain = gain_of(s);

    assert_true(isnan(gain.next) && isnan(gain.remaining) && isnan(gain.perfect_information) &&
                isnan(gain.objective));
}

static void test_not_known(void **state)
{
    ckg_study *s = new_study(&exact);
    const ckg_measurement objective = {0, 1, CKG_SD_DEFAULT};
    const double x[] = {0.1, 0.1};
    const double infeasible[] = {1, 1};
    int trial;

    /* Nothing at all, an objective alone, nothing feasible. */
    (void)state;
    assert_unknown(s);
    must(ckg_study_add(s, x, &trial));
    must(ckg_study_tell_measured(s, trial, 1, &objective));
    assert_unknown(s);
    for (int t = 0; t < 10; t++)
        tell_at(s, (const double[]){0.05 * t, 0.2}, infeasible);
    assert_unknown(s);

    /* And something feasible. */
    tell_designs(s, &exact, 3, 12, 1);
    assert_true(ckg_study_best(s) >= 0 && gain_of(s).next >= 0);
    ckg_study_free(s);

    /* Fewer trials than the initial design has. */
    s = new_study(&exact);
    tell_designs(s, &exact, 0, 7, 1);
    assert_true(ckg_study_best(s) >= 0);
    assert_unknown(s);
    ckg_study_free(s);
}

static void test_arguments(void **state)
{
    struct {
        double one;
        double guard;
    } shorter = {0, 7};
    ckg_study *s = new_study(&exact);
    ckg_gain gain;

    /* A caller of another version gets what it has room for. */
    (void)state;
    tell_designs(s, &exact, 0, TOLD, 1);
    must(ckg_study_expected_gain_sized(s, (ckg_gain *)(void *)&shorter, sizeof shorter.one));
    assert_true(shorter.one == gain_of(s).next && shorter.guard == 7);

    assert_int_equal(ckg_study_expected_gain(NULL, &gain), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_expected_gain(s, NULL), CKG_ERR_INVALID);
    ckg_study_free(s);
}

int main(void)
{
    return RUN_TESTS(test_one_more_without_noise, test_one_more_with_noise, test_order,
                     test_a_model_that_has_seen_everything, test_a_model_that_has_seen_one_corner,
                     test_budget, test_units_and_goal, test_threads_pending_and_rebuilding, test_not_known,
                     test_arguments);
}
