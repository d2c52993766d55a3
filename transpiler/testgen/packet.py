"""Frames with the terms of their bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, SupportsIndex

import z3

from transpiler.hlir.arithmetic import ones
from transpiler.hlir.types import Varbit, width_of
from transpiler.interpreter.evaluate import to_bytes
from transpiler.interpreter.packet import ParserReject, Reader, Writer
from transpiler.interpreter.shadowed import settled
from transpiler.interpreter.state import BitString, HeaderValue
from transpiler.testgen.record import LARGEST_BYTES, Record
from transpiler.testgen.terms import Term

Terms = tuple[Any, ...]  # of each byte: a bit vector of 8 bits, or None where it is a number only


class Frame(bytes):
    """Bytes with their terms, which are made when someone asks. `length`: of a received frame, in bytes, as a term."""

    _make: Callable[[], Terms]
    length: Term | None

    def __new__(cls, data: bytes, make: Callable[[], Terms], length: Term | None = None) -> Frame:
        made = super().__new__(cls, data)
        made._make, made.length = make, length
        return made

    @cached_property
    def terms(self) -> Terms:
        return self._make()

    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        found: Any = super().__getitem__(key)
        return Frame(found, lambda: self.terms[key]) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Frame:
        return Frame(bytes(self) + bytes(other), lambda: self.terms + terms_of(other))

    def __radd__(self, other: bytes) -> Frame:
        return Frame(bytes(other) + bytes(self), lambda: terms_of(other) + self.terms)


def terms_of(data: bytes) -> Terms:
    """The terms of bytes, None for each that is a number only."""
    return data.terms if isinstance(data, Frame) else (None,) * len(data)


def joined(data: bytes, terms: Terms) -> Any:
    """The bit vector of some bytes."""
    parts = [z3.BitVecVal(b, 8) if t is None else t for b, t in zip(data, terms, strict=True)]
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


class TermReader(Reader):
    """A cursor over a frame with terms. `furthest`: how many bytes of it had to be there."""

    def __init__(self, data: bytes, record: Record) -> None:
        super().__init__(data)
        self.record, self.terms = record, terms_of(data)
        self.length = data.length if isinstance(data, Frame) else None
        self.furthest = 0
        self._plain = False  # whether numbers do without terms

    def _there(self, width: int) -> bool:
        """Whether so many bits are left."""
        end = (self.cursor + width + 7) // 8
        there = width <= self.left
        if there:
            self.furthest = max(self.furthest, end)
        if self.length is not None and width:
            of = self.length.bits
            if end > LARGEST_BYTES:
                self.record.inexact[f"frames are at most {LARGEST_BYTES} bytes"] = None
            self.record.decide(z3.UGE(of, z3.BitVecVal(end, of.size())), there)
        return there

    def peek(self, width: int) -> int:
        width = settled(width)
        if not self._there(width):
            raise ParserReject("PacketTooShort")
        return super().peek(width) if self._plain else self._value(self.cursor, width)

    def _value(self, at: int, width: int) -> int:
        if not width:
            return 0
        first, end = at // 8, (at + width + 7) // 8
        low = end * 8 - at - width
        value = int.from_bytes(bytes(self.data[first:end]), "big") >> low & ones(width)
        terms = self.terms[first:end]
        if all(term is None for term in terms):
            return value
        whole = joined(bytes(self.data[first:end]), terms)
        of = whole if whole.size() == width else z3.Extract(low + width - 1, low, whole)
        return Term(value, of, self.record)

    def advance(self, width: int) -> None:
        width = settled(width)
        if not width % 8:
            self._there(width)
        super().advance(width)

    def extract(self, header: HeaderValue, varbit_bits: int | None) -> None:
        variable = settled(varbit_bits) if varbit_bits is not None else None
        at, self._plain = self.cursor, True
        try:
            super().extract(header, variable)
        finally:
            self._plain = False
        for field in header.layout.fields:
            size = (variable or 0) if isinstance(field.type, Varbit) else field.type.width
            value = self._value(at, size)
            header.fields[field.name] = BitString(value, size) if isinstance(field.type, Varbit) else value
            at += size


class TermWriter(Writer):
    """What a deparser has emitted, with its terms."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[Any] = []
        self.symbolic = False

    def emit(self, header: HeaderValue) -> None:
        if not header.valid:
            return
        for field in header.layout.fields:
            content = header.fields[field.name]
            if isinstance(content, BitString):
                value, width = content.value, content.width
            else:
                value, width = content, width_of(field.type)
            if width:
                self.value, self.width = self.value << width | int(value), self.width + width
                self.symbolic |= isinstance(value, Term)
                self.parts.append(value.bits if isinstance(value, Term) else z3.BitVecVal(value, width))

    def frame(self, payload: bytes) -> bytes:
        data = to_bytes(self.value, self.width)
        return (Frame(data, lambda: split(self.parts, self.width)) if self.symbolic else data) + payload


def split(parts: list[Any], width: int) -> Terms:
    """The bytes of bit vectors one behind the other, zeros behind them."""
    missing = -width % 8
    if missing:
        parts = [*parts, z3.BitVecVal(0, missing)]
    terms: list[Any] = []
    pending: list[Any] = []  # less than a byte
    size = 0
    for part in parts:
        left = part.size()
        while left:
            taken = min(left, 8 - size)
            pending.append(part if taken == part.size() else z3.Extract(left - 1, left - taken, part))
            size, left = size + taken, left - taken
            if size == 8:
                term = pending[0] if len(pending) == 1 else z3.Concat(*pending)
                terms.append(z3.simplify(term))
                pending, size = [], 0
    return tuple(None if z3.is_bv_value(term) else term for term in terms)
