"""A definition as the program writes it: JSON in the shape of a problem file, both ways."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._backend import Measurement
from ._binding import lib
from ._core import kind
from ._definition import Definition, Equal, Options, Row, YesNo
from ._errors import InvalidError
from ._parameters import Categorical, Integer, Parameter, Real

# --- from Python ---


def write_definition(definition: Definition, name: str, designs: Iterable[Sequence[float]]) -> dict[str, Any]:
    """What the study is about; how it works is write_options."""
    d = definition
    out: dict[str, Any] = {"name": name, "goal": "maximize" if d.maximize else "minimize"}
    out["parameters"] = {key: _write_parameter(parameter) for key, parameter in d.parameters.items()}
    out["parameters"] |= {key: {"value": value} for key, value in d.constants.items()}
    rules = [text for rule in d.rules for text in _write_rule(rule, list(d.parameters))]
    if rules:
        out["rules"] = rules
    out["objective"] = {"name": d.objective, **_write_outcome(d, d.objective)}
    if d.constraints:
        out["constraints"] = {
            key: {**_write_limits(limits), **_write_outcome(d, key)} for key, limits in d.constraints.items()
        }
    if d.groups:
        out["groups"] = [list(group) for group in d.groups]
    if d.choose_from:
        out["choose_from"] = [write_design(d, x) for x in d.choose_from]
    first = [write_design(d, x) for x in designs]
    if first:
        out["designs"] = first
    return out


def write_options(options: Options, *, drawn: bool) -> dict[str, Any]:
    """How it works; a seed that was only drawn is left to the store."""
    o = options
    out: dict[str, Any] = {"policy": {"name": o.policy, **o.settings} if o.settings else o.policy}
    out["failures"] = o.failures
    if o.named:
        out["model"] = {key: _number_or_text(value) for key, value in o.named.items()}
    for key, value in (("seed", None if drawn else o.seed), ("budget", o.budget), ("initial", o.initial)):
        if value is not None:
            out[key] = value
    return out


def _number_or_text(value: str) -> float | str:
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    return int(number) if number.is_integer() else number


def write_design(definition: Definition, x: Sequence[float]) -> dict[str, Any]:
    """A design by names, with values that JSON has."""
    return {
        key: categories(parameter)[int(number)] if isinstance(parameter, Categorical) else parameter.decode(number)
        for (key, parameter), number in zip(definition.parameters.items(), x, strict=True)
    }


def write_values(definition: Definition, measured: Iterable[Measurement]) -> dict[str, Any]:
    """What was measured, by names."""
    return {
        definition.outcomes[m.outcome]: m.value > 0
        if definition.answers[m.outcome]
        else m.value
        if m.sd == lib.CKG_SD_DEFAULT
        else [m.value, m.sd]
        for m in measured
    }


def categories(parameter: Categorical) -> list[Any]:
    """The values as JSON has them: numbers, truths and texts as they are, all else by its text."""
    names = parameter.names()
    return [
        value if _is_plain(value) and name == _plain_name(value) else name
        for name, value in zip(names, parameter.values, strict=True)
    ]


def _is_plain(value: object) -> bool:
    return type(value) in (str, bool, int) or (type(value) is float and math.isfinite(value))


def _plain_name(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _write_parameter(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, Categorical):
        return {"type": "categorical", "values": categories(parameter)}
    out: dict[str, Any] = {
        "type": "real" if isinstance(parameter, Real) else "integer",
        "low": parameter.low,
        "high": parameter.high,
    }
    if parameter.log:
        out["scale"] = "log"
    if parameter.step is not None and not (isinstance(parameter, Integer) and parameter.step == 1):
        out["step"] = parameter.step
    return out


def _write_limits(limits: tuple[float, float]) -> dict[str, Any]:
    if isinstance(limits, YesNo):
        return {"type": "yesno"}
    if isinstance(limits, Equal):
        return {"equal": limits.value, "tolerance": limits.tolerance}
    return {key: value for key, value in zip(("min", "max"), limits, strict=True) if math.isfinite(value)}


def _write_outcome(definition: Definition, name: str) -> dict[str, Any]:
    sd = definition.noise.get(name)
    out: dict[str, Any] = {} if sd is None else {"noise": sd or "none"}
    if name in definition.positive:
        out["positive"] = True
    if name in definition.costs:
        out["cost"] = definition.costs[name]
    return out


def _write_rule(rule: str | Row, names: list[str]) -> list[str]:
    """A rule as text; a linear one with a limit on each side is two."""
    if isinstance(rule, str):
        return [rule]
    for name in names:
        if "`" in name:
            raise InvalidError(f"rules: the parameter {name!r} has a backtick, so that no rule in a store can name it")
    terms = [f"{c!r} * `{name}`" for c, name in zip(rule.coefficients, names, strict=True) if c]
    total = " + ".join(terms) or "0"
    sides = [(">=", rule.low), ("<=", rule.high)]
    return [f"{total} {sign} {limit!r}" for sign, limit in sides if math.isfinite(limit)]


# --- to Python ---


def read_definition(given: Mapping[str, Any]) -> Definition:
    """The definition of a study that the program keeps; its list of designs stays there."""
    parameters = {key: _read_parameter(key, p) for key, p in given["parameters"].items() if "value" not in p}
    outcomes = {given["objective"]["name"]: given["objective"], **given.get("constraints", {})}
    return Definition(
        parameters,
        given["objective"]["name"],
        given["goal"] == "maximize",
        {key: _read_limits(c) for key, c in given.get("constraints", {}).items()},
        {key: _read_noise(o["noise"]) for key, o in outcomes.items() if o.get("noise", "auto") != "auto"},
        tuple(key for key, o in outcomes.items() if o.get("positive")),
        tuple(given.get("rules", ())),
        fixed={key: p["value"] for key, p in given["parameters"].items() if "value" in p},
        costs={key: float(o["cost"]) for key, o in outcomes.items() if "cost" in o},
        groups=tuple(tuple(group) for group in given.get("groups", ())),
    )


def _read_limits(given: Mapping[str, Any]) -> tuple[float, float]:
    if given.get("type") == "yesno":
        return YesNo()
    if "equal" in given:
        return Equal(given["equal"], given["tolerance"])
    return given.get("min", -math.inf), given.get("max", math.inf)


def read_options(given: Mapping[str, Any], threads: int) -> Options:
    policy = given["policy"]
    settings = dict(policy) if isinstance(policy, Mapping) else {"name": policy}
    settings.pop("was", None)  # what the policy was called once
    return Options(
        settings.pop("name"),
        settings,
        given["seed"],
        given.get("budget"),
        given.get("initial"),
        threads,
        given["failures"],
        {key: str(value) for key, value in given.get("model", {}).items()},
    )


def read_design(definition: Definition, given: Mapping[str, Any]) -> dict[str, Any]:
    """A design that the program wrote, with the values that the study has."""
    return {
        key: parameter.values[_place(categories(parameter), given[key])]
        if isinstance(parameter, Categorical)
        else parameter.decode(given[key])
        for key, parameter in definition.parameters.items()
    } | definition.fixed


def _place(values: list[Any], value: object) -> int:
    """Where it is among them; 1 and True are two."""
    return next(i for i, one in enumerate(values) if one == value and kind(one) == kind(value))


def _read_parameter(name: str, given: Mapping[str, Any]) -> Parameter:
    if given["type"] == "categorical":
        return Categorical(given["values"])
    how: dict[str, Any] = {"log": given.get("scale") == "log", "step": given.get("step")}
    return (Real if given["type"] == "real" else Integer)(given["low"], given["high"], **how)


def _read_noise(given: object) -> float | str:
    return float(given) if isinstance(given, int | float) else "varying" if given == "varying" else 0.0
