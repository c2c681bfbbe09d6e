/*
 * Triangular solves, n²m flops: B₁ ← L₁₁⁻¹B₁, B₂ −= L₂₁B₁, and the mirror image for L⁻ᵀ (strip.h has the
 * tile). One right-hand side has loops of its own, which give the same bits.
 */
#include <assert.h>

#include "linalg/strip.h"

/* Dot products are summed in eight parts whatever the vectors' width. */
enum { PARTS = 8 };

struct sum {
    lanes part[PARTS / LANES];
};

/* sum ← sum + x·y, part by part, for count ≤ PARTS terms. */
INLINE void add_products(int count, const double *x, const double *y, struct sum *sum)
{
    UNROLL for (int v = 0; v < PARTS / LANES; v++)
    {
        const int left = count - v * LANES;
        if (left >= LANES)
            sum->part[v] = fused_lanes(load(x + v * LANES), load(y + v * LANES), sum->part[v]);
        else if (left > 0)
            sum->part[v] = fused_lanes(load_first(x + v * LANES, left), load_first(y + v * LANES, left),
                                       sum->part[v]);
    }
}

/* The parts added up: those four apart, then two, then one. */
INLINE double total(const struct sum *sum)
{
    double t[PARTS];

    UNROLL for (int v = 0; v < PARTS / LANES; v++) store(t + v * LANES, sum->part[v]);
    return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]));
}

double hot_dot(int n, const double *x, const double *y)
{
    struct sum sum[2] = {0};
    int i = 0;

    for (; i + 2 * PARTS <= n; i += 2 * PARTS)
        UNROLL for (int v = 0; v < 2; v++) add_products(PARTS, x + i + v * PARTS, y + i + v * PARTS, sum + v);
    if (i + PARTS <= n) {
        add_products(PARTS, x + i, y + i, sum);
        i += PARTS;
    }
    add_products(n - i, x + i, y + i, sum + 1);
    UNROLL for (int v = 0; v < PARTS / LANES; v++) sum[0].part[v] += sum[1].part[v];
    return total(sum);
}

/*
 * One right-hand side, in the order in which a strip of many is solved, so that a column's bits do not depend
 * on its company: each unknown is a chain of its own, and some rows at a time keep the processor busy.
 */
enum { CHAINS = 8 };

/* t (rows) ← t − A·x for n columns, one after the other. */
INLINE void subtract_products(int rows, int n, const double *A, ptrdiff_t lda, const double *x, double *t)
{
    for (int p = 0; p < n; p++)
        UNROLL for (int i = 0; i < rows; i++) t[i] = fused(-A[i * lda + p], x[p], t[i]);
}

/* x ← D⁻¹x for a triangle of `rows` rows, column by column: other unknowns do not wait for the next one. */
INLINE void forward_triangle(int rows, const double *D, ptrdiff_t ldd, const double *inverse, double *t)
{
    UNROLL for (int i = 0; i < rows; i++)
    {
        t[i] *= inverse[i];
        UNROLL for (int r = i + 1; r < rows; r++) t[r] = fused(-D[r * ldd + i], t[i], t[r]);
    }
}

INLINE void forward_rows(int rows, int i, const double *L, ptrdiff_t ldl, const double *inverse, double *x)
{
    double t[CHAINS];

    UNROLL for (int r = 0; r < rows; r++) t[r] = x[i + r];
    subtract_products(rows, i, L + i * ldl, ldl, x, t);
    forward_triangle(rows, L + i * ldl + i, ldl, inverse + i, t);
    UNROLL for (int r = 0; r < rows; r++) x[i + r] = t[r];
}

/* x (n ≤ DEPTH, contiguous) ← L⁻¹x. */
static void forward_vector(int n, const double *L, ptrdiff_t ldl, double *x)
{
    assert(n <= DEPTH);

    double inverse[DEPTH];
    int i = 0;

    invert_diagonal(n, L, ldl, inverse);
    for (; i + CHAINS <= n; i += CHAINS)
        forward_rows(CHAINS, i, L, ldl, inverse, x);
    for (; i < n; i++)
        forward_rows(1, i, L, ldl, inverse, x);
}

