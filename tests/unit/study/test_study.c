/*
 * Every way to misuse a study: the documented status, a message that names the culprit, and nothing changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

enum { INITIAL = 3, TRIALS = 7 };

/* Trial numbers of the fixture by state. */
enum { COMPLETE = 0, FAILED = 4, CANCELLED = 5, PENDING = 6 };

static ckg_problem *new_problem(void)
{
    static const char *const glues[] = {"epoxy", "wood", "none"};
    ckg_problem *p;

    assert_int_equal(ckg_problem_new(&p), CKG_OK);
    assert_int_equal(ckg_problem_add_real(p, "width", -1, 2, CKG_LINEAR), CKG_OK);
    assert_int_equal(ckg_problem_add_integer(p, "bolts", 1, 9), CKG_OK);
    assert_int_equal(ckg_problem_add_categorical(p, "glue", 3, glues), CKG_OK);
    assert_int_equal(ckg_problem_set_objective(p, "mass", CKG_MINIMIZE), CKG_OK);
    assert_int_equal(ckg_problem_add_constraint(p, "stress", -INFINITY, 4), CKG_OK);
    for (int j = 0; j < 2; j++)
        assert_int_equal(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), CKG_NOISE_NONE, 0), CKG_OK);
    return p;
}

/* Not inlined: compiled twice it may round twice. */
__attribute__((noinline)) static void evaluate(const double *x, double *values)
{
    values[0] = (x[0] - 1) * (x[0] - 1) + 0.3 * x[1] + 0.1 * x[2];
    values[1] = 6 - x[1] + x[0];
}

/* Four complete trials, then one failed, one cancelled, one pending. */
static ckg_study *new_study(const ckg_options *options)
{
    ckg_problem *p = new_problem();
    ckg_study *s;

    assert_int_equal(ckg_study_new(&s, p, options), CKG_OK);
    ckg_problem_free(p);
    for (int t = 0; t < TRIALS; t++) {
        const double x[] = {-1 + 0.25 * t, 1 + t, t % 3};
        double values[2];
        int trial;
        evaluate(x, values);
        assert_int_equal(ckg_study_add(s, x, &trial), CKG_OK);
        assert_int_equal(trial, t);
        if (t < FAILED)
            assert_int_equal(ckg_study_tell(s, t, values), CKG_OK);
    }
    assert_int_equal(ckg_study_tell_failed(s, FAILED), CKG_OK);
    assert_int_equal(ckg_study_cancel(s, CANCELLED), CKG_OK);
    return s;
}

/* Two studies of the same data: one is misused, the other shows what it should be. */
struct pair {
    ckg_study *misused, *control;
};

static int set_up(void **state)
{
    static struct pair pair;
    ckg_options options = CKG_OPTIONS_INIT;

    options.initial = INITIAL;
    pair = (struct pair){new_study(&options), new_study(&options)};
    *state = &pair;
    return 0;
}

static void assert_same_trials(const ckg_study *a, const ckg_study *b)
{
    assert_int_equal(ckg_study_trials(a), ckg_study_trials(b));
    for (int t = 0; t < ckg_study_trials(a); t++) {
        ckg_trial one, other;
        assert_int_equal(ckg_study_trial(a, t, &one), CKG_OK);
        assert_int_equal(ckg_study_trial(b, t, &other), CKG_OK);
        assert_int_equal(one.state, other.state);
        assert_int_equal(one.count, other.count);
        assert_int_equal(one.feasible, other.feasible);
        assert_memory_equal(one.x, other.x, 3 * sizeof *one.x);
        for (int i = 0; i < one.count; i++) {
            assert_int_equal(one.measured[i].outcome, other.measured[i].outcome);
            assert_true(one.measured[i].value == other.measured[i].value);
            assert_true(one.measured[i].sd == other.measured[i].sd);
        }
    }
}

