/*
 * The parts of predictive entropy search: the factors' moments against long-double differences into the far
 * tails, expectation propagation where it is exact, and what must hold of every value.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "acquisition/pesc.h"
#include "support/naive_normal.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/scene.h"
#include "support/test.h"

/* --- factors --- */

enum { MOST = 3 };

/* Probability of lying outside the limits. */
static long double outside(const struct ckg__pesc_argument *x, long double mean)
{
    const long double s = sqrtl(x->var);
    long double sum = 0;
    if (!isinf(x->lower))
        sum += naive_cdf((x->lower - mean) / s);
    if (!isinf(x->upper))
        sum += naive_cdf(-(x->upper - mean) / s);
    return sum;
}

static long double inside_log(const struct ckg__pesc_argument *x, long double mean)
{
    const long double s = sqrtl(x->var);
    return naive_log_interval((x->lower - mean) / s, (x->upper - mean) / s);
}

/* log(1 − Π P(in)) with argument `moved` shifted by `step` standard deviations. */
static long double naive_not_all(int count, const struct ckg__pesc_argument *x, int moved, long double step)
{
    long double all = 0, out = 0;
    for (int l = 0; l < count; l++) {
        const long double mean = x[l].mean + (l == moved ? step * sqrtl(x[l].var) : 0),
                          q = outside(&x[l], mean);
        all += q < 0.5L ? log1pl(-q) : inside_log(&x[l], mean);
        out += q;
    }
    return all > -1e-17L ? logl(out) : logl(-expm1l(all));
}

/* First and second derivative by five points. */
static void naive_derivatives(int count, const struct ckg__pesc_argument *x, int l, long double *first,
                              long double *second)
{
    const long double h = 2e-3L;
    long double f[5];
    for (int i = 0; i < 5; i++)
        f[i] = naive_not_all(count, x, l, (i - 2) * h);
    *first = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
    *second = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
}

static void check_not_all(int count, struct ckg__pesc_argument *x, double *worst)
{
    struct ckg__pesc_argument copy[MOST];
    memcpy(copy, x, sizeof copy);
    const double log_z = ckg__pesc_not_all(count, x);
    const long double want = naive_not_all(count, copy, -1, 0);
    *worst = fmax(*worst, (double)(fabsl(log_z - want) / (1 + fabsl(want))));
    for (int l = 0; l < count; l++) {
        long double first, second;
        naive_derivatives(count, copy, l, &first, &second);
        /* a tail's k-th derivative is as large as zᵏ */
        const double z = fmax(isinf(x[l].a) ? 0 : fabs(x[l].a), isinf(x[l].b) ? 0 : fabs(x[l].b));
        *worst = fmax(*worst, (double)(fabsl(x[l].slope - first) / (1 + z)));
        *worst = fmax(*worst, (double)(fabsl(x[l].bend + second) / (1 + z * z)));
        assert_true(x[l].bend < 1 + 1e-9);
    }
}

/* Every mean from deep inside to far outside, one-sided and two-sided, one to three arguments. */
static void test_not_all_matches_differences(void **state)
{
    static const double means[] = {-30, -8, -2, -0.5, 0, 0.3, 1, 3, 9, 25, 60};
    enum { MEANS = sizeof means / sizeof *means };
    double worst = 0;
    int checked = 0;

    (void)state;
    for (int i = 0; i < MEANS; i++)
        for (int k = 0; k < MEANS; k++)
            for (int count = 1; count <= MOST; count++) {
                struct ckg__pesc_argument x[MOST] = {
                    {.mean = means[i], .var = 1, .lower = 0, .upper = INFINITY},
                    {.mean = -0.5 * means[k], .var = 0.25, .lower = -INFINITY, .upper = 0.1},
                    {.mean = 0.2, .var = 0.09, .lower = -0.3, .upper = 0.9}};
                check_not_all(count, x, &worst);
                checked++;
            }
    print_message("%d factors: %.2g\n", checked, worst);
    assert_true(worst <= 1e-8);
}

