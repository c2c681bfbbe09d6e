"""A study's definition in Python's words: checked once, and turned into the library's problem and options."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ._binding import ffi, lib
from ._core import (
    as_bytes,
    as_finite,
    as_integer,
    as_list,
    as_number,
    as_text,
    as_truth,
    check,
    doubles,
    kind,
    text,
)
from ._errors import InvalidError, NotFoundError, WrongTypeError
from ._parameters import Categorical, Integer, Parameter, Real, check_parameter


class Row(NamedTuple):
    """A linear rule: low <= the sum of coefficients times parameters <= high."""

    coefficients: tuple[float, ...]
    low: float
    high: float


class Equal(tuple[float, float]):
    """A constraint that should be `value`, give or take `tolerance`, in its own units.

    It is the pair (value - tolerance, value + tolerance) wherever limits are asked for.
    """

    value: float
    tolerance: float

    def __new__(cls, value: float, tolerance: float) -> Equal:
        middle, off = as_finite("Equal: value", value), as_finite("Equal: tolerance", tolerance)
        if not middle - off < middle < middle + off:
            raise InvalidError(f"Equal: tolerance must be above 0 and seen beside {middle:g}, not {off:g}")
        self = super().__new__(cls, (middle - off, middle + off))
        self.value, self.tolerance = middle, off
        return self

    def __getnewargs__(self) -> tuple[float, float]:
        return self.value, self.tolerance

    def __repr__(self) -> str:
        return f"Equal({self.value!r}, {self.tolerance!r})"


class YesNo(tuple[float, float]):
    """A constraint that answers only whether the design is feasible: tell True or False.

    It is the pair (0.5, inf) wherever limits are asked for, yes being 1 and no 0.
    """

    def __new__(cls) -> YesNo:
        return super().__new__(cls, (0.5, math.inf))

    def __getnewargs__(self) -> tuple[()]:
        return ()

    def __repr__(self) -> str:
        return "YesNo()"


@dataclass(frozen=True)
class Definition:
    """What may vary, what to minimise, and which limits must hold."""

    parameters: dict[str, Parameter]
    objective: str
    maximize: bool = False
    constraints: dict[str, tuple[float, float]] = field(default_factory=dict)
    # 0: none, above 0: the standard deviation, "varying": estimated from place to place; missing: estimated
    noise: dict[str, float | str] = field(default_factory=dict)
    positive: tuple[str, ...] = ()
    rules: tuple[str | Row, ...] = ()
    constants: dict[str, float] = field(default_factory=dict)
    choose_from: tuple[tuple[float, ...], ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)  # passed on with every design
    costs: dict[str, float] = field(default_factory=dict)  # of measuring an outcome alone
    groups: tuple[tuple[str, ...], ...] = ()  # of outcomes that come together

    @property
    def separate(self) -> bool:
        """Whether outcomes can be measured one at a time."""
        return bool(self.costs or self.groups)

    @property
    def answers(self) -> list[bool]:
        """Of the objective, then the constraints: whether it answers yes or no."""
        return [False, *(isinstance(limits, YesNo) for limits in self.constraints.values())]

    @property
    def cheapest(self) -> float:
        """What the cheapest step costs, where outcomes can be measured one at a time: an outcome or a group."""
        cost = {name: self.costs.get(name, 1.0) for name in self.outcomes}
        alone = [cost[name] for name in self.outcomes if not any(name in group for group in self.groups)]
        return min([*alone, *(sum(cost[name] for name in group) for group in self.groups)])

    @property
    def outcomes(self) -> list[str]:
        """The objective, then the constraints."""
        return [self.objective, *self.constraints]

    def encode(self, what: str, design: object) -> list[float]:
        """The library's numbers of a design that is given by names."""
        if not isinstance(design, Mapping):
            raise WrongTypeError(f"{what} must be a mapping from parameters to values, not {kind(design)}")
        for name, value in design.items():
            if name in self.fixed and value != self.fixed[name]:
                raise InvalidError(f"{what}: {name} is fixed at {self.fixed[name]!r}")
            if name not in self.parameters and name not in self.fixed:
                raise NotFoundError(f"{what}: there is no parameter {name!r}; there are {', '.join(self.parameters)}")
        for name in self.parameters:
            if name not in design:
                raise InvalidError(f"{what}: the parameter {name!r} is missing")
        return [parameter.encode(f"{what}: {name}", design[name]) for name, parameter in self.parameters.items()]

    def decode(self, x: Sequence[float]) -> dict[str, Any]:
        """A design by names."""
        varied = {
            name: parameter.decode(number) for (name, parameter), number in zip(self.parameters.items(), x, strict=True)
        }
        return varied | self.fixed if self.fixed else varied

    def problem(self) -> Any:
        """The library's problem, which checks everything."""
        out = ffi.new("ckg_problem **")
        check(lib.ckg_problem_new(out))
        problem = ffi.gc(out[0], lib.ckg_problem_free)

        for name, parameter in self.parameters.items():
            _add_parameter(problem, as_bytes("parameters: a name", name), parameter)
        goal = lib.CKG_MAXIMIZE if self.maximize else lib.CKG_MINIMIZE
        check(lib.ckg_problem_set_objective(problem, as_bytes("objective", self.objective), goal))
        for name, limits in self.constraints.items():
            _add_constraint(problem, as_bytes("constraints: a name", name), limits)
        for name, given in self.noise.items():
            sd = 0.0 if isinstance(given, str) else given
            how = lib.CKG_NOISE_VARYING if given == "varying" else lib.CKG_NOISE_KNOWN if sd else lib.CKG_NOISE_NONE
            check(lib.ckg_problem_set_noise(problem, as_bytes("noise: a name", name), how, sd))
        for name in self.positive:
            check(lib.ckg_problem_set_positive(problem, as_bytes("positive", name), 1))
        for name, cost in self.costs.items():
            check(lib.ckg_problem_set_cost(problem, as_bytes("costs: a name", name), cost))
        for group in self.groups:
            names = [ffi.new("char[]", as_bytes("groups", name)) for name in group]
            check(lib.ckg_problem_add_group(problem, len(names), ffi.new("char *[]", names)))
        for name, value in self.constants.items():
            check(lib.ckg_problem_add_constant(problem, as_bytes("constants: a name", name), value))
        for rule in self.rules:
            _add_rule(problem, rule)
        if self.choose_from:
            rows = [number for x in self.choose_from for number in x]
            check(lib.ckg_problem_set_designs(problem, len(self.choose_from), doubles(rows)))
        return problem


