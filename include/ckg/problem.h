/*
 * A problem: what may vary, what to minimize or maximize, and which limits must hold.
 *
 * A design is an array of doubles, one per parameter, in the order the parameters were added and in the
 * user's own units: the value of a real or an integer, the index (0, 1, …) of a categorical's value. Outcome
 * 0 is the objective; outcomes 1…K are the constraints, in the order they were added. A design is feasible
 * when min <= value <= max for each of them.
 *
 * A study copies its problem, so you may change or free the problem afterwards. Functions on different
 * problems may be called from different threads at once.
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
    /*
     * normal, with a standard deviation estimated from the data (the default): the same everywhere, unless
     * many data say clearly that it varies over the space
     */
    CKG_NOISE_AUTO,
    CKG_NOISE_NONE,   /* repeating an evaluation gives the same value */
    CKG_NOISE_KNOWN,  /* normal, with a given standard deviation */
    CKG_NOISE_VARYING /* as CKG_NOISE_AUTO, with a standard deviation that varies over the space */
};

enum { CKG_MAX_PARAMETERS = 200, CKG_MAX_CATEGORIES = 100, CKG_MAX_CONSTRAINTS = 200 };
enum { CKG_MAX_RULES = 100, CKG_MAX_RULE_LENGTH = 1000, CKG_MAX_CONSTANTS = 200 };

/* An empty problem that minimizes an objective called "objective". The caller frees it. */
CKG_API int ckg_problem_new(ckg_problem **out);
CKG_API void ckg_problem_free(ckg_problem *problem);

/*
 * A real parameter in [low, high], both finite, low < high; CKG_LOG needs low > 0. A name must not be empty,
 * and no two may be the same.
 */
CKG_API int ckg_problem_add_real(ckg_problem *problem, const char *name, double low, double high,
                                 enum ckg_scale scale);

/* An integer in {low, …, high}, low < high, both within ±2^53. */
CKG_API int ckg_problem_add_integer(ckg_problem *problem, const char *name, double low, double high);

/*
 * The scale of a real or an integer: CKG_LOG where ratios matter more than differences, as for a batch size
 * of 1 … 1024. CKG_LOG needs low > 0.
 */
CKG_API int ckg_problem_set_scale(ckg_problem *problem, const char *parameter, enum ckg_scale scale);

/*
 * A step of a real, or one above 1 of an integer: designs are suggested and recommended at low, low + step,
 * low + 2·step, … up to high, which need not be one of them. On a log scale the values are the same. Values
 * print as short as they were given: 0.31, not 0.30999999999999994. A design of your own may lie between the
 * steps.
 */
CKG_API int ckg_problem_set_step(ckg_problem *problem, const char *parameter, double step);

/* One of `count` >= 2 named values, without order. The strings are copied. */
CKG_API int ckg_problem_add_categorical(ckg_problem *problem, const char *name, int count,
                                        const char *const *values);

/*
 * Restricts the choice to `count` designs, X row-major count × dimension, copied. Each must lie within the
 * parameters' ranges; duplicates count once. Parameters cannot be added afterwards, nor their scales or steps
 * set.
 */
CKG_API int ckg_problem_set_designs(ckg_problem *problem, int count, const double *X);

CKG_API int ckg_problem_set_objective(ckg_problem *problem, const char *name, enum ckg_goal goal);

/*
 * A constraint min <= value <= max, min < max. Use -INFINITY or INFINITY for a side without a limit, but not
 * for both.
 */
CKG_API int ckg_problem_add_constraint(ckg_problem *problem, const char *name, double min, double max);

/*
 * An equality: feasible when value − tolerance <= what is measured <= value + tolerance. The tolerance, above
 * 0, says how far off is still good, in the outcome's own units.
 */
CKG_API int ckg_problem_add_equality(ckg_problem *problem, const char *name, double value, double tolerance);

/*
 * A constraint that answers only whether the design is feasible: yes, 1, or no, 0. The same design is taken
 * to answer the same again. It has no noise and is not positive; its limits read back as 0.5 and INFINITY.
 */
CKG_API int ckg_problem_add_yesno(ckg_problem *problem, const char *name);

/* The noise of the outcome of that name; sd, from 1e-150 to 1e150, is used only with CKG_NOISE_KNOWN. */
CKG_API int ckg_problem_set_noise(ckg_problem *problem, const char *outcome, enum ckg_noise noise, double sd);

/*
 * Whether the outcome of that name is known to be above 0 wherever it is measured, like a mass or a time.
 * Then it is modelled on a log scale, predictions are above 0, and a value that is not is refused.
 */
CKG_API int ckg_problem_set_positive(ckg_problem *problem, const char *outcome, int positive);

