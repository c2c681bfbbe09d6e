/*
 * Rollout against exhaustive dynamic programming on five designs, with dense conditioning of the joint
 * distribution: with horizon 2 it is optimal, with horizon 3 it is the value of its base policy and no more
 * than the optimum; horizon 1 is cEI. And the quadrature against moments of the normal.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "acquisition/cei.h"
#include "policy/cited/policy_rollout.c" /* its static functions */
#include "linalg/hermite.h"
#include "linalg/normal.h"
#include "support/near.h"
#include "support/process.h"
#include "support/scale.h"
#include "support/test.h"

enum { FIVE = 5, MODELS = 6, Q = 3 };

struct model {
    struct process process[2];
    struct ckg__belief belief;
    struct ckg__arena arena;
    double U[2 * FIVE];
    struct ckg__view view[2];
    struct nodes shown;
};

/* What is known of the five designs: two outcomes, jointly normal. */
struct known {
    double mean[2][FIVE], cov[2][FIVE][FIVE], best;
};

static void model_make(struct model *m, uint64_t seed, struct known *known)
{
    ckg__arena_init(&m->arena);
    m->belief = (struct ckg__belief){.outcomes = 2, .lower = {0, -INFINITY}, .upper = {0, 0.3}};
    for (int j = 0; j < 2; j++) {
        process_make(&m->process[j], CKG__RBF, 2, 4 + j, ESTIMATED, seed + (uint64_t)j);
        m->belief.gp[j] = &m->process[j].gp;
    }
    random_points(&m->process[0].rng, 2, FIVE, m->U);
    assert_int_equal(ckg__belief_views(&m->belief, FIVE, m->U, FIVE, &m->arena, m->view), CKG_OK);
    assert_int_equal(lay_nodes(&m->shown, &m->belief, Q, 1, &m->arena), CKG_OK);
    for (int j = 0; j < 2; j++) {
        memcpy(known->mean[j], m->view[j].mean, sizeof known->mean[j]);
        ckg__view_covariance(m->belief.gp[j], &m->view[j], &m->view[j], 0, FIVE, known->cov[j][0], FIVE);
    }
}

static void model_free(struct model *m)
{
    for (int j = 0; j < 2; j++)
        process_free(&m->process[j]);
    ckg__arena_free(&m->arena);
}

static double noise_at(const struct model *m, const struct known *k, int j, int p)
{
    const double u[2] = {m->U[p], m->U[FIVE + p]};
    double var;
    struct ckg__noise noise = {.var = &var};

    ckg__posterior_noise(m->belief.gp[j], 1, u, 1, &k->mean[j][p], &k->cov[j][p][p], &noise);
    return var;
}

/* Constrained expected improvement, or the probability of feasibility while there is no best. */
static double gain(const struct known *k, double upper, int p)
{
    const double s = sqrt(k->cov[0][p][p]);
    const double pf = ckg__normal_cdf((upper - k->mean[1][p]) / sqrt(k->cov[1][p][p]));

    return k->best > -INFINITY ? pf * s * ckg__normal_ei((k->mean[0][p] - k->best) / s) : pf;
}

/* What is known once design p has shown z. */
static struct known after(const struct model *m, const struct known *k, int p, const double *z)
{
    struct known next = *k;
    double shown[2];

    for (int j = 0; j < 2; j++) {
        const double square = k->cov[j][p][p] + noise_at(m, k, j, p);
        shown[j] = k->mean[j][p] + sqrt(square) * z[j];
        for (int a = 0; a < FIVE; a++) {
            next.mean[j][a] += k->cov[j][a][p] / square * (shown[j] - k->mean[j][p]);
            for (int b = 0; b < FIVE; b++)
                next.cov[j][a][b] -= k->cov[j][a][p] * k->cov[j][p][b] / square;
        }
    }
    if (shown[1] <= m->belief.upper[1])
        next.best = fmax(k->best, shown[0]);
    return next;
}

/* The expected gain of `left` evaluations that begin with design p (−1: any) and go on by cEI or optimally.
 */
