/*
 * Between the user's units and the unit cube of the models (problem.h says how each kind of parameter is laid
 * out).
 */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/maths.h"
#include "problem/problem.h"

static const double category_mark = 0.70710678118654752440; /* 1/√2 */

double ckg__problem_size(const ckg_problem *p)
{
    if (p->designs)
        return p->designs;
    double size = 1;
    for (int i = 0; i < p->d; i++) {
        if (ckg__is_real(&p->parameters[i]))
            return 0;
        size *= p->parameters[i].steps + 1;
    }
    return size > 0x1p53 ? 0 : size;
}

void ckg__problem_number(const ckg_problem *p, double index, double *x)
{
    assert(index >= 0 && index < ckg__problem_size(p));
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        const double values = q->steps + 1;
        x[i] = p->designs ? p->X[(size_t)index * (size_t)p->d + (size_t)i]
                          : ckg__step_value(q, fmod(index, values));
        index = p->designs ? index : floor(index / values);
    }
}

int ckg__problem_has_reals(const ckg_problem *p)
{
    for (int i = 0; i < p->d; i++)
        if (ckg__is_real(&p->parameters[i]))
            return !p->designs;
    return 0;
}

int ckg__problem_fine(const ckg_problem *p)
{
    int count = 0;

    for (int i = 0; !p->designs && i < p->d; i++)
        count += ckg__is_fine(&p->parameters[i]);
    return count;
}

static double real_to_unit(const struct ckg__parameter *q, double x)
{
    if (q->scale == CKG_LOG)
        return ckg__clamp((ckg__log(x) - ckg__log(q->low)) / (ckg__log(q->high) - ckg__log(q->low)), 0, 1);
    return ckg__clamp((x - q->low) / (q->high - q->low), 0, 1);
}

static double real_from_unit(const struct ckg__parameter *q, double u)
{
    if (u <= 0)
        return q->low;
    if (u >= 1)
        return q->high;
    const double x = q->scale == CKG_LOG
                         ? ckg__exp(ckg__log(q->low) + u * (ckg__log(q->high) - ckg__log(q->low)))
                         : q->low + u * (q->high - q->low);
    return ckg__clamp(x, q->low, q->high);
}

/* A design of the user's own may lie between the steps, or after the last of them. */
static double stepped_to_unit(const struct ckg__parameter *q, double x)
{
    const double k = ckg__step_number(q, x);

    if (x == ckg__step_value(q, k))
        return ckg__step_to_unit(q, k);
    return q->scale == CKG_LOG ? ckg__log(x / q->low) / ckg__log(q->high / q->low)
                               : (x - q->low) / (q->high - q->low);
}

double ckg__problem_real(const ckg_problem *p, int i, double u)
{
    return real_from_unit(&p->parameters[i], u);
}

double ckg__problem_slope(const ckg_problem *p, int i, double x)
{
    const struct ckg__parameter *q = &p->parameters[i];

    return q->scale == CKG_LOG ? x * (ckg__log(q->high) - ckg__log(q->low)) : q->high - q->low;
}

static void mark_category(const struct ckg__parameter *q, int value, double *u)
{
    assert(q->kind == CKG_CATEGORICAL && value >= 0 && value < q->count);
    for (int v = 0; v < q->count; v++)
        u[q->offset + v] = v == value ? category_mark : 0.0;
}

void ckg__problem_to_unit(const ckg_problem *p, const double *x, double *u)
{
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        if (q->kind == CKG_CATEGORICAL)
            mark_category(q, (int)x[i], u);
        else
            u[q->offset] = ckg__is_real(q) ? real_to_unit(q, x[i]) : stepped_to_unit(q, x[i]);
    }
}

/* The design of the list that is nearest to u; almost always it is u itself. */
static int nearest_design(const ckg_problem *p, const double *u)
{
    int best = 0;
    double smallest = INFINITY;

    assert(p->designs > 0);
    for (int i = 0; i < p->designs && smallest > 0; i++) {
        const double *row = p->U + (size_t)i * (size_t)p->D;
        double square = 0;
        for (int k = 0; k < p->D && square < smallest; k++)
            square += (u[k] - row[k]) * (u[k] - row[k]);
        if (square < smallest) {
            smallest = square;
            best = i;
        }
    }
    return best;
}

void ckg__problem_from_unit(const ckg_problem *p, const double *u, double *x)
{
    const int listed = p->designs ? nearest_design(p, u) : 0;

    for (int i = 0; p->designs && i < p->d; i++)
        x[i] = p->X[(size_t)listed * (size_t)p->d + (size_t)i];
    for (int i = 0; !p->designs && i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        const double *v = u + q->offset;
        if (ckg__is_real(q)) {
            x[i] = real_from_unit(q, *v);
        } else if (ckg__is_stepped(q)) {
            x[i] = ckg__step_value(q, ckg__step_from_unit(q, *v));
        } else {
            int best = 0;
            for (int k = 1; k < q->count; k++)
                best = v[k] > v[best] ? k : best;
            x[i] = best;
        }
    }
}

int ckg__problem_offers(const ckg_problem *p, const double *x)
{
    int listed = !p->designs;

    for (int n = 0; n < p->designs && !listed; n++)
        listed = ckg__same_design(p->d, p->X + (size_t)n * (size_t)p->d, x);
    for (int i = 0; !p->designs && listed && i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];

        listed = ckg__is_real(q) || x[i] == ckg__step_value(q, ckg__step_number(q, x[i]));
    }
    return listed;
}

void ckg__problem_snap(const ckg_problem *p, double *u)
{
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];

        if (ckg__is_stepped(q))
            u[q->offset] = ckg__step_to_unit(q, ckg__step_from_unit(q, u[q->offset]));
    }
}

void ckg__problem_numbered(const ckg_problem *p, double index, double *u)
{
    double x[CKG_MAX_PARAMETERS];

    ckg__problem_number(p, index, x);
    ckg__problem_to_unit(p, x, u);
}

void ckg__problem_from_cube(const ckg_problem *p, const double *c, double *u)
{
    if (p->designs)
        ckg__problem_numbered(p, floor(c[0] * p->designs), u);
    else
        ckg__problem_on_lattice(p, c, u);
}

void ckg__problem_on_lattice(const ckg_problem *p, const double *c, double *u)
{
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        if (ckg__is_real(q))
            u[q->offset] = c[i];
        else if (ckg__is_stepped(q))
            u[q->offset] = ckg__step_to_unit(q, ckg__step_from_share(q, c[i]));
        else
            mark_category(q, (int)ckg__step_from_share(q, c[i]), u);
    }
}

void ckg__problem_free_box(const ckg_problem *p, const double *u, double *lower, double *upper)
{
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        for (int k = q->offset; k < q->offset + q->width; k++) {
            const int moves = ckg__is_real(q) && !p->designs;
            lower[k] = moves ? 0.0 : u[k];
            upper[k] = moves ? 1.0 : u[k];
        }
    }
}
