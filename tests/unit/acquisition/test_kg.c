/*
 * The constrained knowledge gradient over a given discretisation: its gradient against differences, its value
 * against quadrature and Monte Carlo over Z_y and against the textbook formula of the knowledge gradient, and
 * the paper's Lemmas 1 and 2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acquisition/kg.h"
#include "acquisition/kg_inner.h"
#include "base/rng.h"
#include "model/gp_private.h"
#include "support/test.h"

enum { DIM = 2, MOST_ROWS = 20, MOST_POINTS = 640, MOST_NODES = 8, OUTCOMES = 4 };

/*
 * Random processes over the unit square with a discretisation whose point of largest utility is x_r, and
 * nodes of Z_c.
 */
struct world {
    struct ckg__arena arena;
    struct ckg__rng rng;
    double X[DIM * MOST_ROWS], y[OUTCOMES][MOST_ROWS], known[MOST_ROWS], count[MOST_ROWS];
    int design[MOST_ROWS];
    struct ckg__gp gp[OUTCOMES];
    struct ckg__belief belief;
    double z[MOST_NODES * OUTCOMES];
    struct ckg__nodes nodes;
    double U[DIM * MOST_POINTS], gain[MOST_POINTS];
    struct ckg__kg kg;
};

static double uniform(struct world *w, double low, double high)
{
    return low + (high - low) * ckg__rng_uniform(&w->rng);
}

static double Phi(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static double phi(double x)
{
    return exp(-0.5 * x * x) / sqrt(2 * acos(-1));
}

static void set_process(struct world *w, int j, int n, double noise)
{
    static const int group[DIM] = {0, 1};
    const double theta[DIM + 2] = {log(uniform(w, 0.2, 0.8)), log(uniform(w, 0.2, 0.8)), 0,
                                   log(uniform(w, 0.5, 2))};
    struct ckg__series series = {.n = n,
                                 .likelihood = &ckg__likelihood_normal,
                                 .design = w->design,
                                 .y = w->y[j],
                                 .known = w->known,
                                 .count = w->count,
                                 .typical_known = noise};
    const struct ckg__gp_inputs inputs = {CKG__RBF, DIM, DIM, n, group, w->X, n, &series, 1, NULL, 0, NULL};
    for (int i = 0; i < n; i++) {
        w->y[j][i] = ckg__rng_normal(&w->rng);
        w->known[i] = noise;
        w->count[i] = 1;
        w->design[i] = i;
    }
    assert_int_equal(ckg__gp_reserve(&w->gp[j], DIM, n), 0);
    assert_int_equal(ckg__gp_set(&w->gp[j], &inputs, theta, &w->arena), 0);
    w->belief.gp[j] = &w->gp[j];
}

/* Limits of every kind in turn: above, below, both. */
static void set_limits(struct world *w, int j, int kind)
{
    w->belief.lower[j] = kind == 0 ? -INFINITY : uniform(w, -1.2, -0.2);
    w->belief.upper[j] = kind == 1 ? INFINITY : uniform(w, 0.2, 1.2);
}

/* In some worlds constraints 1 and 2, or 2 and 3, nearly repeat one another. */
static void set_groups(struct world *w, int K, uint64_t seed)
{
    const int first = seed % 4 == 1 ? 1 : 2;

    if (seed % 2 == 0 || first + 1 > K)
        return;
    w->belief.beside[first + 1] = first;
    w->belief.turn[first + 1] = seed % 3 ? 1 : -1;
}

static void set_nodes(struct world *w, int K, int count)
{
    for (int i = 0; i < count * K; i++)
        w->z[i] = ckg__rng_normal(&w->rng);
    for (int q = 0; q < count; q++)
        for (int j = 1; j <= K; j++)
            if (w->belief.beside[j])
                w->z[q * K + j - 1] = w->belief.turn[j] * w->z[q * K + w->belief.beside[j] - 1];
    w->nodes = (struct ckg__nodes){K ? count : 1, K, w->z};
}

/* The gain × PF of point p as things stand. */
static double utility(const struct world *w, int p)
{
    double u = w->kg.gain[p];
    for (int j = 1; j < w->belief.outcomes; j++) {
        const double s = sqrt(fmax(w->kg.view[j].var[p], ckg__variance_floor(&w->gp[j])));
        u *= Phi((w->belief.upper[j] - w->kg.view[j].mean[p]) / s) -
             Phi((w->belief.lower[j] - w->kg.view[j].mean[p]) / s);
    }
    return u;
}

/* X_d: `random` points and the n data; M the smallest mean of them; x_r the best. */
static void set_discretisation(struct world *w, int random, int n)
{
    const int m = random + n;
    for (int k = 0; k < DIM; k++)
        for (int p = 0; p < m; p++)
            w->U[k * m + p] = p < random ? uniform(w, 0, 1) : w->X[k * n + p - random];
    w->kg = (struct ckg__kg){.belief = &w->belief, .nodes = &w->nodes, .m = m, .gain = w->gain};
    w->belief.penalty = INFINITY;
    for (int j = 0; j < w->belief.outcomes; j++)
        assert_int_equal(ckg__view_make(&w->kg.view[j], &w->gp[j], m, w->U, m, &w->arena), 0);
    for (int p = 0; p < m; p++)
        w->belief.penalty = fmin(w->belief.penalty, w->kg.view[0].mean[p]);
    for (int p = 0; p < m; p++)
        w->gain[p] = w->kg.view[0].mean[p] - w->belief.penalty;
    for (int p = 1; p < m; p++)
        w->kg.r = utility(w, p) > utility(w, w->kg.r) ? p : w->kg.r;
}

static void world_begin(struct world *w, uint64_t seed, int K, double noise, int random)
{
    memset(w, 0, sizeof *w);
    ckg__arena_init(&w->arena);
    ckg__rng_seed(&w->rng, seed, (uint64_t)K, 77);
    const int n = 5 + ckg__rng_below(&w->rng, 8);
    for (int i = 0; i < DIM * n; i++)
        w->X[i] = uniform(w, 0, 1);
    w->belief.outcomes = 1 + K;
    for (int j = 0; j <= K; j++) {
        set_process(w, j, n, noise * (j + 1));
        set_limits(w, j, ((int)seed + j) % 3);
    }
    set_groups(w, K, seed);
    set_nodes(w, K, 5);
    set_discretisation(w, random, n);
}

static void world_end(struct world *w)
{
    for (int j = 0; j < OUTCOMES; j++)
        ckg__gp_free(&w->gp[j]);
    ckg__arena_free(&w->arena);
}

static void random_design(struct world *w, double *u)
{
    for (int k = 0; k < DIM; k++)
        u[k] = uniform(w, 0.02, 0.98);
}

static double value_at(struct world *w, const double *u)
{
    double value;
    assert_int_equal(ckg__kg_value_at(&w->kg, u, &w->arena, &value), 0);
    return value;
}

/* --- the gradient --- */

/* The derivative along coordinate k by four points. */
static double difference(struct world *w, const double *u, int k)
{
    static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2}, h = 1e-5;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double moved[DIM];
        memcpy(moved, u, sizeof moved);
        moved[k] += step[i] * h;
        sum += weight[i] * value_at(w, moved);
    }
    return sum / (12 * h);
}

