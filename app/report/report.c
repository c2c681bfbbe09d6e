/*
 * The report: head, colours, sections in order. Figures are embedded SVG, whose colours follow the page's,
 * light or dark.
 */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/markup.h"
#include "figure/figure.h"

/* --- the page --- */

static void add_colours(struct app_text *out, int dark)
{
    app_text_print(out, "{--raised:%s", dark ? "#1d2126" : "#f7f8f9");
    for (int i = APP_INK_PAPER; i < APP_INKS; i++)
        app_text_print(out, ";--%s:%s", app_inks[i].name, dark ? app_inks[i].dark : app_inks[i].light);
    app_text_print(out, "}");
}

void app_report_css(struct app_text *out)
{
    /* The colours, for the page and for the figures in it. */
    app_text_print(out, ":root");
    add_colours(out, 0);
    app_text_print(out, "\n@media(prefers-color-scheme:dark){:root");
    add_colours(out, 1);
    app_text_print(out, "}\n");
    for (int i = APP_INK_PAPER; i < APP_INKS; i++)
        app_text_print(out, ".s-%s{stroke:var(--%s)}.f-%s{fill:var(--%s)}", app_inks[i].name,
                       app_inks[i].name, app_inks[i].name, app_inks[i].name);

    app_text_print(out, "\n%s", app_report_style);
}

