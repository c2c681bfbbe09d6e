/*
 * The knowledge gradients as policies. On a finite list nothing is left to search, so that their values can
 * be had exactly: posteriors by plain dense algebra in long double from the fitted hyperparameters, E max by
 * Gauss-Legendre quadrature between the corners of the envelope. On a continuous problem kg is ckg without
 * constraints, and pkg is kg times the probability of feasibility.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/gp_private.h"
#include "policy/kg_search.h"
#include "support/naive_normal.h"
#include "support/near.h"
#include "support/policies.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { LIST = 60, ROWS = 16, D = 2 };

/* --- Gauss-Legendre --- */

enum { GAUSS = 16 };

static long double gauss_x[GAUSS], gauss_w[GAUSS];

/* Nodes and weights on [−1, 1]: the roots of the Legendre polynomial by Newton steps. */
static void make_gauss(void)
{
    for (int i = 0; i < GAUSS; i++) {
        long double x = cosl(3.14159265358979323846L * (i + 0.75L) / (GAUSS + 0.5L)), slope = 1;
        for (int step = 0; step < 50; step++) {
            long double p = 1, before = 0;
            for (int k = 1; k <= GAUSS; k++) {
                const long double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = GAUSS * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        gauss_x[i] = x;
        gauss_w[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* ∫ (a + b·z)φ(z) dz from `from` to `to`, in pieces of at most 1. */
static long double integrate_line(long double a, long double b, long double from, long double to)
{
    const int pieces = 1 + (int)(to - from);
    const long double half = (to - from) / pieces / 2;
    long double sum = 0;
    for (int i = 0; i < pieces; i++)
        for (int q = 0; q < GAUSS; q++) {
            const long double z = from + (2 * i + 1) * half + half * gauss_x[q];
            sum += half * gauss_w[q] * (a + b * z) * expl(naive_log_pdf(z));
        }
    return sum;
}

/* --- E max by quadrature --- */

struct line {
    long double a, b;
};

static int by_slope(const void *x, const void *y)
{
    const struct line *p = x, *q = y;
    return p->b != q->b ? (p->b > q->b) - (p->b < q->b) : (p->a > q->a) - (p->a < q->a);
}

/* The lines that are highest somewhere, in order of their slopes, and from where on: corner[i]. */
static int upper_envelope(int m, struct line *lines, long double *corner)
{
    int kept = 0;
    qsort(lines, (size_t)m, sizeof *lines, by_slope);
    for (int i = 0; i < m; i++) {
        long double z = -INFINITY;
        if (kept && lines[kept - 1].b == lines[i].b)
            kept--; /* the later one is higher */
        while (kept) {
            z = (lines[kept - 1].a - lines[i].a) / (lines[i].b - lines[kept - 1].b);
            if (z > corner[kept - 1])
                break;
            kept--;
        }
        corner[kept] = kept ? z : -INFINITY;
        lines[kept++] = lines[i];
    }
    return kept;
}

/* E [max_i (a_i + b_i Z) − (a_r + b_r Z)]: the integrand is never negative, and nothing cancels. */
static long double expected_gain(int m, const struct line *of, int r)
{
    const long double far = 14;
    struct line lines[LIST];
    long double corner[LIST + 1], sum = 0;
    memcpy(lines, of, (size_t)m * sizeof *lines);
    const int kept = upper_envelope(m, lines, corner);
    corner[kept] = INFINITY;
    for (int i = 0; i < kept; i++) {
        const long double from = fmaxl(corner[i], -far), to = fminl(corner[i + 1], far);
        if (from < to)
            sum += integrate_line(lines[i].a - of[r].a, lines[i].b - of[r].b, from, to);
    }
    return sum;
}

/* --- posteriors by dense algebra --- */

/*
 * One outcome over the list: posterior means and covariances, what a further evaluation carries, the smallest
 * variance that counts.
 */
struct naive {
    int m;
    long double mean[LIST], cov[LIST][LIST], future, floor;
};

static long double kernel(const struct ckg__gp *gp, const double *u, const double *v)
{
    long double square = 0;
    for (int k = 0; k < D; k++)
        square += powl(((long double)u[k] - v[k]) * gp->inv_ell[k], 2);
    const long double five = sqrtl(5 * square), three = sqrtl(3 * square);
    if (gp->k.kernel == CKG__MATERN52)
        return gp->k.s2 * (1 + five + five * five / 3) * expl(-five);
    if (gp->k.kernel == CKG__MATERN32)
        return gp->k.s2 * (1 + three) * expl(-three);
    return gp->k.s2 * expl(-square / 2);
}

static void factor(int n, long double A[ROWS][ROWS])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            for (int l = 0; l < k; l++)
                A[i][k] -= A[i][l] * A[k][l];
            A[i][k] = i == k ? sqrtl(A[i][i]) : A[i][k] / A[k][k];
        }
}

static void solve(int n, long double L[ROWS][ROWS], long double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[i][k] * b[k];
        b[i] /= L[i][i];
    }
}

static long double dot(int n, const long double *a, const long double *b)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* From outcome j's data and hyperparameters alone: the mean has a normal prior of precision 1 around 0. */
static void make_naive(const ckg_study *s, int j, struct naive *out)
{
    const struct ckg__surrogate *model = &s->models.surrogate[j];
    const struct ckg__series *series = &model->series;
    const struct ckg__gp *gp = model->gp[0];
    const int n = series->n, m = s->problem->designs;
    long double L[ROWS][ROWS], V[LIST][ROWS], ones[ROWS], y[ROWS];
    assert_true(n <= ROWS && m <= LIST);
    for (int i = 0; i < n; i++) {
        const double *u = s->data.u + (size_t)series->design[i] * D;
        for (int k = 0; k <= i; k++)
            L[i][k] = kernel(gp, u, s->data.u + (size_t)series->design[k] * D);
        L[i][i] += (long double)gp->k.s2 * gp->nugget +
                   (series->known[i] < 0 ? gp->noise / series->count[i] : series->known[i]);
        ones[i] = 1;
        y[i] = series->y[i];
        for (int p = 0; p < m; p++)
            V[p][i] = kernel(gp, u, s->problem->U + (size_t)p * D);
    }
    factor(n, L);
    solve(n, L, ones);
    solve(n, L, y);
    const long double centre = dot(n, ones, y) / (dot(n, ones, ones) + 1);
    for (int i = 0; i < n; i++)
        y[i] -= centre * ones[i];
    for (int p = 0; p < m; p++)
        solve(n, L, V[p]);
    for (int p = 0; p < m; p++) {
        out->mean[p] = centre + dot(n, V[p], y);
        for (int q = 0; q < m; q++)
            out->cov[p][q] = kernel(gp, s->problem->U + (size_t)p * D, s->problem->U + (size_t)q * D) -
                             dot(n, V[p], V[q]);
    }
    out->m = m;
    out->future = (long double)gp->k.s2 * gp->nugget +
                  (series->estimated ? gp->noise : series->typical_known);
    out->floor = 1e-4L * gp->nugget * gp->k.s2;
}

/* --- studies on lists --- */

/* Number `seed`: 25 to 60 designs, some of them evaluated; one constraint; noise known, or none. */
static ckg_study *list_study(uint64_t seed, int noisy, int refined)
{
    static const char *const kernels[] = {"rbf", "matern52", "matern32"};
    struct ckg__rng rng;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;
    double X[D * LIST];
    ckg__rng_seed(&rng, 31, seed, (uint64_t)noisy);
    const int count = 25 + ckg__rng_below(&rng, LIST - 24), told = 6 + ckg__rng_below(&rng, 6);
    for (int i = 0; i < D * count; i++)
        X[i] = ckg__rng_uniform(&rng);
    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "y", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_designs(p, count, X));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, 0.3));
    must(ckg_problem_set_noise(p, "objective", noisy ? CKG_NOISE_KNOWN : CKG_NOISE_NONE, 0.2));
    must(ckg_problem_set_noise(p, "c", noisy ? CKG_NOISE_KNOWN : CKG_NOISE_NONE, 0.1));
    options.kernel = kernels[seed % 3];
    options.fit = "map";
    options.warp = 0;
    options.initial = 0;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    s->size.nodes_one = refined ? refined : s->size.nodes_one;
    for (int t = 0; t < told; t++) {
        const double *x = X + (size_t)D * (size_t)t;
        const double values[] = {
            sin(7 * x[0]) + cos(6 * x[1] + (double)seed) + 0.2 * noisy * ckg__rng_normal(&rng),
            sin(4 * x[0] + 5 * x[1] + (double)seed) + 0.1 * noisy * ckg__rng_normal(&rng)};
        tell_at(s, x, values);
    }
    return s;
}

