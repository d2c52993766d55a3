"""What parser states of BMv2's JSON become. docs/JSON_format.md, "parsers"."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_bmv2_json import Json, document, fld, hexstr, load, op

from transpiler.diagnostics import Rejected
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import MatchKind
from transpiler.interpreter import Switch

A, B = fld("h", "a"), fld("h", "b")
H = {"type": "regular", "value": "h"}
DEFAULT = {"type": "default", "value": None, "mask": None, "next_state": "start"}


def ahead(offset: int, width: int) -> Json:
    return {"type": "lookahead", "value": [offset, width]}


def case(value: str, mask: str | None = None, to: str | None = "start", **more: Json) -> Json:
    return {"type": "hexstr", "value": value, "mask": mask, "next_state": to, **more}


def does(name: str, *parameters: Json) -> Json:
    return {"op": name, "parameters": list(parameters)}


def parser(ops: list[Json], keys: list[Json], transitions: list[Json], **more: Json) -> Json:
    """A document whose parser has one state."""
    made = document([], {"init_table": None}, **more)
    made["parsers"][0]["parse_states"] = [
        {"name": "start", "id": 0, "parser_ops": ops, "transition_key": keys, "transitions": transitions}
    ]
    return made


def lines(tmp_path: Path, made: Json) -> list[str]:
    """The state's body, a line each."""
    text = print_program(load(tmp_path, made)[0])
    body = text.partition("    state start {\n")[2].partition("\n    }\n")[0]
    return [line.strip() for line in body.splitlines()]


def refusal(tmp_path: Path, made: Json) -> str:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    return raised.value.diagnostics.render()


@pytest.mark.parametrize(
    ("keys", "transitions", "cases"),
    [
        ([A], [case("0x05")], ["(8w5): start", "(_): accept"]),
        ([A], [case("0x05", "0xff", None)], ["(8w5): accept", "(_): accept"]),
        ([A], [case("0x80", "0xfe")], ["(8w0x80 &&& 8w0xfe): start", "(_): accept"]),
        ([A], [case("0x05", "0x01")], ["(8w5 &&& 8w1): start", "(_): accept"]),
        ([A], [case("0x05", "0x00")], ["(_): start", "(_): accept"]),
        ([A], [DEFAULT, case("0x01", to=None)], ["(8w1): accept", "(_): start"]),
        ([A], [{"value": "default", "mask": None, "next_state": "start"}, case("0x01")], ["(8w1): start", "(_): start"]),
        ([A, B], [case("0x050102")], ["(8w5, 16w0x102): start", "(_, _): accept"]),
        ([A, B], [case("0x050102", "0xff0000")], ["(8w5, _): start", "(_, _): accept"]),
        ([A, B], [case("0x050102", "0x00ffff")], ["(_, 16w0x102): start", "(_, _): accept"]),
        ([A, B], [case("0x050102", "0x010001")], ["(8w5 &&& 8w1, 16w0x102 &&& 16w1): start", "(_, _): accept"]),
        ([ahead(4, 3), A], [case("0x0ffe")], ["(3w7, 8w0xfe): start", "(_, _): accept"]),
        ([ahead(4, 3)], [case("0x0f", "0xff")], ["(3w7): start", "(_): accept"]),
        ([ahead(4, 3)], [case("0x0f", "0xf8")], ["(_): start", "(_): accept"]),
    ],
)  # fmt: skip
def test_values_and_masks_of_transitions(
    tmp_path: Path, keys: list[Json], transitions: list[Json], cases: list[str]
) -> None:
    """Each key takes whole bytes; a mask of ones is none; the default comes last, wherever it stands."""
    found = [line.rstrip(";") for line in lines(tmp_path, parser([], keys, transitions)) if line.startswith("(")]
    assert found == cases


def test_a_state_goes_to_its_default_where_it_has_no_cases(tmp_path: Path) -> None:
    assert lines(tmp_path, parser([], [A], [DEFAULT])) == ["transition start;"]
    assert lines(tmp_path, parser([], [A], [])) == ["transition accept;"]


