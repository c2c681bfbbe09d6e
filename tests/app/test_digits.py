#!/usr/bin/env python3
"""test_digits.py CKG [TEST …]: what is printed of a recommendation is true of what is printed.

A design as people read it is feasible, and as good, when it is typed in again. A value that breaks its limit is printed with the digits that break
it. What was evaluated is called measured and has its trial; only what was not is to be evaluated first. Where nothing can be feasible that is said.
"""
import html
import importlib.util
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

from harness import Folder, check, main

HERE = pathlib.Path(__file__).parent

CAN = """import json, math, sys
can = json.load(sys.stdin)
r, h = can["radius"], can["height"]
print(json.dumps({"area": 2 * math.pi * r * (r + h), "volume": math.pi * r * r * h}))
"""


def can(limit=500, noise="none", budget=20, seed=1, scale="linear"):
    return f"""name: can
goal: minimize
budget: {budget}
seed: {seed}
parameters:
  radius: {{type: real, low: 1, high: 3.5}}
  height: {{type: real, low: 1, high: 20, scale: {scale}}}
objective: {{name: area, noise: {noise}}}
constraints:
  volume: {{min: {limit}, noise: {noise}}}
evaluate:
  command: [python3, can.py]
"""


def run(folder, **how):
    noisy = CAN.replace("r * (r + h)", "r * (r + h) * (1 + 1e-3 * math.sin(int(os.environ['CKG_TRIAL'])))")
    folder.write("can.py", CAN if how.get("noise", "none") == "none" else noisy.replace("import ", "import os, "))
    folder.write("can.yaml", can(**how))
    return folder.ckg("run", "can.yaml", expect=0).out


def printed(text):
    """The design as a person would type it again."""
    found = re.findall(r"^  (radius|height) +(\S+)$", text, re.M)
    return {name: value for name, value in found}


def volume(design):
    return math.pi * float(design["radius"])**2 * float(design["height"])


def test_what_is_typed_again_is_feasible():
    for how in ({}, {"seed": 2}, {"seed": 3, "scale": "log"}, {"limit": 444.4, "seed": 4}):
        with Folder() as folder:
            said = run(folder, **how)
            design = printed(said)
            exact = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)
            check(volume(exact["parameters"]) >= how.get("limit", 500), how, exact)
            check(volume(design) >= how.get("limit", 500), how, design, volume(design))
            area = 2 * math.pi * float(design["radius"]) * (float(design["radius"]) + float(design["height"]))
            check(abs(area - exact["objective"]["mean"]) < 2e-3 * area, area, exact)
            check(printed(folder.ckg("recommend", "can.yaml", "--exact", expect=0).out) ==
                  {name: json.dumps(value) for name, value in exact["parameters"].items()})


def test_few_digits_where_they_will_do():
    with Folder() as folder:
        design = printed(run(folder, limit=100))
        exact = printed(folder.ckg("recommend", "can.yaml", "--exact", expect=0).out)
        check(sum(len(v) for v in design.values()) < sum(len(v) for v in exact.values()), design, exact)
        check(volume(design) >= 100, design)


def test_under_noise_too():
    with Folder() as folder:
        design = printed(run(folder, noise="auto"))
        check(all(len(value) < 12 for value in design.values()), design)
        check("predicted:" in run(folder, noise="auto", budget=21))


def test_values_on_their_side_of_the_limit():
    with Folder() as folder:
        said = run(folder, budget=26)
        for line in said.splitlines():
            found = re.search(r"volume=(\S+)  (feasible|infeasible)", line)
            if found:
                check((float(found[1]) >= 500) == (found[2] == "feasible"), line)


def test_a_fact_is_called_one():
    with Folder() as folder:
        said = run(folder)
        trial = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)["trial"]
        check(f"the design of trial {trial}:" in said and f"feasible, as measured in trial {trial}" in said, said)
        check("measured:" in said and "probability" not in said and "before you" not in said, said)


