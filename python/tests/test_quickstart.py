"""What README.md and python/README.md show in Python runs, and prints what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

import pyckg

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


def test_the_newcomer_s_page() -> None:
    """Its program prints what the page shows, but for digits that depend on the processor."""
    page = (ROOT / "docs/python/newcomer.md").read_text()
    code = re.findall(r"^```python\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)[0]
    shown = re.findall(r"^\$ ckg-env/bin/python can.py\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)[0]
    said = io.StringIO()
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(said):
        exec(code, names)
    assert re.sub(r"\d[\d.e-]*", "#", said.getvalue()) == re.sub(r"\d[\d.e-]*", "#", shown)
    assert "radius     3.5\n" in said.getvalue()

    study = names["study"]
    with pytest.raises(pyckg.NotFoundError) as caught:
        study.tell(study.ask(), aera=300)
    assert f"pyckg.NotFoundError: {caught.value}" in page
