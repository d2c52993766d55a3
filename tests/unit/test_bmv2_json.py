"""The frontend for BMv2's JSON: what its expressions, jumps and graphs become, and where its messages point."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aux_frontend.bmv2_json.frontend import Bmv2Json

from macsad import compilation
from macsad.compilation import Request
from transpiler.diagnostics import Diagnostics, Rejected
from transpiler.frontend import Source
from transpiler.hlir.printer import print_program
from transpiler.hlir.program import MatchKind, Program
from transpiler.interpreter import Switch
from transpiler.verifier import verify

Json = Any


def fld(header: str, name: str) -> Json:
    return {"type": "field", "value": [header, name]}


def hexstr(value: int) -> Json:
    return {"type": "hexstr", "value": hex(value)}


def op(name: str, left: Json, right: Json, **more: Json) -> Json:
    return {"type": "expression", "value": {"op": name, "left": left, "right": right, **more}}


def primitive(name: str, *parameters: Json) -> Json:
    return {"op": name, "parameters": list(parameters)}


def action(number: int, name: str, *primitives: Json, data: tuple[tuple[str, int], ...] = ()) -> Json:
    runtime = [{"name": n, "bitwidth": w} for n, w in data]
    return {"name": name, "id": number, "runtime_data": runtime, "primitives": list(primitives)}


def table(name: str, actions: dict[int, str], following: dict[str, str | None], **more: Json) -> Json:
    return {
        "name": name, "id": 0, "key": [{"match_type": "exact", "target": ["h", "a"], "mask": None, "name": "hdr.h.a"}],
        "match_type": "exact", "type": "simple", "max_size": 16, "with_counters": False, "support_timeout": False,
        "direct_meters": None, "action_ids": list(actions), "actions": list(actions.values()), "next_tables": following,
        "default_entry": {"action_id": next(iter(actions)), "action_const": False, "action_data": []}, **more,
    }  # fmt: skip


def statement(name: str, number: int, called: str, following: str | None) -> Json:
    """The table that p4c makes of a statement in a control."""
    default = {"action_id": number, "action_const": True, "action_data": [], "action_entry_const": True}
    return table(name, {number: called}, {called: following}, key=[], default_entry=default)


def document(actions: list[Json], ingress: Json, **more: Json) -> Json:
    return {
        "header_types": [
            {"name": "h_t", "id": 0, "fields": [["a", 8], ["b", 16], ["c", 8, True]]},
            {"name": "standard_metadata", "id": 1, "fields": [["ingress_port", 9], ["egress_spec", 9], ["parser_error", 32]]},
        ],
        "headers": [
            {"name": "h", "id": 0, "header_type": "h_t", "metadata": False},
            {"name": "standard_metadata", "id": 1, "header_type": "standard_metadata", "metadata": True},
        ],
        "errors": [["NoError", 1], ["PacketTooShort", 2]],
        "parsers": [{
            "name": "parser", "id": 0, "init_state": "start", "parse_states": [{
                "name": "start", "id": 0, "parser_ops": [{"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}],
                "transition_key": [], "transitions": [{"type": "default", "value": None, "mask": None, "next_state": None}],
            }],
        }],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["h"]}],
        "actions": actions,
        "pipelines": [{"name": "ingress", "id": 0, "tables": [], "conditionals": [], **ingress}],
        "__meta__": {"version": [2, 23]},
        **more,
    }  # fmt: skip


def load(tmp_path: Path, made: Json) -> tuple[Program, Diagnostics]:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(made, indent=1))
    diagnostics = Diagnostics()
    program = Bmv2Json().load(Source(path), diagnostics)
    verify(program)
    return program, diagnostics


def ingress_of(program: Program) -> str:
    """The body of ingress as text, without indentation."""
    text = print_program(program).partition("control ingress (ingress) {\n")[2].partition("\n}\n")[0]
    return "\n".join(line.strip() for line in text.splitlines())


def assigned(tmp_path: Path, target: Json, value: Json) -> str:
    made = document(
        [action(0, "act", primitive("assign", target, value))],
        {"init_table": "t", "tables": [statement("t", 0, "act", None)]},
    )
    return ingress_of(load(tmp_path, made)[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (op("&", op("+", fld("h", "b"), hexstr(1)), hexstr(0xFFFF)), "h.b = h.b + 16w1;"),
        (op("&", op(">>", fld("h", "b"), hexstr(4)), hexstr(0xF)), "h.b = (bit<16>)h.b[7:4];"),
        (op("usat_cast", op("+", fld("h", "b"), fld("h", "b")), hexstr(16)), "h.b = h.b |+| h.b;"),
        (fld("h", "c"), "h.b = (bit<16>)h.c;"),
        (
            op("two_comp_mod", op("-", fld("h", "c"), hexstr(1)), hexstr(8)),
            "h.b = (bit<16>)((int<8>)(((bit<8>)h.c) - 8w1));",
        ),
    ],
)
def test_arithmetic_is_as_wide_as_what_is_used_of_it(tmp_path: Path, value: Json, expected: str) -> None:
    assert assigned(tmp_path, fld("h", "b"), value) == expected


def alone(name: str, right: Json) -> Json:
    return {"type": "expression", "value": {"op": name, "left": None, "right": right}}


IS_THREE = op("==", fld("h", "a"), hexstr(3))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (alone("~", fld("h", "b")), "~h.b"),
        (op(">>", alone("~", fld("h", "b")), hexstr(4)), "(bit<16>)(~((int<17>)h.b) >> 3w4)"),  # of a number below zero
        (op(">>", fld("h", "b"), hexstr(4)), "(bit<16>)h.b[15:4]"),
        (op("<<", fld("h", "b"), hexstr(3)), "h.b << 2w3"),
        (op("/", fld("h", "b"), hexstr(3)), "h.b / 16w3"),
        (op("%", fld("h", "b"), hexstr(3)), "h.b % 16w3"),
        (op("^", fld("h", "b"), fld("h", "a")), "h.b ^ ((bit<16>)h.a)"),
        (op("|", fld("h", "b"), fld("h", "a")), "h.b | ((bit<16>)h.a)"),
        (op("*", fld("h", "b"), fld("h", "a")), "h.b * ((bit<16>)h.a)"),
        (alone("b2d", IS_THREE), "(bit<16>)((bit<1>)(h.a == 8w3))"),
        (op("?", fld("h", "a"), hexstr(7), cond=IS_THREE), "(h.a == 8w3) ? ((bit<16>)h.a) : 16w7"),
        (op("?", hexstr(1), fld("h", "b"), cond=IS_THREE), "(h.a == 8w3) ? 16w1 : h.b"),
        (
            op(">>", op("?", op("+", fld("h", "a"), hexstr(1)), fld("h", "c"), cond=IS_THREE), hexstr(1)),
            "(bit<16>)(((h.a == 8w3) ? ((int<10>)(((bit<9>)h.a) + 9w1)) : ((int<10>)h.c)) >> 1w1)",
        ),
    ],
)
def test_operations(tmp_path: Path, value: Json, expected: str) -> None:
    assert assigned(tmp_path, fld("h", "b"), value) == f"h.b = {expected};"


# BMv2's primitives with the number of their parameters: src/bm_sim/core/primitives.cpp, targets/simple_switch/primitives.cpp.
PRIMITIVES = {
    0: ("exit", "drop", "no_op"),
    1: ("assert", "assume", "mark_to_drop", "add_header", "add_header_fast", "remove_header", "resubmit", "recirculate",
        "truncate"),
    2: ("assign", "assign_VL", "assign_header", "assign_union", "assign_header_stack", "assign_union_stack", "push", "pop",
        "log_msg", "modify_field", "add_to_field", "subtract_from_field", "copy_header", "clone_ingress_pkt_to_egress",
        "clone_egress_pkt_to_egress", "generate_digest", "count"),
    3: ("modify_field_rng_uniform", "add", "subtract", "bit_and", "bit_or", "bit_xor", "shift_left", "shift_right",
        "execute_meter", "register_read", "register_write"),
    4: ("modify_field_with_hash_based_offset",),
}  # fmt: skip


@pytest.mark.parametrize(("count", "name"), [(count, name) for count, names in PRIMITIVES.items() for name in names])
def test_primitives_have_as_many_parameters_as_those_of_bmv2(count: int, name: str, tmp_path: Path) -> None:
    """One more is refused for their number; as many are not."""
    for given in (count, count + 1):
        calls = [primitive(name, *[hexstr(0)] * given)]
        ingress = {"init_table": "t", "tables": [statement("t", 0, "act", None)]}
        file, diagnostics = tmp_path / "p.json", Diagnostics()
        file.write_text(json.dumps(document([action(0, "act", *calls)], ingress)))
        with suppress(Rejected):
            Bmv2Json().load(Source(file), diagnostics)
        assert (f"takes {count} arguments, but" in diagnostics.render()) is (given > count), diagnostics.render()


def test_a_comparison_sees_all_bits_of_a_sum(tmp_path: Path) -> None:
    value = op("b2d", None, op(">", op("+", fld("h", "a"), fld("h", "a")), hexstr(0xFF)))
    assert "(((bit<9>)h.a) + ((bit<9>)h.a)) > 9w0xff" in assigned(tmp_path, fld("h", "a"), value)


def test_jumps_in_an_action_become_ifs(tmp_path: Path) -> None:
    act = action(
        0, "act",
        primitive("_jump_if_zero", op("b2d", None, op("valid", None, {"type": "header", "value": "h"})), hexstr(3)),
        primitive("assign", fld("h", "a"), hexstr(1)),
        primitive("_jump", hexstr(4)),
        primitive("assign", fld("h", "a"), hexstr(2)),
        primitive("assign", fld("h", "b"), hexstr(3)),
    )  # fmt: skip
    made = document([act], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    assert ingress_of(load(tmp_path, made)[0]).split("\n") == [
        "if (h.isValid()) {", "h.a = 8w1;", "} else {", "h.a = 8w2;", "}", "h.b = 16w3;",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("to", "told"),
    [
        (hexstr(2), None),
        (hexstr(3), "a jump must go to one of the action's primitives"),
        (fld("h", "a"), "a jump must"),
    ],
)
def test_jumps_stay_within_their_action(to: Json, told: str | None, tmp_path: Path) -> None:
    """Behind its last primitive at most."""
    act = action(0, "act", primitive("_jump", to), primitive("assign", fld("h", "a"), hexstr(1)))
    made = document([act], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    if told is None:
        load(tmp_path, made)
        return
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    assert told in raised.value.diagnostics.render()


@pytest.mark.parametrize(("algorithm", "width"), [("crc16", 16), ("crc32", 32), ("csum16", 16), ("identity", 64)])
def test_a_selector_has_the_width_of_its_hash(algorithm: str, width: int, tmp_path: Path) -> None:
    profile = {"name": "p", "id": 0, "max_size": 5, "selector": {"algo": algorithm, "input": [fld("h", "a")]}}
    (made,) = load(tmp_path, document([], {"init_table": None, "action_profiles": [profile]}))[0].externs
    assert dict(made.attributes) == {"size": 5, "algorithm": algorithm, "width": width}


@pytest.mark.parametrize(("given", "size"), [(0, 1024), (None, 1024), (1, 1)])
def test_a_profile_has_room_for_1024_members_where_nothing_is_said(
    given: int | None, size: int, tmp_path: Path
) -> None:
    profile = {"name": "p", "id": 0, "max_size": given}
    (made,) = load(tmp_path, document([], {"init_table": None, "action_profiles": [profile]}))[0].externs
    assert (made.kind, dict(made.attributes)) == ("action_profile", {"size": size})


def test_registers_that_conditions_read_are_read_once_each(tmp_path: Path) -> None:
    act = action(
        0, "act",
        *(
            call
            for place in (1, 2)
            for call in (
                primitive("_jump_if_zero", {"type": "register", "value": ["r", hexstr(place)]}, hexstr(2 * place)),
                primitive("assign", fld("h", "a"), hexstr(place)),
            )
        ),
    )  # fmt: skip
    made = document(
        [act], {"init_table": "t", "tables": [statement("t", 0, "act", None)]},
        register_arrays=[{"name": "r", "id": 0, "size": 4, "bitwidth": 1}],
    )  # fmt: skip
    text = ingress_of(load(tmp_path, made)[0])
    assert text.count("register.read") == 2, text


def test_branches_that_meet_go_on_once(tmp_path: Path) -> None:
    """Two ways of a table and a condition lead to `last`: it is there once, behind both. A third one ends at `s`."""
    acts = [action(i, name, primitive("assign", fld("h", "a"), hexstr(i))) for i, name in enumerate(("x", "y", "z"))]
    condition = {
        "name": "node_1", "id": 0, "expression": op("==", fld("h", "b"), hexstr(0)), "true_next": "last", "false_next": "s",
    }  # fmt: skip
    tables = [
        table("t", {0: "x", 1: "y"}, {"x": "node_1", "y": "last"}), statement("s", 2, "z", None), statement("last", 2, "z", None),
    ]  # fmt: skip
    made = document(acts, {"init_table": "t", "tables": tables, "conditionals": [condition]})
    program, _ = load(tmp_path, made)
    text = ingress_of(program)
    assert text.count("h.a = 8w2;") == 2
    assert text.count("apply t") == 1
    assert [t.name for t in program.tables] == ["t"]
    assert "h.a = 8w2;\nleave join_2;" in text


def test_actions_of_one_name_stay_apart(tmp_path: Path) -> None:
    acts = [action(0, "x"), action(1, "x", primitive("drop")), action(2, "x", primitive("exit"))]
    tables = [
        table("t", {0: "x"}, {"x": "u"}), table("u", {1: "x"}, {"x": "v"}), table("v", {2: "x"}, {"x": None}),
    ]  # fmt: skip
    program, _ = load(tmp_path, document(acts, {"init_table": "t", "tables": tables}))
    used = [program.action[program.table[name].actions[0].action] for name in "tuv"]
    assert len({one.name for one in used}) == 3 and {one.control_name for one in used} == {"x"}
    assert used[0].body == () and used[1].body != used[2].body != ()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (primitive("fly"), "actions[0].primitives[0].op: the primitive 'fly' is not known"),
        (primitive("assign", fld("h", "z"), hexstr(0)), "value[1]: 'z' is not a field of header type 'h_t'"),
        (primitive("assign", fld("h", "a")), "'assign' takes 2 arguments, but 1 are given"),
        (primitive("generate_digest", hexstr(0), hexstr(7)), "there is no learn list 7"),
        (primitive("assign", fld("h", "a"), op("%%", hexstr(1), hexstr(2))), "the operation '%%' is not known"),
        (primitive("_jump", hexstr(0)), "a jump back within an action is not supported"),
    ],
)
def test_what_is_not_known_is_told_with_its_path_and_its_place_in_the_program(
    tmp_path: Path, call: Json, told: str
) -> None:
    call["source_info"] = {"filename": "p.p4", "line": 12, "column": 8, "source_fragment": "fly()"}
    made = document([action(0, "act", call)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]})
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    text = raised.value.diagnostics.render()
    assert told in text
    assert "error: actions[0]" in text, "a path begins at the root"
    if "_jump" not in call["op"]:
        assert "p.p4:12:9: note: it comes from here" in text


@pytest.mark.parametrize(
    ("text", "place"),
    [('{"a": [1, 2}', "1:12"), ('{"a" 1}', "1:6"), ("{\n 'x'", "2:2"), ("{} {}", "1:4"), ("{", "1:2")],
)
def test_what_is_not_json_is_told_where(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(Rejected) as raised:
        Bmv2Json().load(Source(path), Diagnostics())
    assert f"p.json:{place}: error" in raised.value.diagnostics.render()


def test_a_register_that_a_parser_selects_by_is_read_first(tmp_path: Path) -> None:
    made = document([], {"init_table": None}, register_arrays=[{"name": "r", "id": 0, "size": 4, "bitwidth": 8}])
    (state,) = made["parsers"][0]["parse_states"]
    state["transition_key"] = [{"type": "register", "value": ["r", hexstr(2)]}]
    state["transitions"].insert(0, {"type": "hexstr", "value": "0x05", "mask": None, "next_state": "start"})
    text = print_program(load(tmp_path, made)[0])
    assert text.index("register.read") < text.index("select"), text


def test_tables_that_lead_back_are_refused(tmp_path: Path) -> None:
    tables = [table("t", {0: "x"}, {"x": "u"}), table("u", {0: "x"}, {"x": "t"})]
    with pytest.raises(Rejected) as raised:
        load(tmp_path, document([action(0, "x")], {"init_table": "t", "tables": tables}))
    assert "lead back" in raised.value.diagnostics.render()


@pytest.mark.parametrize(
    ("name", "text", "sure"),
    [
        ("p.json", '{"pipelines": []}', 1.0),
        ("p.txt", '\ufeff \n{"header_types" : []}', 1.0),
        ("p.json", '{"other": []}', 0.6),
        ("p.txt", '{"other": []}', 0.0),
        ("p.p4", '// {"pipelines": []}', 0.0),
        ("p.json", '[{"pipelines": []}]', 0.0),
    ],
)
def test_what_is_taken_for_bmv2_json(name: str, text: str, sure: float) -> None:
    assert Bmv2Json().recognises(Path(name), text) == sure


def test_programs_of_another_switch_are_refused(tmp_path: Path) -> None:
    made = document([], {})
    made["parsers"][0]["name"] = "main_parser"
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    assert "simple_switch has no 'main_parser'" in raised.value.diagnostics.render()


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ([7], "no header has one of these ids"),
        ([], "0 headers for a union of 1"),
        ([0, 7], "2 headers for a union of 1"),
    ],
)
def test_unions_of_what_is_not_there_are_refused(tmp_path: Path, headers: list[int], told: str) -> None:
    made = document(
        [], {},
        header_union_types=[{"name": "u_t", "id": 0, "headers": [["h", "h_t"]]}],
        header_unions=[{"name": "u", "id": 0, "union_type": "u_t", "header_ids": headers}],
        header_union_stacks=[{"name": "us", "id": 0, "union_type": "u_t", "header_union_ids": [0]}],
    )  # fmt: skip
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    assert told in raised.value.diagnostics.render()


@pytest.mark.parametrize(
    ("calls", "sent"),
    [
        ([], "01 0203 04 05 0607 08"),
        ([primitive("pop", {"type": "header_union_stack", "value": "us"}, hexstr(1))], "05 0607 08"),
        ([primitive("push", {"type": "header_union_stack", "value": "us"}, hexstr(1))], "01 0203 04"),
        ([primitive("remove_header", {"type": "header", "value": "m1"})], "01 0203 04"),
    ],
)
def test_stacks_of_unions(calls: list[Json], sent: str, tmp_path: Path) -> None:
    """Two unions of one member each, in a stack, which the parser fills."""
    made = document(
        [action(0, "act", *calls)], {"init_table": "t", "tables": [statement("t", 0, "act", None)]},
        header_union_types=[{"name": "u_t", "id": 0, "headers": [["m", "h_t"]]}],
        header_unions=[{"name": f"u{i}", "id": i, "union_type": "u_t", "header_ids": [2 + i]} for i in range(2)],
        header_union_stacks=[{"name": "us", "id": 0, "union_type": "u_t", "size": 2, "header_union_ids": [0, 1]}],
    )  # fmt: skip
    made["headers"] += [{"name": f"m{i}", "id": 2 + i, "header_type": "h_t", "metadata": False} for i in range(2)]
    extract = {"op": "extract", "parameters": [{"type": "union_stack", "value": ["us", "m"]}]}
    made["parsers"][0]["parse_states"][0]["parser_ops"] = [extract, extract]
    made["deparsers"][0]["order"] = ["m0", "m1"]
    ((_, frame),) = Switch(load(tmp_path, made)[0]).process(1, bytes(range(1, 9)))
    assert frame == bytes.fromhex(sent)


def test_calculations_keep_the_names_by_which_their_parameters_are_set(tmp_path: Path) -> None:
    """Whatever else is hashed, and whether it is read of P4 or of JSON."""
    source = Path(__file__).parents[1] / "packets" / "hash.p4"
    request, written = Request(source), tmp_path / "hash.json"
    compilation.write_bmv2_json(request, compilation.load(request), written)
    told = {one["name"]: one["algo"] for one in json.loads(written.read_text())["calculations"]}
    assert (told["calc_0"], told["calc_1"]) == ("crc32_custom", "crc16_custom")
    again = compilation.load(Request(written))
    kept = {one.name: one.attribute("width") for one in again.externs if one.kind == "custom_crc"}
    assert kept == {"calc_0": 32, "calc_0#0": 32, "calc_1": 16, "calc_1#0": 16}, "#0: where the header is not there"


def objects_of(made: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where a document has objects, itself apart."""
    inside = made.items() if isinstance(made, dict) else enumerate(made) if isinstance(made, list) else ()
    found = [place for key, value in inside for place in objects_of(value, (*path, key))]
    return [path, *found] if path and isinstance(made, dict) else found


