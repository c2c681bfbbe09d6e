/*
 * Dense kernels on row-major matrices: Cholesky, triangular solves, inverse from the factor, products.
 *
 * All cubic work goes through one register tile, ROWS rows by up to VECTORS vectors, which forms A·T for a
 * strip T: DEPTH rows of at most WIDTH columns, packed so that it stays in the first-level cache. Each
 * algorithm walks the matrix in blocks of DEPTH and, within a block, in strips: it brings a strip into T,
 * solves it there against the block's triangle and subtracts its product from the rest of the strip's
 * columns. Vectors always run along T's columns, so the left operand is only broadcast and needs no packing,
 * neither as A nor as Aᵀ.
 *
 *   Cholesky   n³/3 flops   L₂₁ = A₂₁L₁₁⁻ᵀ, A₂₂ −= L₂₁L₂₁ᵀ; T = L₁₁⁻¹A₂₁ᵀ is the transposed result and the
 * right operand at once solves     n²m          B₁ ← L₁₁⁻¹B₁, B₂ −= L₂₁B₁, and the mirror image for L⁻ᵀ
 *   inverse    2n³/3        W = L⁻¹ in place, then (LLᵀ)⁻¹ = WᵀW in place
 *
 * The tile is written with the compiler's vector extension; the width follows from the target that this file
 * is compiled for.
 */
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/variant.h"

/*
 * The accumulators fill most of the registers: 24 of 32, 12 of 16, 16 of 32, 8 of 16 (without FMA products
 * need some too).
 */
#if defined(__AVX512F__)
enum { LANES = 8, ROWS = 8, VECTORS = 3 };
#define MASK_EVEN_1 0, 8, 2, 10, 4, 12, 6, 14
#define MASK_ODD_1 1, 9, 3, 11, 5, 13, 7, 15
#define MASK_EVEN_2 0, 1, 8, 9, 4, 5, 12, 13
#define MASK_ODD_2 2, 3, 10, 11, 6, 7, 14, 15
#define MASK_EVEN_4 0, 1, 2, 3, 8, 9, 10, 11
#define MASK_ODD_4 4, 5, 6, 7, 12, 13, 14, 15
#define TRANSPOSE_STAGES(x) STAGE(x, 1) STAGE(x, 2) STAGE(x, 4)
#elif defined(__AVX__)
enum { LANES = 4, ROWS = 4, VECTORS = 3 };
#define MASK_EVEN_1 0, 4, 2, 6
#define MASK_ODD_1 1, 5, 3, 7
#define MASK_EVEN_2 0, 1, 4, 5
#define MASK_ODD_2 2, 3, 6, 7
#define TRANSPOSE_STAGES(x) STAGE(x, 1) STAGE(x, 2)
#else
#if defined(__aarch64__)
enum { LANES = 2, ROWS = 4, VECTORS = 4 };
#else
enum { LANES = 2, ROWS = 4, VECTORS = 2 };
#endif
#define MASK_EVEN_1 0, 2
#define MASK_ODD_1 1, 3
#define TRANSPOSE_STAGES(x) STAGE(x, 1)
#endif

/* DEPTH is a multiple of WIDTH, WIDTH of ROWS and ROWS of LANES: only the ends of a matrix are ragged. */
enum { WIDTH = LANES * VECTORS, DEPTH = 144 };

/* Rows of the left operand that a pass over the strips keeps in the second-level cache. */
enum { CHUNK = 20 * 24 };

_Static_assert(DEPTH % WIDTH == 0 && CHUNK % WIDTH == 0 && WIDTH % ROWS == 0 && ROWS % LANES == 0,
               "whole tiles");
_Static_assert(ROWS <= 8 && VECTORS <= 4, "DISPATCH has no larger shapes");

#define INLINE static inline __attribute__((always_inline))

/*
 * Unrolled, the arrays of vectors below become registers. Sanitisers would check every unrolled access:
 * minutes to compile.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNROLL
#elif !defined(__clang__)
#define UNROLL _Pragma("GCC unroll 16")
#elif __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer) ||                     \
    __has_feature(memory_sanitizer)
#define UNROLL
#else
#define UNROLL _Pragma("clang loop unroll(full)")
#endif

typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef double memory_vec __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/*
 * The left operand of a product: element (i, k) is data[i·row + k·column], and one of the two strides is 1.
 */
struct operand {
    const double *data;
    ptrdiff_t row, column;
};

INLINE vec load(const double *p)
{
    return *(const memory_vec *)p;
}

