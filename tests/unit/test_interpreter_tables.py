"""Entries of every match kind, who wins, and what the control plane is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hlir_builder import AT, ERRORS, Builder, any_, apply, binary, const, emit, exact, extract, goto, if_, state, valid

from transpiler.externs import algorithms
from transpiler.hlir import expressions as ex
from transpiler.hlir.interface import Annotation
from transpiler.hlir.program import AUTO_DELETE, MatchKind, Program, Select, SelectCase, TableKey, ValueSet
from transpiler.hlir.statements import CallExtern, If
from transpiler.hlir.types import Bits, Bool, Type
from transpiler.interpreter import ControlError, Switch
from transpiler.interpreter.matches import (
    Exact,
    Match,
    Prefix,
    Range,
    Ternary,
    key_bits,
    member_keys,
    normalised,
    wildcard,
)
from transpiler.interpreter.tables import Call, GroupRef, MemberRef, RuntimeTable
from transpiler.interpreter.trace import Event, silent


def program(
    kinds: Sequence[str], entries: Sequence[tuple[Sequence[ex.KeySet], int, int]] = (), **table: object
) -> Program:
    """Keys k0, k1 … of 8 bits each; the action sends to a port."""
    b = Builder()
    b.header("h", "h_t", k0=8, k1=8)
    b.variable("I.to.port", 9)
    b.action("I.to", b.set("sm.egress_spec", b.get("I.to.port")), port=9)
    b.action("I.drop", b.set("sm.egress_spec", 511))
    made = [b.entry(keys, "I.to", (port,), priority) for keys, port, priority in entries]
    keys = [(f"h.k{i}", kind) for i, kind in enumerate(kinds)]
    b.table("I.t", keys, ["I.to"], "I.drop", made, **table)  # type: ignore[arg-type]
    return b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("I.t")], deparser=[emit("h")])


def port_of(switch: Switch, k0: int, k1: int = 0) -> int | None:
    sent = switch.process(0, bytes([k0, k1]))
    return sent[0][0] if sent else None


def test_exact() -> None:
    switch = Switch(program(["exact"]))
    handle = switch.table_add("I.t", (Exact(7),), "I.to", (3,))
    assert (port_of(switch, 7), port_of(switch, 8)) == (3, None)
    switch.table_modify("I.t", handle, "I.to", (4,))
    assert port_of(switch, 7) == 4
    switch.table_delete("I.t", handle)
    assert port_of(switch, 7) is None


def test_a_priority_makes_no_other_entry_where_none_counts() -> None:
    switch = Switch(program(["exact"]))
    switch.table_add("I.t", (Exact(7),), "I.to", (3,), priority=1)
    with pytest.raises(ControlError, match="already has an entry"):
        switch.table_add("I.t", (Exact(7),), "I.to", (4,), priority=2)


def test_the_longest_prefix_wins_whatever_the_order() -> None:
    switch = Switch(program(["lpm"]))
    for value, length, port in ((0x80, 1, 1), (0xF0, 4, 2), (0xC0, 2, 3), (0, 0, 4)):
        switch.table_add("I.t", (Prefix(value, length),), "I.to", (port,), priority=100 - length)
    assert [port_of(switch, k) for k in (0x01, 0x81, 0xC1, 0xF1)] == [4, 1, 3, 2]


def test_bits_behind_a_prefix_do_not_make_another_entry() -> None:
    switch = Switch(program(["lpm"]))
    switch.table_add("I.t", (Prefix(0xC1, 2),), "I.to", (1,))
    with pytest.raises(ControlError, match="already has an entry"):
        switch.table_add("I.t", (Prefix(0xC2, 2),), "I.to", (2,))


@pytest.mark.parametrize("priorities", [(1, 2), (2, 1)])
def test_the_larger_priority_wins(priorities: tuple[int, int]) -> None:
    switch = Switch(program(["ternary"]))
    switch.table_add("I.t", (None,), "I.to", (1,), priorities[0])
    switch.table_add("I.t", (Ternary(0x10, 0xF0),), "I.to", (2,), priorities[1])
    assert port_of(switch, 0x15) == (1 if priorities[0] > priorities[1] else 2)
    assert port_of(switch, 0x25) == 1


def test_equal_priorities_go_by_age() -> None:
    """That of an entry, whatever action it has got since."""
    switch = Switch(program(["ternary"]))
    first = switch.table_add("I.t", (Ternary(0, 0),), "I.to", (1,), 5)
    switch.table_add("I.t", (Ternary(0x10, 0xF0),), "I.to", (2,), 5)
    assert port_of(switch, 0x11) == 1
    switch.table_modify("I.t", first, "I.to", (3,))
    assert port_of(switch, 0x11) == 3
    switch.table_delete("I.t", first)
    switch.table_add("I.t", (Ternary(0, 0),), "I.to", (1,), 5)
    assert (port_of(switch, 0x11), port_of(switch, 0x21)) == (2, 1)


def test_range_and_optional() -> None:
    switch = Switch(program(["range", "optional"]))
    switch.table_add("I.t", (Range(10, 20), None), "I.to", (1,), 1)
    switch.table_add("I.t", (Range(15, 15), Exact(9)), "I.to", (2,), 2)
    found = [port_of(switch, *k) for k in ((9, 0), (10, 0), (20, 0), (21, 0), (15, 8), (15, 9))]
    assert found == [None, 1, 1, None, 1, 2]


@pytest.mark.parametrize(("value", "inside"), [(0xFF, True), (0xFD, True), (0xFC, False), (2, True), (3, False)])
def test_a_range_of_signed_numbers(value: int, inside: bool) -> None:
    assert Range(0xFD, 2).takes(value, Bits(8, True)) == inside


def test_the_whole_range_of_a_signed_key() -> None:
    key = TableKey(const(0, 8, True), MatchKind.RANGE, "k", AT)
    assert wildcard(key) == Range(0x80, 0x7F)
    assert normalised(Ternary(0, 0), key) == Range(0x80, 0x7F)


FORMS: list[tuple[str, Type, Match, Match | str]] = [  # a kind and a type, a match, its one form or why it has none
    ("exact", Bits(8), Exact(255), Exact(255)),
    ("exact", Bits(8), Exact(256), "k: 0x100 does not fit in 8 bits"),
    ("exact", Bits(8), Exact(-1), "k: -0x1 does not fit in 8 bits"),
    ("exact", Bits(8), Prefix(1, 8), "k is matched by exact, which has no prefix match"),
    ("exact", Bits(8), Range(1, 1), "k is matched by exact, which has no range match"),
    ("exact", Bool(), Exact(1), Exact(1)),
    ("exact", Bool(), Exact(2), "k: 0x2 does not fit in 1 bits"),
    ("exact", ERRORS, Exact(5), Exact(5)),
    ("lpm", Bits(8), Prefix(0xFF, 3), Prefix(0xE0, 3)),
    ("lpm", Bits(8), Prefix(0xFF, 0), Prefix(0, 0)),
    ("lpm", Bits(8), Exact(0xA5), Prefix(0xA5, 8)),
    ("lpm", Bits(8), Prefix(0, 9), "k: a prefix of 9 bits in a key of 8"),
    ("lpm", Bits(8), Prefix(0, -1), "k: a prefix of -1 bits in a key of 8"),
    ("lpm", Bits(8), Prefix(256, 8), "k: 0x100 does not fit in 8 bits"),
    ("lpm", Bits(8), Ternary(0xF0, 0xF0), "k is matched by lpm, which has no ternary match"),
    ("ternary", Bits(8), Ternary(0xFF, 0x5A), Ternary(0x5A, 0x5A)),
    ("ternary", Bits(8), Exact(9), Ternary(9, 0xFF)),
    ("ternary", Bits(8), Prefix(0xFF, 4), Ternary(0xF0, 0xF0)),
    ("ternary", Bits(8), Ternary(1, 0x1FF), "k: 0x1ff does not fit in 8 bits"),
    ("ternary", Bits(8), Range(1, 2), "k is matched by ternary, which has no range match"),
    ("optional", Bits(8), Exact(9), Ternary(9, 0xFF)),
    ("optional", Bits(8), Ternary(9, 0xFF), Ternary(9, 0xFF)),
    ("optional", Bits(8), Ternary(9, 0), Ternary(0, 0)),
    ("optional", Bits(8), Ternary(9, 0xFE), "k is matched by optional, which has no ternary match"),
    ("optional", Bits(8), Prefix(9, 8), "k is matched by optional, which has no prefix match"),
    ("range", Bits(8), Exact(9), Range(9, 9)),
    ("range", Bits(8), Range(9, 7), Range(9, 7)),
    ("range", Bits(8), Range(0, 256), "k: 0x100 does not fit in 8 bits"),
    ("range", Bits(8), Ternary(0, 0), Range(0, 255)),
    ("range", Bits(8), Ternary(0, 1), "k is matched by range, which has no ternary match"),
    ("range", Bits(1, True), Ternary(0, 0), Range(1, 0)),
]


@pytest.mark.parametrize(("kind", "type_", "match", "form"), FORMS)
def test_matches_have_one_form_or_none(kind: str, type_: Type, match: Match, form: Match | str) -> None:
    key = TableKey(ex.Const(0, type_, AT), MatchKind(kind), "k", AT)
    if isinstance(form, str):
        with pytest.raises(ValueError) as told:
            normalised(match, key)
        assert str(told.value) == form
    else:
        assert normalised(match, key) == form


@pytest.mark.parametrize(
    ("kind", "any_value"),
    [("exact", None), ("lpm", Prefix(0, 0)), ("ternary", Ternary(0, 0)), ("optional", Ternary(0, 0)), ("range", Range(0, 255))],
)  # fmt: skip
def test_what_takes_every_value(kind: str, any_value: Match | None) -> None:
    assert wildcard(TableKey(const(0, 8), MatchKind(kind), "k", AT)) == any_value


@pytest.mark.parametrize("kind", ["ternary", "optional", "range"])
def test_priorities_count_in_a_table_with_one_such_key(kind: str) -> None:
    """Also beside a prefix, whose length says nothing then."""
    switch = Switch(program(["lpm", kind]))
    switch.table_add("I.t", (Prefix(0x80, 8), None), "I.to", (1,), 1)
    switch.table_add("I.t", (Prefix(0x80, 1), Exact(5)), "I.to", (2,), 2)
    assert [port_of(switch, 0x80, k1) for k1 in (5, 6)] == [2, 1]


def test_fields_of_a_value_set_are_told_apart() -> None:
    keys = member_keys(ValueSet("vs", (Bits(8), Bits(16)), (MatchKind.EXACT, MatchKind.RANGE), 2, AT))
    assert [(key.name, key.match_kind, key_bits(key)) for key in keys] == [
        ("vs[0]", MatchKind.EXACT, Bits(8)), ("vs[1]", MatchKind.RANGE, Bits(16)),
    ]  # fmt: skip


def test_program_entries_of_every_form() -> None:
    entries = [
        ((ex.MaskSet(const(0x10, 8), const(0xF0, 8), AT), any_()), 1, 3),
        ((any_(), exact(7, 8)), 2, 2),
        ((any_(), any_()), 3, 1),
    ]
    switch = Switch(program(["ternary", "ternary"], entries, const_entries=True))
    assert [port_of(switch, *k) for k in ((0x12, 7), (0x22, 7), (0x22, 8))] == [1, 2, 3]
    with pytest.raises(ControlError, match="constant entries"):
        switch.table_add("I.t", (None, None), "I.to", (1,))


def test_priorities_of_entries_however_they_came() -> None:
    """Of the program's own, of those that got another action, and of those that name members."""
    low, high = ((any_(),), 1, 1), ((ex.MaskSet(const(0x10, 8), const(0xF0, 8), AT),), 2, 5)
    for entries in ((low, high), (high, low)):
        switch = Switch(program(["ternary"], entries))
        assert [port_of(switch, key) for key in (0x12, 0x22)] == [2, 1]
        handle = next(entry.handle for entry in switch.table("I.t").entries.values() if entry.priority == 5)
        switch.table_modify("I.t", handle, "I.to", (7,))
        assert [port_of(switch, key) for key in (0x12, 0x22)] == [7, 1]
    switch = spreading("crc16", "ternary")
    members = [switch.member_create("I.s", "I.to", (port,)) for port in (1, 2)]
    for member, match, priority in zip(members, (None, Exact(5)), (3, 4), strict=True):
        switch.table_add_indirect("I.t", (match,), MemberRef(member), priority)
    assert [port_of(switch, key) for key in (5, 6)] == [2, 1]


