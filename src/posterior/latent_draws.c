/*
 * Draws of the true values (latent_draws.h). For one outcome let the rows carry noise of variances Σ, K = K₀
 * + Σ its covariance with K₀ = s²(κ + nugget·I), and α = K⁻¹(y − m). The true values at the rows are what was
 * measured less the noise, t = y − e, and the noise given the data is normal:
 *
 *     E e = Σα,    Cov e = Σ − ΣK⁻¹Σ = √Σ(I − WᵀW)√Σ,    W = L⁻¹√Σ.
 *
 * In this form a row without noise is drawn as measured, to the last bit, and little noise loses no digits.
 * Drawn designs are then rows without noise of a process with factor L₀; rows elsewhere (pending designs,
 * designs that are not drawn at) stay as they are and come first. A drawn design that the outcome was not
 * measured at comes last: there L₀⁻¹(t − m) is standard normal whatever the rows before it.
 *
 * For a batch of points v = L₀⁻¹k is common to all draws: s² = k(x, x) − vᵀv, μ_i = m + kᵀw_i with w_i =
 * K₀⁻¹(t_i − m), one product for all draws.
 *
 * Cost: n³ to draw; then per point n² + nN for N draws, and as much again for the gradient.
 */
#include "posterior/latent_draws.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/jitter.h"
#include "linalg/parts.h"
#include "model/gp_private.h"

/* --- what is known at the designs --- */

/* A row's noise that is so small beside s² is none: the nugget is a hundred times larger. */
static const double no_noise = 1e-12;

/* y − m of row i, which beta has whitened. */
static double row_value(const struct ckg__gp *gp, int i)
{
    return ckg__dense()->dot(i + 1, gp->L + (size_t)i * (size_t)gp->capacity, gp->beta);
}

/* The place of a design's number among those of the designs, or −1. */
static int find(const struct ckg__designs *designs, int number)
{
    int d = 0;

    while (d < designs->n && designs->number[d] != number)
        d++;
    return number >= 0 && d < designs->n ? d : -1;
}

static void observed_rows(const struct ckg__gp *gp, const struct ckg__designs *designs,
                          struct ckg__observed *s)
{
    for (int d = 0; d < designs->n; d++)
        s->row[d] = -1;

    for (int i = 0; i < gp->n; i++) {
        const int d = find(designs, gp->design[i]);

        s->noise[i] = gp->row_noise[i] > no_noise * gp->unit ? gp->row_noise[i] : 0;
        s->place[i] = d;
        if (d >= 0 && (s->row[d] < 0 || s->noise[i] < s->noise[s->row[d]]))
            s->row[d] = i;
    }
}

int ckg__observed_make(struct ckg__observed *s, const struct ckg__gp *gp, const struct ckg__designs *designs,
                       struct ckg__arena *arena)
{
    enum { CHUNK = 64 };

    if (CKG__TAKE(arena, CKG__ROOM(s->noise, gp->n + 1), CKG__ROOM(s->place, gp->n + 1),
                  CKG__ROOM(s->row, designs->n + 1), CKG__ROOM(s->mean, designs->n + 1)))
        return CKG_ERR_NOMEM;
    observed_rows(gp, designs, s);

    /* The means, some designs at a time. */
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *slope = ckg__arena_doubles(arena, (size_t)gp->D * CHUNK);
    int status = slope ? CKG_OK : CKG_ERR_NOMEM;
    for (int d = 0; !status && d < designs->n; d += CHUNK)
        status = ckg__posterior_mean(gp, designs->n - d < CHUNK ? designs->n - d : CHUNK, designs->U + d,
                                     designs->ldu, arena, s->mean + d, slope);
    ckg__arena_release(arena, mark);
    return status;
}

double ckg__observed_variance(const struct ckg__observed *s, const struct ckg__gp *gp, int d)
{
    double mean;
    double sd;

    ckg__gp_prior(gp, &mean, &sd);
    return s->row[d] < 0 ? sd * sd : fmin(sd * sd, s->noise[s->row[d]]);
}

