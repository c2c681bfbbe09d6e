"""test_docs.py PROGRAM [--write] [PAGE…]: does what the pages of the documentation say, and compares what is printed with what they show. With
--write the pages show what is printed now.

A page is worked through from top to bottom in an empty folder of its own, with `ckg` in the path:

    ```yaml file=spring.yaml        the block is that file
    ```console                      lines that begin with "$ " are run by sh; what follows each is what it prints
    ```console numbers=any          every number may be another one: an evaluator calls more than + − × ÷ and roots, whose last bit depends on the
                                    C library
    ```console exit=2               the last command ends with this status, the others with 0; exit=any: whatever
    ```console needs=report         run where the program has that command; needs=slurm, needs=nginx: where these are installed
    ```console norun                not run (cloning, building)

What is printed is compared digit for digit, but for times: how long something took, dates, and numbers of processes.

In expected output a line "…" stands for any number of lines, and "…" within a line for any text. Blocks of other kinds are left aside in README.md and
refused in the tutorial and the how-tos, where everything shown must run.

Links between all pages are checked too, headings included. Pages wait more than they compute, so several are worked through at once; a page that goes
wrong does not keep the others from being tried. A block that needs what this machine lacks is named as left out."""
import concurrent.futures
import contextlib
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITE = "--write" in sys.argv
sys.argv = [word for word in sys.argv if word != "--write"]
PROGRAM = os.path.abspath(sys.argv[1])
PORT = re.compile(r"\b18\d{3}\b")
AT_ONCE = 12
GIVEN = set()  # ports
NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(e[-+]?\d+)?(?![\w])")


# "0.12 s", "3 min 20 s", "2026-11-18 14:21:05", "14:21", "process 4711"
TIME = re.compile(r"(?<![\w.])(\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?Z?|\d\d:\d\d(:\d\d)?|\d+(\.\d+)? ?(ms|s|min|h|seconds?|minutes?|hours?|days?)"
                  r"|(?<=process )\d+)(?!\w)")


class Wrong(Exception):
    """What a page says is not so."""


def blocks(path):
    """(line, words of the fence, lines inside) of every block of the page."""
    found, fence = [], None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if fence is None and line.startswith("```"):
                fence = (number, line[3:].split(), [])
            elif fence is not None and line == "```":
                found.append(fence)
                fence = None
            elif fence is not None:
                fence[2].append(line)
    assert fence is None, f"{path}:{fence and fence[0]}: the block does not end"
    return found


def commands(lines):
    """(command, expected lines) of a console block; a command goes on where its line ends in a backslash."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        else:
            found[-1][1].append(line)
    return found


def blurred(line, any_number):
    """The line with what may differ, and the space around it, taken out."""
    text = TIME.sub("#", line.rstrip())
    return NUMBER.sub("#", " ".join(text.split())) if any_number else re.sub(r" *# *", "#", text)


def pattern(line, any_number):
    return ".*".join(re.escape(blurred(piece, any_number)) for piece in line.split("…"))


def matches(expected, printed, any_number):
    """Whether the printed lines are those expected, "…" standing for any number of them."""
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(matches(expected[1:], printed[i:], any_number) for i in range(len(printed) + 1))
    if not printed:
        return False
    return re.fullmatch(pattern(expected[0], any_number), blurred(printed[0], any_number)) is not None and matches(expected[1:], printed[1:], any_number)


def refreshed(lines, expected, printed):
    """The block's lines with what is printed now in the place of those expected, as far as these are whole lines."""
    out, at = list(lines), 0
    start = next(i for i in range(len(lines) - len(expected) + 1) if lines[i:i + len(expected)] == expected)
    for k, line in enumerate(expected):
        if line.strip() == "…":
            continue
        found = [i for i in range(at, len(printed)) if matches([line], [printed[i]], True)]
        if not found:
            break
        begins = NUMBER.search(line)  # behind a "…" several lines may fit: the one with the same number of a trial is meant
        same = [i for i in found if begins and (first := NUMBER.search(printed[i])) and first.group() == begins.group()]
        here = (same or found)[0]
        at = here + 1
        out[start + k] = line if "…" in line else printed[here].rstrip()
    return out


def run_console(where, words, lines, folder):
    environment = dict(os.environ, PATH=os.pathsep.join([os.path.dirname(PROGRAM), os.path.join(ROOT, "scripts"), os.environ["PATH"], "/usr/sbin"]), LC_ALL="C.UTF-8", XDG_STATE_HOME=folder)
    every = commands(lines)
    exit_wanted = next((word[5:] for word in words if word.startswith("exit=")), "0")
    for at, (command, expected) in enumerate(every):
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=3000)
        printed = done.stdout.splitlines()
        wanted = exit_wanted if at == len(every) - 1 else "0"
        if wanted != "any" and done.returncode != int(wanted):
            raise Wrong(f"{where}: `{command}` ended with {done.returncode}, not {wanted}\n{done.stdout}")
        if WRITE and not matches(expected, printed, False):
            lines[:] = refreshed(lines, expected, printed)
        if not matches(expected, printed, WRITE or "numbers=any" in words):
            raise Wrong(f"{where}: `{command}` printed\n\n{done.stdout}\nand the page shows\n\n" + "\n".join(expected))


