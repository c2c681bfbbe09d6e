"""CkgSearchCV: the habits of scikit-learn's searches, constraints, and noise from the folds."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import pytest

pytest.importorskip("sklearn")

import numpy as np
from scipy.stats import loguniform, norm, randint, uniform
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import pyckg
from pyckg.sklearn import CkgSearchCV, _read_space, _standard_error

CLASSES = make_classification(120, n_features=6, n_informative=3, random_state=1)
REGRESSION = make_regression(80, n_features=5, noise=10, random_state=1)


class Known(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator whose score is known: 1 less the squared distance to (0.7, 0.2); its other score is a."""

    def __init__(self, a: float = 0.0, b: float = 0.0, fails: bool = False) -> None:
        self.a = a
        self.b = b
        self.fails = fails

    def fit(self, X: Any, y: Any) -> Known:  # noqa: N803
        if self.fails and self.a > 0.5:
            raise RuntimeError("no convergence")
        return self

    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        return 1 - (self.a - 0.7) ** 2 - (self.b - 0.2) ** 2


SQUARE = {"a": pyckg.Real(0, 1), "b": pyckg.Real(0, 1)}
BOTH_SCORES = {"known": lambda e, *data: e.score(*data), "a": lambda e, *data: e.a}


def search(**options: Any) -> CkgSearchCV:
    options = {"n_iter": 25, "noise": "none", "cv": 2, "random_state": 1, **options}
    return CkgSearchCV(Known(), SQUARE, **options).fit(*REGRESSION)


