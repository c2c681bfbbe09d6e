/*
 * Memory that runs out at the n-th allocation, for every n: CKG_ERR_NOMEM with a message, nothing lost
 * (AddressSanitizer looks for that) and nothing changed: the same call then gives, bit for bit, what it gives
 * in a study that never saw a failure. A light run takes one n of eight in a study.
 */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/alloc.h"
#include "support/results.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { PROBES = 3 };

/* --- the hook --- */

struct budget {
    int calls;   /* allocations so far */
    int failing; /* the number of the one that fails; -1: none */
    int onwards; /* 1: and every one after it */
};

static int spend(size_t bytes, void *context)
{
    struct budget *budget = context;
    const int call = budget->calls++;

    (void)bytes;
    return budget->failing < 0 || call < budget->failing || (call > budget->failing && !budget->onwards);
}

/* --- building a problem --- */

static int add_real(ckg_problem *p)
{
    return ckg_problem_add_real(p, "length", 0, 1, CKG_LINEAR);
}

static int add_integer(ckg_problem *p)
{
    return ckg_problem_add_integer(p, "bolts", 1, 9);
}

static int add_categorical(ckg_problem *p)
{
    static const char *const values[] = {"oak", "ash", "elm"};

    return ckg_problem_add_categorical(p, "wood", 3, values);
}

static int set_objective(ckg_problem *p)
{
    return ckg_problem_set_objective(p, "mass", CKG_MAXIMIZE);
}

static int add_constraint(ckg_problem *p)
{
    return ckg_problem_add_constraint(p, "stress", 0, 1);
}

static int add_constant(ckg_problem *p)
{
    return ckg_problem_add_constant(p, "load", 3);
}

static int add_rule(ckg_problem *p)
{
    return ckg_problem_add_rule(p, "length < 0.9 or bolts > 2 and wood != 'elm'", NULL);
}

static int add_row(ckg_problem *p)
{
    return ckg_problem_add_rule_row(p, (const double[]){1, 0.5, 0}, -INFINITY, 4.9);
}

static int set_designs(ckg_problem *p)
{
    static const double X[] = {0, 1, 0, 0.5, 9, 2};

    return ckg_problem_set_designs(p, 2, X);
}

static void test_building_a_problem(void **state)
{
    static int (*const steps[])(ckg_problem *) = {add_real,      add_integer,    add_categorical,
                                                  set_objective, add_constraint, set_designs,
                                                  add_constant,  add_rule,       add_row};
    static const int dimension[] = {0, 1, 2, 3, 3, 3, 3, 3, 3}, constraints[] = {0, 0, 0, 0, 0, 1, 1, 1, 1};
    ckg_problem *p;

    (void)state;
    must(ckg_problem_new(&p));
    for (int i = 0; i < 9; i++) {
        int status = CKG_ERR_NOMEM, n = 0;
        for (; status; n++) {
            struct budget budget = {0, n, 0};
            assert_int_equal(ckg_problem_rules(p), i > 7);
            assert_int_equal(ckg_problem_constants(p), i > 6);
            assert_int_equal(ckg_problem_dimension(p), dimension[i]);
            assert_int_equal(ckg_problem_constraints(p), constraints[i]);
            assert_string_equal(ckg_problem_outcome_name(p, 0), i > 3 ? "mass" : "objective");
            ckg__alloc_set_hook(spend, &budget);
            status = steps[i](p);
            ckg__alloc_set_hook(NULL, NULL);
            assert_true(status == CKG_OK || (status == CKG_ERR_NOMEM && ckg_error_message()[0]));
        }
        assert_true(n > 1);
    }
    assert_string_equal(ckg_problem_category(p, 2, 2), "elm");
    ckg_problem_free(p);
}

static void test_a_new_problem(void **state)
{
    int status = CKG_ERR_NOMEM;

    (void)state;
    for (int n = 0; status; n++) {
        struct budget budget = {0, n, 0};
        ckg_problem *p = (ckg_problem *)(void *)&budget;
        ckg__alloc_set_hook(spend, &budget);
        status = ckg_problem_new(&p);
        ckg__alloc_set_hook(NULL, NULL);
        assert_true((status == CKG_OK) == (p != NULL));
        ckg_problem_free(p);
    }
}