/* Rows of b, with stride ldb, lose their products with the n solved unknowns x. */
INLINE void subtract_below(int rows, int n, const double *A, ptrdiff_t lda, const double *x, double *b,
                           ptrdiff_t ldb)
{
    double t[CHAINS];

    UNROLL for (int r = 0; r < rows; r++) t[r] = b[r * ldb];
    subtract_products(rows, n, A, lda, x, t);
    UNROLL for (int r = 0; r < rows; r++) b[r * ldb] = t[r];
}

/* b ← L⁻¹b with stride ldb: a solved block is gathered, then taken off the rows below. */
static void solve_vector(int n, const double *L, ptrdiff_t ldl, double *b, ptrdiff_t ldb)
{
    double x[DEPTH];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        for (int r = 0; r < depth; r++)
            x[r] = b[(k + r) * ldb];
        forward_vector(depth, L + k * ldl + k, ldl, x);
        for (int r = 0; r < depth; r++)
            b[(k + r) * ldb] = x[r];
        int i = k + depth;
        for (; i + CHAINS <= n; i += CHAINS)
            subtract_below(CHAINS, depth, L + i * ldl + k, ldl, x, b + i * ldb, ldb);
        for (; i < n; i++)
            subtract_below(1, depth, L + i * ldl + k, ldl, x, b + i * ldb, ldb);
    }
}

/* y (n) ← y − Σ_i x_i A_i over m rows of A, four at a time to spare y. */
static void subtract_rows(int m, int n, const double *A, ptrdiff_t lda, const double *x, ptrdiff_t ldx,
                          double *y)
{
    int i = 0;

    for (; i + 4 <= m; i += 4, A += 4 * lda) {
        const double x0 = -x[i * ldx];
        const double x1 = -x[(i + 1) * ldx];
        const double x2 = -x[(i + 2) * ldx];
        const double x3 = -x[(i + 3) * ldx];
        for (int j = 0; j < n; j++) {
            const double two = fused(x1, A[lda + j], fused(x0, A[j], y[j]));
            y[j] = fused(x3, A[3 * lda + j], fused(x2, A[2 * lda + j], two));
        }
    }
    for (; i < m; i++, A += lda)
        for (int j = 0; j < n; j++)
            y[j] = fused(-x[i * ldx], A[j], y[j]);
}

INLINE void backward_triangle(int rows, const double *D, ptrdiff_t ldd, const double *inverse, double *x)
{
    double t[CHAINS];

    UNROLL for (int i = 0; i < rows; i++) t[i] = x[i];
    UNROLL for (int i = rows - 1; i >= 0; i--)
    {
        t[i] *= inverse[i];
        UNROLL for (int r = 0; r < i; r++) t[r] = fused(-D[i * ldd + r], t[i], t[r]);
    }
    UNROLL for (int i = 0; i < rows; i++) x[i] = t[i];
}

/* x (n ≤ DEPTH, contiguous) ← L⁻ᵀx, from the bottom up. */
static void backward_vector(int n, const double *L, ptrdiff_t ldl, double *x)
{
    assert(n <= DEPTH);

    double inverse[DEPTH];
    int rows;

    invert_diagonal(n, L, ldl, inverse);
    for (int end = n; end > 0; end -= rows) {
        rows = end % CHAINS ? 1 : CHAINS;
        const int i = end - rows;
        if (rows == 1)
            x[i] *= inverse[i];
        else
            backward_triangle(CHAINS, L + i * ldl + i, ldl, inverse + i, x + i);
        subtract_rows(rows, i, L + (end - 1) * ldl, -ldl, x + end - 1, -1, x);
    }
}

/*
 * b ← L⁻ᵀb: each block first loses the rows of L below it times what is already solved, the last block of
 * rows first.
 */
static void solve_vector_transposed(int n, const double *L, ptrdiff_t ldl, double *b, ptrdiff_t ldb)
{
    double x[DEPTH];

    for (int end = n, depth; end > 0; end -= depth) {
        depth = end % DEPTH ? end % DEPTH : DEPTH;
        const int k = end - depth;
        for (int i = 0; i < depth; i++)
            x[i] = b[(k + i) * ldb];
        for (int low = n, rows; low > end; low -= rows) {
            rows = low % DEPTH ? low % DEPTH : DEPTH;
            const int first = low - rows;
            subtract_rows(rows, depth, L + first * ldl + k, ldl, b + first * ldb, ldb, x);
        }
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
