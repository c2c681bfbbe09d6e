"""One store: a study of Python is the program's own, and the other way round."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pyckg

PROGRAM = os.environ.get("CKG_PROGRAM", "")

SCRIPT = """import json, os, sys, time
p = json.load(sys.stdin)
with open("log", "a") as log: log.write(json.dumps(p) + "\\n")
print(json.dumps({"cost": p["x"] + p["y"], "load": 4 - p["x"] * p["y"]}))
"""

PROBLEM = """name: s
goal: minimize
budget: {budget}
initial: 6
seed: 7
parameters:
  x: {{type: real, low: 0.5, high: 6}}
  y: {{type: real, low: 0.5, high: 6}}
objective: {{name: cost, noise: none}}
constraints:
  load: {{max: 0, noise: none}}
evaluate: {{command: [{python}, evaluate.py]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def ckg(*words: str, status: int = 0) -> str:
    """The program's output."""
    if not PROGRAM:
        pytest.skip("CKG_PROGRAM does not say where the program is")
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def write_problem(budget: int) -> None:
    Path("evaluate.py").write_text(SCRIPT)
    Path("s.yaml").write_text(PROBLEM.format(budget=budget, python=sys.executable))


def make(**more: Any) -> pyckg.Study:
    """The problem of the file, made here."""
    how = {"store": "s.db", "seed": 7, "initial": 6, **more}
    parameters = {"x": pyckg.Real(0.5, 6), "y": pyckg.Real(0.5, 6)}
    return pyckg.Study(parameters, "cost", {"load": (None, 0)}, noise="none", **how)


def evaluate(x: float, y: float) -> dict[str, float]:
    with open("log", "a") as log:
        log.write(json.dumps({"x": x, "y": y}) + "\n")
    return {"cost": x + y, "load": 4 - x * y}


def told(study: pyckg.Study) -> list[tuple[Any, ...]]:
    return [
        (t.number, t.state, t.parameters, t.values, t.origin, t.chosen_by, t.reason) for t in study.trials(frame=False)
    ]


def in_child(work: Callable[[], object]) -> int:
    """Does it in a process of its own, which dies of what it raises."""
    child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)


def wait_for(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


# --- the same study here and there ---


def at_rest(status: dict[str, Any]) -> dict[str, Any]:
    """Without who is at work and how fast, which changes from one moment to the next."""
    return {name: value for name, value in status.items() if name not in ("workers", "suggestions_per_minute")}


@pytest.mark.as_released
def test_a_study_made_here_is_the_programs(folder: Path) -> None:
    study = make()
    study.optimize(evaluate, 14)
    study.tell(study.add({"x": 5, "y": 5}), failed="too <b>heavy</b>")
    assert [json.loads(line)["parameters"] for line in ckg("trials", "s.db", "--json").splitlines()] == [
        t.parameters for t in study.trials(frame=False)
    ]
    shown = [json.loads(line) for line in ckg("trials", "s.db", "--json").splitlines()]
    assert [(t["chosen_by"], t["reason"] or "") for t in shown] == [(t[5], t[6]) for t in told(study)]
    assert at_rest(json.loads(ckg("status", "s.db", "--json"))) == at_rest(study.status())
    recommended = json.loads(ckg("recommend", "s.db", "--json"))
    found = study.recommend()
    assert recommended["parameters"] == found.parameters and recommended["objective"]["mean"] == found.objective.mean

    # Drawn to the same bytes.
    ckg("report", "s.db", "-o", "r.html")
    study.report().save("here.html")
    assert Path("r.html").read_bytes() == Path("here.html").read_bytes()
    for kind in ("sheet", "frontier"):
        ckg("plot", "s.db", "--kind", kind, "-o", "p.svg")
        assert Path("p.svg").read_text() == study.plot(kind)._repr_svg_()
    assert "has no command" in ckg("run", "s.db", status=2)

    # What the program tells is known here at once.
    ckg("tell", "s.db", "--study", "s", str(study.add({"x": 1, "y": 5}).number), "cost=6", "load=-1")
    assert study.trial(16).values == {"cost": 6, "load": -1}


@pytest.mark.as_released
def test_run_and_python_in_turn_are_one_run(folder: Path) -> None:
    """A study that `ckg run` begins, Python continues and `ckg run` ends is the one that `ckg run` alone makes."""
    write_problem(8)
    ckg("run", "s.yaml", "--quiet")
    with pyckg.open("s.yaml") as study:
        assert study.seed == 7 and study.outcomes == ["cost", "load"] and len(study) == 8
        study.optimize(evaluate, 13)
    write_problem(17)
    ckg("run", "s.yaml", "--quiet")
    together = told(pyckg.open("s.db"))

    ckg("run", "s.yaml", "--store", "alone.db", "--quiet")
    assert together == told(pyckg.open("s.yaml", store="alone.db"))

    # And so is one that was made here, in a store or in memory, asked and told by hand.
    for where in ({"store": "python.db", "name": "s"}, {"store": None}):
        study = make(**where)
        for _ in range(17):
            trial = study.ask()
            study.tell(trial, evaluate(**trial))
        assert [t[2:4] for t in told(study)] == [t[2:4] for t in together]


def test_the_program_evaluates_a_study_made_here(folder: Path) -> None:
    write_problem(9)
    study = make(budget=9, evaluate=[sys.executable, "evaluate.py"])
    study.tell(study.ask(), cost=1, load=1)
    ckg("run", "s.db", "--quiet")
    assert study.status()["complete"] == 9
    with pytest.raises(pyckg.StateError, match="budget of 9"):
        study.ask()


def test_two_handles_are_in_step(folder: Path) -> None:
    one, other = make(), make(seed=None)
    assert other.seed == 7
    trial = one.ask()
    other.tell(trial.number, cost=1, load=(2, 0.5))
    assert one.trial(1).state == "complete" and one.trial(1).sds == {"load": 0.5}
    with pytest.raises(pyckg.StateError, match="already complete"):
        one.tell(trial, cost=1, load=2)

    # Mistakes are mended, and that is taken back.
    one.correct(1, cost=3, note="a slip")
    assert other.trial(1).values["cost"] == 3
    assert "--replace" in other.undo()
    assert one.trial(1).values["cost"] == 1
    one.discard(1)
    assert len(one) == 1 and other.best() is None and other.trial(1).state == "discarded"
    one.restore(1)
    one.retry(1)
    assert other.trial(1).state == "pending"
    with pytest.raises(pyckg.StateError, match="only a study with a store"):
        make(store=None).undo()


def test_changed_minds(folder: Path) -> None:
    """Limits and ranges change in place, as `ckg change` has it; the trials stay."""
    study = make()
    study.optimize(evaluate, 8)
    feasible = sum(t.feasible is True for t in study.trials(frame=False))
    said = study.change(constraints={"load": (None, 2), "width": (None, 9)}, parameters={"x": pyckg.Real(0.5, 7)})
    assert any("load" in line for line in said) and study.outcomes == ["cost", "load", "width"]
    assert len(study) == 8 and study.parameters["x"].high == 7
    assert json.loads(ckg("trials", "s.db", "--json").splitlines()[0])["feasible"] is None
    assert "change" in study.undo() and study.outcomes == ["cost", "load"] and study.parameters["x"].high == 6
    study.change(constraints={"load": (None, 2), "width": (None, 9)})
    study.change(constraints={"width": None})
    assert sum(t.feasible is True for t in study.trials(frame=False)) >= feasible
    study.tell(study.ask(), cost=1, load=3)
    assert len(study) == 9
    with pytest.raises(pyckg.CkgError, match="no new parameter"):
        study.change(was={"z": 1})
    study.change(parameters={"z": pyckg.Integer(1, 3)}, was={"z": 2})
    assert study.trial(1)["z"] == 2 and "z" in study.ask().parameters
    with pytest.raises(pyckg.StateError, match="another program has changed"):
        other = pyckg.open("s.db")
        study.change(constraints={"load": (None, 1)})
        other.ask()
    study.ask()  # nobody keeps the turn
    write_problem(9)
    with pytest.raises(pyckg.StateError, match="problem file"):
        by_file = pyckg.open("s.yaml", store="file.db")
        by_file.ask()
        by_file.change(constraints={"load": (None, 1)})


def test_what_is_said_again_goes_on(folder: Path) -> None:
    """The same call opens the study; the budget and the policy may change, the problem may not."""
    make().ask()
    study = make(budget=3, policy="sobol")
    assert len(study) == 1 and json.loads(ckg("status", "s.db", "--json"))["policy"] == "sobol"
    assert pyckg.open("s.db")._backend.options.budget == 3
    with pytest.raises(pyckg.InvalidError, match="another"):
        pyckg.Study({"x": pyckg.Real(0, 1)}, "cost", store="s.db")
    assert len(pyckg.Study({"x": pyckg.Real(0, 1)}, "cost", store="s.db", name="t")) == 0
    with pytest.raises(pyckg.InvalidError, match="'s', 't'"):
        pyckg.open("s.db")
    assert len(pyckg.open("s.db", name="s")) == 1


def test_a_problem_file_without_a_store(folder: Path) -> None:
    """Looking at it writes nothing; the first design begins the study."""
    write_problem(3)
    study = pyckg.open("s.yaml")
    assert len(study) == 0 and study.best() is None and not Path("s.db").exists()
    with pytest.raises(pyckg.StateError):
        study.recommend()
    assert study.ask().number == 1 and len(pyckg.open("s.db")) == 1

    # A problem that the file changed is the business of `ckg change`.
    Path("s.yaml").write_text(Path("s.yaml").read_text().replace("max: 0", "max: 1"))
    with pytest.raises(pyckg.InvalidError, match="ckg change"):
        pyckg.open("s.yaml")


def test_what_ckg_once_was(folder: Path) -> None:
    """A study of when `ckg` was the name of `auto`, by a file that still says so, goes on and says it once."""
    stores = Path(__file__).parents[2] / "tests" / "app" / "stores"
    with sqlite3.connect("six.db") as store:
        store.executescript((stores / "version-6.sql").read_text())
    store.close()
    Path("six.yaml").write_text(
        "name: six\ngoal: minimize\nbudget: 10\ninitial: 4\npolicy: ckg\nseed: 5\n"
        "parameters: {x: {type: real, low: 0, high: 1}}\nobjective: {name: f, noise: none}\n"
        "constraints: {c: {max: 0.25, noise: none}}\n"
    )
    with pytest.warns(UserWarning, match="it goes on by `auto`; `ckg change --yes six.yaml` takes"):
        assert pyckg.open("six.yaml").ask().parameters["x"] == 0.4500040766413988
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pyckg.open("six.yaml").ask()


def test_options_are_kept(folder: Path) -> None:
    """All that a study is told of its ways is in the store, as its own."""
    how: dict[str, Any] = {"samples": 4, "warp": False, "penalty": 3.5, "fit": "map", "final_policy": "nei"}
    how |= {"policy": "ckg", "settings": {"points": 50}, "budget": 12, "failures": "ignore"}
    options = make(**how)._backend.options
    assert options == make(**how)._backend.options == pyckg.open("s.db")._backend.options
    assert options.named == {"samples": "4", "warp": "false", "penalty": "3.5", "fit": "map", "final_policy": "nei"}
    assert options.settings == {"points": 50} and options.budget == 12 and options.initial == 6
    with pytest.raises(pyckg.InvalidError, match="kernel"):
        make(kernel="nonsense")


def test_pickled_and_forked(folder: Path) -> None:
    study = make()
    trial = study.ask()
    os.mkdir("elsewhere")
    sent = pickle.dumps(study)
    os.chdir("elsewhere")
    copy = pickle.loads(sent)
    copy.tell(trial.number, cost=1, load=1)

    assert wait_for(in_child(lambda: study.tell(study.ask(), cost=2, load=2))) == 0
    assert [t.values.get("cost") for t in study.trials(frame=False)] == [1, 2]
    study.close()
    with pytest.raises(pyckg.StateError, match="closed"):
        study.ask()


# --- many processes, any moment ---


def progress() -> int:
    """How many lines the processes have written."""
    return sum(len(Path(name).read_text().splitlines()) for name in ("told", "log") if Path(name).exists())


def test_killed_at_any_moment(folder: Path) -> None:
    """Tens of kills while it asks, evaluates and tells: what was told is there, and the study goes on to its budget."""

    def work() -> None:
        study = make(policy="sobol")
        by_hand = study.ask()
        study.tell(by_hand, cost=0, load=1)
        with open("told", "a") as file:
            file.write(f"{by_hand.number}\n")
        study.optimize(slowly, 10_000)

    def slowly(x: float, y: float) -> dict[str, float]:
        time.sleep(0.003)
        return evaluate(x, y)

    # Each dies some time after it has come so far: told by hand, or evaluated some.
    chance = random.Random(5)
    for _ in range(30):
        far = progress() + chance.randrange(5)
        child = in_child(work)
        while progress() < far:
            assert os.waitpid(child, os.WNOHANG) == (0, 0)  # else it would never come so far
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.006))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    study = make(policy="sobol")
    for trial in study.trials(frame=False):
        if trial.state == "pending":  # asked for by hand, and nobody else's
            study.tell(trial, failed="killed")
    budget = len(study) + 5
    study.optimize(slowly, budget)
    trials = study.trials(frame=False)
    assert [t.number for t in trials] == list(range(1, len(trials) + 1)) and len(trials) == budget
    assert all(t.state in ("complete", "failed") for t in trials)
    for number in map(int, Path("told").read_text().split()):
        assert trials[number - 1].values["cost"] == 0
    ckg("status", "s.db")