@pytest.mark.parametrize(
    ("keys", "transitions", "complaint"),
    [
        ([A], [case("0x0105")], "transitions[0].value: this is wider than the key"),
        ([A], [case("0x05", "0x0100")], "transitions[0].mask: this is wider than the key"),
        ([A], [case("0x05", to="nowhere")], "transitions[0].next_state: there is no state 'nowhere'"),
        ([A], [case("0x05", type="odd")], "transitions[0].type: 'odd' is not a type of transition"),
        ([], [case("0x01")], "transitions[0].value: this is wider than the key"),
        ([], [case("0x00")], "there are values to select by, but no key"),
        ([ahead(4, 0)], [], "a lookahead of 0 bits from 4 on"),
        ([A], [case("set", "0x0f", type="parse_vset")], "a mask over a value set is not supported"),
        ([A], [case("set", type="parse_vset")], "values of the set have 16 bits, but the key has 8"),
    ],
)
def test_transitions_that_are_refused(
    tmp_path: Path, keys: list[Json], transitions: list[Json], complaint: str
) -> None:
    made = parser([], keys, transitions, parse_vsets=[{"name": "set", "id": 0, "compressed_bitwidth": 16}])
    assert complaint in refusal(tmp_path, made)


@pytest.mark.parametrize(("size", "entries"), [({}, 1024), ({"size": 7}, 7)])
def test_value_sets(tmp_path: Path, size: Json, entries: int) -> None:
    """One that no state selects by has values of one number."""
    sets = [
        {"name": "used", "id": 0, "compressed_bitwidth": 24, **size},
        {"name": "unused", "id": 1, "compressed_bitwidth": 5},
    ]
    made = parser([], [A, B], [case("used", type="parse_vset")], parse_vsets=sets)
    program = load(tmp_path, made)[0]
    assert {kind for one in program.value_sets for kind in one.match_kinds} == {MatchKind.EXACT}
    found = {one.name: ([type_.width for type_ in one.types], one.size) for one in program.value_sets}
    assert found == {"used": ([8, 16], entries), "unused": ([5], 1024)}


@pytest.mark.parametrize(
    ("done", "body"),
    [
        (does("extract", H), ["extract(h);"]),
        (does("shift", 0), ["advance(32w0);"]),
        (does("shift", 3), ["advance(32w0x18);"]),
        (does("shift", 1 << 16), ["advance(32w0x80000);"]),
        (does("advance", hexstr(12)), ["advance(32w0xc);"]),
        (does("set", A, hexstr(0x12C)), ["h.a = 8w0x2c;"]),
        (does("set", A, ahead(0, 8)), ["$current.0.8 = lookahead<bit<8>>();", "h.a = $current.0.8;"]),
        (does("set", A, ahead(8, 8)), ["$current.8.8 = lookahead<bit<16>>();", "h.a = $current.8.8[7:0];"]),
        (does("verify", op("==", A, hexstr(3)), 1), ["verify(h.a == 8w3, error.NoError);"]),
        (does("verify", op("==", A, hexstr(3)), hexstr(2)), ["verify(h.a == 8w3, error.PacketTooShort);"]),
    ],
)
def test_operations(tmp_path: Path, done: Json, body: list[str]) -> None:
    assert lines(tmp_path, parser([done], [], [])) == [*body, "transition accept;"]


def test_states_may_have_the_names_of_the_ends(tmp_path: Path) -> None:
    """They are the program's own: `accept` and `reject` go on, to what takes a header."""
    made = parser([], [], [DEFAULT | {"next_state": "accept"}])
    for name, following in (("accept", "reject"), ("reject", None)):
        made["parsers"][0]["parse_states"].append(
            {
                "name": name, "id": 1, "parser_ops": [does("extract", H)] if name == "reject" else [], "transition_key": [],
                "transitions": [DEFAULT | {"next_state": following}],
            }
        )  # fmt: skip
    program = load(tmp_path, made)[0]
    (parsing,) = [pipe for pipe in program.pipes if pipe.name == "parser"]
    assert [state.name for state in parsing.states] == ["start", "$accept", "$reject"]  # type: ignore[union-attr]
    made["deparsers"][0]["order"] = []
    assert Switch(load(tmp_path, made)[0]).process(1, b"\1\2\3\4\5") == [(0, b"\5")]


