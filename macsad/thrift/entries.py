"""Keys, actions and entries between Thrift's structs and the forms of the control socket (docs/control.md)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from macsad.thrift.described import Struct, standard
from macsad.thrift.refusals import Refused
from macsad.thrift.switch import Action, Field, Table

_KINDS = standard.BmMatchParamType
MEMBER, GROUP = 0xFFFFFFFE, 0xFFFFFFFD  # in place of an action's number
MADE_BY_COMMAND = 1 << 63  # in the id of a member or a group; its handle is the rest
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


class Reader:
    """Reads entries of a table from bytes."""

    def __init__(self, table: Table, data: bytes) -> None:
        self.table, self._data, self._at = table, data, 0

    @property
    def more(self) -> bool:
        """There is another entry."""
        return self._at < len(self._data)

    def _take(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self, count: int) -> int:
        return int.from_bytes(self._take(count), "big")

    def rules(self) -> Iterator[tuple[Struct, bytes, int]]:
        """All of them."""
        while self.more:
            yield self.rule()

    def rule(self) -> tuple[Struct, bytes, int]:
        """An entry with its handle: as BmMtEntry, its key as it is in messages, its index."""
        handle, first = self._number(8), self._at
        key = [self._param(field) for field in self.table.key]
        priority = _TOP - self._number(4) if self.table.has_priority else -1
        raw = self._data[first : self._at]
        index = self._number(4)
        entry = standard.BmMtEntry(
            match_key=key,
            options=standard.BmAddEntryOptions(priority=priority),
            entry_handle=signed(handle),
            action_entry=self.action() if self.table.actions else None,
        )
        return entry, raw, index

    def _param(self, field: Field) -> Struct:
        first = self._take(field.bytes)
        if field.kind == "exact":
            return standard.BmMatchParam(type=_KINDS.EXACT, exact=standard.BmMatchParamExact(key=first))
        if field.kind == "lpm":
            prefix = standard.BmMatchParamLPM(key=first, prefix_length=self._number(2))
            return standard.BmMatchParam(type=_KINDS.LPM, lpm=prefix)
        second = self._take(field.bytes)
        if field.kind == "range":
            ends = standard.BmMatchParamRange(start=first, end_=second)
            return standard.BmMatchParam(type=_KINDS.RANGE, range=ends)
        masked = standard.BmMatchParamTernary(key=first, mask=second)
        return standard.BmMatchParam(type=_KINDS.TERNARY, ternary=masked)

    def default(self) -> Struct:
        """The default entry, as BmActionEntry."""
        self._take(4)
        return self.action()

    def _handle(self) -> int:
        """Of a member or a group, from its id."""
        return self._number(8) & 0xFFFFFFFF

    def action(self) -> Struct:
        """BmActionEntry."""
        number, types = self._number(4), standard.BmActionEntryType
        if number == MEMBER:
            return standard.BmActionEntry(action_type=types.MBR_HANDLE, mbr_handle=self._handle())
        if number == GROUP:
            return standard.BmActionEntry(action_type=types.GRP_HANDLE, grp_handle=self._handle())
        if number >= len(self.table.actions):
            return standard.BmActionEntry(action_type=types.NONE)
        action = self.table.actions[number]
        data = [self._take(param.bytes) for param in action.params]
        return standard.BmActionEntry(action_type=types.ACTION_DATA, action_name=action.name, action_data=data)
