/*
 * Describing a problem: parameters, outcomes, limits, the finite list. Every function checks before it
 * changes anything.
 */
#include "problem/problem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "problem/rules.h"
#include "problem/measurement_sets.h"

static const double largest_integer = 9007199254740992.0; /* 2^53: every integer up to it is a double */
static const double smallest_sd = 1e-150;                 /* but for none: its square is not 0 */
static const double largest_value = 1e150;                /* its square, and sums of such, are finite */
static const double between_answers = 0.5;                /* no, 0, and yes, 1 */

int ckg_problem_new(ckg_problem **out)
{
    ckg__error_clear();
    if (!out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_new: out is NULL");
    *out = NULL;
    ckg_problem *p = ckg__alloc_zero(1, sizeof *p);
    if (!p)
        return CKG_ERR_NOMEM;
    p->parameters = ckg__alloc_zero(CKG_MAX_PARAMETERS, sizeof *p->parameters);
    p->outcome[0] = (struct ckg__outcome){
        .name = ckg__alloc_string("objective"), .min = -INFINITY, .max = INFINITY, .noise = CKG_NOISE_AUTO};
    p->outcomes = 1;
    if (!p->parameters || !p->outcome[0].name) {
        ckg_problem_free(p);
        return CKG_ERR_NOMEM;
    }
    *out = p;
    return CKG_OK;
}

static void parameter_free(struct ckg__parameter *q)
{
    for (int v = 0; q->values && v < q->count; v++)
        ckg__free(q->values[v]);
    ckg__free(q->values);
    ckg__free(q->name);
}

void ckg_problem_free(ckg_problem *p)
{
    if (!p)
        return;
    for (int i = 0; p->parameters && i < p->d; i++)
        parameter_free(&p->parameters[i]);
    for (int j = 0; j < p->outcomes; j++)
        ckg__free(p->outcome[j].name);
    ckg__free(p->parameters);
    ckg__free(p->X);
    ckg__free(p->U);
    ckg__rules_free(p->rules);
    ckg__free(p->known.x);
    ckg__free(p->known.number);
    ckg__free(p);
}

static int check_new_parameter(const ckg_problem *p, const char *name)
{
    if (!p)
        return ckg__fail(CKG_ERR_INVALID, "the problem is NULL");
    if (!name || !*name)
        return ckg__fail(CKG_ERR_INVALID, "a parameter needs a name");
    if (p->designs)
        return ckg__fail(CKG_ERR_STATE, "parameter '%s': add parameters before the list of designs", name);
    if (p->d == CKG_MAX_PARAMETERS)
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': a problem has at most %d parameters", name,
                         CKG_MAX_PARAMETERS);
    if (ckg_problem_parameter_find(p, name) >= 0)
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s' is given twice", name);
    return CKG_OK;
}

static int check_range(const char *name, double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': the range [%g, %g] is not finite", name, low,
                         high);
    if (!(low < high))
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': low %.17g must be below high %.17g", name, low,
                         high);
    if (!isfinite(high - low))
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': the range [%g, %g] is too wide", name, low, high);
    return CKG_OK;
}

static int check_scale(const char *name, double low, enum ckg_scale scale)
{
    if (scale != CKG_LINEAR && scale != CKG_LOG)
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': unknown scale %d", name, (int)scale);
    if (scale == CKG_LOG && !(low > 0))
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': a log scale needs low > 0, not %g", name, low);
    return CKG_OK;
}

/* Appends q, whose name and values are still to be copied from the caller's. */
static int add_parameter(ckg_problem *p, struct ckg__parameter q, const char *name, const char *const *values)
{
    q.name = ckg__alloc_string(name);
    if (values)
        q.values = ckg__alloc_zero((size_t)q.count, sizeof *q.values);
    int ok = q.name && (!values || q.values);
    for (int v = 0; ok && values && v < q.count; v++)
        ok = (q.values[v] = ckg__alloc_string(values[v])) != NULL;
    if (!ok) {
        parameter_free(&q);
        return CKG_ERR_NOMEM;
    }
    assert(p->d < CKG_MAX_PARAMETERS && q.width >= 1 && q.low < q.high);
    if (!ckg__is_real(&q) && !q.steps)
        ckg__step_set(&q, 1);
    q.offset = p->D;
    p->parameters[p->d++] = q;
    p->D += q.width;
    return CKG_OK;
}

