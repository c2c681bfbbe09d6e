#!/usr/bin/env python3
"""test_model.py CKG [TEST …]: the settings of the models, from the problem file and from the command line.

Every setting changes what the program answers, in the same way from either place. The file's settings are kept in the store and may change between
runs; those of the command line hold for one command and take the place of the file's.
"""
import json
import random

from harness import Folder, check, main, problem

# What to ask the models, and how its answer shows that the setting has arrived: {setting: (value, command, (truth of the answer))}
MODELS = ("model", "s.yaml", "--json")
SETTINGS = {
    "kernel": ("matern32", MODELS, lambda m: m["f"]["kernel"] == m["c"]["kernel"] == "matern32"),
    "fit": ("ml", MODELS, lambda m: m["f"]["fit"] == m["c"]["fit"] == "ml"),
    "samples": ("3", MODELS, lambda m: m["c"]["samples"] == 3 and m["c"]["fit"] == "sample"),
    "warp": ("false", MODELS, lambda m: m["f"]["warp"] == 0),
    "penalty": ("1234.5", MODELS, lambda m: m["penalty"] == 1234.5),
    "preset": ("paper", MODELS, lambda m: m["penalty"] == 0 and m["f"]["fit"] == "ml" and m["f"]["kernel"] == m["c"]["kernel"] == "rbf"),
    "final_policy": ("sobol", ("run", "s.yaml", "--dry-run", "--json"), lambda design: True),
    "time_limit": ("1e-9", ("run", "s.yaml", "--dry-run", "--json"), lambda design: True),
}


def tail(x, y):
    """An objective with a heavy tail, and a constraint with noise."""
    return 10 ** (6 * x * y), x - y + 0.05 * ((37 * x + 91 * y) % 1)


def study(folder, model="", told=14):
    """Trials by import, so that one evaluation is left of the budget."""
    text = problem("s", [], budget=told + 1, policy="auto", more="initial: 4\n" + model).replace("c: {max: 0, noise: none}", "c: {max: 0.5}")
    text += "evaluate: {command: ['false']}\n"
    folder.write("s.yaml", text)
    points = [((i * 0.7548776662) % 1, (i * 0.5698402910) % 1) for i in range(1, told + 1)]
    rows = ["%r,%r,%r,%r" % (*p, *tail(*p)) for p in points]
    if not (folder / "s.db").exists():
        folder.write("t.csv", "\n".join(["x,y,f,c", *rows]) + "\n")
        folder.ckg("import", "s.yaml", "t.csv", expect=0)


def answer(folder, words, *more):
    return json.loads(folder.ckg(*words, *more, expect=0).out)


def test_every_setting_arrives_from_either_place():
    with Folder() as folder:
        for name, (value, words, arrived) in SETTINGS.items():
            study(folder)
            usual = answer(folder, words)
            by_line = answer(folder, words, "--model", f"{name}={value}")
            study(folder, f"model: {{{name}: {value}}}\n")
            by_file = answer(folder, words)
            check(by_file == by_line, name, "from the file:", by_file, "from the line:", by_line)
            check(by_file != usual, name, "changes nothing:", usual)
            check(arrived(by_file), name, by_file)


def test_noise_that_varies():
    """The range in the model, and the noise of every design in a prediction."""
    with Folder() as folder:
        folder.write("n.yaml", "name: n\ngoal: minimize\nbudget: 61\nseed: 1\nparameters:\n  x: {type: real, low: 0, high: 1}\n"
                               "objective: {name: f, noise: varying}\nevaluate: {command: ['false']}\n")
        points = [(i * 0.7548776662) % 1 for i in range(1, 61)]
        noise = random.Random(1)
        rows = ["%r,%r" % (x, x * x + noise.gauss(0, 0.02 * 20**x)) for x in points]
        folder.write("t.csv", "\n".join(["x,f", *rows]) + "\n")
        folder.ckg("import", "n.yaml", "t.csv", expect=0)
        m = answer(folder, ("model", "n.yaml", "--json"))["f"]
        check(m["noise_varies"] and m["noise_high"] > 5 * m["noise_low"] > 0, m)
        check("the noise varies over the space" in folder.ckg("model", "n.yaml", expect=0).out)
        folder.write("p.csv", "x\n0.05\n0.95\n")
        lines = folder.ckg("predict", "n.yaml", "--at", "p.csv", "--json", expect=0).out.splitlines()
        quiet, loud = (json.loads(line)["outcomes"]["f"]["noise_sd"] for line in lines)
        check(loud > 4 * quiet > 0, quiet, loud)


def test_all_at_once():
    with Folder() as folder:
        study(folder, "model: {kernel: auto, fit: auto, samples: 8, warp: auto, penalty: auto, preset: default, time_limit: 0, final_policy: \"\"}\n")
        auto = answer(folder, MODELS)
        line = [w for name in ("fit=auto", "samples=8", "warp=auto", "penalty=auto", "preset=default", "time_limit=0", "final_policy=", "kernel=auto")
                for w in ("-m", name)]
        study(folder)
        check(answer(folder, MODELS, *line) == auto)


