"""Looks for frames that reach a program's tables, and for the outcomes of tables that lead to others.

Each shape of frame that the parser takes is tried with values that the program compares its fields with, and with one
outcome or another of each table; the interpreter says what is reached.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from transpiler.hlir import expressions as ex
from transpiler.hlir.program import MatchKind, Program, Table
from transpiler.hlir.traverse import keyset_expressions, program_expressions, walk_expression
from transpiler.hlir.types import width_of
from transpiler.interpreter.tables import Call
from transpiler.traffic.checksums import Checksum, checksums
from transpiler.traffic.parser_paths import Shape, shapes
from transpiler.traffic.probe import Observation, Probe
from transpiler.traffic.symbolic import field_width
from transpiler.traffic.wellknown import Known, known

ROUNDS, ENOUGH = 100, 40  # frames tried for each shape: at most, and when all tables have been hit
TRIES = 4000  # frames tried at most
SMALLEST = 64  # bytes of a frame, if its headers are not longer
Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Frame:
    """A frame and what belongs to it: `bits` of its headers, `fixed` ones, checksums and lengths to keep right."""

    shape: Shape
    data: bytes
    checksums: tuple[Checksum, ...]
    known: Known

    def changed(self, bits: Iterable[int]) -> bytes:
        """The frame with bits turned over and right checksums."""
        data = bytearray(self.data)
        for bit in bits:
            data[bit // 8] ^= 0x80 >> bit % 8
        return summed(bytes(data), self.checksums)


@dataclass(frozen=True)
class Template:
    """A frame, the outcomes of tables that make it hit `hits`, and what it does then."""

    frame: Frame
    outcomes: dict[str, Call | None]
    seen: Observation

    @property
    def hits(self) -> tuple[str, ...]:
        """The tables that are hit, in the order in which they are applied."""
        return tuple(name for name, _ in self.seen.applied if self.outcomes.get(name) is not None)


def fillable(program: Program) -> tuple[Table, ...]:
    """The tables that entries can be made for: with keys, which the control plane may fill."""
    return tuple(
        t for t in program.tables
        if any(k.match_kind is not MatchKind.SELECTOR for k in t.keys) and not t.const_entries and not t.entries
    )  # fmt: skip


def search(program: Program, probe: Probe, seed: int, advance: Advance) -> tuple[Template, ...]:
    """Templates: the best that was found of each shape for each set of tables. `advance(done, total)` is told how far."""
    chance = Random(seed)
    targets = fillable(program)
    candidates = _candidates(program)
    found: dict[tuple[int, tuple[str, ...]], Template] = {}
    forms = shapes(program)[: TRIES // 4]
    rounds = min(ROUNDS, TRIES // len(forms)) if forms else 0
    for turn in range(rounds):
        advance(turn, rounds)
        for number, shape in enumerate(forms):
            template = _try(probe, shape, candidates, targets, chance, turn)
            before = found.get((number, template.hits))
            if before is None or quality(program, template) > quality(program, before):
                found[number, template.hits] = template
        hit = {name for template in found.values() if template.seen.ports for name in template.hits}
        if turn >= ENOUGH and len(hit) == len(targets):
            break
    advance(rounds, rounds)
    return tuple(found.values())


def quality(program: Program, template: Template) -> tuple[int, int, int]:
    """Comes out; hits much; does something else in entries than tables do without them."""
    calls = [(program.table[name], template.outcomes[name]) for name in template.hits]
    other = sum(call is not None and call.action != table.default_action.action for table, call in calls)
    return int(bool(template.seen.ports)), len(template.hits), other


# --- one try ---------------------------------------------------------------------------------------------------------

Candidates = dict[str, dict[str, tuple[int, ...]]]  # header type → field → values


def _try(
    probe: Probe, shape: Shape, candidates: Candidates, targets: Sequence[Table], chance: Random, turn: int
) -> Template:
    frame = _frame(probe.program, shape, candidates, chance, turn)
    outcomes = {table.name: _outcome(probe.program, table, chance) for table in targets}
    return Template(frame, outcomes, probe.run(frame.data, outcomes))


def _outcome(program: Program, table: Table, chance: Random) -> Call | None:
    uses = [use.action for use in table.actions if not use.default_only]
    if not uses or chance.random() < 0.15:
        return None
    action = chance.choice(uses)
    widths = [width_of(program.variable[name].type) for name in program.action[action].parameters]
    return Call(action, tuple(1 if chance.random() < 0.8 else chance.randrange(min(4, 1 << width)) for width in widths))


def _frame(program: Program, shape: Shape, candidates: Candidates, chance: Random, turn: int) -> Frame:
    """The first has what is well known; others have values that the program compares with, in some of their fields."""
    size = max(SMALLEST, (shape.bits + 7) // 8)
    bits = np.zeros(size * 8, dtype=np.uint8)
    for bit, value in shape.fixed.items():
        bits[bit] = value
    facts = known(np.packbits(bits).tobytes())
    for start, width, value in facts.values:
        _set(bits, shape, range(start, start + width), value)
    for name in shape.headers if turn else ():
        for field, values in candidates.get(program.header_type_of[name].name, {}).items():
            if chance.random() < 0.5:
                _set(bits, shape, shape.field(program, name, field), chance.choice(values))
    for start, without in facts.lengths:
        _set(bits, shape, range(start, start + 16), size - without)
    sums = checksums(program, shape)
    if facts.checksum is not None and facts.checksum.place not in {c.place for c in sums}:
        sums = (facts.checksum, *sums)
    return Frame(shape, summed(np.packbits(bits).tobytes(), sums), sums, facts)


def _set(bits: np.ndarray[tuple[int], np.dtype[np.uint8]], shape: Shape, place: range, value: int) -> None:
    if not any(bit in shape.fixed for bit in place):
        for i, bit in enumerate(place):
            bits[bit] = value >> (len(place) - 1 - i) & 1


def summed(data: bytes, sums: Sequence[Checksum]) -> bytes:
    """The frame with right checksums."""
    rows = np.frombuffer(data, dtype=np.uint8)[None, :].copy()
    for checksum in sums:
        checksum.fill(rows)
    return rows.tobytes()


# --- values worth a try ----------------------------------------------------------------------------------------------


def _candidates(program: Program) -> Candidates:
    """For each field that is compared with a number: that number and those beside it."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for field, value in _comparisons(program):
        match field:
            case ex.FieldRef(header=ex.HeaderRef(name=name) | ex.ElementRef(stack=name), field=member):
                found[program.header_type_of[name].name, member] |= {value - 1, value, value + 1}
    result: Candidates = defaultdict(dict)
    for (header, member), values in found.items():
        type_ = next(t for t in program.header_types if t.name == header)
        fitting = sorted(v for v in values if 0 <= v < 1 << field_width(type_.field(member).type))
        result[header][member] = tuple(fitting)
    return result


def _comparisons(program: Program) -> Iterator[tuple[ex.Place, int]]:
    for outermost in program_expressions(program):
        for inner in walk_expression(outermost):
            match inner:
                case ex.Binary(op=op, left=left, right=right) if op in ex.COMPARISONS:
                    for one, other in ((left, right), (right, left)):
                        if isinstance(other, ex.Const):
                            yield from ((place, other.value) for place in _places(one))
    for table in program.tables:
        for entry in table.entries:
            for key, wanted in zip(table.keys, entry.keys, strict=False):
                for bound in keyset_expressions(wanted):
                    if isinstance(bound, ex.Const):
                        yield from ((place, bound.value) for place in _places(key.expression))


def _places(expression: ex.Expression) -> Iterator[ex.Place]:
    for inner in walk_expression(expression):
        if isinstance(inner, ex.Read):
            yield inner.place