/* Truncation: the moments of a normal variable within limits, by integration. */
static void test_within_matches_integration(void **state)
{
    static const double rows[][4] = {{0.3, 1, 0, INFINITY},
                                     {-6, 1, 0, INFINITY},
                                     {0.3, 0.04, -INFINITY, 0.1},
                                     {-1, 2, -0.5, 0.7},
                                     {5, 1, -1, 0.5}};
    enum { STEPS = 400000 };

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct ckg__pesc_argument x = {
            .mean = rows[r][0], .var = rows[r][1], .lower = rows[r][2], .upper = rows[r][3]};
        const double s = sqrt(x.var), low = fmax(x.lower, x.mean - 20 * s),
                     high = fmin(x.upper, x.mean + 20 * s);
        long double zero = 0, first = 0, second = 0;
        for (int i = 0; i < STEPS; i++) { /* midpoints; measured about the mean of the normal */
            const long double t = (low + (high - low) * (i + 0.5L) / STEPS - x.mean) / s,
                              p = expl(-0.5L * t * t);
            zero += p;
            first += t * p;
            second += t * t * p;
        }
        const long double mean = first / zero, var = second / zero - mean * mean;
        assert_near(exp(ckg__pesc_within(&x)), zero * (high - low) / STEPS / s / 2.50662827463100050242L,
                    1e-9);
        assert_near(x.slope, mean, 1e-8 * (1 + fabsl(mean)));
        assert_near(1 - x.bend, var, 1e-8);
    }
}

/* --- expectation propagation --- */

static int condition_all(struct ckg__pesc *pesc, const struct ckg__belief *belief, int m, const double *U,
                         struct ckg__arena *arena)
{
    assert_int_equal(ckg__pesc_take(pesc, belief, m, U, m, m, arena), CKG_OK);
    int settled = 0;
    for (int t = 0; t < m; t++) {
        pesc->draw[t].star = t;
        pesc->draw[t].weight = 1;
        assert_int_equal(ckg__pesc_condition(pesc, t, 100, arena), CKG_OK);
        assert_int_equal(ckg__pesc_keep(pesc, t, arena), CKG_OK);
        settled += pesc->draw[t].settled;
    }
    return settled;
}

/*
 * Without constraints and with one other point there is one factor, and its moments are those of a truncated
 * normal variable.
 */
static void test_one_factor_is_exact(void **state)
{
    const double U[] = {0.2, 0.7, 0.3, 0.45};
    struct scene s;
    struct ckg__pesc pesc;

    (void)state;
    scene_make(&s, CKG__MATERN52, 0, 7);
    s.belief.outcomes = 1;
    assert_int_equal(condition_all(&pesc, &s.belief, 2, U, &s.arena), 2);
    for (int t = 0; t < 2; t++) {
        const double *C = pesc.C[0], *mu = pesc.view[0].mean, own = C[t ? 3 : 0], other = C[t ? 0 : 3],
                     d = mu[1 - t] - mu[t];
        const double var = own + other - 2 * C[1], s_d = sqrt(var), z = -d / s_d; /* f(other) − f(x*) < 0 */
        const double mills = (double)(expl(naive_log_pdf(z) - naive_log_cdf(z))), cov = C[1] - own;
        assert_near(pesc.draw[t].mean, mu[t] - cov / s_d * mills, 1e-3);
        assert_near(pesc.draw[t].var, own - cov * cov / var * mills * (mills + z), 1e-3);
    }
    scene_free(&s);
}

/*
 * Moments of f(x*) and of the constraints there, by joint draws of all outcomes at the set of which x* is the
 * feasible optimum.
 */
struct moments {
    double count, first[SCENE_OUTCOMES], second[SCENE_OUTCOMES];
};

enum { M = 6, DRAWS = 100000 };

/* Whether point `star` of a draw (outcomes × M) is feasible and no feasible point has a larger objective. */
static int is_optimum(const struct ckg__belief *belief, const double *draw, int star)
{
    for (int p = 0; p < M; p++) {
        int feasible = 1;
        for (int j = 1; j < belief->outcomes; j++)
            feasible &= draw[j * M + p] >= belief->lower[j] && draw[j * M + p] <= belief->upper[j];
        if (p == star ? !feasible : feasible && draw[p] > draw[star])
            return 0;
    }
    return 1;
}

