"""What the code of a stage computes, by lines of the program: the operations of each statement, counted.

A stage is measured as a whole. Its cycles are divided over its lines as their operations are: a statement is one, and so is each
operator, place and key in it; headers are a word of 8 bytes an operation. What is never measured is predicted of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from transpiler.analysis.locations import actions_of
from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Expression, HeaderPlace, HeaderRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import (
    ApplyTable,
    Block,
    Body,
    CallExtern,
    CopyHeader,
    Emit,
    Extract,
    If,
    Leave,
    Statement,
    Switch,
)
from transpiler.hlir.traverse import bodies, expressions, successors, transition_expressions, walk_expression
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Special
from transpiler.schedule.stages import Code, Dispatch, Finish, Fork, Jump, PipeSchedule, Plain, Stage, Submit
from transpiler.schedule.successors import whole

# Where nothing of the program is measured: cycles an operation, and of a stage a burst. Fitted to l2fwd and fabric; a router with
# large ternary tables takes five times as many an operation.
CYCLES = 3.0
BURST = 350.0
WORD_BITS = 64
LOOKUP, CALL = 8, 4  # operations: a key's hash and comparison, an extern


@dataclass(frozen=True, slots=True)
class Work:
    """`operations` at a place of the program; `likely`: the share of a stage's packets that come there, if each way is taken as
    often as any other. `memory`: the table or state that it reads, "" where it reads none. `owner`: where the parser state or
    action stands that it is of, or the application of a table that it is; None of other statements."""

    span: Span
    operations: float
    likely: float = 1.0
    memory: str = ""
    owner: Span | None = None


def work_of(program: Program, pipe: PipeSchedule, stage: Stage) -> tuple[Work, ...]:
    """What a stage does, joins included; what stands at one place is one."""
    found: dict[Span, Work] = {}
    for one in _code(program, whole(pipe, stage.code), 1.0):
        known = found.get(one.span)
        found[one.span] = one if known is None else _more(known, one)
    return tuple(found.values())


def _more(known: Work, one: Work) -> Work:
    """Both, at one place: as often as they are likely together."""
    likely = min(1.0, known.likely + one.likely)
    operations = max(known.operations, one.operations)
    return Work(known.span, operations, likely, known.memory or one.memory, known.owner)


def _code(program: Program, code: Code, likely: float) -> Iterator[Work]:
    for piece in code:
        match piece:
            case Plain(what=Deparse(control=control)):
                yield from _statements(program, control.body, likely)
            case Plain(what=Parse(parser=parser) | Restart(parser=parser)) if parser is not None:
                yield from _parser(program, parser, likely)
            case Plain(what=what) if not isinstance(what, Special):
                yield from _statements(program, (what,), likely)
            case Finish(statement=statement):
                yield from _statements(program, (statement,), likely)
            case Fork(statement=statement, arms=arms):
                yield _own(program, statement, likely)
                for arm in arms:
                    yield from _code(program, arm, likely / len(arms))


def _parser(program: Program, parser: Parser, likely: float) -> Iterator[Work]:
    comes = dict.fromkeys((state.name for state in parser.states), 0.0)
    comes[parser.states[0].name] = likely
    passed: set[str] = set()
    for state in parser.states:  # a loop's way back is left out
        passed.add(state.name)
        ways = successors(state)
        for way in ways:
            if way in comes and way not in passed:
                comes[way] += comes[state.name] / len(ways)
        yield from _statements(program, state.body, comes[state.name], state.span)
        count = 1.0 + _count(transition_expressions(state))
        yield Work(state.transition.span, count, comes[state.name], owner=state.span)


def _statements(program: Program, body: Body, likely: float, owner: Span | None = None) -> Iterator[Work]:
    for statement in body:
        if not isinstance(statement, Block | Leave):
            yield _own(program, statement, likely, owner)
        inner = bodies(statement)
        each = likely / len(inner) if isinstance(statement, If | Switch) else likely
        for one in inner:
            yield from _statements(program, one, each, owner)
        if isinstance(statement, ApplyTable):
            actions = actions_of(program, statement.table)
            for action in actions:
                yield from _statements(program, action.body, likely / len(actions), action.span)


def _own(program: Program, statement: Statement, likely: float, owner: Span | None = None) -> Work:
    """A statement without the bodies in it."""
    count = 1.0 + _count(expressions(statement))
    memory = ""
    match statement:
        case ApplyTable(table=table):
            keys = program.table[table].keys
            count += _count(tuple(key.expression for key in keys)) + (LOOKUP if keys else 0)
            memory, owner = table, statement.span
        case CallExtern(instance=instance):
            count += CALL
            memory = instance or ""
        case Extract(header=header) | Emit(header=header) | CopyHeader(target=header):
            count += _bits(program, header) // WORD_BITS
    return Work(statement.span, count, likely, memory, owner)


def _bits(program: Program, header: HeaderPlace) -> int:
    name = header.name if isinstance(header, HeaderRef) else header.stack
    return program.header_type_of[name].fixed_bits


def _count(found: tuple[Expression, ...]) -> int:
    return sum(1 for one in found for _ in walk_expression(one))


def arrivals(pipe: PipeSchedule) -> tuple[float, ...]:
    """For each stage of a pipe the share of packets that come to it, if each way is taken as often as any other."""
    shares = [0.0] * len(pipe.stages)
    shares[0] = 1.0
    for number, stage in enumerate(pipe.stages):
        for target, likely in _ahead(pipe, stage.code, 1.0):
            if target > number:
                shares[target] = min(1.0, shares[target] + shares[number] * likely)
    return tuple(shares)


def _ahead(pipe: PipeSchedule, code: Code, likely: float) -> Iterator[tuple[int, float]]:
    for piece in code:
        match piece:
            case Submit(stage=stage):
                yield stage, likely
            case Dispatch(stages=stages):
                yield from ((stage, likely / len(stages)) for stage in stages)
            case Jump(join=join):
                yield from _ahead(pipe, pipe.joins[join], likely)
            case Fork(arms=arms):
                for arm in arms:
                    yield from _ahead(pipe, arm, likely / len(arms))