@pytest.mark.parametrize("other", [7, "text", [1]], ids=["number", "text", "list"])
def test_what_is_no_object_is_refused_where_it_stands(tmp_path: Path, other: Json) -> None:
    """Or it is of no use to the program, and nothing is said."""
    called = action(0, "put", primitive("assign", fld("h", "a"), op("+", fld("h", "c"), hexstr(1))))
    made = document(
        [called], {"init_table": "t", "tables": [table("t", {0: "put"}, {"put": None})], "conditionals": []}
    )
    refused = 0
    for path in objects_of(made):
        changed = json.loads(json.dumps(made))
        within = changed
        for key in path[:-1]:
            within = within[key]
        within[path[-1]] = other
        try:
            load(tmp_path, changed)
        except Rejected as rejected:
            messages = [message.message for message in rejected.diagnostics.messages]
            assert any("expected" in message for message in messages), (path, messages)
            refused += 1
    assert refused > 10


def test_a_checksum_is_of_the_whole_header_or_of_a_calculation(tmp_path: Path) -> None:
    """Of type ipv4 it is of all fields but its own; any other type but generic is refused."""
    checksum = {"name": "sum", "id": 0, "target": ["h", "b"], "type": "ipv4", "verify": False, "if_cond": None}
    ingress = {"init_table": None}
    text = print_program(load(tmp_path, document([], ingress, checksums=[checksum]))[0])
    assert "hash.compute" in text and "h.b = " in text
    (computed,) = [line.strip() for line in text.splitlines() if "hash.compute" in line]
    assert "h.a" in computed and "h.c" in computed and "h.b" not in computed and "csum16" in computed
    diagnostics = Diagnostics()
    file = tmp_path / "other.json"
    file.write_text(json.dumps(document([], ingress, checksums=[checksum | {"type": "ipv6"}])))
    with pytest.raises(Rejected):
        Bmv2Json().load(Source(file), diagnostics)
    assert "'ipv6' is not a type of checksum" in diagnostics.render()


