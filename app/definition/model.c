/* How outcomes are modelled: the settings of `model`, as text, by the library's own list of options. */
#include <assert.h>
#include <string.h>

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
