/*
 * The fit: the density's gradient against differences, the climb against a grid, the slice sampler against
 * quadrature.
 *
 * Measured: gradients agree with five-point differences to 3e-11 of the largest component, the climbs of up
 * to 300 evaluations end with a projected gradient of at most 0.014.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "model/fit.h"
#include "support/near.h"
#include "support/process.h"
#include "support/test.h"

/* The density along one coordinate of theta, for differences. */
struct along {
    const struct ckg__fit *fit;
    struct ckg__fit_work *work;
    double theta[PROCESS_MAX_D + 2];
    int k;
};

static double density_along(void *context, double step)
{
    const struct along *a = context;
    double theta[PROCESS_MAX_D + 2];

    memcpy(theta, a->theta, sizeof theta);
    theta[a->k] += step;
    return ckg__fit_density(a->fit, theta, NULL, a->work);
}

/* The largest error of the gradient at theta, relative to its largest component (or 1). */
static double gradient_error(const struct ckg__fit *fit, const double *theta, struct ckg__arena *arena)
{
    const int dim = fit->inputs.d + 2;
    double gradient[PROCESS_MAX_D + 2], largest = 1, worst = 0;
    struct ckg__fit_work work;
    struct along along = {fit, &work, {0}, 0};

    assert_int_equal(ckg__fit_work_take(&work, fit, arena), CKG_OK);
    memcpy(along.theta, theta, (size_t)dim * sizeof *theta);
    const double density = ckg__fit_density(fit, theta, gradient, &work);
    assert_true(isfinite(density) && density == ckg__fit_density(fit, theta, NULL, &work));
    for (int k = 0; k < dim; k++)
        largest = fmax(largest, fabs(gradient[k]));
    for (along.k = 0; along.k < dim; along.k++) {
        const double slope = difference(density_along, &along, 1e-3);
        /* a fixed signal variance has no prior, a noise that is not estimated no slope */
        assert_true(fit->inputs.series->estimated || gradient[dim - 2] == 0);
        worst = fmax(worst, fabs(gradient[along.k] - slope) / largest);
    }
    return worst;
}

static double check_gradient(enum ckg__kernel kernel, enum process_noise noise, int D, int n, int grouped,
                             int linear, double mean_precision)
{
    struct process p;
    double worst = 0;

    process_make(&p, kernel, D, n, noise, 21);
    p.inputs.mean_precision = mean_precision;
    p.inputs.linear = linear;
    if (grouped) { /* the last two coordinates are values of one categorical */
        p.inputs.d = D - 1;
        p.group[D - 1] = D - 2;
        p.theta[D - 1] = p.theta[D];
        p.theta[D] = p.theta[D + 1];
    }
    const struct ckg__fit fits[] = {{.inputs = p.inputs, .prior = ckg__prior_default(p.inputs.d)},
                                    {.inputs = p.inputs, .prior = ckg__prior_flat()}};
    for (int i = 0; i < 2; i++)
        worst = fmax(worst, gradient_error(&fits[i], p.theta, &p.arena));
    process_free(&p);
    return worst;
}

static void test_gradient_matches_differences(void **state)
{
    static const enum process_noise kinds[] = {ESTIMATED, KNOWN, MIXED};
    double worst = 0;

    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int i = 0; i < 3; i++)
            for (int sort = 0; sort < 4; sort++) {
                const enum ckg__kernel k = (enum ckg__kernel)kernel;
                const int grouped = sort % 2;
                const int linear = sort / 2;
                worst = fmax(worst, check_gradient(k, kinds[i], 2, 7, grouped, linear, 1));
                worst = fmax(worst, check_gradient(k, kinds[i], 5, 30, grouped, linear, 0));
                worst = fmax(worst, check_gradient(k, kinds[i], 4, 17, grouped, linear, INFINITY));
            }
    worst = fmax(worst, check_gradient(CKG__MATERN32, EXACT, 3, 14, 0, 0, 1));
    worst = fmax(worst, check_gradient(CKG__MATERN32, EXACT, 3, 14, 0, 1, 1));
    print_message("gradient: %.2g\n", worst);
    assert_true(worst <= 1e-6);
}

/* With a free signal variance and a normal prior on its logarithm. */
static void test_gradient_with_a_prior_of_the_signal(void **state)
{
    struct process p;

    (void)state;
    process_make(&p, CKG__MATERN52, 2, 12, ESTIMATED, 22);
    struct ckg__fit fit = {.inputs = p.inputs, .prior = ckg__prior_default(2)};
    fit.prior.signal_low = -3;
    fit.prior.signal_high = 3;
    assert_true(gradient_error(&fit, p.theta, &p.arena) <= 1e-6);
    process_free(&p);
}

