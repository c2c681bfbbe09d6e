/*
 * Output in, an answer out. Every line that begins with a brace is tried by itself; where it does not close
 * all its brackets it begins an object that may go on over the next lines. Such an object is only followed by
 * its brackets, and read when they are closed. Several may be under way, since a line of chatter can look
 * like the beginning of one.
 */
#include "evaluate/answer.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/meant.h"

enum { LONGEST = 1 << 20 };

/* --- one object --- */

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
 * 1 for what would be an answer if all its numbers were some: it counts as the answer, so that nothing before
 * it does.
 */
static int has_nonnumber(const char *text, size_t length, const json_error_t *error)
{
    json_error_t unused;

    if (json_error_code(error) == json_error_numeric_overflow)
        return 1;
    char *corrected = without_nonnumbers(text, length);
    json_t *object = corrected ? json_loads(corrected, JSON_DECODE_INT_AS_REAL, &unused) : NULL;
    const int is_answer = object != NULL;
    json_decref(object);
    free(corrected);
    return is_answer;
}

static void set_object(struct app_answer *a, json_t *object, size_t at)
{
    json_decref(a->object);
    a->object = object;
    a->object_at = at;
}

/* The text, which begins with a brace and is `at` that place of the output, is an answer or a problem. */
static void judge(struct app_answer *a, const char *text, size_t length, size_t at)
{
    json_error_t error;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);

    if (object) { /* what begins with a brace and is JSON is an object */
        set_object(a, object, at);
        a->problem.text[0] = 0;
        return;
    }

    /* A smaller object inside it is no answer, unless this one was none from before there on. */
    const int holds = a->object && a->object_at > at && (size_t)error.position > a->object_at - at + 1;
    if (holds || has_nonnumber(text, length, &error))
        set_object(a, NULL, 0);
    if (memchr(text, '\n', length))
        app_fail(&a->problem, 0, "%s at its line %d, column %d", error.text, error.line, error.column);
    else
        app_fail(&a->problem, 0, "%s at column %d", error.text, error.column);
}

/* --- objects over several lines --- */

/*
 * Counts the brackets of a line on top of *depth, up to where they are all closed. 1: the line may be part of
 * an object, and where *depth is 0 now its end; 0: it cannot be.
 */
static int count_brackets(const char *text, size_t length, int *depth)
{
    int inside = 0;
    size_t i = 0;

    for (; i < length && (*depth > 0 || i == 0); i++) {
        const char c = text[i];
        if (inside && c == '\\')
            i++;
        else if (c == '"')
            inside = !inside;
        else if (!inside && (c == '{' || c == '['))
            ++*depth;
        else if (!inside && (c == '}' || c == ']'))
            --*depth;
    }

    /* A text ends on its line, and nothing but space stands behind an object. */
    while (i < length && strchr(" \t\r", text[i]) && text[i])
        i++;
    return !inside && i >= length && *depth >= 0;
}

/* Forgets one; lines that only it needed are let go. */
static void forget_open(struct app_answer *a, int index)
{
    a->open_count--;
    memmove(a->open + index, a->open + index + 1, (size_t)(a->open_count - index) * sizeof *a->open);

    const size_t needless = a->open_count ? a->open[0].at - a->from : a->lines.length;
    assert(needless <= a->lines.length);
    if (needless)
        memmove(a->lines.data, a->lines.data + needless, a->lines.length - needless);
    a->lines.length -= needless;
    a->from += needless;
}

/* Of an object under way, all that has come of it. */
static void judge_open(struct app_answer *a, int index)
{
    const size_t skipped = a->open[index].at - a->from;

    assert(a->open[index].at >= a->from && skipped <= a->lines.length);
    judge(a, a->lines.data + skipped, a->lines.length - skipped, a->open[index].at);
}

/* The line goes on with the objects under way; the newest come first, as an older one holds them. */
static void go_on(struct app_answer *a)
{
    const char *text = a->line.data ? a->line.data : "";

    /* No object is longer than that. */
    while (a->open_count && (a->overlong || a->lines.length + a->line.length > LONGEST))
        forget_open(a, 0);
    if (!a->open_count)
        return;
    app_text_add(&a->lines, text, a->line.length);

    /* Those that end here are read, those that cannot be any are forgotten. */
    for (int i = a->open_count - 1; i >= 0; i--) {
        const int may_be = count_brackets(text, a->line.length, &a->open[i].depth);
        if (may_be && a->open[i].depth)
            continue;
        if (may_be && !a->lines.failed)
            judge_open(a, i);
        forget_open(a, i);
    }
    if (a->open_count)
        app_text_add(&a->lines, "\n", 1);
}

/* The line, from `start` on, begins an object that is not over at its end. */
static int begins(const char *text, size_t length, int *depth)
{
    size_t next = 1;

    *depth = 0;
    while (next < length && strchr(" \t\r", text[next]) && text[next])
        next++;
    return (next == length || text[next] == '"') && count_brackets(text, length, depth) && *depth > 0;
}

