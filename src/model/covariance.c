/* The covariance of a process before any data (covariance.h): a kernel, and a linear part beside it. */
#include "model/covariance.h"

#include <assert.h>
#include <stddef.h>

/* With a trend the signal may be next to nothing, and rounding is that of the standardised values. */
double ckg__covariance_unit(const struct ckg__covariance *c)
{
    return c->linear > 0 ? c->s2 + 1 : c->s2;
}

void ckg__covariance_cross(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                           const double *B, int ldb, double *K, double *G, int ldk)
{
    ckg__kernels()->cross(c->kernel, c->D, n, A, lda, m, B, ldb, c->s2, K, G, ldk);
    for (size_t i = 0; c->linear > 0 && i < (size_t)n; i++)
        ckg__kernels()->add_linear(c->D, A + i, lda, m, B, ldb, c->inv_ell, c->linear, K + i * (size_t)ldk);
}

void ckg__covariance_rows(const struct ckg__covariance *c, int first, int end, const double *A, int lda,
                          double *K, int ldk)
{
    ckg__kernels()->symmetric(c->kernel, c->D, first, end, A, lda, c->s2, K, ldk);
    for (int i = first; c->linear > 0 && i < end; i++) {
        double *row = K + (size_t)i * (size_t)ldk;
        const double *known = c->Z ? c->Z + (size_t)i * (size_t)c->ldz : NULL;
        for (int j = 0; known && j <= i; j++)
            row[j] += known[j];
        if (!known)
            ckg__kernels()->add_linear(c->D, A + i, lda, i + 1, A, lda, c->inv_ell, c->linear, row);
    }
}

void ckg__covariance_linear_row(const struct ckg__covariance *c, int i, const double *A, int lda, double *row)
{
    assert(c->linear > 0);
    for (int j = 0; j <= i; j++)
        row[j] = 0;
    ckg__kernels()->add_linear(c->D, A + i, lda, i + 1, A, lda, c->inv_ell, c->linear, row);
}

/* x_k − ½ of point p of B. */
static double centred(const struct ckg__covariance *c, const double *B, int ldb, int k, int p)
{
    return B[(size_t)k * (size_t)ldb + (size_t)p] / c->inv_ell[k] - 0.5;
}

double ckg__covariance_own(const struct ckg__covariance *c, const double *B, int ldb, int p)
{
    double z = 0;

    for (int k = 0; c->linear > 0 && k < c->D; k++)
        z += centred(c, B, ldb, k, p) * centred(c, B, ldb, k, p);
    return c->s2 + c->linear * z;
}

double ckg__covariance_most(const struct ckg__covariance *c)
{
    return c->s2 + 0.25 * c->D * c->linear;
}

void ckg__covariance_own_gradient(const struct ckg__covariance *c, const double *B, int ldb, int p,
                                  double factor, double *out, int ldo)
{
    for (int k = 0; c->linear > 0 && k < c->D; k++)
        out[(size_t)k * (size_t)ldo + (size_t)p] += 2 * factor * c->linear * centred(c, B, ldb, k, p) /
                                                    c->inv_ell[k];
}

void ckg__covariance_gradient_each(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                                   const double *B, int ldb, const double *W, int ldw, const double *G,
                                   int ldg, double *out, int ldo)
{
    ckg__kernels()->gradient_each(c->D, n, A, lda, m, B, ldb, W, ldw, G, ldg, out, ldo);
    if (c->linear > 0)
        ckg__kernels()->linear_each(c->D, n, A, lda, m, W, ldw, c->inv_ell, c->linear, out, ldo);
}

void ckg__covariance_gradient_common(const struct ckg__covariance *c, int n, const double *A, int lda, int m,
                                     const double *B, int ldb, const double *w, const double *G, int ldg,
                                     double *out, int ldo)
{
    ckg__kernels()->gradient_common(c->D, n, A, lda, m, B, ldb, w, G, ldg, out, ldo);

    /* A linear function has the same slope at every point. */
    for (int k = 0; c->linear > 0 && k < c->D; k++) {
        double slope = 0;
        for (int i = 0; i < n; i++)
            slope += w[i] * centred(c, A, lda, k, i);
        slope *= c->linear / c->inv_ell[k];
        for (int p = 0; p < m; p++)
            out[(size_t)k * (size_t)ldo + (size_t)p] += slope;
    }
}
