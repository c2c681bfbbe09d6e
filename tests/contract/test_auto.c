/*
 * The policy `auto`: by which policy it chooses, and whose values it gives, to the last bit; and the policy
 * `ckg`, which looks ahead at every step after the initial design.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/test.h"

enum { INITIAL = 4, PROBES = 6 };

static const double probes[PROBES] = {0.05, 0.2, 0.41, 0.6, 0.77, 0.93};

static ckg_study *new_study(const char *policy, enum ckg_noise noise, double limit)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, limit));
    for (int j = 0; j < 2; j++)
        must(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), noise,
                                   noise == CKG_NOISE_KNOWN ? 0.01 : CKG_SD_DEFAULT));
    if (policy)
        options.policy = policy;
    options.initial = INITIAL;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    return s;
}

/* Whoever chose follows from how the design came about, and says why in a sentence. */
static void check_reason(const ckg_suggestion *s)
{
    static const char *const by[][2] = {{"design", "initial"}, {"improve", "cei"}, {"cei-fallback", "cei"}};
    const char *wanted = s->path;
    const size_t length = strlen(s->reason);

    for (int i = 0; i < 3; i++)
        wanted = strcmp(s->path, by[i][0]) ? wanted : by[i][1];
    assert_string_equal(s->chosen_by, wanted);
    assert_true(length > 20 && s->reason[length - 1] == '.');
}

/* One trial, and how its design came about. */
static void step(ckg_study *s, char path[32])
{
    ckg_suggestion *suggestion;

    must(ckg_study_ask(s, &suggestion));
    check_reason(suggestion);
    const double x = suggestion->x[0];
    const double values[2] = {(x - 0.3) * (x - 0.3), 0.4 - x};
    must(ckg_study_tell(s, suggestion->trial, values));
    strcpy(path, suggestion->path);
    ckg_suggestion_free(suggestion);
}

static void begin(ckg_study *s)
{
    char path[32];

    for (int i = 0; i < INITIAL; i++)
        step(s, path);
}

/* Without noise and with a feasible design it is cei, else ckg; its values are theirs. */
static void test_whose_values(void **state)
{
    static const struct {
        enum ckg_noise noise;
        double limit;
        const char *policy;
    } cases[] = {{CKG_NOISE_NONE, 0, "cei"}, {CKG_NOISE_NONE, -9, "ckg"}, {CKG_NOISE_KNOWN, 0, "ckg"}};
    (void)state;

    for (int i = 0; i < 3; i++) {
        ckg_study *s = new_study(NULL, cases[i].noise, cases[i].limit);
        double own[PROBES], other[PROBES];
        const char *policy = NULL;

        begin(s);
        must(ckg_study_score_policy(s, NULL, &policy));
        assert_string_equal(policy, cases[i].policy);
        must(ckg_study_score(s, NULL, PROBES, probes, own));
        must(ckg_study_score(s, policy, PROBES, probes, other));
        assert_memory_equal(own, other, sizeof own);
        ckg_study_free(s);
    }
}

/* Every other policy gives its own values, and what is wrong is said. */
static void test_names(void **state)
{
    ckg_study *s = new_study("nei", CKG_NOISE_NONE, 0);
    const char *policy = NULL;
    (void)state;

    begin(s);
    must(ckg_study_score_policy(s, NULL, &policy));
    assert_string_equal(policy, "nei");
    must(ckg_study_score_policy(s, "ckg", &policy));
    assert_string_equal(policy, "ckg");
    assert_int_equal(ckg_study_score_policy(s, "no", &policy), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_study_score_policy(s, NULL, NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_study_score_policy(NULL, NULL, &policy), CKG_ERR_INVALID);
    ckg_study_free(s);
}

/* The look-ahead at every step, without noise too: no improvement of a design in hand, and no step is local.
 */
static void test_ckg_looks_ahead(void **state)
{
    ckg_study *by_auto = new_study("auto", CKG_NOISE_NONE, 0), *s = new_study("ckg", CKG_NOISE_NONE, 0);
    int ahead = 0, improved = 0;
    (void)state;

    for (int i = 0; i < INITIAL + 8; i++) {
        char path[32];
        step(s, path);
        if (i >= INITIAL && strcmp(path, "ckg") && strcmp(path, "cei-fallback") && strcmp(path, "explore"))
            fail_msg("'%s' by ckg", path);
        ahead += !strcmp(path, "ckg");
        step(by_auto, path);
        improved += !strcmp(path, "improve");
    }
    assert_true(ahead > 0);
    assert_true(improved > 0);
    ckg_study_free(s);
    ckg_study_free(by_auto);
}

/* A policy without models says so, also where it has the name of a path. */
static void test_reasons_without_models(void **state)
{
    ckg_study *s = new_study("random", CKG_NOISE_NONE, 0);
    ckg_suggestion *suggestion;
    (void)state;

    begin(s);
    must(ckg_study_ask(s, &suggestion));
    check_reason(suggestion);
    assert_non_null(strstr(suggestion->reason, "needs no models"));
    ckg_suggestion_free(suggestion);
    ckg_study_free(s);
}

/* The settings of local steps are auto's alone. */
static void test_settings(void **state)
{
    static const char *const names[] = {"improve", "global_every", "region"};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    (void)state;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR));
    for (int i = 0; i < 3; i++) {
        const ckg_setting setting = {names[i], 1};
        ckg_study *s;
        options.settings_count = 1;
        options.settings = &setting;
        options.policy = "ckg";
        assert_int_equal(ckg_study_new(&s, p, &options), CKG_ERR_INVALID);
        options.policy = "auto";
        must(ckg_study_new(&s, p, &options));
        ckg_study_free(s);
    }
    ckg_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_values),           cmocka_unit_test(test_names),
        cmocka_unit_test(test_ckg_looks_ahead),        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_reasons_without_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
