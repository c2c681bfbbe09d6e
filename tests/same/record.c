/*
 * Writes down what many studies say, to the last bit: scripts/same-bits.sh compares what two revisions say.
 *
 *     record [THREADS [FIRST [STEP]]]
 *
 * runs studies FIRST, FIRST + STEP, … of the list below (every policy on every problem, then the special
 * ones) and prints one line for each thing said: suggestions, recommendations by each rule, predictions,
 * scores, models, leave-one-out predictions, M. Numbers are hexadecimal, so that equal lines are equal bits.
 * Only the public interface is used, as it was when the oldest revision to compare with was made.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

enum { MOST_D = 12, MOST_K = 4 };

/* What is optimised. */
enum shape { REALS, MIXED, LISTED, TINY };

struct world {
    const char *name;
    enum shape shape;
    int d, K;
    enum ckg_noise noise;
    int trials, batch;
    int failures; /* 1: evaluations fail in a corner */
    int partial;  /* 1: every third trial lacks some outcomes */
};

/* A study that departs from the defaults. */
struct special {
    const char *world, *policy, *kernel, *fit, *preset, *failures, *final_policy;
    double penalty;
    int warp, samples, trials, budget;
    ckg_setting setting;
};

static const struct world worlds[] = {
    {"line", REALS, 1, 0, CKG_NOISE_NONE, 12, 1, 0, 0},
    {"toy", REALS, 2, 1, CKG_NOISE_NONE, 17, 1, 0, 0},
    {"toy-noise", REALS, 2, 1, CKG_NOISE_AUTO, 16, 2, 0, 0},
    {"toy-known", REALS, 2, 2, CKG_NOISE_KNOWN, 14, 1, 0, 1},
    {"mixed", MIXED, 4, 2, CKG_NOISE_NONE, 16, 3, 0, 0},
    {"mixed-noise", MIXED, 4, 1, CKG_NOISE_AUTO, 15, 1, 1, 0},
    {"listed", LISTED, 3, 1, CKG_NOISE_AUTO, 15, 2, 0, 0},
    {"tiny", TINY, 2, 1, CKG_NOISE_NONE, 12, 1, 0, 0},
    {"broken", REALS, 3, 1, CKG_NOISE_NONE, 16, 2, 1, 1},
    {"five", REALS, 5, 3, CKG_NOISE_NONE, 18, 1, 0, 0},
    {"ten", REALS, 10, 4, CKG_NOISE_NONE, 26, 2, 0, 1},
};

static const struct special specials[] = {
    {.world = "toy", .policy = "ckg", .trials = 60},
    {.world = "toy-noise", .policy = "ckg", .trials = 44},
    {.world = "toy", .policy = "kg", .trials = 40},
    {.world = "toy", .policy = "pkg", .trials = 40},
    {.world = "toy-noise", .policy = "pkg", .trials = 30},
    {.world = "toy", .policy = "cts", .trials = 44},
    {.world = "toy", .policy = "cei", .trials = 44},
    {.world = "toy", .policy = "cmes", .trials = 40},
    {.world = "toy", .policy = "scbo", .trials = 90},
    {.world = "five", .policy = "scbo", .trials = 70},
    {.world = "five", .policy = "ckg", .trials = 40},
    {.world = "mixed", .policy = "ckg", .trials = 48},
    {.world = "listed", .policy = "ckg", .trials = 36},
    {.world = "toy", .policy = "ckg", .trials = 130},
    {.world = "toy", .policy = "ckg", .kernel = "matern52"},
    {.world = "toy-noise", .policy = "ckg", .kernel = "matern32"},
    {.world = "five", .policy = "cei", .kernel = "matern32"},
    {.world = "toy", .policy = "ckg", .fit = "sample"},
    {.world = "toy", .policy = "ckg", .fit = "ml"},
    {.world = "toy-noise", .policy = "ckg", .fit = "map"},
    {.world = "toy-noise", .policy = "nei", .fit = "map"},
    {.world = "five", .policy = "ckg", .fit = "sample", .samples = 3},
    {.world = "toy", .policy = "ckg", .preset = "paper", .trials = 14},
    {.world = "toy-known", .policy = "ckg", .preset = "paper", .trials = 13},
    {.world = "broken", .policy = "ckg", .failures = "ignore"},
    {.world = "broken", .policy = "cei", .failures = "ignore"},
    {.world = "toy", .policy = "ckg", .warp = -1},
    {.world = "ten", .policy = "ckg", .warp = -1},
    {.world = "toy", .policy = "ckg", .penalty = 30},
    {.world = "toy-noise", .policy = "pkg", .penalty = 12},
    {.world = "toy", .policy = "ckg", .final_policy = "nei", .budget = 14, .trials = 15},
    {.world = "toy-noise", .policy = "cts", .final_policy = "cei", .budget = 13, .trials = 14},
    {.world = "toy", .policy = "ckg", .setting = {"candidates", 30}},
    {.world = "toy", .policy = "ckg", .setting = {"M", 25}},
    {.world = "five", .policy = "ckg", .setting = {"points", 64}},
    {.world = "toy", .policy = "pesc", .setting = {"draws", 8}},
    {.world = "five", .policy = "scbo", .setting = {"length", 0.4}, .trials = 30},
};

