/* A changed problem: taken over into the store, as `ckg change` does from a file. */
#include <string.h>

#include "bridge/inside.h"
#include "definition/difference.h"
#include "api/shapes.h"

/* What differs; CKG_ERR_INVALID: the trials would lose their meaning. */
static int compare(pyckg_notebook *b, const struct app_definition *now, struct app_difference *difference)
{
    app_difference_find(difference, &b->study.notebook.definition, now);
    if (difference->refused.text[0])
        return app_fail(&b->study.message, CKG_ERR_INVALID, "%.900s; that needs a new study",
                        difference->refused.text);
    return CKG_OK;
}

/* The problem and its trials, all at once. */
static int take_over(pyckg_notebook *b, struct app_definition *now, const struct app_difference *difference)
{
    struct app_notebook *n = &b->study.notebook;
    struct app_edit edit = {.notebook = n};
    struct app_adapted adapted = {0};
    int status = app_notebook_adapt(n, now, &edit, &adapted);

    if (!status) {
        app_change_write(difference, &adapted, &b->text);
        status = app_edit_make_problem(&edit, "change (from Python)");
    }
    app_adapted_free(&adapted);
    app_edit_free(&edit);
    return status;
}

int pyckg_notebook_change(pyckg_notebook *b, const char *definition)
{
    struct app_definition now = {0};
    struct app_difference difference = {0};
    int status = pyckg_check_open(b);

    if (!status && b->study.notebook.file)
        status = app_fail(&b->study.message, CKG_ERR_STATE,
                          "the study has a problem file; change that, and `ckg change` takes it over");
    if (!status)
        status = pyckg_check_kept(b);

    /* Nobody chooses a design meanwhile. */
    if (!status)
        status = app_notebook_turn(&b->study.notebook);
    if (status)
        return status;
    status = app_definition_parse(&now, definition, strlen(definition), "the definition", &b->study.message);
    if (!status)
        status = compare(b, &now, &difference);
    if (!status)
        status = take_over(b, &now, &difference);
    app_notebook_turn_give(&b->study.notebook);
    app_difference_free(&difference);
    app_definition_free(&now);
    return pyckg_give(b, status);
}
