/*
 * Predictive entropy search against rejection sampling (tests/reference/make_pesc.py): on random models in
 * one and two dimensions the values on a grid must be ordered as the information that was found there (rank
 * correlation 0.9), and largest in the same place to within a cell, in eight of ten models. Once with designs
 * from the whole box, and once with the grid as the finite list of designs that it is for the sampling.
 *
 * The ten models are the first of the script. Of its first 40, 36 agree in the box and 35 on the grid with 64
 * draws, 37 in the box with 16. A light run takes the first five of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <ckg/ckg.h>

#include "reference/pesc.inc"
#include "policy/policy.h"
#include "support/process.h"
#include "support/scale.h"
#include "support/test.h"

enum { MODELS = sizeof pesc_models / sizeof pesc_models[0], MAX_GRID = 169 };

/* --- a search over a model --- */

struct bench {
    struct process process[3];
    struct ckg__belief belief;
    struct ckg__surrogate surrogate[3];
    struct ckg__surrogates models;
    struct ckg__lookahead lookahead;
    struct ckg__data data;
    struct ckg__arena arena, results;
    struct ckg__pool *pool;
    struct ckg__scope scope;
    struct ckg__search search;
    ckg_problem *problem;
    int side, grid;
    double U[2 * MAX_GRID]; /* d×grid */
};

static void make_process(struct process *p, const struct pesc_model *model, int j)
{
    process_make(p, CKG__RBF, model->d, model->n, KNOWN, 1);
    for (int i = 0; i < model->n; i++) {
        for (int k = 0; k < model->d; k++)
            p->X[k * PROCESS_MAX_N + i] = model->X[i * model->d + k];
        p->y[i] = model->y[j][i];
        p->known[i] = model->noise[j];
    }
    for (int k = 0; k < model->d; k++)
        p->theta[k] = log(model->ell[j][k]);
    p->theta[model->d + 1] = 0;
    p->series.typical_known = model->noise[j];
    p->inputs.mean_precision = INFINITY;
    process_set(p);
}

/* The grid, the first coordinate slowest as in the script. */
static void make_grid(struct bench *b, int d)
{
    b->side = d == 1 ? 41 : 13;
    b->grid = d == 1 ? b->side : b->side * b->side;
    for (int p = 0; p < b->grid; p++)
        for (int k = 0; k < d; k++)
            b->U[k * b->grid + p] = (double)(d == 1 || k ? p % b->side : p / b->side) / (b->side - 1);
}

static void make_problem(struct bench *b, const struct pesc_model *model, int listed)
{
    double X[2 * MAX_GRID];

    must(ckg_problem_new(&b->problem));
    must(ckg_problem_add_real(b->problem, "a", 0, 1, CKG_LINEAR));
    if (model->d == 2)
        must(ckg_problem_add_real(b->problem, "b", 0, 1, CKG_LINEAR));
    must(ckg_problem_set_objective(b->problem, "f", CKG_MAXIMIZE));
    for (int j = 1; j <= model->K; j++)
        must(ckg_problem_add_constraint(b->problem, j == 1 ? "c" : "e", 0, 1));
    for (int p = 0; p < b->grid; p++)
        for (int k = 0; k < model->d; k++)
            X[p * model->d + k] = b->U[k * b->grid + p];
    if (listed)
        must(ckg_problem_set_designs(b->problem, b->grid, X));
}

static void bench_make(struct bench *b, const struct pesc_model *model, int listed, const double *setting)
{
    memset(b, 0, sizeof *b);
    make_grid(b, model->d);
    make_problem(b, model, listed);
    b->belief = (struct ckg__belief){.outcomes = 1 + model->K};
    for (int j = 0; j <= model->K; j++) {
        make_process(&b->process[j], model, j);
        b->belief.gp[j] = &b->process[j].gp;
        b->belief.lower[j] = model->lower[j];
        b->belief.upper[j] = model->upper[j];
        b->surrogate[j].place = j;
    }
    b->models.surrogate = b->surrogate;
    ckg__data_init(&b->data, b->problem);
    for (int i = 0; !listed && i < model->n; i++) {
        int trial;
        must(ckg__data_add(&b->data, model->X + i * model->d, &trial));
    }
    ckg__arena_init(&b->arena);
    ckg__arena_init(&b->results);
    must(ckg__pool_new(&b->pool, 1));
    b->lookahead = (struct ckg__lookahead){.belief = &b->belief, .full = &b->belief};
    b->scope = (struct ckg__scope){b->problem, &b->data, &b->models, NULL, NULL};
    b->search = (struct ckg__search){.scope = &b->scope,
                                     .size = {.base = 128, .data = 48, .local = 40, .candidates = 96},
                                     .settings = setting,
                                     .pool = b->pool,
                                     .arena = &b->arena,
                                     .results = &b->results,
                                     .seed = 1,
                                     .stream = 1,
                                     .deadline = INFINITY,
                                     .lookaheads = 1,
                                     .lookahead = &b->lookahead,
                                     .penalty = NAN};
    must(ckg__search_points(&b->search));
    must(ckg__search_penalty(&b->search));
    must(ckg__search_recommend(&b->search));
}