static void open_object(struct app_answer *a, size_t start, int depth)
{
    if (a->open_count == APP_ANSWER_OPEN)
        forget_open(a, 0);

    /* The first keeps its line from there on; the others find it kept. */
    if (!a->open_count) {
        a->from = a->fed + start;
        a->lines.length = 0;
        app_text_add(&a->lines, a->line.data + start, a->line.length - start);
        app_text_add(&a->lines, "\n", 1);
    }
    a->open[a->open_count++] = (struct app_answer_open){a->fed + start, depth};
}

/* --- lines --- */

/* Where the line's text begins: behind spaces and the mark that some programs put before all they write. */
static size_t find_start(const struct app_answer *a)
{
    const char *text = a->line.data;
    size_t start = a->line.length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;

    while (start < a->line.length && strchr(" \t\r", text[start]) && text[start])
        start++;
    return start;
}

static void take_line(struct app_answer *a)
{
    const size_t start = a->line.length && !a->overlong ? find_start(a) : 0;
    const int braced = !a->overlong && start < a->line.length && a->line.data[start] == '{';
    int depth = 0;

    /* An object by itself, unless it begins one over several lines. */
    const int first = braced && begins(a->line.data + start, a->line.length - start, &depth);
    if (braced && !first)
        judge(a, a->line.data + start, a->line.length - start, a->fed + start);

    /* Part of one that holds it. */
    go_on(a);
    if (first)
        open_object(a, start, depth);
}

/* What has begun and does not end; the first of them holds the others. */
static void end_open(struct app_answer *a)
{
    while (a->open_count) {
        if (!a->lines.failed)
            judge_open(a, a->open_count - 1);
        forget_open(a, a->open_count - 1);
    }
}

/* The answer of one of several commands is over: its members join those before it. */
static void join(struct app_answer *a)
{
    end_open(a);
    if (a->object && !a->before)
        a->before = json_object();
    a->lacking |= !a->object || json_object_update(a->before, a->object);
    set_object(a, NULL, 0);
}

static int is_next(const struct app_answer *a)
{
    return a->parts && !a->overlong && a->line.length == 1 && a->line.data[0] == APP_ANSWER_NEXT;
}

static void end_line(struct app_answer *a)
{
    if (is_next(a))
        join(a);
    else
        take_line(a);
    a->line.length = 0;
    a->overlong = 0;
    a->fed = a->seen;
}

/* The end of the output; what is before it is let go from time to time. */
static void keep_tail(struct app_answer *a, const char *bytes, size_t length)
{
    const size_t needless = length > APP_ANSWER_BYTES ? length - APP_ANSWER_BYTES : 0;

    app_text_add(&a->tail, bytes + needless, length - needless);
    a->cut |= needless > 0;
    if (a->tail.length <= 2 * APP_ANSWER_BYTES)
        return;
    memmove(a->tail.data, a->tail.data + a->tail.length - APP_ANSWER_BYTES, APP_ANSWER_BYTES);
    a->tail.length = APP_ANSWER_BYTES;
    a->cut = 1;
}

void app_answer_feed(struct app_answer *a, const char *bytes, size_t length)
{
    keep_tail(a, bytes, length);
    while (length) {
        const char *newline = memchr(bytes, '\n', length);
        const size_t part = newline ? (size_t)(newline - bytes) : length;
        const size_t whole = part + (newline != NULL);

        a->seen += whole;
        if (a->line.length + part > LONGEST)
            a->overlong = 1;
        else
            app_text_add(&a->line, bytes, part);
        if (newline)
            end_line(a);
        bytes += whole;
        length -= whole;
    }
}

void app_answer_end(struct app_answer *a)
{
    if (a->line.length)
        end_line(a);
    end_open(a);
    if (!a->before && !a->lacking)
        return;

    /* All answers together, unless one of them is none. */
    join(a);
    if (!a->lacking) {
        set_object(a, a->before, 0);
        a->before = NULL;
    }
}

void app_answer_free(struct app_answer *a)
{
    json_decref(a->object);
    json_decref(a->before);
    app_text_free(&a->line);
    app_text_free(&a->lines);
    app_text_free(&a->tail);
    *a = (struct app_answer){0};
}

char *app_answer_text(const struct app_answer *a)
{
    struct app_text out = {0};
    const size_t skipped = a->tail.length > APP_ANSWER_BYTES ? a->tail.length - APP_ANSWER_BYTES : 0;

    if (!a->tail.length)
        return NULL;
    if (a->cut || skipped)
        app_text_print(&out, "… ");
    app_text_add_valid(&out, a->tail.data + skipped, a->tail.length - skipped);
    if (out.failed)
        app_text_free(&out);
    return out.data;
}

/* --- values, and what else it says --- */

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

