"""What Python adds: to an ask and a tell, to the start of a program, to memory, to Ctrl-C.

    make wheel && pip install build-python/wheels/*.whl && python bench/python/call_cost.py

Seconds are the processor's, the best of several runs, but for Ctrl-C, where the clock's count. Needs a C compiler.
"""

from __future__ import annotations

import gc
import random
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import pyckg

ROOT = Path(__file__).resolve().parents[2]
COUNT = 5000


def cost_in_c() -> float:
    """Microseconds of an ask and a tell through C."""
    source, library = Path(__file__).with_suffix(".c"), ROOT / "build-python/cmake-Release/ckg/libckg.a"
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "call_cost"
        flags = ["-O2", "-I", ROOT / "include", source, library, "-lm", "-lpthread", "-o", program]
        subprocess.run(["cc", *flags], check=True)
        runs = [subprocess.run([program, str(COUNT)], check=True, capture_output=True, text=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def cost_in_python() -> float:
    """The same through Python."""
    best = float("inf")
    for _ in range(5):
        study = pyckg.Study(
            {"x": pyckg.Real(0, 1), "y": pyckg.Real(0, 1)}, constraints={"g": (None, 0)}, seed=1, policy="random"
        )
        begun = time.process_time()
        for _ in range(COUNT):
            t = study.ask()
            study.tell(t, objective=t["x"], g=t["y"] - 0.5)
        best = min(best, 1e6 * (time.process_time() - begun) / COUNT)
    return best


def import_seconds() -> float:
    text = "import time; begun = time.process_time(); import pyckg; print(time.process_time() - begun)"
    runs = [subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True) for _ in range(10)]
    return min(float(run.stdout) for run in runs)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def growth(count: int) -> tuple[float, float]:
    """Bytes a trial: of Python's, and of the process."""
    study = pyckg.Study({"x": pyckg.Real(0, 1), "y": pyckg.Real(0, 1)}, constraints={"g": (None, 0)}, policy="random")

    def tell(times: int) -> None:
        for i in range(times):
            trial = study.add({"x": i * 0.618 % 1, "y": i * 0.414 % 1})
            study.tell(trial, objective=1.0 + i, g=-0.5)

    tell(1000)
    gc.collect()
    tracemalloc.start()
    python, process = tracemalloc.get_traced_memory()[0], resident()
    tell(count)
    gc.collect()
    python = tracemalloc.get_traced_memory()[0] - python
    tracemalloc.stop()
    return python / count, (resident() - process) / count


def interrupted(policy: str) -> tuple[int, float]:
    """How often Ctrl-C struck in an ask, and how many seconds it took until Python went on, at most."""
    draw = random.Random(1)
    names = [f"x{i}" for i in range(8)]
    limits = {"a": (None, 0.5), "b": (None, 1.0)}
    study = pyckg.Study({name: pyckg.Real(0, 1) for name in names}, "f", limits, seed=1, policy=policy)
    for _ in range(150):
        x = [draw.random() for _ in names]
        values = {
            "f": sum((v - 0.3) ** 2 for v in x) + draw.gauss(0, 0.1),
            "a": x[0] - x[1] + draw.gauss(0, 0.1),
            "b": x[2] * x[3],
        }
        study.tell(study.add(dict(zip(names, x, strict=True))), values)
    times, worst = 0, 0.0
    for delay in (0.02, 0.1, 0.25, 0.5, 0.8, 1.2, 2.0):
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            trial = study.ask()
            signal.setitimer(signal.ITIMER_REAL, 0)
            study.cancel(trial)
            break
        except KeyboardInterrupt:
            times, worst = times + 1, max(worst, time.monotonic() - begun - delay)
    return times, worst


def main() -> None:
    inside, outside = cost_in_c(), cost_in_python()
    print(f"ask and tell: {inside:.1f} us through C, {outside:.1f} us through Python: {outside - inside:.1f} us more")
    print(f"import pyckg: {import_seconds():.3f} s")
    python, process = growth(100_000)
    print(f"100000 trials told: {python:.0f} bytes of Python's a trial, {process:.0f} bytes of the process")
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    print("Ctrl-C during an ask with 150 trials, 8 parameters and 2 constraints, at 0.02 … 2 s:")
    for policy in pyckg.policies():
        times, worst = interrupted(policy.name)
        print(
            f"  {policy.name:7} "
            + (f"{times} times, Python goes on after at most {worst:.3f} s" if times else "done before")
        )


if __name__ == "__main__":
    main()