@pytest.mark.parametrize("kind", ["exact", "lpm", "ternary"])
def test_an_entry_of_the_program_is_there_as_others_are(kind: str) -> None:
    """Its priority makes it another one only where priorities count."""
    switch = Switch(program([kind], [((exact(7, 8),), 1, 9)]))
    if kind == "ternary":
        switch.table_add("I.t", (Exact(7),), "I.to", (2,), priority=8)
        assert port_of(switch, 7) == 1
    with pytest.raises(ControlError, match="already has an entry"):
        switch.table_add("I.t", (Exact(7),), "I.to", (2,), priority=9 if kind == "ternary" else 0)


def test_a_mask_as_prefix_in_program_entries() -> None:
    entries = [((ex.MaskSet(const(0xC0, 8), const(0xC0, 8), AT),), 1, 0), ((any_(),), 2, 0)]
    switch = Switch(program(["lpm"], entries))
    assert [port_of(switch, k) for k in (0xC5, 0x85)] == [1, 2]
    with pytest.raises(ValueError, match=r"h\.k0 is matched by lpm, which has no such set"):
        Switch(program(["lpm"], [((ex.MaskSet(const(0x05, 8), const(0x0F, 8), AT),), 1, 0)]))


def test_a_table_without_keys_runs_its_default() -> None:
    switch = Switch(program([]))
    assert port_of(switch, 1) is None
    switch.table_set_default("I.t", "I.to", (6,))
    assert port_of(switch, 1) == 6