static void assert_same_suggestion(ckg_study *a, ckg_study *b)
{
    ckg_suggestion *one, *other;

    assert_int_equal(ckg_study_ask(a, &one), CKG_OK);
    assert_string_equal(ckg_error_message(), "");
    assert_int_equal(ckg_study_ask(b, &other), CKG_OK);
    assert_int_equal(one->trial, other->trial);
    assert_string_equal(one->path, other->path);
    assert_memory_equal(one->x, other->x, 3 * sizeof *one->x);
    assert_memory_equal(one->mean, other->mean, 2 * sizeof *one->mean);
    assert_memory_equal(&one->value, &other->value, sizeof one->value);
    ckg_suggestion_free(one);
    ckg_suggestion_free(other);
}

/*
 * Whatever a test did to the misused study left no trace: trials and the next suggestion are the control's.
 */
static int tear_down(void **state)
{
    struct pair *pair = *state;

    assert_same_trials(pair->misused, pair->control);
    assert_same_suggestion(pair->misused, pair->control);
    ckg_study_free(pair->misused);
    ckg_study_free(pair->control);
    return 0;
}

/* The call failed as documented and said why in one line. */
#define assert_refused(call, wanted, culprit)                                                                \
    do {                                                                                                     \
        const int got = (call);                                                                              \
        if (got != (wanted) || !strstr(ckg_error_message(), culprit) || strchr(ckg_error_message(), '\n'))   \
            fail_msg("%s: status %d, not %d, with the message '%s', which should name '%s'", #call, got,     \
                     (int)(wanted), ckg_error_message(), culprit);                                           \
    } while (0)

/* --- making a study --- */

static void refuse_options(const ckg_options *options, const char *culprit)
{
    ckg_problem *p = new_problem();
    ckg_study *s = (ckg_study *)(void *)p;

    assert_refused(ckg_study_new(&s, p, options), CKG_ERR_INVALID, culprit);
    assert_null(s);
    ckg_problem_free(p);
}

static void test_bad_names_in_options(void **state)
{
    static const char *const bad[] = {"nonsense", "", "CKG", NULL};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *culprit = bad[i] ? bad[i] : "(null)";
        ckg_options policy = CKG_OPTIONS_INIT, preset = policy, kernel = policy, fit = policy,
                    failures = policy;
        policy.policy = preset.preset = kernel.kernel = fit.fit = failures.failures = bad[i];
        refuse_options(&policy, "policy");
        refuse_options(&policy, culprit);
        refuse_options(&preset, "preset");
        refuse_options(&preset, culprit);
        refuse_options(&kernel, "kernel");
        refuse_options(&kernel, culprit);
        refuse_options(&fit, "fit");
        refuse_options(&fit, culprit);
        refuse_options(&failures, "failures");
        refuse_options(&failures, culprit);
    }
}

static void test_bad_numbers_in_options(void **state)
{
    static const int versions[] = {0, 2, -1, INT_MAX}, samples[] = {0, -1, INT_MIN, 1000000},
                     threads[] = {-1, INT_MIN, INT_MAX};
    static const double limits[] = {-1e-9, -INFINITY, NAN},
                        penalties[] = {INFINITY, -INFINITY, 1e300, -1e151};
    static const int initials[] = {-2, INT_MIN, INT_MAX, 100001};
    static const int warps[] = {2, -1, INT_MAX, INT_MIN};
    ckg_options o;

    (void)state;
    for (int i = 0; i < 4; i++) {
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.version = versions[i];
        refuse_options(&o, "version");
    }
    for (int i = 0; i < 4; i++) {
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.samples = samples[i];
        refuse_options(&o, "samples");
    }
    for (int i = 0; i < 3; i++) {
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.threads = threads[i];
        refuse_options(&o, "threads");
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.time_limit = limits[i];
        refuse_options(&o, "time_limit");
    }
    for (int i = 0; i < 4; i++) {
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.penalty = penalties[i];
        refuse_options(&o, "penalty");
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.warp = warps[i];
        refuse_options(&o, "warp");
        o = (ckg_options)CKG_OPTIONS_INIT;
        o.initial = initials[i];
        refuse_options(&o, "initial");
    }
}

