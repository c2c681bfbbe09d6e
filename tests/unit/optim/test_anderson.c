/*
 * Anderson's acceleration: on a linear fixed point it is there once it has seen as many differences as the
 * iteration has factors, where the plain iteration runs away; and it solves one that is not linear. Measured:
 * 1.1e-4 away after four steps, which the little on the diagonal leaves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "optim/anderson.h"
#include "support/near.h"
#include "support/test.h"

enum { DIM = 5 };

static const double ones[DIM] = {1, 1, 1, 1, 1};
static const double wanted[DIM] = {1, -2, 3, 0.5, -0.25};

/* Each coordinate of the error shrinks, or grows, by one of three factors. */
static void linear(const double *x, double *r)
{
    static const double factor[DIM] = {0.9, 0.9, -1.1, -1.1, 0.3};

    for (int k = 0; k < DIM; k++)
        r[k] = (factor[k] - 1) * (x[k] - wanted[k]);
}

static double distance(const double *x, const double *y)
{
    double most = 0;

    for (int k = 0; k < DIM; k++)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static void test_linear(void **state)
{
    double room[CKG__ANDERSON_NUMBERS * DIM], x[DIM] = {0}, r[DIM], next[DIM];
    struct ckg__anderson a;

    (void)state;
    ckg__anderson_init(&a, DIM, room);
    for (int i = 0; i < CKG__ANDERSON_DEPTH + 1; i++) {
        linear(x, r);
        ckg__anderson_next(&a, x, r, ones, 0.8, next);
        memcpy(x, next, sizeof x);
    }
    print_message("after %d steps: %.2g away\n", CKG__ANDERSON_DEPTH + 1, distance(x, wanted));
    assert_near(distance(x, wanted), 0, 1e-3);
}

/* x = cos(x + 0.3·the next one), damped; with weights, and with the past forgotten on the way. */
static void test_curved(void **state)
{
    const double weight[DIM] = {1, 10, 0.1, 3, 1};
    double room[CKG__ANDERSON_NUMBERS * DIM], x[DIM] = {0}, r[DIM], next[DIM], most = 1;
    struct ckg__anderson a;
    int steps = 0;

    (void)state;
    ckg__anderson_init(&a, DIM, room);
    for (; steps < 40 && most > 1e-12; steps++) {
        most = 0;
        for (int k = 0; k < DIM; k++) {
            r[k] = cos(x[k] + 0.3 * x[(k + 1) % DIM]) - x[k];
            most = fmax(most, fabs(r[k]));
        }
        if (steps == 4)
            ckg__anderson_forget(&a);
        ckg__anderson_next(&a, x, r, weight, 0.8, next);
        memcpy(x, next, sizeof x);
    }
    print_message("%d steps to %.2g\n", steps, most);
    assert_true(most <= 1e-12 && steps < 20);
}

/* Without a past, or where it says nothing, it is the plain step. */
static void test_plain(void **state)
{
    double room[CKG__ANDERSON_NUMBERS * DIM], r[DIM], next[DIM];
    const double x[DIM] = {1, 2, 3, 4, 5};
    struct ckg__anderson a;

    (void)state;
    ckg__anderson_init(&a, DIM, room);
    linear(x, r);
    for (int i = 0; i < 4; i++) { /* the same point again: differences of 0 */
        ckg__anderson_next(&a, x, r, ones, 0.5, next);
        for (int k = 0; k < DIM; k++)
            assert_true(next[k] == x[k] + 0.5 * r[k]);
    }
}

int main(void)
{
    return RUN_TESTS(test_linear, test_curved, test_plain);
}
