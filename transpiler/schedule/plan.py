"""The burst plan: what a worker does with a burst, step by step, in order. It is the result of scheduling. Codegen makes a loop
of each step; `macsad graph --kind plan` prints it.

    plan l3fwd: ingress, run to completion
      receive   each packet: run entry; prefetch the headers of later packets
      gather    L3Ingress.routes: listed in order; keys are there
                live: checksum.sum_0, hdr.ethernet.dst, hdr.ethernet.src, hdr.ipv4.dst, hdr.ipv4.ttl
      start     L3Ingress.routes (lpm_dir24) as an array, begun when the key is known
      run       L3Ingress.routes: each packet
      transmit  each packet by its verdict

How a table is looked up for the packets of a burst is its *access*:

    CURSORS   a sub-batch at a time: start each, go on with each, finish each with the work on its packet
    ARRAY     all keys of the burst in one call, which leaves the entries
    PHASES    the same in three calls (start, advance, finish), between which other work may be done
    WORDS     all keys in one call, which hashes them; entries are prefetched b packets ahead of the work on their packet
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from transpiler.schedule.feeders import in_order
from transpiler.schedule.stages import PipeSchedule


class Access(enum.Enum):
    """How the lookups of a burst in a table are made. Where the key is handed over as a number and not as bytes, what an ARRAY
    lookup begins with is prefetched when the key is known (EARLY)."""

    CURSORS = enum.auto()
    ARRAY = enum.auto()
    EARLY_ARRAY = enum.auto()
    PHASES = enum.auto()
    WORDS = enum.auto()

    @property
    def is_array(self) -> bool:
        return self is not Access.CURSORS

    @property
    def can_wait(self) -> bool:
        """Whether other work may be done between its start and its end."""
        return self in (Access.PHASES, Access.WORDS)


@dataclass(frozen=True, slots=True)
class Receive:
    """Each packet of a received burst: fill what is read of its record, run the first stage. `ahead`: the headers of later
    packets are prefetched."""

    stage: int = 0
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """The same of packets whose records are filled. `received`: the runtime has just filled them in, of a received burst;
    `ahead`: and meanwhile prefetched the headers of later packets."""

    stage: int = 0
    received: bool = False
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Gather:
    """Lists the packets that go to the stage, in the order of the burst. `listed`: they come from one stage alone in a burst, so
    they are in that order already. `keyed`: the stage that submits a packet stores the keys of this stage's lookups in their
    arrays. It also prefetches the cells of state that the packet will access here."""

    stage: int
    listed: bool
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class PackKeys:
    """The keys of the stage's lookups, of all its packets, as arrays."""

    stage: int


