/*
 * A likelihood of the test's own, behind the seam of model/likelihood.h: measurements whose noise varies over
 * the designs, and moves with what the process says there, as that of successes and failures would. The
 * acquisitions must ask for the noise at the candidate, and their gradients must follow it.
 *
 * Gradients agree with five-point differences to 1.2e-5 (cKG, which bends sharply where another line takes
 * the lead: 5.4e-5 with the same noise everywhere) and 1.1e-8 (cMES) of the largest component; without the
 * slopes of the noise they are off by a tenth.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "acquisition/cmes.h"
#include "acquisition/kg.h"
#include "acquisition/kg_inner.h"
#include "acquisition/pesc.h"
#include "support/near.h"
#include "support/scene.h"
#include "support/test.h"

enum { POINTS = 20, NODES = 5 };

/* --- the likelihood --- */

static int condition(struct ckg__gp *gp, const struct ckg__gp_inputs *inputs, const double *theta,
                     struct ckg__arena *arena)
{
    return ckg__likelihood_normal.condition(gp, inputs, theta, arena);
}

static double density(const struct ckg__gp_inputs *inputs, const double *theta, double *gradient,
                      struct ckg__fit_work *work)
{
    return ckg__likelihood_normal.density(inputs, theta, gradient, work);
}

static double noise_at(double u0, double mean, double var)
{
    return 0.01 + 0.5 * u0 * u0 + 0.2 * mean * mean + 0.3 * var;
}

static void noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out)
{
    (void)ldu;
    for (int p = 0; p < m; p++) {
        out->var[p] = noise_at(U[p], mean[p], var[p]);
        if (out->in_mean)
            out->in_mean[p] = 0.4 * mean[p];
        if (out->in_var)
            out->in_var[p] = 0.3;
        for (int k = 0; out->in_u && k < gp->D; k++)
            out->in_u[k * m + p] = k ? 0 : U[p];
    }
}

static const struct ckg__likelihood uneven = {
    .name = "uneven", .traits = CKG__VARIES, .density = density, .condition = condition, .noise = noise};

static void uneven_scene(struct scene *s, uint64_t seed)
{
    scene_make(s, CKG__MATERN52, 0, seed);
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        s->process[j].series.likelihood = &uneven;
        process_set(&s->process[j]);
    }
}

/* --- what one further evaluation does --- */

/* The look-ahead of posterior.h against a process that has the observation. */
static void test_one_further_evaluation(void **state)
{
    const double u[SCENE_D] = {0.7, 0.2};
    double U[SCENE_D * POINTS], cov[POINTS];
    struct scene s;

    (void)state;
    uneven_scene(&s, 5);
    random_points(&s.process[0].rng, SCENE_D, POINTS, U);
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        struct ckg__gp *gp = &s.process[j].gp;
        struct ckg__view before, after, at;
        double variance;

        must(ckg__view_make(&before, gp, POINTS, U, POINTS, &s.arena));
        must(ckg__view_make(&at, gp, 1, u, 1, &s.arena));
        ckg__view_covariance(gp, &before, &at, 0, 1, cov, POINTS);
        ckg__posterior_noise(gp, 1, u, 1, at.mean, at.var, &(struct ckg__noise){.var = &variance});
        assert_true(variance == noise_at(u[0], at.mean[0], at.var[0]));

        const double surprise = sqrt(at.var[0] + variance);
        const int rows = gp->n;
        must(ckg__gp_append(gp, 77, u, at.mean[0] + 1.3 * surprise, variance - ckg__gp_nugget_variance(gp)));
        assert_int_equal(gp->design[rows], 77);
        assert_near(gp->row_noise[rows], variance, 1e-9);
        must(ckg__view_make(&after, gp, POINTS, U, POINTS, &s.arena));
        for (int p = 0; p < POINTS; p++) {
            const double sigma = cov[p] / surprise;
            assert_near(after.mean[p], before.mean[p] + 1.3 * sigma, 1e-8);
            assert_near(after.var[p], fmax(before.var[p] - sigma * sigma, 0), 1e-8);
        }
        ckg__gp_truncate(gp, rows);
    }
    scene_free(&s);
}

/* A pending design is believed with the noise of its own place. */
static void test_pending_designs(void **state)
{
    const double u[SCENE_D] = {0.7, 0.2};
    struct scene s;

    (void)state;
    uneven_scene(&s, 6);
    struct ckg__gp *gp = &s.process[1].gp;
    const int rows = gp->n;
    struct ckg__view at;
    must(ckg__view_make(&at, gp, 1, u, 1, &s.arena));
    must(ckg__posterior_assume(gp, 5, u, 0, &s.arena));
    assert_near(gp->row_noise[rows], noise_at(u[0], at.mean[0], at.var[0]), 1e-9);
    must(ckg__posterior_assume(gp, 6, u, 1, &s.arena));
    assert_true(gp->row_noise[rows + 1] == 0);
    scene_free(&s);
}

