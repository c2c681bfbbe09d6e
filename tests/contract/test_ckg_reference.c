/*
 * cKG as the policy computes it against two independent references on random studies with K = 0 … 3 and with
 * noise in objective and constraints: dense    E_{Z_c} of the exact envelope over a dense set: a grid, rings
 * of points at geometric scales around x_r and x⁺, and a zoom into every point that wins, with a fine rule
 * for Z_c; nested   plain Monte Carlo over (Z_y, Z_c), each draw the maximum over the same dense set. The
 * references take from the library the fitted processes (means, variances, covariances), M and x_r, nothing
 * else.
 *
 * The test prints what it measures, by K. CKG_TEST_VERBOSE=1 in the environment prints every comparison. A
 * light run compares for K = 0 and 1 alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ckg/ckg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "design/sequence.h"
#include "linalg/normal.h"
#include "linalg/vector.h"
#include "model/gp_private.h"
#include "study/study.h"
#include "support/scale.h"
#include "support/test.h"

enum { MODELS = 20, CANDIDATES = 3, MOST_K = 3, WAVES = 12 };
enum {
    GRID = 40,
    RINGS = 24,
    SPOKES = 16,
    ZOOMS = 4,
    SCOUTS = 48,
    ROOM = 16000,
    MOST_NODES = 1024,
    DRAWS = 20000
};

/* --- random studies --- */

/* A smooth random function: waves of random direction and phase. */
struct waves {
    double direction[WAVES][2], phase[WAVES], height[WAVES];
};

static void waves_draw(struct waves *w, struct ckg__rng *rng)
{
    for (int i = 0; i < WAVES; i++) {
        w->direction[i][0] = 3.5 * ckg__rng_normal(rng);
        w->direction[i][1] = 3.5 * ckg__rng_normal(rng);
        w->phase[i] = 6.283185307 * ckg__rng_uniform(rng);
        w->height[i] = ckg__rng_normal(rng) * sqrt(2.0 / WAVES);
    }
}

static double waves_at(const struct waves *w, const double *x)
{
    double sum = 0;
    for (int i = 0; i < WAVES; i++)
        sum += w->height[i] * cos(w->direction[i][0] * x[0] + w->direction[i][1] * x[1] + w->phase[i]);
    return sum;
}

/* Who is noisy: nobody; the objective; every outcome, to be estimated; every outcome, known. */
enum noisy { EXACT, OBJECTIVE, ALL, ALL_KNOWN, NOISES };

static ckg_problem *describe(int K, enum noisy noisy, int model)
{
    static const char *const names[] = {"c1", "c2", "c3"};
    ckg_problem *problem;
    assert_int_equal(ckg_problem_new(&problem), 0);
    assert_int_equal(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR), 0);
    assert_int_equal(ckg_problem_add_real(problem, "y", 0, 1, CKG_LINEAR), 0);
    assert_int_equal(ckg_problem_set_objective(problem, "f", model % 2 ? CKG_MAXIMIZE : CKG_MINIMIZE), 0);
    const enum ckg_noise kind = noisy == EXACT       ? CKG_NOISE_NONE
                                : noisy == ALL_KNOWN ? CKG_NOISE_KNOWN
                                                     : CKG_NOISE_AUTO;
    assert_int_equal(ckg_problem_set_noise(problem, "f", kind, 0.1), 0);
    for (int k = 0; k < K; k++) {
        assert_int_equal(
            ckg_problem_add_constraint(problem, names[k], (model + k) % 3 ? -INFINITY : -1.0, 0.3), 0);
        assert_int_equal(
            ckg_problem_set_noise(problem, names[k], noisy == OBJECTIVE ? CKG_NOISE_NONE : kind, 0.1), 0);
    }
    return problem;
}

