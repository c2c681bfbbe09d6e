/*
 * Constrained max-value entropy search as a policy (acquisition/cmes.h has the formula). The optimum is drawn
 * where the recommendation is looked for: each joint draw on a lookahead's discretisation gives the largest
 * objective among the points that are feasible in it.
 */
#include <math.h>

#include "acquisition/cmes.h"
#include "search/draws.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    X(draws, {.value = 16}, 1, 10000, 1, \
      "draws of the constrained optimum; shared among hyperparameter samples, at least 4 each") \
    X(points, {.value = 192, .sampled = 96}, 8, 4000, 1, \
      "space-filling points on which the optimum is drawn") \
    CKG__CANDIDATES_SETTING(X) \
    X(bound, {.value = 0}, 0, 1, 1, \
      "1: the lower bound of Takeno et al. 2022 instead of the entropies of Perrone et al. 2019")
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

/* Draws of each of several lookaheads at least. */
enum { FEWEST = 4 };

struct context {
    const struct ckg__search *search;
    struct ckg__cmes *cmes; /* (lookaheads) */
};

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;
    const struct ckg__belief *belief = c->search->lookahead[lookahead].belief;
    return ckg__cmes_batch(belief, &c->cmes[lookahead], m, U, ldu, arena, value, gradient);
}

/* f* of every draw under every lookahead. */
static int draw_optima(struct ckg__search *search, int count, struct ckg__cmes *cmes)
{
    const struct settings *set = search->settings;
    const size_t lookaheads = (size_t)search->lookaheads;
    struct ckg__draws *draws = ckg__arena_get(search->results, lookaheads, sizeof *draws);
    double *best = ckg__arena_doubles(search->results, lookaheads * (size_t)count);

    if (!draws || !best)
        return CKG_ERR_NOMEM;
    const int status = ckg__search_draw(search, CKG__DRAWS_CMES, count, draws);
    for (size_t o = 0; !status && o < lookaheads; o++) {
        double *of = best + o * (size_t)count;
        for (int s = 0; s < count; s++)
            ckg__draws_best(&draws[o], search->lookahead[o].belief, s, &of[s]);
        cmes[o] = (struct ckg__cmes){count, (int)set->bound, of};
    }
    return status;
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const int lookaheads = search->lookaheads;
    const struct settings *set = search->settings;
    const int share = ((int)set->draws + lookaheads - 1) / lookaheads;
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    struct ckg__cmes *cmes = ckg__arena_get(search->results, (size_t)lookaheads, sizeof *cmes);

    if (!c || !cmes)
        return CKG_ERR_NOMEM;
    *c = (struct context){search, cmes};
    *acquisition = (struct ckg__acquisition){c, at, 1, 1};
    return draw_optima(search, lookaheads > 1 && share < FEWEST ? FEWEST : share, cmes);
}

const struct ckg__policy ckg__policy_cmes = {
    .name = "cmes",
    .title = "constrained max-value entropy search, in logarithms",
    .reference = "Perrone, Shcherbatyi, Jenatton, Archambeau and Seeger 2019",
    .value = "log of the information about the constrained optimum's value, in nats",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_POINTS,
    .acquire = acquire};
