"""What a study answers, by names and in the user's own units. None is what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from typing import Any


@dataclass(slots=True)
class Estimate:
    """An outcome as the models have it: of the outcome itself, without the noise of a measurement."""

    mean: float | None
    sd: float | None
    probability: float | None = None  # of meeting the limits, for a constraint
    noise_sd: float | None = None  # of one more evaluation there, where it was asked for by predict

    def __str__(self) -> str:
        """As people read it: 1.9 ± 0.05, met with probability 0.98."""
        if self.mean is None:
            return "not known yet"
        met = "" if self.probability is None else f", met with probability {_chance(self.probability)}"
        return _estimated(self.mean, self.sd) + met


@dataclass(slots=True)
class Prediction:
    """What the models say of a design."""

    parameters: dict[str, Any]
    outcomes: dict[str, Estimate]
    probability_feasible: float | None
    utility: float | None = None


@dataclass(slots=True)
class Trial:
    """A design with what became of it: `f(**trial)` and trial["wire"] give its parameters."""

    number: int
    parameters: dict[str, Any]
    state: str = "pending"  # or running, complete, failed, discarded
    values: dict[str, float] = field(default_factory=dict)
    sds: dict[str, float] = field(default_factory=dict)  # of the noise, where it was told
    feasible: bool | None = None
    origin: str = ""  # how the design was chosen: design, user, or the policy's way
    why: str = ""  # it failed
    seconds: float | None = None
    value: float | None = None  # the policy's value of the design, when it was asked for
    predicted: Prediction | None = None  # before the evaluation, when it was asked for
    measure: list[str] | None = None  # which outcomes, where they can be measured one at a time
    chosen_by: str = ""  # a policy's name, "initial", "local", "explore", "repeat", "restart", "random" or "user"
    reason: str = ""  # why this design, a sentence for people

    def keys(self) -> Iterator[str]:
        return iter(self.parameters)

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)


@dataclass(slots=True)
class Recommendation:
    """What to build, given all that was told so far."""

    parameters: dict[str, Any]
    objective: Estimate
    constraints: dict[str, Estimate]
    probability_feasible: float | None
    utility: float | None
    penalty: float | None
    evaluations: int
    best: Trial | None  # the best that measured feasible
    trial: int | None  # the last trial of this very design
    measured: bool  # the objective is what was measured there without noise, and no prediction
    most_violated: str | None  # the constraint broken by most, where no design is likely to be feasible

    def __str__(self) -> str:
        """As people read it."""
        width = max(map(len, (*self.parameters, *self.constraints, "objective")))
        known = "" if self.trial is None else f", the design of trial {self.trial}"
        lines = [f"recommended after {self.evaluations} evaluation{'s' * (self.evaluations != 1)}{known}:"]
        lines += [f"  {name:{width}}  {_short(value)}" for name, value in self.parameters.items()]
        lines += [f"{'measured' if self.measured else 'predicted'}:", f"  {'objective':{width}}  {self.objective}"]
        lines += [f"  {name:{width}}  {outcome}" for name, outcome in self.constraints.items()]
        if self.constraints and self.measured:
            lines.append(f"feasible, as measured in trial {self.trial}")
        elif self.constraints and self.probability_feasible is not None:
            lines.append(f"feasible with probability {_chance(self.probability_feasible)}")
        if self.best is not None:
            lines.append(f"best feasible design evaluated: trial {self.best.number}")
        return "\n".join(lines)


@dataclass(slots=True)
class Gain:
    """What more evaluations are expected to gain, in the objective's units."""

    next: float | None
    remaining: float | None
    perfect_information: float | None
    perfect_information_rough: float | None
    objective: float | None
    left: int | None


@dataclass(slots=True)
class Model:
    """A fitted model; length-scales in the unit cube, all else in the outcome's units."""

    kernel: str
    observations: int
    samples: int
    lengthscales: dict[str, float | None]
    signal_sd: float | None
    noise_sd: float | None
    mean: float | None
    log_likelihood: float | None
    warp: float | None
    nugget: float | None
    fit: str
    scale: str
    outliers: int
    duplicate_of: str | None
    is_duplicate: bool
    inflation: float | None
    linear: bool
    noise_varies: bool  # over the space: noise_sd is that of the middle one of the designs,
    noise_low: float | None  # and these are those of the quietest
    noise_high: float | None  # and of the loudest


@dataclass(slots=True)
class LeftOut:
    """A trial's outcome, and what all other designs predict of it."""

    trial: int
    value: float | None
    mean: float | None
    sd: float | None
    measured_sd: float | None  # of a value measured there, its noise included


@dataclass(slots=True)
class Importance:
    """What a parameter matters for an outcome: its total-effect index, and where nine of ten draws have it."""

    total: float | None
    low: float | None
    high: float | None


def _estimated(value: float, sd: float | None) -> str:
    """As the program writes it: no more digits than are known."""
    if not sd:
        return f"{value:.6g}"
    known = value != 0 and isfinite(value) and isfinite(sd)
    digits = floor(log10(abs(value))) - floor(log10(sd)) + 2 if known else 5
    return f"{value:.{min(max(digits, 2), 8)}g} ± {sd:.2g}"


def _chance(probability: float) -> str:
    """As the program writes it: near 0 and 1 it matters how near."""
    if probability > 0.9999:
        return "> 0.9999"
    return "< 0.0001" if probability < 0.0001 else f"{probability:.4g}"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
