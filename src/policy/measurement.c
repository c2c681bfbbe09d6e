/* What is on offer where outcomes are measured apart, and the choice of one offer at a design
 * (measurement.h). */
#include "policy/measurement.h"

#include <assert.h>
#include <math.h>

#include "policy/kg_search.h"

void ckg__hide_others(const struct ckg__surrogates *models, const struct ckg__set *set,
                      struct ckg__belief *belief)
{
    const int outcomes = models->data->problem->outcomes;

    for (int j = 0; j < outcomes; j++)
        belief->hidden[models->surrogate[j].place] = 1;
    for (int j = 0; j < outcomes; j++)
        if (ckg__set_has(set, j))
            belief->hidden[models->surrogate[j].place] = 0;
}

/* The search's lookaheads through beliefs that expect the set alone. */
static int look_through(const struct ckg__search *search, struct ckg__offer *offer)
{
    const size_t lookaheads = (size_t)search->lookaheads;
    struct ckg__belief *belief = ckg__arena_get(search->results, lookaheads, sizeof *belief);

    offer->lookahead = ckg__arena_get(search->results, lookaheads, sizeof *offer->lookahead);
    if (!belief || !offer->lookahead)
        return CKG_ERR_NOMEM;
    for (size_t o = 0; o < lookaheads; o++) {
        belief[o] = *search->lookahead[o].belief;
        ckg__hide_others(search->scope->models, &offer->set, &belief[o]);
        offer->lookahead[o] = search->lookahead[o];
        offer->lookahead[o].belief = &belief[o];
    }
    return CKG_OK;
}

/* Puts a set on the menu. */
static int put(const struct ckg__search *search, const struct ckg__set *set, struct ckg__menu *menu)
{
    struct ckg__offer *offer = &menu->offer[menu->count++];

    offer->set = *set;
    offer->cost = ckg__problem_price(search->scope->problem, set);
    assert(offer->cost > 0);
    return look_through(search, offer);
}

/* The menu where outcomes are measured apart: all units and everything that cost no more than the budget. */
static int make_apart(const struct ckg__search *search, double budget, struct ckg__menu *menu)
{
    const ckg_problem *problem = search->scope->problem;
    const int units = ckg__problem_units(problem);
    int status = CKG_OK;

    menu->count = 0;
    for (int i = 0; !status && i <= units; i++) {
        const struct ckg__set set = i < units ? ckg__problem_unit(problem, i) : ckg__problem_all(problem);
        if (ckg__problem_price(problem, &set) <= budget)
            status = put(search, &set, menu);
    }
    return status;
}

int ckg__menu_make(struct ckg__search *search, struct ckg__menu *menu)
{
    const int units = search->apart ? ckg__problem_units(search->scope->problem) : 0;
    int status;

    menu->offer = ckg__arena_get(search->results, (size_t)units + 1, sizeof *menu->offer);
    if (!menu->offer)
        return CKG_ERR_NOMEM;
    if (!search->apart) {
        menu->count = 1;
        menu->offer[0] = (struct ckg__offer){.cost = 1, .lookahead = search->lookahead};
        return CKG_OK;
    }
    status = make_apart(search, search->budget_left, menu);
    return status || menu->count ? status : make_apart(search, INFINITY, menu);
}

int ckg__offer_open(const struct ckg__search *search, const struct ckg__offer *offer, const double *u,
                    double *x)
{
    if (!search->apart)
        return !ckg__search_taken(search, u, x);
    if (ckg__search_taken(search, u, x))
        return 0;
    const int design = ckg__data_find(search->scope->data, x);
    return design < 0 || ckg__data_open(search->scope->data, design, &offer->set);
}

int ckg__measure_at_choice(struct ckg__search *search, struct ckg__choice *choice)
{
    struct ckg__knowledge knowledge;
    struct ckg__menu menu;
    double x[CKG_MAX_PARAMETERS];
    double best = -INFINITY;

    int status = ckg__knowledge_make(&knowledge, search);
    if (!status)
        status = ckg__menu_make(search, &menu);

    /* The largest value for its cost; of equals the last, which is everything. */
    for (int i = 0; !status && i < menu.count; i++) {
        double value;
        if (!ckg__offer_open(search, &menu.offer[i], choice->u, x))
            continue;
        status = ckg__knowledge_average(&knowledge, menu.offer[i].lookahead, choice->u, &value);
        if (!status && value / menu.offer[i].cost >= best) {
            best = value / menu.offer[i].cost;
            choice->measure = menu.offer[i].set;
        }
    }
    return status;
}

