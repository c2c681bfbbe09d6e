#!/usr/bin/env python3
"""Writes tests/reference/cmes.inc: what constrained max-value entropy search computes, from its definition by quadrature.

Outcome 0 is the objective, the others are constraints with limits; all are independent normals. Given f* = best the box B = {objective >
best, every constraint within its limits} is impossible.

cmes_rows: H[p] − H[p | not B] without noise, from ∫ p log p over one interval per outcome by mpmath's quadrature in 60 digits, into the far
tails, with its logarithm where it is positive. Rows of at most three outcomes that are not far out are checked here against a plain sum of
p log p over a grid of the whole space outside B (Gauss-Legendre, split at the limits), to 1e-9.

cmes_noisy: the same for outcomes that are measured with noise, and the first term KL(p | not B ‖ p), both by a plain sum over a grid of
measurements. Double precision, good to 1e-10.

mpmath 1.3, NumPy 2, SciPy 1.17. All arguments are doubles that are taken exactly.

    python3 tests/reference/make_cmes.py > tests/reference/cmes.inc
"""
import functools
import itertools

import numpy as np
from mpmath import exp, log, log1p, mp, mpf, nstr, pi, quad, sqrt
from scipy.stats import norm

mp.dps = 60
inf = float("inf")


def integrals(a, b, s):
    """∫ p and ∫ p log p over standardised a … b, a stretch on one side of the mean."""
    if a == b:
        return mpf(0), mpf(0)
    if b <= 0:
        return integrals(-b, -a, s)
    b = min(b, a + 20)  # the rest is below 1e-86 of the density at a
    cuts = [a + (b - a) * i / 32 for i in range(33)]
    peak, log_scale = exp(-a * a / 2) / sqrt(2 * pi), -log(2 * pi) / 2 - log(s)
    density = lambda z: exp((a - z) * (a + z) / 2)  # relative to its value at a, as quad's error is absolute
    return peak * quad(density, cuts), peak * quad(lambda z: density(z) * (log_scale - z * z / 2), cuts)


@functools.lru_cache(None)
def split(mean, var, lower, upper):
    """∫ p and ∫ p log p within the limits, and outside, none as one minus the other."""
    mean, s, zero = mpf(mean), sqrt(mpf(var)), mpf(0)
    a = -inf if lower == -inf else (mpf(lower) - mean) / s
    b = inf if upper == inf else (mpf(upper) - mean) / s
    add = lambda pieces: [sum(x) for x in zip(*[integrals(p, q, s) for p, q in pieces if p < q])] or [zero, zero]
    inside = add([(min(a, zero), min(b, zero)), (max(a, zero), max(b, zero))])
    outside = add([(-inf, min(a, zero)), (zero, max(a, zero)), (min(b, zero), zero), (max(b, zero), inf)])
    return inside + outside


def gaussian_entropy(var):
    return (log(2 * pi * mpf(var)) + 1) / 2


def difference(outcomes, best):
    """H[p] − H[p | not B] = H + ∫_A p log p/Z − log Z, A = not B, Z = P(A): from B where that is small, and else from A."""
    limits = [(best, inf)] + [o[2:] for o in outcomes[1:]]
    parts = [split(o[0], o[1], *l) for o, l in zip(outcomes, limits)]
    entropy = [gaussian_entropy(o[1]) for o in outcomes]
    q = mpf(1)
    for part in parts:
        q *= part[0]
    if q < 0.5:
        in_box = sum(part[1] * q / part[0] for part in parts)
        return (-q * sum(entropy) - in_box) / (1 - q) - log1p(-q)
    z, total, before, log_before = mpf(0), mpf(0), mpf(1), mpf(0)
    for j, (inside, log_in, outside, log_out) in enumerate(parts):  # outcome j is the first that is outside
        z += before * outside
        total += log_before * outside + before * log_out - before * outside * sum(entropy[j + 1:])
        before, log_before = before * inside, log_before * inside + before * log_in
    return sum(entropy) + total / z - log(z)


