"""Installed from a wheel into a fresh environment, macsad works in any folder: nothing of the checkout is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests")
NO_NETWORK = ("no matching distribution", "could not find a version", "temporary failure", "network is unreachable")


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        command, cwd=cwd, env=known | environment, capture_output=True, text=True, check=False, timeout=240
    )


def pip(*arguments: str | Path, python: Path, cwd: Path) -> None:
    done = run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd)
    if done.returncode and any(words in done.stderr.lower() for words in NO_NETWORK):
        pytest.skip(f"pip cannot fetch what it takes: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made of a copy of the checkout: building leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", ignore=LEFT_OUT)
    pip("wheel", "--no-deps", "-w", folder, folder / "source", python=Path(sys.executable), cwd=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the commands of an environment that macsad is installed in."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip("install", wheel, python=folder / "bin" / "python", cwd=folder)
    return folder / "bin"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder far from the checkout, with a copy of an app."""
    shutil.copytree(ROOT / "apps" / "l3fwd", tmp_path / "mine")
    return tmp_path / "mine"


def test_all_of_it_is_inside(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for source in [
        *(ROOT / "templates").glob("*.j2"),
        *(ROOT / "aux-backend").rglob("*.[ch]"),
        *(ROOT / "apps").rglob("*.p4"),
    ]:
        assert f"macsad/share/{source.relative_to(ROOT)}" in names
    assert {"aux_frontend/p4include/core.p4", "aux_frontend/p4include/v1model.p4"} <= names
    assert "transpiler/targets/software/target.toml" in names
    assert not [name for name in names if name.startswith("tests/") or "__pycache__" in name]


def test_check(installed: Path, elsewhere: Path) -> None:
    assert run(installed / "macsad", "check", "l3fwd.p4", cwd=elsewhere).returncode == 0
    (elsewhere / "wrong.p4").write_text((elsewhere / "l3fwd.p4").read_text().replace("drop();", "dorp();", 1))
    done = run(installed / "macsad", "check", "wrong.p4", cwd=elsewhere)
    assert done.returncode == 1
    assert done.stderr.startswith("wrong.p4:") and "did you mean 'drop'" in done.stderr


def test_test_simulate_and_run(installed: Path, elsewhere: Path, tmp_path: Path) -> None:
    for verb in ("test", "simulate"):
        done = run(installed / "macsad", verb, "l3fwd.p4", "packets.stf", cwd=elsewhere)
        assert done.returncode == 0, done.stderr + done.stdout
        assert done.stdout.startswith("passed")
    (elsewhere / "in.pcap").write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
    ports = ["--port", "0=pcap:in.pcap,out.pcap", "--entries", "entries.txt"]
    done = run(installed / "macsad", "run", "l3fwd.p4", *ports, cwd=elsewhere, XDG_RUNTIME_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "received 0 + copies 0 = sent 0 + dropped 0" in done.stdout
    assert (elsewhere / "build" / "l3fwd").exists()
