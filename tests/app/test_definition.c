/*
 * Problem files: the example of the documentation field by field, what is standard where a key is left out,
 * unusual ways to write the same, the round trip by way of the JSON that a store keeps, and what counts as a
 * difference. Broken files are the matter of test_broken.py.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "definition/definition.h"
#include "support/test.h"

static const char example[] =
    "name: spring\n"
    "goal: minimize                # or maximize\n"
    "budget: 60                    # evaluations in all, the initial design included\n"
    "initial: 12\n"
    "policy: cei\n"
    "seed: 18446744073709551615\n"
    "parameters:\n"
    "  wire:  {type: real, low: 0.05, high: 2.0, scale: log}     # scale: linear (default) | log\n"
    "  coils: {type: integer, low: 2, high: 15}\n"
    "  alloy: {type: categorical, values: [steel, brass]}\n"
    "objective: {name: weight, noise: none}\n"
    "constraints:                              # feasible when min <= value <= max\n"
    "  stress:     {max: 0}\n"
    "  deflection: {min: 0.1, max: 2.5, noise: 0.25}\n"
    "evaluate:\n"
    "  command: [python3, spring.py, '{wire}']\n"
    "  timeout: 60.5\n"
    "  parallel: 4\n"
    "  retries: 2\n";

static const char small[] = "name: s\ngoal: maximize\nbudget: 5\nparameters:\n  x: {type: real, low: 0, "
                            "high: 1}\nobjective: {name: y}\n";

static void read_text(struct app_definition *out, const char *text, size_t length)
{
    struct app_message message = {""};
    if (app_definition_parse(out, text, length, "problem", &message))
        fail_msg("%s", message.text);
}

static void read_string(struct app_definition *out, const char *text)
{
    read_text(out, text, strlen(text));
}

/* The text with the first `old` replaced; in a static buffer. */
static const char *with(const char *text, const char *old, const char *now)
{
    static char buffer[4096];
    const char *at = strstr(text, old);
    assert_non_null(at);
    snprintf(buffer, sizeof buffer, "%.*s%s%s", (int)(at - text), text, now, at + strlen(old));
    return buffer;
}

static void test_example(void **state)
{
    (void)state;
    struct app_definition d;
    read_string(&d, example);
    assert_string_equal(d.name, "spring");
    assert_int_equal(ckg_problem_goal(d.problem), CKG_MINIMIZE);
    assert_int_equal(d.budget, 60);
    assert_int_equal(d.initial, 12);
    assert_string_equal(d.policy, "cei");
    assert_int_equal(d.settings_count, 0);
    assert_true(d.has_seed && d.seed == UINT64_MAX);
    assert_string_equal(d.failures, "model");

    assert_int_equal(ckg_problem_dimension(d.problem), 3);
    const struct app_parameter wire = app_parameter_at(&d, 0);
    const struct app_parameter coils = app_parameter_at(&d, 1);
    const struct app_parameter alloy = app_parameter_at(&d, 2);
    assert_string_equal(wire.name, "wire");
    assert_true(wire.kind == CKG_REAL && wire.scale == CKG_LOG && wire.low == 0.05 && wire.high == 2.0);
    assert_string_equal(coils.name, "coils");
    assert_true(coils.kind == CKG_INTEGER && coils.scale == CKG_LINEAR && coils.low == 2 && coils.high == 15);
    assert_string_equal(alloy.name, "alloy");
    assert_true(alloy.kind == CKG_CATEGORICAL && alloy.count == 2 && alloy.low == 0 && alloy.high == 1);
    assert_string_equal(ckg_problem_category(d.problem, 2, 0), "steel");
    assert_string_equal(ckg_problem_category(d.problem, 2, 1), "brass");

    assert_int_equal(ckg_problem_constraints(d.problem), 2);
    assert_string_equal(ckg_problem_outcome_name(d.problem, 0), "weight");
    assert_true(app_outcome_at(&d, 0).noise == CKG_NOISE_NONE && app_outcome_at(&d, 0).min == -INFINITY &&
                app_outcome_at(&d, 0).max == INFINITY);
    assert_string_equal(ckg_problem_outcome_name(d.problem, 1), "stress");
    assert_true(app_outcome_at(&d, 1).noise == CKG_NOISE_AUTO && app_outcome_at(&d, 1).min == -INFINITY &&
                app_outcome_at(&d, 1).max == 0);
    assert_string_equal(ckg_problem_outcome_name(d.problem, 2), "deflection");
    assert_true(app_outcome_at(&d, 2).noise == CKG_NOISE_KNOWN && app_outcome_at(&d, 2).sd == 0.25 &&
                app_outcome_at(&d, 2).min == 0.1 && app_outcome_at(&d, 2).max == 2.5);

    assert_int_equal(d.evaluate.count, 3);
    assert_string_equal(d.evaluate.command[0], "python3");
    assert_string_equal(d.evaluate.command[1], "spring.py");
    assert_string_equal(d.evaluate.command[2], "{wire}");
    assert_null(d.evaluate.command[3]);
    assert_true(d.evaluate.timeout == 60.5 && d.evaluate.parallel == 4 && d.evaluate.retries == 2);

    assert_int_equal(ckg_problem_dimension(d.problem), 3);
    assert_int_equal(ckg_problem_constraints(d.problem), 2);
    assert_string_equal(ckg_problem_parameter_name(d.problem, 2), "alloy");
    assert_string_equal(ckg_problem_category(d.problem, 2, 1), "brass");
    assert_string_equal(ckg_problem_outcome_name(d.problem, 2), "deflection");
    assert_int_equal(ckg_problem_parameter_find(d.problem, "coils"), 1);
    assert_int_equal(ckg_problem_parameter_find(d.problem, "weight"), -1);
    assert_int_equal(ckg_problem_outcome_find(d.problem, "deflection"), 2);
    assert_int_equal(ckg_problem_outcome_find(d.problem, "wire"), -1);
    assert_int_equal(ckg_problem_category_find(d.problem, 2, "brass"), 1);
    assert_int_equal(ckg_problem_category_find(d.problem, 2, "gold"), -1);
    app_definition_free(&d);
    assert_null(d.problem);
    app_definition_free(&d);
}

