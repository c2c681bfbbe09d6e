/*
 * cKG by the exact upper envelope at common nodes of Z_c (kg.h has the formula), and its gradient in reverse:
 * from the envelope's weights ∂E/∂a = ΔΦ, ∂E/∂b = −Δφ to the σ̃ of each point on it, to the covariances, to x⁺
 * by one triangular solve per outcome. Cost per value: nodes × (m·K Φ + envelopes); the gradient adds O(n² +
 * n·m) per outcome.
 */
#include "acquisition/kg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "linalg/normal.h"

int ckg__kg_work_take(struct ckg__kg_work *w, const struct ckg__kg *kg, struct ckg__arena *arena)
{
    assert(kg->m > 0);

    const struct ckg__belief *belief = kg->belief;
    const size_t room = ((size_t)kg->m + 16) / 8 * 8;

    w->room = (int)room;
    if (CKG__TAKE(arena, CKG__ROOM(w->gain, room), CKG__ROOM(w->pf, room), CKG__ROOM(w->a, room),
                  CKG__ROOM(w->b, room), CKG__ROOM(w->worst, room), CKG__ROOM(w->other, room),
                  CKG__ROOM(w->fixed, room), CKG__ROOM(w->t, 2 * room), CKG__ROOM(w->sigma[0], room)))
        return CKG_ERR_NOMEM;
    for (int j = 1; j < belief->outcomes; j++) {
        struct ckg__ahead *ahead = &w->ahead[j];

        ahead->high = ahead->low = NULL;
        if (CKG__TAKE(arena, CKG__ROOM(w->sigma[j], room), CKG__ROOM(ahead->shift, room),
                      CKG__ROOM(ahead->inv_sd, room)) ||
            (!isinf(belief->upper[j]) && CKG__TAKE(arena, CKG__ROOM(ahead->high, room))) ||
            (!isinf(belief->lower[j]) && CKG__TAKE(arena, CKG__ROOM(ahead->low, room))))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

void ckg__kg_noise(const struct ckg__belief *belief, int j, int count, const double *U, int ldu,
                   const double *mean, const double *var, struct ckg__noise *noise)
{
    const struct ckg__gp *gp = belief->gp[j];
    const int D = ckg__gp_coordinates(gp);

    ckg__posterior_noise(gp, count, U, ldu, mean, var, noise);
    for (int p = 0; belief->hidden[j] && p < count; p++) {
        noise->var[p] = INFINITY;
        if (noise->in_mean)
            noise->in_mean[p] = noise->in_var[p] = 0;
        for (int k = 0; noise->in_u && k < D; k++)
            noise->in_u[(size_t)k * (size_t)count + (size_t)p] = 0;
    }
}

/* The standard deviation of what a sample at x⁺ will show of outcome j. */
static double surprise(const struct ckg__kg_candidate *c, int j)
{
    assert(c->var[j] >= 0 && c->noise[j] >= 0);

    return sqrt(c->var[j] + c->noise[j]);
}

/* One constraint at x⁺ itself, as the last of the points. */
static void ahead_at_candidate(const struct ckg__kg *kg, const struct ckg__kg_candidate *c, int j,
                               struct ckg__kg_work *w)
{
    const struct ckg__limits limits = ckg__belief_limits(kg->belief, j);
    const struct ckg__ahead all = w->ahead[j];
    struct ckg__ahead last = {all.high ? all.high + kg->m : NULL, all.low ? all.low + kg->m : NULL,
                              all.shift + kg->m, all.inv_sd + kg->m};
    ckg__lines()->ahead(1, &c->var[j], 1 / surprise(c, j), &c->mean[j], &c->var[j], &limits,
                        w->sigma[j] + kg->m, &last);
}

/* Multiplies the probability of the group from j to before `end` into pf, or puts it there first. */
static void group_at(int j, int end, int m, const double *z, int first, struct ckg__kg_work *w, double *pf)
{
    const struct ckg__line_ops *ops = ckg__lines();

    if (end == j + 1) {
        ops->feasible(m, &w->ahead[j], z[j - 1], first, pf, w->t);
        return;
    }

    /* Of several the smallest. */
    ops->feasible(m, &w->ahead[j], z[j - 1], 1, w->worst, w->t);
    for (int k = j + 1; k < end; k++) {
        ops->feasible(m, &w->ahead[k], z[k - 1], 1, w->other, w->t);
        for (int p = 0; p < m; p++)
            w->worst[p] = fmin(w->worst[p], w->other[p]);
    }
    for (int p = 0; p < m; p++)
        pf[p] = first ? w->worst[p] : pf[p] * w->worst[p];
}

/* 1 when nothing is measured of the constraints from j to before `end`. */
static int is_still(const struct ckg__kg_candidate *c, int j, int end)
{
    int still = 1;

    for (int k = j; k < end; k++)
        still &= isinf(c->noise[k]) != 0;
    return still;
}

/* Finds the groups that Z_c does not move, and their probability. */
static void find_still(const struct ckg__kg *kg, const struct ckg__kg_candidate *c, struct ckg__kg_work *w)
{
    int first = 1;
    int next;

    w->moving = 0;
    for (int j = 1; j < kg->belief->outcomes; j = next) {
        next = ckg__belief_after(kg->belief, j);
        w->still[j] = (unsigned char)is_still(c, j, next);
        w->moving += !w->still[j];
        if (!w->still[j])
            continue;
        group_at(j, next, kg->m + 1, kg->nodes->z, first, w, w->fixed);
        first = 0;
    }
    if (first)
        for (int p = 0; p <= kg->m; p++)
            w->fixed[p] = 1;
}

/* Fills gain, σ̃ and the constraints one step ahead for X_d and, as point m, x⁺. */
static void look_ahead(const struct ckg__kg *kg, const struct ckg__kg_candidate *c, struct ckg__kg_work *w)
{
    const struct ckg__belief *belief = kg->belief;
    const int m = kg->m;
    const double scale = 1 / surprise(c, 0);

    memcpy(w->gain, kg->gain, (size_t)m * sizeof *w->gain);
    w->gain[m] = c->mean[0] - belief->penalty;
    for (int p = 0; p < m; p++)
        w->sigma[0][p] = c->cov[0][p] * scale;
    w->sigma[0][m] = c->var[0] * scale;
    for (int j = 1; j < belief->outcomes; j++) {
        const struct ckg__limits limits = ckg__belief_limits(belief, j);
        const struct ckg__view *view = &kg->view[j];
        ckg__lines()->ahead(m, c->cov[j], 1 / surprise(c, j), view->mean, view->var, &limits, w->sigma[j],
                            &w->ahead[j]);
        ahead_at_candidate(kg, c, j, w);
    }
    find_still(kg, c, w);
}

/* The lines at node q, into w->a and w->b, and the probabilities in w->pf. */
static void lines_at(const struct ckg__kg *kg, int q, struct ckg__kg_work *w)
{
    const int m = kg->m + 1;
    const int K = kg->belief->outcomes - 1;
    const double *z = kg->nodes->z + (size_t)q * (size_t)K;
    int groups = 0;
    int moved = 0;
    int next;

    /* What Z_c moves, */
    for (int j = 1; j <= K; j = next, groups++) {
        next = ckg__belief_after(kg->belief, j);
        if (!w->still[j])
            group_at(j, next, m, z, !moved++, w, w->pf);
    }

    /* and what it does not. */
    for (int p = 0; moved < groups && p < m; p++)
        w->pf[p] = moved ? w->pf[p] * w->fixed[p] : w->fixed[p];
    for (int p = 0; !K && p < m; p++)
        w->pf[p] = 1;
    ckg__lines()->lines(m, w->gain, w->sigma[0], w->pf, w->a, w->b);
}

double ckg__kg_value(const struct ckg__kg *kg, const struct ckg__kg_candidate *candidate,
                     struct ckg__kg_work *w, int *hits)
{
    assert(w->room > kg->m && kg->r >= 0 && kg->r < kg->m);
    assert(kg->nodes->count > 0);

    struct ckg__envelope envelope;
    double sum = 0;
    look_ahead(kg, candidate, w);

    /* Where no constraint is measured, all nodes are alike. */
    const int nodes = w->moving ? kg->nodes->count : 1;
    for (int q = 0; q < nodes; q++) {
        lines_at(kg, q, w);
        sum += ckg__lines()->expected_maximum(kg->m + 1, w->a, w->b, kg->r, hits ? &envelope : NULL);
        for (int i = 0; hits && i < envelope.count; i++)
            if (envelope.line[i] < kg->m)
                hits[envelope.line[i]]++;
    }
    return sum / nodes;
}

int ckg__kg_winner(const struct ckg__kg *kg, int q, double z_y, struct ckg__kg_work *w)
{
    assert(q >= 0 && q < kg->nodes->count);

    lines_at(kg, q, w);
    int best = kg->r;
    for (int p = 0; p < kg->m; p++)
        best = w->a[p] + w->b[p] * z_y > w->a[best] + w->b[best] * z_y ? p : best;
    return best;
}

/*
 * Adjoints: the derivative of the sum over nodes in each σ̃_j(p), and in the mean and variance of x⁺ itself.
 */
struct adjoint {
    double *sigma[CKG__MAX_OUTCOMES]; /* (m+1) */
    double mean[CKG__MAX_OUTCOMES], var[CKG__MAX_OUTCOMES];
};

/* Probability of constraint j at point p and surprise z, with its slopes in σ̃, mean and variance. */
static double feasible_slopes(const struct ckg__belief *belief, const struct ckg__kg_work *w, int j, int p,
                              double z, double slope[3])
{
    const struct ckg__ahead *ahead = &w->ahead[j];
    const double inv = ahead->inv_sd[p];
    const double sigma = w->sigma[j][p];
    const double floor = ckg__variance_floor(belief->gp[j]) + ckg__gp_chance(belief->gp[j]);

    /* At its floor the variance does not move with the point. */
    const int floored = inv * inv * floor >= 1 - 1e-12;
    const double *const limit[2] = {ahead->high, ahead->low};
    double probability = ahead->high ? 0 : 1; /* Φ(high) − Φ(low), where Φ(∞) = 1 without an upper limit */
    slope[0] = slope[1] = slope[2] = 0;
    for (int side = 0; side < 2; side++) {
        if (!limit[side])
            continue;
        const double sign = side ? -1 : 1;
        const double arg = limit[side][p] - ahead->shift[p] * z;
        const double density = sign * ckg__normal_pdf(arg);
        probability += sign * ckg__normal_cdf(arg);
        slope[0] += density * (-z * inv + (floored ? 0 : arg * sigma * inv * inv));
        slope[1] -= density * inv;
        slope[2] -= floored ? 0 : density * 0.5 * arg * inv * inv;
    }
    return probability;
}

/* Of the group from j to before `end` only the smallest probability counts; the others become 1. */
static void keep_worst(int j, int end, double *part, double slope[][3])
{
    int worst = j;

    for (int k = j + 1; k < end; k++)
        worst = part[k] < part[worst] ? k : worst;
    for (int k = j; k < end; k++)
        if (k != worst) {
            part[k] = 1;
            slope[k][0] = slope[k][1] = slope[k][2] = 0;
        }
}

/* Adds what line p, with weights wa = ∂E/∂a and wb = ∂E/∂b at node z, gives to the adjoints. */
static void add_line(const struct ckg__kg *kg, const struct ckg__kg_work *w, const double *z, int p,
                     double wa, double wb, struct adjoint *adj)
{
    const struct ckg__belief *belief = kg->belief;
    const int outcomes = belief->outcomes;
    double part[CKG__MAX_OUTCOMES];
    double slope[CKG__MAX_OUTCOMES][3];
    int open[CKG__MAX_OUTCOMES];
    int count = 0;
    double pf = 1;

    /* The probability of feasibility there, constraint by constraint; which of them are not sure to hold. */
    for (int j = 1; j < outcomes; j++)
        part[j] = feasible_slopes(belief, w, j, p, z[j - 1], slope[j]);
    for (int j = 1; j < outcomes; j = ckg__belief_after(belief, j))
        keep_worst(j, ckg__belief_after(belief, j), part, slope);
    for (int j = 1; j < outcomes; j++) {
        pf *= part[j];
        open[count] = j;
        count += part[j] != 1;
    }

    /* Through the objective, */
    adj->sigma[0][p] += wb * pf;
    if (p == kg->m)
        adj->mean[0] += wa * pf;

    /* and through each constraint, the others held. */
    const double in_pf = wa * w->gain[p] + wb * w->sigma[0][p];
    for (int j = 1; j < outcomes; j++) {
        double others = in_pf;
        for (int i = 0; i < count; i++)
            others *= open[i] == j ? 1 : part[open[i]];
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
    assert(a <= b);

    const double tail = a + b > 0 ? ckg__normal_cdf(-a) - ckg__normal_cdf(-b)
                                  : ckg__normal_cdf(b) - ckg__normal_cdf(a);
    *mass = tail;
    *moment = (isinf(a) ? 0 : ckg__normal_pdf(a)) - (isinf(b) ? 0 : ckg__normal_pdf(b));
}

/* The sum over nodes first … end−1 of the value, and of the adjoints. */
static double reverse_nodes(const struct ckg__kg *kg, int first, int end, struct ckg__kg_work *w,
                            struct adjoint *adj)
{
    assert(first <= end && end <= kg->nodes->count);

    struct ckg__envelope e;
    double sum = 0;
    for (int q = first; q < end; q++) {
        const double *z = kg->nodes->z + (size_t)q * (size_t)(kg->belief->outcomes - 1);
        lines_at(kg, q, w);
        sum += ckg__lines()->expected_maximum(kg->m + 1, w->a, w->b, kg->r, &e);
        for (int i = 0; i < e.count; i++) {
            double mass;
            double moment;
            between(i ? e.z[i - 1] : -INFINITY, i + 1 < e.count ? e.z[i] : INFINITY, &mass, &moment);
            add_line(kg, w, z, e.line[i], mass, moment, adj);
        }
        add_line(kg, w, z, kg->r, -1, 0, adj);
    }
    return sum;
}

/* x⁺ under one outcome, its covariances with the discretisation (m), and the slopes of the noise there. */
struct at_candidate {
    struct ckg__view view;
    double *cov;
    double noise_in_mean;
    double noise_in_var;
    double *noise_in_u; /* (D) */
};

/* Room for x⁺ under every outcome; the candidate's covariances are there too. */
static int candidate_take(const struct ckg__kg *kg, struct ckg__arena *arena, struct at_candidate *at,
                          struct ckg__kg_candidate *candidate)
{
    const size_t D = (size_t)ckg__belief_coordinates(kg->belief);

    for (int j = 0; j < kg->belief->outcomes; j++) {
        at[j].cov = ckg__arena_doubles(arena, (size_t)kg->m);
        at[j].noise_in_u = ckg__arena_doubles(arena, D);
        candidate->cov[j] = at[j].cov;
        if (!at[j].cov || !at[j].noise_in_u || ckg__view_take(&at[j].view, kg->belief->gp[j], 1, arena))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* Fills it for outcome j at x⁺ = u. */
static int meet_candidate(const struct ckg__kg *kg, int j, const double *u, struct at_candidate *at,
                          struct ckg__kg_candidate *candidate)
{
    const struct ckg__gp *gp = kg->belief->gp[j];
    struct ckg__noise noise = {&candidate->noise[j], &at->noise_in_mean, &at->noise_in_var, at->noise_in_u};

    if (ckg__view_fill(&at->view, gp, u, 1, 0, 1))
        return CKG_ERR_CANCELLED;
    ckg__view_covariance(gp, &kg->view[j], &at->view, 0, 1, at->cov, kg->m);
    candidate->mean[j] = at->view.mean[0];
    candidate->var[j] = at->view.var[0];
    ckg__kg_noise(kg->belief, j, 1, u, 1, at->view.mean, at->view.var, &noise);
    return CKG_OK;
}

int ckg__kg_candidate_at(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena,
                         struct ckg__kg_candidate *candidate)
{
    struct at_candidate at[CKG__MAX_OUTCOMES];
    int status = candidate_take(kg, arena, at, candidate);

    for (int j = 0; !status && j < kg->belief->outcomes; j++)
        status = meet_candidate(kg, j, u, &at[j], candidate);
    return status;
}

int ckg__kg_value_at(const struct ckg__kg *kg, const double *u, struct ckg__arena *arena, double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__kg_candidate candidate;
    struct ckg__kg_work work;
    int status = ckg__kg_work_take(&work, kg, arena);

    if (!status)
        status = ckg__kg_candidate_at(kg, u, arena, &candidate);
    if (!status)
        *value = ckg__kg_value(kg, &candidate, &work, NULL);
    ckg__arena_release(arena, mark);
    return status;
}

/*
 * Outcome j's share of the gradient (D): from the adjoints of σ̃ to those of covariances, variance and noise,
 * and on to x⁺. σ̃ is in w->sigma.
 */
static int chain_outcome(const struct ckg__kg *kg, const struct at_candidate *at, int j,
                         const struct ckg__kg_candidate *candidate, const struct ckg__kg_work *w,
                         struct adjoint *adj, struct ckg__arena *arena, double *gradient)
{
    const struct ckg__gp *gp = kg->belief->gp[j];
    const int m = kg->m;
    const double s = surprise(candidate, j);
    double *c = adj->sigma[j];
    double in_mean = adj->mean[j];
    double in_var = adj->var[j] + c[m] / s;
    double in_noise = 0;

    /* σ̃ = cov/s with s² = var + noise; at x⁺ itself the covariance is the variance. */
    for (int p = 0; p <= m; p++) {
        const double in_square = 0.5 * c[p] * w->sigma[j][p] / (s * s);
        in_var -= in_square;
        in_noise -= in_square;
        c[p] /= s;
    }

    /* The noise moves with what the process says at x⁺. */
    const int varies = ckg__posterior_noise_varies(gp);
    if (varies) {
        in_mean += in_noise * at->noise_in_mean;
        in_var += in_noise * at->noise_in_var;
    }
    const int status = ckg__view_pull(gp, &kg->view[j], &at->view, in_mean, in_var, c, arena, gradient);

    /* And with x⁺. */
    const int D = ckg__gp_coordinates(gp);
    for (int k = 0; varies && !status && k < D; k++)
        gradient[k] += in_noise * at->noise_in_u[k];
    return status;
}

/* --- the gradient, shared out: the outcomes at x⁺, then chunks of nodes, then the outcomes again --- */

/* Nodes that one task reverses. */
enum { NODES = 13 };

struct gradient {
    const struct ckg__kg *kg;
    const double *u;
    const struct ckg__workers *workers;
    struct ckg__arena *arena; /* the caller's */
    struct at_candidate at[CKG__MAX_OUTCOMES];
    struct ckg__kg_candidate candidate;
    struct ckg__kg_work work;
    int chunks, *status; /* (chunks, and outcomes at least) */
    struct adjoint *adj; /* (chunks) */
    double *sum;         /* (chunks) */
    double *share;       /* outcomes × D */
};

static struct ckg__arena *scratch(const struct gradient *g, int worker)
{
    return g->workers ? &g->workers->arena[worker] : g->arena;
}

static int gradient_take(struct gradient *g)
{
    const int outcomes = g->kg->belief->outcomes;
    const int chunks = (g->kg->nodes->count + NODES - 1) / NODES;
    struct ckg__arena *arena = g->arena;

    g->chunks = chunks;
    if (CKG__TAKE(arena, CKG__ROOM(g->status, chunks + outcomes), CKG__ROOM(g->adj, chunks),
                  CKG__ROOM(g->sum, chunks),
                  CKG__ROOM(g->share, outcomes * ckg__belief_coordinates(g->kg->belief))) ||
        ckg__kg_work_take(&g->work, g->kg, arena) || candidate_take(g->kg, arena, g->at, &g->candidate))
        return CKG_ERR_NOMEM;
    const size_t room = (size_t)g->work.room;
    double *sigma = ckg__arena_doubles(arena, (size_t)chunks * (size_t)outcomes * room);
    if (!sigma)
        return CKG_ERR_NOMEM;

    /* Every chunk begins at zero. */
    memset(g->adj, 0, (size_t)chunks * sizeof *g->adj);
    memset(sigma, 0, (size_t)chunks * (size_t)outcomes * room * sizeof *sigma);
    for (int c = 0; c < chunks; c++)
        for (int j = 0; j < outcomes; j++)
            g->adj[c].sigma[j] = sigma + ((size_t)c * (size_t)outcomes + (size_t)j) * room;
    return CKG_OK;
}

static void meet_task(void *context, int j, int worker)
{
    struct gradient *g = context;
    (void)worker;
    g->status[j] = meet_candidate(g->kg, j, g->u, &g->at[j], &g->candidate);
}

static void nodes_task(void *context, int c, int worker)
{
    struct gradient *g = context;
    struct ckg__arena *arena = scratch(g, worker);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__kg_work own = g->work;
    const size_t room = (size_t)own.room;
    const int first = c * NODES;
    const int end = first + NODES < g->kg->nodes->count ? first + NODES : g->kg->nodes->count;

    own.pf = ckg__arena_doubles(arena, 7 * room);
    g->status[c] = own.pf ? CKG_OK : CKG_ERR_NOMEM;
    if (own.pf) {
        own.a = own.pf + room;
        own.b = own.a + room;
        own.t = own.b + room;
        own.worst = own.t + 2 * room;
        own.other = own.worst + room;
        g->sum[c] = reverse_nodes(g->kg, first, end, &own, &g->adj[c]);
    }
    ckg__arena_release(arena, mark);
}

static void chain_task(void *context, int j, int worker)
{
    struct gradient *g = context;
    struct ckg__arena *arena = scratch(g, worker);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    g->status[j] = chain_outcome(g->kg, &g->at[j], j, &g->candidate, &g->work, g->adj, arena,
                                 g->share + (size_t)j * (size_t)ckg__belief_coordinates(g->kg->belief));
    ckg__arena_release(arena, mark);
}

/* Adds the chunks' adjoints up in the first, in order. */
static double gather(struct gradient *g)
{
    double sum = g->sum[0];

    for (int c = 1; c < g->chunks; c++) {
        sum += g->sum[c];
        for (int j = 0; j < g->kg->belief->outcomes; j++) {
            g->adj[0].mean[j] += g->adj[c].mean[j];
            g->adj[0].var[j] += g->adj[c].var[j];
            for (int p = 0; p <= g->kg->m; p++)
                g->adj[0].sigma[j][p] += g->adj[c].sigma[j][p];
        }
    }
    return sum;
}

/* The tasks of one of the steps, who count their work themselves; the first bad status. */
static int share_out(struct gradient *g, int count, ckg__task task)
{
    if (ckg__workers_run(g->workers, count, 0, task, g))
        return CKG_ERR_CANCELLED;
    for (int i = 0; i < count; i++)
        if (g->status[i])
            return g->status[i];
    return CKG_OK;
}

int ckg__kg_gradient(const struct ckg__kg *kg, const double *u, const struct ckg__workers *workers,
                     struct ckg__arena *arena, double *value, double *gradient)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int outcomes = kg->belief->outcomes;
    const int D = ckg__belief_coordinates(kg->belief);
    struct gradient g = {
        .kg = kg, .u = u, .workers = ckg__gp_workers(kg->belief->gp[0], workers), .arena = arena};
    int status = gradient_take(&g);

    /* What every outcome says of x⁺, and what a sample there may change. */
    if (!status)
        status = share_out(&g, outcomes, meet_task);
    if (!status) {
        look_ahead(kg, &g.candidate, &g.work);
        status = share_out(&g, g.chunks, nodes_task);
    }

    /* The value, and back through every outcome to x⁺. */
    if (!status) {
        *value = gather(&g) / kg->nodes->count;
        status = share_out(&g, outcomes, chain_task);
    }

    /* Their shares together. */
    for (int k = 0; !status && k < D; k++) {
        gradient[k] = 0;
        for (int j = 0; j < outcomes; j++)
            gradient[k] += g.share[j * D + k];
        gradient[k] /= kg->nodes->count;
    }
    ckg__arena_release(arena, mark);
    return status;
}
