"""One study of the library, safe to use from any thread: one call at a time, signals handled, forks survived."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ._backend import (
    Forecast,
    Gains,
    Measurement,
    ModelRecord,
    Recommended,
    RecommendOptions,
    Record,
    Suggested,
)
from ._binding import ffi, lib
from ._core import as_bytes, check, doubles, text
from ._definition import Definition, Options
from ._errors import StateError

_STATES = {
    lib.CKG_PENDING: "pending",
    lib.CKG_COMPLETE: "complete",
    lib.CKG_FAILED: "failed",
    lib.CKG_CANCELLED: "discarded",
}

_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


class Engine:
    """A study of the library. Trials are numbered from 0, as there."""

    def __init__(self, definition: Definition, options: Options) -> None:
        self._definition = definition
        self._options = options
        self._d = len(definition.parameters)
        self._m = 1 + len(definition.constraints)
        self._lock = threading.RLock()
        self._refusal = ""  # why no call is possible any more
        self._inherited: Any = None  # the handle of the process that this one was forked from
        self.lost: list[int] = []  # trials whose ask was interrupted at the very end, so that nobody knows of them
        self.told = 0
        self.cancelled = 0
        self._handle: Any = self._new_handle()
        _engines.add(self)

    def _new_handle(self) -> Any:
        out = ffi.new("ckg_study **")
        options, _alive = self._options.fill()
        check(lib.ckg_study_new(out, self._definition.problem(), options))
        handle = ffi.gc(out[0], lib.ckg_study_free)
        self._watch = ffi.new("struct pyckg_watch *")
        check(lib.ckg_study_set_interrupt(handle, ffi.addressof(lib, "pyckg_interrupted"), self._watch))
        return handle

    # --- one call at a time ---

    def _free(self) -> threading.RLock:
        """The lock under which all that follows is done. A `with` of it is left cleanly wherever Ctrl-C strikes."""
        if self._lock._is_owned():  # type: ignore[attr-defined]
            raise StateError("the study is at work in this thread already")
        return self._lock

    def _ready(self) -> Any:
        """With the lock held: the handle, once it can be used."""
        if self._refusal:
            raise StateError(self._refusal)
        if self._inherited is not None:
            handle = self._new_handle()
            _copy_trials(self._inherited, handle)
            self._handle, self._inherited = handle, None
        self._watch.signals = threading.current_thread() is threading.main_thread()
        return self._handle

    def close(self) -> None:
        """Frees the memory; every later call is refused."""
        with self._free():
            if not self._refusal:
                handle, self._handle = self._handle, None
                self._refusal = "the study is closed"
                ffi.release(handle)

    def forked(self) -> None:
        """In the child of a fork: the library's threads are gone, so that the study is made anew when it is used."""
        if self._lock._is_owned() or not self._lock.acquire(blocking=False):  # type: ignore[attr-defined]
            self._refusal = self._refusal or "the process was forked while this study was at work"
        elif self._handle is not None and self._options.threads != 1:
            self._inherited = self._handle
        if self._handle is not None and (self._refusal or self._inherited is not None):
            ffi.gc(self._handle, None)  # never freed here: its threads are the parent's
        self._lock = threading.RLock()

    # --- asking and telling ---

    def ask(self) -> Suggested:
        out = ffi.new("ckg_suggestion **")
        with self._free():
            study = self._ready()
            before = lib.ckg_study_trials(study)
            try:
                check(lib.ckg_study_ask(study, out))
                return self._read_suggestion(out[0])
            except BaseException:
                self.lost.extend(range(before, lib.ckg_study_trials(study)))
                raise
            finally:
                lib.ckg_suggestion_free(out[0])

    def _read_suggestion(self, s: Any) -> Suggested:
        k = self._m - 1
        probability = ffi.unpack(s.probability, k) if k else []
        forecast = Forecast(ffi.unpack(s.mean, k + 1), ffi.unpack(s.sd, k + 1), s.probability_feasible, probability)
        return Suggested(
            s.trial,
            ffi.unpack(s.x, self._d),
            sys.intern(text(s.path)),
            s.value,
            forecast,
            *map(sys.intern, (text(s.chosen_by), text(s.reason))),
        )

    def add(self, x: Sequence[float]) -> int:
        out = ffi.new("int *")
        with self._free():
            study = self._ready()
            check(lib.ckg_study_add(study, doubles(x), out))
        return int(out[0])

    def tell(self, trial: int, measured: Sequence[Measurement]) -> None:
        told = ffi.new("ckg_measurement[]", measured)
        with self._free():
            study = self._ready()
            check(lib.ckg_study_tell_measured(study, trial, len(told), told))
            self.told += 1

    def tell_failed(self, trial: int) -> None:
        with self._free():
            study = self._ready()
            check(lib.ckg_study_tell_failed(study, trial))
            self.told += 1

    def cancel(self, trial: int) -> None:
        with self._free():
            study = self._ready()
            check(lib.ckg_study_cancel(study, trial))
            self.cancelled += 1

    # --- what was told ---

    def count(self) -> int:
        with self._free():
            study = self._ready()
            return int(lib.ckg_study_trials(study))

    def trial(self, trial: int) -> Record:
        out = ffi.new("ckg_trial *")
        with self._free():
            study = self._ready()
            check(lib.ckg_study_trial_sized(study, trial, out, ffi.sizeof("ckg_trial")))
            measured = [Measurement(m.outcome, m.value, m.sd) for m in (out.measured[i] for i in range(out.count))]
            return Record(trial, _STATES[out.state], ffi.unpack(out.x, self._d), measured, out.feasible, "")

    def wanted(self, trial: int) -> list[int]:
        with self._free():
            study = self._ready()
            return [outcome for outcome in range(self._m) if lib.ckg_study_wants(study, trial, outcome) == 1]

    def want(self, trial: int, outcomes: Sequence[int]) -> None:
        listed = ffi.new("int[]", list(outcomes))
        with self._free():
            study = self._ready()
            check(lib.ckg_study_want(study, trial, len(listed), listed))

    def spent(self) -> float:
        with self._free():
            study = self._ready()
            return float(lib.ckg_study_spent(study))

    def best(self) -> int | None:
        with self._free():
            study = self._ready()
            best = int(lib.ckg_study_best(study))
        return None if best < 0 else best

    # --- what it teaches ---

    def recommend(self, options: RecommendOptions) -> Recommended:
        chosen = ffi.NULL
        if options.probability is not None or options.evaluated_only:
            chosen = ffi.new("ckg_recommend_options *")
            check(lib.ckg_recommend_options_init(chosen, lib.CKG_RECOMMEND_OPTIONS_VERSION))
            chosen.evaluated_only = options.evaluated_only
            if options.probability is not None:
                chosen.rule, chosen.probability = lib.CKG_RULE_PROBABILITY, options.probability
        out = ffi.new("ckg_recommendation **")
        with self._free():
            try:
                check(lib.ckg_study_recommend(self._ready(), chosen, out))
                return self._read_recommendation(out[0])
            finally:
                lib.ckg_recommendation_free(out[0])

    def _read_recommendation(self, r: Any) -> Recommended:
        k = self._m - 1
        probability = ffi.unpack(r.probability, k) if k else []
        means, sds = ffi.unpack(r.mean, k + 1), ffi.unpack(r.sd, k + 1)
        return Recommended(
            ffi.unpack(r.x, self._d),
            Forecast(means, sds, r.probability_feasible, probability, r.utility),
            r.penalty,
            r.evaluations,
            None if r.best_trial < 0 else r.best_trial,
            None if r.trial < 0 else r.trial,
            bool(r.measured),
            r.most_violated,
        )

    def gain(self) -> Gains:
        out = ffi.new("ckg_gain *")
        with self._free():
            study = self._ready()
            check(lib.ckg_study_expected_gain_sized(study, out, ffi.sizeof("ckg_gain")))
        return Gains(
            out.next,
            out.remaining,
            out.perfect_information,
            out.perfect_information_rough,
            out.objective,
            out.left,
        )

    def predict(self, designs: Sequence[Sequence[float]]) -> list[Forecast]:
        n, m = len(designs), self._m
        if not n:
            return []
        mean, sd, noise_sd = (ffi.new("double[]", n * m) for _ in range(3))
        probability, utility = ffi.new("double[]", n), ffi.new("double[]", n)
        with self._free():
            study = self._ready()
            check(lib.ckg_study_predict(study, n, _rows(designs), mean, sd, probability, utility))
            check(lib.ckg_study_predict_noise(study, n, _rows(designs), noise_sd))
        return [
            Forecast(
                list(mean[i * m : (i + 1) * m]),
                list(sd[i * m : (i + 1) * m]),
                probability[i],
                None,
                utility[i],
                list(noise_sd[i * m : (i + 1) * m]),
            )
            for i in range(n)
        ]

    def score(self, designs: Sequence[Sequence[float]], policy: str | None) -> list[float]:
        if not designs:
            return []
        value = ffi.new("double[]", len(designs))
        name = ffi.NULL if policy is None else as_bytes("policy", policy)
        with self._free():
            study = self._ready()
            check(lib.ckg_study_score(study, name, len(designs), _rows(designs), value))
        return list(value)

    def model(self, outcome: int) -> ModelRecord:
        i = ffi.new("ckg_model_info *")
        with self._free():
            study = self._ready()
            check(lib.ckg_study_model_sized(study, outcome, i, ffi.sizeof("ckg_model_info")))
            lengthscales = ffi.unpack(i.lengthscales, self._d)
        return ModelRecord(
            text(i.kernel), i.observations, i.samples, lengthscales, i.signal_sd, i.noise_sd, i.mean, i.log_likelihood,
            i.warp, i.nugget, text(i.fit), text(i.scale), i.outliers, i.duplicate_of, bool(i.is_duplicate),
            i.inflation, bool(i.linear), bool(i.noise_varies), i.noise_low, i.noise_high,
        )  # fmt: skip

    def penalty(self) -> float:
        out = ffi.new("double *")
        with self._free():
            study = self._ready()
            check(lib.ckg_study_penalty(study, out))
        return float(out[0])

    def leave_one_out(self, outcome: int) -> tuple[list[float], list[float], list[float]]:
        with self._free():
            study = self._ready()
            n = max(1, lib.ckg_study_trials(study))
            return _three(n, lambda a, b, c: lib.ckg_study_leave_one_out(study, outcome, a, b, c))

    def importance(self, outcome: int) -> tuple[list[float], list[float], list[float]]:
        with self._free():
            study = self._ready()
            return _three(self._d, lambda a, b, c: lib.ckg_study_importance(study, outcome, a, b, c))


