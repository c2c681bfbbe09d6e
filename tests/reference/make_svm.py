#!/usr/bin/env python3
"""Writes tests/reference/svm.inc: support vector machines with a Gaussian kernel by scikit-learn's SVC, which is libsvm, and exactly.

Points are short decimals that Python and C read as the same doubles, labels the sign of a curved function, in some cases with one
label in eight turned over. libsvm's tolerance is 1e-10, but it keeps its kernel in single precision. The exact values come from the
linear equations of the optimum, solved with 50 digits by mpmath: libsvm says which α are at an end of their range, and what the
equations give for the others is checked against every condition of optimality; where one is broken, the set is mended until none is.
Stored are, of both, the decision function at three points, its constant, and Σα.

Needs numpy, scikit-learn and mpmath (seed 20262; made with scikit-learn 1.9.1).

    python3 tests/reference/make_svm.py > tests/reference/svm.inc
"""
import mpmath
import numpy as np
from sklearn.svm import SVC

rng = np.random.default_rng(20262)
mpmath.mp.dps = 50
POINTS, MOST = 3, 60
ZERO, FREE, FULL = range(3)


def row(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def kernel(a, b, width):
    r2 = sum((mpmath.mpf(float(u)) - mpmath.mpf(float(v))) ** 2 for u, v in zip(a, b))
    return mpmath.exp(-r2 / (2 * mpmath.mpf(width) ** 2))


def middle(K, y, cost, where, full):
    """The same where every α is at an end of its range: b is halfway between the bounds that the margins set."""
    left = [y[i] - sum(cost * y[j] * K[i][j] for j in full) for i in range(len(y))]
    low = max(left[i] for i in range(len(y)) if (y[i] > 0) == (where[i] == ZERO))
    high = min(left[i] for i in range(len(y)) if (y[i] > 0) == (where[i] == FULL))
    return [mpmath.mpf(cost) if w == FULL else mpmath.mpf(0) for w in where], (low + high) / 2


def solve(K, y, cost, where):
    """α and b where those at an end of their range are as `where` says, and the margins of the others are 1."""
    free = [i for i, w in enumerate(where) if w == FREE]
    full = [i for i, w in enumerate(where) if w == FULL]
    if not free:
        return middle(K, y, cost, where, full)
    size = len(free) + 1
    A, right = mpmath.matrix(size), mpmath.matrix(size, 1)
    for r, i in enumerate(free):
        for s, j in enumerate(free):
            A[r, s] = y[j] * K[i][j]
        A[r, size - 1] = 1
        A[size - 1, r] = y[i]
        right[r] = y[i] - sum(cost * y[j] * K[i][j] for j in full)
    right[size - 1] = -sum(cost * y[j] for j in full)
    solution = mpmath.lu_solve(A, right)
    alpha = [mpmath.mpf(cost) if w == FULL else mpmath.mpf(0) for w in where]
    for r, i in enumerate(free):
        alpha[i] = solution[r]
    return alpha, solution[size - 1]


def exactly(U, y, cost, width, alpha):
    """The optimum, from a guess of which α are at an end of their range."""
    n = len(y)
    K = [[kernel(U[i], U[j], width) for j in range(n)] for i in range(n)]
    where = [ZERO if a < 1e-9 * cost else FULL if a > (1 - 1e-9) * cost else FREE for a in alpha]
    for _ in range(20):
        found, b = solve(K, y, cost, where)
        margin = [y[i] * (sum(found[j] * y[j] * K[i][j] for j in range(n)) + b) for i in range(n)]
        broken = 0
        for i in range(n):
            is_free = where[i] == FREE
            if is_free and not 0 < found[i] < cost:
                where[i] = ZERO if found[i] <= 0 else FULL
                broken += 1
            elif (where[i] == ZERO and not margin[i] > 1) or (where[i] == FULL and not margin[i] < 1):
                where[i] = FREE
                broken += 1
        if not broken:
            return lambda at: sum(found[j] * y[j] * kernel(at, U[j], width) for j in range(n)) + b, b, sum(found)
    raise SystemExit("no set of support vectors meets the conditions")


print("/* Written by make_svm.py. */")
print(f"enum {{ SVM_POINTS = {POINTS}, SVM_MOST = {MOST} }};")
print("static const struct svm_case {\n    int D, n;\n    double cost, width;\n    double U[3][SVM_MOST];\n    signed char label[SVM_MOST];")
print("    double at[SVM_POINTS][3];\n    struct svm_values {\n        double value[SVM_POINTS], b, sum;\n    } libsvm, exact;\n} svm_cases[] = {")
for D, n, cost, width, turned in [(1, 4, 1.0, 0.3, 0), (2, 12, 10.0, 0.25, 0), (2, 30, 1000.0, 0.25, 0), (2, 60, 1000.0, 0.2, 1),
                                  (3, 40, 5.0, 0.4, 1), (3, 60, 1e5, 0.3, 0)]:
    U = np.round(rng.uniform(size=(n, D)), 3)
    y = np.where(np.sin(3 * U.sum(1)) > 0.2 * np.cos(5 * U[:, 0]), 1, -1)
    if turned:
        y[::8] *= -1
    y[0], y[1] = 1, -1
    at = np.round(rng.uniform(size=(POINTS, D)), 3)
    svm = SVC(C=cost, kernel="rbf", gamma=1 / (2 * width**2), tol=1e-10, cache_size=100).fit(U, y)
    alpha = np.zeros(n)
    alpha[svm.support_] = np.abs(svm.dual_coef_[0])
    h, b, total = exactly(U, [int(v) for v in y], cost, width, alpha)
    print(f"    {{{D}, {n}, {cost!r}, {width!r},")
    print("     {" + ", ".join(row(U[:, k]) for k in range(D)) + "},")
    print("     {" + ", ".join(str(int(v)) for v in y) + "},")
    print("     {" + ", ".join(row(p) for p in at) + "},")
    print(f"     {{{row(svm.decision_function(at))}, {float(svm.intercept_[0])!r}, {float(alpha.sum())!r}}},")
    print(f"     {{{row(h(p) for p in at)}, {float(b)!r}, {float(total)!r}}}}},")
print("};")
