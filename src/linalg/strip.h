/*
 * What the hot dense kernels share: the shape of the register tile for the target that a file is compiled
 * for, vectors, and the strips of strip.c. For files that are compiled once per instruction set; its types
 * never leave them.
 *
 * All cubic work goes through one register tile, ROWS rows by up to VECTORS vectors, which forms A·T for a
 * strip T: DEPTH rows of at most WIDTH columns, packed so that it stays in the first-level cache. Each
 * algorithm walks the matrix in blocks of DEPTH and, within a block, in strips: it brings a strip into T,
 * solves it there against the block's triangle and subtracts its product from the rest of the strip's
 * columns. Vectors always run along T's columns, so the left operand is only broadcast and needs no packing,
 * neither as A nor as Aᵀ.
 *
 * Each element is one chain of fused multiply-adds in the order of k, from its own value on: the shape of the
 * tile changes no bit. Only the pivots of a factorisation come in groups, of PIVOTS in every variant.
 */
#ifndef CKG_LINALG_STRIP_H
#define CKG_LINALG_STRIP_H

#include <stddef.h>
#include <string.h>

#include "base/threads.h"
#include "linalg/lanes.h"
#include "linalg/variant.h"

/*
 * The accumulators fill most of the registers: 24 of 32, 12 of 16, 16 of 32, 8 of 16 (without FMA products
 * need some too).
 */
#if defined(__AVX512F__)
enum { ROWS = 8, VECTORS = 3 };
#define MASK_EVEN_1 0, 8, 2, 10, 4, 12, 6, 14
#define MASK_ODD_1 1, 9, 3, 11, 5, 13, 7, 15
#define MASK_EVEN_2 0, 1, 8, 9, 4, 5, 12, 13
#define MASK_ODD_2 2, 3, 10, 11, 6, 7, 14, 15
#define MASK_EVEN_4 0, 1, 2, 3, 8, 9, 10, 11
#define MASK_ODD_4 4, 5, 6, 7, 12, 13, 14, 15
#define TRANSPOSE_STAGES(x) STAGE(x, 1) STAGE(x, 2) STAGE(x, 4)
#elif defined(__FMA__)
enum { ROWS = 4, VECTORS = 3 };
#define MASK_EVEN_1 0, 4, 2, 6
#define MASK_ODD_1 1, 5, 3, 7
#define MASK_EVEN_2 0, 1, 4, 5
#define MASK_ODD_2 2, 3, 6, 7
#define TRANSPOSE_STAGES(x) STAGE(x, 1) STAGE(x, 2)
#else
#if defined(__aarch64__)
enum { ROWS = 4, VECTORS = 4 };
#else
enum { ROWS = 4, VECTORS = 2 };
#endif
#define MASK_EVEN_1 0, 2
#define MASK_ODD_1 1, 3
#define TRANSPOSE_STAGES(x) STAGE(x, 1)
#endif

/* DEPTH is a multiple of WIDTH, WIDTH of ROWS and ROWS of LANES: only the ends of a matrix are ragged. */
enum { WIDTH = LANES * VECTORS, DEPTH = 144, PIVOTS = 4 };

_Static_assert(DEPTH % WIDTH == 0 && WIDTH % ROWS == 0 && ROWS % LANES == 0, "whole tiles");
_Static_assert(ROWS % PIVOTS == 0, "whole groups of pivots");
_Static_assert(ROWS <= 8 && VECTORS <= 4, "DISPATCH has no larger shapes");

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

/*
 * The left operand of a product: element (i, k) is data[i·row + k·column], and one of the two strides is 1.
 */
struct operand {
    const double *data;
    ptrdiff_t row, column;
};

static inline int round_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline int vectors_for(int width)
{
    return (width + LANES - 1) / LANES;
}

/* Rows of the next tile when n rows are left: a full tile, or the largest power of two. */
static inline int tile_rows(int n)
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

