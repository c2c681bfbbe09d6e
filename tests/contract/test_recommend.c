/*
 * What is recommended is what its rule says, checked against the predictions on a fine grid or over every
 * design of a lattice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { SIDE = 200, LIGHT_SIDE = 50, LATTICE = 20 };

/* --- studies --- */

struct setting {
    int integers; /* 1: a lattice of LATTICE² designs; 0: the unit square */
    enum ckg_goal goal;
    enum ckg_noise noise;
    double limit;
    int trials;
};

static void evaluate(const double *x, double *values)
{
    values[0] = (x[0] - 0.8) * (x[0] - 0.8) + 2 * (x[1] - 0.7) * (x[1] - 0.7) + 0.1 * sin(10 * x[0]);
    values[1] = x[0] + x[1] + 0.2 * sin(6 * x[1]);
}

static ckg_problem *new_problem(const struct setting *setting)
{
    static const char *const names[] = {"a", "b"};
    ckg_problem *p;

    must(ckg_problem_new(&p));
    for (int i = 0; i < 2; i++)
        must(setting->integers ? ckg_problem_add_integer(p, names[i], 0, LATTICE - 1)
                               : ckg_problem_add_real(p, names[i], 0, 1, CKG_LINEAR));
    must(ckg_problem_set_objective(p, "objective", setting->goal));
    must(ckg_problem_add_constraint(p, "limit", -INFINITY, setting->limit));
    must(ckg_problem_set_noise(p, "objective", setting->noise, 0.01));
    must(ckg_problem_set_noise(p, "limit", setting->noise, 0.01));
    return p;
}

/*
 * Every design told the function, whose sign follows the goal, with a ripple for noise where there is some.
 */
static ckg_study *new_study(const struct setting *setting, const ckg_options *options)
{
    ckg_problem *p = new_problem(setting);
    ckg_study *s;

    must(ckg_study_new(&s, p, options));
    ckg_problem_free(p);
    for (int t = 0; t < setting->trials; t++) {
        double u[] = {fmod((t + 0.5) * sqrt(2), 1), fmod((t + 0.5) * sqrt(5), 1)}, x[2], values[2];
        for (int i = 0; i < 2; i++) {
            x[i] = setting->integers ? floor(u[i] * LATTICE) : u[i];
            u[i] = setting->integers ? x[i] / (LATTICE - 1) : u[i];
        }
        evaluate(u, values);
        values[0] *= setting->goal == CKG_MAXIMIZE ? -1 : 1;
        for (int j = 0; j < 2 && setting->noise != CKG_NOISE_NONE; j++)
            values[j] += 0.02 * cos(37 * t + j);
        tell_at(s, x, values);
    }
    return s;
}

static ckg_options few_samples(void)
{
    ckg_options o = CKG_OPTIONS_INIT;

    o.samples = 2;
    o.initial = 0;
    return o;
}

/* --- predictions over every design of a grid --- */

struct map {
    int count;
    double *X, *mean, *feasible, *utility; /* count × 2, count × 2, (count), (count) */
};

static struct map make_map(ckg_study *s, const struct setting *setting)
{
    const int side = setting->integers ? LATTICE : test_scale(SIDE, LIGHT_SIDE), count = side * side;
    double *all = malloc(6 * (size_t)count * sizeof *all);
    struct map map = {count, all, all + 2 * count, all + 4 * count, all + 5 * count};

    assert_non_null(all);
    for (int i = 0; i < count; i++) {
        map.X[2 * i] = setting->integers ? i % side : (double)(i % side) / (side - 1);
        map.X[2 * i + 1] = setting->integers ? (double)(i / side) : (double)(i / side) / (side - 1);
    }
    must(ckg_study_predict(s, count, map.X, map.mean, NULL, map.feasible, map.utility));
    return map;
}

static double range(const struct map *map)
{
    double low = INFINITY, high = -INFINITY;

    for (int i = 0; i < map->count; i++) {
        low = fmin(low, map->mean[2 * i]);
        high = fmax(high, map->mean[2 * i]);
    }
    return high - low;
}

static ckg_recommendation *recommend(ckg_study *s, int rule, double probability, int evaluated_only)
{
    ckg_recommend_options o = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;

    o.rule = rule;
    o.probability = probability;
    o.evaluated_only = evaluated_only;
    must(ckg_study_recommend(s, &o, &r));
    return r;
}

/*
 * What a recommendation says of itself is what predict says of its design, or what was measured there without
 * noise.
 */
