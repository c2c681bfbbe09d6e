/* Names found, values put in their place. */
#include "definition/substitute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meant.h"
#include "definition/values.h"

enum { LONGEST_NAME = 200, LONGEST_FORMAT = 16 };

/* --- what has a value --- */

/* Parameters, those that are fixed, and what is passed on with designs, under one number. */
static int count_variables(const struct app_definition *d)
{
    return app_dimension(d) + d->fixed_count + d->carried_count;
}

static const char *variable_name(const struct app_definition *d, int variable)
{
    const int fixed = variable - app_dimension(d);
    const int carried = fixed - d->fixed_count;

    return fixed < 0     ? app_parameter_name(d, variable)
           : carried < 0 ? d->fixed[fixed].name
                         : d->carried[carried].name;
}

/* The one whose name is these bytes, -1: none. */
static int find_variable(const struct app_definition *d, const char *name, size_t length)
{
    for (int v = 0; v < count_variables(d); v++)
        if (!strncmp(variable_name(d, v), name, length) && !variable_name(d, v)[length])
            return v;
    return -1;
}

static void add_variable(const struct app_definition *d, int variable, const double *x, struct app_text *out)
{
    const int fixed = variable - app_dimension(d);
    const int carried = fixed - d->fixed_count;

    if (fixed < 0)
        app_design_write_text(d, variable, x[variable], out);
    else {
        const char *text = carried < 0 ? d->fixed[fixed].value.text : app_carried_text(d, carried, x);
        app_text_add(out, text ? text : "", text ? strlen(text) : 0);
    }
}

/* How many bytes at `text` can be a name that needs no quotes. */
static size_t plain_length(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";

    return *text && strchr(first, *text) ? strspn(text, all) : 0;
}

/* --- words --- */

/* The length of the {name} that begins here, 0: there is none. Names may hold braces, so each is compared. */
static size_t find_value(const struct app_definition *d, const char *word, int *variable)
{
    for (int v = 0; *word == '{' && v < count_variables(d); v++) {
        const size_t length = strlen(variable_name(d, v));

        *variable = v;
        if (!strncmp(word + 1, variable_name(d, v), length) && word[1 + length] == '}')
            return length + 2;
    }
    return 0;
}

/* The same of {{name}}, of a parameter or any plain one, which stands for {name}. */
static size_t find_literal(const struct app_definition *d, const char *word)
{
    const char *end = strncmp(word, "{{", 2) == 0 ? strstr(word, "}}") : NULL;
    const size_t length = end ? (size_t)(end - word) - 2 : 0;
    const int variable = length ? find_variable(d, word + 2, length) : -1;
    const int is_parameter = variable >= 0 && variable < app_dimension(d);

    return length && (is_parameter || plain_length(word + 2) == length) ? length + 4 : 0;
}

void app_substitute_word(const struct app_definition *d, const char *word, const double *x,
                         struct app_text *out)
{
    app_text_add(out, "", 0);
    while (*word) {
        int variable = 0;
        const size_t value = find_value(d, word, &variable);
        const size_t literal = value ? 0 : find_literal(d, word);

        if (value)
            add_variable(d, variable, x, out);
        else
            app_text_add(out, literal ? word + 1 : word, literal ? literal - 2 : 1);
        word += value + literal ? value + literal : 1;
    }
}

size_t app_substitute_stray(const struct app_definition *d, const char *word, const char **name)
{
    for (const char *at = word; *at;) {
        int variable;
        const size_t value = find_value(d, at, &variable);
        const size_t taken = value ? value : find_literal(d, at);
        const size_t length = *at == '{' && !taken ? plain_length(at + 1) : 0;

        if (length && at[1 + length] == '}' && (at == word || at[-1] != '$')) {
            *name = at + 1;
            return length;
        }
        at += taken ? taken : 1;
    }
    return 0;
}

/* --- templates --- */

/* What stands between double braces. */
struct blank {
    size_t length; /* with the braces */
    char name[LONGEST_NAME + 1];
    char format[LONGEST_FORMAT + 1]; /* "": as short as it reads back the same */
};

struct filling {
    const struct app_definition *definition;
    const double *x;
    const char *path, *text;
    struct app_text *out;
    struct app_message *message;
};

static int complain(const struct filling *f, const char *at, const char *what)
{
    int line = 1;
    const char *start = f->text;

    for (const char *c = f->text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return app_fail(f->message, CKG_ERR_INVALID, "%s:%d:%d: %s", f->path, line, (int)(at - start) + 1, what);
}

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t");
}

