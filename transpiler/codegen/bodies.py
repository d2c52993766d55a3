"""The functions of all stages together: dead stores are removed, then each is simplified for readers.

What is read of a packet's state and record is known only of all functions: a member is there if one of them reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from transpiler.codegen.c.flatten import flattened
from transpiler.codegen.c.function import LIVE_MEMBER, Function, Scopes, Variable
from transpiler.codegen.c.nodes import Body, Call, Do, Expression, Name, Statement
from transpiler.codegen.c.remove_dead_stores import Liveness, without_dead_stores
from transpiler.codegen.c.remove_jumps import without_jumps
from transpiler.codegen.c.start_with import with_first_values
from transpiler.codegen.c.walk import all_expressions, all_names, called, map_bodies
from transpiler.codegen.given import COUNTS, LOCKS, REGISTERS, Given
from transpiler.codegen.outcome import with_lasting_records
from transpiler.codegen.outside import Outside
from transpiler.codegen.pipeline_views import StageView
from transpiler.codegen.places import at
from transpiler.codegen.record import WHOLE, is_written, members_read, resizes
from transpiler.codegen.stages import PREFETCH, LoweredStage
from transpiler.codegen.tallies import TALLIES, tallied, with_tallies
from transpiler.codegen.views import NOWHERE
from transpiler.schedule.stages import PipeSchedule, Stage
from transpiler.schedule.successors import fed_by

# the members of the record that nobody but the program's own code reads, unless the runtime is given the record
OWN_MEMBERS = frozenset({"payload_offset", "egress_port"})

_BEGINNINGS = {"entry": "the beginning", "merge": "where several ways meet"}  # of stages that look nothing up

Rewrite = Callable[[Function], Function]
LoweredPipes = tuple[tuple[PipeSchedule, tuple[LoweredStage, ...]], ...]


@dataclass(frozen=True, slots=True)
class Bodies:
    """`live_members`: those of the packet's state that are read; `record`: those of its record that are read as they are when
    it is received or leaves its pipe; `lasting`: records are kept from stage to stage, else each stage fills in what it reads,
    as it was received."""

    pipes: LoweredPipes
    live_members: frozenset[str]
    record: frozenset[str]
    lasting: bool


def finished(pipes: LoweredPipes, record_is_read: bool, live_members: Iterable[str], tallies: bool = True) -> Bodies:
    """The functions without dead stores. `record_is_read`: the runtime or others read the records; `live_members`: those
    of the state that something else than the functions reads; `tallies`: what packets add to a register is added up."""
    tracked = frozenset() if record_is_read else OWN_MEMBERS
    liveness = Liveness(tracked)
    liveness.needed |= {Variable(LIVE_MEMBER, name) for name in live_members}
    for _, stages in pipes:
        for stage in stages:
            liveness.add(stage.function)
            for e in _keys(stage):
                liveness.needed |= Scopes("", stage.function.replication, tracked).reads(e)
    live = liveness.live()

    def rewritten(rewrite: Rewrite, pipes: LoweredPipes) -> LoweredPipes:
        return tuple(
            (pipe, tuple(replace(stage, function=rewrite(stage.function)) for stage in stages))
            for pipe, stages in pipes
        )

    pipes = rewritten(lambda function: without_dead_stores(function, live, tracked), pipes)
    if tallies:
        registers = tallied(stage.function for _, stages in pipes for stage in stages)
        pipes = rewritten(lambda function: with_tallies(function, registers), pipes)
    lasting = record_is_read or any(
        is_written(s.function.body) for pipe, stages in pipes if not pipe.replication for s in stages
    )
    if lasting and not record_is_read:
        pipes = rewritten(lambda function: replace(function, body=with_lasting_records(function.body)), pipes)
    pipes = rewritten(_written_out, pipes)
    members = frozenset(variable.name for variable in live if variable.of == LIVE_MEMBER)
    return Bodies(pipes, members, WHOLE if record_is_read else _record_of(pipes), lasting)


def _written_out(function: Function) -> Function:
    """Simplified for readers."""
    return with_first_values(replace(function, body=flattened(without_jumps(function.body))))


def _keys(stage: LoweredStage) -> Iterator[Expression]:
    """What makes the keys of the lookups that a stage starts, and follows what they find."""
    for lookup in stage.lookups:
        yield from all_expressions((*lookup.keys, *lookup.selection, *lookup.follow))
        if lookup.key_word is not None:
            yield lookup.key_word


def values(stage: LoweredStage) -> Iterator[Expression]:
    """All expressions of a stage's function."""
    yield from all_expressions((*stage.function.variables, *stage.function.body))


def may_resize(stages: tuple[LoweredStage, ...]) -> bool:
    """Whether the stages may make a frame longer or shorter."""
    return any(resizes(values(stage)) for stage in stages)