static void test_a_study_needs_a_problem_with_parameters(void **state)
{
    ckg_problem *empty;
    ckg_study *s = NULL;

    (void)state;
    assert_refused(ckg_study_new(&s, NULL, NULL), CKG_ERR_INVALID, "problem");
    assert_null(s);
    assert_int_equal(ckg_problem_new(&empty), CKG_OK);
    assert_refused(ckg_study_new(&s, empty, NULL), CKG_ERR_INVALID, "parameter");
    assert_null(s);
    assert_refused(ckg_study_new(NULL, empty, NULL), CKG_ERR_INVALID, "out");
    ckg_problem_free(empty);
}

/* The problem may change or go once the study has its copy. */
static void test_the_problem_is_copied(void **state)
{
    ckg_problem *p = new_problem();
    ckg_study *s;

    (void)state;
    assert_int_equal(ckg_study_new(&s, p, NULL), CKG_OK);
    assert_int_equal(ckg_problem_add_constraint(p, "later", 0, 1), CKG_OK);
    ckg_problem_free(p);
    assert_int_equal(ckg_problem_constraints(ckg_study_problem(s)), 1);
    assert_string_equal(ckg_problem_outcome_name(ckg_study_problem(s), 0), "mass");
    assert_string_equal(ckg_problem_category(ckg_study_problem(s), 2, 1), "wood");
    ckg_study_free(s);
}

/* --- NULL --- */

static void test_null_arguments(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    const double x[] = {0, 1, 0};
    const ckg_measurement one = {0, 1, CKG_SD_DEFAULT};
    ckg_suggestion *suggestion;
    ckg_recommendation *recommendation;
    ckg_model_info info;
    ckg_trial trial;
    double value;
    int number;

    assert_refused(ckg_study_ask(NULL, &suggestion), CKG_ERR_INVALID, "ask");
    assert_refused(ckg_study_ask(s, NULL), CKG_ERR_INVALID, "ask");
    assert_refused(ckg_study_add(NULL, x, &number), CKG_ERR_INVALID, "add");
    assert_refused(ckg_study_add(s, NULL, &number), CKG_ERR_INVALID, "add");
    assert_refused(ckg_study_add(s, x, NULL), CKG_ERR_INVALID, "add");
    assert_refused(ckg_study_tell(NULL, 0, x), CKG_ERR_INVALID, "study");
    assert_refused(ckg_study_tell(s, PENDING, NULL), CKG_ERR_INVALID, "values");
    assert_refused(ckg_study_tell_measured(NULL, 0, 1, &one), CKG_ERR_INVALID, "study");
    assert_refused(ckg_study_tell_measured(s, PENDING, 1, NULL), CKG_ERR_INVALID, "6");
    assert_refused(ckg_study_tell_failed(NULL, 0), CKG_ERR_INVALID, "study");
    assert_refused(ckg_study_cancel(NULL, 0), CKG_ERR_INVALID, "study");
    assert_refused(ckg_study_trial(NULL, 0, &trial), CKG_ERR_INVALID, "trial");
    assert_refused(ckg_study_trial(s, 0, NULL), CKG_ERR_INVALID, "trial");
    assert_refused(ckg_study_recommend(NULL, NULL, &recommendation), CKG_ERR_INVALID, "recommend");
    assert_refused(ckg_study_recommend(s, NULL, NULL), CKG_ERR_INVALID, "recommend");
    assert_refused(ckg_study_predict(NULL, 1, x, &value, NULL, NULL, NULL), CKG_ERR_INVALID, "predict");
    assert_refused(ckg_study_predict(s, 1, NULL, &value, NULL, NULL, NULL), CKG_ERR_INVALID, "predict");
    assert_refused(ckg_study_score(NULL, NULL, 1, x, &value), CKG_ERR_INVALID, "score");
    assert_refused(ckg_study_score(s, NULL, 1, NULL, &value), CKG_ERR_INVALID, "score");
    assert_refused(ckg_study_score(s, NULL, 1, x, NULL), CKG_ERR_INVALID, "value");
    assert_refused(ckg_study_model(NULL, 0, &info), CKG_ERR_INVALID, "model");
    assert_refused(ckg_study_model(s, 0, NULL), CKG_ERR_INVALID, "model");
    assert_refused(ckg_study_penalty(NULL, &value), CKG_ERR_INVALID, "penalty");
    assert_refused(ckg_study_penalty(s, NULL), CKG_ERR_INVALID, "out");
    assert_int_equal(ckg_study_trials(NULL), -1);
    assert_null(ckg_study_problem(NULL));
}

