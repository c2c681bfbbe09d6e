/*
 * The inside of the knowledge gradient: for one value of Z_c every design is a line a + bZ in the objective's
 * surprise Z, and the worth of the best is E max. These are the loops where a suggestion spends its time.
 */
#ifndef CKG_ACQUISITION_LINES_H
#define CKG_ACQUISITION_LINES_H

#include "surrogate/belief.h"

/*
 * One constraint after a sample at x⁺, over m points: with new sd s' = √(var − σ̃² + chance) and shift e =
 * σ̃/s', its probability at surprise z is Φ(high − e·z) − Φ(low − e·z), where high = (upper − μ)/s' and low =
 * (lower − μ)/s'. A limit that is absent has a NULL array.
 */
struct ckg__ahead {
    double *high, *low; /* (m) or NULL */
    double *shift;      /* (m) e */
    double *inv_sd;     /* (m) 1/s' */
};

/*
 * The corners of the upper envelope of lines: line[i] is the highest between z[i−1] and z[i]; count lines,
 * count−1 corners.
 */
enum { CKG__ENVELOPE_MAX = 1024 };
struct ckg__envelope {
    int count;
    int line[CKG__ENVELOPE_MAX];
    double z[CKG__ENVELOPE_MAX];
};

struct ckg__line_ops {
    /* From covariances with x⁺ (m), times `scale`, to σ̃ (m) and the constraint one step ahead. */
    void (*ahead)(int m, const double *cov, double scale, const double *mean, const double *var,
                  const struct ckg__limits *limits, double *sigma, struct ckg__ahead *out);

    /*
     * pf (m) ← the probability at surprise z, multiplied into what is there unless `first`; t is scratch
     * (2m).
     */
    void (*feasible)(int m, const struct ckg__ahead *ahead, double z, int first, double *pf, double *t);

    /* a ← gain·pf, b ← sigma·pf (m). */
    void (*lines)(int m, const double *gain, const double *sigma, const double *pf, double *a, double *b);

    /*
     * E max_i (a_i + b_i Z) − a_r without cancellation: (max a − a_r) + Σ over corners of |Δb|·h(−|z|), exact
     * but for corners beyond |z| = 12, which weigh less than 1e-33. The arrays hold m lines and room up to
     * the next multiple of 8, which is overwritten. `envelope` unless NULL gets the lines that matter.
     */
    double (*expected_maximum)(int m, double *a, double *b, int r, struct ckg__envelope *envelope);
};

const struct ckg__line_ops *ckg__lines(void);

extern const struct ckg__line_ops ckg__line_ops_base, ckg__line_ops_v3, ckg__line_ops_v4;

#endif
