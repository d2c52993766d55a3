"""Liveness over stages: which locations a stage reads that an earlier one wrote. These are in the packet's state; all others
are locals of their stage's function.

A backward analysis, later stages first. Loops and blocks are treated conservatively: what is read anywhere in them is live
before them. So a location may be kept without need, but none is lost.
"""

from __future__ import annotations

from collections.abc import Mapping

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of
from transpiler.hlir.expressions import HeaderPlace, VariableRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import (
    ApplyTable,
    Assign,
    Block,
    Body,
    CopyHeader,
    Emit,
    Extract,
    If,
    Leave,
    Statement,
    Switch,
    While,
)
from transpiler.hlir.traverse import expressions, program_statements, transition_expressions, walk
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Source, Special, Step
from transpiler.schedule.stages import Code, Dispatch, End, Finish, Fork, HandOver, Jump, Piece, Plain, Submit, Target

Live = frozenset[Location]


class Liveness:
    """Computes live sets for one pipe. `after`: what is live when the pipe ends; `to_replication`: where packets
    leave it for the replication pipeline; `preserved`: where they are dropped, too, as those that were cloned or are resubmitted
    take it along. `stored`: fields that do not keep the value they were extracted with, see `stored_fields`."""

    def __init__(
        self,
        program: Program,
        stored: Live,
        exits: Mapping[str, Target],
        after: Live,
        to_replication: Live,
        preserved: Live,
    ) -> None:
        self.program = program
        self.locator = Locator(program)
        self.stored = stored
        self.exits = exits
        self.after = after | preserved
        self.preserved = preserved
        self.to_replication = to_replication
        self.stages: dict[int, Live] = {}
        self.joins: dict[int, Live] = {}
        # of statements with bodies, which are asked about again for each body around them, by id and what is live behind them
        self._answered: dict[tuple[int, Live], tuple[Statement, Live]] = {}

    def before(self, code: Code) -> Live:
        """What is live at the start of a code. Every later stage and join must be known already."""
        live: Live = frozenset()
        for piece in reversed(code):
            live = self.before_piece(piece, live)
        return live

    def before_piece(self, piece: Piece, live: Live) -> Live:
        """What is live before a piece, with `live` behind it."""
        match piece:
            case Submit() | Jump() | End():
                return self._target(piece)
            case Fork(statement=statement, arms=arms):
                return self.locator.access(statement).reads.union(*(self.before(arm) for arm in arms))
            case Finish(statement=statement):
                return self._apply(statement, live)
            case Plain(what=what):
                return self._plain(what, live)
            case HandOver() | Dispatch():
                raise TypeError("a pipe is cut in two when it is known what lives where")

    def _target(self, target: Target) -> Live:
        match target:
            case Submit(stage=stage):
                return self.stages[stage]
            case Jump(join=join):
                return self.joins[join]
            case End():
                return self.after

    def _plain(self, what: Statement | Special, live: Live) -> Live:
        match what:
            case Step():
                return self._step(what, live)
            case Restart(keeps_headers=False):
                return frozenset()
            case Parse(parser=Parser() as parser) | Restart(parser=Parser() as parser):
                reads = [self._reads(state.body) for state in parser.states]
                reads += [self.locator.read_by(e) for state in parser.states for e in transition_expressions(state)]
                return live.union(*reads)
            case Deparse(control=control, then=then, valid=valid):
                live = self._step(then, live) if then is not None else live
                sure = frozenset(Location(name, VALIDITY) for name in valid) - live  # emitting asks for no others
                return live | (self._body(control.body, live) - sure)
            case Restart():
                return live
        return self.before_statement(what, live)

    def fills(self, step: Step, live: Live) -> tuple[tuple[str, Source | str], ...]:
        """What a step fills that is live behind it."""
        return tuple(fill for fill in step.fills if not self._intrinsics((fill[0],)).isdisjoint(live))

    def is_dead(self, statement: Statement, live: Live) -> bool:
        """Whether a statement does nothing but write a variable that is not live behind it."""
        return (
            isinstance(statement, Assign)
            and isinstance(statement.target, VariableRef)
            and Location(statement.target.name) not in live
        )

    def _step(self, step: Step, live: Live) -> Live:
        if step.ends:
            return self.preserved | self._intrinsics(step.reads)
        copied = tuple(source for _, source in self.fills(step, live) if not isinstance(source, Source))
        filled = self._intrinsics(tuple(name for name, _ in step.fills))
        to_replication = self.to_replication if step.diverts else frozenset()
        return (live - filled) | to_replication | self._intrinsics((*step.reads, *copied))

    def _body(self, body: Body, live: Live) -> Live:
        for statement in reversed(body):
            live = self.before_statement(statement, live)
        return live

    def before_statement(self, statement: Statement, live: Live) -> Live:
        """What is live before a statement, with `live` behind it."""
        if not isinstance(statement, ApplyTable | If | Switch):
            return self._before_statement(statement, live)
        asked = id(statement), frozenset(live)
        if asked not in self._answered:
            self._answered[asked] = statement, self._before_statement(statement, live)
        return self._answered[asked][1]

    def _before_statement(self, statement: Statement, live: Live) -> Live:
        if self.is_dead(statement, live):
            return live
        match statement:
            case ApplyTable():
                return self._apply(statement, live)
            case If(then=then, otherwise=otherwise):
                inner = self._body(then, live) | self._body(otherwise, live)
                return inner | self.locator.access(statement).reads
            case Switch(cases=cases, default=default):
                inner = self._body(default, live).union(*(self._body(case.body, live) for case in cases))
                return inner | self.locator.access(statement).reads
            case Leave(label=label):
                return self._target(self.exits[label]) if label in self.exits else live
            case Block() | While():
                return live | self._reads((statement,)) | self._exits_inside(statement)
            case Emit(header=header):
                return live | self._emitted(header)
        access = self.locator.access(statement)
        return (live - access.killed) | access.reads

    def _apply(self, statement: ApplyTable, live: Live) -> Live:
        """Only a table with an action profile may run no action: a group may be without members."""
        actions = actions_of(self.program, statement.table)
        access = self.locator.access(statement)
        live = live - access.killed
        passed = live if self.program.table[statement.table].implementation is not None else frozenset()
        return passed.union(access.reads, *(self._body(action.body, live) for action in actions))

    def _emitted(self, header: HeaderPlace) -> Live:
        """Emitting needs the validity and the fields that were written; the others are still in the frame."""
        return self.locator.validity(header) | (self.locator.whole(header) & self.stored)

    def _reads(self, body: Body) -> Live:
        found: set[Location] = set()
        for statement in walk(body):
            match statement:
                case Emit(header=header):
                    found |= self._emitted(header)
                case _:
                    found |= self.locator.access(statement).reads
            if isinstance(statement, ApplyTable):
                for action in actions_of(self.program, statement.table):
                    found |= self._reads(action.body)
        return frozenset(found)

    def _exits_inside(self, statement: Statement) -> Live:
        labels = {s.label for s in walk((statement,)) if isinstance(s, Leave)}
        return frozenset().union(*(self._target(self.exits[label]) for label in labels if label in self.exits))

    def _intrinsics(self, names: tuple[str, ...]) -> Live:
        found = (self.program.intrinsic.get(name) for name in names)
        return frozenset(Location(name) for name in found if name is not None)