/* The policy's values at all designs of the list, in model units. */
static void scores(ckg_study *s, const char *policy, double *value)
{
    must(ckg_study_score(s, policy, s->problem->designs, s->problem->X, value));
    for (int p = 0; p < s->problem->designs; p++)
        value[p] /= s->models.surrogate[0].scaling.scale;
}

static int settled(const ckg_study *s, int p)
{
    const int design = ckg__data_find(&s->data, s->problem->X + (size_t)p * D);
    return design >= 0 && ckg__data_settled(&s->data, design);
}

/*
 * The relative error of a value; what corners of the envelope beyond |z| = 12 weigh is left out by design
 * (acquisition/lines.h), and is below 1e-33.
 */
static double value_error(double got, double want)
{
    return fabs(got - want) <= 1e-33 ? 0 : relative_error(got, want);
}

/* --- kg on a list --- */

static long double naive_kg(const struct naive *y, int at)
{
    struct line lines[LIST];
    int r = 0;
    for (int p = 0; p < y->m; p++) {
        lines[p] = (struct line){y->mean[p], y->cov[p][at] / sqrtl(y->cov[at][at] + y->future)};
        r = y->mean[p] > y->mean[r] ? p : r;
    }
    return expected_gain(y->m, lines, r);
}

static void test_kg_on_a_list_is_the_closed_form(void **state)
{
    static struct naive y;
    double worst = 0, least = INFINITY, most = 0, value[LIST];
    int count = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++)
        for (int noisy = 0; noisy < 2; noisy++) {
            ckg_study *s = list_study(seed, noisy, 0);
            scores(s, "kg", value);
            make_naive(s, 0, &y);
            for (int p = 0; p < y.m; p++) {
                const double want = (double)naive_kg(&y, p);
                if (settled(s, p))
                    continue;
                worst = fmax(worst, value_error(value[p], want));
                least = fmin(least, want);
                most = fmax(most, want);
                count++;
            }
            ckg_study_free(s);
        }
    print_message("%d values of kg from %.2g to %.2g of sd(y): relative error at most %.2g\n", count, least,
                  most, worst);
    assert_true(worst <= 1e-10);
}

