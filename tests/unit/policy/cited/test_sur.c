/*
 * The expected reduction of the volume of improvement: against its definition, the volume before minus the
 * volume after the evaluation, integrated densely over the box and over what the evaluation may show, in one
 * and two dimensions; points that are drawn against all points; gradients against differences.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/status.h>

#include "policy/cited/policy_sur.c" /* its static functions */
#include "linalg/normal.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/scene.h"
#include "support/test.h"

enum { LINE = 24, SQUARE = 6, POINTS = SQUARE * SQUARE, SHOWN = 20000, FINE = 40, DRAWS = 100 };

/* A model of an objective and one constraint in D dimensions, a grid over the box. */
struct model {
    struct process process[2];
    struct ckg__belief belief;
    struct ckg__arena keep, scratch;
    struct points points;
    double U[2 * FINE * FINE], log_weight[FINE * FINE];
};

static void lay_grid(struct model *m, int D, int side)
{
    const int count = D == 1 ? side : side * side;

    for (int p = 0; p < count; p++) {
        m->U[p] = (p % side + 0.5) / side;
        m->U[count + p] = (p / side + 0.5) / side;
        m->log_weight[p] = -log(count);
    }
    m->points = (struct points){count, m->U, m->log_weight};
}

static void model_make(struct model *m, int D, double lower, double upper, uint64_t seed)
{
    ckg__arena_init(&m->keep);
    ckg__arena_init(&m->scratch);
    m->belief = (struct ckg__belief){.outcomes = 2};
    for (int j = 0; j < 2; j++) {
        process_make(&m->process[j], CKG__RBF, D, 4 + j, ESTIMATED, seed + (uint64_t)j);
        m->belief.gp[j] = &m->process[j].gp;
    }
    m->belief.lower[1] = lower;
    m->belief.upper[1] = upper;
    lay_grid(m, D, D == 1 ? LINE : SQUARE);
}

static void model_free(struct model *m)
{
    for (int j = 0; j < 2; j++)
        process_free(&m->process[j]);
    ckg__arena_free(&m->keep);
    ckg__arena_free(&m->scratch);
}

static double between(double a, double b)
{
    return fmax(0,
                b > 0 ? ckg__normal_cdf(-a) - ckg__normal_cdf(-b) : ckg__normal_cdf(b) - ckg__normal_cdf(a));
}

/* An outcome at a point once the evaluation has shown z standard deviations of it: moves mean and sd. */
struct shown {
    double mean, sd, moved; /* at the point */
    double at_mean, at_sd;  /* at what is evaluated */
};

static struct shown look(const struct ckg__view *v, const struct ckg__view *at, const double *cov, int p)
{
    const double sd = sqrt(at->var[0]);
    const double moved = cov[p] / sd;
    return (struct shown){v->mean[p], sqrt(fmax(v->var[p] - moved * moved, 1e-14)), moved, at->mean[0], sd};
}

/* P(limits hold at the point), expected over what is shown: [0] where it breaks them, [1] where it does not.
 */
static void expect_limits(const struct shown *c, double lower, double upper, double holds[2])
{
    holds[0] = holds[1] = 0;
    for (int i = 0; i < SHOWN; i++) {
        const double z = (i + 0.5) * 16 / SHOWN - 8;
        const double value = c->at_mean + c->at_sd * z;
        const double mean = c->mean + c->moved * z;
        holds[value >= lower && value <= upper] += 16.0 / SHOWN * ckg__normal_pdf(z) *
                                                   between((lower - mean) / c->sd, (upper - mean) / c->sd);
    }
}

/* P(the point is better), expected: than the best so far [0], or than what is shown if that is better [1]. */
static void expect_better(const struct shown *f, double best, double better[2])
{
    better[0] = better[1] = 0;
    for (int i = 0; i < SHOWN; i++) {
        const double z = (i + 0.5) * 16 / SHOWN - 8;
        const double value = f->at_mean + f->at_sd * z;
        const double mean = f->mean + f->moved * z;
        const double weight = 16.0 / SHOWN * ckg__normal_pdf(z);
        better[0] += weight * ckg__normal_cdf((mean - best) / f->sd);
        better[1] += weight * ckg__normal_cdf((mean - fmax(best, value)) / f->sd);
    }
}

/* Volume before minus the expected volume after, by the definition. */
static double reduction(struct model *m, const double *u, double best)
{
    struct ckg__view v[2];
    struct ckg__view at[2];
    double cov[2][FINE * FINE];
    const int count = m->points.count;
    double before = 0;
    double after = 0;

    assert_int_equal(ckg__belief_views(&m->belief, count, m->U, count, &m->scratch, v), CKG_OK);
    assert_int_equal(ckg__belief_views(&m->belief, 1, u, 1, &m->scratch, at), CKG_OK);
    for (int j = 0; j < 2; j++)
        ckg__view_covariance(m->belief.gp[j], &v[j], &at[j], 0, 1, cov[j], count);

    for (int p = 0; p < count; p++) {
        const double sd = sqrt(v[1].var[p]);
        before += ckg__normal_cdf((v[0].mean[p] - best) / sqrt(v[0].var[p])) *
                  between((m->belief.lower[1] - v[1].mean[p]) / sd,
                          (m->belief.upper[1] - v[1].mean[p]) / sd) /
                  count;
        const struct shown f = look(&v[0], &at[0], cov[0], p);
        const struct shown c = look(&v[1], &at[1], cov[1], p);
        double holds[2];
        double better[2];
        expect_limits(&c, m->belief.lower[1], m->belief.upper[1], holds);
        expect_better(&f, best, better);
        after += (holds[0] * better[0] + holds[1] * better[1]) / count;
    }
    return before - after;
}

