/*
 * A constraint that repeats another one, in another unit, from another origin or with its sign turned over,
 * changes nothing, for every policy: suggestions and recommendations are those of the problem without it, but
 * for rounding, with failed and pending trials too. What is said of it is said in its own units. Once a
 * single value disagrees it counts again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/near.h"
#include "support/policies.h"
#include "support/scale.h"
#include "support/studies.h"

enum { TOLD = 11, ASKS = 3, MOST = 3 };

/* Which of the two constraints each one of the problem is, and how it says so: factor·c + shift. */
struct guise {
    const char *name;
    int K;
    int of[MOST];
    double factor[MOST], shift[MOST];
    double off; /* and so much of a wave to one that repeats another */
};

static const struct guise plain = {"plain", 2, {0, 1}, {1, 1}, {0, 0}, 0};
static const struct guise repeated[] = {
    {"twice the first", 3, {0, 1, 0}, {1, 1, 2}, {0, 0, 0}, 0},
    {"the first turned over, in the middle", 3, {0, 0, 1}, {1, -3.7, 1}, {0, 1.25, 0}, 0},
    {"the second in thousands", 3, {0, 1, 1}, {1, 1, 1e-3}, {0, 0, -40}, 0},
};

static double constraint(const double *x, int k)
{
    return k ? sin(4 * x[1]) - x[0] : x[0] + x[1] * x[1] - 0.9 + 0.2 * sin(9 * x[0]);
}

static void evaluate(const struct guise *g, int trial, int noisy, const double *x, double *values)
{
    const double noise = noisy ? 0.05 * sin(1e4 * (trial + 1)) : 0;

    values[0] = pow(x[0] - 0.7, 2) + pow(x[1] - 0.6, 2) + noise;
    for (int k = 0; k < g->K; k++)
        values[1 + k] = g->factor[k] * (constraint(x, g->of[k]) + noise) + g->shift[k] +
                        (g->factor[k] != 1 ? g->off * cos(3 * x[1]) : 0);
}

