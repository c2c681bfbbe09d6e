/* The kinds of figures, the sheet of all of them, and how a figure becomes a file. */
#include <math.h>

#include "figure/figure.h"

/* What the sheet is made of. */
static const struct app_plot *const parts[] = {&app_plot_convergence, &app_plot_map, &app_plot_slices};
enum { PARTS = sizeof parts / sizeof *parts };
static const double margin = 16;

static int sheet_possible(const struct app_show *s, const struct app_plot_options *options)
{
    for (int k = 0; k < PARTS; k++)
        if (parts[k]->possible(s, options) == CKG_OK)
            return CKG_OK;
    return app_fail(s->notebook->message, CKG_ERR_STATE,
                    "%s: there is no trial yet, so there is nothing to show", s->definition->name);
}

/* Convergence and map side by side, as high as the higher of them, the slices below; what cannot be shown
 * leaves no gap. Gives the boxes and returns the size. */
static struct app_box sheet_lay_out(const struct app_show *s, const struct app_plot_options *options,
                                    struct app_box box[PARTS])
{
    struct app_box all = {0};
    double beside = 0;

    /* Each at its natural size: the last below, the others side by side. */
    for (int k = 0; k < PARTS; k++) {
        double width;
        double height;
        box[k] = (struct app_box){0};
        if (parts[k]->possible(s, options) != CKG_OK)
            continue;

        parts[k]->size(s, options, &width, &height);
        const int below = k == PARTS - 1;
        if (below)
            box[k] = (struct app_box){0, all.height > 0 ? all.height + margin : 0, width, height};
        else {
            box[k] = (struct app_box){beside, 0, width, height};
            beside += width + margin;
        }

        all.width = fmax(all.width, box[k].x + box[k].width);
        all.height = fmax(all.height, box[k].y + box[k].height);
    }

    /* What stands side by side is equally high, what stands alone as wide as the sheet. */
    for (int k = 0; k < PARTS; k++)
        if (box[k].width > 0 && k < PARTS - 1)
            box[k].height = fmax(box[0].height, box[1].height);
        else if (box[k].width > 0)
            box[k].width = all.width;
    if (box[0].width > 0 && !(box[1].width > 0))
        box[0].width = all.width;
    return all;
}

static void sheet_size(const struct app_show *s, const struct app_plot_options *options, double *width,
                       double *height)
{
    struct app_box box[PARTS];
    const struct app_box all = sheet_lay_out(s, options, box);

    *width = all.width;
    *height = all.height;
}

static int sheet_draw(struct app_canvas *canvas, const struct app_show *s,
                      const struct app_plot_options *options, const struct app_box *where)
{
    struct app_box box[PARTS];
    int status = CKG_OK;

    sheet_lay_out(s, options, box);
    for (int k = 0; !status && k < PARTS; k++) {
        box[k].x += where->x;
        box[k].y += where->y;
        if (box[k].width > 0)
            status = parts[k]->draw(canvas, s, options, &box[k]);
    }
    return status;
}

const struct app_plot app_plot_sheet = {
    "sheet", "convergence, map and slices on one sheet", sheet_possible, sheet_size, sheet_draw, NULL};

const struct app_plot *const app_plots[] = {
    &app_plot_sheet,      &app_plot_convergence, &app_plot_map,         &app_plot_slices,
    &app_plot_importance, &app_plot_frontier,    &app_plot_acquisition, NULL,
};

int app_figure_make_data(struct app_figure *out, const struct app_plot *plot, const struct app_show *s,
                         const struct app_plot_options *options)
{
    *out = (struct app_figure){0};
    out->title = app_figure_text(out, "%s: %s", s->definition->name, plot->title);
    const int status = plot->make(out, s, options);
    return status ? status : out->failed ? app_show_no_memory(s) : CKG_OK;
}

static int draw_made(const struct app_plot *plot, const struct app_canvas_table *table, int embedded,
                     const struct app_show *s, const struct app_plot_options *options, struct app_text *out)
{
    struct app_figure figure;
    int status = app_figure_make_data(&figure, plot, s, options);

    if (!status && !app_figure_draw(&figure, table, embedded, options->width, out))
        status = app_show_no_memory(s);
    app_figure_free(&figure);
    return status;
}

int app_plot_make(const struct app_plot *plot, const struct app_canvas_table *table, int embedded,
                  const struct app_show *s, const struct app_plot_options *options, struct app_text *out)
{
    struct app_text title = {0};
    double width;
    double height;

    if (plot->make)
        return draw_made(plot, table, embedded, s, options, out);
    int status = plot->possible(s, options);
    if (status)
        return status;

    /* Its size and title. */
    plot->size(s, options, &width, &height);
    app_text_print(&title, "%s: %s", s->definition->name, plot->title);
    const double rim = embedded ? 4 : 12;
    const struct app_box box = {rim, rim, width, height};

    /* Drawn. */
    struct app_canvas *canvas = title.failed
                                    ? NULL
                                    : table->open(width + 2 * rim, height + 2 * rim, title.data, embedded);
    app_text_free(&title);
    if (!canvas)
        return app_show_no_memory(s);
    status = plot->draw(canvas, s, options, &box);
    const int made = table->close(canvas, status ? NULL : out);
    return status ? status : made ? CKG_OK : app_show_no_memory(s);
}