@pytest.mark.parametrize(
    ("kinds", "matches", "action", "arguments", "why"),
    [
        (["exact"], (None,), "I.to", (1,), "needs a value"),
        (["exact"], (Ternary(1, 1),), "I.to", (1,), "has no ternary match"),
        (["exact"], (Exact(256),), "I.to", (1,), "does not fit"),
        (["lpm"], (Prefix(0, 9),), "I.to", (1,), "prefix of 9 bits"),
        (["range"], (Ternary(1, 1),), "I.to", (1,), "has no ternary match"),
        (["optional"], (Ternary(1, 3),), "I.to", (1,), "has no ternary match"),
        (["exact"], (Exact(1), Exact(1)), "I.to", (1,), "has 1 keys, not 2"),
        (["exact"], (Exact(1),), "I.none", (1,), "no action I.none"),
        (["exact"], (Exact(1),), "I.to", (), "1 parameters, not 0"),
        (["exact"], (Exact(1),), "I.to", (512,), "does not fit"),
    ],
)
def test_refused(
    kinds: list[str], matches: tuple[Match | None, ...], action: str, arguments: tuple[int, ...], why: str
) -> None:
    with pytest.raises(ControlError, match=why):
        Switch(program(kinds)).table_add("I.t", matches, action, arguments)


