/* The thread's error message: the first failure stays, it is one line, and every thread has its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "support/test.h"

static void test_every_status_has_its_text(void **state)
{
    (void)state;
#define ASSERT_TEXT(name, value, text) assert_string_equal(ckg_status_text(CKG_##name), text);
    CKG_STATUS_LIST(ASSERT_TEXT)
#undef ASSERT_TEXT
    assert_string_equal(ckg_status_text(1), "unknown status");
    assert_string_equal(ckg_status_text(-1000), "unknown status");
}

static void test_fail_formats_and_returns_its_status(void **state)
{
    (void)state;
    ckg__error_clear();
    assert_int_equal(ckg__fail(CKG_ERR_INVALID, "parameter %s: %d", "wire", 3), CKG_ERR_INVALID);
    assert_string_equal(ckg_error_message(), "parameter wire: 3");
}

static void test_first_failure_stays_until_cleared(void **state)
{
    (void)state;
    ckg__error_clear();
    assert_int_equal(ckg__fail_nomem(), CKG_ERR_NOMEM);
    assert_int_equal(ckg__fail(CKG_ERR_STATE, "later"), CKG_ERR_STATE);
    assert_string_equal(ckg_error_message(), "out of memory");
    ckg__error_clear();
    assert_string_equal(ckg_error_message(), "");
}

static void test_message_is_one_line(void **state)
{
    (void)state;
    ckg__error_clear();
    ckg__fail(CKG_ERR_INVALID, "parameter '%s'", "a\nb\r\nc");
    assert_string_equal(ckg_error_message(), "parameter 'a b  c'");
}

/* Whatever the text's length modulo the character's, the cut falls between characters. */
static void test_long_message_is_cut_between_characters(void **state)
{
    char text[2001];

    (void)state;
    for (size_t i = 0; i + 2 <= 2000; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    text[2000] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        size_t length;

        ckg__error_clear();
        ckg__fail(CKG_ERR_INVALID, "%s%s", shift == 0 ? "x" : "", text);
        length = strlen(ckg_error_message());
        assert_in_range(length, 500, 511);
        assert_int_equal((length - (shift == 0)) % 2, 0);
    }
}

static void *fail_elsewhere(void *result)
{
    ckg__fail(CKG_ERR_INVALID, "elsewhere");
    *(int *)result = strcmp(ckg_error_message(), "elsewhere");
    return NULL;
}

static void test_every_thread_has_its_own_message(void **state)
{
    pthread_t thread;
    int differs = 1;

    (void)state;
    ckg__error_clear();
    ckg__fail(CKG_ERR_INVALID, "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &differs), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(differs, 0);
    assert_string_equal(ckg_error_message(), "here");
}

int main(void)
{
    return RUN_TESTS(test_every_status_has_its_text, test_fail_formats_and_returns_its_status,
                     test_first_failure_stays_until_cleared, test_message_is_one_line,
                     test_long_message_is_cut_between_characters, test_every_thread_has_its_own_message);
}
