"""The loop: ask, evaluate, tell, until the budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._core import as_number, kind
from ._errors import ExhaustedError, WrongTypeError
from ._progress import Progress
from ._workers import Answer, DiedError, Workers

if TYPE_CHECKING:
    from ._results import Trial
    from ._study import Study

Catch = tuple[type[BaseException], ...]


class Run:
    """One run of a study. However it ends, trials that were asked for and not told are handed out first by the next."""

    def __init__(
        self,
        study: Study,
        workers: Workers,
        budget: int,
        *,
        progress: Progress,
        catch: Catch = (),
        told: Callable[[Trial], bool] | None = None,
    ) -> None:
        self._study = study
        self._workers = workers
        self._budget = budget
        self._progress = progress
        self._catch = catch
        self._told = told
        definition = study._backend.definition
        self._answers = {name for name, is_one in zip(definition.outcomes, definition.answers, strict=True) if is_one}
        self._open: dict[int, Trial] = {}
        self.exhausted = False
        self.stopped = False

    def run(self) -> None:
        """Until the budget is spent, nothing is left to try, or `told` says that it is enough."""
        try:
            while self._fill() and not self.stopped:
                for answer in self._workers.wait():
                    self._take(answer)
        finally:
            self._workers.close()
            self._progress.close()
            for number in self._open:
                self._study._backend.give_back(number)

    def _fill(self) -> bool:
        """Gives every worker something to do; whether there is anything under way."""
        while len(self._open) < self._workers.size and not self.exhausted:
            try:
                trial = self._study._take(self._budget, not self._open)
            except ExhaustedError:
                self.exhausted = True
                break
            if trial is None:
                break
            self._open[trial.number] = trial
            wanted = {} if trial.measure is None else {"measure": trial.measure}
            self._workers.submit(trial.number, {**trial.parameters, **wanted})
        return bool(self._open)

    def _take(self, answer: Answer) -> None:
        trial = self._open[answer.number]
        if answer.error is None:
            self._tell(trial, answer.value)
        elif isinstance(answer.error, (DiedError, *self._catch)):
            self._study.tell(trial, failed=_reason(answer.error))
        else:
            raise answer.error
        del self._open[answer.number]

        best = self._study.best()
        self._progress.step(self._study._so_far(), None if best is None else best.values.get(self._study.outcomes[0]))
        if self._told is not None and self._told(trial):
            self.stopped = True

    def _tell(self, trial: Trial, value: Any) -> None:
        """What an evaluation gave: the objective, or outcomes by name. What is not finite is a failure."""
        wanted = trial.measure or self._study.outcomes[:1]
        if not isinstance(value, Mapping) and len(wanted) > 1:
            names = ", ".join(wanted)
            raise WrongTypeError(f"a mapping from names to values is expected of {names}, not {kind(value)}")
        values = value if isinstance(value, Mapping) else {wanted[0]: value}
        for name, given in values.items():
            if name in self._answers:
                continue
            number = given[0] if isinstance(given, tuple | list) and given else given
            if number is not None and not abs(as_number(f"the value of {name}", number)) < float("inf"):
                self._study.tell(trial, failed=f"{name} is {number}")
                return
        if all(given is None for given in values.values()):
            self._study.tell(trial, failed="nothing was measured")
        else:
            self._study.tell(trial, values)


def _reason(error: BaseException) -> str:
    """An exception in one line."""
    words = " ".join(str(error).split())
    return words if isinstance(error, DiedError) else f"{type(error).__name__}: {words}"
