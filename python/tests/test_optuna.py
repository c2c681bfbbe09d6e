"""The Optuna sampler: Optuna's own tests of samplers, and what ours promises beyond them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

optuna = pytest.importorskip("optuna")
pytest_samplers = pytest.importorskip("optuna.testing.pytest_samplers")

from optuna.samplers import BaseSampler  # noqa: E402

from pyckg.optuna import CkgSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


class TestCkgSampler(
    pytest_samplers.BasicSamplerTestCase,
    pytest_samplers.RelativeSamplerTestCase,
    pytest_samplers.SingleOnlySamplerTestCase,
):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: CkgSampler(seed=1)
