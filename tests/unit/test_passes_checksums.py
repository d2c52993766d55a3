"""update_checksums_incrementally: where it may, where it must not, and that a sum in two parts is the sum."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from hlir_builder import AT

from macsad.compilation import Request, load
from transpiler.externs import algorithms
from transpiler.hlir.expressions import Const, ListExpression, Text
from transpiler.hlir.printer import print_program
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import Bits, width_of
from transpiler.passes import update_checksums_incrementally
from transpiler.passes.pipeline import optimise
from transpiler.verifier import verify

PROGRAM = Path(__file__).parents[1] / "golden" / "passes" / "checksums.p4"
VERIFY, COMPUTE = "verify_checksum(hdr.head.isValid()", "update_checksum(hdr.head.isValid()"
EGRESS = "control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {\n    apply {\n"
FORWARD = "control Forward(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {\n"
OTHERS = "hdr.head.length, hdr.head.ttl, hdr.head.next, hdr.head.from, hdr.head.to"
TURN = """
    action turn(bit<32> to) { hdr.head.from = hdr.head.to; hdr.head.to = to; }
    table turns { key = { hdr.head.from: exact; } actions = { turn; NoAction; } default_action = NoAction; }
"""
CORNERS = (0, 1, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF)


def updates(tmp_path: Path, *changes: tuple[str, str]) -> int:
    """How many of the two updates of the program, changed, are made from what was verified."""
    text = PROGRAM.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "t.p4"
    file.write_text(text)
    program = optimise(load(Request(file, warnings=("no-all",))))
    verify(program)
    verified, _, computed = print_program(program).partition("control Forward")
    assert verified.count("hash.extend") == computed.count("hash.extend")
    return computed.count("hash.extend")


def test_both_are_made_from_what_was_verified(tmp_path: Path) -> None:
    assert updates(tmp_path) == 2


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ([(COMPUTE, "update_checksum(hdr.body.isValid()")], 2),  # of a header that is not there no field is summed
        ([(COMPUTE, "update_checksum(true")], 2),
        ([(VERIFY, "verify_checksum(hdr.head.isValid() && standard_error(meta)")], 1),
        ([(VERIFY, "verify_checksum(hdr.head.isValid() && hdr.head.to == 4")], 1),  # others are not verified
        (
            [
                ("            { hdr.head.version, hdr", "            { 4w1, hdr"),
                (COMPUTE, "update_checksum(meta.bad == 0"),
            ],
            2,
        ),
        (
            [("standard.egress_spec = 1;", "standard.egress_spec = 1; hdr.body.setValid();")],
            1,
        ),  # the condition may change
        ([("standard.egress_spec = 1;", "standard.egress_spec = 1; hdr.head = { 0, 0, 0, 0, 0, 0, 0, 0 };")], 0),
        ([("standard.egress_spec = 1;", "standard.egress_spec = 1; clone(CloneType.I2E, 1);")], 0),  # not verified
        ([(EGRESS, f"{EGRESS}        clone(CloneType.E2E, 1);\n")], 0),
        ([("    apply {\n        verify", "    apply {\n        if (meta.bad == 1) return;\n        verify")], 0),
        ([("hdr.head.ttl = ", "hdr.head.from = hdr.head.to; hdr.head.to = 7; hdr.head.ttl = ")], 1),  # little is left
        ([(FORWARD, f"{FORWARD}{TURN}"), ("standard.egress_spec = 1;", "standard.egress_spec = 1; turns.apply();")], 1),
        # fields that do not change: of 48 bits at least, but for a payload; numbers do not count
        ([(OTHERS, "hdr.head.length, hdr.head.ttl, hdr.head.to")], 2),
        ([(OTHERS, "hdr.head.next, hdr.head.ttl, hdr.head.to")], 1),
        ([(OTHERS, "8w7, hdr.head.next, hdr.head.ttl, hdr.head.to")], 1),
        ([("{ hdr.body.kind, hdr.body.mark, hdr.head.to }", "{ hdr.body.mark }")], 2),
        # a payload begins with a word of its own
        ([("hdr.body.mark, hdr.head.to }", "hdr.body.mark, hdr.head.next }")], 1),
        ([("hdr.body.mark, hdr.head.to }", "hdr.body.mark, hdr.head.next, hdr.head.ttl }")], 2),
    ],
    ids=lambda value: "" if isinstance(value, int) else value[-1][1][-40:],
)
def test_where_it_is_not_known_to_be_right_all_is_summed(
    changes: list[tuple[str, str]], left: int, tmp_path: Path
) -> None:
    helper = ("control Check(", "bool standard_error(in metadata_t meta) { return meta.bad == 0; }\n\ncontrol Check(")
    assert updates(tmp_path, helper, *changes) == left


OF_THE_ARCHITECTURE = """
header_type head_t { fields { ttl: 16; checksum: 16; from: 32; kind: 8; to: 32; } }
header head_t head;
parser start { extract(head); return ingress; }
field_list covered { head.ttl; head.from; head.kind; PLACE; }
field_list_calculation sum { input { covered; } algorithm: csum16; output_width: 16; }
calculated_field head.checksum { verify sum; update sum; }
action go() { modify_field(standard_metadata.egress_spec, 1); modify_field(head.ttl, 7); }
table t { actions { go; } }
control ingress { apply(t); }
control egress { }
"""


@pytest.mark.parametrize(
    ("place", "sums"), [("egress_port", 0), ("instance_type", 0), ("packet_length", 0), ("head.to", 2)]
)
def test_what_the_architecture_writes_is_no_reason_for_a_sum_in_parts(place: str, sums: int, tmp_path: Path) -> None:
    """Without the last field too little is left that does not change."""
    file = tmp_path / "t.p4"
    file.write_text(OF_THE_ARCHITECTURE.replace("PLACE", place if "." in place else f"standard_metadata.{place}"))
    program = optimise(load(Request(file, warnings=("no-all",))))
    assert print_program(program).count("hash.extend") == sums


def packed(values: ListExpression) -> bytes:
    """As a hash has a list: one value after the other, padded to whole bytes."""
    number = bits = 0
    for item in values.items:
        assert isinstance(item, Const)
        number, bits = number << width_of(item.type) | item.value, bits + width_of(item.type)
    return (number << -bits % 8).to_bytes(-(-bits // 8), "big")


def in_parts(widths: list[int], values: list[int], wanted: list[bool]) -> tuple[int, int]:
    """The checksum of a list, at once and in two parts."""
    items = tuple(Const(value, Bits(width), AT) for value, width in zip(values, widths, strict=True))
    call = CallExtern("hash.compute", None, (Text("csum16", AT), ListExpression(items, AT)), (), AT)
    first, rest = (
        update_checksums_incrementally.part(call, tuple(want == which for want in wanted)) for which in (True, False)
    )
    whole = algorithms.compute("csum16", packed(ListExpression(items, AT)))
    sum_ = algorithms.compute("csum16", packed(first))
    assert whole is not None and sum_ is not None
    return whole, algorithms.extend("csum16", sum_, packed(rest))


def test_two_parts_have_the_sum_of_the_whole() -> None:
    for values in product(CORNERS, repeat=3):
        for wanted in product((True, False), repeat=3):
            whole, parts = in_parts([16, 16, 16], list(values), list(wanted))
            assert whole == parts, (values, wanted)


def test_two_parts_of_any_shape() -> None:
    random = Random(1)
    for _ in range(3000):
        widths = [random.choice((1, 3, 4, 8, 13, 16, 20, 32, 48, 64, 128)) for _ in range(random.randint(1, 9))]
        values = [random.choice((0, 0, (1 << w) - 1, random.getrandbits(w))) for w in widths]
        wanted = [random.random() < 0.6 for _ in widths]
        whole, parts = in_parts(widths, values, wanted)
        assert whole == parts, (widths, values, wanted)
