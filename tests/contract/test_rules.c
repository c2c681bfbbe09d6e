/*
 * Rules between parameters: whatever they are, no design that is asked for or recommended breaks one. A
 * thousand random sets of them, over reals, integers and categories, by all policies in turn; each rule is
 * known twice, as the text that the library reads and as a function that it never sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/rng.h"
#include "problem/rules.h"
#include "support/results.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { SETS = 1000, MOST_RULES = 4, MOST = 6, INITIAL = 4, ASKED = 6, VALUES = 3 };

/* --- random problems: x0 … are reals, x2 in steps of 0.1, then integers, then categories --- */

enum shape { SUM, PRODUCT, BALL, PARTS, GIVEN, BOTH };

/*
 * SUM c·x_i + e·x_j <= b, PRODUCT x_i·x_j <= b, BALL (x_i − c)² + (x_j − e)² <= b,
 * PARTS n_i + n_j == b over integers, GIVEN if k_i == "v<j>" then x_0 <= b, BOTH k_i != "v<j>" and c <= x_0.
 */
struct rule {
    enum shape shape;
    int i, j;
    double c, e, b;
};

struct set {
    int reals, integers, categories;
    int rules;
    struct rule rule[MOST_RULES];
    double inside[MOST]; /* a design that obeys all of them */
};

static int dimension(const struct set *set)
{
    return set->reals + set->integers + set->categories;
}

static int holds(const struct rule *r, const double *x)
{
    switch (r->shape) {
    case SUM:
        return r->c * x[r->i] + r->e * x[r->j] <= r->b;
    case PRODUCT:
        return x[r->i] * x[r->j] <= r->b;
    case BALL:
        return pow(x[r->i] - r->c, 2) + pow(x[r->j] - r->e, 2) <= r->b;
    case PARTS:
        return x[r->i] + x[r->j] == r->b;
    case GIVEN:
        return x[r->i] != r->j || x[0] <= r->b;
    default:
        return x[r->i] != r->j && r->c <= x[0];
    }
}

static void write_rule(const struct rule *r, char *text, size_t size)
{
    switch (r->shape) {
    case SUM:
        snprintf(text, size, "%.17g * x%d + %.17g * x%d <= %.17g", r->c, r->i, r->e, r->j, r->b);
        break;
    case PRODUCT:
        snprintf(text, size, "%.17g >= x%d * x%d", r->b, r->i, r->j);
        break;
    case BALL:
        snprintf(text, size, "(x%d - %.17g)^2 + (x%d - %.17g)^2 <= %.17g", r->i, r->c, r->j, r->e, r->b);
        break;
    case PARTS:
        snprintf(text, size, "x%d + x%d == %.17g", r->i, r->j, r->b);
        break;
    case GIVEN:
        snprintf(text, size, "if x%d == \"v%d\" then x0 <= %.17g", r->i, r->j, r->b);
        break;
    default:
        snprintf(text, size, "x%d != 'v%d' and %.17g <= x0", r->i, r->j, r->c);
    }
}

static int below(struct ckg__rng *rng, int count)
{
    return ckg__rng_below(rng, count);
}

/* Any number, and how far the design inside is from the limit: often it is hardly any. */
static double slack(struct ckg__rng *rng)
{
    return pow(10, -4 * ckg__rng_uniform(rng));
}

static void draw_inside(struct set *set, struct ckg__rng *rng)
{
    for (int i = 0; i < dimension(set); i++)
        set->inside[i] = i == 2 && i < set->reals         ? below(rng, 41) / 10.0
                         : i < set->reals                 ? 0.1 + 3.8 * ckg__rng_uniform(rng)
                         : i < set->reals + set->integers ? below(rng, 12)
                                                          : below(rng, VALUES);
}

static struct rule draw_rule(const struct set *set, struct ckg__rng *rng)
{
    const int numbers = set->reals + set->integers;
    const double *z = set->inside;
    struct rule r = {.i = below(rng, numbers), .j = below(rng, numbers)};