def axis(mean, var, limits, reach=10.0, panels=6, nodes=16):
    """Nodes, weights and which of them lie within the limits, split there."""
    s = np.sqrt(var)
    cuts = sorted({-reach, reach} | {min(max((l - mean) / s, -reach), reach) for l in limits if np.isfinite(l)})
    x, w = np.polynomial.legendre.leggauss(nodes)
    z, weight = [], []
    for low, high in zip(cuts, cuts[1:]):
        edges = np.linspace(low, high, max(2, int(panels * (high - low) / reach) + 1))
        for e, f in zip(edges, edges[1:]):
            z.append((e + f) / 2 + (f - e) / 2 * x)
            weight.append((f - e) / 2 * w)
    z, weight = np.concatenate(z), np.concatenate(weight)
    y = mean + s * z
    return z, weight, (y > limits[0]) & (y < limits[1])


def brute(outcomes, best):
    """The same by a plain sum over everything outside B."""
    limits = [(best, np.inf)] + [o[2:] for o in outcomes[1:]]
    axes = [axis(o[0], o[1], l) for o, l in zip(outcomes, limits)]
    log_p, weight, inside = 0.0, 1.0, True
    for k, ((z, w, within), o) in enumerate(zip(axes, outcomes)):
        shape = [-1 if i == k else 1 for i in range(len(axes))]
        log_p = log_p + (-z * z / 2 - 0.5 * np.log(2 * np.pi * o[1])).reshape(shape)
        weight = weight * (w * np.sqrt(o[1])).reshape(shape)
        inside = inside & within.reshape(shape)
    p = np.where(inside, 0, np.exp(log_p)) * weight
    total = p.sum()
    conditioned = -(p / total * (log_p - np.log(total))).sum()
    return float(sum(gaussian_entropy(o[1]) for o in outcomes)) - conditioned


def noisy(outcomes, noise, best):
    """H[m] − H[m | not B] of the measurements m, and KL(m | not B ‖ m)."""
    limits = [(best, np.inf)] + [o[2:] for o in outcomes[1:]]
    log_p, weight, box, entropy, q = 0.0, 1.0, 1.0, 0.0, 1.0
    for k, (o, n, l) in enumerate(zip(outcomes, noise, limits)):
        shape = [-1 if i == k else 1 for i in range(len(outcomes))]
        total, given = o[1] + n, o[1] * n / (o[1] + n)
        sharp = l if n == 0 else (-np.inf, np.inf)
        z, w, within = axis(o[0], total, sharp, panels=60 if n < 0.1 * o[1] and n > 0 else 12)
        m = o[0] + np.sqrt(total) * z
        centre = o[0] + o[1] / total * (m - o[0])
        sd = np.sqrt(given)
        chance = within * 1.0 if n == 0 else norm.cdf((l[1] - centre) / sd) - norm.cdf((l[0] - centre) / sd)
        log_p = log_p + (-z * z / 2 - 0.5 * np.log(2 * np.pi * total)).reshape(shape)
        weight = weight * (w * np.sqrt(total)).reshape(shape)
        box = box * chance.reshape(shape)
        entropy += 0.5 * np.log(2 * np.pi * np.e * total)
        s = np.sqrt(o[1])
        q *= norm.cdf((l[1] - o[0]) / s) - norm.cdf((l[0] - o[0]) / s)
    rest = np.maximum(1 - box, 0)
    log_rest = np.where(rest > 0, np.log(np.maximum(rest, 1e-300)), 0)
    p = np.exp(log_p) * rest * weight
    assert abs(p.sum() - (1 - q)) < 1e-11
    p /= 1 - q
    return entropy + (p * (log_p + log_rest - np.log(1 - q))).sum(), (p * (log_rest - np.log(1 - q))).sum()


