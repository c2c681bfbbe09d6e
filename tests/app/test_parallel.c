/* Every task once, whatever the number of threads; the first failure is the one that is told. */
#include <stdatomic.h>

#include <ckg/status.h>

#include "base/parallel.h"
#include "support/test.h"

enum { TASKS = 500 };

struct tally {
    atomic_int done[TASKS];
    int failing; /* the task that fails, -1: none */
};

static int count(void *context, int index, struct app_message *message)
{
    struct tally *t = context;

    atomic_fetch_add(&t->done[index], 1);
    return index == t->failing ? app_fail(message, CKG_ERR_STATE, "task %d", index) : CKG_OK;
}

static void test_every_task_once(void **state)
{
    static const int threads[] = {1, 2, 7, 1000};
    struct app_message message;
    (void)state;

    for (int k = 0; k < 4; k++) {
        struct tally t = {.failing = -1};
        assert_int_equal(app_parallel(TASKS, threads[k], count, &t, &message), CKG_OK);
        for (int i = 0; i < TASKS; i++)
            assert_int_equal(t.done[i], 1);
        assert_int_equal(app_parallel(0, threads[k], count, &t, &message), CKG_OK);
    }
}

static void test_failure_ends_it(void **state)
{
    struct app_message message;
    (void)state;

    for (int threads = 1; threads < 4; threads++) {
        struct tally t = {.failing = 5};
        assert_int_equal(app_parallel(TASKS, threads, count, &t, &message), CKG_ERR_STATE);
        assert_string_equal(message.text, "task 5");
        for (int i = 0; i < TASKS; i++)
            assert_in_range(t.done[i], i <= 5, 1);
        assert_int_equal(threads > 1 || t.done[6] == 0, 1);
    }
}

int main(void)
{
    return RUN_TESTS(test_every_task_once, test_failure_ends_it);
}
