/*
 * Where a label stands on a line: in a gap that is straight, inside the chart and away from marks and other
 * labels; above a line that is too short for a gap.
 */
#include "figure/draw/line_labels.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"

/* How far a step on the page goes; nothing overflows there. */
static double distance(double right, double down)
{
    return sqrt(right * right + down * down);
}

/* No mark hides what is written there, unless there are so many that no place is left. */
static int is_bare(const struct app_labels *m, double x, double y)
{
    for (const struct app_layer *l = m->panel->first; l; l = l->next)
        for (int i = 0; l->kind == APP_LAYER_MARKS && l->points.count <= 150 && i < l->points.count; i++) {
            const struct app_point *p = &l->points.at[i];
            const double far = distance(app_chart_x(m->chart, p->x) - x, app_chart_y(m->chart, p->y) - y);
            if (far < (l->shape == APP_STAR ? 24 : 15))
                return 0;
        }
    return 1;
}

/* And no other label is near. */
static int is_free(const struct app_labels *m, double x, double y)
{
    for (int i = 0; i < m->count; i++)
        if (distance(m->place[i][0] - x, m->place[i][1] - y) < 58)
            return 0;
    return m->count < APP_MOST_LABELS && is_bare(m, x, y);
}

/* Whether a label may stand there without leaving the chart. */
static int is_inside(const struct app_labels *m, const double *at)
{
    const struct app_box *b = &m->chart->box;

    return at[0] > b->x + 18 && at[0] < b->x + b->width - 18 && at[1] > b->y + 18 &&
           at[1] < b->y + b->height - 10;
}

/* A straight stretch of the line, `length` long, for a label: points from … to, or 0 when there is none. */
static int find_stretch(const struct app_labels *m, int count, const double *p, double length, int *from,
                        int *to)
{
    const struct app_box *b = &m->chart->box;
    double best = 0.9; /* how straight it must be: the chord by the way along the line */
    int found = 0;

    for (int a = 0; a < count; a++) {
        double along = 0;
        int e = a;

        /* As far along the line as the label is long. */
        for (; e + 1 < count && along < length; e++)
            along += distance(p[2 * e + 2] - p[2 * e], p[2 * e + 3] - p[2 * e + 1]);
        if (along < length)
            break;

        /* Straight, within the box and free of everything else. */
        const double x = 0.5 * (p[2 * a] + p[2 * e]);
        const double y = 0.5 * (p[2 * a + 1] + p[2 * e + 1]);
        const double chord = distance(p[2 * e] - p[2 * a], p[2 * e + 1] - p[2 * a + 1]);
        const double straight = chord / along;
        const double margin = 0.5 * length;
        if (straight > best && x > b->x + margin && x < b->x + b->width - margin && y > b->y + 12 &&
            y < b->y + b->height - 12 && is_free(m, x, y)) {
            best = straight;
            *from = a;
            *to = e;
            found = 1;
        }
    }
    return found;
}

static double length_of(int count, const double *p)
{
    double length = 0;

    for (int i = 0; i + 1 < count; i++)
        length += distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]);
    return length;
}

/* `lift`: how far above the line it stands; 0: in a gap of it. */
static void draw_label(struct app_labels *m, const double *p, int from, int to, double lift)
{
    const double dx = p[2 * to] - p[2 * from];
    const double dy = p[2 * to + 1] - p[2 * from + 1];
    const double x = 0.5 * (p[2 * from] + p[2 * to]);
    const double y = 0.5 * (p[2 * from + 1] + p[2 * to + 1]);
    double angle = atan2(dy, dx);

    if (angle > 1.56) /* never upside down, and upwards where it stands upright */
        angle -= 3.14159265358979;
    else if (angle < -1.58)
        angle += 3.14159265358979;

    const struct app_lettering letters = {9.5, APP_INK_TEXT, APP_MIDDLE, 0, angle * 180 / 3.14159265358979};
    const double down = 3.3 - lift;
    app_draw_letters(m->chart->canvas, x - down * sin(angle), y + down * cos(angle), &letters, m->text);

    assert(m->count < APP_MOST_LABELS);
    m->place[m->count][0] = x;
    m->place[m->count++][1] = y;
}

/*
 * Points at most 6 apart along the line, so that a label can cut it anywhere; *count of them, the caller's to
 * free. NULL without memory.
 */
static double *refine(int *count, const double *p)
{
    size_t total = 1;

    for (int i = 0; i + 1 < *count; i++)
        total += 1 + (size_t)(distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]) / 6);

    double *fine = malloc(total * 2 * sizeof *fine);
    int n = 0;

    for (int i = 0; fine && i + 1 < *count; i++) {
        const int parts = 1 + (int)(distance(p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]) / 6);
        for (int k = 0; k < parts; k++, n++)
            for (int c = 0; c < 2; c++)
                fine[2 * n + c] = p[2 * i + c] + (p[2 * i + 2 + c] - p[2 * i + c]) * k / parts;
    }

    if (fine)
        memcpy(fine + 2 * n++, p + 2 * (*count - 1), 2 * sizeof *fine);
    *count = n;
    return fine;
}

void app_labels_draw(struct app_labels *m, int count, const double *points, const struct app_pen *pen)
{
    struct app_path path = {0};
    double *p = refine(&count, points);
    int from = count;
    int to = count;

    if (!p) {
        m->chart->canvas->failed = 1;
        return;
    }

    /* The line with a gap for its label; above it where the label would leave little of the line. */
    const double wide = app_letters_width(m->text, 9.5) + 6;
    const double length = length_of(count, p);
    const int mid = count / 2;
    if (length > 2.2 * wide && find_stretch(m, count, p, wide, &from, &to))
        draw_label(m, p, from, to, 0);
    else if (length > 0.7 * wide && length <= 2.2 * wide && count > 1 && is_inside(m, p + 2 * mid) &&
             is_free(m, p[2 * mid], p[2 * mid + 1]))
        draw_label(m, p, 0, count - 1, 7);
    for (int i = 0; i < count; i++)
        if (i <= from || i >= to)
            (i == 0 || i == to ? app_path_move : app_path_line)(&path, p[2 * i], p[2 * i + 1]);
    app_draw(m->chart->canvas, &path, pen);
    free(p);
}
