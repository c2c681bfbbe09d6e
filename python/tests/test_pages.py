"""What docs/python shows is run, and what is made from the sources is up to date."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/python"
NOTEBOOKS = sorted((PAGES / "notebooks").glob("*.ipynb"))
SHORTEST = "laboratory"
NEEDED = ("numpy", "optuna", "pandas", "scipy", "sklearn")

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in NEEDED), reason=f"pages need {', '.join(NEEDED)}"
)


def run_in(folder: Path, code: str) -> None:
    """In a process of its own, in an empty folder."""
    (folder / "page.py").write_text(code)
    one = {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }  # threads of small products only get in each other's way
    command = [sys.executable, "page.py"]
    subprocess.run(command, cwd=folder, env=os.environ | one, check=True, timeout=600, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("page", ["README", "adapters", "store"])
def test_blocks_of_python_run(page: str, tmp_path: Path) -> None:
    shown = (PAGES / f"{page}.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", shown, re.DOTALL | re.MULTILINE)
    assert blocks
    run_in(tmp_path, "\n".join(blocks))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize(
    "notebook",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.in_full] if path.stem != SHORTEST else [])
        for path in NOTEBOOKS
    ],
)
def test_notebooks_are_those_of_their_sources_and_run(notebook: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    import notebooks

    text = notebook.with_suffix(".py").read_text()
    cells = notebooks.cells_of(text)
    shown: list[dict[str, Any]] = json.loads(notebook.read_text())["cells"]
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in shown] == cells, "run `make notebooks`"
    assert not [output for cell in shown for output in cell.get("outputs", ()) if output["output_type"] == "error"]
    run_in(tmp_path, text)


def test_the_reference_is_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "scripts/python-api.py")], check=True, capture_output=True, text=True
    ).stdout
    assert made == (PAGES / "api.md").read_text(), "run `make notebooks`, or scripts/python-api.py >docs/python/api.md"


def test_links_lead_somewhere() -> None:
    for page in [*PAGES.glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


# --- the side by side ---

RESULTS = ROOT / "bench/results/python-side-by-side.md"


def side_by_side() -> Any:
    spec = importlib.util.spec_from_file_location("side_by_side", ROOT / "bench/python/side_by_side.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_optima_of_its_problems() -> None:
    """Each is what its problem gives where it is said to lie, and its limits hold there but for rounding."""
    module = side_by_side()
    for name in module.PROBLEMS:
        problem = module.Problem(name)
        f, c = problem(problem.best)
        assert len(c) == problem.K
        assert f == pytest.approx(problem.optimum, rel=1e-8, abs=1e-8)
        assert max(c) < 1e-5


def test_its_page_is_made_from_its_lines(tmp_path: Path) -> None:
    lines = RESULTS.with_name("python-side-by-side.jsonl.gz")
    side_by_side().page(types.SimpleNamespace(page=tmp_path / "page.md", files=[lines]))
    assert (tmp_path / "page.md").read_text() == RESULTS.read_text(), "run scripts/side-by-side.sh page"
