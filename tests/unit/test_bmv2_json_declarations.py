"""What the declarations of BMv2's JSON become: header types, headers, stacks, unions, errors, aliases, checksums, lists.
docs/JSON_format.md; src/bm_sim/checksums.cpp, src/bm_sim/header_unions.cpp.

Frames are `03 0105 ff 77`: h, of a = 3, b = 0x0105 and c = -1, and a byte of payload.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.v1model.variables import new_variable
from test_bmv2_json import (
    IS_THREE,
    Json,
    action,
    alone,
    document,
    fld,
    hexstr,
    ingress_of,
    load,
    op,
    primitive,
    statement,
    table,
)

from transpiler.diagnostics import Rejected, Span
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import Program, Storage, Variable
from transpiler.hlir.types import Bits
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact

A, B, C = (fld("h", name) for name in "abc")
FRAME = bytes.fromhex("03 0105 ff 77")
NOTHING = {"init_table": None}


def does(*calls: Json, **more: Json) -> Json:
    """A document whose ingress does some calls."""
    return document([action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]}, **more)


def refusal(tmp_path: Path, made: Json) -> str:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    return raised.value.diagnostics.render()


def header(name: str, number: int, type_: str = "h_t") -> Json:
    return {"name": name, "id": number, "header_type": type_, "metadata": False}


def control(program: Program, role: str) -> str:
    """The body of a control as text, without indentation."""
    text = print_program(program).partition(f" ({role}) {{")[2].partition("\n}\n")[0].removeprefix("\n")
    return "\n".join(line.strip() for line in text.splitlines())


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "more", "told"),
    [
        ([["a", 1]], {}, None),
        ([["a", 1 << 16]], {}, None),
        ([["a", (1 << 16) + 1]], {}, "65537 is not between 1 and 65536"),
        ([["a", 0]], {}, "0 is not between 1 and 65536"),
        ([["a", 8], ["a", 8]], {}, "field 'a' is there twice"),
        ([["a"]], {}, "2 or 3 elements are expected here, not 1"),
        ([["a", 8, 1]], {}, "true or false is expected here"),
        ([["a", 8], ["v", "*"], ["w", "*"]], {"max_length": 9}, "a header type has at most one field of variable width"),
        ([["a", 8], ["v", "*"]], {}, "'max_length' is missing"),
        ([["a", 8], ["v", "*"]], {"max_length": 1}, "the other fields alone take 8 bits"),
        ([["a", 8], ["v", "*"]], {"max_length": 2}, None),
        ([["v", "*"]], {"max_length": (1 << 13) + 1}, "8193 is not between 1 and 8192"),
    ],
)  # fmt: skip
def test_fields_of_header_types(fields: Json, more: Json, told: str | None, tmp_path: Path) -> None:
    made = document([], NOTHING)
    made["header_types"].append({"name": "x_t", "id": 7, "fields": fields, **more})
    made["headers"].append(header("x", 7, "x_t"))
    if told is not None:
        assert told in refusal(tmp_path, made)
    else:
        found = {type_.name: type_ for type_ in load(tmp_path, made)[0].header_types}
        assert [one.name for one in found["x_t"].fields] == [one[0] for one in fields]


def test_widths_and_signs_of_fields(tmp_path: Path) -> None:
    """A field of variable width has what the others leave of the longest header. Types that no header has are left out."""
    made = document([], NOTHING)
    fields = [["a", 5], ["v", "*"], ["b", 3, True], ["c", 8, False]]
    made["header_types"] += [
        {"name": "x_t", "id": 7, "fields": fields, "max_length": 10}, {"name": "unused_t", "id": 8, "fields": [["a", 8]]},
    ]  # fmt: skip
    made["headers"].append(header("x", 7, "x_t"))
    types = {type_.name: type_ for type_ in load(tmp_path, made)[0].header_types}
    assert [str(field.type) for field in types["x_t"].fields] == ["bit<5>", "varbit<64>", "int<3>", "bit<8>"]
    made["header_types"][-2]["fields"][0] = ["a", 9]
    fields = load(tmp_path, made)[0].header_types[1].fields
    assert [str(field.type) for field in fields] == ["bit<9>", "varbit<60>", "int<3>", "bit<8>"]
    assert list(types) == ["h_t", "x_t"]


@pytest.mark.parametrize(
    ("section", "objects", "told"),
    [
        ("header_types", [{"name": "h_t", "id": 9, "fields": []}], "header type 'h_t' is there twice"),
        ("headers", [header("x", 7, "none_t")], "header type 'none_t' is not declared"),
        ("headers", [header("h", 7)], "header 'h' is there twice"),
        ("headers", [header("standard_metadata", 7)], "header 'standard_metadata' is there twice"),
        ("header_stacks", [{"name": "s", "id": 0, "header_type": "h_t", "header_ids": []}], "a stack has 1 to 4096 elements"),
        ("header_stacks", [{"name": "s", "id": 0, "header_type": "h_t", "header_ids": [9]}], "no header has this id"),
        ("header_stacks", [{"name": "s", "id": 0, "header_type": "h_t", "header_ids": [0, 0]}], "'h' is in a stack already"),
        (
            "header_stacks", [{"name": "s", "id": 0, "header_type": "standard_metadata", "header_ids": [0]}],
            "'h' is of type h_t, not standard_metadata",
        ),
        ("header_union_types", [{"name": "u_t", "id": 0, "headers": [["m"]]}], "2 elements are expected here, not 1"),
        ("errors", [["NoError", 7], ["Other", 7]], "another error has the value 7"),
        ("field_aliases", [["a.b", ["c"]]], "2 elements are expected here, not 1"),
    ],
)  # fmt: skip
def test_declarations_that_cannot_be(section: str, objects: list[Json], told: str, tmp_path: Path) -> None:
    made = document([], NOTHING)
    made[section] = [*made.get(section, []), *objects] if section.startswith("header") else objects
    assert told in refusal(tmp_path, made)


def test_stacks_of_one_name(tmp_path: Path) -> None:
    made = document([], NOTHING)
    made["headers"].append(header("g", 7))
    stack = {"name": "s", "header_type": "h_t"}
    made["header_stacks"] = [{**stack, "id": 0, "header_ids": [0]}, {**stack, "id": 1, "header_ids": [7]}]
    assert "stack 's' is there twice" in refusal(tmp_path, made)


def test_an_element_of_a_stack_is_no_other_header(tmp_path: Path) -> None:
    """Elements are called by their places."""
    made = document([], NOTHING)
    made["headers"] += [header("s[0]", 7), header("g", 8)]
    made["header_stacks"] = [{"name": "s", "id": 0, "header_type": "h_t", "header_ids": [8]}]
    assert "header 's[0]' is not in stack 's'" in refusal(tmp_path, made)
    made["header_stacks"][0]["header_ids"] = [8, 7]
    assert [one.name for one in load(tmp_path, made)[0].headers][-2:] == ["s[0]", "s[1]"]


UNION = {
    "header_union_types": [{"name": "u_t", "id": 0, "headers": [["m", "h_t"], ["n", "h_t"], ["o", "h_t"]]}],
    "header_unions": [{"name": "u", "id": 0, "union_type": "u_t", "header_ids": [2, 3, 4]}],
}
VALID_UNION = alone("valid_union", {"type": "header_union", "value": "u"})
MEMBER = {
    "type": "expression",
    "value": {"op": "access_union_header", "left": {"type": "header_union", "value": "u"}, "right": 1},
}


@pytest.mark.parametrize(
    ("calls", "sent"),
    [
        ([primitive("add_header", {"type": "header", "value": "m"})], "03 0105 ff 00 0000 00 77"),
        ([primitive("add_header", {"type": "header", "value": name}) for name in "mno"], "03 0105 ff 00 0000 00 77"),
        (
            [
                primitive("add_header", {"type": "header", "value": "m"}), primitive("assign", fld("m", "a"), hexstr(9)),
                primitive("add_header", {"type": "header", "value": "n"}),
            ],
            "03 0105 ff 00 0000 00 77",
        ),
        (
            [
                primitive("add_header", {"type": "header", "value": "m"}),
                primitive("copy_header", {"type": "header", "value": "n"}, {"type": "header", "value": "h"}),
            ],
            "03 0105 ff 03 0105 ff 77",
        ),
        (
            [
                primitive("add_header", {"type": "header", "value": "o"}),
                primitive("copy_header", {"type": "header", "value": "n"}, {"type": "header", "value": "m"}),
            ],
            "03 0105 ff 00 0000 00 77",
        ),
        ([primitive("assign", A, VALID_UNION)], "00 0105 ff 77"),
        (
            [primitive("add_header", {"type": "header", "value": "o"}), primitive("assign", A, VALID_UNION)],
            "01 0105 ff 00 0000 00 77",
        ),
        ([primitive("add_header", MEMBER), primitive("assign", fld("n", "a"), hexstr(6))], "03 0105 ff 06 0000 00 77"),
    ],
)  # fmt: skip
def test_of_a_union_one_header_is_valid(calls: list[Json], sent: str, tmp_path: Path) -> None:
    """One that becomes valid drives out the others; one that a copy makes invalid does not."""
    made = does(*calls, **UNION)
    made["headers"] += [header(name, 2 + i) for i, name in enumerate("mno")]
    made["deparsers"][0]["order"] += ["m", "n", "o"]
    assert Switch(load(tmp_path, made)[0]).process(1, FRAME) == [(0, bytes.fromhex(sent))]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("h", "h", True),
        ("h", "g", False),  # one of them is not valid
        ("g", "f", True),  # neither is
    ],
)
def test_headers_are_compared(left: str, right: str, equal: bool, tmp_path: Path) -> None:
    """Equal are two that are valid and have the same fields, or are both invalid."""
    sides = ({"type": "header", "value": name} for name in (left, right))
    for name, result in (("==", equal), ("!=", not equal)):
        sides = [{"type": "header", "value": one} for one in (left, right)]
        made = does(primitive("assign", A, op(name, *sides)))
        made["headers"] += [header("g", 2), header("f", 3)]
        assert Switch(load(tmp_path, made)[0]).process(1, FRAME) == [(0, bytes((result,)) + FRAME[1:])]


@pytest.mark.parametrize(("field", "equal"), [(None, True), ("a", False), ("b", False), ("c", False)])
def test_all_fields_of_a_header_are_compared(field: str | None, equal: bool, tmp_path: Path) -> None:
    copied = primitive("copy_header", *({"type": "header", "value": name} for name in "gh"))
    changed = [primitive("assign", fld("g", field), hexstr(0x44))] if field is not None else []
    made = does(copied, *changed, primitive("assign", B, op("==", *({"type": "header", "value": n} for n in "gh"))))
    made["headers"].append(header("g", 2))
    assert Switch(load(tmp_path, made)[0]).process(1, FRAME) == [(0, bytes((3, 0, equal)) + FRAME[3:])]


def test_a_variable_whose_name_is_taken_has_a_number() -> None:
    """Before the last part of the name, which says what it is."""
    made: dict[str, Variable] = {}
    span = Span("t.json", 1, 1)
    for name in ("a.b.c", "a.b.c", "a.b.c", "c", "c", "a.c", "a.b.d"):
        new_variable(made, name, Bits(8), Storage.LOCAL, span)
    assert list(made) == ["a.b.c", "a.b_2.c", "a.b_3.c", "c", "c_2", "a.c", "a.b.d"]


# --- standard metadata -----------------------------------------------------------------------------------------------


def test_fields_of_the_switch_are_found_by_its_names_and_by_aliases(tmp_path: Path) -> None:
    """What the program declares is read as wide as it declares it; fields that are no one's are the program's metadata."""
    made = does(
        primitive("assign", B, fld("mine", "length")), primitive("assign", A, fld("standard_metadata", "ingress_port")),
        field_aliases=[["standard_metadata.packet_length", ["mine", "length"]]],
    )  # fmt: skip
    made["header_types"].append({"name": "mine_t", "id": 2, "fields": [["length", 2], ["own", 7]]})
    made["headers"].append({"name": "mine", "id": 2, "header_type": "mine_t", "metadata": True})
    program = load(tmp_path, made)[0]
    assert Switch(program).process(6, FRAME + b"\0") == [(0, bytes((6, 0, 6 & 3)) + FRAME[3:] + b"\0")]
    assert {v.name: v.storage for v in program.variables if v.name.startswith("mine")} == {"mine.own": Storage.METADATA}
    made["actions"][0]["primitives"] = [primitive("assign", fld("mine", "none"), hexstr(0))]
    assert "'none' is not a field of 'mine'" in refusal(tmp_path, made)
    made["actions"][0]["primitives"] = [primitive("add_header", {"type": "header", "value": "mine"})]
    assert "'mine' is metadata, which cannot be used as a header here" in refusal(tmp_path, made)


@pytest.mark.parametrize("read", [True, False])
def test_the_parsers_error_has_the_programs_number(read: bool, tmp_path: Path) -> None:
    """Where the program reads it: of a frame that is too short the number that it gives PacketTooShort."""
    error = fld("standard_metadata", "parser_error")
    made = does(primitive("assign", fld("standard_metadata", "egress_spec"), error if read else hexstr(2)))
    made["errors"] = [["NoError", 4], ["Own", 9], ["PacketTooShort", 6]]
    program = load(tmp_path, made)[0]
    assert program.errors.members[-1] == "Own" and program.errors.members.count("NoError") == 1
    switch = Switch(program)
    assert [port for port, _ in switch.process(1, FRAME)] == [4 if read else 2]
    assert [port for port, _ in switch.process(1, b"\x01")] == [6 if read else 2]
    assert ("switch" in ingress_of(program)) is read


def test_errors_without_numbers_have_those_of_their_places(tmp_path: Path) -> None:
    made = does(primitive("assign", fld("standard_metadata", "egress_spec"), fld("standard_metadata", "parser_error")))
    made["errors"] = []
    assert [port for port, _ in Switch(load(tmp_path, made)[0]).process(1, b"\x01")] == [1]


def test_a_deparser_does_its_calls_before_it_emits(tmp_path: Path) -> None:
    made = document([], NOTHING)
    made["deparsers"][0]["primitives"] = [primitive("assign", A, hexstr(0x21))]
    assert Switch(load(tmp_path, made)[0]).process(1, FRAME) == [(0, b"\x21" + FRAME[1:])]
    made["deparsers"] = []
    program = load(tmp_path, made)[0]
    assert Switch(program).process(1, FRAME) == [(0, b"\x77")]
    assert [pipe.name for pipe in program.pipes] == [
        "parser", "verify_checksum", "ingress", "egress", "compute_checksum", "deparser",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("meta", "told"),
    [
        (None, None), ({}, None), ({"version": [2, 0]}, None), ({"version": [2, 99]}, None),
        ({"version": [1, 23]}, "version 2 of the format is supported"),
        ({"version": [2]}, "2 elements are expected here, not 1"),
    ],
)  # fmt: skip
def test_versions_of_the_format(meta: Json, told: str | None, tmp_path: Path) -> None:
    made = document([], NOTHING, __meta__=meta)
    if told is None:
        assert load(tmp_path, made)[0].name == "p"
    else:
        assert told in refusal(tmp_path, made)


# --- checksums -------------------------------------------------------------------------------------------------------


def checksum(**more: Json) -> Json:
    return {"name": "sum", "id": 0, "target": ["h", "b"], "type": "generic", "calculation": "calc", **more}


def with_checksum(given: Json, *inputs: Json) -> Json:
    calculation = {"name": "calc", "id": 0, "input": list(inputs or (A,)), "algo": "identity"}
    made = document([], NOTHING, calculations=[calculation], checksums=[given])
    made["header_types"].append({"name": "meta_t", "id": 2, "fields": [["sum", 16], ["go", 1]]})
    made["headers"] += [{"name": "meta", "id": 2, "header_type": "meta_t", "metadata": True}, header("g", 3)]
    return made


VALID_H = alone("valid", {"type": "header", "value": "h"})


@pytest.mark.parametrize(
    ("more", "condition"),
    [
        ({}, "h.isValid()"),
        ({"if_cond": None}, "h.isValid()"),
        ({"if_cond": {"type": "bool", "value": True}}, "h.isValid()"),
        ({"if_cond": VALID_H}, "h.isValid()"),
        ({"if_cond": IS_THREE}, "h.isValid() && (h.a == 8w3)"),
        ({"if_cond": op("and", VALID_H, IS_THREE)}, "h.isValid() && (h.a == 8w3)"),
        ({"if_cond": alone("valid", {"type": "header", "value": "g"})}, "h.isValid() && g.isValid()"),
        ({"target": ["meta", "sum"], "if_cond": VALID_H}, "h.isValid()"),
        ({"of": fld("g", "a"), "if_cond": alone("valid", {"type": "header", "value": "g"})}, "h.isValid() && g.isValid()"),
    ],
)  # fmt: skip
def test_when_a_checksum_is_computed(more: Json, condition: str, tmp_path: Path) -> None:
    """Where its condition holds and the header of its field is valid: what is known to be valid is asked once."""
    summed = more.pop("of", A)
    program = load(tmp_path, with_checksum(checksum(verify=False, **more), summed))[0]
    lines = control(program, "compute_checksum").splitlines()
    assert lines[0] == f"if ({condition}) {{"
    assert sum(line.startswith("if ") for line in lines) == 1
    assert control(program, "verify_checksum") == ""


@pytest.mark.parametrize(("name", "asked"), [("and", False), ("or", True)])
def test_of_either_condition_nothing_follows(name: str, asked: bool, tmp_path: Path) -> None:
    """Where both hold a header is known to be there; where one of them does, it may be missing and is left out."""
    condition = op(name, alone("valid", {"type": "header", "value": "g"}), IS_THREE)
    program = load(tmp_path, with_checksum(checksum(verify=False, if_cond=condition), fld("g", "a"), A))[0]
    lines = control(program, "compute_checksum").splitlines()
    assert ("if (g.isValid()) {" in lines) is asked
    assert sum("hash.compute" in line for line in lines) == 1 + asked


@pytest.mark.parametrize(("payload", "method"), [([], "compute"), ([{"type": "payload"}], "compute_with_payload")])
def test_a_crc_of_own_parameters_may_be_over_the_payload(payload: list[Json], method: str, tmp_path: Path) -> None:
    calculation = {"name": "calc", "id": 0, "input": [A, *payload], "algo": "crc16_custom"}
    call = primitive(
        "modify_field_with_hash_based_offset", B, hexstr(0), {"type": "calculation", "value": "calc"}, hexstr(9)
    )
    text = ingress_of(load(tmp_path, does(call, calculations=[calculation]))[0])
    assert f"$hash = calc: custom_crc.{method}({{ h.a }});" in text


def test_a_checksum_of_metadata_is_always_computed(tmp_path: Path) -> None:
    program = load(
        tmp_path, with_checksum(checksum(verify=False, target=["meta", "sum"]), hexstr(7) | {"bitwidth": 8})
    )[0]
    assert control(program, "compute_checksum").splitlines() == [
        "$checksum.64 = hash.compute(\"identity\", { 8w7 });", "meta.sum = (bit<16>)$checksum.64;",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "verified", "updated"),
    [
        ({}, True, True),
        ({"verify": True, "update": False}, True, False),
        ({"verify": False, "update": True}, False, True),
        ({"verify": False, "update": False}, False, False),
    ],
)
def test_a_checksum_is_verified_and_updated(flags: Json, verified: bool, updated: bool, tmp_path: Path) -> None:
    """Both, unless the program says otherwise. The packet has b = 0x0105, where the sum is a = 3."""
    made = with_checksum(checksum(**flags))
    made["header_types"][1]["fields"].append(["checksum_error", 1])
    made["actions"] = [action(0, "act", primitive("assign", fld("standard_metadata", "egress_spec"),
                                                  fld("standard_metadata", "checksum_error")))]  # fmt: skip
    made["pipelines"][0] |= {"init_table": "t", "tables": [statement("t", 0, "act", None)]}
    switch = Switch(load(tmp_path, made)[0])
    after = bytes.fromhex("03 0003 ff 77") if updated else FRAME
    assert switch.process(1, FRAME) == [(int(verified), after)]
    right = bytes.fromhex("03 0003 ff 77")
    assert switch.process(1, right) == [(0, right)]


@pytest.mark.parametrize(("inputs", "wrong"), [((B,), 0), ((A, B), 1)])
def test_a_checksum_that_is_wider_than_its_field_is_compared_whole(
    inputs: tuple[Json, ...], wrong: int, tmp_path: Path
) -> None:
    """With `a` in front it is 0x030105, of which b = 0x0105 is only the end (Checksum::is_correct)."""
    made = with_checksum(checksum(update=False), *inputs)
    made["header_types"][1]["fields"].append(["checksum_error", 1])
    put = primitive("assign", fld("standard_metadata", "egress_spec"), fld("standard_metadata", "checksum_error"))
    made["actions"] = [action(0, "act", put)]
    made["pipelines"][0] |= {"init_table": "t", "tables": [statement("t", 0, "act", None)]}
    assert Switch(load(tmp_path, made)[0]).process(1, FRAME) == [(wrong, FRAME)]


def test_checksums_that_are_refused(tmp_path: Path) -> None:
    assert "calculation 'none' is not declared" in refusal(tmp_path, with_checksum(checksum(calculation="none")))
    made = with_checksum(checksum(target=["v", "rest"]))
    made["header_types"].append({"name": "v_t", "id": 9, "fields": [["rest", "*"]], "max_length": 4})
    made["headers"].append(header("v", 9, "v_t"))
    assert "a field of variable width cannot be a checksum" in refusal(tmp_path, made)


# --- calculations and lists ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "items", "method"),
    [
        ([A, B], "{ h.a, h.b }", "compute"),
        ([C], "{ h.c }", "compute"),
        ([hexstr(0x1FF) | {"bitwidth": 8}], "{ 8w0xff }", "compute"),
        ([{"type": "header", "value": "h"}], "{ h.a, h.b, h.c }", "compute"),
        ([A, {"type": "payload"}], "{ h.a }", "compute_with_payload"),
    ],
)
def test_what_is_hashed(inputs: list[Json], items: str, method: str, tmp_path: Path) -> None:
    calculation = {"name": "calc", "id": 0, "input": inputs, "algo": "crc16"}
    call = primitive(
        "modify_field_with_hash_based_offset", B, hexstr(0), {"type": "calculation", "value": "calc"}, hexstr(1 << 16)
    )
    text = ingress_of(load(tmp_path, does(call, calculations=[calculation]))[0])
    assert f'hash.{method}("crc16", {items})' in text


@pytest.mark.parametrize(
    ("algo", "instance"),
    [("cksum16", None), ("csum16", None), ("crc32_custom", 32), ("crc16_custom", 16), ("random", None)],
)
def test_algorithms(algo: str, instance: int | None, tmp_path: Path) -> None:
    """Those whose parameters the control plane can set are instances of the calculation's name."""
    made = document([], NOTHING, calculations=[{"name": "calc", "id": 0, "input": [A], "algo": algo}])
    externs = [(one.name, one.kind, dict(one.attributes)) for one in load(tmp_path, made)[0].externs]
    assert externs == ([] if instance is None else [("calc", "custom_crc", {"width": instance})])


