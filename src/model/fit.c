/*
 * The posterior density of the hyperparameters and its maximum.
 *
 * With theta = (log ℓ, log σ², log s²), K = s²(κ + nugget·I) + Σ and α = K⁻¹(y − m):
 *     ∂/∂log ℓ_k = Σ_{j<i} (α_i α_j − K⁻¹_ij) ∂K_ij/∂log ℓ_k
 *     ∂/∂log σ²  = ½ Σ_i (α_i² − K⁻¹_ii) Σ_ii − ½ extra + within/(2σ²)
 *     ∂/∂log s²  = ½ (αᵀ(y − m) − n − Σ_i (α_i² − K⁻¹_ii) Σ_ii)
 * The mean m maximises the density for each theta, so its own derivative does not enter. Cost about n³ per
 * gradient.
 */
#include "model/fit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "optim/lbfgs.h"

struct ckg__prior ckg__prior_default(int d)
{
    return (struct ckg__prior){
        .ell_mean = sqrt(2) + 0.5 * log(d),
        .ell_sd = 1.45,
        .ell_low = log(0.05),
        .ell_high = log(10) + 0.5 * log(d > 2 ? d / 2.0 : 1),
        .noise_mean = -4,
        .noise_sd = 2,
        .noise_low = log(1e-8),
        .noise_high = log(10),
        .signal_sd = 1,
        .signal_low = 0,
        .signal_high = 0,
    };
}

struct ckg__prior ckg__prior_flat(void)
{
    return (struct ckg__prior){
        .ell_mean = 0,
        .ell_sd = INFINITY,
        .ell_low = log(0.01),
        .ell_high = log(100),
        .noise_mean = 0,
        .noise_sd = INFINITY,
        .noise_low = log(1e-8),
        .noise_high = log(10),
        .signal_sd = INFINITY,
        .signal_low = log(1e-3),
        .signal_high = log(1e4),
    };
}

int ckg__fit_work_take(struct ckg__fit_work *w, const struct ckg__fit *fit, struct ckg__arena *arena)
{
    const size_t n = (size_t)fit->inputs.n + 1, ld = (n + 7) / 8 * 8, D = (size_t)fit->inputs.D;
    w->ld = (int)ld;
    w->A = ckg__arena_doubles(arena, D * ld);
    w->L = ckg__arena_doubles(arena, n * ld);
    w->G = ckg__arena_doubles(arena, n * ld);
    w->beta = ckg__arena_doubles(arena, n);
    w->alpha = ckg__arena_doubles(arena, n);
    w->ones = ckg__arena_doubles(arena, n);
    w->inv_ell = ckg__arena_doubles(arena, D);
    w->slope = ckg__arena_doubles(arena, D * ((size_t)fit->inputs.n / CKG__GP_ROWS + 1));
    return w->A && w->L && w->G && w->beta && w->alpha && w->ones && w->inv_ell && w->slope ? CKG_OK
                                                                                            : CKG_ERR_NOMEM;
}

static double normal_prior(double value, double mean, double sd, double *slope)
{
    if (isinf(sd))
        return 0;
    const double z = (value - mean) / sd;
    *slope -= z / sd;
    return -0.5 * z * z;
}

/* The prior's log density; its slopes are added to gradient (d+2). */
static double prior_density(const struct ckg__fit *fit, const double *theta, double *gradient)
{
    const struct ckg__prior *p = &fit->prior;
    const int d = fit->inputs.d;
    double sum = 0;
    for (int k = 0; k < d; k++)
        sum += normal_prior(theta[k], p->ell_mean, p->ell_sd, &gradient[k]);
    if (fit->inputs.series->estimated)
        sum += normal_prior(theta[d], p->noise_mean, p->noise_sd, &gradient[d]);
    if (p->signal_low < p->signal_high)
        sum += normal_prior(theta[d + 1], 0, p->signal_sd, &gradient[d + 1]);
    return sum;
}

struct slope_rows {
    const struct ckg__gp_inputs *in;
    double s2;
    struct ckg__fit_work *work;
};

/* The share of some rows in the derivatives in log ℓ. */
static void slope_task(void *context, int index, int worker)
{
    const struct slope_rows *r = context;
    const struct ckg__fit_work *w = r->work;
    const int n = r->in->n, first = index * CKG__GP_ROWS,
              end = first + CKG__GP_ROWS < n ? first + CKG__GP_ROWS : n;
    (void)worker;
    ckg__kernels()->slopes(r->in->kernel, r->in->D, first, end, w->A, w->ld, r->s2, w->G, w->ld);
    ckg__kernels()->lengthscale_gradient(r->in->D, first, end, w->A, w->ld, w->alpha, w->L, w->ld, w->G,
                                         w->ld, w->slope + index * r->in->D);
}

/*
 * Gradient of the likelihood into gradient (d+2), which is cleared first; needs w->L the factor and w->beta.
 */