/* The blank that begins here; 0: there is none. */
static int read_blank(const char *at, struct blank *out)
{
    static const char odd[] = "{}:\n\r";
    const char *start = skip_spaces(at + 2);
    const char *end = start + strcspn(start, odd);
    size_t length = (size_t)(end - start);

    while (length && (start[length - 1] == ' ' || start[length - 1] == '\t'))
        length--;
    if (!length || length > LONGEST_NAME)
        return 0;
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, start);

    out->format[0] = 0;
    if (*end == ':') {
        const char *format = skip_spaces(end + 1);
        const size_t size = strcspn(format, "} \t\n\r");
        end = skip_spaces(format + size);
        if (size > LONGEST_FORMAT)
            return 0;
        snprintf(out->format, sizeof out->format, "%.*s", (int)size, format);
        if (!size)
            return 0;
    }
    if (strncmp(end, "}}", 2) != 0)
        return 0;
    out->length = (size_t)(end - at) + 2;
    return 1;
}

/* The letter of a format of C's for one value, 0: it is none. */
static char letter_of(const char *format)
{
    const char *at = format;

    if (*at++ != '%')
        return 0;
    at += strspn(at, "-+ 0#");
    if (strspn(at, "0123456789") > 3)
        return 0;
    at += strspn(at, "0123456789");
    if (*at == '.') {
        if (strspn(at + 1, "0123456789") > 3)
            return 0;
        at += 1 + strspn(at + 1, "0123456789");
    }
    return *at && strchr("eEfFgGds", *at) && !at[1] ? *at : 0;
}

/* The text in that format. 0: it is no number, and should be. */
static int add_formatted(struct app_text *out, const char *text, const char *format, char letter)
{
    char changed[LONGEST_FORMAT + 4];
    char *end;
    const double number = strtod(text, &end);

    if (letter == 's') {
        app_text_print(out, format, text);
        return 1;
    }
    if (end == text || *end || !isfinite(number))
        return 0;
    if (letter != 'd') {
        app_text_print(out, format, number);
        return 1;
    }
    snprintf(changed, sizeof changed, "%.*slld", (int)strlen(format) - 1, format);
    app_text_print(out, changed, (long long)llround(number));
    return 1;
}

static int complain_of_name(const struct filling *f, const char *at, const char *name)
{
    const char *names[CKG_MAX_PARAMETERS];
    struct app_message what;
    char meant[APP_MEANT];
    const int count = app_parameter_names(f->definition, names);

    app_fail(&what, 0, "there is no parameter '%s'%s", name, app_meant_text(name, "", count, names, meant));
    return complain(f, at, what.text);
}

/* One blank, filled; *length 0: it is none of ours. */
static int fill(const struct filling *f, const char *at, size_t *length)
{
    struct app_text text = {0};
    struct app_message what;
    struct blank blank;
    int status = CKG_OK;

    /* Is it one, and of which parameter? */
    *length = 0;
    if (!read_blank(at, &blank))
        return CKG_OK;
    const int variable = find_variable(f->definition, blank.name, strlen(blank.name));
    if (variable < 0)
        return plain_length(blank.name) == strlen(blank.name) ? complain_of_name(f, at, blank.name) : CKG_OK;
    app_text_add(&text, "", 0);
    if (f->x)
        add_variable(f->definition, variable, f->x, &text);

    /* Its value, in its format. */
    const char letter = blank.format[0] ? letter_of(blank.format) : 's';
    if (!letter) {
        app_fail(&what, 0, "'%s' is no format; expected one like %%10.4e, %%8.3f, %%6d or %%-8s",
                 blank.format);
        status = complain(f, at, what.text);
    } else if (f->x && !add_formatted(f->out, text.data, blank.format[0] ? blank.format : "%s", letter)) {
        app_fail(&what, 0, "'%s' has the value '%s', which is no number for %s", blank.name, text.data,
                 blank.format);
        status = complain(f, at, what.text);
    }
    *length = blank.length;
    app_text_free(&text);
    return status;
}

int app_substitute_template(const struct app_definition *d, const double *x, const char *path,
                            const char *text, size_t length, struct app_text *out,
                            struct app_message *message)
{
    const struct filling f = {d, x, path, text, out, message};
    int status = CKG_OK;

    for (const char *at = text; !status && at < text + length;) {
        size_t taken = 0;

        if (!strncmp(at, "{{", 2))
            status = fill(&f, at, &taken);
        if (!status && !taken && x)
            app_text_add(out, at, 1);
        at += taken ? taken : 1;
    }
    return status || !out->failed ? status : app_no_memory(message);
}
