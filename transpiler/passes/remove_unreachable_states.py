"""Remove parser states that no way from the start state leads to.

Before: start → accept; state spare → accept.      After: start → accept.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.hlir.program import Parser, Program
from transpiler.hlir.traverse import successors


def run(program: Program) -> Program:
    """The program with parsers of reachable states only, their order kept."""
    return replace(program, pipes=tuple(_pruned(p) if isinstance(p, Parser) else p for p in program.pipes))


def _pruned(parser: Parser) -> Parser:
    states = {state.name: state for state in parser.states}
    reached: set[str] = set()
    todo = [parser.states[0].name] if parser.states else []
    while todo:
        name = todo.pop()
        if name in states and name not in reached:
            reached.add(name)
            todo += successors(states[name])
    return replace(parser, states=tuple(state for state in parser.states if state.name in reached))
