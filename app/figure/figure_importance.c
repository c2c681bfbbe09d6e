/*
 * What matters: a panel of bars for each outcome, a bar for each parameter, its total effect with a whisker
 * where nine of ten draws from the model lie. Parameters stand in the same order everywhere.
 */
#include <math.h>

#include "base/markup.h"
#include "figure/figure.h"
#include "figure/view_cache.h"

enum { MOST = 12, COLUMNS = 4, NARROWEST = 100, BAR = 19, LINE = 12, THICK = 11, WHISKER = 3 };

static const struct app_pen bar_pen = {.fill = APP_INK_MEAN, .clear = 0.35};
static const struct app_pen whisker_pen = {.stroke = APP_INK_TEXT, .width = 1.1};

/* The parameters that matter most anywhere, in the order in which they do for the objective. */
static int choose(const struct app_show *s, const struct app_importance *im, int *parameter)
{
    const int d = app_dimension(s->definition);
    struct app_effect most[CKG_MAX_PARAMETERS];
    int order[CKG_MAX_PARAMETERS];

    /* Those with the largest effect on any outcome that is shown. */
    for (int i = 0; i < d; i++) {
        most[i] = (struct app_effect){0};
        for (int j = 0; j < s->outcomes.count; j++)
            most[i].total = fmax(most[i].total, app_importance_of(im, s->outcomes.outcome[j])[i].total);
    }
    app_importance_order(most, d, order);
    const int count = d < MOST ? d : MOST;

    /* Among them the order of the objective's. */
    struct app_effect kept[MOST];
    int place[MOST];
    for (int k = 0; k < count; k++)
        kept[k] = app_importance_of(im, 0)[order[k]];
    app_importance_order(kept, count, place);

    for (int k = 0; k < count; k++)
        parameter[k] = order[place[k]];
    return count;
}

/* The axis of the parameters, the first at the top. */
static struct app_axis name_axis(struct app_figure *f, const struct app_show *s, int count,
                                 const int *parameter)
{
    const char **names = app_figure_new(f, (size_t)count, sizeof *names);

    for (int k = 0; names && k < count; k++)
        names[count - 1 - k] = app_parameter_name(s->definition, parameter[k]);
    return (struct app_axis){.kind = APP_AXIS_NAMES,
                             .low = -0.5,
                             .high = count - 0.5,
                             .count = names ? count : 0,
                             .names = names,
                             .roomy = 1,
                             .shared = 1};
}

/* As high as its names need; a name of several lines needs them everywhere. */
static double height_of(const struct app_axis *names)
{
    int most = 1;

    for (int k = 0; k < names->count; k++) {
        const int lines = app_name_lines(names->names[k]);
        most = lines > most ? lines : most;
    }
    return names->count * fmax(BAR, LINE * most + 5);
}

static void add_bars(struct app_panel *p, const struct app_effect *effect, int count, const int *parameter)
{
    struct app_layer *bars = app_panel_layer(p, APP_LAYER_BARS, bar_pen, NULL);
    struct app_layer *whiskers = app_panel_layer(p, APP_LAYER_BARS, whisker_pen, NULL);

    bars->level = whiskers->level = 1;
    bars->size = THICK;
    whiskers->size = WHISKER;
    for (int k = 0; k < count; k++) {
        const struct app_effect *e = &effect[parameter[k]];
        const double y = count - 1 - k;
        app_layer_add(bars, (struct app_point){.y = y,
                                               .high = e->total,
                                               .hint = app_figure_text(p->figure, "%s: %.2f (%.2f … %.2f)",
                                                                       p->y.names[count - 1 - k], e->total,
                                                                       e->low, e->high)});
        app_layer_add(whiskers, (struct app_point){.y = y, .low = e->low, .high = e->high});
    }
}

static int make(struct app_figure *out, const struct app_show *s, const struct app_figure_options *options)
{
    const struct app_importance *im;
    int parameter[MOST];

    (void)options;
    if (!s->recommendation)
        return app_fail(s->record->message, CKG_ERR_STATE,
                        "%s: '%s' has not been measured yet, so nobody knows what matters",
                        s->definition->name, app_outcome_name(s->definition, 0));
    const int status = app_show_importance(s, &im);
    if (status)
        return status;

    /* A panel for each outcome. */
    const int count = choose(s, im, parameter);
    const struct app_axis names = name_axis(out, s, count, parameter);
    for (int j = 0; names.names && j < s->outcomes.count; j++) {
        const struct app_effect *effect = app_importance_of(im, s->outcomes.outcome[j]);
        struct app_panel *p = app_figure_panel(out, 0, j);
        p->title = app_outcome_name(s->definition, s->outcomes.outcome[j]);
        p->x = (struct app_axis){.low = 0, .high = 1};
        p->y = names;
        p->height = height_of(&names);
        p->grid = 1;
        if (isnan(effect[0].total))
            p->empty = "not measured yet";
        else
            add_bars(p, effect, count, parameter);
    }

    const int d = app_dimension(s->definition);
    out->note = count < d ? app_figure_text(out, "share of the variation (total effect); %d of %d parameters",
                                            count, d)
                          : "share of the variation (total effect), 0 … 1";
    out->across = COLUMNS;
    out->narrowest = NARROWEST;
    out->width = 760;
    return CKG_OK;
}

const struct app_figure_kind app_figure_importance = {"importance",
                                                      "what each parameter matters for each outcome", make};