def test_fields_of_the_switch_are_hashed_as_wide_as_the_program_declares_them(tmp_path: Path) -> None:
    for width, item in ((9, "standard_metadata.ingress_port"), (16, "(bit<16>)standard_metadata.ingress_port")):
        port = fld("standard_metadata", "ingress_port")
        calculation = {"name": "calc", "id": 0, "input": [port], "algo": "identity"}
        call = primitive(
            "modify_field_with_hash_based_offset", B, hexstr(0), {"type": "calculation", "value": "calc"}, hexstr(9)
        )
        made = does(call, calculations=[calculation])
        made["header_types"][1]["fields"][0] = ["ingress_port", width]
        assert f'hash.compute("identity", {{ {item} }})' in ingress_of(load(tmp_path, made)[0])


@pytest.mark.parametrize(
    ("names", "fields"), [(("a", "b"), "a,b"), (("x,y", "b"), "0,1"), (("a", "a", "b"), "0,1,2"), ((), "")]
)
def test_members_of_a_digest(names: tuple[str, ...], fields: str, tmp_path: Path) -> None:
    """By their names, where these tell them apart, else by their places."""
    elements = [fld("k", name) for name in names]
    made = document([], NOTHING, learn_lists=[{"name": "l", "id": 1, "elements": elements}])
    made["header_types"].append({"name": "k_t", "id": 9, "fields": [["a", 8], ["b", 8], ["x,y", 8]]})
    made["headers"].append(header("k", 9, "k_t"))
    (one,) = load(tmp_path, made)[0].externs
    assert (one.kind, one.attribute("fields")) == ("digest", fields)


