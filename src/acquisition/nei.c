/*
 * Noisy expected improvement (nei.h has the definition). For one outcome let the rows carry noise of
 * variances Σ, K = K₀ + Σ its covariance with K₀ = s²(κ + nugget·I), and α = K⁻¹(y − m). The true values at
 * the rows are what was measured less the noise, t = y − e, and the noise given the data is normal:
 *
 *     E e = Σα,    Cov e = Σ − ΣK⁻¹Σ = √Σ(I − WᵀW)√Σ,    W = L⁻¹√Σ.
 *
 * In this form a row without noise is drawn as measured, to the last bit, and little noise loses no digits.
 * Drawn designs are then rows without noise of a process with factor L₀; rows elsewhere (pending designs,
 * designs beyond the most that are drawn at) stay as they are and come first. A drawn design that the outcome
 * was not measured at comes last: there L₀⁻¹(t − m) is standard normal whatever the rows before it.
 *
 * For a batch of points v = L₀⁻¹k is common to all draws: s² = k(x, x) − vᵀv, μ_i = m + kᵀw_i with w_i =
 * K₀⁻¹(t_i − m), one product for all draws. The gradient gathers the slopes of all draws in one vector of
 * weights per point before the kernel's derivatives are summed once.
 *
 * Cost: n³ to draw; then per point and outcome n² + nN and N values of h, for N draws, and as much again for
 * the gradient.
 */
#include "acquisition/nei.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "acquisition/cei.h"
#include "base/error.h"
#include "design/sequence.h"
#include "linalg/dense.h"
#include "linalg/normal.h"
#include "linalg/vector.h"

/*
 * A row's noise that is so small beside s² is none: the nugget is a hundred times larger, and it is recovered
 * from L by a difference.
 */
static const double no_noise = 1e-12;

/* --- what is known at the told designs --- */

/* One outcome at the told designs. */
struct survey {
    double *noise; /* (rows) variance of each row's noise */
    int *design;   /* (rows) the told design that the row was measured at; −1: none */
    int *row;      /* (n) the design's row of least noise; −1: not measured there */
    double *mean;  /* (n) */
};

/* What the draws are made for. */
struct told {
    const struct ckg__belief *belief;
    int n, judged, chosen;
    const double *U;
    int ldu;
    int *order; /* (chosen) designs, the most promising first */
    int *rank;  /* (n) a design's place in the order; −1: not drawn at */
    struct survey survey[CKG__MAX_OUTCOMES];
};

/* y − m of row i, which beta has whitened. */
static double row_value(const struct ckg__gp *gp, int i)
{
    return ckg__dense()->dot(i + 1, gp->L + (size_t)i * (size_t)gp->capacity, gp->beta);
}

static int same_place(const struct ckg__gp *gp, int row, const double *U, int ldu, int design)
{
    int k = 0;
    while (k < gp->D && gp->A[(size_t)k * (size_t)gp->capacity + (size_t)row] ==
                            U[(size_t)k * (size_t)ldu + (size_t)design] * gp->inv_ell[k])
        k++;
    return k == gp->D;
}

static void survey_rows(const struct told *told, const struct ckg__gp *gp, struct survey *s)
{
    for (int d = 0; d < told->n; d++)
        s->row[d] = -1;
    for (int i = 0; i < gp->n; i++) {
        const double *row = gp->L + (size_t)i * (size_t)gp->capacity;
        const double noise = ckg__dense()->dot(i + 1, row, row) - gp->s2 * (1 + gp->nugget);
        s->noise[i] = noise > no_noise * gp->s2 ? noise : 0;
        int d = 0;
        while (d < told->n && !same_place(gp, i, told->U, told->ldu, d))
            d++;
        s->design[i] = d < told->n ? d : -1;
        if (d < told->n && (s->row[d] < 0 || s->noise[i] < s->noise[s->row[d]]))
            s->row[d] = i;
    }
}

