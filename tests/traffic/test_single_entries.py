"""Entries for single frames as commands: whole keys, members and groups of their own, and priorities."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hlir_builder import AT, Builder, apply, emit, extract, goto, state

from transpiler.hlir.program import Annotation, Program
from transpiler.interpreter.tables import Call
from transpiler.traffic.entries import write
from transpiler.traffic.plan import Plan, Point, Wishes
from transpiler.traffic.single import single

CALL = Call("put", (7, 0x102))


def program(*kinds: str, implementation: str | None = None, rule: str | None = None, size: int = 64) -> Program:
    """One table t with a key of each kind: of 8, 12 and 4 bits."""
    b = Builder()
    b.header("h", "h_t", a=8, b=12, c=4)
    b.action("put", v=8, w=16)
    if implementation is not None:
        attributes = {"algorithm": "crc16", "width": 14} if implementation == "action_selector" else {}
        b.extern("p", implementation, size=size, **attributes)
    keys = [(f"h.{field}", kind) for field, kind in zip("abc", kinds, strict=False)]
    if implementation == "action_selector":
        keys.append(("h.c", "selector"))
    b.table("t", keys, ["put"], implementation="p" if implementation else None)
    if rule is not None:
        b.tables[0] = replace(b.tables[0], annotations=(Annotation("entry_restriction", f'"{rule}"', AT),))
    start = state("start", [extract("h")], goto("accept"))
    return b.build([start], ingress=[apply("t")], deparser=[emit("h")])


def written(made: Program, *keys: tuple[int, ...], call: Call = CALL) -> list[str]:
    points = tuple(Point(None, {("t", key): call}) for key in keys)  # type: ignore[arg-type]  # its frame does not matter
    out = io.BytesIO()
    write(Plan(made, Wishes(), (), (), {}, points=points), out, lambda count: None)
    return out.getvalue().decode().splitlines()


@pytest.mark.parametrize(
    ("kinds", "key", "words"),
    [
        (("exact",), (5,), "0x5 => 0x7 0x102"),
        (("lpm",), (5,), "0x5/8 => 0x7 0x102"),
        (("exact", "lpm"), (5, 0xABC), "0x5 0xabc/12 => 0x7 0x102"),
        (("ternary",), (5,), "0x5&&&0xff => 0x7 0x102 1"),
        (("exact", "optional"), (5, 0xABC), "0x5 0xabc&&&0xfff => 0x7 0x102 1"),
        (("range", "exact", "ternary"), (5, 1, 9), "0x5->0x5 0x1 0x9&&&0xf => 0x7 0x102 1"),
    ],
)
def test_whole_keys_of_each_kind(kinds: tuple[str, ...], key: tuple[int, ...], words: str) -> None:
    """They go before all others, where the kind asks for a priority."""
    assert written(program(*kinds), key) == [f"table_add t put {words}"]


def test_members_and_groups_of_their_own() -> None:
    assert written(program("exact", implementation="action_profile"), (5,), (6,)) == [
        "act_prof_create_member p put 0x7 0x102", "table_indirect_add t 0x5 => 0",
        "act_prof_create_member p put 0x7 0x102", "table_indirect_add t 0x6 => 1",
    ]  # fmt: skip
    assert written(program("ternary", implementation="action_selector"), (5,), (6,)) == [
        "act_prof_create_member p put 0x7 0x102", "act_prof_create_group p", "act_prof_add_member_to_group p 0 0",
        "table_indirect_add_with_group t 0x5&&&0xff => 0 1",
        "act_prof_create_member p put 0x7 0x102", "act_prof_create_group p", "act_prof_add_member_to_group p 1 1",
        "table_indirect_add_with_group t 0x6&&&0xff => 1 1",
    ]  # fmt: skip


def test_entries_that_match_more_go_behind_those_that_are_there() -> None:
    """A rule forbids one key to be matched: each such entry comes behind the last one."""
    made = program("exact", "ternary", rule="h.b::mask == 0")
    assert written(made, (5, 1), (6, 2)) == [
        "table_add t put 0x5 0x0&&&0x0 => 0x7 0x102 1",
        "table_add t put 0x6 0x0&&&0x0 => 0x7 0x102 2",
    ]
    ranges = program("exact", "range", rule="h.b::low == 0 && h.b::high == 0xfff")
    assert written(ranges, (5, 1)) == ["table_add t put 0x5 0x0->0xfff => 0x7 0x102 1"]


@pytest.mark.parametrize(
    ("rule", "key", "masks", "others"),
    [
        (None, (5, 1), (0xFF, 0xFFF), {(5, 1): True, (5, 2): False, (4, 1): False}),
        ("h.b::mask == 0", (5, 1), (0xFF, 0), {(5, 1): True, (5, 2): True, (4, 1): False}),
        ("h.a == 5", (5, 1), (0xFF, 0xFFF), {(5, 1): True}),
        ("h.a == 6", (5, 1), None, {}),
    ],
)
def test_what_a_rule_leaves_of_a_key(
    rule: str | None, key: tuple[int, ...], masks: tuple[int, ...] | None, others: dict[tuple[int, ...], bool]
) -> None:
    one = single(program("exact", "ternary", rule=rule).table["t"], key, CALL)
    if masks is None:
        assert one is None
    else:
        assert one is not None and one.masks == masks and one.wide is (0 in masks)
        assert {other: one.matches(other) for other in others} == others
