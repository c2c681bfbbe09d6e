"""A store in trouble: one clear line, exit 1, or 2 where the file itself is the wrong one; when the trouble is over the study goes on."""
import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import PATIENCE, Folder, Result, Skip, check, check_numbers, main, once_there, problem, scale, wait_for  # noqa: E402

ANSWER = ["/bin/echo", '{"f": 1, "c": -1}']
SAY = 'echo \'{"f": 1, "c": -1}\''


def ended(folder, study, budget):
    folder.ckg("run", study, expect=0)
    trials = folder.trials(study)
    check_numbers(trials, budget)
    check({t["state"] for t in trials} == {"complete"}, trials)
    folder.nothing_left()


def remove_store(folder):
    for suffix in ("", "-wal", "-shm"):
        (folder / f"s.db{suffix}").unlink(missing_ok=True)


def test_full_at_every_write():
    reached = 0
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        for place in range(1, 90, scale(1, 9)):
            remove_store(folder)
            result = folder.ckg("run", "s.yaml", "--quiet", env={"CKG_FAULT": f"full:{place}"})
            if result.status == 1:
                reached += 1
                result.one_line("disk is full", "free some space")
            else:
                check(result.status == 0, place, result.status, result.err)
            ended(folder, "s.yaml", 3)
            if result.status == 0:
                break
    check(reached > scale(40, 4), reached)


def test_full_with_others_running():
    """A result that cannot be stored ends the run, but what runs beside it is waited for and stored."""
    with Folder() as folder:
        # Trial 1 answers when the others have begun, so that both run when its answer comes.
        script = f'touch begun$CKG_TRIAL; until test -e go || {{ test $CKG_TRIAL = 1 && test -e begun2 && test -e begun3; }}; do sleep 0.02; done; {SAY}'
        folder.write("s.yaml", problem("s", ["/bin/sh", "-c", script], budget=3, evaluate="  parallel: 3\n"))
        for place in range(40, 120, 3):
            remove_store(folder)
            for name in ("go", "begun1", "begun2", "begun3"):
                (folder / name).unlink(missing_ok=True)
            result = run_with_full_disk(folder, place)
            states = [t["state"] for t in folder.trials("s.yaml")]
            if "trial 1 answered" in result.err:
                check(states[1:] == ["complete", "complete"], place, states, result.err)
                check("finishing 2 running" in result.err, result.err)
                ended(folder, "s.yaml", 3)
                return
        raise AssertionError("the result of trial 1 was never refused")


def run_with_full_disk(folder, place):
    """Trials 2 and 3 are let go when the run has said what is wrong, or has ended, or trial 1 was stored all the same."""
    with open(folder / "said", "wb") as said:
        process = folder.start("run", "s.yaml", env={"CKG_FAULT": f"full:{place}"}, stdout=subprocess.DEVNULL, stderr=said)
    wait_for(lambda: process.poll() is not None or (folder / "said").stat().st_size or folder.trials("s.yaml")[:1] and
             folder.trials("s.yaml")[0]["state"] == "complete", what="the result of trial 1")
    folder.write("go", "")
    process.wait(timeout=PATIENCE)
    result = Result(process.returncode, "", (folder / "said").read_text())
    check(result.status in (0, 1), result.status)
    if result.status == 1:
        result.one_line("disk is full")
    return result


def test_full_disk():
    with Folder() as folder:
        (folder / "small").mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "none", folder / "small"], stderr=subprocess.DEVNULL).returncode:
            raise Skip("a file system cannot be mounted here")
        try:
            log = "x" * 3000
            folder.write("fail.sh", f"echo {log} >&2; echo '{{\"f\": 1, \"c\": -1}}'; test $CKG_TRIAL -gt 200 || exit 1\n")
            folder.write("s.yaml", problem("s", ["/bin/sh", "fail.sh"], budget=60, evaluate="  pause_after: 0\n"))
            for size, more in (("160k", 1), ("300k", 1), ("340k", 1), ("8m", 0)):
                subprocess.run(["mount", "-o", f"remount,size={size}", folder / "small"], check=True)
                result = folder.ckg("run", "s.yaml", "--quiet", "--store", "small/s.db")
                check(result.status == 1, size, result.status, result.err)
                result.one_line("small/s.db" if more else "every evaluation failed")
            trials = [t for t in folder.ckg("trials", "s.yaml", "--store", "small/s.db", "--json", expect=0).out.splitlines()]
            check(len(trials) == 60 and all('"failed"' in t for t in trials), trials)
        finally:
            subprocess.run(["umount", "-l", folder / "small"], check=True)
    folder.nothing_left()


