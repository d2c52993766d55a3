"""BMv2's JSON: elements of stacks and unions in expressions, the limits of numbers, places in the file and in the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aux_frontend.bmv2_json.frontend import Bmv2Json
from test_bmv2_json import Json, action, alone, document, fld, hexstr, load, op, primitive, statement, table

from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.interpreter import Switch

A, B, C = (fld("h", name) for name in "abc")
FRAME = bytes.fromhex("01 0203 04 05 0607 08 99")
STACK = {"type": "header_stack", "value": "s"}
H = {"type": "header", "value": "h"}


def element(index: Json, name: str = "dereference_header_stack") -> Json:
    return op(name, STACK, index)


def field_of(header: Json, number: int) -> Json:
    return op("access_field", header, number)


def made(*calls: Json, extracted: int = 2) -> Json:
    """A stack s of three headers, of which the parser extracts some; ingress does the calls."""
    text = document([action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    text["headers"] += [{"name": f"e{i}", "id": 2 + i, "header_type": "h_t", "metadata": False} for i in range(3)]
    text["header_stacks"] = [{"name": "s", "id": 0, "size": 3, "header_type": "h_t", "header_ids": [2, 3, 4]}]
    extract = {"op": "extract", "parameters": [{"type": "stack", "value": "s"}]}
    text["parsers"][0]["parse_states"][0]["parser_ops"] = [extract] * extracted
    text["deparsers"][0]["order"] = ["e0", "e1", "e2", "h"]
    return text


def sent(tmp_path: Path, text: Json) -> bytes:
    ((_, frame),) = Switch(load(tmp_path, text)[0]).process(1, FRAME)
    return frame


def refusal(tmp_path: Path, text: Json) -> str:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, text)
    return raised.value.diagnostics.render()


OUT = fld("e0", "b")
BEYOND = op("+", fld("e0", "a"), hexstr(256))


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (field_of(element(hexstr(1)), 0), 5),
        (field_of(element(hexstr(1), "dereference_stack"), 1), 0x0607),
        (field_of(element(fld("e0", "a")), 2), 8),
        ({"type": "stack_field", "value": ["s", "a"]}, 5),
        (alone("last_stack_index", STACK), 1),
        (alone("size_stack", STACK), 2),
        (op("+", alone("last_stack_index", STACK), hexstr(10)), 11),
        (fld("e0", "$valid$"), 1),
        (fld("e2", "$valid$"), 0),
        (alone("b2d", alone("valid", element(hexstr(2)))), 0),
        (alone("b2d", alone("valid", element(hexstr(1)))), 1),
        (alone("b2d", {"type": "bool", "value": True}), 1),
        ({"type": "bool", "value": True}, 1),
        (alone("b2d", op("==", element(hexstr(1), "dereference_stack"), element(hexstr(1)))), 1),
        (alone("b2d", alone("valid", element(hexstr(3)))), 0),
        (op("two_comp_mod", hexstr(0x4000), hexstr(15)), 0xC000),
        (alone("b2d", op("==", op("+", op("%", fld("e0", "a"), hexstr(2)), hexstr(255)), hexstr(256))), 1),
        (
            alone("b2d", op("<", op("-", op(">>", BEYOND, fld("e0", "a")), hexstr(256)), hexstr(5))),
            1,
        ),
        (op("?", hexstr(3), hexstr(4), cond=fld("e0", "a")), 3),
        (op("?", hexstr(3), hexstr(4), cond=fld("h", "a")), 4),
        (alone("b2d", op("==", alone("d2b", fld("e0", "a")), {"type": "bool", "value": True})), 1),
        (alone("b2d", op("==", fld("e0", "a"), alone("not", {"type": "bool", "value": True}))), 0),
        (hexstr(0x12345), 0x2345),
        ({"type": "hexstr", "value": "-0x1"}, 0xFFFF),
        ({"type": "hexstr", "value": "+0x1F"}, 0x1F),
        ({"type": "hexstr", "value": "0X1F"}, 0x1F),
    ],
)  # fmt: skip
def test_values(value: Json, result: int, tmp_path: Path) -> None:
    assert sent(tmp_path, made(primitive("assign", OUT, value)))[1:3] == result.to_bytes(2, "big")


@pytest.mark.parametrize(
    ("number", "told"), [(0, None), (1, "1 is not between 0 and 0"), (-1, "-1 is not between 0 and 0")]
)
def test_runtime_data_have_the_numbers_of_their_places(number: int, told: str | None, tmp_path: Path) -> None:
    put = action(1, "put", primitive("assign", A, {"type": "runtime_data", "value": number}), data=(("v", 8),))
    text = made(primitive("no_op"))
    text["actions"].append(put)
    if told is not None:
        assert told in refusal(tmp_path, text)
    else:
        load(tmp_path, text)


@pytest.mark.parametrize(("extracted", "last", "size"), [(0, 0xFFFF, 0), (1, 0, 1), (3, 2, 3)])
def test_how_many_elements_there_are(extracted: int, last: int, size: int, tmp_path: Path) -> None:
    """None: the index of the last one is -1."""
    calls = [primitive("add_header", {"type": "header", "value": "h"})]
    calls += [
        primitive("assign", B, alone("last_stack_index", STACK)),
        primitive("assign", A, alone("size_stack", STACK)),
        primitive(
            "assign", C,
            op("|", alone("b2d", op("==", op("+", alone("size_stack", STACK), hexstr(253)), hexstr(253 + size))),
               op("<<", alone("b2d", op("<", alone("last_stack_index", STACK), hexstr(0))), hexstr(1))),
        ),
    ]  # fmt: skip
    frame = Switch(load(tmp_path, made(*calls, extracted=extracted))[0]).process(1, bytes(20))[0][1]
    counted = 1 | (extracted == 0) << 1
    assert frame[4 * extracted : 4 * extracted + 4] == bytes((size, *last.to_bytes(2, "big"), counted))


@pytest.mark.parametrize(
    ("name", "amount", "kept", "nexts"),
    [
        ("push", 0, [1, 5], 2), ("push", 1, [1, 5], 3), ("push", 2, [1], 3), ("push", 3, [], 3), ("push", 9, [], 3),
        ("pop", 0, [1, 5], 2), ("pop", 1, [5], 1), ("pop", 2, [], 0), ("pop", 3, [], 0), ("pop", 9, [], 0),
    ],
)  # fmt: skip
def test_elements_move_and_what_is_next_with_them(
    name: str, amount: int, kept: list[int], nexts: int, tmp_path: Path
) -> None:
    """Elements 01 and 05 are there. Those that have nothing to take are invalid; the count stays within the stack."""
    calls = [primitive(name, STACK, hexstr(amount)), primitive("add_header", {"type": "header", "value": "h"})]
    frame = sent(tmp_path, made(*calls, primitive("assign", A, alone("size_stack", STACK))))
    assert [frame[4 * i] for i in range(len(kept))] == kept
    assert frame[4 * len(kept)] == nexts and len(frame) == 4 * len(kept) + 4 + 1


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (op("<<", A, hexstr(4096)), None),
        (op(">>", op("<<", A, hexstr(4096)), hexstr(4095)), None),
        (op(">>", op("<<", A, hexstr(4097)), hexstr(1)), "a shift by up to 4097, of which all bits are used"),
        (op("<<", A, hexstr(5000)), None),  # of which the lowest bits are used
        (op("<<", A, op("-", None, hexstr(1))), "a shift by what can be negative"),
        (op(">>", A, C), "a shift by what can be negative"),
        (op("/", C, hexstr(3)), "a division of what can be negative"),
        (op("%", A, C), "a division of what can be negative"),
        (op("two_comp_mod", A, hexstr(0)), "a width must be a constant from 1 to 65536"),
        (op("sat_cast", A, hexstr(1 << 16)), None),
        (op("usat_cast", A, hexstr((1 << 16) + 1)), "a width must be a constant from 1 to 65536"),
        (op("usat_cast", A, B), "a width must be a constant"),
        (op("==", {"type": "header", "value": "h"}, A), "a header and a data cannot be compared"),
        (field_of(element(hexstr(1)), 3), "3 is not between 0 and 2"),
        (field_of(A, 0), "a header is expected here"),
        ({"type": "local", "value": 0}, "the action takes no runtime data"),
        (op("==", H, {"type": "header", "value": "k"}), "headers of different types cannot be compared"),
        ({"type": "header", "value": "h"}, "'header' is not a number"),
        (alone("size_stack", {"type": "header_stack", "value": "none"}), "header stack 'none' is not declared"),
        ({"type": "hexstr", "value": "0xG"}, "'0xG' is not a hexadecimal number"),
        (op("&", A, hexstr((1 << 65536) - 1)), None),
        (op(">>", op("&", A, hexstr(1 << 65536)), hexstr(1)), "a mask of more than 65536 bits"),
        (op("==", op("<<", op("<<", B, hexstr(4096)), hexstr(1)), A), None),
        ({"type": "field", "value": "h.a"}, "an array is expected here"),
        ({"type": "field", "value": ["h", 5]}, "a string is expected here"),
        ({"type": "field", "value": ["h"]}, "2 elements are expected here, not 1"),
        ({"value": ["h", "a"]}, "'type' is missing"),
        ({"type": "stack_field", "value": ["s", "z"]}, "'z' is not a field of header type 'h_t'"),
    ],
)
def test_limits_of_values(value: Json, told: str | None, tmp_path: Path) -> None:
    text = made(primitive("assign", OUT, value))
    text["header_types"].append({"name": "k_t", "id": 9, "fields": [["a", 8], ["b", 16], ["c", 8]]})
    text["headers"].append({"name": "k", "id": 9, "header_type": "k_t", "metadata": False})
    if told is None:
        load(tmp_path, text)
    else:
        assert told in refusal(tmp_path, text)


# --- the text --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"a": 1, "a": 2}', ":1:10: error: 'a' is there twice"), ('{"a": [1,, 2]}', ":1:10: error: expected a value"),
        ('{"a": [1 2]}', ":1:10: error: expected ',' or ']'"), ('{"a": 1 "b": 2}', ":1:9: error: expected ',' or '}'"),
        ('{1: 2}', ":1:2: error: expected the name of a member"), ('{"a": "x\ny"}', ":1:7: error: this is not JSON"),
        ('{"a": "\\q"}', ":1:7: error: this is not a string of JSON"), ('{"a": tru}', ":1:7: error: this is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", ":1:7: error: this number is too long"), ('{"a": }', ":1:7: error: expected a value"),
        ("", ":1:1: error: the file ends before its time"), ('{"a": 1}\n\n  x', ":3:3: error: this is not JSON"),
        ('{"a": 1}\n  ]', ":2:3: error: expected the end of the file"), ("[]", ":1:1: error: an object is expected here"),
        ('{"a": ",", "b"', ":1:15: error: expected ':'"), ('{"a": [1:2]}', ":1:9: error: expected ',' or ']'"),
        ('{"__meta__": 1E5}', ":1:14: error: __meta__: an object is expected here"),
    ],
)  # fmt: skip
def test_where_a_text_is_no_json(text: str, told: str, tmp_path: Path) -> None:
    file, diagnostics = tmp_path / "p.json", Diagnostics()
    file.write_text(text)
    with pytest.raises(Rejected):
        Bmv2Json().load(Source(file), diagnostics)
    assert told in diagnostics.render()


INFO = {"filename": "p.p4", "line": 12, "column": 8, "source_fragment": "fly()"}


@pytest.mark.parametrize(
    ("of_call", "of_action", "place"),
    [
        (INFO, None, "p.p4:12:9"),
        (None, INFO, "p.p4:12:9"),
        (None, None, None),
        (INFO | {"column": -1}, None, "p.p4:12:1"),
        (INFO | {"column": None}, None, "p.p4:12:1"),
        (INFO | {"line": 0}, None, None),
        (INFO | {"line": 1, "column": 0}, None, "p.p4:1:1"),
        (INFO | {"filename": ""}, None, None),
        (INFO | {"filename": None}, INFO | {"line": 3}, "p.p4:3:9"),
        (INFO, INFO | {"line": 3}, "p.p4:12:9"),
    ],
)
def test_places_in_the_program(of_call: Json, of_action: Json, place: str | None, tmp_path: Path) -> None:
    """The nearest `source_info`, of the action at most."""
    call = primitive("fly")
    text = document([action(0, "act", call)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    text["source_info"] = INFO | {"line": 99}
    for node, info in ((call, of_call), (text["actions"][0], of_action)):
        if info is not None:
            node["source_info"] = info
    told = refusal(tmp_path, text)
    assert ("it comes from here" in told) is (place is not None) and "p.p4:99" not in told
    assert place is None or f"{place}: note: it comes from here" in told


@pytest.mark.parametrize(
    ("fragment", "length"), [("fly()", 5), ("fly(\n1)", 4), ("while ...", 5), ("", 1), (None, 1), (7, 1)]
)
def test_how_much_of_the_program_a_place_is(fragment: Json, length: int, tmp_path: Path) -> None:
    """The first line of the fragment, without the dots that stand for what was left out."""
    text = made(primitive("assign", OUT, hexstr(1)) | {"source_info": INFO | {"source_fragment": fragment}})
    program = load(tmp_path, text)[0]
    spans = [s.span for pipe in program.pipes if pipe.name == "ingress" for s in pipe.body]  # type: ignore[union-attr]
    assert [(span.file, span.line, span.column, span.length) for span in spans] == [("p.p4", 12, 9, length)]


@pytest.mark.parametrize(
    ("value", "fits"), [(1, True), ((1 << 31) - 1, True), (1 << 31, False), (-1, False), (True, False), (1.0, False)]
)
def test_integers(value: Json, fits: bool, tmp_path: Path) -> None:
    text = document([], {"init_table": None}, counter_arrays=[{"name": "c", "id": 0, "size": 1}])
    text["header_stacks"] = [{"name": "s", "id": 0, "header_type": "h_t", "header_ids": [value]}]
    told = refusal(tmp_path, json.loads(json.dumps(text)))
    assert ("an integer is expected" in told or "is not between 0 and 2147483647" in told) is not fits


# --- unions, and fields of variable width ----------------------------------------------------------------------------

UNION_STACK, OTHER_STACK = ({"type": "header_union_stack", "value": name} for name in ("us", "vs"))
N = {"type": "header", "value": "us0n"}


def with_unions(*calls: Json, kinds: str = "mn") -> Json:
    """Unions of m and n, in two stacks of two; the parser has extracted the members `kinds` into `us`. Frames begin with them."""
    text = document([action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    text["header_types"].append({"name": "n_t", "id": 5, "fields": [["x", 8]]})
    names = [f"{stack}{at}{kind}" for stack in ("us", "vs") for at in range(2) for kind in "mn"]
    text["headers"] += [
        {"name": name, "id": 2 + i, "header_type": "n_t" if name[-1] == "n" else "h_t", "metadata": False}
        for i, name in enumerate(names)
    ]
    text["header_union_types"] = [{"name": "u_t", "id": 0, "headers": [["m", "h_t"], ["n", "n_t"]]}]
    text["header_unions"] = [
        {"name": f"u{i}", "id": i, "union_type": "u_t", "header_ids": [2 + 2 * i, 3 + 2 * i]} for i in range(4)
    ]
    text["header_union_stacks"] = [
        {"name": name, "id": i, "union_type": "u_t", "size": 2, "header_union_ids": [2 * i, 2 * i + 1]}
        for i, name in enumerate(("us", "vs"))
    ]
    text["parsers"][0]["parse_states"][0]["parser_ops"] = [
        {"op": "extract", "parameters": [{"type": "union_stack", "value": ["us", kind]}]} for kind in kinds
    ]
    text["deparsers"][0]["order"] = [*names, "h"]
    return text


def union(index: int, stack: str = "us") -> Json:
    return op("dereference_union_stack", {"type": "header_union_stack", "value": stack}, hexstr(index))


def member(of: Json, number: int) -> Json:
    return op("access_union_header", of, number)


SHOWN = [primitive("add_header", {"type": "header", "value": "h"})]


@pytest.mark.parametrize(
    ("value", "kinds", "result"),
    [
        ({"type": "union_stack_field", "value": ["us", "n", "x"]}, "mn", 5),
        ({"type": "union_stack_field", "value": ["us", "m", "a"]}, "nm", 2),
        (field_of(member(union(0), 0), 0), "mn", 1),
        (field_of(member(union(1), 1), 0), "mn", 5),
        (alone("size_stack", UNION_STACK), "mn", 2),
        (alone("size_stack", UNION_STACK), "m", 1),
        (alone("last_stack_index", UNION_STACK), "mn", 1),
        (op("==", union(0), union(1)), "mn", 0),
        (op("==", union(0), union(1, "vs")), "mn", 0),
        (op("==", union(0, "vs"), union(1, "vs")), "mn", 1),
        (op("!=", union(0), union(0)), "mn", 0),
        (alone("valid_union", union(1)), "mn", 1),
        (alone("valid_union", union(1)), "m", 0),
        (alone("valid", member(union(0), 0)), "mn", 1),
        (alone("valid", member(union(0), 1)), "mn", 0),
    ],
)
def test_elements_of_stacks_of_unions(value: Json, kinds: str, result: int, tmp_path: Path) -> None:
    text = with_unions(*SHOWN, primitive("assign", A, value), kinds=kinds)
    extracted = sum(4 if kind == "m" else 1 for kind in kinds)
    assert sent(tmp_path, text)[extracted] == result


@pytest.mark.parametrize(
    ("calls", "head"),
    [
        ([primitive("add_header", member(union(0), 1))], "00 05 06"),  # it drives out the other member
        ([primitive("add_header_fast", member(union(1), 0))], "01020304 00000000 06"),
        ([primitive("assign_union_stack", OTHER_STACK, UNION_STACK)], "01020304 05 01020304 05 06"),
        ([primitive("assign_union", union(1, "vs"), union(0))], "01020304 05 01020304 06"),
        ([primitive("assign_union", union(0), union(1))], "05 05 06"),
        ([primitive("add_header", N)], "00 05 06"),
    ],
)  # fmt: skip
def test_unions_are_copied(calls: list[Json], head: str, tmp_path: Path) -> None:
    """Member by member; with a stack goes how many of its elements were extracted."""
    assert sent(tmp_path, with_unions(*calls)).startswith(bytes.fromhex(head))
    counted = [primitive("assign", A, alone("size_stack", OTHER_STACK))]
    frame = sent(tmp_path, with_unions(*calls, *SHOWN, *counted))
    assert frame[len(frame) - 4 - len(FRAME) + 5] == (2 if calls[0]["op"] == "assign_union_stack" else 0)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (primitive("assign_union", union(0), {"type": "header_union", "value": "none"}), "header union 'none' is not declared"),
        (primitive("assign_union", union(0), A), "a header union is expected here"),
        (primitive("push", A, hexstr(1)), "a header union stack is expected here"),
        (primitive("push", UNION_STACK, {"type": "hexstr", "value": "-0x1"}), "a constant is expected here"),
        (primitive("push", UNION_STACK, A), "a constant is expected here"),
        (primitive("assign", A, field_of(member(union(0), 2), 0)), "2 is not between 0 and 1"),
        (primitive("assign", A, {"type": "union_stack_field", "value": ["us", "o", "a"]}), "union member 'o' is not declared"),
        (primitive("assign", A, op("==", H, N)), "different types cannot be compared"),
        (primitive("copy_header", H, N), "cannot be copied to one of h_t"),
        (primitive("assign_header_stack", UNION_STACK, UNION_STACK), "a header stack is expected here"),
        (primitive("assign_union", union(0), {"type": "header_union", "value": "other"}), "unions of different types cannot"),
        (
            primitive("assign_union_stack", UNION_STACK, {"type": "header_union_stack", "value": "os"}),
            "stacks of different unions cannot be copied",
        ),
    ],
)  # fmt: skip
def test_what_unions_cannot_be_used_for(call: Json, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, with_others(with_unions(call)))


def with_others(text: Json) -> Json:
    """A union of another type, and a stack of one of them."""
    text["headers"] += [{"name": f"o{i}", "id": 20 + i, "header_type": "h_t", "metadata": False} for i in range(4)]
    text["header_union_types"].append({"name": "o_t", "id": 1, "headers": [["p", "h_t"], ["q", "h_t"]]})
    text["header_unions"] += [
        {"name": name, "id": 4 + i, "union_type": "o_t", "header_ids": [20 + 2 * i, 21 + 2 * i]}
        for i, name in enumerate(("other", "o"))
    ]
    text["header_union_stacks"].append({"name": "os", "id": 2, "union_type": "o_t", "size": 1, "header_union_ids": [5]})
    return text


@pytest.mark.parametrize(
    ("stack", "told"),
    [
        ({"union_type": "none_t", "header_union_ids": [0]}, "header union type 'none_t' is not declared"),
        ({"union_type": "o_t", "header_union_ids": [9]}, "no header union has this id"),
        ({"union_type": "o_t", "header_union_ids": []}, "a stack has at least one element"),
        ({"union_type": "one_t", "header_union_ids": [4]}, "'other' is a union of another type"),
    ],
)
def test_stacks_of_unions_that_cannot_be(stack: Json, told: str, tmp_path: Path) -> None:
    text = with_others(with_unions())
    text["header_union_types"].append({"name": "one_t", "id": 2, "headers": [["p", "h_t"]]})
    text["header_union_stacks"][-1] |= stack
    assert told in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("other", "told"), [("v_t", None), ("w_t", "cannot be assigned to"), (None, "a field is expected here")]
)
def test_fields_of_variable_width_are_copied_to_their_like(other: str | None, told: str | None, tmp_path: Path) -> None:
    source = fld("w", "rest") if other else hexstr(1)
    text = document(
        [action(0, "act", primitive("assign_VL", fld("v", "rest"), source))],
        {"init_table": "t", "tables": [statement("t", 0, "act", None)]},
    )
    for number, (name, most) in enumerate((("v_t", 5), ("w_t", 6))):
        text["header_types"].append(
            {"name": name, "id": 5 + number, "fields": [["n", 8], ["rest", "*"]], "max_length": most}
        )
    text["headers"] += [
        {"name": "v", "id": 5, "header_type": "v_t"},
        {"name": "w", "id": 6, "header_type": other or "v_t"},
    ]
    if told is not None:
        assert told in refusal(tmp_path, text)
        return
    length = {"type": "hexstr", "value": "0x10"}
    extracts = [{"type": "regular", "value": "v"}, hexstr(8)], [{"type": "regular", "value": "w"}, length]
    text["parsers"][0]["parse_states"][0]["parser_ops"] = [
        {"op": "extract_VL", "parameters": list(one)} for one in extracts
    ]
    text["deparsers"][0]["order"] = ["v", "w"]
    assert sent(tmp_path, text)[:3] == bytes.fromhex("01 0405")


@pytest.mark.parametrize(
    ("key", "hits"),
    [
        ({"target": ["h", "a"], "mask": "0x0f"}, [1, 0x11]), ({"target": ["h", "a"], "mask": "0xff"}, [1]),
        ({"target": ["h", "a"], "mask": "0xff0f"}, [1, 0x11]), ({"target": ["h", "$valid$"], "mask": None}, [1, 0x11, 2]),
        ({"target": ["e0", "$valid$"], "mask": None}, []),
    ],
)  # fmt: skip
def test_keys_with_masks_and_of_validity(key: Json, hits: list[int], tmp_path: Path) -> None:
    text = made(primitive("no_op"))
    text["parsers"][0]["parse_states"][0]["parser_ops"] = [
        {"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}
    ]
    text["actions"].append(action(1, "hit", primitive("assign", B, hexstr(0x7777))))
    entry = {"match_key": [{"match_type": "exact", "key": "0x1"}], "action_entry": {"action_id": 1, "action_data": []}}
    one = table(
        "t", {0: "act", 1: "hit"}, {"act": None, "hit": None}, key=[{"match_type": "exact", **key}], entries=[entry]
    )
    text["pipelines"][0]["tables"] = [one]
    switch = Switch(load(tmp_path, text)[0])
    frames = {a: switch.process(1, bytes((a, 0, 0, 0)))[0][1] for a in (1, 0x11, 2)}
    assert [a for a, frame in frames.items() if frame[1:3] == b"\x77\x77"] == hits
