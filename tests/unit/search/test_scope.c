/*
 * Scopes: a search, relaxed equalities and a trust region change nothing of what the study believes, and each
 * sees what it is to see.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <ckg/ckg.h>

#include "search/search.h"
#include "study/study.h"
#include "support/test.h"

/* A study with an equality, after so many evaluations, whose models are up to date. */
static ckg_study *study_after(int evaluations)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *p;
    ckg_study *s;

    must(ckg_problem_new(&p));
    must(ckg_problem_add_real(p, "a", -1, 1, CKG_LINEAR));
    must(ckg_problem_add_real(p, "b", -1, 1, CKG_LINEAR));
    must(ckg_problem_add_equality(p, "h", 0, 1e-3));
    must(ckg_problem_set_noise(p, "objective", CKG_NOISE_NONE, 0));
    must(ckg_problem_set_noise(p, "h", CKG_NOISE_NONE, 0));
    options.budget = 40;
    options.initial = 6;
    options.seed = 5;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    for (int n = 0; n < evaluations; n++) {
        ckg_suggestion *suggestion;

        must(ckg_study_ask(s, &suggestion));
        const double a = suggestion->x[0], b = suggestion->x[1];
        must(ckg_study_tell(s, suggestion->trial, (const double[]){a * a + (b - 1) * (b - 1), b - a * a}));
        ckg_suggestion_free(suggestion);
    }
    must(ckg_study_prepare(s));
    return s;
}

/* M is the search's own. */
static void test_a_search_leaves_the_models(void **state)
{
    ckg_study *s = study_after(9);
    const struct ckg__belief before = s->models.belief[0];
    struct ckg__search search;

    (void)state;
    must(ckg__study_begin_search(s, ckg__policy_find("ckg"), &search));
    assert_true(isfinite(search.lookahead[0].belief->penalty));
    assert_memory_equal(&before, &s->models.belief[0], sizeof before);
    assert_ptr_equal(search.scope, &s->scope);
    must(ckg__study_end_search(s, CKG_OK));
    ckg_study_free(s);
}

/* What is relaxed is wider in that scope alone: its problem, data and beliefs. */
static void test_relaxed_equalities_are_a_scope(void **state)
{
    ckg_study *s = study_after(9);
    const struct ckg__belief before = s->models.belief[0];
    const struct ckg__scope *scope = &s->scope;

    (void)state;
    must(ckg__study_relax(s, &scope));
    assert_ptr_not_equal(scope, &s->scope);
    assert_ptr_equal(scope->outer, &s->scope);
    assert_ptr_equal(scope->data->problem, scope->problem);
    assert_ptr_equal(scope->models->data, scope->data);
    assert_true(scope->problem->outcome[1].max > 1e-3 && scope->problem->outcome[1].min < -1e-3);
    assert_true(scope->models->belief[0].upper[1] > before.upper[1]);
    assert_true(scope->models->belief[0].lower[1] < before.lower[1]);
    assert_ptr_equal(s->data.problem, s->problem);
    assert_memory_equal(&before, &s->models.belief[0], sizeof before);
    must(ckg__study_end_search(s, CKG_OK));
    ckg_study_free(s);
}

/* Where a trust region is due, its corners are points of the study's cube, and the study sees what it saw. */
static void test_a_trust_region_is_a_scope(void **state)
{
    int local = 0;

    (void)state;
    for (int n = 8; n < 12; n++) {
        ckg_study *s = study_after(n);
        const struct ckg__scope study = s->scope;
        struct ckg__search search;
        double low[2] = {0, 0}, high[2] = {1, 1};

        must(ckg__study_believe(s, ckg__policy_find("cei"), ckg__clock(), &search));
        must(ckg__policy_narrow(ckg__policy_find("cei"), &search));
        if (search.scope->to_outer) {
            local++;
            assert_ptr_equal(ckg__scope_of_study(search.scope), &s->scope);
            search.scope->to_outer(search.scope, low);
            search.scope->to_outer(search.scope, high);
            for (int k = 0; k < 2; k++)
                assert_true(low[k] >= 0 && high[k] <= 1 && low[k] < high[k] && high[k] - low[k] < 1);
        }
        assert_memory_equal(&study, &s->scope, sizeof study);
        must(ckg__study_end_search(s, CKG_OK));
        ckg_study_free(s);
    }
    assert_true(local > 0 && local < 4);
}

int main(void)
{
    return RUN_TESTS(test_a_search_leaves_the_models, test_relaxed_equalities_are_a_scope,
                     test_a_trust_region_is_a_scope);
}
