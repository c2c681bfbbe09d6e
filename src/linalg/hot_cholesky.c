/*
 * Cholesky, n³/3 flops: L₂₁ = A₂₁L₁₁⁻ᵀ, A₂₂ −= L₂₁L₂₁ᵀ; T = L₁₁⁻¹A₂₁ᵀ is the transposed result and the right
 * operand at once (strip.h has the tile).
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "linalg/strip.h"

/* Rows of the left operand that a pass over the strips keeps in the second-level cache. */
enum { CHUNK = 20 * 24 };

_Static_assert(CHUNK % WIDTH == 0, "whole strips");

/* Fewer strips than this are not worth sharing. */
enum { SHARED = 4 };

/* Vectors that hold the columns of a group of pivots, in some lanes or in all. */
enum { GROUP = (int)PIVOTS > (int)LANES ? PIVOTS / LANES : 1 };

/*
 * The square of PIVOTS rows d on the diagonal, whose columns begin in lane `lane`: eliminated as UᵀDU, which
 * keeps the square roots off the critical path, then scaled to Cholesky. inverse receives the reciprocals of
 * the diagonal.
 */
INLINE void factor_square(int lane, lanes d[PIVOTS][GROUP], double *pivot, double *inverse)
{
    UNROLL for (int i = 0; i < PIVOTS; i++)
    {
        pivot[i] = d[i][(lane + i) / LANES][(lane + i) % LANES];
        const double reciprocal = -1.0 / pivot[i];
        UNROLL for (int r = i + 1; r < PIVOTS; r++)
        {
            const lanes factor = splat((d[i][(lane + r) / LANES] * reciprocal)[(lane + r) % LANES]);
            UNROLL for (int v = 0; v < GROUP; v++) d[r][v] = fused_lanes(factor, d[i][v], d[r][v]);
        }
    }
    for (int i = 0; i < PIVOTS; i++)
        inverse[i] = 1.0 / sqrt(pivot[i]);
    UNROLL for (int i = 0; i < PIVOTS; i++) UNROLL for (int v = 0; v < GROUP; v++) d[i][v] *= inverse[i];
}

/* The lanes of d where the group's columns are, those of x elsewhere. */
INLINE lanes join(int lane, lanes d, lanes x)
{
    lane_bits mask = {0};

    UNROLL for (int l = 0; l < LANES; l++) mask[l] = l >= lane && l < lane + PIVOTS ? UINT64_MAX : 0;
    return (lanes)((mask & (lane_bits)d) | (~mask & (lane_bits)x));
}

/*
 * PIVOTS rows of the tile x from row `first` on, where their own square is: it is factored, and all other
 * columns are solved against it as those of later strips are.
 */
INLINE void eliminate_pivots(int nv, int first, lanes x[ROWS][VECTORS], double *pivot, double *inverse)
{
    const int own = first / LANES;
    const int lane = first % LANES;
    lanes d[PIVOTS][GROUP];

    UNROLL for (int i = 0; i < PIVOTS; i++) UNROLL for (int v = 0; v < GROUP; v++)
        d[i][v] = x[first + i][own + v];
    factor_square(lane, d, pivot + first, inverse + first);
    UNROLL for (int i = 0; i < PIVOTS; i++)
    {
        UNROLL for (int j = 0; j < nv; j++) x[first + i][j] *= inverse[first + i];
        UNROLL for (int r = i + 1; r < PIVOTS; r++)
        {
            const lanes factor = splat(-d[i][(lane + r) / LANES][(lane + r) % LANES]);
            UNROLL for (int j = 0; j < nv; j++)
                x[first + r][j] = fused_lanes(factor, x[first + i][j], x[first + r][j]);
        }
    }
    UNROLL for (int i = 0; i < PIVOTS; i++) UNROLL for (int v = 0; v < GROUP; v++)
        x[first + i][own + v] = join(lane, d[i][v], x[first + i][own + v]);
}

/* The rows of the tile x behind those PIVOTS lose their products with them. */
INLINE void eliminate_rest(int nv, int first, lanes x[ROWS][VECTORS])
{
    UNROLL for (int r = first + PIVOTS; r < ROWS; r++) UNROLL for (int i = first; i < first + PIVOTS; i++)
    {
        const lanes factor = splat(-x[i][r / LANES][r % LANES]);
        UNROLL for (int j = 0; j < nv; j++) x[r][j] = fused_lanes(factor, x[i][j], x[r][j]);
    }
}

