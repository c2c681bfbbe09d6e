#!/usr/bin/env python3
"""mutate.py [--page FILE] [NAME…]: ten central lines, each made wrong by hand; do the tests notice?

In a copy of the last commit, in build-mutants/, each mutation replaces one line. What it touches is built again, and the tests that should
notice are run, which are seconds of the suite; all of it would notice no less. A mutation is caught where a test fails, and survives where all
pass. One that does not build, or whose line is no longer there, is an error: the list is to be mended.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = ROOT / "build-mutants"
SOURCE, BUILD = PLACE / "source", PLACE / "source" / "build"

# name: what it breaks, the file, the line as it is and as it becomes, the targets to build, the tests.
MUTATIONS = {
    "ckg-value": ("cKG's value: the mean over the nodes of Z_c", "src/acquisition/kg.c",
                  "    return sum / kg->nodes->count;", "    return sum / (kg->nodes->count + 1);",
                  ["unit-acquisition-test_kg"], "unit/acquisition/test_kg$"),
    "feasibility": ("PF: log Φ of the distance to the limit", "src/surrogate/belief.c",
                    "    *log_p = ckg__normal_log_cdf(z);", "    *log_p = ckg__normal_log_cdf(0.999 * z);",
                    ["unit-surrogate-test_belief"], "unit/surrogate/test_belief$"),
    "envelope": ("the upper envelope: which line crosses first", "src/acquisition/hot_lines.c",
                 "        const masks sooner = (rise > 0) & (crossing < first);",
                 "        const masks sooner = (rise >= 0) & (crossing > first);",
                 ["unit-acquisition-test_lines"], "unit/acquisition/test_lines$"),
    "checksum": ("the seal of a row: compared with what stands in it", "app/store/checksum.c",
                 "           (uint64_t)columns[seal].integer == app_checksum_of(columns, seal);",
                 "           (uint64_t)columns[seal].integer != 0;",
                 ["ckg_program", "ckg_with_faults"], "app/test_seals$"),
    "lease": ("a lease: how long a worker of another machine must be silent", "app/store/store.c",
              "    if (seen && app_clock() - seen->since >= APP_STORE_SILENCE)",
              "    if (seen && app_clock() - seen->since >= 0)",
              ["app-test_store", "ckg_program", "ckg_with_faults"], "app/test_(store|clocks)$"),
    "penalty": ("M: the smallest mean, with its sign", "src/search/penalty.c",
                "        o->belief->penalty = status ? mean[lowest] : -value;",
                "        o->belief->penalty = status ? mean[lowest] : value;",
                ["contract-test_ckg_reference", "unit-policy-test_kg_search"], "test_ckg_reference$|unit/policy/test_kg_search$"),
    "cholesky": ("Cholesky: the product is taken off, not added", "src/linalg/hot_cholesky.c",
                 "        x[i][j] = load(T + i * WIDTH + j * LANES) - x[i][j];",
                 "        x[i][j] = load(T + i * WIDTH + j * LANES) + x[i][j];",
                 ["unit-linalg-test_dense"], "unit/linalg/test_dense$"),
    "replace": ("tell without --replace: what was told before stays", "app/actions/action_tell.c",
                "        if (told->named[t->measured[i].outcome])", "        if (!told->named[t->measured[i].outcome])",
                ["ckg_program", "ckg_with_faults"], "app/test_(slips|history|answers)$"),
    "rules": ("rules: a <= b holds where a equals b", "src/problem/rule_value.c",
              "        holds = a < b || same;", "        holds = a < b;",
              ["unit-problem-test_rules"], "unit/problem/test_rules$"),
    "likelihood": ("the slope of the likelihood in log s²", "src/model/rows.c",
                   "    gradient[d + 1] = 0.5 * (quadratic - n - noise - linear_share(in, k, nugget, w));",
                   "    gradient[d + 1] = 0.5 * (quadratic - n + noise - linear_share(in, k, nugget, w));",
                   ["unit-model-test_fit", "unit-model-test_gp"], "unit/model/test_(fit|gp)$"),
}


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def build(targets):
    # Assertions are on, as in `make test`.
    done = run("cmake", "--build", str(BUILD), "-j", str(os.cpu_count()), "--target", *targets)
    if done.returncode:
        sys.exit(f"it does not build:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def copy_tree():
    PLACE.mkdir(exist_ok=True)
    SOURCE.mkdir(exist_ok=True)
    archive = subprocess.Popen(["git", "-C", str(ROOT), "archive", "HEAD"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(SOURCE)], stdin=archive.stdout, check=True)
    done = run("cmake", "-S", str(SOURCE), "-B", str(BUILD), "-DCKG_TESTS=ON", "-DCKG_WERROR=ON", "-DCKG_BENCH=OFF")
    if done.returncode:
        sys.exit(done.stderr)


def try_one(name):
    """The tests that failed, empty where it survived."""
    _, path, old, new, targets, tests = MUTATIONS[name]
    file = SOURCE / path
    text = file.read_text()
    if text.count(old) != 1:
        sys.exit(f"{name}: {path} does not have its line once, but {text.count(old)} times; the list in {__file__} is to be mended")
    try:
        build(targets)
        before = run("ctest", "--test-dir", str(BUILD), "-R", tests)
        if before.returncode:
            sys.exit(f"{name}: its tests fail without it\n{before.stdout[-1500:]}")
        file.write_text(text.replace(old, new))
        build(targets)
        after = run("ctest", "--test-dir", str(BUILD), "-R", tests)
    finally:
        file.write_text(text)
    return [line.split(" - ", 1)[1].split(" (")[0] for line in after.stdout.splitlines() if " - " in line and "(" in line]


def main():
    names = [word for word in sys.argv[1:] if word in MUTATIONS] or list(MUTATIONS)
    copy_tree()
    rows = ["| mutation | file | caught by |", "|---|---|---|"]
    survived = 0
    for name in names:
        failed = try_one(name)
        survived += not failed
        rows.append(f"| {MUTATIONS[name][0]} | `{MUTATIONS[name][1]}` | {', '.join(failed) or '**nothing: it survived**'} |")
        print(rows[-1], flush=True)
    if "--page" in sys.argv:
        page = pathlib.Path(sys.argv[sys.argv.index("--page") + 1])
        begin, end = "<!-- mutations -->", "<!-- end of mutations -->"
        text = page.read_text()
        page.write_text(text.split(begin)[0] + begin + "\n" + "\n".join(rows) + "\n" + end + text.split(end)[1])
    return survived > 0


if __name__ == "__main__":
    sys.exit(main())
