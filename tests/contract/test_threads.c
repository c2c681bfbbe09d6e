/*
 * Distinct studies from distinct threads at once, and one study with several threads of its own: the same
 * bits as alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

#include <ckg/ckg.h>

#include "support/test.h"

enum { STUDIES = 4, EVALUATIONS = 9, INITIAL = 5, NUMBERS = 6 };

/* What a study said, number by number. Nothing is asserted on the threads themselves: cmocka jumps. */
struct record {
    uint64_t seed;
    enum ckg_noise noise;
    const char *policy;
    int threads;
    int status;
    char message[128];
    double said[EVALUATIONS + 1][NUMBERS];
};

static int make_study(const struct record *record, ckg_study **s)
{
    ckg_options o = CKG_OPTIONS_INIT;
    ckg_problem *p = NULL;
    int status = ckg_problem_new(&p);

    o.seed = record->seed;
    o.policy = record->policy;
    o.threads = record->threads;
    o.initial = INITIAL;
    o.samples = 2;
    status = status ? status : ckg_problem_add_real(p, "a", 0, 1, CKG_LINEAR);
    status = status ? status : ckg_problem_add_integer(p, "b", 0, 40);
    status = status ? status : ckg_problem_add_constraint(p, "limit", -INFINITY, 0.6);
    status = status ? status : ckg_problem_set_noise(p, "objective", record->noise, 0);
    status = status ? status : ckg_study_new(s, p, &o);
    ckg_problem_free(p);
    return status;
}

/*
 * Asks, evaluates, tells; every fourth evaluation fails, and every call leaves an error behind that is this
 * thread's own.
 */
static int step(ckg_study *s, int t, double *said)
{
    ckg_suggestion *a;
    int status = ckg_study_ask(s, &a);

    if (status)
        return status;
    const double values[] = {pow(a->x[0] - 0.4, 2) + a->x[1] / 40, a->x[0] + sin(a->x[1] / 9)};
    said[0] = a->x[0];
    said[1] = a->x[1];
    said[2] = a->value;
    said[3] = a->mean[0];
    said[4] = a->sd[1];
    said[5] = a->probability_feasible;
    status = t % 4 == 3 ? ckg_study_tell_failed(s, a->trial) : ckg_study_tell(s, a->trial, values);
    ckg_suggestion_free(a);
    return status;
}

static int finish(ckg_study *s, struct record *record)
{
    ckg_recommendation *r;
    const int status = ckg_study_recommend(s, NULL, &r);

    if (status)
        return status;
    const double said[NUMBERS] = {r->x[0], r->x[1], r->mean[0], r->sd[1], r->utility, r->penalty};
    memcpy(record->said[EVALUATIONS], said, sizeof said);
    ckg_recommendation_free(r);
    ckg_study_tell_failed(s, 1000 + (int)record->seed);
    strncpy(record->message, ckg_error_message(), sizeof record->message - 1);
    return CKG_OK;
}

static void *run(void *argument)
{
    struct record *record = argument;
    ckg_study *s = NULL;

    record->status = make_study(record, &s);
    for (int t = 0; !record->status && t < EVALUATIONS; t++)
        record->status = step(s, t, record->said[t]);
    if (!record->status)
        record->status = finish(s, record);
    ckg_study_free(s);
    return NULL;
}

static void make_records(struct record *records, int threads)
{
    static const char *const policies[] = {"auto", "cei"};

    memset(records, 0, STUDIES * sizeof *records);
    for (int i = 0; i < STUDIES; i++) {
        records[i].seed = 1 + (uint64_t)i;
        records[i].noise = i < 2 ? CKG_NOISE_NONE : CKG_NOISE_AUTO;
        records[i].policy = policies[i == 3];
        records[i].threads = threads;
    }
}

static void assert_same(const struct record *a, const struct record *b)
{
    for (int i = 0; i < STUDIES; i++) {
        assert_int_equal(a[i].status, CKG_OK);
        assert_int_equal(b[i].status, CKG_OK);
        assert_memory_equal(a[i].said, b[i].said, sizeof a[i].said);
        assert_string_equal(a[i].message, b[i].message);
    }
}

static void run_at_once(struct record *records)
{
    pthread_t thread[STUDIES];

    for (int i = 0; i < STUDIES; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run, &records[i]), 0);
    for (int i = 0; i < STUDIES; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

/* Studies with so many threads each, at once, against the same alone with one. */
static void compare_at_once(int threads)
{
    struct record together[STUDIES], alone[STUDIES];

    make_records(together, threads);
    make_records(alone, 1);
    run_at_once(together);
    for (int i = 0; i < STUDIES; i++)
        run(&alone[i]);
    assert_same(alone, together);
}

static void test_studies_at_once(void **state)
{
    (void)state;
    compare_at_once(1);
}

static void test_studies_with_threads_at_once(void **state)
{
    (void)state;
    compare_at_once(3);
}

/* A study may move from thread to thread, one at a time. */
struct moved {
    ckg_study *study;
    int step, status;
    double said[NUMBERS];
};

static void *move(void *argument)
{
    struct moved *moved = argument;

    moved->status = step(moved->study, moved->step, moved->said);
    return NULL;
}

static void test_a_study_moves_between_threads(void **state)
{
    struct record alone[STUDIES];
    struct moved moved = {0};

    (void)state;
    make_records(alone, 2);
    run(&alone[2]);
    assert_int_equal(make_study(&alone[2], &moved.study), CKG_OK);
    for (moved.step = 0; moved.step < EVALUATIONS; moved.step++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, move, &moved), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(moved.status, CKG_OK);
        assert_memory_equal(moved.said, alone[2].said[moved.step], sizeof moved.said);
    }
    ckg_study_free(moved.study);
}

int main(void)
{
    return RUN_TESTS(test_studies_at_once, test_studies_with_threads_at_once,
                     test_a_study_moves_between_threads);
}
