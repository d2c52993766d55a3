"""Received fields: header fields that nothing has changed since they were extracted. A stage reads them in the frame, and they
are not live values.

parse; submit 1   stage 1: … = ipv4.dst; submit 2   stage 2: ipv4.ttl = ipv4.ttl - 1   →   stage 1 reads dst in the frame,
stage 2 loads ttl when it begins, and neither is kept from stage to stage

A field has its received value if nothing but an extract, or a copy of a header whose field has its own, has written it since
the packet began. Zero is the value of a field of a header that was not received. Forward over stages, by the ways of packets; a
stage that may change a field on one of its ways keeps it as a variable on all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.hlir.expressions import HeaderRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import ApplyTable, CopyHeader, Extract, Leave, Statement
from transpiler.hlir.traverse import program_statements, walk
from transpiler.hlir.types import Varbit
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special, Step
from transpiler.schedule.stages import (
    Code,
    End,
    Finish,
    Fork,
    Jump,
    Piece,
    PipeSchedule,
    Plain,
    Submit,
    Target,
    begins_anew,
    restart_of,
)
from transpiler.schedule.successors import whole

Fields = frozenset[Location]


def with_received_fields(program: Program, pipes: tuple[PipeSchedule, ...]) -> tuple[PipeSchedule, ...]:
    """The pipes, each stage with the fields that it finds as they were received, and those that it leaves so.

    None where a packet may begin anew with headers of an earlier pass, which need not lie in the frame any more.
    """
    if program.bridges or any(map(_keeps_headers, pipes)):
        return pipes
    flow = _Flow(program)
    made: list[PipeSchedule] = []
    begin, parted = flow.fields, flow.fields
    for pipe in pipes:
        entry = flow.fields if begins_anew(pipe) else parted if pipe.replication else begin
        received, ended, left = flow.through(pipe, entry)
        if restart_of(pipe) is not None:  # some packets come to the pipe behind it alone
            ended &= begin
        if not pipe.replication:
            begin, parted = ended, left
        made.append(replace(pipe, stages=tuple(
            replace(stage, received=there, unchanged=flow.unchanged(statements_of(whole(pipe, stage.code)), there))
            for stage, there in zip(pipe.stages, received, strict=True)
        )))  # fmt: skip
    return tuple(made)


def with_intact_fields(program: Program, pipes: tuple[PipeSchedule, ...]) -> tuple[PipeSchedule, ...]:
    """The pipes, each stage that parses with the fields that nothing in it writes but an extract: they are variables, and still
    in the frame, where those side by side can be read at once. None of headers that others are copied to: these move."""
    if program.bridges or any(map(_keeps_headers, pipes)):
        return pipes
    flow = _Flow(program)
    targets = (s.target for s in program_statements(program) if isinstance(s, CopyHeader))
    copied = {target.name for target in targets if isinstance(target, HeaderRef)}
    fields = frozenset(field for field in flow.fields if field.owner not in copied)
    made: list[PipeSchedule] = []
    for pipe in pipes:
        first, *others = pipe.stages
        if begins_anew(pipe):
            first = replace(first, intact=flow.unchanged(statements_of(whole(pipe, first.code)), fields))
        made.append(replace(pipe, stages=(first, *others)))
    return tuple(made)


def _keeps_headers(pipe: PipeSchedule) -> bool:
    """Whether a packet may come to the pipe with its headers after its frame was changed."""
    restart = restart_of(pipe)
    return restart is not None and restart.keeps_headers


class _Flow:
    """Follows the fields of a program through its pipes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.locator = Locator(program)
        preserved = {Location(*field) for fields in preserved_lists(program) for field in fields}
        self.fields = frozenset(_fixed_fields(program)) - preserved

    def through(self, pipe: PipeSchedule, entry: Fields) -> tuple[list[Fields], Fields, Fields]:
        """What each stage finds, with `entry` in front of the pipe; what the end of the pipe finds, and the step that diverts
        packets for the replication pipeline."""
        found: dict[Target, Fields] = {Submit(0): entry}
        self.pipe, self.found, self.parted = pipe, found, self.fields
        self.todo: list[Target] = [Submit(0)]
        while self.todo:
            match to := self.todo.pop():
                case Submit(stage=stage):
                    self._code(pipe.stages[stage].code, found[to])
                case Jump(join=join):
                    self._code(pipe.joins[join], found[to])
        stages = [found.get(Submit(number), self.fields) for number in range(len(pipe.stages))]
        return stages, found.get(End(), self.fields), self.parted

    def _meet(self, target: Target, fields: Fields) -> None:
        before = self.found.get(target)
        met = fields if before is None else before & fields
        if met != before:
            self.found[target] = met
            self.todo.append(target)

    def _code(self, code: Code, fields: Fields) -> None:
        for piece in code:
            match piece:
                case Submit() | Jump() | End():
                    self._meet(piece, fields)
                case Fork(arms=arms):
                    for arm in arms:
                        self._code(arm, fields)
                case _:
                    fields = self._behind(piece, fields)

    def _behind(self, piece: Piece, fields: Fields) -> Fields:
        match piece:
            case Plain(what=Step(diverts=True) | Deparse(then=Step(diverts=True))):
                self.parted &= fields
        match piece:
            case Plain(what=Deparse()):
                return frozenset()
            case Plain(what=Step() | Restart(parse=None)):
                return fields
            case Plain(what=Parse(parser=parser) | Restart(parser=Parser() as parser)):
                return self.unchanged((s for state in parser.states for s in walk(state.body)), fields)
            case Finish(statement=statement):
                return self.unchanged((statement,), fields)
            case Plain(what=statement) if not isinstance(statement, Special):
                inside = tuple(walk((statement,)))
                fields = self.unchanged(inside, fields)
                for leave in inside:
                    if isinstance(leave, Leave) and leave.label in self.pipe.exits:
                        self._meet(self.pipe.exits[leave.label], fields)
                return fields
        raise TypeError(f"{piece} stands in no stage")

    def unchanged(self, statements: Iterable[Statement], fields: Fields) -> Fields:
        """Those of the fields that statements leave as they were received, in whatever order they run."""
        copies: list[CopyHeader] = []
        written: set[Location] = set()
        for statement in self._with_actions(statements):
            match statement:
                case Extract():
                    pass
                case CopyHeader(target=HeaderRef(), source=HeaderRef()):
                    copies.append(statement)
                case _:
                    written |= self.locator.access(statement).writes
        left = fields - written
        while True:
            before = left
            for copy in copies:
                (target,), (source,) = self.locator.headers(copy.target), self.locator.headers(copy.source)
                changed = (f for f in left if f.owner == target and Location(source, f.field) not in left)
                left -= frozenset(changed)
            if left == before:
                return left

    def _with_actions(self, statements: Iterable[Statement]) -> Iterator[Statement]:
        for statement in statements:
            yield statement
            if isinstance(statement, ApplyTable):
                for action in actions_of(self.program, statement.table):
                    yield from walk(action.body)


def _fixed_fields(program: Program) -> Iterator[Location]:
    """The fields that lie at one distance from the first byte of their header."""
    elements = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
    for header in program.headers:
        if header.local or header.name in elements:
            continue
        for field in program.header_type_of[header.name].fields:
            if isinstance(field.type, Varbit):
                break
            yield Location(header.name, field.name)