int ckg_problem_add_real(ckg_problem *p, const char *name, double low, double high, enum ckg_scale scale)
{
    ckg__error_clear();
    int status = check_new_parameter(p, name);
    if (!status)
        status = check_range(name, low, high);
    if (status)
        return status;
    if (check_scale(name, low, scale))
        return CKG_ERR_INVALID;
    const struct ckg__parameter q = {
        .kind = CKG_REAL, .scale = scale, .low = low, .high = high, .bound = high, .width = 1};
    return add_parameter(p, q, name, NULL);
}

int ckg_problem_add_integer(ckg_problem *p, const char *name, double low, double high)
{
    ckg__error_clear();
    int status = check_new_parameter(p, name);
    if (!status)
        status = check_range(name, low, high);
    if (status)
        return status;
    if (low != floor(low) || high != floor(high) || fabs(low) > largest_integer ||
        fabs(high) > largest_integer)
        return ckg__fail(CKG_ERR_INVALID,
                         "parameter '%s': low %.17g and high %.17g must be integers within ±2^53", name, low,
                         high);
    const struct ckg__parameter q = {
        .kind = CKG_INTEGER, .low = low, .high = high, .bound = high, .width = 1};
    return add_parameter(p, q, name, NULL);
}

int ckg_problem_add_categorical(ckg_problem *p, const char *name, int count, const char *const *values)
{
    ckg__error_clear();
    int status = check_new_parameter(p, name);
    if (status)
        return status;
    if (count < 2 || count > CKG_MAX_CATEGORIES || !values)
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s' needs 2 to %d values, not %d", name,
                         CKG_MAX_CATEGORIES, count);
    for (int v = 0; v < count; v++) {
        if (!values[v])
            return ckg__fail(CKG_ERR_INVALID, "parameter '%s': value %d is NULL", name, v);
        for (int w = 0; w < v; w++)
            if (!strcmp(values[v], values[w]))
                return ckg__fail(CKG_ERR_INVALID, "parameter '%s': value '%s' is given twice", name,
                                 values[v]);
    }
    struct ckg__parameter q = {
        .kind = CKG_CATEGORICAL, .high = count - 1, .bound = count - 1, .count = count, .width = count};
    return add_parameter(p, q, name, values);
}

int ckg__problem_check_design(const ckg_problem *p, const double *x)
{
    for (int i = 0; i < p->d; i++) {
        const struct ckg__parameter *q = &p->parameters[i];
        if (!isfinite(x[i]))
            return ckg__fail(CKG_ERR_INVALID, "parameter '%s': %g is not a finite number", q->name, x[i]);
        if (x[i] < q->low || x[i] > q->bound)
            return ckg__fail(CKG_ERR_INVALID, "parameter '%s': %.17g is outside [%.17g, %.17g]", q->name,
                             x[i], q->low, q->bound);
        if (q->kind != CKG_REAL && x[i] != floor(x[i]))
            return ckg__fail(CKG_ERR_INVALID, "parameter '%s': %.17g is not an integer", q->name, x[i]);
    }
    return CKG_OK;
}

/* Scale and step move the values in the cube, which a list of designs is kept in. */
static int check_number(const ckg_problem *p, const char *name, const char *what, int *index)
{
    *index = ckg_problem_parameter_find(p, name);
    if (*index < 0)
        return ckg__fail(CKG_ERR_NOT_FOUND, "no parameter is called '%s'", name ? name : "(null)");
    if (p->parameters[*index].kind == CKG_CATEGORICAL)
        return ckg__fail(CKG_ERR_INVALID, "parameter '%s': categories have no %s", name, what);
    if (p->designs)
        return ckg__fail(CKG_ERR_STATE, "parameter '%s': set its %s before the list of designs", name, what);
    return CKG_OK;
}

int ckg_problem_set_scale(ckg_problem *p, const char *parameter, enum ckg_scale scale)
{
    int i = -1;

    ckg__error_clear();
    const int status = check_number(p, parameter, "scale", &i);
    if (status)
        return status;
    if (check_scale(parameter, p->parameters[i].low, scale))
        return CKG_ERR_INVALID;
    p->parameters[i].scale = scale;
    return CKG_OK;
}