def test_refused_when_there_or_full_or_constant_or_unknown() -> None:
    switch = Switch(program(["ternary"], size=2, const_default=True))
    switch.table_add("I.t", (Ternary(0x1F, 0xF0),), "I.to", (1,), 1)
    with pytest.raises(ControlError, match="already has an entry"):
        switch.table_add("I.t", (Ternary(0x10, 0xF0),), "I.to", (2,), 1)
    switch.table_add("I.t", (Ternary(0x10, 0xF0),), "I.to", (2,), 2)
    with pytest.raises(ControlError, match="full"):
        switch.table_add("I.t", (None,), "I.to", (1,))
    with pytest.raises(ControlError, match="constant default"):
        switch.table_set_default("I.t", "I.to", (1,))
    for request in (lambda: switch.table_delete("I.t", 9), lambda: switch.table_clear("I.u")):
        with pytest.raises(ControlError, match=r"no entry 9|no table I\.u"):
            request()


def test_actions_for_entries_or_misses_only() -> None:
    made = program(["exact"])
    [table] = made.tables
    uses = tuple(
        replace(use, default_only=use.action == "I.drop", table_only=use.action == "I.to") for use in table.actions
    )
    switch = Switch(replace(made, tables=(replace(table, actions=uses),)))
    handle = switch.table_add("I.t", (Exact(1),), "I.to", (1,))
    for request in (
        lambda: switch.table_add("I.t", (Exact(2),), "I.drop", ()),
        lambda: switch.table_modify("I.t", handle, "I.drop", ()),
    ):
        with pytest.raises(ControlError, match=r"I\.drop is not allowed for entries"):
            request()
    with pytest.raises(ControlError, match=r"I\.to is not allowed for the default action"):
        switch.table_set_default("I.t", "I.to", (1,))
    switch.table_set_default("I.t", "I.drop", ())
    assert [port_of(switch, key) for key in (1, 2)] == [1, None]


