/* Names first, values by what the name is. */
#include "commands/assignments.h"

#include <string.h>

/* 1 when the word is this name with an equals sign behind it. */
static int names(const char *word, const char *name)
{
    const size_t length = strlen(name);

    return !strncmp(word, name, length) && word[length] == '=';
}

int app_word_outcome(const struct app_definition *d, const char *word, const char **value)
{
    int found = -1;
    size_t longest = 0;

    for (int j = 0; j <= app_constraints(d); j++)
        if (names(word, app_outcome_name(d, j)) && strlen(app_outcome_name(d, j)) >= longest) {
            found = j;
            longest = strlen(app_outcome_name(d, j));
        }
    *value = word + longest + 1;
    return found;
}

int app_word_parameter(const struct app_definition *d, const char *word, const char **value)
{
    int found = -1;
    size_t longest = 0;

    for (int i = 0; i < app_dimension(d); i++)
        if (names(word, app_parameter_name(d, i)) && strlen(app_parameter_name(d, i)) >= longest) {
            found = i;
            longest = strlen(app_parameter_name(d, i));
        }
    *value = word + longest + 1;
    return found;
}

int app_outcome_from_text(const struct app_definition *d, int outcome, const char *text, ckg_measurement *out,
                          int *given, struct app_message *message)
{
    const int answer = ckg_problem_yesno(d->problem, outcome) == 1;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);

    if (!value && answer && app_answer_word(text) >= 0)
        value = json_boolean(app_answer_word(text));
    if (!value && answer)
        return app_fail(message, CKG_ERR_INVALID, "the value of '%s' must be yes, no or null, not '%s'",
                        app_outcome_name(d, outcome), text);
    if (!value)
        return app_fail(message, CKG_ERR_INVALID,
                        "the value of '%s' must be a number, [number, sd] or null, not '%s'",
                        app_outcome_name(d, outcome), text);
    const int status = app_outcome_read(d, outcome, value, out, given, message);
    json_decref(value);
    return status;
}

int app_parameter_from_text(const struct app_definition *d, int parameter, const char *text, double *x,
                            struct app_message *message)
{
    const char *name = app_parameter_name(d, parameter);

    if (ckg_problem_parameter_kind(d->problem, parameter) == CKG_CATEGORICAL) {
        const int category = ckg_problem_category_find(d->problem, parameter, text);
        if (category < 0)
            return app_fail(message, CKG_ERR_INVALID, "parameter '%s': '%s' is not one of its values", name,
                            text);
        x[parameter] = category;
        return CKG_OK;
    }

    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    const int number = json_is_number(value);
    if (number)
        x[parameter] = json_number_value(value);
    json_decref(value);
    return number ? CKG_OK
                  : app_fail(message, CKG_ERR_INVALID, "the value of '%s' must be a number, not '%s'", name,
                             text);
}
