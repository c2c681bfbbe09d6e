/*
 * Draws of what pending designs will show (awaited.h). Their rows are the last of each process and were
 * assumed at the mean, so that their whitened values are 0; those of a draw are standard normal
 * (posterior/truths.h). Cost: n²N to draw; a value costs what it costs for nei.
 */
#include "acquisition/awaited.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "design/sequence.h"
#include "linalg/normal.h"

/* The latest pending designs that are drawn, at most; earlier ones stay at their mean given the others. */
enum { MOST = 64 };

static int drawn_of(const struct ckg__awaited *a)
{
    return a->pending < MOST ? a->pending : MOST;
}

/*
 * z[j] (pending × N), standard normal, for each outcome that is drawn. As for nei, an upper limit turns them
 * over, and constraints that nearly repeat one another have the same.
 */
static int normals(const struct ckg__belief *belief, const struct ckg__awaited *a, struct ckg__arena *scratch,
                   double **z)
{
    const size_t pending = (size_t)drawn_of(a);
    const size_t N = (size_t)a->draws;
    const size_t columns = pending * (size_t)a->judged;
    double *cube = ckg__arena_doubles(scratch, N * columns + 1);

    if (!cube)
        return CKG_ERR_NOMEM;
    ckg__design_sobol(a->seed, a->first, a->draws, (int)columns, cube);
    for (int j = 0; j < a->judged; j++) {
        const int like = j && belief->beside[j] ? belief->beside[j] : j;
        const double sign = (j && isinf(belief->lower[like]) ? -1 : 1) * (like != j ? belief->turn[j] : 1);
        z[j] = ckg__arena_doubles(scratch, N * pending);
        if (!z[j])
            return CKG_ERR_NOMEM;
        for (size_t p = 0; p < pending; p++)
            for (size_t i = 0; i < N; i++)
                z[j][p * N + i] = sign * ckg__normal_quantile(
                                             cube[i * columns + p * (size_t)a->judged + (size_t)like]);
    }
    return CKG_OK;
}

/* The best of draw i: what is in hand, or a pending design that is feasible in it. shown[j] (pending × N). */
static double best_of(const struct ckg__belief *belief, const struct ckg__awaited *a, double *const *shown,
                      int i)
{
    double best = a->best;

    for (int p = 0; p < drawn_of(a); p++) {
        const size_t at = (size_t)p * (size_t)a->draws + (size_t)i;
        int feasible = 1;
        for (int j = 1; j < a->judged; j++)
            feasible &= shown[j][at] >= belief->lower[j] && shown[j][at] <= belief->upper[j];
        best = feasible && shown[0][at] > best ? shown[0][at] : best;
    }
    return best;
}

static int draw_all(struct ckg__nei *nei, const struct ckg__awaited *a, struct ckg__arena *keep,
                    struct ckg__arena *scratch)
{
    const struct ckg__belief *belief = nei->belief;
    double *z[CKG__MAX_OUTCOMES];
    double *shown[CKG__MAX_OUTCOMES];
    int status = normals(belief, a, scratch, z);

    /* The processes under every draw; the rest of what is believed as it is. */
    for (int j = 0; !status && j < a->judged; j++) {
        shown[j] = ckg__arena_doubles(scratch, (size_t)drawn_of(a) * (size_t)a->draws);
        status = shown[j] ? ckg__truths_await(&nei->process[j], belief->gp[j], drawn_of(a), a->draws, z[j],
                                              keep, shown[j])
                          : CKG_ERR_NOMEM;
    }
    for (int j = a->judged; j < belief->outcomes; j++)
        ckg__truths_take_measured(&nei->process[j], belief->gp[j]);

    /* What there is to improve on in each. */
    for (int i = 0; !status && i < a->draws; i++)
        nei->best[i] = best_of(belief, a, shown, i);
    return status;
}

int ckg__awaited_make(struct ckg__nei *nei, const struct ckg__belief *belief, const struct ckg__awaited *a,
                      struct ckg__arena *keep, struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);

    assert(keep != scratch && a->draws >= 2 && a->pending > 0);
    assert(a->judged > 0 && a->judged <= belief->outcomes && a->best > -INFINITY);
    *nei = (struct ckg__nei){.belief = belief, .draws = a->draws, .feasible = a->draws};
    nei->best = ckg__arena_doubles(keep, (size_t)a->draws);
    const int status = nei->best ? draw_all(nei, a, keep, scratch) : CKG_ERR_NOMEM;
    ckg__arena_release(scratch, mark);
    return status;
}
