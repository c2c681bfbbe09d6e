/*
 * Joint draws of all outcomes on the discretisations of a search: their moments against the views they are
 * drawn from, the best feasible point of a draw by its definition, the same bits at any number of threads,
 * and through data without noise.
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

#include "model/gp_private.h"
#include "study/study.h"
#include "search/draws.h"
#include "support/near.h"
#include "support/process.h"
#include "support/studies.h"
#include "support/test.h"

enum { DATA = 9, DRAWS = 4000 };

/*
 * Nine evaluations of an objective and two constraints; with noise in the objective there are several
 * hyperparameter samples.
 */
static ckg_study *new_study(int noisy, int threads, uint64_t seed)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p = box_problem(2, 0, 1, 0, 0);

    must(ckg_problem_add_constraint(p, "c", -INFINITY, 0.2));
    must(ckg_problem_add_constraint(p, "d", -0.5, 0.9));
    for (int j = noisy; j < 3; j++)
        must(ckg_problem_set_noise(p, ckg_problem_outcome_name(p, j), CKG_NOISE_NONE, 0));
    options.policy = "cmes";
    options.initial = 0;
    options.samples = 3;
    options.threads = threads;
    options.seed = seed;
    ckg_study *s = study_of(p, &options);
    tell_waves(s, DATA, noisy);
    return s;
}

static void begin(ckg_study *s, struct ckg__search *search)
{
    must(ckg__study_begin_search(s, s->policy, search));
}

static void test_moments(void **state)
{
    ckg_study *s = new_study(0, 1, 5);
    struct ckg__search search;
    struct ckg__draws draws;

    (void)state;
    begin(s, &search);
    must(ckg__search_draw(&search, CKG__DRAWS_CMES, DRAWS, &draws));
    assert_int_equal(draws.m, search.lookahead[0].m);
    assert_int_equal(draws.outcomes, 3);
    for (int j = 0; j < 3; j++) {
        const struct ckg__view *view = &search.lookahead[0].view[j];
        const struct ckg__gp *gp = search.lookahead[0].belief->gp[j];
        for (int p = 0; p < draws.m; p += 7) {
            double sum = 0, square = 0;
            const double var = view->var[p] + gp->nugget * gp->k.s2;
            for (int i = 0; i < DRAWS; i++) {
                const double off = ckg__draws_of(&draws, j, i)[p] - view->mean[p];
                sum += off;
                square += off * off;
            }
            assert_near(sum / DRAWS, 0, 5 * sqrt(var / DRAWS));
            assert_near(square / DRAWS, var, 5 * var * sqrt(2.0 / DRAWS) + 1e-9);
        }
    }
    ckg__study_end_search(s, CKG_OK);
    ckg_study_free(s);
}

/* Outcomes are independent of each other, neighbouring points of one outcome are not. */
static void test_joint(void **state)
{
    ckg_study *s = new_study(0, 1, 6);
    struct ckg__search search;
    struct ckg__draws draws;
    double product[3] = {0}, square[3] = {0};

    (void)state;
    begin(s, &search);
    must(ckg__search_draw(&search, CKG__DRAWS_CMES, DRAWS, &draws));
    const struct ckg__lookahead *lookahead = &search.lookahead[0];
    int far = 0; /* the point that is least known */
    for (int p = 1; p < search.base; p++)
        far = lookahead->view[0].var[p] > lookahead->view[0].var[far] ? p : far;
    for (int i = 0; i < DRAWS; i++) {
        const double f = ckg__draws_of(&draws, 0, i)[far] - lookahead->view[0].mean[far],
                     c = ckg__draws_of(&draws, 1, i)[far] - lookahead->view[1].mean[far];
        const double g = ckg__draws_of(&draws, 0, i)[lookahead->r] - lookahead->view[0].mean[lookahead->r];
        const double pair[3] = {f * c, f * g, 0}, size[3] = {f * f, c * c, g * g};
        for (int k = 0; k < 3; k++) {
            product[k] += pair[k] / DRAWS;
            square[k] += size[k] / DRAWS;
        }
    }
    assert_near(product[0] / sqrt(square[0] * square[1]), 0, 5 / sqrt(DRAWS));
    double cov;
    struct ckg__view one = lookahead->view[0];
    one.m = 1;
    one.B += lookahead->r;
    one.V += lookahead->r;
    ckg__view_covariance(search.lookahead[0].belief->gp[0], &one, &lookahead->view[0], far, 1, &cov, 1);
    assert_near(product[1], cov, 5 * sqrt((square[0] * square[2] + cov * cov) / DRAWS));
    ckg__study_end_search(s, CKG_OK);
    ckg_study_free(s);
}