def stored_fields(program: Program) -> Live:
    """The header fields that something other than an extract writes, carried over header copies. If one element of a
    stack is written, all are: they share their slots, and the deparser writes them all back. A header that goes along with
    a packet leaves its bytes behind: all its fields are among them."""
    locator = Locator(program)
    copies: list[CopyHeader] = []
    bridged = (name for bridge in program.bridges for name in bridge.headers)
    stored = {Location(name, field.name) for name in bridged for field in program.header_type_of[name].fields}
    for statement in program_statements(program):
        match statement:
            case CopyHeader():
                copies.append(statement)
            case Extract():
                pass
            case _:
                stored |= {w for w in locator.access(statement).writes if w.field not in ("", VALIDITY)}
    return frozenset(_carried(locator, stored, [(c.source, c.target) for c in copies]))


def loaded_fields(program: Program, stored: Live) -> Live:
    """The header fields that extracting must load: those that are read or stored, carried back over header copies."""
    locator = Locator(program)
    copies: list[CopyHeader] = []
    read: set[Location] = set(stored)
    for statement in program_statements(program):
        match statement:
            case CopyHeader():
                copies.append(statement)
                read |= {r for e in expressions(statement) for r in locator.read_by(e)}  # its run-time indices
            case Emit():
                pass
            case _:
                read |= {r for r in locator.access(statement).reads if r.field not in ("", VALIDITY)}
    for pipe in program.pipes:
        for state in pipe.states if isinstance(pipe, Parser) else ():
            for expression in transition_expressions(state):
                read |= {r for r in locator.read_by(expression) if r.field not in ("", VALIDITY)}
    return frozenset(_carried(locator, read, [(c.target, c.source) for c in copies]))


def _carried(locator: Locator, fields: set[Location], ways: list[tuple[HeaderPlace, HeaderPlace]]) -> set[Location]:
    """The fields and, for each way (from, to), the same fields of `to` as of `from`, until nothing is added; those of
    one element of a stack are those of all."""
    found = set(fields)
    stacks = [{stack.element(i) for i in range(stack.size)} for stack in locator.program.stacks]
    grown = True
    while grown:
        before = len(found)
        for elements in stacks:
            shared = {location.field for location in found if location.owner in elements}
            found |= {Location(name, field) for name in elements for field in shared}
        for origin, target in ways:
            names = set(locator.headers(origin))
            live_in = {location.field for location in found if location.owner in names}
            found |= {Location(name, field) for name in locator.headers(target) for field in live_in}
        grown = len(found) > before
    return found
