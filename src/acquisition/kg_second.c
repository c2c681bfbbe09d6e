/*
 * The knowledge gradient after a first evaluation (kg_second.h has the formula): on a discretisation the
 * first one moves means by a column of covariances and takes its square off variances and covariances, so
 * that no model is conditioned again. Cost: nodes × tries knowledge gradients.
 */
#include "acquisition/kg_second.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"

/* --- where the second evaluation may be --- */

/* Point p of the discretisation as a candidate, cov (outcomes × m) for its covariances. */
static void candidate_at(const struct ckg__kg_second *s, int p, double *u, double *cov,
                         struct ckg__kg_candidate *out)
{
    const struct ckg__kg *kg = s->kg;
    const int D = ckg__belief_coordinates(kg->belief);

    for (int k = 0; k < D; k++)
        u[k] = s->U[(size_t)k * (size_t)s->ldu + (size_t)p];
    for (int j = 0; j < kg->belief->outcomes; j++) {
        const struct ckg__view *view = &kg->view[j];
        double *row = cov + (size_t)j * (size_t)kg->m;
        struct ckg__noise noise = {.var = &out->noise[j]};

        ckg__view_covariance(kg->belief->gp[j], view, view, p, 1, row, kg->m);
        out->mean[j] = view->mean[p];
        out->var[j] = view->var[p];
        out->cov[j] = row;
        ckg__kg_noise(kg->belief, j, 1, u, 1, &view->mean[p], &view->var[p], &noise);
    }
}

/* Puts p among the best `tries` points, by value, the best first. */
static void insert(int p, const double *value, int tries, int *count, int *place)
{
    int at = *count < tries ? (*count)++ : tries;

    while (at > 0 && value[p] > value[place[at - 1]]) {
        if (at < tries)
            place[at] = place[at - 1];
        at--;
    }
    if (at < tries)
        place[at] = p;
}

/* The places that are worth most now, and their covariances. */
static int find_places(struct ckg__kg_second *s, struct ckg__arena *scratch)
{
    const struct ckg__kg *kg = s->kg;
    const size_t m = (size_t)kg->m;
    double *u = ckg__arena_doubles(scratch, (size_t)ckg__belief_coordinates(kg->belief));
    double *cov = ckg__arena_doubles(scratch, (size_t)kg->belief->outcomes * m);
    double *value = ckg__arena_doubles(scratch, m);
    struct ckg__kg_work work;
    struct ckg__kg_candidate candidate;
    int count = 0;

    if (!u || !cov || !value || ckg__kg_work_take(&work, kg, scratch))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < kg->m; p++) {
        candidate_at(s, p, u, cov, &candidate);
        value[p] = ckg__kg_value(kg, &candidate, &work, NULL);
        insert(p, value, s->tries, &count, s->place);
    }
    s->tries = count;
    for (int t = 0; t < count; t++)
        for (int j = 0; j < kg->belief->outcomes; j++)
            ckg__view_covariance(kg->belief->gp[j], &kg->view[j], &kg->view[j], s->place[t], 1,
                                 s->cov[j] + (size_t)t * (m + 1), kg->m);
    return CKG_OK;
}

int ckg__kg_second_make(struct ckg__kg_second *s, int tries, struct ckg__arena *keep,
                        struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    const size_t size = (size_t)tries * ((size_t)s->kg->m + 1);
    int ok = 1;

    assert(tries > 0 && keep != scratch && s->shown->count > 0);
    s->tries = tries;
    s->place = ckg__arena_ints(keep, (size_t)tries + 1);
    for (int j = 0; j < s->kg->belief->outcomes; j++)
        ok &= (s->cov[j] = ckg__arena_doubles(keep, size)) != NULL;
    const int status = ok && s->place ? find_places(s, scratch) : CKG_ERR_NOMEM;
    ckg__arena_release(scratch, mark);
    return status;
}

/* --- after the first evaluation --- */

/* The discretisation with x⁺ as its last point, once x⁺ was evaluated. */
struct after {
    struct ckg__kg kg;
    double *column[CKG__MAX_OUTCOMES]; /* (m+1) what one standard deviation shown moves the means by */
    double *mean[CKG__MAX_OUTCOMES];   /* (m+1) before */
    double *cov[CKG__MAX_OUTCOMES];    /* (tries+1) × (m+1) of the places and x⁺, after */
    double *log_pf;
    struct ckg__kg_work work;
};

static int after_take(const struct ckg__kg_second *s, struct after *a, struct ckg__arena *arena)
{
    const size_t m = (size_t)s->kg->m + 1;
    int ok = 1;

    a->kg = *s->kg;
    a->kg.m = (int)m;
    ok &= (a->kg.gain = ckg__arena_doubles(arena, m)) != NULL;
    ok &= (a->log_pf = ckg__arena_doubles(arena, m)) != NULL;
    for (int j = 0; j < s->kg->belief->outcomes; j++) {
        a->kg.view[j].m = (int)m;
        ok &= (a->kg.view[j].mean = ckg__arena_doubles(arena, m)) != NULL;
        ok &= (a->kg.view[j].var = ckg__arena_doubles(arena, m)) != NULL;
        ok &= (a->column[j] = ckg__arena_doubles(arena, m)) != NULL;
        ok &= (a->mean[j] = ckg__arena_doubles(arena, m)) != NULL;
        ok &= (a->cov[j] = ckg__arena_doubles(arena, ((size_t)s->tries + 1) * m)) != NULL;
    }
    return ok && !ckg__kg_work_take(&a->work, &a->kg, arena) ? CKG_OK : CKG_ERR_NOMEM;
}