static void test_freeing_null_is_allowed(void **state)
{
    (void)state;
    ckg_study_free(NULL);
    ckg_suggestion_free(NULL);
    ckg_recommendation_free(NULL);
}

/* --- designs --- */

static void test_bad_designs(void **state)
{
    static const struct {
        double x[3];
        const char *culprit;
    } bad[] = {
        {{NAN, 1, 0}, "width"},       {{INFINITY, 1, 0}, "width"},   {{-INFINITY, 1, 0}, "width"},
        {{2.0000001, 1, 0}, "width"}, {{-1.0000001, 1, 0}, "width"}, {{0, NAN, 0}, "bolts"},
        {{0, 0, 0}, "bolts"},         {{0, 10, 0}, "bolts"},         {{0, 2.5, 0}, "bolts"},
        {{0, INFINITY, 0}, "bolts"},  {{0, 1, NAN}, "glue"},         {{0, 1, -1}, "glue"},
        {{0, 1, 3}, "glue"},          {{0, 1, 0.5}, "glue"},         {{0, 1, -INFINITY}, "glue"},
    };
    ckg_study *s = ((struct pair *)*state)->misused;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7, two[6] = {0, 1, 0};
        int number = 77;
        memcpy(two + 3, bad[i].x, sizeof bad[i].x);
        assert_refused(ckg_study_add(s, bad[i].x, &number), CKG_ERR_INVALID, bad[i].culprit);
        assert_int_equal(number, 77);
        assert_refused(ckg_study_predict(s, 2, two, NULL, NULL, &value, NULL), CKG_ERR_INVALID,
                       bad[i].culprit);
        assert_refused(ckg_study_score(s, NULL, 2, two, &value), CKG_ERR_INVALID, bad[i].culprit);
        assert_true(value == 7);
    }
}

static void test_counts_of_designs(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    const double x[] = {0, 1, 0};
    double value;

    assert_refused(ckg_study_predict(s, -1, x, &value, NULL, NULL, NULL), CKG_ERR_INVALID, "predict");
    assert_refused(ckg_study_score(s, NULL, INT_MIN, x, &value), CKG_ERR_INVALID, "score");
    assert_int_equal(ckg_study_predict(s, 0, NULL, NULL, NULL, NULL, NULL), CKG_OK);
    assert_int_equal(ckg_study_score(s, NULL, 0, NULL, &value), CKG_OK);
}

/* --- telling --- */

static void test_bad_values(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    ckg_study *s = ((struct pair *)*state)->misused;

    for (int i = 0; i < 3; i++) {
        const double mass[] = {bad[i], 1}, stress[] = {1, bad[i]};
        const ckg_measurement measured[] = {{0, 1, CKG_SD_DEFAULT}, {1, bad[i], CKG_SD_DEFAULT}};
        assert_refused(ckg_study_tell(s, PENDING, mass), CKG_ERR_INVALID, "mass");
        assert_refused(ckg_study_tell(s, PENDING, stress), CKG_ERR_INVALID, "stress");
        assert_refused(ckg_study_tell_measured(s, PENDING, 2, measured), CKG_ERR_INVALID, "stress");
    }
}

