/*
 * Expectation propagation for "x* is the feasible optimum" (pesc.h has the formula).
 *
 * The factors are, for every constraint k, c_k(x*) within its limits, and for every other point x_i of the
 * set Ψ_i = 1 − 1[f(x_i) > f(x*)]·Π_k 1[c_k(x_i) within its limits]. Ψ_i knows the objective through d_i =
 * f(x_i) − f(x*) alone, so each factor is approximated by one normal observation of d_i and one of each
 * c_k(x_i): outcomes stay independent, and every outcome is a normal vector with a diagonal of precisions τ
 * and of weighted values ν. Where no design is feasible (star −1) the factors are 1 − Π_k 1[…] and the
 * objective is not touched.
 *
 * Sweeps go from point to point; a site's change is a rank-one update, O(m²) an outcome, and is left out
 * where it is too small to matter. A precision that would be negative counts as 0: the approximation is then
 * a normal density with smaller variances than before, whatever the other sites are, and no variance ever
 * exceeds that of the belief. Sweeps that do not settle go on with short steps; if that does not help either
 * the draw is left aside.
 */
#include "acquisition/pesc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/dense.h"
#include "linalg/logarithm.h"
#include "linalg/normal.h"

/* The largest bend: a variance falls to no less than this share of it below 1 in one step. */
static const double most_bend = 1 - 1e-9;

/*
 * A site that would move its point's moments by less than this is left as it is; sweeps end when none moves
 * by more than ten times this.
 */
static const double still = 1e-4;

/*
 * Short steps are tried where sites still ask for movements beyond the first of these, and the draw is left
 * aside beyond the second.
 */
static const double unsettled = 0.02, useless = 0.1;

/* --- factors --- */

/* Limits in standard units and both log probabilities, each accurate in its own tail. */
static void look(struct ckg__pesc_argument *x)
{
    const double s = sqrt(x->var);

    x->a = (x->lower - x->mean) / s;
    x->b = (x->upper - x->mean) / s;
    const double below = isinf(x->a) ? -INFINITY : ckg__normal_log_cdf(x->a);
    const double above = isinf(x->b) ? -INFINITY : ckg__normal_log_cdf(-x->b);
    x->log_out = ckg__log_sum(below, above);
    if (isinf(x->a) || isinf(x->b))
        x->log_in = !isinf(x->a) ? ckg__normal_log_cdf(-x->a) : !isinf(x->b) ? ckg__normal_log_cdf(x->b) : 0;
    else
        x->log_in = ckg__normal_log_interval(x->a, x->b);
}

static double log_density(double z)
{
    return -0.5 * z * z - 0.91893853320467274178;
}

double ckg__pesc_not_all(int count, struct ckg__pesc_argument *x)
{
    assert(count > 0);

    double all = 0;
    double some_out = -INFINITY;
    for (int l = 0; l < count; l++) {
        look(&x[l]);
        all += x[l].log_in;
        some_out = ckg__log_sum(some_out, x[l].log_out);
    }
    /* near 1 the probability of all is 1 − Σ P(out), and its logarithm may have underflowed */
    const double log_z = all > -1e-290 ? some_out
                         : all > -0.69 ? ckg__log(-ckg__expm1(all))
                                       : ckg__log1p(-ckg__exp(all));
    for (int l = 0; l < count; l++) {
        const double others = all - x[l].log_in - log_z;
        const double at_a = isinf(x[l].a) ? 0 : ckg__exp(log_density(x[l].a) + others);
        const double at_b = isinf(x[l].b) ? 0 : ckg__exp(log_density(x[l].b) + others);
        const double in_mean = at_a - at_b;
        const double curve = (isinf(x[l].a) ? 0 : x[l].a * at_a) - (isinf(x[l].b) ? 0 : x[l].b * at_b);
        x[l].slope = -in_mean;
        x[l].bend = curve + in_mean * in_mean;
    }
    return log_z;
}

double ckg__pesc_within(struct ckg__pesc_argument *x)
{
    assert(x->var > 0 && x->lower <= x->upper);

    double log_p = 0;
    double in_mean;
    double in_var;
    const struct ckg__limits limits = {.lower = x->lower, .upper = x->upper};
    ckg__log_feasible(1, &x->mean, &x->var, &limits, &log_p, &in_mean, &in_var);
    x->slope = sqrt(x->var) * in_mean;
    x->bend = x->slope * x->slope - 2 * x->var * in_var;
    return log_p;
}