int ckg__observed_is_exact(const struct ckg__observed *s, int d)
{
    return s->row[d] >= 0 && !(s->noise[s->row[d]] > 0);
}

/* --- drawing --- */

/*
 * The rows of the process under the draws: others as they are, then designs measured, then designs not
 * measured.
 */
struct layout {
    int n;
    int others;
    int measured;
    int *row;   /* (n) of gp; −1: not measured */
    int *place; /* (n) of the design in the order; −1: another row */
    double *A;  /* D×n */
};

/* What the draws are made from. */
struct source {
    const struct ckg__gp *gp;
    const struct ckg__designs *designs;
    const struct ckg__observed *observed;
    const struct ckg__drawn_at *at;
};

/* Which rows, in which order. */
static void order_rows(const struct source *from, struct layout *out)
{
    const struct ckg__observed *s = from->observed;
    const struct ckg__drawn_at *at = from->at;
    int n = 0;

    for (int i = 0; i < from->gp->n; i++)
        if (s->place[i] < 0 || at->rank[s->place[i]] < 0) {
            out->row[n] = i;
            out->place[n++] = -1;
        }
    out->others = n;
    out->measured = 0;
    for (int missing = 0; missing < 2; missing++)
        for (int place = 0; place < at->count; place++)
            if ((s->row[at->order[place]] < 0) == missing) {
                out->row[n] = s->row[at->order[place]];
                out->place[n++] = place;
                out->measured += !missing;
            }
    out->n = n;
}

static int lay_out(const struct source *from, struct ckg__arena *keep, struct ckg__arena *scratch,
                   struct layout *out)
{
    const struct ckg__gp *gp = from->gp;
    const struct ckg__designs *designs = from->designs;
    const size_t most = (size_t)gp->n + (size_t)from->at->count + 1;

    if (CKG__TAKE(scratch, CKG__ROOM(out->row, most), CKG__ROOM(out->place, most)))
        return CKG_ERR_NOMEM;
    order_rows(from, out);

    /* Where they lie. */
    const size_t n = (size_t)out->n;
    out->A = ckg__arena_doubles(keep, (size_t)gp->D * n + 1);
    if (!out->A)
        return CKG_ERR_NOMEM;
    for (size_t k = 0; k < (size_t)gp->D; k++)
        for (size_t i = 0; i < n; i++)
            out->A[k * n + i] =
                out->place[i] < 0
                    ? gp->A[k * (size_t)gp->capacity + (size_t)out->row[i]]
                    : designs->U[k * (size_t)designs->ldu + (size_t)from->at->order[out->place[i]]] *
                          gp->inv_ell[k];
    return CKG_OK;
}

/* L (n×n): the factor of the rows' covariance, the designs without noise; own (n) is scratch. */
static int factor(const struct ckg__gp *gp, const struct layout *rows, const double *noise, double *own,
                  double *L, double *nugget)
{
    const int n = rows->n;
    struct ckg__workers alone;

    *nugget = gp->nugget;
    for (int i = 0; i < n; i++)
        own[i] = i < rows->others ? noise[rows->row[i]] : 0;
    const int bad = ckg__gp_factor(n, &gp->k, own, rows->A, n, L, n,
                                   ckg__parts_workers(gp->interrupt, n, &alone), nugget);

    if (bad < 0)
        return CKG_ERR_CANCELLED;
    if (bad)
        return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d designs has no factor", n);
    return CKG_OK;
}

struct noise_left {
    struct ckg__interrupt *interrupt;
    int n;
    size_t m;
    const double *W; /* n×m */
    double *R;       /* m×m */
};

