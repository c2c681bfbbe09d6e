/* The kinds of figures, and the sheet of some of them. */
#include <string.h>

#include "figure/figure.h"

/* What the sheet is made of: two side by side, the last below; what cannot be shown leaves no gap. */
static const struct app_figure_kind *const parts[APP_FIGURE_PARTS] = {&app_figure_convergence,
                                                                      &app_figure_map, &app_figure_slices};

static int make_sheet(struct app_figure *out, const struct app_show *s,
                      const struct app_figure_options *options)
{
    int count = 0;

    for (int k = 0; k < APP_FIGURE_PARTS; k++) {
        struct app_figure *part = app_figure_new(out, 1, sizeof *part);
        if (!part)
            return CKG_OK;
        const int status = app_figure_make(part, parts[k], s, options);
        if (!status)
            out->part[k] = part;
        else
            app_figure_free(part);
        if (status && status != CKG_ERR_STATE)
            return status;
        count += !status;
    }
    out->width = out->part[0] && out->part[1] ? 1216 : 856;
    return count ? CKG_OK
                 : app_fail(s->record->message, CKG_ERR_STATE,
                            "%s: there is no trial yet, so there is nothing to show", s->definition->name);
}

const struct app_figure_kind app_figure_sheet = {"sheet", "convergence, map and slices on one sheet",
                                                 make_sheet};

const struct app_figure_kind *const app_figure_kinds[] = {
    &app_figure_sheet,       &app_figure_convergence, &app_figure_map,
    &app_figure_slices,      &app_figure_importance,  &app_figure_frontier,
    &app_figure_acquisition, &app_figure_residuals,   NULL,
};

const struct app_figure_kind *app_figure_kind_named(const char *name)
{
    for (int i = 0; app_figure_kinds[i]; i++)
        if (!strcmp(app_figure_kinds[i]->name, name))
            return app_figure_kinds[i];
    return NULL;
}

int app_figure_make(struct app_figure *out, const struct app_figure_kind *kind, const struct app_show *s,
                    const struct app_figure_options *options)
{
    *out = (struct app_figure){0};
    out->title = app_figure_text(out, "%s: %s", s->definition->name, kind->title);
    const int status = kind->make(out, s, options);
    return status ? status : out->failed ? app_no_memory(s->record->message) : CKG_OK;
}