static int survey_make(const struct told *told, const struct ckg__gp *gp, struct ckg__arena *scratch,
                       struct survey *s)
{
    enum { CHUNK = 64 };
    s->noise = ckg__arena_doubles(scratch, (size_t)gp->n + 1);
    s->design = ckg__arena_ints(scratch, (size_t)gp->n + 1);
    s->row = ckg__arena_ints(scratch, (size_t)told->n + 1);
    s->mean = ckg__arena_doubles(scratch, (size_t)told->n + 1);
    if (!s->noise || !s->design || !s->row || !s->mean)
        return CKG_ERR_NOMEM;
    survey_rows(told, gp, s);
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    double *slope = ckg__arena_doubles(scratch, (size_t)gp->D * CHUNK);
    int status = slope ? CKG_OK : CKG_ERR_NOMEM;
    for (int d = 0; !status && d < told->n; d += CHUNK)
        status = ckg__posterior_mean(gp, told->n - d < CHUNK ? told->n - d : CHUNK, told->U + d, told->ldu,
                                     scratch, s->mean + d, slope);
    ckg__arena_release(scratch, mark);
    return status;
}

/*
 * log((μ − M)·PF) at the told designs: how likely each is to matter. The variance of a true value is bounded
 * by the noise of its measurement, and the bound serves.
 */
static void promise_of(const struct told *told, double *promise)
{
    const struct ckg__belief *belief = told->belief;
    for (int d = 0; d < told->n; d++) {
        const double gain = told->survey[0].mean[d] - belief->penalty;
        promise[d] = gain > 0 ? log(gain) : -INFINITY;
        for (int j = 1; j < told->judged; j++) {
            const struct survey *s = &told->survey[j];
            const struct ckg__gp *gp = belief->gp[j];
            const double var = s->row[d] < 0 ? gp->s2 : fmin(gp->s2, s->noise[s->row[d]]);
            ckg__log_feasible(1, &s->mean[d], &var, ckg__variance_floor(gp), belief->lower[j],
                              belief->upper[j], &promise[d], NULL, NULL);
        }
    }
}

/*
 * The most promising designs in order: the first coordinates of the draws, which are spread best, go to those
 * that matter most.
 */
static int choose(struct told *told, int most, struct ckg__arena *scratch)
{
    double *promise = ckg__arena_doubles(scratch, (size_t)told->n + 1);
    told->chosen = told->n < most ? told->n : most;
    told->order = ckg__arena_ints(scratch, (size_t)told->chosen + 1);
    told->rank = ckg__arena_ints(scratch, (size_t)told->n + 1);
    if (!promise || !told->order || !told->rank)
        return CKG_ERR_NOMEM;
    promise_of(told, promise);
    for (int d = 0; d < told->n; d++)
        told->rank[d] = -1;
    for (int place = 0; place < told->chosen; place++) {
        int best = -1;
        for (int d = 0; d < told->n; d++)
            if (told->rank[d] < 0 && (best < 0 || promise[d] > promise[best]))
                best = d;
        told->order[place] = best;
        told->rank[best] = place;
    }
    return CKG_OK;
}

/*
 * 1 when nothing about the outcome is left to draw: every design was measured without noise, or it judges
 * none.
 */
static int is_measured(const struct told *told, int j)
{
    const struct survey *s = &told->survey[j];
    for (int place = 0; j < told->judged && place < told->chosen; place++) {
        const int row = s->row[told->order[place]];
        if (row < 0 || s->noise[row] > 0)
            return 0;
    }
    return 1;
}

/* --- drawing one outcome --- */

/*
 * The rows of an outcome's process under the draws: others as they are, then designs measured, then designs
 * not measured.
 */
struct layout {
    int n, others, measured;
    int *row;   /* (n) of gp; −1: not measured */
    int *place; /* (n) of the design in the order; −1: another row */
    double *A;  /* D×n */
};

static int lay_out(const struct told *told, int j, struct ckg__arena *keep, struct ckg__arena *scratch,
                   struct layout *out)
{
    const struct ckg__gp *gp = told->belief->gp[j];
    const struct survey *s = &told->survey[j];
    const size_t most = (size_t)gp->n + (size_t)told->chosen + 1;
    int n = 0;
    out->row = ckg__arena_ints(scratch, most);
    out->place = ckg__arena_ints(scratch, most);
    if (!out->row || !out->place)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < gp->n; i++)
        if (s->design[i] < 0 || told->rank[s->design[i]] < 0) {
            out->row[n] = i;
            out->place[n++] = -1;
        }
    out->others = n;
    out->measured = 0;
    for (int missing = 0; missing < 2; missing++)
        for (int place = 0; place < told->chosen; place++)
            if ((s->row[told->order[place]] < 0) == missing) {
                out->row[n] = s->row[told->order[place]];
                out->place[n++] = place;
                out->measured += !missing;
            }
    out->n = n;
    out->A = ckg__arena_doubles(keep, (size_t)gp->D * (size_t)n + 1);
    if (!out->A)
        return CKG_ERR_NOMEM;
    for (int k = 0; k < gp->D; k++)
        for (int i = 0; i < n; i++)
            out->A[(size_t)k * (size_t)n + (size_t)i] =
                out->place[i] < 0
                    ? gp->A[(size_t)k * (size_t)gp->capacity + (size_t)out->row[i]]
                    : told->U[(size_t)k * (size_t)told->ldu + (size_t)told->order[out->place[i]]] *
                          gp->inv_ell[k];
    return CKG_OK;
}

