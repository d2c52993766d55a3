"""A whole program → its view-model."""

from __future__ import annotations

from dataclasses import replace

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.analysis.trips import long_loops
from transpiler.codegen.bodies import Frame, finished, may_resize, stage_views, values
from transpiler.codegen.burst import pass_views
from transpiler.codegen.c.build import live
from transpiler.codegen.c.integers import WORD, limbs
from transpiler.codegen.c.nodes import Assign, Body
from transpiler.codegen.c.printer import expression
from transpiler.codegen.deparser import maximum_bytes
from transpiler.codegen.externs import Externs, headers
from transpiler.codegen.given import Given
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside
from transpiler.codegen.pipeline_views import PipeView
from transpiler.codegen.record import binding, reads_time
from transpiler.codegen.stages import Context, LoweredStage
from transpiler.codegen.storage import NOWHERE, Slot, Storage
from transpiler.codegen.tables import Tables
from transpiler.codegen.views import ProgramView, SlotView
from transpiler.externs.table import CIPHERING, TIMED
from transpiler.hlir.expressions import Const, ElementRef, HeaderPlace, HeaderRef
from transpiler.hlir.program import Parser, ParserState, Program
from transpiler.hlir.statements import Advance, CallExtern, CopyHeader, Extract, Lookahead, SetValid, While
from transpiler.hlir.traverse import program_expressions, program_statements, successors, walk, walk_expression
from transpiler.hlir.types import Bits
from transpiler.optimisations import ALL, Optimisations
from transpiler.schedule.architectures import describe
from transpiler.schedule.pipeline import Preserved, calls
from transpiler.schedule.plan import PipelinePlan
from transpiler.schedule.planned import Planned
from transpiler.schedule.sinking import sunk_fields
from transpiler.targets.target import RUNS_AS_OURS, Counter, RunDefaults

WHOLE_FRAME = 0xFFFF


def view(
    planned: Planned,
    wanted: Optimisations = ALL,
    counters: tuple[Counter, ...] = (),
    overridden: bool = False,
    run: RunDefaults = RUNS_AS_OURS,
) -> ProgramView:
    """The view-model of a program that is planned. `counters`: of the target, besides those of the program; `overridden`: the
    target has templates of its own; `run`: how its switches run."""
    program, schedule, plans = planned.program, planned.schedule, planned.plans
    straight, requests = planned.straight, planned.requests
    names = Names()
    tables = Tables(program, names, planned.kernels)
    externs = Externs(program, names, wanted.sums, planned.deferred, planned.groups)
    sunk = sunk_fields(program, schedule) if wanted.in_place else frozenset()
    recorded = overridden or requests or not straight
    storage = Storage(program, schedule, names, sunk, in_place=wanted.in_place)
    context = Context(
        program, storage, tables, externs, wanted.in_place, straight, recorded, long_loops(program), requests
    )  # fmt: skip
    lowered = tuple((plan.pipe, context.stages(plan)) for plan in plans)
    architecture = describe(program)
    lists = architecture.preserved(program)
    preserved = tuple(_preserved(program, storage, fields) for fields in lists[1:])
    bodies = finished(lowered, recorded, (member for places in preserved for _, member in places))
    slots = tuple(slot for slot in storage.live_slots() if slot.name in bodies.live_members)
    given = Given(bodies.lasting, bool(slots) or planned.has_aside, binding(bodies.record))
    made = _made_headers(program, sources=True)
    whole, single = _begins(storage, slots, schedule.zeroed, made)
    begins_live = whole and (bodies.lasting or bool(slots))
    pipes = tuple(
        _pipe(plan, stages, given, straight, recorded, preserves, begins_live, overridden, planned.has_aside)
        for plan, (_, stages) in zip(plans, bodies.pipes, strict=True)
        for preserves in (any(lists[n] for n in plan.pipe.keeps),)
    )
    clones = any(pipe.name == "clone" for pipe in schedule.pipes)
    timed = reads_time(e for _, stages in bodies.pipes for stage in stages for e in values(stage))
    return ProgramView(
        name=Outside(program.name),
        source=Outside(program.span.file.rpartition("/")[2]),
        includes=tuple(sorted({kernel.header for kernel in planned.kernels.values()} | headers(program))),
        wide=_wide(program),
        live=tuple(slot.declaration for slot in slots),
        fresh=tuple(
            f".{slot.name} = {expression(slot.beginning)}"
            for slot in slots
            if slot.initial == NOWHERE and slot.owner in made
        ),
        begins_live=begins_live,
        live_headers=tuple(SlotView(slot.name, slot.size > 0) for slot in slots if storage.is_parsed(slot.owner)),
        preserved=tuple(tuple(place for place, _ in places) for places in preserved),
        preserves=any(pipe.preserves for pipe in pipes) or clones,
        clones=clones,
        uses_requests=requests,
        ciphers=calls(program, CIPHERING),
        ciphers_singly=calls(program, CIPHERING) and not wanted.interleave,
        errors=tuple((names(f"error.{member}"), i) for i, member in enumerate(program.errors.members)),
        tables=tuple(
            tables.view(t.name, 1 + externs.number[t.implementation] if t.implementation is not None else 0)
            for t in program.tables
        ),
        value_sets=tuple(tables.value_set(value_set.name) for value_set in program.value_sets),
        externs=(*map(externs.view, externs.instances), *externs.own(counters)),
        locks=externs.lock_views,
        pipes=tuple(_begun(pipe, single) for pipe in pipes),
        parse_bytes=_parse_bytes(program),
        grow_bytes=_grow_bytes(program, storage),
        instances=architecture.instances,
        recirculate_port=architecture.recirculate_port,
        ordered=schedule.ordered,
        straight=straight,
        given=given,
        reads_ahead=wanted.read_ahead,
        sends_singly=not wanted.transmit_buffer,
        avoids_huge_pages=not wanted.huge_pages,
        defines=_defines(wanted),
        all_passes=wanted.passes and not wanted.without_passes,
        uses_time=overridden or timed or calls(program, TIMED),
        overridden=overridden,
        run=run,
    )