static void test_bad_standard_deviations(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, -0.5, -2, 1e200, 1e-170, 1e-310};
    ckg_study *s = ((struct pair *)*state)->misused;

    for (int i = 0; i < 8; i++) {
        const ckg_measurement measured[] = {{1, 1, 0.1}, {0, 1, bad[i]}};
        assert_refused(ckg_study_tell_measured(s, PENDING, 2, measured), CKG_ERR_INVALID, "mass");
    }
}

static void test_bad_outcomes_and_counts(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    const ckg_measurement twice[] = {{1, 1, CKG_SD_DEFAULT}, {1, 1, CKG_SD_DEFAULT}, {0, 1, CKG_SD_DEFAULT}};
    const int unknown[] = {-1, 2, INT_MAX, INT_MIN};

    assert_refused(ckg_study_tell_measured(s, PENDING, 2, twice), CKG_ERR_INVALID, "stress");
    assert_refused(ckg_study_tell_measured(s, PENDING, 0, twice), CKG_ERR_INVALID, "0");
    assert_refused(ckg_study_tell_measured(s, PENDING, -1, twice), CKG_ERR_INVALID, "-1");
    assert_refused(ckg_study_tell_measured(s, PENDING, 3, twice), CKG_ERR_INVALID, "3");
    for (int i = 0; i < 4; i++) {
        const ckg_measurement one = {unknown[i], 1, CKG_SD_DEFAULT};
        ckg_model_info info;
        assert_refused(ckg_study_tell_measured(s, PENDING, 1, &one), CKG_ERR_NOT_FOUND, "outcome");
        assert_refused(ckg_study_model(s, unknown[i], &info), CKG_ERR_NOT_FOUND, "outcome");
    }
}

static void test_unknown_trials(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    static const struct {
        int trial;
        const char *culprit;
    } unknown[] = {{-1, "-1"}, {TRIALS, "7"}, {INT_MAX, "2147483647"}, {INT_MIN, "-2147483648"}};
    const double values[] = {1, 1};
    const ckg_measurement one = {0, 1, CKG_SD_DEFAULT};
    ckg_trial trial;

    for (int i = 0; i < 4; i++) {
        const int t = unknown[i].trial;
        assert_refused(ckg_study_tell(s, t, values), CKG_ERR_NOT_FOUND, unknown[i].culprit);
        assert_refused(ckg_study_tell_measured(s, t, 1, &one), CKG_ERR_NOT_FOUND, unknown[i].culprit);
        assert_refused(ckg_study_tell_failed(s, t), CKG_ERR_NOT_FOUND, unknown[i].culprit);
        assert_refused(ckg_study_cancel(s, t), CKG_ERR_NOT_FOUND, unknown[i].culprit);
        assert_refused(ckg_study_trial(s, t, &trial), CKG_ERR_NOT_FOUND, unknown[i].culprit);
    }
}

static void test_a_trial_ends_once(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    static const struct {
        int trial;
        const char *culprit;
    } ended[] = {{COMPLETE, "trial 0 is already complete"},
                 {FAILED, "trial 4 is already failed"},
                 {CANCELLED, "trial 5 is already cancelled"}};
    const double values[] = {1, 1};
    const ckg_measurement one = {0, 1, CKG_SD_DEFAULT};

    for (int i = 0; i < 3; i++) {
        const int t = ended[i].trial;
        assert_refused(ckg_study_tell(s, t, values), CKG_ERR_STATE, ended[i].culprit);
        assert_refused(ckg_study_tell_measured(s, t, 1, &one), CKG_ERR_STATE, ended[i].culprit);
        assert_refused(ckg_study_tell_failed(s, t), CKG_ERR_STATE, ended[i].culprit);
        assert_refused(ckg_study_cancel(s, t), CKG_ERR_STATE, ended[i].culprit);
    }
}

