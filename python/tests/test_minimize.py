"""minimize speaks SciPy's words, with SciPy and without."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import pyckg

BOX = [(0.5, 6.0), (0.5, 6.0)]  # with x·y >= 4, x + y is smallest at (2, 2)


def cost(x: Any) -> float:
    return float(x[0] + x[1])


def load(x: Any) -> float:
    return float(4 - x[0] * x[1])


class Counted:
    """A function that counts its calls and remembers where."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.points: list[tuple[float, ...]] = []

    def __call__(self, x: Any) -> Any:
        self.points.append(tuple(x))
        return self.function(x)


def is_optimum(r: Any, value: float = 4.0, within: float = 0.02) -> bool:
    return bool(r.success and abs(r.fun - value) < within and r.constr_violation == 0)


def test_each_function_is_called_once_for_each_design() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    fun, g = Counted(cost), Counted(load)
    limit = optimize.NonlinearConstraint(g, -math.inf, 0)
    r = pyckg.minimize(fun, optimize.Bounds([0.5, 0.5], [6, 6]), limit, rng=1, maxfun=25)
    assert isinstance(r, optimize.OptimizeResult)
    assert is_optimum(r) and r.nfev == 25
    assert fun.points == g.points and len(fun.points) == 25
    assert r.fun == cost(r.x) and r.best.values["fun"] == r.fun and len(r.study) == 25


def test_functions_with_costs_are_called_where_that_is_worth_it() -> None:
    fun, g, h = Counted(cost), Counted(lambda x: [-load(x), x[0]]), Counted(lambda x: 5 - x[1])
    limits = [{"type": "ineq", "fun": g}, {"type": "ineq", "fun": h}]
    r = pyckg.minimize(fun, BOX, limits, noise="none", costs=[1, 5, 2], rng=1, maxfun=160, options={"initial": 5})
    spent = len(fun.points) + 5 * len(g.points) + 2 * len(h.points)
    assert r.success and abs(r.fun - 4) < 0.02 and abs(r.fun - cost(r.x)) < 0.01 and load(r.x) < 0.01
    assert r.study.spent == spent and 160 - 1 < spent <= 160
    assert len(h.points) < min(len(fun.points), len(g.points))  # it never matters
    assert all(("c0" in t.measure) == ("c1" in t.measure) for t in r.study.trials(frame=False))
    assert f"{spent}" in r.message and r.nfev == len(r.study) < 160

    # What is given must fit.
    for costs, words in (([1, 2], "length 2, not 3"), ([1, 0, 2], "above 0"), ([1, -1, 2], "above 0")):
        with pytest.raises(pyckg.InvalidError, match=words):
            pyckg.minimize(fun, BOX, limits, costs=costs)
    with pytest.raises(pyckg.InvalidError, match="beside fun"):
        pyckg.minimize(fun, BOX, costs=[1])
    with pytest.raises(pyckg.InvalidError, match="minimize's own"):
        pyckg.minimize(fun, BOX, limits, options={"costs": {"fun": 1}})


def test_a_linear_constraint_is_a_rule() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    fun = Counted(lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2)
    limit = optimize.LinearConstraint([[1, 2, 1]], -math.inf, 4)
    r = pyckg.minimize(fun, [(0, 3), (0, 3), (1, 1)], limit, rng=3, maxfun=25)
    assert 1.8 <= r.fun < 1.9 and all(x + 2 * y + z <= 4 + 1e-9 for x, y, z in fun.points)
    assert r.x[2] == 1


def near_parabola(x: Any) -> float:
    return float(x[0] ** 2 + (x[1] - 1) ** 2)


def test_equalities_in_all_their_forms() -> None:
    """The nearest point of b = a^2 to (0, 1) is at a^2 = 1/2, where the distance squared is 3/4."""
    optimize = pytest.importorskip("scipy.optimize")
    box = [(0, 1), (-1, 1)]
    for limit in (
        optimize.NonlinearConstraint(lambda x: x[1] - x[0] ** 2, 0, 0),
        {"type": "eq", "fun": lambda x: x[1] - x[0] ** 2},
    ):
        r = pyckg.minimize(near_parabola, box, limit, rng=1, maxfun=40, options={"policy": "cei"})
        assert r.success and abs(r.fun - 0.75) < 2e-3 and abs(r.x[1] - r.x[0] ** 2) <= 1e-4
    plane = optimize.LinearConstraint([[1, 1]], 1, 1)
    r = pyckg.minimize(near_parabola, box, plane, rng=1, maxfun=30, equal_tolerance=1e-3, options={"policy": "cei"})
    assert r.success and abs(r.fun) < 5e-3 and abs(r.x[0] + r.x[1] - 1) <= 1e-3
    assert r.study._backend.definition.constraints["c0"] == pyckg.Equal(1, 1e-3)