def with_stack(*ops: Json) -> Json:
    """A stack s of two headers with a field of variable width, whose type tells its length by its first field."""
    made = parser(list(ops), [], [])
    length = {"type": "expression", "value": op("<<", {"type": "local", "value": 0}, hexstr(3))}
    fields = [["n", 4], ["m", 4], ["v", "*"]]
    made["header_types"].append({"name": "v_t", "id": 9, "fields": fields, "max_length": 9, "length_exp": length})
    made["headers"] += [{"name": f"v{i}", "id": 9 + i, "header_type": "v_t", "metadata": False} for i in range(2)]
    made["header_stacks"] = [{"name": "s", "id": 0, "size": 2, "header_type": "v_t", "header_ids": [9, 10]}]
    return made


NEXT = {"type": "stack", "value": "s"}
INSIDE = "verify(s.$next < 32w2, error.StackOutOfBounds);"


@pytest.mark.parametrize(
    ("done", "body"),
    [
        (
            does("extract", NEXT),
            [
                INSIDE, "$length.v_t = lookahead<bit<8>>();",
                "extract(s[s.$next], ((bit<32>)$length.v_t[7:4]) << 2w3);", "s.$next = s.$next + 32w1;",
            ],
        ),
        (
            does("extract_VL", NEXT, hexstr(16)),
            [INSIDE, "extract(s[s.$next], 32w0x10);", "s.$next = s.$next + 32w1;"],
        ),
    ],
)  # fmt: skip
def test_the_next_element_of_a_stack(done: Json, body: list[str], tmp_path: Path) -> None:
    """As long as the operation says, and else its type, of fields in front of the one of variable width; then it is counted."""
    assert lines(tmp_path, with_stack(done)) == [*body, "transition accept;"]


@pytest.mark.parametrize(
    ("ops", "sent"),
    [
        ([("regular", "m"), ("regular", "n")], "05"),  # m is gone
        ([("regular", "n"), ("regular", "m")], "02 0304 05"),
        ([("regular", "m"), ("union_stack", ["us", "n"])], "05"),
        ([("regular", "n"), ("union_stack", ["us", "m"])], "02 0304 05"),
    ],
)
def test_of_a_union_the_header_that_is_extracted_last_is_there(
    ops: list[tuple[str, Json]], sent: str, tmp_path: Path
) -> None:
    made = parser([does("extract", {"type": kind, "value": value}) for kind, value in ops], [], [])
    made["header_types"].append({"name": "n_t", "id": 9, "fields": [["x", 8]]})
    made["headers"] += [
        {"name": name, "id": 9 + i, "header_type": f"{'h' if name == 'm' else 'n'}_t", "metadata": False}
        for i, name in enumerate("mn")
    ]
    made["header_union_types"] = [{"name": "u_t", "id": 0, "headers": [["m", "h_t"], ["n", "n_t"]]}]
    made["header_unions"] = [{"name": "u", "id": 0, "union_type": "u_t", "header_ids": [9, 10]}]
    if any(kind == "union_stack" for kind, _ in ops):
        made["header_union_stacks"] = [{"name": "us", "id": 0, "union_type": "u_t", "size": 1, "header_union_ids": [0]}]
    made["deparsers"][0]["order"] = ["m", "n"]
    assert Switch(load(tmp_path, made)[0]).process(1, bytes(range(1, 6))) == [(0, bytes.fromhex(sent))]


@pytest.mark.parametrize(
    ("done", "complaint"),
    [
        (does("odd"), "the parser operation 'odd' is not known"),
        (does("extract", {"type": "odd", "value": "h"}), "'odd' cannot be extracted"),
        (does("extract_VL", H, hexstr(8)), "header type 'h_t' has no field of variable width"),
        (does("shift", -1), "-1 is not between 0 and 65536"),
        (does("shift", (1 << 16) + 1), "65537 is not between 0 and 65536"),
        (does("verify", op("==", A, hexstr(3)), hexstr(9)), "no error has the value 9"),
        (does("verify", op("==", A, hexstr(3)), A), "the error must be a constant"),
    ],
)
def test_operations_that_are_refused(tmp_path: Path, done: Json, complaint: str) -> None:
    assert complaint in refusal(tmp_path, parser([done], [], []))