/* A constraint that may fail with less than this probability, by models twice as wide, is sure to hold. */
static const double unlikely = 1e-9;
static const double wider = 4;

/* 1 when constraint j is sure to hold at u (D), under every belief; of the objective nothing ever is. */
static int is_sure(const struct ckg__surrogates *models, int j, const double *u, struct ckg__arena *arena,
                   int *sure)
{
    const int place = models->surrogate[j].place;

    *sure = j > 0;
    for (int b = 0; j && b < models->beliefs; b++) {
        struct ckg__arena_mark mark = ckg__arena_mark(arena);
        const struct ckg__belief *belief = &models->belief[b];
        struct ckg__limits limits = ckg__belief_limits(belief, place);
        struct ckg__view view;
        double log_p = 0;

        if (ckg__view_make(&view, belief->gp[place], 1, u, 1, arena))
            return CKG_ERR_NOMEM;
        const double var = wider * view.var[0];
        ckg__log_feasible(1, view.mean, &var, &limits, &log_p, NULL, NULL);
        *sure &= log_p > -unlikely;
        ckg__arena_release(arena, mark);
    }
    return CKG_OK;
}

/* 1 when the facts are all feasible, and every constraint that they leave open is sure to hold at u (D). */
static int holds_for_sure(const struct ckg__surrogates *models, int count,
                          const struct ckg_measurement *facts, const double *u, struct ckg__arena *arena,
                          int *sure)
{
    const ckg_problem *problem = models->data->problem;
    struct ckg__set known = {{0}};
    int status = CKG_OK;

    *sure = ckg_problem_feasible(problem, count, facts) != 0;
    for (int i = 0; i < count; i++)
        ckg__set_put(&known, facts[i].outcome);
    for (int j = 1; !status && *sure && j < problem->outcomes; j++)
        if (!ckg__set_has(&known, j))
            status = is_sure(models, j, u, arena, sure);
    return status;
}

/* What the facts say of the objective; NAN: nothing. */
static double objective_of(int count, const struct ckg_measurement *facts)
{
    for (int i = 0; i < count; i++)
        if (!facts[i].outcome)
            return facts[i].value;
    return NAN;
}

int ckg__measured_for_sure(const struct ckg__surrogates *models, struct ckg__arena *arena, int *best)
{
    const struct ckg__data *data = models->data;
    const size_t D = (size_t)data->problem->D;
    struct ckg_measurement facts[1 + CKG_MAX_CONSTRAINTS];
    double value = NAN;
    int status = CKG_OK;

    *best = -1;
    for (int t = 0; !status && t < data->trials; t++) {
        const struct ckg__trial *trial = &data->trial[t];
        const int count = trial->state == CKG_COMPLETE ? ckg__data_facts(data, trial, facts) : 0;
        const double objective = objective_of(count, facts);
        int sure = 0;
        if (!ckg_problem_better(data->problem, objective, value) || !ckg__data_allowed(data, trial->design))
            continue;
        status = holds_for_sure(models, count, facts, data->u + (size_t)trial->design * D, arena, &sure);
        if (sure) {
            *best = t;
            value = objective;
        }
    }
    return status;
}

int ckg__measure_unsure(const struct ckg__search *search, struct ckg__choice *choice)
{
    const ckg_problem *problem = search->scope->problem;
    struct ckg__set wanted = {{0}};
    double x[CKG_MAX_PARAMETERS];

    for (int i = 0; i < ckg__problem_units(problem); i++) {
        const struct ckg__offer offer = {.set = ckg__problem_unit(problem, i)};
        int all_sure = 1;
        if (!ckg__offer_open(search, &offer, choice->u, x))
            continue;
        for (int j = 0; j < problem->outcomes; j++) {
            int sure = 1;
            if (ckg__set_has(&offer.set, j) &&
                is_sure(search->scope->models, j, choice->u, search->results, &sure))
                return CKG_ERR_NOMEM;
            all_sure &= sure;
        }
        for (int j = 0; !all_sure && j < problem->outcomes; j++)
            if (ckg__set_has(&offer.set, j))
                ckg__set_put(&wanted, j);
    }

    /* Local steps go by designs that are known in full: where the rest costs no more, it is measured too. */
    const struct ckg__set all = ckg__problem_all(problem);
    const double price = ckg__problem_price(problem, &wanted);
    if (ckg__problem_price(problem, &all) <= fmin(2 * price, search->budget_left))
        choice->measure = all;
    else if (price <= search->budget_left)
        choice->measure = wanted;
    return CKG_OK;
}