/* I − WᵀW. */
static int fill_noise(void *context, double jitter)
{
    const struct noise_left *left = context;
    const size_t m = left->m;

    memset(left->R, 0, m * m * sizeof *left->R);
    for (size_t c = 0; c < m; c++)
        left->R[c * m + c] = 1 + jitter;
    return ckg__parts_multiply(left->interrupt, (int)m, (int)m, left->n, -1, left->W, (int)m, left->W, (int)m,
                               1, left->R, (int)m);
}

/*
 * R (m×m): the factor of I − WᵀW for the m designs measured, W = L⁻¹√Σ. Rounding may leave it indefinite
 * where noise drowns the signal.
 */
static int noise_factor(const struct ckg__gp *gp, const struct layout *rows, const double *noise,
                        struct ckg__arena *scratch, double *R)
{
    const size_t m = (size_t)rows->measured;
    const struct ckg__jitter ladder = {0, 1e-14, 10.0 * (double)m + 1};
    double *W = ckg__arena_doubles(scratch, (size_t)gp->n * m + 1);
    double jitter;

    if (!W)
        return CKG_ERR_NOMEM;

    memset(W, 0, (size_t)gp->n * m * sizeof *W);
    for (size_t c = 0; c < m; c++) {
        const int row = rows->row[(size_t)rows->others + c];
        W[(size_t)row * m + c] = sqrt(noise[row]);
    }
    if (ckg__parts_solve(gp->interrupt, 0, gp->n, (int)m, gp->L, gp->capacity, W, (int)m))
        return CKG_ERR_CANCELLED;

    struct noise_left left = {gp->interrupt, gp->n, m, W, R};
    struct ckg__workers alone;
    const int bad = ckg__jitter_factor((int)m, R, (int)m, ladder, fill_noise, &left,
                                       ckg__parts_workers(gp->interrupt, (int)m, &alone), &jitter);
    if (bad < 0)
        return CKG_ERR_CANCELLED;
    if (bad)
        return ckg__fail(CKG_ERR_NUMERIC, "the noise of %d designs has no factor", (int)m);
    return CKG_OK;
}

/* y (count) += a·x. */
static void add(int count, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < count; i++)
        y[i] += a * x[i];
}

/*
 * t − m (n×N) of the rows in the process's order, from the draws z (count×N) by place; those not measured
 * are left to whiten().
 */
static int draw_measured(const struct source *from, const struct layout *rows, int N, const double *z,
                         struct ckg__arena *scratch, double *t)
{
    const struct ckg__gp *gp = from->gp;
    const double *noise = from->observed->noise;
    const size_t m = (size_t)rows->measured;
    const size_t count = (size_t)N;
    double *R = ckg__arena_doubles(scratch, m * m + 1);
    const int status = R ? noise_factor(gp, rows, noise, scratch, R) : CKG_ERR_NOMEM;

    if (status)
        return status;

    for (int i = 0; i < rows->others + rows->measured; i++) {
        const int row = rows->row[i];
        const double variance = i >= rows->others ? noise[row] : 0;
        const double value = row_value(gp, row) - variance * gp->alpha[row];
        for (size_t s = 0; s < count; s++)
            t[(size_t)i * count + s] = value;
        for (int c = 0; variance > 0 && c <= i - rows->others; c++)
            add(N, sqrt(variance) * R[(size_t)(i - rows->others) * m + (size_t)c],
                z + (size_t)rows->place[rows->others + c] * count, t + (size_t)i * count);
    }
    return CKG_OK;
}

