/*
 * Successes and failures: the probit process by expectation propagation, against other ways to the same
 * numbers (tests/reference/make_probit.py).
 *
 * Against expectation propagation that moves one site after the other, and finds the mean by a search, the
 * bound is what that search leaves: 1.5e-5 of the mean. Against the exact posterior of one to three designs
 * the approximation itself shows, most where labels of one kind pile up under a large signal; measured:
 * probabilities within 0.02, log likelihoods within 0.16, means within 0.053 standard deviations, variances
 * within 21 %. For 20 designs the probabilities are those of a long chain to four of its standard errors.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "linalg/normal.h"
#include "model/fit.h"
#include "posterior/posterior.h"
#include "reference/probit.inc"
#include "support/near.h"
#include "support/process.h"
#include "support/test.h"

enum { MOST = 48, POINTS = 3 };

static const int identity[2] = {0, 1};

/* A process of labels, with room for more than a case of the reference has. */
struct labelled {
    struct ckg__arena arena;
    struct ckg__series series;
    struct ckg__gp_inputs inputs;
    struct ckg__gp gp;
    int design[MOST];
    double y[MOST], known[MOST], count[MOST], X[2 * MOST], theta[4];
};

static void add_row(struct labelled *l, const double *x, double passed, double failed)
{
    const int i = l->series.n++;

    l->design[i] = i;
    l->count[i] = passed + failed;
    l->y[i] = (passed - failed) / (passed + failed);
    l->known[i] = 0;
    for (int k = 0; k < l->inputs.d; k++)
        l->X[k * MOST + i] = x[k];
    l->inputs.n = l->series.n;
}

static void set(struct labelled *l)
{
    must(ckg__gp_reserve(&l->gp, l->inputs.d, MOST));
    must(ckg__gp_set(&l->gp, &l->inputs, l->theta, &l->arena));
}

static void make(struct labelled *l, enum ckg__kernel kernel, int d, double precision, const double *theta)
{
    memset(l, 0, sizeof *l);
    ckg__arena_init(&l->arena);
    l->series = (struct ckg__series){.design = l->design,
                                     .y = l->y,
                                     .known = l->known,
                                     .count = l->count,
                                     .likelihood = &ckg__likelihood_probit};
    l->inputs = (struct ckg__gp_inputs){kernel, d,          d,         0,    identity, l->X,
                                        MOST,   &l->series, precision, NULL, 0,        NULL};
    memcpy(l->theta, theta, ((size_t)d + 2) * sizeof *theta);
}

static void make_case(struct labelled *l, const struct probit_case *c, double precision)
{
    make(l, (enum ckg__kernel)c->kernel, c->d, precision, c->theta);
    for (int i = 0; i < c->n; i++) {
        const double x[2] = {c->X[i], c->d > 1 ? c->X[c->n + i] : 0};
        add_row(l, x, c->passed[i], c->failed[i]);
    }
    set(l);
}

static void drop(struct labelled *l)
{
    ckg__gp_free(&l->gp);
    ckg__arena_free(&l->arena);
}

/* --- conditioning --- */

static double probability(double mean, double var)
{
    return ckg__normal_cdf(mean / sqrt(1 + var));
}

struct errors {
    double likelihood, m, mean, var, probability, sampled;
};

/* The errors of a case: means in standard deviations, variances relative. */
static void compare(const struct probit_case *c, const struct labelled *l, struct errors *e)
{
    struct ckg__arena arena;
    struct ckg__view view;

    ckg__arena_init(&arena);
    must(ckg__view_make(&view, &l->gp, POINTS, c->points, POINTS, &arena));
    e->likelihood = fmax(e->likelihood, fabs(l->gp.log_likelihood - c->log_likelihood));
    e->m = fmax(e->m, fabs(l->gp.mean - c->m));
    for (int p = 0; p < POINTS; p++) {
        const double got = probability(view.mean[p], view.var[p]);
        e->mean = fmax(e->mean, fabs(view.mean[p] - c->mean[p]) / sqrt(c->var[p]));
        e->var = fmax(e->var, fabs(view.var[p] / c->var[p] - 1));
        e->probability = fmax(e->probability, fabs(got - c->probability[p]));
        if (c->sampled_error[p] > 0)
            e->sampled = fmax(e->sampled, fabs(got - c->sampled[p]) - 4 * c->sampled_error[p]);
    }
    ckg__arena_free(&arena);
}

