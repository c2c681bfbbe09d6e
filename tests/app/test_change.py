"""Changed minds: what a problem file changed is said, taken over in place, kept in the history, undone; what makes no sense is refused in one line."""
import json
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PROGRAM, Folder, check, environment, main, problem, wait_for  # noqa: E402
from test_history import LAB, asked_next, killed_anywhere, laboratory, one  # noqa: E402

COMMANDS = (("status",), ("trials",), ("recommend",), ("ask",), ("tell", 1, "yield=1"), ("export",), ("discard", 1), ("retry", 1))


def changed(*pairs):
    text = LAB
    for old, new in pairs:
        check(old in text, old)
        text = text.replace(old, new)
    return text


def take_over(folder, *pairs):
    """What `ckg change` says of the file changed so, and does."""
    folder.write("lab.yaml", changed(*pairs))
    return json.loads(folder.ckg("change", "lab.yaml", "--yes", "--json", expect=0).out)


LIMIT = ("purity: {min: 95,", "purity: {min: 96.5,")
NARROW = ("high: 90", "high: 60")
WIDE = ("high: 90", "high: 120")
RENAME = ("{name: yield,", "{name: output,")
NOISE = ("{name: yield, noise: none}", "{name: yield, noise: 0.5}")
NEW_CONSTRAINT = ("  purity:", "  cost: {max: 10}\n  purity:")
GONE = ("  purity: {min: 95, noise: none}\n", "  cost: {max: 10}\n")
NEW_PARAMETER = ("objective:", "  stirring: {type: real, low: 1, high: 9, was: 3}\nobjective:")
NEW_CATEGORY = ("[water, ethanol]", "[ethanol, water, acetone]")
GOAL = ("goal: maximize", "goal: minimize")


def test_a_changed_file_is_said_in_one_line():
    with Folder() as folder:
        laboratory(folder, 3)
        before = folder.trials("lab.yaml")
        folder.write("lab.yaml", changed(LIMIT))
        for command in COMMANDS:
            folder.ckg(command[0], "lab.yaml", *command[1:], expect=2).one_line(
                "lab.yaml changed: limit of purity from 95 to 96.5; `ckg change lab.yaml` takes it over")
        folder.ckg("change", "lab.yaml", expect=1).one_line("--yes")
        folder.ckg("status", "lab.yaml", expect=2)
        folder.write("lab.yaml", LAB)
        check(folder.trials("lab.yaml") == before)
        check("nothing has changed" in folder.ckg("change", "lab.yaml", expect=0).out)


def test_it_asks_on_a_terminal():
    with Folder() as folder:
        laboratory(folder, 2)
        folder.write("lab.yaml", changed(LIMIT))
        for answer, status in (("n\n", 1), ("y\n", 0)):
            ours, theirs = pty.openpty()
            process = subprocess.Popen([PROGRAM, "change", "lab.yaml"], cwd=folder.path, stdin=theirs, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=environment(folder.mark))
            os.write(ours, answer.encode())
            out, err = process.communicate()
            os.close(ours)
            os.close(theirs)
            check(process.returncode == status, answer, out, err)
            check(b"limit of purity from 95 to 96.5" in out and b"take it over? [y/N]" in out, out)
        folder.ckg("status", "lab.yaml", expect=0)


def test_a_limit():
    with Folder() as folder:
        laboratory(folder)
        before = folder.trials("lab.yaml")
        said = take_over(folder, LIMIT)
        after = folder.trials("lab.yaml")
        check(said["changes"] == ["limit of purity from 95 to 96.5"], said)
        check([t["values"] for t in after] == [t["values"] for t in before])
        for t in after[:8]:
            check(t["feasible"] == (t["values"]["purity"] >= 96.5), t)
        check(said["feasible_before"] == sum(t["feasible"] is True for t in before), said)
        check(said["feasible_after"] == sum(t["feasible"] is True for t in after) < said["feasible_before"], said)


