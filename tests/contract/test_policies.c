/*
 * What every policy keeps, beside test_policies_finite.c, test_policies_same.c and test_policies_adverse.c:
 * gradients that are those of its values, suggestions where these are large, different designs while others
 * are pending, no allocation in the loops, and settings as the row declares them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "support/near.h"
#include "support/policies.h"
#include "support/scale.h"

static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO};

/* --- gradients --- */

enum { D = 2, POINTS = 12 };

/* One acquisition along coordinate k through the point u. */
struct along {
    const struct ckg__search *search;
    const struct ckg__acquisition *acquisition;
    double u[D];
    int k;
};

static double value_along(void *context, double step)
{
    const struct along *a = context;
    double moved[D], value;
    memcpy(moved, a->u, sizeof moved);
    moved[a->k] += step;
    must(ckg__acquisition_at(a->search, a->acquisition, 1, moved, 1, a->search->results, &value, NULL));
    return value;
}

/* Differences at two spacings: where they agree they are the slope, and *blur says how well they know it. */
static double slope_along(struct along *a, double *blur)
{
    const double wide = difference(value_along, a, 2e-4), narrow = difference(value_along, a, 1e-4);
    *blur = fabs(wide - narrow);
    return narrow;
}

/*
 * The gradient at POINTS random points against differences; the number of points where the differences are
 * sharp.
 */
static int compare_gradients(const struct ckg__search *search, const struct ckg__acquisition *a,
                             struct ckg__rng *rng, const char *name)
{
    double U[D * POINTS], value[POINTS], gradient[D * POINTS], plain[POINTS];
    int sharp = 0;
    random_points(rng, D, POINTS, U);
    for (int i = 0; i < D * POINTS; i++)
        U[i] = 0.02 + 0.96 * U[i];
    must(ckg__acquisition_at(search, a, POINTS, U, POINTS, search->results, value, gradient));
    must(ckg__acquisition_at(search, a, POINTS, U, POINTS, search->results, plain, NULL));
    for (int p = 0; p < POINTS; p++) {
        double slope[D], blur[D], largest = 1, worst = 0;
        struct along along = {search, a, {U[p], U[POINTS + p]}, 0};
        assert_near(value[p], plain[p], 1e-9 * (1 + fabs(value[p])));
        for (along.k = 0; along.k < D; along.k++) {
            slope[along.k] = slope_along(&along, &blur[along.k]);
            largest = fmax(largest, fabs(slope[along.k]));
            worst = fmax(worst, blur[along.k]);
        }
        sharp += worst <= 1e-5 * largest;
        for (int k = 0; k < D; k++)
            if (!(fabs(gradient[k * POINTS + p] - slope[k]) <= 1e-6 * largest + 4 * worst))
                fail_msg("%s at (%g, %g): slope %d is %.9g, by differences %.9g ± %.2g", name, U[p],
                         U[POINTS + p], k, gradient[k * POINTS + p], slope[k], worst);
    }
    return sharp;
}

/* Over K, noise, one hyperparameter and several, few data and more, with a pending design and without. */
static void gradients_are_of_the_values(const struct ckg__policy *row)
{
    struct ckg__rng rng;
    int sharp = 0, models = 0, several = 0;
    ckg__rng_seed(&rng, 77, 0, 0);
    for (int i = 0; row->acquire && i < 24; i += test_scale(1, 5)) {
        static const char *const fits[] = {"map", "sample"};
        const struct toy toy = {.K = i % 3, .noise = noises[i / 3 % 2], .fit = fits[i / 6 % 2]};
        ckg_study *study = toy_study_told(&toy, row->name, i < 12 ? 4 : 9);
        struct ckg__search search;
        struct ckg__acquisition acquisition;
        double x[2] = {2.4, 3.6};
        int trial;
        if (i % 2)
            must(ckg_study_add(study, x, &trial));
        must(ckg__study_begin_search(study, row, &search));
        must(row->acquire(&search, &acquisition));
        if (acquisition.gradients) {
            sharp += compare_gradients(&search, &acquisition, &rng, row->name);
            several += search.lookaheads > 1;
            models++;
        }
        ckg__study_end_search(study, CKG_OK);
        ckg_study_free(study);
    }
    if (!models)
        skip();
    print_message("%s: %d models, %d of them averages; differences are sharp at %d of %d points\n", row->name,
                  models, several, sharp, models * POINTS);
    assert_true(several >= models / 4);
    assert_true(sharp >= 0.8 * models * POINTS);
}

/* --- the choice --- */

enum { RIVALS = 200 };

/*
 * How many of `rivals` random designs the policy values above its own suggestion, by a twin of the study,
 * which has the same random numbers; -1: it was not the policy that suggested.
 */
