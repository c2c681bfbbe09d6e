/* The inverse from the factor, 2n³/3 flops: W = L⁻¹ in place, then (LLᵀ)⁻¹ = WᵀW in place (strip.h has the
 * tile). */
#include <assert.h>

#include "linalg/strip.h"

/*
 * A strip of the block's own inverse: the n×w left end of L⁻¹ for the n×n triangle L, which it overwrites. T
 * starts as the identity.
 */
static void invert_strip(int n, int w, double *L, ptrdiff_t ldl, const double *inverse, double *T)
{
    assert(w > 0 && w <= WIDTH && w <= n);

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
    const int below = s->k + s->depth;
    const int j = index * WIDTH;
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
    const int first = s->k + s->depth + index * CHUNK_BELOW;
    const int rows = smaller(CHUNK_BELOW, s->n - first);
    const double *T = s->triangle;

    (void)worker;
    for (int j = 0; j < s->depth; j += WIDTH) {
        const int w = smaller(WIDTH, s->depth - j);
        double *under = s->A + first * s->lda + s->k + j;
        update_strip(rows, w, w, s->depth - j, (struct operand){under, s->lda, 1}, T, -1.0, 0, under, s->lda);
        T += (s->depth - j) * WIDTH;
    }
}

/* L ← L⁻¹ in place: the solve of LX = I, block by block. −1 when the team was to give up. */
static int invert_lower(int n, double *A, ptrdiff_t lda, const struct ckg__workers *workers)
{
    _Alignas(64) double triangle[DEPTH * (DEPTH + WIDTH) / 2];
    double inverse[DEPTH];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        const int below = n - k - depth;
        double *block = A + k * lda + k;
        double *T = triangle;
        struct step step = {
            .n = n, .depth = depth, .k = k, .A = A, .lda = lda, .inverse = inverse, .triangle = triangle};
        invert_diagonal(depth, block, lda, inverse);
        if (ckg__workers_run(workers, strips(k), strip_work(n - k, depth), invert_left, &step))
            return -1;
        for (int j = 0; j < depth; j += WIDTH) {
            invert_strip(depth - j, smaller(WIDTH, depth - j), block + j * lda + j, lda, inverse + j, T);
            T += (depth - j) * WIDTH;
        }
        if (ckg__workers_run(workers, (below + CHUNK_BELOW - 1) / CHUNK_BELOW,
                             (double)CHUNK_BELOW * depth * depth, invert_under, &step))
            return -1;
    }
    return 0;
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
        const struct operand square = {squares + i * ROWS, 1, ROWS};
        const struct operand rest = {W + under * ldw + i, 1, ldw};
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
    double *row = s->A + s->k * s->lda;
    double *strip = row + index * WIDTH;

    (void)worker;
    copy_in(s->depth, WIDTH, strip, s->lda, T);
    multiply_triangle(s->depth, 0, WIDTH, WIDTH, row + s->k, s->lda, s->squares, T, strip, s->lda);
}

/* The lower triangle of W ← that of WᵀW, in place: block row by block row; −1 as above. */
static int square_lower(int n, double *A, ptrdiff_t lda, const struct ckg__workers *workers)
{
    _Alignas(64) double T[DEPTH * WIDTH];
    double squares[DEPTH * ROWS];

    for (int k = 0; k < n; k += DEPTH) {
        const int depth = smaller(DEPTH, n - k);
        double *block = A + k * lda + k;
        struct step step = {.n = n, .depth = depth, .k = k, .A = A, .lda = lda, .squares = squares};
        copy_diagonal_squares(depth, block, lda, squares);
        if (ckg__workers_run(workers, strips(k), strip_work(k, depth), square_above, &step) ||
            ckg__workers_run(workers, strips(k), strip_work(depth, depth), square_beside, &step))
            return -1;
        for (int j = 0; j < depth; j += WIDTH) {
            const int w = smaller(WIDTH, depth - j);
            copy_in(depth, w, block + j, lda, T);
            for (int i = j; i < j + w; i++)
                for (int c = i - j + 1; c < w; c++)
                    T[i * WIDTH + c] = 0.0;
            multiply_triangle(depth, j, w, 1 - j, block, lda, squares, T, block + j, lda);
        }
    }
    return 0;
}

int hot_inverse_from_cholesky(int n, double *A, int lda, const struct ckg__workers *workers)
{
    assert(n >= 0 && lda >= n);

    const int status = invert_lower(n, A, lda, workers);
    return status ? status : square_lower(n, A, lda, workers);
}
