/*
 * The form of an outcome's model, by the density that its hyperparameters reach: the scale of its values, its
 * kernel, a linear part beside the kernel. The choices there are climb from the present hyperparameters, a
 * task for each, and the present one stays unless another is better by more than chance.
 *
 * The scale: as it is; where a heavy tail asks for it, without its farthest values or warped by asinh; or by
 * the logarithm where all values have one sign and range over decades.
 *
 * The kernel: how smooth the outcome is. All have the same priors and see the same series.
 *
 * A linear part (model/covariance.h): a linear constraint is known after d + 1 evaluations then, where a
 * kernel alone would take curvature into account for ever. Exact values alone can tell: under noise the
 * signal is as large as the values are.
 */
#include <math.h>

#include "base/maths.h"
#include "surrogate/stages.h"

enum { FEWEST = 8, EVALUATIONS = 20, SCALES = 9 };

struct contest {
    struct ckg__surrogates *models;
    int outcome;
    int trials; /* 0: of the series as it is laid out; else each form lays out its own of so many trials */
    int stands; /* the form that has been climbed to already; −1: none */
    int count;
    int status[SCALES];
    struct ckg__fitted fitted[SCALES]; /* where each begins, and its optimum */
    double density[SCALES];
};

_Static_assert((int)CKG__KERNELS <= (int)SCALES, "room for every kernel");

/* The density of one form where it stands, or after a climb. */
static int weigh(const struct contest *c, int index, const struct ckg__fit *fit, double *theta,
                 double *density, struct ckg__arena *arena)
{
    struct ckg__fit_work work;

    if (index != c->stands)
        return ckg__fit_ascend(fit, EVALUATIONS, theta, density, arena);
    if (ckg__fit_work_take(&work, fit, arena))
        return CKG_ERR_NOMEM;
    *density = ckg__fit_density(fit, theta, NULL, &work);
    return CKG_OK;
}

static void form_task(void *context, int index, int worker)
{
    struct contest *c = context;
    const struct ckg__surrogates *models = c->models;
    struct ckg__fitted *fitted = &c->fitted[index];
    struct ckg__arena *arena = &models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__layout layout = {c->outcome, c->trials, CKG__MOST_FITTED, fitted};
    struct ckg__series series = models->surrogate[c->outcome].series;
    double *X = models->X[c->outcome];
    struct ckg__scaling scaling;
    struct ckg__workers workers;
    int status = CKG_OK;

    if (c->trials)
        status = ckg__lay_out(models, &layout, arena, &scaling, &series, &X);
    if (!status) {
        const struct ckg__fit fit = ckg__surrogates_fit(models, fitted, &series, X, worker, &workers);
        status = weigh(c, index, &fit, fitted->theta, &c->density[index], arena);
    }

    /* Values on different scales are compared in their own unit. */
    if (!status && c->trials)
        c->density[index] += series.jacobian;
    c->status[index] = status;
    ckg__arena_release(arena, mark);
}

static int run(struct contest *c)
{
    return ckg__surrogates_run(c->models, c->count, form_task, c, c->status);
}

/* The best one: the present one, unless another gains so much; a logarithm must gain as much on any other. */
static int best_of(const struct contest *c, int present, double gain)
{
    int best = present;

    for (int i = 0; i < c->count; i++) {
        const int becomes_logarithm = c->fitted[i].warp == CKG__LOGARITHM &&
                                      c->fitted[present].warp != CKG__LOGARITHM;
        if (c->density[i] > c->density[best] + (best == present || becomes_logarithm ? gain : 0))
            best = i;
    }
    return best;
}

/* --- the scale --- */

/* An asinh is tried from this deviation in interquartile ranges on; another scale must gain so much. */
static const double warp_tail = 3;
static const double scale_gain = 3;

/* As it is; so, but with nothing absurd, and stricter about what is; warped. */
static const struct scale {
    double warp;
    int strict;
} scales[SCALES] = {{0, 0}, {0, -1}, {0, 1},  {0.1, 0},           {0.3, 0},
                    {1, 0}, {3, 0},  {10, 0}, {CKG__LOGARITHM, 0}};

static int is_on(const struct ckg__fitted *fitted, const struct scale *scale)
{
    return fitted->warp == scale->warp && fitted->strict == scale->strict;
}

