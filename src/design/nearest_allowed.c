/*
 * The nearest allowed point: minimize |q − u|² over the reals, subject to each clause's margin, linearised
 * where the search stands, and to the box; then again from where that leads. For linear rules the first
 * answer is the last. The dual is solved by coordinate ascent (Hildreth 1957), one multiplier per clause, the
 * box by clipping.
 *
 * A point on a limit must obey it after rounding too, so it keeps a little distance, 1e-13 of the cube where
 * that is enough.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "design/allowed.h"
#include "problem/rules.h"

enum { ROUNDS = 40, ANCHORED = 12, PATIENCE = 3, SWEEPS = 100, NEWTON = 4, HALVINGS = 60 };

static const double first_distance = 1e-13;
static const double last_distance = 1e-6;
static const double settled = 1e-11;

/* One clause, linearised: slope·q >= wanted. */
struct row {
    int rule, clause;
    double slope[CKG_MAX_PARAMETERS]; /* by the reals, in the cube */
    double norm;
    double wanted;
    double multiplier;
};

struct nearest {
    const ckg_problem *problem;
    int count;                         /* reals */
    int parameter[CKG_MAX_PARAMETERS]; /* which they are */
    double lower[CKG_MAX_PARAMETERS], upper[CKG_MAX_PARAMETERS];
    double from[CKG_MAX_PARAMETERS];    /* what is to be near */
    double at[CKG_MAX_PARAMETERS];      /* where the search stands */
    double pushed[CKG_MAX_PARAMETERS];  /* from + Σ multiplier·slope, before the box clips it */
    double allowed[CKG_MAX_PARAMETERS]; /* the last point that was */
    double x[CKG_MAX_PARAMETERS];       /* the design at `at` */
    double distance;                    /* kept from limits */
    int rows;
    struct row row[CKG__MAX_NORMALS];
};

int ckg__ruled(const ckg_problem *problem)
{
    return problem->rules != NULL && problem->rules->count > 0;
}

int ckg__allowed(const ckg_problem *problem, const double *u, double *x)
{
    ckg__problem_from_unit(problem, u, x);
    return ckg__rules_allow(problem, x);
}

static void begin(struct nearest *n, const ckg_problem *problem, const double *lower, const double *upper,
                  const double *u)
{
    n->problem = problem;
    n->count = 0;
    n->rows = 0;
    n->distance = first_distance;
    for (int i = 0; i < problem->d; i++) {
        const int k = problem->parameters[i].offset;
        if (!ckg__is_real(&problem->parameters[i]) || problem->designs)
            continue;
        n->lower[n->count] = lower ? lower[k] : 0;
        n->upper[n->count] = upper ? upper[k] : 1;
        n->from[n->count] = n->at[n->count] = n->pushed[n->count] = u[k];
        n->parameter[n->count++] = i;
    }
}

/* --- the clauses, linearised --- */

static struct row *find_row(struct nearest *n, int rule, int clause)
{
    for (int r = 0; r < n->rows; r++)
        if (n->row[r].rule == rule && n->row[r].clause == clause)
            return &n->row[r];
    return NULL;
}

/* The row of a clause at the design x; 0: nothing there leads to where the clause holds. */
static int linearise(struct nearest *n, struct row *row)
{
    const ckg_problem *problem = n->problem;
    double slope[CKG_MAX_PARAMETERS];
    const double margin = ckg__rule_margin(problem, &problem->rules->rule[row->rule], row->clause, 1, n->x,
                                           slope);
    double square = 0;
    double here = 0;

    for (int k = 0; k < n->count; k++) {
        const int i = n->parameter[k];
        row->slope[k] = slope[i] * ckg__problem_slope(problem, i, n->x[i]);
        square += row->slope[k] * row->slope[k];
        here += row->slope[k] * n->at[k];
    }
    row->norm = sqrt(square);
    row->wanted = here - margin + n->distance * row->norm;
    return isfinite(margin) && row->norm > 0 && isfinite(row->norm);
}