def test_the_study_is_then_that_of_the_new_file():
    """What is asked next is what a study of the new file asks that was told the same trials."""
    for pairs in ((LIMIT,), (NOISE,), (WIDE,), (GOAL,), (LIMIT, NOISE, WIDE)):
        with Folder() as folder, Folder() as fresh:
            laboratory(folder, 6)
            folder.ckg("tell", "lab.yaml", 7, "yield=30", "purity=97", expect=0)
            take_over(folder, *pairs)
            fresh.write("lab.yaml", changed(*pairs))
            (fresh / "all.csv").write_text(folder.ckg("export", "lab.yaml", expect=0).out)
            fresh.ckg("import", "lab.yaml", "all.csv", expect=0)
            check(asked_next(folder) == asked_next(fresh), pairs)


def test_ranges():
    """Trials outside a narrower range are set aside, and taken in again by a wider one."""
    with Folder() as folder:
        laboratory(folder)
        before = folder.trials("lab.yaml")
        outside = [t["trial"] for t in before if t["parameters"]["temperature"] > 60]
        check(0 < len(outside) < 8, outside)
        said = take_over(folder, NARROW)
        check(said["changes"] == ["range of temperature from 20 … 90 to 20 … 60"] and said["set_aside"] == outside, said)
        after = folder.trials("lab.yaml")
        check([t["trial"] for t in after if t["state"] == "discarded"] == outside)
        check([t["parameters"] for t in after] == [t["parameters"] for t in before])
        check("outside the ranges" in one(folder, outside[0])["notes"])
        asked = json.loads(folder.ckg("ask", "lab.yaml", "--json", expect=0).out)
        check(asked["parameters"]["temperature"] <= 60, asked)
        folder.ckg("recommend", "lab.yaml", expect=0)
        folder.ckg("discard", "lab.yaml", outside[0], "--restore", expect=1).one_line("temperature")
        folder.ckg("retry", "lab.yaml", outside[0], expect=1).one_line("temperature")
        said = take_over(folder, WIDE)
        check(said["taken_in"] == outside, said)
        check(folder.trials("lab.yaml")[:9] == before)


def test_names_and_constraints():
    with Folder() as folder:
        laboratory(folder, 5)
        before = folder.trials("lab.yaml")
        take_over(folder, RENAME)
        renamed = folder.trials("lab.yaml")
        check([t["values"] for t in renamed[:5]] == [{"output": t["values"]["yield"], "purity": t["values"]["purity"]} for t in before[:5]])
        said = take_over(folder, NEW_CONSTRAINT)
        check("new constraint cost" in said["changes"] and said["feasible_after"] == 0, said)
        check([t["values"] for t in folder.trials("lab.yaml")] == [t["values"] for t in before])
        check(json.loads(folder.ckg("recommend", "lab.yaml", "--json", expect=0).out)["probability_feasible"] is None)
        folder.ckg("tell", "lab.yaml", 1, "cost=7", expect=0)

        # What is no constraint any more stays beside the trials, and comes back with it.
        said = take_over(folder, GONE)
        check(any("purity is gone" in line for line in said["changes"]), said)
        trial = one(folder, 1)
        check(trial["values"] == {"yield": before[0]["values"]["yield"], "cost": 7}, trial)
        check(trial["extra"] == {"purity": before[0]["values"]["purity"]}, trial)
        take_over(folder, NEW_CONSTRAINT)
        check([t["values"]["purity"] for t in folder.trials("lab.yaml")[:5]] == [t["values"]["purity"] for t in before[:5]])
        check(one(folder, 1)["extra"] == {})