/* Which scales are worth a fit; the present one, or none at all where its reason is gone, comes first. */
static int list_scales(struct contest *c)
{
    const struct ckg__surrogates *models = c->models;
    const struct ckg__fitted *present = &models->surrogate[c->outcome].fitted;
    struct ckg__series_source source = {c->outcome, 0, c->trials, 0, NULL};
    struct ckg__arena *arena = &c->models->own;
    double tail;
    int decades;

    /* What the values ask for. */
    if (ckg__select(models->data, c->outcome, c->trials, CKG__MOST_FITTED, arena, &source.seen) ||
        ckg__series_shape(models->data, &source, arena, &tail, &decades))
        return CKG_ERR_NOMEM;

    /* The present scale first, then the others. */
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < SCALES; i++) {
            const int wanted = i == 0 || (scales[i].warp >= 0 ? tail >= warp_tail : decades);
            if (wanted && turn != is_on(present, &scales[i])) {
                c->fitted[c->count] = *present;
                c->fitted[c->count].warp = scales[i].warp;
                c->fitted[c->count++].strict = scales[i].strict;
            }
        }
    return CKG_OK;
}

int ckg__choose_warp(struct ckg__surrogates *models, int j, int trials)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    struct contest c = {.models = models, .outcome = j, .trials = trials, .stands = -1};

    if (s->series.n < FEWEST || ckg__is_positive(models->data->problem, j))
        return CKG_OK;
    int status = list_scales(&c);

    /* Nothing to choose, nothing to fit. */
    if (status || (c.count == 1 && is_on(&s->fitted, &scales[0])))
        return status;
    status = run(&c);
    if (status)
        return status;

    /* On the same scale nothing changes: what else was tried leaves no trace. */
    const struct ckg__fitted *chosen = &c.fitted[best_of(&c, 0, scale_gain)];
    if (chosen->warp != s->fitted.warp || chosen->strict != s->fitted.strict)
        s->fitted = *chosen;
    return CKG_OK;
}

/* --- the kernel --- */

/* Under noise chance is larger, and a rougher kernel takes noise for signal. */
static const double kernel_gain_exact = 1;
static const double kernel_gain_noisy = 10;

int ckg__choose_kernel(struct ckg__surrogates *models, int j)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    struct contest c = {.models = models, .outcome = j, .stands = -1, .count = CKG__KERNELS};
    const int noisy = s->series.estimated || s->series.typical_known > 0;

    if (s->series.n < FEWEST)
        return CKG_OK;

    /* Each kernel gets the same chance. */
    for (int k = 0; k < CKG__KERNELS; k++) {
        c.fitted[k] = s->fitted;
        c.fitted[k].kernel = (enum ckg__kernel)k;
    }
    const int status = run(&c);
    if (!status)
        s->fitted =
            c.fitted[best_of(&c, (int)s->fitted.kernel, noisy ? kernel_gain_noisy : kernel_gain_exact)];
    return status;
}

/* --- the linear part --- */

enum { ALWAYS = 20, OFTEN = 4 };
static const double trend_gain = 1;

/* Where the signal starts when it becomes what a trend leaves, and the least that it starts from without. */
static const double signal_beside = -9;
static const double signal_alone = 0;

/* 1 when the outcome's series can tell, and it is time to ask it. */
static int may_have_trend(const struct ckg__surrogates *models, const struct ckg__series *series)
{
    const int due = series->n <= ALWAYS || series->n % OFTEN == 0;
    const int transformed = models->lead && !models->lead_sides;

    return ckg__series_exact(series) && due && !transformed && series->n >= FEWEST &&
           models->method != CKG__FIT_ML;
}

int ckg__choose_trend(struct ckg__surrogates *models, int j)
{
    struct ckg__surrogate *s = &models->surrogate[j];
    const int present = s->fitted.linear;
    const int signal = models->data->problem->d + 1;
    struct contest c = {.models = models, .outcome = j, .stands = present, .count = 2};

    if (!may_have_trend(models, &s->series))
        return CKG_OK;

    /* Without and with: both from where the present one stands, the other with a signal of its own size. */
    for (int linear = 0; linear < 2; linear++) {
        c.fitted[linear] = s->fitted;
        c.fitted[linear].linear = linear;
    }
    if (present)
        c.fitted[0].theta[signal] = fmax(c.fitted[0].theta[signal], signal_alone);
    else
        c.fitted[1].theta[signal] = signal_beside;
    const int status = run(&c);
    if (status)
        return status;

    /* The one thing in which their priors differ. */
    for (int linear = 0; linear < 2; linear++) {
        const struct ckg__fit fit = ckg__surrogates_fit(models, &c.fitted[linear], &s->series, NULL, 0, NULL);
        c.density[linear] -= ckg__log(fit.prior.signal_sd);
    }
    s->fitted = c.fitted[best_of(&c, present, trend_gain)];
    return CKG_OK;
}
