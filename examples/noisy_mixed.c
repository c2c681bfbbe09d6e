/*
 * A glued joint, as strong as possible for at most 10 units of cost: a temperature, a number of layers and a
 * kind of glue. The measured strength carries noise that nobody knows, the cost has none. Some evaluations
 * fail, some measure the cost alone, two run at once, and half-way the study is rebuilt from its trials.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

enum { STRENGTH, COST, OUTCOMES };
enum { TEMPERATURE, LAYERS, GLUE, PARAMETERS };

static const char *const glues[] = {"epoxy", "acrylic", "urethane"};

static void check(int status)
{
    if (status) {
        fprintf(stderr, "noisy_mixed: %s\n", ckg_error_message());
        exit(1);
    }
}

/* --- the joint --- */

static double strength(const double *x)
{
    static const double best_at[] = {75, 60, 90}, base[] = {20, 18, 17};
    const int glue = (int)x[GLUE];
    return base[glue] + 3 * sqrt(x[LAYERS]) - pow((x[TEMPERATURE] - best_at[glue]) / 20, 2);
}

static double cost(const double *x)
{
    static const double per_layer[] = {1.8, 1.2, 1.0};
    return 2 + 0.03 * x[TEMPERATURE] + per_layer[(int)x[GLUE]] * x[LAYERS];
}

/* A thick layer of hot acrylic runs off: there is nothing to measure. */
static int runs_off(const double *x)
{
    return x[GLUE] == 1 && x[TEMPERATURE] > 95 && x[LAYERS] > 2;
}

/* Noise of about unit standard deviation that depends on the trial alone. */
static double disturbance(int trial)
{
    uint32_t state = (uint32_t)trial * 2654435761u + 12345u;
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        state = state * 1664525u + 1013904223u;
        sum += state / 4294967296.0;
    }
    return sum - 6;
}

/* --- the study --- */

static ckg_problem *describe(void)
{
    ckg_problem *problem;
    check(ckg_problem_new(&problem));
    /* shown in docs/engine.md: the problem */
    check(ckg_problem_add_real(problem, "temperature", 20, 120, CKG_LINEAR));
    check(ckg_problem_add_integer(problem, "layers", 1, 6));
    check(ckg_problem_add_categorical(problem, "glue", 3, glues));
    check(ckg_problem_set_objective(problem, "strength", CKG_MAXIMIZE));
    check(ckg_problem_add_constraint(problem, "cost", -INFINITY, 10));
    check(ckg_problem_set_noise(problem, "cost", CKG_NOISE_NONE, 0)); /* "strength" keeps CKG_NOISE_AUTO */
    /* to here */
    return problem;
}

static ckg_study *begin(const ckg_problem *problem)
{
    ckg_study *study;
    /* shown in docs/engine.md: options */
    ckg_options options = CKG_OPTIONS_INIT;
    options.seed = 7;
    options.initial = 8;
    options.samples = 4;
    check(ckg_study_new(&study, problem, &options));
    /* to here */
    return study;
}

static void report(ckg_study *study, const ckg_suggestion *next)
{
    const int trial = next->trial;
    const double *x = next->x;
    /* shown in docs/engine.md: telling */
    if (runs_off(x)) {
        check(ckg_study_tell_failed(study, trial));
    } else if (trial % 5 == 4) {
        /* The cost is known before the joint is made: the strength stays unmeasured. */
        const ckg_measurement measured[] = {{COST, cost(x), CKG_SD_DEFAULT}};
        check(ckg_study_tell_measured(study, trial, 1, measured));
    } else if (trial % 5 == 3) {
        /* The mean of four tests, whose standard deviation is known. */
        const ckg_measurement measured[] = {{STRENGTH, strength(x) + disturbance(trial) / 2, 0.5},
                                            {COST, cost(x), CKG_SD_DEFAULT}};
        check(ckg_study_tell_measured(study, trial, OUTCOMES, measured));
    } else {
        const double values[OUTCOMES] = {strength(x) + disturbance(trial), cost(x)};
        check(ckg_study_tell(study, trial, values));
    }
    /* to here */
}

static void evaluate_pairs(ckg_study *study, int pairs)
{
    for (int i = 0; i < pairs; i++) {
        /* shown in docs/engine.md: two at once */
        ckg_suggestion *first, *second;
        check(ckg_study_ask(study, &first));
        check(ckg_study_ask(study, &second)); /* knows that the first is under way */
        report(study, second);
        report(study, first);
        /* to here */
        ckg_suggestion_free(first);
        ckg_suggestion_free(second);
    }
}

/* shown in docs/engine.md: resuming */
static ckg_study *rebuild(const ckg_study *old)
{
    ckg_study *study = begin(ckg_study_problem(old));
    for (int t = 0; t < ckg_study_trials(old); t++) {
        ckg_trial trial;
        int number;
        check(ckg_study_trial(old, t, &trial));
        check(ckg_study_add(study, trial.x, &number));
        if (trial.state == CKG_COMPLETE)
            check(ckg_study_tell_measured(study, number, trial.count, trial.measured));
        else if (trial.state == CKG_FAILED)
            check(ckg_study_tell_failed(study, number));
        else if (trial.state == CKG_CANCELLED)
            check(ckg_study_cancel(study, number));
    }
    return study;
}
/* to here */

/* 1 when both studies suggest the same design, bit for bit. */
static int agree(ckg_study *one, ckg_study *other)
{
    ckg_suggestion *a, *b;
    check(ckg_study_ask(one, &a));
    check(ckg_study_ask(other, &b));
    const int same = a->trial == b->trial && !memcmp(a->x, b->x, PARAMETERS * sizeof *a->x);
    check(ckg_study_cancel(one, a->trial));
    check(ckg_study_cancel(other, b->trial));
    ckg_suggestion_free(a);
    ckg_suggestion_free(b);
    return same;
}

static void print_recommendation(ckg_study *study)
{
    ckg_recommendation *best;
    /* shown in docs/engine.md: recommending */
    ckg_recommend_options options = CKG_RECOMMEND_OPTIONS_INIT;
    options.rule = CKG_RULE_PROBABILITY;
    options.probability = 0.9;
    check(ckg_study_recommend(study, &options, &best));
    /* to here */
    printf("%s, %g layers, %.0f degrees\n", glues[(int)best->x[GLUE]], best->x[LAYERS], best->x[TEMPERATURE]);
    printf("strength %.1f (sd %.1f), cost %.1f, feasible with probability %.2f\n", best->mean[STRENGTH],
           best->sd[STRENGTH], best->mean[COST], best->probability_feasible);
    printf("after %d evaluations; the best one measured feasible is trial %d\n", best->evaluations,
           best->best_trial);
    ckg_recommendation_free(best);
}

static void print_model(ckg_study *study)
{
    /* shown in docs/engine.md: the model */
    ckg_model_info model;
    check(ckg_study_model(study, STRENGTH, &model));
    printf("noise of the strength: sd %.1f from %d designs\n", model.noise_sd, model.observations);
    /* to here */
}

int main(void)
{
    ckg_problem *problem = describe();
    ckg_study *study = begin(problem);
    evaluate_pairs(study, 8);
    ckg_study *resumed = rebuild(study);
    const int same = agree(study, resumed);
    printf("rebuilt from its trials, the study suggests %s\n", same ? "the same design" : "another design");
    evaluate_pairs(resumed, 4);
    print_recommendation(resumed);
    print_model(resumed);
    ckg_study_free(resumed);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return same ? 0 : 1;
}
