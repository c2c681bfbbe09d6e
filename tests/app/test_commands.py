#!/usr/bin/env python3
"""test_commands.py CKG [TEST …]: what every command makes of its line, and the shapes of what it prints as JSON.

Whatever is wrong with a line is said in one line that names the command and its help, with exit status 2. The keys of each JSON object, in their
order, are what scripts rely on. Help, manual pages and completion name every command and every option.
"""
import json
import re
import shlex
import subprocess

from harness import PROGRAM, Folder, check, main, problem

TRIAL = ["trial", "state", "parameters", "values", "feasible", "origin", "chosen_by", "reason", "seconds", "why"]
MODEL = ["kernel", "lengthscales", "observations", "samples", "signal_sd", "noise_sd", "mean", "log_likelihood", "warp", "nugget", "fit", "scale", "outliers", "inflation", "linear",
         "noise_varies", "noise_low", "noise_high", "duplicate_of"]


def commands(folder):
    """Every command, the hidden one too, with its options: {name: {option: takes a value}}."""
    names = re.findall(r"^  (\w+)", folder.ckg("--help", expect=0).out, re.M) + ["manual"]
    pages = {name: folder.ckg(name, "--help", expect=0).out for name in names}
    return {name: {o: bool(value) for o, value in re.findall(r"^  (?:-\w,|   ) --([\w-]+)( [A-Z])?", page, re.M)} for name, page in pages.items()}


def small_study(folder, budget=8):
    """Six trials by ask and tell: complete, failed, partly measured, pending."""
    folder.write("s.yaml", problem("s", [], budget=budget))
    folder.ckg("ask", "s.yaml", "-n", 6, expect=0)
    for trial, values in ((1, ["f=1", "c=-1"]), (2, ["f=2", "c=[1, 0.5]"]), (3, ["f=0.5"]), (4, ["f=3", "c=-2"])):
        folder.ckg("tell", "s.yaml", trial, *values, expect=0)
    folder.ckg("tell", "s.yaml", 5, "--failed", "why not", expect=0)
    folder.write("at.csv", "x,y\n0.5,0.5\n0.25,0.75\n")


def read(folder, *words):
    return [json.loads(line) for line in folder.ckg(*words, "--json", expect=0).out.splitlines()]


def check_keys(what, found, wanted):
    check(list(found) == wanted, what, "has the keys", list(found), "instead of", wanted)


def test_wrong_lines():
    with Folder() as folder:
        small_study(folder)
        for name, options in commands(folder).items():
            def refused(*words, say):
                folder.ckg(name, *words, expect=2).one_line(f"ckg {name}: ", say, f"; see `ckg {name} --help`")
            refused("--nonsense", say="there is no option '--nonsense'")
            refused("-Z", say="there is no option '-Z'")
            refused("--quiet", "-q", say="--quiet is given twice")
            refused("--quiet=1", say="--quiet takes no value")
            for option in [o for o, value in options.items() if value]:
                refused(f"--{option}", say=f"--{option} needs a value")
            if "study" in options and name != "worker":
                refused(say="which study?")
                refused("--study", "s", say="--study needs --store")
            if "threads" in options:
                refused("s.yaml", "--threads", "257", say="--threads must be an integer from 0 to 256, not '257'")
            if name not in ("tell", "discard", "retry", "worker", "serve"):
                refused("s.yaml", "1", "2", "3", say="unexpected argument")


