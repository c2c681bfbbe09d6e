#!/usr/bin/env python3
"""test_slips.py CKG [TEST …]: slips are said before anything runs, and spend nothing.

What cannot work is refused with its line and column, exit status 2 and no store: a program, an interpreter or a script that is not there, an unedited
template, {radios} for {radius}. What works but is probably not meant is one line on standard error, and the run goes on.
"""
import os

from harness import Folder, check, main, problem

GOOD = 'echo \'{"f": 1, "c": -1}\'\n'


def refused(folder, *words):
    """`ckg run` refuses the study with one line that has these words; no store is made."""
    folder.ckg("run", "s.yaml", expect=2).one_line(*words)
    check(not (folder / "s.db").exists(), "a store was made")


def goes_on(folder, budget):
    """The same command works once the slip is mended."""
    folder.ckg("run", "s.yaml", "--quiet", expect=0)
    check([t["state"] for t in folder.trials("s.yaml")] == ["complete"] * budget, folder.trials("s.yaml"))


def test_a_program_that_is_not_there():
    for command, words in ((["no-such-program-anywhere"], ["s.yaml:13:13: ", "'no-such-program-anywhere' is not installed"]),
                           (["./look.sh", "1"], ["s.yaml:13:13: ", "'./look.sh' does not exist"]),
                           (["bin/look.sh"], ["s.yaml:13:13: ", "'bin/look.sh' does not exist"]),
                           (["sh look.sh 1"], ["s.yaml:13:13: ", "[sh, look.sh, 1]"])):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", command, budget=2))
            for _ in range(2):
                refused(folder, *words)


def test_a_program_that_cannot_be_executed():
    with Folder() as folder:
        folder.write("look", "#!/bin/sh\n" + GOOD)
        folder.write("s.yaml", problem("s", ["./look"], budget=2))
        refused(folder, "s.yaml:13:13: ", "'./look' may not be executed", "chmod +x")
        (folder / "look").chmod(0o755)
        goes_on(folder, 2)


def test_an_interpreter_that_is_not_there():
    for first, words in (("#!/no/such/interpreter", ["'/no/such/interpreter', which does not exist"]),
                         ("#!/usr/bin/env no-such-python", ["'no-such-python', which does not exist"]),
                         ("#!/bin/sh\r", ["carriage return"])):
        with Folder() as folder:
            folder.write("look", first + "\n" + GOOD, mode=0o755)
            folder.write("s.yaml", problem("s", ["./look"], budget=2))
            refused(folder, "s.yaml:13:13: ", *words)
            folder.write("look", "#!/usr/bin/env sh\n" + GOOD, mode=0o755)
            goes_on(folder, 2)


def test_a_script_that_is_not_there():
    for command, where in ((["sh", "look.sh"], 19), (["/bin/sh", "look.sh"], 24), (["sh", "-u", "look.sh", "x.sh"], 25)):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", command, budget=2))
            refused(folder, f"s.yaml:13:{where}: ", "the script 'look.sh' does not exist")
            folder.write("look.sh", GOOD)
            goes_on(folder, 2)


def test_what_is_no_script_is_not_looked_for():
    for command in (["sh", "-c", GOOD, "no-such-file.sh"], ["sh", "-o", "errexit", "look.sh"], ["sh", "look.sh", "no-such-file.sh"]):
        with Folder() as folder:
            folder.write("look.sh", GOOD)
            folder.write("s.yaml", problem("s", command, budget=2))
            goes_on(folder, 2)


def test_an_unedited_template():
    with Folder() as folder:
        folder.ckg("new", "s", expect=0)
        refused(folder, "s.yaml:", "the script 'evaluate.py' does not exist")
        folder.write("evaluate.py", 'print(\'{"cost": 1, "stress": 2}\')\n')
        folder.write("s.yaml", (folder / "s.yaml").read_text().replace("budget: 30 ", "budget: 2 ").replace("# policy: auto ", "policy: sobol "))
        goes_on(folder, 2)


def test_a_command_that_a_shell_does_not_find():
    """Before the first success that spends nothing: the trials wait for the mended one. Later on it is a failure like others."""
    for script, word in (("exec no-such-solver", "no-such-solver"), ("./plain", "Permission denied"), ("no-such-solver", "no-such-solver")):
        with Folder() as folder:
            folder.write("plain", "")
            folder.write("look.sh", script + "\n")
            folder.write("s.yaml", problem("s", ["sh", "look.sh"], budget=4, evaluate="  parallel: 3\n"))
            for _ in range(2):
                said = folder.ckg("run", "s.yaml", expect=1).err
                check("the evaluation cannot be started: exit status 12" in said and word in said, said)
                check({t["state"] for t in folder.trials("s.yaml")} == {"pending"}, folder.trials("s.yaml"))
            folder.write("look.sh", GOOD)
            goes_on(folder, 4)
    with Folder() as folder:
        folder.write("look.sh", f"test $CKG_TRIAL != 2 || exec no-such-solver\n{GOOD}")
        folder.write("s.yaml", problem("s", ["sh", "look.sh"], budget=3))
        folder.ckg("run", "s.yaml", expect=0)
        check([t["state"] for t in folder.trials("s.yaml")] == ["complete", "failed", "complete"], folder.trials("s.yaml"))