/* --- ckg on a list --- */

/* Of both outcomes in turn: M is the smallest mean, x_r the design of largest (μ − M)·PF. */
struct scene {
    struct naive y, c;
    long double limit, M;
    int r;
    int hidden[2]; /* 1: the evaluation does not measure this outcome */
};

static void make_scene(const ckg_study *s, struct scene *scene)
{
    long double best = -INFINITY;
    make_naive(s, 0, &scene->y);
    make_naive(s, 1, &scene->c);
    scene->limit = s->models.belief[0].upper[1];
    scene->M = INFINITY;
    for (int p = 0; p < scene->y.m; p++)
        scene->M = fminl(scene->M, scene->y.mean[p]);
    for (int p = 0; p < scene->y.m; p++) {
        const long double sd = sqrtl(fmaxl(scene->c.cov[p][p], scene->c.floor));
        const long double utility = (scene->y.mean[p] - scene->M) *
                                    naive_cdf((scene->limit - scene->c.mean[p]) / sd);
        scene->r = utility > best ? p : scene->r;
        best = fmaxl(best, utility);
    }
}

/* E [max − what x_r is worth] over Z_y, given the constraint's surprise z. */
static long double naive_ckg_at(const struct scene *s, int at, long double z)
{
    const struct naive *y = &s->y, *c = &s->c;
    struct line lines[LIST];
    for (int p = 0; p < y->m; p++) {
        const long double sigma = s->hidden[0] ? 0 : y->cov[p][at] / sqrtl(y->cov[at][at] + y->future);
        const long double move = s->hidden[1] ? 0 : c->cov[p][at] / sqrtl(c->cov[at][at] + c->future),
                          left = fmaxl(c->cov[p][p] - move * move, c->floor);
        const long double pf = naive_cdf((s->limit - c->mean[p] - move * z) / sqrtl(left));
        lines[p] = (struct line){(y->mean[p] - s->M) * pf, sigma * pf};
    }
    return expected_gain(y->m, lines, s->r);
}

