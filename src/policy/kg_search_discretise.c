/*
 * What knowledge gradients are made of: the nodes of Z_c, and for one candidate an X_d of its own, with the
 * points that lie on its envelopes and the maximisers under chosen surprises.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "acquisition/kg_inner.h"
#include "base/maths.h"
#include "design/sequence.h"
#include "linalg/normal.h"
#include "search/ascent.h"
#include "policy/kg_search.h"

/* --- the nodes of Z_c --- */

/*
 * Midpoints of equal strata for one constraint, scrambled Sobol for more, the authors' three values as a
 * product to K = 3. With Sobol the nodes of a smaller number are the first of a larger.
 */
static int make_nodes(const struct ckg__search *search, int count, struct ckg__nodes *nodes)
{
    static const double paper[3] = {-2.64, 0, 2.64};
    const struct ckg__belief *belief = search->lookahead[0].belief;
    const int K = belief->outcomes - 1;
    const int product = search->size.paper && K <= 3;

    /* How many. */
    count = K == 0 ? 1 : count;
    for (int j = 0; product && j < K; j++)
        count = j ? 3 * count : 3;
    double *z = ckg__arena_doubles(search->results, (size_t)count * (size_t)(K ? K : 1));
    if (!z)
        return CKG_ERR_NOMEM;

    /* Where. */
    if (K > 1 && !product)
        ckg__design_sobol(search->seed, 0, count, K, z);
    for (int q = 0; q < count; q++)
        for (int j = 0, digit = q; j < K; j++, digit /= 3) {
            double *at = &z[q * K + j];
            *at = product ? paper[digit % 3] : ckg__normal_quantile(K == 1 ? (q + 0.5) / count : *at);
        }

    /* Constraints that nearly repeat one another are in for the same surprise. */
    for (int q = 0; q < count; q++)
        for (int j = 0; j < K; j++)
            if (belief->beside[j + 1])
                z[q * K + j] = belief->turn[j + 1] * z[q * K + belief->beside[j + 1] - 1];
    *nodes = (struct ckg__nodes){count, K, z};
    return CKG_OK;
}

int ckg__knowledge_make(struct ckg__knowledge *k, struct ckg__search *search)
{
    const struct ckg__search_size *size = &search->size;
    const int outcomes = search->lookahead[0].full->outcomes;

    assert(search->lookaheads > 0 && search->lookahead[0].belief->outcomes <= outcomes);
    k->search = search;
    const int status = make_nodes(search, outcomes == 2 ? size->nodes_one : size->nodes, &k->nodes);
    return status ? status : make_nodes(search, size->scout_nodes * (outcomes > 2 ? 2 : 1), &k->scout_nodes);
}

struct ckg__kg ckg__knowledge_on(const struct ckg__lookahead *o, const struct ckg__nodes *nodes)
{
    struct ckg__kg kg = {.belief = o->belief, .nodes = nodes, .m = o->m, .r = o->r, .gain = o->gain};
    memcpy(kg.view, o->view, (size_t)o->belief->outcomes * sizeof *o->view);
    return kg;
}

/* --- the weight of a sampled design --- */

