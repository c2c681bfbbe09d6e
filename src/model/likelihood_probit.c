/*
 * Successes and failures: an evaluation at x succeeds with probability Φ(f(x)), f the process; in other
 * words, when f(x) + ε > 0 with ε standard normal. Conditioning is by expectation propagation: each label has
 * a site exp(νf − ½τf²), the normal measurement that stands for it, chosen so that with all other sites (the
 * cavity) it gives f the mean and the variance that the label itself would give. Laplace's approximation is
 * cheaper by a half but looks at the mode alone, and where successes and failures lie well apart, as where a
 * simulator breaks down for good, its probabilities are far off. Reference: Rasmussen and Williams, Gaussian
 * Processes for Machine Learning, sections 3.6 and 5.5.2; Nickisch and Rasmussen 2008 compare the two.
 *
 * Labels of one kind at one design share a site, as they would come to by symmetry. All sites move at once,
 * with the last moves in mind (optim/anderson.c), so that every sweep is one factor and one inverse: n³ a
 * sweep, ten to twenty sweeps from nothing and some seven from the sites of hyperparameters nearby. At the
 * fixed point the density does not change with the sites, so its slopes are those of the normal measurements
 * (rows.c).
 *
 * The base rate: far from all labels the probability is Φ(m/√(1 + s²)), so m has the prior N(0, (1 + s²)/p)
 * with p the inputs' mean_precision: for p = 1 every rate between 0 and 1 is as likely as any other.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/maths.h"
#include "linalg/dense.h"
#include "linalg/normal.h"
#include "model/fit.h"
#include "model/gp_private.h"
#include "model/rows.h"
#include "optim/anderson.h"

static const double log_two_pi = 1.83787706640934548356;

enum { FAILED, PASSED, KINDS };

/* Sweeps end when no site would move its design's moments by more than this; and after so many anyway. */
static const double enough_for_density = 5e-5;
static const double enough_for_process = 1e-6;
enum { SWEEPS = 60 };

/* The least precision of a site: a label that nobody doubted says as good as nothing. */
static const double least_precision = 1e-9;

/* The labels of one series and the approximation as it grows; arrays (n). */
struct labels {
    const struct ckg__gp_inputs *in;
    struct ckg__covariance k;
    const double *A; /* D×lda, the inputs scaled */
    int lda;
    double *L; /* n×ldl: (K + Σ)⁻¹ after a sweep */
    int ldl;
    double *tau[KINDS], *nu[KINDS]; /* the site of each label of that kind: SITE×n in a row */
    double *lack, *weight, *next;   /* SITE×n, likewise */
    struct ckg__anderson past;
    double *y, *noise;  /* the measurement that stands for all labels of a row */
    double *mean, *var; /* of f there */
    double *beta, *alpha, *ones;
    double centre;  /* m */
    double density; /* of y */
};

/* Numbers of a row's sites, and all that it needs beside those of struct ckg__fit_work. */
enum { SITE = 2 * KINDS, PER_ROW = 4 * SITE + 3 + SITE * CKG__ANDERSON_NUMBERS };

static double mean_precision(const struct ckg__gp_inputs *in, double s2)
{
    return in->mean_precision / (1 + s2);
}

/* How many of the labels of row i are of that kind: y is their mean, a success being 1 and a failure −1. */
static double count_of(const struct ckg__series *s, int i, int kind)
{
    const double passed = floor(0.5 * s->count[i] * (1 + s->y[i]) + 0.5);
    return kind == PASSED ? passed : s->count[i] - passed;
}

static void lay_rows(struct labels *l, int n, double *room)
{
    const size_t rows = (size_t)n;

    for (int kind = 0; kind < KINDS; kind++) {
        l->tau[kind] = room + 2 * (size_t)kind * rows;
        l->nu[kind] = l->tau[kind] + rows;
    }
    l->lack = room + SITE * rows;
    l->weight = l->lack + SITE * rows;
    l->next = l->weight + SITE * rows;
    l->y = l->next + SITE * rows;
    l->mean = l->y + rows;
    l->var = l->mean + rows;
    ckg__anderson_init(&l->past, SITE * n, l->var + rows);
}

/* --- one label --- */

/* The site that stands for a label beside a cavity of this mean and variance, and log P(label). */
struct match {
    double tau, nu, log_p;
};

static struct match match(int kind, double mean, double var)
{
    const double sign = kind == PASSED ? 1 : -1;
    const double s = sqrt(1 + var);
    const double z = sign * mean / s;
    const double mills = ckg__normal_mills(z);
    const double slope = sign * mills / s;             /* of log P in the mean, */
    const double bend = mills * (z + mills) / (s * s); /* and its negative second derivative */
    const double left = 1 - var * bend;                /* of the variance, once the label is known */

