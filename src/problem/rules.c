/* The rules of a problem: added with every check, read back, copied, asked. */
#include "problem/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static void rule_free(struct ckg__rule *rule)
{
    ckg__free(rule->text);
    ckg__free(rule->node);
    ckg__free(rule->clause);
    ckg__free(rule->row);
}

void ckg__rules_free(struct ckg__rules *rules)
{
    for (int i = 0; rules && i < rules->count; i++)
        rule_free(&rules->rule[i]);
    for (int i = 0; rules && i < rules->constants; i++)
        ckg__free(rules->constant[i].name);
    ckg__free(rules);
}

/* --- adding --- */

/* The list, made where there is none. */
static int make_list(ckg_problem *p)
{
    if (!p->rules)
        p->rules = ckg__alloc_zero(1, sizeof *p->rules);
    return p->rules ? CKG_OK : CKG_ERR_NOMEM;
}

/* Room for one more rule. */
static int make_room(ckg_problem *p)
{
    if (!p->d)
        return ckg__fail(CKG_ERR_STATE, "add the parameters before the rules");
    if (p->rules && p->rules->count == CKG_MAX_RULES)
        return ckg__fail(CKG_ERR_INVALID, "a problem has at most %d rules", CKG_MAX_RULES);
    return make_list(p);
}

int ckg_problem_add_constant(ckg_problem *p, const char *name, double value)
{
    ckg__error_clear();
    if (!p || !name || !*name)
        return ckg__fail(CKG_ERR_INVALID, "a constant needs a problem and a name");
    if (!isfinite(value))
        return ckg__fail(CKG_ERR_INVALID, "constant '%s': %g is not a finite number", name, value);
    if (ckg_problem_parameter_find(p, name) >= 0)
        return ckg__fail(CKG_ERR_INVALID, "'%s' is a parameter already", name);
    for (int i = 0; i < ckg_problem_constants(p); i++)
        if (!strcmp(p->rules->constant[i].name, name))
            return ckg__fail(CKG_ERR_INVALID, "constant '%s' is given twice", name);
    if (ckg_problem_constants(p) == CKG_MAX_CONSTANTS)
        return ckg__fail(CKG_ERR_INVALID, "a problem has at most %d constants", CKG_MAX_CONSTANTS);

    char *copy = make_list(p) ? NULL : ckg__alloc_string(name);
    if (!copy)
        return CKG_ERR_NOMEM;
    p->rules->constant[p->rules->constants++] = (struct ckg__constant){copy, value};
    return CKG_OK;
}

/* Keeps the rule, or frees it. */
static int keep(ckg_problem *p, struct ckg__rule *rule, int status)
{
    if (!status && p->rules->clauses + rule->clauses > CKG__MAX_CLAUSES)
        status = ckg__fail(CKG_ERR_INVALID, "the rules compare more than %d times in all", CKG__MAX_CLAUSES);
    if (status) {
        rule_free(rule);
        return status;
    }
    p->rules->rule[p->rules->count++] = *rule;
    p->rules->clauses += rule->clauses;
    return CKG_OK;
}

int ckg_problem_add_rule(ckg_problem *p, const char *text, int *at)
{
    struct ckg__rule rule = {0};
    int wrong = 0;

    /* A text of a sensible length. */
    ckg__error_clear();
    if (at)
        *at = 0;
    if (!p || !text)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_add_rule: a NULL argument");
    if (strlen(text) > CKG_MAX_RULE_LENGTH)
        return ckg__fail(CKG_ERR_INVALID, "the rule is longer than %d bytes; make two of it",
                         CKG_MAX_RULE_LENGTH);
    int status = make_room(p);
    if (status)
        return status;

    /* Its tree. */
    rule.text = ckg__alloc_string(text);
    status = rule.text ? ckg__rule_read(p, text, &rule, &wrong) : CKG_ERR_NOMEM;
    if (at)
        *at = wrong;
    return keep(p, &rule, status);
}

