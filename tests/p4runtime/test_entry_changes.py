"""Which changes of the switch an update of a table entry is, without a switch. P4Runtime spec 1.4.1 sections 8.4, 9.1, 9.3."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import click
import pytest

from macsad.p4runtime import entries, notes, reading, serving
from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import message
from macsad.p4runtime.numbers import below, canonical, fixed, prefix_mask
from macsad.p4runtime.program import Action, Extern, Key, Param, Table
from macsad.p4runtime.strings import Strings
from macsad.p4runtime.tables import Tables
from macsad.protocol import GROUP, MEMBER, Outcome, Update

INSERT, MODIFY, DELETE = 1, 2, 3
GO = Action(12, 1, "go", (Param(1, 9), Param(2, 4)), True, True, b"\0\0\0\1", (1, 2))
ONLY_DEFAULT = Action(13, 2, "d", (), False, True, b"\0\0\0\2")
ONLY_ENTRIES = Action(14, 3, "e", (), True, False, b"\0\0\0\3")
ACTIONS = {one.id: one for one in (GO, ONLY_DEFAULT, ONLY_ENTRIES)}
EXTERN = Extern(31, 6, "x", "direct_counter", 9, 0, None)
NAMES = Strings("name_t", [("gold", 7)], None)


def code_of(call: Any) -> Code:
    try:
        call()
    except Refused as refused:
        return refused.code
    return Code.OK


# --- numbers and notes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "bits", "made"),
    [
        (b"\1", 1, b"\1"), (b"\2", 1, None), (b"\0\0\1", 9, b"\0\1"), (b"\1\xff", 9, b"\1\xff"), (b"\2\0", 9, None),
        (b"", 8, None), (b"\0", 64, bytes(8)), (b"\xff", 8, b"\xff"), (b"\1\0", 8, None),
    ],
)  # fmt: skip
def test_numbers_have_the_bytes_of_their_bits(value: bytes, bits: int, made: bytes | None) -> None:
    if made is None:
        assert code_of(lambda: fixed(value, bits)) is (Code.OUT_OF_RANGE if value else Code.INVALID_ARGUMENT)
    else:
        assert fixed(value, bits) == made and canonical(made) == (value.lstrip(b"\0") or b"\0")


def test_masks_of_prefixes() -> None:
    assert [prefix_mask(length, 9).hex() for length in (0, 1, 8, 9)] == ["0000", "0100", "01fe", "01ff"]
    assert below(b"\1\2", b"\1\3") and below(b"\0", b"\0") and not below(b"\2", b"\1")


def test_notes_are_named_by_what_they_are_of() -> None:
    """Numbers of tables and externs have two bytes, ids of groups eight."""
    assert notes.metadata(0x102, b"key") == b"e\1\2key"
    assert notes.metadata(3, bytes(range(250))) == b"e\0\3" + bytes(range(250))
    assert notes.group(0x102, 0x30000000004) == b"g\1\2\0\0\3\0\0\0\0\4"
    assert notes.change(b"name", b"note") == bytes([Update.NOTE, 0, 4]) + b"namenote"
    client: Any = SimpleNamespace(notes_named=lambda names: [b"<" + name for name in names])
    assert notes.of(client, b"x") == b"<x"


# --- keys ------------------------------------------------------------------------------------------------------------


def table(*keys: Key, **has: Any) -> Table:
    profile = has.pop("profile", 0)
    made = Table(21, 4, "t", 9, keys, dict(ACTIONS), SimpleNamespace(implementation_id=profile), False, False)
    made.has_priority = any(key.kind in ("ternary", "range", "optional") for key in keys)
    for name, value in has.items():
        setattr(made, name, value)
    return made


KINDS = {kind: Key(5, "k", 9, kind) for kind in ("exact", "lpm", "ternary", "range", "optional")}
EXACT = table(KINDS["exact"])


def entry(*matches: tuple[str, bytes, Any], number: int = 5, **has: Any) -> Any:
    made = message("TableEntry")(table_id=21)
    for kind, value, second in matches:
        match = made.match.add(field_id=number)
        told = getattr(match, kind)
        names = {"lpm": ("value", "prefix_len"), "ternary": ("value", "mask"), "range": ("low", "high")}
        first, *rest = names.get(kind, ("value",))
        setattr(told, first, value)
        for name in rest:
            setattr(told, name, second)
    for name, value in has.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    ("kind", "match", "key"),
    [
        ("exact", ("exact", b"\1", None), "0001"), ("exact", None, Code.INVALID_ARGUMENT),
        ("exact", ("exact", b"\2\0", None), Code.OUT_OF_RANGE), ("exact", ("lpm", b"\1", 9), Code.INVALID_ARGUMENT),
        ("lpm", ("lpm", b"\1\0", 1), "01000001"), ("lpm", ("lpm", b"\1\xff", 9), "01ff0009"), ("lpm", None, "00000000"),
        ("lpm", ("lpm", b"\0", 0), Code.INVALID_ARGUMENT), ("lpm", ("lpm", b"\0", 10), Code.INVALID_ARGUMENT),
        ("lpm", ("lpm", b"\0", -1), Code.INVALID_ARGUMENT), ("lpm", ("lpm", b"\1\1", 8), Code.INVALID_ARGUMENT),
        ("ternary", ("ternary", b"\1\0", b"\1\xff"), "010001ff"), ("ternary", None, "00000000"),
        ("ternary", ("ternary", b"\0", b"\0"), Code.INVALID_ARGUMENT),
        ("ternary", ("ternary", b"\2", b"\1"), Code.INVALID_ARGUMENT),
        ("range", ("range", b"\1", b"\1"), "00010001"), ("range", ("range", b"\0", b"\1\xfe"), "000001fe"),
        ("range", None, "000001ff"), ("range", ("range", b"\0", b"\1\xff"), Code.INVALID_ARGUMENT),
        ("range", ("range", b"\2", b"\1"), Code.INVALID_ARGUMENT), ("range", ("range", b"\1", b"\1\xff"), "000101ff"),
        ("optional", ("optional", b"\7", None), "000701ff"), ("optional", None, "00000000"),
    ],
)  # fmt: skip
def test_fields_of_a_key(kind: str, match: Any, key: str | Code) -> None:
    """What matches anything is left out, and nothing else may be said of it. P4Runtime spec 1.4.1 section 9.1.1."""
    of = table(KINDS[kind])
    given = entry(*([match] if match else []), priority=7 if of.has_priority else 0)
    if isinstance(key, Code):
        assert code_of(lambda: entries.key_of(of, given)) is key
    else:
        assert entries.key_of(of, given).hex() == key + ("00000007" if of.has_priority else "")


def test_fields_come_in_any_order_each_once() -> None:
    of = table(Key(5, "a", 8, "exact"), Key(6, "b", 8, "lpm"))
    given = entry(("lpm", b"\3", 8), number=6)
    given.match.add(field_id=5).exact.value = b"\1"
    assert entries.key_of(of, given).hex() == "01030008"
    given.match.add(field_id=5).exact.value = b"\1"
    assert code_of(lambda: entries.key_of(of, given)) is Code.INVALID_ARGUMENT
    given.match[2].field_id = 7
    with pytest.raises(Refused, match="t has no field 7"):
        entries.key_of(of, given)


@pytest.mark.parametrize(("kind", "priority", "code"), [
    ("exact", 0, Code.OK), ("exact", 1, Code.INVALID_ARGUMENT), ("ternary", 1, Code.OK), ("ternary", 0, Code.INVALID_ARGUMENT),
    ("ternary", -1, Code.INVALID_ARGUMENT),
])  # fmt: skip
def test_priorities_are_of_tables_that_need_them(kind: str, priority: int, code: Code) -> None:
    match = {"exact": ("exact", b"\1", None), "ternary": ("ternary", b"\1", b"\1")}[kind]
    assert code_of(lambda: entries.key_of(table(KINDS[kind]), entry(match, priority=priority))) is code


def test_strings_are_matched_exactly() -> None:
    for kind, value, key in (("exact", b"gold", "0007"), ("optional", b"gold", "000701ff"), ("ternary", b"\7", None)):
        of = table(Key(5, "k", 9, kind, NAMES))
        given = entry((kind, value, b"\7"), priority=0 if kind == "exact" else 1)
        if key is None:
            assert code_of(lambda of=of, given=given: entries.key_of(of, given)) is Code.UNIMPLEMENTED  # type: ignore[misc]
        else:
            assert entries.key_of(of, given).hex().startswith(key)


# --- actions ---------------------------------------------------------------------------------------------------------


def call(number: int, *params: tuple[int, bytes]) -> Any:
    made = message("TableAction")()
    made.action.action_id = number
    for at, value in params:
        made.action.params.add(param_id=at, value=value)
    return made


@pytest.mark.parametrize(
    ("given", "default", "made"),
    [
        (call(12, (1, b"\5"), (2, b"\6")), False, "00000001000506"), (call(12, (2, b"\6"), (1, b"\5")), False, "00000001000506"),
        (call(12, (1, b"\5")), False, Code.INVALID_ARGUMENT), (call(12, (1, b"\5"), (3, b"\5")), False, Code.INVALID_ARGUMENT),
        (call(12, (1, b"\5"), (2, b"\6"), (2, b"\6")), False, Code.INVALID_ARGUMENT),
        (call(12, (1, b"\5"), (2, b"\6"), (3, b"\6")), False, Code.INVALID_ARGUMENT),
        (call(12, (1, b"\5"), (2, b"\x10")), False, Code.OUT_OF_RANGE), (call(15), False, Code.INVALID_ARGUMENT),
        (call(13), True, "00000002"), (call(13), False, Code.PERMISSION_DENIED), (call(14), False, "00000003"),
        (call(14), True, Code.PERMISSION_DENIED), (message("TableAction")(), False, Code.INVALID_ARGUMENT),
        (message("TableAction")(action_profile_member_id=1), False, Code.INVALID_ARGUMENT),
    ],
)  # fmt: skip
def test_actions(given: Any, default: bool, made: str | Code) -> None:
    if isinstance(made, Code):
        assert code_of(lambda: entries.action_of(EXACT, given, default)) is made
    else:
        assert entries.action_of(EXACT, given, default).hex() == made


@pytest.mark.parametrize(
    ("number", "default", "told"),
    [
        (13, False, "d is not for entries of t"),
        (14, True, "e is not for the default entry of t"),
        (15, True, "t has no action 15"),
    ],
)
def test_what_an_action_is_not_for(number: int, default: bool, told: str) -> None:
    with pytest.raises(Refused) as refused:
        entries.action_of(EXACT, call(number), default)
    assert refused.value.message == told


@pytest.mark.parametrize("default", [False, True])
def test_entries_of_a_profile_name_members_and_groups(default: bool) -> None:
    """Its default entry may have an action of its own."""
    of = table(KINDS["exact"], profile=41)
    for name, kind in (("action_profile_member_id", MEMBER), ("action_profile_group_id", GROUP)):
        given = message("TableAction")(**{name: 0x105})
        assert entries.action_of(of, given, default) == kind.to_bytes(4, "big") + (0x105).to_bytes(8, "big")
        setattr(given, name, 0)
        assert code_of(lambda given=given: entries.action_of(of, given, default)) is Code.INVALID_ARGUMENT  # type: ignore[misc]
    own = code_of(lambda: entries.action_of(of, call(12, (1, b"\5"), (2, b"\6")), default))
    assert own is (Code.OK if default else Code.INVALID_ARGUMENT)


# --- changes ---------------------------------------------------------------------------------------------------------


class Client:
    """`noted`: names of metadata that are there."""

    def __init__(self, *noted: bytes) -> None:
        self.noted = noted
        self.did: list[bytes] = []

    def read_notes(self, prefix: bytes) -> Any:
        return [(name, b"") for name in self.noted]

    def update(self, changes: list[bytes], keep_going: bool = True) -> list[tuple[Outcome, int]]:
        self.did += changes
        return [(Outcome.DONE, 5)] * len(changes)

    def read_entry(self, number: int, key: bytes) -> bytes:
        return key + (7).to_bytes(4, "big") + ONLY_ENTRIES.head


def tables(of: Table, *noted: bytes) -> Tables:
    client: Any = Client(*noted)
    program: Any = SimpleNamespace(table=lambda number: of)
    return Tables(client, program, None)  # type: ignore[arg-type]


FIVE = ("exact", b"\5", None)


def go(**has: Any) -> Any:
    made = entry(FIVE, **has)
    made.action.CopyFrom(call(14))
    return made


def default(**has: Any) -> Any:
    made = entry(is_default_action=True, **has)
    made.action.CopyFrom(call(13))
    return made


@pytest.mark.parametrize(
    ("kind", "given", "of", "change"),
    [
        (INSERT, go(), EXACT, f"{Update.ADD:02x}0004000500000003"), (MODIFY, go(), EXACT, f"{Update.MODIFY:02x}0004000500000003"),
        (DELETE, go(), EXACT, f"{Update.REMOVE:02x}00040005"),
        (INSERT, go(idle_timeout_ns=258), table(KINDS["exact"], ages=True), f"{Update.ADD:02x}00040005000000030000000000000102"),
        (INSERT, go(), table(KINDS["exact"], ages=True), f"{Update.ADD:02x}0004000500000003{0:016x}"),
        (MODIFY, default(), EXACT, f"{Update.SET_DEFAULT:02x}000400000002"),
        (MODIFY, default(), table(KINDS["exact"], ages=True), f"{Update.SET_DEFAULT:02x}000400000002"),
        (MODIFY, entry(is_default_action=True), EXACT, f"{Update.RESET_DEFAULT:02x}0004"),
    ],
)  # fmt: skip
def test_what_an_update_changes(kind: int, given: Any, of: Table, change: str) -> None:
    assert [one.hex() for one in tables(of).changes(kind, given)] == [change]


def test_metadata_are_notes_of_tables_that_have_some() -> None:
    """Those of an entry go with it; of others nothing is known, so nothing is done."""
    made = tables(EXACT)
    (_, note) = made.changes(INSERT, go(metadata=b"m"))
    name = b"e\0\4\0\5"
    assert note == notes.change(name, b"m") and made.changes(DELETE, go())[1] == notes.change(name, b"")
    assert made.changes(MODIFY, default(metadata=b"d"))[1] == notes.change(b"e\0\4", b"d")
    assert (
        len(tables(EXACT, name).changes(INSERT, go())) == 2
        and len(tables(EXACT, b"e\0\5\0\5").changes(INSERT, go())) == 1
    )


@pytest.mark.parametrize(
    ("kind", "given", "has", "code"),
    [
        (INSERT, go(), {"const_entries": True}, Code.PERMISSION_DENIED),
        (DELETE, go(), {"const_entries": True}, Code.PERMISSION_DENIED),
        (MODIFY, default(), {"const_entries": True}, Code.OK),
        (MODIFY, default(), {"const_default": True}, Code.PERMISSION_DENIED),
        (INSERT, go(), {"const_default": True}, Code.OK), (INSERT, default(), {}, Code.INVALID_ARGUMENT),
        (DELETE, default(), {}, Code.INVALID_ARGUMENT), (MODIFY, default(priority=1), {}, Code.INVALID_ARGUMENT),
        (INSERT, go(idle_timeout_ns=1), {}, Code.INVALID_ARGUMENT), (INSERT, go(idle_timeout_ns=1), {"ages": True}, Code.OK),
        (INSERT, go(idle_timeout_ns=-1), {"ages": True}, Code.INVALID_ARGUMENT),
        (MODIFY, default(idle_timeout_ns=1), {"ages": True}, Code.INVALID_ARGUMENT),
        (INSERT, go(controller_metadata=1), {}, Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_what_cannot_be_changed(kind: int, given: Any, has: dict[str, Any], code: Code) -> None:
    assert code_of(lambda: tables(table(KINDS["exact"], **has)).changes(kind, given)) is code


@pytest.mark.parametrize("part", ["time_since_last_hit", "meter_counter_data", "counter_data", "meter_config"])
def test_what_a_table_has_nothing_for(part: str) -> None:
    """A default entry, too."""
    for given in (go(), default()):
        getattr(given, part).SetInParent()
        assert code_of(lambda given=given: tables(EXACT).changes(MODIFY, given)) is Code.INVALID_ARGUMENT  # type: ignore[misc]
    matched = default()
    matched.match.add(field_id=5).exact.value = b"\1"
    assert code_of(lambda: tables(EXACT).changes(MODIFY, matched)) is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("kind", "has", "part", "at_once"),
    [
        (INSERT, {"counter": EXTERN}, None, True), (INSERT, {"counter": EXTERN}, "counter_data", False),
        (MODIFY, {"counter": EXTERN}, None, True), (INSERT, {"meter": EXTERN}, None, True),
        (INSERT, {"meter": EXTERN}, "meter_config", False), (MODIFY, {"meter": EXTERN}, None, False),
        (INSERT, {"profile": 41}, None, True), (MODIFY, {"profile": 41}, None, False), (DELETE, {"profile": 41}, None, False),
        (DELETE, {"meter": EXTERN}, None, True),
    ],
)  # fmt: skip
def test_what_takes_answers_between_changes(kind: int, has: dict[str, Any], part: str | None, at_once: bool) -> None:
    given = entry(FIVE)
    given.action.CopyFrom(message("TableAction")(action_profile_member_id=1) if "profile" in has else call(14))
    if part:
        getattr(given, part).SetInParent()
    assert bool(tables(table(KINDS["exact"], **has)).changes(kind, given)) is at_once


def test_the_counter_of_an_entry_is_set_where_the_switch_has_put_it() -> None:
    """Of a new entry that is told with it, of another one it is looked up; the default entry has the one behind all."""
    of = table(KINDS["exact"], counter=EXTERN, ages=True)
    of.by_number = {one.number: one for one in ACTIONS.values()}
    never = f"{0:016x}"  # the timeout, which the default entry has none of
    for kind, given, place, change in (
        (INSERT, go(), 5, f"{Update.ADD:02x}0004000500000003{never}"),
        (MODIFY, go(), 7, f"{Update.MODIFY:02x}0004000500000003{never}"),
        (MODIFY, default(), of.size, f"{Update.SET_DEFAULT:02x}000400000002"),
    ):
        given.counter_data.packet_count = 3
        made = tables(of)
        made.carry_out(kind, given)
        (entered, count) = made._client.did  # type: ignore[attr-defined]
        assert entered.hex() == change
        assert count[:7] == bytes([Update.ELEMENT, 0, 6]) + place.to_bytes(4, "big") and count[14] == 3


# --- elements and ports ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("index", "code"), [(0, Code.OK), (8, Code.OK), (9, Code.OUT_OF_RANGE), (-1, Code.OUT_OF_RANGE)]
)
def test_elements_are_below_the_size(index: int, code: Code) -> None:
    asked = message("CounterEntry")()
    asked.index.index = index
    assert code_of(lambda: reading.index_of(EXTERN, asked)) is code


def test_elements_are_read_of_one_or_of_all() -> None:
    """Each with its id and its index; an index alone says nothing."""
    externs = {
        at: Extern(at, at, f"c{at}", kind, 2, 0, None) for at, kind in ((7, "counter"), (8, "meter"), (9, "counter"))
    }

    def read(number: int, first: int, count: int, size: int) -> bytes:
        return b"".join(bytes([*bytes(7), at, *bytes(7), number]) for at in range(first, first + count))

    client: Any = SimpleNamespace(read_elements=read)
    program: Any = SimpleNamespace(externs=externs, extern=lambda number, kind: externs[number])

    def found(**asked: int) -> list[tuple[int, int, int, int]]:
        given = message("CounterEntry")(counter_id=asked.get("number", 0))
        if "index" in asked:
            given.index.index = asked["index"]
        made = [one.counter_entry for one in reading._elements(client, program, given, "counter")]
        return [(one.counter_id, one.index.index, one.data.packet_count, one.data.byte_count) for one in made]

    assert found() == [(7, 0, 0, 7), (7, 1, 1, 7), (9, 0, 0, 9), (9, 1, 1, 9)]
    assert found(number=9) == [(9, 0, 0, 9), (9, 1, 1, 9)] and found(number=9, index=1) == [(9, 1, 1, 9)]
    assert code_of(lambda: found(index=1)) is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("ports", "wanted", "port"),
    [
        (("ctl:", "eth0"), None, 0), (("eth0", "ctl:"), None, 1), (("ctl:", "ctl:"), None, None), (("eth0",), None, None),
        (("ctl:", "ctl:"), 0, 0), (("eth0", "ctl:x", "ctl:"), 1, 1), (("ctl:", "eth0"), 1, "no ctl: port 1"),
    ],
)  # fmt: skip
def test_the_port_of_packets_of_controllers(ports: tuple[str, ...], wanted: int | None, port: Any) -> None:
    """The one that there is, or the one that is named."""
    told = {"ports": [{"port": at, "name": name} for at, name in enumerate(ports)]}
    if isinstance(port, str):
        with pytest.raises(click.ClickException, match=port):
            serving._cpu_port(told, wanted)
    else:
        assert serving._cpu_port(told, wanted) == port
