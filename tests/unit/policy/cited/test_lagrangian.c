/*
 * Expected improvement of augmented Lagrangians: the exact one against dense integration over one and two
 * constraints, into the tails; the sampled one against brute-force Monte Carlo; slopes of both against finite
 * differences; and what limits, equalities and multipliers make of a value.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "policy/cited/multipliers.h"
#include "base/rng.h"
#include "linalg/normal.h"
#include "support/near.h"
#include "support/test.h"

enum { CASES = 60, GRID = 100000, GRID_2 = 1000, DRAWS = 200000, FEW = 64 };

static double between(struct ckg__rng *rng, double low, double high)
{
    return low + (high - low) * ckg__rng_uniform(rng);
}

/* A Lagrangian of K constraints of all kinds, and normals for its outcomes. */
static struct ckg__lagrangian random_one(struct ckg__rng *rng, int K, int slack, double *mean, double *var)
{
    struct ckg__lagrangian l = {
        .outcomes = K + 1, .slack = slack, .rho = exp(between(rng, -5, 2)), .best = between(rng, -4, 3)};

    mean[0] = between(rng, -2, 2);
    var[0] = exp(between(rng, -9, 1));
    for (int j = 1; j <= K; j++) {
        const int kind = (int)(3 * ckg__rng_uniform(rng));
        l.term[j] = (struct ckg__multiplied){.lower = kind == 0 ? -INFINITY : -0.5,
                                             .upper = kind == 1 ? INFINITY : 0.1,
                                             .target = -0.2,
                                             .equal = kind == 2,
                                             .lambda = between(rng, 0, 2)};
        mean[j] = between(rng, -1, 1);
        var[j] = exp(between(rng, -7, 1));
    }
    return l;
}

/* The penalty of constraint j at y; with slack variables they are at their best for the mean. */
static double penalty(const struct ckg__lagrangian *l, int j, double mean, double y)
{
    const struct ckg__multiplied *t = &l->term[j];
    double turn;
    const double at_mean = ckg__multiplied_excess(t, mean, &turn);
    double c = t->equal ? y - t->target : turn > 0 ? y - t->upper : t->lower - y;

    if (!l->slack) {
        c = ckg__multiplied_excess(t, y, NULL);
        return t->lambda * c + (t->equal || c > 0 ? c * c / (2 * l->rho) : 0);
    }
    const double s = t->equal ? 0 : fmax(0, -t->lambda * l->rho - at_mean);
    return t->lambda * (c + s) + (c + s) * (c + s) / (2 * l->rho);
}

/* E (L⁺ − L)⁺ by the trapezoidal rule over the constraints, the objective in closed form. */
static double integrated(const struct ckg__lagrangian *l, const double *mean, const double *var)
{
    const int K = l->outcomes - 1;
    const double sd = sqrt(var[0]);
    const int grid = K > 1 ? GRID_2 : GRID;
    const double h = 20.0 / grid;
    double sum = 0;

    for (int i = 0; i <= grid; i++)
        for (int k = 0; k <= (K > 1 ? grid : 0); k++) {
            const double z[] = {0, i * h - 10, k * h - 10};
            double m = -mean[0];
            double weight = 1;
            for (int j = 1; j <= K; j++) {
                m += penalty(l, j, mean[j], mean[j] + sqrt(var[j]) * z[j]);
                weight *= h * ckg__normal_pdf(z[j]);
            }
            sum += weight * sd * ckg__normal_ei((l->best - m) / sd);
        }
    return sum;
}

static void test_exact_against_dense_integration(void **state)
{
    struct ckg__rng rng;
    double mean[3], var[3];
    int tails = 0;

    (void)state;
    ckg__rng_seed(&rng, 7, 0, 0);
    for (int i = 0; i < CASES; i++) {
        const int K = i % 10 ? 1 : 2;
        struct ckg__lagrangian l = random_one(&rng, K, 1, mean, var);
        var[0] = fmax(var[0], K > 1 ? 0.2 : 1e-3); /* what the grids can follow */
        l.rho = fmax(l.rho, K > 1 ? 0.2 : 0);
        const double wanted = integrated(&l, mean, var);
        const double value = ckg__lagrangian_slack(&l, mean, var, NULL, NULL);
        if (wanted < 1e-18) /* beyond the ends of the grid */
            continue;
        assert_near(value, log(wanted), 1e-7 * fmax(1, fabs(log(wanted))));
        tails += wanted < 1e-6;
    }
    assert_true(tails > 5);
}

static void test_without_constraints_it_is_expected_improvement(void **state)
{
    const double mean[] = {0.3};
    const double var[] = {0.49};

    (void)state;
    for (double best = -30; best < 5; best += 1.7) {
        const struct ckg__lagrangian l = {.outcomes = 1, .slack = 1, .rho = 1, .best = best};
        const double wanted = log(0.7) + ckg__normal_log_ei((best + 0.3) / 0.7);
        assert_near(ckg__lagrangian_slack(&l, mean, var, NULL, NULL), wanted, 1e-8 * fmax(1, fabs(wanted)));
    }
}

