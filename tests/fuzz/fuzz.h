/*
 * What libFuzzer calls, here defined by each tests/fuzz/fuzz_NAME.c: a function that must survive any bytes,
 * and that calls fuzz_require for what must hold where they are accepted. Returns 0.
 */
#ifndef CKG_TEST_FUZZ_H
#define CKG_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/definition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which the fuzzer takes for a find, unless the condition holds; `why` is shown. */
static inline void fuzz_require(int condition, const char *what, const char *why)
{
    if (!condition) {
        fprintf(stderr, "%s: %s\n", what, why);
        abort();
    }
}

/* The problem that a target's inputs belong to, read once for all of them. */
static inline const struct app_definition *fuzz_definition(const char *problem)
{
    static struct app_definition definition;
    struct app_message message;

    if (!definition.problem)
        fuzz_require(!app_definition_parse(&definition, problem, strlen(problem), "problem", &message),
                     "the problem", message.text);
    return &definition;
}

#endif
