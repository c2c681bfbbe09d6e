/*
 * Constrained max-value entropy search: against quadrature of the definition (tests/reference/make_cmes.py)
 * on processes without data, whose posterior is what one says it is, down to exp(−962); gradients against
 * differences; never anything but finite.
 *
 * Measured: 7e-14 of the difference of entropies. The first term under noise is an interpolation: 1 to 2
 * times the value by quadrature where the objective alone has noise, up to 5.4 times between two limits of a
 * noisy constraint. Gradients agree with five-point differences to 1e-7 of the largest component, 5e-7
 * between narrow limits.
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

#include "acquisition/cmes.h"
#include "reference/cmes.inc"
#include "support/naive_normal.h"
#include "support/near.h"
#include "support/scene.h"
#include "support/test.h"

enum {
    ROWS = sizeof cmes_rows / sizeof cmes_rows[0],
    NOISY = sizeof cmes_noisy / sizeof cmes_noisy[0],
    MOST = 4
};

static const double silent[MOST];

/* The policy's value on such processes, from a batch and from views. */
static double value_of(const struct cmes_row *row, const double *noise, int count, const double *best,
                       int bound)
{
    struct process p[MOST];
    struct ckg__belief belief = {.outcomes = row->outcomes};
    const struct ckg__cmes cmes = {count, bound, best};
    const double u = 0.5;
    double value, gradient, of_views;

    for (int j = 0; j < row->outcomes; j++) {
        process_make_empty(&p[j], row->mean[j], row->var[j], noise[j]);
        belief.gp[j] = &p[j].gp;
        belief.lower[j] = row->lower[j];
        belief.upper[j] = row->upper[j];
    }
    assert_int_equal(ckg__cmes_batch(&belief, &cmes, 1, &u, 1, &p[0].arena, &value, &gradient), CKG_OK);
    assert_int_equal(ckg__cmes_batch(&belief, &cmes, 1, &u, 1, &p[0].arena, &of_views, NULL), CKG_OK);
    assert_true(isfinite(value) && gradient == 0 && value == of_views);
    for (int j = 0; j < row->outcomes; j++)
        process_free(&p[j]);
    return value;
}

static double entropy_of(const struct cmes_row *row, const double *noise)
{
    return ckg__cmes_entropy(row->outcomes, row->mean, row->var, noise, row->lower, row->upper, row->best);
}

/* log q, in long double. */
static long double log_box(const struct cmes_row *row)
{
    long double sum = 0;

    for (int j = 0; j < row->outcomes; j++) {
        const long double s = sqrtl(row->var[j]),
                          a = ((j ? row->lower[j] : row->best) - (long double)row->mean[j]) / s;
        const long double b = j ? ((long double)row->upper[j] - row->mean[j]) / s : INFINITY;
        if (isinf(b))
            sum += isinf(a) ? 0 : naive_log_cdf(-a);
        else
            sum += isinf(a) ? naive_log_cdf(b) : naive_log_interval(a, b);
    }
    return sum;
}

/* The first term, −log(1 − q), and its logarithm. */
static double log_first(const struct cmes_row *row)
{
    const long double log_q = log_box(row);

    return (double)(log_q < -100 ? log_q
                                 : logl(-(log_q > -0.1L ? logl(-expm1l(log_q)) : log1pl(-expl(log_q)))));
}

/* --- values --- */

static void test_entropy_matches_quadrature(void **state)
{
    double worst = 0;
    int negative = 0;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const struct cmes_row *row = &cmes_rows[i];
        const double got = entropy_of(row, silent),
                     error = fabs(got - row->want) / fmax(fabs(row->want), DBL_MIN);
        worst = fmax(worst, error);
        negative += got < 0;
        if (error > 1e-11)
            fail_msg("row %d: %.17g, not %.17g", i, got, row->want);
    }
    print_message("%d rows, %d negative: relative error %.2g\n", (int)ROWS, negative, worst);
    assert_true(negative > 0);
}

/* In logarithms nothing underflows; where the difference falls short of its first term, that stands. */
static void test_value_matches_quadrature(void **state)
{
    double worst = 0;
    int bounded = 0;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const struct cmes_row *row = &cmes_rows[i];
        const double first = log_first(row), want = row->log_want > first ? row->log_want : first;
        const double bound = value_of(row, silent, 1, &row->best, 1),
                     got = value_of(row, silent, 1, &row->best, 0);
        assert_near(bound, first, 1e-12 * (1 + fabs(first)));
        assert_near(got, want, 1e-12 * (1 + fabs(want)));
        worst = fmax(worst, fabs(got - want) / (1 + fabs(want)));
        bounded += got == bound;
    }
    print_message("%d rows, %d of them at the bound: %.2g\n", (int)ROWS, bounded, worst);
    assert_true(bounded > 0 && bounded < ROWS);
}

