/*
 * Constants of the approximations in normal.c and hot_vector.c, lowest power first.
 * Written by tests/reference/make_coefficients.py, which says how: change that, not this.
 */
#ifndef CKG_LINALG_NORMAL_COEFFICIENTS_H
#define CKG_LINALG_NORMAL_COEFFICIENTS_H

/* Φ(−x)·exp(x²/2) ≈ p(x)/q(x) for x ≥ 0. Fit error 2.2e-17. */
static const double scaled_tail_p[11] = {
    0x1.3ccd0335206b5p+19, 0x1.0e3b43633db9ap+20, 0x1.c7a8eb3929e7ap+19, 0x1.ebdc8a506e51fp+18,
    0x1.7548eb3a5de62p+17, 0x1.9e9f6a93492edp+15, 0x1.550a98a6f2c94p+13, 0x1.9aff87761b58ep+10,
    0x1.5cdae0ae5b7c1p+7,  0x1.7bc2ff95d78c7p+3,  0x1.9884533d43651p-2,
};

/* Its denominator. */
static const double scaled_tail_q[12] = {
    0x1.3ccd0335206b5p+20, 0x1.8c9de2d864904p+21, 0x1.d11586c3460dcp+21, 0x1.51de6b869ee05p+21,
    0x1.52c46a31472e6p+20, 0x1.edb6a65a4e9cbp+18, 0x1.0bc236bc57949p+17, 0x1.b23b7db149c43p+14,
    0x1.036a040b2296fp+12, 0x1.b63992844f3d9p+8,  0x1.dbf5f1f11fa37p+4,  0x1.0000000000000p+0,
};

/* (φ(x) − xΦ(−x))·exp(x²/2) ≈ p(x)/q(x) for x ≥ 0. Fit error 5.2e-17. */
static const double scaled_ei_p[11] = {
    0x1.b73ef516478dfp+20, 0x1.3b2cb75b4e661p+21, 0x1.c8ce340534abcp+20, 0x1.af6c90e337f1ap+19,
    0x1.22ec2bbd85420p+18, 0x1.2319814d01abap+16, 0x1.b4d6479ca1536p+13, 0x1.e5e592d7684c1p+10,
    0x1.810e6d44cf64ep+7,  0x1.8c15cb17f98e1p+3,  0x1.9884533d43651p-2,
};

/* Its denominator. */
static const double scaled_ei_q[13] = {
    0x1.1341ae416b6d3p+22, 0x1.71ff76f4174a9p+23, 0x1.d539bba12fa3dp+23, 0x1.73ec6d465f526p+23,
    0x1.9b5f225020fafp+22, 0x1.4f5a68885a25dp+21, 0x1.9e8d3247cde93p+19, 0x1.89058d875fc95p+17,
    0x1.1d02d0918dadcp+15, 0x1.364edce34e0ccp+12, 0x1.e598b90486accp+8,  0x1.f06b49b26d28dp+4,
    0x1.0000000000000p+0,
};

/* exp(r/2) ≈ 1 + r·poly(r) for |r| ≤ log 2. Fit error 6.2e-18. */
static const double gauss_poly[11] = {
    0x1.0000000000000p-1,  0x1.0000000000005p-3,  0x1.5555555555557p-6,  0x1.55555555520a4p-9,
    0x1.11111111100dcp-12, 0x1.6c16c17f46982p-16, 0x1.a01a01abe7fe1p-20, 0x1.a019a6611cad5p-24,
    0x1.71de0231960ebp-28, 0x1.28a2ca617b969p-32, 0x1.af4de97ca4194p-37,
};

/* log h(z) ≈ d·poly(d), d = z − log_ei_root, for |d| ≤ 0.4. Fit error 4.2e-20. */
static const double log_ei_poly[14] = {
    0x1.a1b06fd6765ecp-1,   -0x1.98e67307983d3p-3,  0x1.0a1a2613e7eebp-5,  -0x1.289a4653ee0b5p-11,
    -0x1.6c436a07c9f56p-11, -0x1.157b071c2fa5bp-17, 0x1.f9c5a23d1f20ap-16, 0x1.6243224ab76b7p-19,
    -0x1.7c3f6f3d1f103p-20, -0x1.2f171a27f8ce2p-22, 0x1.e4c98affeb74ep-25, 0x1.8ba8d1fd6f38bp-26,
    -0x1.31d2b63bf6faap-30, -0x1.a1f8981bbc9cbp-30,
};

