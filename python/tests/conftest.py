"""Tests are called the same in every process that runs some of them."""

from __future__ import annotations

import re

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Takes addresses out of names such as those that scikit-learn gives to its checks."""
    for item in items:
        item._nodeid = re.sub(r" at 0x[0-9a-f]+", "", item.nodeid)