    r.shape = (enum shape)below(rng, 6);
    if (r.shape == PARTS && !set->integers)
        r.shape = BALL;
    if ((r.shape == GIVEN || r.shape == BOTH) && !set->categories)
        r.shape = SUM;
    if (r.shape == SUM) {
        r.c = 2 * ckg__rng_uniform(rng) - 1;
        r.e = 2 * ckg__rng_uniform(rng) - 1;
        r.b = r.c * z[r.i] + r.e * z[r.j] + slack(rng);
    } else if (r.shape == PRODUCT) {
        r.b = z[r.i] * z[r.j] + slack(rng);
    } else if (r.shape == BALL) {
        r.c = z[r.i] + slack(rng) - slack(rng);
        r.e = z[r.j];
        r.b = pow(z[r.i] - r.c, 2) + pow(z[r.j] - r.e, 2) + slack(rng);
    } else if (r.shape == PARTS) {
        r.i = set->reals + below(rng, set->integers);
        r.j = set->reals + below(rng, set->integers);
        r.b = z[r.i] + z[r.j];
    } else {
        r.i = numbers + below(rng, set->categories);
        r.j = ((int)z[r.i] + (r.shape == BOTH) + below(rng, 2)) % VALUES;
        r.b = z[0] + slack(rng);
        r.c = z[0] - slack(rng);
    }
    return r;
}

static struct set draw_set(struct ckg__rng *rng)
{
    struct set set = {.reals = 1 + below(rng, 3)};

    set.integers = below(rng, 3);
    set.categories = below(rng, 2);
    set.rules = 1 + below(rng, MOST_RULES);
    draw_inside(&set, rng);
    for (int i = 0; i < set.rules; i++) {
        set.rule[i] = draw_rule(&set, rng);
        assert_true(holds(&set.rule[i], set.inside));
    }
    return set;
}

static ckg_problem *problem_of(const struct set *set)
{
    static const char *const values[] = {"v0", "v1", "v2"};
    ckg_problem *p;
    char text[200];

    must(ckg_problem_new(&p));
    for (int i = 0; i < dimension(set); i++) {
        snprintf(text, sizeof text, "x%d", i);
        if (i < set->reals)
            must(ckg_problem_add_real(p, text, i == 1 ? 0.05 : 0, 4, i == 1 ? CKG_LOG : CKG_LINEAR));
        else if (i < set->reals + set->integers)
            must(ckg_problem_add_integer(p, text, 0, 11));
        else
            must(ckg_problem_add_categorical(p, text, VALUES, values));
    }
    if (set->reals > 2)
        must(ckg_problem_set_step(p, "x2", 0.1));
    for (int i = 0; i < set->rules; i++) {
        write_rule(&set->rule[i], text, sizeof text);
        must(ckg_problem_add_rule(p, text, NULL));
    }
    return p;
}

static void check(const struct set *set, int number, const char *policy, const char *what, const double *x)
{
    for (int i = 0; i < set->rules; i++) {
        char text[200];

        if (holds(&set->rule[i], x))
            continue;
        write_rule(&set->rule[i], text, sizeof text);
        fail_msg("set %d, %s: a design %s breaks %s: %.17g, %.17g, …", number, policy, what, text, x[0],
                 x[1]);
    }
}

static void evaluate(int d, const double *x, double *values)
{
    values[0] = values[1] = 0;
    for (int i = 0; i < d; i++) {
        values[0] += pow(x[i] - 1.3, 2) / (1 + i);
        values[1] += x[i] * (i % 2 ? -0.3 : 0.2);
    }
}

/* Every policy in turn; one set in thirteen under noise, one in seventeen with the preset of the paper. */
static ckg_study *study_for(const struct set *set, int number)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_policy_info policy;
    ckg_problem *p = problem_of(set);

    must(ckg_policy_at(number % ckg_policy_count(), &policy));
    o.policy = policy.name;
    o.preset = number % 17 ? "default" : "paper";
    o.initial = INITIAL;
    o.seed = (uint64_t)number;
    o.threads = 1;
    o.samples = 2;
    o.kernel = "matern52";
    must(ckg_problem_add_constraint(p, "limit", -INFINITY, 0.5));
    set_all_noise(p, number % 13 ? CKG_NOISE_NONE : CKG_NOISE_AUTO, 0);
    return study_of(p, &o);
}

/* A short study of the set: every design asked for, some while others are pending, and the one recommended.
 */
