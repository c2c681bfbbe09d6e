/*
 * Draws every policy's surface on the one-dimensional example:
 *
 *     build/bench/surfaces FOLDER
 *
 * writes FOLDER/NAME.svg for each policy in the registry. Above: the objective and its model, shaded where
 * the constraint is likely to fail, and the evaluated designs. Below: the policy's value, for five seeds if
 * it depends on the seed, and the design it suggests. A policy without values shows its next twelve designs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

enum { GRID = EXAMPLE_GRID, SEEDS = 5, NEXT = 12 };

static ckg_study *make_study(const char *policy, int seed)
{
    ckg_study *study = example_study(policy, 0, 0.05, seed);

    example_fill(study);
    return study;
}

/* --- drawing --- */

enum { WIDTH = 640, LEFT = 24, RIGHT = 616, TOP = 26, MIDDLE = 212, GAP = 30, BOTTOM = 372 };

struct panel {
    FILE *out;
    double top, bottom, low, high;
};

static double at_x(double x)
{
    return LEFT + x * (RIGHT - LEFT);
}

static double at_y(const struct panel *p, double y)
{
    const double t = (y - p->low) / (p->high - p->low);

    return p->bottom - fmin(fmax(t, 0), 1) * (p->bottom - p->top);
}

static void curve(const struct panel *p, const double *y, const char *style)
{
    fprintf(p->out, "<path fill=\"none\" %s d=\"", style);
    for (int i = 0; i < GRID; i++)
        fprintf(p->out, "%c%.1f %.1f", i ? 'L' : 'M', at_x((double)i / (GRID - 1)), at_y(p, y[i]));
    fprintf(p->out, "\"/>\n");
}

static void band(const struct panel *p, const double *mean, const double *sd)
{
    fprintf(p->out, "<path fill=\"#4878a8\" fill-opacity=\"0.18\" d=\"");
    for (int i = 0; i < GRID; i++)
        fprintf(p->out, "%c%.1f %.1f", i ? 'L' : 'M', at_x((double)i / (GRID - 1)),
                at_y(p, mean[2 * i] + 2 * sd[2 * i]));
    for (int i = GRID - 1; i >= 0; i--)
        fprintf(p->out, "L%.1f %.1f", at_x((double)i / (GRID - 1)), at_y(p, mean[2 * i] - 2 * sd[2 * i]));
    fprintf(p->out, "Z\"/>\n");
}

static void text(FILE *out, double x, double y, const char *anchor, const char *words)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

static void range(int count, const double *y, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!isfinite(y[i]))
            continue;
        *low = fmin(*low, y[i]);
        *high = fmax(*high, y[i]);
    }
    if (!(*high > *low)) {
        *low -= 1;
        *high += 1;
    }
}

/* The model: likely infeasible parts grey, band, mean, truth, data. */
static void draw_model(FILE *out, ckg_study *study, const double *X)
{
    static double mean[2 * GRID];
    static double sd[2 * GRID];
    static double probability[GRID];
    static double truth[GRID];
    static double line[GRID];

    /* What the model says, on the scale of the truth. */
    example_check(ckg_study_predict(study, GRID, X, mean, sd, probability, NULL));
    struct panel p = {out, TOP, MIDDLE, 0, 0};
    for (int i = 0; i < GRID; i++) {
        truth[i] = example_objective(X[i]);
        line[i] = mean[2 * i];
    }
    range(GRID, truth, &p.low, &p.high);
    p.low -= 0.4;
    p.high += 0.4;

    /* Grey where it is likely infeasible. */
    for (int i = 0; i + 1 < GRID; i += 2)
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" shape-rendering=\"crispEdges\" "
                "fill=\"#777\" fill-opacity=\"%.3f\"/>\n",
                at_x(X[i]), TOP, (RIGHT - LEFT) * 2.0 / (GRID - 1), MIDDLE - TOP,
                0.45 * (1 - probability[i]));

    /* The curves, and the data. */
    band(&p, mean, sd);
    curve(&p, truth, "stroke=\"#222\" stroke-width=\"1\" stroke-dasharray=\"4 3\"");
    curve(&p, line, "stroke=\"#2b6ca3\" stroke-width=\"2\"");
    for (int i = 0; i < ckg_study_trials(study); i++) {
        ckg_trial trial;
        example_check(ckg_study_trial(study, i, &trial));
        fprintf(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\" stroke=\"#222\" stroke-width=\"1.3\"/>\n",
            at_x(trial.x[0]), at_y(&p, example_objective(trial.x[0])),
            example_constraint(trial.x[0]) <= 0 ? "#2b6ca3" : "#fff");
    }
}