/* --- recommending and scoring --- */

static void test_bad_recommend_options(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    static const double bad[] = {0, 1, -0.1, 1.5, NAN, INFINITY};
    ckg_recommendation *out = (ckg_recommendation *)(void *)s;
    ckg_recommend_options o = CKG_RECOMMEND_OPTIONS_INIT;

    o.version = 9;
    assert_refused(ckg_study_recommend(s, &o, &out), CKG_ERR_INVALID, "version");
    assert_null(out);
    o = (ckg_recommend_options)CKG_RECOMMEND_OPTIONS_INIT;
    o.rule = 2;
    assert_refused(ckg_study_recommend(s, &o, &out), CKG_ERR_INVALID, "rule");
    o.rule = -1;
    assert_refused(ckg_study_recommend(s, &o, &out), CKG_ERR_INVALID, "rule");
    o.rule = CKG_RULE_PROBABILITY;
    for (int i = 0; i < 6; i++) {
        o.probability = bad[i];
        assert_refused(ckg_study_recommend(s, &o, &out), CKG_ERR_INVALID, "probability");
    }
}

static void test_unknown_policy_to_score(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    const double x[] = {0, 1, 0};
    double value = 7;

    assert_refused(ckg_study_score(s, "guess", 1, x, &value), CKG_ERR_NOT_FOUND, "guess");
    assert_true(value == 7);
}

static void test_no_recommendation_without_an_objective(void **state)
{
    ckg_problem *p = new_problem();
    ckg_study *s;
    ckg_recommendation *out = (ckg_recommendation *)(void *)p;
    const double x[] = {0, 1, 0};
    const ckg_measurement stress = {1, 1, CKG_SD_DEFAULT};
    int trial;

    (void)state;
    assert_int_equal(ckg_study_new(&s, p, NULL), CKG_OK);
    assert_refused(ckg_study_recommend(s, NULL, &out), CKG_ERR_STATE, "mass");
    assert_null(out);
    assert_int_equal(ckg_study_add(s, x, &trial), CKG_OK);
    assert_int_equal(ckg_study_tell_measured(s, trial, 1, &stress), CKG_OK);
    assert_refused(ckg_study_recommend(s, NULL, &out), CKG_ERR_STATE, "mass");
    ckg_study_free(s);
    ckg_problem_free(p);
}

/* --- what is recorded --- */

static void test_trials_as_recorded(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    static const int states[TRIALS] = {CKG_COMPLETE, CKG_COMPLETE,  CKG_COMPLETE, CKG_COMPLETE,
                                       CKG_FAILED,   CKG_CANCELLED, CKG_PENDING};

    assert_int_equal(ckg_study_trials(s), TRIALS);
    for (int t = 0; t < TRIALS; t++) {
        const double x[] = {-1 + 0.25 * t, 1 + t, t % 3};
        double values[2];
        ckg_trial trial;
        evaluate(x, values);
        assert_int_equal(ckg_study_trial(s, t, &trial), CKG_OK);
        assert_int_equal(trial.state, states[t]);
        assert_memory_equal(trial.x, x, sizeof x);
        assert_int_equal(trial.count, t < FAILED ? 2 : 0);
        assert_int_equal(trial.feasible, t >= FAILED ? -1 : values[1] <= 4);
        for (int i = 0; i < trial.count; i++)
            assert_true(trial.measured[i].outcome == i && trial.measured[i].value == values[i]);
    }
}

/*
 * A violated limit makes a trial infeasible, whatever was not measured; without one all constraints must be
 * known.
 */
