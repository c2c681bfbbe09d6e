/*
 * Tables of designs to choose from. A refusal is one line with its place, in the table or in the problem
 * file; what is accepted reads back, from the JSON that a store keeps, as the same problem.
 */
#include <stdio.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "definition/definition.h"
#include "fuzz.h"

static void check_refusal(const char *text, const char *table)
{
    const size_t length = strlen(table);
    const char *place = !strncmp(text, table, length) ? text + length : text + strlen("problem");

    fuzz_require((place != text + strlen("problem") || !strncmp(text, "problem", 7)) && place[0] == ':' &&
                     place[1] >= '1' && place[1] <= '9',
                 "a complaint without its place", text);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fuzz_require(*c >= ' ' && *c != 127, "a control character", text);
}

static void check_round_trip(const struct app_definition *first)
{
    struct app_definition second;
    struct app_message message;
    struct app_text once = {0}, again = {0};

    app_definition_write(first, first->seed, &once);
    fuzz_require(once.data && !strchr(once.data, '\n'), "not one line", once.data ? once.data : "");
    fuzz_require(!app_definition_parse(&second, once.data, once.length, "written", &message), message.text,
                 once.data);
    fuzz_require(!app_definition_same(first, &second, &message), message.text, once.data);
    app_definition_write(&second, second.seed, &again);
    fuzz_require(again.data && !strcmp(once.data, again.data), once.data, again.data ? again.data : "");
    app_text_free(&once);
    app_text_free(&again);
    app_definition_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const declared[] = {"", "parameters: {x: {type: real}, c: {type: categorical}}\n"};
    struct app_definition definition;
    struct app_message message;
    char table[64];
    char problem[256];
    const int file = memfd_create("table", MFD_CLOEXEC);

    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size, "no file", "");
    snprintf(table, sizeof table, "/proc/self/fd/%d", file);
    for (int i = 0; i < 2; i++) {
        snprintf(problem, sizeof problem,
                 "name: s\ngoal: minimize\nbudget: 5\nseed: 1\n%schoose_from: %s\nobjective: {name: y}\n",
                 declared[i], table);
        if (app_definition_parse(&definition, problem, strlen(problem), "problem", &message))
            check_refusal(message.text, table);
        else
            check_round_trip(&definition);
        app_definition_free(&definition);
    }
    close(file);
    return 0;
}