/* Rows for the clauses that are broken or were; 0: one of them cannot be mended. */
static int lay_rows(struct nearest *n)
{
    const struct ckg__rules *rules = n->problem->rules;
    int possible = 1;

    for (int i = 0; i < rules->count && possible; i++)
        for (int c = 0; c < rules->rule[i].clauses && possible; c++) {
            struct row *row = find_row(n, i, c);
            const int broken = ckg__rule_margin(n->problem, &rules->rule[i], c, 1, n->x, NULL) < 0;

            if (!row && broken && n->rows < CKG__MAX_NORMALS) {
                row = &n->row[n->rows++];
                *row = (struct row){.rule = i, .clause = c};
            }
            if (!row)
                continue;
            if (linearise(n, row))
                continue;

            /* One that holds without a slope is left out this time. */
            row->norm = row->multiplier = 0;
            possible = !broken;
        }
    return possible && n->rows > 0;
}

/* --- the nearest point of the linearised rules and the box --- */

static double clip(const struct nearest *n, int k)
{
    return fmin(fmax(n->pushed[k], n->lower[k]), n->upper[k]);
}

static void push_all(struct nearest *n)
{
    memcpy(n->pushed, n->from, (size_t)n->count * sizeof *n->pushed);
    for (int r = 0; r < n->rows; r++)
        for (int k = 0; k < n->count && n->row[r].multiplier > 0; k++)
            n->pushed[k] += n->row[r].multiplier * n->row[r].slope[k];
}

/*
 * What is missing in a row, in units of distance, and the square of its slope where the box lets it move.
 * *stuck: the box holds every coordinate that could help.
 */
static double missing(const struct nearest *n, const struct row *row, double *square, int *stuck)
{
    double sum = 0;

    *square = 0;
    *stuck = 1;
    for (int k = 0; k < n->count; k++) {
        const double at = clip(n, k);
        sum += row->slope[k] * at;
        if (at == n->pushed[k])
            *square += row->slope[k] * row->slope[k];
        *stuck &= row->slope[k] == 0 || at == (row->slope[k] > 0 ? n->upper[k] : n->lower[k]);
    }
    return (row->wanted - sum) / row->norm;
}

/* The multiplier of one row, the others held; by how much it moved the point. −1: it cannot hold. */
static double adjust(struct nearest *n, struct row *row)
{
    double moved = 0;

    for (int i = 0; i < NEWTON; i++) {
        double square;
        int stuck;
        const double short_of = missing(n, row, &square, &stuck);

        if (short_of <= 0 && row->multiplier == 0)
            break;
        if (stuck && short_of > 1e-12)
            return -1;
        if (!(square > 0))
            square = row->norm * row->norm;
        const double to = fmax(0, row->multiplier + short_of * row->norm / square);
        const double change = to - row->multiplier;
        row->multiplier = to;
        for (int k = 0; k < n->count; k++)
            n->pushed[k] += change * row->slope[k];
        moved = fmax(moved, fabs(change) * row->norm);
        if (fabs(change) * row->norm < 1e-16)
            break;
    }
    return moved;
}

/* `at` ← the nearest point; how far it is from where the search stood. −1: there is none. */
static double solve(struct nearest *n)
{
    double moved = 1;
    double far = 0;

    push_all(n);
    for (int sweep = 0; sweep < SWEEPS && moved > 1e-15; sweep++) {
        moved = 0;
        for (int r = 0; r < n->rows; r++) {
            const double by = n->row[r].norm > 0 ? adjust(n, &n->row[r]) : 0;
            if (by < 0)
                return -1;
            moved = fmax(moved, by);
        }
    }
    for (int k = 0; k < n->count; k++) {
        far = fmax(far, fabs(clip(n, k) - n->at[k]));
        n->at[k] = clip(n, k);
    }
    return far;
}

/* --- round after round --- */

/* The design at the point; 1 when it is allowed. */
static int place(struct nearest *n)
{
    for (int k = 0; k < n->count; k++)
        n->x[n->parameter[k]] = ckg__problem_real(n->problem, n->parameter[k], n->at[k]);
    return ckg__rules_allow(n->problem, n->x);
}

/* How far the point is beyond the limits as they were linearised: 0 unless they contradict one another. */
static double contradiction(const struct nearest *n)
{
    double worst = 0;

    for (int r = 0; r < n->rows; r++) {
        double square;
        int stuck;
        if (n->row[r].norm > 0)
            worst = fmax(worst, missing(n, &n->row[r], &square, &stuck));
    }
    return worst;
}

/*
 * 1 when an allowed point was found. Where rules bend, what is nearest to the first point changes with every
 * round; if that takes too long, any allowed point will do, and each round is from the last.
 */
