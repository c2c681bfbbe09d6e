"""minimize: SciPy's words, for functions that are dear to evaluate."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._core import as_integer, as_number, kind
from ._definition import YesNo
from ._errors import InvalidError, StateError, WrongTypeError
from ._limits import Constraints, Limits, Space, is_list, read_bounds, read_constraints, vector
from ._progress import Silent
from ._results import Estimate, Recommendation, Trial
from ._run import Run
from ._study import Study
from ._workers import make_workers

_NOT_USED = {"jac": "derivatives are", "hess": "derivatives are", "hessp": "derivatives are"}
_NOT_HERE = {
    "method": "there is one method; options={'policy': …} chooses how designs are chosen",
    "tol": "there is no tolerance; maxfun says when to stop",
}


class Result(dict[str, Any]):
    """SciPy's OptimizeResult where there is no SciPy: a dict whose entries are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:>{width}}: {value!r}" for name, value in self.items())


def minimize(
    fun: Callable[..., Any],
    bounds: Any,
    constraints: Any = (),
    x0: Any = None,
    *,
    args: tuple[Any, ...] = (),
    integrality: Any = None,
    noise: str | float | Mapping[str, str | float] = "auto",
    maxfun: int = 60,
    equal_tolerance: float = 1e-4,
    costs: Any = None,
    rng: Any = None,
    workers: int | Callable[..., Any] = 1,
    callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None,
    **others: Any,
) -> Any:
    """The smallest value of a dear function within bounds and constraints, from `maxfun` evaluations.

    fun           fun(x, *args) gives a number; or (f, c) with values c that are constrained; or a mapping from names to
                  numbers or (value, sd). What is not finite was not measured. It is called once for each evaluation.
    bounds        scipy.optimize.Bounds, or a pair (low, high) for each variable
    constraints   NonlinearConstraint, LinearConstraint, {"type": "ineq" or "eq", "fun": …}, or a list of them. A linear
                  one is known before any evaluation, so that no design breaks it. For what fun returns beside the
                  objective: (min, max) for each of c, or a mapping from names to (min, max). Where both are the same,
                  it is an equality; pyckg.Equal(value, tolerance) is one with a tolerance of its own, and by name
                  pyckg.YesNo() is one that is True or False.
    x0            a point to begin with, or several
    integrality   1 for each variable that is an integer
    noise         "auto" (one of the first designs is evaluated twice, to see whether there is any), "varying", "none",
                  or the standard deviation of fun's noise; or for each of "fun", "c0", … by name
    maxfun        evaluations in all
    equal_tolerance  how far equalities may be off, in the constraint's own units
    costs         what a call of fun and of each function of constraints costs, fun's first, in any unit: then each step
                  calls those that are worth it, and maxfun is what all of them may cost
    rng           a seed, or a random generator, from which one is drawn
    workers       how many processes evaluate at once, -1 for one for each processor; or a function that works like map
    callback      called after each evaluation with the best x so far, or with intermediate_result=; StopIteration stops
    options       further ones of pyckg.Study: policy, initial, threads, kernel, time_limit, …

    The result is SciPy's OptimizeResult, or a dict like it: x, fun, success, message, nfev, constr_violation; and
    probability_feasible, sd (of fun), best (the best feasible trial, or None), recommendation, study. Without noise x
    is the best design that was evaluated, and fun what it gave. Under noise, and with costs, x is what is recommended,
    and fun the mean there.
    """
    _refuse(others)
    if not callable(fun):
        raise WrongTypeError(f"fun must be callable, not {kind(fun)}")
    space = read_bounds(bounds, integrality)
    limits = read_constraints(constraints, space, _as_tolerance(equal_tolerance))
    budget = as_integer("maxfun", maxfun, 1, 2**31 - 1)
    evaluation = _Evaluation(fun, _as_args(args), space, limits, _array())
    start = _read_x0(x0, space)
    more = _read_options(options)
    prices = _read_costs(costs, limits)

    # A study, once it is known how many values are constrained.
    def study_of(bounded: dict[str, Limits]) -> Study:
        rules: Any = limits.rows
        apart = _apart(evaluation, prices) if bounded and prices else {}
        return Study(
            space.parameters, "fun", bounded, noise=noise, rules=rules, seed=seed, budget=budget, **apart, **more
        )

    seed = _read_seed(rng)
    if None in evaluation.counts:
        evaluation.remember(start[0] if start else study_of({}).ask().parameters)
    study = study_of(evaluation.bounded())
    for design in start:
        study._backend.queue(study._encode(design))

    # The evaluations.
    watcher = _Watcher(study, space, callback)
    team = make_workers(evaluation, workers, processes=True)
    run = Run(study, team, budget, progress=Silent(), told=watcher)
    run.run()
    return _result(study, space, run)


