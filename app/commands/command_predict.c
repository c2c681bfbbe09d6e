/* ckg predict: what the models say of given designs. */
#include <stdlib.h>

#include "command.h"
#include "api/shapes.h"
#include "base/pool.h"
#include "present/model_text.h"
#include "actions/action_import.h"

static const struct app_option options[] = {
    {"at", 0, "FILE", "the designs: CSV with a header, or one JSON object per line; - for standard input", 1},
    {0},
};

/* The designs of the file, and what is predicted of each. */
struct predictions {
    struct app_pool pool; /* of all but X */
    int count;
    double *X;                     /* (count × d) */
    double *mean, *sd, *noise_sd;  /* (count × (1 + K)) */
    double *probability, *utility; /* (count) */
};

static int predict(struct app_study *n, struct predictions *p)
{
    const size_t count = (size_t)p->count;
    const size_t outcomes = (size_t)app_constraints(&n->definition) + 1;
    double **const each[] = {&p->mean, &p->sd, &p->noise_sd, &p->probability, &p->utility};
    ckg_study *engine;

    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        *each[i] = app_pool_new(&p->pool, count * outcomes, sizeof **each[i]);
        if (!*each[i])
            return app_no_memory(n->message);
    }

    int status = app_study_engine(n, &engine);
    if (status)
        return status;
    status = ckg_study_predict(engine, p->count, p->X, p->mean, p->sd, p->probability, p->utility);
    if (!status)
        status = ckg_study_predict_noise(engine, p->count, p->X, p->noise_sd);
    return status ? app_study_fail(n, status) : CKG_OK;
}

static int print(const struct app_arguments *a, const struct app_definition *d, const struct predictions *p)
{
    const size_t outcomes = (size_t)app_constraints(d) + 1;
    int status = CKG_OK;

    for (size_t i = 0; !status && i < (size_t)p->count; i++) {
        const struct app_prediction one = {p->X + i * (size_t)app_dimension(d),
                                           p->mean + i * outcomes,
                                           p->sd + i * outcomes,
                                           p->probability[i],
                                           p->utility[i],
                                           p->noise_sd + i * outcomes};
        struct app_text line = {0};
        (a->json ? app_prediction_write : app_prediction_text)(d, &one, &line);
        status = app_print(a, &line);
    }
    return status;
}

static int run(const struct app_arguments *a, struct app_study *n)
{
    struct predictions p = {0};
    int status = app_points_read(&n->definition, app_option(a, "at"), &p.X, &p.count, n->message);

    if (!status && p.count)
        status = predict(n, &p);
    if (!status)
        status = print(a, &n->definition, &p);
    free(p.X);
    app_pool_free(&p.pool);
    return status;
}

const struct app_work app_command_predict = {
    .usage = "STUDY --at FILE",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .run_study = run,
};
