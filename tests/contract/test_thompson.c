/*
 * The policies that draw, `cts` and `scbo`, through studies: the choice is the draw's, by definition; a trust
 * region follows from the trials alone, restarts included; suggestions stay in the region; lattices are
 * exhausted; units, threads and pending designs are no trouble; and the region does what it is for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/ckg.h>

#include "model/gp_private.h"
#include "study/study.h"
#include "search/regional.h"
#include "policy/thompson.h"
#include "support/scale.h"
#include "support/studies.h"
#include "support/test.h"

enum { INITIAL = 6, MOST = 80 };

/* --- a problem on [0, 5]², and studies of it --- */

static double mystery(const double *x)
{
    const double bowl = 2 + 0.01 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2) + 2 * pow(2 - x[1], 2);
    return bowl + 7 * sin(0.5 * x[0]) * sin(0.7 * x[0] * x[1]);
}

/*
 * How a study sees it: objective ← factor·f + shift, to be maximised where the factor is negative; constraint
 * ← unit·c.
 */
struct guise {
    double factor, shift, unit;
};

static const struct guise plain = {1, 0, 1};

static void evaluate(const struct guise *g, const double *x, int t, double noise, double *values)
{
    values[0] = g->factor * (mystery(x) + noise * sin(1000 * t)) + g->shift;
    values[1] = g->unit * -sin(x[0] - x[1] - 0.39269908169872414);
}

struct plan {
    const char *policy;
    const struct guise *guise;
    double noise;
    int threads;
    int hasty; /* 1: a trust region that restarts soon */
};

static ckg_study *study_new(const struct plan *plan)
{
    static const ckg_setting hasty[] = {{"failures", 2}, {"length_min", 0.15}, {"scout", 4}};
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 5, 0, 0);

    must(ckg_problem_set_objective(p, "f", plan->guise->factor < 0 ? CKG_MAXIMIZE : CKG_MINIMIZE));
    must(ckg_problem_set_noise(p, "f", plan->noise > 0 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0));
    must(ckg_problem_add_constraint(p, "c", -INFINITY, plan->guise->unit * 0.1));
    must(ckg_problem_set_noise(p, "c", CKG_NOISE_NONE, 0));
    options.policy = plan->policy;
    options.threads = plan->threads ? plan->threads : 1;
    options.initial = INITIAL;
    options.seed = 11;
    options.samples = 4;
    options.settings = hasty;
    options.settings_count = plan->hasty ? 3 : 0;
    return study_of(p, &options);
}

/* The trust region that scbo keeps for the study; NULL before it was asked. */
static const struct ckg__regional *regional_of(const ckg_study *s)
{
    return s->kept[ckg__policy_index(&ckg__policy_scbo)];
}

static const char *one_step(ckg_study *s, const struct plan *plan, double *x)
{
    ckg_suggestion *a;
    double values[2];

    must(ckg_study_ask(s, &a));
    memcpy(x, a->x, 2 * sizeof *x);
    evaluate(plan->guise, x, a->trial, plan->noise, values);
    must(a->trial % 9 == 8 ? ckg_study_tell_failed(s, a->trial) : ckg_study_tell(s, a->trial, values));
    for (int j = 0; a->trial >= INITIAL && j < 2; j++)
        assert_true(isfinite(a->mean[j]) && isfinite(a->sd[j]));
    const char *path = a->path;
    ckg_suggestion_free(a);
    return path;
}

/* A study that was told the first n designs X as one_step would have. */
static ckg_study *rebuilt(const struct plan *plan, int n, const double *X)
{
    ckg_study *s = study_new(plan);

    for (int t = 0; t < n; t++) {
        double values[2];
        int trial;
        evaluate(plan->guise, X + 2 * t, t, plan->noise, values);
        must(ckg_study_add(s, X + 2 * t, &trial));
        must(t % 9 == 8 ? ckg_study_tell_failed(s, trial) : ckg_study_tell(s, trial, values));
    }
    return s;
}

/* --- the choice --- */

static void check_choice(ckg_study *s, const struct ckg__policy *policy)
{
    struct ckg__search search;
    struct ckg__thompson draw;
    double u[2], *U;
    struct ckg__choice choice = {.u = u};
    int count, best = -1, least = 0;
    double least_sum = INFINITY;

    must(ckg__study_begin_search(s, policy, &search));
    assert_int_equal(search.lookaheads, 1);
    must(ckg__policy_suggest(policy, &search, &choice));
    assert_true(choice.found);
    must(ckg__search_candidates(&search, &U, &count));
    count = ckg__thompson_distinct(2, count, U);
    must(ckg__thompson_make(&search, search.lookahead[0].belief, count, U, &draw));
    for (int p = 0; p < count; p++) {
        const struct ckg__belief *b = search.lookahead[0].belief;
        double sum = 0;
        for (int j = 1; j < b->outcomes; j++)
            sum += fmax(0, draw.value[j][p] - b->upper[j]) + fmax(0, b->lower[j] - draw.value[j][p]);
        if (sum == 0 && (best < 0 || draw.value[0][p] > draw.value[0][best]))
            best = p;
        least = sum < least_sum ? p : least;
        least_sum = fmin(sum, least_sum);
    }
    best = best < 0 ? least : best;
    assert_true(u[0] == U[best] && u[1] == U[count + best]);
    assert_int_equal(choice.candidates, count);
    ckg__study_end_search(s, CKG_OK);
}