/* L (n×n): the factor of the rows' covariance, the designs without noise. */
static int factor(const struct ckg__gp *gp, const struct layout *rows, const double *noise, double *L,
                  double *nugget)
{
    const int n = rows->n;
    for (*nugget = gp->nugget; *nugget <= CKG__NUGGET_MAX * 1.01; *nugget *= 10) {
        ckg__kernels()->symmetric(gp->kernel, gp->D, 0, n, rows->A, n, gp->s2, L, n);
        for (int i = 0; i < n; i++)
            L[(size_t)i * (size_t)n + (size_t)i] += gp->s2 * *nugget +
                                                    (i < rows->others ? noise[rows->row[i]] : 0);
        if (!ckg__dense()->cholesky(n, L, n, NULL))
            return CKG_OK;
    }
    return ckg__fail(CKG_ERR_NUMERIC, "the covariance of %d designs has no factor", n);
}

/*
 * R (m×m): the factor of I − WᵀW for the m designs measured, W = L⁻¹√Σ. Rounding may leave it indefinite
 * where noise drowns the signal.
 */
static int noise_factor(const struct ckg__gp *gp, const struct layout *rows, const double *noise,
                        struct ckg__arena *scratch, double *R)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    const size_t m = (size_t)rows->measured;
    double *W = ckg__arena_doubles(scratch, (size_t)gp->n * m + 1);
    if (!W)
        return CKG_ERR_NOMEM;
    memset(W, 0, (size_t)gp->n * m * sizeof *W);
    for (size_t c = 0; c < m; c++) {
        const int row = rows->row[(size_t)rows->others + c];
        W[(size_t)row * m + c] = sqrt(noise[row]);
    }
    dense->solve_lower(gp->n, (int)m, gp->L, gp->capacity, W, (int)m);
    for (double jitter = 0; jitter<10.0 * (double)m + 1; jitter = jitter> 0 ? 10 * jitter : 1e-14) {
        memset(R, 0, m * m * sizeof *R);
        for (size_t c = 0; c < m; c++)
            R[c * m + c] = 1 + jitter;
        dense->multiply_tn((int)m, (int)m, gp->n, -1, W, (int)m, W, (int)m, 1, R, (int)m);
        if (!dense->cholesky((int)m, R, (int)m, NULL))
            return CKG_OK;
    }
    return ckg__fail(CKG_ERR_NUMERIC, "the noise of %d designs has no factor", (int)m);
}

/* y (count) += a·x. */
static void add(int count, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < count; i++)
        y[i] += a * x[i];
}

/*
 * t − m (n×N) of the rows in the process's order, from the draws z (chosen×N) by place; those not measured
 * are left to whiten().
 */
static int draw_measured(const struct told *told, int j, const struct layout *rows, int N, const double *z,
                         struct ckg__arena *scratch, double *t)
{
    const struct ckg__gp *gp = told->belief->gp[j];
    const double *noise = told->survey[j].noise;
    const size_t m = (size_t)rows->measured, count = (size_t)N;
    double *R = ckg__arena_doubles(scratch, m * m + 1);
    const int status = R ? noise_factor(gp, rows, noise, scratch, R) : CKG_ERR_NOMEM;
    if (status)
        return status;
    for (int i = 0; i < rows->others + rows->measured; i++) {
        const int row = rows->row[i], drawn = i >= rows->others;
        const double variance = drawn ? noise[row] : 0,
                     value = row_value(gp, row) - variance * gp->alpha[row];
        for (size_t s = 0; s < count; s++)
            t[(size_t)i * count + s] = value;
        for (int c = 0; variance > 0 && c <= i - rows->others; c++)
            add(N, sqrt(variance) * R[(size_t)(i - rows->others) * m + (size_t)c],
                z + (size_t)rows->place[rows->others + c] * count, t + (size_t)i * count);
    }
    return CKG_OK;
}