static ckg_study *study_as(const struct guise *g, const char *policy, int noisy, int threads)
{
    static const char *const names[] = {"a", "b", "c"};
    const enum ckg_noise noise = noisy ? CKG_NOISE_AUTO : CKG_NOISE_NONE;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = box_problem(2, 0, 1, 0, 0);

    must(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", noise, 0));
    for (int k = 0; k < g->K; k++) {
        const double limit = g->shift[k];
        must(ckg_problem_add_constraint(problem, names[k], g->factor[k] < 0 ? limit : -INFINITY,
                                        g->factor[k] < 0 ? INFINITY : limit));
        must(ckg_problem_set_noise(problem, names[k], noise, 0));
    }
    options.policy = policy;
    options.seed = 11;
    options.initial = 0;
    options.samples = 3;
    options.threads = threads;
    return study_of(problem, &options);
}

/* Trials of a fixed sequence: one has failed, one is under way. */
static void tell_some(ckg_study *s, const struct guise *g, int noisy)
{
    for (int t = 0; t < TOLD; t++) {
        const double x[] = {fmod((t + 0.5) * sqrt(2), 1), fmod((t + 0.5) * sqrt(5), 1)};
        double values[1 + MOST];
        int trial;

        must(ckg_study_add(s, x, &trial));
        evaluate(g, t, noisy, x, values);
        if (t == 4)
            must(ckg_study_tell_failed(s, trial));
        else if (t < TOLD - 1)
            must(ckg_study_tell(s, trial, values));
    }
}

/* What a study says: the designs and feasibilities of a few suggestions and of a recommendation. */
struct said {
    double x[ASKS + 1][2];
    double feasible[ASKS + 1];
    double value[ASKS + 1];
};

/* The study goes on where the plain one, `lead`, was led; NULL: where it wants to. */
static void listen(const struct guise *g, const char *policy, int noisy, int asks, const struct said *lead,
                   struct said *said)
{
    ckg_study *s = study_as(g, policy, noisy, 1);
    ckg_recommendation *r;

    tell_some(s, g, noisy);
    for (int i = 0; i < asks; i++) {
        const double *x = lead ? lead->x[i] : said->x[i];
        double values[1 + MOST];
        ckg_suggestion *a;

        must(ckg_study_ask(s, &a));
        memcpy(said->x[i], a->x, sizeof said->x[i]);
        said->feasible[i] = a->probability_feasible;
        said->value[i] = a->value;

        must(ckg_study_cancel(s, a->trial)); /* rounding must not add up */
        evaluate(g, i, noisy, x, values);
        tell_at(s, x, values);
        ckg_suggestion_free(a);
    }
    must(ckg_study_recommend(s, NULL, &r));
    memcpy(said->x[asks], r->x, sizeof said->x[asks]);
    said->feasible[asks] = r->probability_feasible;
    said->value[asks] = r->utility;
    ckg_recommendation_free(r);
    ckg_study_free(s);
}

static double apart(double a, double b)
{
    return isnan(a) && isnan(b) ? 0 : fabs(a - b);
}

static void repeating_changes_nothing(const struct ckg__policy *row)
{
    const int asks = test_scale(ASKS, 1);

    for (int noisy = 0; noisy < 2; noisy++) {
        struct said bare;
        listen(&plain, row->name, noisy, asks, NULL, &bare);
        for (size_t g = 0; g < sizeof repeated / sizeof *repeated; g++) {
            struct said said;
            double far = 0;
            listen(&repeated[g], row->name, noisy, asks, &bare, &said);
            for (int i = 0; i <= asks; i++) {
                far = fmax(far, fmax(apart(said.x[i][0], bare.x[i][0]), apart(said.x[i][1], bare.x[i][1])));
                far = fmax(far, apart(said.feasible[i], bare.feasible[i]));
                far = fmax(far, apart(said.value[i], bare.value[i]) / fmax(1, fabs(bare.value[i])));
            }
            if (!(far <= 1e-9))
                print_message("%s, %s, %s: off by %.2g\n", row->name, repeated[g].name,
                              noisy ? "noisy" : "exact", far);
            assert_true(far <= 1e-9);
        }
    }
}

/* Nearly: the designs that are asked for do not depend on the number of threads, nor on a rebuilding. */
static const struct guise nearly[] = {
    {"nearly the first", 3, {0, 1, 0}, {1, 1, 2}, {0, 0, 0}, 1e-4},
    {"nearly the first, turned over", 3, {0, 0, 1}, {1, -3.7, 1}, {0, 1.25, 0}, 1e-4},
};

static void nearly_repeating_is_reproducible(const struct ckg__policy *row)
{
    for (int noisy = 0; noisy < 2; noisy++)
        for (size_t g = 0; g < sizeof nearly / sizeof *nearly; g++) {
            ckg_study *s[3];
            ckg_suggestion *a[3];
            ckg_model_info model;

            for (int i = 0; i < 3; i++)
                s[i] = study_as(&nearly[g], row->name, noisy, 1 + i % 2);
            tell_some(s[0], &nearly[g], noisy);
            tell_some(s[1], &nearly[g], noisy);
            copy_trials(s[0], s[2]);
            must(ckg_study_model(s[0], g ? 2 : 3, &model));
            assert_true(model.duplicate_of == 1 && !model.is_duplicate);
            for (int i = 0; i < 3; i++) {
                must(ckg_study_ask(s[i], &a[i]));
                assert_memory_equal(a[i]->x, a[0]->x, 2 * sizeof *a[0]->x);
                assert_memory_equal(a[i]->mean, a[0]->mean, 4 * sizeof *a[0]->mean);
                assert_memory_equal(&a[i]->probability_feasible, &a[0]->probability_feasible, sizeof(double));
            }
            for (int i = 0; i < 3; i++) {
                ckg_suggestion_free(a[i]);
                ckg_study_free(s[i]);
            }
        }
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"a repeated constraint changes nothing", repeating_changes_nothing},
        {"a constraint that is nearly repeated is reproducible", nearly_repeating_is_reproducible},
    };
    return policies_run(sizeof contracts / sizeof *contracts, contracts);
}