static struct errors compare_all(const struct probit_case *cases, int count, double precision)
{
    struct errors e = {0};

    for (int i = 0; i < count; i++) {
        struct labelled l;
        make_case(&l, &cases[i], precision);
        compare(&cases[i], &l, &e);
        drop(&l);
    }
    print_message("%d cases: log likelihood %.2g, m %.2g, mean %.2g, variance %.2g, probability %.2g, chain "
                  "%.2g\n",
                  count, e.likelihood, e.m, e.mean, e.var, e.probability, e.sampled);
    return e;
}

static void test_against_one_site_at_a_time(void **state)
{
    const int count = sizeof probit_ep / sizeof *probit_ep;

    (void)state;
    const struct errors e = compare_all(probit_ep, count, 1);
    assert_true(e.likelihood < 1e-8 && e.m < 1e-4);
    assert_true(e.mean < 1e-5 && e.var < 1e-5 && e.probability < 1e-5);
    assert_true(e.sampled < 0.005);
}

static void test_against_the_exact_posterior(void **state)
{
    const int count = sizeof probit_exact / sizeof *probit_exact;

    (void)state;
    const struct errors e = compare_all(probit_exact, count, INFINITY);
    assert_true(e.likelihood < 0.25 && e.m == 0);
    assert_true(e.mean < 0.08 && e.var < 0.3 && e.probability < 0.03);
}

/* --- the density --- */

struct along {
    const struct ckg__fit *fit;
    const double *theta;
    int k;
    struct ckg__arena *arena;
};

/* From nothing, so that no difference depends on the one before. */
static double density_along(void *context, double step)
{
    const struct along *a = context;
    struct ckg__arena_mark mark = ckg__arena_mark(a->arena);
    struct ckg__fit_work work;
    double theta[4];

    memcpy(theta, a->theta, sizeof theta);
    theta[a->k] += step;
    must(ckg__fit_work_take(&work, a->fit, a->arena));
    const double density = ckg__fit_density(a->fit, theta, NULL, &work);
    ckg__arena_release(a->arena, mark);
    return density;
}

static void test_gradient(void **state)
{
    double worst = 0;
    double apart = 0;

    (void)state;
    for (int i = 0; i < (int)(sizeof probit_ep / sizeof *probit_ep); i++) {
        struct labelled l;
        struct ckg__fit_work work;
        double gradient[4];
        make_case(&l, &probit_ep[i], 1);
        const struct ckg__fit fit = {.inputs = l.inputs, .prior = ckg__likelihood_probit.prior(l.inputs.d)};
        must(ckg__fit_work_take(&work, &fit, &l.arena));

        /* From sites of other hyperparameters, and against differences. */
        double near[4];
        for (int k = 0; k < 4; k++)
            near[k] = l.theta[k] + (k == 2 ? 0 : 0.3);
        const double there = ckg__fit_density(&fit, near, NULL, &work);
        const double density = ckg__fit_density(&fit, l.theta, gradient, &work);
        assert_true(isfinite(there) && isfinite(density) && gradient[2] == 0);
        struct along along = {&fit, l.theta, 0, &l.arena};
        apart = fmax(apart, fabs(density - density_along(&along, 0)));
        for (along.k = 0; along.k < 4; along.k++)
            worst = fmax(worst, fabs(gradient[along.k] - difference(density_along, &along, 0.02)));
        drop(&l);
    }
    print_message("gradient %.2g, density from other sites %.2g\n", worst, apart);
    assert_true(worst < 1e-4 && apart < 1e-8);
}

/*
 * Labels on either side of a sharp edge under a large signal, where sweeps overshoot: from nothing and from
 * other sites the density is the same, and its gradient that of the differences, as where nothing moves any
 * more.
 */
