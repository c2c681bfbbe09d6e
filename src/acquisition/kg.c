/*
 * cKG by the exact upper envelope at common nodes of Z_c (kg.h has the formula), and its gradient in reverse: from the envelope's
 * weights ∂E/∂a = ΔΦ, ∂E/∂b = −Δφ to the σ̃ of each point on it, to the covariances, to x⁺ by one triangular solve per outcome.
 * Cost per value: nodes × (m·K Φ + envelopes); the gradient adds O(n² + n·m) per outcome.
 */
#include "acquisition/kg.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/normal.h"

int ckg__kg_work_take(struct ckg__kg_work *w, const struct ckg__kg *kg, struct ckg__arena *arena)
{
    const struct ckg__belief *belief = kg->belief;
    const size_t room = ((size_t)kg->m + 16) / 8 * 8;
    int ok = 1;
    w->room = (int)room;
    double **arrays[] = {&w->gain, &w->pf, &w->a, &w->b, &w->cov};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok &= (*arrays[i] = ckg__arena_doubles(arena, room)) != NULL;
    ok &= (w->t = ckg__arena_doubles(arena, 2 * room)) != NULL;
    for (int j = 0; j < belief->outcomes; j++) {
        ok &= (w->sigma[j] = ckg__arena_doubles(arena, room)) != NULL;
        if (!j)
            continue;
        struct ckg__ahead *ahead = &w->ahead[j];
        ok &= (ahead->shift = ckg__arena_doubles(arena, room)) != NULL;
        ok &= (ahead->inv_sd = ckg__arena_doubles(arena, room)) != NULL;
        ahead->high = isinf(belief->upper[j]) ? NULL : ckg__arena_doubles(arena, room);
        ahead->low = isinf(belief->lower[j]) ? NULL : ckg__arena_doubles(arena, room);
        ok &= ahead->high || ahead->low;
    }
    return ok ? CKG_OK : CKG_ERR_NOMEM;
}

/* The standard deviation of what a sample at x⁺ will show. */
static double surprise(const struct ckg__gp *gp, double var)
{
    return sqrt(var + gp->future);
}

/* One constraint at x⁺ itself, as the last of the points. */
static void ahead_at_candidate(const struct ckg__kg *kg, const struct ckg__kg_candidate *c, int j, struct ckg__kg_work *w)
{
    const struct ckg__gp *gp = kg->belief->gp[j];
    const struct ckg__ahead all = w->ahead[j];
    struct ckg__ahead last = {all.high ? all.high + kg->m : NULL, all.low ? all.low + kg->m : NULL, all.shift + kg->m, all.inv_sd + kg->m};
    ckg__lines()->ahead(1, &c->var[j], 1 / surprise(gp, c->var[j]), &c->mean[j], &c->var[j], ckg__variance_floor(gp), kg->belief->lower[j],
                        kg->belief->upper[j], w->sigma[j] + kg->m, &last);
}

/* Fills gain, σ̃ and the constraints one step ahead for X_d and, as point m, x⁺. */
static void look_ahead(const struct ckg__kg *kg, const struct ckg__kg_candidate *c, struct ckg__kg_work *w)
{
    const struct ckg__belief *belief = kg->belief;
    const int m = kg->m;
    const double scale = 1 / surprise(belief->gp[0], c->var[0]);
    memcpy(w->gain, kg->gain, (size_t)m * sizeof *w->gain);
    w->gain[m] = c->mean[0] - belief->penalty;
    for (int p = 0; p < m; p++)
        w->sigma[0][p] = c->cov[0][p] * scale;
    w->sigma[0][m] = c->var[0] * scale;
    for (int j = 1; j < belief->outcomes; j++) {
        const struct ckg__gp *gp = belief->gp[j];
        const struct ckg__view *view = &kg->view[j];
        ckg__lines()->ahead(m, c->cov[j], 1 / surprise(gp, c->var[j]), view->mean, view->var, ckg__variance_floor(gp), belief->lower[j],
                            belief->upper[j], w->sigma[j], &w->ahead[j]);
        ahead_at_candidate(kg, c, j, w);
    }
}

