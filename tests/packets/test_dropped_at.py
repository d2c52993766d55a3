"""Drops by line: the compiled switch counts each packet that the program drops at the statement that the interpreter names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import switches
from test_packets import NAMES, PAIRS

from macsad.stf.check import load_plan
from macsad.stf.device import Device
from macsad.stf.interpreted import InterpretedDevice
from macsad.stf.runner import Runner, ports_of
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.program import Program
from transpiler.interpreter.trace import Event
from transpiler.schedule import dropped_at

HERE = Path(__file__).parent


def carried_out(program: Program, stf: Path, device: Device) -> None:
    diagnostics = Diagnostics()
    Runner(program, device, diagnostics, lambda frame: []).run(load_plan(program, stf, diagnostics))


def by_interpreter(program: Program, stf: Path) -> Counter[str]:
    found: Counter[str] = Counter()

    def note(event: Event) -> None:
        if event.kind == "drop" and event.span is not None:
            found[f"{Path(event.span.file).name}:{event.span.line}"] += 1

    carried_out(program, stf, InterpretedDevice(program, trace=note))
    return found


def by_switch(path: Path, stf: Path) -> Counter[str]:
    program = switches.load(path)
    device = switches.start(path, ports_of(load_plan(program, stf, Diagnostics())))
    try:
        carried_out(program, stf, device)
        stats = device.statistics()
    finally:
        device.close()
    assert sum(stats["dropped_at"].values()) <= stats["drops"]["program"]
    return Counter(stats["dropped_at"])


@pytest.mark.parametrize(("program", "stf"), PAIRS, ids=NAMES)
def test_drops_are_counted_by_line(program: Path, stf: Path) -> None:
    assert by_switch(program, stf) == by_interpreter(switches.load(program), stf)


def test_the_programs_drop_in_each_architecture() -> None:
    for name in ("paths", "p4_14_primitives", "psa_paths", "pna_paths", "drop_port"):
        assert by_interpreter(switches.load(HERE / f"{name}.p4"), HERE / f"{name}.stf"), name


def test_lines_beyond_the_numbers_that_there_are_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    program = switches.load(HERE / "paths.p4")
    monkeypatch.setattr(dropped_at, "PLACES", 1)
    first = dropped_at.places(dropped_at.with_dropped_at(program))
    monkeypatch.setattr(dropped_at, "PLACES", 111)
    all_of_them = dropped_at.places(dropped_at.with_dropped_at(program))
    assert len(first) == 1 < len(all_of_them) and all_of_them[0] == first[0]


def test_drops_of_parsers_are_counted_by_line(tmp_path: Path) -> None:
    program, stf = tmp_path / "early.p4", tmp_path / "early.stf"
    text = (
        (HERE / "drop_port.p4").read_text().replace("transition accept;", "sm.egress_spec = 511;\ntransition accept;")
    )
    program.write_text(text)
    stf.write_text("packet 0 0307 aa\nno_packet\n")
    line = text[: text.index("= 511;")].count("\n") + 1
    assert by_interpreter(switches.load(program), stf) == by_switch(program, stf) == {f"early.p4:{line}": 1}
