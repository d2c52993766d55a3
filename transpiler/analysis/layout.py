"""Which headers a program leaves at the place in the frame where they were received.

These are the headers that the deparser emits last, if nothing but the parser makes them valid or invalid, and if on every path
the parser extracts them one after the other in the order in which the deparser emits them. If this holds for all headers,
every frame is sent in the layout in which it was received.
"""

from __future__ import annotations

from transpiler.architectures.facts import facts
from transpiler.hlir.expressions import HeaderPlace, HeaderRef
from transpiler.hlir.program import Control, Parser, Program
from transpiler.hlir.statements import Advance, CopyHeader, Emit, Extract, SetValid
from transpiler.hlir.traverse import program_statements, successors, walk


def keeps_layout(program: Program) -> bool:
    """Whether all headers that are emitted are where they were received. False if in doubt."""
    emits = sum(isinstance(s, Emit) for s in program_statements(program))
    return settled_headers(program) == emits


def settled_headers(program: Program) -> int | None:
    """How many headers, the last ones that are emitted, lie as far in front of the payload as they were received.
    None where it cannot be seen. For programs whose packets have one life."""
    parsers = [pipe for pipe in program.pipes if isinstance(pipe, Parser)]
    deparsers = [pipe for pipe in program.pipes if isinstance(pipe, Control) and _emits(pipe)]
    if not facts(program).one_storage or len(parsers) != 1:
        return None
    emitted = [_name(emit) for control in deparsers for emit in control.body]
    if None in emitted or len(set(emitted)) != len(emitted):
        return None
    order = {name: place for place, name in enumerate(emitted)}
    first = 0
    for statement in program_statements(program):
        if isinstance(statement, Advance):
            return None
        if isinstance(statement, SetValid | CopyHeader):
            changed = statement.header if isinstance(statement, SetValid) else statement.target
            if not isinstance(changed, HeaderRef):
                return None
            first = max(first, order.get(changed.name, -1) + 1)
    return len(emitted) - first if _extracts_in(order, parsers[0]) else None


def fixed_offsets(program: Program) -> dict[str, int]:
    """The headers that lie at one offset (bytes) in every frame that has them, of a program that keeps the layout."""
    parser = next(pipe for pipe in program.pipes if isinstance(pipe, Parser))
    states = {state.name: state for state in parser.states}
    found: dict[str, set[int | None]] = {}
    todo: list[tuple[str, int | None]] = [(parser.states[0].name, 0)] if parser.states else []
    known = set(todo)
    while todo:
        name, offset = todo.pop()
        if name not in states:
            continue
        for extract in states[name].body:
            if isinstance(extract, Extract) and isinstance(extract.header, HeaderRef):
                found.setdefault(extract.header.name, set()).add(offset)
                if extract.varbit_bits is not None:
                    offset = None
                if offset is not None:
                    offset += program.header_type_of[extract.header.name].fixed_bits // 8
        following = {(successor, offset) for successor in successors(states[name])}
        todo += following - known
        known |= following
    single = {header: next(iter(offsets)) for header, offsets in found.items() if len(offsets) == 1}
    return {header: offset for header, offset in single.items() if offset is not None}


def _emits(control: Control) -> bool:
    return any(isinstance(statement, Emit) for statement in walk(control.body))


def _name(statement: object) -> str | None:
    """The header that a statement of a deparser emits, where that is all it does."""
    match statement:
        case Emit(header=HeaderRef(name=name)):
            return name
    return None


def _extracts_in(order: dict[str | None, int], parser: Parser) -> bool:
    """Whether every way through the parser extracts headers in rising order."""
    states = {state.name: state for state in parser.states}
    todo = [(parser.states[0].name, -1)] if parser.states else []
    known = set(todo)
    while todo:
        name, last = todo.pop()
        if name not in states:
            continue
        extracted = [s.header for s in walk(states[name].body) if isinstance(s, Extract)]
        direct = sum(isinstance(s, Extract) for s in states[name].body)
        places = [_place(order, header) for header in extracted]
        if direct != len(extracted) or any(b <= a for a, b in zip([last, *places], places, strict=False)):
            return False
        following = {(successor, places[-1] if places else last) for successor in successors(states[name])}
        todo += following - known
        known |= following
    return True


def _place(order: dict[str | None, int], header: HeaderPlace) -> int:
    return order.get(header.name, -1) if isinstance(header, HeaderRef) else -1