static void sample(struct scene *s, const struct ckg__pesc *pesc, struct moments *moments)
{
    const int draws = test_scale(DRAWS, DRAWS / 4);
    double *all[SCENE_OUTCOMES], draw[SCENE_OUTCOMES * M];

    memset(moments, 0, M * sizeof *moments);
    for (int j = 0; j < pesc->belief->outcomes; j++) {
        all[j] = ckg__arena_doubles(&s->arena, (size_t)draws * M);
        assert_non_null(all[j]);
        assert_int_equal(ckg__posterior_sample(pesc->belief->gp[j], &pesc->view[j], &s->process[0].rng, draws,
                                               &s->arena, all[j], NULL),
                         CKG_OK);
    }
    for (int i = 0; i < draws; i++) {
        for (int j = 0; j < pesc->belief->outcomes; j++)
            memcpy(draw + j * M, all[j] + (size_t)i * M, M * sizeof *draw);
        for (int t = 0; t < M; t++)
            if (is_optimum(pesc->belief, draw, t)) {
                moments[t].count++;
                for (int j = 0; j < pesc->belief->outcomes; j++) {
                    moments[t].first[j] += draw[j * M + t];
                    moments[t].second[j] += draw[j * M + t] * draw[j * M + t];
                }
            }
    }
}

/* Mean and variance of outcome j at x* under the approximation. */
static void approximate(const struct ckg__pesc *pesc, int t, int j, double *mean, double *var)
{
    const struct ckg__pesc_sites *sites = &pesc->draw[t].sites[j];
    double white[M];
    if (j == 0) {
        *mean = pesc->draw[t].mean;
        *var = pesc->draw[t].var;
        return;
    }
    *mean = pesc->view[j].mean[t];
    *var = pesc->C[j][t * M + t];
    for (int a = 0; a < sites->count; a++) { /* forward substitution */
        const double k = pesc->C[j][t * M + sites->point[a]];
        *mean += k * sites->shift[a];
        white[a] = sites->root[a] * k;
        for (int b = 0; b < a; b++)
            white[a] -= sites->L[a * sites->count + b] * white[b];
        white[a] /= sites->L[a * sites->count + a];
        *var -= white[a] * white[a];
    }
}

/*
 * Where there are draws enough, the approximation of every outcome at x* is close to them: nine times of ten
 * to within a tenth of the standard deviation in the mean and a tenth in the standard deviation itself.
 */
static void test_moments_are_near_those_of_draws(void **state)
{
    int compared = 0, near = 0;

    (void)state;
    for (int i = 0; i < 12; i++) {
        struct scene s;
        struct ckg__pesc pesc;
        struct moments moments[M];
        double U[SCENE_D * M];
        scene_make(&s, CKG__RBF, 0, 100 + (uint64_t)i);
        s.belief.outcomes = 1 + i % SCENE_OUTCOMES;
        random_points(&s.process[0].rng, SCENE_D, M, U);
        condition_all(&pesc, &s.belief, M, U, &s.arena);
        sample(&s, &pesc, moments);
        for (int t = 0; t < M; t++)
            for (int j = 0; moments[t].count >= 2000 && j < s.belief.outcomes; j++) {
                const double mean = moments[t].first[j] / moments[t].count,
                             var = moments[t].second[j] / moments[t].count - mean * mean;
                double got_mean, got_var;
                approximate(&pesc, t, j, &got_mean, &got_var);
                near += fabs(got_mean - mean) <= 0.1 * sqrt(var) && 0.5 * fabs(log(got_var / var)) <= 0.1;
                compared++;
            }
        scene_free(&s);
    }
    print_message("%d of %d near\n", near, compared);
    assert_true(compared > 40 && near >= 0.9 * compared);
}

/* --- values --- */

/* Finite, not negative, the sum of the shares, and none larger than all that a measurement could tell. */
static void check_values(const struct ckg__pesc *pesc, struct scene *s, int m, const double *U)
{
    double value[64], share[SCENE_OUTCOMES * 64];
    struct ckg__view view;

    assert_true(m <= 64);
    assert_int_equal(ckg__pesc_at(pesc, m, U, m, &s->arena, value, share), CKG_OK);
    for (int p = 0; p < m; p++) {
        double sum = 0;
        for (int j = 0; j < pesc->belief->outcomes; j++)
            sum += share[j * m + p];
        assert_true(isfinite(value[p]) && value[p] >= 0);
        assert_near(value[p], sum, 1e-12 * (1 + sum));
    }
    for (int j = 0; j < pesc->belief->outcomes; j++) {
        const struct ckg__gp *gp = pesc->belief->gp[j];
        assert_int_equal(ckg__view_make(&view, gp, m, U, m, &s->arena), CKG_OK);
        for (int p = 0; p < m; p++)
            assert_true(share[j * m + p] >= 0 &&
                        share[j * m + p] <= 0.5 * log1p(view.var[p] / gp->future) + 1e-12);
    }
}

