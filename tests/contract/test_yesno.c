/*
 * Constraints that answer yes or no: what is said of them is what is said of failures with the same labels,
 * and the exact posterior by quadrature; every policy works with them; answers that contradict each other are
 * no facts.
 *
 * Against quadrature the bound is that of the approximation for one and two designs, 0.05 of a probability;
 * measured: 0.038, where all labels are the same, and always on the side of doubt there.
 * unit/model/test_probit has more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "linalg/normal.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

/* Two reals in the unit square and one answer; or none, where evaluations fail instead. */
static ckg_study *new_study(const char *policy, enum ckg_noise noise, int answers)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 0, 0);

    set_all_noise(p, noise, 0);
    if (answers)
        must(ckg_problem_add_yesno(p, "ok"));
    options.policy = policy;
    options.initial = 4;
    options.seed = 5;
    return study_of(p, &options);
}

/* The nearest point of a + b >= 0.8 to (0.2, 0.2) has f = 0.08. */
static void evaluate(const double *x, double *values)
{
    values[0] = (x[0] - 0.2) * (x[0] - 0.2) + (x[1] - 0.2) * (x[1] - 0.2);
    values[1] = x[0] + x[1] >= 0.8;
}

/* Point t of a sequence that fills the square. */
static void point(int t, double x[2])
{
    x[0] = fmod(0.5 + t * 0.75487766624669276, 1);
    x[1] = fmod(0.5 + t * 0.56984029099805327, 1);
}

static void test_what_is_refused(void **state)
{
    static const double others[] = {0.5, -1, 2, NAN, INFINITY};
    ckg_problem *p = box_problem(1, 0, 1, 1, 0);
    ckg_measurement m = {2, 1, CKG_SD_DEFAULT};
    double min, max;

    (void)state;
    must(ckg_problem_add_yesno(p, "ok"));
    assert_int_equal(ckg_problem_yesno(p, 2), 1);
    assert_int_equal(ckg_problem_yesno(p, 1), 0);
    assert_int_equal(ckg_problem_yesno(p, 0), 0);
    assert_int_equal(ckg_problem_yesno(p, 3), -1);
    must(ckg_problem_limits(p, 2, &min, &max));
    assert_true(min == 0.5 && max == INFINITY);

    /* Neither noise, nor a sign, nor a name that is there. */
    assert_int_equal(ckg_problem_set_noise(p, "ok", CKG_NOISE_AUTO, 0), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_set_positive(p, "ok", 1), CKG_ERR_INVALID);
    assert_int_equal(ckg_problem_add_yesno(p, "ok"), CKG_ERR_INVALID);
    must(ckg_problem_set_positive(p, "ok", 0));

    /* Yes and no, nothing between or beyond, and nothing about their noise. */
    must(ckg_problem_check_measured(p, 1, &m));
    m.value = 0;
    must(ckg_problem_check_measured(p, 1, &m));
    assert_int_equal(ckg_problem_feasible(p, 1, &m), 0);
    for (int i = 0; i < 5; i++) {
        m.value = others[i];
        assert_int_equal(ckg_problem_check_measured(p, 1, &m), CKG_ERR_INVALID);
    }
    m = (ckg_measurement){2, 1, 0.1};
    assert_int_equal(ckg_problem_check_measured(p, 1, &m), CKG_ERR_INVALID);
    ckg_problem_free(p);
}

/* --- what is said of them --- */

enum { TOLD = 24, ASKED = 50 };

