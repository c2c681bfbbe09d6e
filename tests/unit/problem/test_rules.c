/*
 * The language of rules: what it says of designs, against the same formula in C; slopes against finite
 * differences; refusals with their place and words; getters, copies and limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/rng.h"
#include "problem/rules.h"
#include "support/near.h"
#include "support/test.h"

enum { A, B, N, WIRE, ALLOY, OTHER, NODES, PARAMETERS };

static ckg_problem *new_problem(void)
{
    static const char *const metals[] = {"steel", "brass", "tin"};
    static const char *const coins[] = {"tin", "gold"};
    static const char *const numbers[] = {"8", "32", "128"};
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", -10, 10, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", 0.01, 10, CKG_LOG));
    must(ckg_problem_add_integer(p, "n", -9, 9));
    must(ckg_problem_add_real(p, "wire diameter", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_categorical(p, "alloy", 3, metals));
    must(ckg_problem_add_categorical(p, "other", 2, coins));
    must(ckg_problem_add_categorical(p, "nodes", 3, numbers));
    return p;
}

static void draw(struct ckg__rng *rng, double *x)
{
    x[A] = 20 * ckg__rng_uniform(rng) - 10;
    x[B] = 0.01 + 9.99 * ckg__rng_uniform(rng);
    x[N] = ckg__rng_below(rng, 19) - 9;
    x[WIRE] = ckg__rng_uniform(rng);
    x[ALLOY] = ckg__rng_below(rng, 3);
    x[OTHER] = ckg__rng_below(rng, 2);
    x[NODES] = ckg__rng_below(rng, 3);
}

/* --- meaning --- */

#define FORMULA(name, expression)                                                                            \
    static int name(const double *x)                                                                         \
    {                                                                                                        \
        static const double nodes[] = {8, 32, 128};                                                          \
        const double a = x[A], b = x[B], n = x[N], w = x[WIRE], k = nodes[(int)x[NODES]];                    \
        const int alloy = (int)x[ALLOY], other = (int)x[OTHER];                                              \
        (void)a, (void)b, (void)n, (void)w, (void)k, (void)alloy, (void)other;                               \
        return expression;                                                                                   \
    }

FORMULA(sum, a + b <= 1)
FORMULA(times, b >= 1.2 * w)
FORMULA(order, 1 + 2 * a - 3 > -(b * b) / 2 - 2)
FORMULA(power, -a *a + 9 < pow(2, -pow(w, 2)))
FORMULA(chain, -1 < a && a <= b && b < 8)
FORMULA(logic, (a < 0 || b > 2) && !(n == 3 || n == 4))
FORMULA(choice, alloy == 0 || alloy == 1)
FORMULA(not_choice, alloy != 2 && n != 1 && n != 2)
FORMULA(given, !(alloy == 0) || a < 0.5)
FORMULA(same_name, alloy == 2 && other == 0)
FORMULA(as_number, k >= 32 && k != 128)
FORMULA(functions, fmin(a, fmin(b, n)) + fmax(a, 1) - fabs(a) <= sqrt(b) + exp(w) - log(b))
FORMULA(more, log2(b) + log10(b) < sin(a) + cos(a) * tan(w) + floor(a) - ceil(b) + round(w) + 6)
FORMULA(remainder_of, n - 4 * floor(n / 4) == 1)
FORMULA(undefined, a >= 0 && log(a) < 1)
FORMULA(excused, !(a > 0) || log(a) < 1)