int ckg__knowledge_weigh(const struct ckg__lookahead *o, int count, const double *U, int ldu,
                         struct ckg__arena *arena, double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__view view[CKG__MAX_OUTCOMES];
    double *log_pf = ckg__arena_doubles(arena, (size_t)count);

    if (!log_pf)
        return CKG_ERR_NOMEM;
    view[0].m = count;
    for (int j = 1; j < o->full->outcomes; j++)
        if (ckg__view_make(&view[j], o->full->gp[j], count, U, ldu, arena))
            return CKG_ERR_NOMEM;
    ckg__belief_log_feasible(o->full, view, log_pf);
    for (int p = 0; p < count; p++)
        value[p] *= ckg__exp(log_pf[p]);
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- X_d of one candidate --- */

/*
 * Surprise number i of `pairs`: a value of Z_y with a node of Z_c; z (outcomes). Returns the node. The nodes
 * come in turn, since each moves the edge of the feasible region to another place, and Z_y runs evenly
 * through ±3.2 by the golden ratio, far enough for designs that win in the tails; the authors cross five
 * values of Z_y with the nodes.
 */
static int surprise(const struct ckg__knowledge *k, int i, int pairs, int outcomes, double *z)
{
    static const double paper[5] = {-2.64, -0.67, 0, 0.67, 2.64};
    const int nodes = k->nodes.count;
    const int crossed = k->search->size.paper;
    const int node = crossed ? i / 5 % nodes : pairs < nodes ? (int)((i + 0.5) * nodes / pairs) : i % nodes;
    const double turn = outcomes > 1 ? fmod(0.5 + 0.61803398874989485 * i, 1) : (i + 0.5) / pairs;

    z[0] = crossed ? paper[i % 5] : 6.4 * turn - 3.2;
    for (int j = 1; j < outcomes; j++)
        z[j] = k->nodes.z[(size_t)node * (size_t)(outcomes - 1) + (size_t)(j - 1)];
    return node;
}

/*
 * The first cut of X_d: every point that is on an envelope of this candidate, and starts for the inner
 * problems (pairs × D).
 */
static int first_cut(const struct ckg__knowledge *k, const struct ckg__lookahead *o, const double *u,
                     int pairs, const double *z, const int *node, struct ckg__arena *arena, int *hits,
                     double *starts)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__kg shared = ckg__knowledge_on(o, &k->nodes);
    const struct ckg__kg *kg = &shared;
    const int D = k->search->scope->problem->D;
    const int outcomes = o->belief->outcomes;
    struct ckg__kg_candidate candidate;
    struct ckg__kg_work work;

    int status = ckg__kg_work_take(&work, kg, arena);
    if (!status)
        status = ckg__kg_candidate_at(kg, u, arena, &candidate);
    if (status)
        return status;

    /* The points on its envelopes, and the best of them under each surprise. */
    memset(hits, 0, (size_t)kg->m * sizeof *hits);
    ckg__kg_value(kg, &candidate, &work, hits);
    for (int i = 0; i < pairs; i++) {
        const int winner = ckg__kg_winner(kg, node[i], z[(size_t)i * (size_t)outcomes], &work);
        hits[winner] = 1;
        ckg__point_get(D, o->U, o->room, winner, starts + (size_t)i * (size_t)D);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* Climbs the inner problems from their starts (pairs × D), which become the maximisers. */
static int ascend_inner(const struct ckg__search *search, const struct ckg__lookahead *o, const double *u,
                        int pairs, const double *z, double *starts, int worker)
{
    struct ckg__arena *arena = &search->arena[worker];
    const struct ckg__workers workers = ckg__search_workers(search, worker);
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const struct ckg__lbfgs_options options = {4, search->size.inner_evaluations, fmin(o->width, 0.02), 1e-6,
                                               1e-7};
    struct ckg__kg_sample sample = {.z = z, .workers = ckg__gp_workers(o->belief->gp[0], &workers)};
    double *value = ckg__arena_doubles(arena, (size_t)pairs);

    if (!value || ckg__kg_sample_take(&sample, o->belief, u, arena))
        return CKG_ERR_NOMEM;
    const int status = ckg__ascend_function(search, ckg__kg_inner_batch, &sample, &options, pairs, starts,
                                            value, arena);
    ckg__arena_release(arena, mark);
    return status;
}

/* Appends a point to U (D×ldu) unless one within `apart` is there; returns the new count. */
static int append_point(int D, const double *u, double apart, double *U, int ldu, int count)
{
    for (int p = 0; p < count; p++)
        if (ckg__point_distance(D, u, U, ldu, p) < apart)
            return count;
    ckg__point_put(D, u, U, ldu, count);
    return count + 1;
}

/*
 * Collects X_d: x_r, the hit points, the maximisers; views and gains of all of them into kg, whose memory is
 * in `keep`.
 */
static int build_kg(const struct ckg__knowledge *k, const struct ckg__lookahead *o, const int *hits,
                    int pairs, const double *maximisers, struct ckg__arena *keep, struct ckg__kg *kg)
{
    const int D = k->search->scope->problem->D;
    int m = 1;

    /* Room for as many as there can be. */
    for (int p = 0; p < o->m; p++)
        m += hits[p] && p != o->r;
    const int ldu = m + pairs;
    double *U;
    if (CKG__TAKE(keep, CKG__ROOM(U, (size_t)D * (size_t)ldu), CKG__ROOM(kg->gain, (size_t)ldu)))
        return CKG_ERR_NOMEM;

    /* The points. */
    m = append_point(D, o->x_r, 0, U, ldu, 0);
    for (int p = 0; p < o->m; p++)
        if (hits[p] && p != o->r) {
            for (int i = 0; i < D; i++)
                U[(size_t)i * (size_t)ldu + (size_t)m] = o->U[(size_t)i * (size_t)o->room + (size_t)p];
            m++;
        }
    for (int i = 0; i < pairs; i++)
        m = append_point(D, maximisers + (size_t)i * (size_t)D, 0.1 * o->width, U, ldu, m);

    /* What the belief says of them. */
    kg->belief = o->belief;
    kg->nodes = &k->nodes;
    kg->m = m;
    kg->r = 0;
    for (int j = 0; j < o->belief->outcomes; j++)
        if (ckg__view_make(&kg->view[j], o->belief->gp[j], m, U, ldu, keep))
            return CKG_ERR_NOMEM;
    for (int p = 0; p < m; p++)
        kg->gain[p] = kg->view[0].mean[p] - o->belief->penalty;
    return CKG_OK;
}

/* How many surprises have their maximisers in X_d. */
static int pairs_for(const struct ckg__knowledge *k, int outcomes)
{
    const struct ckg__search_size *size = &k->search->size;
    if (!ckg__problem_has_reals(k->search->scope->problem))
        return 0;
    return outcomes == 1 ? size->surprises : outcomes == 2 ? size->pairs_one : size->pairs;
}

/* kg ← the X_d of u (D), in `keep`, and *value ← the knowledge gradient of u on it. */
static int own_discretisation(const struct ckg__knowledge *k, const struct ckg__lookahead *o, const double *u,
                              int worker, struct ckg__arena *keep, struct ckg__kg *kg, double *value)
{
    const struct ckg__search *search = k->search;
    struct ckg__arena *arena = &search->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = search->scope->problem->D;
    const int outcomes = o->belief->outcomes;
    const int pairs = pairs_for(k, outcomes);
    int *node, *hits;
    double *z, *starts;
    int status = CKG__TAKE(arena, CKG__ROOM(node, (size_t)pairs + 1), CKG__ROOM(hits, (size_t)o->m),
                           CKG__ROOM(z, ((size_t)pairs + 1) * (size_t)outcomes),
                           CKG__ROOM(starts, ((size_t)pairs + 1) * (size_t)D));

    /* The surprises to prepare for. */
    for (int i = 0; !status && i < pairs; i++)
        node[i] = surprise(k, i, pairs, outcomes, z + (size_t)i * (size_t)outcomes);

    /* What the shared points have to offer, and where each surprise would really lead. */
    if (!status)
        status = first_cut(k, o, u, pairs, z, node, arena, hits, starts);
    if (!status && pairs && !ckg__search_late(search))
        status = ascend_inner(search, o, u, pairs, z, starts, worker);

    /* All of it together. */
    if (!status)
        status = build_kg(k, o, hits, pairs, starts, keep, kg);
    if (!status)
        status = ckg__kg_value_at(kg, u, arena, value);
    ckg__arena_release(arena, mark);
    return status;
}

int ckg__knowledge_value(const struct ckg__knowledge *k, const struct ckg__lookahead *o, const double *u,
                         int worker, struct ckg__arena *keep, struct ckg__kg *kg, double *value)
{
    const int status = own_discretisation(k, o, u, worker, keep, kg, value);
    if (status || !k->search->weighted)
        return status;
    return ckg__knowledge_weigh(o, 1, u, 1, &k->search->arena[worker], value);
}

int ckg__knowledge_average(const struct ckg__knowledge *k, const struct ckg__lookahead *lookahead,
                           const double *u, double *value)
{
    const struct ckg__search *search = k->search;
    int status = CKG_OK;

    *value = 0;
    for (int o = 0; !status && o < search->lookaheads; o++) {
        struct ckg__arena_mark mark = ckg__arena_mark(search->results);
        struct ckg__kg kg;
        double one = 0;

        status = ckg__knowledge_value(k, &lookahead[o], u, 0, search->results, &kg, &one);
        *value += one / search->lookaheads;
        ckg__arena_release(search->results, mark);
    }
    return status;
}

/* --- its gradient --- */

int ckg__knowledge_gradient(const struct ckg__kg *kg, const struct ckg__belief *full, const double *u,
                            const struct ckg__workers *workers, struct ckg__arena *arena, double *value,
                            double *gradient)
{
    int status = ckg__kg_gradient(kg, u, workers, arena, value, gradient);

    if (status || !full)
        return status;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const int D = ckg__belief_coordinates(full);
    double *slope = ckg__arena_doubles(arena, (size_t)D);
    double log_pf = 0;
    if (!slope)
        return CKG_ERR_NOMEM;
    memset(slope, 0, (size_t)D * sizeof *slope);
    status = ckg__belief_log_feasible_batch(full, 1, u, 1, arena, &log_pf, slope);
    const double pf = ckg__exp(log_pf);
    for (int k = 0; k < D; k++)
        gradient[k] = pf * (gradient[k] + *value * slope[k]);
    *value *= pf;
    ckg__arena_release(arena, mark);
    return status;
}