/* Several draws: the logarithm of the average, the larger of the averages of differences and first terms. */
static void test_average_over_draws(void **state)
{
    const double best[] = {0.3, -1.2, 2.5, -INFINITY, 0.9};

    (void)state;
    for (int i = 0; i < 120; i += 7) {
        double whole = 0, first = 0;
        struct cmes_row row = cmes_rows[i];
        if (row.outcomes == 1)
            continue; /* without a constraint there is always a feasible design */
        for (int s = 0; s < 5; s++) {
            row.best = best[s];
            whole += entropy_of(&row, silent) / 5;
            first += exp(log_first(&row)) / 5;
        }
        assert_near(value_of(&row, silent, 5, best, 0), log(fmax(whole, first)), 1e-11);
        assert_near(value_of(&row, silent, 5, best, 1), log(first), 1e-11);
    }
}

/* Without constraints: max-value entropy search, γφ(γ)/(2Φ(γ)) − log Φ(γ). */
static void test_without_constraints(void **state)
{
    (void)state;
    for (double gamma = -25; gamma <= 25; gamma += 0.37) {
        const struct cmes_row row = {.outcomes = 1, .mean = {0.4}, .var = {0.09}, .best = 0.4 + 0.3 * gamma};
        const long double g = (row.best - 0.4L) / 0.3L, log_cdf = naive_log_cdf(g);
        const long double want = g * expl(naive_log_pdf(g) - log_cdf) / 2 - log_cdf;
        if (gamma < 5) /* beyond, 1 − Φ has no digits left in this formula */
            assert_near(entropy_of(&row, silent), want, 1e-12L * (1 + fabsl(log_cdf)));
    }
}

/* The second term is exact under noise; the first is an interpolation that may be somewhat too large. */
static void test_noise(void **state)
{
    double least = INFINITY, most = 0, most_silent = 0;

    (void)state;
    for (int i = 0; i < NOISY; i++) {
        const struct cmes_row *row = &cmes_noisy[i].row;
        const double first = exp(value_of(row, cmes_noisy[i].noise, 1, &row->best, 1)),
                     ratio = first / cmes_noisy[i].first;
        const double second = entropy_of(row, cmes_noisy[i].noise) - first;
        assert_near(second, row->want - cmes_noisy[i].first, 1e-9);
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        most_silent = cmes_noisy[i].noise[1] == 0 ? fmax(most_silent, ratio) : most_silent;
        assert_true(first <= exp(log_first(row)) * (1 + 1e-12)); /* noise never helps */
    }
    print_message("%d rows: first term %.3f to %.3f of quadrature, %.3f where constraints are silent\n",
                  (int)NOISY, least, most, most_silent);
    assert_true(least >= 0.99 && most_silent <= 2.05 && most <= 5.6);
}

/* --- gradients --- */

enum { POINTS = 30 };

/* One point of a scene moved along a coordinate, and how often the first term alone stood for the value. */
struct along {
    struct scene *scene;
    struct ckg__cmes cmes;
    double u[SCENE_D];
    int k, at_first, calls;
};

static double value_along(void *context, double step)
{
    struct along *a = context;
    const struct ckg__cmes first = {a->cmes.count, 1, a->cmes.best};
    double moved[SCENE_D], value, bound, gradient[SCENE_D];

    memcpy(moved, a->u, sizeof moved);
    moved[a->k] += step;
    assert_int_equal(
        ckg__cmes_batch(&a->scene->belief, &a->cmes, 1, moved, 1, &a->scene->arena, &value, gradient),
        CKG_OK);
    assert_int_equal(
        ckg__cmes_batch(&a->scene->belief, &first, 1, moved, 1, &a->scene->arena, &bound, gradient), CKG_OK);
    a->at_first += value == bound;
    a->calls++;
    return value;
}

/*
 * The largest error against differences, relative to each point's largest component (or 1). The value has a
 * kink where the first term takes over; a difference across it is skipped.
 */