static void run_set(const struct set *set, int number)
{
    const int d = dimension(set);
    ckg_policy_info policy;
    ckg_study *s = study_for(set, number);
    int told = 0;

    must(ckg_policy_at(number % ckg_policy_count(), &policy));
    for (int t = 0; t < ASKED; t++) {
        ckg_suggestion *a;
        double values[2];
        const int status = ckg_study_ask(s, &a);

        if (status == CKG_ERR_EXHAUSTED) /* some sets leave a handful */
            break;
        must(status);
        check(set, number, policy.name, "asked for", a->x);
        evaluate(d, a->x, values);
        if (t != INITIAL || number % 3) {
            must(ckg_study_tell(s, a->trial, values));
            told++;
        }
        ckg_suggestion_free(a);
    }
    assert_true(told > 0);
    ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;
    how.rule = number % 2 ? CKG_RULE_PROBABILITY : CKG_RULE_UTILITY;
    must(ckg_study_recommend(s, &how, &r));
    check(set, number, policy.name, "recommended", r->x);
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

static void test_random_sets(void **state)
{
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 12, 0, 0);
    for (int i = 0; i < SETS; i++) {
        const struct set set = draw_set(&rng);
        if (i % test_scale(1, 10) == 0)
            run_set(&set, i);
    }
}

/* --- little is left, or nothing --- */

static ckg_problem *box_with(int d, int count, const char *const *rules)
{
    ckg_problem *p = box_problem(d, 0, 1, 0, 0);

    for (int i = 0; i < count; i++)
        must(ckg_problem_add_rule(p, rules[i], NULL));
    set_all_noise(p, CKG_NOISE_NONE, 0);
    return p;
}

/* Sets that leave a millionth of the box or less: a corner, a slab, a thin ring, a ball in six dimensions. */
static const struct {
    const char *name;
    int d, count;
    const char *rules[3];
} slivers[] = {
    {"corner", 3, 3, {"x0 < 0.01", "x1 < 0.01", "x2 < 0.01"}},
    {"slab", 2, 1, {"0 <= x0 + 2 * x1 - 1.3 <= 0.000001"}},
    {"ring", 2, 1, {"abs(x0^2 + x1^2 - 0.5) <= 0.0000003"}},
    {"ball", 6, 1, {"(x0-.3)^2+(x1-.6)^2+(x2-.2)^2+(x3-.9)^2+(x4-.5)^2+(x5-.4)^2 <= 0.0055"}},
    {"curve", 3, 2, {"abs(x0 * x1 - x2) <= 0.001", "abs(exp(x0) - 2 * x2 - 1) <= 0.0005"}},
    {"simplex", 8, 2, {"x0+x1+x2+x3+x4+x5+x6+x7 <= 0.9", "x0 - x1 >= 0.1"}},
};

enum { SLIVERS = sizeof slivers / sizeof *slivers };

static double to_corner(int d, const double *x)
{
    double sum = 0;
    for (int i = 0; i < d; i++)
        sum += pow(x[i] - 0.1 * i, 2);
    return sum;
}

static void test_a_millionth_is_enough(void **state)
{
    (void)state;
    for (int i = 0; i < SLIVERS; i++) {
        static const char *const policies[] = {"auto", "cei", "scbo", "cts", "random", "sobol"};
        const int d = slivers[i].d;
        ckg_options o = CKG_OPTIONS_INIT;
        ckg_problem *p = box_with(d, slivers[i].count, slivers[i].rules);
        ckg_problem *judge = box_with(d, slivers[i].count, slivers[i].rules);

        o.policy = policies[i % 6];
        o.initial = 6;
        o.kernel = "matern52";
        ckg_study *s = study_of(p, &o);
        double spread = 0, first = NAN;
        for (int t = 0; t < 10; t++) {
            ckg_suggestion *a;
            must(ckg_study_ask(s, &a));
            if (ckg__rules_allow(judge, a->x) != 1)
                fail_msg("%s, %s: trial %d breaks the rule", slivers[i].name, o.policy, t);
            first = t ? first : a->x[0];
            spread = fmax(spread, fabs(a->x[0] - first));
            must(ckg_study_tell(s, a->trial, (double[]){to_corner(d, a->x)}));
            ckg_suggestion_free(a);
        }
        assert_true(spread > 1e-3); /* they are not all one design */
        ckg_recommendation *r;
        must(ckg_study_recommend(s, NULL, &r));
        assert_int_equal(ckg__rules_allow(judge, r->x), 1);
        ckg_recommendation_free(r);
        ckg_study_free(s);
        ckg_problem_free(judge);
    }
}