/* The sums over what is shown have steps at the limits, and an error of their own: 1e-3. How many are large.
 */
static int check_definition(int D, double lower, double upper, uint64_t seed)
{
    struct model m;
    struct volume sur = {.belief = &m.belief, .best = 0.3};
    int large = 0;

    model_make(&m, D, lower, upper, seed);
    assert_int_equal(take_points(&sur, &m.points, &m.keep), CKG_OK);
    for (int i = 0; i < test_scale(4, 1); i++) {
        const double u[2] = {fmod(0.13 + 0.37 * i, 1), fmod(0.71 + 0.29 * i, 1)};
        double value;
        assert_int_equal(log_reductions(&sur, 1, u, 1, &m.scratch, &value, NULL), CKG_OK);
        const double want = reduction(&m, u, sur.best);
        print_message("D %d, [%g, %g]: %.6g, by definition %.6g\n", D, lower, upper, exp(value), want);
        assert_near(exp(value), want, 1e-3 * want + 1e-7);
        large += want > 1e-4;
    }
    model_free(&m);
    return large;
}

static void test_definition_on_a_line(void **state)
{
    (void)state;
    const int large = check_definition(1, -INFINITY, 0.4, 11) + check_definition(1, -0.3, INFINITY, 12) +
                      check_definition(1, -0.4, 0.6, 13);
    assert_true(large >= test_scale(8, 2));
}

static void test_definition_on_a_square(void **state)
{
    (void)state;
    assert_true(check_definition(2, -INFINITY, 0.4, 21) + check_definition(2, -0.4, 0.6, 22) >=
                test_scale(5, 1));
}

/* Far fewer points, drawn where the volume lies: right on average, and each draw within a factor of two. */
static void test_drawn_points(void **state)
{
    struct model m;
    struct volume all = {.belief = &m.belief, .best = 0.5};
    const double u[2] = {0.41, 0.33};
    double want;
    double mean = 0;
    double worst = 0;

    (void)state;
    model_make(&m, 2, -INFINITY, 0.2, 31);
    lay_grid(&m, 2, FINE);
    assert_int_equal(take_points(&all, &m.points, &m.keep), CKG_OK);
    assert_int_equal(log_reductions(&all, 1, u, 1, &m.scratch, &want, NULL), CKG_OK);
    for (int i = 0; i < DRAWS; i++) {
        struct volume some = {.belief = &m.belief, .best = 0.5};
        double value;
        assert_int_equal(draw_points(&some, &m.points, 64, (i + 0.5) / DRAWS, &m.keep, &m.scratch), CKG_OK);
        assert_true(some.m <= 64);
        assert_int_equal(log_reductions(&some, 1, u, 1, &m.scratch, &value, NULL), CKG_OK);
        mean += exp(value - want) / DRAWS;
        worst = fmax(worst, fabs(value - want));
    }
    print_message("64 of %d points: %.4f of the value on average, %.2g off at worst\n", m.points.count, mean,
                  worst);
    assert_near(mean, 1, 0.02);
    assert_true(worst < log(2));
    model_free(&m);
}

/* --- gradients, and designs that an evaluation settles --- */

static struct volume surface;

static int at_points(struct scene *s, int m, const double *U, double *value, double *gradient)
{
    return log_reductions(&surface, m, U, m, &s->arena, value, gradient);
}

static void test_gradient(void **state)
{
    static const double doubts[] = {0, 3};
    double U[2 * 24];
    double log_weight[24];

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scene s;
        scene_make(&s, i % 2 ? CKG__MATERN52 : CKG__RBF, 0.2, 40 + (uint64_t)i);
        s.belief.roughness[1] = doubts[i / 2];
        random_points(&s.process[0].rng, 2, 24, U);
        for (int p = 0; p < 24; p++)
            log_weight[p] = -log(24);
        surface = (struct volume){.belief = &s.belief, .best = i == 3 ? -INFINITY : 0.2};
        assert_int_equal(take_points(&surface, &(struct points){24, U, log_weight}, &s.arena), 0);
        const double error = scene_gradient_error(&s, at_points, 12);
        print_message("gradient: %.2g\n", error);
        assert_true(error <= 1e-4);
        scene_free(&s);
    }
}

/* Among few designs the evaluation of one takes that one's whole share, whatever it shows. */
static void test_a_design_settles_itself(void **state)
{
    struct model m;
    struct volume sur = {.belief = &m.belief, .best = 0.3};
    double apart;
    double itself;

    (void)state;
    model_make(&m, 2, -INFINITY, 0.4, 51);
    m.points.count = 1;
    m.log_weight[0] = 0;
    assert_int_equal(take_points(&sur, &m.points, &m.keep), CKG_OK);
    assert_int_equal(log_reductions(&sur, 1, m.U, 1, &m.scratch, &apart, NULL), CKG_OK);
    sur.finite = 1;
    assert_int_equal(log_reductions(&sur, 1, m.U, 1, &m.scratch, &itself, NULL), CKG_OK);
    assert_near(itself, sur.log_p[0], 1e-12);
    assert_true(apart < itself - 0.1);
    model_free(&m);
}

int main(void)
{
    return RUN_TESTS(test_definition_on_a_line, test_definition_on_a_square, test_drawn_points, test_gradient,
                     test_a_design_settles_itself);
}