def test_entries_go_and_come_again() -> None:
    switch = Switch(program(["exact"], size=2))
    first, second = (switch.table_add("I.t", (Exact(key),), "I.to", (key,)) for key in (1, 2))
    with pytest.raises(ControlError, match="it has room for 2 entries"):
        switch.table_add("I.t", (Exact(3),), "I.to", (3,))
    switch.table_delete("I.t", first)
    third = switch.table_add("I.t", (Exact(3),), "I.to", (3,))
    assert len({first, second, third}) == 3
    assert [port_of(switch, key) for key in (1, 2, 3)] == [None, 2, 3]
    switch.table_clear("I.t")
    assert [port_of(switch, key) for key in (2, 3)] == [None, None]
    for request in (
        lambda: switch.table_modify("I.t", second, "I.to", (1,)),
        lambda: switch.table_delete("I.t", second),
    ):
        with pytest.raises(ControlError, match=f"no entry {second}"):
            request()
    constant = Switch(program(["exact"], [((exact(5, 8),), 5, 0)], const_entries=True))
    for request in (lambda: constant.table_clear("I.t"), lambda: constant.table_delete("I.t", 0)):
        with pytest.raises(ControlError, match="constant entries"):
            request()
    assert port_of(constant, 5) == 5


def test_the_largest_arguments() -> None:
    switch = Switch(program(["lpm"]))
    switch.table_add("I.t", (Prefix(0xFF, 8),), "I.to", (511,))
    switch.table_add("I.t", (Prefix(0, 0),), "I.to", (0,))
    assert [port_of(switch, key) for key in (0xFF, 0xFE)] == [None, 0]  # 511 drops
    with pytest.raises(ControlError, match=r"0x200 does not fit in the 9 bits of I\.to\.port"):
        switch.table_add("I.t", (Prefix(0x80, 1),), "I.to", (512,))


def test_a_bool_is_one_bit() -> None:
    b = Builder()
    b.header("h", "h_t", k0=8)
    b.action("I.mark", on=Bool())
    b.table("I.t", [("h.k0", "exact")], ["I.mark"])
    switch = Switch(b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("I.t")]))
    switch.table_add("I.t", (Exact(1),), "I.mark", (1,))
    with pytest.raises(ControlError, match=r"0x2 does not fit in the 1 bits of I\.mark\.on"):
        switch.table_add("I.t", (Exact(2),), "I.mark", (2,))


def test_packets_add_entries_of_new_keys_while_there_is_room() -> None:
    table = Switch(program(["exact"], size=2)).table("I.t")
    assert [table.learn((key,), Call("I.to", (1,)), 0, 0) for key in (5, 5, 6, 7)] == [True, False, True, False]
    assert len(table.entries) == 2


def test_entries_that_packets_add_live_until_their_time_is_over() -> None:
    """Those of the control plane live for ever, also when their time begins anew: they have no profile."""
    made = program(["exact"])
    [declared] = made.tables
    table = RuntimeTable(made, replace(declared, annotations=(Annotation(AUTO_DELETE, "true", AT),)))
    given = table.add((Exact(1),), Call("I.to", (1,)), 0)
    table.learn((2,), Call("I.to", (2,)), 0, now_us=0)
    table.restart(given, None, now_us=0)
    for now_us, lives in ((table.expire_us[0] - 1, True), (table.expire_us[0], False)):
        table.expire(now_us)
        assert [table.lookup((key,)) is not None for key in (1, 2)] == [True, lives]


