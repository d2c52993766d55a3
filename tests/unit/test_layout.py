"""Headers that a program leaves where they came."""

from pathlib import Path

import pytest
from switches import load

from transpiler.analysis.layout import fixed_offsets, keeps_layout, settled_headers

SOURCE = """#include <core.p4>
#include <v1model.p4>
header one_t {{ bit<8> kind; }}
header two_t {{ bit<16> value; }}
struct headers_t {{ one_t one; two_t two; }}
struct meta_t {{ }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ packet.extract(hdr.one); transition select(hdr.one.kind) {{ 1: more; default: accept; }} }}
    state more {{ {more} packet.extract(hdr.two); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    apply {{ sm.egress_spec = 1; hdr.one.kind = 7; {ingress} }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ {emits} }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
BOTH = "packet.emit(hdr.one); packet.emit(hdr.two);"


@pytest.mark.parametrize(
    ("more", "ingress", "emits", "settled"),
    [
        ("", "", BOTH, 2),
        ("", "", "packet.emit(hdr.two); packet.emit(hdr.one);", None),
        ("", "", "packet.emit(hdr.one);", None),
        ("", "", "packet.emit(hdr.two);", None),
        ("", "", f"{BOTH} packet.emit(hdr.two);", None),
        ("", "", f"packet.emit(hdr.one); {BOTH}", None),
        ("packet.advance(8);", "", BOTH, None),
        ("", "hdr.one.setInvalid();", BOTH, 1),
        ("", "hdr.two.setInvalid();", BOTH, 0),
        ("", "hdr.two.setValid();", BOTH, 0),
        ("", "hdr.two = { 5 };", BOTH, 0),
        ("", "hdr.two.setInvalid(); hdr.one.setInvalid();", BOTH, 0),
        ("if (hdr.one.kind == 1)", "", BOTH, None),
        ("", "", f"if (hdr.two.isValid()) {{ {BOTH} }}", None),
    ],
)
def test_headers_that_stay(tmp_path: Path, more: str, ingress: str, emits: str, settled: int | None) -> None:
    file = tmp_path / "layout.p4"
    file.write_text(SOURCE.format(more=more, ingress=ingress, emits=emits))
    assert settled_headers(load(file)) == settled
    assert keeps_layout(load(file)) is (settled == 2)


def test_headers_that_always_lie_at_one_offset(tmp_path: Path) -> None:
    program = tmp_path / "p.p4"
    program.write_text(SOURCE.format(more="", ingress="", emits=BOTH))
    assert fixed_offsets(load(program)) == {"hdr.one": 0, "hdr.two": 1}


def test_what_is_behind_a_varbit_lies_at_no_fixed_offset(tmp_path: Path) -> None:
    program = tmp_path / "p.p4"
    text = SOURCE.format(more="", ingress="", emits=BOTH).replace("bit<8> kind;", "bit<8> kind; varbit<32> rest;")
    program.write_text(text.replace("packet.extract(hdr.one)", "packet.extract(hdr.one, (bit<32>)sm.ingress_port)"))
    assert keeps_layout(load(program)) and fixed_offsets(load(program)) == {"hdr.one": 0}


def test_headers_behind_others_that_may_be_missing(tmp_path: Path) -> None:
    program = tmp_path / "p.p4"
    text = SOURCE.format(more="", ingress="", emits=BOTH)
    program.write_text(
        text.replace(
            "{ packet.extract(hdr.one); transition select(hdr.one.kind)", "{ transition select(sm.ingress_port)"
        )
        .replace("default: accept;", "default: first;")
        .replace("state more", "state first { packet.extract(hdr.one); transition more; }\n    state more")
    )
    assert fixed_offsets(load(program)) == {"hdr.one": 0}


def test_states_that_lead_back_extract_nothing_twice(tmp_path: Path) -> None:
    """A loop that extracts nothing leaves headers where they came."""
    text = SOURCE.format(more="", ingress="", emits=BOTH).replace("1: more;", "1: wait;")
    loop = "state wait {{ transition select(packet.lookahead<bit<8>>()) {{ 1: {target}; default: more; }} }} state more"
    waits, again = tmp_path / "waits.p4", tmp_path / "again.p4"
    waits.write_text(text.replace("state more", loop.format(target="wait")))
    assert keeps_layout(load(waits)) and fixed_offsets(load(waits)) == {"hdr.one": 0, "hdr.two": 1}
    again.write_text(text.replace("state more", loop.format(target="start")))
    assert not keeps_layout(load(again))
