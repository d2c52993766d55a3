"""Transfer functions of statements, parsers and steps of the architecture: path states (paths.py) before → path states after,
and the statement with known values replaced.

Loops, and parsers with loops, are treated conservatively: what is written anywhere in them is unknown after them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of, location_of
from transpiler.externs.table import METHODS
from transpiler.hlir.expressions import HeaderRef, Read
from transpiler.hlir.program import Parser, Program, Storage
from transpiler.hlir.statements import (
    Advance,
    ApplyTable,
    Assign,
    Block,
    Body,
    CallExtern,
    Emit,
    Extract,
    If,
    Leave,
    Lookahead,
    SetValid,
    Statement,
    Switch,
    Verify,
    While,
)
from transpiler.hlir.traverse import bodies, program_statements, rebuild, rewrite_statement, successors, walk
from transpiler.hlir.types import Bits, Bool
from transpiler.schedule.architectures import describe, preserved_lists
from transpiler.schedule.paths import (
    LIMIT,
    PathState,
    PathStates,
    agreed,
    common,
    copied,
    forget,
    known,
    met,
    putting,
    split_by,
    validity_of,
    values_of,
)
from transpiler.schedule.pipeline import Deparse, Parse, Restart, Source, Special, Step


class Transfer:
    """The transfer functions of one pipe. `go_out`: replaces a Leave of a block that the pipe was cut in. `to_replication`:
    the path states in which packets leave the pipe for the replication pipeline."""

    def __init__(self, program: Program, go_out: Callable[[Leave, PathStates], Leave]) -> None:
        self.program = program
        self.locator = Locator(program)
        self.asked = self._asked()
        self.to_replication: PathStates = []
        self._specialise = describe(program).specialise
        self._go_out = go_out
        self._left: dict[str, PathStates] = {}  # at the ends of the blocks around the current statement

    def _asked(self) -> frozenset[Location]:
        """The locations whose values are tracked: validity, what conditions read, intrinsic values."""
        found = {Location(header.name, VALIDITY) for header in self.program.headers}
        found |= {Location(name) for name in self.program.intrinsic.values()}
        for statement in program_statements(self.program):
            if isinstance(statement, If | Switch):
                found |= self.locator.access(statement).reads
        return frozenset(found)

    def fresh(self, keeps: tuple[int, ...]) -> PathState:
        """The path state of a fresh packet. Unknown are the fields of the lists with these numbers, which it may preserve."""
        variables = (self.program.variable.get(location.owner) for location in self.asked if not location.field)
        zero = (v for v in variables if v is not None and v.storage is not Storage.ACTION_DATA)
        path_state = {Location(variable.name): 0 for variable in zero if isinstance(variable.type, Bits | Bool)}
        path_state |= {Location(header.name, VALIDITY): 0 for header in self.program.headers}
        lists = preserved_lists(self.program)
        forget([path_state], (Location(*place) for number in keeps for place in lists[number]))
        return path_state

    def cases(self, switch: Switch, path_states: PathStates) -> list[PathStates]:
        """The path states of each case, then those of the default."""
        reached: list[PathStates] = [[] for _ in (*switch.cases, None)]
        wanted = {value: number for number, case in enumerate(switch.cases) for value in case.values}
        subject = location_of(switch.subject.place) if isinstance(switch.subject, Read) else None
        for path_state, value in zip(path_states, values_of(switch.subject, path_states), strict=True):
            if value is not None:
                reached[wanted.get(value, -1)].append(dict(path_state))
                continue
            for inside in reached:
                inside.append(dict(path_state))
            for number, case in enumerate(switch.cases):
                if subject is not None and len(case.values) == 1:
                    reached[number][-1][subject] = case.values[0]
        return reached

    # --- the architecture's ------------------------------------------------------------------------------------------

    def special(self, what: Special, path_states: PathStates) -> tuple[Special, PathStates]:
        match what:
            case Step():
                return self._step(what, path_states)
            case Parse(parser=parser, error=error):
                path_states = self._parse(parser, path_states)
                forget(path_states, self._intrinsic(error))
                return what, path_states
            case Deparse(control=control, then=then):
                valid = (validity_of(s.header) for s in walk(control.body) if isinstance(s, Emit))
                fixed = (v for v in valid if v is not None and v not in self.locator.written_in(control.body))
                sure = frozenset(v.owner for v in fixed if agreed(path_states, v) == 1)
                body, path_states = self._body(control.body, path_states)
                specialised, path_states = self._step(then, path_states) if then is not None else (None, path_states)
                return replace(what, control=replace(control, body=body), then=specialised, valid=sure), path_states
            case Restart():
                return what, [{}]

    def _step(self, step: Step, path_states: PathStates) -> tuple[Step, PathStates]:
        specialised = [self._specialise(self.program, step, self._value_in(path_state)) for path_state in path_states]
        for_all = specialised[0]
        if len(set(specialised)) > 1:  # then by what is known in all path states
            for_all = self._specialise(self.program, step, self._value_in(common(path_states)))
        if any(what.diverts for what in specialised):
            self.to_replication = met([*self.to_replication, *copied(path_states)])
        going = [path_state for path_state, what in zip(path_states, specialised, strict=True) if not what.ends]
        copies = [
            [(source, self._value_in(w)(source)) for _, source in step.fills if isinstance(source, str)] for w in going
        ]
        for path_state, values in zip(going, copies, strict=True):
            by_name = dict(values)
            for name, source in step.fills:
                value = {Source.ZERO: 0, Source.ONE: 1}.get(source) if isinstance(source, Source) else by_name[source]
                for location in self._intrinsic(name):
                    path_state.pop(location, None)
                    if value is not None:
                        path_state[location] = value
        return for_all, going

    def _value_in(self, path_state: PathState) -> Callable[[str], int | None]:
        """The value of an intrinsic value, by its name: zero where the program cannot name it."""

        def value(name: str) -> int | None:
            locations = self._intrinsic(name)
            return path_state.get(locations[0]) if locations else 0

        return value

    def _intrinsic(self, name: str) -> tuple[Location, ...]:
        variable = self.program.intrinsic.get(name)
        return () if variable is None else (Location(variable),)

    def _parse(self, parser: Parser, path_states: PathStates) -> PathStates:
        states = {state.name: state for state in parser.states}
        order = _in_order(parser)
        if order is None:
            forget(path_states, self.locator.written_in(tuple(s for state in parser.states for s in state.body)))
            return met(path_states)
        arrived: dict[str, PathStates] = {parser.states[0].name: path_states} if parser.states else {}
        ended: PathStates = [] if parser.states else path_states
        for name in order:
            inside = met(arrived.get(name, []))
            for statement in states[name].body:
                if any(isinstance(s, Extract | Lookahead | Advance | Verify) for s in walk((statement,))):
                    if bodies(statement):
                        forget(inside, self._written(statement))
                    ended = met([*ended, *copied(inside)])  # the parser may end there with an error
                inside = self._parser_statement(statement, inside)
            for successor in successors(states[name]):
                if successor in states:
                    arrived.setdefault(successor, []).extend(copied(inside))
            ended = met([*ended, *inside])  # accepted, rejected, or nothing matches
        return ended

    def _parser_statement(self, statement: Statement, path_states: PathStates) -> PathStates:
        match statement:
            case Extract(header=HeaderRef(name=name)):
                forget(path_states, self.locator.access(statement).writes)
                for path_state in path_states:
                    path_state[Location(name, VALIDITY)] = 1
                return path_states
            case If() | Switch() | Block() | While():
                forget(path_states, self._written(statement))
                return path_states
        return self.statement(statement, path_states)[1]

    # --- statements --------------------------------------------------------------------------------------------------

    def _body(self, body: Body, path_states: PathStates) -> tuple[Body, PathStates]:
        kept: list[Statement] = []
        for statement in body:
            if not path_states:
                break
            made, path_states = self.statement(statement, path_states)
            kept += made
        return tuple(kept), path_states

    def statement(self, statement: Statement, path_states: PathStates) -> tuple[Body, PathStates]:
        match statement:
            case If(condition=condition, then=then, otherwise=otherwise):
                first, second = split_by(condition, path_states)
                if not first or not second:
                    return self._body(then if first else otherwise, first or second)
                condition = known(condition, path_states)
                then, first = self._body(then, first)
                otherwise, second = self._body(otherwise, second)
                made = replace(statement, condition=condition, then=then, otherwise=otherwise)
                return (made,), met([*first, *second])
            case Switch():
                return self._plain_switch(statement, path_states)
            case Block(label=label, body=body):
                outer, self._left[label] = self._left.get(label), []
                body, path_states = self._body(body, path_states)
                path_states = met([*path_states, *self._left.pop(label)])
                if outer is not None:
                    self._left[label] = outer
                return (replace(statement, body=body),), path_states
            case Leave():
                return (self._leave(statement, path_states),), []
            case While():
                forget(path_states, self._written(statement))
                return (self._leaves(statement, path_states),), path_states
            case ApplyTable():
                return (statement,), self.apply(statement, path_states)
        return (self._simple(statement, path_states),), path_states

    def _plain_switch(self, switch: Switch, path_states: PathStates) -> tuple[Body, PathStates]:
        reached = self.cases(switch, path_states)
        cases = []
        behind: PathStates = []
        for case, inside in zip(switch.cases, reached[:-1], strict=True):
            if inside:
                body, inside = self._body(case.body, inside)
                cases.append(replace(case, body=body))
                behind += inside
        default, inside = self._body(switch.default, reached[-1])
        behind = met([*behind, *inside])
        if not cases:
            return default, behind
        if len(cases) == 1 and not reached[-1]:
            return cases[0].body, behind
        subject = known(switch.subject, path_states)
        return (replace(switch, subject=subject, cases=tuple(cases), default=default),), behind

    def _leave(self, leave: Leave, path_states: PathStates) -> Leave:
        if leave.label not in self._left:
            return self._go_out(leave, path_states)
        self._left[leave.label] += copied(path_states)
        return leave

    def _leaves(self, statement: Statement, path_states: PathStates) -> Statement:
        """What leaves a loop, whatever else it does."""
        if isinstance(statement, Leave):
            return self._leave(statement, path_states)
        return rebuild(statement, lambda body: tuple(self._leaves(inner, path_states) for inner in body))

    def _simple(self, statement: Statement, path_states: PathStates) -> Statement:
        """One without bodies; the path states then know what it has done."""
        access = self.locator.access(statement)
        if isinstance(statement, CallExtern) and METHODS[statement.method].of_output:
            forget(path_states, access.writes)  # its inputs see what it gives
        tells = any(agreed(path_states, where) is not None for where in access.reads)
        made = rewrite_statement(statement, putting(path_states)) if tells else statement
        values: list[int | None] = []
        if isinstance(statement, Assign) and location_of(statement.target) in self.asked:
            values = values_of(statement.value, path_states)
        forget(path_states, access.writes)
        match statement:
            case Assign(target=target) if (location := location_of(target)) in self.asked and location is not None:
                for path_state, value in zip(path_states, values, strict=True):
                    if value is not None:
                        path_state[location] = value
            case SetValid(header=HeaderRef(name=name), valid=valid):
                for path_state in path_states:
                    path_state[Location(name, VALIDITY)] = int(valid)
        return made

    def _written(self, statement: Statement) -> frozenset[Location]:
        return self.locator.written_in((statement,))

    def apply(self, statement: ApplyTable, path_states: PathStates) -> PathStates:
        """Any of the table's actions may run; none where a group is without members."""
        table = self.program.table[statement.table]
        actions = actions_of(self.program, table.name)
        numbers = {use.action: number for number, use in enumerate(table.actions)}
        forget(path_states, self.locator.access(statement).writes)
        path_states = met(path_states, max(1, LIMIT // max(1, len(actions))))
        behind = copied(path_states) if table.implementation is not None else []
        for action in actions:
            inside = copied(path_states)
            forget(inside, map(Location, action.parameters))
            noted = statement.action is not None and Location(statement.action.name) in self.asked
            if statement.action is not None and noted and table.implementation is None and action.name in numbers:
                for path_state in inside:
                    path_state[Location(statement.action.name)] = numbers[action.name]
            behind += self._body(action.body, inside)[1]
        return met(behind)


def _in_order(parser: Parser) -> list[str] | None:
    """The states that can be reached, each after all that lead to it; None where they go in circles."""
    states = {state.name: state for state in parser.states}
    order: list[str] = []
    begun: set[str] = set()
    done: set[str] = set()
    todo = [(parser.states[0].name, False)] if parser.states else []
    while todo:
        name, ready = todo.pop()
        if ready:
            done.add(name)
            order.append(name)
        elif name in begun:
            if name not in done:
                return None
        else:
            begun.add(name)
            todo.append((name, True))
            todo += [(successor, False) for successor in successors(states[name]) if successor in states]
    return order[::-1]
