/* The registry. */
#include "problems/problems.h"

#include <stddef.h>
#include <string.h>

extern const struct app_problem app_problem_mystery, app_problem_new_branin, app_problem_test_function_2, app_problem_test_function_2_printed;

const struct app_problem *const app_problems[] = {
    &app_problem_mystery, &app_problem_new_branin, &app_problem_test_function_2, &app_problem_test_function_2_printed, NULL,
};

const struct app_problem *app_problem_named(const char *name)
{
    for (int i = 0; app_problems[i]; i++)
        if (!strcmp(app_problems[i]->name, name))
            return app_problems[i];
    return NULL;
}
