/*
 * Legal data never make the library fail, however poor they are: ask, predict, score, recommend, model and
 * penalty work and give finite numbers within their ranges. CKG_SLOW_TESTS in the environment adds the large
 * cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { PROBES = 5, MAX_D = 20 };

/* --- problems and data --- */

/* d reals in [0, 1] and K constraints value <= 0.5, all of one kind of noise. */
static ckg_problem *new_problem(int d, int K, enum ckg_noise noise)
{
    ckg_problem *p = box_problem(d, 0, 1, K, 0.5);

    set_all_noise(p, noise, 0.1);
    return p;
}

static ckg_options options_from(int initial)
{
    ckg_options o = CKG_OPTIONS_INIT;

    o.initial = initial;
    o.samples = 2;
    return o;
}

static ckg_study *plain_study(int d, int K, enum ckg_noise noise)
{
    const ckg_options o = options_from(0);

    return study_of(new_problem(d, K, noise), &o);
}

/* The i-th of a sequence of designs in the unit cube that fill it somehow (Weyl). */
static void weyl(int i, int d, double *x)
{
    for (int k = 0; k < d; k++)
        x[k] = fmod((i + 0.5) * sqrt(2 + 3 * k), 1);
}

/* A smooth function of the design for every outcome. */
static double smooth(const double *x, int d, int outcome)
{
    double sum = 0;

    for (int k = 0; k < d; k++)
        sum += sin(3 * x[k] + outcome + k);
    return sum / d;
}

static int add(ckg_study *s, const double *x)
{
    int trial;

    must(ckg_study_add(s, x, &trial));
    return trial;
}

/* Tells the next design of the sequence smooth values of every outcome, times `scale`. */
static void tell_smooth(ckg_study *s, double scale)
{
    const int d = ckg_problem_dimension(ckg_study_problem(s)),
              K = ckg_problem_constraints(ckg_study_problem(s));
    double x[MAX_D], values[1 + CKG_MAX_CONSTRAINTS];

    weyl(ckg_study_trials(s), d, x);
    for (int j = 0; j <= K; j++)
        values[j] = scale * smooth(x, d, j);
    must(ckg_study_tell(s, add(s, x), values));
}

/* Tells a design one objective and one constraint. */
static void tell_two(ckg_study *s, const double *x, double objective, double constraint)
{
    const double values[] = {objective, constraint};

    must(ckg_study_tell(s, add(s, x), values));
}

/* --- what must hold whatever the data --- */

static void check_design(const ckg_problem *p, const double *x)
{
    for (int i = 0; i < ckg_problem_dimension(p); i++)
        assert_finite(x[i]);
}

static int is_measured(const ckg_study *s, int outcome)
{
    for (int t = 0; t < ckg_study_trials(s); t++) {
        ckg_trial trial;
        must(ckg_study_trial(s, t, &trial));
        for (int i = 0; i < trial.count; i++)
            if (trial.measured[i].outcome == outcome)
                return 1;
    }
    return 0;
}

static int constraints_measured(const ckg_study *s)
{
    int all = 1;
    for (int j = 1; j <= ckg_problem_constraints(ckg_study_problem(s)); j++)
        all &= is_measured(s, j);
    return all;
}

/* Finite where it can be known, NAN where it cannot. */
static void assert_known(int known, double value)
{
    if (known)
        assert_finite(value);
    else
        assert_true(isnan(value));
}

static void check_predictions(const ckg_study *s, const double *mean, const double *sd, double feasible)
{
    for (int j = 0; j <= ckg_problem_constraints(ckg_study_problem(s)); j++) {
        assert_known(is_measured(s, j), mean[j]);
        assert_known(is_measured(s, j), sd[j]);
        assert_false(sd[j] < 0);
    }
    assert_known(constraints_measured(s), feasible);
    assert_false(feasible < 0 || feasible > 1);
}

static void check_predict(ckg_study *s, const double *X)
{
    const int K = ckg_problem_constraints(ckg_study_problem(s));
    double mean[PROBES * (1 + CKG_MAX_CONSTRAINTS)], sd[PROBES * (1 + CKG_MAX_CONSTRAINTS)], feasible[PROBES],
        utility[PROBES];

    must(ckg_study_predict(s, PROBES, X, mean, sd, feasible, utility));
    for (int p = 0; p < PROBES; p++) {
        check_predictions(s, mean + (size_t)p * (size_t)(1 + K), sd + (size_t)p * (size_t)(1 + K),
                          feasible[p]);
        assert_known(constraints_measured(s) && is_measured(s, 0), utility[p]);
    }
}

