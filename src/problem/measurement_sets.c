/* Costs of outcomes, groups of outcomes that come together, and what can be measured apart
 * (measurement_sets.h). */
#include "problem/measurement_sets.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "problem/problem.h"

static const double largest_cost = 1e150;

int ckg_problem_set_cost(ckg_problem *p, const char *outcome, double cost)
{
    ckg__error_clear();
    const int j = ckg_problem_outcome_find(p, outcome);

    if (j < 0)
        return ckg__fail(CKG_ERR_NOT_FOUND, "no outcome is called '%s'", outcome ? outcome : "(null)");
    if (!(cost >= 0 && cost <= largest_cost))
        return ckg__fail(CKG_ERR_INVALID, "outcome '%s': a cost is from 0 to 1e150, not %g", outcome, cost);
    p->outcome[j].cost = cost;
    p->outcome[j].costed = 1;
    p->separate = 1;
    return CKG_OK;
}

/* The outcome of that name, which belongs to no group yet and is none of the `count` others; or −1. */
static int find_member(const ckg_problem *p, const char *name, int count, const int *others)
{
    const int j = ckg_problem_outcome_find(p, name);
    int twice = 0;

    for (int i = 0; i < count; i++)
        twice |= others[i] == j;
    if (j < 0)
        ckg__fail(CKG_ERR_INVALID, "a group: no outcome is called '%s'", name ? name : "(null)");
    else if (twice || p->outcome[j].group)
        ckg__fail(CKG_ERR_INVALID, "outcome '%s' is in two groups, or twice in one", name);
    return twice || j < 0 || p->outcome[j].group ? -1 : j;
}

int ckg_problem_add_group(ckg_problem *p, int count, const char *const *outcomes)
{
    int member[1 + CKG_MAX_CONSTRAINTS];

    ckg__error_clear();
    if (!p || !outcomes)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_add_group: a NULL argument");
    if (count < 2 || count > p->outcomes)
        return ckg__fail(CKG_ERR_INVALID, "a group has from 2 to %d outcomes, not %d", p->outcomes, count);

    /* All of them, before anything changes. */
    for (int i = 0; i < count; i++) {
        member[i] = find_member(p, outcomes[i], i, member);
        if (member[i] < 0)
            return CKG_ERR_INVALID;
    }
    p->groups++;
    for (int i = 0; i < count; i++)
        p->outcome[member[i]].group = p->groups;
    p->separate = 1;
    return CKG_OK;
}

int ckg_problem_separate(const ckg_problem *p)
{
    return p ? p->separate : -1;
}

double ckg_problem_cost(const ckg_problem *p, int outcome)
{
    if (!p || outcome < 0 || outcome >= p->outcomes)
        return NAN;
    return p->outcome[outcome].costed ? p->outcome[outcome].cost : 1;
}

int ckg_problem_groups(const ckg_problem *p)
{
    return p ? p->groups : -1;
}

int ckg_problem_group(const ckg_problem *p, int outcome)
{
    return p && outcome >= 0 && outcome < p->outcomes ? p->outcome[outcome].group - 1 : -1;
}

/* --- units --- */

struct ckg__set ckg__problem_all(const ckg_problem *p)
{
    struct ckg__set set = {{0}};

    for (int j = 0; j < p->outcomes; j++)
        ckg__set_put(&set, j);
    return set;
}

/* 1 when outcome j is the first of its unit. */
static int leads(const ckg_problem *p, int j)
{
    int first = 1;

    for (int k = 0; p->outcome[j].group && k < j; k++)
        first &= p->outcome[k].group != p->outcome[j].group;
    return first;
}

int ckg__problem_units(const ckg_problem *p)
{
    int count = 0;

    for (int j = 0; p->separate && j < p->outcomes; j++)
        count += leads(p, j);
    return p->separate ? count : 1;
}

struct ckg__set ckg__problem_unit(const ckg_problem *p, int unit)
{
    struct ckg__set set = {{0}};
    int j = 0;

    assert(unit >= 0 && unit < ckg__problem_units(p));
    if (!p->separate)
        return ckg__problem_all(p);
    for (int count = -1; j < p->outcomes; j++) {
        count += leads(p, j);
        if (count == unit)
            break;
    }
    ckg__set_put(&set, j);
    for (int k = j + 1; p->outcome[j].group && k < p->outcomes; k++)
        if (p->outcome[k].group == p->outcome[j].group)
            ckg__set_put(&set, k);
    return set;
}

double ckg__problem_price(const ckg_problem *p, const struct ckg__set *set)
{
    double sum = 0;

    for (int j = 0; j < p->outcomes; j++)
        if (ckg__set_has(set, j))
            sum += ckg_problem_cost(p, j);
    return sum;
}

double ckg__problem_full_price(const ckg_problem *p)
{
    const struct ckg__set all = ckg__problem_all(p);

    return ckg__problem_price(p, &all);
}

int ckg__problem_check_costs(const ckg_problem *p)
{
    for (int unit = 0; p->separate && unit < ckg__problem_units(p); unit++) {
        const struct ckg__set set = ckg__problem_unit(p, unit);
        int j = 0;

        while (!ckg__set_has(&set, j))
            j++;
        if (!(ckg__problem_price(p, &set) > 0))
            return ckg__fail(
                CKG_ERR_INVALID,
                "outcome '%s' costs nothing: put it into a group with the one that it comes with",
                p->outcome[j].name);
    }
    return CKG_OK;
}
