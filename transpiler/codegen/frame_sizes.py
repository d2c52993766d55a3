"""How many bytes of a frame the program reads, and by how many it may grow: the runtime provides that room."""

from __future__ import annotations

from transpiler.codegen.deparser import maximum_bytes
from transpiler.codegen.storage import Storage
from transpiler.hlir.expressions import Const, ElementRef, HeaderPlace
from transpiler.hlir.program import Parser, ParserState, Program
from transpiler.hlir.statements import Advance, CallExtern, CopyHeader, Extract, Lookahead, SetValid, While
from transpiler.hlir.traverse import program_statements, successors, walk

WHOLE_FRAME = 0xFFFF


def parse_bytes(program: Program) -> int:
    """How many bytes of a frame the parsers may read; the whole frame if that is unbounded, or if the payload is hashed.

    A second parser begins where the first one did or behind what it took off: both reaches together are enough."""
    if any(isinstance(s, CallExtern) and s.method.endswith("_with_payload") for s in program_statements(program)):
        return WHOLE_FRAME
    return min(WHOLE_FRAME, sum(_reach(program, pipe) for pipe in program.pipes if isinstance(pipe, Parser)))


def _reach(program: Program, parser: Parser) -> int:
    states = {state.name: state for state in parser.states}
    known: dict[str, int] = {}
    open_states: set[str] = set()

    def longest(name: str) -> int:
        if name not in states:
            return 0
        if name in open_states:
            return WHOLE_FRAME
        if name not in known:
            open_states.add(name)
            known[name] = _state_bytes(program, states[name]) + max(map(longest, successors(states[name])), default=0)
            open_states.discard(name)
        return known[name]

    return longest(parser.states[0].name) if parser.states else 0


def _state_bytes(program: Program, state: ParserState) -> int:
    total = 0
    for statement in walk(state.body):
        match statement:
            case While():
                return WHOLE_FRAME
            case Extract(header=header):
                name = header.stack if isinstance(header, ElementRef) else header.name
                total += maximum_bytes(program.header_type_of[name])
            case Lookahead(type=type_):
                total += -(-type_.width // 8)
            case Advance(bits=Const(value=bits)):
                total += bits // 8
            case Advance():
                return WHOLE_FRAME
    return total


def grow_bytes(program: Program, storage: Storage) -> int:
    """The most that a frame may grow by: headers that are made, varbits that are assigned longer values."""
    grown = made_headers(program) - set(program.stack)
    grown |= {header.name for header in program.headers if storage.assigned_varbit(header.name) is not None}
    return sum(maximum_bytes(program.header_type_of[name]) for name in grown)


def made_headers(program: Program, sources: bool = False) -> set[str]:
    """The headers and stacks that something else than an extract makes valid; with `sources`, also what is copied: where
    its bytes lie is copied with it."""
    made: set[str] = set()
    for statement in program_statements(program):
        match statement:
            case SetValid(header=header, valid=True) | CopyHeader(target=header):
                made |= _instances(program, header)
        if isinstance(statement, CopyHeader) and sources:
            made |= _instances(program, statement.source)
    return made | {stack.name for stack in program.stacks if not made.isdisjoint(map(stack.element, range(stack.size)))}


def _instances(program: Program, header: HeaderPlace) -> set[str]:
    if isinstance(header, ElementRef):
        stack = program.stack[header.stack]
        return {stack.element(i) for i in range(stack.size)}
    return {header.name}
