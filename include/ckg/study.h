/*
 * A study: the evaluations made so far on one problem, what they teach, and what to do next.
 *
 *     ask → evaluate → tell → ask → … → recommend
 *
 * All results are in the user's own units and signs. What is not known is NAN: before an outcome's first
 * value nothing is said of it, no mean, no standard deviation, no probability, and none of meeting all
 * constraints. Suggestions and recommendations are made all the same. Use one study from one thread at a
 * time; different studies may be used from different threads at once. The library never prints, exits or
 * reads a file.
 *
 * A program keeps working with a newer library than it was compiled with, because structs only grow at their
 * end, and each side knows what the other has:
 *
 * Options (ckg_options, ckg_recommend_options) begin with their version, and every earlier version is
 * accepted. Start from the _INIT macro, or in another language from the _init function.
 *
 * Structs that the library allocates (ckg_suggestion, ckg_recommendation) are read through its pointer.
 *
 * Structs that the caller allocates and a function fills (ckg_trial, ckg_model_info, ckg_policy_info) come
 * with their size: the macros add it, and other languages pass it to the function whose name ends in _sized.
 *
 * Elements of arrays (ckg_measurement, ckg_setting, ckg_policy_parameter) do not grow.
 */
#ifndef CKG_STUDY_H
#define CKG_STUDY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <ckg/policy.h>
#include <ckg/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ckg_study ckg_study;

/*
 * How a study works. Start from CKG_OPTIONS_INIT and change what you need. Strings may be freed once
 * ckg_study_new returns.
 */
typedef struct ckg_options {
    int version;                 /* of this struct: CKG_OPTIONS_VERSION */
    const char *policy;          /* how designs are chosen, "auto" by default; ckg/policy.h lists them */
    int settings_count;          /* how many of the policy's parameters you set */
    const ckg_setting *settings; /* (settings_count) by name */
    const char *preset;          /* "default", or "paper": the settings of the paper's authors */
    /* the same seed, problem and data give the same suggestions, at any number of threads */
    uint64_t seed;
    int threads; /* the most threads to use, up to 256; 0: as many as it may run on */
    /*
     * seconds per suggestion or recommendation: the search ends early with the best it has. Where the models
     * alone take longer, any free design is suggested, and of designs that measured feasible the best is
     * recommended. 0: no limit
     */
    double time_limit;
    /* designs of the Latin hypercube before the policy takes over, 100,000 at most; -1: max(10, 2(d+1)) */
    int initial;
    /* "rbf" (squared exponential), "matern52", "matern32"; "auto": for each outcome what its data favour */
    const char *kernel;
    /*
     * hyperparameters: "ml", "map", "sample" (averaged over posterior samples), or "auto": sample under
     * noise, else map
     */
    const char *fit;
    /*
     * how many posterior samples "sample" averages over, 1 … 64; beyond 300 rows only the maximum is used.
     * Of more than 2,000 designs the models see 2,000: the newest, those near the best, and some of the
     * others
     */
    int samples;
    /*
     * 1: an outcome with a heavy tail or of one sign may be modelled on another scale when the data favour
     * it, and values that are absurdly far out are drawn in; 0: every outcome as it is
     */
    int warp;
    /* M, what an infeasible design is worth, in the objective's units, within ±1e150; NAN: automatic */
    double penalty;
    const char *failures; /* "model": learn where evaluations fail and steer away; "ignore" */
    /*
     * total number of evaluations, not counting cancelled ones, or what they may cost in all where outcomes
     * have costs; 0: not known
     */
    int budget;
    /*
     * chooses the last design of the budget, for example "nei" to play safe; NULL or "": the study's policy
     */
    const char *final_policy;
} ckg_options;

#define CKG_OPTIONS_VERSION 1
#define CKG_OPTIONS_INIT                                                                                     \
    {                                                                                                        \
        CKG_OPTIONS_VERSION, "auto", 0, NULL, "default", 1, 1, 0.0, -1, "auto", "auto", 8, 1, CKG_AUTOMATIC, \
            "model", 0, NULL                                                                                 \
    }
#define CKG_AUTOMATIC NAN

