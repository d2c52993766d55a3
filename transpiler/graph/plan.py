"""The burst plans of a program: as text, a line for each step, and as a drawing, a group for each function over a burst."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from textwrap import wrap

from transpiler.analysis.locations import Location
from transpiler.graph.drawing import Drawing, Edge, Group, Node, NodeKind
from transpiler.graph.text import LINE, location, some
from transpiler.schedule.plan import (
    Access,
    Advance,
    Finish,
    Follow,
    Form,
    Gather,
    Lap,
    PackKeys,
    Pass,
    PipelinePlan,
    Receive,
    Run,
    RunSubBatches,
    Start,
    Step,
    Take,
    Transmit,
)
from transpiler.schedule.planned import Planned
from transpiler.shown import shown

_FORMS = {
    Form.BURST: "run to completion",
    Form.PROLOGUE: "software pipelined: prologue",
    Form.EPILOGUE: "software pipelined: epilogue",
    Form.PACKETS: "by pipeline",
}
_ACCESS = {
    Access.CURSORS: "by cursors",
    Access.ARRAY: "as an array",
    Access.EARLY_ARRAY: "as an array, begun when the key is known",
    Access.PHASES: "as an array, in phases",
    Access.WORDS: "hashed as an array",
}
_KINDS: dict[type[Step], NodeKind] = {
    Receive: NodeKind.STATEMENTS,
    Take: NodeKind.STATEMENTS,
    Gather: NodeKind.STATE,
    PackKeys: NodeKind.STATE,
    Run: NodeKind.STATEMENTS,
    Transmit: NodeKind.EXIT,
}
_VERB, _LINE = 10, 110  # characters of a step's verb, and of a line of what lives across


def text(planned: Planned) -> str:
    """All plans as text; ends with a line break."""
    lines: list[str] = []
    for pipeline in planned.plans:
        for made in pipeline.passes:
            lines.append(f"plan {planned.program.name}: {_title(pipeline, made)}")
            lines += (f"  {verb:{_VERB}}{what}".rstrip() for verb, what in _steps(planned, pipeline, made))
            lines.append("")
    at_once = [f"{name}{_kernel(planned, name)}" for name in _at_once(planned)]
    lines += ["looked up within a stage", *(f"  {line}" for line in at_once), ""] if at_once else []
    return "\n".join(map(shown, lines[:-1])) + "\n"


def draw(planned: Planned) -> Drawing:
    """The steps of each function over a burst, in their order; below where packets are gathered stands what lives there."""
    groups: list[Group] = []
    edges: list[Edge] = []
    for pipeline in planned.plans:
        for made in pipeline.passes:
            name = f"{pipeline.pipe.name}/{made.form.value}"
            nodes = tuple(_node(f"{name}/{n}", planned, pipeline, step) for n, step in enumerate(_work(made)))
            groups.append(Group(name, _title(pipeline, made), nodes))
            edges += (Edge(before.id, after.id) for before, after in pairwise(nodes))
    return Drawing(f"{planned.program.name}: plan", tuple(groups), tuple(edges))


def _node(name: str, planned: Planned, pipeline: PipelinePlan, step: Step) -> Node:
    verb, what = _step(planned, pipeline, step)
    sections = [tuple(line for part in what.split("; ") for line in wrap(part, LINE))]
    stage = pipeline.pipe.stages[getattr(step, "stage", 0)]
    if isinstance(step, Gather) and stage.live_in:
        sections.append(some(_live(stage.live_in)))
    span = stage.lookups[0].span if stage.lookups else None
    return Node(name, _KINDS.get(type(step), NodeKind.TABLE), verb, tuple(sections), span)


def _title(pipeline: PipelinePlan, made: Pass) -> str:
    return f"{pipeline.pipe.name}{', replication pipeline' if pipeline.pipe.replication else ''}, {_FORMS[made.form]}"


# --- what is said of steps ------------------------------------------------------------------------------------------------


def _steps(planned: Planned, pipeline: PipelinePlan, made: Pass) -> Iterator[tuple[str, str]]:
    """Verb and text of each line: of each step and, where packets are gathered, of what lives across."""
    for step in _work(made):
        yield _step(planned, pipeline, step)
        if isinstance(step, Gather):
            live = ", ".join(_live(pipeline.pipe.stages[step.stage].live_in)) or "nothing"
            yield from (("", line) for line in wrap(f"live: {live}", _LINE, subsequent_indent=" " * 6))


def _work(made: Pass) -> list[Step]:
    """The steps without readings of the clock, which stand behind each."""
    return [step for step in made.steps if not isinstance(step, Lap)]


def _step(planned: Planned, pipeline: PipelinePlan, step: Step) -> tuple[str, str]:
    """A step: verb and text, whose parts are divided by semicolons."""
    match step:
        case Receive(ahead=ahead):
            return "receive", "each packet: run entry" + ("; prefetch the headers of later packets" if ahead else "")
        case Take(ahead=ahead):
            before = "; the runtime has prefetched its headers" if ahead else ""
            return "take", f"each packet: run entry{before}"
        case Transmit():
            return "transmit", "each packet by its verdict"
        case Gather(listed=listed, keyed=keyed):
            order = "listed in order" if listed else "a set, put in order"
            cells = _cells(pipeline, step.stage)
            there = (*(("keys are there",) if keyed else ()), *((f"cells of {cells} are prefetched",) if cells else ()))
            return "gather", "; ".join((f"{_stage(pipeline, step.stage)}: {order}", *there))
        case PackKeys():
            return "pack", f"{_stage(pipeline, step.stage)}: keys of all packets"
        case Start(lookups=lookups):
            return "start", "; ".join(_lookup(planned, pipeline, step.stage, n) for n in lookups)
        case Advance(begun=begun, next_burst=next_burst):
            when = " of the next burst" if next_burst else ", unless that is done" if begun else ""
            return "advance", f"{_tables(pipeline, step.stage, step.lookups)}{when}"
        case Finish():
            return "finish", _tables(pipeline, step.stage, step.lookups)
        case Follow(lookups=lookups, steps=steps):
            return (
                "follow",
                f"{_tables(pipeline, step.stage, lookups)}: what entries lead to{_times(steps, ' in', 'step')}",
            )
        case Run(lookups=lookups, begun=begun, followed=followed):
            entries = (
                f"; prefetch entries of {_tables(pipeline, step.stage, lookups)} b packets ahead" if lookups else ""
            )
            then = ", then of the next burst" if begun else ""
            led = f"; what those of {_tables(pipeline, step.stage, followed)} lead to b/4 ahead" if followed else ""
            return "run", f"{_stage(pipeline, step.stage)}: each packet{entries}{then}{led}"
        case RunSubBatches(lookups=lookups, steps=steps, followed=followed, leading=leading):
            which = "; ".join(f"{name}{_kernel(planned, name)}" for name in _names(pipeline, step.stage, lookups))
            on = _times(steps, ", go on", "time")
            led = (
                f", follow {_tables(pipeline, step.stage, followed)}{_times(leading, ' in', 'more step')}"
                if followed
                else ""
            )
            return "run", f"{which}; b packets at a time: start{on}{led}, finish and work"
        case Lap(verb=verb):
            return "lap", verb


def _times(count: int, before: str, what: str) -> str:
    """How often; nothing of none."""
    return f"{before} {count} {what}{'s' if count > 1 else ''}" if count else ""


def _lookup(planned: Planned, pipeline: PipelinePlan, stage: int, number: int) -> str:
    table = pipeline.pipe.stages[stage].lookups[number].table
    return f"{table}{_kernel(planned, table)} {_ACCESS[pipeline.tables.access(table)]}"


def _cells(pipeline: PipelinePlan, stage: int) -> str:
    """The registers and meters whose cells a stage prefetches."""
    return ", ".join(dict.fromkeys(access.instance for access in pipeline.pipe.stages[stage].prefetched))


def _kernel(planned: Planned, table: str) -> str:
    kernel = planned.kernels.get(table)
    return f" ({kernel.name})" if kernel is not None else ""


def _names(pipeline: PipelinePlan, stage: int, lookups: Iterable[int]) -> list[str]:
    return [pipeline.pipe.stages[stage].lookups[number].table for number in lookups]


def _tables(pipeline: PipelinePlan, stage: int, lookups: Iterable[int]) -> str:
    return ", ".join(_names(pipeline, stage, lookups))


def _stage(pipeline: PipelinePlan, number: int) -> str:
    """A stage by its tables, or by its name where it looks nothing up."""
    stage = pipeline.pipe.stages[number]
    return _tables(pipeline, number, range(len(stage.lookups))) or stage.name


def _live(locations: Iterable[Location]) -> list[str]:
    return sorted(map(location, locations))


def _at_once(planned: Planned) -> list[str]:
    """The tables with a key that no stage begins with."""
    started = {s.table for pipe in planned.schedule.pipes for stage in pipe.stages for s in stage.lookups}
    return [table.name for table in planned.program.tables if table.keys and table.name not in started]
