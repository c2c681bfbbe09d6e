/*
 * Constraints that nearly repeat one another count once, by the least likely: values against the smallest of
 * their probabilities one by one, and that against draws of two processes with the same errors; gradients
 * against differences. cKG's are in test_kg.c, where some worlds have such constraints.
 *
 * Differences may straddle the place where another constraint becomes the least likely: such points, where
 * two of them are within 1e-4, are left out, and are few.
 */
#include <math.h>
#include <string.h>

#include <ckg/status.h>

#include "acquisition/cmes.h"
#include "linalg/normal.h"
#include "support/near.h"
#include "support/noisy.h"
#include "support/scene.h"
#include "support/test.h"

enum { M = 40 };

/* Constraints 1 and 2, or 2 and 3, beside each other. */
static void group(struct ckg__belief *belief, int first)
{
    memset(belief->beside, 0, sizeof belief->beside);
    belief->beside[first + 1] = first;
    belief->turn[first + 1] = -1;
}

/* log p of each constraint at each of m points: (outcomes × m). */
static void one_by_one(struct scene *s, int m, const double *U, double log_p[][M])
{
    for (int j = 1; j < SCENE_OUTCOMES; j++) {
        struct ckg__view view;
        assert_int_equal(ckg__view_make(&view, s->belief.gp[j], m, U, m, &s->arena), CKG_OK);
        const struct ckg__limits limits = ckg__belief_limits(&s->belief, j);
        memset(log_p[j], 0, (size_t)m * sizeof *log_p[j]);
        ckg__log_feasible(m, view.mean, view.var, &limits, log_p[j], NULL, NULL);
    }
}

/* --- probability of feasibility --- */

static void check_values(struct scene *s, int first)
{
    double U[SCENE_D * M], log_p[SCENE_OUTCOMES][M], views[M], batch[M] = {0}, gradient[SCENE_D * M] = {0};
    struct ckg__view view[SCENE_OUTCOMES];

    group(&s->belief, first);
    random_points(&s->process[0].rng, SCENE_D, M, U);
    one_by_one(s, M, U, log_p);
    assert_int_equal(ckg__belief_views(&s->belief, M, U, M, &s->arena, view), CKG_OK);
    ckg__belief_log_feasible(&s->belief, view, views);
    assert_int_equal(ckg__belief_log_feasible_batch(&s->belief, M, U, M, &s->arena, batch, gradient), CKG_OK);
    for (int p = 0; p < M; p++) {
        const double column[SCENE_OUTCOMES] = {0, log_p[1][p], log_p[2][p], log_p[3][p]};
        const double want = fmin(log_p[first][p], log_p[first + 1][p]) + log_p[first == 1 ? 3 : 1][p];
        assert_near(views[p], want, 1e-12 * (1 + fabs(want)));
        assert_near(batch[p], want, 1e-11 * (1 + fabs(want)));
        assert_near(ckg__belief_join(&s->belief, column), want, 1e-12 * (1 + fabs(want)));
    }
}

static void test_the_least_likely_counts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int first = 1; first <= 2; first++) {
            struct scene s;
            scene_make(&s, CKG__RBF, 0, seed);
            check_values(&s, first);
            scene_free(&s);
        }
}

/* Two processes with the same errors: c₂ is c₁ with a mean that is off by little, both <= 0. */
static void test_joint_probability_by_draws(void **state)
{
    enum { DRAWS = 200000 };
    static const double off[] = {-0.01, 0, 0.02};
    struct ckg__rng rng;

    (void)state;
    ckg__rng_seed(&rng, 3, 0, 0);
    for (double mean = -1; mean <= 1; mean += 0.5)
        for (int i = 0; i < 3; i++) {
            int both = 0;
            for (int d = 0; d < DRAWS; d++) {
                const double error = ckg__rng_normal(&rng);
                both += mean + error <= 0 && mean + off[i] + error <= 0;
            }
            const double least = fmin(ckg__normal_cdf(-mean), ckg__normal_cdf(-mean - off[i]));
            assert_near((double)both / DRAWS, least, 5 * sqrt(0.25 / DRAWS));
        }
}

