/*
 * The life of a trust region by the published rule, replayed from trials made by hand: it doubles, halves and
 * restarts when it should, and what the units of the outcomes are makes no difference.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "policy/policy.h"
#include "search/region.h"
#include "support/test.h"

enum { INITIAL = 3, FRESH = 2 };

/*
 * One integer, one real and one categorical; the objective is minimised; c1 <= 0, 1 <= c2 <= 2 where there
 * are constraints.
 */
struct fixture {
    ckg_problem *problem;
    struct ckg__data data;
    struct ckg__arena arena;
    struct ckg__region_rule rule;
    double factor, shift, unit; /* of the objective and of the constraints */
    int designs;
};

/* The default of a setting of scbo for d parameters. */
static double published(int d, const char *name)
{
    const struct ckg__policy *row = &ckg__policy_scbo;
    int i = 0;

    while (i + 1 < row->count && strcmp(row->parameters[i].name, name))
        i++;
    assert_string_equal(row->parameters[i].name, name);
    return ckg_policy_parameter_default(&row->parameters[i], d, 0);
}

/* The rule of those defaults. */
static struct ckg__region_rule published_rule(int d, int initial, int fresh)
{
    struct ckg__region_rule rule = {.length = published(d, "length"),
                                    .length_min = published(d, "length_min"),
                                    .length_max = published(d, "length_max"),
                                    .successes = (int)published(d, "successes"),
                                    .failures = (int)published(d, "failures"),
                                    .initial = initial,
                                    .fresh = fresh,
                                    .scout = (int)published(d, "scout")};

    ckg__region_settle(&rule);
    return rule;
}