/* The values of q by that step are different numbers, and there are at least two. */
static int check_step(const struct ckg__parameter *q, double step)
{
    const char *wrong = !(step > 0) || !isfinite(step)                  ? "must be above 0"
                        : q->kind == CKG_INTEGER && step != floor(step) ? "must be an integer"
                        : step > (q->bound - q->low) * (1 + 1e-12)      ? "is larger than the range"
                        : (q->bound - q->low) / step > largest_integer || q->low + step == q->low ||
                                q->bound - step == q->bound
                            ? "is too small for the range"
                            : NULL;

    return wrong ? ckg__fail(CKG_ERR_INVALID, "parameter '%s': the step %.15g %s", q->name, step, wrong)
                 : CKG_OK;
}

int ckg_problem_set_step(ckg_problem *p, const char *parameter, double step)
{
    int i = -1;

    ckg__error_clear();
    int status = check_number(p, parameter, "step", &i);
    if (!status)
        status = check_step(&p->parameters[i], step);
    if (!status)
        ckg__step_set(&p->parameters[i], step);
    return status;
}

int ckg_problem_set_designs(ckg_problem *p, int count, const double *X)
{
    ckg__error_clear();
    if (!p || count < 1 || !X)
        return ckg__fail(CKG_ERR_INVALID, "a list of designs needs a problem and at least one design");
    if (!p->d)
        return ckg__fail(CKG_ERR_STATE, "add the parameters before the list of designs");

    /* Every one must be a design. */
    const size_t d = (size_t)p->d;
    const size_t D = (size_t)p->D;
    for (int i = 0; i < count; i++)
        if (ckg__problem_check_design(p, X + (size_t)i * d))
            return CKG_ERR_INVALID;

    double *kept = ckg__alloc((size_t)count * d, sizeof *kept);
    double *unit = ckg__alloc((size_t)count * D, sizeof *unit);
    if (!kept || !unit) {
        ckg__free(kept);
        ckg__free(unit);
        return CKG_ERR_NOMEM;
    }

    /* Each once, as given and in the unit cube. */
    int n = 0;
    for (int i = 0; i < count; i++) {
        int seen = 0;

        for (int k = 0; k < n && !seen; k++)
            seen = ckg__same_design(p->d, kept + (size_t)k * d, X + (size_t)i * d);
        if (!seen)
            memcpy(kept + (size_t)n++ * d, X + (size_t)i * d, d * sizeof *X);
    }
    for (int i = 0; i < n; i++)
        ckg__problem_to_unit(p, kept + (size_t)i * d, unit + (size_t)i * D);
    assert(n > 0 && n <= count);

    /* In place of an older list. */
    ckg__free(p->X);
    ckg__free(p->U);
    p->X = kept;
    p->U = unit;
    p->designs = n;
    return CKG_OK;
}

static int check_outcome_name(const ckg_problem *p, const char *name, int except)
{
    if (!p || !name || !*name)
        return ckg__fail(CKG_ERR_INVALID, "an outcome needs a problem and a name");
    for (int j = 0; j < p->outcomes; j++)
        if (j != except && !strcmp(p->outcome[j].name, name))
            return ckg__fail(CKG_ERR_INVALID, "outcome '%s' is given twice", name);
    return CKG_OK;
}

int ckg_problem_set_objective(ckg_problem *p, const char *name, enum ckg_goal goal)
{
    ckg__error_clear();
    if (check_outcome_name(p, name, 0))
        return CKG_ERR_INVALID;
    if (goal != CKG_MINIMIZE && goal != CKG_MAXIMIZE)
        return ckg__fail(CKG_ERR_INVALID, "objective '%s': unknown goal %d", name, (int)goal);
    char *copy = ckg__alloc_string(name);
    if (!copy)
        return CKG_ERR_NOMEM;
    ckg__free(p->outcome[0].name);
    p->outcome[0].name = copy;
    p->goal = goal;
    return CKG_OK;
}

static int check_new_constraint(const ckg_problem *p, const char *name)
{
    if (check_outcome_name(p, name, -1))
        return CKG_ERR_INVALID;
    if (p->outcomes == 1 + CKG_MAX_CONSTRAINTS)
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': a problem has at most %d constraints", name,
                         CKG_MAX_CONSTRAINTS);
    return CKG_OK;
}

