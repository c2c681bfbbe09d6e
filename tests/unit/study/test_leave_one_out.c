/*
 * Leave-one-out predictions in the user's units: each design against processes that are conditioned on all
 * other rows anew with the same hyperparameters, averaged over the samples and scaled back. The bound is
 * relative to the spread of the values: 1e-6 with noise, 1e-3 without, where the nugget of 1e-11 leaves a
 * condition of 1e12 (see tests/unit/model/test_leave.c).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/ckg.h>

#include "model/gp_private.h"
#include "posterior/posterior.h"
#include "study/study.h"
#include "support/near.h"
#include "support/test.h"

enum { DESIGNS = 14, TRIALS = 20, FAILED = 5, PARTLY = 6, MOST = 64 };

/*
 * The last trials repeat the first designs. Trial FAILED fails, trial PARTLY measures the constraint alone,
 * trial 7 knows its noise. heavy: 1: the objective ranges over decades; 2: and has both signs.
 */
static ckg_study *new_study(enum ckg_noise noise, int heavy, int samples)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;
    options.samples = samples;
    options.warp = heavy > 0;
    assert_int_equal(ckg_problem_new(&p), CKG_OK);
    assert_int_equal(ckg_problem_add_real(p, "x", 0.1, 10, CKG_LOG), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(p, "k", 0, 9), CKG_OK);
    assert_int_equal(ckg_problem_add_constraint(p, "c", -INFINITY, 1), CKG_OK);
    for (int j = 0; j < 2; j++)
        assert_int_equal(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), noise, 0.1), CKG_OK);
    assert_int_equal(ckg_study_new(&s, p, &options), CKG_OK);
    ckg_problem_free(p);
    for (int t = 0; t < (noise == CKG_NOISE_NONE ? DESIGNS : TRIALS); t++) {
        const int i = t % DESIGNS;
        const double x[] = {0.1 * pow(100, (i + 0.5) / DESIGNS), (i * 7) % 10},
                     jitter = noise == CKG_NOISE_NONE ? 0 : 0.1 * sin(37.0 * t);
        const double f = sin(x[0]) + 0.2 * x[1];
        const double tails[] = {f, exp(3 * f), sinh(3 * (f - 1))};
        const ckg_measurement m[] = {{0, tails[heavy] + jitter, t == 7 ? 0.3 : CKG_SD_DEFAULT},
                                     {1, cos(x[0]) + jitter, CKG_SD_DEFAULT}};
        int trial;
        assert_int_equal(ckg_study_add(s, x, &trial), CKG_OK);
        if (t == FAILED)
            assert_int_equal(ckg_study_tell_failed(s, t), CKG_OK);
        else
            assert_int_equal(ckg_study_tell_measured(s, t, t == PARTLY ? 1 : 2, t == PARTLY ? m + 1 : m),
                             CKG_OK);
    }
    return s;
}

/*
 * Mean and variance at the design under sample k of the model, from the rows of other designs, in model
 * units.
 */
static void without_design(const ckg_study *s, int outcome, int k, int design, double *mean, double *var)
{
    const struct ckg__surrogate *model = &s->models.surrogate[outcome];
    const struct ckg__gp *gp = model->gp[k];
    const int D = s->problem->D, d = s->problem->d;
    double X[2 * MOST], y[MOST], known[MOST], count[MOST], theta[4];
    int design_of[MOST];
    struct ckg__series rest = model->series;
    struct ckg__gp fresh = {0};
    struct ckg__arena arena;
    struct ckg__view view;
    rest.n = 0;
    for (int i = 0; i < model->series.n; i++) {
        if (model->series.design[i] == design)
            continue;
        for (int c = 0; c < D; c++)
            X[c * MOST + rest.n] = s->data.u[model->series.design[i] * D + c];
        y[rest.n] = model->series.y[i];
        known[rest.n] = model->series.known[i];
        design_of[rest.n] = model->series.design[i];
        count[rest.n++] = model->series.count[i];
    }
    rest.y = y;
    rest.known = known;
    rest.count = count;
    rest.design = design_of;
    for (int i = 0; i < d; i++)
        theta[i] = -log(gp->inv_ell[s->problem->parameters[i].offset]);
    theta[d] = log(gp->noise > 0 ? gp->noise : 1);
    theta[d + 1] = log(gp->k.s2);
    const struct ckg__gp_inputs inputs = {gp->k.kernel, d, D,   rest.n, s->models.group, X, MOST, &rest, 1,
                                          NULL,         0, NULL};
    ckg__arena_init(&arena);
    assert_int_equal(ckg__gp_reserve(&fresh, D, MOST), CKG_OK);
    assert_int_equal(ckg__gp_set(&fresh, &inputs, theta, &arena), CKG_OK);
    assert_int_equal(ckg__view_make(&view, &fresh, 1, s->data.u + design * D, 1, &arena), CKG_OK);
    *mean = view.mean[0];
    *var = view.var[0];
    ckg__gp_free(&fresh);
    ckg__arena_free(&arena);
}