def aging(clock: list[int], told: list[Event]) -> Switch:
    """Two tables of one kind, each with room for two entries: a miss adds an entry that lives 10 seconds and sends to port 1. A
    hit makes it begin anew where the tag is 2, for 30 seconds where it is 1, for 10 where it is 3. The frame is the keys and a
    tag; the last table says the port."""
    b = Builder()
    b.header("h", "h_t", first=8, second=8, tag=8)
    b.variable("to.port", 9)

    def tagged(tag: int, statement: CallExtern) -> If:
        return if_(binary("==", b.get("h.tag"), const(tag, 8)), [statement])

    restart = [
        tagged(tag, b.call("entry.set_expire_time", None, const(profile, 8))) for tag, profile in ((1, 1), (3, 0))
    ]
    again = tagged(2, b.call("entry.restart_timer", None))
    b.variable("added", 1)
    b.action("to", b.set("sm.egress_spec", b.get("to.port")), *restart, again, port=9)
    data = ex.ListExpression((const(1, 9),), AT)
    add = b.call("entry.add", None, ex.Text("to", AT), data, const(0, 8), out="added")
    b.action("learn", tagged(0, add), again)
    for name in ("first", "second"):
        b.table(name, [(f"h.{name}", "exact")], ["to"], "learn", size=2)
        b.tables[-1] = replace(b.tables[-1], annotations=(Annotation(AUTO_DELETE, "true", AT),))
    made = b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("first"), apply("second")])
    return Switch(made, clock=lambda: clock[0], trace=told.append)


def test_what_packets_add_is_told() -> None:
    told: list[Event] = []
    switch = aging([0], told)
    for key in (5, 6, 7, 6):
        switch.process(0, bytes((key, 1, 0)))
    assert [event.text for event in told if event.kind == "extern"] == [
        "add_entry first: to, added", "add_entry second: to, added", "add_entry first: to, added",
        "add_entry first: to, not added",
    ]  # fmt: skip
    assert {name: len(switch.table(name).entries) for name in ("first", "second")} == {"first": 2, "second": 1}


@pytest.mark.parametrize(
    ("tags", "seconds"), [([1], 36), ([2], 16), ([9], 12), ([1, 2], 37), ([1, 3], 17), ([1, 9], 36), ([3, 2], 17)]
)
def test_an_action_makes_the_time_of_its_entry_begin_anew(tags: list[int], seconds: int) -> None:
    """As long as the profile that it names, else that of the entry; a hit alone does not, and a miss has no entry."""
    clock: list[int] = [2_000_000]
    switch = aging(clock, [])
    switch.process(0, bytes((5, 1, 0)))
    switch.process(0, bytes((6, 0, 0)))
    for number, tag in enumerate(tags):
        clock[0] = 6_000_000 + 1_000_000 * number
        switch.process(0, bytes((5, 8, tag)))  # the key of the second table misses
    for lives in (True, False):
        clock[0] = 1_000_000 * seconds - lives
        switch.process(0, bytes((5, 8, 9)))
        others = clock[0] < 12_000_000
        assert len(switch.table("first").entries) == lives + others
        assert len(switch.table("second").entries) == 2 * others


def test_entries_that_packets_add_live_for_ever_where_tables_delete_none() -> None:
    made = program(["exact"])
    table = RuntimeTable(made, made.tables[0])
    assert table.learn((2,), Call("I.to", (2,)), 0, now_us=0)
    table.expire(10**15)
    assert table.lookup((2,)) is not None


def test_a_value_set_is_full() -> None:
    b = Builder()
    b.value_sets.append(ValueSet("vs", (Bits(8),), (MatchKind.EXACT,), 2, AT))
    switch = Switch(b.build([state("start", [], goto("accept"))]))
    for value in (1, 2):
        switch.value_set_add("vs", (Exact(value),))
    with pytest.raises(ControlError, match="value set vs is full"):
        switch.value_set_add("vs", (Exact(3),))
    switch.restart()
    switch.value_set_add("vs", (Exact(3),))