/* Appends o, whose name is still to be copied from the caller's. */
static int add_outcome(ckg_problem *p, struct ckg__outcome o, const char *name)
{
    assert(p->outcomes <= CKG_MAX_CONSTRAINTS && o.min < o.max);

    o.name = ckg__alloc_string(name);
    if (!o.name)
        return CKG_ERR_NOMEM;
    p->outcome[p->outcomes++] = o;
    return CKG_OK;
}

int ckg_problem_add_constraint(ckg_problem *p, const char *name, double min, double max)
{
    ckg__error_clear();
    if (check_new_constraint(p, name))
        return CKG_ERR_INVALID;
    if (isnan(min) || isnan(max) || (isinf(min) && isinf(max)) || min == INFINITY || max == -INFINITY)
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': min %g and max %g set no limit", name, min, max);
    if (!(min < max))
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': min %.17g must be below max %.17g", name, min,
                         max);
    return add_outcome(p, (struct ckg__outcome){.min = min, .max = max, .noise = CKG_NOISE_AUTO}, name);
}

int ckg_problem_add_equality(ckg_problem *p, const char *name, double value, double tolerance)
{
    ckg__error_clear();
    if (check_new_constraint(p, name))
        return CKG_ERR_INVALID;
    if (!(fabs(value) <= largest_value))
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': %g is not a number within ±1e150", name, value);
    if (!(tolerance > 0 && tolerance <= largest_value))
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': the tolerance must be above 0, not %g", name,
                         tolerance);

    const double min = value - tolerance;
    const double max = value + tolerance;

    if (!(min < value && value < max))
        return ckg__fail(CKG_ERR_INVALID, "constraint '%s': the tolerance %g is lost in the digits of %.17g",
                         name, tolerance, value);
    const struct ckg__outcome o = {
        .min = min, .max = max, .noise = CKG_NOISE_AUTO, .equal = value, .tolerance = tolerance};
    return add_outcome(p, o, name);
}

int ckg_problem_add_yesno(ckg_problem *p, const char *name)
{
    ckg__error_clear();
    if (check_new_constraint(p, name))
        return CKG_ERR_INVALID;
    const struct ckg__outcome o = {
        .min = between_answers, .max = INFINITY, .noise = CKG_NOISE_NONE, .yesno = 1};
    return add_outcome(p, o, name);
}

/* 1 when the models can work with noise of this standard deviation. */
static int possible_sd(double sd)
{
    return sd >= smallest_sd && sd <= largest_value;
}

int ckg_problem_set_noise(ckg_problem *p, const char *outcome, enum ckg_noise noise, double sd)
{
    ckg__error_clear();
    const int j = ckg_problem_outcome_find(p, outcome);
    if (j < 0)
        return ckg__fail(CKG_ERR_NOT_FOUND, "no outcome is called '%s'", outcome ? outcome : "(null)");
    if (p->outcome[j].yesno)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s' answers yes or no and has no noise", outcome);
    if (noise != CKG_NOISE_AUTO && noise != CKG_NOISE_NONE && noise != CKG_NOISE_KNOWN &&
        noise != CKG_NOISE_VARYING)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': unknown kind of noise %d", outcome, (int)noise);
    if (noise == CKG_NOISE_KNOWN && !possible_sd(sd))
        return ckg__fail(CKG_ERR_INVALID,
                         "outcome '%s': the noise's standard deviation must be from 1e-150 to 1e150, not %g",
                         outcome, sd);
    p->outcome[j].noise = noise;
    p->outcome[j].noise_sd = noise == CKG_NOISE_KNOWN ? sd : 0.0;
    return CKG_OK;
}

int ckg_problem_set_positive(ckg_problem *p, const char *outcome, int positive)
{
    ckg__error_clear();
    const int j = ckg_problem_outcome_find(p, outcome);
    if (j < 0)
        return ckg__fail(CKG_ERR_NOT_FOUND, "no outcome is called '%s'", outcome ? outcome : "(null)");
    if (positive && p->outcome[j].yesno)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s' answers yes or no and cannot be positive", outcome);
    if (positive && p->outcome[j].max <= 0)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': a positive outcome can never be at most %.17g",
                         outcome, p->outcome[j].max);
    p->outcome[j].positive = positive != 0;
    return CKG_OK;
}