/* The values of SEEDS studies, the first one's on top and its suggestion marked. */
static void draw_values(FILE *out, const ckg_policy_info *policy, const double *X)
{
    static double value[SEEDS][GRID];
    double suggestion = 0;

    for (int seed = 0; seed < SEEDS; seed++) {
        ckg_study *study = make_study(policy->name, seed + 1);
        ckg_suggestion *s;
        example_check(ckg_study_score(study, NULL, GRID, X, value[seed]));
        example_check(ckg_study_ask(study, &s));
        if (!seed)
            suggestion = s->x[0];
        ckg_suggestion_free(s);
        ckg_study_free(study);
    }
    struct panel p = {out, MIDDLE + GAP, BOTTOM, 0, 0};
    range(SEEDS * GRID, value[0], &p.low, &p.high);
    if (strstr(policy->value, "log"))
        p.low = fmax(p.low, p.high - 12);
    for (int seed = SEEDS - 1; seed >= 0; seed--)
        curve(&p, value[seed],
              seed ? "stroke=\"#c0703c\" stroke-width=\"1\" stroke-opacity=\"0.45\""
                   : "stroke=\"#b4501e\" stroke-width=\"2\"");
    fprintf(out,
            "<path d=\"M%.1f %d V%d\" stroke=\"#b4501e\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"/>\n",
            at_x(suggestion), TOP, BOTTOM);
}

static void draw_designs(FILE *out, const char *policy)
{
    ckg_study *study = make_study(policy, 1);

    for (int i = 0; i < NEXT; i++) {
        ckg_suggestion *s;
        example_check(ckg_study_ask(study, &s));
        const double y = MIDDLE + GAP + 8 + (BOTTOM - MIDDLE - GAP - 16) * (double)i / (NEXT - 1);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#b4501e\"/>\n", at_x(s->x[0]), y);
        ckg_suggestion_free(s);
    }
    ckg_study_free(study);
}

static void draw(const char *folder, const ckg_policy_info *policy)
{
    char path[1024];
    char title[256];
    double X[GRID];

    for (int i = 0; i < GRID; i++)
        X[i] = (double)i / (GRID - 1);
    snprintf(path, sizeof path, "%s/%s.svg", folder, policy->name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\" fill=\"#222\">\n",
            WIDTH, BOTTOM + 22);
    fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");

    /* The model above, the policy below. */
    ckg_study *study = make_study(policy->name, 1);
    draw_model(out, study, X);
    ckg_study_free(study);
    if (*policy->value)
        draw_values(out, policy, X);
    else
        draw_designs(out, policy->name);

    /* What they are. */
    text(out, LEFT, TOP - 9, "start",
         "objective (dashed), its model (blue), evaluated designs (filled: feasible); grey: likely "
         "infeasible");
    snprintf(title, sizeof title, "%s: %s", policy->name,
             *policy->value ? policy->value : "its next twelve designs, the first on top");
    text(out, LEFT, MIDDLE + GAP - 8, "start", title);
    fprintf(out, "<path d=\"M%d %d H%d M%d %d H%d\" stroke=\"#222\"/>\n", LEFT, MIDDLE, RIGHT, LEFT, BOTTOM,
            RIGHT);
    text(out, LEFT, BOTTOM + 15, "middle", "0");
    text(out, RIGHT, BOTTOM + 15, "middle", "1");
    text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 15, "middle", "x");

    fprintf(out, "</svg>\n");
    if (fclose(out)) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: surfaces FOLDER\n");
        return 2;
    }
    for (int i = 0; i < ckg_policy_count(); i++) {
        ckg_policy_info policy;
        example_check(ckg_policy_at(i, &policy));
        draw(argv[1], &policy);
    }
    return 0;
}