/* Study number `model`: K = model % 4, its data told. */
static ckg_study *draw_study(int model)
{
    struct ckg__rng rng;
    struct waves waves[1 + MOST_K];
    const int K = model % (MOST_K + 1);
    const enum noisy noisy = (enum noisy)(model / (MOST_K + 1) % NOISES);
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *study;
    ckg_problem *problem = describe(K, noisy, model);
    options.fit = "map";
    options.seed = 100 + (uint64_t)model;
    assert_int_equal(ckg_study_new(&study, problem, &options), 0);
    ckg_problem_free(problem);
    ckg__rng_seed(&rng, 5, (uint64_t)model, 0);
    const int n = 8 + ckg__rng_below(&rng, 8);
    for (int j = 0; j <= K; j++)
        waves_draw(&waves[j], &rng);
    for (int i = 0; i < n; i++) {
        const double x[2] = {ckg__rng_uniform(&rng), ckg__rng_uniform(&rng)};
        double values[1 + MOST_K];
        int trial;
        for (int j = 0; j <= K; j++)
            values[j] = waves_at(&waves[j], x) +
                        (noisy >= ALL || (noisy && !j) ? 0.1 : 0) * ckg__rng_normal(&rng);
        assert_int_equal(ckg_study_add(study, x, &trial), 0);
        assert_int_equal(ckg_study_tell(study, trial, values), 0);
    }
    return study;
}

/* --- the dense set --- */

/* Points with their distance to neighbours, and what one sample at x⁺ would do to each. */
struct dense {
    int m, K, r;
    double U[2][ROOM], spacing[ROOM];
    char zoomed[ROOM];
    double gain[ROOM], sigma[ROOM], mean[MOST_K][ROOM], shift[MOST_K][ROOM], inv_sd[MOST_K][ROOM];
    double lower[MOST_K], upper[MOST_K];
    double a[ROOM], b[ROOM], t[ROOM], t2[ROOM];
};

static struct dense dense;
static struct ckg__arena scratch;

static double clamp(double x)
{
    return fmin(fmax(x, 0), 1);
}

static void dense_add(double x, double y, double spacing)
{
    if (dense.m == ROOM)
        return;
    dense.U[0][dense.m] = x;
    dense.U[1][dense.m] = y;
    dense.spacing[dense.m] = spacing;
    dense.zoomed[dense.m++] = 0;
}

/* Rings around u, from `least` to a third of the square. */
static void dense_rings(const double *u, double least)
{
    const double ratio = pow(0.33 / least, 1.0 / (RINGS - 1));
    double radius = least;
    for (int i = 0; i < RINGS; i++, radius *= ratio)
        for (int s = 0; s < SPOKES; s++) {
            const double angle = 6.283185307 * (s + 0.5 * (i % 2)) / SPOKES;
            dense_add(clamp(u[0] + radius * cos(angle)), clamp(u[1] + radius * sin(angle)), 0.4 * radius);
        }
}

/* Everything about points `first` and on under one sample at u, from the definitions. */
static void dense_weigh(const struct ckg__belief *belief, const double *u, int first)
{
    const int count = dense.m - first;
    for (int j = 0; j < belief->outcomes; j++) {
        struct ckg__arena_mark mark = ckg__arena_mark(&scratch);
        const struct ckg__gp *gp = belief->gp[j];
        struct ckg__view points, at;
        assert_int_equal(ckg__view_make(&points, gp, count, &dense.U[0][first], ROOM, &scratch), 0);
        assert_int_equal(ckg__view_make(&at, gp, 1, u, 1, &scratch), 0);
        double *cov = ckg__arena_doubles(&scratch, (size_t)count);
        ckg__view_covariance(gp, &points, &at, 0, 1, cov, count);
        for (int p = 0; p < count; p++) {
            const double sigma = cov[p] / sqrt(at.var[0] + gp->future);
            if (j == 0) {
                dense.gain[first + p] = points.mean[p] - belief->penalty;
                dense.sigma[first + p] = sigma;
                continue;
            }
            dense.mean[j - 1][first + p] = points.mean[p];
            dense.shift[j - 1][first + p] = sigma;
            dense.inv_sd[j - 1][first + p] = 1 / sqrt(fmax(points.var[p] - sigma * sigma,
                                                           ckg__variance_floor(gp)));
        }
        ckg__arena_release(&scratch, mark);
    }
}

