/*
 * Scratch memory: blocks do not overlap, a second pass allocates nothing, marks nest, failures leave the
 * arena usable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "support/test.h"

enum { REQUESTS = 200 };

static int count_allocation(size_t bytes, void *context)
{
    (void)bytes;
    ++*(int *)context;
    return 1;
}

static int refuse_allocation(size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    return 0;
}

static size_t request_bytes(int i)
{
    return (size_t)(i * i * 37 % 20011);
}

/* Fills REQUESTS blocks with their own number and checks afterwards that each still holds it. */
static void use_arena(struct ckg__arena *arena)
{
    unsigned char *blocks[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        blocks[i] = ckg__arena_get(arena, request_bytes(i), 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], i, request_bytes(i));
    }
    for (int i = 0; i < REQUESTS; i++)
        for (size_t byte = 0; byte < request_bytes(i); byte++)
            assert_int_equal(blocks[i][byte], i);
}

static void test_blocks_do_not_overlap(void **state)
{
    struct ckg__arena arena;

    (void)state;
    ckg__arena_init(&arena);
    use_arena(&arena);
    ckg__arena_free(&arena);
}

static void test_second_pass_allocates_nothing(void **state)
{
    struct ckg__arena arena;
    struct ckg__arena_mark empty;
    int first_pass = 0, both_passes;

    (void)state;
    ckg__alloc_set_hook(count_allocation, &first_pass);
    ckg__arena_init(&arena);
    empty = ckg__arena_mark(&arena);
    use_arena(&arena);
    ckg__arena_release(&arena, empty);
    both_passes = first_pass;
    ckg__alloc_set_hook(count_allocation, &both_passes);
    use_arena(&arena);
    ckg__alloc_set_hook(NULL, NULL);
    assert_true(first_pass > 1);
    assert_int_equal(both_passes, first_pass);
    ckg__arena_free(&arena);
}

static void test_marks_nest(void **state)
{
    struct ckg__arena arena;
    struct ckg__arena_mark outer, inner;
    double *kept, *again, *released;

    (void)state;
    ckg__arena_init(&arena);
    outer = ckg__arena_mark(&arena);
    kept = ckg__arena_doubles(&arena, 10);
    kept[9] = 9;
    inner = ckg__arena_mark(&arena);
    released = ckg__arena_doubles(&arena, 3);
    assert_non_null(ckg__arena_ints(&arena, 1 << 20));
    ckg__arena_release(&arena, inner);
    again = ckg__arena_doubles(&arena, 3);
    assert_ptr_equal(again, released);
    assert_true(kept[9] == 9);
    ckg__arena_release(&arena, outer);
    assert_ptr_equal(ckg__arena_doubles(&arena, 10), kept);
    ckg__arena_free(&arena);
}

static void test_failure_leaves_the_arena_usable(void **state)
{
    struct ckg__arena arena;
    void *refused;

    (void)state;
    ckg__error_clear();
    ckg__arena_init(&arena);
    assert_non_null(ckg__arena_get(&arena, 100, 1));
    assert_null(ckg__arena_get(&arena, SIZE_MAX, 1));
    assert_null(ckg__arena_doubles(&arena, SIZE_MAX / 4));
    assert_string_equal(ckg_error_message(), "out of memory");
    ckg__alloc_set_hook(refuse_allocation, NULL);
    refused = ckg__arena_get(&arena, 1 << 20, 1);
    ckg__alloc_set_hook(NULL, NULL);
    assert_null(refused);
    assert_non_null(ckg__arena_get(&arena, 1 << 20, 1));
    ckg__arena_free(&arena);
    assert_null(arena.first);
}

int main(void)
{
    return RUN_TESTS(test_blocks_do_not_overlap, test_second_pass_allocates_nothing, test_marks_nest,
                     test_failure_leaves_the_arena_usable);
}
