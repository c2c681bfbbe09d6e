/*
 * How loud the noise is where: the most probable noise_process given the hyperparameters of the process, by
 * Fisher scoring, and its evidence by Laplace's approximation. With s_i the variance of row i's noise, c_i
 * values in it with the sum of squares q_i, Q = (K + Σ)⁻¹ and α = Q(y − m), the density has in the log
 * variance h_i of one value at row i
 *
 *     the slope                u_i  = ½(α_i² − Q_ii)s_i + ½(q_i e^{−h_i} − (c_i − 1))
 *     and Fisher's information F_ij = ½Q_ij² s_i s_j + ½(c_i − 1)[i = j]
 *
 * so that rows without replicates tell of the noise, too, as far as they cannot be signal. h = level + Ψw
 * with Ψ = k(X, Z)R⁻ᵀ, RRᵀ = k(Z, Z), and w ~ N(0, I): as few unknowns as there are places. The density seen
 * as quadratic in h, other scales of the noise_process are compared without another factor of K + Σ.
 *
 * References: Goldberg, Williams and Bishop 1998 for the model; Kersting et al. 2007 for the most likely
 * course of the noise; Binois, Gramacy and Ludkovski 2018 for a joint likelihood with replicates, which this
 * follows. Cost n³ a step, n²·places for each choice of scales.
 */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/dense.h"
#include "model/gp_private.h"
#include "model/noise_process.h"

enum { STEPS = 10, HALVINGS = 6, MOST_COORDINATES = 20 };

/* The columns of Ψ: the level first. */
enum { COLUMNS = CKG__NOISE_PLACES + 1 };

/* Steps end where the next would gain less than this in log density. */
static const double enough = 1e-6;

/* Where scales begin, and which are tried: the variance of g, and length-scales beside √(d/2). */
static const double first_s2 = 2;
static const double first_ell = 1;
static const double tried_s2[] = {0.5, 2, 6};
static const double tried_ell[] = {0.35, 0.7, 1.4, 3};

/* On the diagonal of k(Z, Z), relative to s². */
static const double nugget = 1e-6;

struct scoring {
    const struct ckg__fit *fit;
    struct ckg__gp_inputs inputs; /* with the varied series */
    struct ckg__series varied;
    struct ckg__fit_work work;
    struct ckg__noise_fit *varying;
    int rows;                 /* of estimated noise; below they are numbered without the others */
    int *row;                 /* (rows) */
    int columns;              /* 1 + places */
    double *Z;                /* D×places, unscaled */
    double *relative, *g;     /* (n) */
    double *h, *u, *pull;     /* (rows): offset of the log variance, slope, u + F·h */
    double *F;                /* rows×rows, both triangles */
    double *Psi, *FPsi;       /* rows×columns */
    double *R;                /* places×places, the factor of k(Z, Z) */
    double *H;                /* columns×columns */
    double *c, *trial, *step; /* (columns): the level beside its prior mean, then w */
    double *theta;            /* (d+2) */
    double centre;            /* prior mean of the level */
    double precision;         /* and its precision */
};

/* --- room and places --- */

static int take(struct scoring *s, struct ckg__arena *arena)
{
    const size_t n = (size_t)s->fit->inputs.n + 1;
    const size_t D = (size_t)s->fit->inputs.D;
    double *of_rows, *of_columns;

    if (CKG__TAKE(
            arena, CKG__ROOM(of_rows, 5 * n), CKG__ROOM(of_columns, 3 * COLUMNS), CKG__ROOM(s->row, n),
            CKG__ROOM(s->Z, D * CKG__NOISE_PLACES), CKG__ROOM(s->F, n * n), CKG__ROOM(s->Psi, n * COLUMNS),
            CKG__ROOM(s->FPsi, n * COLUMNS), CKG__ROOM(s->R, (size_t)CKG__NOISE_PLACES * CKG__NOISE_PLACES),
            CKG__ROOM(s->H, (size_t)COLUMNS * COLUMNS), CKG__ROOM(s->theta, (size_t)s->fit->inputs.d + 2)) ||
        ckg__fit_work_take(&s->work, s->fit, arena))
        return CKG_ERR_NOMEM;

    s->relative = of_rows;
    s->g = of_rows + n;
    s->h = of_rows + 2 * n;
    s->u = of_rows + 3 * n;
    s->pull = of_rows + 4 * n;
    s->c = of_columns;
    s->trial = of_columns + COLUMNS;
    s->step = of_columns + 2 * (size_t)COLUMNS;
    return CKG_OK;
}

