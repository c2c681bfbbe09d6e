"""Wrong calls: each is an exception that names the argument, and none harms the study."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import pyckg
from pyckg import Categorical, Integer, Real, Study, minimize

X: dict[str, Any] = {"x": Real(0, 1)}
BOX = [(0.0, 1.0), (0.0, 1.0)]
NAN, INF = math.nan, math.inf


class Odd:
    """Something that is nothing that is wanted."""

    def __repr__(self) -> str:
        return "<odd>"


class Liar:
    """A number that is none when it is looked at."""

    def __float__(self) -> float:
        raise ValueError("no")


def two(**more: Any) -> Study:
    return Study(
        {"x": Real(0, 1), "k": Integer(1, 9), "c": Categorical(["a", "b"])}, "f", {"g": (None, 0)}, seed=1, **more
    )


def told() -> Study:
    study = two()
    for _ in range(3):
        study.tell(study.ask(), f=1.0, g=-1.0)
    return study


def at(**more: Any) -> dict[str, Any]:
    return {"x": 0.5, "k": 3, "c": "a", **more}


def tell(*given: Any, **named: Any) -> None:
    study = two()
    study.tell(study.ask(), *given, **named)


def give(value: Any, constraints: Any = ()) -> Any:
    return minimize(lambda x: value, BOX, constraints, maxfun=3)


class Bounds:
    def __init__(self, lb: Any, ub: Any) -> None:
        self.lb, self.ub = lb, ub


class Nonlinear:
    def __init__(self, fun: Any, lb: Any, ub: Any, keep_feasible: Any = False) -> None:
        self.fun, self.lb, self.ub, self.keep_feasible = fun, lb, ub, keep_feasible


class Linear:
    def __init__(self, A: Any, lb: Any, ub: Any) -> None:  # noqa: N803
        self.A, self.lb, self.ub = A, lb, ub


# A word that the message must have, and the call.
WRONG: list[tuple[str, Callable[[], Any]]] = [
    # parameters one by one
    ("low", lambda: Real("a", 1)),  # type: ignore[arg-type]
    ("high", lambda: Real(0, "b")),  # type: ignore[arg-type]
    ("low", lambda: Real(None, 1)),  # type: ignore[arg-type]
    ("high", lambda: Real(0, [1])),  # type: ignore[arg-type]
    ("low", lambda: Real(1, 0)),
    ("low", lambda: Real(1, 1)),
    ("low", lambda: Real(NAN, 1)),
    ("high", lambda: Real(0, NAN)),
    ("high", lambda: Real(0, INF)),
    ("low", lambda: Real(-INF, 1)),
    ("low", lambda: Real(0, 1, log=True)),
    ("low", lambda: Real(-1, 1, log=True)),
    ("log", lambda: Real(1, 2, log="yes")),  # type: ignore[arg-type]
    ("log", lambda: Real(1, 2, log=1)),  # type: ignore[arg-type]
    ("step", lambda: Real(0, 1, step=0)),
    ("step", lambda: Real(0, 1, step=-1)),
    ("step", lambda: Real(0, 1, step=NAN)),
    ("step", lambda: Real(0, 1, step="a")),  # type: ignore[arg-type]
    ("low", lambda: Real(True, 2)),
    ("low", lambda: Real(Liar(), 2)),  # type: ignore[arg-type]
    ("high", lambda: Real(0, 1j)),  # type: ignore[arg-type]
    ("high", lambda: Real(0, 10**400)),
    ("argument", lambda: Real(0)),  # type: ignore[call-arg]
    ("argument", lambda: Real(0, 1, True)),  # type: ignore[misc]
    ("low", lambda: Integer(0.5, 3)),  # type: ignore[arg-type]
    ("high", lambda: Integer(0, 3.5)),  # type: ignore[arg-type]
    ("low", lambda: Integer(5, 2)),
    ("low", lambda: Integer(2, 2)),
    ("low", lambda: Integer(NAN, 2)),  # type: ignore[arg-type]
    ("high", lambda: Integer(0, INF)),  # type: ignore[arg-type]
    ("high", lambda: Integer(0, 2**60)),
    ("low", lambda: Integer(-(2**60), 0)),
    ("low", lambda: Integer("1", 2)),  # type: ignore[arg-type]
    ("low", lambda: Integer(0, 8, log=True)),
    ("step", lambda: Integer(0, 8, step=0)),
    ("step", lambda: Integer(0, 8, step=1.5)),  # type: ignore[arg-type]
    ("log", lambda: Integer(1, 8, log=None)),  # type: ignore[arg-type]
    ("values", lambda: Categorical("ab")),
    ("values", lambda: Categorical([])),
    ("values", lambda: Categorical(["a"])),
    ("values", lambda: Categorical(["a", "a"])),
    ("values", lambda: Categorical([[1], [1]])),
    ("values", lambda: Categorical(3)),  # type: ignore[arg-type]
    ("values", lambda: Categorical(None)),  # type: ignore[arg-type]
    ("argument", lambda: Categorical()),  # type: ignore[call-arg]
    # a study's parameters
    ("parameters", lambda: Study({})),
    ("parameters", lambda: Study(None)),  # type: ignore[arg-type]
    ("parameters", lambda: Study([Real(0, 1)])),  # type: ignore[arg-type]
    ("parameters: x", lambda: Study({"x": (0, 1)})),  # type: ignore[dict-item]
    ("parameters: x", lambda: Study({"x": Real})),  # type: ignore[dict-item]
    ("parameters: a name", lambda: Study({3: Real(0, 1)})),  # type: ignore[dict-item]
    ("name", lambda: Study({"": Real(0, 1)})),
    ("NUL", lambda: Study({"a\0b": Real(0, 1)})),
    ("UTF-8", lambda: Study({"\ud800": Real(0, 1)})),
    ("200", lambda: Study({f"x{i}": Real(0, 1) for i in range(201)})),
    ("100", lambda: Study({"c": Categorical(range(101))})),
    ("step", lambda: Study({"x": Real(0, 1, step=2)})),
    ("argument", lambda: Study()),  # type: ignore[call-arg]
    # its outcomes
    ("objective", lambda: Study(X, 3)),  # type: ignore[arg-type]
    ("objective", lambda: Study(X, None)),  # type: ignore[arg-type]
    ("name", lambda: Study(X, "")),
    ("objective", lambda: Study(X, "x")),
    ("constraints", lambda: Study(X, "f", {"x": (None, 0)})),
    ("constraints", lambda: Study(X, "f", ["g"])),  # type: ignore[arg-type]
    ("constraints", lambda: Study(X, "f", "g")),  # type: ignore[arg-type]
    ("constraints: g", lambda: Study(X, "f", {"g": 0})),  # type: ignore[dict-item]
    ("constraints: g", lambda: Study(X, "f", {"g": (0,)})),  # type: ignore[dict-item]
    ("constraints: g", lambda: Study(X, "f", {"g": (0, 1, 2)})),  # type: ignore[dict-item]
    ("constraints: g", lambda: Study(X, "f", {"g": "01"})),  # type: ignore[dict-item]
    ("constraints: g", lambda: Study(X, "f", {"g": (None, None)})),
    ("constraints: g", lambda: Study(X, "f", {"g": (1, 0)})),
    ("constraints: g", lambda: Study(X, "f", {"g": (1, 1)})),
    ("constraints: g", lambda: Study(X, "f", {"g": (NAN, 1)})),
    ("constraints: g: max", lambda: Study(X, "f", {"g": (None, "0")})),  # type: ignore[dict-item]
    ("constraints: a name", lambda: Study(X, "f", {1: (None, 0)})),  # type: ignore[dict-item]
    ("constraints", lambda: Study(X, "f", {"f": (None, 0)})),
    ("200", lambda: Study(X, "f", {f"g{i}": (None, 0) for i in range(201)})),
    ("maximize", lambda: Study(X, maximize="yes")),  # type: ignore[arg-type]
    ("maximize", lambda: Study(X, maximize=1)),  # type: ignore[arg-type]
    ("noise", lambda: Study(X, noise="loud")),
    ("noise", lambda: Study(X, noise=-1)),
    ("noise", lambda: Study(X, noise=NAN)),
    ("noise", lambda: Study(X, noise=INF)),
    ("noise", lambda: Study(X, noise=[0.1])),  # type: ignore[arg-type]
    ("noise", lambda: Study(X, noise={"nobody": 0.1})),
    ("noise", lambda: Study(X, noise={"objective": "a lot"})),
    ("noise", lambda: Study(X, noise=1e200)),
    ("positive", lambda: Study(X, positive="nobody")),
    ("positive", lambda: Study(X, positive=["nobody"])),
    ("positive", lambda: Study(X, positive=3)),  # type: ignore[arg-type]
    # rules, constants, lists
    ("rules", lambda: Study(X, rules="x < 1")),
    ("rules", lambda: Study(X, rules=[3])),  # type: ignore[list-item]
    ("rules", lambda: Study(X, rules=3)),  # type: ignore[arg-type]
    ("rule", lambda: Study(X, rules=[""])),
    ("y", lambda: Study(X, rules=["x < y"])),
    ("rule", lambda: Study(X, rules=["x <"])),
    ("rule", lambda: Study(X, rules=["x > 2"])),
    ("rule", lambda: Study(X, rules=["x" + " + x" * 2000 + " < 1"])),
    ("rules", lambda: Study(X, rules=["x < 1\0"])),
    ("constants", lambda: Study(X, constants=[1])),  # type: ignore[arg-type]
    ("constants: a", lambda: Study(X, constants={"a": "b"})),  # type: ignore[dict-item]
    ("constants: a", lambda: Study(X, constants={"a": NAN})),
    ("x", lambda: Study(X, constants={"x": 1})),
    ("choose_from", lambda: Study(X, choose_from=[])),
    ("choose_from", lambda: Study(X, choose_from=[3])),  # type: ignore[list-item]
    ("choose_from: x", lambda: Study(X, choose_from=[{"x": 2}])),
    ("choose_from", lambda: Study(X, choose_from=[{"y": 0.5}])),
    ("choose_from", lambda: Study(X, choose_from=[{}])),
    ("choose_from", lambda: Study(X, choose_from={"x": 0.5})),  # type: ignore[arg-type]
    ("choose_from", lambda: Study(X, choose_from=5)),  # type: ignore[arg-type]
    ("designs: x", lambda: Study(X, designs=[{"x": -1}])),
    ("designs", lambda: Study(X, designs=[0.5])),  # type: ignore[list-item]
    ("designs", lambda: Study(X, designs=None)),  # type: ignore[arg-type]
    # options
    ("policy", lambda: Study(X, policy="best")),
    ("policy", lambda: Study(X, policy=None)),  # type: ignore[arg-type]
    ("policy", lambda: Study(X, policy=1)),  # type: ignore[arg-type]
    ("settings", lambda: Study(X, settings=[1])),  # type: ignore[arg-type]
    ("strength", lambda: Study(X, settings={"strength": 1})),
    ("settings: penalty", lambda: Study(X, settings={"penalty": "a"})),  # type: ignore[dict-item]
    ("settings: a name", lambda: Study(X, settings={1: 1})),  # type: ignore[dict-item]
    ("settings: penalty", lambda: Study(X, settings={"penalty": NAN})),
    ("seed", lambda: Study(X, seed=-1)),
    ("seed", lambda: Study(X, seed=2**64)),
    ("seed", lambda: Study(X, seed=1.5)),  # type: ignore[arg-type]
    ("seed", lambda: Study(X, seed="1")),  # type: ignore[arg-type]
    ("seed", lambda: Study(X, seed=True)),
    ("budget", lambda: Study(X, budget=0)),
    ("budget", lambda: Study(X, budget=1.5)),  # type: ignore[arg-type]
    ("budget", lambda: Study(X, budget="many")),  # type: ignore[arg-type]
    ("budget", lambda: Study(X, budget=2**40)),
    ("initial", lambda: Study(X, initial=-1)),
    ("initial", lambda: Study(X, initial=10**6)),
    ("initial", lambda: Study(X, initial=[1])),  # type: ignore[arg-type]
    ("threads", lambda: Study(X, threads=-1)),
    ("threads", lambda: Study(X, threads=1000)),
    ("threads", lambda: Study(X, threads=None)),  # type: ignore[arg-type]
    ("failures", lambda: Study(X, failures="hide")),
    ("failures", lambda: Study(X, failures=None)),  # type: ignore[arg-type]
    ("kernel", lambda: Study(X, kernel="soft")),
    ("kernel", lambda: Study(X, kernel=3)),
    ("colour", lambda: Study(X, colour="red")),
    ("samples", lambda: Study(X, samples=0)),
    ("samples", lambda: Study(X, samples=2.5)),
    ("samples", lambda: Study(X, samples=[2])),  # type: ignore[arg-type]
    ("time_limit", lambda: Study(X, time_limit=-1)),
    ("time_limit", lambda: Study(X, time_limit=NAN)),
    ("penalty", lambda: Study(X, penalty=INF)),
    ("fit", lambda: Study(X, fit="")),
    ("warp", lambda: Study(X, warp="maybe")),
    ("final_policy", lambda: Study(X, final_policy="best")),
    ("preset", lambda: Study(X, preset="mine")),
    ("name", lambda: Study(X, name="spring")),
    # designs of one's own
    ("parameters", lambda: two().add(3)),  # type: ignore[arg-type]
    ("parameters", lambda: two().add(None)),  # type: ignore[arg-type]
    ("parameters", lambda: two().add([0.5, 3, "a"])),  # type: ignore[arg-type]
    ("'k'", lambda: two().add({"x": 0.5})),
    ("'y'", lambda: two().add(at(y=1))),
    ("parameters: x", lambda: two().add(at(x=2))),
    ("parameters: x", lambda: two().add(at(x=NAN))),
    ("parameters: x", lambda: two().add(at(x="0.5"))),
    ("parameters: x", lambda: two().add(at(x=None))),
    ("parameters: x", lambda: two().add(at(x=True))),
    ("parameters: k", lambda: two().add(at(k=2.5))),
    ("parameters: k", lambda: two().add(at(k=10))),
    ("parameters: k", lambda: two().add(at(k=INF))),
    ("parameters: c", lambda: two().add(at(c="z"))),
    ("parameters: c", lambda: two().add(at(c=0))),
    ("parameters: c", lambda: two().add(at(c=[]))),
    ("argument", lambda: two().add()),  # type: ignore[call-arg]
    # telling
    ("trial", lambda: two().tell(1, f=1.0)),
    ("trial", lambda: two().tell(0, f=1.0)),
    ("trial", lambda: two().tell(-1, f=1.0)),
    ("trial", lambda: two().tell("1", f=1.0)),  # type: ignore[arg-type]
    ("trial", lambda: two().tell(None, f=1.0)),  # type: ignore[arg-type]
    ("trial", lambda: two().tell(1.5, f=1.0)),  # type: ignore[arg-type]
    ("trial", lambda: told().tell(1, f=1.0)),
    ("trial", lambda: told().tell(1, failed="why")),
    ("trial", lambda: two().tell(2**40, f=1.0)),
    ("values", lambda: tell()),
    ("values", lambda: tell(f=None)),
    ("values", lambda: tell(3)),
    ("values", lambda: tell([1, 2])),
    ("'h'", lambda: tell(h=1)),
    ("'h'", lambda: tell({"h": 1})),
    ("f", lambda: tell(f="1")),
    ("f", lambda: tell(f=NAN)),
    ("f", lambda: tell(f=INF)),
    ("f", lambda: tell(f=1e200)),
    ("f", lambda: tell(f=True)),
    ("f", lambda: tell(f=[])),
    ("f", lambda: tell(f=(1, 2, 3))),
    ("f: sd", lambda: tell(f=(1, -1))),
    ("f: sd", lambda: tell(f=(1, NAN))),
    ("f: sd", lambda: tell(f=(1, "a"))),
    ("f", lambda: tell(f=({}, 1))),
    ("f", lambda: tell(f=10**400)),
    ("f", lambda: tell(f=Decimal("NaN"))),
    ("f", lambda: tell(f=Odd())),
    ("failed", lambda: tell(failed=3)),
    ("failed", lambda: tell(failed=True)),
    ("failed", lambda: tell(failed="why", f=1.0)),
    ("trial", lambda: two().cancel(1)),
    ("trial", lambda: told().cancel(1)),
    ("trial", lambda: two().cancel("x")),  # type: ignore[arg-type]
    # looking
    ("number", lambda: two().trial("1")),  # type: ignore[arg-type]
    ("trial", lambda: two().trial(1)),
    ("trial", lambda: told().trial(0)),
    ("frame", lambda: told().trials(frame="yes")),  # type: ignore[arg-type]
    ("probability", lambda: told().recommend(probability=0)),
    ("probability", lambda: told().recommend(probability=1.5)),
    ("probability", lambda: told().recommend(probability=NAN)),
    ("probability", lambda: told().recommend(probability="0.9")),  # type: ignore[arg-type]
    ("evaluated_only", lambda: told().recommend(evaluated_only=1)),  # type: ignore[arg-type]
    ("argument", lambda: told().recommend(0.95)),  # type: ignore[misc]
    ("objective", lambda: two().recommend()),
    ("designs", lambda: told().predict(3)),
    ("designs", lambda: told().predict("x")),
    ("designs", lambda: told().predict([3])),
    ("designs: x", lambda: told().predict(at(x=5))),
    ("designs: c", lambda: told().predict([at(), at(c="z")])),
    ("designs", lambda: told().score(None)),
    ("policy", lambda: told().score(at(), policy=3)),  # type: ignore[arg-type]
    ("policy", lambda: told().score(at(), policy="best")),
    # running
    ("function", lambda: two().optimize(3, 5)),  # type: ignore[arg-type]
    ("budget", lambda: two().optimize(print)),
    ("budget", lambda: two().optimize(print, 0)),
    ("budget", lambda: two().optimize(print, "5")),  # type: ignore[arg-type]
    ("workers", lambda: two().optimize(print, 5, workers=0)),
    ("workers", lambda: two().optimize(print, 5, workers=-2)),
    ("workers", lambda: two().optimize(print, 5, workers="2")),  # type: ignore[arg-type]
    ("workers", lambda: two().optimize(print, 5, workers=1.5)),  # type: ignore[arg-type]
    ("workers", lambda: two().optimize(lambda **p: 1, 5, workers=lambda f, p: [])),
    ("processes", lambda: two().optimize(print, 5, processes=1)),  # type: ignore[arg-type]
    ("progress", lambda: two().optimize(print, 5, progress="bar")),  # type: ignore[arg-type]
    ("catch", lambda: two().optimize(print, 5, catch="all")),  # type: ignore[arg-type]
    ("catch", lambda: two().optimize(print, 5, catch=(ValueError, 3))),  # type: ignore[arg-type]
    ("f", lambda: two().optimize(lambda **p: "1", 5)),
    ("'h'", lambda: two().optimize(lambda **p: {"h": 1}, 5)),
    ("argument", lambda: two().optimize(lambda x: 1, 5)),
    # minimize
    ("fun", lambda: minimize(3, BOX)),  # type: ignore[arg-type]
    ("bounds", lambda: minimize(sum, None)),
    ("bounds", lambda: minimize(sum, [])),
    ("bounds[0]", lambda: minimize(sum, [3])),
    ("bounds[1]", lambda: minimize(sum, [(0, 1), (0,)])),
    ("bounds[0]", lambda: minimize(sum, [(None, 1)])),
    ("bounds[0]", lambda: minimize(sum, [(0, INF)])),
    ("bounds[0]", lambda: minimize(sum, [(2, 1)])),
    ("bounds[0]: low", lambda: minimize(sum, [("a", 1)])),
    ("bounds", lambda: minimize(sum, [(1, 1)])),
    ("bounds", lambda: minimize(sum, Bounds([0, 0], [1, 1, 1]))),
    ("bounds[0]", lambda: minimize(sum, Bounds([-INF], [1]))),
    ("integrality", lambda: minimize(sum, BOX, integrality=[1])),
    ("integrality", lambda: minimize(sum, BOX, integrality=[1, 2])),
    ("integrality", lambda: minimize(sum, BOX, integrality="a")),
    ("bounds[0]", lambda: minimize(sum, [(0.2, 0.8)], integrality=1)),
    ("x0", lambda: minimize(sum, BOX, x0=[0.5])),
    ("x0", lambda: minimize(sum, BOX, x0=[0.5, 2])),
    ("x0", lambda: minimize(sum, BOX, x0="ab")),
    ("x0", lambda: minimize(sum, BOX, x0=[0.5, NAN])),
    ("x0[1]", lambda: minimize(sum, BOX, x0=[[0.5, 0.5], [0.5]])),
    ("x0[1]", lambda: minimize(sum, [(0, 1), (2, 2)], x0=[0.5, 3])),
    ("maxfun", lambda: minimize(sum, BOX, maxfun=0)),
    ("maxfun", lambda: minimize(sum, BOX, maxfun=2.5)),  # type: ignore[arg-type]
    ("maxfun", lambda: minimize(sum, BOX, maxfun=None)),  # type: ignore[arg-type]
    ("rng", lambda: minimize(sum, BOX, rng="lucky")),
    ("seed", lambda: minimize(sum, BOX, rng=-1)),
    ("noise", lambda: minimize(sum, BOX, noise="loud")),
    ("workers", lambda: minimize(sum, BOX, workers=0)),
    ("workers", lambda: minimize(sum, BOX, workers="a")),  # type: ignore[arg-type]
    ("callback", lambda: minimize(sum, BOX, callback=3)),  # type: ignore[arg-type]
    ("options", lambda: minimize(sum, BOX, options=3)),  # type: ignore[arg-type]
    ("options: seed", lambda: minimize(sum, BOX, options={"seed": 3})),
    ("colour", lambda: minimize(sum, BOX, options={"colour": 3})),
    ("method", lambda: minimize(sum, BOX, method="COBYLA")),
    ("tol", lambda: minimize(sum, BOX, tol=1e-3)),
    ("'hurry'", lambda: minimize(sum, BOX, hurry=True)),
    ("constraints", lambda: minimize(sum, BOX, 3)),
    ("constraints[0]", lambda: minimize(sum, BOX, [3])),
    ("constraints[0]: type", lambda: minimize(sum, BOX, {"type": "le", "fun": sum})),
    ("constraints[0]: fun", lambda: minimize(sum, BOX, {"type": "ineq"})),
    ("equal_tolerance must be above 0", lambda: minimize(sum, BOX, {"type": "eq", "fun": sum}, equal_tolerance=0)),
    ("constraints[0]: fun", lambda: minimize(sum, BOX, Nonlinear(3, 0, 1))),
    ("constraints[0][1]", lambda: minimize(sum, BOX, Nonlinear(lambda x: x, [0, 1], [1, 0]))),
    ("constraints[0][0]", lambda: minimize(sum, BOX, Nonlinear(sum, -INF, INF))),
    ("constraints[0]: ub", lambda: minimize(sum, BOX, Nonlinear(lambda x: x, [0, 1, 2], [1, 1]))),
    ("keep_feasible", lambda: minimize(sum, BOX, Nonlinear(sum, 0, 1, True))),
    ("constraints[0]: fun", lambda: minimize(sum, BOX, Nonlinear(sum, [0, 0], [1, 1]))),
    ("constraints[0][0]", lambda: minimize(sum, BOX, Nonlinear(lambda x: "a", 0, 1))),
    ("constraints[0]: A", lambda: minimize(sum, BOX, Linear([[1]], 0, 1))),
    ("constraints[0]: A", lambda: minimize(sum, BOX, Linear([["a", 1]], 0, 1))),
    ("constraints[0]: ub", lambda: minimize(sum, BOX, Linear([[1, 1]], 0, [1, 2]))),
    ("rule", lambda: minimize(sum, BOX, Linear([[1, 1]], 5, 6))),
    ("constraints: g", lambda: minimize(sum, BOX, {"g": 3})),
    ("fun", lambda: give("a")),
    ("fun", lambda: give(None)),
    ("fun", lambda: give([1, 2])),
    ("fun", lambda: give((1, 2))),
    ("constraints", lambda: give((1, [2, 3]), [(None, 0)])),
    ("fun", lambda: give(1, (None, 0))),
    ("fun", lambda: give(1, {"g": (None, 0)})),
    ("fun", lambda: give({"a": 1, "b": 2})),
    ("fun", lambda: give({"g": 1}, {"g": (None, 0)})),
    ("constraints", lambda: give({"a": 1}, (None, 0))),
    ("fun", lambda: give({"fun": (1, 2, 3)})),
    ("fun", lambda: give((1, "a"), (None, 0))),
]


def test_there_are_enough_of_them() -> None:
    assert len(WRONG) >= 200


@pytest.mark.parametrize(("word", "call"), WRONG, ids=[f"{i}-{word}" for i, (word, _) in enumerate(WRONG)])
def test_wrong(word: str, call: Callable[[], Any]) -> None:
    with pytest.raises((pyckg.CkgError, TypeError)) as caught:
        call()
    message = str(caught.value)
    assert word in message
    assert message and "\n" not in message


def test_a_refused_call_changes_nothing() -> None:
    study = told()
    before = study.trials(frame=False)
    trial = study.ask()
    for wrong in ({"f": NAN}, {"f": 1.0, "g": "a"}, {"h": 1}, {}):
        with pytest.raises(pyckg.CkgError):
            study.tell(trial, wrong)
    study.cancel(trial)
    assert study.trials(frame=False)[:-1] == before


def test_a_closed_study_refuses_everything() -> None:
    study = told()
    study.close()
    study.close()
    calls = (
        study.ask,
        study.recommend,
        study.model,
        study.trials,
        study.gain,
        study.importance,
        study.best,
        study.penalty,
    )
    for call in calls:
        with pytest.raises(pyckg.StateError, match="the study is closed"):
            call()
    with pytest.raises(pyckg.StateError, match="the study is closed"):
        study.tell(1, f=1)


def test_numbers_of_every_kind_are_numbers() -> None:
    study = two()
    study.tell(study.ask(), f=Fraction(1, 3), g=Decimal("-0.5"))
    study.add(at(x=Fraction(1, 2), k=3.0))
    numpy = pytest.importorskip("numpy")
    study.tell(study.ask(), f=numpy.float32(0.5), g=(numpy.int64(-1), numpy.float64(0.1)))
    study.add({"x": numpy.float64(0.5), "k": numpy.int32(4), "c": numpy.str_("b")})
    assert study.trial(1).values == {"f": 1 / 3, "g": -0.5}
    assert study.trial(4).parameters == {"x": 0.5, "k": 4, "c": "b"}


def test_wrong_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    study = two()
    trial = study.ask()
    for value in (numpy.zeros(3), numpy.zeros((0,)), numpy.array(["a"]), numpy.bool_(True)):
        with pytest.raises(pyckg.CkgError, match="f must be"):
            study.tell(trial, f=value)


def test_categories_of_any_kind() -> None:
    values = [8, "8", 8.5, True, None, (1, 2), [3], 1]
    study = Study({"c": Categorical(values), "x": Real(0, 1)}, noise="none", seed=1)
    for value in values:
        assert study.add({"c": value, "x": 0.5})["c"] is value