/* --- studies in the states that matter --- */

struct setting {
    const char *name, *policy;
    enum ckg_noise noise;
    int initial, told, failed, pending, mixed;
    int ruled;
};

static const struct setting settings[] = {
    {"initial", "auto", CKG_NOISE_NONE, 4, 0, 0, 0, 0, 0},
    {"initial, pending", "auto", CKG_NOISE_NONE, 9, 0, 1, 2, 1, 0},
    {"auto", "auto", CKG_NOISE_NONE, 0, 5, 0, 0, 0, 0},
    {"cei", "cei", CKG_NOISE_NONE, 0, 5, 0, 0, 0, 0},
    {"noise", "auto", CKG_NOISE_AUTO, 0, 5, 0, 0, 0, 0},
    {"noise, cei", "cei", CKG_NOISE_AUTO, 0, 5, 0, 0, 0, 0},
    {"failed, pending", "auto", CKG_NOISE_NONE, 0, 5, 2, 2, 0, 0},
    {"noise, failed, pending", "auto", CKG_NOISE_AUTO, 0, 5, 2, 2, 0, 0},
    {"mixed", "auto", CKG_NOISE_NONE, 0, 5, 0, 1, 1, 0},
    {"only failed", "auto", CKG_NOISE_AUTO, 0, 0, 3, 0, 0, 0},
    {"rules, initial", "auto", CKG_NOISE_NONE, 9, 0, 0, 2, 1, 1},
    {"rules", "auto", CKG_NOISE_NONE, 0, 5, 0, 1, 1, 1},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

static ckg_problem *new_problem(const struct setting *setting)
{
    ckg_problem *p;

    must(ckg_problem_new(&p));
    must(add_real(p));
    must(ckg_problem_add_real(p, "height", 0, 1, CKG_LINEAR));
    if (setting->mixed)
        must(add_integer(p));
    if (setting->mixed)
        must(add_categorical(p));
    if (setting->ruled) {
        must(ckg_problem_add_rule(p, "length + height <= 0.7", NULL));
        must(ckg_problem_add_rule(p, "if wood == 'elm' then bolts < 3", NULL));
    }
    must(ckg_problem_add_constraint(p, "stress", -INFINITY, 0.6));
    must(ckg_problem_set_noise(p, "objective", setting->noise, 0));
    must(ckg_problem_set_noise(p, "stress", setting->noise, 0));
    return p;
}

static ckg_options options_of(const struct setting *setting)
{
    ckg_options o = CKG_OPTIONS_INIT;

    o.policy = setting->policy;
    o.initial = setting->initial;
    o.samples = 2;
    return o;
}

static void design(int t, double *x)
{
    x[0] = fmod((t + 0.5) * sqrt(2), 1);
    x[1] = fmod((t + 0.5) * sqrt(5), 1);
    x[2] = 1 + t % 9;
    x[3] = t % 3;
}

static void evaluate(const double *x, double *values)
{
    values[0] = (x[0] - 0.4) * (x[0] - 0.4) + x[1];
    values[1] = x[0] + 0.3 * sin(5 * x[1]);
}

static ckg_study *new_study(const struct setting *setting)
{
    const ckg_options o = options_of(setting);
    ckg_problem *p = new_problem(setting);
    ckg_study *s;

    must(ckg_study_new(&s, p, &o));
    ckg_problem_free(p);
    for (int t = 0; t < setting->told + setting->failed + setting->pending; t++) {
        double x[4], values[2];
        int trial;
        design(t, x);
        evaluate(x, values);
        must(ckg_study_add(s, x, &trial));
        if (t < setting->told)
            must(ckg_study_tell(s, trial, values));
        else if (t < setting->told + setting->failed)
            must(ckg_study_tell_failed(s, trial));
    }
    return s;
}

/* --- calls whose results are numbers --- */

static int call_recommend_utility(ckg_study *s, struct result *r)
{
    return result_recommend(s, CKG_RULE_UTILITY, r);
}

static int call_recommend_probability(ckg_study *s, struct result *r)
{
    return result_recommend(s, CKG_RULE_PROBABILITY, r);
}

static void probes(const ckg_study *s, double *X)
{
    const int d = ckg_problem_dimension(ckg_study_problem(s));

    for (int p = 0; p < PROBES; p++) {
        double x[4];
        design(50 + p, x);
        memcpy(X + p * d, x, (size_t)d * sizeof *X);
    }
}

static int call_predict(ckg_study *s, struct result *r)
{
    double X[4 * PROBES], mean[2 * PROBES], sd[2 * PROBES], feasible[PROBES], utility[PROBES];

    probes(s, X);
    const int status = ckg_study_predict(s, PROBES, X, mean, sd, feasible, utility);
    if (!status) {
        result_put(r, 2 * PROBES, mean);
        result_put(r, 2 * PROBES, sd);
        result_put(r, PROBES, feasible);
        result_put(r, PROBES, utility);
    }
    return status;
}

static int call_score(ckg_study *s, struct result *r)
{
    double X[4 * PROBES], value[PROBES];

    probes(s, X);
    const int status = ckg_study_score(s, NULL, PROBES, X, value);
    if (!status)
        result_put(r, PROBES, value);
    return status;
}

static int call_model(ckg_study *s, struct result *r)
{
    ckg_model_info info;
    const int status = ckg_study_model(s, 0, &info);

    if (!status)
        result_put(r, 4, (const double[]){info.signal_sd, info.noise_sd, info.mean, info.lengthscales[0]});
    return status;
}

static int call_gain(ckg_study *s, struct result *r)
{
    ckg_gain gain;
    const int status = ckg_study_expected_gain(s, &gain);

    if (!status)
        result_put(r, 3,
                   (const double[]){gain.next, gain.perfect_information, gain.perfect_information_rough});
    return status;
}

static int call_importance(ckg_study *s, struct result *r)
{
    double total[4];
    const int status = ckg_study_importance(s, 0, total, NULL, NULL);

    if (!status)
        result_put(r, 2, total);
    return status;
}

static int call_add(ckg_study *s, struct result *r)
{
    double x[4];
    int trial = -7;

    design(90, x);
    const int status = ckg_study_add(s, x, &trial);
    result_put(r, 1, &(double){trial});
    r->count = status ? 0 : r->count;
    return status;
}

/* The last pending trial's values, and what is recorded of it. */
static int call_tell(ckg_study *s, struct result *r)
{
    const double values[] = {0.7, 0.2};
    const int trial = ckg_study_trials(s) - 1, status = ckg_study_tell(s, trial, values);
    ckg_trial record;

    if (status)
        return status;
    must(ckg_study_trial(s, trial, &record));
    result_put(r, 2, (const double[]){record.count, record.measured[1].value});
    return CKG_OK;
}

typedef int call_function(ckg_study *s, struct result *r);

static void assert_same_trials(const ckg_study *a, const ckg_study *b)
{
    assert_int_equal(ckg_study_trials(a), ckg_study_trials(b));
    for (int t = 0; t < ckg_study_trials(a); t++) {
        ckg_trial one, other;
        must(ckg_study_trial(a, t, &one));
        must(ckg_study_trial(b, t, &other));
        assert_int_equal(one.state, other.state);
        assert_int_equal(one.count, other.count);
    }
}

static int same(const struct result *a, const struct result *b)
{
    return a->count == b->count && !memcmp(a->number, b->number, (size_t)a->count * sizeof *a->number);
}

/*
 * Calls with the n-th allocation failing, then without; 1 while there was an n-th. *changed: the results
 * differ from `wanted`.
 */
static int fail_at(const struct setting *setting, call_function *call, int n, int onwards,
                   const struct result *wanted, int *changed)
{
    ckg_study *s = new_study(setting), *untouched = new_study(setting);
    struct budget budget = {0, n, onwards};
    struct result ignored = {0}, result = {0};

    ckg__alloc_set_hook(spend, &budget);
    const int status = call(s, &ignored);
    ckg__alloc_set_hook(NULL, NULL);
    const int reached = budget.calls > n;
    if (reached && (status != CKG_ERR_NOMEM || !ckg_error_message()[0]))
        fail_msg("%s: allocation %d failed, but the status is %d, '%s'", setting->name, n, status,
                 ckg_error_message());
    if (reached) {
        assert_same_trials(s, untouched);
        must(call(s, &result));
        *changed = !same(&result, wanted);
    }
    ckg_study_free(s);
    ckg_study_free(untouched);
    return reached;
}

/* Every n of one call in one setting, the results afterwards against those of a study without failures. */
static void fail_at_each(const struct setting *setting, call_function *call, const char *what)
{
    ckg_study *s = new_study(setting);
    struct result wanted = {0};
    int changed = 0, first = -1, tried = 0;

    must(call(s, &wanted));
    ckg_study_free(s);
    for (int n = 0, reached = 1; reached; n += test_scale(1, 8))
        for (int onwards = 0; reached && onwards < 2; onwards++) {
            int differs = 0;
            reached = fail_at(setting, call, n, onwards, &wanted, &differs);
            tried += reached;
            changed += differs;
            first = differs && first < 0 ? n : first;
        }
    if (changed)
        fail_msg("%s in '%s': after %d of %d failures the result differs, first at allocation %d", what,
                 setting->name, changed, tried, first);
}

static void test_a_new_study(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        ckg_problem *p = new_problem(&settings[SETTINGS - 2]);
        ckg_options o = CKG_OPTIONS_INIT;
        int status = CKG_ERR_NOMEM, n = 0;
        o.threads = threads;
        for (; status; n++) {
            struct budget budget = {0, n, 0};
            ckg_study *s = (ckg_study *)(void *)p;
            ckg__alloc_set_hook(spend, &budget);
            status = ckg_study_new(&s, p, &o);
            ckg__alloc_set_hook(NULL, NULL);
            assert_true((status == CKG_OK) == (s != NULL));
            assert_true(status == CKG_OK || (status == CKG_ERR_NOMEM && ckg_error_message()[0]));
            ckg_study_free(s);
        }
        assert_true(n > 5);
        ckg_problem_free(p);
    }
}

