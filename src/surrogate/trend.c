/*
 * Whether an outcome has a linear part beside its kernel (model/covariance.h): with or without, whichever
 * reaches the larger density. The present one stands where it was climbed to, the other climbs from there. A
 * linear constraint is known after d + 1 evaluations then, where a kernel alone would take curvature into
 * account for ever.
 *
 * Exact values alone can tell: under noise the signal is as large as the values are.
 */
#include <math.h>

#include "base/maths.h"
#include "surrogate/stages.h"

enum { FEWEST = 8, ALWAYS = 20, OFTEN = 4, EVALUATIONS = 20 };

/* The other one must gain so much log density: a difference within chance changes nothing. */
static const double gain = 1;

/* Where the signal starts when it becomes what a trend leaves, and the least that it starts from without. */
static const double signal_beside = -9;
static const double signal_alone = 0;

struct trends {
    struct ckg__models *models;
    int outcome;
    int present;
    int status[2];
    struct ckg__fitted fitted[2]; /* without, with */
    double density[2];
};

/* The density of the present one where it stands, and of the other one after a climb. */
static int weigh(const struct ckg__fit *fit, int present, double *theta, double *density,
                 struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__fit_work work;
    int status = CKG_OK;

    if (present) {
        status = ckg__fit_work_take(&work, fit, arena);
        *density = status ? 0 : ckg__fit_density(fit, theta, NULL, &work);
    } else {
        status = ckg__fit_climb(fit, EVALUATIONS, theta, density, arena);
    }
    *density -= ckg__log(fit->prior.signal_sd); /* the one thing in which their priors differ */
    ckg__arena_release(arena, mark);
    return status;
}

static void trend_task(void *context, int index, int worker)
{
    struct trends *t = context;
    const struct ckg__models *models = t->models;
    const struct ckg__series *series = &models->surrogate[t->outcome].series;
    struct ckg__fit fit = ckg__models_fit(models, &t->fitted[index], series, models->X[t->outcome]);
    struct ckg__team team;

    ckg__models_share(models, worker, &team, &fit);
    t->status[index] = weigh(&fit, index == t->present, t->fitted[index].theta, &t->density[index],
                             &models->arena[worker]);
}

/* 1 when the outcome's series can tell, and it is time to ask it. */
static int may_choose(const struct ckg__models *models, const struct ckg__series *series)
{
    const int due = series->n <= ALWAYS || series->n % OFTEN == 0;
    const int transformed = models->lead && !models->lead_sides;

    return ckg__series_exact(series) && due && !transformed && series->n >= FEWEST &&
           models->method != CKG__FIT_ML;
}

int ckg__choose_trend(struct ckg__models *models, int j)
{
    struct ckg__surrogate *surrogate = &models->surrogate[j];
    const int signal = models->data->problem->d + 1;
    struct trends t = {.models = models, .outcome = j, .present = surrogate->fitted.linear};

    if (!may_choose(models, &surrogate->series))
        return CKG_OK;

    /* Both from where the present one stands, the other with a signal of its own size. */
    for (int linear = 0; linear < 2; linear++) {
        t.fitted[linear] = surrogate->fitted;
        t.fitted[linear].linear = linear;
    }
    if (t.present)
        t.fitted[0].theta[signal] = fmax(t.fitted[0].theta[signal], signal_alone);
    else
        t.fitted[1].theta[signal] = signal_beside;
    const int status = ckg__models_run(models, 2, trend_task, &t, t.status);

    /* The present one stays unless the other is clearly better. */
    if (!status && t.density[!t.present] > t.density[t.present] + gain)
        surrogate->fitted = t.fitted[!t.present];
    return status;
}