/* The same labels as answers and as failures have the same probability, to the last digits. */
static void test_answers_are_like_failures(void **state)
{
    (void)state;
    for (int told = 3; told <= TOLD; told *= 2) {
        ckg_study *answers = new_study("auto", CKG_NOISE_NONE, 1);
        ckg_study *failures = new_study("auto", CKG_NOISE_NONE, 0);
        double mean[2], sd[2], p, same;

        for (int t = 0; t < told; t++) {
            double x[2], values[2];
            int trial;
            point(t, x);
            evaluate(x, values);
            tell_at(answers, x, values);
            must(ckg_study_add(failures, x, &trial));
            must(values[1] > 0 ? ckg_study_tell(failures, trial, values)
                               : ckg_study_tell_failed(failures, trial));
        }
        for (int t = TOLD; t < TOLD + ASKED; t++) {
            double x[2];
            point(t, x);
            must(ckg_study_predict(answers, 1, x, mean, sd, &p, NULL));
            must(ckg_study_predict(failures, 1, x, NULL, NULL, &same, NULL));
            assert_near(p, same, 1e-9);
            assert_near(mean[1], p, 1e-12);
            assert_near(sd[1], sqrt(p * (1 - p)), 1e-9);
        }
        ckg_study_free(answers);
        ckg_study_free(failures);
    }
}

enum { MOST = 2 };

/* The process as the study has fitted it. */
struct fitted {
    double ell[2], signal, mean;
};

static double kernel(const struct fitted *f, const double *a, const double *b)
{
    double r2 = 0;
    for (int k = 0; k < 2; k++)
        r2 += pow((a[k] - b[k]) / f->ell[k], 2);
    const double r = sqrt(5 * r2);
    return f->signal * f->signal * (1 + r + r * r / 3) * exp(-r);
}

/* The lower factor of n×n in place. */
static void factor(int n, double K[MOST + 1][MOST + 1])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = K[i][j];
            for (int k = 0; k < j; k++)
                sum -= K[i][k] * K[j][k];
            K[i][j] = i == j ? sqrt(sum) : sum / K[j][j];
        }
}

/*
 * P(yes at x | labels) by the trapezoidal rule over the whitened values of the process at the designs: ∫ Π
 * Φ(±f_i) P(yes at x | f) φ(z) dz over the same without the last factor but φ.
 */
static double quadrature(const struct fitted *f, int n, double X[MOST + 1][2], const int *yes)
{
    const double step = 0.02, reach = 7; /* the steps of Φ are a tenth wide under a large signal */
    const int nodes = (int)(2 * reach / step) + 1;
    double L[MOST + 1][MOST + 1];
    double sums[2] = {0};
    int at[MOST] = {0};

    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++)
            L[i][j] = kernel(f, X[i], X[j]) + (i == j ? 1e-10 * f->signal * f->signal : 0);
    factor(n + 1, L);
    for (int i = 0; i < n;) {
        double z[MOST], density = 1, mean = f->mean;
        for (i = 0; i < n; i++) {
            double value = f->mean;
            z[i] = -reach + step * at[i];
            for (int k = 0; k <= i; k++)
                value += L[i][k] * z[k];
            density *= exp(-0.5 * z[i] * z[i]) * ckg__normal_cdf(yes[i] ? value : -value);
            mean += L[n][i] * z[i];
        }
        sums[0] += density;
        sums[1] += density * ckg__normal_cdf(mean / sqrt(1 + L[n][n] * L[n][n]));
        for (i = 0; i < n && ++at[i] == nodes; i++)
            at[i] = 0;
    }
    return sums[1] / sums[0];
}

static void test_against_quadrature(void **state)
{
    static const int labels[][MOST] = {{1, 0}, {0, 1}, {1, 1}};
    double worst = 0;

    (void)state;
    for (int n = 1; n <= MOST; n++)
        for (int i = 0; i < 3; i++) {
            ckg_study *s = new_study("auto", CKG_NOISE_NONE, 1);
            double X[MOST + 1][2];
            ckg_model_info model;
            for (int t = 0; t < n; t++) {
                point(t + 7 * i, X[t]);
                tell_at(s, X[t], (const double[]){X[t][0], labels[i][t]});
            }
            must(ckg_study_model(s, 1, &model));
            assert_string_equal(model.kernel, "matern52");
            assert_string_equal(model.scale, "probit");
            const struct fitted f = {{model.lengthscales[0], model.lengthscales[1]},
                                     model.signal_sd,
                                     ckg__normal_quantile(model.mean) * sqrt(1 + pow(model.signal_sd, 2))};
            for (int t = 0; t < 3; t++) {
                double p;
                point(100 + t, X[n]);
                must(ckg_study_predict(s, 1, X[n], NULL, NULL, &p, NULL));
                worst = fmax(worst, fabs(p - quadrature(&f, n, X, labels[i])));
            }
            ckg_study_free(s);
        }
    print_message("probabilities differ by %.2g at most\n", worst);
    assert_true(worst < 0.05);
}

