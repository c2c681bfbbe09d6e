/* Escaping, shortening, measuring. */
#include "base/markup.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/json.h"

static const char replacement[] = "\xEF\xBF\xBD";

/* One character at `at`: its length in bytes, and what stands for it in *shown (bytes, NULL: itself). */
static int next_character(const unsigned char *at, size_t left, const char **shown, char picture[4])
{
    const int length = app_utf8_length(at, left);

    /* U+0080 … U+009F */
    const int c1 = length == 2 && at[0] == 0xC2 && at[1] < 0xA0;
    /* U+FFFE, U+FFFF: not allowed in XML */
    const int none = length == 3 && at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE;

    *shown = !length || c1 || none ? replacement : NULL;
    if (length == 1 && (*at < ' ' || *at == 127)) {
        memcpy(picture, "\xE2\x90", 2);
        picture[2] = (char)(*at == 127 ? 0xA1 : 0x80 + *at);
        picture[3] = 0;
        *shown = picture;
    }
    return length ? length : 1;
}

static void add_text(struct app_text *out, const char *text, int escape)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + strlen(text);

    while (at < end) {
        const char *shown;
        char picture[4];
        const int length = next_character(at, (size_t)(end - at), &shown, picture);
        if (shown)
            app_text_add(out, shown, strlen(shown));
        else if (escape && strchr("&<>\"'", *at))
            app_text_print(out, "&#%d;", *at);
        else
            app_text_add(out, (const char *)at, (size_t)length);
        at += length;
    }
}

void app_plain(struct app_text *out, const char *text)
{
    add_text(out, text, 0);
}

void app_markup(struct app_text *out, const char *text)
{
    add_text(out, text, 1);
}

/* --- how much room it takes --- */

/* Of one character, in parts of the letters' size: the averages of common sans-serif faces. */
static double letter_width(const unsigned char *at, int length)
{
    if (!length)
        return 0.6;
    if (length >= 3)
        return at[0] == 0xE2 ? 0.6 : 1.0; /* punctuation and signs; beyond them mostly wide scripts */
    if (length == 2)
        return at[0] == 0xCC || at[0] == 0xCD ? 0 : 0.58;
    if (strchr("ijlI.,:;'|!()[] ", *at))
        return 0.29;
    if (strchr("mwMW%@", *at))
        return 0.86;
    return *at >= 'A' && *at <= 'Z' ? 0.67 : 0.55;
}

/* Of one character: none for a mark that combines, two for the wide scripts of East Asia and pictures. */
static double column_width(const unsigned char *at, int length)
{
    if (length == 2)
        return at[0] != 0xCC && at[0] != 0xCD;
    if (length == 3)
        return 1 + (at[0] >= 0xE3 && at[0] <= 0xED && !(at[0] == 0xED && at[1] >= 0x9F)) +
               (at[0] == 0xEF && (at[1] == 0xBC || at[1] == 0xBD) && at[1] < 0xBD);
    return length == 4 ? 2 : 1;
}

/* Every character counts as one. */
static double one(const unsigned char *at, int length)
{
    (void)at;
    (void)length;
    return 1;
}

/* How wide a character is in units of size × factor; length 0: it is no character. */
struct measure {
    double (*width)(const unsigned char *at, int length);
    double size, factor;
};

/* A little more than the letters are wide, for faces that run wide. */
static struct measure letters_of(double size)
{
    return (struct measure){letter_width, size, 1.06};
}

static const struct measure terminal = {column_width, 1, 1}, characters = {one, 1, 1};

static double width_of(const struct measure *m, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + strlen(text);
    double width = 0;

    while (at < end) {
        const int length = app_utf8_length(at, (size_t)(end - at));
        width += m->width(at, length);
        at += length ? length : 1;
    }
    return m->factor * width * m->size;
}