INLINE void store(double *p, vec x)
{
    *(memory_vec *)p = x;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

static int vectors_for(int width)
{
    return (width + LANES - 1) / LANES;
}

/* Rows of the next tile when n rows are left: a full tile, or the largest power of two. */
static int tile_rows(int n)
{
    if (n >= ROWS)
        return ROWS;
    return n >= 4 ? 4 : n >= 2 ? 2 : 1;
}

/* to ← from, n doubles. Short rows are too many to call memcpy for each. */
INLINE void copy_row(int n, const double *from, double *to)
{
    for (; n >= LANES; n -= LANES, from += LANES, to += LANES)
        store(to, load(from));
    if (LANES > 4 && n & 4)
        memcpy(to, from, 4 * sizeof *to);
    if (LANES > 2 && n & 2)
        memcpy(to + (n & 4), from + (n & 4), 2 * sizeof *to);
    if (n & 1)
        to[n - 1] = from[n - 1];
}

/*
 * acc (rows×nv vectors) ← A·T over k terms. Constant rows and nv keep acc in registers once the callers
 * inline this.
 */
INLINE void accumulate(int rows, int nv, int k, struct operand A, const double *T, vec acc[ROWS][VECTORS])
{
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++) acc[i][j] = (vec){0};
    for (int p = 0; p < k; p++) {
        vec t[VECTORS];
        UNROLL for (int j = 0; j < nv; j++) t[j] = load(T + j * LANES);
        UNROLL for (int i = 0; i < rows; i++)
        {
            const double a = A.data[i * A.row];
            UNROLL for (int j = 0; j < nv; j++) acc[i][j] += a * t[j];
        }
        A.data += A.column;
        T += WIDTH;
    }
}

/* C ← alpha·A·T, plus C when keep. */
INLINE void update_tile(int rows, int nv, int k, struct operand A, const double *T, double alpha, int keep,
                        double *C, ptrdiff_t ldc)
{
    vec acc[ROWS][VECTORS];

    accumulate(rows, nv, k, A, T, acc);
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
    {
        double *c = C + i * ldc + j * LANES;
        store(c, keep ? load(c) + alpha * acc[i][j] : alpha * acc[i][j]);
    }
}

/*
 * Rows k … of the strip: x ← D⁻¹(C − A·T), where L holds A (k columns) and then the triangle D; x goes to C
 * and to T's row k.
 */
INLINE void forward_tile(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse,
                         double *T, double *C, ptrdiff_t ldc)
{
    vec x[ROWS][VECTORS];

    accumulate(rows, nv, k, (struct operand){L, ldl, 1}, T, x);
    T += (ptrdiff_t)k * WIDTH;
    L += k;
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
        x[i][j] = load(C + i * ldc + j * LANES) - x[i][j];
    UNROLL for (int i = 0; i < rows; i++)
    {
        UNROLL for (int j = 0; j < nv; j++)
        {
            x[i][j] *= inverse[i];
            store(T + i * WIDTH + j * LANES, x[i][j]);
            store(C + i * ldc + j * LANES, x[i][j]);
        }
        UNROLL for (int r = i + 1; r < rows; r++) UNROLL for (int j = 0; j < nv; j++)
            x[r][j] -= L[r * ldl + i] * x[i][j];
    }
}

/*
 * The first rows of the strip T: x ← D⁻ᵀ(C − Aᵀ·T'), where L holds the triangle D with A (k rows) below it,
 * T' follows them.
 */
INLINE void backward_tile(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse,
                          double *T, double *C, ptrdiff_t ldc)
{
    vec x[ROWS][VECTORS];

    accumulate(rows, nv, k, (struct operand){L + rows * ldl, 1, ldl}, T + rows * WIDTH, x);
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
        x[i][j] = load(C + i * ldc + j * LANES) - x[i][j];
    UNROLL for (int i = rows - 1; i >= 0; i--)
    {
        UNROLL for (int j = 0; j < nv; j++)
        {
            x[i][j] *= inverse[i];
            store(T + i * WIDTH + j * LANES, x[i][j]);
            store(C + i * ldc + j * LANES, x[i][j]);
        }
        UNROLL for (int r = 0; r < i; r++) UNROLL for (int j = 0; j < nv; j++)
            x[r][j] -= L[i * ldl + r] * x[i][j];
    }
}

/*
 * Rows k … k+ROWS−1 of the strip T, whose first column is also matrix column k: subtract the product of the k
 * rows above, then eliminate as UᵀDU, which keeps the square roots off the critical path, and scale to
 * Cholesky. Returns 0 or the bad pivot's number from 1; a subnormal pivot is bad because its reciprocal
 * overflows.
 */
