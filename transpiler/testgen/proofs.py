"""What a part of a program rules out by itself, whatever stands around it: states that no transition leads to, conditions that
hold always or never, cases behind others that take all of theirs, actions that no entry can have; and all that is inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from transpiler.hlir import expressions as ex, statements as st
from transpiler.hlir.program import ACCEPT, REJECT, Goto, Parser, ParserState, Program, Select, Table
from transpiler.hlir.traverse import walk, walk_expression
from transpiler.hlir.types import Bits, Bool, Enum, Type, Varbit, width_of
from transpiler.interpreter.evaluate import evaluate
from transpiler.interpreter.state import State
from transpiler.testgen.cover import Coverage
from transpiler.testgen.record import Record
from transpiler.testgen.terms import bits, holds

TIMEOUT_MS = 500
NO_TRANSITION = "no transition of the parser leads there"
NEVER = "its condition contradicts itself"
ALWAYS = "the condition always holds"
BEHIND = "the cases before it take all that it would"
NO_ENTRY = "the table's entries are constant, and none has this action"


def proofs(program: Program, coverage: Coverage) -> dict[int, str]:
    """Item → why nothing reaches it."""
    return _Prover(program, coverage).found


class _Prover:
    def __init__(self, program: Program, coverage: Coverage) -> None:
        self.program, self.coverage = program, coverage
        self.found: dict[int, str] = {}
        self.alive: set[int] = set()  # items of copies that are not ruled out: a place may be in several
        self.state = _anything(program)
        for pipe in program.pipes:
            if isinstance(pipe, Parser):
                self._parser(pipe)
            else:
                self._body(pipe.body)
        usable = _usable(program)
        for action in program.actions:
            if action.name in usable:
                self._body(action.body)
            elif any(use.action == action.name for table in program.tables for use in table.actions):
                self._rule_out(action.body, NO_ENTRY)
        self.found = {item: why for item, why in self.found.items() if item not in self.alive}

    def _note(self, item: int, why: str) -> None:
        if item >= 0:
            self.found.setdefault(item, why)

    # --- parsers -----------------------------------------------------------------------------------------------------

    def _parser(self, parser: Parser) -> None:
        states = {state.name: state for state in parser.states}
        reached, waiting = set(), [parser.states[0].name]
        while waiting:
            name = waiting.pop()
            if name in reached or name in (ACCEPT, REJECT):
                continue
            reached.add(name)
            transition = states[name].transition
            if isinstance(transition, Goto):
                waiting.append(transition.state)
            else:
                dead = self._dead_cases(transition)
                waiting += [case.state for i, case in enumerate(transition.cases) if i not in dead]
        for state in parser.states:
            if state.name in reached:
                self.alive.add(self.coverage.state_item(state))
                self._body(state.body)
                self._select(state)
            else:
                self._note(self.coverage.state_item(state), NO_TRANSITION)
                self._rule_out(state.body, NO_TRANSITION)
                for item in self.coverage.arms_of(state.transition).values():
                    self._note(item, NO_TRANSITION)

    def _select(self, state: ParserState) -> None:
        if not isinstance(state.transition, Select):
            return
        dead = self._dead_cases(state.transition)
        for which, item in self.coverage.arms_of(state.transition).items():
            if which in dead:
                self._note(item, BEHIND)
            else:
                self.alive.add(item)

    def _dead_cases(self, select: Select) -> set[int]:
        """Cases that nothing is left for; the number of cases where one of them takes everything."""
        solver = _solver()
        dead: set[int] = set()
        for which, case in enumerate(select.cases):
            taken = self._covers(select, case.keys)
            if taken is None:  # value sets, headers' validity: nobody knows
                return dead
            solver.push()
            solver.add(taken)
            if solver.check() == z3.unsat:
                dead.add(which)
            solver.pop()
            solver.add(z3.Not(taken))
        if solver.check() == z3.unsat:
            dead.add(len(select.cases))
        return dead

    def _covers(self, select: Select, keys: tuple[ex.KeySet, ...]) -> Any:
        if any(isinstance(key, ex.ValueSetRef) for key in keys) or len(keys) != len(select.subjects):
            return None
        if any(_unknown(subject) for subject in select.subjects):
            return None
        return z3.And(True, *(self._in_set(s, key) for s, key in zip(select.subjects, keys, strict=True)))

    def _in_set(self, subject: ex.Expression, key: ex.KeySet) -> Any:
        width = width_of(subject.type)
        value = bits(evaluate(subject, self.state), width)
        match key:
            case ex.ExactSet(value=wanted):
                return value == self._bits(wanted, width)
            case ex.MaskSet(value=wanted, mask=mask):
                cared = self._bits(mask, width)
                return value & cared == self._bits(wanted, width) & cared
            case ex.RangeSet(low=low, high=high):
                first, last = self._bits(low, width), self._bits(high, width)
                if isinstance(subject.type, Bits) and subject.type.signed:
                    return z3.And(first <= value, value <= last)
                return z3.And(z3.ULE(first, value), z3.ULE(value, last))
        return z3.BoolVal(True)

    def _bits(self, expression: ex.Expression, width: int) -> Any:
        return bits(evaluate(expression, self.state), width)

    # --- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, body: st.Body) -> None:
        for statement in body:
            self.alive.add(self.coverage.statement_item(statement))
            match statement:
                case st.If(condition=condition, then=then, otherwise=otherwise):
                    possible = self._possible(condition)
                    whys = (NEVER, ALWAYS)
                    for which, arm in enumerate((then, otherwise)):
                        self._arm(statement, which, arm, possible[which], whys[which])
                case st.Switch(cases=cases, default=default):
                    self.alive |= set(self.coverage.arms_of(statement).values())
                    for inner in (*(case.body for case in cases), default):
                        self._body(inner)
                case st.Block(body=inner) | st.While(body=inner):
                    self.alive |= set(self.coverage.arms_of(statement).values())
                    self._body(inner)
                case st.Verify():
                    self.alive |= set(self.coverage.arms_of(statement).values())

    def _arm(self, node: st.If, which: int, body: st.Body, possible: bool, why: str) -> None:
        item = self.coverage.arms_of(node).get(which, -1)
        if possible:
            self.alive.add(item)
            self._body(body)
        else:
            self._note(item, why)
            self._rule_out(body, why)

    def _possible(self, condition: ex.Expression) -> tuple[bool, bool]:
        """Whether it may hold, and whether it may not."""
        if _unknown(condition):
            return True, True
        term = holds(evaluate(condition, self.state))
        return _may(term), _may(z3.Not(term))

    def _rule_out(self, body: st.Body, why: str) -> None:
        for statement in walk(body):
            self._note(self.coverage.statement_item(statement), why)
            for item in self.coverage.arms_of(statement).values():
                self._note(item, why)


def _solver() -> Any:
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", TIMEOUT_MS)
    return solver


def _may(term: Any) -> bool:
    solver = _solver()
    solver.add(term)
    return bool(solver.check() != z3.unsat)


def _unknown(expression: ex.Expression) -> bool:
    """Whether it reads what has no variable here: validity, elements found at run time, varbits; or chooses between values."""
    for inner in walk_expression(expression):
        match inner:
            case ex.IsValid() | ex.Conditional() | ex.Text() | ex.ListExpression():
                return True
            case ex.Read(place=place, type=type_):
                if isinstance(type_, Varbit) or (
                    isinstance(place, ex.FieldRef) and isinstance(place.header, ex.ElementRef)
                ):
                    return True
    return False


def _anything(program: Program) -> State:
    """A state in which each variable and field may be anything of its type."""
    record, state = Record({}), State(program)

    def variable(name: str, type_: Type) -> int:
        made = record.variable(name, width_of(type_))
        return made.arithmetic.cast(made, Bits(1), type_) if isinstance(type_, Bool) else made

    for one in program.variables:
        if isinstance(one.type, Bits | Bool | Enum) and width_of(one.type):
            state.variables[one.name] = variable(one.name, one.type)
    for name, header in state.headers.items():
        for field in header.layout.fields:
            if isinstance(field.type, Bits) and field.type.width:
                header.fields[field.name] = variable(f"{name}.{field.name}", field.type)
    return state


def _usable(program: Program) -> set[str]:
    """The actions that some table may run."""
    return {action for table in program.tables for action in _actions(table)}


def _actions(table: Table) -> Iterator[str]:
    yield table.default_action.action
    yield from (entry.call.action for entry in table.entries)
    for use in table.actions:
        if (not table.const_entries and not use.default_only) or not (table.const_default or use.table_only):
            yield use.action
