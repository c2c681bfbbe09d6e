/*
 * The trials of a study, the distinct designs among them, and the pooled series of one outcome that a model
 * is fitted to.
 */
#ifndef CKG_DATA_DATA_H
#define CKG_DATA_DATA_H

#include <ckg/study.h>

#include "base/arena.h"
#include "problem/problem.h"
#include "problem/units.h"

struct ckg__trial {
    enum ckg_trial_state state;
    int design; /* row of the distinct designs */
    int count;  /* measured values */
    struct ckg_measurement *measured;
    int before;             /* the trial before it at the same design; -1: none */
    struct ckg__set wanted; /* what it was to measure; empty: nobody said, and that is everything */
};

struct ckg__data {
    const struct ckg_problem *problem;
    int trials, trial_capacity;
    struct ckg__trial *trial;
    int designs, design_capacity;
    double *x;   /* designs × d, the user's units */
    double *u;   /* designs × D, the unit cube */
    int *newest; /* (designs) the last trial of each; the others by `before` */
    int *slot;   /* (slots) where the hash of a design leads: its row + 1, or 0 */
    int slots;   /* a power of two */
    /* evidence of repeated evaluations: of those that agreed to the last bit, and how many did not */
    int alike, unlike;
};

void ckg__data_init(struct ckg__data *data, const struct ckg_problem *problem);
void ckg__data_free(struct ckg__data *data);

/* Appends a pending trial at x (d), checked by the caller; *trial is its number. */
int ckg__data_add(struct ckg__data *data, const double *x, int *trial);
/* Gives a pending trial its values, checked by the caller, or fails. */
int ckg__data_tell(struct ckg__data *data, int trial, int count, const struct ckg_measurement *measured);

/* 1 when the trial is, or was, to measure the outcome. */
static inline int ckg__trial_wants(const struct ckg__trial *trial, int outcome)
{
    return ckg__set_empty(&trial->wanted) || ckg__set_has(&trial->wanted, outcome);
}

/* What the trial costs: what it was to measure and what it measured; 0 where it was cancelled. */
double ckg__data_cost(const struct ckg__data *data, int trial);

/* The cost of all trials, those that are pending included. */
double ckg__data_spent(const struct ckg__data *data);

/* Makes trial t the newest of its design, for data that are put together from trials of others. */
void ckg__data_chain(struct ckg__data *data, int t);

/* The row of the distinct design x (d), or -1. */
int ckg__data_find(const struct ckg__data *data, const double *x);

/* 1 when a trial of the distinct design is pending. */
int ckg__data_pending(const struct ckg__data *data, int design);

/* 1 when the distinct design breaks no rule. */
int ckg__data_allowed(const struct ckg__data *data, int design);

/*
 * What is known of the trial's design: the trial's values or, where outcomes are measured apart, those of all
 * trials there, one of each outcome: one without noise where there is one, else the mean. Returns their
 * number, of at most 1+K.
 */
int ckg__data_facts(const struct ckg__data *data, const struct ckg__trial *trial,
                    struct ckg_measurement *facts);

/*
 * 1 when the trial, or where outcomes are measured apart its design, was measured feasible, 0 infeasible or
 * breaks a rule, -1 not known.
 */
int ckg__data_feasible(const struct ckg__data *data, const struct ckg__trial *trial);

/* 1 when some trial measured the outcome. */
int ckg__data_measured(const struct ckg__data *data, int outcome);

/* 1 when the outcome, an answer, was given and was always no. */
int ckg__data_refused(const struct ckg__data *data, int outcome);

/* The best trial measured feasible in every constraint, by its measured objective, or -1. */
int ckg__data_best(const struct ckg__data *data);
/* The same among the first `trials` trials. */
int ckg__data_best_of(const struct ckg__data *data, int trials);

/*
 * 1 when the value was measured without noise: the problem says so, or the value itself, or the study has
 * shown it. Where noise is to be estimated there is none while all repeated evaluations agree to the last
 * bit: one of them says so, and of values with few digits, which may agree by chance, two.
 */
int ckg__data_exact(const struct ckg__data *data, const struct ckg_measurement *m);

/* 1 when the first `trials` trials have shown that outcomes whose noise is to be estimated have none. */
int ckg__data_shown_exact(const struct ckg__data *data, int trials);

/* 1 unless m is an answer and another trial of the design answered otherwise. */
int ckg__data_agrees(const struct ckg__data *data, int design, const struct ckg_measurement *m);

/*
 * 1 when an evaluation of the design would teach nothing: every outcome was measured there without noise, or
 * it failed.
 */
int ckg__data_settled(const struct ckg__data *data, int design);

/*
 * 1 when an evaluation of the set would teach something that is not under way already: no trial of the design
 * failed, none that is pending wants any of the set, and something of it is not settled.
 */