def test_what_a_second_pass_keeps(tmp_path: Path) -> None:
    """The program's own metadata among the fields of a list, each once; list 0 is that of nothing."""
    elements = [
        fld("meta", "x"),
        fld("meta", "x"),
        A,
        fld("standard_metadata", "ingress_port"),
        fld("meta", "y"),
        hexstr(1),
    ]
    for number, kept in ((1, "meta.x, meta.y"), (0, "")):
        made = does(primitive("resubmit", hexstr(number)), field_lists=[{"name": "l", "id": 1, "elements": elements}])
        made["header_types"].append({"name": "meta_t", "id": 2, "fields": [["x", 8], ["y", 8], ["z", 8]]})
        made["headers"].append({"name": "meta", "id": 2, "header_type": "meta_t", "metadata": True})
        (line,) = [line for line in ingress_of(load(tmp_path, made)[0]).splitlines() if "resubmit" in line]
        assert kept in line and ("meta" in line) is bool(kept) and "meta.z" not in line and "h.a" not in line
        assert line.count("meta.x") <= 1 and "ingress_port" not in line
    made["actions"][0]["primitives"] = [primitive("resubmit", hexstr(2))]
    assert "there is no field list 2" in refusal(tmp_path, made)
    made["actions"][0]["primitives"], made["field_lists"] = [primitive("resubmit", hexstr(1))], []
    assert "there is no field list 1" in refusal(tmp_path, made)


