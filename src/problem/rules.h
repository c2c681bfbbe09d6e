/*
 * Rules between parameters, known before any evaluation. A rule is an expression, kept as the nodes of its
 * tree, children before parents; a linear row, which becomes such nodes too; or a function of the caller's.
 * docs/howto/rules.md has the language.
 *
 * A rule holds, does not hold, or is undefined (log(-1) <= 2), which is as good as broken. Where `and` joins
 * parts at the top of a rule they are clauses of their own, each with a margin in the units that it compares:
 * above 0 where it holds, below where it does not, with a slope to follow.
 */
#ifndef CKG_PROBLEM_RULES_H
#define CKG_PROBLEM_RULES_H

#include "problem/problem.h"

enum { CKG__MAX_NODES = 1024, CKG__MAX_DEPTH = 100, CKG__MAX_CLAUSES = 256 };

/* Operations on two numbers: their value, and its slopes by a and by b (rule_value.c). */
#define CKG__RULE_OPERATIONS(X)                                                                              \
    X(ADD, a + b, 1, 1)                                                                                      \
    X(SUBTRACT, a - b, 1, -1)                                                                                \
    X(MULTIPLY, (a * b), b, a)                                                                               \
    X(DIVIDE, a / b, 1 / b, -value / b)                                                                      \
    X(MODULO, modulo(a, b), 1, -floor(a / b))                                                                \
    X(POWER, ckg__pow(a, b), b == 0 ? 0 : b * ckg__pow(a, b - 1), a > 0 ? value * ckg__log(a) : 0)           \
    X(MIN, isnan(a) || isnan(b) ? NAN : fmin(a, b), a <= b, !(a <= b))                                       \
    X(MAX, isnan(a) || isnan(b) ? NAN : fmax(a, b), a >= b, !(a >= b))

/* Functions of one number: their name, their value, and its slope. */
#define CKG__RULE_FUNCTIONS(X)                                                                               \
    X(ABS, "abs", fabs(a), a > 0 ? 1 : a < 0 ? -1 : 0)                                                       \
    X(SQRT, "sqrt", sqrt(a), 0.5 / value)                                                                    \
    X(EXP, "exp", ckg__exp(a), value)                                                                        \
    X(LOG, "log", ckg__log(a), 1 / a)                                                                        \
    X(LOG2, "log2", log2(a), 1 / (ln2 * a))                                                                  \
    X(LOG10, "log10", log10(a), 1 / (ln10 * a))                                                              \
    X(SIN, "sin", sin(a), cos(a))                                                                            \
    X(COS, "cos", cos(a), -sin(a))                                                                           \
    X(TAN, "tan", tan(a), 1 + value * value)                                                                 \
    X(FLOOR, "floor", floor(a), 0)                                                                           \
    X(CEIL, "ceil", ceil(a), 0)                                                                              \
    X(ROUND, "round", round(a), 0)

#define CKG__RULE_OP(name, ...) CKG__OP_##name,

enum ckg__rule_op {
    /* numbers */
    CKG__OP_CONSTANT,
    CKG__OP_PARAMETER, /* a: which */
    CKG__OP_CATEGORY,  /* a: which; the number that its value's name is */
    CKG__OP_NEGATE,
    CKG__RULE_OPERATIONS(CKG__RULE_OP) CKG__RULE_FUNCTIONS(CKG__RULE_OP)
    /* draws_of */
    CKG__OP_LESS,
    CKG__OP_LESS_EQUAL,
    CKG__OP_EQUAL,
    CKG__OP_UNEQUAL,
    CKG__OP_IS,   /* categorical a has its value number b */
    CKG__OP_SAME, /* categoricals a and b have values of the same name */
    CKG__OP_AND,
    CKG__OP_OR,
    CKG__OP_NOT
};

struct ckg__rule_node {
    enum ckg__rule_op op;
    int a, b;        /* children, or what the operation says */
    double constant; /* of CKG__OP_CONSTANT */
    int reals;       /* 1: a real parameter is below it */
};

struct ckg__rule {
    char *text; /* of an expression, else NULL */
    int nodes;
    struct ckg__rule_node *node;
    int clauses;
    int *clause; /* (clauses) the nodes that must all be true */
    double *row; /* (row_length) of a linear row, else NULL */
    int row_length;
    double min, max;
    int (*allowed)(const double *x, void *context); /* a function of the caller's, else NULL */
    void *context;
};

/* A number that rules may name. */
struct ckg__constant {
    char *name;
    double value;
};

struct ckg__rules {
    int constants;
    struct ckg__constant constant[CKG_MAX_CONSTANTS];
    int count;
    int clauses; /* of all rules; a function has none */
    struct ckg__rule rule[CKG_MAX_RULES];
};

/* The rule's tree (nodes, clauses) from its text; *at is the byte that a refusal is about. */
int ckg__rule_read(const ckg_problem *problem, const char *text, struct ckg__rule *rule, int *at);

/* 1: the rule holds at x (d), 0: it is undefined there, -1: it is broken. */
int ckg__rule_truth(const ckg_problem *problem, const struct ckg__rule *rule, const double *x);

/* The same where x comes from a person or a file, who round: 1e-9 of what is compared is forgiven. */
int ckg__rule_forgiving(const ckg_problem *problem, const struct ckg__rule *rule, const double *x);

/*
 * A clause's margin at x (d), and unless NULL its slope (d) over the parameters. fixed: only reals can move,
 * so what compares none of them is ±INFINITY. Undefined is −INFINITY.
 */
double ckg__rule_margin(const ckg_problem *problem, const struct ckg__rule *rule, int clause, int fixed,
                        const double *x, double *slope);

/* 1 when x (d) obeys every rule. */
int ckg__rules_allow(const ckg_problem *problem, const double *x);

/* The number of the first rule that x (d) breaks, rounding forgiven, or -1. */
int ckg__rules_broken(const ckg_problem *problem, const double *x);

/* Words for rule number i in a message: its text in quotes, or its number. */
const char *ckg__rule_words(const ckg_problem *problem, int i, char *words, int size);

int ckg__rules_copy(ckg_problem *to, const ckg_problem *from);
void ckg__rules_free(struct ckg__rules *rules);

#endif
