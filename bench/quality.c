/*
 * How good the answers are: opportunity cost (OC) of the recommendation on the paper's three problems, with
 * and without noise.
 *
 *     build/bench/quality [--evaluations 50] [--initial 10] [--seeds 30] [--first-seed 1] [--policy ckg]
 * [--problem NAME] [--noise 0|1]
 *                         [--fit auto] [--threads N] [--verbose]
 *
 * OC = f(x_r) − f*, scored on the true function, feasible when every c <= 0 without tolerance; an infeasible
 * recommendation scores |f*| (the paper's M = 0). Nothing is dropped. --policy all: every policy in turn.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"

struct settings {
    int evaluations, initial, seeds, first_seed, threads, verbose;
    const char *policy, *problem, *fit;
    double noise;
};

struct cell {
    const struct settings *settings;
    const struct app_problem *problem;
    double noise;
    atomic_int next;
    double *oc, *best, *seconds, *last;
    int *feasible, *fallbacks;
};

static void fail(const char *what)
{
    fprintf(stderr, "quality: %s: %s\n", what, ckg_error_message());
    exit(1);
}

static void replicate(struct cell *cell, int r)
{
    const struct settings *set = cell->settings;
    const struct app_problem *p = cell->problem;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = app_problem_describe(p, cell->noise > 0);
    ckg_study *study;
    ckg_recommendation *x_r;
    double values[1 + APP_PROBLEM_CONSTRAINTS], best = INFINITY;
    options.policy = set->policy;
    options.fit = set->fit;
    options.initial = set->initial;
    options.seed = (uint64_t)(set->first_seed + r);
    if (!problem || ckg_study_new(&study, problem, &options))
        fail("study");
    for (int i = 0; i < set->evaluations; i++) {
        ckg_suggestion *s;
        if (ckg_study_ask(study, &s))
            fail("ask");
        p->evaluate(s->x, values);
        if (app_problem_feasible(p, values) && values[0] < best)
            best = values[0];
        if (cell->noise > 0)
            values[0] += cell->noise * app_problem_noise(options.seed, (uint64_t)i, 0);
        cell->fallbacks[r] += !strcmp(s->path, "cei-fallback");
        if (i >= set->initial)
            cell->seconds[r] += s->seconds.total / (set->evaluations - set->initial);
        cell->last[r] = s->seconds.total;
        if (set->verbose > 1)
            printf("  %d %d %-12s %.6g %.6g value %.3g f %.6g c %.3g\n", r, i, s->path, s->x[0], s->x[1],
                   s->value, values[0], values[1]);
        if (ckg_study_tell(study, s->trial, values))
            fail("tell");
        ckg_suggestion_free(s);
    }
    if (ckg_study_recommend(study, NULL, &x_r))
        fail("recommend");
    p->evaluate(x_r->x, values);
    cell->feasible[r] = app_problem_feasible(p, values);
    cell->oc[r] = cell->feasible[r] ? values[0] - p->optimum : fabs(p->optimum);
    cell->best[r] = best - p->optimum;
    if (set->verbose)
        printf("  seed %d oc %.3g best %.3g x %.6f %.6f pf %.3f%s\n", set->first_seed + r, cell->oc[r],
               cell->best[r], x_r->x[0], x_r->x[1], x_r->probability_feasible,
               cell->feasible[r] ? "" : " INFEASIBLE");
    ckg_recommendation_free(x_r);
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

static void run_cell(const struct settings *set, const struct app_problem *p, double noise)
{
    const size_t n = (size_t)set->seeds;
    struct cell cell = {set,
                        p,
                        noise,
                        0,
                        calloc(n, 8),
                        calloc(n, 8),
                        calloc(n, 8),
                        calloc(n, 8),
                        calloc(n, sizeof(int)),
                        calloc(n, sizeof(int))};
    pthread_t threads[64];
    double sum = 0, squares = 0, seconds = 0, last = 0;
    int infeasible = 0, fallbacks = 0;
    for (int t = 0; t < set->threads; t++)
        pthread_create(&threads[t], NULL, worker, &cell);
    for (int t = 0; t < set->threads; t++)
        pthread_join(threads[t], NULL);
    for (size_t r = 0; r < n; r++) {
        sum += cell.oc[r];
        seconds += cell.seconds[r] / (double)n;
        last += cell.last[r] / (double)n;
        infeasible += !cell.feasible[r];
        fallbacks += cell.fallbacks[r];
    }
    const double mean = sum / (double)n;
    for (size_t r = 0; r < n; r++)
        squares += (cell.oc[r] - mean) * (cell.oc[r] - mean);
    qsort(cell.oc, n, sizeof(double), ascending);
    printf("%-16s %5g  %9.3g ± %-8.2g %9.3g %9.3g %10d %9d %10.2f %8.2f\n", p->name, noise, mean,
           n > 1 ? 1.96 * sqrt(squares / (double)(n - 1) / (double)n) : 0.0, cell.oc[n / 2], cell.oc[n - 1],
           infeasible, fallbacks, 1e3 * seconds, 1e3 * last);
    fflush(stdout);
    free(cell.oc), free(cell.best), free(cell.seconds), free(cell.last), free(cell.feasible),
        free(cell.fallbacks);
}

static struct settings parse(int argc, char **argv)
{
    struct settings s = {50, 10, 30, 1, 2, 0, "ckg", NULL, "auto", -1};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(a, "--verbose")) {
            s.verbose++;
            continue;
        }
        if (!strcmp(a, "--evaluations"))
            s.evaluations = atoi(v);
        else if (!strcmp(a, "--initial"))
            s.initial = atoi(v);
        else if (!strcmp(a, "--seeds"))
            s.seeds = atoi(v);
        else if (!strcmp(a, "--first-seed"))
            s.first_seed = atoi(v);
        else if (!strcmp(a, "--threads"))
            s.threads = atoi(v);
        else if (!strcmp(a, "--policy"))
            s.policy = v;
        else if (!strcmp(a, "--problem"))
            s.problem = v;
        else if (!strcmp(a, "--fit"))
            s.fit = v;
        else if (!strcmp(a, "--noise"))
            s.noise = atof(v);
        else {
            fprintf(stderr, "quality: unknown option %s\n", a);
            exit(2);
        }
        i++;
    }
    return s;
}

static void run_policy(const struct settings *all, const char *policy)
{
    struct settings set = *all;
    set.policy = policy;
    printf("policy %s, %d initial + %d evaluations, seeds %d … %d\n", set.policy, set.initial,
           set.evaluations - set.initial, set.first_seed, set.first_seed + set.seeds - 1);
    printf("%-16s %5s  %9s   %-8s %9s %9s %10s %9s %10s %8s\n", "problem", "noise", "mean OC", "95 %",
           "median", "largest", "infeasible", "fallbacks", "ms/suggest", "last");
    for (int i = 0; i < BENCH_PROBLEMS; i++)
        for (int noise = 0; noise < 2; noise++)
            if ((!set.problem || !strcmp(set.problem, bench_problems[i])) &&
                (set.noise < 0 || set.noise == noise))
                run_cell(&set, app_problem_named(bench_problems[i]), noise);
}

int main(int argc, char **argv)
{
    const struct settings set = parse(argc, argv);
    ckg_policy_info policy;
    if (strcmp(set.policy, "all") != 0)
        run_policy(&set, set.policy);
    for (int i = 0; !strcmp(set.policy, "all") && !ckg_policy_at(i, &policy); i++)
        run_policy(&set, policy.name);
    return 0;
}