/* a ← gain·PF and b ← σ̃·PF of every point one step ahead under z_c (K). */
static void dense_lines(const double *z)
{
    memcpy(dense.a, dense.gain, (size_t)dense.m * sizeof *dense.a);
    memcpy(dense.b, dense.sigma, (size_t)dense.m * sizeof *dense.b);
    for (int k = 0; k < dense.K; k++) {
        for (int p = 0; p < dense.m; p++) {
            const double moved = dense.mean[k][p] + dense.shift[k][p] * z[k];
            dense.t[p] = (dense.upper[k] - moved) * dense.inv_sd[k][p];
            dense.t2[p] = (dense.lower[k] - moved) * dense.inv_sd[k][p];
        }
        ckg__vector()->normal_cdf(dense.m, dense.t, dense.t);
        if (isfinite(dense.lower[k]))
            ckg__vector()->normal_cdf(dense.m, dense.t2, dense.t2);
        for (int p = 0; p < dense.m; p++) {
            const double pf = dense.t[p] - (isfinite(dense.lower[k]) ? dense.t2[p] : 0);
            dense.a[p] *= pf;
            dense.b[p] *= pf;
        }
    }
}

/* --- the envelope by sorting --- */

struct line {
    double a, b;
    int point;
};

static int by_slope(const void *x, const void *y)
{
    const struct line *p = x, *q = y;
    return p->b != q->b ? (p->b > q->b) - (p->b < q->b) : (p->a < q->a) - (p->a > q->a);
}

/* The highest line at z; eight running maxima, which a compiler can keep in vectors. */
static int highest(double z)
{
    enum { LANES = 8 };
    double top[LANES];
    int p = 0;
    for (int v = 0; v < LANES; v++)
        top[v] = dense.a[v] + dense.b[v] * z;
    for (p = LANES; p + LANES <= dense.m; p += LANES)
        for (int v = 0; v < LANES; v++) {
            const double height = dense.a[p + v] + dense.b[p + v] * z;
            top[v] = height > top[v] ? height : top[v];
        }
    for (; p < dense.m; p++)
        top[0] = fmax(top[0], dense.a[p] + dense.b[p] * z);
    for (int v = 1; v < LANES; v++)
        top[0] = fmax(top[0], top[v]);
    for (p = 0; dense.a[p] + dense.b[p] * z < top[0];)
        p++;
    return p;
}

/*
 * The lines that may be highest in |z| <= 9: between two knots, none that stays below the crossing of the
 * winners at both.
 */
static int worth_sorting(struct line *lines)
{
    enum { KNOTS = 13 };
    double z[KNOTS], floor[KNOTS - 1];
    int winner[KNOTS], count = 0;
    for (int i = 0; i < KNOTS; i++) {
        z[i] = -9 + 18.0 * i / (KNOTS - 1);
        winner[i] = highest(z[i]);
    }
    for (int i = 0; i + 1 < KNOTS; i++) {
        const int l = winner[i], r = winner[i + 1];
        const double cross = dense.b[l] == dense.b[r] ? z[i]
                                                      : (dense.a[l] - dense.a[r]) / (dense.b[r] - dense.b[l]);
        const double left = dense.a[l] + dense.b[l] * z[i], right = dense.a[r] + dense.b[r] * z[i + 1];
        floor[i] = fmin(dense.a[l] + dense.b[l] * cross, fmin(left, right));
    }
    for (int p = 0; p < dense.m; p++) {
        int keep = 0;
        for (int i = 0; i + 1 < KNOTS && !keep; i++)
            keep = fmax(dense.a[p] + dense.b[p] * z[i], dense.a[p] + dense.b[p] * z[i + 1]) >= floor[i];
        if (keep)
            lines[count++] = (struct line){dense.a[p], dense.b[p], p};
    }
    return count;
}

