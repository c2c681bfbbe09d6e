/* Values in the types of JSON. */
#include "definition/typed.h"

#include <stdlib.h>
#include <string.h>

int app_is_decimal(const char *text, double *out)
{
    char *end;

    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return 0;
    *out = strtod(text, &end);
    return end != text && !*end;
}

void app_typed_add(struct app_text *out, const char *key, const struct app_value *value)
{
    app_json_member(out, key);
    if (value->type == APP_TEXT)
        app_json_string(out, value->text);
    else
        app_text_add(out, value->text, strlen(value->text));
}

const char *app_typed_text(const json_t *value, char buffer[32])
{
    return json_is_string(value)   ? json_string_value(value)
           : json_is_true(value)   ? "true"
           : json_is_false(value)  ? "false"
           : json_is_number(value) ? app_number(json_number_value(value), buffer)
                                   : NULL;
}

int app_typed_is(const json_t *value, const char *text)
{
    char buffer[32];
    const char *got = app_typed_text(value, buffer);

    return got && !strcmp(got, text);
}
