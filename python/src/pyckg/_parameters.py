"""What may vary: real numbers, integers, categories."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ._core import as_finite, as_integer, as_list, as_number, as_truth, kind
from ._errors import InvalidError, WrongTypeError


@dataclass(frozen=True, init=False)
class Real:
    """A real number from `low` to `high`.

    With `log=True` ratios matter rather than differences. With `step`, only low, low + step, … are suggested.
    """

    low: float
    high: float
    log: bool
    step: float | None

    def __init__(self, low: float, high: float, *, log: bool = False, step: float | None = None) -> None:
        _set_range(self, as_finite("Real: low", low), as_finite("Real: high", high), as_truth("Real: log", log))
        object.__setattr__(self, "step", None if step is None else _positive("Real: step", step))

    def encode(self, what: str, value: object) -> float:
        return _within(what, as_number(what, value), self.low, self.high)

    def decode(self, number: float) -> float:
        return number


@dataclass(frozen=True, init=False)
class Integer:
    """An integer from `low` to `high`, both included; `log` and `step` as for Real."""

    low: int
    high: int
    log: bool
    step: int | None

    def __init__(self, low: int, high: int, *, log: bool = False, step: int | None = None) -> None:
        _set_range(
            self,
            as_integer("Integer: low", low),
            as_integer("Integer: high", high),
            as_truth("Integer: log", log),
        )
        object.__setattr__(self, "step", None if step is None else as_integer("Integer: step", step, 1))

    def encode(self, what: str, value: object) -> float:
        return _within(what, float(as_integer(what, value)), self.low, self.high)

    def decode(self, number: float) -> int:
        return int(number)


@dataclass(frozen=True, init=False)
class Categorical:
    """One of several values of any kind, without order; 1, 1.0 and True are three different ones."""

    values: tuple[Any, ...]
    _places: dict[Any, int] = field(repr=False, compare=False)

    log: ClassVar[bool] = False
    step: ClassVar[None] = None

    def __init__(self, values: Iterable[Any]) -> None:
        listed = as_list("Categorical: values", values)
        if len(listed) < 2:
            raise InvalidError(f"Categorical: values must be at least two, not {len(listed)}")
        places: dict[Any, int] = {}
        for place, value in enumerate(listed):
            if places.setdefault(_key(value), place) != place:
                raise InvalidError(f"Categorical: values has {value!r} twice")
        object.__setattr__(self, "values", tuple(listed))
        object.__setattr__(self, "_places", places)

    def encode(self, what: str, value: object) -> float:
        place = self._places.get(_key(value))
        if place is None:
            place = next((p for p, known in enumerate(self.values) if _equal(known, value)), None)
        if place is None:
            raise InvalidError(f"{what} must be one of {', '.join(map(repr, self.values))}, not {value!r}")
        return float(place)

    def decode(self, number: float) -> Any:
        return self.values[int(number)]

    def names(self) -> list[str]:
        """The values as texts, no two the same: as rules name them."""
        plain = [_name(value) for value in self.values]
        return [
            name if plain.count(name) == 1 else f"{name} ({kind(v)} {i})"
            for i, (name, v) in enumerate(zip(plain, self.values, strict=True))
        ]


Parameter = Real | Integer | Categorical


def _set_range(parameter: Real | Integer, low: float, high: float, log: bool) -> None:
    what = type(parameter).__name__
    if not low < high:
        raise InvalidError(f"{what}: low must be less than high, not {low:g} and {high:g}")
    if log and low <= 0:
        raise InvalidError(f"{what}: low must be above 0 on a log scale, not {low:g}")
    object.__setattr__(parameter, "low", low)
    object.__setattr__(parameter, "high", high)
    object.__setattr__(parameter, "log", log)


def _positive(what: str, value: object) -> float:
    number = as_finite(what, value)
    if number <= 0:
        raise InvalidError(f"{what} must be above 0, not {number:g}")
    return number


def _within(what: str, number: float, low: float, high: float) -> float:
    if low <= number <= high:
        return number
    said = "a number" if math.isnan(number) else f"from {low:g} to {high:g}"
    raise InvalidError(f"{what} must be {said}, not {number:.17g}")


def _key(value: object) -> Any:
    try:
        hash(value)
    except TypeError:
        return (type(value), repr(value))
    return (type(value), value)


def _equal(known: object, value: object) -> bool:
    """Whether a value of another kind is the same: NumPy's 8 for 8, but not True for 1."""
    if isinstance(known, bool) != (kind(value) in ("bool", "bool_")):
        return False
    try:
        return bool(known == value)
    except (TypeError, ValueError):
        return False


def _name(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def check_parameter(what: str, value: object) -> Parameter:
    if not isinstance(value, Real | Integer | Categorical):
        raise WrongTypeError(f"{what} must be a Real, an Integer or a Categorical, not {kind(value)}")
    return value