/* white (n×N) ← L⁻¹(t − m), and t − m of the designs not measured, whose white numbers are the draws. */
static int whiten(struct ckg__interrupt *interrupt, const struct layout *rows, const double *L, int N,
                  const double *z, double *t, double *white)
{
    const size_t n = (size_t)rows->n;
    const size_t count = (size_t)N;
    const size_t known = (size_t)rows->others + (size_t)rows->measured;

    memcpy(white, t, known * count * sizeof *t);
    if (ckg__parts_solve(interrupt, 0, (int)known, N, L, (int)n, white, N))
        return CKG_ERR_CANCELLED;
    for (size_t i = known; i < n; i++) {
        if (ckg__interrupted_by(interrupt, (double)n * N))
            return CKG_ERR_CANCELLED;
        memcpy(white + i * count, z + (size_t)rows->place[i] * count, count * sizeof *z);
        memset(t + i * count, 0, count * sizeof *t);
        for (size_t c = 0; c <= i; c++)
            add(N, L[i * n + c], white + c * count, t + i * count);
    }
    return CKG_OK;
}

/* The weights' transpose, and from t − m (n×N) the truth at the designs. */
static void keep_draws(const struct layout *rows, const double *t, int smooth, struct ckg__latent_draws *out,
                       double *truth)
{
    const struct ckg__gp *gp = out->gp;
    const size_t n = (size_t)rows->n;
    const size_t N = (size_t)out->draws;

    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < N; s++) {
            const double weight = out->weights[i * N + s];
            const double off = smooth ? out->nugget * gp->unit * weight : 0;
            out->across[s * n + i] = weight;
            if (rows->place[i] >= 0)
                truth[(size_t)rows->place[i] * N + s] = gp->mean + t[i * N + s] - off;
        }
}

int ckg__latent_draws_draw(struct ckg__latent_draws *out, const struct ckg__gp *gp,
                           const struct ckg__designs *designs, const struct ckg__observed *observed,
                           const struct ckg__drawn_at *at, int N, const double *z, int smooth,
                           struct ckg__arena *keep, struct ckg__arena *scratch, double *truth)
{
    const struct source from = {gp, designs, observed, at};
    struct layout rows;

    assert(N > 1);
    if (lay_out(&from, keep, scratch, &rows))
        return CKG_ERR_NOMEM;

    const size_t n = (size_t)rows.n;
    const size_t size = n * (size_t)N;
    double *L = ckg__arena_doubles(keep, n * n + 1);
    double *t = ckg__arena_doubles(scratch, size + 1);
    *out = (struct ckg__latent_draws){.gp = gp,
                                      .n = rows.n,
                                      .draws = N,
                                      .A = rows.A,
                                      .lda = rows.n,
                                      .L = L,
                                      .ldl = rows.n,
                                      .weights = ckg__arena_doubles(keep, size + 1),
                                      .across = ckg__arena_doubles(keep, size + 1)};
    if (!L || !t || !out->weights || !out->across)
        return CKG_ERR_NOMEM;

    /* The factor without the designs' noise, and the true values that they are drawn to have. */
    int status = factor(gp, &rows, observed->noise, t, L, &out->nugget);
    if (!status)
        status = draw_measured(&from, &rows, N, z, scratch, t);
    if (status)
        return status;

    /* Conditioned on them. */
    status = whiten(gp->interrupt, &rows, L, N, z, t, out->weights);
    if (!status)
        status = ckg__parts_solve(gp->interrupt, 1, rows.n, N, L, rows.n, out->weights, N);
    if (status)
        return status;
    keep_draws(&rows, t, smooth, out, truth);
    return CKG_OK;
}

void ckg__latent_draws_take_measured(struct ckg__latent_draws *out, const struct ckg__gp *gp)
{
    *out = (struct ckg__latent_draws){.gp = gp,
                                      .n = gp->n,
                                      .draws = 1,
                                      .A = gp->A,
                                      .L = gp->L,
                                      .lda = gp->capacity,
                                      .ldl = gp->capacity,
                                      .nugget = gp->nugget,
                                      .weights = gp->alpha,
                                      .across = gp->alpha};
}

double ckg__latent_draws_measured(const struct ckg__gp *gp, const struct ckg__observed *observed, int d)
{
    assert(observed->row[d] >= 0);
    return ckg__scaling_round(gp->mean + row_value(gp, observed->row[d]));
}

