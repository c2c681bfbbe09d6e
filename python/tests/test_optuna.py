"""The Optuna sampler: Optuna's own tests of samplers, and what ours promises beyond them."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import pickle
import re
import runpy
import subprocess
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pyckg

optuna = pytest.importorskip("optuna")
pytest_samplers = pytest.importorskip("optuna.testing.pytest_samplers")

from optuna.distributions import (  # noqa: E402
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from pyckg.optuna import CkgSampler, _constraints, _published  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


class TestCkgSampler(
    pytest_samplers.BasicSamplerTestCase,
    pytest_samplers.RelativeSamplerTestCase,
    pytest_samplers.SingleOnlySamplerTestCase,
):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: CkgSampler(seed=1)


# --- what ours promises beyond them ---

MINIMUM = 0.5  # of x + y where x y >= 1/16


def hyperbola(trial: optuna.Trial) -> float:
    """x + y, to be minimised where x y >= 1/16: 0.5 at (1/4, 1/4)."""
    x = trial.suggest_float("x", 0, 1)
    y = trial.suggest_float("y", 0, 1)
    set_constraint(trial, "area", 1 / 16 - x * y)
    return x + y


def set_constraint(trial: optuna.Trial, name: str, value: float) -> None:
    """`trial.set_constraint`, also where Optuna is older."""
    if hasattr(trial, "set_constraint"):
        trial.set_constraint(name, value)
    else:
        trial.storage.set_trial_system_attr(trial._trial_id, f"constraints:{name}", value)


def without_constraints(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", 0, 1)
    y = trial.suggest_float("y", 0, 1)
    trial.set_user_attr("area", 1 / 16 - x * y)
    return x + y


def run(objective: Any, sampler: CkgSampler, trials: int, **options: Any) -> optuna.Study:
    study = optuna.create_study(sampler=sampler, **options)
    study.optimize(objective, n_trials=trials)
    return study


def mirrored(sampler: CkgSampler, study: optuna.Study) -> list[pyckg.Trial]:
    """The mirror's trials, once everything that finished is told."""
    sampler.sample_relative(study, study._storage.get_trial(study.ask()._trial_id), SQUARE)
    assert sampler._mirror is not None
    found: list[pyckg.Trial] = sampler._mirror.study.trials(frame=False)
    return found


SQUARE: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}


def add(study: optuna.Study, x: float, y: float, state: TrialState, value: float | None = None, **more: Any) -> None:
    trial = optuna.trial.create_trial(params={"x": x, "y": y}, distributions=SQUARE, state=state, value=value, **more)
    study.add_trial(trial)


def test_a_constrained_optimum_is_found() -> None:
    study = run(hyperbola, CkgSampler(noise="none", seed=1), 30)
    feasible = [t for t in study.trials if t.system_attrs["constraints"][0] <= 0]
    best = min(t.value for t in feasible)
    assert MINIMUM <= best < MINIMUM + 1e-4


def test_recommendation_in_optunas_words() -> None:
    sampler = CkgSampler(noise="none", seed=1)
    study = run(hyperbola, sampler, 30)
    found = sampler.recommend(study)
    assert set(found.parameters) == {"x", "y"}
    assert set(found.constraints) == {"area"}
    assert found.parameters["x"] + found.parameters["y"] == pytest.approx(MINIMUM, abs=1e-3)
    assert found.probability_feasible > 0.5


