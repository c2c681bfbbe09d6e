"""What a damaged store may do: refuse in one line, or say what was written, never anything else. The seals themselves, by another hand.

CKG_DAMAGES=N damages a store N times instead of a few hundred."""
import csv
import json
import os
import random
import signal
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, Result, check, main, problem, scale, wait_for  # noqa: E402
from checksums import check_checksums, crc  # noqa: E402

ANSWER = ["/bin/sh", "-c", "test $CKG_TRIAL -ne 5 || { echo no licence >&2; exit 3; }; echo '{\"f\": 0.'$CKG_TRIAL'25, \"c\": [-1, 0.5]}'"]
ENDINGS = ("", "-wal", "-shm", "-turn")


def begin(folder, budget=20):
    """A study with everything in it that a store can have: results, a failure, changes, an undone one, trials that wait."""
    folder.write("s.yaml", problem("s", ANSWER, budget=budget))
    folder.ckg("run", "s.yaml", "--quiet", expect=0)
    folder.ckg("tell", "s.yaml", 3, "--replace", "f=0.125", expect=0)
    folder.ckg("discard", "s.yaml", 4, expect=0)
    folder.ckg("retry", "s.yaml", 5, expect=0)
    folder.ckg("undo", "s.yaml", expect=0)
    folder.write("s.yaml", problem("s", ANSWER, budget=budget + 3))
    folder.ckg("ask", "s.yaml", "-n", 2, expect=0)


def test_the_checksum():
    """The value that every description of CRC-64/XZ has."""
    check(crc(b"123456789") == 0x995DC9BBDF1939FA)


def test_checksums_by_another_hand():
    with Folder() as folder:
        begin(folder)
        counts = check_checksums(folder / "s.db")
        check(counts == [1, 22, 3, 6], counts)


def test_every_column_is_checksum_kind():
    """One value changed, whichever it is, so that it is still a value that might stand there."""
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        columns = 0
        for table in ("study", "trial", "change", "image"):
            for column in names(folder / "s.db", table):
                if table == "trial" and column in ("worker", "process", "born", "lease", "evaluator"):
                    continue  # who evaluates it is proved otherwise, and who did is no result
                if table == "study" and column in ("held", "held_by", "held_at", "stopped", "budget"):
                    continue  # what people want of the runs at the moment is no result
                columns += 1
                (folder / "s.db").write_bytes(whole)
                alter(folder / "s.db", table, column)
                result = folder.ckg("undo" if table in ("change", "image") else "export", "s.yaml")
                check(result.status == 1, table, column, result.status, result.out)
                result.one_line("damaged", "ckg check")
        check(columns > 50, columns)


def names(path, table):
    store = sqlite3.connect(path)
    out = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
    store.close()
    return out


def alter(path, table, column):
    """A text gets another letter, a number is ten more, nothing becomes something; of the last row, which for changes is the one not undone."""
    which = {"study": "1", "trial": "number = 22", "change": "number = 2", "image": "change = 2 AND side = 'before'"}[table]
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA ignore_check_constraints = ON")
    store.execute(f"UPDATE {table} SET {column} = CASE typeof({column}) WHEN 'text' THEN {column} || ' ' WHEN 'null' THEN 1 ELSE {column} + 10 END"
                  f" WHERE {which}")
    store.close()


def test_rows_that_are_gone_or_old():
    """Each row is whole by itself; the sums tell."""
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        store = sqlite3.connect(folder / "s.db")
        before = store.execute("SELECT * FROM trial WHERE number = 22").fetchone()
        store.close()
        folder.ckg("tell", "s.yaml", 22, "f=1", "c=-1", expect=0)
        later = (folder / "s.db").read_bytes()
        marks = ", ".join("?" * len(before))
        for what, bytes_, values, words in (("DELETE FROM trial WHERE number = 22", whole, (), "export"),
                                            (f"REPLACE INTO trial VALUES ({marks})", later, before, "export"),
                                            ("DELETE FROM study", whole, (), "export"), ("UPDATE study SET name = 't'", whole, (), "export"),
                                            ("DELETE FROM change WHERE number = 3", whole, (), "undo"),
                                            ("DELETE FROM image WHERE change = 2 AND side = 'before'", whole, (), "undo")):
            (folder / "s.db").write_bytes(bytes_)
            store = sqlite3.connect(folder / "s.db", isolation_level=None)
            store.execute(what, values)
            store.close()
            for command in {words, "run" if words == "export" else words}:
                folder.ckg(command, "s.yaml", expect=1).one_line("damaged", "ckg check")