/* The lines at node q, into w->a and w->b, and the probabilities in w->pf. */
static void lines_at(const struct ckg__kg *kg, int q, struct ckg__kg_work *w)
{
    const struct ckg__line_ops *ops = ckg__lines();
    const int m = kg->m + 1, K = kg->belief->outcomes - 1;
    const double *z = kg->nodes->z + (size_t)q * (size_t)K;
    for (int p = 0; !K && p < m; p++)
        w->pf[p] = 1;
    for (int j = 1; j <= K; j++)
        ops->feasible(m, &w->ahead[j], z[j - 1], j == 1, w->pf, w->t);
    ops->lines(m, w->gain, w->sigma[0], w->pf, w->a, w->b);
}

double ckg__kg_value(const struct ckg__kg *kg, const struct ckg__kg_candidate *candidate, struct ckg__kg_work *w, int *hits)
{
    struct ckg__envelope envelope;
    double sum = 0;
    look_ahead(kg, candidate, w);
    for (int q = 0; q < kg->nodes->count; q++) {
        lines_at(kg, q, w);
        sum += ckg__lines()->expected_maximum(kg->m + 1, w->a, w->b, kg->r, hits ? &envelope : NULL);
        for (int i = 0; hits && i < envelope.count; i++)
            if (envelope.line[i] < kg->m)
                hits[envelope.line[i]]++;
    }
    return sum / kg->nodes->count;
}

int ckg__kg_winner(const struct ckg__kg *kg, int q, double z_y, struct ckg__kg_work *w)
{
    lines_at(kg, q, w);
    int best = kg->r;
    for (int p = 0; p < kg->m; p++)
        best = w->a[p] + w->b[p] * z_y > w->a[best] + w->b[best] * z_y ? p : best;
    return best;
}

/* Adjoints: the derivative of the sum over nodes in each σ̃_j(p), and in the mean and variance of x⁺ itself. */
struct adjoint {
    double *sigma[CKG__MAX_OUTCOMES]; /* (m+1) */
    double mean[CKG__MAX_OUTCOMES], var[CKG__MAX_OUTCOMES];
};

/* Probability of constraint j at point p and surprise z, with its slopes in σ̃, mean and variance. */
static double feasible_slopes(const struct ckg__belief *belief, const struct ckg__kg_work *w, int j, int p, double z, double slope[3])
{
    const struct ckg__ahead *ahead = &w->ahead[j];
    const double inv = ahead->inv_sd[p], sigma = w->sigma[j][p], floor = ckg__variance_floor(belief->gp[j]);
    const int floored = inv * inv * floor >= 1 - 1e-12; /* the variance counts as its floor, which does not move */
    const double *const limit[2] = {ahead->high, ahead->low};
    double probability = ahead->high ? 0 : 1;
    slope[0] = slope[1] = slope[2] = 0;
    for (int side = 0; side < 2; side++) {
        if (!limit[side])
            continue;
        const double sign = side ? -1 : 1, arg = limit[side][p] - ahead->shift[p] * z, density = sign * ckg__normal_pdf(arg);
        probability += sign * ckg__normal_cdf(arg);
        slope[0] += density * (-z * inv + (floored ? 0 : arg * sigma * inv * inv));
        slope[1] -= density * inv;
        slope[2] -= floored ? 0 : density * 0.5 * arg * inv * inv;
    }
    return probability;
}

/* Adds what line p, with weights wa = ∂E/∂a and wb = ∂E/∂b at node z, gives to the adjoints. */
static void add_line(const struct ckg__kg *kg, const struct ckg__kg_work *w, const double *z, int p, double wa, double wb, struct adjoint *adj)
{
    const struct ckg__belief *belief = kg->belief;
    const int outcomes = belief->outcomes;
    double part[CKG__MAX_OUTCOMES], slope[CKG__MAX_OUTCOMES][3];
    double pf = 1;
    for (int j = 1; j < outcomes; j++) {
        part[j] = feasible_slopes(belief, w, j, p, z[j - 1], slope[j]);
        pf *= part[j];
    }
    adj->sigma[0][p] += wb * pf;
    if (p == kg->m)
        adj->mean[0] += wa * pf;
    const double in_pf = wa * w->gain[p] + wb * w->sigma[0][p];
    for (int j = 1; j < outcomes; j++) {
        double others = in_pf;
        for (int i = 1; i < outcomes; i++)
            others *= i == j ? 1 : part[i];
        adj->sigma[j][p] += others * slope[j][0];
        if (p == kg->m) {
            adj->mean[j] += others * slope[j][1];
            adj->var[j] += others * slope[j][2];
        }
    }
}