INLINE int factor_tile(int nv, int k, double *T, double *inverse)
{
    vec x[ROWS][VECTORS];
    double pivot[ROWS];

    accumulate(ROWS, nv, k, (struct operand){T, 1, WIDTH}, T, x);
    T += (ptrdiff_t)k * WIDTH;
    UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int j = 0; j < nv; j++)
        x[i][j] = load(T + i * WIDTH + j * LANES) - x[i][j];
    UNROLL for (int i = 0; i < ROWS; i++)
    {
        pivot[i] = x[i][i / LANES][i % LANES];
        const double reciprocal = 1.0 / pivot[i];
        UNROLL for (int r = i + 1; r < ROWS; r++)
        {
            const double factor = (x[i][r / LANES] * reciprocal)[r % LANES];
            UNROLL for (int j = 0; j < nv; j++) x[r][j] -= factor * x[i][j];
        }
    }
    for (int i = 0; i < ROWS; i++)
        inverse[i] = 1.0 / sqrt(pivot[i]);
    UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int j = 0; j < nv; j++)
        store(T + i * WIDTH + j * LANES, x[i][j] * inverse[i]);
    for (int i = 0; i < ROWS; i++)
        if (!(pivot[i] >= DBL_MIN && pivot[i] <= DBL_MAX))
            return i + 1;
    return 0;
}

/*
 * One instance of a tile for each of its shapes; shapes that this target does not use vanish at compile time.
 */
#define SHAPE(rows, nv, tile, ...)                                                                           \
    case (rows)*8 + (nv):                                                                                    \
        if ((rows) <= ROWS && (nv) <= VECTORS)                                                               \
            tile(rows, nv, __VA_ARGS__);                                                                     \
        break;
#define SHAPES(rows, tile, ...)                                                                              \
    SHAPE(rows, 1, tile, __VA_ARGS__)                                                                        \
    SHAPE(rows, 2, tile, __VA_ARGS__)                                                                        \
    SHAPE(rows, 3, tile, __VA_ARGS__)                                                                        \
    SHAPE(rows, 4, tile, __VA_ARGS__)
#define DISPATCH(rows, nv, tile, ...)                                                                        \
    switch ((rows)*8 + (nv)) {                                                                               \
        SHAPES(8, tile, __VA_ARGS__)                                                                         \
        SHAPES(4, tile, __VA_ARGS__)                                                                         \
        SHAPES(2, tile, __VA_ARGS__)                                                                         \
        SHAPES(1, tile, __VA_ARGS__)                                                                         \
    }

/* Fixing the stride that is 1 lets the compiler address with the other one alone. */
static void update(int rows, int nv, int k, struct operand A, const double *T, double alpha, int keep,
                   double *C, ptrdiff_t ldc)
{
    const struct operand by_rows = {A.data, A.row, 1}, by_columns = {A.data, 1, A.column};

    if (A.column == 1)
        DISPATCH(rows, nv, update_tile, k, by_rows, T, alpha, keep, C, ldc)
    else
        DISPATCH(rows, nv, update_tile, k, by_columns, T, alpha, keep, C, ldc)
}

static void forward(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse, double *T,
                    double *C, ptrdiff_t ldc)
{
    DISPATCH(rows, nv, forward_tile, k, L, ldl, inverse, T, C, ldc)
}

static void backward(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse,
                     double *T, double *C, ptrdiff_t ldc)
{
    DISPATCH(rows, nv, backward_tile, k, L, ldl, inverse, T, C, ldc)
}

static int factor(int nv, int k, double *T, double *inverse)
{
    if (nv == 1 && ROWS <= LANES)
        return factor_tile(1, k, T, inverse);
    if (nv == 2)
        return factor_tile(2, k, T, inverse);
    return factor_tile(VECTORS, k, T, inverse);
}

/*
 * C ← alpha·A·T (+ C) for a tile that the matrix's edge or diagonal cuts: row i has only min(w, first + i)
 * columns.
 */
static void update_edge(int rows, int w, int first, int k, struct operand A, const double *T, double alpha,
                        int keep, double *C, ptrdiff_t ldc)
{
    _Alignas(64) double tile[ROWS * WIDTH] = {0};

    for (int i = 0; i < rows && keep; i++)
        copy_row(smaller(w, first + i), C + i * ldc, tile + i * WIDTH);
    update(rows, vectors_for(smaller(w, first + rows - 1)), k, A, T, alpha, keep, tile, WIDTH);
    for (int i = 0; i < rows; i++)
        copy_row(smaller(w, first + i), tile + i * WIDTH, C + i * ldc);
}

