/*
 * The library's own exp, log and what is made of them: against 60-digit values
 * (tests/reference/make_maths.py), at the ends of their ranges, and powers.
 */
#include <math.h>

#include "base/maths.h"
#include "reference/maths.inc"
#include "support/test.h"

#define CHECK(name, bound) check(#name, ckg__##name, COUNT(name##_rows), name##_rows, bound)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* In units of the spacing of doubles at the wanted value; for the cosine, of those at 1. */
static double ulp_error(double got, double want, double least)
{
    const double size = fmax(fabs(want), least);
    const double spacing = nextafter(size, INFINITY) - size;

    return got == want ? 0 : fabs(got - want) / spacing;
}

static void check(const char *name, double (*function)(double), size_t count, const double rows[][2],
                  double bound)
{
    const double least = function == ckg__cos_turn ? 0.5 : 0;
    double worst = 0;
    double at = 0;

    for (size_t i = 0; i < count; i++) {
        const double error = ulp_error(function(rows[i][0]), rows[i][1], least);
        if (!(error <= worst)) {
            worst = error;
            at = rows[i][0];
        }
    }
    print_message("%s: %.2f ulp at %.17g\n", name, worst, at);
    assert_true(worst <= bound);
}

static void test_functions_match_reference(void **state)
{
    (void)state;
    CHECK(exp, 1.5);
    CHECK(expm1, 2);
    CHECK(log, 1);
    CHECK(log1p, 2);
    CHECK(sinh, 3);
    CHECK(cosh, 3);
    CHECK(tanh, 3);
    CHECK(asinh, 3);
    CHECK(atanh, 3);
    CHECK(cos_turn, 1);
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(ckg__exp(-INFINITY) == 0 && ckg__exp(INFINITY) == INFINITY && isnan(ckg__exp(NAN)));
    assert_true(ckg__exp(0) == 1 && ckg__exp(-746) == 0 && ckg__exp(710) == INFINITY);
    assert_true(ckg__exp(-745) == 0x1p-1074);
    assert_true(ckg__log(0) == -INFINITY && ckg__log(-0.0) == -INFINITY && ckg__log(INFINITY) == INFINITY);
    assert_true(ckg__log(1) == 0 && isnan(ckg__log(-1)) && isnan(ckg__log(NAN)));
    assert_true(ckg__log1p(-1) == -INFINITY && isnan(ckg__log1p(-2)) && ckg__log1p(INFINITY) == INFINITY);
    assert_true(ckg__log1p(1e-300) == 1e-300 && ckg__expm1(1e-300) == 1e-300 && isnan(ckg__log1p(NAN)));
    assert_true(ckg__expm1(-INFINITY) == -1 && ckg__expm1(INFINITY) == INFINITY && isnan(ckg__expm1(NAN)));
    assert_true(ckg__sinh(INFINITY) == INFINITY && ckg__cosh(-INFINITY) == INFINITY);
    assert_true(ckg__tanh(-INFINITY) == -1 && ckg__tanh(400) == 1 && isnan(ckg__tanh(NAN)));
    assert_true(ckg__asinh(-INFINITY) == -INFINITY && ckg__atanh(1) == INFINITY && isnan(ckg__atanh(2)));
    assert_true(signbit(ckg__asinh(-0.0)) && signbit(ckg__sinh(-0.0)) && signbit(ckg__tanh(-0.0)));
}

static void test_powers(void **state)
{
    (void)state;
    assert_true(ckg__pow(3, 4) == 81 && ckg__pow(-2, 3) == -8 && ckg__pow(2, -3) == 0.125);
    assert_true(ckg__pow(0, 0) == 1 && ckg__pow(NAN, 0) == 1 && ckg__pow(1, NAN) == 1);
    assert_true(ckg__pow(0, 0.5) == 0 && ckg__pow(0, -1) == INFINITY && ckg__pow(-0.0, -3) == -INFINITY);
    assert_true(isnan(ckg__pow(-1, 0.5)) && isnan(ckg__pow(NAN, 2)) && isnan(ckg__pow(2, NAN)));
    assert_true(ckg__pow(-1, 1001) == -1 && ckg__pow(-1, INFINITY) == 1 && ckg__pow(2, INFINITY) == INFINITY);
    assert_true(ckg__pow(0.5, INFINITY) == 0 && ckg__pow(INFINITY, -0.5) == 0);
    for (double x = 1e-3; x < 1e4; x *= 1.7)
        for (double y = -5.3; y < 6; y += 0.7) {
            const double want = pow(x, y);
            assert_true(fabs(ckg__pow(x, y) - want) <= 3e-16 * (2 + fabs(y * log(x))) * want);
        }
}

int main(void)
{
    return RUN_TESTS(test_functions_match_reference, test_limits, test_powers);
}