NARROW, WIDE = Bits(8), Bits(16)
LOW, TOP = Bits(8, True), Bits(16, True)
MEMBERS = [  # its types and kinds; a member; values that it has, and values that it has not
    ((WIDE,), ("exact",), (Exact(0x1234),), [(0x1234,)], [(0x34,), (0x1235,), (0x3412,), (0x12,)]),
    ((WIDE,), ("lpm",), (Prefix(0x1200, 8),), [(0x1200,), (0x12FF,)], [(0x1300,), (0x0012,), (0x9200,), (0,)]),
    ((WIDE,), ("lpm",), (Prefix(0x8000, 1),), [(0x8000,), (0xFFFF,)], [(0x7FFF,), (0x80,)]),
    ((WIDE,), ("lpm",), (Prefix(0x1234, 16),), [(0x1234,)], [(0x1235,), (0x1334,)]),
    ((WIDE,), ("lpm",), (Prefix(0, 0),), [(0,), (0xFFFF,)], []),
    ((WIDE,), ("ternary",), (Ternary(0x1004, 0xF00F),), [(0x1FF4,)], [(0x1FF5,), (0x2004,)]),
    ((WIDE,), ("optional",), (Ternary(0, 0),), [(0,), (0xFFFF,)], []),
    ((WIDE,), ("range",), (Range(0x7F, 0x8001),), [(0x7F,), (0x8001,)], [(0x7E,), (0x8002,)]),
    ((TOP,), ("range",), (Range(0xFF80, 0x7F),), [(0xFF80,), (0xFFFF,), (0,), (0x7F,)], [(0xFF7F,), (0x80,)]),
    ((LOW,), ("range",), (Range(0x80, 0xFF),), [(0x80,), (0xFF,)], [(0,), (0x7F,)]),
    ((NARROW,), ("lpm",), (Prefix(0x40, 2),), [(0x40,), (0x7F,)], [(0x80,), (0x3F,)]),
    (
        (NARROW, WIDE), ("lpm", "lpm"), (Prefix(0x40, 2), Prefix(0x1200, 8)), [(0x7F, 0x12FF)],
        [(0x7F, 0x1300), (0x80, 0x12FF)],
    ),
    (
        (TOP, NARROW), ("range", "range"), (Range(0xFFFE, 1), Range(0xFE, 0xFF)), [(0xFFFE, 0xFE), (1, 0xFF)],
        [(2, 0xFE), (1, 0), (0xFFFD, 0xFF)],
    ),
]  # fmt: skip