static void test_nothing_left_is_refused(void **state)
{
    static const char *const contradict[] = {"x0 + x1 >= 1.5", "x0 < 0.4"};
    static const char *const never[] = {"x0 > 1"};
    static const char *const undefined[] = {"sqrt(-1 - x0) <= 3"};
    static const struct {
        int count;
        const char *const *rules;
        const char *message;
    } empty[] = {
        {2, contradict, "the rules seem to leave no design: none was found, and the nearest try breaks"},
        {1, never,
         "the rules seem to leave no design: none was found, and the nearest try breaks the rule "
         "'x0 > 1'"},
        {1, undefined,
         "the rules seem to leave no design: none was found, and the nearest try breaks the "
         "rule 'sqrt(-1 - x0) <= 3'"},
    };
    double x[2];
    ckg_study *s;
    ckg_problem *p;

    (void)state;
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        p = box_with(2, empty[i].count, empty[i].rules);
        assert_int_equal(ckg_study_new(&s, p, NULL), CKG_ERR_INVALID);
        assert_null(s);
        assert_memory_equal(ckg_error_message(), empty[i].message, strlen(empty[i].message));
        assert_int_equal(ckg_problem_find_allowed(p, x), CKG_ERR_INVALID);
        ckg_problem_free(p);
    }

    /* What is finite is gone through. */
    must(ckg_problem_new(&p));
    must(ckg_problem_add_integer(p, "n", 0, 99));
    must(ckg_problem_add_integer(p, "m", 0, 99));
    must(ckg_problem_add_rule(p, "n * m == 9409 or n * m == 101", NULL)); /* 97 · 97 alone */
    must(ckg_problem_find_allowed(p, x));
    assert_true(x[0] == 97 && x[1] == 97);
    must(ckg_problem_add_rule(p, "n != m", NULL));
    assert_int_equal(ckg_problem_find_allowed(p, x), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(),
                        "the rules leave no design: each of the 10000 designs breaks one");
    ckg_problem_free(p);
}

/* --- finite problems end exactly --- */

/* Asks for everything that the rules leave, each design once; how many. */
static int exhaust(ckg_problem *p, const char *policy, int most)
{
    ckg_options o = CKG_OPTIONS_INIT;
    double seen[64][2];
    int count = 0;

    o.policy = policy;
    o.initial = 3;
    o.kernel = "matern52";
    set_all_noise(p, CKG_NOISE_NONE, 0);
    ckg_study *s = study_of(p, &o);
    for (; count < most; count++) {
        ckg_suggestion *a;
        const int status = ckg_study_ask(s, &a);
        if (status == CKG_ERR_EXHAUSTED)
            break;
        must(status);
        must(ckg_problem_check_rules(ckg_study_problem(s), a->x));
        for (int i = 0; i < count; i++)
            assert_false(seen[i][0] == a->x[0] && seen[i][1] == a->x[1]);
        memcpy(seen[count], a->x, sizeof seen[count]);
        must(ckg_study_tell(s, a->trial, (double[]){pow(a->x[0] - 3, 2) + a->x[1]}));
        ckg_suggestion_free(a);
    }
    ckg_study_free(s);
    return count;
}

static void test_exhausted(void **state)
{
    enum { LISTED = 12 };
    ckg_policy_info policy;

    (void)state;
    for (int i = 0; !ckg_policy_at(i, &policy); i++) {
        ckg_problem *p;
        double X[LISTED][2];

        /* A lattice of 1,000,000 designs of which 11 are left. */
        must(ckg_problem_new(&p));
        must(ckg_problem_add_integer(p, "n", 0, 299));
        must(ckg_problem_add_integer(p, "m", 0, 299));
        must(ckg_problem_add_rule(p, "n + m == 10", NULL));
        assert_int_equal(exhaust(p, policy.name, 20), 11);

        /* A list of which half are left. */
        must(ckg_problem_new(&p));
        must(ckg_problem_add_real(p, "a", 0, 20, CKG_LINEAR));
        must(ckg_problem_add_real(p, "b", 0, 1, CKG_LINEAR));
        for (int k = 0; k < LISTED; k++) {
            X[k][0] = k;
            X[k][1] = 0.07 * k;
        }
        must(ckg_problem_set_designs(p, LISTED, X[0]));
        must(ckg_problem_add_rule(p, "floor(a) % 2 == 0", NULL));
        assert_int_equal(exhaust(p, policy.name, 20), LISTED / 2);
    }
}

