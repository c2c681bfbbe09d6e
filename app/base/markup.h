/* Text for SVG and HTML, and how much room it takes. */
#ifndef CKG_APP_MARKUP_H
#define CKG_APP_MARKUP_H

#include "base/text.h"

enum { APP_SHORT = 256 };

/* Adds the text as printable UTF-8: control characters become their pictures (␊), what is no UTF-8 U+FFFD. */
void app_plain(struct app_text *out, const char *text);

/* The same with everything escaped that SVG and HTML ask for, in text and in attributes. */
void app_markup(struct app_text *out, const char *text);

/* The text with at most `most` characters (4 … 60), the middle left out where it is longer. */
const char *app_shorten(const char *text, int most, char out[APP_SHORT]);

/*
 * The text in at most `most` lines (1 … APP_LINES) that are no wider than `width` in letters of that size,
 * parted at blanks, underscores and the like where that can be; what does not fit into them is left out of
 * the middle of the last. Returns how many there are.
 */
enum { APP_LINES = 4 };
struct app_lines {
    int count;
    char line[APP_LINES][APP_SHORT];
    int whole;  /* 1: nothing was left out */
    int broken; /* 1: a word is parted */
};
int app_wrap(const char *text, double width, double size, int most, struct app_lines *out);

/* The same in lines of so many columns of a terminal. */
int app_wrap_columns(const char *text, int columns, int most, struct app_lines *out);

/* The widest of the lines in letters of that size. */
double app_lines_width(const struct app_lines *lines, double size);

/* How many columns of a terminal the text takes, a wide character two. */
int app_columns(const char *text);

/* Adds the text with blanks behind it up to so many columns, or where they are negative before it. */
void app_columns_add(struct app_text *out, const char *text, int columns);

/* About how wide the text is in letters of that size; there is no font to ask. */
double app_letters_width(const char *text, double size);

#endif
