"""What README.md and python/README.md show in Python runs, and prints what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n(?:It prints\n\n)?```\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("page", "count"), [("README.md", 2), ("python/README.md", 1)])
def test_what_the_page_shows(page: str, count: int) -> None:
    blocks = BLOCK.findall((ROOT / page).read_text())
    assert len(blocks) == count
    names: dict[str, object] = {}
    for code, printed in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(code, names)
        assert said.getvalue() == printed
