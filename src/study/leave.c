/*
 * How well the models predict what was measured: each design from all the others (model/leave_one_out.c),
 * averaged over the hyperparameter samples, in the user's units. Cost n³/3 for each sample.
 */
#include <math.h>

#include "base/error.h"
#include "base/maths.h"
#include "model/leave_one_out.h"
#include "study/study.h"

/* Of one row, in model units: the mixture over the samples as sums. */
struct row {
    double first, second, within, noise;
};

static int sum_samples(ckg_study *s, const struct ckg__surrogate *model, struct row *rows)
{
    const size_t n = (size_t)model->series.n;
    double *mean, *var;
    const double *relative = model->series.relative;

    if (CKG__TAKE(&s->results, CKG__ROOM(mean, n + 1), CKG__ROOM(var, n + 1)))
        return CKG_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct row){0};
    for (int k = 0; k < model->samples; k++) {
        const struct ckg__gp *gp = model->gp[k];
        const struct ckg__workers workers = {s->pool, 0, s->arena, NULL};
        const int status = ckg__gp_leave_out(gp, &model->series, ckg__gp_workers(gp, &workers), &s->results,
                                             mean, var);
        const double noise = ckg__gp_describe(gp).noise;
        if (status)
            return status;
        for (size_t i = 0; i < n; i++) {
            rows[i].first += mean[i] / model->samples;
            rows[i].second += mean[i] * mean[i] / model->samples;
            rows[i].within += var[i] / model->samples;
            rows[i].noise += noise * (relative ? relative[i] : 1) / model->samples;
        }
    }
    return CKG_OK;
}

/* The noise variance of one value, in model units; `estimated` where the problem leaves it to the model. */
static double value_noise(const ckg_study *s, const struct ckg__scaling *scaling, const ckg_measurement *m,
                          double estimated)
{
    const struct ckg__outcome *o = &s->problem->outcome[m->outcome];
    if (ckg__data_exact(&s->data, m))
        return 0;
    if (m->sd == CKG_SD_DEFAULT && ckg__noise_estimated(o))
        return estimated;
    const double sd = (m->sd == CKG_SD_DEFAULT ? o->noise_sd : m->sd) *
                      ckg__exp(ckg__scaling_log_slope(scaling, m->value));
    return sd * sd;
}

static int find_row(const struct ckg__series *series, int design)
{
    int low = 0;
    int high = series->n - 1;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (series->design[middle] < design)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* 1 when the process saw the design: of very many it sees some (surrogate/select.c). */
static int has_row(const struct ckg__series *series, int design)
{
    return series->design[find_row(series, design)] == design;
}

struct outputs {
    double *mean, *sd, *measured_sd;
};

static void put(const struct outputs *out, int t, double mean, double sd, double measured_sd)
{
    if (out->mean)
        out->mean[t] = mean;
    if (out->sd)
        out->sd[t] = sd;
    if (out->measured_sd)
        out->measured_sd[t] = measured_sd;
}

/* Outcome j in trial t, where its process got the value m. */
static void describe_trial(const ckg_study *s, int j, const struct row *rows, int t, const ckg_measurement *m,
                           const struct outputs *out)
{
    const struct ckg__surrogate *model = ckg__surrogates_of(&s->models, j);
    const struct row *row = &rows[find_row(&model->series, s->data.trial[t].design)];
    const double between = model->samples > 1 ? fmax(row->second - row->first * row->first, 0) : 0;
    const double var = row->within + between;
    double mean, sd, ignored, measured_sd;

    ckg__surrogates_moments(&s->models, j, row->first, sqrt(var), &mean, &sd);
    ckg__surrogates_moments(&s->models, j, row->first,
                            sqrt(var + value_noise(s, &model->scaling, m, row->noise)), &ignored,
                            &measured_sd);
    put(out, t, mean, sd, measured_sd);
}

/* 1 when a design can be predicted from another; the rows are in the order of their designs. */
static int several_designs(const struct ckg__series *series)
{
    return series->n > 0 && series->design[0] != series->design[series->n - 1];
}

/* What trial t measured of outcome j; NULL: nothing. */
static const ckg_measurement *measured(const ckg_study *s, int t, int j)
{
    const struct ckg__trial *trial = &s->data.trial[t];

    for (int i = 0; i < trial->count; i++)
        if (trial->measured[i].outcome == j)
            return &trial->measured[i];
    return NULL;
}

static void describe_trials(const ckg_study *s, int outcome, const struct row *rows,
                            const struct outputs *out)
{
    const struct ckg__surrogate *model = ckg__surrogates_of(&s->models, outcome);
    const int of = (int)(model - s->models.surrogate);
    const int others = several_designs(&model->series);

    for (int t = 0; t < s->data.trials; t++) {
        const ckg_measurement *m = measured(s, t, of);
        put(out, t, NAN, NAN, NAN);
        if (others && m && measured(s, t, outcome) && has_row(&model->series, s->data.trial[t].design))
            describe_trial(s, outcome, rows, t, m, out);
    }
}

int ckg_study_leave_one_out(ckg_study *s, int outcome, double *mean, double *sd, double *measured_sd)
{
    ckg__error_clear();
    if (!s)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_leave_one_out: study is NULL");
    if (outcome < 0 || outcome >= s->problem->outcomes)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", outcome);
    const struct outputs out = {mean, sd, measured_sd};
    ckg__interrupt_begin(&s->interrupt, 0);
    int status = ckg__surrogates_update(&s->models, s->revision, 0);
    const struct ckg__surrogate *model = ckg__surrogates_of(&s->models, outcome);
    struct row *rows = status ? NULL : ckg__arena_get(&s->results, (size_t)model->series.n + 1, sizeof *rows);
    if (!status)
        status = rows ? sum_samples(s, model, rows) : CKG_ERR_NOMEM;
    if (!status)
        describe_trials(s, outcome, rows, &out);
    return ckg__study_end_search(s, status);
}