# --- what is given ---


def _refuse(others: dict[str, Any]) -> None:
    for name, value in others.items():
        if name in _NOT_HERE:
            raise InvalidError(f"{name}: {_NOT_HERE[name]}")
        if name not in _NOT_USED:
            raise WrongTypeError(f"minimize has no argument {name!r}")
        if value is not None:
            warnings.warn(f"{name}: {_NOT_USED[name]} not used", RuntimeWarning, stacklevel=3)


def _as_tolerance(tolerance: object) -> float:
    off = as_number("equal_tolerance", tolerance)
    if not 0 < off < math.inf:
        raise InvalidError(f"equal_tolerance must be above 0, not {off:g}")
    return off


def _as_args(args: object) -> tuple[Any, ...]:
    return args if isinstance(args, tuple) else (args,)


def _read_costs(costs: object, limits: Constraints) -> list[float]:
    """One for fun and one for each function that is constrained; []: all are called for every design."""
    if costs is None:
        return []
    prices = vector("costs", costs)
    if len(prices) != 1 + len(limits.sources):
        raise InvalidError(
            f"costs has length {len(prices)}, not {1 + len(limits.sources)}: a number for fun and one for each function"
            " of constraints"
        )
    if not limits.sources:
        raise InvalidError("costs: there is no function beside fun that could be called apart")
    for price in prices:
        if not price > 0:
            raise InvalidError(f"costs must be above 0, not {price:g}")
    return prices


def _apart(evaluation: _Evaluation, prices: list[float]) -> dict[str, Any]:
    """The study's costs and groups: what one function gives comes together, and its first value has the cost."""
    together = evaluation.names()
    costs = {name: 0.0 for names in together for name in names[1:]}
    costs.update({names[0]: price for names, price in zip(together, prices, strict=True)})
    return {"costs": costs, "groups": [names for names in together if len(names) > 1]}


def _read_options(options: object) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise WrongTypeError(f"options must be a mapping from names to values, not {kind(options)}")
    taken = {
        "parameters",
        "objective",
        "constraints",
        "maximize",
        "noise",
        "rules",
        "seed",
        "budget",
        "designs",
        "store",
        "costs",
        "groups",
    }
    for name in options:
        if name in taken:
            raise InvalidError(f"options: {name} follows from minimize's own arguments")
    return {str(name): value for name, value in options.items()}


def _read_seed(rng: Any) -> int | None:
    """A seed from what SciPy takes for rng."""
    if rng is None or (hasattr(rng, "__index__") and not isinstance(rng, bool)):
        return None if rng is None else int(rng)
    for draw, arguments in (("integers", (2**32,)), ("getrandbits", (32,)), ("randint", (2**31 - 1,))):
        if hasattr(rng, draw):
            return int(getattr(rng, draw)(*arguments))
    raise WrongTypeError(f"rng must be an integer or a random generator, not {kind(rng)}")


def _read_x0(x0: object, space: Space) -> list[dict[str, float]]:
    if x0 is None:
        return []
    if isinstance(x0, Sequence | tuple) or getattr(x0, "ndim", 0) == 2:
        listed = list(x0)  # type: ignore[call-overload]
        if listed and all(is_list(point) for point in listed):
            return [_check_start(space.design(f"x0[{i}]", point), space) for i, point in enumerate(listed)]
    return [_check_start(space.design("x0", x0), space)]


def _check_start(design: dict[str, float], space: Space) -> dict[str, float]:
    for name, value in design.items():
        space.parameters[name].encode(f"x0: {name}", value)
    return design