static void test_feasibility_of_partly_measured_trials(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *s = new_study(&options);
    const ckg_measurement mass = {0, 1, CKG_SD_DEFAULT}, high = {1, 4.0000001, CKG_SD_DEFAULT},
                          at_limit = {1, 4, CKG_SD_DEFAULT};
    const struct {
        ckg_measurement measured;
        int feasible;
    } cases[] = {{mass, -1}, {high, 0}, {at_limit, 1}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        const double x[] = {0.1 * i, 1, 1};
        ckg_trial trial;
        int number;
        assert_int_equal(ckg_study_add(s, x, &number), CKG_OK);
        assert_int_equal(ckg_study_tell_measured(s, number, 1, &cases[i].measured), CKG_OK);
        assert_int_equal(ckg_study_trial(s, number, &trial), CKG_OK);
        assert_int_equal(trial.feasible, cases[i].feasible);
    }
    ckg_study_free(s);
}

/* Looking does not change what comes next, and a message does not outlive the next success. */
static void test_looking_changes_nothing(void **state)
{
    ckg_study *s = ((struct pair *)*state)->misused;
    const double x[] = {0.5, 3, 1};
    ckg_recommendation *out;
    ckg_model_info info;
    double value;

    assert_int_equal(ckg_study_tell_failed(s, 99), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_predict(s, 1, x, NULL, NULL, NULL, &value), CKG_OK);
    assert_string_equal(ckg_error_message(), "");
    assert_int_equal(ckg_study_score(s, NULL, 1, x, &value), CKG_OK);
    assert_int_equal(ckg_study_score(s, "cei", 1, x, &value), CKG_OK);
    assert_int_equal(ckg_study_penalty(s, &value), CKG_OK);
    assert_int_equal(ckg_study_model(s, 1, &info), CKG_OK);
    assert_int_equal(ckg_study_recommend(s, NULL, &out), CKG_OK);
    ckg_recommendation_free(out);
}

/* A study of the given noise, told `count` designs; looked at after each if asked. */
static ckg_study *tell_many(enum ckg_noise noise, int count, int looks)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = new_problem();
    ckg_study *s;

    options.initial = 0;
    options.samples = 2;
    assert_int_equal(ckg_problem_set_noise(p, "mass", noise, 0), CKG_OK);
    assert_int_equal(ckg_study_new(&s, p, &options), CKG_OK);
    ckg_problem_free(p);
    for (int t = 0; t < count; t++) {
        const double x[] = {-1 + fmod(t * 1.7, 3), 1 + t % 9, t % 3};
        double values[2], utility;
        int trial;
        evaluate(x, values);
        assert_int_equal(ckg_study_add(s, x, &trial), CKG_OK);
        assert_int_equal(ckg_study_tell(s, trial, values), CKG_OK);
        if (looks)
            assert_int_equal(ckg_study_predict(s, 1, x, NULL, NULL, NULL, &utility), CKG_OK);
    }
    return s;
}

/*
 * The same seed, problem and data give the same suggestions: whether someone looked in between does not
 * matter.
 */
static void looks_between(enum ckg_noise noise, int count)
{
    ckg_study *watched = tell_many(noise, count, 1), *alone = tell_many(noise, count, 0);

    assert_same_trials(watched, alone);
    assert_same_suggestion(watched, alone);
    ckg_study_free(watched);
    ckg_study_free(alone);
}

static void test_suggestions_follow_from_the_data_alone(void **state)
{
    (void)state;
    looks_between(CKG_NOISE_NONE, 25);
}

static void test_suggestions_follow_from_the_data_alone_under_noise(void **state)
{
    (void)state;
    looks_between(CKG_NOISE_AUTO, 8);
}

/* --- callers that were compiled with another header --- */