/* Φ(b) − Φ(a) and φ(a) − φ(b) for a < b, either infinite. */
static void between(double a, double b, double *mass, double *moment)
{
    const double tail = a + b > 0 ? ckg__normal_cdf(-a) - ckg__normal_cdf(-b) : ckg__normal_cdf(b) - ckg__normal_cdf(a);
    *mass = tail;
    *moment = (isinf(a) ? 0 : ckg__normal_pdf(a)) - (isinf(b) ? 0 : ckg__normal_pdf(b));
}

/* The sum over the nodes of the value, and of the adjoints. */
static double reverse_nodes(const struct ckg__kg *kg, struct ckg__kg_work *w, struct adjoint *adj)
{
    struct ckg__envelope e;
    double sum = 0;
    for (int q = 0; q < kg->nodes->count; q++) {
        const double *z = kg->nodes->z + (size_t)q * (size_t)(kg->belief->outcomes - 1);
        lines_at(kg, q, w);
        sum += ckg__lines()->expected_maximum(kg->m + 1, w->a, w->b, kg->r, &e);
        for (int i = 0; i < e.count; i++) {
            double mass, moment;
            between(i ? e.z[i - 1] : -INFINITY, i + 1 < e.count ? e.z[i] : INFINITY, &mass, &moment);
            add_line(kg, w, z, e.line[i], mass, moment, adj);
        }
        add_line(kg, w, z, kg->r, -1, 0, adj);
    }
    return sum;
}

/* x⁺ under one outcome, with the slopes of its covariances with the data. */
struct at_candidate {
    struct ckg__view view;
    double *slope; /* (n) g between x⁺ and the data */
};

static int view_candidate(const struct ckg__gp *gp, const double *u, struct ckg__arena *arena, struct at_candidate *at)
{
    at->slope = ckg__arena_doubles(arena, (size_t)gp->n + 1);
    double *k = ckg__arena_doubles(arena, (size_t)gp->n + 1);
    if (!at->slope || !k || ckg__view_make(&at->view, gp, 1, u, 1, arena))
        return CKG_ERR_NOMEM;
    ckg__kernels()->cross(gp->kernel, gp->D, gp->n, gp->A, gp->capacity, 1, at->view.B, at->view.ld, gp->s2, k, at->slope, 1);
    return CKG_OK;
}

/*
 * Adds outcome j's share of the gradient: with c_p the adjoint of cov(p) and v that of var(x⁺),
 *     Σ_p c_p ∂k(x_p, x⁺) + Σ_i (mean·α_i − ω_i) ∂k_i(x⁺),   ω = L⁻ᵀ(Σ_p c_p V_p + 2v·V⁺).
 */
static int chain(const struct ckg__kg *kg, const struct at_candidate *at, int j, const double *cov_adjoint, double mean_adjoint,
                 double var_adjoint, struct ckg__arena *arena, double *gradient)
{
    const struct ckg__gp *gp = kg->belief->gp[j];
    const struct ckg__view *points = &kg->view[j];
    const int n = gp->n, m = kg->m, D = gp->D;
    double *weights = ckg__arena_doubles(arena, (size_t)n + 1), *out = ckg__arena_doubles(arena, (size_t)D);
    double *k = ckg__arena_doubles(arena, (size_t)m), *g = ckg__arena_doubles(arena, (size_t)m);
    if (!weights || !out || !k || !g)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < n; i++)
        weights[i] = ckg__dense()->dot(m, points->V + (size_t)i * (size_t)points->ld, cov_adjoint) +
                     2 * var_adjoint * at->view.V[(size_t)i * (size_t)at->view.ld];
    ckg__dense()->solve_lower_transposed(n, 1, gp->L, gp->capacity, weights, 1);
    for (int i = 0; i < n; i++)
        weights[i] = mean_adjoint * gp->alpha[i] - weights[i];
    ckg__kernels()->gradient_common(D, n, gp->A, gp->capacity, 1, at->view.B, at->view.ld, weights, at->slope, 1, out, 1);
    ckg__kernels()->cross(gp->kernel, D, 1, at->view.B, at->view.ld, m, points->B, points->ld, gp->s2, k, g, m);
    for (int d = 0; d < D; d++) {
        const double here = at->view.B[(size_t)d * (size_t)at->view.ld];
        const double *b = points->B + (size_t)d * (size_t)points->ld;
        double sum = out[d];
        for (int p = 0; p < m; p++)
            sum += cov_adjoint[p] * g[p] * (here - b[p]);
        gradient[d] += sum * gp->inv_ell[d];
    }
    return CKG_OK;
}

