"""Which programs make the switch read the clock: those that look at the time, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
import switches

from macsad.resources import share
from transpiler.codegen.c.printer import expression
from transpiler.codegen.generate import generate
from transpiler.codegen.intrinsics import sourced
from transpiler.diagnostics import Diagnostics
from transpiler.hlir.types import Bits
from transpiler.passes.pipeline import optimise
from transpiler.schedule.pipeline import Source
from transpiler.targets.find import builtin

PACKETS = Path(__file__).parents[1] / "packets"
V1MODEL = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<48> a; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); PARSER transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_meter<bit<8>>(MeterType.bytes) rate;
    action nothing() { }
    table t { key = { hdr.h.a: exact; } actions = { nothing; } default_action = nothing(); METERS }
    apply { INGRESS sm.egress_spec = 1; t.apply(); }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { EGRESS } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
P4_14 = """
header_type h_t { fields { a : 48; } }
header h_t h;
header_type intrinsic_metadata_t { fields { ingress_global_timestamp : 48; egress_global_timestamp : 48; } }
metadata intrinsic_metadata_t intrinsic_metadata;
parser start { extract(h); return ingress; }
action go() { modify_field(standard_metadata.egress_spec, 1); }
action see() { modify_field(h.a, intrinsic_metadata.FIELD); }
table t { actions { go; } default_action : go; }
table u { actions { see; } default_action : see; }
control ingress { apply(t); }
control egress { apply(u); }
"""


def reads_the_clock(path: Path) -> bool:
    made = generate(optimise(switches.load(path)), builtin(), share("templates"), Diagnostics())
    return ".uses_time = true" in made.c


def written(folder: Path, text: str, **places: str) -> Path:
    for name in ("PARSER", "INGRESS", "EGRESS", "METERS", "FIELD"):
        text = text.replace(name, places.get(name, ""))
    path = folder / "program.p4"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("PARSER", "hdr.h.a = sm.ingress_global_timestamp;"),
        ("INGRESS", "hdr.h.a = sm.ingress_global_timestamp;"),
        ("INGRESS", "if (sm.ingress_global_timestamp[3:0] == 2) { hdr.h.a = 1; }"),
        ("EGRESS", "hdr.h.a = sm.ingress_global_timestamp;"),
        ("EGRESS", "hdr.h.a = sm.egress_global_timestamp;"),
        ("EGRESS", "hdr.h.a = 16w0 ++ sm.enq_timestamp;"),
        ("INGRESS", 'log_msg("here");'),
        ("METERS", "meters = rate;"),
        ("METERS", "support_timeout = true;"),
    ],
)
def test_who_looks_at_the_time(where: str, code: str, tmp_path: Path) -> None:
    read = "rate.read(hdr.h.a);" if "rate" in code else ""
    text = V1MODEL.replace("action nothing() { }", f"action nothing() {{ {read} }}").replace(
        "bit<8>>(Me", "bit<48>>(Me"
    )
    assert reads_the_clock(written(tmp_path, text, **{where: code}))


@pytest.mark.parametrize("field", ["ingress_global_timestamp", "egress_global_timestamp"])
def test_who_looks_at_the_time_in_p4_14(field: str, tmp_path: Path) -> None:
    assert reads_the_clock(written(tmp_path, P4_14, FIELD=field))


@pytest.mark.parametrize("field", ["ingress", "egress"])
def test_who_looks_at_the_time_in_psa(field: str, tmp_path: Path) -> None:
    """Of psa_time.p4, which looks at both, what only looks at one."""
    text = (PACKETS / "psa_time.p4").read_text()
    other = {"ingress": "egress", "egress": "ingress"}[field]
    (tmp_path / "program.p4").write_text(text.replace(f"(TimestampUint_t) istd.{other}_timestamp", "8w0"))
    assert reads_the_clock(tmp_path / "program.p4")


@pytest.mark.parametrize("code", ["", "hdr.h.a = 16w0 ++ sm.packet_length;", "sm.ingress_global_timestamp = 5;"])
def test_who_does_not_look_at_it(code: str, tmp_path: Path) -> None:
    assert not reads_the_clock(written(tmp_path, V1MODEL, EGRESS=code))


@pytest.mark.parametrize(
    ("source", "width", "text"),
    [
        (Source.LENGTH, 16, "(uint16_t)packet->length"),
        (Source.LENGTH, 64, "(uint64_t)packet->length"),
        (Source.LENGTH, 65, "macs_w2_of(packet->length)"),
        (Source.NOW_US, 48, "(uint64_t)(worker->now_ns / 1000)"),
        (Source.NOW_US, 200, "macs_w4_of(worker->now_ns / 1000)"),
        (Source.ZERO, 8, "0"),
        (Source.ONE, 8, "1"),
    ],
)
def test_what_the_runtime_knows_has_the_type_that_the_program_gives_it(source: Source, width: int, text: str) -> None:
    assert expression(sourced(source, Bits(width))) == text
