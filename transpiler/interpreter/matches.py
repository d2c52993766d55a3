"""What a table entry says about one key field, and whether a value matches it."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.hlir import expressions as ex
from transpiler.hlir.arithmetic import number, ones
from transpiler.hlir.program import MatchKind, TableKey, ValueSet
from transpiler.hlir.types import Bits, width_of
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.state import State


@dataclass(frozen=True, slots=True)
class Exact:
    """value == key"""

    value: int

    def takes(self, value: int, type_: Bits) -> bool:
        """Whether a key's value is in the set; `type_` is the key's type as bits."""
        return value == self.value


@dataclass(frozen=True, slots=True)
class Prefix:
    """The `length` most significant bits of value and key are the same."""

    value: int
    length: int

    def takes(self, value: int, type_: Bits) -> bool:
        """See Exact."""
        behind = type_.width - self.length
        return value >> behind == self.value >> behind


@dataclass(frozen=True, slots=True)
class Ternary:
    """value and key are the same where mask has ones. Optional keys have it too: the mask is full or 0."""

    value: int
    mask: int

    def takes(self, value: int, type_: Bits) -> bool:
        """See Exact."""
        return value & self.mask == self.value & self.mask


@dataclass(frozen=True, slots=True)
class Range:
    """low <= key <= high, by the sign of the key's type. low above high matches nothing."""

    low: int
    high: int

    def takes(self, value: int, type_: Bits) -> bool:
        """See Exact."""
        return number(self.low, type_) <= number(value, type_) <= number(self.high, type_)


Match = Exact | Prefix | Ternary | Range

PRIORITY_KINDS = frozenset({MatchKind.TERNARY, MatchKind.RANGE, MatchKind.OPTIONAL})


def key_bits(key: TableKey) -> Bits:
    """The key's type as bits: bools and enums are unsigned numbers."""
    type_ = key.expression.type
    return type_ if isinstance(type_, Bits) else Bits(width_of(type_))


def member_keys(value_set: ValueSet) -> tuple[TableKey, ...]:
    """The fields of a parser value set as keys, which its members match like entries."""
    fields = zip(value_set.types, value_set.match_kinds, strict=True)
    return tuple(
        TableKey(ex.Const(0, type_, value_set.span), kind, f"{value_set.name}[{i}]", value_set.span)
        for i, (type_, kind) in enumerate(fields)
    )


def normalised(match: Match, key: TableKey) -> Match:
    """The match in the one form of its key's kind, bits that do not count zero, so that equal sets compare equal.

    Raises: ValueError when the kind does not have such a match, or when a number does not fit the key.
    """
    width = key_bits(key).width
    _check_fits(match, key.name, width)
    full = ones(width)
    match key.match_kind, match:
        case ((MatchKind.EXACT | MatchKind.VALID), Exact()):
            return match
        case MatchKind.LPM, (Prefix() | Exact()):
            length = match.length if isinstance(match, Prefix) else width
            return Prefix(match.value & (full ^ full >> length), length)
        case MatchKind.TERNARY, (Exact() | Ternary() | Prefix()):
            cared = _mask_of(match, full)
            return Ternary(match.value & cared, cared)
        case MatchKind.OPTIONAL, (Exact() | Ternary()) if _mask_of(match, full) in (0, full):
            cared = _mask_of(match, full)
            return Ternary(match.value & cared, cared)
        case MatchKind.RANGE, Range():
            return match
        case MatchKind.RANGE, Exact(value=value):
            return Range(value, value)
        case MatchKind.RANGE, Ternary(mask=0):
            return _whole_range(key_bits(key))
    raise ValueError(
        f"{key.name} is matched by {key.match_kind.value}, which has no {type(match).__name__.lower()} match"
    )


def _mask_of(match: Exact | Ternary | Prefix, full: int) -> int:
    match match:
        case Exact():
            return full
        case Ternary(mask=cared):
            return cared
        case Prefix(length=length):
            return full ^ full >> length


def _check_fits(match: Match, name: str, width: int) -> None:
    numbers: tuple[int, ...]
    match match:
        case Exact(value=value):
            numbers = (value,)
        case Prefix(value=value, length=length):
            numbers = (value,)
            if not 0 <= length <= width:
                raise ValueError(f"{name}: a prefix of {length} bits in a key of {width}")
        case Ternary(value=low, mask=high) | Range(low=low, high=high):
            numbers = (low, high)
    for value in numbers:
        if not 0 <= value <= ones(width):
            raise ValueError(f"{name}: {value:#x} does not fit in {width} bits")


def wildcard(key: TableKey) -> Match | None:
    """The match that takes every value of the key; None for kinds without one."""
    type_ = key_bits(key)
    match key.match_kind:
        case MatchKind.LPM:
            return Prefix(0, 0)
        case MatchKind.TERNARY | MatchKind.OPTIONAL:
            return Ternary(0, 0)
        case MatchKind.RANGE:
            return _whole_range(type_)
        case _:
            return None


def _whole_range(type_: Bits) -> Range:
    lowest = 1 << (type_.width - 1) if type_.signed and type_.width else 0
    return Range(lowest, ones(type_.width) ^ lowest)


def of_key_set(keys: ex.KeySet, key: TableKey, state: State) -> Match:
    """A constant entry's key set as the match of its key. Raises: ValueError when the kind has no such set."""
    width = key_bits(key).width
    found: Match | None
    match keys:
        case ex.AnySet():
            found = wildcard(key)
        case ex.ExactSet(value=value):
            found = Exact(evaluate(value, state))
        case ex.MaskSet(value=value, mask=cared):
            found = _of_mask(evaluate(value, state), evaluate(cared, state), key, width)
        case ex.RangeSet(low=low, high=high):
            found = Range(evaluate(low, state), evaluate(high, state))
        case ex.ValueSetRef():
            found = None
    if found is None:
        raise ValueError(f"{key.name} is matched by {key.match_kind.value}, which has no such set")
    return normalised(found, key)


def _of_mask(value: int, cared: int, key: TableKey, width: int) -> Match | None:
    if key.match_kind is not MatchKind.LPM:
        return Ternary(value, cared)
    length = cared.bit_count()
    return Prefix(value, length) if cared == ones(width) ^ ones(width) >> length else None
