"""A study in the program's own store, which `ckg` and other processes share."""

from __future__ import annotations

import json
import math
import os
import threading
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ._backend import (
    Backend,
    Forecast,
    Measurement,
    Record,
    Suggested,
)
from ._binding import ffi, lib
from ._core import as_bytes, as_integer, as_list, as_text, check, kind, text
from ._definition import Definition, Options
from ._engine import Engine
from ._errors import CkgError, ExhaustedError, InvalidError, NotFoundError, StateError, WrongTypeError
from ._parameters import Categorical
from ._taught import Taught
from ._written import (
    categories,
    read_definition,
    read_options,
    write_definition,
    write_design,
    write_options,
    write_values,
)

_STATES = ("pending", "running", "complete", "failed", "discarded")
_HEARTBEAT = 10.0  # seconds, as `ckg run` has it
_PATIENCE = 0.05  # seconds, between looks at what other processes do


class _Place:
    """How a study is opened: by a problem file or a store, or by a definition that is kept in a store or nowhere."""

    def __init__(
        self, *, study: str | None = None, store: str | None = None, name: str | None = None, definition: str = ""
    ) -> None:
        self.study, self.store, self.name, self.definition = study, store, name, definition

    def open(self, threads: int) -> Any:
        """The bridge's notebook, to be closed when it is not used any more."""
        out = ffi.new("pyckg_study **")
        if self.definition:
            status = lib.pyckg_study_define(out, _text(self.definition), _word("store", self.store), threads)
        else:
            words = (_word("study", self.study), _word("store", self.store), _word("name", self.name))
            status = lib.pyckg_study_open(out, *words, threads)
        record = ffi.gc(out[0], lib.pyckg_study_close)
        check(status, text(lib.pyckg_study_message(record)))
        return record

    def absolute(self) -> _Place:
        """The same from any folder."""
        study = self.study if self.study is None or _is_url(self.study) else os.path.abspath(self.study)
        return _Place(study=study, store=_absolute_url(self.store), name=self.name, definition=self.definition)


def _word(what: str, value: str | None) -> Any:
    return ffi.NULL if value is None else as_bytes(what, value)


def _text(definition: str) -> bytes:
    return as_bytes("the definition", definition)