/* Φ⁻¹ by halving. */
static long double quantile(long double p)
{
    long double low = -9, high = 9;
    for (int i = 0; i < 100; i++) {
        const long double middle = (low + high) / 2;
        *(naive_cdf(middle) < p ? &low : &high) = middle;
    }
    return low;
}

/* By the policy's own rule for Z_c: the midpoints of 25 equal strata. */
static void test_ckg_on_a_list_is_exact_at_its_nodes(void **state)
{
    enum { NODES = 25 };
    static struct scene scene;
    double worst = 0, value[LIST];
    long double z[NODES];
    int count = 0;
    (void)state;
    for (int q = 0; q < NODES; q++)
        z[q] = quantile((q + 0.5L) / NODES);
    for (uint64_t seed = 0; seed < (uint64_t)test_scale(6, 2); seed++)
        for (int noisy = 0; noisy < 2; noisy++) {
            ckg_study *s = list_study(seed, noisy, 0);
            scores(s, "ckg", value);
            make_scene(s, &scene);
            for (int p = (int)seed; p < scene.y.m; p += 2) {
                long double want = 0;
                if (settled(s, p))
                    continue;
                for (int q = 0; q < NODES; q++)
                    want += naive_ckg_at(&scene, p, z[q]) / NODES;
                worst = fmax(worst, value_error(value[p], (double)want));
                count++;
            }
            ckg_study_free(s);
        }
    print_message("%d values of ckg at its nodes: relative error at most %.2g\n", count, worst);
    assert_true(worst <= 1e-10);
}

/*
 * What an evaluation of one outcome alone is worth, by the definition: the other is neither moved nor known
 * better. Together they are worth more than the sum of both in some cases, and less in others.
 */
static void test_one_outcome_alone_on_a_list(void **state)
{
    enum { NODES = 25 };
    static struct scene scene;
    double worst = 0;
    int more = 0;
    int less = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        double alone[LIST * 2];
        double together[LIST];
        ckg_study *s = list_study(seed, seed % 2, 0);
        scores(s, "ckg", together);
        must(ckg_study_score_outcomes(s, "ckg", s->problem->designs, s->problem->X, alone));
        make_scene(s, &scene);
        const double unit = s->models.surrogate[0].scaling.scale;
        for (int p = 0; p < scene.y.m; p += 3) {
            if (settled(s, p))
                continue;
            for (int j = 0; j < 2; j++) {
                long double want = 0;
                scene.hidden[0] = j == 1;
                scene.hidden[1] = j == 0;
                for (int q = 0; q < NODES; q++)
                    want += naive_ckg_at(&scene, p, quantile((q + 0.5L) / NODES)) / NODES;
                worst = fmax(worst, value_error(alone[2 * p + j] / unit, (double)want));
            }
            const double sum = (alone[2 * p] + alone[2 * p + 1]) / unit;
            more += together[p] > 1.01 * sum && together[p] > 1e-6;
            less += together[p] < 0.99 * sum && together[p] > 1e-6;
        }
        ckg_study_free(s);
    }
    print_message("relative error at most %.2g; together more than the sum %d times, less %d times\n", worst,
                  more, less);
    assert_true(worst <= 1e-10);
    assert_true(more > 0 && less > 0);
}