static void test_violation_is_the_largest(void **state)
{
    struct ckg__belief belief = {.outcomes = 4, .lower = {0, 0, 0, 0}, .upper = {0, 1, 1, 1}};
    const double f = 0, c1 = 1.5, c2 = -2, c3 = 4;
    const double *const value[] = {&f, &c1, &c2, &c3};
    struct scene s;

    (void)state;
    scene_make(&s, CKG__RBF, 0, 1);
    memcpy(belief.gp, s.belief.gp, sizeof belief.gp);
    assert_near(ckg__belief_violation(&belief, value, 0), 5.5, 1e-15);
    group(&belief, 1);
    assert_near(ckg__belief_violation(&belief, value, 0), 5, 1e-15);
    group(&belief, 2);
    assert_near(ckg__belief_violation(&belief, value, 0), 3.5, 1e-15);
    scene_free(&s);
}

/* --- gradients --- */

/* How many differences were compared; what is left out is near a change of the least likely. */
static int check_gradient(struct scene *s, int first, scene_function function, double bound)
{
    static const double h = 1e-6;
    double U[SCENE_D * M], log_p[SCENE_OUTCOMES][M], value[M], gradient[SCENE_D * M], up[M], down[M],
        unused[SCENE_D * M];
    int compared = 0;

    group(&s->belief, first);
    random_points(&s->process[0].rng, SCENE_D, M, U);
    one_by_one(s, M, U, log_p);
    assert_int_equal(function(s, M, U, value, gradient), CKG_OK);
    for (int k = 0; k < SCENE_D; k++) {
        double moved[SCENE_D * M];
        for (int side = 0; side < 2; side++) {
            memcpy(moved, U, sizeof U);
            for (int p = 0; p < M; p++)
                moved[k * M + p] += side ? h : -h;
            assert_int_equal(function(s, M, moved, side ? up : down, unused), CKG_OK);
        }
        for (int p = 0; p < M; p++) {
            const double expected = (up[p] - down[p]) / (2 * h);
            if (fabs(log_p[first][p] - log_p[first + 1][p]) < 1e-4 || !isfinite(expected))
                continue;
            assert_near(gradient[k * M + p], expected, bound * (1 + fabs(expected)));
            compared++;
        }
    }
    return compared;
}

static void check_gradients(scene_function function, double bound)
{
    int compared = 0;

    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int first = 1; first <= 2; first++) {
            struct scene s;
            scene_make(&s, CKG__RBF, 0, seed);
            compared += check_gradient(&s, first, function, bound);
            scene_free(&s);
        }
    assert_true(compared > 8 * SCENE_D * M * 9 / 10);
}

static int log_utility(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    return ckg__belief_log_utility_batch(&s->belief, m, U, m, &s->arena, value, gradient);
}

static void test_gradient_of_utility(void **state)
{
    (void)state;
    check_gradients(log_utility, 1e-6);
}

static int cmes(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    static const double best[] = {-INFINITY, 0.4};
    const struct ckg__cmes cmes = {2, 0, best};

    return ckg__cmes_batch(&s->belief, &cmes, m, U, m, &s->arena, value, gradient);
}

static void test_gradient_of_cmes(void **state)
{
    (void)state;
    check_gradients(cmes, 1e-5);
}

