/* Which sorts of measurements there are, and which one an outcome has. */
#include "model/likelihood.h"

#define ROW(name) &ckg__likelihood_##name,
const struct ckg__likelihood *const ckg__likelihoods[] = {CKG__LIKELIHOODS(ROW) NULL};
#undef ROW

const struct ckg__likelihood *ckg__likelihood_given(const struct ckg_problem *problem, int outcome)
{
    const struct ckg__likelihood *const *row = ckg__likelihoods;

    while (!(*row)->is_given || !(*row)->is_given(problem, outcome))
        row++;
    return *row;
}

int ckg__likelihood_lay_out(const struct ckg__likelihood *likelihood, const struct ckg__gp_inputs *inputs,
                            const void *state, struct ckg__arena *arena, struct ckg__series *series)
{
    *series = *inputs->series;
    series->likelihood = likelihood;
    return likelihood->lay_out && state ? likelihood->lay_out(inputs, state, arena, series) : CKG_OK;
}