def test_parameters():
    with Folder() as folder:
        laboratory(folder, 5)
        before = folder.trials("lab.yaml")
        folder.write("lab.yaml", changed((NEW_PARAMETER[0], NEW_PARAMETER[1].replace(", was: 3", ""))))
        folder.ckg("change", "lab.yaml", "--yes", expect=2).one_line("stirring", "was: VALUE")
        said = take_over(folder, NEW_PARAMETER)
        check(said["changes"] == ["new parameter stirring, which was 3 so far"], said)
        check([t["parameters"] for t in folder.trials("lab.yaml")] == [{**t["parameters"], "stirring": 3} for t in before])
        folder.ckg("ask", "lab.yaml", expect=0)
        folder.ckg("undo", "lab.yaml", expect=1).one_line("trial 7 belongs to the changed problem")
    with Folder() as folder:
        laboratory(folder, 5)
        take_over(folder, NEW_CATEGORY)
        check([t["parameters"] for t in folder.trials("lab.yaml")] == [t["parameters"] for t in before])
        folder.write("lab.yaml", LAB.replace("[water, ethanol]", "[water, acetone]"))
        folder.ckg("change", "lab.yaml", "--yes", expect=2).one_line("would lose its meaning", "'ethanol' is not one of its values")
    with Folder() as folder:
        fixed = LAB.replace("  hours: {type: integer, low: 1, high: 12}", "  hours: {value: 4}")
        folder.write("lab.yaml", fixed)
        folder.ckg("ask", "lab.yaml", "-n", 2, expect=0)
        folder.write("lab.yaml", LAB)
        folder.ckg("status", "lab.yaml", expect=2).one_line("hours varies now; it was fixed at 4", "ckg change")
        folder.ckg("change", "lab.yaml", "--yes", expect=0)
        check([t["parameters"]["hours"] for t in folder.trials("lab.yaml")] == [4, 4])
        folder.write("lab.yaml", fixed)
        folder.ckg("change", "lab.yaml", "--yes", expect=0)
        folder.write("lab.yaml", fixed.replace("value: 4", "value: 5"))
        folder.ckg("status", "lab.yaml", expect=2).one_line("fixed at 4", "fixed at 5", "needs a new study", "ckg import")
        folder.ckg("change", "lab.yaml", "--yes", expect=2).one_line("needs a new study", "ckg import")


def test_what_makes_no_sense_is_refused():
    for pairs, words in (((("  hours: {type: integer, low: 1, high: 12}\n", ""),), ("'hours' is gone", "value")),
                         ((("{type: categorical, values: [water, ethanol]}", "{type: real, low: 0, high: 1}"),), ("was categorical",)),
                         ((("temperature: {type: real,", "temperature: {type: integer,"),), ("trial 1 would lose its meaning", "integer"))):
        with Folder() as folder:
            laboratory(folder, 2)
            before = folder.trials("lab.yaml")
            folder.write("lab.yaml", changed(*pairs))
            folder.ckg("change", "lab.yaml", "--yes", expect=2).one_line(*words)
            folder.write("lab.yaml", LAB)
            check(folder.trials("lab.yaml") == before)
    with Folder() as folder:
        folder.write("lab.yaml", LAB)
        folder.ckg("change", "lab.yaml", "--yes", expect=1).one_line("has not begun")


def test_undo_of_a_change_is_the_study_of_before():
    for pairs in ((LIMIT,), (NARROW, RENAME), (NEW_CONSTRAINT,), (NEW_PARAMETER, NOISE), (GONE,), (NEW_CATEGORY,)):
        with Folder() as folder:
            laboratory(folder)
            asked, trials = asked_next(folder), folder.trials("lab.yaml")
            take_over(folder, *pairs)
            out = folder.ckg("undo", "lab.yaml", expect=0).out
            check("still has the change" in out, out)
            folder.ckg("status", "lab.yaml", expect=2).one_line("ckg change")
            folder.write("lab.yaml", LAB)
            check(folder.trials("lab.yaml") == trials, pairs)
            check(asked_next(folder) == asked, pairs)


def test_killed_while_changing_and_undoing_that():
    new = changed(NARROW, RENAME, NEW_PARAMETER)
    killed_anywhere(("change", "--yes"), yaml=new)
    killed_anywhere(("undo",), prepare=[("change", "--yes")], early=new)


def test_rules():
    with Folder() as folder:
        laboratory(folder)
        before = folder.trials("lab.yaml")
        said = take_over(folder, ("objective:", 'rules: ["temperature <= 60"]\nobjective:'))
        check(said["changes"] == ["new rule temperature <= 60"] and not said["set_aside"], said)
        after = folder.trials("lab.yaml")
        check([t["values"] for t in after] == [t["values"] for t in before])
        check(all(t["feasible"] is False for t in after[:8] if t["parameters"]["temperature"] > 60))
        check(json.loads(folder.ckg("ask", "lab.yaml", "--json", expect=0).out)["parameters"]["temperature"] <= 60)