static void likelihood_gradient(const struct ckg__fit *fit, double s2, double noise, double mean,
                                double *gradient, struct ckg__fit_work *w)
{
    const struct ckg__gp_inputs *in = &fit->inputs;
    const int n = in->n, d = in->d;
    memset(gradient, 0, ((size_t)d + 2) * sizeof *gradient);
    memcpy(w->alpha, w->beta, (size_t)n * sizeof *w->alpha);
    ckg__dense()->solve_lower_transposed(n, 1, w->L, w->ld, w->alpha, 1);
    ckg__dense()->inverse_from_cholesky(n, w->L, w->ld, in->team);

    double noise_term = 0, all_noise = 0, quadratic = 0;
    for (int i = 0; i < n; i++) {
        const double excess = w->alpha[i] * w->alpha[i] - w->L[(size_t)i * (size_t)w->ld + (size_t)i];
        const double row = ckg__gp_row_noise(in->series, i, noise);
        all_noise += excess * row;
        noise_term += in->series->known[i] < 0 ? excess * row : 0;
        quadratic += w->alpha[i] * (in->series->y[i] - mean);
    }
    gradient[d] = 0.5 * noise_term;
    if (in->series->extra > 0)
        gradient[d] += 0.5 * (in->series->within / noise - in->series->extra);
    gradient[d + 1] = 0.5 * (quadratic - n - all_noise);

    struct slope_rows rows = {in, s2, w};
    const int chunks = (n + CKG__GP_ROWS - 1) / CKG__GP_ROWS;
    ckg__team_run(in->team, chunks, slope_task, &rows);
    for (int c = 0; c < chunks; c++)
        for (int k = 0; k < in->D; k++)
            gradient[in->group[k]] += w->slope[c * in->D + k];
}

double ckg__fit_density(const struct ckg__fit *fit, const double *theta, double *gradient,
                        struct ckg__fit_work *w)
{
    const struct ckg__gp_inputs *in = &fit->inputs;
    const double s2 = exp(theta[in->d + 1]), noise = exp(theta[in->d]);
    double nugget, density;
    if (ckg__interrupted(fit->interrupt))
        return -INFINITY;
    ckg__gp_scale(in, theta, w->inv_ell, w->A, w->ld);
    if (ckg__gp_factor(in, s2, noise, w->A, w->ld, w->L, w->ld, &nugget))
        return -INFINITY;
    const double mean = ckg__gp_center(in, noise, w->L, w->ld, w->beta, w->ones, &density);
    double unused[CKG_MAX_PARAMETERS + 2] = {0};
    if (gradient)
        likelihood_gradient(fit, s2, noise, mean, gradient, w);
    return density + prior_density(fit, theta, gradient ? gradient : unused);
}

/* The box of theta: what the data cannot tell is fixed. */
static void box(const struct ckg__fit *fit, double *lower, double *upper)
{
    const struct ckg__prior *p = &fit->prior;
    const int d = fit->inputs.d, noisy = fit->inputs.series->estimated;
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
    static const double ell[CKG__FIT_STARTS] = {1.0, 0.25, 3.0, 0.1},
                        noise[CKG__FIT_STARTS] = {1e-2, 1e-3, 0.3, 1e-1};
    const int d = fit->inputs.d;
    const double stretch = 0.5 * log(d > 2 ? d / 2.0 : 1);
    for (int k = 0; k < d; k++)
        theta[k] = log(ell[start]) + stretch;
    theta[d] = log(noise[start]);
    theta[d + 1] = 0;
}

int ckg__fit_climb(const struct ckg__fit *fit, int max_evaluations, double *theta, double *density,
                   struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int dim = fit->inputs.d + 2;
    double lower[CKG_MAX_PARAMETERS + 2], upper[CKG_MAX_PARAMETERS + 2], gradient[CKG_MAX_PARAMETERS + 2];
    const struct ckg__lbfgs_options options = {16, max_evaluations, 0.5, 1e-3, 1e-5};
    struct ckg__fit_work work;
    void *memory = ckg__arena_get(arena, ckg__lbfgs_size(dim, options.memory), 1);
    if (!memory || ckg__fit_work_take(&work, fit, arena))
        return CKG_ERR_NOMEM;
    box(fit, lower, upper);
    struct ckg__lbfgs *optimizer = ckg__lbfgs_init(memory, dim, lower, upper, &options);
    ckg__lbfgs_start(optimizer, theta);
    double value;
    do {
        value = -ckg__fit_density(fit, ckg__lbfgs_point(optimizer), gradient, &work);
        for (int k = 0; k < dim; k++)
            gradient[k] = -gradient[k];
    } while (ckg__lbfgs_tell(optimizer, value, gradient));
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
    const double here = theta[k], level = density + log(ckg__rng_uniform(rng));
    double left = here - ckg__rng_uniform(rng), right = left + 1;
    enum { MAX_OUT = 8, MAX_SHRINK = 40 };
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
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int dim = fit->inputs.d + 2;
    double lower[CKG_MAX_PARAMETERS + 2], upper[CKG_MAX_PARAMETERS + 2];
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
