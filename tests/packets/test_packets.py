"""Every NAME.p4 here with its NAME.stf, and every app with its packets.stf: by the interpreter and by the compiled switch."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest
import switches

from macsad import simulate, test
from transpiler.interpreter import ControlError

HERE = Path(__file__).parent
APPS = HERE.parents[1] / "apps"
PAIRS = [(p, p.with_suffix(".stf")) for p in sorted(HERE.glob("*.p4"))]
PAIRS += [(p, p.parent / "packets.stf") for p in sorted(APPS.glob("*/*.p4")) if (p.parent / "packets.stf").exists()]
NAMES = [program.stem for program, _ in PAIRS]


def test_there_are_programs() -> None:
    assert {"tables", "parsing", "state", "paths", "arithmetic"} <= set(NAMES)


@pytest.mark.parametrize(("program", "stf"), PAIRS, ids=NAMES)
def test_interpreter(program: Path, stf: Path) -> None:
    out = io.StringIO()
    assert simulate.run(switches.load(program), stf, out=out) == 0, out.getvalue()


@pytest.mark.parametrize(("program", "stf"), PAIRS, ids=NAMES)
def test_compiled(program: Path, stf: Path) -> None:
    out = io.StringIO()
    assert test.run(switches.load(program), stf, switches.build(program), out=out) == 0, out.getvalue()


def test_a_failing_expectation_fails_on_both(tmp_path: Path) -> None:
    program = HERE / "tables.p4"
    stf = tmp_path / "wrong.stf"
    stf.write_text("add exact_one a:1 send(port:1, by:2)\npacket 0 00 00 0001 00000000\nexpect 1 00 03\n")
    for run in (
        lambda out: simulate.run(switches.load(program), stf, out=out),
        lambda out: test.run(switches.load(program), stf, switches.build(program), out=out),
    ):
        out = io.StringIO()
        assert run(out) == 1
        assert f"{stf}:3:1: error: packet 1 on port 1 is not as expected" in out.getvalue()
        assert "in: hdr.key.by" in out.getvalue()


def test_a_switch_that_does_not_start_is_said(tmp_path: Path) -> None:
    stf = tmp_path / "t.stf"
    stf.write_text("packet 0 00\n")
    out = io.StringIO()
    assert test.run(switches.load(HERE / "tables.p4"), stf, Path("/bin/false"), out=out) == 1
    assert "the switch did not start (exit 1)" in out.getvalue()


def test_a_switch_that_dies_is_said() -> None:
    device = switches.start(HERE / "tables.p4", (0, 1))
    device.inject(0, bytes(8))
    device._process.kill()
    with pytest.raises(ControlError, match=r"the switch has closed|the connection"):
        for _ in range(3):
            device.collect()
    with pytest.raises(ControlError, match=r"did not end cleanly \(exit -9\)"):
        device.close()


def test_the_switch_of_a_test_that_is_killed_ends() -> None:
    program = HERE / "tables.p4"
    begin = """import os, pathlib, signal, sys
from macsad import compilation
from macsad.compilation import Request
from macsad.stf.compiled import CompiledDevice
program, binary = map(pathlib.Path, sys.argv[1:])
device = CompiledDevice(compilation.load(Request(program)), binary, (0, 1))
print(device._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)"""
    command = [sys.executable, "-c", begin, str(program), str(switches.build(program))]
    switch = int(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout)
    end = time.monotonic() + 20
    while (status := Path(f"/proc/{switch}/stat")).exists() and ") Z " not in status.read_text():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_the_switch_refuses_is_said() -> None:
    device = switches.start(HERE / "tables.p4", (0, 1))
    try:
        with pytest.raises(ControlError):
            device.group_create(0)
        with pytest.raises(ControlError):
            device.inject(7, bytes(8))
    finally:
        device.close()
