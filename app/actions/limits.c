/* The definition as JSON, with other limits in it, read again: whatever else it has stays as it is. */
#include "actions/limits.h"

#include <string.h>

#include "base/reserve.h"

static int is_limit(const char *key)
{
    static const char *const known[] = {"min", "max", "equal", "tolerance"};
    int is = 0;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is |= !strcmp(key, known[i]);
    return is;
}

/* The limits of the definition as the input has them; null takes one away. */
static int merge(json_t *definition, const json_t *limits, struct app_message *message)
{
    json_t *constraints = json_object_get(definition, "constraints");
    const char *name;
    const char *key;
    json_t *each;
    json_t *value;

    json_object_foreach((json_t *)limits, name, each)
    {
        json_t *constraint = json_object_get(constraints, name);
        if (!constraint || !json_is_object(each))
            return app_fail(message, CKG_ERR_INVALID,
                            "`limits` must have the names of constraints, each with "
                            "an object of min, max, equal or tolerance");
        json_object_foreach(each, key, value)
        {
            if (!is_limit(key))
                return app_fail(message, CKG_ERR_INVALID,
                                "'%.200s' is no limit of '%s'; these are min, max, equal and tolerance", key,
                                name);
            if (json_is_null(value) ? json_object_del(constraint, key) && 0
                                    : json_object_set(constraint, key, value))
                return app_no_memory(message);
        }
    }
    return CKG_OK;
}

int app_limits_apply(const struct app_study *n, const json_t *limits, struct app_definition *out,
                     struct app_message *message)
{
    struct app_text text = {0};

    app_definition_write(&n->definition, n->seed, &text);
    json_t *definition = app_json_take(&text);
    int status = definition ? merge(definition, limits, message) : app_no_memory(message);
    char *changed = status ? NULL : json_dumps(definition, JSON_COMPACT);
    if (!status)
        status = changed ? app_definition_parse(out, changed, strlen(changed), "limits", message)
                         : app_no_memory(message);
    app_json_free(changed);
    json_decref(definition);
    return status;
}
