/* Names found, values put in their place. */
#include "evaluate/template.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meant.h"

enum { LONGEST_NAME = 200, LONGEST_FORMAT = 16 };

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

/* --- what is there --- */

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

/* 1 for letters, digits and the like: a slip, where it is no parameter. */
static int is_plain(const char *name)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";

    return !strchr("0123456789-.", name[0]) && strspn(name, all) == strlen(name);
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

/* --- what becomes of it --- */

/* The value as a text into `text`, which is the caller's; 0: there is nothing of that name. */
static int find_value(const struct filling *f, const char *name, struct app_text *text)
{
    const struct app_definition *d = f->definition;
    const struct app_fixed *fixed = app_fixed_find(d, name);
    const int carried = app_carried_find(d, name);

    for (int i = 0; i < app_dimension(d); i++)
        if (!strcmp(app_parameter_name(d, i), name)) {
            if (f->x)
                app_design_write_text(d, i, f->x[i], text);
            return 1;
        }
    if (fixed)
        app_text_print(text, "%s", fixed->text);
    else if (carried >= 0 && f->x)
        app_text_print(text, "%s",
                       app_carried_text(d, carried, f->x) ? app_carried_text(d, carried, f->x) : "");
    return fixed || carried >= 0;
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
    const int count = app_dimension(f->definition);

    for (int i = 0; i < count; i++)
        names[i] = app_parameter_name(f->definition, i);
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
    app_text_add(&text, "", 0);
    if (!find_value(f, blank.name, &text)) {
        app_text_free(&text);
        return is_plain(blank.name) ? complain_of_name(f, at, blank.name) : CKG_OK;
    }

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

int app_template_fill(const struct app_definition *d, const double *x, const char *path, const char *text,
                      size_t length, struct app_text *out, struct app_message *message)
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
    return status || !out->failed ? status : app_fail(message, CKG_ERR_NOMEM, "out of memory");
}