def read_only(path, on):
    """Also for root: a read-only mount of the folder upon itself."""
    if os.geteuid():
        os.chmod(path, 0o555 if on else 0o755)
        return
    words = [["mount", "--bind", path, path], ["mount", "-o", "remount,ro,bind", path]] if on else [["umount", "-l", path]]
    for word in words:
        if subprocess.run(word, stderr=subprocess.DEVNULL).returncode:
            raise Skip("nothing can be mounted here, and root may write everywhere")


def test_read_only_folder():
    with Folder() as folder:
        (folder / "new").mkdir()
        (folder / "old").mkdir()
        folder.write("old/s.yaml", problem("s", ANSWER, budget=3))
        folder.ckg("run", "old/s.yaml", expect=0)
        folder.write("old/s.yaml", problem("s", ANSWER, budget=6))
        folder.write("new/s.yaml", problem("s", ANSWER, budget=6))
        for name in ("new", "old"):
            read_only(folder / name, True)
            try:
                for words in (("run",), ("ask",)):
                    folder.ckg(*words, f"{name}/s.yaml", expect=1).one_line(f"{name}/s.db", "writable")
                check(len(folder.trials(f"{name}/s.yaml")) == (3 if name == "old" else 0))
            finally:
                read_only(folder / name, False)
            ended(folder, f"{name}/s.yaml", 6)


@contextlib.contextmanager
def held(path):
    """The store is another program's as long as this lasts."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_locked_for_a_while():
    """Who only reads does not wait; who writes does, and half a second is enough to see that it has not given up."""
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=4))
        folder.ckg("ask", "s.yaml", expect=0)
        with held(folder / "s.db"):
            check(len(folder.trials("s.yaml")) == 1)
            process = folder.start("tell", "s.yaml", 1, "f=1", "c=-1")
            time.sleep(0.5)
            check(process.poll() is None, "it did not wait")
        check(process.wait(timeout=PATIENCE) == 0, process.returncode)
        ended(folder, "s.yaml", 4)


def test_locked_for_too_long():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=4))
        folder.ckg("ask", "s.yaml", expect=0)
        with held(folder / "s.db"):
            processes = [folder.start("run", "s.yaml"), folder.start("tell", "s.yaml", 1, "f=1", "c=-1")]
            for process in processes:
                _, err = process.communicate(timeout=PATIENCE)
                check(process.returncode == 1, process.returncode, err)
                check(len(err.splitlines()) == 1 and b"another program is using it" in err, err)
        folder.ckg("tell", "s.yaml", 1, "f=1", "c=-1", expect=0)
        ended(folder, "s.yaml", 4)


def a_few_then_wait(folder):
    """An evaluation that from trial 6 on waits until the test has written the file."""
    return f"test $CKG_TRIAL -lt 6 || {{ {once_there(folder / 'go', ':')}; }}; {SAY}"


def test_working_folder_gone():
    with Folder() as folder:
        (folder / "work").mkdir()
        text = problem("s", ["/bin/sh", "-c", a_few_then_wait(folder)], budget=30)
        folder.write("work/s.yaml", text)
        process = folder.start("run", "work/s.yaml", "--store", "s.db")
        wait_for(lambda: (folder / "s.db").exists() and len(folder.ckg("trials", "--store", "s.db", "--study", "s", "--json").out.splitlines()) > 3)
        os.rename(folder / "work", folder / "gone")
        shutil.rmtree(folder / "gone")
        folder.write("go", "")
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 1 and len(err.splitlines()) == 1 and b"working folder" in err, process.returncode, err)
        folder.ckg("run", "--store", "s.db", "--study", "s", expect=1).one_line("working folder")
        folder.ckg("run", "work/s.yaml", "--store", "s.db", expect=2).one_line("work/s.yaml")
        (folder / "work").mkdir()
        folder.write("work/s.yaml", text)
        folder.ckg("run", "work/s.yaml", "--store", "s.db", expect=0)
        trials = folder.ckg("trials", "--store", "s.db", "--study", "s", "--json", expect=0).out.splitlines()
        check(len(trials) == 30 and all('"complete"' in t for t in trials), trials)
        folder.nothing_left()


def test_folder_under_the_program_gone():
    with Folder() as folder:
        (folder / "work").mkdir()
        process = subprocess.Popen(["/bin/sh", "-c", f"rmdir ../work && exec {os.path.abspath(sys.argv[1])} run s.yaml"], cwd=folder / "work",
                                   stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 2 and len(err.splitlines()) == 1, process.returncode, err)


def is_noted(folder, trial):
    """The store has the process of the trial's evaluation: its run has nothing to write until that ends."""
    if not (folder / "s.db").exists():
        return False
    store = sqlite3.connect(f"file:{folder / 's.db'}?mode=ro", uri=True)
    try:
        return store.execute("SELECT process FROM trial WHERE number = ? AND process IS NOT NULL", (trial,)).fetchone()
    except sqlite3.OperationalError:
        return False  # no table yet
    finally:
        store.close()


