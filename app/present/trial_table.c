/* Columns by what stands in them, parted into blocks where the terminal is narrow. */
#include "present/trial_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/markup.h"
#include "base/visible.h"
#include "present/nearest.h"

enum {
    NARROWEST = 12,
    WIDEST_NAME = 16,
    NUMBER = 7,
    FIXED = 33,
    WHY = 5,
    COLUMNS = CKG_MAX_PARAMETERS + CKG_MAX_CONSTRAINTS + 2
};

/* A parameter (outcome −1), an outcome (parameter −1), or how many other constraints are broken. */
struct column {
    int parameter, outcome;
    const char *title;
    int width;
};

struct table {
    struct app_text *out;
    const struct app_study *record;
    const struct app_definition *definition;
    int first, rows;
    int terminal; /* its width, 0: none */
    int others;   /* constraints without a column */
    char shown[CKG_MAX_CONSTRAINTS + 1];
    int count;
    struct column column[COLUMNS];
};

/* --- which constraints --- */

/* By how much a value breaks its limits; negative: how far it is from them. */
static double excess(const struct app_definition *d, const struct app_trial *t, int j)
{
    const struct app_outcome o = app_outcome_at(d, j);
    const double value = app_trial_measured(t, j);

    return fmax(o.min - value, value - o.max);
}

/* How often the constraint is broken; and below 1, how near it came to that beside how far it can be. */
static double weight(const struct table *w, int j)
{
    double broken = 0;
    double nearest = -INFINITY;
    double farthest = INFINITY;

    for (int i = 0; i < w->record->count; i++) {
        const double e = excess(w->definition, &w->record->trials[i], j);
        if (isnan(e))
            continue;
        broken += e > 0;
        nearest = fmax(nearest, e);
        farthest = fmin(farthest, e);
    }
    return broken > 0 || !(farthest < 0) ? broken : 1 - nearest / farthest;
}

/* All of them, or of too many those that are broken most often. */
static void choose_constraints(struct table *w)
{
    const int K = app_constraints(w->definition);
    const int most = K <= APP_SHOW_ALL ? K : APP_SHOW_FEW;

    for (int k = 0; k < most; k++) {
        int best = 0;
        double largest = -INFINITY;
        for (int j = 1; j <= K; j++)
            if (!w->shown[j] && (most == K || weight(w, j) > largest)) {
                largest = most == K ? 0 : weight(w, j);
                best = best && most == K ? best : j;
            }
        w->shown[best] = 1;
    }
    w->others = K - most;
}

/* --- cells --- */

static int count_others(const struct table *w, const struct app_trial *t)
{
    int broken = 0;

    for (int j = 1; j <= app_constraints(w->definition); j++)
        broken += !w->shown[j] && excess(w->definition, t, j) > 0;
    return broken;
}

static const char *cell(const struct table *w, const struct column *c, const struct app_trial *t,
                        char number[32])
{
    const struct app_definition *d = w->definition;

    if (c->outcome >= 0 && ckg_problem_yesno(d->problem, c->outcome) == 1 &&
        !isnan(app_trial_measured(t, c->outcome)))
        return app_trial_measured(t, c->outcome) > 0 ? "yes" : "no";
    if (c->outcome >= 0)
        return app_number_short(app_trial_measured(t, c->outcome), number);
    if (c->parameter >= 0 && ckg_problem_parameter_kind(d->problem, c->parameter) == CKG_CATEGORICAL)
        return ckg_problem_category(d->problem, c->parameter, (int)t->x[c->parameter]);
    if (c->parameter >= 0)
        return app_number_short(t->x[c->parameter], number);
    snprintf(number, 32, "%d", count_others(w, t));
    return number;
}

/* As wide as its cells, and as its title where that need not be parted. */
static void add_column(struct table *w, int parameter, int outcome, const char *title)
{
    struct column c = {parameter, outcome, title, NARROWEST};
    const int name = app_columns(title);
    char number[32];

    if (!w->terminal || name <= WIDEST_NAME)
        c.width = name > c.width ? name : c.width;
    else
        c.width = WIDEST_NAME;
    for (int i = w->first; i < w->first + w->rows; i++) {
        const int wide = app_columns(cell(w, &c, &w->record->trials[i], number));
        c.width = wide > c.width ? wide : c.width;
    }
    w->column[w->count++] = c;
}

