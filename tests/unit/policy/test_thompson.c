/*
 * Joint draws and what constrained Thompson sampling makes of them: mean and covariance of 100,000 draws
 * against the posterior's, the choice by its definition from the numbers drawn, and the draw between the
 * candidates against the posterior given the draw.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "policy/thompson.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/scene.h"
#include "support/test.h"

enum { DRAWS = 100000, AT = 5, MANY = 60 };

/* As much of a search as a draw needs. */
struct world {
    struct scene scene;
    struct ckg__search search;
    struct ckg__arena worker, results;
};

static void world_make(struct world *w, enum ckg__kernel kernel, double shift, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    scene_make(&w->scene, kernel, shift, seed);
    ckg__arena_init(&w->worker);
    ckg__arena_init(&w->results);
    w->search = (struct ckg__search){.arena = &w->worker, .results = &w->results, .seed = seed, .stream = 1};
    assert_int_equal(ckg__pool_new(&w->search.pool, 1), CKG_OK);
}

static void world_free(struct world *w)
{
    ckg__pool_free(w->search.pool);
    ckg__arena_free(&w->worker);
    ckg__arena_free(&w->results);
    scene_free(&w->scene);
}

/* --- mean and covariance --- */

/*
 * One number per (outcome, point), all outcomes together, so that draws of different outcomes can be seen to
 * be independent.
 */
enum { ALL = SCENE_OUTCOMES * AT };

static double samples[DRAWS][ALL];

static void draw_all(struct world *w, int draws, const double *U)
{
    for (int s = 0; s < draws; s++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&w->results);
        struct ckg__thompson draw;
        w->search.stream = (uint64_t)s;
        assert_int_equal(ckg__thompson_make(&w->search, &w->scene.belief, AT, U, &draw), CKG_OK);
        for (int j = 0; j < SCENE_OUTCOMES; j++)
            memcpy(&samples[s][j * AT], draw.value[j], AT * sizeof(double));
        ckg__arena_release(&w->results, mark);
    }
}

/* The posterior's mean (ALL) and covariance (ALL × ALL), zero between outcomes. */
static void posterior_of(struct world *w, const double *U, double *mean, double (*C)[ALL])
{
    memset(C, 0, ALL * sizeof *C);
    for (int j = 0; j < SCENE_OUTCOMES; j++) {
        const struct ckg__gp *gp = w->scene.belief.gp[j];
        struct ckg__view view;
        double own[AT * AT];
        assert_int_equal(ckg__view_make(&view, gp, AT, U, AT, &w->worker), CKG_OK);
        ckg__view_covariance(gp, &view, &view, 0, AT, own, AT);
        memcpy(mean + j * AT, view.mean, AT * sizeof *mean);
        for (int a = 0; a < AT; a++)
            for (int b = 0; b < AT; b++)
                C[j * AT + a][j * AT + b] = own[a * AT + b];
    }
}

static void test_draws_have_mean_and_covariance(void **state)
{
    const int draws = test_scale(DRAWS, DRAWS / 10);
    struct world w;
    double U[SCENE_D * AT], mean[ALL], C[ALL][ALL], worst_mean = 0, worst = 0;

    (void)state;
    world_make(&w, CKG__MATERN52, 0, 61);
    random_points(&w.scene.process[0].rng, SCENE_D, AT, U);
    posterior_of(&w, U, mean, C);
    draw_all(&w, draws, U);
    for (int a = 0; a < ALL; a++) {
        double sum = 0;
        for (int s = 0; s < draws; s++)
            sum += samples[s][a] - mean[a];
        worst_mean = fmax(worst_mean, fabs(sum / draws) / sqrt(C[a][a] / draws));
        for (int b = 0; b <= a; b++) {
            double product = 0;
            for (int s = 0; s < draws; s++)
                product += (samples[s][a] - mean[a]) * (samples[s][b] - mean[b]);
            const double error = sqrt((C[a][a] * C[b][b] + C[a][b] * C[a][b]) / draws);
            worst = fmax(worst, fabs(product / draws - C[a][b]) / error);
        }
    }
    print_message("%d draws: %d means off by %.2f standard errors at most, %d covariances by %.2f\n", draws,
                  (int)ALL, worst_mean, ALL * (ALL + 1) / 2, worst);
    assert_true(worst_mean < 4.5 && worst < 4.5);
    world_free(&w);
}

/* --- the choice --- */

/*
 * The rule once more, from the numbers alone: the best objective among the feasible, or the least sum of what
 * breaks the limits.
 */
static int by_definition(const struct ckg__belief *belief, const struct ckg__thompson *draw, int *any)
{
    int best = -1, least = 0;
    double least_sum = INFINITY;

    for (int p = 0; p < draw->m; p++) {
        double sum = 0;
        for (int j = 1; j < belief->outcomes; j++) {
            const double v = draw->value[j][p];
            if (v > belief->upper[j])
                sum += v - belief->upper[j];
            if (v < belief->lower[j])
                sum += belief->lower[j] - v;
        }
        if (sum == 0 && (best < 0 || draw->value[0][p] > draw->value[0][best]))
            best = p;
        if (sum < least_sum) {
            least_sum = sum;
            least = p;
        }
    }
    *any = best >= 0;
    return *any ? best : least;
}

