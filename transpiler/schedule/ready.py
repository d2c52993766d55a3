"""Makes decisions ready: what is sent for a packet that finds its decision is a beginning of the frame that is written.

That may be where nothing but computation stands behind the stretch in front of which the cache is (schedule/decisions.py), and
headers alone are emitted. What a decision tells: its key, what the stretch writes, and what nobody has written in front of it.
While a packet that has made a decision goes on, it says where it reads anything else, so that its decision is not made ready:

    A; if (hdr.x == 1) { … }; emit(hdr)    →    A; unready(); if (hdr.x == 1) { … }; goes(port); sends(valid headers, flags)

A field of which the stretch may have written nothing is as it was received where its flag is not set, and so is one that only
statements behind the stretch write. The runtime makes the bytes of the frame itself (macs/ready.h): headers that lie where they
were received may keep fields of which the decision does not tell, others may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of
from transpiler.externs.decisions import GOES, SENDS, UNREADY
from transpiler.externs.table import CIPHERING, CUTTING, KEEPING
from transpiler.hlir.expressions import (
    Binary,
    BinaryOp,
    Const,
    Expression,
    HeaderRef,
    IsValid,
    ListExpression,
    Read,
    VariableRef,
)
from transpiler.hlir.program import Control, Parser, Program, Role, Storage, Variable
from transpiler.hlir.statements import (
    Advance,
    ApplyTable,
    Block,
    Body,
    CallExtern,
    Emit,
    Extract,
    If,
    Statement,
    Switch,
)
from transpiler.hlir.traverse import bodies, rebuild, successors, walk
from transpiler.hlir.types import Bits, Bool, HeaderType, Varbit
from transpiler.schedule.architectures import describe
from transpiler.schedule.pipeline import DROPPED_AT, calls, steps
from transpiler.schedule.stretch import COMPUTING, Finder, Path, Stretch
from transpiler.schedule.written_together import Group, groups_of, with_flags

LATER = "decisions.later"  # flags of what is written behind the stretch
HEADERS_MAX = 64  # a bit of a word each
BYTES_MAX = 1024  # of macs/ready.h
BEHIND = (Role.EGRESS, Role.COMPUTE_CHECKSUM)


@dataclass(frozen=True, slots=True)
class Frames:
    """What is known of a program's frames: `received`: the headers that the parser extracts, in their order in a frame;
    `sent`: those that the deparser emits; `port`: the variable with the port that a packet goes to, if there is one."""

    received: tuple[str, ...]
    sent: tuple[str, ...]
    port: str | None

    @property
    def validity(self) -> frozenset[Location]:
        """What tells which headers a frame has, and so where they are."""
        return frozenset(Location(name, VALIDITY) for name in self.received)


@dataclass(frozen=True, slots=True)
class Ready:
    """What macs/ready.h is told: bytes of the headers received, and the bit of the key that tells of each; bytes of those sent,
    and their number among those received; masks, as bytes of all that are sent. No bytes: they vary."""

    received: tuple[tuple[int | None, int], ...]
    sent: tuple[tuple[int | None, int], ...]
    masks: tuple[bytes, ...]


def frames_of(program: Program, control: Control, stretch: Stretch) -> Frames | None:
    """None where no decision can be made ready."""
    if len(pipes := describe(program).plan(program)) != 1 or calls(program, KEEPING | CUTTING | CIPHERING):
        return None
    parser, deparser = program.pipe(Role.PARSER), program.pipe(Role.DEPARSER)
    assert isinstance(parser, Parser) and isinstance(deparser, Control)
    received, sent = _extracted(parser), _emitted(deparser)
    if received is None or sent is None or not _computes(program, _behind(program, control, stretch)):
        return None
    places = [program.header_type_of[name] for name in sent]
    if not _is_once(control.body, stretch.path):
        return None
    if max(len(received), len(sent)) > HEADERS_MAX or sum(map(_bytes_at_most, places)) > BYTES_MAX:
        return None
    known = {source for step in steps(pipes[0].items) for name, source in step.fills if name == "egress_port"}
    port = next((program.intrinsic.get(source) for source in known if isinstance(source, str)), None)
    found = Frames(received, sent, port)
    changed = _changed_before(program, control, stretch, extracts=False)
    return None if found.validity & changed else found


class Readying:
    """Puts what makes decisions ready into a program. `key`: what is in the key of a decision, in that order, with the bit of
    it where each begins; `flags`: the groups whose flags the stretch sets."""

    def __init__(
        self,
        program: Program,
        control: Control,
        stretch: Stretch,
        frames: Frames,
        key: Mapping[Location, int],
        flags: Mapping[str, Group],
    ) -> None:
        self.program, self.control, self.stretch, self.frames, self.key = program, control, stretch, frames, key
        self.span, self.locator = stretch.body[0].span, Locator(program)
        self.flags = dict(flags)
        self.flag_of = {location: flag for flag, group in flags.items() for location in group}
        self.changed = _changed_before(program, control, stretch)
        self.filled = of_architecture(program)
        behind = _behind(program, control, stretch)
        emitted = frozenset(Location(name, field) for name, field in self._fields())
        wanted = emitted & frozenset().union(*(self.locator.access(s).writes for s in walk(behind)))
        groups = groups_of(program, behind, wanted)
        self.later = {f"{LATER}_{number}": group for number, group in enumerate(groups)}
        self.missing = wanted.difference(*groups)

    def made(self) -> tuple[Program, Control, Ready] | None:
        """The program and the control of the stretch, in which what is behind it tells; None where some field that is sent is
        neither told by a decision nor as it was received."""
        masks = self._masks()
        if self.missing or masks is None:
            return None
        numbers = {name: number for number, name in enumerate(self.frames.received)}
        received = tuple((self._bytes(name), self.key[Location(name, VALIDITY)]) for name in self.frames.received)
        sent = tuple((self._bytes(name), numbers.get(name, -1)) for name in self.frames.sent)
        flags = (Variable(name, Bool(), Storage.LOCAL, self.span) for name in self.later)
        program = replace(self.program, variables=(*self.program.variables, *flags))
        told = _with_behind(
            self.control.body, self.stretch, self.stretch.path, lambda body: self._told(self._marked(body))
        )
        control = replace(self.control, body=(*told, *self._leaves()))
        pipes = (control if pipe is self.control else self._behind(pipe) for pipe in program.pipes)
        return replace(program, pipes=tuple(pipes)), control, Ready(received, sent, masks)

    # --- what is told -----------------------------------------------------------------------------------------------------

    def _behind(self, pipe: Control | Parser) -> Control | Parser:
        if not isinstance(pipe, Control) or pipe.role not in BEHIND:
            return pipe
        sends = (self._sends(),) if pipe.role is Role.COMPUTE_CHECKSUM else ()
        return replace(pipe, body=(*self._told(self._marked(pipe.body)), *sends))

    def _marked(self, body: Body) -> Body:
        return with_flags(self.program, body, self.later)[1]

    def _told(self, body: Body) -> Body:
        """The body, in which what is read is told."""
        made: list[Statement] = []
        for statement in body:
            if isinstance(statement, If):
                made += self._on_ways(statement.condition)
            else:
                made += self._unready(self.locator.access(statement).reads)
            made.append(rebuild(statement, self._told) if bodies(statement) else statement)
        return tuple(made)

    def _on_ways(self, condition: Expression) -> Iterator[Statement]:
        """The same for what a condition reads; its second part where it is looked at."""
        match condition:
            case Binary(op=BinaryOp.LAND | BinaryOp.LOR as op, left=left, right=right):
                yield from self._on_ways(left)
                if second := tuple(self._on_ways(right)):
                    then, otherwise = (second, ()) if op is BinaryOp.LAND else ((), second)
                    yield If(left, then, otherwise, self.span)
            case _:
                yield from self._unready(self.locator.read_by(condition))

    def _unready(self, reads: Iterable[Location]) -> Iterator[Statement]:
        """What says that a decision does not tell what is read, if it does not."""
        untold = [location for location in reads if not self._is_told(location)]
        unready = CallExtern(UNREADY, None, (), (), self.span)
        if any(location not in self.flag_of for location in untold):
            yield unready
            return
        for flag in sorted({self.flag_of[location] for location in untold}):
            yield If(self._read(flag), (), (unready,), self.span)

    def _is_told(self, location: Location) -> bool:
        if location in self.key or location in self.stretch.sure or location.owner in (*self.flags, *self.later):
            return True
        return location not in self.changed | self.filled

    def _leaves(self) -> Iterator[Statement]:
        """The packet comes to what decides where it goes."""
        (pipe,) = describe(self.program).plan(self.program)
        names = {name for step in steps(pipe.items) for name in step.reads}
        variables = sorted(self.program.intrinsic[name] for name in names if name in self.program.intrinsic)
        yield from self._unready(map(Location, variables))
        if self.frames.port is not None:
            variable = self.program.variable[self.frames.port]
            read = Read(VariableRef(variable.name, self.span), variable.type, self.span)
            yield CallExtern(GOES, None, (read,), (), self.span)

    def _sends(self) -> Statement:
        valid = tuple(IsValid(HeaderRef(name, self.span), self.span) for name in self.frames.sent)
        flags: tuple[Expression, ...] = tuple(map(self._read, (*self.flags, *self.later)))
        flags = flags or (Const(0, Bits(1), self.span),)
        lists = (ListExpression(valid, self.span), ListExpression(flags, self.span))
        return CallExtern(SENDS, None, lists, (), self.span)

    def _read(self, flag: str) -> Expression:
        return Read(VariableRef(flag, self.span), Bool(), self.span)

    # --- headers that are sent --------------------------------------------------------------------------------------------

    def _masks(self) -> tuple[bytes, ...] | None:
        """Of what is changed, of what is left, and of each flag."""
        groups = [frozenset(group) for group in (*self.flags.values(), *self.later.values())]
        bits: list[list[int]] = [[] for _ in range(2 + len(groups))]
        written = self.stretch.writes | _changed_before(self.program, self.control, self.stretch, extracts=False)
        for name, field in self._fields():
            location, width = Location(name, field), self._width(name, field)
            told, changed = self._is_told(location), location in written
            if changed and not told and location not in self.flag_of:
                return None
            of = (told and changed, told and not changed, *(location in group for group in groups))
            for mask, is_set in zip(bits, of, strict=True):
                mask += [int(is_set)] * width
        return tuple(_as_bytes(mask) for mask in bits)

    def _fields(self) -> Iterator[tuple[str, str]]:
        for name in self.frames.sent:
            layout = self.program.header_type_of[name]
            if _bytes_of(layout) is not None:
                yield from ((name, field.name) for field in layout.fields)

    def _width(self, name: str, field: str) -> int:
        type_ = self.program.header_type_of[name].field(field).type
        return type_.width if isinstance(type_, Bits) else 1

    def _bytes(self, name: str) -> int | None:
        return _bytes_of(self.program.header_type_of[name])


def _as_bytes(bits: list[int]) -> bytes:
    return bytes(int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits), 8))


def _bytes_of(layout: HeaderType) -> int | None:
    varies = any(isinstance(field.type, Varbit) for field in layout.fields)
    return None if varies else layout.fixed_bits // 8


def _bytes_at_most(layout: HeaderType) -> int:
    return _bytes_of(layout) or 0


def of_architecture(program: Program) -> frozenset[Location]:
    """What the architecture may have written in front of the first control."""
    zero = (*(describe(program).zero_at_first or ()), DROPPED_AT)
    filled = (variable for name, variable in program.intrinsics if name not in zero)
    return frozenset(map(Location, filled))


# --- the parser and the deparser ------------------------------------------------------------------------------------------


def _extracted(parser: Parser) -> tuple[str, ...] | None:
    """The headers that a parser extracts, each at most once, in the one order that they have in all frames. None where there
    is none, or where something lies between them."""
    successors_of = {state.name: successors(state) for state in parser.states}
    of: dict[str, list[str]] = {}
    for state in parser.states:
        of[state.name] = names = []
        for statement in walk(state.body):
            if isinstance(statement, Advance):
                return None
            if isinstance(statement, Extract):
                if not isinstance(statement.header, HeaderRef):
                    return None
                names.append(statement.header.name)
    before: dict[str, set[str]] = {name: set() for names in of.values() for name in names}
    for at, names in of.items():
        later = [name for other in _reached(successors_of, at) for name in of[other]]
        for number, name in enumerate(names):
            for follower in (*names[number + 1 :], *later):
                before[follower].add(name)
    try:
        return tuple(TopologicalSorter(before).static_order())
    except CycleError:
        return None


def _reached(successors_of: Mapping[str, tuple[str, ...]], name: str) -> set[str]:
    """The states that may come behind a state."""
    found: set[str] = set()
    todo = [name]
    while todo:
        new = {state for state in successors_of[todo.pop()] if state in successors_of} - found
        found |= new
        todo += new
    return found


def _emitted(deparser: Control) -> tuple[str, ...] | None:
    names = [s.header.name for s in deparser.body if isinstance(s, Emit) and isinstance(s.header, HeaderRef)]
    return tuple(names) if len(set(names)) == len(deparser.body) else None


# --- what is in front of the stretch, and behind it -----------------------------------------------------------------------


def _with_behind(body: Body, stretch: Stretch, path: Path, change: Callable[[Body], Body]) -> Body:
    """The body, of which what is behind the stretch is changed. `path`: the way to it from here."""
    if not path:
        end = stretch.first + len(stretch.body)
        return (*body[:end], *change(body[end:]))
    (number, which), *rest = path
    numbers = iter(range(len(bodies(body[number]))))

    def inner(old: Body) -> Body:
        return _with_behind(old, stretch, tuple(rest), change) if next(numbers) == which else old

    return (*body[:number], rebuild(body[number], inner), *change(body[number + 1 :]))


def _behind(program: Program, control: Control, stretch: Stretch) -> Body:
    """All statements behind the stretch, but those of the deparser."""
    found: list[Statement] = []
    body = control.body
    for number, which in stretch.path:
        found += body[number + 1 :]
        body = bodies(body[number])[which]
    found += body[stretch.first + len(stretch.body) :]
    others = (program.pipe(role) for role in BEHIND)
    return (*found, *(s for pipe in others if isinstance(pipe, Control) for s in pipe.body))


def _is_once(body: Body, path: Path) -> bool:
    """Whether no loop is on the way."""
    for number, which in path:
        if not isinstance(body[number], If | Switch | Block):
            return False
        body = bodies(body[number])[which]
    return True


def _computes(program: Program, body: Body) -> bool:
    """Whether statements do nothing but compute values."""
    finder = Finder(program)
    others = (s for s in walk(body) if isinstance(s, ApplyTable | CallExtern))
    return all(map(finder.may_be, body)) and all(isinstance(s, CallExtern) and s.method in COMPUTING for s in others)


def _changed_before(
    program: Program, control: Control, stretch: Stretch, *, extracts: bool = True
) -> frozenset[Location]:
    """What is written in front of the stretch. `extracts`: by those, too."""
    parser, verify = program.pipe(Role.PARSER), program.pipe(Role.VERIFY_CHECKSUM)
    found: list[Statement] = (
        [s for state in parser.states for s in walk(state.body)] if isinstance(parser, Parser) else []
    )
    found += walk(verify.body) if isinstance(verify, Control) else ()
    body = control.body
    for number, which in stretch.path:
        found += walk(body[:number])
        body = bodies(body[number])[which]
    found += walk(body[: stretch.first])
    tables = {s.table for s in found if isinstance(s, ApplyTable)}
    found += [s for table in sorted(tables) for action in actions_of(program, table) for s in walk(action.body)]
    locator = Locator(program)
    of = (s for s in found if extracts or not isinstance(s, Extract))
    return frozenset[Location]().union(*(locator.access(s).writes for s in of))
