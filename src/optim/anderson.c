/*
 * Anderson's acceleration: with ΔX and ΔR the differences of the last points and of their residuals,
 *
 *     next = x + step·r − (ΔX + step·ΔR)g,   g = argmin |r − ΔR g|,
 *
 * by the normal equations with a little on the diagonal: a quasi-Newton step that needs no derivatives.
 * Reference: Walker and Ni 2011, Anderson acceleration for fixed-point iterations. Cost O(dim) a step.
 */
#include "optim/anderson.h"

#include <assert.h>
#include <string.h>

#include "linalg/dense.h"

enum { DEPTH = CKG__ANDERSON_DEPTH };

void ckg__anderson_init(struct ckg__anderson *a, int dim, double *room)
{
    a->dim = dim;
    a->x = room;
    a->r = room + dim;
    for (int i = 0; i < DEPTH; i++) {
        a->dx[i] = room + (size_t)(2 + 2 * i) * (size_t)dim;
        a->dr[i] = a->dx[i] + dim;
    }
    ckg__anderson_forget(a);
}

void ckg__anderson_forget(struct ckg__anderson *a)
{
    a->seen = 0;
}

/* Keeps the point, and how it differs from the last. */
static void remember(struct ckg__anderson *a, const double *x, const double *r)
{
    if (a->seen > 0) {
        double *dx = a->dx[(a->seen - 1) % DEPTH];
        double *dr = a->dr[(a->seen - 1) % DEPTH];
        for (int k = 0; k < a->dim; k++) {
            dx[k] = x[k] - a->x[k];
            dr[k] = r[k] - a->r[k];
        }
    }
    memcpy(a->x, x, (size_t)a->dim * sizeof *x);
    memcpy(a->r, r, (size_t)a->dim * sizeof *r);
    a->seen++;
}

static double weighed_dot(int dim, const double *weight, const double *x, const double *y)
{
    double sum = 0;

    for (int k = 0; k < dim; k++)
        sum += weight[k] * weight[k] * x[k] * y[k];
    return sum;
}

/* g (count) ← the combination of differences that comes nearest to r; 0 where they say nothing. */
static int combine(const struct ckg__anderson *a, int count, const double *r, const double *weight, double *g)
{
    double G[DEPTH][DEPTH];
    double trace = 0;

    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++)
            G[i][j] = weighed_dot(a->dim, weight, a->dr[i], a->dr[j]);
        g[i] = weighed_dot(a->dim, weight, a->dr[i], r);
        trace += G[i][i];
    }
    for (int i = 0; i < count; i++)
        G[i][i] += 1e-10 * trace;
    if (ckg__dense()->cholesky(count, G[0], DEPTH, NULL))
        return 0;
    ckg__dense()->solve_lower(count, 1, G[0], DEPTH, g, 1);
    ckg__dense()->solve_lower_transposed(count, 1, G[0], DEPTH, g, 1);
    return 1;
}

void ckg__anderson_next(struct ckg__anderson *a, const double *x, const double *r, const double *weight,
                        double step, double *next)
{
    double g[DEPTH];

    assert(step > 0);
    remember(a, x, r);
    for (int k = 0; k < a->dim; k++)
        next[k] = x[k] + step * r[k];

    const int count = a->seen - 1 < DEPTH ? a->seen - 1 : DEPTH;
    if (count && combine(a, count, r, weight, g))
        for (int i = 0; i < count; i++)
            for (int k = 0; k < a->dim; k++)
                next[k] -= g[i] * (a->dx[i][k] + step * a->dr[i][k]);
}
