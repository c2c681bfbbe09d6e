/*
 * What a rule says of a design: whether it holds, and each clause's margin with its slope, by one pass up the
 * tree and one back down. Cost: the number of nodes.
 *
 * A comparison a <= b has the margin b − a. Both of two must hold: the smaller margin counts; one of two: the
 * larger; not: the other sign. Draws_of are 1, 0 (undefined) or −1, and are joined in the same way, so that
 * "if x > 0 then log(x) < 1" holds where x <= 0.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/maths.h"
#include "problem/rules.h"

/* What is forgiven to people who round, and to decimals, relative to what is compared. */
static const double rounding = 1e-9;
static const double decimals = 1e-12;

/* Per node: a number, or a margin with its truth; how large the numbers are that a sum was made of. */
struct values {
    double value[CKG__MAX_NODES];
    double size[CKG__MAX_NODES];
    signed char truth[CKG__MAX_NODES];
    double slack; /* forgiven, relative to the size */
    int fixed;    /* 1: what compares no reals has a margin of ±INFINITY */
};

static double category_number(const ckg_problem *problem, int parameter, double value)
{
    return strtod(problem->parameters[parameter].values[(int)value], NULL);
}

static double modulo(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define OPERATION_VALUE(name, value, slope_a, slope_b)                                                       \
    case CKG__OP_##name:                                                                                     \
        return value;
#define FUNCTION_VALUE(name, word, value, slope) OPERATION_VALUE(name, value, slope, 0)

/* An operation on two numbers, or a function of the first. */
static double value_of(enum ckg__rule_op op, double a, double b)
{
    switch (op) {
        CKG__RULE_OPERATIONS(OPERATION_VALUE)
        CKG__RULE_FUNCTIONS(FUNCTION_VALUE)
    default:
        assert(op == CKG__OP_NEGATE);
        return -a;
    }
}

static double number_of(const ckg_problem *problem, const struct ckg__rule_node *n, const double *v,
                        const double *x)
{
    switch (n->op) {
    case CKG__OP_CONSTANT:
        return n->constant;
    case CKG__OP_PARAMETER:
        return x[n->a];
    case CKG__OP_CATEGORY:
        return category_number(problem, n->a, x[n->a]);
    default:
        return value_of(n->op, v[n->a], n->b < 0 ? 0 : v[n->b]);
    }
}

/* Sums are as large as what they were made of, however much of it cancels. */
static double size_of(const struct ckg__rule_node *n, const struct values *v, double value)
{
    double size = fabs(value);

    if (n->op == CKG__OP_ADD || n->op == CKG__OP_SUBTRACT)
        size = fmax(size, fmax(v->size[n->a], v->size[n->b]));
    else if (n->op == CKG__OP_NEGATE || n->op == CKG__OP_ABS)
        size = v->size[n->a];
    return size;
}

/*
 * How far apart two numbers may be and still be the same. Where no real varies, they are people's decimals:
 * 0.1 + 0.2 is 0.3, and no integer is another.
 */
static double slack_of(const struct ckg__rule_node *n, const struct values *v)
{
    const double size = v->size[n->a] + v->size[n->b];

    return n->reals ? v->slack * size : fmin(fmax(v->slack, decimals) * size, 1e-3);
}

/* A comparison of two numbers: its margin, and whether it holds. */
static void compare(const struct ckg__rule_node *n, struct values *v, int i)
{
    const double a = v->value[n->a];
    const double b = v->value[n->b];
    const double slack = slack_of(n, v);
    const int same = a == b || fabs(a - b) <= slack;
    int holds;

    if (n->op == CKG__OP_LESS)
        holds = a < b && (n->reals || !same);
    else if (n->op == CKG__OP_LESS_EQUAL)
        holds = a < b || same;
    else
        holds = same == (n->op == CKG__OP_EQUAL);
    v->truth[i] = (signed char)(isnan(a) || isnan(b) ? 0 : holds ? 1 : -1);

    /* Two integers that differ are one apart at least. */
    double margin = n->op == CKG__OP_EQUAL     ? -fabs(a - b)
                    : n->op == CKG__OP_UNEQUAL ? (same ? -1 : fabs(a - b))
                                               : b - a;
    if (isnan(margin) || !v->truth[i])
        margin = v->truth[i] > 0 ? 0 : -INFINITY;
    if (v->fixed && !n->reals)
        margin = v->truth[i] > 0 ? INFINITY : -INFINITY;
    v->value[i] = margin;
}

static void compare_names(const ckg_problem *problem, const struct ckg__rule_node *n, struct values *v, int i,
                          const double *x)
{
    const int holds = n->op == CKG__OP_IS ? (int)x[n->a] == n->b
                                          : !strcmp(problem->parameters[n->a].values[(int)x[n->a]],
                                                    problem->parameters[n->b].values[(int)x[n->b]]);

    v->truth[i] = holds ? 1 : -1;
    v->value[i] = v->fixed ? (holds ? INFINITY : -INFINITY) : holds ? 1 : -1;
}

/* Fills the values of nodes 0 … last. */
static void evaluate(const ckg_problem *problem, const struct ckg__rule *rule, int last, const double *x,
                     struct values *v)
{
    for (int i = 0; i <= last; i++) {
        const struct ckg__rule_node *n = &rule->node[i];

        switch (n->op) {
        case CKG__OP_LESS:
        case CKG__OP_LESS_EQUAL:
        case CKG__OP_EQUAL:
        case CKG__OP_UNEQUAL:
            compare(n, v, i);
            break;
        case CKG__OP_IS:
        case CKG__OP_SAME:
            compare_names(problem, n, v, i, x);
            break;
        case CKG__OP_AND:
            v->value[i] = fmin(v->value[n->a], v->value[n->b]);
            v->truth[i] = v->truth[n->a] < v->truth[n->b] ? v->truth[n->a] : v->truth[n->b];
            break;
        case CKG__OP_OR:
            v->value[i] = fmax(v->value[n->a], v->value[n->b]);
            v->truth[i] = v->truth[n->a] > v->truth[n->b] ? v->truth[n->a] : v->truth[n->b];
            break;
        case CKG__OP_NOT:
            v->truth[i] = (signed char)-v->truth[n->a];
            v->value[i] = v->truth[i] ? -v->value[n->a] : -INFINITY;
            break;
        default:
            v->value[i] = number_of(problem, n, v->value, x);
            v->size[i] = size_of(n, v, v->value[i]);
        }
    }
}

/* All clauses of the rule together, so much forgiven. */
static int truth(const ckg_problem *problem, const struct ckg__rule *rule, double slack, const double *x)
{
    struct values v;
    int least = 1;

    if (rule->allowed)
        return rule->allowed(x, rule->context) ? 1 : -1;
    v.slack = slack;
    v.fixed = 0;
    evaluate(problem, rule, rule->nodes - 1, x, &v);
    for (int c = 0; c < rule->clauses; c++)
        least = v.truth[rule->clause[c]] < least ? v.truth[rule->clause[c]] : least;
    return least;
}

int ckg__rule_truth(const ckg_problem *problem, const struct ckg__rule *rule, const double *x)
{
    return truth(problem, rule, 0, x);
}

int ckg__rule_forgiving(const ckg_problem *problem, const struct ckg__rule *rule, const double *x)
{
    const int exact = truth(problem, rule, 0, x);

    /* What is forgiven within a `not` or an `if` may break what holds. */
    return exact > 0 ? exact : truth(problem, rule, rounding, x);
}

/* --- slopes --- */

static const double ln2 = 0.69314718055994530942;
static const double ln10 = 2.30258509299404568402;

#define OPERATION_SLOPES(name, unused, slope_a, slope_b)                                                     \
    case CKG__OP_##name:                                                                                     \
        *by_a = slope_a;                                                                                     \
        *by_b = slope_b;                                                                                     \
        break;
#define FUNCTION_SLOPES(name, word, unused, slope) OPERATION_SLOPES(name, unused, slope, 0)

/* The slopes of a number by those that it was made of. */
static void number_slopes(enum ckg__rule_op op, double a, double b, double value, double *by_a, double *by_b)
{
    switch (op) {
        CKG__RULE_OPERATIONS(OPERATION_SLOPES)
        CKG__RULE_FUNCTIONS(FUNCTION_SLOPES)
    default:
        assert(op == CKG__OP_NEGATE);
        *by_a = -1;
    }
}

/* The slopes of a margin by its operands: the one that counts. */
static void margin_slopes(const struct ckg__rule_node *n, const double *v, double *by_a, double *by_b)
{
    *by_a = *by_b = 0;
    switch (n->op) {
    case CKG__OP_LESS:
    case CKG__OP_LESS_EQUAL:
        *by_a = -1;
        *by_b = 1;
        break;
    case CKG__OP_AND:
        *by_a = v[n->a] <= v[n->b];
        *by_b = !*by_a;
        break;
    case CKG__OP_OR:
        *by_a = v[n->a] >= v[n->b];
        *by_b = !*by_a;
        break;
    case CKG__OP_NOT:
        *by_a = -1;
        break;
    default:
        break;
    }
}

/* slope (d) of node `root`, from the top down. */
static void descend(const ckg_problem *problem, const struct ckg__rule *rule, int root, const double *v,
                    double *slope)
{
    double weight[CKG__MAX_NODES];

    memset(slope, 0, (size_t)problem->d * sizeof *slope);
    memset(weight, 0, (size_t)(root + 1) * sizeof *weight);
    weight[root] = 1;
    for (int i = root; i >= 0; i--) {
        const struct ckg__rule_node *n = &rule->node[i];
        double by_a = 0;
        double by_b = 0;

        if (weight[i] == 0 || !n->reals)
            continue;
        if (n->op == CKG__OP_PARAMETER) {
            slope[n->a] += weight[i];
            continue;
        }
        if (n->op >= CKG__OP_LESS)
            margin_slopes(n, v, &by_a, &by_b);
        else
            number_slopes(n->op, v[n->a], n->b < 0 ? 0 : v[n->b], v[i], &by_a, &by_b);
        if (by_a != 0)
            weight[n->a] += weight[i] * by_a;
        if (n->b >= 0 && by_b != 0)
            weight[n->b] += weight[i] * by_b;
    }
}

double ckg__rule_margin(const ckg_problem *problem, const struct ckg__rule *rule, int clause, int fixed,
                        const double *x, double *slope)
{
    struct values v;
    const int root = rule->clause[clause];

    assert(clause >= 0 && clause < rule->clauses);
    v.slack = 0;
    v.fixed = fixed;
    evaluate(problem, rule, root, x, &v);
    if (slope)
        descend(problem, rule, root, v.value, slope);

    /* A strict comparison of equals does not hold, though nothing is missing. */
    return v.truth[root] > 0 ? fmax(v.value[root], 0) : fmin(v.value[root], -0x1p-1022);
}
