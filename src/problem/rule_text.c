/*
 * From a rule's text to its tree, by recursive descent:
 *
 *   rule       if ANY then rule | any
 *   any        all { or all }
 *   all        one { and one }
 *   one        not one | comparison
 *   comparison sum { (< <= > >= == !=) sum } | sum [not] in [ item, … ]
 *   sum        term { (+ -) term }
 *   term       signed { (* / %) signed }
 *   signed     (- +) signed | atom [ ^ signed ]
 *   atom       number | parameter | function ( rule, … ) | ( rule ) | "value"
 *
 * Every part has a kind, and a part of the wrong kind is refused where it stands. Depth and size are bounded.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "problem/rule_parser.h"

/* Parts within parts. */
static int read_rule(struct ckg__parser *p, struct ckg__part *out);
static int read_signed(struct ckg__parser *p, struct ckg__part *out);

/* --- atoms --- */

static int read_number(struct ckg__parser *p, struct ckg__part *out)
{
    const char *from = p->text + p->at;
    char *end;

    /* Only decimal digits: what strtod takes as hexadecimal is not a number here. */
    if (from[0] == '0' && (from[1] | 32) == 'x')
        return CKG__REFUSE(p, p->at, "numbers are decimal");
    const double value = strtod(from, &end);
    if (end == from)
        return ckg__refuse_sign(p, "a number");
    if (!isfinite(value))
        return CKG__REFUSE(p, p->at, "the number is too large");
    p->at += (int)(end - from);
    if (ckg__is_letter((unsigned char)p->text[p->at]))
        return ckg__refuse_sign(p, "an operator");
    const int status = ckg__add_node(p, out, CKG__NUMBER, CKG__OP_CONSTANT, -1, -1);
    if (!status)
        p->node[out->node].constant = value;
    return status;
}

static int find_parameter(const struct ckg__parser *p, const char *name, int length)
{
    for (int i = 0; i < p->problem->d; i++)
        if (ckg__is_name(p->problem->parameters[i].name, name, length))
            return i;
    return -1;
}

