/*
 * A problem: what may be varied, what is to be made small or large, and which limits hold.
 *
 * A design is an array of doubles, one per parameter in the order they were added, in the user's own units: a
 * real's value, an integer's whole number, a categorical's index (0, 1, …) into its values. Outcome 0 is the
 * objective, outcomes 1…K the constraints in the order they were added; a design is feasible when min <=
 * value <= max for each of them.
 *
 * A study copies its problem, so a problem may be changed or freed afterwards. Functions on distinct problems
 * may be called from distinct threads at once.
 */
#ifndef CKG_PROBLEM_H
#define CKG_PROBLEM_H

#include <ckg/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ckg_problem ckg_problem;

enum ckg_goal { CKG_MINIMIZE, CKG_MAXIMIZE };
enum ckg_scale { CKG_LINEAR, CKG_LOG };
enum ckg_kind { CKG_REAL, CKG_INTEGER, CKG_CATEGORICAL };

enum ckg_noise {
    CKG_NOISE_AUTO, /* normal with a standard deviation that is estimated from the data (the default) */
    CKG_NOISE_NONE, /* an evaluation repeated gives the same value */
    CKG_NOISE_KNOWN /* normal with a given standard deviation */
};

enum { CKG_MAX_PARAMETERS = 200, CKG_MAX_CATEGORIES = 100, CKG_MAX_CONSTRAINTS = 20 };

/* An empty problem that minimizes an objective called "objective"; the caller frees it. */
CKG_API int ckg_problem_new(ckg_problem **out);
CKG_API void ckg_problem_free(ckg_problem *problem);

/*
 * A real parameter in [low, high], finite, low < high; CKG_LOG needs low > 0. Names are not empty and differ
 * from each other.
 */
CKG_API int ckg_problem_add_real(ckg_problem *problem, const char *name, double low, double high,
                                 enum ckg_scale scale);

/* A whole number in {low, …, high}, low < high, both within ±2^53. */
CKG_API int ckg_problem_add_integer(ckg_problem *problem, const char *name, double low, double high);

/* One of `count` >= 2 named values without order; the strings are copied. */
CKG_API int ckg_problem_add_categorical(ckg_problem *problem, const char *name, int count,
                                        const char *const *values);

/*
 * Limits the choice to `count` designs, X row-major count × dimension, copied. Each must lie within the
 * parameters' ranges; one that stands twice is taken once. Parameters cannot be added afterwards.
 */
CKG_API int ckg_problem_set_designs(ckg_problem *problem, int count, const double *X);

CKG_API int ckg_problem_set_objective(ckg_problem *problem, const char *name, enum ckg_goal goal);

/*
 * A constraint min <= value <= max with min < max; -INFINITY or INFINITY for a side without a limit, but not
 * both.
 */
CKG_API int ckg_problem_add_constraint(ckg_problem *problem, const char *name, double min, double max);

/* How the outcome of that name is disturbed; sd > 0 is read for CKG_NOISE_KNOWN alone. */
CKG_API int ckg_problem_set_noise(ckg_problem *problem, const char *outcome, enum ckg_noise noise, double sd);

/* What was described. Names are borrowed; an index out of range gives NULL or -1. */
CKG_API int ckg_problem_dimension(const ckg_problem *problem);
CKG_API int ckg_problem_constraints(const ckg_problem *problem);
CKG_API const char *ckg_problem_parameter_name(const ckg_problem *problem, int parameter);
CKG_API int ckg_problem_parameter_kind(const ckg_problem *problem, int parameter);
CKG_API const char *ckg_problem_category(const ckg_problem *problem, int parameter, int value);
CKG_API const char *ckg_problem_outcome_name(const ckg_problem *problem, int outcome);
/* The outcome of that name, or -1. */
CKG_API int ckg_problem_outcome_find(const ckg_problem *problem, const char *name);

#ifdef __cplusplus
}
#endif
#endif