/* --- lines --- */

static void add_right(const struct table *w, const char *text, int width)
{
    app_text_print(w->out, " ");
    app_columns_add(w->out, text, -width);
}

/* The part of a title that stands on that line of the head, from the bottom up. */
static const char *title_line(const struct column *c, int from_below, struct app_lines *lines)
{
    if (app_columns(c->title) <= c->width)
        return from_below ? "" : c->title;
    app_wrap_columns(c->title, c->width, APP_LINES, lines);
    const int at = lines->count - 1 - from_below;
    return at >= 0 ? lines->line[at] : "";
}

static void add_head(const struct table *w, int begin, int end, int first_block)
{
    int height = 1;

    for (int k = begin; k < end; k++) {
        struct app_lines lines;
        while (height < APP_LINES && *title_line(&w->column[k], height, &lines))
            height++;
    }

    for (int line = height - 1; line >= 0; line--) {
        if (first_block)
            app_text_print(w->out, line ? "%33s" : "%5s  %-9s %-6s %-8s", line ? "" : "trial", "state",
                           "origin", "feasible");
        else
            app_text_print(w->out, "%5s ", line ? "" : "trial");
        for (int k = begin; k < end; k++) {
            struct app_lines lines;
            add_right(w, title_line(&w->column[k], line, &lines), w->column[k].width);
        }
        app_text_print(w->out, "%s\n", line || end < w->count ? "" : "  why");
    }
}

static void add_row(const struct table *w, const struct app_trial *t, int begin, int end, int first_block)
{
    static const char *const feasible[] = {"-", "no", "yes"};
    char number[32];

    if (first_block)
        app_text_print(w->out, "%5d  %-9s %-6s %-8s", t->number, app_state_name(t->state), t->origin,
                       feasible[t->feasible + 1]);
    else
        app_text_print(w->out, "%5d ", t->number);
    for (int k = begin; k < end; k++)
        add_right(w, cell(w, &w->column[k], t, number), w->column[k].width);
    if (end == w->count) {
        app_text_print(w->out, "  ");
        app_text_add_line(w->out, t->why ? t->why : ""); /* in one line, whatever it is */
    }
    app_text_print(w->out, "\n");
}

/* Where a block that begins with a column ends: before the terminal does. The first may have no columns. */
static int block_end(const struct table *w, int begin, int first_block)
{
    int used = first_block ? FIXED : NUMBER - 1;
    int end = begin;

    while (end < w->count &&
           (!w->terminal || (end == begin && !first_block) ||
            used + 1 + w->column[end].width + (end == w->count - 1 ? WHY : 0) <= w->terminal)) {
        used += 1 + w->column[end].width;
        end++;
    }
    return end;
}

static int terminal_width(void)
{
    struct winsize size;

    return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20
               ? size.ws_col
               : 0;
}

void app_trial_table(const struct app_study *n, int first, int count, struct app_text *out)
{
    struct table w = {.out = out,
                      .record = n,
                      .definition = &n->definition,
                      .first = first,
                      .rows = count,
                      .terminal = terminal_width()};

    /* Its columns. */
    choose_constraints(&w);
    for (int i = 0; i < app_dimension(w.definition); i++)
        add_column(&w, i, -1, app_parameter_name(w.definition, i));
    add_column(&w, -1, 0, app_outcome_name(w.definition, 0));
    for (int j = 1; j <= app_constraints(w.definition); j++)
        if (w.shown[j])
            add_column(&w, -1, j, app_outcome_name(w.definition, j));
    if (w.others)
        add_column(&w, -1, -1, "others broken");

    /* Block by block. */
    int first_block = 1;
    for (int begin = 0; begin < w.count;) {
        const int end = block_end(&w, begin, first_block);
        if (!first_block)
            app_text_print(out, "\n");
        add_head(&w, begin, end, first_block);
        for (int i = first; i < first + count; i++)
            add_row(&w, &n->trials[i], begin, end, first_block);
        begin = end;
        first_block = 0;
    }
    if (w.others)
        app_text_print(out, "%d other constraints: `ckg export` and --json have their values\n", w.others);
}
