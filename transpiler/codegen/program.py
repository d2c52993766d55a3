"""A whole program → its view-model."""

from __future__ import annotations

from transpiler.codegen.ctypes import WORD, limbs
from transpiler.codegen.deparser import maximum_bytes
from transpiler.codegen.externs import Externs
from transpiler.codegen.names import Names
from transpiler.codegen.stages import Maker
from transpiler.codegen.steps import DROP_PORT
from transpiler.codegen.storage import Storage
from transpiler.codegen.tables import Tables
from transpiler.codegen.views import ProgramView
from transpiler.hlir.expressions import Const, ElementRef, HeaderPlace
from transpiler.hlir.program import Parser, ParserState, Program, Role
from transpiler.hlir.statements import Advance, CallExtern, CopyHeader, Extract, Lookahead, SetValid
from transpiler.hlir.traverse import program_expressions, program_statements, successors, walk, walk_expression
from transpiler.hlir.types import Bits
from transpiler.schedule.stages import Schedule
from transpiler.targets.target import Kernel

WHOLE_FRAME = 0xFFFF


def view(program: Program, schedule: Schedule, kernels: dict[str, Kernel], source: str) -> ProgramView:
    """The view-model of a program under a schedule. `kernels`: of the tables that have a key and are applied."""
    names = Names()
    tables = Tables(program, names, kernels)
    externs = Externs(program, names)
    storage = Storage(program, schedule, names)
    maker = Maker(program, storage, tables, externs)
    pipes = tuple(maker.pipe(pipe, bool(schedule.zeroed) and i == 0) for i, pipe in enumerate(schedule.pipes))
    kept = storage.kept_slots()
    return ProgramView(
        name=program.name,
        source=source.rpartition("/")[2],
        includes=tuple(sorted({f"tables/{kernel.name}.h" for kernel in kernels.values()})),
        wide=_wide(program),
        kept=tuple(slot.declaration for slot in kept),
        errors=tuple((names(f"error.{member}"), i) for i, member in enumerate(program.errors.members)),
        tables=tuple(tables.view(table.name) for table in program.tables),
        externs=tuple(externs.view(extern) for extern in externs.instances),
        pipes=pipes,
        parse_bytes=_parse_bytes(program),
        grow_bytes=_grow_bytes(program),
        drop_port=DROP_PORT,
    )


def _wide(program: Program) -> tuple[int, ...]:
    """The numbers of limbs of the wide integers that the program needs."""
    types: list[object] = [variable.type for variable in program.variables]
    types += [field.type for layout in program.header_types for field in layout.fields]
    types += [part.type for root in program_expressions(program) for part in walk_expression(root)]
    return tuple(sorted({limbs(t.width) for t in types if isinstance(t, Bits) and t.width > WORD}))


def _grow_bytes(program: Program) -> int:
    """The most that a frame may grow by: every header that something else than an extract makes valid."""
    made: set[str] = set()
    for statement in program_statements(program):
        match statement:
            case SetValid(header=header, valid=True) | CopyHeader(target=header):
                made |= _instances(program, header)
    return sum(maximum_bytes(program.header_type_of[name]) for name in made)


def _instances(program: Program, header: HeaderPlace) -> set[str]:
    if isinstance(header, ElementRef):
        stack = program.stack[header.stack]
        return {stack.element(i) for i in range(stack.size)}
    return {header.name}


def _parse_bytes(program: Program) -> int:
    """How far into a frame the parser may look; the whole frame where that has no bound, or where the payload is hashed."""
    parser = program.pipe(Role.PARSER)
    if any(isinstance(s, CallExtern) and s.method.endswith("_with_payload") for s in program_statements(program)):
        return WHOLE_FRAME
    if not isinstance(parser, Parser):
        return 0
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

    return min(WHOLE_FRAME, longest(parser.states[0].name)) if parser.states else 0


def _state_bytes(program: Program, state: ParserState) -> int:
    total = 0
    for statement in walk(state.body):
        match statement:
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