static int search(struct nearest *n)
{
    int found = 0;
    int contradicted = 0;

    for (int round = 0; round < ROUNDS; round++) {
        if (!lay_rows(n))
            break;
        const double far = solve(n);
        if (far < 0)
            break;
        const int allowed = place(n);

        /* Limits that contradict one another here may not do so from elsewhere, but soon it is enough. */
        contradicted += !allowed && contradiction(n) > 1e-6;
        if (contradicted > PATIENCE)
            break;

        /* An allowed point is kept, and is the answer once it stays where it is. */
        if (allowed)
            memcpy(n->allowed, n->at, (size_t)n->count * sizeof *n->at);
        found |= allowed;
        if (allowed && (far < settled || round >= ANCHORED))
            break;
        if (!allowed && found && round >= ANCHORED)
            break;

        /* On the limit, but for rounding: a little farther from it. */
        if (!allowed && far < fmax(settled, 2 * n->distance)) {
            n->distance *= 10;
            if (n->distance > last_distance)
                break;
        }
        if (round >= ANCHORED) {
            memcpy(n->from, n->at, (size_t)n->count * sizeof *n->at);
            for (int r = 0; r < n->rows; r++)
                n->row[r].multiplier = 0;
        }
    }
    return found;
}

/* The normals of the rows that hold the point, one after the other made orthogonal to those before. */
static void make_tangent(const struct nearest *n, struct ckg__tangent *t)
{
    t->count = n->count;
    t->normals = 0;
    for (int k = 0; k < n->count; k++) {
        t->coordinate[k] = n->problem->parameters[n->parameter[k]].offset;
        t->held[k] = n->rows && (n->pushed[k] < n->lower[k] || n->pushed[k] > n->upper[k]);
    }
    for (int r = 0; r < n->rows; r++) {
        double *normal = t->normal[t->normals];
        double square = 0;

        if (!(n->row[r].multiplier > 0))
            continue;
        for (int k = 0; k < n->count; k++)
            normal[k] = t->held[k] ? 0 : n->row[r].slope[k] / n->row[r].norm;
        for (int m = 0; m < t->normals; m++) {
            double along = 0;
            for (int k = 0; k < n->count; k++)
                along += normal[k] * t->normal[m][k];
            for (int k = 0; k < n->count; k++)
                normal[k] -= along * t->normal[m][k];
        }
        for (int k = 0; k < n->count; k++)
            square += normal[k] * normal[k];
        if (!(square > 1e-20))
            continue;
        for (int k = 0; k < n->count; k++)
            normal[k] /= sqrt(square);
        t->normals++;
    }
}

int ckg__allowed_nearest(const ckg_problem *problem, const double *lower, const double *upper, double *u,
                         struct ckg__tangent *tangent)
{
    struct nearest n;

    begin(&n, problem, lower, upper, u);
    const int as_it_is = ckg__allowed(problem, u, n.x);
    if (!as_it_is && (!n.count || !search(&n)))
        return 0;
    for (int k = 0; k < n.count && !as_it_is; k++)
        u[problem->parameters[n.parameter[k]].offset] = n.allowed[k];
    if (tangent)
        make_tangent(&n, tangent);
    return 1;
}

void ckg__tangent_apply(const struct ckg__tangent *t, double *gradient, int stride)
{
    for (int k = 0; k < t->count; k++)
        if (t->held[k])
            gradient[(size_t)t->coordinate[k] * (size_t)stride] = 0;
    for (int m = 0; m < t->normals; m++) {
        double along = 0;
        for (int k = 0; k < t->count; k++)
            along += t->normal[m][k] * gradient[(size_t)t->coordinate[k] * (size_t)stride];
        for (int k = 0; k < t->count; k++)
            gradient[(size_t)t->coordinate[k] * (size_t)stride] -= along * t->normal[m][k];
    }
}

void ckg__allowed_return(const ckg_problem *problem, const double *from, double *u)
{
    double x[CKG_MAX_PARAMETERS];

    if (ckg__allowed_nearest(problem, NULL, NULL, u, NULL))
        return;
    for (int i = 0; i < HALVINGS && !ckg__allowed(problem, u, x); i++)
        for (int k = 0; k < problem->D; k++)
            u[k] = i < HALVINGS - 1 ? from[k] + 0.5 * (u[k] - from[k]) : from[k];
}