static void setup(struct fixture *f, int K)
{
    static const char *const values[] = {"a", "b"};

    *f = (struct fixture){.factor = 1, .unit = 1};
    assert_int_equal(ckg_problem_new(&f->problem), CKG_OK);
    assert_int_equal(ckg_problem_add_real(f->problem, "x", 0, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(f->problem, "i", 0, 10), CKG_OK);
    assert_int_equal(ckg_problem_add_categorical(f->problem, "c", 2, values), CKG_OK);
    assert_int_equal(ckg_problem_set_objective(f->problem, "f", CKG_MINIMIZE), CKG_OK);
    assert_int_equal(ckg_problem_set_noise(f->problem, "f", CKG_NOISE_NONE, 0), CKG_OK);
    if (K > 0)
        assert_int_equal(ckg_problem_add_constraint(f->problem, "c1", -INFINITY, 0), CKG_OK);
    if (K > 1)
        assert_int_equal(ckg_problem_add_constraint(f->problem, "c2", 1, 2), CKG_OK);
    for (int j = 1; j <= K; j++)
        assert_int_equal(ckg_problem_set_noise(f->problem, j == 1 ? "c1" : "c2", CKG_NOISE_NONE, 0), CKG_OK);
    ckg__data_init(&f->data, f->problem);
    ckg__arena_init(&f->arena);
    /* as of two parameters: 3 successes, 4 failures */
    f->rule = published_rule(2, INITIAL, FRESH);
}

static void teardown(struct fixture *f)
{
    ckg__data_free(&f->data);
    ckg_problem_free(f->problem);
    ckg__arena_free(&f->arena);
}

/* A pending trial of a design of its own near x = 0.5, or at x. */
static int begin_at(struct fixture *f, double x, double i)
{
    const double design[3] = {x, i, f->designs % 2};
    int trial;

    assert_int_equal(ckg__data_add(&f->data, design, &trial), CKG_OK);
    f->designs++;
    return trial;
}

static int begin(struct fixture *f)
{
    return begin_at(f, 0.5 + 1e-6 * f->designs, 5);
}

static void end(struct fixture *f, int trial, double objective, double c1, double c2)
{
    const struct ckg_measurement m[] = {
        {0, f->factor * objective + f->shift, 0}, {1, f->unit * c1, 0}, {2, c2, 0}};

    assert_int_equal(ckg__data_tell(&f->data, trial, f->problem->outcomes, m), CKG_OK);
}

static void tell(struct fixture *f, double objective, double c1, double c2)
{
    end(f, begin(f), objective, c1, c2);
}

static struct ckg__region replay(struct fixture *f)
{
    struct ckg__region region;

    assert_int_equal(ckg__region_replay(&f->data, &f->rule, &f->arena, &region), CKG_OK);
    return region;
}

static void expect(struct fixture *f, double length, int successes, int failures, int centre)
{
    const struct ckg__region r = replay(f);

    assert_true(r.length == length);
    assert_int_equal(r.successes, successes);
    assert_int_equal(r.failures, failures);
    assert_int_equal(r.centre, centre);
}

/*
 * The initial design of objectives 10, 9, 11 with an interquartile range of 1 that later trials change
 * little.
 */
static void initial(struct fixture *f)
{
    tell(f, 10, -1, 1.5);
    tell(f, 9, -1, 1.5);
    tell(f, 11, -1, 1.5);
}

static void test_the_published_numbers(void **state)
{
    static const int d[] = {1, 2, 10, 20, 40}, successes[] = {3, 3, 3, 3, 4}, failures[] = {4, 4, 10, 20, 40},
                     scout[] = {3, 3, 10, 20, 40};
    struct ckg__region_rule rule;

    (void)state;
    for (int i = 0; i < 5; i++) {
        rule = published_rule(d[i], 4, 6);
        assert_true(rule.length == 0.8 && rule.length_min == 0.0078125 && rule.length_max == 1.6);
        assert_true(rule.successes == successes[i] && rule.failures == failures[i] && rule.scout == scout[i]);
        assert_true(rule.initial == 4 && rule.fresh == 6);
    }
    rule = (struct ckg__region_rule){.length = 0.5, .length_min = 0.1, .length_max = 0.9};
    ckg__region_settle(&rule);
    assert_true(rule.length == 0.5 && rule.length_min == 0.1 && rule.length_max == 0.9);
    rule = (struct ckg__region_rule){.length = 1e-6, .length_min = 0.2, .length_max = 0.1};
    ckg__region_settle(&rule); /* lengths that contradict one another give way to the smallest */
    assert_true(rule.length == 0.2 && rule.length_min == 0.2 && rule.length_max == 0.2);
}

static void test_before_and_in_the_initial_design(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 1);
    expect(&f, 0.8, 0, 0, -1);
    tell(&f, 10, -1, 0);
    expect(&f, 0.8, 0, 0, 0);
    tell(&f, 5, 2, 0); /* better but infeasible */
    expect(&f, 0.8, 0, 0, 0);
    tell(&f, 9, 0, 0); /* on the limit is feasible */
    expect(&f, 0.8, 0, 0, 2);
    assert_int_equal(replay(&f).feasible, 1);
    assert_int_equal(replay(&f).restarts, 0);
    teardown(&f);
}

static void test_three_successes_double_the_length(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 2);
    initial(&f);
    tell(&f, 8, -1, 1.5);
    expect(&f, 0.8, 1, 0, 3);
    tell(&f, 7, -1, 1.5);
    expect(&f, 0.8, 2, 0, 4);
    tell(&f, 6, -1, 1.5);
    expect(&f, 1.6, 0, 0, 5);
    for (int i = 0; i < 3; i++)
        tell(&f, 5 - i, -1, 1.5);
    expect(&f, 1.6, 0, 0, 8); /* the largest there is */
    teardown(&f);
}

static void test_four_failures_halve_the_length(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 1);
    initial(&f);
    for (int i = 1; i <= 3; i++) {
        tell(&f, 10, -1, 0);
        expect(&f, 0.8, 0, i, 1);
    }
    tell(&f, 10, -1, 0);
    expect(&f, 0.4, 0, 0, 1);
    tell(&f, 8, -1, 0);
    tell(&f, 7, -1, 0);
    expect(&f, 0.4, 2, 0, 8);
    tell(&f, 10, -1, 0); /* in a row, or not at all */
    expect(&f, 0.4, 0, 1, 8);
    tell(&f, 6, -1, 0);
    expect(&f, 0.4, 1, 0, 10);
    teardown(&f);
}

