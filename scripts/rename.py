#!/usr/bin/env python3
"""rename.py [--check] LIST: gives things other names, everywhere at once.

A line of LIST is `old<TAB>new`; a line that begins with # says something to its reader. What `old` is, its form says:

    app_notebook_open       a word, as a whole, wherever it stands: code, comments, documentation, tests
    app_notebook_*          every word that begins so; `new` ends with * too
    src/*,tests/*:effort    a word of the code alone, not of comments and texts, in these files; * stands for folders too
    src/*:_effort           the same as a part of words: climb_effort, EFFORT_ONE, ckg__effort
    src/*:#effort           the same, in comments as well
    src/a/old.c             a file, and every mention of it by its last name

Nothing may take a name that something else has already: --check only says what would, and is silent where all is well. The order of the lines is that
of the changes. Patches against older revisions: apply them there, run this with scripts/renamed.txt, and compare."""
import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

NAME = r"[A-Za-z0-9_]"
TEXTS = {".c", ".h", ".in", ".py", ".js", ".css", ".html", ".md", ".txt", ".cmake", ".sh", ".json", ".jsonl", ".yaml", ".yml", ".dict", ".map", ""}
LEFT = ("bench/results/", "CHANGELOG.md", "LICENSE", "scripts/renamed.txt", "scripts/rename.py", "tests/retired.txt", "tests/fuzz/corpus/")

# Comments and texts of C and JavaScript, and of Python; what stands between them is code.
SAID = {
    ".c": r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#[ \t]*include[^\n]*',
    ".py": r'""".*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
}
SAID[".h"] = SAID[".js"] = SAID[".c"]
QUOTED = {".c": r'"(?:\\.|[^"\\\n])*"|^[ \t]*#[ \t]*include[^\n]*', ".py": r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''}
QUOTED[".h"] = QUOTED[".js"] = QUOTED[".c"]


def tracked():
    names = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and not name.startswith(LEFT) and pathlib.Path(name).suffix in TEXTS and pathlib.Path(name).is_file()]


def in_code(text, apart, change):
    """The text with `change` made to what the pattern leaves."""
    out, at = [], 0
    for said in re.finditer(apart, text, re.S | re.M):
        out += [change(text[at : said.start()]), said.group()]
        at = said.end()
    return "".join(out + [change(text[at:])])


def like(word, new):
    """In capitals where the word is."""
    return new.upper() if word.isupper() and len(word) > 1 else new[0].upper() + new[1:] if word[0].isupper() else new


class Tree:
    def __init__(self):
        self.text = {}
        for name in tracked():
            try:
                self.text[name] = pathlib.Path(name).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass
        self.changed = set()
        self.moves = []

    def put(self, name, text):
        if text != self.text[name]:
            self.text[name] = text
            self.changed.add(name)

    def everywhere(self, pattern, new):
        for name, text in self.text.items():
            self.put(name, pattern.sub(new, text))

    def has(self, word):
        pattern = re.compile(rf"(?<!{NAME}){re.escape(word)}(?!{NAME})")
        return [name for name, text in self.text.items() if pattern.search(text)]

    def rename_file(self, old, new):
        self.moves.append((old, new))
        last, now = pathlib.Path(old), pathlib.Path(new)
        for a, b in ((old, new), (f"{last.parent.name}/{last.name}", f"{now.parent.name}/{now.name}"), (last.name, now.name)):
            self.everywhere(re.compile(rf"(?<![\w./-]){re.escape(a)}(?![\w])"), b)
        if last.suffix == ".h":
            guard = [f"{'_'.join(p.upper().replace('-', '_') for p in (path.stem,))}_H" for path in (last, now)]
            self.everywhere(re.compile(rf"\b(CKG_(?:\w+_)?){guard[0]}\b"), rf"\g<1>{guard[1]}")

    def rename_in(self, files, old, new):
        apart, bare = (QUOTED if old[0] == "#" else SAID), old.lstrip("#_")
        if old[0] in "#_":
            word = re.compile(rf"(?<![A-Za-z0-9])(?i:{re.escape(bare)})(?![A-Za-z0-9])|(?<=[a-z]){re.escape(bare.capitalize())}(?![a-z])")
        else:
            word = re.compile(rf"(?<!{NAME}){re.escape(bare)}(?!{NAME})")
        for name in [n for n in self.text if any(fnmatch.fnmatch(n, f) for f in files.split(",")) and pathlib.Path(n).suffix in SAID]:
            self.put(name, in_code(self.text[name], apart[pathlib.Path(name).suffix], lambda code: word.sub(lambda m: like(m.group(), new), code)))

    def rename(self, old, new):
        if old.endswith("*"):
            self.everywhere(re.compile(rf"(?<!{NAME}){re.escape(old[:-1])}(?={NAME})"), new[:-1])
        else:
            self.everywhere(re.compile(rf"(?<!{NAME}){re.escape(old)}(?!{NAME})"), new)

    def write(self):
        for name in self.changed:
            pathlib.Path(name).write_text(self.text[name], encoding="utf-8")
        for old, new in self.moves:
            pathlib.Path(new).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "mv", old, new], check=True)


def rows(path):
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            old, tab, new = line.partition("\t")
            if not tab or not new:
                sys.exit(f"{path}:{number}: not old<TAB>new")
            yield number, old, new


def clashes(path, tree):
    for number, old, new in rows(path):
        if ":" in old or old.endswith("*") or "/" in old:
            continue
        if not tree.has(old):
            yield f"{path}:{number}: {old} is nowhere"
        taken = tree.has(new)
        if taken:
            yield f"{path}:{number}: {new} is in {', '.join(taken[:3])} already"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("list")
    given = parser.parse_args()
    tree = Tree()
    if given.check:
        print("\n".join(clashes(given.list, tree)))
        return
    for _, old, new in rows(given.list):
        if ":" in old:
            tree.rename_in(*old.split(":", 1), new)
        elif "/" in old:
            tree.rename_file(old, new)
        else:
            tree.rename(old, new)
    tree.write()


main()
