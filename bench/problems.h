/* The paper's test problems, by their names in the program's registry. */
#ifndef CKG_BENCH_PROBLEMS_H
#define CKG_BENCH_PROBLEMS_H

#include "problems/problems.h"

static const char *const bench_problems[] = {"mystery", "new-branin", "test-function-2"};

enum { BENCH_PROBLEMS = 3 };

#endif
