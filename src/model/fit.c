/*
 * The posterior density of the hyperparameters and its maximum. The density of what was measured is the
 * likelihood's (likelihood.h), the prior's is here.
 */
#include "model/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "model/gp_private.h"
#include "optim/lbfgs.h"

struct ckg__prior ckg__prior_default(int d)
{
    return (struct ckg__prior){
        .ell_mean = sqrt(2) + 0.5 * ckg__log(d),
        .ell_sd = 1.45,
        .ell_low = ckg__log(0.05),
        .ell_high = ckg__log(10) + 0.5 * ckg__log(d > 2 ? d / 2.0 : 1),
        .noise_mean = -4,
        .noise_sd = 2,
        .noise_low = ckg__log(1e-8),
        .noise_high = ckg__log(10),
        .signal_sd = 1,
        .signal_low = 0,
        .signal_high = 0,
    };
}

struct ckg__prior ckg__prior_exact(int d)
{
    struct ckg__prior prior = ckg__prior_default(d);

    prior.signal_sd = 1.5;
    prior.signal_low = -3;
    prior.signal_high = 7;
    return prior;
}

/* Beside a trend the signal is what the trend leaves: anything from nothing to all. */
struct ckg__prior ckg__prior_beside_trend(int d)
{
    struct ckg__prior prior = ckg__prior_exact(d);

    prior.signal_sd = 4;
    prior.signal_low = -20;
    return prior;
}

struct ckg__prior ckg__prior_flat(void)
{
    return (struct ckg__prior){
        .ell_mean = 0,
        .ell_sd = INFINITY,
        .ell_low = ckg__log(0.01),
        .ell_high = ckg__log(100),
        .noise_mean = 0,
        .noise_sd = INFINITY,
        .noise_low = ckg__log(1e-8),
        .noise_high = ckg__log(10),
        .signal_sd = INFINITY,
        .signal_low = ckg__log(1e-3),
        .signal_high = ckg__log(1e4),
    };
}

/* Z ← the rows of the linear part, which no hyperparameter changes; inv_ell is scratch. */
static int take_linear(struct ckg__fit_work *w, const struct ckg__gp_inputs *in, struct ckg__arena *arena)
{
    const size_t ld = (size_t)w->ld;
    const struct ckg__covariance k = ckg__gp_covariance(in, 1, w->inv_ell);

    w->Z = in->linear ? ckg__arena_doubles(arena, ((size_t)in->n + 1) * ld) : NULL;
    if (in->linear && !w->Z)
        return CKG_ERR_NOMEM;
    for (int c = 0; c < in->D; c++)
        w->inv_ell[c] = 1;
    for (int i = 0; w->Z && i < in->n; i++)
        ckg__covariance_linear_row(&k, i, in->X, in->ldx, w->Z + (size_t)i * ld);
    return CKG_OK;
}

int ckg__fit_work_take(struct ckg__fit_work *w, const struct ckg__fit *fit, struct ckg__arena *arena)
{
    assert(fit->inputs.n >= 0 && fit->inputs.D > 0);

    const size_t n = (size_t)fit->inputs.n + 1;
    const size_t ld = (n + 7) / 8 * 8;
    const size_t D = (size_t)fit->inputs.D;
    const size_t own = (size_t)fit->inputs.series->likelihood->work_numbers;
    w->ld = (int)ld;
    w->warm = 0;
    if (CKG__TAKE(arena, CKG__ROOM(w->A, D * ld), CKG__ROOM(w->L, n * ld), CKG__ROOM(w->G, n * ld),
                  CKG__ROOM(w->beta, n), CKG__ROOM(w->alpha, n), CKG__ROOM(w->ones, n),
                  CKG__ROOM(w->noise, n), CKG__ROOM(w->inv_ell, D),
                  CKG__ROOM(w->slope, D * (n / CKG__GP_ROWS + 1)), CKG__ROOM(w->own, own * n + 1)))
        return CKG_ERR_NOMEM;
    return take_linear(w, &fit->inputs, arena);
}

static double normal_prior(double value, double mean, double sd, double *slope)
{
    if (isinf(sd))
        return 0;
    const double z = (value - mean) / sd;
    *slope -= z / sd;
    return -0.5 * z * z;
}

double ckg__fit_prior(const struct ckg__fit *fit, const double *theta, double *gradient)
{
    const struct ckg__prior *p = &fit->prior;
    const int d = fit->inputs.d;
    double sum = 0;

    for (int k = 0; k < d; k++)
        sum += normal_prior(theta[k], p->ell_mean, p->ell_sd, &gradient[k]);
    if (fit->inputs.series->estimated)
        sum += normal_prior(theta[d], p->noise_mean, p->noise_sd, &gradient[d]);
    if (p->signal_low < p->signal_high)
        sum += normal_prior(theta[d + 1], p->signal_mean, p->signal_sd, &gradient[d + 1]);
    return sum;
}

/* Multiply-adds of a density that nobody shares, and so nobody counts. */
static double uncounted(const struct ckg__gp_inputs *in)
{
    const double n = in->n;

    return in->workers ? 0 : n * n * (n / 2 + 2 * (in->D + CKG__KERNEL_WORK));
}

double ckg__fit_density(const struct ckg__fit *fit, const double *theta, double *gradient,
                        struct ckg__fit_work *w)
{
    assert(w->ld >= fit->inputs.n);

    double unused[CKG_MAX_PARAMETERS + 2] = {0};

    if (ckg__interrupted(fit->inputs.interrupt) ||
        ckg__interrupted_by(fit->inputs.interrupt, uncounted(&fit->inputs)))
        return -INFINITY;
    const double density = fit->inputs.series->likelihood->density(&fit->inputs, theta, gradient, w);
    if (density == -INFINITY)
        return density;
    return density + ckg__fit_prior(fit, theta, gradient ? gradient : unused);
}

