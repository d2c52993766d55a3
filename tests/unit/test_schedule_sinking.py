"""Which header fields are sunk: neither loaded by the parser nor kept across stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import switches

from transpiler.analysis.locations import Location
from transpiler.hlir.program import Program
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.sinking import sunk_fields

PACKETS = Path(__file__).parents[1] / "packets"


def sunk(program: Program, *, stages: bool = True, merge: bool = True) -> set[Location]:
    options = Options(lambda table: stages)
    return set(sunk_fields(program, schedule(program, replace(options, merge=merge))))


def test_fields_of_the_last_stage() -> None:
    """Not first.c, which is written before a lookup, second.y, which the parser writes, or third, which nothing extracts."""
    last = {Location("hdr.first", "a"), Location("hdr.first", "b"), Location("hdr.second", "x")}
    program = switches.load(PACKETS / "late_fields.p4")
    assert sunk(program) == last
    assert sunk(program, stages=False) == last | {Location("hdr.first", "c")}
    assert not sunk(program, merge=False)


def test_a_field_that_is_copied_or_read_is_not_late() -> None:
    assert Location("hdr.sent", "x") not in sunk(switches.load(PACKETS / "copies_unread.p4"))


def test_none_where_packets_make_second_passes() -> None:
    assert not sunk(switches.load(PACKETS / "second_passes.p4"))
