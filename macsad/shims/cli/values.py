"""Values, keys and parameters as they are written in commands, as bytes and as Thrift's structs."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from macsad.shims.cli.program import Action, Field, Table
from macsad.shims.cli.wrong import Wrong
from macsad.thrift.described import Struct, standard

_TYPES = standard.BmMatchParamType


class _Bad(Exception):
    """Why a value is not one."""


def _value(word: str, bits: int) -> bytes:
    """A number; of 32, 48 or 128 bits also an address. Raises: _Bad."""
    size = (bits + 7) // 8
    if bits == 32 and "." in word:
        return _address(ipaddress.IPv4Address, word, "IPv4")
    if bits == 128 and ":" in word:
        return _address(ipaddress.IPv6Address, word, "IPv6")
    if bits == 48 and ":" in word:
        return _mac(word)
    try:
        number = int(word, 0)
    except ValueError:
        raise _Bad("Invalid input, could not cast to integer, try in hex with 0x prefix") from None
    if number < 0 or number >> 8 * size:
        raise _Bad("Parameter is too large")
    return number.to_bytes(size, "big")


def _address(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], word: str, what: str) -> bytes:
    try:
        return kind(word).packed
    except ValueError:
        raise _Bad(f"Invalid {what} address") from None


def _mac(word: str) -> bytes:
    parts = word.split(":")
    try:
        if len(parts) == 6:
            return bytes(int(part, 16) for part in parts)
    except ValueError:
        pass
    raise _Bad("Invalid MAC address")


def shown(value: bytes) -> str:
    """As commands print what they were given."""
    return ":".join(f"{byte:02x}" for byte in value)


# --- parameters -------------------------------------------------------------------------------------------------------


def runtime_data(action: Action, words: Sequence[str]) -> list[bytes]:
    """Raises: Wrong."""
    if len(words) != len(action.params):
        raise Wrong(f"Action {action.name} needs {len(action.params)} parameters")
    try:
        return [_told(word, param.bits) for word, param in zip(words, action.params, strict=True)]
    except _Bad as bad:
        raise Wrong(str(bad), "Invalid runtime data") from None


def _told(word: str, bits: int) -> bytes:
    try:
        return _value(word, bits)
    except _Bad as bad:
        raise _Bad(f"Error while parsing {word} - {bad}") from None


# --- keys -------------------------------------------------------------------------------------------------------------


def match_key(table: Table, words: Sequence[str]) -> list[Struct]:
    """BmMatchParam of each field. Raises: Wrong."""
    if len(words) != len(table.key):
        raise Wrong(f"Table {table.name} needs {len(table.key)} key fields")
    try:
        return [_param(field, word) for field, word in zip(table.key, words, strict=True)]
    except _Bad as bad:
        raise Wrong(str(bad), "Invalid match key") from None


def _param(field: Field, word: str) -> Struct:
    if field.kind == "lpm":
        value, length = _cut(word, "/", "LPM", "prefix and length")
        prefix = standard.BmMatchParamLPM(key=_told(value, field.bits), prefix_length=_length(length))
        return standard.BmMatchParam(type=_TYPES.LPM, lpm=prefix)
    if field.kind == "ternary":
        value, mask = _cut(word, "&&&", "ternary", "key and mask")
        masked = standard.BmMatchParamTernary(key=_told(value, field.bits), mask=_told(mask, field.bits))
        return standard.BmMatchParam(type=_TYPES.TERNARY, ternary=masked)
    if field.kind == "range":
        ends = [_told(end, field.bits) for end in _cut(word, "->", "range", "range start and range end")]
        if ends[0] > ends[1]:
            raise _Bad(f"start is less than end in expression {word}")
        return standard.BmMatchParam(type=_TYPES.RANGE, range=standard.BmMatchParamRange(start=ends[0], end_=ends[1]))
    if field.kind == "valid":
        return standard.BmMatchParam(type=_TYPES.VALID, valid=standard.BmMatchParamValid(key=_told(word, 1) != b"\0"))
    return standard.BmMatchParam(type=_TYPES.EXACT, exact=standard.BmMatchParamExact(key=_told(word, field.bits)))


def _cut(word: str, mark: str, kind: str, parts: str) -> tuple[str, str]:
    first, found, second = word.partition(mark)
    if not found or mark in second:
        raise _Bad(f"Invalid {kind} value {word}, use '{mark}' to separate {parts}")
    return first, second


def _length(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise _Bad(f"Invalid LPM value, '{word}' is no length") from None


def shown_param(param: Struct) -> str:
    """As table_add prints what it was given."""
    kind = _TYPES._VALUES_TO_NAMES[param.type]
    if param.lpm:
        return f"{kind}-{shown(param.lpm.key)}/{param.lpm.prefix_length}"
    if param.ternary:
        return f"{kind}-{shown(param.ternary.key)} &&& {shown(param.ternary.mask)}"
    if param.range:
        return f"{kind}-{shown(param.range.start)} -> {shown(param.range.end_)}"
    return f"{kind}-{shown(param.exact.key) if param.exact else ''}"


def dumped_param(param: Struct) -> str:
    """As dumps print it."""
    if param.lpm:
        return f"{param.lpm.key.hex()}/{param.lpm.prefix_length}"
    if param.ternary:
        return f"{param.ternary.key.hex()} &&& {param.ternary.mask.hex()}"
    if param.range:
        return f"{param.range.start.hex()} -> {param.range.end_.hex()}"
    if param.valid:
        return "01" if param.valid.key else "00"
    return str(param.exact.key.hex())


# --- value sets, maps of ports ----------------------------------------------------------------------------------------


def set_value(word: str, bits: int) -> bytes:
    """A value of a parser value set. Raises: Wrong."""
    try:
        number = int(word, 0)
    except ValueError:
        raise Wrong("Invalid input, could not cast to integer, try in hex with 0x prefix") from None
    if number < 0 or number >> bits:
        raise Wrong(f"Input is too large, it should fit within {bits} bits")
    return number.to_bytes((bits + 7) // 8, "big")


def port_map(words: Sequence[str], what: str = "port") -> str:
    """A digit for each number, 0 last. Raises: Wrong."""
    numbers = []
    for word in words:
        if not word.isdecimal() or int(word) >= 1 << 16:
            raise Wrong(f"'{word}' is not a valid {what} number")
        if int(word) in numbers:
            raise Wrong(f"Found duplicate {what} number '{int(word)}'")
        numbers.append(int(word))
    return "".join("1" if one in numbers else "0" for one in range(max(numbers, default=-1), -1, -1))
