/* The paper's test problems from the program's registry, described for the library. */
#ifndef CKG_BENCH_PROBLEMS_H
#define CKG_BENCH_PROBLEMS_H

#include <math.h>

#include <ckg/ckg.h>

#include "problems/problems.h"

static const char *const bench_problems[] = {"mystery", "new-branin", "test-function-2"};

enum { BENCH_PROBLEMS = 3 };

/* The problem for the library; noise 0: none anywhere; else the objective's is to be estimated and the constraints have none. */
static inline ckg_problem *bench_describe(const struct app_problem *p, double noise)
{
    static const char *const names[] = {"x1", "x2"}, *const limits[] = {"c1", "c2", "c3"};
    ckg_problem *out;
    int status = ckg_problem_new(&out);
    for (int i = 0; !status && i < p->d; i++)
        status = ckg_problem_add_real(out, names[i], p->low[i], p->high[i], CKG_LINEAR);
    if (!status)
        status = ckg_problem_set_objective(out, "f", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_set_noise(out, "f", noise > 0 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0);
    for (int k = 0; !status && k < p->K; k++) {
        status = ckg_problem_add_constraint(out, limits[k], -INFINITY, 0);
        if (!status)
            status = ckg_problem_set_noise(out, limits[k], CKG_NOISE_NONE, 0);
    }
    return status ? NULL : out;
}

#endif
