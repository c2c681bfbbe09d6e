/* Means with their intervals, medians, shares. */
#include "bench/summary.h"

#include <math.h>

#include "base/json.h"
#include "bench/spread.h"

int app_statistics(const struct app_result *r, int evaluation, struct app_statistics *out)
{
    const int steps = r->last - r->first + 1;
    const int n = r->replications;

    *out = (struct app_statistics){0};
    if (evaluation < r->first || evaluation > r->last)
        return 0;
    const struct app_scored *scored = r->scored + (evaluation - r->first);

    /* What is recommended. */
    for (int i = 0; i < n; i++) {
        r->scratch[i] = scored[i * steps].cost;
        out->infeasible += !scored[i * steps].feasible / (double)n;
        out->right += scored[i * steps].right / (double)n;
    }
    const struct app_spread cost = app_spread_of(r->scratch, n);
    out->mean = cost.mean;
    out->half = cost.half;
    out->median = cost.median;

    /* The best design evaluated. */
    for (int i = 0; i < n; i++)
        r->scratch[i] = scored[i * steps].best;
    const struct app_spread best = app_spread_of(r->scratch, n);
    out->best_mean = best.mean;
    out->best_median = best.median;
    return 1;
}

static void add_json(const struct app_result *r, int evaluation, const struct app_statistics *s,
                     struct app_text *out)
{
    app_json_print(out, "{problem:%s noise:%g policy:%s replications:%d evaluation:%d", r->problem, r->noise,
                   r->policy, r->replications, evaluation);
    app_json_print(out, "mean:%g half_width_95:%g median:%g", s->mean, s->half, s->median);
    app_json_print(out, "best_feasible_mean:%g best_feasible_median:%g", s->best_mean, s->best_median);
    app_json_print(out, "infeasible:%g right_region:%g seconds_per_suggestion:%g}", s->infeasible, s->right,
                   r->seconds);
    app_text_print(out, "\n");
}

static void add_line(const struct app_result *r, int evaluation, const struct app_statistics *s,
                     struct app_text *out)
{
    app_text_print(out, "%-24s %5g  %-7s %5d   %9.3g ± %-9.2g %9.3g   %9.3g %10.0f %% %9.0f %%", r->problem,
                   r->noise, r->policy, evaluation, s->mean, s->half, s->median, s->best_mean,
                   100 * s->infeasible, 100 * s->right);
    if (!isnan(r->seconds))
        app_text_print(out, " %10.2f", 1e3 * r->seconds);
    app_text_print(out, "\n");
}

int app_standard_points(const struct app_result *r, int at[APP_STANDARD_POINTS])
{
    static const int standard[] = {20, 30, 50, 75, 110};
    int count = 0;

    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (standard[i] >= r->first && standard[i] <= r->last)
            at[count++] = standard[i];
    if (!count || at[count - 1] != r->last)
        at[count++] = r->last;
    return count;
}

static void add_result(const struct app_result *r, int count, const int *at, int json, struct app_text *out)
{
    int standard[APP_STANDARD_POINTS];
    const int points = count ? count : app_standard_points(r, standard);

    for (int i = 0; i < points; i++) {
        const int evaluation = count ? at[i] : standard[i];
        struct app_statistics s;
        if (app_statistics(r, evaluation, &s))
            (json ? add_json : add_line)(r, evaluation, &s, out);
    }
}

void app_bench_summary(const struct app_results *all, int count, const int *at, int json,
                       struct app_text *out)
{
    if (!json)
        app_text_print(out, "%-24s %5s  %-7s %5s   %9s   %-9s %9s   %9s %12s %11s %10s\n", "problem", "noise",
                       "policy", "evals", "mean OC", "95 %", "median", "best seen", "infeasible",
                       "right part", "ms/suggest");
    for (int k = 0; k < all->count; k++)
        add_result(&all->result[k], count, at, json, out);
}
