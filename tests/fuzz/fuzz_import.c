/*
 * Trials from CSV or JSON lines, strictly and leniently. A refusal is one line with its place; what is
 * accepted is written as CSV and read back, strictly, as the same trials. The names are such as could be
 * taken for others: of a trial's facts, of standard deviations, with commas and quotes.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "actions/action_import.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 5, parameters: {x: {type: real, low: -1, high: 1},"
    " state: {type: integer, low: 0, high: 3}, 'a,\"b\"': {type: categorical, values: [u, 'v,\"w\"', ' é "
    "']}},"
    " objective: {name: y}, constraints: {y.sd: {max: 0}, why: {min: -1}}}";

static int same_double(double a, double b)
{
    return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b));
}

static int same_trial(const struct app_definition *d, const struct app_trial *a, const struct app_trial *b)
{
    int same = a->state == b->state && a->count == b->count && a->feasible == b->feasible &&
               !strcmp(a->origin, b->origin) && same_double(a->seconds, b->seconds);
    for (int i = 0; same && i < app_dimension(d); i++)
        same = same_double(a->x[i], b->x[i]);
    for (int i = 0; same && i < a->count; i++)
        same = a->measured[i].outcome == b->measured[i].outcome &&
               same_double(a->measured[i].value, b->measured[i].value) &&
               same_double(a->measured[i].sd, b->measured[i].sd);
    /* an empty reason is none in a table */
    return same && (!a->why || !*a->why || !strcmp(a->why, b->why));
}

static void check_round_trip(const struct app_definition *definition, const struct app_imported *first)
{
    struct app_study record = {.definition = *definition, .trials = first->trials, .count = first->count};
    struct app_imported second;
    struct app_message message;
    struct app_text csv = {0};
    app_trials_write_csv(&record, &csv);
    fuzz_require(csv.data != NULL, "out of memory", "");
    fuzz_require(!app_trials_parse(definition, csv.data, csv.length, "written", 0, &second, &message),
                 message.text, csv.data);
    fuzz_require(second.count == first->count && second.queued == first->queued && !second.unknown,
                 "another number of trials", csv.data);
    for (int i = 0; i < first->count; i++)
        fuzz_require(same_trial(definition, &first->trials[i], &second.trials[i]), "another trial", csv.data);
    app_pool_free(&second.pool);
    app_text_free(&csv);
}

static void check_refusal(const char *text)
{
    fuzz_require(!strncmp(text, "table:", 6) && text[6] >= '1' && text[6] <= '9',
                 "a complaint without its place", text);
    for (const char *c = text; *c; c++)
        fuzz_require((unsigned char)*c >= ' ' && *c != 127, "a control character", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct app_definition *definition = fuzz_definition(problem);
    struct app_imported imported;
    struct app_message message;
    for (int lenient = 0; lenient < 2; lenient++) {
        if (app_trials_parse(definition, (const char *)data, size, "table", lenient, &imported, &message))
            check_refusal(message.text);
        else
            check_round_trip(definition, &imported);
        app_pool_free(&imported.pool);
    }
    return 0;
}