static long double integrate_nodes(const struct scene *s, int at, long double from, long double to)
{
    enum { PIECES = 12 };
    const long double half = (to - from) / PIECES / 2;
    long double sum = 0;
    for (int i = 0; i < PIECES; i++)
        for (int q = 0; q < GAUSS; q++) {
            const long double z = from + (2 * i + 1) * half + half * gauss_x[q];
            sum += half * gauss_w[q] * expl(naive_log_pdf(z)) * naive_ckg_at(s, at, z);
        }
    return sum;
}

/*
 * The mean over Z_c by quadrature. Without noise the sampled design itself is feasible to one side of the z
 * that puts it on its limit alone.
 */
static long double naive_ckg(const struct scene *s, int at)
{
    const long double far = 6.5L, step = (s->limit - s->c.mean[at]) * sqrtl(s->c.cov[at][at] + s->c.future) /
                                         s->c.cov[at][at];
    const long double middle = fminl(fmaxl(step, -far), far);
    return integrate_nodes(s, at, -far, middle) + integrate_nodes(s, at, middle, far);
}

/* Against brute force over Z_c, at the usual number of nodes and at many. */
static void test_ckg_on_a_list_is_the_integral(void **state)
{
    static const int nodes[] = {0, 2001};
    static const double bound[] = {0.02, 0.001};
    static struct scene scene;
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        double worst = 0, sum = 0, value[LIST];
        int count = 0;
        for (uint64_t seed = 0; seed < 4; seed++) {
            ckg_study *s = list_study(seed, seed % 2, nodes[fine]);
            double largest = 0;
            scores(s, "ckg", value);
            make_scene(s, &scene);
            for (int p = 0; p < scene.y.m; p++)
                largest = fmax(largest, value[p]);
            for (int p = 0; p < scene.y.m; p += test_scale(5, 25)) {
                const double error = fabs(value[p] - (double)naive_ckg(&scene, p)) / largest;
                worst = fmax(worst, error);
                sum += error;
                count++;
            }
            ckg_study_free(s);
        }
        print_message(
            "%d values of ckg, %s nodes: error on average %.2g, at most %.2g of the largest value\n", count,
            fine ? "many" : "the usual", sum / count, worst);
        assert_true(worst <= bound[fine]);
    }
}

/* --- one outcome alone, against its definition --- */

enum { MODELS = 20, MANY = 2001 };

/*
 * One value of outcome j at the point, drawn from what is believed of it: what would be recommended then is
 * better than x_r by so much.
 */
static long double gain_of_draw(const struct scene *s, int at, int j, long double z)
{
    const struct naive *of = j ? &s->c : &s->y;
    const long double seen = of->cov[at][at] + of->future, surprise = z * sqrtl(seen);
    long double best = -INFINITY, here = 0;

    for (int p = 0; p < s->y.m; p++) {
        const long double weight = of->cov[p][at] / seen;
        const long double y = s->y.mean[p] + (j ? 0 : weight * surprise);
        const long double c = s->c.mean[p] + (j ? weight * surprise : 0);
        const long double var = s->c.cov[p][p] - (j ? weight * of->cov[p][at] : 0);
        const long double utility = (y - s->M) * naive_cdf((s->limit - c) / sqrtl(fmaxl(var, s->c.floor)));
        best = fmaxl(best, utility);
        here = p == s->r ? utility : here;
    }
    return best - here;
}

/* The mean of random draws, the tails as often as the middle, and its standard error. */
static double mean_gain(const struct scene *s, int at, int j, struct ckg__rng *rng, double *error)
{
    enum { COUNT = 500 };
    double sum = 0, square = 0;

    for (int i = 0; i < COUNT; i++) {
        const long double z = -8 + 16 * ckg__rng_uniform(rng);
        const double gain = (double)(16 * expl(naive_log_pdf(z)) * gain_of_draw(s, at, j, z));
        sum += gain / COUNT;
        square += gain * gain / COUNT;
    }
    *error = sqrt(fmax(square - sum * sum, 0) / COUNT);
    return sum;
}

