/*
 * Timing suggestions: the unit, one OpenBLAS Cholesky of n = 1,024 in the same run, and the fastest of
 * several suggestions from the same data.
 */
#ifndef CKG_BENCH_TIMING_H
#define CKG_BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "study/study.h"

void openblas_set_num_threads(int threads);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

/* Seconds for one Cholesky factorisation of n = 1,024, the smallest of 15. */
static double cholesky_seconds(void)
{
    const int n = 1024;
    double *A = malloc(8ul * 1024 * 1024);
    double *B = malloc(8ul * 1024 * 1024);
    double best = 1e9;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = (i == j) * n + 1.0 / (1 + abs(i - j));
    openblas_set_num_threads(1);
    for (int r = 0; r < 15; r++) {
        int info;
        memcpy(B, A, 8ul * 1024 * 1024);
        const double start = app_clock();
        dpotrf_("L", &n, B, &n, &info);
        const double taken = app_clock() - start;
        best = taken < best ? taken : best;
    }
    free(A);
    free(B);
    return best;
}

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ckg_error_message());
    exit(1);
}

/* The fastest of `repeat` suggestions, with a warm refit each time or without. */
static ckg_timing fastest(ckg_study *study, int refit, int repeat)
{
    ckg_timing best = {0};

    best.total = 1e9;
    for (int r = 0; r < repeat; r++) {
        ckg_suggestion *s;
        for (int j = 0; j < study->models.outcomes; j++)
            study->models.surrogate[j].fitted.trials = refit ? 0 : study->models.surrogate[j].fitted.trials;
        study->revision++; /* what is known counts as new */
        if (ckg_study_ask(study, &s))
            fail("ask");
        if (s->seconds.total < best.total)
            best = s->seconds;
        if (ckg_study_cancel(study, s->trial))
            fail("cancel");
        ckg_suggestion_free(s);
    }
    return best;
}

#endif