/* From the adjoints of σ̃ to those of covariances and of var(x⁺), and on to x⁺. σ̃ is in w->sigma. */
static int chain_outcome(const struct ckg__kg *kg, const struct at_candidate *at, int j, const struct ckg__kg_work *w, struct adjoint *adj,
                         struct ckg__arena *arena, double *gradient)
{
    const int m = kg->m;
    const double s = surprise(kg->belief->gp[j], at->view.var[0]);
    double *c = adj->sigma[j];
    double var = adj->var[j] + c[m] / s;
    for (int p = 0; p <= m; p++) {
        var -= 0.5 * c[p] * w->sigma[j][p] / (s * s);
        c[p] /= s;
    }
    return chain(kg, at, j, c, adj->mean[j], var, arena, gradient);
}

/* Everything about x⁺ = u that a value needs; the arrays come from the arena. */
static int meet_candidate(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena, struct at_candidate *at,
                          struct ckg__kg_candidate *candidate)
{
    for (int j = 0; j < kg->belief->outcomes; j++) {
        double *cov = ckg__arena_doubles(arena, (size_t)kg->m);
        if (!cov || view_candidate(kg->belief->gp[j], u, arena, &at[j]))
            return CKG_ERR_NOMEM;
        ckg__view_covariance(kg->belief->gp[j], &kg->view[j], &at[j].view, 0, 1, cov, kg->m);
        candidate->mean[j] = at[j].view.mean[0];
        candidate->var[j] = at[j].view.var[0];
        candidate->cov[j] = cov;
    }
    return CKG_OK;
}

int ckg__kg_value_at(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena, double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct at_candidate at[CKG__MAX_OUTCOMES];
    struct ckg__kg_candidate candidate;
    struct ckg__kg_work work;
    int status = ckg__kg_work_take(&work, kg, arena);
    if (!status)
        status = meet_candidate(kg, u, arena, at, &candidate);
    if (!status)
        *value = ckg__kg_value(kg, &candidate, &work, NULL);
    ckg__arena_release(arena, mark);
    return status;
}

int ckg__kg_gradient(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena, double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int outcomes = kg->belief->outcomes, D = kg->belief->gp[0]->D;
    struct at_candidate at[CKG__MAX_OUTCOMES];
    struct ckg__kg_candidate candidate;
    struct ckg__kg_work work;
    struct adjoint adj = {0};
    int status = ckg__kg_work_take(&work, kg, arena);
    for (int j = 0; !status && j < outcomes; j++) {
        adj.sigma[j] = ckg__arena_doubles(arena, (size_t)work.room);
        status = adj.sigma[j] ? CKG_OK : CKG_ERR_NOMEM;
        if (!status)
            memset(adj.sigma[j], 0, (size_t)work.room * sizeof(double));
    }
    if (!status)
        status = meet_candidate(kg, u, arena, at, &candidate);
    if (!status) {
        look_ahead(kg, &candidate, &work);
        *value = reverse_nodes(kg, &work, &adj) / kg->nodes->count;
        memset(gradient, 0, (size_t)D * sizeof *gradient);
    }
    for (int j = 0; !status && j < outcomes; j++)
        status = chain_outcome(kg, &at[j], j, &work, &adj, arena, gradient);
    for (int k = 0; !status && k < D; k++)
        gradient[k] /= kg->nodes->count;
    ckg__arena_release(arena, mark);
    return status;
}