static void test_a_sharp_edge(void **state)
{
    static const double theta[4] = {-1, -0.5, -4, 11};
    struct ckg__rng rng;
    struct labelled l;
    struct ckg__fit_work work;
    double gradient[4];

    (void)state;
    ckg__rng_seed(&rng, 5, 0, 0);
    make(&l, CKG__MATERN52, 2, 1, theta);
    for (int i = 0; i < MOST; i++) {
        const double angle = 6.2831853 * ckg__rng_uniform(&rng);
        const double radius = 0.2 + (i % 3 ? 0.01 : 0.3) * (ckg__rng_uniform(&rng) - 0.5);
        const double x[2] = {0.5 + radius * cos(angle), 0.5 + radius * sin(angle)};
        add_row(&l, x, radius > 0.2, radius <= 0.2);
    }
    const struct ckg__fit fit = {.inputs = l.inputs, .prior = ckg__likelihood_probit.prior(2)};
    struct along along = {&fit, l.theta, 3, &l.arena};
    must(ckg__fit_work_take(&work, &fit, &l.arena));
    for (int i = 0; i < 3; i++) {
        const double from[4] = {theta[0] + 0.4 * i, theta[1], theta[2], theta[3] - 3 * i};
        ckg__fit_density(&fit, from, NULL, &work);
        const double density = ckg__fit_density(&fit, theta, gradient, &work);
        print_message("density %.9f, from nothing %.2g away\n", density, density_along(&along, 0) - density);
        assert_near(density, density_along(&along, 0), 1e-6);
    }
    for (along.k = 0; along.k < 4; along.k++)
        assert_near(gradient[along.k], difference(density_along, &along, 0.02), 1e-3);
    drop(&l);
}

/* --- a further label --- */

static double noise_at(const struct ckg__gp *gp, double mean, double var, double *in_mean, double *in_var)
{
    const double u[2] = {0.3, 0.4};
    double value;
    double in_u[2];
    struct ckg__noise noise = {&value, in_mean, in_var, in_u};

    ckg__posterior_noise(gp, 1, u, 1, &mean, &var, &noise);
    assert_true(in_u[0] == 0 && in_u[1] == 0);
    return value;
}

static void test_slopes_of_the_noise(void **state)
{
    struct labelled l;
    double unused[2];

    (void)state;
    make_case(&l, &probit_ep[4], 1);
    for (double mean = -6; mean <= 6; mean += 0.75)
        for (double var = 0.01; var < 100; var *= 6) {
            const double h = 1e-4;
            double in_mean, in_var;
            const double at = noise_at(&l.gp, mean, var, &in_mean, &in_var);
            const double by_mean = (noise_at(&l.gp, mean + h, var, &unused[0], &unused[1]) -
                                    noise_at(&l.gp, mean - h, var, &unused[0], &unused[1])) /
                                   (2 * h);
            const double by_var = (noise_at(&l.gp, mean, var * (1 + h), &unused[0], &unused[1]) -
                                   noise_at(&l.gp, mean, var * (1 - h), &unused[0], &unused[1])) /
                                  (2 * h * var);
            assert_true(at > 1); /* a label says less than a value with the noise of chance itself */
            assert_near(in_mean, by_mean, 1e-6 * (1 + fabs(at) + fabs(by_mean)));
            assert_near(in_var, by_var, 1e-6 * (1 + fabs(at) / var + fabs(by_var)));
        }

    /* Where nothing is left to doubt, and where all is. */
    double in_mean, in_var;
    assert_true(isfinite(noise_at(&l.gp, 1e6, 1, &in_mean, &in_var)) && in_mean == 0 && isfinite(in_var));
    assert_near(noise_at(&l.gp, 0, 0, &in_mean, &in_var), 1.5707963267948966, 1e-6);
    assert_true(in_mean == 0);
    drop(&l);
}

/* What one label at u does to mean and variance at the points: of a success, of a failure. */
static void add_label(const struct probit_case *c, const double *u, int passed, double *mean, double *var)
{
    struct labelled l;
    struct ckg__view view;

    make_case(&l, c, INFINITY);
    add_row(&l, u, passed, !passed);
    set(&l);
    must(ckg__view_make(&view, &l.gp, POINTS, c->points, POINTS, &l.arena));
    memcpy(mean, view.mean, POINTS * sizeof *mean);
    memcpy(var, view.var, POINTS * sizeof *var);
    drop(&l);
}

