"""Checksums that frames must have: those that the program compares a field with or writes to one, and IPv4's own.

Recognised are Internet checksums (RFC 1071) over a list. Payloads are zeros, so one that covers the payload needs no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import Program
from transpiler.hlir.traverse import expressions, program_bodies, walk, walk_expression
from transpiler.hlir.types import Bits
from transpiler.traffic.bits import Rows, Wiring
from transpiler.traffic.parser_paths import Shape
from transpiler.traffic.symbolic import ONE, UNKNOWN, BitsOf, Symbols, number_of


@dataclass(frozen=True)
class Checksum:
    """A field of 16 bits (its first bit in the frame), and the bits that it covers."""

    place: int
    covered: BitsOf

    def fill(self, rows: Rows) -> None:
        """Set the field in each frame."""
        stream = np.zeros((len(rows), (len(self.covered) + 15) // 16 * 2), dtype=np.uint8)
        for at in (i for i, bit in enumerate(self.covered) if bit == ONE):
            stream[:, at // 8] |= np.uint8(0x80 >> at % 8)
        Wiring((bit, at) for at, bit in enumerate(self.covered) if bit >= 0).copy(rows, stream)
        total = stream.view(">u2").sum(axis=1, dtype=np.uint64)
        for _ in range(3):
            total = (total & np.uint64(0xFFFF)) + (total >> np.uint64(16))
        result = (~total & np.uint64(0xFFFF)).astype(">u2")[:, None].view(np.uint8)
        Wiring((i, self.place + i) for i in range(16)).copy(result, rows)


Declared = tuple[tuple[ex.FieldRef, ex.ListExpression], ...]


def declared(program: Program) -> Declared:
    """Fields that the program takes for a checksum of a list."""
    return tuple(_declared(program))


def checksums(program: Program, shape: Shape, among: Declared) -> tuple[Checksum, ...]:
    """Those of a frame's headers; one that is covered by another stands before it."""
    found: dict[int, Checksum] = {}
    for field, items in among:
        made = _placed(program, shape, field, items)
        if made is not None:
            found.setdefault(made.place, made)
    return tuple(sorted(found.values(), key=lambda c: sum(o.place in c.covered for o in found.values())))


def _declared(program: Program) -> Iterator[tuple[ex.FieldRef, ex.ListExpression]]:
    lists: dict[str, ex.ListExpression] = {}
    for body in program_bodies(program):
        for statement in walk(body):
            match statement:
                case st.CallExtern(method="hash.compute" | "hash.compute_with_payload", inputs=inputs, outputs=(out,)):
                    match inputs, out:
                        case (ex.Text(value="csum16"), ex.ListExpression() as items), ex.VariableRef(name=name):
                            lists[name] = items
                        case (ex.Text(value="csum16"), ex.ListExpression() as items), ex.FieldRef():
                            yield out, items
                case st.Assign(target=ex.FieldRef() as target, value=ex.Read(place=ex.VariableRef(name=name))):
                    if name in lists:
                        yield target, lists[name]
                case _:
                    yield from _compared(statement, lists)


def _compared(
    statement: st.Statement, lists: dict[str, ex.ListExpression]
) -> Iterator[tuple[ex.FieldRef, ex.ListExpression]]:
    for outermost in expressions(statement):
        for inner in walk_expression(outermost):
            match inner:
                case ex.Binary(
                    op=ex.BinaryOp.NE | ex.BinaryOp.EQ,
                    left=ex.Read(place=ex.FieldRef() as field),
                    right=ex.Read(place=ex.VariableRef(name=name)),
                ) if name in lists:
                    yield field, lists[name]


def _placed(program: Program, shape: Shape, field: ex.FieldRef, items: ex.ListExpression) -> Checksum | None:
    symbols = Symbols(program, headers=shape.headers)
    name = symbols.header_name(field.header)
    if name not in shape.headers:
        return None
    place = shape.field(program, name, field.field)
    present = tuple(_present(symbols, items))
    covered = tuple(bit for item in present if isinstance(item.type, Bits) for bit in symbols.value(item))
    needed = {symbols.header_name(p) for item in present for p in _headers(item)}
    if len(place) != 16 or UNKNOWN in covered or not needed <= set(shape.headers):
        return None
    return Checksum(place.start, covered)


def _present(symbols: Symbols, items: ex.ListExpression) -> Iterator[ex.Expression]:
    """The items that a frame with the headers of `symbols` has in a list."""
    for item in items.items:
        if isinstance(item, ex.Conditional) and isinstance(item.then, ex.ListExpression):
            item = item.otherwise if number_of(symbols.value(item.condition)) == 0 else item.then
        if isinstance(item, ex.ListExpression):
            yield from _present(symbols, item)
        else:
            yield item


def _headers(item: ex.Expression) -> Iterator[ex.HeaderPlace]:
    for inner in walk_expression(item):
        match inner:
            case ex.Read(place=ex.FieldRef(header=header)):
                yield header