/* C (m×w) ← alpha·A·T (+ C) over k terms, in row i only the first min(w, first + i) columns. */
static void update_strip(int m, int w, int first, int k, struct operand A, const double *T, double alpha,
                         int keep, double *C, ptrdiff_t ldc)
{
    for (int i = 0, rows; i < m; i += rows) {
        rows = tile_rows(m - i);
        const struct operand a = {A.data + i * A.row, A.row, A.column};
        if (first + i >= w && w % LANES == 0)
            update(rows, w / LANES, k, a, T, alpha, keep, C + i * ldc, ldc);
        else
            update_edge(rows, w, first + i, k, a, T, alpha, keep, C + i * ldc, ldc);
    }
}

/* T (n×w) ← B, zero up to whole vectors. */
static void copy_in(int n, int w, const double *B, ptrdiff_t ldb, double *T)
{
    for (int i = 0; i < n; i++, T += WIDTH) {
        if (w % LANES)
            store(T + w - w % LANES, (vec){0});
        copy_row(w, B + i * ldb, T);
    }
}

static void copy_out(int n, int w, const double *T, double *B, ptrdiff_t ldb)
{
    for (int i = 0; i < n; i++)
        copy_row(w, T + i * WIDTH, B + i * ldb);
}

/* C, of whole vectors, ← L⁻¹C for the n×n block L; T receives a copy of the result. C may be T. */
static void forward_strip(int n, int nv, const double *L, ptrdiff_t ldl, const double *inverse, double *T,
                          double *C, ptrdiff_t ldc)
{
    for (int i = 0, rows; i < n; i += rows) {
        rows = tile_rows(n - i);
        forward(rows, nv, i, L + i * ldl, ldl, inverse + i, T, C + i * ldc, ldc);
    }
}

/*
 * The same for L⁻ᵀC, from the bottom; the ragged tiles come first so that the others start at multiples of
 * ROWS.
 */
static void backward_strip(int n, int nv, const double *L, ptrdiff_t ldl, const double *inverse, double *T,
                           double *C, ptrdiff_t ldc)
{
    for (int end = n, rows; end > 0; end -= rows) {
        rows = end % ROWS ? (end & -end) : ROWS;
        const int i = end - rows;
        backward(rows, nv, n - end, L + i * ldl + i, ldl, inverse + i, T + i * WIDTH, C + i * ldc, ldc);
    }
}

/* B (n×w) and T ← L⁻¹B, or L⁻ᵀB when transposed. */
static void solve_strip(int n, int w, int transposed, const double *L, ptrdiff_t ldl, const double *inverse,
                        double *T, double *B, ptrdiff_t ldb)
{
    const int whole = w % LANES == 0;
    double *C = whole ? B : T;
    const ptrdiff_t ldc = whole ? ldb : WIDTH;

    if (!whole)
        copy_in(n, w, B, ldb, T);
    if (transposed)
        backward_strip(n, vectors_for(w), L, ldl, inverse, T, C, ldc);
    else
        forward_strip(n, vectors_for(w), L, ldl, inverse, T, C, ldc);
    if (!whole)
        copy_out(n, w, T, B, ldb);
}

static void invert_diagonal(int n, const double *L, ptrdiff_t ldl, double *inverse)
{
    for (int i = 0; i < n; i++)
        inverse[i] = 1.0 / L[i * ldl + i];
}