/* The density is the likelihood plus the priors' squares. */
static void test_density_is_likelihood_and_prior(void **state)
{
    struct process p;
    struct ckg__fit_work work;

    (void)state;
    process_make(&p, CKG__RBF, 2, 9, ESTIMATED, 23);
    const struct ckg__fit fit = {.inputs = p.inputs, .prior = ckg__prior_default(2)};
    double want = p.gp.log_likelihood;
    for (int k = 0; k < 3; k++) {
        const double mean = k < 2 ? fit.prior.ell_mean : fit.prior.noise_mean,
                     sd = k < 2 ? fit.prior.ell_sd : fit.prior.noise_sd;
        want -= 0.5 * pow((p.theta[k] - mean) / sd, 2);
    }
    assert_int_equal(ckg__fit_work_take(&work, &fit, &p.arena), CKG_OK);
    assert_near(ckg__fit_density(&fit, p.theta, NULL, &work), want, 1e-12 * fabs(want));
    process_free(&p);
}

/* --- the climb --- */

static void box_of(const struct ckg__fit *fit, double *lower, double *upper)
{
    const int d = fit->inputs.d;

    for (int k = 0; k < d; k++) {
        lower[k] = fit->prior.ell_low;
        upper[k] = fit->prior.ell_high;
    }
    lower[d] = fit->prior.noise_low;
    upper[d] = fit->prior.noise_high;
    lower[d + 1] = fit->prior.signal_low;
    upper[d + 1] = fit->prior.signal_high;
}

/* The largest component of the gradient that the box does not hold back. */
static double projected_gradient(const struct ckg__fit *fit, const double *theta, struct ckg__arena *arena)
{
    double gradient[PROCESS_MAX_D + 2], lower[PROCESS_MAX_D + 2], upper[PROCESS_MAX_D + 2], largest = 0;
    struct ckg__fit_work work;

    assert_int_equal(ckg__fit_work_take(&work, fit, arena), CKG_OK);
    ckg__fit_density(fit, theta, gradient, &work);
    box_of(fit, lower, upper);
    for (int k = 0; k < fit->inputs.d + 2; k++) {
        const int moved = fit->inputs.series->estimated || k != fit->inputs.d;
        const int free_up = theta[k]<upper[k], free_down = theta[k]> lower[k];
        assert_true(!moved || (theta[k] >= lower[k] && theta[k] <= upper[k]));
        if (moved && ((gradient[k] > 0 && free_up) || (gradient[k] < 0 && free_down)))
            largest = fmax(largest, fabs(gradient[k]));
    }
    return largest;
}

/* The largest projected gradient at the end of any climb. */
static double steepest;

/* The best of all starts; every one must end where the density no longer rises. */
static double best_ascend(const struct ckg__fit *fit, struct ckg__arena *arena)
{
    double best = -INFINITY;

    for (int start = 0; start < CKG__FIT_STARTS; start++) {
        double theta[PROCESS_MAX_D + 2], first, density;
        struct ckg__fit_work work;
        ckg__fit_start(fit, start, theta);
        assert_int_equal(ckg__fit_work_take(&work, fit, arena), CKG_OK);
        first = ckg__fit_density(fit, theta, NULL, &work);
        assert_int_equal(ckg__fit_ascend(fit, 300, theta, &density, arena), CKG_OK);
        assert_true(density >= first);
        assert_near(density, ckg__fit_density(fit, theta, NULL, &work), 1e-12 * fabs(density));
        /* it also stops when the density rises by less than 1e-5 of itself twice running */
        steepest = fmax(steepest, projected_gradient(fit, theta, arena));
        assert_true(steepest <= 0.05);
        best = fmax(best, density);
    }
    return best;
}

static double grid_maximum(const struct ckg__fit *fit, struct ckg__arena *arena)
{
    enum { STEPS = 30 };
    double lower[PROCESS_MAX_D + 2], upper[PROCESS_MAX_D + 2], best = -INFINITY;
    struct ckg__fit_work work;

    assert_int_equal(ckg__fit_work_take(&work, fit, arena), CKG_OK);
    box_of(fit, lower, upper);
    for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
        double theta[3];
        const int at[3] = {i % STEPS, i / STEPS % STEPS, i / STEPS / STEPS};
        for (int k = 0; k < 3; k++)
            theta[k] = lower[k] + (upper[k] - lower[k]) * at[k] / (STEPS - 1);
        best = fmax(best, ckg__fit_density(fit, theta, NULL, &work));
    }
    return best;
}

static void test_ascend_reaches_the_best_of_a_grid(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int flat = 0; flat < 2; flat++) {
            struct process p;
            process_make(&p, (enum ckg__kernel)kernel, 1, 15, ESTIMATED, 24);
            const struct ckg__fit fit = {.inputs = p.inputs,
                                         .prior = flat ? ckg__prior_flat() : ckg__prior_default(1)};
            const double climbed = best_ascend(&fit, &p.arena), grid = grid_maximum(&fit, &p.arena);
            assert_true(climbed >= grid - 1e-4);
            process_free(&p);
        }
}

static void test_ascend_ends_with_a_small_gradient(void **state)
{
    static const enum process_noise kinds[] = {ESTIMATED, KNOWN, MIXED};

    (void)state;
    for (int kernel = 0; kernel < CKG__KERNELS; kernel++)
        for (int i = 0; i < 3; i++) {
            struct process p;
            process_make(&p, (enum ckg__kernel)kernel, 4, 25, kinds[i], 25);
            const struct ckg__fit fit = {.inputs = p.inputs, .prior = ckg__prior_default(4)};
            best_ascend(&fit, &p.arena);
            process_free(&p);
        }
    print_message("projected gradient: %.2g\n", steepest);
}

