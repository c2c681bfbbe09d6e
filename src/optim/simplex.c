/* Nelder and Mead's moves with their usual numbers: reflection 1, expansion 2, contraction ½, shrinkage ½. */
#include "optim/simplex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

struct simplex {
    ckg__point_function function;
    void *context;
    int dim, corners;
    const double *lower, *upper;
    double *X, *value;              /* corners × dim; (corners), best first */
    double *centre, *trial, *other; /* (dim) */
    struct ckg__arena *arena;
};

static int evaluate(const struct simplex *s, const double *x, double *value)
{
    struct ckg__arena_mark mark = ckg__arena_mark(s->arena);
    const int status = s->function(s->context, x, s->arena, value);
    ckg__arena_release(s->arena, mark);
    if (isnan(*value))
        *value = -INFINITY;
    return status;
}

static double *corner(const struct simplex *s, int i)
{
    return s->X + (size_t)i * (size_t)s->dim;
}

/* Moves the last corner to where its value puts it. */
static void sort_last(struct simplex *s)
{
    for (int i = s->corners - 1; i > 0 && s->value[i] > s->value[i - 1]; i--) {
        const double swap = s->value[i];
        s->value[i] = s->value[i - 1];
        s->value[i - 1] = swap;
        for (int k = 0; k < s->dim; k++) {
            const double x = corner(s, i)[k];
            corner(s, i)[k] = corner(s, i - 1)[k];
            corner(s, i - 1)[k] = x;
        }
    }
}

/* out ← centre + t·(centre − worst corner), projected, with its value. */
static int try_point(const struct simplex *s, double t, double *out, double *value)
{
    const double *worst = corner(s, s->corners - 1);
    for (int k = 0; k < s->dim; k++)
        out[k] = fmin(fmax(s->centre[k] + t * (s->centre[k] - worst[k]), s->lower[k]), s->upper[k]);
    return evaluate(s, out, value);
}

static void replace_worst(struct simplex *s, const double *x, double value)
{
    memcpy(corner(s, s->corners - 1), x, (size_t)s->dim * sizeof *x);
    s->value[s->corners - 1] = value;
    sort_last(s);
}

/* Every corner halfway to the best one. */
static int shrink(struct simplex *s)
{
    const int corners = s->corners;
    int status = CKG_OK;

    for (int i = 1; !status && i < corners; i++) {
        for (int k = 0; k < s->dim; k++)
            corner(s, i)[k] = 0.5 * (corner(s, i)[k] + s->X[k]);
        status = evaluate(s, corner(s, i), &s->value[i]);
    }
    for (s->corners = 2; s->corners <= corners; s->corners++)
        sort_last(s);
    s->corners = corners;
    return status;
}

static int move(struct simplex *s)
{
    const int worst = s->corners - 1;
    double reflected;
    double further;

    /* The middle of all corners but the worst. */
    for (int k = 0; k < s->dim; k++) {
        s->centre[k] = 0;
        for (int i = 0; i < worst; i++)
            s->centre[k] += corner(s, i)[k] / worst;
    }

    /* The worst corner, reflected in it. */
    int status = try_point(s, 1, s->trial, &reflected);
    if (status)
        return status;

    if (reflected > s->value[0]) {
        /* Better than all: try twice as far. */
        status = try_point(s, 2, s->other, &further);
        replace_worst(s, further > reflected ? s->other : s->trial, fmax(further, reflected));
    } else if (worst > 1 ? reflected > s->value[worst - 1] : reflected > s->value[worst]) {
        /* Better than some: good enough. */
        replace_worst(s, s->trial, reflected);
    } else {
        /* No gain: try halfway, and failing that draw all corners towards the best. */
        const int outside = reflected > s->value[worst];
        status = try_point(s, outside ? 0.5 : -0.5, s->other, &further);
        if (further > fmax(reflected, s->value[worst]))
            replace_worst(s, s->other, further);
        else if (!status)
            status = shrink(s);
    }
    return status;
}

/* The first corners: x and one step along each free coordinate, inwards where the box ends. */
static int begin(struct simplex *s, double edge, const double *x)
{
    int status = CKG_OK;

    s->corners = 0;
    for (int k = -1; !status && k < s->dim; k++) {
        if (k >= 0 && !(s->lower[k] < s->upper[k]))
            continue;
        double *at = corner(s, s->corners);
        memcpy(at, x, (size_t)s->dim * sizeof *x);
        if (k >= 0)
            at[k] = at[k] + edge <= s->upper[k] ? at[k] + edge : fmax(at[k] - edge, s->lower[k]);
        status = evaluate(s, at, &s->value[s->corners++]);
        sort_last(s);
    }
    return status;
}

int ckg__simplex(ckg__point_function function, void *context, int dim, const double *lower,
                 const double *upper, double edge, int steps, double *x, double *value,
                 struct ckg__arena *arena)
{
    assert(dim > 0 && edge > 0 && steps >= 0);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    const size_t size = (size_t)dim;
    double *room = ckg__arena_doubles(arena, (size + 1) * size + (size + 1) + 3 * size);
    if (!room)
        return CKG_ERR_NOMEM;
    double *values = room + (size + 1) * size;
    double *rest = values + size + 1;
    struct simplex s = {function, context, dim,  0,           lower,           upper,
                        room,     values,  rest, rest + size, rest + 2 * size, arena};
    int status = begin(&s, edge, x);
    for (int step = 0; !status && s.corners > 1 && step < steps; step++)
        status = move(&s);
    memcpy(x, s.X, size * sizeof *x);
    *value = s.value[0];
    ckg__arena_release(arena, mark);
    return status;
}
