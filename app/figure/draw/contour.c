/*
 * Marching squares. Every edge of the grid that a level crosses is a point; every cell joins two of its
 * crossed edges, or twice two at a saddle, which the mean of the corners decides. An edge belongs to two
 * cells, so it has two neighbours at most, and lines are found by walking from edge to edge: first those that
 * end at the rim, then the closed ones. Cost O(nx·ny) a level.
 */
#include "figure/draw/contour.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Edges of cell (i, j): 0 below, 1 right, 2 above, 3 left. */
enum { BELOW, RIGHT, ABOVE, LEFT };

/*
 * Pairs of edges by the corners that are at the level or above: bit 0 (i, j), 1 (i+1, j), 2 (i+1, j+1), 3 (i,
 * j+1); saddles apart.
 */
static const signed char joins[16][2] = {
    {-1, -1},       {LEFT, BELOW},  {BELOW, RIGHT}, {LEFT, RIGHT},  {RIGHT, ABOVE}, {-1, -1},
    {BELOW, ABOVE}, {LEFT, ABOVE},  {LEFT, ABOVE},  {BELOW, ABOVE}, {-1, -1},       {RIGHT, ABOVE},
    {LEFT, RIGHT},  {BELOW, RIGHT}, {LEFT, BELOW},  {-1, -1},
};

struct walk {
    const struct app_field *f;
    int rim; /* nodes that were added around the field whose edges `between` knows */
    double level;
    int (*link)[2]; /* per edge: the edges that it is joined to, -1: none */
    char *seen;
    double *points;
    int count;
};

/* Edges along x are numbered first, then those along y; each by its first node. */
static int edge_of(const struct app_field *f, int i, int j, int side)
{
    const int node = (side == ABOVE ? j + 1 : j) * f->nx + (side == RIGHT ? i + 1 : i);

    return side == BELOW || side == ABOVE ? node : f->nx * f->ny + node;
}

static void join(struct walk *w, int a, int b)
{
    w->link[a][w->link[a][0] >= 0] = b;
    w->link[b][w->link[b][0] >= 0] = a;
}

static void join_cell(struct walk *w, int i, int j)
{
    const struct app_field *f = w->f;
    const double z[4] = {f->z[j * f->nx + i], f->z[j * f->nx + i + 1], f->z[(j + 1) * f->nx + i + 1],
                         f->z[(j + 1) * f->nx + i]};
    int code = 0;

    /* Which corners lie above the level. */
    for (int k = 0; k < 4; k++) {
        if (isnan(z[k]))
            return;
        code |= (z[k] >= w->level) << k;
    }

    /* Two lines through a saddle, where its middle says; one or none elsewhere. */
    if (code == 5 || code == 10) {
        const int high = 0.25 * z[0] + 0.25 * z[1] + 0.25 * z[2] + 0.25 * z[3] >= w->level;
        const int around_first = high == (code == 10); /* corners 0 and 2, else 1 and 3 */
        join(w, edge_of(f, i, j, around_first ? LEFT : BELOW),
             edge_of(f, i, j, around_first ? BELOW : RIGHT));
        join(w, edge_of(f, i, j, around_first ? RIGHT : LEFT), edge_of(f, i, j, ABOVE));
    } else if (joins[code][0] >= 0)
        join(w, edge_of(f, i, j, joins[code][0]), edge_of(f, i, j, joins[code][1]));
}

/* How far from its first node, (i, j), the level lies on the edge. */
static double share_of(const struct walk *w, int i, int j, int along_y, double a, double b)
{
    const struct app_field *f = w->f;
    const int nx = f->nx - 2 * w->rim;
    const int ny = f->ny - 2 * w->rim;
    const int x = i - w->rim;
    const int y = j - w->rim;
    const int inside = x >= 0 && y >= 0 && x + !along_y < nx && y + along_y < ny;

    if (!f->between || !inside)
        return (w->level - a) / (b - a);
    return f->between(f->context, y * nx + x + (along_y ? nx * ny : 0), a, b, w->level);
}

