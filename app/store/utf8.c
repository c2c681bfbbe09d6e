/* Byte b, which is 0x80 or more, is U+10FF00 + b: F4 8F, BE or BF, and six bits of b. */
#include "store/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* 1 when there is a character that stands for a byte. */
static int stands_for_byte(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    return at[0] == 0xF4 && at[1] == 0x8F && (at[2] == 0xBE || at[2] == 0xBF);
}

/* How many bytes there can be taken as they are, 0: none. */
static int plain(const char *text)
{
    return stands_for_byte(text) ? 0 : app_utf8_length((const unsigned char *)text, strnlen(text, 4));
}

int app_utf8_differs(const char *text)
{
    while (*text) {
        const int length = (unsigned char)*text < 0x80 ? 1 : plain(text);
        if (!length)
            return 1;
        text += length;
    }
    return 0;
}

int app_utf8_differed(const char *text)
{
    for (text = strchr(text, '\xF4'); text; text = strchr(text + 1, '\xF4'))
        if (stands_for_byte(text))
            return 1;
    return 0;
}

char *app_utf8_write(const char *text)
{
    struct app_text out = {0};

    app_text_add(&out, "", 0);
    while (*text) {
        const int length = (unsigned char)*text < 0x80 ? 1 : plain(text);
        const unsigned char byte = (unsigned char)*text;
        const char stands[4] = {'\xF4', '\x8F', (char)(byte & 0x40 ? 0xBF : 0xBE),
                                (char)(0x80 | (byte & 0x3F))};

        app_text_add(&out, length ? text : stands, length ? (size_t)length : sizeof stands);
        text += length ? length : 1;
    }
    return out.failed ? NULL : out.data;
}

char *app_utf8_read(const char *text)
{
    struct app_text out = {0};

    app_text_add(&out, "", 0);
    while (*text) {
        const int stands = stands_for_byte(text);
        const char byte = stands ? (char)((text[2] == '\xBF' ? 0xC0 : 0x80) | (text[3] & 0x3F)) : *text;

        app_text_add(&out, &byte, 1);
        text += stands ? 4 : 1;
    }
    return out.failed ? NULL : out.data;
}
