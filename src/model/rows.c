/*
 * Normal measurements y with the diagonal of noise Σ. With K = s²κ + T + nugget, Q = (K + Σ)⁻¹ and
 * α = Q(y − m):
 *     ∂/∂log ℓ_k = Σ_{j<i} (α_i α_j − Q_ij) ∂K_ij/∂log ℓ_k
 *     ∂/∂log s²  = ½ (αᵀ(y − m) − n − Σ_i (α_i² − Q_ii) Σ_ii − Σ_ij (α_i α_j − Q_ij) T_ij)
 * The mean m maximises the density for each theta, so its own derivative does not enter. Reference: Rasmussen
 * and Williams, Gaussian Processes for Machine Learning, section 5.4.1.
 */
#include "model/rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/dense.h"
#include "model/gp_private.h"

static const double log_two_pi = 1.83787706640934548356;

double ckg__rows_centre(int n, const double *y, double precision, const double *L, int ldl, double *beta,
                        double *ones, double *density)
{
    assert(ldl >= n && precision >= 0);

    const struct ckg__dense_ops *dense = ckg__dense();
    double mean = 0;
    double penalty = 0;
    double log_det = 0;

    /* The values whitened as if the mean were 0. */
    memcpy(beta, y, (size_t)n * sizeof *beta);
    dense->solve_lower(n, 1, L, ldl, beta, 1);

    /* The best mean, and what it takes off them. */
    if (isfinite(precision)) {
        for (int i = 0; i < n; i++)
            ones[i] = 1;
        dense->solve_lower(n, 1, L, ldl, ones, 1);
        const double known = dense->dot(n, ones, ones) + precision;
        /* neither data nor prior: any mean is as good */
        mean = known > 0 ? dense->dot(n, ones, beta) / known : 0;
        penalty = mean * mean * precision;
        for (int i = 0; i < n; i++)
            beta[i] -= mean * ones[i];
    }

    /* The density. */
    for (int i = 0; i < n; i++)
        log_det += ckg__log(L[(size_t)i * (size_t)ldl + (size_t)i]);
    *density = -0.5 * (dense->dot(n, beta, beta) + penalty) - log_det - 0.5 * n * log_two_pi;
    return mean;
}

struct slope_rows {
    const struct ckg__gp_inputs *in;
    const struct ckg__covariance *k;
    struct ckg__fit_work *work;
};

/* The share of some rows in the derivatives in log ℓ. */
static void slope_task(void *context, int index, int worker)
{
    const struct slope_rows *r = context;
    const struct ckg__fit_work *w = r->work;
    const int n = r->in->n;
    const int first = index * CKG__GP_ROWS;
    const int end = first + CKG__GP_ROWS < n ? first + CKG__GP_ROWS : n;

    (void)worker;
    ckg__kernels()->slopes(r->in->kernel, r->in->D, first, end, w->A, w->ld, r->k->s2, w->G, w->ld);
    ckg__kernels()->lengthscale_gradient(r->in->D, first, end, w->A, w->ld, w->alpha, w->L, w->ld, w->G,
                                         w->ld, w->slope + index * r->in->D);
}

/* What is not the signal's in the slope in log s²: the linear part, and the nugget that goes with it. */
static double linear_share(const struct ckg__gp_inputs *in, const struct ckg__covariance *k, double nugget,
                           struct ckg__fit_work *w)
{
    const double beside = (ckg__covariance_unit(k) - k->s2) * nugget;
    double share = 0;

    for (int i = 0; k->linear > 0 && i < in->n; i++) {
        const double *q = w->L + (size_t)i * (size_t)w->ld;
        const double *z = w->Z + (size_t)i * (size_t)w->ld;
        for (int j = 0; j < i; j++)
            share += 2 * (w->alpha[i] * w->alpha[j] - q[j]) * z[j];
        share += (w->alpha[i] * w->alpha[i] - q[i]) * (z[i] + beside);
    }
    return share;
}

int ckg__rows_slopes(const struct ckg__gp_inputs *in, const struct ckg__covariance *k, double nugget,
                     const double *y, double mean, double *gradient, struct ckg__fit_work *w)
{
    const int n = in->n;
    const int d = in->d;
    double noise = 0;
    double quadratic = 0;

    /* The signal. */
    memset(gradient, 0, ((size_t)d + 2) * sizeof *gradient);
    for (int i = 0; i < n; i++) {
        const double excess = w->alpha[i] * w->alpha[i] - w->L[(size_t)i * (size_t)w->ld + (size_t)i];
        noise += excess * w->noise[i];
        quadratic += w->alpha[i] * (y[i] - mean);
    }
    gradient[d + 1] = 0.5 * (quadratic - n - noise - linear_share(in, k, nugget, w));

    /* Length-scales, rows shared out; the inverse is spoilt. */
    struct slope_rows rows = {in, k, w};
    const int chunks = (n + CKG__GP_ROWS - 1) / CKG__GP_ROWS;
    if (ckg__workers_run(in->workers, chunks, 2.0 * CKG__GP_ROWS * n * (in->D + CKG__KERNEL_WORK), slope_task,
                         &rows))
        return -1;
    for (int c = 0; c < chunks; c++)
        for (int k = 0; k < in->D; k++)
            gradient[in->group[k]] += w->slope[c * in->D + k];
    return 0;
}
