"""`macsad profile`: what it measures, what it keeps and where, and what it tells. Nothing is measured."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from machine import MACHINE

from macsad import cli, profiling
from macsad.bench.contestants import BenchError
from macsad.verbs import profile as verb
from transpiler.model.machine import BadProfile, machine_profile
from transpiler.toolchain.architectures import host_arch

SUMMARY = """\
counter: 2.00 GHz
receive and transmit, cycles a packet, B =  1: 68.0  8: 30.8  32: 6.0  256: 4.2
  random reads, cycles    a miss  8 in flight  64 in flight  64, small pages
                16 KiB      10.0          1.2           1.2              1.2
                 1 MiB      50.0          6.2           6.2              6.2
                64 MiB      90.0         11.2          11.2             11.2
handing a burst to another core, cycles, packets =  1: 100  32: 400
copying, cycles a frame, bytes =  64: 4  1024: 20
"""


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the profile of this machine goes, which is that of `machine`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(profiling, "kept", lambda: tmp_path / "cache" / "machine.json")
    monkeypatch.setattr(profiling, "measure", lambda: MACHINE)
    return tmp_path / "cache" / "machine.json"


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert cli.call(["profile", *words]) == code
    found = capsys.readouterr()
    return found.err if code else found.out


def test_a_machine_is_measured_into_the_cache(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or into the file that is named."""
    assert told(capsys) == f"{SUMMARY}{kept}: the profile of this machine, {host_arch()}\n"
    assert json.loads(kept.read_text()) == MACHINE
    kept.unlink()
    assert told(capsys, "-o", "here.json").endswith("here.json: the profile of this machine, " + host_arch() + "\n")
    assert json.loads(Path("here.json").read_text()) == MACHINE and not kept.exists()
    assert json.loads(told(capsys, "--json")) == MACHINE


def test_a_file_is_shown_and_nothing_measured(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One CPU hands nothing over."""
    Path("m.json").write_text(json.dumps(MACHINE))
    assert told(capsys, "--machine", "m.json") == SUMMARY and not kept.exists()
    Path("m.json").write_text(json.dumps({**MACHINE, "handover": []}))
    assert "handing" not in told(capsys, "--machine", "m.json")
    Path("m.json").write_text("{}")
    assert "error" in told(capsys, "--machine", "m.json", code=1).lower()


def test_a_profile_is_drawn(kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb.plots, "drawable", lambda path: None)
    monkeypatch.setattr(verb.machine_plot, "draw", lambda profile, beside: beside.write_text(f"{profile.hz}"))
    told(capsys, "--plot", "p.svg")
    assert Path("p.svg").read_text() == "2000000000.0"


def test_a_binary_for_another_machine(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profiling, "build", lambda arch, output: output.write_text(arch))
    said = told(capsys, "--arch", "aarch64", "-o", "board")
    assert said == "board: run it on the machine, with its output in a file for --machine\n"
    assert Path("board").read_text() == "aarch64" and not kept.exists()
    Path("m.json").write_text("{}")
    for more in ([], ["-o", "b", "--json"], ["-o", "b", "--plot", "p.svg"], ["-o", "b", "--machine", "m.json"]):
        assert "--arch goes with -o FILE alone" in told(capsys, "--arch", "aarch64", *more, code=cli.USAGE)


@pytest.mark.parametrize(
    ("code", "out", "err", "error"),
    [
        (0, json.dumps(MACHINE), "", None), (1, "", "no huge pages\n", "no huge pages"), (1, "", "", "cannot be measured"),
        (None, "", "", "was not measured in 120 s"),
    ],
)  # fmt: skip
def test_what_the_measuring_program_says(
    monkeypatch: pytest.MonkeyPatch, code: int | None, out: str, err: str, error: str | None
) -> None:
    def run(command: list[str], **how: Any) -> Any:
        if code is None:
            raise subprocess.TimeoutExpired(command, how["timeout"])
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    monkeypatch.setattr(profiling, "program", lambda name, folder: folder / name)
    monkeypatch.setattr(profiling.subprocess, "run", run)
    if error is None:
        assert profiling.measure() == MACHINE
    else:
        with pytest.raises(BenchError, match=error):
            profiling.measure()


@pytest.mark.parametrize(("text", "said"), [("{", "it is not JSON"), ("{}", "m.json: ")])
def test_a_file_that_is_no_profile(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "m.json"
    file.write_text(text)
    with pytest.raises(BadProfile, match=said):
        profiling.read(file)
    file.write_text(json.dumps(MACHINE))
    assert profiling.read(file) == machine_profile(MACHINE)