def _record_of(pipes: LoweredPipes) -> frozenset[str]:
    """To a replication pipeline the runtime directs a packet."""
    found: frozenset[str] = frozenset()
    for pipe, stages in pipes:
        for stage in stages:
            begins = [v.value for v in stage.function.variables if v.value is not None]
            read = members_read((*begins, *_keys(stage)), stage.function.body)
            found |= read - {"egress_port"} if pipe.replication else read
    return found


@dataclass(frozen=True, slots=True)
class Frame:
    """What the functions of a pipeline have in common. `gives_verdicts`: to the burst's array; `alone`: there is one stage;
    `begins`: what the first names to begin the packet's state; `overridden`: a target's templates may name anything."""

    pipe: PipeSchedule
    given: Given
    gives_verdicts: bool
    alone: bool
    begins: frozenset[str]
    overridden: bool

    def takes(self, stage: LoweredStage | StageView, named: frozenset[str]) -> tuple[str, ...]:
        """What the function of a stage is given that names these."""
        # One struct of what a burst has in common, in place of `worker`, `common`, `sets` and `lookups`, costs instructions:
        # l2fwd has 175 a packet (callgrind), 181 with it, 177 where `lookups` stay outside. Arguments stay in registers.
        there = ["worker", *(("common",) if self.gives_verdicts else ()), *self.given.of(named)]
        there += ["verdict"] if self.gives_verdicts else []
        there += [] if self.alone else ["index", "sets"]
        there += ["lookups", "at"] if stage.bulk else ["lookup"] if stage.lookups else []
        prepared = tuple(array.name for array in (TALLIES, LOCKS, REGISTERS, COUNTS) if array.name in named)
        return (*(name for name in there if name in named or name == "state" or self.overridden), *prepared)


def stage_views(stages: tuple[LoweredStage, ...], frame: Frame) -> tuple[StageView, ...]:
    """The stages of a pipeline, as templates see them."""
    of_keys = [frozenset().union(*(lookup.named for lookup in stage.lookups)) for stage in stages]
    for_keys = {
        f"{stage.function.name}{PREFETCH}": frame.given.of(named) for stage, named in zip(stages, of_keys, strict=True)
    }
    return tuple(_stage_view(stage, frame, named, for_keys) for stage, named in zip(stages, of_keys, strict=True))


def _stage_view(
    stage: LoweredStage, frame: Frame, of_keys: frozenset[str], for_keys: Mapping[str, tuple[str, ...]]
) -> StageView:
    tables = ", ".join(s.table for s in stage.stage.lookups)
    body = _given(stage.function.body, for_keys)
    by_itself = (lookup for lookup in stage.lookups if not (stage.bulk and lookup.table.words))
    to_follow = all_names(tuple(made for lookup in by_itself for made in lookup.follow))
    named = all_names((*stage.function.variables, *body)) | (frame.begins if stage.number == 0 else frozenset())
    if frame.overridden:
        named |= {"packet", "live"}
    return StageView(
        number=stage.number,
        function=stage.function.name,
        title=Outside(_title(stage.stage)),
        cite=Outside(at(stage.stage.lookups[0].span)) if tables else NOWHERE,
        lookups=stage.lookups,
        locals=stage.function.variables,
        body=body,
        calls=called(body),
        listed=stage.listed,
        bulk=stage.bulk,
        keyed=stage.keyed,
        takes=frame.takes(stage, named),
        takes_for_keys=frame.given.of(of_keys),
        unpacked=frame.given.unpacked(named),
        unpacked_for_keys=frame.given.unpacked(of_keys, constant=True),
        takes_to_follow=frame.given.of(to_follow),
        unpacked_to_follow=frame.given.unpacked(to_follow, constant=True),
        pipe_name=frame.pipe.name,
        goes_on=bool(fed_by(frame.pipe, stage.stage.code)),
    )


def _title(stage: Stage) -> str:
    """What a stage begins with, for people."""
    lookups = ", ".join(lookup.table for lookup in stage.lookups)
    cells = ", ".join(dict.fromkeys(access.instance for access in stage.prefetched))
    results = f"the result{'s' if len(stage.lookups) > 1 else ''} of {lookups}"
    parts = (*((results,) if lookups else ()), *((f"the cells of {cells}",) if cells else ()))
    return " and ".join(parts) or _BEGINNINGS.get(stage.name, stage.name)


def _given(body: Body, for_keys: Mapping[str, tuple[str, ...]]) -> Body:
    """The body with what its calls of generated functions hand on of the packet."""

    def given(s: Statement) -> Statement:
        match s:
            case Do(expression=Call(function=name, arguments=())) if name in for_keys:
                return replace(s, expression=Call(name, tuple(map(Name, for_keys[name]))))
        return map_bodies(s, lambda inner: _given(inner, for_keys))

    return tuple(map(given, body))
