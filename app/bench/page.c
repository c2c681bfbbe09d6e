/* The page: head and colours as in the report, the figure, a table for each problem and noise. */
#include <math.h>
#include <string.h>

#include "bench/bench_figure.h"
#include "base/markup.h"
#include "report/report.h"

static int same_cell(const struct app_result *a, const struct app_result *b)
{
    return a->noise == b->noise && !strcmp(a->problem, b->problem);
}

static void add_number(struct app_text *out, double value, int digits)
{
    char text[64];

    app_text_print(out, "%s", app_number_nice(value, digits, text));
}

/* The smallest mean after that many evaluations among `count` results. */
static double smallest(const struct app_result *r, int count, int evaluation)
{
    double least = INFINITY;

    for (int k = 0; k < count; k++) {
        struct app_statistics s;
        if (app_statistics(&r[k], evaluation, &s))
            least = fmin(least, s.mean);
    }
    return least;
}

static void add_cell(struct app_text *out, const struct app_result *r, int evaluation, double least)
{
    struct app_statistics s;

    if (!app_statistics(r, evaluation, &s)) {
        app_text_print(out, "<td></td>");
        return;
    }
    app_text_print(out, s.mean <= least ? "<td><b>" : "<td>");
    add_number(out, s.mean, 2);
    app_text_print(out, " ± ");
    add_number(out, s.half, 2);
    app_text_print(out, "%s<br><span class=\"off\">", s.mean <= least ? "</b>" : "");
    add_number(out, s.median, 2);
    app_text_print(out, "</span></td>");
}

static void add_row(struct app_text *out, const struct app_result *r, int points, const int *at,
                    const double *least)
{
    struct app_statistics s;

    app_text_print(out, "<tr><td>");
    app_markup(out, r->policy);
    app_text_print(out, "</td>");
    for (int i = 0; i < points; i++)
        add_cell(out, r, at[i], least[i]);
    if (app_statistics(r, r->last, &s))
        app_text_print(out, "<td>%.0f %%</td><td>%.0f %%</td>", 100 * s.infeasible, 100 * s.right);
    else
        app_text_print(out, "<td></td><td></td>");
    app_text_print(out, "<td>");
    if (!isnan(r->seconds))
        add_number(out, 1e3 * r->seconds, 3);
    app_text_print(out, "</td></tr>\n");
}

/* One problem with one noise: `count` results, one per policy. */
static void add_table(struct app_text *out, const struct app_result *r, int count)
{
    int at[APP_STANDARD_POINTS];
    double least[APP_STANDARD_POINTS];
    const int points = app_standard_points(r, at);

    app_text_print(out, "<h3>");
    app_markup(out, r->problem);
    app_text_print(out, ", σ = ");
    add_number(out, r->noise, 3);
    app_text_print(out, "</h3>\n<div class=\"wide\"><table><thead><tr><th>policy</th>");
    for (int i = 0; i < points; i++) {
        app_text_print(out, "<th>after %d</th>", at[i]);
        least[i] = smallest(r, count, at[i]);
    }
    app_text_print(out,
                   "<th>infeasible</th><th>right part</th><th>ms per suggestion</th></tr></thead><tbody>\n");
    for (int k = 0; k < count; k++)
        add_row(out, &r[k], points, at, least);
    app_text_print(out, "</tbody></table></div>\n");
}

static void add_tables(struct app_text *out, const struct app_results *all)
{
    app_text_print(out, "<section id=\"summary\"><h2>Summary</h2>\n<p>Opportunity cost of the recommendation "
                        "after the given number of evaluations: the mean over all replications ± half its "
                        "95 %% interval, and the median below it. The smallest mean is bold. Infeasible and "
                        "right part: the shares of the last recommendations that are infeasible, and that "
                        "lie in the same part of the feasible region as the optimum.</p>\n");
    for (int i = 0, count; i < all->count; i += count) {
        for (count = 1; i + count < all->count && same_cell(&all->result[i], &all->result[i + count]);)
            count++;
        add_table(out, &all->result[i], count);
    }
    app_text_print(out, "</section>\n");
}

int app_page_make(const struct app_results *all, struct app_text *out, struct app_message *message)
{
    const struct app_result *r = &all->result[0];

    app_report_head(out, "Replicated experiments", "ckg bench");
    app_text_print(out,
                   "<header><h1>Replicated experiments</h1>\n<p class=\"lead\">%d cells of %d replications, "
                   "%d evaluations, of which the first "
                   "%d are the initial design</p></header>\n<main>\n",
                   all->count, r->replications, r->last, r->first);
    app_text_print(out, "<section id=\"figure\"><h2>Opportunity cost</h2>\n<figure class=\"scroll\">");
    const int status = app_results_draw(all, &app_canvas_svg, 1, out, message);
    app_text_print(out, "<figcaption>Above: the feasible region, darker where the objective is smaller, and "
                        "the optimum; grey is infeasible. Below: the mean opportunity cost with its 95 %% "
                        "interval; the lower end is drawn as far below the mean as the upper end is above "
                        "it, since a logarithmic scale has no zero.</figcaption></figure></section>\n");
    if (status)
        return status;
    add_tables(out, all);
    app_text_print(out, "</main>\n<footer>Written by ckg %s.</footer>\n</body>\n</html>\n", ckg_version());
    return out->failed ? app_no_memory(message) : CKG_OK;
}
