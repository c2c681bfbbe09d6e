/*
 * Noise that varies over the space: found with replicates and without, by itself where the data are clear;
 * looked for in vain where it is the same everywhere, and then nothing is different; the quiet side is where
 * cKG wants to learn; and all of it follows from the trials alone.
 */
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/rng.h"
#include "study/study.h"
#include "support/near.h"
#include "support/test.h"

enum { VALUES = 80 };

static ckg_study *new_study(enum ckg_noise noise)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;

    must(ckg_problem_new(&problem));
    must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_noise(problem, "objective", noise, 0));
    options.initial = 0;
    options.samples = 4;
    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

static void add(ckg_study *study, double x, double value)
{
    int trial;

    must(ckg_study_add(study, &x, &trial));
    must(ckg_study_tell(study, trial, &value));
}

/* The standard deviation at x: tenfold from one end to the other, or the same. */
static double sd_at(double x, int grows)
{
    return grows ? 0.05 * pow(10, x) : 0.15;
}

/* So many values at every design, VALUES in all. */
static void tell_all(ckg_study *study, int grows, int replicates)
{
    struct ckg__rng rng;

    ckg__rng_seed(&rng, 4, 0, 0);
    for (int t = 0; t < VALUES; t++) {
        const double x = fmod((t / replicates + 0.5) * sqrt(2), 1);
        add(study, x, sin(5 * x) + sd_at(x, grows) * ckg__rng_normal(&rng));
    }
}

static int varies(ckg_study *study)
{
    ckg_model_info info;

    must(ckg_study_model(study, 0, &info));
    assert_true(info.noise_low <= info.noise_sd && info.noise_sd <= info.noise_high);
    assert_true(info.noise_varies || info.noise_low == info.noise_high);
    return info.noise_varies;
}

/* Everywhere within a factor of 1.8: 80 values tell a standard deviation to 10 % if it is one for all. */
static void assert_noise_found(ckg_study *study, int grows)
{
    for (int i = 0; i <= 10; i++) {
        const double x = i / 10.0;
        double sd;
        must(ckg_study_predict_noise(study, 1, &x, &sd));
        assert_true(fabs(log(sd / sd_at(x, grows))) < log(1.8));
    }
}

static void test_found_where_it_is_told(void **state)
{
    (void)state;
    for (int replicates = 1; replicates <= 4; replicates += 3) {
        ckg_study *study = new_study(CKG_NOISE_VARYING);
        tell_all(study, 1, replicates);
        assert_true(varies(study));
        assert_noise_found(study, 1);
        ckg_study_free(study);
    }
}

static void test_found_by_itself(void **state)
{
    ckg_study *study = new_study(CKG_NOISE_AUTO);

    (void)state;
    tell_all(study, 1, 1);
    assert_true(varies(study));
    assert_noise_found(study, 1);
    ckg_study_free(study);
}

/* The same design, to the last bit, as if nobody had asked whether noise varies. */
static void test_constant_noise_is_left_alone(void **state)
{
    double x[2];

    (void)state;
    for (int ask = 0; ask < 2; ask++) {
        ckg_study *study = new_study(CKG_NOISE_AUTO);
        ckg_suggestion *s;
        study->models.vary = ask;
        tell_all(study, 0, 1);
        assert_false(varies(study));
        assert_noise_found(study, 0);
        must(ckg_study_ask(study, &s));
        x[ask] = s->x[0];
        ckg_suggestion_free(s);
        ckg_study_free(study);
    }
    assert_true(x[0] == x[1]);
}

/* The data are the same seen from either end, but for how far replicates differ. */
static void test_quiet_side_is_worth_more(void **state)
{
    const double mirrored[] = {0.35, 0.65};
    ckg_study *study = new_study(CKG_NOISE_VARYING);
    double value[2];

    (void)state;
    for (int t = 0; t < 24; t++) {
        const double x = (t + 0.5) / 24;
        const double centre = cos(12 * (x - 0.5)) - 0.5 * fabs(x - 0.5);
        add(study, x, centre - sd_at(x, 1));
        add(study, x, centre + sd_at(x, 1));
    }
    must(ckg_study_score(study, "ckg", 2, mirrored, value));
    assert_true(value[0] > 2 * value[1] && value[1] >= 0);
    ckg_study_free(study);
}

static void test_follows_from_the_trials(void **state)
{
    double x[2];

    (void)state;
    for (int often = 0; often < 2; often++) {
        ckg_study *study = new_study(CKG_NOISE_VARYING);
        struct ckg__rng rng;
        ckg_suggestion *s;
        ckg__rng_seed(&rng, 9, 0, 0);
        for (int t = 0; t < 40; t++) {
            const double at = fmod((t + 0.5) * sqrt(2), 1);
            add(study, at, sin(5 * at) + sd_at(at, 1) * ckg__rng_normal(&rng));
            if (often && t % 13 == 0)
                varies(study);
        }
        must(ckg_study_ask(study, &s));
        x[often] = s->x[0];
        ckg_suggestion_free(s);
        ckg_study_free(study);
    }
    assert_true(x[0] == x[1]);
}

/* Before there is a value nothing is known; where there is no noise it is 0; a known one is as given. */
static void test_noise_that_is_not_estimated(void **state)
{
    static const double given[] = {0, 0.25};
    const double at = 0.5;
    double sd;

    (void)state;
    for (int known = 0; known < 2; known++) {
        ckg_problem *problem;
        ckg_study *study;
        must(ckg_problem_new(&problem));
        must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
        must(ckg_problem_set_noise(problem, "objective", known ? CKG_NOISE_KNOWN : CKG_NOISE_NONE,
                                   given[known]));
        must(ckg_study_new(&study, problem, NULL));
        must(ckg_study_predict_noise(study, 1, &at, &sd));
        assert_true(isnan(sd));
        for (int t = 0; t < 6; t++)
            add(study, t / 5.0, sin(t));
        must(ckg_study_predict_noise(study, 1, &at, &sd));
        assert_near(sd, given[known], 1e-12);
        assert_false(varies(study));
        ckg_study_free(study);
        ckg_problem_free(problem);
    }
}

int main(void)
{
    return RUN_TESTS(test_found_where_it_is_told, test_found_by_itself, test_constant_noise_is_left_alone,
                     test_quiet_side_is_worth_more, test_follows_from_the_trials,
                     test_noise_that_is_not_estimated);
}