/* A nearly certain objective leaves the chi-squares alone, whose transform falls off slowly. */
static void test_a_certain_objective(void **state)
{
    const double mean[] = {0, 0.3};
    const double var[] = {1e-14, 0.25};
    struct ckg__lagrangian l = {.outcomes = 2, .slack = 1, .rho = 0.5, .best = 0.2};
    double wanted = 0;

    (void)state;
    l.term[1] = (struct ckg__multiplied){.lower = -INFINITY, .upper = 0, .equal = 1};
    for (int i = 0; i < 400000; i++) {
        const double z = -10 + 20 * (i + 0.5) / 400000;
        wanted += fmax(0, 0.2 - pow(0.3 + 0.5 * z, 2)) * ckg__normal_pdf(z) * 20 / 400000;
    }
    assert_near(exp(ckg__lagrangian_slack(&l, mean, var, NULL, NULL)), wanted, 1e-6 * wanted);
}

static void test_sampled_against_brute_force(void **state)
{
    struct ckg__rng rng;
    double mean[3], var[3];
    static double z[3 * 4096];

    (void)state;
    ckg__rng_seed(&rng, 8, 0, 0);
    for (int i = 0; i < 8; i++) {
        struct ckg__lagrangian l = random_one(&rng, 2, 0, mean, var);
        double sum = 0;
        double square = 0;

        /* Every outcome drawn, the objective too. */
        l.best = fmax(l.best, 1);
        for (int d = 0; d < DRAWS; d++) {
            double y[3];
            for (int j = 0; j < 3; j++)
                y[j] = mean[j] + sqrt(var[j]) * ckg__rng_normal(&rng);
            const double gain = fmax(0, l.best - ckg__lagrangian_at(&l, y));
            sum += gain / DRAWS;
            square += gain * gain / DRAWS;
        }
        const double error = sqrt((square - sum * sum) / DRAWS);

        /* Its own draws are fewer, and have an error of their own. */
        for (int d = 0; d < 3 * 4096; d++)
            z[d] = ckg__rng_normal(&rng);
        l.draws = 4096;
        l.z = z;
        const double value = exp(ckg__lagrangian_sampled(&l, mean, var, NULL, NULL));
        assert_near(value, sum, 5 * error * sqrt(1 + DRAWS / 4096.0));
    }
}

/* Both ways to integrate, by turns. */
static double value_of(const struct ckg__lagrangian *l, const double *mean, const double *var,
                       double *in_mean, double *in_var)
{
    return l->slack ? ckg__lagrangian_slack(l, mean, var, in_mean, in_var)
                    : ckg__lagrangian_sampled(l, mean, var, in_mean, in_var);
}

static void test_slopes(void **state)
{
    struct ckg__rng rng;
    double mean[3], var[3], in_mean[3], in_var[3];
    static double z[3 * FEW];

    (void)state;
    ckg__rng_seed(&rng, 9, 0, 0);
    for (int d = 0; d < 3 * FEW; d++)
        z[d] = ckg__rng_normal(&rng);
    for (int i = 0; i < CASES; i++) {
        struct ckg__lagrangian l = random_one(&rng, 2, i % 2, mean, var);
        l.draws = FEW;
        l.z = z;
        value_of(&l, mean, var, in_mean, in_var);
        for (int j = 0; j < 3; j++) {
            const double keep[] = {mean[j], var[j]};
            const double h = 1e-5 * sqrt(var[j]);
            double side[2];

            for (int s = 0; s < 2; s++) {
                mean[j] = keep[0] + (s ? h : -h);
                side[s] = value_of(&l, mean, var, NULL, NULL);
            }
            mean[j] = keep[0];
            const double slope = (side[1] - side[0]) / (2 * h);
            assert_near(in_mean[j], slope, 1e-3 * fmax(fabs(slope), 1 / sqrt(var[j])));
            for (int s = 0; s < 2; s++) {
                var[j] = keep[1] * (1 + (s ? 1e-5 : -1e-5));
                side[s] = value_of(&l, mean, var, NULL, NULL);
            }
            var[j] = keep[1];
            const double bend = (side[1] - side[0]) / (2e-5 * keep[1]);
            assert_near(in_var[j], bend, 1e-3 * fmax(fabs(bend), 1 / keep[1]));
        }
    }
}

int main(void)
{
    return RUN_TESTS(test_exact_against_dense_integration,
                     test_without_constraints_it_is_expected_improvement, test_a_certain_objective,
                     test_sampled_against_brute_force, test_slopes);
}
