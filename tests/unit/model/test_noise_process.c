/*
 * Noise that varies over the space, against values with 50 digits that know nothing of pooled rows
 * (tests/reference/make_noise_process.py): the density of the values, the most probable noise_process and its
 * evidence. Slopes against differences.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "model/gp_private.h"
#include "model/noise_process.h"
#include "model/likelihood.h"
#include "posterior/posterior.h"
#include "reference/noise_process.inc"
#include "support/near.h"
#include "support/test.h"

enum { N = 10, D = 2, PLACES = 3 };

static const int group[D] = {0, 1};
static const int design[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* The reference's data, its noise the same everywhere. */
static struct ckg__series plain_series(void)
{
    struct ckg__series series = {.n = N,
                                 .likelihood = &ckg__likelihood_normal,
                                 .design = (int *)design,
                                 .y = (double *)loud_y,
                                 .known = (double *)loud_known,
                                 .count = (double *)loud_count,
                                 .squares = (double *)loud_squares,
                                 .estimated = 1};

    for (int i = 0; i < N; i++) {
        if (loud_known[i] >= 0)
            continue;
        series.extra += loud_count[i] - 1;
        series.within += loud_squares[i];
        series.constant -= 0.5 * log(loud_count[i]);
    }
    return series;
}

static struct ckg__fit fit_of(const struct ckg__series *series)
{
    return (struct ckg__fit){
        .inputs = {.kernel = CKG__RBF,
                   .d = D,
                   .D = D,
                   .n = N,
                   .group = group,
                   .X = loud_X,
                   .ldx = N,
                   .series = series,
                   .mean_precision = 1},
        .prior = ckg__prior_default(D),
    };
}

/* The noise_process that the reference was given. */
static struct ckg__noise_process given(double *room)
{
    struct ckg__noise_fit loud = {.places = PLACES, .s2 = loud_given_s2};
    double u[N * D];

    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            u[i * D + k] = loud_X[k * N + i];
    for (int b = 0; b < PLACES; b++) {
        loud.design[b] = loud_places[b];
        loud.weight[b] = loud_given_weights[b];
    }
    for (int k = 0; k < D; k++)
        loud.inv_ell[k] = 1 / loud_given_ell[k];
    return ckg__noise_process_lay_out(&loud, D, group, u, room);
}

struct varied {
    struct ckg__arena arena;
    struct ckg__series plain, series;
    struct ckg__noise_process noise_process;
    struct ckg__fit fit;
    double g[N], relative[N];
    double room[D + (D + 1) * PLACES];
    double theta[D + 2];
    int coordinate;
    struct ckg__fit_work work;
    struct ckg__gp gp;
};

static void begin(struct varied *v)
{
    memset(v, 0, sizeof *v);
    ckg__arena_init(&v->arena);
    v->plain = plain_series();
    v->noise_process = given(v->room);
    ckg__noise_process_at(&v->noise_process, N, loud_X, N, v->g, NULL);
    v->series = ckg__series_vary(&v->plain, v->g, v->relative);
    v->series.state = &v->noise_process;
    v->series.likelihood = &ckg__likelihood_varying;
    v->fit = fit_of(&v->series);
    memcpy(v->theta, loud_theta, sizeof v->theta);
    assert_int_equal(ckg__fit_work_take(&v->work, &v->fit, &v->arena), CKG_OK);
}

static void end(struct varied *v)
{
    ckg__gp_free(&v->gp);
    ckg__arena_free(&v->arena);
}

static void test_density_is_that_of_single_values(void **state)
{
    struct varied v;

    (void)state;
    begin(&v);
    for (int i = 0; i < N; i++)
        assert_near(v.g[i], loud_g[i], 1e-14);
    assert_near(v.series.likelihood->density(&v.fit.inputs, v.theta, NULL, &v.work), loud_density, 1e-11);

    /* And so is that of the process. */
    assert_int_equal(ckg__gp_reserve(&v.gp, D, N), CKG_OK);
    assert_int_equal(ckg__gp_set(&v.gp, &v.fit.inputs, v.theta, &v.arena), CKG_OK);
    assert_near(v.gp.log_likelihood, loud_density, 1e-11);
    end(&v);
}

static double density_beside(void *context, double step)
{
    struct varied *v = context;
    double theta[D + 2];

    memcpy(theta, v->theta, sizeof theta);
    theta[v->coordinate] += step;
    return ckg__fit_density(&v->fit, theta, NULL, &v->work);
}

