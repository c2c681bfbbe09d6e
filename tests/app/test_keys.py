#!/usr/bin/env python3
"""test_keys.py CKG: every key that a problem file may have is in the table of keys, and so on the page and in ckg-problem(5), and no other.

What a mapping accepts is read off the complaint about a key that no other resembles. Mappings that the sources read but the list of them does not have
are found by their tables.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
TREE = pathlib.Path(__file__).parents[2]
STRAY = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"

SMALL = {"name": "small", "goal": "minimize", "budget": 9, "parameters": {"a": {"type": "real", "low": 0, "high": 1}},
         "objective": {"name": "y"}, "constraints": {"c": {"max": 1}}, "evaluate": {"command": ["true"]}, "model": {}}


def sections(text):
    """The tables of the page: {how the mapping stands in the file: its keys}."""
    out = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        where = re.search(r"^`([^`]*)`$", part, re.M)
        out[where.group(1) if where else ""] = re.findall(r"^\| `([a-z_]+)` \|", part, re.M)
    return out


def accepted(where):
    """The keys that the reader takes in the mapping which stands like that, by its complaint about a stray one."""
    names = re.findall(r"([A-Za-z_]+): ", where)
    problem = json.loads(json.dumps(SMALL))
    at = problem
    for name in names:
        at = next(iter(at.values())) if name == "NAME" else at.setdefault(name, {})
    at[STRAY] = 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "small.yaml"
        file.write_text(json.dumps(problem))
        done = subprocess.run([PROGRAM, "status", str(file)], capture_output=True, text=True, timeout=600)
    found = re.search(r"unknown key '[^']*' in (.*); choose from (.*)$", done.stderr.strip())
    assert found, f"a stray key in {where or 'the file'}: {done.stderr!r}"
    return found.group(1), found.group(2).split(", ")


def main():
    wrong = []
    listed = re.search(r"app_schemas\[\] = \{(.*?)\};", (TREE / "app/definition/file_schema.c").read_text(encoding="utf-8"), re.S).group(1)
    markdown = subprocess.run([PROGRAM, "manual", "problem", "--markdown"], capture_output=True, text=True, check=True).stdout
    manual = subprocess.run([PROGRAM, "manual", "problem"], capture_output=True, text=True, check=True).stdout
    page = (TREE / "docs/howto/problem-file.md").read_text(encoding="utf-8")
    mappings = set()

    for where, keys in sections(markdown).items():
        what, taken = accepted(where)
        mappings.add(what)
        wrong += [f"{what}: the key {key} is read but not on the page" for key in taken if key not in keys]
        wrong += [f"{what}: the key {key} is on the page but not read" for key in keys if key not in taken]
        wrong += [f"{what}: {key} is not in the manual page" for key in taken if f"\\fB{key}\\fR: " not in manual]
        wrong += [f"{what}: {key} is not on the page" for key in taken if f"| `{key}` |" not in page]

    for source in sorted((TREE / "app/definition").glob("*.c")):
        for name in re.findall(r"const struct app_schema (\w+) =", source.read_text(encoding="utf-8")):
            if not re.search(rf"\b{name}\b", listed):
                wrong.append(f"{source.name} has the mapping {name}, which app_schemas does not have")

    print("\n".join(wrong) if wrong else f"{len(mappings)} mappings, every key on the page")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
