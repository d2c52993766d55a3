"""Looks for frames that reach a program's tables, and for the outcomes of tables that lead to others.

Each shape of frame that the parser takes is tried with values that the program compares its fields with, and with one
outcome or another of each table; the interpreter says what is reached. What has hit a table that nothing hit before is
a *lead*: later tries change a lead here and there, so that long ways through a program are found step by step.
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
from transpiler.traffic.checksums import Checksum, Declared, checksums, declared
from transpiler.traffic.parser_paths import Shape, shapes
from transpiler.traffic.probe import Observation, Probe
from transpiler.traffic.symbolic import field_width
from transpiler.traffic.wellknown import Known, known

ENOUGH = 40  # frames tried for each shape when all tables have been hit
TRIES, FRUITLESS = 4000, 1000  # frames tried at most, and those one after the other that hit nothing new
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

    @property
    def state(self) -> frozenset[str]:
        """The registers, counters and meters that it comes to a cell of."""
        return frozenset(name for name, which in self.seen.cells if which)


def fillable(program: Program) -> tuple[Table, ...]:
    """The tables that entries can be made for: with keys, which the control plane may fill."""
    return tuple(
        t for t in program.tables
        if any(k.match_kind is not MatchKind.SELECTOR for k in t.keys) and not t.const_entries and not t.entries
    )  # fmt: skip


def search(program: Program, probe: Probe, seed: int, advance: Advance) -> Finder:
    """Look for templates: it has then the best that was found of each shape for each set of tables and state.
    `advance(done, total)` is told how far. Where no frame that hits a table comes out, groups and sessions are tried, too."""
    sums = declared(program)
    forms = tuple(form_of(program, shape, sums) for shape in shapes(program)[: TRIES // 4])
    finder = Finder(probe, forms, Random(seed))
    _look(finder, advance)
    if not finder.has_all:
        probe.copies.open = True
        finder.fruitless = 0
        _look(finder, advance)
    return finder


def _look(finder: Finder, advance: Advance) -> None:
    """Try frames of each form in turn."""
    rounds = TRIES // len(finder.forms) if finder.forms else 0
    for turn in range(rounds):
        advance(turn, rounds)
        for number in range(len(finder.forms)):
            finder.attempt(number, turn)
        if finder.fruitless > FRUITLESS or (turn >= ENOUGH and finder.has_all):
            break
    advance(rounds, rounds)


def quality(program: Program, template: Template) -> tuple[int, int, int, int, int]:
    """Is accepted; comes out; not only as a clone; hits much; does something else in entries than tables do without."""
    calls = [(program.table[name], template.outcomes[name]) for name in template.hits]
    other = sum(call is not None and call.action != table.default_action.action for table, call in calls)
    return (
        int(template.seen.accepted),
        int(bool(template.seen.ports)),
        int(template.seen.forwarded),
        len(template.hits),
        other,
    )


# --- one try ---------------------------------------------------------------------------------------------------------

Candidates = dict[str, dict[str, tuple[int, ...]]]  # header type → field → values


@dataclass(frozen=True)
class _Form:
    """A shape of frame with the checksums in it."""

    shape: Shape
    sums: tuple[Checksum, ...]


def form_of(program: Program, shape: Shape, sums: Declared) -> _Form:
    """A shape with the checksums that the program declares."""
    return _Form(shape, checksums(program, shape, sums))


class Finder:
    """Tries frames. `found`: the best template for each form and set of tables and state; `fruitless`: tries since a
    table was hit, or hit by a frame that comes out, for the first time."""

    def __init__(self, probe: Probe, forms: Sequence[_Form], chance: Random) -> None:
        self.program, self.probe, self.chance = probe.program, probe, chance
        self.forms = tuple(forms)
        self.targets = fillable(probe.program)
        self.candidates = _candidates(probe.program)
        self._uses = {table.name: uses(probe.program, table) for table in self.targets}
        self.found: dict[tuple[int, tuple[str, ...], frozenset[str]], Template] = {}
        self.fruitless = 0
        self._leads: dict[int, list[Template]] = defaultdict(list)
        self._hit: set[tuple[str, bool]] = set()

    @property
    def has_all(self) -> bool:
        """Whether each table was hit by a frame that comes out."""
        return all((table.name, True) in self._hit for table in self.targets)

    @property
    def templates(self) -> tuple[Template, ...]:
        return tuple(self.found.values())

    def frame(self, number: int, chance: Random) -> Frame:
        """Any frame of a form."""
        return _frame(self.program, self.forms[number], self.candidates, chance, 1)

    def given(self, shape: Shape, data: bytes) -> Frame:
        """A frame that was found otherwise, of the last form, filled up with zeros."""
        return Frame(shape, data.ljust(SMALLEST, b"\0"), self.forms[-1].sums, known(data))

    def usual(self, number: int) -> Frame:
        """The frame of a form that has what is well known."""
        return _frame(self.program, self.forms[number], self.candidates, self.chance, 0)

    def is_hit(self, table: str) -> bool:
        """Whether a frame hits the table."""
        return (table, False) in self._hit or (table, True) in self._hit

    def is_sent(self, table: str) -> bool:
        """Whether a frame that hits the table comes out."""
        return (table, True) in self._hit

    def outcome(self, table: Table, chance: Random) -> Call | None:
        """Any outcome of a table."""
        return any_outcome(self._uses[table.name], chance)

    def attempt(self, number: int, turn: int) -> None:
        """Try a frame of a form: one like a lead, or any."""
        leads = self._leads[number]
        if leads and turn % 2:
            frame, outcomes = self._like(_later(leads, self.chance), self.forms[number], turn)
        else:
            frame = _frame(self.program, self.forms[number], self.candidates, self.chance, turn)
            outcomes = {table.name: self.outcome(table, self.chance) for table in self.targets}
        self.note(number, Template(frame, outcomes, self.probe.run(frame.data, outcomes)))

    def _like(self, lead: Template, form: _Form, turn: int) -> tuple[Frame, dict[str, Call | None]]:
        """A lead with other outcomes for one of its tables and for all that it does not meet, and now and then its frame."""
        other = self.chance.random() < 0.5
        frame = _frame(self.program, form, self.candidates, self.chance, turn) if other else lead.frame
        met = [name for name, _ in lead.seen.applied if name in lead.outcomes]
        kept = set(met) - {self.chance.choice(met)}
        new = {t.name: self.outcome(t, self.chance) for t in self.targets if t.name not in kept}
        return frame, lead.outcomes | new

    def note(self, number: int, template: Template) -> None:
        """Keep a template of a form if it is the best of its kind, and as a lead if it is the first to hit a table."""
        hits = template.hits
        before = self.found.get((number, hits, template.state))
        if before is None or quality(self.program, template) > quality(self.program, before):
            self.found[number, hits, template.state] = template
        new = {(name, out) for name in hits for out in {False, bool(template.seen.ports)}} - self._hit
        self._hit |= new
        self.fruitless = 0 if new else self.fruitless + 1
        if new:
            self._leads[number].append(template)


def _later(leads: Sequence[Template], chance: Random) -> Template:
    """One of them, the later the likelier: it has come further."""
    return leads[max(chance.randrange(len(leads)), chance.randrange(len(leads)))]


Uses = Sequence[
    tuple[str, tuple[int, ...]]
]  # the actions that entries of a table can have, with the widths of their data


def uses(program: Program, table: Table) -> Uses:
    """Those of a table."""
    names = [use.action for use in table.actions if not use.default_only]
    widths = {name: width_of(variable.type) for name, variable in program.variable.items()}
    return [(name, tuple(widths[parameter] for parameter in program.action[name].parameters)) for name in names]


def any_outcome(of: Uses, chance: Random) -> Call | None:
    """One of a table's actions with small arguments, or a miss."""
    if not of or chance.random() < 0.15:
        return None
    action, widths = chance.choice(of)
    return Call(action, tuple(1 if chance.random() < 0.8 else chance.randrange(min(4, 1 << width)) for width in widths))


def _frame(program: Program, form: _Form, candidates: Candidates, chance: Random, turn: int) -> Frame:
    """The first has what is well known; others have values that the program compares with, in some of their fields."""
    shape, sums = form.shape, form.sums
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
