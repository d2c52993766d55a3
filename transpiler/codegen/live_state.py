"""The live values of a packet, struct live: declarations, initial values, and what clones and preserved lists keep."""

from __future__ import annotations

from dataclasses import dataclass, replace

from transpiler.analysis.locations import VALIDITY, Location
from transpiler.codegen.bodies import Bodies
from transpiler.codegen.c.build import live
from transpiler.codegen.c.nodes import Assign, Body
from transpiler.codegen.c.printer import expression
from transpiler.codegen.frame_sizes import made_headers
from transpiler.codegen.pipeline_views import StageView
from transpiler.codegen.storage import NOWHERE, Slot, Storage
from transpiler.codegen.views import LiveView
from transpiler.hlir.expressions import HeaderRef
from transpiler.hlir.program import Program
from transpiler.schedule.architectures import preserved_lists
from transpiler.schedule.pipeline import Preserved
from transpiler.schedule.stages import PipeSchedule, Schedule


@dataclass(frozen=True, slots=True)
class Place:
    """A preserved field: its C place in struct live, and the member that this is or is in."""

    place: str
    member: str


@dataclass(frozen=True, slots=True)
class LiveState:
    """`beginning`: statements that begin few of the live values, where a pipe renews them and not all need a beginning."""

    view: LiveView
    beginning: Body

    def begun(self, pipe: PipeSchedule, stages: tuple[StageView, ...]) -> tuple[StageView, ...]:
        """The stages of a pipe, of which the first begins these values if the pipe renews them."""
        if not pipe.renews:
            return stages
        first, *others = stages
        return (replace(first, body=(*self.beginning, *first.body)), *others)


def live_state(
    program: Program,
    schedule: Schedule,
    storage: Storage,
    bodies: Bodies,
    preserved: tuple[tuple[Place, ...], ...],
) -> LiveState:
    """What is left of struct live when the bodies are finished. `preserved`: the places of each list."""
    slots = tuple(slot for slot in storage.live_slots() if slot.name in bodies.live_members)
    made = made_headers(program, sources=True) | _read_in_frame(schedule)
    begins, beginning = _beginning(storage, slots, schedule.zeroed, made)
    clones = any(pipe.name == "clone" for pipe in schedule.pipes)
    if clones:  # which keep the headers: these come first
        slots = tuple(sorted(slots, key=lambda slot: not storage.is_parsed(slot.owner)))
    marked = (slot for slot in slots if slot.initial == NOWHERE and slot.owner in made)
    view = LiveView(
        declarations=tuple(slot.declaration for slot in slots),
        fresh=tuple(f".{slot.name} = {expression(slot.beginning)}" for slot in marked),
        begins=begins and (bodies.lasting or bool(slots)),
        others=next((slot.name for slot in slots if not storage.is_parsed(slot.owner)), ""),
        preserved=tuple(tuple(place.place for place in places) for places in preserved),
        preserves=clones or any(preserved[n - 1] for pipe in schedule.pipes for n in pipe.keeps if n),
        clones=clones,
    )
    return LiveState(view, beginning)


def preserved_places(program: Program, storage: Storage) -> tuple[tuple[Place, ...], ...]:
    """The places of each list of preserved fields, but for the empty list of number 0."""
    return tuple(_places(program, storage, fields) for fields in preserved_lists(program)[1:])


def _places(program: Program, storage: Storage, fields: Preserved) -> tuple[Place, ...]:
    places = []
    for owner, field in fields:
        if not field:
            slot, index = storage.variable(owner), None
        else:
            access = storage.access(HeaderRef(owner, program.span))
            slot = storage.valid(access.owner) if field == VALIDITY else storage.field(access.owner, field)
            index = access.index
        places.append(Place(slot.name if index is None else f"{slot.name}[{index}]", slot.name))
    return tuple(places)


def _beginning(
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


def _read_in_frame(schedule: Schedule) -> set[str]:
    """The headers of which fields are read in the frame, so that it must be known of all packets whether they have them."""
    stages = [stage for pipe in schedule.pipes for stage in pipe.stages]
    return {field.owner for stage in stages for field in stage.unchanged | stage.loaded}