def test_several_processes_at_once(folder: Path) -> None:
    """Three of Python and a `ckg run`: the budget is spent exactly, and no design is evaluated twice."""
    write_problem(30)
    make(budget=30, evaluate=[sys.executable, "evaluate.py"])
    run = subprocess.Popen([PROGRAM, "run", "s.db", "--quiet"]) if PROGRAM else None
    children = [in_child(lambda: make(seed=None).optimize(evaluate, 30, workers=2)) for _ in range(3)]
    assert [wait_for(child) for child in children] == [0, 0, 0]
    assert run is None or run.wait() == 0
    study = make()
    assert len(study) == 30 and study.status()["complete"] == 30
    evaluated = [tuple(json.loads(line).values()) for line in Path("log").read_text().splitlines()]
    assert len(evaluated) == len(set(evaluated)) == 30
    assert sorted(evaluated) == sorted(tuple(t.parameters.values()) for t in study.trials(frame=False))


def interrupt_when_it_waits(*_: object) -> None:
    """When all is complete but what another has; looked at in another process, for here the study is at work."""
    code = """import sqlite3
print(*sqlite3.connect("s.db").execute("SELECT COUNT(*) FROM trial WHERE state = 'complete'").fetchone())"""
    if int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) == 5:
        raise KeyboardInterrupt
    signal.setitimer(signal.ITIMER_REAL, 0.1)


