"""Packets that do not come out: their loops do not end, or nothing is left of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import switches

from transpiler.interpreter import Switch, execute
from transpiler.interpreter.trace import Event

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; bit<8> c; }
struct H { h_t h; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.h); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        for (bit<8> i = 0; i < h.h.a; i = i + 1) { }
        for (bit<8> i = 0; i < h.h.b; i = i + 1) { }
    }
}
control E(inout H h, inout M m, inout standard_metadata_t s) {
    apply {
        for (bit<8> i = 0; i < h.h.b; i = i + 1) { }
        if (h.h.c == 1) { h.h.setInvalid(); }
    }
}
control D(packet_out p, in H h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    file: Path = tmp_path_factory.mktemp("limits") / "program.p4"
    file.write_text(PROGRAM)
    return switches.load(file)


def dropped(program: Any, a: int, b: int, c: int = 0, rest: bytes = b"") -> list[str]:
    """Why a frame does not come out; nothing if it does."""
    told: list[Event] = []
    sent = Switch(program, trace=told.append).process(0, bytes([a, b, c]) + rest)
    why = [event.text for event in told if event.kind == "drop"]
    assert bool(sent) is not bool(why)
    return why


def test_rounds_of_all_loops_of_a_control_are_counted_together(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each control begins anew."""
    monkeypatch.setattr(execute, "LOOP_LIMIT", 10)
    for a, b in ((10, 0), (0, 10), (5, 5), (3, 7)):
        assert not dropped(program, a, b)
    for a, b in ((11, 0), (0, 11), (5, 6)):
        assert dropped(program, a, b) == ["a loop does not end"]


def test_so_many_rounds_are_usual(program: Any) -> None:
    assert not dropped(program, 255, 255) and execute.LOOP_LIMIT >= 1000


def test_a_frame_of_which_nothing_is_left(program: Any) -> None:
    assert dropped(program, 0, 0, 1) == ["nothing is left of it: a frame has one byte at least"]
    assert not dropped(program, 0, 0, 1, b"x")