static void check_report(ckg_study *s, const ckg_recommendation *r)
{
    double mean[2], sd[2], feasible, utility;
    ckg_trial best = {0};

    assert_int_equal(r->dimension, 2);
    assert_int_equal(r->constraints, 1);
    if (r->best_trial >= 0)
        must(ckg_study_trial(s, r->best_trial, &best));
    if (best.x && r->sd[0] == 0) { /* a design that is known exactly, recommended as it was measured */
        assert_memory_equal(r->x, best.x, 2 * sizeof *r->x);
        for (int i = 0; i < 2; i++)
            assert_true(r->mean[best.measured[i].outcome] == best.measured[i].value && r->sd[i] == 0);
        assert_true(r->probability_feasible == 1 && r->probability[0] == 1 && r->utility == r->mean[0]);
        return;
    }
    must(ckg_study_predict(s, 1, r->x, mean, sd, &feasible, &utility));
    assert_memory_equal(mean, r->mean, sizeof mean);
    assert_memory_equal(sd, r->sd, sizeof sd);
    assert_true(feasible == r->probability_feasible && utility == r->utility);
    assert_true(fabs(r->probability[0] - feasible) <= 1e-12);
}

/* --- the utility rule --- */

static const struct setting settings[] = {
    {0, CKG_MINIMIZE, CKG_NOISE_NONE, 1.0, 20},  {0, CKG_MAXIMIZE, CKG_NOISE_NONE, 1.0, 40},
    {0, CKG_MINIMIZE, CKG_NOISE_KNOWN, 1.0, 25}, {0, CKG_MAXIMIZE, CKG_NOISE_AUTO, 1.0, 25},
    {0, CKG_MINIMIZE, CKG_NOISE_NONE, -1.0, 12}, {0, CKG_MINIMIZE, CKG_NOISE_NONE, 9.0, 8},
    {0, CKG_MINIMIZE, CKG_NOISE_NONE, 0.4, 2},   {1, CKG_MINIMIZE, CKG_NOISE_NONE, 1.0, 20},
    {1, CKG_MAXIMIZE, CKG_NOISE_AUTO, 1.0, 20},  {1, CKG_MINIMIZE, CKG_NOISE_NONE, 1.0, 5},
    {1, CKG_MINIMIZE, CKG_NOISE_KNOWN, 0.8, 7},  {1, CKG_MAXIMIZE, CKG_NOISE_NONE, 0.8, 4},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* With one model M + (mean − M)·PF, number by number. */
static void test_utility_by_definition(void **state)
{
    static const double penalties[] = {NAN, 3, -2, 0};

    (void)state;
    for (int i = 0; i < SETTINGS; i++)
        for (int c = 0; c < 4; c++) {
            ckg_options o = few_samples();
            o.fit = "map";
            o.penalty = penalties[c];
            ckg_study *s = new_study(&settings[i], &o);
            const struct map map = make_map(s, &settings[i]);
            double M;
            must(ckg_study_penalty(s, &M));
            assert_true(isnan(penalties[c]) || fabs(M - penalties[c]) <= 1e-12 * (1 + fabs(M)));
            for (int k = 0; k < map.count; k += 97) {
                const double wanted = M + (map.mean[2 * k] - M) * map.feasible[k];
                assert_true(fabs(map.utility[k] - wanted) <= 1e-9 * (1 + fabs(M)));
            }
            free(map.X);
            ckg_study_free(s);
        }
}

/* M is no better than any predicted mean, and about as bad as the worst. */
static void test_automatic_penalty_is_the_worst_mean(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        ckg_options o = few_samples();
        o.fit = "map";
        ckg_study *s = new_study(&settings[i], &o);
        const struct map map = make_map(s, &settings[i]);
        const double sign = settings[i].goal == CKG_MAXIMIZE ? 1 : -1, tolerance = 1e-3 * range(&map) + 1e-9;
        double M, worst = INFINITY;
        must(ckg_study_penalty(s, &M));
        for (int k = 0; k < map.count; k++)
            worst = fmin(worst, sign * map.mean[2 * k]);
        if (sign * M > worst + tolerance || sign * M < worst - 0.05 * range(&map) - 1e-9)
            fail_msg("setting %d: M is %g, the worst mean %g", i, M, sign * worst);
        free(map.X);
        ckg_study_free(s);
    }
}

static int same_design(const double *x, const ckg_recommendation *r)
{
    return !memcmp(x, r->x, 2 * sizeof *r->x);
}

/* 1 when r is a feasible design that was measured exactly. */
static int is_incumbent(const ckg_study *s, const struct setting *setting, const ckg_recommendation *r)
{
    const int best = ckg_study_best(s);
    ckg_trial trial;

    if (best < 0 || setting->noise != CKG_NOISE_NONE)
        return 0;
    must(ckg_study_trial(s, best, &trial));
    return same_design(trial.x, r);
}

