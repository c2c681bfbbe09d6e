/* The engine is asked for each outcome's model, and for the penalty. */
#include "actions/models.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

int app_fitted_find(struct app_fitted *out, struct app_study *n)
{
    const int constraints = app_constraints(&n->definition);
    ckg_study *engine;

    *out = (struct app_fitted){.models = calloc((size_t)constraints + 1, sizeof *out->models)};
    int status = out->models ? app_study_engine(n, &engine) : app_no_memory(n->message);

    if (status)
        return status;
    if (app_memory_note(ckg_study_penalty(engine, &out->penalty)))
        out->penalty = NAN;
    for (int j = 0; !status && j <= constraints; j++)
        status = ckg_study_model(engine, j, &out->models[j]);
    return status ? app_study_fail(n, status) : CKG_OK;
}

void app_fitted_free(struct app_fitted *fitted)
{
    free(fitted->models);
}
