"""HLIR → C: capabilities, schedule, view-model, templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from transpiler.codegen import capabilities
from transpiler.codegen.externs import headers
from transpiler.codegen.kernels import Choice, in_units
from transpiler.codegen.lower import lower
from transpiler.codegen.program import view
from transpiler.codegen.render import render
from transpiler.codegen.renew import renew_locals
from transpiler.configuration import BEST, Configuration
from transpiler.diagnostics import Diagnostics
from transpiler.externs.table import TABLE
from transpiler.hlir.program import ExternInstance, Program
from transpiler.schedule.atomic_regions import AtomicRegions, notes, with_atomic_regions
from transpiler.schedule.bundles import bundles
from transpiler.schedule.decisions import NAME as DECISIONS, Cached, is_cut, note_of, with_decisions
from transpiler.schedule.dropped_at import with_dropped_at
from transpiler.schedule.early_drops import with_early_drops
from transpiler.schedule.hoist_indexes import with_hoisted_indexes
from transpiler.schedule.inline_actions import with_inlined_actions
from transpiler.schedule.leads import bytes_led_to
from transpiler.schedule.pipelined import pipelined
from transpiler.schedule.plan import Access
from transpiler.schedule.planned import Planned, access, planned
from transpiler.schedule.scheduler import Options, has_queues, schedule
from transpiler.schedule.stages import Schedule
from transpiler.schedule.state import large_counters, large_state, state_cells
from transpiler.schedule.where_to_cut import near_tables, started_state, state_to_cut_at, with_cuts
from transpiler.targets.footprint import HUGE_PAGE_BYTES, NOTHING
from transpiler.targets.target import Target


@dataclass(frozen=True, slots=True)
class Generated:
    """`c` is the program's C file; `notes` say what was decided, for -v; `folders`: of the headers that externs bring."""

    c: str
    notes: tuple[str, ...]
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Decided:
    """What is decided before any C is made: the choices of kernels, by table and value set, and the plan. `compared`:
    tables that are code; `near`: those that are not cut at, as their lookups do not miss the cache; `atomic`: regions that are,
    for registers; `cached`: where a cache of decisions stands, if there is one."""

    choices: Mapping[str, Choice]
    planned: Planned
    compared: frozenset[str]
    near: frozenset[str]
    atomic: AtomicRegions
    cached: Cached | None = None


def decide(
    program: Program,
    target: Target,
    diagnostics: Diagnostics,
    configuration: Configuration = BEST,
    requested: Mapping[str, str] | None = None,
) -> Decided:
    """Choose kernels, schedule and plan a program for a target. `requested`: kernels, by table. Raises: Rejected, for what the
    target lacks."""
    target, scheduler = configuration.use.of(target), configuration.scheduler
    _check_queues(program, scheduler, diagnostics)
    choices = capabilities.check(program, target, diagnostics, requested)
    likely = configuration.likely
    if likely.early_drops:
        program = with_early_drops(program, likely.profile)
    program = renew_locals(lower(with_dropped_at(program)))
    started = started_state(program, scheduler)
    large = state_to_cut_at(program, started, target.near_bytes, scheduler)
    # steered frames go to workers of the front, whatever the back does
    ways = configuration.ways if configuration.cut is None else replace(configuration.ways, steering=False)
    atomic = with_atomic_regions(with_hoisted_indexes(program, started), ways)
    program = with_inlined_actions(atomic.program, large)
    compared = frozenset(name for name, choice in choices.items() if choice.kernel.kept_by)
    reads = {
        name: choice.read_bytes + (bytes_led_to(program, program.table[name]) if name in program.table else 0)
        for name, choice in choices.items()
        if choice.kernel.memory != NOTHING and name not in compared
    }
    near = near_tables(reads, target.near_bytes, scheduler)
    kernels = {name: choice.kernel for name, choice in choices.items()}
    arrays = (t.name for t in program.tables if t.name in near and access(t, kernels[t.name]) is Access.ARRAY)
    options = replace(with_cuts(scheduler, near | compared, large), small=frozenset(arrays))
    counters = large_counters(program, target.near_bytes) if configuration.lowering.deferred_counts else frozenset()
    if configuration.cut is not None:
        options = replace(options, run_to_completion=False)
        if has_queues(program, options):
            diagnostics.error(program.span, "--cut: packets of this program wait in queues, which one worker serves")
            diagnostics.raise_if_errors()
    found = _with_cache(program, options, compared) if _may_cache(configuration) else None
    cached, scheduled = found or (None, schedule(program, options))
    program = cached.program if cached is not None else program
    if configuration.cut is not None:
        scheduled = pipelined(program, scheduled, configuration.cut, diagnostics)
    kept = (atomic.groups, atomic.steering)
    bundled = bundles(program, large_state(program, target.near_bytes)) if configuration.lowering.bundles else ()
    made = planned(
        program, scheduled, kernels, options, configuration.plan, counters, *kept, target.near_bytes, bundled
    )
    return Decided(choices, made, compared, near, atomic, cached)


