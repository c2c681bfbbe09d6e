/* The control without any model: every design, or every equal volume of them, is as likely as any other. */
#include <math.h>

#include "base/rng.h"
#include "policy/policy.h"

enum { TRIES = 256 };

/* A design drawn uniformly from the list, the lattice or the cube: u (D). */
static void draw(const struct ckg_problem *problem, struct ckg__rng *rng, double *u)
{
    double cube[CKG_MAX_PARAMETERS];

    if (problem->designs) {
        ckg__problem_numbered(problem, ckg__rng_below(rng, problem->designs), u);
        return;
    }
    for (int i = 0; i < problem->d; i++)
        cube[i] = ckg__rng_uniform(rng);
    ckg__problem_from_cube(problem, cube, u);
}

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    double x[CKG_MAX_PARAMETERS];
    struct ckg__rng rng;

    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_RANDOM_POLICY);
    choice->value = NAN;
    for (int i = 0; i < TRIES && !choice->found; i++) {
        draw(search->scope->problem, &rng, choice->u);
        choice->found = !ckg__search_taken(search, choice->u, x);
    }
    return CKG_OK;
}

const struct ckg__policy ckg__policy_random = {.name = "random",
                                               .title = "uniformly at random: a control",
                                               .reference = "Bergstra and Bengio 2012",
                                               .reason = "The next design of a policy that needs no models.",
                                               .traits = CKG__TRAIT_NO_MODEL,
                                               .suggest = suggest};