int ckg__data_open(const struct ckg__data *data, int design, const struct ckg__set *set);

/* The warp that is a logarithm; others are 0, none, or the strength c > 0 of an asinh. */
enum { CKG__LOGARITHM = -1 };

/*
 * How an outcome's value v becomes the number y a model sees: t = sign·v; where warp c > 0,
 * w = asinh(c·(t−warp_centre)/warp_scale)/c; for the logarithm w = ±log(t/warp_scale), where warp_scale has
 * the sign that all t have, and ± is that sign; else w = t. Absurd values count as the nearer end of
 * low … high, if that is an interval. y = (w−centre)/scale.
 */
struct ckg__scaling {
    double sign, warp, warp_centre, warp_scale, centre, scale;
    double low, high;
};

/*
 * y is rounded to 2^-32: far below any noise a model knows, but above the rounding that another unit or
 * origin of the same values brings, so that those change no suggestion.
 */
double ckg__scaling_round(double y);
double ckg__scaling_warp(const struct ckg__scaling *s, double value); /* w */
double ckg__scaling_apply(const struct ckg__scaling *s, double value);
/* The same for a limit or a penalty, which is never absurd: no interval, no rounding, but finite. */
double ckg__scaling_place(const struct ckg__scaling *s, double value);
/* log dy/d|v| at a value: the warp's share in the likelihood, and in a known noise. */
double ckg__scaling_log_slope(const struct ckg__scaling *s, double value);
/*
 * Mean and sd of the outcome when y is normal with this mean and sd; the order of the sign undone. Neither is
 * larger than a value may be, 1e150.
 */
void ckg__scaling_moments(const struct ckg__scaling *s, double y_mean, double y_sd, double *mean, double *sd);

/*
 * The rows of one outcome's model. Repeated evaluations of a design are pooled exactly: one row for those
 * whose noise is to be estimated (count m: its variance is σ²/m), one for those of known noise
 * (precision-weighted). Replicates enter the likelihood through `extra` and `within`: log p(all values) = log
 * p(rows) − ½·extra·log(2πσ²) − within/(2σ²) + constant.
 */
struct ckg__series {
    int n;
    int *design;     /* (n) rows of the distinct designs */
    double *y;       /* (n) pooled, scaled */
    double *known;   /* (n) known noise variance in scaled units, 0 without noise; -1: estimated */
    double *count;   /* (n) values pooled */
    double *squares; /* (n) Σ(y − mean)² of the values pooled, where their noise is estimated */
    /*
     * where noise varies: (n) the factor on the estimated variance at each row, and what it follows from
     * (model/loudness.h); NULL: it is the same everywhere
     */
    const double *relative;
    const struct ckg__loudness *loudness;
    int estimated; /* 1 when any row's noise is to be estimated */
    int absurd;    /* rows of values that were drawn in; their noise is known[i] */
    int labels;    /* 1: answers, or successes and failures: `count` of them have the mean y at a design */
    double extra, within, constant;
    /* Σ log dy/dv over the values: with it likelihoods on different scales can be compared */
    double jacobian;
    double typical_known; /* the median known variance, for a future evaluation; 0 when there is none */
};

/*
 * The series with its noise varying: row i has exp(g_i) times the estimated variance; g (n), and relative
 * (n), which becomes those factors. The series `plain` has none yet.
 */
struct ckg__series ckg__series_vary(const struct ckg__series *plain, const double *g, double *relative);

/* What a series is made of, before scaling. */
struct ckg__series_source {
    /*
     * of the problem; or problem->outcomes: the latent constraint "the evaluation succeeds" (1, or −1 failed)
     */
    int outcome;
    double warp; /* c, CKG__LOGARITHM, or 0: none */
    int trials;  /* only the first so many trials */
    double gap;  /* values beyond a gap so wide (robust.h) are absurd: drawn in, and uncertain; 0: none is */
    const unsigned char *seen; /* (designs) 0: a design's values are left out; NULL: none are */
};

/*
 * Chooses the scaling and fills the series; arrays come from the arena. A series may have n = 0. The scaling
 * of an outcome with no spread has scale 1, or the distance to its limit.
 */
int ckg__series_build(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *out);

/*
 * 1 when a logarithm is worth trying for the source's values: all have one sign, they range over a decade or
 * more, and the outcome's limits, if it has any, lie among them or not far away.
 */
int ckg__series_ranges(const struct ckg__data *data, const struct ckg__series_source *source,
                       struct ckg__arena *arena, int *decades);

/*
 * The most extreme robust deviation |t − centre|/spread of the source's values: whether a warp is worth
 * trying.
 */
int ckg__series_tail(const struct ckg__data *data, const struct ckg__series_source *source,
                     struct ckg__arena *arena, double *tail);

#endif
