/*
 * Noisy expected improvement: against its definition, simulated from scratch by plain dense algebra and plain
 * random numbers; against BoTorch on the same models (tests/reference/make_nei.py); the processes under the
 * draws against the posterior they must average to. test_nei_limits.c has the rest.
 *
 * Comparisons of two averages allow 4.5 standard errors of both, each estimated from its own repetitions.
 * BoTorch's values are smoothed on top of that: a softplus of temperature 1e-7 and sigmoids of width 1e-5,
 * for which 2e-4 of a value are allowed.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <ckg/status.h>

#include "acquisition/nei.h"
#include "reference/nei.inc"
#include "support/near.h"
#include "support/noisy.h"
#include "support/scale.h"
#include "support/test.h"

enum { D = NOISY_D, RULES = 8 };

/* --- from scratch --- */

enum { NAIVE_N = 64 };

static double naive_kernel(const struct process *p, const double *a, const double *b)
{
    double r2 = 0;
    for (int k = 0; k < D; k++)
        r2 += pow((a[k] - b[k]) / exp(p->theta[k]), 2);
    const double s2 = exp(p->theta[D + 1]), t = sqrt(5 * r2);
    return p->inputs.kernel == CKG__RBF ? s2 * exp(-0.5 * r2) : s2 * (1 + t + t * t / 3) * exp(-t);
}

/* A (n×n, leading dimension NAIVE_N) ← its Cholesky factor, by rows. */
static void naive_cholesky(int n, double A[NAIVE_N][NAIVE_N])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (int k = 0; k < j; k++)
                sum -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / A[j][j];
        }
}

