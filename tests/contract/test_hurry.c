/*
 * How soon a call ends that nobody waits for any more, and one whose time is over: in multiply-adds, not in
 * seconds. This program has tables of dense and kernel loops of its own, which the linker takes instead of
 * the library's: they add up what every call of them costs.
 *
 * Between two questions of the interrupt, after the last of them, and when the time limit has passed before
 * anything began, a call may do 1e8 multiply-adds: a tenth of a second on a machine that makes 1e9 a second.
 * Measured: 3.8e7. A density with its gradient takes 1.7e8 at 700 rows, so a program that
 * asks between densities alone fails here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "surrogate/stages.h"
#include "linalg/dense.h"
#include "linalg/variant.h"
#include "model/kernel.h"
#include "study/study.h"
#include "support/scale.h"
#include "support/test.h"

static const double most_work = 1e8;

/* --- what is done, between one question and the next --- */

static struct {
    double since;  /* multiply-adds since the last question */
    double most;   /* between any two */
    int asked;     /* questions so far */
    int ending;    /* the one that is answered by 1; 0: none */
    double beyond; /* done after that */
} tally;

static int ask_tally(void *context)
{
    (void)context;
    assert_true(!tally.ending || tally.asked < tally.ending);
    tally.most = fmax(tally.most, tally.since);
    tally.since = 0;
    return ++tally.asked == tally.ending;
}

/* A call that cost so much, and during which there were questions from `asked` on: as many equal parts. */
static void count(double work, int asked)
{
    const double part = work / (tally.asked - asked + 1);

    if (tally.asked > asked) {
        tally.most = fmax(tally.most, part);
        tally.since = 0;
    }
    tally.since += part;
    if (tally.ending && tally.asked >= tally.ending)
        tally.beyond += part;
}

/* --- the tables --- */

static const struct ckg__dense_ops *const dense_tables[] = {
    [CKG__VARIANT_BASE] = &ckg__dense_ops_base,
#if defined(CKG_HAVE_X86_VARIANTS)
    [CKG__VARIANT_V3] = &ckg__dense_ops_v3,
    [CKG__VARIANT_V4] = &ckg__dense_ops_v4,
#endif
};

static const struct ckg__kernel_ops *const kernel_tables[] = {
    [CKG__VARIANT_BASE] = &ckg__kernel_ops_base,
#if defined(CKG_HAVE_X86_VARIANTS)
    [CKG__VARIANT_V3] = &ckg__kernel_ops_v3,
    [CKG__VARIANT_V4] = &ckg__kernel_ops_v4,
#endif
};

static const struct ckg__dense_ops *real_dense(void)
{
    return dense_tables[ckg__variant()];
}

static const struct ckg__kernel_ops *real_kernels(void)
{
    return kernel_tables[ckg__variant()];
}

static int counted_cholesky(int n, double *A, int lda, const struct ckg__workers *workers)
{
    const int asked = tally.asked;
    const int status = real_dense()->cholesky(n, A, lda, workers);

    count(status < 0 ? 0 : pow(n, 3) / 6, asked);
    return status;
}

static int counted_inverse(int n, double *A, int lda, const struct ckg__workers *workers)
{
    const int asked = tally.asked;
    const int status = real_dense()->inverse_from_cholesky(n, A, lda, workers);

    count(status < 0 ? 0 : pow(n, 3) / 3, asked);
    return status;
}

static void counted_solve(int n, int m, const double *L, int ldl, double *B, int ldb)
{
    real_dense()->solve_lower(n, m, L, ldl, B, ldb);
    count(0.5 * n * n * m, tally.asked);
}

static void counted_solve_transposed(int n, int m, const double *L, int ldl, double *B, int ldb)
{
    real_dense()->solve_lower_transposed(n, m, L, ldl, B, ldb);
    count(0.5 * n * n * m, tally.asked);
}

static void counted_multiply(int m, int n, int k, double sign, const double *A, int lda, const double *B,
                             int ldb, int keep, double *C, int ldc)
{
    real_dense()->multiply_tn(m, n, k, sign, A, lda, B, ldb, keep, C, ldc);
    count((double)m * n * k, tally.asked);
}

const struct ckg__dense_ops *ckg__dense(void)
{
    static struct ckg__dense_ops counted;

    counted = *real_dense();
    counted.cholesky = counted_cholesky;
    counted.inverse_from_cholesky = counted_inverse;
    counted.solve_lower = counted_solve;
    counted.solve_lower_transposed = counted_solve_transposed;
    counted.multiply_tn = counted_multiply;
    return &counted;
}

