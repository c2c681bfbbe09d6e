/*
 * A call cancelled at the n-th question of its interrupt, for every n: it ends with CKG_ERR_CANCELLED and a
 * message, asks no more, records nothing, and the same call then gives, bit for bit, what it gives in a study
 * that was never disturbed. Each n on a study of its own, and one n after the other on one study. A light run
 * takes fewer n.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/policies.h"
#include "support/results.h"
#include "support/scale.h"
#include "support/test.h"

enum { TOLD = 9, PROBES = 3 };

/* --- the interrupt --- */

struct patience {
    pthread_t caller;
    int asked;  /* so often so far */
    int ending; /* the question that is answered by 1; 0: none */
};

static int ask_patience(void *context)
{
    struct patience *patience = context;

    assert_true(pthread_equal(pthread_self(), patience->caller));
    patience->asked++;
    assert_true(!patience->ending || patience->asked <= patience->ending);
    return patience->asked == patience->ending;
}

/* --- calls whose results are numbers --- */

static int call_recommend(ckg_study *s, struct result *r)
{
    return result_recommend(s, CKG_RULE_UTILITY, r);
}

static int call_recommend_probable(ckg_study *s, struct result *r)
{
    return result_recommend(s, CKG_RULE_PROBABILITY, r);
}

static const double probes[2 * PROBES] = {0.5, 4, 2, 2, 4, 1};

static int call_predict(ckg_study *s, struct result *r)
{
    double mean[TOY_OUTCOMES * PROBES];
    double utility[PROBES];
    const int status = ckg_study_predict(s, PROBES, probes, mean, NULL, NULL, utility);

    if (status)
        return status;
    result_put(r, PROBES, mean);
    result_put(r, PROBES, utility);
    return CKG_OK;
}

static int call_score(ckg_study *s, struct result *r)
{
    double value[PROBES];
    const int status = ckg_study_score(s, NULL, PROBES, probes, value);

    if (!status)
        result_put(r, PROBES, value);
    return status;
}

static int call_model(ckg_study *s, struct result *r)
{
    ckg_model_info model;
    const int status = ckg_study_model(s, 0, &model);

    if (!status)
        result_put(r, 2, model.lengthscales);
    return status;
}

static int call_leave_one_out(ckg_study *s, struct result *r)
{
    double mean[TOLD + 1]; /* the last is pending */
    const int status = ckg_study_leave_one_out(s, 0, mean, NULL, NULL);

    if (!status)
        result_put(r, TOLD, mean);
    return status;
}

static int call_importance(ckg_study *s, struct result *r)
{
    double total[2];
    const int status = ckg_study_importance(s, 0, total, NULL, NULL);

    if (!status)
        result_put(r, 2, total);
    return status;
}

static int call_gain(ckg_study *s, struct result *r)
{
    ckg_gain gain;
    const int status = ckg_study_expected_gain(s, &gain);

    if (!status)
        result_put(r, 3,
                   (const double[]){gain.next, gain.perfect_information, gain.perfect_information_rough});
    return status;
}

typedef int call_function(ckg_study *s, struct result *r);

/* --- cancelling them --- */

/* A study with something to fit, to condition on and to undo. */
static ckg_study *new_study(const struct toy *toy, const char *policy)
{
    const double x[] = {2.5, 1};
    ckg_study *s = toy_study_told(toy, policy, TOLD);
    int trial;

    must(ckg_study_add(s, x, &trial));
    return s;
}

static struct patience patience_until(int ending)
{
    return (struct patience){.caller = pthread_self(), .ending = ending};
}

/* What the call gives undisturbed, and how often it asks. */
static int count_questions(const struct toy *toy, const char *policy, call_function *call,
                           struct result *wanted)
{
    ckg_study *s = new_study(toy, policy);
    struct patience patience = patience_until(0);

    must(ckg_study_set_interrupt(s, ask_patience, &patience));
    must(call(s, wanted));
    ckg_study_free(s);
    return patience.asked;
}