static void check_score(ckg_study *s, const double *X)
{
    double value[PROBES];

    must(ckg_study_score(s, "ckg", PROBES, X, value));
    for (int p = 0; p < PROBES; p++) {
        assert_finite(value[p]);
        assert_true(value[p] >= 0);
    }
    must(ckg_study_score(s, "cei", PROBES, X, value));
    for (int p = 0; p < PROBES; p++)
        assert_finite(value[p]);
}

static void check_model(ckg_study *s)
{
    const ckg_problem *p = ckg_study_problem(s);
    double penalty;

    for (int j = 0; j <= ckg_problem_constraints(p); j++) {
        ckg_model_info info;
        must(ckg_study_model(s, j, &info));
        const int known = is_measured(s, j);
        for (int i = 0; i < ckg_problem_dimension(p); i++) {
            assert_known(known, info.lengthscales[i]);
            assert_false(info.lengthscales[i] <= 0);
        }
        assert_known(known, info.signal_sd);
        assert_known(known, info.noise_sd);
        assert_known(known, info.mean);
        assert_known(known, info.log_likelihood);
        assert_known(known, info.nugget);
        assert_false(info.signal_sd <= 0 || info.noise_sd < 0);
        assert_true(info.samples >= 1 && (info.observations > 0) == known);
    }
    must(ckg_study_penalty(s, &penalty));
    assert_known(is_measured(s, 0), penalty);
}

static void check_recommend(ckg_study *s, int rule, int evaluated_only)
{
    ckg_recommend_options o = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;

    o.rule = rule;
    o.evaluated_only = evaluated_only;
    if (!is_measured(s, 0) || (rule == CKG_RULE_PROBABILITY && !constraints_measured(s))) {
        assert_int_equal(ckg_study_recommend(s, &o, &r), CKG_ERR_STATE);
        return;
    }
    must(ckg_study_recommend(s, &o, &r));
    check_design(ckg_study_problem(s), r->x);
    check_predictions(s, r->mean, r->sd, r->probability_feasible);
    assert_known(constraints_measured(s), r->utility);
    assert_finite(r->penalty);
    ckg_recommendation_free(r);
}

/* The design that is suggested can be recorded, so it lies within the ranges; it stays pending. */
static void check_ask(ckg_study *s)
{
    ckg_suggestion *a;

    must(ckg_study_ask(s, &a));
    check_design(ckg_study_problem(s), a->x);
    must(ckg_study_predict(s, 1, a->x, NULL, NULL, NULL, NULL));
    assert_non_null(a->path);
    if (strcmp(a->path, "design") != 0 && strcmp(a->path, "random") != 0) {
        check_predictions(s, a->mean, a->sd, a->probability_feasible);
        for (int j = 0; j < a->constraints; j++) {
            assert_known(is_measured(s, j + 1), a->probability[j]);
            assert_false(a->probability[j] < 0 || a->probability[j] > 1);
        }
        if (strcmp(a->path, "explore") != 0)
            assert_finite(a->value);
    }
    ckg_suggestion_free(a);
}

/* Everything once, then, but for a light run, with a pending design once more; the study is freed. */
static void exercise(ckg_study *s)
{
    const int d = ckg_problem_dimension(ckg_study_problem(s));
    double X[PROBES * MAX_D];

    for (int p = 0; p < PROBES; p++)
        weyl(p < 2 ? p : 1000 + p, d, X + (size_t)p * (size_t)d);
    for (int pass = 0; pass < test_scale(2, 1); pass++) {
        check_predict(s, X);
        check_score(s, X);
        check_model(s);
        for (int rule = 0; rule < 2; rule++)
            for (int evaluated_only = 0; evaluated_only < 2; evaluated_only++)
                check_recommend(s, rule, evaluated_only);
        check_ask(s);
    }
    ckg_study_free(s);
}

static const enum ckg_noise noises[] = {CKG_NOISE_AUTO, CKG_NOISE_NONE, CKG_NOISE_KNOWN};

/* --- few data --- */

static void test_few_observations(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int K = 0; K < 3; K++)
            for (int n = 0; n < 4; n++) {
                ckg_study *s = plain_study(2, K, noises[i]);
                for (int t = 0; t < n; t++)
                    tell_smooth(s, 1);
                exercise(s);
            }
}

static void test_asking_from_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i += test_scale(1, 2))
        for (int initial = -1; initial < 2; initial++) {
            const ckg_options o = options_from(initial);
            ckg_study *s = study_of(new_problem(2, 1, noises[i]), &o);
            for (int t = 0; t < 14; t++) {
                ckg_suggestion *a;
                must(ckg_study_ask(s, &a));
                const double values[] = {smooth(a->x, 2, 0), smooth(a->x, 2, 1)};
                must(ckg_study_tell(s, a->trial, values));
                ckg_suggestion_free(a);
            }
            exercise(s);
        }
}

