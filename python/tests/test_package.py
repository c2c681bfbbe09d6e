"""The wheel and the sources: one file for every Python, the fast variants inside, types and style checked."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pyckg

PYTHON = Path(__file__).resolve().parents[1]


@pytest.fixture
def wheel() -> Path:
    if "CKG_WHEEL" not in os.environ:
        pytest.skip("CKG_WHEEL names no wheel: run by make python")
    return Path(os.environ["CKG_WHEEL"])


def run(*words: str | Path, where: Path = PYTHON) -> str:
    """What a tool says, which must be content."""
    done = subprocess.run(words, cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def tool(name: str) -> list[str]:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed here")
    return [sys.executable, "-m", name]


def test_the_version_is_the_library_s() -> None:
    header = (PYTHON.parent / "include/ckg/version.h").read_text()
    assert f'CKG_VERSION_STRING "{pyckg.__version__}"' in header


def test_what_the_wheel_holds(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "pyckg/_binding.abi3.so" in names and "pyckg/py.typed" in names
    assert "-cp311-abi3-" in wheel.name


def test_one_file_for_every_python(wheel: Path) -> None:
    tool("abi3audit")
    said = run(Path(sys.executable).with_name("abi3audit"), "--strict", "-s", wheel)
    assert "0 ABI violations" in " ".join(said.split())


@pytest.mark.as_released
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="manylinux is for glibc")
def test_it_runs_where_glibc_is_2_34(wheel: Path) -> None:
    said = run(*tool("auditwheel"), "show", wheel)
    minor = re.search(r'tag: "manylinux_2_(\d+)_', " ".join(said.split()))
    assert minor and int(minor[1]) <= 34, said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the variants are for x86-64")
def test_the_fast_variants_are_inside(wheel: Path, tmp_path: Path) -> None:
    """v3 has fused multiply-adds on ymm registers, v4 on zmm registers."""
    module = zipfile.ZipFile(wheel).extract("pyckg/_binding.abi3.so", tmp_path)
    code = run("objdump", "-d", "--no-show-raw-insn", module)
    fused = re.findall(r"vfm?n?m?add\w+pd\s.*%([yz])mm", code)
    assert fused.count("y") > 100 and fused.count("z") > 100


def test_types_by_mypy() -> None:
    run(*tool("mypy"), "--strict", "--cache-dir", os.devnull)


@pytest.mark.in_full
def test_types_by_pyright() -> None:
    run(*tool("pyright"), "--pythonpath", sys.executable)


def test_style() -> None:
    run(*tool("ruff"), "check", "--no-cache", "src", "tests")
    run(*tool("ruff"), "format", "--no-cache", "--check", "src", "tests")