/*
 * The same as CKG_OPTIONS_INIT, for languages without C's macros. `version` is the CKG_OPTIONS_VERSION of the
 * caller's struct; CKG_ERR_INVALID if the library does not know it.
 */
CKG_API int ckg_options_init(ckg_options *options, int version);

/* A study of a copy of `problem`; NULL options mean the defaults. The caller frees it. */
CKG_API int ckg_study_new(ckg_study **out, const ckg_problem *problem, const ckg_options *options);
CKG_API void ckg_study_free(ckg_study *study);

/* The study's own copy of the problem, borrowed. */
CKG_API const ckg_problem *ckg_study_problem(const ckg_study *study);

/*
 * Lets you cancel a long call: on Ctrl-C, when a server shuts down, or when nobody waits for the result any
 * more. While ckg_study_ask, _recommend, _predict, _score, _model and similar functions compute, they call
 * interrupt(context) on the thread that called them, up to a few thousand times a second. Once it returns
 * anything but 0, the call soon ends with CKG_ERR_CANCELLED and has changed nothing: no trial was recorded,
 * and the next call answers as if this one had never been made. The callback must not use the study. NULL:
 * calls run to their end (the default).
 */
CKG_API int ckg_study_set_interrupt(ckg_study *study, int (*interrupt)(void *context), void *context);

/* --- asking --- */

/* Seconds spent on each stage of a suggestion. */
typedef struct ckg_timing {
    double fit, recommend, screen, inner, refine, total;
} ckg_timing;

/* A suggested design, and what is expected of it. */
typedef struct ckg_suggestion {
    int trial;       /* its number, for ckg_study_tell */
    int dimension;   /* d */
    int constraints; /* K */
    const double *x; /* (d) the design */
    /*
     * How it was chosen: "design" (the initial design), the policy's name ("auto": that of the policy that
     * it went by), "improve" (auto by "cei"), "local" (in the neighbourhood of the best design), "repeat" (a
     * design once more, to see whether there is noise), "cei-fallback", "explore" (the search has stalled, or
     * only ever heard no), "restart" (the initial design of a new trust region), "random" (any free design,
     * where there was no other, or no time to look for one).
     */
    const char *path;
    /*
     * the policy's value of x, see ckg_policy_info.value; a logarithm for "cei-fallback", "improve" and
     * "local"; NAN if there is none
     */
    double value;
    /*
     * (1+K) predicted outcomes before the evaluation, by the models that chose x, which ckg_study_predict
     * refines; NAN while there is no model, and for an outcome that was never measured
     */
    const double *mean;
    const double *sd;          /* (1+K) of the outcome itself, without measurement noise; likewise */
    const double *probability; /* (K) of meeting each constraint; likewise */
    /*
     * of meeting all constraints and, where failures are modelled, of the evaluation succeeding; NAN if that
     * of one constraint is
     */
    double probability_feasible;
    int candidates; /* how many designs were scored */
    ckg_timing seconds;
    /*
     * which outcomes to measure there, in ascending order: all of them, unless they can be measured one at a
     * time (ckg_problem_set_cost), and what that costs; NAN where they cannot
     */
    int measures;
    const int *measure; /* (measures) */
    double cost;
    /*
     * Who chose: a policy's name, "initial", "local", "explore", "repeat", "restart" or "random"; and why
     * this design, one sentence for people. Both static
     */
    const char *chosen_by, *reason;
} ckg_suggestion;

/*
 * Suggests the next design and records it as a pending trial. Pending trials are taken into account, so
 * asking q times gives q different, useful designs. CKG_ERR_EXHAUSTED if every design of a finite problem
 * has been evaluated without noise, has failed or is pending.
 */
CKG_API int ckg_study_ask(ckg_study *study, ckg_suggestion **out);
CKG_API void ckg_suggestion_free(ckg_suggestion *suggestion);

/*
 * Fits the models to everything told so far, which ckg_study_ask would do first: for callers that hold a lock
 * while they ask, and want to hold it for the search alone. No answer depends on whether it was called.
 * ckg_study_is_prepared is 1 when there is nothing to be done: the models are fitted, or the next suggestion
 * needs none, or has a time limit, which it shares out itself.
 */
CKG_API int ckg_study_prepare(ckg_study *study);
CKG_API int ckg_study_is_prepared(const ckg_study *study);

