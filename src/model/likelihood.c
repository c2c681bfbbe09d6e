/* Which sort of measurement a series has. */
#include "model/likelihood.h"

#define ROW(name) &ckg__likelihood_##name,
static const struct ckg__likelihood *const rows[] = {CKG__LIKELIHOODS(ROW)};
#undef ROW

const struct ckg__likelihood *ckg__likelihood_of(const struct ckg__series *series)
{
    int i = 0;
    while (!rows[i]->applies(series))
        i++;
    return rows[i];
}
