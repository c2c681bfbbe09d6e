"""A study in memory, which pickles."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

from ._backend import (
    Forecast,
    Measurement,
    Record,
    Suggested,
)
from ._definition import Definition, Options
from ._engine import Engine
from ._errors import NotFoundError, StateError
from ._taught import Taught


class Memory(Taught[Engine]):
    """Trials in the library's study, and beside it what the library does not know: origins and reasons."""

    def __init__(self, definition: Definition, options: Options) -> None:
        self.definition = definition
        self.options = options
        self._engine = Engine(definition, options)
        self._origins: list[tuple[str, ...]] = []  # and who chose it, and why
        self._ways: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._why: dict[int, str] = {}
        self._waiting: deque[int] = deque()  # numbers that were queued or given back

    def ask(self) -> Suggested:
        while self._engine.lost:
            self._waiting.append(1 + self._engine.lost.pop(0))
        while self._waiting:
            record = self.trial(self._waiting.popleft())
            if record.state == "pending":
                nothing = [math.nan] * len(self.definition.outcomes)
                forecast = Forecast(nothing, nothing, math.nan)
                return Suggested(
                    record.number, record.x, record.origin, math.nan, forecast, record.chosen_by, record.reason
                )
        suggested = self._engine.ask()
        self._origin(suggested.number, suggested.origin, suggested.chosen_by, suggested.reason)
        suggested.number += 1
        return suggested

    def add(self, x: Sequence[float]) -> int:
        number = self._engine.add(x)
        self._origin(number, "user", "user", "")
        return number + 1

    def queue(self, x: Sequence[float]) -> int:
        number = self.add(x)
        self._waiting.append(number)
        return number

    def give_back(self, number: int) -> None:
        if self.trial(number).state == "pending":
            self._waiting.append(number)

    def take(self, budget: int, idle: bool) -> Suggested | None:
        del idle  # nobody else is at work
        apart = self.definition.separate
        room = self.spent() + self.definition.cheapest <= budget if apart else self.alive() < budget
        return self.ask() if self.waiting() or room else None

    def waiting(self) -> int:
        return len(self._waiting) + len(self._engine.lost)

    def alive(self) -> int:
        return self.count() - self._engine.cancelled

    def evaluations(self) -> int:
        return self._engine.told

    def _origin(self, trial: int, *origin: str) -> None:
        while len(self._origins) <= trial:
            self._origins.append(("", "", ""))
        self._origins[trial] = self._ways.setdefault(origin, origin)  # one of few, whatever the number of trials

    def tell(self, number: int, measured: Sequence[Measurement]) -> None:
        try:
            self._engine.tell(number - 1, measured)
        except (NotFoundError, StateError):
            self._refuse(number)
            raise

    def tell_failed(self, number: int, why: str) -> None:
        try:
            self._engine.tell_failed(number - 1)
        except (NotFoundError, StateError):
            self._refuse(number)
            raise
        if why:
            self._why[number] = why

    def cancel(self, number: int) -> None:
        try:
            self._engine.cancel(number - 1)
        except (NotFoundError, StateError):
            self._refuse(number)
            raise

    def _refuse(self, number: int) -> None:
        """Where the trial is the reason of a refusal: says so, for the library's message would count from 0."""
        state = self.trial(number).state
        if state != "pending":
            raise StateError(f"trial {number} is already {state}") from None

    def count(self) -> int:
        return self._engine.count()

    def trial(self, number: int) -> Record:
        if not 1 <= number <= self._engine.count():
            raise NotFoundError(f"there is no trial {number}")
        record = self._engine.trial(number - 1)
        record.number = number
        if number <= len(self._origins):
            record.origin, record.chosen_by, record.reason = self._origins[number - 1]
        record.why = self._why.get(number, "")
        return record

    def best(self) -> int | None:
        best = self._engine.best()
        return None if best is None else best + 1

    def close(self) -> None:
        self._engine.close()

    # --- pickling: the definition and the trials, from which a study follows ---

    def __getstate__(self) -> dict[str, Any]:
        records = [self._engine.trial(index) for index in range(self._engine.count())]
        return {
            "definition": self.definition,
            "options": self.options,
            "trials": [(r.x, r.state, [tuple(m) for m in r.measured]) for r in records],
            "wanted": [self._engine.wanted(r.number) for r in records] if self.definition.separate else [],
            "origins": list(self._origins),
            "why": dict(self._why),
            "waiting": [*self._waiting, *(1 + trial for trial in self._engine.lost)],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["definition"], state["options"])  # type: ignore[misc]
        for number, (x, how, measured) in enumerate(state["trials"], 1):
            self.add(x)
            if state.get("wanted"):
                self._engine.want(number - 1, state["wanted"][number - 1])
            if how == "complete":
                self.tell(number, [Measurement(*m) for m in measured])
            elif how == "failed":
                self.tell_failed(number, state["why"].get(number, ""))
            elif how == "discarded":
                self.cancel(number)
        self._origins = [(o, "", "") if isinstance(o, str) else o for o in state["origins"]]
        self._waiting.extend(state["waiting"])
