"""A study with as many constraints as MOPTA08 has, 68, and one with as many as there may be: what a user types works, and what is shown can be read."""
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, main, scale  # noqa: E402

# Half-planes around a bowl, every one with its own direction.
EVALUATOR = """
import json, math, sys
x = json.load(sys.stdin)
answer = {"cost": (x["a"] - 0.2) ** 2 + (x["b"] - 0.7) ** 2}
for k in range(COUNT):
    answer["limit_%03d" % k] = math.cos(k) * (x["a"] - 0.5) + math.sin(k) * (x["b"] - 0.5) - 0.3
print(json.dumps(answer))
"""


def lay_out(folder, name, count, budget, policy):
    folder.write(f"{name}.py", EVALUATOR.replace("COUNT", str(count)))
    limits = "".join(f"  limit_{k:03d}: {{max: 0, noise: none}}\n" for k in range(count))
    folder.write(f"{name}.yaml", f"""name: {name}
goal: minimize
budget: {budget}
initial: 8
policy: {policy}
seed: 1
parameters:
  a: {{type: real, low: 0, high: 1}}
  b: {{type: real, low: 0, high: 1}}
objective: {{name: cost, noise: none}}
constraints:
{limits}evaluate:
  command: ["{sys.executable}", {name}.py]
""")
    return f"{name}.yaml"


def names_in(text):
    return set(re.findall(r"limit_\d{3}", text))


def test_a_run_of_68():
    with Folder() as folder:
        study = lay_out(folder, "car", 68, scale(14, 10), "auto")
        said = folder.ckg("run", study, expect=0).out
        trials = folder.trials(study)
        check(all(t["state"] == "complete" and len(t["values"]) == 69 for t in trials), "every value is there")

        # The text has the constraints that matter, and says that there are others; JSON has all.
        lines = [line for line in said.splitlines() if line.startswith("  limit_")]
        check(len(lines) == 12 and "56 others, farther from their limits" in said, said)
        r = json.loads(folder.ckg("recommend", study, "--json", expect=0).out)
        check(len(r["constraints"]) == 68)
        spread = {name: statistics.pstdev(t["values"][name] for t in trials) for name in r["constraints"]}
        margin = {name: -c["mean"] / (c["sd"] + 0.01 * spread[name]) for name, c in r["constraints"].items()}
        nearest = sorted(margin, key=margin.get)[:12]
        check(names_in("".join(lines)) == set(nearest), "not the nearest:", sorted(names_in("".join(lines))), sorted(nearest))

        # It is what a study rebuilt from the same trials recommends.
        lay_out(folder, "copy", 68, scale(14, 10), "auto")
        folder.write("trials.csv", folder.ckg("export", study, expect=0).out)
        folder.ckg("import", "copy.yaml", "trials.csv", expect=0)
        again = json.loads(folder.ckg("recommend", "copy.yaml", "--json", expect=0).out)
        check(again["parameters"] == r["parameters"] and again["constraints"] == r["constraints"], again)
        folder.nothing_left()


def test_a_report_of_200():
    """Without samples of the hyperparameters: with them the frontier of 3,600 processes takes a minute."""
    with Folder() as folder:
        study = lay_out(folder, "most", 200, 9, "cei")
        folder.write(study, (folder / study).read_text() + "model: {fit: map}\n")
        folder.ckg("run", study, expect=0)
        folder.ckg("report", study, "-o", "page.html", expect=0)
        page = (folder / "page.html").read_text()

        # All are listed once with their limits; figures and the other tables have twelve, but for what a trial says when it is pointed at.
        rest, listed = re.sub("<title>.*?</title>", "", page).split('<section id="study">')
        check(len(names_in(listed)) == 200)
        check(len(names_in(rest)) == 12, sorted(names_in(rest)))
        check("188 others" in page and "Of 200 constraints, these are the 12" in page)
        check(len(page) < 2e6, len(page), "bytes")
        model = json.loads(folder.ckg("model", study, "--json", expect=0).out)
        check(len(names_in(json.dumps(model))) == 200)


def test_what_repeats_what():
    """A model says in words that its constraint repeats another one."""
    with Folder() as folder:
        study = lay_out(folder, "twice", 3, 20, "cei")
        for t in range(8):
            trial = json.loads(folder.ckg("ask", study, "--json", expect=0).out)["trial"]
            c = (0.37 * t) % 1 - 0.6
            told = {"cost": t * t, "limit_000": c, "limit_001": 3 * c, "limit_002": c + 1e-5 * (t % 3)}
            folder.ckg("tell", study, trial, *(f"{name}={value}" for name, value in told.items()), expect=0)
        said = folder.ckg("model", study, expect=0).out
        check("  repeats limit_000: the two count once" in said and "  nearly repeats limit_000: the two count once" in said, said)
        model = json.loads(folder.ckg("model", study, "--json", expect=0).out)
        check([model[name]["duplicate_of"] for name in told] == [None, None, "limit_000", "limit_000"], model)
        folder.ckg("report", study, "-o", "page.html", expect=0)
        page = (folder / "page.html").read_text()
        check(" repeats " in page and " nearly repeats " in page and page.count("counts once with it") == 1)


if __name__ == "__main__":
    main(globals())