static int betters(const struct toy *toy, const struct ckg__policy *row, int told, int rivals,
                   struct ckg__rng *rng)
{
    double X[2 * (RIVALS + 1)], value[RIVALS + 1];
    ckg_study *study = toy_study_told(toy, row->name, told), *twin = toy_study_told(toy, row->name, told);
    ckg_suggestion *s;
    int count = 0;
    must(ckg_study_ask(study, &s));
    const int own = !strcmp(s->path, row->name) ||
                    (row->acting && (!strcmp(s->path, "ckg") || !strcmp(s->path, "improve")));
    memcpy(X, s->x, 2 * sizeof *X);
    for (int i = 2; i < 2 * (rivals + 1); i++)
        X[i] = 5 * ckg__rng_uniform(rng);
    must(ckg_study_score(twin, NULL, rivals + 1, X, value));
    for (int p = 1; p <= rivals; p++)
        count += value[p] > value[0];
    ckg_suggestion_free(s);
    ckg_study_free(study);
    ckg_study_free(twin);
    return own ? count : -1;
}

/*
 * What a policy suggests is about where its values are largest: fewer than one in a hundred designs are
 * valued higher. Values that are drawn anew for every set of designs are no measure, and only the other two
 * kinds are looked at.
 */
static void the_suggestion_is_valued_most(const struct ckg__policy *row)
{
    const int rivals = test_scale(RIVALS, 100);
    struct ckg__rng rng;
    int better = 0, asked = 0;
    ckg__rng_seed(&rng, 78, 0, 0);
    for (int i = 0; (row->acquire || row->unit == CKG__UNIT_OBJECTIVE) && i < 12; i++) {
        const struct toy toy = {.K = i % 3, .noise = noises[i / 3 % 2]};
        const int count = betters(&toy, row, i < 6 ? 7 : 13, rivals, &rng);
        better += count > 0 ? count : 0;
        asked += count >= 0;
    }
    if (!asked)
        skip();
    print_message("%s: %d of %d random designs are valued above %d suggestions\n", row->name, better,
                  rivals * asked, asked);
    assert_true(asked >= 6);
    assert_true(100 * better < rivals * asked);
}

/* --- pending designs --- */

enum { BATCH = 4 };

/* The smallest distance between two of n designs (max norm). */
static double nearest(int n, const double *X)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            least = fmin(least, fmax(fabs(X[2 * i] - X[2 * k]), fabs(X[2 * i + 1] - X[2 * k + 1])));
    return least;
}

static void ask_into(ckg_study *study, double *x)
{
    ckg_suggestion *s;
    must(ckg_study_ask(study, &s));
    memcpy(x, s->x, 2 * sizeof *x);
    ckg_suggestion_free(s);
}

/* Four designs asked at once are four designs, and not the same one up to a hair. */
static void pending_designs_differ(const struct ckg__policy *row)
{
    double least = INFINITY;
    for (int i = 0; i < 12; i += test_scale(1, 5)) {
        const struct toy toy = {.K = i % 3, .noise = noises[i / 3 % 2]};
        ckg_study *study = toy_study_told(&toy, row->name, i < 6 ? 8 : 14);
        double X[2 * BATCH];
        for (int q = 0; q < BATCH; q++)
            ask_into(study, X + 2 * q);
        least = fmin(least, nearest(BATCH, X) / 5);
        ckg_study_free(study);
    }
    print_message("%s: pending designs are %.2g of the box apart, or more\n", row->name, least);
    assert_true(least > 1e-6);
}

/* On a lattice of 12 designs, and then to the end: each once where there is no noise. */
static void pending_designs_differ_on_a_lattice(const struct ckg__policy *row)
{
    for (int i = 0; i < 6; i += test_scale(1, 2)) {
        const struct toy toy = {.K = i % 3, .noise = noises[i / 3], .lattice = 1};
        const int told = 3;
        ckg_study *study = toy_study_told(&toy, row->name, told);
        ckg_suggestion *s;
        double X[2 * TOY_LATTICE];
        for (int t = 0; t < told; t++) {
            ckg_trial record;
            must(ckg_study_trial(study, t, &record));
            memcpy(X + 2 * t, record.x, 2 * sizeof *X);
        }
        const int noisy = toy.noise != CKG_NOISE_NONE, most = noisy ? BATCH : TOY_LATTICE - told;
        for (int q = 0; q < most; q++)
            ask_into(study, X + 2 * (told + q));
        assert_true(noisy ? nearest(most, X + 2 * told) >= 1 : nearest(told + most, X) >= 1);
        assert_int_equal(noisy ? CKG_ERR_EXHAUSTED : ckg_study_ask(study, &s), CKG_ERR_EXHAUSTED);
        ckg_study_free(study);
    }
}

/* --- memory --- */

