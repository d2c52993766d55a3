"""Inlines actions that access large state behind their tables, where the pipeline can be cut.

t.apply()  with  count(i) { r.read(v, i); r.write(i, v + 1); }
→
t.apply()  with  count(i) { copied = i; }
switch (t.apply().action_run) { count: { r.read(v, copied); r.write(copied, v + 1); } }

A cell whose index is action data is then prefetched for many packets, as a table's entry is. The control plane sees no
difference: tables keep their actions, and these their parameters. An action that uses a direct counter or meter is not
inlined, as that belongs to the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count

from transpiler.analysis.locations import actions_of
from transpiler.externs.table import is_direct
from transpiler.hlir.expressions import Expression, Place, Read, VariableRef
from transpiler.hlir.program import Action, Control, Pipe, Program, Storage, Table, Variable
from transpiler.hlir.statements import ApplyTable, Assign, Block, Body, CallExtern, Leave, Statement, Switch, SwitchCase
from transpiler.hlir.traverse import rebuild, rewrite_statement, walk
from transpiler.schedule.state import own_accesses


def with_inlined_actions(program: Program, large: frozenset[str]) -> Program:
    """The program with such actions inlined. `large`: the registers and meters whose accesses may miss the cache."""
    inlined = frozenset(action.name for action in program.actions if _is_inlined(program, action, large))
    return _Inliner(program, inlined).program_inlined() if inlined else program


def _is_inlined(program: Program, action: Action, large: frozenset[str]) -> bool:
    calls = [s for s in walk(action.body) if isinstance(s, CallExtern)]
    accesses = any(access.instance in large for call in calls for access in own_accesses(call))
    if not accesses or any(is_direct(call.method) for call in calls):
        return False
    tables = [table for table in program.tables if action in actions_of(program, table.name)]
    return all(table.implementation is None for table in tables)  # those tell of each action that they run


@dataclass
class _Inliner:
    program: Program
    inlined: frozenset[str]

    def __post_init__(self) -> None:
        self.variables: list[Variable] = []
        self.copies = {name: self._copies(self.program.action[name]) for name in sorted(self.inlined)}
        self.sites = count()

    def program_inlined(self) -> Program:
        pipes = tuple(map(self._pipe, self.program.pipes))
        actions = tuple(self._action(action) for action in self.program.actions)
        variables = (*self.program.variables, *self.variables)
        return replace(self.program, pipes=pipes, actions=actions, variables=variables)

    def _copies(self, action: Action) -> dict[str, str]:
        """Parameter → the variable that has a copy of it behind the table."""
        return {name: self._variable(f"{name}.copied", self.program.variable[name]) for name in action.parameters}

    def _variable(self, name: str, like: Variable) -> str:
        taken = self.program.variable.keys() | {variable.name for variable in self.variables}
        while name in taken:
            name += "_"
        self.variables.append(Variable(name, like.type, Storage.LOCAL, like.span))
        return name

    def _action(self, action: Action) -> Action:
        if action.name not in self.inlined:
            return action

        def copied(parameter: str, variable: str) -> Assign:
            type_, span = self.program.variable[parameter].type, action.span
            return Assign(VariableRef(variable, span), Read(VariableRef(parameter, span), type_, span), span)

        return replace(action, body=tuple(copied(*pair) for pair in self.copies[action.name].items()))

    def _pipe(self, pipe: Pipe) -> Pipe:
        return replace(pipe, body=self._body(pipe.body)) if isinstance(pipe, Control) else pipe

    def _body(self, body: Body) -> Body:
        return tuple(made for statement in body for made in self._statement(rebuild(statement, self._body)))

    def _statement(self, statement: Statement) -> Body:
        if not isinstance(statement, ApplyTable):
            return (statement,)
        table = self.program.table[statement.table]
        numbers = {use.action: number for number, use in enumerate(table.actions) if use.action in self.inlined}
        if not numbers:
            return (statement,)
        site, span = next(self.sites), statement.span
        ran = statement.action or VariableRef(self._action_run(table), span)
        cases = tuple(
            SwitchCase((number,), self._behind(self.program.action[name], site), span)
            for name, number in numbers.items()
        )
        subject: Expression = Read(ran, table.action_enum, span)
        return (replace(statement, action=ran), Switch(subject, cases, (), span))

    def _action_run(self, table: Table) -> str:
        name = f"{table.name}.ran"
        if not any(variable.name == name for variable in self.variables):
            self.variables.append(Variable(name, table.action_enum, Storage.LOCAL, table.span))
        return name

    def _behind(self, action: Action, site: int) -> Body:
        """The action's body, of the copies of its parameters and with labels that no other has."""
        copies = self.copies[action.name]

        def read(expression: Expression) -> Expression:
            match expression:
                case Read(place=VariableRef(name=name) as place) if name in copies:
                    return replace(expression, place=replace(place, name=copies[name]))
            return expression

        def statement(old: Statement) -> Statement:
            made = _assigning(rewrite_statement(rebuild(old, body), read), copies)
            if isinstance(made, Block | Leave):
                return replace(made, label=f"{made.label}_{site}")
            return made

        def body(old: Body) -> Body:
            return tuple(map(statement, old))

        return body(action.body)


def _assigning(statement: Statement, copies: Mapping[str, str]) -> Statement:
    """The statement with its results in the copies where an action assigns to its parameters."""

    def moved(place: Place) -> Place:
        return (
            replace(place, name=copies[place.name])
            if isinstance(place, VariableRef) and place.name in copies
            else place
        )

    match statement:
        case Assign(target=target):
            return replace(statement, target=moved(target))
        case CallExtern(outputs=outputs):
            return replace(statement, outputs=tuple(map(moved, outputs)))
    return statement
