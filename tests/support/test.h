/* What every test program needs: main, and calls of the library that must succeed. */
#ifndef CKG_TESTS_TEST_H
#define CKG_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Runs these functions as tests, each under its name; the number that failed. */
#define RUN_TESTS(...) support_run(#__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__, NULL}, NULL, NULL)

/* The same with something to do before the first and after the last; NULL for nothing. */
#define RUN_TESTS_BETWEEN(before, after, ...)                                                                \
    support_run(#__VA_ARGS__, (const CMUnitTestFunction[]){__VA_ARGS__, NULL}, before, after)

/* Fails the test with the library's message unless the call gives CKG_OK. */
#define must(call) support_must((call), #call, __FILE__, __LINE__)

/* Fails the test unless the number is finite. */
#define assert_finite(number) support_assert_finite((number), #number, __FILE__, __LINE__)

int support_run(const char *names, const CMUnitTestFunction *tests, CMFixtureFunction before,
                CMFixtureFunction after);
void support_must(int status, const char *call, const char *file, int line);
void support_assert_finite(double number, const char *what, const char *file, int line);

#endif