/* Coordinate k of row i of the inputs. */
static double coordinate(const struct scoring *s, int k, int i)
{
    return s->fit->inputs.X[(size_t)k * (size_t)s->fit->inputs.ldx + (size_t)i];
}

/* The square of the distance of row i from place b. */
static double apart(const struct scoring *s, int i, int b)
{
    double sum = 0;

    for (int k = 0; k < s->fit->inputs.D; k++) {
        const double step = coordinate(s, k, i) - s->Z[k * CKG__NOISE_PLACES + b];
        sum += step * step;
    }
    return sum;
}

/* The places: the first row, then each time the one that is farthest from those there are. */
static void choose_places(struct scoring *s)
{
    double *nearest = s->h; /* scratch */
    int next = 0;

    for (int a = 0; a < s->rows; a++)
        nearest[a] = INFINITY;
    s->varying->places = 0;
    while (s->varying->places < CKG__NOISE_PLACES && s->rows > 0 && nearest[next] > 0) {
        const int b = s->varying->places++;
        s->varying->design[b] = s->fit->inputs.series->design[s->row[next]];
        for (int k = 0; k < s->fit->inputs.D; k++)
            s->Z[k * CKG__NOISE_PLACES + b] = coordinate(s, k, s->row[next]);
        for (int a = 0; a < s->rows; a++)
            nearest[a] = fmin(nearest[a], apart(s, s->row[a], b));
        for (int a = 0; a < s->rows; a++)
            next = nearest[a] > nearest[next] ? a : next;
    }
    s->columns = 1 + s->varying->places;
}

/* The rows whose noise is estimated, the places among them, the prior of the level. */
static int prepare(struct scoring *s, const struct ckg__fit *fit, const double *theta,
                   struct ckg__noise_fit *varying, struct ckg__arena *arena)
{
    const struct ckg__prior *prior = &fit->prior;
    const int d = fit->inputs.d;

    assert(!fit->inputs.series->relative && fit->inputs.series->squares);
    *s = (struct scoring){.fit = fit, .varying = varying, .inputs = fit->inputs};
    if (take(s, arena))
        return CKG_ERR_NOMEM;
    memcpy(s->theta, theta, ((size_t)d + 2) * sizeof *theta);
    for (int i = 0; i < fit->inputs.n; i++)
        if (fit->inputs.series->known[i] < 0)
            s->row[s->rows++] = i;
    choose_places(s);
    s->centre = isfinite(prior->noise_sd) ? prior->noise_mean : theta[d];
    s->precision = isfinite(prior->noise_sd) ? 1 / (prior->noise_sd * prior->noise_sd) : 0;
    memset(s->c, 0, COLUMNS * sizeof *s->c);
    s->c[0] = theta[d] - s->centre;
    return CKG_OK;
}

/* --- Ψ --- */

static double covariance(const struct ckg__noise_fit *varying, const int *group, int D, const double *a,
                         int lda, const double *b, int ldb)
{
    double sum = 0;

    for (int k = 0; k < D; k++) {
        const double step = (a[(size_t)k * (size_t)lda] - b[(size_t)k * (size_t)ldb]) *
                            varying->inv_ell[group[k]];
        sum += step * step;
    }
    return varying->s2 * ckg__exp(-0.5 * sum);
}

