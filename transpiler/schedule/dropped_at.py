"""Notes where in the program a packet got what it is dropped by, so that drops are counted by line.

egress_spec = 511;      →      egress_spec = 511;  dropped_at = 17;

The last such assignment before the packet is dropped is the place. One that cannot drop it, as its value is known, needs no note.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.diagnostics import Span
from transpiler.hlir.expressions import Const, VariableRef
from transpiler.hlir.program import Action, Control, Parser, Pipe, Program, Storage, Variable
from transpiler.hlir.statements import Assign, Body, Statement
from transpiler.hlir.traverse import program_statements, rebuild
from transpiler.hlir.types import Bits
from transpiler.schedule.architectures import describe
from transpiler.schedule.pipeline import DROPPED_AT

FIRST = 16  # MACS_CAUSE_PLACE: smaller numbers are enum macs_cause
PLACES = 111  # that have numbers; the drops of others are the program's, no more is known
NUMBER = Bits(8)


def with_dropped_at(program: Program) -> Program:
    """The program with such notes; the same where nothing in it can drop a packet."""
    drops = {program.intrinsic[name]: value for name, value in describe(program).drops if name in program.intrinsic}
    noter = _Noter(drops, _free_name(program))
    pipes = tuple(map(noter.pipe, program.pipes))
    actions = tuple(map(noter.action, program.actions))
    if not noter.numbers:
        return program
    variable = Variable(noter.name, NUMBER, Storage.METADATA, program.span)
    return replace(
        program,
        pipes=pipes,
        actions=actions,
        variables=(*program.variables, variable),
        intrinsics=(*program.intrinsics, (DROPPED_AT, noter.name)),
    )


def places(program: Program) -> tuple[Span | None, ...]:
    """The place of each number from FIRST on; None where no statement is left that notes it."""
    name = program.intrinsic.get(DROPPED_AT)
    found = {
        s.value.value: s.span
        for s in program_statements(program)
        if isinstance(s, Assign) and isinstance(s.target, VariableRef) and s.target.name == name
        if isinstance(s.value, Const)
    }
    return tuple(found.get(number) for number in range(FIRST, max(found, default=FIRST - 1) + 1))


def _free_name(program: Program) -> str:
    name = "dropped_at"
    while name in program.variable:
        name += "_"
    return name


class _Noter:
    """`drops`: the variables that drop a packet, and with which value; `numbers`: of the lines so far."""

    def __init__(self, drops: dict[str, int], name: str) -> None:
        self.drops, self.name = drops, name
        self.numbers: dict[tuple[str, int], int] = {}

    def pipe(self, pipe: Pipe) -> Pipe:
        if isinstance(pipe, Parser):
            states = tuple(replace(state, body=self._body(state.body)) for state in pipe.states)
            return replace(pipe, states=states)
        return replace(pipe, body=self._body(pipe.body)) if isinstance(pipe, Control) else pipe

    def action(self, action: Action) -> Action:
        return replace(action, body=self._body(action.body))

    def _body(self, body: Body) -> Body:
        made: list[Statement] = []
        for statement in body:
            made.append(rebuild(statement, self._body))
            if isinstance(statement, Assign) and self._may_drop(statement):
                number = Const(self._number(statement.span), NUMBER, statement.span)
                made.append(Assign(VariableRef(self.name, statement.span), number, statement.span))
        return tuple(made)

    def _may_drop(self, statement: Assign) -> bool:
        if not isinstance(statement.target, VariableRef) or statement.target.name not in self.drops:
            return False
        value = statement.value
        return not isinstance(value, Const) or value.value == self.drops[statement.target.name]

    def _number(self, span: Span) -> int:
        line = span.file, span.line
        if line not in self.numbers and len(self.numbers) == PLACES:
            return 0
        return self.numbers.setdefault(line, FIRST + len(self.numbers))