/* The box of theta: what the data cannot tell is fixed. */
static void box(const struct ckg__fit *fit, double *lower, double *upper)
{
    const struct ckg__prior *p = &fit->prior;
    const int d = fit->inputs.d;
    const int noisy = fit->inputs.series->estimated;

    for (int k = 0; k < d; k++) {
        lower[k] = p->ell_low;
        upper[k] = p->ell_high;
    }
    lower[d] = noisy ? p->noise_low : p->noise_mean;
    upper[d] = noisy ? p->noise_high : p->noise_mean;
    lower[d + 1] = p->signal_low;
    upper[d + 1] = p->signal_high;
}

void ckg__fit_start(const struct ckg__fit *fit, int start, double *theta)
{
    assert(start >= 0 && start < CKG__FIT_STARTS);

    static const double ell[CKG__FIT_STARTS] = {1.0, 0.25, 3.0, 0.1};
    static const double noise[CKG__FIT_STARTS] = {1e-2, 1e-3, 0.3, 1e-1};
    const int d = fit->inputs.d;
    const double stretch = 0.5 * ckg__log(d > 2 ? d / 2.0 : 1);
    for (int k = 0; k < d; k++)
        theta[k] = ckg__log(ell[start]) + stretch;
    theta[d] = ckg__log(noise[start]);
    theta[d + 1] = fit->prior.signal_mean;
}

int ckg__fit_ascend(const struct ckg__fit *fit, int max_evaluations, double *theta, double *density,
                    struct ckg__arena *arena)
{
    assert(max_evaluations > 0);
    assert(fit->inputs.n <= fit->inputs.series->n);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int dim = fit->inputs.d + 2;
    double lower[CKG_MAX_PARAMETERS + 2];
    double upper[CKG_MAX_PARAMETERS + 2];
    double gradient[CKG_MAX_PARAMETERS + 2];
    const struct ckg__lbfgs_options options = {16, max_evaluations, 0.5, 1e-3, 1e-5};
    struct ckg__fit_work work;

    /* Room for the optimiser and for the density. */
    void *memory = ckg__arena_get(arena, ckg__lbfgs_size(dim, options.memory), 1);
    if (!memory || ckg__fit_work_take(&work, fit, arena))
        return CKG_ERR_NOMEM;

    /* The climb starts from theta and stays in the box. */
    box(fit, lower, upper);
    struct ckg__lbfgs *optimizer = ckg__lbfgs_init(memory, dim, lower, upper, &options);
    ckg__lbfgs_start(optimizer, theta);

    /* Up the density: the optimiser minimises, so it is told the negative. */
    double value;
    do {
        value = -ckg__fit_density(fit, ckg__lbfgs_point(optimizer), gradient, &work);
        for (int k = 0; k < dim; k++)
            gradient[k] = -gradient[k];
    } while (ckg__lbfgs_tell(optimizer, value, gradient));

    /* The best point it has seen. */
    memcpy(theta, ckg__lbfgs_best(optimizer, &value), (size_t)dim * sizeof *theta);
    *density = -value;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/*
 * One step along coordinate k (Neal 2003): step out by 1, shrink towards the present point. Returns the
 * density there.
 */
static double slice_step(const struct ckg__fit *fit, struct ckg__rng *rng, int k, double low, double high,
                         double density, double *theta, struct ckg__fit_work *work)
{
    assert(low < high && theta[k] >= low && theta[k] <= high);

    const double here = theta[k];
    const double level = density + ckg__log(ckg__rng_uniform(rng));
    double left = here - ckg__rng_uniform(rng);
    double right = left + 1;
    enum { MAX_OUT = 8, MAX_SHRINK = 40 };

    /* Out to both sides until the density has fallen below the level. */
    for (int i = 0; i < MAX_OUT && left > low; i++, left -= 1) {
        theta[k] = left;
        if (ckg__fit_density(fit, theta, NULL, work) <= level)
            break;
    }
    for (int i = 0; i < MAX_OUT && right < high; i++, right += 1) {
        theta[k] = right;
        if (ckg__fit_density(fit, theta, NULL, work) <= level)
            break;
    }

    /* Points between them; one that is too low draws its side in. */
    left = left > low ? left : low;
    right = right < high ? right : high;
    for (int i = 0; i < MAX_SHRINK; i++) {
        theta[k] = left + (right - left) * ckg__rng_uniform(rng);
        const double value = ckg__fit_density(fit, theta, NULL, work);
        if (value > level)
            return value;
        if (theta[k] < here)
            left = theta[k];
        else
            right = theta[k];
    }
    theta[k] = here;
    return density;
}

int ckg__fit_sample(const struct ckg__fit *fit, struct ckg__rng *rng, int burn, int count, int thin,
                    double *theta, double *samples, struct ckg__arena *arena)
{
    assert(burn >= 0 && count >= 0 && thin > 0);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int dim = fit->inputs.d + 2;
    double lower[CKG_MAX_PARAMETERS + 2];
    double upper[CKG_MAX_PARAMETERS + 2];
    struct ckg__fit_work work;
    if (ckg__fit_work_take(&work, fit, arena))
        return CKG_ERR_NOMEM;
    box(fit, lower, upper);
    double density = ckg__fit_density(fit, theta, NULL, &work);
    for (int sweep = 1, taken = 0; taken < count; sweep++) {
        for (int k = 0; k < dim; k++)
            if (lower[k] < upper[k])
                density = slice_step(fit, rng, k, lower[k], upper[k], density, theta, &work);
        if (sweep > burn && (sweep - burn) % thin == 0)
            memcpy(samples + (size_t)taken++ * (size_t)dim, theta, (size_t)dim * sizeof *theta);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}
