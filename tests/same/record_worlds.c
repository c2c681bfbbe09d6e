/* The worlds of record.c: their problems, and what is measured in them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

const struct world worlds[] = {
    {"line", REALS, 1, 0, CKG_NOISE_NONE, 12, 1, 0, 0, 0},
    {"toy", REALS, 2, 1, CKG_NOISE_NONE, 17, 1, 0, 0, 0},
    {"toy-noise", REALS, 2, 1, CKG_NOISE_AUTO, 16, 2, 0, 0, 0},
    {"toy-known", REALS, 2, 2, CKG_NOISE_KNOWN, 14, 1, 0, 1, 0},
    {"mixed", MIXED, 4, 2, CKG_NOISE_NONE, 16, 3, 0, 0, 0},
    {"mixed-noise", MIXED, 4, 1, CKG_NOISE_AUTO, 15, 1, 1, 0, 0},
    {"listed", LISTED, 3, 1, CKG_NOISE_AUTO, 15, 2, 0, 0, 0},
    {"tiny", TINY, 2, 1, CKG_NOISE_NONE, 12, 1, 0, 0, 0},
    {"broken", REALS, 3, 1, CKG_NOISE_NONE, 16, 2, 1, 1, 0},
    {"five", REALS, 5, 3, CKG_NOISE_NONE, 18, 1, 0, 0, 0},
    {"ten", REALS, 10, 4, CKG_NOISE_NONE, 26, 2, 0, 1, 0},

    /* What only some policies meet. */
    {"everything", REALS, 5, 4, CKG_NOISE_VARYING, 19, 2, 1, 1,
     EQUAL | RULED | ANSWERS | COSTS | GROUPS | STEPS | POSITIVE | OWN},
    {"equal", REALS, 2, 2, CKG_NOISE_NONE, 15, 1, 0, 0, EQUAL},
    {"equal-noise", REALS, 3, 1, CKG_NOISE_AUTO, 15, 2, 0, 0, EQUAL},
    {"ruled", REALS, 3, 1, CKG_NOISE_NONE, 16, 2, 0, 0, RULED | OWN},
    {"ruled-mixed", MIXED, 4, 1, CKG_NOISE_AUTO, 15, 2, 1, 0, RULED | OWN},
    {"ruled-list", LISTED, 3, 1, CKG_NOISE_NONE, 13, 2, 0, 0, RULED | COSTS},
    {"answers", REALS, 2, 2, CKG_NOISE_NONE, 15, 1, 0, 0, ANSWERS},
    {"answers-noise", REALS, 3, 1, CKG_NOISE_AUTO, 16, 2, 1, 1, ANSWERS},
    {"costs", REALS, 2, 2, CKG_NOISE_NONE, 22, 2, 0, 0, COSTS | OWN},
    {"groups", REALS, 3, 3, CKG_NOISE_AUTO, 20, 2, 1, 1, COSTS | GROUPS},
    {"varying", REALS, 2, 1, CKG_NOISE_VARYING, 28, 3, 0, 0, OWN},
    {"steps", MIXED, 4, 1, CKG_NOISE_NONE, 15, 3, 0, 0, STEPS},
    {"positive", REALS, 2, 2, CKG_NOISE_AUTO, 15, 1, 1, 0, POSITIVE},
    {"repeats", REALS, 2, 3, CKG_NOISE_NONE, 15, 1, 0, 0, REPEATS},
    {"hopeless", REALS, 2, 2, CKG_NOISE_NONE, 14, 1, 0, 0, HOPELESS},
    {"absurd", REALS, 2, 1, CKG_NOISE_AUTO, 16, 2, 0, 0, OUTLIER},
};

const struct world *world_named(const char *name)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        if (!strcmp(worlds[i].name, name))
            return &worlds[i];
    die(name);
}

/* --- the problems --- */

static const double list[][3] = {
    {0.1, 0.2, 0.3},    {0.5, 0.5, 0.5},    {0.9, 0.1, 0.4},    {0.3, 0.8, 0.7},
    {0.7, 0.6, 0.2},    {0.2, 0.9, 0.1},    {0.6, 0.3, 0.9},    {0.4, 0.4, 0.8},
    {0.8, 0.7, 0.6},    {0.0, 1.0, 0.5},    {1.0, 0.0, 0.1},    {0.35, 0.15, 0.65},
    {0.55, 0.95, 0.25}, {0.15, 0.55, 0.85}, {0.95, 0.45, 0.05}, {0.65, 0.05, 0.75}};