static void brute_force(const ckg_study *s, int outcome, int design, double *mean, double *sd)
{
    const struct ckg__surrogate *model = &s->models.surrogate[outcome];
    double first = 0, second = 0, within = 0;
    for (int k = 0; k < model->samples; k++) {
        double one, var;
        without_design(s, outcome, k, design, &one, &var);
        first += one / model->samples;
        second += one * one / model->samples;
        within += var / model->samples;
    }
    ckg__scaling_moments(&model->scaling, first, sqrt(within + fmax(second - first * first, 0)), mean, sd);
}

static void check(enum ckg_noise noise, int heavy, int samples)
{
    ckg_study *s = new_study(noise, heavy, samples);
    const int trials = ckg_study_trials(s);
    for (int outcome = 0; outcome < 2; outcome++) {
        double mean[TRIALS], sd[TRIALS], measured[TRIALS], want_mean, want_sd;
        assert_int_equal(ckg_study_leave_one_out(s, outcome, mean, sd, measured), CKG_OK);
        const struct ckg__surrogate *model = &s->models.surrogate[outcome];
        for (int t = 0; t < trials; t++) {
            if (t == FAILED || (t == PARTLY && !outcome)) {
                assert_true(isnan(mean[t]) && isnan(sd[t]) && isnan(measured[t]));
                continue;
            }
            brute_force(s, outcome, s->data.trial[t].design, &want_mean, &want_sd);
            const double unit = fmax(want_sd, model->scaling.scale) * (noise == CKG_NOISE_NONE ? 1e-3 : 1e-6);
            assert_near(mean[t], want_mean, unit);
            assert_near(sd[t], want_sd, unit);
            if (noise == CKG_NOISE_NONE && (t != 7 || outcome))
                assert_near(measured[t], sd[t], 0);
            else if (noise == CKG_NOISE_KNOWN && !heavy)
                assert_near(measured[t], hypot(sd[t], t == 7 && !outcome ? 0.3 : 0.1), 1e-9);
            else
                assert_true(measured[t] > sd[t]);
        }
    }
    ckg_study_free(s);
}

static void test_exact(void **state)
{
    (void)state;
    check(CKG_NOISE_NONE, 0, 1);
}

static void test_known(void **state)
{
    (void)state;
    check(CKG_NOISE_KNOWN, 0, 4);
}

static void test_estimated(void **state)
{
    (void)state;
    check(CKG_NOISE_AUTO, 0, 4);
}

/* The scales must be in use, or this would test nothing new. */
static void test_scales(void **state)
{
    static const char *const scales[] = {"log", "asinh"};

    (void)state;
    for (int heavy = 1; heavy <= 2; heavy++) {
        ckg_study *s = new_study(CKG_NOISE_KNOWN, heavy, 2);
        ckg_model_info model;
        assert_int_equal(ckg_study_model(s, 0, &model), CKG_OK);
        assert_string_equal(model.scale, scales[heavy - 1]);
        ckg_study_free(s);
        check(CKG_NOISE_KNOWN, heavy, 2);
    }
}

static void test_edges(void **state)
{
    (void)state;
    ckg_problem *p;
    ckg_study *s;
    double mean[2], sd[2];
    const double x = 0.5, other = 0.2, value = 3;
    int trial;
    assert_int_equal(ckg_problem_new(&p), CKG_OK);
    assert_int_equal(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_study_new(&s, p, NULL), CKG_OK);
    assert_int_equal(ckg_study_leave_one_out(s, 0, NULL, NULL, NULL), CKG_OK);
    assert_int_equal(ckg_study_leave_one_out(s, 1, mean, sd, NULL), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_leave_one_out(NULL, 0, mean, sd, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_add(s, &x, &trial), CKG_OK);
    assert_int_equal(ckg_study_leave_one_out(s, 0, mean, sd, NULL), CKG_OK);
    assert_true(isnan(mean[0]) && isnan(sd[0]));
    assert_int_equal(ckg_study_tell(s, trial, &value), CKG_OK);
    assert_int_equal(ckg_study_leave_one_out(s, 0, mean, sd, NULL), CKG_OK);
    assert_true(isnan(mean[0]) && isnan(sd[0])); /* there is no other design to predict it from */
    assert_int_equal(ckg_study_add(s, &other, &trial), CKG_OK);
    assert_int_equal(ckg_study_tell(s, trial, &value), CKG_OK);
    assert_int_equal(ckg_study_leave_one_out(s, 0, mean, sd, NULL), CKG_OK);
    assert_true(isfinite(mean[0]) && sd[0] > 0);
    ckg_study_free(s);
    ckg_problem_free(p);
}

int main(void)
{
    return RUN_TESTS(test_exact, test_known, test_estimated, test_scales, test_edges);
}
