"""How far a run is, on one line: by tqdm where it is installed, else by ourselves."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol


class Progress(Protocol):
    def step(self, done: int, best: float | None) -> None: ...
    def close(self) -> None: ...


class Silent:
    def step(self, done: int, best: float | None) -> None:
        pass

    def close(self) -> None:
        pass


class Line:
    """One line on a terminal that is written over, ten times a second at most."""

    width = 24

    def __init__(self, total: int, done: int, stream: Any = None) -> None:
        self._stream = stream or sys.stderr
        self._total = total
        self._first = done
        self._begun = time.monotonic()
        self._next = 0.0
        self._last = ""

    def step(self, done: int, best: float | None) -> None:
        now = time.monotonic()
        self._last = self._text(done, best, now - self._begun)
        if now >= self._next or done >= self._total:
            self._next = now + 0.1
            self._write()

    def _text(self, done: int, best: float | None, seconds: float) -> str:
        filled = self.width * min(done, self._total) // max(1, self._total)
        bar = "#" * filled + "." * (self.width - filled)
        left = seconds * (self._total - done) / max(1, done - self._first)
        shown = "none feasible yet" if best is None else f"best {best:.6g}"
        return f"[{bar}] {done}/{self._total}  {shown}  {clock(seconds)} gone, {clock(left)} left"

    def _write(self) -> None:
        self._stream.write(f"\r{self._last}\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        self._write()
        self._stream.write("\n")
        self._stream.flush()


class Tqdm:
    def __init__(self, total: int, done: int) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(total=total, initial=done, unit="evaluation")

    def step(self, done: int, best: float | None) -> None:
        if best is not None:
            self._bar.set_postfix(best=f"{best:.6g}", refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def clock(seconds: float) -> str:
    """Seconds as people read them: 0:07, 12:30, 3:00:00."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def make_progress(wanted: bool | None, total: int, done: int) -> Progress:
    """None: only where a person looks at a terminal."""
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    if not wanted:
        return Silent()
    try:
        return Tqdm(total, done)
    except ImportError:
        return Line(total, done)