/* One butterfly of a transpose: exchange bit `step` of the row and the lane number. */
#define STAGE(x, step)                                                                                       \
    UNROLL for (int i = 0; i < LANES; i++) if (!(i & (step)))                                                \
    {                                                                                                        \
        const vec a = (x)[i], b = (x)[i + (step)];                                                           \
        (x)[i] = __builtin_shufflevector(a, b, MASK_EVEN_##step);                                            \
        (x)[i + (step)] = __builtin_shufflevector(a, b, MASK_ODD_##step);                                    \
    }

INLINE void transpose_square(vec x[LANES]){TRANSPOSE_STAGES(x)}

INLINE void load_square(const double *A, ptrdiff_t lda, vec x[LANES])
{
    UNROLL for (int i = 0; i < LANES; i++) x[i] = load(A + i * lda);
}

/* T (k×w) ← the transpose of w rows of A, zero up to whole tiles. */
static void transpose_in(int w, int k, const double *A, ptrdiff_t lda, double *T)
{
    vec x[LANES];

    for (int i = 0; i < round_up(w, ROWS); i += LANES)
        for (int j = 0; j < k; j += LANES) {
            const int rows = smaller(LANES, w - i), columns = smaller(LANES, k - j);
            if (rows == LANES && columns == LANES) {
                load_square(A + i * lda + j, lda, x);
            } else {
                double part[LANES * LANES] = {0};
                for (int r = 0; r < rows; r++)
                    copy_row(columns, A + (i + r) * lda + j, part + r * LANES);
                load_square(part, LANES, x);
            }
            transpose_square(x);
            UNROLL for (int r = 0; r < LANES; r++) store(T + (j + r) * WIDTH + i, x[r]);
        }
}

/* w rows of A ← the transpose of T (k×w); k is a multiple of LANES. */
static void transpose_out(int w, int k, const double *T, double *A, ptrdiff_t lda)
{
    vec x[LANES];

    for (int i = 0; i < w; i += LANES)
        for (int j = 0; j < k; j += LANES) {
            load_square(T + j * WIDTH + i, WIDTH, x);
            transpose_square(x);
            UNROLL for (int r = 0; r < LANES; r++) if (r < w - i) store(A + (i + r) * lda + j, x[r]);
        }
}

/* The same where row i has k + i + 1 columns. */
static void transpose_out_trapezium(int w, int k, const double *T, double *A, ptrdiff_t lda)
{
    vec x[LANES];

    for (int i = 0; i < w; i += LANES) {
        double *diagonal = A + i * lda + k + i;
        transpose_out(smaller(LANES, w - i), k + i, T + i, A + i * lda, lda);
        load_square(T + (k + i) * WIDTH + i, WIDTH, x);
        transpose_square(x);
        UNROLL for (int r = 0; r < LANES; r++) if (r < w - i)
        {
            double row[LANES];
            store(row, x[r]);
            copy_row(r + 1, row, diagonal + r * lda);
        }
    }
}

/* Continues the square of T that starts at row k with the identity, so that only whole tiles are factored. */
static void pad_with_identity(int w, int k, double *T)
{
    for (int i = w; i < round_up(w, ROWS); i++) {
        memset(T + (k + i) * WIDTH, 0, WIDTH * sizeof *T);
        T[(k + i) * WIDTH + i] = 1.0;
    }
}

/*
 * Cholesky of one block, n ≤ DEPTH, strip of rows after strip of rows: the rows left of the diagonal are a
 * forward solve, and the strip's own triangle continues the same transposed strip. What lies above the
 * diagonal is read but stays in its own lanes.
 */
static int factor_block(int n, double *A, ptrdiff_t lda, double *inverse, double *T)
{
    for (int k = 0; k < n; k += WIDTH) {
        const int w = smaller(WIDTH, n - k), nv = round_up(w, ROWS) / LANES;
        transpose_in(w, k + w, A + k * lda, lda, T);
        pad_with_identity(w, k, T);
        forward_strip(k, nv, A, lda, inverse, T, T, WIDTH);
        for (int i = 0; i < w; i += ROWS) {
            const int bad = factor(nv - i / LANES, k + i, T + i, inverse + k + i);
            if (bad)
                return k + i + bad;
        }
        transpose_out_trapezium(w, k, T, A + k * lda, lda);
    }
    return 0;
}

/*
 * The rows below a factored block: L₂₁ and its product with itself, CHUNK rows of L₂₁ at a time. Within a
 * chunk from the bottom up, so that the left operands, the rows below a strip of L₂₁, are already final; then
 * against the strips above the chunk.
 */
static void eliminate_below(int n, int depth, const double *inverse, double *A, ptrdiff_t lda, double *T)
{
    for (int start = depth; start < n; start += CHUNK) {
        const int end = smaller(n, start + CHUNK);
        for (int i = start + (end - start - 1) / WIDTH * WIDTH; i >= start; i -= WIDTH) {
            const int w = smaller(WIDTH, end - i);
            double *rows = A + i * lda;
            transpose_in(w, depth, rows, lda, T);
            forward_strip(depth, vectors_for(w), A, lda, inverse, T, T, WIDTH);
            transpose_out(w, depth, T, rows, lda);
            update_strip(end - i, w, 1, depth, (struct operand){rows, lda, 1}, T, -1.0, 1, rows + i, lda);
        }
        for (int j = depth; j < start; j += WIDTH) {
            double *rows = A + start * lda;
            transpose_in(WIDTH, depth, A + j * lda, lda, T);
            update_strip(end - start, WIDTH, WIDTH, depth, (struct operand){rows, lda, 1}, T, -1.0, 1,
                         rows + j, lda);
        }
    }
}

/* --- shared out: a step over a block and what lies below or beside it, strip by strip --- */

/* Fewer strips than this are not worth sharing. */
enum { SHARED = 4 };

/* What the tasks of a step work on; which of the numbers they read is theirs to know. */
struct step {
    int n, depth, k;
    double *A;
    ptrdiff_t lda;
    const double *inverse, *squares, *triangle;
};

static int strips(int n)
{
    return (n + WIDTH - 1) / WIDTH;
}

/* A strip of L₂₁. */
static void solve_below(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    const int i = s->depth + index * WIDTH, w = smaller(WIDTH, s->n - i);
    double *rows = s->A + i * s->lda;

    (void)worker;
    transpose_in(w, s->depth, rows, s->lda, T);
    forward_strip(s->depth, vectors_for(w), s->A, s->lda, s->inverse, T, T, WIDTH);
    transpose_out(w, s->depth, T, rows, s->lda);
}

/* A strip of columns of A₂₂ loses its part of L₂₁L₂₁ᵀ. */
static void update_below(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    const int i = s->depth + index * WIDTH, w = smaller(WIDTH, s->n - i);
    double *rows = s->A + i * s->lda;

    (void)worker;
    transpose_in(w, s->depth, rows, s->lda, T);
    update_strip(s->n - i, w, 1, s->depth, (struct operand){rows, s->lda, 1}, T, -1.0, 1, rows + i, s->lda);
}

static int cholesky(int n, double *A, int lda, const struct ckg__team *team)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    double inverse[DEPTH];

    for (int k = 0; k < n; k += DEPTH) {
        double *block = A + (ptrdiff_t)k * lda + k;
        const int depth = smaller(DEPTH, n - k), below = strips(n - k - depth);
        const int bad = factor_block(depth, block, lda, inverse, T);
        if (bad)
            return k + bad;
        if (team && below >= SHARED) {
            struct step step = {.n = n - k, .depth = depth, .A = block, .lda = lda, .inverse = inverse};
            ckg__team_run(team, below, solve_below, &step);
            ckg__team_run(team, below, update_below, &step);
        } else if (below) {
            eliminate_below(n - k, depth, inverse, block, lda, T);
        }
    }
    return 0;
}

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

static double dot(int n, const double *x, const double *y)
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
    double inverse[DEPTH], sums[ROWS];
    int i = 0;

    invert_diagonal(n, L, ldl, inverse);
    for (; i + ROWS <= n; i += ROWS) {
        row_dots(i, L + i * ldl, ldl, x, sums);
        for (int r = 0; r < ROWS; r++)
            x[i + r] -= sums[r];
        forward_triangle(L + i * ldl + i, ldl, inverse + i, x + i);
    }
    for (; i < n; i++)
        x[i] = (x[i] - dot(i, L + i * ldl, x)) * inverse[i];
}