static const struct {
    const char *text;
    int (*formula)(const double *x);
} meanings[] = {
    {"a + b <= 1", sum},
    {"b >= 1.2 * `wire diameter`", times},
    {"1 + 2*a - 3 > -(b*b)/2 - 2", order},
    {"-a^2 + 9 < 2^-`wire diameter`**2", power},
    {"-1 < a <= b < 8", chain},
    {"(a < 0 or b > 2) and not (n == 3 or n == 4)", logic},
    {"alloy in [\"steel\", 'brass']", choice},
    {"alloy not in [\"tin\"] and n not in [1, 2]", not_choice},
    {"if alloy == \"steel\" then a < .5e0", given},
    {"alloy == other", same_name},
    {"nodes ≥ 32 and nodes ≠ 128", as_number},
    {"min(a, b, n) + max(a, 1) - abs(a) <= sqrt(b) + exp(`wire diameter`) - log(b)", functions},
    {"log2(b) + log10(b) < sin(a) + cos(a) * tan(`wire diameter`) + floor(a) - ceil(b) + round(`wire "
     "diameter`) + 6",
     more},
    {"n % 4 == 1", remainder_of},
    {"log(a) < 1", undefined},
    {"if a > 0 then log(a) < 1", excused},
};

enum { MEANINGS = sizeof meanings / sizeof *meanings };

static void test_meaning(void **state)
{
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 1, 0, 0);
    for (int m = 0; m < MEANINGS; m++) {
        ckg_problem *p = new_problem();
        int held = 0;

        must(ckg_problem_add_rule(p, meanings[m].text, NULL));
        for (int i = 0; i < 2000; i++) {
            double x[PARAMETERS];
            draw(&rng, x);
            if (ckg__rules_allow(p, x) != meanings[m].formula(x))
                fail_msg("%s: a = %.17g, b = %.17g, n = %g, alloy %g", meanings[m].text, x[A], x[B], x[N],
                         x[ALLOY]);
            held += meanings[m].formula(x);
        }
        assert_in_range(held, 20, 1980); /* each is decided both ways */
        ckg_problem_free(p);
    }
}

/* The margin's sign is the truth, and its slope that of finite differences, but at kinks. */
static void test_slopes(void **state)
{
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 2, 0, 0);
    for (int m = 0; m < MEANINGS; m++) {
        ckg_problem *p = new_problem();
        int far = 0;

        must(ckg_problem_add_rule(p, meanings[m].text, NULL));
        const struct ckg__rule *rule = &p->rules->rule[0];
        for (int i = 0; i < 500; i++) {
            const int c = i % rule->clauses;
            double x[PARAMETERS], slope[PARAMETERS];

            draw(&rng, x);
            const double margin = ckg__rule_margin(p, rule, c, 0, x, slope);
            for (int k = 0; k < PARAMETERS && isfinite(margin); k++) {
                static const int real[PARAMETERS] = {[A] = 1, [B] = 1, [WIRE] = 1};
                const double step = 1e-6, at = x[k];

                if (!real[k]) {
                    assert_true(slope[k] == 0 || k == N);
                    continue;
                }
                x[k] = at + step;
                const double up = ckg__rule_margin(p, rule, c, 0, x, NULL);
                x[k] = at - step;
                const double down = ckg__rule_margin(p, rule, c, 0, x, NULL);
                x[k] = at;
                far += !(fabs((up - down) / (2 * step) - slope[k]) < 1e-3 * (1 + fabs(slope[k])));
            }
            assert_int_equal(ckg__rule_truth(p, rule, x) > 0 && margin < 0, 0);
        }
        assert_in_range(far, 0, 15); /* of 1,500: kinks, steps, and where log begins */
        ckg_problem_free(p);
    }
}

static void test_rounding_is_forgiven_to_people(void **state)
{
    ckg_problem *p;
    const double x[] = {0.1, 0.2};
    const double beyond[] = {0.1, 0.2000001};

    (void)state;
    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_rule(p, "a + b <= 0.3", NULL));
    must(ckg_problem_add_rule(p, "a + b - 0.3 <= 0", NULL));
    assert_true(0.1 + 0.2 > 0.3);
    assert_int_equal(ckg__rules_allow(p, x), 0);
    must(ckg_problem_check_rules(p, x));
    must(ckg_problem_add_rule(p, "if a >= 0.05 then b >= 0.1", NULL));
    must(ckg_problem_check_rules(p, (const double[]){0.05 - 1e-12, 0}));
    assert_int_equal(ckg_problem_check_rules(p, beyond), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(), "the design breaks the rule 'a + b <= 0.3'");
    ckg_problem_free(p);
}