static void test_gradient_is_the_differences(void **state)
{
    enum { WORLDS = 15, DESIGNS = 4 };
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= WORLDS; seed++) {
            struct world w;
            world_begin(&w, seed, K, 1e-3 + 0.05 * (double)(seed % 3), 20);
            for (int j = 0; seed % 5 == 4 && j <= K; j++) /* one outcome is measured alone */
                w.belief.hidden[j] = j != (int)seed % (K + 1);
            for (int i = 0; i < DESIGNS; i++) {
                double u[DIM], value, gradient[DIM], expected[DIM];
                random_design(&w, u);
                assert_int_equal(ckg__kg_gradient(&w.kg, u, NULL, &w.arena, &value, gradient), 0);
                assert_true(fabs(value - value_at(&w, u)) <= 1e-14 + 1e-12 * value);
                for (int k = 0; k < DIM; k++)
                    expected[k] = difference(&w, u, k);
                const double size = hypot(expected[0], expected[1]) + 1e-6;
                for (int k = 0; k < DIM; k++)
                    if (!(fabs(gradient[k] - expected[k]) <= 1e-5 * size))
                        fail_msg("K %d seed %d: ∂%d %.12g, by differences %.12g", K, (int)seed, k,
                                 gradient[k], expected[k]);
            }
            world_end(&w);
        }
}

/* --- the value --- */

