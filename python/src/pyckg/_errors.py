"""The errors: one family, each with the library's one-line message."""

from __future__ import annotations


class CkgError(Exception):
    """Whatever went wrong; catch this one to catch them all."""


class InvalidError(CkgError, ValueError):
    """An argument has a value that it may not have; the message names it."""


class WrongTypeError(CkgError, TypeError):
    """An argument is not of a kind that can be used; the message names it."""


class NotFoundError(CkgError, LookupError):
    """There is no parameter, outcome, trial, policy or option of that name or number."""


class StateError(CkgError, RuntimeError):
    """Not possible now: the study is closed, the trial was told already, nothing was measured yet, …"""


class ExhaustedError(CkgError):
    """Every design of a finite problem has been evaluated."""


class NumericError(CkgError, ArithmeticError):
    """The numbers broke down."""


class NoMemoryError(CkgError, MemoryError):
    """There is not enough memory."""


class RefusedError(CkgError, OSError):
    """The operating system refused."""


class CancelledError(CkgError):
    """The call was cancelled."""


# They are shown, and pickled, by the name under which people import them.
for _error in (CkgError, *CkgError.__subclasses__()):
    _error.__module__ = "pyckg"