static void test_standards(void **state)
{
    (void)state;
    struct app_definition d;
    read_string(&d, small);
    assert_int_equal(ckg_problem_goal(d.problem), CKG_MAXIMIZE);
    assert_int_equal(d.initial, -1);
    assert_string_equal(d.policy, "auto");
    assert_string_equal(d.failures, "model");
    assert_false(d.has_seed);
    assert_int_equal(ckg_problem_constraints(d.problem), 0);
    assert_int_equal(app_outcome_at(&d, 0).noise, CKG_NOISE_AUTO);
    assert_true(d.evaluate.count == 0 && d.evaluate.timeout == 0 && d.evaluate.parallel == 1 &&
                d.evaluate.retries == 0);
    app_definition_free(&d);
}

/* Each of these is the small problem, or differs from it in what is not compared. */
static void test_other_ways(void **state)
{
    (void)state;
    static const char *const same[] = {
        "\xEF\xBB\xBFname: s\ngoal: maximize\nbudget: 5\nparameters:\n  x: {type: real, low: 0, high: "
        "1}\nobjective: {name: y}\n",
        "name: s\r\ngoal: maximize\r\nbudget: 5\r\nparameters:\r\n  x: {type: real, low: 0, high: "
        "1}\r\nobjective: {name: y}\r\n",
        "{\"name\":\"s\",\"goal\":\"maximize\",\"budget\":5,"
        "\"parameters\":{\"x\":{\"type\":\"real\",\"low\":0,\"high\":1}},\"objective\":{\"name\":\"y\"}}",
        "{\n\t\"objective\": {\n\t\t\"name\": \"y\"\n\t},\n\t\"parameters\": {\"x\": {\"high\": 1.0e0, "
        "\"low\": -0.0, \"type\": \"real\"}},\n"
        "\t\"budget\": 5,\n\t\"goal\": \"maximize\",\n\t\"name\": \"\\u0073\"\n}\n",
        "--- # a comment\nobjective:\n  name: >-\n    y\nparameters:\n  'x':\n    type: 'real'\n    low: "
        "+0.\n    high: 10e-1\n    scale: linear\n"
        "budget: 05\ngoal: \"maximize\"\nname: s\nconstraints: {}\n...\n",
        "name: s\ngoal: maximize\nbudget: 7\nseed: 3\npolicy: {name: ckg, candidates: 100}\nfailures: "
        "ignore\n"
        "parameters:\n  x: {type: real, low: 0, high: 1}\nobjective: {name: y, noise: auto}\nevaluate: "
        "{command: [a]}\n",
    };
    struct app_definition a;
    read_string(&a, small);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct app_definition b;
        struct app_message message = {""};
        read_string(&b, same[i]);
        assert_string_equal(b.name, "s");
        if (app_definition_same(&a, &b, &message))
            fail_msg("%zu: %s", i, message.text);
        app_definition_free(&b);
    }
    app_definition_free(&a);
}

