"""Where packets go in the pipelines of BMv2's JSON: tables, conditions and calls of actions. docs/JSON_format.md, "pipelines"."""

from __future__ import annotations

from pathlib import Path

import pytest
from aux_frontend.bmv2_json.structure import tidy
from test_bmv2_json import (
    IS_THREE,
    Json,
    action,
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
from transpiler.hlir.expressions import Const, VariableRef
from transpiler.hlir.statements import Assign, Block, If, Leave, Statement, Switch as Switch_, SwitchCase
from transpiler.hlir.types import Bool
from transpiler.interpreter import Switch
from transpiler.interpreter.matches import Exact

A = fld("h", "a")
OTHER = {"action_id": 2, "action_data": []}  # a default action that the table has for nothing else
FRAME = bytes.fromhex("03 0105 ff 77")


def marks(*names: str) -> list[Json]:
    """An action of each name, which writes its number into h.a."""
    return [action(i, name, primitive("assign", A, hexstr(0x10 + i))) for i, name in enumerate(names)]


def refusal(tmp_path: Path, made: Json) -> str:
    with pytest.raises(Rejected) as raised:
        load(tmp_path, made)
    return raised.value.diagnostics.render()


@pytest.mark.parametrize(
    ("more", "default", "inlined"),
    [
        ({}, {"action_const": True, "action_entry_const": True}, True),
        ({}, {"action_const": False, "action_entry_const": True}, True),
        ({}, {"action_const": True, "action_entry_const": False}, False),
        ({}, {"action_const": True}, False),
        ({}, {}, False),
        ({"with_counters": True}, {"action_entry_const": True}, False),
        ({"with_counters": None}, {"action_entry_const": True}, True),
        ({"key": [{"match_type": "exact", "target": ["h", "a"]}]}, {"action_entry_const": True}, False),
        ({"type": "indirect", "act_prof_name": "p"}, {"action_entry_const": True}, False),
        ({"direct_meters": "m"}, {"action_entry_const": True}, False),
    ],
)
def test_a_table_that_does_one_thing_always_is_a_statement(
    more: Json, default: Json, inlined: bool, tmp_path: Path
) -> None:
    """Without keys and counters, and where nobody can change its action. Any other is a table."""
    entry = {"action_id": 0, "action_data": [], **default}
    made = table("t", {0: "x"}, {"x": None}, **({"key": []} | more), default_entry=entry)
    meter = {"name": "m", "id": 0, "is_direct": True, "type": "bytes", "result_target": ["h", "b"]}
    text = document(marks("x"), {"init_table": "t", "tables": [made]}, meter_arrays=[meter])
    program = load(tmp_path, text)[0]
    assert (not program.tables) is inlined
    if inlined:
        assert ingress_of(program) == "h.a = 8w0x10;"
    else:
        assert program.table["t"].const_default is any(default.values())
        assert program.table["t"].default_action.action == "x"
        assert "apply t" in ingress_of(program)


def test_an_action_with_data_is_no_statement(tmp_path: Path) -> None:
    put = action(0, "put", primitive("assign", A, {"type": "runtime_data", "value": 0}), data=(("v", 8),))
    entry = {"action_id": 0, "action_const": True, "action_data": ["0x9"], "action_entry_const": True}
    made = table("t", {0: "put"}, {"put": None}, key=[], default_entry=entry)
    program = load(tmp_path, document([put], {"init_table": "t", "tables": [made]}))[0]
    assert Switch(program).process(1, FRAME) == [(0, b"\x09" + FRAME[1:])]
    called = {"action_calls": [{"name": "c", "id": 0, "action_id": 0, "next_node": None}], "init_table": "c"}
    assert "an action that takes data cannot be called without" in refusal(tmp_path, document([put], called))


def run(tmp_path: Path, ingress: Json, names: tuple[str, ...], entry: str | None = None) -> int:
    """What ingress leaves in h.a; `entry`: the action of a table `t` for h.a == 3."""
    switch = Switch(load(tmp_path, document(marks(*names), ingress))[0])
    if entry is not None:
        switch.table_add("t", (Exact(3),), entry)
    ((_, frame),) = switch.process(1, FRAME)
    return frame[0]


def test_what_goes_where_it_would_go_is_no_statement() -> None:
    """Leaves at the ends of blocks, of their branches and of the blocks in them, and blocks that nothing leaves."""
    span = Span("t.json", 1, 1)
    on = Const(1, Bool(), span)
    a, b = Leave("a", span), Leave("b", span)
    done = Assign(VariableRef("v", span), on, span)

    def block(label: str, *body: Statement) -> Block:
        return Block(label, body, span)

    assert tidy((block("a", done, a),)) == (done,)
    assert tidy((block("a", If(on, (done, a), (a,), span)), done)) == (If(on, (done,), (), span), done)
    switch = Switch_(on, (SwitchCase((0,), (done, a), span),), (done, a), span)
    assert tidy((block("a", switch),)) == (Switch_(on, (SwitchCase((0,), (done,), span),), (done,), span),)
    early = If(on, (b,), (), span)
    assert tidy((block("a", block("b", early, done, a)), done)) == (block("b", early, done), done)
    assert tidy((block("a", block("b", If(on, (a,), (b,), span)), done),)) == (
        block("a", If(on, (a,), (), span), done),
    )
    assert tidy((block("a", If(on, (a,), (), span), done),)) == (block("a", If(on, (a,), (), span), done),)


@pytest.mark.parametrize(
    ("following", "more", "entry", "left"),
    [
        ({"__HIT__": "hit", "__MISS__": "miss"}, {}, "x", 0x12),
        ({"__HIT__": "hit", "__MISS__": "miss"}, {}, None, 0x13),
        ({"__HIT__": "hit", "__MISS__": None}, {}, None, 0x10),
        ({"__MISS__": "miss"}, {}, "x", 0x10),
        ({"__HIT__": "hit"}, {}, "x", 0x12),
        ({"__HIT__": "hit"}, {"base_default_next": "miss"}, None, 0x10),
        ({"x": "hit", "y": "miss"}, {}, "y", 0x13),
        ({"x": "hit", "y": "miss"}, {}, "x", 0x12),
        ({"x": "hit", "y": "miss"}, {}, None, 0x12),
        ({"x": "hit", "y": "hit"}, {}, "y", 0x12),
        ({"x": None, "y": "miss"}, {"default_entry": None}, "x", 0x10),
        ({"x": "hit", "y": "hit"}, {"default_entry": None, "base_default_next": "miss"}, None, 0x13),
        ({"x": "hit", "y": "hit"}, {"default_entry": None, "base_default_next": "miss"}, "y", 0x12),
        ({"x": "hit", "y": "hit"}, {"default_entry": None}, None, 3),
        ({"x": "hit", "y": "hit", "hit": "miss"}, {"default_entry": OTHER}, None, 0x13),
        ({"x": "hit", "y": "hit"}, {"default_entry": OTHER, "base_default_next": "miss"}, None, 0x13),
    ],
)  # fmt: skip
def test_where_a_table_leads(following: Json, more: Json, entry: str | None, left: int, tmp_path: Path) -> None:
    """By whether it hit, or by the action that ran; a default action that is none of its own, or none, by what is said of it,
    and else by `base_default_next`."""
    tables = [
        table("t", {0: "x", 1: "y"}, following, **more),
        statement("hit", 2, "hit", None), statement("miss", 3, "miss", None),
    ]  # fmt: skip
    made = {"init_table": "t", "tables": tables}
    assert run(tmp_path, made, ("x", "y", "hit", "miss"), entry) == left


@pytest.mark.parametrize(("condition", "left"), [(IS_THREE, 0x10), (op("==", A, hexstr(4)), 0x11)])
def test_where_a_condition_and_a_call_lead(condition: Json, left: int, tmp_path: Path) -> None:
    """A call goes on to the node behind it, by any way that leads to it."""
    calls = [
        {"name": "one", "id": 0, "action_id": 0, "next_node": None},
        {"name": "two", "id": 1, "action_id": 2, "next_node": "other"},
        {"name": "other", "id": 2, "action_id": 1},
    ]
    made = {
        "init_table": "if", "action_calls": calls,
        "conditionals": [{"name": "if", "id": 0, "expression": condition, "true_next": "one", "false_next": "two"}],
    }  # fmt: skip
    assert run(tmp_path, made, ("x", "y", "z")) == left
    made["conditionals"][0] |= {"true_next": None, "false_next": None}
    assert run(tmp_path, made, ("x", "y", "z")) == 3


@pytest.mark.parametrize(("b", "left"), [(0, 0x12), (0x105, 0x10)])
def test_a_way_that_ends_does_not_go_on_where_others_meet(b: int, left: int, tmp_path: Path) -> None:
    """t and u go on to `last`, but from `if` one way ends."""
    tables = [
        table("t", {0: "x", 1: "y"}, {"x": "if", "y": "u"}), statement("u", 1, "y", "last"), statement("v", 1, "y", "last"),
        statement("last", 2, "z", None),
    ]  # fmt: skip
    condition = op("==", fld("h", "b"), hexstr(b))
    conditionals = [{"name": "if", "id": 0, "expression": condition, "true_next": None, "false_next": "v"}]
    assert run(tmp_path, {"init_table": "t", "tables": tables, "conditionals": conditionals}, ("x", "y", "z")) == left


def test_a_statement_goes_on_by_the_action_that_it_is(tmp_path: Path) -> None:
    """Whatever other actions the table names, and where only the outcomes have ways, by a miss."""
    entry = {"action_id": 1, "action_data": [], "action_entry_const": True}
    last = [statement("one", 2, "z", None), statement("two", 3, "w", None)]
    for following, left in (({"x": "one", "y": "two"}, 0x13), ({"__HIT__": "two", "__MISS__": "one"}, 0x12)):
        first = table("t", {0: "x", 1: "y"}, following, key=[], default_entry=entry)
        assert run(tmp_path, {"init_table": "t", "tables": [first, *last]}, ("x", "y", "z", "w")) == left


@pytest.mark.parametrize(
    ("ingress", "told"),
    [
        ({"init_table": "none"}, "there is no table or condition 'none'"),
        (
            {"init_table": "t", "tables": [table("t", {0: "x"}, {"x": "none"})]},
            "there is no table or condition 'none'",
        ),
        ({"init_table": "t", "tables": [table("t", {0: "x", 1: "y"}, {"x": None})]}, "the table's action 'y' is missing"),
        ({"init_table": "t", "tables": [table("t", {0: "x"}, {"x": None})] * 2}, "'t' is there twice"),
        (
            {
                "init_table": "t", "tables": [table("t", {0: "x"}, {"x": None})],
                "conditionals": [{"name": "t", "id": 0, "expression": IS_THREE}],
            },
            "'t' is there twice",
        ),
        ({"init_table": "c", "action_calls": [{"name": "c", "id": 0, "action_id": 9}]}, "no action has this id"),
        (
            {"init_table": "t", "tables": [table("t", {0: "x"}, {"x": None}, default_entry={"action_id": 9})]},
            "no action has this id",
        ),
    ],
)  # fmt: skip
def test_pipelines_that_are_refused(ingress: Json, told: str, tmp_path: Path) -> None:
    assert told in refusal(tmp_path, document(marks("x", "y"), ingress))


def test_tables_of_older_versions_name_their_actions(tmp_path: Path) -> None:
    """Without their ids: the first action of a name."""
    made = table("t", {0: "x", 1: "y"}, {"x": None, "y": None}, default_entry=None)
    del made["action_ids"]
    program = load(tmp_path, document([*marks("x", "y"), action(2, "x")], {"init_table": "t", "tables": [made]}))[0]
    names = [use.action for use in program.table["t"].actions]
    assert names == ["x", "y", "$miss.NoAction"]
    assert [use.default_only for use in program.table["t"].actions] == [False, False, True]
    assert len(program.action["x"].body) == 1
    assert not program.table["t"].const_default
    assert program.action["$miss.NoAction"].control_name == "NoAction"
    made["actions"] = ["x", "w"]
    assert "action 'w' is not declared" in refusal(
        tmp_path, document(marks("x"), {"init_table": "t", "tables": [made]})
    )


def test_a_table_is_in_one_pipeline(tmp_path: Path) -> None:
    tables = [table("t", {0: "x"}, {"x": None})]
    made = document(marks("x"), {"init_table": "t", "tables": tables})
    made["pipelines"].append({"name": "egress", "id": 1, "init_table": "t", "tables": tables, "conditionals": []})
    assert "table 't' is there twice" in refusal(tmp_path, made)


@pytest.mark.parametrize("following", [{"x": "u", "y": "u"}, {"x": "u", "y": None}, {"__HIT__": "u", "__MISS__": None}])
@pytest.mark.parametrize(("entry", "left"), [("x", 3), ("y", 2), (None, 3)])
def test_of_a_tables_actions_one_exits(following: Json, entry: str | None, left: int, tmp_path: Path) -> None:
    """Wherever the table leads, where that action ran nothing follows."""
    if following.get("y", 0) is None and entry == "y":
        left = 3
    actions = [action(0, "x", primitive("exit")), action(1, "y"), action(2, "z", primitive("assign", A, hexstr(2)))]
    tables = [table("t", {0: "x", 1: "y"}, following), statement("u", 2, "z", None)]
    switch = Switch(load(tmp_path, document(actions, {"init_table": "t", "tables": tables}))[0])
    if entry is not None:
        switch.table_add("t", (Exact(3),), entry)
    assert switch.process(1, FRAME) == [(0, bytes((left,)) + FRAME[1:])]


@pytest.mark.parametrize("ends", [True, False])
def test_an_action_that_exits_ends_its_pipeline_and_no_other(ends: bool, tmp_path: Path) -> None:
    """Egress runs all the same, and so does the rest of the action."""
    calls = [primitive("exit")] if ends else []
    actions = [
        action(0, "x", *calls, primitive("assign", A, hexstr(1))), action(1, "y", primitive("assign", A, hexstr(2))),
        action(2, "z", primitive("assign", fld("h", "b"), hexstr(7))),
    ]  # fmt: skip
    made = document(
        actions, {"init_table": "t", "tables": [table("t", {0: "x"}, {"x": "u"}), statement("u", 1, "y", None)]}
    )
    made["pipelines"].append(
        {"name": "egress", "id": 1, "init_table": "v", "tables": [statement("v", 2, "z", None)], "conditionals": []}
    )
    program = load(tmp_path, made)[0]
    assert ("end" in ingress_of(program)) is ends
    assert Switch(program).process(1, FRAME) == [(0, bytes((1 if ends else 2, 0, 7)) + FRAME[3:])]
