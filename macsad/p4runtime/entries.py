"""Table entries: from P4Runtime's form to that of UPDATE and READ, and back. P4Runtime spec 1.4.1 section 9.1."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message, message
from macsad.p4runtime.numbers import below, canonical, fixed, prefix_mask
from macsad.p4runtime.program import Action, Key, Table
from macsad.p4runtime.strings import to_controller, to_switch
from macsad.protocol import GROUP, MEMBER

_INDIRECT = {MEMBER: "action_profile_member_id", GROUP: "action_profile_group_id"}
_NAMED = {name: number for number, name in _INDIRECT.items()}
GIVEN_MAX = (1 << 32) - 1  # ids of members and groups that controllers give
_u16 = partial(struct.pack, ">H")
_u32 = partial(struct.pack, ">I")


def key_of(table: Table, entry: Message) -> bytes:
    """The key of an entry, its priority behind it, as the switch reads it. Raises: Refused."""
    matches = entry.match
    if tuple([match.field_id for match in matches]) == table.key_ids:  # as mostly
        parts = [_field(table, key, match) for key, match in zip(table.keys, matches, strict=True)]
    else:
        given = {match.field_id: match for match in matches}
        if len(given) != len(matches):
            raise Refused(Code.INVALID_ARGUMENT, f"a field of {table.name} is matched twice")
        parts = [_field(table, key, given.pop(key.id, None)) for key in table.keys]
        if given:
            raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no field {min(given)}")
    if table.has_priority:
        if entry.priority <= 0:
            raise Refused(Code.INVALID_ARGUMENT, f"an entry of {table.name} needs a priority above 0")
        parts.append(_u32(entry.priority))
    elif table.actions and entry.priority:
        raise Refused(Code.INVALID_ARGUMENT, f"entries of {table.name} have no priorities")
    return b"".join(parts)


def _field(table: Table, key: Key, match: Message | None) -> bytes:
    if match is None:
        return _anything(table, key)
    kind = match.WhichOneof("field_match_type")
    if kind != key.kind:
        raise Refused(Code.INVALID_ARGUMENT, f"{key.name} of {table.name} is matched {key.kind}, not {kind}")
    size = (key.bits + 7) // 8
    if kind == "exact":
        return to_switch(match.exact.value, key.bits, key.strings)
    if kind == "optional":
        return to_switch(match.optional.value, key.bits, key.strings) + prefix_mask(key.bits, key.bits)
    if key.strings is not None:
        raise Refused(Code.UNIMPLEMENTED, f"{key.name} has strings as values, which are matched exactly")
    if kind == "lpm":
        length, value = match.lpm.prefix_len, fixed(match.lpm.value, key.bits)
        if not 0 < length <= key.bits:
            raise Refused(Code.INVALID_ARGUMENT, f"a prefix of {key.name} has 1 to {key.bits} bits; leave out 0")
        if not below(value, prefix_mask(length, key.bits)):
            raise Refused(Code.INVALID_ARGUMENT, f"the value of {key.name} has bits behind its prefix")
        return value + _u16(length)
    if kind == "ternary":
        value, mask = fixed(match.ternary.value, key.bits), fixed(match.ternary.mask, key.bits)
        if mask == bytes(size):
            raise Refused(Code.INVALID_ARGUMENT, f"the mask of {key.name} is 0; leave the field out")
        if not below(value, mask):
            raise Refused(Code.INVALID_ARGUMENT, f"the value of {key.name} has bits outside of its mask")
        return value + mask
    low, high = fixed(match.range.low, key.bits), fixed(match.range.high, key.bits)
    if low > high:
        raise Refused(Code.INVALID_ARGUMENT, f"the range of {key.name} is empty")
    if (low, high) == (bytes(size), prefix_mask(key.bits, key.bits)):
        raise Refused(Code.INVALID_ARGUMENT, f"the range of {key.name} is all values; leave the field out")
    return low + high


def _anything(table: Table, key: Key) -> bytes:
    size = (key.bits + 7) // 8
    match key.kind:
        case "lpm":
            return bytes(size + 2)
        case "ternary" | "optional":
            return bytes(2 * size)
        case "range":
            return bytes(size) + prefix_mask(key.bits, key.bits)
    raise Refused(Code.INVALID_ARGUMENT, f"{key.name} of {table.name} is missing")


def action_of(table: Table, given: Message, in_default: bool) -> bytes:
    """A TableAction as the switch reads it. Raises: Refused."""
    kind = given.WhichOneof("type")
    if kind in _NAMED and table.info.implementation_id:
        if not (named := getattr(given, kind)):
            raise Refused(Code.INVALID_ARGUMENT, "members and groups have ids above 0")
        return of_member(named) if kind == _INDIRECT[MEMBER] else of_group(named)
    if kind != "action":
        what = "without an action" if kind is None else f"with {kind}"
        raise Refused(Code.INVALID_ARGUMENT, f"an entry of {table.name} {what}")
    if table.info.implementation_id and not in_default:
        raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has an action profile: its entries name members")
    return call_of(table, given.action, in_default)


def of_member(number: int) -> bytes:
    """The action of an entry that names the member with this id."""
    return _u32(MEMBER) + number.to_bytes(8, "big")


def of_group(number: int) -> bytes:
    """The same of a group."""
    return _u32(GROUP) + number.to_bytes(8, "big")


def group_in(read: bytes) -> int:
    """The id of the group that an action as the switch gives it names; 0: it names none."""
    return int.from_bytes(read[4:12], "big") if read[:4] == _u32(GROUP) else 0


def call_of(table: Table, call: Message, in_default: bool) -> bytes:
    """An Action as the switch reads it. Raises: Refused."""
    action = table.actions.get(call.action_id)
    if action is None:
        raise Refused(Code.INVALID_ARGUMENT, f"{table.name} has no action {call.action_id}")
    if not (action.in_default if in_default else action.in_entries):
        where = "the default entry" if in_default else "entries"
        raise Refused(Code.PERMISSION_DENIED, f"{action.name} is not for {where} of {table.name}")
    given = call.params
    if tuple([param.param_id for param in given]) == action.param_ids:  # as mostly
        pairs = zip(given, action.params, strict=True)
        return action.head + b"".join([to_switch(g.value, p.bits, p.strings) for g, p in pairs])
    values = {param.param_id: param.value for param in given}
    if len(values) != len(given) or len(values) != len(action.params):
        raise Refused(Code.INVALID_ARGUMENT, f"{action.name} needs {len(action.params)} parameters, each once")
    try:
        return action.head + b"".join([to_switch(values[p.id], p.bits, p.strings) for p in action.params])
    except KeyError as missing:
        raise Refused(Code.INVALID_ARGUMENT, f"parameter {missing} of {action.name} is missing") from None


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that READ has given: its key and its action as the switch has them, and its index."""

    entity: Message  # that the entry is in
    entry: Message
    index: int
    key: bytes
    action: bytes


