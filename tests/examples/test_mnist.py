"""test_mnist.py CKG EVALUATOR: the evaluator of examples/mnist on a small set of images made here, then study.py and figure.py with it."""
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples", "mnist")
CKG, EVALUATOR = map(os.path.abspath, sys.argv[1:3])
DESIGN = {"learning_rate": 0.003, "beta_1": 0.9, "beta_2": 0.99, "dropout_rate_1": 0.1, "dropout_rate_2": 0, "dropout_rate_3": 0.1,
          "n_neurons_1": 6, "n_neurons_2": 5.5, "n_neurons_3": 5}
SMALL = ["--train", "600", "--validation", "200", "--batch", "50", "--predictions", "5"]


def write_set(folder, part, count, seed):
    """Class k is a bright block of its own in a noisy image."""
    rng = random.Random(seed)
    labels = [rng.randrange(10) for _ in range(count)]
    with open(os.path.join(folder, part + "-labels-idx1-ubyte"), "wb") as file:
        file.write(bytes([0, 0, 8, 1]) + count.to_bytes(4, "big") + bytes(labels))
    with open(os.path.join(folder, part + "-images-idx3-ubyte"), "wb") as file:
        file.write(bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in (count, 28, 28)))
        for k in labels:
            pixels = bytearray(rng.choices(range(60), k=784))
            for row in range(10):
                start = 28 * (row + 14 * (k // 5)) + 5 * (k % 5)
                pixels[start:start + 5] = bytes([200]) * 5
            file.write(pixels)


def run(data, *words, design=DESIGN, trial=None):
    environment = {k: v for k, v in os.environ.items() if k != "CKG_TRIAL"}
    if trial is not None:
        environment["CKG_TRIAL"] = str(trial)
    text = design if isinstance(design, str) else json.dumps(design)
    return subprocess.run([EVALUATOR, "--data", data, *words], input=text, env=environment, capture_output=True, text=True, timeout=3000)


def answer(data, *words, **more):
    done = run(data, *words, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_answers(data):
    first = answer(data, *SMALL, "--epochs", "8")
    assert set(first) == {"error", "time_ms"} and 0 <= first["error"] < 0.05 and first["time_ms"] > 0, first
    untrained = answer(data, *SMALL, "--epochs", "0")
    assert untrained["error"] > 0.6, untrained
    assert answer(data, *SMALL, "--epochs", "8", "--test", "1")["error"] < 0.1
    other = {"one_minus_beta_1" if k == "beta_1" else k: 0.1 if k == "beta_1" else v for k, v in DESIGN.items()}
    assert abs(answer(data, *SMALL, "--epochs", "8", design=other)["error"] - first["error"]) < 0.05
    # One epoch leaves an error that depends on the random numbers, which follow from seed and trial.
    once = [answer(data, *SMALL, "--epochs", "1", "--seed", s, trial=t)["error"] for s, t in (("1", 1), ("1", 1), ("1", 2), ("2", 1))]
    assert once[0] == once[1] and len(set(once)) > 1, once
    logarithm = answer(data, *SMALL, "--epochs", "1", "--log-error", "1", trial=1)
    assert abs(10 ** logarithm["log_error"] - once[0]) < 1e-12 or once[0] == 0, logarithm
    timed = answer(data, *SMALL, "--epochs", "0", "--log-time", "1", "--sd", "1", "--cpu", "1")
    assert set(timed) == {"error", "log_time"} and len(timed["log_time"]) == 2 and timed["log_time"][1] >= 0, timed


def check_refusals(data):
    def refused(status, says, *words, design=DESIGN):
        done = run(data, *SMALL, *words, design=design)
        assert (done.returncode, done.stdout) == (status, "") and says in done.stderr and done.stderr.count("\n") == 1, done

    refused(2, "unknown option", "--epoch", "1")
    refused(2, "wrong value of --epochs", "--epochs", "1.5")
    refused(2, "wrong value of --batch", "--batch", "0")
    refused(2, "a value is missing after --seed", "--seed")
    refused(1, "no design on standard input", design="{")
    refused(1, "the design has no number beta_2", design={k: v for k, v in DESIGN.items() if k != "beta_2"})
    refused(1, "out of range: dropout_rate_3", design={**DESIGN, "dropout_rate_3": 1})
    refused(1, "has fewer images than are wanted", "--train", "801")
    refused(1, "training and validation images overlap", "--train", "601")
    refused(1, "cannot be opened", "--data", "/nowhere")


def check_study(data, place):
    out = os.path.join(place, "study")
    words = [sys.executable, os.path.join(EXAMPLE, "study.py"), "--out", out, "--data", data, "--ckg", CKG, "--mnist", EVALUATOR, "--train", "100",
             "--validation", "100", "--epochs", "1", "--predictions", "3", "--policies", "ckg,random", "--replications", "2", "--initial", "3",
             "--evaluations", "5", "--step", "2", "--retrain", "2", "--log-error", "1"]
    subprocess.run(words, check=True, timeout=3000)
    tables = ("recommended", "retrained", "trials")
    before = {name: open(os.path.join(out, name + ".csv")).read() for name in tables}
    assert [before[name].count("\n") for name in tables] == [1 + 2 * 2 * 2, 1 + 2 * 2 * 2 * 2, 1 + 2 * 2 * 5], before
    trials = [line.split(",") for line in before["trials"].splitlines()]
    begin = {p: [t[2:] for t in trials if t[:2] == ["1", p] and int(t[2]) <= 3] for p in ("ckg", "random")}
    assert begin["ckg"] == begin["random"], "the initial design is not common"
    # A row cut short is made again, and nothing else.
    with open(os.path.join(out, "recommended.csv"), "r+") as file:
        file.truncate(len(before["recommended"]) - 20)
    subprocess.run(words, check=True, timeout=3000)
    after = {name: open(os.path.join(out, name + ".csv")).read() for name in tables}
    assert after == before
    picture = os.path.join(place, "figure.svg")
    words = [sys.executable, os.path.join(EXAMPLE, "figure.py"), out, "-o", picture]
    table = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert "| ckg | 2 |" in table and "| random | 2 |" in table, table
    assert open(picture).read().startswith("<svg ")


sys.dont_write_bytecode = True
with tempfile.TemporaryDirectory() as folder:
    write_set(folder, "train", 800, 1)
    write_set(folder, "t10k", 100, 2)
    check_answers(folder)
    check_refusals(folder)
    check_study(folder, folder)