int ckg__problem_copy(ckg_problem **out, const ckg_problem *from)
{
    ckg_problem *p = NULL;
    int status = ckg_problem_new(&p);

    /* The parameters, each laid out anew. */
    for (int i = 0; !status && i < from->d; i++) {
        const struct ckg__parameter *q = &from->parameters[i];
        struct ckg__parameter bare = *q;

        bare.values = NULL;
        status = add_parameter(p, bare, q->name, (const char *const *)q->values);
    }
    assert(status || p->D == from->D);

    /* The outcomes, in place of the new problem's own. */
    if (!status) {
        p->goal = from->goal;
        p->separate = from->separate;
        p->groups = from->groups;
        p->outcomes = 0;
        ckg__free(p->outcome[0].name);
    }
    for (int j = 0; !status && j < from->outcomes; j++)
        status = add_outcome(p, from->outcome[j], from->outcome[j].name);

    /* The list. */
    if (!status && from->designs)
        status = ckg_problem_set_designs(p, from->designs, from->X);

    /* The rules. */
    if (!status)
        status = ckg__rules_copy(p, from);

    if (status) {
        ckg_problem_free(p);
        p = NULL;
    }
    *out = p;
    return status;
}

/* --- reading it back --- */

int ckg_problem_dimension(const ckg_problem *p)
{
    return p ? p->d : -1;
}

int ckg_problem_constraints(const ckg_problem *p)
{
    return p ? p->outcomes - 1 : -1;
}

static const struct ckg__parameter *parameter_at(const ckg_problem *p, int i)
{
    return p && i >= 0 && i < p->d ? &p->parameters[i] : NULL;
}

static const struct ckg__outcome *outcome_at(const ckg_problem *p, int j)
{
    return p && j >= 0 && j < p->outcomes ? &p->outcome[j] : NULL;
}

const char *ckg_problem_parameter_name(const ckg_problem *p, int i)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    return q ? q->name : NULL;
}

int ckg_problem_parameter_find(const ckg_problem *p, const char *name)
{
    for (int i = 0; p && name && i < p->d; i++)
        if (!strcmp(p->parameters[i].name, name))
            return i;
    return -1;
}

int ckg_problem_parameter_kind(const ckg_problem *p, int i)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    return q ? (int)q->kind : -1;
}

int ckg_problem_parameter_scale(const ckg_problem *p, int i)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    return q ? (int)q->scale : -1;
}

int ckg_problem_parameter_range(const ckg_problem *p, int i, double *low, double *high)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    ckg__error_clear();
    if (!q)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no parameter %d", i);
    if (low)
        *low = q->low;
    if (high)
        *high = q->bound;
    return CKG_OK;
}

double ckg_problem_parameter_step(const ckg_problem *p, int i)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    return !q ? -1 : q->kind == CKG_CATEGORICAL ? 0 : q->step;
}

int ckg_problem_categories(const ckg_problem *p, int i)
{
    const struct ckg__parameter *q = parameter_at(p, i);

    return q ? q->count : -1;
}

const char *ckg_problem_category(const ckg_problem *p, int i, int v)
{
    return v >= 0 && v < ckg_problem_categories(p, i) ? p->parameters[i].values[v] : NULL;
}

int ckg_problem_category_find(const ckg_problem *p, int i, const char *name)
{
    const int count = ckg_problem_categories(p, i);

    for (int v = 0; name && v < count; v++)
        if (!strcmp(p->parameters[i].values[v], name))
            return v;
    return -1;
}

int ckg_problem_designs(const ckg_problem *p)
{
    return p ? p->designs : -1;
}

const double *ckg_problem_design(const ckg_problem *p, int design)
{
    return p && design >= 0 && design < p->designs ? p->X + (size_t)design * (size_t)p->d : NULL;
}

int ckg_problem_goal(const ckg_problem *p)
{
    return p ? (int)p->goal : -1;
}

const char *ckg_problem_outcome_name(const ckg_problem *p, int j)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    return o ? o->name : NULL;
}

