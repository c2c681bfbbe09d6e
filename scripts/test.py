#!/usr/bin/env python3
"""test.py test|test-all|STAGE…: builds and tests in stages, and sums up. The Makefile calls it: make test, make test-all, make test-gcc, …

    test        gcc-quick and python-quick
    test-all    every other stage

Every stage runs, whatever becomes of the others; then what failed and what was left out is named, and the last line is `N passed, N failed`, with
`N skipped` where the machine lacks something. Compilers and tests write into logs in build-tests/, which are named where something fails.

With light settings (CKG_TEST_LIGHT) a test takes fewer cases of each kind; a test that knows no such difference has no label `scaled`. What has
passed is kept in build-tests/passed.json, and test-all does not repeat it as long as the commit, the files that are not committed and the compilers
are the same. Everything but test-all begins the record anew, and a test-all in which nothing failed ends it, so that the next one runs everything.

A Makefile target `built-FOLDER` builds each folder. JOBS and TESTS_AT_ONCE are how many compilers and tests run at once."""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build-tests"
RECORD = LOGS / "passed.json"
JOBS = os.environ.get("JOBS") or str(os.cpu_count())
TESTS_AT_ONCE = os.environ.get("TESTS_AT_ONCE") or str(int(JOBS) + 2)
QUICK = ("gcc-quick", "python-quick")
TAIL = 60  # lines that are shown of a test that failed, or of a build
EVERY = 30  # seconds between two lines about progress where there is no terminal

# Instruction-set variants of the hot loops, best first (cmake/CkgLibrary.cmake), and what /proc/cpuinfo must name for each.
VARIANTS = {"v4": {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}, "v3": {"avx2", "fma", "bmi1", "bmi2"}, "base": set()}


@dataclasses.dataclass
class Suite:
    """Tests of a build folder, chosen by their labels, that run with the same settings."""
    light: bool
    only: frozenset = frozenset()
    without: frozenset = frozenset()

    def has(self, test):
        return not test.labels & self.without and (not self.only or bool(test.labels & self.only))


@dataclasses.dataclass
class Stage:
    """A build folder and what runs there; a stage with a `lack` cannot run on this machine."""
    name: str
    folder: str
    suites: list
    environment: dict = dataclasses.field(default_factory=dict)
    lack: str = ""


@dataclasses.dataclass
class PythonStage:
    """The package pyckg with one Python."""
    name: str
    version: str
    light: bool


@dataclasses.dataclass
class Test:
    """One that ctest knows by its number."""
    number: int
    name: str
    labels: frozenset


@dataclasses.dataclass
class Outcome:
    """What became of a test: passed, failed or skipped, and why."""
    stage: str
    test: str
    state: str
    why: str = ""


# --- what there is ---


def labels(*names):
    return frozenset(names)


def processor_flags():
    try:
        found = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return set(found[1].split()) if found else set()


def variant_stages(compiler):
    """The numerical tests with each variant but the best, which every other stage has."""
    flags = processor_flags()
    here = [name for name, needs in VARIANTS.items() if needs <= flags]
    suites = [Suite(light=False, only=labels("unit")), Suite(light=True, only=labels("contract"))]
    return [Stage(f"{compiler} {name}", f"build-{compiler}", suites, {"CKG_CPU": name}, "" if name in here else f"this processor cannot run {name}")
            for name in VARIANTS if name != here[0]]


def stages():
    """Every stage by its name."""
    versions = pythons()
    quick = [Suite(light=False, only=labels("unit")), Suite(light=True, without=labels("unit"))]
    all_stages = [
        Stage("gcc-quick", "build-gcc", quick),
        Stage("gcc", "build-gcc", [Suite(light=False)]),
        Stage("clang", "build-clang", [Suite(light=True, without=labels("script", "tree"))]),
        Stage("sanitizers", "build-asan", [Suite(light=True)]),
        *variant_stages("gcc"),
        *variant_stages("clang"),
        *[PythonStage(f"python {version}", version, light=False) for version in versions],
        PythonStage("python-quick", versions[0], light=True),
    ]
    return {stage.name: stage for stage in all_stages}


def pythons():
    return subprocess.run([ROOT / "scripts" / "python.sh", "pythons"], capture_output=True, text=True).stdout.split() or ["3.11"]


def chosen(words):
    """The stages of a command line."""
    known = stages()
    if words == ["test"]:
        return [stage for name, stage in known.items() if name in QUICK]
    if words == ["test-all"]:
        return [stage for name, stage in known.items() if name not in QUICK]
    unknown = [word for word in words if word not in known]
    if unknown or not words:
        sys.exit(f"usage: test.py test|test-all|STAGE…; the stages are {', '.join(known)}")
    return [known[word] for word in words]


