/* Ticks lie within the axis, at round numbers, in order, and their labels read back as their values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "figure/draw/ticks.h"
#include "support/test.h"

/* "−0.5" as a number. */
static double read_label(const char *label)
{
    static const char minus[] = "−";
    char *stop;
    const int negative = !strncmp(label, minus, strlen(minus));
    const double value = strtod(label + (negative ? strlen(minus) : 0), &stop);
    assert_true(!*stop);
    return negative ? -value : value;
}

static void check_linear(double low, double high, int want, int whole)
{
    struct app_ticks t;
    app_ticks_linear(&t, low, high, want, whole);
    const double step = app_nice_step(high - low, want, whole), unit = pow(10, t.exponent);
    assert_true(t.count >= 1 && t.count <= want + 2);
    for (int i = 0; i < t.count; i++) {
        assert_true(t.tick[i].value >= low - 1e-6 * step && t.tick[i].value <= high + 1e-6 * step);
        assert_true(i == 0 || t.tick[i].value > t.tick[i - 1].value);
        assert_true(i == 0 || strcmp(t.tick[i].label, t.tick[i - 1].label) != 0);
        assert_true(fabs(read_label(t.tick[i].label) * unit - t.tick[i].value) <= 1e-6 * step);
        assert_true(strlen(t.tick[i].label) < 24);
        if (whole)
            assert_true(t.tick[i].value == floor(t.tick[i].value));
    }
}

static void test_linear(void **state)
{
    static const double ranges[][2] = {
        {0, 1},        {-1, 1},    {0.05, 2},         {-3.3e-7, 4.1e-7}, {1e6, 2e6},      {-5e120, 7e120},
        {99.9, 100.1}, {12, 13.7}, {-1e-300, 1e-300}, {0, 1e-3},         {123456, 123999}};
    (void)state;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int want = 2; want < 12; want++)
            check_linear(ranges[r][0], ranges[r][1], want, 0);
}

static void test_whole(void **state)
{
    static const double ranges[][2] = {{1.5, 4.5}, {-0.5, 24.5}, {0, 1000}, {-7, 123456}, {0.2, 1.8}};
    (void)state;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int want = 2; want < 12; want++)
            check_linear(ranges[r][0], ranges[r][1], want, 1);
}

/*
 * An axis without width, or beyond what numbers can part, gives no endless loop and no more ticks than there
 * is room for.
 */
static void test_degenerate(void **state)
{
    struct app_ticks t;
    (void)state;
    app_ticks_linear(&t, 1, 1, 5, 0);
    assert_int_equal(t.count, 0);
    app_ticks_linear(&t, 9007199254740992.0, 9007199254740996.0, 5, 1);
    assert_true(t.count >= 1 && t.count <= 8);
    app_ticks_linear(&t, 1, nextafter(1, 2), 5, 0);
    assert_true(t.count <= APP_MAX_TICKS);
}

static void test_log(void **state)
{
    static const double ranges[][2] = {{0.05, 2},       {1, 10},    {1e-6, 1},   {3, 5},
                                       {1e-100, 1e100}, {0.9, 1.1}, {1e-8, 1e-7}};
    (void)state;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int want = 2; want < 12; want++) {
            struct app_ticks t;
            int labelled = 0;
            app_ticks_log(&t, ranges[r][0], ranges[r][1], want);
            assert_true(t.count >= 1);
            for (int i = 0; i < t.count; i++) {
                labelled += t.tick[i].label[0] != 0;
                assert_true(t.tick[i].value >= ranges[r][0] * (1 - 1e-6) &&
                            t.tick[i].value <= ranges[r][1] * (1 + 1e-6));
                assert_true(i == 0 || t.tick[i].value > t.tick[i - 1].value);
            }
            assert_true(labelled >= 1 && labelled <= want + 4);
        }
}

static void test_numbers(void **state)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{0, 4, "0"},           {1.5, 4, "1.5"},       {-0.25, 3, "−0.25"},
                 {1200, 3, "1200"},     {3e-7, 3, "3×10⁻⁷"},   {-1.25e10, 4, "−1.25×10¹⁰"},
                 {0.05, 2, "0.05"},     {123456, 6, "123456"}, {1e5, 4, "1×10⁵"},
                 {99999.9, 3, "1×10⁵"}, {0.0001, 2, "0.0001"}, {1e150, 2, "1×10¹⁵⁰"},
                 {9.996, 3, "10"}};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(app_number_nice(cases[i].value, cases[i].digits, text), cases[i].text);
    assert_string_equal(app_number_nice(NAN, 3, text), "–");
    assert_string_equal(app_number_nice(-INFINITY, 3, text), "−∞");
}

static void test_steps(void **state)
{
    (void)state;
    assert_true(app_nice_step(10, 5, 0) == 2);
    assert_true(app_nice_step(1, 4, 0) == 0.25);
    assert_true(app_nice_step(10, 4, 1) == 5);
    assert_true(app_nice_step(3, 30, 1) == 1);
    assert_true(app_nice_step(0, 5, 0) == 1);
    assert_true(app_nice_step(NAN, 5, 0) == 1);
}

int main(void)
{
    return RUN_TESTS(test_linear, test_whole, test_degenerate, test_log, test_numbers, test_steps);
}