static double gain_of(const struct model *m, const struct known *k, int p, int left, int optimal,
                      double discount)
{
    const double upper = m->belief.upper[1];
    double largest = -INFINITY;
    int greedy = 0;

    for (int a = 1; a < FIVE; a++)
        greedy = gain(k, upper, a) > gain(k, upper, greedy) ? a : greedy;
    for (int a = 0; a < FIVE; a++) {
        if (p >= 0 ? a != p : !optimal && a != greedy)
            continue;
        double sum = gain(k, upper, a);
        for (int i = 0; left > 1 && i < m->shown.count; i++) {
            const struct known next = after(m, k, a, m->shown.z + 2 * i);
            if (k->best == -INFINITY && next.best > -INFINITY)
                continue;
            sum += discount * m->shown.weight[i] * gain_of(m, &next, -1, left - 1, optimal, discount);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static double rolled(struct model *m, double best, int horizon, int p)
{
    const struct rollout rollout = {&m->belief, best, horizon, 0.8, &m->shown, m->view};
    double value;

    assert_int_equal(log_values(&rollout, 1, m->U + p, FIVE, &m->arena, &value), CKG_OK);
    return exp(value);
}

static void check_model(uint64_t seed, double best)
{
    struct model m;
    struct known k;
    double short_of = 0;

    model_make(&m, seed, &k);
    k.best = best;
    for (int p = 0; p < FIVE; p++) {
        const double two = rolled(&m, best, 2, p);
        const double three = rolled(&m, best, 3, p);
        const double optimum = gain_of(&m, &k, p, 3, 1, 0.8);

        assert_near(rolled(&m, best, 1, p), gain(&k, m.belief.upper[1], p), 1e-9);
        assert_near(two, gain_of(&m, &k, p, 2, 1, 0.8), 1e-9);
        assert_near(three, gain_of(&m, &k, p, 3, 0, 0.8), 1e-9);
        assert_true(two >= rolled(&m, best, 1, p) && three >= two - 1e-12);
        assert_true(three <= optimum + 1e-12);
        short_of = fmax(short_of, 1 - three / optimum);
    }
    print_message("best %g: horizon 3 is up to %.2g short of the optimum\n", best, short_of);
    model_free(&m);
}

static void test_against_dynamic_programming(void **state)
{
    (void)state;
    for (int i = 0; i < test_scale(MODELS, 1); i++)
        check_model(100 + 2 * (uint64_t)i, i % 3 == 2 ? -INFINITY : 0.2);
}

/* Moments of the standard normal: 1, 0, 1, 0, 3, … */
static void test_quadrature(void **state)
{
    double z[CKG__HERMITE_MOST];
    double weight[CKG__HERMITE_MOST];

    (void)state;
    for (int count = 1; count <= CKG__HERMITE_MOST; count += count < 8 ? 1 : 8) {
        ckg__hermite(count, z, weight);
        double moment = 1;
        for (int power = 0; power < 2 * count && power < 14; power++) {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += weight[i] * pow(z[i], power);
            assert_near(sum, power % 2 ? 0 : moment, 1e-11 * moment);
            moment *= power % 2 ? power : 1;
        }
    }
}

/* Nodes for more outcomes than two: equal weights, and the same for constraints that repeat one another. */
static void test_nodes_of_many(void **state)
{
    struct ckg__arena arena;
    struct ckg__belief belief = {.outcomes = 4, .beside = {0, 0, 1, 0}, .turn = {1, 1, -1, 1}};
    struct nodes shown = {0};
    double mean = 0;

    (void)state;
    ckg__arena_init(&arena);
    assert_int_equal(lay_nodes(&shown, &belief, 6, 5, &arena), CKG_OK);
    assert_int_equal(shown.count, 36);
    for (int i = 0; i < 36; i++) {
        assert_near(shown.weight[i], 1 / 36.0, 1e-15);
        assert_true(shown.z[4 * i + 2] == -shown.z[4 * i + 1]);
        mean += shown.z[4 * i] / 36;
    }
    assert_near(mean, 0, 0.2);
    ckg__arena_free(&arena);
}

int main(void)
{
    return RUN_TESTS(test_against_dynamic_programming, test_quadrature, test_nodes_of_many);
}
