/*
 * Triangular solves, n²m flops: B₁ ← L₁₁⁻¹B₁, B₂ −= L₂₁B₁, and the mirror image for L⁻ᵀ (strip.h has the
 * tile). One right-hand side goes by dot products and sums of rows instead.
 */
#include <assert.h>

#include "linalg/strip.h"

/* sums[i] ← Σ_j A_ij x_j for ROWS rows; n is a multiple of LANES. The lanes are added up by transposing. */
INLINE void row_dots(int n, const double *A, ptrdiff_t lda, const double *x, double sums[ROWS])
{
    vec acc[ROWS];

    UNROLL for (int i = 0; i < ROWS; i++) acc[i] = (vec){0};
    for (int j = 0; j < n; j += LANES) {
        const vec t = load(x + j);
        UNROLL for (int i = 0; i < ROWS; i++) acc[i] += load(A + i * lda + j) * t;
    }
    UNROLL for (int i = 0; i < ROWS; i += LANES)
    {
        transpose_square(acc + i);
        UNROLL for (int step = LANES / 2; step > 0; step /= 2) UNROLL for (int l = 0; l < step; l++)
            acc[i + l] += acc[i + l + step];
        store(sums + i, acc[i]);
    }
}

double hot_dot(int n, const double *x, const double *y)
{
    vec acc[4] = {{0}};
    int i = 0;

    for (; i + 4 * LANES <= n; i += 4 * LANES)
        UNROLL for (int v = 0; v < 4; v++) acc[v] += load(x + i + v * LANES) * load(y + i + v * LANES);
    for (; i + LANES <= n; i += LANES)
        acc[0] += load(x + i) * load(y + i);
    const vec total = (acc[0] + acc[1]) + (acc[2] + acc[3]);
    double sum = 0.0;
    UNROLL for (int l = 0; l < LANES; l++) sum += total[l];
    for (; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x ← D⁻¹x for a triangle of ROWS rows, column by column: the other sums do not wait for the next unknown. */
static void forward_triangle(const double *D, ptrdiff_t ldd, const double *inverse, double *x)
{
    double t[ROWS];

    UNROLL for (int i = 0; i < ROWS; i++) t[i] = x[i];
    UNROLL for (int i = 0; i < ROWS; i++)
    {
        t[i] *= inverse[i];
        UNROLL for (int r = i + 1; r < ROWS; r++) t[r] -= D[r * ldd + i] * t[i];
    }
    UNROLL for (int i = 0; i < ROWS; i++) x[i] = t[i];
}

static void backward_triangle(const double *D, ptrdiff_t ldd, const double *inverse, double *x)
{
    double t[ROWS];

    UNROLL for (int i = 0; i < ROWS; i++) t[i] = x[i];
    UNROLL for (int i = ROWS - 1; i >= 0; i--)
    {
        t[i] *= inverse[i];
        UNROLL for (int r = 0; r < i; r++) t[r] -= D[i * ldd + r] * t[i];
    }
    UNROLL for (int i = 0; i < ROWS; i++) x[i] = t[i];
}

/* x (n ≤ DEPTH, contiguous) ← L⁻¹x. */
static void forward_vector(int n, const double *L, ptrdiff_t ldl, double *x)
{
    assert(n <= DEPTH);

    double inverse[DEPTH];
    double sums[ROWS];
    int i = 0;

    invert_diagonal(n, L, ldl, inverse);
    for (; i + ROWS <= n; i += ROWS) {
        row_dots(i, L + i * ldl, ldl, x, sums);
        for (int r = 0; r < ROWS; r++)
            x[i + r] -= sums[r];
        forward_triangle(L + i * ldl + i, ldl, inverse + i, x + i);
    }
    for (; i < n; i++)
        x[i] = (x[i] - hot_dot(i, L + i * ldl, x)) * inverse[i];
}

/*
 * b ← L⁻¹b for one right-hand side with stride ldb: a solved block is gathered, then taken off the rows below
 * by dot products.
 */
static void solve_vector(int n, const double *L, ptrdiff_t ldl, double *b, ptrdiff_t ldb)
{
    double x[DEPTH];
    double sums[ROWS];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        for (int r = 0; r < depth; r++)
            x[r] = b[(k + r) * ldb];
        forward_vector(depth, L + k * ldl + k, ldl, x);
        for (int r = 0; r < depth; r++)
            b[(k + r) * ldb] = x[r];
        int i = k + depth;
        for (; i + ROWS <= n; i += ROWS) {
            row_dots(depth, L + i * ldl + k, ldl, x, sums);
            for (int r = 0; r < ROWS; r++)
                b[(i + r) * ldb] -= sums[r];
        }
        for (; i < n; i++)
            b[i * ldb] -= hot_dot(depth, L + i * ldl + k, x);
    }
}

/* y (n) ← y − Σ_i x_i A_i over m rows of A, four at a time to spare y. */
static void subtract_rows(int m, int n, const double *A, ptrdiff_t lda, const double *x, ptrdiff_t ldx,
                          double *y)
{
    int i = 0;

    for (; i + 4 <= m; i += 4, A += 4 * lda) {
        const double x0 = x[i * ldx];
        const double x1 = x[(i + 1) * ldx];
        const double x2 = x[(i + 2) * ldx];
        const double x3 = x[(i + 3) * ldx];
        for (int j = 0; j < n; j++)
            y[j] -= (x0 * A[j] + x1 * A[lda + j]) + (x2 * A[2 * lda + j] + x3 * A[3 * lda + j]);
    }
    for (; i < m; i++, A += lda)
        for (int j = 0; j < n; j++)
            y[j] -= x[i * ldx] * A[j];
}

/* x (n ≤ DEPTH, contiguous) ← L⁻ᵀx. */
static void backward_vector(int n, const double *L, ptrdiff_t ldl, double *x)
{
    assert(n <= DEPTH);

    double inverse[DEPTH];

    invert_diagonal(n, L, ldl, inverse);
    int i = n;
    while (i % ROWS) {
        i--;
        x[i] *= inverse[i];
        subtract_rows(1, i, L + i * ldl, ldl, x + i, 1, x);
    }
    while (i > 0) {
        i -= ROWS;
        backward_triangle(L + i * ldl + i, ldl, inverse + i, x + i);
        subtract_rows(ROWS, i, L + i * ldl, ldl, x + i, 1, x);
    }
}

/*
 * b ← L⁻ᵀb for one right-hand side: each block first loses the rows of L below it times what is already
 * solved.
 */
static void solve_vector_transposed(int n, const double *L, ptrdiff_t ldl, double *b, ptrdiff_t ldb)
{
    double x[DEPTH];

    for (int end = n, depth; end > 0; end -= depth) {
        depth = end % DEPTH ? end % DEPTH : DEPTH;
        const int k = end - depth;
        for (int i = 0; i < depth; i++)
            x[i] = b[(k + i) * ldb];
        subtract_rows(n - end, depth, L + end * ldl + k, ldl, b + end * ldb, ldb, x);
        backward_vector(depth, L + k * ldl + k, ldl, x);
        for (int i = 0; i < depth; i++)
            b[(k + i) * ldb] = x[i];
    }
}

void hot_solve_lower(int n, int m, const double *L, int ldl, double *B, int ldb)
{
    assert(n >= 0 && m >= 0);
    assert(ldl >= n && ldb >= m);

    _Alignas(64) double T[DEPTH * WIDTH];
    double inverse[DEPTH];

    if (m == 1) {
        solve_vector(n, L, ldl, B, ldb);
        return;
    }
    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        const int below = k + depth;
        const struct operand left = {L + (ptrdiff_t)below * ldl + k, ldl, 1};
        const double *block = L + (ptrdiff_t)k * ldl + k;
        invert_diagonal(depth, block, ldl, inverse);
        for (int j = 0; j < m; j += WIDTH) {
            const int w = smaller(WIDTH, m - j);
            solve_strip(depth, w, 0, block, ldl, inverse, T, B + (ptrdiff_t)k * ldb + j, ldb);
            update_strip(n - below, w, w, depth, left, T, -1.0, 1, B + (ptrdiff_t)below * ldb + j, ldb);
        }
    }
}

void hot_solve_lower_transposed(int n, int m, const double *L, int ldl, double *B, int ldb)
{
    assert(n >= 0 && m >= 0);
    assert(ldl >= n && ldb >= m);

    _Alignas(64) double T[DEPTH * WIDTH];
    double inverse[DEPTH];

    if (m == 1) {
        solve_vector_transposed(n, L, ldl, B, ldb);
        return;
    }
    for (int end = n, depth; end > 0; end -= depth) {
        depth = end % DEPTH ? end % DEPTH : DEPTH;
        const int k = end - depth;
        const struct operand left = {L + (ptrdiff_t)k * ldl, 1, ldl};
        const double *block = left.data + k;
        invert_diagonal(depth, block, ldl, inverse);
        for (int j = 0; j < m; j += WIDTH) {
            const int w = smaller(WIDTH, m - j);
            solve_strip(depth, w, 1, block, ldl, inverse, T, B + (ptrdiff_t)k * ldb + j, ldb);
            update_strip(k, w, w, depth, left, T, -1.0, 1, B + j, ldb);
        }
    }
}