/* Categories and fixed values in the types of JSON. */
static void test_types(void **state)
{
    static const char *const texts[] = {"8",    "0.5",   "-3",  "1000",  "007", "9",
                                        "true", "false", "yes", "1.2.3", "0"};
    static const int types[] = {APP_NUMBER,  APP_NUMBER, APP_NUMBER, APP_NUMBER, APP_TEXT,  APP_TEXT,
                                APP_BOOLEAN, APP_TEXT,   APP_TEXT,   APP_TEXT,   APP_NUMBER};
    struct app_definition d;

    (void)state;
    read_string(&d, with(small, "  x:",
                         "  c: {type: categorical, values: [8, .50, -3, 1e3, 007, '9', true, "
                         "\"false\", yes, 1.2.3, -0]}\n  lot: {value: 1.50}\n  x:"));
    assert_int_equal(ckg_problem_categories(d.problem, 0), 11);
    for (int v = 0; v < 11; v++) {
        assert_string_equal(ckg_problem_category(d.problem, 0, v), texts[v]);
        assert_int_equal(app_parameter_at(&d, 0).label.values[v].type, types[v]);
    }
    assert_int_equal(d.fixed_count, 1);
    assert_string_equal(app_fixed_find(&d, "lot")->value.text, "1.5");
    assert_int_equal(app_fixed_find(&d, "lot")->value.type, APP_NUMBER);
    assert_null(app_fixed_find(&d, "x"));
    assert_int_equal(app_dimension(&d), 2);
    app_definition_free(&d);
}

/*
 * Bare words stay the texts that they are, whatever YAML's types would make of them; an alias is what it
 * stands for.
 */
static void test_words_and_aliases(void **state)
{
    (void)state;
    struct app_definition d;
    read_string(&d, "name: 1.0\ngoal: minimize\nbudget: 5\nparameters:\n  on: {type: categorical, values: "
                    "[yes, no, on, 010, 1e3, 'null', \"~\"]}\n"
                    "  a: &range {type: integer, low: -3, high: 4}\n  b: *range\nobjective: {name: no}\n"
                    "constraints: {1: &limit {max: 1}, 2: *limit}\n");
    assert_string_equal(d.name, "1.0");
    assert_string_equal(ckg_problem_parameter_name(d.problem, 0), "on");
    assert_string_equal(ckg_problem_category(d.problem, 0, 1), "no");
    assert_string_equal(ckg_problem_category(d.problem, 0, 3), "010");
    assert_string_equal(ckg_problem_category(d.problem, 0, 5), "null");
    assert_string_equal(ckg_problem_category(d.problem, 0, 6), "~");
    assert_true(app_parameter_at(&d, 2).kind == CKG_INTEGER && app_parameter_at(&d, 2).low == -3 &&
                app_parameter_at(&d, 2).high == 4);
    assert_string_equal(ckg_problem_outcome_name(d.problem, 0), "no");
    assert_string_equal(ckg_problem_outcome_name(d.problem, 2), "2");
    assert_true(app_outcome_at(&d, 2).max == 1);
    app_definition_free(&d);
}

/* A character beyond U+FFFF as JSON escapes it, and what only looks like that. */
static void test_surrogates(void **state)
{
    (void)state;
    static const char json[] =
        "{\"name\": \"a\\ud83c\\uDF00b\\u00e9 \\\\ud83c\\\\udf00\", \"goal\": \"maximize\", \"budget\": 5,"
        " \"parameters\": {\"x\":"
        " {\"type\": \"real\", \"low\": 0, \"high\": 1}}, \"objective\": {\"name\": \"y\"}}";
    struct app_definition d;
    struct app_message message;
    read_string(&d, json);
    assert_string_equal(d.name, "a\xF0\x9F\x8C\x80"
                                "b\xC3\xA9 \\ud83c\\udf00");
    app_definition_free(&d);
    assert_int_equal(
        app_definition_parse(&d, with(json, "\\uDF00", "\\ud83c"), strlen(json), "lone", &message),
        CKG_ERR_INVALID);
}

