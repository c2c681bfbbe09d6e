#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ckg/status.h>

enum { MOST_TESTS = 64, NAME = 80 };

/* The next of the names that commas and blanks divide. */
static const char *next_name(const char *names, char name[NAME])
{
    names += strspn(names, ", \n");
    const size_t length = strcspn(names, ", \n");

    snprintf(name, NAME, "%.*s", (int)length, names);
    return names + length;
}

int support_run(const char *names, const CMUnitTestFunction *tests, CMFixtureFunction before,
                CMFixtureFunction after)
{
    static char name[MOST_TESTS][NAME];
    struct CMUnitTest rows[MOST_TESTS] = {{0}}; /* those without a name are left out */
    int count = 0;

    for (; tests[count] && count < MOST_TESTS; count++) {
        names = next_name(names, name[count]);
        rows[count] = (struct CMUnitTest){.name = name[count], .test_func = tests[count]};
    }
    return tests[count] ? -1 : cmocka_run_group_tests(rows, before, after);
}

void support_must(int status, const char *call, const char *file, int line)
{
    if (!status)
        return;
    print_error("%s: status %d, '%s'\n", call, status, ckg_error_message());
    _fail(file, line);
}

void support_assert_finite(double number, const char *what, const char *file, int line)
{
    if (isfinite(number))
        return;
    print_error("%s is %g\n", what, number);
    _fail(file, line);
}