def needed(words):
    return [word[6:] for word in words if word.startswith("needs=")]


def has_what_it_needs(words):
    needs = needed(words)
    if "slurm" in needs:
        return bool(shutil.which("sbatch") and shutil.which("slurmctld", path=os.environ["PATH"] + ":/usr/sbin:/sbin"))
    if "nginx" in needs:
        return bool(shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") and shutil.which("openssl"))
    known = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout if needs else ""
    return all(f"\n  {command} " in known for command in needs)


def write_page(path, found):
    with open(path, encoding="utf-8") as file:
        text = file.read().split("\n")
    for line, words, lines in found:
        text[line:line + len(lines)] = lines
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text))


def stop_slurm(folder):
    """One that a page has started and, having gone wrong, has not stopped."""
    here = os.path.join(folder, "here")
    if os.path.exists(os.path.join(here, "slurm.conf")):
        subprocess.run([os.path.join(ROOT, "scripts", "slurm-here.sh"), "stop", here], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def free_ports(count):
    """So many ports that are free and that no other page was given."""
    found = []
    while len(found) < count:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        if port not in GIVEN:
            GIVEN.add(port)
            found.append(str(port))
    return found


def with_free_ports(found):
    """The ports 18000 to 18999 of a page may be somebody's: each becomes one that is free."""
    named = sorted({port for _, _, lines in found for line in lines for port in re.findall(r"(?<=:)18\d{3}\b", line)})
    ports = dict(zip(named, free_ports(len(named))))
    return [(line, words, [PORT.sub(lambda port: ports.get(port[0], port[0]), text) for text in lines]) for line, words, lines in found]


def run_page(path, strict):
    name = os.path.relpath(path, ROOT)
    found = blocks(path)
    if not WRITE:
        found = with_free_ports(found)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, contextlib.ExitStack() as at_the_end:
        at_the_end.callback(stop_slurm, folder)
        for line, words, lines in found:
            file = next((word[5:] for word in words if word.startswith("file=")), None)
            if file:
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write("\n".join(lines) + "\n")
            elif words[:1] == ["console"] and "norun" not in words:
                if has_what_it_needs(words):
                    run_console(f"{name}:{line}", words, lines, folder)
                else:
                    print(f"{name}:{line}: left out: it needs {' and '.join(needed(words))}", flush=True)
            elif strict and "norun" not in words:
                raise Wrong(f"{name}:{line}: a block that is neither a file nor run")
    if WRITE:
        write_page(path, found)


def headings(path):
    """The anchors of a page's headings, as GitHub makes them."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def check_links(page):
    """Every link of the page within the repository leads to a file and, where it names one, to a heading."""
    name = os.path.relpath(page, ROOT)
    with open(page, encoding="utf-8") as file:
        links = re.findall(r"\]\(([^)\s]+)\)", file.read())
    for link in links:
        if link.startswith("https:"):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(target):
            raise Wrong(f"{name}: {link} does not exist")
        if anchor and anchor not in headings(target):
            raise Wrong(f"{name}: {link} names no heading")


STRICT = [os.path.join(ROOT, "docs", "tutorial.md"), os.path.join(ROOT, "docs", "first-ten-minutes.md"), os.path.join(ROOT, "docs", "second-study.md"),
          *sorted(glob.glob(os.path.join(ROOT, "docs", "howto", "*.md")))]
pages = [os.path.abspath(page) for page in sys.argv[2:]] or [os.path.join(ROOT, "README.md"), *STRICT]
linked = glob.glob(os.path.join(ROOT, "*.md")) + [page for folder in ("docs", "examples", "bench")
                                                  for page in glob.glob(os.path.join(ROOT, folder, "**", "*.md"), recursive=True)]


def attempt(work, *given):
    """What goes wrong, or nothing."""
    try:
        work(*given)
    except (Wrong, AssertionError, OSError, subprocess.SubprocessError) as why:
        return [str(why)]
    return []


def work_through(page):
    start = time.monotonic()
    wrong = attempt(run_page, page, page in STRICT)
    print(os.path.relpath(page, ROOT), "does NOT do what it says" if wrong else "does what it says", f"({time.monotonic() - start:.1f} s)", flush=True)
    return wrong


wrong = [text for page in sorted(linked) for text in attempt(check_links, page)]
with concurrent.futures.ThreadPoolExecutor(1 if WRITE else AT_ONCE) as pool:
    wrong += [text for said in pool.map(work_through, pages) for text in said]
sys.exit("\n\n".join(wrong) or 0)
