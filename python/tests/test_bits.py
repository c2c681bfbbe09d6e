"""A study in Python is a study in C, to the last bit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import pyckg

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """tests/bits.c with the library that the module was built from."""
    library = ROOT / "build-python/cmake-Release/ckg/libckg.a"
    made = tmp_path_factory.mktemp("bits") / "bits"
    source = Path(__file__).with_name("bits.c")
    subprocess.run(["cc", "-I", ROOT / "include", source, library, "-lm", "-lpthread", "-o", made], check=True)
    return made


def line(first: str, *numbers: float | None) -> str:
    return " ".join([first, *("nan" if n is None else float(n).hex() for n in numbers)])


def python_lines(policy: str, seed: int, count: int) -> list[str]:
    study = pyckg.Study(
        {
            "wire": pyckg.Real(0.05, 2, log=True),
            "coils": pyckg.Integer(2, 15),
            "alloy": pyckg.Categorical(["steel", "brass"]),
        },
        objective="weight",
        constraints={"stress": (None, 0)},
        rules=["coils + wire <= 14"],
        policy=policy,
        seed=seed,
    )
    lines = []
    for _ in range(count):
        t = study.ask()
        alloy = ["steel", "brass"].index(t["alloy"])
        said = [t.predicted.outcomes[name] if t.predicted else None for name in study.outcomes]
        means, sds = [s and s.mean for s in said], [s and s.sd for s in said]
        lines.append(line(f"{t.number} {t.origin}", t["wire"], t["coils"], alloy, *means, *sds, t.value))
        wire = t["wire"]
        study.tell(t, weight=wire * wire * (t["coils"] + 2) * (1 + alloy), stress=1 - wire * t["coils"] / 2)
    r = study.recommend()
    p = r.parameters
    outcomes = [r.objective, r.constraints["stress"]]
    alloy = ["steel", "brass"].index(p["alloy"])
    means, sds = [o.mean for o in outcomes], [o.sd for o in outcomes]
    lines.append(line("recommended", p["wire"], p["coils"], alloy, *means, *sds, r.utility))
    return lines


@pytest.mark.as_released
@pytest.mark.parametrize(("policy", "seed"), [("ckg", 1), ("ckg", 2**64 - 1), ("nei", 7), ("cmes", 3)])
def test_the_same_bits(program: Path, policy: str, seed: int) -> None:
    run = subprocess.run([program, policy, str(seed), "16"], check=True, capture_output=True, text=True)
    expected = []
    for text in run.stdout.splitlines():
        words = text.replace("-nan", "nan").split()
        names = 1 if words[0] == "recommended" else 2
        expected.append(line(" ".join(words[:names]), *map(float.fromhex, words[names:])))
    assert python_lines(policy, seed, 16) == expected