/* One butterfly of a transpose: exchange bit `step` of the row and the lane number. */
#define STAGE(x, step)                                                                                       \
    UNROLL for (int i = 0; i < LANES; i++) if (!(i & (step)))                                                \
    {                                                                                                        \
        const lanes a = (x)[i], b = (x)[i + (step)];                                                         \
        (x)[i] = __builtin_shufflevector(a, b, MASK_EVEN_##step);                                            \
        (x)[i + (step)] = __builtin_shufflevector(a, b, MASK_ODD_##step);                                    \
    }

INLINE void transpose_square(lanes x[LANES]){TRANSPOSE_STAGES(x)}

/*
 * acc (rows×nv vectors) ← acc + A·T over k terms, one after the other; `down` is the step from a row of T to
 * the next one, WIDTH or −WIDTH. Constant rows and nv keep acc in registers once the callers inline this.
 */
INLINE void accumulate(int rows, int nv, int k, struct operand A, const double *T, ptrdiff_t down,
                       lanes acc[ROWS][VECTORS])
{
    for (int p = 0; p < k; p++) {
        lanes t[VECTORS];
        UNROLL for (int j = 0; j < nv; j++) t[j] = load(T + j * LANES);
        UNROLL for (int i = 0; i < rows; i++)
        {
            const lanes a = splat(A.data[i * A.row]);
            UNROLL for (int j = 0; j < nv; j++) acc[i][j] = fused_lanes(a, t[j], acc[i][j]);
        }
        A.data += A.column;
        T += down;
    }
}

/*
 * x (rows×nv vectors) ← −C. A difference C − A·T is summed as −(−C + A·T), which rounds alike and needs no
 * negative factors.
 */
INLINE void load_negative(int rows, int nv, const double *C, ptrdiff_t ldc, lanes x[ROWS][VECTORS])
{
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
        x[i][j] = -load(C + i * ldc + j * LANES);
}

/* --- functions of one file that the others call, each under the name of its variant --- */

#define update_strip CKG__VARIANT_NAME(ckg__update_strip)
#define copy_in CKG__VARIANT_NAME(ckg__copy_in)
#define forward_strip CKG__VARIANT_NAME(ckg__forward_strip)
#define solve_strip CKG__VARIANT_NAME(ckg__solve_strip)
#define hot_dot CKG__VARIANT_NAME(ckg__hot_dot)
#define hot_cholesky CKG__VARIANT_NAME(ckg__hot_cholesky)
#define hot_solve_lower CKG__VARIANT_NAME(ckg__hot_solve_lower)
#define hot_solve_lower_transposed CKG__VARIANT_NAME(ckg__hot_solve_lower_transposed)
#define hot_inverse_from_cholesky CKG__VARIANT_NAME(ckg__hot_inverse_from_cholesky)

/*
 * C (m×w) ← sign·A·T (+ C when keep) over k terms, sign 1 or −1; in row i only the first min(w, first + i)
 * columns.
 */
void update_strip(int m, int w, int first, int k, struct operand A, const double *T, double sign, int keep,
                  double *C, ptrdiff_t ldc);

/* T (n×w) ← B, zero up to whole vectors. */
void copy_in(int n, int w, const double *B, ptrdiff_t ldb, double *T);

/* C, of whole vectors, ← L⁻¹C for the n×n block L; T receives a copy of the result. C may be T. */
void forward_strip(int n, int nv, const double *L, ptrdiff_t ldl, const double *inverse, double *T, double *C,
                   ptrdiff_t ldc);

/* B (n×w) and T ← L⁻¹B, or L⁻ᵀB when transposed. */
void solve_strip(int n, int w, int transposed, const double *L, ptrdiff_t ldl, const double *inverse,
                 double *T, double *B, ptrdiff_t ldb);

/* The rows of struct ckg__dense_ops. */
double hot_dot(int n, const double *x, const double *y);
int hot_cholesky(int n, double *A, int lda, const struct ckg__workers *workers);
void hot_solve_lower(int n, int m, const double *L, int ldl, double *B, int ldb);
void hot_solve_lower_transposed(int n, int m, const double *L, int ldl, double *B, int ldb);
int hot_inverse_from_cholesky(int n, double *A, int lda, const struct ckg__workers *workers);

/* inverse (n) ← 1/L_ii. */
static inline void invert_diagonal(int n, const double *L, ptrdiff_t ldl, double *inverse)
{
    for (int i = 0; i < n; i++)
        inverse[i] = 1.0 / L[i * ldl + i];
}

/* --- shared out: a step over a block and what lies below or beside it, strip by strip --- */

/* What the tasks of a step work on; which of the numbers they read is theirs to know. */
struct step {
    int n, depth, k;
    double *A;
    ptrdiff_t lda;
    const double *inverse, *squares, *triangle;
};

static inline int strips(int n)
{
    return (n + WIDTH - 1) / WIDTH;
}

/* Multiply-adds of a strip of a block times `rows` rows. */
static inline double strip_work(int rows, int depth)
{
    return (double)rows * depth * WIDTH;
}

#endif