# --- what has passed ---


def said(*words):
    """What a program says, or nothing where it fails or is not there."""
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True)
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""


def state_of_the_tree():
    """A word for the commit, everything that is not committed, and the compilers; nothing where this is no clone."""
    head = said("git", "rev-parse", "HEAD")
    if not head:
        return ""
    digest = hashlib.sha256(head + said("git", "diff", "--binary", "HEAD"))
    for name in said("git", "ls-files", "--others", "--exclude-standard", "-z").split(b"\0"):
        path = ROOT / os.fsdecode(name)
        digest.update(name + (path.read_bytes() if path.is_file() else b""))
    for compiler in (os.environ.get("CC", "gcc"), os.environ.get("CLANG", "clang")):
        digest.update(said(compiler, "--version"))
    return digest.hexdigest()


class Record:
    """What has passed in this state of the tree."""

    def __init__(self):
        self.state = state_of_the_tree()
        self.passed = set()
        self.lock = threading.Lock()
        try:
            kept = json.loads(RECORD.read_text())
            if self.state and kept["state"] == self.state:
                self.passed = set(kept["passed"])
        except (OSError, ValueError, KeyError):
            pass

    def add(self, names):
        with self.lock:
            self.passed |= set(names)
            if self.state:
                RECORD.write_text(json.dumps({"state": self.state, "passed": sorted(self.passed)}, indent=0))

    def end(self):
        self.passed = set()
        RECORD.unlink(missing_ok=True)


def record_name(stage, test, light):
    """How a test is recorded: by its folder, the variant and its settings."""
    setting = "light" if light and "scaled" in test.labels else "full"
    return " ".join([stage.folder, *stage.environment.values(), setting, test.name])


def has_passed(record, stage, test, light):
    """What has passed in full has passed with light settings, too."""
    return any(record_name(stage, test, setting) in record.passed for setting in {False, light})


# --- saying how far it is ---


class Progress:
    """One line about what is going on, which on a terminal is written over by the next; a quiet one is shown at its end alone."""

    def __init__(self, what, quiet=False):
        self.what, self.start, self.last, self.quiet = what, time.monotonic(), time.monotonic(), quiet
        self.terminal = sys.stdout.isatty()
        self.show("…")

    def show(self, text):
        if self.quiet:
            return
        line = f"{self.what}: {text} {time.monotonic() - self.start:.0f} s"
        if self.terminal:
            print(f"\r\033[K{line[:os.get_terminal_size().columns - 1]}", end="", flush=True)
        elif time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            print(line, flush=True)

    def end(self, text):
        print(f"{chr(13)}{chr(27)}[K" if self.terminal else "", self.what, ": ", text, f", {time.monotonic() - self.start:.0f} s", sep="", flush=True)


def follow(progress, words, log, reads=None, **how):
    """Runs a command with its output in a log, with the time on the line of progress; `reads` makes text of an output line, or None."""
    text = ""
    with open(log, "w", encoding="utf-8") as out:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **how)
        for line in process.stdout:
            out.write(line)
            text = reads(line) or text if reads else text
            progress.show(text)
    return process.wait()


def tail(text):
    return "\n".join("    " + line for line in text.splitlines()[-TAIL:])


def log_of(stage, what):
    return LOGS / f"{stage.name.replace(' ', '-')}-{what}.log"


def short(path):
    return path.relative_to(ROOT)


# --- one stage ---


def build(stage):
    """The outcome of a failed build, or none."""
    log = log_of(stage, "build")
    progress = Progress(f"{stage.name}: build")
    share = re.compile(r"^\[ *(\d+%)\]")
    status = follow(progress, ["make", "-s", f"built-{stage.folder.removeprefix('build-')}"], log, cwd=ROOT,
                    reads=lambda line: (found := share.match(line)) and found[1])
    progress.end("failed" if status else "done")
    if not status:
        return []
    print(tail(log.read_text(encoding="utf-8")))
    return [Outcome(stage.name, "build", "failed", f"see {short(log)}")]


def ctest_tests(folder):
    """The tests that are not switched off in this folder."""
    listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=ROOT / folder, capture_output=True, check=True).stdout)
    found = []
    for number, test in enumerate(listed["tests"], 1):
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if not properties.get("DISABLED"):
            found.append(Test(number, test["name"], frozenset(properties.get("LABELS", []))))
    return found