/*
 * The value of a single outcome on random models: by dense integration, and by nested draws. Without noise
 * the sampled design becomes feasible at once, and half a stratum of Z_c is left open there, times a jump of
 * up to a few sd(y).
 */
static void test_one_outcome_alone_is_the_integral(void **state)
{
    static struct scene scene;
    struct ckg__rng rng;
    double alone[LIST * 2], largest = 0, off = 0, errors = 0, error;
    int count = 0;
    (void)state;

    ckg__rng_seed(&rng, 43, 0, 0);
    for (uint64_t seed = 100; seed < 100 + MODELS; seed++) {
        ckg_study *s = list_study(seed, seed % 2, MANY);
        must(ckg_study_score_outcomes(s, "ckg", s->problem->designs, s->problem->X, alone));
        make_scene(s, &scene);
        for (int i = 0; i < 2 * scene.y.m; i++)
            largest = fmax(largest, alone[i] /= s->models.surrogate[0].scaling.scale);
        for (int i = (int)(seed % 7); i < 2 * scene.y.m; i += test_scale(17, 51)) {
            scene.hidden[0] = i % 2;
            scene.hidden[1] = !(i % 2);
            const double dense = (double)naive_ckg(&scene, i / 2);
            const double drawn = mean_gain(&scene, i / 2, i % 2, &rng, &error);
            off = fmax(off, fabs(alone[i] - dense));
            errors = fmax(errors, fabs(alone[i] - drawn) / (error + 1e-6));
            count++;
        }
        ckg_study_free(s);
    }
    print_message(
        "%d values of %d models up to %.2g of sd(y): off by at most %.2g, and by %.2g standard errors "
        "of draws\n",
        count, (int)MODELS, largest, off, errors);
    assert_true(count >= test_scale(80, 20) && off <= 2.0 / MANY && errors <= 5);
}

/* --- kg and pkg on the toy --- */

enum { PROBES = 40 };

static void draw_probes(uint64_t seed, double *X)
{
    struct ckg__rng rng;
    ckg__rng_seed(&rng, 41, seed, 0);
    random_points(&rng, 2, PROBES, X);
    for (int i = 0; i < 2 * PROBES; i++)
        X[i] *= 5;
}

static void assert_same_scores(ckg_study *s, uint64_t seed)
{
    double X[2 * PROBES], one[PROBES], other[PROBES];
    draw_probes(seed, X);
    must(ckg_study_score(s, "kg", PROBES, X, one));
    must(ckg_study_score(s, "ckg", PROBES, X, other));
    for (int p = 0; p < PROBES; p++)
        assert_near(one[p], other[p], 1e-13 * fabs(other[p]));
}

/*
 * Without constraints kg is ckg: scores and suggestions, step by step, until ckg explores
 * instead.
 */
static void test_kg_is_ckg_without_constraints(void **state)
{
    int same = 0;
    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct toy toy = {.K = 0, .noise = i % 2 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, .lattice = i / 2};
        ckg_study *kg = toy_study(&toy, "kg", 0, NULL), *ckg = toy_study(&toy, "ckg", 0, NULL);
        for (int t = 0, explored = 0; !explored && t < (toy.lattice ? TOY_LATTICE - 1 : 20); t++) {
            if (t >= TOY_INITIAL && !toy.lattice)
                assert_same_scores(kg, (uint64_t)t);
            ckg_suggestion *a = toy_step(kg, &toy), *b = toy_step(ckg, &toy);
            explored = !strcmp(b->path, "explore");
            if (!explored &&
                (memcmp(a->x, b->x, 2 * sizeof *a->x) || (t >= TOY_INITIAL && a->value != b->value)))
                fail_msg("trial %d: kg suggests (%.17g, %.17g), ckg (%.17g, %.17g)", t, a->x[0], a->x[1],
                         b->x[0], b->x[1]);
            same += t >= TOY_INITIAL && !explored;
            ckg_suggestion_free(a);
            ckg_suggestion_free(b);
        }
        ckg_study_free(kg);
        ckg_study_free(ckg);
    }
    print_message("kg and ckg agree in %d suggestions\n", same);
    assert_true(same >= 30);
}