def _array() -> Callable[[list[float]], Any]:
    """What fun is called with: an array of NumPy's where it is installed."""
    try:
        import numpy
    except ImportError:
        return list
    return numpy.array


# --- evaluating ---


@dataclass(slots=True)
class _Evaluation:
    """Objective and constraints of one design, each function called once; can be sent to other processes."""

    fun: Callable[..., Any]
    args: tuple[Any, ...]
    space: Space
    limits: Constraints
    array: Callable[[list[float]], Any]
    counts: list[int | None] = field(init=False)  # how many values each function gives; None: that remains to be seen
    first: tuple[dict[str, Any], dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        self.counts = [source.size() for source in self.limits.sources]

    def __call__(self, parameters: dict[str, Any]) -> dict[str, Any]:
        design = dict(parameters)
        wanted = design.pop("measure", None)  # None: everything
        if self.first is not None and self.first[0] == design:
            (_, known), self.first = self.first, None
            return known
        values: dict[str, Any] = {}
        at = 1 + len(self.limits.named) + len(self.limits.returned)
        if wanted is None or "fun" in wanted:
            values = self.read(self.fun(self.array(self.space.x(design)), *self.args))
        for i, source in enumerate(self.limits.sources):
            if wanted is None or f"c{at - 1}" in wanted:
                given = source.values(self.array(self.space.x(design)))
                if self.counts[i] not in (None, len(given)):
                    raise InvalidError(f"{source.what}: fun gave {len(given)} values, not {self.counts[i]}")
                self.counts[i] = len(given)
                values.update({f"c{at - 1 + k}": value for k, value in enumerate(given)})
            at += self.counts[i] or 0
        answers = [name for name, limits in self.limits.named.items() if isinstance(limits, YesNo)]
        return {name: value if name in answers else _measured(name, value) for name, value in values.items()}

    def names(self) -> list[list[str]]:
        """The outcomes of fun and of each function that is constrained, once the counts are known."""
        first = len(self.limits.named) + len(self.limits.returned)
        together = [["fun", *self.limits.named, *(f"c{i}" for i in range(len(self.limits.returned)))]]
        for count in self.counts:
            together.append([f"c{first + k}" for k in range(count or 0)])
            first += count or 0
        return together

    def remember(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """Evaluates the first design, whose turn comes later."""
        self.first = (dict(parameters), self(parameters))
        return self.first[1]

    def bounded(self) -> dict[str, Limits]:
        """All constraints by name, once the counts are known."""
        pairs = list(self.limits.returned)
        for source, count in zip(self.limits.sources, self.counts, strict=True):
            pairs.extend(source.limits(count or 0, self.limits.tolerance))
        first = len(self.limits.named)
        return {**self.limits.named, **{f"c{first + i}": pair for i, pair in enumerate(pairs)}}

    def read(self, given: Any) -> dict[str, Any]:
        """What fun returned, by names."""
        if isinstance(given, Mapping):
            return self.read_named(given)
        if self.limits.named:
            raise WrongTypeError(f"fun must return a mapping, as constraints has names, not {kind(given)}")
        beside: list[float] = []
        if isinstance(given, tuple) and len(given) == 2:
            given, beside = given[0], vector("what fun returns beside the objective", given[1], finite=False)
        if len(beside) != len(self.limits.returned):
            raise InvalidError(
                f"what fun returns beside the objective has length {len(beside)}, but constraints has limits for"
                f" {len(self.limits.returned)}: give (min, max) for each, as [(None, 0)] for one that is at most 0"
            )
        values = vector("what fun returns", given, finite=False)
        if len(values) != 1:
            raise InvalidError(f"fun must return one number, not {len(values)}; (f, c) returns constrained values too")
        return {"fun": values[0], **{f"c{i}": value for i, value in enumerate(beside)}}

    def read_named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if self.limits.returned:
            raise InvalidError("fun returned a mapping: constraints must name what is limited, as {'name': (min, max)}")
        others = [name for name in given if name not in self.limits.named]
        if "fun" not in others and len(others) != 1:
            raise InvalidError(f"fun returned {', '.join(map(str, given))}: which is the objective? call it 'fun'")
        objective = "fun" if "fun" in others else others[0]
        return {"fun": given[objective], **{name: given.get(name) for name in self.limits.named}}


def _measured(name: str, value: Any) -> Any:
    """A value, or None where it is not a finite number and so was not measured."""
    if value is None:
        return None
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise InvalidError(f"what fun returns for {name} must be a number or (value, sd), not {value!r}")
        number, sd = as_number(name, value[0]), as_number(f"{name}: sd", value[1])
        return (number, sd) if math.isfinite(number) else None
    number = as_number(name, value)
    return number if math.isfinite(number) else None


class _Watcher:
    """Calls SciPy's callback after each evaluation."""

    def __init__(self, study: Study, space: Space, callback: object) -> None:
        if callback is not None and not callable(callback):
            raise WrongTypeError(f"callback must be callable, not {kind(callback)}")
        self._study = study
        self._space = space
        self._callback = callback
        self._whole = callback is not None and _takes_whole_result(callback)

    def __call__(self, trial: Trial) -> bool:
        """Whether it is enough."""
        if self._callback is None:
            return False
        best = self._study.best()
        x = _array()(self._space.x((best or trial).parameters))
        try:
            if not self._whole:
                return bool(self._callback(x))
            value = None if best is None else best.values.get("fun")
            nfev = self._study._evaluations()
            return bool(
                self._callback(intermediate_result=_result_class()(x=x, fun=value, nfev=nfev, study=self._study))
            )
        except StopIteration:
            return True


def _takes_whole_result(callback: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        return False


# --- what comes back ---


def _result(study: Study, space: Space, run: Run) -> Any:
    exact = study.spent is None and _is_exact(study)  # with costs few designs are evaluated in full
    try:
        found = study.recommend(evaluated_only=exact)
    except StateError as error:
        raise StateError(f"fun never gave a finite number in {len(study)} evaluations: {error}") from None
    best = found.best
    success = best is not None or (not exact and found.most_violated is None)
    x, answer = found.parameters, found.objective
    violation, chance = _violation(study, found), found.probability_feasible
    if exact and best is not None:
        x, answer = best.parameters, Estimate(best.values["fun"], 0.0)
        violation, chance = 0.0, 1.0
    return _result_class()(
        x=_array()(space.x(x)),
        fun=answer.mean,
        success=success,
        status=0 if success else 1,
        message=_message(study, run, found, success),
        nfev=study._evaluations(),
        constr_violation=violation,
        probability_feasible=chance,
        sd=answer.sd,
        best=best,
        recommendation=found,
        study=study,
    )


def _is_exact(study: Study) -> bool:
    """Whether evaluations repeat: without noise, or with none that could be seen."""
    if any(sd > 0 for trial in study.trials(frame=False) for sd in trial.sds.values()):
        return False
    definition = study._backend.definition
    noise = definition.noise
    for name, model in study.model().items():
        if noise.get(name, 1) == 0 or isinstance(definition.constraints.get(name), YesNo):
            continue
        if (
            name in noise
            or model.noise_sd is None
            or model.signal_sd is None
            or model.noise_sd > 1e-3 * model.signal_sd
        ):
            return False
    return True


def _violation(study: Study, found: Recommendation) -> float | None:
    """By how much the means break the limits, at most; None while one is not known."""
    worst = 0.0
    for name, (low, high) in study._backend.definition.constraints.items():
        mean = found.constraints[name].mean
        if mean is None:
            return None
        worst = max(worst, low - mean, mean - high)
    return worst


def _message(study: Study, run: Run, found: Recommendation, success: bool) -> str:
    if run.stopped:
        ended = "The callback stopped the search."
    elif run.exhausted:
        ended = "Every design has been evaluated."
    elif study.spent is not None:
        ended = f"The cost of maxfun is spent: {study.spent:g} in {study._evaluations()} evaluations."
    else:
        ended = f"The {study._evaluations()} evaluations of maxfun are spent."
    if success:
        return ended
    worst = f"; {found.most_violated} is the hardest constraint" if found.most_violated else ""
    return f"{ended} No design was found to be feasible{worst}."


def _result_class() -> Any:
    try:
        from scipy.optimize import OptimizeResult
    except ImportError:
        return Result
    return OptimizeResult