def test_ctrl_c_gives_back(folder: Path) -> None:
    """Interrupted in the evaluation, or while it waits for another process: the study goes on."""
    study = make()

    def interrupt(x: float, y: float) -> dict[str, float]:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
        raise AssertionError

    with pytest.raises(KeyboardInterrupt):
        study.optimize(interrupt, 6)
    assert study.trial(1).state == "pending"

    other = make()
    taken = other._take(6, True)
    assert taken is not None and taken.number == 1
    signal.signal(signal.SIGALRM, interrupt_when_it_waits)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(KeyboardInterrupt):
        study.optimize(evaluate, 6)
    assert [t.state for t in study.trials(frame=False)] == ["running"] + ["complete"] * 5
    other.close()
    study.optimize(evaluate, 6)
    assert study.status()["complete"] == 6


# --- what is wrong, what is odd ---


def test_wrong_files(folder: Path) -> None:
    Path("text.db").write_text("nonsense " * 100)
    Path("wrong.yaml").write_text("name: {}")
    for study, words in (
        ("none.db", "No such file"),
        ("none.yaml", "No such file"),
        ("text.db", "not a database"),
        ("wrong.yaml", "wrong.yaml:1:"),
        (str(folder), "directory"),
        ("sqlite:", "a store is a file"),
    ):
        with pytest.raises(pyckg.CkgError, match=words) as caught:
            pyckg.open(study)
        assert "\n" not in str(caught.value)
    for store in (3, "", "nowhere/s.db", "text.db", "postgresql://host/db", b"s.db"):
        with pytest.raises(pyckg.CkgError):
            make(store=store)
    for more in ({"name": 3}, {"name": "a\nb"}, {"evaluate": [1]}, {"evaluate": "ls"}, {"evaluate": {"comand": []}}):
        with pytest.raises(pyckg.CkgError):
            make(**more)
    with pytest.raises(pyckg.CkgError, match="which study"):
        pyckg.open()


