"""Evaluations side by side: here, in threads, in processes, or by anything that maps.

Each of these takes tasks by `submit(number, argument)` and gives what became of them by `wait()`: a value, or the
exception that came instead. `close()` leaves at once; what was not finished is forgotten.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ._core import as_integer, kind
from ._errors import CkgError, InvalidError, WrongTypeError

Function = Callable[[Any], Any]


class DiedError(CkgError):
    """The process of an evaluation ended before it answered."""


@dataclass(slots=True)
class Answer:
    """What became of a task."""

    number: int
    value: Any = None
    error: BaseException | None = None


class Workers(Protocol):
    size: int

    def submit(self, number: int, argument: Any) -> None: ...
    def wait(self) -> list[Answer]: ...
    def close(self) -> None: ...


def _answer(function: Function, number: int, argument: Any) -> Answer:
    try:
        return Answer(number, function(argument))
    except Exception as error:
        return Answer(number, error=error)


class Here:
    """One evaluation at a time, in this thread."""

    size = 1

    def __init__(self, function: Function) -> None:
        self._function = function
        self._tasks: list[tuple[int, Any]] = []

    def submit(self, number: int, argument: Any) -> None:
        self._tasks.append((number, argument))

    def wait(self) -> list[Answer]:
        return [_answer(self._function, *self._tasks.pop())]

    def close(self) -> None:
        self._tasks.clear()


class Threads:
    """Threads that end with the program, so that an evaluation that was left behind holds up nobody."""

    def __init__(self, function: Function, size: int) -> None:
        self.size = size
        self._function = function
        self._tasks: queue.SimpleQueue[tuple[int, Any] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        for _ in range(size):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._answers.put(_answer(self._function, *task))

    def submit(self, number: int, argument: Any) -> None:
        self._tasks.put((number, argument))

    def wait(self) -> list[Answer]:
        return [self._answers.get()]

    def close(self) -> None:
        for _ in range(self.size):
            self._tasks.put(None)


class Processes:
    """Processes that are told one task at a time. One that dies costs its own task alone, and is replaced."""

    def __init__(self, function: Function, size: int) -> None:
        self.size = size
        self._function = function
        import multiprocessing

        self._context = multiprocessing.get_context()
        self._idle: list[_Process] = []
        self._busy: dict[Any, _Process] = {}

    def submit(self, number: int, argument: Any) -> None:
        process = self._idle.pop() if self._idle else _Process(self._context, self._function)
        process.give(number, argument)
        self._busy[process.connection] = process

    def wait(self) -> list[Answer]:
        import multiprocessing.connection

        answers = []
        for connection in multiprocessing.connection.wait(list(self._busy)):
            process = self._busy.pop(connection)
            answer = process.take()
            if not isinstance(answer.error, DiedError):
                self._idle.append(process)
            answers.append(answer)
        return answers

    def close(self) -> None:
        for process in (*self._idle, *self._busy.values()):
            process.end()


class _Process:
    def __init__(self, context: Any, function: Function) -> None:
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, function), daemon=True)
        self._number = 0
        try:
            self._process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise WrongTypeError(f"the function cannot be sent to another process: {error}") from None
        theirs.close()

    def give(self, number: int, argument: Any) -> None:
        self._number = number
        self.connection.send((number, argument))

    def take(self) -> Answer:
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            self.end()
            return Answer(self._number, error=DiedError(_how_it_ended(self._process.exitcode)))
        assert isinstance(answer, Answer)
        return answer

    def end(self) -> None:
        self._process.terminate()
        self._process.join()
        self.connection.close()


def _serve(connection: Any, function: Function) -> None:
    """The life of a process: Ctrl-C is the parent's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            number, argument = connection.recv()
        except (EOFError, OSError):
            return
        answer = _answer(function, number, argument)
        try:
            connection.send(answer)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            connection.send(
                Answer(number, error=WrongTypeError(f"what the function gave cannot be sent back: {error}"))
            )


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        return f"the evaluation's process was ended by signal {-code}"
    return f"the evaluation's process ended with status {code}"


class Mapped:
    """Anything that works like map(function, arguments): as many tasks at once as it has workers."""

    def __init__(self, function: Function, mapping: Callable[..., Any]) -> None:
        owner = getattr(mapping, "__self__", None)
        size = getattr(owner, "_max_workers", None) or getattr(owner, "_processes", None) or os.cpu_count() or 1
        self.size = size if isinstance(size, int) else 1
        self._function = function
        self._mapping = mapping
        self._tasks: list[tuple[int, Any]] = []

    def submit(self, number: int, argument: Any) -> None:
        self._tasks.append((number, argument))

    def wait(self) -> list[Answer]:
        tasks, self._tasks = self._tasks, []
        values = list(self._mapping(self._function, [argument for _, argument in tasks]))
        if len(values) != len(tasks):
            raise InvalidError(f"workers gave {len(values)} answers to {len(tasks)} designs")
        return [Answer(number, value) for (number, _), value in zip(tasks, values, strict=True)]

    def close(self) -> None:
        self._tasks.clear()


def make_workers(function: Function, workers: object, processes: bool) -> Workers:
    """As many workers as are wanted, -1 being one for each processor; or those behind a function like map."""
    if callable(workers):
        return Mapped(function, workers)
    if isinstance(workers, bool) or not hasattr(workers, "__index__"):
        raise WrongTypeError(f"workers must be an integer or a function like map, not {kind(workers)}")
    size = as_integer("workers", workers, -1, 10_000)
    if size == 0:
        raise InvalidError("workers must be at least 1, or -1 for one for each processor")
    if size == -1:
        size = os.cpu_count() or 1
    if processes:
        return Processes(function, size) if size > 1 else Here(function)
    return Threads(function, size) if size > 1 else Here(function)