/* --- gradients --- */

struct discretisation {
    double U[SCENE_D * POINTS], gain[POINTS], z[NODES * (SCENE_OUTCOMES - 1)];
    struct ckg__nodes nodes;
    struct ckg__kg kg;
};

static struct discretisation set;

static void discretise(struct scene *s)
{
    struct ckg__rng *rng = &s->process[0].rng;

    random_points(rng, SCENE_D, POINTS, set.U);
    for (int i = 0; i < NODES * (SCENE_OUTCOMES - 1); i++)
        set.z[i] = ckg__rng_normal(rng);
    set.nodes = (struct ckg__nodes){NODES, SCENE_OUTCOMES - 1, set.z};
    set.kg = (struct ckg__kg){
        .belief = &s->belief, .nodes = &set.nodes, .m = POINTS, .r = 3, .gain = set.gain};
    must(ckg__belief_views(&s->belief, POINTS, set.U, POINTS, &s->arena, set.kg.view));
    for (int p = 0; p < POINTS; p++)
        set.gain[p] = set.kg.view[0].mean[p] - s->belief.penalty;
}

static int kg_function(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    for (int p = 0; p < m; p++) {
        const double u[SCENE_D] = {U[p], U[m + p]};
        double slope[SCENE_D], again;
        must(ckg__kg_gradient(&set.kg, u, NULL, &s->arena, &value[p], slope));
        must(ckg__kg_value_at(&set.kg, u, &s->arena, &again));
        assert_near(again, value[p], 1e-12 * (1 + fabs(again)));
        gradient[p] = slope[0];
        gradient[m + p] = slope[1];
    }
    return CKG_OK;
}

static int cmes_function(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    static const double best[] = {-0.4, 0.3, 1.1};
    const struct ckg__cmes cmes = {3, 0, best};
    double of_views[64];

    must(ckg__cmes_batch(&s->belief, &cmes, m, U, m, &s->arena, of_views, NULL));
    must(ckg__cmes_batch(&s->belief, &cmes, m, U, m, &s->arena, value, gradient));
    for (int p = 0; p < m; p++)
        assert_near(of_views[p], value[p], 1e-11 * (1 + fabs(value[p])));
    return CKG_OK;
}

static void test_gradients(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 26; seed++) {
        struct scene s;
        uneven_scene(&s, seed);
        discretise(&s);
        const double of_kg = scene_gradient_error(&s, kg_function, 8);
        const double of_cmes = scene_gradient_error(&s, cmes_function, 8);
        print_message("seed %d: kg %.2g, cmes %.2g\n", (int)seed, of_kg, of_cmes);
        assert_true(of_kg < 1e-4 && of_cmes < 1e-6);
        scene_free(&s);
    }
}

/* --- values --- */

/* More noise there, less to learn: the shares of pesc and the inner problem's scale know the candidate's own
 * noise. */
static void test_values_know_the_noise(void **state)
{
    const double u[SCENE_D] = {0.9, 0.3};
    struct scene s;
    struct ckg__kg_sample sample = {.z = NULL};
    struct ckg__view at[SCENE_OUTCOMES];

    (void)state;
    uneven_scene(&s, 31);
    must(ckg__kg_sample_take(&sample, &s.belief, u, &s.arena));
    must(ckg__belief_views(&s.belief, 1, u, 1, &s.arena, at));
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        const double carried = noise_at(u[0], at[j].mean[0], at[j].var[0]);
        assert_near(sample.scale[j], 1 / sqrt(at[j].var[0] + carried), 1e-12);
    }

    /* What an evaluation can tell of an outcome is at most ½ log(1 + var/noise). */
    struct ckg__pesc pesc;
    double U[SCENE_D * POINTS], value, share[SCENE_OUTCOMES];
    random_points(&s.process[0].rng, SCENE_D, POINTS, U);
    must(ckg__pesc_take(&pesc, &s.belief, POINTS, U, POINTS, 1, &s.arena));
    pesc.draw[0].star = 4;
    pesc.draw[0].weight = 1;
    must(ckg__pesc_condition(&pesc, 0, 20, &s.arena));
    must(ckg__pesc_keep(&pesc, 0, &s.arena));
    must(ckg__pesc_at(&pesc, 1, u, 1, &s.arena, &value, share));
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        const double carried = noise_at(u[0], at[j].mean[0], at[j].var[0]);
        assert_true(share[j] >= 0 && share[j] <= 0.5 * log1p(at[j].var[0] / carried) + 1e-12);
    }
    scene_free(&s);
}

int main(void)
{
    return RUN_TESTS(test_one_further_evaluation, test_pending_designs, test_gradients,
                     test_values_know_the_noise);
}