def test_both_ways_to_state_constraints_are_one() -> None:
    named = run(hyperbola, CkgSampler(seed=3), 15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # ours does not warn of its own argument
        sampler = CkgSampler(constraints_func=lambda t: [t.user_attrs["area"]], seed=3)
    listed = run(without_constraints, sampler, 15)
    assert [t.params for t in named.trials] == [t.params for t in listed.trials]


def test_constraints_are_stored_for_those_who_read_the_list() -> None:
    def objective(trial: optuna.Trial) -> float:
        for name, value in (("b", 2.0), ("a", -1.0)):
            set_constraint(trial, name, value)
        return trial.suggest_float("x", 0, 1)

    study = run(objective, CkgSampler(seed=1, constraints_func=lambda _: (5.0,)), 2)
    for trial in study.trials:
        assert trial.system_attrs["constraints"] == [5.0, -1.0, 2.0]
        assert _constraints(trial) == {"0": 5.0, "a": -1.0, "b": 2.0}


def test_constraints_func_is_checked() -> None:
    with pytest.raises(ValueError, match="constraint is NaN"):
        run(without_constraints, CkgSampler(constraints_func=lambda _: [float("nan")]), 1)


def test_a_constraint_that_appears_later_is_modelled() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.number >= 5:
            set_constraint(trial, "late", x - 0.5)
        return -x

    sampler = CkgSampler(seed=1, noise="none")
    study = run(objective, sampler, 25)
    assert sampler._mirror is not None
    assert sampler._mirror.constraint_names == ("late",)
    assert max(t.params["x"] for t in study.trials[5:] if t.params["x"] <= 0.5) > 0.499


def test_every_kind_of_parameter() -> None:
    space: dict[str, BaseDistribution] = {
        "real": FloatDistribution(-1, 1),
        "log": FloatDistribution(1e-7, 1, log=True),
        "step": FloatDistribution(-10.2, 10.2, step=0.1),
        "int": IntDistribution(-3, 3),
        "int log": IntDistribution(1, 1024, log=True),
        "int step": IntDistribution(0, 9, step=3),
        "category": CategoricalDistribution((None, True, 1.5, "text", 7)),
        "fixed": FloatDistribution(2, 2),
        "many": CategoricalDistribution(tuple(range(200))),
        "huge": IntDistribution(0, 2**60),
    }
    study = optuna.create_study(sampler=CkgSampler(seed=1, n_startup_trials=5, warn_independent_sampling=False))
    for _ in range(12):
        trial = study.ask(space)
        for name, distribution in space.items():
            assert distribution._contains(distribution.to_internal_repr(trial.params[name]))
        study.tell(trial, trial.params["real"] + trial.params["int"])
    assert study.best_value < -3.9


def test_running_trials_are_pending_for_other_workers() -> None:
    storage = optuna.storages.InMemoryStorage()
    run(hyperbola, CkgSampler(seed=1), 12, storage=storage, study_name="shared")
    designs = []
    for _ in range(4):  # each a worker of its own, with the same seed
        other = optuna.load_study(study_name="shared", storage=storage, sampler=CkgSampler(seed=1))
        params = other.ask(SQUARE).params
        designs.append((params["x"], params["y"]))
    assert len(set(designs)) == 4


def test_what_was_suggested_is_published() -> None:
    study = run(hyperbola, CkgSampler(seed=1), 3)
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)  # from here on the others must know y as well
    (waiting,) = study.get_trials(states=(TrialState.RUNNING,))
    assert _published(SQUARE, waiting) == (x, trial.suggest_float("y", 0, 1))