/* kg looks past the constraints: the limits may be anywhere. */
static void test_kg_does_not_know_the_constraints(void **state)
{
    const struct toy with = {.K = 2}, without = {.K = 0};
    double X[2 * PROBES], one[PROBES], other[PROBES];
    ckg_study *a = toy_study_told(&with, "kg", 9), *b = toy_study_told(&without, "kg", 9);
    (void)state;
    draw_probes(1, X);
    must(ckg_study_score(a, NULL, PROBES, X, one));
    must(ckg_study_score(b, NULL, PROBES, X, other));
    for (int p = 0; p < PROBES; p++)
        assert_near(one[p], other[p], 1e-13 * fabs(other[p]));
    ckg_study_free(a);
    ckg_study_free(b);
}

/* pkg = KG × PF by its definition, with one set of hyperparameters. */
static void test_pkg_is_kg_times_pf(void **state)
{
    double least = 1, most = 0;
    (void)state;
    for (int i = 0; i < 8; i++) {
        const struct toy toy = {
            .K = i % 4 < 2 ? 1 : 2, .noise = i % 2 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, .fit = "map"};
        ckg_study *s = toy_study_told(&toy, "pkg", i < 4 ? 5 : 11);
        double X[2 * PROBES], pkg[PROBES], kg[PROBES], pf[PROBES];
        if (i == 7) { /* with a model of where evaluations fail */
            const double x[] = {4, 1};
            int trial;
            must(ckg_study_add(s, x, &trial));
            must(ckg_study_tell_failed(s, trial));
        }
        draw_probes((uint64_t)i, X);
        must(ckg_study_score(s, "pkg", PROBES, X, pkg));
        must(ckg_study_score(s, "kg", PROBES, X, kg));
        must(ckg_study_predict(s, PROBES, X, NULL, NULL, pf, NULL));
        for (int p = 0; p < PROBES; p++) {
            assert_near(pkg[p], kg[p] * pf[p], 1e-12 * kg[p] * pf[p]);
            least = fmin(least, pf[p]);
            most = fmax(most, pf[p]);
        }
        ckg_study_free(s);
    }
    print_message("PF from %.2g to %.2g\n", least, most);
    assert_true(least < 1e-3 && most > 0.9);
}

/* Under several hyperparameters it is the mean of the products. */
static void test_pkg_averages_products(void **state)
{
    const struct toy toy = {.K = 2, .noise = CKG_NOISE_AUTO, .fit = "sample"};
    ckg_study *s = toy_study_told(&toy, "pkg", 9);
    const struct ckg__policy *const rows[] = {ckg__policy_find("kg"), ckg__policy_find("pkg")};
    double X[2 * PROBES], U[2 * PROBES], kg[3][PROBES], log_pf[3][PROBES], pkg[PROBES];
    (void)state;
    draw_probes(3, X);
    for (int p = 0; p < PROBES; p++)
        for (int k = 0; k < 2; k++)
            U[k * PROBES + p] = X[2 * p + k] / 5;
    for (int row = 0; row < 2; row++) {
        struct ckg__search search;
        double gradient[2 * PROBES];
        must(ckg__study_begin_search(s, rows[row], &search));
        assert_int_equal(search.lookaheads, 3);
        for (int o = 0; !row && o < 3; o++) {
            struct ckg__search one = search;
            one.lookaheads = 1;
            one.lookahead = &search.lookahead[o];
            must(ckg__policy_score(rows[0], &one, PROBES, U, kg[o]));
            memset(log_pf[o], 0, sizeof log_pf[o]);
            must(ckg__belief_log_feasible_batch(search.lookahead[o].full, PROBES, U, PROBES, search.results,
                                                log_pf[o], gradient));
        }
        if (row)
            must(ckg__policy_score(rows[1], &search, PROBES, U, pkg));
        ckg__study_end_search(s, CKG_OK);
    }
    for (int p = 0; p < PROBES; p++) {
        double want = 0;
        for (int o = 0; o < 3; o++)
            want += kg[o][p] * exp(log_pf[o][p]) / 3;
        /* log PF is rounded in relative terms, or by what mean and sd lose */
        assert_near(pkg[p], want, 1e-12 * (1 - log(want)) * want);
    }
    ckg_study_free(s);
}

