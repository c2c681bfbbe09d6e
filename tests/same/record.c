/*
 * Writes down what many studies say, to the last bit: scripts/same-bits.sh compares what two revisions say.
 *
 *     record [THREADS [FIRST [STEP [LATER]]]]
 *
 * runs studies FIRST, FIRST + STEP, … of the list below (every policy but `ckg` on every problem, then the
 * special ones) and number FIRST, FIRST + LATER, … of the further ones, `ckg` on every problem the last of
 * them (LATER is STEP if not given). It prints one line for each thing said: suggestions, recommendations by
 * each rule, predictions, scores, models, leave-one-out predictions, M; of the further ones also the problem
 * as it reads back, what more evaluations gain, what each parameter matters, noise, and every trial. Numbers
 * are hexadecimal, so that equal lines are equal bits. Only the public interface is used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"

/* A study that departs from the defaults. */
struct special {
    const char *world, *policy, *kernel, *fit, *preset, *failures, *final_policy;
    double penalty;
    int warp, samples, trials, budget;
    ckg_setting setting;
};

static const struct special specials[] = {
    {.world = "toy", .policy = "auto", .trials = 60},
    {.world = "toy-noise", .policy = "auto", .trials = 44},
    {.world = "toy", .policy = "kg", .trials = 40},
    {.world = "toy", .policy = "pkg", .trials = 40},
    {.world = "toy-noise", .policy = "pkg", .trials = 30},
    {.world = "toy", .policy = "cts", .trials = 44},
    {.world = "toy", .policy = "cei", .trials = 44},
    {.world = "toy", .policy = "cmes", .trials = 40},
    {.world = "toy", .policy = "scbo", .trials = 90},
    {.world = "five", .policy = "scbo", .trials = 70},
    {.world = "five", .policy = "auto", .trials = 40},
    {.world = "mixed", .policy = "auto", .trials = 48},
    {.world = "listed", .policy = "auto", .trials = 36},
    {.world = "toy", .policy = "auto", .trials = 130},
    {.world = "toy", .policy = "auto", .kernel = "matern52"},
    {.world = "toy-noise", .policy = "auto", .kernel = "matern32"},
    {.world = "five", .policy = "cei", .kernel = "matern32"},
    {.world = "toy", .policy = "auto", .fit = "sample"},
    {.world = "toy", .policy = "auto", .fit = "ml"},
    {.world = "toy-noise", .policy = "auto", .fit = "map"},
    {.world = "toy-noise", .policy = "nei", .fit = "map"},
    {.world = "five", .policy = "auto", .fit = "sample", .samples = 3},
    {.world = "toy", .policy = "auto", .preset = "paper", .trials = 14},
    {.world = "toy-known", .policy = "auto", .preset = "paper", .trials = 13},
    {.world = "broken", .policy = "auto", .failures = "ignore"},
    {.world = "broken", .policy = "cei", .failures = "ignore"},
    {.world = "toy", .policy = "auto", .warp = -1},
    {.world = "ten", .policy = "auto", .warp = -1},
    {.world = "toy", .policy = "auto", .penalty = 30},
    {.world = "toy-noise", .policy = "pkg", .penalty = 12},
    {.world = "toy", .policy = "auto", .final_policy = "nei", .budget = 14, .trials = 15},
    {.world = "toy-noise", .policy = "cts", .final_policy = "cei", .budget = 13, .trials = 14},
    {.world = "toy", .policy = "auto", .setting = {"candidates", 30}},
    {.world = "toy", .policy = "auto", .setting = {"M", 25}},
    {.world = "five", .policy = "auto", .setting = {"points", 64}},
    {.world = "toy", .policy = "pesc", .setting = {"draws", 8}},
    {.world = "five", .policy = "scbo", .setting = {"length", 0.4}, .trials = 30},
};

/*
 * The kinds of problem that came later, with everything written down. Of each three the first is what
 * test_bits.py takes: every world once, with the kernel that the data favour.
 */