/*
 * Rows k … k+ROWS−1 of the strip T, whose first column is also matrix column k: subtract the product of the k
 * rows above, then factor. Returns 0 or the bad pivot's number from 1; a subnormal pivot is bad because its
 * reciprocal overflows.
 */
INLINE int factor_tile(int nv, int k, double *T, double *inverse)
{
    lanes x[ROWS][VECTORS];
    double pivot[ROWS];

    load_negative(ROWS, nv, T + (ptrdiff_t)k * WIDTH, WIDTH, x);
    accumulate(ROWS, nv, k, (struct operand){T, 1, WIDTH}, T, WIDTH, x);
    UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int j = 0; j < nv; j++) x[i][j] = -x[i][j];
    UNROLL for (int first = 0; first < ROWS; first += PIVOTS)
    {
        eliminate_pivots(nv, first, x, pivot, inverse);
        eliminate_rest(nv, first, x);
    }
    T += (ptrdiff_t)k * WIDTH;
    UNROLL for (int i = 0; i < ROWS; i++) UNROLL for (int j = 0; j < nv; j++)
        store(T + i * WIDTH + j * LANES, x[i][j]);
    for (int i = 0; i < ROWS; i++)
        if (!(pivot[i] >= DBL_MIN && pivot[i] <= DBL_MAX))
            return i + 1;
    return 0;
}

static int factor(int nv, int k, double *T, double *inverse)
{
    if (nv == 1 && (int)ROWS <= (int)LANES)
        return factor_tile(1, k, T, inverse);
    if (nv == 2)
        return factor_tile(2, k, T, inverse);
    return factor_tile(VECTORS, k, T, inverse);
}

INLINE void load_square(const double *A, ptrdiff_t lda, lanes x[LANES])
{
    UNROLL for (int i = 0; i < LANES; i++) x[i] = load(A + i * lda);
}

/* T (k×w) ← the transpose of w rows of A, zero up to whole tiles. */
static void transpose_in(int w, int k, const double *A, ptrdiff_t lda, double *T)
{
    lanes x[LANES];

    for (int i = 0; i < round_up(w, ROWS); i += LANES)
        for (int j = 0; j < k; j += LANES) {
            const int rows = smaller(LANES, w - i);
            const int columns = smaller(LANES, k - j);
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
    lanes x[LANES];

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
    lanes x[LANES];

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
    assert(n >= 0 && n <= DEPTH);

    for (int k = 0; k < n; k += WIDTH) {
        const int w = smaller(WIDTH, n - k);
        const int nv = round_up(w, ROWS) / LANES;
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
    assert(depth <= n);

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

/* A strip of L₂₁. */
static void solve_below(void *context, int index, int worker)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    const struct step *s = context;
    const int i = s->depth + index * WIDTH;
    const int w = smaller(WIDTH, s->n - i);
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
    const int i = s->depth + index * WIDTH;
    const int w = smaller(WIDTH, s->n - i);
    double *rows = s->A + i * s->lda;

    (void)worker;
    transpose_in(w, s->depth, rows, s->lda, T);
    update_strip(s->n - i, w, 1, s->depth, (struct operand){rows, s->lda, 1}, T, -1.0, 1, rows + i, s->lda);
}

int hot_cholesky(int n, double *A, int lda, const struct ckg__workers *workers)
{
    assert(n >= 0 && lda >= n);

    _Alignas(64) double T[DEPTH * WIDTH];
    double inverse[DEPTH];

    for (int k = 0; k < n; k += DEPTH) {
        double *block = A + (ptrdiff_t)k * lda + k;
        const int depth = smaller(DEPTH, n - k);
        const int below = strips(n - k - depth);
        const int bad = factor_block(depth, block, lda, inverse, T);
        if (bad)
            return k + bad;
        if (workers && below >= SHARED) {
            struct step step = {.n = n - k, .depth = depth, .A = block, .lda = lda, .inverse = inverse};
            if (ckg__workers_run(workers, below, strip_work(depth, depth), solve_below, &step) ||
                ckg__workers_run(workers, below, strip_work(n - k, depth), update_below, &step))
                return -1;
        } else if (below) {
            eliminate_below(n - k, depth, inverse, block, lda, T);
        }
    }
    return 0;
}