def test_store_deleted_while_in_use():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ["/bin/sh", "-c", a_few_then_wait(folder)], budget=200))
        process = folder.start("run", "s.yaml")
        wait_for(lambda: is_noted(folder, 6), what="the evaluation that waits")
        (folder / "away").mkdir()
        for suffix in ("", "-wal", "-shm"):
            os.rename(folder / f"s.db{suffix}", folder / f"away/s.db{suffix}")
        folder.write("go", "")
        _, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 1 and len(err.splitlines()) == 1 and b"deleted or moved" in err, process.returncode, err)
        for suffix in ("", "-wal", "-shm"):
            if (folder / f"away/s.db{suffix}").exists():
                os.rename(folder / f"away/s.db{suffix}", folder / f"s.db{suffix}")
        trials = folder.trials("s.yaml")
        check_numbers(trials, len(trials))
        folder.write("s.yaml", problem("s", ANSWER, budget=len(trials) + 3))
        ended(folder, "s.yaml", len(trials) + 3)


def commands(folder, expect, *words):
    folder.write("in.csv", "x,y,f,c\n0.5,0.5,1,-1\n")
    for command in (("run", "s.yaml"), ("ask", "s.yaml"), ("status", "s.yaml"), ("trials", "s.yaml"), ("tell", "s.yaml", 1, "f=1"),
                    ("recommend", "s.yaml"), ("import", "s.yaml", "in.csv"), ("export", "s.yaml"), ("status", "--store", "s.db", "--study", "s")):
        folder.ckg(*command, expect=expect).one_line("s.db", *words)


def test_newer_version():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        folder.ckg("run", "s.yaml", expect=0)
        with sqlite3.connect(folder / "s.db") as store:
            store.execute("UPDATE ckg_store SET version = version + 1")
        store.close()
        commands(folder, 2, "newer")
        with sqlite3.connect(folder / "s.db") as store:
            store.execute("UPDATE ckg_store SET version = version - 1")
        store.close()
        ended(folder, "s.yaml", 3)


def test_not_a_database():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        text = "these are my notes, not a database\n" * 100
        folder.write("s.db", text)
        commands(folder, 2, "not a database", "--store")
        check((folder / "s.db").read_text() == text)
        (folder / "s.db").unlink()
        ended(folder, "s.yaml", 3)
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        (folder / "s.db").mkdir()
        commands(folder, 1)


def test_an_empty_file_becomes_a_store():
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=3))
        folder.write("s.db", "")
        check(folder.trials("s.yaml") == [])
        ended(folder, "s.yaml", 3)