/* 0.8 halves seven times until it is below 2⁻⁷: at the 28th failure. */
static void test_a_small_region_restarts(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 1);
    initial(&f);
    for (int i = 0; i < 27; i++)
        tell(&f, 10, -1, 0);
    expect(&f, 0.0125, 0, 3, 1);
    assert_int_equal(replay(&f).restarts, 0);
    tell(&f, 10, -1, 0);
    struct ckg__region r = replay(&f);
    assert_int_equal(r.restarts, 1);
    assert_int_equal(r.first, 31);
    assert_int_equal(r.initial, FRESH);
    expect(&f, 0.8, 0, 0, -1);

    /* its initial design counts nothing, and what was before is forgotten: 50 is the best there is */
    tell(&f, 60, -1, 0);
    tell(&f, 50, -1, 0);
    expect(&f, 0.8, 0, 0, 32);
    tell(&f, 40, -1, 0);
    expect(&f, 0.8, 1, 0, 33);
    for (int i = 0; i < 28; i++)
        tell(&f, 55, -1, 0);
    r = replay(&f);
    assert_int_equal(r.restarts, 2);
    assert_int_equal(r.first, 62);
    teardown(&f);
}

/*
 * While nothing is feasible a smaller total violation is a success; then the first feasible one is, whatever
 * its objective.
 */
static void test_violations(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 2);
    tell(&f, 10, 3, 4);
    tell(&f, 9, 2, 0);
    tell(&f, 11, 9, 1.5);
    expect(&f, 0.8, 0, 0, 1);
    assert_int_equal(replay(&f).feasible, 0);
    tell(&f, 12, 0.5, 1.5);
    expect(&f, 0.8, 1, 0, 3);
    tell(&f, 1, 0.5, 1.5); /* no smaller */
    expect(&f, 0.8, 0, 1, 3);
    tell(&f, 1, 0.4, 1.4);
    expect(&f, 0.8, 1, 0, 5);
    tell(&f, 100, -1, 2);
    expect(&f, 0.8, 2, 0, 6);
    assert_int_equal(replay(&f).feasible, 1);
    tell(&f, 1, 1e-9, 2); /* however small a violation, feasible ones come first now */
    expect(&f, 0.8, 0, 1, 6);
    tell(&f, 99, -1, 1);
    expect(&f, 0.8, 1, 0, 8);
    teardown(&f);
}

/*
 * Less than a thousandth of the interquartile range is no success, but such steps add up, and the centre
 * follows them.
 */
static void test_small_improvements(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 1);
    initial(&f);
    tell(&f, 9 - 4e-4, -1, 0);
    expect(&f, 0.8, 0, 1, 3);
    tell(&f, 9 - 5e-4, -1, 0);
    expect(&f, 0.8, 0, 2, 4);
    tell(&f, 9 - 2e-3, -1, 0);
    expect(&f, 0.8, 1, 0, 5);
    teardown(&f);
}

/*
 * A failed evaluation is a failure; pending and cancelled ones are nothing; one that misses outcomes waits
 * for the rest.
 */
static void test_other_ends_of_a_trial(void **state)
{
    const struct ckg_measurement objective = {0, 1, 0}, constraint = {1, -1, 0};
    struct fixture f;

    (void)state;
    setup(&f, 1);
    initial(&f);
    f.data.trial[begin(&f)].state = CKG_FAILED;
    expect(&f, 0.8, 0, 1, 1);
    begin(&f);
    f.data.trial[begin(&f)].state = CKG_CANCELLED;
    expect(&f, 0.8, 0, 1, 1);
    const int partial = begin(&f);
    assert_int_equal(ckg__data_tell(&f.data, partial, 1, &objective), CKG_OK);
    expect(&f, 0.8, 0, 1, 1);
    int again;
    assert_int_equal(ckg__data_add(&f.data, f.data.x + 3 * f.data.trial[partial].design, &again), CKG_OK);
    assert_int_equal(ckg__data_tell(&f.data, again, 1, &constraint), CKG_OK);
    expect(&f, 0.8, 1, 0, f.data.trial[partial].design);
    end(&f, 4, 0.5, -1, 0); /* the pending one of before: trials are read by number */
    expect(&f, 0.8, 0, 1, 4);
    teardown(&f);
}