/* white (n×N) ← L⁻¹(t − m), and t − m of the designs not measured, whose white numbers are the draws. */
static void whiten(const struct layout *rows, const double *L, int N, const double *z, double *t,
                   double *white)
{
    const size_t n = (size_t)rows->n, count = (size_t)N,
                 known = (size_t)rows->others + (size_t)rows->measured;
    memcpy(white, t, known * count * sizeof *t);
    ckg__dense()->solve_lower((int)known, N, L, (int)n, white, N);
    for (size_t i = known; i < n; i++) {
        memcpy(white + i * count, z + (size_t)rows->place[i] * count, count * sizeof *z);
        memset(t + i * count, 0, count * sizeof *t);
        for (size_t c = 0; c <= i; c++)
            add(N, L[i * n + c], white + c * count, t + i * count);
    }
}

/*
 * The process of outcome j under N draws, from normals z (chosen×N), and what they say at the designs: truth
 * (chosen×N). For the objective it is the mean of the conditioned process there, as cEI has it, which the
 * nugget keeps from being the draw itself.
 */
static int draw(const struct told *told, int j, int N, const double *z, struct ckg__arena *keep,
                struct ckg__arena *scratch, struct ckg__nei_process *p, double *truth)
{
    const struct ckg__gp *gp = told->belief->gp[j];
    struct layout rows;
    if (lay_out(told, j, keep, scratch, &rows))
        return CKG_ERR_NOMEM;
    const size_t n = (size_t)rows.n, size = n * (size_t)N;
    double *L = ckg__arena_doubles(keep, n * n + 1), *t = ckg__arena_doubles(scratch, size + 1);
    *p = (struct ckg__nei_process){.gp = gp,
                                   .n = rows.n,
                                   .draws = N,
                                   .A = rows.A,
                                   .lda = rows.n,
                                   .L = L,
                                   .ldl = rows.n,
                                   .weights = ckg__arena_doubles(keep, size + 1),
                                   .across = ckg__arena_doubles(keep, size + 1)};
    if (!L || !t || !p->weights || !p->across)
        return CKG_ERR_NOMEM;
    int status = factor(gp, &rows, told->survey[j].noise, L, &p->nugget);
    if (!status)
        status = draw_measured(told, j, &rows, N, z, scratch, t);
    if (status)
        return status;
    whiten(&rows, L, N, z, t, p->weights);
    ckg__dense()->solve_lower_transposed(rows.n, N, L, rows.n, p->weights, N);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < (size_t)N; s++) {
            const double weight = p->weights[i * (size_t)N + s], smooth = j ? 0 : p->nugget * gp->s2 * weight;
            p->across[s * n + i] = weight;
            if (rows.place[i] >= 0)
                truth[(size_t)rows.place[i] * (size_t)N + s] = gp->mean + t[i * (size_t)N + s] - smooth;
        }
    return CKG_OK;
}

/*
 * An outcome that is what was measured: the process as it is. Values are on the lattice of the data again,
 * where a limit may be met exactly.
 */
static void take_measured(const struct told *told, int j, struct ckg__nei_process *p, double *truth)
{
    const struct ckg__gp *gp = told->belief->gp[j];
    *p = (struct ckg__nei_process){gp,           gp->n,        1,          gp->A,     gp->L,
                                   gp->capacity, gp->capacity, gp->nugget, gp->alpha, gp->alpha};
    for (int place = 0; j < told->judged && place < told->chosen; place++) {
        const int d = told->order[place];
        truth[place] = j ? ckg__scaling_round(gp->mean + row_value(gp, told->survey[j].row[d]))
                         : told->survey[0].mean[d];
    }
}

/* --- all outcomes --- */

/* The best value among the designs that draw i has feasible, or −INFINITY. truth[j] has draws[j] columns. */
static double best_of(const struct told *told, double *const *truth, const struct ckg__nei_process *process,
                      int i)
{
    const struct ckg__belief *belief = told->belief;
    double best = -INFINITY;
    for (int place = 0; place < told->chosen; place++) {
        int feasible = 1;
        double value[CKG__MAX_OUTCOMES];
        for (int j = 0; j < told->judged; j++) {
            const int N = process[j].draws;
            value[j] = truth[j][(size_t)place * (size_t)N + (size_t)(N > 1 ? i : 0)];
            feasible &= !j || (value[j] >= belief->lower[j] && value[j] <= belief->upper[j]);
        }
        best = feasible && value[0] > best ? value[0] : best;
    }
    return best;
}

