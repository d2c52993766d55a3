"""What must be kept in the packet's state: what is live where a stage begins, over all pipes."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from transpiler.analysis.locations import VALIDITY, Location, Locator, actions_of
from transpiler.hlir.program import Program, Storage
from transpiler.hlir.statements import ApplyTable
from transpiler.hlir.traverse import program_statements, walk
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.dead_stores import without_dead_stores
from transpiler.schedule.live import Live, Liveness, stored_fields
from transpiler.schedule.order import statements_of
from transpiler.schedule.pipeline import PipePlan, Source, steps
from transpiler.schedule.reaching import reaching_definitions
from transpiler.schedule.stages import Code, Jump, PipeSchedule, Submit, begins_anew, restart_of
from transpiler.schedule.successors import targets


def live_locations(
    program: Program, pipes: tuple[PipeSchedule, ...], given: Set[Location]
) -> tuple[tuple[PipeSchedule, ...], Live, Live]:
    """The pipes without their dead stores, with what each of their stages finds in the packet's state; what must be kept
    there; and what of it must be zero where a pipe renews the state."""
    stored = stored_fields(program)
    locator = Locator(program)
    elements = _of_elements(program)
    preserved = frozenset(Location(*field) for fields in preserved_lists(program) for field in fields)
    across: set[Location] = set(preserved)
    after: Live = frozenset()
    to_replication: Live = frozenset()
    zeroed: Live = preserved
    made: list[PipeSchedule] = []
    for pipe in reversed(pipes):
        liveness = Liveness(program, stored, pipe.exits, after, to_replication, preserved)
        for kind, number, code in _latest_first(pipe):
            live = liveness.before(code)
            if kind == "join":
                liveness.joins[number] = live
                continue
            keys = (locator.read_by_keys(program.table[s.table].keys) for s in pipe.stages[number].lookups)
            indexes = (locator.read_by(access.index) for access in pipe.stages[number].prefetched)
            liveness.stages[number] = live.union(*keys, *indexes)
        if pipe.renews:
            zeroed |= liveness.stages[0]
            liveness.stages[0] = frozenset()
        found = (liveness.stages[number] for number in range(len(pipe.stages)))
        if pipe.renews and not pipe.keeps:
            ever = (elements | may_be for may_be in reaching_definitions(program, pipe))
            found = (live & may_be for live, may_be in zip(found, ever, strict=True))
        stages = tuple(
            replace(
                stage,
                code=without_dead_stores(stage.code, liveness),
                live_in=live - stage.known.keys() - given - stage.received,
                loaded=(live & stage.received) - stage.unchanged if number or not begins_anew(pipe) else frozenset(),
            )
            for number, (stage, live) in enumerate(zip(pipe.stages, found, strict=True))
        )
        joins = tuple(
            without_dead_stores(join, liveness) if n in liveness.joins else join for n, join in enumerate(pipe.joins)
        )
        made.insert(0, replace(pipe, stages=stages, joins=joins, to_replication=to_replication, to_next=after))
        across.update(*(stage.live_in for stage in stages))
        entry = stages[0].live_in
        if restart_of(pipe) is not None:  # some packets come to the pipe behind it alone
            entry |= after
        after, to_replication = (frozenset(), entry) if pipe.replication else (entry, frozenset())
    return tuple(made), frozenset(across), zeroed & across


def _of_elements(program: Program) -> Live:
    """The locations of stacks' elements: these share slots, of which each is in the state for all stages or for none."""
    elements = {stack.element(i) for stack in program.stacks for i in range(stack.size)}
    fields = ((name, field.name) for name in elements for field in program.header_type_of[name].fields)
    return frozenset(Location(*field) for field in (*fields, *((name, VALIDITY) for name in elements)))


def given_locations(program: Program, plans: tuple[PipePlan, ...]) -> dict[Location, Source]:
    """The intrinsic values that are those of the packet's record wherever they are read: where it came in, and when."""
    locator = Locator(program)
    written = frozenset().union(*(locator.access(statement).writes for statement in program_statements(program)))
    sources: dict[Location, set[Source | str]] = {}
    for name, source in (fill for plan in plans for step in steps(plan.items) for fill in step.fills):
        if name in program.intrinsic:
            sources.setdefault(Location(program.intrinsic[name]), set()).add(source)
    lasting = (Source.INGRESS_PORT, Source.ARRIVAL_US)
    return {where: s for where, found in sources.items() for s in lasting if found == {s} and where not in written}


def all_locations(program: Program) -> tuple[Live, Live]:
    """The same, where nothing is a local of its stage: every variable but an action's data, every field and validity."""
    names = {Location(v.name) for v in program.variables if v.storage is not Storage.ACTION_DATA}
    for header in program.headers:
        fields = (field.name for field in program.header_type_of[header.name].fields)
        names |= {Location(header.name, field) for field in (*fields, VALIDITY)}
    return frozenset(names), frozenset(names)


def spread_headers(program: Program, pipes: tuple[PipeSchedule, ...]) -> frozenset[str]:
    """The headers that are seen where several stages work on one state: all stages until a pipe renews it."""
    runs: list[list[PipeSchedule]] = []
    for pipe in pipes:
        if pipe.renews or not runs:
            runs.append([])
        runs[-1].append(pipe)
    several = (run for run in runs if sum(len(pipe.stages) for pipe in run) > 1)
    return frozenset().union(*(_seen_headers(program, pipe) for run in several for pipe in run))


def _seen_headers(program: Program, pipe: PipeSchedule) -> frozenset[str]:
    locator = Locator(program)
    found: set[str] = set()
    for code in (*(stage.code for stage in pipe.stages), *pipe.joins):
        for statement in statements_of(code):
            together = [statement]
            if isinstance(statement, ApplyTable):
                together += [s for action in actions_of(program, statement.table) for s in walk(action.body)]
            for inner in together:
                access = locator.access(inner)
                found |= {location.owner for location in access.reads | access.writes if location.field}
    return frozenset(found)


def _latest_first(pipe: PipeSchedule) -> list[tuple[str, int, Code]]:
    """Stages and joins so ordered that whatever one goes to comes before it."""
    done: set[tuple[str, int]] = set()
    order: list[tuple[str, int, Code]] = []
    todo = [("stage", 0, False)]  # kind, number, whether what it goes to is in order already
    while todo:
        kind, number, ready = todo.pop()
        code = pipe.stages[number].code if kind == "stage" else pipe.joins[number]
        if ready:
            order.append((kind, number, code))
        elif (kind, number) not in done:
            done.add((kind, number))
            todo.append((kind, number, True))
            todo += [("stage", to.stage, False) for to in targets(code, pipe) if isinstance(to, Submit)]
            todo += [("join", to.join, False) for to in targets(code, pipe) if isinstance(to, Jump)]
    return order