def _with_cache(program: Program, options: Options, compared: frozenset[str]) -> tuple[Cached, Schedule] | None:
    """The program with a cache of decisions; not where packets would come to a state in another order by the cut in front of
    it."""
    for ready in dict.fromkeys((options.ready_decisions and options.run_to_completion, False)):
        made = with_decisions(program, compared, ready=ready)
        if made is None:
            return None
        scheduled = schedule(made.program, replace(options, large=options.large | {DECISIONS}))
        if made.ready is None or len(scheduled.pipes) == 1:
            return (made, scheduled) if is_cut(scheduled) else None
    return None


def _may_cache(configuration: Configuration) -> bool:
    """Whether a cache of decisions may stand in a program: the packets of a worker stay with it, and there are cuts."""
    options = configuration.scheduler
    return (
        options.decisions and configuration.cut is None and options.cut(DECISIONS) and options.starts_state(DECISIONS)
    )


def _check_queues(program: Program, options: Options, diagnostics: Diagnostics) -> None:
    if options.queues and not has_queues(program, options):
        diagnostics.error(program.span, f"--queues: {program.architecture.value} has no queues of ports here")


def generate(
    program: Program,
    target: Target,
    templates: Path,
    diagnostics: Diagnostics,
    configuration: Configuration = BEST,
    requested: Mapping[str, str] | None = None,
) -> Generated:
    """The C of a program for a target. `templates`: the folder of ours; `requested`: as for decide().

    Raises: Rejected, for what the target lacks; BadTarget, for templates of its own that fail.
    """
    decided = decide(program, target, diagnostics, configuration, requested)
    ready = decided.cached.ready if decided.cached is not None else None
    made = view(decided.planned, configuration, target.counters, bool(target.templates), target.run, ready)
    folders = dict.fromkeys(TABLE.folders[header] for header in sorted(headers(program)))
    return Generated(
        render(made, target.templates, templates), notes_of(program, decided, configuration), tuple(folders)
    )


def notes_of(program: Program, decided: Decided, configuration: Configuration) -> tuple[str, ...]:
    """What was decided, for -v."""
    made = decided.planned.schedule
    return (
        *(f"table {t.name}: {_note(decided.choices.get(t.name))}" for t in program.tables),
        *(f"value set {s.name}: {_note(decided.choices.get(s.name))}" for s in program.value_sets),
        *(f"{e.kind.replace('_', ' ')} {e.name}: {note}" for e in program.externs if (note := _state_note(program, e))),
        *(f"{p.name}: {len(p.stages)} stage{'s' if len(p.stages) > 1 else ''}" for p in made.pipes),
        *(f"table {t.name}: no stage, it stays in the cache" for t in program.tables if t.name in decided.near),
        *(
            f"table {t.name}: a stage of its own, as its kernel has no `memory` figures"
            for t in program.tables
            if configuration.use.small_tables and configuration.scheduler.cut(t.name) and t.name not in made.synchronous
            if (choice := decided.choices.get(t.name)) is not None and not choice.has_figures
        ),
        *(f"table {name}: no stage, to keep packet order" for name in sorted(made.synchronous)),
        *notes(decided.atomic),
        *((note_of(decided.cached),) if decided.cached is not None else ()),
    )


def _state_note(program: Program, extern: ExternInstance) -> str:
    """The memory of a register, meter or counter; nothing of other externs."""
    cells, each = state_cells(program, extern)
    size = cells * each
    if not size:
        return ""
    pages = ", on huge pages" if size >= HUGE_PAGE_BYTES else ""
    workers = ", for each worker" if extern.kind.endswith("counter") else ""
    return f"{cells:,} cells of {each:,} byte{'s' if each > 1 else ''} take {in_units(size)}{workers}{pages}"


def _note(choice: Choice | None) -> str:
    return choice.note if choice is not None else "no key: its default action"