def test_nothing_is_asked_of_a_program_that_depends_on_the_design():
    with Folder() as folder:
        text = problem("s", ["./{x}", "{x}.sh"], budget=2).replace("x: {type: real, low: 0, high: 1}", "x: {type: categorical, values: [one, two]}")
        for name in ("one", "two"):
            folder.write(name, "#!/bin/sh\n" + GOOD, mode=0o755)
        folder.write("s.yaml", text)
        goes_on(folder, 2)


def test_braces():
    """{x} is the value, {{x}} the text; a near miss is refused, what no parameter resembles stays as it is."""
    with Folder() as folder:
        folder.write("look.sh", 'echo "$*" >>told\n' + GOOD)
        text = problem("s", ["sh", "look.sh", "--r={radios}"], budget=1).replace("  x: ", "  radius: ")
        folder.write("s.yaml", text)
        refused(folder, "s.yaml:13:30: ", "there is no parameter 'radios'; did you mean {radius}?", "{{radios}}")
        words = ["{radius}", "{{radius}}", "{{radios}}", "${radios}", "{print}", "{{.ID}}", "a{", "}", "{}", "{{}}", "{ radius }"]
        folder.write("s.yaml", text.replace('"--r={radios}"', ", ".join(f'"{w}"' for w in words)))
        said = folder.ckg("run", "s.yaml", expect=0).err
        check(said == "s.yaml:13:83: there is no parameter 'print', so {print} stays as it is; {{print}} says that this is meant\n", said)
        told = (folder / "told").read_text().rstrip("\n")
        x = str(folder.trials("s.yaml")[0]["parameters"]["radius"])
        check(told == f"{x} {{radius}} {{radios}} ${{radios}} {{print}} {{{{.ID}}}} a{{ }} {{}} {{{{}}}} {{ radius }}", told)


def warned(folder, text, *words):
    folder.write("s.yaml", text)
    folder.ckg("run", "s.yaml", expect=0).one_line(*words)
    (folder / "s.db").unlink()
    check(folder.ckg("run", "s.yaml", "--quiet", expect=0).err == "", "quiet, and yet it speaks")
    (folder / "s.db").unlink()


def test_warnings():
    with Folder() as folder:
        folder.write("look.sh", GOOD)
        command = ["sh", "look.sh"]
        warned(folder, problem("s", command, budget=2, more="initial: 20\n"), "s.yaml:6:10: ", "`initial` is 20 and the `budget` only 2")
        warned(folder, problem("s", command, budget=2, evaluate="  parallel: 3\n"), "s.yaml:14:13: ", "`parallel` is 3 and the `budget` only 2")
        warned(folder, problem("s", command, budget=2, evaluate="  timeout: 3.6e7\n"), "s.yaml:14:12: ", "`timeout` is in seconds")
        warned(folder, problem("s", command, budget=2, policy="{name: cei, awaited: 64}"), "s.yaml:", "the setting 'awaited' was removed and is ignored")
        folder.write("s.yaml", problem("s", command, budget=2, more="initial: 2\n", evaluate="  parallel: 2\n  timeout: 600\n"))
        check(folder.ckg("run", "s.yaml", expect=0).err == "", "a warning for nothing")


def test_a_time_limit_too_short_for_anything():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["sleep", "1000000"], budget=2, evaluate="  timeout: 0.001\n"))
        said = folder.ckg("run", "s.yaml", expect=1).err.splitlines()
        check(said[0] == "s.yaml:14:12: `timeout` is in seconds: 0.001 s is too short to start a program", said)


def test_the_store_s_own_definition_is_not_complained_of():
    """By its name a study has no file: what was said of the file is not said again."""
    with Folder() as folder:
        folder.write("look.sh", GOOD)
        folder.write("s.yaml", problem("s", ["sh", "look.sh"], budget=2, more="initial: 20\n"))
        folder.ckg("run", "s.yaml", "--quiet", expect=0)
        check(folder.ckg("run", "--store", "s.db", "--study", "s", expect=0).err == "", "said again")
        os.remove(folder / "look.sh")
        folder.ckg("run", "--store", "s.db", "--study", "s", expect=2).one_line("the study's command: ", "'look.sh' does not exist")


if __name__ == "__main__":
    main(globals())