static int count_one(size_t bytes, void *context)
{
    (void)bytes;
    *(int *)context += 1;
    return 1;
}

enum { MANY = 300 };

static int scoring_allocations(ckg_study *study, int count)
{
    static double X[2 * MANY], value[MANY];
    int calls = 0;
    for (int i = 0; i < 2 * count; i++)
        X[i] = 5 * fmod((i / 2 + 0.3) * sqrt(i % 2 ? 7 : 3), 1);
    ckg__alloc_set_hook(count_one, &calls);
    must(ckg_study_score(study, NULL, count, X, value));
    ckg__alloc_set_hook(NULL, NULL);
    return calls;
}

/*
 * Scores take their memory from the arenas: once these have grown, there is no allocation at any number of
 * points.
 */
static void scoring_allocates_nothing(const struct ckg__policy *row)
{
    const int many = test_scale(MANY, 60);
    for (int i = 0; policy_has_values(row) && i < 4; i += test_scale(1, 3)) {
        const struct toy toy = {.K = i / 2, .noise = noises[i % 2]};
        ckg_study *study = toy_study_told(&toy, row->name, 9);
        scoring_allocations(study, 10);
        assert_int_equal(scoring_allocations(study, 10), 0);
        scoring_allocations(study, many);
        assert_int_equal(scoring_allocations(study, many), 0);
        assert_int_equal(scoring_allocations(study, 10), 0);
        ckg_study_free(study);
    }
    if (!policy_has_values(row))
        skip();
}

/*
 * Allocations of an ask whose study was asked before, at the same data; `longer` times as many evaluations in
 * its loops.
 */
static int asking_allocations(const struct ckg__policy *row, const struct toy *toy, int longer)
{
    ckg_study *study = toy_study_told(toy, row->name, 9);
    struct ckg__search_size *const sizes[] = {&study->size, &study->size_sampled};
    int calls = 0;
    for (int e = 0; e < 2; e++) {
        sizes[e]->candidates *= longer;
        sizes[e]->inner_evaluations *= longer;
        sizes[e]->refine_evaluations *= longer;
    }
    for (int i = 0; i < 4; i++) {
        double x[2];
        calls = 0;
        ckg__alloc_set_hook(count_one, &calls);
        ask_into(study, x);
        ckg__alloc_set_hook(NULL, NULL);
        must(ckg_study_cancel(study, ckg_study_trials(study) - 1));
    }
    ckg_study_free(study);
    return calls;
}

/*
 * A suggestion is allocated, and memory per finalist by those that have finalists: little, and no more of it
 * when the loops run longer.
 */
static void asking_allocates_little(const struct ckg__policy *row)
{
    for (int i = 0; i < 4; i += test_scale(1, 3)) {
        const struct toy toy = {.K = i / 2, .noise = noises[i % 2]};
        const int usual = asking_allocations(row, &toy, 1), longer = asking_allocations(row, &toy, 4);
        print_message("%s, K = %d, %s: a warm ask allocates %d times, with loops four times as long %d\n",
                      row->name, toy.K, i % 2 ? "noise" : "no noise", usual, longer);
        assert_true(usual <= 100 && longer <= usual + 2);
    }
}

/* --- settings --- */

static int one_line(const char *text)
{
    return text && *text && !strchr(text, '\n');
}

/* For any problem the default lies within the range, and an integer's is one; it can be said in words. */
static void default_is_possible(const ckg_policy_parameter *p)
{
    char text[96];

    for (int d = 1; d <= CKG_MAX_PARAMETERS; d++)
        for (int sampled = 0; sampled < 2; sampled++) {
            const double value = ckg_policy_parameter_default(p, d, sampled);
            assert_true(isnan(value) || (value >= p->low && value <= p->high));
            assert_true(!p->integer || isnan(value) || value == floor(value));
        }
    assert_true(one_line(ckg_policy_parameter_default_text(p, text, sizeof text)));
    assert_true(strlen(text) < sizeof text - 1);
}

static void the_row_is_complete(const struct ckg__policy *row)
{
    ckg_policy_info info;
    must(ckg_policy_named(row->name, &info));
    assert_true(one_line(info.name) && one_line(info.title) && one_line(info.reference));
    assert_true(info.count >= 0 && info.count <= CKG__MAX_SETTINGS);
    assert_true(row->acquire || row->suggest);
    for (int i = 0; i < info.count; i++) {
        const ckg_policy_parameter *p = &info.parameters[i];
        assert_true(one_line(p->name) && one_line(p->help));
        assert_true(isfinite(p->low) && isfinite(p->high) && p->low < p->high);
        assert_true(p->integer == 0 || p->integer == 1);
        assert_true(!p->integer || (p->low == floor(p->low) && p->high == floor(p->high)));
        default_is_possible(p);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(p->name, info.parameters[k].name);
    }
}