/*
 * What measuring the outcome of that name costs, 0 … 1e150 in a unit of your own, where outcomes can be
 * measured one at a time: once any outcome has a cost, a suggestion says which outcomes to measure
 * (ckg_suggestion.measure). An outcome without one costs 1.
 */
CKG_API int ckg_problem_set_cost(ckg_problem *problem, const char *outcome, double cost);

/*
 * `count` >= 2 outcomes that always come together, such as two results of one simulation: they cost the sum
 * of their costs, of which all but one may be 0. An outcome is in one group at most.
 */
CKG_API int ckg_problem_add_group(ckg_problem *problem, int count, const char *const *outcomes);

/*
 * Rules between parameters that are known before any evaluation: no design that is suggested or recommended
 * breaks one. They are added after the parameters that they name. A design of your own that breaks one may be
 * added to a study; it teaches the models, counts as infeasible, and is never recommended. A study of a
 * problem whose rules leave no design is refused.
 *
 * A rule in words, as "pitch >= 1.2 * od", "a + b <= 1", "if alloy == \"steel\" then wire < 0.5":
 * docs/howto/rules.md has the language. Values are in the user's own units. *at, unless at is NULL, becomes
 * the byte of the text that a refusal is about.
 */
CKG_API int ckg_problem_add_rule(ckg_problem *problem, const char *text, int *at);

/* A number that rules added later may name like a parameter: one that is not varied in this study. */
CKG_API int ckg_problem_add_constant(ckg_problem *problem, const char *name, double value);

/*
 * A linear rule min <= Σ row[i]·x[i] <= max over all parameters there are so far; categoricals have the
 * coefficient 0, and so have parameters that are added later. Use -INFINITY or INFINITY for a side without a
 * limit.
 */
CKG_API int ckg_problem_add_rule_row(ckg_problem *problem, const double *row, double min, double max);

/*
 * A rule of your own: `allowed` returns 1 for a design x (d) that obeys it, else 0, always the same for the
 * same x. Several threads may call it at once, often: it should take microseconds. What words or rows can
 * say is better said so: a search can follow their limits, and only runs into those of a function.
 */
CKG_API int ckg_problem_add_rule_function(ckg_problem *problem,
                                          int (*allowed)(const double *x, void *context), void *context);

/*
 * Reading the problem back, with one function for each of those above. Indices count from 0, in the order in
 * which things were added. Returned pointers are borrowed until the problem changes or is freed. A NULL
 * problem, an index out of range or an unknown name gives -1, NULL or CKG_ERR_NOT_FOUND; a status comes with
 * a message.
 */

/* d, the number of parameters, and K, the number of constraints. */
CKG_API int ckg_problem_dimension(const ckg_problem *problem);
CKG_API int ckg_problem_constraints(const ckg_problem *problem);

/*
 * A parameter: its name, the index of a name, its enum ckg_kind, its enum ckg_scale (linear for a
 * categorical), and its step: 0 for a real without one and for a categorical, 1 or more for an integer.
 */
CKG_API const char *ckg_problem_parameter_name(const ckg_problem *problem, int parameter);
CKG_API int ckg_problem_parameter_find(const ckg_problem *problem, const char *name);
CKG_API int ckg_problem_parameter_kind(const ckg_problem *problem, int parameter);
CKG_API int ckg_problem_parameter_scale(const ckg_problem *problem, int parameter);
CKG_API double ckg_problem_parameter_step(const ckg_problem *problem, int parameter);

/* Its range, including both ends; for a categorical, 0 and the last index. Either output may be NULL. */
CKG_API int ckg_problem_parameter_range(const ckg_problem *problem, int parameter, double *low, double *high);

/* A categorical's number of values (0 for other kinds), the name of a value, and the index of a name. */
CKG_API int ckg_problem_categories(const ckg_problem *problem, int parameter);
CKG_API const char *ckg_problem_category(const ckg_problem *problem, int parameter, int value);
CKG_API int ckg_problem_category_find(const ckg_problem *problem, int parameter, const char *name);

/*
 * The finite list: how many different designs it has (0: there is no list), and design number `design` (d).
 */
CKG_API int ckg_problem_designs(const ckg_problem *problem);
CKG_API const double *ckg_problem_design(const ckg_problem *problem, int design);

/* Whether to minimize or maximize the objective: enum ckg_goal. */
CKG_API int ckg_problem_goal(const ckg_problem *problem);

/* An outcome: its name, and the index of a name. */
CKG_API const char *ckg_problem_outcome_name(const ckg_problem *problem, int outcome);
CKG_API int ckg_problem_outcome_find(const ckg_problem *problem, const char *name);