def _pipe(
    plan: PipelinePlan,
    stages: tuple[LoweredStage, ...],
    given: Given,
    straight: bool,
    recorded: bool,
    preserves: bool,
    begins_live: bool,
    overridden: bool,
    parted: bool,
) -> PipeView:
    """`straight`: verdicts go to an array of the burst's; `recorded`: to the records too; `preserves`, `begins_live`: what the
    first stage does with the state, where the pipe renews it; `parted`: packets may go on to another pipe."""
    pipe, gives_verdicts = plan.pipe, straight and not plan.pipe.replication
    begins = frozenset({"live"} if pipe.renews and (preserves or begins_live) else ())
    begins |= {"packet"} if begins and preserves else set()
    views = stage_views(stages, Frame(pipe.name, given, gives_verdicts, len(stages) == 1, begins, overridden))
    passes = pass_views(plan, views, given, resizes=recorded or may_resize(stages), parted=parted)
    return PipeView(pipe.name, views, pipe.renews, preserves, pipe.replication, gives_verdicts, passes)


def _begins(
    storage: Storage, slots: tuple[Slot, ...], zeroed: frozenset[Location], made: set[str]
) -> tuple[bool, Body]:
    """Whether the whole of the live values must have a beginning, else what of it: few slots, where stages pass on the others."""
    if not storage.passes:
        return bool(zeroed or made), ()
    left = [slot for slot in slots if not slot.passed]
    begun = [s for s in left if s.owner in made or not storage.locations(s).isdisjoint(zeroed)]
    if any(slot.size for slot in begun):
        return True, ()
    return False, tuple(Assign(live(slot.name), slot.initial) for slot in begun)


def _begun(pipe: PipeView, begins: Body) -> PipeView:
    """The pipe with statements that begin the live values, if it renews it."""
    if not pipe.renews:
        return pipe
    first, *others = pipe.stages
    return replace(pipe, stages=(replace(first, body=(*begins, *first.body)), *others))


def _defines(wanted: Optimisations) -> tuple[str, ...]:
    """What the backend's headers leave out when it is defined."""
    plain = ("MACS_SCAN_PLAIN", "MACS_CRC_PLAIN")
    made = ((wanted.prefetch, "MACS_NO_PREFETCH"), *((wanted.simd, name) for name in plain))
    return tuple(name for done, name in made if not done)


def _wide(program: Program) -> tuple[int, ...]:
    """The numbers of limbs of the wide integers that the program needs."""
    types: list[object] = [variable.type for variable in program.variables]
    types += [field.type for layout in program.header_types for field in layout.fields]
    types += [part.type for root in program_expressions(program) for part in walk_expression(root)]
    return tuple(sorted({limbs(t.width) for t in types if isinstance(t, Bits) and t.width > WORD}))


def _made_headers(program: Program, sources: bool = False) -> set[str]:
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


def _grow_bytes(program: Program, storage: Storage) -> int:
    """The most that a frame may grow by: headers that are made, varbits that are assigned longer values."""
    grown = _made_headers(program) - set(program.stack)
    grown |= {header.name for header in program.headers if storage.assigned_varbit(header.name) is not None}
    return sum(maximum_bytes(program.header_type_of[name]) for name in grown)


def _preserved(program: Program, storage: Storage, fields: Preserved) -> tuple[tuple[str, str], ...]:
    """The C places in struct live of a list's fields, each with the member that it is or is in."""
    places = []
    for owner, field in fields:
        if not field:
            slot, index = storage.variable(owner), None
        else:
            access = storage.access(HeaderRef(owner, program.span))
            slot = storage.valid(access.owner) if field == VALIDITY else storage.field(access.owner, field)
            index = access.index
        places.append((slot.name if index is None else f"{slot.name}[{index}]", slot.name))
    return tuple(places)


def _instances(program: Program, header: HeaderPlace) -> set[str]:
    if isinstance(header, ElementRef):
        stack = program.stack[header.stack]
        return {stack.element(i) for i in range(stack.size)}
    return {header.name}


def _parse_bytes(program: Program) -> int:
    """How far into a frame the parsers may look; the whole frame where that has no bound, or where the payload is hashed.

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
