/*
 * Expected improvement of the augmented Lagrangian with slack variables, which turn inequalities into
 * equalities: then it is an exact integral in one dimension, and equalities are its own. L is a normal plus a
 * weighted sum of noncentral chi-squares, and with t = L⁺ + μ_0 + ρ/2 Σλ², w_k = var_k/(2ρ), q_k = b_k²/(2ρ)
 * at the mean,
 *
 *   E (L⁺ − L)⁺ = 1/(2πi) ∫ exp E(z)/z² dz,   E(z) = zt + z²var_0/2 − Σ_k [½ log(1 + 2zw_k) + z q_k/(1 +
 * 2zw_k)],
 *
 * over a line with Re z > 0: the Laplace transform of (t − y)⁺ is 1/z². The line goes through the saddle
 * point, where the integrand is real and largest, so that nothing cancels, however small the improvement is.
 * Where t < 0 it goes straight up, and the normal part makes it fall off like a Gaussian; else it bends to
 * the left, where exp(zt) falls off by itself. The trapezoidal rule converges geometrically on both: 60 … 300
 * terms for 1e-10. Slopes are integrals of the same kind. Reference for the composite: Picheny, Gramacy, Wild
 * and Le Digabel 2016.
 */
#include <assert.h>
#include <complex.h>
#include <math.h>

#include "base/maths.h"
#include "policy/policy.h"
#include "policy/cited/multipliers.h"

/* Most terms of the sum, and when a term no longer counts. */
enum { TERMS = 4000 };
static const double negligible = 1e-13;

/* The integrand's constants; terms 1 … outcomes−1 but for those that chance decides. */
struct transform {
    int count;
    double t, v;
    double w[CKG__MAX_OUTCOMES], q[CKG__MAX_OUTCOMES];
};

static double complex exponent(const struct transform *f, double complex z)
{
    double complex sum = z * (f->t + 0.5 * z * f->v);

    for (int k = 0; k < f->count; k++) {
        const double complex r = 1 + 2 * z * f->w[k];
        sum -= 0.5 * clog(r) + z * f->q[k] / r;
    }
    return sum;
}

/* The slope of E(c) − 2 log c, and of that slope, which is above 0. */
static double slope_at(const struct transform *f, double c, double *bend)
{
    double slope = f->t + c * f->v - 2 / c;

    *bend = f->v + 2 / (c * c);
    for (int k = 0; k < f->count; k++) {
        const double r = 1 + 2 * c * f->w[k];
        slope -= f->w[k] / r + f->q[k] / (r * r);
        *bend += 2 * f->w[k] * f->w[k] / (r * r) + 4 * f->w[k] * f->q[k] / (r * r * r);
    }
    return slope;
}

/* Where E(c) − 2 log c is smallest, c > 0; the slope grows from −∞ on, so that it is found between two ends.
 */
static double saddle(const struct transform *f, double *bend)
{
    double high = 1 / sqrt(f->v);
    double low;

    /* Two ends a factor of two apart. */
    while (slope_at(f, high, bend) < 0)
        high *= 2;
    low = 0.5 * high;
    while (slope_at(f, low, bend) > 0)
        low *= 0.5;
    high = fmin(high, 2 * low);

    double c = low;
    for (int i = 0; i < 60; i++) {
        const double slope = slope_at(f, c, bend);
        if (slope < 0)
            low = c;
        else
            high = c;

        /* Newton's step, or halfway. */
        const double next = c - slope / *bend;
        const double step = next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(step - c) <= 1e-10 * c)
            break;
        c = step;
    }
    slope_at(f, c, bend);
    return c;
}

/* Point number i of the path, and what the integral weighs it by: dz/(i di). */
struct path {
    double c, reach, step;
    int bent;
};

static double complex path_at(const struct path *path, int i, double complex *weight)
{
    const double tau = i * path->step;

    if (!path->bent) {
        *weight = path->step;
        return path->c + I * tau;
    }

    /* A hyperbola whose arms go up and to the left by 30 degrees. */
    const double cos30 = 0.86602540378443864676;
    const double scale = path->reach;

    *weight = path->step * scale * (cos30 * ckg__cosh(tau) + I * 0.5 * ckg__sinh(tau));
    return path->c + scale * (0.5 * (1 - ckg__cosh(tau)) + I * cos30 * ckg__sinh(tau));
}

