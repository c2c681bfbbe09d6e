/*
 * Blocks are aligned, cleared, kept when resized; overflow and the hook's refusals are reported and harmless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "support/test.h"

struct budget {
    int calls, allowed;
    size_t bytes;
};

static int spend(size_t bytes, void *context)
{
    struct budget *budget = context;

    budget->bytes += bytes;
    return budget->calls++ < budget->allowed;
}

static void test_blocks_are_aligned(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 1 << 20};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = ckg__alloc(sizes[i], 1);

        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 1, sizes[i]);
        ckg__free(block);
    }
}

static void test_zeroed_block_is_zero(void **state)
{
    unsigned char *block = ckg__alloc_zero(100, 3);

    (void)state;
    assert_non_null(block);
    for (int i = 0; i < 300; i++)
        assert_int_equal(block[i], 0);
    ckg__free(block);
}

static void test_resize_keeps_what_was_used(void **state)
{
    int *block = ckg__alloc_resize(NULL, 0, 10, sizeof *block);

    (void)state;
    assert_non_null(block);
    for (int i = 0; i < 10; i++)
        block[i] = i;
    block = ckg__alloc_resize(block, 10 * sizeof *block, 1000, sizeof *block);
    assert_non_null(block);
    block = ckg__alloc_resize(block, 10 * sizeof *block, 10, sizeof *block);
    assert_non_null(block);
    for (int i = 0; i < 10; i++)
        assert_int_equal(block[i], i);
    ckg__free(block);
}

static void test_string_is_copied(void **state)
{
    const char text[] = "stress";
    char *copy = ckg__alloc_string(text);

    (void)state;
    assert_non_null(copy);
    assert_ptr_not_equal(copy, text);
    assert_string_equal(copy, text);
    ckg__free(copy);
    ckg__free(NULL);
}

static void test_overflow_is_out_of_memory(void **state)
{
    (void)state;
    ckg__error_clear();
    assert_null(ckg__alloc(SIZE_MAX / 2, 3));
    assert_string_equal(ckg_error_message(), "out of memory");
    assert_null(ckg__alloc(SIZE_MAX - 8, 1));
    assert_null(ckg__alloc_zero(3, SIZE_MAX / 2));
}

static void test_hook_counts_and_refuses(void **state)
{
    struct budget budget = {0, 1, 0};
    char *kept, *refused, *copy, *resized;

    (void)state;
    ckg__error_clear();
    ckg__alloc_set_hook(spend, &budget);
    kept = ckg__alloc(5, 2);
    refused = ckg__alloc(7, 1);
    copy = ckg__alloc_string("abc");
    if (kept)
        kept[0] = 'k';
    resized = ckg__alloc_resize(kept, 1, 100, 1);
    ckg__alloc_set_hook(NULL, NULL);

    assert_non_null(kept);
    assert_null(refused);
    assert_null(copy);
    assert_null(resized);
    assert_int_equal(kept[0], 'k');
    assert_int_equal(budget.calls, 4);
    assert_int_equal(budget.bytes, 10 + 7 + 4 + 100);
    assert_string_equal(ckg_error_message(), "out of memory");
    ckg__free(kept);
}

int main(void)
{
    return RUN_TESTS(test_blocks_are_aligned, test_zeroed_block_is_zero, test_resize_keeps_what_was_used,
                     test_string_is_copied, test_overflow_is_out_of_memory, test_hook_counts_and_refuses);
}