/* The lines at node q over X_d and, last, x⁺ = u: PF one step ahead from its definition. */
static void lines_by_definition(struct world *w, const double *u, int q, double *a, double *b)
{
    const int m = w->kg.m, K = w->belief.outcomes - 1;
    double cov[MOST_POINTS], before[MOST_POINTS] = {0};
    for (int j = 0; j <= K; j++) {
        const struct ckg__gp *gp = &w->gp[j];
        struct ckg__view at;
        assert_int_equal(ckg__view_make(&at, gp, 1, u, 1, &w->arena), 0);
        ckg__view_covariance(gp, &w->kg.view[j], &at, 0, 1, cov, m);
        for (int p = 0; p <= m; p++) {
            const double mean = p < m ? w->kg.view[j].mean[p] : at.mean[0],
                         var = p < m ? w->kg.view[j].var[p] : at.var[0];
            const double sigma = (p < m ? cov[p] : at.var[0]) / sqrt(at.var[0] + gp->future);
            if (j == 0) {
                a[p] = mean - w->belief.penalty;
                b[p] = sigma;
                continue;
            }
            const double moved = mean + sigma * w->z[q * K + j - 1],
                         s = sqrt(fmax(var - sigma * sigma, ckg__variance_floor(gp)));
            const double pf = Phi((w->belief.upper[j] - moved) / s) - Phi((w->belief.lower[j] - moved) / s);
            /* of a group the smaller one counts: what the first has done is put right */
            const double factor = w->belief.beside[j] ? fmin(pf, before[p]) / before[p] : pf;
            before[p] = pf;
            a[p] *= factor;
            b[p] *= factor;
        }
    }
}

static double highest(int m, const double *a, const double *b, double z)
{
    double top = -INFINITY;
    for (int p = 0; p < m; p++)
        top = fmax(top, a[p] + b[p] * z);
    return top;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * ∫ max(a + bz)φ(z) dz by Gauss-Legendre with five points on short panels between every two crossings of any
 * two lines.
 */
static double quadrature(int m, const double *a, const double *b)
{
    static const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                   0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    enum { PANELS = 96 };
    static double at[MOST_POINTS * MOST_POINTS];
    int count = 0;
    for (int i = 0; i <= PANELS; i++)
        at[count++] = -12 + 24.0 * i / PANELS;
    for (int i = 0; i < m; i++)
        for (int p = 0; p < i; p++) {
            const double z = (a[i] - a[p]) / (b[p] - b[i]);
            if (fabs(z) < 12)
                at[count++] = z;
        }
    qsort(at, (size_t)count, sizeof *at, ascending);
    double sum = 0;
    for (int i = 0; i + 1 < count; i++)
        for (int g = 0; g < 5; g++) {
            const double half = 0.5 * (at[i + 1] - at[i]), z = at[i] + half * (1 + node[g]);
            sum += half * weight[g] * highest(m, a, b, z) * phi(z);
        }
    return sum;
}

static void test_value_is_the_integral(void **state)
{
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct world w;
            double u[DIM], a[MOST_POINTS], b[MOST_POINTS], sum = 0;
            world_begin(&w, seed, K, seed % 2 ? 0.02 : 0, 8);
            random_design(&w, u);
            for (int q = 0; q < w.nodes.count; q++) {
                lines_by_definition(&w, u, q, a, b);
                sum += quadrature(w.kg.m + 1, a, b) - a[w.kg.r];
            }
            assert_true(fabs(value_at(&w, u) - sum / w.nodes.count) < 1e-10);
            world_end(&w);
        }
}

/* The best of some random designs: where the value is small it lives in tails that draws do not reach. */
static void good_design(struct world *w, double *u)
{
    double other[DIM];
    random_design(w, u);
    for (int i = 0; i < 60; i++) {
        random_design(w, other);
        if (value_at(w, other) > value_at(w, u))
            memcpy(u, other, sizeof other);
    }
}