static void counted_cross(enum ckg__kernel kernel, int D, int n, const double *A, int lda, int m,
                          const double *B, int ldb, double s2, double *K, double *G, int ldk)
{
    real_kernels()->cross(kernel, D, n, A, lda, m, B, ldb, s2, K, G, ldk);
    count((double)D * n * m, tally.asked);
}

static void counted_symmetric(enum ckg__kernel kernel, int D, int first, int end, const double *A, int lda,
                              double s2, double *K, int ldk)
{
    real_kernels()->symmetric(kernel, D, first, end, A, lda, s2, K, ldk);
    count((double)D * (end - first) * end, tally.asked);
}

static void counted_gradient_each(int D, int n, const double *A, int lda, int m, const double *B, int ldb,
                                  const double *W, int ldw, const double *G, int ldg, double *out, int ldo)
{
    real_kernels()->gradient_each(D, n, A, lda, m, B, ldb, W, ldw, G, ldg, out, ldo);
    count((double)D * n * m, tally.asked);
}

const char *const ckg__kernel_names[CKG__KERNELS] = {CKG__KERNEL_NAMES};

const struct ckg__kernel_ops *ckg__kernels(void)
{
    static struct ckg__kernel_ops counted;

    counted = *real_kernels();
    counted.cross = counted_cross;
    counted.symmetric = counted_symmetric;
    counted.gradient_each = counted_gradient_each;
    return &counted;
}

/* --- studies --- */

struct shape {
    int d, K, n;
    enum ckg_noise noise;
    const char *policy;
    double time_limit;
    double above; /* added to the constraints */
};

static double waves(int d, const double *x, int j)
{
    double sum = 0;

    for (int i = 0; i < d; i++)
        sum += j ? sin(3 * x[i] + 1.3 * j + i) / sqrt(d) : pow(x[i] - 0.4, 2) + 0.1 * sin(6 * x[i] + i);
    return j ? sum - 0.3 : sum;
}

static ckg_study *new_study(const struct shape *shape)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *s;
    char name[16];

    must(ckg_problem_new(&problem));
    for (int i = 0; i < shape->d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        must(ckg_problem_add_real(problem, name, 0, 1, CKG_LINEAR));
    }
    must(ckg_problem_set_noise(problem, "objective", shape->noise, 0));
    for (int j = 0; j < shape->K; j++) {
        snprintf(name, sizeof name, "c%d", j);
        must(ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        must(ckg_problem_set_noise(problem, name, shape->noise, 0));
    }
    options.policy = shape->policy;
    options.initial = 0;
    options.time_limit = shape->time_limit;
    must(ckg_study_new(&s, problem, &options));
    ckg_problem_free(problem);
    return s;
}

/* Tells the first n points of a lattice of irrational steps. */
static void tell_all(ckg_study *s, const struct shape *shape)
{
    double x[CKG_MAX_PARAMETERS];
    double values[1 + CKG_MAX_CONSTRAINTS];
    int trial;

    for (int t = 0; t < shape->n; t++) {
        for (int i = 0; i < shape->d; i++)
            x[i] = fmod((t + 1) * sqrt(2 + i * (i + 3)), 1);
        for (int j = 0; j <= shape->K; j++)
            values[j] = waves(shape->d, x, j) + (j ? shape->above : 0) +
                        (shape->noise ? 0.01 * sin(1e5 * (t + 1) + j) : 0);
        must(ckg_study_add(s, x, &trial));
        must(ckg_study_tell(s, trial, values));
    }
}

static ckg_study *told_study(const struct shape *shape)
{
    ckg_study *s = new_study(shape);

    tell_all(s, shape);
    return s;
}

/* --- calls --- */

static int call_ask(ckg_study *s)
{
    ckg_suggestion *out;
    const int status = ckg_study_ask(s, &out);

    ckg_suggestion_free(out);
    return status;
}

static int call_recommend(ckg_study *s)
{
    ckg_recommendation *out;
    const int status = ckg_study_recommend(s, NULL, &out);

    ckg_recommendation_free(out);
    return status;
}

static int call_leave_one_out(ckg_study *s)
{
    double *mean = malloc((size_t)ckg_study_trials(s) * sizeof *mean);
    const int status = ckg_study_leave_one_out(s, 0, mean, NULL, NULL);

    free(mean);
    return status;
}

static int call_gain(ckg_study *s)
{
    ckg_gain gain;
    return ckg_study_expected_gain(s, &gain);
}

static int call_importance(ckg_study *s)
{
    double total[CKG_MAX_PARAMETERS];
    return ckg_study_importance(s, 0, total, NULL, NULL);
}

