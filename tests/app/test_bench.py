#!/usr/bin/env python3
"""test_bench.py PROGRAM: replicated experiments. Results are the same bytes for any number of threads and however often the program is killed;
the summary's numbers are those computed here from the files; figures and pages are well formed."""
import csv
import html.parser
import json
import math
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM = os.path.abspath(sys.argv.pop(1))
LIGHT = "CKG_TEST_LIGHT" in os.environ
PROBLEMS, NOISES, POLICIES = ["test-function-2", "gramacy"], ["0", "1"], ["auto", "cei", "random"]
REPLICATIONS, INITIAL, EVALUATIONS = 3, 4, 6 if LIGHT else 9
T_29 = 2.0452296421327  # the 0.975 quantile of Student's t with 29 degrees of freedom


def ckg(*words):
    return subprocess.run([PROGRAM, "bench", *map(str, words)], capture_output=True, text=True, timeout=3000)


def plan(folder, threads=1, **changes):
    settings = {"problem": ",".join(PROBLEMS), "noise": ",".join(NOISES), "policy": ",".join(POLICIES), "replications": REPLICATIONS,
                "initial": INITIAL, "evaluations": EVALUATIONS, "seed": 5, "out": folder, "threads": threads, **changes}
    return [word for name, value in settings.items() for word in ("--" + name, str(value))] + ["--quiet"]


def files(folder):
    """Every file but timing.csv with its bytes."""
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.name != "timing.csv"}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def cells():
    return [(p, n, k) for p in PROBLEMS for n in NOISES for k in POLICIES]


