/* Numbers behind texts. */
#include "evaluate/results.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/values.h"

static int is_space(char c)
{
    return isspace((unsigned char)c);
}

/* Where the words end that begin here, any space in them for any other; NULL: they do not begin here. */
static const char *match(const char *at, const char *words)
{
    while (*words) {
        if (is_space(*words)) {
            if (!is_space(*at))
                return NULL;
            while (is_space(*words))
                words++;
            while (is_space(*at))
                at++;
        } else if (*at++ != *words++)
            return NULL;
    }
    return at;
}

/* What stands behind the last place of the words; NULL: they are nowhere. */
static const char *find_last(const char *text, const char *words)
{
    const char *found = NULL;

    while (is_space(*words))
        words++;
    for (const char *at = text; *at; at++) {
        const char *behind = *at == *words ? match(at, words) : NULL;
        found = behind ? behind : found;
    }
    return found;
}

/* A number, as C or as Fortran writes it (1.5D-3); 0: there is none. */
static int read_number(const char *at, double *out)
{
    char word[64];
    char *end;
    size_t length = 0;

    while (is_space(*at))
        at++;
    for (; at[length] && !is_space(at[length]) && !strchr(",;", at[length]) && length < sizeof word - 1;
         length++)
        word[length] = (at[length] == 'D' || at[length] == 'd') && length ? 'e' : at[length];
    word[length] = 0;

    /* Neither a word such as nan, nor 1.2.3 or 0x10. */
    const char first = word[strspn(word, "+-")];
    if (!isdigit((unsigned char)first) && first != '.')
        return 0;
    *out = strtod(word, &end);
    return end > word && isfinite(*out) && !isdigit((unsigned char)*end) && *end != '.' &&
           !strpbrk(word, "xX");
}

/* yes, true, 1, no, false or 0: 1 or 0; −1: there is none. */
static int read_answer(const char *at)
{
    char word[8] = {0};
    const size_t length = strcspn(at, " \t\r\n,;");

    memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
    return length < sizeof word ? app_answer_word(word) : -1;
}

static int is_answer(const struct app_definition *d, const char *name)
{
    return ckg_problem_yesno(d->problem, ckg_problem_outcome_find(d->problem, name)) == 1;
}

/* 1 when what stands there is a value of that outcome, which is added. */
static int add_found(const struct app_definition *d, const char *name, const char *at, struct app_text *out)
{
    const int answers = is_answer(d, name);
    double number;

    if (answers && read_answer(at) >= 0)
        app_json_add_boolean(out, name, read_answer(at));
    else if (!answers && read_number(at, &number))
        app_json_add_number(out, name, number);
    else
        return 0;
    return 1;
}

/* The outcomes as a JSON object on a line. */
static int find_all(const struct app_definition *d, const char *text, const char *where, struct app_text *out,
                    struct app_message *why)
{
    const struct app_result_place *r = &d->evaluate.results;

    app_text_print(out, "\n");
    app_json_open(out, NULL, '{');
    for (int i = 0; i < r->find.count; i++) {
        const char *words = r->find.pair[i].value;
        const char *behind = find_last(text, words);
        const char *name = r->find.pair[i].name;

        if (!behind)
            return app_fail(why, CKG_ERR_INVALID, "no '%.100s' in %.200s", words, where);
        while (is_space(*behind))
            behind++;
        if (!add_found(d, name, behind, out))
            return app_fail(why, CKG_ERR_INVALID, "no %s after '%.100s' in %.200s: %.*s",
                            is_answer(d, name) ? "yes or no" : "number", words, where,
                            (int)(strcspn(behind, "\n") < 40 ? strcspn(behind, "\n") : 40), behind);
    }
    app_json_close(out, '}');
    app_text_print(out, "\n");
    return CKG_OK;
}

int app_results_take(const struct app_definition *d, const char *folder, struct app_answer *answer,
                     struct app_message *why)
{
    const struct app_result_place *r = &d->evaluate.results;
    struct app_text path = {0};
    struct app_text object = {0};
    struct app_message unheard;
    char *text = NULL;
    size_t length = 0;
    int status = CKG_OK;

    if (!r->file && !r->find.count)
        return CKG_OK;

    /* What to look at. */
    app_text_print(&path, "%s/%s", folder, r->file ? r->file : "");
    if (!r->file)
        text = app_answer_text(answer);
    else if (path.failed || app_read_file(path.data, &text, &length, &unheard))
        status = app_fail(why, CKG_ERR_INVALID, "no answer: it wrote no file '%.200s'", r->file);

    /* Its object, or one made of what is found in it. */
    if (!status && r->find.count)
        status = find_all(d, text ? text : "", r->file ? r->file : "its output", &object, why);
    if (!status && r->find.count)
        app_answer_feed(answer, object.data, object.length);
    else if (!status) {
        app_answer_feed(answer, "\n", 1);
        app_answer_feed(answer, text, length);
    }
    app_answer_end(answer);
    app_text_free(&object);
    app_text_free(&path);
    free(text);
    return status;
}