static double clipped(double bend)
{
    return bend > 0 ? fmin(bend, most_bend) : 0; /* NaN too becomes 0 */
}

/* --- the set --- */

int ckg__pesc_take(struct ckg__pesc *pesc, const struct ckg__belief *belief, int m, const double *U, int ldu,
                   int draws, struct ckg__arena *arena)
{
    assert(m > 0 && ldu >= m && draws >= 0);

    const size_t size = (size_t)m * (size_t)m;

    /* The set, with room for its draws. */
    *pesc = (struct ckg__pesc){.belief = belief,
                               .m = m,
                               .draws = draws,
                               .draw = ckg__arena_get(arena, (size_t)draws + 1, sizeof *pesc->draw)};
    double *work = ckg__arena_doubles(arena, size + 1);
    if (!pesc->draw || !work)
        return CKG_ERR_NOMEM;

    /* The posterior of every outcome at the set. */
    for (int j = 0; j < belief->outcomes; j++) {
        pesc->C[j] = ckg__arena_doubles(arena, size + 1);
        if (!pesc->C[j] || ckg__view_make(&pesc->view[j], belief->gp[j], m, U, ldu, arena))
            return CKG_ERR_NOMEM;
        if (ckg__view_proper_covariance(belief->gp[j], &pesc->view[j], pesc->C[j], work))
            return ckg__fail(CKG_ERR_NUMERIC, "the posterior covariance of %d points has no factor", m);
    }

    /* Every draw, for now without an optimum, with room for its sites. */
    for (int t = 0; t < draws; t++) {
        pesc->draw[t] = (struct ckg__pesc_draw){.star = -1};
        for (int j = 0; j < belief->outcomes; j++) {
            pesc->draw[t].tau[j] = ckg__arena_doubles(arena, 2 * (size_t)m);
            if (!pesc->draw[t].tau[j])
                return CKG_ERR_NOMEM;
            pesc->draw[t].nu[j] = pesc->draw[t].tau[j] + m;
        }
    }
    return CKG_OK;
}

/* --- sweeps --- */

/*
 * The approximation as it grows: per outcome mean (m), covariance V (m×m) and sites (m). The objective's
 * variables are the d_i.
 */
struct state {
    const struct ckg__pesc *pesc;
    int star, from; /* the first outcome that has sites: 1 where no design is feasible */
    double *V[CKG__MAX_OUTCOMES], *mean[CKG__MAX_OUTCOMES], *tau[CKG__MAX_OUTCOMES], *nu[CKG__MAX_OUTCOMES];
};

/* Prior mean and covariance of the variables of outcome j. */
static void prior(const struct ckg__pesc *pesc, int star, int j, double *mean, double *V)
{
    const size_t m = (size_t)pesc->m;
    const size_t s = (size_t)star;
    const double *C = pesc->C[j];
    const double *mu = pesc->view[j].mean;

    memcpy(mean, mu, m * sizeof *mean);
    memcpy(V, C, m * m * sizeof *V);
    for (size_t p = 0; j == 0 && p < m; p++) {
        mean[p] -= mu[s];
        for (size_t q = 0; q < m; q++)
            V[p * m + q] += C[s * m + s] - C[p * m + s] - C[s * m + q];
    }
}