/*
 * b ← L⁻¹b for one right-hand side with stride ldb: a solved block is gathered, then taken off the rows below
 * by dot products.
 */
static void solve_vector(int n, const double *L, ptrdiff_t ldl, double *b, ptrdiff_t ldb)
{
    double x[DEPTH], sums[ROWS];

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
            b[i * ldb] -= dot(depth, L + i * ldl + k, x);
    }
}

/* y (n) ← y − Σ_i x_i A_i over m rows of A, four at a time to spare y. */
static void subtract_rows(int m, int n, const double *A, ptrdiff_t lda, const double *x, ptrdiff_t ldx,
                          double *y)
{
    int i = 0;

    for (; i + 4 <= m; i += 4, A += 4 * lda) {
        const double x0 = x[i * ldx], x1 = x[(i + 1) * ldx], x2 = x[(i + 2) * ldx], x3 = x[(i + 3) * ldx];
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

static void solve_lower(int n, int m, const double *L, int ldl, double *B, int ldb)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    double inverse[DEPTH];

    if (m == 1) {
        solve_vector(n, L, ldl, B, ldb);
        return;
    }
    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k), below = k + depth;
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

static void solve_lower_transposed(int n, int m, const double *L, int ldl, double *B, int ldb)
{
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

/*
 * A strip of the block's own inverse: the n×w left end of L⁻¹ for the n×n triangle L, which it overwrites. T
 * starts as the identity.
 */
static void invert_strip(int n, int w, double *L, ptrdiff_t ldl, const double *inverse, double *T)
{
    memset(T, 0, (size_t)n * WIDTH * sizeof *T);
    for (int i = 0; i < w; i++)
        T[i * WIDTH + i] = 1.0;
    forward_strip(n, vectors_for(w), L, ldl, inverse, T, T, WIDTH);
    for (int i = 0; i < n; i++)
        memcpy(L + i * ldl, T + i * WIDTH, (size_t)smaller(w, i + 1) * sizeof *L);
}

/* A strip of columns left of the block k: solved there, and taken off the rows below. */
static void invert_left(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    const int below = s->k + s->depth, j = index * WIDTH;
    const double *block = s->A + s->k * s->lda + s->k;

    (void)worker;
    solve_strip(s->depth, WIDTH, 0, block, s->lda, s->inverse, T, s->A + s->k * s->lda + j, s->lda);
    update_strip(s->n - below, WIDTH, WIDTH, s->depth,
                 (struct operand){s->A + below * s->lda + s->k, s->lda, 1}, T, -1.0, 1,
                 s->A + below * s->lda + j, s->lda);
}

/*
 * CHUNK_BELOW rows below the block k, times the block's inverse. The inverse's strips stand in `triangle`,
 * one behind the other; they go from left to right, since the columns that one overwrites are never left
 * operands of a later one.
 */
enum { CHUNK_BELOW = 64 };

static void invert_under(void *context, int index, int worker)
{
    const struct step *s = context;
    const int first = s->k + s->depth + index * CHUNK_BELOW, rows = smaller(CHUNK_BELOW, s->n - first);
    const double *T = s->triangle;

    (void)worker;
    for (int j = 0; j < s->depth; j += WIDTH) {
        const int w = smaller(WIDTH, s->depth - j);
        double *under = s->A + first * s->lda + s->k + j;
        update_strip(rows, w, w, s->depth - j, (struct operand){under, s->lda, 1}, T, -1.0, 0, under, s->lda);
        T += (s->depth - j) * WIDTH;
    }
}

/* L ← L⁻¹ in place: the solve of LX = I, block by block. */
static void invert_lower(int n, double *A, ptrdiff_t lda, const struct ckg__team *team)
{
    _Alignas(64) double triangle[DEPTH * (DEPTH + WIDTH) / 2];
    double inverse[DEPTH];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k), below = n - k - depth;
        double *block = A + k * lda + k, *T = triangle;
        struct step step = {
            .n = n, .depth = depth, .k = k, .A = A, .lda = lda, .inverse = inverse, .triangle = triangle};
        invert_diagonal(depth, block, lda, inverse);
        ckg__team_run(team, strips(k), invert_left, &step);
        for (int j = 0; j < depth; j += WIDTH) {
            invert_strip(depth - j, smaller(WIDTH, depth - j), block + j * lda + j, lda, inverse + j, T);
            T += (depth - j) * WIDTH;
        }
        ckg__team_run(team, (below + CHUNK_BELOW - 1) / CHUNK_BELOW, invert_under, &step);
    }
}