def show(value):
    return {inf: "INFINITY", -inf: "-INFINITY"}.get(value, repr(float(value)))


def columns(outcomes):
    padded = outcomes + [(0.0, 1.0, 0.0, 0.0)] * (4 - len(outcomes))
    return ["{" + ", ".join(show(o[i] if not (k == 0 and i > 1) else 0.0) for k, o in enumerate(padded)) + "}" for i in range(4)]


def main():
    objectives = [(0.0, 1.0), (1.5, 0.25)]
    bests = [-6.0, -1.0, 0.0, 0.7, 2.0, 4.0]
    pool = [(0.5, 1.0, -inf, 2.0), (-1.0, 4.0, -2.0, 0.5), (0.0, 0.25, 1.0, inf), (0.2, 0.09, 0.1, 0.35), (0.0, 1.0, -2.5, 2.5)]
    rows = []
    for chosen in [[], [0], [1], [2], [3], [4], [0, 1], [2, 3], [1, 4], [0, 2, 3]]:
        for o, best in itertools.product(objectives, bests):
            rows.append(([(*o, 0.0, 0.0)] + [pool[c] for c in chosen], best))
    checked = 0
    for outcomes, best in rows:
        if len(outcomes) <= 3 and best > outcomes[0][0] - 8 * outcomes[0][1] ** 0.5:
            assert abs(brute(outcomes, best) - float(difference(outcomes, best))) < 1e-9, (outcomes, best)
            checked += 1
    far = [(0.0, 1.0, 25.0, inf), (0.0, 1.0, 8.0, 8.5), (3.0, 1e-4, -inf, 3.2), (0.0, 1.0, -29.0, inf), (0.0, 1.0, 0.3, 0.30001),
           (0.0, 1.0, -1e-7, 1e-7)]
    for c in far:
        for best in (-inf, -25.0, -8.0, 0.5, 6.0, 14.0, 36.0):
            rows.append(([(0.0, 1.0, 0.0, 0.0), c], best))
    rows.append(([(0.0, 1.0, 0.0, 0.0)] + [(0.0, 1.0, -0.02, 0.01)] * 3, -2.0))  # the box holds the peak: a negative difference
    print("/* Written by make_cmes.py: do not edit. */")
    print("struct cmes_row {")
    print("    int outcomes;")
    print("    double mean[4], var[4], lower[4], upper[4], best, want, log_want;")
    print("};")
    print("static const struct cmes_row cmes_rows[] = {  /* %d of them checked by brute force */" % checked)
    for outcomes, best in rows:
        want = difference(outcomes, best)
        print("    {%d, %s, %s, %s, %s}," % (len(outcomes), ", ".join(columns(outcomes)), show(best), repr(float(want)),
                                         nstr(log(want), 17) if want > 0 else "NAN"))
    print("};")
    print("struct cmes_noisy {")
    print("    struct cmes_row row; /* want: the difference of entropies */")
    print("    double noise[4], first; /* the term KL alone */")
    print("};")
    print("static const struct cmes_noisy cmes_noisy[] = {")
    for t, best in itertools.product((1e-3, 0.1, 0.5, 0.9), (-3.0, -1.0, 0.0, 1.0, 3.0)):
        for chosen, noise in (([], []), ([0], [0.0]), ([0], [1.0]), ([1], [0.0]), ([1], [2.0])):
            outcomes, all_noise = [(0.0, 1.0, 0.0, 0.0)] + [pool[c] for c in chosen], [1 / t - 1] + noise
            whole, first = noisy(outcomes, all_noise, best)
            print("    {{%d, %s, %s, %s, NAN}, {%s}, %s}," % (len(outcomes), ", ".join(columns(outcomes)), show(best), repr(float(whole)),
                                                     ", ".join(repr(float(n)) for n in all_noise + [0.0] * (4 - len(all_noise))), repr(float(first))))
    print("};")


if __name__ == "__main__":
    main()
