"""Trials cost their data and no more."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import pytest

import pyckg


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def tell(study: pyckg.Study, times: int) -> None:
    for i in range(times):
        study.tell(study.add({"x": i * 0.618 % 1}), objective=1.0 + i)


@pytest.mark.as_released
def test_many_tells() -> None:
    """A trial is a design of one number, one measurement and what belongs to them; half a kilobyte is far more."""
    study = pyckg.Study({"x": pyckg.Real(0, 1)}, policy="random")
    tell(study, 1000)
    gc.collect()
    tracemalloc.start()
    python, process = tracemalloc.get_traced_memory()[0], resident()
    tell(study, 20_000)
    gc.collect()
    python = tracemalloc.get_traced_memory()[0] - python
    tracemalloc.stop()
    assert python < 20_000 * 32
    assert resident() - process < 20_000 * 512


@pytest.mark.parametrize("what", ["ask", "recommend", "predict", "model", "study", "refused"])
def test_calls_leave_nothing_behind(what: str) -> None:
    study = pyckg.Study({"x": pyckg.Real(0, 1)}, noise="none", seed=1)
    for _ in range(12):
        t = study.ask()
        study.tell(t, objective=(t["x"] - 0.3) ** 2)

    def call() -> None:
        if what == "ask":
            study._backend._engine.ask()  # type: ignore[attr-defined]
            study.cancel(len(study))
        elif what == "study":
            pyckg.Study({"x": pyckg.Real(0, 1)}).close()
        elif what == "refused":
            with pytest.raises(pyckg.NotFoundError):
                study.tell(10**6, objective=1.0)
        else:
            getattr(study, what)(*[{"x": 0.5}] * (what == "predict"))

    for _ in range(20):
        call()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(100):
        call()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 100 * 64