/* Nothing but a feasible design that was measured exactly: it is recommended as a fact. */
static void test_nothing_has_a_higher_utility(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const ckg_options o = few_samples();
        ckg_study *s = new_study(&settings[i], &o);
        ckg_recommendation *r = recommend(s, CKG_RULE_UTILITY, 0.95, 0);
        const struct map map = make_map(s, &settings[i]);
        const double sign = settings[i].goal == CKG_MAXIMIZE ? 1 : -1, tolerance = 1e-6 * range(&map) + 1e-12;
        int best = 0;
        check_report(s, r);
        for (int k = 1; k < map.count; k++)
            best = sign * map.utility[k] > sign * map.utility[best] ? k : best;
        if (sign * map.utility[best] > sign * r->utility + tolerance && !is_incumbent(s, &settings[i], r))
            fail_msg("setting %d: utility %.10g at (%g, %g), but %.10g at (%g, %g), of range %g", i,
                     r->utility, r->x[0], r->x[1], map.utility[best], map.X[2 * best], map.X[2 * best + 1],
                     range(&map));
        free(map.X);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* --- the probability rule --- */

/* No design of the map with PF >= p has a better mean; where none has PF >= p, none has a higher PF. */
static void check_probability(int i, const struct map *map, const ckg_recommendation *r, double p)
{
    const double sign = settings[i].goal == CKG_MAXIMIZE ? 1 : -1;
    const double tolerance = (settings[i].integers ? 1e-9 : 1e-4) * range(map) + 1e-9;
    double likeliest = 0;

    for (int k = 0; k < map->count; k++)
        likeliest = fmax(likeliest, map->feasible[k]);
    if (r->probability_feasible < fmin(p, likeliest) - 1e-4)
        fail_msg("setting %d, p = %g: PF is %g at (%g, %g), up to %g elsewhere", i, p,
                 r->probability_feasible, r->x[0], r->x[1], likeliest);
    for (int k = 0; k < map->count; k++)
        if (map->feasible[k] >= p + 1e-6 && sign * map->mean[2 * k] > sign * r->mean[0] + tolerance)
            fail_msg("setting %d, p = %g: mean %.8g at (%g, %g), but %.8g at (%g, %g) with PF %.8g", i, p,
                     r->mean[0], r->x[0], r->x[1], map->mean[2 * k], map->X[2 * k], map->X[2 * k + 1],
                     map->feasible[k]);
}

static void test_probability_rule(void **state)
{
    static const double wanted[] = {0.5, 0.95, 0.999};

    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const ckg_options o = few_samples();
        ckg_study *s = new_study(&settings[i], &o);
        const struct map map = make_map(s, &settings[i]);
        for (int c = 0; c < 3; c++) {
            ckg_recommendation *r = recommend(s, CKG_RULE_PROBABILITY, wanted[c], 0);
            check_report(s, r);
            check_probability(i, &map, r, wanted[c]);
            ckg_recommendation_free(r);
        }
        free(map.X);
        ckg_study_free(s);
    }
}

/* --- among evaluated designs --- */

/*
 * The evaluated design of the best utility, and by the other rule of the best mean where PF is high enough.
 */