def damage(rng, whole):
    """Bytes as a bad disk or a bad copy leaves them: bits turned, runs of other bytes, sectors of zeros or from elsewhere, the end cut off."""
    bytes_ = bytearray(whole)
    kind = rng.randrange(7)
    size = len(bytes_)
    if kind == 0:
        return bytes(bytes_[:rng.randrange(1, size)])
    if kind < 4:
        for _ in range(rng.choice((1, 1, 1, 2, 8))):
            bytes_[rng.randrange(size)] ^= 1 << rng.randrange(8)
    elif kind == 4:
        at = rng.randrange(size)
        for i in range(at, min(size, at + rng.choice((1, 4, 16, 100)))):
            bytes_[i] = rng.choice((0, 255, rng.randrange(256)))
    else:
        at, other = (512 * rng.randrange(size // 512) for _ in range(2))
        bytes_[at:at + 512] = bytes(512) if kind == 5 else bytes_[other:other + 512]
    return bytes(bytes_)


def test_random_damage():
    """Nothing but what was written is exported with exit 0, as CSV or as JSON lines, whatever became of the file."""
    rng = random.Random(11)
    refused = 0
    count = int(os.environ.get("CKG_DAMAGES", scale(300, 30)))
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        right = {form: folder.ckg("export", "s.yaml", *form, expect=0).out for form in ((), ("--json",))}
        for case in range(count):
            for ending in ("-wal", "-shm"):
                (folder / f"s.db{ending}").unlink(missing_ok=True)
            (folder / "s.db").write_bytes(damage(rng, whole))
            form = ((), ("--json",))[case % 2]
            result = folder.ckg("export", "s.yaml", *form)
            check(result.status in (0, 1, 2), case, "ended with", result.status, result.err)
            if result.status:
                result.one_line()
                check(not result.out, case, "something was written all the same")
                refused += 1
            else:
                check(result.out == right[form], case, "exported something else:", result.out)
        check(refused > count // 10, refused, "of", count, "were refused")
        print(f"{count} damages: {refused} refused, {count - refused} of no consequence, none exported other digits")


def test_random_damage_of_the_log():
    """After a kill the last results are in the -wal file alone. Whatever becomes of it, the study is whole and as it was at some moment, or refused."""
    rng = random.Random(12)
    count = int(os.environ.get("CKG_DAMAGES", scale(100, 15)))
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=12))
        folder.ckg("run", "s.yaml", "--quiet", env={"CKG_FAULT": "kill:230"}, expect=-signal.SIGKILL)
        files = {ending: (folder / f"s.db{ending}").read_bytes() for ending in ("", "-wal")}
        said = folder.ckg("export", "s.yaml", expect=0).out.splitlines()
        results = {line for line in said if ",complete," in line or ",failed," in line}
        check(len(results) > 4 and len(files["-wal"]) > 4096, len(results), "results in the log")
        earlier = refused = 0
        for case in range(count):
            (folder / "s.db-shm").unlink(missing_ok=True)
            (folder / "s.db").write_bytes(files[""])
            (folder / "s.db-wal").write_bytes(damage(rng, files["-wal"]))
            result = folder.ckg("export", "s.yaml")
            check(result.status in (0, 1), case, "ended with", result.status, result.err)
            if result.status:
                result.one_line()
                refused += 1
                continue
            lines = result.out.splitlines()
            others = [line for line in lines[1:] if line not in results]
            check(all(line.split(",")[1] in ("pending", "running") for line in others), case, "exported something else:", others)
            check([line.split(",")[0] for line in lines[1:]] == [str(i) for i in range(1, len(lines))], case, "a gap in", lines)
            earlier += len(lines) - len(others) - 1 < len(results)
        check(earlier > count // 10, earlier)
        print(f"{count} damages of the log: {earlier} left an earlier study, {refused} were refused, none exported other digits")


# --- what is left ---

def hurt(folder):
    """Trial 7 is altered, trial 9 is gone."""
    store = sqlite3.connect(folder / "s.db", isolation_level=None)
    store.execute("UPDATE trial SET outcomes = '{\"f\": 0.725, \"c\": -1}' WHERE number = 7")
    store.execute("DELETE FROM trial WHERE number = 9")
    store.close()


def test_check_says_what_is_damaged():
    with Folder() as folder:
        begin(folder)
        exported = folder.ckg("export", "s.yaml", expect=0).out.splitlines()
        check(folder.ckg("check", "s.yaml", expect=0).out == "sqlite:s.db is whole: 22 trials, every checksum right\n")
        hurt(folder)

        # The trials that are damaged are named, and the others come out with every digit.
        result = folder.ckg("check", "s.yaml", expect=1).one_line("s.db is damaged", "20 of 22 trials", "--save")
        check(result.out == "trial 7: not what was written\ntrial 9: missing\n", result.out)
        said = json.loads(folder.ckg("check", "s.db", "--json", "--save", "left.csv", expect=1).one_line("20 of 22", "left.csv", "import").out)
        check(not said["whole"] and said["trials"] == 22 and said["can_be_saved"] == 20, said)
        check([(f["part"], f["number"]) for f in said["findings"]] == [("trial", 7), ("trial", 9)], said)
        check((folder / "left.csv").read_text().splitlines() == [line for line in exported if line.split(",")[0] not in ("7", "9")])

        # They make a new study.
        os.rename(folder / "s.db", folder / "damaged.db")
        folder.ckg("import", "s.yaml", "left.csv", expect=0)
        check(len([t for t in folder.trials("s.yaml") if t["state"] == "complete"]) == 16, folder.trials("s.yaml"))


def test_check_without_the_definition():
    """The problem file stands in for it; without one it is said."""
    with Folder() as folder:
        begin(folder)
        store = sqlite3.connect(folder / "s.db", isolation_level=None)
        store.execute("UPDATE study SET definition = '{}'")
        store.close()
        folder.ckg("check", "s.db", expect=1).one_line("problem file")
        result = folder.ckg("check", "s.yaml", "--save", "-", expect=1)
        check("study: its definition is not what was written" in result.out and "\n22,pending" in result.out, result.out)


def test_check_of_the_rest():
    """An index, a reference, a lease, the history."""
    cases = (("DELETE FROM image WHERE change = 2 AND side = 'after'", "change 2:", 1),
             ("UPDATE change SET who = 'somebody' WHERE number = 1", "change: ", 1),
             ("UPDATE trial SET worker = 77, state = 'running' WHERE number = 22", "lease 22: it runs, and nobody", 1))
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        for change, words, status in cases:
            (folder / "s.db").write_bytes(whole)
            store = sqlite3.connect(folder / "s.db", isolation_level=None)
            store.executescript(change)
            store.close()
            result = folder.ckg("check", "s.yaml", expect=status)
            check(words in result.out, change, result.out, result.err)

        # An index that has lost its rows.
        (folder / "s.db").write_bytes(whole)
        store = sqlite3.connect(folder / "s.db")
        page = store.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'trial_revision'").fetchone()[0] - 1
        store.close()
        (folder / "s.db").write_bytes(whole[:4096 * page + 3] + bytes(2) + whole[4096 * page + 5:])
        check("file: " in folder.ckg("check", "s.yaml", expect=1).out)


def table_of(text):
    """The trials of an export by their numbers, each with its columns that are not empty: a table has no more columns than its trials need."""
    return {row["trial"]: {name: value for name, value in row.items() if value} for row in csv.DictReader(text.splitlines())}


def test_check_and_every_damage():
    """What can still be opened is never called whole when a command would refuse it, and --save gives nothing but lines of the export."""
    rng = random.Random(5)
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        rows = table_of(folder.ckg("export", "s.yaml", expect=0).out)

        # One trial.
        alter(folder / "s.db", "trial", "parameters")
        folder.ckg("check", "s.yaml", "--save", "left.csv", expect=1)
        left = table_of((folder / "left.csv").read_text())
        check(left == {number: row for number, row in rows.items() if number != "22"}, left)
        (folder / "left.csv").unlink()

        # Whatever it is.
        for case in range(scale(60, 10)):
            (folder / "s.db").write_bytes(damage(rng, whole))
            exported = folder.ckg("export", "s.yaml")
            result = folder.ckg("check", "s.yaml", "--save", "left.csv")
            check(result.status in (0, 1, 2) and len(result.err.splitlines()) == (result.status > 0), case, result.status, result.err)
            check(result.status or not exported.status, case, "whole, and cannot be exported:", exported.err)
            if (folder / "left.csv").exists():
                left = table_of((folder / "left.csv").read_text())
                check(all(row == rows.get(number) for number, row in left.items()), case, "something else was saved:", left)
                (folder / "left.csv").unlink()


# --- files cut in use ---

SLOWLY = ["/bin/sh", "-c", "test -e go$CKG_TRIAL || { touch at$CKG_TRIAL; until test -e go; do sleep 0.02; done; }; echo '{\"f\": 1, \"c\": -1}'"]


def cut_in_use(folder, ending, size):
    """A run in its fourth evaluation whose file is cut to that size; what it said, and its trials before."""
    for path in folder.path.iterdir():
        if path.name.startswith(("s.db", "go", "at")):
            path.unlink()
    for number in (1, 2, 3):
        folder.write(f"go{number}", "")
    run = folder.start("run", "s.yaml", "--quiet")
    wait_for((folder / "at4").exists, what="the fourth evaluation")
    wait_for(lambda: has_process(folder / "s.db", 4), what="the note of its process")
    before = folder.ckg("export", "s.yaml", expect=0).out
    with open(folder / f"s.db{ending}", "r+b") as file:
        file.truncate(int(size * os.path.getsize(folder / f"s.db{ending}")))
    folder.write("go", "")
    out, err = run.communicate(timeout=PATIENCE)
    return Result(run.returncode, out.decode(), err.decode()), before


def has_process(path, number):
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return store.execute("SELECT process FROM trial WHERE number = ? AND process IS NOT NULL", (number,)).fetchone()
    except sqlite3.OperationalError:
        return None
    finally:
        store.close()


def has_study(path):
    """Its row may be what is left, before any trial."""
    store = sqlite3.connect(path)
    try:
        return store.execute("SELECT COUNT(*) FROM study").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        store.close()


def test_log_cut_in_use():
    """It is said, exit 1; what is left is whole, a beginning of what there was, and the study goes on."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", SLOWLY, budget=6))
        for size in (0, 0.001, 0.3, 0.7, 0.99):
            result, before = cut_in_use(folder, "-wal", size)
            check(result.status == 1, size, result.status)
            result.one_line()
            left = folder.ckg("export", "s.yaml")
            if left.status == 0:
                rows = [line.split(",")[:2] for line in left.out.splitlines()[1:]]
                check([r[0] for r in rows] == [str(i + 1) for i in range(len(rows))] and len(rows) <= 4, size, rows)
                folder.ckg("check", "s.yaml", expect=0 if rows or has_study(folder / "s.db") else 1)
            folder.ckg("run", "s.yaml", expect=0)
            check(len(folder.trials("s.yaml")) == 6)
            folder.nothing_left()


def test_log_written_back_in_use():
    """Another program may write the log back and cut it as SQLite allows: nothing is lost by that, and nothing is said."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", SLOWLY, budget=6))
        for number in (1, 2, 3):
            folder.write(f"go{number}", "")
        run = folder.start("run", "s.yaml", "--quiet")
        wait_for((folder / "at4").exists, what="the fourth evaluation")
        wait_for(lambda: has_process(folder / "s.db", 4), what="the note of its process")
        store = sqlite3.connect(folder / "s.db", timeout=60)
        wait_for(lambda: store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, what="the log")
        check(os.path.getsize(folder / "s.db-wal") == 0, "the log was not cut")
        store.close()
        folder.write("go", "")
        _, err = run.communicate(timeout=PATIENCE)
        check(run.returncode == 0, run.returncode, err)
        check(len(folder.trials("s.yaml")) == 6)


def test_shared_memory_cut_in_use():
    """Nothing is lost: one line, or none where it was not needed again, and the same command goes on."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", SLOWLY, budget=6))
        for size in (0, 0.5):
            result, before = cut_in_use(folder, "-shm", size)
            check(result.status in (0, 1), size, result.status, result.err)
            if result.status:
                result.one_line("-shm", "again")
            folder.ckg("run", "s.yaml", expect=0)
            check(folder.ckg("export", "s.yaml", expect=0).out.startswith(before[:before.index("\n4,")]), "results were lost")
            folder.ckg("check", "s.yaml", expect=0)
            folder.nothing_left()


if __name__ == "__main__":
    main(globals())
