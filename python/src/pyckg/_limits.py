"""SciPy's bounds and constraints, read without SciPy: by the attributes that its classes have."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._core import as_integer, as_list, as_number, kind
from ._definition import Equal, Row, YesNo
from ._errors import InvalidError, WrongTypeError
from ._parameters import Integer, Parameter, Real

Limits = tuple[float, float]


# --- bounds ---


@dataclass(slots=True)
class Space:
    """The free variables as parameters, and where each variable is found."""

    parameters: dict[str, Parameter]
    names: list[str | None]  # of each variable; None: it is fixed
    fixed: list[float]  # its value then
    integral: list[bool]

    def x(self, parameters: Mapping[str, Any]) -> list[float]:
        """All variables, fixed ones included."""
        return [self.fixed[i] if name is None else float(parameters[name]) for i, name in enumerate(self.names)]

    def design(self, what: str, x: object) -> dict[str, float]:
        """The parameters of a point that SciPy's user gives."""
        values = vector(what, x)
        if len(values) != len(self.names):
            raise InvalidError(f"{what} must have {len(self.names)} numbers, as bounds has, not {len(values)}")
        for i, (name, value) in enumerate(zip(self.names, values, strict=True)):
            if name is None and value != self.fixed[i]:
                raise InvalidError(f"{what}[{i}] must be {self.fixed[i]:g}, as bounds says, not {value:g}")
        return {name: value for name, value in zip(self.names, values, strict=True) if name is not None}


def read_bounds(bounds: object, integrality: object) -> Space:
    pairs = _bound_pairs(bounds)
    integral = _read_integrality(integrality, len(pairs))
    space = Space({}, [], [], integral)
    for i, pair in enumerate(pairs):
        low, high = pair
        if not (math.isfinite(low) and math.isfinite(high)):
            raise InvalidError(
                f"bounds[{i}] must be finite: designs are chosen from low to high, not {low:g} to {high:g}"
            )
        if integral[i]:
            low, high = float(math.ceil(low)), float(math.floor(high))
        if low > high:
            raise InvalidError(f"bounds[{i}]: low must not be above high, as {low:g} is above {high:g}")
        name = None if low == high else f"x{i}"
        space.names.append(name)
        space.fixed.append(low)
        if name is not None:
            space.parameters[name] = Integer(int(low), int(high)) if integral[i] else Real(low, high)
    if not space.parameters:
        raise InvalidError("bounds leave nothing to vary")
    return space


def _bound_pairs(bounds: object) -> list[Limits]:
    lows, highs = getattr(bounds, "lb", None), getattr(bounds, "ub", None)
    if lows is not None and highs is not None:
        low, high = spread("bounds", lows, highs, None)
        return list(zip(low, high, strict=True))
    pairs = as_list("bounds", bounds)
    if not pairs:
        raise InvalidError("bounds must have at least one pair (low, high)")
    return [_bound_pair(f"bounds[{i}]", pair) for i, pair in enumerate(pairs)]


def _bound_pair(what: str, pair: object) -> Limits:
    values = as_list(what, pair)
    if len(values) != 2:
        raise InvalidError(f"{what} must be a pair (low, high), not {len(values)} values")
    low = -math.inf if values[0] is None else as_number(f"{what}: low", values[0])
    high = math.inf if values[1] is None else as_number(f"{what}: high", values[1])
    return low, high


def _read_integrality(integrality: object, d: int) -> list[bool]:
    if integrality is None:
        return [False] * d
    if not isinstance(integrality, Iterable):
        integrality = [integrality] * d
    listed = [bool(as_integer("integrality", +i if isinstance(i, bool) else i, 0, 1)) for i in integrality]
    if len(listed) != d:
        raise InvalidError(f"integrality must have {d} values, as bounds has, not {len(listed)}")
    return listed


# --- constraints ---