def test_the_later_of_two_equal_suggestions_yields(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers that look at the same moment: the second sees the first one's design only after its own."""
    space: dict[str, BaseDistribution] = {"x": CategoricalDistribution(("a", "b"))}
    study = optuna.create_study(sampler=CkgSampler(seed=1, search_space=space))
    first = study.ask(space)
    get_trials = study.get_trials
    looked: list[int] = []

    def late(*args: Any, **options: Any) -> list[optuna.trial.FrozenTrial]:
        looked.append(1)
        return [t for t in get_trials(*args, **options) if len(looked) > 1 or t.number != first.number]

    monkeypatch.setattr(study, "get_trials", late)
    study.sampler = CkgSampler(seed=1, search_space=space)
    assert study.ask(space).params != first.params


def test_failures_are_modelled_or_ignored() -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x > 0.4:
            raise RuntimeError("diverged")
        return -x

    def failed(failures: str) -> int:
        study = optuna.create_study(sampler=CkgSampler(seed=1, failures=failures, noise="none"))
        study.optimize(objective, n_trials=25, catch=(RuntimeError,))
        return sum(t.state == TrialState.FAIL for t in study.trials[12:])

    assert failed("model") < failed("ignore")


def test_noise_is_told() -> None:
    sampler = CkgSampler(seed=1, noise_func=lambda t: t.user_attrs["variance"])
    study = optuna.create_study(sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        trial.set_user_attr("variance", 0.25)
        return without_constraints(trial)

    study.optimize(objective, n_trials=3)
    assert [t.sds for t in mirrored(sampler, study)[:3]] == [{"value": 0.5}] * 3
    with pytest.raises(ValueError, match="noise_func must return a variance"):
        run(without_constraints, CkgSampler(noise_func=lambda _: -1.0), 1)


def test_pruned_and_infinite_trials() -> None:
    sampler = CkgSampler(seed=1)
    study = optuna.create_study(sampler=sampler)
    inf = float("inf")
    for i, value in enumerate((1.0, 2.0, 3.0)):
        add(study, 0.1 * i, 0.5, TrialState.COMPLETE, value)
    add(study, 0.4, 0.5, TrialState.PRUNED, intermediate_values={1: 9.0}, value=9.0)
    add(study, 0.5, 0.5, TrialState.PRUNED, intermediate_values={1: 0.5}, value=0.5)  # better than its peers: not yet
    add(study, 0.6, 0.5, TrialState.PRUNED)
    add(study, 0.7, 0.5, TrialState.COMPLETE, inf)
    add(study, 0.8, 0.5, TrialState.COMPLETE, -inf)
    add(study, 0.9, 0.5, TrialState.COMPLETE, inf, system_attrs={"constraints": [0.25]})
    add(study, 1.0, 0.5, TrialState.COMPLETE, 4.0, system_attrs={"constraints": [inf]})
    told = mirrored(sampler, study)
    assert [(t.state, t.values) for t in told[3:9]] == [
        ("complete", {"value": 9.0}),
        ("complete", {"value": 2.0}),
        ("failed", {}),
        ("failed", {}),
        ("complete", {"c0": 0.25}),
        ("complete", {"value": 4.0}),
    ]


def test_several_objectives_are_refused_in_words() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=CkgSampler())
    with pytest.raises(ValueError, match="one objective, but this study has 2: make all but one a constraint"):
        study.optimize(lambda t: (t.suggest_float("x", 0, 1), 0.0), n_trials=1)


def test_wrong_arguments_are_refused_at_once() -> None:
    wrong = {"policy": "ckgg", "failures": "hide", "noise": "loud", "threads": -1, "n_startup_trials": -5}
    for name, value in wrong.items():
        with pytest.raises(ValueError, match="initial" if name == "n_startup_trials" else name):
            CkgSampler(**{name: value})


def test_a_finite_space_is_exhausted_before_anything_is_repeated(caplog: pytest.LogCaptureFixture) -> None:
    def objective(trial: optuna.Trial) -> float:
        return trial.suggest_int("n", 0, 2) + trial.suggest_categorical("c", [0.0, 0.5])

    study = run(objective, CkgSampler(seed=1, noise="none"), 9)
    designs = [(t.params["n"], t.params["c"]) for t in study.trials]
    assert len(set(designs[:6])) == 6
    assert len([r for r in caplog.records if "every design of this finite space" in r.message]) == 1


def test_maximize() -> None:
    sampler = CkgSampler(seed=1, noise="none")
    study = run(lambda t: -((t.suggest_float("x", 0, 1) - 0.3) ** 2), sampler, 20, direction="maximize")
    assert study.best_params["x"] == pytest.approx(0.3, abs=1e-3)


def test_conditional_parameters_by_the_independent_sampler(caplog: pytest.LogCaptureFixture) -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        return x + (trial.suggest_float("low", 0, 1) if x < 0.5 else trial.suggest_float("high", 0, 1))

    study = run(objective, CkgSampler(seed=1), 12)
    assert all(t.state == TrialState.COMPLETE for t in study.trials)
    assert any("is drawn by RandomSampler" in r.message for r in caplog.records)


def test_an_enqueued_design_is_evaluated_and_learnt() -> None:
    sampler = CkgSampler(seed=1)
    study = run(hyperbola, sampler, 3)
    study.enqueue_trial({"x": 0.25, "y": 0.25})
    study.enqueue_trial({"x": 0.125})
    study.optimize(hyperbola, n_trials=2)
    assert study.trials[3].params == {"x": 0.25, "y": 0.25}
    assert study.trials[4].params["x"] == 0.125
    told = [t.parameters for t in mirrored(sampler, study) if t.state == "complete"]
    assert [(p["x0"], p["x1"]) for p in told] == [(t.params["x"], t.params["y"]) for t in study.trials[:5]]


def test_a_space_given_beforehand() -> None:
    study = optuna.create_study(sampler=CkgSampler(seed=1, search_space=SQUARE, noise="none"))
    study.optimize(hyperbola, n_trials=10)
    first = [sorted(int(10 * t.params[name]) for t in study.trials) for name in SQUARE]
    assert first == [list(range(10))] * 2  # a Latin hypercube from the first trial on


def test_seeds() -> None:
    same = [run(hyperbola, CkgSampler(seed=seed), 14) for seed in (5, 5, 6)]
    params = [[t.params for t in study.trials] for study in same]
    assert params[0] == params[1] != params[2]
    sampler = CkgSampler(seed=5)
    sampler.reseed_rng()
    assert [t.params for t in run(hyperbola, sampler, 14).trials] != params[0]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_goes_on_where_the_sampler_was(copied: Callable[[CkgSampler], CkgSampler]) -> None:
    sampler = CkgSampler(seed=2)
    study = run(hyperbola, sampler, 16)
    study.sampler = copied(sampler)
    study.optimize(hyperbola, n_trials=4)
    straight = run(hyperbola, CkgSampler(seed=2), 20)
    assert [t.params for t in study.trials] == [t.params for t in straight.trials]


def test_the_mirror_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it again costs as much as all evaluations so far: 0.6 s at 200 trials."""
    made = []
    monkeypatch.setattr(pyckg, "Study", lambda *a, _new=pyckg.Study, **k: made.append(1) or _new(*a, **k))
    run(hyperbola, CkgSampler(seed=1), 20)
    assert len(made) == 2  # one to check the arguments, one for the trials


def test_a_sampler_may_be_used_for_another_study() -> None:
    sampler = CkgSampler(seed=4)
    run(hyperbola, sampler, 12)
    again = run(hyperbola, sampler, 12)
    assert [t.state for t in mirrored(sampler, again)].count("complete") == 12


def test_threads_share_a_sampler() -> None:
    study = optuna.create_study(sampler=CkgSampler(seed=1, noise="none"))
    study.optimize(hyperbola, n_trials=24, n_jobs=4)
    assert len({tuple(t.params.values()) for t in study.trials}) == 24


WORKERS = """
import multiprocessing, sys
import optuna
from pyckg.optuna import CkgSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)

