"""Which header fields are sunk: neither loaded by the parser nor kept across stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import switches
from hlir_builder import AT, Builder, apply, emit, extract, goto, state

from transpiler.analysis.locations import Location
from transpiler.hlir import statements as st
from transpiler.hlir.program import Program
from transpiler.schedule.scheduler import Options, schedule
from transpiler.schedule.sinking import sunk_fields, sunk_in_stage

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


def test_a_field_that_is_written_on_the_way_out_of_a_block_is_not_late() -> None:
    """What is behind the block may be another stage, for which the field is kept."""
    b = Builder()
    b.header("h", "h_t", k=8, v=8)
    b.action("act")
    for name in ("t0", "t1"):
        b.table(name, [("h.k", "exact")], ["act"])
    start = [state("start", [extract("h")], goto("accept"))]
    write = b.set("h.v", 7)
    left = st.Block("x", (apply("t0"), write, st.Leave("x", AT)), AT)
    assert not sunk(b.build(start, [left, b.set("h.k", 1), apply("t1")], deparser=[emit("h")]))
    assert sunk(b.build(start, [left, apply("t1"), write], deparser=[emit("h")])) == set()
    assert sunk(b.build(start, [apply("t0"), write], deparser=[emit("h")])) == {Location("h", "v")}


# Three headers; the second lookup's actions write fields that were keys of the first.
TOGETHER = """
#include <core.p4>
#include <v1model.p4>
header four_t { bit<16> a; bit<16> b; bit<16> c; bit<16> d; }
struct headers_t { four_t one; four_t two; }
struct meta_t { bit<16> next; bit<16> seen; }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.one); packet.extract(hdr.two); transition accept; }
}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action near(bit<16> next) { meta.next = next; }
    action renew(bit<16> x, bit<16> y) { hdr.one.a = x; hdr.one.b = y; hdr.two.a = x; hdr.two.b = y; sm.egress_spec = 1; }
    action other() { hdr.one.d = 1; sm.egress_spec = 2; }
    table first {
        key = { hdr.one.a: exact; hdr.one.b: exact; hdr.one.d: exact; hdr.two.a: exact; hdr.two.b: exact; }
        actions = { near; }
        default_action = near(1);
        size = 100000;
    }
    table second {
        key = { meta.next: exact; }
        actions = { renew; other; }
        default_action = other();
        size = 100000;
    }
    apply { first.apply(); second.apply(); REST }
}
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.one); packet.emit(hdr.two); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
"""


@pytest.mark.parametrize(
    ("rest", "live", "together"),
    [
        ("", "", ["one.a one.b", "two.a two.b", "two.c two.d"]),
        ("", "one.a", ["two.a two.b", "two.c two.d"]),
        ("meta.seen = hdr.two.b; hdr.two.c = meta.seen;", "", ["one.a one.b"]),
        ("if (hdr.one.d == 3) { hdr.one.c = 7; }", "", ["one.a one.b", "two.a two.b", "two.c two.d"]),
        ("if (sm.egress_spec == 1) { hdr.two = hdr.one; }", "", []),
    ],
    ids=["plain", "kept", "read", "tested", "copied"],
)
def test_fields_that_a_stage_writes_together(rest: str, live: str, together: list[str], tmp_path: Path) -> None:
    """Two of a header at least that the same actions write; not what is read, kept, or of a header that is copied."""
    file = tmp_path / "together.p4"
    file.write_text(TOGETHER.replace("REST", rest))
    program = switches.load(file)
    pipe = schedule(program, Options(lambda table: True)).pipes[0]
    all_of_them = frozenset(Location(f"hdr.{header}", field) for header in ("one", "two") for field in "abcd")
    *others, last = pipe.stages
    pipe = replace(pipe, stages=(*others, replace(last, loaded=all_of_them)))
    kept = frozenset(
        Location(f"hdr.{owner}", field) for owner, _, field in (one.partition(".") for one in live.split())
    )
    found: dict[Location, list[str]] = {}
    for field, first in sunk_in_stage(program, pipe, len(others), kept, frozenset()).items():
        found.setdefault(first, []).append(f"{field.owner.removeprefix('hdr.')}.{field.field}")
    assert sorted(" ".join(sorted(names)) for names in found.values()) == together
    assert not sunk_in_stage(program, pipe, 0, kept, frozenset())