/* --- an optimum on a rule's limit --- */

/*
 * minimize |x − c|² subject to a linear rule, to two at once, and to curved ones: where the optimum is, is
 * known by the geometry of it. Measured: 2e-7 above it by what was evaluated, 1e-8 by the models.
 */
static const struct {
    const char *name;
    const char *rules[2];
    int count;
    double optimum[2];
} limits[] = {
    {"line", {"x0 + x1 <= 1"}, 1, {0.55, 0.45}},
    {"corner", {"x0 + x1 <= 1", "x1 >= 0.2 + x0"}, 2, {0.4, 0.6}},
    {"circle", {"x0^2 + x1^2 <= 0.25"}, 1, {0.33541019662496845, 0.3708203932499369}},
    {"product", {"x0 * x1 <= 0.3"}, 1, {NAN, NAN}},
};

enum { LIMITS = sizeof limits / sizeof *limits };

static const double centre[] = {0.9, 0.8};

static double squared(const double *x)
{
    return pow(x[0] - centre[0], 2) + pow(x[1] - centre[1], 2);
}

/* The optimum of a case, found by going along the limit where geometry has no short answer. */
static void optimum_of(int i, double *x)
{
    if (i == 2) {
        const double norm = hypot(centre[0], centre[1]);
        x[0] = 0.5 * centre[0] / norm;
        x[1] = 0.5 * centre[1] / norm;
        return;
    }
    if (i < 2) {
        memcpy(x, limits[i].optimum, 2 * sizeof *x);
        return;
    }
    double low = 0.3, high = 1; /* of a function of x0 with one minimum */
    for (int k = 0; k < 200; k++) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const double at_a[] = {a, 0.3 / a}, at_b[] = {b, 0.3 / b};
        *(squared(at_a) < squared(at_b) ? &high : &low) = squared(at_a) < squared(at_b) ? b : a;
    }
    x[0] = low;
    x[1] = 0.3 / low;
}

static void test_optimum_on_a_limit(void **state)
{
    static const char *const policies[] = {"auto", "cei"};

    (void)state;
    for (int i = 0; i < LIMITS; i++)
        for (int k = 0; k < 2; k++) {
            ckg_options o = CKG_OPTIONS_INIT;
            ckg_recommend_options probable = CKG_RECOMMEND_OPTIONS_INIT;
            ckg_recommendation *r;
            double best[2];

            o.policy = policies[k];
            o.initial = 8;
            o.kernel = "rbf";
            ckg_study *s = study_of(box_with(2, limits[i].count, limits[i].rules), &o);
            for (int t = 0; t < 16; t++) {
                ckg_suggestion *a;
                must(ckg_study_ask(s, &a));
                must(ckg_study_tell(s, a->trial, (double[]){squared(a->x)}));
                ckg_suggestion_free(a);
            }

            /* By what was evaluated (cKG learns elsewhere, too), and by what the models say of every design.
             */
            optimum_of(i, best);
            must(ckg_study_recommend(s, NULL, &r));
            if (k && !(squared(r->x) - squared(best) < 1e-5))
                fail_msg("%s, %s: %.3g above the optimum", limits[i].name, o.policy,
                         squared(r->x) - squared(best));
            ckg_recommendation_free(r);
            probable.rule = CKG_RULE_PROBABILITY;
            must(ckg_study_recommend(s, &probable, &r));
            must(ckg_problem_check_rules(ckg_study_problem(s), r->x));
            if (!(fabs(squared(r->x) - squared(best)) < 1e-6))
                fail_msg("%s, %s: %.3g from the optimum by the models", limits[i].name, o.policy,
                         squared(r->x) - squared(best));
            ckg_recommendation_free(r);
            ckg_study_free(s);
        }
}

/* --- designs of one's own --- */