static const struct special further[] = {
    {.world = "everything", .policy = "auto", .kernel = "auto"},
    {.world = "everything", .policy = "nei"},
    {.world = "everything", .policy = "cei", .fit = "map"},
    {.world = "equal", .policy = "auto", .kernel = "auto"},
    {.world = "equal", .policy = "al"},
    {.world = "equal", .policy = "alslack"},
    {.world = "equal-noise", .policy = "auto", .kernel = "auto"},
    {.world = "equal-noise", .policy = "nei"},
    {.world = "equal-noise", .policy = "scbo", .trials = 24},
    {.world = "ruled", .policy = "auto", .kernel = "auto"},
    {.world = "ruled", .policy = "scbo", .trials = 30},
    {.world = "ruled", .policy = "pesc"},
    {.world = "ruled-mixed", .policy = "cei", .kernel = "auto"},
    {.world = "ruled-mixed", .policy = "auto"},
    {.world = "ruled-mixed", .policy = "cts"},
    {.world = "costs", .policy = "auto", .kernel = "auto", .budget = 70},
    {.world = "costs", .policy = "pesc"},
    {.world = "costs", .policy = "cei"},
    {.world = "answers", .policy = "auto", .kernel = "auto"},
    {.world = "answers", .policy = "svmcbo"},
    {.world = "answers", .policy = "cei", .trials = 30},
    {.world = "answers-noise", .policy = "nei", .kernel = "auto"},
    {.world = "answers-noise", .policy = "auto"},
    {.world = "answers-noise", .policy = "sur"},
    {.world = "groups", .policy = "pesc", .kernel = "auto"},
    {.world = "groups", .policy = "auto", .budget = 60},
    {.world = "groups", .policy = "nei"},
    {.world = "absurd", .policy = "auto", .kernel = "auto"},
    {.world = "absurd", .policy = "kg", .fit = "map"},
    {.world = "absurd", .policy = "cei", .warp = -1},
    {.world = "ruled-list", .policy = "auto", .kernel = "auto"},
    {.world = "ruled-list", .policy = "random"},
    {.world = "ruled-list", .policy = "bagheri"},
    {.world = "steps", .policy = "auto", .kernel = "auto"},
    {.world = "steps", .policy = "scbo", .trials = 24},
    {.world = "steps", .policy = "sobol"},
    {.world = "positive", .policy = "auto", .kernel = "auto"},
    {.world = "positive", .policy = "cei", .fit = "ml"},
    {.world = "positive", .policy = "cmes"},
    {.world = "repeats", .policy = "auto", .kernel = "auto"},
    {.world = "repeats", .policy = "nei"},
    {.world = "repeats", .policy = "pes"},
    {.world = "hopeless", .policy = "auto", .kernel = "auto"},
    {.world = "hopeless", .policy = "cei"},
    {.world = "hopeless", .policy = "rollout"},
    {.world = "varying", .policy = "auto", .kernel = "auto"},
    {.world = "varying", .policy = "nei", .fit = "sample"},
    {.world = "varying", .policy = "pkg", .trials = 30},
    {.world = "toy", .policy = "auto", .kernel = "auto", .budget = 20},
    {.world = "toy", .policy = "al", .budget = 17, .final_policy = "nei"},
    {.world = "listed", .policy = "auto", .budget = 40},
    {.world = "toy-noise", .policy = "auto", .kernel = "auto", .budget = 20},
    {.world = "broken", .policy = "pesc", .budget = 20},
    {.world = "ten", .policy = "cts"},
};

/* The policy that came last, on every problem of the first; it is the second of the library's list. */
static const struct special looking_ahead = {.policy = "ckg"};

enum { SPECIALS = sizeof specials / sizeof *specials, FURTHER = sizeof further / sizeof *further };

_Noreturn void die(const char *what)
{
    fprintf(stderr, "record: %s: %s\n", what, ckg_error_message());
    exit(1);
}

void must(int status)
{
    if (status)
        die("failed");
}

/* --- a study --- */

/* 1 when the evaluation of x fails. */
static int fails(const struct world *w, const double *x)
{
    return w->failures && x[0] + x[1] > 1.45;
}

/* A trial's outcomes, measured: those it was to measure, or some of them. */
static int measure(const ckg_study *study, const struct world *w, int trial, const double *values,
                   ckg_measurement *measured)
{
    const int some = w->partial && trial % 3 == 2;
    int count = 0;

    for (int j = 0; j <= w->K; j++) {
        if (!ckg_study_wants(study, trial, j) || (some && (j + trial / 3) % 2 == 0))
            continue;
        measured[count++] = (ckg_measurement){j, values[j], some && j % 2 == 0 ? 0.02 : CKG_SD_DEFAULT};
    }
    return count;
}

