/* Messages, growing strings, whole files. */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/status.h>

#include "base/memory.h"
#include "base/visible.h"

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
 * In one line: newlines and tabs become spaces, and what a terminal would act on is shown by its number. A
 * character that the end of `from` has cut in two is left out.
 */
static void flatten(const char *from, char *out, size_t size)
{
    size_t left = strlen(from);
    size_t used = 0;

    while (left) {
        char shown[APP_SHOWN];
        const size_t length = app_visible_next(from, left, 0, shown);
        const int space = *from == '\n' || *from == '\r' || *from == '\t';
        const char *piece = space ? " " : *shown ? shown : from;
        const size_t added = *shown ? strlen(piece) : length;
        const int cut = left < 4 && (unsigned char)*from >= 0x80 &&
                        !app_utf8_length((const unsigned char *)from, left);

        if (used + added >= size || cut)
            break;
        memcpy(out + used, piece, added);
        used += added;
        from += length;
        left -= length;
    }
    out[used] = 0;
}

int app_fail(struct app_message *message, int status, const char *format, ...)
{
    struct app_message raw;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(raw.text, sizeof raw.text, format, arguments);
    va_end(arguments);
    flatten(raw.text, message->text, sizeof message->text);
    return app_memory_note(status);
}

int app_no_memory(struct app_message *message)
{
    return app_fail(message, CKG_ERR_NOMEM, "out of memory");
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
        app_memory_failed();
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

void app_text_add_plain(struct app_text *out, const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    uint32_t sum = 2166136261u;
    int odd = name[0] == '.' || name[0] == '-';

    for (const char *c = name; *c; c++) {
        const int stays = strchr(plain, *c) && (c > name || !odd);
        app_text_add(out, stays ? c : "_", 1);
        odd |= !stays;
        sum = (sum ^ (unsigned char)*c) * 16777619u;
    }
    if (odd)
        app_text_print(out, "-%08x", sum);
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

    if (!copy) {
        app_memory_failed();
        return NULL;
    }
    return memcpy(copy, string, size);
}

int app_read_file(const char *path, char **out, size_t *length, struct app_message *message)
{
    struct app_text text = {0};
    char block[65536];
    FILE *file = fopen(path, "rb");

    *out = NULL;
    if (!file && errno == ENOMEM)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory");
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
