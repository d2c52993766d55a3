"""A whole program → its view-model."""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.analysis.packet_profile import NOTHING
from transpiler.analysis.trips import long_loops
from transpiler.codegen.bodies import Bodies, Frame, finished, may_resize, stage_views, values
from transpiler.codegen.burst import pass_views
from transpiler.codegen.c.integers import WORD, limbs
from transpiler.codegen.externs import Externs, headers
from transpiler.codegen.frame_sizes import grow_bytes, parse_bytes
from transpiler.codegen.given import Given
from transpiler.codegen.live_state import LiveState, live_state, preserved_places
from transpiler.codegen.look_first import with_look
from transpiler.codegen.names import Names
from transpiler.codegen.outside import Outside
from transpiler.codegen.pipeline_views import PipeView
from transpiler.codegen.places import at
from transpiler.codegen.record import binding, reads_service, reads_time
from transpiler.codegen.stages import Context, LoweredStage
from transpiler.codegen.storage import Storage
from transpiler.codegen.tables import Tables
from transpiler.codegen.views import DecisionsView, ProgramView, SteeringView
from transpiler.configuration import BEST, Configuration
from transpiler.externs.table import CIPHERING, TIMED
from transpiler.hlir.program import Program
from transpiler.hlir.traverse import program_expressions, walk_expression
from transpiler.hlir.types import Bits
from transpiler.schedule.architectures import describe
from transpiler.schedule.dropped_at import places
from transpiler.schedule.pipeline import calls
from transpiler.schedule.plan import PipelinePlan
from transpiler.schedule.planned import Planned
from transpiler.schedule.ready import Ready
from transpiler.schedule.sinking import sunk_fields
from transpiler.targets.target import RUNS_AS_OURS, Counter, RunDefaults

_OF_CIPHERS = frozenset({"ciphers_singly"})  # the settings that only programs have which cipher


def view(
    planned: Planned,
    configuration: Configuration = BEST,
    counters: tuple[Counter, ...] = (),
    overridden: bool = False,
    run: RunDefaults = RUNS_AS_OURS,
    ready: Ready | None = None,
) -> ProgramView:
    """The view-model of a program that is planned. `counters`: of the target, besides those of the program; `overridden`: the
    target has templates of its own; `run`: how its switches run; `ready`: of what is sent, by decisions that are ready."""
    program, architecture = planned.program, describe(planned.program)
    made = _lowered(planned, configuration, overridden)
    names, tables, externs = made.names, made.tables, made.externs
    return ProgramView(
        name=Outside(program.name),
        source=Outside(program.span.file.rpartition("/")[2]),
        includes=tuple(
            sorted({kernel.header for kernel in planned.kernels.values()} | headers(program) | _ages(program))
        ),
        wide=_wide(program),
        live=made.live.view,
        ciphers=calls(program, CIPHERING),
        custom_crcs=any(extern.kind == "custom_crc" for extern in program.externs),
        queues=planned.queues,
        errors=tuple((names(f"error.{member}"), i) for i, member in enumerate(program.errors.members)),
        tables=tuple(
            tables.view(t.name, 1 + externs.number[t.implementation] if t.implementation is not None else 0)
            for t in program.tables
        ),
        value_sets=tuple(tables.value_set(value_set.name) for value_set in program.value_sets),
        externs=(*map(externs.view, externs.instances), *externs.own(counters)),
        locks=externs.lock_views,
        steering=SteeringView.of(planned.steering),
        pipes=tuple(
            made.pipe(plan, stages, looks=ready is not None and configuration.lowering.look_first)
            for plan, (_, stages) in zip(planned.plans, made.bodies.pipes, strict=True)
        ),
        parse_bytes=parse_bytes(program),
        grow_bytes=grow_bytes(program, made.storage),
        instances=architecture.instances,
        recirculate_port=architecture.recirculate_port,
        places=tuple(Outside("" if span is None else at(span)) for span in places(program)),
        given=made.given,
        defines=configuration.defines,
        settings=_settings(made, configuration),
        overridden=overridden,
        run=run,
        inlines=configuration.lowering.inline_stages,
        decisions=DecisionsView.of(program, ready),
    )