/* R and Ψ for the scales that loud has. */
static void lay_columns(struct scoring *s)
{
    const struct ckg__gp_inputs *in = &s->fit->inputs;
    const int places = s->varying->places;
    double line[CKG__NOISE_PLACES];

    /* The factor of the places' covariance, which the nugget keeps well conditioned. */
    for (int a = 0; a < places; a++) {
        for (int b = 0; b <= a; b++)
            s->R[a * CKG__NOISE_PLACES + b] = covariance(s->varying, in->group, in->D, s->Z + a,
                                                         CKG__NOISE_PLACES, s->Z + b, CKG__NOISE_PLACES);
        s->R[a * CKG__NOISE_PLACES + a] += nugget * s->varying->s2;
    }
    const int bad = ckg__dense()->cholesky(places, s->R, CKG__NOISE_PLACES, NULL);
    assert(!bad);
    (void)bad;

    /* A row of Ψ solves Rψ = k(Z, x); before it stands the level. */
    for (int a = 0; a < s->rows; a++) {
        double *psi = s->Psi + (size_t)a * (size_t)s->columns;
        for (int b = 0; b < places; b++)
            line[b] = covariance(s->varying, in->group, in->D, in->X + s->row[a], in->ldx, s->Z + b,
                                 CKG__NOISE_PLACES);
        ckg__dense()->solve_lower(places, 1, s->R, CKG__NOISE_PLACES, line, 1);
        psi[0] = 1;
        memcpy(psi + 1, line, (size_t)places * sizeof *line);
    }
}

/* --- the density in h --- */

/* The log posterior density at c (columns), with h, α, Q and Σ there. */
static double density_at(struct scoring *s, const double *c)
{
    const struct ckg__gp_inputs *in = &s->fit->inputs;
    double value = -0.5 * s->precision * c[0] * c[0];

    for (int b = 1; b < s->columns; b++)
        value -= 0.5 * c[b] * c[b];

    /* h of each row, and the series that it makes. */
    s->theta[in->d] = s->centre + c[0];
    memset(s->g, 0, (size_t)in->n * sizeof *s->g);
    for (int a = 0; a < s->rows; a++) {
        s->h[a] = ckg__dense()->dot(s->columns, s->Psi + (size_t)a * (size_t)s->columns, c);
        s->g[s->row[a]] = s->h[a] - c[0];
    }
    s->varied = ckg__series_vary(in->series, s->g, s->relative);
    s->inputs.series = &s->varied;
    if (ckg__interrupted(in->interrupt))
        return -INFINITY;
    return value + ckg__normal_density(&s->inputs, s->theta, &s->work);
}

/* u and F from what the last density left. */
static void find_slopes(struct scoring *s)
{
    const struct ckg__series *series = s->fit->inputs.series;
    const struct ckg__fit_work *w = &s->work;
    const size_t rows = (size_t)s->rows;

    for (size_t a = 0; a < rows; a++) {
        const int i = s->row[a];
        const double *q = w->L + (size_t)i * (size_t)w->ld;
        const double more = series->count[i] - 1;
        const double within = series->squares[i] * ckg__exp(-s->centre - s->h[a]);
        s->u[a] = 0.5 * (w->alpha[i] * w->alpha[i] - q[i]) * w->noise[i] + 0.5 * (within - more);
        for (size_t b = 0; b <= a; b++) {
            const double both = q[s->row[b]];
            const double f = 0.5 * both * both * w->noise[i] * w->noise[s->row[b]];
            s->F[a * rows + b] = s->F[b * rows + a] = f;
        }
        s->F[a * rows + a] += 0.5 * more;
    }
}

/* H ← the negative second derivative: its factor, for the Ψ there is. */
static void find_curvature(struct scoring *s)
{
    const int columns = s->columns;
    const int rows = s->rows;

    ckg__dense()->multiply_tn(rows, columns, rows, 1, s->F, rows, s->Psi, columns, 0, s->FPsi, columns);
    ckg__dense()->multiply_tn(columns, columns, rows, 1, s->Psi, columns, s->FPsi, columns, 0, s->H, COLUMNS);
    s->H[0] += s->precision + DBL_MIN;
    for (int b = 1; b < columns; b++)
        s->H[b * COLUMNS + b] += 1;
    const int bad = ckg__dense()->cholesky(columns, s->H, COLUMNS, NULL);
    assert(!bad);
    (void)bad;
}