/* Sorts the lines and leaves those of the envelope in front, with the corners before each; their number. */
static int envelope(int count, struct line *lines, double *corner)
{
    int kept = 0;
    qsort(lines, (size_t)count, sizeof *lines, by_slope);
    for (int i = 0; i < count; i++) {
        const struct line line = lines[i];
        double z = -INFINITY;
        if (kept && lines[kept - 1].b == line.b)
            continue;
        while (kept) {
            z = (lines[kept - 1].a - line.a) / (line.b - lines[kept - 1].b);
            if (kept == 1 || z > corner[kept - 1])
                break;
            kept--;
        }
        corner[kept] = kept ? z : -INFINITY;
        lines[kept++] = line;
    }
    return kept;
}

/* E max − a_r at node z, as the surplus over the best line at Z = 0 so that nothing cancels. */
static double surplus(const double *z)
{
    static struct line lines[ROOM];
    static double corner[ROOM];
    dense_lines(z);
    const int count = envelope(worth_sorting(lines), lines, corner);
    double top = lines[0].a, sum = 0;
    for (int i = 1; i < count; i++) {
        top = fmax(top, lines[i].a);
        sum += (lines[i].b - lines[i - 1].b) * ckg__normal_ei(-fabs(corner[i]));
    }
    return top - dense.a[dense.r] + sum;
}

/* --- the references --- */

struct rule {
    int count;
    double z[MOST_NODES * MOST_K];
};

static void rule_make(struct rule *rule, int K)
{
    rule->count = K == 0 ? 1 : K == 1 ? 200 : MOST_NODES;
    if (K > 1)
        ckg__design_sobol(987654321, 0, rule->count, K, rule->z);
    for (int i = 0; i < rule->count * K; i++)
        rule->z[i] = ckg__normal_quantile(K == 1 ? (i + 0.5) / rule->count : rule->z[i]);
}

/* Eight neighbours at a third of the spacing around the winners under some of the nodes and some Z_y. */
static void dense_zoom(const struct ckg__belief *belief, const double *u, const struct rule *rule)
{
    const int step = rule->count > SCOUTS ? rule->count / SCOUTS : 1, before = dense.m;
    for (int q = 0; q < rule->count; q += step) {
        dense_lines(rule->z + q * dense.K);
        for (double z_y = -3.2; z_y < 3.3; z_y += 0.8) {
            char *zoomed = &dense.zoomed[highest(z_y)];
            *zoomed = *zoomed ? *zoomed : 1;
        }
    }
    for (int p = 0; p < before; p++) {
        if (dense.zoomed[p] != 1)
            continue;
        dense.zoomed[p] = 2;
        const double h = dense.spacing[p] / 3;
        for (int i = 0; i < 9; i++)
            if (i != 4)
                dense_add(clamp(dense.U[0][p] + h * (i % 3 - 1)), clamp(dense.U[1][p] + h * (i / 3 - 1)), h);
    }
    dense_weigh(belief, u, before);
}

/* The dense set for a sample at u. */
static void dense_make(const struct ckg__lookahead *o, const double *u, const struct rule *rule)
{
    dense.m = 0;
    dense.K = o->belief->outcomes - 1;
    for (int k = 0; k < dense.K; k++) {
        dense.lower[k] = o->belief->lower[k + 1];
        dense.upper[k] = o->belief->upper[k + 1];
    }
    dense_add(u[0], u[1], 1e-6);
    dense.r = dense.m;
    dense_add(o->x_r[0], o->x_r[1], 1e-6);
    for (int i = 0; i < GRID * GRID; i++)
        dense_add((double)(i % GRID) / (GRID - 1), (double)(i / GRID) / (GRID - 1), 1.0 / (GRID - 1));
    dense_rings(o->x_r, fmin(1e-2 * o->width, 1e-3));
    dense_rings(u, 1e-5);
    dense_weigh(o->belief, u, 0);
    for (int i = 0; i < ZOOMS; i++)
        dense_zoom(o->belief, u, rule);
}

