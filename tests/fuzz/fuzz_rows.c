/*
 * Trials as a store keeps them: rows whose texts are anything. Each input is a number of rows, nine lines
 * each: state, origin, number, parameters, outcomes, why, extra, notes, answer. A refusal is one line. What
 * is accepted can be told to the engine and written as a table, which reads back as as many trials.
 */
#include <math.h>

#include "fuzz.h"
#include "actions/action_import.h"

static const char problem[] =
    "{name: s, goal: minimize, budget: 5, seed: 1, parameters: {x: {type: real, low: 0, high: 1},"
    " n: {type: integer, low: 0, high: 3}, c: {type: categorical, values: [u, v]}},"
    " objective: {name: y}, constraints: {g: {max: 0}, 'h i': {min: -1}}}";

enum { FIELDS = 9, MOST_ROWS = 12 };

/* The next line of the text, which it is taken off; NULL: there is none. */
static char *next_line(char **text)
{
    char *line = *text;

    if (line) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        *text = end;
    }
    return line;
}

/* An empty line is no text at all. */
static const char *text_or_null(const char *line)
{
    return line && *line ? line : NULL;
}

static void check_refusal(const char *text)
{
    fuzz_require(text[0] != 0, "refused without a reason", "");
    for (const char *c = text; *c; c++)
        fuzz_require(*c != '\n' && *c != '\r' && *c != 27, "not one line", text);
}

static int take_rows(struct app_study *n, char *text)
{
    int status = CKG_OK;

    for (int row = 0; row < MOST_ROWS && text && !status; row++) {
        const char *field[FIELDS];
        for (int i = 0; i < FIELDS; i++)
            field[i] = next_line(&text);
        struct app_trial record = {.number = field[2] ? atoi(field[2]) : 0,
                                   .revision = row + 1,
                                   .state = app_state_named(field[0]),
                                   .origin = field[1] ? field[1] : "",
                                   .parameters = field[3] ? field[3] : "",
                                   .outcomes = text_or_null(field[4]),
                                   .why = text_or_null(field[5]),
                                   .extra = text_or_null(field[6]),
                                   .notes = text_or_null(field[7]),
                                   .answer = text_or_null(field[8]),
                                   .seconds = NAN,
                                   .asked = NAN,
                                   .ended = NAN};
        status = app_study_take(n, &record);
    }
    return status;
}

static void check_accepted(struct app_study *n, struct app_message *message)
{
    struct app_text csv = {0};
    struct app_imported again;
    ckg_study *engine;

    fuzz_require(!app_study_engine(n, &engine), "the engine refuses it", message->text);
    app_trials_write_csv(n, &csv);
    fuzz_require(csv.data != NULL, "out of memory", "");
    fuzz_require(!app_trials_parse(&n->definition, csv.data, csv.length, "written", 1, &again, message),
                 message->text, csv.data);
    fuzz_require(again.count + again.discarded == n->count, "another number of trials", csv.data);
    app_pool_free(&again.pool);
    app_text_free(&csv);
}

static int is_utf8(const uint8_t *data, size_t size)
{
    while (size > 0) {
        const int length = app_utf8_length(data, size);
        if (length <= 0)
            return 0;
        data += length;
        size -= (size_t)length;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct app_message message = {""};
    struct app_study record;
    char *text = malloc(size + 1);

    fuzz_require(text != NULL, "out of memory", "");
    memcpy(text, data, size);
    text[size] = 0;
    const struct app_study_address place = {.definition = problem};
    fuzz_require(!app_study_open(&record, &place, APP_LOOK, &message), "the problem", message.text);
    if (take_rows(&record, text))
        check_refusal(message.text);
    else if (is_utf8(data, size))
        check_accepted(&record, &message);
    app_study_close(&record);
    free(text);
    return 0;
}