/* --- the sampler --- */

enum { SAMPLES = 4000, BATCHES = 40, PER_BATCH = SAMPLES / BATCHES };

/*
 * Mean and variance of a coordinate of the samples, each with its standard error from the means of batches.
 */
struct summary {
    double mean, mean_error, variance, variance_error;
};

static double batch_mean(const double *values, int count, double *error)
{
    double sum = 0, squares = 0;

    for (int b = 0; b < count / PER_BATCH; b++) {
        double batch = 0;
        for (int i = 0; i < PER_BATCH; i++)
            batch += values[b * PER_BATCH + i] / PER_BATCH;
        sum += batch / BATCHES;
        squares += batch * batch / BATCHES;
    }
    *error = sqrt((squares - sum * sum) / (BATCHES - 1));
    return sum;
}

static struct summary summarise(const double *samples, int dim, int k)
{
    static double values[SAMPLES];
    struct summary s;

    for (int i = 0; i < SAMPLES; i++)
        values[i] = samples[i * dim + k];
    s.mean = batch_mean(values, SAMPLES, &s.mean_error);
    for (int i = 0; i < SAMPLES; i++)
        values[i] = (values[i] - s.mean) * (values[i] - s.mean);
    s.variance = batch_mean(values, SAMPLES, &s.variance_error);
    return s;
}

/*
 * Mean and variance of log ℓ and log σ² by sums over a grid of both; without noise to estimate the second is
 * fixed.
 */
static void quadrature(const struct ckg__fit *fit, struct ckg__arena *arena, double *mean, double *variance)
{
    enum { STEPS = 300 };
    const int noisy = fit->inputs.series->estimated;
    double lower[3], upper[3], total = 0, first[2] = {0}, second[2] = {0};
    struct ckg__fit_work work;

    assert_int_equal(ckg__fit_work_take(&work, fit, arena), CKG_OK);
    box_of(fit, lower, upper);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < (noisy ? STEPS : 1); j++) {
            const double theta[3] = {
                lower[0] + (upper[0] - lower[0]) * (i + 0.5) / STEPS,
                noisy ? lower[1] + (upper[1] - lower[1]) * (j + 0.5) / STEPS : fit->prior.noise_mean, 0};
            const double w = exp(ckg__fit_density(fit, theta, NULL, &work) + 20);
            total += w;
            for (int k = 0; k < 2; k++) {
                first[k] += w * theta[k];
                second[k] += w * theta[k] * theta[k];
            }
        }
    for (int k = 0; k < 2; k++) {
        mean[k] = first[k] / total;
        variance[k] = second[k] / total - mean[k] * mean[k];
    }
}

static void check_sampler(enum process_noise noise, int n, int thin)
{
    static double samples[SAMPLES * 3];
    struct process p;
    struct ckg__rng rng;
    double theta[3], mean[2], variance[2];

    process_make(&p, CKG__MATERN52, 1, n, noise, 26);
    const struct ckg__fit fit = {.inputs = p.inputs, .prior = ckg__prior_default(1)};
    ckg__rng_seed(&rng, 5, (uint64_t)n, 1);
    ckg__fit_start(&fit, 0, theta);
    if (noise != ESTIMATED)
        theta[1] = fit.prior.noise_mean;
    assert_int_equal(ckg__fit_sample(&fit, &rng, 50, SAMPLES, thin, theta, samples, &p.arena), CKG_OK);
    assert_memory_equal(theta, samples + (SAMPLES - 1) * 3, sizeof theta);
    quadrature(&fit, &p.arena, mean, variance);
    for (int k = 0; k < (noise == ESTIMATED ? 2 : 1); k++) {
        const struct summary s = summarise(samples, 3, k);
        print_message("coordinate %d: mean %.3f (%.3f ± %.3f), variance %.3f (%.3f ± %.3f)\n", k, mean[k],
                      s.mean, s.mean_error, variance[k], s.variance, s.variance_error);
        assert_near(s.mean, mean[k], 4 * s.mean_error);
        assert_near(s.variance, variance[k], 4 * s.variance_error);
        assert_true(s.mean_error < 0.1 * sqrt(variance[k]));
    }
    for (int i = 0; i < SAMPLES; i++)
        assert_true(samples[3 * i + 2] == 0 && samples[3 * i] >= fit.prior.ell_low &&
                    samples[3 * i] <= fit.prior.ell_high);
    process_free(&p);
}

static void test_samples_match_quadrature(void **state)
{
    (void)state;
    check_sampler(KNOWN, 6, 1);
    check_sampler(KNOWN, 2, 2); /* the prior, cut by the box, is nearly all there is */
    check_sampler(ESTIMATED, 8, 2);
}

int main(void)
{
    return RUN_TESTS(test_gradient_matches_differences, test_gradient_with_a_prior_of_the_signal,
                     test_density_is_likelihood_and_prior, test_ascend_reaches_the_best_of_a_grid,
                     test_ascend_ends_with_a_small_gradient, test_samples_match_quadrature);
}