    assert(var > 0 && left > 0);
    if (bend < least_precision)
        return (struct match){least_precision, least_precision * mean, ckg__normal_log_cdf(z)};
    return (struct match){bend / left, (slope + mean * bend) / left, ckg__normal_log_cdf(z)};
}

/* What all other sites say of row i: the site of one label of that kind taken out. */
static void cavity(const struct labels *l, int i, int kind, double *mean, double *var)
{
    const double left = 1 - l->tau[kind][i] * l->var[i];

    assert(left > 0);
    *var = l->var[i] / left;
    *mean = (l->mean[i] - l->nu[kind][i] * l->var[i]) / left;
}

/* --- sweeps --- */

/* What every site lacks of its match, and how much that matters; the largest movement of a design's moments.
 */
static double ask_sites(struct labels *l)
{
    const int n = l->in->n;
    double most = 0;

    memset(l->lack, 0, SITE * (size_t)n * sizeof *l->lack);
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const double count = count_of(l->in->series, i, kind);
            double *lack = l->lack + 2 * kind * n + i;
            double *weight = l->weight + 2 * kind * n + i;
            double mean;
            double var;
            weight[0] = count * l->var[i];
            weight[n] = count * sqrt(l->var[i]);
            if (!(count > 0))
                continue;
            cavity(l, i, kind, &mean, &var);
            const struct match to = match(kind, mean, var);
            lack[0] = to.tau - l->tau[kind][i];
            lack[n] = to.nu - l->nu[kind][i];
            most = fmax(most, weight[0] * fabs(lack[0]));
            most = fmax(most, weight[n] * fabs(lack[n] - lack[0] * l->mean[i]));
        }
    return most;
}

/*
 * Moves all sites towards their matches, the last moves in mind; a site by itself where its precision would
 * go far elsewhere: a straight line leads astray over decades.
 */
static void move_sites(struct labels *l, double step)
{
    static const double far = 3;
    const int n = l->in->n;

    ckg__anderson_next(&l->past, l->tau[0], l->lack, l->weight, step, l->next);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < n; i++) {
            const int at = 2 * kind * n + i;
            const double tau = l->tau[kind][i] + step * l->lack[at];
            const int astray = l->next[at] < tau / far || l->next[at] > tau * far;
            l->nu[kind][i] = astray ? l->nu[kind][i] + step * l->lack[at + n] : l->next[at + n];
            l->tau[kind][i] = astray ? tau : l->next[at];
        }
}

/* The measurement that stands for each row. */
static void measure(struct labels *l)
{
    for (int i = 0; i < l->in->n; i++) {
        double tau = 0;
        double nu = 0;
        for (int kind = 0; kind < KINDS; kind++) {
            const double count = count_of(l->in->series, i, kind);
            tau += count * l->tau[kind][i];
            nu += count * l->nu[kind][i];
        }
        l->noise[i] = 1 / tau;
        l->y[i] = nu / tau;
    }
}

/*
 * What the sites together say of f at every row; 0, a pivot's number where there is no factor, or −1 when it
 * was to give up.
 */
static int look(struct labels *l)
{
    const int n = l->in->n;
    double nugget = CKG__NUGGET;

    /* The factor, the mean, the weights and the inverse. */
    measure(l);
    const int bad = ckg__gp_factor(n, &l->k, l->noise, l->A, l->lda, l->L, l->ldl, l->in->workers, &nugget);
    if (bad)
        return bad;
    l->centre = ckg__rows_centre(n, l->y, mean_precision(l->in, l->k.s2), l->L, l->ldl, l->beta, l->ones,
                                 &l->density);
    memcpy(l->alpha, l->beta, (size_t)n * sizeof *l->alpha);
    ckg__dense()->solve_lower_transposed(n, 1, l->L, l->ldl, l->alpha, 1);
    if (ckg__dense()->inverse_from_cholesky(n, l->L, l->ldl, l->in->workers))
        return -1;

    /* K(K + Σ)⁻¹ = I − Σ(K + Σ)⁻¹: the noise of a row never vanishes, so little is lost. */
    for (int i = 0; i < n; i++) {
        const double share = l->noise[i] * l->L[(size_t)i * (size_t)l->ldl + (size_t)i];
        l->mean[i] = l->y[i] - l->noise[i] * l->alpha[i];
        l->var[i] = l->noise[i] * fmax(1 - share, 1e-12);
    }
    return 0;
}

/* Without sites: the prior with mean 0. */
static void forget(struct labels *l)
{
    const int n = l->in->n;

    for (int kind = 0; kind < KINDS; kind++) {
        memset(l->tau[kind], 0, (size_t)n * sizeof *l->tau[kind]);
        memset(l->nu[kind], 0, (size_t)n * sizeof *l->nu[kind]);
    }
    for (int i = 0; i < n; i++) {
        l->mean[i] = 0;
        l->var[i] = l->k.s2;
    }
}