/*
 * Standard normals z[j] (chosen×N) for each outcome that is drawn: coordinate place·drawn + i of the Sobol
 * points. Those of an outcome with an upper limit alone are turned over, so that stating the limit the other
 * way round changes nothing.
 */
static int normals(const struct told *told, const int *measured, const struct ckg__nei_draws *draws,
                   struct ckg__arena *scratch, double **z)
{
    const size_t N = (size_t)draws->count, chosen = (size_t)told->chosen;
    size_t drawn = 0, at = 0;
    for (int j = 0; j < told->belief->outcomes; j++)
        drawn += !measured[j];
    double *cube = ckg__arena_doubles(scratch, N * chosen * drawn + 1);
    if (!cube)
        return CKG_ERR_NOMEM;
    ckg__design_sobol(draws->seed, draws->first, draws->count, (int)(chosen * drawn), cube);
    for (int j = 0; j < told->belief->outcomes; j++) {
        if (measured[j])
            continue;
        const double sign = j && isinf(told->belief->lower[j]) ? -1 : 1;
        z[j] = ckg__arena_doubles(scratch, N * chosen + 1);
        if (!z[j])
            return CKG_ERR_NOMEM;
        for (size_t place = 0; place < chosen; place++)
            for (size_t i = 0; i < N; i++)
                z[j][place * N + i] = sign *
                                      ckg__normal_quantile(cube[i * chosen * drawn + place * drawn + at]);
        at++;
    }
    return CKG_OK;
}

static int draw_all(struct ckg__nei *nei, const struct told *told, const struct ckg__nei_draws *draws,
                    struct ckg__arena *keep, struct ckg__arena *scratch)
{
    const int outcomes = nei->belief->outcomes;
    int measured[CKG__MAX_OUTCOMES];
    double *z[CKG__MAX_OUTCOMES] = {NULL}, *truth[CKG__MAX_OUTCOMES] = {NULL};
    nei->draws = 1;
    for (int j = 0; j < outcomes; j++) {
        measured[j] = is_measured(told, j);
        nei->draws = measured[j] ? nei->draws : draws->count;
    }
    int status = nei->draws > 1 ? normals(told, measured, draws, scratch, z) : CKG_OK;
    for (int j = 0; !status && j < outcomes; j++) {
        truth[j] = ckg__arena_doubles(scratch,
                                      (size_t)told->chosen * (size_t)(measured[j] ? 1 : nei->draws) + 1);
        if (!truth[j])
            return CKG_ERR_NOMEM;
        if (measured[j])
            take_measured(told, j, &nei->process[j], truth[j]);
        else
            status = draw(told, j, nei->draws, z[j], keep, scratch, &nei->process[j], truth[j]);
    }
    nei->best = ckg__arena_doubles(keep, (size_t)nei->draws);
    nei->feasible = 0;
    if (status || !nei->best)
        return status ? status : CKG_ERR_NOMEM;
    for (int i = 0; i < nei->draws; i++) {
        nei->best[i] = best_of(told, truth, nei->process, i);
        nei->feasible += nei->best[i] > -INFINITY;
        nei->best[i] = nei->best[i] > -INFINITY ? nei->best[i] : nei->belief->penalty;
    }
    nei->alone = nei->feasible == 0;
    return CKG_OK;
}

int ckg__nei_make(struct ckg__nei *nei, const struct ckg__belief *belief, int judged, int n, const double *U,
                  int ldu, const struct ckg__nei_draws *draws, struct ckg__arena *keep,
                  struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    struct told *told = ckg__arena_get(scratch, 1, sizeof *told);
    if (!told)
        return CKG_ERR_NOMEM;
    *told = (struct told){.belief = belief, .n = n, .judged = judged, .U = U, .ldu = ldu};
    nei->belief = belief;
    int status = CKG_OK;
    for (int j = 0; !status && j < belief->outcomes; j++)
        status = survey_make(told, belief->gp[j], scratch, &told->survey[j]);
    if (!status)
        status = choose(told, draws->most, scratch);
    if (!status)
        status = draw_all(nei, told, draws, keep, scratch);
    ckg__arena_release(scratch, mark);
    return status;
}

/* --- values at points --- */

/*
 * One outcome at m points under all draws. Slopes are of the logarithm in mean and variance, one row per draw
 * that differs.
 */
struct sight {
    double *B, *V, *G;        /* D×m points; n×m, L⁻¹k; n×m slopes of the kernel */
    double *mean, *var;       /* draws×m; (m) */
    double *in_mean, *in_var; /* rows×m */
    int rows;
};