int ckg_problem_outcome_find(const ckg_problem *p, const char *name)
{
    for (int j = 0; p && name && j < p->outcomes; j++)
        if (!strcmp(p->outcome[j].name, name))
            return j;
    return -1;
}

int ckg_problem_limits(const ckg_problem *p, int j, double *min, double *max)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    ckg__error_clear();
    if (!o)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", j);
    if (min)
        *min = o->min;
    if (max)
        *max = o->max;
    return CKG_OK;
}

int ckg_problem_equality(const ckg_problem *p, int j, double *value, double *tolerance)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    if (!o)
        return -1;
    if (value)
        *value = o->equal;
    if (tolerance)
        *tolerance = o->tolerance;
    return o->tolerance > 0;
}

int ckg_problem_noise(const ckg_problem *p, int j, double *sd)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    if (o && sd)
        *sd = o->noise_sd;
    return o ? (int)o->noise : -1;
}

int ckg_problem_positive(const ckg_problem *p, int j)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    return o ? o->positive : -1;
}

int ckg_problem_yesno(const ckg_problem *p, int j)
{
    const struct ckg__outcome *o = outcome_at(p, j);

    return o ? o->yesno : -1;
}

/* --- its rules --- */

int ckg_problem_check_design(const ckg_problem *p, const double *x)
{
    ckg__error_clear();
    if (!p || !x)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_check_design: a NULL argument");
    return ckg__problem_check_design(p, x);
}

/* An answer is 1 or 0 and nothing else. */
static int check_answer(const struct ckg__outcome *o, const ckg_measurement *m)
{
    if (m->value != 0 && m->value != 1)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s' answers yes (1) or no (0), not %.17g", o->name,
                         m->value);
    if (m->sd != CKG_SD_DEFAULT)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': yes or no has no standard deviation", o->name);
    return CKG_OK;
}

static int check_measurement(const ckg_problem *p, const ckg_measurement *m)
{
    const struct ckg__outcome *o = outcome_at(p, m->outcome);

    if (!o)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", m->outcome);
    if (!isfinite(m->value))
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': %g is not a finite number", o->name, m->value);
    if (fabs(m->value) > largest_value)
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': %g is beyond ±1e150", o->name, m->value);
    if (o->positive && !(m->value > 0))
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s' is declared positive and cannot be %.17g", o->name,
                         m->value);
    if (m->sd != CKG_SD_DEFAULT && m->sd != 0 && !possible_sd(m->sd))
        return ckg__fail(CKG_ERR_INVALID,
                         "outcome '%s': the standard deviation must be 0 or from 1e-150 to 1e150, not %g",
                         o->name, m->sd);
    return o->yesno ? check_answer(o, m) : CKG_OK;
}

int ckg__problem_check_measured(const ckg_problem *p, int count, const ckg_measurement *measured)
{
    unsigned char seen[1 + CKG_MAX_CONSTRAINTS] = {0};

    for (int i = 0; i < count; i++) {
        const ckg_measurement *m = &measured[i];
        const int status = check_measurement(p, m);

        if (status)
            return status;
        if (seen[m->outcome]++)
            return ckg__fail(CKG_ERR_INVALID, "outcome '%s' is given twice", p->outcome[m->outcome].name);
    }
    return CKG_OK;
}

int ckg_problem_check_measured(const ckg_problem *p, int count, const ckg_measurement *measured)
{
    ckg__error_clear();
    if (!p || count < 0 || (count && !measured))
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_check_measured: needs a problem and measured values");
    return ckg__problem_check_measured(p, count, measured);
}

int ckg_problem_feasible(const ckg_problem *p, int count, const ckg_measurement *measured)
{
    int met = 0;

    for (int i = 0; p && measured && i < count; i++) {
        const ckg_measurement *m = &measured[i];
        const struct ckg__outcome *o = outcome_at(p, m->outcome);

        if (!o)
            return -1;
        if (m->value < o->min || m->value > o->max)
            return 0;
        met += m->outcome > 0;
    }
    return p && measured && count > 0 && met == p->outcomes - 1 ? 1 : -1;
}

int ckg_problem_better(const ckg_problem *p, double a, double b)
{
    if (!p || isnan(a))
        return 0;
    return isnan(b) || (p->goal == CKG_MAXIMIZE ? a > b : a < b);
}