/* "are a, b, c": as many of the parameters' names as fit. */
static const char *list_names(const struct ckg__parser *p, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s ", p->problem->d == 1 ? "is" : "are");

    for (int i = 0; i < p->problem->d; i++) {
        const char *name = p->problem->parameters[i].name;
        if (used + strlen(name) + 8 > size) {
            memcpy(text + used, "…", sizeof "…");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", name, i + 1 < p->problem->d ? ", " : "");
    }
    return text;
}

/* Says what may have been meant by a name that is no parameter's. */
static int refuse_name(struct ckg__parser *p, int start, int length)
{
    const char *name = p->text + start;
    const int shown = length > 60 ? ckg__length_at(p, start) : length;

    /* The beginning of a parameter's name that is more than one word here. */
    for (int i = 0; i < p->problem->d; i++) {
        const char *whole = p->problem->parameters[i].name;
        if (!strncmp(whole, name, (size_t)length) && !strncmp(whole, name, strlen(whole)))
            return CKG__REFUSE(p, start, "no parameter is called '%.*s'; write `%.60s` between backticks",
                               shown, name, whole);
    }

    /* The value of a categorical. */
    for (int i = 0; i < p->problem->d; i++)
        for (int v = 0; v < p->problem->parameters[i].count; v++)
            if (ckg__is_name(p->problem->parameters[i].values[v], name, length))
                return CKG__REFUSE(p, start,
                                   "no parameter is called '%.*s'; a value of '%.60s' is written in quotes",
                                   shown, name, p->problem->parameters[i].name);

    /* Whatever there is. */
    char names[160];
    return CKG__REFUSE(p, start, "no parameter is called '%.*s'; there %s", shown, name,
                       list_names(p, names, sizeof names));
}

/* A constant by its name; *found is 0 where there is none. */
static int read_constant(struct ckg__parser *p, const char *name, int length, struct ckg__part *out,
                         int *found)
{
    for (int i = 0; i < ckg_problem_constants(p->problem); i++) {
        const struct ckg__constant *c = &p->problem->rules->constant[i];

        *found = ckg__is_name(c->name, name, length);
        if (!*found)
            continue;
        const int status = ckg__add_node(p, out, CKG__NUMBER, CKG__OP_CONSTANT, -1, -1);
        if (!status)
            p->node[out->node].constant = c->value;
        return status;
    }
    return CKG_OK;
}

/* A parameter or a constant by its name, p->at being after it. */
static int read_parameter(struct ckg__parser *p, int start, int length, struct ckg__part *out)
{
    const int i = find_parameter(p, p->text + start, length);
    int constant = 0;

    if (i < 0) {
        const int status = read_constant(p, p->text + start, length, out, &constant);
        return status || constant ? status : refuse_name(p, start, length);
    }
    p->parameters++;
    if (p->problem->parameters[i].kind != CKG_CATEGORICAL)
        return ckg__add_node(p, out, CKG__NUMBER, CKG__OP_PARAMETER, i, -1);
    out->kind = CKG__CATEGORY;
    out->parameter = i;
    out->length = p->at - out->start;
    return CKG_OK;
}

#define ONE_ARGUMENT(op, name, ...) {name, CKG__OP_##op, 1},
#define NAME_AFTER(op, name, ...) ", " name

static const struct {
    const char *name;
    enum ckg__rule_op op;
    int most; /* arguments; 0: one or more */
} functions[] = {{"min", CKG__OP_MIN, 0}, {"max", CKG__OP_MAX, 0}, CKG__RULE_FUNCTIONS(ONE_ARGUMENT)};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The arguments of a function after its parenthesis; several are folded two by two. */
static int read_arguments(struct ckg__parser *p, int f, struct ckg__part *out)
{
    struct ckg__part argument = {0};
    int folded = -1;

    for (int count = 1;; count++) {
        int status = read_rule(p, &argument);
        if (!status)
            status = ckg__need_number(p, &argument);
        if (!status && folded >= 0)
            status = ckg__add_node(p, &argument, CKG__NUMBER, functions[f].op, folded, argument.node);
        if (status)
            return status;
        folded = argument.node;
        if (functions[f].most == count || !ckg__take_sign(p, ","))
            break;
    }
    if (!ckg__take_sign(p, ")"))
        return ckg__refuse_sign(p, functions[f].most ? "`)`" : "`,` or `)`");

    /* min and max have done their work. */
    if (functions[f].most)
        return ckg__add_node(p, out, CKG__NUMBER, functions[f].op, folded, -1);
    out->kind = CKG__NUMBER;
    out->node = folded;
    out->length = p->at - out->start;
    return CKG_OK;
}

/* A function of that name before a parenthesis, or a parameter. */
static int read_name(struct ckg__parser *p, struct ckg__part *out)
{
    const int length = ckg__name_length(p);
    const char *name = p->text + p->at;

    if (ckg__is_keyword(name, length))
        return ckg__refuse_sign(p, "a number");
    p->at += length;
    if (ckg__take_sign(p, "(")) {
        for (int f = 0; f < FUNCTIONS; f++)
            if (ckg__is_name(functions[f].name, name, length))
                return read_arguments(p, f, out);
        return CKG__REFUSE(p, out->start,
                           "there is no function '%.*s'; there are min, max" CKG__RULE_FUNCTIONS(NAME_AFTER),
                           length > 60 ? ckg__length_at(p, out->start) : length, name);
    }
    p->at = out->start + length;
    return read_parameter(p, out->start, length, out);
}

static int read_atom(struct ckg__parser *p, struct ckg__part *out)
{
    int start = 0;
    int length = 0;
    int status;

    ckg__skip_space(p);
    const int from = p->at;
    *out = (struct ckg__part){.start = from};
    const unsigned char c = (unsigned char)p->text[p->at];
    if (c == '(') {
        p->at++;
        status = read_rule(p, out);
        if (!status && !ckg__take_sign(p, ")"))
            status = ckg__refuse_sign(p, "`)`");
        out->start = from;
        out->length = p->at - from;
        return status;
    }
    if (c == '`') {
        status = ckg__take_quoted(p, &start, &length);
        return status ? status : read_parameter(p, start, length, out);
    }
    if (c == '"' || c == '\'') {
        status = ckg__take_quoted(p, &start, &length);
        out->kind = CKG__WORD;
        out->length = p->at - out->start;
        return status;
    }
    if (ckg__is_digit(c) || c == '.')
        return read_number(p, out);
    return ckg__name_length(p) ? read_name(p, out) : ckg__refuse_sign(p, "a number");
}

/* --- arithmetic --- */

struct sign {
    const char *text;
    enum ckg__rule_op op;
    int swap; /* a > b is b < a */
};

/* Takes one of the signs, which end with NULL, if one stands here. */
static const struct sign *take_one(struct ckg__parser *p, const struct sign *signs)
{
    while (signs->text && !ckg__take_sign(p, signs->text))
        signs++;
    return signs->text ? signs : NULL;
}

/* out ← out op right, both numbers. */
static int join_numbers(struct ckg__parser *p, struct ckg__part *out, struct ckg__part *right,
                        enum ckg__rule_op op)
{
    int status = ckg__need_number(p, out);
    if (!status)
        status = ckg__need_number(p, right);
    return status ? status : ckg__add_node(p, out, CKG__NUMBER, op, out->node, right->node);
}

/* A power binds more tightly than a sign before it, and less than one after it: -2^-2 is -(2^(-2)). */
static int read_power(struct ckg__parser *p, struct ckg__part *out)
{
    struct ckg__part right;
    int status = read_atom(p, out);

    if (status || !(ckg__take_sign(p, "^") || ckg__take_sign(p, "**")))
        return status;
    status = read_signed(p, &right);
    return status ? status : join_numbers(p, out, &right, CKG__OP_POWER);
}

static int read_signed(struct ckg__parser *p, struct ckg__part *out)
{
    ckg__skip_space(p);
    const int start = p->at;
    const int minus = ckg__take_sign(p, "-");
    const int sign = minus || ckg__take_sign(p, "+");

    if (++p->depth > CKG__MAX_DEPTH)
        return CKG__REFUSE(p, start, "the rule is nested too deeply");
    int status = sign ? read_signed(p, out) : read_power(p, out);
    if (!status && sign) {
        status = ckg__need_number(p, out);
        out->start = start;
        out->length = p->at - start;
    }
    if (!status && minus)
        status = ckg__add_node(p, out, CKG__NUMBER, CKG__OP_NEGATE, out->node, -1);
    p->depth--;
    return status;
}

/* Numbers joined by one of those signs, from left to right. */
static int read_chain(struct ckg__parser *p, struct ckg__part *out, const struct sign *signs,
                      int (*read)(struct ckg__parser *, struct ckg__part *))
{
    const struct sign *sign;
    int status = read(p, out);

    while (!status && (sign = take_one(p, signs))) {
        struct ckg__part right;
        status = read(p, &right);
        if (!status)
            status = join_numbers(p, out, &right, sign->op);
    }
    return status;
}

static int read_term(struct ckg__parser *p, struct ckg__part *out)
{
    static const struct sign signs[] = {
        {"*", CKG__OP_MULTIPLY, 0}, {"/", CKG__OP_DIVIDE, 0}, {"%", CKG__OP_MODULO, 0}, {NULL, 0, 0}};

    return read_chain(p, out, signs, read_signed);
}

static int read_sum(struct ckg__parser *p, struct ckg__part *out)
{
    static const struct sign signs[] = {{"+", CKG__OP_ADD, 0}, {"-", CKG__OP_SUBTRACT, 0}, {NULL, 0, 0}};

    return read_chain(p, out, signs, read_term);
}

/* --- comparisons --- */

/* Longer signs before those that they begin with. */
static const struct sign comparisons[] = {
    {"<=", CKG__OP_LESS_EQUAL, 0}, {"≤", CKG__OP_LESS_EQUAL, 0},
    {">=", CKG__OP_LESS_EQUAL, 1}, {"≥", CKG__OP_LESS_EQUAL, 1},
    {"==", CKG__OP_EQUAL, 0},      {"!=", CKG__OP_UNEQUAL, 0},
    {"≠", CKG__OP_UNEQUAL, 0},     {"<", CKG__OP_LESS, 0},
    {">", CKG__OP_LESS, 1},        {NULL, 0, 0},
};

/* 1 when the number below the node varies without steps: a real parameter, not rounded. */
static int continuous(const struct ckg__parser *p, int node)
{
    const struct ckg__rule_node *n = &p->node[node];

    if (!n->reals || n->op == CKG__OP_FLOOR || n->op == CKG__OP_CEIL || n->op == CKG__OP_ROUND)
        return 0;
    if (n->op == CKG__OP_PARAMETER)
        return 1;
    return continuous(p, n->a) || (n->b >= 0 && continuous(p, n->b));
}

/* out ← whether categorical a has that value. */
static int compare_word(struct ckg__parser *p, const struct ckg__part *category, const struct ckg__part *word,
                        struct ckg__part *out)
{
    const struct ckg__parameter *q = &p->problem->parameters[category->parameter];
    const char *text = p->text + word->start + 1;
    const int length = word->length - 2;

    for (int v = 0; v < q->count; v++)
        if (ckg__is_name(q->values[v], text, length))
            return ckg__add_node(p, out, CKG__TRUTH, CKG__OP_IS, category->parameter, v);
    return CKG__REFUSE(p, word->start, "'%.60s' has no value '%.*s'", q->name,
                       length > 60 ? ckg__length_at(p, word->start + 1) : length, text);
}

/* out ← a and b compared, one of them a category or a text. */
static int compare_categories(struct ckg__parser *p, const struct ckg__part *a, const struct ckg__part *b,
                              const struct sign *how, struct ckg__part *out)
{
    int status;

    if ((a->kind == CKG__CATEGORY || b->kind == CKG__CATEGORY) && how->op != CKG__OP_EQUAL &&
        how->op != CKG__OP_UNEQUAL)
        return CKG__REFUSE(p, a->start, "categories have no order; compare them with ==, != or in");
    if (a->kind == CKG__CATEGORY && b->kind == CKG__CATEGORY)
        status = ckg__add_node(p, out, CKG__TRUTH, CKG__OP_SAME, a->parameter, b->parameter);
    else if (a->kind == CKG__CATEGORY && b->kind == CKG__WORD)
        status = compare_word(p, a, b, out);
    else if (a->kind == CKG__WORD && b->kind == CKG__CATEGORY)
        status = compare_word(p, b, a, out);
    else
        status = a->kind == CKG__WORD ? ckg__refuse_kind(p, a, "a parameter")
                                      : ckg__refuse_kind(p, b->kind == CKG__WORD ? b : a, "a number");
    if (!status && how->op == CKG__OP_UNEQUAL)
        status = ckg__add_node(p, out, CKG__TRUTH, CKG__OP_NOT, out->node, -1);
    return status;
}

/* 1 when a and b are compared as numbers: each is one, or a category that can be one beside one. */
static int as_numbers(const struct ckg__parser *p, const struct ckg__part *a, const struct ckg__part *b,
                      int ordered)
{
    const int a_may = a->kind == CKG__NUMBER ||
                      (a->kind == CKG__CATEGORY && ckg__is_numeric(&p->problem->parameters[a->parameter]));
    const int b_may = b->kind == CKG__NUMBER ||
                      (b->kind == CKG__CATEGORY && ckg__is_numeric(&p->problem->parameters[b->parameter]));

    return a_may && b_may && (ordered || a->kind == CKG__NUMBER || b->kind == CKG__NUMBER);
}

static int compare(struct ckg__parser *p, struct ckg__part *a, struct ckg__part *b, const struct sign *how,
                   struct ckg__part *out)
{
    const int equality = how->op == CKG__OP_EQUAL || how->op == CKG__OP_UNEQUAL;

    /* Categories. */
    if ((a->kind == CKG__CATEGORY || a->kind == CKG__WORD || b->kind == CKG__CATEGORY ||
         b->kind == CKG__WORD) &&
        a->kind != CKG__TRUTH && b->kind != CKG__TRUTH && !as_numbers(p, a, b, !equality))
        return compare_categories(p, a, b, how, out);

    /* Numbers; of reals that are equal there are none to be found. */
    int status = ckg__need_number(p, a);
    if (!status)
        status = ckg__need_number(p, b);
    if (!status && equality && (continuous(p, a->node) || continuous(p, b->node)))
        return CKG__REFUSE(p, a->start,
                           "%s compares real numbers, which are never quite equal; give a range, as in "
                           "abs(a - b) <= 0.01",
                           how->text);
    if (status)
        return status;
    return ckg__add_node(p, out, CKG__TRUTH, how->op, how->swap ? b->node : a->node,
                         how->swap ? a->node : b->node);
}

/* out ← whether it is one of the items of a list. */
static int read_in(struct ckg__parser *p, struct ckg__part *what, int negated, struct ckg__part *out)
{
    static const struct sign equal = {"in", CKG__OP_EQUAL, 0};
    struct ckg__part item, one = *out;
    int any = -1;

    if (!ckg__take_sign(p, "["))
        return ckg__refuse_sign(p, "`[`");
    do {
        struct ckg__part copy = *what;
        int status = read_sum(p, &item);
        if (!status)
            status = compare(p, &copy, &item, &equal, &one);
        if (!status && any >= 0)
            status = ckg__add_node(p, &one, CKG__TRUTH, CKG__OP_OR, any, one.node);
        if (status)
            return status;
        any = one.node;
    } while (ckg__take_sign(p, ","));
    if (!ckg__take_sign(p, "]"))
        return ckg__refuse_sign(p, "`,` or `]`");
    out->kind = CKG__TRUTH;
    out->node = any;
    return negated ? ckg__add_node(p, out, CKG__TRUTH, CKG__OP_NOT, any, -1) : CKG_OK;
}

/* A sum, or comparisons in a chain: a < b <= c is a < b and b <= c. */
static int read_comparison(struct ckg__parser *p, struct ckg__part *out)
{
    struct ckg__part left, right, one;
    int chain = -1;
    int status = read_sum(p, out);

    if (status)
        return status;
    left = *out;

    /* One of a list. */
    const int before = p->at;
    const int negated = ckg__take_word(p, "not");
    if (ckg__take_word(p, "in"))
        return read_in(p, &left, negated, out);
    p->at = before;

    /* Comparisons. */
    for (;;) {
        const struct sign *how = take_one(p, comparisons);
        if (!how)
            break;
        status = read_sum(p, &right);
        one = *out;
        struct ckg__part next = right;
        if (!status)
            status = compare(p, &left, &right, how, &one);
        if (!status && chain >= 0)
            status = ckg__add_node(p, &one, CKG__TRUTH, CKG__OP_AND, chain, one.node);
        if (status)
            return status;
        chain = one.node;
        left = right.kind == CKG__NUMBER ? right : next;
        *out = one;
        out->length = p->at - out->start;
    }
    return CKG_OK;
}

/* --- logic --- */

static int read_one(struct ckg__parser *p, struct ckg__part *out)
{
    ckg__skip_space(p);
    const int start = p->at;

    if (!ckg__take_word(p, "not"))
        return read_comparison(p, out);
    if (++p->depth > CKG__MAX_DEPTH)
        return CKG__REFUSE(p, start, "the rule is nested too deeply");
    int status = read_one(p, out);
    if (!status)
        status = ckg__need_truth(p, out);
    out->start = start;
    if (!status)
        status = ckg__add_node(p, out, CKG__TRUTH, CKG__OP_NOT, out->node, -1);
    p->depth--;
    return status;
}

/* Parts joined by a word. */
static int read_joined(struct ckg__parser *p, struct ckg__part *out, const char *word, enum ckg__rule_op op,
                       int (*read)(struct ckg__parser *, struct ckg__part *))
{
    int status = read(p, out);

    while (!status && ckg__take_word(p, word)) {
        struct ckg__part right;
        status = ckg__need_truth(p, out);
        if (!status)
            status = read(p, &right);
        if (!status)
            status = ckg__need_truth(p, &right);
        if (!status)
            status = ckg__add_node(p, out, CKG__TRUTH, op, out->node, right.node);
    }
    return status;
}

static int read_all(struct ckg__parser *p, struct ckg__part *out)
{
    return read_joined(p, out, "and", CKG__OP_AND, read_one);
}

static int read_any(struct ckg__parser *p, struct ckg__part *out)
{
    return read_joined(p, out, "or", CKG__OP_OR, read_all);
}

/* if a then b: b, or not a. */
static int read_condition(struct ckg__parser *p, struct ckg__part *out)
{
    struct ckg__part then;
    int status = read_any(p, out);

    if (!status)
        status = ckg__need_truth(p, out);
    if (!status && !ckg__take_word(p, "then"))
        status = ckg__refuse_sign(p, "`then`");
    if (!status)
        status = read_rule(p, &then);
    if (!status)
        status = ckg__need_truth(p, &then);
    if (!status)
        status = ckg__add_node(p, out, CKG__TRUTH, CKG__OP_NOT, out->node, -1);
    return status ? status : ckg__add_node(p, out, CKG__TRUTH, CKG__OP_OR, out->node, then.node);
}

static int read_rule(struct ckg__parser *p, struct ckg__part *out)
{
    ckg__skip_space(p);
    const int start = p->at;

    if (++p->depth > CKG__MAX_DEPTH)
        return CKG__REFUSE(p, start, "the rule is nested too deeply");
    const int status = ckg__take_word(p, "if") ? read_condition(p, out) : read_any(p, out);
    p->depth--;
    return status;
}

/* --- the whole --- */

/* clause ← the nodes that `and` joins at the top, count of them. */
static int split(const struct ckg__parser *p, int node, int *clause, int count)
{
    if (p->node[node].op == CKG__OP_AND) {
        count = split(p, p->node[node].a, clause, count);
        return split(p, p->node[node].b, clause, count);
    }
    clause[count] = node;
    return count + 1;
}

static int parse(struct ckg__parser *p, struct ckg__part *whole)
{
    *whole = (struct ckg__part){0};
    int status = read_rule(p, whole);

    ckg__skip_space(p);
    if (!status && p->text[p->at])
        status = ckg__refuse_sign(p, "an operator or the end");
    if (!status)
        status = ckg__need_truth(p, whole);
    if (!status && !p->parameters)
        status = CKG__REFUSE(p, 0, "the rule names no parameter");
    return status;
}

int ckg__rule_read(const ckg_problem *problem, const char *text, struct ckg__rule *rule, int *at)
{
    struct ckg__parser *p = ckg__alloc_zero(1, sizeof *p);
    struct ckg__part whole;

    *at = 0;
    if (!p)
        return CKG_ERR_NOMEM;
    p->problem = problem;
    p->text = text;
    int status = parse(p, &whole);
    *at = p->wrong;

    /* What is kept of it. */
    if (!status) {
        rule->node = ckg__alloc((size_t)p->nodes, sizeof *rule->node);
        rule->clause = ckg__alloc((size_t)p->nodes, sizeof *rule->clause);
        status = rule->node && rule->clause ? CKG_OK : CKG_ERR_NOMEM;
    }
    if (!status) {
        memcpy(rule->node, p->node, (size_t)p->nodes * sizeof *rule->node);
        rule->nodes = p->nodes;
        rule->clauses = split(p, whole.node, rule->clause, 0);
        assert(rule->clauses > 0 && rule->clauses <= p->nodes);
    }
    ckg__free(p);
    return status;
}