static void test_value_is_what_monte_carlo_finds(void **state)
{
    enum { DRAWS = 50000 };
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct world w;
            double u[DIM], a[MOST_POINTS], b[MOST_POINTS], mean = 0, variance = 0;
            world_begin(&w, seed, K, 0.02, 8);
            good_design(&w, u);
            for (int q = 0; q < w.nodes.count; q++) {
                double sum = 0, squares = 0;
                lines_by_definition(&w, u, q, a, b);
                for (int i = 0; i < DRAWS; i++) {
                    const double z = ckg__rng_normal(&w.rng),
                                 won = highest(w.kg.m + 1, a, b, z) - a[w.kg.r] - b[w.kg.r] * z;
                    sum += won / DRAWS;
                    squares += won * won / DRAWS;
                }
                mean += sum / w.nodes.count;
                variance += (squares - sum * sum) / DRAWS / (w.nodes.count * w.nodes.count);
            }
            assert_true(fabs(value_at(&w, u) - mean) <= 4 * sqrt(variance));
            world_end(&w);
        }
}

struct line {
    double a, b;
};

static int by_slope(const void *x, const void *y)
{
    const struct line *p = x, *q = y;
    return p->b != q->b ? (p->b > q->b) - (p->b < q->b) : (p->a < q->a) - (p->a > q->a);
}

/*
 * E max of lines as in Frazier, Powell and Dayanik: sort, drop what is dominated, Σ aΔΦ − bΔφ. Sorts the
 * lines.
 */
static double textbook(int m, struct line *line)
{
    static int kept[MOST_POINTS];
    static double corner[MOST_POINTS + 1];
    int count = 0;
    qsort(line, (size_t)m, sizeof *line, by_slope);
    for (int i = 0; i < m; i++) {
        if (count && line[kept[count - 1]].b == line[i].b)
            continue;
        double z = -INFINITY;
        while (count) {
            const struct line *last = &line[kept[count - 1]];
            z = (last->a - line[i].a) / (line[i].b - last->b);
            if (count == 1 || z > corner[count - 1])
                break;
            count--;
        }
        corner[count] = count ? z : -INFINITY;
        kept[count++] = i;
    }
    corner[count] = INFINITY;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const struct line *l = &line[kept[i]];
        sum += l->a * (Phi(corner[i + 1]) - Phi(corner[i])) - l->b * (phi(corner[i + 1]) - phi(corner[i]));
    }
    return sum;
}

static void test_without_constraints_it_is_the_knowledge_gradient(void **state)
{
    static const int sizes[] = {1, 3, 10, 40, 150, 600};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            struct world w;
            double u[DIM], a[MOST_POINTS], b[MOST_POINTS];
            struct line line[MOST_POINTS];
            world_begin(&w, seed, 0, seed % 2 ? 0.02 : 0, sizes[s]);
            random_design(&w, u);
            lines_by_definition(&w, u, 0, a, b);
            for (int p = 0; p <= w.kg.m; p++)
                line[p] = (struct line){a[p], b[p]};
            assert_true(fabs(value_at(&w, u) - (textbook(w.kg.m + 1, line) - a[w.kg.r])) < 1e-9);
            world_end(&w);
        }
}

/*
 * Tangents of a parabola: every line is on the envelope, as over a fine discretisation of a smooth surface.
 */
static void test_an_envelope_of_many_lines(void **state)
{
    static const int sizes[] = {20, 60, 64, 65, 150, 600};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int m = sizes[s];
        double a[MOST_POINTS], b[MOST_POINTS];
        struct line line[MOST_POINTS];
        for (int i = 0; i < m; i++) {
            const double t = -4 + 8 * (i + 0.3) / m;
            line[i] = (struct line){a[i] = 10 - 0.5 * t * t, b[i] = t};
        }
        const double expected = textbook(m, line) - a[0],
                     value = ckg__lines()->expected_maximum(m, a, b, 0, NULL);
        if (!(fabs(value - expected) < 1e-9))
            fail_msg("%d lines: %.12g, textbook %.12g", m, value, expected);
    }
}

/* --- the inner problem --- */

static void inner_values(struct world *w, struct ckg__kg_sample *sample, int m, const double *U,
                         const int *which, double *value)
{
    double gradient[DIM * MOST_NODES];
    assert_int_equal(ckg__kg_inner_batch(sample, m, U, which, &w->arena, value, gradient), 0);
}

