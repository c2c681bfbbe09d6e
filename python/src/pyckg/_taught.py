"""What a study has learnt, wherever its trials are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ._backend import Forecast, Gains, ModelRecord, Recommended, RecommendOptions
from ._engine import Engine

E = TypeVar("E", bound=Engine)


class Taught(Generic[E]):
    """Asks an engine, whose trials count from 0 where ours count from 1."""

    _engine: E

    def recommend(self, options: RecommendOptions) -> Recommended:
        found = self._engine.recommend(options)
        found.best_trial = None if found.best_trial is None else found.best_trial + 1
        found.trial = None if found.trial is None else found.trial + 1
        return found

    def wanted(self, number: int) -> list[int]:
        return self._engine.wanted(number - 1)

    def spent(self) -> float:
        return self._engine.spent()

    def gain(self) -> Gains:
        return self._engine.gain()

    def predict(self, designs: Sequence[Sequence[float]]) -> list[Forecast]:
        return self._engine.predict(designs)

    def score(self, designs: Sequence[Sequence[float]], policy: str | None) -> list[float]:
        return self._engine.score(designs, policy)

    def model(self, outcome: int) -> ModelRecord:
        return self._engine.model(outcome)

    def penalty(self) -> float:
        return self._engine.penalty()

    def leave_one_out(self, outcome: int) -> tuple[list[float], list[float], list[float]]:
        return self._engine.leave_one_out(outcome)

    def importance(self, outcome: int) -> tuple[list[float], list[float], list[float]]:
        return self._engine.importance(outcome)