/* Moves every member that is no outcome into *extra, in the order in which they stand there. */
static int part_extra(const struct app_answer *a, const struct app_definition *d, json_t **extra)
{
    const char *name;
    json_t *value;
    void *next;
    int failed = 0;

    *extra = json_object();
    json_object_foreach_safe(a->object, next, name, value)
    {
        if (ckg_problem_outcome_find(d->problem, name) >= 0)
            continue;
        failed |= json_object_set(*extra, name, value);
        json_object_del(a->object, name);
    }
    return failed || !*extra ? CKG_ERR_NOMEM : CKG_OK;
}

/* The names of outcomes that the answer has no value of; how many. */
static int list_missing(const struct app_definition *d, int count, const ckg_measurement *measured,
                        const char *names[CKG_MAX_CONSTRAINTS + 1])
{
    int missing = 0;

    for (int j = 0; j <= app_constraints(d); j++) {
        int given = 0;
        for (int i = 0; i < count; i++)
            given |= measured[i].outcome == j;
        if (!given)
            names[missing++] = app_outcome_name(d, j);
    }
    return missing;
}

/* "'wieght' (did you mean weight?), 'iterations'": of the outcomes only those that are missing are meant. */
static void add_names(const json_t *extra, int missing, const char *const *names, struct app_text *out)
{
    enum { MOST = 5 };
    const char *name;
    json_t *value;
    int count = 0;
    char meant[APP_MEANT];

    json_object_foreach((json_t *)extra, name, value)
    {
        if (count++ < MOST)
            app_text_print(out, "%s'%.60s'%s", count > 1 ? ", " : "", name,
                           app_meant_text(name, "", missing, names, meant));
    }
    if (count > MOST)
        app_text_print(out, " and %d more", count - MOST);
}

/* What is to be said of members that are no outcomes. */
static void add_note(const json_t *extra, int missing, const char *const *names, struct app_text *out)
{
    struct app_text line = {0};
    struct app_message flat;

    app_text_print(&line, "no outcome of the problem, and kept beside the trial: ");
    add_names(extra, missing, names, &line);
    if (missing)
        app_text_print(&line, "; '%.60s'%s no value", names[0], missing > 1 ? " and others have" : " has");
    if (!line.failed)
        app_fail(&flat, 0, "%s", line.data);
    app_text_print(out, "%s", line.failed ? "some names are no outcomes" : flat.text);
    app_text_free(&line);
}

/* The reason why an answer without any outcome is none. */
static int complain_of_nothing(const json_t *extra, const struct app_definition *d, struct app_message *why)
{
    const char *names[CKG_MAX_CONSTRAINTS + 1];
    struct app_text others = {0};
    const int missing = list_missing(d, 0, NULL, names);

    if (!json_object_size(extra))
        return app_fail(why, CKG_ERR_INVALID, "the answer has no value");
    add_names(extra, missing, names, &others);
    app_fail(why, 0, "the answer has no value of any outcome, only of %s",
             others.failed ? "others" : others.data);
    app_text_free(&others);
    return CKG_ERR_INVALID;
}

static int read_outcomes(const struct app_answer *a, const struct app_definition *d, const json_t *extra,
                         ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                         struct app_message *why)
{
    const char *names[CKG_MAX_CONSTRAINTS + 1];
    struct app_message wrong;
    int status = app_outcomes_read(d, a->object, measured, count, &wrong);

    if (json_object_size(extra))
        app_json_add_value(&rest->extra, NULL, extra);
    if (status)
        return app_fail(why, status, "wrong answer: %s", wrong.text);
    if (!*count)
        return complain_of_nothing(extra, d, why);
    if (json_object_size(extra))
        add_note(extra, list_missing(d, *count, measured, names), names, &rest->notes);
    return CKG_OK;
}

int app_answer_read(const struct app_answer *a, const struct app_definition *d, int trial,
                    ckg_measurement *measured, int *count, struct app_answer_rest *rest,
                    struct app_message *why)
{
    json_t *extra = NULL;

    *count = 0;
    *rest = (struct app_answer_rest){0};
    if (!a->object && a->problem.text[0])
        return app_fail(why, CKG_ERR_INVALID, "no answer: the last that starts with { is not JSON: %s",
                        a->problem.text);
    if (!a->object)
        return app_fail(why, CKG_ERR_INVALID,
                        a->lacking ? "no answer: there is no JSON object in the output of one of its commands"
                                   : "no answer: there is no JSON object in its output");

    /* Outcomes on one side, all else on the other. */
    int status = check_trial(a, d, trial, why);
    if (!status && part_extra(a, d, &extra))
        status = app_no_memory(why);
    if (!status)
        status = read_outcomes(a, d, extra, measured, count, rest, why);
    json_decref(extra);
    return status;
}

void app_answer_rest_free(struct app_answer_rest *rest)
{
    app_text_free(&rest->extra);
    app_text_free(&rest->notes);
}