static void test_cts_chooses_by_definition(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        const struct plan plan = {.policy = "cts", .guise = &plain, .noise = noisy};
        ckg_study *s = study_new(&plan);
        double x[2];
        for (int t = 0; t < test_scale(20, 10); t++) {
            if (t >= INITIAL)
                check_choice(s, &ckg__policy_cts);
            one_step(s, &plan, x);
        }
        ckg_study_free(s);
    }
}

/* Under several hyperparameter samples each is drawn at its time, by the number of trials. */
static void test_every_sample_is_drawn(void **state)
{
    const struct plan plan = {.policy = "cts", .guise = &plain, .noise = 1};
    ckg_study *s = study_new(&plan);
    unsigned seen = 0;
    double x[2];

    (void)state;
    for (int t = 0; t < test_scale(40, 14); t++) {
        struct ckg__search search;
        if (t >= INITIAL) {
            must(ckg__study_begin_search(s, &ckg__policy_cts, &search));
            assert_int_equal(s->models.beliefs, 4);
            for (int b = 0; b < 4; b++)
                seen |= (unsigned)(search.lookahead[0].belief->gp[0] == s->models.belief[b].gp[0]) << b;
            ckg__study_end_search(s, CKG_OK);
        }
        one_step(s, &plan, x);
    }
    assert_int_equal(seen, 15);
    ckg_study_free(s);
}

/* --- the region from the trials --- */

/* At every step the study that went on and one rebuilt from its trials say the same, through restarts. */
static void test_a_rebuilt_study_goes_on(void **state)
{
    (void)state;
    for (int noisy = test_scale(0, 1); noisy < 2; noisy++) {
        const struct plan plan = {.policy = "scbo", .guise = &plain, .noise = noisy, .hasty = 1};
        ckg_study *s = study_new(&plan);
        double X[2 * MOST], x[2];
        int restarts = 0, scouts = 0;
        for (int t = 0; t < 45; t++) {
            const int compared = t % test_scale(3, 11) == 0;
            if (compared) {
                ckg_study *other = rebuilt(&plan, t, X);
                one_step(other, &plan, x);
                ckg_study_free(other);
            }
            one_step(s, &plan, X + 2 * t);
            if (compared)
                assert_memory_equal(x, X + 2 * t, sizeof x);
            const struct ckg__regional *regional = regional_of(s);
            restarts = regional && regional->region.restarts > restarts ? regional->region.restarts
                                                                        : restarts;
            scouts += regional && regional->region.scouting;
        }
        print_message("%s: %d restarts, %d scouts\n", noisy ? "noise" : "no noise", restarts, scouts);
        assert_true(restarts >= 2 && scouts >= 2);
        ckg_study_free(s);
    }
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    static const char *const policies[] = {"cts", "scbo"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        double X[2][2 * 30] = {{0}};
        for (int t = 0; t < 2; t++) {
            const struct plan plan = {
                .policy = policies[i % 2], .guise = &plain, .noise = i / 2, .threads = 1 + t};
            ckg_study *s = study_new(&plan);
            for (int k = 0; k < test_scale(30, 10); k++)
                one_step(s, &plan, X[t] + 2 * k);
            ckg_study_free(s);
        }
        assert_memory_equal(X[0], X[1], sizeof X[0]);
    }
}

/*
 * A new region begins with a Latin hypercube of its own: one design in each of INITIAL strata, in both
 * parameters.
 */
static void test_a_restart_has_a_fresh_design(void **state)
{
    const struct plan plan = {.policy = "scbo", .guise = &plain, .hasty = 1};
    ckg_study *s = study_new(&plan);
    int fresh = 0, designs = 0;
    unsigned strata[2] = {0, 0};
    double x[2];

    (void)state;
    for (int t = 0; t < 45 && designs < 2; t++) {
        if (strcmp(one_step(s, &plan, x), "restart") != 0) {
            assert_int_equal(fresh % INITIAL, 0);
            continue;
        }
        fresh++;
        for (int k = 0; k < 2; k++)
            strata[k] |= 1u << (int)(x[k] / 5 * INITIAL);
        if (fresh % INITIAL)
            continue;
        assert_true(strata[0] == (1u << INITIAL) - 1 && strata[1] == (1u << INITIAL) - 1);
        strata[0] = strata[1] = 0;
        designs++;
    }
    assert_int_equal(designs, 2);
    ckg_study_free(s);
}

