"""Calls of externs on numbers with terms: hashes and registers keep them, what other methods return is a number alone.

One's complement sums and xor of words are terms of their data; a CRC is a variable, which `solve` makes right.
"""

from __future__ import annotations

from typing import Any

import z3

from transpiler.externs import algorithms
from transpiler.externs.meter import MeterArray
from transpiler.externs.register import Register
from transpiler.externs.row import Effect
from transpiler.externs.table import METHODS
from transpiler.hlir import expressions as ex
from transpiler.hlir.statements import CallExtern
from transpiler.hlir.types import Varbit, width_of
from transpiler.interpreter.calls import Call
from transpiler.interpreter.evaluate import evaluate, evaluate_any, place_type, to_bytes, write
from transpiler.interpreter.run import Run
from transpiler.interpreter.shadowed import settled
from transpiler.interpreter.state import BitString
from transpiler.testgen.packet import Frame, joined, split
from transpiler.testgen.record import Hash, Record
from transpiler.testgen.terms import Term, bits, wide

LARGEST_BYTES = 512  # of what is hashed as a term
_READ, _WRITE = "register.read", "register.write"
_METERS = {"meter.execute", "meter.execute_aware", "direct_meter.execute", "direct_meter.execute_aware"}
COLOURS = 3  # green, yellow, red


def cell_name(register: str, index: int) -> str:
    """The variable of a register's cell before the packet."""
    return f"{register}[{index}]"


def meter_name(meter: str, index: int) -> str:
    """The variable of the colour that a meter gives a packet which had none before."""
    return f"{meter}<{index}>"


def colour_of(record: Record, meter: str, index: int) -> Term:
    """The colour that a meter gives, by rates that one chooses."""
    colour = record.variable(meter_name(meter, index), 2)
    record.require(z3.ULT(colour.of, COLOURS))
    record.colours[meter, index] = colour
    return colour


class TermCall(Call):
    """A call whose numbers may have terms."""

    def __init__(self, run: Run, call: CallExtern, record: Record) -> None:
        super().__init__(run, call)
        self.record = record
        self.data: Any = None  # of what is hashed

    def carry_out(self) -> None:
        """Do what the method means."""
        if self.call.method == _READ:
            self._fill()
        if self.call.method in _METERS and self._metered():
            return
        METHODS[self.call.method].run(self)

    def _fill(self) -> None:
        """A cell that this packet has not written has what one chooses."""
        register, index = self.state(Register), self.input(0)
        if index < register.size and index not in register.elements:
            name = cell_name(self.instance, index)
            made = self.record.variable(name, register.width, register.initial)
            register.elements[index] = self.record.cells[self.instance, index] = made

    def _metered(self) -> bool:
        """The colour of a meter is what one chooses, by its rates. False: it has no such element."""
        aware, direct = self.call.method.endswith("_aware"), self.call.method.startswith("direct")
        index = self.entry if direct else self.input(0)
        array = self.state(MeterArray)
        if index < 0 or (array.size is not None and index >= array.size):
            return False
        if aware and int(self.input(0 if direct else 1)):
            return False
        self.output(colour_of(self.record, self.instance, index))
        return True

    def input(self, position: int) -> int:
        value = evaluate(self.call.inputs[position], self.run.state)
        method = METHODS[self.call.method]
        if (self.call.method == _WRITE and position == 1) or self.call.method == "hash.extend":
            return value
        return (
            settled(value)
            if method.outputs or method.effect is Effect.PACKET or self.call.method == _WRITE
            else int(value)
        )

    def packed(self, position: int) -> bytes:
        parts, width = _parts(self._list(position), self)
        whole = 0
        for part, size in parts:
            whole = whole << size | int(part)
        plain = to_bytes(whole, width)
        if not any(isinstance(part, Term) for part, _ in parts):
            return plain
        return Frame(plain, lambda: split([bits(part, size) for part, size in parts if size], width))

    def output(self, value: int) -> None:
        place = self.call.outputs[0]
        width = width_of(place_type(place, self.run.state))
        if not isinstance(value, Term) and self.call.method.startswith("hash."):
            value = self._hashed(value, width)
        if not isinstance(value, Term) and self.call.method != _READ and not self.call.method.startswith("hash."):
            self._inexact()
        write(place, value & ((1 << width) - 1), self.run.state)

    def _inexact(self) -> None:
        """The result may be another, which nobody can choose."""
        self.record.inexact[f"{self.span}: {self.call.method}"] = None

    def _hashed(self, value: int, width: int) -> int:
        """The hash with its term."""
        at = {"hash.compute": 1, "hash.compute_with_payload": 1, "hash.extend": 2}.get(self.call.method)
        if at is None:
            return value
        data: bytes = self.packed(at)
        if self.call.method == "hash.compute_with_payload":
            data = data + self.payload
        before = self.input(1) if self.call.method == "hash.extend" else None
        symbolic = isinstance(data, Frame) and any(t is not None for t in data.terms)
        algorithm = algorithms.ALGORITHMS.get(self.text(0))
        if algorithm is None or algorithm.compute is None or len(data) > LARGEST_BYTES:
            self._inexact()
            return value
        if not (symbolic or isinstance(before, Term)) or not data:
            return value
        whole = joined(bytes(data), data.terms if isinstance(data, Frame) else (None,) * len(data))
        of = _exact(self.text(0), whole, before, width)
        if of is None:
            start = None if before is None else bits(before, 64)
            name = f"hash{len(self.record.hashes)}.{self.span.line}.{len(data)}"
            self.record.hashes[name] = Hash(name, self.text(0), whole, start, width)
            of = z3.BitVec(name, width)
        return Term(value & ((1 << width) - 1), of, self.record)


def _parts(items: tuple[ex.Expression, ...], call: Call) -> tuple[list[tuple[int, int]], int]:
    """Numbers and widths of a list, as `evaluate.pack` takes it; the width of all."""
    parts: list[tuple[int, int]] = []
    for item in items:
        if isinstance(item, ex.Conditional) and isinstance(item.then, ex.ListExpression):
            item = item.then if evaluate(item.condition, call.run.state) else item.otherwise
        if isinstance(item, ex.ListExpression):
            parts += _parts(item.items, call)[0]
            continue
        content = evaluate_any(item, call.run.state)
        if isinstance(content, BitString):
            parts.append((content.value, content.width))
        else:
            parts.append((content, 0 if isinstance(item.type, Varbit) else width_of(item.type)))
    return parts, sum(width for _, width in parts)


def _exact(algorithm: str, data: Any, before: int | None, width: int) -> Any:
    """The term of a hash, None where it is not one that a solver can turn round."""
    if algorithm == "identity" and before is None:
        size = data.size()
        return wide(z3.Extract(size - 1, size - min(64, size), data), width)
    if algorithm not in ("csum16", "xor16"):
        return None
    if data.size() % 16:
        data = z3.Concat(data, z3.BitVecVal(0, 8))
    words = [z3.Extract(at + 15, at, data) for at in range(0, data.size(), 16)]
    if algorithm == "xor16":
        total = bits(before, 16) if before is not None else z3.BitVecVal(0, 16)
        for word in words:
            total = total ^ word
        return wide(total, width)
    total = z3.ZeroExt(16, ~bits(before, 16)) if before is not None else z3.BitVecVal(0, 32)
    for word in words:
        total = total + z3.ZeroExt(16, word)
    for _ in range(2):
        total = (total & 0xFFFF) + z3.LShR(total, 16)
    return wide(~z3.Extract(15, 0, total), width)
