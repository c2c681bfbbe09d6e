/*
 * Rules. A refusal is one line about a byte of the text; what is accepted is kept word for word, is read
 * again as the same, and says of a design what its copy says, every time. Where it allows none, that is said
 * in a line too. Control characters in a text may stand in a complaint: the program's own checks are
 * fuzz_definition's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "fuzz.h"

enum { PARAMETERS = 5, DESIGNS = 16 };

static ckg_problem *new_problem(void)
{
    static const char *const metals[] = {"steel", "brass", "32"};
    static const char *const sizes[] = {"8", "32"};
    ckg_problem *p;

    fuzz_require(!ckg_problem_new(&p) && !ckg_problem_add_real(p, "a", -1, 3, CKG_LINEAR) &&
                     !ckg_problem_add_real(p, "b c", 0.1, 10, CKG_LOG) &&
                     !ckg_problem_add_integer(p, "n", -3, 12) &&
                     !ckg_problem_add_categorical(p, "alloy", 3, metals) &&
                     !ckg_problem_add_categorical(p, "size", 2, sizes),
                 "no problem", "");
    return p;
}

static void design(int i, double *x)
{
    x[0] = -1 + 4 * fmod((i + 1) * 0.618, 1);
    x[1] = 0.1 * pow(100, fmod((i + 1) * 0.414, 1));
    x[2] = -3 + i;
    x[3] = i % 3;
    x[4] = i % 2;
}

static void check_accepted(const ckg_problem *p, const char *text)
{
    ckg_problem *again = new_problem();
    double x[PARAMETERS];

    fuzz_require(ckg_problem_rules(p) == 1 && !strcmp(ckg_problem_rule(p, 0), text), "another text", text);
    fuzz_require(!ckg_problem_add_rule(again, text, NULL), ckg_error_message(), text);
    for (int i = 0; i < DESIGNS; i++) {
        design(i, x);
        fuzz_require(ckg_problem_check_rules(p, x) == ckg_problem_check_rules(again, x), "another truth",
                     text);
    }

    /* The search for a design takes its time where there is none: one text in eight. */
    const int searched = strlen(text) % 8 == 0;
    const int found = searched && !ckg_problem_find_allowed(p, x);
    if (found)
        fuzz_require(!ckg_problem_check_rules(p, x), "the design found breaks it", text);
    else if (searched)
        fuzz_require(ckg_error_message()[0] && !strchr(ckg_error_message(), '\n'), "not one line", text);
    ckg_problem_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ckg_problem *p = new_problem();
    char *text = malloc(size + 1);
    int at = -1;

    fuzz_require(text != NULL, "out of memory", "");
    memcpy(text, data, size);
    text[size] = 0;
    if (!ckg_problem_add_rule(p, text, &at)) {
        check_accepted(p, text);
    } else {
        fuzz_require(at >= 0 && (size_t)at <= strlen(text), "a place outside of the text", text);
        fuzz_require(ckg_error_message()[0] && !strchr(ckg_error_message(), '\n'), "not one line", text);
        fuzz_require(ckg_problem_rules(p) == 0, "kept what was refused", text);
    }
    ckg_problem_free(p);
    free(text);
    return 0;
}
