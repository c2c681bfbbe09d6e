/*
 * Equality constraints: how near to the known optimum, and by when.
 *
 *     build/bench/equality [--seeds 10] [--first-seed 1] [--evaluations 100] [--policy auto]
 *                          [--problem g11,…] [--tolerance 1e-4] [--threads 2]
 *
 * g03 (d = 10, and its form with 4 parameters), g05, g11 and g13 of the competition of 2006, and the mixed
 * problem of Picheny et al. 2016 with the equalities on their scales. Without noise; 2(d + 1) initial
 * designs, at least 10. For every problem: the share of seeds whose best feasible evaluation is within 1e-3
 * and 1e-2 of the optimum, relative to max(1, |f*|), the median and the worst of that gap, the same for the
 * recommendation, and the evaluations needed, all of them counted. `--trace` prints every seed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "base/parallel.h"
#include "options.h"

enum { MOST = 10, MARKS = 4, CONSTRAINTS = 5 };

static const double pi = 3.14159265358979323846;

/* --- problems: values are f, c_1 … c_K --- */

/* (√d)^d Πx under |x|² = 1, maximised. */
static void power(int d, const double *x, double *v)
{
    v[0] = -1;
    v[1] = -1;
    for (int i = 0; i < d; i++) {
        v[0] *= sqrt(d) * x[i];
        v[1] += x[i] * x[i];
    }
}

static void g03(const double *x, double *v)
{
    power(10, x, v);
}

static void g03_4(const double *x, double *v)
{
    power(4, x, v);
}

static void g05(const double *x, double *v)
{
    v[0] = 3 * x[0] + 1e-6 * pow(x[0], 3) + 2 * x[1] + 2e-6 / 3 * pow(x[1], 3);
    v[1] = 1000 * sin(-x[2] - 0.25) + 1000 * sin(-x[3] - 0.25) + 894.8 - x[0];
    v[2] = 1000 * sin(x[2] - 0.25) + 1000 * sin(x[2] - x[3] - 0.25) + 894.8 - x[1];
    v[3] = 1000 * sin(x[3] - 0.25) + 1000 * sin(x[3] - x[2] - 0.25) + 1294.8;
    v[4] = x[2] - x[3] - 0.55;
    v[5] = x[3] - x[2] - 0.55;
}

static void g11(const double *x, double *v)
{
    v[0] = x[0] * x[0] + (x[1] - 1) * (x[1] - 1);
    v[1] = x[1] - x[0] * x[0];
}

static void g13(const double *x, double *v)
{
    v[0] = exp(x[0] * x[1] * x[2] * x[3] * x[4]);
    v[1] = -10;
    for (int i = 0; i < 5; i++)
        v[1] += x[i] * x[i];
    v[2] = x[1] * x[2] - 5 * x[3] * x[4];
    v[3] = pow(x[0], 3) + pow(x[1], 3) + 1;
}

static double branin(const double *x)
{
    const double a = 15 * x[0] - 5;
    const double b = 15 * x[1];

    return pow(b - 5.1 / (4 * pi * pi) * a * a + 5 / pi * a - 6, 2) + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10;
}

static void mixed(const double *x, double *v)
{
    const double a = 4 * x[0] - 2;
    const double b = 4 * x[1] - 2;
    const double p = 2 * x[0] - 1;
    const double q = 2 * x[1] - 1;
    const double s = 1 + pow(a + b + 1, 2) * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b);
    const double t = 30 +
                     pow(2 * a - 3 * b, 2) * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b);
    const double g = (4 - 2.1 * p * p + pow(p, 4) / 3) * p * p + p * q + (4 * q * q - 4) * q * q +
                     3 * sin(6 * (1 - p)) + 3 * sin(6 * (1 - q));

    v[0] = (log(s * t) - 8.6928) / 2.4269;
    v[1] = (25 - branin(x)) / 100;
    v[2] = (4 - g) / 10;
    v[3] = 1.5 - x[0] - 2 * x[1] - 0.5 * sin(2 * pi * (x[0] * x[0] - 2 * x[1]));
}