def test_store_as_study():
    """A store file is a study too, by itself where it holds one alone; whatever it is called, and wherever a problem file would do."""
    with Folder() as folder:
        small_study(folder)
        for words in (("trials",), ("status",), ("recommend",), ("model",), ("predict", "--at", "at.csv")):
            by_file, by_store = (folder.ckg(words[0], study, *words[1:], "--json", expect=0).out for study in ("s.yaml", "s.db"))
            check(by_file == by_store, words, by_file, by_store)
        folder.ckg("tell", "s.db", 6, "f=4", "c=0", expect=0)
        folder.ckg("ask", "s.db", expect=0)
        folder.ckg("report", "sqlite:s.db", "-o", "s.html", expect=0)
        check(folder.trials("s.yaml")[5]["values"] == {"f": 4, "c": 0}, folder.trials("s.yaml")[5])
        (folder / "s.db").rename(folder / "kept")
        check(folder.status("kept")["evaluations"] == 6, folder.status("kept"))

        # Two of them need a name; what does not go together is said.
        folder.write("t.yaml", problem("t", []))
        folder.ckg("ask", "t.yaml", "--store", "kept", expect=0)
        folder.ckg("status", "kept", expect=2).one_line("which study?", "'s', 't'", "--study NAME")
        check(json.loads(folder.ckg("status", "kept", "--study", "t", "--json", expect=0).out)["study"] == "t", "another study")
        folder.ckg("status", "kept", "--study", "u", expect=2).one_line("there is no study 'u'; it has 's', 't'")
        folder.ckg("status", "t.yaml", "--study", "t", expect=2).one_line("ckg status: ", "t.yaml is a problem file")
        folder.ckg("status", "kept", "--store", "kept", expect=2).one_line("ckg status: ", "give one of them")
        folder.ckg("change", "kept", expect=2).one_line("which problem file?")
        folder.ckg("run", "kept", "--study", "t", expect=2).one_line("the study has no command to evaluate with")
        folder.ckg("status", "none.db", expect=2).one_line("none.db: No such file or directory")
        folder.write("broken.db", "nonsense " * 100)
        folder.ckg("status", "broken.db", expect=2).one_line("broken.db: file is not a database")


def test_did_you_mean():
    """A slip of the fingers is answered with what was probably meant; what resembles nothing is not."""
    with Folder() as folder:
        small_study(folder)
        folder.ckg("rcommend", "s.yaml", expect=2).one_line("there is no command 'rcommend' (did you mean recommend?)")
        folder.ckg("staus", expect=2).one_line("(did you mean status?)")
        check("did you mean" not in folder.ckg("manul", expect=2).err, "a hidden command is offered")
        check("did you mean" not in folder.ckg("xyzzy", expect=2).err, "nothing like it")
        for words, say in ((["run", "s.yaml", "--quite"], "'--quite' (did you mean --quiet?)"), (["trials", "s.yaml", "--jsn"], "(did you mean --json?)"),
                           (["plot", "s.yaml", "--ouput=x.svg"], "'--ouput=x.svg' (did you mean --output?)"),
                           (["plot", "s.yaml", "-o", "x.svg", "-k", "slcies"], "'slcies' (did you mean slices?)"),
                           (["plot", "s.yaml", "-o", "x.svg", "-k", "map", "-x", "xx"], "there is no parameter 'xx' (did you mean x?)"),
                           (["score", "s.yaml", "--at", "at.csv", "--policy", "ckgg"], "'ckgg' (did you mean ckg?); `ckg policies` lists them"),
                           (["problems", "mystry"], "(did you mean mystery?); `ckg problems` lists them"),
                           (["bench", "--out", "b", "--problem", "gardner-3"], "(did you mean gardner-1?)"),
                           (["manual", "recomend"], "(did you mean recommend?)")):
            folder.ckg(*words, expect=2).one_line(say)


def test_what_is_needed():
    with Folder() as folder:
        small_study(folder)
        for words, say in ((["predict", "s.yaml"], "--at FILE is missing"), (["score", "s.yaml"], "--at FILE is missing"),
                           (["plot", "s.yaml"], "--output FILE is missing"), (["report", "s.yaml"], "--output FILE is missing"),
                           (["bench", "--out", "b"], "--problem LIST is missing"), (["bench", "--problem", "mystery"], "--out FOLDER is missing"),
                           (["bench", "--plot", "b"], "--output FILE is missing"), (["tell", "s.yaml"], "which trial?"),
                           (["import", "s.yaml"], "which file?"), (["new"], "name?"), (["completion"], "bash, fish or zsh?"),
                           (["problems", "--evaluate"], "which problem?")):
            folder.ckg(*words, expect=2).one_line(say)


def test_a_refused_line_leaves_no_store():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", []))
        folder.ckg("ask", "s.yaml", "-n", 0, expect=2)
        folder.ckg("import", "s.yaml", expect=2)
        folder.ckg("run", "s.yaml", expect=2).one_line("evaluate")
        check(sorted(p.name for p in folder.path.iterdir()) == ["s.yaml"], list(folder.path.iterdir()))