/* What could not have come from the region is not its failure; a better design is welcome from anywhere. */
static void test_designs_from_elsewhere(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 1);
    initial(&f);
    for (int i = 0; i < 12; i++)
        tell(&f, 10, -1, 0);
    expect(&f, 0.1, 0, 0, 1); /* reaches 0.2, at most, from the centre */
    end(&f, begin_at(&f, 0.71, 5), 10, -1, 0);
    end(&f, begin_at(&f, 0.5, 8), 10, -1, 0);
    expect(&f, 0.1, 0, 0, 1);
    end(&f, begin_at(&f, 0.69, 5), 10, -1, 0);
    end(&f, begin_at(&f, 0.5, 7), 10, -1, 0);
    expect(&f, 0.1, 0, 2, 1);
    end(&f, begin_at(&f, 0.05, 0), 3, -1, 0);
    expect(&f, 0.1, 1, 0, 19);
    teardown(&f);
}

/* Every so many trials after the initial design one scouts. */
static void test_scouts(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 0);
    for (int t = 0; t < 20; t++) {
        assert_int_equal(replay(&f).scouting, t >= INITIAL && (t - INITIAL) % 3 == 2);
        tell(&f, 10 - t, 0, 0);
    }
    f.rule.scout = 0;
    for (int t = 0; t < 5; t++) {
        assert_int_equal(replay(&f).scouting, 0);
        tell(&f, -t, 0, 0);
    }
    teardown(&f);
}

/* A long story told in other units, and with the goal turned round, is the same story. */
static void test_units_do_not_matter(void **state)
{
    struct ckg__region plain, other;
    struct fixture f;
    struct ckg__rng rng;

    (void)state;
    for (int guise = 0; guise < 3; guise++) {
        setup(&f, 2);
        if (guise) {
            f.factor = guise == 1 ? 1e-4 : -3e5;
            f.shift = 1e3;
            f.unit = 1e7;
            f.problem->goal = guise == 1 ? CKG_MINIMIZE : CKG_MAXIMIZE;
        }
        ckg__rng_seed(&rng, 8, 0, 0);
        for (int t = 0; t < 150; t++)
            tell(&f, 10 * exp(-t / 40.0) + ckg__rng_uniform(&rng), ckg__rng_normal(&rng) + 1 - t / 50.0,
                 1.5 + 0.6 * ckg__rng_normal(&rng));
        other = replay(&f);
        if (!guise)
            plain = other;
        assert_true(other.length == plain.length && other.centre == plain.centre &&
                    other.first == plain.first);
        assert_true(other.successes == plain.successes && other.failures == plain.failures &&
                    other.restarts == plain.restarts);
        teardown(&f);
    }
    assert_true(plain.restarts > 0);
}

/* Values of one design are averaged: the best of before was luck. */
static void test_repeated_evaluations(void **state)
{
    struct fixture f;
    int trial;

    (void)state;
    setup(&f, 0);
    initial(&f);
    tell(&f, 5, 0, 0);
    expect(&f, 0.8, 1, 0, 3);
    assert_int_equal(ckg__data_add(&f.data, f.data.x + 3 * 3, &trial), CKG_OK);
    end(&f, trial, 15, 0, 0);
    expect(&f, 0.8, 0, 1, 1); /* 10 on average, and 9 is better */
    assert_int_equal(replay(&f).noisy, 0);
    tell(&f, 9.5, 0, 0);
    expect(&f, 0.8, 1, 0, 1); /* better than what the lucky one has come down to */
    teardown(&f);
}

int main(void)
{
    return RUN_TESTS(test_the_published_numbers, test_before_and_in_the_initial_design,
                     test_three_successes_double_the_length, test_four_failures_halve_the_length,
                     test_a_small_region_restarts, test_violations, test_small_improvements,
                     test_other_ends_of_a_trial, test_designs_from_elsewhere, test_scouts,
                     test_units_do_not_matter, test_repeated_evaluations);
}