/* The sums of the integrand alone, times z, times z²/2, and times the slopes in w and q. */
struct sums {
    double one, z, zz;
    double w[CKG__MAX_OUTCOMES], q[CKG__MAX_OUTCOMES];
};

static void add_term(const struct transform *f, double complex z, double complex term, int slopes,
                     struct sums *sums)
{
    sums->one += creal(term);
    if (!slopes)
        return;
    sums->z += creal(term * z);
    sums->zz += creal(0.5 * term * z * z);
    for (int k = 0; k < f->count; k++) {
        const double complex r = z / (1 + 2 * z * f->w[k]);
        sums->q[k] -= creal(term * r);
        sums->w[k] += creal(term * (2 * r * r * f->q[k] - r));
    }
}

/* log of the integral; the sums are in units of the integrand at the saddle point. */
static double integrate(const struct transform *f, int slopes, struct sums *sums)
{
    double bend;
    const double c = saddle(f, &bend);
    const double width = 1 / sqrt(bend);
    const struct path path = {c, 2 * width, f->t > 0 ? 0.05 : width / 4, f->t > 0};
    const double top = creal(exponent(f, c));
    int small = 0;

    /* Half of the middle term, then one side: the other is its mirror image. */
    for (int i = 0; i < TERMS && small < 3; i++) {
        double complex weight;
        const double complex z = path_at(&path, i, &weight);
        const double complex ratio = c / z;
        const double complex term = cexp(exponent(f, z) - top) * ratio * ratio * weight * (i ? 1 : 0.5);

        add_term(f, z, term, slopes, sums);
        small = cabs(term) <= negligible * fabs(sums->one) ? small + 1 : 0;
    }
    return top - 2 * ckg__log(c) + ckg__log(fmax(sums->one, 1e-300)) - ckg__log(3.14159265358979323846);
}

double ckg__lagrangian_slack(const struct ckg__lagrangian *l, const double *mean, const double *var,
                             double *in_mean, double *in_var)
{
    struct transform f = {.t = l->best + mean[0], .v = var[0]};
    struct sums sums = {0};
    double by_mean[CKG__MAX_OUTCOMES];

    /* The composite at this design: its slack variables make b what the multipliers leave of the excess. */
    assert(var[0] > 0 && l->rho > 0);
    for (int j = 1; j < l->outcomes; j++) {
        const struct ckg__multiplied *term = &l->term[j];
        double turn;
        if (term->by_chance)
            continue;
        const double c = ckg__multiplied_excess(term, mean[j], &turn) + term->lambda * l->rho;
        const double b = term->equal ? c : fmax(0, c);

        by_mean[f.count] = turn * b / l->rho;
        f.t += 0.5 * l->rho * term->lambda * term->lambda;
        f.w[f.count] = var[j] / (2 * l->rho);
        f.q[f.count++] = b * b / (2 * l->rho);
    }
    const double value = integrate(&f, in_mean != NULL, &sums);
    if (!in_mean)
        return value;

    /* Slopes: of the objective, then of each constraint through w and q. */
    in_mean[0] = sums.z / sums.one;
    in_var[0] = sums.zz / sums.one;
    for (int j = 1, k = 0; j < l->outcomes; j++) {
        if (l->term[j].by_chance)
            continue;
        in_mean[j] = sums.q[k] / sums.one * by_mean[k];
        in_var[j] = sums.w[k] / sums.one / (2 * l->rho);
        k++;
    }
    return value;
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    return ckg__multipliers_acquire(search, 1, 0, acquisition);
}

static const ckg_policy_parameter parameters[] = {CKG__ASCENT_SETTINGS(CKG__ROW)};

const struct ckg__policy ckg__policy_alslack = {
    .name = "alslack",
    .title = "augmented Lagrangian with slack variables, exactly",
    .reference = "Picheny, Gramacy, Wild and Le Digabel 2016",
    .value = "log of the expected improvement of the augmented Lagrangian",
    CKG__TABLE(parameters),
    CKG__ASCENT,
    .acquire = acquire};
