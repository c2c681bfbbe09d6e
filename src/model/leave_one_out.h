/* What a process would predict at each of its own designs, had that design never been measured. */
#ifndef CKG_MODEL_LEAVE_ONE_OUT_H
#define CKG_MODEL_LEAVE_ONE_OUT_H

#include "model/gp.h"

/*
 * Mean and variance (n) at each row's design from the rows of all other designs, hyperparameters unchanged;
 * the variance is the outcome's own, without the noise of its measurement. The series is the one that the
 * process was set with; rows of one design follow one another there, five at most.
 */
int ckg__gp_leave_out(const struct ckg__gp *gp, const struct ckg__series *series,
                      const struct ckg__workers *workers, struct ckg__arena *arena, double *mean,
                      double *var);

#endif
