/*
 * The pooled and scaled values of one outcome, which a model is fitted to.
 */
#ifndef CKG_MODEL_SERIES_H
#define CKG_MODEL_SERIES_H

#include "data/data.h"

struct ckg__likelihood;

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
    const double *u; /* (designs × D) the distinct designs, where they lie */
    /* (n) where noise varies: the factor on the estimated variance at each row; NULL: it is 1 */
    const double *relative;
    const struct ckg__likelihood *likelihood; /* what the values are measurements of */
    const void *state;                        /* the likelihood's own; NULL: it has none */
    int estimated;                            /* 1 when any row's noise is to be estimated */
    int outlier;                              /* rows of values that were drawn in; their noise is known[i] */
    double extra, within, constant;
    /* Σ log dy/dv over the values: with it likelihoods on different scales can be compared */
    double jacobian;
    double typical_known; /* the median known variance, for a future evaluation; 0 when there is none */
};

/* 1 when it is of values, and none of them carries noise. */
int ckg__series_exact(const struct ckg__series *series);

/* What a series is made of, before scaling. */
struct ckg__series_source {
    /*
     * of the problem; or problem->outcomes: the latent constraint "the evaluation succeeds" (1, or −1 failed)
     */
    int outcome;
    double warp; /* c, CKG__LOGARITHM, or 0: none */
    int trials;  /* only the first so many trials */
    double gap; /* values beyond a gap so wide (outliers.h) are absurd: drawn in, and uncertain; 0: none is */
    const unsigned char *seen; /* (designs) 0: a design's values are left out; NULL: none are */
};

/*
 * Chooses the scaling and fills the series; arrays come from the arena. A series may have n = 0. The scaling
 * of an outcome with no spread has scale 1, or the distance to its limit.
 */
int ckg__series_build(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *out);

/*
 * Which other scales are worth trying for the source's values. *tail: a warp, by the most extreme robust
 * deviation |t − centre|/spread. *decades: 1: a logarithm, for all have one sign, they range over a decade or
 * more, and the outcome's limits, if it has any, lie among them or not far away.
 */
int ckg__series_shape(const struct ckg__data *data, const struct ckg__series_source *source,
                      struct ckg__arena *arena, double *tail, int *decades);

#endif
