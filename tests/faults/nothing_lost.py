"""nothing_lost.py PROGRAM [TRIALS [WORKERS [SEED]]]: one study in PostgreSQL, evaluated by many workers, each on a machine of its own as far as it can
tell. Workers are killed at random moments and replaced, connections are cut, the server ends at once and comes back five times, and the clock of one
worker is an hour ahead. In the end the budget is exactly reached, trials have no gap, every value is that of its design, no design came twice, the
store is whole and nobody is left at work. A trial is evaluated more than once only where its worker was killed or the server ended."""
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
from harness import PATIENCE, PROGRAM, Folder, check, check_numbers, compile_c, environment, kill_group, preload, problem  # noqa: E402
from test_concurrent import EVALUATOR  # noqa: E402
import postgresql  # noqa: E402

RESTARTS = 5


# An evaluation that waits until its trial is allowed, so that all that is to happen does, however fast or busy the machine is.
WHEN_ALLOWED = 'while [ "$CKG_TRIAL" -gt "$(cat allowed)" ]; do sleep 0.05; done; exec ./quick "$0"'


def allow(folder, trials):
    folder.write("allowed.new", str(trials))
    os.replace(folder / "allowed.new", folder / "allowed")


class Workers:
    """So many processes of `ckg worker`; the first has another clock."""

    def __init__(self, folder, url, count, rng, apart):
        self.folder, self.url, self.rng, self.apart = folder, url, rng, apart
        folder.write("ahead", "3600")
        self.clock = preload(folder, "clock", CKG_TEST_CLOCK_STEP=folder / "ahead")
        self.kills, self.all = 0, []
        for i in range(count):
            self.start(i)

    def start(self, i):
        env = self.clock if i == 0 else {}
        words = ["worker", "--store", self.url, "s.yaml", "--until-idle", "--quiet", "--spool", self.folder / f"spool{i}"]
        self.all.insert(i, self.launch(words, env))

    def launch(self, words, env):
        """Apart: with a name, processes and process numbers of its own, as another machine would have."""
        if not self.apart:
            return self.folder.start(*words, env=env)
        shell = f"hostname machine{self.rng.randrange(10**9)}; exec env {' '.join(f'{k}={v}' for k, v in env.items())} \"$@\""
        return subprocess.Popen(["unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", shell, "sh", PROGRAM, *map(str, words)],
                                cwd=self.folder.path, env=environment(self.folder.mark), start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def kill(self):
        i = self.rng.randrange(len(self.all))
        victim = self.all.pop(i)
        self.kills += victim.poll() is None
        kill_group(victim)
        self.start(i)

    def end(self):
        """One that was started just when the server ended could not begin, and says so; it is started again, as its operator would."""
        for i in range(len(self.all)):
            process = self.all[i]
            out, err = process.communicate(timeout=PATIENCE)
            if process.returncode == 1 and b"see that the server runs, then run the same command again" in err:
                self.all.pop(i)
                self.start(i)
                process = self.all[i]
                out, err = process.communicate(timeout=PATIENCE)
            lines = [line for line in err.decode().splitlines() if "waits in" not in line]
            check(process.returncode == 0, "a worker ended with", process.returncode, out[-500:], "\n".join(lines[-5:]))


def storm(server, trials, count, seed, apart, say=print):
    rng = random.Random(seed)
    url = server.database(f"storm_{seed}")
    with Folder() as folder:
        compile_c(folder, "quick", EVALUATOR)
        folder.write("s.yaml", problem("s", ["sh", "-c", WHEN_ALLOWED, "{x}"], budget=trials))
        part = trials // (RESTARTS + 1)
        allow(folder, part)
        folder.ckg("ask", "s.yaml", "--at", "x=0.5", "y=0.5", "--store", url, expect=0)
        begun = time.monotonic()
        workers = Workers(folder, url, count, rng, apart)
        cuts, restarts = 0, 0

        def done():
            return int(server.sql("SELECT COUNT(*) FROM ckg.trial WHERE state = 'complete'", database=f"storm_{seed}"))

        # As long as there is anything to do. The server ends when a part of the trials is nearly done, and only then the next part is allowed.
        while (ended := done()) < trials:
            time.sleep(rng.uniform(0.05, 0.5))
            if restarts < RESTARTS and ended >= part * (restarts + 1) - count:
                server.restart("immediate")
                workers.kill()
                restarts += 1
                allow(folder, part * (restarts + 1) if restarts < RESTARTS else trials)
            elif rng.random() < 0.5:
                server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                           f" WHERE datname = 'storm_{seed}' AND pid <> pg_backend_pid() AND random() < 0.4")
                cuts += 1
            elif ended < trials - count:
                workers.kill()
        workers.end()
        seconds = time.monotonic() - begun

        # Nothing lost, nothing twice, nobody left.
        found = [json.loads(line) for line in folder.ckg("trials", "s.yaml", "--store", url, "--json", expect=0).out.splitlines()]
        check_numbers(found, trials)
        check({t["state"] for t in found} == {"complete"}, collections.Counter(t["state"] for t in found))
        for t in found:
            check(t["values"]["f"] == t["parameters"]["x"], "the value of another trial:", t)
        designs = collections.Counter(json.dumps(t["parameters"]) for t in found)
        check(len(designs) == trials, "a design came twice:", designs.most_common(1))
        log = collections.Counter(int(line) for line in (folder / "log").read_text().split())
        check(set(log) == set(range(1, trials + 1)), "never evaluated:", set(range(1, trials + 1)) - set(log))
        again = sum(n - 1 for n in log.values())
        check(again <= workers.kills + count * restarts, "evaluated again:", again, "with", workers.kills, "kills")
        folder.ckg("check", "s.yaml", "--store", url, expect=0)
        status = json.loads(folder.ckg("status", "s.yaml", "--store", url, "--json", expect=0).out)
        check(status["running"] == 0 and status["pending"] == 0, status)
        folder.nothing_left()
        say(f"  {trials} trials by {count} workers in {seconds:.0f} s: {workers.kills} kills, {restarts} ends of the server, {cuts} times connections cut, "
            f"{again} evaluations begun again; nothing lost, none twice")
        check(restarts == RESTARTS and workers.kills > 0, restarts, workers.kills)


def main():
    trials, count, seed = (int(w) for w in (sys.argv[2:5] + ["2000", "16", "1"][len(sys.argv) - 2:]))
    if not postgresql.is_installed():
        print("PostgreSQL is not installed here (Debian: postgresql)")
        return 77
    with postgresql.Server() as server:
        storm(server, trials, count, seed, apart=os.geteuid() == 0 and bool(shutil.which("unshare")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
