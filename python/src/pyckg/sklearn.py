"""Hyperparameters of scikit-learn's estimators under constraints: ``CkgSearchCV``, in place of RandomizedSearchCV.

What is maximised is the mean score over the folds; what is limited may be any column of ``cv_results_``, such as the
time of a fit or another score. The folds also tell how noisy a mean is.
"""

# pyright: reportMissingImports=false, reportIncompatibleMethodOverride=false, reportArgumentType=false
from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import pyckg

__all__ = ["CkgSearchCV"]

_SCORE = "score"  # the study's name of what is maximised


class CkgSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Searches hyperparameters by ckg's policies, with constraints.

    Afterwards there are ``best_params_``, ``best_estimator_``, ``best_score_``, ``best_index_``, ``cv_results_``
    and the rest as after any search of scikit-learn; the best is the best of those that met the constraints, which
    the column ``feasible`` of ``cv_results_`` tells. Where none did, it is the one that came nearest, with a warning.
    Beyond that there are ``study_``, the `pyckg.Study` of the search, and ``recommendation_``, what its models
    recommend: it need not have been evaluated, and says how probable it is that the constraints hold.

    Args:
        estimator: What is fitted.
        param_distributions: For each parameter a `pyckg.Real`, `pyckg.Integer` or `pyckg.Categorical`, a
            list of values, or one of SciPy's uniform, loguniform and randint.
        n_iter: How many candidates are evaluated in all.
        n_points: How many are chosen at once, after the initial ones, which are always evaluated together.
        constraints: Columns of ``cv_results_`` with their (min, max): ``{"mean_fit_time": (None, 0.5)}``,
            ``{"mean_test_recall": (0.9, None)}``.
        noise: ``"folds"``: each mean has the standard error that its folds show, where differences between folds that
            all candidates share do not count; or what `pyckg.Study` takes: ``"auto"``, ``"none"``, a standard
            deviation.
        policy: How candidates are chosen; ``pyckg.policies()`` lists the ways.
        n_initial: How many come before the policy takes over; by default max(10, 2(d+1)).
        options: Further options of `pyckg.Study`.
        scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score: As in
            ``RandomizedSearchCV``. With several scores, ``refit`` names the one that is maximised.
        random_state: The same number gives the same candidates, where fits give the same scores.
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Mapping[str, Any],
        *,
        n_iter: int = 50,
        n_points: int = 1,
        constraints: Mapping[str, tuple[float | None, float | None]] | None = None,
        noise: str | float | Mapping[str, str | float] = "folds",
        policy: str = "auto",
        n_initial: int | None = None,
        options: Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[[Any], int] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: float | str = math.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.n_points = n_points
        self.constraints = constraints
        self.noise = noise
        self.policy = policy
        self.n_initial = n_initial
        self.options = options
        self.random_state = random_state

    def _run_search(self, evaluate_candidates: Callable[[list[dict[str, Any]]], dict[str, Any]]) -> None:
        """The initial candidates together, then as many at once as n_points says, until n_iter are evaluated."""
        if self.n_iter < 1 or self.n_points < 1:
            raise ValueError(f"n_iter and n_points must be 1 or more, not {self.n_iter} and {self.n_points}")
        space, fixed = _read_space(self.param_distributions)
        self.study_ = self._make_study(space)
        initial = max(10, 2 * (len(space) + 1)) if self.n_initial is None else self.n_initial
        results: dict[str, Any] = {}
        while len(self.study_) < self.n_iter:
            wanted = initial - len(self.study_) if len(self.study_) < initial else self.n_points
            asked = _ask(self.study_, min(wanted, self.n_iter - len(self.study_)))
            if not asked:
                break  # every candidate of a finite space is evaluated
            results = self._evaluate(evaluate_candidates, asked, fixed, results)

        self._fixed = fixed
        results["feasible"] = np.array([self._violation(results, row) == 0 for row in range(_rows(results))])

    def _evaluate(
        self,
        evaluate: Callable[[list[dict[str, Any]]], dict[str, Any]],
        asked: list[pyckg.Trial],
        fixed: dict[str, Any],
        before: dict[str, Any],
    ) -> dict[str, Any]:
        """Evaluates candidates and tells the study; the results of all so far.

        Scikit-learn takes it for a mistake when every fit that it is asked for fails. Once others have succeeded,
        these are failures, which the study knows and cv_results_ does not.
        """
        first = _rows(before)
        try:
            results = evaluate([{**fixed, **trial.parameters} for trial in asked])
        except ValueError as error:
            if not before or self.error_score == "raise" or "fits failed" not in str(error):
                raise
            warnings.warn(f"every fit failed: {error}", FitFailedWarning, stacklevel=2)
            for trial in asked:
                self.study_.tell(trial, failed="every fit failed")
            return before
        for row, trial in enumerate(asked, first):
            self._tell(trial, results, row)
        return results

    @property
    def recommendation_(self) -> pyckg.Recommendation:
        """What the models recommend, worked out when it is asked for."""
        check_is_fitted(self, "study_")
        found = self.study_.recommend()
        found.parameters = {**self._fixed, **found.parameters}
        return found

    def _make_study(self, space: Mapping[str, Any]) -> pyckg.Study:
        return pyckg.Study(
            dict(space),
            _SCORE,
            dict(self.constraints or {}),
            maximize=True,
            noise="auto" if self.noise == "folds" else self.noise,
            policy=self.policy,
            initial=self.n_initial,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            **dict(self.options or {}),
        )

    def _tell(self, trial: pyckg.Trial, results: Mapping[str, Any], row: int) -> None:
        """What cross-validation gave; a score that is not finite is a failure."""
        values = {_SCORE: self._value(results, self._score_column(results), row)}
        values.update({name: self._value(results, name, row) for name in self.constraints or ()})
        if math.isfinite(values[_SCORE][0]):
            finite = {name: pair for name, pair in values.items() if math.isfinite(pair[0])}
            self.study_.tell(trial, {name: v if sd is None else (v, sd) for name, (v, sd) in finite.items()})
        else:
            self.study_.tell(trial, failed=f"{self._score_column(results)} is {values[_SCORE][0]}")

    def _score_column(self, results: Mapping[str, Any]) -> str:
        """What is maximised."""
        if "mean_test_score" in results:
            return "mean_test_score"
        if isinstance(self.refit, str):
            return f"mean_test_{self.refit}"
        raise ValueError("refit must name the score that is maximised, because there are several")

    def _value(self, results: Mapping[str, Any], column: str, row: int) -> tuple[float, float | None]:
        """A number with its standard error, if that comes from the folds."""
        if column not in results:
            numbers = ", ".join(name for name in results if not name.startswith(("param", "split", "rank")))
            raise ValueError(f"constraints: cv_results_ has no column {column!r}; it has {numbers}")
        value = float(results[column][row])
        if self.noise != "folds" or not column.startswith("mean_"):
            return value, None
        return value, _standard_error(results, column.removeprefix("mean_"), row, self.n_splits_)

    # --- the best ---

    def _violation(self, results: Mapping[str, Any], row: int) -> float:
        """By how much limits are broken, each in units of its own spread over the candidates."""
        worst = 0.0
        for name, (low, high) in (self.constraints or {}).items():
            column = np.asarray(results[name], dtype=float)
            value = column[row]
            excess = max(0.0, 0.0 if low is None else low - value, 0.0 if high is None else value - high)
            spread = float(np.nanstd(column)) or 1.0
            worst = max(worst, math.inf if math.isnan(value) else excess / spread)
        return worst

    def _select_best_index(self, refit: Any, refit_metric: str, results: Mapping[str, Any]) -> int:
        """The best rank of those that met the constraints; a callable decides for itself."""
        if callable(refit) or not self.constraints:
            return int(super()._select_best_index(refit, refit_metric, results))
        rank = np.asarray(results[f"rank_test_{refit_metric}"])
        feasible = np.flatnonzero(results["feasible"])
        if len(feasible):
            return int(feasible[rank[feasible].argmin()])
        warnings.warn("no candidate met the constraints; the best is the one that came nearest", stacklevel=3)
        return int(np.argmin([self._violation(results, row) for row in range(len(rank))]))


