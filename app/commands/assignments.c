/* Names first, values by what the name is. */
#include "commands/assignments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longer of two names that begin the word with an equals sign behind them; NULL: none so far. */
static const char *longer(const char *word, const char *found, const char *name)
{
    const size_t length = strlen(name);

    return !strncmp(word, name, length) && word[length] == '=' && (!found || length > strlen(found)) ? name
                                                                                                     : found;
}

static const char *find_parameter(const struct app_definition *d, const char *word)
{
    const char *found = NULL;

    for (int i = 0; i < app_dimension(d); i++)
        found = longer(word, found, app_parameter_name(d, i));
    for (int i = 0; i < d->fixed_count; i++)
        found = longer(word, found, d->fixed[i].name);
    return found;
}

static const char *find_outcome(const struct app_definition *d, const char *word)
{
    const char *found = NULL;

    for (int j = 0; j <= app_constraints(d); j++)
        found = longer(word, found, app_outcome_name(d, j));
    return found;
}

/* What a category is called may look like a number; NULL: it should be one, and is none. */
static json_t *parameter_value(const struct app_definition *d, const char *name, const char *text)
{
    const int i = ckg_problem_parameter_find(d->problem, name);
    char *end;
    const double number = strtod(text, &end);

    if (i < 0 || ckg_problem_parameter_kind(d->problem, i) == CKG_CATEGORICAL)
        return json_string(text);
    return end == text || *end || !isfinite(number) ? NULL : json_real(number);
}

/* A number, [number, sd], null, or a word that answers; NULL: none of these. */
static json_t *outcome_value(const struct app_definition *d, const char *name, const char *text)
{
    const int yesno = ckg_problem_yesno(d->problem, ckg_problem_outcome_find(d->problem, name)) == 1;

    return yesno && app_answer_word(text) >= 0
               ? json_boolean(app_answer_word(text))
               : json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
}

static int refuse_value(const struct app_definition *d, const char *name, const char *text, int parameter,
                        struct app_message *message)
{
    if (parameter)
        return app_fail(message, CKG_ERR_INVALID, "%s=%.200s: expected a number", name, text);
    const int yesno = ckg_problem_yesno(d->problem, ckg_problem_outcome_find(d->problem, name)) == 1;
    return app_fail(message, CKG_ERR_INVALID, "the value of '%s' must be %s or null, not '%.200s'", name,
                    yesno ? "yes, no" : "a number, [number, sd]", text);
}

int app_assign(const struct app_definition *d, const char *word, json_t *parameters, json_t *outcomes,
               struct app_message *message)
{
    const char *parameter = parameters ? find_parameter(d, word) : NULL;
    const char *name = parameter ? parameter : outcomes ? find_outcome(d, word) : NULL;
    json_t *object = parameter ? parameters : outcomes;

    if (!name)
        return CKG_ERR_NOT_FOUND;
    if (json_object_get(object, name))
        return app_fail(message, CKG_ERR_INVALID, "'%s' is given twice", name);

    const char *text = word + strlen(name) + 1;
    json_t *value = parameter ? parameter_value(d, name, text) : outcome_value(d, name, text);
    if (!value)
        return refuse_value(d, name, text, parameter != NULL, message);
    return json_object_set_new(object, name, value) ? app_no_memory(message) : CKG_OK;
}
