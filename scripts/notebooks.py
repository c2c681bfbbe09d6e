#!/usr/bin/env python3
"""notebooks.py [NAME…]: runs docs/python/notebooks/NAME.py as a notebook, NAME.ipynb beside it, with what comes out; all of them by default.

A source is plain Python: a cell begins at a line "# %%", one of text at "# %% [markdown]", its lines commented out. Needs nbclient, nbformat and ipykernel.
"""

import re
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs/python/notebooks"


def cells_of(text):
    """(kind, source) of every cell."""
    found = []
    for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            found.append(("markdown", re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip()))
        else:
            found.append(("code", body.strip()))
    return found


def make(source):
    import nbclient
    import nbformat

    makers = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}
    book = nbformat.v4.new_notebook(cells=[makers[kind](text) for kind, text in cells_of(source.read_text())])
    book.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    for i, cell in enumerate(book.cells):
        cell.id = f"cell-{i}"
        cell.metadata.pop("execution", None)  # when it ran
        if cell.cell_type == "code":  # warnings are of this machine, not of the notebook
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.write(book, source.with_suffix(".ipynb"))
    print(source.with_suffix(".ipynb").name, flush=True)


def main():
    wanted = [FOLDER / f"{name}.py" for name in sys.argv[1:]] or sorted(FOLDER.glob("*.py"))
    for source in wanted:
        make(source)


if __name__ == "__main__":
    main()
