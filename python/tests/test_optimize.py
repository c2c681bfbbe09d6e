"""optimize: any workers, failures, progress."""

from __future__ import annotations

import io
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import pyckg
from pyckg._progress import Line, clock


def small_study(**more: Any) -> pyckg.Study:
    return pyckg.Study(
        {"x": pyckg.Real(0.5, 6), "y": pyckg.Real(0.5, 6)}, "cost", {"load": (None, 0)}, seed=3, noise="none", **more
    )


def evaluate(x: float, y: float) -> dict[str, float]:
    return {"cost": x + y, "load": 4 - x * y}


def divide(x: float, y: float) -> dict[str, float]:
    return {"cost": 1 / 0, "load": 0}


def die(x: float, y: float) -> dict[str, float]:
    if x > 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return evaluate(x, y)


def leave(x: float, y: float) -> dict[str, float]:
    if x > 3:
        sys.exit(3)
    return evaluate(x, y)


@pytest.mark.parametrize(("workers", "processes"), [(1, False), (3, False), (2, True), (-1, False)])
def test_workers(workers: int, processes: bool) -> None:
    study = small_study()
    found = study.optimize(evaluate, 25, workers=workers, processes=processes)
    assert len(study) == 25 and abs(found.objective.mean - 4) < 0.05
    assert {t.number for t in study.trials(frame=False)} == set(range(1, 26))


def test_a_function_like_map() -> None:
    study = small_study(budget=20)
    with ThreadPoolExecutor(4) as pool:
        study.optimize(evaluate, workers=pool.map)
    study.optimize(evaluate, 22, workers=map)
    assert len(study) == 22


def test_the_budget_counts_what_there_is() -> None:
    study = small_study(designs=[{"x": 2, "y": 2}, {"x": 3, "y": 3}])
    study.cancel(study.ask())
    assert study.ask().parameters == {"x": 3, "y": 3}
    study.optimize(evaluate, 10)
    assert len(study) == 11  # one was cancelled, and one is still with whoever asked for it
    assert [t.state for t in study.trials(frame=False)].count("complete") == 9
    study.optimize(evaluate, 10)
    assert len(study) == 11


def test_exceptions_end_a_run_unless_they_are_caught() -> None:
    study = small_study()
    with pytest.raises(ZeroDivisionError):
        study.optimize(divide, 5)
    assert len(study) == 1 and study.trial(1).state == "pending"
    with pytest.raises(pyckg.StateError):
        study.optimize(divide, 5, catch=ArithmeticError)
    assert len(study) == 5 and study.trial(1).why == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize("processes", [False, True])
def test_exceptions_come_from_workers(processes: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        small_study().optimize(divide, 5, workers=2, processes=processes)


@pytest.mark.parametrize(("function", "why"), [(die, "ended by signal 9"), (leave, "ended with status 3")])
def test_a_process_that_dies_is_a_failed_trial(function: Any, why: str) -> None:
    study = small_study()
    study.optimize(function, 14, workers=2, processes=True)
    failed = [t for t in study.trials(frame=False) if t.state == "failed"]
    assert failed and all(
        t["x"] > 3 and t.why == f"the evaluation's process was {why}".replace("was ended with", "ended with")
        for t in failed
    )
    assert len(study) == 14


def test_what_is_not_finite_failed() -> None:
    study = small_study()
    study.optimize(lambda x, y: {"cost": float("nan") if x > 3 else x, "load": None}, 12)
    failed = [t for t in study.trials(frame=False) if t.state == "failed"]
    assert failed and all(t.why == "cost is nan" for t in failed)
    study = small_study()
    with pytest.raises(pyckg.StateError):
        study.optimize(lambda x, y: {"cost": None}, 3)
    assert study.trial(1).why == "nothing was measured"


def test_a_finite_problem_ends() -> None:
    study = pyckg.Study({"k": pyckg.Integer(1, 5)}, noise="none")
    assert study.optimize(lambda k: (k - 3) ** 2, 60).parameters == {"k": 3}
    assert len(study) == 5
    with pytest.raises(pyckg.ExhaustedError):
        study.ask()


def test_progress_on_a_terminal() -> None:
    stream = io.StringIO()
    line = Line(4, 0, stream)
    line.step(1, None)
    line.step(4, 1.25)
    line.close()
    shown = stream.getvalue().split("\r")
    assert shown[1].startswith("[######..................] 1/4  none feasible yet  0:00 gone")
    assert shown[2].startswith("[########################] 4/4  best 1.25  0:00 gone, 0:00 left")
    assert shown[-1].endswith("\n")
    assert [clock(s) for s in (7, 750, 10800)] == ["0:07", "12:30", "3:00:00"]


def test_progress_is_shown_where_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    small_study().optimize(evaluate, 3)
    assert capsys.readouterr().err == ""
    small_study().optimize(evaluate, 3, progress=True)
    assert "3/3" in capsys.readouterr().err
