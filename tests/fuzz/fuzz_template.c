/*
 * The template of an input deck, and the listing that a simulator writes. Nothing is filled in that the check
 * before has refused, unless a category stands where a number should; what a template without blanks becomes
 * is the template. A number that is found is finite.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/substitute.h"
#include "evaluate/results.h"
#include "fuzz.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 5, parameters: {x: {type: real, low: 0, high: 1}, n: {type: integer,"
    " low: 1, high: 9}, a: {type: categorical, values: [one, two]}, lot: {value: 7}}, objective: {name: y},"
    " constraints: {c: {max: 0}}, evaluate: {command: [a], results: {find: {y: 'Y  =', c: '{{'}}}}";

static void check_template(const struct app_definition *d, const char *text, size_t size)
{
    const double x[] = {0.25, 3, 1};
    struct app_message looked = {""};
    struct app_message filled = {""};
    struct app_text none = {0};
    struct app_text out = {0};
    const int first = app_substitute_template(d, NULL, "t", text, size, &none, &looked);
    const int second = app_substitute_template(d, x, "t", text, size, &out, &filled);

    fuzz_require(none.length == 0, "written while it was only looked at", none.data);
    fuzz_require(!first || second, "filled in what was refused", looked.text);
    fuzz_require(first || !second || strstr(filled.text, "no number for"), "refused later", filled.text);
    fuzz_require(!strchr(looked.text, '\n') && !strchr(filled.text, '\n'), "more than a line", looked.text);
    if (!second && !strstr(text, "{{"))
        fuzz_require(out.length == size && (!size || !memcmp(out.data, text, size)), "another text", text);
    app_text_free(&none);
    app_text_free(&out);
}

static void check_listing(const struct app_definition *d, const char *text, size_t size)
{
    ckg_measurement measured[2];
    struct app_answer_rest rest = {0};
    struct app_answer answer = {0};
    struct app_message why = {""};
    int count = 0;

    app_answer_feed(&answer, text, size);
    app_answer_end(&answer);
    int status = app_results_take(d, ".", &answer, &why);
    if (!status)
        status = app_answer_read(&answer, d, 1, measured, &count, &rest, &why);
    fuzz_require(status || count == 2, "found, and not all there", "");
    for (int i = 0; !status && i < count; i++)
        fuzz_require(isfinite(measured[i].value), "not finite", "");
    fuzz_require(!strchr(why.text, '\n'), "more than a line", why.text);
    app_answer_rest_free(&rest);
    app_answer_free(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct app_definition *definition = fuzz_definition(problem);
    char *text = malloc(size + 1);

    if (!text || memchr(data, 0, size)) { /* a text ends at a zero */
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = 0;
    check_template(definition, text, size);
    check_listing(definition, text, size);
    free(text);
    return 0;
}
