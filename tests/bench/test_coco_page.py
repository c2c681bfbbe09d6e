#!/usr/bin/env python3
"""The page of bench/coco from a few stored lines, tests/bench/coco.jsonl, against figures worked out by hand.

f* is 1030.3…, −2024.8…, −4556.0… for functions 1, 2, 3 (d = 2, instance 1). Gaps after 40 evaluations, of the best evaluated | of the recommendation:

    function            1                    2                          3
    ckg            1 | 0.1      10 | infeasible, one in hand    1 | 4, worse than in hand
    optuna         1e-4, a tie                1               nothing feasible
    cobyqa         0, a tie       2, then it failed                     2
    egobox         3                          -                         -
"""
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = ROOT / "tests/bench/coco.jsonl"
sys.path.insert(0, str(ROOT / "bench/coco"))
sys.dont_write_bytecode = True
import page  # noqa: E402

CKG, OPTUNA, COBYQA, EGOBOX = "ckg: ckg, rbf", "Optuna GPSampler", "COBYQA, feasible start", "egobox"
OPTIMA = {"2": {"1": [1030.3193472], "2": [-2024.8071808], "3": [-4556.0494144]}}


def run_page(*words):
    return subprocess.run([sys.executable, "-B", str(ROOT / "bench/coco/page.py"), *map(str, words)], capture_output=True, text=True)


class CocoPage(unittest.TestCase):
    def setUp(self):
        self.runs = page.collect(page.read([LINES]))
        self.table = page.Table(self.runs, OPTIMA, 2, 20)

    def test_who_is_compared(self):
        self.assertEqual(sorted(self.table.core), sorted([CKG, OPTUNA, COBYQA]))
        self.assertEqual(self.table.apart, [EGOBOX])
        self.assertEqual([cell[1] for cell in self.table.cells], [1, 2, 3])

    def test_names(self):
        line = page.read([LINES])[0]
        self.assertEqual(page.label(line), CKG)
        self.assertEqual(page.label(dict(line, policy="cei", kernel="auto", settings="warp=0")), "ckg: cei, auto, warp=0")
        self.assertEqual(page.label(dict(line, label="before")), "before")

    def test_the_line_that_got_further_counts(self):
        self.assertAlmostEqual(self.table.evaluated(COBYQA, (2, 3, 1, 1)), 2, places=9)

    def test_a_failed_run_keeps_what_it_had_and_a_cut_one_is_missing(self):
        self.assertAlmostEqual(self.table.evaluated(COBYQA, (2, 2, 1, 1)), 2, places=9)
        cut = page.collect([line for line in page.read([LINES]) if "cut" in line])
        self.assertEqual(page.Table(cut, OPTIMA, 2, 20).points, {})
        self.assertEqual(list(page.Table(cut, OPTIMA, 2, 10).points), [COBYQA])

    def test_a_run_that_failed_at_once_has_nothing(self):
        line = dict(page.read([LINES])[0], error="no memory")
        del line["checkpoints"]
        table = page.Table(page.collect([line]), OPTIMA, 2, 20)
        self.assertEqual(table.evaluated(CKG, table.cells[0]), math.inf)
        self.assertEqual(table.recommended(CKG, table.cells[0]), math.inf)

    def test_mean_ranks(self):
        # Evaluated: function 1: 3, 1.5, 1.5; function 2: 3, 1, 2; function 3: 1, 3, 2.
        ranks = self.table.mean_ranks(self.table.evaluated, self.table.core, self.table.cells)
        self.assertAlmostEqual(ranks[CKG], 7 / 3)
        self.assertAlmostEqual(ranks[OPTUNA], 5.5 / 3)
        self.assertAlmostEqual(ranks[COBYQA], 5.5 / 3)
        # Recommended: function 1 the same; function 2: 3, 1, 2; function 3: 2, 3, 1.
        ranks = self.table.mean_ranks(self.table.recommended, self.table.core, self.table.cells)
        self.assertAlmostEqual(ranks[CKG], 8 / 3)
        self.assertAlmostEqual(ranks[OPTUNA], 5.5 / 3)
        self.assertAlmostEqual(ranks[COBYQA], 4.5 / 3)

    def test_trouble(self):
        self.assertEqual(self.table.trouble(CKG, self.table.cells), (1, 1, 1))
        self.assertEqual(self.table.trouble(OPTUNA, self.table.cells), (1, 0, 0))
        self.assertEqual(self.table.trouble(COBYQA, self.table.cells), (0, 0, 0))

    def test_the_stated_probability(self):
        said = page.statements(self.runs)
        self.assertEqual(list(said), [CKG])  # the peers state none
        new = page.binned([statement for statement in said[CKG] if not statement[3]])
        # 0.93 and 0.97 and 0.995 were feasible; of 0.9992 and 0.9995 one was.
        self.assertEqual([(low, high, count, share) for low, high, count, _, share, _ in new],
                         [(0.9, 0.95, 1, 1), (0.95, 0.99, 1, 1), (0.99, 0.999, 1, 1), (0.999, 1, 2, 0.5)])
        self.assertAlmostEqual(new[-1][3], 0.99935)
        least, most = page.wilson(8, 10)  # Wilson 1927; the value of R's prop.test(8, 10, correct = FALSE)
        self.assertAlmostEqual(least, 0.4901625, places=6)
        self.assertAlmostEqual(most, 0.9433178, places=6)

    def test_nines(self):
        for p, expected in ((0, 0), (0.9, 1), (0.99, 2), (0.9999, 4), (1, 4)):
            self.assertAlmostEqual(page.nines(p), expected)

    def test_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            out, picture = pathlib.Path(folder, "coco.md"), pathlib.Path(folder, "picture.svg")
            made = run_page("--out", out, "--figure", picture, LINES)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            text = out.read_text()
            self.assertIn("<svg", picture.read_text())
        # Evaluated: log10 of 1, 10, 1: median 0. Recommended: −1, none, log10 4.
        self.assertIn("| ckg: ckg, rbf | 2.33 | 2.67 | 0.00 | 0.60 | 33.3 % | 33.3 % | 33.3 % | 0.25 | 0.5 |", text)
        self.assertIn("| COBYQA, feasible start (1 failed) | 1.83 | 1.50 | 0.30 | 0.30 | 0.0 % | 0.0 % | 0.0 % | 0.25 | 0.5 |", text)
        self.assertIn("| ckg: ckg, rbf | 2.67 (2.33) | 66.7 % |", text)
        self.assertIn("egobox made 1 of the runs. On the 1 that all made:", text)
        self.assertIn("- COBYQA, feasible start, d = 2, function 2, instance 1: the process ended with status -11", text)
        self.assertNotIn("10 evaluations,", text)  # that is the initial design

    def test_better_than_the_optimum_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder, "wrong.jsonl")
            wrong.write_text(LINES.read_text().replace('"best": 1031.3193472', '"best": 1030.3193'))
            self.assertNotEqual(wrong.read_text(), LINES.read_text())
            made = run_page(wrong)
        self.assertEqual(made.returncode, 1)
        self.assertIn("below the optimum", made.stderr)


if __name__ == "__main__":
    unittest.main()