/*
 * 200 scenes: ordinary ones, hopeless ones where no point can be feasible, ones where every point is, without
 * data, without constraints.
 */
static void test_values_are_finite(void **state)
{
    static const double shifts[] = {0, 0.3, -1, 6, -6, 300, 1e5, -1e5};
    enum { POINTS = 24 };
    const int scenes = test_scale(200, 24);
    int settled = 0;

    (void)state;
    for (int i = 0; i < scenes; i++) {
        struct scene s;
        struct ckg__pesc pesc;
        double U[SCENE_D * POINTS];
        scene_make(&s, (enum ckg__kernel)(i % CKG__KERNELS), shifts[i % 8], (uint64_t)i);
        s.belief.outcomes = i % 5 ? SCENE_OUTCOMES : 1;
        if (i % 7 == 0)
            s.process[1].gp.n = 0;
        random_points(&s.process[0].rng, SCENE_D, POINTS, U);
        for (int k = 0; i % 3 == 0 && k < SCENE_D; k++) /* data among the points, and the same point twice */
            U[k * POINTS] = U[k * POINTS + 1] = s.process[0].X[k * PROCESS_MAX_N];
        settled += condition_all(&pesc, &s.belief, POINTS, U, &s.arena);
        check_values(&pesc, &s, POINTS, U);
        scene_free(&s);
    }
    print_message("%d of %d draws settled\n", settled, scenes * POINTS);
    assert_true(settled > scenes * POINTS / 2);
}

/* That no design is feasible teaches of the constraints alone. */
static void test_no_feasible_design(void **state)
{
    struct scene s;
    struct ckg__pesc pesc;
    double U[SCENE_D * M], value[M], share[SCENE_OUTCOMES * M];

    (void)state;
    scene_make(&s, CKG__RBF, 0.5, 3);
    random_points(&s.process[0].rng, SCENE_D, M, U);
    assert_int_equal(ckg__pesc_take(&pesc, &s.belief, M, U, M, 1, &s.arena), CKG_OK);
    pesc.draw[0].weight = 1;
    assert_int_equal(ckg__pesc_condition(&pesc, 0, 100, &s.arena), CKG_OK);
    assert_int_equal(ckg__pesc_keep(&pesc, 0, &s.arena), CKG_OK);
    assert_true(pesc.draw[0].settled && pesc.draw[0].star < 0);
    assert_int_equal(ckg__pesc_at(&pesc, M, U, M, &s.arena, value, share), CKG_OK);
    for (int p = 0; p < M; p++)
        assert_true(share[p] == 0 && value[p] > 0);
    scene_free(&s);
}

/* Draws that are left aside count for nothing; when all are, the value is 0. */
static void test_unsettled_draws_are_left_aside(void **state)
{
    struct scene s;
    struct ckg__pesc pesc;
    double U[SCENE_D * M], all[M], rest[M];

    (void)state;
    scene_make(&s, CKG__RBF, 0, 5);
    random_points(&s.process[0].rng, SCENE_D, M, U);
    condition_all(&pesc, &s.belief, M, U, &s.arena);
    pesc.draw[0].weight = 0;
    assert_int_equal(ckg__pesc_at(&pesc, M, U, M, &s.arena, all, NULL), CKG_OK);
    pesc.draw[0].weight = 5;
    pesc.draw[0].settled = 0;
    assert_int_equal(ckg__pesc_at(&pesc, M, U, M, &s.arena, rest, NULL), CKG_OK);
    assert_memory_equal(all, rest, sizeof all);
    for (int t = 0; t < M; t++)
        pesc.draw[t].settled = 0;
    assert_int_equal(ckg__pesc_at(&pesc, M, U, M, &s.arena, rest, NULL), CKG_OK);
    for (int p = 0; p < M; p++)
        assert_true(rest[p] == 0);
    scene_free(&s);
}

int main(void)
{
    return RUN_TESTS(test_not_all_matches_differences, test_within_matches_integration,
                     test_one_factor_is_exact, test_moments_are_near_those_of_draws, test_values_are_finite,
                     test_no_feasible_design, test_unsettled_draws_are_left_aside);
}