static void tell(ckg_study *study, const struct world *w, int trial, const double *x)
{
    ckg_measurement measured[1 + MOST_K];
    double values[1 + MOST_K];

    evaluate(w, trial, x, values);
    const int count = measure(study, w, trial, values, measured);
    if (fails(w, x))
        must(ckg_study_tell_failed(study, trial));
    else if (count && (count <= w->K || (w->partial && trial % 3 == 2)))
        must(ckg_study_tell_measured(study, trial, count, measured));
    else if ((trial == 12 && w->batch > 1) || !count)
        must(ckg_study_cancel(study, trial));
    else
        must(ckg_study_tell(study, trial, values));
}

/* A design of the caller's own; where outcomes come one at a time, only the objective of every second. */
static void add_own(ckg_study *study, const struct world *w, int which)
{
    double X[PROBES * MOST_D];
    const double *x = X + which % PROBES * w->d;
    int trial;

    probe_designs(w, X, PROBES);
    must(ckg_study_add(study, x, &trial));
    if (w->traits & COSTS && which % 2)
        must(ckg_study_want(study, trial, 1, (const int[]){0}));
    tell(study, w, trial, x);
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
        tell(study, w, (*open)->trial, (*open)->x);
        ckg_suggestion_free(*open);
        *open = NULL;
    }
    for (int i = 0; i < asked; i++) {
        if (w->batch > 1 && i == asked - 1 && batch[i]->trial % 2) {
            *open = batch[i];
            continue;
        }
        tell(study, w, batch[i]->trial, batch[i]->x);
        ckg_suggestion_free(batch[i]);
    }
    return status;
}

static ckg_options options_of(const struct world *w, const struct special *special, int threads)
{
    ckg_options options = CKG_OPTIONS_INIT;

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
    return options;
}

/* A study, looked into twice: on its way and at its end. */
static void run(const struct world *w, const struct special *special, int threads, int all)
{
    const ckg_options options = options_of(w, special, threads);
    const int trials = special->trials ? special->trials : w->trials;
    ckg_problem *problem = make_problem(w);
    ckg_suggestion *open = NULL;
    ckg_study *study;
    int status = CKG_OK;

    must(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    if (all)
        put_problem(ckg_study_problem(study), w);
    for (int batches = 1; !status && ckg_study_trials(study) < trials; batches++) {
        const int before = ckg_study_trials(study);
        status = go_on(study, w, &open);
        if (w->traits & OWN && batches % 3 == 0)
            add_own(study, w, batches / 3);
        if (before < trials * 2 / 3 && ckg_study_trials(study) >= trials * 2 / 3)
            put_study(study, w, all);
    }
    put_study(study, w, all);
    if (all)
        put_trials(study, w);
    ckg_suggestion_free(open);
    ckg_study_free(study);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1, first = argc > 2 ? atoi(argv[2]) : 0;
    const int step = argc > 3 ? atoi(argv[3]) : 1, later = argc > 4 ? atoi(argv[4]) : step;
    const int plain = (ckg_policy_count() - 1) * WORLDS, old = plain + SPECIALS, last = old + FURTHER;

    for (int i = 0; i < last + WORLDS; i++) {
        struct special defaults = {0};
        const struct special *special = i >= last    ? &looking_ahead
                                        : i >= old   ? &further[i - old]
                                        : i >= plain ? &specials[i - plain]
                                                     : &defaults;
        const struct world *w = i >= last    ? &worlds[i - last]
                                : i >= plain ? world_named(special->world)
                                             : &worlds[i % WORLDS];
        const int from = i >= old ? i - old - first : i - first;
        ckg_policy_info info;

        if (from < 0 || from % (i >= old ? later : step))
            continue;
        if (i < plain) {
            must(ckg_policy_at(i / WORLDS + (i >= WORLDS), &info));
            defaults.policy = info.name;
        }
        printf("study %d %s %s\n", i, special->policy, w->name);
        run(w, special, threads, i >= old && i < last);
        fflush(stdout);
    }
    return 0;
}