void app_report_head(struct app_text *out, const char *name, const char *what)
{
    app_text_print(
        out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'\">\n<title>");
    app_markup(out, name);

    app_text_print(out, " – %s</title>\n<style>\n", what);
    app_report_css(out);
    app_text_print(out, "</style>\n</head>\n<body>\n");
}

void app_report_lead(const struct app_study *n, struct app_text *out)
{
    const struct app_definition *d = &n->definition;
    int tally[APP_STATES];
    char number[32];

    app_study_tally(n, tally);

    /* What it is about. */
    app_text_print(out, "<h1>");
    app_report_name(out, d->name);
    app_text_print(out, "</h1>\n<p class=\"lead\">%s ",
                   ckg_problem_goal(d->problem) == CKG_MAXIMIZE ? "maximize" : "minimize");
    app_report_name(out, app_outcome_name(d, 0));

    /* How far it is. */
    app_text_print(out, " over %d parameter%s under %d constraint%s · %d", app_dimension(d),
                   app_dimension(d) == 1 ? "" : "s", app_constraints(d), app_constraints(d) == 1 ? "" : "s",
                   app_study_ended(n));
    const int separate = ckg_problem_separate(d->problem) == 1;
    if (d->budget > 0 && !separate)
        app_text_print(out, " of %d", d->budget);
    app_text_print(out, " evaluations");
    if (separate)
        app_text_print(out, ", %s", app_number_short(app_study_cost(n), number));
    if (d->budget > 0 && separate)
        app_text_print(out, " of %d", d->budget);
    app_text_print(out, "%s: %d complete, %d failed", separate ? " spent" : "", tally[APP_COMPLETE],
                   tally[APP_FAILED_TRIAL]);
    if (tally[APP_RUNNING] + tally[APP_PENDING])
        app_text_print(out, ", %d running, %d pending", tally[APP_RUNNING], tally[APP_PENDING]);
    if (tally[APP_DISCARDED])
        app_text_print(out, ", %d discarded", tally[APP_DISCARDED]);
    app_text_print(out, "</p>\n");
}

/* Links to the sections. */
static void add_links(struct app_text *out)
{
    app_text_print(out, "<nav>");
    for (const struct app_report_section *section = app_report_sections; section->id; section++)
        app_text_print(out, "<a href=\"#%s\">%s</a>", section->id, section->link);
    app_text_print(out, "</nav>");
}

/* --- figures --- */

/* A page is wide or, on a phone, narrow: figures are drawn for both, and the style shows one of them. */
static const double broad = 1000;
static const double square = 720; /* a map by itself, as wide as the style lets it be */
static const double slim = 340;
static const double one_of_three = 380;

/* One drawing of the figure, of that class. */
static int add_drawing(const struct app_figure *figure, double width, const char *class, struct app_text *out)
{
    app_text_print(out, "<figure class=\"%s\">", class);
    const int made = app_figure_draw(figure, &app_canvas_svg, 1, width, out);
    app_text_print(out, "</figure>\n");
    return made;
}

/* The figure, or why there is none in its place. small: one of several side by
 * side. */
static int add_figure(const struct app_figure_kind *kind, const struct app_show *s,
                      const struct app_figure_options *options, const char *about, int small,
                      struct app_text *out)
{
    struct app_figure figure;
    int status = app_figure_make(&figure, kind, s, options);

    if (status == CKG_ERR_STATE) {
        const char *why = s->record->message->text;
        /* stands before the reason, and at the head of the page already */
        const size_t name = strlen(s->definition->name);
        app_text_print(out, "<p class=\"note\">");
        app_markup(out, strncmp(why, s->definition->name, name) ? why : why + name + 2);
        app_text_print(out, ".</p>\n");
        status = CKG_OK;
    } else if (!status) {
        const double width = small ? one_of_three : kind == &app_figure_map ? square : broad;
        if (about)
            app_text_print(out, "<p>%s</p>\n", about);
        int made = add_drawing(&figure, width, small ? "small" : "broad", out);
        if (made && !small)
            made = add_drawing(&figure, slim, "slim", out);
        status = made ? CKG_OK : app_no_memory(s->record->message);
    }
    app_figure_free(&figure);
    return status;
}

/* Every pair of the three parameters that matter most. */
static int add_maps(const struct app_show *s, struct app_text *out)
{
    const int most = app_dimension(s->definition) < 3 ? app_dimension(s->definition) : 3;
    int status = CKG_OK;

    /* Which they are. */
    app_text_print(out, "<section id=\"maps\"><h2>Feasibility maps</h2>\n");
    if (app_dimension(s->definition) > 3)
        app_text_print(out, "<p class=\"note\">These are the three parameters that matter most; "
                            "<code>ckg plot --kind map --x NAME --y "
                            "NAME</code> shows any other two.</p>\n");

    app_text_print(out, "<div class=\"%s\">\n", most == 3 ? "figures" : "one");
    if (most < 2)
        app_text_print(out,
                       "<p class=\"note\">A map needs two parameters; the slices show the only one.</p>\n");

    /* Each pair, in the order of the file; without any trial one of them says so. */
    for (int a = 0; !status && a < most; a++)
        for (int b = a + 1; !status && b < most; b++) {
            const int first = s->order[a];
            const int second = s->order[b];
            const struct app_figure_options options = {
                .x = first < second ? first : second, .y = first < second ? second : first, .outcome = -1};
            if (!s->record->count && a + b > 1)
                continue;
            status = add_figure(&app_figure_map, s, &options, NULL, most == 3, out);
        }

    app_text_print(out, "</div></section>\n");
    return status;
}

const struct app_report_section app_report_sections[] = {
    {"recommendation", "Recommendation", app_report_recommendation, NULL, NULL},
    {"convergence", "Convergence", NULL, &app_figure_convergence, NULL},
    {"importance", "What matters", NULL, &app_figure_importance,
     "For each outcome, the share of its variation over all designs that would be left if every other "
     "parameter were known. 0: it does not depend on the parameter; 1: on nothing else. Whiskers: 90 % of "
     "posterior functions."},
    {"frontier", "Cost of safety", NULL, &app_figure_frontier,
     "How good the objective is predicted to be if a design must be feasible with some probability, and the "
     "design that is recommended."},
    {"maps", "Maps", add_maps, NULL, NULL},
    {"slices", "Slices", NULL, &app_figure_slices, NULL},
    {"checks", "Predicted against measured", NULL, &app_figure_residuals,
     "Each value as its model predicts it from all the other designs, ±2 standard deviations of a "
     "measurement. With a good model about 95 of 100 bars cross the diagonal; those that do not are marked "
     "with a diamond."},
    {"trials", "Trials", app_report_trials, NULL, NULL},
    {"study", "Study", app_report_facts, NULL, NULL},
    {"models", "Models", app_report_models, NULL, NULL},
    {0},
};

int app_report_section(const struct app_report_section *section, const struct app_show *s,
                       struct app_text *out)
{
    const struct app_figure_options options = APP_FIGURE_OPTIONS_INIT;

    if (section->make)
        return section->make(s, out);
    app_text_print(out, "<section id=\"%s\"><h2>%s</h2>\n", section->id, section->link);
    if (section->kind == &app_figure_residuals)
        app_report_selection(s, out);
    const int status = add_figure(section->kind, s, &options, section->about, 0, out);
    app_text_print(out, "</section>\n");
    return status;
}

int app_report_make(const struct app_show *s, struct app_text *out)
{
    int status = CKG_OK;

    app_report_head(out, s->definition->name, "ckg report");
    app_text_print(out, "<header>");
    app_report_lead(s->record, out);
    add_links(out);
    app_text_print(out, "</header>\n<main>\n");
    for (const struct app_report_section *section = app_report_sections; !status && section->id; section++)
        status = app_report_section(section, s, out);
    app_text_print(out, "</main>\n<footer>Written by ckg %s.</footer>\n</body>\n</html>\n", ckg_version());
    return !status && out->failed ? app_no_memory(s->record->message) : status;
}
