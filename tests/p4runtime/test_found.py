"""Entries that the switch gives become the same bytes as messages that are filled field by field."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from macsad.p4runtime.found import GIVEN_MAX, Form
from macsad.p4runtime.messages import message
from macsad.p4runtime.program import Action, Key, Param, Table
from macsad.p4runtime.strings import Strings
from macsad.p4runtime.table_reading import _runs
from macsad.p4runtime.wire import Heads, number, varint
from macsad.protocol import GROUP, MEMBER

KINDS = ("exact", "lpm", "ternary", "range", "optional")
NAMES = Strings("name_t", [("gold", 7), ("silver", 8)], None)


def octets(value: int) -> bytes:
    """The shortest form."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def shown(value: int, strings: Strings | None) -> bytes:
    return octets(value) if strings is None else {7: b"gold", 8: b"silver"}.get(value, str(value).encode())


class Random:
    """Tables and their entries, each entry both in READ's form and as a message."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def bits(self) -> int:
        return self.random.choice((1, 7, 8, 9, 16, 32, 48, 65, 128, self.random.randint(1, 2000)))

    def table(self) -> Table:
        keys = [
            Key(self.random.choice((at, at * 1000)), f"k{at}", self.bits(), self.random.choice(KINDS), self.strings())
            for at in range(1, self.random.randint(1, 5))
        ]
        keys = [key if key.kind in ("exact", "optional") else Key(key.id, key.name, key.bits, key.kind) for key in keys]
        actions = {}
        for at in range(self.random.randint(0, 4)):
            params = tuple(Param(1 + i, self.bits(), self.strings()) for i in range(self.random.randint(0, 3)))
            action_id = (1 << 24) + self.random.randint(1, 1 << 24)
            actions[action_id] = Action(action_id, at, f"a{at}", params, True, True, at.to_bytes(4, "big"))
        const = self.random.random() < 0.2
        table = Table((2 << 24) + self.random.randint(1, 1 << 24), 0, "t", 9, tuple(keys), actions, None, const, False)
        table.by_number = {action.number: action for action in actions.values()}
        table.has_priority = any(key.kind not in ("exact", "lpm") for key in keys)
        return table

    def strings(self) -> Strings | None:
        return NAMES if self.random.random() < 0.2 else None

    def value(self, bits: int) -> int:
        return self.random.choice((0, 7, self.random.getrandbits(bits), self.random.getrandbits(bits) >> bits // 2)) % (
            1 << bits
        )

    def entry(self, table: Table) -> tuple[bytes, Any]:
        made, entry = b"", message("TableEntry")(table_id=table.id)
        for key in table.keys:
            made += self.field(key, entry)
        if table.has_priority:
            entry.priority = self.random.choice((1, 200, (1 << 31) - 1))
            made += entry.priority.to_bytes(4, "big")
        made += self.random.getrandbits(32).to_bytes(4, "big")
        if table.actions:
            made += self.action(table, entry)
        if table.const_entries:
            entry.is_const = True
        return made, entry

    def field(self, key: Key, entry: Any) -> bytes:
        size, value, most = (key.bits + 7) // 8, self.value(key.bits), (1 << key.bits) - 1
        given = value.to_bytes(size, "big")
        if key.kind == "exact":
            entry.match.add(field_id=key.id).exact.value = shown(value, key.strings)
            return given
        if key.kind == "lpm":
            length = self.random.choice((0, key.bits, self.random.randint(0, key.bits)))
            if length:
                lpm = entry.match.add(field_id=key.id).lpm
                lpm.value, lpm.prefix_len = octets(value), length
            return given + length.to_bytes(2, "big")
        second = self.random.choice((0, most, self.value(key.bits)))
        if key.kind == "optional":
            second = self.random.choice((0, most))
            if second:
                entry.match.add(field_id=key.id).optional.value = shown(value, key.strings)
        elif key.kind == "ternary" and second:
            match = entry.match.add(field_id=key.id).ternary
            match.value, match.mask = octets(value), octets(second)
        elif key.kind == "range" and (value, second) != (0, most):
            match = entry.match.add(field_id=key.id).range
            match.low, match.high = octets(value), octets(second)
        return given + second.to_bytes(size, "big")

    def action(self, table: Table, entry: Any) -> bytes:
        kind = self.random.random()
        if kind < 0.2:
            named = self.random.choice((1, 1000, GIVEN_MAX, GIVEN_MAX + 1, 1 << 63))
            code, field = self.random.choice(((MEMBER, "action_profile_member_id"), (GROUP, "action_profile_group_id")))
            if named <= GIVEN_MAX:
                setattr(entry.action, field, named)
            return code.to_bytes(4, "big") + named.to_bytes(8, "big")
        if kind < 0.25:
            return (len(table.actions) + 5).to_bytes(4, "big")  # that runs nothing
        action = self.random.choice(list(table.actions.values()))
        entry.action.action.action_id, made = action.id, action.head
        for param in action.params:
            value = self.value(param.bits)
            entry.action.action.params.add(param_id=param.id, value=shown(value, param.strings))
            made += value.to_bytes((param.bits + 7) // 8, "big")
        return made


@pytest.mark.parametrize("seed", range(300))
def test_the_bytes_are_those_of_messages(seed: int) -> None:
    made = Random(seed)
    table = made.table()
    entries = [made.entry(table) for _ in range(30)]
    form = Form(table)
    read = b"".join(given for given, _ in entries)
    found = list(form.all(read))
    whole = [one.match + one.does + one.priority + form.end for one in found]
    assert whole == [entry.SerializeToString(deterministic=True) for _, entry in entries]
    assert [form.entry(one) for one in found] == [entry for _, entry in entries]
    assert [one.key + one.place.to_bytes(4, "big") + one.action for one in found] == [given for given, _ in entries]
    some, at = form.take(read, 0, 7)
    assert (some, read[:at]) == (found[:7], b"".join(given for given, _ in entries[:7]))


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 1 << 31, (1 << 63) - 1, -1, -(1 << 63)])
def test_numbers(value: int) -> None:
    """int64, as CounterData has it."""
    assert number(1, value) == message("CounterData")(byte_count=value).SerializeToString()


@pytest.mark.parametrize("length", [0, 1, 120, 126, 127, 128, 200, 5000, 16384])
def test_beginnings(length: int) -> None:
    response, content = message("ReadResponse")(), bytes(length)
    field = response.entities.add().table_entry.match.add(field_id=300)
    field.exact.value = content
    made = Heads(1, (b"", 2), (number(1, 300), 2), (b"", 2), (b"", 1)).on(content)
    assert message("ReadResponse").FromString(made) == response
    assert made == response.SerializeToString() or not content  # a field of bytes that is empty is left out
    assert varint(length) == number(1, length)[1:] or not length


@pytest.mark.parametrize("seed", range(20))
def test_elements_that_are_near_are_read_together(seed: int) -> None:
    """Each that is asked for once, in order; between two runs there are more than are worth a request."""
    dice = random.Random(seed)
    asked = [dice.randrange(dice.choice((3, 60, 4000))) for _ in range(dice.randrange(40))]
    runs = list(_runs(asked))
    assert set(asked) <= {first + at for first, count in runs for at in range(count)}
    ends = [at for first, count in runs for at in (first, first + count - 1)]
    assert set(ends) <= set(asked) and ends == sorted(ends), "no run begins or ends with what nobody asks for"
    assert all(second[0] - (first[0] + first[1] - 1) > 16 for first, second in itertools.pairwise(runs))
    inside = sorted(set(asked))
    gaps = [later - at for at, later in itertools.pairwise(inside)]
    assert len(runs) == sum(gap > 16 for gap in gaps) + bool(inside)
