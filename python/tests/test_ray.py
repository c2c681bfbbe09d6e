"""CkgSearch in Ray Tune; left out where Ray is not installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.tune", reason="Ray is not installed")

import ray
from ray import tune
from ray.tune.search import ConcurrencyLimiter, Searcher

import pyckg
from pyckg.ray import CkgSearch, _read_space

SQUARE = {"x": tune.uniform(0, 1), "y": tune.uniform(0, 1)}
LIMIT = {"area": (1 / 16, None)}  # x + y is least where x y = 1/16: 0.5 at (1/4, 1/4)


def hyperbola(config: dict[str, Any]) -> dict[str, float]:
    return {"sum": config["x"] + config["y"], "area": config["x"] * config["y"]}


def make(**options: Any) -> CkgSearch:
    return CkgSearch(SQUARE, metric="sum", mode="min", constraints=LIMIT, noise="none", seed=1, **options)


def drive(search: CkgSearch, first: int, last: int) -> list[dict[str, Any]]:
    """As Ray does, one at a time."""
    made = []
    for i in range(first, last):
        config = search.suggest(str(i))
        made.append(config)
        search.on_trial_complete(str(i), hyperbola(config))
    return made


def test_the_optimum_within_limits() -> None:
    search = make()
    drive(search, 0, 25)
    best = search.study.best()
    assert 0.5 <= best.values["sum"] < 0.5001


def test_saved_and_restored_it_goes_on_with_the_same_suggestions(tmp_path: Path) -> None:
    straight = drive(make(), 0, 16)
    search = make()
    drive(search, 0, 12)
    under_way = search.suggest("12")
    search.save(str(tmp_path / "state"))
    other = CkgSearch()
    other.restore(str(tmp_path / "state"))
    other.on_trial_complete("12", hyperbola(under_way))
    assert [under_way, *drive(other, 13, 16)] == straight[12:]


def test_what_becomes_of_trials() -> None:
    search = make(sds={"sum": "sum_sd"}, points_to_evaluate=[{"x": 0.5, "y": 0.5}])
    assert search.suggest("given") == {"x": 0.5, "y": 0.5}
    for name in "abcde":
        search.suggest(name)
    search.on_trial_complete("given", {"sum": 1.0, "sum_sd": 0.25, "area": math.inf})
    search.on_trial_complete("a", {"sum": math.nan, "area": 0.5})
    search.on_trial_complete("b", {"sum": math.nan})
    search.on_trial_complete("c", error=True)
    search.on_trial_complete("d")
    search.on_trial_complete("nobody", {"sum": 1.0})
    search.add_evaluated_point({"x": 0.1, "y": 0.2}, 0.3)
    told = search.study.trials(frame=False)
    assert [(t.state, t.values) for t in told] == [
        ("complete", {"sum": 1.0}),
        ("complete", {"area": 0.5}),
        ("failed", {}),
        ("failed", {}),
        ("discarded", {}),
        ("pending", {}),
        ("complete", {"sum": 0.3}),
    ]
    assert told[0].sds == {"sum": 0.25}


def test_spaces() -> None:
    space, fixed = _read_space(
        {
            "real": tune.uniform(-1, 1),
            "log": tune.loguniform(1e-3, 1),
            "step": tune.quniform(0, 1, 0.25),
            "nested": {"int": tune.randint(0, 5), "steps": tune.qrandint(0, 10, 5), "logint": tune.lograndint(1, 100)},
            "choice": tune.choice(["a", None, 3]),
            "ours": pyckg.Real(2, 3),
            "constant": 7,
        }
    )
    assert space == {
        "real": pyckg.Real(-1, 1),
        "log": pyckg.Real(1e-3, 1, log=True),
        "step": pyckg.Real(0, 1, step=0.25),
        "nested/int": pyckg.Integer(0, 4),
        "nested/steps": pyckg.Integer(0, 10, step=5),
        "nested/logint": pyckg.Integer(1, 99, log=True),
        "choice": pyckg.Categorical(["a", None, 3]),
        "ours": pyckg.Real(2, 3),
    }
    assert fixed == {"constant": 7}


def test_nested_configurations_and_a_finite_space() -> None:
    search = CkgSearch({"a": {"b": tune.choice([1, 2])}, "c": 9}, metric="m", mode="max", noise="none", seed=1)
    first, second = search.suggest("1"), search.suggest("2")
    assert sorted([first["a"]["b"], second["a"]["b"]]) == [1, 2]
    assert first["c"] == 9
    assert search.suggest("3") is None  # both are under way
    for name in "12":
        search.on_trial_complete(name, {"m": 1.0})
    assert search.suggest("3") == Searcher.FINISHED


def test_what_is_refused() -> None:
    wrong = {"x is a grid search": tune.grid_search([1, 2]), "x is Float by Normal": tune.randn()}
    for words, domain in wrong.items():
        with pytest.raises(ValueError, match=words):
            CkgSearch({"x": domain}, metric="m", mode="min")
    with pytest.raises(ValueError, match="one metric"):
        CkgSearch(SQUARE, metric=["a", "b"], mode=["min", "min"])
    with pytest.raises(RuntimeError, match="no study before it knows"):
        CkgSearch().suggest("1")


def test_a_tuner_from_end_to_end(tmp_path: Path) -> None:
    def evaluate(config: dict[str, Any]) -> dict[str, float]:  # here, so that workers get it whole
        return {"sum": config["x"] + config["y"], "area": config["x"] * config["y"]}

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        search = CkgSearch(constraints=LIMIT, noise="none", seed=1)
        tuner = tune.Tuner(
            evaluate,
            param_space=SQUARE,
            tune_config=tune.TuneConfig(
                metric="sum", mode="min", search_alg=ConcurrencyLimiter(search, 2), num_samples=14
            ),
            run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
        )
        results = tuner.fit()
        assert len(results) == 14
        assert results.num_errors == 0
        told = search.study.trials(frame=False)
        assert [t.state for t in told] == ["complete"] * 14
        assert sorted(r.metrics["sum"] for r in results) == sorted(t.values["sum"] for t in told)
    finally:
        ray.shutdown()