def test_the_report_says_the_same():
    with Folder() as folder:
        for noise in ("none", "auto"):
            for path in folder.path.glob("can.*"):
                path.unlink()
            said = run(folder, noise=noise)
            folder.ckg("report", "can.yaml", "-o", "can.html", expect=0)
            page = (folder / "can.html").read_text()
            exact = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)
            for name, value in printed(said).items():
                check(f">{value}</span></td>" in page, name, value)
            copied = re.search(r'<pre id="exact">(.*?)</pre>', page)[1].replace("&#34;", '"').replace("&quot;", '"')
            check(json.loads(copied) == exact["parameters"], copied)
            check("expected gain of going on" in page)

            # Every sentence, and what is said of every outcome, word for word.
            told = folder.ckg("recommend", "can.yaml", expect=0).out
            words = html.unescape(re.sub("<[^>]*>", "", page))
            sentences = [line.rstrip(":") for line in told.splitlines() if line.startswith(("recommended after", "feasible", "the recommended"))]
            check(len(sentences) == (2 if exact["trial"] else 3) and all(s in words for s in sentences), sentences)
            for name, value, met in re.findall(r"^  (area|volume) +([^,\n]*)(?:, (.*) \(.*\))?$", told, re.M):
                row = next(r for r in re.findall("<tr>.*?</tr>", page, re.S) if f">{name}</span></td>" in r)
                check(f"<td>{value}</td><td>{html.escape(met)}</td>" in row, name, value, met, row)


def python_results():
    """What Python answers with, without the rest of the package."""
    spec = importlib.util.spec_from_file_location("results", HERE.parents[1] / "python/src/pyckg/_results.py")
    results = sys.modules["results"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(results)
    return results


def test_python_says_the_same():
    results = python_results()
    for noise in ("none", "auto"):
        with Folder() as folder:
            run(folder, noise=noise)
            told = folder.ckg("recommend", "can.yaml", expect=0).out.splitlines()
            exact = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)
            estimates = {name: results.Estimate(e["mean"], e["sd"], e.get("probability")) for name, e in exact["constraints"].items()}
            objective = results.Estimate(exact["objective"]["mean"], exact["objective"]["sd"])
            measured = any(line.startswith("feasible, as measured") for line in told)
            python = str(results.Recommendation(exact["parameters"], objective, estimates, exact["probability_feasible"], None, None,
                                                exact["evaluations"], None, exact["trial"], measured, None)).splitlines()
            check(python[0] == told[0] and python[-1] in told, python, told)


def test_a_probability_and_an_estimate_are_written_one_way():
    """By pages and by Python as by the program, which test_markup.c tests from the same table."""
    rows = re.findall(r'{([\d.]+), "([^"]*)"}', (HERE / "probabilities.inc").read_text())
    check(len(rows) > 10, rows)
    results = python_results()
    for value, text in rows:
        check(results._chance(float(value)) == text, value, text)
    estimates = re.findall(r'{([-\d.e]+), ([\d.e-]+), "([^"]*)"}', (HERE / "estimates.inc").read_text())
    check(len(estimates) > 10, estimates)
    for value, sd, text in estimates:
        check(results._estimated(float(value), float(sd)) == text, value, sd, text)
    if node := shutil.which("node"):
        source = (HERE.parents[1] / "app/serve/files/dom.js").read_text()
        function = re.search(r"export (function chance.*?\n})", source, re.S)[1]
        asked = f"{function} console.log(JSON.stringify([{','.join(v for v, _ in rows)}].map(chance)))"
        check(json.loads(subprocess.check_output([node, "-e", asked])) == [text for _, text in rows], "node")


def test_what_was_not_evaluated_is_to_be():
    with Folder() as folder:
        said = run(folder, noise="auto")
        recommended = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)
        check((recommended["trial"] is None) == ("evaluate it before relying on it" in said), said)
        said = folder.ckg("recommend", "can.yaml", "--evaluated", expect=0).out
        trial = json.loads(folder.ckg("recommend", "can.yaml", "--evaluated", "--json", expect=0).out)["trial"]
        check(f"the design of trial {trial}:" in said and "before you" not in said, said)


def test_nothing_can_be_feasible():
    for noise in ("none", "auto"):
        with Folder() as folder:
            said = run(folder, limit=5000, noise=noise)
            check("no design is likely to be feasible" in said and "the hardest limit is volume >= 5000" in said, said)
            check(volume(printed(said)) > 740, said)  # 769.7 is all that there is
            most_violated = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)["most_violated"]
            check(most_violated["constraint"] == "volume" and most_violated["limit"] == 5000 and abs(most_violated["mean"] - 769.7) < 30, most_violated)


def test_one_or_two_values_say_little():
    for budget in (1, 2):
        with Folder() as folder:
            said = run(folder, budget=budget, noise="auto", limit=10)
            check("probability" not in said and "hardly more than a guess" in said, said)
            recommended = json.loads(folder.ckg("recommend", "can.yaml", "--json", expect=0).out)
            check(recommended["probability_feasible"] is None and recommended["constraints"]["volume"]["probability"] is None, recommended)


if __name__ == "__main__":
    main(globals())
