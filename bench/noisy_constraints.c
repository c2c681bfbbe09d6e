/*
 * Constraints that are measured with noise, and what an infeasible design is worth (M): the three problems of
 * the paper, their objective and every constraint with noise.
 *
 *     build/bench/noisy_constraints [--problem LIST] [--policy LIST] [--penalty LIST] [--evaluations N]
 *                                   [--quiet 1] [--first S] [--seeds N]
 *
 * A line for each study: problem, policy, M, seed, the opportunity cost of the recommendation, whether it is
 * feasible, the probability that was stated of it; then, for recommendations that ask for a probability of
 * 0.9, the same three. Without --policy every policy is run. With --quiet 1 there is no noise at all.
 *
 * M is `auto`, the worst posterior mean; `zero`, what the score takes an infeasible recommendation for, so
 * that it is a user's own cost; `observed`, the worst value seen; `mild`, the median of those seen;
 * `generous`, the best of them; `harsh`, the worst seen and the range of all beyond it. The last four are
 * found again at every step.
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

enum { CASES = 3, RULES = 6, MOST = 1000 };

/* The problems, and the standard deviations of the noise of their objective and of their constraints: about a
 * tenth of the standard deviation of each over the box. */
static const struct setting {
    const char *name;
    double sd[4];
} settings[CASES] = {
    {"mystery", {1, 0.1}}, {"new-branin", {10, 3}}, {"test-function-2", {0.03, 0.3, 0.3, 0.012}}};

static const char *const rules[RULES] = {"auto", "zero", "observed", "mild", "generous", "harsh"};

struct world {
    const struct app_problem *p;
    const struct setting *setting;
    const char *policy, *rule;
    int evaluations;
    int quiet; /* 1: nothing has noise */
    uint64_t seed;
    double seen[MOST]; /* objectives, ascending */
    int count;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ckg_error_message());
    exit(1);
}

/* Another objective among those seen. */
static void note(struct world *w, double value)
{
    int at = w->count++;

    for (; at > 0 && w->seen[at - 1] > value; at--)
        w->seen[at] = w->seen[at - 1];
    w->seen[at] = value;
}

/* M by the world's rule; the objective is minimised, so that the worst is the largest. */
static double penalty(const struct world *w)
{
    const double worst = w->count ? w->seen[w->count - 1] : 0;

    if (!strcmp(w->rule, "auto") || !w->count)
        return NAN;
    if (!strcmp(w->rule, "observed"))
        return worst;
    if (!strcmp(w->rule, "mild"))
        return w->seen[w->count / 2];
    if (!strcmp(w->rule, "generous"))
        return w->seen[0];
    return !strcmp(w->rule, "harsh") ? worst + (worst - w->seen[0]) : 0;
}

/* A design is chosen, and measured with noise. */
static void step(struct world *w, ckg_study *study)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_suggestion *s;

    study->penalty = penalty(w);
    if (ckg_study_ask(study, &s))
        fail("ask");
    app_problem_evaluate(w->p, s->x, values);
    for (int j = 0; j <= w->p->K && !w->quiet; j++)
        values[j] += w->setting->sd[j] * app_problem_noise(w->seed, (uint64_t)s->trial, (uint64_t)j);
    note(w, values[0]);
    if (ckg_study_tell(study, s->trial, values))
        fail("tell");
    ckg_suggestion_free(s);
}

/* Opportunity cost, feasible or not, stated probability of what is recommended. */
static void print_score(const struct world *w, ckg_study *study, const ckg_recommend_options *options)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_recommendation *r;

    if (ckg_study_recommend(study, options, &r))
        fail("recommend");
    app_problem_evaluate(w->p, r->x, values);
    const int feasible = app_problem_feasible(w->p, values);
    printf(",%.6g,%d,%.4f", (feasible ? values[0] : w->p->infeasible) - w->p->optimum, feasible,
           r->probability_feasible);
    ckg_recommendation_free(r);
}

static void run(struct world *w)
{
    struct app_problem noisy = *w->p;
    ckg_recommend_options careful = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *study;

    /* The study, of outcomes that all have noise. */
    noisy.constraint_noise = !w->quiet;
    ckg_problem *problem = app_problem_describe(&noisy, !w->quiet);
    options.policy = w->policy;
    options.seed = w->seed;
    if (!problem || ckg_study_new(&study, problem, &options))
        fail("study");
    for (int i = 0; i < w->evaluations; i++)
        step(w, study);

    /* What it comes to. */
    careful.rule = CKG_RULE_PROBABILITY;
    careful.probability = 0.9;
    printf("%s,%s,%s,%d", w->p->name, w->policy, w->rule, (int)w->seed);
    print_score(w, study, NULL);
    print_score(w, study, &careful);
    printf("\n");
    fflush(stdout);
    ckg_study_free(study);
    ckg_problem_free(problem);
}

/* 1 when the list, words between commas, has the word. */
static int lists(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return 1;
    return 0;
}

/* The studies of a problem and a policy with one seed. */
static void run_rules(const struct world *like, const char *list)
{
    for (int i = 0; i < RULES; i++) {
        struct world w = *like;
        w.rule = rules[i];
        if (lists(list, w.rule))
            run(&w);
    }
}

int main(int argc, char **argv)
{
    const char *problem = "mystery,new-branin,test-function-2";
    const char *policy = NULL;
    const char *rule = "auto";
    struct world w = {.evaluations = 50};
    int first = 1;
    int seeds = 3;
    const struct bench_option options[] = {
        {"problem", BENCH_WORD, &problem},  {"policy", BENCH_WORD, &policy},
        {"penalty", BENCH_WORD, &rule},     {"evaluations", BENCH_INTEGER, &w.evaluations},
        {"quiet", BENCH_INTEGER, &w.quiet}, {"first", BENCH_INTEGER, &first},
        {"seeds", BENCH_INTEGER, &seeds},   {0},
    };

    bench_options_read(argc, argv, options);
    w.evaluations = w.evaluations < MOST ? w.evaluations : MOST;
    for (int seed = first; seed < first + seeds; seed++)
        for (int c = 0; c < CASES; c++)
            for (int k = 0; k < ckg_policy_count(); k++) {
                ckg_policy_info info;
                if (ckg_policy_at(k, &info))
                    fail("policy");
                if (!lists(problem, settings[c].name) || (policy && !lists(policy, info.name)))
                    continue;
                w.p = app_problem_named(settings[c].name);
                w.setting = &settings[c];
                w.policy = info.name;
                w.seed = (uint64_t)seed;
                run_rules(&w, rule);
            }
    return 0;
}
