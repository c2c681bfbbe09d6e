"""A study in memory: asked, told, pickled."""

from __future__ import annotations

import pickle

import pyckg


def small_study(**more: object) -> pyckg.Study:
    """A study whose optimum is x = y = 2."""
    return pyckg.Study(
        {"x": pyckg.Real(0.5, 6), "y": pyckg.Real(0.5, 6)},
        "cost",
        {"load": (None, 0)},
        noise="none",
        seed=3,
        **more,
    )


def evaluate(study: pyckg.Study, times: int) -> None:
    for _ in range(times):
        t = study.ask()
        study.tell(t, cost=t["x"] + t["y"], load=4 - t["x"] * t["y"])


def test_the_optimum_is_found() -> None:
    study = small_study()
    evaluate(study, 25)
    found = study.recommend(probability=0.95)
    assert abs(found.objective.mean - 4) < 0.01
    assert found.probability_feasible >= 0.95


def test_a_pickled_study_goes_on_as_the_original() -> None:
    study = small_study()
    evaluate(study, 14)
    study.tell(study.ask(), failed="diverged")
    study.cancel(study.ask())
    study.ask()
    copy = pickle.loads(pickle.dumps(study))
    assert copy.trials(frame=False) == study.trials(frame=False)
    assert copy.ask() == study.ask()
