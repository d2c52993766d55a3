"""Table entries: from P4Runtime's form to that of UPDATE and READ (found.py has the way back). P4Runtime spec 1.4.1
section 9.1."""

from __future__ import annotations

import struct
from functools import partial

from macsad.p4runtime.codes import Code, Refused
from macsad.p4runtime.messages import Message
from macsad.p4runtime.numbers import below, fixed, prefix_mask
from macsad.p4runtime.program import Key, Table
from macsad.p4runtime.strings import to_switch
from macsad.protocol import GROUP, MEMBER

_INDIRECT = {MEMBER: "action_profile_member_id", GROUP: "action_profile_group_id"}
NAMED = {name: number for number, name in _INDIRECT.items()}
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
    if kind in NAMED and table.info.implementation_id:
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
