"""Where each bit of a table's key comes from: a bit of the frame, of another table's action data, or nowhere.

Found by experiment: bits are turned over, and the interpreter says what becomes of the keys. A bit that changes the way of
the packet (an EtherType, say) is left as it is; key bits that several bits change at once (hashes, sums) are of no use.
Many bits are tried at once: each has a number, and is turned over in the experiments that stand for the ones in it; in their
counterparts all others are. A key bit that is one of them tells its number. Where that sends the packet another way, each bit
is tried by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call
from transpiler.traffic.probe import Observation, Probe
from transpiler.traffic.search import Template
from transpiler.traffic.symbolic import ONE, UNKNOWN, ZERO
from transpiler.traffic.told_apart import NARROW


@dataclass(frozen=True, slots=True)
class DataBit:
    """A bit of action data: of which table's entries, which parameter, counted from its most significant bit."""

    table: str
    parameter: int
    bit: int


_Bit = TypeVar("_Bit", int, DataBit)
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
        safe = self._keeping_way(free, [])
        if not self._numbered(safe, lambda bits: self.probe.run(frame.changed(bits), outcomes)):
            for position in free:
                self._compare(position, self.probe.run(frame.changed((position,)), outcomes))
        loose = self._loose_data()
        if not self._numbered(loose, lambda bits: self._with_data(bits)):
            for bit in loose:
                self._turn_over(bit)
        self._narrow_data()
        for name in self.template.hits:
            self.sources.keys[name] = [self._source(name, i) for i in range(len(self.base[name]))]
        return self.sources

    def _keeping_way(self, bits: Sequence[int], kept: list[int]) -> list[int]:
        """`kept`, and those of the frame's bits with which, turned over together, the packet goes its way."""
        seen = self.probe.run(self.template.frame.changed([*kept, *bits]), self.template.outcomes)
        if seen.way == self.template.seen.way:
            return [*kept, *bits]
        if len(bits) == 1:
            return kept
        half = len(bits) // 2
        return self._keeping_way(bits[half:], self._keeping_way(bits[:half], kept))

    def _numbered(self, bits: Sequence[_Bit], turned_over: Callable[[list[_Bit]], Observation]) -> bool:
        """Note which key bits these change, all at once; False: the packet went another way."""
        numbers = {bit: number for number, bit in enumerate(bits, 1)}
        digits = range(len(bits).bit_length())
        found: list[tuple[dict[str, list[int]], dict[str, list[int]]]] = []
        for digit in digits:
            both = []
            for one in (1, 0):
                seen = turned_over([bit for bit, number in numbers.items() if number >> digit & 1 == one])
                if seen.way != self.template.seen.way:
                    return False
                both.append(self._bits(seen))
            found.append((both[0], both[1]))
        for name, base in self.base.items():
            for i, before in enumerate(base):
                changes = [(ones[name][i] != before, others[name][i] != before) for ones, others in found]
                number = sum(ones << digit for digit, (ones, _) in enumerate(changes))
                if all(ones != others for ones, others in changes) and 0 < number <= len(bits):
                    self.touching.setdefault((name, i), []).append(bits[number - 1])
                elif any(ones or others for ones, others in changes):
                    self.touching.setdefault((name, i), []).append(UNKNOWN)
        return True

    def _compare(self, source: Source, seen: Observation) -> bool:
        """Note which key bits have changed; False: the packet went another way."""
        if seen.way != self.template.seen.way:
            return False
        for name, bits in self._bits(seen).items():
            for i, (now, before) in enumerate(zip(bits, self.base[name], strict=True)):
                if now != before:
                    self.touching.setdefault((name, i), []).append(source)
        return True

    def _loose_data(self) -> list[DataBit]:
        """The bits of wide action data that can be turned over together; those of other parameters are tried. A parameter
        that the frame then leaves by is a port."""
        parameters = [bits for name in self.template.hits for bits in self._parameters(name)]
        loose: list[DataBit] = []
        for bits, seen in self._felt([bits for bits in parameters if len(bits) > NARROW]):
            if seen.way == self.template.seen.way:
                loose += bits
                self._note_use(bits[-1], self._with_data(bits[-1:]))
            else:
                for bit in bits:
                    self._turn_over(bit)
        return loose

    def _narrow_data(self) -> None:
        """Try the bits of narrow parameters. One that has a say in bits of a key that come from elsewhere chooses where from,
        and stays as it is."""
        parameters = [bits for name in self.template.hits for bits in self._parameters(name) if len(bits) <= NARROW]
        for place in range(NARROW):
            for (bit,), seen in self._felt([[bits[place]] for bits in parameters if place < len(bits)]):
                if self._chooses(bit, seen):
                    self.sources.rigid.add((bit.table, bit.parameter))
                else:
                    self._compare(bit, seen)
                    self._note_use(bit, seen)

    def _chooses(self, bit: DataBit, seen: Observation) -> bool:
        """Whether bits of a key have changed that have another source than that parameter."""
        own = bit.table, bit.parameter
        return seen.way == self.template.seen.way and any(
            isinstance(source, int) or (source.table, source.parameter) != own
            for name, bits in self._bits(seen).items()
            for i, (now, before) in enumerate(zip(bits, self.base[name], strict=True))
            if now != before
            for source in self.touching.get((name, i), [])
        )

    def _parameters(self, name: str) -> list[list[DataBit]]:
        """The bits of each parameter of the action that is run where a table is hit."""
        call = self.template.outcomes[name]
        assert call is not None
        widths = [self._width(call, number) for number in range(len(self.program.action[call.action].parameters))]
        return [[DataBit(name, number, bit) for bit in range(width)] for number, width in enumerate(widths)]

    def _felt(self, groups: Sequence[list[DataBit]]) -> list[tuple[list[DataBit], Observation]]:
        """The groups of bits with which the frame does something else, and what. Most are not felt: they are tried together,
        and by halves where they are."""
        if not groups:
            return []
        seen = self._with_data([bit for group in groups for bit in group])
        if seen == self.template.seen:
            return []
        if len(groups) == 1:
            return [(groups[0], seen)]
        half = len(groups) // 2
        return [*self._felt(groups[:half]), *self._felt(groups[half:])]

    def _turn_over(self, bit: DataBit) -> None:
        seen = self._with_data([bit])
        self._compare(bit, seen)
        self._note_use(bit, seen)

    def _note_use(self, bit: DataBit, seen: Observation) -> None:
        """What a parameter is for, of which a bit has been turned over."""
        call = self.template.outcomes[bit.table]
        assert call is not None
        name, number, value = bit.table, bit.parameter, self._argument(call, [bit])[bit.parameter]
        if seen.way != self.template.seen.way or seen.instances != self.template.seen.instances:
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

    def _with_data(self, bits: Sequence[DataBit]) -> Observation:
        """What the frame does with bits of action data turned over."""
        outcomes = dict(self.template.outcomes)
        for name in {bit.table for bit in bits}:
            call = self.template.outcomes[name]
            assert call is not None
            outcomes[name] = replace(call, arguments=self._argument(call, [b for b in bits if b.table == name]))
        return self.probe.run(self.template.frame.data, outcomes)

    def _argument(self, call: Call, bits: Sequence[DataBit]) -> tuple[int, ...]:
        """The arguments of a call with bits turned over."""
        arguments = list(call.arguments)
        for bit in bits:
            arguments[bit.parameter] ^= 1 << (self._width(call, bit.parameter) - 1 - bit.bit)
        return tuple(arguments)

    def _width(self, call: Call, parameter: int) -> int:
        return width_of(self.program.variable[self.program.action[call.action].parameters[parameter]].type)

    def _source(self, name: str, i: int) -> Source:
        value = self.base[name][i]
        match self.touching.get((name, i), []):
            case []:
                return ONE if value else ZERO
            case [int() as bit] if bit >= 0:
                return bit if self._frame_bit(bit) == value else UNKNOWN
            case [DataBit() as bit] if (
                bit.table,
                bit.parameter,
            ) in self.sources.rigid:  # which all entries have as it is here
                return ONE if value else ZERO
            case [DataBit() as bit]:
                return bit if self._data_bit(bit) == value else UNKNOWN
        return UNKNOWN

    def _frame_bit(self, bit: int) -> int:
        return self.template.frame.data[bit // 8] >> (7 - bit % 8) & 1

    def _data_bit(self, bit: DataBit) -> int:
        call = self.template.outcomes[bit.table]
        assert isinstance(call, Call)
        return call.arguments[bit.parameter] >> (self._width(call, bit.parameter) - 1 - bit.bit) & 1