/*
 * Unless it scouts, a suggestion is within the region's sides, which the length-scales stretch at most
 * fourfold.
 */
static void test_suggestions_stay_in_the_region(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < test_scale(2, 1); noisy++) {
        const struct plan plan = {.policy = "scbo", .guise = &plain, .noise = noisy};
        ckg_study *s = study_new(&plan);
        double X[2 * MOST];
        int inside = 0;
        for (int t = 0; t < 45; t++) {
            const int regional = !strcmp(one_step(s, &plan, X + 2 * t), "scbo");
            if (t < INITIAL || !regional || regional_of(s)->region.scouting)
                continue;
            /* the region as it was when asked for: its centre is one of the designs before */
            const struct ckg__region *r = &regional_of(s)->region;
            const struct ckg__gp *gp = regional_of(s)->models.belief[0].gp[0];
            const double half = 0.5 * r->length * CKG__REGION_STRETCH * 5;
            int any = 0;
            for (int i = r->first; i < t; i++)
                any |= fabs(X[2 * t] - X[2 * i]) <= half * (1 + 1e-9) &&
                       fabs(X[2 * t + 1] - X[2 * i + 1]) <= half * (1 + 1e-9);
            assert_true(any);
            if (!noisy) {
                const double weight = sqrt(gp->inv_ell[1] / gp->inv_ell[0]), *c = s->data.x + 2 * r->centre;
                for (int k = 0; k < 2; k++) {
                    const double side = r->length * fmin(4, fmax(0.25, k ? 1 / weight : weight)) * 5;
                    assert_true(fabs(X[2 * t + k] - c[k]) <= 0.5 * side * (1 + 1e-9));
                }
            }
            inside++;
        }
        print_message("%d suggestions in regions\n", inside);
        assert_true(inside >= 20);
        ckg_study_free(s);
    }
}

/* --- units --- */

static void test_units_origin_and_sign_change_nothing(void **state)
{
    static const struct guise guises[] = {
        {-1, 0, 1}, {0x1p20, 0, 0x1p-10}, {1e-6, 0, 1}, {1e6, 0, 3e5}, {1, 1e4, 1e-4}};
    static const char *const policies[] = {"cts", "scbo"};
    enum { STEPS = 14 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct plan plan = {.policy = policies[i], .guise = &plain};
        double X[2 * (INITIAL + STEPS)], far = 0;
        ckg_study *s = study_new(&plan);
        for (int t = 0; t < INITIAL + STEPS; t++)
            one_step(s, &plan, X + 2 * t);
        ckg_study_free(s);
        for (int g = 0; g < 5; g++)
            for (int t = INITIAL; t < INITIAL + test_scale(STEPS, 2); t++) {
                const struct plan other = {.policy = policies[i], .guise = &guises[g]};
                double x[2];
                s = rebuilt(&other, t, X);
                one_step(s, &other, x);
                ckg_study_free(s);
                far = fmax(far, fmax(fabs(x[0] - X[2 * t]), fabs(x[1] - X[2 * t + 1])) / 5);
            }
        print_message("%s: within %.2g of the box\n", policies[i], far);
        assert_true(far <= 1e-6);
    }
}

/* --- pending designs, lattices, lists --- */

static void test_pending_designs_get_different_draws(void **state)
{
    static const char *const policies[] = {"cts", "scbo"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct plan plan = {.policy = policies[i], .guise = &plain};
        ckg_study *s = study_new(&plan);
        double X[2 * MOST];
        for (int t = 0; t < 12; t++)
            one_step(s, &plan, X + 2 * t);
        for (int t = 0; t < 8; t++) {
            ckg_suggestion *a;
            must(ckg_study_ask(s, &a));
            for (int k = 0; k < t; k++)
                assert_true(memcmp(a->x, X + 2 * k, 2 * sizeof *X) != 0);
            memcpy(X + 2 * t, a->x, 2 * sizeof *X);
            ckg_suggestion_free(a);
        }
        ckg_study_free(s);
    }
}

/* Asks until every design has been seen, each once, and then no more; the problem is freed. */
static void exhaust(ckg_problem *p, const char *policy, int size)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *s;
    ckg_suggestion *a;

    options.policy = policy;
    options.initial = 4;
    must(ckg_problem_set_noise(p, "objective", CKG_NOISE_NONE, 0));
    must(ckg_problem_add_constraint(p, "c", 0.2, INFINITY));
    must(ckg_problem_set_noise(p, "c", CKG_NOISE_NONE, 0));
    must(ckg_study_new(&s, p, &options));
    for (int t = 0; t < size; t++) {
        must(ckg_study_ask(s, &a));
        assert_int_equal(a->trial, t);
        const double values[2] = {pow(a->x[0] - 3, 2) + a->x[1], sin(a->x[0] + a->x[1])};
        must(ckg_study_tell(s, t, values));
        ckg_suggestion_free(a);
    }
    assert_int_equal(s->data.designs, size);
    assert_int_equal(ckg_study_ask(s, &a), CKG_ERR_EXHAUSTED);
    double scores[MOST];
    must(ckg_study_score(s, NULL, size, s->data.x, scores));
    for (int i = 0; i < size; i++)
        assert_true(isfinite(scores[i]));
    ckg_study_free(s);
    ckg_problem_free(p);
}

