#!/usr/bin/env python3
"""test_equal.py CKG [TEST …]: equality constraints in the program: found, shown, asked about, changed, kept."""
import json

from harness import Folder, check, main, scale

COST = """import json, sys
x = json.load(sys.stdin)
print(json.dumps({"cost": (x["a"] - 1) ** 2 + x["b"] ** 2, "height": 20 + x["a"] + 2 * x["b"] - 2}))
"""
FILE = """name: s
goal: minimize
budget: 24
initial: 8
policy: cei
seed: 1
parameters:
  a: {type: real, low: 0, high: 2}
  b: {type: real, low: 0, high: 2}
objective: {name: cost, noise: none}
constraints:
  height: {equal: 20, tolerance: 0.01, noise: none}
evaluate: {command: [python3, cost.py]}
"""


def study(folder, seed=1):
    folder.write("cost.py", COST)
    folder.write("s.yaml", FILE.replace("seed: 1", f"seed: {seed}"))
    return folder.ckg("run", "s.yaml", expect=0)


def recommend(folder, *words):
    return json.loads(folder.ckg("recommend", "s.yaml", "--json", *words, expect=0).out)


def test_it_is_found_and_shown():
    """The best of a + 2b = 2 is a = 1.2, b = 0.4, where the cost is 0.2; with a + 2b = 1.99 it is 0.196."""
    with Folder() as folder:
        check("= 20 ± 0.01" in study(folder).out, "not shown")
        for trial in folder.trials("s.yaml"):
            check(trial["feasible"] == (abs(trial["values"]["height"] - 20) <= 0.01), trial)
        found = recommend(folder)["best_evaluated"]
        check(0.195 < found["objective"] < 0.202 and abs(found["constraints"]["height"] - 20) <= 0.01, found)
        folder.ckg("report", "s.yaml", "-o", "r.html", expect=0)
        check("= 20 ± 0.01" in (folder.path / "r.html").read_text(), "not in the report")


def test_what_if_along_a_thin_band():
    """Two edges a thousandth apart, of which the models are sure to a millionth: what is best along them is found nevertheless. Of these seeds some
    ended at 0.37 to 0.46 where 0.338 is the best."""
    for seed in (1, 6, 2, 5, 8)[:scale(5, 2)]:
        with Folder() as folder:
            study(folder, seed)
            found = recommend(folder, "--limit", "height=20.3", "height.tolerance=0.001")
            check(abs(found["objective"]["mean"] - 0.338) < 0.005, seed, found)


def test_what_if_and_change():
    """On a + 2b = 2.3 the best has a = 1.26, b = 0.52 and costs 0.338."""
    with Folder() as folder:
        study(folder)
        found = recommend(folder, "--limit", "height=20.3", "height.tolerance=0.001")
        check(abs(found["objective"]["mean"] - 0.338) < 0.005, found)
        check(abs(found["constraints"]["height"]["mean"] - 20.3) < 0.002, found)
        wide = recommend(folder, "--limit", "height.tolerance=2")
        check(wide["objective"]["mean"] < 0.19, wide)
        folder.ckg("recommend", "s.yaml", "--limit", "height.max=21", expect=2).one_line("`equal` or limits, not both")
        folder.ckg("recommend", "s.yaml", "--limit", "height.tolerance=0", expect=2).one_line("above 0")

        # What was a question becomes the definition.
        before = folder.trials("s.yaml")
        folder.write("s.yaml", FILE.replace("tolerance: 0.01", "tolerance: 0.5"))
        folder.ckg("status", "s.yaml", expect=2).one_line("limits of height from 20 ± 0.01 to 20 ± 0.5")
        said = json.loads(folder.ckg("change", "s.yaml", "--yes", "--json", expect=0).out)
        check(said["changes"] == ["limits of height from 20 ± 0.01 to 20 ± 0.5"], said)
        after = folder.trials("s.yaml")
        check([t["values"] for t in after] == [t["values"] for t in before])
        check(sum(t["feasible"] for t in after) > sum(t["feasible"] for t in before))
        folder.write("s.yaml", FILE.replace("equal: 20, tolerance: 0.01", "max: 20"))
        folder.ckg("status", "s.yaml", expect=2).one_line("limits of height from 20 ± 0.5 to at most 20")


if __name__ == "__main__":
    main(globals())
