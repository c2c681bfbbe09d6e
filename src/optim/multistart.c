/*
 * Lock step: each round gathers the next point of every start that is still going, evaluates them in one
 * batch, and hands the values back. A start's path depends on its own values alone.
 */
#include "optim/multistart.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

struct round {
    int m;
    int *which;
    double *U, *value, *gradient, *own;
};

static int round_take(struct round *r, int dim, int starts, struct ckg__arena *arena)
{
    const size_t size = (size_t)dim * (size_t)starts;
    return CKG__TAKE(arena, CKG__ROOM(r->which, starts), CKG__ROOM(r->U, size), CKG__ROOM(r->value, starts),
                     CKG__ROOM(r->gradient, size), CKG__ROOM(r->own, dim));
}

static void gather(struct round *r, int dim, int starts, struct ckg__lbfgs *const *optimizer,
                   const int *going)
{
    r->m = 0;
    for (int s = 0; s < starts; s++)
        if (going[s])
            r->which[r->m++] = s;
    for (int p = 0; p < r->m; p++) {
        const double *x = ckg__lbfgs_point(optimizer[r->which[p]]);
        for (int k = 0; k < dim; k++)
            r->U[(size_t)k * (size_t)r->m + (size_t)p] = x[k];
    }
}

static void hand_back(struct round *r, int dim, struct ckg__lbfgs *const *optimizer, int *going)
{
    for (int p = 0; p < r->m; p++) {
        for (int k = 0; k < dim; k++)
            r->own[k] = -r->gradient[(size_t)k * (size_t)r->m + (size_t)p];
        going[r->which[p]] = ckg__lbfgs_tell(optimizer[r->which[p]], -r->value[p], r->own);
    }
}

int ckg__multistart(ckg__batch_function function, void *context, int dim, int starts, const double *lower,
                    const double *upper, const struct ckg__lbfgs_options *options, double *X, double *value,
                    struct ckg__arena *arena)
{
    assert(dim > 0 && starts >= 0);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__lbfgs **optimizer = ckg__arena_get(arena, (size_t)starts, sizeof *optimizer);
    int *going = ckg__arena_ints(arena, (size_t)starts);
    struct round r;
    int status = !optimizer || !going || round_take(&r, dim, starts, arena) ? CKG_ERR_NOMEM : CKG_OK;

    /* An optimiser for every start. */
    for (int s = 0; !status && s < starts; s++) {
        const size_t row = (size_t)s * (size_t)dim;
        void *memory = ckg__arena_get(arena, ckg__lbfgs_size(dim, options->memory), 1);
        if (!memory) {
            status = CKG_ERR_NOMEM;
            break;
        }
        optimizer[s] = ckg__lbfgs_init(memory, dim, lower + row, upper + row, options);
        ckg__lbfgs_start(optimizer[s], X + row);
        going[s] = 1;
    }

    /* Rounds, until none goes on. */
    while (!status) {
        gather(&r, dim, starts, optimizer, going);
        if (!r.m)
            break;
        status = function(context, r.m, r.U, r.which, arena, r.value, r.gradient);
        if (!status)
            hand_back(&r, dim, optimizer, going);
    }

    /* The best of each. */
    for (int s = 0; !status && s < starts; s++)
        memcpy(X + (size_t)s * (size_t)dim, ckg__lbfgs_best(optimizer[s], &value[s]),
               (size_t)dim * sizeof *X);
    for (int s = 0; !status && s < starts; s++)
        value[s] = -value[s];
    ckg__arena_release(arena, mark);
    return status;
}