typedef int call_function(ckg_study *s);

/* How often a call asks; nothing that it does takes longer than it may. */
static int watch(ckg_study *s, call_function *call)
{
    memset(&tally, 0, sizeof tally);
    must(ckg_study_set_interrupt(s, ask_tally, NULL));
    must(call(s));
    assert_true(fmax(tally.most, tally.since) <= most_work);
    return tally.asked;
}

static void cancel(ckg_study *s, call_function *call, int ending)
{
    memset(&tally, 0, sizeof tally);
    tally.ending = ending;
    must(ckg_study_set_interrupt(s, ask_tally, NULL));
    assert_int_equal(call(s), CKG_ERR_CANCELLED);
    assert_true(tally.beyond <= most_work);
}

/* --- the tests --- */

/* Fits and factors of many rows, and what is made of them. */
static void test_many_rows(void **state)
{
    static call_function *const calls[] = {call_ask, call_recommend, call_leave_one_out, call_importance};
    const struct shape shape = {
        .d = 2, .K = 1, .n = test_scale(700, 600), .noise = CKG_NOISE_NONE, .policy = "auto"};

    (void)state;
    ckg_study *s = told_study(&shape);
    const int asked = watch(s, calls[0]);
    for (size_t i = 1; i < sizeof calls / sizeof *calls; i++)
        watch(s, calls[i]);
    ckg_study_free(s);

    for (int part = 1; part < 4; part += 2) {
        s = told_study(&shape);
        cancel(s, call_ask, asked * part / 4);
        ckg_study_free(s);
    }
}

/* Samples of the hyperparameters, look-ahead and draws. */
static void test_noise(void **state)
{
    static const char *const policies[] = {"auto", "nei", "pesc", "cts"};
    struct shape shape = {.d = 6, .K = 4, .n = test_scale(200, 120), .noise = CKG_NOISE_AUTO};

    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        shape.policy = policies[i];
        ckg_study *s = told_study(&shape);
        watch(s, call_ask);
        if (i == 0)
            watch(s, call_gain);
        ckg_study_free(s);
    }
}

/* Many parameters and constraints, where searches cost more than factors. */
static void test_many_parameters(void **state)
{
    const struct shape shape = {
        .d = test_scale(60, 30), .K = 8, .n = 150, .noise = CKG_NOISE_NONE, .policy = "auto"};

    (void)state;
    ckg_study *s = told_study(&shape);
    watch(s, call_ask);
    ckg_study_free(s);
}

/*
 * All that is done is too much when the time is over before it begins: what a fit and a factor may still do,
 * CKG__OVERDUE_WORK each, and a part of either.
 */
static void test_no_time(void **state)
{
    const struct shape shape = {
        .d = 2, .K = 1, .n = test_scale(700, 600), .policy = "auto", .time_limit = 1e-9};
    ckg_study *s = told_study(&shape);
    ckg_suggestion *a;
    ckg_recommendation *r;

    (void)state;
    memset(&tally, 0, sizeof tally);
    must(ckg_study_ask(s, &a));
    assert_string_equal(a->path, "random");
    assert_true(isnan(a->mean[0]) && isnan(a->value) && isnan(a->probability_feasible));
    assert_int_equal(a->trial, shape.n);
    ckg_suggestion_free(a);

    must(ckg_study_recommend(s, NULL, &r));
    assert_true(r->best_trial >= 0 && r->trial == r->best_trial && r->evaluations == shape.n);
    assert_true(r->mean[1] <= 0);
    ckg_recommendation_free(r);
    assert_true(tally.since <= 2 * most_work);
    ckg_study_free(s);
}

/* Where nothing was feasible, there is nothing to say without the models. */
static void test_no_time_and_nothing_incumbent(void **state)
{
    const struct shape shape = {.d = 2, .K = 1, .n = 700, .policy = "auto", .time_limit = 1e-9, .above = 3};
    ckg_study *s = told_study(&shape);
    ckg_recommendation *r;

    (void)state;
    assert_int_equal(ckg_study_recommend(s, NULL, &r), CKG_ERR_STATE);
    assert_non_null(strstr(ckg_error_message(), "within the time limit of 1e-09 s"));
    ckg_study_free(s);
}

/* Time enough is as good as no limit. */
static void test_time_enough(void **state)
{
    struct shape shape = {.d = 3, .K = 2, .n = 30, .noise = CKG_NOISE_AUTO, .policy = "auto"};
    ckg_suggestion *a[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        shape.time_limit = i ? 1e9 : 0;
        ckg_study *s = told_study(&shape);
        must(ckg_study_ask(s, &a[i]));
        ckg_study_free(s);
    }
    assert_memory_equal(a[0]->x, a[1]->x, 3 * sizeof *a[0]->x);
    assert_true(a[0]->value == a[1]->value);
    ckg_suggestion_free(a[0]);
    ckg_suggestion_free(a[1]);
}

