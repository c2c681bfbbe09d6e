/*
 * The policy svmcbo: its values are those of its formulas in both phases, and their gradients; the first
 * phase lasts as long as it should and learns where the edge is; whatever the problem and whatever became of
 * the trials, it suggests designs that are allowed and new.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "policy/cited/policy_svmcbo.c" /* its static functions */
#include "study/study.h"
#include "support/near.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { DESIGNS = 14, PROBES = 20 };

/* Point t of a sequence that fills the square. */
static void point(int t, double x[2])
{
    x[0] = fmod(0.5 + t * 0.75487766624669276, 1);
    x[1] = fmod(0.5 + t * 0.56984029099805327, 1);
}

/* Yes within a disc. */
static void in_disc(const double *x, double *values)
{
    values[0] = sin(5 * x[0]) + x[1] * x[1];
    values[1] = hypot(x[0] - 0.5, x[1] - 0.5) < 0.35;
}

/* Two reals in the unit square, and an answer; initial 4. */
static ckg_study *new_study(double boundary, int budget)
{
    const ckg_setting setting = {"boundary", boundary};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 0, 0);

    set_all_noise(p, CKG_NOISE_NONE, 0);
    must(ckg_problem_add_yesno(p, "ok"));
    options.policy = "svmcbo";
    options.initial = 4;
    options.budget = budget;
    options.settings = &setting;
    options.settings_count = !isnan(boundary);
    return study_of(p, &options);
}

static ckg_study *told_study(double boundary)
{
    ckg_study *s = new_study(boundary, 0);

    for (int t = 0; t < DESIGNS; t++) {
        double x[2], values[2];
        point(t, x);
        in_disc(x, values);
        tell_at(s, x, values);
    }
    return s;
}

/* --- values --- */

/* The machine that the policy should have of the trials. */
static void train(const ckg_study *s, struct ckg__arena *keep, struct ckg__arena *scratch, struct svm *svm)
{
    const int n = s->data.designs;
    double *U = ckg__arena_doubles(keep, 2 * (size_t)n);
    signed char label[100];

    for (int i = 0; i < n; i++) {
        double values[2];
        in_disc(s->data.x + 2 * i, values);
        label[i] = values[1] > 0 ? 1 : -1;
        U[i] = s->data.x[2 * i];
        U[n + i] = s->data.x[2 * i + 1];
    }
    must(train_svm(svm, 2, n, U, label, 1000, 0.25, keep, scratch));
}

/* The value by its formula; mean and sd are the objective's in model units. */
static double by_formula(const struct svm *svm, int refine, const double *u, double mean, double sd)
{
    const double h = side_of(svm, u, NULL);
    const double away = sqrt(h * h + 0.01 * 0.01);
    struct svm cover = *svm;

    cover.width = 1 / sqrt(2 * acos(-1) * svm->n);
    return refine ? -away - nearness(&cover, u, NULL) : mean + 2 * sd - 10 * 0.5 * (away - h);
}

/* At probes all over the square, in both phases; h is known to 1e-8 whatever the order of the designs. */
static void test_values(void **state)
{
    (void)state;
    for (int refine = 0; refine < 2; refine++) {
        ckg_study *s = told_study(refine ? 100 : 0);
        struct ckg__arena keep, scratch;
        struct ckg__search search;
        struct svm svm;
        double X[2 * PROBES], value[PROBES];
        int inside = 0;

        ckg__arena_init(&keep);
        ckg__arena_init(&scratch);
        train(s, &keep, &scratch, &svm);
        for (int p = 0; p < PROBES; p++)
            point(50 + p, X + 2 * p);
        must(ckg_study_score(s, NULL, PROBES, X, value));
        must(ckg__study_begin_search(s, s->policy, &search));
        for (int p = 0; p < PROBES; p++) {
            double mean, var, dmean[2], dvar[2];
            struct ckg__batch batch = {.mean = &mean, .var = &var, .dmean = dmean, .dvar = dvar};
            must(ckg__posterior_batch(search.lookahead[0].belief->gp[0], 1, X + 2 * p, 1, search.results,
                                      &batch, NULL));
            const double want = by_formula(&svm, refine, X + 2 * p, mean, sqrt(var));
            inside += side_of(&svm, X + 2 * p, NULL) > 0;
            assert_near(value[p], want, 1e-7 * (1 + fabs(want)));
        }
        must(ckg__study_end_search(s, CKG_OK));
        assert_true(inside > 2 && inside < PROBES - 2);
        ckg__arena_free(&keep);
        ckg__arena_free(&scratch);
        ckg_study_free(s);
    }
}

/* The acquisition along coordinate k through the point u. */
struct along {
    const struct ckg__search *search;
    const struct ckg__acquisition *acquisition;
    double u[2];
    int k;
};

