/* Flood fill from the optimum over a grid of feasible cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan.h"

enum { N = 500 };

struct app_components {
    const struct app_problem *problem;
    unsigned char *cell; /* (N × N) 0 infeasible, 1 feasible, 2 in the part of the optimum */
};

static void centre(const struct app_problem *p, int i, int j, double *x)
{
    x[0] = p->low[0] + (i + 0.5) / N * (p->high[0] - p->low[0]);
    x[1] = p->low[1] + (j + 0.5) / N * (p->high[1] - p->low[1]);
}

static int index_of(const struct app_problem *p, int k, double x)
{
    const int i = (int)floor((x - p->low[k]) / (p->high[k] - p->low[k]) * N);

    return i < 0 ? 0 : i >= N ? N - 1 : i;
}

/* The feasible cell nearest to x, -1 where there is none within a few cells. */
static int near_cell(const struct app_components *c, const double *x)
{
    enum { REACH = 4 };
    const int i = index_of(c->problem, 0, x[0]);
    const int j = index_of(c->problem, 1, x[1]);
    int best = -1;
    int nearest = REACH * REACH * 3;

    for (int a = i - REACH; a <= i + REACH; a++)
        for (int b = j - REACH; b <= j + REACH; b++) {
            const int distance = (a - i) * (a - i) + (b - j) * (b - j);
            if (a < 0 || b < 0 || a >= N || b >= N || !c->cell[a * N + b] || distance >= nearest)
                continue;
            nearest = distance;
            best = a * N + b;
        }
    return best;
}

static int flood(struct app_components *c, int start)
{
    int *stack = malloc(sizeof *stack * N * N);
    int depth = 0;

    if (!stack)
        return 0;
    c->cell[start] = 2;
    stack[depth++] = start;
    while (depth) {
        const int at = stack[--depth];
        const int i = at / N;
        const int j = at % N;
        for (int a = i - 1; a <= i + 1; a++)
            for (int b = j - 1; b <= j + 1; b++)
                if (a >= 0 && b >= 0 && a < N && b < N && c->cell[a * N + b] == 1) {
                    c->cell[a * N + b] = 2;
                    stack[depth++] = a * N + b;
                }
    }
    free(stack);
    return 1;
}

struct app_components *app_components_find(const struct app_problem *problem)
{
    struct app_components *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->problem = problem;
    if (problem->d != 2 || problem->own)
        return c;
    c->cell = calloc(N, N);
    for (int i = 0; c->cell && i < N; i++)
        for (int j = 0; j < N; j++) {
            double x[2];
            double values[1 + APP_PROBLEM_CONSTRAINTS];
            centre(problem, i, j, x);
            problem->evaluate(x, values);
            c->cell[i * N + j] = (unsigned char)app_problem_feasible(problem, values);
        }
    const int start = c->cell ? near_cell(c, problem->best) : -1;
    if (start < 0 || !flood(c, start)) {
        app_components_free(c);
        return NULL;
    }
    return c;
}

void app_components_free(struct app_components *c)
{
    if (c)
        free(c->cell);
    free(c);
}

int app_components_right(const struct app_components *c, const double *x)
{
    double values[1 + CKG_MAX_CONSTRAINTS];

    if (!app_problem_evaluate(c->problem, x, values) || !app_problem_feasible(c->problem, values))
        return 0;
    const int cell = c->cell ? near_cell(c, x) : 0;
    return !c->cell || (cell >= 0 && c->cell[cell] == 2);
}