static void test_inner_gradient_is_the_differences(void **state)
{
    enum { BATCH = 5 };
    static const int which[BATCH] = {0, 1, 2, 3, 1};
    const double h = 1e-5;
    int compared = 0;
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            struct world w;
            double u[DIM], U[DIM * BATCH], z[OUTCOMES * OUTCOMES], value[BATCH], up[BATCH], down[BATCH],
                gradient[DIM * BATCH];
            struct ckg__kg_sample sample = {.z = z};
            world_begin(&w, seed, K, 1e-3 + 0.05 * (double)(seed % 3), 20);
            random_design(&w, u);
            for (int i = 0; i < OUTCOMES * OUTCOMES; i++)
                z[i] = ckg__rng_normal(&w.rng);
            for (int i = 0; i < DIM * BATCH; i++)
                U[i] = uniform(&w, 0.02, 0.98);
            assert_int_equal(ckg__kg_sample_take(&sample, &w.belief, u, &w.arena), 0);
            assert_int_equal(ckg__kg_inner_batch(&sample, BATCH, U, which, &w.arena, value, gradient), 0);
            for (int k = 0; k < DIM; k++)
                for (int p = 0; p < BATCH; p++) {
                    const int at = k * BATCH + p;
                    const double here = U[at];
                    U[at] = here + h;
                    inner_values(&w, &sample, BATCH, U, which, up);
                    U[at] = here - h;
                    inner_values(&w, &sample, BATCH, U, which, down);
                    U[at] = here;
                    const double expected = (up[p] - down[p]) / (2 * h);
                    if (!isfinite(expected)) /* the mean is below M: there is no gain */
                        continue;
                    assert_true(fabs(gradient[at] - expected) <= 1e-5 * (1 + fabs(expected)));
                    compared++;
                }
            world_end(&w);
        }
    assert_true(compared > 300);
}

/* The inner objective is the logarithm of the line's height. */
static void test_inner_value_is_the_line(void **state)
{
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            struct world w;
            double u[DIM], a[MOST_POINTS], b[MOST_POINTS], z[OUTCOMES], value[MOST_POINTS],
                gradient[DIM * MOST_POINTS];
            int which[MOST_POINTS] = {0};
            struct ckg__kg_sample sample = {.z = z};
            world_begin(&w, seed, K, 0.02, 20);
            random_design(&w, u);
            lines_by_definition(&w, u, 0, a, b);
            z[0] = ckg__rng_normal(&w.rng);
            memcpy(z + 1, w.z, (size_t)K * sizeof *z);
            assert_int_equal(ckg__kg_sample_take(&sample, &w.belief, u, &w.arena), 0);
            assert_int_equal(ckg__kg_inner_batch(&sample, w.kg.m, w.U, which, &w.arena, value, gradient), 0);
            for (int p = 0; p < w.kg.m; p++)
                assert_true(fabs(exp(value[p]) - fmax(a[p] + b[p] * z[0], 0)) < 1e-10);
            world_end(&w);
        }
}

/* --- the lemmas --- */

static void test_lemma_1_never_negative(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct world w;
        double u[DIM];
        world_begin(&w, 1000 + (uint64_t)i, i % OUTCOMES, i % 3 ? 0.03 * (i % 7) : 0, 5 + i % 40);
        random_design(&w, u);
        assert_true(value_at(&w, u) >= -1e-14);
        world_end(&w);
    }
}

/*
 * Without noise a design that was sampled has nothing left to teach: what is left is small beside other
 * designs, or rounding.
 */
static void test_lemma_2_nothing_at_the_data(void **state)
{
    (void)state;
    for (int K = 0; K < OUTCOMES; K++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct world w;
            double u[DIM], elsewhere = 0;
            world_begin(&w, seed, K, 0, 40);
            for (int i = 0; i < 20; i++) {
                random_design(&w, u);
                elsewhere = fmax(elsewhere, value_at(&w, u));
            }
            for (int i = 0; i < w.gp[0].n; i++) {
                for (int k = 0; k < DIM; k++)
                    u[k] = w.X[k * w.gp[0].n + i];
                if (!(value_at(&w, u) <= fmax(1e-4 * elsewhere, 1e-12)))
                    fail_msg("K %d seed %d: %g at a sampled design, %g elsewhere", K, (int)seed,
                             value_at(&w, u), elsewhere);
            }
            world_end(&w);
        }
}

int main(void)
{
    return RUN_TESTS(test_gradient_is_the_differences, test_value_is_the_integral,
                     test_value_is_what_monte_carlo_finds,
                     test_without_constraints_it_is_the_knowledge_gradient, test_an_envelope_of_many_lines,
                     test_inner_gradient_is_the_differences, test_inner_value_is_the_line,
                     test_lemma_1_never_negative, test_lemma_2_nothing_at_the_data);
}
