/* Total effects, outcome by outcome. */
#include "actions/effects.h"

#include <math.h>
#include <stdlib.h>

/* Those of one outcome. */
static int find_one(struct app_importance *out, struct app_study *n, ckg_study *engine, int outcome)
{
    double values[3][CKG_MAX_PARAMETERS];
    const int status = ckg_study_importance(engine, outcome, values[0], values[1], values[2]);

    if (status)
        return app_study_fail(n, status);
    for (int i = 0; i < out->d; i++)
        out->effect[outcome * out->d + i] = (struct app_effect){values[0][i], values[1][i], values[2][i]};
    return CKG_OK;
}

int app_importance_find(struct app_importance *out, struct app_study *n, ckg_study *engine, int count,
                        const int *outcome)
{
    const int d = app_dimension(&n->definition);
    const int outcomes = app_constraints(&n->definition) + 1;
    const size_t size = (size_t)d * (size_t)outcomes;

    *out = (struct app_importance){d, outcomes, malloc(size * sizeof *out->effect)};
    int status = out->effect ? CKG_OK : app_no_memory(n->message);

    for (size_t i = 0; !status && i < size; i++)
        out->effect[i] = (struct app_effect){NAN, NAN, NAN};
    for (int i = 0; !status && i < (outcome ? count : outcomes); i++)
        status = find_one(out, n, engine, outcome ? outcome[i] : i);
    if (status)
        app_importance_free(out);
    return status;
}

void app_importance_free(struct app_importance *im)
{
    free(im->effect);
    im->effect = NULL;
}

const struct app_effect *app_importance_of(const struct app_importance *im, int outcome)
{
    return im->effect + outcome * im->d;
}

void app_importance_order(const struct app_effect *effect, int d, int *order)
{
    for (int i = 0; i < d; i++) {
        int at = i;
        for (; at > 0 && effect[i].total > effect[order[at - 1]].total; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
