"""What the primitives of BMv2's JSON do to a packet. src/bm_sim/core/primitives.cpp and targets/simple_switch/primitives.cpp.

The packet is `03 0105 ff 77`: h, of a = 3, b = 0x0105 and c = -1, and a byte of payload.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bmv2_json import Json, action, alone, document, fld, hexstr, ingress_of, load, op, primitive, statement

from transpiler.diagnostics import Rejected
from transpiler.interpreter import Switch
from transpiler.interpreter.store import Digest

A, B, C = (fld("h", name) for name in "abc")
H, X = ({"type": "header", "value": name} for name in "hx")
FRAME = bytes.fromhex("03 0105 ff 77")
REGISTER = {"type": "register_array", "value": "r"}
WRITE = primitive("register_write", REGISTER, hexstr(2), B)


def element_of(index: Json) -> Json:
    """An element of the register as a value."""
    return {"type": "register", "value": ["r", index]}


CALCULATION = {"type": "calculation", "value": "sum"}
STANDARD_PORT = fld("standard_metadata", "egress_spec")


def made(*calls: Json, then: tuple[Json, ...] = ()) -> Json:
    """Two statements: one does `calls`, the other `then`."""
    tables = [statement("t", 0, "first", "u"), statement("u", 1, "second", None)]
    actions = [action(0, "first", *calls), action(1, "second", *then)]
    text = document(
        actions, {"init_table": "t", "tables": tables},
        register_arrays=[{"name": "r", "id": 0, "size": 4, "bitwidth": 8}],
        calculations=[{"name": "sum", "id": 0, "input": [A], "algo": "identity"}],
        learn_lists=[
            {"name": "news", "id": 1, "elements": [A, B]}, {"name": "same", "id": 2, "elements": [A, A]},
        ],
    )  # fmt: skip
    text["headers"].append({"name": "x", "id": 2, "header_type": "h_t", "metadata": False})
    text["deparsers"][0]["order"].append("x")
    return text


@pytest.mark.parametrize(
    ("calls", "sent"),
    [
        ([primitive("modify_field", B, C)], "03 ffff ff 77"),
        ([primitive("assign", A, op("==", C, op("-", None, hexstr(1))))], "01 0105 ff 77"),
        ([primitive("add", A, A, hexstr(0xFF))], "02 0105 ff 77"),
        ([primitive("subtract", B, A, hexstr(5))], "03 fffe ff 77"),
        ([primitive("bit_and", A, B, hexstr(0xFC))], "04 0105 ff 77"),
        ([primitive("bit_or", A, A, hexstr(0x11))], "13 0105 ff 77"),
        ([primitive("bit_xor", A, A, hexstr(0x11))], "12 0105 ff 77"),
        ([primitive("shift_left", B, A, hexstr(9))], "03 0600 ff 77"),
        ([primitive("shift_left", A, A, hexstr(7))], "80 0105 ff 77"),
        ([primitive("shift_right", A, B, hexstr(4))], "10 0105 ff 77"),
        ([primitive("add_to_field", A, hexstr(0xFE))], "01 0105 ff 77"),
        ([primitive("subtract_from_field", A, hexstr(4))], "ff 0105 ff 77"),
        ([primitive("modify_field_rng_uniform", A, hexstr(7), hexstr(7))], "07 0105 ff 77"),
        ([primitive("modify_field_rng_uniform", B, hexstr(0x1FF), hexstr(0x1FF))], "03 01ff ff 77"),
        ([primitive("modify_field_with_hash_based_offset", B, hexstr(10), CALCULATION, hexstr(2))], "03 000b ff 77"),
        ([primitive("modify_field_with_hash_based_offset", A, hexstr(0xFF), CALCULATION, hexstr(9))], "02 0105 ff 77"),
        ([primitive("modify_field_with_hash_based_offset", B, A, CALCULATION, hexstr(2))], "03 0004 ff 77"),
        ([primitive("modify_field_with_hash_based_offset", B, hexstr(10), CALCULATION, hexstr(0))], "03 000a ff 77"),
        ([WRITE, primitive("register_read", B, REGISTER, hexstr(2))], "03 0005 ff 77"),
        ([WRITE, primitive("register_read", A, REGISTER, hexstr(2))], "05 0105 ff 77"),
        ([WRITE, primitive("register_read", C, REGISTER, hexstr(3))], "03 0105 00 77"),
        (
            [
                primitive("register_write", REGISTER, hexstr(1), A), primitive("register_write", REGISTER, A, hexstr(9)),
                primitive("assign", B, op("+", element_of(element_of(hexstr(1))), hexstr(0x100))),
            ],
            "03 0109 ff 77",
        ),
        ([primitive("remove_header", H)], "77"),
        ([primitive("add_header", H)], "03 0105 ff 77"),
        ([primitive("add_header", X)], "03 0105 ff 00 0000 00 77"),
        ([primitive("copy_header", X, H), primitive("modify_field", A, hexstr(9))], "09 0105 ff 03 0105 ff 77"),
        ([primitive("copy_header", H, X)], "77"),
        ([primitive("truncate", hexstr(2))], "03 01"),
        ([primitive("no_op")], "03 0105 ff 77"),
        ([primitive("assert", op("==", A, hexstr(3)))], "03 0105 ff 77"),
        ([primitive("log_msg", {"type": "string", "value": "a"}, {"type": "parameters_vector", "value": []})], "03 0105 ff 77"),
    ],
)  # fmt: skip
def test_what_a_primitive_does(calls: list[Json], sent: str, tmp_path: Path) -> None:
    assert Switch(load(tmp_path, made(*calls))[0]).process(1, FRAME) == [(0, bytes.fromhex(sent))]


@pytest.mark.parametrize("name", ["assert", "assume"])
def test_what_is_assumed_is_asserted(name: str, tmp_path: Path) -> None:
    text = ingress_of(load(tmp_path, made(primitive(name, op("==", A, hexstr(3)))))[0])
    assert text.splitlines() == ["assert.check(h.a == 8w3);"]


@pytest.mark.parametrize(
    "call",
    [
        primitive("modify_field_rng_uniform", STANDARD_PORT, hexstr(0x13), hexstr(0x13)),
        primitive("register_read", STANDARD_PORT, REGISTER, hexstr(1)),
        primitive("shift_right", STANDARD_PORT, hexstr(0x130), hexstr(4)),
        primitive("assign", STANDARD_PORT, hexstr(0x13)),
    ],
    ids=lambda call: call["op"],
)
@pytest.mark.parametrize(("width", "port"), [(4, 3), (8, 0x13), (16, 0x13)])
def test_a_field_of_the_switch_has_the_width_that_the_program_gives_it(
    call: Json, width: int, port: int, tmp_path: Path
) -> None:
    text = made(primitive("register_write", REGISTER, hexstr(1), hexstr(0x13)), then=(call,))
    text["header_types"][1]["fields"][1] = ["egress_spec", width]
    assert Switch(load(tmp_path, text)[0]).process(1, FRAME) == [(port, FRAME)]


def test_a_drop_forgets_the_multicast_group(tmp_path: Path) -> None:
    text = made(primitive("drop"), primitive("assign", fld("m", "mcast_grp"), A))
    text["field_aliases"] = [["intrinsic_metadata.mcast_grp", ["m", "mcast_grp"]]]
    text["header_types"].append({"name": "m_t", "id": 9, "fields": [["mcast_grp", 16]]})
    text["headers"].append({"name": "m", "id": 9, "header_type": "m_t", "metadata": True})
    first, second, *_ = ingress_of(load(tmp_path, text)[0]).splitlines()
    assert first == "standard_metadata.egress_spec = 9w0x1ff;" and second.endswith(".mcast_grp = 16w0;")


def test_what_is_dropped_may_be_sent_after_all(tmp_path: Path) -> None:
    for drop in (primitive("drop"), primitive("mark_to_drop", {"type": "header", "value": "standard_metadata"})):
        assert Switch(load(tmp_path, made(drop))[0]).process(1, FRAME) == []
        sent = made(drop, then=(primitive("assign", STANDARD_PORT, hexstr(3)),))
        assert Switch(load(tmp_path, sent)[0]).process(1, FRAME) == [(3, FRAME)]


def test_exit_runs_the_rest_of_its_action_and_no_other(tmp_path: Path) -> None:
    text = made(primitive("exit"), primitive("assign", A, hexstr(8)), then=(primitive("assign", A, hexstr(9)),))
    assert Switch(load(tmp_path, text)[0]).process(1, FRAME)[0][1][0] == 8
    text = made(primitive("assign", A, hexstr(8)), then=(primitive("assign", A, hexstr(9)), primitive("exit")))
    assert Switch(load(tmp_path, text)[0]).process(1, FRAME)[0][1][0] == 9


def test_digests_have_the_names_of_their_fields_where_these_differ(tmp_path: Path) -> None:
    text = made(*(primitive("generate_digest", hexstr(0), hexstr(number)) for number in (1, 2)))
    program = load(tmp_path, text)[0]
    assert {one.name: one.attribute("fields") for one in program.externs if one.kind == "digest"} == {
        "news": "a,b",
        "same": "0,1",
    }
    switch = Switch(program)
    switch.process(1, FRAME)
    assert switch.store.digests == [Digest("news", (3, 0x105)), Digest("same", (3, 3))]


STACKS = ("s", "t", "u", "v")


@pytest.mark.parametrize(
    ("target", "source", "sent"),
    [
        ("t", "s", "01 0000 00 02 0000 00 01 0000 00 02 0000 00 77"),  # s, then t, which has become s
        ("s", "t", "77"),  # neither has elements
        ("s", "u", None),  # of another size
        ("s", "v", None),  # of another type
    ],
)
def test_stacks_are_copied_whole_to_such_of_their_type_and_size(
    target: str, source: str, sent: str | None, tmp_path: Path
) -> None:
    elements = [primitive("add_header", {"type": "header", "value": name}) for name in ("s0", "s1")]
    filled = [primitive("assign", fld(name, "a"), hexstr(value)) for value, name in ((1, "s0"), (2, "s1"))]
    text = made(
        *elements,
        *filled,
        primitive("remove_header", H),
        primitive("assign_header_stack", *map(stack, (target, source))),
    )
    text["header_types"].append({"name": "other_t", "id": 9, "fields": [["a", 8], ["b", 16], ["c", 8]]})
    text["header_stacks"] = []
    for number, (name, size) in enumerate(zip(STACKS, (2, 2, 3, 2), strict=True)):
        type_, first = "other_t" if name == "v" else "h_t", 10 + number * 3
        text["headers"] += [
            {"name": f"{name}{i}", "id": first + i, "header_type": type_, "metadata": False} for i in range(size)
        ]
        ids = [first + i for i in range(size)]
        text["header_stacks"].append(
            {"name": name, "id": number, "size": size, "header_type": type_, "header_ids": ids}
        )
    text["deparsers"][0]["order"] += ["s0", "s1", "t0", "t1"]
    if sent is None:
        with pytest.raises(Rejected) as caught:
            load(tmp_path, text)
        assert "stacks of different types or sizes cannot be copied" in caught.value.diagnostics.render()
    else:
        assert Switch(load(tmp_path, text)[0]).process(1, FRAME) == [(0, bytes.fromhex(sent))]


def test_with_a_stack_goes_how_many_of_its_elements_were_extracted(tmp_path: Path) -> None:
    text = made(primitive("push", stack("s"), hexstr(1)), primitive("assign_header_stack", stack("t"), stack("s")),
                primitive("assign", A, alone("size_stack", stack("t"))))  # fmt: skip
    text["headers"] += [{"name": f"{name}0", "id": 10 + i, "header_type": "h_t"} for i, name in enumerate("st")]
    text["header_stacks"] = [
        {"name": name, "id": i, "size": 1, "header_type": "h_t", "header_ids": [10 + i]} for i, name in enumerate("st")
    ]
    assert Switch(load(tmp_path, text)[0]).process(1, FRAME) == [(0, b"\x01" + FRAME[1:])]


def stack(name: str) -> Json:
    return {"type": "header_stack", "value": name}


@pytest.mark.parametrize(
    ("section", "objects", "told"),
    [
        ("meter_arrays", [{"name": "m", "id": 0, "type": "bytes", "rate_count": 3, "size": 4}], "only meters of two rates"),
        ("meter_arrays", [{"name": "m", "id": 0, "type": "frames", "size": 4}], "'frames' is not a type of meter"),
        ("register_arrays", [{"name": "r", "id": 0, "size": 4, "bitwidth": 0}], "0 is not between 1 and"),
        ("learn_lists", [{"name": "n", "id": 1, "elements": [hexstr(1)]}], "a digest is made of fields"),
        ("extern_instances", [{"name": "e", "id": 0, "type": "ext"}], "the extern type 'ext' is not supported"),
        ("calculations", [{"name": "n", "id": 0, "input": [A], "algo": "best"}], "the hash algorithm 'best' is not supported"),
        ("calculations", [{"name": "n", "id": 0, "input": [{"type": "payload"}, A], "algo": "crc16"}], "behind the payload"),
        ("calculations", [{"name": "n", "id": 0, "input": [{"type": "s", "value": 0}], "algo": "crc16"}], "cannot be hashed"),
        ("pipelines", [{"name": "ingress", "id": 0, "tables": [], "init_table": None}] * 2, "'ingress' is there twice"),
        ("headers", [{"name": "h", "id": 0, "header_type": "h_t"}] * 2, "header 'h' is there twice"),
        ("headers", [{"name": "m", "id": 0, "header_type": "h_t", "metadata": True}] * 2, "header 'm' is there twice"),
        ("pipelines", [], "there is no ingress"),
        ("parsers", [], "there is no parser"),
        ("__meta__", {"version": [3, 0]}, "version 2 of the format is supported"),
    ],
)  # fmt: skip
def test_objects_that_cannot_be_are_refused(section: str, objects: Json, told: str, tmp_path: Path) -> None:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, document([], {"init_table": None}) | {section: objects})
    assert told in raised.value.diagnostics.render()


@pytest.mark.parametrize("rates", [{}, {"rate_count": 2}])
def test_a_meter_of_two_rates(rates: Json, tmp_path: Path) -> None:
    meter = {"name": "m", "id": 0, "type": "bytes", "size": 4, **rates}
    (made,) = load(tmp_path, document([], {"init_table": None}, meter_arrays=[meter]))[0].externs
    assert (made.kind, dict(made.attributes)) == ("meter", {"size": 4, "unit": "bytes"})