/* How many bytes of the text fit into the width. */
static size_t fitting(const struct measure *m, const char *text, double width)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char *end = at + strlen(text);
    double used = 0;

    while (at < end) {
        const int length = app_utf8_length(at, (size_t)(end - at));
        used += m->factor * m->size * m->width(at, length);
        if (used > width)
            break;
        at += length ? length : 1;
    }
    return (size_t)((const char *)at - text);
}

double app_letters_width(const char *text, double size)
{
    const struct measure letters = letters_of(size);

    return width_of(&letters, text);
}

int app_columns(const char *text)
{
    return (int)width_of(&terminal, text);
}

void app_columns_add(struct app_text *out, const char *text, int columns)
{
    const int blanks = abs(columns) - app_columns(text);
    const int width = blanks > 0 ? blanks : 0;

    app_text_print(out, "%*s%s%*s", columns < 0 ? width : 0, "", text, columns < 0 ? 0 : width, "");
}

const char *app_shorten(const char *text, int most, char out[APP_SHORT])
{
    const int count = (int)width_of(&characters, text);
    const int tail = (most - 1) / 3;
    const int head = most - 1 - tail;

    assert(most >= 4 && most <= 60);
    if (count <= most) {
        strncpy(out, text, APP_SHORT - 1);
        out[APP_SHORT - 1] = 0;
        return out;
    }
    const size_t bytes = fitting(&characters, text, head);
    memcpy(out, text, bytes);
    strcpy(out + bytes, "…");
    strcat(out, text + fitting(&characters, text, count - tail));
    return out;
}

/* --- lines --- */

/* Where a line of at most `bytes` bytes ends best: behind a blank or another sign that parts words. */
static size_t good_end(const char *text, size_t bytes)
{
    if (!text[bytes] || text[bytes] == ' ')
        return bytes;
    for (size_t k = bytes; k > bytes / 3; k--)
        if (strchr(" _-/.,:;)", text[k - 1]))
            return k;
    return bytes;
}

/* The text on one line, its middle left out until it fits. */
static void squeeze(const struct measure *m, const char *text, double width, char out[APP_SHORT])
{
    for (int most = 60; most >= 4; most--)
        if (width_of(m, app_shorten(text, most, out)) <= width)
            return;
}

static int wrap(const struct measure *m, const char *text, double width, int most, struct app_lines *out)
{
    assert(most >= 1 && most <= APP_LINES);
    *out = (struct app_lines){.whole = 1};

    while (out->count < most) {
        char *line = out->line[out->count++];
        const size_t fits = fitting(m, text, width);
        const int last = out->count == most;

        /* The rest, whole or squeezed. */
        if (!text[fits] && fits < APP_SHORT) {
            memcpy(line, text, fits + 1);
            break;
        }
        if (last || !fits) {
            squeeze(m, text, width, line);
            out->whole = 0;
            break;
        }

        /* As much as fits, up to a good place. */
        size_t end = good_end(text, fits);
        end = end < APP_SHORT ? end : fits < APP_SHORT ? fits : APP_SHORT - 1;
        out->broken |= end && isalnum((unsigned char)text[end - 1]) && isalnum((unsigned char)text[end]);
        memcpy(line, text, end);
        line[end] = 0;
        text += end;
        text += strspn(text, " ");
        while (end && line[end - 1] == ' ')
            line[--end] = 0;
        if (!*text)
            break;
    }
    return out->count;
}

int app_wrap(const char *text, double width, double size, int most, struct app_lines *out)
{
    const struct measure letters = letters_of(size);

    return wrap(&letters, text, width, most, out);
}

int app_wrap_columns(const char *text, int columns, int most, struct app_lines *out)
{
    return wrap(&terminal, text, columns, most, out);
}

double app_lines_width(const struct app_lines *lines, double size)
{
    double width = 0;

    for (int i = 0; i < lines->count; i++) {
        const double one = app_letters_width(lines->line[i], size);
        width = one > width ? one : width;
    }
    return width;
}
