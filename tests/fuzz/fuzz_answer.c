/*
 * What an evaluation prints. Fed in one piece and byte by byte it is the same answer; a refusal is one line;
 * what is accepted is written and read back as the same values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/answer.h"
#include "fuzz.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 5, parameters: {x: {type: real, low: 0, high: 1}},"
    " objective: {name: y}, constraints: {c: {max: 0}, 'a \"b\" é': {min: -1}}}";

enum { OUTCOMES = 3, TRIAL = 7 };

struct result {
    int status, count;
    ckg_measurement measured[OUTCOMES];
    struct app_message why;
};

/* What is kept beside the trial is an object again, and the note one line. */
static void check_rest(const struct app_answer_rest *rest)
{
    if (rest->extra.length) {
        json_t *again = json_loadb(rest->extra.data, rest->extra.length, JSON_REJECT_DUPLICATES, NULL);
        fuzz_require(json_is_object(again) && json_object_size(again), "not an object", rest->extra.data);
        json_decref(again);
    }
    for (size_t i = 0; i < rest->notes.length; i++)
        fuzz_require((unsigned char)rest->notes.data[i] >= ' ' && rest->notes.data[i] != 127,
                     "a control character", rest->notes.data);
}

/* The text that is kept for people is valid. */
static void check_text(const struct app_answer *from)
{
    char *text = app_answer_text(from);

    for (const char *c = text; c && *c;) {
        const int length = app_utf8_length((const unsigned char *)c, strlen(c));
        fuzz_require(length > 0, "not UTF-8", text);
        c += length;
    }
    free(text);
}

static void answer(const struct app_definition *definition, const uint8_t *data, size_t size, size_t step,
                   struct result *out)
{
    struct app_answer answer = {0};
    for (size_t at = 0; at < size; at += step)
        app_answer_feed(&answer, (const char *)data + at, size - at < step ? size - at : step);
    app_answer_end(&answer);
    check_text(&answer);
    out->why.text[0] = 0;
    struct app_answer_rest rest;
    out->status = app_answer_read(&answer, definition, TRIAL, out->measured, &out->count, &rest, &out->why);
    check_rest(&rest);
    app_answer_rest_free(&rest);
    app_answer_free(&answer);
}

static void check_same(const struct result *a, const struct result *b)
{
    fuzz_require(a->status == b->status && !strcmp(a->why.text, b->why.text), a->why.text, b->why.text);
    if (a->status)
        return;
    fuzz_require(a->count == b->count, "another number of values", "");
    for (int i = 0; i < a->count; i++)
        fuzz_require(a->measured[i].outcome == b->measured[i].outcome &&
                         !memcmp(&a->measured[i].value, &b->measured[i].value, sizeof(double)) &&
                         !memcmp(&a->measured[i].sd, &b->measured[i].sd, sizeof(double)),
                     "another value", "");
}

static void check_accepted(const struct app_definition *definition, const struct result *first)
{
    struct result again;
    struct app_text written = {0};
    fuzz_require(first->count >= 1 && first->count <= OUTCOMES, "no values", "");
    for (int i = 0; i < first->count; i++) {
        const ckg_measurement *m = &first->measured[i];
        fuzz_require(isfinite(m->value) && m->outcome >= 0 && m->outcome < OUTCOMES, "not a value", "");
    }
    app_outcomes_write(definition, first->count, first->measured, &written);
    fuzz_require(written.data != NULL, "out of memory", "");
    answer(definition, (const uint8_t *)written.data, written.length, written.length, &again);
    check_same(first, &again);
    app_text_free(&written);
}

static void check_refused(const struct result *result)
{
    fuzz_require(result->status == CKG_ERR_INVALID && result->why.text[0], "refused without a reason", "");
    for (const char *c = result->why.text; *c; c++)
        fuzz_require((unsigned char)*c >= ' ' && *c != 127, "a control character", result->why.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t steps[] = {1, 3};
    const struct app_definition *definition = fuzz_definition(problem);
    struct result whole, parts;
    answer(definition, data, size, size ? size : 1, &whole);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        answer(definition, data, size, steps[i], &parts);
        check_same(&whole, &parts);
    }
    if (whole.status)
        check_refused(&whole);
    else
        check_accepted(definition, &whole);
    return 0;
}
