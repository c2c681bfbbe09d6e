/*
 * Rollout of the constrained improvement: what is expected of an evaluation at x and of `horizon` − 1 more,
 * each of which a base policy puts where constrained expected improvement is then largest,
 *
 *   V_1(x) = cEI(x),   V_h(x) = cEI(x) + γ E[V_{h−1}(argmax cEI after the evaluation)],
 *
 * with models, best design and all conditioned on what the evaluation shows. The first improvement is exact,
 * the expectation a sum over nodes, and further evaluations choose among the points of a discretisation.
 * With horizon 2 that is optimal: the last step has nothing to prepare for. While there is no best, an
 * evaluation gains the probability of feasibility, and V is that of finding a feasible design at all.
 * Reference: Lam and Willcox 2017, Lookahead Bayesian optimization with inequality constraints.
 *
 * An evaluation moves means by a column of covariances and takes its square off the variances; columns after
 * the first are those of the process less what the columns before them explain, so that no model is fitted or
 * factored again. Cost: nodes^(horizon−1) times cEI at all points, and from horizon 3 on the covariances of
 * the points chosen. Later steps choose among the points of each lookahead's discretisation. With horizon 1
 * it is `cei`.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "linalg/normal.h"
#include "linalg/vector.h"
#include "linalg/hermite.h"
#include "design/sequence.h"
#include "acquisition/cei.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    CKG__ASCENT_SETTINGS(X) \
    X(horizon, {.value = 2}, 1, 4, 1, "evaluations that are planned, this one among them") \
    X(nodes, {.value = 5, .sampled = 3}, 2, 32, 1, \
      "quadrature points of each outcome; with several constraints its square for all of them") \
    X(discount, {.value = 0.9}, 0, 1, 0, "what a later improvement counts of one now")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

/* What an evaluation may show of all outcomes, in standard deviations: z (count × outcomes), their weights.
 */
struct nodes {
    int count;
    const double *z, *weight;
};

struct rollout {
    const struct ckg__belief *belief;
    double best; /* −INFINITY: none */
    int horizon;
    double discount; /* γ */
    const struct nodes *shown;
    const struct ckg__view *view; /* (outcomes) of the points among which later steps choose */
};

/* --- the nodes --- */

/* q nodes in each of one or two dimensions. */
static void lay_product(int outcomes, int q, double *z, double *weight)
{
    double node[CKG__HERMITE_MOST];
    double part[CKG__HERMITE_MOST];

    ckg__hermite(q, node, part);
    for (int a = 0; a < q; a++)
        for (int b = 0; b < (outcomes > 1 ? q : 1); b++) {
            const int i = outcomes > 1 ? a * q + b : a;
            z[i * outcomes] = node[a];
            weight[i] = part[a];
            if (outcomes > 1) {
                z[i * outcomes + 1] = node[b];
                weight[i] *= part[b];
            }
        }
}

/*
 * Nodes of Gauss and Hermite, q in each dimension, for one outcome and two; q² points of a Sobol sequence for
 * more. Constraints that nearly repeat one another are shown the same. From the arena.
 */
static int lay_nodes(struct nodes *shown, const struct ckg__belief *belief, int q, unsigned long long seed,
                     struct ckg__arena *arena)
{
    const int outcomes = belief->outcomes;
    const int count = outcomes > 1 ? q * q : q;
    double *z, *weight;

    assert(q > 0 && q <= CKG__HERMITE_MOST);
    if (CKG__TAKE(arena, CKG__ROOM(z, (size_t)count * (size_t)outcomes), CKG__ROOM(weight, (size_t)count)))
        return CKG_ERR_NOMEM;
    *shown = (struct nodes){count, z, weight};
    if (outcomes <= 2) {
        lay_product(outcomes, q, z, weight);
        return CKG_OK;
    }

    ckg__design_sobol(seed, 0, count, outcomes, z);
    for (int i = 0; i < count * outcomes; i++)
        z[i] = ckg__normal_quantile(z[i]);
    for (int i = 0; i < count; i++) {
        weight[i] = 1.0 / count;
        for (int j = 1; j < outcomes; j++)
            if (belief->beside[j])
                z[i * outcomes + j] = belief->turn[j] * z[i * outcomes + belief->beside[j]];
    }
    return CKG_OK;
}

