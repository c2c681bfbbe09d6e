"""ckg plot and ckg report as users run them: test_show.py CKG.

Studies of every awkward kind are made through ask and tell; every file must be well-formed, stand on its own and carry names unharmed,
and what cannot be drawn must be said in one line. Standard library only.
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
from html.parser import HTMLParser

CKG = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "ckg"
KINDS = ("sheet", "convergence", "map", "slices", "acquisition")
SVG = "{http://www.w3.org/2000/svg}"
FOREIGN = {"script", "link", "img", "iframe", "object", "embed", "image", "use", "foreignobject", "base"}
SCRIPT = "<script>alert(1)</script>"
DROP = "');drop table trials;-- & \"q\""
VALUES = ["<b>bold</b>", "a&b", "ünïcødé 漢字"]
LONG = "a_name_that_goes_on_" * 6
WHY = "it said: <img src=x onerror=alert(1)> & 'quit'"
TWO = {"a": {"type": "real", "low": 0, "high": 1}, "b": {"type": "real", "low": 0, "high": 1}}


def run(*words, environment=None):
    return subprocess.run([CKG, *words], capture_output=True, text=True, timeout=3000, env=environment)


class Page(HTMLParser):
    """What a page holds: its elements, its text, and whether they are nested properly."""

    VOID = {"meta", "br", "img", "link", "hr", "input"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.words, self.wrong = [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.words.append(data)


class Show(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def study(self, name, parameters, constraints=None, **more):
        """Writes a problem file, as JSON, which is YAML too."""
        problem = {"name": name, "goal": "minimize", "budget": 200, "seed": 1, "initial": 6, "policy": "cei", "parameters": parameters,
                   "objective": {"name": "y", "noise": "none"}, "constraints": constraints or {}}
        problem.update(more)
        file = self.path("study.yaml")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(problem, out)
        return file

    def evaluate(self, file, count, function):
        """`function` gives the values of a design, or None where it fails."""
        for _ in range(count):
            asked = run("ask", file, "--json", "--threads", "1")
            self.assertEqual(asked.returncode, 0, asked.stderr)
            trial = json.loads(asked.stdout)
            values = function(trial["parameters"])
            words = ["--failed", WHY] if values is None else [f"{k}={json.dumps(v)}" for k, v in values.items()]
            told = run("tell", file, str(trial["trial"]), *words)
            self.assertEqual(told.returncode, 0, told.stderr)

    def check_alone(self, text, tags, attributes):
        """No reference to anything outside, and nothing that runs; the only addresses are names of namespaces."""
        self.assertEqual(set(re.findall(r"https?://[^\"'\s<]*", text)) - {"http://www.w3.org/2000/svg"}, set())
        self.assertEqual({tag.lower() for tag in tags} & FOREIGN, set())
        for name, value in attributes:
            self.assertFalse(name.startswith("on") or name in ("src", "xlink:href", "srcset", "action"), name)
            self.assertFalse(name == "href" and not value.startswith("#"), value)
            self.assertFalse(name in ("d", "x", "y", "viewbox", "transform") and re.search("nan|inf", value), value)
        for style in re.findall(r"<style>(.*?)</style>", text, re.S):
            self.assertFalse(re.search(r"url\(|@import", style))

    def check_svg(self, file, kind, *more):
        out = self.path("figure.svg")
        done = run("plot", file, "-k", kind, "-o", out, *more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as figure:
            text = figure.read()
        root = xml.fromstring(text.encode())
        self.assertEqual(root.tag, SVG + "svg")
        self.check_alone(text, [e.tag.replace(SVG, "") for e in root.iter()], [item for e in root.iter() for item in e.attrib.items()])
        for element in root.iter():
            for number in ("x", "y", "width", "height"):
                if number in element.attrib:
                    self.assertTrue(math.isfinite(float(element.attrib[number])))
        return ["".join(element.itertext()) for element in root.iter() if element.tag in (SVG + "text", SVG + "title")]

    def check_refused(self, file, kind, status, *more):
        out = self.path("none.svg")
        done = run("plot", file, "-k", kind, "-o", out, *more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(os.path.exists(out))
        return done.stderr

    def check_report(self, file):
        out = self.path("report.html")
        done = run("report", file, "-o", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as page:
            text = page.read()
        page = Page(text)
        self.assertEqual(page.wrong, [])
        self.check_alone(text, page.tags, page.attributes)
        for href in (value for name, value in page.attributes if name == "href"):
            self.assertIn(("id", href[1:]), page.attributes)
        for svg in re.findall(r"<svg xmlns.*?</figure>", text, re.S):
            xml.fromstring(svg[: svg.rindex("</svg>") + 6].encode())
        return page

    def check_all(self, file, refused=()):
        for kind in KINDS:
            if kind in refused:
                self.check_refused(file, kind, 1)
            else:
                self.check_svg(file, kind)
        return self.check_report(file)

    # --- studies of every kind ---

    def test_ordinary(self):
        file = self.study("ordinary", TWO, {"c": {"max": 0.3, "noise": "none"}})
        self.evaluate(file, 12, lambda p: {"y": (p["a"] - 0.4) ** 2 + p["b"], "c": p["a"] * p["b"]} if p["a"] < 0.9 else None)
        run("ask", file)
        page = self.check_all(file)
        words = " ".join(page.words)
        self.assertIn(WHY, page.words)
        for word in ("Recommendation", "Convergence", "Trials", "pending", "probability of being feasible"):
            self.assertIn(word, words)
        texts = self.check_svg(file, "map", "-x", "b", "-y", "a")
        self.assertIn("recommended", texts)
        self.assertLess(texts.index("b"), texts.index("a"))
        self.check_svg(file, "acquisition", "--policy", "auto")
        self.check_svg(file, "acquisition", "-x", "a")
        self.assertIn("no policy", self.check_refused(file, "acquisition", 2, "--policy", "none"))
        self.assertIn("no parameter", self.check_refused(file, "map", 2, "-x", "none"))
        self.assertIn("same", self.check_refused(file, "map", 2, "-x", "a", "-y", "a"))

    def test_empty(self):
        file = self.study("empty", TWO, {"c": {"max": 0.3}})
        self.check_all(file, KINDS)

    def test_pending_alone(self):
        file = self.study("pending", TWO)
        run("ask", file, "-n", "2")
        self.check_all(file, ("convergence", "slices", "acquisition"))

    def test_one_trial(self):
        file = self.study("one", TWO, {"c": {"max": 0.3}})
        self.evaluate(file, 1, lambda p: {"y": 1.5, "c": 0.1})
        self.check_all(file)

    def test_all_failed(self):
        file = self.study("failed", TWO, {"c": {"max": 0.3}})
        self.evaluate(file, 7, lambda p: None)
        self.check_all(file, ("slices", "acquisition"))

    def test_objective_never_measured(self):
        file = self.study("partly", TWO, {"c": {"max": 0.3}})
        self.evaluate(file, 7, lambda p: {"c": p["a"]})
        self.check_all(file, ("slices", "acquisition"))

    def test_constraint_never_measured(self):
        file = self.study("unmeasured", TWO, {"c": {"max": 0.3}, "e": {"min": 0}})
        self.evaluate(file, 8, lambda p: {"y": p["a"], "c": p["b"]})
        page = self.check_all(file)
        self.assertIn("not known", page.words)
        self.assertIn("whether it is feasible is not known: 'e' has not been measured yet", page.words)
        self.assertIn("Predicted y; feasibility not known yet", self.check_svg(file, "map"))
        self.assertIn("e: not measured yet", self.check_svg(file, "slices"))
        self.assertNotIn("P(feasible)", self.check_svg(file, "convergence"))
        self.evaluate(file, 1, lambda p: {"y": p["a"], "c": p["b"], "e": 1})
        self.assertIn("whether it is feasible is not known: there are too few values to say", self.check_all(file).words)
        self.evaluate(file, 2, lambda p: {"y": p["a"], "c": p["b"], "e": 1})
        self.assertNotIn("not known", self.check_all(file).words)
        self.assertIn("P(feasible)", self.check_svg(file, "convergence"))

    def test_nothing_feasible(self):
        file = self.study("infeasible", TWO, {"c": {"max": -5}, "e": {"min": 9, "max": 10}})
        self.evaluate(file, 8, lambda p: {"y": p["a"], "c": p["b"], "e": 0})
        page = self.check_all(file)
        self.assertIn("nothing feasible", " ".join(page.words))

    def test_constant(self):
        for value in (0, 7, -1e150):
            file = self.study("constant", TWO, {"c": {"max": 0.3}})
            self.evaluate(file, 7, lambda p: {"y": value, "c": 0})
            self.check_all(file)
            os.remove(self.path("study.db"))

    def test_without_constraints(self):
        file = self.study("free", TWO, goal="maximize")
        self.evaluate(file, 8, lambda p: {"y": p["a"] - p["b"]})
        self.check_all(file)

    def test_one_parameter(self):
        file = self.study("line", {"a": {"type": "real", "low": 1e-6, "high": 1, "scale": "log"}}, {"c": {"max": 0.3}})
        self.evaluate(file, 8, lambda p: {"y": math.log(p["a"]), "c": p["a"]})
        self.check_all(file, ("map",))

    def test_many_parameters(self):
        file = self.study("many", {f"p{i}": TWO["a"] for i in range(20)}, {"c": {"max": 0.3}})
        self.evaluate(file, 8, lambda p: {"y": sum(p.values()), "c": p["p3"]})
        self.check_all(file)

    def test_names(self):
        parameters = {SCRIPT: TWO["a"], DROP: {"type": "categorical", "values": VALUES}, LONG: {"type": "integer", "low": -3, "high": 9}}
        file = self.study(SCRIPT, parameters, {"<&>'\"": {"max": 2}}, objective={"name": "y&z"})
        self.evaluate(file, 8, lambda p: {"y&z": p[SCRIPT] + p[LONG], "<&>'\"": [len(p[DROP]) / 9, 0.1]})
        page = self.check_all(file)
        for name in (SCRIPT, DROP, LONG, "y&z", "<&>'\"", *VALUES):
            self.assertIn(name, page.words)
        texts = self.check_svg(file, "map", "-x", DROP, "-y", LONG)
        for name in (DROP, VALUES[1], VALUES[2]):
            self.assertIn(name, texts)
        self.assertFalse([text for text in texts if LONG in text and len(text) < 200 and not text.startswith("trial")])

    def test_hints_of_wide_letters(self):
        """Many names of letters that take four bytes each: what is shown when a design is pointed at is whole."""
        names = [chr(0x1F600 + i) * 24 for i in range(12)]
        file = self.study("wide", {name: TWO["a"] for name in names[:6]}, {name: {"max": 9} for name in names[6:]})
        self.evaluate(file, 5, lambda p: {"y": sum(p.values()), **{name: 1 for name in names[6:]}})
        for kind in ("convergence", "residuals"):
            self.assertTrue(any(text.count(names[5]) and text.count(names[10]) for text in self.check_svg(file, kind)), kind)

    def test_hints_of_predictions(self):
        """What is predicted is written as the values beside it: with a minus, and powers of ten."""
        file = self.study("signs", TWO, {"c": {"max": 0}})
        self.evaluate(file, 8, lambda p: {"y": -1e-7 * (1 + p["a"] + p["b"]), "c": p["a"] - 2})
        for kind, word in (("residuals", "; predicted "), ("frontier", " or more: ")):
            said = [text.split(word)[1] for text in self.check_svg(file, kind) if word in text]
            self.assertTrue(said and all(re.fullmatch("−?[0-9.]+(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)? ± [0-9.]+(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", text) for text in said), said)
            self.assertTrue(any("−" in text and "×10⁻" in text for text in said), said)

    def test_axes(self):
        """Whole numbers at whole ticks, categories by name, a logarithmic axis at round numbers."""
        file = self.study("axes", {"n": {"type": "integer", "low": 2, "high": 6}, "k": {"type": "categorical", "values": ["red", "green"]},
                                   "w": {"type": "real", "low": 0.01, "high": 10, "scale": "log"}})
        self.evaluate(file, 9, lambda p: {"y": p["n"] + p["w"] + (p["k"] == "red")})
        texts = self.check_svg(file, "map", "-x", "n", "-y", "k")
        for tick in ("2", "3", "4", "5", "6", "red", "green"):
            self.assertIn(tick, texts)
        self.assertNotIn("2.5", texts)
        texts = self.check_svg(file, "slices", "-x", "w")
        for tick in ("0.01", "0.1", "1", "10"):
            self.assertIn(tick, texts)

    # --- files ---

    def test_png(self):
        file = self.study("picture", TWO)
        self.evaluate(file, 2, lambda p: {"y": p["a"]})
        out = self.path("figure.png")
        # cairo's library of fonts keeps what it has read until the process ends
        leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        done = run("plot", file, "-o", out, environment={**os.environ, "ASAN_OPTIONS": leaks})
        if done.returncode == 2:
            self.assertIn("without cairo", done.stderr)
            self.assertFalse(os.path.exists(out))
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, "rb") as picture:
            self.assertEqual(picture.read(8), b"\x89PNG\r\n\x1a\n")

    def test_places(self):
        file = self.study("places", TWO)
        self.evaluate(file, 2, lambda p: {"y": p["a"]})
        before = set(os.listdir(self.folder.name))
        wrong = (["plot", file], ["plot", file, "-o", "x.pdf"], ["report", file], ["plot", file, "-k", "nothing", "-o", "x.svg"],
                 ["plot", file, "too", "many", "-o", "x.svg"])
        failing = (["plot", file, "-o", "/nowhere/at/all.svg"], ["report", file, "-o", "/nowhere/at/all.html"],
                   ["report", file, "-o", self.folder.name])
        for words, status in [(words, 2) for words in wrong] + [(words, 1) for words in failing]:
            done = run(*words)
            self.assertEqual(done.returncode, status, words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(set(os.listdir(self.folder.name)), before)

    def test_same_bytes(self):
        file = self.study("same", TWO, {"c": {"max": 0.3}})
        self.evaluate(file, 8, lambda p: {"y": p["a"], "c": p["b"]})
        for command, name in (("plot", "a.svg"), ("report", "a.html")):
            pages = []
            for threads in ("1", "2"):
                self.assertEqual(run(command, file, "-o", self.path(name), "--threads", threads).returncode, 0)
                with open(self.path(name), "rb") as page:
                    pages.append(page.read())
            self.assertEqual(pages[0], pages[1])


if __name__ == "__main__":
    unittest.main(verbosity=1)
