/* Axes with their ticks, frames, legends. */
#include "figure/draw/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/markup.h"

static const struct app_lettering tick_letters = {10, APP_INK_SOFT, APP_MIDDLE, 0, 0},
                                  label_letters = {11, APP_INK_TEXT, APP_MIDDLE, 0, 0};
static const struct app_lettering title_letters = {12, APP_INK_TEXT, APP_START, 1, 0},
                                  note_letters = {10, APP_INK_SOFT, APP_START, 0, 0};
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

static const double name_width = 92; /* of a category beside an axis, and where it may take three lines */
static const double roomy_width = 150;

/* Between an axis and its tick labels there is room for a mark that lies on the axis. */
static const double tick_gap = 10;

/* What an axis of gaps has below 0, for marks that lie there. */
static const double gap_rim = 0.05;

/* From line to line. */
static double step_of(const struct app_lettering *letters)
{
    return letters->size + 2;
}

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

/* An axis along a side of a chart: its ticks, and how their labels are written. */
struct side {
    const struct app_axis *axis;
    double length;
    int up; /* 1: beside the chart, 0: below it */
    struct app_ticks ticks;
    int upright;  /* 1: its labels, below the chart */
    int lines;    /* at most, of one label */
    double width; /* at most, of one line */
    double deep;  /* how far the labels reach from the axis */
};

/* The widest line of all labels, and the most lines; 0: some label does not fit whole, or a word of it. */
static int measure(const struct side *s, double *width, int *most)
{
    int whole = 1;

    *width = 0;
    *most = 1;
    for (int i = 0; i < s->ticks.count; i++) {
        struct app_lines lines;
        const int count = app_wrap(s->ticks.tick[i].label, s->width, tick_letters.size, s->lines, &lines);
        *width = fmax(*width, app_lines_width(&lines, tick_letters.size));
        *most = count > *most ? count : *most;
        whole &= lines.whole && !lines.broken;
    }
    return whole;
}

/* Names below a chart are level where they fit whole, else upright, in two lines where there is room. */
static void lay_names(struct side *s)
{
    const double each = s->length / fmax(1, s->ticks.count);
    double width;
    int most;

    s->lines = NAME_LINES;
    s->width = each - 6;
    if (!s->up && s->width > 20 && measure(s, &width, &most)) {
        s->deep = 10 + (most - 1) * step_of(&tick_letters);
        return;
    }
    s->upright = !s->up;
    s->lines = s->axis->roomy ? ROOMY_LINES : each >= 2.2 * step_of(&tick_letters) ? NAME_LINES : 1;
    s->width = s->axis->roomy ? roomy_width : name_width;
    measure(s, &s->deep, &most);
}

static void lay_side(struct side *s, const struct app_axis *a, double length, int up)
{
    const int wraps = a->kind != APP_AXIS_LOG && !up;

    *s = (struct side){.axis = a, .length = length, .up = up, .lines = 1, .width = 1e9};
    find_ticks(a, length, up ? 32 : wraps ? 52 : 40, &s->ticks);
    if (a->kind == APP_AXIS_NAMES) {
        lay_names(s);
        return;
    }
    if (wraps && widest(&s->ticks) * s->ticks.count > 0.95 * length)
        find_ticks(a, length, 1.5 * widest(&s->ticks), &s->ticks);
    s->deep = up ? widest(&s->ticks) : 10;
}

/* --- room --- */

/* The name of an axis, with the power of ten that its ticks leave out. */
static struct app_text label_of(const struct side *s)
{
    const int exponent = s->ticks.exponent;
    struct app_text all = {0};
    char power[64];

    app_text_print(&all, exponent ? "%s (%s)" : "%s", s->axis->label,
                   exponent ? app_exponent(exponent, power) : "");
    return all;
}

static double label_room(const struct side *s)
{
    struct app_text label = label_of(s);
    struct app_lines lines;
    const int count = app_wrap(label.failed ? "" : label.data, fmax(s->length, 40), label_letters.size,
                               LABEL_LINES, &lines);

    app_text_free(&label);
    return 5 + step_of(&label_letters) * count;
}

double app_axis_room(const struct app_axis *a, double length, int up)
{
    struct side s;

    if (a->bare)
        return 6;
    lay_side(&s, a, length, up);
    return tick_gap + (up ? 2 : 0) + s.deep + (a->label ? label_room(&s) : 0);
}

