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
from macsad.targets import Machine
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
        (None, "", "", "was not measured in 120 s"), (0, "{}", "", "it is no profile of a machine"),
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
        with pytest.raises((BenchError, BadProfile), match=error):
            profiling.measure()


def test_a_binary_is_built_for_the_machine_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def program(name: str, folder: Path, machine: Machine) -> Path:
        (folder / name).write_text(f"{name} for {machine}")
        return folder / name

    monkeypatch.setattr(profiling, "program", program)
    profiling.build("aarch64", tmp_path / "board")
    assert (tmp_path / "board").read_text() == f"profile for {Machine(arch='aarch64')}"


@pytest.mark.parametrize(
    ("text", "said"),
    [(b"{", "m.json: it is not JSON"), (b"\xff", "m.json: it is not JSON"), (b"{}", "m.json: it is no profile")],
)
def test_a_file_that_is_no_profile(tmp_path: Path, text: bytes, said: str) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(text)
    with pytest.raises(BadProfile, match=said):
        profiling.read(file)
    file.write_text(json.dumps(MACHINE))
    assert profiling.read(file) == machine_profile(MACHINE)


def test_the_figures_that_say_most(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each number of bytes: a miss, 8 and 64 in flight, and these on small pages."""
    cycles = {("huge", 0): 80, ("huge", 1): 70, ("huge", 8): 20, ("huge", 64): 6}
    cycles |= {("small", 0): 90, ("small", 1): 85, ("small", 8): 30, ("small", 64): 9}
    reads = [
        {"pages": pages, "bytes": size, "in_flight": number, "cycles": each + 100 * n}
        for n, size in enumerate((1 << 14, (1 << 20) - (1 << 10), 1 << 20, 96 << 20)) for (pages, number), each in cycles.items()
    ]  # fmt: skip
    io = [{"length": 64, "burst": b, "cycles": each} for b, each in ((1, 50.0), (8, 12.25), (32, 6.0), (256, 3.0))]
    machine = {**MACHINE, "hz": 2.345e9, "reads": reads, "io": io}
    file = tmp_path / "m.json"
    text = (
        "counter: 2.35 GHz\n"
        "receive and transmit, cycles a packet, B =  1: 50.0  8: 12.2  32: 6.0  256: 3.0\n"
        "  random reads, cycles    a miss  8 in flight  64 in flight  64, small pages\n"
        "                16 KiB      80.0         20.0           6.0              9.0\n"
        "              1023 KiB     180.0        120.0         106.0            109.0\n"
        "                 1 MiB     280.0        220.0         206.0            209.0\n"
        "                96 MiB     380.0        320.0         306.0            309.0\n"
    )
    copying = "copying, cycles a frame, bytes =  64: 4  1024: 20\n"
    handing = "handing a burst to another core, cycles, packets =  1: 100  32: 400\n"
    for handover, line in ((MACHINE["handover"], handing), ([], "")):
        file.write_text(json.dumps({**machine, "handover": handover}))
        assert cli.call(["profile", "--machine", str(file)]) == 0
        assert capsys.readouterr().out == text + line + copying
    assert cli.call(["profile", "--machine", str(file), "--json"]) == 0
    assert capsys.readouterr().out == json.dumps({**machine, "handover": []}, indent=1) + "\n"


@pytest.mark.parametrize("words", [["-o", "x", "--json"], ["-o", "x", "--plot", "x.svg"], []])
def test_a_binary_for_another_machine_is_all_that_is_made(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.call(["profile", "--arch", "aarch64", *words]) == cli.USAGE
    assert "--arch goes with -o FILE alone" in " ".join(capsys.readouterr().err.split())