static void test_policy(void **state)
{
    (void)state;
    struct app_definition d;
    read_string(&d, with(small, "budget: 5", "budget: 5\npolicy: {candidates: 100, name: ckg, points: 32}"));
    assert_string_equal(d.policy, "ckg");
    assert_int_equal(d.settings_count, 2);
    assert_string_equal(d.settings[0].name, "candidates");
    assert_true(d.settings[0].value == 100);
    assert_string_equal(d.settings[1].name, "points");
    assert_true(d.settings[1].value == 32);
    app_definition_free(&d);
}

/* The options that a file's `model` gives a study, and those that are the library's own. */
static void test_model(void **state)
{
    const ckg_options usual = CKG_OPTIONS_INIT;
    ckg_options options = CKG_OPTIONS_INIT;
    struct app_definition d;

    (void)state;
    read_string(&d, small);
    app_model_apply(&d, &options);
    assert_string_equal(options.kernel, usual.kernel);
    assert_true(options.samples == usual.samples && options.warp == usual.warp && isnan(options.penalty));
    app_definition_free(&d);

    read_string(&d, with(small, "budget: 5",
                         "budget: 5\nmodel: {kernel: matern32, fit: 'sample', samples: 12, warp: false, "
                         "penalty: -2.5e3,\n  preset: paper, time_limit: 1.5, final_policy: nei}"));
    app_model_apply(&d, &options);
    assert_string_equal(options.kernel, "matern32");
    assert_string_equal(options.fit, "sample");
    assert_int_equal(options.samples, 12);
    assert_int_equal(options.warp, 0);
    assert_true(options.penalty == -2500);
    assert_string_equal(options.preset, "paper");
    assert_true(options.time_limit == 1.5);
    assert_string_equal(options.final_policy, "nei");

    /* Another value takes the place of the first, and what is wrong leaves it. */
    assert_int_equal(app_model_set(&d, "samples", "9"), CKG_OK);
    assert_int_equal(app_model_set(&d, "samples", "900"), CKG_ERR_INVALID);
    assert_int_equal(app_model_set(&d, "sample", "9"), CKG_ERR_NOT_FOUND);
    app_model_apply(&d, &options);
    assert_int_equal(options.samples, 9);
    app_definition_free(&d);
}

