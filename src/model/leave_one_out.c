/*
 * Leave-one-out predictions in closed form. With Q = (K + Σ)⁻¹ and S the rows of one design, the values y_S
 * given all others are normal with mean y_S − Q_SS⁻¹ (Q(y − m))_S  and covariance Q_SS⁻¹, where m is what the
 * mean would be without S: (1ᵀQy − (Q1)_SᵀQ_SS⁻¹(Qy)_S) / (1ᵀQ1 − (Q1)_SᵀQ_SS⁻¹(Q1)_S + its prior's
 * precision). Reference: Rasmussen and Williams, section 5.4.2, for single rows and a fixed mean. Cost n³/3 +
 * O(n²), once for all rows, instead of n⁴/3 for as many processes.
 *
 * Here Q is formed after all: a variance is the reciprocal of one of its diagonal's blocks, not a difference,
 * and as exact as the factor.
 */
#include "model/leave_one_out.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "model/gp_private.h"
#include "model/likelihood.h"

/* Rows of one design: values of estimated noise, of known noise, without, absurd ones of two kinds. */
enum { MOST = 5 };

struct leave {
    const struct ckg__gp *gp;
    const struct ckg__series *series;
    const struct ckg__workers *workers;
    double *Q;       /* n×n, lower */
    double *y;       /* (n) the rows' values: what was measured, or what stands for labels */
    double *q1, *qy; /* (n) Q·1 and Q·y */
    double s11, s1y; /* 1ᵀQ1 and 1ᵀQy */
};

/* x (n) ← Qx by the factor. */
static void solve(const struct ckg__gp *gp, double *x)
{
    ckg__dense()->solve_lower(gp->n, 1, gp->L, gp->capacity, x, 1);
    ckg__dense()->solve_lower_transposed(gp->n, 1, gp->L, gp->capacity, x, 1);
}

/* The value of row i: labels are known by the measurements that stand for them, y = m + Lβ. */
static double row_value(const struct leave *w, size_t i)
{
    const double *L = w->gp->L + i * (size_t)w->gp->capacity;
    double y = w->gp->mean;

    if (!ckg__series_has(w->series, CKG__STANDS_IN))
        return w->series->y[i];
    for (size_t k = 0; k <= i; k++)
        y += L[k] * w->gp->beta[k];
    return y;
}

static int prepare(struct leave *w, struct ckg__arena *arena)
{
    const size_t n = (size_t)w->gp->n;

    if (CKG__TAKE(arena, CKG__ROOM(w->Q, n * n), CKG__ROOM(w->y, n), CKG__ROOM(w->q1, n),
                  CKG__ROOM(w->qy, n)))
        return CKG_ERR_NOMEM;
    for (size_t i = 0; i < n; i++) {
        memcpy(w->Q + i * n, w->gp->L + i * (size_t)w->gp->capacity, (i + 1) * sizeof *w->Q);
        w->q1[i] = 1;
        w->y[i] = w->qy[i] = row_value(w, i);
    }
    if (ckg__dense()->inverse_from_cholesky(w->gp->n, w->Q, w->gp->n, w->workers))
        return CKG_ERR_CANCELLED;
    solve(w->gp, w->q1);
    solve(w->gp, w->qy);
    w->s11 = w->s1y = 0;
    for (size_t i = 0; i < n; i++) {
        w->s11 += w->q1[i];
        w->s1y += w->qy[i];
    }
    return CKG_OK;
}

/* C (MOST×MOST, both triangles) ← Q_SS⁻¹ of the rows first … first+count−1. */
static int invert_block(const struct leave *w, int first, int count, double C[MOST][MOST])
{
    assert(count > 0 && count <= MOST);

    const size_t n = (size_t)w->gp->n;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
            C[i][j] = w->Q[(size_t)(first + i) * n + (size_t)(first + j)];
    if (ckg__dense()->cholesky(count, C[0], MOST, NULL))
        return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d observations is too close to singular",
                         w->gp->n);
    ckg__dense()->inverse_from_cholesky(count, C[0], MOST, NULL);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            C[i][j] = C[j][i];
    return CKG_OK;
}

/* The constant mean without the rows S. */
static double mean_without(const struct leave *w, int first, int count, double C[MOST][MOST])
{
    double s11 = w->s11;
    double s1y = w->s1y;

    if (!isfinite(w->gp->mean_precision) || count == w->gp->n)
        return 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            s11 -= w->q1[first + i] * C[i][j] * w->q1[first + j];
            s1y -= w->q1[first + i] * C[i][j] * w->qy[first + j];
        }
    return s1y / (s11 + w->gp->mean_precision);
}

static int leave_rows(const struct leave *w, int first, int count, double *mean, double *var)
{
    const struct ckg__gp *gp = w->gp;
    double C[MOST][MOST];

    if (invert_block(w, first, count, C))
        return CKG_ERR_NUMERIC;
    const double m = mean_without(w, first, count, C);
    for (int i = 0; i < count; i++) {
        const int row = first + i;
        double step = 0;
        for (int j = 0; j < count; j++)
            step += C[i][j] * (w->qy[first + j] - m * w->q1[first + j]);
        mean[row] = w->y[row] - step;
        var[row] = fmax(C[i][i] - gp->row_noise[row] - gp->unit * gp->nugget, 0);
    }
    return CKG_OK;
}

int ckg__gp_leave_out(const struct ckg__gp *gp, const struct ckg__series *series,
                      const struct ckg__workers *workers, struct ckg__arena *arena, double *mean, double *var)
{
    assert(gp->n == series->n);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct leave w = {.gp = gp, .series = series, .workers = workers};
    int status = prepare(&w, arena);
    for (int first = 0, next; !status && first < gp->n; first = next) {
        for (next = first + 1; next < gp->n && series->design[next] == series->design[first]; next++)
            ;
        status = leave_rows(&w, first, next - first, mean, var);
    }
    ckg__arena_release(arena, mark);
    return status;
}
