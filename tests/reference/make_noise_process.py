#!/usr/bin/env python3
"""Writes tests/reference/noise_process.inc: noise that varies over the space, computed with 50 digits from single values.

The values of ten designs, of which some were measured several times and two have a known variance, are normal with the
covariance K + diag(sigma^2 exp(g(x))), every value by itself: nothing is pooled. First for a given noise_process g its values, and the
log density of all values with the best mean under its prior. Then the most probable noise_process for given scales by Fisher
scoring to 30 digits, and its evidence by Laplace's approximation, with the information 1/2 tr(Q dS_a Q dS_b) of all values.
The scales are those that the library chooses for these data; the test says so.

Needs mpmath; the random numbers are of seed 77.

    python3 tests/reference/make_noise_process.py > tests/reference/noise_process.inc
"""
import math
import random

import mpmath as mp

mp.mp.dps = 50
rng = random.Random(77)
NUGGET, PLACE_NUGGET = mp.mpf(1e-11), mp.mpf(1e-6)
N, D = 10, 2
COUNT = [1, 3, 1, 2, 4, 1, 1, 2, 1, 1]
KNOWN = [-1, -1, -1, -1, -1, -1, 0.02, -1, -1, 0.3]
THETA = [-0.6, -0.2, -2.5, 0.1]  # log lengths, level of the noise, signal
PRIOR = (-4, 2)  # of the level
PRECISION = 1  # of the mean
SCALE_S2, SCALE_ELL = 2, [1, 1]


def short(value, digits=6):
    return float(f"{value:.{digits}g}")


X = [[short(rng.random()) for _ in range(D)] for _ in range(N)]
values = [[short(math.sin(4 * x[0]) + x[1] + 0.15 * math.exp(1.5 * x[0]) * rng.gauss(0, 1)) for _ in range(c)] for x, c in zip(X, COUNT)]
raw = [(i, y) for i in range(N) for y in values[i]]


def rbf(a, b, ell, s2):
    return s2 * mp.exp(-sum(((mp.mpf(p) - mp.mpf(q)) / e) ** 2 for p, q, e in zip(a, b, ell)) / 2)


def process(theta):
    """The covariance of single values without their noise; those of one design share the nugget."""
    s2, ell = mp.exp(mp.mpf(theta[-1])), [mp.exp(mp.mpf(t)) for t in theta[:D]]
    return mp.matrix([[rbf(X[i], X[j], ell, s2) + (NUGGET * s2 if i == j else 0) for j, _ in raw] for i, _ in raw])


def fit(K, h):
    """Q, Q(y - m) and the log density when a value at design i has the log variance h[i]."""
    n = len(raw)
    S = K.copy()
    for a, (i, _) in enumerate(raw):
        S[a, a] += mp.exp(h[i]) if KNOWN[i] < 0 else mp.mpf(KNOWN[i])
    Q = S ** -1
    y, one = mp.matrix([mp.mpf(v) for _, v in raw]), mp.ones(n, 1)
    m = (one.T * Q * y)[0] / ((one.T * Q * one)[0] + PRECISION)
    r = y - m * one
    alpha = Q * r
    return Q, alpha, -((r.T * alpha)[0] + PRECISION * m * m + mp.log(mp.det(S)) + n * mp.log(2 * mp.pi)) / 2


# A noise_process that is given.
given_s2, given_ell = mp.mpf(1.5), [mp.mpf(0.5), mp.mpf(2)]
places, weights = [0, 3, 7], [0.8, -0.4, 0.3]
g = [sum(mp.mpf(w) * rbf(x, X[b], given_ell, given_s2) for w, b in zip(weights, places)) for x in X]
K = process(THETA)
density = fit(K, [mp.mpf(THETA[D]) + v for v in g])[2]

# The most probable one.
estimated = [i for i in range(N) if KNOWN[i] < 0]
s2, ell = mp.mpf(SCALE_S2), [mp.mpf(e) for e in SCALE_ELL]
Z = mp.matrix([[rbf(X[i], X[j], ell, s2) + (PLACE_NUGGET * s2 if i == j else 0) for j in estimated] for i in estimated])
cross = mp.matrix([[rbf(X[i], X[j], ell, s2) for j in estimated] for i in estimated])
Psi = cross * (mp.cholesky(Z) ** -1).T
columns = mp.matrix(len(raw), 1 + len(estimated))  # of single values
for a, (i, _) in enumerate(raw):
    if KNOWN[i] < 0:
        columns[a, 0] = 1
        for b in range(len(estimated)):
            columns[a, 1 + b] = Psi[estimated.index(i), b]
prior = mp.diag([mp.mpf(1) / PRIOR[1] ** 2] + [mp.mpf(1)] * len(estimated))
c = mp.zeros(1 + len(estimated), 1)
for step in range(200):
    h = [PRIOR[0] + c[0] + (sum(Psi[estimated.index(i), b] * c[1 + b] for b in range(len(estimated))) if KNOWN[i] < 0 else 0)
         for i in range(N)]
    Q, alpha, log_density = fit(K, h)
    s = [mp.exp(h[i]) if KNOWN[i] < 0 else mp.mpf(0) for i, _ in raw]
    u = mp.matrix([(alpha[a] ** 2 - Q[a, a]) * s[a] / 2 for a in range(len(raw))])
    F = mp.matrix([[Q[a, b] ** 2 * s[a] * s[b] / 2 for b in range(len(raw))] for a in range(len(raw))])
    H = prior + columns.T * F * columns
    slope = columns.T * u - prior * c
    move = mp.lu_solve(H, slope)
    c += move if step > 3 else move / 2
    if mp.norm(move) < mp.mpf(10) ** -30:
        break
others = -sum(((mp.mpf(t) - (mp.sqrt(2) + mp.log(D) / 2)) / mp.mpf("1.45")) ** 2 for t in THETA[:D]) / 2
evidence = log_density - (c.T * prior * c)[0] / 2 + others - (mp.log(mp.det(H)) - mp.log(H[0, 0])) / 2


def row(name, numbers):
    print(f"static const double {name}[] = {{" + ", ".join(mp.nstr(mp.mpf(v), 17) for v in numbers) + "};")


means = [mp.fsum(v) / len(v) for v in map(lambda v: [mp.mpf(y) for y in v], values)]
print("/* Written by make_noise_process.py. */")
row("loud_X", [x[k] for k in range(D) for x in X])
row("loud_y", means)
row("loud_squares", [mp.fsum((mp.mpf(y) - m) ** 2 for y in v) for v, m in zip(values, means)])
row("loud_count", COUNT)
row("loud_known", KNOWN)
row("loud_theta", THETA)
row("loud_given_ell", given_ell)
row("loud_given_weights", weights)
row("loud_g", g)
row("loud_scale_ell", ell)
row("loud_course", [h[i] for i in estimated])
print(f"static const int loud_places[] = {{{', '.join(map(str, places))}}};")
for name, value in (("loud_given_s2", given_s2), ("loud_density", density), ("loud_scale_s2", s2), ("loud_level", PRIOR[0] + c[0]),
                    ("loud_evidence", evidence)):
    print(f"static const double {name} = {mp.nstr(mp.mpf(value), 17)};")
