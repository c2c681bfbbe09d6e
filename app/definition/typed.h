/*
 * Values that a problem file names, in the types of JSON: `8` is a number, `true` a truth, `steel` and '8' in
 * quotes are texts. The library knows categories by their texts; what they are in JSON is kept here.
 */
#ifndef CKG_APP_TYPED_H
#define CKG_APP_TYPED_H

#include "base/json.h"

enum app_type { APP_TEXT, APP_NUMBER, APP_BOOLEAN };

struct app_value {
    const char *text; /* NULL: there is none */
    enum app_type type;
};

/*
 * 1 when the text is a number, however large: decimal digits, a sign, a point, an exponent. What strtod takes
 * as "inf", "nan" or hexadecimal is not meant.
 */
int app_is_decimal(const char *text, double *out);

/* Adds the member of that name; NULL in a list. */
void app_typed_add(struct app_text *out, const char *key, const struct app_value *value);

/* 1 when the JSON value means the text, whether it stands there as a text, a number or a truth. */
int app_typed_is(const json_t *value, const char *text);

/* The text that stands for the JSON value, in the buffer or borrowed from it; NULL for lists, objects and
 * null. */
const char *app_typed_text(const json_t *value, char buffer[32]);

#endif
