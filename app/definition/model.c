/* How outcomes are modelled: the settings of `model`, as text, by the library's own list of options. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "definition/definition.h"

/* The number of the option of that name, -1: none. */
static int find_option(const char *name, ckg_option_info *info)
{
    for (int i = 0; !ckg_option_at(i, info); i++)
        if (!strcmp(info->name, name))
            return i;
    return -1;
}

int app_model_set(struct app_definition *d, const char *name, const char *value)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_option_info info;
    const int status = ckg_options_set(&options, name, value);

    if (status)
        return status;
    const int index = find_option(name, &info);
    char *copy = app_pool_copy(&d->pool, value);

    assert(index >= 0 && index < APP_MODEL_OPTIONS);
    if (!copy)
        return CKG_ERR_NOMEM;
    d->model[index] = copy;
    return CKG_OK;
}

void app_model_apply(const struct app_definition *d, ckg_options *options)
{
    ckg_option_info info;

    for (int i = 0; !ckg_option_at(i, &info); i++)
        if (d->model[i]) {
            const int status = ckg_options_set(options, info.name, d->model[i]);

            assert(!status); /* it was checked when it was set */
            (void)status;
        }
}

static int is_word(const ckg_option_info *info, const char *text)
{
    for (int k = 0; k < info->count; k++)
        if (!strcmp(info->words[k], text))
            return 1;
    return 0;
}

void app_model_write(const struct app_definition *d, const char *name, struct app_text *out)
{
    ckg_option_info info;
    int given = 0;

    /* What the file does not give is left to the library, now and later. */
    for (int i = 0; i < APP_MODEL_OPTIONS; i++)
        given |= d->model[i] != NULL;
    if (!given)
        return;

    app_json_open(out, name, '{');
    for (int i = 0; !ckg_option_at(i, &info); i++) {
        if (d->model[i] && is_word(&info, d->model[i]))
            app_json_add_string(out, info.name, d->model[i]);
        else if (d->model[i])
            app_json_add_number(out, info.name, strtod(d->model[i], NULL));
    }
    app_json_close(out, '}');
}