static void test_own_designs_are_data(void **state)
{
    static const char *const rules[] = {"x0 + x1 <= 1"};
    ckg_recommend_options evaluated = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_problem *p = box_with(2, 1, rules);
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_recommendation *r;
    ckg_trial trial;

    (void)state;
    must(ckg_problem_add_constraint(p, "limit", -INFINITY, 5));
    must(ckg_problem_set_noise(p, "limit", CKG_NOISE_NONE, 0));
    o.initial = 0;
    ckg_study *s = study_of(p, &o);

    /* The best by far breaks the rule: it teaches, but is neither feasible nor recommended. */
    tell_at(s, (double[]){0.9, 0.8}, (double[]){0, 0});
    must(ckg_study_trial(s, 0, &trial));
    assert_int_equal(trial.feasible, 0);
    assert_int_equal(ckg_study_best(s), -1);
    evaluated.evaluated_only = 1;
    assert_int_equal(ckg_study_recommend(s, &evaluated, &r), CKG_ERR_STATE);
    for (int t = 0; t < 6; t++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        assert_true(a->x[0] + a->x[1] <= 1);
        must(ckg_study_tell(s, a->trial, (double[]){squared(a->x), 0}));
        ckg_suggestion_free(a);
    }
    assert_true(ckg_study_best(s) > 0);
    for (int only = 0; only < 2; only++) {
        evaluated.evaluated_only = only;
        must(ckg_study_recommend(s, &evaluated, &r));
        assert_true(r->x[0] + r->x[1] <= 1);
        ckg_recommendation_free(r);
    }
    ckg_study_free(s);
}

/* --- functions, rows, and all in one --- */

static int in_a_ring(const double *x, void *context)
{
    const double far = hypot(x[0] - 0.5, x[1] - 0.5);
    (void)context;
    return far >= 0.3 && far <= 0.35;
}

static void test_functions_and_rows(void **state)
{
    ckg_policy_info policy;

    (void)state;
    for (int i = 0; !ckg_policy_at(i, &policy); i++) {
        ckg_options o = CKG_OPTIONS_INIT;
        ckg_problem *p = box_with(2, 0, NULL);

        must(ckg_problem_add_rule_function(p, in_a_ring, NULL));
        must(ckg_problem_add_rule_row(p, (double[]){1, -1}, -0.3, INFINITY));
        o.policy = policy.name;
        o.initial = 4;
        o.kernel = "matern52";
        ckg_study *s = study_of(p, &o);
        for (int t = 0; t < 7; t++) {
            ckg_suggestion *a;
            must(ckg_study_ask(s, &a));
            assert_true(in_a_ring(a->x, NULL) && a->x[0] - a->x[1] >= -0.3);
            must(ckg_study_tell(s, a->trial, (double[]){squared(a->x)}));
            ckg_suggestion_free(a);
        }
        ckg_study_free(s);
    }
}

/* --- threads --- */

static void run_with_threads(int threads, int noisy, struct result *r)
{
    static const char *const rules[] = {"x0 + x1 <= 1", "x0 * x2 >= 0.02", "abs(x1 - x2) < 0.5"};
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p = box_with(3, 3, rules);

    must(ckg_problem_add_constraint(p, "limit", -INFINITY, 0.6));
    set_all_noise(p, noisy ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0);
    o.threads = threads;
    o.initial = 5;
    o.samples = 3;
    ckg_study *s = study_of(p, &o);
    for (int t = 0; t < 8; t++) {
        ckg_suggestion *a;
        must(ckg_study_ask(s, &a));
        result_put(r, 3, a->x);
        must(ckg_study_tell(s, a->trial, (double[]){squared(a->x), a->x[1] + 0.3 * a->x[2]}));
        ckg_suggestion_free(a);
    }
    must(result_recommend(s, CKG_RULE_UTILITY, r));
    ckg_study_free(s);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        struct result one = {0}, three = {0};

        run_with_threads(1, noisy, &one);
        run_with_threads(3, noisy, &three);
        assert_int_equal(one.count, three.count);
        assert_memory_equal(one.number, three.number, (size_t)one.count * sizeof *one.number);
    }
}

int main(void)
{
    return RUN_TESTS(test_random_sets, test_a_millionth_is_enough, test_nothing_left_is_refused,
                     test_exhausted, test_optimum_on_a_limit, test_own_designs_are_data,
                     test_functions_and_rows, test_threads_change_nothing);
}
