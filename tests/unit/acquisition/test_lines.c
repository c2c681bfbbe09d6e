/*
 * Every compiled variant of the line loops that this processor runs, against brute force in long double: E
 * max over lines and its envelope, the probabilities one step ahead, and the lines themselves; of two lines
 * against 50-digit values (make_normal.py).
 *
 * Measured: E max within 1 eps of the lines' size; of two lines to 1e-15 relative wherever they cross within
 * |z| < 12.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "acquisition/lines.h"
#include "base/rng.h"
#include "reference/normal.inc"
#include "support/naive_normal.h"
#include "support/near.h"
#include "support/test.h"
#include "support/variants.h"

static const struct ckg__line_ops *const variants[] = EVERY_VARIANT(ckg__line_ops);

/* Up to 512 lines are thinned out first; more are walked where they are. */
enum { MOST = 600, ROOM = MOST + 8 };

/* m lines a + bz, in arrays with the room that expected_maximum asks for. */
struct lines {
    int m;
    double a[ROOM], b[ROOM];
};

/* How far a line is the highest: (*low, *high), empty when low >= high. Of equal lines the first counts. */
static void reign(const struct lines *l, int i, long double *low, long double *high)
{
    *low = -INFINITY;
    *high = INFINITY;
    for (int j = 0; j < l->m; j++) {
        const long double rise = (long double)l->b[j] - l->b[i], fall = (long double)l->a[i] - l->a[j];
        if (rise > 0)
            *high = fminl(*high, fall / rise);
        else if (rise < 0)
            *low = fmaxl(*low, fall / rise);
        else if (fall < 0 || (fall == 0 && j < i))
            *high = -INFINITY;
    }
}

/* E max − a_r: each line's share of the mean, ∫(a + bz)φ over where it is the highest. */
static long double brute_force(const struct lines *l, int r)
{
    long double sum = 0;

    for (int i = 0; i < l->m; i++) {
        long double low, high;
        reign(l, i, &low, &high);
        if (low >= high)
            continue;
        const long double share = high < 0 || low < 0 ? naive_cdf(high) - naive_cdf(low)
                                                      : naive_cdf(-low) - naive_cdf(-high);
        sum += ((long double)l->a[i] - l->a[r]) * share +
               l->b[i] * (expl(naive_log_pdf(low)) - expl(naive_log_pdf(high)));
    }
    return sum;
}

static double size_of(const struct lines *l)
{
    double largest = 0;

    for (int i = 0; i < l->m; i++)
        largest = fmax(largest, fabs(l->a[i]) + fabs(l->b[i]));
    return largest;
}

static double top_at(const struct lines *l, double z)
{
    double top = -INFINITY;

    for (int i = 0; i < l->m; i++)
        top = fmax(top, l->a[i] + l->b[i] * z);
    return top;
}

/* Corners ascend, neighbours meet in them, and between them the envelope's line is the highest of all. */
static void check_envelope(const struct lines *l, const struct ckg__envelope *e)
{
    const double bound = 1e-12 * size_of(l);

    assert_true(e->count >= 1 && e->count <= CKG__ENVELOPE_MAX);
    for (int i = 0; i + 1 < e->count; i++) {
        const int left = e->line[i], right = e->line[i + 1];
        assert_true(i == 0 || e->z[i] >= e->z[i - 1]);
        assert_true(l->b[right] > l->b[left]);
        assert_near(l->a[left] + l->b[left] * e->z[i], l->a[right] + l->b[right] * e->z[i],
                    bound * (1 + fabs(e->z[i])));
    }
    for (double z = -10; z <= 10; z += 0.0625) {
        int i = 0;
        while (i + 1 < e->count && e->z[i] < z)
            i++;
        assert_near(l->a[e->line[i]] + l->b[e->line[i]] * z, top_at(l, z), bound * (1 + fabs(z)));
    }
}

/*
 * All of them at once: the value with and without the envelope, and the envelope itself; returns the error in
 * eps of the size.
 */
static double check_lines(const struct ckg__line_ops *ops, struct lines *l, int r)
{
    struct ckg__envelope envelope;
    const long double want = brute_force(l, r);
    const double value = ops->expected_maximum(l->m, l->a, l->b, r, &envelope);

    assert_true(value == ops->expected_maximum(l->m, l->a, l->b, r, NULL));
    assert_true(value >= 0);
    check_envelope(l, &envelope);
    return (double)fabsl(value - want) / (DBL_EPSILON * size_of(l));
}

/* How lines are drawn: at random; on few levels, with ties; with few slopes; all alike. */
enum { RANDOM, TIES, FEW_SLOPES, ALIKE, KINDS };

static void draw(struct ckg__rng *rng, int kind, int m, struct lines *l)
{
    l->m = m;
    for (int i = 0; i < ROOM; i++) {
        const double a = ckg__rng_normal(rng), b = ckg__rng_normal(rng);
        l->a[i] = i >= m ? 1e9 : kind == TIES ? floor(2 * a) : kind == ALIKE ? 0.5 : a;
        l->b[i] = i >= m               ? 1e9
                  : kind == TIES       ? floor(2 * b)
                  : kind == FEW_SLOPES ? floor(1.5 * b)
                  : kind == ALIKE      ? -0.25
                                       : b;
    }
}