/* --- what is believed on the way --- */

/* Of the points, after some evaluations. */
struct state {
    const struct state *before;               /* NULL: nothing was evaluated yet */
    struct ckg__view view[CKG__MAX_OUTCOMES]; /* means and variances of its own, the rest is the process's */
    double *column[CKG__MAX_OUTCOMES];        /* (m) what one standard deviation shown moves the means by */
    double *sd[CKG__MAX_OUTCOMES];            /* (m) as it counts */
    double best;
};

/* An evaluation that is looked ahead to: what is believed of it beforehand. */
struct trial {
    double mean[CKG__MAX_OUTCOMES], sd[CKG__MAX_OUTCOMES]; /* of what it shows */
};

static int state_take(const struct rollout *r, const struct state *before, struct ckg__arena *arena,
                      struct state *state)
{
    const size_t m = (size_t)r->view[0].m;

    state->before = before;
    for (int j = 0; j < r->belief->outcomes; j++) {
        state->view[j] = r->view[j];
        if (CKG__TAKE(arena, CKG__ROOM(state->view[j].mean, m), CKG__ROOM(state->view[j].var, m),
                      CKG__ROOM(state->column[j], m), CKG__ROOM(state->sd[j], m)))
            return CKG_ERR_NOMEM;
    }
    return CKG_OK;
}

/* The views that `state` comes after. */
static const struct ckg__view *views_before(const struct rollout *r, const struct state *state)
{
    return state->before ? state->before->view : r->view;
}

/* The variances of `state`, from its columns: they do not depend on what is shown. */
static void take_off(const struct rollout *r, struct state *state)
{
    const struct ckg__view *before = views_before(r, state);

    for (int j = 0; j < r->belief->outcomes; j++) {
        const double floor = ckg__variance_floor(r->belief->gp[j]);
        const struct ckg__limits limits = j ? ckg__belief_limits(r->belief, j) : (struct ckg__limits){0};
        for (int p = 0; p < r->view[0].m; p++) {
            const double moved = state->column[j][p];
            const double var = fmax(before[j].var[p] - moved * moved, 0);
            state->view[j].var[p] = var;
            state->sd[j][p] = sqrt(ckg__inflated(fmax(var, floor), limits.roughness, NULL) + limits.chance);
        }
    }
}

/* The means of `state` where node i is shown, and the best design then. */
static void show(const struct rollout *r, const struct trial *trial, int i, double best, struct state *state)
{
    const struct ckg__belief *belief = r->belief;
    const struct ckg__view *before = views_before(r, state);
    const double *z = r->shown->z + (size_t)i * (size_t)belief->outcomes;
    int feasible = 1;

    for (int j = 0; j < belief->outcomes; j++) {
        for (int p = 0; p < r->view[0].m; p++)
            state->view[j].mean[p] = before[j].mean[p] + state->column[j][p] * z[j];
        const double value = trial->mean[j] + trial->sd[j] * z[j];
        feasible &= !j || (value >= belief->lower[j] && value <= belief->upper[j]);
    }
    state->best = feasible ? fmax(best, trial->mean[0] + trial->sd[0] * z[0]) : best;
}

/* --- the steps --- */

/* How likely the limits of constraint j hold at each point: probability (m); scratch (m). */
static void hold(const struct rollout *r, const struct state *state, int j, double *probability,
                 double *scratch)
{
    const double *const mean = state->view[j].mean;
    const double *const sd = state->sd[j];
    const double lower = r->belief->lower[j];
    const double upper = r->belief->upper[j];
    const int m = r->view[0].m;

    /* One limit, by its own tail; or what lies between two. */
    for (int p = 0; p < m; p++)
        probability[p] = (isinf(upper) ? mean[p] - lower : upper - mean[p]) / sd[p];
    ckg__vector()->normal_cdf(m, probability, probability);
    if (isinf(upper) || isinf(lower))
        return;
    for (int p = 0; p < m; p++)
        scratch[p] = (lower - mean[p]) / sd[p];
    ckg__vector()->normal_cdf(m, scratch, scratch);
    for (int p = 0; p < m; p++)
        probability[p] = fmax(0, probability[p] - scratch[p]);
}