static void test_add_and_tell(void **state)
{
    (void)state;
    fail_at_each(&settings[0], call_add, "add");
    fail_at_each(&settings[1], call_add, "add");
    fail_at_each(&settings[6], call_tell, "tell");
    fail_at_each(&settings[8], call_tell, "tell");
}

static void test_ask_in_the_initial_design(void **state)
{
    (void)state;
    fail_at_each(&settings[0], result_ask, "ask");
    fail_at_each(&settings[1], result_ask, "ask");
    fail_at_each(&settings[9], result_ask, "ask");
    fail_at_each(&settings[10], result_ask, "ask");
}

/* By model: both policies, with noise and without, with failed and pending trials, on a lattice, under rules.
 */
static void test_ask_by_model(void **state)
{
    (void)state;
    for (int i = 2; i <= 8; i++)
        fail_at_each(&settings[i], result_ask, "ask");
    fail_at_each(&settings[11], result_ask, "ask");
}

static void test_recommend(void **state)
{
    (void)state;
    fail_at_each(&settings[4], call_recommend_utility, "recommend");
    fail_at_each(&settings[8], call_recommend_utility, "recommend");
    fail_at_each(&settings[2], call_recommend_probability, "recommend");
    fail_at_each(&settings[7], call_recommend_probability, "recommend");
    fail_at_each(&settings[11], call_recommend_utility, "recommend");
}

