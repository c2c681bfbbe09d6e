/*
 * Designs that no policy's value asks for: new ground when a search has stalled, and any free design when
 * nothing is worth suggesting.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "search/choice.h"

static const struct ckg__way by_exploring = {"explore", "explore",
                                             "Far from all data and probably feasible: the search had "
                                             "stalled, or a constraint has only ever said no."};
static const struct ckg__way by_chance = {
    "random", "random", "Any design that is free: the models had nothing to go by, or no time."};

enum { EXPLORE = 400, TRIES = 64 };

/* Multiply-adds that a look at one design is worth, rules and the trials there included. */
enum { LOOK_WORK = 10000 };

/*
 * The walk through all designs of a finite problem ends here, long after anybody could have evaluated them.
 */
static const double most_designs = 1e7;

/* log PF (count) of points U (D×count) under the first lookahead. */
static int log_feasible(struct ckg__search *search, int count, const double *U, double *log_pf)
{
    const struct ckg__belief *belief = search->lookahead[0].belief;
    struct ckg__view view[CKG__MAX_OUTCOMES];

    for (int j = 0; j < belief->outcomes; j++)
        if (ckg__view_make(&view[j], belief->gp[j], count, U, count, search->results))
            return CKG_ERR_NOMEM;
    ckg__belief_log_feasible(belief, view, log_pf);
    return CKG_OK;
}

/* log of the distance from u (D) to the nearest design of a trial. */
static double log_distance(const struct ckg__data *data, const double *u)
{
    const size_t D = (size_t)data->problem->D;
    double nearest = INFINITY;

    for (size_t i = 0; i < (size_t)data->designs; i++) {
        double square = 0;
        for (size_t k = 0; k < D; k++)
            square += ckg__square(u[k] - data->u[i * D + k]);
        nearest = fmin(nearest, square);
    }
    return 0.5 * ckg__log(nearest);
}

static void begin(struct ckg__choice *choice, const struct ckg__way *way)
{
    choice->way = way;
    choice->value = NAN;
    choice->measure = (struct ckg__set){{0}};
    choice->found = 0;
}

/* The free design that is farthest from all others; `likely`: times the probability of feasibility. */
static int farthest(struct ckg__search *search, int likely, struct ckg__choice *choice)
{
    const int D = search->scope->problem->D;
    double *U = ckg__arena_doubles(search->results, EXPLORE * (size_t)D);
    double *log_pf = ckg__arena_doubles(search->results, EXPLORE);
    double *u = ckg__arena_doubles(search->results, (size_t)D);
    double x[CKG_MAX_PARAMETERS];
    double best = -INFINITY;

    assert(search->lookaheads > 0);
    begin(choice, &by_exploring);
    if (!U || !log_pf || !u)
        return CKG_ERR_NOMEM;

    /* Points everywhere, and where it matters how likely each is to be feasible. */
    int status = ckg__search_fill(search, CKG__FOR_EXPLORING, EXPLORE, U, EXPLORE, search->results);
    if (!status && likely)
        status = log_feasible(search, EXPLORE, U, log_pf);

    /* The farthest from what is known, among those that may still be evaluated. */
    for (int p = 0; !status && p < EXPLORE; p++) {
        ckg__point_get(D, U, EXPLORE, p, u);
        const double score = log_distance(search->scope->data, u) + (likely ? log_pf[p] : 0);
        if (!(score > best) || ckg__search_taken(search, u, x))
            continue;
        best = score;
        choice->found = 1;
        memcpy(choice->u, u, (size_t)D * sizeof *u);
    }
    return status;
}

int ckg__search_explore(struct ckg__search *search, struct ckg__choice *choice)
{
    return farthest(search, 1, choice);
}

int ckg__search_fill_gaps(struct ckg__search *search, struct ckg__choice *choice)
{
    return farthest(search, 0, choice);
}

int ckg__search_any(struct ckg__search *search, struct ckg__choice *choice)
{
    const struct ckg_problem *problem = search->scope->problem;
    double *U = ckg__arena_doubles(search->results, TRIES * (size_t)problem->D);
    double x[CKG_MAX_PARAMETERS];

    begin(choice, &by_chance);

    /* Space-filling points first. */
    if (!U || ckg__search_fill(search, CKG__FOR_ANY_FREE_DESIGN, TRIES, U, TRIES, search->results))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < TRIES && !choice->found; p++) {
        ckg__point_get(problem->D, U, TRIES, p, choice->u);
        choice->found = !ckg__search_taken(search, choice->u, x);
    }

    /* Then all designs of a finite problem in turn, or those that its rules leave. */
    const struct ckg__known *known = &problem->known;
    const double size = known->complete ? known->count : ckg__problem_size(problem);
    struct ckg__interrupt *interrupt = ckg__pool_watched(search->pool);
    for (double i = 0; !choice->found && i < size && i < most_designs; i++) {
        if (ckg__interrupted_by(interrupt, LOOK_WORK))
            return CKG_ERR_CANCELLED;
        ckg__problem_number(problem, known->complete ? known->number[(int)i] : i, x);
        ckg__problem_to_unit(problem, x, choice->u);
        choice->found = !ckg__search_taken(search, choice->u, x);
    }
    return CKG_OK;
}