/* --- outcomes without spread --- */

static void test_constant_objective(void **state)
{
    static const double constants[] = {0, 1, -3, 1e-12, 1e12};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 5; c++) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 8; t++) {
                double x[2];
                weyl(t, 2, x);
                tell_two(s, x, constants[c], smooth(x, 2, 1));
            }
            exercise(s);
        }
}

/* Feasible, infeasible, at the limit itself, and everything constant. */
static void test_constant_constraint(void **state)
{
    static const double constants[] = {0, 1, 0.5, -1e12, 1e12};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 5; c++)
            for (int flat = 0; flat < 2; flat++) {
                ckg_study *s = plain_study(2, 1, noises[i]);
                for (int t = 0; t < 8; t++) {
                    double x[2];
                    weyl(t, 2, x);
                    tell_two(s, x, flat ? 2 : smooth(x, 2, 0), constants[c]);
                }
                exercise(s);
            }
}

/* --- repeated designs --- */

/* The same few designs again and again: same values, values that differ, and all at one single design. */
static void test_duplicated_designs(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int conflict = 0; conflict < 2; conflict++)
            for (int designs = 1; designs <= 4; designs += 3) {
                ckg_study *s = plain_study(2, 1, noises[i]);
                for (int t = 0; t < 12; t++) {
                    double x[2];
                    weyl(t % designs, 2, x);
                    tell_two(s, x, smooth(x, 2, 0) + conflict * 0.3 * (t % 5),
                             smooth(x, 2, 1) - conflict * 0.2 * (t % 3));
                }
                exercise(s);
            }
}

/*
 * Designs so close that the kernel matrix is singular to rounding, with values that no smooth function has.
 */
static void test_nearly_equal_designs(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int e = 4; e <= 16; e += 4) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 10; t++) {
                const double x[] = {0.3 + t * pow(10, -e), 0.6};
                tell_two(s, x, t % 2, t % 3);
            }
            exercise(s);
        }
}

/* --- scales --- */

static void test_scales(void **state)
{
    static const double scales[] = {1e-12, 1e12, 1e-100, 1e100, 1e150, 1e-160, 1e-310};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 7; c++) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 10; t++)
                tell_smooth(s, scales[c]);
            exercise(s);
        }
}

/* A small signal on a large offset. */
static void test_offset(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int e = 3; e <= 15; e += 3) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 10; t++) {
                double x[2];
                weyl(t, 2, x);
                tell_two(s, x, pow(10, e) + smooth(x, 2, 0), 0.5 + pow(10, -e) * smooth(x, 2, 1));
            }
            exercise(s);
        }
}

static void test_heavy_tail(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int warp = 0; warp < 2; warp++)
            for (int maximise = 0; maximise < 2; maximise++) {
                ckg_options o = options_from(0);
                ckg_problem *p = new_problem(2, 1, noises[i]);
                o.warp = warp;
                must(ckg_problem_set_objective(p, "objective", maximise ? CKG_MAXIMIZE : CKG_MINIMIZE));
                ckg_study *s = study_of(p, &o);
                for (int t = 0; t < 20; t++) {
                    double x[2];
                    weyl(t, 2, x);
                    const int corner = x[0] > 0.8 && x[1] > 0.6;
                    tell_two(s, x, corner ? 1e8 * x[0] : 1 + 9 * x[0] * x[1], corner ? 1e6 : x[1]);
                }
                exercise(s);
            }
}

static void test_log_scale_over_twelve_decades(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const ckg_options o = options_from(4);
        ckg_problem *p;
        must(ckg_problem_new(&p));
        must(ckg_problem_add_real(p, "x0", 1e-6, 1e6, CKG_LOG));
        must(ckg_problem_add_constraint(p, "c0", -2, INFINITY));
        must(ckg_problem_set_noise(p, "objective", noises[i], 0));
        ckg_study *s = study_of(p, &o);
        for (int t = 0; t < 12; t++) {
            ckg_suggestion *a;
            must(ckg_study_ask(s, &a));
            assert_true(a->x[0] >= 1e-6 && a->x[0] <= 1e6);
            const double values[] = {pow(log10(a->x[0]) - 2, 2), 4 - log10(a->x[0])};
            must(ckg_study_tell(s, a->trial, values));
            ckg_suggestion_free(a);
        }
        for (int pass = 0; pass < 2; pass++) {
            check_model(s);
            check_recommend(s, pass, 0);
            check_ask(s);
        }
        ckg_study_free(s);
    }
}

