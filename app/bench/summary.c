/* Means with their intervals, medians, shares. */
#include "bench/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/visible.h"
#include "bench/spread.h"

int app_statistics(const struct app_result *r, int evaluation, struct app_statistics *out)
{
    const int steps = r->last - r->first + 1;
    const int n = r->replications;

    *out = (struct app_statistics){0};
    if (evaluation < r->first || evaluation > r->last)
        return 0;
    double *values = r->scratch;

    /* What is recommended. */
    for (int i = 0; i < n; i++) {
        const int at = i * steps + evaluation - r->first;
        values[i] = r->cost[at];
        out->infeasible += !r->feasible[at] / (double)n;
        out->right += r->right[at] / (double)n;
    }
    const struct app_spread cost = app_spread_of(values, n);
    out->mean = cost.mean;
    out->half = cost.half;
    out->median = cost.median;

    /* The best design evaluated. */
    for (int i = 0; i < n; i++)
        values[i] = r->best[i * steps + evaluation - r->first];
    const struct app_spread best = app_spread_of(values, n);
    out->best_mean = best.mean;
    out->best_median = best.median;

    return 1;
}

static int print_json(const struct app_result *r, int evaluation, const struct app_statistics *s)
{
    struct app_text out = {0};

    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mean", s->mean},
                   {"half_width_95", s->half},
                   {"median", s->median},
                   {"best_feasible_mean", s->best_mean},
                   {"best_feasible_median", s->best_median},
                   {"infeasible", s->infeasible},
                   {"right_region", s->right},
                   {"seconds_per_suggestion", r->seconds}};
    app_text_print(
        &out,
        "{\"problem\": \"%s\", \"noise\": %g, \"policy\": \"%s\", \"replications\": %d, \"evaluation\": %d",
        r->problem, r->noise, r->policy, r->replications, evaluation);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        app_text_print(&out, ", \"%s\": ", numbers[i].name);
        app_json_number(&out, numbers[i].value);
    }
    const int made = !out.failed;
    if (made)
        app_say("%s}\n", out.data);
    app_text_free(&out);
    return made;
}

static int print_text(const struct app_result *r, int evaluation, const struct app_statistics *s)
{
    app_say("%-24s %5g  %-7s %5d   %9.3g ± %-9.2g %9.3g   %9.3g %10.0f %% %9.0f %%", r->problem, r->noise,
            r->policy, evaluation, s->mean, s->half, s->median, s->best_mean, 100 * s->infeasible,
            100 * s->right);
    if (!isnan(r->seconds))
        app_say(" %10.2f", 1e3 * r->seconds);
    app_say("\n");
    return 1;
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

/* 0: no memory. */
static int print_result(const struct app_result *r, int count, const int *at, int json)
{
    int standard[APP_STANDARD_POINTS];
    const int points = count ? count : app_standard_points(r, standard);
    int printed = 1;

    for (int i = 0; printed && i < points; i++) {
        const int evaluation = count ? at[i] : standard[i];
        struct app_statistics s;
        if (app_statistics(r, evaluation, &s))
            printed = (json ? print_json : print_text)(r, evaluation, &s);
    }
    return printed;
}

int app_summary_print(const char *folder, int count, const int *at, int json, struct app_message *message)
{
    struct app_results all;
    int status = app_results_read(&all, folder, message);

    if (status)
        return status;
    if (!json)
        app_say("%-24s %5s  %-7s %5s   %9s   %-9s %9s   %9s %12s %11s %10s\n", "problem", "noise", "policy",
                "evals", "mean OC", "95 %", "median", "best seen", "infeasible", "right part", "ms/suggest");
    for (int k = 0; !status && k < all.count; k++)
        if (!print_result(&all.result[k], count, at, json))
            status = app_fail(message, CKG_ERR_NOMEM, "out of memory");
    app_results_free(&all);
    return status;
}
