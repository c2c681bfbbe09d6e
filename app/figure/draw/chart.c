/* Axes with their ticks, frames, legends. */
#include "figure/draw/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/markup.h"

static const struct app_lettering tick_letters = {10, APP_INK_SOFT, APP_MIDDLE, 0, 0};
static const struct app_pen tick_pen = {.stroke = APP_INK_RULE, .width = 0.8},
                            grid_pen = {.stroke = APP_INK_GRID, .width = 0.8};

enum {
    NAME_CHARACTERS = 30,
    ROOMY_CHARACTERS = 60,
    LABEL_LINES = 3,
    TITLE_LINES = 3,
    NOTE_LINES = 3,
    NAME_LINES = 2,
    ROOMY_LINES = 3
};

static const double label_size = 11; /* of the names of axes, and how far their lines are apart */
static const double label_step = 13;
static const double tick_step = 11;
static const double name_width = 92; /* of a category beside an axis, and where it may take three lines */
static const double roomy_width = 150;

/* Between an axis and its tick labels there is room for a mark that lies on the axis. */
static const double tick_gap = 10;

/* What an axis of gaps has below 0, for marks that lie there. */
static const double gap_rim = 0.05;

/* --- axes --- */

struct app_axis app_axis_of(struct app_parameter p)
{
    struct app_axis axis = {
        .low = p.low, .high = p.high, .label = p.title, .problem = p.problem, .parameter = p.index};
    const int few = p.kind == CKG_INTEGER && p.high - p.low < APP_FEW;

    if (p.kind == CKG_CATEGORICAL) {
        axis.kind = APP_AXIS_NAMES;
        axis.count = p.count;
    } else if (few || (p.kind == CKG_INTEGER && p.scale != CKG_LOG))
        axis.kind = APP_AXIS_INTEGER;
    else
        axis.kind = p.scale == CKG_LOG ? APP_AXIS_LOG : APP_AXIS_LINEAR;
    if (p.kind == CKG_CATEGORICAL || few) {
        axis.low -= 0.5;
        axis.high += 0.5;
    }
    return axis;
}

const char *app_axis_name(const struct app_axis *a, int index)
{
    return a->names ? a->names[index] : ckg_problem_category(a->problem, a->parameter, index);
}

int app_name_lines(const char *name)
{
    char shortened[APP_SHORT];
    struct app_lines lines;

    return app_wrap(app_shorten(name, ROOMY_CHARACTERS, shortened), roomy_width, tick_letters.size,
                    ROOMY_LINES, &lines);
}