/* cEI (m) at the points in `state`; scratch (3·m). Where it underflows it counts as nothing. */
static void improvements(const struct rollout *r, const struct state *state, double *value, double *scratch)
{
    const int m = r->view[0].m;
    int next;

    /* The improvement, or 1 while there is nothing to improve on. */
    for (int p = 0; p < m; p++)
        value[p] = state->best > -INFINITY ? (state->view[0].mean[p] - state->best) / state->sd[0][p] : 0;
    if (state->best > -INFINITY)
        ckg__vector()->normal_ei(m, value, value);
    for (int p = 0; p < m; p++)
        value[p] = state->best > -INFINITY ? value[p] * state->sd[0][p] : 1;

    /* Of constraints that repeat one another the least likely. */
    for (int j = 1; j < r->belief->outcomes; j = next) {
        double *least = scratch + m;
        double *other = scratch + 2 * m;
        next = ckg__belief_after(r->belief, j);
        hold(r, state, j, least, scratch);
        for (int k = j + 1; k < next; k++) {
            hold(r, state, k, other, scratch);
            for (int p = 0; p < m; p++)
                least[p] = fmin(least[p], other[p]);
        }
        for (int p = 0; p < m; p++)
            value[p] *= least[p];
    }
}

/* The point where cEI is largest in `state`, and that. */
static int best_point(const struct rollout *r, const struct state *state, struct ckg__arena *arena,
                      double *largest, int *which)
{
    const size_t m = (size_t)r->view[0].m;
    double *value = ckg__arena_doubles(arena, 4 * m);

    if (!value)
        return CKG_ERR_NOMEM;
    improvements(r, state, value, value + m);
    *which = 0;
    for (int p = 1; p < r->view[0].m; p++)
        *which = value[p] > value[*which] ? p : *which;
    *largest = value[*which];
    return CKG_OK;
}

/* The columns of an evaluation at point p of the discretisation, after what `state` comes after. */
static int choose(const struct rollout *r, int p, struct trial *trial, struct state *state,
                  struct ckg__arena *arena)
{
    const int m = r->view[0].m;
    const struct ckg__view *before = views_before(r, state);
    const int D = ckg__belief_coordinates(r->belief);
    double *u = ckg__arena_doubles(arena, (size_t)D);

    if (!u)
        return CKG_ERR_NOMEM;
    for (int j = 0; j < r->belief->outcomes; j++) {
        const struct ckg__gp *gp = r->belief->gp[j];
        double *column = state->column[j];
        struct ckg__noise noise = {.var = &trial->sd[j]};

        /* What the process says, less what was shown before. */
        ckg__view_covariance(gp, &r->view[j], &r->view[j], p, 1, column, m);
        for (const struct state *s = state->before; s; s = s->before)
            for (int i = 0; i < m; i++)
                column[i] -= s->column[j][p] * s->column[j][i];

        /* In standard deviations of what it shows. */
        for (int k = 0; k < D; k++)
            u[k] = r->view[j].B[(size_t)k * (size_t)r->view[j].ld + (size_t)p] /
                   ckg__gp_inverse_lengthscales(gp)[k];
        trial->mean[j] = before[j].mean[p];
        ckg__posterior_noise(gp, 1, u, 1, &before[j].mean[p], &before[j].var[p], &noise);
        trial->sd[j] = sqrt(before[j].var[p] + trial->sd[j]);
        for (int i = 0; i < m; i++)
            column[i] /= trial->sd[j];
    }
    take_off(r, state);
    return CKG_OK;
}

static int expect(const struct rollout *r, const struct state *state, int left, struct ckg__arena *arena,
                  double *value);

/* The sum over what the trial may show of what `left` further steps gain. */
static int look_on(const struct rollout *r, const struct trial *trial, double best, int left,
                   struct state *state, struct ckg__arena *arena, double *value)
{
    int status = CKG_OK;

    *value = 0;
    for (int i = 0; !status && i < r->shown->count; i++) {
        double one = 0;
        show(r, trial, i, best, state);

        /* Once a feasible design is found, finding one gains nothing more. */
        if (best > -INFINITY || state->best == -INFINITY)
            status = expect(r, state, left, arena, &one);
        *value += r->shown->weight[i] * one;
    }
    return status;
}