/* Sweeps until nothing moves, from the sites as they are or (cold) from none; 0, or a pivot's number. */
static int settle(struct labels *l, int cold, double enough)
{
    static const double longest = 0.8;
    static const double shortest = 0.1;
    double step = longest;
    double least = INFINITY;
    double asked = INFINITY;
    int bad = 0;

    /* From nothing the first step is what each label would say alone. */
    if (cold) {
        forget(l);
        ask_sites(l);
        move_sites(l, 1);
        ckg__anderson_forget(&l->past);
    }
    bad = look(l);

    /* Steps that make it worse become shorter, and then longer again. */
    for (int sweep = 0; !bad && sweep < SWEEPS && asked > enough; sweep++) {
        asked = ask_sites(l);
        const int worse = asked > 2 * least;
        if (worse)
            ckg__anderson_forget(&l->past);
        step = worse ? fmax(0.5 * step, shortest) : fmin(1.2 * step, longest);
        least = fmin(least, asked);
        move_sites(l, step);
        bad = look(l);
    }
    return bad;
}

/* --- the density --- */

/* log of the integral of exp(νf − ½τf²) for f without a prior, less the constant that cancels. */
static double log_mass(double tau, double nu)
{
    return 0.5 * (nu * nu / tau - ckg__log(tau));
}

/*
 * The log probability of the labels: that of the measurements that stand for them, each site scaled so that
 * with its cavity it gives its label the probability that the label has.
 */
static double log_probability(const struct labels *l)
{
    double sum = l->density;

    for (int i = 0; i < l->in->n; i++) {
        /* The row's sites together as a normal density of its measurement. */
        const double row = 1 / l->noise[i];
        sum += 0.5 * log_two_pi + log_mass(row, row * l->y[i]);

        /* The scale of each. */
        const double precise = 1 / l->var[i];
        for (int kind = 0; kind < KINDS; kind++) {
            const double count = count_of(l->in->series, i, kind);
            double mean;
            double var;
            if (!(count > 0))
                continue;
            cavity(l, i, kind, &mean, &var);
            sum += count * (match(kind, mean, var).log_p + log_mass(1 / var, mean / var) -
                            log_mass(precise, precise * l->mean[i]));
        }
    }
    return sum;
}

static double density(const struct ckg__gp_inputs *in, const double *theta, double *gradient,
                      struct ckg__fit_work *w)
{
    const double s2 = ckg__exp(theta[in->d + 1]);
    struct labels l = {.in = in,
                       .k = ckg__gp_covariance(in, s2, w->inv_ell),
                       .A = w->A,
                       .lda = w->ld,
                       .L = w->L,
                       .ldl = w->ld,
                       .noise = w->noise,
                       .beta = w->beta,
                       .alpha = w->alpha,
                       .ones = w->ones};

    /* The sites, from those of the density before. */
    lay_rows(&l, in->n, w->own);
    ckg__gp_scale(in, theta, w->inv_ell, w->A, w->ld);
    const int bad = settle(&l, !w->warm, enough_for_density);
    w->warm = !bad;
    if (bad)
        return -INFINITY;

    /* The density and its slopes, to which the prior of m adds one. */
    const double value = log_probability(&l);
    if (gradient) {
        const double part = l.centre * l.centre * mean_precision(in, s2);
        if (ckg__rows_slopes(in, &l.k, 0, l.y, l.centre, gradient, w))
            return -INFINITY;
        gradient[in->d + 1] += 0.5 * part * s2 / (1 + s2);
    }
    return value;
}

/* --- the process --- */

static int take(struct labels *l, const struct ckg__gp *gp, struct ckg__arena *arena)
{
    const size_t n = (size_t)l->in->n;
    double *room = ckg__arena_doubles(arena, (PER_ROW + 1) * n + 1);

    l->ldl = gp->capacity;
    l->L = ckg__arena_doubles(arena, n * (size_t)gp->capacity + 1);
    if (!room || !l->L)
        return CKG_ERR_NOMEM;
    lay_rows(l, l->in->n, room);
    l->ones = room + PER_ROW * n;
    return CKG_OK;
}

static int condition(struct ckg__gp *gp, const struct ckg__gp_inputs *in, const double *theta,
                     struct ckg__arena *arena)
{
    assert(!in->linear);

    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    struct labels l = {.in = in,
                       .k = ckg__gp_covariance(in, ckg__exp(theta[in->d + 1]), gp->inv_ell),
                       .A = gp->A,
                       .lda = gp->capacity,
                       .noise = gp->row_noise,
                       .beta = gp->beta,
                       .alpha = gp->alpha};

    if (take(&l, gp, arena))
        return CKG_ERR_NOMEM;

