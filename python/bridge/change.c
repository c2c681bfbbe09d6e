/* A changed problem: taken over into the store, as `ckg change` does from a file. */
#include <string.h>

#include "bridge/inside.h"
#include "api/shapes.h"

int pyckg_notebook_change(pyckg_notebook *b, const char *definition)
{
    const struct app_changing how = {.command = "change (from Python)"};
    struct app_definition now = {0};
    struct app_changed changed = {0};
    int status = pyckg_check_open(b);

    if (!status && b->study.notebook.file)
        status = app_fail(&b->study.message, CKG_ERR_STATE,
                          "the study has a problem file; change that, and `ckg change` takes it over");
    if (!status)
        status = pyckg_check_kept(b);
    if (!status)
        status = app_definition_parse(&now, definition, strlen(definition), "the definition",
                                      &b->study.message);
    if (!status)
        status = app_change(&b->study.notebook, &now, &how, &changed);
    if (!status)
        app_change_write(&changed, &b->text);
    app_changed_free(&changed);
    app_definition_free(&now);
    return pyckg_give(b, status);
}