# --- tables ----------------------------------------------------------------------------------------------------------


def key(kind: str, field: str = "b", **more: Json) -> Json:
    return {"match_type": kind, "target": ["h", field], "mask": None, "name": f"hdr.h.{field}", **more}


def entry(*match: Json, data: tuple[str, ...] = ("0x1",), **more: Json) -> Json:
    return {"match_key": list(match), "action_entry": {"action_id": 0, "action_data": list(data)}, **more}


PUT = action(0, "put", data=(("one", 1),))


def with_table(keys: list[Json], entries: list[Json], *actions: Json, **more: Json) -> Json:
    default = {"action_id": 0, "action_const": False, "action_data": ["0x0"]}
    made = table("t", {0: "put"}, {"put": None}, **{"key": keys, "entries": entries, "default_entry": default} | more)
    return document([PUT, *actions], {"init_table": "t", "tables": [made]})


@pytest.mark.parametrize(
    ("keys", "match", "more", "expected"),
    [
        ([key("exact")], [{"match_type": "exact", "key": "0x0105"}], {}, "(16w0x105)"),
        ([key("lpm")], [{"match_type": "lpm", "key": "0x1200", "prefix_length": 8}], {}, "(16w0x1200 &&& 16w0xff00)"),
        ([key("lpm")], [{"match_type": "lpm", "key": "0x1201", "prefix_length": 16}], {}, "(16w0x1201)"),
        ([key("lpm")], [{"match_type": "lpm", "key": "0x0", "prefix_length": 0}], {}, "(_)"),
        (
            [key("exact"), key("lpm")],
            [{"match_type": "exact", "key": "0x5"}, {"match_type": "lpm", "key": "0x8000", "prefix_length": 1}],
            {},
            "(16w5, 16w0x8000 &&& 16w0x8000)",
        ),
        (
            [key("ternary", "a")],
            [{"match_type": "ternary", "key": "0x7", "mask": "0xf"}],
            {"priority": 1},
            "(8w7 &&& 8w0xf)",
        ),
        ([key("ternary", "a")], [{"match_type": "ternary", "key": "0x7", "mask": "0xff"}], {"priority": 1}, "(8w7)"),
        ([key("ternary", "a")], [{"match_type": "ternary", "key": "0x0", "mask": "0x0"}], {"priority": 1}, "(_)"),
        ([key("optional", "a")], [{"match_type": "optional", "key": "0x9"}], {"priority": 1}, "(8w9)"),
        ([key("range", "a")], [{"match_type": "range", "start": "0x1", "end": "0x9"}], {"priority": 1}, "(8w1 .. 8w9)"),
        ([key("range", "a")], [{"match_type": "range", "start": "0x1", "end": "0x9"}], {"priority": 0}, "(8w1 .. 8w9)"),
        ([key("exact", "c")], [{"match_type": "exact", "key": "0xff"}], {}, "(8s-1)"),
        (
            [{"match_type": "valid", "target": ["h"], "mask": None, "name": "h.$valid$"}],
            [{"match_type": "valid", "key": True}],
            {},
            "(true)",
        ),
    ],
)
def test_entries_of_every_match_kind(
    keys: list[Json], match: list[Json], more: Json, expected: str, tmp_path: Path
) -> None:
    text = print_program(load(tmp_path, with_table(keys, [entry(*match, **more)]))[0])
    (line,) = [line for line in text.splitlines() if line.strip().startswith("priority ")]
    assert f": {expected}: put(1w1);" in line