@dataclass(slots=True)
class Source:
    """A function whose values are constrained; how many values it has may be known only when it was called."""

    what: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    low: Any
    high: Any

    def values(self, x: Any) -> list[float]:
        return vector(self.what, self.function(x, *self.args), finite=False)

    def limits(self, count: int, tolerance: float) -> list[Limits]:
        low, high = spread(self.what, self.low, self.high, count)
        pairs = enumerate(zip(low, high, strict=True))
        return [check_limits(f"{self.what}[{i}]", *pair, tolerance) for i, pair in pairs]

    def size(self) -> int | None:
        """How many values it has; None: that remains to be seen."""
        sizes = [
            len(as_list(self.what, side))
            for side in (self.low, self.high)
            if getattr(side, "ndim", 1) and is_list(side)
        ]
        return max(sizes) if sizes and max(sizes) > 1 else None


@dataclass(slots=True)
class Sum:
    """A sum of coefficients times variables; can be sent to other processes."""

    coefficients: list[float]

    def __call__(self, x: Any) -> float:
        return sum(a * float(value) for a, value in zip(self.coefficients, x, strict=True))


@dataclass(slots=True)
class Constraints:
    """All that limits a problem."""

    tolerance: float  # of equalities
    sources: list[Source] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)  # linear ones: known before any evaluation
    returned: list[Limits] = field(default_factory=list)  # of what fun returns beside the objective
    named: dict[str, Limits] = field(default_factory=dict)  # likewise, by name


def read_constraints(constraints: object, space: Space, tolerance: float) -> Constraints:
    found = Constraints(tolerance)
    if constraints is None:
        return found
    if isinstance(constraints, Mapping) and "type" not in constraints:
        for name, pair in constraints.items():
            found.named[str(name)] = _limit_pair(f"constraints: {name}", pair, tolerance)
        return found
    if _is_one(constraints):
        constraints = [constraints]
    for i, one in enumerate(as_list("constraints", constraints)):
        _read_one(f"constraints[{i}]", one, space, found)
    return found


def _is_one(constraints: object) -> bool:
    """Whether this is a single constraint rather than a list of them; (None, 0) is one."""
    if isinstance(constraints, Mapping) or hasattr(constraints, "lb"):
        return True
    return (
        isinstance(constraints, tuple)
        and len(constraints) == 2
        and all(c is None or isinstance(c, int | float) for c in constraints)
    )


def _read_one(what: str, one: object, space: Space, found: Constraints) -> None:
    if isinstance(one, Mapping):
        found.sources.append(_read_old(what, one))
    elif hasattr(one, "A") and hasattr(one, "lb"):
        _read_linear(what, one, space, found)
    elif hasattr(one, "fun") and hasattr(one, "lb"):
        found.sources.append(_read_nonlinear(what, one))
    elif isinstance(one, Sequence) and not isinstance(one, str):
        found.returned.append(_limit_pair(what, one, found.tolerance))
    else:
        raise WrongTypeError(
            f"{what} must be a NonlinearConstraint, a LinearConstraint, a dict with 'type' and 'fun', or (min, max) for"
            f" a value that fun returns; not {kind(one)}"
        )


def _read_old(what: str, one: Mapping[str, Any]) -> Source:
    if one.get("type") not in ("eq", "ineq"):
        raise InvalidError(f"{what}: type must be 'eq' or 'ineq', not {one.get('type')!r}")
    if not callable(one.get("fun")):
        raise WrongTypeError(f"{what}: fun must be callable, not {kind(one.get('fun'))}")
    if one.get("jac") is not None:
        _warn_of_derivatives(f"{what}: jac")
    args = one.get("args", ())
    high = 0.0 if one["type"] == "eq" else math.inf
    return Source(what, one["fun"], args if isinstance(args, tuple) else (args,), 0.0, high)