/* --- the gradient with X_d held fixed --- */

struct along {
    const struct ckg__kg *kg;
    const struct ckg__belief *full;
    struct ckg__arena *arena;
    double u[2];
    int k;
};

static double value_along(void *context, double step)
{
    const struct along *a = context;
    double moved[2] = {a->u[0], a->u[1]}, value, gradient[2];
    moved[a->k] += step;
    must(ckg__knowledge_gradient(a->kg, a->full, moved, NULL, a->arena, &value, gradient));
    return value;
}

/*
 * Of kg and, times PF, of pkg: the value is by definition, the gradient by differences. Where a line enters
 * the envelope the second derivative jumps, and so the spacing is small.
 */
static void test_gradient_with_and_without_the_weight(void **state)
{
    double worst = 0;
    (void)state;
    for (int i = 0; i < 6; i++) {
        const struct toy toy = {.K = i % 3, .noise = i / 3 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, .fit = "map"};
        ckg_study *s = toy_study_told(&toy, "pkg", 9);
        struct ckg__search search;
        double X[2 * PROBES];
        draw_probes((uint64_t)i, X);
        must(ckg__study_begin_search(s, ckg__policy_find("pkg"), &search));
        const struct ckg__lookahead *o = &search.lookahead[0];
        struct ckg__knowledge knowledge;
        must(ckg__knowledge_make(&knowledge, &search));
        const struct ckg__kg kg = ckg__knowledge_on(o, &knowledge.scout_nodes);
        for (int p = 0; p < PROBES; p++) {
            const double u[2] = {0.02 + 0.192 * X[2 * p], 0.02 + 0.192 * X[2 * p + 1]};
            double plain, value, gradient[2], unused[2], log_pf = 0;
            must(ckg__knowledge_gradient(&kg, NULL, u, NULL, search.results, &plain, gradient));
            must(ckg__knowledge_gradient(&kg, o->full, u, NULL, search.results, &value, gradient));
            must(ckg__belief_log_feasible_batch(o->full, 1, u, 1, search.results, &log_pf,
                                                memset(unused, 0, sizeof unused)));
            assert_near(value, plain * exp(log_pf), 1e-12 * value);
            for (int k = 0; k < 2; k++) {
                struct along along = {&kg, o->full, search.results, {u[0], u[1]}, k};
                const double slope = difference(value_along, &along, 2e-6);
                worst = fmax(worst, fabs(slope - gradient[k]) / (fabs(slope) + fabs(value) + 1e-6));
            }
        }
        ckg__study_end_search(s, CKG_OK);
        ckg_study_free(s);
    }
    print_message("the weighted gradient is off by at most %.2g\n", worst);
    assert_true(worst <= 1e-6);
}

static int prepare(void **state)
{
    (void)state;
    make_gauss();
    return 0;
}

int main(void)
{
    return RUN_TESTS_BETWEEN(prepare, NULL, test_kg_on_a_list_is_the_closed_form,
                             test_ckg_on_a_list_is_exact_at_its_nodes, test_ckg_on_a_list_is_the_integral,
                             test_one_outcome_alone_on_a_list, test_one_outcome_alone_is_the_integral,
                             test_kg_is_ckg_without_constraints, test_kg_does_not_know_the_constraints,
                             test_pkg_is_kg_times_pf, test_pkg_averages_products,
                             test_gradient_with_and_without_the_weight);
}
