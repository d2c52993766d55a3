"""The stages of a pipe: code that submits packets to later stages. Docs: docs/architecture.md.

A stage runs over its packets in the order of the burst. A lookup stage first starts its lookups for a sub-batch of
packets, then finishes them packet by packet, runs the actions and continues to the next cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from transpiler.analysis.locations import Location
from transpiler.hlir.statements import ApplyTable, If, Statement, Switch
from transpiler.schedule.pipeline import Restart, Source, Special
from transpiler.schedule.state import StateAccess


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement or step that runs within its stage; tables applied inside it are looked up at once."""

    what: Statement | Special


@dataclass(frozen=True, slots=True)
class Finish:
    """Finish the stage's lookup number `lookup`, run the action."""

    statement: ApplyTable
    lookup: int


@dataclass(frozen=True, slots=True)
class Fork:
    """An If or Switch whose arms continue differently: one Code an arm, a Switch's default last."""

    statement: If | Switch
    arms: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class Submit:
    """Put the packet on a later stage's set; this stage is done with it."""

    stage: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Go on at a join: code that several ways share, a label in the stage's function."""

    join: int


@dataclass(frozen=True, slots=True)
class End:
    """The pipe is done with the packet."""


@dataclass(frozen=True, slots=True)
class HandOver:
    """Hand the packet over to the pipe that goes on with it, at the entry of that number. See schedule/cut.py."""

    entry: int


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Submit a packet that was handed over, by the number of the entry that came with it. `stages`: of each entry."""

    stages: tuple[int, ...]


Target = Submit | Jump | End
Piece = Plain | Finish | Fork | Submit | Jump | End | HandOver | Dispatch
Code = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """`lookups` are started together, none for the first stage and for a merge of several ways into one. `small`: the numbers
    of those in small tables, whose Finish its code does not have. `known`: values of
    locations where it begins. `live_in`: what it reads, or a stage after it, of the packet's state as it finds it.
    `prefetched`: accesses to state whose cells are prefetched when its lookups are started. `received`: header fields that are
    there as they were received, see received.py; `unchanged`: those that it leaves so; `loaded`: the others that it reads.
    `intact`: of a stage that parses, the fields that nothing in it but an extract writes: they are in the frame, too."""

    name: str
    lookups: tuple[ApplyTable, ...]
    code: Code
    known: Mapping[Location, int] = field(default_factory=dict)
    live_in: frozenset[Location] = frozenset()
    prefetched: tuple[StateAccess, ...] = ()
    received: frozenset[Location] = frozenset()
    unchanged: frozenset[Location] = frozenset()
    loaded: frozenset[Location] = frozenset()
    intact: frozenset[Location] = frozenset()
    small: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PipeSchedule:
    """One pipe: stages in the order in which they run; Submit.stage indexes `stages`, Jump.join `joins` (in program order).

    `exits`: where Leave(label) goes for the blocks that were cut; other labels stay inside their stage. `renews`, `keeps`,
    `replication`: as in `pipeline.PipePlan`. `to_replication`: what the state of a packet must hold that leaves it for that;
    `to_next`: that goes on to the next pipe.
    """

    name: str
    stages: tuple[Stage, ...]
    joins: tuple[Code, ...]
    exits: Mapping[str, Target]
    renews: bool = False
    keeps: tuple[int, ...] = ()
    replication: bool = False
    to_replication: frozenset[Location] = frozenset()
    to_next: frozenset[Location] = frozenset()


def restart_of(pipe: PipeSchedule) -> Restart | None:
    """What makes clones of copied packets, if the pipe begins with that."""
    first = pipe.stages[0].code[0] if pipe.stages and pipe.stages[0].code else None
    return first.what if isinstance(first, Plain) and isinstance(first.what, Restart) else None


def begins_anew(pipe: PipeSchedule) -> bool:
    """Whether nothing of a packet's headers is there where it comes to the pipe."""
    restart = restart_of(pipe)
    return pipe.renews or (restart is not None and not restart.keeps_headers)


@dataclass(frozen=True, slots=True)
class Schedule:
    """`live`: the locations that some later stage reads without knowing their values, so that they live in the packet's
    state. `given`: what has its value from the packet's record, from its first stage to its last, and no other.
    `passes`: whether nothing but the stages looks at the state, so that each may work on locals: it takes what it reads
    when it begins, and a packet that it leaves to another stage takes along what that one reads.
    `spread`: the headers and stack elements that several stages may see, so that it is kept where they lie in the frame.
    `zeroed`: those among them that must be zero where a pipe renews the state.
    `ordered`: an ordered state is touched in several pipes or passes of a packet, so that a packet must be through
    all of them before the next one begins."""

    pipes: tuple[PipeSchedule, ...]
    live: frozenset[Location]
    zeroed: frozenset[Location]
    synchronous: frozenset[str]  # tables that could not be cut without breaking the order of packets
    ordered: bool = False
    spread: frozenset[str] = frozenset()
    given: Mapping[Location, Source] = field(default_factory=dict)
    passes: bool = False
