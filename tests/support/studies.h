/* Problems and studies as tests make them. A call that fails fails the test. */
#ifndef CKG_TESTS_STUDIES_H
#define CKG_TESTS_STUDIES_H

#include <ckg/ckg.h>

/* d reals x0, x1, … in [low, high], and K constraints c0, c1, … <= limit. */
ckg_problem *box_problem(int d, double low, double high, int K, double limit);

/* The same noise for the objective and every constraint. */
void set_all_noise(ckg_problem *problem, enum ckg_noise noise, double sd);

/* A study of the problem, which is freed. */
ckg_study *study_of(ckg_problem *problem, const ckg_options *options);

/* Adds the design and tells its values. */
void tell_at(ckg_study *study, const double *x, const double *values);

/*
 * Tells the first designs of a sequence in the unit square, with an objective, which is noisy or not, and as
 * many of two constraints as the study has.
 */
void tell_waves(ckg_study *study, int designs, int noisy);

/* Asks and tells what `evaluate` makes of each design. */
void ask_and_tell(ckg_study *study, int count, void (*evaluate)(const double *x, double *values));

/* Gives a study every trial of another: told ones with their values, failed ones, pending ones. */
void copy_trials(const ckg_study *from, ckg_study *to);

#endif
