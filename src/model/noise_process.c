/* The noise_process of noise at points (noise_process.h). Cost places·D a point. */
#include "model/noise_process.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"

struct ckg__noise_process ckg__noise_process_lay_out(const struct ckg__noise_fit *varying, int D,
                                                     const int *group, const double *u, double *room)
{
    const size_t places = (size_t)varying->places;
    double *Z = room + D;
    double *weight = Z + (size_t)D * places;

    for (int k = 0; k < D; k++) {
        room[k] = varying->inv_ell[group[k]];
        for (size_t b = 0; b < places; b++)
            Z[(size_t)k * places + b] = u[(size_t)varying->design[b] * (size_t)D + (size_t)k] * room[k];
    }
    memcpy(weight, varying->weight, places * sizeof *weight);
    return (struct ckg__noise_process){varying->places, D, varying->s2, room, Z, weight};
}

/* The square of the scaled distance of point p from place b. */
static double squared_distance(const struct ckg__noise_process *l, const double *U, int ldu, int p, int b)
{
    double sum = 0;

    for (int k = 0; k < l->D; k++) {
        const double step = U[(size_t)k * (size_t)ldu + (size_t)p] * l->inv_ell[k] -
                            l->Z[(size_t)k * (size_t)l->places + (size_t)b];
        sum += step * step;
    }
    return sum;
}

void ckg__noise_process_at(const struct ckg__noise_process *l, int m, const double *U, int ldu, double *g,
                           double *gradient)
{
    assert(l->places > 0 && ldu >= m);

    for (int p = 0; p < m; p++) {
        g[p] = 0;
        for (int k = 0; gradient && k < l->D; k++)
            gradient[(size_t)k * (size_t)m + (size_t)p] = 0;
        for (int b = 0; b < l->places; b++) {
            const double share = l->weight[b] * l->s2 * ckg__exp(-0.5 * squared_distance(l, U, ldu, p, b));
            g[p] += share;
            for (int k = 0; gradient && k < l->D; k++)
                gradient[(size_t)k * (size_t)m + (size_t)p] +=
                    share * l->inv_ell[k] *
                    (l->Z[(size_t)k * (size_t)l->places + (size_t)b] -
                     U[(size_t)k * (size_t)ldu + (size_t)p] * l->inv_ell[k]);
        }
    }
}

struct ckg__series ckg__series_vary(const struct ckg__series *plain, const double *g, double *relative)
{
    struct ckg__series out = *plain;

    /* Of c replicates c − 1 say how loud it is at their design. */
    assert(!plain->relative && !ckg__series_has(plain, CKG__UNSCALED));
    out.within = 0;
    for (int i = 0; i < plain->n; i++) {
        relative[i] = ckg__exp(g[i]);
        if (plain->known[i] >= 0)
            continue;
        out.within += plain->squares[i] / relative[i];
        out.constant -= 0.5 * (plain->count[i] - 1) * g[i];
    }
    out.relative = relative;
    return out;
}
