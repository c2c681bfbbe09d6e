/* The names of actions, and what their inputs are checked by. */
#include "api/api.h"

#include <string.h>

/* --- studies --- */

void app_api_forget(struct app_api_study *s)
{
    if (s->viewed)
        app_show_close(&s->view);
    s->viewed = 0;
}

void app_api_close(struct app_api_study *s)
{
    app_api_forget(s);
    if (s->open)
        app_study_close(&s->record);
    s->open = 0;
}

int app_api_view(struct app_api_study *s)
{
    enum { TABLE = 500 };

    if (s->viewed)
        return CKG_OK;
    const int status = app_show_open(&s->view, &s->record);
    if (status)
        return status;
    s->view.trials_at = s->trials_at;
    s->view.latest = TABLE;
    s->viewed = 1;
    return CKG_OK;
}

const struct app_trial *app_api_trial(const struct app_study *n, long long number)
{
    if (number >= 1 && number <= n->count)
        return &n->trials[number - 1];
    app_fail(n->message, CKG_ERR_NOT_FOUND, "there is no trial %lld; the last is %d", number, n->count);
    return NULL;
}

int app_api_parameter(const struct app_study *n, const json_t *in, const char *key, int *out)
{
    const char *name = json_string_value(json_object_get(in, key));

    *out = name ? ckg_problem_parameter_find(n->definition.problem, name) : -1;
    return *out >= 0 || !json_object_get(in, key)
               ? CKG_OK
               : app_fail(n->message, CKG_ERR_INVALID, "`%s` must be the name of a parameter", key);
}

int app_api_outcome(const struct app_study *n, const json_t *in, const char *key, int *out)
{
    const char *name = json_string_value(json_object_get(in, key));

    *out = -1;
    for (int j = 0; name && j <= app_constraints(&n->definition); j++)
        if (!strcmp(app_outcome_name(&n->definition, j), name))
            *out = j;
    return *out >= 0 || !name
               ? CKG_OK
               : app_fail(n->message, CKG_ERR_INVALID, "`%s` must be the name of an outcome", key);
}

int app_api_check_stored(const struct app_study *n)
{
    return n->id ? CKG_OK
                 : app_fail(n->message, CKG_ERR_STATE, "the study is kept in no store, so it has no trials");
}

/* --- names --- */

static const struct app_action *find(const struct app_action *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    return table->name ? table : NULL;
}

const struct app_action *app_action_named(const char *name, int writes)
{
    const struct app_action *found = find(writes ? app_changes : app_queries, name);

    return found || writes ? found : find(app_grids, name);
}

const struct app_input *app_action_input(const struct app_action *action, const char *name)
{
    for (const struct app_input *input = action->takes; input->name; input++)
        if (!strcmp(input->name, name))
            return input;
    return NULL;
}

/* --- inputs --- */

static int is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 1 &&
           json_integer_value(value) <= 1000000000;
}

static int are_counts(const json_t *value)
{
    const json_t *each;
    size_t i;

    json_array_foreach((json_t *)value, i, each)
    {
        if (!is_count(each))
            return 0;
    }
    return json_array_size(value) > 0;
}

static int fits(enum app_check check, const json_t *value)
{
    switch (check) {
    case APP_IS_COUNT:
        return is_count(value);
    case APP_IS_COUNTS:
        return are_counts(value);
    case APP_IS_REVISION:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case APP_IS_NUMBER:
        return json_is_number(value);
    case APP_IS_TEXT:
        return json_string_length(value) > 0 && strlen(json_string_value(value)) == json_string_length(value);
    case APP_IS_BOOLEAN:
        return json_is_boolean(value);
    default:
        return json_is_object(value);
    }
}

/* The input as an object of what the action takes, the caller's to free. What is null might as well be left
 * out. */
static int read_input(const struct app_action *action, const char *text, json_t **out,
                      struct app_message *message)
{
    static const char *const must_be[] = {[APP_IS_COUNT] = "a number from 1",
                                          [APP_IS_COUNTS] = "a list of numbers from 1",
                                          [APP_IS_REVISION] = "a revision, a number from 0",
                                          [APP_IS_NUMBER] = "a number",
                                          [APP_IS_TEXT] = "a text",
                                          [APP_IS_BOOLEAN] = "true or false",
                                          [APP_IS_OBJECT] = "an object"};
    const char *what = action->argument ? action->argument : "the body";
    const char *quote = action->argument ? "`" : "";
    json_error_t error;
    const char *name;
    json_t *value;
    void *next;

    *out = json_loads(text ? text : "{}", JSON_REJECT_DUPLICATES, &error);
    if (!*out)
        return app_fail(message, CKG_ERR_INVALID, "%s%s%s is not JSON: line %d: %.160s", quote, what, quote,
                        error.line, error.text);
    if (!json_is_object(*out))
        return app_fail(message, CKG_ERR_INVALID, "%s%s%s must be a JSON object", quote, what, quote);
    json_object_foreach_safe(*out, next, name, value)
    {
        const struct app_input *input = app_action_input(action, name);
        if (!input)
            return app_fail(message, CKG_ERR_INVALID, "'%.200s' is nothing that can be said here", name);
        if (json_is_null(value))
            json_object_del(*out, name);
        else if (!fits(input->check, value))
            return app_fail(message, CKG_ERR_INVALID, "`%s` must be %s", name, must_be[input->check]);
    }
    for (const struct app_input *input = action->takes; input->name; input++)
        if (input->needed && !json_object_get(*out, input->name))
            return app_fail(message, CKG_ERR_INVALID, "%s", input->needed);
    return CKG_OK;
}

int app_action_call(const struct app_action *action, struct app_api_study *study, const char *in,
                    struct app_text *out)
{
    json_t *input;
    int status = read_input(action, in, &input, &study->message);

    if (!status)
        status = action->run(study, input, out);
    if (!status && out->failed)
        status = app_no_memory(&study->message);
    json_decref(input);
    return status;
}

int app_api_call(struct app_api_study *study, const char *name, const char *in, struct app_text *out)
{
    const struct app_action *const tables[] = {app_queries, app_grids, app_changes, app_local};
    struct app_study *n = &study->record;
    const struct app_action *action = NULL;

    for (size_t i = 0; !action && i < sizeof tables / sizeof *tables; i++)
        action = find(tables[i], name);
    if (!action)
        return app_fail(&study->message, CKG_ERR_NOT_FOUND, "there is no action '%s'", name);
    int status = action->traits & APP_BEGINS && n->url ? app_study_begin(n) : app_study_sync(n);
    if (!status && action->lane == APP_LANE_WRITES)
        status = app_api_check_stored(n);
    if (!status)
        status = app_action_call(action, study, in, out);
    app_api_forget(study);
    return status;
}