def test_the_list_of_designs():
    """Trials of designs that are no longer in the list stay what they are."""
    text = """name: pick
goal: minimize
budget: 9
seed: 1
choose_from: list.csv
objective: {name: f, noise: none}
"""
    with Folder() as folder:
        folder.write("pick.yaml", text)
        folder.write("list.csv", "x,y\n1,2\n3,4\n5,6\n")
        first = json.loads(folder.ckg("ask", "pick.yaml", "--json", expect=0).out)["parameters"]
        folder.ckg("tell", "pick.yaml", 1, "f=3", expect=0)
        rows = [(x, y) for x, y in ((1, 2), (3, 4), (5, 6)) if x != first["x"]]
        folder.write("list.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in rows) + "0,9\n7,1\n")
        folder.ckg("status", "pick.yaml", expect=2).one_line("the list of designs to choose from (4, and 3 before)", "ckg change")
        folder.ckg("change", "pick.yaml", "--yes", expect=0)
        check(folder.trials("pick.yaml")[0]["parameters"] == first)
        asked = [json.loads(line)["parameters"] for line in folder.ckg("ask", "pick.yaml", "-n", 4, "--json", expect=0).out.splitlines()]
        check(sorted((p["x"], p["y"]) for p in asked) == sorted([*rows, (0, 9), (7, 1)]), asked)


def test_what_if_a_limit_were_another():
    """The recommendation of the study with that limit, and nothing changes."""
    with Folder() as folder:
        laboratory(folder)
        before = folder.trials("lab.yaml")
        plain = folder.ckg("recommend", "lab.yaml", "--json", expect=0).out
        what_if = folder.ckg("recommend", "lab.yaml", "--limit", "purity=96.5", "--json", expect=0).out
        check(what_if != plain)
        check(folder.ckg("recommend", "lab.yaml", "--limit", "purity.min=96.5", "--json", expect=0).out == what_if)
        check(folder.ckg("recommend", "lab.yaml", "--limit", "purity=96.5", expect=0).out.startswith("what if purity=96.5 (the study stays as it is):"))
        check(folder.trials("lab.yaml") == before and folder.ckg("recommend", "lab.yaml", "--json", expect=0).out == plain)
        for words, said in ((("purity=high",), "must be a number"), (("purty=96",), "'purty=96' is not NAME=VALUE"), (("purity.max=9",), "min 95 must be below max 9")):
            folder.ckg("recommend", "lab.yaml", "--limit", *words, expect=2).one_line(said)
        folder.write("lab.yaml", changed(("{min: 95,", "{min: 95, max: 99,")))
        folder.ckg("change", "lab.yaml", "--yes", expect=0)
        folder.ckg("recommend", "lab.yaml", "--limit", "purity=96.5", expect=2).one_line("two limits", "purity.min=VALUE")
        folder.ckg("undo", "lab.yaml", expect=0)
        take_over(folder, LIMIT)
        check(folder.ckg("recommend", "lab.yaml", "--json", expect=0).out == what_if)


def test_not_while_a_run_evaluates():
    with Folder() as folder:
        command = ["sh", "-c", """until test -e go; do sleep 0.02; done; echo '{"f": 1, "c": -1}'"""]
        folder.write("s.yaml", problem("s", command, budget=2))
        run = folder.start("run", "s.yaml")
        wait_for(lambda: folder.trials("s.yaml"))
        folder.write("s.yaml", problem("s", command, budget=2).replace("max: 0", "max: 1"))
        folder.ckg("change", "s.yaml", "--yes", expect=1).one_line("trial 1 is being evaluated")
        folder.write("go", "")
        run.communicate()
        check(run.returncode == 0)
        folder.ckg("change", "s.yaml", "--yes", expect=0)


if __name__ == "__main__":
    main({n: t for n, t in globals().items() if getattr(t, "__module__", None) == "__main__"})
