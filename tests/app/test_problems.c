/*
 * Every problem of the registry: where it says the optimum is, the design is feasible and has that value; a
 * search that knows nothing of it finds nothing better; and as much of the box is feasible as it says.
 *
 * The search is random, the best designs polished by Nelder and Mead's method, which puts every infeasible
 * design behind every feasible one. Bounds: optima have ten digits and places nine decimals, hence 1e-6; a
 * share counted on n designs lies within five standard deviations. Up to three parameters the search must
 * come within 1e-3 of the optimum itself, or it would prove nothing; measured: 1e-10 to 3e-5.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "problems/problems.h"
#include "support/scale.h"
#include "support/test.h"

enum { D = APP_PROBLEM_DIMENSION, STARTS = 24, RESTARTS = 6 };

static double scale_of(const struct app_problem *p)
{
    return p->optimum != 0 ? fabs(p->optimum) : 1;
}

/*
 * What is compared: the objective of a feasible design; of another more than any objective, and the more the
 * further it is from the limits.
 */
static double merit(const struct app_problem *p, const double *x)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS], excess = 0;
    for (int i = 0; i < p->d; i++)
        if (!(x[i] >= p->low[i] && x[i] <= p->high[i]))
            return INFINITY;
    p->evaluate(x, values);
    for (int k = 1; k <= p->K; k++)
        excess += fmax(values[k], 0);
    return app_problem_feasible(p, values) ? values[0] : 1e9 + excess;
}

static void draw_point(const struct app_problem *p, struct ckg__rng *rng, double *x)
{
    for (int i = 0; i < p->d; i++)
        x[i] = p->low[i] + (p->high[i] - p->low[i]) * ckg__rng_uniform(rng);
}

/* --- Nelder and Mead --- */

struct simplex {
    const struct app_problem *p;
    double x[D + 1][D], value[D + 1];
    int worst, best;
};

static void order(struct simplex *s)
{
    s->worst = s->best = 0;
    for (int v = 1; v <= s->p->d; v++) {
        s->worst = s->value[v] > s->value[s->worst] ? v : s->worst;
        s->best = s->value[v] < s->value[s->best] ? v : s->best;
    }
}

/*
 * Puts the worst corner at the centre of the others plus `times` its distance from there, where that is
 * better than `than`.
 */
static int try_corner(struct simplex *s, double times, double than)
{
    double x[D], value;
    const int d = s->p->d;
    for (int i = 0; i < d; i++) {
        double centre = 0;
        for (int v = 0; v <= d; v++)
            centre += v == s->worst ? 0 : s->x[v][i] / d;
        x[i] = fmin(fmax(centre + times * (s->x[s->worst][i] - centre), s->p->low[i]), s->p->high[i]);
    }
    value = merit(s->p, x);
    if (!(value < than))
        return 0;
    memcpy(s->x[s->worst], x, sizeof x);
    s->value[s->worst] = value;
    return 1;
}

static void shrink(struct simplex *s)
{
    for (int v = 0; v <= s->p->d; v++) {
        for (int i = 0; v != s->best && i < s->p->d; i++)
            s->x[v][i] = 0.5 * (s->x[v][i] + s->x[s->best][i]);
        s->value[v] = merit(s->p, s->x[v]);
    }
}

/* From x, with a simplex of that size in parts of the box; x becomes the best. Returns its merit. */
static double polish(const struct app_problem *p, double size, int steps, struct ckg__rng *rng, double *x)
{
    struct simplex s = {.p = p};
    for (int v = 0; v <= p->d; v++) {
        for (int i = 0; i < p->d; i++)
            s.x[v][i] = fmin(
                fmax(x[i] + (v ? size * (p->high[i] - p->low[i]) * ckg__rng_normal(rng) : 0), p->low[i]),
                p->high[i]);
        s.value[v] = merit(p, s.x[v]);
    }
    for (int t = 0; t < steps; t++) {
        order(&s);
        const double worst = s.value[s.worst], best = s.value[s.best];
        if (try_corner(&s, -1, worst)) {
            if (s.value[s.worst] < best)
                try_corner(&s, 2, s.value[s.worst]);
        } else if (!try_corner(&s, 0.5, worst))
            shrink(&s);
    }
    order(&s);
    memcpy(x, s.x[s.best], sizeof s.x[0]);
    return s.value[s.best];
}

/* --- tests --- */