/*
 * Records a design of your own (d) as a pending trial; an integer parameter needs an integer, a category an
 * index.
 */
CKG_API int ckg_study_add(ckg_study *study, const double *x, int *trial);

/*
 * Where outcomes can be measured one at a time: the pending trial will measure these alone, 1 <= count. A
 * trial that was asked for has what was suggested, one that was added has all of them.
 */
CKG_API int ckg_study_want(ckg_study *study, int trial, int count, const int *outcomes);

/* 1 if the trial is, or was, to measure the outcome, else 0; -1 if there is no such trial or outcome. */
CKG_API int ckg_study_wants(const ckg_study *study, int trial, int outcome);

/*
 * What the trial costs, in the unit of the outcomes' costs: what it was to measure and what was told beyond
 * that; 0 if it was cancelled. And all trials together, those that are pending included. NAN where outcomes
 * have no costs, or there is no such trial.
 */
CKG_API double ckg_study_trial_cost(const ckg_study *study, int trial);
CKG_API double ckg_study_spent(const ckg_study *study);

/* --- telling --- */

/* The result of a pending trial: all 1+K outcomes. */
CKG_API int ckg_study_tell(ckg_study *study, int trial, const double *values);

/* The same, with only some outcomes measured: 1 <= count, each at most once. */
CKG_API int ckg_study_tell_measured(ckg_study *study, int trial, int count, const ckg_measurement *measured);

/* The evaluation of a pending trial failed: there are no values, and there will be none. */
CKG_API int ckg_study_tell_failed(ckg_study *study, int trial);

/*
 * The pending trial will not be evaluated, and is no longer pending. Its place in the initial design stays
 * taken.
 */
CKG_API int ckg_study_cancel(ckg_study *study, int trial);

enum ckg_trial_state { CKG_PENDING, CKG_COMPLETE, CKG_FAILED, CKG_CANCELLED };

/* A trial as recorded; the pointers are borrowed until the study changes. */
typedef struct ckg_trial {
    int state;
    const double *x; /* (d) */
    int count;
    const ckg_measurement *measured; /* (count) */
    /*
     * 1 or 0 if the values alone decide, else -1; where outcomes are measured one at a time, the values of
     * all trials of the design
     */
    int feasible;
} ckg_trial;

/* How many trials there are, and one of them: ckg_study_trial(study, trial, &out). */
CKG_API int ckg_study_trials(const ckg_study *study);
CKG_API int ckg_study_trial_sized(const ckg_study *study, int trial, ckg_trial *out, size_t size);
#define ckg_study_trial(study, trial, out) ckg_study_trial_sized(study, trial, out, sizeof(ckg_trial))

/*
 * The trial with the best measured objective among those that measured feasible, the first if several are
 * equal; -1: none.
 */
CKG_API int ckg_study_best(const ckg_study *study);

/* --- recommending --- */

enum ckg_rule {
    CKG_RULE_UTILITY, /* the largest M + (mean − M)·PF over the whole space (the default) */
    /*
     * the best mean among designs with PF >= probability; the largest PF if there is none. Every constraint
     * must have been measured
     */
    CKG_RULE_PROBABILITY
};

typedef struct ckg_recommend_options {
    int version; /* CKG_RECOMMEND_OPTIONS_VERSION */
    int rule;
    double probability;
    int evaluated_only; /* 1: choose only among evaluated designs */
} ckg_recommend_options;

#define CKG_RECOMMEND_OPTIONS_VERSION 1
#define CKG_RECOMMEND_OPTIONS_INIT                                                                           \
    {                                                                                                        \
        CKG_RECOMMEND_OPTIONS_VERSION, CKG_RULE_UTILITY, 0.95, 0                                             \
    }

/* The same as CKG_RECOMMEND_OPTIONS_INIT; see ckg_options_init. */
CKG_API int ckg_recommend_options_init(ckg_recommend_options *options, int version);