def test_which_entry_wins(tmp_path: Path) -> None:
    """Of those with priorities the smallest number, of the others the longest prefix."""
    ternary = [entry({"match_type": "ternary", "key": "0x0", "mask": "0x0"}, priority=n) for n in (7, 3, 5)]
    (made,) = load(tmp_path, with_table([key("ternary")], ternary))[0].tables
    first, second, third = (one.priority for one in made.entries)
    assert second > third > first > 0
    ranges = [entry({"match_type": "range", "start": "0x0", "end": hex(n)}, priority=n) for n in (100, 10, 20)]
    (made,) = load(tmp_path, with_table([key("range")], ranges))[0].tables
    first, second, third = (one.priority for one in made.entries)
    assert second > third > first > 0
    optional = [entry({"match_type": "optional", "key": hex(n)}, priority=n) for n in (2, 0, 1)]
    (made,) = load(tmp_path, with_table([key("optional")], optional))[0].tables
    first, second, third = (one.priority for one in made.entries)
    assert second > third > first > 0
    (made,) = load(tmp_path, with_table([key("exact")], [entry(EXACT)]))[0].tables
    assert made.entries[0].priority > 0
    prefixes = [entry({"match_type": "lpm", "key": "0x8000", "prefix_length": n}) for n in (0, 16, 4)]
    (made,) = load(tmp_path, with_table([key("lpm")], prefixes))[0].tables
    first, second, third = (one.priority for one in made.entries)
    assert second > third > first > 0


