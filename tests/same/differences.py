"""differences.py OLD NEW INTENDED: what differs between two folders of tests/same/output.py, beyond what INTENDED says (its first lines say how)."""
import difflib
import fnmatch
import itertools
import pathlib
import re
import sys

LINES = 6  # of each difference
COLUMNS = 150
SHOWN = 40  # differences whose lines are shown; the others are only named


def intended(path):
    """The texts that are replaced, what is left out of the new ones, and the patterns of what is not compared."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    replaced = [line for line in lines if not line.startswith(("+", "-"))]
    wrong = [line for line in replaced if line.count("\t") != 1]
    if wrong:
        sys.exit(f"{path}: neither old<TAB>new, nor +REGULAR EXPRESSION, nor -PATTERN: {wrong[0]}")
    return ([line.split("\t") for line in replaced], [re.compile(line[1:]) for line in lines if line.startswith("+")],
            [line[1:] for line in lines if line.startswith("-")])


def outputs(folder, left_out):
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in names if not any(fnmatch.fnmatchcase(name, pattern) for pattern in left_out)}


def read(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def show(old, new):
    """The lines that differ, without those around them."""
    found = (line for line in difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="") if not line.startswith(("---", "+++", "@@")))
    for line in itertools.islice(found, LINES):
        print("   ", line[:COLUMNS].encode("utf-8", "replace").decode())


def main():
    old, new = map(pathlib.Path, sys.argv[1:3])
    replaced, added, left_out = intended(pathlib.Path(sys.argv[3]))
    before, now = outputs(old, left_out), outputs(new, left_out)
    differ = [f"{name}: is gone" for name in sorted(before - now)] + [f"{name}: is new" for name in sorted(now - before)]
    for line in differ:
        print(line)
    for name in sorted(before & now):
        was, text = read(old / name), read(new / name)
        for one, other in replaced:
            was = was.replace(one, other)
        for what in added:
            text = what.sub("", text)
        if was != text:
            differ.append(name)
            print(f"{name}: differs")
            if len(differ) <= SHOWN:
                show(was, text)
    print(f"{len(before & now)} things compared, {len(differ)} differ")
    sys.exit(1 if differ or not before else 0)


main()