static void test_lattices_and_lists_are_exhausted_once(void **state)
{
    static const char *const policies[] = {"cts", "scbo"}, *const values[] = {"a", "b", "c"};
    double list[2 * 30];
    ckg_problem *p;

    (void)state;
    for (int i = 0; i < 30; i++) {
        list[2 * i] = i % 7 + 0.25;
        list[2 * i + 1] = 0.1 * i;
    }
    for (int i = 0; i < 2; i++) {
        must(ckg_problem_new(&p));
        must(ckg_problem_add_integer(p, "i", 0, 12));
        must(ckg_problem_add_categorical(p, "c", 3, values));
        exhaust(p, policies[i], 39);
        must(ckg_problem_new(&p));
        must(ckg_problem_add_real(p, "x", 0, 7, CKG_LINEAR));
        must(ckg_problem_add_real(p, "y", 0, 4, CKG_LINEAR));
        must(ckg_problem_set_designs(p, 30, list));
        exhaust(p, policies[i], 30);
    }
}

/* --- what it is for --- */

/* Ackley's function of d parameters with a ball and a half-space as in the paper. */
static void ackley(int d, const double *x, double *values)
{
    double squares = 0, waves = 0, sum = 0;

    for (int i = 0; i < d; i++) {
        squares += x[i] * x[i];
        waves += cos(6.283185307179586 * x[i]);
        sum += x[i];
    }
    values[0] = -20 * exp(-0.2 * sqrt(squares / d)) - exp(waves / d) + 20 + exp(1);
    values[1] = sum;
    values[2] = sqrt(squares) - 5;
}

/* The smallest total violation, and the best feasible objective, after so many evaluations. */
static void solve(const char *policy, int d, int evaluations, uint64_t seed, double *least, double *best)
{
    ckg_options options = CKG_OPTIONS_INIT;
    const ckg_setting setting = {"candidates", 400};
    ckg_problem *p = box_problem(d, -5, 10, 2, 0); /* c0: a half space, c1: a ball */

    set_all_noise(p, CKG_NOISE_NONE, 0);
    options.policy = policy;
    options.seed = seed;
    options.settings = &setting;
    options.settings_count = 1;
    ckg_study *s = study_of(p, &options);
    *least = *best = INFINITY;
    for (int t = 0; t < evaluations; t++) {
        ckg_suggestion *a;
        double values[3];
        must(ckg_study_ask(s, &a));
        ackley(d, a->x, values);
        must(ckg_study_tell(s, a->trial, values));
        ckg_suggestion_free(a);
        const double violation = fmax(0, values[1]) + fmax(0, values[2]);
        *least = fmin(*least, violation);
        *best = violation == 0 ? fmin(*best, values[0]) : *best;
    }
    ckg_study_free(s);
}

/*
 * In 20 dimensions the feasible part is one in some 10¹¹. After 100 evaluations neither policy has to be
 * there, but the region is on its way. (Whole runs: bench/many_parameters.c.) A light run ends before that
 * shows.
 */
static void test_a_region_helps_in_many_dimensions(void **state)
{
    const int evaluations = test_scale(100, 25);
    double sum[2] = {0, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)test_scale(2, 1); seed++)
        for (int i = 0; i < 2; i++) {
            double least, best;
            solve(i ? "scbo" : "cts", 20, evaluations, seed, &least, &best);
            print_message("%s, seed %d: least violation %.3g, best feasible %.3g\n", i ? "scbo" : "cts",
                          (int)seed, least, best);
            sum[i] += least;
        }
    assert_true(isfinite(sum[0]) && isfinite(sum[1]));
    assert_true(evaluations < 100 || sum[1] < 0.5 * sum[0]);
}

int main(void)
{
    return RUN_TESTS(test_cts_chooses_by_definition, test_every_sample_is_drawn, test_a_rebuilt_study_goes_on,
                     test_any_number_of_threads_gives_the_same_bits, test_a_restart_has_a_fresh_design,
                     test_suggestions_stay_in_the_region, test_units_origin_and_sign_change_nothing,
                     test_pending_designs_get_different_draws, test_lattices_and_lists_are_exhausted_once,
                     test_a_region_helps_in_many_dimensions);
}