@dataclass(frozen=True, slots=True)
class _Lowered:
    """A program's functions, and what they are made with. `record_is_read`: the runtime or templates read the record."""

    planned: Planned
    names: Names
    tables: Tables
    externs: Externs
    storage: Storage
    bodies: Bodies
    live: LiveState
    given: Given
    overridden: bool
    record_is_read: bool

    def pipe(self, plan: PipelinePlan, stages: tuple[LoweredStage, ...], *, looks: bool) -> PipeView:
        """A pipeline. `looks`: packets may look for their decisions first, unless a target has something done at each stage."""
        pipe, state = plan.pipe, self.live
        gives_verdicts = self.planned.run_to_completion and not pipe.replication
        preserves = any(state.view.preserved[number - 1] for number in pipe.keeps if number)
        begins = frozenset({"live"} if pipe.renews and (preserves or state.view.begins) else ())
        begins |= {"packet"} if begins and preserves else set()
        frame = Frame(pipe, self.given, gives_verdicts, len(stages) == 1, begins, self.overridden)
        views = state.begun(pipe, stage_views(stages, frame))
        if looks and gives_verdicts and not (preserves or self.overridden):
            views = with_look(views, frame)
        resizes = self.record_is_read or may_resize(stages)
        passes = pass_views(plan, views, self.given, resizes=resizes, replicates=self.planned.replicates)
        return PipeView(pipe.name, views, pipe.renews, preserves, pipe.replication, gives_verdicts, passes)


def _lowered(planned: Planned, configuration: Configuration, overridden: bool) -> _Lowered:
    program, schedule = planned.program, planned.schedule
    names = Names()
    lowering, likely = configuration.lowering, configuration.likely
    hot = likely.profile if likely.hot_actions else NOTHING
    tables = Tables(program, names, planned.kernels, lowering.empty_tables, lowering.key_words, hot)
    words = frozenset(table.name for table in program.tables if tables.words(table.name) is not None)
    externs = Externs(
        program,
        names,
        sums=lowering.sums,
        deferred=lowering.deferred_counts,
        large_counters=planned.large_counters,
        groups=planned.groups,
        words=words,
        bundles=planned.bundles,
    )
    sunk = sunk_fields(program, schedule) if lowering.in_place else frozenset()
    storage = Storage(program, schedule, names, sunk, in_place=lowering.in_place)
    record_is_read = overridden or planned.requests or not planned.run_to_completion
    context = Context(
        program, storage, tables, externs, lowering.in_place, planned.run_to_completion, record_is_read,
        long_loops(program), planned.requests,
    )  # fmt: skip
    functions = tuple((plan.pipe, context.stages(plan)) for plan in planned.plans)
    preserved = preserved_places(program, storage)
    kept = (place.member for places in preserved for place in places)
    bodies = finished(functions, record_is_read, kept, configuration.ways.tallies)
    live = live_state(program, schedule, storage, bodies, preserved)
    given = Given(bodies.lasting, bool(live.view.declarations) or planned.replicates, binding(bodies.record))
    return _Lowered(planned, names, tables, externs, storage, bodies, live, given, overridden, record_is_read)


def _settings(made: _Lowered, configuration: Configuration) -> tuple[str, ...]:
    """Those of the configuration that concern the program, and what the runtime must know of it."""
    planned = made.planned
    needs = {
        "reads_ahead": planned.reads_ahead,
        "ordered": planned.schedule.ordered,
        "uses_time": made.overridden or planned.queues or _is_timed(planned.program, made.bodies),
        "uses_requests": planned.requests,
        "tells_service": reads_service(e for _, stages in made.bodies.pipes for stage in stages for e in values(stage)),
    }
    others = frozenset() if calls(planned.program, CIPHERING) else _OF_CIPHERS
    of_runtime = (name for name in configuration.settings if name not in others)
    return (*of_runtime, *(name for name, needed in needs.items() if needed))


def _wide(program: Program) -> tuple[int, ...]:
    """The numbers of limbs of the wide integers that the program needs."""
    types: list[object] = [variable.type for variable in program.variables]
    types += [field.type for layout in program.header_types for field in layout.fields]
    types += [part.type for root in program_expressions(program) for part in walk_expression(root)]
    return tuple(sorted({limbs(t.width) for t in types if isinstance(t, Bits) and t.width > WORD}))


def _ages(program: Program) -> set[str]:
    """What tables whose entries may time out need."""
    ages = {"macs/ages.h"} if any(table.ages for table in program.tables) else set()
    return ages | ({"macs/learn.h"} if any(table.learns or table.deletes for table in program.tables) else set())


def _is_timed(program: Program, bodies: Bodies) -> bool:
    """Whether functions look at the time, or call what looks at it in the runtime."""
    timed = reads_time(e for _, stages in bodies.pipes for stage in stages for e in values(stage))
    return timed or calls(program, TIMED) or any(table.ages for table in program.tables)
