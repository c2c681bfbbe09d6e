"""An Optuna sampler: constrained Bayesian optimisation for ``optuna.create_study(sampler=CkgSampler())``.

An Optuna study keeps its trials in a storage, and a sampler is asked for parameters. ``CkgSampler`` keeps a
`pyckg.Study` beside it that mirrors the trials of one search space: what finished is told, what runs on any
machine is pending, and a suggestion is an ``ask``. The mirror is kept from call to call, and made again only
when the search space, the constraints or the seed change.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import logging
import math
import secrets
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, RandomSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.study import Study as OptunaStudy
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

import pyckg

__all__ = ["CkgSampler"]

_logger = logging.getLogger(__name__)

# System attributes of a trial. The first two are Optuna's: a list, which optuna-dashboard and Optuna 4 read,
# and one attribute for each constraint by name, which `trial.set_constraint` of Optuna 5 writes.
_CONSTRAINTS = "constraints"
_CONSTRAINT = "constraints:"
_UNNAMED = "ckg:unnamed_constraints"  # how many of the list came from constraints_func
_NOISE = "ckg:noise"  # the variance of the objective's noise
_DESIGN = "ckg:design:"  # what was suggested, in pieces: databases limit the length of an attribute
_PIECE = 2000

_MOST_CATEGORIES = 100
_LARGEST_INTEGER = 2**53
_LARGEST_VALUE = 1e150
_ATTEMPTS = 10

Design = tuple[float, ...]
Space = dict[str, BaseDistribution]


class CkgSampler(BaseSampler):  # type: ignore[misc]
    """Suggests parameters by ckg's policies: one objective, any number of constraints.

    Constraints are those of Optuna: a value of 0 or less is feasible. Set them in the objective by
    ``trial.set_constraint(name, value)`` (Optuna 5), or pass ``constraints_func``. They are modelled one by
    one, so give their amounts and not only a yes or no.

    A trial that failed counts as a design whose evaluation fails, and designs near it are avoided where
    failures are frequent; with ``failures="ignore"`` nothing is learnt from it, which is right where machines
    die and designs are not to blame. A pruned trial counts with its last reported value, as no better than
    the median of the complete ones; one that reported nothing counts as failed. An objective or a constraint
    that is infinite is left out; a trial whose only outcome is infinitely bad counts as failed.

    Trials that run elsewhere count as pending: any number of workers may share a storage.

    Args:
        constraints_func: Called with each complete or pruned trial, returns its constraints' values.
        noise_func: Called with each complete trial, returns the variance of its objective's noise.
        noise: What to assume of every outcome where ``noise_func`` does not say: ``"auto"`` (estimated),
            ``"none"`` (repeating a trial gives the same values), or the objective's standard deviation.
        failures: ``"model"`` or ``"ignore"``.
        policy: How designs are chosen; ``pyckg.policies()`` lists the ways.
        n_startup_trials: Trials before the policy takes over, by a space-filling design; by default as many
            as ckg finds right: max(10, 2(d+1)).
        search_space: The parameters, if they are known beforehand. Without it they are read off the complete
            trials, and the first trials are drawn by the independent sampler.
        independent_sampler: Draws parameters that are not in every trial: conditional ones, and those of the
            first trials. By default at random.
        warn_independent_sampling: Whether to warn when it does so after the first trial.
        seed: The same seed and trials give the same suggestions.
        threads: The most threads that a suggestion uses.
        options: Further options of `pyckg.Study`, such as ``kernel`` or ``time_limit``.

    Example:
        >>> sampler = CkgSampler(seed=1)
        >>> study = optuna.create_study(sampler=sampler)
        >>> study.optimize(objective, n_trials=50)
    """

    def __init__(
        self,
        *,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        noise_func: Callable[[FrozenTrial], float] | None = None,
        noise: str | float = "auto",
        failures: str = "model",
        policy: str = "auto",
        n_startup_trials: int | None = None,
        search_space: Mapping[str, BaseDistribution] | None = None,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        seed: int | None = None,
        threads: int = 1,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._constraints_func = constraints_func
        self._noise_func = noise_func
        self._noise = noise
        self._search_space = dict(search_space) if search_space is not None else None
        self._independent_sampler = independent_sampler or RandomSampler(seed=seed)
        self._warn = warn_independent_sampling
        self._seed = seed
        self._options = dict(options or {}, policy=policy, failures=failures, threads=threads)
        if n_startup_trials is not None:
            self._options["initial"] = n_startup_trials
        self._intersection = IntersectionSearchSpace()
        self._mirror: _Mirror | None = None
        self._lock = threading.RLock()
        self._check_options()

    def _check_options(self) -> None:
        """Refuses what a study would refuse, before the first trial."""
        _Mirror({"x": FloatDistribution(0, 1)}, (), False, self._noise, 0, self._options)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the mirror, which the next suggestion makes again."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_mirror", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._mirror = None
        self._lock = threading.RLock()

    def reseed_rng(self) -> None:
        """Draws a new seed: threads that share this sampler, or copies of it, then differ."""
        with self._lock:
            self._seed = secrets.randbits(63)
            self._mirror = None
        self._independent_sampler.reseed_rng()

    # --- what Optuna asks for ---

    def infer_relative_search_space(self, study: OptunaStudy, trial: FrozenTrial) -> Space:
        """The parameters that the next suggestion has: those of every complete trial."""
        space = self._search_space
        if space is None:
            with self._lock:
                space = self._intersection.calculate(study)
        return {name: space[name] for name in sorted(space) if _is_modelled(space[name])}

    def sample_relative(self, study: OptunaStudy, trial: FrozenTrial, search_space: Space) -> dict[str, Any]:
        """The next suggestion, published in the storage before it is returned."""
        _refuse_several_objectives(study)
        if not search_space:
            return {}
        with self._lock:
            design = self._suggest(study, trial, search_space)
        if design is None:
            return {}
        return {name: _external(search_space[name], x) for name, x in zip(search_space, design, strict=True)}

    def sample_independent(
        self, study: OptunaStudy, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A parameter on its own, by the independent sampler."""
        _refuse_several_objectives(study)
        partly = self._mirror is not None and trial.number in self._mirror.pending
        if self._warn and partly and not param_distribution.single():
            _logger.warning(
                "Trial %d: %s is drawn by %s, because not every trial has it with this range, or because its "
                "range is too large to model. CkgSampler(warn_independent_sampling=False) silences this.",
                trial.number,
                param_name,
                type(self._independent_sampler).__name__,
            )
        return self._independent_sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: OptunaStudy, trial: FrozenTrial) -> None:
        """Lets the independent sampler prepare itself."""
        self._independent_sampler.before_trial(study, trial)

    def after_trial(
        self, study: OptunaStudy, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Stores the constraints and the noise of a trial where every worker reads them."""
        if state in (TrialState.COMPLETE, TrialState.PRUNED):
            self._store_constraints(study, trial)
        if state == TrialState.COMPLETE and self._noise_func is not None:
            _store(study, trial, _NOISE, _variance(self._noise_func(trial)))
        self._independent_sampler.after_trial(study, trial, state, values)

    def _store_constraints(self, study: OptunaStudy, trial: FrozenTrial) -> None:
        """The list of all constraints, for those who read only the list: first the unnamed ones."""
        named = _named_constraints(trial)
        if self._constraints_func is None and not named:
            return
        unnamed: list[float] | None = None
        try:
            unnamed = _checked_constraints(self._constraints_func, trial)
        finally:
            _store(study, trial, _UNNAMED, len(unnamed or ()))
            _store(study, trial, _CONSTRAINTS, None if unnamed is None else [*unnamed, *named.values()])

    # --- suggestions ---

    def _suggest(self, study: OptunaStudy, trial: FrozenTrial, space: Space) -> Design | None:
        """A design for the trial, pending in the mirror and published; None: any will do."""
        trials = study.get_trials(deepcopy=False)
        mirror = self._mirror_of(study, trials, space)
        mirror.update(trials, except_for=trial)

        # A design that was enqueued by the user is pending as it is.
        given = _design(space, trial.system_attrs.get("fixed_params", {}))
        if given is not None:
            mirror.add_pending(trial, given)
            self._publish(study, trial, space, given)
            return None

        design: Design | None = None
        for _ in range(_ATTEMPTS):
            design = mirror.ask(trial)
            if design is None:
                design = self._draw(study, trial, space, mirror)
                self._publish(study, trial, space, design)
                break
            self._publish(study, trial, space, design)
            trials = study.get_trials(deepcopy=False)
            if not mirror.is_taken(trials, trial, design):
                break
            mirror.cancel(trial)
            mirror.update(trials, except_for=trial)
        return design

    def _draw(self, study: OptunaStudy, trial: FrozenTrial, space: Space, mirror: _Mirror) -> Design:
        """A design by the independent sampler, for a finite space that is exhausted."""
        if not mirror.warned:
            _logger.warning(
                "Trial %d: every design of this finite space is evaluated or under way; from here on they are "
                "drawn by %s, and repeated.",
                trial.number,
                type(self._independent_sampler).__name__,
            )
        mirror.warned = True
        params = {
            name: self._independent_sampler.sample_independent(study, trial, name, distribution)
            for name, distribution in space.items()
        }
        design = _design(space, params)
        assert design is not None
        mirror.add_pending(trial, design)
        return design

    def _mirror_of(self, study: OptunaStudy, trials: list[FrozenTrial], space: Space) -> _Mirror:
        """The mirror as it was, or a new one where it does not fit any more."""
        if self._seed is None:
            self._seed = secrets.randbits(63)
        known = self._mirror
        fits = known is not None and known.is_of(study) and known.space == space
        names = known.constraint_names if known is not None and fits else ()
        names = _all_constraint_names(trials, names, known.settled if known is not None and fits else set())
        if known is None or not fits or names != known.constraint_names:
            maximize = study.direction == StudyDirection.MAXIMIZE
            known = _Mirror(space, names, maximize, self._noise, self._seed, self._options)
            known.storage, known.study_id = study._storage, study._study_id
            self._mirror = known
        return known

    @staticmethod
    def _publish(study: OptunaStudy, trial: FrozenTrial, space: Space, design: Design) -> None:
        """Tells the other workers what this trial evaluates, before it does."""
        text = json.dumps(dict(zip(space, design, strict=True)))
        for i in range(0, len(text), _PIECE):
            _store(study, trial, f"{_DESIGN}{i // _PIECE}", text[i : i + _PIECE])

    def recommend(self, study: OptunaStudy, **options: Any) -> Any:
        """What to use, given all trials so far: `pyckg.Study.recommend` of the mirrored study.

        Its ``parameters`` are Optuna's. Unlike ``study.best_trial`` it need not have been evaluated, it
        does not fall for noise, and it says how probable it is that all constraints hold.
        """
        _refuse_several_objectives(study)
        with self._lock:
            space = self.infer_relative_search_space(study, study.trials[-1]) if study.trials else {}
            if not space:
                raise ValueError("there is nothing to recommend yet: no trial is complete")
            trials = study.get_trials(deepcopy=False)
            mirror = self._mirror_of(study, trials, space)
            mirror.update(trials, except_for=None)
            return mirror.recommend(options)


class _Mirror:
    """A pyckg study of the trials of an Optuna study, as far as they lie in one search space.

    Names are its own, for Optuna's may be any text: parameters x0, x1, …, outcomes value, c0, c1, ….
    """

    storage: Any = None  # of the trials that it mirrors, and which study there
    study_id = -1
    warned = False

    def __init__(
        self,
        space: Space,
        constraint_names: tuple[str, ...],
        maximize: bool,
        noise: str | float,
        seed: int,
        options: dict[str, Any],
    ) -> None:
        self.space = space
        self.constraint_names = constraint_names
        self.maximize = maximize
        self.settled: set[int] = set()
        self.pending: dict[int, tuple[Any, Design]] = {}
        self.values: list[float] = []
        self.study = pyckg.Study(
            {f"x{i}": _parameter(d) for i, d in enumerate(space.values())},
            objective="value",
            maximize=maximize,
            constraints={f"c{k}": (None, 0.0) for k in range(len(constraint_names))},
            noise=_noise_of_outcomes(noise, len(constraint_names)),
            seed=seed,
            **options,
        )

    def is_of(self, study: OptunaStudy) -> bool:
        return self.storage is study._storage and self.study_id == study._study_id

    # --- what happened elsewhere ---

    def update(self, trials: Sequence[FrozenTrial], *, except_for: FrozenTrial | None) -> None:
        """Tells what finished since the last call, and takes what runs as pending."""
        for trial in trials:
            if trial.number in self.settled or (except_for is not None and trial.number == except_for.number):
                continue
            if trial.state == TrialState.COMPLETE:
                self._settle(trial, self._measured(trial, _objective(trial)))
            elif trial.state == TrialState.PRUNED:
                self._settle_pruned(trial)
            elif trial.state == TrialState.FAIL:
                self._settle(trial, {})
            elif trial.state == TrialState.RUNNING:
                design = _published(self.space, trial)
                if design is not None and not self._knows(trial, design):
                    self.add_pending(trial, design)

    def _settle(self, trial: FrozenTrial, measured: dict[str, Any] | None) -> None:
        """Tells what was measured; {}: the evaluation failed, None: nothing can be learnt from it."""
        self.settled.add(trial.number)
        design = _design(self.space, trial.params)
        ours = self._pending_at(trial, design)
        if design is None or (ours is None and measured is None):
            return
        if ours is None:
            ours = self.study.add(self._params(design))
        if measured is None:
            self.study.cancel(ours)
        elif not measured:
            self.study.tell(ours, failed="failed")
        else:
            self.study.tell(ours, measured)
            if trial.state == TrialState.COMPLETE and "value" in measured:
                self.values.append(_objective(trial))

    def _settle_pruned(self, trial: FrozenTrial) -> None:
        """The last value reported, as no better than the median of complete trials, once there are any."""
        if trial.value is None:
            self._settle(trial, self._measured(trial, None))
        elif self.values:
            middle = statistics.median(self.values)
            value = min(trial.value, middle) if self.maximize else max(trial.value, middle)
            self._settle(trial, self._measured(trial, value))

    def _measured(self, trial: FrozenTrial, value: float | None) -> dict[str, Any] | None:
        """The outcomes that are finite, by our names; {} for a failure, None where there is no telling."""
        constraints = _constraints(trial)
        measured: dict[str, Any] = {
            f"c{k}": constraints[name]
            for k, name in enumerate(self.constraint_names)
            if name in constraints and _is_finite(constraints[name])
        }
        if value is not None and _is_finite(value):
            variance = trial.system_attrs.get(_NOISE)
            measured["value"] = value if variance is None else (value, math.sqrt(variance))
        infinitely_good = value is not None and (value > 0) == self.maximize
        return None if not measured and infinitely_good else measured

    def _pending_at(self, trial: FrozenTrial, design: Design | None) -> Any | None:
        """Our pending trial if it was evaluated as suggested; otherwise it is cancelled."""
        ours, suggested = self.pending.pop(trial.number, (None, None))
        if ours is not None and suggested != design:
            self.study.cancel(ours)
            return None
        return ours

    # --- what is under way ---

    def _knows(self, trial: FrozenTrial, design: Design) -> bool:
        """Whether this trial was counted with this design."""
        return trial.number in self.settled or self.pending.get(trial.number, (None, None))[1] == design

    def is_taken(self, trials: Sequence[FrozenTrial], trial: FrozenTrial, design: Design) -> bool:
        """Whether another worker chose the same design while we searched for ours, and could not know of it.

        Everybody publishes before looking, so of two workers the one who publishes last sees the other.
        """
        return any(
            t.number != trial.number and _published(self.space, t) == design and not self._knows(t, design)
            for t in trials
            if t.number not in self.settled
        )

    def add_pending(self, trial: FrozenTrial, design: Design) -> None:
        """A design that somebody evaluates."""
        self.cancel(trial)
        self.pending[trial.number] = (self.study.add(self._params(design)), design)

    def cancel(self, trial: FrozenTrial) -> None:
        """It is not evaluated after all."""
        ours, _ = self.pending.pop(trial.number, (None, None))
        if ours is not None:
            self.study.cancel(ours)

    def ask(self, trial: FrozenTrial) -> Design | None:
        """The next design, pending for the trial; None if there is none left."""
        self.cancel(trial)
        try:
            ours = self.study.ask()
        except pyckg.ExhaustedError:
            return None
        design = self._design_of(ours.parameters)
        self.pending[trial.number] = (ours, design)
        return design

    def recommend(self, options: dict[str, Any]) -> Any:
        """The recommendation, with Optuna's names and values."""
        found = self.study.recommend(**options)
        design = self._design_of(found.parameters)
        found.parameters = {name: _external(d, x) for (name, d), x in zip(self.space.items(), design, strict=True)}
        found.constraints = {name: found.constraints[f"c{k}"] for k, name in enumerate(self.constraint_names)}
        if found.most_violated is not None:
            found.most_violated = self.constraint_names[int(found.most_violated[1:])]
        return found

    def _params(self, design: Design) -> dict[str, Any]:
        return {
            f"x{i}": _inner(distribution, x)
            for i, (distribution, x) in enumerate(zip(self.space.values(), design, strict=True))
        }

    def _design_of(self, params: Mapping[str, Any]) -> Design:
        return tuple(
            _on_grid(distribution, float(params[f"x{i}"])) for i, distribution in enumerate(self.space.values())
        )


# --- parameters: Optuna's own numbers are the design, the index of a category ---


def _is_modelled(distribution: BaseDistribution) -> bool:
    """Whether there is anything to choose, and a model can choose it."""
    if distribution.single():
        return False
    if isinstance(distribution, CategoricalDistribution):
        return len(distribution.choices) <= _MOST_CATEGORIES
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    if isinstance(distribution, IntDistribution):
        return bool(max(abs(distribution.low), abs(distribution.high)) <= _LARGEST_INTEGER)
    return math.isfinite(distribution.high - distribution.low)


def _parameter(distribution: BaseDistribution) -> Any:
    """The parameter of a study."""
    if isinstance(distribution, FloatDistribution):
        return pyckg.Real(distribution.low, distribution.high, log=distribution.log, step=distribution.step)
    if isinstance(distribution, IntDistribution):
        step = distribution.step if distribution.step > 1 else None
        return pyckg.Integer(distribution.low, distribution.high, log=distribution.log, step=step)
    assert isinstance(distribution, CategoricalDistribution)
    return pyckg.Categorical([str(i) for i in range(len(distribution.choices))])


def _inner(distribution: BaseDistribution, x: float) -> Any:
    """Optuna's number as the study takes it."""
    if isinstance(distribution, FloatDistribution):
        return x
    return int(x) if isinstance(distribution, IntDistribution) else str(int(x))


def _external(distribution: BaseDistribution, x: float) -> Any:
    """Optuna's number as its users see it."""
    return distribution.to_external_repr(x)


def _on_grid(distribution: BaseDistribution, x: float) -> float:
    """The number as Optuna would have written it: on its own steps, and not beyond the ends."""
    if isinstance(distribution, CategoricalDistribution):
        return x
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    if distribution.step is not None:
        x = distribution.low + round((x - distribution.low) / distribution.step) * distribution.step
    return float(min(max(x, distribution.low), distribution.high))


def _design(space: Space, params: Mapping[str, Any]) -> Design | None:
    """The parameters as a design of this space; None if one is missing or out of range."""
    design = []
    for name, distribution in space.items():
        if name not in params:
            return None
        try:
            x = float(distribution.to_internal_repr(params[name]))
        except (ValueError, TypeError):
            return None
        if not distribution._contains(x):
            return None
        design.append(x)
    return tuple(design)


def _published(space: Space, trial: FrozenTrial) -> Design | None:
    """What a running trial evaluates, as far as it is known."""
    design = _design(space, trial.params)
    if design is not None:
        return design
    pieces: list[str] = []
    while (piece := trial.system_attrs.get(f"{_DESIGN}{len(pieces)}")) is not None:
        pieces.append(piece)
    try:
        numbers = json.loads("".join(pieces))
        design = tuple(float(numbers[name]) for name in space)
    except (ValueError, KeyError, TypeError):
        return None
    return design if all(d._contains(x) for d, x in zip(space.values(), design, strict=True)) else None


# --- outcomes ---


def _noise_of_outcomes(noise: str | float, constraints: int) -> Any:
    """The objective's and the constraints' noise; a standard deviation is the objective's alone."""
    if isinstance(noise, str):
        return noise
    return {"value": noise}


def _objective(trial: FrozenTrial) -> float:
    value = trial.value
    assert value is not None
    return float(value)


def _is_finite(value: float) -> bool:
    return math.isfinite(value) and abs(value) <= _LARGEST_VALUE


def _named_constraints(trial: FrozenTrial) -> dict[str, float]:
    """Those of `trial.set_constraint`, sorted by name."""
    attributes = trial.system_attrs
    names = sorted(key for key in attributes if key.startswith(_CONSTRAINT))
    return {key[len(_CONSTRAINT) :]: attributes[key] for key in names}


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    """All constraints of a finished trial; the unnamed ones are called 0, 1, …, as Optuna calls them."""
    listed = trial.system_attrs.get(_CONSTRAINTS) or ()
    unnamed = listed[: trial.system_attrs.get(_UNNAMED, len(listed))]
    return {str(k): value for k, value in enumerate(unnamed)} | _named_constraints(trial)


def _all_constraint_names(trials: Sequence[FrozenTrial], known: tuple[str, ...], settled: set[int]) -> tuple[str, ...]:
    """The names that any finished trial has."""
    found = set(known)
    for trial in trials:
        if trial.number not in settled and trial.state in (TrialState.COMPLETE, TrialState.PRUNED):
            found.update(_constraints(trial))
    return tuple(sorted(found))


def _checked_constraints(function: Callable[[FrozenTrial], Sequence[float]] | None, trial: FrozenTrial) -> list[float]:
    """What constraints_func says, refused if it is no number."""
    values = [] if function is None else [float(value) for value in function(trial)]
    if any(math.isnan(value) for value in values):
        raise ValueError(f"constraints_func of trial {trial.number}: a constraint is NaN")
    return values


def _variance(variance: float) -> float:
    """What noise_func says, refused if it is no variance."""
    variance = float(variance)
    if not 0 <= variance < math.inf:
        raise ValueError(f"noise_func must return a variance, which is 0 or more, but it returned {variance}")
    return variance


# --- Optuna ---


def _refuse_several_objectives(study: OptunaStudy) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"CkgSampler optimises one objective, but this study has {len(study.directions)}: make all but one "
            "a constraint (trial.set_constraint), or use another sampler"
        )


def _store(study: OptunaStudy, trial: FrozenTrial, key: str, value: Any) -> None:
    study._storage.set_trial_system_attr(trial._trial_id, key, value)
