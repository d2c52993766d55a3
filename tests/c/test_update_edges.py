"""UPDATE and READ at their ends, over a program with keys of every kind and odd widths: what fits, and what just does not."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
import switches
from switch_harness import Switch
from test_updates import GROUP, MEMBER, Described, change, u16, u32, u64

from macsad.protocol import ControlError, Message, Outcome, Reading, Status, Update

CTL = ["--port=0=ctl:", "--port=1=ctl:"]


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Switch]:
    binary = switches.build(Path(__file__).parent / "edges.p4", ("address", "undefined"))
    running = Switch(binary, tmp_path_factory.mktemp("edges"), CTL)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def d(switch: Switch) -> Described:
    return Described(switch)


def outcomes(switch: Switch, *changes: bytes) -> list[Outcome]:
    return [outcome for outcome, _ in switch.client.update(changes)]


def test_optional_keys_are_whole_or_nothing(switch: Switch, d: Described) -> None:
    table, nothing = d.table["maybes"], u32(d.action["maybes"]["nothing"])

    def add(value: int, mask: int) -> bytes:
        return change(Update.ADD, table, value.to_bytes(5, "big"), mask.to_bytes(5, "big"), u32(7), nothing)

    full = 2**33 - 1
    assert outcomes(switch, add(full, full), add(5, 0)) == [Outcome.DONE] * 2
    parts = (1, 2**32, full - 1, full >> 1, 0xFF << 8, full ^ 0xFF << 24)
    assert outcomes(switch, *(add(0, mask) for mask in parts)) == [Outcome.WRONG] * len(parts)
    assert outcomes(switch, add(2**33, full), add(0, 2**34 - 1)) == [Outcome.WRONG] * 2
    of_any = bytes(10) + u32(7)
    assert switch.client.read_entry(table, of_any) == of_any + u32(1) + nothing


def test_a_prefix_is_no_longer_than_its_field(switch: Switch, d: Described) -> None:
    table, drop = d.table["prefixes"], u32(d.action["prefixes"]["drop"])
    adds = [change(Update.ADD, table, b"\1", u16(0xFFF), u16(length), drop) for length in (0, 11, 12, 13, 16, 17)]
    assert outcomes(switch, *adds) == [Outcome.DONE] * 3 + [Outcome.WRONG] * 3
    assert outcomes(switch, change(Update.ADD, table, b"\2", u16(0), u16(1), drop)) == [Outcome.WRONG]
    read = b"".join(switch.client.read_entries(table))
    assert [read[at : at + 5] for at in range(0, len(read), 13)] == [
        b"\1" + u16(value) + u16(length) for value, length in ((0, 0), (0xFFE, 11), (0xFFF, 12))
    ]


def test_priorities_are_those_that_commands_have(switch: Switch, d: Described) -> None:
    """From 0 to the largest number of 31 bits; commands count from the other end."""
    table, nothing = d.table["maybes"], u32(d.action["maybes"]["nothing"])
    switch.do("table_clear maybes")
    keys = [bytes(10) + u32(priority) for priority in (0, 2**31 - 1, 2**31, 2**32 - 1)]
    adds = [change(Update.ADD, table, key, nothing) for key in keys]
    assert outcomes(switch, *adds) == [Outcome.DONE] * 2 + [Outcome.WRONG] * 2
    shown = re.findall(r"^Priority: (.*)$", switch.do("table_dump maybes"), re.MULTILINE)
    assert sorted(shown) == ["0", "2147483647"]
    assert [switch.client.read_entry(table, key) is None for key in keys[:2]] == [False] * 2
    for key in keys[2:]:
        with pytest.raises(ControlError, match="a key"):
            switch.client.read_entry(table, key)
    switch.do("table_clear maybes")


def test_a_range_of_one_value(switch: Switch, d: Described) -> None:
    table, drop = d.table["masks"], u32(d.action["masks"]["drop"])

    def add(low: int, high: int) -> bytes:
        return change(Update.ADD, table, u16(0), u16(0), bytes(10), u16(low), u16(high), u32(1), drop)

    done = outcomes(switch, add(3, 3), add(0x3FF, 0x3FF), add(4, 3), add(0x100, 0xFF), add(0, 0x400))
    assert done == [Outcome.DONE] * 2 + [Outcome.WRONG] * 3


def test_masks_of_constant_entries_have_the_bits_of_their_field(switch: Switch, d: Described) -> None:
    read = b"".join(switch.client.read_entries(d.table["fixed"]))
    masks = {read[at : at + 4] for at in range(0, len(read), len(read) // 2)}
    assert masks == {u16(0x100) + u16(0x1F00), u16(1) + u16(1)}
    add = change(Update.ADD, d.table["fixed"], u16(2), u16(2), u32(1), u32(d.action["fixed"]["drop"]))
    assert outcomes(switch, add) == [Outcome.CONSTANT]


def test_actions_where_they_are_allowed(switch: Switch, d: Described) -> None:
    key = bytes(8) + b"\7" + bytes(8) + b"\0"
    exact, send = d.table["exact_keys"], d.action["exact_keys"]
    add = [change(Update.ADD, exact, key[9:18].rjust(17, b"\0") + b"\1", u32(send["drop"]))]
    add.append(change(Update.ADD, exact, key[9:18].rjust(17, b"\0") + b"\1", u32(send["send"]), u16(1)))
    add.append(change(Update.SET_DEFAULT, exact, u32(send["drop"])))
    assert outcomes(switch, *add) == [Outcome.WRONG, Outcome.DONE, Outcome.DONE]
    prefixes, actions = d.table["prefixes"], d.action["prefixes"]
    defaults = [change(Update.SET_DEFAULT, prefixes, u32(actions[name])) for name in ("nothing", "drop")]
    assert outcomes(switch, *defaults) == [Outcome.WRONG, Outcome.DONE]
    pinned, go = d.table["pinned"], d.action["pinned"]
    constant = [change(Update.SET_DEFAULT, pinned, u32(go["go"]), u16(1)), change(Update.RESET_DEFAULT, pinned)]
    assert outcomes(switch, *constant) == [Outcome.CONSTANT] * 2


def test_registers_have_no_more_bits_than_their_cells(switch: Switch, d: Described) -> None:
    for name, bits in (("wides", 65), ("flags", 1), ("mids", 63)):
        size = (bits + 7) // 8
        largest, over = (2**bits - 1).to_bytes(size, "big"), (2**bits).to_bytes(size, "big")
        number = d.extern[name]
        sets = [
            change(Update.ELEMENT, number, u32(1), value) for value in (largest, over, largest[1:], largest + b"\0")
        ]
        assert outcomes(switch, *sets) == [Outcome.DONE] + [Outcome.WRONG] * 3
        assert switch.client.read_elements(number, 1, 1, size) == largest
    switch.do("register_reset wides", "register_reset flags", "register_reset mids")


def test_elements_that_are_not_there(switch: Switch, d: Described) -> None:
    for name, size in (("words", 4), ("seen", 5), ("flow", 3)):
        of_each = {"words": 8, "seen": 16, "flow": 33}[name]
        assert len(switch.client.read_elements(d.extern[name], size - 1, 1, of_each)) == of_each
        for first, count in ((1, size), (size, 1), (0, size + 1), (size + 1, 0), (2, 2**32 - 1)):
            with pytest.raises(ControlError, match="elements that it has"):
                switch.client.read_elements(d.extern[name], first, count, of_each)


def test_a_register_is_read_in_parts(switch: Switch, d: Described) -> None:
    """Of half a MiB and an element; the last is there."""
    switch.do("register_write broad 0 1", "register_write broad 2099 3")
    read = switch.client.read_elements(d.extern["broad"], 0, 2100, 2048)
    assert read == bytes(2047) + b"\1" + bytes(2048 * 2098) + bytes(2047) + b"\3"
    ask = struct.pack(">BHII", Reading.ELEMENTS, d.extern["broad"], 0, 2100)
    status, part = switch.client._ask(Message.READ, ask)
    assert status is Status.MORE and len(part) % 2048 == 0 and part == read[: len(part)]
    switch.do("register_reset broad")


def test_numbers_behind_the_last(switch: Switch, d: Described) -> None:
    for number in (len(d.table), 0x7FFF, 0xFFFF):
        kinds = (Update.ADD, Update.MODIFY, Update.REMOVE, Update.SET_DEFAULT, Update.RESET_DEFAULT)
        assert outcomes(switch, *(change(kind, number, bytes(24)) for kind in kinds)) == [Outcome.WRONG] * len(kinds)
    for number in (len(d.externs), 0x7FFF, 0xFFFF):
        wrong = [change(Update.ELEMENT, number, u32(0), bytes(8))]
        wrong += [change(Update(kind), number, u64(5)) for kind in range(Update.ADD_MEMBER, Update.NOTE)]
        assert outcomes(switch, *wrong) == [Outcome.WRONG] * len(wrong)
        for kind, more in ((Reading.ELEMENTS, 8), (Reading.MEMBERS, 4), (Reading.GROUPS, 4)):
            assert switch.client._ask(Message.READ, struct.pack(">BH", kind, number) + bytes(more))[0] is Status.WRONG


def test_what_is_no_member_and_no_group(switch: Switch, d: Described) -> None:
    few, chosen, go = d.extern["few"], d.extern["chosen"], d.action["pinned"]["go"]
    nothing, behind = d.action["pinned"]["nothing"], len(d.action["pinned"])
    to_one = u32(go) + u16(1)
    members = [change(Update.ADD_MEMBER, few, u64(0), to_one)]  # an id is not 0
    members += [change(Update.ADD_MEMBER, d.extern[name], u64(1), to_one) for name in ("seen", "words", "flow", "calc")
                if name in d.extern]  # fmt: skip
    members += [change(Update.ADD_MEMBER, few, u64(1), more) for more in (
        u32(nothing), u32(behind), u32(MEMBER) + u64(1), u32(GROUP) + u64(1), to_one + b"\0", to_one[:-1], b"")]  # fmt: skip
    assert outcomes(switch, *members) == [Outcome.WRONG] * len(members)
    assert outcomes(switch, change(Update.ADD_MEMBER, few, u64(1), to_one)) == [Outcome.DONE]
    itself = change(Update.ADD_MEMBER, few, u64(2), u32(MEMBER) + u64(1))  # has an action, is not another member
    assert outcomes(switch, itself) == [Outcome.WRONG]
    groups = [change(Update.ADD_GROUP, chosen, u64(0)), change(Update.ADD_GROUP, few, u64(1))]
    groups += [change(Update.ADD_GROUP, chosen, u64(1 << 63)), change(Update.ADD_GROUP, chosen, u64(1), bytes(11))]
    modify = [
        change(Update.MODIFY_MEMBER, few, u64(1), u32(nothing)),
        change(Update.MODIFY_MEMBER, few, u64(0), to_one),
    ]
    removes = [change(Update.REMOVE_MEMBER, few, u64(1), b"\0"), change(Update.REMOVE_GROUP, few, u64(1))]
    wrong = [*groups, *modify, *removes, change(Update.REMOVE_GROUP, chosen, u64(0))]
    assert outcomes(switch, *wrong) == [Outcome.WRONG] * len(wrong)
    group = [change(Update.ADD_GROUP, chosen, u64(1)), change(Update.REMOVE_GROUP, chosen, u64(1), b"\0")]
    group += [change(Update.REMOVE_GROUP, chosen, u64(1)), change(Update.REMOVE_MEMBER, few, u64(1))]
    assert outcomes(switch, *group) == [Outcome.DONE, Outcome.WRONG, Outcome.DONE, Outcome.DONE]
    assert list(switch.client.read_profile(Reading.GROUPS, chosen)) == []


def test_actions_that_no_table_has(switch: Switch, d: Described) -> None:
    """Members of profiles where there is no profile, a number behind the last action, an id that is cut off."""
    key, behind = u16(0) * 2 + bytes(10) + u16(0) * 2 + u32(1), u32(len(d.action["masks"]))
    wrong = [u32(MEMBER) + u64(1), u32(GROUP) + u64(1), behind, behind + u16(1)]
    adds = [change(Update.ADD, d.table["masks"], key, action) for action in wrong]
    adds += [change(Update.SET_DEFAULT, d.table["masks"], action) for action in wrong]
    adds += [
        change(Update.ADD, d.table["choices"], bytes(4) + u32(1), u32(kind) + u64(1)[:-1]) for kind in (MEMBER, GROUP)
    ]
    assert outcomes(switch, *adds) == [Outcome.WRONG] * len(adds)


def test_a_note_may_be_longer_than_a_part(switch: Switch) -> None:
    """It is one then; and what is behind it is read as well."""
    notes = {b"a": b"1", b"b": bytes(3 << 20), b"c": b"2", b"d": bytes(1 << 20), b"e": b"3"}
    kept = [bytes([Update.NOTE]) + u16(1) + name + note for name, note in notes.items()]
    assert outcomes(switch, *kept) == [Outcome.DONE] * len(kept)
    status, answer = switch.client._ask(Message.READ, struct.pack(">BH", Reading.NOTES, 1) + b"b")
    assert status is Status.OK and answer == u16(1) + b"b" + u32(3 << 20) + notes[b"b"]
    assert list(switch.client.read_notes()) == list(notes.items())
    assert list(switch.client.read_notes(b"b")) == [(b"b", notes[b"b"])]
    none = bytes([Update.NOTE]) + u16(0)  # who reads on behind it would begin again
    assert outcomes(switch, none + notes[b"d"], none) == [Outcome.WRONG, Outcome.NOT_TRIED]
    outcomes(switch, *(bytes([Update.NOTE]) + u16(1) + name for name in notes))
    assert list(switch.client.read_notes()) == []


def test_rates_that_are_none(switch: Switch, d: Described) -> None:
    def rates(*numbers: float, configured: int = 1) -> bytes:
        return change(Update.ELEMENT, d.extern["flow"], u32(1), struct.pack(">Bdddd", configured, *numbers))

    fine = (1e6, 10.0, 1e6, 10.0)
    wrong = [
        tuple(bad if at == place else number for at, number in enumerate(fine))
        for place in range(4)
        for bad in (-1.0, float("nan"), float("inf"))
    ]
    assert outcomes(switch, *(rates(*numbers) for numbers in wrong)) == [Outcome.WRONG] * len(wrong)
    above = rates(1e6 + 1, 10, 1e6, 10)
    assert outcomes(switch, above, rates(*fine, configured=2), rates(*fine)) == [Outcome.WRONG] * 2 + [Outcome.DONE]
    assert outcomes(switch, rates(*fine, configured=0)) == [Outcome.DONE]
    assert switch.client.read_elements(d.extern["flow"], 1, 1, 33) == bytes(33)


def test_members_of_value_sets_have_no_priority(tmp_path: Path) -> None:
    program = Path(__file__).parents[1] / "packets" / "value_sets.p4"
    running = Switch(switches.build(program), tmp_path, CTL)
    parts = Described(running).table["parts"]
    member = u16(0xFF00) * 2 + b"\7" + u16(8) + b"\0\x10"
    add, remove = change(Update.ADD, parts, member), change(Update.REMOVE, parts, member)
    assert outcomes(running, add, change(Update.ADD, parts, member, u32(0)), add) == [
        Outcome.DONE,
        Outcome.WRONG,
        Outcome.EXISTS,
    ]
    assert b"".join(running.client.read_entries(parts))[: len(member)] == member
    assert running.do("pvs_get parts") == "ff00 &&& ff00 07/8 00 -> 10\n"
    assert outcomes(running, remove, remove) == [Outcome.DONE, Outcome.NONE]
    running.stop()


def test_an_entry_counts_from_zero_whatever_was_counted_in_its_place(switch: Switch, d: Described) -> None:
    """Workers may count on an entry that is deleted at the same time."""
    added = switch.do("table_add exact_keys send 77 0 0 => 1")
    place = int(added.split()[-1]) & 0xFFFFFF
    switch.do(f"table_delete exact_keys {added.split()[-1]}")
    late = change(Update.ELEMENT, d.extern["hits"], u32(place), struct.pack(">QQ", 3, 180))
    assert outcomes(switch, late) == [Outcome.DONE]
    again = switch.do("table_add exact_keys send 78 0 0 => 1").split()[-1]
    assert int(again) & 0xFFFFFF == place
    assert switch.client.read_elements(d.extern["hits"], place, 1, 16) == bytes(16)


def test_a_message_has_a_million_changes_at_most(switch: Switch) -> None:
    nothing = u32(0) + bytes([Update.RESET_DEFAULT])  # of no table: the first fails, and no other is tried
    status, answer = switch.client._ask(Message.UPDATE, b"\0" + 10**6 * nothing)
    assert status is not Status.WRONG and len(answer) == 10**6 * 5
    assert switch.client._ask(Message.UPDATE, b"\0" + (10**6 + 1) * nothing) == (Status.WRONG, b"too many changes")