EXACT = {"match_type": "exact", "key": "0x1"}


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (with_table([key("exact")], [entry(EXACT, EXACT)]), "the table has 1 keys, but 2 are given"),
        (with_table([key("exact")], [entry(EXACT, data=())]), "the action takes 1 arguments, but 0 are given"),
        (
            with_table([key("exact")], [entry(EXACT, data=("0x1", "0x2"))]),
            "the action takes 1 arguments, but 2 are given",
        ),
        (
            with_table([{"match_type": "valid", "target": ["h"], "mask": None, "name": "h.$valid$"}], [entry(EXACT)]),
            "true or false is expected here",
        ),
        (with_table([key("exact")], [entry()]), "the table has 1 keys, but 0 are given"),
        (with_table([key("exact")], [entry({**EXACT, "match_type": "best"})]), "the match type 'best' is not known"),
        (with_table([key("best")], []), "the match type 'best' is not known: expected exact, lpm"),
        (
            with_table([key("lpm")], [entry({"match_type": "lpm", "key": "0x0", "prefix_length": 17})]),
            "17 is not between 0 and 16",
        ),
        (with_table([key("exact")], [], type="double"), "'double' is not a type of table: expected simple"),
        (with_table([key("exact")], [], type="indirect", action_profile="p"), "action profile 'p' is not declared"),
        (with_table([key("exact")], [], action_ids=[3]), "no action has this id"),
        (
            with_table(
                [key("exact")],
                [entry(EXACT) | {"action_entry": {"action_id": 1, "action_data": []}}],
                action(1, "other"),
            ),
            "this is not one of the table's actions",
        ),
        (
            with_table([key("exact")], [entry(EXACT) | {"action_entry": {"action_id": 7, "action_data": []}}]),
            "no action has this id",
        ),
        (with_table([key("exact")], [], action("0", "again")), "actions[1].id: an integer is expected"),
        (with_table([key("exact")], [], action(0, "again")), "another action has this id"),
        (
            with_table(
                [key("exact")],
                [],
                action(1, "bad", primitive("fly")),
                action_ids=[0, 1],
                next_tables={"put": None, "bad": None},
            ),
            "the primitive 'fly' is not known",
        ),
        (with_table([key("exact")], [], action(1, "unused", primitive("fly"))), "the primitive 'fly' is not known"),
        (
            document([action(0, "act", primitive("fly"))], {"init_table": "s", "tables": [statement("s", 0, "act", None)]}),
            "the primitive 'fly' is not known",
        ),
        (
            document(
                [action(0, "bad", primitive("fly")), action(1, "good")],
                {
                    "init_table": "t",
                    "tables": [table("t", {0: "bad"}, {"bad": "u"}), table("u", {1: "good"}, {"good": None})],
                },
            ),
            "the primitive 'fly' is not known",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_in_tables_is_told_once(made: Json, told: str, tmp_path: Path) -> None:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    messages = [message.message for message in raised.value.diagnostics.messages]
    assert len(messages) == 1 and told in messages[0], messages


def test_a_table_has_room_for_its_entries_and_1024_where_nothing_is_said(tmp_path: Path) -> None:
    entries = [entry({"match_type": "exact", "key": hex(n)}) for n in range(3)]
    for given, room in ((2, 3), (3, 3), (9, 9), (0, 1024), (None, 1024)):
        (made,) = load(tmp_path, with_table([key("exact")], entries, max_size=given))[0].tables
        assert (made.size, len(made.entries)) == (room, 3)
        assert made.const_entries


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (key("exact"), "hdr.h.b"), (key("exact", name="own"), "own"), (key("exact", name=None), "h.b"),
        ({"match_type": "valid", "target": ["h"], "mask": None, "name": "own"}, "own"),
        ({"match_type": "valid", "target": ["h"], "mask": None}, "h"),
        ({"match_type": "valid", "target": "h", "mask": None}, "h"),
        (key("exact", "$valid$", name=None), "h.$valid$"),
    ],
)  # fmt: skip
def test_names_of_keys(given: Json, name: str, tmp_path: Path) -> None:
    (made,) = load(tmp_path, with_table([given], []))[0].tables
    assert [one.name for one in made.keys] == [name]