def test_wrong_calls(folder: Path) -> None:
    """Each is an exception of the family, in one line, and changes nothing."""
    study = make(name="s")
    study.tell(study.ask(), cost=1, load=1)
    odd: Any = study
    calls: list[Callable[[], object]] = [
        odd.discard,
        lambda: odd.discard("x"),
        lambda: odd.discard(99),
        lambda: odd.discard(1, note=3),
        lambda: odd.restore(1),
        lambda: odd.retry(-1),
        lambda: odd.correct(1),
        lambda: odd.correct(99, cost=1),
        lambda: odd.correct(1, price=1),
        lambda: odd.correct(1, cost="much"),
        lambda: odd.correct(1, failed=3),
        lambda: odd.undo(yes=1),
        lambda: odd.tell(1, cost=1),
        lambda: odd.tell(5, cost=1),
        lambda: odd.tell(1, failed="why"),
        lambda: odd.cancel(1),
        lambda: odd.add({"x": 1, "y": 99}),
        lambda: odd.plot(3),
        lambda: odd.plot("pie"),
        lambda: odd.plot(x=3),
        lambda: odd.plot(x="x", y="x"),
        lambda: odd.plot("acquisition", policy="luck"),
        lambda: odd.change(constraints=3),
        lambda: odd.change(constraints={"load": 3}),
        lambda: odd.change(parameters={"x": 3}),
        lambda: odd.change(noise="loud"),
        lambda: odd.change(rules=["x <"]),
        lambda: odd.change(was=[]),
        lambda: odd.trial(7),
        lambda: odd.optimize(evaluate, 0),
        lambda: pyckg.open(3),  # type: ignore[arg-type]
        lambda: pyckg.open("s.db", threads=-1),
        lambda: pyckg.open("s.db", name="t"),
        lambda: pyckg.open("s.db", store="s.db"),
        lambda: pyckg.open("s\0.db"),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(pyckg.CkgError) as caught:
            call()
        assert str(caught.value) and "\n" not in str(caught.value), number
    study.close()
    for call in (odd.report, odd.status, odd.frontier, odd.undo, lambda: odd.store, lambda: odd.discard(1)):
        with pytest.raises(pyckg.StateError, match="closed"):
            call()
    assert [(t.state, t.values) for t in make().trials(frame=False)] == [("complete", {"cost": 1, "load": 1})]


def test_a_store_that_cannot_be_written() -> None:
    """It is read; what would change it is refused in one line."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        store = Path(name) / "s.db"
        study = make(store=store)
        study.optimize(lambda x, y: {"cost": x + y, "load": 4 - x * y}, 8)
        study.close()
        for path in Path(name).iterdir():
            path.chmod(0o444)
        os.chmod(name, 0o555)

        def look() -> None:
            if os.getuid() == 0:
                os.setuid(65534)
            kept = pyckg.open(store)
            assert len(kept) == 8 and kept.recommend().evaluations == 8
            with pytest.raises(pyckg.RefusedError, match=r"s\.db"):
                kept.ask()

        assert wait_for(in_child(look)) == 0
        os.chmod(name, 0o755)


def test_odd_names_and_values(folder: Path) -> None:
    """Quotes, markup and the like are nothing but text, wherever they go."""
    odd = ["a \"b'", "<script>alert(1)</script>", "ü{x}\\n", "no: [yaml]"]
    kinds = ["<b>", "8", 8, True, 2.5, None, ("a", 1)]
    made = pyckg.Study(
        {odd[0]: pyckg.Real(0.1, 1, log=True), odd[1]: pyckg.Integer(2, 16, step=2), odd[2]: pyckg.Categorical(kinds)},
        odd[3],
        {"=load=": (0.25, None)},
        rules=[f"`{odd[0]}` <= 0.9"],
        constants={"lot": 3},
        noise={odd[3]: 0.1},
        positive=[odd[3]],
        designs=[{odd[0]: 0.3, odd[1]: 4, odd[2]: ("a", 1)}],
        store="odd name's.db",
        seed=2**64 - 1,
        kernel="rbf",
    )
    first = made.ask()
    assert first.parameters == {odd[0]: 0.3, odd[1]: 4, odd[2]: ("a", 1)}
    for _ in range(7):
        trial = made.ask()
        made.tell(trial, {odd[3]: 1 + trial[odd[0]], "=load=": 1.0})
    made.tell(first, {odd[3]: 1, "=load=": None})

    again = pyckg.open("odd name's.db")
    assert again.seed == 2**64 - 1 and again.parameters[odd[0]] == made.parameters[odd[0]]
    assert again.parameters[odd[1]] == made.parameters[odd[1]] and again.outcomes == made.outcomes
    assert [type(v) for v in again.parameters[odd[2]].values] == [str, str, str, bool, float, str, str]
    assert again._backend.options.named == {"kernel": "rbf"} and again.trial(1)["lot"] == 3
    page = made.report()
    assert "<script>" not in page.html and "<b>heavy" not in page.html and "<iframe" in page._repr_html_()
    assert "<script>" not in page._repr_html_() and "<script>" not in made.plot().svg
    assert all(point.parameters is None or point.parameters[odd[2]] in kinds for point in made.frontier())
    with pytest.raises(pyckg.InvalidError, match="one line"):
        pyckg.Study({"a\nb": pyckg.Real(0, 1)}, store="new.db")


def test_a_study_in_memory_is_shown_the_same(folder: Path) -> None:
    kept, memory = make(name="study"), make(store=None)
    for study in (kept, memory):
        study.optimize(evaluate, 12)
        study.tell(study.ask(), failed="<script>")
        study.cancel(study.ask())
    for kind in ("convergence", "importance", "acquisition"):
        assert kept.plot(kind).svg == memory.plot(kind).svg
    assert kept.plot("map", x="y", y="x").svg != kept.plot("map").svg
    assert kept.frontier() == memory.frontier()
    assert {**at_rest(memory.status()), "store": kept.store} == at_rest(kept.status())
    page, other = memory.report().html, kept.report().html
    assert "sqlite:" not in page and "<script>" not in page and abs(len(page) - len(other)) < 200
    for what in ("pie", "map\0"):
        with pytest.raises(pyckg.CkgError):
            memory.plot(what)
    with pytest.raises(pyckg.NotFoundError, match="there is no parameter 'z'"):
        memory.plot("map", x="z")