static void test_slopes_of_the_density(void **state)
{
    struct varied v;
    double gradient[D + 2];

    (void)state;
    begin(&v);
    ckg__fit_density(&v.fit, v.theta, gradient, &v.work);
    for (v.coordinate = 0; v.coordinate <= D; v.coordinate++)
        assert_near(gradient[v.coordinate], difference(density_beside, &v, 1e-3), 1e-8);
    end(&v);
}

/* The noise of a further evaluation at (0.3, 0.8), a step along a coordinate. */
static double noise_beside(void *context, double step)
{
    struct varied *v = context;
    double u[D] = {0.3, 0.8};
    const double mean = 0;
    const double var = 1;
    double noise;

    u[v->coordinate] += step;
    ckg__posterior_noise(&v->gp, 1, u, 1, &mean, &var, &(struct ckg__noise){.var = &noise});
    return noise;
}

static void test_noise_of_a_further_evaluation(void **state)
{
    const double u[D] = {0.3, 0.8};
    const double mean = 0;
    const double var = 1;
    double noise, in_mean, in_var, in_u[D], g;
    struct varied v;

    (void)state;
    begin(&v);
    assert_int_equal(ckg__gp_reserve(&v.gp, D, N), CKG_OK);
    assert_int_equal(ckg__gp_set(&v.gp, &v.fit.inputs, v.theta, &v.arena), CKG_OK);
    assert_true(ckg__posterior_noise_varies(&v.gp));
    ckg__posterior_noise(&v.gp, 1, u, 1, &mean, &var, &(struct ckg__noise){&noise, &in_mean, &in_var, in_u});

    /* As loud as it is there. */
    ckg__noise_process_at(&v.noise_process, 1, u, 1, &g, NULL);
    assert_near(noise, exp(loud_theta[D] + g) + ckg__gp_nugget_variance(&v.gp), 1e-15);
    assert_near(in_mean, 0, 0);
    assert_near(in_var, 0, 0);
    for (v.coordinate = 0; v.coordinate < D; v.coordinate++)
        assert_near(in_u[v.coordinate], difference(noise_beside, &v, 1e-3), 1e-10);

    /* At a row, its factor on the variance is that of the row's noise. */
    assert_near(v.gp.row_noise[4] * loud_count[4], exp(loud_theta[D] + loud_g[4]), 1e-15);
    assert_near(v.gp.row_noise[6], loud_known[6], 0);
    end(&v);
}

static void test_fit_finds_the_most_probable(void **state)
{
    const struct ckg__series series = plain_series();
    const struct ckg__fit fit = fit_of(&series);
    struct ckg__noise_fit loud = {0};
    struct ckg__noise_found found;
    struct ckg__arena arena;
    double u[N * D], room[D + (D + 1) * CKG__NOISE_PLACES];
    double theta[D + 2], g[N];

    (void)state;
    ckg__arena_init(&arena);
    memcpy(theta, loud_theta, sizeof theta);
    assert_int_equal(ckg__noise_process_fit(&fit, theta, &loud, &found, &arena), CKG_OK);

    /* The scales are those that the reference has. */
    assert_int_equal(loud.places, 8);
    assert_near(loud.s2, loud_scale_s2, 0);
    for (int k = 0; k < D; k++)
        assert_near(1 / loud.inv_ell[k], loud_scale_ell[k], 1e-15);

    /*
     * Level, course and evidence: scoring ends where a step would gain 1e-6, which leaves 1.4e-3 of an
     * unknown at least, and those make up the course by sqrt(6) and more.
     */
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++)
            u[i * D + k] = loud_X[k * N + i];
    const struct ckg__noise_process noise_process = ckg__noise_process_lay_out(&loud, D, group, u, room);
    ckg__noise_process_at(&noise_process, N, loud_X, N, g, NULL);
    for (int i = 0, a = 0; i < N; i++)
        if (loud_known[i] < 0)
            assert_near(theta[D] + g[i], loud_course[a++], 1e-2);
    assert_near(theta[D], loud_level, 1e-2);
    assert_near(found.evidence, loud_evidence, 1e-3);

    /* From there on nothing moves. */
    const struct ckg__noise_fit before = loud;
    const double evidence = found.evidence;
    assert_int_equal(ckg__noise_process_fit(&fit, theta, &loud, &found, &arena), CKG_OK);
    assert_near(loud.s2, before.s2, 0);
    assert_near(found.evidence, evidence, 1e-3);
    ckg__arena_free(&arena);
}

int main(void)
{
    return RUN_TESTS(test_density_is_that_of_single_values, test_slopes_of_the_density,
                     test_noise_of_a_further_evaluation, test_fit_finds_the_most_probable);
}
