/* Lines in, an answer out. */
#include "evaluate/answer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_LINE = 1 << 20 };

/* The text with 0 for every NaN and infinity outside a string; the caller frees it. */
static char *without_nonnumbers(const char *text, size_t length)
{
    struct app_text out = {0};
    int inside = 0;

    for (size_t i = 0; i < length;) {
        size_t word = 0;
        while (!inside && i + word < length && isalpha((unsigned char)text[i + word]))
            word++;
        const int is_none = (word == 3 &&
                             (!strncasecmp(text + i, "nan", 3) || !strncasecmp(text + i, "inf", 3))) ||
                            (word == 8 && !strncasecmp(text + i, "infinity", 8));
        const size_t part = word ? word : inside && text[i] == '\\' && i + 1 < length ? 2 : 1;
        inside ^= !word && text[i] == '"';
        app_text_add(&out, is_none ? "0" : text + i, is_none ? 1 : part);
        i += part;
    }
    app_text_add(&out, "", 1);
    return out.data;
}

/*
 * 1 for what would be an answer if all its numbers were some: it counts as the answer, so that no earlier
 * line does.
 */
static int has_nonnumber(const char *text, size_t length, const json_error_t *error)
{
    json_error_t unused;

    if (json_error_code(error) == json_error_numeric_overflow)
        return 1;
    char *mended = without_nonnumbers(text, length);
    json_t *object = mended ? json_loads(mended, JSON_DECODE_INT_AS_REAL, &unused) : NULL;
    const int is_answer = object != NULL;
    json_decref(object);
    free(mended);
    return is_answer;
}

static void take_line(struct app_answer *a)
{
    json_error_t error;
    const char *text = a->line.data;
    size_t start = 0;

    while (start < a->line.length && strchr(" \t\r", text[start]) && text[start])
        start++;
    if (a->overlong || start == a->line.length || text[start] != '{')
        return;
    json_t *object = json_loadb(text + start, a->line.length - start,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (object) { /* what begins with a brace and is JSON is an object */
        json_decref(a->object);
        a->object = object;
        a->problem.text[0] = 0;
        return;
    }
    app_fail(&a->problem, 0, "%s at column %d", error.text, error.column);
    if (has_nonnumber(text + start, a->line.length - start, &error)) {
        json_decref(a->object);
        a->object = NULL;
    }
}

static void end_line(struct app_answer *a)
{
    take_line(a);
    a->line.length = 0;
    a->overlong = 0;
}

void app_answer_feed(struct app_answer *a, const char *bytes, size_t length)
{
    while (length) {
        const char *newline = memchr(bytes, '\n', length);
        const size_t part = newline ? (size_t)(newline - bytes) : length;
        if (a->line.length + part > LONGEST_LINE)
            a->overlong = 1;
        else
            app_text_add(&a->line, bytes, part);
        if (newline)
            end_line(a);
        bytes += part + (newline != NULL);
        length -= part + (newline != NULL);
    }
}

void app_answer_end(struct app_answer *a)
{
    if (a->line.length)
        end_line(a);
}

void app_answer_free(struct app_answer *a)
{
    json_decref(a->object);
    app_text_free(&a->line);
    *a = (struct app_answer){0};
}

/* An answer may say which trial it is for; another number means that something was mixed up. */
static int check_trial(const struct app_answer *a, const struct app_definition *d, int trial,
                       struct app_message *why)
{
    const json_t *named = ckg_problem_outcome_find(d->problem, "trial") < 0
                              ? json_object_get(a->object, "trial")
                              : NULL;

    if (!named)
        return CKG_OK;
    if (!json_is_number(named) || json_number_value(named) != trial)
        return app_fail(why, CKG_ERR_INVALID, "the answer is for another trial");
    json_object_del(a->object, "trial");
    return CKG_OK;
}

int app_answer_read(const struct app_answer *a, const struct app_definition *d, int trial,
                    ckg_measurement *measured, int *count, struct app_message *why)
{
    struct app_message wrong;

    *count = 0;
    if (!a->object && a->problem.text[0])
        return app_fail(why, CKG_ERR_INVALID, "no answer: its last line that starts with { is not JSON: %s",
                        a->problem.text);
    if (!a->object)
        return app_fail(why, CKG_ERR_INVALID, "no answer: no line of its output is a JSON object");
    int status = check_trial(a, d, trial, why);
    if (status)
        return status;
    status = app_outcomes_read(d, a->object, measured, count, &wrong);
    if (status)
        return app_fail(why, status, "wrong answer: %s", wrong.text);
    if (!*count)
        return app_fail(why, CKG_ERR_INVALID, "the answer has no value");
    return CKG_OK;
}