enum { WORLDS = sizeof worlds / sizeof *worlds, SPECIALS = sizeof specials / sizeof *specials };

static void die(const char *what)
{
    fprintf(stderr, "record: %s: %s\n", what, ckg_error_message());
    exit(1);
}

static void must(int status)
{
    if (status)
        die("failed");
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
    char name[16];

    for (int i = 0; i < w->d; i++) {
        snprintf(name, sizeof name, "x%d", i);
        if (w->shape == TINY || (w->shape == MIXED && i == 2))
            must(ckg_problem_add_integer(problem, name, 0, w->shape == TINY ? 3 : 9));
        else if (w->shape == MIXED && i == 3)
            must(ckg_problem_add_categorical(problem, name, 3, values));
        else if (w->shape == REALS && i == 4)
            must(ckg_problem_add_real(problem, name, 0.01, 10, CKG_LOG));
        else
            must(ckg_problem_add_real(problem, name, 0, 1, CKG_LINEAR));
    }
    if (w->shape == LISTED)
        must(ckg_problem_set_designs(problem, sizeof list / sizeof *list, list[0]));
}

static ckg_problem *make_problem(const struct world *w)
{
    ckg_problem *problem;
    char name[16];

    must(ckg_problem_new(&problem));
    add_parameters(problem, w);
    must(ckg_problem_set_objective(problem, "f", w->d % 2 ? CKG_MAXIMIZE : CKG_MINIMIZE));
    must(ckg_problem_set_noise(problem, "f", w->noise, 0.3));
    for (int k = 0; k < w->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        must(ckg_problem_add_constraint(problem, name,
                                        k == 1   ? -1.2
                                        : k == 2 ? -0.9
                                                 : -INFINITY,
                                        k == 2 ? INFINITY : 0.1));
        must(ckg_problem_set_noise(problem, name, w->noise, 0.05));
    }
    return problem;
}

/* Disturbances that look like chance and are the same everywhere. */
static double ripple(int trial, int outcome)
{
    const double t = fmod((trial * 7 + outcome * 3 + 1) * 0.6180339887498949, 1);
    return 3.4 * (t - 0.5);
}

static void evaluate(const struct world *w, int trial, const double *x, double *values)
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
    for (int j = 0; noisy && j <= w->K; j++)
        values[j] += (j ? 0.05 : 0.3) * ripple(trial, j);
}

/* --- what is said --- */

static void put(const char *what, int count, const double *numbers)
{
    printf(" %s", what);
    for (int i = 0; i < count; i++)
        printf(" %a", numbers[i]);
}

static void put_suggestion(const ckg_suggestion *s)
{
    printf("ask %d %s %d", s->trial, s->path, s->candidates);
    put("x", s->dimension, s->x);
    put("value", 1, &s->value);
    put("mean", 1 + s->constraints, s->mean);
    put("sd", 1 + s->constraints, s->sd);
    put("p", s->constraints, s->probability);
    put("pf", 1, &s->probability_feasible);
    printf("\n");
}

