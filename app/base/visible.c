/* Unicode's control characters, ends of lines, and marks of direction. */
#include "base/visible.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

unsigned app_utf8_code(const unsigned char *at, int length)
{
    unsigned code = length == 1 ? at[0] : at[0] & (0x7Fu >> length);

    for (int i = 1; i < length; i++)
        code = code << 6 | (at[i] & 0x3Fu);
    return code;
}

int app_is_unsafe(unsigned code)
{
    const int control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const int line_end = code == 0x2028 || code == 0x2029;
    const int direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                          (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);

    return control || line_end || direction;
}

size_t app_visible_next(const char *text, size_t left, int lines, char shown[APP_SHOWN])
{
    const unsigned char *at = (const unsigned char *)text;
    const int length = app_utf8_length(at, left);
    const unsigned code = length ? app_utf8_code(at, length) : 0;

    shown[0] = 0;
    if (!length)
        snprintf(shown, APP_SHOWN, "\\x%02x", at[0]);
    else if (lines && (*at == '\n' || *at == '\t'))
        return 1;
    else if (*at == '\n' || *at == '\t' || *at == '\r')
        snprintf(shown, APP_SHOWN, "\\%c", *at == '\n' ? 'n' : *at == '\t' ? 't' : 'r');
    else if (app_is_unsafe(code))
        snprintf(shown, APP_SHOWN, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
    return length ? (size_t)length : 1;
}

void app_text_add_line(struct app_text *out, const char *text)
{
    char shown[APP_SHOWN];
    size_t left = strlen(text);

    app_text_add(out, "", 0);
    while (left) {
        const size_t length = app_visible_next(text, left, 0, shown);
        app_text_add(out, *shown ? shown : text, *shown ? strlen(shown) : length);
        text += length;
        left -= length;
    }
}

void app_write_visible(FILE *file, const char *text, size_t length)
{
    char shown[APP_SHOWN];

    for (size_t part; length; text += part, length -= part) {
        part = app_visible_next(text, length, 1, shown);
        fwrite(*shown ? shown : text, 1, *shown ? strlen(shown) : part, file);
    }
}

/* --- printing --- */

static void say(FILE *file, const char *format, va_list arguments)
{
    char small[2048];
    va_list again;

    /* Most of what is said is short. */
    va_copy(again, arguments);
    const int length = vsnprintf(small, sizeof small, format, arguments);
    if (length >= 0 && length < (int)sizeof small)
        app_write_visible(file, small, (size_t)length);

    /* What is not needs memory. */
    if (length >= (int)sizeof small) {
        char *large = malloc((size_t)length + 1);
        if (large) {
            vsnprintf(large, (size_t)length + 1, format, again);
            app_write_visible(file, large, (size_t)length);
        } else
            app_memory_failed();
        free(large);
    }
    va_end(again);
}

void app_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(stdout, format, arguments);
    va_end(arguments);
}

void app_warn(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say(stderr, format, arguments);
    va_end(arguments);
}
