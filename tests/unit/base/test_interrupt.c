/* The interrupt: asked on the caller's thread alone, and a run that it ends leaves out what has not begun. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <ckg/status.h>

#include "base/interrupt.h"
#include "base/threads.h"
#include "support/test.h"

enum { TASKS = 64 };

struct answers {
    pthread_t caller;
    int asked;
    int ending; /* the question that is answered by 1 */
};

static int answer(void *context)
{
    struct answers *answers = context;

    assert_true(pthread_equal(pthread_self(), answers->caller));
    return ++answers->asked == answers->ending;
}

static struct ckg__interrupt interrupt_by(struct answers *answers)
{
    answers->caller = pthread_self();
    return (struct ckg__interrupt){.callback = answer, .context = answers};
}

static void test_it_stays_raised_until_the_end(void **state)
{
    struct answers answers = {.ending = 2};
    struct ckg__interrupt interrupt = interrupt_by(&answers);

    (void)state;
    ckg__interrupt_begin(&interrupt, 0);
    assert_false(ckg__interrupted(&interrupt));
    assert_true(ckg__interrupted(&interrupt));
    assert_true(ckg__interrupted(&interrupt));
    assert_int_equal(answers.asked, 2);
    assert_true(ckg__interrupt_end(&interrupt));
    assert_false(ckg__interrupt_end(&interrupt));
}

static void test_nobody_asks(void **state)
{
    struct ckg__interrupt interrupt = {.callback = NULL};

    (void)state;
    ckg__interrupt_begin(&interrupt, 0);
    assert_false(ckg__interrupted(&interrupt));
    assert_false(ckg__interrupted(NULL));
    assert_false(ckg__interrupt_end(&interrupt));
}

/* Work is counted, and asked about once there is enough of it; a plain question counts anew. */
static void test_it_asks_after_so_much_work(void **state)
{
    struct answers answers = {.ending = 0};
    struct ckg__interrupt interrupt = interrupt_by(&answers);

    (void)state;
    ckg__interrupt_begin(&interrupt, 0);
    for (int i = 0; i < 10; i++)
        assert_false(ckg__interrupted_by(&interrupt, CKG__INTERRUPT_WORK / 4));
    assert_int_equal(answers.asked, 2);
    assert_false(ckg__interrupted(&interrupt));
    assert_false(ckg__interrupted_by(&interrupt, CKG__INTERRUPT_WORK));
    assert_int_equal(answers.asked, 3);

    /* The one that is answered by 1 stays. */
    answers.ending = 4;
    assert_true(ckg__interrupted_by(&interrupt, 1));
    assert_true(ckg__interrupted_by(&interrupt, 0));
    assert_int_equal(answers.asked, 4);
    assert_true(ckg__interrupt_end(&interrupt));
    assert_false(ckg__interrupted_by(NULL, 1e300));
}

/* A stage ends by its deadline, the next one has what is left; without a limit none has a deadline. */
static void test_stages_end_by_the_clock(void **state)
{
    struct ckg__interrupt interrupt = {.callback = NULL};

    (void)state;
    ckg__interrupt_begin(&interrupt, 1e6);
    assert_false(ckg__interrupt_expired(&interrupt));
    assert_false(ckg__interrupted_by(&interrupt, 1));
    ckg__interrupt_stage(&interrupt, 0.5);
    assert_true(interrupt.deadline > ckg__clock() && interrupt.deadline < interrupt.limit - 4e5);
    ckg__interrupt_stage(&interrupt, 1);
    assert_true(interrupt.deadline == interrupt.limit);
    assert_false(ckg__interrupted_by(&interrupt, 1));
    assert_false(ckg__interrupt_end(&interrupt));

    ckg__interrupt_begin(&interrupt, 1e-9);
    while (!ckg__interrupt_expired(&interrupt))
        ;
    assert_false(ckg__interrupted_by(&interrupt, 1));
    ckg__interrupt_stage(&interrupt, 0.5);
    assert_false(ckg__interrupted_by(&interrupt, CKG__OVERDUE_WORK));
    assert_true(ckg__interrupted_by(&interrupt, 1));
    assert_true(ckg__interrupted_by(&interrupt, 0));
    assert_false(ckg__interrupted(&interrupt));
    ckg__interrupt_stage(&interrupt, 1);
    assert_false(ckg__interrupted_by(&interrupt, 1));
    ckg__interrupt_stage(&interrupt, 0);
    assert_false(ckg__interrupted_by(&interrupt, 1));

    ckg__interrupt_begin(&interrupt, 0);
    ckg__interrupt_stage(&interrupt, 1);
    assert_true(interrupt.deadline == 0 && !ckg__interrupt_expired(&interrupt));
    ckg__interrupt_stage(NULL, 1);
}

static void count_task(void *context, int index, int worker)
{
    atomic_int *begun = context;

    (void)index;
    (void)worker;
    atomic_fetch_add(begun, 1);
}

static void test_a_run_alone(void **state)
{
    struct answers answers = {.ending = 11};
    struct ckg__interrupt interrupt = interrupt_by(&answers);
    struct ckg__pool *pool;
    atomic_int begun = 0;

    (void)state;
    assert_int_equal(ckg__pool_new(&pool, 1), CKG_OK);
    ckg__pool_watch(pool, &interrupt);
    assert_ptr_equal(ckg__pool_watched(pool), &interrupt);
    ckg__interrupt_begin(&interrupt, 0);
    assert_int_equal(ckg__pool_run(pool, TASKS, count_task, &begun), CKG_ERR_CANCELLED);
    assert_int_equal(begun, 10);
    assert_int_equal(ckg__pool_run(pool, TASKS, count_task, &begun), CKG_ERR_CANCELLED);
    assert_int_equal(begun, 10); /* still raised */

    ckg__interrupt_end(&interrupt);
    assert_int_equal(ckg__pool_run(pool, TASKS, count_task, &begun), CKG_OK);
    assert_int_equal(begun, 10 + TASKS);
    ckg__pool_free(pool);
}

struct long_run {
    struct ckg__interrupt *interrupt;
};

/* Every task goes on until somebody interrupts, but for the first one on the caller's thread. */
static void endless_task(void *context, int index, int worker)
{
    struct long_run *run = context;

    (void)index;
    if (worker == 0)
        return;
    while (!ckg__interrupted(run->interrupt))
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* A caller who has nothing to do but wait for a worker goes on asking. */
static void test_a_caller_that_waits(void **state)
{
    struct answers answers = {.ending = 20};
    struct ckg__interrupt interrupt = interrupt_by(&answers);
    struct long_run run = {.interrupt = &interrupt};
    struct ckg__pool *pool;
    int status = CKG_OK;

    (void)state;
    assert_int_equal(ckg__pool_new(&pool, 2), CKG_OK);
    ckg__pool_watch(pool, &interrupt);
    ckg__interrupt_begin(&interrupt, 0);
    while (status == CKG_OK) /* a run that the caller makes alone ends by itself */
        status = ckg__pool_run(pool, 2, endless_task, &run);
    assert_int_equal(status, CKG_ERR_CANCELLED);
    assert_int_equal(answers.asked, answers.ending);
    ckg__pool_free(pool);
}

int main(void)
{
    return RUN_TESTS(test_it_asks_after_so_much_work, test_stages_end_by_the_clock,
                     test_it_stays_raised_until_the_end, test_nobody_asks, test_a_run_alone,
                     test_a_caller_that_waits);
}