static void test_predict_score_and_model(void **state)
{
    (void)state;
    fail_at_each(&settings[6], call_predict, "predict");
    fail_at_each(&settings[4], call_predict, "predict");
    fail_at_each(&settings[8], call_score, "score");
    fail_at_each(&settings[5], call_score, "score");
    fail_at_each(&settings[7], call_model, "model");
    fail_at_each(&settings[7], call_importance, "importance");
    fail_at_each(&settings[2], call_gain, "gain");
    fail_at_each(&settings[7], call_gain, "gain");
}

/* --- failures late in an ask --- */

/*
 * A flat objective under noise, of the last bit: the search has stalled, and an ask that explores comes next.
 * The trials fill their array, so that an ask allocates last of all to record its own.
 */
static ckg_study *stalled_study(void)
{
    const struct setting setting = {"stalled", "auto", CKG_NOISE_AUTO, 0, 0, 0, 0, 0, 0};
    ckg_study *s = new_study(&setting);
    struct result ignored = {0};

    for (int t = 0; t < 64; t++) {
        const double values[] = {t < 40 ? 1 : 1 + DBL_EPSILON, 0};
        double x[4];
        design(t % 40, x);
        tell_at(s, x, values);
    }
    must(call_predict(s, &ignored));
    return s;
}