@parametrize_with_checks(
    [
        CkgSearchCV(
            Ridge(), {"alpha": pyckg.Real(1e-3, 1e3, log=True)}, n_iter=2, cv=2, random_state=1, error_score="raise"
        )
    ],
    # As GridSearchCV(Ridge()) does: it takes several outputs, and does not say so.
    expected_failed_checks=lambda _: {"check_supervised_y_2d": "Ridge takes several outputs"},
)
def test_as_scikit_learn_checks_estimators(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_optimum_is_found() -> None:
    found = search()
    assert found.best_params_["a"] == pytest.approx(0.7, abs=0.01)
    assert found.best_params_["b"] == pytest.approx(0.2, abs=0.01)
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    assert found.best_score_ == found.cv_results_["mean_test_score"][found.best_index_]
    assert found.best_estimator_.a == found.best_params_["a"]
    assert len(found.cv_results_["params"]) == 25
    assert found.cv_results_["feasible"].all()
    assert found.score(*REGRESSION) == found.best_score_
    assert found.recommendation_.parameters["a"] == pytest.approx(0.7, abs=0.01)


def test_constraints_limit_any_column() -> None:
    found = search(scoring=BOTH_SCORES, refit="known", constraints={"mean_test_a": (None, 0.4)})
    results = found.cv_results_
    assert found.best_params_["a"] == pytest.approx(0.4, abs=0.01)
    assert found.best_params_["a"] <= 0.4
    assert list(results["feasible"]) == [a <= 0.4 for a in results["mean_test_a"]]
    assert found.best_score_ < max(results["mean_test_known"])
    assert set(found.recommendation_.constraints) == {"mean_test_a"}


def test_the_time_of_a_fit_may_be_limited() -> None:
    found = search(n_iter=12, constraints={"mean_fit_time": (None, 60), "mean_score_time": (None, 60)}, noise="folds")
    assert found.cv_results_["feasible"].all()
    told = found.study_.trials(frame=False)
    assert all(t.sds["mean_fit_time"] >= 0 for t in told)


def test_where_no_candidate_meets_the_constraints_the_nearest_is_the_best() -> None:
    with pytest.warns(UserWarning, match="no candidate met the constraints"):
        found = search(n_iter=12, scoring=BOTH_SCORES, refit="known", constraints={"mean_test_a": (2, None)})
    assert found.best_params_["a"] == max(found.cv_results_["mean_test_a"])


def test_fits_that_fail_are_failures() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CkgSearchCV(Known(fails=True), SQUARE, n_iter=25, noise="none", cv=2, random_state=1).fit(*REGRESSION)
    states = [t.state for t in found.study_.trials(frame=False)]
    nan = np.isnan(found.cv_results_["mean_test_score"])
    assert len(states) == 25
    assert nan.any()  # among the initial ones, which are evaluated together
    assert [s == "failed" for s in states[:10]] == list(nan[:10])
    assert states.count("complete") == (~nan).sum()
    assert 0.4 < found.best_params_["a"] <= 0.5


def test_where_every_fit_fails_scikit_learn_says_so() -> None:
    with pytest.raises(ValueError, match="fits failed"):
        CkgSearchCV(Known(fails=True), {"a": pyckg.Real(0.6, 1)}, n_iter=12, cv=2).fit(*REGRESSION)


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(ValueError, match=r"no column 'mean_fit_tim'; it has mean_fit_time, std_fit_time, "):
        search(constraints={"mean_fit_tim": (None, 1)})


def test_several_scores_need_a_name() -> None:
    with pytest.raises(ValueError, match="refit must name the score"):
        search(scoring=BOTH_SCORES, refit=False)


def test_what_else_is_wrong() -> None:
    with pytest.raises(ValueError, match="n_iter and n_points must be 1 or more, not 0 and 1"):
        search(n_iter=0)
    wrong = {"nothing to choose": [1], "a must be a Real": "text", "a is norm": norm(), "a must be": {"low": 1}}
    for words, given in wrong.items():
        with pytest.raises(ValueError, match=words):
            CkgSearchCV(Known(), {"a": given}).fit(*REGRESSION)


def test_spaces() -> None:
    space, fixed = _read_space(
        {
            "u": uniform(-1, 3),
            "l": loguniform(1e-3, 10),
            "n": randint(2, 9),
            "c": ["x", None],
            "one": [5],
            "r": pyckg.Real(0, 1),
        }
    )
    assert space == {
        "u": pyckg.Real(-1, 2),
        "l": pyckg.Real(1e-3, 10, log=True),
        "n": pyckg.Integer(2, 8),
        "c": pyckg.Categorical(["x", None]),
        "r": pyckg.Real(0, 1),
    }
    assert fixed == {"one": 5}


def test_pipelines_whole_steps_and_a_finite_space() -> None:
    scalers = [StandardScaler(), MinMaxScaler(), "passthrough"]
    space = {"standardscaler": scalers, "ridge__alpha": [0.1, 1.0], "ridge__solver": ["svd"]}
    pipeline = make_pipeline(StandardScaler(), Ridge())
    found = CkgSearchCV(pipeline, space, n_iter=20, noise="none", cv=3, random_state=1).fit(*REGRESSION)
    assert len(found.cv_results_["params"]) == 6  # every one, once
    assert found.best_params_["ridge__solver"] == "svd"
    assert found.predict(REGRESSION[0]).shape == (80,)


def test_standard_errors_leave_out_what_folds_share() -> None:
    """Two candidates on three folds, worked by hand: rows (1, 2, 6) and (2, 3, 4)."""
    results = {f"split{i}_test_score": np.array(pair, dtype=float) for i, pair in enumerate(((1, 2), (2, 3), (6, 4)))}
    results["std_fit_time"] = np.array([0.4, 0.2])
    # Folds' means are 1.5, 2.5, 5, that is -1.5, -0.5, 2 about the mean 3; the first row is -2, -1, 3 about its own.
    assert _standard_error(results, "test_score", 0, 3) == pytest.approx(math.sqrt((0.5**2 + 0.5**2 + 1) / 2 / 3))
    assert _standard_error(results, "fit_time", 0, 3) == pytest.approx(0.4 / math.sqrt(2))
    assert _standard_error(results, "test_score", 0, 1) is None


def test_noise_from_the_folds_is_told() -> None:
    space = {"max_depth": pyckg.Integer(1, 8), "min_samples_leaf": pyckg.Integer(1, 20)}
    tree = DecisionTreeClassifier(random_state=1)
    found = CkgSearchCV(tree, space, n_iter=12, cv=KFold(4), random_state=1).fit(*CLASSES)
    told = found.study_.trials(frame=False)
    last = _standard_error(found.cv_results_, "test_score", 11, 4)
    assert told[11].sds["score"] == pytest.approx(last)
    assert last is not None and last > 0


def test_the_same_seed_gives_the_same_candidates_and_n_points_go_together() -> None:
    first, second, other = search(), search(), search(random_state=2)
    assert first.cv_results_["params"] == second.cv_results_["params"] != other.cv_results_["params"]
    together = search(n_points=5)
    assert len({tuple(p.values()) for p in together.cv_results_["params"]}) == 25


def test_clone_pickle_and_nesting() -> None:
    found = search(n_iter=12)
    again = clone(found)
    assert again.get_params(deep=False).keys() == found.get_params(deep=False).keys()
    assert not hasattr(again, "best_params_")
    loaded = pickle.loads(pickle.dumps(found))
    assert loaded.best_params_ == found.best_params_
    assert len(loaded.study_) == 12
    assert len(cross_val_score(clone(found).set_params(n_iter=3), *REGRESSION, cv=2)) == 2


def test_a_callable_decides_for_itself() -> None:
    found = search(n_iter=12, refit=lambda results: 3)
    assert found.best_index_ == 3
    assert isinstance(found, ClassifierMixin) is False
