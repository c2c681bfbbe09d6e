"""What the program shows of a study: the report, plots, the frontier, where it stands."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._binding import lib
from ._core import as_text, as_truth, text
from ._definition import changed_definition
from ._errors import InvalidError, NotFoundError, StateError
from ._results import Estimate, Trial
from ._written import read_design

if TYPE_CHECKING:
    from ._backend import Backend, Measurement
    from ._parameters import Parameter
    from ._record import StoredStudy


class Picture:
    """An SVG that notebooks show by themselves."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        _save(path, self.svg)


class Page:
    """An HTML page that needs no other file and no script. Notebooks show it in a frame of its own."""

    def __init__(self, page: str) -> None:
        self.html = page

    def _repr_html_(self) -> str:
        frame = html.escape(self.html, quote=True)
        return f'<iframe style="width:100%;height:80vh;border:0" sandbox srcdoc="{frame}"></iframe>'

    def __str__(self) -> str:
        return self.html

    def save(self, path: str | os.PathLike[str]) -> None:
        _save(path, self.html)


def _save(path: str | os.PathLike[str], content: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(content)


@dataclass(slots=True)
class FrontierPoint:
    """The best predicted objective among designs that are feasible with that probability."""

    probability: float  # that is asked for
    parameters: dict[str, Any] | None  # None: no design reaches it
    objective: Estimate | None = None
    constraints: dict[str, Estimate] | None = None
    probability_feasible: float | None = None  # of this design


def plots() -> dict[str, str]:
    """The kinds of plots with their titles."""
    from ._record import require_store

    require_store()
    found: dict[str, str] = {}
    while (name := text(lib.pyckg_plot_name(len(found)))) != "":
        found[name] = text(lib.pyckg_plot_title(len(found)))
    return found


class Shown:
    """What every study shows, as the program `ckg` does, wherever it lives."""

    _backend: Backend
    _outcomes: list[str]

    def _measured(self, told: Mapping[str, Any]) -> list[Measurement]:
        raise NotImplementedError  # Study's

    def _look(self) -> Any:
        from ._record import look_at

        return look_at(self._backend)

    def report(self) -> Page:
        """All of it on one page: as `ckg report`."""
        return Page(self._look().act("report"))

    def plot(
        self, what: str = "sheet", *, x: str | None = None, y: str | None = None, policy: str | None = None
    ) -> Picture:
        """A figure, as `ckg plot` draws it; pyckg.plots() lists them.

        x and y name parameters; policy says whose value of designs "acquisition" shows.
        """
        axes = {"x": self._axis("x", x), "y": self._axis("y", y)}
        chosen = None if policy is None else as_text("policy", policy)
        return Picture(self._look().act("plot", kind=as_text("what", what), policy=chosen, **axes))

    def _axis(self, what: str, name: str | None) -> str | None:
        names = self._backend.definition.parameters
        if name is not None and as_text(what, name) not in names:
            raise NotFoundError(f"{what}: there is no parameter {name!r}; there are {', '.join(names)}")
        return name

    def frontier(self) -> list[FrontierPoint]:
        """What safety costs: the best objective by the probability of being feasible."""
        lines = self._look().act("frontier").splitlines()
        return [self._frontier_point(json.loads(line)) for line in lines]

    def _frontier_point(self, point: dict[str, Any]) -> FrontierPoint:
        r = point["recommendation"]
        if r is None:
            return FrontierPoint(point["probability"], None)
        return FrontierPoint(
            point["probability"],
            read_design(self._backend.definition, r["parameters"]),
            Estimate(r["objective"]["mean"], r["objective"]["sd"]),
            {name: Estimate(c["mean"], c["sd"], c["probability"]) for name, c in r["constraints"].items()},
            r["probability_feasible"],
        )

    def status(self) -> dict[str, Any]:
        """Where it stands, as `ckg status --json` says it."""
        found = json.loads(self._look().act("status"))
        assert isinstance(found, dict)
        return found

    # --- what only a store remembers ---

    @property
    def store(self) -> str | None:
        """The URL of the store; None: the study lives in memory."""
        from ._record import StoredStudy

        if not isinstance(self._backend, StoredStudy):
            return None
        return self._backend.engine.store()

    def _kept(self) -> StoredStudy:
        from ._record import StoredStudy

        if not isinstance(self._backend, StoredStudy):
            raise StateError("only a study with a store remembers what was changed")
        return self._backend

    def correct(
        self, trial: Trial | int, values: Mapping[str, Any] | None = None, *, failed: str | None = None, note: str = "",
        **named: Any,
    ) -> None:  # fmt: skip
        """Corrects what was told of a trial, as `ckg tell --replace`: what is not named stays."""
        [number], said = _numbers([trial]), as_text("note", note)
        if failed is not None:
            self._kept().tell_failed(number, as_text("failed", failed), replace=True, note=said)
        else:
            self._kept().tell(number, self._measured({**(values or {}), **named}), replace=True, note=said)

    def change(
        self,
        *,
        parameters: Mapping[str, Parameter] | None = None,
        constraints: Mapping[str, tuple[float | None, float | None] | None] | None = None,
        maximize: bool | None = None,
        noise: str | float | Mapping[str, str | float] | None = None,
        rules: Iterable[str] | None = None,
        was: Mapping[str, Any] | None = None,
    ) -> list[str]:
        """Changes the problem of a study that is kept in a store, as `ckg change`; what changed, in words.

        parameters and constraints name what changes or is new, a constraint that goes is None; what is not named stays.
        rules and noise are given as a whole. `was` has the values that new parameters had so far. undo() takes it back.
        """
        kept = self._kept()
        changed, before = changed_definition(kept.definition, parameters, constraints, maximize, noise, rules, was)
        changes = kept.change(changed, before)
        self._outcomes = changed.outcomes
        return [str(line) for line in changes["changes"]]

    def discard(self, *trials: Trial | int, note: str = "") -> None:
        """Sets trials aside, out of sight of the models and the budget."""
        self._kept().mend("discard", _numbers(trials), as_text("note", note))

    def restore(self, *trials: Trial | int, note: str = "") -> None:
        """Takes discarded trials in again."""
        self._kept().mend("restore", _numbers(trials), as_text("note", note))

    def retry(self, *trials: Trial | int, note: str = "") -> None:
        """Trials are pending again, with the same designs."""
        self._kept().mend("retry", _numbers(trials), as_text("note", note))

    def undo(self, *, yes: bool = False) -> str:
        """Takes the last change back that a person made, here or with `ckg`; what that was. yes: results since too."""
        undone = self._kept().undo(as_truth("yes", yes))
        self._outcomes = self._backend.definition.outcomes
        return undone


def _numbers(trials: Sequence[Trial | int]) -> list[int]:
    from ._study import _number_of

    if not trials:
        raise InvalidError("trials: name at least one")
    return [_number_of(trial) for trial in trials]