/* Where values come in steps, a rule is about the decimals that people see. */
static void test_decimals(void **state)
{
    static const struct {
        const char *text;
        double a, n;
        int holds;
    } cases[] = {
        {"a + 0.2 <= 0.3", 0.1, 0, 1},
        {"a + 0.2 < 0.3", 0.1, 0, 0},
        {"0.3 - a < 0.2", 0.1, 0, 0},
        {"a == 0.1 * n", 0.3, 3, 1},
        {"a != 0.1 * n", 0.3, 3, 0},
        {"0.1 * n <= 0.3", 0, 3, 1},
        {"n < 3", 0, 3, 0},
        {"n > 3", 0, 3, 0},
        {"n <= 2", 0, 3, 0},
        {"n + 1e15 <= 1e15 + 2", 0, 3, 0},
        {"n + 1e15 == 1e15 + 3", 0, 3, 1},
        {"1e-20 * n <= 1e-20", 0, 2, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckg_problem *p;

        must(ckg_problem_new(&p));
        must(ckg_problem_add_real(p, "a", 0, 1, CKG_LINEAR));
        must(ckg_problem_set_step(p, "a", 0.1));
        must(ckg_problem_add_integer(p, "n", 0, 9));
        must(ckg_problem_add_rule(p, cases[i].text, NULL));
        const double x[] = {cases[i].a, cases[i].n};
        if (ckg__rules_allow(p, x) != cases[i].holds || (ckg__rules_broken(p, x) < 0) != cases[i].holds)
            fail_msg("%s for a = %g, n = %g", cases[i].text, x[0], x[1]);
        ckg_problem_free(p);
    }
}

/* --- refusals --- */

static const struct {
    const char *text;
    int at;
    const char *message;
} refusals[] = {
    {"", 0, "the rule ends where a number is expected"},
    {"a +", 3, "the rule ends where a number is expected"},
    {"a + * 2 < 1", 4, "'*' where a number is expected"},
    {"a", 0, "'a' is a number, where a comparison is expected"},
    {"(a < 2", 6, "the rule ends where `)` is expected"},
    {"a < 2)", 5, "')' where an operator or the end is expected"},
    {"a & b", 2, "'&' where an operator or the end is expected; write `and`"},
    {"a = 3", 2, "'=' where an operator or the end is expected; write `==`"},
    {"!a < 3", 0, "'!' where a number is expected; write `not`"},
    {"c < 3", 0, "no parameter is called 'c'; there are a, b, n, wire diameter, alloy, other, nodes"},
    {"wire diameter > 2", 0, "no parameter is called 'wire'; write `wire diameter` between backticks"},
    {"alloy == steel", 9, "no parameter is called 'steel'; a value of 'alloy' is written in quotes"},
    {"alloy == \"gold\"", 9, "'alloy' has no value 'gold'"},
    {"alloy == \"gold", 9, "no \" ends what begins here"},
    {"alloy < other", 0, "categories have no order; compare them with ==, != or in"},
    {"a < \"x\"", 4, "'\"x\"' is a text in quotes, where a number is expected"},
    {"alloy + 1 < 3", 0, "'alloy' is a categorical parameter, where a number is expected"},
    {"a == 3", 0,
     "== compares real numbers, which are never quite equal; give a range, as in abs(a - b) <= 0.01"},
    {"sinh(a) < 1", 0,
     "there is no function 'sinh'; there are min, max, abs, sqrt, exp, log, log2, log10, sin, cos, tan, "
     "floor, ceil, round"},
    {"abs(a, b) < 1", 5, "',' where `)` is expected"},
    {"if a < 1 or b", 12, "'b' is a number, where a comparison is expected"},
    {"if a < 1", 8, "the rule ends where `then` is expected"},
    {"n in 3", 5, "'3' where `[` is expected"},
    {"1 < 2", 0, "the rule names no parameter"},
    {"a < 1e999", 4, "the number is too large"},
    {"a < 0x10", 4, "numbers are decimal"},
    {"a < 2b", 5, "'b' where an operator is expected"},
    {"(a < 1) + 2 < 3", 0, "'(a < 1)' is a comparison, where a number is expected"},
};

static void test_refusals(void **state)
{
    ckg_problem *p = new_problem();

    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int at = -1;
        const int status = ckg_problem_add_rule(p, refusals[i].text, &at);

        if (status != CKG_ERR_INVALID || at != refusals[i].at ||
            strcmp(ckg_error_message(), refusals[i].message) != 0)
            fail_msg("%s: status %d at %d: %s", refusals[i].text, status, at, ckg_error_message());
    }
    assert_int_equal(ckg_problem_rules(p), 0);
    ckg_problem_free(p);
}

