#!/usr/bin/env python3
"""fuzz-table.py FOLDER [--page FILE]: what libFuzzer's runs in FOLDER/NAME.log came to, as a table, or between the marks of a page."""
import pathlib
import re
import sys

READS = {
    "answer": "what an evaluation prints",
    "arguments": "command lines",
    "choice": "tables of designs to choose from",
    "definition": "problem files",
    "import": "tables of trials",
    "points": "tables of designs, as `predict` reads them",
    "rows": "trials as a store keeps them",
    "request": "the heads of requests, as `serve` reads them",
    "body": "the bodies of requests",
    "template": "templates of input files",
    "rules": "rules between parameters",
    "store": "the database file",
}


def main():
    rows = ["| reads | executions | seconds | edges | corpus | finds |", "|---|---:|---:|---:|---:|---:|"]
    executions = seconds = finds = 0
    for log in sorted(pathlib.Path(sys.argv[1]).glob("*.log")):
        text = log.read_text(errors="replace")
        done = re.findall(r"Done (\d+) runs in (\d+) second", text)
        state = re.findall(r"^#\d+\s+\w+\s+cov: (\d+) ft: \d+ corp: (\d+)/", text, re.M)
        if not done or not state or log.stem not in READS:
            continue
        found = len(re.findall(r"ERROR: (?:AddressSanitizer|libFuzzer)", text))
        rows.append(f"| {READS[log.stem]} | {int(done[-1][0]):,} | {int(done[-1][1]):,} | {int(state[-1][0]):,} | {int(state[-1][1]):,} | {found} |")
        executions += int(done[-1][0])
        seconds += int(done[-1][1])
        finds += found
    rows.append(f"| **all** | {executions:,} | {seconds:,} | | | {finds} |")
    if "--page" in sys.argv:
        page = pathlib.Path(sys.argv[sys.argv.index("--page") + 1])
        begin, end = "<!-- fuzz -->", "<!-- end of fuzz -->"
        text = page.read_text()
        page.write_text(text.split(begin)[0] + begin + "\n" + "\n".join(rows) + "\n" + end + text.split(end)[1])
    print("\n".join(rows))


if __name__ == "__main__":
    main()