def _add_parameter(problem: Any, name: bytes, parameter: Parameter) -> None:
    if isinstance(parameter, Categorical):
        names = [ffi.new("char[]", as_bytes("Categorical: values", value)) for value in parameter.names()]
        check(lib.ckg_problem_add_categorical(problem, name, len(names), ffi.new("char *[]", names)))
        return
    if isinstance(parameter, Real):
        check(lib.ckg_problem_add_real(problem, name, parameter.low, parameter.high, lib.CKG_LINEAR))
    else:
        check(lib.ckg_problem_add_integer(problem, name, parameter.low, parameter.high))
    if parameter.log:
        check(lib.ckg_problem_set_scale(problem, name, lib.CKG_LOG))
    if parameter.step is not None and not (isinstance(parameter, Integer) and parameter.step == 1):
        check(lib.ckg_problem_set_step(problem, name, parameter.step))


def _add_constraint(problem: Any, name: bytes, limits: tuple[float, float]) -> None:
    if isinstance(limits, Equal):
        check(lib.ckg_problem_add_equality(problem, name, limits.value, limits.tolerance))
    elif isinstance(limits, YesNo):
        check(lib.ckg_problem_add_yesno(problem, name))
    else:
        check(lib.ckg_problem_add_constraint(problem, name, *limits))


def _add_rule(problem: Any, rule: str | Row) -> None:
    if isinstance(rule, Row):
        check(lib.ckg_problem_add_rule_row(problem, doubles(rule.coefficients), rule.low, rule.high))
    else:
        check(lib.ckg_problem_add_rule(problem, as_bytes("rules", rule), ffi.NULL))


# --- from what people write ---


