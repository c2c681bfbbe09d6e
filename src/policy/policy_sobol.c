/*
 * The other control: the scrambled Sobol sequence, whose point number is the number of trials so far. Where
 * that design is taken the sequence is looked through further along, from there again at the next trial.
 */
#include <math.h>

#include "design/sequence.h"
#include "policy/policy.h"

enum { TRIES = 1024, CHUNK = 16 };

static int suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    const struct ckg_problem *problem = search->scope->problem;
    double cube[CHUNK * CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS];

    choice->value = NAN;
    for (int i = 0; i < TRIES && !choice->found; i++) {
        const int of_chunk = i % CHUNK;
        if (!of_chunk)
            ckg__design_sobol(search->seed, search->scope->data->trials + i, CHUNK, problem->d, cube);
        ckg__problem_from_cube(problem, cube + (size_t)of_chunk * (size_t)problem->d, choice->u);
        choice->found = !ckg__search_taken(search, choice->u, x);
    }
    return CKG_OK;
}

const struct ckg__policy ckg__policy_sobol = {.name = "sobol",
                                              .title = "the scrambled Sobol sequence: a control",
                                              .reference = "Sobol 1967; Owen 1995; Joe and Kuo 2008",
                                              .reason = "The next design of a policy that needs no models.",
                                              .traits = CKG__TRAIT_NO_MODEL,
                                              .suggest = suggest};
