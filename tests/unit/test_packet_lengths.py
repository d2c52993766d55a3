"""packet_length in egress of v1model: what was received, with the headers that were put in and taken out since.

The rule is BMv2's (docs/bmv2.md). Each program gets 8 bytes: h, of 4, and 4 of payload. Egress writes what it sees into h.a.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.p4_16.frontend import P4_16
from aux_frontend.v1model.lengths import GROWN

from transpiler.diagnostics import Diagnostics
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Program
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact
from transpiler.interpreter.tables import MemberRef
from transpiler.verifier import verify

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<24> rest; }}
header two_t {{ bit<16> v; }}
header nine_t {{ bit<72> v; }}
struct H {{ h_t h; two_t x; two_t[2] st; nine_t n; }}
struct M {{ bit<8> m; }}
parser P(packet_in packet, out H hdr, inout M meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.h); {parser} transition accept; }}
}}
control V(inout H hdr, inout M meta) {{ apply {{ }} }}
control I(inout H hdr, inout M meta, inout standard_metadata_t sm) {{
    action put() {{ hdr.x.setValid(); }}
    {control}
    apply {{ {ingress} }}
}}
control E(inout H hdr, inout M meta, inout standard_metadata_t sm) {{
    {egress_control}
    apply {{ {egress} }}
}}
control D(packet_out packet, in H hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
LOOKS = "hdr.h.a = (bit<8>) sm.packet_length;"
NOTHING = {"parser": "", "control": "", "ingress": "", "egress_control": "", "egress": LOOKS}
FRAME = bytes(8)


def load(tmp_path: Path, **parts: str) -> Program:
    file = tmp_path / "t.p4"
    file.write_text(PROGRAM.format(**{**NOTHING, **parts}))
    program = P4_16().load(Source(file), Diagnostics())
    verify(program)
    return program


def seen(program: Program) -> int:
    """The length that egress saw, of the one packet that is sent."""
    ((_, frame),) = Switch(program).process(1, FRAME)
    return frame[0]


TABLE = "table t { actions = { put; } default_action = put; }"


@pytest.mark.parametrize(
    ("parts", "length"),
    [
        ({}, 8),
        ({"ingress": "hdr.x.setValid();"}, 10),
        ({"ingress": "hdr.x.setValid(); hdr.x.setValid();"}, 10),
        ({"ingress": "hdr.h.setInvalid(); hdr.h.setInvalid(); hdr.h.setValid(); hdr.x.setValid();"}, 10),
        ({"ingress": "hdr.x.setInvalid();"}, 8),
        ({"ingress": "if (hdr.h.a == 0) { hdr.x.setValid(); }"}, 10),
        ({"ingress": "if (hdr.h.a != 0) { hdr.x.setValid(); }"}, 8),
        ({"ingress": "hdr.st[1].setValid(); hdr.st[hdr.h.a].setValid();"}, 12),
        ({"ingress": "hdr.st[hdr.h.a].setValid(); hdr.st[hdr.h.a].setValid();"}, 10),
        ({"ingress": "two_t own; own.setValid(); hdr.h.rest[15:0] = own.v;"}, 8),
        ({"ingress": "two_t[2] own; own[hdr.h.a].setValid(); hdr.h.rest[15:0] = own[hdr.h.a].v;"}, 8),
        ({"ingress": "hdr.x = { 7 };"}, 10),
        ({"ingress": "two_t own; own.setValid(); own.v = 7; hdr.x = own;"}, 8),  # a copy
        ({"ingress": "hdr.n.setValid();"}, 17),
        ({"ingress": "hdr.n.setValid(); hdr.h.setInvalid(); hdr.n.setInvalid(); hdr.h.setValid();"}, 8),
        ({"parser": "hdr.x.setValid();"}, 10),
        ({"ingress": "put();"}, 10),
        ({"ingress": "t.apply();", "control": TABLE}, 10),
        ({"egress": f"hdr.x.setValid(); {LOOKS}"}, 8),
        ({"egress": f"t.apply(); {LOOKS}", "egress_control": f"action put() {{ hdr.x.setValid(); }} {TABLE}"}, 8),
    ],
)  # fmt: skip
def test_headers_that_are_put_in_and_taken_out_count(tmp_path: Path, parts: dict[str, str], length: int) -> None:
    assert seen(load(tmp_path, **parts)) == length


@pytest.mark.parametrize(
    ("egress_control", "egress"),
    [
        (f"action look() {{ {LOOKS} }} table t {{ actions = {{ look; }} default_action = look; }}", "t.apply();"),
        (
            "action is() { hdr.h.a = 10; } action other() { hdr.h.a = 1; } table t { key = { sm.packet_length: exact; }"
            "actions = { is; other; } default_action = other; const entries = { 10: is(); } }",
            "t.apply();",
        ),
        ("", "if (sm.packet_length == 10) { hdr.h.a = 10; }"),
        ("", "if (hdr.h.rest == 0) { hdr.h.a = (bit<8>) (sm.packet_length + 0); }"),
    ],
    ids=["action", "key", "condition", "within"],
)
def test_wherever_egress_looks_at_it(tmp_path: Path, egress_control: str, egress: str) -> None:
    parts = {"ingress": "hdr.x.setValid();", "egress_control": egress_control, "egress": egress}
    assert seen(load(tmp_path, **parts)) == 10


def test_the_action_of_a_member_counts(tmp_path: Path) -> None:
    """It may be one that another table with the same profile has named."""
    tables = """action_profile(4) p;
        table t { key = { hdr.h.a: exact; } actions = { NoAction; } implementation = p; }
        table u { key = { hdr.h.a: exact; } actions = { put; } implementation = p; }"""
    switch = Switch(load(tmp_path, control=tables, ingress="t.apply(); if (hdr.h.a != 0) { u.apply(); }"))
    switch.table_add_indirect("I.t", (Exact(0),), MemberRef(switch.member_create("I.p", "I.put", ())))
    ((_, frame),) = switch.process(1, FRAME)
    assert frame[0] == 10


def test_where_no_header_is_put_in_nothing_is_counted(tmp_path: Path) -> None:
    assert GROWN not in load(tmp_path, ingress="two_t own; own.setValid(); hdr.h.rest[15:0] = own.v;").variable


@pytest.mark.parametrize("egress", ["", "sm.packet_length = 5;", "hdr.h.a = (bit<8>) sm.egress_port;"])
def test_where_egress_does_not_look_nothing_is_counted(tmp_path: Path, egress: str) -> None:
    assert GROWN not in load(tmp_path, ingress="hdr.x.setValid();", egress=egress).variable


@pytest.mark.parametrize(("clone", "counts"), [("", 0), ("clone(CloneType.E2E, 7);", 1)])
def test_egress_counts_for_the_clones_that_it_asks_for(tmp_path: Path, clone: str, counts: int) -> None:
    """Else nobody sees what it has come to. Calls of other externs ask for none."""
    parts = {"ingress": "hdr.x.setValid(); truncate(32w9);", "egress": f"{clone} hdr.x.setInvalid(); {LOOKS}"}
    egress = print_program(load(tmp_path, **parts)).partition("(egress)")[2].partition("\n}")[0]
    assert egress.count(f"{GROWN} = ") == counts


def test_a_clone_goes_on_with_what_its_maker_has_come_to(tmp_path: Path) -> None:
    """Also where its maker puts in more afterwards: the clone is made as the packet leaves egress."""
    egress = f"""if (sm.instance_type != 0) {{ {LOOKS} return; }}
        hdr.x.setValid(); clone(CloneType.E2E, 7); hdr.st[0].setValid(); mark_to_drop(sm);"""
    switch = Switch(load(tmp_path, egress=egress))
    switch.mirroring_add(7, 3)
    assert [(port, frame[0]) for port, frame in switch.process(1, FRAME)] == [(3, 12)]
