"""Parser value sets, filled at run time: the compiled switch, and the interpreter as its measure."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.matches import Exact, Prefix, Range, Ternary

PROGRAM = Path(__file__).parent / "value_sets.p4"
WIDE = 0x0102030405060708FF


def frame(kind: int, at: int, wide: int) -> bytes:
    return kind.to_bytes(2, "big") + bytes([at]) + wide.to_bytes(9, "big") + b"\x10\x99"


STEPS = (
    (),
    ("kinds", Exact(3)),
    ("kinds", Exact(2)),
    ("others", Exact(0xFFFF)),
    ("others", Exact(3)),
    ("pairs", Exact(4), Exact(WIDE)),
    ("pairs", Exact(0xFFFF), Exact(0)),
    ("parts", Ternary(0xFF00, 0xFF00), Prefix(7, 8), Range(0, 0)),
    ("parts", Ternary(4, 0xFFFF), Prefix(8, 8), Range(0xFF, 0xFF)),
    ("parts", Ternary(0, 0), Prefix(0, 5), Range(1, 0xFF)),
)
FRAMES = [frame(k, a, w) for k in (1, 2, 3, 4, 0xFFFF) for a in (7, 8, 9) for w in (0, WIDE)]


def test_members_match() -> None:
    interpreter = Switch(switches.load(PROGRAM))
    device = switches.start(PROGRAM, (0, 1))
    try:
        for step in STEPS:
            if step:
                name, *member = step
                interpreter.value_set_add(f"P.{name}", tuple(member))
                device.value_set_add(f"P.{name}", tuple(member))
            expected = [sent for data in FRAMES for sent in interpreter.process(0, data)]
            device.inject_all(0, FRAMES)
            assert device.collect() == expected, step
    finally:
        device.close()


def test_commands() -> None:
    device = switches.start(PROGRAM, (0, 1))
    try:
        device._command("pvs_add P.kinds 3")
        device._command("pvs_add kinds 0x0a")
        assert device._command("pvs_get kinds").splitlines() == ["0003", "000a"]
        for line, why in (
            ("pvs_add kinds 3", "has this member already"),
            ("pvs_add kinds 1 2", "needs 1 values, 2 given"),
            ("pvs_add pairs 1", "needs 2 values, 1 given"),
            ("pvs_add kinds 0x10000", "does not fit"),
            ("pvs_add nothing 1", "no parser value set 'nothing'"),
            ("pvs_remove kinds 7", "no such member"),
            ("table_add kinds a 1 =>", "is a parser value set"),
        ):
            with pytest.raises(ControlError, match=why):
                device._command(line)
        device._command("pvs_add kinds 5")
        device._command("pvs_add kinds 6")
        with pytest.raises(ControlError, match="is full"):
            device._command("pvs_add kinds 7")
        device._command("pvs_remove kinds 3")
        device._command("pvs_clear kinds")
        assert device._command("pvs_get kinds") == ""
        assert device._command("show_tables") == ""
    finally:
        device.close()
