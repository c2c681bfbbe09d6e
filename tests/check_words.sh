#!/bin/sh
# check_words.sh SOURCE: no name in the code, and no file, has a word that was retired (tests/retired.txt). What people read is not looked at:
# neither comments nor texts.
set -eu
cd "$1"
exec python3 - <<'PY'
import pathlib
import re
import subprocess
import sys

SAID = {
    ".c": r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`',
    ".py": r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
}
SAID[".h"] = SAID[".js"] = SAID[".c"]
CODE = ("src/", "app/", "include/", "python/bridge/", "python/src/")


def parts(name):
    """The words of an identifier or a file's name."""
    return re.findall(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+", name)


def main():
    rows = [line.split("\t") for line in pathlib.Path("tests/retired.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    where = {word: folders.split(",") for word, folders, _ in rows}
    instead = {word: new for word, _, new in rows}
    found = set()
    listed = subprocess.run(["find", "src", "app", "include", "python", "bench", "tests", "scripts", "-type", "f", "-not", "-path", "*/corpus/*"], stdout=subprocess.PIPE, text=True)
    for path in map(pathlib.Path, listed.stdout.split()):
        for word in parts(path.stem):
            if word.lower() in where and any(str(path).startswith(folder) for folder in where[word.lower()]):
                found.add((str(path), "the file", word.lower()))
        if path.suffix not in SAID or not str(path).startswith(CODE):
            continue
        code = re.sub(SAID[path.suffix], " ", path.read_text(encoding="utf-8"), flags=re.S)
        for name in set(re.findall(r"[A-Za-z_]\w*", code)):
            for word in parts(name):
                if word.lower() in where and any(str(path).startswith(folder) for folder in where[word.lower()]):
                    found.add((str(path), name, word.lower()))
    for path, name, word in sorted(found):
        print(f"{path}: {name}: `{word}` is retired: {instead[word]}")
    sys.exit(bool(found))


main()
PY
