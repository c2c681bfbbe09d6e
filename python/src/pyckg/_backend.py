"""Where a study lives: what `Study` needs of it. In memory that is _memory.py, in the program's store _record.py.

A backend speaks in the library's terms: a design is a list of numbers, one per parameter in their order, categories as
indices; outcome 0 is the objective, 1 … K are the constraints. Trials are numbered from 1, as the program does. Numbers
that are not known are NAN.
`Study` translates to names and values; every method may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ._definition import Definition, Options


class Measurement(NamedTuple):
    outcome: int
    value: float
    sd: float  # CKG_SD_DEFAULT (-1): as the problem says


@dataclass(slots=True)
class Record:
    """A trial as recorded."""

    number: int
    state: str  # pending, running, complete, failed or discarded
    x: list[float]
    measured: list[Measurement]
    feasible: int  # 1 or 0 if the values decide, else -1
    origin: str  # how the design was chosen
    why: str = ""  # it failed
    seconds: float | None = None  # that its evaluation took
    chosen_by: str = ""  # a policy's name, "initial", "local", …, or "user"
    reason: str = ""  # why this design, a sentence for people


@dataclass(slots=True)
class Forecast:
    """What the models say of one design; per outcome, and per constraint."""

    mean: list[float]
    sd: list[float]
    probability_feasible: float
    probability: list[float] | None = None
    utility: float | None = None
    noise_sd: list[float] | None = None


@dataclass(slots=True)
class Suggested:
    """A design that was suggested, now pending."""

    number: int
    x: list[float]
    origin: str
    value: float
    forecast: Forecast
    chosen_by: str = ""
    reason: str = ""


@dataclass(slots=True)
class RecommendOptions:
    probability: float | None = None  # None: the largest utility
    evaluated_only: bool = False


@dataclass(slots=True)
class Recommended:
    x: list[float]
    forecast: Forecast
    penalty: float
    evaluations: int
    best_trial: int | None
    trial: int | None
    measured: bool
    most_violated: int


@dataclass(slots=True)
class Gains:
    next: float
    remaining: float
    perfect_information: float
    perfect_information_rough: float
    objective: float
    left: int


@dataclass(slots=True)
class ModelRecord:
    """The library's ckg_model_info."""

    kernel: str
    observations: int
    samples: int
    lengthscales: list[float]
    signal_sd: float
    noise_sd: float
    mean: float
    log_likelihood: float
    warp: float
    nugget: float
    fit: str
    scale: str
    outliers: int
    duplicate_of: int
    is_duplicate: bool
    inflation: float
    linear: bool
    noise_varies: bool
    noise_low: float
    noise_high: float


class Backend(Protocol):
    @property
    def definition(self) -> Definition: ...
    @property
    def options(self) -> Options: ...

    def ask(self) -> Suggested: ...
    def add(self, x: Sequence[float]) -> int: ...
    def queue(self, x: Sequence[float]) -> int:
        """Adds a design that `ask` hands out before it suggests any."""
        ...

    def give_back(self, number: int) -> None:
        """A trial that was asked for but not evaluated: `ask` hands it out again."""
        ...

    def take(self, budget: int, idle: bool) -> Suggested | None:
        """The next trial for a run to evaluate: what waits, else a suggestion while the budget has room; None: neither.

        Where other processes are at work it waits for them if the run is idle.
        """
        ...

    def waiting(self) -> int:
        """How many trials `ask` would hand out before it suggests any."""
        ...

    def alive(self) -> int:
        """How many trials there are, those that were discarded not counted."""
        ...

    def evaluations(self) -> int:
        """How many trials were told, failures included."""
        ...

    def tell(self, number: int, measured: Sequence[Measurement]) -> None: ...
    def tell_failed(self, number: int, why: str) -> None: ...
    def cancel(self, number: int) -> None: ...
    def count(self) -> int: ...
    def trial(self, number: int) -> Record: ...
    def wanted(self, number: int) -> list[int]:
        """Which outcomes the trial is to measure."""
        ...

    def spent(self) -> float:
        """What all trials cost, where outcomes have costs."""
        ...

    def best(self) -> int | None: ...
    def recommend(self, options: RecommendOptions) -> Recommended: ...
    def gain(self) -> Gains: ...
    def predict(self, designs: Sequence[Sequence[float]]) -> list[Forecast]: ...
    def score(self, designs: Sequence[Sequence[float]], policy: str | None) -> list[float]: ...
    def model(self, outcome: int) -> ModelRecord: ...
    def penalty(self) -> float: ...
    def leave_one_out(self, outcome: int) -> tuple[list[float], list[float], list[float]]: ...
    def importance(self, outcome: int) -> tuple[list[float], list[float], list[float]]: ...
    def close(self) -> None: ...
