/*
 * Noise that varies over the space, beside noise that is taken to be the same everywhere.
 *
 *     build/bench/varying predict [--seeds N]
 *     build/bench/varying search [--problem NAME] [--grows 0|1] [--noise one|auto|varying] [--first S]
 *                                [--seeds N]
 *
 * The three problems of the paper with noise on the objective whose standard deviation grows tenfold across
 * the box, from the low end of the first parameter to its high end (--grows 1), or is the same everywhere.
 * `predict` fits the objective to designs that fill the box and scores held-out measurements there. `search`
 * runs studies of 110 evaluations with ckg and prints a line for each. Noise `one` is what `auto` was before
 * noise could vary: one variance, whatever the data say.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "bench/replicate.h"
#include "options.h"
#include "problems/problems.h"
#include "study/study.h"

enum { EVALUATIONS = 110, HELD = 200, CASES = 3, WAYS = 3 };

/* The problems, and the standard deviation of their noise in the middle of the box. */
static const struct setting {
    const char *name;
    double sd;
} settings[CASES] = {{"mystery", 1}, {"new-branin", 20}, {"test-function-2", 0.3}};

static const char *const ways[WAYS] = {"one", "auto", "varying"};

/* A problem with noise, and what is assumed of it. */
struct world {
    const struct app_problem *p;
    double sd;
    int grows;
    const char *way;
    uint64_t seed;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ckg_error_message());
    exit(1);
}

/* The standard deviation at x. */
static double sd_at(const struct world *w, const double *x)
{
    const double u = (x[0] - w->p->low[0]) / (w->p->high[0] - w->p->low[0]);

    return w->grows ? w->sd * pow(10, u - 0.5) : w->sd;
}

/* The problem as it is assumed to be; `alone`: the objective by itself. */
static ckg_problem *describe(const struct world *w, int alone)
{
    struct app_problem p = *w->p;

    p.K = alone ? 0 : p.K;
    ckg_problem *problem = app_problem_describe(&p, 1);
    const int varying = !strcmp(w->way, "varying");
    if (!problem || ckg_problem_set_noise(problem, "f", varying ? CKG_NOISE_VARYING : CKG_NOISE_AUTO, 0))
        fail("problem");
    return problem;
}

static ckg_study *begin(const struct world *w, const ckg_problem *problem, const char *policy, int initial)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *study;

    options.policy = policy;
    options.seed = w->seed;
    options.initial = initial;
    if (ckg_study_new(&study, problem, &options))
        fail("study");
    if (!strcmp(w->way, "one"))
        study->models.vary = 0;
    return study;
}

/* Asks for a design and tells what it measures. */
static void step(const struct world *w, ckg_study *study)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_suggestion *s;

    if (ckg_study_ask(study, &s))
        fail("ask");
    app_problem_evaluate(w->p, s->x, values);
    values[0] += sd_at(w, s->x) * app_problem_noise(w->seed, (uint64_t)s->trial, 0);
    if (ckg_study_tell(study, s->trial, values))
        fail("tell");
    ckg_suggestion_free(s);
}

static int varies(ckg_study *study)
{
    ckg_model_info info;

    if (ckg_study_model(study, 0, &info))
        fail("model");
    return info.noise_varies;
}

/* --- predictive density --- */

/* The log density of a measurement of the objective at x, by the models of the study. */
static double log_density(const struct world *w, ckg_study *study, const double *x, int number)
{
    double mean[1], sd[1], noise_sd[1];
    double values[1 + APP_PROBLEM_CONSTRAINTS];

    if (ckg_study_predict(study, 1, x, mean, sd, NULL, NULL) ||
        ckg_study_predict_noise(study, 1, x, noise_sd))
        fail("predict");
    app_problem_evaluate(w->p, x, values);
    const double y = values[0] + sd_at(w, x) * app_problem_noise(w->seed + 1000, (uint64_t)number, 0);
    const double var = sd[0] * sd[0] + noise_sd[0] * noise_sd[0];
    return -0.5 * log(6.283185307179586 * var) - 0.5 * (y - mean[0]) * (y - mean[0]) / var;
}

