/*
 * The table of options: it has the names that problem files have, every word of every row is taken, set and
 * read back, numbers are taken to their last digit within their range, and whatever is refused here a study
 * refuses too.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/ckg.h>

#include "model/kernel.h"
#include "support/studies.h"
#include "support/test.h"

static const char *const names[] = {"kernel",  "fit",    "samples",    "warp",
                                    "penalty", "preset", "time_limit", "final_policy"};

static void test_names(void **state)
{
    ckg_option_info info;

    (void)state;
    assert_int_equal(ckg_option_count(), 8);
    for (int i = 0; i < 8; i++) {
        must(ckg_option_at(i, &info));
        assert_string_equal(info.name, names[i]);
        assert_true(info.help[0] && !strchr(info.help, '\n'));
        assert_true(info.count > 0 || info.number);
        assert_true(!info.number || info.low < info.high);
    }
    assert_int_equal(ckg_option_at(8, &info), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_option_at(-1, &info), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_option_at(0, NULL), CKG_ERR_INVALID);
}

/* A study takes the options as they are. */
static void check_study(const ckg_options *options, int status)
{
    ckg_problem *problem = box_problem(2, 0, 1, 1, 0);
    ckg_study *study;

    assert_int_equal(ckg_study_new(&study, problem, options), status);
    ckg_study_free(study);
    ckg_problem_free(problem);
}

/* Member by member: a struct has bytes between them. */
static void assert_same(const ckg_options *a, const ckg_options *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->fit, b->fit);
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->warp, b->warp);
    assert_true(a->penalty == b->penalty || (isnan(a->penalty) && isnan(b->penalty)));
    assert_string_equal(a->preset, b->preset);
    assert_true(a->time_limit == b->time_limit);
    assert_true(a->final_policy == b->final_policy || !strcmp(a->final_policy, b->final_policy));
}

/* Every word is taken, and read back as itself or as one that means the same. */
static void test_words(void **state)
{
    ckg_option_info info;

    (void)state;
    for (int i = 0; !ckg_option_at(i, &info); i++)
        for (int k = 0; k < info.count; k++) {
            ckg_options options = CKG_OPTIONS_INIT;
            ckg_options again = CKG_OPTIONS_INIT;
            char text[64];

            options.budget = again.budget = 10;
            must(ckg_options_set(&options, info.name, info.words[k]));
            must(ckg_options_get(&options, info.name, text, sizeof text));
            must(ckg_options_set(&again, info.name, text));
            assert_same(&options, &again);
            check_study(&options, CKG_OK);
        }
}

/* The words are what other lists of the library have. */
static void test_other_lists(void **state)
{
    ckg_option_info kernel;
    ckg_option_info last;
    ckg_policy_info policy;

    (void)state;
    must(ckg_option_at(0, &kernel));
    assert_int_equal(kernel.count, CKG__KERNELS + 1);
    for (int k = 0; k < CKG__KERNELS; k++)
        assert_string_equal(kernel.words[k], ckg__kernel_names[k]);
    must(ckg_option_at(7, &last));
    assert_int_equal(last.count, ckg_policy_count() + 1);
    assert_string_equal(last.words[0], "");
    for (int k = 0; k < ckg_policy_count(); k++) {
        must(ckg_policy_at(k, &policy));
        assert_string_equal(last.words[k + 1], policy.name);
    }
}

/* The defaults are values that the options may have. */
static void test_defaults(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        ckg_options options = CKG_OPTIONS_INIT;
        char text[64];

        must(ckg_options_get(&options, names[i], text, sizeof text));
        must(ckg_options_set(&options, names[i], text));
        check_study(&options, CKG_OK);
    }
}

