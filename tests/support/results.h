/* What calls of a study say, as numbers that can be compared to the bit. */
#ifndef CKG_TESTS_RESULTS_H
#define CKG_TESTS_RESULTS_H

#include <ckg/ckg.h>

enum { RESULT_NUMBERS = 64 };

struct result {
    int count;
    double number[RESULT_NUMBERS];
};

void result_put(struct result *r, int count, const double *numbers);

/* The call's status. Where it fails, it leaves NULL and nothing is put; the test fails otherwise. */
int result_ask(ckg_study *study, struct result *r);
int result_recommend(ckg_study *study, int rule, struct result *r);

#endif
