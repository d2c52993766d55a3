"""A program as P4Info numbers it, joined with how a switch tells of itself."""

from __future__ import annotations

from typing import Any

import pytest

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import messages
from macsad.p4runtime.program import NotOfSwitch, Param, Program, join

EXACT, LPM, TERNARY, OPTIONAL = 2, 4, 3, 6


def told() -> dict[str, Any]:
    """The switch has a table and an extern that the P4Info does not know, before those that it does."""

    def field(name: str, bits: int, match: str) -> dict[str, Any]:
        return {"name": name, "bits": bits, "match": match}

    def extern(name: str, kind: str, bits: int = 0, *widths: int) -> dict[str, Any]:
        return {"name": name, "kind": kind, "size": 9, "bits": bits, "fields": [{"bits": width} for width in widths]}

    actions = [
        {"name": "I.drop", "scope": "default_only", "params": []},
        {"name": "I.go", "scope": "table_only", "params": [{"name": "port", "bits": 9}]},
        {"name": "I.both", "scope": "", "params": []},
    ]
    more = {"const_entries": False, "const_default": False, "ages": False}
    hidden = {"name": "I.hidden", "size": 1, "key": [], "actions": [], **more}
    table = {"name": "I.t", "size": 16, "key": [field("k", 9, "exact")], "actions": actions, **more}
    return {
        "tables": [hidden, table], "value_sets": [{"name": "P.vs", "size": 4, "key": [field("v", 3, "exact")]}],
        "externs": [extern("I.own", "register", 8), extern("I.hits", "direct_counter"), extern("I.pace", "direct_meter"),
                    extern("I.seen", "counter"), extern("learn", "digest", 0, 8, 16), extern("I.sel", "action_selector")],
        "ports": [{"port": 1, "name": "eth0"}, {"port": 2, "name": "ctl:"}, {"port": 3, "name": "ctl:cpu"}],
    }  # fmt: skip


def info() -> Any:
    made = messages().of("p4.config.v1.P4Info")()

    def thing(part: Any, number: int, name: str) -> Any:
        one = part.add()
        one.preamble.id, one.preamble.name = number, name
        return one

    for number, name in ((11, "I.drop"), (12, "I.go"), (13, "I.both")):
        action = thing(made.actions, number, name)
        if name == "I.go":
            action.params.add(id=1, name="port").type_name.name = "port_t"
    table = thing(made.tables, 21, "I.t")
    table.match_fields.add(id=5, name="k", match_type=EXACT)
    for number in (11, 12, 13):
        table.action_refs.add(id=number)
    table.direct_resource_ids.extend([31, 32, 99])
    thing(made.direct_counters, 31, "I.hits")
    thing(made.direct_meters, 32, "I.pace")
    thing(made.counters, 33, "I.seen")
    thing(made.digests, 34, "learn")
    thing(made.action_profiles, 41, "I.sel").table_ids.append(21)
    thing(made.action_profiles, 42, "I.unused")
    value_set = thing(made.value_sets, 51, "P.vs")
    value_set.match.add(id=6, name="v", match_type=EXACT)
    translated = made.type_info.new_types["port_t"].translated_type
    translated.uri = "p4.org/psa/v1/PortId_t"
    translated.sdn_string.SetInParent()
    return made


def joined() -> Program:
    return join(info(), told(), {"packet_in": (9, 7)})


def test_things_have_the_numbers_of_both() -> None:
    program = joined()
    table, value_set = program.table(21), program.value_set(51)
    assert (table.number, table.size, table.key_ids, table.has_priority, table.ages) == (1, 16, (5,), False, False)
    assert [(key.id, key.name, key.bits, key.kind, key.strings) for key in table.keys] == [(5, "k", 9, "exact", None)]
    assert (value_set.number, value_set.size, value_set.actions, value_set.keys[0].bits) == (2, 4, {}, 3)
    assert {one.id: (one.number, one.kind, one.widths) for one in program.externs.values()} == {
        31: (1, "direct_counter", ()), 32: (2, "direct_meter", ()), 33: (3, "counter", ()), 34: (4, "digest", (8, 16)),
    }  # fmt: skip
    assert table.counter is program.externs[31] and table.meter is program.externs[32]
    profile = program.profile(41)
    assert (profile.number, profile.table) == (5, table) and list(program.profiles) == [41]
    assert program.widths == {"packet_in": (9, 7)}