@pytest.mark.parametrize(
    ("given", "ages"), [({}, False), ({"support_timeout": True}, True), ({"support_timeout": None}, False)]
)
def test_whether_the_entries_of_a_table_age(given: Json, ages: bool, tmp_path: Path) -> None:
    (made,) = load(tmp_path, with_table([key("exact")], [], **given))[0].tables
    assert made.ages is ages
    assert len(made.annotations) == ages


@pytest.mark.parametrize(
    ("entries", "fixed"), [({}, False), ({"entries": None}, False), ({"entries": []}, True), ({"entries": [entry(EXACT)]}, True)]
)  # fmt: skip
def test_declared_entries_cannot_be_changed(entries: Json, fixed: bool, tmp_path: Path) -> None:
    """Not even where there are none."""
    text = with_table([key("exact")], [])
    (one,) = text["pipelines"][0]["tables"]
    del one["entries"]
    one |= entries
    (made,) = load(tmp_path, text)[0].tables
    assert made.const_entries is fixed


@pytest.mark.parametrize(
    ("more", "kind", "selected"),
    [
        ({"type": "indirect", "selector": {"algo": "crc16", "input": [fld("h", "a")]}}, "action_profile", []),
        ({"type": "indirect_ws", "selector": {"algo": "crc16", "input": [fld("h", "a")]}}, "action_selector", ["h.a"]),
    ],
)
def test_tables_declare_their_action_profiles_in_older_versions(
    more: Json, kind: str, selected: list[str], tmp_path: Path
) -> None:
    """One by that name for all tables that say it."""
    made = with_table([key("exact")], [], act_prof_name="shared", **more)
    (pipeline,) = made["pipelines"]
    pipeline["tables"].append(pipeline["tables"][0] | {"name": "u", "id": 1})
    program = load(tmp_path, made)[0]
    assert [(one.name, one.kind) for one in program.externs] == [("shared", kind)]
    for declared in program.tables:
        assert declared.implementation == "shared"
        assert [k.name for k in declared.keys if k.match_kind is MatchKind.SELECTOR] == selected
