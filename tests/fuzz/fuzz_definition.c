/*
 * Problem files. A refusal is one line with a place and without control characters; what is accepted reads
 * back, from the JSON that a store keeps, as the same definition, which is written as the same JSON again.
 */
#include <string.h>

#include "definition/definition.h"
#include "fuzz.h"

static void check_refusal(const char *text)
{
    fuzz_require(!strncmp(text, "problem:", 8) && text[8] >= '1' && text[8] <= '9',
                 "a complaint without its place", text);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fuzz_require(*c >= ' ' && *c != 127 && !(c[0] == 0xC2 && c[1] < 0xA0), "a control character", text);
}

static void check_round_trip(const struct app_definition *first)
{
    struct app_definition second;
    struct app_message message;
    struct app_text once = {0}, again = {0};
    app_definition_write(first, first->seed, &once);
    fuzz_require(once.data && strlen(once.data) == once.length && !strchr(once.data, '\n'), "not one line",
                 once.data ? once.data : "");
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
    struct app_definition definition;
    struct app_message message;
    if (app_definition_parse(&definition, (const char *)data, size, "problem", &message))
        check_refusal(message.text);
    else
        check_round_trip(&definition);
    app_definition_free(&definition);
    return 0;
}
