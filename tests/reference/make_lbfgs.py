"""Writes lbfgs.inc: SciPy's L-BFGS-B on the problems of tests/unit/optim/test_lbfgs.c.

For each problem: bounds, first start, the optimum (a tight run from where the first one ended) and how many evaluations
SciPy takes from that start, and from all eight, to a projected gradient of 1e-6 with 10 correction pairs and no test on
f. Eight, because one count says little in a curved valley. The functions with saddles have no bounds but in one problem:
in a box on all sides SciPy's first trial goes as far as the box, which there means past the saddle by the choice of box.

    python3 make_lbfgs.py > lbfgs.inc
"""
import numpy as np
import scipy
from scipy.optimize import minimize, rosen, rosen_der


def quadratic(x):
    i = np.arange(len(x))
    r = x - 0.5 - 0.8 * np.cos(2.0 * i)
    step = r[:-1] - r[1:]
    g = (1.0 + i) * r
    g[:-1] += 10.0 * step
    g[1:] -= 10.0 * step
    return 0.5 * np.sum((1.0 + i) * r**2) + 5.0 * np.sum(step**2), g


def rosenbrock(x):
    return rosen(x), rosen_der(x)


def wood(x):
    a, b, c, d = x[1] - x[0] ** 2, x[3] - x[2] ** 2, x[1] + x[3] - 2.0, x[1] - x[3]
    f = 100.0 * a**2 + (1.0 - x[0]) ** 2 + 90.0 * b**2 + (1.0 - x[2]) ** 2 + 10.0 * c**2 + 0.1 * d**2
    return f, np.array([
        -400.0 * a * x[0] - 2.0 * (1.0 - x[0]),
        200.0 * a + 20.0 * c + 0.2 * d,
        -360.0 * b * x[2] - 2.0 * (1.0 - x[2]),
        180.0 * b + 20.0 * c - 0.2 * d,
    ])


def logistic(x):
    i, j = np.arange(20)[:, None], np.arange(len(x))[None, :]
    z = np.where(np.cos(2.0 * i) > 0.0, 1.0, -1.0) * np.sin(1.0 + 3.0 * i + 7.0 * j)
    margin = z @ x
    return np.sum(np.log1p(np.exp(-margin))) + 0.025 * x @ x, -z.T @ (1.0 / (1.0 + np.exp(margin))) + 0.05 * x


def styblinski(x):
    return 0.5 * np.sum(x**4 - 16.0 * x**2 + 5.0 * x), 2.0 * x**3 - 16.0 * x + 2.5


def cliff(x):
    i = np.arange(len(x))
    r = x - 0.5 - 0.6 * np.cos(1.0 * i)
    u = 40.0 * (np.sum(x) - 0.4 * len(x))
    return 5.0 * r @ r + np.logaddexp(0.0, u), 10.0 * r + 40.0 * np.exp(-np.logaddexp(0.0, -u))


def likelihood(x):
    z = np.arange(8) / 7.0
    y = np.sin(5.0 * z) + 0.1 * np.cos(40.0 * z)
    distance = (z[:, None] - z[None, :]) ** 2 * np.exp(-2.0 * x[0])
    k = np.exp(x[1] - 0.5 * distance)
    inverse = np.linalg.inv(k + np.exp(x[2]) * np.eye(8))
    a = inverse @ y
    w = inverse - np.outer(a, a)
    f = 0.5 * y @ a - 0.5 * np.linalg.slogdet(inverse)[1] + 0.05 * x @ x
    return f, 0.5 * np.array([np.sum(w * k * distance), np.sum(w * k), np.trace(w) * np.exp(x[2])]) + 0.1 * x


PROBLEMS = [
    (quadratic, np.full(6, 0.5), 0.0, 1.0),
    (quadratic, np.full(20, 0.5), 0.0, 1.0),
    (rosenbrock, [-1.2, 1.0], -np.inf, np.inf),
    (rosenbrock, [-1.2, 1.0, -1.2, 1.0], -np.inf, np.inf),
    (rosenbrock, np.full(10, -1.0), -np.inf, np.inf),
    (rosenbrock, np.full(4, -1.0), -2.0, 0.7),
    (wood, [-3.0, -1.0, -3.0, -1.0], -np.inf, np.inf),
    (logistic, np.zeros(5), -np.inf, 0.1),
    (styblinski, np.full(5, -1.0), -5.0, 5.0),
    (cliff, np.full(3, 0.2), 0.0, 1.0),
    (cliff, np.full(9, 0.2), 0.0, 1.0),
    (likelihood, [-1.0, 0.0, -4.0], -10.0, 3.0),
]


def solve(fun, x0, lower, upper, tolerance):
    options = {"maxcor": 10, "ftol": 0.0, "gtol": tolerance, "maxfun": 10000, "maxiter": 10000}
    return minimize(fun, x0, jac=True, method="L-BFGS-B", bounds=[(lower, upper)] * len(x0), options=options)


def starts(x0, lower, upper):
    i = 1.0 + np.arange(len(x0))
    return [np.clip(x0 + 0.3 * np.sin(k * i), lower, upper) for k in range(8)]


def number(x):
    return "INFINITY" if x == np.inf else "-INFINITY" if x == -np.inf else repr(float(x))


def vector(x):
    rows = [", ".join(map(number, x[i:i + 5])) for i in range(0, len(x), 5)]
    return "{" + ",\n     ".join(rows) + "}"


print(f"/* Written by make_lbfgs.py with SciPy {scipy.__version__}. */")
print("/* function, dim, lower, upper, evaluations from the first start and from all, f, x0, x */")
for fun, x0, lower, upper in PROBLEMS:
    runs = [solve(fun, start, lower, upper, 1e-6) for start in starts(np.array(x0, dtype=float), lower, upper)]
    best = solve(fun, runs[0].x, lower, upper, 1e-11)
    bounds, counts = f"{number(lower)}, {number(upper)}", f"{runs[0].nfev}, {sum(run.nfev for run in runs)}"
    values = [number(best.fun), vector(x0), vector(best.x)]
    print(f"{{{fun.__name__}, {len(x0)}, {bounds}, {counts},\n    " + ",\n    ".join(values) + "},")