static void test_init_functions_are_the_macros(void **state)
{
    const ckg_options options = CKG_OPTIONS_INIT;
    const ckg_recommend_options recommend = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_options o;
    ckg_recommend_options r;

    (void)state;
    assert_int_equal(ckg_options_init(&o, CKG_OPTIONS_VERSION), CKG_OK);
    assert_int_equal(o.version, options.version);
    assert_string_equal(o.policy, options.policy);
    assert_true(o.initial == -1 && o.samples == options.samples && o.warp == 1 && isnan(o.penalty));
    assert_string_equal(o.failures, options.failures);
    assert_int_equal(ckg_recommend_options_init(&r, CKG_RECOMMEND_OPTIONS_VERSION), CKG_OK);
    assert_int_equal(r.version, recommend.version);
    assert_true(r.rule == recommend.rule && r.probability == recommend.probability && !r.evaluated_only);

    assert_refused(ckg_options_init(&o, 77), CKG_ERR_INVALID, "77");
    assert_refused(ckg_options_init(NULL, CKG_OPTIONS_VERSION), CKG_ERR_INVALID, "version");
    assert_refused(ckg_recommend_options_init(&r, 0), CKG_ERR_INVALID, "0");
    assert_refused(ckg_recommend_options_init(NULL, 1), CKG_ERR_INVALID, "version");
}

/* A shorter struct is filled as far as it goes; what a longer one has beyond is zero. */
static void test_structs_of_other_sizes(void **state)
{
    struct {
        ckg_policy_info known;
        char beyond[16];
    } longer;
    ckg_policy_info shorter;
    ckg_study *s = new_study(NULL);
    ckg_trial trial;
    ckg_model_info model;
    int number;

    (void)state;
    memset(&longer, 1, sizeof longer);
    assert_int_equal(ckg_policy_at_sized(0, &longer.known, sizeof longer), CKG_OK);
    assert_string_equal(longer.known.name, "auto");
    for (size_t i = 0; i < sizeof longer.beyond; i++)
        assert_int_equal(longer.beyond[i], 0);

    memset(&shorter, 0, sizeof shorter);
    assert_int_equal(ckg_policy_named_sized("cei", &shorter, offsetof(ckg_policy_info, title)), CKG_OK);
    assert_string_equal(shorter.name, "cei");
    assert_null(shorter.title);

    assert_int_equal(ckg_study_add(s, (const double[]){0.5, 3, 1}, &number), CKG_OK);
    trial.feasible = 77;
    assert_int_equal(ckg_study_trial_sized(s, number, &trial, offsetof(ckg_trial, feasible)), CKG_OK);
    assert_true(trial.state == CKG_PENDING && trial.feasible == 77);
    model.nugget = 77;
    assert_int_equal(ckg_study_model_sized(s, 0, &model, offsetof(ckg_model_info, nugget)), CKG_OK);
    assert_true(model.nugget == 77);
    ckg_study_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_names_in_options),
        cmocka_unit_test(test_bad_numbers_in_options),
        cmocka_unit_test(test_a_study_needs_a_problem_with_parameters),
        cmocka_unit_test(test_the_problem_is_copied),
        cmocka_unit_test_setup_teardown(test_null_arguments, set_up, tear_down),
        cmocka_unit_test(test_freeing_null_is_allowed),
        cmocka_unit_test_setup_teardown(test_bad_designs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_of_designs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_standard_deviations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_outcomes_and_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_trials, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_trial_ends_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_recommend_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_policy_to_score, set_up, tear_down),
        cmocka_unit_test(test_no_recommendation_without_an_objective),
        cmocka_unit_test_setup_teardown(test_trials_as_recorded, set_up, tear_down),
        cmocka_unit_test(test_feasibility_of_partly_measured_trials),
        cmocka_unit_test_setup_teardown(test_looking_changes_nothing, set_up, tear_down),
        cmocka_unit_test(test_suggestions_follow_from_the_data_alone),
        cmocka_unit_test(test_suggestions_follow_from_the_data_alone_under_noise),
        cmocka_unit_test(test_init_functions_are_the_macros),
        cmocka_unit_test(test_structs_of_other_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
