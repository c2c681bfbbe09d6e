"""A search algorithm for Ray Tune: ``tune.TuneConfig(search_alg=CkgSearch(...))``, with constraints."""

# pyright: reportMissingImports=false, reportIncompatibleMethodOverride=false, reportPrivateImportUsage=false
from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ray.tune.search import Searcher
from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Quantized, Uniform
from ray.tune.search.variant_generator import parse_spec_vars
from ray.tune.utils.util import flatten_dict, unflatten_dict

import pyckg

__all__ = ["CkgSearch"]

_LARGEST_VALUE = 1e150


class CkgSearch(Searcher):  # type: ignore[misc]
    """Suggests configurations by ckg's policies: one metric to optimise, others to keep within limits.

    A trial that ends with an error counts as a design whose evaluation fails. One that a scheduler stops counts with
    its last result, as Ray's other searches have it. A metric that is not finite is left out. Trials under way are
    pending, so any number may run at once; few at a time learn more, see ``ray.tune.search.ConcurrencyLimiter``.

    Args:
        space: Parameters as ``param_space`` of ``tune.Tuner`` has them, or as `pyckg.Study` does. By default
            those of the tuner.
        metric, mode: What to optimise, and "min" or "max"; by default what ``tune.TuneConfig`` says.
        constraints: Other metrics with their (min, max), None for no limit.
        sds: For metrics whose noise is reported with them, the metric that holds the standard deviation.
        points_to_evaluate: Configurations to begin with.
        seed: The same seed and results give the same suggestions.
        options: Everything else that `pyckg.Study` takes: noise, policy, initial, failures, threads, ….
    """

    def __init__(
        self,
        space: Mapping[str, Any] | None = None,
        *,
        metric: str | None = None,
        mode: str | None = None,
        constraints: Mapping[str, tuple[float | None, float | None]] | None = None,
        sds: Mapping[str, str] | None = None,
        points_to_evaluate: Iterable[Mapping[str, Any]] | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if isinstance(metric, (list, tuple)) or isinstance(mode, (list, tuple)):
            raise ValueError("CkgSearch optimises one metric: make the others constraints")
        super().__init__(metric=metric, mode=mode)
        self._metric = metric
        self._mode = mode
        self._constraints = dict(constraints or {})
        self._sds = dict(sds or {})
        self._points = [flatten_dict(dict(point)) for point in points_to_evaluate or ()]
        self._options = dict(options, seed=seed)
        self._fixed: dict[str, Any] = {}
        self._numbers: dict[str, int] = {}  # the study's number of each trial under way
        self._study: pyckg.Study | None = None
        if space is not None:
            self._parameters, self._fixed = _read_space(space)
            self._make_study()
        else:
            self._parameters = {}

    @property
    def study(self) -> pyckg.Study:
        """The study of this search: it predicts, and recommends."""
        if self._study is None:
            raise RuntimeError("CkgSearch has no study before it knows the parameters, the metric and the mode")
        return self._study

    def _make_study(self) -> None:
        """Once the parameters, the metric and the mode are known."""
        if self._study is None and self._parameters and self._metric and self._mode:
            self._study = pyckg.Study(
                self._parameters, self._metric, self._constraints, maximize=self._mode == "max", **self._options
            )

    # --- what Ray calls ---

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        """What the tuner says, where the constructor did not."""
        if self._study is not None:
            return False
        self._metric = self._metric or metric
        self._mode = self._mode or mode
        if not self._parameters:
            self._parameters, self._fixed = _read_space(config)
        self._make_study()
        return True

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The next configuration; FINISHED when a finite space is exhausted."""
        try:
            trial = self.study.add(self._points.pop(0)) if self._points else self.study.ask()
        except pyckg.ExhaustedError:
            return None if self._numbers else str(Searcher.FINISHED)
        self._numbers[trial_id] = trial.number
        found: dict[str, Any] = unflatten_dict({**self._fixed, **trial.parameters})
        return found

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Tells the study what the trial reported last."""
        number = self._numbers.pop(trial_id, None)
        if number is None:
            return
        measured = {} if error else self._measured(flatten_dict(dict(result or {})))
        if measured:
            self.study.tell(number, measured)
        elif error or result:
            self.study.tell(number, failed="error" if error else "nothing finite was reported")
        else:
            self.study.cancel(number)

    def add_evaluated_point(
        self,
        parameters: dict[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: list[float] | None = None,
    ) -> None:
        """A configuration that was evaluated elsewhere; its constraints are not known."""
        flat = flatten_dict(dict(parameters))
        number = self.study.add({name: flat[name] for name in self._parameters}).number
        self._numbers["evaluated elsewhere"] = number
        self.on_trial_complete("evaluated elsewhere", {self.study.outcomes[0]: value}, error)

    def _measured(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """What is known of the outcomes: numbers that are finite, with the standard deviations of their noise."""
        measured: dict[str, Any] = {}
        for name in self.study.outcomes:
            value = result.get(name)
            if value is None or not math.isfinite(value) or abs(value) > _LARGEST_VALUE:
                continue
            sd = result.get(self._sds[name]) if name in self._sds else None
            measured[name] = value if sd is None else (value, sd)
        return measured

    # --- stopping and going on ---

    def get_state(self) -> dict[str, Any]:
        """Everything, the study included."""
        return self.__dict__.copy()

    def set_state(self, state: dict[str, Any]) -> None:
        """As it was."""
        self.__dict__.update(state)

    def save(self, checkpoint_path: str) -> None:
        """Writes the state to a file."""
        Path(checkpoint_path).write_bytes(pickle.dumps(self.get_state()))

    def restore(self, checkpoint_path: str) -> None:
        """Reads the state from a file."""
        self.set_state(pickle.loads(Path(checkpoint_path).read_bytes()))


# --- the space ---


def _read_space(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a study, nested names joined by slashes, and what has one value."""
    _, _, grids = parse_spec_vars(dict(given))
    if grids:
        raise ValueError(f"space: {_name(grids[0][0])} is a grid search, which ckg does not make; use tune.choice")
    flat = flatten_dict(dict(given), prevent_delimiter=True)
    _, domains, _ = parse_spec_vars(flat)
    ours = {name: p for name, p in flat.items() if isinstance(p, (pyckg.Real, pyckg.Integer, pyckg.Categorical))}
    theirs = {_name(path): _parameter(_name(path), domain) for path, domain in domains}
    space = {name: (ours | theirs)[name] for name in flat if name in ours or name in theirs}
    return space, {name: value for name, value in flat.items() if name not in space}


def _name(path: tuple[str, ...]) -> str:
    return "/".join(path)


def _parameter(name: str, domain: Domain) -> Any:
    """The parameter of a study for one of Ray's domains."""
    sampler = domain.get_sampler()
    step = None
    if isinstance(sampler, Quantized):
        step, sampler = sampler.q, sampler.sampler
    log = isinstance(sampler, LogUniform)
    if isinstance(sampler, (Uniform, LogUniform)):
        if isinstance(domain, Float):
            return pyckg.Real(domain.lower, domain.upper, log=log, step=step)
        if isinstance(domain, Integer):  # its upper end is left out, but with steps it is not
            last = domain.upper if step else domain.upper - 1
            return pyckg.Integer(domain.lower, last, log=log, step=int(step) if step and step > 1 else None)
        if isinstance(domain, Categorical):
            return pyckg.Categorical(domain.categories)
    kind = f"{type(domain).__name__} by {type(sampler).__name__.lstrip('_')}"
    raise ValueError(f"space: {name} is {kind}, but ckg needs a range or a choice")