/* Values with and without a gradient are the same. */
static void test_cmes_by_views(void **state)
{
    static const double best[] = {0.4};
    const struct ckg__cmes cmes = {1, 0, best};
    double U[SCENE_D * M], batch[M], views[M], gradient[SCENE_D * M];
    struct scene s;

    (void)state;
    scene_make(&s, CKG__RBF, 0, 8);
    group(&s.belief, 2);
    random_points(&s.process[0].rng, SCENE_D, M, U);
    assert_int_equal(ckg__cmes_batch(&s.belief, &cmes, M, U, M, &s.arena, views, NULL), CKG_OK);
    assert_int_equal(ckg__cmes_batch(&s.belief, &cmes, M, U, M, &s.arena, batch, gradient), CKG_OK);
    for (int p = 0; p < M; p++)
        assert_near(views[p], batch[p], 1e-10 * (1 + fabs(batch[p])));
    scene_free(&s);
}

/* --- noisy expected improvement --- */

enum { DRAWS = 16, K2 = 6 };

/*
 * A second constraint that is the first one over again changes nothing, as one that always holds does; and
 * the value is what it was without the group where the second always holds.
 */
static void test_nei_with_a_repetition(void **state)
{
    struct noisy m;
    double twice[M], wide[M], apart[M];

    (void)state;
    noisy_make(&m, &noisy_sorts[K2], 5);
    const struct ckg__gp *const second = m.belief.gp[2];
    for (int turn = 0; turn < 3; turn++) {
        const int repeats = turn == 0;
        memset(m.belief.beside, 0, sizeof m.belief.beside);
        m.belief.beside[2] = turn < 2;
        m.belief.turn[2] = 1;
        m.belief.gp[2] = repeats ? m.belief.gp[1] : (struct ckg__gp *)second;
        m.belief.lower[2] = repeats ? m.belief.lower[1] : -1e3;
        m.belief.upper[2] = repeats ? m.belief.upper[1] : 1e3;
        noisy_draw(&m, DRAWS, NOISY_MOST, 0);
        for (int p = 0; p < M; p++) {
            const double u[NOISY_D] = {fmod(0.31 * p, 1), fmod(0.73 * p, 1)};
            (turn == 0 ? twice : turn == 1 ? wide : apart)[p] = noisy_value(&m, u);
        }
    }
    for (int p = 0; p < M; p++) {
        assert_near(twice[p], wide[p], 1e-12 * (1 + fabs(wide[p])));
        assert_near(apart[p], wide[p], 1e-12 * (1 + fabs(wide[p])));
    }
    noisy_free(&m);
}

static void test_gradient_of_nei(void **state)
{
    static const double h = 1e-6;
    int compared = 0;
    int off = 0;

    (void)state;
    for (int sort = K2; sort <= K2 + 1; sort++) {
        struct noisy m;
        noisy_make(&m, &noisy_sorts[sort], 6);
        group(&m.belief, 1);
        noisy_draw(&m, DRAWS, NOISY_MOST, 0);
        for (int p = 0; p < M; p++) {
            double u[NOISY_D] = {fmod(0.31 * p + 0.05, 1), fmod(0.73 * p + 0.1, 1)};
            double value, gradient[NOISY_D];
            assert_int_equal(ckg__nei_batch(&m.nei, 1, u, 1, &m.scratch, &value, gradient), CKG_OK);
            assert_near(value, noisy_value(&m, u), 1e-10 * (1 + fabs(value)));
            for (int k = 0; k < NOISY_D; k++) {
                const double here = u[k];
                u[k] = here + h;
                const double up = noisy_value(&m, u);
                u[k] = here - h;
                const double expected = (up - noisy_value(&m, u)) / (2 * h);
                u[k] = here;
                compared++;
                off += !(fabs(gradient[k] - expected) <= 1e-5 * (1 + fabs(expected)));
            }
        }
        noisy_free(&m);
    }

    /* In one of sixteen draws the least likely may change within a difference. */
    assert_true(off <= compared / 100);
}

int main(void)
{
    return RUN_TESTS(test_the_least_likely_counts, test_joint_probability_by_draws,
                     test_violation_is_the_largest, test_gradient_of_utility, test_gradient_of_cmes,
                     test_cmes_by_views, test_nei_with_a_repetition, test_gradient_of_nei);
}