static void check_round_trip(const char *text)
{
    struct app_definition a, b;
    struct app_message message = {""};
    struct app_text once = {0}, again = {0};
    read_string(&a, text);
    app_definition_write(&a, a.seed, &once);
    assert_null(strchr(once.data, '\n'));
    json_t *json = json_loads(once.data, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(json);
    json_decref(json);
    read_text(&b, once.data, once.length);
    if (app_definition_same(&a, &b, &message))
        fail_msg("%s", message.text);
    assert_true(b.has_seed && b.seed == a.seed);
    assert_int_equal(a.evaluate.count, b.evaluate.count);
    for (int i = 0; i < a.evaluate.count; i++)
        assert_string_equal(a.evaluate.command[i], b.evaluate.command[i]);
    for (int i = 0; i < APP_MODEL_OPTIONS; i++)
        assert_int_equal(a.model[i] != NULL, b.model[i] != NULL);
    app_definition_write(&b, b.seed, &again);
    assert_string_equal(once.data, again.data);
    app_text_free(&once);
    app_text_free(&again);
    app_definition_free(&a);
    app_definition_free(&b);
}

static void test_round_trip(void **state)
{
    (void)state;
    check_round_trip(example);
    check_round_trip(small);
    check_round_trip(with(small, "budget: 5",
                          "budget: 5\nmodel: {kernel: auto, fit: ml, samples: 8, warp: auto, penalty: "
                          "0.30000000000000004, preset: default, time_limit: .5, final_policy: ''}"));
    check_round_trip(with(small, "budget: 5", "budget: 5\nmodel: {penalty: auto, warp: 'true'}"));
    check_round_trip(with(small, "budget: 5", "budget: 5\nmodel: {}"));
    check_round_trip(
        with(example, "policy: cei", "policy: {name: ckg, candidates: 123, M: 0.1}\nfailures: ignore"));
    check_round_trip(with(small, "low: 0, high: 1", "low: 0.1, high: 0.30000000000000004"));
    check_round_trip(with(small, "low: 0, high: 1", "low: -1.7e-308, high: 1.7976931348623157e308"));
    check_round_trip(
        with(small, "low: 0, high: 1",
             "low: 0.1, high: 1.05, step: 0.1, scale: log, unit: 'm/s²', description: \"it's <b>\""));
    check_round_trip(with(small, "  x:",
                          "  n: {type: integer, low: 1, high: 64, scale: log, step: 3}\n"
                          "  lot: {value: 3.0, unit: kg}\n  part: {value: \"3\"}\n  x:"));
    check_round_trip(
        with(small, "  x:", "  c: {type: categorical, values: [8, \"9\", true, 'false', -0.50, x]}\n  x:"));
    check_round_trip(with(small, "name: y", "name: y, positive: true, unit: \"%\", description: d"));
    /* what JSON lets stand in a text, but YAML does not or takes for the end of a line */
    check_round_trip(with(
        example, "'{wire}'",
        "\"a\\n\\t\\r\\e\\x7f\\x80\\x85\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff\\\\\\\"\\U0010FFFF é\""));
    check_round_trip(with(small, "name: s", "name: \"it's \\\"s\\\" \\\\ </script>\""));
}

/* What app_definition_same says of the example and the example changed. */
static void check_difference(const char *old, const char *now, const char *expected)
{
    struct app_definition a, b;
    struct app_message message = {""};
    read_string(&a, example);
    read_string(&b, with(example, old, now));
    assert_int_equal(app_definition_same(&a, &b, &message), expected ? CKG_ERR_INVALID : CKG_OK);
    assert_string_equal(message.text, expected ? expected : "");
    app_definition_free(&a);
    app_definition_free(&b);
}

static void test_differences(void **state)
{
    (void)state;
    check_difference("budget: 60", "budget: 70", NULL);
    check_difference("policy: cei", "policy: auto", NULL);
    check_difference("retries: 2", "retries: 3", NULL);
    check_difference("budget: 60", "budget: 60\nmodel: {kernel: matern52, penalty: 4}", NULL);
    check_difference("goal: minimize", "goal: maximize", "goal from minimize to maximize");
    check_difference("name: weight", "name: mass", "the objective's name from 'weight' to 'mass'");
    check_difference("noise: none", "noise: 0.5", "noise of weight from none to 0.5");
    check_difference("high: 15", "high: 16", "range of coils from 2 … 15 to 2 … 16");
    check_difference("[steel, brass]", "[steel, iron]",
                     "values of alloy from [steel, brass] to [steel, iron]");
    check_difference("  coils: {type: integer, low: 2, high: 15}\n", "",
                     "parameter 'coils' is gone; fix it with `coils: {value: …}` instead");
    check_difference("  coils:", "  turns: {type: integer, low: 2, high: 15}\n  coils:",
                     "parameter 'turns' is new; say which value it had so far with `was: VALUE`");
    check_difference(
        "  wire:  {type: real, low: 0.05, high: 2.0, scale: log}     # scale: linear (default) | log\n"
        "  coils: {type: integer, low: 2, high: 15}\n",
        "  coils: {type: integer, low: 2, high: 15}\n  wire: {type: real, low: 0.05, high: 2, scale: log}\n",
        "the order of the parameters");
    check_difference("{max: 0}", "{max: 1}", "limit of stress from 0 to 1");
    check_difference("  stress:     {max: 0}\n", "", "the constraint stress is gone");
    check_difference("evaluate:", "  strain: {min: 0}\nevaluate:", "new constraint strain");
}

/* A refusal leaves nothing behind that would need to be freed, and freeing it does no harm. */
static void test_refusal(void **state)
{
    (void)state;
    struct app_definition d;
    struct app_message message;
    assert_int_equal(app_definition_parse(&d, example, strlen(example) - 3, "cut", &message),
                     CKG_ERR_INVALID);
    assert_string_equal(message.text, "cut:19:11: expected an integer from 0 to 1000, not nothing");
    assert_null(d.name);
    app_definition_free(&d);
    assert_int_equal(app_definition_read(&d, "/nonexistent/problem.yaml", &message), CKG_ERR_INVALID);
    assert_string_equal(message.text, "/nonexistent/problem.yaml: No such file or directory");
    app_definition_free(&d);
    const size_t size = ((size_t)16 << 20) + 1;
    char *large = malloc(size);
    assert_non_null(large);
    memset(large, ' ', size);
    assert_int_equal(app_definition_parse(&d, large, size, "large", &message), CKG_ERR_INVALID);
    assert_string_equal(message.text, "large:1:1: larger than 16 MiB; is this a problem file?");
    free(large);
}

int main(void)
{
    return RUN_TESTS(test_example, test_standards, test_other_ways, test_policy, test_model,
                     test_words_and_aliases, test_types, test_round_trip, test_differences, test_refusal,
                     test_surrogates);
}