static void test_expected_maximum_matches_brute_force(void **state)
{
    static const int sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 100, 300, 512, 513, 600};
    struct lines l;

    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        struct ckg__rng rng;
        double worst = 0;
        ckg__rng_seed(&rng, 61, 0, 0);
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); i++)
                for (int repeat = 0; repeat < 3; repeat++) {
                    draw(&rng, kind, sizes[i], &l);
                    worst = fmax(worst, check_lines(variants[v], &l, ckg__rng_below(&rng, sizes[i])));
                }
        print_message("variant %d: %.2g eps\n", v, worst);
        assert_true(worst <= 64);
    }
}

static void test_one_line_is_worth_nothing(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        double a[8] = {3}, b[8] = {-2};
        struct ckg__envelope e;
        assert_true(variants[v]->expected_maximum(1, a, b, 0, &e) == 0);
        assert_true(e.count == 1 && e.line[0] == 0);
    }
}

/*
 * Two lines: |Δb|·h(−|z|), small as it is, keeps its relative accuracy; corners from 12 on, worth under
 * 1e-33, are left out.
 */
static void test_two_lines_keep_relative_accuracy(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        double worst = 0;
        for (size_t i = 0; i < sizeof normal_rows / sizeof *normal_rows; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const double z = -normal_rows[i][0], h = normal_rows[i][5];
                double a[8] = {z, 0}, b[8] = {0.5, 0.5 + sign};
                if (z < 0 || z > 40)
                    continue;
                const double value = variants[v]->expected_maximum(2, a, b, 0, NULL);
                assert_true(z < 12 || (value >= 0 && value < 1e-33));
                worst = fmax(worst, z < 12 ? relative_error(value, h) : 0);
            }
        print_message("variant %d: %.2g\n", v, worst);
        assert_true(worst <= 4e-15);
    }
}

/* Lines that all meet in one corner, at 0 and elsewhere. */
static void test_lines_through_one_corner(void **state)
{
    struct lines l = {.m = 20};

    (void)state;
    for (int v = 0; v < variant_count(); v++)
        for (double z = -3; z <= 3; z += 0.75) {
            for (int i = 0; i < l.m; i++) {
                l.b[i] = 0.37 * ((i * 7) % 20 - 9);
                l.a[i] = 1 - l.b[i] * z;
            }
            assert_true(check_lines(variants[v], &l, 3) <= 64);
        }
}

/* Tangents of a parabola, as of a smooth model on a fine grid: every line is on the envelope. */
static double check_tangents(const struct ckg__line_ops *ops, int m, double reach)
{
    struct lines l = {.m = m};

    for (int i = 0; i < m; i++) {
        l.b[i] = reach * (2 * i - m + 1) / (m - 1);
        l.a[i] = -l.b[i] * l.b[i] / 2;
    }
    const long double want = brute_force(&l, m / 2);
    return (double)(ops->expected_maximum(m, l.a, l.b, m / 2, NULL) / want) - 1;
}

static void test_tangents(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++)
        assert_near(check_tangents(variants[v], 60, 3), 0, 1e-13);
}

/* More lines on the envelope than ckg__envelope has room for: the value is still to be exact. */
static void test_many_tangents(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++) {
        const double error = check_tangents(variants[v], 300, 3);
        print_message("variant %d: 300 tangents, relative error %.3g\n", v, error);
        assert_near(error, 0, 1e-13);
    }
}

/* --- one step ahead --- */

struct step {
    double cov[MOST], mean[MOST], var[MOST], sigma[MOST + 1], high[MOST + 1], low[MOST + 1], shift[MOST + 1],
        inv_sd[MOST + 1];
};

static void draw_step(struct step *s, int m, int limits)
{
    struct ckg__rng rng;

    ckg__rng_seed(&rng, 62, (uint64_t)m, (uint64_t)limits);
    for (int i = 0; i < m; i++) {
        s->mean[i] = 4 * ckg__rng_normal(&rng);
        s->var[i] = 0.05 + ckg__rng_uniform(&rng);
        s->cov[i] = sqrt(s->var[i]) * (2 * ckg__rng_uniform(&rng) - 1);
    }
    s->cov[0] = 0;
    s->sigma[m] = s->high[m] = s->low[m] = s->shift[m] = s->inv_sd[m] = -7.25;
}