static void bench_free(struct bench *b)
{
    for (int j = 0; j < b->belief.outcomes; j++)
        process_free(&b->process[j]);
    ckg__data_free(&b->data);
    ckg__arena_free(&b->arena);
    ckg__arena_free(&b->results);
    ckg__pool_free(b->pool);
    ckg_problem_free(b->problem);
}

/* --- comparing surfaces --- */

static const double *sorted_by;

static int by_value(const void *a, const void *b)
{
    const double x = sorted_by[*(const int *)a], y = sorted_by[*(const int *)b];
    return (x > y) - (x < y);
}

static void ranks(int n, const double *value, double *rank)
{
    int order[MAX_GRID];

    for (int i = 0; i < n; i++)
        order[i] = i;
    sorted_by = value;
    qsort(order, (size_t)n, sizeof *order, by_value);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && value[order[end]] == value[order[i]];)
            end++;
        for (int t = i; t < end; t++)
            rank[order[t]] = 0.5 * (i + end - 1); /* ties share their mean rank */
    }
}

/* Spearman's rank correlation. */
static double rank_correlation(int n, const double *x, const double *y)
{
    double a[MAX_GRID], b[MAX_GRID], ab = 0, aa = 0, bb = 0;

    ranks(n, x, a);
    ranks(n, y, b);
    for (int i = 0; i < n; i++) {
        const double u = a[i] - 0.5 * (n - 1), v = b[i] - 0.5 * (n - 1);
        ab += u * v;
        aa += u * u;
        bb += v * v;
    }
    return ab / sqrt(aa * bb);
}

static int largest(int n, const double *value)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = value[i] > value[best] ? i : best;
    return best;
}

static int cells_apart(int side, int p, int q)
{
    const int across = abs(p / side - q / side), along = abs(p % side - q % side);
    return across > along ? across : along;
}

/* 1 when value (grid) and the model's information agree, by the sum over outcomes. */
static int agree(const struct bench *b, const struct pesc_model *model, const double *value, double *rho,
                 int *apart, double *worth)
{
    double truth[MAX_GRID] = {0};

    for (int p = 0; p < b->grid; p++)
        for (int j = 0; j <= model->K; j++)
            truth[p] += model->share[j][p];
    const int ours = largest(b->grid, value), theirs = largest(b->grid, truth);
    *rho = rank_correlation(b->grid, value, truth);
    *apart = cells_apart(b->side, ours, theirs);
    *worth = truth[ours] / truth[theirs];
    return *rho >= 0.9 && *apart <= 1;
}

/* --- the tests --- */

/* Shares of every model's outcomes and their sums, which must be the values. */
static void compare(int listed, int draws, int points)
{
    const double setting[] = {draws, points, NAN, 20};
    int agreed = 0, compared = 0;

    for (int i = 0; i < test_scale(MODELS, 5); i++) {
        const struct pesc_model *model = &pesc_models[i];
        struct bench b;
        double value[MAX_GRID] = {0}, share[3 * MAX_GRID], rho, worth;
        int apart;
        bench_make(&b, model, listed, setting);
        must(ckg__policy_pesc.score_outcomes(&b.search, b.grid, b.U, share));
        for (int p = 0; p < b.grid; p++)
            for (int j = 0; j <= model->K; j++) {
                assert_true(share[p * (1 + model->K) + j] >= 0);
                value[p] += share[p * (1 + model->K) + j];
            }
        agreed += agree(&b, model, value, &rho, &apart, &worth);
        compared++;
        print_message(
            "model %d, d = %d, K = %d: rank correlation %.3f, %d cells apart, worth %.3f of the largest\n", i,
            model->d, model->K, rho, apart, worth);
        bench_free(&b);
    }
    print_message("%s, %d draws: %d of %d agree\n", listed ? "grid" : "box", draws, agreed, compared);
    assert_true(agreed >= 0.8 * compared);
}

static void test_matches_rejection_sampling_in_the_box(void **state)
{
    (void)state;
    compare(0, 64, 48);
}

static void test_matches_rejection_sampling_on_the_grid(void **state)
{
    (void)state;
    compare(1, 64, 48);
}

static void test_matches_rejection_sampling_by_default(void **state)
{
    (void)state;
    compare(0, (int)ckg__policy_pesc.parameters[0].usual.value,
            (int)ckg__policy_pesc.parameters[1].usual.value);
}

int main(void)
{
    return RUN_TESTS(test_matches_rejection_sampling_in_the_box, test_matches_rejection_sampling_on_the_grid,
                     test_matches_rejection_sampling_by_default);
}
