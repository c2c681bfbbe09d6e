/*
 * Our dense kernels against OpenBLAS on one thread, in microseconds, the best of many repeats: Cholesky
 * (dpotrf), the solves with 256 right-hand sides (dtrsm) and the inverse from the factor (dpotri). Row-major
 * lower is column-major upper for BLAS; L is mirrored so that LAPACK may use its faster, lower form.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "linalg/dense.h"

void openblas_set_num_threads(int threads);
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dpotri_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *A, const int *lda, double *B, const int *ldb);

enum { RIGHT_SIDES = 256 };

/* One kernel works in place on `work`, restored before each run; `L` is the factor for the solves. */
struct job {
    int n;
    double *work;
    const double *L;
};

static void own_cholesky(struct job j)
{
    if (ckg__dense()->cholesky(j.n, j.work, j.n, NULL))
        abort();
}

static void blas_cholesky(struct job j)
{
    int info;

    dpotrf_("L", &j.n, j.work, &j.n, &info);
}

static void own_solve(struct job j)
{
    ckg__dense()->solve_lower(j.n, RIGHT_SIDES, j.L, j.n, j.work, RIGHT_SIDES);
}

static void blas_triangular(struct job j, const char *transposed)
{
    const int m = RIGHT_SIDES;
    const double one = 1.0;

    dtrsm_("R", "U", transposed, "N", &m, &j.n, &one, j.L, &j.n, j.work, &m);
}

static void blas_solve(struct job j)
{
    blas_triangular(j, "N");
}

static void own_solve_transposed(struct job j)
{
    ckg__dense()->solve_lower_transposed(j.n, RIGHT_SIDES, j.L, j.n, j.work, RIGHT_SIDES);
}

static void blas_solve_transposed(struct job j)
{
    blas_triangular(j, "T");
}

static void own_inverse(struct job j)
{
    ckg__dense()->inverse_from_cholesky(j.n, j.work, j.n, NULL);
}

static void blas_inverse(struct job j)
{
    int info;

    dpotri_("L", &j.n, j.work, &j.n, &info);
}

static double microseconds_since(const struct timespec *start)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return 1e6 * (double)(now.tv_sec - start->tv_sec) + 1e-3 * (double)(now.tv_nsec - start->tv_nsec);
}

/* The least time of one run from `from` (size doubles). Short jobs repeat more often: about 0.15 s each. */
static double least_time(void (*run)(struct job), struct job job, const double *from, size_t size)
{
    struct timespec start;
    struct timespec before;
    double least = INFINITY;

    timespec_get(&start, TIME_UTC);
    for (int i = 0; i < 5 || microseconds_since(&start) < 150e3; i++) {
        memcpy(job.work, from, size * sizeof *from);
        timespec_get(&before, TIME_UTC);
        run(job);
        least = fmin(least, microseconds_since(&before));
    }
    return least;
}

static void fill(int n, double *A, double *B)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = exp(-2.0 * abs(i - j) / n) + (i == j);
    for (int i = 0; i < n * RIGHT_SIDES; i++)
        B[i] = sin(i);
}

static void mirror(int n, double *L)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            L[j * n + i] = L[i * n + j];
}

static void report(const char *title, void (*own)(struct job), void (*blas)(struct job), struct job job,
                   const double *from, size_t size)
{
    const double a = least_time(own, job, from, size);
    const double b = least_time(blas, job, from, size);

    printf("%-18s %5d %10.2f %10.2f %6.2f\n", title, job.n, a, b, a / b);
}

int main(void)
{
    static const int sizes[] = {20, 32, 50, 64, 100, 128, 200, 256, 400, 512, 1000, 1024, 2000, 2048};

    openblas_set_num_threads(1);
    printf("%-18s %5s %10s %10s %6s\n", "", "n", "own/us", "OpenBLAS", "ratio");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int n = sizes[s];
        const size_t square = (size_t)n * n;
        const size_t strip = (size_t)n * RIGHT_SIDES;
        const size_t most = square > strip ? square : strip;

        /* The matrix, its factor, right sides, and room to work in. */
        double *A = malloc(square * sizeof *A);
        double *L = malloc(square * sizeof *L);
        double *B = malloc(strip * sizeof *B);
        double *work = malloc(most * sizeof *work);
        if (!A || !L || !B || !work)
            return 1;

        fill(n, A, B);
        memcpy(L, A, square * sizeof *L);
        if (ckg__dense()->cholesky(n, L, n, NULL))
            return 1;
        mirror(n, L);

        /* Each routine beside its counterpart. */
        const struct job job = {n, work, L};
        report("cholesky", own_cholesky, blas_cholesky, job, A, square);
        report("solve 256", own_solve, blas_solve, job, B, strip);
        report("solve 256 trans.", own_solve_transposed, blas_solve_transposed, job, B, strip);
        report("inverse", own_inverse, blas_inverse, job, L, square);
        free(A);
        free(L);
        free(B);
        free(work);
    }
    return 0;
}
