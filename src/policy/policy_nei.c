/*
 * Noisy expected improvement as a policy (acquisition/nei.h has the formula). The draws are made once for a
 * search, at the designs that have been told and at the pending ones, which the processes know at their
 * means. Under several hyperparameter samples each has draws of its own, and the improvements are averaged;
 * the samples agree on what a draw without a feasible design improves on.
 */
#include <math.h>
#include <string.h>

#include "acquisition/nei.h"
#include "policy/policy.h"

/* The parameters, in the order of the row; and the designs drawn at, at most. */
/* clang-format off */
#define SETTINGS(X) \
    X(draws, {.value = 256, .sampled = 32}, 2, 4096, 1, \
      "draws of the true values at the told designs, under each hyperparameter sample") \
    CKG__CANDIDATES_SETTING(X) \
    CKG__LOCAL_SETTINGS(X)
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);
enum { DESIGNS = 200 };

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct ckg__nei *nei = context;
    return ckg__nei_batch(&nei[lookahead], m, U, ldu, arena, value, gradient);
}

/* The distinct designs with any told value or a pending trial, from the arena. */
static int told_designs(const struct ckg__search *search, struct ckg__arena *arena, struct ckg__designs *out)
{
    const struct ckg__data *data = search->scope->data;
    const size_t D = (size_t)search->scope->problem->D;
    const size_t designs = (size_t)data->designs;
    int *told, *number;
    double *U;
    int n = 0;

    if (CKG__TAKE(arena, CKG__ROOM(told, designs + 1), CKG__ROOM(number, designs + 1),
                  CKG__ROOM(U, D * designs + 1)))
        return CKG_ERR_NOMEM;
    memset(told, 0, designs * sizeof *told);
    for (int t = 0; t < data->trials; t++)
        told[data->trial[t].design] |= data->trial[t].state == CKG_PENDING ||
                                       (data->trial[t].state == CKG_COMPLETE && data->trial[t].count > 0);
    for (int d = 0; d < data->designs; d++)
        if (told[d])
            number[n++] = d;
    ckg__point_columns(search->scope->problem->D, data->u, n, number, U);
    *out = (struct ckg__designs){n, number, U, n};
    return CKG_OK;
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const struct settings *set = search->settings;
    struct ckg__nei *nei = ckg__arena_get(search->results, (size_t)search->lookaheads, sizeof *nei);
    struct ckg__rng rng;
    struct ckg__designs designs;

    /* That an evaluation succeeds is the last of what is believed, and known of the told designs. */
    const int latent = search->scope->models->outcomes > search->scope->problem->outcomes;
    const int judged = search->scope->models->processes - latent;
    int feasible = 0;
    int status = nei ? told_designs(search, search->results, &designs) : CKG_ERR_NOMEM;
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_LATENT_DRAWS);
    struct ckg__nei_draws draws = {(int)set->draws, DESIGNS, ckg__rng_next(&rng), 0};
    for (int o = 0; !status && o < search->lookaheads; o++) {
        status = ckg__nei_make(&nei[o], search->lookahead[o].belief, judged, &designs, &draws,
                               search->results, &search->arena[0]);
        draws.first += draws.count;
        feasible += status ? 0 : nei[o].feasible;
    }
    for (int o = 0; !status && o < search->lookaheads; o++)
        nei[o].alone = feasible == 0;
    *acquisition = (struct ckg__acquisition){nei, at, 1, 1};
    return status;
}

const struct ckg__policy ckg__policy_nei = {
    .name = "nei",
    .title = "noisy expected improvement with constraints, in logarithms",
    .reference = "Letham, Karrer, Ottoni and Bakshy 2019",
    .value = "log of expected improvement × probability of feasibility over what the true values may be",
    CKG__TABLE(parameters),
    .narrow = &ckg__trust_region,
    .acquire = acquire};