static double gradient_error(struct scene *s, struct ckg__cmes cmes, double h, int *skipped)
{
    double U[SCENE_D * POINTS], value[POINTS], gradient[SCENE_D * POINTS], worst = 0;

    random_points(&s->process[0].rng, SCENE_D, POINTS, U);
    assert_int_equal(ckg__cmes_batch(&s->belief, &cmes, POINTS, U, POINTS, &s->arena, value, gradient),
                     CKG_OK);
    for (int p = 0; p < POINTS; p++) {
        double largest = 1, error = 0;
        assert_true(isfinite(value[p]));
        for (int k = 0; k < SCENE_D; k++) {
            struct along a = {s, cmes, {U[p], U[POINTS + p]}, k, 0, 0};
            const double slope = difference(value_along, &a, h);
            if (a.at_first % a.calls) {
                ++*skipped;
                continue;
            }
            largest = fmax(largest, fabs(slope));
            error = fmax(error, fabs(slope - gradient[k * POINTS + p]));
        }
        worst = fmax(worst, error / largest);
    }
    return worst;
}

static void test_gradient_matches_differences(void **state)
{
    static const double bests[][4] = {{0.5, 0.7, 1.1, -0.4},
                                      {-INFINITY, 0.2, 0.9, 0.9},
                                      {4, 5, 6, 9},
                                      {-2, -1.5, -3, -1},
                                      {0.1, 0.2, 0.3, 1}};
    int skipped = 0;

    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int i = 0; i < 20; i++) {
            const int set = i % 5, quiet = i / 5 % 2, bound = i / 10;
            struct scene s;
            scene_make(&s, (enum ckg__kernel)kernel, set == 1 ? 0.4 : 0, 61 + (uint64_t)i);
            if (set == 4) /* so narrow that moments come from their series */
                s.belief.upper[3] = s.belief.lower[3] + 1e-6;
            for (int j = 0; quiet && j < SCENE_OUTCOMES; j++)
                s.process[j].gp.future = 0;
            const double h = set == 4 ? 3e-4 : 1e-4; /* narrow limits cost the value digits */
            const double error = gradient_error(&s, (struct ckg__cmes){4, bound, bests[set]}, h, &skipped);
            print_message("%s, set %d%s%s: %.2g\n", ckg__kernel_names[kernel], set, quiet ? ", no noise" : "",
                          bound ? ", bound" : "", error);
            assert_true(error <= 1e-6);
            scene_free(&s);
        }
    print_message("%d of %d differences lay across the kink\n", skipped, 60 * POINTS * SCENE_D);
    assert_true(skipped <= 60 * POINTS * SCENE_D / 200);
}

/* --- nothing but finite numbers --- */

static int cmes_at_data(struct process *p, double best, double *value, double *gradient)
{
    const struct ckg__belief belief = {
        .outcomes = 2, .gp = {&p->gp, &p->gp}, .lower = {0, -INFINITY}, .upper = {0, 0.5}};
    const struct ckg__cmes cmes = {1, 0, &best};

    return ckg__cmes_batch(&belief, &cmes, PROCESS_EXACT, p->X, PROCESS_MAX_N, &p->arena, value, gradient);
}

static void test_at_an_exact_observation(void **state)
{
    (void)state;
    check_at_exact_observations(cmes_at_data, 0.5);
}

/* A number of either sign and of any size that a standardised outcome can have. */
static double any(struct ckg__rng *rng)
{
    return (ckg__rng_below(rng, 2) ? 1 : -1) * pow(10, 16 * ckg__rng_uniform(rng) - 8);
}

static void test_extremes(void **state)
{
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 9, 0, 0);
    for (int i = 0; i < 3000; i++) {
        struct cmes_row row = {.outcomes = 1 + i % MOST};
        double best[3], noise[MOST];
        for (int j = 0; j < row.outcomes; j++) {
            const int sides = ckg__rng_below(&rng, 3);
            const double lower = any(&rng);
            row.mean[j] = any(&rng);
            row.var[j] = pow(10, 20 * ckg__rng_uniform(&rng) - 16);
            row.lower[j] = sides == 0 ? -INFINITY : lower;
            row.upper[j] = sides == 1 ? INFINITY : lower + fabs(any(&rng));
            noise[j] = ckg__rng_below(&rng, 2) ? 0 : fabs(any(&rng));
        }
        for (int s = 0; s < 3; s++)
            best[s] = row.outcomes > 1 && ckg__rng_below(&rng, 4) == 0 ? -INFINITY : any(&rng);
        value_of(&row, noise, 3, best, i % 2); /* asserts a finite value */
    }
}

int main(void)
{
    return RUN_TESTS(test_entropy_matches_quadrature, test_value_matches_quadrature, test_average_over_draws,
                     test_without_constraints, test_noise, test_gradient_matches_differences,
                     test_at_an_exact_observation, test_extremes);
}
