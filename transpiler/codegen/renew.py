"""Sets locals that several controls share to zero at the start of each control: their C may be in one function, with the same
variables. An action that is declared outside of controls shares the flag for its `exit`.

control egress { if (exited) ... }   →   control egress { exited = false; if (exited) ... }
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from transpiler.analysis.locations import Location, Locator, actions_of
from transpiler.hlir.expressions import Const, VariableRef
from transpiler.hlir.program import Control, Pipe, Program, Storage, Variable
from transpiler.hlir.statements import ApplyTable, Assign, Body
from transpiler.hlir.traverse import walk


def renew_locals(program: Program) -> Program:
    """The program with an assignment for each such local, at the start of each control that reads it."""
    locator = Locator(program)
    controls = [pipe for pipe in program.pipes if isinstance(pipe, Control)]
    writers = Counter(location for control in controls for location in locator.written_in(control.body))
    shared = [v for v in program.variables if v.storage is Storage.LOCAL and writers[Location(v.name)] > 1]
    if not shared:
        return program

    def renewed(pipe: Pipe) -> Pipe:
        if not isinstance(pipe, Control):
            return pipe
        read = _read_in(program, locator, pipe.body)
        zeros = tuple(_zero(variable) for variable in shared if Location(variable.name) in read)
        return replace(pipe, body=(*zeros, *pipe.body))

    return replace(program, pipes=tuple(map(renewed, program.pipes)))


def _read_in(program: Program, locator: Locator, body: Body) -> frozenset[Location]:
    """Everything that a body may read, the actions of its tables included."""
    statements = list(walk(body))
    tables = {statement.table for statement in statements if isinstance(statement, ApplyTable)}
    statements += [s for table in tables for action in actions_of(program, table) for s in walk(action.body)]
    return frozenset().union(*(locator.access(statement).reads for statement in statements))


def _zero(variable: Variable) -> Assign:
    return Assign(VariableRef(variable.name, variable.span), Const(0, variable.type, variable.span), variable.span)