static int look(const struct ckg__nei_process *p, int m, const double *U, int ldu, int rows, int slopes,
                struct ckg__arena *arena, struct sight *s)
{
    const struct ckg__dense_ops *dense = ckg__dense();
    const struct ckg__gp *gp = p->gp;
    const size_t points = (size_t)m, block = ((size_t)p->n + 1) * points, D = (size_t)gp->D;
    s->rows = rows;
    s->B = ckg__arena_doubles(arena, D * points);
    s->V = ckg__arena_doubles(arena, block);
    s->mean = ckg__arena_doubles(arena, ((size_t)p->draws + 1) * points);
    s->G = slopes ? ckg__arena_doubles(arena, block) : NULL;
    s->in_mean = slopes ? ckg__arena_doubles(arena, 2 * (size_t)rows * points) : NULL;
    if (!s->B || !s->V || !s->mean || (slopes && (!s->G || !s->in_mean)))
        return CKG_ERR_NOMEM;
    s->var = s->mean + (size_t)p->draws * points;
    s->in_var = slopes ? s->in_mean + (size_t)rows * points : NULL;
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < points; i++)
            s->B[k * points + i] = U[k * (size_t)ldu + i] * gp->inv_ell[k];
    ckg__kernels()->cross(gp->kernel, gp->D, p->n, p->A, p->lda, m, s->B, m, gp->s2, s->V, s->G, m);
    if (p->draws == 1)
        dense->combine_rows(p->n, m, s->V, m, p->weights, s->mean);
    else
        dense->multiply_tn(p->draws, m, p->n, 1, p->weights, p->draws, s->V, m, 0, s->mean, m);
    for (size_t i = 0; i < (size_t)p->draws * points; i++)
        s->mean[i] += gp->mean;
    dense->solve_lower(p->n, m, p->L, p->ldl, s->V, m);
    dense->column_squares(p->n, m, s->V, m, s->var);
    for (size_t i = 0; i < points; i++)
        s->var[i] = gp->s2 > s->var[i] ? gp->s2 - s->var[i] : 0;
    return CKG_OK;
}

static double floor_of(const struct ckg__nei_process *p)
{
    return 1e-4 * p->nugget * p->gp->s2;
}

/* log h (n) and its slope h'/h (n, unless NULL) at z: by arrays where h is far from underflow. */
static void log_h(int n, const double *z, double *value, double *slope)
{
    static const double far = -30;
    ckg__vector()->normal_ei(n, z, value);
    if (slope)
        ckg__vector()->normal_cdf(n, z, slope);
    for (int i = 0; slope && i < n; i++)
        slope[i] = z[i] > far ? slope[i] / value[i] : ckg__normal_log_ei_slope(z[i]);
    ckg__vector()->log(n, value, value);
    for (int i = 0; i < n; i++)
        if (!(z[i] > far))
            value[i] = ckg__normal_log_ei(z[i]);
}

/* sd and 1/sd (m each) of an outcome, its variance not below the floor. */
static double *spreads(const struct ckg__nei_process *p, int m, const struct sight *s,
                       struct ckg__arena *arena)
{
    const double floor = floor_of(p);
    double *sd = ckg__arena_doubles(arena, 2 * (size_t)m);
    for (int i = 0; sd && i < m; i++) {
        sd[i] = sqrt(s->var[i] > floor ? s->var[i] : floor);
        sd[m + i] = 1 / sd[i];
    }
    return sd;
}

/* total (draws×m) ← log EI of every draw, and its slopes in sight. */
static int improve(const struct ckg__nei *nei, int m, struct ckg__arena *arena, struct sight *s,
                   double *total)
{
    const size_t points = (size_t)m, stride = nei->process[0].draws > 1 ? points : 0;
    const double floor = floor_of(&nei->process[0]);
    double *z = ckg__arena_doubles(arena, ((size_t)nei->draws + 1) * points),
           *sd = spreads(&nei->process[0], m, s, arena);
    if (!z || !sd)
        return CKG_ERR_NOMEM;
    double *log_sd = z + (size_t)nei->draws * points, *inverse = sd + points;
    ckg__vector()->log(m, sd, log_sd);
    for (size_t i = 0; i < (size_t)nei->draws; i++)
        for (size_t p = 0; p < points; p++)
            z[i * points + p] = (s->mean[i * stride + p] - nei->best[i]) * inverse[p];
    log_h(nei->draws * m, z, total, s->in_mean);
    for (size_t i = 0; i < (size_t)nei->draws; i++)
        add(m, 1, log_sd, total + i * points);
    for (size_t at = 0; s->in_mean && at < (size_t)nei->draws * points; at++) {
        const size_t p = at % points;
        s->in_var[at] = s->var[p] > floor ? 0.5 * (1 - s->in_mean[at] * z[at]) * inverse[p] * inverse[p] : 0;
        s->in_mean[at] *= inverse[p];
    }
    return CKG_OK;
}