def test_counters_and_meters_of_a_tables_entries(tmp_path: Path) -> None:
    """Declared or not, a counter counts by itself; a meter's result is in its field before the action runs."""
    made = document(
        [action(0, "x"), action(1, "y", primitive("assign", A, B))],
        {
            "init_table": "t",
            "tables": [
                table("t", {0: "x"}, {"x": "u"}, with_counters=True), table("u", {0: "x"}, {"x": "v"}, with_counters=True),
                table("v", {1: "y"}, {"y": None}, direct_meters="m"),
            ],
        },
        counter_arrays=[{"name": "mine", "id": 0, "is_direct": True, "binding": "u"}, {"name": "c", "id": 1, "size": 5}],
        meter_arrays=[
            {"name": "m", "id": 0, "is_direct": True, "type": "bytes", "rate_count": 2, "result_target": ["h", "b"]},
        ],
    )  # fmt: skip
    program = load(tmp_path, made)[0]
    assert {one.name: (one.kind, dict(one.attributes)) for one in program.externs} == {
        "t.counter": ("direct_counter", {"unit": "packets_and_bytes", "automatic": 1}),
        "mine": ("direct_counter", {"unit": "packets_and_bytes", "automatic": 1}),
        "c": ("counter", {"size": 5, "unit": "packets_and_bytes"}),
        "m": ("direct_meter", {"unit": "bytes", "automatic": 1}),
    }
    assert {one.name: one.direct for one in program.tables} == {"t": ("t.counter",), "u": ("mine",), "v": ("m",)}
    assert len(program.action["y"].body) == 2 and program.action["x"].body == ()
    switch = Switch(program)
    assert switch.process(1, FRAME)[0][1][:1] == b"\x05"  # nothing was hit, so nothing was metered
    switch.table_add("v", (Exact(3),), "y")
    assert switch.process(1, FRAME)[0][1][:3] == b"\0\0\0"  # green