static void test_a_late_failure_changes_nothing(void **state)
{
    ckg_study *s = stalled_study(), *control = stalled_study();
    struct result result = {0}, wanted = {0};
    int status = CKG_ERR_NOMEM;

    (void)state;
    for (int n = 0; status; n++) {
        struct budget budget = {0, n, 0};
        result.count = 0;
        ckg__alloc_set_hook(spend, &budget);
        status = result_ask(s, &result);
        ckg__alloc_set_hook(NULL, NULL);
        assert_true(status == CKG_OK || status == CKG_ERR_NOMEM);
    }
    must(result_ask(control, &wanted));
    const int differs = !same(&result, &wanted);
    ckg_study_free(s);
    ckg_study_free(control);
    assert_true(wanted.number[wanted.count - 1] == 1);
    assert_false(differs);
}

/* --- how many allocations --- */

/* Allocations of an ask whose study is warm: asked and cancelled before, at the same data. */
static int warm_allocations(const struct setting *setting, const char *preset, double time_limit)
{
    ckg_options o = options_of(setting);
    ckg_problem *p = new_problem(setting);
    struct budget budget = {0, -1, 0};
    struct result ignored;
    ckg_study *s;

    o.preset = preset;
    o.time_limit = time_limit;
    must(ckg_study_new(&s, p, &o));
    ckg_problem_free(p);
    for (int t = 0; t < setting->told; t++) {
        double x[4], values[2];
        design(t, x);
        evaluate(x, values);
        tell_at(s, x, values);
    }
    for (int i = 0; i < 3; i++) {
        budget.calls = 0;
        ignored.count = 0;
        ckg__alloc_set_hook(spend, &budget);
        must(result_ask(s, &ignored));
        ckg__alloc_set_hook(NULL, NULL);
        must(ckg_study_cancel(s, ckg_study_trials(s) - 1));
    }
    ckg_study_free(s);
    return budget.calls;
}

/*
 * Few, and no more of them when the loops run longer: with more data, more candidates and iterations, or a
 * limit on the time.
 */
static void test_a_warm_ask_allocates_little(void **state)
{
    static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};
    static const char *const policies[] = {"auto", "cei"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct setting small = {"small", policies[i % 2], noises[i / 2], 0, 8, 0, 0, 0, 0};
        const struct setting large = {"large", policies[i % 2], noises[i / 2], 0, 40, 0, 0, 0, 0};
        const int usual = warm_allocations(&small, "default", 0),
                  hurried = warm_allocations(&small, "default", 1e-6);
        const int more = warm_allocations(&large, "default", 0), paper = warm_allocations(&small, "paper", 0);
        print_message(
            "allocations of a warm ask, %s, %s: %d; hurried %d, of 40 observations %d, preset paper %d\n",
            policies[i % 2], i / 2 ? "noise" : "no noise", usual, hurried, more, paper);
        assert_true(usual <= 200 && more <= 200 && paper <= 200);
        assert_true(more <= usual + 40 && hurried <= usual);
    }
}

int main(void)
{
    return RUN_TESTS(test_a_new_problem, test_building_a_problem, test_a_new_study, test_add_and_tell,
                     test_ask_in_the_initial_design, test_ask_by_model, test_recommend,
                     test_predict_score_and_model, test_a_late_failure_changes_nothing,
                     test_a_warm_ask_allocates_little);
}