/*
 * The squares on the diagonal of W, with zeros above it: row i of `squares` is row i of W from its tile's
 * first column on.
 */
static void copy_diagonal_squares(int n, const double *W, ptrdiff_t ldw, double *squares)
{
    memset(squares, 0, (size_t)n * ROWS * sizeof *squares);
    for (int i = 0, rows; i < n; i += rows) {
        rows = tile_rows(n - i);
        for (int r = 0; r < rows; r++)
            memcpy(squares + (i + r) * ROWS, W + (i + r) * ldw + i, (size_t)(r + 1) * sizeof *W);
    }
}

/*
 * C (n×w, from row `first` on) ← WᵀT for the n×n triangle W; of row i only the first min(w, i + edge)
 * columns.
 */
static void multiply_triangle(int n, int first, int w, int edge, const double *W, ptrdiff_t ldw,
                              const double *squares, const double *T, double *C, ptrdiff_t ldc)
{
    for (int i = 0, rows; i < n; i += rows) {
        rows = tile_rows(n - i);
        if (i < first)
            continue;
        const int under = i + rows;
        const struct operand square = {squares + i * ROWS, 1, ROWS}, rest = {W + under * ldw + i, 1, ldw};
        update_strip(rows, w, i + edge, rows, square, T + i * WIDTH, 1.0, 0, C + i * ldc, ldc);
        update_strip(rows, w, i + edge, n - under, rest, T + under * WIDTH, 1.0, 1, C + i * ldc, ldc);
    }
}

/* A strip of columns left of the block row k: its products go to the rows above. */
static void square_above(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    const int j = index * WIDTH;
    const double *row = s->A + s->k * s->lda;

    (void)worker;
    copy_in(s->depth, WIDTH, row + j, s->lda, T);
    update_strip(s->k - j, WIDTH, 1, s->depth, (struct operand){row + j, 1, s->lda}, T, 1.0, 1,
                 s->A + j * s->lda + j, s->lda);
}