/* What the base policy gains from `state` on in `left` steps. */
static int expect(const struct rollout *r, const struct state *state, int left, struct ckg__arena *arena,
                  double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct state next;
    struct trial trial;
    double later;
    int p;
    int status = best_point(r, state, arena, value, &p);

    if (!status && left > 1) {
        status = state_take(r, state, arena, &next);
        if (!status)
            status = choose(r, p, &trial, &next, arena);
        if (!status)
            status = look_on(r, &trial, state->best, left - 1, &next, arena, &later);
        *value += status ? 0 : r->discount * later;
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* The columns of an evaluation at u (D, at a stride of ldu), the first of all. */
static int begin(const struct rollout *r, const double *u, int ldu, struct trial *trial, struct state *state,
                 struct ckg__arena *arena)
{
    int status = state_take(r, NULL, arena, state);

    for (int j = 0; !status && j < r->belief->outcomes; j++) {
        const struct ckg__gp *gp = r->belief->gp[j];
        struct ckg__noise noise = {.var = &trial->sd[j]};
        struct ckg__view at;
        status = ckg__view_make(&at, gp, 1, u, ldu, arena);
        if (status)
            break;
        ckg__view_covariance(gp, &r->view[j], &at, 0, 1, state->column[j], r->view[0].m);
        trial->mean[j] = at.mean[0];
        ckg__posterior_noise(gp, 1, u, ldu, at.mean, at.var, &noise);
        trial->sd[j] = sqrt(at.var[0] + trial->sd[j]);
        for (int i = 0; i < r->view[0].m; i++)
            state->column[j][i] /= trial->sd[j];
    }
    if (!status)
        take_off(r, state);
    return status;
}

/* log V (m) at candidates U (D×m, leading dimension ldu). */
static int log_values(const struct rollout *r, int m, const double *U, int ldu, struct ckg__arena *arena,
                      double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);

    assert(r->horizon >= 1 && r->discount >= 0);

    /* The step itself, exactly. */
    int status = ckg__cei_batch(r->belief, r->best, m, U, ldu, arena, value, NULL);

    /* And what comes after it. */
    for (int p = 0; !status && r->horizon > 1 && p < m; p++) {
        struct ckg__arena_mark inner = ckg__arena_mark(arena);
        struct trial trial;
        struct state state;
        double later;
        status = begin(r, U + p, ldu, &trial, &state, arena);
        if (!status)
            status = look_on(r, &trial, r->best, r->horizon - 1, &state, arena, &later);
        if (!status && r->discount * later > 0) {
            const double log_later = ckg__log(r->discount * later);
            const double larger = fmax(value[p], log_later);
            value[p] = larger + ckg__log1p(ckg__exp(fmin(value[p], log_later) - larger));
        }
        ckg__arena_release(arena, inner);
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* --- the policy --- */

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct rollout *rollout = context;

    assert(!gradient);
    (void)gradient;
    return log_values(&rollout[lookahead], m, U, ldu, arena, value);
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;
    const size_t lookaheads = (size_t)search->lookaheads;
    struct rollout *rollout = ckg__arena_get(search->results, lookaheads, sizeof *rollout);
    struct nodes *shown = ckg__arena_get(search->results, 1, sizeof *shown);

    if (set->horizon == 1)
        return ckg__improvement_acquire(search, 0, acquisition);
    if (!rollout || !shown)
        return CKG_ERR_NOMEM;
    *acquisition = (struct ckg__acquisition){rollout, at, 1, 0};

    /* The same nodes for all lookaheads and designs; each lookahead has its own points. */
    int status = lay_nodes(shown, search->lookahead[0].belief, (int)set->nodes, search->seed,
                           search->results);
    for (int o = 0; !status && o < search->lookaheads; o++) {
        const struct ckg__lookahead *lookahead = &search->lookahead[o];
        rollout[o] = (struct rollout){.belief = lookahead->belief,
                                      .horizon = (int)set->horizon,
                                      .discount = set->discount,
                                      .shown = shown,
                                      .view = lookahead->view};
        status = ckg__search_incumbent(search, lookahead->belief, search->results, &rollout[o].best);
    }
    return status;
}

const struct ckg__policy ckg__policy_rollout = {
    .name = "rollout",
    .title = "rollout of the constrained improvement over several evaluations",
    .reference = "Lam and Willcox 2017",
    .value = "log of the improvement that this evaluation and those planned after it are expected to make",
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};
