/* Messages, growing strings, whole files. */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

int app_utf8_length(const unsigned char *bytes, size_t left)
{
    const unsigned char first = bytes[0];
    const int length = first < 0x80                    ? 1
                       : first >= 0xC2 && first < 0xE0 ? 2
                       : first >= 0xE0 && first < 0xF0 ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;

    if (!length || (size_t)length > left)
        return 0;
    for (int i = 1; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;

    /* Longer than need be, half a pair, beyond the last character. */
    const int overlong = (first == 0xE0 && bytes[1] < 0xA0) || (first == 0xF0 && bytes[1] < 0x90);
    const int surrogate = first == 0xED && bytes[1] >= 0xA0;
    const int beyond = first == 0xF4 && bytes[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/*
 * Names and paths may hold anything; what a terminal could act on becomes spaces, and what is no UTF-8, as a
 * character cut in two, question marks.
 */
static void flatten(unsigned char *text)
{
    int length;

    for (; *text; text += length ? length : 1) {
        length = app_utf8_length(text, strlen((char *)text));
        const int control = *text < ' ' || *text == 127 || (text[0] == 0xC2 && text[1] < 0xA0);
        const int line_end = text[0] == 0xE2 && text[1] == 0x80 && (text[2] & 0xFE) == 0xA8;
        if (!length)
            *text = '?';
        else if (control || line_end)
            memset(text, ' ', (size_t)length);
    }
}

int app_fail(struct app_message *message, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    flatten((unsigned char *)message->text);
    return status;
}

/* Makes room for `more` bytes and a zero. */
static int reserve(struct app_text *text, size_t more)
{
    if (text->failed)
        return 0;
    if (text->capacity - text->length > more)
        return 1;
    const size_t capacity = 2 * text->capacity + more + 64;
    char *data = capacity > more ? realloc(text->data, capacity) : NULL;
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void app_text_add(struct app_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = 0;
}

void app_text_add_valid(struct app_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        const int valid = app_utf8_length((const unsigned char *)bytes + i, length - i);

        if (!valid || !bytes[i])
            app_text_add(text, "\xEF\xBF\xBD", 3);
        else
            app_text_add(text, bytes + i, (size_t)valid);
        i += valid ? (size_t)valid : 1;
    }
}

void app_text_print(struct app_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void app_text_free(struct app_text *text)
{
    free(text->data);
    *text = (struct app_text){0};
}

char *app_copy(const char *string)
{
    const size_t size = strlen(string) + 1;
    char *copy = malloc(size);

    return copy ? memcpy(copy, string, size) : NULL;
}

int app_read_file(const char *path, char **out, size_t *length, struct app_message *message)
{
    struct app_text text = {0};
    char block[65536];
    FILE *file = fopen(path, "rb");

    *out = NULL;
    if (!file)
        return app_fail(message, CKG_ERR_INVALID, "%s: %s", path, strerror(errno));
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        app_text_add(&text, block, got);
    const int broken = ferror(file);
    const int why = errno;
    fclose(file);
    app_text_add(&text, "", 0);
    if (broken || text.failed) {
        app_text_free(&text);
        if (!broken)
            return app_fail(message, CKG_ERR_NOMEM, "out of memory");
        return app_fail(message, why == EISDIR ? CKG_ERR_INVALID : CKG_ERR_SYSTEM, "%s: %s", path,
                        strerror(why));
    }
    *out = text.data;
    *length = text.length;
    return CKG_OK;
}