/* Limits: 1 upper, 2 lower, 3 both. */
static void check_ahead(const struct ckg__line_ops *ops, int m, int limits, double chance)
{
    const double scale = 0.9, lower = -1.25, upper = 0.75, floor = 1e-3;
    const struct ckg__limits at = {lower, upper, floor, chance, 0, 0};
    struct step s;

    draw_step(&s, m, limits);
    struct ckg__ahead ahead = {limits & 1 ? s.high : NULL, limits & 2 ? s.low : NULL, s.shift, s.inv_sd};
    ops->ahead(m, s.cov, scale, s.mean, s.var, &at, s.sigma, &ahead);
    for (int i = 0; i < m; i++) {
        const long double sigma = (long double)s.cov[i] * scale,
                          left = fmaxl(s.var[i] - sigma * sigma, floor) + chance, sd = sqrtl(left);
        const double bound = 8 * DBL_EPSILON * (double)(1 + s.var[i] / left);
        assert_near(s.sigma[i], sigma, DBL_EPSILON);
        assert_near(s.inv_sd[i], 1 / sd, bound / sd);
        assert_near(s.shift[i], sigma / sd, bound * (1 + fabsl(sigma)) / sd);
        if (limits & 1)
            assert_near(s.high[i], (upper - s.mean[i]) / sd, bound * fabs(upper - s.mean[i]) / sd);
        if (limits & 2)
            assert_near(s.low[i], (lower - s.mean[i]) / sd, bound * fabs(lower - s.mean[i]) / sd);
    }
    assert_true(s.sigma[m] == -7.25 && s.high[m] == -7.25 && s.low[m] == -7.25 && s.shift[m] == -7.25 &&
                s.inv_sd[m] == -7.25);
}

/* What the arrays say, at surprise z: relative to Φ's argument, rounded, which moves Φ by eps·x² relative. */
static long double naive_feasible(const struct ckg__ahead *a, int i, double z, double *bound)
{
    const long double moved = (long double)a->shift[i] * z;
    const long double high = a->high ? a->high[i] - moved : INFINITY,
                      low = a->low ? a->low[i] - moved : -INFINITY;
    const int turn = high + low > 0;
    const long double upper = turn ? -low : high, lower = turn ? -high : low;
    const double steep = fabs(a->shift[i] * z) + (double)fminl(fabsl(high), fabsl(low));

    *bound = 4 * DBL_EPSILON * (2 + steep * steep) * (double)(naive_cdf(upper) + naive_cdf(lower));
    return naive_cdf(upper) - naive_cdf(lower);
}

static void check_feasible(const struct ckg__line_ops *ops, int m, int limits, double z)
{
    struct step s;
    double pf[MOST + 1], again[MOST], t[2 * MOST];

    draw_step(&s, m, limits);
    struct ckg__ahead ahead = {limits & 1 ? s.high : NULL, limits & 2 ? s.low : NULL, s.shift, s.inv_sd};
    const struct ckg__limits at = {-1.25, 0.75, 1e-3, 0, 0, 0};
    ops->ahead(m, s.cov, 0.9, s.mean, s.var, &at, s.sigma, &ahead);
    pf[m] = -7.25;
    ops->feasible(m, &ahead, z, 1, pf, t);
    assert_true(pf[m] == -7.25);
    for (int i = 0; i < m; i++) {
        double bound;
        const long double want = naive_feasible(&ahead, i, z, &bound);
        assert_near(pf[i], want, bound + 1e-300L);
        again[i] = 0.5;
    }
    ops->feasible(m, &ahead, z, 0, again, t);
    for (int i = 0; i < m; i++)
        assert_near(again[i], 0.5 * pf[i], 4 * DBL_EPSILON * pf[i]);
}

static void test_one_step_ahead(void **state)
{
    static const int sizes[] = {1, 7, 8, 33, 300};

    (void)state;
    for (int v = 0; v < variant_count(); v++)
        for (int limits = 1; limits <= 3; limits++)
            for (int i = 0; i < 5; i++) {
                check_ahead(variants[v], sizes[i], limits, 0);
                check_ahead(variants[v], sizes[i], limits, 1);
                for (double z = -4; z <= 4; z += 1.6)
                    check_feasible(variants[v], sizes[i], limits, z);
            }
}

static void test_lines_of_a_probability(void **state)
{
    (void)state;
    for (int v = 0; v < variant_count(); v++)
        for (int m = 0; m <= 19; m++) {
            double gain[19], sigma[19], pf[19], a[20], b[20];
            a[m] = b[m] = -7.25;
            for (int i = 0; i < m; i++) {
                gain[i] = 0.3 * i - 1;
                sigma[i] = 1.0 / (i + 1);
                pf[i] = 0.05 * i;
            }
            variants[v]->lines(m, gain, sigma, pf, a, b);
            for (int i = 0; i < m; i++)
                assert_true(a[i] == gain[i] * pf[i] && b[i] == sigma[i] * pf[i]);
            assert_true(a[m] == -7.25 && b[m] == -7.25);
        }
}

static void test_the_variant_in_use_is_chosen(void **state)
{
    (void)state;
    assert_ptr_equal(ckg__lines(), variants[ckg__variant()]);
}

int main(void)
{
    return RUN_TESTS(test_expected_maximum_matches_brute_force, test_one_line_is_worth_nothing,
                     test_two_lines_keep_relative_accuracy, test_lines_through_one_corner, test_tangents,
                     test_many_tangents, test_one_step_ahead, test_lines_of_a_probability,
                     test_the_variant_in_use_is_chosen);
}
