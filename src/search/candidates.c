/* Which designs a policy compares, and the incumbent it improves on. */
#include <math.h>
#include <string.h>

#include "search/choice.h"

/* So many of the designs that are partly measured are candidates, the latest. */
enum { NEIGHBOURS = 32, ENUMERATED = 256, PARTLY = 48 };

/* Keeps the columns of U that are not taken; returns how many. */
static int drop_taken(const struct ckg__search *search, int count, double *U, int ldu, double *u, double *x)
{
    const int D = search->scope->problem->D;
    int kept = 0;

    for (int p = 0; p < count; p++) {
        ckg__point_get(D, U, ldu, p, u);
        if (ckg__search_taken(search, u, x))
            continue;
        ckg__point_put(D, u, U, ldu, kept);
        kept++;
    }
    return kept;
}

/* Every design of a small finite problem that is free, thinned evenly when they are many. */
static int free_designs(const struct ckg__search *search, double *U, int room, double *u, double *x)
{
    const int D = search->scope->problem->D;
    int count = 0;
    int kept = 0;

    for (int pass = 0; pass < 2; pass++) {
        const int step = pass ? (count + ENUMERATED - 1) / ENUMERATED : 1;
        int index = 0;
        for (int p = 0; p < search->base; p++) {
            ckg__point_get(D, search->U, search->base, p, u);
            if (ckg__search_taken(search, u, x))
                continue;
            if (pass && (index + (int)(search->stream % (uint64_t)step)) % step == 0 && kept < room) {
                ckg__point_put(D, u, U, room, kept);
                kept++;
            }
            index++;
        }
        count = index;
        if (!count)
            return 0;
    }
    return kept;
}

/* The points around one lookahead's x_r, its lattice neighbours and x_r itself, from column `at` on. */
static int around_lookahead(const struct ckg__search *search, int o, int local, double *U, int ldu, int at,
                            struct ckg__arena *arena, int *end)
{
    const struct ckg__lookahead *lookahead = &search->lookahead[o];

    if (local && ckg__problem_has_reals(search->scope->problem)) {
        if (ckg__search_around(search, lookahead, CKG__FOR_CANDIDATES_AROUND + (uint64_t)o, local, U + at,
                               ldu, arena))
            return CKG_ERR_NOMEM;
        at += local;
    }
    int beside;
    if (ckg__search_neighbours(search, lookahead->x_r, CKG__FOR_CANDIDATES_BESIDE + (uint64_t)o,
                               NEIGHBOURS / (search->lookaheads > 2 ? 4 : 1), U + at, ldu, arena, &beside))
        return CKG_ERR_NOMEM;
    at += beside;
    ckg__point_put(search->scope->problem->D, lookahead->x_r, U, ldu, at);
    *end = at + 1;
    return CKG_OK;
}

/* The latest designs of which something may still be measured, from column `at` on; returns the new end. */
static int partly_measured(const struct ckg__search *search, double *U, int ldu, int at, double *x)
{
    const struct ckg__data *data = search->scope->data;
    const int D = search->scope->problem->D;
    const int end = at + PARTLY;

    for (int i = data->designs - 1; i >= 0 && at < end; i--) {
        const double *u = data->u + (size_t)i * (size_t)D;
        if (!ckg__search_taken(search, u, x))
            ckg__point_put(D, u, U, ldu, at++);
    }
    return at;
}

int ckg__search_candidates(struct ckg__search *search, double **out, int *count)
{
    const int D = search->scope->problem->D;
    const int filling = search->size.candidates;
    int local = search->size.local / (search->lookaheads > 1 ? search->lookaheads : 2);

    /* Room for as many as there can be. */
    local = local < 6 ? 6 : local;
    const int partly = search->apart ? PARTLY : 0;
    const int room = search->enumerated ? ENUMERATED
                                        : filling + partly + search->lookaheads * (local + NEIGHBOURS + 1);
    double *U, *u, *x;
    if (CKG__TAKE(search->results, CKG__ROOM(U, (size_t)D * (size_t)room), CKG__ROOM(u, (size_t)D),
                  CKG__ROOM(x, (size_t)search->scope->problem->d)))
        return CKG_ERR_NOMEM;
    *out = U;

    /* All free designs of a small finite problem, else a filling of the cube and points around each x_r. */
    int status = CKG_OK;
    int n = 0;
    if (search->enumerated) {
        n = free_designs(search, U, room, u, x);
    } else {
        status = ckg__search_fill(search, CKG__FOR_CANDIDATES, filling, U, room, search->results);
        n = filling;
        for (int o = 0; !status && o < search->lookaheads; o++)
            status = around_lookahead(search, o, local, U, room, n, search->results, &n);
        if (!status && search->apart)
            n = partly_measured(search, U, room, n, x);
        n = status ? 0 : drop_taken(search, n, U, room, u, x);
    }

    /* The columns become contiguous: leading dimension n. */
    for (int k = 1; k < D && n < room; k++)
        memmove(U + (size_t)k * (size_t)n, U + (size_t)k * (size_t)room, (size_t)n * sizeof *U);
    *count = n;
    return status;
}

