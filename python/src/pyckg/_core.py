"""The library's functions as Python calls them: texts, arrays, errors, signals."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from ._binding import ffi, lib
from ._errors import (
    CancelledError,
    CkgError,
    ExhaustedError,
    InvalidError,
    NoMemoryError,
    NotFoundError,
    NumericError,
    RefusedError,
    StateError,
    WrongTypeError,
)

_ERRORS: dict[int, type[CkgError]] = {
    lib.CKG_ERR_NOMEM: NoMemoryError,
    lib.CKG_ERR_INVALID: InvalidError,
    lib.CKG_ERR_NOT_FOUND: NotFoundError,
    lib.CKG_ERR_STATE: StateError,
    lib.CKG_ERR_EXHAUSTED: ExhaustedError,
    lib.CKG_ERR_NUMERIC: NumericError,
    lib.CKG_ERR_SYSTEM: RefusedError,
    lib.CKG_ERR_CANCELLED: CancelledError,
}

# --- signals during a long call ---

_raised = threading.local()


def _keep_raised(_kind: object, error: BaseException, _traceback: object) -> None:
    """A signal's handler raised this inside of a call of the library; it goes on when the call has ended."""
    _raised.error = error


@ffi.def_extern(error=1, onerror=_keep_raised)  # type: ignore[untyped-decorator]
def pyckg_handle_signals(_watch: object) -> int:
    """Runs so that Python handles the signals that have come; one that raises ends the call."""
    return 0


# --- what comes back ---


def check(status: int, said: str = "") -> None:
    """Raises what a status says, in the library's words or in those that are given."""
    if status == 0:
        return
    if status == lib.CKG_ERR_CANCELLED:
        error = getattr(_raised, "error", None)
        if error is not None:
            del _raised.error
            raise error.with_traceback(None)
    raise _ERRORS.get(status, CkgError)(said or message(status))


def message(status: int) -> str:
    """The library's line about the last call on this thread."""
    return text(lib.ckg_error_message()) or text(lib.ckg_status_text(status))


def text(pointer: Any) -> str:
    """A C string; empty for NULL."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def known(value: float) -> float | None:
    """A number that may not be known: NAN in C, None in Python."""
    return None if math.isnan(value) else value


# --- what goes in ---


def kind(value: object) -> str:
    """What a value is, in the words of a message."""
    return type(value).__name__


def as_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise WrongTypeError(f"{what} must be a text, not {kind(value)}")
    if "\0" in value:
        raise InvalidError(f"{what} must not contain a NUL character")
    return value


def as_bytes(what: str, value: object) -> bytes:
    try:
        return as_text(what, value).encode()
    except UnicodeEncodeError:
        raise InvalidError(f"{what} must be a text that UTF-8 can hold") from None


def as_number(what: str, value: Any) -> float:
    """A number, from anything that is one: NumPy's scalars, fractions, decimals; never a text, a truth or an array."""
    if type(value) is float:
        return value
    if (
        isinstance(value, bool | str | bytes)
        or not hasattr(value, "__float__")
        or getattr(value, "ndim", None)
        or kind(value) == "bool"
    ):
        raise WrongTypeError(f"{what} must be a number, not {kind(value)}")
    try:
        return float(value)
    except OverflowError:
        raise InvalidError(f"{what} is too large for a number") from None
    except (TypeError, ValueError):
        raise WrongTypeError(f"{what} must be a number, not {kind(value)}") from None


def as_finite(what: str, value: object) -> float:
    number = as_number(what, value)
    if not math.isfinite(number):
        raise InvalidError(f"{what} must be finite, not {number}")
    return number


def as_integer(what: str, value: object, low: int = -(2**53), high: int = 2**53) -> int:
    """An integer, also where it comes as 3.0."""
    number = as_number(what, value)
    if not math.isfinite(number) or number != math.floor(number):
        raise InvalidError(f"{what} must be an integer, not {number:g}")
    if not low <= number <= high:
        raise InvalidError(f"{what} must be from {low} to {high}, not {number:.17g}")
    return int(number)


def as_truth(what: str, value: object) -> bool:
    if isinstance(value, bool) or kind(value) == "bool":
        return bool(value)
    raise WrongTypeError(f"{what} must be True or False, not {kind(value)}")


def as_list(what: str, value: object) -> list[Any]:
    """A list from anything that can be gone through, but not from a text."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise WrongTypeError(f"{what} must be a list, not {kind(value)}")
    return list(value)


def doubles(values: Sequence[float]) -> Any:
    """An array of double with these values."""
    return ffi.new("double[]", values)