typedef struct ckg_recommendation {
    int dimension;
    int constraints;
    const double *x;             /* (d) */
    const double *mean;          /* (1+K); NAN for a constraint that was never measured */
    const double *sd;            /* (1+K); likewise */
    const double *probability;   /* (K) of meeting each constraint; likewise */
    double probability_feasible; /* of meeting all; NAN if that of one constraint is */
    /*
     * M + (mean − M)·PF, averaged over the hyperparameter samples if there are several; NAN if PF is not
     * known
     */
    double utility;
    double penalty;  /* M as used */
    int evaluations; /* trials told, including failed ones */
    int best_trial;  /* the best trial that measured feasible, or -1 */
    int trial;       /* the last trial that evaluated this design, or -1: none did */
    int measured;    /* 1: mean is what was measured in it, without noise: a fact, and no prediction */
    /*
     * 0; or no design is likely to be feasible, x is the one expected to break the limits least, and this
     * constraint is the one that it breaks by most
     */
    int most_violated;
} ckg_recommendation;

/*
 * What to build, given all that was told so far. NULL options mean the utility rule over the whole space or,
 * once a budget with a final policy is spent, among evaluated designs. CKG_ERR_STATE if the objective has
 * never been measured, or by CKG_RULE_PROBABILITY a constraint.
 */
CKG_API int ckg_study_recommend(ckg_study *study, const ckg_recommend_options *options,
                                ckg_recommendation **out);
CKG_API void ckg_recommendation_free(ckg_recommendation *recommendation);

/*
 * What more evaluations are expected to gain, in the objective's units: by how much the worth of what is
 * recommended would improve. NAN is what is not known: while nothing measured feasible, fewer trials were
 * told than the initial design has, or an outcome was never measured.
 */
typedef struct ckg_gain {
    /*
     * by one more evaluation: the largest value of the constrained knowledge gradient, which without noise
     * and with a feasible design in hand is the expected improvement
     */
    double next;
    double remaining; /* by the rest of the budget; 0 where it is spent, NAN where there is none */
    /* by knowing everything, as the models have it: no number of evaluations is expected to gain more */
    double perfect_information;
    double perfect_information_rough; /* the same if every outcome were twice as rough as its model has it */
    double objective;                 /* at what is recommended now, predicted, or measured without noise */
    int left;                         /* evaluations left of the budget; -1: there is none */
} ckg_gain;

/* ckg_study_expected_gain(study, &gain). Pending trials count as not made. */
CKG_API int ckg_study_expected_gain_sized(ckg_study *study, ckg_gain *out, size_t size);
#define ckg_study_expected_gain(study, out) ckg_study_expected_gain_sized(study, out, sizeof(ckg_gain))

/* --- looking inside --- */

/*
 * Predictions at `count` designs X (count × d): mean and sd (count × (1+K)), the probability of feasibility
 * and the utility (count). Any output may be NULL. Pending designs are ignored. NAN are: mean and sd of an
 * outcome that was never measured; the probability while a constraint was not; the utility while any outcome
 * was not.
 */
CKG_API int ckg_study_predict(ckg_study *study, int count, const double *X, double *mean, double *sd,
                              double *probability, double *utility);

/*
 * The standard deviation of the noise of one more evaluation at `count` designs X (count × d), of each
 * outcome (count × (1+K)): 0 without noise; NAN while the outcome was never measured. Where an outcome is not
 * modelled as it is (ckg_model_info.scale), that of a value whose mean is the prediction.
 */
CKG_API int ckg_study_predict_noise(ckg_study *study, int count, const double *X, double *noise_sd);

/*
 * The policy's value at `count` designs X (count × d); larger is better. Pending designs are taken into
 * account. NULL: the study's own policy; "auto" gives those of the policy that chooses next. An outcome that
 * was never measured is thought of as the models' prior has it: these values compare designs, they state
 * nothing about them.
 */
CKG_API int ckg_study_score(ckg_study *study, const char *policy, int count, const double *X, double *value);

/* *out ← the name of the policy whose values these are: the given one, or under "auto" the one that it goes
 * by. */
CKG_API int ckg_study_score_policy(ckg_study *study, const char *policy, const char **out);