/* One limit, drawn: log Φ(z) of every draw by arrays, z the distance to it in sd. */
static int restrict_one_sided(const struct ckg__nei *nei, int j, int m, struct ckg__arena *arena,
                              struct sight *s, double *total)
{
    const struct ckg__nei_process *process = &nei->process[j];
    const size_t points = (size_t)m, size = (size_t)s->rows * points;
    const double sign = isinf(nei->belief->lower[j]) ? -1 : 1,
                 limit = sign < 0 ? nei->belief->upper[j] : nei->belief->lower[j];
    double *z = ckg__arena_doubles(arena, 2 * size), *sd = spreads(process, m, s, arena);
    if (!z || !sd)
        return CKG_ERR_NOMEM;
    double *log_p = z + size, *inverse = sd + points;
    for (size_t i = 0; i < (size_t)s->rows; i++)
        for (size_t p = 0; p < points; p++)
            z[i * points + p] = sign * (s->mean[i * points + p] - limit) * inverse[p];
    ckg__vector()->normal_log_cdf((int)size, z, log_p, s->in_mean);
    add((int)size, 1, log_p, total);
    for (size_t at = 0; s->in_mean && at < size; at++) {
        const size_t p = at % points;
        s->in_var[at] = s->var[p] > floor_of(process)
                            ? -0.5 * z[at] * s->in_mean[at] * inverse[p] * inverse[p]
                            : 0;
        s->in_mean[at] *= sign * inverse[p];
    }
    return CKG_OK;
}

/* Adds a constraint's log PF: to total (draws×m) where the draws differ, else to common (m). */
static int restrict_to_limits(const struct ckg__nei *nei, int j, int m, struct ckg__arena *arena,
                              struct sight *s, double *total, double *common)
{
    const double lower = nei->belief->lower[j], upper = nei->belief->upper[j];
    if (s->rows > 1 && isinf(lower) != isinf(upper))
        return restrict_one_sided(nei, j, m, arena, s, total);
    for (int i = 0; i < s->rows; i++) {
        const size_t at = (size_t)i * (size_t)m;
        ckg__log_feasible(m, s->mean + at, s->var, floor_of(&nei->process[j]), lower, upper,
                          s->rows > 1 ? total + at : common, s->in_mean ? s->in_mean + at : NULL,
                          s->in_mean ? s->in_var + at : NULL);
    }
    return CKG_OK;
}

/* value (m) ← log of the mean over draws of exp(total) + value; total ← each draw's share in the sum. */
static int average(int draws, int m, struct ckg__arena *arena, double *total, double *value)
{
    const size_t points = (size_t)m, size = (size_t)draws * points;
    double *top = ckg__arena_doubles(arena, 2 * points);
    if (!top)
        return CKG_ERR_NOMEM;
    double *sum = top + points;
    memcpy(top, total, points * sizeof *top);
    memset(sum, 0, points * sizeof *sum);
    for (size_t i = 1; i < (size_t)draws; i++)
        for (size_t p = 0; p < points; p++)
            top[p] = total[i * points + p] > top[p] ? total[i * points + p] : top[p];
    for (size_t p = 0; p < points; p++)
        top[p] = isfinite(top[p]) ? top[p] : -DBL_MAX; /* no draw has any: shares of zero */
    for (size_t i = 0; i < (size_t)draws; i++)
        add(m, -1, top, total + i * points);
    ckg__vector()->exp((int)size, total, total);
    for (size_t i = 0; i < (size_t)draws; i++)
        add(m, 1, total + i * points, sum);
    for (size_t p = 0; p < points; p++) {
        value[p] += sum[p] > 0 ? top[p] + log(sum[p] / draws) : -INFINITY;
        sum[p] = sum[p] > 0 ? 1 / sum[p] : 0;
    }
    for (size_t i = 0; i < (size_t)draws; i++)
        for (size_t p = 0; p < points; p++)
            total[i * points + p] *= sum[p];
    return CKG_OK;
}

