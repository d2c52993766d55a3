"""Keys, actions and entries between Thrift's structs and the forms of the control socket (docs/control.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from macsad.described import Action, Call, Field, Match, Reader, Table
from macsad.protocol import GROUP, MEMBER
from macsad.thrift.described import Struct, standard
from macsad.thrift.refusals import Refused

_KINDS = standard.BmMatchParamType
_TOP = (1 << 31) - 1  # larger priorities win on the wire, smaller ones in commands and in Thrift


def signed(number: int, bits: int = 32) -> int:
    """A number as Thrift has it, which has no numbers without a sign."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def unsigned(number: int, bits: int = 32) -> int:
    return number & ((1 << bits) - 1)


def _bad_key(why: str) -> Refused:
    return Refused(why, "BAD_MATCH_KEY")


def _hex(value: bytes) -> str:
    return f"0x{value.hex()}"


def _sized(value: bytes, field: Field) -> bytes:
    if len(value) != field.bytes or int.from_bytes(value, "big") >> field.bits:
        raise _bad_key(f"{field.name} has {field.bits} bits")
    return value


def _checked(table: Table, params: Sequence[Struct]) -> Iterator[tuple[Field, Struct]]:
    if len(params) != len(table.key):
        raise _bad_key(f"{table.name} needs {len(table.key)} key fields")
    yield from zip(table.key, params, strict=True)


def _pair(field: Field, param: Struct) -> tuple[bytes, bytes]:
    """Value and mask, or both ends of a range."""
    given = param.range if field.kind == "range" else param.ternary
    wanted = _KINDS.RANGE if field.kind == "range" else _KINDS.TERNARY
    if param.type != wanted or given is None:
        raise _bad_key(f"{field.name} is matched {field.kind}")
    first, second = (given.start, given.end_) if field.kind == "range" else (given.key, given.mask)
    return _sized(first, field), _sized(second, field)


def _exact(field: Field, param: Struct) -> bytes:
    if param.type == _KINDS.VALID and param.valid is not None and field.bits == 1:
        return bytes([param.valid.key])
    if param.type != _KINDS.EXACT or param.exact is None:
        raise _bad_key(f"{field.name} is matched {field.kind}")
    return _sized(param.exact.key, field)


def _prefix(field: Field, param: Struct) -> tuple[bytes, int]:
    if param.type != _KINDS.LPM or param.lpm is None or not 0 <= param.lpm.prefix_length <= field.bits:
        raise _bad_key(f"{field.name} is matched lpm")
    return _sized(param.lpm.key, field), param.lpm.prefix_length


def _mask(field: Field, length: int) -> int:
    return ((1 << length) - 1) << (field.bits - length)


def key_words(table: Table, params: Sequence[Struct]) -> list[str]:
    """A key as commands have it. Raises: Refused."""
    words = []
    for field, param in _checked(table, params):
        if field.kind == "exact":
            words.append(_hex(_exact(field, param)))
        elif field.kind == "lpm":
            value, length = _prefix(field, param)
            words.append(f"{_hex(value)}/{length}")
        else:
            first, second = _pair(field, param)
            words.append(_pair_word(field, first, second))
    return words


def _pair_word(field: Field, first: bytes, second: bytes) -> str:
    if field.kind == "range":
        if first > second:
            raise _bad_key(f"the range of {field.name} is empty")
        return f"{_hex(first)}->{_hex(second)}"
    if field.kind == "ternary":
        return f"{_hex(first)}&&&{_hex(second)}"
    whole = _mask(field, field.bits)
    if int.from_bytes(second, "big") not in (0, whole):
        raise _bad_key(f"{field.name} is optional: its mask is all or nothing")
    return _hex(first) if any(second) else "*"


def key_bytes(table: Table, params: Sequence[Struct], priority: int) -> bytes:
    """A key as messages have it. Raises: Refused."""
    parts = []
    for field, param in _checked(table, params):
        if field.kind == "exact":
            parts.append(_exact(field, param))
        elif field.kind == "lpm":
            value, length = _prefix(field, param)
            masked = int.from_bytes(value, "big") & _mask(field, length)
            parts.append(masked.to_bytes(field.bytes, "big") + struct.pack(">H", length))
        else:
            parts += _masked(field, *_pair(field, param))
    if table.has_priority:
        parts.append(struct.pack(">i", _TOP - priority))
    return b"".join(parts)


def _masked(field: Field, first: bytes, second: bytes) -> tuple[bytes, bytes]:
    if field.kind == "range":
        return first, second
    return bytes(a & b for a, b in zip(first, second, strict=True)), second


def data_words(action: Action, data: Sequence[bytes]) -> list[str]:
    """Parameters as commands have them; bits that a parameter has no room for are cut off, as BMv2 does. Raises: Refused."""
    if len(data) != len(action.params):
        raise Refused(f"{action.name} needs {len(action.params)} parameters", "BAD_ACTION_DATA")
    return [
        f"0x{unsigned(int.from_bytes(value, 'big'), field.bits):x}"
        for field, value in zip(action.params, data, strict=True)
    ]


def rules(table: Table, data: bytes) -> Iterator[tuple[Struct, bytes, int]]:
    """Entries with their handles: each as BmMtEntry, its key as it is in messages, its index."""
    reader = Reader(table, data)
    while reader.more:
        handle = reader.number(8)
        matches, priority, raw = reader.key()
        index = reader.number(4)
        entry = standard.BmMtEntry(
            match_key=[_param(match) for match in matches],
            options=standard.BmAddEntryOptions(priority=-1 if priority is None else _TOP - priority),
            entry_handle=signed(handle),
            action_entry=_action(table, reader.call()) if table.actions else None,
        )
        yield entry, raw, index


def default(table: Table, data: bytes) -> Struct:
    """The default entry, as BmActionEntry."""
    reader = Reader(table, data)
    reader.number(4)
    return _action(table, reader.call())


def _param(match: Match) -> Struct:
    if match.field.kind == "exact":
        return standard.BmMatchParam(type=_KINDS.EXACT, exact=standard.BmMatchParamExact(key=match.value))
    if match.field.kind == "lpm":
        prefix = standard.BmMatchParamLPM(key=match.value, prefix_length=int.from_bytes(match.second, "big"))
        return standard.BmMatchParam(type=_KINDS.LPM, lpm=prefix)
    if match.field.kind == "range":
        ends = standard.BmMatchParamRange(start=match.value, end_=match.second)
        return standard.BmMatchParam(type=_KINDS.RANGE, range=ends)
    masked = standard.BmMatchParamTernary(key=match.value, mask=match.second)
    return standard.BmMatchParam(type=_KINDS.TERNARY, ternary=masked)


def _action(table: Table, call: Call) -> Struct:
    """BmActionEntry. Of a member or a group, the id has its handle."""
    types, handle = standard.BmActionEntryType, signed(call.named)
    if call.number == MEMBER:
        return standard.BmActionEntry(action_type=types.MBR_HANDLE, mbr_handle=handle)
    if call.number == GROUP:
        return standard.BmActionEntry(action_type=types.GRP_HANDLE, grp_handle=handle)
    if call.number >= len(table.actions):
        return standard.BmActionEntry(action_type=types.NONE)
    name = table.actions[call.number].name
    return standard.BmActionEntry(action_type=types.ACTION_DATA, action_name=name, action_data=list(call.data))