/* The covariances of place t after the evaluation, from those before: row (m+1). */
static void take_off(const double *column, double own, int m, double *row)
{
    for (int p = 0; p < m; p++)
        row[p] -= own * column[p];
}

/* Outcome j: what the evaluation at u moves, and what is left of variances and covariances. */
static int look_at(const struct ckg__kg_second *s, int j, const double *u, struct after *a,
                   struct ckg__arena *arena)
{
    const struct ckg__gp *gp = s->kg->belief->gp[j];
    const struct ckg__view *view = &s->kg->view[j];
    const int m = s->kg->m;
    const size_t width = (size_t)m + 1;
    double *column = a->column[j];
    double *var = a->kg.view[j].var;
    double noise;
    struct ckg__noise of = {.var = &noise};
    struct ckg__view at;

    /* Before it. */
    const int status = ckg__view_make(&at, gp, 1, u, 1, arena);
    if (status)
        return status;
    ckg__view_covariance(gp, view, &at, 0, 1, column, m);
    column[m] = at.var[0];
    ckg__kg_noise(s->kg->belief, j, 1, u, 1, at.mean, at.var, &of);
    memcpy(a->mean[j], view->mean, (size_t)m * sizeof *a->mean[j]);
    memcpy(var, view->var, (size_t)m * sizeof *var);
    a->mean[j][m] = at.mean[0];
    var[m] = at.var[0];
    memcpy(a->cov[j], s->cov[j], (size_t)s->tries * width * sizeof *a->cov[j]);
    for (int t = 0; t < s->tries; t++)
        a->cov[j][(size_t)t * width + (size_t)m] = column[s->place[t]];
    memcpy(a->cov[j] + (size_t)s->tries * width, column, width * sizeof *column);

    /* And after. */
    const double sd = sqrt(at.var[0] + noise);
    for (int p = 0; p <= m; p++) {
        column[p] /= sd;
        var[p] = fmax(var[p] - column[p] * column[p], 0);
    }
    for (int t = 0; t <= s->tries; t++)
        take_off(column, column[t < s->tries ? s->place[t] : m], m + 1, a->cov[j] + (size_t)t * width);
    return CKG_OK;
}

/* Means, gains and the recommendation where node i is shown. */
static void show(const struct ckg__kg_second *s, int i, struct after *a)
{
    const struct ckg__belief *belief = s->kg->belief;
    const double *z = s->shown->z + (size_t)i * (size_t)belief->outcomes;
    const int m = a->kg.m;

    for (int j = 0; j < belief->outcomes; j++)
        for (int p = 0; p < m; p++)
            a->kg.view[j].mean[p] = a->mean[j][p] + a->column[j][p] * z[j];
    ckg__belief_log_feasible(belief, a->kg.view, a->log_pf);
    a->kg.r = 0;
    for (int p = 0; p < m; p++) {
        a->kg.gain[p] = a->kg.view[0].mean[p] - belief->penalty;
        a->log_pf[p] = a->kg.gain[p] * ckg__exp(a->log_pf[p]);
        a->kg.r = a->log_pf[p] > a->log_pf[a->kg.r] ? p : a->kg.r;
    }
}

/* The largest knowledge gradient then. u is scratch (D), and at first x⁺. */
static double largest(const struct ckg__kg_second *s, struct after *a, const double *u, double *scratch)
{
    const struct ckg__belief *belief = s->kg->belief;
    const int D = ckg__belief_coordinates(belief);
    const size_t width = (size_t)a->kg.m;
    double best = 0;

    for (int t = 0; t <= s->tries; t++) {
        struct ckg__kg_candidate candidate;
        const int p = t < s->tries ? s->place[t] : s->kg->m;
        for (int k = 0; k < D; k++)
            scratch[k] = t < s->tries ? s->U[(size_t)k * (size_t)s->ldu + (size_t)p] : u[k];
        for (int j = 0; j < belief->outcomes; j++) {
            struct ckg__noise noise = {.var = &candidate.noise[j]};
            candidate.mean[j] = a->kg.view[j].mean[p];
            candidate.var[j] = a->kg.view[j].var[p];
            candidate.cov[j] = a->cov[j] + (size_t)t * width;
            ckg__kg_noise(belief, j, 1, scratch, 1, &candidate.mean[j], &candidate.var[j], &noise);
        }
        best = fmax(best, ckg__kg_value(&a->kg, &candidate, &a->work, NULL));
    }
    return best;
}

int ckg__kg_second_value(const struct ckg__kg_second *s, const double *u, struct ckg__arena *arena,
                         double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *scratch = ckg__arena_doubles(arena, (size_t)ckg__belief_coordinates(s->kg->belief));
    struct after after;
    int status = scratch ? after_take(s, &after, arena) : CKG_ERR_NOMEM;

    for (int j = 0; !status && j < s->kg->belief->outcomes; j++)
        status = look_at(s, j, u, &after, arena);
    *value = 0;
    for (int i = 0; !status && i < s->shown->count; i++) {
        show(s, i, &after);
        *value += s->shown->weight[i] * largest(s, &after, u, scratch);
    }
    ckg__arena_release(arena, mark);
    return status;
}