static const double log_ei_root_hi = 0x1.cc87895688a5bp-1;  /* the z with h(z) = 1, its first 53 bits */
static const double log_ei_root_lo = 0x1.be715a13b73b8p-55; /* and the rest */

/* Φ⁻¹(½+q)/q ≈ p(w)/q(w), w = 0.425² − q², for |q| ≤ 0.425. Fit error 6.9e-17. */
static const double quantile_centre_p[9] = {
    0x1.63295c7a9f47ap-6,  0x1.e77041134b4dap-1, 0x1.04ef3c126cd2fp+4,
    0x1.14d3ebda14cbdp+7,  0x1.32365f73e5271p+9, 0x1.55ace6b70098dp+10,
    0x1.56ca7a400e1fap+10, 0x1.d9fb82d992af5p+8, 0x1.90126723b2d04p+4,
};

/* Its denominator. */
static const double quantile_centre_q[9] = {
    0x1.a36ca758d647cp-8, 0x1.3383424937fcap-2, 0x1.64df6ff533e90p+2,
    0x1.a2a674334dabep+5, 0x1.077bf0087414cp+8, 0x1.5d93fd19080d1p+9,
    0x1.c1330f452c6d2p+9, 0x1.cefc968da64b7p+8, 0x1.e131ccdf63d53p+5,
};

/* −Φ⁻¹(p) ≈ p(r)/q(r), r = √−log p − 1.6 in [0, 3.4]. Fit error 2.6e-18. */
static const double quantile_near_p[10] = {
    0x1.6c665fde9526ap+0,  0x1.3b3a9215388ecp+2,  0x1.b0e8002f6eb92p+2, 0x1.3d314dc09301ap+2,
    0x1.14b4f1c4fb0f1p+1,  0x1.2ab0b1471c3e3p-1,  0x1.89d35a20aabf1p-4, 0x1.27a27744b2f6fp-7,
    0x1.b09ffea5a127dp-12, 0x1.ae707fecd724dp-18,
};

/* Its denominator. */
static const double quantile_near_q[9] = {
    0x1.0000000000000p+0, 0x1.21588f9df0becp+1,  0x1.102ec10f2d932p+1,
    0x1.163cb53d79fd6p+0, 0x1.5086bd1f4e249p-2,  0x1.e4836c6deb044p-5,
    0x1.852e1d047b0f1p-8, 0x1.2a534e4904b91p-12, 0x1.305c5fa0a0b6fp-18,
};

/* −Φ⁻¹(p) ≈ p(r)/q(r), r = √−log p − 5.0 in [0, 22.5]. Fit error 4.6e-17. */
static const double quantile_far_p[11] = {
    0x1.aa1b1c13ee527p+2,  0x1.d9fab8670bf18p+2,  0x1.bb5fc6d6ea804p+1,  0x1.c5e678951b8f4p-1,
    0x1.1570a43664fe0p-3,  0x1.9f4d5d5af402ap-7,  0x1.78562420bc020p-11, 0x1.8b6cb40432392p-16,
    0x1.bb47335644182p-22, 0x1.c6620d3361032p-29, 0x1.2c01446cbf5cfp-37,
};

/* Its denominator. */
static const double quantile_far_q[10] = {
    0x1.0000000000000p+0,  0x1.c8778a5e3e10dp-1,  0x1.4c7f2ba512f65p-2,  0x1.ff3660120483ap-5,
    0x1.c009b4e6c2624p-8,  0x1.c4f2fc4024668p-12, 0x1.0035dd5460cd7p-16, 0x1.2d15071fc01d3p-22,
    0x1.3d279792bad3bp-29, 0x1.a84557bc00aecp-38,
};

/* Gauss–Legendre rule of 12 points on [−1, 1]: the positive nodes. */
static const double legendre_node[6] = {
    0x1.f68f1d8e42e81p-1, 0x1.cee874ffb88b4p-1, 0x1.8a30aeed88f36p-1,
    0x1.2cb4f05c077f9p-1, 0x1.78a8d20a8b19dp-2, 0x1.007a5f8f630e4p-3,
};

/* Their weights. */
static const double legendre_weight[6] = {
    0x1.8275d9dea6d8fp-5, 0x1.b60602bce6181p-4, 0x1.47d7258f22d8fp-3,
    0x1.a0163e6b1ab72p-3, 0x1.de3155c256ab5p-3, 0x1.fe40ce6d4f025p-3,
};

static const double inv_sqrt_2pi = 0x1.9884533d43651p-2; /* 1/√(2π) */
static const double log_sqrt_2pi = 0x1.d67f1c864beb5p-1; /* log √(2π) */

#endif