static double value_along(void *context, double step)
{
    const struct along *a = context;
    double moved[2] = {a->u[0], a->u[1]};
    double value;

    moved[a->k] += step;
    must(ckg__acquisition_at(a->search, a->acquisition, 1, moved, 1, a->search->results, &value, NULL));
    return value;
}

/* In the second phase, which the contracts of all policies do not reach where there is an edge. */
static void test_gradients_beyond_the_edge(void **state)
{
    ckg_study *s = told_study(0);
    struct ckg__search search;
    struct ckg__acquisition a;
    double U[2 * PROBES], value[PROBES], gradient[2 * PROBES];

    (void)state;
    for (int p = 0; p < PROBES; p++) {
        double x[2];
        point(50 + p, x);
        U[p] = x[0];
        U[PROBES + p] = x[1];
    }
    must(ckg__study_begin_search(s, s->policy, &search));
    must(s->policy->acquire(&search, &a));
    must(ckg__acquisition_at(&search, &a, PROBES, U, PROBES, search.results, value, gradient));
    for (int p = 0; p < PROBES; p++) {
        struct along along = {&search, &a, {U[p], U[PROBES + p]}, 0};
        for (along.k = 0; along.k < 2; along.k++) {
            const double slope = difference(value_along, &along, 1e-4);
            assert_near(gradient[along.k * PROBES + p], slope, 1e-4 * (1 + fabs(slope)));
        }
    }
    must(ckg__study_end_search(s, CKG_OK));
    ckg_study_free(s);
}

/* --- phases --- */

/* 1 while the edge is refined: then the value of a design that was evaluated is below −1, its own share. */
static int refines(ckg_study *s)
{
    double value[DESIGNS];
    int below = 0;

    must(ckg_study_score(s, NULL, DESIGNS / 2, s->data.x, value));
    for (int i = 0; i < DESIGNS / 2; i++)
        below += value[i] < -1;
    return below == DESIGNS / 2;
}

/* After 4 initial designs: half of the rest of the budget, at most 10 for each parameter; as long as it is
 * told. */
static void test_how_long_the_first_phase_lasts(void **state)
{
    static const struct {
        double boundary;
        int budget, trials;
    } cases[] = {{NAN, 20, 12}, {NAN, 100, 24}, {NAN, 0, 24}, {9, 20, 9}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckg_study *s = new_study(cases[i].boundary, cases[i].budget);
        for (int t = 0; t < cases[i].trials; t++) {
            double x[2], values[2];
            point(t, x);
            in_disc(x, values);
            if (t > DESIGNS / 2)
                assert_true(refines(s));
            tell_at(s, x, values);
        }
        assert_false(refines(s));
        ckg_study_free(s);
    }
}

/* The share of a grid on which the machine is right. */
static double right_of(const ckg_study *s)
{
    struct ckg__arena keep, scratch;
    struct svm svm;
    int right = 0;

    ckg__arena_init(&keep);
    ckg__arena_init(&scratch);
    train(s, &keep, &scratch, &svm);
    for (int i = 0; i < 400; i++) {
        const double x[2] = {(i % 20 + 0.5) / 20, (i / 20 + 0.5) / 20};
        double values[2];
        in_disc(x, values);
        right += (side_of(&svm, x, NULL) > 0) == (values[1] > 0);
    }
    ckg__arena_free(&keep);
    ckg__arena_free(&scratch);
    return right / 400.0;
}

/* Thirty evaluations show where the disc ends better than as many that fill the square. */
static void test_the_edge_is_learned(void **state)
{
    ckg_study *refined = new_study(100, 0);
    ckg_study *filled = new_study(100, 0);

    (void)state;
    ask_and_tell(refined, 30, in_disc);
    for (int t = 0; t < 30; t++) {
        double x[2], values[2];
        point(t, x);
        in_disc(x, values);
        tell_at(filled, x, values);
    }
    print_message("right on %.3f of the square, filled %.3f\n", right_of(refined), right_of(filled));
    assert_true(right_of(refined) > right_of(filled));
    ckg_study_free(refined);
    ckg_study_free(filled);
}

/* --- whatever happens --- */

enum world { PLAIN, NONE_FEASIBLE, ALL_FEASIBLE, FAILING, PENDING, PARTIAL, WORLDS };
enum kind { NO_CONSTRAINT, ANSWER, TWO_ANSWERS, NUMBER, EQUALITY, LATTICE, MIXED, RULED, KINDS };

