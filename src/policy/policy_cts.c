/*
 * Constrained Thompson sampling: one joint draw of all outcomes at candidates, and the best of them as if the
 * draw were the truth. Under several hyperparameter samples one of them is drawn first. Each ask has a stream
 * of its own, so that pending designs meet different draws.
 */
#include <math.h>
#include <string.h>

#include "policy/thompson.h"
#include "policy/policy.h"

/*
 * 1 when the evaluation would move no mean at candidate p by more than rounding away a few digits,
 * √(var²/(var + noise)): the model is sure of itself there, rightly or not. Then it may be time to look for
 * new ground.
 */
static int stalled(const struct ckg__search *search, const struct ckg__thompson *draw, const double *u, int p)
{
    static const double exact = 1e-4;
    static const double noisy = 1e-2;
    int noise = 0;
    double most = 0;

    for (int j = 0; j < draw->belief->outcomes; j++) {
        const struct ckg__gp *gp = draw->belief->gp[j];
        const double mean = draw->view[j].mean[p];
        const double var = draw->view[j].var[p];
        double carried;
        ckg__posterior_noise(gp, 1, u, 1, &mean, &var, &(struct ckg__noise){.var = &carried});
        noise |= carried > 2 * ckg__gp_nugget_variance(gp);
        most = fmax(most, var / sqrt(var + carried));
    }
    return ckg__search_turn(search, noise) && most < (noise ? noisy : exact);
}

int ckg__cts_suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    struct ckg__thompson draw;
    int best;
    const int status = ckg__thompson_choose(search, ckg__search_candidates, choice, &draw, &best);

    if (choice->found)
        choice->stalled = stalled(search, &draw, choice->u, best);
    return status;
}

int ckg__cts_score(struct ckg__search *search, int count, const double *U, double *value)
{
    return ckg__thompson_values(search, ckg__search_candidates, count, U, value);
}

/* clang-format off */
#define SETTINGS(X) \
    X(candidates, {.value = 300, .per_parameter = 50, .most = 800}, 1, 10000, 1, \
      "space-filling designs of the draw, whose cost grows with the cube")
/* clang-format on */
static const ckg_policy_parameter parameters[] = {SETTINGS(CKG__ROW)};

static void prepare(struct ckg__search *search)
{
    enum { LOCAL = 200 };
    search->size.local = LOCAL;
}

void ckg__cts_size(struct ckg__search *search)
{
    const int d = search->scope->problem->d;

    search->size.candidates = (int)ckg_policy_parameter_default(&parameters[0], d, 0);
    prepare(search);
}

const struct ckg__policy ckg__policy_cts = {
    .name = "cts",
    .title = "constrained Thompson sampling by joint posterior draws",
    .reference = "Thompson 1933; Eriksson and Poloczek 2021",
    .value = "one joint draw: its objective where it is feasible, below that by the violation",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_ONE_BELIEF,
    .prepare = prepare,
    .suggest = ckg__cts_suggest,
    .stalled = ckg__choice_stalled,
    .fallback = ckg__search_explore,
    .score = ckg__cts_score};