/* Its mean over held-out designs, once n designs have been measured. */
static double score(const struct world *w, int n, int *chosen)
{
    ckg_problem *problem = describe(w, 1);
    ckg_study *study = begin(w, problem, "sobol", n);
    struct world other = *w;
    double sum = 0;

    for (int i = 0; i < n; i++)
        step(w, study);
    *chosen += varies(study);
    other.seed += 1000;
    ckg_study *held = begin(&other, problem, "sobol", HELD);
    for (int i = 0; i < HELD; i++) {
        ckg_suggestion *s;
        if (ckg_study_ask(held, &s))
            fail("ask");
        sum += log_density(w, study, s->x, i);
        ckg_suggestion_free(s);
    }
    ckg_study_free(held);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return sum / HELD;
}

static void predict(int seeds)
{
    static const int sizes[] = {20, 50, 110};

    printf("mean log density of %d held-out measurements of the objective, mean of %d seeds\n\n", HELD,
           seeds);
    printf("%-16s %-9s %4s %9s %9s %9s   chosen by auto\n", "problem", "noise", "n", ways[0], ways[1],
           ways[2]);
    for (int c = 0; c < CASES; c++)
        for (int grows = 1; grows >= 0; grows--)
            for (int k = 0; k < 3; k++) {
                double sum[WAYS] = {0};
                int chosen[WAYS] = {0};
                for (int i = 0; i < seeds * WAYS; i++) {
                    const struct world w = {app_problem_named(settings[c].name), settings[c].sd, grows,
                                            ways[i % WAYS], (uint64_t)(i / WAYS) + 1};
                    sum[i % WAYS] += score(&w, sizes[k], &chosen[i % WAYS]) / seeds;
                }
                printf("%-16s %-9s %4d %9.4f %9.4f %9.4f %5d of %d\n", settings[c].name,
                       grows ? "tenfold" : "the same", sizes[k], sum[0], sum[1], sum[2], chosen[1], seeds);
                fflush(stdout);
            }
}

/* --- searches --- */

/* One study; its line: problem, grows, noise, seed, opportunity cost, feasible, varies at the end. */
static void search_once(const struct world *w)
{
    ckg_problem *problem = describe(w, 0);
    ckg_study *study = begin(w, problem, "auto", -1);
    struct app_score score;

    for (int i = 0; i < EVALUATIONS; i++)
        step(w, study);
    if (app_score(w->p, study, &score))
        fail("score");
    printf("%s,%d,%s,%d,%.6g,%d,%d\n", w->p->name, w->grows, w->way, (int)w->seed, score.cost, score.feasible,
           varies(study));
    fflush(stdout);
    ckg_recommendation_free(score.recommendation);
    ckg_study_free(study);
    ckg_problem_free(problem);
}

/* The seeds in the order of their numbers, so that a run that ends early compares what it has. */
static void search(const char *problem, int grows, const char *way, int first, int seeds)
{
    for (int seed = first; seed < first + seeds; seed++)
        for (int c = 0; c < CASES; c++)
            for (int i = 0; i < WAYS; i++) {
                const struct world w = {app_problem_named(settings[c].name), settings[c].sd, grows, ways[i],
                                        (uint64_t)seed};
                if ((!problem || !strcmp(problem, settings[c].name)) && (!way || strstr(way, ways[i])))
                    search_once(&w);
            }
}

int main(int argc, char **argv)
{
    const char *problem = NULL;
    const char *way = NULL;
    int grows = 1;
    int first = 1;
    int seeds = 3;
    const struct bench_option options[] = {
        {"problem", BENCH_WORD, &problem}, {"noise", BENCH_WORD, &way},      {"grows", BENCH_INTEGER, &grows},
        {"first", BENCH_INTEGER, &first},  {"seeds", BENCH_INTEGER, &seeds}, {0}};

    if (argc < 2 || (strcmp(argv[1], "predict") != 0 && strcmp(argv[1], "search") != 0)) {
        fprintf(stderr, "usage: varying predict|search [options]\n");
        return 2;
    }
    bench_options_read(argc - 1, argv + 1, options);
    if (!strcmp(argv[1], "predict"))
        predict(seeds);
    else
        search(problem, grows, way, first, seeds);
    return 0;
}
