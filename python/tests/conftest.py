"""Ctrl-C does here and in what the tests start what it does in a terminal, even where SIGINT is ignored. With
CKG_TEST_LIGHT in the environment, tests that are marked in_full are left out.
"""

from __future__ import annotations

import os
import signal

import pytest

signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "CKG_TEST_LIGHT" not in os.environ:
        return
    heavy = [item for item in items if item.get_closest_marker("in_full")]
    config.hook.pytest_deselected(items=heavy)
    items[:] = [item for item in items if item not in heavy]
