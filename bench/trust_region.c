/*
 * What a trust region is for: problems of 10 and 20 parameters, solved by `scbo` and by `cts`, which draws
 * over the whole box.
 *
 *     build/bench/trust_region [--seeds 5] [--first-seed 1] [--evaluations 300] [--policy NAME] [--problem
 * NAME] [--threads 2] [--verbose]
 *
 * Ackley's function with two constraints as in Eriksson and Poloczek (2021), and Levy's with the same.
 * Without noise; 2(d+1) initial designs count as evaluations. A run has solved its problem when the best
 * feasible design evaluated is at the problem's level or below.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

enum { K = 2, MARKS = 5 };

static const double pi = 3.14159265358979323846;

struct problem {
    const char *name;
    int d;
    double level; /* what counts as solved; the optimum is 0 */
    void (*evaluate)(int d, const double *x, double *values);
};

/*
 * A half-space and a ball that hold the optimum at 0, on the boundary of the one. Feasible are 2·10⁻⁵ of the
 * box in 10 dimensions and 4·10⁻¹² in 20.
 */
static void limit(int d, const double *x, double *values)
{
    double squares = 0, sum = 0;
    for (int i = 0; i < d; i++) {
        squares += x[i] * x[i];
        sum += x[i];
    }
    values[1] = sum;
    values[2] = sqrt(squares) - 5;
}

static void ackley(int d, const double *x, double *values)
{
    double squares = 0, waves = 0;
    for (int i = 0; i < d; i++) {
        squares += x[i] * x[i];
        waves += cos(2 * pi * x[i]);
    }
    values[0] = -20 * exp(-0.2 * sqrt(squares / d)) - exp(waves / d) + 20 + exp(1);
    limit(d, x, values);
}

static double squared(double v)
{
    return v * v;
}

/* Its optimum moved from 1 to 0. */
static void levy(int d, const double *x, double *values)
{
    const double first = 1 + x[0] / 4, last = 1 + x[d - 1] / 4;
    values[0] = squared(sin(pi * first)) + squared(last - 1) * (1 + squared(sin(2 * pi * last)));
    for (int i = 0; i + 1 < d; i++) {
        const double w = 1 + x[i] / 4;
        values[0] += squared(w - 1) * (1 + 10 * squared(sin(pi * w + 1)));
    }
    limit(d, x, values);
}

