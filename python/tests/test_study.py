"""A study in memory: asked, told, pickled."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest

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


def test_a_trial_says_who_chose_it_and_why() -> None:
    study = small_study()
    asked = []
    for _ in range(14):
        asked.append(study.ask())
        study.tell(asked[-1], cost=asked[-1]["x"] + asked[-1]["y"], load=4 - asked[-1]["x"] * asked[-1]["y"])
    mine = study.add({"x": 5, "y": 5})
    assert asked[0].chosen_by == "initial" and "initial design" in asked[0].reason
    assert asked[-1].chosen_by not in ("", "initial", "user") and asked[-1].reason.endswith(".")
    assert (mine.chosen_by, mine.reason) == ("user", "")
    kept = study.trials(frame=False)
    assert [(t.chosen_by, t.reason) for t in kept] == [(t.chosen_by, t.reason) for t in (*asked, mine)]


def test_a_frame_of_trials() -> None:
    pandas = pytest.importorskip("pandas")
    study = pyckg.Study({"state": pyckg.Real(0, 1), "k": pyckg.Integer(1, 9)}, "why", {"load": (None, 0)}, seed=1)
    study.tell(study.add({"state": 0.5, "k": 3}), why=2.0)
    study.tell(study.ask(), failed="too hot")
    frame = study.trials()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["trial", "state", "state", "k", "why", "load", "feasible", "origin", "why"]
    assert frame.iloc[0, 2] == 0.5 and frame.iloc[0, 4] == 2 and pandas.isna(frame.iloc[0, 5])
    assert frame.iloc[1, 1] == "failed" and frame.iloc[1, 8] == "too hot"


def test_predictions_of_one_and_of_many() -> None:
    study = small_study()
    evaluate(study, 12)
    design = {"x": 2.0, "y": 3.0}
    one = study.predict(design)
    assert study.predict([design, study.trial(1)])[0] == one and study.predict([]) == []
    assert study.score([design]) == [study.score(design)]
    pandas = pytest.importorskip("pandas")
    assert study.predict(pandas.DataFrame([design, design])) == [one, one]


def test_what_is_known_of_the_outcomes() -> None:
    study = small_study()
    evaluate(study, 14)
    assert set(study.model()) == set(study.importance()) == set(study.leave_one_out()) == {"cost", "load"}
    assert study.model()["cost"].observations == 14 and set(study.model()["load"].lengthscales) == {"x", "y"}
    assert [left.trial for left in study.leave_one_out()["cost"]] == list(range(1, 15))
    assert all(0 <= i.low <= i.total <= i.high for i in study.importance()["cost"].values())
    assert study.gain().perfect_information >= 0 and study.gain().left is None
    assert study.penalty() is not None


def test_lists_and_options_of_the_library() -> None:
    assert pyckg.policies()[0].name == "auto" and all(p.title for p in pyckg.policies())
    names = {option.name for option in pyckg.options()}
    assert {"kernel", "fit", "time_limit"} <= names and all(option.help for option in pyckg.options())
    for option in pyckg.options():
        small_study(**{option.name: option.default})
    for policy in pyckg.policies():
        for setting in policy.settings:
            small_study(policy=policy.name, settings={setting.name: setting.low})


def test_noise_that_varies() -> None:
    study = pyckg.Study({"x": pyckg.Real(0, 1)}, "f", noise="varying", seed=1)
    noise = random.Random(1)
    for i in range(60):
        x = i * 0.7548776662 % 1
        study.tell(study.add({"x": x}), f=x * x + noise.gauss(0, 0.02 * 20**x))
    model = study.model()["f"]
    assert model.noise_varies and model.noise_low is not None and model.noise_high is not None
    assert model.noise_high > 5 * model.noise_low > 0
    quiet, loud = (p.outcomes["f"].noise_sd for p in study.predict([{"x": 0.05}, {"x": 0.95}]))
    assert quiet is not None and loud is not None and loud > 4 * quiet > 0


def test_maximize_noise_and_missing_values() -> None:
    study = pyckg.Study(
        {"x": pyckg.Real(-1, 1)}, "gain", {"heat": (None, 1)}, maximize=True, noise={"heat": "none"}, seed=2
    )
    for _ in range(16):
        t = study.ask()
        study.tell(t, gain=(1 - t["x"] ** 2, 0.01), heat=None if t.number % 2 else 1 + t["x"])
    best = study.recommend(probability=0.9)
    assert -0.3 < best.parameters["x"] <= 0.01 and best.objective.mean > 0.9
    assert study.trial(1).values.keys() == {"gain"} and study.trial(1).feasible is None
    assert study.trial(2).sds == {"gain": 0.01}


def test_finite_lists_and_rules() -> None:
    listed = [{"x": x, "y": y} for x in (1.0, 2.0, 4.0) for y in (1.0, 2.0, 4.0)]
    study = small_study(choose_from=listed)
    found = study.optimize(lambda x, y: {"cost": x + y, "load": 4 - x * y}, 20)
    assert found.parameters == {"x": 2, "y": 2} and len(study) == 9
    study = small_study(rules=["x + y <= limit"], constants={"limit": 5})
    evaluate(study, 12)
    assert all(t["x"] + t["y"] <= 5 + 1e-9 for t in study.trials(frame=False))


def test_an_equality_is_a_band_with_a_name() -> None:
    study = pyckg.Study({"a": pyckg.Real(0, 1)}, "f", {"h": pyckg.Equal(20, 0.5)}, seed=1)
    for h, feasible in ((19.4, False), (19.5, True), (20.5, True), (20.6, False)):
        trial = study.ask()
        study.tell(trial, f=1.0, h=h)
        assert study.trial(trial.number).feasible is feasible
    low, high = pyckg.Equal(20, 0.5)
    assert (low, high) == (19.5, 20.5) and repr(pyckg.Equal(20, 0.5)) == "Equal(20.0, 0.5)"
    with pytest.raises(pyckg.InvalidError, match="tolerance"):
        pyckg.Equal(20, 0)
    with pytest.raises(pyckg.InvalidError, match="Equal"):
        pyckg.Study({"a": pyckg.Real(0, 1)}, "f", {"h": (20, 20)})


def test_an_answer_is_true_or_false() -> None:
    study = pyckg.Study({"a": pyckg.Real(0, 1)}, "f", {"ok": pyckg.YesNo()}, noise="none", seed=1, initial=4)
    found = study.optimize(lambda a: {"f": a, "ok": a > 0.3}, 12)
    assert 0.3 < found.parameters["a"] < 0.4 and found.constraints["ok"].mean == 1
    for trial in study.trials(frame=False):
        assert trial.values["ok"] is (trial["a"] > 0.3) is trial.feasible
    said = study.predict([{"a": 0.0}, {"a": 1.0}])
    low, high = said[0].outcomes["ok"], said[1].outcomes["ok"]
    assert low.mean < 0.2 and high.mean > 0.8
    assert study.model()["ok"].scale == "probit" and study.model()["ok"].noise_sd is None
    assert pickle.loads(pickle.dumps(study)).trial(1) == study.trial(1)
    for wrong in (0.5, 2, "yes", (True, 0.1)):
        with pytest.raises(pyckg.InvalidError, match="ok must be True or False"):
            study.tell(study.add({"a": 0.9}), f=1.0, ok=wrong)
    with pytest.raises(pyckg.InvalidError, match="no noise"):
        pyckg.Study({"a": pyckg.Real(0, 1)}, "f", {"ok": pyckg.YesNo()}, noise={"ok": "none"})


def test_an_answer_in_a_store(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with pyckg.Study({"a": pyckg.Real(0, 1)}, "f", {"ok": pyckg.YesNo}, seed=1, store=path, name="s") as study:
        for ok in (True, False, 1, 0):
            study.tell(study.ask(), f=1.0, ok=ok)
    with pyckg.open(path) as study:
        assert [t.values["ok"] for t in study.trials(frame=False)] == [True, False, True, False]
        assert study._backend.definition.constraints == {"ok": pyckg.YesNo()}


def priced_study(**more: object) -> pyckg.Study:
    return small_study(costs={"cost": 3, "load": 1}, initial=4, **more)


def measure(study: pyckg.Study, times: int) -> list[list[str] | None]:
    """Asks, and tells what is wanted alone."""
    wanted = []
    for _ in range(times):
        t = study.ask()
        values = {"cost": t["x"] + t["y"], "load": 4 - t["x"] * t["y"]}
        assert t.measure
        study.tell(t, {name: values[name] for name in t.measure})
        wanted.append(t.measure)
    return wanted


def test_outcomes_that_are_measured_one_at_a_time(tmp_path: Path) -> None:
    study = priced_study()
    wanted = measure(study, 12)
    assert wanted[:4] == [["cost", "load"]] * 4 and any(len(names) == 1 for names in wanted[4:] if names)
    assert study.spent == sum({"cost": 3, "load": 1}[name] for names in wanted for name in names or ())
    assert [t.measure for t in study.trials(frame=False)] == wanted
    assert small_study().ask().measure is None and small_study().spent is None

    # What is under way goes on in a copy, and a store makes the same steps.
    study.ask()
    copy = pickle.loads(pickle.dumps(study))
    assert copy.trials(frame=False) == study.trials(frame=False) and copy.spent == study.spent
    assert copy.ask() == study.ask()
    kept = priced_study(store=tmp_path / "s.db", name="s")
    assert measure(kept, 8) == wanted[:8]
    assert pyckg.open(tmp_path / "s.db").trial(8).measure == wanted[7]


@pytest.mark.parametrize("kept", [False, True])
def test_optimize_measures_what_is_wanted(kept: bool, tmp_path: Path) -> None:
    where = {"store": tmp_path / "s.db", "name": "s"} if kept else {}
    study = priced_study(budget=30, **where)
    asked: list[list[str]] = []

    def evaluate(x: float, y: float, measure: list[str]) -> dict[str, float] | float:
        asked.append(measure)
        values = {"cost": x + y, "load": 4 - x * y}
        return values[measure[0]] if len(measure) == 1 else values

    study.optimize(evaluate)
    made = study.trials(frame=False)
    assert [t.measure for t in made] == asked and [sorted(t.values) for t in made] == [sorted(names) for names in asked]
    assert asked[:4] == [["cost", "load"]] * 4 and ["load"] in asked
    assert study.spent is not None and 30 - 1 < study.spent <= 30

    # The same steps as by ask and tell; and what can be wrong.
    assert measure(priced_study(budget=30), len(asked)) == asked
    with pytest.raises(pyckg.InvalidError, match="belongs to the study"):
        study.optimize(evaluate, 40)
    with pytest.raises(pyckg.WrongTypeError, match="cost, load"):
        priced_study(budget=30).optimize(lambda x, y, measure: x)
    named = pyckg.Study({"measure": pyckg.Real(0, 1)}, "f", {"c": (None, 0)}, costs={"f": 2}, budget=9)
    with pytest.raises(pyckg.InvalidError, match="'measure'"):
        named.optimize(lambda measure: measure)


def test_groups_come_together() -> None:
    study = priced_study(groups=[["cost", "load"]])
    assert measure(study, 6) == [["cost", "load"]] * 6
    with pytest.raises(pyckg.NotFoundError, match="nobody"):
        small_study(groups=[["cost", "nobody"]])
    with pytest.raises(pyckg.NotFoundError, match="nobody"):
        small_study(costs={"nobody": 1})
    with pytest.raises(pyckg.InvalidError, match="cost"):
        small_study(costs={"cost": -1})