/* Nesting, length, and how many there may be. */
static void test_limits(void **state)
{
    ckg_problem *p = new_problem();
    char text[CKG_MAX_RULE_LENGTH + 2];

    (void)state;
    memset(text, '(', sizeof text);
    text[CKG_MAX_RULE_LENGTH] = 0;
    assert_int_equal(ckg_problem_add_rule(p, text, NULL), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(), "the rule is nested too deeply");
    memset(text, '-', CKG_MAX_RULE_LENGTH);
    assert_int_equal(ckg_problem_add_rule(p, text, NULL), CKG_ERR_INVALID);
    for (int i = 0; i < CKG_MAX_RULE_LENGTH; i++)
        text[i] = i % 2 ? '^' : '2';
    assert_int_equal(ckg_problem_add_rule(p, text, NULL), CKG_ERR_INVALID);
    text[CKG_MAX_RULE_LENGTH] = text[CKG_MAX_RULE_LENGTH + 1] = 'a';
    text[CKG_MAX_RULE_LENGTH + 1] = 0;
    assert_int_equal(ckg_problem_add_rule(p, text, NULL), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(), "the rule is longer than 1000 bytes; make two of it");

    /* A long one that is allowed. */
    for (int i = 0; i < CKG_MAX_RULE_LENGTH; i++)
        text[i] = "a+n*"[i % 4];
    strcpy(text + CKG_MAX_RULE_LENGTH - 8, "1 <= 900");
    must(ckg_problem_add_rule(p, text, NULL));
    for (int i = 1; i < CKG_MAX_RULES; i++)
        must(ckg_problem_add_rule(p, "a < 9", NULL));
    assert_int_equal(ckg_problem_add_rule(p, "a < 9", NULL), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(), "a problem has at most 100 rules");
    ckg_problem_free(p);
}

/* --- rows, functions, getters --- */

static int is_round(const double *x, void *context)
{
    return hypot(x[A], x[B]) <= *(double *)context;
}