/* 1 when the trial's design may be the incumbent though not all of it was measured: it counts as believed. */
static int is_believed(const struct ckg__data *data, const struct ckg__trial *trial)
{
    return trial->state == CKG_PENDING ||
           (data->problem->separate && trial->state == CKG_COMPLETE && ckg__data_feasible(data, trial) < 0);
}

/*
 * Designs (D each, in a row) whose objective may be the incumbent: those measured feasible, then those that
 * are pending or, where outcomes are measured apart, partly measured; how many, and how many of these.
 */
static int collect_designs(const struct ckg__data *data, double *rows, int *believed)
{
    const size_t D = (size_t)data->problem->D;
    int m = 0;
    *believed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < data->trials; t++) {
            const struct ckg__trial *trial = &data->trial[t];
            if (pass ? !is_believed(data, trial) : ckg__data_feasible(data, trial) != 1)
                continue;
            memcpy(rows + (size_t)m * D, data->u + (size_t)trial->design * D, D * sizeof *rows);
            m++;
            *believed += pass;
        }
    return m;
}

/*
 * mean[p] ← −INFINITY for the points from `first` on whose constraints are not believed to be met; scratch is
 * (D+1)×m.
 */
static int drop_infeasible(const struct ckg__belief *belief, int m, int first, const double *U,
                           struct ckg__arena *arena, double *scratch, double *mean)
{
    for (int j = 1; first < m && j < belief->outcomes; j++) {
        const int status = ckg__posterior_mean(belief->gp[j], m, U, m, arena, scratch, scratch + m);
        if (status)
            return status;
        for (int p = first; p < m; p++)
            if (scratch[p] < belief->lower[j] || scratch[p] > belief->upper[j])
                mean[p] = -INFINITY;
    }
    return CKG_OK;
}

/*
 * Likewise where outcomes are measured apart, of those that are not sure to be met: a limit must be three
 * standard deviations away, or the best mean on a limit that was not measured there would hide what is better
 * than all that is known.
 */
static int drop_unsure(const struct ckg__belief *belief, int m, int first, const double *U,
                       struct ckg__arena *arena, double *mean)
{
    struct ckg__view view;

    for (int j = 1; first < m && j < belief->outcomes; j++) {
        if (ckg__view_make(&view, belief->gp[j], m, U, m, arena))
            return CKG_ERR_NOMEM;
        for (int p = first; p < m; p++) {
            const double margin = 3 * sqrt(view.var[p]);
            if (view.mean[p] - margin < belief->lower[j] || view.mean[p] + margin > belief->upper[j])
                mean[p] = -INFINITY;
        }
    }
    return CKG_OK;
}

/*
 * A pending design counts by what the models were made to believe of it: without it the improvement that it
 * promises would be promised again right beside it. Under noise the best value measured counts too: over the
 * best mean alone, an evaluation repeated at the incumbent promises half of its standard deviation again and
 * again, and one run in six of mystery never left the wrong region (mean OC 0.92 against 0.09).
 */
int ckg__search_incumbent(const struct ckg__search *search, const struct ckg__belief *belief,
                          struct ckg__arena *arena, double *best)
{
    const struct ckg__data *data = search->scope->data;
    const size_t D = (size_t)search->scope->problem->D;
    const size_t n = (size_t)data->trials;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *U, *scratch, *mean;

    if (CKG__TAKE(arena, CKG__ROOM(U, D * n + 1), CKG__ROOM(scratch, (D + 1) * n + 1),
                  CKG__ROOM(mean, n + 1)))
        return CKG_ERR_NOMEM;

    /* The designs that count. */
    int believed;
    const int m = collect_designs(data, scratch, &believed);
    ckg__point_columns((int)D, scratch, m, NULL, U);

    /* The largest mean among those believed feasible. */
    *best = -INFINITY;
    int status = m ? ckg__posterior_mean(belief->gp[0], m, U, m, arena, mean, scratch) : CKG_OK;
    if (!status && search->scope->problem->separate)
        status = drop_unsure(belief, m, m - believed, U, arena, mean);
    else if (!status)
        status = drop_infeasible(belief, m, m - believed, U, arena, scratch, mean);
    for (int p = 0; !status && p < m; p++)
        *best = mean[p] > *best ? mean[p] : *best;

    /* Under noise, also the largest value measured. */
    for (int t = 0; !status && ckg__gp_is_noisy(belief->gp[0]) && t < data->trials; t++)
        if (ckg__data_feasible(data, &data->trial[t]) == 1 && search->objective[t] > *best)
            *best = search->objective[t];

    ckg__arena_release(arena, mark);
    return status;
}