def ctest_reader():
    """A function that counts the tests that ctest says are over."""
    over = re.compile(r"^\s*(\d+)/(\d+) Test +#\d+: (\S+) \.*(.*)")
    failed = []

    def read(line):
        found = over.match(line)
        if not found:
            return None
        if "***" in found[4] and "***Skipped" not in found[4]:
            failed.append(found[3])
        return f"{found[1]} of {found[2]}" + (f", failed: {' '.join(failed)}" if failed else "") + ","
    return read


def parts_left_out(output):
    """(part, why) of what a test says it left out, in a line `part: left out: why`."""
    return re.findall(r"^(\S+): left out: (.*?)(?:, [\d.]+ s)?$", output, re.M)


def outcome_of(stage, case):
    """Outcomes of one test of ctest's: its own, and those of parts that it left out."""
    name, output = case.get("name"), case.findtext("system-out") or ""
    skipped, parts = case.find("skipped"), parts_left_out(output)
    if skipped is not None and "SKIP" in skipped.get("message", ""):
        why = parts[0][1] if parts else output.strip().splitlines()[-1] if output.strip() else "it does not say why"
        return [Outcome(stage.name, name, "skipped", why)]
    if case.get("status") != "run":
        print(f"failed: {stage.name} {name}\n{tail(output)}")
        return [Outcome(stage.name, name, "failed")]
    return [Outcome(stage.name, name, "passed"), *[Outcome(stage.name, f"{name} {part}", "skipped", why) for part, why in parts]]


def run_ctest(stage, tests, light, what):
    """Runs these tests; their outcomes."""
    log = log_of(stage, what)
    junit = log.with_suffix(".xml")
    junit.unlink(missing_ok=True)
    numbers = [str(test.number) for test in tests]
    environment = {**os.environ, **stage.environment}
    environment.pop("CKG_TEST_LIGHT", None)
    if light:
        environment["CKG_TEST_LIGHT"] = "1"

    progress = Progress(f"{stage.name}: {what}")
    follow(progress, ["ctest", "--timeout", "3600", "-j", TESTS_AT_ONCE, "--output-on-failure", "--output-junit", junit,
                      "--test-output-size-passed", "10000000", "--test-output-size-failed", "10000000",
                      "-I", ",".join([numbers[0], numbers[0], "", *numbers[1:]])],
           log, reads=ctest_reader(), cwd=ROOT / stage.folder, env=environment)
    try:
        cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as why:
        progress.end("failed")
        return [Outcome(stage.name, what, "failed", f"ctest left no results ({why}), see {short(log)}")]
    progress.end(f"{len(cases)} run")
    outcomes = [outcome for case in cases for outcome in outcome_of(stage, case)]
    missing = {test.name for test in tests} - {case.get("name") for case in cases}
    return outcomes + [Outcome(stage.name, name, "failed", f"it was not run, see {short(log)}") for name in sorted(missing)]


def run_suite(stage, suite, record):
    wanted = [test for test in ctest_tests(stage.folder) if suite.has(test)]
    tests = [test for test in wanted if not has_passed(record, stage, test, suite.light)]
    what = "-".join([*sorted(suite.only), "light" if suite.light else "full"])
    if len(tests) < len(wanted):
        print(f"{stage.name}: {what}: {len(wanted) - len(tests)} of {len(wanted)} have passed before and are not repeated", flush=True)
    outcomes = run_ctest(stage, tests, suite.light, what) if tests else []
    passed = {outcome.test for outcome in outcomes if outcome.state == "passed"}
    record.add(record_name(stage, test, suite.light) for test in tests if test.name in passed)
    return outcomes


def run_suites(stage, record):
    return [outcome for suite in stage.suites for outcome in run_suite(stage, suite, record)]


def run_stage(stage, record):
    if stage.lack:
        print(f"{stage.name}: left out: {stage.lack}", flush=True)
        return [Outcome(stage.name, "numerical tests", "skipped", stage.lack)]
    return build(stage) or run_suites(stage, record)


def pytest_reason(skipped):
    """Why a test was skipped: where a whole file was, the reason ends the text."""
    whole = re.search(r"[\"']Skipped: (.*)[\"']\)$", skipped.text or "") if skipped.get("message") == "collection skipped" else None
    return whole[1] if whole else (skipped.get("message") or "").partition("\n")[0]