static void add_parameters(ckg_problem *problem, const struct world *w)
{
    static const char *const values[] = {"p", "q", "r"};
    const int steps = w->traits & STEPS;
    char name[16];

    for (int i = 0; i < w->d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        if (w->shape == TINY || (w->shape == MIXED && i == 2))
            must(ckg_problem_add_integer(problem, name, steps ? 1 : 0, w->shape == TINY ? 3 : 9));
        else if (w->shape == MIXED && i == 3)
            must(ckg_problem_add_categorical(problem, name, 3, values));
        else if (w->shape == REALS && i == 4)
            must(ckg_problem_add_real(problem, name, 0.01, 10, CKG_LOG));
        else
            must(ckg_problem_add_real(problem, name, 0, 1, CKG_LINEAR));
    }
    if (steps) {
        must(ckg_problem_set_step(problem, "x0", 0.07));
        must(ckg_problem_set_step(problem, w->shape == MIXED ? "x2" : "x4", 2));
    }
    if (steps && w->shape == MIXED)
        must(ckg_problem_set_scale(problem, "x2", CKG_LOG));
    if (w->shape == LISTED)
        must(ckg_problem_set_designs(problem, sizeof list / sizeof *list, list[0]));
}

/* A rule that no words say. */
static int allowed(const double *x, void *most)
{
    return x[0] + x[1] * x[1] <= *(const double *)most;
}

static void add_rules(ckg_problem *problem, const struct world *w)
{
    static double most = 1.6;
    double row[MOST_D] = {1, 1};

    must(ckg_problem_add_constant(problem, "most", 1.3));
    must(ckg_problem_add_rule(problem, w->shape == LISTED ? "x0 + x2 <= most" : "x0 + x1 <= most", NULL));
    if (w->shape == MIXED) {
        must(ckg_problem_add_rule(problem, "if x3 == \"q\" then x2 <= 6 and x0 > 0.2", NULL));
    } else if (w->shape == REALS) {
        row[2] = -0.5;
        must(ckg_problem_add_rule(problem, "x0 * x1 <= 0.4", NULL));
        must(ckg_problem_add_rule_row(problem, row, 0.1, 1.25));
    }
    must(ckg_problem_add_rule_function(problem, allowed, &most));
}

static void add_limits(ckg_problem *problem, const struct world *w, const char *name, int k)
{
    const int traits = w->traits;

    if (traits & ANSWERS && k == 0)
        must(ckg_problem_add_yesno(problem, name));
    else if (traits & EQUAL && k == (traits & ANSWERS ? 1 : 0))
        must(ckg_problem_add_equality(problem, name, 0.05, 0.12));
    else if (traits & POSITIVE && k == w->K - 1)
        must(ckg_problem_add_constraint(problem, name, 0.02, 2.56));
    else if (traits & REPEATS && k > 0)
        must(ckg_problem_add_constraint(problem, name, -INFINITY, k == 1 ? 2.3 : 0.1));
    else if (traits & HOPELESS)
        must(ckg_problem_add_constraint(problem, name, k ? 2.5 : -INFINITY, k ? INFINITY : -3));
    else
        must(ckg_problem_add_constraint(problem, name,
                                        k == 1   ? -1.2
                                        : k == 2 ? -0.9
                                                 : -INFINITY,
                                        k == 2 ? INFINITY : 0.1));
}