def storage(path):
    if path.endswith(".db"):
        return optuna.storages.RDBStorage(f"sqlite:///{path}", engine_kwargs={"connect_args": {"timeout": 900}})
    from optuna.storages.journal import JournalFileBackend
    return optuna.storages.JournalStorage(JournalFileBackend(path))

def objective(trial):
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    if hasattr(trial, "set_constraint"):
        trial.set_constraint("area", 1 / 16 - x * y)
    return x + y

def work(path):
    study = optuna.load_study(study_name="shared", storage=storage(path), sampler=CkgSampler(noise="none"))
    study.optimize(objective, n_trials=3)

if __name__ == "__main__":
    path = sys.argv[1]
    optuna.create_study(study_name="shared", storage=storage(path))
    workers = [multiprocessing.get_context("fork").Process(target=work, args=(path,)) for _ in range(10)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(worker.exitcode == 0 for worker in workers), [worker.exitcode for worker in workers]
    trials = optuna.load_study(study_name="shared", storage=storage(path)).trials
    assert [t.number for t in trials] == list(range(30))
    assert all(t.state == optuna.trial.TrialState.COMPLETE for t in trials)
    assert len({(t.params["x"], t.params["y"]) for t in trials}) == 30
"""


@pytest.mark.parametrize("file", ["journal.log", pytest.param("study.db", marks=pytest.mark.in_full)])
def test_ten_workers(file: str, tmp_path: Path) -> None:
    script = tmp_path / "workers.py"
    script.write_text(WORKERS)
    subprocess.run([sys.executable, str(script), str(tmp_path / file)], check=True, timeout=3000)


# --- the folder for OptunaHub ---

needs_optuna_5 = pytest.mark.skipif(not hasattr(optuna.Trial, "set_constraint"), reason="it sets constraints by name")
FOLDER = Path(__file__).parents[1] / "optunahub/package/samplers/ckg"


def load_folder(path: str) -> Any:
    """What optunahub.load_module does, without a network."""
    assert path == "samplers/ckg"
    spec = importlib.util.spec_from_file_location("optunahub_ckg", FOLDER / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@needs_optuna_5
def test_the_example_for_optunahub(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "optunahub", types.SimpleNamespace(load_module=load_folder))
    runpy.run_path(str(FOLDER / "example.py"), run_name="__main__")
    said = re.search(r"best feasible trial: (\S+)", capsys.readouterr().out)
    assert said is not None
    assert 0.012665 <= float(said[1]) < 0.0131  # the optimum is 0.0126652


@needs_optuna_5
def test_the_readme_for_optunahub(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FOLDER / "README.md").read_text()
    for key in ("author", "title", "description", "tags", "optuna_versions", "license"):
        assert re.search(rf"^{key}: \S", text, re.MULTILINE)
    arguments = [name for name in inspect.signature(CkgSampler).parameters if f"{name}=" not in text]
    assert arguments == []
    monkeypatch.setitem(sys.modules, "optunahub", types.SimpleNamespace(load_module=load_folder))
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