static double dense_value(const struct rule *rule)
{
    double sum = 0;
    for (int q = 0; q < rule->count; q++)
        sum += surplus(rule->z + q * dense.K) / rule->count;
    return sum;
}

/* Nested Monte Carlo over the dense set, what x_r would be worth subtracted draw by draw. */
static double nested_value(uint64_t seed, double *error)
{
    const int draws = test_scale(DRAWS, DRAWS / 10);
    struct ckg__rng rng;
    double sum = 0, squares = 0, z[MOST_K];
    ckg__rng_seed(&rng, seed, 0, 9);
    for (int i = 0; i < draws; i++) {
        const double z_y = ckg__rng_normal(&rng);
        for (int k = 0; k < dense.K; k++)
            z[k] = ckg__rng_normal(&rng);
        if (!i || dense.K)
            dense_lines(z);
        const int best = highest(z_y);
        const double won = (dense.a[best] + dense.b[best] * z_y) -
                           (dense.a[dense.r] + dense.b[dense.r] * z_y);
        sum += won / draws;
        squares += won * won / draws;
    }
    *error = sqrt((squares - sum * sum) / draws);
    return sum;
}

/* --- the comparison --- */

/* The policy's own suggestion, a point some widths from x_r, and a point at random. */
static void choose_candidates(struct ckg__search *search, int model, double U[2][CANDIDATES])
{
    const struct ckg__lookahead *o = &search->lookahead[0];
    struct ckg__rng rng;
    double u[2];
    struct ckg__choice choice = {.u = u};
    ckg__rng_seed(&rng, 11, (uint64_t)model, 0);
    assert_int_equal(ckg__policy_ckg.suggest(search, &choice), 0);
    assert_true(choice.found);
    const double angle = 6.283185307 * ckg__rng_uniform(&rng), reach = 3 * o->width;
    for (int k = 0; k < 2; k++) {
        U[k][0] = u[k];
        U[k][1] = clamp(o->x_r[k] + reach * (k ? sin(angle) : cos(angle)));
        U[k][2] = ckg__rng_uniform(&rng);
    }
}