def test_actions_are_of_entries_or_of_the_default_entry() -> None:
    table = joined().table(21)
    assert {number: (one.number, one.in_entries, one.in_default, one.head) for number, one in table.actions.items()} == {
        11: (0, False, True, b"\0\0\0\0"), 12: (1, True, False, b"\0\0\0\1"), 13: (2, True, True, b"\0\0\0\2"),
    }  # fmt: skip
    assert table.by_number == {one.number: one for one in table.actions.values()}
    go = table.actions[12]
    assert go.param_ids == (1,) and go.params == (Param(1, 9, go.params[0].strings),)


def test_ports_for_controllers_have_numbers_and_no_names() -> None:
    """An interface has a name; `ctl:` is none."""
    program = joined()
    assert [program.ports.check(bytes([number])) for number in (1, 2, 3)] == [1, 2, 3]
    with pytest.raises(Refused, match="no port 4") as refused:
        program.ports.check(b"\0\4")
    assert refused.value.code is Code.INVALID_ARGUMENT
    strings = program.translations.named("port_t")
    assert strings is not None
    assert [strings.string(number) for number in (1, 2, 3)] == [b"eth0", b"2", b"3"]


@pytest.mark.parametrize(
    ("match", "kind", "has", "has_priority"),
    [
        (EXACT, "exact", "exact", False), (LPM, "lpm", "lpm", False), (TERNARY, "ternary", "ternary", True),
        (OPTIONAL, "ternary", "optional", True), (OPTIONAL, "optional", "optional", True), (TERNARY, "range", "range", True),
    ],
)  # fmt: skip
def test_optional_fields_may_be_ternary_in_the_switch(match: int, kind: str, has: str, has_priority: bool) -> None:
    there, given = told(), info()
    there["tables"][1]["key"][0]["match"], given.tables[0].match_fields[0].match_type = kind, match
    table = join(given, there, {}).table(21)
    assert (table.keys[0].kind, table.has_priority) == (has, has_priority)


def change(there: dict[str, Any], *path: Any) -> None:
    """Take away what is there."""
    *way, last = path
    for step in way:
        there = there[step]
    del there[last]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("tables", 1), "the switch has no table I.t"), (("externs", 3), "the switch has no I.seen"),
        (("value_sets", 0), "the switch has no value set P.vs"),
        (("tables", 1, "actions", 2), "I.t has no action I.both"),
        (("tables", 1, "key", 0), "the key of I.t has 0 fields, not 1"),
        (("value_sets", 0, "key", 0), "the key of P.vs has 0 fields, not 1"),
        (("tables", 1, "actions", 1, "params", 0), "I.go has 0 parameters, not 1"),
    ],
)  # fmt: skip
def test_what_a_switch_does_not_have(path: tuple[Any, ...], message: str) -> None:
    there = told()
    change(there, *path)
    with pytest.raises(NotOfSwitch, match=message):
        join(info(), there, {})


@pytest.mark.parametrize(("entries", "default"), [(True, False), (False, True), (True, True)])
def test_an_action_that_nothing_can_run_may_be_left_out(entries: bool, default: bool) -> None:
    there = told()
    there["tables"][1] |= {"const_entries": entries, "const_default": default}
    del there["tables"][1]["actions"][2]
    if entries and default:
        assert list(join(info(), there, {}).table(21).actions) == [11, 12]
    else:
        with pytest.raises(NotOfSwitch, match="no action I"):
            join(info(), there, {})


def test_what_is_not_there_is_not_found() -> None:
    program = joined()
    assert program.extern(33, "counter", "direct_counter").number == 3
    asks: list[tuple[Any, str]] = [
        (lambda: program.table(22), "no table 22"), (lambda: program.profile(42), "no action profile 42"),
        (lambda: program.value_set(21), "no value set 21"), (lambda: program.extern(99, "direct_meter"), "no direct meter 99"),
        (lambda: program.extern(33, "meter", "register"), "no meter 33"),
    ]  # fmt: skip
    for ask, said in asks:
        with pytest.raises(Refused, match=f"there is {said}$") as refused:
            ask()
        assert refused.value.code is Code.NOT_FOUND