static void test_getters(void **state)
{
    ckg_problem *p = new_problem();
    ckg_problem *copy;
    double radius = 3;
    const double row[PARAMETERS] = {1, 0, 2};

    (void)state;
    must(ckg_problem_add_rule(p, "a < b", NULL));
    must(ckg_problem_add_rule_row(p, row, -INFINITY, 4));
    must(ckg_problem_add_rule_function(p, is_round, &radius));
    must(ckg__problem_copy(&copy, p));
    for (int i = 0; i < 2; i++) {
        const ckg_problem *q = i ? copy : p;
        int count;
        double min, max;
        int (*allowed)(const double *, void *);
        void *context;

        assert_int_equal(ckg_problem_rules(q), 3);
        assert_string_equal(ckg_problem_rule(q, 0), "a < b");
        assert_null(ckg_problem_rule(q, 1));
        assert_null(ckg_problem_rule(q, 3));
        assert_null(ckg_problem_rule_row(q, 0, NULL, NULL, NULL));
        assert_memory_equal(ckg_problem_rule_row(q, 1, &count, &min, &max), row, sizeof row);
        assert_true(count == PARAMETERS && min == -INFINITY && max == 4);
        must(ckg_problem_rule_function(q, 1, &allowed, NULL));
        assert_null(allowed);
        must(ckg_problem_rule_function(q, 2, &allowed, &context));
        assert_true(allowed == is_round && context == &radius);
        assert_int_equal(ckg_problem_rule_function(q, 3, NULL, NULL), CKG_ERR_NOT_FOUND);

        /* And what they say. */
        assert_int_equal(ckg__rules_allow(q, (double[]){0, 1, 2, 0, 0, 0, 0}), 1);
        assert_int_equal(ckg__rules_allow(q, (double[]){2, 1, 0, 0, 0, 0, 0}), 0);
        assert_int_equal(ckg__rules_broken(q, (double[]){0, 1, 3, 0, 0, 0, 0}), 1);
        assert_int_equal(ckg__rules_broken(q, (double[]){-3, 1, 0, 0, 0, 0, 0}), 2);
    }
    ckg_problem_free(copy);
    ckg_problem_free(p);
}

static void test_constants(void **state)
{
    ckg_problem *p = new_problem();
    ckg_problem *copy;
    double value;

    (void)state;
    must(ckg_problem_add_constant(p, "lot size", 3));
    must(ckg_problem_add_constant(p, "g", 9.81));
    assert_int_equal(ckg_problem_add_constant(p, "g", 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_constant(p, "a", 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_constant(p, "inf", INFINITY), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_constant(p, "", 1), CKG_ERR_INVALID);
    must(ckg_problem_add_rule(p, "a * `lot size` < g", NULL));
    assert_int_equal(ckg_problem_add_rule(p, "g > 3", NULL), CKG_ERR_INVALID);
    must(ckg__problem_copy(&copy, p));
    assert_int_equal(ckg_problem_constants(copy), 2);
    assert_string_equal(ckg_problem_constant(copy, 0, &value), "lot size");
    assert_true(value == 3 && !ckg_problem_constant(copy, 2, NULL) && ckg_problem_constants(NULL) == -1);
    assert_int_equal(ckg__rules_allow(copy, (double[]){3.2, 1, 0, 0, 0, 0, 0}), 1);
    assert_int_equal(ckg__rules_allow(copy, (double[]){3.3, 1, 0, 0, 0, 0, 0}), 0);
    ckg_problem_free(copy);
    ckg_problem_free(p);
}

static void test_bad_rows(void **state)
{
    ckg_problem *p = new_problem();
    ckg_problem *empty;
    const double none[PARAMETERS] = {0};
    const double category[PARAMETERS] = {[ALLOY] = 1};
    const double whole[PARAMETERS] = {[N] = 1};
    const double real[PARAMETERS] = {[A] = 1};

    (void)state;
    must(ckg_problem_new(&empty));
    assert_int_equal(ckg_problem_add_rule(empty, "a < 1", NULL), CKG_ERR_STATE);
    assert_int_equal(ckg_problem_rules(empty), 0);
    assert_int_equal(ckg_problem_rules(NULL), -1);
    assert_int_equal(ckg_problem_add_rule_row(p, none, 0, 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_row(p, category, 0, 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_row(p, real, 2, 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_row(p, real, 1, 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_row(p, real, -INFINITY, INFINITY), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_row(p, NULL, 0, 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_rule_function(p, NULL, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_rules(p), 0);
    must(ckg_problem_add_rule_row(p, whole, 1, 1));
    ckg_problem_free(empty);
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_meaning, test_slopes, test_rounding_is_forgiven_to_people, test_decimals,
                     test_refusals, test_limits, test_getters, test_constants, test_bad_rows);
}
