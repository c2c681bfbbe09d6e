"""How figures look, by their geometry: test_geometry.py CKG.

Labels do not overlap, names are whole, the end of a study is seen, marks say how far they are from the plane of a map, edges are smooth, the star hides no
tick, and the page has figures for wide and for narrow screens. The texts' sizes are estimated from below, so that what overlaps here overlaps for everybody.
Studies are imported, which takes no evaluation. Standard library only.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

CKG = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "ckg"
SVG = "{http://www.w3.org/2000/svg}"
DIAMETER = "tube outer diameter in millimetres"
FLOW = "shell_side_mass_flow_rate_in_kilograms_per_second"
COST = "total annualised cost of the heat exchanger"
ALLOYS = ["steel", "brass", "a duplex stainless steel"]
KINDS = ("sheet", "convergence", "map", "slices", "importance", "frontier", "acquisition", "residuals")


def run(*words):
    done = subprocess.run([CKG, *words], capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def sequence(i, base):
    """Number i of van der Corput's sequence."""
    out, part = 0, 1
    while i:
        part /= base
        out += part * (i % base)
        i //= base
    return out


# --- what is in a figure ---


def width_of(text, size):
    """No less than half of what a sans-serif face takes."""
    return sum(0.2 if c in "ijl.,:;'|!()[] " else 0.48 for c in text) * size


class Text:
    def __init__(self, element):
        self.text = "".join(element.itertext())
        self.x, self.y, self.size = (float(element.get(k)) for k in ("x", "y", "font-size"))
        self.width = width_of(self.text, self.size)
        turn = re.match(r"rotate\((-?[\d.e+-]+)", element.get("transform", ""))
        self.angle = math.radians(float(turn.group(1))) if turn else 0.0
        self.start = {"start": 0, "middle": -0.5, "end": -1}[element.get("text-anchor")] * self.width

    def corners(self):
        across, down = (math.cos(self.angle), math.sin(self.angle)), (-math.sin(self.angle), math.cos(self.angle))
        return [(self.x + a * across[0] + d * down[0], self.y + a * across[1] + d * down[1])
                for a, d in ((self.start, -0.66 * self.size), (self.start + self.width, -0.66 * self.size), (self.start + self.width, 0), (self.start, 0))]


def overlap(a, b):
    """Whether two convex polygons do, by the lines along their sides."""
    for one in (a, b):
        for i, (x0, y0) in enumerate(one):
            x1, y1 = one[(i + 1) % len(one)]
            nx, ny = y1 - y0, x0 - x1
            ahead = [nx * x + ny * y for x, y in a]
            behind = [nx * x + ny * y for x, y in b]
            if max(ahead) <= min(behind) + 1e-9 or max(behind) <= min(ahead) + 1e-9:
                return False
    return True


def points_of(element):
    numbers = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.e]+)[ ,](-?[\d.e]+)", element.get("d", ""))]
    return numbers