double ckg__latent_draws_floor(const struct ckg__latent_draws *draws_of)
{
    return ckg__floor_of(draws_of->nugget, draws_of->gp->unit);
}

/* --- at points --- */

int ckg__latent_draws_view(const struct ckg__latent_draws *t, int m, const double *U, int ldu, int slopes,
                           struct ckg__arena *arena, struct ckg__latent_view *s)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    const struct ckg__gp *gp = t->gp;
    const size_t points = (size_t)m;
    const size_t block = ((size_t)t->n + 1) * points;
    const size_t D = (size_t)gp->D;

    s->B = ckg__arena_doubles(arena, D * points);
    s->V = ckg__arena_doubles(arena, block);
    s->mean = ckg__arena_doubles(arena, ((size_t)t->draws + 1) * points);
    s->G = slopes ? ckg__arena_doubles(arena, block) : NULL;
    if (!s->B || !s->V || !s->mean || (slopes && !s->G))
        return CKG_ERR_NOMEM;
    s->var = s->mean + (size_t)t->draws * points;

    /* k between rows and points, and the means of all draws. */
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < points; i++)
            s->B[k * points + i] = U[k * (size_t)ldu + i] * gp->inv_ell[k];
    ckg__covariance_cross(&gp->k, t->n, t->A, t->lda, m, s->B, m, s->V, s->G, m);
    if (t->draws == 1)
        dense->combine_rows(t->n, m, s->V, m, t->weights, s->mean);
    else
        dense->multiply_tn(t->draws, m, t->n, 1, t->weights, t->draws, s->V, m, 0, s->mean, m);
    for (size_t i = 0; i < (size_t)t->draws * points; i++)
        s->mean[i] += gp->mean;

    /* Their variance. */
    if (ckg__parts_solve(gp->interrupt, 0, t->n, m, t->L, t->ldl, s->V, m))
        return CKG_ERR_CANCELLED;
    for (size_t i = 0; i < points; i++)
        s->var[i] = ckg__covariance_own(&gp->k, s->B, m, (int)i);
    dense->subtract_squares(t->n, m, s->V, m, s->var);
    for (size_t i = 0; i < points; i++)
        s->var[i] = s->var[i] > 0 ? s->var[i] : 0;
    return CKG_OK;
}

/* Σ_i (Σ_draws in_mean·w_i − 2 in_var (L⁻ᵀv)_i) ∂k_i: the slopes are gathered in one weight per row and
 * point. */
int ckg__latent_draws_pull_back(const struct ckg__latent_draws *t, int m, const double *in_mean,
                                const double *in_var, struct ckg__arena *arena, struct ckg__latent_view *s,
                                double *gradient)
{
    const struct ckg__gp *gp = t->gp;
    const size_t points = (size_t)m;
    double *out = ckg__arena_doubles(arena, (size_t)gp->D * points);

    assert(s->G);
    if (!out)
        return CKG_ERR_NOMEM;

    if (ckg__parts_solve(gp->interrupt, 1, t->n, m, t->L, t->ldl, s->V, m))
        return CKG_ERR_CANCELLED;
    for (size_t i = 0; i < (size_t)t->n; i++)
        for (size_t k = 0; k < points; k++)
            s->V[i * points + k] *= -2 * in_var[k];
    ckg__dense()->multiply_tn(t->n, m, t->draws, 1, t->across, t->n, in_mean, m, 1, s->V, m);

    ckg__covariance_gradient_each(&gp->k, t->n, t->A, t->lda, m, s->B, m, s->V, m, s->G, m, out, m);
    for (int p = 0; p < m; p++)
        ckg__covariance_own_gradient(&gp->k, s->B, m, p, in_var[p], out, m);
    for (int k = 0; k < gp->D; k++)
        add(m, gp->inv_ell[k], out + (size_t)k * points, gradient + (size_t)k * points);
    return CKG_OK;
}