def define(
    parameters: object,
    objective: object,
    constraints: object,
    *,
    maximize: object = False,
    noise: object = "auto",
    positive: object = (),
    rules: object = (),
    constants: object = None,
    choose_from: object = None,
    costs: object = None,
    groups: object = (),
) -> Definition:
    """The definition that these arguments of Study give, each checked."""
    space = _read_parameters(parameters)
    name = as_text("objective", objective)
    limits = _read_constraints(constraints)
    outcomes = [name, *limits]
    if name in limits:
        raise InvalidError(f"constraints: {name!r} is the name of the objective")
    for outcome in outcomes:
        if outcome in space:
            what = "objective" if outcome == name else "constraints"
            raise InvalidError(f"{what}: {outcome!r} is the name of a parameter")
    definition = Definition(
        space,
        name,
        as_truth("maximize", maximize),
        limits,
        _read_noise(noise, outcomes, [name for name in limits if isinstance(limits[name], YesNo)]),
        _read_positive(positive, outcomes),
        tuple(rule if isinstance(rule, Row) else as_text("rules: a rule", rule) for rule in as_list("rules", rules)),
        _read_constants(constants),
        costs=_read_costs(costs, outcomes),
        groups=_read_groups(groups, outcomes),
    )
    if choose_from is None:
        return definition

    listed = [tuple(definition.encode("choose_from", design)) for design in designs_of("choose_from", choose_from)]
    if not listed:
        raise InvalidError("choose_from must have at least one design")
    return Definition(**{**definition.__dict__, "choose_from": tuple(listed)})


def changed_definition(
    old: Definition,
    parameters: object,
    constraints: object,
    maximize: object,
    noise: object,
    rules: object,
    was: object,
) -> tuple[Definition, dict[str, Any]]:
    """The definition with what is given instead, and the values that new parameters had so far."""
    for what, given in (("parameters", parameters), ("constraints", constraints), ("was", was)):
        if given is not None and not isinstance(given, Mapping):
            raise WrongTypeError(f"{what} must be a mapping, not {kind(given)}")
    assert isinstance(parameters, Mapping | None) and isinstance(constraints, Mapping | None)
    limits: dict[str, Any] = {**old.constraints, **(constraints or {})}
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    kept = {name: sd or "none" for name, sd in old.noise.items() if name == old.objective or name in limits}
    now = define(
        {**old.parameters, **(parameters or {})},
        old.objective,
        limits,
        maximize=old.maximize if maximize is None else maximize,
        noise=kept if noise is None else noise,
        positive=[name for name in old.positive if name == old.objective or name in limits],
        rules=old.rules if rules is None else rules,
        constants=old.constants,
        costs={name: cost for name, cost in old.costs.items() if name == old.objective or name in limits},
        groups=[group for group in old.groups if all(name == old.objective or name in limits for name in group)],
    )
    before = {as_text("was: a name", name): value for name, value in was.items()} if isinstance(was, Mapping) else {}
    for name in before:
        if name not in now.parameters or name in old.parameters:
            raise NotFoundError(f"was: {name!r} is no new parameter")
    return replace(now, choose_from=old.choose_from, fixed=old.fixed), before


def _read_parameters(parameters: object) -> dict[str, Parameter]:
    if not isinstance(parameters, Mapping):
        raise WrongTypeError(f"parameters must be a mapping from names to parameters, not {kind(parameters)}")
    if not parameters:
        raise InvalidError("parameters must have at least one")
    return {
        as_text("parameters: a name", name): check_parameter(f"parameters: {name}", given)
        for name, given in parameters.items()
    }


def _read_constraints(constraints: object) -> dict[str, tuple[float, float]]:
    if constraints is None:
        return {}
    if not isinstance(constraints, Mapping):
        raise WrongTypeError(f"constraints must be a mapping from names to (min, max), not {kind(constraints)}")
    return {
        as_text("constraints: a name", name): _read_limits(f"constraints: {name}", given)
        for name, given in constraints.items()
    }


def _read_limits(what: str, given: object) -> tuple[float, float]:
    if given is YesNo:
        return YesNo()
    if isinstance(given, Equal | YesNo):
        return given
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or len(given) != 2:
        raise WrongTypeError(f"{what} must be a pair (min, max), with None for no limit, Equal or YesNo, not {given!r}")
    low, high = given
    least = -math.inf if low is None else as_number(f"{what}: min", low)
    most = math.inf if high is None else as_number(f"{what}: max", high)
    if math.isnan(least) or math.isnan(most):
        raise InvalidError(f"{what}: min and max must be numbers, not nan")
    if least == most:
        raise InvalidError(f"{what}: min and max are both {least:g}; write Equal({least:g}, tolerance)")
    if not least < most:
        raise InvalidError(f"{what}: min must be less than max, not {least:g} and {most:g}")
    if math.isinf(least) and math.isinf(most):
        raise InvalidError(f"{what} needs a min or a max")
    return least, most


