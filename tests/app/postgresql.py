"""A PostgreSQL server of the tests' own: an unprivileged user's, on a socket in a folder that goes with it.

As a program, `postgresql.py PROGRAM -- PROGRAM…`: runs them with CKG_TEST_POSTGRESQL, the folder of the server's socket.
"""
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

USER = "nobody"  # a server refuses to be root's
PATIENCE = "900"  # seconds that it may take to start or to end


def find(name):
    """The path of one of the server's programs, None: it is not installed."""
    found = [p for p in glob.glob(f"/usr/lib/postgresql/*/bin/{name}") if os.access(p, os.X_OK)]
    return max(found, key=lambda p: float(p.split("/")[4])) if found else shutil.which(name)


def is_installed():
    return all(find(name) for name in ("initdb", "pg_ctl", "psql")) and (os.geteuid() != 0 or shutil.which("setpriv"))


class Server:
    """Who has a role `ckg`, which may make databases and nothing else, and `boss`, who may do everything."""

    def __init__(self, safe=False, settings=(), auth="trust"):
        self.folder = tempfile.mkdtemp(prefix="ckg-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.settings = ["listen_addresses=''", f"unix_socket_directories='{self.folder}'", "max_connections=200", "shared_buffers=32MB",
                         *([] if safe else ["fsync=off", "full_page_writes=off"]), *settings]
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            shutil.chown(self.folder, USER, pwd.getpwnam(USER).pw_gid)
        self.do(find("initdb"), "-D", self.data, "-U", "boss", "-A", auth, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions",
                *(["--pwfile", self.write("boss.password", "boss")] if auth != "trust" else []))
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write("".join(line + "\n" for line in self.settings))
        self.start()
        self.sql("CREATE ROLE ckg LOGIN CREATEDB PASSWORD 'secret-of-ckg'")
        self.sql("CREATE DATABASE ckg OWNER ckg")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o644)
        return path

    def do(self, *words, **more):
        """As the unprivileged user, in a place that it can see."""
        drop = ["setpriv", f"--reuid={USER}", f"--regid={pwd.getpwnam(USER).pw_gid}", "--clear-groups"] if os.geteuid() == 0 else []
        done = subprocess.run([*drop, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, **more)
        if done.returncode:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}")
        return done.stdout

    def start(self):
        self.do(find("pg_ctl"), "-D", self.data, "-l", os.path.join(self.folder, "log"), "-w", "-t", PATIENCE, "start")

    def restart(self, mode="immediate"):
        self.do(find("pg_ctl"), "-D", self.data, "-l", os.path.join(self.folder, "log"), "-w", "-t", PATIENCE, "-m", mode, "restart")

    def stop(self, mode="immediate"):
        self.do(find("pg_ctl"), "-D", self.data, "-w", "-t", PATIENCE, "-m", mode, "stop")

    def sql(self, words, database="postgres", user="boss"):
        env = {**os.environ, "PGPASSWORD": "boss"}
        done = subprocess.run([find("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", user, "-d", database, "-c", words],
                              env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}")
        return done.stdout.strip()

    def url(self, database="ckg", user="ckg", password="", more=""):
        return f"postgresql://{user}{':' + password if password else ''}@/{database}?host={self.folder}{more}"

    def database(self, name):
        """A new one of the role ckg; its URL."""
        self.sql(f"CREATE DATABASE {name} OWNER ckg")
        return self.url(name)

    def has_begun(self, database, process):
        """The run or worker has opened its store and goes on by itself should the server end, or it has ended."""
        try:
            return process.poll() is not None or self.sql(f"SELECT COUNT(*) FROM ckg.worker WHERE process = {process.pid}", database=database) == "1"
        except RuntimeError:
            return False  # no table yet

    def is_up(self):
        try:
            return self.sql("SELECT 1") == "1"
        except RuntimeError:
            return False

    def wait(self, seconds=float(PATIENCE)):
        until = time.monotonic() + seconds
        while not self.is_up():
            if time.monotonic() > until:
                raise RuntimeError("the server does not come back")
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *trouble):
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if not is_installed():
        print("PostgreSQL is not installed here (Debian: postgresql): its store is not tested")
        return 77
    with Server() as server:
        env = {**os.environ, "CKG_TEST_POSTGRESQL": server.folder}
        return max(subprocess.run(words.split("\0"), env=env).returncode for words in "\0".join(sys.argv[1:]).split("\0--\0"))


if __name__ == "__main__":
    sys.exit(main())