/* ½ log |H| with the level's own share left out: it is a hyperparameter like any other. */
static double half_log_determinant(const struct scoring *s)
{
    double sum = 0;

    for (int b = 1; b < s->columns; b++)
        sum += ckg__log(s->H[b * COLUMNS + b]);
    return sum;
}

/* --- steps and scales --- */

/* c ← the most probable one for the scales that loud has; *density is there. 0, or −1: no factor. */
static int ascend(struct scoring *s, double *density)
{
    *density = density_at(s, s->c);
    for (int step = 0; step<STEPS && * density> - INFINITY; step++) {
        /* The step of Fisher scoring, and what it promises. */
        find_slopes(s);
        find_curvature(s);
        ckg__dense()->combine_rows(s->rows, s->columns, s->Psi, s->columns, s->u, s->step);
        s->step[0] -= s->precision * s->c[0];
        for (int b = 1; b < s->columns; b++)
            s->step[b] -= s->c[b];
        ckg__dense()->solve_lower(s->columns, 1, s->H, COLUMNS, s->step, 1);
        if (0.5 * ckg__dense()->dot(s->columns, s->step, s->step) < enough)
            return 0;
        ckg__dense()->solve_lower_transposed(s->columns, 1, s->H, COLUMNS, s->step, 1);

        /* As much of it as climbs. */
        double length = 1;
        double found = -INFINITY;
        for (int half = 0; half < HALVINGS && !(found > *density); half++, length *= 0.5) {
            for (int b = 0; b < s->columns; b++)
                s->trial[b] = s->c[b] + length * s->step[b];
            found = density_at(s, s->trial);
        }
        if (!(found > *density)) {
            *density = density_at(s, s->c);
            break;
        }
        memcpy(s->c, s->trial, (size_t)s->columns * sizeof *s->c);
        *density = found;
    }
    if (!(*density > -INFINITY))
        return -1;
    find_slopes(s);
    find_curvature(s);
    return 0;
}

/*
 * The log evidence of the scales that loud has beside noise of one variance, the density taken as quadratic
 * in h: ½bᵀH⁻¹b − ½log|H| with b = Ψᵀ(u + Fh), less the same for the level alone. −∞: it was interrupted.
 */
static double quadratic_gain(struct scoring *s)
{
    double *b = s->step;

    if (ckg__interrupted(s->fit->inputs.interrupt))
        return -INFINITY;
    lay_columns(s);
    find_curvature(s);
    ckg__dense()->combine_rows(s->rows, s->columns, s->Psi, s->columns, s->pull, b);
    ckg__dense()->solve_lower(s->columns, 1, s->H, COLUMNS, b, 1);
    return 0.5 * ckg__dense()->dot(s->columns - 1, b + 1, b + 1) - half_log_determinant(s);
}

/* c ← the maximum of that quadratic for the scales that loud has. */
static void begin_quadratic(struct scoring *s)
{
    quadratic_gain(s);
    ckg__dense()->solve_lower_transposed(s->columns, 1, s->H, COLUMNS, s->step, 1);
    memcpy(s->c, s->step, (size_t)s->columns * sizeof *s->c);
}

/* Tries the scales that loud has; those of *best stand where they are no better. */
static void try_scales(struct scoring *s, struct ckg__noise_fit *best, double *gain)
{
    const double found = quadratic_gain(s);

    if (found > *gain) {
        *gain = found;
        *best = *s->varying;
    }
}

/* Loud's scales ← the best of those that are tried: common ones, then parameter by parameter. */
static double choose_scales(struct scoring *s, struct ckg__noise_fit *best)
{
    const int d = s->fit->inputs.d;
    const double stretch = sqrt(0.5 * d);
    double gain;

    /* What the density says of h, wherever its maximum is. */
    ckg__dense()->combine_rows(s->rows, s->rows, s->F, s->rows, s->h, s->pull);
    for (int a = 0; a < s->rows; a++)
        s->pull[a] += s->u[a];

    /* The same length for all. */
    *best = *s->varying;
    gain = quadratic_gain(s);
    for (size_t v = 0; v < sizeof tried_s2 / sizeof *tried_s2; v++)
        for (size_t e = 0; e < sizeof tried_ell / sizeof *tried_ell; e++) {
            s->varying->s2 = tried_s2[v];
            for (int k = 0; k < d; k++)
                s->varying->inv_ell[k] = 1 / (tried_ell[e] * stretch);
            try_scales(s, best, &gain);
        }

    /* Each its own, where they are not too many. */
    for (int k = 0; d > 1 && d <= MOST_COORDINATES && k < d; k++)
        for (size_t e = 0; e < sizeof tried_ell / sizeof *tried_ell; e++) {
            *s->varying = *best;
            s->varying->inv_ell[k] = 1 / (tried_ell[e] * stretch);
            try_scales(s, best, &gain);
        }
    *s->varying = *best;
    return gain;
}