def _read_nonlinear(what: str, one: Any) -> Source:
    if not callable(one.fun):
        raise WrongTypeError(f"{what}: fun must be callable, not {kind(one.fun)}")
    if bool_any(getattr(one, "keep_feasible", False)):
        raise InvalidError(
            f"{what}: keep_feasible cannot be promised: its values are known only once they were evaluated"
        )
    if callable(getattr(one, "jac", None)) or callable(getattr(one, "hess", None)):
        _warn_of_derivatives(f"{what}: jac and hess")
    return Source(what, one.fun, (), one.lb, one.ub)


def _read_linear(what: str, one: Any, space: Space, found: Constraints) -> None:
    """Rules on the free variables, what is fixed moved to the limits; an equality leaves a rule no room to search."""
    A = one.A.toarray() if hasattr(one.A, "toarray") else one.A  # noqa: N806
    matrix = [vector(f"{what}: A", row) for row in (A if is_list(A) and len(A) and is_list(A[0]) else [A])]
    low, high = spread(what, one.lb, one.ub, len(matrix))
    for row, least, most in zip(matrix, low, high, strict=True):
        if len(row) != len(space.names):
            raise InvalidError(f"{what}: A must have {len(space.names)} columns, as bounds has, not {len(row)}")
        if math.isinf(least) and math.isinf(most) and least < most:
            continue
        if least == most:
            found.sources.append(Source(what, Sum(row), (), least, most))
            continue
        check_limits(what, least, most, found.tolerance)
        known = sum(a * value for a, value, name in zip(row, space.fixed, space.names, strict=True) if name is None)
        free = tuple(a for a, name in zip(row, space.names, strict=True) if name is not None)
        if any(free):
            found.rows.append(Row(free, least - known, most - known))
        elif not least <= known <= most:
            raise InvalidError(f"{what} is broken by every design, for the variables in it are fixed")


def _limit_pair(what: str, pair: object, tolerance: float) -> Limits:
    return pair if isinstance(pair, Equal | YesNo) else check_limits(what, *_bound_pair(what, pair), tolerance)


def check_limits(what: str, low: float, high: float, tolerance: float) -> Limits:
    if math.isnan(low) or math.isnan(high):
        raise InvalidError(f"{what}: limits must not be nan")
    if low == high:
        return Equal(low, tolerance)
    if low > high:
        raise InvalidError(f"{what}: the lower limit {low:g} is above the upper one, {high:g}")
    if math.isinf(low) and math.isinf(high):
        raise InvalidError(f"{what} needs a lower or an upper limit")
    return low, high


def _warn_of_derivatives(what: str) -> None:
    warnings.warn(f"{what}: derivatives are not used", RuntimeWarning, stacklevel=5)


# --- numbers in any shape ---


def is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def bool_any(value: object) -> bool:
    return any(bool(v) for v in value) if isinstance(value, Iterable) and is_list(value) else bool(value)


def vector(what: str, value: object, *, finite: bool = True) -> list[float]:
    """Numbers from a number, a list or an array of one dimension."""
    if not is_list(value):
        item = getattr(value, "item", None)
        value = [item() if item is not None and getattr(value, "ndim", 1) == 0 else value]
    numbers = [as_number(f"{what}[{i}]", v) for i, v in enumerate(as_list(what, value))]
    for i, number in enumerate(numbers):
        if finite and not math.isfinite(number):
            raise InvalidError(f"{what}[{i}] must be finite, not {number}")
    return numbers


def spread(what: str, low: object, high: object, count: int | None) -> tuple[list[float], list[float]]:
    """Lower and upper limits of the same length, a single one standing for all."""
    lows, highs = vector(f"{what}: lb", low, finite=False), vector(f"{what}: ub", high, finite=False)
    n = count if count is not None else max(len(lows), len(highs))
    for side, values in (("lb", lows), ("ub", highs)):
        if len(values) not in (1, n):
            raise InvalidError(f"{what}: {side} must have {n} values or one, not {len(values)}")
    return lows * n if len(lows) == 1 else lows, highs * n if len(highs) == 1 else highs