static void test_optimum(void **state)
{
    (void)state;
    for (int i = 0; app_problems[i]; i++) {
        const struct app_problem *p = app_problems[i];
        double values[1 + APP_PROBLEM_CONSTRAINTS];
        p->evaluate(p->best, values);
        for (int k = 1; k <= p->K; k++)
            assert_true(values[k] <= 1e-6);
        if (!(fabs(values[0] - p->optimum) <= 1e-6 * scale_of(p)))
            fail_msg("%s: %.12g where %.12g is said", p->name, values[0], p->optimum);
        for (int k = 0; k < p->d; k++)
            assert_true(p->best[k] >= p->low[k] && p->best[k] <= p->high[k]);
    }
}

/* The best of random designs, by merit, in order. */
static void search(const struct app_problem *p, int count, struct ckg__rng *rng, double x[STARTS][D],
                   double value[STARTS])
{
    for (int s = 0; s < STARTS; s++)
        value[s] = INFINITY;
    for (int n = 0; n < count; n++) {
        double at[D] = {0};
        draw_point(p, rng, at);
        const double m = merit(p, at);
        int s = STARTS;
        while (s > 0 && m < value[s - 1])
            s--;
        if (s == STARTS)
            continue;
        memmove(x[s + 1], x[s], (size_t)(STARTS - 1 - s) * sizeof *x);
        memmove(value + s + 1, value + s, (size_t)(STARTS - 1 - s) * sizeof *value);
        memcpy(x[s], at, sizeof at);
        value[s] = m;
    }
}

static void test_nothing_better(void **state)
{
    const int count = test_scale(100000, 10000), steps = test_scale(400, 150);
    (void)state;
    for (int i = 0; app_problems[i]; i++) {
        const struct app_problem *p = app_problems[i];
        static double x[STARTS + 1][D];
        double value[STARTS + 1], found = INFINITY;
        struct ckg__rng rng;
        ckg__rng_seed(&rng, 11, (uint64_t)i, 0);
        search(p, count, &rng, x, value);
        memcpy(x[STARTS], p->best, sizeof x[0]);
        for (int s = 0; s <= STARTS; s++) {
            double size = 0.05, best = INFINITY;
            for (int r = 0; r < RESTARTS; r++, size *= 0.2)
                best = polish(p, size, steps * p->d, &rng, x[s]);
            if (best < p->optimum - 1e-6 * scale_of(p))
                fail_msg("%s: %.12g is better than %.12g", p->name, best, p->optimum);
            found = s < STARTS ? fmin(found, best) : found;
        }
        if (p->d <= 3 && !(found <= p->optimum + 1e-3 * scale_of(p)))
            fail_msg("%s: the search came no nearer than %.12g to %.12g", p->name, found, p->optimum);
        print_message("%-26s %.10f, found without it %.10f\n", p->name, p->optimum, found);
    }
}

static void test_share(void **state)
{
    const int count = test_scale(400000, 20000);
    (void)state;
    for (int i = 0; app_problems[i]; i++) {
        const struct app_problem *p = app_problems[i];
        int feasible = 0;
        struct ckg__rng rng;
        ckg__rng_seed(&rng, 12, (uint64_t)i, 0);
        for (int n = 0; n < count; n++) {
            double x[D], values[1 + APP_PROBLEM_CONSTRAINTS];
            draw_point(p, &rng, x);
            p->evaluate(x, values);
            feasible += app_problem_feasible(p, values);
        }
        assert_true(p->share > 0 && p->share < 1);
        const double share = (double)feasible / count, sd = sqrt(p->share * (1 - p->share) / count);
        if (!(fabs(share - p->share) <= 5 * sd + 1e-5))
            fail_msg("%s: %.5g where %.5g is said", p->name, share, p->share);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; app_problems[i]; i++) {
        const struct app_problem *p = app_problems[i];
        assert_ptr_equal(app_problem_named(p->name), p);
        assert_true(p->d >= 1 && p->d <= D && p->K >= 1 && p->K <= APP_PROBLEM_CONSTRAINTS);
        for (int k = 0; k <= p->K; k++)
            assert_non_null(p->formula[k]);
        assert_true(p->infeasible > p->optimum); /* else an infeasible recommendation would be worth having */
        ckg_problem *described = app_problem_describe(p, 1);
        assert_non_null(described);
        assert_int_equal(ckg_problem_dimension(described), p->d);
        assert_int_equal(ckg_problem_constraints(described), p->K);
        ckg_problem_free(described);
    }
    assert_null(app_problem_named("nobody"));
}

int main(void)
{
    return RUN_TESTS(test_names, test_optimum, test_nothing_better, test_share);
}
