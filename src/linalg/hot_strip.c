/*
 * The register tile in all its shapes, and strips of it: products and triangular solves of at most WIDTH
 * columns (strip.h).
 */
#include "linalg/strip.h"

#include <assert.h>

/* C ← sign·A·T, plus C when keep. */
INLINE void update_tile(int rows, int nv, int k, struct operand A, const double *T, double sign, int keep,
                        double *C, ptrdiff_t ldc)
{
    lanes acc[ROWS][VECTORS];

    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
        acc[i][j] = keep ? sign * load(C + i * ldc + j * LANES) : (lanes){0};
    accumulate(rows, nv, k, A, T, WIDTH, acc);
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < nv; j++)
        store(C + i * ldc + j * LANES, sign * acc[i][j]);
}

/* Row i of the tile is solved: x ← −x·inverse, which goes to its rows of T and C. */
INLINE void solve_row(int nv, double inverse, lanes x[VECTORS], double *T, double *C)
{
    UNROLL for (int j = 0; j < nv; j++)
    {
        x[j] *= -inverse;
        store(T + j * LANES, x[j]);
        store(C + j * LANES, x[j]);
    }
}

/*
 * Rows k … of the strip: x ← D⁻¹(C − A·T), where L holds A (k columns) and then the triangle D; x goes to C
 * and to T's row k. Until its row is solved x is negative.
 */
INLINE void forward_tile(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse,
                         double *T, double *C, ptrdiff_t ldc)
{
    lanes x[ROWS][VECTORS];

    load_negative(rows, nv, C, ldc, x);
    accumulate(rows, nv, k, (struct operand){L, ldl, 1}, T, WIDTH, x);
    T += (ptrdiff_t)k * WIDTH;
    L += k;
    UNROLL for (int i = 0; i < rows; i++)
    {
        solve_row(nv, inverse[i], x[i], T + i * WIDTH, C + i * ldc);
        UNROLL for (int r = i + 1; r < rows; r++) UNROLL for (int j = 0; j < nv; j++)
            x[r][j] = fused_lanes(splat(L[r * ldl + i]), x[i][j], x[r][j]);
    }
}

/*
 * The first rows of the strip T: x ← D⁻ᵀ(C − Aᵀ·T'), where L holds the triangle D with A (k rows) below it,
 * T' follows them. From the bottom up, as the triangle is solved.
 */
INLINE void backward_tile(int rows, int nv, int k, const double *L, ptrdiff_t ldl, const double *inverse,
                          double *T, double *C, ptrdiff_t ldc)
{
    const int last = rows + k - 1;
    lanes x[ROWS][VECTORS];

    load_negative(rows, nv, C, ldc, x);
    accumulate(rows, nv, k, (struct operand){L + last * ldl, 1, -ldl}, T + last * WIDTH, -WIDTH, x);
    UNROLL for (int i = rows - 1; i >= 0; i--)
    {
        solve_row(nv, inverse[i], x[i], T + i * WIDTH, C + i * ldc);
        UNROLL for (int r = 0; r < i; r++) UNROLL for (int j = 0; j < nv; j++)
            x[r][j] = fused_lanes(splat(L[i * ldl + r]), x[i][j], x[r][j]);
    }
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
static void update(int rows, int nv, int k, struct operand A, const double *T, double sign, int keep,
                   double *C, ptrdiff_t ldc)
{
    const struct operand by_rows = {A.data, A.row, 1};
    const struct operand by_columns = {A.data, 1, A.column};

    if (A.column == 1)
        DISPATCH(rows, nv, update_tile, k, by_rows, T, sign, keep, C, ldc)
    else
        DISPATCH(rows, nv, update_tile, k, by_columns, T, sign, keep, C, ldc)
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

/*
 * C ← sign·A·T (+ C) for a tile that the matrix's edge or diagonal cuts: row i has only min(w, first + i)
 * columns.
 */
static void update_edge(int rows, int w, int first, int k, struct operand A, const double *T, double sign,
                        int keep, double *C, ptrdiff_t ldc)
{
    _Alignas(64) double tile[ROWS * WIDTH] = {0};

    for (int i = 0; i < rows && keep; i++)
        copy_row(smaller(w, first + i), C + i * ldc, tile + i * WIDTH);
    update(rows, vectors_for(smaller(w, first + rows - 1)), k, A, T, sign, keep, tile, WIDTH);
    for (int i = 0; i < rows; i++)
        copy_row(smaller(w, first + i), tile + i * WIDTH, C + i * ldc);
}

void update_strip(int m, int w, int first, int k, struct operand A, const double *T, double sign, int keep,
                  double *C, ptrdiff_t ldc)
{
    assert(w > 0 && w <= WIDTH);

    for (int i = 0, rows; i < m; i += rows) {
        rows = tile_rows(m - i);
        const struct operand a = {A.data + i * A.row, A.row, A.column};
        if (first + i >= w && w % LANES == 0)
            update(rows, w / LANES, k, a, T, sign, keep, C + i * ldc, ldc);
        else
            update_edge(rows, w, first + i, k, a, T, sign, keep, C + i * ldc, ldc);
    }
}

void copy_in(int n, int w, const double *B, ptrdiff_t ldb, double *T)
{
    assert(w > 0 && w <= WIDTH);

    for (int i = 0; i < n; i++, T += WIDTH) {
        if (w % LANES)
            store(T + w - w % LANES, (lanes){0});
        copy_row(w, B + i * ldb, T);
    }
}

static void copy_out(int n, int w, const double *T, double *B, ptrdiff_t ldb)
{
    for (int i = 0; i < n; i++)
        copy_row(w, T + i * WIDTH, B + i * ldb);
}

void forward_strip(int n, int nv, const double *L, ptrdiff_t ldl, const double *inverse, double *T, double *C,
                   ptrdiff_t ldc)
{
    for (int i = 0, rows; i < n; i += rows) {
        rows = tile_rows(n - i);
        forward(rows, nv, i, L + i * ldl, ldl, inverse + i, T, C + i * ldc, ldc);
    }
}

/*
 * As forward_strip for L⁻ᵀC, from the bottom; the ragged tiles come first so that the others start at
 * multiples of ROWS.
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

void solve_strip(int n, int w, int transposed, const double *L, ptrdiff_t ldl, const double *inverse,
                 double *T, double *B, ptrdiff_t ldb)
{
    assert(n <= DEPTH && w > 0 && w <= WIDTH);

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