static int state_take(struct state *state, const struct ckg__pesc *pesc, struct ckg__pesc_draw *draw,
                      struct ckg__arena *arena)
{
    const size_t m = (size_t)pesc->m;
    *state = (struct state){.pesc = pesc, .star = draw->star, .from = draw->star < 0};
    for (int j = state->from; j < pesc->belief->outcomes; j++) {
        state->V[j] = ckg__arena_doubles(arena, m * m);
        state->mean[j] = ckg__arena_doubles(arena, m);
        state->tau[j] = draw->tau[j];
        state->nu[j] = draw->nu[j];
        if (!state->V[j] || !state->mean[j])
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

static void restart(struct state *state)
{
    const size_t m = (size_t)state->pesc->m;
    for (int j = state->from; j < state->pesc->belief->outcomes; j++) {
        prior(state->pesc, state->star, j, state->mean[j], state->V[j]);
        memset(state->tau[j], 0, m * sizeof *state->tau[j]);
        memset(state->nu[j], 0, m * sizeof *state->nu[j]);
    }
}

/* What the rest says of variable i of outcome j, its own site taken out; 0 where nothing is left to learn. */
static int cavity(const struct state *state, int j, int i, struct ckg__pesc_argument *x)
{
    const size_t m = (size_t)state->pesc->m;
    const struct ckg__belief *belief = state->pesc->belief;
    const double v = state->V[j][(size_t)i * m + (size_t)i];
    const double left = 1 - state->tau[j][i] * v;

    if (!(v > 0) || !(left > 1e-12))
        return 0;
    *x = (struct ckg__pesc_argument){.mean = (state->mean[j][i] - state->nu[j][i] * v) / left,
                                     .var = v / left,
                                     .lower = j ? belief->lower[j] : 0,
                                     .upper = j ? belief->upper[j] : INFINITY};
    return 1;
}

/*
 * Moves site i of outcome j a step towards what the factor asks for; how far that would move the point's
 * moments is returned, NaN for failure.
 */
static double move_site(struct state *state, int j, int i, const struct ckg__pesc_argument *x, double step)
{
    const size_t m = (size_t)state->pesc->m;
    const double bend = clipped(x->bend);
    const double s = sqrt(x->var);
    const double precise = bend / x->var / (1 - bend);
    const double weighted = (x->slope / s + x->mean * bend / x->var) / (1 - bend);
    double *V = state->V[j];
    double *mean = state->mean[j];
    double *row = V + (size_t)i * m;
    double d_tau = precise - state->tau[j][i];
    const double d_nu = weighted - state->nu[j][i];
    const double v = row[i];
    const double pull = d_nu - d_tau * mean[i];
    const double asked = fmax(fabs(d_tau) * v, fabs(pull) * sqrt(v));

    if (!(asked > still))
        return asked;

    /* The site moves, */
    d_tau *= step;
    const double shrink = d_tau / (1 + d_tau * v);
    const double shift = step * pull / (1 + d_tau * v);
    if (!(1 + d_tau * v > 0))
        return NAN;
    state->tau[j][i] += d_tau;
    state->nu[j][i] += step * d_nu;

    /* and with it mean and covariance, by a rank-one update. */
    for (size_t p = 0; p < m; p++)
        mean[p] += shift * row[p];
    for (size_t p = 0; p < m; p++) { /* row i last: the others are updated from it */
        const double factor = shrink * row[p];
        double *to = V + p * m;
        for (size_t q = 0; p != (size_t)i && q < m; q++)
            to[q] -= factor * row[q];
    }
    for (size_t q = 0; q < m; q++)
        row[q] /= 1 + d_tau * v;
    return asked;
}

/*
 * The factor of point i: no feasible design there that is better than x*; at x* itself every constraint is
 * met.
 */
static double visit(struct state *state, int i, double step)
{
    struct ckg__pesc_argument x[CKG__MAX_OUTCOMES];
    const int outcomes = state->pesc->belief->outcomes;
    const int from = i == state->star ? 1 : state->from;
    double moved = 0;

    for (int j = from; j < outcomes; j++)
        if (!cavity(state, j, i, &x[j]))
            return 0;
    if (i != state->star)
        ckg__pesc_not_all(outcomes - from, x + from);
    for (int j = from; j < outcomes; j++) {
        if (i == state->star)
            ckg__pesc_within(&x[j]);
        const double one = move_site(state, j, i, &x[j], step);
        if (isnan(one))
            return NAN;
        moved = fmax(moved, one);
    }
    return moved;
}

/* Sweeps until nothing moves; the largest movement asked for in the last one is returned, NaN for failure. */
static double sweep(struct state *state, int sweeps, double step)
{
    double moved = INFINITY;

    for (int s = 0; s < sweeps && moved > 10 * still; s++) {
        /* x* first: that it is feasible is the strongest of the statements */
        moved = state->star < 0 ? 0 : visit(state, state->star, step);
        for (int i = 0; i < state->pesc->m && !isnan(moved); i++) {
            const double one = i == state->star ? 0 : visit(state, i, step);
            moved = isnan(one) ? one : fmax(moved, one);
        }
    }
    return moved;
}

int ckg__pesc_condition(const struct ckg__pesc *pesc, int draw, int sweeps, struct ckg__arena *arena)
{
    assert(draw >= 0 && draw < pesc->draws && sweeps > 0);
    assert(pesc->draw[draw].star < pesc->m);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct state state;
    const int status = state_take(&state, pesc, &pesc->draw[draw], arena);
    pesc->draw[draw].settled = 0;
    if (!status) {
        restart(&state);
        double moved = sweep(&state, sweeps, 0.8);
        if (isnan(moved))
            restart(&state);
        if (!(moved <= unsettled))
            moved = sweep(&state, sweeps, 0.3);
        pesc->draw[draw].settled = moved <= useless;
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* --- what is kept of it --- */

static int sites_take(struct ckg__pesc_sites *sites, const double *tau, const double *nu, int m,
                      struct ckg__arena *arena)
{
    size_t count = 0;

    for (int i = 0; i < m; i++)
        count += tau[i] != 0 || nu[i] != 0;
    sites->count = (int)count;
    return CKG__TAKE(arena, CKG__ROOM(sites->point, count + 1), CKG__ROOM(sites->root, count + 1),
                     CKG__ROOM(sites->shift, count + 1), CKG__ROOM(sites->L, count * count + 1));
}

/* Covariance of variables p and q of outcome j. */
static double between(const struct ckg__pesc *pesc, int star, int j, int p, int q)
{
    assert(p >= 0 && p < pesc->m && q >= 0 && q < pesc->m);

    const size_t m = (size_t)pesc->m;
    const size_t a = (size_t)p;
    const size_t b = (size_t)q;
    const size_t s = (size_t)star;
    const double *C = pesc->C[j];
    return j ? C[a * m + b] : C[a * m + b] - C[a * m + s] - C[s * m + b] + C[s * m + s];
}

/* shift ← (I + τC)⁻¹b = b − root·(LLᵀ)⁻¹·root·Cb, where b is what comes in; x (count) is scratch. */
static void solve_shift(const struct ckg__pesc *pesc, int star, int j, struct ckg__pesc_sites *sites,
                        double *x)
{
    const int count = sites->count;

    for (int a = 0; a < count; a++) {
        x[a] = 0;
        for (int b = 0; b < count; b++)
            x[a] += between(pesc, star, j, sites->point[a], sites->point[b]) * sites->shift[b];
        x[a] *= sites->root[a];
    }
    ckg__dense()->solve_lower(count, 1, sites->L, count, x, 1);
    ckg__dense()->solve_lower_transposed(count, 1, sites->L, count, x, 1);
    for (int a = 0; a < count; a++)
        sites->shift[a] -= sites->root[a] * x[a];
}

/*
 * The sites of outcome j, from the prior: the sweeps' own covariance carries the rounding of all its updates.
 * *good: 0 for no factor.
 */
static int keep_sites(const struct ckg__pesc *pesc, struct ckg__pesc_draw *draw, int j,
                      struct ckg__arena *arena, int *good)
{
    struct ckg__pesc_sites *sites = &draw->sites[j];
    const double *tau = draw->tau[j];
    const double *nu = draw->nu[j];
    const double *mean = pesc->view[j].mean;
    const double centre = j ? 0 : mean[draw->star];
    double *x = ckg__arena_doubles(arena, (size_t)pesc->m);

    if (!x || sites_take(sites, tau, nu, pesc->m, arena))
        return CKG_ERR_NOMEM;

    /* The points that have a site. */
    for (int i = 0, a = 0; i < pesc->m; i++)
        if (tau[i] != 0 || nu[i] != 0) {
            sites->point[a] = i;
            sites->root[a] = sqrt(tau[i]);
            sites->shift[a++] = nu[i] - tau[i] * (mean[i] - centre);
        }

    /* The factor of I + root·C·root. */
    const size_t count = (size_t)sites->count;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++)
            sites->L[a * count + b] = (a == b) +
                                      sites->root[a] * sites->root[b] *
                                          between(pesc, draw->star, j, sites->point[a], sites->point[b]);
    *good = !ckg__dense()->cholesky(sites->count, sites->L, sites->count, NULL);

    /* By how much the means move, which must be finite. */
    if (*good)
        solve_shift(pesc, draw->star, j, sites, x);
    for (size_t a = 0; a < count; a++)
        *good = *good && isfinite(sites->shift[a]);
    return CKG_OK;
}

/* f(x*) under the approximation. */
static int keep_star(const struct ckg__pesc *pesc, struct ckg__pesc_draw *draw, struct ckg__arena *arena)
{
    const struct ckg__pesc_sites *sites = &draw->sites[0];
    const size_t m = (size_t)pesc->m;
    const size_t s = (size_t)draw->star;
    const double *C = pesc->C[0];

    draw->white = ckg__arena_doubles(arena, (size_t)sites->count + 1);
    if (!draw->white)
        return CKG_ERR_NOMEM;
    draw->mean = pesc->view[0].mean[s];
    for (int a = 0; a < sites->count; a++) {
        const double k = C[(size_t)sites->point[a] * m + s] - C[s * m + s];
        draw->mean += k * sites->shift[a];
        draw->white[a] = sites->root[a] * k;
    }
    ckg__dense()->solve_lower(sites->count, 1, sites->L, sites->count, draw->white, 1);
    draw->var = fmax(C[s * m + s] - ckg__dense()->dot(sites->count, draw->white, draw->white), 0);
    return CKG_OK;
}

int ckg__pesc_keep(const struct ckg__pesc *pesc, int number, struct ckg__arena *arena)
{
    assert(number >= 0 && number < pesc->draws);

    struct ckg__pesc_draw *draw = &pesc->draw[number];
    int status = CKG_OK;
    int good = draw->settled;
    for (int j = draw->star < 0; !status && good && j < pesc->belief->outcomes; j++)
        status = keep_sites(pesc, draw, j, arena, &good);
    if (!status && good && draw->star >= 0)
        status = keep_star(pesc, draw, arena);
    draw->settled = !status && good;
    return status;
}

/* --- at a design --- */

/* m designs under the belief: per outcome mean, variance and covariances k (points of the set × m). */
struct place {
    int m;
    struct ckg__view view[CKG__MAX_OUTCOMES];
    double *k[CKG__MAX_OUTCOMES];
    double *noise[CKG__MAX_OUTCOMES]; /* (m) of an evaluation there */
    /* (m) given one x* but for the factor of the design itself */
    double *mean[CKG__MAX_OUTCOMES], *var[CKG__MAX_OUTCOMES];
    double *cross; /* (m) covariance of f(x) with f(x*) given it */
    double *rows;  /* points of the set × m */
};

static int place_take(const struct ckg__pesc *pesc, int m, const double *U, int ldu, struct ckg__arena *arena,
                      struct place *place)
{
    const size_t points = (size_t)m;
    const size_t size = (size_t)pesc->m * points;

    place->m = m;
    if (CKG__TAKE(arena, CKG__ROOM(place->cross, points + 1), CKG__ROOM(place->rows, size + 1)))
        return CKG_ERR_NOMEM;
    for (int j = 0; j < pesc->belief->outcomes; j++) {
        const struct ckg__gp *gp = pesc->belief->gp[j];
        if (CKG__TAKE(arena, CKG__ROOM(place->k[j], size + 1), CKG__ROOM(place->noise[j], points + 1),
                      CKG__ROOM(place->mean[j], points + 1), CKG__ROOM(place->var[j], points + 1)) ||
            ckg__view_make(&place->view[j], gp, m, U, ldu, arena))
            return CKG_ERR_NOMEM;

        struct ckg__noise noise = {.var = place->noise[j]};
        ckg__posterior_noise(gp, m, U, ldu, place->view[j].mean, place->view[j].var, &noise);
        ckg__view_covariance(gp, &place->view[j], &pesc->view[j], 0, pesc->m, place->k[j], m);
    }
    return CKG_OK;
}

/* Mean and variance of outcome j given x*; rows ← L⁻¹·root·k. */
static void condition(const struct ckg__pesc_sites *sites, int star, int j, const struct ckg__gp *gp,
                      struct place *place)
{
    const size_t m = (size_t)place->m;
    const double *k = place->k[j];
    const double *less = k + (size_t)(j ? 0 : star) * m;
    double *mean = place->mean[j];
    double *var = place->var[j];

    memcpy(mean, place->view[j].mean, m * sizeof *mean);
    for (size_t a = 0; a < (size_t)sites->count; a++) {
        const double *from = k + (size_t)sites->point[a] * m;
        const double root = sites->root[a];
        const double shift = sites->shift[a];
        double *to = place->rows + a * m;
        for (size_t p = 0; p < m; p++) {
            const double one = j ? from[p] : from[p] - less[p];
            mean[p] += shift * one;
            to[p] = root * one;
        }
    }
    ckg__dense()->solve_lower(sites->count, place->m, sites->L, sites->count, place->rows, place->m);
    memcpy(var, place->view[j].var, m * sizeof *var);
    ckg__dense()->subtract_squares(sites->count, place->m, place->rows, place->m, var);
    for (size_t p = 0; p < m; p++)
        var[p] = fmax(var[p], ckg__variance_floor(gp));
}

/* var (outcomes) at design p given x* and given that the design itself is not a better feasible one. */
static void own_factor(const struct ckg__pesc *pesc, const struct ckg__pesc_draw *draw,
                       const struct place *place, int p, double *var)
{
    const struct ckg__belief *belief = pesc->belief;
    const int outcomes = belief->outcomes;
    const int from = draw->star < 0;
    struct ckg__pesc_argument x[CKG__MAX_OUTCOMES];
    double share = 0;

    for (int j = 1; j < outcomes; j++)
        x[j] = (struct ckg__pesc_argument){.mean = place->mean[j][p],
                                           .var = place->var[j][p],
                                           .lower = belief->lower[j],
                                           .upper = belief->upper[j]};
    if (!from) {
        const double v = place->var[0][p];
        const double c = place->cross[p];
        const double excess = fmax(v + draw->var - 2 * c, ckg__variance_floor(belief->gp[0]));
        x[0] = (struct ckg__pesc_argument){
            .mean = place->mean[0][p] - draw->mean, .var = excess, .lower = 0, .upper = INFINITY};
        share = fmin((v - c) * (v - c) / (v * excess), 1); /* squared correlation of f(x) and f(x) − f(x*) */
    }
    ckg__pesc_not_all(outcomes - from, x + from);
    var[0] = from ? place->view[0].var[p] : place->var[0][p] * (1 - share * clipped(x[0].bend));
    for (int j = 1; j < outcomes; j++)
        var[j] = x[j].var * (1 - clipped(x[j].bend));
}

/* Adds what one draw contributes: value (m), share (outcomes × m). */
static void add_draw(const struct ckg__pesc *pesc, const struct ckg__pesc_draw *draw, struct place *place,
                     double weight, double *value, double *share)
{
    const int outcomes = pesc->belief->outcomes;

    /* The outcomes at these designs, given the draw's optimum. */
    for (int j = draw->star < 0; j < outcomes; j++) {
        condition(&draw->sites[j], draw->star, j, pesc->belief->gp[j], place);
        if (j)
            continue;

        /* How the objective there covaries with the objective at the optimum. */
        const double *k_star = place->k[0] + (size_t)draw->star * (size_t)place->m;
        ckg__dense()->combine_rows(draw->sites[0].count, place->m, place->rows, place->m, draw->white,
                                   place->cross);
        for (int p = 0; p < place->m; p++)
            place->cross[p] = k_star[p] - place->cross[p];
    }

    /* What each outcome would then tell at each design. */
    for (int p = 0; p < place->m; p++) {
        double var[CKG__MAX_OUTCOMES];
        own_factor(pesc, draw, place, p, var);
        for (int j = 0; j < outcomes; j++) {
            const double noise = place->noise[j][p];
            const double before = place->view[j].var[p] + noise;
            const double after = var[j] + noise;
            const double gain = after < before ? 0.5 * weight * ckg__log(before / after) : 0;
            value[p] += gain;
            if (share)
                share[(size_t)j * (size_t)place->m + (size_t)p] += gain;
        }
    }
}

int ckg__pesc_at(const struct ckg__pesc *pesc, int m, const double *U, int ldu, struct ckg__arena *arena,
                 double *value, double *share)
{
    assert(m >= 0 && ldu >= m);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct place place;
    double total = 0;
    memset(value, 0, (size_t)m * sizeof *value);
    if (share)
        memset(share, 0, (size_t)pesc->belief->outcomes * (size_t)m * sizeof *share);
    for (int t = 0; t < pesc->draws; t++)
        total += pesc->draw[t].settled ? pesc->draw[t].weight : 0;
    const int status = total > 0 ? place_take(pesc, m, U, ldu, arena, &place) : CKG_OK;
    for (int t = 0; !status && total > 0 && t < pesc->draws; t++)
        if (pesc->draw[t].settled)
            add_draw(pesc, &pesc->draw[t], &place, pesc->draw[t].weight / total, value, share);
    ckg__arena_release(arena, mark);
    return status;
}
