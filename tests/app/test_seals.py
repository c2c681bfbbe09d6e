"""What a damaged store may do: refuse in one line, or say what was written, never anything else. The seals themselves, by another hand.

CKG_DAMAGES=N damages a store N times instead of a few hundred."""
import os
import random
import shutil
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Folder, check, main, problem, scale  # noqa: E402
from seals import check_seals, crc  # noqa: E402

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


def test_seals_by_another_hand():
    with Folder() as folder:
        begin(folder)
        counts = check_seals(folder / "s.db")
        check(counts == [1, 22, 3, 6], counts)


def test_every_column_is_sealed():
    """One value changed, whichever it is, so that it is still a value that might stand there."""
    with Folder() as folder:
        begin(folder)
        whole = (folder / "s.db").read_bytes()
        columns = 0
        for table in ("study", "trial", "change", "image"):
            for column in names(folder / "s.db", table):
                if table == "trial" and column in ("worker", "process", "born"):
                    continue  # who evaluates it is proved otherwise
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


if __name__ == "__main__":
    main(globals())