/*
 * What measuring one outcome alone would be worth (count × (1+K)), for "auto", "ckg" and "pesc";
 * CKG_ERR_INVALID for other policies. The values of "pesc" are a sum over the outcomes, and these are the
 * shares; where failures are modelled, what is learnt about them is in no share. Those of "auto" and "ckg"
 * are no shares: two outcomes together may be worth more than the sum of both, or less; that the evaluation
 * succeeds is learnt with each of them. A constraint that repeats another one exactly has the value of that
 * one.
 */
CKG_API int ckg_study_score_outcomes(ckg_study *study, const char *policy, int count, const double *X,
                                     double *value);

/*
 * A fitted model, in the outcome's units; with "sample", the first of the samples. While the outcome was
 * never measured there are 0 observations, and the numbers of the fit are NAN.
 */
typedef struct ckg_model_info {
    const char *kernel;
    int observations;           /* rows of the model: distinct designs */
    int samples;                /* hyperparameter samples averaged over; 1: a single set */
    const double *lengthscales; /* (d) in the unit cube, borrowed until the study changes */
    double signal_sd, noise_sd, mean;
    double log_likelihood; /* of the standardised, pooled data */
    /*
     * > 0: modelled on the scale asinh(warp·t), with t standardised robustly; 0: on another, see `scale`.
     * Unless that is "linear", signal_sd, noise_sd and mean are moments transformed back, that of the noise
     * at the mean
     */
    double warp;
    double nugget;   /* variance added for numerical stability, relative to the signal's, as finally used */
    const char *fit; /* how the hyperparameters were found: "ml", "map" or "sample" */
    /*
     * what is modelled: "linear", the outcome as it is; "asinh", its tails drawn in; "log", its logarithm;
     * "probit", an answer: then signal_sd is in the unit of the process, whose Φ is the probability of a yes,
     * and noise_sd is NAN
     */
    const char *scale;
    /* rows so far out that they count as nearer, with a noise of their own: large or small, and no more */
    int outliers;
    /*
     * the constraint whose values this one repeats, perhaps in another unit and from another origin, so that
     * the two count once; 0: none
     */
    int duplicate_of;
    int is_duplicate; /* 1: exactly, and this is the model of that one; 0: nearly, or it repeats none */
    /*
     * by how much the standard deviations were widened, for the model's latest predictions were too sure; 1:
     * they were not
     */
    double inflation;
    int linear; /* 1: a linear part beside the kernel, of which signal_sd says nothing */
    /*
     * 1: the noise varies over the space (ckg_study_predict_noise). noise_sd is that of the middle one of the
     * designs then, and the quietest and the loudest of them have these; else all three are the same
     */
    int noise_varies;
    double noise_low, noise_high;
} ckg_model_info;

/* The model of an outcome: ckg_study_model(study, outcome, &info). */
CKG_API int ckg_study_model_sized(ckg_study *study, int outcome, ckg_model_info *out, size_t size);
#define ckg_study_model(study, outcome, out)                                                                 \
    ckg_study_model_sized(study, outcome, out, sizeof(ckg_model_info))

/*
 * Each trial's outcome as predicted from all other designs, with the hyperparameters as they are: the mean,
 * the sd of the outcome itself, and the sd of a value measured there, noise included. Each output has
 * ckg_study_trials numbers, NAN where the outcome was not measured, or in no other design; any may be NULL.
 * Trials of the same design are left out together.
 */
CKG_API int ckg_study_leave_one_out(ckg_study *study, int outcome, double *mean, double *sd,
                                    double *measured_sd);

/*
 * What each parameter (d) matters for an outcome: its total-effect (Sobol) index, the share of the outcome's
 * variance over all designs of the box that would be left if every other parameter were known; 0: the outcome
 * does not depend on it, 1: on nothing else. Parameters that act together count in the index of each, so that
 * the sum may exceed 1. `total` is the mean over functions drawn from the models, and nine of ten of them lie
 * in low … high; all three are accurate to about 0.01. NAN before the outcome's first value. A finite list of
 * designs is not regarded. Any output may be NULL.
 */
CKG_API int ckg_study_importance(ckg_study *study, int outcome, double *total, double *low, double *high);

/*
 * The penalty M, in the objective's units, as the next suggestion would use it; NAN before the objective's
 * first value, unless you set it.
 */
CKG_API int ckg_study_penalty(ckg_study *study, double *out);

#ifdef __cplusplus
}
#endif
#endif