static void begin(ckg_study *study, struct ckg__search *search)
{
    assert_int_equal(ckg__study_begin_search(study, &ckg__policy_ckg, search), 0);
    assert_int_equal(search->lookaheads, 1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct errors {
    int count;
    double error[MODELS * CANDIDATES];
};

static void report(const char *what, struct errors *e)
{
    if (!e->count)
        return;
    qsort(e->error, (size_t)e->count, sizeof *e->error, ascending);
    print_message("%s: %d comparisons, relative error median %.2f %%, 90 %% %.2f %%, maximum %.2f %%\n", what,
                  e->count, 100 * e->error[e->count / 2], 100 * e->error[(int)(0.9 * e->count)],
                  100 * e->error[e->count - 1]);
}

/* A light run keeps to the models whose references cost least. */
static int left_out(int model)
{
    return model % (MOST_K + 1) > test_scale(MOST_K, 1);
}

/* Default effort against the dense reference; what is worth less than a millionth of sd(y) is left out. */
static void test_default_size_is_near_the_dense_reference(void **state)
{
    static struct errors all, of[MOST_K + 1];
    static struct rule rule;
    int compared = 0;
    char title[16];
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        if (left_out(model))
            continue;
        struct ckg__search search;
        double U[2][CANDIDATES], value[CANDIDATES];
        ckg_study *study = draw_study(model);
        begin(study, &search);
        choose_candidates(&search, model, U);
        assert_int_equal(ckg__policy_ckg.score(&search, CANDIDATES, U[0], value), 0);
        rule_make(&rule, model % (MOST_K + 1));
        for (int c = 0; c < CANDIDATES; c++, compared++) {
            const double u[2] = {U[0][c], U[1][c]};
            dense_make(&search.lookahead[0], u, &rule);
            const double expected = dense_value(&rule), error = fabs(value[c] - expected) / expected;
            if (getenv("CKG_TEST_VERBOSE"))
                print_message("model %d K %d noise %d candidate %d: %.6g dense %.6g, %+.2f %% (%d points)\n",
                              model, dense.K, model / (MOST_K + 1) % NOISES, c, value[c], expected,
                              100 * (value[c] / expected - 1), dense.m);
            if (expected > 1e-6) {
                of[dense.K].error[of[dense.K].count++] = error;
                all.error[all.count++] = error;
            }
        }
        ckg__study_end_search(study, CKG_OK);
        ckg_study_free(study);
    }
    for (int K = 0; K <= MOST_K; K++) {
        snprintf(title, sizeof title, "K = %d", K);
        report(title, &of[K]);
    }
    report("all", &all);
    assert_true(3 * all.count >= 2 * compared);
    assert_true(all.error[all.count / 2] <= 0.05);
}

static void raise_size(struct ckg__search_size *size)
{
    size->base = 1024;
    size->local = 200;
    size->nodes_one = 101;
    size->nodes = 1024;
    size->surprises = 15;
    size->pairs_one = 202;
    size->pairs = 2048;
    size->inner_evaluations = 40;
}

/* With more effort the value is what nested Monte Carlo finds, within four of its standard errors. */
static void test_fine_size_is_nested_monte_carlo(void **state)
{
    static struct rule rule;
    (void)state;
    for (int i = 0; i < 2 * (MOST_K + 1); i++) {
        const int model = i <= MOST_K ? i : i + MOST_K + 1; /* without noise, and with noise everywhere */
        if (left_out(model))
            continue;
        struct ckg__search search;
        double U[2][CANDIDATES], value[CANDIDATES], error;
        ckg_study *study = draw_study(model);
        raise_size(&study->size);
        begin(study, &search);
        choose_candidates(&search, model, U);
        assert_int_equal(ckg__policy_ckg.score(&search, CANDIDATES, U[0], value), 0);
        rule_make(&rule, model % (MOST_K + 1));
        const double u[2] = {U[0][0], U[1][0]};
        dense_make(&search.lookahead[0], u, &rule);
        const double exact = dense_value(&rule), nested = nested_value((uint64_t)model, &error);
        if (getenv("CKG_TEST_VERBOSE"))
            print_message("model %d K %d: fine %.6g dense %.6g nested %.6g ± %.2g\n", model, dense.K,
                          value[0], exact, nested, error);
        if (!(fabs(value[0] - nested) <= 4 * error) || !(fabs(exact - nested) <= 4 * error))
            fail_msg("model %d: fine %g, dense %g, nested %g ± %g", model, value[0], exact, nested, error);
        ckg__study_end_search(study, CKG_OK);
        ckg_study_free(study);
    }
}

/* The public call gives the same number in the objective's units. */
static void test_score_in_units(void **state)
{
    (void)state;
    for (int model = 0; model <= MOST_K; model++) {
        struct ckg__search search;
        double value, score;
        const double u[2] = {0.3, 0.6};
        ckg_study *study = draw_study(model);
        begin(study, &search);
        assert_int_equal(ckg__policy_ckg.score(&search, 1, u, &value), 0);
        ckg__study_end_search(study, CKG_OK);
        assert_int_equal(ckg_study_score(study, "ckg", 1, u, &score), 0);
        assert_true(fabs(score - value * study->models.surrogate[0].scaling.scale) <= 1e-12 * score);
        ckg_study_free(study);
    }
}

static int begin_scratch(void **state)
{
    (void)state;
    ckg__arena_init(&scratch);
    return 0;
}

static int end_scratch(void **state)
{
    (void)state;
    ckg__arena_free(&scratch);
    return 0;
}

int main(void)
{
    return RUN_TESTS_BETWEEN(begin_scratch, end_scratch, test_default_size_is_near_the_dense_reference,
                             test_fine_size_is_nested_monte_carlo, test_score_in_units);
}
