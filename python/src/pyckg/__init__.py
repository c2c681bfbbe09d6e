"""Constrained Bayesian optimisation: the best design within limits, from few evaluations that cost much.

study = pyckg.Study({"wire": pyckg.Real(0.05, 2), "coils": pyckg.Integer(2, 15)},
                    objective="weight", constraints={"stress": (None, 0)})
trial = study.ask()
study.tell(trial, weight=1.9, stress=-0.2)
study.recommend()
"""

from typing import TYPE_CHECKING
from typing import Any as _Any

from ._binding import ffi as _ffi
from ._binding import lib as _lib
from ._definition import Equal, OptionInfo, PolicyInfo, SettingInfo, YesNo, options, policies
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
from ._parameters import Categorical, Integer, Parameter, Real
from ._results import Estimate, Gain, Importance, LeftOut, Model, Prediction, Recommendation, Trial
from ._shown import FrontierPoint, Page, Picture, plots
from ._study import Study
from ._study import open_study as open

if TYPE_CHECKING:
    from ._minimize import minimize

__version__: str = _ffi.string(_lib.ckg_version()).decode()

__all__ = [
    "CancelledError",
    "Categorical",
    "CkgError",
    "Equal",
    "Estimate",
    "ExhaustedError",
    "FrontierPoint",
    "Gain",
    "Importance",
    "Integer",
    "InvalidError",
    "LeftOut",
    "Model",
    "NoMemoryError",
    "NotFoundError",
    "NumericError",
    "OptionInfo",
    "Page",
    "Parameter",
    "Picture",
    "PolicyInfo",
    "Prediction",
    "Real",
    "Recommendation",
    "RefusedError",
    "SettingInfo",
    "StateError",
    "Study",
    "Trial",
    "WrongTypeError",
    "YesNo",
    "minimize",
    "open",
    "options",
    "plots",
    "policies",
]


def __getattr__(name: str) -> _Any:
    """Reads minimize only once it is used, so that importing takes less time."""
    if name != "minimize":
        raise AttributeError(f"module 'pyckg' has no attribute {name!r}")
    from ._minimize import minimize

    globals()["minimize"] = minimize
    return minimize