/* The coefficients belong to numbers and say something. */
static int check_row(const ckg_problem *p, const double *row, double min, double max)
{
    int any = 0;

    for (int i = 0; i < p->d; i++) {
        if (!isfinite(row[i]))
            return ckg__fail(CKG_ERR_INVALID, "a rule's coefficient of '%s' is not finite",
                             p->parameters[i].name);
        if (row[i] != 0 && p->parameters[i].kind == CKG_CATEGORICAL)
            return ckg__fail(CKG_ERR_INVALID, "a rule's coefficient of '%s', which is categorical, must be 0",
                             p->parameters[i].name);
        any |= row[i] != 0;
    }
    if (!any)
        return ckg__fail(CKG_ERR_INVALID, "a rule's coefficients are all 0");
    if (isnan(min) || isnan(max) || !(min <= max) || (isinf(min) && isinf(max)))
        return ckg__fail(CKG_ERR_INVALID, "a rule's min %g and max %g set no limit", min, max);
    return CKG_OK;
}

static int append_node(struct ckg__rule *rule, enum ckg__rule_op op, int a, int b, double constant, int reals)
{
    rule->node[rule->nodes] = (struct ckg__rule_node){op, a, b, constant, reals};
    return rule->nodes++;
}

/* The row as a tree: c_1·x_1 + c_2·x_2 + … and a comparison for each limit. */
static void grow_row(const ckg_problem *p, struct ckg__rule *rule)
{
    int sum = -1;

    for (int i = 0; i < p->d; i++) {
        const int real = ckg__is_real(&p->parameters[i]);

        if (rule->row[i] == 0)
            continue;
        const int factor = append_node(rule, CKG__OP_CONSTANT, -1, -1, rule->row[i], 0);
        const int x = append_node(rule, CKG__OP_PARAMETER, i, -1, 0, real);
        const int term = append_node(rule, CKG__OP_MULTIPLY, factor, x, 0, real);
        sum = sum < 0 ? term
                      : append_node(rule, CKG__OP_ADD, sum, term, 0,
                                    rule->node[sum].reals || rule->node[term].reals);
    }
    for (int upper = 0; upper < 2; upper++) {
        const double limit = upper ? rule->max : rule->min;

        if (isinf(limit))
            continue;
        const int number = append_node(rule, CKG__OP_CONSTANT, -1, -1, limit, 0);
        rule->clause[rule->clauses++] = append_node(rule, CKG__OP_LESS_EQUAL, upper ? sum : number,
                                                    upper ? number : sum, 0, rule->node[sum].reals);
    }
}

int ckg_problem_add_rule_row(ckg_problem *p, const double *row, double min, double max)
{
    struct ckg__rule rule = {.min = min, .max = max};

    ckg__error_clear();
    if (!p || !row)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_add_rule_row: a NULL argument");
    int status = make_room(p);
    if (!status)
        status = check_row(p, row, min, max);
    if (status)
        return status;

    /* Of integers and reals; equal limits only where integers alone are summed. */
    for (int i = 0; min == max && i < p->d; i++)
        if (row[i] != 0 && ckg__is_real(&p->parameters[i]))
            return ckg__fail(CKG_ERR_INVALID,
                             "a rule's min must be below its max where '%s' is summed, a real",
                             p->parameters[i].name);

    rule.row = ckg__alloc((size_t)p->d, sizeof *rule.row);
    rule.node = ckg__alloc(4 * (size_t)p->d + 4, sizeof *rule.node);
    rule.clause = ckg__alloc(2, sizeof *rule.clause);
    if (!rule.row || !rule.node || !rule.clause)
        return keep(p, &rule, CKG_ERR_NOMEM);
    memcpy(rule.row, row, (size_t)p->d * sizeof *row);
    rule.row_length = p->d;
    grow_row(p, &rule);
    return keep(p, &rule, CKG_OK);
}

int ckg_problem_add_rule_function(ckg_problem *p, int (*allowed)(const double *x, void *context),
                                  void *context)
{
    struct ckg__rule rule = {.allowed = allowed, .context = context};

    ckg__error_clear();
    if (!p || !allowed)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_add_rule_function: a NULL argument");
    const int status = make_room(p);
    return status ? status : keep(p, &rule, CKG_OK);
}

