/*
 * An objective that explodes in an infeasible corner does not blind the model: its scale is warped, or the
 * values there count as nearer than they are; predictions stay in the user's units, a limit stays where it
 * is, and the answer is better than without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

/* A bowl with ripples; beyond the diagonal, where nothing is feasible, it grows to about 1e7. */
static void evaluate(const double *x, double *values)
{
    const double beyond = fmax(0, x[0] + x[1] - 1.25);
    values[0] = pow(x[0] - 0.7, 2) + pow(x[1] - 0.6, 2) + 0.05 * sin(9 * x[0]) + 3e7 * pow(beyond, 4);
    values[1] = x[0] + x[1] - 1.15 + 0.1 * sin(5 * x[0]);
}

static ckg_study *run(int warp, uint64_t seed, int evaluations)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 1, 0);

    set_all_noise(problem, CKG_NOISE_NONE, 0);
    options.warp = warp;
    options.seed = seed;
    ckg_study *study = study_of(problem, &options);
    ask_and_tell(study, evaluations, evaluate);
    return study;
}

/* The best feasible value, by a dense grid. */
static double optimum(void)
{
    const int side = test_scale(2000, 200);
    double best = INFINITY;
    for (int i = 0; i <= side; i++)
        for (int j = 0; j <= side; j++) {
            const double x[2] = {(double)i / side, (double)j / side};
            double values[2];
            evaluate(x, values);
            if (values[1] <= 0 && values[0] < best)
                best = values[0];
        }
    return best;
}

/* What the recommendation costs beyond the optimum; an infeasible one counts as 1. */
static double cost(ckg_study *study, double best)
{
    ckg_recommendation *r;
    double values[2];
    assert_int_equal(ckg_study_recommend(study, NULL, &r), 0);
    evaluate(r->x, values);
    ckg_recommendation_free(r);
    return values[1] <= 0 ? values[0] - best : 1;
}

static void test_warp_pays(void **state)
{
    enum { EVALUATIONS = 25 };
    const int seeds = test_scale(6, 2);
    const double best = optimum();
    double with = 0, without = 0;
    int warped = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        ckg_study *on = run(1, seed, EVALUATIONS), *off = run(0, seed, EVALUATIONS);
        ckg_model_info model;
        assert_int_equal(ckg_study_model(on, 0, &model), 0);
        warped += model.warp > 0 || model.outliers > 0;
        assert_int_equal(ckg_study_model(off, 0, &model), 0);
        assert_true(model.warp == 0 && model.outliers == 0);
        assert_string_equal(model.scale, "linear");
        with += cost(on, best) / seeds;
        without += cost(off, best) / seeds;
        ckg_study_free(on);
        ckg_study_free(off);
    }
    print_message("mean cost %.2g with the warp, %.2g without; warped in %d of %d\n", with, without, warped,
                  seeds);
    assert_int_equal(warped, seeds);
    assert_true(with < without);
}

static void test_predictions_are_in_units(void **state)
{
    ckg_study *study = run(1, 3, 25);
    ckg_model_info model;
    int drawn_in = 0;

    (void)state;
    for (int t = 0; t < ckg_study_trials(study); t++) {
        ckg_trial trial;
        double mean[2], sd[2], probability;
        assert_int_equal(ckg_study_trial(study, t, &trial), 0);
        assert_int_equal(ckg_study_predict(study, 1, trial.x, mean, sd, &probability, NULL), 0);

        /* What was measured without noise is predicted as it was, unless it is absurd. */
        const double off[] = {fabs(mean[0] - trial.measured[0].value),
                              fabs(mean[1] - trial.measured[1].value)};
        const int as_measured = off[0] <= 1e-3 * (0.1 + fabs(trial.measured[0].value));
        drawn_in += !as_measured;
        assert_true(as_measured || trial.measured[0].value > 100);
        assert_true(off[1] <= 1e-3 * (0.1 + fabs(trial.measured[1].value)));
        assert_true(fabs(trial.measured[1].value) < 1e-3 ||
                    (probability > 0.5) == (trial.measured[1].value <= 0));
    }
    must(ckg_study_model(study, 0, &model));
    assert_int_equal(drawn_in, model.outliers);
    ckg_study_free(study);
}

/*
 * An outcome that is declared positive is on a log scale from the first value on, whatever the settings, and
 * predictions are above 0 even where it falls towards it.
 */
static void test_declared_positive(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int positive = k % 2;
        ckg_options options = CKG_OPTIONS_INIT;
        ckg_problem *problem = box_problem(1, 0, 1, 1, 0);
        ckg_model_info model;
        double lowest = INFINITY;

        set_all_noise(problem, CKG_NOISE_NONE, 0);
        must(ckg_problem_set_objective(problem, "mass", k / 2 ? CKG_MAXIMIZE : CKG_MINIMIZE));
        must(ckg_problem_set_positive(problem, "mass", positive));
        options.warp = 0;
        ckg_study *study = study_of(problem, &options);
        for (int t = 0; t < 5; t++) {
            const double x = 0.05 + 0.1 * t;
            tell_at(study, &x, (const double[]){1 - 1.7 * x, -1});
        }
        must(ckg_study_model(study, 0, &model));
        assert_string_equal(model.scale, positive ? "log" : "linear");
        must(ckg_study_model(study, 1, &model));
        assert_string_equal(model.scale, "linear");
        for (double x = 0; x <= 1; x += 0.01) {
            double mean[2];
            must(ckg_study_predict(study, 1, &x, mean, NULL, NULL, NULL));
            lowest = fmin(lowest, mean[0]);
        }
        assert_int_equal(lowest > 0, positive);

        /* A value that is not is refused, and leaves the trial as it was. */
        int number;
        must(ckg_study_add(study, &(double){0.99}, &number));
        assert_int_equal(ckg_study_tell(study, number, (const double[]){-0.1, -1}),
                         positive ? CKG_ERR_INVALID : CKG_OK);
        ckg_trial trial;
        must(ckg_study_trial(study, number, &trial));
        assert_int_equal(trial.state, positive ? CKG_PENDING : CKG_COMPLETE);
        ckg_study_free(study);
    }
}

int main(void)
{
    return RUN_TESTS(test_warp_pays, test_predictions_are_in_units, test_declared_positive);
}