static const struct task {
    const char *name;
    int d;
    int equalities; /* the first so many constraints are 0, the others at most 0 */
    int K;
    double low[MOST], high[MOST];
    double best; /* under the equalities without tolerance */
    void (*evaluate)(const double *x, double *values);
} tasks[] = {
    {"g03-4", 4, 1, 1, {0}, {1, 1, 1, 1}, -1, g03_4},
    {"g03", 10, 1, 1, {0}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, -1, g03},
    {"g05", 4, 3, 5, {0, 0, -0.55, -0.55}, {1200, 1200, 0.55, 0.55}, 5126.49671, g05},
    {"g11", 2, 1, 1, {-1, -1}, {1, 1}, 0.75, g11},
    {"g13", 5, 3, 3, {-2.3, -2.3, -3.2, -3.2, -3.2}, {2.3, 2.3, 3.2, 3.2, 3.2}, 0.0539498, g13},
    {"mixed", 2, 2, 3, {0, 0}, {1, 1}, -0.6674614, mixed},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

/* --- replications --- */

struct settings {
    int seeds;
    int first_seed;
    int evaluations;
    int threads;
    int trace;
    double tolerance;
    const char *policy;
    const char *problem;
};

struct outcome {
    double gap;         /* of the best feasible evaluation; INFINITY: there is none */
    double recommended; /* of the recommendation, if it is feasible */
    double violation;   /* of the recommendation, the largest */
    int by[3];          /* the first evaluation that is feasible, within 1e-2, within 1e-3; 0: none */
    double seconds;     /* for each */
};

struct cell {
    const struct settings *settings;
    const struct task *task;
    struct outcome *outcomes; /* (seeds) */
};

static void check(int status)
{
    if (status) {
        fprintf(stderr, "equality: %s\n", ckg_error_message());
        exit(1);
    }
}

static ckg_study *study_of(const struct cell *cell, uint64_t seed)
{
    const struct task *task = cell->task;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    char name[16];

    check(ckg_problem_new(&problem));
    for (int i = 0; i < task->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        check(ckg_problem_add_real(problem, name, task->low[i], task->high[i], CKG_LINEAR));
    }
    check(ckg_problem_set_noise(problem, "objective", CKG_NOISE_NONE, 0));
    for (int k = 1; k <= task->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        check(k <= task->equalities ? ckg_problem_add_equality(problem, name, 0, cell->settings->tolerance)
                                    : ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        check(ckg_problem_set_noise(problem, name, CKG_NOISE_NONE, 0));
    }
    options.policy = cell->settings->policy;
    options.threads = 1;
    options.seed = seed;
    options.budget = cell->settings->evaluations;
    check(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

/* The gap to the optimum, and how far the worst constraint is beyond its limits. */
static double gap_of(const struct cell *cell, const double *x, double *violation)
{
    const struct task *task = cell->task;
    double v[1 + CONSTRAINTS];

    task->evaluate(x, v);
    *violation = -INFINITY;
    for (int k = 1; k <= task->K; k++)
        *violation = fmax(*violation, k <= task->equalities ? fabs(v[k]) - cell->settings->tolerance : v[k]);
    return fabs(v[0] - task->best) / fmax(1, fabs(task->best));
}

static void note(struct outcome *out, double gap, int n)
{
    static const double within[3] = {INFINITY, 1e-2, 1e-3};

    out->gap = fmin(out->gap, gap);
    for (int i = 0; i < 3; i++)
        if (!out->by[i] && gap <= within[i])
            out->by[i] = n;
}

static int replicate(void *context, int index, struct app_message *message)
{
    const struct cell *cell = context;
    const int evaluations = cell->settings->evaluations;
    struct outcome *out = &cell->outcomes[index];
    ckg_study *study = study_of(cell, (uint64_t)(cell->settings->first_seed + index));
    ckg_recommendation *r;

    (void)message;
    out->gap = INFINITY;
    for (int n = 1; n <= evaluations; n++) {
        ckg_suggestion *s;
        double v[1 + CONSTRAINTS];
        double violation;

        check(ckg_study_ask(study, &s));
        out->seconds += s->seconds.total / evaluations;
        cell->task->evaluate(s->x, v);
        const double gap = gap_of(cell, s->x, &violation);
        if (violation <= 0)
            note(out, gap, n);
        if (cell->settings->trace > 1)
            printf("  %3d %-10s gap %9.2e violation %9.2e\n", n, s->path, gap, violation);
        check(ckg_study_tell(study, s->trial, v));
        ckg_suggestion_free(s);
    }
    check(ckg_study_recommend(study, NULL, &r));
    out->recommended = gap_of(cell, r->x, &out->violation);
    ckg_recommendation_free(r);
    ckg_study_free(study);
    return CKG_OK;
}

/* --- what it says --- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of one number of the outcomes, and the largest. */
static double middle(const struct cell *cell, double (*of)(const struct outcome *), double *worst)
{
    const int n = cell->settings->seeds;
    double *all = malloc((size_t)n * sizeof *all);

    if (!all)
        exit(1);
    for (int r = 0; r < n; r++)
        all[r] = of(&cell->outcomes[r]);
    qsort(all, (size_t)n, sizeof *all, ascending);
    const double median = n % 2 ? all[n / 2] : 0.5 * (all[n / 2 - 1] + all[n / 2]);
    *worst = all[n - 1];
    free(all);
    return median;
}

static double best_gap(const struct outcome *o)
{
    return o->gap;
}

static double recommended_gap(const struct outcome *o)
{
    return o->violation <= 0 ? o->recommended : INFINITY;
}

static double by_when(const struct outcome *o)
{
    return o->by[2] ? o->by[2] : INFINITY;
}

static void print_cell(const struct cell *cell)
{
    const int n = cell->settings->seeds;
    int found[3] = {0};
    double seconds = 0;
    double worst;
    double unused;

    for (int r = 0; r < n; r++) {
        const struct outcome *o = &cell->outcomes[r];
        for (int i = 0; i < 3; i++)
            found[i] += o->by[i] > 0;
        seconds += o->seconds / n;
        if (cell->settings->trace)
            printf("  seed %d: feasible at %d, 1e-2 at %d, 1e-3 at %d; gap %.2e; recommended %.2e, violation "
                   "%.2e\n",
                   cell->settings->first_seed + r, o->by[0], o->by[1], o->by[2], o->gap, o->recommended,
                   o->violation);
    }
    const double median = middle(cell, best_gap, &worst);
    const double recommended = middle(cell, recommended_gap, &unused);
    const double when = middle(cell, by_when, &unused);
    printf("%-6s %-8s feasible %d, within 1e-2 %d, within 1e-3 %d of %d; gap median %.1e worst %.1e; "
           "recommended median %.1e; 1e-3 by evaluation %.0f (median); %.0f ms\n",
           cell->task->name, cell->settings->policy, found[0], found[1], found[2], n, median, worst,
           recommended, when, 1e3 * seconds);
    fflush(stdout);
}

/* 1 when the list names the task, or is empty. */
static int listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return 1;
    return !list;
}

int main(int argc, char **argv)
{
    struct settings set = {10, 1, 100, 2, 0, 1e-4, "auto", NULL};
    const struct bench_option options[] = {
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"evaluations", BENCH_INTEGER, &set.evaluations},
        {"threads", BENCH_INTEGER, &set.threads},
        {"trace", BENCH_FLAG, &set.trace},
        {"tolerance", BENCH_REAL, &set.tolerance},
        {"policy", BENCH_WORD, &set.policy},
        {"problem", BENCH_WORD, &set.problem},
        {0},
    };

    bench_options_read(argc, argv, options);
    for (int t = 0; t < TASKS; t++) {
        struct cell cell = {&set, &tasks[t], calloc((size_t)set.seeds, sizeof *cell.outcomes)};
        struct app_message message = {"out of memory"};

        if (!listed(set.problem, tasks[t].name)) {
            free(cell.outcomes);
            continue;
        }
        if (!cell.outcomes || app_parallel(set.seeds, set.threads, replicate, &cell, &message)) {
            fprintf(stderr, "equality: %s\n", message.text);
            return 1;
        }
        print_cell(&cell);
        free(cell.outcomes);
    }
    return 0;
}