static void put_recommendation(ckg_study *study, int rule, double probability, int evaluated)
{
    ckg_recommend_options options = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;

    options.rule = rule;
    options.probability = probability;
    options.evaluated_only = evaluated;
    const int status = ckg_study_recommend(study, &options, &r);
    if (status) {
        printf("recommend %d %g %d status %d\n", rule, probability, evaluated, status);
        return;
    }
    printf("recommend %d %g %d best %d of %d", rule, probability, evaluated, r->best_trial, r->evaluations);
    put("x", r->dimension, r->x);
    put("mean", 1 + r->constraints, r->mean);
    put("sd", 1 + r->constraints, r->sd);
    put("p", r->constraints, r->probability);
    put("pf", 1, &r->probability_feasible);
    put("u", 1, &r->utility);
    put("M", 1, &r->penalty);
    printf("\n");
    ckg_recommendation_free(r);
}

/* Designs of the problem that no study chose. */
static void probe_designs(const struct world *w, double *X, int count)
{
    for (int p = 0; p < count; p++)
        for (int i = 0; i < w->d; i++) {
            double t = fmod((p + 1) * 0.7548776662466927 + (i + 1) * 0.5698402909980532 * (p + 2), 1);
            if (w->shape == LISTED)
                t = list[p * 3][i];
            if (w->shape == TINY)
                t = floor(4 * t);
            if (w->shape == MIXED && i == 2)
                t = floor(10 * t);
            if (w->shape == MIXED && i == 3)
                t = floor(3 * t);
            X[p * w->d + i] = w->shape == REALS && i == 4 ? 0.01 + t : t;
        }
}

static void put_inside(ckg_study *study, const struct world *w)
{
    enum { PROBES = 4 };
    double X[PROBES * MOST_D], mean[PROBES * (1 + MOST_K)], sd[PROBES * (1 + MOST_K)], pf[PROBES], u[PROBES];
    double value[PROBES * (1 + MOST_K)], penalty;
    ckg_model_info model;

    /* Predictions and scores where nobody looked. */
    probe_designs(w, X, PROBES);
    must(ckg_study_predict(study, PROBES, X, mean, sd, pf, u));
    printf("predict");
    put("mean", PROBES * (1 + w->K), mean);
    put("sd", PROBES * (1 + w->K), sd);
    put("pf", PROBES, pf);
    put("u", PROBES, u);
    const int unscored = ckg_study_score(study, NULL, PROBES, X, value);
    printf("\nscore %d", unscored);
    put("value", unscored ? 0 : PROBES, value);
    const int shared = ckg_study_score_outcomes(study, "pesc", PROBES, X, value);
    printf("\nshares %d", shared);
    put("value", shared ? 0 : PROBES * (1 + w->K), value);
    must(ckg_study_penalty(study, &penalty));
    printf("\npenalty");
    put("M", 1, &penalty);

    /* The models. */
    for (int j = 0; j <= w->K; j++) {
        double left[3][200];
        must(ckg_study_model(study, j, &model));
        printf("\nmodel %d %s n %d samples %d", j, model.kernel, model.observations, model.samples);
        put("ell", w->d, model.lengthscales);
        put("sd", 1, &model.signal_sd);
        put("noise", 1, &model.noise_sd);
        put("mean", 1, &model.mean);
        put("ll", 1, &model.log_likelihood);
        put("warp", 1, &model.warp);
        put("nugget", 1, &model.nugget);
        must(ckg_study_leave_one_out(study, j, left[0], left[1], left[2]));
        put("loo", ckg_study_trials(study), left[0]);
        put("sd", ckg_study_trials(study), left[1]);
        put("msd", ckg_study_trials(study), left[2]);
    }
    printf("\n");
}

static void put_all(ckg_study *study, const struct world *w)
{
    put_recommendation(study, CKG_RULE_UTILITY, 0.95, 0);
    put_recommendation(study, CKG_RULE_UTILITY, 0.95, 1);
    put_recommendation(study, CKG_RULE_PROBABILITY, 0.95, 0);
    put_recommendation(study, CKG_RULE_PROBABILITY, 0.6, 1);
    put_inside(study, w);
}

/* --- a study --- */

/* 1 when the evaluation of x fails. */
static int fails(const struct world *w, const double *x)
{
    return w->failures && x[0] + x[1] > 1.45;
}

