"""Parser states that may run for ever: those on a cycle along which the cursor need not move.

The specification has error.ParserTimeout for such parsers and leaves the bound open (section 12.8). Ours: `STALL_LIMIT`
visits to such states with the cursor at one place.
"""

from __future__ import annotations

from transpiler.hlir.expressions import Const, ElementRef
from transpiler.hlir.program import Parser, Program
from transpiler.hlir.statements import Advance, Extract, Statement
from transpiler.hlir.traverse import successors

STALL_LIMIT = 256


def stalling_states(program: Program, parser: Parser) -> frozenset[str]:
    """The states that are on a cycle of states none of which surely moves the cursor."""
    still = {s.name for s in parser.states if not any(_moves(program, statement) for statement in s.body)}
    edges = {s.name: [n for n in successors(s) if n in still] for s in parser.states if s.name in still}

    def reaches_itself(start: str) -> bool:
        seen, todo = set(), list(edges[start])
        while todo:
            name = todo.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                todo += edges[name]
        return False

    return frozenset(name for name in still if reaches_itself(name))


def _moves(program: Program, statement: Statement) -> bool:
    match statement:
        case Extract(header=header):
            name = header.stack if isinstance(header, ElementRef) else header.name
            return program.header_type_of[name].fixed_bits > 0
        case Advance(bits=Const(value=bits)):
            return bits > 0
    return False
