/*
 * JSON. Reading is jansson's; writing is here, for numbers as short as they can be while they read back as
 * the same bits, which the libraries at hand do not write.
 */
#ifndef CKG_APP_JSON_H
#define CKG_APP_JSON_H

#include <jansson.h>

#include "base/text.h"

/*
 * The shortest decimal form that reads back as the same double; `buffer` holds 32 bytes. NaN and infinities
 * give "null".
 */
const char *app_number(double value, char buffer[32]);

/* The same with four significant digits, for people. */
const char *app_number_short(double value, char buffer[32]);

void app_json_number(struct app_text *out, double value);

/*
 * The string in quotes, with everything escaped that JSON or YAML asks for; bytes that are not UTF-8 become
 * U+FFFD.
 */
void app_json_string(struct app_text *out, const char *string);

/*
 * Objects and lists, member by member: a comma stands before every member but the first. A key is NULL in a
 * list, and for the outermost object.
 */
void app_json_open(struct app_text *out, const char *key, char bracket);
void app_json_close(struct app_text *out, char bracket);

/*
 * Several members in one line, as the shape has them:
 *
 *   app_json_print(out, "{trial:%d values:{%s:%g} feasible:%i why:%s changes:[", number, name, f, -1, NULL)
 *   {"trial": 7, "values": {"weight": 1.5}, "feasible": null, "why": null, "changes": [
 *
 * A word before a colon is a key, and so is %s. %d and %lld give an integer, %g a number as app_json_number
 * writes it, %s a string or null, %i a truth as app_json_add_boolean. What the shape opens may be closed by a
 * later one, and after a key at its end the caller adds the value.
 */
void app_json_print(struct app_text *out, const char *shape, ...) __attribute__((format(printf, 2, 3)));

/* The key alone, for a value that the caller adds. */
void app_json_member(struct app_text *out, const char *key);

void app_json_add_number(struct app_text *out, const char *key, double value);
void app_json_add_numbers(struct app_text *out, const char *key, int count, const double *values);
/* One of a list that is drawn, for which seven digits are enough. */
void app_json_add_drawn(struct app_text *out, double value);
void app_json_add_integer(struct app_text *out, const char *key, long long value);
/* NULL gives null. */
void app_json_add_string(struct app_text *out, const char *key, const char *string);
/* 1 true, 0 false, -1 null */
void app_json_add_boolean(struct app_text *out, const char *key, int boolean);
/* What was written there, read; the text is freed. NULL: no memory. */
json_t *app_json_take(struct app_text *text);

/* A value that jansson has read, whatever it is. */
void app_json_add_value(struct app_text *out, const char *key, const json_t *value);

#endif
