/* Prints a recommendation: the design, what is predicted of it, and the best design evaluated. */
#include "notebook/recommend.h"

#include <math.h>
#include <stdio.h>

static void print_limits(const struct app_outcome *o)
{
    if (!isinf(o->min))
        printf(">= %g", o->min);
    if (!isinf(o->max))
        printf("%s<= %g", isinf(o->min) ? "" : " and ", o->max);
}

static void print_design(const struct app_definition *d, const double *x)
{
    char number[32];
    for (int i = 0; i < d->d; i++) {
        const struct app_parameter *p = &d->parameters[i];
        printf("  %-20s %s\n", p->name, p->kind == CKG_CATEGORICAL ? p->values[(int)x[i]] : app_number(x[i], number));
    }
}

static void print_text(const struct app_notebook *n, const ckg_recommendation *r)
{
    const struct app_definition *d = &n->definition;
    const struct app_trial *best = app_notebook_best(n);
    char number[32];
    printf("recommended after %d evaluations:\n", r->evaluations);
    print_design(d, r->x);
    printf("predicted:\n  %-20s %.6g ± %.2g\n", d->outcomes[0].name, r->mean[0], r->sd[0]);
    for (int j = 1; j <= d->K; j++) {
        printf("  %-20s %.6g ± %.2g, ", d->outcomes[j].name, r->mean[j], r->sd[j]);
        printf("met with probability %.4g (", r->probability[j - 1]);
        print_limits(&d->outcomes[j]);
        printf(")\n");
    }
    printf("feasible with probability %.4g\n", r->probability_feasible);
    if (best)
        printf("best feasible design evaluated: trial %d, %s = %s\n", best->number, d->outcomes[0].name, app_number(app_trial_value(best, 0), number));
    else
        printf("no design evaluated so far was feasible\n");
}

int app_recommend_print(struct app_notebook *n, const ckg_recommend_options *how, int json)
{
    ckg_study *engine;
    ckg_recommendation *r;
    struct app_text line = {0};
    int status = app_notebook_engine(n, &engine);
    if (status)
        return status;
    status = ckg_study_recommend(engine, how, &r);
    if (status)
        return app_notebook_fail(n, status);
    if (json) {
        app_recommendation_write(n, r, &line);
        status = line.failed ? app_fail(n->message, CKG_ERR_NOMEM, "out of memory") : CKG_OK;
        if (!status)
            printf("%s\n", line.data);
        app_text_free(&line);
    } else
        print_text(n, r);
    ckg_recommendation_free(r);
    return status;
}