@dataclass(frozen=True, slots=True)
class Start:
    """Hand the arrays of keys to the tables of these lookups, by their numbers."""

    stage: int
    lookups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Advance:
    """Go on with started lookups. `begun`: unless that was done while the burst before was finished; `next_burst`: with those
    of the next burst, if there is one."""

    stage: int
    lookups: tuple[int, ...]
    begun: bool = False
    next_burst: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    """End the lookups: their entries are known then."""

    stage: int
    lookups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Follow:
    """Prefetch what the entries of these lookups lead to, as leads.py has it: all of the burst take a step before any takes the
    next one, of which there are `steps` behind the first."""

    stage: int
    lookups: tuple[int, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Run:
    """The stage's work on each packet. `lookups`: their entries are prefetched some packets ahead. `begun`: the first of them
    are prefetched already, and while the last packets are worked on those of the next burst are. `followed`: those of which
    what they lead to is prefetched, when they are there."""

    stage: int
    lookups: tuple[int, ...] = ()
    begun: bool = False
    followed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSubBatches:
    """The stage's lookups and its work, b packets at a time: start all, go on `steps` times with all, finish each and work.
    `followed`: of these lookups all are finished first, and followed in so many steps (`leading`)."""

    stage: int
    lookups: tuple[int, ...]
    steps: int
    followed: tuple[int, ...] = ()
    leading: int = 0


@dataclass(frozen=True, slots=True)
class Transmit:
    """Send, drop or replicate each packet by its verdict."""


@dataclass(frozen=True, slots=True)
class Lap:
    """Read the worker's stage clock, in bursts that are sampled: what went by since the last reading is that of `verb`, the step
    or steps of the stage before it."""

    stage: int
    verb: str


Step = Receive | Take | Gather | PackKeys | Start | Advance | Finish | Follow | Run | RunSubBatches | Transmit | Lap
Steps = tuple[Step, ...]


class Form(enum.Enum):
    """What a function of a pipeline is given, and what it does with it."""

    BURST = "burst"  # a received burst, from end to end: run to completion
    PROLOGUE = "prologue"  # its first part, of a software pipeline
    EPILOGUE = "epilogue"  # and the rest, when the prologue of the next burst has run
    PACKETS = "packets"  # packets with records, on their way through several pipelines


@dataclass(frozen=True, slots=True)
class Pass:
    """One function over a burst."""

    form: Form
    steps: Steps


@dataclass(frozen=True, slots=True)
class Tables:
    """What a plan must know of tables, by their names: the best `access` that each has, how many times lookups by cursor
    go on (`steps`), and how many steps lead from an entry to what it names (`leading`), None where it need not be followed."""

    access: Callable[[str], Access]
    steps: Callable[[str], int]
    leading: Callable[[str], int | None] = lambda table: None


@dataclass(frozen=True, slots=True)
class PipelinePlan:
    """The passes of a pipeline, of which the runtime calls one for a burst (or a prologue, and later its epilogue)."""

    pipe: PipeSchedule
    tables: Tables
    passes: tuple[Pass, ...]

    @property
    def is_software_pipelined(self) -> bool:
        return any(made.form is Form.PROLOGUE for made in self.passes)

    def has_arrays(self, stage: int) -> bool:
        """Whether the keys of all lookups of the stage go to their tables as arrays."""
        return any(isinstance(step, Start) and step.stage == stage for step in self._steps)

    def is_keyed(self, stage: int) -> bool:
        """Whether the stages that submit packets to the stage store the keys of its lookups."""
        return any(isinstance(step, Gather) and step.stage == stage and step.keyed for step in self._steps)

    def followed(self, stage: int) -> frozenset[int]:
        """The lookups of the stage, by their numbers, whose entries are followed."""
        found: set[int] = set()
        for step in self._steps:
            match step:
                case Follow(stage=of, lookups=lookups) if of == stage:
                    found.update(lookups)
                case Run(stage=of, followed=followed) | RunSubBatches(stage=of, followed=followed) if of == stage:
                    found.update(followed)
        return frozenset(found)

    @property
    def _steps(self) -> Steps:
        return tuple(step for made in self.passes for step in made.steps)


def plan(pipe: PipeSchedule, tables: Tables, forms: tuple[Form, ...], received: bool = False) -> PipelinePlan:
    """The plan of a pipeline without any optimisation: those are edits of it, in plan_edits.py. `forms`: of Form.BURST and
    Form.PACKETS those that it needs; `received`: the latter takes received bursts."""
    return PipelinePlan(pipe, tables, tuple(Pass(form, _steps(pipe, tables, form, received)) for form in forms))


def _steps(pipe: PipeSchedule, tables: Tables, form: Form, received: bool) -> Steps:
    first: Step = Receive() if form is Form.BURST else Take(received=received)
    later = tuple(step for number in range(1, len(pipe.stages)) for step in _of_stage(pipe, tables, number))
    return (first, *later, *((Transmit(),) if form is Form.BURST else ()))


def _of_stage(pipe: PipeSchedule, tables: Tables, number: int) -> Steps:
    lookups = pipe.stages[number].lookups
    gather = Gather(number, number in in_order(pipe))
    if not lookups:
        return (gather, Run(number))
    steps = max(tables.steps(lookup.table) for lookup in lookups)
    return (gather, RunSubBatches(number, tuple(range(len(lookups))), steps))