void app_range_add(struct app_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

struct app_axis app_axis_over(const struct app_range *range, const char *label)
{
    struct app_axis axis = {.low = range->low, .high = range->high, .label = label};

    if (!(axis.low <= axis.high)) {
        axis.low = 0;
        axis.high = 1;
    }

    /* Room at both ends; values that differ by rounding alone are one value. */
    const double largest = fmax(fabs(axis.low), fabs(axis.high));
    const double span = axis.high - axis.low;
    const double margin = span > 1e-12 * largest ? 0.05 * span : largest > 0 ? 0.1 * largest : 1;
    axis.low -= margin;
    axis.high += margin;
    return axis;
}

/* The logarithm of the odds: it spreads probabilities near 1 as they deserve. */
static double log_odds(double p)
{
    return log(p / (1 - p));
}

double app_axis_place(const struct app_axis *a, double value)
{
    if (a->kind == APP_AXIS_GAP)
        return gap_rim + (1 - gap_rim) * asinh(value / a->unit) / asinh(a->high / a->unit);
    if (a->kind == APP_AXIS_CHANCES)
        return (log_odds(value) - log_odds(a->low)) / (log_odds(a->high) - log_odds(a->low));
    return a->kind == APP_AXIS_LOG ? log(value / a->low) / log(a->high / a->low)
                                   : (value - a->low) / (a->high - a->low);
}

double app_axis_value(const struct app_axis *a, double place)
{
    return a->kind == APP_AXIS_LOG ? a->low * pow(a->high / a->low, place)
                                   : a->low + place * (a->high - a->low);
}

double app_chart_x(const struct app_chart *c, double value)
{
    return c->box.x + c->box.width * app_axis_place(&c->x, value);
}

double app_chart_y(const struct app_chart *c, double value)
{
    return c->box.y + c->box.height * (1 - app_axis_place(&c->y, value));
}

/* Some readers of SVG stumble over more. */
double app_chart_far_y(const struct app_chart *c, double value)
{
    const double y = app_chart_y(c, value);
    const double far = 2 * c->box.height;

    return fmin(fmax(y, c->box.y - far), c->box.y + c->box.height + far);
}

/* The ticks of an axis of that length; `each`: the room that a label takes along it. */
static void find_ticks(const struct app_axis *a, double length, double each, struct app_ticks *out)
{
    const int want = (int)fmax(2, length / each);

    out->count = out->exponent = 0;
    if (a->kind == APP_AXIS_LINEAR)
        app_ticks_linear(out, a->low, a->high, want, 0);
    else if (a->kind == APP_AXIS_INTEGER)
        app_ticks_linear(out, a->low, a->high, want, 1);
    else if (a->kind == APP_AXIS_LOG)
        app_ticks_log(out, a->low, a->high, want);
    else if (a->kind == APP_AXIS_GAP)
        app_ticks_gap(out, a->unit, a->high, want);
    else if (a->kind == APP_AXIS_CHANCES)
        app_ticks_chances(out, a->low, a->high);
    const int every = a->kind == APP_AXIS_NAMES ? 1 + (int)((a->count - 1) / fmax(1, length / 13)) : 1;
    for (int i = 0; a->kind == APP_AXIS_NAMES && i < a->count && out->count < APP_MAX_TICKS; i += every) {
        char name[APP_SHORT];
        struct app_tick *t = &out->tick[out->count++];
        t->value = i;
        snprintf(t->label, sizeof t->label, "%s",
                 app_shorten(app_axis_name(a, i), a->roomy ? ROOMY_CHARACTERS : NAME_CHARACTERS, name));
    }
}

static double widest(const struct app_ticks *ticks)
{
    double width = 0;

    for (int i = 0; i < ticks->count; i++)
        width = fmax(width, app_letters_width(ticks->tick[i].label, tick_letters.size));
    return width;
}

/* How the labels of ticks are written: level or upright, in how many lines of which width. */
struct manner {
    int upright;
    int lines;     /* at most, of one label */
    double width;  /* at most, of one line */
    double deep;   /* how far the labels reach from the axis */
    double across; /* and along it */
};

/* What labels take that are wrapped to that width. */
static void measure(const struct app_ticks *ticks, struct manner *m, int *whole)
{
    m->deep = m->across = 0;
    *whole = 1;
    for (int i = 0; i < ticks->count; i++) {
        struct app_lines lines;
        const int count = app_wrap(ticks->tick[i].label, m->width, tick_letters.size, m->lines, &lines);
        m->deep = fmax(m->deep, app_lines_width(&lines, tick_letters.size));
        m->across = fmax(m->across, 10 + (count - 1) * tick_step);
        *whole &= lines.whole;
    }
}

/* Categories along x: level where they fit whole, else upright, in two lines where there is room. */
static struct manner manner_of_names(const struct app_ticks *ticks, double width)
{
    const double each = width / fmax(1, ticks->count);
    struct manner level = {.lines = NAME_LINES, .width = each - 6};
    struct manner upright = {
        .upright = 1, .lines = each >= 2.2 * tick_step ? NAME_LINES : 1, .width = name_width};
    int whole;

    measure(ticks, &level, &whole);
    if (whole && level.width > 20) {
        const double swap = level.deep;
        level.deep = level.across;
        level.across = swap;
        return level;
    }
    measure(ticks, &upright, &whole);
    return upright;
}

/* Ticks along x, and how their labels are written. */
static struct manner ticks_x(const struct app_axis *a, double width, struct app_ticks *out)
{
    find_ticks(a, width, a->kind == APP_AXIS_LOG ? 40 : 52, out);
    if (a->kind == APP_AXIS_NAMES)
        return manner_of_names(out, width);
    if (widest(out) * out->count > 0.95 * width && a->kind != APP_AXIS_LOG)
        find_ticks(a, width, 1.5 * widest(out), out);
    return (struct manner){.lines = 1, .width = 1e9, .deep = 10};
}

static void ticks_y(const struct app_axis *a, double height, struct app_ticks *out)
{
    find_ticks(a, height, a->kind == APP_AXIS_NAMES ? 13 : 32, out);
}

/* How labels beside y are written. */
static struct manner manner_y(const struct app_axis *a, double height, const struct app_ticks *ticks)
{
    struct manner m = {.lines = a->roomy ? ROOMY_LINES : 1,
                       .width = a->roomy                    ? roomy_width
                                : a->kind == APP_AXIS_NAMES ? name_width
                                                            : 1e9};
    int whole;

    if (a->kind == APP_AXIS_NAMES && !a->roomy && height / fmax(1, ticks->count) >= 2.2 * tick_step)
        m.lines = NAME_LINES;
    measure(ticks, &m, &whole);
    return m;
}

/* --- room --- */

/* The name of an axis along a side of that length, with the power of ten that its ticks leave out. */
static int wrap_label(const char *label, int exponent, double room, struct app_lines *out)
{
    struct app_text all = {0};
    char power[64];

    app_text_print(&all, exponent ? "%s (%s)" : "%s", label, exponent ? app_exponent(exponent, power) : "");
    const int count = app_wrap(all.failed ? "" : all.data, fmax(room, 40), label_size, LABEL_LINES, out);
    app_text_free(&all);
    return count;
}

static double label_room(const char *label, int exponent, double room)
{
    struct app_lines lines;

    return label ? 5 + label_step * wrap_label(label, exponent, room, &lines) : 0;
}

double app_chart_left(const struct app_axis *y, double height)
{
    struct app_ticks ticks;

    if (y->bare)
        return 6;
    ticks_y(y, height, &ticks);
    return tick_gap + 2 + manner_y(y, height, &ticks).deep + label_room(y->label, ticks.exponent, height);
}

double app_chart_below(const struct app_axis *x, double width)
{
    struct app_ticks ticks;

    if (x->bare)
        return 6;
    const struct manner m = ticks_x(x, width, &ticks);
    return tick_gap + m.deep + label_room(x->label, ticks.exponent, width);
}

double app_chart_above(const char *title, const char *note, double width)
{
    struct app_lines lines;
    double room = title ? tick_gap + 2 + 14 * app_wrap(title, width, 12, TITLE_LINES, &lines) : 8;

    if (note && *note)
        room += 2 + 12 * app_wrap(note, width, 10, NOTE_LINES, &lines);
    return room;
}

void app_chart_fit(struct app_chart *c, const struct app_box *outer, double left)
{
    const double right = 8;
    double above = app_chart_above(c->title, c->note, outer->width - 70);

    /*
     * the labels of x decide the height, that the labels of y, and these the width, which seldom changes the
     * labels of x again
     */
    const double high = outer->height - above - app_chart_below(&c->x, outer->width - 60);
    const double room = left > 0 ? left : app_chart_left(&c->y, high);

    c->left = room;
    c->box.x = outer->x + room;
    c->box.width = outer->width - room - right;
    above = app_chart_above(c->title, c->note, c->box.width);
    c->box.y = outer->y + above;
    c->box.height = outer->height - above - app_chart_below(&c->x, c->box.width);
}

/* --- drawing --- */

/* The name of an axis, line by line from (x, y), along a side of that length. */
static void draw_axis_label(const struct app_chart *c, const char *label, int exponent, double x, double y,
                            int upright)
{
    const struct app_lettering letters = {label_size, APP_INK_TEXT, APP_MIDDLE, 0, upright ? -90 : 0};
    struct app_lines lines;

    wrap_label(label, exponent, upright ? c->box.height : c->box.width, &lines);
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(c->canvas, x + (upright ? i * label_step : 0), y + (upright ? 0 : i * label_step),
                         &letters, lines.line[i]);
}

/* The power alone, where there is no label. */
static void draw_exponent(const struct app_chart *c, int exponent, double x, double y, enum app_anchor anchor)
{
    char text[64];
    struct app_lettering letters = tick_letters;

    letters.anchor = anchor;
    if (exponent)
        app_draw_letters(c->canvas, x, y, &letters, app_exponent(exponent, text));
}

/* The label of a tick on x, in its lines. */
static void draw_label_x(const struct app_chart *c, const char *label, const struct manner *m, double x)
{
    const double bottom = c->box.y + c->box.height;
    struct app_lettering letters = tick_letters;
    struct app_lines lines;

    letters.angle = m->upright ? -90 : 0;
    letters.anchor = m->upright ? APP_END : APP_MIDDLE;
    app_wrap(label, m->width, letters.size, m->lines, &lines);
    for (int i = 0; i < lines.count; i++) {
        const double along = 3.5 + (i - 0.5 * (lines.count - 1)) * tick_step;
        if (m->upright)
            app_draw_letters(c->canvas, x + along, bottom + tick_gap - 1, &letters, lines.line[i]);
        else
            app_draw_letters(c->canvas, x, bottom + tick_gap + 7 + i * tick_step, &letters, lines.line[i]);
    }
}

static void draw_x(const struct app_chart *c)
{
    struct app_ticks ticks;
    const double bottom = c->box.y + c->box.height;
    const struct manner m = ticks_x(&c->x, c->box.width, &ticks);

    /* Ticks with their labels and lines. */
    for (int i = 0; i < ticks.count; i++) {
        const struct app_tick *t = &ticks.tick[i];
        const double x = app_chart_x(c, t->value);
        if (c->grid && t->label[0] && c->x.kind != APP_AXIS_NAMES)
            app_draw_line(c->canvas, x, c->box.y, x, bottom, &grid_pen);
        app_draw_line(c->canvas, x, bottom, x, bottom + (t->label[0] ? 4 : 2.5), &tick_pen);
        if (!c->x.bare && t->label[0])
            draw_label_x(c, t->label, &m, x);
    }

    /* The name of the axis. */
    if (c->x.bare)
        return;
    if (!c->x.label)
        draw_exponent(c, ticks.exponent, c->box.x + c->box.width + 4, bottom + 28, APP_END);
    else
        draw_axis_label(c, c->x.label, ticks.exponent, c->box.x + c->box.width / 2,
                        bottom + tick_gap + m.deep + label_step, 0);
}

static void draw_label_y(const struct app_chart *c, const char *label, const struct manner *m, double y)
{
    struct app_lettering letters = tick_letters;
    struct app_lines lines;

    letters.anchor = APP_END;
    app_wrap(label, m->width, letters.size, m->lines, &lines);
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(c->canvas, c->box.x - tick_gap, y + 3.5 + (i - 0.5 * (lines.count - 1)) * tick_step,
                         &letters, lines.line[i]);
}

static void draw_y(const struct app_chart *c)
{
    struct app_ticks ticks;

    ticks_y(&c->y, c->box.height, &ticks);
    const struct manner m = manner_y(&c->y, c->box.height, &ticks);

    /* Ticks with their labels and lines. */
    for (int i = 0; i < ticks.count; i++) {
        const struct app_tick *t = &ticks.tick[i];
        const double y = app_chart_y(c, t->value);
        if (c->grid && t->label[0] && c->y.kind != APP_AXIS_NAMES)
            app_draw_line(c->canvas, c->box.x, y, c->box.x + c->box.width, y, &grid_pen);
        app_draw_line(c->canvas, c->box.x - (t->label[0] ? 4 : 2.5), y, c->box.x, y, &tick_pen);
        if (!c->y.bare && t->label[0])
            draw_label_y(c, t->label, &m, y);
    }

    /* The name of the axis. */
    if (c->y.bare)
        return;
    if (!c->y.label)
        draw_exponent(c, ticks.exponent, c->box.x, c->box.y - 4, APP_END);
    else
        draw_axis_label(c, c->y.label, ticks.exponent, c->box.x - c->left + 12, c->box.y + c->box.height / 2,
                        1);
}

/* Title and note, their last line just above the chart. */
static void draw_head(const struct app_chart *c)
{
    static const struct app_lettering title_letters = {12, APP_INK_TEXT, APP_START, 1, 0};
    static const struct app_lettering note_letters = {10, APP_INK_SOFT, APP_START, 0, 0};
    struct app_lines lines;
    double y = c->box.y - app_chart_above(c->title, c->note, c->box.width);

    if (!c->title)
        return;
    app_wrap(c->title, c->box.width, title_letters.size, TITLE_LINES, &lines);
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(c->canvas, c->box.x, y += 14, &title_letters, lines.line[i]);

    if (!c->note || !*c->note)
        return;
    app_wrap(c->note, c->box.width, note_letters.size, NOTE_LINES, &lines);
    y += 1;
    for (int i = 0; i < lines.count; i++)
        app_draw_letters(c->canvas, c->box.x, y += 12, &note_letters, lines.line[i]);
}

void app_chart_axes(const struct app_chart *c)
{
    draw_x(c);
    draw_y(c);
    draw_head(c);
}

void app_chart_frame(const struct app_chart *c)
{
    static const struct app_pen frame = {.stroke = APP_INK_RULE, .width = 1};

    app_draw_box(c->canvas, &c->box, &frame);
}

/* --- legends --- */

static const double series = 38; /* the length of a line with its mark: enough for any dash to be seen */

static void draw_key(struct app_canvas *canvas, const struct app_key *key, double x, double y)
{
    const struct app_box band = {x, y - 5, 18, 10};

    if (key->kind == APP_KEY_MARK)
        app_draw_mark(canvas, key->shape, x + 9, y, key->shape == APP_STAR ? 6 : 4, &key->pen, NULL);
    else if (key->kind == APP_KEY_LINE)
        app_draw_line(canvas, x, y, x + 18, y, &key->pen);
    else if (key->kind == APP_KEY_SERIES) {
        const struct app_pen mark = {.stroke = key->pen.stroke, .fill = APP_INK_PAPER, .width = 1.3};
        app_draw_line(canvas, x, y, x + series, y, &key->pen);
        app_draw_mark(canvas, key->shape, x + series / 2, y, 3, &mark, NULL);
    } else
        app_draw_box(canvas, &band, &key->pen);
}

double app_keys_draw(struct app_canvas *canvas, const struct app_key *keys, int count, double x, double y,
                     double width)
{
    static const struct app_lettering letters = {10.5, APP_INK_TEXT, APP_START, 0, 0};
    double at = 0;
    double row = 0;

    for (int i = 0; i < count; i++) {
        const double sign = keys[i].kind == APP_KEY_SERIES ? series : 18;
        const double wide = sign + 6 + app_letters_width(keys[i].text, letters.size) + 14;

        if (at > 0 && at + wide - 14 > width) {
            at = 0;
            row += 17;
        }

        if (canvas) {
            draw_key(canvas, &keys[i], x + at, y + row + 8);
            app_draw_letters(canvas, x + at + sign + 5, y + row + 11.5, &letters, keys[i].text);
        }

        at += wide;
    }
    return count ? row + 17 : 0;
}

void app_bar_draw(struct app_canvas *canvas, const struct app_box *box, enum app_ink ink, int steps,
                  double clear, const struct app_axis *axis)
{
    static const struct app_pen frame = {.stroke = APP_INK_RULE, .width = 0.8};
    const struct app_pen pen = {.fill = ink, .clear = clear};
    struct app_chart scale = {.canvas = canvas, .box = *box, .y = *axis};
    struct app_ticks ticks;
    struct app_lettering letters = tick_letters;
    struct app_lettering label = {11, APP_INK_TEXT, APP_MIDDLE, 0, -90};
    char name[APP_SHORT];

    /* The same shades as the regions: one more layer for every level that is reached. */
    for (int k = 0; k < steps; k++) {
        const double from = (k + 0.5) / steps;
        const struct app_box part = {box->x, box->y, box->width, box->height * (1 - from)};
        app_draw_box(canvas, &part, &pen);
    }

    app_draw_box(canvas, box, &frame);

    /* The numbers beside it. */
    ticks_y(axis, box->height, &ticks);
    letters.anchor = APP_START;
    for (int i = 0; i < ticks.count; i++) {
        const double y = app_chart_y(&scale, ticks.tick[i].value);
        app_draw_line(canvas, box->x + box->width, y, box->x + box->width + 3, y, &tick_pen);
        app_draw_letters(canvas, box->x + box->width + 5, y + 3.5, &letters, ticks.tick[i].label);
    }

    /* And what they are. */
    draw_exponent(&scale, ticks.exponent, box->x, box->y - 4, APP_START);
    if (axis->label)
        app_draw_letters(canvas, box->x + box->width + widest(&ticks) + 19, box->y + box->height / 2, &label,
                         app_shorten(axis->label, (int)fmax(8, fmin(60, box->height / 5.6)), name));
}