/* Then the strip itself is replaced by its product with the block. */
static void square_beside(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    double *row = s->A + s->k * s->lda, *strip = row + index * WIDTH;

    (void)worker;
    copy_in(s->depth, WIDTH, strip, s->lda, T);
    multiply_triangle(s->depth, 0, WIDTH, WIDTH, row + s->k, s->lda, s->squares, T, strip, s->lda);
}

/* The lower triangle of W ← that of WᵀW, in place: block row by block row. */
static void square_lower(int n, double *A, ptrdiff_t lda, const struct ckg__team *team)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    double squares[DEPTH * ROWS];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        double *block = A + k * lda + k;
        struct step step = {.n = n, .depth = depth, .k = k, .A = A, .lda = lda, .squares = squares};
        copy_diagonal_squares(depth, block, lda, squares);
        ckg__team_run(team, strips(k), square_above, &step);
        ckg__team_run(team, strips(k), square_beside, &step);
        for (int j = 0; j < depth; j += WIDTH) {
            const int w = smaller(WIDTH, depth - j);
            copy_in(depth, w, block + j, lda, T);
            for (int i = j; i < j + w; i++)
                for (int c = i - j + 1; c < w; c++)
                    T[i * WIDTH + c] = 0.0;
            multiply_triangle(depth, j, w, 1 - j, block, lda, squares, T, block + j, lda);
        }
    }
}

static void inverse_from_cholesky(int n, double *A, int lda, const struct ckg__team *team)
{
    invert_lower(n, A, lda, team);
    square_lower(n, A, lda, team);
}

static void scale(int m, int n, double beta, double *C, ptrdiff_t ldc)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            C[i * ldc + j] = beta == 0.0 ? 0.0 : beta * C[i * ldc + j];
}

static void multiply_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                        double beta, double *C, int ldc)
{
    _Alignas(64) double T[DEPTH * WIDTH];

    if (k <= 0 || (beta != 0.0 && beta != 1.0))
        scale(m, n, beta, C, ldc);
    for (int p = 0; p < k; p += DEPTH) {
        const int depth = smaller(DEPTH, k - p), keep = p > 0 || beta != 0.0;
        const struct operand left = {A + (ptrdiff_t)p * lda, 1, lda};
        for (int j = 0; j < n; j += WIDTH) {
            const int w = smaller(WIDTH, n - j);
            copy_in(depth, w, B + (ptrdiff_t)p * ldb + j, ldb, T);
            update_strip(m, w, w, depth, left, T, alpha, keep, C + j, ldc);
        }
    }
}

/* y (nv vectors) ← Σ_i x_i A_i, or Σ_i A_i² when x is NULL. */
INLINE void sum_columns(int nv, int n, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    vec acc[8];

    UNROLL for (int v = 0; v < nv; v++) acc[v] = (vec){0};
    for (int i = 0; i < n; i++, A += lda)
        UNROLL for (int v = 0; v < nv; v++)
        {
            const vec a = load(A + v * LANES);
            acc[v] += x ? x[i] * a : a * a;
        }
    UNROLL for (int v = 0; v < nv; v++) store(y + v * LANES, acc[v]);
}

INLINE void sum_all_columns(int n, int m, const double *A, ptrdiff_t lda, const double *x, double *y)
{
    int j = 0;

    for (; j + 8 * LANES <= m; j += 8 * LANES)
        sum_columns(8, n, A + j, lda, x, y + j);
    for (; j + LANES <= m; j += LANES)
        sum_columns(1, n, A + j, lda, x, y + j);
    for (; j < m; j++) {
        y[j] = 0.0;
        for (int i = 0; i < n; i++)
            y[j] += (x ? x[i] : A[i * lda + j]) * A[i * lda + j];
    }
}

static void combine_rows(int n, int m, const double *A, int lda, const double *x, double *y)
{
    sum_all_columns(n, m, A, lda, x, y);
}

static void column_squares(int n, int m, const double *A, int lda, double *y)
{
    sum_all_columns(n, m, A, lda, NULL, y);
}

const struct ckg__dense_ops CKG__VARIANT_NAME(ckg__dense_ops) = {
    .cholesky = cholesky,
    .solve_lower = solve_lower,
    .solve_lower_transposed = solve_lower_transposed,
    .inverse_from_cholesky = inverse_from_cholesky,
    .multiply_tn = multiply_tn,
    .combine_rows = combine_rows,
    .column_squares = column_squares,
    .dot = dot,
};
