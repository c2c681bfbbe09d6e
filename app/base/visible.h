/*
 * Text from anywhere, as people may see it. A name, a reason or the standard error of an evaluation can hold
 * anything; what a terminal would act on, or what makes a line read otherwise than it is, is shown by its
 * number: \x1b, \u202e, and \xff for a byte that is no text.
 */
#ifndef CKG_APP_VISIBLE_H
#define CKG_APP_VISIBLE_H

#include <stdio.h>

#include "base/text.h"

/* The number of the character of so many bytes (app_utf8_length); 1 for one that is not to reach a terminal.
 */
unsigned app_utf8_code(const unsigned char *at, int length);
int app_is_unsafe(unsigned code);

enum { APP_SHOWN = 12 };

/*
 * The character at `text`, of which `left` bytes are left: how many bytes it has; `shown` is what stands for
 * it, or empty where it may stand for itself. Newlines and tabs may where `lines` is 1.
 */
size_t app_visible_next(const char *text, size_t left, int lines, char shown[APP_SHOWN]);

/* Adds text that is to stay one line. */
void app_text_add_line(struct app_text *out, const char *text);

/* Writes text of several lines. */
void app_write_visible(FILE *file, const char *text, size_t length);

/*
 * What everything that people read goes through: like printf, to standard output and to standard error. Texts
 * among the arguments that may have several lines, and should not, are the caller's to part
 * (app_text_add_line).
 */
void app_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void app_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