static ckg_problem *problem_of(enum kind kind)
{
    static const char *const values[] = {"p", "q", "r"};
    ckg_problem *p;

    must(ckg_problem_new(&p));
    if (kind == LATTICE || kind == MIXED)
        must(ckg_problem_add_categorical(p, "a", 3, values));
    else
        must(ckg_problem_add_real(p, "a", 0, 2, CKG_LINEAR));
    if (kind == LATTICE)
        must(ckg_problem_add_integer(p, "b", 0, 9));
    else
        must(ckg_problem_add_real(p, "b", 0, 2, CKG_LINEAR));
    must(ckg_problem_set_objective(p, "f", CKG_MINIMIZE));
    must(ckg_problem_set_noise(p, "f", kind % 2 ? CKG_NOISE_NONE : CKG_NOISE_AUTO, 0));
    if (kind == NUMBER)
        must(ckg_problem_add_constraint(p, "c", -INFINITY, 1));
    else if (kind == EQUALITY)
        must(ckg_problem_add_equality(p, "c", 1, 0.05));
    else if (kind != NO_CONSTRAINT)
        must(ckg_problem_add_yesno(p, "c"));
    if (kind == TWO_ANSWERS)
        must(ckg_problem_add_yesno(p, "c2"));
    if (kind == RULED)
        must(ckg_problem_add_rule(p, "a + b <= 2.5", NULL));
    return p;
}

/* What becomes of a trial. */
static void finish(ckg_study *s, enum kind kind, enum world world, int trial, const double *x)
{
    const double size = x[0] + 0.3 * x[1];
    double values[3] = {size, size, size < 0.5};

    if (kind != NUMBER && kind != EQUALITY)
        values[1] = size > 0.4;
    if (world == NONE_FEASIBLE || world == ALL_FEASIBLE) {
        values[1] = world == ALL_FEASIBLE ? 1 : kind == NUMBER || kind == EQUALITY ? 3 : 0;
        values[2] = world == ALL_FEASIBLE;
    }
    if (world == FAILING && trial % 2)
        must(ckg_study_tell_failed(s, trial));
    else if (world == PARTIAL && trial % 3 == 0)
        must(ckg_study_tell_measured(s, trial, 1, &(ckg_measurement){0, size, CKG_SD_DEFAULT}));
    else if (world != PENDING || trial % 4)
        must(ckg_study_tell(s, trial, values));
}

/* New, finite, allowed. */
static void check(const ckg_problem *p, const ckg_study *s, const ckg_suggestion *one)
{
    must(ckg_problem_check_design(p, one->x));
    assert_finite(one->mean[0]);
    for (int t = 0; t < one->trial; t++) {
        const double *other = s->data.x + 2 * s->data.trial[t].design;
        if (s->data.trial[t].state == CKG_PENDING)
            assert_true(memcmp(other, one->x, 2 * sizeof *other) != 0);
    }
}

/* Through both phases, one after the other. */
static void test_whatever_happens(void **state)
{
    const ckg_setting setting = {"boundary", 9};

    (void)state;
    for (int i = 0; i < (int)KINDS * (int)WORLDS; i += test_scale(1, 5)) {
        const enum kind kind = (enum kind)(i / WORLDS);
        ckg_options options = CKG_OPTIONS_INIT;
        ckg_problem *p = problem_of(kind);
        ckg_study *s;
        options.policy = "svmcbo";
        options.initial = 4;
        options.samples = 2;
        options.settings = &setting;
        options.settings_count = 1;
        must(ckg_study_new(&s, p, &options));
        for (int t = 0; t < 14; t++) {
            ckg_suggestion *one;
            must(ckg_study_ask(s, &one));
            if (t >= 6)
                check(p, s, one);
            finish(s, kind, (enum world)(i % WORLDS), one->trial, one->x);
            ckg_suggestion_free(one);
        }
        ckg_study_free(s);
        ckg_problem_free(p);
    }
}

/* Corners are the farthest from everything, and the best: none is suggested over and over. */
static void test_no_design_twice_but_for_a_hair(void **state)
{
    for (double boundary = 0; boundary < 100; boundary += 50) {
        ckg_study *s = new_study(boundary, 0);
        double least = INFINITY;

        (void)state;
        ask_and_tell(s, 30, in_disc);
        for (int i = 0; i < s->data.designs; i++)
            for (int j = 0; j < i; j++)
                least = fmin(least, fmax(fabs(s->data.x[2 * i] - s->data.x[2 * j]),
                                         fabs(s->data.x[2 * i + 1] - s->data.x[2 * j + 1])));
        print_message("boundary %g: %.2g apart, or more\n", boundary, least);
        assert_true(s->data.designs == 30 && least > 1e-6);
        ckg_study_free(s);
    }
}

int main(void)
{
    return RUN_TESTS(test_values, test_gradients_beyond_the_edge, test_how_long_the_first_phase_lasts,
                     test_the_edge_is_learned, test_whatever_happens, test_no_design_twice_but_for_a_hair);
}