/* Mean (count) and factor C of the posterior covariance of outcome j's true values at points (count × D). */
static void naive_posterior(const struct noisy *m, int j, int count, double (*points)[D], double *mean,
                            double C[NAIVE_N][NAIVE_N])
{
    static double K[NAIVE_N][NAIVE_N], V[NAIVE_N][NAIVE_N], rest[NAIVE_N];
    const struct process *p = &m->p[j];
    const int n = p->series.n;
    double row[NAIVE_N][D];

    for (int i = 0; i < n; i++)
        for (int k = 0; k < D; k++)
            row[i][k] = p->X[k * PROCESS_MAX_N + i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            K[i][k] = naive_kernel(p, row[i], row[k]) + (i == k) * (p->known[i] + 1e-10);
    naive_cholesky(n, K);
    for (int i = 0; i < n; i++) {
        rest[i] = p->y[i] - p->gp.mean;
        for (int k = 0; k < i; k++)
            rest[i] -= K[i][k] * rest[k];
        rest[i] /= K[i][i];
        for (int q = 0; q < count; q++) {
            V[i][q] = naive_kernel(p, row[i], points[q]);
            for (int k = 0; k < i; k++)
                V[i][q] -= K[i][k] * V[k][q];
            V[i][q] /= K[i][i];
        }
    }
    for (int q = 0; q < count; q++) {
        mean[q] = p->gp.mean;
        for (int i = 0; i < n; i++)
            mean[q] += V[i][q] * rest[i];
        for (int o = 0; o <= q; o++) {
            C[q][o] = naive_kernel(p, points[q], points[o]);
            for (int i = 0; i < n; i++)
                C[q][o] -= V[i][q] * V[i][o];
        }
    }
    naive_cholesky(count, C);
}

/*
 * Simulates: all true values at the designs and at the points (count × D) together; the mean improvement at
 * each, and its standard error.
 */
static void naive_nei(const struct noisy *m, int count, double (*points)[D], int draws, struct ckg__rng *rng,
                      double *mean, double *error)
{
    static double C[NOISY_OUTCOMES][NAIVE_N][NAIVE_N];
    double all[NAIVE_N][D], centre[NOISY_OUTCOMES][NAIVE_N], value[NOISY_OUTCOMES][NAIVE_N], z[NAIVE_N],
        sum[NAIVE_N] = {0}, squares[NAIVE_N] = {0};
    const int n = m->n, total = n + count, outcomes = m->belief.outcomes;

    for (int q = 0; q < total; q++)
        for (int k = 0; k < D; k++)
            all[q][k] = q < n ? m->U[k * NOISY_MOST + q] : points[q - n][k];
    for (int j = 0; j < outcomes; j++)
        naive_posterior(m, j, total, all, centre[j], C[j]);
    for (int i = 0; i < draws; i++) {
        double best = -INFINITY;
        int feasible[NAIVE_N];
        for (int q = 0; q < total; q++)
            feasible[q] = 1;
        for (int j = 0; j < outcomes; j++)
            for (int q = 0; q < total; q++) {
                z[q] = ckg__rng_normal(rng);
                value[j][q] = centre[j][q];
                for (int o = 0; o <= q; o++)
                    value[j][q] += C[j][q][o] * z[o];
                feasible[q] &= !j || (value[j][q] >= m->belief.lower[j] && value[j][q] <= m->belief.upper[j]);
            }
        for (int q = 0; q < n; q++)
            best = feasible[q] ? fmax(best, value[0][q]) : best;
        best = best > -INFINITY ? best : m->belief.penalty;
        for (int q = 0; q < count; q++) {
            const double gain = feasible[n + q] ? fmax(value[0][n + q] - best, 0) : 0;
            sum[q] += gain;
            squares[q] += gain * gain;
        }
    }
    for (int q = 0; q < count; q++) {
        mean[q] = sum[q] / draws;
        error[q] = sqrt(fmax(squares[q] / draws - mean[q] * mean[q], 0) / draws);
    }
}

/* The mean over RULES sets of `count` draws at points (many × D), and its standard error. */
static void averaged_nei(struct noisy *m, int count, int many, double (*points)[D], double *mean,
                         double *error)
{
    double value[RULES][NAIVE_N];

    for (int r = 0; r < RULES; r++) {
        noisy_draw(m, count, NOISY_MOST, r);
        for (int q = 0; q < many; q++)
            value[r][q] = exp(noisy_value(m, points[q]));
    }
    for (int q = 0; q < many; q++) {
        double squares = 0;
        mean[q] = 0;
        for (int r = 0; r < RULES; r++)
            mean[q] += value[r][q] / RULES;
        for (int r = 0; r < RULES; r++)
            squares += pow(value[r][q] - mean[q], 2);
        error[q] = sqrt(squares / (RULES - 1) / RULES);
    }
}

static void test_matches_simulation(void **state)
{
    enum { COUNT = 6, DRAWS = 60000 };

    (void)state;
    for (int s = 0; s < NOISY_SORTS; s += test_scale(1, 3)) {
        struct noisy m;
        struct ckg__rng rng;
        double points[COUNT][D], want[COUNT], want_error[COUNT], got[COUNT], got_error[COUNT],
            worst = 0, largest = 0, relative = 0;
        noisy_make(&m, &noisy_sorts[s], 100 + (uint64_t)s);
        ckg__rng_seed(&rng, 5, (uint64_t)s, 0);
        for (int q = 0; q < COUNT; q++)
            for (int k = 0; k < D; k++)
                points[q][k] = ckg__rng_uniform(&rng);
        naive_nei(&m, COUNT, points, DRAWS, &rng, want, want_error);
        averaged_nei(&m, 1024, COUNT, points, got, got_error);
        for (int q = 0; q < COUNT; q++) {
            /*
             * where hardly a simulated draw improves, the standard error is not known: one draw's worth is
             * added
             */
            const double bound = hypot(want_error[q], got_error[q]) + 1e-6;
            worst = fmax(worst, fabs(got[q] - want[q]) / bound);
            if (want[q] > largest) {
                largest = want[q];
                relative = want_error[q] / want[q];
            }
        }
        print_message("%-26s largest %.4f, known to %.2g: %.2g standard errors at most\n",
                      noisy_sorts[s].name, largest, relative, worst);
        assert_true(largest > 1e-3 && relative < 0.05);
        assert_true(worst <= 4.5);
        noisy_free(&m);
    }
}

/* --- the processes under the draws --- */

/* Mean of process j under draw i at u. */
static double drawn_mean(const struct noisy *m, int j, int i, const double *u)
{
    const struct ckg__latent_draws *p = &m->nei.process[j];
    double mean = p->gp->mean;
    for (int r = 0; r < p->n; r++) {
        const double at[D] = {p->A[r] / p->gp->inv_ell[0], p->A[p->lda + r] / p->gp->inv_ell[1]};
        mean += naive_kernel(&m->p[j], at, u) * p->weights[r * p->draws + i];
    }
    return mean;
}

/* Variance of process j at u: k(u, u) − vᵀv by the factor. */
static double drawn_variance(const struct noisy *m, int j, const double *u)
{
    const struct ckg__latent_draws *p = &m->nei.process[j];
    double v[PROCESS_MAX_N], var = p->gp->k.s2;
    for (int r = 0; r < p->n; r++) {
        const double at[D] = {p->A[r] / p->gp->inv_ell[0], p->A[p->lda + r] / p->gp->inv_ell[1]};
        v[r] = naive_kernel(&m->p[j], at, u);
        for (int c = 0; c < r; c++)
            v[r] -= p->L[r * p->ldl + c] * v[c];
        v[r] /= p->L[r * p->ldl + r];
        var -= v[r] * v[r];
    }
    return var;
}

/*
 * The draws' means have the posterior's mean, and their variance and what is left under a draw add up to its
 * variance.
 */
static void test_draws_average_to_the_posterior(void **state)
{
    enum { DRAWS = 4096, COUNT = 5 };

    (void)state;
    for (int s = 0; s < NOISY_SORTS; s++) {
        struct noisy m;
        double worst_mean = 0, worst_var = 0;
        noisy_make(&m, &noisy_sorts[s], 200 + (uint64_t)s);
        noisy_draw(&m, DRAWS, NOISY_MOST, 0);
        for (int j = 0; j < m.belief.outcomes; j++)
            for (int q = 0; q < COUNT; q++) {
                const double u[D] = {ckg__rng_uniform(&m.p[0].rng), ckg__rng_uniform(&m.p[0].rng)};
                const int draws = m.nei.process[j].draws;
                struct ckg__view view;
                double first = 0, second = 0;
                assert_int_equal(ckg__view_make(&view, &m.p[j].gp, 1, u, 1, &m.scratch), CKG_OK);
                for (int i = 0; i < draws; i++) {
                    const double off = drawn_mean(&m, j, i, u) - view.mean[0];
                    first += off / draws;
                    second += off * off / draws;
                }
                worst_mean = fmax(worst_mean, fabs(first));
                worst_var = fmax(worst_var, fabs(second + drawn_variance(&m, j, u) - view.var[0]));
            }
        print_message("%-26s mean off by %.2g, variance by %.2g\n", noisy_sorts[s].name, worst_mean,
                      worst_var);
        assert_true(worst_mean <= 5e-4 && worst_var <= 2e-3);
        noisy_free(&m);
    }
}

/* A value measured without noise is the same under every draw, and the draws of the others differ. */
static void test_exact_rows_are_not_drawn(void **state)
{
    struct noisy m;

    (void)state;
    noisy_make(&m, &noisy_sorts[7], 31);
    noisy_draw(&m, 256, NOISY_MOST, 0);
    for (int j = 0; j < m.belief.outcomes; j++)
        for (int d = 0; d < m.n; d++) {
            const double u[D] = {m.U[d], m.U[NOISY_MOST + d]};
            double least = INFINITY, most = -INFINITY;
            for (int i = 0; i < 256; i++) {
                least = fmin(least, drawn_mean(&m, j, i, u));
                most = fmax(most, drawn_mean(&m, j, i, u));
            }
            if (d % 3 == 0) {
                assert_near(least, m.p[j].y[d], 1e-4);
                assert_near(most, m.p[j].y[d], 1e-4);
            } else {
                assert_true(most - least > 0.05);
            }
        }
    noisy_free(&m);
}

/* Of more designs than are drawn at, the best by their mean are kept; the rows of the others stay. */
static void test_designs_beyond_the_most(void **state)
{
    enum { KEPT = 4 };
    struct noisy m;
    double mean[NOISY_MOST], all[D * NOISY_MOST], want, got;
    const double u[D] = {0.37, 0.61};

    (void)state;
    noisy_make(&m, &noisy_sorts[1], 41);
    noisy_draw(&m, 64, KEPT, 3);
    got = noisy_value(&m, u);
    for (int d = 0; d < m.n; d++) {
        const double at[D] = {m.U[d], m.U[NOISY_MOST + d]};
        struct ckg__view view;
        assert_int_equal(ckg__view_make(&view, &m.p[0].gp, 1, at, 1, &m.scratch), CKG_OK);
        mean[d] = view.mean[0];
    }
    memcpy(all, m.U, sizeof all);
    int kept = 0;
    for (int d = 0; d < m.n; d++) {
        int better = 0;
        for (int o = 0; o < m.n; o++)
            better += mean[o] > mean[d];
        if (better < KEPT) {
            m.number[kept] = d;
            m.U[kept] = all[d];
            m.U[NOISY_MOST + kept++] = all[NOISY_MOST + d];
        }
    }
    assert_int_equal(kept, KEPT);
    m.n = KEPT;
    noisy_draw(&m, 64, NOISY_MOST, 3);
    want = noisy_value(&m, u);
    assert_true(m.nei.process[0].n == noisy_sorts[1].n);
    assert_near(got, want, 1e-12 * (1 + fabs(want)));
    noisy_free(&m);
}

/* --- BoTorch --- */

static void botorch_make(struct noisy *m, const struct nei_model *b)
{
    memset(m, 0, sizeof *m);
    ckg__arena_init(&m->keep);
    ckg__arena_init(&m->scratch);
    m->n = NEI_N;
    m->belief.outcomes = 1 + b->K;
    m->belief.penalty = b->bound;
    for (int i = 0; i < NEI_N; i++)
        m->number[i] = i;
    for (int i = 0; i < NEI_N; i++)
        for (int k = 0; k < D; k++)
            m->U[k * NOISY_MOST + i] = b->X[k][i];
    for (int j = 0; j <= b->K; j++) {
        struct process *p = &m->p[j];
        const struct nei_outcome *o = &b->outcome[j];
        process_make(p, strcmp(b->kernel, "rbf") ? CKG__MATERN52 : CKG__RBF, D, NEI_N, KNOWN, 1);
        for (int k = 0; k < D; k++)
            p->theta[k] = log(o->ell[k]);
        p->theta[D + 1] = log(o->s2);
        for (int i = 0; i < NEI_N; i++) {
            for (int k = 0; k < D; k++)
                p->X[k * PROCESS_MAX_N + i] = b->X[k][i];
            p->y[i] = o->y[i];
            p->known[i] = o->noise[i];
        }
        p->inputs.mean_precision = INFINITY;
        process_set(p);
        m->belief.gp[j] = &p->gp;
        m->belief.lower[j] = o->lower;
        m->belief.upper[j] = o->upper;
    }
}

/*
 * Spearman's rank correlation over the points whose value is known to a tenth: where hardly a sample
 * improves, BoTorch's has no rank.
 */
static double rank_correlation(const double *a, const double *b, const double *error, int *count)
{
    double sum = 0;
    *count = 0;
    for (int i = 0; i < NEI_POINTS; i++) {
        int above = 0;
        for (int k = 0; k < NEI_POINTS; k++)
            above += error[k] <= 0.1 ? (a[k] < a[i]) - (b[k] < b[i]) : 0;
        sum += error[i] <= 0.1 ? above * above : 0;
        *count += error[i] <= 0.1;
    }
    return 1 - 6 * sum / ((double)*count * (*count * *count - 1));
}

/*
 * The largest deviation in standard errors of both, those of the smoothing added, where BoTorch's is known to
 * 3 % of the largest value.
 */
static double deviation(const double *got, const double *got_error, const double *value, const double *error)
{
    double worst = 0, largest = 0;
    for (int q = 0; q < NEI_POINTS; q++)
        largest = fmax(largest, exp(value[q]));
    for (int q = 0; q < NEI_POINTS; q++) {
        const double want = exp(value[q]), bound = hypot(want * error[q], got_error[q]) + 2e-4 * want + 1e-7;
        assert_true(want * error[q] < 0.03 * largest);
        worst = fmax(worst, fabs(got[q] - want) / bound);
    }
    return worst;
}

static void test_matches_botorch(void **state)
{
    (void)state;
    for (int i = 0; i < NEI_MODELS; i++) {
        const struct nei_model *b = &nei_models[i];
        struct noisy m;
        double points[NEI_POINTS][D], got[NEI_POINTS], error[NEI_POINTS];
        int known;
        botorch_make(&m, b);
        for (int q = 0; q < NEI_POINTS; q++)
            for (int k = 0; k < D; k++)
                points[q][k] = b->U[k][q];
        averaged_nei(&m, 2048, NEI_POINTS, points, got, error);
        const double rank = rank_correlation(got, b->value, b->error, &known),
                     worst = deviation(got, error, b->value, b->error);
        const double analytic = b->K ? 0 : deviation(got, error, b->analytic, b->analytic_error);
        print_message("%s, K = %d: rank correlation %.4f of %d, qLogNEI %.2g, LogNEI %.2g standard errors\n",
                      b->kernel, b->K, rank, known, worst, analytic);
        assert_true(known >= 10 && rank >= 0.99 && worst <= 4.5 && analytic <= 4.5);
        noisy_free(&m);
    }
}

int main(void)
{
    return RUN_TESTS(test_matches_simulation, test_draws_average_to_the_posterior,
                     test_exact_rows_are_not_drawn, test_designs_beyond_the_most, test_matches_botorch);
}
