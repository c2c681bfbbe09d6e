"""test_lists.py PROGRAM: what the documentation lists is what the program has: policies, commands, options, built-in problems, and variables of the
environment. Code is what stands in blocks and between backquotes; words in capitals or with "…" stand for something else."""
import glob
import os
import re
import subprocess

from harness import PROGRAM, main

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)),
         *sorted(glob.glob(os.path.join(ROOT, "examples", "**", "*.md"), recursive=True))]


def printed(*words):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout


def names(*words):
    """The words at the beginning of lines."""
    return re.findall(r"^([a-z][a-z0-9-]*) ", printed(*words), re.M)


def commands():
    return re.findall(r"^  ([a-z]+) ", printed("--help"), re.M)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def code(text):
    """The lines of blocks, of a console those that are typed, and what stands between backquotes outside of them."""
    lines = []
    for kind, block in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        found = block.replace("\\\n", " ").split("\n")
        lines += [line[2:] for line in found if line.startswith("$ ")] if kind.startswith("console") else found
    return lines + [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))]


def calls():
    """(page, command, the rest of the line) of every `ckg COMMAND …` in code, as far as the next one in a pipe."""
    for page in PAGES:
        for line in code(read(page)):
            for found in re.finditer(r"(?:^|[$;|&(] *|^ *)(?:build/)?ckg ([a-z]+)\b([^|;&#)]*)", line):
                yield os.path.relpath(page, ROOT), found[1], found[2]


def test_policies():
    known = set(names("policies"))
    pages = {os.path.basename(page)[:-3] for page in glob.glob(os.path.join(ROOT, "docs", "policies", "*.md"))} - {"README"}
    table = set(re.findall(r"\[`([a-z]+)`\]\(", read(os.path.join(ROOT, "docs", "policies", "README.md"))))
    section = read(os.path.join(ROOT, "README.md")).split("## Other policies\n")[1].split("\n## ")[0]
    assert known == pages, known ^ pages
    assert known == table, known ^ table
    assert known <= set(re.findall(r"`([a-z]+)`", section)), known - set(re.findall(r"`([a-z]+)`", section))


def test_commands_of_the_documentation_exist():
    known = {*commands(), "help", "manual"}
    wrong = sorted({(page, command) for page, command, _ in calls() if command not in known})
    assert not wrong, wrong


def test_every_command_is_in_the_documentation():
    missing = set(commands()) - {command for _, command, _ in calls()}
    assert not missing, missing


def test_options_of_the_documentation_exist():
    known = {command: set(re.findall(r"--?[a-z][a-z-]*", printed(command, "--help"))) for command in commands()}
    wrong = sorted({(page, command, option) for page, command, rest in calls() if command in known
                    for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", rest) if option not in known[command] | {"--help", "--quiet"}})
    assert not wrong, wrong


def test_problems():
    known = set(names("problems"))
    named = {name for _, command, rest in calls() if command == "bench" for found in re.findall(r"--problem[ =](\S+)", rest)
             for name in found.split(",") if re.fullmatch(r"[a-z][a-z0-9-]*", name)}
    assert named <= known, named - known


def test_variables_of_the_environment_exist():
    sources = "".join(read(path) for folder in ("app", "src", "python", "tests", "scripts", "examples", "cmake")
                      for path in glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)
                      if path.endswith((".c", ".h", ".py", ".sh", ".cmake")))
    sources += read(os.path.join(ROOT, "Makefile"))
    headers = "".join(read(path) for path in glob.glob(os.path.join(ROOT, "include", "ckg", "*.h")))
    named = {(os.path.relpath(page, ROOT), name) for page in PAGES for line in code(read(page)) for name in re.findall(r"\bCKG_[A-Z_]+[A-Z]\b", line)}
    wrong = sorted((page, name) for page, name in named if name not in sources and name not in headers)
    assert not wrong, wrong


if __name__ == "__main__":
    main(globals())