/* Scales to begin with, where there are none. */
static void first_scales(struct ckg__noise_fit *varying, int d)
{
    varying->s2 = first_s2;
    for (int k = 0; k < d; k++)
        varying->inv_ell[k] = 1 / (first_ell * sqrt(0.5 * d));
}

/* v = R⁻ᵀw. */
static void put_weights(struct scoring *s)
{
    memcpy(s->varying->weight, s->c + 1, (size_t)s->varying->places * sizeof *s->c);
    ckg__dense()->solve_lower_transposed(s->varying->places, 1, s->R, CKG__NOISE_PLACES, s->varying->weight,
                                         1);
}

/* Of theta the level may have moved; it stays in its box. */
static double level_of(const struct scoring *s)
{
    const struct ckg__prior *prior = &s->fit->prior;

    return fmin(fmax(s->centre + s->c[0], prior->noise_low), prior->noise_high);
}

/* The prior of what is not the level's: density_at has that. */
static double prior_of_others(const struct ckg__fit *fit, const double *theta)
{
    double unused[CKG_MAX_PARAMETERS + 2] = {0};
    struct ckg__fit others = *fit;

    others.prior.noise_sd = INFINITY;
    return ckg__fit_prior(&others, theta, unused);
}

/* The course for the scales that loud has, from c; *evidence of it. 0, or −1: no factor. */
static int fit_course(struct scoring *s, double *evidence)
{
    double density;

    if (ascend(s, &density))
        return -1;
    put_weights(s);
    *evidence = density + prior_of_others(s->fit, s->theta) - half_log_determinant(s);
    return 0;
}

int ckg__noise_process_fit(const struct ckg__fit *fit, double *theta, struct ckg__noise_fit *varying,
                           struct ckg__noise_found *found, struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__noise_fit first;
    struct ckg__noise_fit best;
    struct scoring s;
    double evidence;

    /* The course for the scales there are. */
    if (!varying->places)
        first_scales(varying, fit->inputs.d);
    if (prepare(&s, fit, theta, varying, arena))
        return CKG_ERR_NOMEM;
    *found = (struct ckg__noise_found){0, -INFINITY};
    lay_columns(&s);
    const int bad = fit_course(&s, &found->evidence);

    /* For those that look better from there, if they are. */
    if (!bad) {
        const double level = level_of(&s);
        first = *varying;
        found->gain = choose_scales(&s, &best);
        begin_quadratic(&s);
        const int better = !fit_course(&s, &evidence) && evidence > found->evidence;
        theta[fit->inputs.d] = better ? level_of(&s) : level;
        found->evidence = better ? evidence : found->evidence;
        if (!better)
            *varying = first;
    }
    varying->places = bad ? 0 : varying->places;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

int ckg__noise_process_hope(const struct ckg__fit *fit, const double *theta, double *gain,
                            struct ckg__arena *arena)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct ckg__noise_fit varying = {0};
    struct ckg__noise_fit best;
    struct scoring s;

    first_scales(&varying, fit->inputs.d);
    if (prepare(&s, fit, theta, &varying, arena))
        return CKG_ERR_NOMEM;
    lay_columns(&s);
    *gain = 0;
    if (density_at(&s, s.c) > -INFINITY) {
        find_slopes(&s);
        *gain = choose_scales(&s, &best);
    }
    ckg__arena_release(arena, mark);
    return CKG_OK;
}