/* Each answer predicted from the others, against a study that never had it. */
static void test_each_from_the_others(void **state)
{
    ckg_study *s = new_study("auto", CKG_NOISE_NONE, 1);
    double mean[TOLD], sd[TOLD], worst = 0;
    int right = 0;

    (void)state;
    for (int t = 0; t < TOLD; t++) {
        double x[2], values[2];
        point(t, x);
        evaluate(x, values);
        tell_at(s, x, values);
    }
    must(ckg_study_leave_one_out(s, 1, mean, sd, NULL));
    for (int out = 0; out < TOLD; out += 3) {
        ckg_study *rest = new_study("auto", CKG_NOISE_NONE, 1);
        double x[2], values[2], p;
        for (int t = 0; t < TOLD; t++) {
            point(t, x);
            evaluate(x, values);
            if (t != out)
                tell_at(rest, x, values);
        }
        point(out, x);
        evaluate(x, values);
        must(ckg_study_predict(rest, 1, x, NULL, NULL, &p, NULL));
        worst = fmax(worst, fabs(p - mean[out]));
        right += (mean[out] > 0.5) == (values[1] > 0);
        assert_near(sd[out], sqrt(mean[out] * (1 - mean[out])), 1e-12);
        ckg_study_free(rest);
    }
    print_message("they differ by %.2g at most; %d of %d right\n", worst, right, (TOLD + 2) / 3);
    assert_true(worst < 0.1 && right >= 6);
    ckg_study_free(s);
}

/* --- what is done with them --- */

/* Every policy, with and without noise on the objective, with a failure, a pending design, a partial one. */
static void test_every_policy(void **state)
{
    static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

    (void)state;
    for (int i = 0; i < 2 * ckg_policy_count(); i += test_scale(1, 2)) {
        ckg_policy_info info;
        must(ckg_policy_at(i % ckg_policy_count(), &info));
        ckg_study *s = new_study(info.name, noises[i / ckg_policy_count()], 1);
        int trial;
        for (int t = 0; t < 9; t++) {
            double x[2], values[2];
            point(t, x);
            evaluate(x, values);
            must(ckg_study_add(s, x, &trial));
            if (t == 6)
                must(ckg_study_tell_failed(s, trial));
            else if (t == 7)
                must(ckg_study_tell_measured(s, trial, 1, &(ckg_measurement){1, values[1], CKG_SD_DEFAULT}));
            else if (t < 8)
                must(ckg_study_tell(s, trial, values));
        }
        for (int n = 0; n < 2; n++) {
            ckg_suggestion *suggestion;
            double values[2];
            must(ckg_study_ask(s, &suggestion));
            assert_true(suggestion->x[0] >= 0 && suggestion->x[0] <= 1);
            evaluate(suggestion->x, values);
            must(ckg_study_tell(s, suggestion->trial, values));
            ckg_suggestion_free(suggestion);
        }
        ckg_study_free(s);
    }
}

