/*
 * Constants of the approximations in maths.c and linalg/hot_vector.c, lowest power first.
 * Written by tests/reference/make_coefficients.py, which says how: change that, not this.
 */
#ifndef CKG_BASE_MATHS_COEFFICIENTS_H
#define CKG_BASE_MATHS_COEFFICIENTS_H

/* exp(r) ≈ 1 + r + r²·poly(r) for |r| ≤ ½ log 2. Fit error 1.2e-17. */
static const double exp_poly[10] = {
    0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
    0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
    0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26,
};

/* log((1+s)/(1−s)) ≈ 2s + s·z·poly(z), z = s², for |s| ≤ 3 − √8. Fit error 4.5e-18. */
static const double log_poly[7] = {
    0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ep-2, 0x1.c71c62e3f0decp-3,
    0x1.7462b51cc47e8p-3, 0x1.39fe51a642d34p-3, 0x1.2b5900edf5e43p-3,
};

/* cos 2πt ≈ 1 + z·poly(z), z = t², for |t| ≤ 1/8. Fit error 1.2e-19. */
static const double cos_turn_poly[7] = {
    -0x1.3bd3cc9be45dep+4, 0x1.03c1f081b5ac0p+6, -0x1.55d3c7e3cb241p+6, 0x1.e1f5068688d16p+5,
    -0x1.a6d1eef4751fcp+4, 0x1.f9ce245829b7ep+2, -0x1.b2f3e960fbcc8p+0,
};

/* sin 2πt ≈ t·poly(z), z = t², for |t| ≤ 1/8. Fit error 1.1e-20. */
static const double sin_turn_poly[8] = {
    0x1.921fb54442d18p+2, -0x1.4abbce625be53p+5, 0x1.466bc6775aad9p+6, -0x1.32d2cce62ac22p+6,
    0x1.50783485cbd4ap+5, -0x1.e3074b4fed4cbp+3, 0x1.e8eed12a5dfefp+1, -0x1.6c5b85fa3ae36p-1,
};

static const double ln2_hi = 0x1.62e42ff000000p-1;   /* log 2, its first 32 bits */
static const double ln2_lo = -0x1.718432a1b0e26p-35; /* and the rest */

static const double log2_e = 0x1.71547652b82fep+0; /* 1/log 2 */

#endif