def entries_of(table: Table, read: bytes) -> Iterator[Found]:
    """The entries of a part that READ has given."""
    at = 0
    make = message("Entity")
    while at < len(read):
        start = at
        entity = make()
        entry = entity.table_entry
        entry.table_id = table.id
        for key in table.keys:
            at = _add_field(entry, key, read, at)
        if table.has_priority:
            (entry.priority,) = struct.unpack_from(">i", read, at)
            at += 4
        (index,) = struct.unpack_from(">I", read, at)
        behind = add_action(table, entry, read, at + 4) if table.actions else at + 4
        if table.const_entries:
            entry.is_const = True
        yield Found(entity, entry, index, read[start:at], read[at + 4 : behind])
        at = behind


def _add_field(entry: Message, key: Key, read: bytes, at: int) -> int:
    size = (key.bits + 7) // 8
    value, at = read[at : at + size], at + size
    if key.kind == "exact":
        entry.match.add(field_id=key.id).exact.value = to_controller(value, key.strings)
        return at
    if key.kind == "lpm":
        (length,) = struct.unpack_from(">H", read, at)
        if length:
            lpm = entry.match.add(field_id=key.id).lpm
            lpm.value, lpm.prefix_len = canonical(value), length
        return at + 2
    second, at = read[at : at + size], at + size
    if key.kind == "range":
        if (value, second) != (bytes(size), prefix_mask(key.bits, key.bits)):
            span = entry.match.add(field_id=key.id).range
            span.low, span.high = canonical(value), canonical(second)
    elif second != bytes(size):
        match = entry.match.add(field_id=key.id)
        if key.kind == "optional":
            match.optional.value = to_controller(value, key.strings)
        else:
            match.ternary.value, match.ternary.mask = canonical(value), canonical(second)
    return at


def add_action(table: Table, entry: Message, read: bytes, at: int) -> int:
    """Put the action that stands there into the entry: where it ends."""
    (number,) = struct.unpack_from(">I", read, at)
    at += 4
    if number in _INDIRECT:
        (named,) = struct.unpack_from(">Q", read, at)
        if named <= GIVEN_MAX:  # else the caller knows what it stands for
            setattr(entry.action, _INDIRECT[number], named)
        return at + 8
    action: Action | None = table.by_number.get(number)
    if action is None:
        return at  # nothing is run
    entry.action.action.action_id = action.id
    params = entry.action.action.params
    for param in action.params:
        size = (param.bits + 7) // 8
        params.add(param_id=param.id, value=to_controller(read[at : at + size], param.strings))
        at += size
    return at