double app_chart_above(const char *title, const char *note, double width)
{
    struct app_lines lines;
    double room = 8;

    if (title)
        room = tick_gap + 2 +
               step_of(&title_letters) * app_wrap(title, width, title_letters.size, TITLE_LINES, &lines);
    if (title && note)
        room += 2 + step_of(&note_letters) * app_wrap(note, width, note_letters.size, NOTE_LINES, &lines);
    return room;
}

/* --- drawing --- */

double app_draw_wrapped(struct app_canvas *canvas, double x, double y, const struct app_lettering *how,
                        const char *text, double width, int most, double back)
{
    struct app_lines lines;
    const int count = app_wrap(text, width, how->size, most, &lines);

    for (int i = 0; i < count; i++) {
        const double ahead = (i - back * (count - 1)) * step_of(how);
        app_draw_letters(canvas, x + (how->angle != 0 ? ahead : 0), y + (how->angle != 0 ? 0 : ahead), how,
                         lines.line[i]);
    }
    return count * step_of(how);
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

static void draw_tick_label(const struct app_chart *c, const struct side *s, const char *label, double at)
{
    const double x = s->up ? c->box.x - tick_gap : s->upright ? at + 3.5 : at;
    const double y = s->up ? at + 3.5 : c->box.y + c->box.height + tick_gap + (s->upright ? -1 : 7);
    struct app_lettering letters = tick_letters;

    letters.angle = s->upright ? -90 : 0;
    letters.anchor = s->up || s->upright ? APP_END : APP_MIDDLE;
    app_draw_wrapped(c->canvas, x, y, &letters, label, s->width, s->lines, s->up || s->upright ? 0.5 : 0);
}

/* The name of the axis. */
static void draw_label(const struct app_chart *c, const struct side *s)
{
    const struct app_box *b = &c->box;
    const double bottom = b->y + b->height;
    struct app_lettering letters = label_letters;

    if (!s->axis->label) {
        draw_exponent(c, s->ticks.exponent, s->up ? b->x : b->x + b->width + 4,
                      s->up ? b->y - 4 : bottom + 28, APP_END);
        return;
    }
    struct app_text label = label_of(s);
    letters.angle = s->up ? -90 : 0;
    app_draw_wrapped(c->canvas, s->up ? b->x - c->left + 12 : b->x + b->width / 2,
                     s->up ? b->y + b->height / 2 : bottom + tick_gap + s->deep + step_of(&label_letters),
                     &letters, label.failed ? "" : label.data, fmax(s->length, 40), LABEL_LINES, 0);
    app_text_free(&label);
}

/* Ticks with their labels and lines, and the name. */
static void draw_side(const struct app_chart *c, int up)
{
    const struct app_box *b = &c->box;
    const double right = b->x + b->width;
    const double bottom = b->y + b->height;
    struct side s;

    lay_side(&s, up ? &c->y : &c->x, up ? b->height : b->width, up);
    for (int i = 0; i < s.ticks.count; i++) {
        const struct app_tick *t = &s.ticks.tick[i];
        const double at = up ? app_chart_y(c, t->value) : app_chart_x(c, t->value);
        const double out = t->label[0] ? 4 : 2.5;
        if (c->grid && t->label[0] && s.axis->kind != APP_AXIS_NAMES)
            app_draw_line(c->canvas, up ? b->x : at, up ? at : b->y, up ? right : at, up ? at : bottom,
                          &grid_pen);
        app_draw_line(c->canvas, up ? b->x - out : at, up ? at : bottom, up ? b->x : at,
                      up ? at : bottom + out, &tick_pen);
        if (!s.axis->bare && t->label[0])
            draw_tick_label(c, &s, t->label, at);
    }
    if (!s.axis->bare)
        draw_label(c, &s);
}

/* Title and note, their last line just above the chart. */
static void draw_head(const struct app_chart *c)
{
    double y = c->box.y - app_chart_above(c->title, c->note, c->box.width);

    if (c->title)
        y += step_of(&title_letters) + app_draw_wrapped(c->canvas, c->box.x, y + step_of(&title_letters),
                                                        &title_letters, c->title, c->box.width, TITLE_LINES,
                                                        0);
    if (c->title && c->note)
        app_draw_wrapped(c->canvas, c->box.x, y - 1, &note_letters, c->note, c->box.width, NOTE_LINES, 0);
}

void app_chart_axes(const struct app_chart *c)
{
    draw_side(c, 0);
    draw_side(c, 1);
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
    find_ticks(axis, box->height, 32, &ticks);
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
