#!/usr/bin/env python3
"""test_unmeasured.py CKG [TEST …]: not measured is not known.

Before an outcome's first value the program says so: in words, and as null in JSON. No probability is stated for it, nor for all constraints. The
first answer without a value of some outcome is pointed out, once for each outcome, and is no error. Suggestions and recommendations go on.
"""
import json

from harness import Folder, check, main, problem

ANSWER = 'printf \'{"f": %s, "c": %s}\\n\' {x} {y}'


def two_constraints(command=(), budget=12, more=""):
    return problem("s", command, budget=budget, policy="cei", more="initial: 4\n" + more).replace(
        "  c: {max: 0, noise: none}\n", "  c: {max: 0.9, noise: none}\n  e: {min: 0}\n")


def told(folder, trials, **values):
    """Asks and tells so many trials with these values; what is said on standard error."""
    said = []
    for _ in range(trials):
        trial = json.loads(folder.ckg("ask", "s.yaml", "--json", expect=0).out)
        words = [f"{name}={value + trial['parameters']['x']}" for name, value in values.items()]
        said += folder.ckg("tell", "s.yaml", trial["trial"], *words, expect=0).err.splitlines()
    return said


def read(folder, *words):
    return [json.loads(line) for line in folder.ckg(*words, "--json", expect=0).out.splitlines()]


def test_run_goes_on_and_says_it_once():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints(["sh", "-c", ANSWER], budget=7))
        ran = folder.ckg("run", "s.yaml", expect=0)
        ran.one_line("trial 1 has no value of 'e'", "not measured")
        check("whether it is feasible is not known: 'e' has not been measured yet" in ran.out, ran.out)
        check("met with probability" in ran.out and "feasible with probability" not in ran.out, ran.out)
        folder.write("s.yaml", two_constraints(["sh", "-c", ANSWER], budget=9))
        again = folder.ckg("run", "s.yaml", "--json", expect=0)
        check(again.err == "", "said again:", again.err)
        check(json.loads(again.out.splitlines()[-1])["probability_feasible"] is None, again.out)


def test_quiet_says_nothing():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints(["sh", "-c", ANSWER], budget=3))
        check(folder.ckg("run", "s.yaml", "--quiet", expect=0).err == "")


def test_tell_says_it_once_for_each_outcome():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        check(told(folder, 1, f=1, c=0, e=1) == [])
        said = told(folder, 3, f=1, c=0)
        check(len(said) == 1 and "trial 2 has no value of 'e'" in said[0], said)
        said = told(folder, 2, e=1)
        check(len(said) == 1 and "trial 5 has no value of 'f', 'c'" in said[0], said)
        check(told(folder, 1, f=1) == [])


def test_null_in_every_shape():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        folder.write("at.csv", "x,y\n0.5,0.5\n")
        told(folder, 6, f=1, c=0)
        r = read(folder, "recommend", "s.yaml")[0]
        check(r["constraints"]["e"] == {"mean": None, "sd": None, "probability": None}, r)
        check(r["probability_feasible"] is None and r["utility"] is None and r["best_evaluated"] is None, r)
        check(r["objective"]["mean"] is not None and r["constraints"]["c"]["probability"] is not None, r)
        p = read(folder, "predict", "s.yaml", "--at", "at.csv")[0]
        check(p["outcomes"]["e"] == {"mean": None, "sd": None, "noise_sd": None} and p["probability_feasible"] is None and p["utility"] is None, p)
        check(p["outcomes"]["f"]["mean"] is not None and p["outcomes"]["c"]["sd"] is not None, p)
        m = read(folder, "model", "s.yaml")[0]
        check(m["e"]["observations"] == 0 and m["e"]["lengthscales"] == [None, None], m)
        check(all(m["e"][key] is None for key in ("signal_sd", "noise_sd", "mean", "log_likelihood")), m)
        check(m["c"]["mean"] is not None and m["penalty"] is not None, m)
        for trial in read(folder, "trials", "s.yaml") + read(folder, "export", "s.yaml"):
            check(trial["feasible"] is (None if trial["values"]["c"] <= 0.9 else False), trial)


def test_words():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        folder.write("at.csv", "x,y\n0.5,0.5\n")
        told(folder, 6, f=1, c=0)
        for words in (["ask", "s.yaml"], ["recommend", "s.yaml"], ["status", "s.yaml"]):
            check("'e' has not been measured yet" in folder.ckg(*words, expect=0).out, words)
        check("e not measured yet, whether it is feasible is not known" in folder.ckg("predict", "s.yaml", "--at", "at.csv", expect=0).out)
        check("e: not measured yet" in folder.ckg("model", "s.yaml", expect=0).out)
        check("is known to be feasible" in folder.ckg("recommend", "s.yaml", expect=0).out)


def test_a_probability_cannot_be_asked_for():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        told(folder, 6, f=1, c=0)
        for more in ([], ["--evaluated"], ["--json"]):
            refused = folder.ckg("recommend", "s.yaml", "-p", 0.9, *more, expect=1)
            refused.one_line("'e' has not been measured yet")
            check(refused.out == "", refused.out)
        told(folder, 1, e=1)
        folder.ckg("recommend", "s.yaml", "-p", 0.9, expect=0)


def test_the_first_values_make_it_known():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        told(folder, 5, f=1, c=0)
        told(folder, 1, e=1)
        r = read(folder, "recommend", "s.yaml")[0]
        check(r["constraints"]["e"]["mean"] is not None and r["constraints"]["e"]["probability"] is None, r)
        check("whether it is feasible is not known: there are too few values to say" in folder.ckg("recommend", "s.yaml", expect=0).out)
        told(folder, 2, e=1)
        r = read(folder, "recommend", "s.yaml")[0]
        check(0 <= r["probability_feasible"] <= 1 and r["utility"] is not None and r["constraints"]["e"]["sd"] > 0, r)
        check("not been measured" not in folder.ckg("status", "s.yaml", expect=0).out)
        check("feasible with probability" in folder.ckg("ask", "s.yaml", expect=0).out)


def test_before_the_first_value():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        folder.write("at.csv", "x,y\n0.5,0.5\n")
        folder.ckg("ask", "s.yaml", "-n", 2, expect=0)
        folder.ckg("tell", "s.yaml", 1, "--failed", "why not", expect=0)
        for words in (["recommend", "s.yaml"], ["recommend", "s.yaml", "-p", "0.5"], ["recommend", "s.yaml", "--json"]):
            folder.ckg(*words, expect=1).one_line("the objective 'f' has not been measured yet")
        p = read(folder, "predict", "s.yaml", "--at", "at.csv")[0]
        check(p["probability_feasible"] is None and all(o == {"mean": None, "sd": None, "noise_sd": None} for o in p["outcomes"].values()), p)
        m = read(folder, "model", "s.yaml")[0]
        check(m["penalty"] is None and all(m[o]["mean"] is None for o in ("f", "c", "e")), m)


def test_objective_never_measured():
    with Folder() as folder:
        folder.write("s.yaml", two_constraints())
        told(folder, 6, c=0, e=1)
        folder.ckg("recommend", "s.yaml", expect=1).one_line("nothing to recommend: the objective 'f' has not been measured yet")
        check("'f' has not been measured yet" in folder.ckg("status", "s.yaml", expect=0).out)


if __name__ == "__main__":
    main(globals())