def _rows(designs: Sequence[Sequence[float]]) -> Any:
    return doubles([number for x in designs for number in x])


def _three(count: int, call: Callable[[Any, Any, Any], int]) -> tuple[list[float], list[float], list[float]]:
    a, b, c = (ffi.new("double[]", count) for _ in range(3))
    check(call(a, b, c))
    return list(a), list(b), list(c)


def _copy_trials(source: Any, target: Any) -> None:
    """The trials of one study, told to another."""
    trial, number = ffi.new("ckg_trial *"), ffi.new("int *")
    for index in range(lib.ckg_study_trials(source)):
        check(lib.ckg_study_trial_sized(source, index, trial, ffi.sizeof("ckg_trial")))
        check(lib.ckg_study_add(target, trial.x, number))
        outcomes = range(1 + lib.ckg_problem_constraints(lib.ckg_study_problem(source)))
        wanted = [j for j in outcomes if lib.ckg_study_wants(source, index, j) == 1]
        if len(wanted) < len(outcomes):
            check(lib.ckg_study_want(target, index, len(wanted), ffi.new("int[]", wanted)))
        if trial.state == lib.CKG_COMPLETE:
            check(lib.ckg_study_tell_measured(target, index, trial.count, trial.measured))
        elif trial.state == lib.CKG_FAILED:
            check(lib.ckg_study_tell_failed(target, index))
        elif trial.state == lib.CKG_CANCELLED:
            check(lib.ckg_study_cancel(target, index))


def _forked() -> None:
    for engine in list(_engines):
        engine.forked()


os.register_at_fork(after_in_child=_forked)