def test_vectors_of_constraints_and_several_of_them() -> None:
    optimize = pytest.importorskip("scipy.optimize")
    limits = [
        optimize.NonlinearConstraint(lambda x: [load(x), x[0] - 5], -math.inf, 0),
        optimize.NonlinearConstraint(lambda x: [x[0], x[1]], [0.6, 0.6], [5.9, math.inf]),
        {"type": "ineq", "fun": lambda x, most: most - x[1], "args": (5.5,)},
    ]
    r = pyckg.minimize(cost, BOX, limits, rng=2, maxfun=25, x0=[3, 3])
    assert is_optimum(r) and r.study.outcomes == ["fun", "c0", "c1", "c2", "c3", "c4"]
    assert r.study.trial(1).parameters == {"x0": 3.0, "x1": 3.0}


def test_fun_may_return_constrained_values_too() -> None:
    for limits in ((None, 0), [(None, 0)]):
        assert is_optimum(pyckg.minimize(lambda x: (cost(x), load(x)), BOX, limits, rng=1, maxfun=25))
    r = pyckg.minimize(lambda x: {"cost": cost(x), "load": load(x)}, BOX, {"load": (None, 0)}, rng=1, maxfun=25)
    assert is_optimum(r) and r.study.outcomes == ["fun", "load"]


def test_under_noise_the_answer_is_a_prediction() -> None:
    draw = random.Random(5)

    def noisy(x: Any) -> dict[str, Any]:
        return {"fun": (cost(x) + draw.gauss(0, 0.1), 0.1), "load": load(x)}

    r = pyckg.minimize(noisy, BOX, {"load": (None, 0)}, rng=1, maxfun=30)
    assert r.sd > 0 and abs(r.fun - 4) < 0.3 and 0.5 < r.probability_feasible <= 1


def test_integers_and_maps() -> None:
    with ThreadPoolExecutor(3) as pool:
        r = pyckg.minimize(
            lambda x: (cost(x), load(x)),
            BOX,
            (None, 0),
            integrality=[0, 1],
            workers=pool.map,
            maxfun=25,
            rng=1,
            noise="none",
        )
    assert is_optimum(r) and r.x[1] == 2
    r = pyckg.minimize(
        lambda x: (cost(x), load(x)), [(1, 6), (1, 6)], (None, 0), integrality=1, noise="none", maxfun=60, rng=1
    )
    assert r.nfev == 36 and r.message == "Every design has been evaluated." and r.fun == 4


def test_processes() -> None:
    r = pyckg.minimize(_both, BOX, (None, 0), workers=2, maxfun=30, rng=1, noise="none")
    assert is_optimum(r)


def _both(x: Any) -> tuple[float, float]:
    return cost(x), load(x)


def test_the_same_rng_gives_the_same_search() -> None:
    a, b = (Counted(cost) for _ in range(2))
    for one in (a, b):
        pyckg.minimize(one, BOX, rng=random.Random(7), maxfun=14)
    assert a.points == b.points


def test_callbacks_stop() -> None:
    seen: list[Any] = []

    def plain(x: Any) -> None:
        seen.append(tuple(x))
        if len(seen) == 4:
            raise StopIteration

    def whole(intermediate_result: Any) -> bool:
        seen.append(intermediate_result.fun)
        return len(seen) == 9

    r = pyckg.minimize(cost, BOX, callback=plain, maxfun=20)
    assert r.nfev == 4 and r.message == "The callback stopped the search."
    r = pyckg.minimize(cost, BOX, callback=whole, maxfun=20)
    assert r.nfev == 5 and seen[4:] == sorted(seen[4:], reverse=True)


def test_what_is_not_finite_was_not_measured() -> None:
    r = pyckg.minimize(lambda x: math.nan if x[0] > 4 else cost(x), BOX, maxfun=20, rng=1)
    assert abs(r.fun - 1) < 0.01
    with pytest.raises(pyckg.StateError, match="fun never gave a finite number"):
        pyckg.minimize(lambda x: math.inf, BOX, maxfun=3)


def test_without_a_feasible_design_it_says_so() -> None:
    r = pyckg.minimize(lambda x: (cost(x), x[0]), BOX, (None, 0), maxfun=15, rng=1)
    assert not r.success and r.best is None and r.constr_violation >= 0.49
    assert (
        r.message
        == "The 15 evaluations of maxfun are spent. No design was found to be feasible; c0 is the hardest constraint."
    )


def test_derivatives_are_not_used_and_that_is_said() -> None:
    with pytest.warns(RuntimeWarning, match="jac: derivatives are not used"):
        pyckg.minimize(cost, BOX, maxfun=3, jac=lambda x: [1, 1])
    with pytest.warns(RuntimeWarning, match=r"constraints\[0\]: jac: derivatives are not used"):
        pyckg.minimize(cost, BOX, {"type": "ineq", "fun": cost, "jac": cost}, maxfun=3)


def test_without_scipy_and_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy", "scipy", "scipy.optimize"):
        monkeypatch.setitem(sys.modules, name, None)
    kinds = set()

    def fun(x: Any) -> float:
        kinds.add(type(x))
        return cost(x)

    r = pyckg.minimize(fun, BOX, maxfun=12)
    assert kinds == {list} and isinstance(r, dict) and r.x == r["x"] and type(r.x) is list
    assert "message: 'The 12 evaluations of maxfun are spent.'" in repr(r)
    with pytest.raises(AttributeError):
        _ = r.jac