def box_of(element):
    """Of a path, its curves' own points included."""
    values = [float(v) for v in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", element.get("d"))]
    return min(values[::2]), min(values[1::2]), max(values[::2]), max(values[1::2])


class Figure:
    def __init__(self, text):
        self.root = xml.fromstring(text.encode())
        self.texts = [Text(e) for e in self.root.iter(SVG + "text")]

    def collisions(self):
        shapes = [(t.text, t.corners()) for t in self.texts if t.text.strip()]
        return [(a, b) for i, (a, p) in enumerate(shapes) for b, q in shapes[:i] if overlap(p, q)]

    def words(self):
        """All texts one after the other without blanks: a name that is parted into lines is whole in it."""
        return re.sub(r"\s", "", "".join(t.text for t in self.texts))

    def marks(self, within=None):
        """{trial: (x, y, opacity)} of the marks of trials, of all charts or of one by its height."""
        out = {}
        low, high = (float(within.get("y")), float(within.get("y")) + float(within.get("height"))) if within is not None else (-math.inf, math.inf)
        for e in self.root.iter(SVG + "path"):
            title = e.find(SVG + "title")
            found = re.match(r"trial (\d+),", title.text) if title is not None else None
            if found:
                x0, y0, x1, y1 = box_of(e)
                if not low <= (y0 + y1) / 2 <= high:
                    continue
                out[int(found.group(1))] = ((x0 + x1) / 2, (y0 + y1) / 2, float(e.get("opacity", 1)))
        return out

    def stars(self):
        return [box_of(e) for e in self.root.iter(SVG + "path") if "f-star" in e.get("class", "")]


# --- studies ---


class Geometry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.deck = cls.make_deck()
        cls.drawn = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    @classmethod
    def study(cls, name, parameters, trials, constraints=None, **more):
        """A study of imported trials (design, values); no values: it failed."""
        file = cls.path(name + ".yaml")
        problem = {"name": name, "goal": "minimize", "budget": 200, "seed": 1, "parameters": parameters, "objective": {"name": "y", "noise": "none"},
                   "constraints": constraints or {}, **more}
        with open(file, "w", encoding="utf-8") as out:
            json.dump(problem, out)
        with open(cls.path(name + ".jsonl"), "w", encoding="utf-8") as out:
            for i, (design, values) in enumerate(trials):
                out.write(json.dumps({"trial": i + 1, "state": "complete" if values else "failed", "parameters": design, "values": values or {}, "origin":
                                      "design" if i < 10 else "policy", "seconds": None, "why": None if values else "broke"}) + "\n")
        run("import", file, cls.path(name + ".jsonl"))
        return file

    @classmethod
    def make_deck(cls):
        """Five parameters with long names, an early outlier of a thousand times the end's differences, failures, a long end near the optimum."""
        trials = []
        for i in range(45):
            far = 1 if i < 14 else 0.5 ** (0.35 * (i - 12))
            u = [sequence(i + 1, b) for b in (2, 3, 5, 7)]
            design = {DIAMETER: 2 - 1.8 * far * u[0], "pitch": 1.7 + far * (u[1] - 0.5) * 2, "baffles": round(6 + far * 8 * (u[2] - 0.4)),
                      FLOW: 10 ** (-0.35 + far * (u[3] - 0.3) * 2 * 0.6), "alloy": ALLOYS[i % 3]}
            a, b, c, f = design[DIAMETER], design["pitch"], design["baffles"], design[FLOW]
            cost = 30 + 300 * math.exp(-3 * a) + 8 * (b - 1.7) ** 2 + 2 * abs(c - 6) + (6000 if i == 8 else 0)
            trials.append((design, None if i in (5, 11, 37) else {COST: cost, "pressure_drop_on_the_shell_side": 2.5 * f ** 1.2 / (a * b) + 0.4 * c,
                                                                 "heat": 40 * a * b * math.sqrt(f) + 5 * c}))
        parameters = {DIAMETER: {"type": "real", "low": 0.2, "high": 2}, "pitch": {"type": "real", "low": 0.5, "high": 3},
                      "baffles": {"type": "integer", "low": 2, "high": 15}, FLOW: {"type": "real", "low": 0.1, "high": 10, "scale": "log"},
                      "alloy": {"type": "categorical", "values": ALLOYS}}
        return cls.study("deck", parameters, trials, {"pressure_drop_on_the_shell_side": {"max": 6, "noise": "none"}, "heat": {"min": 90, "noise": "none"}},
                         objective={"name": COST, "noise": "none"})

    @classmethod
    def draw(cls, *words):
        """What a command draws; the same is drawn once, for every test that looks at it."""
        if words not in cls.drawn:
            run(*words, "-o", cls.path("drawn.svg" if words[0] == "plot" else "drawn.html"))
            with open(cls.path("drawn.svg" if words[0] == "plot" else "drawn.html"), encoding="utf-8") as out:
                cls.drawn[words] = out.read()
        return cls.drawn[words]

    def figure(self, file, kind, *more):
        return Figure(self.draw("plot", file, "-k", kind, *more))

    def page(self, file):
        return self.draw("report", file)

    # --- labels ---

    def test_labels_do_not_collide(self):
        for kind in KINDS:
            self.assertEqual(self.figure(self.deck, kind).collisions(), [], kind)
        for x, y in (("pitch", FLOW), ("baffles", "alloy"), ("alloy", "pitch"), (DIAMETER, FLOW), (DIAMETER, "baffles")):
            self.assertEqual(self.figure(self.deck, "map", "-x", x, "-y", y).collisions(), [], (x, y))

    def test_names_are_whole(self):
        whole = {name: re.sub(r"\s", "", name) for name in (DIAMETER, FLOW, COST, ALLOYS[2], "pressure_drop_on_the_shell_side")}
        self.assertIn(whole[COST], self.figure(self.deck, "convergence").words())
        self.assertIn(whole[COST], self.figure(self.deck, "frontier").words())
        slices = self.figure(self.deck, "slices").words()
        for name in whole:
            self.assertIn(whole[name], slices)
        important = self.figure(self.deck, "importance").words()
        for name in (DIAMETER, FLOW, COST):
            self.assertIn(whole[name], important)
        for x, y in ((DIAMETER, FLOW), ("alloy", DIAMETER), (FLOW, "alloy")):
            words = self.figure(self.deck, "map", "-x", x, "-y", y).words()
            for name in (x, y, COST) + ((ALLOYS[2],) if "alloy" in (x, y) else ()):
                self.assertIn(re.sub(r"\s", "", name), words)

    def test_no_word_is_parted(self):
        words = [word for name in ALLOYS for word in name.split() if len(word) > 2]
        for text in self.figure(self.deck, "slices").texts:
            last = (text.text.split() or [""])[-1]
            self.assertFalse(any(word.startswith(last) and word != last for word in words if len(last) > 2), text.text)

    def test_the_star_hides_no_tick(self):
        """The best design is in a corner, where the ticks are."""
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        for sign_a in (1, -1):
            for sign_b in (1, -1):
                trials = [({"a": sequence(i, 2), "b": sequence(i, 3)}, None) for i in range(12)]
                trials += [({"a": float(sign_a < 0), "b": float(sign_b < 0)}, None)]
                trials = [(p, {"y": sign_a * p["a"] + sign_b * p["b"]}) for p, _ in trials]
                file = self.study(f"corner{sign_a}{sign_b}".replace("-", "m"), two, trials)
                for kind in ("map", "slices"):
                    figure = self.figure(file, kind)
                    stars = figure.stars()
                    self.assertTrue(stars)
                    for x0, y0, x1, y1 in stars:
                        star = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
                        self.assertEqual([t.text for t in figure.texts if overlap(star, t.corners())], [], kind)

    # --- what is seen ---

    def test_the_end_of_convergence_is_seen(self):
        """The later third of the feasible designs takes a good part of some chart's height, and marks tell what they are everywhere."""
        figure = self.figure(self.deck, "convergence")
        shares = []
        for chart in figure.root.iter(SVG + "svg"):
            if chart is figure.root:
                continue
            late = [y for trial, (_, y, _) in figure.marks(chart).items() if trial > 30 and trial != 38]
            if late:
                shares.append((max(late) - min(late)) / float(chart.get("height")))
                self.assertEqual(sorted(figure.marks(chart)), list(range(1, 46)))
        self.assertGreater(max(shares), 0.3, shares)
        self.assertTrue(any("gap to the best" in t.text for t in figure.texts))

    def test_without_an_outlier_the_values_are_enough(self):
        trials = [({"a": i / 10}, {"y": 1 + i / 10}) for i in range(10)]
        figure = self.figure(self.study("even", {"a": {"type": "real", "low": 0, "high": 1}}, trials), "convergence")
        self.assertFalse(any("gap to the best" in t.text for t in figure.texts))

    def test_slices_are_not_flat(self):
        """One steep parameter does not make the objective's other slices flat lines: a curve of a hundredth of its height is seen."""
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        designs = [{"a": sequence(i, 2), "b": sequence(i, 3)} for i in range(40)] + [{"a": 1.0, "b": 0.5}]
        trials = [(p, {"y": math.exp(9 * (1 - p["a"])) / 30 + 8 * (p["b"] - 0.5) ** 2}) for p in designs]
        figure = self.figure(self.study("steep", two, trials), "slices", "-x", "a", "-y", "b")
        chart = [e for e in figure.root.iter(SVG + "svg") if e is not figure.root][1]
        curve = max((points_of(e) for e in chart.iter(SVG + "path") if "s-mean" in e.get("class") and e.get("fill") == "none"), key=len)
        top, height = float(chart.get("y")), float(chart.get("height"))
        ys = [min(max(y, top), top + height) for _, y in curve]
        self.assertGreater((max(ys) - min(ys)) / height, 0.2)

    def test_marks_of_maps_are_projections(self):
        figure = self.figure(self.deck, "map", "-x", "pitch", "-y", "baffles")
        self.assertIn("marksareprojections", figure.words())
        marks = figure.marks()
        clear = [marks[t][2] for t in marks]
        self.assertGreater(max(clear), 0.9)
        self.assertLess(min(clear), 0.45)
        best = json.loads(run("recommend", self.deck, "--json"))["best_evaluated"]["trial"]
        self.assertGreater(marks[best][2], 0.9)
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        plain = self.figure(self.study("plane", two, [({"a": sequence(i, 2), "b": sequence(i, 3)}, {"y": i % 5}) for i in range(9)]), "map")
        self.assertNotIn("projections", plain.words())
        self.assertEqual({clear for _, _, clear in plain.marks().values()}, {1.0})

    def test_edges_are_smooth(self):
        """Around a disc of feasible designs the line of even chances turns once around, and little more."""
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        designs = [{"a": sequence(i, 2), "b": sequence(i, 3)} for i in range(60)]
        trials = [(p, {"y": p["a"], "c": (p["a"] - 0.5) ** 2 + (p["b"] - 0.5) ** 2}) for p in designs]
        figure = self.figure(self.study("disc", two, trials, {"c": {"max": 0.09, "noise": "none"}}), "map", "-x", "a", "-y", "b")
        lines = [points_of(e) for e in figure.root.iter(SVG + "path") if "s-limit" in e.get("class") and e.get("stroke-dasharray")]
        line = max(lines, key=len)
        self.assertGreater(len(line), 40)
        steps = [(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in zip(line, line[1:]) if math.hypot(x1 - x0, y1 - y0) > 0.6]
        turning = sum(abs((math.atan2(b[1], b[0]) - math.atan2(a[1], a[0]) + math.pi) % (2 * math.pi) - math.pi) for a, b in zip(steps, steps[1:]))
        self.assertLess(turning, 2.2 * 2 * math.pi)
        chart = next(e for e in figure.root.iter(SVG + "svg") if e is not figure.root)
        x, y, width, height = (float(chart.get(k)) for k in ("x", "y", "width", "height"))
        radii = [math.hypot((px - x) / width - 0.5, (py - y) / height - 0.5) for px, py in line]
        self.assertLess(max(abs(r - 0.3) for r in radii), 0.01)

    def test_rules_and_discarded_trials(self):
        """Where a rule is broken nothing is feasible, and the edge of that is the rule's; a discarded trial has no mark."""
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        trials = [(p, {"y": p["a"]}) for p in ({"a": sequence(i, 2), "b": sequence(i, 3)} for i in range(12))]
        file = self.study("ruled", two, trials, rules=["a + b <= 0.8"])
        run("discard", file, "3")
        figure = self.figure(file, "map", "-x", "a", "-y", "b")
        self.assertEqual(sorted(figure.marks()), [1, 2, *range(4, 13)])
        chart = next(e for e in figure.root.iter(SVG + "svg") if e is not figure.root)
        x, y, width, height = (float(chart.get(k)) for k in ("x", "y", "width", "height"))
        line = max((points_of(e) for e in figure.root.iter(SVG + "path") if "s-limit" in e.get("class") and e.get("stroke-dasharray")), key=len)
        sums = [(px - x) / width + 1 - (py - y) / height for px, py in line]
        self.assertLess(max(abs(total - 0.8) for total in sums), 0.01)
        self.assertNotIn(3, self.figure(file, "convergence").marks())

    def test_bars_are_the_effects(self):
        effects = json.loads(run("importance", self.deck, "--json"))
        figure = self.figure(self.deck, "importance")
        bars = {}
        for e in figure.root.iter(SVG + "path"):
            title = e.find(SVG + "title")
            found = re.match(r"(.*): (\d\.\d\d) \((\d\.\d\d) … (\d\.\d\d)\)$", title.text) if title is not None else None
            if found:
                x0, _, x1, _ = box_of(e)
                bars.setdefault(found.group(1), []).append((float(found.group(2)), x1 - x0))
        self.assertEqual(set(bars), {DIAMETER, "pitch", "baffles", FLOW, "alloy"})
        for name, (first, *_) in bars.items():
            self.assertAlmostEqual(first[0], effects[COST][name]["total"], delta=0.006)
        whole = [length / total for name in bars for total, length in bars[name] if total > 0.3]
        self.assertLess(max(whole) / min(whole), 1.05)

    def test_the_frontier(self):
        """What is asked for with a higher probability is never better, and the recommended design is marked."""
        two = {k: {"type": "real", "low": 0, "high": 1} for k in "ab"}
        designs = [{"a": sequence(i, 2), "b": sequence(i, 3)} for i in range(14)]
        noise = [0.06 * math.sin(37 * i) for i in range(14)]
        trials = [(p, {"y": p["a"] + 0.2 * p["b"], "c": 0.5 - p["a"] + e}) for p, e in zip(designs, noise)]
        file = self.study("frontier", two, trials, {"c": {"max": 0}})
        figure = self.figure(file, "frontier")
        points = []
        for e in figure.root.iter(SVG + "path"):
            title = e.find(SVG + "title")
            if title is not None and "or more" in title.text:
                x0, y0, x1, y1 = box_of(e)
                points.append(((x0 + x1) / 2, (y0 + y1) / 2))
        points.sort()
        self.assertGreaterEqual(len(points), 6)
        for (_, higher), (_, lower) in zip(points, points[1:]):
            self.assertLessEqual(lower, higher + 0.02)
        self.assertLess(points[-1][1], points[0][1] - 20)
        self.assertEqual(len(figure.stars()), 2)
        safe = json.loads(run("recommend", file, "--json", "-p", "0.99"))
        bold = json.loads(run("recommend", file, "--json", "-p", "0.5"))
        self.assertLess(bold["objective"]["mean"], safe["objective"]["mean"])

    # --- the page ---

    def test_the_page_is_for_phones_too(self):
        page = self.page(self.deck)
        figures = re.findall(r"<figure class=\"(\w+)\">(?:<h3>.*?</h3>\s*)?(<svg .*?</svg>)\s*</figure>", page, re.S)
        kinds = [kind for kind, _ in figures]
        self.assertEqual(kinds.count("broad"), kinds.count("slim"))
        self.assertGreaterEqual(kinds.count("slim"), 4)
        for kind, svg in figures:
            width = float(re.search(r"viewBox=\"0 0 ([\d.]+) ", svg).group(1))
            self.assertLessEqual(width, {"broad": 1010, "slim": 350, "small": 390}[kind])
            self.assertGreaterEqual(width, {"broad": 1000, "slim": 320, "small": 340}[kind])
            self.assertEqual(Figure(svg).collisions(), [], kind)
        style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
        self.assertRegex(style, r"figure svg\{[^}]*width:100%;height:auto")
        self.assertRegex(style, r"@media\(max-width:[^)]*\)\{.*\.broad\{display:none\}\.slim\{display:block\}")

    def test_what_matters_comes_first(self):
        page = self.page(self.deck)
        order = re.findall(r"<section id=\"(\w+)\">", page)
        self.assertEqual(order, ["recommendation", "convergence", "importance", "frontier", "maps", "slices", "checks", "trials", "study", "models"])
        self.assertLess(page.index("Trials</h2>"), page.index("lengthscale"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
