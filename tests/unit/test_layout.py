"""Programs that send each frame in the layout in which it came."""

from pathlib import Path

import pytest
from switches import load

from transpiler.analysis.layout import fixed_offsets, keeps_layout

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
    ("more", "ingress", "emits", "kept"),
    [
        ("", "", BOTH, True),
        ("", "", "packet.emit(hdr.two); packet.emit(hdr.one);", False),
        ("", "", "packet.emit(hdr.one);", False),
        ("packet.advance(8);", "", BOTH, False),
        ("", "hdr.two.setInvalid();", BOTH, False),
        ("", "hdr.two.setValid();", BOTH, False),
        ("", "hdr.two = { 5 };", BOTH, False),
        ("", "", f"if (hdr.two.isValid()) {{ {BOTH} }}", False),
    ],
)
def test_the_layout_is_kept(tmp_path: Path, more: str, ingress: str, emits: str, kept: bool) -> None:
    file = tmp_path / "layout.p4"
    file.write_text(SOURCE.format(more=more, ingress=ingress, emits=emits))
    assert keeps_layout(load(file)) is kept


def test_headers_that_always_lie_at_one_offset(tmp_path: Path) -> None:
    program = tmp_path / "p.p4"
    program.write_text(SOURCE.format(more="", ingress="", emits=BOTH))
    assert fixed_offsets(load(program)) == {"hdr.one": 0, "hdr.two": 1}


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