ckg_problem *make_problem(const struct world *w)
{
    ckg_problem *problem;
    char name[16];

    must(ckg_problem_new(&problem));
    add_parameters(problem, w);
    if (w->traits & RULED)
        add_rules(problem, w);
    must(ckg_problem_set_objective(problem, "f", w->d % 2 ? CKG_MAXIMIZE : CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", w->noise, 0.3));
    for (int k = 0; k < w->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        add_limits(problem, w, name, k);
        if (!(w->traits & ANSWERS && k == 0))
            must(ckg_problem_set_noise(problem, name, w->noise, 0.05));
        if (w->traits & POSITIVE && k == w->K - 1)
            must(ckg_problem_set_positive(problem, name, 1));
    }
    if (w->traits & POSITIVE)
        must(ckg_problem_set_positive(problem, "f", 1));
    if (w->traits & COSTS) {
        must(ckg_problem_set_cost(problem, "f", 3));
        must(ckg_problem_set_cost(problem, "c0", 0.7));
    }
    if (w->traits & GROUPS)
        must(ckg_problem_add_group(problem, 2, (const char *const[]){"c0", "c1"}));
    return problem;
}

/* Disturbances that look like chance and are the same everywhere. */
static double ripple(int trial, int outcome)
{
    const double t = fmod((trial * 7 + outcome * 3 + 1) * 0.6180339887498949, 1);
    return 3.4 * (t - 0.5);
}

/* What a world's traits make of its values. */
static void distort(const struct world *w, int trial, const double *t, double *values)
{
    const int traits = w->traits;

    if (traits & POSITIVE) {
        values[0] = 0.05 + values[0] * values[0];
        values[w->K] = 0.01 + (values[w->K] + 1.5) * (values[w->K] + 1.5);
    }
    if (traits & REPEATS) {
        values[2] = 3 * values[1] + 2;
        values[3] = values[1] + 1e-5 * ripple(trial, 3);
    }
    if (traits & ANSWERS)
        values[1] = values[1] <= 0.1;
    if (traits & HOPELESS)
        values[1] = t[0] - 0.6 * t[1] + 0.2;
    if (traits & OUTLIER && trial % 6 == 5)
        values[trial % 2] += 1e5;
}

void evaluate(const struct world *w, int trial, const double *x, double *values)
{
    const double top = w->shape == TINY ? 3 : 1;
    const int noisy = w->noise != CKG_NOISE_NONE;
    double t[MOST_D];

    /* The designs in the unit cube. */
    for (int i = 0; i < w->d; i++)
        t[i] = x[i] / top;
    if (w->shape == MIXED) {
        t[2] = x[2] / 9;
        t[3] = x[3] == 0 ? 0.2 : x[3] == 1 ? 0.9 : 0.5;
    }
    if (w->shape == REALS && w->d > 4)
        t[4] = sqrt(sqrt(x[4] / 10));

    /* A rippled bowl, steep in one corner. */
    values[0] = 0;
    for (int i = 0; i < w->d; i++)
        values[0] += (t[i] - 0.4) * (t[i] - 0.4) * 9 + 0.7 * (t[i] * (1 - t[i])) * (5 * t[i] - 1 - 0.3 * i);
    if (w->d == 5)
        values[0] += 400 * t[0] * t[0] * t[0] * t[0] * t[0] * t[0] * t[0] * t[0];
    if (w->d % 2)
        values[0] = -values[0];

    /* Waves that must stay within limits, as polynomials: libm's sine may differ between machines. */
    for (int k = 1; k <= w->K; k++) {
        values[k] = -0.35;
        for (int i = 0; i < w->d; i++) {
            const double s = t[i] * 2 + 0.31 * k + 0.17 * i - 1.1;
            values[k] += (s - s * s * s / 1.9) / sqrt(w->d);
        }
    }
    const double rough = w->noise == CKG_NOISE_VARYING ? 0.02 + 4 * t[0] * t[0] : 1;
    for (int j = 0; noisy && j <= w->K; j++)
        if (!(w->traits & ANSWERS && j == 1))
            values[j] += (j ? 0.05 : 0.3) * rough * ripple(trial, j);
    distort(w, trial, t, values);
}

/* Designs of the problem that no study chose. */
void probe_designs(const struct world *w, double *X, int count)
{
    for (int p = 0; p < count; p++)
        for (int i = 0; i < w->d; i++) {
            double t = fmod((p + 1) * 0.7548776662466927 + (i + 1) * 0.5698402909980532 * (p + 2), 1);
            if (w->shape == LISTED)
                t = list[p * 3][i];
            if (w->shape == TINY)
                t = floor(4 * t);
            if (w->shape == MIXED && i == 2)
                t = w->traits & STEPS ? 1 + floor(9 * t) : floor(10 * t);
            if (w->shape == MIXED && i == 3)
                t = floor(3 * t);
            X[p * w->d + i] = w->shape == REALS && i == 4 ? 0.01 + t : t;
        }
}