static void test_evaluated_only(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SETTINGS; i++) {
        const ckg_options o = few_samples();
        const int rule = i % 2;
        const double sign = settings[i / 2].goal == CKG_MAXIMIZE ? 1 : -1, p = 0.6;
        ckg_study *s = new_study(&settings[i / 2], &o);
        ckg_recommendation *r = recommend(s, rule, p, 1);
        double likeliest = 0;
        int known = 0;
        check_report(s, r);
        for (int pass = 0; pass < 2; pass++)
            for (int t = 0; t < ckg_study_trials(s); t++) {
                double mean[2], feasible, utility;
                ckg_trial trial;
                must(ckg_study_trial(s, t, &trial));
                must(ckg_study_predict(s, 1, trial.x, mean, NULL, &feasible, &utility));
                likeliest = fmax(likeliest, feasible);
                known |= !memcmp(trial.x, r->x, 2 * sizeof *r->x);
                if (same_design(trial.x, r))
                    continue;
                if (rule == CKG_RULE_UTILITY)
                    assert_true(sign * utility <= sign * r->utility + 1e-9);
                else if (pass && feasible >= p)
                    assert_true(sign * mean[0] <= sign * r->mean[0] + 1e-9);
            }
        assert_true(known);
        assert_true(rule == CKG_RULE_UTILITY || r->probability_feasible >= fmin(p, likeliest) - 1e-4);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* A design whose objective was not measured was not evaluated, nor a failed or pending one. */
static void test_partly_measured_designs_are_not_evaluated(void **state)
{
    const struct setting setting = {0, CKG_MINIMIZE, CKG_NOISE_NONE, 1.0, 0};
    const ckg_options o = few_samples();
    ckg_study *s = new_study(&setting, &o);
    const double good[] = {0.2, 0.2};

    (void)state;
    for (int t = 0; t < 4; t++) {
        const double x[] = {0.2 + 0.2 * t, 0.2}, values[] = {5 - t, 0.5};
        const ckg_measurement limit = {1, 0.5, CKG_SD_DEFAULT};
        int number;
        must(ckg_study_add(s, x, &number));
        if (t == 0)
            must(ckg_study_tell(s, number, values));
        else if (t == 1)
            must(ckg_study_tell_measured(s, number, 1, &limit));
        else if (t == 2)
            must(ckg_study_tell_failed(s, number));
    }
    for (int rule = 0; rule < 2; rule++) {
        ckg_recommendation *r = recommend(s, rule, 0.9, 1);
        assert_memory_equal(r->x, good, sizeof good);
        assert_int_equal(r->best_trial, 0);
        assert_int_equal(r->evaluations, 3);
        ckg_recommendation_free(r);
    }
    ckg_study_free(s);
}

/* --- the best trial --- */

static void test_best_trial(void **state)
{
    (void)state;
    for (int i = 0; i < SETTINGS; i++) {
        const ckg_options o = few_samples();
        const double sign = settings[i].goal == CKG_MAXIMIZE ? 1 : -1;
        ckg_study *s = new_study(&settings[i], &o);
        ckg_recommendation *r = recommend(s, CKG_RULE_UTILITY, 0.95, 0);
        int best = -1;
        double value = -INFINITY;
        for (int t = 0; t < ckg_study_trials(s); t++) {
            ckg_trial trial;
            must(ckg_study_trial(s, t, &trial));
            assert_int_equal(trial.feasible, trial.measured[1].value <= settings[i].limit);
            if (!trial.feasible || !(sign * trial.measured[0].value > value))
                continue;
            best = t;
            value = sign * trial.measured[0].value;
        }
        assert_int_equal(r->best_trial, best);
        assert_int_equal(r->evaluations, settings[i].trials);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* --- before there is anything to say --- */

static void test_state_error_before_an_objective(void **state)
{
    const struct setting setting = {0, CKG_MINIMIZE, CKG_NOISE_NONE, 1.0, 0};
    const ckg_options o = few_samples();
    ckg_study *s = new_study(&setting, &o);
    const double x[] = {0.5, 0.5};
    const ckg_measurement limit = {1, 0.3, CKG_SD_DEFAULT};
    ckg_recommendation *r = NULL;
    int number;

    (void)state;
    assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
    must(ckg_study_add(s, x, &number));
    assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
    must(ckg_study_tell_measured(s, number, 1, &limit));
    assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
    must(ckg_study_add(s, x, &number));
    must(ckg_study_tell_failed(s, number));
    assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
    assert_null(r);
    assert_non_null(strstr(ckg_error_message(), "objective"));
    ckg_study_free(s);
}

/*
 * Without noise a design on the very edge, evaluated and feasible, is known to be so; no model could promise
 * it.
 */
static void test_exact_knowledge_counts(void **state)
{
    ckg_problem *problem;
    ckg_study *s;
    ckg_recommendation *r;

    (void)state;
    must(ckg_problem_new(&problem));
    must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_noise(problem, "objective", CKG_NOISE_NONE, 0));
    must(ckg_problem_add_constraint(problem, "c", -INFINITY, 0));
    must(ckg_problem_set_noise(problem, "c", CKG_NOISE_NONE, 0));
    must(ckg_study_new(&s, problem, NULL));
    for (int i = 0; i <= 4; i++) {
        const double x = i / 4.0, values[] = {-x, x - 0.5};
        tell_at(s, &x, values);
    }
    must(ckg_study_recommend(s, NULL, &r));
    assert_true(r->x[0] == 0.5 && r->mean[0] == -0.5 && r->mean[1] == 0 && r->sd[0] == 0 &&
                r->probability_feasible == 1);
    assert_int_equal(r->best_trial, 2);
    ckg_recommendation_free(r);
    ckg_study_free(s);
    ckg_problem_free(problem);
}

int main(void)
{
    return RUN_TESTS(test_utility_by_definition, test_automatic_penalty_is_the_worst_mean,
                     test_nothing_has_a_higher_utility, test_probability_rule, test_evaluated_only,
                     test_exact_knowledge_counts, test_partly_measured_designs_are_not_evaluated,
                     test_best_trial, test_state_error_before_an_objective);
}