static void tell(ckg_study *study, const struct world *w, const ckg_suggestion *s)
{
    double values[1 + MOST_K];

    evaluate(w, s->trial, s->x, values);
    if (fails(w, s->x)) {
        must(ckg_study_tell_failed(study, s->trial));
    } else if (w->partial && s->trial % 3 == 2) {
        ckg_measurement some[1 + MOST_K];
        int count = 0;
        for (int j = 0; j <= w->K; j++)
            if ((j + s->trial / 3) % 2)
                some[count++] = (ckg_measurement){j, values[j], j % 2 ? CKG_SD_DEFAULT : 0.02};
        must(ckg_study_tell_measured(study, s->trial, count, some));
    } else if (s->trial == 12 && w->batch > 1) {
        must(ckg_study_cancel(study, s->trial));
    } else {
        must(ckg_study_tell(study, s->trial, values));
    }
}

/*
 * Asks for a batch and tells it, but for the last design of every second batch, which stays pending a while.
 */
static int go_on(ckg_study *study, const struct world *w, ckg_suggestion **open)
{
    ckg_suggestion *batch[8];
    int asked = 0, status = CKG_OK;

    for (; asked < w->batch && !status; asked++) {
        status = ckg_study_ask(study, &batch[asked]);
        if (status) {
            printf("ask status %d\n", status);
            break;
        }
        put_suggestion(batch[asked]);
    }
    if (*open) {
        tell(study, w, *open);
        ckg_suggestion_free(*open);
        *open = NULL;
    }
    for (int i = 0; i < asked; i++) {
        if (w->batch > 1 && i == asked - 1 && batch[i]->trial % 2) {
            *open = batch[i];
            continue;
        }
        tell(study, w, batch[i]);
        ckg_suggestion_free(batch[i]);
    }
    return status;
}

static void run(const struct world *w, const struct special *special, int threads)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem = make_problem(w);
    ckg_suggestion *open = NULL;
    ckg_study *study;
    const int trials = special->trials ? special->trials : w->trials;

    /* The options. */
    options.policy = special->policy;
    options.kernel = special->kernel ? special->kernel : "rbf";
    options.fit = special->fit ? special->fit : "auto";
    options.preset = special->preset ? special->preset : "default";
    options.failures = special->failures ? special->failures : "model";
    options.final_policy = special->final_policy;
    options.penalty = special->penalty > 0 ? special->penalty : NAN;
    options.warp = special->warp >= 0;
    options.samples = special->samples ? special->samples : 4;
    options.budget = special->budget;
    options.settings_count = special->setting.name != NULL;
    options.settings = &special->setting;
    options.initial = w->d > 4 ? 2 * w->d : w->d == 1 ? 5 : 9;
    options.seed = 11;
    options.threads = threads;
    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);

    /* The study, looked into twice on its way and at its end. */
    int status = CKG_OK;
    while (!status && ckg_study_trials(study) < trials) {
        const int before = ckg_study_trials(study);
        status = go_on(study, w, &open);
        if (before < trials * 2 / 3 && ckg_study_trials(study) >= trials * 2 / 3)
            put_all(study, w);
    }
    put_all(study, w);
    ckg_suggestion_free(open);
    ckg_study_free(study);
}

static const struct world *world_named(const char *name)
{
    for (int i = 0; i < WORLDS; i++)
        if (!strcmp(worlds[i].name, name))
            return &worlds[i];
    die(name);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1, first = argc > 2 ? atoi(argv[2]) : 0;
    const int step = argc > 3 ? atoi(argv[3]) : 1, policies = ckg_policy_count();

    for (int i = first; i < policies * WORLDS + SPECIALS; i += step) {
        struct special plain = {0};
        const int extra = i - policies * WORLDS;
        const struct special *special = extra >= 0 ? &specials[extra] : &plain;
        const struct world *w = extra >= 0 ? world_named(special->world) : &worlds[i % WORLDS];
        ckg_policy_info info;

        if (extra < 0) {
            must(ckg_policy_at(i / WORLDS, &info));
            plain.policy = info.name;
        }
        printf("study %d %s %s\n", i, special->policy, w->name);
        run(w, special, threads);
        fflush(stdout);
    }
    return 0;
}