/*
 * One step ahead, against conditioning on either label: a label moves the mean with the variance that the
 * measurement standing for it says, σ̃ = cov/√(var + noise), and the probability of success one step ahead is
 * on average what it is now. A label has two values where the normal surprise has a bell: measured, the
 * probability moves by up to 0.073 more on average. Conditioning again also moves the sites of the other
 * labels, which one step ahead leaves alone: over both labels, by at most 0.0038.
 */
static void test_one_step_ahead(void **state)
{
    const double u[2] = {0.45, 0.55};
    double worst = 0;
    double biased = 0;

    (void)state;
    for (int i = 0; i < (int)(sizeof probit_ep / sizeof *probit_ep); i++) {
        const struct probit_case *c = &probit_ep[i];
        struct labelled l;
        struct ckg__view at, view;
        double cov[POINTS], in_mean, in_var, mean[2][POINTS], var[2][POINTS];
        make_case(&l, c, INFINITY);
        must(ckg__view_make(&view, &l.gp, POINTS, c->points, POINTS, &l.arena));
        must(ckg__view_make(&at, &l.gp, 1, u, 1, &l.arena));
        ckg__view_covariance(&l.gp, &view, &at, 0, 1, cov, POINTS);
        const double noise = noise_at(&l.gp, at.mean[0], at.var[0], &in_mean, &in_var);
        const double passes = probability(at.mean[0], at.var[0]);
        for (int passed = 0; passed < 2; passed++)
            add_label(c, u, passed, mean[passed], var[passed]);
        for (int p = 0; p < POINTS; p++) {
            const double now = probability(view.mean[p], view.var[p]);
            const double up = probability(mean[1][p], var[1][p]);
            const double down = probability(mean[0][p], var[0][p]);
            const double by_labels = passes * fabs(up - now) + (1 - passes) * fabs(down - now);

            /* The same of the normal surprise, by the midpoint rule. */
            const double sigma = cov[p] / sqrt(at.var[0] + noise);
            double by_normal = 0;
            for (int q = 0; q < 400; q++) {
                const double z = ckg__normal_quantile((q + 0.5) / 400);
                by_normal += fabs(probability(view.mean[p] + sigma * z, view.var[p] - sigma * sigma) - now) /
                             400;
            }
            worst = fmax(worst, fabs(by_normal - by_labels));
            biased = fmax(biased, fabs(passes * up + (1 - passes) * down - now));
        }
        drop(&l);
    }
    print_message("spread of the probability one step ahead: off by %.2g; average by labels: %.2g\n", worst,
                  biased);
    assert_true(worst < 0.1 && biased < 0.01);
}

/* --- what may happen --- */

/* All labels of one kind, both at one design, hundreds at one design, designs that coincide. */
static void test_extremes(void **state)
{
    static const double theta[4] = {0, 0, -4, 3};
    static const double labels[][2] = {{1, 0}, {0, 1}, {1, 1}, {300, 0}, {0, 300}, {150, 150}, {299, 1}};

    (void)state;
    for (size_t a = 0; a < sizeof labels / sizeof *labels; a++)
        for (size_t b = 0; b < sizeof labels / sizeof *labels; b++) {
            const double x[2] = {0.2, 0.3};
            const double y[2] = {0.2, 0.3 + 1e-9};
            struct labelled l;
            struct ckg__view view;
            make(&l, CKG__MATERN52, 2, 1, theta);
            add_row(&l, x, labels[a][0], labels[a][1]);
            add_row(&l, y, labels[b][0], labels[b][1]);
            set(&l);
            must(ckg__view_make(&view, &l.gp, 1, x, 1, &l.arena));
            const double p = probability(view.mean[0], view.var[0]);
            const double passed = labels[a][0] + labels[b][0];
            const double all = passed + labels[a][1] + labels[b][1];

            /* Near the share of successes, drawn towards the middle by as much as one of each would. */
            assert_near(p, (passed + 1) / (all + 2), 0.6 / sqrt(all + 2));
            assert_true(isfinite(l.gp.log_likelihood) && l.gp.log_likelihood < 0);
            drop(&l);
        }
}

int main(void)
{
    return RUN_TESTS(test_against_one_site_at_a_time, test_against_the_exact_posterior, test_gradient,
                     test_a_sharp_edge, test_slopes_of_the_noise, test_one_step_ahead, test_extremes);
}
