"""Stores that older versions wrote: opened, brought up to date all at once or not at all, and gone on with."""
import json
import os
import pathlib
import socket
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, Terminal, check, main  # noqa: E402

STORES = pathlib.Path(__file__).parent / "stores"

# The study of stores/version-1.sql, which that version's program wrote: eight trials by `ckg run`, two by `ckg ask`, one of them told.
OLD = """name: old
goal: minimize
budget: 12
initial: 6
policy: cei
seed: 3
parameters:
  x: {type: real, low: 0, high: 1}
  coils: {type: integer, low: 2, high: 9}
  alloy: {type: categorical, values: [steel, brass]}
objective: {name: f, noise: none}
constraints:
  c: {max: 0, noise: none}
evaluate:
  command: [python3, old.py]
"""

# What that version's `ckg export` printed of it.
EXPORTED = """trial,state,origin,seconds,why,chosen_by,reason,x,coils,alloy,f,c,f.sd
1,complete,design,0.17087916699892958,,,,0.33393365918891504,5,brass,1.5043647613881665,-0.033933659188915055,
2,complete,design,0.1686968709982466,,,,0.8051929638992684,7,brass,1.864181337993474,-0.5051929638992685,
3,complete,design,0.09736517499914044,,,,0.8366622867179103,4,steel,0.5906739526417145,-0.5366622867179103,
4,failed,design,0.09802537799987476,exit status 1: no licence,,,0.013279111648444086,2,steel,,,
5,complete,design,0.09530302399798529,,,,0.28509343417438987,9,brass,1.9132035188698353,0.014906565825610119,
6,complete,design,0.09710383100173203,,,,0.5728561307187192,8,steel,0.829879241927047,-0.2728561307187192,
7,complete,policy,0.19515200299792923,,,,0.5591836765328552,2,steel,0.22533944287451668,-0.2591836765328552,
8,complete,policy,0.21565693500087946,,,,0.33629484475027654,2,steel,0.2040583468053914,-0.036294844750276556,
9,complete,policy,,,,,1,2,brass,1.25,,0.1
10,pending,policy,,,,,0.29483507521940605,2,steel,,,
"""


# The study of stores/version-5.sql: two trials by `ckg run` of the last version that did not keep who evaluated a trial.
FIVE = """name: five
goal: minimize
budget: 3
policy: sobol
seed: 1
parameters:
  x: {type: real, low: 0, high: 1}
objective: {name: f, noise: none}
evaluate:
  command: [sh, -c, "echo '{\\"f\\": 1}'"]
"""


# The study of stores/version-6.sql: seven trials by `ckg run` of the last version whose `ckg` is today's `auto`; a limit was changed by `ckg change`.
SIX = """name: six
goal: minimize
budget: 10
initial: 4
policy: ckg
seed: 5
parameters:
  x: {type: real, low: 0, high: 1}
objective: {name: f, noise: none}
constraints:
  c: {max: 0.25, noise: none}
evaluate:
  command: [awk, 'BEGIN {x = {x}; printf "{\\"f\\": %.17g, \\"c\\": %.17g}", x * x, 0.7 - x}']
"""

# What that version's program went on with.
SIX_ENDS = [0.4500040766413988, 0.4500004645064626, 0.8470520213013515]


def old_store(folder):
    """The study as version 1 left it."""
    folder.write("old.yaml", OLD)
    store = sqlite3.connect(folder / "old.db")
    store.executescript((STORES / "version-1.sql").read_text())
    store.execute("PRAGMA journal_mode = WAL")
    store.close()


def rows(folder):
    with sqlite3.connect(folder / "old.db") as store:
        version = store.execute("SELECT version FROM ckg_store").fetchone()[0]
        trials = store.execute("SELECT * FROM trial ORDER BY number").fetchall()
    store.close()
    return version, trials


def test_version_1_goes_on():
    with Folder() as folder:
        old_store(folder)
        check(folder.ckg("export", "old.yaml", expect=0).out == EXPORTED)
        check(folder.ckg("trials", "old.yaml", 4, expect=0).out.endswith("the end of its standard error:\nno licence\n"))
        folder.ckg("tell", "old.yaml", 10, "f=0.2", "c=0.005", expect=0)
        folder.ckg("ask", "old.yaml", "-n", 2, expect=0)
        check([t["trial"] for t in folder.trials("old.yaml")] == list(range(1, 13)))


def test_version_1_is_brought_up_to_date_whole_or_not_at_all():
    """Killed or out of space at every place that it passes."""
    for kind in ("kill", "full"):
        place = 0
        while True:
            place += 1
            with Folder() as folder:
                old_store(folder)
                before = rows(folder)
                result = folder.ckg("trials", "old.yaml", "--json", env={"CKG_FAULT": f"{kind}:{place}"})
                version, trials = rows(folder)
                check((version, trials) == before or version > 1, kind, place, version)
                check([t[:2] for t in trials] == [t[:2] for t in before[1]], kind, place)
                check(folder.ckg("export", "old.yaml", expect=0).out == EXPORTED, kind, place)
                if result.status == 0:
                    break
        check(place > 15, "few places:", place)


