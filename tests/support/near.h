/* Comparing numbers in tests, and slopes by differences. */
#ifndef CKG_TESTS_NEAR_H
#define CKG_TESTS_NEAR_H

/* Fails the test unless |got − want| <= bound; NaN never is near anything. */
#define assert_near(got, want, bound) support_assert_near((got), (want), (bound), #got, __FILE__, __LINE__)

void support_assert_near(long double got, long double want, long double bound, const char *what,
                         const char *file, int line);

/* |got − want|/|want|, 0 where they are equal (infinities too). */
double relative_error(double got, double want);

/*
 * The slope at 0 of a function of a step, by the five-point rule with spacing h: error h⁴f⁽⁵⁾/30 + rounding
 * of f/h.
 */
double difference(double (*function)(void *context, double step), void *context, double h);

/* (D×m, dimension-major, leading dimension m) uniform numbers in the unit cube. */
struct ckg__rng;
void random_points(struct ckg__rng *rng, int D, int m, double *U);

#endif
