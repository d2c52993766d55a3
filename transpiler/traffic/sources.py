"""Where each bit of a table's key comes from: a bit of the frame, of another table's action data, or nowhere.

Found by experiment: each bit is turned over in the interpreter, and the keys are looked at; eight at once first, as those
of most bytes do nothing. A bit that changes the way of
the packet (an EtherType, say) is left as it is; key bits that several bits change at once (hashes, sums) are of no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call
from transpiler.traffic.probe import Observation, Probe
from transpiler.traffic.search import Template
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO


@dataclass(frozen=True, slots=True)
class DataBit:
    """A bit of action data: of which table's entries, which parameter, counted from its most significant bit."""

    table: str
    parameter: int
    bit: int


Source = int | DataBit  # of a key bit: a position in the frame; or ZERO, ONE: always so; or UNKNOWN


@dataclass
class Sources:
    """`keys`: of each table that is hit, the bits of its fields in order. `ports`: (table, parameter) that are the port
    that the packet leaves by; `rigid`: those that must stay as they are for the packet to go its way; `indexes`: those that
    are the index of a cell, with the number of cells."""

    keys: dict[str, list[Source]] = field(default_factory=dict)
    ports: set[tuple[str, int]] = field(default_factory=set)
    rigid: set[tuple[str, int]] = field(default_factory=set)
    indexes: dict[tuple[str, int], int] = field(default_factory=dict)


def matched(table: Table) -> tuple[int, ...]:
    """The widths of the fields that entries match."""
    return tuple(width_of(k.expression.type) for k in table.keys if k.match_kind is not MatchKind.SELECTOR)


def trace(program: Program, probe: Probe, template: Template) -> Sources:
    """The sources of the keys of the tables that a template hits."""
    return _Experiment(program, probe, template).run()


class _Experiment:
    def __init__(self, program: Program, probe: Probe, template: Template) -> None:
        self.program, self.probe, self.template = program, probe, template
        self.base = self._bits(template.seen)
        self.touching: dict[tuple[str, int], list[Source]] = {}
        self.sources = Sources()

    def _bits(self, seen: Observation) -> dict[str, list[int]]:
        """The key bits of each table."""
        result = {}
        for name, values in seen.applied:
            widths = matched(self.program.table[name])
            result[name] = [v >> (w - 1 - i) & 1 for v, w in zip(values, widths, strict=True) for i in range(w)]
        return result

    def run(self) -> Sources:
        frame, outcomes = self.template.frame, self.template.outcomes
        free = [bit for bit in range(frame.shape.bits) if bit not in frame.shape.fixed]
        for group in _eights(free):
            if self.probe.run(frame.changed(group), outcomes) != self.template.seen:
                for bit in group:
                    self._compare(bit, self.probe.run(frame.changed((bit,)), outcomes))
        for name in self.template.hits:
            self._data_of(name)
        for name in self.template.hits:
            self.sources.keys[name] = [self._source(name, i) for i in range(len(self.base[name]))]
        return self.sources

    def _compare(self, source: Source, seen: Observation) -> bool:
        """Note which key bits have changed; False: the packet went another way."""
        if seen.way != self.template.seen.way:
            return False
        for name, bits in self._bits(seen).items():
            for i, (now, before) in enumerate(zip(bits, self.base[name], strict=True)):
                if now != before:
                    self.touching.setdefault((name, i), []).append(source)
        return True

    def _data_of(self, name: str) -> None:
        """Turn the bits of an entry's action data over: a parameter that the frame then leaves by is a port."""
        call = self.template.outcomes[name]
        assert call is not None
        for number, parameter in enumerate(self.program.action[call.action].parameters):
            width = width_of(self.program.variable[parameter].type)
            for group in _eights(range(width)):
                if width <= 8 or self._with_data(name, number, width, group)[1] != self.template.seen:
                    for bit in group:
                        self._turn_over(name, number, width, bit)

    def _turn_over(self, name: str, number: int, width: int, bit: int) -> None:
        value, seen = self._with_data(name, number, width, (bit,))
        call = self.template.outcomes[name]
        assert call is not None
        if not self._compare(DataBit(name, number, bit), seen):
            self.sources.rigid.add((name, number))
        elif (*self.template.seen.ports, *seen.ports) == (call.arguments[number], value):
            self.sources.ports.add((name, number))
        else:
            self._note_index(name, number, value, seen)

    def _note_index(self, name: str, number: int, value: int, seen: Observation) -> None:
        """Whether a parameter that is now another is the index of a cell: of several the smallest array bounds it."""
        call = self.template.outcomes[name]
        assert call is not None
        for (of, before), (_, now) in zip(self.template.seen.cells, seen.cells, strict=False):
            if (before, now) == ((call.arguments[number],), (value,)) and of in self.program.extern:
                size = int(self.program.extern[of].attribute("size"))
                self.sources.indexes[name, number] = min(size, self.sources.indexes.get((name, number), size))

    def _with_data(self, name: str, number: int, width: int, bits: Sequence[int]) -> tuple[int, Observation]:
        """A parameter with bits turned over, and what the frame does then."""
        call = self.template.outcomes[name]
        assert call is not None
        arguments = list(call.arguments)
        arguments[number] ^= sum(1 << (width - 1 - bit) for bit in bits)
        outcomes = self.template.outcomes | {name: replace(call, arguments=tuple(arguments))}
        return arguments[number], self.probe.run(self.template.frame.data, outcomes)

    def _source(self, name: str, i: int) -> Source:
        value = self.base[name][i]
        match self.touching.get((name, i), []):
            case []:
                return ONE if value else ZERO
            case [int() as bit]:
                return bit if self._frame_bit(bit) == value else UNKNOWN
            case [DataBit() as bit] if (bit.table, bit.parameter) not in self.sources.rigid:
                return bit if self._data_bit(bit) == value else UNKNOWN
        return UNKNOWN

    def _frame_bit(self, bit: int) -> int:
        return self.template.frame.data[bit // 8] >> (7 - bit % 8) & 1

    def _data_bit(self, bit: DataBit) -> int:
        call = self.template.outcomes[bit.table]
        assert isinstance(call, Call)
        width = width_of(self.program.variable[self.program.action[call.action].parameters[bit.parameter]].type)
        return call.arguments[bit.parameter] >> (width - 1 - bit.bit) & 1


def _eights(bits: Sequence[int]) -> list[Sequence[int]]:
    return [bits[at : at + 8] for at in range(0, len(bits), 8)]