@pytest.mark.parametrize("names", ["tuv", "vut"])
def test_an_action_reads_the_meter_of_the_table_that_runs_it(names: str, tmp_path: Path) -> None:
    """t has a meter, u and v share the action without. A default action alone reads none."""
    result = {"name": "m", "id": 0, "is_direct": True, "type": "bytes", "result_target": ["h", "b"]}
    tables = [
        table(name, {0: "x"}, {"x": following}, direct_meters="m" if name == "t" else None,
              default_entry={"action_id": 1, "action_const": False, "action_data": []})
        for name, following in zip(names, [*names[1:], None], strict=True)
    ]  # fmt: skip
    made = document([action(0, "x"), action(1, "y")], {"init_table": names[0], "tables": tables}, meter_arrays=[result])
    program = load(tmp_path, made)[0]
    reading = {
        (one.name, program.action[use.action].control_name): len(program.action[use.action].body)
        for one in program.tables
        for use in one.actions
    }
    assert reading == {(name, act): int((name, act) == ("t", "x")) for name in names for act in "xy"}
    assert all([use.default_only for use in one.actions] == [False, True] for one in program.tables)
    assert len({one.actions[0].action for one in program.tables}) == 2


def test_names_that_several_instances_have(tmp_path: Path) -> None:
    """The second one has its kind behind its name; each is found by its kind."""
    made = does(
        primitive("count", {"type": "counter_array", "value": "n"}, hexstr(1)),
        primitive("register_write", {"type": "register_array", "value": "n"}, hexstr(1), hexstr(1)),
        counter_arrays=[{"name": "n", "id": 0, "size": 5}],
        register_arrays=[{"name": "n", "id": 0, "size": 5, "bitwidth": 8}],
    )  # fmt: skip
    program = load(tmp_path, made)[0]
    assert [one.name for one in program.externs] == ["n", "n.register"]
    assert "n.register" in ingress_of(program)
    several = made | {"meter_arrays": [{"name": "n", "id": 0, "size": 5, "type": "bytes", "rate_count": 2}]}
    for section in ("counter_arrays", "meter_arrays", "register_arrays"):
        several[section] = [one | {"id": number} for number in range(3) for one in several[section]]
    assert sorted(one.name for one in load(tmp_path, several)[0].externs) == [
        "n", "n.counter", "n.counter_2", "n.meter", "n.meter_2", "n.meter_3", "n.register", "n.register_2", "n.register_3",
    ]  # fmt: skip
    made["actions"][0]["primitives"] = [primitive("count", {"type": "counter_array", "value": "r"}, hexstr(1))]
    assert "counter 'r' is not declared" in refusal(tmp_path, made)
    made["actions"][0]["primitives"] = [primitive("count", {"type": "register_array", "value": "n"}, hexstr(1))]
    assert "a counter_array is expected here" in refusal(tmp_path, made)