/* Calls with the n-th question answered by 1; 0 when there was no n-th, and the call went through. */
static int cancel_at(ckg_study *s, call_function *call, int n, struct result *result)
{
    const int trials = ckg_study_trials(s);
    struct patience patience = patience_until(n);

    must(ckg_study_set_interrupt(s, ask_patience, &patience));
    const int status = call(s, result);
    if (patience.asked < n) {
        assert_int_equal(status, CKG_OK);
        return 0;
    }
    assert_int_equal(status, CKG_ERR_CANCELLED);
    assert_string_equal(ckg_error_message(), "cancelled by the caller");
    assert_int_equal(ckg_study_trials(s), trials);
    return 1;
}

static void assert_same(const struct result *a, const struct result *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->number, b->number, (size_t)a->count * sizeof *a->number);
}

/* Every n up to the one that the call never comes to, on one study. */
static void cancel_in_turn(const struct toy *toy, const char *policy, call_function *call)
{
    struct result wanted = {0};
    struct result result = {0};
    ckg_study *s = new_study(toy, policy);
    int n = 1;

    count_questions(toy, policy, call, &wanted);
    while (cancel_at(s, call, n, &result))
        n++;
    assert_same(&result, &wanted);
    ckg_study_free(s);
}

/* Every `step`-th n, each on a study of its own, which then answers as if nothing had been. */
static void cancel_alone(const struct toy *toy, const char *policy, call_function *call, int step)
{
    struct result wanted = {0};
    const int questions = count_questions(toy, policy, call, &wanted);

    for (int n = 1; n <= questions; n += step) {
        ckg_study *s = new_study(toy, policy);
        struct result result = {0};

        assert_true(cancel_at(s, call, n, &result));
        must(ckg_study_set_interrupt(s, NULL, NULL));
        must(call(s, &result));
        assert_same(&result, &wanted);
        ckg_study_free(s);
    }
}

/* --- the tests --- */

static const struct toy exact = {.K = 1, .noise = CKG_NOISE_NONE};
static const struct toy noisy = {.K = 2, .noise = CKG_NOISE_AUTO};

static void test_every_question_of_an_ask(void **state)
{
    (void)state;
    cancel_alone(&exact, "auto", result_ask, test_scale(1, 16));
}

static void test_an_ask_of_every_policy(void **state)
{
    ckg_policy_info row;

    (void)state;
    for (int i = 0; !ckg_policy_at(i, &row); i++) {
        cancel_in_turn(&exact, row.name, result_ask);
        cancel_alone(&exact, row.name, result_ask, test_scale(23, 101));
        cancel_alone(&noisy, row.name, result_ask, test_scale(101, 503));
    }
}

static void test_other_calls(void **state)
{
    static call_function *const calls[] = {
        call_recommend, call_recommend_probable, call_predict,    call_score,
        call_model,     call_leave_one_out,      call_importance, call_gain};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cancel_in_turn(&noisy, "auto", calls[i]);
        cancel_alone(&noisy, "auto", calls[i], test_scale(67, 331));
    }
}

/*
 * With several threads the questions are another number every time, but asked on the caller's thread alone,
 * and whenever the answer is 1 the same holds.
 */
static void test_several_threads(void **state)
{
    struct toy toy = noisy;
    struct result wanted = {0};

    (void)state;
    toy.threads = 3;
    count_questions(&toy, "auto", result_ask, &wanted);
    for (int n = 1; n < 200; n += test_scale(5, 41)) {
        ckg_study *s = new_study(&toy, "auto");
        struct result result = {0};

        if (cancel_at(s, result_ask, n, &result)) {
            must(ckg_study_set_interrupt(s, NULL, NULL));
            must(result_ask(s, &result));
        }
        assert_same(&result, &wanted);
        ckg_study_free(s);
    }
}

static void test_no_study(void **state)
{
    (void)state;
    assert_int_equal(ckg_study_set_interrupt(NULL, NULL, NULL), CKG_ERR_INVALID);
}

int main(void)
{
    return RUN_TESTS(test_every_question_of_an_ask, test_an_ask_of_every_policy, test_other_calls,
                     test_several_threads, test_no_study);
}