VARIABLE = {"name": "v_t", "id": 9, "fields": [["a", 8], ["v", "*"]], "max_length": 9}


@pytest.mark.parametrize(
    ("length", "told"),
    [
        ({}, "header type 'v_t' has a field of variable width, but no length"),
        ({"length_exp": {"type": "local", "value": 1}}, "1 is not between 0 and 0"),
        (
            {"fields": [["v", "*"], ["a", 8]], "length_exp": {"type": "local", "value": 0}},
            "no field is in front of the one of",
        ),
    ],
)
def test_lengths_of_variable_fields_that_nothing_says(length: Json, told: str, tmp_path: Path) -> None:
    made = parser([does("extract", {"type": "regular", "value": "v"})], [], [])
    made["header_types"].append(VARIABLE | length)
    made["headers"].append({"name": "v", "id": 9, "header_type": "v_t", "metadata": False})
    assert told in refusal(tmp_path, made)


@pytest.mark.parametrize(
    ("op_", "told"),
    [
        (does("set", A, fld("v", "v")), "a field of variable width is not a number"),
        (does("set", fld("v", "v"), A), "cannot be"),
        (does("set", A, {"type": "local", "value": 0}), "there is no runtime data here"),
    ],
)
def test_values_that_are_no_numbers(op_: Json, told: str, tmp_path: Path) -> None:
    made = parser([op_], [], [])
    made["header_types"].append(VARIABLE)
    made["headers"].append({"name": "v", "id": 9, "header_type": "v_t", "metadata": False})
    assert told in refusal(tmp_path, made)


def test_a_value_set_is_for_keys_of_the_same_widths(tmp_path: Path) -> None:
    made = parser([], [A, B], [case("set", type="parse_vset", to="next")])
    made["parse_vsets"] = [{"name": "set", "id": 0, "compressed_bitwidth": 24}]
    again = {"name": "next", "id": 1, "parser_ops": [], "transition_key": [B, A]}
    made["parsers"][0]["parse_states"].append(again | {"transitions": [case("set", type="parse_vset", to=None)]})
    assert "'set' is used for keys of other widths, too" in refusal(tmp_path, made)


@pytest.mark.parametrize(("field", "read"), [(0, "$length.v_t[15:8]"), (1, "$length.v_t[7:0]")])
def test_a_header_knows_the_length_of_its_varbit(tmp_path: Path, field: int, read: str) -> None:
    """Computed of the fields in front of it, which are looked at ahead."""
    made = parser([does("extract", {"type": "regular", "value": "v"})], [], [])
    length = {"type": "expression", "value": {"op": "*", "left": {"type": "local", "value": field}, "right": hexstr(8)}}
    made["header_types"].append(
        {"name": "v_t", "id": 2, "fields": [["m", 8], ["n", 8], ["rest", "*"]], "max_length": 34, "length_exp": length}
    )
    made["headers"].append({"name": "v", "id": 2, "header_type": "v_t", "metadata": False})
    look, extract, _ = lines(tmp_path, made)
    assert look == "$length.v_t = lookahead<bit<16>>();"
    assert extract.startswith("extract(v, ") and read in extract


def test_states_and_their_names(tmp_path: Path) -> None:
    """The first one is that where the parser begins; those named like final states are others."""
    made = parser([], [], [])
    (start,) = made["parsers"][0]["parse_states"]
    made["parsers"][0]["parse_states"] = [
        {**start, "name": "accept"},
        {**start, "transitions": [{**DEFAULT, "next_state": "accept"}]},
    ]
    text = print_program(load(tmp_path, made)[0])
    assert text.index("state start {") < text.index("state $accept {") and "transition $accept;" in text
    made["parsers"][0]["parse_states"] = [start, start]
    assert "state 'start' is there twice" in refusal(tmp_path, made)
    made["parsers"][0] |= {"parse_states": [start], "init_state": "other"}
    assert "there is no state 'other'" in refusal(tmp_path, made)
