/* How much a test does: under a slow tool less of the same. */
#ifndef CKG_TESTS_SCALE_H
#define CKG_TESTS_SCALE_H

/*
 * How many seeds, studies, trials or points: `full`, or `light` where CKG_TEST_LIGHT is in the environment,
 * as the targets for sanitizers and valgrind have it. It never scales a bound.
 */
int test_scale(int full, int light);

#endif