    /* The rows: where they lie, at which design. */
    gp->n = in->n;
    gp->k = l.k;
    gp->unit = l.k.s2;
    gp->mean_precision = mean_precision(in, l.k.s2);
    gp->noise = 0;
    ckg__gp_scale(in, theta, gp->inv_ell, gp->A, gp->capacity);
    memcpy(gp->design, in->series->design, (size_t)in->n * sizeof *gp->design);

    /* The measurement that stands for each, and the factor with their noise. */
    int bad = settle(&l, 1, enough_for_process);
    gp->nugget = CKG__NUGGET;
    if (!bad)
        bad = ckg__gp_factor(in->n, &gp->k, gp->row_noise, gp->A, gp->capacity, gp->L, gp->capacity,
                             in->workers, &gp->nugget);
    if (bad) {
        ckg__arena_release(arena, mark);
        if (bad < 0)
            return CKG_ERR_CANCELLED;
        return ckg__fail(CKG_ERR_NUMERIC,
                         "the covariance of %d successes and failures has no factor, nugget %g", in->n,
                         CKG__NUGGET_MAX);
    }

    /* The mean and the weights; a further label is worth most where it is open: π/2. */
    gp->mean = l.centre;
    gp->log_likelihood = log_probability(&l);
    gp->future = gp->unit * gp->nugget + 1.57079632679489661923;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* --- a further label --- */

/*
 * Where f has mean μ and variance v, a label is 1 with probability Φ(z), z = μ/√(1 + v), and moves the mean
 * by vφ(z)/(Φ(z)√(1 + v)) or by −vφ(z)/(Φ(−z)√(1 + v)): with variance v²φ²/(ΦΦ⁻(1 + v)). A measurement with
 * noise τ moves it with variance v²/(v + τ), so τ = (1 + v)ΦΦ⁻/φ² − v. What f's variance loses on average is
 * then the same, too, here and everywhere.
 */
static void noise(const struct ckg__gp *gp, int m, const double *U, int ldu, const double *mean,
                  const double *var, struct ckg__noise *out)
{
    static const double surest = 15; /* beyond, nothing is left to learn */

    (void)U;
    (void)ldu;
    for (int p = 0; p < m; p++) {
        const double s = sqrt(1 + var[p]);
        const double z = fmax(fmin(mean[p] / s, surest), -surest);
        const double above = ckg__normal_mills(z);
        const double below = ckg__normal_mills(-z);
        const double spread = 1 / (above * below);
        const double moves = fabs(mean[p] / s) < surest;
        const double slope = moves * spread * (2 * z + above - below); /* in z */
        out->var[p] = s * s * spread - var[p] + gp->unit * gp->nugget;
        if (out->in_mean)
            out->in_mean[p] = s * slope;
        if (out->in_var)
            out->in_var[p] = spread - 1 - 0.5 * z * slope;
    }
    if (out->in_u)
        memset(out->in_u, 0, (size_t)gp->D * (size_t)m * sizeof *out->in_u);
}

/* --- what is known before, and what is said --- */

/* Labels are ±1, so their limit is 0. */
static int is_given(const struct ckg_problem *problem, int outcome)
{
    return ckg__is_answer(problem, outcome);
}

/*
 * Failures for good, beyond a sharp edge, want a large signal beside the unit variance of chance; failures by
 * chance a small one. The wide prior leaves it to the labels. Length-scales are shorter and more certain than
 * those of values: labels say little of them, and under long ones three labels speak for the whole cube.
 */
static struct ckg__prior prior(int d)
{
    struct ckg__prior labels = ckg__prior_default(d);

    labels.ell_mean = 0.5 * ckg__log(d / 2.0);
    labels.ell_sd = 0.6;
    labels.signal_mean = ckg__log(100);
    labels.signal_sd = 4;
    labels.signal_low = ckg__log(4);
    labels.signal_high = ckg__log(1e7);
    return labels;
}

/* Of a label, 1 or 0: how likely a 1 is, and what that leaves open. */
static void moments(const struct ckg__scaling *scaling, double y_mean, double y_sd, double *mean, double *sd)
{
    const double yes = ckg__normal_cdf(y_mean / sqrt(ckg__likelihood_probit.chance + y_sd * y_sd));

    (void)scaling;
    *mean = yes;
    *sd = sqrt(yes * (1 - yes));
}

const struct ckg__likelihood ckg__likelihood_probit = {
    .name = "probit",
    .traits = CKG__VARIES | CKG__UNSCALED | CKG__VAGUE | CKG__STANDS_IN,
    .chance = 1,
    .is_given = is_given,
    .prior = prior,
    .work_numbers = PER_ROW,
    .moments = moments,
    .density = density,
    .condition = condition,
    .noise = noise,
};