static void test_choice_by_definition(void **state)
{
    int with = 0, without = 0;

    (void)state;
    for (int i = 0; i < 40; i++) {
        struct world w;
        struct ckg__thompson draw;
        double U[SCENE_D * MANY], score;
        int any;
        world_make(&w, (enum ckg__kernel)(i % CKG__KERNELS), i % 2 ? 1.5 : 0, 70 + (uint64_t)i);
        random_points(&w.scene.process[0].rng, SCENE_D, MANY, U);
        assert_int_equal(ckg__thompson_make(&w.search, &w.scene.belief, MANY, U, &draw), CKG_OK);
        const int wanted = by_definition(&w.scene.belief, &draw, &any);
        assert_int_equal(ckg__thompson_best(&draw, &score), wanted);
        assert_true(any ? score == draw.value[0][wanted] : score < draw.floor);
        with += any;
        without += !any;
        world_free(&w);
    }
    print_message("%d draws with a feasible candidate, %d without\n", with, without);
    assert_true(with > 5 && without > 5);
}

/* Without constraints the largest value wins; with none of the outcomes uncertain the means decide. */
static void test_objective_alone(void **state)
{
    struct world w;
    struct ckg__thompson draw;
    double U[SCENE_D * MANY], score;

    (void)state;
    world_make(&w, CKG__RBF, 0, 62);
    w.scene.belief.outcomes = 1;
    random_points(&w.scene.process[0].rng, SCENE_D, MANY, U);
    assert_int_equal(ckg__thompson_make(&w.search, &w.scene.belief, MANY, U, &draw), CKG_OK);
    const int best = ckg__thompson_best(&draw, &score);
    for (int p = 0; p < MANY; p++)
        assert_true(draw.value[0][p] <= draw.value[0][best]);
    world_free(&w);
}

/* --- scores --- */

/* Outcome j of the draw at x: the process's mean there once it has been told the draw at the candidates. */
static void told(struct world *w, const struct ckg__thompson *draw, int j, const double *U, int count,
                 const double *X, double *value)
{
    struct ckg__gp *gp = w->scene.belief.gp[j];
    double gradient[SCENE_D * 64], u[SCENE_D];
    const int n = gp->n;

    for (int p = 0; p < draw->m; p++) {
        for (int k = 0; k < SCENE_D; k++)
            u[k] = U[k * draw->m + p];
        assert_int_equal(ckg__gp_append(gp, -1, u, draw->value[j][p], 0), CKG_OK);
    }
    assert_int_equal(ckg__posterior_mean(gp, count, X, count, &w->worker, value, gradient), CKG_OK);
    ckg__gp_truncate(gp, n);
}

static void test_scores_go_on_between_candidates(void **state)
{
    enum { POINTS = 64 };
    double worst = 0;
    int feasible = 0;

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct world w;
        struct ckg__thompson draw;
        double U[SCENE_D * MANY], X[SCENE_D * POINTS], value[SCENE_OUTCOMES][POINTS], score[POINTS];
        world_make(&w, CKG__MATERN32, 0, 90 + (uint64_t)i);
        random_points(&w.scene.process[0].rng, SCENE_D, MANY / 4, U);
        random_points(&w.scene.process[0].rng, SCENE_D, POINTS, X);
        for (int k = 0; k < SCENE_D; k++) /* a candidate among the points */
            X[k * POINTS] = U[k * (MANY / 4)];
        assert_int_equal(ckg__thompson_make(&w.search, &w.scene.belief, MANY / 4, U, &draw), CKG_OK);
        assert_int_equal(ckg__thompson_score(&draw, POINTS, X, &w.worker, score), CKG_OK);
        /* room for the candidates: the processes are conditioned anew */
        for (int j = 0; j < SCENE_OUTCOMES; j++) {
            assert_int_equal(ckg__gp_reserve(&w.scene.process[j].gp, SCENE_D, 64), CKG_OK);
            process_set(&w.scene.process[j]);
            told(&w, &draw, j, U, POINTS, X, value[j]);
        }
        for (int p = 0; p < POINTS; p++) {
            const double *at[SCENE_OUTCOMES] = {&value[0][p], &value[1][p], &value[2][p], &value[3][p]};
            const double broken = ckg__belief_violation(&w.scene.belief, at, 0);
            const double wanted = broken > 0 ? draw.floor - broken : fmax(draw.floor, value[0][p]);
            worst = fmax(worst, fabs(score[p] - wanted));
            feasible += !(broken > 0);
            assert_true(broken > 0 ? score[p] < draw.floor : score[p] >= draw.floor);
        }
        world_free(&w);
    }
    print_message("%d feasible points; off by %.2g at most\n", feasible, worst);
    assert_true(feasible > 20 && worst < 1e-6);
}

/* --- distinct columns --- */

static void test_distinct(void **state)
{
    double U[] = {1, 2, 1, 1, 3, 2, /**/ 5, 5, 6, 5, 5, 5}, want[] = {1, 2, 1, 3, /**/ 5, 5, 6, 5},
           one[] = {4};

    (void)state;
    assert_int_equal(ckg__thompson_distinct(2, 6, U), 4);
    assert_memory_equal(U, want, sizeof want);
    assert_int_equal(ckg__thompson_distinct(1, 1, one), 1);
    assert_int_equal(ckg__thompson_distinct(1, 0, one), 0);
}

int main(void)
{
    return RUN_TESTS(test_draws_have_mean_and_covariance, test_choice_by_definition, test_objective_alone,
                     test_scores_go_on_between_candidates, test_distinct);
}