class Experiments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.place.name, "one")
        start = time.monotonic()
        done = ckg(*plan(cls.folder))
        cls.seconds = time.monotonic() - start
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def other(self, name):
        return os.path.join(self.place.name, name)

    def check_timing(self, folder):
        """Every suggestion of a policy is timed exactly once."""
        keys = [tuple(row[k] for k in ("problem", "noise", "policy", "replication", "evaluation")) for row in rows(folder + "/timing.csv")]
        expected = [(*cell, str(r), str(e)) for cell in cells() for r in range(1, REPLICATIONS + 1) for e in range(INITIAL + 1, EVALUATIONS + 1)]
        self.assertEqual(sorted(keys), sorted(expected))

    def test_files(self):
        names = {"bench.json"} | {f"{place}{p}_{n}_{k}.csv" for place in ("", "designs/") for p, n, k in cells()}
        self.assertEqual(set(files(self.folder)), names)
        self.check_timing(self.folder)
        for p, n, k in cells():
            table = rows(f"{self.folder}/{p}_{n}_{k}.csv")
            self.assertEqual(list(table[0]), ["problem", "noise", "policy", "replication", "evaluation", "oc_recommended", "oc_best_feasible",
                                              "recommended_feasible"])
            self.assertEqual([(row["replication"], row["evaluation"]) for row in table],
                             [(str(r), str(e)) for r in range(1, REPLICATIONS + 1) for e in range(INITIAL, EVALUATIONS + 1)])
            for row in table:
                self.assertEqual((row["problem"], row["noise"], row["policy"]), (p, n, k))
                self.assertGreater(float(row["oc_recommended"]), -1e-8)
                self.assertGreater(float(row["oc_best_feasible"]), -1e-8)

    def test_threads(self):
        folder = self.other("two")
        self.assertEqual(ckg(*plan(folder, threads=2)).returncode, 0)
        self.assertEqual(files(folder), files(self.folder))
        self.check_timing(folder)

    def test_killed(self):
        chance = random.Random(3)
        for run in range(1 if LIGHT else 3):
            folder = self.other(f"killed{run}")
            words = [PROGRAM, "bench", *plan(folder, threads=1 + run % 2)]
            seconds = self.seconds
            self.kill_early(words, folder)
            while self.kill_late(words, seconds * chance.uniform(0.02, 0.3)):
                seconds *= 1.3  # longer from kill to kill, so that it ends
            self.assertEqual(files(folder), files(self.folder))
            self.check_timing(folder)

    def kill_early(self, words, folder):
        """As soon as it has written anything; where it was over before we could, once more."""
        status = 0
        while not status:
            shutil.rmtree(folder, ignore_errors=True)
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            while process.poll() is None and not (os.path.isdir(folder) and os.listdir(folder)):
                time.sleep(0.001)
            process.kill()
            status = process.wait()
        self.assertEqual(status, -signal.SIGKILL)

    def kill_late(self, words, seconds):
        """After so many seconds; whether it was not over by then."""
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
        try:
            self.assertEqual(process.wait(seconds), 0)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True

    def test_killed_while_joining(self):
        """As if killed between the files of a cell: its CSV is missing and its parts are still there."""
        folder = self.other("joining")
        self.assertEqual(ckg(*plan(folder)).returncode, 0)
        name, parts = "gramacy_0_auto", pathlib.Path(folder, "parts")
        parts.mkdir()
        for kind, path in (("rows", f"{folder}/{name}.csv"), ("designs", f"{folder}/designs/{name}.csv")):
            column = 3 if kind == "rows" else 0
            lines = pathlib.Path(path).read_text().splitlines(True)[1:]
            for r in range(1, REPLICATIONS + 1):
                (parts / f"{name}.{r:04d}.{kind}").write_text("".join(line for line in lines if line.split(",")[column] == str(r)))
        times = pathlib.Path(folder, "timing.csv").read_text().splitlines(True)
        for r in range(1, REPLICATIONS + 1):
            (parts / f"{name}.{r:04d}.timing").write_text("".join(line for line in times if line.startswith(f"gramacy,0,auto,{r},")))
        kept = {path: path.read_bytes() for path in parts.iterdir()}
        os.unlink(f"{folder}/{name}.csv")
        self.assertEqual(ckg(*plan(folder)).returncode, 0)
        self.assertEqual(files(folder), files(self.folder))
        self.check_timing(folder)
        # and as if killed while the parts were removed, and while a file was written
        parts.mkdir()
        for path, data in list(kept.items())[1:]:
            path.write_bytes(data)
        child = subprocess.Popen(["true"])
        child.wait()
        for where in (folder, folder + "/designs", parts):
            pathlib.Path(where, f"{name}.csv.{child.pid}.part").write_text("half")
        self.assertEqual(ckg(*plan(folder)).returncode, 0)
        self.assertEqual(files(folder), files(self.folder))
        self.assertFalse(parts.exists())

    def test_nothing_left_to_do(self):
        """No suggestion is made: none is timed."""
        before, timing = files(self.folder), pathlib.Path(self.folder, "timing.csv").read_bytes()
        self.assertEqual(ckg(*plan(self.folder)).returncode, 0)
        self.assertEqual(files(self.folder), before)
        self.assertEqual(pathlib.Path(self.folder, "timing.csv").read_bytes(), timing)

    def test_more_cells_in_the_same_folder(self):
        folder = self.other("more")
        self.assertEqual(ckg(*plan(folder, policy="random")).returncode, 0)
        self.assertEqual(ckg(*plan(folder)).returncode, 0)
        self.assertEqual(files(folder), files(self.folder))

    def test_other_settings(self):
        before = files(self.folder)
        for name, value in (("seed", 6), ("replications", 4), ("initial", 5), ("evaluations", EVALUATIONS + 1)):
            done = ckg(*plan(self.folder, **{name: value}))
            self.assertEqual(done.returncode, 2, (name, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("--out", done.stderr)
        self.assertEqual(files(self.folder), before)

    def test_named_twice(self):
        for name, value in (("problem", "gramacy,gramacy"), ("noise", "0,0.0"), ("policy", "ckg,random,ckg")):
            done = ckg(*plan(self.other("twice"), **{name: value}))
            self.assertEqual(done.returncode, 2, (name, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("twice", done.stderr)
            self.assertFalse(os.path.exists(self.other("twice")))

    def test_initial_designs(self):
        """Replication r starts from the same designs under every policy and noise, and other replications from others."""
        for problem in PROBLEMS:
            found = set()
            for noise in NOISES:
                for policy in POLICIES:
                    table = rows(f"{self.folder}/designs/{problem}_{noise}_{policy}.csv")
                    found.add(tuple((row["replication"], row["x1"], row["x2"]) for row in table if int(row["evaluation"]) <= INITIAL))
            self.assertEqual(len(found), 1)
            designs = found.pop()
            self.assertEqual(len(designs), REPLICATIONS * INITIAL)
            self.assertEqual(len({design[1:] for design in designs}), REPLICATIONS * INITIAL)

    def test_wrong_words(self):
        for words in (["--problem", "nobody", "--out", "x"], ["--problem", "gramacy"], ["--out", "x"], ["--problem", "gramacy", "--policy", "guess",
                      "--out", "x"], ["--problem", "gramacy", "--noise", "-1", "--out", "x"], ["--plot", self.folder],
                      ["--plot", self.folder, "-o", "x.gif"], ["--plot", self.place.name, "-o", "x.svg"], ["--summary", "nowhere"]):
            done = ckg(*words)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, (words, done.stderr))

    # --- the summary ---

    def test_summary_of_runs(self):
        answer = ckg("--summary", self.folder, "--json", "--at", f"{INITIAL},{EVALUATIONS}")
        lines = [json.loads(line) for line in answer.stdout.splitlines()]
        self.assertEqual([(l["problem"], str(l["noise"]), l["policy"], l["evaluation"]) for l in lines],
                         [(*cell, e) for cell in cells() for e in (INITIAL, EVALUATIONS)])
        for line in lines:
            name = f"{line['problem']}_{line['noise']}_{line['policy']}.csv"
            table = [row for row in rows(f"{self.folder}/{name}") if int(row["evaluation"]) == line["evaluation"]]
            designs = [row for row in rows(f"{self.folder}/designs/{name}") if int(row["evaluation"]) == line["evaluation"]]
            cost = [float(row["oc_recommended"]) for row in table]
            self.assertAlmostEqual(line["mean"], statistics.mean(cost), delta=1e-12 * max(cost))
            self.assertEqual(line["median"], statistics.median(cost))
            self.assertAlmostEqual(line["infeasible"], statistics.mean(1 - int(row["recommended_feasible"]) for row in table), delta=1e-12)
            self.assertAlmostEqual(line["right_region"], statistics.mean(int(row["right_region"]) for row in designs), delta=1e-12)

    def made_up(self, folder, problem="mystery", policies=("ckg", "pesc"), replications=30, scale=1.0):
        """Results out of the air: costs by policy and evaluation."""
        chance, costs = random.Random(7), {}
        os.makedirs(folder + "/designs")
        for policy in policies:
            lines, designs = [], []
            for r in range(1, replications + 1):
                for e in range(10, 21):
                    cost = scale * math.exp(chance.gauss(0, 2))
                    costs.setdefault((policy, e), []).append(cost)
                    lines.append(f"{problem},1,{policy},{r},{e},{cost!r},{2 * cost!r},{int(cost < 3)}\n")
                    designs.append(f"{r},{e},{int(cost < 1)},0.5,0.5,0.5,0.5\n")
            pathlib.Path(folder, f"{problem}_1_{policy}.csv").write_text(
                "problem,noise,policy,replication,evaluation,oc_recommended,oc_best_feasible,recommended_feasible\n" + "".join(lines))
            pathlib.Path(folder, f"designs/{problem}_1_{policy}.csv").write_text(
                "replication,evaluation,right_region,x1,x2,recommended_x1,recommended_x2\n" + "".join(designs))
        return costs

    def test_summary_of_thirty(self):
        folder = self.other("thirty")
        costs = self.made_up(folder)
        answer = ckg("--summary", folder, "--json")
        lines = [json.loads(line) for line in answer.stdout.splitlines()]
        self.assertEqual([(l["policy"], l["evaluation"]) for l in lines], [("ckg", 20), ("pesc", 20)])
        for line in lines:
            cost = costs[line["policy"], 20]
            self.assertEqual(line["replications"], 30)
            self.assertAlmostEqual(line["mean"] / statistics.mean(cost), 1, delta=1e-12)
            self.assertAlmostEqual(line["median"] / statistics.median(cost), 1, delta=1e-12)
            self.assertAlmostEqual(line["half_width_95"] / (T_29 * statistics.stdev(cost) / math.sqrt(30)), 1, delta=1e-5)
            self.assertAlmostEqual(line["infeasible"], sum(c >= 3 for c in cost) / 30, delta=1e-12)
            self.assertAlmostEqual(line["right_region"], sum(c < 1 for c in cost) / 30, delta=1e-12)
            self.assertAlmostEqual(line["best_feasible_mean"] / statistics.mean(cost), 2, delta=1e-12)
            self.assertIsNone(line["seconds_per_suggestion"])
        table = ckg("--summary", folder).stdout.splitlines()
        self.assertEqual(len(table), 3)
        self.assertIn(f"{statistics.mean(costs['ckg', 20]):.3g}", table[1])

    # --- figures ---

    def draw(self, folder, name):
        path = self.other(name)
        done = ckg("--plot", folder, "-o", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return pathlib.Path(path).read_bytes()

    def check_svg(self, folder, name, words):
        text = self.draw(folder, name)
        root = xml.etree.ElementTree.fromstring(text)
        shown = "".join(root.itertext())
        for word in words:
            self.assertIn(word, shown)
        for bad in ("nan", "inf"):
            self.assertNotIn(bad, "".join(path.get("d") for path in root.iter("{http://www.w3.org/2000/svg}path")))

    def test_figure(self):
        self.check_svg(self.folder, "figure.svg", PROBLEMS + POLICIES + ["evaluations", "σ = 1"])

    def test_figure_of_edges(self):
        """A cost of zero, one replication alone (no interval), an unknown problem, one without a picture, more than a row has room for."""
        folder = self.other("zero")
        self.made_up(folder, scale=0.0)
        self.check_svg(folder, "zero.svg", ["mystery"])
        folder = self.other("single")
        self.made_up(folder, replications=1)
        self.check_svg(folder, "single.svg", ["mystery"])
        self.draw(folder, "single.html")
        folder = self.other("foreign")
        self.made_up(folder, problem="foreign<&>", policies=("ckg", "of-old"))
        self.check_svg(folder, "foreign.svg", ["foreign<&>", "of-old"])
        self.check_page(self.draw(folder, "foreign.html").decode())
        folder = self.other("many")
        problems = ["mystery", "gramacy", "gardner-1", "spring", "hartmann6", "gardner-2"]
        done = ckg(*plan(folder, problem=",".join(problems), policy="random,sobol", noise="0", initial=3, evaluations=4))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_svg(folder, "many.svg", problems)

    def check_page(self, text):
        class Reader(html.parser.HTMLParser):
            stack, tables = [], 0

            def handle_starttag(self, tag, attributes):
                self.tables += tag == "table"
                if tag not in ("meta", "br"):
                    self.stack.append(tag)

            def handle_endtag(self, tag):
                assert self.stack.pop() == tag, tag

        reader = Reader()
        reader.stack = []
        reader.feed(text)
        self.assertEqual(reader.stack, [])
        self.assertNotIn("http:", text.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", ""))
        self.assertNotIn("<script", text)
        return reader.tables

    def test_page(self):
        text = self.draw(self.folder, "figure.html").decode()
        self.assertEqual(self.check_page(text), len(PROBLEMS) * len(NOISES))
        self.assertIn("prefers-color-scheme:dark", text)

    def test_picture(self):
        done = ckg("--plot", self.folder, "-o", self.other("figure.png"))
        if done.returncode == 2:
            self.assertIn("cairo", done.stderr)
        else:
            self.assertEqual(pathlib.Path(self.other("figure.png")).read_bytes()[:4], b"\x89PNG")


if __name__ == "__main__":
    unittest.main()