/*
 * Weighs the slopes by the draws' shares: in_var becomes one row, and in_mean one where the draws have one
 * mean.
 */
static void weigh(const struct ckg__nei_process *p, int m, const double *share, struct sight *s)
{
    const size_t points = (size_t)m, size = (size_t)s->rows * points;
    for (size_t at = 0; s->rows > 1 && at < size; at++) {
        s->in_mean[at] *= share[at];
        s->in_var[at] *= share[at];
    }
    for (size_t at = points; at < size; at++) {
        s->in_var[at % points] += s->in_var[at];
        s->in_mean[at % points] += p->draws > 1 ? 0 : s->in_mean[at];
    }
}

/* Adds one outcome's part to the gradient (D×m): Σ_i (Σ_draws w·∂μ − 2 ∂var (L⁻ᵀv)_i) ∂k_i. */
static int pull(const struct ckg__nei_process *p, int m, struct ckg__arena *arena, struct sight *s,
                double *gradient)
{
    const struct ckg__gp *gp = p->gp;
    const size_t points = (size_t)m;
    double *out = ckg__arena_doubles(arena, (size_t)gp->D * points);
    if (!out)
        return CKG_ERR_NOMEM;
    ckg__dense()->solve_lower_transposed(p->n, m, p->L, p->ldl, s->V, m);
    for (size_t i = 0; i < (size_t)p->n; i++)
        for (size_t k = 0; k < points; k++)
            s->V[i * points + k] *= -2 * s->in_var[k];
    ckg__dense()->multiply_tn(p->n, m, p->draws, 1, p->across, p->n, s->in_mean, m, 1, s->V, m);
    ckg__kernels()->gradient_each(gp->D, p->n, p->A, p->lda, m, s->B, m, s->V, m, s->G, m, out, m);
    for (int k = 0; k < gp->D; k++)
        add(m, gp->inv_ell[k], out + (size_t)k * points, gradient + (size_t)k * points);
    return CKG_OK;
}

/* Where there is nothing to average over: cEI with one best. */
static int plain(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                 double *value, double *gradient)
{
    const double best = nei->alone ? -INFINITY : nei->best[0];
    if (gradient)
        return ckg__cei_batch(nei->belief, best, m, U, ldu, arena, value, gradient);
    struct ckg__view view[CKG__MAX_OUTCOMES];
    for (int j = 0; j < nei->belief->outcomes; j++)
        if (ckg__view_make(&view[j], nei->belief->gp[j], m, U, ldu, arena))
            return CKG_ERR_NOMEM;
    ckg__cei_views(nei->belief, best, view, value);
    return CKG_OK;
}

static int averaged(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                    double *value, double *gradient)
{
    const int outcomes = nei->belief->outcomes;
    struct sight sight[CKG__MAX_OUTCOMES];
    double *total = ckg__arena_doubles(arena, (size_t)nei->draws * (size_t)m);
    if (!total)
        return CKG_ERR_NOMEM;
    memset(value, 0, (size_t)m * sizeof *value);
    for (int j = 0; j < outcomes; j++)
        if (look(&nei->process[j], m, U, ldu, j ? nei->process[j].draws : nei->draws, gradient != NULL, arena,
                 &sight[j]))
            return CKG_ERR_NOMEM;
    if (improve(nei, m, arena, &sight[0], total))
        return CKG_ERR_NOMEM;
    for (int j = 1; j < outcomes; j++)
        if (restrict_to_limits(nei, j, m, arena, &sight[j], total, value))
            return CKG_ERR_NOMEM;
    if (average(nei->draws, m, arena, total, value))
        return CKG_ERR_NOMEM;
    if (!gradient)
        return CKG_OK;
    memset(gradient, 0, (size_t)nei->belief->gp[0]->D * (size_t)m * sizeof *gradient);
    int status = CKG_OK;
    for (int j = 0; !status && j < outcomes; j++) {
        weigh(&nei->process[j], m, total, &sight[j]);
        status = pull(&nei->process[j], m, arena, &sight[j], gradient);
    }
    return status;
}

int ckg__nei_batch(const struct ckg__nei *nei, int m, const double *U, int ldu, struct ckg__arena *arena,
                   double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int single = nei->alone || nei->draws == 1;
    const int status = single ? plain(nei, m, U, ldu, arena, value, gradient)
                              : averaged(nei, m, U, ldu, arena, value, gradient);
    ckg__arena_release(arena, mark);
    return status;
}
