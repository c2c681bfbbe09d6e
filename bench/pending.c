/*
 * What a suggestion costs while q others are under way: workers in step, each of which gets a design when it
 * has told its result, so that q designs are pending whenever one is chosen. Against the same with none.
 *
 *     build/bench/pending [SUGGESTIONS [SEEDS]]
 *     build/bench/pending many
 *
 * Times are of the processor, one thread; the median over all suggestions of all seeds, from the same number
 * of results on. `many` has hundreds under way, which were laid by the policy sobol.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ckg/ckg.h>

#include "problems/problems.h"

enum { MOST = 100000, USUAL_PENDING = 40, MOST_PENDING = 1000 };

/* Those that are under way, the oldest first. */
struct queue {
    int count;
    int trial[MOST_PENDING + 1];
};

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ckg_error_message());
    exit(1);
}

/* The result of that trial, with noise where there is some. */
static void tell(ckg_study *study, const struct app_problem *p, double noise, int trial, uint64_t seed)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_trial t;

    if (ckg_study_trial(study, trial, &t))
        fail("trial");
    app_problem_evaluate(p, t.x, values);
    values[0] += noise * app_problem_noise(seed, (uint64_t)trial, 0);
    if (ckg_study_tell(study, trial, values))
        fail("tell");
}

/* A design is chosen and joins those under way; the processor's seconds for that. */
static double choose(ckg_study *study, struct queue *q)
{
    const double start = processor_seconds();
    ckg_suggestion *s;

    if (ckg_study_ask(study, &s))
        fail("ask");
    const double taken = processor_seconds() - start;

    q->trial[q->count++] = s->trial;
    ckg_suggestion_free(s);
    return taken;
}

/* The oldest result comes in. */
static void settle(ckg_study *study, const struct app_problem *p, double noise, struct queue *q,
                   uint64_t seed)
{
    tell(study, p, noise, q->trial[0], seed);
    q->count--;
    for (int i = 0; i < q->count; i++)
        q->trial[i] = q->trial[i + 1];
}

/* So many designs that fill the space are under way. */
static void lay(ckg_study *study, const ckg_problem *problem, int pending, struct queue *q)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *filling;
    ckg_suggestion *s;

    options.policy = "sobol";
    options.seed = 99;
    if (ckg_study_new(&filling, problem, &options))
        fail("study");
    for (int i = 0; i < pending; i++) {
        if (ckg_study_ask(filling, &s) || ckg_study_add(study, s->x, &q->trial[q->count++]))
            fail("add");
        ckg_suggestion_free(s);
    }
    ckg_study_free(filling);
}

/* Seconds of each of so many suggestions with `pending` under way, from `results` results on. */
static void run_one(const struct app_problem *p, const char *policy, double noise, int results, int pending,
                    int suggestions, uint64_t seed, double *seconds)
{
    ckg_problem *problem = app_problem_describe(p, noise > 0);
    ckg_options options = CKG_OPTIONS_INIT;
    struct queue q = {0};
    ckg_study *study;

    options.policy = policy;
    options.seed = seed;
    options.threads = 1;
    options.initial = results;
    if (!problem || ckg_study_new(&study, problem, &options))
        fail("study");

    /* What is known, and what is under way. */
    for (int i = 0; i < results; i++) {
        choose(study, &q);
        settle(study, p, noise, &q, seed);
    }
    if (pending > USUAL_PENDING)
        lay(study, problem, pending, &q);
    else
        for (int i = 0; i < pending; i++)
            choose(study, &q);

    /* A result comes in, and a design is chosen. */
    for (int i = 0; i < suggestions; i++) {
        if (pending)
            settle(study, p, noise, &q, seed);
        seconds[i] = choose(study, &q);
        if (!pending)
            settle(study, p, noise, &q, seed);
    }
    ckg_study_free(study);
    ckg_problem_free(problem);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median in milliseconds. */
static double measure(const struct app_problem *p, const char *policy, double noise, int results, int pending,
                      int suggestions, int seeds)
{
    static double seconds[MOST];
    const int count = suggestions * seeds;

    for (int s = 0; s < seeds; s++)
        run_one(p, policy, noise, results, pending, suggestions, (uint64_t)s + 1, seconds + s * suggestions);
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return 1e3 * seconds[count / 2];
}

/* Hundreds under way, after 50 results. */
static void print_many(void)
{
    static const int pending[] = {0, 40, 100, 300, MOST_PENDING};
    const struct app_problem *p = app_problem_named("mystery");

    printf("milliseconds of the processor for a suggestion on mystery after 50 results, the median of 3\n");
    for (int noise = 0; noise < 2; noise++)
        for (int k = 0; k < 5; k++) {
            printf("noise %d  %5d pending %10.1f\n", noise, pending[k],
                   measure(p, "auto", noise, 50, pending[k], 3, 1));
            fflush(stdout);
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *problem, *policy;
        double noise;
        int results;
    } cases[] = {
        {"mystery", "auto", 0, 20},         {"mystery", "auto", 0, 100},
        {"mystery", "auto", 1, 50},         {"test-function-2", "auto", 0, 50},
        {"test-function-2", "auto", 1, 50}, {"new-branin", "auto", 0, 200},
        {"mystery", "cei", 0, 50},          {"mystery", "nei", 1, 50},
        {"mystery", "pesc", 0, 50},         {"mystery", "scbo", 0, 50},
    };
    static const int pending[] = {0, 1, 5, 10, 20, USUAL_PENDING};
    enum { CASES = sizeof cases / sizeof *cases, COLUMNS = sizeof pending / sizeof *pending };
    if (argc > 1 && !strcmp(argv[1], "many")) {
        print_many();
        return 0;
    }
    const int suggestions = argc > 1 ? atoi(argv[1]) : 10;
    const int seeds = argc > 2 ? atoi(argv[2]) : 3;

    if (suggestions < 1 || seeds < 1 || suggestions * seeds > MOST) {
        fprintf(stderr, "usage: pending [SUGGESTIONS [SEEDS]]\n");
        return 2;
    }
    printf("milliseconds of the processor for a suggestion, the median of %d x %d; in brackets the ratio to "
           "none "
           "pending\n%-16s %-6s %5s %7s",
           suggestions, seeds, "problem", "policy", "noise", "results");
    for (int k = 0; k < COLUMNS; k++)
        printf("   %3d pending ", pending[k]);
    printf("\n");

    for (int c = 0; c < CASES; c++) {
        const struct app_problem *p = app_problem_named(cases[c].problem);
        double none = 0;

        printf("%-16s %-6s %5g %7d", cases[c].problem, cases[c].policy, cases[c].noise, cases[c].results);
        for (int k = 0; k < COLUMNS; k++) {
            const double ms = measure(p, cases[c].policy, cases[c].noise, cases[c].results, pending[k],
                                      suggestions, seeds);
            none = k ? none : ms;
            printf(" %7.1f (%4.2f)", ms, ms / none);
            fflush(stdout);
        }
        printf("\n");
    }
    return 0;
}
