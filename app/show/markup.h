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

/* How many columns of a terminal the text takes, a wide character two. */
int app_columns(const char *text);

/* About how wide the text is in letters of that size; there is no font to ask. */
double app_letters_width(const char *text, double size);

#endif