def _dump(given: dict[str, Any]) -> str:
    try:
        return json.dumps(given, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidError(f"the definition cannot be kept in a store: {error}") from None


def _act(record: Any, action: str, given: dict[str, Any]) -> str:
    """What came of an action of the program, by its name."""
    length = ffi.new("size_t *")
    said = lib.pyckg_study_call(record, action.encode(), _text(_dump(given)))
    check(said, text(lib.pyckg_study_message(record)) if said else "")
    pointer = lib.pyckg_study_text(record, length)
    return bytes(ffi.buffer(pointer, length[0])).decode()


def _is_url(word: str) -> bool:
    return word.startswith("sqlite:") or "://" in word


def _absolute_url(url: str | None) -> str | None:
    if url is None or not url.startswith("sqlite:"):
        return url
    return "sqlite:" + os.path.abspath(url.removeprefix("sqlite:"))


class _Engine(Engine):
    """The study of the library inside of a notebook, kept in step with the store at every call."""

    def __init__(self, place: _Place, definition: Definition | None, threads: int) -> None:
        self._place = place
        self._threads = threads
        self._first: Any = self._open()
        options = read_options(self.kept, threads)
        super().__init__(definition or read_definition(self.kept), options)

    @property
    def definition(self) -> Definition:
        return self._definition

    @property
    def options(self) -> Options:
        return self._options

    @property
    def place(self) -> _Place:
        return self._place

    def _open(self) -> Any:
        record = self._place.open(self._threads)
        self._place = self._place.absolute()
        found = json.loads(_act(record, "study", {}))
        self.kept: dict[str, Any] = found["definition"]
        self.url: str = found["store"] or ""
        return record

    def _new_handle(self) -> Any:
        handle, self._first = self._first or self._open(), None
        self._watch = ffi.new("struct pyckg_watch *")
        lib.pyckg_study_set_interrupt(handle, ffi.addressof(lib, "pyckg_interrupted"), self._watch)
        return handle

    def forked(self) -> None:
        """In the child of a fork: locks and connections are the parent's, so that the study is opened anew."""
        if self._lock._is_owned():  # type: ignore[attr-defined]
            self._refusal = self._refusal or "the process was forked while this study was at work"
        if self._handle is not None:
            _left_behind.append(self._handle)
            ffi.gc(self._handle, None)
            lib.pyckg_study_forked(self._handle)
            self._handle = None
        self._lock = threading.RLock()

    def _record(self) -> Any:
        """With the lock held: the notebook, once it can be used."""
        if self._refusal:
            raise StateError(self._refusal)
        if self._handle is None:
            self._handle = self._new_handle()
        self._watch.signals = threading.current_thread() is threading.main_thread()
        return self._handle

    def _ready(self) -> Any:
        record = self._record()
        out = ffi.new("ckg_study **")
        self._check(record, lib.pyckg_study_engine(record, out))
        return out[0]

    def _check(self, record: Any, status: int) -> None:
        check(status, text(lib.pyckg_study_message(record)) if status else "")
        if note := text(lib.pyckg_study_note(record)):
            warnings.warn(note, stacklevel=2)

    @contextmanager
    def record(self) -> Iterator[Any]:
        """The notebook for some calls, each by `call`."""
        with self._free():
            yield self._record()

    def call(self, function: Any, *arguments: Any) -> None:
        with self._free():
            record = self._record()
            self._check(record, function(record, *arguments))

    def hear(self, function: Any, *arguments: Any) -> str:
        """The same, and what people should know of it."""
        with self._free():
            record = self._record()
            self._check(record, function(record, *arguments))
            return text(lib.pyckg_study_message(record))

    def act(self, action: str, **given: Any) -> str:
        """What came of an action of the program, by its name; what is None is not given."""
        with self._free():
            record = self._record()
            found = _act(record, action, {key: value for key, value in given.items() if value is not None})
            self._check(record, 0)
            return found

    def store(self) -> str:
        """The URL of the store; empty: there is none."""
        with self._free():
            self._record()
            return self.url

    def read_suggestion(self, suggestion: Any) -> Suggested:
        return self._read_suggestion(suggestion)

    def redefine(self, given: dict[str, Any]) -> None:
        self.kept = json.loads(self.act("redefine", definition=_dump(given)))["definition"]
        self._options = read_options(self.kept, self._threads)

    def change(self, definition: Definition, given: dict[str, Any]) -> dict[str, Any]:
        """Takes a changed problem over; what that changed."""
        try:
            changes = json.loads(self.act("change", definition=_dump(given)))
        except BaseException:
            self.reopen(self._definition)
            raise
        self.reopen(definition)
        assert isinstance(changes, dict)
        return changes

    def reopen(self, definition: Definition | None) -> None:
        """The problem has changed: opens the study as the store has it, by a definition that is like that."""
        with self._free():
            record, self._handle = self._record(), None
            ffi.release(record)
            if self._place.study is None:
                self._place = _Place(store=self._place.store, name=self.kept["name"])
            self._handle = self._new_handle()
            self._definition = definition or _like(self._definition, read_definition(self.kept))
            self._m = 1 + len(self._definition.constraints)
            self._d = len(self._definition.parameters)


def _like(old: Definition, now: Definition) -> Definition:
    """With the categories of the old one, which may be values that a store cannot hold."""
    same = {
        key: old.parameters[key]
        for key, parameter in now.parameters.items()
        if isinstance(parameter, Categorical)
        and isinstance(was := old.parameters.get(key), Categorical)
        and categories(was) == list(parameter.values)
    }
    return replace(now, parameters={**now.parameters, **same})


_left_behind: list[Any] = []  # notebooks of a parent process: never closed here


class StoredStudy(Taught[_Engine]):
    """A backend in the program's store. What it takes to evaluate is this process's until it is told or given back."""

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine
        self._lost: list[int] = []  # asked for, but Ctrl-C came before anybody knew
        self._taken: dict[int, float] = {}  # trials to evaluate here, and when they were taken
        self._heart: threading.Thread | None = None

    @property
    def definition(self) -> Definition:
        return self._engine.definition

    @property
    def options(self) -> Options:
        return self._engine.options

    @property
    def engine(self) -> _Engine:
        return self._engine

    # --- asking and telling, as `ckg ask` and `ckg tell` ---

    def ask(self) -> Suggested:
        while self._lost:
            record = self.trial(self._lost.pop(0))
            if record.state == "pending":
                return self._known(record)
        number, out = ffi.new("int *"), ffi.new("ckg_suggestion **")
        try:
            self._engine.call(lib.pyckg_study_ask, out, number)
            if out[0] == ffi.NULL:
                return self._known(self.trial(number[0]))
            suggested = self._engine.read_suggestion(out[0])
            suggested.number = number[0]
            return suggested
        except BaseException:
            if number[0]:
                self._lost.append(number[0])
            raise
        finally:
            lib.ckg_suggestion_free(out[0])

    def _known(self, record: Record) -> Suggested:
        """A trial as a suggestion of which nothing is predicted."""
        nothing = [math.nan] * len(self.definition.outcomes)
        forecast = Forecast(nothing, nothing, math.nan)
        return Suggested(record.number, record.x, record.origin, math.nan, forecast, record.chosen_by, record.reason)

    def add(self, x: Sequence[float]) -> int:
        return self._add(x, False)

    def queue(self, x: Sequence[float]) -> int:
        return self._add(x, True)

    def _add(self, x: Sequence[float], queued: bool) -> int:
        added = json.loads(self._engine.act("add", parameters=write_design(self.definition, x), queued=queued))
        return int(added["trial"])

    def tell(self, number: int, measured: Sequence[Measurement], *, replace: bool = False, note: str = "") -> None:
        self._record(number, measured, None, replace, note)

    def tell_failed(self, number: int, why: str, *, replace: bool = False, note: str = "") -> None:
        self._record(number, (), why, replace, note)

    def _record(
        self, number: int, measured: Sequence[Measurement], failed: str | None, replace: bool, note: str
    ) -> None:
        began = self._taken.get(number)
        if began is None or replace:
            values = write_values(self.definition, measured) if failed is None else None
            self._engine.act("tell", trial=number, values=values, failed=failed, replace=replace, note=note or None)
            return
        told = ffi.new("ckg_measurement[]", list(measured))
        why = ffi.NULL if failed is None else as_bytes("failed", failed)
        seconds = time.monotonic() - began
        try:
            said = self._engine.hear(lib.pyckg_study_finish, number, len(told), told, why, ffi.NULL, seconds)
        except CkgError as error:
            values = {self.definition.outcomes[m.outcome]: m.value for m in measured}
            error.add_note(f"trial {number} gave {values or 'a failure'}, which is not in the store")
            raise
        self._taken.pop(number, None)
        if said:
            warnings.warn(said, RuntimeWarning, stacklevel=4)

    def cancel(self, number: int) -> None:
        state = self.trial(number).state
        if state != "pending":
            raise StateError(f"trial {number} is already {state}")
        self.mend("discard", [number])

    def mend(self, how: str, numbers: Sequence[int], note: str = "") -> None:
        restore = True if how == "restore" else None
        action = "retry" if how == "retry" else "discard"
        self._engine.act(action, trials=list(numbers), restore=restore, note=note or None)

    def change(self, definition: Definition, was: Mapping[str, Any]) -> dict[str, Any]:
        kept = self._engine.kept
        given = {**kept, **write_definition(definition, kept["name"], ())}
        for key in ("rules", "constraints"):
            if key in kept and not getattr(definition, key):
                del given[key]
        for key, value in was.items():
            given["parameters"][key]["was"] = value
        for key, fixed in definition.fixed.items():
            given["parameters"].setdefault(key, {"value": fixed})
        return self._engine.change(definition, given)

    def undo(self, give_up: bool) -> str:
        undone = json.loads(self._engine.act("undo", yes=give_up))
        if undone["problem"]:
            self._engine.reopen(None)
        return str(undone["command"])

    # --- evaluating, as `ckg run` ---

    def take(self, budget: int, idle: bool) -> Suggested | None:
        number, work = ffi.new("int *"), ffi.new("int *")
        while True:
            try:
                self._engine.call(lib.pyckg_study_take, budget, number, work)
                if number[0]:
                    self._taken[number[0]] = time.monotonic()
                    self._beat()
                    return self._known(self.trial(number[0]))
            except BaseException:
                if number[0]:
                    self.give_back(number[0])
                raise
            if work[0] == lib.PYCKG_EXHAUSTED:
                raise ExhaustedError("every design has been evaluated")
            if work[0] != lib.PYCKG_WAITING or not idle:
                return None
            time.sleep(_PATIENCE)

    def give_back(self, number: int) -> None:
        if self._taken.pop(number, None) is not None or self.trial(number).state == "running":
            self._engine.call(lib.pyckg_study_hand_back, number)

    def _beat(self) -> None:
        """Others hear that this process lives, as long as it has something to evaluate."""
        if self._heart is None or not self._heart.is_alive():
            self._heart = threading.Thread(target=_beat_on, args=(weakref.ref(self),), daemon=True)
            self._heart.start()

    def beat_once(self) -> bool:
        if not self._taken:
            return False
        self._engine.call(lib.pyckg_study_heartbeat)
        return True

    # --- what was told ---

    def waiting(self) -> int:
        return len(self._lost)

    def _stands(self) -> Any:
        out = ffi.new("pyckg_standing *")
        self._engine.call(lib.pyckg_study_stands, out)
        return out

    def alive(self) -> int:
        stands = self._stands()
        return int(stands.count - stands.tally[_STATES.index("discarded")])

    def evaluations(self) -> int:
        tally = self._stands().tally
        return int(tally[_STATES.index("complete")] + tally[_STATES.index("failed")])

    def count(self) -> int:
        return int(self._stands().count)

    def best(self) -> int | None:
        return self._stands().best or None

    def trial(self, number: int) -> Record:
        out, stands = ffi.new("pyckg_trial *"), ffi.new("pyckg_standing *")
        with self._engine.record() as record:
            check(lib.pyckg_study_stands(record, stands), text(lib.pyckg_study_message(record)))
            if not 1 <= number <= stands.count:
                raise NotFoundError(f"there is no trial {number}")
            check(lib.pyckg_study_trial(record, number, out), text(lib.pyckg_study_message(record)))
            measured = [Measurement(m.outcome, m.value, m.sd) for m in (out.measured[i] for i in range(out.count))]
            x = ffi.unpack(out.x, len(self.definition.parameters))
            seconds = None if math.isnan(out.seconds) else out.seconds
            words = map(text, (out.origin, out.why, out.chosen_by, out.reason))
            origin, why, chosen_by, reason = words
            return Record(number, text(out.state), x, measured, out.feasible, origin, why, seconds, chosen_by, reason)

    def close(self) -> None:
        for number in list(self._taken):
            self.give_back(number)
        self._engine.close()

    # --- pickling: where it is kept ---

    def __getstate__(self) -> dict[str, Any]:
        place = self._engine.place
        if place.definition:
            name = json.loads(place.definition)["name"]
            place = _Place(store=_absolute_url(self._engine.url), name=name)
        return {"place": place, "definition": self.definition, "threads": self.options.threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(_Engine(state["place"], state["definition"], state["threads"]))  # type: ignore[misc]


def _beat_on(reference: weakref.ref[StoredStudy]) -> None:
    while True:
        time.sleep(_HEARTBEAT)
        record = reference()
        try:
            if record is None or not record.beat_once():
                return
        except CkgError:
            return  # the study was closed; or the store is in trouble, which the next result will say
        del record


# --- opening ---


def require_store() -> None:
    """The package was built with the program's store."""
    if not hasattr(lib, "pyckg_study_open"):
        raise StateError(
            "stores, plots and reports need a pyckg that was built with libyaml, jansson and SQLite; install them "
            "(Debian: libyaml-dev libjansson-dev libsqlite3-dev pkg-config), then pyckg again"
        )


def _url(what: str, store: object) -> str:
    """The store as the program has it: a URL, or a path."""
    if isinstance(store, os.PathLike):
        return "sqlite:" + as_text(what, os.fspath(store))
    if not isinstance(store, str):
        raise WrongTypeError(f"{what} must be a path or a URL, not {kind(store)}")
    if not store:
        raise InvalidError(f"{what} must be a path or a URL, not an empty text")
    return store if _is_url(store) else "sqlite:" + store


def create(
    definition: Definition,
    options: Options,
    designs: Sequence[Sequence[float]],
    store: object,
    name: object,
    evaluate: object,
    *,
    drawn: bool,
) -> StoredStudy:
    """The study in the store, begun where there is none of that name; one of the same problem goes on."""
    require_store()
    url = _url("store", store)
    called = Path(url.removeprefix("sqlite:")).stem if name is None else as_text("name", name)
    definition.problem()  # the library's own words for what is wrong come first
    options.fill()
    wanted = write_options(options, drawn=drawn)
    if evaluate is not None:
        wanted["evaluate"] = _command(evaluate)
    given = write_definition(definition, called, designs)
    place = _Place(store=url, definition=_dump({**given, **wanted}))
    engine = _Engine(place, definition, options.threads)

    # What was kept of an older run goes on by what is said now.
    now = {**{key: value for key, value in engine.kept.items() if key != "model"}, **wanted}
    if now != engine.kept:
        engine.redefine(now)
    return StoredStudy(engine)


def _command(evaluate: object) -> dict[str, Any]:
    """How the program evaluates: a command alone, or what a problem file has."""
    if isinstance(evaluate, Mapping):
        return {as_text("evaluate: a name", key): value for key, value in evaluate.items()}
    return {"command": [as_text("evaluate: a word", word) for word in as_list("evaluate", evaluate)]}


def open_record(study: object, store: object, name: object, threads: object) -> StoredStudy:
    """The study of a problem file or of a store."""
    require_store()
    if isinstance(study, os.PathLike):
        study = as_text("study", os.fspath(study))
    word = None if study is None else as_text("study", study)
    if word == "":
        raise InvalidError("study must be a problem file or a store, not an empty text")
    url = None if store is None else _url("store", store)
    called = None if name is None else as_text("name", name)
    place = _Place(study=word, store=url, name=called)
    return StoredStudy(_Engine(place, None, as_integer("threads", threads, 0, 256)))


# --- looking ---


def look_at(backend: Backend) -> _Engine:
    """The study as the program shows it: its own notebook, or one of the same trials that is kept nowhere."""
    if isinstance(backend, StoredStudy):
        return backend.engine
    require_store()
    stands = (backend.count(), backend.evaluations(), backend.alive())
    before, engine = _looks.get(backend, (None, None))
    if engine is None or before != stands:
        engine = _copy(backend)
        _looks[backend] = (stands, engine)
    return engine


_looks: weakref.WeakKeyDictionary[Backend, tuple[tuple[int, int, int], _Engine]] = weakref.WeakKeyDictionary()
os.register_at_fork(after_in_child=_looks.clear)  # what is kept nowhere cannot be opened anew


def _copy(backend: Backend) -> _Engine:
    given = {**write_definition(backend.definition, "study", ()), **write_options(backend.options, drawn=False)}
    engine = _Engine(_Place(definition=_dump(given)), backend.definition, backend.options.threads)
    for number in range(1, backend.count() + 1):
        _put(engine, backend.trial(number))
    return engine


def _put(engine: _Engine, record: Record) -> None:
    engine.act(
        "put",
        state=record.state,
        origin=record.origin if record.origin in ("design", "user") else "policy",
        parameters=write_design(engine.definition, record.x),
        values=write_values(engine.definition, record.measured) or None,
        why=record.why or None,
        seconds=record.seconds,
        chosen_by=record.chosen_by or None,
        reason=record.reason or None,
    )
