"""Table entries that the switch gives: from READ's form to that of P4Runtime's messages. P4Runtime spec 1.4.1 section 9.1.

A table may have a million of them, so they become bytes (wire.py) without objects between: what of a field is the same in all
entries is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.numbers import canonical, prefix_mask
from macsad.p4runtime.program import Action, Key, Table
from macsad.p4runtime.strings import to_controller
from macsad.p4runtime.wire import Heads, number
from macsad.protocol import GROUP, MEMBER

GIVEN_MAX = (1 << 32) - 1  # ids of members and groups that controllers give
TOGETHER = 500  # entries that are made at a time
_KEPT_MAX = 4096  # actions that are kept
_GROUP = GROUP.to_bytes(4, "big")
_INDIRECT = {MEMBER.to_bytes(4, "big"): 2, _GROUP: 3}  # the field of TableAction
_TABLE_ID, _MATCH, _ACTION, _PRIORITY, _IS_CONST = 1, 2, 3, 4, 13  # of TableEntry
_CALL = Heads(1, (b"", _ACTION))
_VALUE, _SECOND = Heads(1), Heads(2)  # of FieldMatch.Ternary and FieldMatch.Range
_Encode = Callable[[bytes], bytes]


class Found(NamedTuple):
    """An entry: parts of its TableEntry, and what the switch has told of it."""

    match: bytes  # with the table's id
    does: bytes  # its action; nothing for a group or a member that no controller has named
    priority: bytes
    place: int  # the index of its direct counter and meter
    key: bytes
    action: bytes


class Form:
    """How the entries of a table, or the members of a value set, are made."""

    def __init__(self, table: Table) -> None:
        self.end = number(_IS_CONST, 1) if table.const_entries else b""  # of each TableEntry
        self.table = number(_TABLE_ID, table.id)
        self._fields = [_field(key) for key in table.keys]
        self._has_priority, self._has_action = table.has_priority, bool(table.actions)
        self._calls = {action.number.to_bytes(4, "big"): _Call(action) for action in table.by_number.values()}
        self._kept: dict[bytes, bytes] = {}

    def take(self, read: bytes, at: int, most: int) -> tuple[list[Found], int]:
        """So many of the entries that stand there at most, and where they end."""
        found: list[Found] = []
        fields, has_priority, kept = self._fields, self._has_priority, self._kept
        does = action = priority = b""
        while at < len(read) and len(found) < most:
            start, match = at, self.table
            for size, encode in fields:
                match += encode(read[at : at + size])
                at += size
            if has_priority:
                priority = number(_PRIORITY, int.from_bytes(read[at : at + 4], "big"))
                at += 4
            key = read[start:at]
            index = int.from_bytes(read[at : at + 4], "big")
            at += 4
            if self._has_action:
                action = read[at : at + self._bytes(read[at : at + 4])]
                at += len(action)
                does = kept.get(action) or self.does(action)
            found.append(Found(match, does, priority, index, key, action))
        return found, at

    def all(self, read: bytes) -> Iterator[Found]:
        """The entries of a part that READ has given."""
        at = 0
        while at < len(read):
            found, at = self.take(read, at, TOGETHER)
            yield from found

    def entry(self, found: Found) -> Message:
        """Its TableEntry."""
        return message("TableEntry").FromString(found.match + found.does + found.priority + self.end)

    # --- actions -----------------------------------------------------------------------------------------------------

    def action_at(self, read: bytes, at: int) -> bytes:
        """The action that stands there."""
        return read[at : at + self._bytes(read[at : at + 4])]

    def _bytes(self, head: bytes) -> int:
        if head in self._calls:
            return self._calls[head].size
        return 12 if head in _INDIRECT else 4  # 4: nothing is run

    def does(self, action: bytes) -> bytes:
        """The field of TableEntry that an action is."""
        head = action[:4]
        if head in _INDIRECT:
            named = int.from_bytes(action[4:12], "big")  # above those the caller knows what it stands for
            return Heads(_ACTION).on(number(_INDIRECT[head], named)) if named <= GIVEN_MAX else b""
        if head not in self._calls:
            return b""
        call = self._calls[head]
        made = _CALL.on(call.encode(action))
        if not call.has_strings:  # what they stand for may change
            if len(self._kept) >= _KEPT_MAX:
                self._kept.clear()
            self._kept[action] = made
        return made

    def call(self, action: bytes) -> Message:
        """The Action, which names no member and no group."""
        return message("TableEntry").FromString(self.does(action)).action.action


def form_of(table: Table) -> Form:
    """That of a table, which is made when it is first needed."""
    if not isinstance(table.form, Form):
        table.form = Form(table)
    return table.form


def group_in(action: bytes) -> int:
    """The id of the group that an action as the switch gives it names; 0: it names none."""
    return int.from_bytes(action[4:12], "big") if action[:4] == _GROUP else 0


class _Call:
    """An action with its parameters, as an Action."""

    def __init__(self, action: Action) -> None:
        self._id = number(1, action.id)
        self._params = [
            ((param.bits + 7) // 8, param.strings, Heads(3, (number(2, param.id), 4))) for param in action.params
        ]
        self.size = 4 + sum(size for size, _, _ in self._params)
        self.has_strings = any(strings is not None for _, strings, _ in self._params)

    def encode(self, action: bytes) -> bytes:
        at, made = 4, self._id
        for size, strings, heads in self._params:
            made += heads.on(to_controller(action[at : at + size], strings))
            at += size
        return made


# --- fields ----------------------------------------------------------------------------------------------------------


def _field(key: Key) -> tuple[int, _Encode]:
    """The bytes of a field of a key in READ's form, and what makes the fields of TableEntry of them that it is: none where
    anything matches."""
    size, around = (key.bits + 7) // 8, (number(1, key.id), _MATCH)
    match key.kind:
        case "exact":
            heads = Heads(1, (b"", 2), around)
            if key.strings is None:
                return size, partial(_exact, heads)
            return size, lambda read: heads.on(to_controller(read, key.strings))
        case "lpm":
            return size + 2, _lpm(size, Heads(4, around))
        case "range":
            return 2 * size, _range(size, Heads(6, around), prefix_mask(key.bits, key.bits))
        case "optional":
            heads, anything = Heads(1, (b"", 7), around), bytes(size)
            return (
                2 * size,
                lambda read: heads.on(to_controller(read[:size], key.strings)) if read[size:] != anything else b"",
            )
        case _:
            return 2 * size, _ternary(size, Heads(3, around))


def _exact(heads: Heads, read: bytes) -> bytes:
    value = read.lstrip(b"\0") or b"\0"
    return heads[len(value)] + value


def _lpm(size: int, heads: Heads) -> _Encode:
    def encode(read: bytes) -> bytes:
        length = int.from_bytes(read[size:], "big")
        return heads.on(_VALUE.on(canonical(read[:size])) + number(2, length)) if length else b""

    return encode


def _ternary(size: int, heads: Heads) -> _Encode:
    anything = bytes(size)

    def encode(read: bytes) -> bytes:
        if read[size:] == anything:
            return b""
        return heads.on(_VALUE.on(canonical(read[:size])) + _SECOND.on(canonical(read[size:])))

    return encode


def _range(size: int, heads: Heads, most: bytes) -> _Encode:
    anything = bytes(size) + most

    def encode(read: bytes) -> bytes:
        if read == anything:
            return b""
        return heads.on(_VALUE.on(canonical(read[:size])) + _SECOND.on(canonical(read[size:])))

    return encode
