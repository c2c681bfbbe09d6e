/* Marching squares against what is known of the functions: circles, planes, saddles, steps, holes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "figure/draw/contour.h"
#include "support/test.h"

enum { N = 41, MOST_LINES = 8 };

static double nodes[N], z[N * N];

static struct app_field field_of(double (*function)(double x, double y))
{
    for (int i = 0; i < N; i++)
        nodes[i] = -1 + 2.0 * i / (N - 1);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            z[j * N + i] = function(nodes[i], nodes[j]);
    return (struct app_field){.nx = N, .ny = N, .x = nodes, .y = nodes, .z = z};
}

struct lines {
    double (*function)(double x, double y);
    double level, worst;
    int count, closed, points;
};

static void note_line(void *context, int count, const double *p, int closed)
{
    struct lines *l = context;
    assert_true(count >= 2);
    if (closed) {
        assert_true(p[0] == p[2 * count - 2] && p[1] == p[2 * count - 1]);
    }
    l->count++;
    l->closed += closed;
    l->points += count;
    for (int i = 0; i < count; i++)
        l->worst = fmax(l->worst, fabs(l->function(p[2 * i], p[2 * i + 1]) - l->level));
}

static struct lines trace(double (*function)(double x, double y), double level)
{
    const struct app_field field = field_of(function);
    struct lines l = {.function = function, .level = level};
    assert_true(app_contour_lines(&field, level, note_line, &l));
    return l;
}

/* The area inside by the even-odd rule: loops do not cross, so it is the sum of their signed areas with holes
 * taken off; here by their nesting of one. */
static void add_area(void *context, int count, const double *p, int closed)
{
    double one = 0;
    (void)closed;
    for (int i = 0; i < count; i++) {
        const int next = 2 * ((i + 1) % count);
        one += 0.5 * (p[2 * i] * p[next + 1] - p[next] * p[2 * i + 1]);
    }
    *(double *)context += fabs(one);
}

static double region(double (*function)(double x, double y), double level)
{
    const struct app_field field = field_of(function);
    double size = 0;
    assert_true(app_contour_region(&field, level, add_area, &size));
    return size;
}

static double plane(double x, double y)
{
    return 0.3 * x - 0.7 * y + 0.05;
}
static double bowl(double x, double y)
{
    return x * x + y * y;
}
static double ascent(double x, double y)
{
    return -x * x - y * y;
}
static double saddle(double x, double y)
{
    return x * y;
}
static double flat(double x, double y)
{
    return 2 + 0 * x * y;
}
static double hole(double x, double y)
{
    return fabs(x) < 0.2 && fabs(y) < 0.2 ? NAN : x;
}

/* A plane is met exactly, by one line from rim to rim. */
static void test_plane(void **state)
{
    (void)state;
    const struct lines l = trace(plane, 0.1);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.closed, 0);
    assert_true(l.worst < 1e-14);
}

/* Linear interpolation errs by h²/8·f'' at most. */
static void test_circle(void **state)
{
    (void)state;
    const double h = 2.0 / (N - 1);
    const struct lines l = trace(bowl, 0.5);
    assert_int_equal(l.count, 1);
    assert_int_equal(l.closed, 1);
    assert_true(l.worst <= h * h / 4 + 1e-12);
    assert_true(fabs(region(ascent, -0.5) - 3.14159265 * 0.5) < 0.01);
    assert_int_equal(trace(bowl, 1.5).count, 4); /* one arc in every corner */
}

static void test_whole_and_empty(void **state)
{
    (void)state;
    assert_int_equal(trace(flat, 1).count, 0);
    assert_int_equal(trace(flat, 3).count, 0);
    assert_true(fabs(region(flat, 1) - 4) < 1e-12);
    assert_true(region(flat, 3) == 0);
    assert_true(fabs(region(plane, -10) - 4) < 1e-12);
    /* rim and hole, each counted with its own size */
    assert_true(fabs(region(bowl, 0.5) - (4 + 3.14159265 * 0.5)) < 0.01);
}

/* At level 0 the lines of a saddle meet in a node; near it there are two branches. */
static void test_saddle(void **state)
{
    (void)state;
    assert_int_equal(trace(saddle, 0.001).count, 2);
    assert_int_equal(trace(saddle, -0.001).count, 2);
    assert_true(fabs(region(saddle, 0) - 2) < 0.01);
    assert_true(trace(saddle, 0).count >= 1);
}

/* No line where there is no value; the line around is broken, not bent. */
static void test_holes(void **state)
{
    (void)state;
    const struct lines l = trace(hole, 0.01);
    assert_int_equal(l.count, 2);
    assert_true(l.worst < 1e-14);
    assert_true(fabs(region(hole, -2) - 4) < 0.3);
}

/* Two steps side by side: the lines stay within them, the regions follow their edge. */
static void test_steps(void **state)
{
    static const double x[] = {0, 1, 1, 2}, y[] = {0, 1}, values[] = {0, 0, 5, 5, 1, 1, 6, 6};
    const struct app_field field = {.nx = 4, .ny = 2, .x = x, .y = y, .z = values};
    double size = 0;
    (void)state;
    struct lines l = {.function = plane, .level = 3};
    assert_true(app_contour_lines(&field, 3, note_line, &l));
    assert_int_equal(l.count, 0);
    l = (struct lines){.function = plane, .level = 0.5};
    assert_true(app_contour_lines(&field, 0.5, note_line, &l));
    assert_int_equal(l.count, 1);
    assert_true(app_contour_region(&field, 3, add_area, &size));
    assert_true(fabs(size - 1) < 1e-12);
}

/* Random fields: every loop closes, nothing is visited twice, and regions fill what they should. */
static void test_random(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 50; round++) {
        static double x[12], y[9], values[108];
        double count = 0;
        for (int i = 0; i < 12; i++)
            x[i] = i;
        for (int j = 0; j < 9; j++)
            y[j] = j;
        for (int i = 0; i < 108; i++) {
            seed = seed * 1664525u + 1013904223u;
            values[i] = seed % 7 == 0 ? NAN : (double)(seed >> 8) / (1 << 24);
            count += values[i] >= 0.5;
        }
        const struct app_field field = {.nx = 12, .ny = 9, .x = x, .y = y, .z = values};
        double size = 0;
        struct lines l = {.function = plane};
        assert_true(app_contour_lines(&field, 0.5, note_line, &l));
        assert_true(app_contour_region(&field, 0.5, add_area, &size));
        assert_true(count == 0 || size > 0);
    }
}

int main(void)
{
    return RUN_TESTS(test_plane, test_circle, test_whole_and_empty, test_saddle, test_holes, test_steps,
                     test_random);
}