static int study_with(const struct ckg__policy *row, int count, const ckg_setting *settings)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    options.policy = row->name;
    options.settings_count = count;
    options.settings = settings;
    must(ckg_problem_new(&problem));
    must(ckg_problem_add_real(problem, "x", 0, 1, CKG_LINEAR));
    const int status = ckg_study_new(&study, problem, &options);
    assert_true(!status == (study != NULL));
    ckg_study_free(study);
    ckg_problem_free(problem);
    return status;
}

/* Refused, and the message names the policy and the parameter. */
static void assert_refused(const struct ckg__policy *row, const char *name, double value)
{
    const ckg_setting setting = {name, value};
    assert_int_equal(study_with(row, 1, &setting), CKG_ERR_INVALID);
    if (!strstr(ckg_error_message(), row->name) || (name && !strstr(ckg_error_message(), name)))
        fail_msg("%s = %g is refused with '%s'", name ? name : "(null)", value, ckg_error_message());
}

static void settings_are_checked(const struct ckg__policy *row)
{
    for (int i = 0; i < row->count; i++) {
        const ckg_policy_parameter *p = &row->parameters[i];
        const double usual = ckg_policy_parameter_default(p, 1, 0);
        const ckg_setting ends[] = {{p->name, p->low}, {p->name, p->high}, {p->name, usual}};
        must(study_with(row, 1, &ends[0]));
        must(study_with(row, 1, &ends[1]));
        must(study_with(row, isnan(usual) ? 2 : 3, ends)); /* one that is given twice: the last holds */
        assert_refused(row, p->name, p->integer ? p->low - 1 : nextafter(p->low, -INFINITY));
        assert_refused(row, p->name, p->integer ? p->high + 1 : nextafter(p->high, INFINITY));
        assert_refused(row, p->name, -INFINITY);
        assert_refused(row, p->name, INFINITY);
        assert_refused(row, p->name, NAN);
        if (p->integer)
            assert_refused(row, p->name, p->low + 0.5);
    }
    assert_refused(row, "no_such_parameter", 1);
    assert_refused(row, "", 1);
    assert_refused(row, NULL, 1);
    assert_int_equal(study_with(row, -1, NULL), CKG_ERR_INVALID);
    assert_int_equal(study_with(row, 1, NULL), CKG_ERR_INVALID);
}

/* The suggestion of a study with these settings is finite, and its value where the policy has values. */
static void assert_suggests(const struct ckg__policy *row, int K, int count, const ckg_setting *settings)
{
    const struct toy toy = {.K = K, .noise = noises[K % 2]};
    ckg_study *study = toy_study(&toy, row->name, count, settings);
    for (int t = 0; t < TOY_INITIAL + 3; t++) {
        ckg_suggestion *s = toy_step(study, &toy);
        const char *first = count ? settings[0].name : "nothing";
        if (!isfinite(s->x[0]) || !isfinite(s->x[1]) || isinf(s->value))
            fail_msg("%s with %s set: (%g, %g), value %g by '%s'", row->name, first, s->x[0], s->x[1],
                     s->value, s->path);
        if (t >= TOY_INITIAL && !(row->traits & CKG__TRAIT_NO_MODEL) &&
            !(isfinite(s->mean[0]) && isfinite(s->sd[0])))
            fail_msg("%s with %s set: predicts %g, sd %g", row->name, first, s->mean[0], s->sd[0]);
        ckg_suggestion_free(s);
    }
    ckg_study_free(study);
}

/* Each parameter at the low end of its range, and all of them. */
static void low_settings_work(const struct ckg__policy *row)
{
    ckg_setting low[CKG__MAX_SETTINGS];
    for (int i = 0; i < row->count; i++)
        low[i] = (ckg_setting){row->parameters[i].name, row->parameters[i].low};
    for (int K = test_scale(0, 1); K < test_scale(TOY_OUTCOMES, 2); K++) {
        for (int i = 0; i < row->count; i++)
            assert_suggests(row, K, 1, &low[i]);
        assert_suggests(row, K, row->count, low);
    }
}

int main(void)
{
    static const struct policy_contract contracts[] = {
        {"gradients are of the values", gradients_are_of_the_values},
        {"the suggestion is valued most", the_suggestion_is_valued_most},
        {"pending designs differ", pending_designs_differ},
        {"pending designs differ on a lattice", pending_designs_differ_on_a_lattice},
        {"scoring allocates nothing", scoring_allocates_nothing},
        {"asking allocates little", asking_allocates_little},
        {"the row is complete", the_row_is_complete},
        {"settings are checked", settings_are_checked},
        {"low settings work", low_settings_work},
    };
    return policies_run(sizeof contracts / sizeof *contracts, contracts);
}