/* The optimum on the edge between yes and no, and nothing but a yes is recommended. */
static void test_the_optimum_on_an_edge(void **state)
{
    static const char *const policies[] = {"auto", "cei"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        ckg_study *s = new_study(policies[i], CKG_NOISE_NONE, 1);
        ckg_recommendation *r;
        double values[2];
        ask_and_tell(s, 25, evaluate);
        must(ckg_study_recommend(s, NULL, &r));
        evaluate(r->x, values);
        print_message("%s: %.4f, where 0.08 is the best\n", policies[i], values[0]);
        assert_true(values[1] > 0 && r->measured && r->probability_feasible == 1);
        assert_true(values[0] < 0.09);
        assert_true(r->mean[1] == 1 && r->sd[1] == 0 && r->probability[0] == 1);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

/* Yes in a disc that is a twelfth of the square. */
static void evaluate_rarely(const double *x, double *values)
{
    values[0] = x[0] - x[1];
    values[1] = hypot(x[0] - 0.62, x[1] - 0.38) < 0.163;
}

/*
 * While every answer is no, nothing says which way a yes lies: then the square is filled. A policy left to
 * itself looks into its corners over and over.
 */
static void test_until_the_first_yes(void **state)
{
    static const char *const policies[] = {"auto", "cei", "sur", "svmcbo"};
    int most = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            ckg_options options = CKG_OPTIONS_INIT;
            double values[2] = {0};
            int n = 0;
            ckg_problem *p = box_problem(2, 0, 1, 0, 0);
            set_all_noise(p, CKG_NOISE_NONE, 0);
            must(ckg_problem_add_yesno(p, "ok"));
            options.policy = policies[i];
            options.initial = 4;
            options.seed = seed;
            ckg_study *s = study_of(p, &options);
            for (; !values[1] && n < 30; n++) {
                ckg_suggestion *a;
                must(ckg_study_ask(s, &a));
                assert_string_equal(a->path, n < 4 ? "design" : "explore");
                evaluate_rarely(a->x, values);
                must(ckg_study_tell(s, a->trial, values));
                ckg_suggestion_free(a);
            }
            most = n > most ? n : most;
            ckg_study_free(s);
        }
    print_message("the first yes after %d evaluations at most\n", most);
    assert_true(most > 4 && most < 30);
}

/* The same answer under two names counts once, until the two differ. */
static void test_the_same_answer_twice(void **state)
{
    double p[3][ASKED];

    (void)state;
    for (int i = 0; i < 3; i++) {
        ckg_problem *problem = box_problem(2, 0, 1, 0, 0);
        ckg_model_info model;
        set_all_noise(problem, CKG_NOISE_NONE, 0);
        must(ckg_problem_add_yesno(problem, "ok"));
        if (i)
            must(ckg_problem_add_yesno(problem, "fine"));
        ckg_study *s = study_of(problem, NULL);
        for (int t = 0; t < TOLD; t++) {
            double x[2], values[3];
            point(t, x);
            evaluate(x, values);
            values[2] = i == 2 && t == 5 ? 1 - values[1] : values[1];
            tell_at(s, x, values);
        }
        for (int t = 0; t < ASKED; t++) {
            double x[2], mean[3] = {0}, sd[3] = {0};
            point(TOLD + t, x);
            must(ckg_study_predict(s, 1, x, mean, sd, &p[i][t], NULL));
            if (i < 2)
                assert_near(p[i][t], p[0][t], 1e-12);
            if (i == 1)
                assert_true(mean[1] == mean[2] && sd[1] == sd[2]);
        }
        if (i) {
            must(ckg_study_model(s, 2, &model));
            assert_int_equal(model.duplicate_of, i == 1);
        }
        ckg_study_free(s);
    }
    assert_true(memcmp(p[2], p[0], sizeof p[0]) != 0);
}

/* A design that said yes once and no once is no fact. */
static void test_contradictions(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        ckg_study *s = new_study("cei", CKG_NOISE_NONE, 1);
        const double best[2] = {0.4, 0.41};
        ckg_recommendation *r;
        for (int t = 0; t < 6; t++) {
            double x[2], values[2];
            point(t, x);
            evaluate(x, values);
            tell_at(s, x, values);
        }
        tell_at(s, best, (const double[]){0.01, 1});
        if (again)
            tell_at(s, best, (const double[]){0.01, 0});
        must(ckg_study_recommend(s, NULL, &r));
        assert_int_equal(r->measured, !again);
        assert_true(again ? r->probability_feasible < 1 : r->x[0] == best[0]);
        ckg_recommendation_free(r);
        ckg_study_free(s);
    }
}

int main(void)
{
    return RUN_TESTS(test_what_is_refused, test_answers_are_like_failures, test_against_quadrature,
                     test_each_from_the_others, test_every_policy, test_the_optimum_on_an_edge,
                     test_until_the_first_yes, test_the_same_answer_twice, test_contradictions);
}
