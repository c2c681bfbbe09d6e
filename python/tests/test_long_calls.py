"""Long calls: threads, signals, forks, processes."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import pyckg

PATIENCE = 900  # seconds, which tell what hangs from what is slow


def told(n: int, d: int = 4, **more: Any) -> pyckg.Study:
    """A study with n noisy trials, whose ask takes tenths of a second."""
    study = pyckg.Study({f"x{i}": pyckg.Real(0, 1) for i in range(d)}, "f", {"g": (None, 0.5)}, seed=1, **more)
    for k in range(n):
        x = [(k * (i + 2) * 0.618) % 1 for i in range(d)]
        values = {
            "f": sum((v - 0.3) ** 2 for v in x) + 0.1 * math.sin(99 * k),
            "g": math.sin(5 * x[0]) - x[1] + 0.1 * math.cos(7 * k),
        }
        study.tell(study.add({f"x{i}": v for i, v in enumerate(x)}), values)
    return study


def in_threads(*calls: Callable[[], Any]) -> list[Any]:
    answers: list[Any] = [None] * len(calls)

    def run(i: int, call: Callable[[], Any]) -> None:
        answers[i] = call()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


# --- threads ---


def test_python_goes_on_during_an_ask() -> None:
    study = told(60)
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    before = counted
    study.ask()
    after = counted
    done.set()
    counter.join()
    assert after - before > 10


def test_two_studies_in_two_threads() -> None:
    alone = [told(40, seed_shift).ask().parameters for seed_shift in (3, 4)]
    together = in_threads(*(told(40, d).ask for d in (3, 4)))
    assert [trial.parameters for trial in together] == alone


def test_one_study_in_many_threads() -> None:
    study = told(12)

    def work() -> list[int]:
        numbers = []
        for _ in range(5):
            trial = study.ask()
            study.tell(trial, f=sum(trial.parameters.values()), g=0.0)
            study.predict(trial)
            numbers.append(trial.number)
        return numbers

    numbers = sorted(number for numbers in in_threads(*[work] * 6) for number in numbers)
    assert numbers == list(range(13, 43)) and len(study) == 42
    assert all(trial.state == "complete" for trial in study.trials(frame=False))


def test_a_study_is_not_entered_twice_by_one_thread() -> None:
    study = told(60)
    said: list[str] = []

    def handler(*_: object) -> None:
        try:
            study.recommend()
        except pyckg.StateError as error:
            said.append(str(error))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        deadline = time.monotonic() + PATIENCE
        while not said and time.monotonic() < deadline:
            study.ask()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert said[0] == "the study is at work in this thread already"


# --- signals ---


def interrupt(make: Callable[[], Callable[[], Any]]) -> None:
    """Ctrl-C while the call lasts that is made, the earlier the faster the machine is."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for seconds in (0.05, 0.02, 0.01, 0.005, 0.002):
            call = make()
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                call()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                return
        raise AssertionError("it was never interrupted")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.in_full), 2])
def test_an_interrupted_ask_was_never_made(threads: int) -> None:
    study, other = (told(100, threads=threads, settings={"candidates": 40000}) for _ in range(2))
    interrupt(lambda: study.ask)
    assert len(study) == 100
    interrupt(lambda: study.ask)
    assert study.ask() == other.ask()


def test_other_calls_are_interrupted_too() -> None:
    study = told(150)
    for call in (study.recommend, study.importance, study.gain):
        fresh: list[pyckg.Study] = []

        def make(name: str = call.__name__, fresh: list[pyckg.Study] = fresh) -> Callable[[], Any]:
            fresh.append(pickle.loads(pickle.dumps(study)))
            made: Callable[[], Any] = getattr(fresh[-1], name)
            return made

        interrupt(make)
        assert len(fresh[-1]) == 150


def test_what_a_handler_raises_comes_out() -> None:
    class EnoughError(Exception):
        pass

    def handler(*_: object) -> None:
        raise EnoughError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(EnoughError, match="enough"):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            told(200, 6).ask()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.03, 0.03)
    try:
        study = told(60)
        trial = study.ask()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen and trial == told(60).ask()


SLOW = """
import sys, time, pyckg
study = pyckg.Study({"x": pyckg.Real(0, 1)}, seed=1, noise="none")
def f(x):
    print(f"at {len(study)}\\n", end="", flush=True)
    if (PROCESSES or len(study) > 5) and not again:
        time.sleep(LONG)
    return x * x
again = False
try:
    study.optimize(f, 8, workers=WORKERS, processes=PROCESSES)
except KeyboardInterrupt:
    print("stopped", study._evaluations(), flush=True)
again = True
study.optimize(f, 12)
other = pyckg.Study({"x": pyckg.Real(0, 1)}, seed=1, noise="none")
other.optimize(lambda x: x * x, 12)
print("same", [t.parameters for t in study.trials(frame=False)] == [t.parameters for t in other.trials(frame=False)])
"""


@pytest.mark.parametrize(("workers", "processes"), [(1, False), (2, False), (2, True)])
def test_ctrl_c_leaves_a_study_that_goes_on(workers: int, processes: bool) -> None:
    text = SLOW.replace("WORKERS", str(workers)).replace("PROCESSES", str(processes)).replace("LONG", str(PATIENCE))
    run = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    seen = iter(run.stdout.readline, "")
    if processes:
        assert next(seen).startswith("at") and next(seen).startswith("at")
    else:
        assert any(int(text.split()[1]) > 5 for text in seen)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0 and ("stopped 0" if processes else "stopped") in rest
    if workers == 1:
        assert "stopped 5" in rest and "same True" in rest


# --- other processes ---


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fork_goes_on_by_itself(threads: int) -> None:
    study = told(30, threads=threads)
    trial = study.ask()
    study.tell(trial, f=1.0, g=0.0)
    expected = pickle.loads(pickle.dumps(study)).ask().parameters
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(into, pickle.dumps(study.ask().parameters))
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as stream:
        assert pickle.loads(stream.read()) == expected
    os.waitpid(child, 0)
    assert study.ask().parameters == expected


def asked_in_a_fork(study: pyckg.Study) -> bytes:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"nothing"
        try:
            study.ask()
        except pyckg.StateError as error:
            said = str(error).encode()
        finally:
            os.write(into, said)
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def test_a_fork_during_an_ask_is_refused_in_the_child() -> None:
    # The thread may not have begun when the process forks, or be done: then once more.
    said = b"nothing"
    deadline = time.monotonic() + PATIENCE
    while said == b"nothing" and time.monotonic() < deadline:
        study = told(200, 6)
        asking = threading.Thread(target=study.ask)
        asking.start()
        time.sleep(0.05)
        said = asked_in_a_fork(study)
        asking.join()
        assert len(study) == 201
    assert said == b"the process was forked while this study was at work"


def _ask(study: pyckg.Study) -> dict[str, Any]:
    return study.ask().parameters


def test_spawned_processes_take_pickled_studies() -> None:
    study = told(20)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_ask, (study,)) == study.ask().parameters