def _read_noise(noise: object, outcomes: list[str], answers: list[str]) -> dict[str, float | str]:
    if not isinstance(noise, Mapping):
        noise = {name: noise for name in outcomes if name not in answers}
    found: dict[str, float | str] = {}
    for name, given in noise.items():
        if name not in outcomes:
            raise NotFoundError(f"noise: there is no outcome {name!r}; there are {', '.join(outcomes)}")
        if name in answers:
            raise InvalidError(f"noise: {name!r} answers yes or no and has no noise")
        if isinstance(given, str):
            if given not in ("auto", "varying", "none"):
                raise InvalidError(f"noise must be 'auto', 'varying', 'none' or a standard deviation, not {given!r}")
            if given != "auto":
                found[name] = 0.0 if given == "none" else given
        elif given is not None:
            sd = as_finite("noise", given)
            if sd < 0:
                raise InvalidError(f"noise must not be negative, as {sd:g} is")
            found[name] = sd
    return found


def _read_costs(costs: object, outcomes: list[str]) -> dict[str, float]:
    if costs is None:
        return {}
    if not isinstance(costs, Mapping):
        raise WrongTypeError(f"costs must be a mapping from outcomes to numbers, not {kind(costs)}")
    for name in costs:
        if name not in outcomes:
            raise NotFoundError(f"costs: there is no outcome {name!r}; there are {', '.join(outcomes)}")
    return {name: as_finite(f"costs: {name}", cost) for name, cost in costs.items()}


def _read_groups(groups: object, outcomes: list[str]) -> tuple[tuple[str, ...], ...]:
    found = tuple(
        tuple(as_text("groups: a name", name) for name in as_list("groups: a group", group))
        for group in as_list("groups", groups)
    )
    for name in (name for group in found for name in group):
        if name not in outcomes:
            raise NotFoundError(f"groups: there is no outcome {name!r}; there are {', '.join(outcomes)}")
    return found


def _read_positive(positive: object, outcomes: list[str]) -> tuple[str, ...]:
    names = [positive] if isinstance(positive, str) else as_list("positive", positive)
    for name in names:
        if name not in outcomes:
            raise NotFoundError(f"positive: there is no outcome {name!r}; there are {', '.join(outcomes)}")
    return tuple(names)


def _read_constants(constants: object) -> dict[str, float]:
    if constants is None:
        return {}
    if not isinstance(constants, Mapping):
        raise WrongTypeError(f"constants must be a mapping from names to numbers, not {kind(constants)}")
    return {
        as_text("constants: a name", name): as_finite(f"constants: {name}", value) for name, value in constants.items()
    }


def designs_of(what: str, points: object) -> list[Any]:
    """Designs from a list of mappings or from a DataFrame."""
    if isinstance(points, Mapping):
        raise WrongTypeError(f"{what} must be a list of designs, not one")
    to_dict = getattr(points, "to_dict", None)
    if to_dict is not None and hasattr(points, "columns"):
        return list(to_dict("records"))
    return as_list(what, points)


# --- how it works ---


@dataclass(frozen=True)
class Options:
    """How a study works: the library's ckg_options."""

    policy: str = "auto"
    settings: dict[str, float] = field(default_factory=dict)
    seed: int = 1
    budget: int | None = None
    initial: int | None = None
    threads: int = 1
    failures: str = "model"
    named: dict[str, str] = field(default_factory=dict)  # those of the library's list, as texts

    def fill(self) -> tuple[Any, list[Any]]:
        """The library's struct, and what must live as long as it is read."""
        options = ffi.new("ckg_options *")
        check(lib.ckg_options_init(options, lib.CKG_OPTIONS_VERSION))

        names = [ffi.new("char[]", as_bytes("settings: a name", name)) for name in self.settings]
        settings = ffi.new("ckg_setting[]", len(names))
        for setting, name, number in zip(settings, names, self.settings.values(), strict=True):
            setting.name, setting.value = name, number
        policy = ffi.new("char[]", as_bytes("policy", self.policy))
        failures = ffi.new("char[]", as_bytes("failures", self.failures))

        options.policy, options.failures = policy, failures
        options.settings_count, options.settings = len(names), settings
        options.seed, options.threads = self.seed, self.threads
        options.initial = -1 if self.initial is None else self.initial
        options.budget = 0 if self.budget is None else self.budget
        for option, value in self.named.items():
            check(lib.ckg_options_set(options, as_bytes("an option's name", option), as_bytes(option, value)))
        return options, [names, settings, policy, failures]