/* Designs evaluated without noise have in every draw the values that were measured. */
static void test_draws_pass_through_the_data(void **state)
{
    ckg_study *s = new_study(0, 1, 7);
    struct ckg__search search;
    struct ckg__draws draws;
    int seen = 0;

    (void)state;
    begin(s, &search);
    must(ckg__search_draw(&search, CKG__DRAWS_CMES, 20, &draws));
    for (int p = 0; p < search.base; p++)
        for (int t = 0; t < DATA; t++) {
            const double *u = s->data.u + 2 * (size_t)t;
            if (search.U[p] != u[0] || search.U[search.base + p] != u[1])
                continue;
            seen++;
            for (int j = 0; j < 3; j++) {
                const double want = ckg__scaling_apply(&s->models.surrogate[j].scaling,
                                                       s->data.trial[t].measured[j].value);
                /* the nugget is a share of the signal's variance */
                const double signal = ckg__gp_describe(s->models.surrogate[j].gp[0]).signal;
                for (int i = 0; i < 20; i++)
                    assert_near(ckg__draws_of(&draws, j, i)[p], want, 1e-4 * fmax(1, sqrt(signal)));
            }
        }
    assert_int_equal(seen, DATA);
    ckg__study_end_search(s, CKG_OK);
    ckg_study_free(s);
}

static void test_best_by_definition(void **state)
{
    double value[3 * 2 * 4] = {
        1, 5, 3, 2,  4, 4, 9, 1, /* the objective in two draws */
        0, 2, 0, -1, 7, 7, 7, 7, /* at most 1 */
        3, 3, 3, 1,  3, 3, 3, 3, /* between 2 and 4 */
    };
    const struct ckg__draws draws = {.outcomes = 3, .count = 2, .m = 4, .value = value};
    struct ckg__belief belief = {.outcomes = 3, .lower = {0, -INFINITY, 2}, .upper = {0, 1, 4}};
    struct process process;
    double best;

    (void)state;
    process_make_empty(&process, 0, 1, 0);
    for (int j = 0; j < 3; j++)
        belief.gp[j] = &process.gp;
    assert_int_equal(ckg__draws_best(&draws, &belief, 0, &best), 2);
    assert_true(best == 3);
    assert_int_equal(ckg__draws_best(&draws, &belief, 1, &best), -1);
    assert_true(best == -INFINITY);
    value[9] = 1; /* a limit itself is feasible */
    assert_int_equal(ckg__draws_best(&draws, &belief, 0, &best), 1);
    assert_true(best == 5);
    value[17] = 4.1; /* too much of the other constraint */
    assert_int_equal(ckg__draws_best(&draws, &belief, 0, &best), 2);
    belief.outcomes = 1; /* without constraints everything is feasible */
    assert_int_equal(ckg__draws_best(&draws, &belief, 1, &best), 2);
    assert_true(best == 9);
    process_free(&process);
}

/* Two threads draw what one does; lookaheads, purposes and seeds draw different numbers. */
static void test_streams(void **state)
{
    ckg_study *study[3] = {new_study(1, 1, 8), new_study(1, 2, 8), new_study(1, 1, 9)};
    struct ckg__search search[3];
    struct ckg__draws draws[3][3], other[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(study[i], &search[i]);
        assert_int_equal(search[i].lookaheads, 3);
        must(ckg__search_draw(&search[i], CKG__DRAWS_CMES, 6, draws[i]));
    }
    const size_t size = 3 * 6 * (size_t)draws[0][0].m * sizeof(double);
    for (int o = 0; o < 3; o++)
        assert_memory_equal(draws[0][o].value, draws[1][o].value, size);
    assert_memory_not_equal(draws[0][0].value, draws[2][0].value, size);
    assert_memory_not_equal(draws[0][0].value, draws[0][1].value, size);
    must(ckg__search_draw(&search[0], (enum ckg__draws_purpose)(CKG__DRAWS_CMES + 0x10000), 6, other));
    assert_memory_not_equal(draws[0][0].value, other[0].value, size);
    for (int i = 0; i < 3; i++) {
        ckg__study_end_search(study[i], CKG_OK);
        ckg_study_free(study[i]);
    }
}

int main(void)
{
    return RUN_TESTS(test_moments, test_joint, test_draws_pass_through_the_data, test_best_by_definition,
                     test_streams);
}