def six(folder):
    """The study as version 6 left it."""
    folder.write("six.yaml", SIX)
    store = sqlite3.connect(folder / "six.db")
    store.executescript((STORES / "version-6.sql").read_text())
    store.close()


def on_terminal(folder, answer, *words):
    """What the program says on a terminal that answers."""
    terminal = Terminal(folder, *words)
    terminal.type(answer.encode() + b"\n")
    said = terminal.end()
    check(terminal.status == 0, said)
    return said.decode()


def policies(folder):
    """What the store says of the study's policy, then before and after its first change."""
    with sqlite3.connect(folder / "six.db") as store:
        now = store.execute("SELECT definition FROM study").fetchone()
        change = store.execute("SELECT definition_before, definition_after FROM change WHERE number = 1").fetchone()
    store.close()
    return [json.loads(text)["policy"] for text in now + change]


def test_version_6_goes_on_by_auto():
    """The policy that was called ckg is auto; where nobody can be asked that is said once, and only `ckg change` takes today's ckg."""
    with Folder() as folder:
        six(folder)
        folder.ckg("trials", "six.yaml", expect=0)
        check(policies(folder) == [{"name": "auto", "was": "ckg"}] * 3, policies(folder))
        said = folder.ckg("run", "six.yaml", "--quiet", expect=0).err
        check(said.count("\n") == 1 and "it goes on by `auto`; `ckg change --yes six.yaml` takes" in said, said)
        check([t["parameters"]["x"] for t in folder.trials("six.yaml")][7:] == SIX_ENDS, folder.trials("six.yaml"))
        check(not folder.ckg("run", "six.yaml", "--quiet", expect=0).err, "said twice")
        check(policies(folder)[0] == {"name": "auto", "was": "ckg, said"}, policies(folder))
        check("every checksum right" in folder.ckg("check", "six.yaml", expect=0).out)

        check("policy from auto, once called ckg, to ckg" in folder.ckg("change", "six.yaml", "--yes", expect=0).out)
        check(policies(folder)[0] == {"name": "ckg"}, policies(folder))
        folder.write("six.yaml", SIX.replace("budget: 10", "budget: 12"))
        check(not folder.ckg("run", "six.yaml", "--quiet", expect=0).err)
        folder.ckg("undo", "six.yaml", expect=0)
        check(policies(folder)[0] == {"name": "auto", "was": "ckg, said"}, policies(folder))


def test_version_6_worker_goes_on_by_auto():
    """A worker cannot ask: it says so once, and the store remembers that."""
    with Folder() as folder:
        six(folder)
        work = ("worker", "--store", "six.db", "--spool", "spool", "--until-idle", "--quiet", "six.yaml")
        said = folder.ckg(*work, expect=0).err
        check(said.count("\n") == 1 and "it goes on by `auto`; `ckg change --yes six.yaml` takes" in said, said)
        check(policies(folder)[0] == {"name": "auto", "was": "ckg, said"}, policies(folder))
        check(not folder.ckg(*work, expect=0).err and not folder.ckg("run", "six.yaml", "--quiet", expect=0).err, "said twice")
        check([t["parameters"]["x"] for t in folder.trials("six.yaml")][7:] == SIX_ENDS, folder.trials("six.yaml"))


def test_version_6_asks_on_a_terminal():
    """Once, and the answer is kept."""
    for answer, policy in (("y", {"name": "ckg"}), ("", {"name": "auto", "was": "ckg, said"})):
        with Folder() as folder:
            six(folder)
            said = on_terminal(folder, answer, "run", "six.yaml", "--quiet")
            check(said.count("change to it? [y/N]") == 1, said)
            check(policies(folder)[0] == policy, policies(folder))
            check("change to it?" not in on_terminal(folder, "", "run", "six.yaml", "--quiet"), "asked twice")


def test_settings_of_auto_under_its_former_name():
    """A file with one of them means auto, and that is said."""
    with Folder() as folder:
        six(folder)
        folder.write("six.yaml", SIX.replace("policy: ckg", "policy: {name: ckg, region: 0.4}"))
        said = folder.ckg("run", "six.yaml", expect=0).err
        check("six.yaml:5:21: `region` is a setting of the policy `auto`" in said, said)
        check([t["parameters"]["x"] for t in folder.trials("six.yaml")][7:] == SIX_ENDS, folder.trials("six.yaml"))


def test_version_5_goes_on():
    """Of its trials nobody knows who evaluated them; of those that follow everybody does."""
    with Folder() as folder:
        folder.write("five.yaml", FIVE)
        store = sqlite3.connect(folder / "five.db")
        store.executescript((STORES / "version-5.sql").read_text())
        store.close()
        run = folder.start("run", "five.yaml", "--quiet")
        _, err = run.communicate(timeout=PATIENCE)
        check(run.returncode == 0 and not err, run.returncode, err)
        workers = [json.loads(folder.ckg("trials", "five.yaml", n, "--json", expect=0).out)["worker"] for n in (1, 2, 3)]
        check(workers == [None, None, f"{socket.gethostname()} {run.pid}"], workers)
        check(f"evaluated by {workers[2]}\n" in folder.ckg("trials", "five.yaml", 3, expect=0).out, "it is not said")


if __name__ == "__main__":
    main(globals())
