#!/usr/bin/env python3
"""coverage.py BUILD [--page FILE] [--list]: branch coverage of src/ and app/ from the counts of a build with --coverage.

gcov says of every branch of every line how often it was taken. Objects that share a line (headers, loops that are compiled several times) are
put together: a branch counts as taken where any of them took it. Nothing is left out of the total. Each branch that was not taken gets a
reason from the words of its line:

    memory   an allocation fails: NOMEM, an arena or a text without room, a NULL that an allocation gave
    status   the way on of a failure that happened elsewhere: `status ? … : …`, `if (!status)`, `if (bad)`
    system   a call of the system, of SQLite or of a thread fails
    rest     everything else, which a test could reach

--page writes the table of docs/coverage.md, --list prints every line of `rest`.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEMORY = re.compile(r"NOMEM|nomem|no_memory|alloc|arena_|ckg__view_make|_take\(|->failed|\.failed|!\w+(\.\w+|->\w+)? \|\||strdup|app_text_|"
                    r"json_(object|array|string|real|integer|pack|deep)|reserve_|grow")
STATUS = re.compile(r"status|\bbad\b|\berror\b|\bresult\b != |ckg__\w+_(fill|make|run|set|draw|look)\(|CANCELLED|interrupted")
SYSTEM = re.compile(r"SQLITE_|sqlite3_|errno|< 0\b|!= 0\)|== -1|pthread_|CKG_ERR_SYSTEM|f(open|write|close|flush|sync)|rename|unlink|mkdir|"
                    r"waitpid|kill\(|poll\(|cairo_|yaml_")


def gcov(folder):
    """What gcov says of every object of the build, one JSON document each."""
    for data in sorted(folder.rglob("*.gcda")):
        if "/tests/" in str(data) or "/bench/" in str(data) or "/examples/" in str(data):
            continue
        run = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(data)], capture_output=True, text=True,
                             cwd=folder)
        for line in run.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def collect(folder):
    """{file: {line: [times each branch was taken]}}, and the lines that were run at all."""
    taken = collections.defaultdict(lambda: collections.defaultdict(list))
    lines = collections.defaultdict(dict)
    for document in gcov(folder):
        base = pathlib.Path(document["current_working_directory"])
        for file in document["files"]:
            path = (base / file["file"]).resolve()
            if not path.is_relative_to(ROOT):
                continue
            name = str(path.relative_to(ROOT))
            if not name.startswith(("src/", "app/")):
                continue
            for line in file["lines"]:
                number = line["line_number"]
                lines[name][number] = lines[name].get(number, 0) + line["count"]
                branches = taken[name][number]
                for i, branch in enumerate(line["branches"]):
                    if i < len(branches):
                        branches[i] += branch["count"]
                    else:
                        branches.append(branch["count"])
    return taken, lines


def reason(source, number):
    """Why a branch of the line may not have been taken; the condition may go on for two lines."""
    text = source[number - 1]
    around = " ".join(source[number - 1:number + 2])
    if MEMORY.search(text) or "NOMEM" in around or "no_memory" in around:
        return "memory"
    if SYSTEM.search(text) or "CKG_ERR_SYSTEM" in around:
        return "system"
    if STATUS.search(text):
        return "status"
    return "rest"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    taken, lines = collect(folder)
    table = collections.defaultdict(collections.Counter)
    rest = []
    for name in sorted(taken):
        source = (ROOT / name).read_text().splitlines()
        part = "/".join(name.split("/")[:2]) if name.count("/") > 1 else name.split("/")[0]
        for number, count in lines[name].items():
            table[part]["lines"] += 1
            table[part]["run"] += count > 0
        for number, branches in taken[name].items():
            for count in branches:
                table[part]["branches"] += 1
                table[part]["taken"] += count > 0
                if not count:
                    why = reason(source, number)
                    table[part][why] += 1
                    if why == "rest":
                        rest.append((name, number, source[number - 1].strip()))

    total = collections.Counter()
    for counts in table.values():
        total.update(counts)
    rows = [f"| {part}/ | {row(counts)} |" for part, counts in sorted(table.items())] + [f"| **all** | {row(total)} |"]
    page = ["| folder | lines run | branches | taken | not taken: memory | status | system | rest | taken of what a test could reach |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|"] + rows
    if "--page" in sys.argv:
        write_page(pathlib.Path(sys.argv[sys.argv.index("--page") + 1]), page, rest)
    else:
        print("\n".join(page))
    if "--list" in sys.argv:
        for name, number, text in rest:
            print(f"{name}:{number}: {text}")
    reached = share(total["taken"], total["taken"] + total["rest"])
    print(f"{total['taken']} of {total['branches']} branches; {reached:.1f} % of what a test could reach", file=sys.stderr)
    return reached < 90


def share(part, whole):
    return 100 * part / whole if whole else 100


def row(c):
    return (f"{share(c['run'], c['lines']):.1f} % | {c['branches']:,} | {share(c['taken'], c['branches']):.1f} % | {c['memory']:,} | "
            f"{c['status']:,} | {c['system']:,} | {c['rest']:,} | {share(c['taken'], c['taken'] + c['rest']):.1f} %")


def write_page(path, page, rest):
    """Between the marks of the page: the table, and the files with most of the rest."""
    files = collections.Counter(name for name, _, _ in rest)
    most = ["", "The files with most of the rest: " +
            ", ".join(f"`{name}` {count}" for name, count in files.most_common(12)) + "."]
    text = path.read_text()
    begin, end = "<!-- coverage -->", "<!-- end of coverage -->"
    before, after = text.split(begin)[0], text.split(end)[1]
    path.write_text(before + begin + "\n" + "\n".join(page + most) + "\n" + end + after)


if __name__ == "__main__":
    sys.exit(main())
