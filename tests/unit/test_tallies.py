"""Which registers have tallies: those to which packets only add, and nobody uses the results. Where they are settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from macsad.compilation import Request, generate_c, load
from transpiler.optimisations import ALL

PROGRAM = """#include <core.p4>
#include <v1model.p4>

header work_t { bit<32> place; bit<32> other; bit<32> value; }
struct headers_t { work_t work; }
struct meta_t { bit<32> held; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.work); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    register<bit<32>>(16) a;
    register<bit<64>>(16) b;
    apply { bit<32> x; bit<64> y; sm.egress_spec = 1; %s }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.work); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
ADD_A = "a.read(x, hdr.work.place); a.write(hdr.work.place, x + hdr.work.value);"
ADD_B = "b.read(y, hdr.work.place); b.write(hdr.work.place, y + 1);"
Making = Callable[..., str]


@pytest.fixture
def c_of(tmp_path: Path) -> Making:
    """The C of the program whose ingress does this."""

    def made(ingress: str, *without: str) -> str:
        path = tmp_path / "adds.p4"
        path.write_text(PROGRAM % ingress)
        request = Request(path, wanted=ALL.without(without))
        return generate_c(request, load(request)).c

    return made


def test_additions_that_nobody_asks_the_result_of(c_of: Making) -> None:
    c = c_of(f"if (hdr.work.value != 0) {{ {ADD_A} }} if (hdr.work.other != 0) {{ {ADD_B} }}")
    assert c.count("macs_register_tally32(&tallies[0]") == c.count("macs_register_settle32(&tallies_0[0]") == 1
    assert c.count("macs_register_tally64(&tallies[1]") == c.count("macs_register_settle64(&tallies_0[1]") == 1
    assert "struct macs_tally tallies_0[2] = {MACS_NO_TALLY, MACS_NO_TALLY};" in c
    assert "macs_register_add" not in c
    settled = c.index("macs_register_settle32")
    assert (
        c.index("tallies_0[2] =")
        < c.index("ingress_0_entry(", c.index("tallies_0[2] ="))
        < settled
        < c.index("transmit", settled)
    )


def test_two_additions_to_a_register_share_its_tally(c_of: Making) -> None:
    other = "a.read(x, hdr.work.other); a.write(hdr.work.other, x - 1);"
    c = c_of(f"if (hdr.work.value == 1) {{ {ADD_A} }} else {{ {other} }}")
    assert c.count("macs_register_tally32(&tallies[0]") == 2 and "tallies_0[1]" in c and "&tallies[1]" not in c
    assert c.count("macs_register_settle32") == 1


@pytest.mark.parametrize(
    "ingress",
    [
        f"{ADD_A} hdr.work.value = x;",  # the result goes out with the packet
        f"if (hdr.work.value != 0) {{ {ADD_A} }} if (hdr.work.other != 0) {{ b.write(0, (bit<64>)x); }}",  # elsewhere
        "a.read(x, hdr.work.place); a.write(hdr.work.place, x | hdr.work.value);",  # no addition
        f"{ADD_A} a.read(x, hdr.work.other); hdr.work.value = x;",  # it is read elsewhere
        f"{ADD_A} a.write(hdr.work.other, 0);",  # or written
        f"if (hdr.work.value == 1) {{ {ADD_A} }} else {{ a.read(meta.held, 3); hdr.work.value = meta.held; }}",
    ],
)
def test_what_has_no_tally(ingress: str, c_of: Making) -> None:
    assert "macs_tally" not in c_of(ingress)


def test_without_tallies(c_of: Making) -> None:
    c = c_of(ADD_A, "tallies")
    assert "macs_tally" not in c and c.count("(void)macs_register_add32(") == 1
    assert "macs_tally" not in c_of(ADD_A, "atomic-updates")
