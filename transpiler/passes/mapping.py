"""A change to every expression or every body of a program, for passes that work on one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from transpiler.hlir.program import Control, Goto, Parser, ParserState, Pipe, Program
from transpiler.hlir.statements import Body
from transpiler.hlir.traverse import Rewrite, bodies, rebuild, rewrite_expression, rewrite_statement


def map_bodies(program: Program, change: Callable[[Body], Body]) -> Program:
    """The program with the outermost bodies of states, controls and actions changed."""

    def of_pipe(pipe: Pipe) -> Pipe:
        match pipe:
            case Control(body=body):
                return replace(pipe, body=change(body))
            case Parser(states=states):
                return replace(pipe, states=tuple(replace(s, body=change(s.body)) for s in states))

    actions = tuple(replace(action, body=change(action.body)) for action in program.actions)
    return replace(program, actions=actions, pipes=tuple(map(of_pipe, program.pipes)))


def map_expressions(program: Program, rewrite: Rewrite) -> Program:
    """The program with every expression that packets meet rewritten bottom-up: statements, transitions, keys of tables."""

    def of_body(body: Body) -> Body:
        return tuple(rewrite_statement(rebuild(s, of_body) if bodies(s) else s, rewrite) for s in body)

    def of_state(state: ParserState) -> ParserState:
        select = state.transition
        if isinstance(select, Goto):
            return state
        subjects = tuple(rewrite_expression(subject, rewrite) for subject in select.subjects)
        return replace(state, transition=replace(select, subjects=subjects))

    program = map_states(map_bodies(program, of_body), of_state)
    tables = []
    for table in program.tables:
        keys = tuple(replace(key, expression=rewrite_expression(key.expression, rewrite)) for key in table.keys)
        tables.append(replace(table, keys=keys))
    return replace(program, tables=tuple(tables))


def map_states(program: Program, change: Callable[[ParserState], ParserState]) -> Program:
    """The program with every parser state changed."""
    pipes = (replace(p, states=tuple(map(change, p.states))) if isinstance(p, Parser) else p for p in program.pipes)
    return replace(program, pipes=tuple(pipes))
