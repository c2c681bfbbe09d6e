/* What the program shows of a study, as texts. */
#include <string.h>

#include "bridge/inside.h"
#include "figure/figure.h"
#include "report/report.h"

/* Open, with what others did meanwhile. */
static int look(pyckg_notebook *b)
{
    const int status = pyckg_check_open(b);

    return status ? status : app_notebook_sync(&b->study.notebook);
}

/* --- as JSON --- */

int pyckg_notebook_call(pyckg_notebook *b, const char *action, const char *in)
{
    const struct app_action *change = app_action_named(action, 1);
    const struct app_action *row = change ? change : app_action_named(action, 0);
    int status = look(b);

    if (!status && change)
        status = pyckg_check_kept(b);
    if (!status && !row)
        status = app_fail(&b->study.message, CKG_ERR_NOT_FOUND, "there is no action '%s'", action);
    if (!status)
        status = app_action_call(row, &b->study, in, &b->text);
    app_api_forget(&b->study);
    return pyckg_give(b, status);
}

/* --- drawn --- */

static const struct app_figure_kind *plot_at(int index)
{
    int count = 0;

    while (app_figure_kinds[count])
        count++;
    return index >= 0 && index < count ? app_figure_kinds[index] : NULL;
}

const char *pyckg_plot_name(int index)
{
    const struct app_figure_kind *plot = plot_at(index);

    return plot ? plot->name : NULL;
}

const char *pyckg_plot_title(int index)
{
    const struct app_figure_kind *plot = plot_at(index);

    return plot ? plot->title : NULL;
}

/* The kind of that name; CKG_ERR_NOT_FOUND with all of them. */
static int find_plot(pyckg_notebook *b, const char *name, const struct app_figure_kind **out)
{
    struct app_text names = {0};

    for (int i = 0; (*out = plot_at(i)); i++) {
        if (!strcmp((*out)->name, name))
            break;
        app_text_print(&names, "%s%s", i ? ", " : "", (*out)->name);
    }
    if (!*out)
        app_fail(&b->study.message, CKG_ERR_NOT_FOUND, "there is no plot '%s'; there are %s", name,
                 names.data ? names.data : "");
    app_text_free(&names);
    return *out ? CKG_OK : CKG_ERR_NOT_FOUND;
}

int pyckg_notebook_plot(pyckg_notebook *b, const char *kind, int x, int y, const char *policy)
{
    const struct app_figure_options how = {.x = x, .y = y, .outcome = -1, .policy = policy};
    struct app_figure figure;
    const struct app_figure_kind *plot;
    struct app_show show;
    int status = look(b);
    const int d = status ? 0 : app_dimension(&b->study.notebook.definition);

    if (!status)
        status = find_plot(b, kind, &plot);
    if (!status && (x >= d || y >= d || (x >= 0 && x == y)))
        status = app_fail(&b->study.message, CKG_ERR_INVALID, "a plot needs two different parameters");
    if (!status)
        status = app_show_open(&show, &b->study.notebook);
    if (status)
        return status;
    status = app_figure_make(&figure, plot, &show, &how);
    if (!status && !app_figure_draw(&figure, &app_canvas_svg, 0, 0, &b->text))
        status = app_show_no_memory(&show);
    app_figure_free(&figure);
    app_show_close(&show);
    return pyckg_give(b, status);
}

int pyckg_notebook_report(pyckg_notebook *b)
{
    struct app_show show;
    int status = look(b);

    if (!status)
        status = app_show_open(&show, &b->study.notebook);
    if (status)
        return status;
    status = app_report_make(&show, &b->text);
    app_show_close(&show);
    return pyckg_give(b, status);
}