def test_the_line_wins_and_is_not_kept():
    with Folder() as folder:
        study(folder, "model: {kernel: matern52}\n")
        folder.ckg("ask", "s.yaml", "--model", "kernel=matern32", "--model=fit=ml", expect=0)
        by_name = ("model", "--store", f"sqlite:{folder / 's.db'}", "--study", "s", "--json")
        check(answer(folder, by_name)["f"]["kernel"] == "matern52", "the store has not kept the file's kernel")
        m = answer(folder, by_name, "--model", "kernel=rbf")
        check(m["f"]["kernel"] == "rbf" and m["f"]["fit"] == "map", m)


def test_settings_may_change_between_runs():
    with Folder() as folder:
        study(folder, "model: {kernel: matern52}\n")
        before = folder.trials("s.yaml")
        study(folder, "model: {kernel: matern32, penalty: 5}\n", told=15)
        folder.ckg("ask", "s.yaml", expect=0)
        check(folder.trials("s.yaml")[: len(before)] == before)
        by_name = ("model", "--store", f"sqlite:{folder / 's.db'}", "--study", "s", "--json")
        m = answer(folder, by_name)
        check(m["c"]["kernel"] == "matern32" and m["penalty"] == 5, m)


def test_nothing_given_is_nothing_kept():
    with Folder() as folder:
        study(folder)
        check(b'"model"' not in (folder / "s.db").read_bytes().replace(b'"failures": "model"', b""))


def test_wrong_lines():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", []))
        for words, say in ((["kernel=cubic"], "kernel must be rbf, matern52, matern32 or auto, not 'cubic'"), (["kernel"], "NAME=VALUE, not 'kernel'"),
                           (["smooth=1"], "there is no option 'smooth'; choose from kernel, fit"), (["=1"], "there is no option ''"),
                           (["samples=65"], "samples must be an integer from 1 to 64, not '65'"), (["x" * 100 + "=1"], "NAME=VALUE"),
                           (["fit=ml", "fit=map"], "--model fit is given twice"), (["fit=ml"] * 40, "more than 32 times"),
                           (["final_policy=neii"], "final_policy must be empty, auto, ckg, ")):
            for command in (["ask", "s.yaml"], ["run", "s.yaml"], ["recommend", "s.yaml"], ["model", "s.yaml"]):
                line = [w for word in words for w in ("--model", word)]
                folder.ckg(*command, *line, expect=2).one_line(f"ckg {command[0]}: ", say)
        check(sorted(p.name for p in folder.path.iterdir()) == ["s.yaml"], list(folder.path.iterdir()))
        folder.ckg("trials", "s.yaml", "--model", "fit=ml", expect=2).one_line("there is no option '--model'")


def test_help_has_every_setting():
    with Folder() as folder:
        for command in ("run", "ask", "recommend", "model", "predict", "score", "plot", "report"):
            page, manual = (folder.ckg(*words, expect=0).out for words in ((command, "--help"), ("manual", command)))
            for name in (*SETTINGS, "--model NAME=VALUE"):
                check(name in page, command, name, "is not in its help")
            for name in SETTINGS:
                check(f"fB{name}" in manual, command, name, "is not in its manual page")


def test_words_of_the_models():
    with Folder() as folder:
        study(folder, "model: {kernel: matern52}\n")
        said = folder.ckg("model", "s.yaml", "-m", "samples=3", expect=0).out
        check("f: kernel matern52, fit map, scale " in said and "c: kernel matern52, fit sample (the first of 3 samples), scale as it is" in said, said)
        folder.ckg("report", "s.yaml", "-o", "s.html", expect=0)
        page = (folder / "s.html").read_text()
        check("<td>kernel</td><td class=\"why\">matern52</td>" in page, "the report has not the setting")
        check("<td>kernel</td><td>matern52</td><td>matern52</td>" in page and "<td>fit</td><td>map</td><td>sample</td>" in page)


def test_the_last_evaluation_is_recommended_from():
    """With a final policy the spent budget's recommendation is an evaluated design, at the end of a run and later alike."""
    with Folder() as folder:
        study(folder, "model: {final_policy: nei}\n")
        trial = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)
        folder.ckg("tell", "s.yaml", trial["trial"], "f=1", "c=0", expect=0)
        r = json.loads(folder.ckg("recommend", "s.yaml", "--json", expect=0).out)
        check(r["parameters"] in [t["parameters"] for t in folder.trials("s.yaml")], r)
        ran = json.loads(folder.ckg("run", "s.yaml", "--json", expect=0).out.splitlines()[-1])
        check(ran["parameters"] == r["parameters"], ran, r)


if __name__ == "__main__":
    main(globals())
