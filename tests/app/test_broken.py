#!/usr/bin/env python3
"""test_broken.py CKG: every broken problem file is refused with its one line.

broken/NAME.yaml or .json stands beside NAME.expected, the exact line on standard error. `ckg status`, which only reads, and `ckg ask`, which
would make a store, must both print that line and nothing else, exit with status 2, and leave no file behind. No line may have a control
character, wherever the file has some. With --write the expected lines are written instead, for someone to read.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unicodedata

FOLDER = pathlib.Path(__file__).parent / "broken"
MINIMUM = 60


def answer(program, command, path):
    return subprocess.run([program, command, path.name], cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=3000)


def complaints(program, path, expected):
    """What is wrong with the answers to this file."""
    for command in ("status", "ask"):
        got = answer(program, command, path)
        said = got.stderr.decode("utf-8", "replace")
        if got.returncode != 2:
            yield f"ckg {command} {path.name}: exit status {got.returncode}, not 2; {said!r}"
        if got.stdout:
            yield f"ckg {command} {path.name}: standard output has {got.stdout[:200]!r}"
        if said != expected:
            yield f"ckg {command} {path.name}:\n    says     {said!r}\n    expected {expected!r}"
        if any(unicodedata.category(c) == "Cc" for c in said[:-1]) or not said.endswith("\n"):
            yield f"ckg {command} {path.name}: not one line without control characters: {said!r}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    inputs = sorted(p for p in FOLDER.iterdir() if p.suffix in (".yaml", ".json"))
    wrong = [] if len(inputs) >= MINIMUM else [f"only {len(inputs)} files in {FOLDER}"]
    stray = {p.stem for p in FOLDER.glob("*.expected")} - {p.stem for p in inputs}
    wrong += [f"{name}.expected belongs to no file" for name in sorted(stray)]
    with tempfile.TemporaryDirectory() as folder:
        for source in inputs:
            path = pathlib.Path(shutil.copy(source, folder))
            expected = source.with_suffix(".expected")
            if sys.argv[2:] == ["--write"]:
                expected.write_bytes(answer(program, "status", path).stderr)
            wrong += complaints(program, path, expected.read_text(encoding="utf-8") if expected.exists() else "")
        left = {p.name for p in pathlib.Path(folder).iterdir()} - {p.name for p in inputs}
        wrong += [f"left behind: {name}" for name in sorted(left)]
    print("\n".join(wrong) if wrong else f"{len(inputs)} broken files, each refused with its line")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