def test_probability_is_what_the_library_takes():
    with Folder() as folder:
        small_study(folder)
        for value in ("0", "1", "-0.5", "1.5", "nan", "inf"):
            folder.ckg("recommend", "s.yaml", f"--probability={value}", expect=2).one_line("recommend: ", "probability")
        folder.ckg("recommend", "s.yaml", "-p", "often", expect=2).one_line("--probability must be a number, not 'often'")
        for value in ("1e-9", "0.5", "0.999999"):
            folder.ckg("recommend", "s.yaml", "-p", value, expect=0)


def test_lists_of_bench():
    with Folder() as folder:
        for words, say in ((["--problem", "mystery,mystery"], "--problem lists 'mystery' twice"), (["--problem", "none"], "there is no problem 'none'"),
                           (["--problem", "mystery", "--noise", "0,1,0.0"], "--noise lists '0.0' twice"),
                           (["--problem", "mystery", "--noise", "-1"], "not '-1'"), (["--problem", "mystery", "--noise", "0," * 65], "twice"),
                           (["--problem", "mystery", "--noise", ",".join(map(str, range(65)))], "more than 64"),
                           (["--problem", "mystery", "--policy", "ckg,cei,ckg"], "--policy lists 'ckg' twice"),
                           (["--problem", "mystery", "--policy", "none"], "`ckg policies` lists them")):
            folder.ckg("bench", "--out", "b", *words, expect=2).one_line(say)
        folder.ckg("bench", "--summary", "b", "--at", "5,x", expect=2).one_line("positive integers, not 'x'")


def test_shapes_of_a_study():
    with Folder() as folder:
        small_study(folder)
        status = read(folder, "status", "s.yaml")[0]
        check_keys("status", status, ["study", "store", "budget", "evaluations", "complete", "failed", "running", "pending", "discarded", "policy", "seed",
                                      "best_feasible", "outage", "paused_by_user", "expected_gain", "stopped", "workers", "leases", "suggestions_per_minute"])
        check_keys("best_feasible", status["best_feasible"], ["trial", "objective"])
        check(status["evaluations"] == 5 and status["pending"] == 1 and status["best_feasible"]["trial"] == 1, status)
        trials = read(folder, "trials", "s.yaml")
        for trial in trials + read(folder, "export", "s.yaml") + read(folder, "ask", "s.yaml"):
            check_keys("a trial", trial, TRIAL)
        check([t["feasible"] for t in trials] == [True, False, None, True, None, None], trials)
        check(trials[1]["values"] == {"f": 2, "c": [1, 0.5]} and trials[4]["why"] == "why not", trials)
        check_keys("one trial", read(folder, "trials", "s.yaml", 5)[0], TRIAL + ["starts", "worker", "log", "answer", "extra", "notes", "history"])
        check_keys("a told trial", read(folder, "tell", "s.yaml", 6, "f=1")[0], TRIAL)


def test_shapes_of_the_engine():
    with Folder() as folder:
        small_study(folder)
        for words in (["recommend", "s.yaml"], ["recommend", "s.yaml", "--evaluated"], ["recommend", "s.yaml", "-p", "0.9"]):
            r = read(folder, *words)[0]
            check_keys("recommend", r, ["parameters", "objective", "utility", "probability_feasible", "constraints", "evaluations", "best_evaluated",
                                   "trial", "most_violated"])
            check_keys("objective", r["objective"], ["mean", "sd"])
            check_keys("a constraint", r["constraints"]["c"], ["mean", "sd", "probability"])
            check_keys("best_evaluated", r["best_evaluated"], ["trial", "parameters", "objective", "constraints"])
            check(r["best_evaluated"]["trial"] == 1 and r["evaluations"] == 5, r)
        predictions = read(folder, "predict", "s.yaml", "--at", "at.csv")
        scores = read(folder, "score", "s.yaml", "--at", "at.csv", "--policy", "cei")
        check(len(predictions) == len(scores) == 2, predictions, scores)
        for p, s in zip(predictions, scores):
            check_keys("predict", p, ["parameters", "outcomes", "probability_feasible", "utility"])
            check(list(p["outcomes"]) == ["f", "c"], p)
            check_keys("an outcome", p["outcomes"]["c"], ["mean", "sd", "noise_sd"])
            check_keys("score", s, ["parameters", "policy", "value"])
            check(s["policy"] == "cei" and s["parameters"] == p["parameters"], s)
        model = read(folder, "model", "s.yaml")[0]
        check_keys("model", model, ["f", "c", "penalty"])
        for outcome in ("f", "c"):
            check_keys("a model", model[outcome], MODEL)
            check(len(model[outcome]["lengthscales"]) == 2, model)