/* Texts are read again: names have become the same indices. A row grows to the problem's length. */
static int copy_rule(ckg_problem *to, const struct ckg__rule *rule)
{
    double row[CKG_MAX_PARAMETERS] = {0};

    if (rule->allowed)
        return ckg_problem_add_rule_function(to, rule->allowed, rule->context);
    if (rule->text)
        return ckg_problem_add_rule(to, rule->text, NULL);
    memcpy(row, rule->row, (size_t)rule->row_length * sizeof *row);
    return ckg_problem_add_rule_row(to, row, rule->min, rule->max);
}

int ckg__rules_copy(ckg_problem *to, const ckg_problem *from)
{
    int status = CKG_OK;

    for (int i = 0; !status && i < ckg_problem_constants(from); i++)
        status = ckg_problem_add_constant(to, from->rules->constant[i].name, from->rules->constant[i].value);
    for (int i = 0; !status && i < ckg_problem_rules(from); i++)
        status = copy_rule(to, &from->rules->rule[i]);
    return status;
}

/* --- reading back --- */

static const struct ckg__rule *rule_at(const ckg_problem *p, int i)
{
    return p && p->rules && i >= 0 && i < p->rules->count ? &p->rules->rule[i] : NULL;
}

int ckg_problem_rules(const ckg_problem *p)
{
    return !p ? -1 : p->rules ? p->rules->count : 0;
}

int ckg_problem_constants(const ckg_problem *p)
{
    return !p ? -1 : p->rules ? p->rules->constants : 0;
}

const char *ckg_problem_constant(const ckg_problem *p, int i, double *value)
{
    if (i < 0 || i >= ckg_problem_constants(p))
        return NULL;
    if (value)
        *value = p->rules->constant[i].value;
    return p->rules->constant[i].name;
}

const char *ckg_problem_rule(const ckg_problem *p, int i)
{
    const struct ckg__rule *rule = rule_at(p, i);

    return rule ? rule->text : NULL;
}

const double *ckg_problem_rule_row(const ckg_problem *p, int i, int *count, double *min, double *max)
{
    const struct ckg__rule *rule = rule_at(p, i);

    if (!rule || !rule->row)
        return NULL;
    if (count)
        *count = rule->row_length;
    if (min)
        *min = rule->min;
    if (max)
        *max = rule->max;
    return rule->row;
}

int ckg_problem_rule_function(const ckg_problem *p, int i, int (**allowed)(const double *x, void *context),
                              void **context)
{
    const struct ckg__rule *rule = rule_at(p, i);

    ckg__error_clear();
    if (!rule)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no rule %d", i);
    if (allowed)
        *allowed = rule->allowed;
    if (context)
        *context = rule->context;
    return CKG_OK;
}

/* --- asking --- */

int ckg__rules_allow(const ckg_problem *p, const double *x)
{
    /* A list's designs are somebody's decimals. */
    if (p->designs)
        return ckg__rules_broken(p, x) < 0;
    for (int i = 0; p->rules && i < p->rules->count; i++)
        if (ckg__rule_truth(p, &p->rules->rule[i], x) < 1)
            return 0;
    return 1;
}

int ckg__rules_broken(const ckg_problem *p, const double *x)
{
    for (int i = 0; p->rules && i < p->rules->count; i++)
        if (ckg__rule_forgiving(p, &p->rules->rule[i], x) < 1)
            return i;
    return -1;
}

const char *ckg__rule_words(const ckg_problem *p, int i, char *words, int size)
{
    const char *text = p->rules->rule[i].text;
    const int room = size - 20;
    int length = text ? (int)strlen(text) : 0;
    const int whole = length <= room;

    /* Cut between two characters, not within one. */
    length = whole ? length : room;
    while (!whole && length && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    if (text)
        snprintf(words, (size_t)size, "the rule '%.*s%s'", length, text, whole ? "" : "…");
    else
        snprintf(words, (size_t)size, "rule number %d", i + 1);
    return words;
}

int ckg_problem_check_rules(const ckg_problem *p, const double *x)
{
    char words[240];

    ckg__error_clear();
    if (!p || !x)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_check_rules: a NULL argument");
    if (ckg__problem_check_design(p, x))
        return CKG_ERR_INVALID;
    const int broken = ckg__rules_broken(p, x);
    return broken < 0 ? CKG_OK
                      : ckg__fail(CKG_ERR_INVALID, "the design breaks %s",
                                  ckg__rule_words(p, broken, words, sizeof words));
}