@pytest.mark.parametrize("before", [(), (8,), (32,), (1, 7)])
@pytest.mark.parametrize("behind", [(), (8,)])
@pytest.mark.parametrize(("types", "kinds", "member", "inside", "outside"), MEMBERS)
def test_members_of_a_value_set_match_by_the_types_of_its_own_subjects(
    types: tuple[Bits, ...], kinds: tuple[str, ...], member: tuple[Any, ...], inside: list[tuple[int, ...]],
    outside: list[tuple[int, ...]], before: tuple[int, ...], behind: tuple[int, ...],
) -> None:  # fmt: skip
    """Whatever other subjects of the select stand in front of them and behind."""
    b = Builder()
    subjects = [*map(Bits, before), *types, *map(Bits, behind)]
    fields: dict[str, Any] = {f"k{number}": type_ for number, type_ in enumerate(subjects)}
    b.header("h", "h_t", **fields)
    b.header("found", "found_t", is_=8)
    b.value_sets.append(ValueSet("vs", types, tuple(map(MatchKind, kinds)), 2, AT))
    sides = [[exact(1, width) for width in widths] for widths in (before, behind)]
    keys: tuple[ex.KeySet, ...] = (*sides[0], ex.ValueSetRef("vs", AT), *sides[1])
    cases = (SelectCase(keys, "more", AT), SelectCase(tuple(any_() for _ in subjects), "accept", AT))
    states = [
        state("start", [extract("h")], Select(tuple(b.get(f"h.{name}") for name in fields), cases, AT)),
        state("more", [extract("found")], goto("accept")),
    ]
    put = if_(valid("found"), [b.set("found.is_", 1)])
    switch = Switch(b.build(states, [put], deparser=[emit("h"), emit("found")]))
    switch.value_set_add("vs", member)
    for values, is_ in [*((one, 1) for one in inside), *((one, 0) for one in outside)]:
        number = 0
        for value, type_ in zip((*(1 for _ in before), *values, *(1 for _ in behind)), subjects, strict=True):
            number = number << type_.width | value
        data = number.to_bytes(sum(type_.width for type_ in subjects) // 8, "big")
        [(_, sent)] = switch.process(0, data + b"\0")
        assert sent == data + bytes([is_]), values


def spreading(algorithm: str, kind: str = "exact") -> Switch:
    """A table whose entries are members and groups of a selector by the key k1; the action sends to a port."""
    b = Builder()
    b.header("h", "h_t", k0=8, k1=8)
    b.variable("I.to.port", 9)
    b.action("I.to", b.set("sm.egress_spec", b.get("I.to.port")), port=9)
    b.extern("I.s", "action_selector", size=16, algorithm=algorithm, width=8)
    b.table("I.t", [("h.k0", kind), ("h.k1", "selector")], ["I.to"], implementation="I.s")
    return Switch(
        b.build([state("start", [extract("h")], goto("accept"))], ingress=[apply("I.t")], deparser=[emit("h")])
    )


def test_the_algorithm_random_draws_a_member() -> None:
    switch = spreading("random")
    group = switch.group_create("I.s")
    for port in (1, 2, 3):
        switch.group_add_member("I.s", group, switch.member_create("I.s", "I.to", (port,)))
    switch.table_add_indirect("I.t", (Exact(5),), GroupRef(group))
    assert {port_of(switch, 5, 1) for _ in range(64)} == {1, 2, 3}


def test_what_profiles_and_selectors_are_refused() -> None:
    switch = spreading("crc16")
    b = Builder()
    b.extern("I.p", "action_profile", size=4)
    plain = Switch(b.build([state("start", [], goto("accept"))]))
    member, group = switch.member_create("I.s", "I.to", (1,)), switch.group_create("I.s")
    for said, request in (
        ("I.p is an action profile without groups", lambda: plain.group_create("I.p")),
        ("there is no action profile I.q", lambda: plain.group_create("I.q")),
        ("there is no action profile I.q", lambda: plain.member_create("I.q", "I.to", (1,))),
        ("I.t has no action I.from", lambda: switch.member_create("I.s", "I.from", (1,))),
        ("I.to has 1 parameters, not 2", lambda: switch.member_create("I.s", "I.to", (1, 2))),
        (f"I.s has no group {group + 1} or no member {member}", lambda: switch.group_add_member("I.s", group + 1, member)),
        (f"I.s has no group {group} or no member {member + 1}", lambda: switch.group_add_member("I.s", group, member + 1)),
        (f"I.s has no {MemberRef(5)}", lambda: switch.table_add_indirect("I.t", (Exact(5),), MemberRef(5))),
        (f"I.s has no {GroupRef(5)}", lambda: switch.table_add_indirect("I.t", (Exact(5),), GroupRef(5))),
    ):  # fmt: skip
        with pytest.raises(ControlError) as caught:
            request()
        assert str(caught.value) == said


def test_action_selector_spreads_over_its_members_by_hash() -> None:
    switch = spreading("crc16")
    members = [switch.member_create("I.s", "I.to", (port,)) for port in (1, 2, 3)]
    group = switch.group_create("I.s")
    switch.table_add_indirect("I.t", (Exact(5),), GroupRef(group))
    assert port_of(switch, 5, 1) == 0  # no members: no action
    for member in (members[1], members[0], members[2]):  # they stand by their handles
        switch.group_add_member("I.s", group, member)
    switch.table_add_indirect("I.t", (Exact(6),), MemberRef(members[1]))
    ports = [port_of(switch, 5, k1) for k1 in range(64)]
    assert set(ports) == {1, 2, 3}
    told: list[Event] = []
    switch.trace = told.append
    assert (port_of(switch, 5, 33), port_of(switch, 4, 33)) == (ports[33], 0)
    assert [(e.text, e.of) for e in told if e.kind == "select"] == [("I.t by h.k1=0x21", ("I.t", (33,)))]  # no miss
    switch.trace = silent
    hashes = [algorithms.compute("crc16", bytes([k1])) for k1 in range(64)]
    assert ports == [1 + (value & 0xFF) % 3 for value in hashes if value is not None]  # of 16 bits the last 8
    assert port_of(switch, 6, 77) == 2
    with pytest.raises(ControlError, match=r"I\.s has no GroupRef"):
        switch.table_add_indirect("I.t", (Exact(7),), GroupRef(99))