def choose_options(
    *,
    policy: object = "auto",
    settings: object = None,
    seed: object = None,
    budget: object = None,
    initial: object = None,
    threads: object = 1,
    failures: object = "model",
    **named: object,
) -> Options:
    """The options that these arguments of Study give, each checked."""
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise WrongTypeError(
            f"settings must be a mapping from the policy's parameters to numbers, not {kind(settings)}"
        )
    return Options(
        as_text("policy", policy),
        {as_text("settings: a name", name): as_finite(f"settings: {name}", value) for name, value in settings.items()},
        int.from_bytes(os.urandom(4), "little") if seed is None else _read_seed(seed),
        None if budget is None else as_integer("budget", budget, 1, 2**31 - 1),
        None if initial is None else as_integer("initial", initial, 0, 100_000),
        as_integer("threads", threads, 0, 256),
        as_text("failures", failures),
        {name: _option_text(name, value) for name, value in named.items()},
    )


def _read_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise WrongTypeError(f"seed must be an integer, not {kind(seed)}")
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise InvalidError(f"seed must be from 0 to 2**64 - 1, not {number}")
    return number


def _option_text(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return f"{as_number(name, value):.17g}"


@dataclass(frozen=True)
class OptionInfo:
    """An option of models and search: its name, what it may be, and what it does."""

    name: str
    values: str
    default: str
    help: str


def options() -> list[OptionInfo]:
    """The options that Study takes by name beside its own arguments: the library's list."""
    defaults = ffi.new("ckg_options *")
    check(lib.ckg_options_init(defaults, lib.CKG_OPTIONS_VERSION))
    info = ffi.new("ckg_option_info *")
    buffer = ffi.new("char[]", 512)
    found = []
    for index in range(lib.ckg_option_count()):
        check(lib.ckg_option_at_sized(index, info, ffi.sizeof("ckg_option_info")))
        values = text(lib.ckg_option_values_text(info, buffer, len(buffer)))
        check(lib.ckg_options_get(defaults, info.name, buffer, len(buffer)))
        found.append(OptionInfo(text(info.name), values, text(buffer), text(info.help)))
    return found


@dataclass(frozen=True)
class SettingInfo:
    """A number that a policy takes."""

    name: str
    default: str
    low: float
    high: float
    integer: bool
    help: str


@dataclass(frozen=True)
class PolicyInfo:
    """A policy: a way to choose the next design."""

    name: str
    title: str
    reference: str
    value: str
    settings: tuple[SettingInfo, ...]


def policies() -> list[PolicyInfo]:
    """The built-in policies with their settings: the library's list."""
    info = ffi.new("ckg_policy_info *")
    found = []
    for index in range(lib.ckg_policy_count()):
        check(lib.ckg_policy_at_sized(index, info, ffi.sizeof("ckg_policy_info")))
        settings = tuple(_setting(info.parameters + i) for i in range(info.count))
        found.append(PolicyInfo(text(info.name), text(info.title), text(info.reference), text(info.value), settings))
    return found


def _setting(p: Any) -> SettingInfo:
    buffer = ffi.new("char[]", 256)
    default = text(lib.ckg_policy_parameter_default_text(p, buffer, len(buffer)))
    return SettingInfo(text(p.name), default, p.low, p.high, bool(p.integer), text(p.help))


def names_of(what: str, names: Iterable[str], name: object) -> str:
    """The name, if it is one of these."""
    listed = list(names)
    if name not in listed:
        raise NotFoundError(f"{what}: there is no {name!r}; there are {', '.join(listed)}")
    return str(name)