/* --- dimensions and constraints --- */

static void test_numbers_of_constraints(void **state)
{
    static const int counts[] = {0, 1, 20};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++)
            for (int failed = test_scale(0, 1); failed < 2; failed++) {
                ckg_study *s = plain_study(2, counts[c], noises[i]);
                double x[] = {0.9, 0.9};
                for (int t = 0; t < 8; t++)
                    tell_smooth(s, 1);
                if (failed)
                    must(ckg_study_tell_failed(s, add(s, x)));
                exercise(s);
            }
}

static void test_dimensions(void **state)
{
    static const int dimensions[] = {1, MAX_D};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 2; c++) {
            ckg_study *s = plain_study(dimensions[c], 1, noises[i]);
            for (int t = 0; t < 12; t++)
                tell_smooth(s, 1);
            exercise(s);
        }
}

static void test_two_sided_limits(void **state)
{
    static const double widths[] = {1e-9, 0.1, 1e6};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 3; c++) {
            const ckg_options o = options_from(0);
            ckg_problem *p = new_problem(2, 0, noises[i]);
            must(ckg_problem_add_constraint(p, "band", 0.2, 0.2 + widths[c]));
            must(ckg_problem_set_noise(p, "band", noises[i], 0));
            ckg_study *s = study_of(p, &o);
            for (int t = 0; t < 10; t++)
                tell_smooth(s, 1);
            exercise(s);
        }
}

/* --- partly measured --- */

static void test_only_constraints_measured(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = plain_study(2, 2, noises[i]);
        for (int t = 0; t < 8; t++) {
            double x[2];
            weyl(t, 2, x);
            const ckg_measurement m = {1 + t % 2, smooth(x, 2, 1), CKG_SD_DEFAULT};
            must(ckg_study_tell_measured(s, add(s, x), 1, &m));
        }
        exercise(s);
    }
}

/* The objective in every third trial; or in all of them and one constraint never. */
static void test_some_outcomes_measured(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int never = 0; never < 2; never++) {
            ckg_study *s = plain_study(2, 2, noises[i]);
            for (int t = 0; t < 10; t++) {
                double x[2];
                weyl(t, 2, x);
                const ckg_measurement m[] = {{1, smooth(x, 2, 1), CKG_SD_DEFAULT},
                                             {never || t % 3 ? 0 : 2, smooth(x, 2, 0), CKG_SD_DEFAULT}};
                must(ckg_study_tell_measured(s, add(s, x), never || t % 3 != 1 ? 2 : 1, m));
            }
            exercise(s);
        }
}

/* Known standard deviations per value, none, and estimated ones, also at one design. */
static void test_mixed_noise(void **state)
{
    static const double sds[] = {CKG_SD_DEFAULT, 0, 1e-9, 0.1, 10, 1e6};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int designs = 3; designs <= 12; designs += 9) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 12; t++) {
                double x[2];
                weyl(t % designs, 2, x);
                const ckg_measurement m[] = {{1, smooth(x, 2, 1) + 0.1 * t, sds[(t + 1) % 6]},
                                             {0, smooth(x, 2, 0), sds[t % 6]}};
                must(ckg_study_tell_measured(s, add(s, x), 2, m));
            }
            exercise(s);
        }
}

/* One value in four says next to nothing, or far more than any measurement could. */
static void test_extreme_noise(void **state)
{
    static const double sds[] = {1e-150, 1e-100, 1e100, 1e150};

    (void)state;
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 4; c++) {
            ckg_study *s = plain_study(2, 1, noises[i]);
            for (int t = 0; t < 12; t++) {
                const double sd = t % 4 == 3 ? sds[c] : CKG_SD_DEFAULT;
                double x[2];
                weyl(t, 2, x);
                const ckg_measurement m[] = {{1, smooth(x, 2, 1), sd}, {0, smooth(x, 2, 0), sd}};
                must(ckg_study_tell_measured(s, add(s, x), 2, m));
            }
            exercise(s);
        }
}

/* --- failures --- */

static void test_failed_evaluations(void **state)
{
    static const char *const treatments[] = {"model", "ignore"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int treatment = 0; treatment < 2; treatment++)
            for (int good = 0; good <= 8; good += 4) {
                ckg_options o = options_from(0);
                o.failures = treatments[treatment];
                ckg_study *s = study_of(new_problem(2, 1, noises[i]), &o);
                for (int t = 0; t < 12; t++) {
                    double x[2];
                    weyl(t, 2, x);
                    if (t < good)
                        tell_smooth(s, 1);
                    else
                        must(ckg_study_tell_failed(s, add(s, x)));
                }
                exercise(s);
            }
}