static void test_meaning(void **state)
{
    ckg_options o = CKG_OPTIONS_INIT;

    (void)state;
    must(ckg_options_set(&o, "kernel", "matern52"));
    must(ckg_options_set(&o, "fit", "ml"));
    must(ckg_options_set(&o, "samples", "64"));
    must(ckg_options_set(&o, "warp", "false"));
    must(ckg_options_set(&o, "penalty", "0.30000000000000004"));
    must(ckg_options_set(&o, "preset", "paper"));
    must(ckg_options_set(&o, "time_limit", "2.5e-1"));
    must(ckg_options_set(&o, "final_policy", "nei"));
    assert_string_equal(o.kernel, "matern52");
    assert_string_equal(o.fit, "ml");
    assert_int_equal(o.samples, 64);
    assert_int_equal(o.warp, 0);
    assert_true(o.penalty == 0.30000000000000004);
    assert_string_equal(o.preset, "paper");
    assert_true(o.time_limit == 0.25);
    assert_string_equal(o.final_policy, "nei");
    must(ckg_options_set(&o, "warp", "true"));
    assert_int_equal(o.warp, 1);
    must(ckg_options_set(&o, "penalty", "auto"));
    assert_true(isnan(o.penalty));
    must(ckg_options_set(&o, "final_policy", ""));
    assert_string_equal(o.final_policy, "");
}

/* Refused with the name, the value and what it may be; nothing changes. */
static void test_refused(void **state)
{
    static const struct {
        const char *name, *value, *wanted;
    } wrong[] = {
        {"kernel", "cubic", "rbf, matern52, matern32 or auto"},
        {"kernel", "", "rbf"},
        {"kernel", "RBF", "rbf"},
        {"fit", "best", "ml, map, sample or auto"},
        {"samples", "0", "an integer from 1 to 64"},
        {"samples", "65", "an integer from 1 to 64"},
        {"samples", "2.5", "an integer from 1 to 64"},
        {"samples", "auto", "an integer from 1 to 64"},
        {"samples", " 8", "an integer from 1 to 64"},
        {"samples", "8 ", "an integer from 1 to 64"},
        {"samples", "", "an integer from 1 to 64"},
        {"warp", "1", "false, true or auto"},
        {"penalty", "inf", "auto or a number"},
        {"penalty", "-nan", "auto or a number"},
        {"penalty", "1e151", "auto or a number"},
        {"preset", "papers", "default or paper"},
        {"time_limit", "-1", "a number from 0"},
        {"time_limit", "nan", "a number from 0"},
        {"final_policy", "none", "empty, auto, ckg, "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ckg_options options = CKG_OPTIONS_INIT;
        const ckg_options before = options;
        char quoted[64];

        snprintf(quoted, sizeof quoted, "not '%s'", wrong[i].value);
        assert_int_equal(ckg_options_set(&options, wrong[i].name, wrong[i].value), CKG_ERR_INVALID);
        assert_non_null(strstr(ckg_error_message(), wrong[i].name));
        assert_non_null(strstr(ckg_error_message(), wrong[i].wanted));
        assert_non_null(strstr(ckg_error_message(), quoted));
        assert_same(&options, &before);
    }
}

static void test_unknown_names(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;
    char text[8];

    (void)state;
    assert_int_equal(ckg_options_set(&options, "kernels", "rbf"), CKG_ERR_NOT_FOUND);
    assert_non_null(strstr(ckg_error_message(), "'kernels'; choose from kernel, fit"));
    assert_int_equal(ckg_options_get(&options, "policy", text, sizeof text), CKG_ERR_NOT_FOUND);
    assert_int_equal(ckg_options_set(NULL, "kernel", "rbf"), CKG_ERR_INVALID);
    assert_int_equal(ckg_options_set(&options, NULL, "rbf"), CKG_ERR_INVALID);
    assert_int_equal(ckg_options_set(&options, "kernel", NULL), CKG_ERR_INVALID);
    assert_int_equal(ckg_options_get(NULL, "kernel", text, sizeof text), CKG_ERR_INVALID);
    must(ckg_options_get(&options, "kernel", text, 3));
    assert_int_equal(strlen(text), 2);
}

/* A study that is given a wrong option says what it may be, too. */
static void test_a_study_refuses_them(void **state)
{
    ckg_options options = CKG_OPTIONS_INIT;

    (void)state;
    options.kernel = "cubic";
    check_study(&options, CKG_ERR_INVALID);
    options = (ckg_options)CKG_OPTIONS_INIT;
    options.budget = 10;
    options.final_policy = "none";
    check_study(&options, CKG_ERR_INVALID);
    assert_non_null(strstr(ckg_error_message(), "final_policy must be empty, auto, ckg, "));
}

int main(void)
{
    return RUN_TESTS(test_names, test_words, test_other_lists, test_defaults, test_meaning, test_refused,
                     test_unknown_names, test_a_study_refuses_them);
}