static const struct problem problems[] = {
    {"ackley-10", 10, 0.5, ackley},
    {"ackley-20", 20, 3, ackley},
    {"levy-20", 20, 1, levy},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

struct settings {
    int seeds, first_seed, evaluations, threads, verbose;
    const char *policy, *problem;
};

struct cell {
    const struct settings *settings;
    const struct problem *problem;
    const char *policy;
    atomic_int next;
    double *best;    /* seeds × MARKS, after a fifth, two fifths, … of the evaluations */
    double *seconds; /* (seeds) a suggestion */
    double *longest; /* (seeds) */
};

static void fail(const char *what)
{
    fprintf(stderr, "trust_region: %s: %s\n", what, ckg_error_message());
    exit(1);
}

static ckg_problem *describe(const struct problem *p)
{
    static const char *const limits[K] = {"c1", "c2"};
    ckg_problem *out;
    char name[16];
    int status = ckg_problem_new(&out);
    for (int i = 0; !status && i < p->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        status = ckg_problem_add_real(out, name, -5, 10, CKG_LINEAR);
    }
    if (!status)
        status = ckg_problem_set_objective(out, "f", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_set_noise(out, "f", CKG_NOISE_NONE, 0);
    for (int k = 0; !status && k < K; k++) {
        status = ckg_problem_add_constraint(out, limits[k], -INFINITY, 0);
        if (!status)
            status = ckg_problem_set_noise(out, limits[k], CKG_NOISE_NONE, 0);
    }
    if (status)
        fail("problem");
    return out;
}

static void replicate(struct cell *cell, int r)
{
    const struct settings *set = cell->settings;
    const struct problem *p = cell->problem;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = describe(p);
    ckg_study *study;
    double values[1 + K], best = INFINITY;
    int suggested = 0;
    options.policy = cell->policy;
    options.seed = (uint64_t)(set->first_seed + r);
    if (ckg_study_new(&study, problem, &options))
        fail("study");
    for (int i = 0; i < set->evaluations; i++) {
        ckg_suggestion *s;
        if (ckg_study_ask(study, &s))
            fail("ask");
        p->evaluate(p->d, s->x, values);
        if (values[1] <= 0 && values[2] <= 0 && values[0] < best)
            best = values[0];
        if (strcmp(s->path, "design") != 0) {
            suggested++;
            cell->seconds[r] += s->seconds.total;
            cell->longest[r] = fmax(cell->longest[r], s->seconds.total);
        }
        if (set->verbose && (i % 10 == 9 || !strcmp(s->path, "restart")))
            printf("  seed %d, %d evaluations: %-8s f %.4g c %.3g %.3g best %.4g, %.0f ms (fit %.0f)\n",
                   set->first_seed + r, i + 1, s->path, values[0], values[1], values[2], best,
                   1e3 * s->seconds.total, 1e3 * s->seconds.fit);
        if (ckg_study_tell(study, s->trial, values))
            fail("tell");
        ckg_suggestion_free(s);
        for (int mark = 0; mark < MARKS; mark++)
            if (i + 1 == set->evaluations * (mark + 1) / MARKS)
                cell->best[r * MARKS + mark] = best;
    }
    cell->seconds[r] /= suggested ? suggested : 1;
    ckg_study_free(study);
    ckg_problem_free(problem);
}

static void *worker(void *context)
{
    struct cell *cell = context;
    for (int r; (r = atomic_fetch_add(&cell->next, 1)) < cell->settings->seeds;)
        replicate(cell, r);
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void run_cell(const struct settings *set, const struct problem *p, const char *policy)
{
    const size_t n = (size_t)set->seeds;
    struct cell cell = {set, p, policy, 0, calloc(n * MARKS, 8), calloc(n, 8), calloc(n, 8)};
    pthread_t threads[64];
    double *sorted = calloc(n, 8), seconds = 0, longest = 0;
    int solved = 0;
    for (int t = 0; t < set->threads; t++)
        pthread_create(&threads[t], NULL, worker, &cell);
    for (int t = 0; t < set->threads; t++)
        pthread_join(threads[t], NULL);
    printf("%-10s %-5s", p->name, policy);
    for (int mark = 0; mark < MARKS; mark++) {
        for (size_t r = 0; r < n; r++)
            sorted[r] = cell.best[r * MARKS + (size_t)mark];
        qsort(sorted, n, sizeof *sorted, ascending);
        printf(" %9.3g", sorted[n / 2]);
    }
    for (size_t r = 0; r < n; r++) {
        solved += sorted[r] <= p->level;
        seconds += cell.seconds[r] / (double)n;
        longest = fmax(longest, cell.longest[r]);
    }
    printf(" %9.3g %9.3g %6g %3d of %d %8.0f %8.0f\n", sorted[0], sorted[n - 1], p->level, solved, set->seeds,
           1e3 * seconds, 1e3 * longest);
    fflush(stdout);
    free(cell.best), free(cell.seconds), free(cell.longest), free(sorted);
}

static struct settings parse(int argc, char **argv)
{
    struct settings s = {5, 1, 300, 2, 0, NULL, NULL};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(a, "--verbose")) {
            s.verbose = 1;
            continue;
        }
        if (!strcmp(a, "--seeds"))
            s.seeds = atoi(v);
        else if (!strcmp(a, "--first-seed"))
            s.first_seed = atoi(v);
        else if (!strcmp(a, "--evaluations"))
            s.evaluations = atoi(v);
        else if (!strcmp(a, "--threads"))
            s.threads = atoi(v);
        else if (!strcmp(a, "--policy"))
            s.policy = v;
        else if (!strcmp(a, "--problem"))
            s.problem = v;
        else {
            fprintf(stderr, "trust_region: unknown option %s\n", a);
            exit(2);
        }
        i++;
    }
    return s;
}

int main(int argc, char **argv)
{
    static const char *const policies[] = {"scbo", "cts"};
    const struct settings set = parse(argc, argv);
    printf("%d evaluations, 2(d + 1) of them the initial design; seeds %d … %d; best feasible value, median "
           "over the seeds\n",
           set.evaluations, set.first_seed, set.first_seed + set.seeds - 1);
    printf("%-10s %-5s", "problem", "by");
    for (int mark = 0; mark < MARKS; mark++)
        printf(" %9d", set.evaluations * (mark + 1) / MARKS);
    printf(" %9s %9s %6s %8s %8s %8s\n", "smallest", "largest", "level", "solved", "ms", "longest");
    for (int i = 0; i < PROBLEMS; i++)
        for (int k = 0; k < 2; k++)
            if ((!set.problem || !strcmp(set.problem, problems[i].name)) &&
                (!set.policy || !strcmp(set.policy, policies[k])))
                run_cell(&set, &problems[i], policies[k]);
    return 0;
}