/* --- very many trials --- */

/* Of many designs a process sees the newest, those near the best, and some of the others; of few it sees all.
 */
static void test_which_designs_are_seen(void **state)
{
    struct shape shape = {.d = 2, .n = CKG__MOST_DESIGNS, .policy = "auto"};
    ckg_study *s = told_study(&shape);
    struct ckg__arena arena;
    const unsigned char *seen;
    int before = 0;

    (void)state;
    ckg__arena_init(&arena);
    must(ckg__select(&s->data, 0, s->data.trials, CKG__MOST_DESIGNS, &arena, &seen));
    assert_null(seen);
    shape.n = 3 * CKG__MOST_DESIGNS;
    ckg_study_free(s);
    s = told_study(&shape);
    must(ckg__select(&s->data, 0, s->data.trials, CKG__MOST_DESIGNS, &arena, &seen));
    assert_non_null(seen);

    /* So many in all, the newest quarter among them, and the best with what is nearest to it. */
    const int best = s->data.trial[ckg__data_best(&s->data)].design;
    double unseen = INFINITY;
    int count = 0;
    int nearer = 0;
    for (int i = 0; i < s->data.designs; i++) {
        const double far = hypot(s->data.u[2 * i] - s->data.u[2 * best],
                                 s->data.u[2 * i + 1] - s->data.u[2 * best + 1]);
        count += seen[i];
        before += seen[i] && i < CKG__MOST_DESIGNS;
        unseen = seen[i] ? unseen : fmin(unseen, far);
        if (i >= s->data.designs - CKG__MOST_DESIGNS / 4)
            assert_true(seen[i]);
    }
    for (int i = 0; i < s->data.designs; i++)
        nearer += hypot(s->data.u[2 * i] - s->data.u[2 * best],
                        s->data.u[2 * i + 1] - s->data.u[2 * best + 1]) < unseen;
    assert_int_equal(count, CKG__MOST_DESIGNS);
    assert_true(seen[best]);
    assert_true(nearer >= CKG__MOST_DESIGNS / 2);
    assert_true(before > CKG__MOST_DESIGNS / 8);
    ckg__arena_free(&arena);
    ckg_study_free(s);
}

/* Processes of so many trials see what they can, and the best of all is recommended. */
static void test_very_many_trials(void **state)
{
    const struct shape shape = {.d = 2,
                                .K = 1,
                                .n = test_scale(5000, CKG__MOST_DESIGNS + 100),
                                .noise = CKG_NOISE_NONE,
                                .policy = "cei"};
    ckg_model_info model;
    ckg_recommendation *r;

    (void)state;
    ckg_study *s = told_study(&shape);
    memset(&tally, 0, sizeof tally);
    must(ckg_study_set_interrupt(s, ask_tally, NULL));
    must(ckg_study_recommend(s, NULL, &r));
    must(ckg_study_model(s, 1, &model));
    assert_int_equal(model.observations, CKG__MOST_DESIGNS);
    assert_true(fmax(tally.most, tally.since) <= most_work);
    assert_int_equal(r->trial, ckg__data_best(&s->data));
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

/* An initial design of thirty thousand is there at once: designs and trials are found by index. */
static void test_large_initial_design(void **state)
{
    const int many = test_scale(30000, 3000);
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *s;
    ckg_suggestion *a;

    (void)state;
    must(ckg_problem_new(&problem));
    must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    must(ckg_problem_add_real(problem, "y", 0, 1, CKG_LINEAR));
    options.initial = many;
    must(ckg_study_new(&s, problem, &options));
    for (int t = 0; t < many; t++) {
        must(ckg_study_ask(s, &a));
        assert_string_equal(a->path, t < many - 1 ? "design" : "repeat");
        must(ckg_study_tell(s, a->trial, &(double){a->x[0]}));
        ckg_suggestion_free(a);
    }
    assert_int_equal(s->data.designs, many - 1);
    ckg_study_free(s);
    ckg_problem_free(problem);
}

int main(void)
{
    return RUN_TESTS(test_many_rows, test_noise, test_many_parameters, test_no_time,
                     test_no_time_and_nothing_incumbent, test_time_enough, test_which_designs_are_seen,
                     test_very_many_trials, test_large_initial_design);
}