# --- the space ---


def _read_space(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a study, and those that have only one value."""
    space: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    for name, what in given.items():
        if isinstance(what, (pyckg.Real, pyckg.Integer, pyckg.Categorical)):
            space[name] = what
        elif hasattr(what, "dist") and hasattr(what, "support"):
            space[name] = _read_distribution(name, what)
        elif isinstance(what, Iterable) and not isinstance(what, (str, bytes, Mapping)):
            values = list(what)
            if len(values) == 1:
                fixed[name] = values[0]
            else:
                space[name] = pyckg.Categorical(values)
        else:
            raise ValueError(
                f"param_distributions: {name} must be a Real, an Integer, a Categorical, a list or SciPy's distribution"
            )
    if not space:
        raise ValueError("param_distributions: there is nothing to choose")
    return space, fixed


def _read_distribution(name: str, distribution: Any) -> Any:
    """SciPy's uniform, loguniform and randint."""
    low, high = (float(end) for end in distribution.support())
    kind = distribution.dist.name
    if kind == "randint":
        return pyckg.Integer(int(low), int(high))
    if kind not in ("uniform", "loguniform", "reciprocal"):
        raise ValueError(f"param_distributions: {name} is {kind}, but ckg needs uniform, loguniform or randint")
    return pyckg.Real(low, high, log=kind != "uniform")


# --- the study ---


def _ask(study: pyckg.Study, count: int) -> list[pyckg.Trial]:
    """So many candidates, or as many as are left."""
    asked: list[pyckg.Trial] = []
    try:
        while len(asked) < count:
            asked.append(study.ask())
    except pyckg.ExhaustedError:
        pass
    return asked


def _rows(results: Mapping[str, Any]) -> int:
    return len(results.get("params", ()))


def _standard_error(results: Mapping[str, Any], column: str, row: int, folds: int) -> float | None:
    """Of a mean over folds, from what is left of each fold's value without the candidate's mean and the fold's.

    Folds are the same for all candidates, so that a difficult fold says nothing of a candidate. Times have no columns
    by fold: theirs comes from their standard deviation.
    """
    if folds < 2:
        return None
    if f"split0_{column}" not in results:
        spread = results.get(f"std_{column}")
        return None if spread is None else float(spread[row]) / math.sqrt(folds - 1)
    scores = np.array([results[f"split{i}_{column}"] for i in range(folds)], dtype=float).T
    whole = scores[np.isfinite(scores).all(axis=1)]
    if not np.isfinite(scores[row]).all():
        return None
    shared = whole.mean(axis=0) - whole.mean() if len(whole) > 1 else 0.0
    rest = scores[row] - scores[row].mean() - shared
    return float(math.sqrt(rest @ rest / (folds - 1) / folds))