/* Its limits, infinite where there is none; both are for the objective. Either output may be NULL. */
CKG_API int ckg_problem_limits(const ckg_problem *problem, int outcome, double *min, double *max);

/*
 * 1 if it is an equality, else 0. What it should be and how far off it may be, both 0 where it is none;
 * either output may be NULL. ckg_problem_limits gives what that allows.
 */
CKG_API int ckg_problem_equality(const ckg_problem *problem, int outcome, double *value, double *tolerance);

/* 1 if it answers yes or no, else 0. */
CKG_API int ckg_problem_yesno(const ckg_problem *problem, int outcome);

/* Its enum ckg_noise. *sd, unless sd is NULL, becomes the standard deviation if that is known, else 0. */
CKG_API int ckg_problem_noise(const ckg_problem *problem, int outcome, double *sd);

/* 1 if it is declared positive, else 0. */
CKG_API int ckg_problem_positive(const ckg_problem *problem, int outcome);

/*
 * 1 if outcomes can be measured one at a time: one has a cost, or there is a group. What measuring one costs
 * (NAN for an index out of range); how many groups there are, and the group that an outcome is in (-1: none).
 */
CKG_API int ckg_problem_separate(const ckg_problem *problem);
CKG_API double ckg_problem_cost(const ckg_problem *problem, int outcome);
CKG_API int ckg_problem_groups(const ckg_problem *problem);
CKG_API int ckg_problem_group(const ckg_problem *problem, int outcome);

/*
 * The rules, of all three kinds: how many there are, the text of one in words, and the row of a linear one
 * with its length and limits, all outputs optional; NULL where the rule is of another kind. *allowed becomes
 * NULL where it is not a function.
 */
CKG_API int ckg_problem_rules(const ckg_problem *problem);
CKG_API const char *ckg_problem_rule(const ckg_problem *problem, int rule);
CKG_API const double *ckg_problem_rule_row(const ckg_problem *problem, int rule, int *count, double *min,
                                           double *max);
CKG_API int ckg_problem_rule_function(const ckg_problem *problem, int rule,
                                      int (**allowed)(const double *x, void *context), void **context);

/* The numbers that rules may name: how many, and the name of one with its value, unless value is NULL. */
CKG_API int ckg_problem_constants(const ckg_problem *problem);
CKG_API const char *ckg_problem_constant(const ckg_problem *problem, int constant, double *value);

/* --- what is allowed, and what is feasible --- */

/* One measured value. */
typedef struct ckg_measurement {
    int outcome;  /* 0 the objective, 1…K a constraint */
    double value; /* finite, at most 1e150 in magnitude; of an answer, 1 for yes and 0 for no */
    /* the standard deviation of its noise: 0, or from 1e-150 to 1e150; CKG_SD_DEFAULT: as the problem says */
    double sd;
} ckg_measurement;

#define CKG_SD_DEFAULT (-1.0)

/*
 * CKG_OK if x (d) is a design: every parameter is within its range, integers are integers and categories are
 * indices. Otherwise CKG_ERR_INVALID, with a message that names the parameter. Steps and the finite list are
 * not checked: a design that is not among them may be added to a study, but is never suggested.
 */
CKG_API int ckg_problem_check_design(const ckg_problem *problem, const double *x);

/*
 * CKG_OK if x (d) is a design and breaks no rule, else CKG_ERR_INVALID with a message that names the rule.
 * Rounding is forgiven: 0.1 + 0.2 <= 0.3 holds.
 */
CKG_API int ckg_problem_check_rules(const ckg_problem *problem, const double *x);

/*
 * x (d) ← a design that obeys every rule; CKG_ERR_INVALID, with a message, if there is none or none could be
 * found.
 */
CKG_API int ckg_problem_find_allowed(const ckg_problem *problem, double *x);

/*
 * CKG_OK if the values may be told for one trial: the outcomes exist, each occurs at most once, and values
 * and standard deviations are in range. Otherwise CKG_ERR_NOT_FOUND or CKG_ERR_INVALID, with a message that
 * names the outcome.
 */
CKG_API int ckg_problem_check_measured(const ckg_problem *problem, int count,
                                       const ckg_measurement *measured);

/*
 * Whether a design with these measured values is feasible: 0 if a value breaks a limit, 1 if every
 * constraint was measured and none does, -1 if the values do not decide, or if nothing was measured (count
 * 0).
 */
CKG_API int ckg_problem_feasible(const ckg_problem *problem, int count, const ckg_measurement *measured);

/* 1 if an objective of a is better than one of b, according to the goal; NAN is worse than any number. */
CKG_API int ckg_problem_better(const ckg_problem *problem, double a, double b);

#ifdef __cplusplus
}
#endif
#endif
