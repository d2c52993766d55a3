"""Puts a cache of decisions in front of the largest stretch of many lookups that keeps no state but counters.

What such a stretch writes, and what it counts, is a function of what it reads and of the tables' entries. So packets that read
the same are decided once, until a table changes (macs/decisions.h).

A; B; C    →    if (on()) { where = place(what they read); found = recall(where) } else { found = false }
                if (found) { what they write = what was kept } else { A; B; C; remember(what they write) }

The cell of the cache is prefetched as that of a register is: there is a cut in front of `recall`. Packets that do not look for
a decision go on without it. What the stretch writes on some ways only, and does not read, is no part of the key: a flag is kept
with it that tells whether it was written. Packets whose assertions fail are not remembered, so each of them is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of
from transpiler.diagnostics import Span
from transpiler.externs.decisions import FORGET, KIND, ON, PLACE, RECALL, REMEMBER, VALUE, WORD_BITS
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Cast,
    Const,
    Expression,
    FieldRef,
    HeaderRef,
    IsValid,
    ListExpression,
    Place,
    Read,
    Slice,
    Unary,
    UnaryOp,
    VariableRef,
)
from transpiler.hlir.program import Control, ExternInstance, Program, Role, Storage, Variable
from transpiler.hlir.statements import ApplyTable, Assign, Body, CallExtern, If, SetValid, Statement
from transpiler.hlir.traverse import bodies, program_statements, rebuild, walk
from transpiler.hlir.types import Bits, Bool, Type
from transpiler.schedule.architectures import describe
from transpiler.schedule.ready import Ready, Readying, frames_of, of_architecture
from transpiler.schedule.stages import Schedule
from transpiler.schedule.stretch import ASSERTING, Finder, Stretch, reachable, read_in, type_of, with_run
from transpiler.schedule.written_together import Group, actions_in, groups_of, with_flags

NAME = "decisions"  # of the instance, and of the variables: a program's own names have the name of a control or a dot
LOOKUPS_MIN = 8  # fewer cost no more than the cache
LINE_WORDS, READY_WORDS = 8, 10  # of a cache line; of a decision that writes a cache line of the frame
KEY_WORDS_MAX, KEPT_BITS_MAX, COUNTS_MAX = 16, 32 * WORD_BITS, 24  # of macs/decisions.h
WORD, WHERE = Bits(WORD_BITS), Bits(32)


@dataclass(frozen=True, slots=True)
class Cached:
    """The program with a cache in front of a stretch of `lookups`; the bits of what is read and of what is kept, and what is
    counted at most. `ready`: of what is sent, where decisions may be made ready (schedule/ready.py)."""

    program: Program
    lookups: int
    key_bits: int
    kept_bits: int
    counts: int
    ready: Ready | None = None


def with_decisions(program: Program, compared: frozenset[str] = frozenset(), *, ready: bool = False) -> Cached | None:
    """The program with a cache of decisions; None where it has no stretch that is worth one. `compared`: tables that are code,
    so that nothing is looked up in them; `ready`: decisions are made ready where they can be."""
    control = program.pipe(Role.INGRESS)
    if describe(program).zero_at_first is None or not isinstance(control, Control):
        return None
    found = (
        _Caching(program, control, stretch, ready) for stretch in Finder(program, compared).stretches(control.body)
    )
    worth = [caching for caching in found if caching.is_worth_it()]
    return max(worth, key=lambda caching: caching.stretch.lookups).cached() if worth else None


def is_cut(made: Schedule) -> bool:
    """Whether there is a cut in front of the cache."""
    stages = (stage for pipe in made.pipes for stage in pipe.stages)
    return any(access.instance == NAME for stage in stages for access in stage.prefetched)


def counters_noted(program: Program) -> frozenset[str]:
    """The counters that the stretch counts by, behind its cache: nothing else does."""
    for statement in program_statements(program):
        match statement:
            case If(otherwise=(*stretch, CallExtern(method=method))) if method == REMEMBER:
                return _counters(program, tuple(stretch))
    return frozenset()


def _counters(program: Program, body: Body) -> frozenset[str]:
    """The counters that a body counts by, direct ones too."""
    applied = [program.table[s.table] for s in walk(body) if isinstance(s, ApplyTable)]
    inside = [s for table in applied for action in actions_of(program, table.name) for s in walk(action.body)]
    called = {s.instance for s in (*walk(body), *inside) if isinstance(s, CallExtern) and s.instance is not None}
    return frozenset(called.union(*(table.direct for table in applied)))


def note_of(cached: Cached) -> str:
    """What was decided, for people."""
    sizes = f"keys of {cached.key_bits} bits, {cached.kept_bits} bits kept"
    return f"decisions: a cache in front of {cached.lookups} lookups, {sizes}, at most {cached.counts} counts"


@dataclass(frozen=True, slots=True)
class _Part:
    """Bits of a location, from `low` on, and where they are in the key or what is kept: a word and a bit of it."""

    location: Location
    low: int
    width: int
    word: int
    at: int


class _Caching:
    """A cache in front of one stretch of a control."""

    def __init__(self, program: Program, control: Control, stretch: Stretch, ready: bool) -> None:
        self.program, self.control, self.stretch = program, control, stretch
        self.span = stretch.body[0].span
        if stretch.lookups < LOOKUPS_MIN:
            return
        self.rest = rest = self._with(())
        written = stretch.writes & (read_in(rest) | _of_runtime(program)) - _always_zero(program)
        unsure = written - stretch.sure
        key = (stretch.reads | unsure) - self._zero(rest)
        groups = groups_of(program, stretch.body, (key & unsure) - stretch.reads)
        self.flags: dict[str, Group] = {f"{NAME}.wrote_{number}": group for number, group in enumerate(groups)}
        flags = (Variable(name, Bool(), Storage.LOCAL, self.span) for name in self.flags)
        self.program = replace(program, variables=(*program.variables, *flags))
        self.frames = frames_of(program, control, stretch) if ready else None
        of_frame = self.frames.validity if self.frames is not None else frozenset()
        self.key = sorted(key.difference(*self.flags.values()) | of_frame, key=_by_name)
        self.key_parts = tuple(_placed(self.program, self.key))
        self.parts = tuple(_placed(self.program, sorted(written.union(map(Location, self.flags)), key=_by_name)))

    @property
    def key_bits(self) -> int:
        return sum(_width(self.program, location) for location in self.key)

    @property
    def key_words(self) -> int:
        return _words_of(self.key_parts)

    @property
    def words(self) -> int:
        return _words_of(self.parts)

    def is_worth_it(self) -> bool:
        if self.stretch.lookups < LOOKUPS_MIN or self.stretch.counts > COUNTS_MAX:
            return False
        if _counters(self.program, self.stretch.body) & _counters_reached(self.rest):
            return False
        packable = all(
            _is_packable(self.program, location) for location in (*self.key, *(p.location for p in self.parts))
        )
        return packable and 0 < self.key_words <= KEY_WORDS_MAX and WORD_BITS * self.words <= KEPT_BITS_MAX

    def cached(self) -> Cached:
        program, stretch = with_flags(self.program, self.stretch.body, self.flags)
        asserting = actions_in(program, stretch)
        actions = (replace(a, body=_forgetting(a.body)) if a.name in asserting else a for a in program.actions)
        self.program = replace(program, actions=tuple(actions))
        ready = self._readied()
        program = self._with(self._cached(_forgetting(stretch)))
        words = (Variable(_word(n), WORD, Storage.LOCAL, self.span) for n in range(self.words))
        own = (
            Variable(f"{NAME}.where", WHERE, Storage.LOCAL, self.span),
            Variable(f"{NAME}.on", Bool(), Storage.LOCAL, self.span),
            Variable(f"{NAME}.found", Bool(), Storage.LOCAL, self.span),
        )
        sizes = (
            ("key_words", self.key_words),
            ("kept_words", self._room(ready)),
            ("counts", self.stretch.counts),
            ("lookups", self.stretch.lookups),
        )
        instance = ExternInstance(NAME, KIND, sizes, self.span)
        made = replace(program, variables=(*program.variables, *own, *words), externs=(*program.externs, instance))
        kept = sum(part.width for part in self.parts)
        return Cached(made, self.stretch.lookups, self.key_bits, kept, self.stretch.counts, ready)

    def _readied(self) -> Ready | None:
        """What is behind the stretch tells what a decision needs that is ready."""
        if self.frames is None:
            return None
        key = {p.location: WORD_BITS * (p.word + 1) - p.at - p.width for p in self.key_parts}
        made = Readying(self.program, self.control, self.stretch, self.frames, key, self.flags).made()
        if made is None:
            return None
        self.program, self.control, ready = made
        return ready

    def _room(self, ready: Ready | None) -> int:
        """Words of a decision that are for what is kept. A ready one may fill its last cache line."""
        if ready is None:
            return self.words
        words = max(self.words, READY_WORDS)
        others = 2 + self.key_words + self.stretch.counts
        return words + -(others + words) % LINE_WORDS

    def _with(self, instead: Body) -> Program:
        """The program with something in place of the stretch."""
        stretch = self.stretch
        body = with_run(self.control.body, stretch.path, stretch.first, len(stretch.body), instead)
        control = replace(self.control, body=body)
        return replace(self.program, pipes=tuple(control if p is self.control else p for p in self.program.pipes))

    def _zero(self, rest: Program) -> frozenset[Location]:
        """What is zero where the stretch begins: variables that nothing else writes."""
        locator = Locator(rest)
        written = frozenset().union(*(_written(statement, locator) for statement in reachable(rest)))
        variables = (v.name for v in rest.variables if v.storage is not Storage.ACTION_DATA)
        return frozenset(map(Location, variables)) - written - of_architecture(rest)

    # --- what comes in place of the stretch -------------------------------------------------------------------------------

    def _cached(self, stretch: Body) -> Body:
        span, where, found = self.span, VariableRef(f"{NAME}.where", self.span), VariableRef(f"{NAME}.found", self.span)
        key = ListExpression(tuple(self._pieces()), span)
        key_words = Const(self.key_words, WHERE, span)
        kept = ListExpression(tuple(map(self._kept, range(self.words))), span)
        recalled = tuple(self._recalled())
        on = VariableRef(f"{NAME}.on", span)
        look = (
            CallExtern(PLACE, None, (key,), (where,), span),
            CallExtern(RECALL, NAME, (Read(where, WHERE, span), key_words), (found,), span),
        )
        return (
            CallExtern(ON, None, (), (on,), span),
            If(Read(on, Bool(), span), look, (Assign(found, Const(0, Bool(), span), span),), span),
            If(
                Read(found, Bool(), span),
                recalled,
                (*map(self._unset, self.flags), *stretch, CallExtern(REMEMBER, None, (key_words, kept), (), span)),
                span,
            ),
        )

    def _pieces(self) -> Iterator[Expression]:
        """The key, each of its words filled up in front: no bits of a value but of a wide one are in two of them."""
        for word in range(self.key_words):
            of_word = sorted((part for part in self.key_parts if part.word == word), key=lambda part: -part.at)
            if left := WORD_BITS - of_word[0].at - of_word[0].width:
                yield Const(0, Bits(left), self.span)
            yield from (self._bits(part.location, part.low, part.width) for part in of_word)

    def _bits(self, location: Location, low: int, width: int) -> Expression:
        """Some bits of a location, as a number."""
        whole: Expression
        if location.field == VALIDITY:
            whole = IsValid(HeaderRef(location.owner, self.span), self.span)
        else:
            whole = Read(_place(location, self.span), _type(self.program, location), self.span)
        if whole.type != Bits(_width(self.program, location)):
            whole = Cast(whole, Bits(_width(self.program, location)), self.span)
        return whole if width == _width(self.program, location) else Slice(whole, low + width - 1, low, self.span)

    def _kept(self, word: int) -> Expression:
        """One word of what the stretch has written."""
        of_word = sorted((part for part in self.parts if part.word == word), key=lambda part: -part.at)
        together = reduce(self._joined, (self._bits(part.location, part.low, part.width) for part in of_word))
        return together if together.type == WORD else Cast(together, WORD, self.span)

    def _joined(self, left: Expression, right: Expression) -> Expression:
        assert isinstance(left.type, Bits) and isinstance(right.type, Bits)
        return Binary(BinaryOp.CONCAT, left, right, Bits(left.type.width + right.type.width), self.span)

    def _recalled(self) -> Iterator[Statement]:
        """Statements that write what was kept."""
        span = self.span
        for word in range(self.words):
            number = Const(self.key_words + word, WHERE, span)
            yield CallExtern(VALUE, None, (number,), (VariableRef(_word(word), span),), span)
        of: dict[Location, list[_Part]] = {}
        for part in self.parts:
            of.setdefault(part.location, []).append(part)
        values = {
            location: reduce(self._joined, map(self._from_word, sorted(parts, key=lambda part: -part.low)))
            for location, parts in of.items()
        }
        flagged = {location: flag for flag, group in self.flags.items() for location in group}
        yield from (self._assigned(at, values[at]) for at in of if at not in flagged and at.owner not in self.flags)
        for flag, group in self.flags.items():
            written = tuple(self._assigned(location, values[location]) for location in group)
            yield If(Cast(values[Location(flag)], Bool(), span), written, (), span)

    def _unset(self, flag: str) -> Statement:
        return Assign(VariableRef(flag, self.span), Const(0, Bool(), self.span), self.span)

    def _from_word(self, part: _Part) -> Expression:
        word = Read(VariableRef(_word(part.word), self.span), WORD, self.span)
        return word if part.width == WORD_BITS else Slice(word, part.at + part.width - 1, part.at, self.span)

    def _assigned(self, location: Location, value: Expression) -> Statement:
        span = self.span
        if location.field == VALIDITY:
            header = HeaderRef(location.owner, span)
            there = Cast(value, Bool(), span)
            return If(there, (SetValid(header, True, span),), (SetValid(header, False, span),), span)
        type_ = _type(self.program, location)
        return Assign(_place(location, span), value if value.type == type_ else Cast(value, type_, span), span)


def _forgetting(body: Body) -> Body:
    """The body, in which a packet whose assertion fails is not remembered."""
    made: list[Statement] = []
    for statement in body:
        if isinstance(statement, CallExtern) and statement.method in ASSERTING:
            failed = Unary(UnaryOp.NOT, statement.inputs[0], Bool(), statement.span)
            made.append(If(failed, (CallExtern(FORGET, None, (), (), statement.span),), (), statement.span))
        made.append(rebuild(statement, _forgetting) if bodies(statement) else statement)
    return tuple(made)


def _placed(program: Program, written: list[Location]) -> Iterator[_Part]:
    """All of it in words, the widest first; what is wider than a word in several."""
    pieces = [
        (location, low, min(WORD_BITS, _width(program, location) - low))
        for location in written
        for low in range(0, _width(program, location), WORD_BITS)
    ]
    used: list[int] = []
    for location, low, width in sorted(pieces, key=lambda piece: -piece[2]):
        word = next((n for n, bits in enumerate(used) if bits + width <= WORD_BITS), len(used))
        used += [0] if word == len(used) else []
        yield _Part(location, low, width, word, used[word])
        used[word] += width


def _words_of(parts: Iterable[_Part]) -> int:
    return max((part.word + 1 for part in parts), default=0)


def _counters_reached(program: Program) -> frozenset[str]:
    found = reachable(program)
    called = {s.instance for s in found if isinstance(s, CallExtern) and s.instance is not None}
    return frozenset(called.union(*(program.table[s.table].direct for s in found if isinstance(s, ApplyTable))))


def _word(number: int) -> str:
    return f"{NAME}.word_{number}"


def _by_name(location: Location) -> tuple[str, str]:
    return location.owner, location.field


def _place(location: Location, span: Span) -> Place:
    if location.field:
        return FieldRef(HeaderRef(location.owner, span), location.field, span)
    return VariableRef(location.owner, span)


def _type(program: Program, location: Location) -> Type:
    return Bool() if location.field == VALIDITY else type_of(program, _place(location, program.span))


def _is_packable(program: Program, location: Location) -> bool:
    return isinstance(_type(program, location), Bits | Bool)


def _width(program: Program, location: Location) -> int:
    type_ = _type(program, location)
    return type_.width if isinstance(type_, Bits) else 1


def _of_runtime(program: Program) -> frozenset[Location]:
    """What the architecture may read behind the stretch."""
    carried = {v for bridge in program.bridges for v in bridge.variables}
    return frozenset(map(Location, {*carried, *program.intrinsic.values()}))


def _always_zero(program: Program) -> frozenset[Location]:
    """Variables that nothing gives another value."""
    locator = Locator(program)
    others = (s for s in reachable(program) if not (isinstance(s, Assign) and _is_zero(s.value)))
    written = frozenset[Location]().union(*(_written(s, locator) for s in others))
    variables = (v.name for v in program.variables if v.storage is not Storage.ACTION_DATA)
    return frozenset(map(Location, variables)) - written - of_architecture(program)


def _is_zero(value: Expression) -> bool:
    return isinstance(value, Const) and value.value == 0


def _written(statement: Statement, locator: Locator) -> frozenset[Location]:
    """What a statement may have written before, or keeps for a pass of the packet that comes to the stretch again."""
    access = locator.access(statement)
    kept = statement.fields if isinstance(statement, CallExtern) else ()
    return access.writes.union(*map(locator.place, kept))