def test_database_of_another_program():
    for table in ("CREATE TABLE bookmark (id INTEGER)", "CREATE TABLE study (id INTEGER)"):
        with Folder() as folder:
            folder.write("s.yaml", problem("s", ANSWER, budget=3))
            other = sqlite3.connect(folder / "s.db")
            other.execute(table)
            other.commit()
            other.close()
            before = (folder / "s.db").read_bytes()
            commands(folder, 2, "another program")
            check((folder / "s.db").read_bytes() == before, "the other program's database was changed")


def test_damaged():
    """Cut off or with other bytes in it: whatever is said is one line, and nothing dies of a signal."""
    rng = random.Random(6)
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=30))
        folder.ckg("run", "s.yaml", expect=0)
        folder.write("s.yaml", problem("s", ANSWER, budget=32))
        whole = (folder / "s.db").read_bytes()
        complaints = 0
        for case in range(scale(120, 20)):
            (folder / "s.db-wal").unlink(missing_ok=True)
            (folder / "s.db-shm").unlink(missing_ok=True)
            if case % 4 == 0:
                bytes_ = bytearray(whole[:rng.randrange(1, len(whole))])
            else:
                bytes_ = bytearray(whole)
                page = 4096 * rng.randrange(len(whole) // 4096)
                for _ in range(rng.choice((1, 4, 100))):
                    place = rng.randrange(100, len(whole)) if case % 4 == 1 else page + rng.randrange(4096)
                    bytes_[place] = rng.choice((0, 255, rng.randrange(256)))
            (folder / "s.db").write_bytes(bytes_)
            for words in (("trials", "s.yaml", "--json"), ("run", "s.yaml", "--quiet")):
                result = folder.ckg(*words)
                check(result.status in (0, 1, 2), case, words, result.status, result.err)
                check(result.status == 0 or len(result.err.splitlines()) == 1, case, words, result.err)
                complaints += result.status != 0
        check(complaints > scale(30, 5), complaints)
        (folder / "s.db-wal").unlink(missing_ok=True)
        (folder / "s.db-shm").unlink(missing_ok=True)
        (folder / "s.db").write_bytes(whole)
        ended(folder, "s.yaml", 32)


def test_damaged_rows():
    changes = ("UPDATE trial SET state = 'odd' WHERE number = 2", "UPDATE trial SET parameters = 'x' WHERE number = 2",
               "UPDATE trial SET parameters = x'' WHERE number = 2", "UPDATE trial SET parameters = '{\"x\": 0.5}' WHERE number = 2",
               "UPDATE trial SET parameters = '{\"x\": 0.5, \"y\": 7}' WHERE number = 2", "UPDATE trial SET outcomes = '[]' WHERE number = 2",
               "UPDATE trial SET outcomes = '{\"z\": 1}' WHERE number = 2", "UPDATE trial SET outcomes = '{\"f\": 1e999}' WHERE number = 2",
               "DELETE FROM trial WHERE number = 2", "UPDATE trial SET number = 99 WHERE number = 2", "UPDATE study SET definition = '{}'",
               "UPDATE study SET definition = x''", "UPDATE trial SET number = -1 WHERE number = 3", "DELETE FROM ckg_store", "DROP TABLE trial")
    with Folder() as folder:
        folder.write("s.yaml", problem("s", ANSWER, budget=4))
        folder.ckg("run", "s.yaml", expect=0)
        folder.write("s.yaml", problem("s", ANSWER, budget=6))
        whole = (folder / "s.db").read_bytes()
        for change in changes:
            (folder / "s.db").write_bytes(whole)
            store = sqlite3.connect(folder / "s.db", isolation_level=None)
            store.execute("PRAGMA ignore_check_constraints = ON")
            store.execute(change)
            store.close()
            for words in (("trials", "s.yaml"), ("run", "s.yaml", "--quiet"), ("status", "--store", "s.db", "--study", "s")):
                result = folder.ckg(*words)
                check(result.status in (1, 2), change, words, result.status)
                result.one_line()
        (folder / "s.db").write_bytes(whole)
        ended(folder, "s.yaml", 6)


if __name__ == "__main__":
    main(globals(), beside=(test_locked_for_too_long,))