def pytest_outcome(stage, case):
    name = f"{case.get('classname')}.{case.get('name')}".removeprefix(".tests.").removeprefix("tests.")
    failure, skipped = case.find("failure"), case.find("skipped")
    failure = failure if failure is not None else case.find("error")
    if failure is not None:
        print(f"failed: {stage.name} {name}\n{tail(failure.text or '')}")
        return Outcome(stage.name, name, "failed")
    if skipped is not None and skipped.get("type") != "pytest.xfail":
        return Outcome(stage.name, name, "skipped", pytest_reason(skipped))
    return Outcome(stage.name, name, "passed")


def run_python(stage, record):
    """The package in a virtual environment, with the program of the stage gcc for what is kept in a store."""
    full, light = f"python {stage.version} full", f"python {stage.version} light"
    if {full, light if stage.light else full} & record.passed:
        print(f"{stage.name}: it has passed before and is not repeated", flush=True)
        return []
    environment = {"CKG_PROGRAM": str(ROOT / "build-gcc" / "ckg"), **os.environ}
    environment.pop("CKG_TEST_LIGHT", None)
    if stage.light:
        environment["CKG_TEST_LIGHT"] = "1"
    elif light in record.passed:
        print(f"{stage.name}: what is not marked in_full has passed before and is not repeated", flush=True)
        environment["PYTEST_ADDOPTS"] = "-m in_full"
    log = log_of(stage, "tests")
    junit = log.with_suffix(".xml")
    junit.unlink(missing_ok=True)
    progress = Progress(stage.name, quiet=stage.light)
    status = follow(progress, [ROOT / "scripts" / "python.sh", "test", stage.version], log, cwd=ROOT,
                    env={**environment, "CKG_JUNIT": str(junit)})
    try:
        outcomes = [pytest_outcome(stage, case) for case in ElementTree.parse(junit).getroot().iter("testcase")]
    except (OSError, ElementTree.ParseError):
        outcomes = []
    progress.end(f"{len(outcomes)} run")
    if status and not any(outcome.state == "failed" for outcome in outcomes):
        print(tail(log.read_text(encoding="utf-8")))
        outcomes.append(Outcome(stage.name, "package", "failed", f"see {short(log)}"))
    if not status:
        record.add([light if stage.light else full])
    return outcomes


# --- the whole ---


def name_skipped(outcomes):
    """Where several lack the same, one line names them all."""
    by_reason = {}
    for outcome in outcomes:
        by_reason.setdefault((outcome.stage, outcome.why), []).append(outcome.test)
    for (stage, why), tests in by_reason.items():
        print(f"skipped: {stage} {tests[0] if len(tests) == 1 else f'{len(tests)} tests'}: {why}")


def sum_up(outcomes):
    """Names what was left out and what failed, and counts; the exit status."""
    counts = {state: [o for o in outcomes if o.state == state] for state in ("passed", "failed", "skipped")}
    name_skipped(counts["skipped"])
    for outcome in counts["failed"]:
        print(f"failed: {outcome.stage} {outcome.test}" + (f": {outcome.why}" if outcome.why else ""))
    skipped = f", {len(counts['skipped'])} skipped" if counts["skipped"] else ""
    print(f"{len(counts['passed'])} passed, {len(counts['failed'])} failed{skipped}", flush=True)
    return 1 if counts["failed"] else 0


def guarded(run, stage, *arguments):
    """What a stage came to, or that it failed as a whole."""
    try:
        return run(stage, *arguments)
    except (OSError, ValueError, subprocess.SubprocessError) as why:
        return [Outcome(stage.name, "stage", "failed", str(why))]


def run_together(stages, record):
    """The tests of a build folder and, beside them, those of Python: many of the former wait rather than compute."""
    folder, python = stages
    failed = guarded(build, folder)
    if failed:
        return failed + guarded(run_python, python, record)
    with concurrent.futures.ThreadPoolExecutor(1) as beside:
        others = beside.submit(guarded, run_python, python, record)
        return guarded(run_suites, folder, record) + others.result()


def run_in_turn(stages, record):
    return [outcome for stage in stages
            for outcome in guarded(run_python if isinstance(stage, PythonStage) else run_stage, stage, record)]


def find_python_at_once():
    """Tests start Python thousands of times: by its own name, where the first one on the path is a script that looks for it (pyenv's)."""
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])


def main(words):
    LOGS.mkdir(exist_ok=True)
    find_python_at_once()
    record = Record()
    if words != ["test-all"]:
        record.end()
    outcomes = (run_together if words == ["test"] else run_in_turn)(chosen(words), record)
    status = sum_up(outcomes)
    if words == ["test-all"] and not status:
        record.end()
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("interrupted")