def test_importance():
    """Total effects of a linear function in shape and size; what is not known is null."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", [], budget=40))
        rows = "".join(f"{i + 1},complete,user,{i * 0.618 % 1},{i * 0.414 % 1},{2 * (i * 0.618 % 1) + (i * 0.414 % 1)},\n" for i in range(20))
        folder.write("told.csv", "trial,state,origin,x,y,f,c\n" + rows)
        folder.ckg("import", "s.yaml", "told.csv", expect=0)
        found = read(folder, "importance", "s.yaml")[0]
        check_keys("importance", found, ["f", "c"])
        check_keys("an outcome", found["f"], ["x", "y"])
        check_keys("an effect", found["f"]["x"], ["total", "low", "high"])
        check(abs(found["f"]["x"]["total"] - 0.8) < 0.03 and abs(found["f"]["y"]["total"] - 0.2) < 0.03, found)
        check(found["c"]["x"] == {"total": None, "low": None, "high": None}, found)
        lines = folder.ckg("importance", "s.yaml", expect=0).out.splitlines()
        check(lines[0] == "f:" and re.match(r"  x  0\.(7|8)\d  \(0\.\d\d … 0\.\d\d\)  █+", lines[1]) and lines[-1] == "c: not measured yet", lines)


def test_failed_trials_count():
    """What is recommended and predicted says how likely the evaluation is to succeed: less where evaluations failed."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", [], budget=20))
        lines = ["trial,state,origin,x,y,f,c,why"]
        for i in range(16):
            x, y = (i % 4 + 0.5) / 4, (i // 4 + 0.5) / 4
            lines.append(f"{i + 1},failed,user,{x},{y},,,broke" if x > 0.5 else f"{i + 1},complete,user,{x},{y},{x + y},-1,")
        folder.write("told.csv", "\n".join(lines) + "\n")
        folder.ckg("import", "s.yaml", "told.csv", expect=0)
        folder.write("at.csv", "x,y\n0.2,0.5\n0.5,0.5\n0.9,0.5\n")
        good, edge, bad = [p["probability_feasible"] for p in read(folder, "predict", "s.yaml", "--at", "at.csv")]
        check(good > 0.85 and 0.1 < edge < 0.9 and bad < 0.15, good, edge, bad)
        r = read(folder, "recommend", "s.yaml")[0]
        check(r["parameters"]["x"] < 0.5 and 0.7 < r["probability_feasible"] <= 1, r)
        check(r["probability_feasible"] <= r["constraints"]["c"]["probability"], r)


def test_shapes_before_any_trial():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", []).replace("seed: 1\n", ""))
        status = read(folder, "status", "s.yaml")[0]
        check(status["seed"] is None and status["best_feasible"] is None, status)
        check(not read(folder, "trials", "s.yaml"))
        folder.ckg("recommend", "s.yaml", "--json", expect=1).one_line()


def test_shapes_of_what_is_built_in():
    with Folder() as folder:
        policies, problems = read(folder, "policies"), read(folder, "problems")
        for policy in policies:
            check_keys("a policy", policy, ["name", "title", "reference", "value", "parameters"])
            for parameter in policy["parameters"]:
                check_keys("a parameter", parameter, ["name", "default", "default_text", "low", "high", "integer", "help"])
            check(read(folder, "policies", policy["name"]) == [policy], policy)
        for p in problems:
            check_keys("a problem", p, ["name", "title", "reference", "goal", "dimension", "constraints", "parameters", "objective",
                                        "constraint_formulas", "optimum", "best", "feasible_share"])
            check(len(p["best"]) == len(p["parameters"]) == p["dimension"] and len(p["constraint_formulas"]) == p["constraints"], p)
            check(read(folder, "problems", p["name"]) == [p], p)


def test_values_are_completed():
    """What `ckg complete` offers for the last word of a line; candidates are the program's own lists, the study's names and its trials."""
    with Folder() as folder:
        small_study(folder)
        policies, problems = [p["name"] for p in read(folder, "policies")], [p["name"] for p in read(folder, "problems")]

        def offered(*words):
            return folder.ckg("complete", "--", *words, expect=0).out.splitlines()
        check("importance" in offered("") and "manual" not in offered("im") and "complete" not in offered(""), offered(""))
        check(offered("score", "s.yaml", "--policy", "") == policies and offered("policies", "c") == policies)
        check(offered("bench", "--policy", "ckg,c") == ["ckg," + p for p in policies], "lists go on behind the comma")
        check(offered("bench", "--problem", "") == problems and offered("problems", "") == problems)
        check({"map", "slices", "importance", "frontier"} < set(offered("plot", "s.yaml", "-k", "")), "kinds")
        check("--kind=map" in offered("plot", "s.yaml", "--kind=m"), "with the option's name")
        check(offered("plot", "s.yaml", "-x", "") == ["x", "y"] and offered("ask", "s.yaml", "--at", "") == ["x=", "y="], "parameters of the file")
        check(offered("tell", "s.yaml", "") == ["6"] and offered("tell", "s.yaml", "6", "") == ["f=", "c="], "what can be told")
        check(offered("trials", "s.yaml", "") == [str(t) for t in range(1, 7)], "trials")
        check("kernel=" in offered("model", "s.yaml", "-m", "") and "kernel=matern52" in offered("model", "s.yaml", "-m", "kernel="), "settings")
        check("--output" in offered("plot", "--ou") and not offered("run", "") and not offered("nothing", "") and not offered("plot", "none.yaml", "-x", ""))
        check(not offered("trials", "none.yaml", "") and offered("completion", "") == ["bash", "fish", "zsh"])


def test_bash_completes_values():
    with Folder() as folder:
        small_study(folder)
        folder.write("ckg.bash", folder.ckg("completion", "bash", expect=0).out)

        def typed(*words):
            script = f"source ./ckg.bash; COMP_WORDS=({shlex.join([PROGRAM, *words])}); COMP_CWORD={len(words)}; _ckg; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            return subprocess.run(["bash", "-c", script], cwd=folder.path, capture_output=True, text=True, timeout=600).stdout.split()
        check(typed("plot", "s.yaml", "-k", "sl") == ["slices"], typed("plot", "s.yaml", "-k", "sl"))
        check(typed("plot", "s.yaml", "-x", "") == ["x", "y"] and typed("run", "s.y") == ["s.yaml"] and sorted(typed("imp")) == ["import", "importance"])
        check(typed("run", "s.yaml", "--qu") == ["--quiet"], typed("run", "s.yaml", "--qu"))


def test_pages_name_every_option():
    with Folder() as folder:
        bash, zsh, fish = (folder.ckg("completion", shell, expect=0).out for shell in ("bash", "zsh", "fish"))
        overview = folder.ckg("manual", expect=0).out
        for name, options in commands(folder).items():
            page = folder.ckg("manual", name, expect=0).out.replace("\\", "")
            for option in options:
                check(f"fB--{option}fR" in page, name, option, "is not in its manual page")
            if name == "manual":
                continue
            check(f"ckg\\-{name}" in overview, name, "is not in the manual's overview")
            words = re.search(rf"^    {name}\) options='(.*)' ;;$", bash, re.M).group(1).split()
            check(words == ["--" + o for o in options], name, words, "in bash instead of", list(options))
            for option in options:
                check(re.search(rf"__fish_seen_subcommand_from {name}' -l {option} ", fish), name, option, "is not in fish's completion")
            check(re.search(rf"^    {name}\)$", zsh, re.M) and f"'{name}:" in zsh, name, "is not in zsh's completion")


if __name__ == "__main__":
    main(globals())