/* From the first ask on everything fails: suggestions go on. */
static void test_everything_fails(void **state)
{
    (void)state;
    for (int initial = -1; initial < 1; initial++) {
        const ckg_options o = options_from(initial);
        ckg_study *s = study_of(new_problem(2, 1, CKG_NOISE_AUTO), &o);
        for (int t = 0; t < 16; t++) {
            ckg_suggestion *a;
            must(ckg_study_ask(s, &a));
            must(ckg_study_tell_failed(s, a->trial));
            ckg_suggestion_free(a);
        }
        exercise(s);
    }
}

/* One design both succeeded and failed. */
static void test_failure_at_a_measured_design(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = plain_study(2, 1, noises[i]);
        for (int t = 0; t < 9; t++) {
            double x[2];
            weyl(t % 3, 2, x);
            if (t % 2)
                must(ckg_study_tell_failed(s, add(s, x)));
            else
                tell_two(s, x, smooth(x, 2, 0), smooth(x, 2, 1));
        }
        exercise(s);
    }
}

/* --- options --- */

static void test_every_way_to_fit(void **state)
{
    static const char *const fits[] = {"ml", "map", "sample", "auto"}, *const kernels[] = {"rbf", "matern52",
                                                                                           "matern32"};
    static const char *const presets[] = {"default", "paper"};

    (void)state;
    for (int i = 0; i < 24; i += test_scale(1, 5))
        for (int noise = 0; noise < 2; noise++) {
            ckg_options o = options_from(0);
            o.fit = fits[i % 4];
            o.kernel = kernels[i / 4 % 3];
            o.preset = presets[i / 12];
            ckg_study *s = study_of(new_problem(2, 2, noises[noise]), &o);
            for (int t = 0; t < 9; t++)
                tell_smooth(s, 1);
            exercise(s);
        }
}

static void test_policy_cei(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int K = 0; K < 3; K++)
            for (int feasible = 0; feasible < 2; feasible++) {
                ckg_options o = options_from(0);
                o.policy = "cei";
                ckg_study *s = study_of(new_problem(2, K, noises[i]), &o);
                for (int t = 0; t < 8; t++) {
                    double x[2], values[3] = {0, feasible ? 0 : 1, 0};
                    weyl(t, 2, x);
                    values[0] = smooth(x, 2, 0);
                    must(ckg_study_tell(s, add(s, x), values));
                }
                exercise(s);
            }
}

static void test_penalties(void **state)
{
    static const double penalties[] = {0, -1e6, 1e6, 1e-300};

    (void)state;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 2; i++) {
            ckg_options o = options_from(0);
            o.penalty = penalties[c];
            ckg_study *s = study_of(new_problem(2, 1, noises[i]), &o);
            for (int t = 0; t < 8; t++)
                tell_smooth(s, 1);
            exercise(s);
        }
}

static void test_tiny_time_limit(void **state)
{
    static const char *const policies[] = {"auto", "cei"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int policy = 0; policy < 2; policy++) {
            ckg_options o = options_from(0);
            o.time_limit = 1e-6;
            o.policy = policies[policy];
            ckg_study *s = study_of(new_problem(3, 2, noises[i]), &o);
            for (int t = 0; t < 20; t++)
                tell_smooth(s, 1);
            exercise(s);
        }
}

/* --- many data --- */

static void many(int n, enum ckg_noise noise)
{
    ckg_study *s = plain_study(3, 1, noise);

    for (int t = 0; t < n; t++)
        tell_smooth(s, 1);
    check_model(s);
    check_recommend(s, CKG_RULE_UTILITY, 0);
    check_ask(s);
    ckg_study_free(s);
}

static void test_many_observations(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        many(test_scale(400, 150), noises[i]);
    if (getenv("CKG_SLOW_TESTS"))
        many(2000, CKG_NOISE_AUTO);
}

int main(void)
{
    return RUN_TESTS(
        test_few_observations, test_asking_from_nothing, test_constant_objective, test_constant_constraint,
        test_duplicated_designs, test_nearly_equal_designs, test_scales, test_offset, test_heavy_tail,
        test_log_scale_over_twelve_decades, test_numbers_of_constraints, test_dimensions,
        test_two_sided_limits, test_only_constraints_measured, test_some_outcomes_measured, test_mixed_noise,
        test_extreme_noise, test_failed_evaluations, test_everything_fails, test_failure_at_a_measured_design,
        test_every_way_to_fit, test_policy_cei, test_penalties, test_tiny_time_limit, test_many_observations);
}