/* Where the level lies on the edge. */
static void add_point(struct walk *w, int edge)
{
    const struct app_field *f = w->f;
    const int along_y = edge >= f->nx * f->ny;
    const int node = along_y ? edge - f->nx * f->ny : edge;
    const int i = node % f->nx;
    const int j = node / f->nx;
    const double a = f->z[node];
    const double b = f->z[along_y ? node + f->nx : node + 1];
    const double t = share_of(w, i, j, along_y, a, b);
    const double x1 = f->x[along_y ? i : i + 1];
    const double y1 = f->y[along_y ? j + 1 : j];

    w->points[2 * w->count] = f->x[i] + t * (x1 - f->x[i]);
    w->points[2 * w->count + 1] = f->y[j] + t * (y1 - f->y[j]);
    w->count++;
}

static void follow(struct walk *w, int start, app_line_visit *visit, void *context)
{
    int edge = start;
    int before = -1;
    int next;

    w->count = 0;

    /* Edge by edge, until it ends or comes round. */
    for (;; before = edge, edge = next) {
        w->seen[edge] = 1;
        add_point(w, edge);
        next = w->link[edge][w->link[edge][0] == before && before >= 0];
        if (next < 0 || w->seen[next])
            break;
    }

    const int closed = next == start && w->count > 2;
    if (closed)
        add_point(w, start);
    if (w->count > 1)
        visit(context, w->count, w->points, closed);
}

/* rim: 1 where nodes were added around the field; then lines go over steps too. */
static int trace(const struct app_field *f, double level, int rim, app_line_visit *visit, void *context)
{
    const size_t edges = 2 * (size_t)f->nx * (size_t)f->ny;
    struct walk w = {f,
                     rim,
                     level,
                     malloc(edges * sizeof *w.link),
                     calloc(edges, 1),
                     malloc((edges + 1) * 2 * sizeof(double)),
                     0};
    const int made = w.link && w.seen && w.points;

    assert(f->nx > 1 && f->ny > 1);
    if (made) {
        /* The edges that each cell joins. */
        memset(w.link, -1, edges * sizeof *w.link);
        for (int j = 0; j + 1 < f->ny; j++)
            for (int i = 0; i + 1 < f->nx; i++)
                if (rim || (f->x[i] != f->x[i + 1] && f->y[j] != f->y[j + 1]))
                    join_cell(&w, i, j);

        /* Lines that end somewhere first, then those that close. */
        for (int ends = 1; ends >= 0; ends--)
            for (size_t e = 0; e < edges; e++)
                if (!w.seen[e] && w.link[e][0] >= 0 && (!ends || w.link[e][1] < 0))
                    follow(&w, (int)e, visit, context);
    }

    free(w.link);
    free(w.seen);
    free(w.points);
    return made;
}

int app_contour_lines(const struct app_field *f, double level, app_line_visit *visit, void *context)
{
    return f->nx < 2 || f->ny < 2 || trace(f, level, 0, visit, context);
}

/* A rim of low nodes, at the places of the outermost ones, closes every line along the edge of the grid. */
int app_contour_region(const struct app_field *f, double level, app_line_visit *visit, void *context)
{
    static const double low = -1e300;
    const int nx = f->nx + 2;
    const int ny = f->ny + 2;
    double *block = malloc(((size_t)nx * (size_t)ny + (size_t)nx + (size_t)ny) * sizeof *block);

    if (!block)
        return 0;

    /* The field with its rim. */
    double *z = block;
    double *x = z + (size_t)nx * (size_t)ny;
    double *y = x + nx;
    for (int i = 0; i < nx; i++)
        x[i] = f->x[i < 1 ? 0 : i > f->nx ? f->nx - 1 : i - 1];
    for (int j = 0; j < ny; j++)
        y[j] = f->y[j < 1 ? 0 : j > f->ny ? f->ny - 1 : j - 1];
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int inside = i > 0 && i <= f->nx && j > 0 && j <= f->ny;
            const double value = inside ? f->z[(j - 1) * f->nx + i - 1] : low;
            z[j * nx + i] = isnan(value) ? low : value;
        }

    /* Its lines as loops. */
    const struct app_field padded = {nx, ny, x, y, z, f->between, f->context};
    const int made = trace(&padded, level, 1, visit, context);
    free(block);
    return made;
}
