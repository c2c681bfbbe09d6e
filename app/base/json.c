/* Numbers and strings as JSON has them. */
#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

const char *app_number(double value, char buffer[32])
{
    if (!isfinite(value))
        return strcpy(buffer, "null");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    return buffer;
}

const char *app_number_short(double value, char buffer[32])
{
    if (isnan(value))
        return strcpy(buffer, "-");
    snprintf(buffer, 32, "%.4g", value);
    return buffer;
}

void app_json_number(struct app_text *out, double value)
{
    char buffer[32];

    app_number(value, buffer);
    app_text_add(out, buffer, strlen(buffer));
}

/*
 * Characters that JSON lets stand, but that are written by their number. A definition is written as JSON and
 * read as YAML, where the byte order mark, U+FFFE and U+FFFF may not stand; others a terminal would act on
 * (base/visible.h). 0: the character may stand.
 */
static unsigned escaped(const unsigned char *at, int length)
{
    const unsigned code = app_utf8_code(at, length);

    return app_is_unsafe(code) || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF ? code : 0;
}

void app_json_string(struct app_text *out, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    const unsigned char *end = at + strlen(string);

    app_text_add(out, "\"", 1);
    while (at < end) {
        const int length = app_utf8_length(at, (size_t)(end - at));
        if (!length)
            app_text_add(out, "\xEF\xBF\xBD", 3);
        else if (*at == '"' || *at == '\\')
            app_text_print(out, "\\%c", *at);
        else if (*at == '\n')
            app_text_add(out, "\\n", 2);
        else if (escaped(at, length))
            app_text_print(out, "\\u%04x", escaped(at, length));
        else
            app_text_add(out, (const char *)at, (size_t)length);
        at += length ? length : 1;
    }
    app_text_add(out, "\"", 1);
}

/* --- members --- */

/* A comma, unless something was just opened, named or not begun yet. */
static void separate(struct app_text *out)
{
    const char last = out->length ? out->data[out->length - 1] : '\n';

    if (!strchr("{[ \n", last))
        app_text_add(out, ", ", 2);
}

void app_json_member(struct app_text *out, const char *key)
{
    separate(out);
    if (!key)
        return;

    app_json_string(out, key);
    app_text_add(out, ": ", 2);
}

void app_json_open(struct app_text *out, const char *key, char bracket)
{
    app_json_member(out, key);
    app_text_add(out, &bracket, 1);
}

void app_json_close(struct app_text *out, char bracket)
{
    app_text_add(out, &bracket, 1);
}

void app_json_add_number(struct app_text *out, const char *key, double value)
{
    app_json_member(out, key);
    app_json_number(out, value);
}

void app_json_add_numbers(struct app_text *out, const char *key, int count, const double *values)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_number(out, NULL, values[i]);
    app_json_close(out, ']');
}

void app_json_add_drawn(struct app_text *out, double value)
{
    app_json_member(out, NULL);
    if (isfinite(value))
        app_text_print(out, "%.7g", value);
    else
        app_text_print(out, "null");
}

void app_json_add_integer(struct app_text *out, const char *key, long long value)
{
    app_json_member(out, key);
    app_text_print(out, "%lld", value);
}

void app_json_add_string(struct app_text *out, const char *key, const char *string)
{
    app_json_member(out, key);
    if (string)
        app_json_string(out, string);
    else
        app_text_print(out, "null");
}

void app_json_add_boolean(struct app_text *out, const char *key, int boolean)
{
    static const char *const words[] = {"null", "false", "true"};

    assert(boolean >= -1 && boolean <= 1);
    app_json_member(out, key);
    app_text_print(out, "%s", words[boolean + 1]);
}

/* --- shapes --- */

/* The argument of the conversion; behind it, and behind the colon that makes it a key. */
static const char *print_argument(struct app_text *out, const char *at, va_list *arguments)
{
    switch (at[1]) {
    case 'd':
        app_json_add_integer(out, NULL, va_arg(*arguments, int));
        return at + 2;
    case 'l':
        app_json_add_integer(out, NULL, va_arg(*arguments, long long));
        return at + 4;
    case 'g':
        app_json_add_number(out, NULL, va_arg(*arguments, double));
        return at + 2;
    case 'i':
        app_json_add_boolean(out, NULL, va_arg(*arguments, int));
        return at + 2;
    default:
        assert(at[1] == 's');
        if (at[2] != ':')
            app_json_add_string(out, NULL, va_arg(*arguments, const char *));
        else
            app_json_member(out, va_arg(*arguments, const char *));
        return at + 2 + (at[2] == ':');
    }
}

void app_json_print(struct app_text *out, const char *shape, ...)
{
    va_list arguments;
    const char *at = shape;

    va_start(arguments, shape);
    while (*at) {
        const size_t letters = strcspn(at, ":{}[]% ");

        if (letters) {
            separate(out);
            app_text_print(out, "\"%.*s\": ", (int)letters, at);
            at += letters + 1;
        } else if (*at == '%') {
            at = print_argument(out, at, &arguments);
        } else {
            if (strchr("{[", *at))
                separate(out);
            if (*at != ' ')
                app_text_add(out, at, 1);
            at++;
        }
    }
    va_end(arguments);
}

/* --- values of jansson's --- */

void app_json_add_value(struct app_text *out, const char *key, const json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;

    switch (json_typeof(value)) {
    case JSON_OBJECT:
        app_json_open(out, key, '{');
        json_object_foreach((json_t *)value, name, member) app_json_add_value(out, name, member);
        app_json_close(out, '}');
        break;
    case JSON_ARRAY:
        app_json_open(out, key, '[');
        json_array_foreach((json_t *)value, i, member) app_json_add_value(out, NULL, member);
        app_json_close(out, ']');
        break;
    case JSON_STRING:
        app_json_add_string(out, key, json_string_value(value));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        app_json_add_number(out, key, json_number_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        app_json_add_boolean(out, key, json_is_null(value) ? -1 : json_is_true(value));
        break;
    }
}

json_t *app_json_take(struct app_text *text)
{
    json_t *value = text->failed || !text->data ? NULL : json_loads(text->data, 0, NULL);

    app_text_free(text);
    return value;
}
